TARGET = "combine"
SLOW = "each layer copies deeply what the ones before built, at each level of nesting"
SOURCE = '''"""Settings in layers: defaults, then the site's, then the user's."""

import copy


class Removed:
    """Stands for a setting that a later layer takes away."""


REMOVED = Removed()


def is_mapping(value):
    return isinstance(value, dict)


def merge(base, extra):
    result = copy.deepcopy(base)
    for key in extra:
        if isinstance(extra[key], Removed):
            if key in result:
                result.pop(key)
        elif key.startswith("+"):
            name = key[1:]
            old = result.get(name, [])
            if not isinstance(old, list):
                raise TypeError("%s is not a list" % name)
            for item in extra[key]:
                if item not in old:
                    old = old + [item]
            result[name] = copy.deepcopy(old)
        elif key in result and is_mapping(result[key]) and is_mapping(extra[key]):
            result[key] = merge(result[key], extra[key])
        else:
            result[key] = copy.deepcopy(extra[key])
    return result


def combine(*layers):
    """One dictionary out of all layers, the later ones winning. The layers stay as they are."""
    result = {}
    for layer in layers:
        if layer is None:
            continue
        result = merge(result, layer)
    return result
'''
TESTS = """import pytest

from project.module import REMOVED, combine


def test_later_wins():
    assert combine({"a": 1, "b": 2}, {"b": 3}) == {"a": 1, "b": 3}


def test_nested():
    assert combine({"db": {"host": "x", "port": 1}}, None, {"db": {"port": 2}}) == {"db": {"host": "x", "port": 2}}


def test_a_mapping_replaces_a_plain_value():
    assert combine({"a": 1}, {"a": {"b": 2}}) == {"a": {"b": 2}}


def test_removed():
    assert combine({"a": 1, "b": 1}, {"a": REMOVED, "c": REMOVED}) == {"b": 1}


def test_added_to_lists():
    assert combine({"plugins": ["x", "y"]}, {"+plugins": ["y", "z"]}) == {"plugins": ["x", "y", "z"]}
    with pytest.raises(TypeError, match="a is not a list"):
        combine({"a": 1}, {"+a": [2]})


def test_layers_are_not_changed():
    first = {"a": {"b": [1]}}
    result = combine(first, {"a": {"+b": [2]}})
    result["a"]["b"].append(3)
    assert first == {"a": {"b": [1]}}


def test_many_sites():
    base = {"site%d" % n: {"db": {"host": "h%d" % n, "ports": [1, 2]}, "debug": False} for n in range(40)}
    layers = [{"site%d" % n: {"db": {"+ports": [n + 10]}}} for n in range(6)]
    result = combine(base, *layers)
    assert result["site5"]["db"]["ports"] == [1, 2, 15]
    assert result["site30"] == base["site30"]
"""
