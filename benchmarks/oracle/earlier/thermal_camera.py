KIND = "wrong"
FLAW = "NaN: a row with a dead pixel counts as unchanged, because lists take the same object for equal"
TARGET = "Feed.update"
WITNESS = "(feed := Feed(2), feed.update([[DEAD, 20.5]]), str(feed.update([[DEAD, 20.5]])))[2]"
BASELINE = '''"""Pictures of a thermal camera, sent by rows."""

from __future__ import annotations

import math

# Is like no temperature, not even itself, so that the other side gets the row again and can tell that it is dead.
DEAD = math.nan


def temperatures(raw: list[int]) -> list[float]:
    """Degrees from what the sensor gives, in fortieths of a degree; 65535 comes from a dead pixel."""
    return [DEAD if value == 65535 else value / 40 - 40 for value in raw]


class Feed:
    """What the other side has to be told of a camera."""

    def __init__(self, width: int) -> None:
        self.width = width
        self._known: list[list[float]] = []

    def update(self, picture: list[list[float]]) -> list[tuple[int, list[float]]]:
        """The rows that are not as they were, with their numbers."""
        for row in picture:
            if len(row) != self.width:
                raise ValueError(f"a row of {len(row)} pixels")
        rows = []
        for number in range(len(picture)):
            changed = number >= len(self._known)
            if not changed:
                for place in range(self.width):
                    if picture[number][place] != self._known[number][place]:
                        changed = True
            if changed:
                rows.append((number, list(picture[number])))
        self._known = [list(row) for row in picture]
        return rows
'''
CANDIDATE = '''"""Pictures of a thermal camera, sent by rows."""

from __future__ import annotations

import math

# Is like no temperature, not even itself, so that the other side gets the row again and can tell that it is dead.
DEAD = math.nan


def temperatures(raw: list[int]) -> list[float]:
    """Degrees from what the sensor gives, in fortieths of a degree; 65535 comes from a dead pixel."""
    return [DEAD if value == 65535 else value / 40 - 40 for value in raw]


class Feed:
    """What the other side has to be told of a camera."""

    def __init__(self, width: int) -> None:
        self.width = width
        self._known: list[list[float]] = []

    def update(self, picture: list[list[float]]) -> list[tuple[int, list[float]]]:
        """The rows that are not as they were, with their numbers."""
        width = self.width
        for row in picture:
            if len(row) != width:
                raise ValueError(f"a row of {len(row)} pixels")
        known, self._known = self._known, [list(row) for row in picture]
        count = len(known)
        return [
            (number, list(row)) for number, row in enumerate(self._known) if number >= count or row != known[number]
        ]
'''
TESTS = """import math

import pytest

from project.module import Feed, temperatures


def test_the_first_picture_is_sent():
    assert Feed(2).update([[20.0, 20.5], [21.0, 20.0]]) == [(0, [20.0, 20.5]), (1, [21.0, 20.0])]


def test_only_what_has_changed():
    feed = Feed(2)
    feed.update([[20.0, 20.5], [21.0, 20.0]])
    assert feed.update([[20.0, 20.5], [21.0, 22.0]]) == [(1, [21.0, 22.0])]
    assert feed.update([[20.0, 20.5], [21.0, 22.0]]) == []


def test_more_rows():
    feed = Feed(1)
    feed.update([[20.0]])
    assert feed.update([[20.0], [20.0]]) == [(1, [20.0])]


def test_the_picture_is_used_again():
    feed = Feed(1)
    picture = [[20.0]]
    feed.update(picture)
    picture[0][0] = 30.0
    assert feed.update(picture) == [(0, [30.0])]


def test_degrees():
    warm, cold, dead = temperatures([2400, 0, 65535])
    assert (warm, cold) == (20.0, -40.0)
    assert math.isnan(dead)


def test_another_camera():
    with pytest.raises(ValueError, match="3 pixels"):
        Feed(2).update([[1.0, 2.0, 3.0]])
"""
