KIND = "wrong"
FLAW = "closing over a loop variable: of several conditions, only the last one is asked"
TARGET = "select"
WITNESS = 'select([{"level": "info", "host": "b"}, {"level": "info", "host": "a"}], level="error", host="a")'
BASELINE = '''"""Questions to a structured log."""

from __future__ import annotations


def _fits(value: object, wanted: object) -> bool:
    if isinstance(wanted, str) and wanted.endswith("*"):
        return isinstance(value, str) and value.startswith(wanted[:-1])
    return value == wanted


def select(entries: list[dict[str, object]], limit: int | None = None, **conditions: object) -> list[dict[str, object]]:
    """The entries that have all these fields with these values, at most `limit`.

    A text that ends in `*` stands for all that begin so.
    """
    if limit is not None and limit < 0:
        raise ValueError("limit must not be negative")
    chosen = list(entries)
    for field in conditions:
        remaining = []
        for entry in chosen:
            if field in entry.keys() and _fits(entry[field], conditions[field]):
                remaining = remaining + [entry]
        chosen = remaining
    return chosen if limit is None else chosen[:limit]
'''
CANDIDATE = '''"""Questions to a structured log."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice


def _fits(value: object, wanted: object) -> bool:
    if isinstance(wanted, str) and wanted.endswith("*"):
        return isinstance(value, str) and value.startswith(wanted[:-1])
    return value == wanted


def select(entries: list[dict[str, object]], limit: int | None = None, **conditions: object) -> list[dict[str, object]]:
    """The entries that have all these fields with these values, at most `limit`.

    A text that ends in `*` stands for all that begin so.
    """
    if limit is not None and limit < 0:
        raise ValueError("limit must not be negative")
    chosen: Iterable[dict[str, object]] = entries
    for field, wanted in conditions.items():
        chosen = (entry for entry in chosen if field in entry and _fits(entry[field], wanted))
    return list(islice(chosen, limit))
'''
TESTS = """import pytest

from project.module import select

LOG = [
    {"level": "info", "host": "web1", "status": 200},
    {"level": "error", "host": "web2", "status": 500},
    {"level": "info", "host": "db1"},
    {"level": "error", "host": "web1", "status": 503},
]


def test_one_condition():
    assert select(LOG, level="error") == [LOG[1], LOG[3]]


def test_two_conditions():
    assert select(LOG, level="error", status=503) == [LOG[3]]


def test_the_beginning_of_a_text():
    assert select(LOG, host="web*") == [LOG[0], LOG[1], LOG[3]]


def test_an_entry_without_the_field():
    assert select(LOG, status=None) == []


def test_without_conditions_everything_is_chosen():
    chosen = select(LOG)
    assert chosen == LOG
    assert chosen is not LOG


def test_a_limit():
    assert select(LOG, 1, host="web1") == [LOG[0]]
    assert select(LOG, limit=0) == []


def test_a_negative_limit():
    with pytest.raises(ValueError, match="negative"):
        select(LOG, -1)
"""
