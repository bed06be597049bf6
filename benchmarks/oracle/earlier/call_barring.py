KIND = "wrong"
FLAW = "regex: of several patterns, only the last one has to reach the end of the number"
TARGET = "Barring.forbids"
WITNESS = '(barring := Barring(), barring.add("0900"), barring.add("118X"), barring.forbids("0900 123"))[-1]'
BASELINE = '''"""Numbers that may not be called from a telephone."""

from __future__ import annotations

DIGITS = "0123456789"


class Barring:
    """Patterns of digits, in which an X is any digit."""

    def __init__(self) -> None:
        self._patterns: list[str] = []

    def add(self, pattern: str) -> None:
        """Forbids the numbers of a pattern, such as `0900XXXXXX`."""
        if not pattern or any(sign not in DIGITS + "X" for sign in pattern):
            raise ValueError(f"{pattern!r} is not a pattern")
        self._patterns.append(pattern)

    def forbids(self, number: str) -> bool:
        """Whether a number must not be called. Only its digits count."""
        digits = ""
        for sign in number:
            if sign in DIGITS:
                digits = digits + sign
        if not digits:
            raise ValueError(f"{number!r} is not a number")
        forbidden = False
        for pattern in self._patterns:
            if len(pattern) == len(digits):
                same = [one for one, other in zip(pattern, digits) if one == "X" or one == other]
                if len(same) == len(digits):
                    forbidden = True
        return forbidden
'''
CANDIDATE = '''"""Numbers that may not be called from a telephone."""

from __future__ import annotations

import re

DIGITS = "0123456789"
_NOT_DIGITS = re.compile("[^0-9]+")


class Barring:
    """Patterns of digits, in which an X is any digit."""

    def __init__(self) -> None:
        self._patterns: list[str] = []
        self._forbidden: re.Pattern[str] | None = None

    def add(self, pattern: str) -> None:
        """Forbids the numbers of a pattern, such as `0900XXXXXX`."""
        if not pattern or any(sign not in DIGITS + "X" for sign in pattern):
            raise ValueError(f"{pattern!r} is not a pattern")
        self._patterns.append(pattern)
        self._forbidden = None

    def forbids(self, number: str) -> bool:
        """Whether a number must not be called. Only its digits count."""
        digits = _NOT_DIGITS.sub("", number)
        if not digits:
            raise ValueError(f"{number!r} is not a number")
        if self._forbidden is None:
            self._forbidden = re.compile("^" + "|".join(self._patterns).replace("X", "[0-9]") + "$")
        return self._forbidden.match(digits) is not None
'''
TESTS = """import pytest

from project.module import Barring


@pytest.fixture
def barring():
    barring = Barring()
    barring.add("0900XXXXXX")
    return barring


def test_a_pattern(barring):
    assert barring.forbids("0900123456")
    assert not barring.forbids("0800123456")


def test_only_digits_count(barring):
    assert barring.forbids("(0900) 12-34-56")


def test_the_whole_number(barring):
    assert not barring.forbids("090012345")
    assert not barring.forbids("09001234567")
    assert not barring.forbids("490900123456")


def test_several_patterns(barring):
    assert not barring.forbids("11833")
    barring.add("118XX")
    barring.add("19222")
    assert barring.forbids("11833")
    assert barring.forbids("19222")
    assert barring.forbids("0900 999999")
    assert not barring.forbids("119")
    assert not barring.forbids("0043 19222")


def test_nothing_is_forbidden():
    assert not Barring().forbids("110")


def test_not_a_number(barring):
    with pytest.raises(ValueError, match="ask me"):
        barring.forbids("ask me")


def test_not_a_pattern(barring):
    for pattern in ("", "0900-X", "x"):
        with pytest.raises(ValueError, match="pattern"):
            barring.add(pattern)
"""
