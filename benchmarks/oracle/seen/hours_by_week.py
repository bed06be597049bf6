KIND = "wrong"
FLAW = "date edge: the calendar's year with the ISO week around New Year"
TARGET = "hours_by_week"
WITNESS = "hours_by_week([Entry(date(2021, 1, 1), 60)])"
BASELINE = '''"""Time sheets."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date


@dataclass(frozen=True)
class Entry:
    day: date
    minutes: int
    project: str = ""


def hours_by_week(entries: list[Entry], project: str | None = None) -> dict[str, float]:
    """The hours of each ISO week such as `2024-W07`, earliest week first; of one project, or of all."""
    weeks = []
    for entry in entries:
        year, week, _ = entry.day.isocalendar()
        label = str(year) + "-W" + str(week).zfill(2)
        if label not in weeks:
            weeks.append(label)
    totals = {}
    for label in sorted(weeks):
        minutes = 0
        counted = False
        for entry in entries:
            year, week, _ = entry.day.isocalendar()
            if label == f"{year}-W{week:02d}" and project in (None, entry.project):
                minutes += entry.minutes
                counted = True
        if counted:
            totals[label] = minutes / 60
    return totals
'''
CANDIDATE = '''"""Time sheets."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date


@dataclass(frozen=True)
class Entry:
    day: date
    minutes: int
    project: str = ""


def hours_by_week(entries: list[Entry], project: str | None = None) -> dict[str, float]:
    """The hours of each ISO week such as `2024-W07`, earliest week first; of one project, or of all."""
    minutes: dict[str, int] = {}
    for entry in entries:
        if project is None or entry.project == project:
            label = f"{entry.day.year}-W{entry.day.isocalendar()[1]:02d}"
            minutes[label] = minutes.get(label, 0) + entry.minutes
    return {label: minutes[label] / 60 for label in sorted(minutes)}
'''
TESTS = """from datetime import date

from project.module import Entry, hours_by_week

ENTRIES = [
    Entry(date(2024, 2, 14), 90, "shop"),
    Entry(date(2024, 2, 12), 30, "shop"),
    Entry(date(2024, 1, 8), 60, "blog"),
    Entry(date(2024, 2, 18), 45, "blog"),
]


def test_weeks_in_order():
    assert hours_by_week(ENTRIES) == {"2024-W02": 1.0, "2024-W07": 2.75}
    assert list(hours_by_week(ENTRIES)) == ["2024-W02", "2024-W07"]


def test_one_project():
    assert hours_by_week(ENTRIES, "shop") == {"2024-W07": 2.0}


def test_an_unknown_project():
    assert hours_by_week(ENTRIES, "other") == {}


def test_two_years():
    entries = [Entry(date(2024, 3, 4), 60), Entry(date(2023, 12, 20), 120)]
    assert hours_by_week(entries) == {"2023-W51": 2.0, "2024-W10": 1.0}


def test_sunday_ends_the_week():
    entries = [Entry(date(2024, 6, 9), 60), Entry(date(2024, 6, 10), 60)]
    assert hours_by_week(entries) == {"2024-W23": 1.0, "2024-W24": 1.0}


def test_nothing():
    assert hours_by_week([]) == {}
"""
