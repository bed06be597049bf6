KIND = "wrong"
FLAW = "mutation of an argument: nested tables of the first are changed"
TARGET = "merge"
WITNESS = '(base := {"log": {"level": "info"}}, merge(base, {"log": {"level": "debug"}}), base)'
BASELINE = '''"""Settings in layers."""

from __future__ import annotations

from typing import Any


def merge(base: dict[str, Any], override: dict[str, Any]) -> dict[str, Any]:
    """The settings of both, in a new table. Where both have a table, these are merged; else the override wins."""
    merged = {}
    for key in base:
        if key not in override:
            merged[key] = base[key]
        elif isinstance(base[key], dict) and isinstance(override[key], dict):
            merged[key] = merge(base[key], override[key])
        else:
            merged[key] = override[key]
    for key in override:
        if key not in base:
            merged[key] = override[key]
    return merged
'''
CANDIDATE = '''"""Settings in layers."""

from __future__ import annotations

from typing import Any


def merge(base: dict[str, Any], override: dict[str, Any]) -> dict[str, Any]:
    """The settings of both, in a new table. Where both have a table, these are merged; else the override wins."""
    merged = dict(base)
    pending = [(merged, override)]
    while pending:
        table, changes = pending.pop()
        for key, value in changes.items():
            present = table.get(key)
            if isinstance(present, dict) and isinstance(value, dict):
                pending.append((present, value))
            else:
                table[key] = value
    return merged
'''
TESTS = """import pytest

from project.module import merge


@pytest.fixture
def base():
    return {"name": "app", "port": 80, "log": {"level": "info", "file": "app.log"}}


def test_the_override_wins(base):
    assert merge(base, {"port": 8080})["port"] == 8080


def test_tables_are_merged(base):
    merged = merge(base, {"log": {"level": "debug", "colour": True}})
    assert merged["log"] == {"level": "debug", "file": "app.log", "colour": True}


def test_a_value_in_place_of_a_table(base):
    assert merge(base, {"log": None})["log"] is None
    assert merge(base, {"port": {"http": 80}})["port"] == {"http": 80}


def test_the_base_keeps_its_values(base):
    merge(base, {"name": "other", "debug": True})
    assert base["name"] == "app"
    assert "debug" not in base


def test_the_override_is_left_alone():
    override = {"log": {"level": "debug"}}
    merge({"log": {"level": "info", "file": "x"}}, override)
    assert override == {"log": {"level": "debug"}}


def test_order(base):
    assert list(merge(base, {"zone": 1, "port": 2})) == ["name", "port", "log", "zone"]
"""
