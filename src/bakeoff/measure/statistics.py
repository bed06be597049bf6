"""From ratios of times to a decision, by hand: the standard library only.

    blocks of one process ──median log ratio──▶ one number ──▶ interval across processes ──▶ decision

Everything here is in logarithms: above 0 is faster. Noise of timings is anything but normal: most processes agree
within half a percent, and one in ten was disturbed and is off by many. So the estimate is the median, and the interval
is the one that belongs to it (the sign test turned round): two of the sorted values. It asks for nothing but processes
that do not depend on each other, its confidence is exact, and a few wild values cannot move it. In simulations with
such noise, Student's t needs several times the processes to see 2 %, and intervals by trimmed means or signed ranks
cover the truth too seldom where one side is disturbed more than the other.
"""

from __future__ import annotations

import math
import statistics
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from bakeoff.events import Decision, Speedup

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Interval", "decide", "good_count", "interval", "least_count", "log_ratio", "look_confidence"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Interval:
    """Where a logarithm of a speedup lies. `confidence` is the real one, which is not below what was asked for where
    there were enough values; where there were not, `holds` is false and nothing may be decided by it."""

    estimate: float
    low: float
    high: float
    confidence: float
    count: int
    holds: bool

    @property
    def speedup(self) -> Speedup:
        """As ratios of baseline time to candidate time."""
        return Speedup(estimate=math.exp(self.estimate), low=math.exp(self.low), high=math.exp(self.high))


def log_ratio(baseline: Sequence[float], candidate: Sequence[float]) -> float:
    """The logarithm of how much faster the candidate is, from times that were taken in pairs."""
    return statistics.median(math.log(over / under) for over, under in zip(baseline, candidate, strict=True))


def interval(values: Sequence[float], confidence: float) -> Interval:
    """The interval for the median of what these are drawn from; raises ValueError where there are none."""
    if not values:
        raise ValueError("an interval needs values")
    if not 0 < confidence < 1:
        raise ValueError(f"a confidence lies between 0 and 1, not at {confidence}")
    ordered, count = sorted(values), len(values)
    rank, reached = _rank(count, confidence)
    return Interval(
        estimate=statistics.median(ordered),
        low=ordered[rank],
        high=ordered[count - 1 - rank],
        confidence=reached,
        count=count,
        holds=reached >= confidence,
    )


@lru_cache(maxsize=1024)
def _rank(count: int, confidence: float) -> tuple[int, float]:
    """How many values may be cut off on either side, and the confidence of what is left.

    Each value is below the median with a chance of one half, like a coin: the interval misses it when no more than
    that many fall on one side.
    """
    total, cut, below = 1 << count, 0, 1
    while 2 * (cut + 1) < count:
        further = below + math.comb(count, cut + 1)
        if 1 - 2 * further / total < confidence:
            break
        cut, below = cut + 1, further
    return cut, 1 - 2 * below / total


def least_count(confidence: float) -> int:
    """How many values an interval of this confidence needs at least."""
    return 1 + math.ceil(-math.log2(1 - confidence))


def good_count(count: int, confidence: float) -> int:
    """How many values, this many or few more, an interval of this confidence makes the most of.

    One more value, with as few cut off, makes an interval wider: of seven all have to agree, and of nine, too; of ten
    one may be wild.
    """
    count = max(count, least_count(confidence))
    while count > least_count(confidence) and _rank(count, confidence)[0] == _rank(count - 1, confidence)[0]:
        count += 1
    return count


def look_confidence(confidence: float, *, share: float, before: float = 0.0, among: int = 1) -> float:
    """The confidence that one of several looks at growing data has to have, so that all of them together keep theirs.

    `share` says which part of what can be seen at the most is seen at this look, `before` at the one before it; `among`
    is how many intervals are looked at each time. The chance to be wrong is spent with the square of the share: early
    looks are for what is obvious, and most is left for the last. What is spent adds up to no more than there is,
    however the looks depend on each other and whatever makes one stop.
    """
    if not 0 <= before < share <= 1:
        raise ValueError(f"looks go on from 0 to 1, not from {before} to {share}")
    return 1 - (1 - confidence) * (share**2 - before**2) / among


def decide(found: Interval, *, margin: float, min_speedup: float = 0.0) -> Decision:
    """What an interval says: faster or slower only where it lies on one side of 1, and its estimate beyond the margin.

    `margin` and `min_speedup` are parts of one: 0.01 is a speedup of 1.01.
    """
    if found.holds and found.low > 0 and found.estimate >= math.log1p(max(margin, min_speedup)):
        return Decision.FASTER
    if found.holds and found.high < 0 and found.estimate <= -math.log1p(margin):
        return Decision.SLOWER
    return Decision.NO_DIFFERENCE
