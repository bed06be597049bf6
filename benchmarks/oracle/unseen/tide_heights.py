KIND = "wrong"
FLAW = "an iterator is read twice: for one that is used up after the first reading nothing comes out"
TARGET = "tide_of"
WITNESS = "tide_of(iter([1.5, 4.25, 0.5]))"
BASELINE = '''"""The tide at a gauge."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


@dataclass(frozen=True)
class Tide:
    """How low and how high the water was, in metres."""

    low: float
    high: float

    @property
    def span(self) -> float:
        """Between low and high water."""
        return self.high - self.low


def parse_heights(text: str) -> list[float]:
    """One height in each line, after the time; lines without are left out."""
    return [float(line.split()[1]) for line in text.splitlines() if len(line.split()) > 1]


def tide_of(heights: Iterable[float]) -> Tide | None:
    """Low and high water, None where nothing was measured."""
    low: float | None = None
    high: float | None = None
    for height in heights:
        if low is None or height < low:
            low = height
        if high is None or height > high:
            high = height
    if low is None or high is None:
        return None
    return Tide(low, high)
'''
CANDIDATE = '''"""The tide at a gauge."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


@dataclass(frozen=True)
class Tide:
    """How low and how high the water was, in metres."""

    low: float
    high: float

    @property
    def span(self) -> float:
        """Between low and high water."""
        return self.high - self.low


def parse_heights(text: str) -> list[float]:
    """One height in each line, after the time; lines without are left out."""
    return [float(line.split()[1]) for line in text.splitlines() if len(line.split()) > 1]


def tide_of(heights: Iterable[float]) -> Tide | None:
    """Low and high water, None where nothing was measured."""
    low = min(heights, default=None)
    high = max(heights, default=None)
    if low is None or high is None:
        return None
    return Tide(low, high)
'''
TESTS = r"""from project.module import Tide, parse_heights, tide_of


def test_low_and_high():
    assert tide_of([1.2, 0.4, 3.75, 2.0]) == Tide(0.4, 3.75)


def test_a_single_height():
    assert tide_of([1.5]) == Tide(1.5, 1.5)


def test_below_chart_datum():
    assert tide_of((-0.25, -0.5)) == Tide(-0.5, -0.25)


def test_nothing_was_measured():
    assert tide_of([]) is None


def test_span():
    assert Tide(-0.5, 3.0).span == 3.5


def test_heights_of_a_file():
    assert parse_heights("06:00 1.5\n06:10\n\n06:20 1.75\n") == [1.5, 1.75]


def test_the_tide_of_a_file():
    assert tide_of(parse_heights("06:00 1.5\n12:00 4.25\n")) == Tide(1.5, 4.25)
"""
