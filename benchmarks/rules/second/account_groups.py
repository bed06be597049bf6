TARGET = "linked"
SLOW = "nothing much"
SOURCE = '''"""Accounts that belong together, because they share a card, a phone or an address."""

from collections import defaultdict


class Links:
    """Sets that are joined, each known by one of its members."""

    def __init__(self):
        self.parents = {}

    def leader(self, item):
        parents = self.parents
        parents.setdefault(item, item)
        while parents[item] != item:
            parents[item] = parents[parents[item]]
            item = parents[item]
        return item

    def join(self, a, b):
        a, b = self.leader(a), self.leader(b)
        if a != b:
            self.parents[b] = a


def linked(accounts, fields=("card", "phone", "address")):
    """Groups of two and more ids, in the order of the accounts; empty fields do not link."""
    links = Links()
    first_with = {}
    for account in accounts:
        for field in fields:
            value = account.get(field)
            if value:
                links.join(first_with.setdefault((field, value), account["id"]), account["id"])
    groups = defaultdict(list)
    for account in accounts:
        groups[links.leader(account["id"])].append(account["id"])
    return [ids for ids in groups.values() if len(ids) > 1]
'''
TESTS = """from project.module import linked


def test_none():
    assert linked([]) == []
    assert linked([{"id": 1, "card": "x"}, {"id": 2, "phone": "x"}]) == []


def test_shared():
    accounts = [{"id": 1, "card": "x"}, {"id": 2, "card": "y"}, {"id": 3, "card": "x"}]
    assert linked(accounts) == [[1, 3]]


def test_over_several_steps():
    accounts = [
        {"id": 1, "card": "x"},
        {"id": 2, "phone": "5"},
        {"id": 3, "address": "road", "phone": "5"},
        {"id": 4, "card": "x", "address": "road"},
    ]
    assert linked(accounts) == [[1, 2, 3, 4]]


def test_empty_fields():
    assert linked([{"id": 1, "card": ""}, {"id": 2, "card": ""}, {"id": 3, "card": None}]) == []


def test_other_fields():
    assert linked([{"id": 1, "mail": "a"}, {"id": 2, "mail": "a"}], fields=["mail"]) == [[1, 2]]


def test_many():
    accounts = [{"id": n, "card": "c%d" % (n // 2), "phone": "p%d" % ((n + 1) // 2 % 90)} for n in range(540)]
    groups = linked(accounts)
    assert sum(len(ids) for ids in groups) == 540
    assert len(groups) == 1
"""
