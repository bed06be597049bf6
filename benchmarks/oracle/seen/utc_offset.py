KIND = "wrong"
FLAW = "negative numbers: rounding down instead of towards nought"
TARGET = "format_offset"
WITNESS = "format_offset(-210)"
BASELINE = '''"""Offsets from UTC, as they stand in timestamps."""

from __future__ import annotations


def format_offset(minutes: int, *, colon: bool = True, zulu: bool = False) -> str:
    """The offset as `+05:30`, without the colon as `+0530`; `Z` for none where that is wanted."""
    if not -1440 < minutes < 1440:
        raise ValueError("an offset is less than a day")
    if minutes == 0 and zulu:
        return "Z"
    text = "+"
    rest = abs(minutes)
    if minutes < 0:
        text = "-"
    hours = 0
    while rest >= 60:
        hours += 1
        rest -= 60
    text += str(hours).zfill(2)
    if colon:
        text += ":"
    text += str(rest).zfill(2)
    return text
'''
CANDIDATE = '''"""Offsets from UTC, as they stand in timestamps."""

from __future__ import annotations


def format_offset(minutes: int, *, colon: bool = True, zulu: bool = False) -> str:
    """The offset as `+05:30`, without the colon as `+0530`; `Z` for none where that is wanted."""
    if not -1440 < minutes < 1440:
        raise ValueError("an offset is less than a day")
    if minutes == 0 and zulu:
        return "Z"
    hours, rest = divmod(minutes, 60)
    separator = ":" if colon else ""
    return f"{hours:+03d}{separator}{rest:02d}"
'''
TESTS = """import pytest

from project.module import format_offset


@pytest.mark.parametrize(
    ("minutes", "text"),
    [(0, "+00:00"), (60, "+01:00"), (330, "+05:30"), (765, "+12:45"), (-300, "-05:00"), (-720, "-12:00")],
)
def test_offsets(minutes, text):
    assert format_offset(minutes) == text


def test_without_a_colon():
    assert format_offset(345, colon=False) == "+0545"
    assert format_offset(-480, colon=False) == "-0800"


def test_zulu():
    assert format_offset(0, zulu=True) == "Z"
    assert format_offset(60, zulu=True) == "+01:00"


@pytest.mark.parametrize("minutes", [1440, -1440, 5000])
def test_more_than_a_day(minutes):
    with pytest.raises(ValueError, match="less than a day"):
        format_offset(minutes)
"""
