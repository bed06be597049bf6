KIND = "wrong"
FLAW = "date edge: the birthday of somebody born on 29 February is moved into the next year as it fell in this one"
TARGET = "AddressBook.birthdays"
WITNESS = (
    '(book := AddressBook(), book.add("Leo", date(2000, 2, 29)), '
    "asyncio.run(book.birthdays(date(2023, 12, 27), days=90)))[-1]"
)
BASELINE = '''"""Cards for birthdays."""

from __future__ import annotations

import asyncio
from calendar import isleap
from datetime import date, timedelta


def _celebrated(born: date, year: int) -> date:
    """The birthday in a year; who was born on 29 February celebrates a day later if there is none."""
    if (born.month, born.day) == (2, 29) and not isleap(year):
        return date(year, 3, 1)
    return born.replace(year=year)


class AddressBook:
    """People and the days on which they were born, as they stand in a slow file."""

    def __init__(self) -> None:
        self._people: dict[str, date] = {}

    def add(self, name: str, born: date) -> None:
        self._people[name] = born

    async def _born(self, name: str) -> date:
        await asyncio.sleep(0)
        return self._people[name]

    async def birthdays(self, today: date, *, days: int = 7) -> list[tuple[date, str]]:
        """Whose birthday comes today or within so many days, and when; by the day, then as they stand in the book."""
        if days < 0:
            raise ValueError("it is too late for cards")
        found: list[tuple[date, str]] = []
        for later in range(days + 1):
            day = today + timedelta(days=later)
            for name in self._people:
                if _celebrated(await self._born(name), day.year) == day:
                    found = found + [(day, name)]
        return found
'''
CANDIDATE = '''"""Cards for birthdays."""

from __future__ import annotations

import asyncio
from calendar import isleap
from datetime import date, timedelta


def _celebrated(born: date, year: int) -> date:
    """The birthday in a year; who was born on 29 February celebrates a day later if there is none."""
    if (born.month, born.day) == (2, 29) and not isleap(year):
        return date(year, 3, 1)
    return born.replace(year=year)


class AddressBook:
    """People and the days on which they were born, as they stand in a slow file."""

    def __init__(self) -> None:
        self._people: dict[str, date] = {}

    def add(self, name: str, born: date) -> None:
        self._people[name] = born

    async def _born(self, name: str) -> date:
        await asyncio.sleep(0)
        return self._people[name]

    async def birthdays(self, today: date, *, days: int = 7) -> list[tuple[date, str]]:
        """Whose birthday comes today or within so many days, and when; by the day, then as they stand in the book."""
        if days < 0:
            raise ValueError("it is too late for cards")
        last = today + timedelta(days=days)
        found: list[tuple[date, str]] = []
        for name in self._people:
            day = _celebrated(await self._born(name), today.year)
            if day < today:
                day = day.replace(year=today.year + 1)
            while day <= last:
                found.append((day, name))
                day = _celebrated(self._people[name], day.year + 1)
        found.sort(key=lambda birthday: birthday[0])
        return found
'''
TESTS = """import asyncio
from datetime import date

import pytest

from project.module import AddressBook


@pytest.fixture
def book():
    book = AddressBook()
    book.add("Zoe", date(1990, 5, 3))
    book.add("Ann", date(1985, 5, 1))
    book.add("Bob", date(2001, 5, 3))
    book.add("Eve", date(1979, 1, 2))
    return book


def birthdays(book, today, **wanted):
    return [(f"{day:%d.%m.%y}", name) for day, name in asyncio.run(book.birthdays(today, **wanted))]


def test_by_day_and_then_as_in_the_book(book):
    assert birthdays(book, date(2024, 4, 28)) == [("01.05.24", "Ann"), ("03.05.24", "Zoe"), ("03.05.24", "Bob")]


def test_today(book):
    assert birthdays(book, date(2024, 5, 1), days=0) == [("01.05.24", "Ann")]


def test_so_many_days(book):
    assert birthdays(book, date(2024, 4, 29), days=1) == []
    assert birthdays(book, date(2024, 4, 29), days=2) == [("01.05.24", "Ann")]


def test_after_new_year(book):
    assert birthdays(book, date(2024, 12, 27)) == [("02.01.25", "Eve")]


def test_a_leap_day(book):
    book.add("Leo", date(2000, 2, 29))
    assert birthdays(book, date(2024, 2, 26)) == [("29.02.24", "Leo")]
    assert birthdays(book, date(2023, 2, 26)) == [("01.03.23", "Leo")]


def test_more_than_a_year():
    book = AddressBook()
    book.add("Eve", date(1979, 1, 2))
    book.add("Ann", date(1985, 12, 30))
    assert birthdays(book, date(2024, 12, 28), days=370) == [
        ("30.12.24", "Ann"),
        ("02.01.25", "Eve"),
        ("30.12.25", "Ann"),
        ("02.01.26", "Eve"),
    ]


def test_nobody():
    assert birthdays(AddressBook(), date(2024, 5, 1)) == []


def test_too_late(book):
    with pytest.raises(ValueError, match="too late"):
        birthdays(book, date(2024, 5, 1), days=-1)
"""
