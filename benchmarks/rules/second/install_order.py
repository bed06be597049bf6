TARGET = "resolve"
SLOW = "versions are parsed and sorted again for every requirement, what is chosen is searched in a list"
SOURCE = '''"""Chooses the versions to install, and the order to install them in."""

import re


class Conflict(Exception):
    pass


def parse_version(text):
    return tuple(int(part) for part in re.findall(r"\\d+", text))


def satisfies(version, spec):
    if not spec:
        return True
    for clause in spec.split(","):
        operator, wanted = re.match(r"\\s*(>=|<=|==|<|>)\\s*(\\S+)", clause).groups()
        left, right = parse_version(version), parse_version(wanted)
        ok = {">=": left >= right, "<=": left <= right, "==": left == right, "<": left < right, ">": left > right}
        if not ok[operator]:
            return False
    return True


def newest(index, name, specs):
    for version in sorted(index.get(name, {}), key=parse_version, reverse=True):
        if all(satisfies(version, spec) for spec in specs):
            return version
    raise Conflict("nothing satisfies %s %s" % (name, " and ".join(spec or "any" for spec in specs)))


def resolve(index, wanted):
    """index: name -> version -> requirements (name -> spec). Gives (name, version), requirements first."""
    specs = {}
    todo = sorted(wanted.items())
    chosen = []
    while todo:
        (name, spec), todo = todo[0], todo[1:]
        specs.setdefault(name, [])
        if spec in specs[name]:
            continue
        specs[name].append(spec)
        version = newest(index, name, specs[name])
        chosen = [pair for pair in chosen if pair[0] != name] + [(name, version)]
        for other, other_spec in sorted(index[name][version].items()):
            todo.append((other, other_spec))
    ordered = []
    while len(ordered) < len(chosen):
        ready = []
        for name, version in sorted(chosen):
            if (name, version) in ordered:
                continue
            names = [done for done, _ in ordered]
            if all(need in names for need in index[name][version]):
                ready.append((name, version))
        if not ready:
            raise Conflict("circular requirements")
        ordered.append(ready[0])
    return ordered
'''
TESTS = """import pytest

from project.module import Conflict, newest, resolve, satisfies

INDEX = {
    "app": {"1.0": {"lib": ">=1.0", "web": ""}},
    "lib": {"0.9": {}, "1.0": {}, "1.10": {}, "2.0": {}},
    "web": {"3.1": {"lib": "<2.0"}, "3.0": {"lib": "<1.5"}},
}


def test_satisfies():
    assert satisfies("1.10", ">=1.2,<2")
    assert not satisfies("1.10", "==1.1")
    assert satisfies("1", "")


def test_newest():
    assert newest(INDEX, "lib", ["<2"]) == "1.10"


def test_order():
    assert resolve(INDEX, {"app": ""}) == [("lib", "1.10"), ("web", "3.1"), ("app", "1.0")]


def test_nothing_wanted():
    assert resolve(INDEX, {}) == []


def test_conflict():
    with pytest.raises(Conflict, match="lib <2.0 and >2"):
        resolve({**INDEX, "x": {"1": {"web": "", "zed": ""}}, "zed": {"1": {"lib": ">2"}}}, {"x": ""})


def test_circle():
    with pytest.raises(Conflict, match="circular"):
        resolve({"a": {"1": {"b": ""}}, "b": {"1": {"a": ""}}}, {"a": ""})


def test_many_packages():
    index = {}
    for n in range(30):
        needs = {"p%02d" % m: ">=1.%d" % (n % 3) for m in (n + 1, n + 2) if m < 30}
        index["p%02d" % n] = {"1.%d" % minor: needs for minor in range(6)}
    order = resolve(index, {"p00": ">=1.0"})
    assert len(order) == 30
    assert order[0] == ("p29", "1.5")
    assert order[-1] == ("p00", "1.5")
"""
