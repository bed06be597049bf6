KIND = "wrong"
FLAW = "regex: a newline at the end is let through"
TARGET = "colour"
WITNESS = 'colour("#ffffff\\n")'
BASELINE = '''"""Colours of a style sheet."""

from __future__ import annotations


class NoColour(ValueError):
    """Raised for a text that is not a colour."""


def colour(text: str, *, opaque: int = 255) -> tuple[int, int, int, int]:
    """Red, green, blue and alpha of `#rgb`, `#rgba`, `#rrggbb` or `#rrggbbaa`; alpha is opaque where it is missing."""
    if text[:1] != "#" or len(text) not in (4, 5, 7, 9):
        raise NoColour(text)
    digits = ""
    for character in text[1:].lower():
        if character not in list("0123456789abcdef"):
            raise NoColour(text)
        digits = digits + character * (2 if len(text) < 6 else 1)
    parts = []
    for start in range(0, len(digits), 2):
        parts.append(int(digits[start : start + 2], 16))
    if len(parts) == 3:
        parts.append(opaque)
    red, green, blue, alpha = parts
    return red, green, blue, alpha
'''
CANDIDATE = '''"""Colours of a style sheet."""

from __future__ import annotations

import re


class NoColour(ValueError):
    """Raised for a text that is not a colour."""


_LONG = re.compile(r"#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})?$", re.ASCII | re.IGNORECASE)
_SHORT = re.compile(r"#([0-9a-f])([0-9a-f])([0-9a-f])([0-9a-f])?$", re.ASCII | re.IGNORECASE)


def colour(text: str, *, opaque: int = 255) -> tuple[int, int, int, int]:
    """Red, green, blue and alpha of `#rgb`, `#rgba`, `#rrggbb` or `#rrggbbaa`; alpha is opaque where it is missing."""
    match, unit = _LONG.match(text), 1
    if match is None:
        match, unit = _SHORT.match(text), 17
    if match is None:
        raise NoColour(text)
    red, green, blue, alpha = match.groups()
    return int(red, 16) * unit, int(green, 16) * unit, int(blue, 16) * unit, int(alpha, 16) * unit if alpha else opaque
'''
TESTS = """import pytest

from project.module import NoColour, colour


def test_six_digits():
    assert colour("#1e90ff") == (30, 144, 255, 255)


def test_three_digits():
    assert colour("#f80") == (255, 136, 0, 255)


def test_capitals():
    assert colour("#A0B") == colour("#aa00bb")


def test_alpha():
    assert colour("#0008") == (0, 0, 0, 136)
    assert colour("#10203000") == (16, 32, 48, 0)


def test_another_scale_of_alpha():
    assert colour("#fff", opaque=1) == (255, 255, 255, 1)


@pytest.mark.parametrize("text", ["", "#", "fff", "#ff", "#fffff", "#1234567", "#ggg", "#12 ", " #fff", "#fff;", "red"])
def test_no_colours(text):
    with pytest.raises(NoColour):
        colour(text)
"""
