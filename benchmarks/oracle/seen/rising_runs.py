KIND = "wrong"
FLAW = "NaN: a missing reading no longer begins a run of its own"
TARGET = "rising_runs"
WITNESS = 'rising_runs([1.0, float("nan"), 2.0])'
BASELINE = '''"""Trends in readings."""

from __future__ import annotations


def rising_runs(readings: list[float], shortest: int = 1) -> list[list[float]]:
    """The readings cut into runs that do not fall, without the runs that are too short."""
    runs: list[list[float]] = []
    for reading in readings:
        if runs and reading >= runs[-1][-1]:
            runs[-1] = runs[-1] + [reading]
        else:
            runs.append([reading])
    return [run for run in runs if len(run) >= shortest]
'''
CANDIDATE = '''"""Trends in readings."""

from __future__ import annotations


def rising_runs(readings: list[float], shortest: int = 1) -> list[list[float]]:
    """The readings cut into runs that do not fall, without the runs that are too short."""
    cuts = [place for place in range(1, len(readings)) if readings[place] < readings[place - 1]]
    starts = [0, *cuts]
    ends = [*cuts, len(readings)]
    if not readings:
        return []
    return [readings[start:end] for start, end in zip(starts, ends) if end - start >= shortest]
'''
TESTS = """from project.module import rising_runs


def test_one_run():
    assert rising_runs([1.0, 2.5, 4.0]) == [[1.0, 2.5, 4.0]]


def test_a_fall_begins_another():
    assert rising_runs([3.0, 5.0, 4.5, 6.0, 0.0]) == [[3.0, 5.0], [4.5, 6.0], [0.0]]


def test_the_same_again_does_not_fall():
    assert rising_runs([2.0, 2.0, 1.0, 1.0]) == [[2.0, 2.0], [1.0, 1.0]]


def test_short_runs_are_left_out():
    assert rising_runs([5.0, 1.0, 2.0, 3.0, 2.0], shortest=2) == [[1.0, 2.0, 3.0]]


def test_only_falling():
    assert rising_runs([3.0, 2.0, -1.0]) == [[3.0], [2.0], [-1.0]]


def test_no_readings():
    assert rising_runs([]) == []


def test_infinite_readings():
    assert rising_runs([float("-inf"), 0.0, float("inf")], 3) == [[float("-inf"), 0.0, float("inf")]]
"""
