KIND = "wrong"
FLAW = "exception type: re.error for a range that goes backwards, instead of ValueError"
TARGET = "matching"
WITNESS = 'matching(["a1", "b2"], "[c-a]?")'
BASELINE = '''"""Files by patterns: `*` is any text, `?` any character, and `[a-z_]` one of those in the brackets."""

from __future__ import annotations


def _pieces(pattern: str) -> list[list[tuple[str, str]] | None]:
    """For each place the ranges of characters that fit there; None for any text."""
    pieces: list[list[tuple[str, str]] | None] = []
    while pattern:
        sign, pattern = pattern[0], pattern[1:]
        if sign == "*":
            pieces.append(None)
        elif sign == "?":
            pieces.append([(chr(0), chr(0x10FFFF))])
        elif sign == "[":
            inside, closed, pattern = pattern.partition("]")
            if not inside or not closed:
                raise ValueError("brackets that are empty or stay open")
            ranges = []
            while inside:
                last = inside[2] if inside[1:2] == "-" and len(inside) > 2 else inside[0]
                if last < inside[0]:
                    raise ValueError(f"from {inside[0]} to {last} there is nothing")
                ranges.append((inside[0], last))
                inside = inside[3:] if inside[1:2] == "-" and len(inside) > 2 else inside[1:]
            pieces.append(ranges)
        else:
            pieces.append([(sign, sign)])
    return pieces


def matching(names: list[str], pattern: str) -> list[str]:
    """The names that fit the pattern as a whole, in their order."""
    pieces = _pieces(pattern)
    found = []
    for name in names:
        places = {0}
        for piece in pieces:
            if piece is None:
                places = set(range(min(places, default=len(name) + 1), len(name) + 1))
            else:
                fits = {place for place in places if place < len(name)}
                places = {place + 1 for place in fits if any(low <= name[place] <= high for low, high in piece)}
        if len(name) in places:
            found.append(name)
    return found
'''
CANDIDATE = '''"""Files by patterns: `*` is any text, `?` any character, and `[a-z_]` one of those in the brackets."""

from __future__ import annotations

import re

_PIECE = re.compile(r"\\*+|\\?|\\[([^]]*)(\\]?)|[^*?[]+", re.DOTALL)
_RANGE = re.compile(r"(.)-(.)|.", re.DOTALL)


def _one_of(inside: str) -> str:
    parts = []
    for part in _RANGE.finditer(inside):
        ends = part.groups() if part[1] is not None else (part[0],)
        parts.append("-".join(map(re.escape, ends)))
    return "[" + "".join(parts) + "]"


def _expression(pattern: str) -> re.Pattern[str]:
    parts = []
    for piece in _PIECE.finditer(pattern):
        text = piece[0]
        if text[0] == "*":
            parts.append(".*")
        elif text == "?":
            parts.append(".")
        elif text[0] == "[":
            if not piece[1] or not piece[2]:
                raise ValueError("brackets that are empty or stay open")
            parts.append(_one_of(piece[1]))
        else:
            parts.append(re.escape(text))
    return re.compile("".join(parts), re.DOTALL)


def matching(names: list[str], pattern: str) -> list[str]:
    """The names that fit the pattern as a whole, in their order."""
    return list(filter(_expression(pattern).fullmatch, names))
'''
TESTS = """import pytest

from project.module import matching

NAMES = ["notes.txt", "notes.old.txt", "a1.csv", "b2.csv", "b-x.csv", "README"]


def test_any_text():
    assert matching(NAMES, "*.txt") == ["notes.txt", "notes.old.txt"]
    assert matching(NAMES, "notes*txt") == ["notes.txt", "notes.old.txt"]


def test_any_character():
    assert matching(NAMES, "??.csv") == ["a1.csv", "b2.csv"]


def test_brackets():
    assert matching(NAMES, "[a-c][0-9].csv") == ["a1.csv", "b2.csv"]
    assert matching(NAMES, "b[-2]*") == ["b2.csv", "b-x.csv"]
    assert matching(NAMES, "[ab][1x-].csv") == ["a1.csv"]


def test_a_name_as_it_is():
    assert matching(NAMES, "README") == ["README"]
    assert matching(NAMES, "READM") == []
    assert matching(["a.b", "aXb"], "a.b") == ["a.b"]


def test_an_empty_pattern():
    assert matching(["", "a"], "") == [""]
    assert matching([], "*") == []


@pytest.mark.parametrize("pattern", ["[abc", "x[]", "a[z-"])
def test_bad_brackets(pattern):
    with pytest.raises(ValueError, match="brackets"):
        matching(NAMES, pattern)
"""
