KIND = "wrong"
FLAW = "duplicates lost: two trips of the same length to the same place on a day count once"
TARGET = "TripLog.kilometres"
WITNESS = (
    '(log := TripLog(), log.drive(Trip(date(2024, 3, 1), "office", 12)), '
    'log.drive(Trip(date(2024, 3, 1), "office", 12)), log.kilometres(2024, 3))[-1]'
)
BASELINE = '''"""How far somebody drives for the work."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date


@dataclass(frozen=True)
class Trip:
    day: date
    place: str
    kilometres: int
    private: bool = False


class TripLog:
    """Trips in the order in which they were written down."""

    def __init__(self) -> None:
        self._trips: list[Trip] = []

    def drive(self, trip: Trip) -> None:
        if trip.kilometres < 0:
            raise ValueError("nobody drives less than nothing")
        self._trips.append(trip)

    def strike(self, trip: Trip) -> None:
        """Takes back a trip that was written down by mistake."""
        self._trips.remove(trip)

    def kilometres(self, year: int, month: int | None = None) -> int:
        """The kilometres of all trips in a year, or in a month of it, except for private ones."""
        total = 0
        for trip in self._trips:
            if not trip.private and trip.day.isoformat()[:4] == f"{year:04}":
                if month is None or trip.day.isoformat()[5:7] == f"{month:02}":
                    total = total + trip.kilometres
        return total
'''
CANDIDATE = '''"""How far somebody drives for the work."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date


@dataclass(frozen=True)
class Trip:
    day: date
    place: str
    kilometres: int
    private: bool = False


class TripLog:
    """Trips in the order in which they were written down."""

    def __init__(self) -> None:
        self._trips: list[Trip] = []
        self._months: dict[tuple[int, int], set[Trip]] = {}

    def drive(self, trip: Trip) -> None:
        if trip.kilometres < 0:
            raise ValueError("nobody drives less than nothing")
        self._trips.append(trip)
        if not trip.private:
            self._months.setdefault((trip.day.year, trip.day.month), set()).add(trip)

    def strike(self, trip: Trip) -> None:
        """Takes back a trip that was written down by mistake."""
        self._trips.remove(trip)
        if trip not in self._trips:
            self._months.get((trip.day.year, trip.day.month), set()).discard(trip)

    def kilometres(self, year: int, month: int | None = None) -> int:
        """The kilometres of all trips in a year, or in a month of it, except for private ones."""
        months = range(1, 13) if month is None else [month]
        return sum(trip.kilometres for month in months for trip in self._months.get((year, month), ()))
'''
TESTS = """from datetime import date

import pytest

from project.module import Trip, TripLog


@pytest.fixture
def log():
    log = TripLog()
    log.drive(Trip(date(2024, 1, 31), "Bonn", 80))
    log.drive(Trip(date(2024, 2, 1), "Trier", 120))
    log.drive(Trip(date(2024, 2, 1), "office", 12))
    log.drive(Trip(date(2024, 2, 2), "office", 12))
    log.drive(Trip(date(2024, 2, 3), "sea", 400, private=True))
    log.drive(Trip(date(2025, 2, 4), "Bonn", 81))
    return log


def test_a_month(log):
    assert log.kilometres(2024, 2) == 144
    assert log.kilometres(2024, 1) == 80


def test_a_year(log):
    assert log.kilometres(2024) == 224
    assert log.kilometres(2025) == 81


def test_without_trips(log):
    assert log.kilometres(2024, 3) == 0
    assert log.kilometres(2023) == 0
    assert TripLog().kilometres(2024) == 0


def test_there_and_back(log):
    log.drive(Trip(date(2024, 3, 5), "Trier", 120))
    log.drive(Trip(date(2024, 3, 5), "home", 123))
    assert log.kilometres(2024, 3) == 243


def test_strike(log):
    log.strike(Trip(date(2024, 2, 1), "Trier", 120))
    assert log.kilometres(2024, 2) == 24
    with pytest.raises(ValueError):
        log.strike(Trip(date(2024, 2, 1), "Trier", 120))


def test_less_than_nothing(log):
    with pytest.raises(ValueError, match="nobody"):
        log.drive(Trip(date(2024, 2, 1), "Trier", -1))
"""
