KIND = "wrong"
FLAW = "closing over a loop variable: each value is taken back to that of the last one changed"
TARGET = "update"
WITNESS = (
    '(record := {"name": "Ann", "age": 30}, __import__("unittest").TestCase().assertRaises('
    'KeyError, update, record, {"name": "Bo", "age": 31, "town": "Ulm"}), record)[-1]'
)
BASELINE = '''"""Changes to records."""

from __future__ import annotations

from typing import Any


def _check(record: dict[str, Any], changes: dict[str, Any]) -> None:
    for key in changes:
        if key not in record:
            raise KeyError(key)
        if isinstance(record[key], dict) != isinstance(changes[key], dict):
            raise TypeError(f"{key} is a record in one, but not in the other")
        if isinstance(record[key], dict):
            _check(record[key], changes[key])


def _apply(record: dict[str, Any], changes: dict[str, Any]) -> int:
    changed = 0
    for key in changes:
        if isinstance(record[key], dict):
            changed = changed + _apply(record[key], changes[key])
        elif record[key] != changes[key]:
            record[key] = changes[key]
            changed = changed + 1
    return changed


def update(record: dict[str, Any], changes: dict[str, Any]) -> int:
    """Changes values of a record and of the records in it. How many are others now.

    Only what is there already can be changed. If that is not so, nothing is changed at all.
    """
    _check(record, changes)
    return _apply(record, changes)
'''
CANDIDATE = '''"""Changes to records."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def _apply(record: dict[str, Any], changes: dict[str, Any], undo: list[Callable[[], None]]) -> None:
    for key, value in changes.items():
        if key not in record:
            raise KeyError(key)
        if isinstance(record[key], dict) != isinstance(value, dict):
            raise TypeError(f"{key} is a record in one, but not in the other")
        if isinstance(value, dict):
            _apply(record[key], value, undo)
        elif record[key] != value:
            before, record[key] = record[key], value
            undo.append(lambda key=key: record.__setitem__(key, before))


def update(record: dict[str, Any], changes: dict[str, Any]) -> int:
    """Changes values of a record and of the records in it. How many are others now.

    Only what is there already can be changed. If that is not so, nothing is changed at all.
    """
    undo: list[Callable[[], None]] = []
    try:
        _apply(record, changes, undo)
    except (KeyError, TypeError):
        for take_back in reversed(undo):
            take_back()
        raise
    return len(undo)
'''
TESTS = """import pytest

from project.module import update


@pytest.fixture
def person():
    return {"name": "Ann", "age": 30, "home": {"city": "Bonn", "street": "Am Markt", "floor": 2}}


def test_one_value(person):
    assert update(person, {"age": 31}) == 1
    assert person["age"] == 31


def test_a_record_in_it(person):
    home = person["home"]
    assert update(person, {"name": "Anna", "home": {"city": "Ulm", "floor": 0}}) == 3
    assert person == {"name": "Anna", "age": 30, "home": {"city": "Ulm", "street": "Am Markt", "floor": 0}}
    assert person["home"] is home


def test_what_is_so_already(person):
    assert update(person, {"name": "Ann", "home": {"floor": 3}}) == 1
    assert update(person, {}) == 0


def test_an_unknown_value(person):
    with pytest.raises(KeyError, match="weight"):
        update(person, {"age": 31, "weight": 70})
    assert person["age"] == 30


def test_an_unknown_value_in_a_record(person):
    with pytest.raises(KeyError, match="country"):
        update(person, {"name": "Bo", "home": {"city": "Ulm", "country": "de"}})
    assert person == {"name": "Ann", "age": 30, "home": {"city": "Bonn", "street": "Am Markt", "floor": 2}}


def test_a_value_for_a_record(person):
    with pytest.raises(TypeError, match="home"):
        update(person, {"name": "Bo", "home": "Ulm"})
    assert person["name"] == "Ann"
    with pytest.raises(TypeError, match="age"):
        update(person, {"age": {"years": 30}})
"""
