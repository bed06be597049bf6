TARGET = "smooth"
SLOW = "the window is copied, sorted and summed anew at each reading"
SOURCE = '''"""Smooths what the sensors send."""

from collections import namedtuple

Reading = namedtuple("Reading", "time value")
Smoothed = namedtuple("Smoothed", "time median spread outlier")


def percentile(values, share):
    ordered = sorted(values)
    position = (len(ordered) - 1) * share
    lower = int(position)
    upper = min(lower + 1, len(ordered) - 1)
    return ordered[lower] + (ordered[upper] - ordered[lower]) * (position - lower)


def window(readings, index, seconds):
    end = readings[index].time
    return [r for r in readings[: index + 1] if r.time > end - seconds]


def smooth(readings, seconds=60, factor=3.0):
    """Median and quartile range of the last seconds for each reading, which are in order of time."""
    for index in range(len(readings)):
        recent = window(readings, index, seconds)
        values = [r.value for r in recent if r.value is not None]
        if not values:
            continue
        median = percentile(values, 0.5)
        spread = percentile(values, 0.75) - percentile(values, 0.25)
        value = readings[index].value
        outlier = value is not None and len(values) > 4 and abs(value - median) > factor * spread
        yield Smoothed(readings[index].time, round(median, 3), round(spread, 3), outlier)
'''
TESTS = """import pytest

from project.module import Reading, Smoothed, percentile, smooth


def test_percentile():
    assert percentile([3, 1, 2], 0.5) == 2
    assert percentile([1, 2], 0.25) == pytest.approx(1.25)
    assert percentile([7], 0.75) == 7


def test_nothing():
    assert list(smooth([])) == []


def test_one():
    assert list(smooth([Reading(0, 5.0)])) == [Smoothed(0, 5.0, 0.0, False)]


def test_old_readings_leave_the_window():
    result = list(smooth([Reading(0, 1.0), Reading(30, 3.0), Reading(60, 5.0)]))
    assert [s.median for s in result] == [1.0, 2.0, 4.0]


def test_gaps():
    result = list(smooth([Reading(0, None), Reading(1, 2.0), Reading(2, None)]))
    assert [(s.time, s.median) for s in result] == [(1, 2.0), (2, 2.0)]


def test_outlier():
    readings = [Reading(n, float(n % 3)) for n in range(10)] + [Reading(10, 50.0)]
    assert [s.time for s in smooth(readings) if s.outlier] == [10]


def test_it_is_lazy():
    readings = [Reading(0, 1.0), Reading(1, "broken")]
    assert next(smooth(readings)).median == 1.0


def test_an_hour():
    readings = [Reading(n * 5, float(n * 37 % 11)) for n in range(300)]
    result = list(smooth(readings))
    assert len(result) == 300
    assert {s.outlier for s in result} == {False}
    assert result[-1].median == 5.5
"""
