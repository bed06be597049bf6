TARGET = "Limiter.replay"
SLOW = "the log of all requests is filtered and copied at each request, for all clients"
SOURCE = '''"""Limits how often clients may ask."""

from collections import namedtuple

Rule = namedtuple("Rule", "count seconds")
Request = namedtuple("Request", "client time weight")

DEFAULT = [Rule(10, 1), Rule(100, 60)]


class Limiter:
    """Times are handed in, and never go back."""

    def __init__(self, rules=None, trusted=()):
        self.rules = list(rules or DEFAULT)
        self.trusted = list(trusted)
        self.requests = []
        self.refused = {}

    def used(self, client, rule, now):
        recent = [r for r in self.requests if r.client == client and r.time > now - rule.seconds]
        return sum(r.weight for r in recent)

    def forget(self, now):
        longest = max([rule.seconds for rule in self.rules])
        self.requests = [r for r in self.requests if r.time > now - longest]

    def allow(self, client, now, weight=1):
        if client in self.trusted:
            return True
        self.forget(now)
        ok = True
        for rule in self.rules:
            if self.used(client, rule, now) + weight > rule.count:
                ok = False
        if ok:
            self.requests.append(Request(client, now, weight))
        else:
            self.refused[client] = self.refused.get(client, 0) + 1
        return ok

    def replay(self, log):
        """What would have been refused of the requests of a log: their numbers in it, by client."""
        refused = {}
        for number, (client, time) in enumerate(log):
            if not self.allow(client, time):
                refused[client] = refused.get(client, []) + [number]
        return refused
'''
TESTS = """from project.module import Limiter, Rule


def test_limit():
    limiter = Limiter([Rule(2, 10)])
    assert limiter.replay([("a", time) for time in (0, 1, 2, 10, 11)]) == {"a": [2]}
    assert limiter.refused == {"a": 1}


def test_clients_are_apart():
    assert Limiter([Rule(1, 10)]).replay([("a", 0), ("b", 0), ("a", 5)]) == {"a": [2]}


def test_all_rules_count():
    limiter = Limiter([Rule(2, 1), Rule(3, 10)])
    assert [limiter.allow("a", time) for time in (0, 0, 0, 2, 4)] == [True, True, False, True, False]


def test_weight():
    limiter = Limiter([Rule(5, 10)])
    assert limiter.allow("a", 0, weight=4)
    assert not limiter.allow("a", 1, weight=2)
    assert limiter.allow("a", 1)


def test_trusted():
    assert Limiter([Rule(1, 10)], trusted=["root"]).replay([("root", 0)] * 5) == {}


def test_no_requests():
    assert Limiter().replay([]) == {}


def test_a_busy_minute():
    limiter = Limiter([Rule(3, 1), Rule(12, 30)])
    refused = limiter.replay([("c%d" % (n % 20), n / 10) for n in range(300)])
    assert refused == {"c%d" % client: [240 + client, 260 + client, 280 + client] for client in range(20)}
"""
