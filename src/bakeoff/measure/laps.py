"""What one process timed, as ratios.

    blocks of a round ──▶ a time for each candidate (in mirrored order: what drifts cancels)
    rounds ──▶ the median log ratio of a lap

The placebo runs the baseline's code, so both together are what candidates are compared with: the time it takes is not
lost, and half of the baseline's own luck with memory cancels.
"""

from __future__ import annotations

import math
import statistics
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bakeoff.measure.values import Clock

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from bakeoff.measure.plans import Plan

__all__ = ["BASELINE", "PLACEBO", "BadReport", "Lap", "Left", "Times", "lap", "merged"]

# Names of candidates are never empty and hold no spaces at their ends.
BASELINE, PLACEBO = " baseline", " placebo"
# Nanoseconds that a function's first call may take longer for reasons that have nothing to do with what it keeps.
_FIRST_CALL = 4000


class Left(Exception):
    """Raised for a lap that is worth nothing, because candidates left the race in it, or may have spoiled it."""


class BadReport(Exception):
    """Raised for a report that is not what a stopwatch writes."""


@dataclass(frozen=True, slots=True)
class Times:
    """How long something took by either clock, in any unit."""

    cpu: float
    wall: float

    def by(self, clock: Clock) -> float:
        """By one of them; never zero, so that there is a ratio."""
        return max(self.wall if clock is Clock.WALL else self.cpu, 1e-12)

    def __add__(self, other: Times) -> Times:
        return Times(self.cpu + other.cpu, self.wall + other.wall)

    def __mul__(self, factor: float) -> Times:
        return Times(self.cpu * factor, self.wall * factor)


@dataclass(frozen=True, slots=True, kw_only=True)
class Lap:
    """Of each candidate: its time in each round, in its first pass, and in all rounds by shape.

    A first pass, and each block, stand for as many `calls`; what a round says is the mean of its blocks. Where blocks
    take long, a first pass warms nothing up, and takes as much of the time as a round.
    """

    rounds: tuple[Mapping[str, Times], ...]
    cold: Mapping[str, Times]
    shapes: Mapping[str, Mapping[str, Times]]
    blocks: int
    calls: float = 1.0
    has_long_blocks: bool = False
    core: int | None = None

    def __contains__(self, name: str) -> bool:
        return name in self.rounds[0]

    def warm(self, name: str, clock: Clock) -> float:
        """The log ratio of baseline to candidate, of calls that are made again and again."""
        return statistics.median(_ratio(found, name, clock) for found in self.rounds)

    def first(self, name: str, clock: Clock) -> float:
        """The log ratio of the first pass."""
        return _ratio(self.cold, name, clock)

    def every(self, name: str, clock: Clock) -> float:
        """The log ratio of all calls, the first pass among them."""
        share = len(self.cold) / (len(self.cold) + self.blocks)
        return share * self.first(name, clock) + (1 - share) * self.warm(name, clock)

    def kept(self, name: str, clock: Clock) -> float:
        """How much of the baseline's time a candidate takes for its first pass and never again, beyond what is so of
        the baseline too, and beyond what any first call of a function takes."""
        extra, baseline = (self.cold[one].by(clock) - self._usual(one, clock) for one in (name, BASELINE))
        return (extra - baseline - _FIRST_CALL * self.calls) / self._usual(BASELINE, clock)

    def _usual(self, name: str, clock: Clock) -> float:
        return statistics.median(found[name].by(clock) for found in self.rounds)

    def of_shape(self, shape: str, name: str, clock: Clock) -> float:
        """The log ratio on one shape of input."""
        return _ratio(self.shapes[shape], name, clock)


def _ratio(found: Mapping[str, Times], name: str, clock: Clock) -> float:
    own = math.log(found[name].by(clock))
    references = [BASELINE] if name == PLACEBO or PLACEBO not in found else [BASELINE, PLACEBO]
    return statistics.fmean(math.log(found[reference].by(clock)) for reference in references) - own


def lap(report: Mapping[str, Any], plan: Plan, names: Sequence[str]) -> Lap:
    """The lap that a process reports. It shared that process with candidates: what it says is read as a claim."""
    try:
        return _lap(report, plan, names)
    except (KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
        raise BadReport(f"the report of a process cannot be read: {error!r}") from None


def _lap(report: Mapping[str, Any], plan: Plan, names: Sequence[str]) -> Lap:
    by_round: list[dict[str, Times]] = []
    shapes: dict[str, dict[str, Times]] = {part.shape: {} for part in plan.parts}
    for found in report["rounds"]:
        total: dict[str, Times] = {}
        turns = Counter(block["world"] for block in found)
        if turns.keys() != set(range(len(names))):
            raise BadReport("a round is not complete")
        for block in found:
            name = names[block["world"]]
            for part, times in zip(plan.parts, _times(block, len(plan.parts)), strict=True):
                scaled = times * (part.scale / turns[block["world"]])
                total[name] = total.get(name, Times(0, 0)) + scaled
                shapes[part.shape][name] = shapes[part.shape].get(name, Times(0, 0)) + scaled
        by_round.append(total)
    if not by_round:
        raise BadReport("there are no rounds")
    cold = {name: _cold(report["cold"][place], plan) for place, name in enumerate(names)}
    blocks = sum(map(len, report["rounds"]))
    calls = sum(part.scale * part.passes * len(part.calls) for part in plan.parts)
    return Lap(
        rounds=tuple(by_round),
        cold=cold,
        shapes=shapes,
        blocks=blocks,
        calls=calls,
        has_long_blocks=plan.has_long_blocks,
        core=report["core"] if type(report["core"]) is int else None,
    )


def _times(block: Mapping[str, Any], count: int) -> list[Times]:
    """The times of a block's parts. What child processes used is spread over them by what they took."""
    times = [_pair(*pair) for pair in block["times"]]
    if len(times) != count:
        raise BadReport("a block is not complete")
    children, wall = float(block["children"]) * 1e9, sum(one.wall for one in times)
    return [Times(one.cpu + children * one.wall / wall, one.wall) for one in times]


def _cold(found: Sequence[Any], plan: Plan) -> Times:
    weights = [part.scale * part.passes for part in plan.parts for _ in part.calls]
    pairs = [_pair(*pair) for pair in found]
    if len(pairs) != len(weights):
        raise BadReport("a first pass is not complete")
    total = Times(0, 0)
    for weight, one in zip(weights, pairs, strict=True):
        total += one * weight
    return total


def _pair(cpu: Any, wall: Any) -> Times:  # noqa: ANN401 (a claim)
    if type(cpu) is not int or type(wall) is not int or cpu < 0 or wall <= 0:
        raise BadReport("a time is not a time")
    return Times(cpu, wall)


def merged(laps: Mapping[str, Sequence[Lap]]) -> Lap:
    """One lap of processes that held one candidate each."""
    middle: dict[str, Times] = {
        name: _middle([times[BASELINE] for one in own for times in one.rounds]) for name, own in laps.items()
    }
    cold = {name: _middle([one.cold[BASELINE] for one in own]) for name, own in laps.items()}
    known = next(iter(laps.values()))[0].shapes
    shapes = {
        shape: {name: _middle([one.shapes[shape][BASELINE] for one in own]) for name, own in laps.items()}
        for shape in known
    }
    every = [one for own in laps.values() for one in own]
    blocks = sum(one.blocks for one in every)
    return Lap(rounds=(middle,), cold=cold, shapes=shapes, blocks=blocks, calls=every[0].calls)


def _middle(times: Sequence[Times]) -> Times:
    middle: Callable[[Any], float] = statistics.median
    return Times(middle([one.cpu for one in times]), middle([one.wall for one in times]))
