TARGET = "Directory.can"
SLOW = "the whole chain of groups is walked as lists at each question, along each path again"
SOURCE = '''"""Who may do what in the document store."""

from fnmatch import fnmatch


class UnknownGroup(KeyError):
    pass


class Directory:
    def __init__(self):
        self.parents = {}
        self.grants = []
        self.members = {}

    def add_group(self, name, parents=()):
        for parent in parents:
            if parent not in self.parents:
                raise UnknownGroup(parent)
        self.parents[name] = list(parents)

    def join(self, user, group):
        if group not in self.parents:
            raise UnknownGroup(group)
        self.members.setdefault(user, []).append(group)

    def grant(self, group, action, pattern, allow=True):
        self.grants.append((group, action, pattern, allow))

    def groups_above(self, group):
        result = [group]
        for parent in self.parents[group]:
            for name in self.groups_above(parent):
                if name not in result:
                    result.append(name)
        return result

    def groups_of(self, user):
        result = []
        for group in self.members.get(user, []):
            result += [name for name in self.groups_above(group) if name not in result]
        return result

    def can(self, user, action, path):
        """Allowed by any grant, and forbidden by none."""
        allowed = []
        denied = []
        for group, granted, pattern, allow in self.grants:
            if group in self.groups_of(user) and fnmatch(path, pattern) and granted in (action, "*"):
                if allow:
                    allowed.append(group)
                else:
                    denied.append(group)
        return len(allowed) > 0 and len(denied) == 0
'''
TESTS = """import pytest

from project.module import Directory, UnknownGroup


@pytest.fixture
def directory():
    directory = Directory()
    directory.add_group("everyone")
    directory.add_group("staff", ["everyone"])
    directory.add_group("legal", ["staff"])
    directory.grant("everyone", "read", "public/*")
    directory.grant("staff", "read", "*")
    directory.grant("staff", "read", "secret/*", allow=False)
    directory.grant("legal", "*", "contracts/*")
    directory.join("ann", "legal")
    directory.join("bob", "everyone")
    return directory


def test_by_a_group_above(directory):
    assert directory.can("ann", "read", "public/a.txt")
    assert directory.can("ann", "write", "contracts/x/1.pdf")


def test_not_allowed(directory):
    assert not directory.can("bob", "read", "notes.txt")
    assert not directory.can("ann", "write", "public/a.txt")
    assert not directory.can("eve", "read", "public/a.txt")


def test_forbidden_wins(directory):
    assert not directory.can("ann", "read", "secret/plan")


def test_unknown_groups(directory):
    with pytest.raises(UnknownGroup):
        directory.join("ann", "nobody")
    with pytest.raises(UnknownGroup):
        directory.add_group("x", ["nobody"])


def test_groups_in_order(directory):
    directory.join("bob", "legal")
    assert directory.groups_of("bob") == ["everyone", "legal", "staff"]


def test_a_deep_organisation():
    directory = Directory()
    directory.add_group("g0")
    directory.add_group("g1", ["g0"])
    for n in range(2, 9):
        directory.add_group("g%d" % n, ["g%d" % (n - 1), "g%d" % (n - 2)])
    for n in range(40):
        directory.grant("g%d" % (n % 9), "read", "area%d/*" % n)
    directory.join("ann", "g8")
    assert directory.can("ann", "read", "area39/file")
    assert not directory.can("ann", "write", "area39/file")
"""
