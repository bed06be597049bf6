"""A race: candidates against the baseline, in many short processes, until it is decided or the budget ends.

    look ──▶ plan of a block
    several candidates ──▶ heat with all that can still win ──▶ the best one
    the one that is left ──▶ heat of its own, in fresh processes ──▶ its interval, and the decision

Who is clearly slower, surely within the margin, or surely slower than another leaves early. What is reported of the
winner comes from processes that had no part in choosing it: the best of several looks better than it is. A copy of the
baseline, the placebo, takes part in every process: where even that seems to differ, nothing is believed.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

from bakeoff.events import Decision
from bakeoff.measure.laps import PLACEBO, Left
from bakeoff.measure.statistics import Interval, decide, good_count, interval, least_count, look_confidence
from bakeoff.measure.values import Clock, Contender, Fault, Measurement, MeasureOptions, RaceResult, ShapeSpeedup

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from bakeoff.events import Speedup
    from bakeoff.measure.laps import Lap

__all__ = ["Track", "race"]

# When there is a look at how things stand, in parts of the time there is. When all of it is used up, four fifths of the
# right to be wrong are spent; the rest is for going on where the placebo seems to differ.
_LOOKS = (0.2, 0.45, 1.0)
_REGULAR = 0.9
_MIXED = math.log1p(0.05)
_KEPT = 0.25
# What nobody would pay for with a longer change.
_HARDLY = math.log1p(0.02)
# A first pass is like what follows it where it is within this, and nothing says with this confidence that it is not.
_ALIKE, _DOUBT = math.log1p(0.05), 0.95
# Long calls may be off by more than the margin by chance alone, so that it is no safeguard there.
_SURER = 0.972


class Track(Protocol):
    """What laps are run on. `lap` runs one with these candidates, the baseline and its placebo; it raises `Left` for
    one that is worth nothing, and then `faults` says who left, if anybody did. The rest tells what it took so far."""

    clock: Clock
    faults: dict[str, Fault]
    seconds: float
    processes: int
    alternating: str | None
    core: int | None

    @property
    def load(self) -> float: ...

    @property
    def covered(self) -> float: ...

    async def lap(self, contenders: Sequence[Contender]) -> Lap: ...


async def race(track: Track, contenders: Sequence[Contender], options: MeasureOptions) -> RaceResult:
    """Measure these candidates. What they do is part of the result; raises CannotMeasure where the baseline itself
    cannot be timed."""
    return await _Race(track, options).run(contenders)


class _Heat:
    """Laps of some candidates, with the time there is for them, and looks at how they stand."""

    def __init__(self, track: Track, options: MeasureOptions, *, budget: float, among: int) -> None:
        self._track = track
        self._options = options
        self._budget = budget
        self._among = among
        self._began = track.seconds
        self._looks = list(_LOOKS)
        self._spent = 0.0
        self.laps: list[Lap] = []
        self.confidence = 0.0

    @property
    def used(self) -> float:
        """The part of the time that is used up."""
        share = (self._track.seconds - self._began) / self._budget
        return 1.0 if len(self.laps) >= self._options.most else share

    async def go_on(self, contenders: Sequence[Contender]) -> bool:
        """Run laps until there is something to look at; False when the time is over."""
        while True:
            share = self._looks[0]
            while self._goes_on(share, self._least(share)):
                self.laps.append(await self._track.lap(contenders))
            self._looks.pop(0)
            if self._look(share * _REGULAR) or not self._looks:
                return bool(self._looks)

    def _least(self, share: float) -> int:
        """How many laps a look has to have. The last one needs enough to see anything by, even if that takes longer,
        and of long blocks as many as it can make the most of: there are few."""
        if len(self._looks) > 1:
            return self._options.least
        wanted = self._wanted(share * _REGULAR)
        count = good_count(len(self.laps), wanted) if self._are_long else least_count(wanted)
        return max(self._options.least, count)

    def _goes_on(self, share: float, least: int) -> bool:
        wants = self.used < share or len(self.laps) < min(least, self._options.most)
        return wants and (not self.laps or self._track.seconds < self._options.longest)

    async def go_longer(self, contenders: Sequence[Contender]) -> None:
        """As many laps again, for a last look."""
        most = 2 * len(self.laps)
        while len(self.laps) < most and self._track.seconds < self._options.longest:
            self.laps.append(await self._track.lap(contenders))
        self._look(1.0)

    async def go_on_for_shapes(self, contender: Contender) -> None:
        """As many laps as it takes to say of each shape whether it is slower, where one seems to be."""
        count = len(self.laps[0].shapes)
        least = least_count(1 - (1 - self._options.confidence) / count) if count else 0
        if any(shape.speedup.estimate < math.exp(-_MIXED) for shape in self.shapes(contender)):
            while self._goes_on(0.0, least):
                self.laps.append(await self._track.lap([contender]))

    def _look(self, share: float) -> bool:
        """Whether there are laps enough for the confidence that a look now would have to have."""
        wanted = self._wanted(share)
        if share < _REGULAR and len(self.laps) < least_count(wanted):
            return False
        self.confidence, self._spent = wanted, share
        return True

    def _wanted(self, share: float) -> float:
        confidence = max(self._options.confidence, _SURER) if self._are_long else self._options.confidence
        return look_confidence(confidence, share=share, before=self._spent, among=self._among)

    @property
    def _are_long(self) -> bool:
        return any(lap.has_long_blocks for lap in self.laps)

    def of(self, value: Callable[[Lap], float]) -> Interval:
        """The interval of something that each lap says."""
        return interval([value(lap) for lap in self.laps], self.confidence)

    def deciding(self, contender: Contender) -> Interval:
        """The interval that decides about a candidate."""
        return self.of(self._value(contender))

    def warm(self, contender: Contender) -> Interval:
        """Of calls that are made again and again."""
        return self.of(lambda lap: lap.warm(contender.name, self._track.clock))

    def cold(self, contender: Contender) -> Interval:
        """Of the first pass."""
        return self.of(lambda lap: lap.first(contender.name, self._track.clock))

    def placebo(self) -> Interval:
        """What it makes of two that are the same."""
        return self.of(self._usual(PLACEBO))

    def between(self, leader: Contender, other: Contender) -> Interval:
        """How much faster one is than another, in the same laps."""
        first, second = self._value(leader), self._value(other)
        return self.of(lambda lap: first(lap) - second(lap))

    def shapes(self, contender: Contender) -> tuple[ShapeSpeedup, ...]:
        """How it fares on each shape of input, all of them together with the confidence that was asked for."""
        names = list(self.laps[0].shapes)
        found = []
        for shape in names:
            values = [lap.of_shape(shape, contender.name, self._track.clock) for lap in self.laps]
            one = interval(values, 1 - (1 - self._options.confidence) / len(names))
            is_slower = one.holds and one.high < 0 and one.estimate < -_MIXED
            found.append(ShapeSpeedup(shape=shape, speedup=one.speedup, is_slower=is_slower))
        return tuple(found)

    def _value(self, contender: Contender) -> Callable[[Lap], float]:
        clock = self._track.clock
        if contender.keeps_results:
            return lambda lap: lap.first(contender.name, clock)
        return self._usual(contender.name)

    def _usual(self, name: str) -> Callable[[Lap], float]:
        """Of calls that are made again and again. Where these are long, a first pass that is like them is one of
        them: it is up to half of all that is timed."""
        clock = self._track.clock
        if self._are_long:
            apart = interval([lap.first(name, clock) - lap.warm(name, clock) for lap in self.laps], _DOUBT)
            if apart.low <= 0 <= apart.high and abs(apart.estimate) < _ALIKE:
                return lambda lap: lap.every(name, clock)
        return lambda lap: lap.warm(name, clock)


class _Race:
    def __init__(self, track: Track, options: MeasureOptions) -> None:
        self._track = track
        self._options = options
        self._found: dict[str, Measurement] = {}
        self._placebo: Interval | None = None

    async def run(self, contenders: Sequence[Contender]) -> RaceResult:
        best = await self._choose(contenders) if len(contenders) > 1 else next(iter(contenders), None)
        if best is not None:
            await self._confirm(best, is_chosen=len(contenders) > 1)
        noisy = self._placebo is not None and self._differs(self._placebo)
        measurements = {one.name: self._told(one, noisy=noisy) for one in contenders}
        won = best is not None and measurements[best.name].decision is Decision.FASTER
        return RaceResult(
            measurements=measurements,
            winner=best.name if best is not None and won else None,
            placebo=_speedup(self._placebo),
            noisy=noisy,
            clock=self._track.clock,
            load=self._track.load,
            covered=self._track.covered,
            seconds=self._track.seconds,
            processes=self._track.processes,
            alternating=self._track.alternating,
            core=self._track.core,
        )

    # -- the best of several --------------------------------------------------------------------------------------

    async def _choose(self, contenders: Sequence[Contender]) -> Contender | None:
        """The one to confirm: the best of those that nothing speaks against. None where nobody can win."""
        field = list(contenders)
        budget = self._options.budget * len(field) / 2
        heat = _Heat(self._track, self._options, budget=budget, among=len(field))
        more = True
        while more and len(field) > 1:
            try:
                more = await heat.go_on(field)
            except Left:
                field = self._present(field)
                continue
            field = self._still_in(heat, field)
        if not heat.confidence or not field:
            return field[0] if field else None
        self._placebo = heat.placebo()
        for other in field:
            self._note(heat, other)
        best = max(heat.deciding(one).estimate for one in field)
        return min(
            (one for one in field if heat.deciding(one).estimate > best - _HARDLY),
            key=lambda one: (one.size, -heat.deciding(one).estimate),
        )

    def _present(self, field: Sequence[Contender]) -> list[Contender]:
        return [one for one in field if one.name not in self._track.faults]

    def _still_in(self, heat: _Heat, field: Sequence[Contender]) -> list[Contender]:
        """Those that can still win; of the others it is noted how they stood."""
        leader = max(field, key=lambda one: heat.deciding(one).estimate)
        stay = []
        for one in field:
            own = heat.deciding(one)
            cannot_win = own.holds and own.high < self._least_gain
            behind = heat.between(leader, one) if one is not leader else None
            allowed = _HARDLY if one.size < leader.size else 0.0
            if cannot_win or (behind is not None and behind.holds and behind.low > allowed):
                self._note(heat, one)
            else:
                stay.append(one)
        return stay

    @property
    def _least_gain(self) -> float:
        return math.log1p(max(self._options.margin, self._options.min_speedup))

    # -- the one that is left -------------------------------------------------------------------------------------

    async def _confirm(self, contender: Contender, *, is_chosen: bool) -> None:
        heat = _Heat(self._track, self._options, budget=self._options.budget, among=1)
        more = True
        while more:
            try:
                more = await heat.go_on([contender])
            except Left:
                if contender.name in self._track.faults:
                    return
                continue
            if self._is_settled(heat.deciding(contender)) and not self._differs(heat.placebo()):
                break
        try:
            if self._differs(heat.placebo()):
                await heat.go_longer([contender])
            await heat.go_on_for_shapes(contender)
        except Left:
            pass
        self._placebo = heat.placebo()
        self._note(heat, contender, is_confirmed=is_chosen)

    def _is_settled(self, found: Interval) -> bool:
        decision = decide(found, margin=self._options.margin, min_speedup=self._options.min_speedup)
        within = found.holds and -math.log1p(self._options.margin) < found.low and found.high < self._least_gain
        return decision is not Decision.NO_DIFFERENCE or within

    def _differs(self, placebo: Interval) -> bool:
        return decide(placebo, margin=self._options.margin) is not Decision.NO_DIFFERENCE

    # -- what is said of them -------------------------------------------------------------------------------------

    def _note(self, heat: _Heat, contender: Contender, *, is_confirmed: bool = False) -> None:
        deciding, warm, cold = heat.deciding(contender), heat.warm(contender), heat.cold(contender)
        kept = heat.of(lambda lap: lap.kept(contender.name, self._track.clock))
        self._found[contender.name] = Measurement(
            name=contender.name,
            decision=decide(deciding, margin=self._options.margin, min_speedup=self._options.min_speedup),
            speedup=deciding.speedup,
            warm=warm.speedup,
            cold=cold.speedup,
            confidence=deciding.confidence,
            processes=len(heat.laps),
            blocks=sum(lap.blocks for lap in heat.laps),
            is_confirmed=is_confirmed,
            is_undecided=not deciding.holds,
            remembers=kept.holds and kept.low > _KEPT and warm.low > cold.high,
            shapes=heat.shapes(contender),
        )

    def _told(self, contender: Contender, *, noisy: bool) -> Measurement:
        """The last word on a candidate: one that misbehaved, or was measured among noise, has not won."""
        fault = self._track.faults.get(contender.name)
        found = self._found.get(contender.name) or Measurement(name=contender.name, decision=Decision.NO_DIFFERENCE)
        if fault is not None or noisy:
            return replace(found, decision=Decision.NO_DIFFERENCE, fault=fault)
        return found


def _speedup(found: Interval | None) -> Speedup | None:
    return found.speedup if found is not None else None
