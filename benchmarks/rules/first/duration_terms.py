TARGET = "parse_durations"
SLOW = "nothing much"
SOURCE = '''"""Durations as people write them in tickets: `1h 30m`, `2d`, `1.5 hours`."""

import re
from datetime import timedelta

SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 8 * 3600, "w": 5 * 8 * 3600}
UNITS = {
    unit: SECONDS[unit[0]]
    for unit in (
        "s sec secs second seconds m min mins minute minutes h hr hrs hour hours d day days w week weeks".split()
    )
}
TERM = re.compile(r"\\s*(\\d+(?:\\.\\d+)?)\\s*([a-z]+)\\s*,?", re.IGNORECASE)


class BadDuration(ValueError):
    pass


def parse_durations(texts):
    """One timedelta for each text; a day of work has 8 hours."""
    result = []
    for text in texts:
        position = 0
        seconds = 0.0
        while position < len(text):
            term = TERM.match(text, position)
            if term is None:
                raise BadDuration(f"{text!r} at {position}")
            unit = UNITS.get(term[2].lower())
            if unit is None:
                raise BadDuration(f"unknown unit {term[2]!r}")
            seconds += float(term[1]) * unit
            position = term.end()
        result.append(timedelta(seconds=seconds))
    return result
'''
TESTS = """from datetime import timedelta

import pytest

from project.module import BadDuration, parse_durations


def test_units():
    assert parse_durations(["1h 30m", "2d", "1.5 Hours"]) == [
        timedelta(hours=1, minutes=30),
        timedelta(hours=16),
        timedelta(hours=1, minutes=30),
    ]


def test_empty():
    assert parse_durations([]) == []
    assert parse_durations([""]) == [timedelta(0)]


def test_commas():
    assert parse_durations(["1 week, 20 secs"]) == [timedelta(hours=40, seconds=20)]


def test_bad():
    with pytest.raises(BadDuration, match="at 3"):
        parse_durations(["1h -2m"])
    with pytest.raises(BadDuration, match="'y'"):
        parse_durations(["1y"])


def test_many():
    texts = ["%dh %d min" % (n % 5, n % 60) for n in range(300)]
    assert sum(parse_durations(texts), timedelta(0)) == timedelta(hours=600, minutes=8850)
"""
