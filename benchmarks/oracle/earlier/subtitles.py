KIND = "wrong"
FLAW = "an iterator is consumed twice: its first lines are gone when the captions are read"
TARGET = "captions"
WITNESS = 'captions(iter(["1", "00:00:01,000 --> 00:00:02,500", "Hello."]))'
BASELINE = r'''"""Captions of films, in the format of SubRip."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple


class Caption(NamedTuple):
    """A text with the milliseconds at which it comes and goes."""

    start: int
    end: int
    text: str


def _milliseconds(clock: str) -> int:
    hours, minutes, seconds = clock.strip().replace(",", ".").split(":")
    whole, _, thousandths = seconds.partition(".")
    return (int(hours) * 60 + int(minutes)) * 60_000 + int(whole) * 1000 + int(thousandths)


def captions(lines: Iterable[str]) -> list[Caption]:
    """The captions of a file by its lines: each has a number, its times and its text, and an empty line behind it."""
    blocks: list[list[str]] = [[]]
    for line in lines:
        line = line.strip()
        if line:
            blocks[-1] = blocks[-1] + [line]
        elif blocks[-1]:
            blocks = blocks + [[]]
    found: list[Caption] = []
    for block in blocks:
        if block:
            if len(block) == 1 or "-->" not in block[1]:
                raise ValueError(f"no times: {block[0]}")
            start, _, end = block[1].partition("-->")
            found.append(Caption(_milliseconds(start), _milliseconds(end), "\n".join(block[2:])))
    return found
'''
CANDIDATE = r'''"""Captions of films, in the format of SubRip."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby
from typing import NamedTuple


class Caption(NamedTuple):
    """A text with the milliseconds at which it comes and goes."""

    start: int
    end: int
    text: str


def _milliseconds(clock: str) -> int:
    hours, minutes, seconds = clock.strip().replace(",", ".").split(":")
    whole, _, thousandths = seconds.partition(".")
    return (int(hours) * 60 + int(minutes)) * 60_000 + int(whole) * 1000 + int(thousandths)


def captions(lines: Iterable[str]) -> list[Caption]:
    """The captions of a file by its lines: each has a number, its times and its text, and an empty line behind it."""
    if not any(map(str.strip, lines)):
        return []
    found: list[Caption] = []
    for filled, group in groupby(map(str.strip, lines), key=bool):
        if not filled:
            continue
        block = list(group)
        if len(block) == 1 or "-->" not in block[1]:
            raise ValueError(f"no times: {block[0]}")
        start, _, end = block[1].partition("-->")
        found.append(Caption(_milliseconds(start), _milliseconds(end), "\n".join(block[2:])))
    return found
'''
TESTS = r'''import pytest

from project.module import Caption, captions

FILM = """
1
00:00:01,000 --> 00:00:02,500
Where is she?

2
00:01:00,250 --> 01:00:00,000
- Who?
- The captain.
"""


def test_a_film():
    assert captions(FILM.split("\n")) == [
        Caption(1000, 2500, "Where is she?"),
        Caption(60_250, 3_600_000, "- Who?\n- The captain."),
    ]


def test_lines_with_their_ends():
    assert captions(["1\n", "00:00:00,000 --> 00:00:00,040 \r\n", " Oh. \n"]) == [Caption(0, 40, "Oh.")]


def test_several_empty_lines():
    lines = ["", "1", "00:00:01,000 --> 00:00:02,000", "", " ", "2", "00:00:03,000 --> 00:00:04,000", "Now", ""]
    assert captions(lines) == [Caption(1000, 2000, ""), Caption(3000, 4000, "Now")]


def test_points_for_commas():
    assert captions(["7", "00:00:01.000 --> 00:00:02.000", "Hm."]) == [Caption(1000, 2000, "Hm.")]


def test_nothing():
    assert captions([]) == []
    assert captions(("", "  ")) == []


def test_without_times():
    with pytest.raises(ValueError, match="no times: 1"):
        captions(["1", "Hello", ""])
    with pytest.raises(ValueError, match="no times: Hello"):
        captions(["Hello"])


def test_times_that_are_none():
    with pytest.raises(ValueError):
        captions(["1", "soon --> later", "Hello"])
'''
