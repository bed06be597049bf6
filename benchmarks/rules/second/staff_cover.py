TARGET = "gaps"
SLOW = "goes through the day minute by minute, and through all shifts for each minute"
SOURCE = '''"""Are there enough people at all times?"""

import re
from collections import namedtuple

Shift = namedtuple("Shift", "person start end skills")
Gap = namedtuple("Gap", "start end missing")


def minutes(text):
    match = re.match(r"^(\\d{1,2}):(\\d{2})$", text)
    if match is None or int(match.group(2)) > 59:
        raise ValueError("no time: %r" % text)
    return int(match.group(1)) * 60 + int(match.group(2))


def clock(minute):
    return "%02d:%02d" % divmod(minute, 60)


def on_duty(shifts, minute, skill=None):
    people = []
    for shift in shifts:
        start, end = minutes(shift.start), minutes(shift.end)
        if end <= start:
            end = end + 24 * 60
        if start <= minute < end or start <= minute + 24 * 60 < end:
            if (skill is None or skill in shift.skills) and shift.person not in people:
                people.append(shift.person)
    return people


def gaps(shifts, opens="08:00", closes="20:00", needed=2, skill=None):
    """The times at which too few are there, and how many are missing; a person counts once."""
    result = []
    for minute in range(minutes(opens), minutes(closes)):
        missing = needed - len(on_duty(shifts, minute, skill))
        if missing <= 0:
            continue
        if result and result[-1].end == clock(minute) and result[-1].missing == missing:
            result[-1] = Gap(result[-1].start, clock(minute + 1), missing)
        else:
            result.append(Gap(clock(minute), clock(minute + 1), missing))
    return result
'''
TESTS = """import pytest

from project.module import Gap, Shift, gaps, minutes


def test_minutes():
    assert minutes("8:05") == 485
    for text in ("8", "08:60", "x"):
        with pytest.raises(ValueError, match="no time"):
            minutes(text)


def test_nobody():
    assert gaps([], "08:00", "08:10") == [Gap("08:00", "08:10", 2)]


def test_enough():
    shifts = [Shift("a", "08:00", "09:00", ()), Shift("b", "07:00", "09:00", ())]
    assert gaps(shifts, "08:00", "09:00") == []


def test_a_person_counts_once():
    shifts = [Shift("a", "08:00", "08:20", ()), Shift("a", "08:10", "08:30", ())]
    assert gaps(shifts, "08:05", "08:35", needed=1) == [Gap("08:30", "08:35", 1)]


def test_steps():
    shifts = [Shift("a", "08:00", "08:20", ()), Shift("b", "08:10", "08:30", ())]
    assert gaps(shifts, "08:00", "08:30") == [Gap("08:00", "08:10", 1), Gap("08:20", "08:30", 1)]


def test_at_night():
    shifts = [Shift("a", "22:00", "06:00", ["keys"])]
    assert gaps(shifts, "05:50", "06:10", needed=1, skill="keys") == [Gap("06:00", "06:10", 1)]
    assert gaps(shifts, "05:50", "06:00", needed=1, skill="cash") == [Gap("05:50", "06:00", 1)]


def test_a_whole_day():
    shifts = [Shift("p%d" % n, "%02d:30" % (7 + n), "%02d:00" % (10 + n), ["cash"] * (n % 2)) for n in range(8)]
    found = gaps(shifts, "08:00", "16:00")
    assert found == [Gap("08:00", "08:30", 1)]
"""
