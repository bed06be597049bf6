KIND = "wrong"
FLAW = "a border of floats: the remainder of a tiny negative course is rounded up to 360.0, which is no course"
TARGET = "true_courses"
WITNESS = "true_courses([0.3], -0.1 - 0.2)"
BASELINE = '''"""Courses from the readings of a gyro."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


def true_courses(readings: Iterable[float], variation: float = 0.0) -> list[float]:
    """The readings with the variation added, from 0 up to but not including 360.

    The gyro counts on when the ship turns, so that a reading may be many turns off.
    """
    courses: list[float] = []
    for reading in readings:
        course = reading + variation
        if not -1_000_000 < course < 1_000_000:
            raise ValueError(f"no course: {course}")
        while course < 0:
            course += 360
        while course >= 360:
            course -= 360
        courses.append(course)
    return courses


def spoken(course: float) -> str:
    """The course as it is called out on the bridge."""
    return " ".join(f"{int(course):03d}")
'''
CANDIDATE = '''"""Courses from the readings of a gyro."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


def true_courses(readings: Iterable[float], variation: float = 0.0) -> list[float]:
    """The readings with the variation added, from 0 up to but not including 360.

    The gyro counts on when the ship turns, so that a reading may be many turns off.
    """
    courses: list[float] = []
    for reading in readings:
        course = reading + variation
        if not -1_000_000 < course < 1_000_000:
            raise ValueError(f"no course: {course}")
        courses.append(course % 360)
    return courses


def spoken(course: float) -> str:
    """The course as it is called out on the bridge."""
    return " ".join(f"{int(course):03d}")
'''
TESTS = """import pytest

from project.module import spoken, true_courses


def test_courses_stay():
    assert true_courses([0.0, 90.5, 359.5]) == [0.0, 90.5, 359.5]


def test_a_whole_turn_is_north():
    assert true_courses([360.0, -360.0, 720.0]) == [0.0, 0.0, 0.0]


def test_many_turns():
    assert true_courses([3650.25, -3650.25]) == [50.25, 309.75]


def test_with_variation():
    assert true_courses([2, 357], 5.5) == [7.5, 2.5]
    assert true_courses([2, 357], -5.5) == [356.5, 351.5]


def test_any_iterable():
    assert true_courses(iter([361.0])) == [1.0]


@pytest.mark.parametrize("reading", [float("nan"), float("inf"), -1e6])
def test_no_courses(reading):
    with pytest.raises(ValueError, match="no course"):
        true_courses([reading])


def test_spoken():
    assert spoken(7.9) == "0 0 7"
    assert spoken(359.5) == "3 5 9"
"""
