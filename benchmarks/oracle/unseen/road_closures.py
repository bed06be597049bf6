KIND = "wrong"
FLAW = "mutation and aliasing: the closures given are handed out and made longer where others overlap them"
TARGET = "closed_stretches"
WITNESS = "(asked := [Closure(0, 100), Closure(50, 200)], len(closed_stretches(asked)), asked)[1:]"
BASELINE = '''"""Closures of a road, as the works ask for them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


@dataclass
class Closure:
    """From one metre of the road to another."""

    start: int
    end: int


def closed_stretches(closures: Iterable[Closure]) -> list[Closure]:
    """The stretches that are closed, along the road; what touches or overlaps is one stretch."""
    asked = list(closures)
    for closure in asked:
        if closure.start > closure.end:
            raise ValueError(f"ends before it starts: {closure}")
    stretches: list[Closure] = []
    for closure in asked:
        joined = Closure(closure.start, closure.end)
        apart: list[Closure] = []
        for stretch in stretches:
            if stretch.start <= joined.end and joined.start <= stretch.end:
                joined = Closure(min(stretch.start, joined.start), max(stretch.end, joined.end))
            else:
                apart.append(stretch)
        apart.append(joined)
        stretches = apart
    return sorted(stretches, key=lambda stretch: stretch.start)
'''
CANDIDATE = '''"""Closures of a road, as the works ask for them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


@dataclass
class Closure:
    """From one metre of the road to another."""

    start: int
    end: int


def closed_stretches(closures: Iterable[Closure]) -> list[Closure]:
    """The stretches that are closed, along the road; what touches or overlaps is one stretch."""
    asked = list(closures)
    for closure in asked:
        if closure.start > closure.end:
            raise ValueError(f"ends before it starts: {closure}")
    asked.sort(key=lambda closure: closure.start)
    stretches: list[Closure] = []
    for closure in asked:
        if stretches and closure.start <= stretches[-1].end:
            stretches[-1].end = max(stretches[-1].end, closure.end)
        else:
            stretches.append(closure)
    return stretches
'''
TESTS = """import pytest

from project.module import Closure, closed_stretches


def test_an_open_road():
    assert closed_stretches([]) == []


def test_far_apart():
    assert closed_stretches([Closure(500, 600), Closure(0, 100)]) == [Closure(0, 100), Closure(500, 600)]


def test_overlapping():
    assert closed_stretches([Closure(0, 100), Closure(50, 200)]) == [Closure(0, 200)]


def test_touching():
    assert closed_stretches([Closure(100, 200), Closure(0, 100)]) == [Closure(0, 200)]


def test_one_within_another():
    assert closed_stretches([Closure(0, 500), Closure(100, 200), Closure(300, 400)]) == [Closure(0, 500)]


def test_one_joins_two():
    assert closed_stretches([Closure(0, 10), Closure(20, 30), Closure(5, 25)]) == [Closure(0, 30)]


def test_the_list_stays_as_it_was():
    closures = [Closure(500, 600), Closure(0, 100)]
    closed_stretches(closures)
    assert closures == [Closure(500, 600), Closure(0, 100)]


def test_the_wrong_way_round():
    with pytest.raises(ValueError, match="ends before"):
        closed_stretches([Closure(10, 5)])
"""
