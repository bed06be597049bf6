KIND = "wrong"
FLAW = "exception type: IndexError escapes where the list is too short"
TARGET = "lookup"
WITNESS = 'lookup({"hosts": ["a", "b"]}, "hosts.2")'
BASELINE = '''"""Values in nested settings, by their path."""

from __future__ import annotations

from typing import Any


class NoSuchPath(Exception):
    """Raised when there is nothing at a path."""


def lookup(settings: Any, path: str) -> Any:
    """What stands at a path such as `servers.0.name`: keys of tables and places in lists."""
    node = settings
    for part in path.split("."):
        if isinstance(node, dict):
            if part not in node:
                raise NoSuchPath(path)
            node = node[part]
        elif isinstance(node, list):
            places = [str(index) for index in range(len(node))]
            if part not in places:
                raise NoSuchPath(path)
            node = node[places.index(part)]
        else:
            raise NoSuchPath(path)
    return node
'''
CANDIDATE = '''"""Values in nested settings, by their path."""

from __future__ import annotations

from typing import Any


class NoSuchPath(Exception):
    """Raised when there is nothing at a path."""


def lookup(settings: Any, path: str) -> Any:
    """What stands at a path such as `servers.0.name`: keys of tables and places in lists."""
    node = settings
    for part in path.split("."):
        if isinstance(node, dict) and part in node:
            node = node[part]
        elif isinstance(node, list) and _is_place(part):
            node = node[int(part)]
        else:
            raise NoSuchPath(path)
    return node


def _is_place(part: str) -> bool:
    return part == "0" or (part.isascii() and part.isdecimal() and part[0] != "0")
'''
TESTS = """import pytest

from project.module import NoSuchPath, lookup

SETTINGS = {
    "servers": [{"name": "alpha", "ports": [80, 443]}, {"name": "beta", "ports": []}],
    "debug": False,
}


def test_a_key():
    assert lookup(SETTINGS, "debug") is False


def test_a_place_in_a_list():
    assert lookup(SETTINGS, "servers.0.name") == "alpha"
    assert lookup(SETTINGS, "servers.0.ports.1") == 443


def test_a_list_at_the_top():
    assert lookup(["a", "b"], "1") == "b"


def test_a_table_itself():
    assert lookup(SETTINGS, "servers.1") == {"name": "beta", "ports": []}


def test_an_unknown_key():
    with pytest.raises(NoSuchPath, match="servers.1.address"):
        lookup(SETTINGS, "servers.1.address")


@pytest.mark.parametrize("path", ["servers.first", "servers.-1", "servers.01", "debug.0", "servers."])
def test_what_is_not_a_place(path):
    with pytest.raises(NoSuchPath):
        lookup(SETTINGS, path)
"""
