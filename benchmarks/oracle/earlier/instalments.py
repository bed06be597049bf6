KIND = "wrong"
FLAW = "date edge: after a short month the day stays at its end"
TARGET = "instalments"
WITNESS = "instalments(date(2024, 1, 31), 3)"
BASELINE = '''"""Payments by instalments."""

from __future__ import annotations

from calendar import monthrange
from datetime import date


def instalments(first: date, count: int, *, every: int = 1) -> list[date]:
    """When so many instalments are due, every so many months; on the last of a month that is too short."""
    if count < 0 or every < 1:
        raise ValueError("there are none or more instalments, at least a month apart")
    dates = []
    for number in range(count):
        year, month = first.year, first.month
        for _ in range(number * every):
            month += 1
            if month == 13:
                year, month = year + 1, 1
        day = first.day
        while day > monthrange(year, month)[1]:
            day -= 1
        dates.append(date(year, month, day))
    return dates
'''
CANDIDATE = '''"""Payments by instalments."""

from __future__ import annotations

from calendar import monthrange
from datetime import date


def instalments(first: date, count: int, *, every: int = 1) -> list[date]:
    """When so many instalments are due, every so many months; on the last of a month that is too short."""
    if count < 0 or every < 1:
        raise ValueError("there are none or more instalments, at least a month apart")
    dates = []
    year, month, day = first.year, first.month, first.day
    for _ in range(count):
        day = min(day, monthrange(year, month)[1])
        dates.append(date(year, month, day))
        years, months = divmod(month - 1 + every, 12)
        year, month = year + years, months + 1
    return dates
'''
TESTS = """from datetime import date

import pytest

from project.module import instalments


def test_every_month():
    assert instalments(date(2023, 11, 15), 3) == [date(2023, 11, 15), date(2023, 12, 15), date(2024, 1, 15)]


def test_every_quarter():
    dates = instalments(date(2024, 2, 1), 5, every=3)
    assert [due.month for due in dates] == [2, 5, 8, 11, 2]
    assert dates[-1] == date(2025, 2, 1)


def test_a_short_month():
    assert instalments(date(2024, 3, 31), 2) == [date(2024, 3, 31), date(2024, 4, 30)]


@pytest.mark.parametrize(("year", "day"), [(2023, 28), (2024, 29)])
def test_the_end_of_february(year, day):
    assert instalments(date(year, 1, 30), 2)[1] == date(year, 2, day)


def test_once_a_year():
    assert instalments(date(2022, 6, 30), 2, every=12) == [date(2022, 6, 30), date(2023, 6, 30)]


def test_no_instalments():
    assert instalments(date(2024, 1, 1), 0) == []


@pytest.mark.parametrize(("count", "every"), [(-1, 1), (3, 0)])
def test_impossible_plans(count, every):
    with pytest.raises(ValueError, match="instalments"):
        instalments(date(2024, 1, 1), count, every=every)
"""
