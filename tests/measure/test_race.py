"""The rules of a race, on laps that are made up: noise as it is seen in real ones, and time that costs nothing."""

from __future__ import annotations

import itertools
import math
import random
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from bakeoff.candidates import Change
from bakeoff.events import Decision
from bakeoff.measure import Clock, Contender, Fault, FaultKind, MeasureOptions, RaceResult
from bakeoff.measure.laps import BASELINE, PLACEBO, Lap, Left, Times
from bakeoff.measure.race import race

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

pytestmark = pytest.mark.anyio

OPTIONS = MeasureOptions(budget=3.0)
SECONDS = 0.12
WARM = 1e5


class Scripted:
    """A track on which each contender has a true speedup.

    Each process has its luck with memory for each candidate (0.7 %), a few are disturbed by much, and it is one of
    them that is, not all.
    """

    def __init__(
        self, speedups: Mapping[str, float], *, seed: int = 0, luck: float = 0.7, wild: float = 0.1, **faults: int
    ) -> None:
        self.speedups = {BASELINE: 1.0, PLACEBO: 1.0, **speedups}
        self.random = random.Random(seed)
        self.luck, self.wild = luck, wild
        self.fault_at = faults
        self.clock = Clock.CPU
        self.faults: dict[str, Fault] = {}
        self.seconds = 0.0
        self.processes = 0
        self.alternating = self.core = None
        self.load = self.covered = 1.0
        self.shapes: dict[str, dict[str, float]] = {}
        self.cold: dict[str, float] = {}
        self.laps: list[list[str]] = []

    async def lap(self, contenders: Sequence[Contender]) -> Lap:
        names = [BASELINE, PLACEBO, *(one.name for one in contenders)]
        self.seconds += SECONDS * len(names) / 3
        self.processes += 1
        for name, at in self.fault_at.items():
            if name in names and self.processes >= at:
                self.faults[name] = Fault(kind=FaultKind.RAISED, text="made up")
                raise Left
        self.laps.append(names)
        return Lap(
            rounds=({name: self._round(name) for name in names},),
            cold={name: self._times(self.cold.get(name, self.speedups[name]), WARM / 2) for name in names},
            shapes={
                shape: {name: self._times(known.get(name, 1.0)) for name in names}
                for shape, known in self.shapes.items()
            },
            blocks=2 * len(names),
        )

    def _round(self, name: str) -> Times:
        return self._times(self.speedups[name])

    def _times(self, speedup: float, usual: float = WARM) -> Times:
        noise = self.random.gauss(0, self.luck / 100)
        if self.random.random() < self.wild:
            noise += self.random.expovariate(1 / 0.06)
        time = usual / speedup * math.exp(noise)
        return Times(time, time)


def contenders(names: Sequence[str], **options: bool) -> list[Contender]:
    return [Contender(name=name, change=Change(), **options) for name in names]


async def run(track: Scripted, options: MeasureOptions = OPTIONS, **flags: bool) -> RaceResult:
    names = [name for name in track.speedups if name not in (BASELINE, PLACEBO)]
    return await race(track, contenders(names, **flags), options)


class TestOne:
    @pytest.mark.promise("E8")
    async def test_identical_code_is_hardly_ever_called_faster_and_small_gains_are_found(self):
        results = {
            speedup: [await run(Scripted({"c": speedup}, seed=seed)) for seed in range(200)]
            for speedup in (1.0, 1.02, 1.05, 1.1)
        }
        wins = {speedup: sum(one.winner == "c" for one in found) / 200 for speedup, found in results.items()}
        assert wins[1.0] <= 0.01
        assert wins[1.02] >= 0.9
        assert wins[1.05] >= 0.99
        assert wins[1.1] == 1
        for speedup, found in results.items():
            spans = [one.measurements["c"].speedup for one in found]
            assert sum(span.low <= speedup <= span.high for span in spans if span is not None) / 200 >= 0.95

    async def test_what_is_plain_is_said_early_and_what_is_close_takes_all_the_time(self):
        plain, close = await run(Scripted({"c": 2.0})), await run(Scripted({"c": 1.011}))
        assert plain.winner == "c"
        assert plain.seconds < OPTIONS.budget / 2
        assert close.seconds >= OPTIONS.budget
        assert close.seconds < OPTIONS.budget * 1.2

    async def test_slower_is_a_decision_and_so_is_no_difference(self):
        slower, same = await run(Scripted({"c": 0.9})), await run(Scripted({"c": 1.0}, luck=0.1, wild=0))
        assert slower.measurements["c"].decision is Decision.SLOWER
        assert slower.winner is None
        assert same.measurements["c"].decision is Decision.NO_DIFFERENCE
        assert same.seconds < OPTIONS.budget

    async def test_a_gain_below_what_the_user_wants_wins_nothing(self):
        found = await run(Scripted({"c": 1.05}), replace(OPTIONS, min_speedup=0.1))
        assert found.winner is None
        assert found.measurements["c"].decision is Decision.NO_DIFFERENCE

    async def test_however_little_time_there_is_there_are_processes_enough_to_be_sure(self):
        found = await run(Scripted({"c": 2.0}, wild=0), replace(OPTIONS, budget=0.001))
        assert found.winner == "c"
        assert found.measurements["c"].processes == 6

    async def test_a_bound_on_processes_holds(self):
        found = await run(Scripted({"c": 1.012}), replace(OPTIONS, most=10))
        assert found.measurements["c"].processes == 10

    async def test_nobody_to_race_is_no_race(self):
        found = await run(Scripted({}))
        assert (found.winner, dict(found.measurements), found.placebo, found.noisy) == (None, {}, None, False)


class Bursts(Scripted):
    """Calls of 50 ms where others work in bursts: few laps, and each of them off by percents."""

    def __init__(self, speedups: Mapping[str, float], *, seed: int = 0, are_long: bool = True) -> None:
        super().__init__(speedups, seed=seed, luck=2.5)
        self.are_long = are_long

    async def lap(self, contenders: Sequence[Contender]) -> Lap:
        lap = await super().lap(contenders)
        self.seconds += 0.2
        return replace(lap, blocks=4, has_long_blocks=self.are_long)

    def _round(self, name: str) -> Times:
        """The candidate before and after the two that it is compared with."""
        speedup = self.speedups[name]
        return (
            self._times(speedup) if name in (BASELINE, PLACEBO) else (self._times(speedup) + self._times(speedup)) * 0.5
        )


class TestLongCalls:
    async def test_first_passes_count_so_that_more_is_found_and_nothing_that_is_not_there(self):
        async def raced(speedup: float, *, are_long: bool) -> list[RaceResult]:
            return [await run(Bursts({"c": speedup}, seed=seed, are_long=are_long)) for seed in range(300)]

        cases = itertools.product((1.0, 1.05), (True, False))
        found = {(speedup, are_long): await raced(speedup, are_long=are_long) for speedup, are_long in cases}
        wins = {case: sum(one.winner == "c" for one in results) for case, results in found.items()}
        assert 300 - wins[1.05, True] < 0.8 * (300 - wins[1.05, False])
        assert wins[1.0, True] <= 6
        for speedup in (1.0, 1.05):
            spans = [one.measurements["c"].speedup for one in found[speedup, True]]
            assert sum(span.low <= speedup <= span.high for span in spans if span is not None) >= 0.95 * 300

    @pytest.mark.parametrize("speedup", [1.0, 1.5])
    async def test_a_first_pass_that_is_not_like_what_follows_does_not_count(self, speedup: float):
        for cold in (0.5, 0.97, 1.03, 3.0):
            track = Bursts({"c": speedup})
            track.random, track.luck, track.wild = random.Random(1), 0.3, 0.0
            track.cold = {"c": cold * speedup}
            one = (await run(track)).measurements["c"]
            assert one.speedup == one.warm
            assert one.speedup.estimate == pytest.approx(speedup, abs=0.005)


class TestPlacebo:
    async def test_where_the_placebo_stays_different_nothing_is_believed(self):
        track = Scripted({"c": 1.5})
        track.speedups[PLACEBO] = 1.1
        found = await run(track)
        assert found.noisy
        assert found.winner is None
        assert found.measurements["c"].decision is Decision.NO_DIFFERENCE
        assert found.placebo is not None
        assert found.placebo.low > 1
        assert OPTIONS.budget * 1.9 < found.seconds < OPTIONS.budget * 2.2

    async def test_where_it_only_seemed_so_measuring_longer_helps(self):
        class Settling(Scripted):
            async def lap(self, contenders: Sequence[Contender]) -> Lap:
                self.speedups[PLACEBO] = 1.05 if self.seconds < OPTIONS.budget * 0.8 else 1.0
                return await super().lap(contenders)

        found = await run(Settling({"c": 1.5}))
        assert found.seconds > OPTIONS.budget
        assert not found.noisy
        assert found.winner == "c"


class TestSeveral:
    async def test_the_best_of_eight_is_picked(self):
        speedups = {f"c{number}": 1 + number / 40 for number in range(8)}
        found = [await run(Scripted(speedups, seed=seed)) for seed in range(60)]
        assert sum(one.winner == "c7" for one in found) >= 57

    async def test_who_is_slower_leaves_early_and_the_time_goes_to_those_that_are_close(self):
        track = Scripted({"slow": 0.5, "same": 1.0, "good": 1.3, "best": 1.33})
        found = await run(track)
        measured = found.measurements
        assert measured["slow"].decision is Decision.SLOWER
        assert measured["slow"].processes < measured["good"].processes
        assert measured["same"].decision is Decision.NO_DIFFERENCE
        assert measured["good"].decision is Decision.FASTER
        assert found.winner == "best"

    async def test_the_winner_is_confirmed_on_processes_that_had_no_part_in_choosing_it(self):
        track = Scripted({"good": 1.1, "best": 1.3})
        found = await run(track)
        best = found.measurements["best"]
        assert best.is_confirmed
        own = [names for names in track.laps if names == [BASELINE, PLACEBO, "best"]]
        assert len(own) == best.processes
        assert not found.measurements["good"].is_confirmed

    async def test_the_best_of_many_that_are_the_same_is_not_called_faster(self):
        speedups = {f"c{number}": 1.0 for number in range(8)}
        found = [await run(Scripted(speedups, seed=seed)) for seed in range(40)]
        assert sum(one.winner is not None for one in found) == 0

    async def test_what_is_said_of_the_winner_is_not_too_good_to_be_true(self):
        speedups = {f"c{number}": 1.05 for number in range(8)}
        found = [await run(Scripted(speedups, seed=seed)) for seed in range(60)]
        estimates = sorted(one.measurements[one.winner].speedup.estimate for one in found if one.winner is not None)
        assert estimates[len(estimates) // 2] == pytest.approx(1.05, abs=0.003)

    async def test_one_with_a_fault_leaves_and_the_others_go_on(self):
        found = await run(Scripted({"bad": 9.0, "good": 1.3, "same": 1.0}, bad=4))
        assert found.winner == "good"
        assert found.measurements["bad"].fault is not None
        assert found.measurements["bad"].decision is Decision.NO_DIFFERENCE

    async def test_one_with_a_fault_when_it_is_to_be_confirmed_has_not_won(self):
        found = await run(Scripted({"bad": 9.0, "same": 1.0}, bad=16))
        assert found.winner is None
        assert found.measurements["bad"].fault is not None
        assert found.measurements["bad"].decision is Decision.NO_DIFFERENCE

    async def test_where_all_leave_there_is_no_winner(self):
        found = await run(Scripted({"one": 2.0, "two": 2.0}, one=1, two=2))
        assert found.winner is None
        assert all(one.fault for one in found.measurements.values())

    async def test_where_none_can_win_nothing_is_confirmed(self):
        found = await run(Scripted({"one": 0.5, "two": 0.7}))
        assert found.winner is None
        assert not any(one.is_confirmed for one in found.measurements.values())
        assert {one.decision for one in found.measurements.values()} == {Decision.SLOWER}

    @pytest.mark.parametrize("count", [1, 3])
    async def test_where_laps_are_dear_it_ends_undecided_when_it_has_taken_too_long(self, count: int):
        names = [f"c{number}" for number in range(count)]
        track = Scripted(dict.fromkeys(names, 1.5))
        found = await run(track, replace(OPTIONS, budget=0.1, longest=0.5))
        assert track.seconds < 0.5 + SECONDS * (count + 2) / 3 * 2, "the last lap, and one to confirm by"
        assert found.winner is None
        assert all(one.decision is Decision.NO_DIFFERENCE for one in found.measurements.values())
        assert any(one.is_undecided for one in found.measurements.values())
        assert (await run(Scripted(dict.fromkeys(names, 1.5)), replace(OPTIONS, budget=0.1))).winner is not None


class TestWhatIsNoted:
    async def test_a_shape_on_which_it_is_slower_is_named_and_one_that_is_not_is_not(self):
        track = Scripted({"c": 1.5})
        track.shapes = {"large": {"c": 1.6}, "small": {"c": 0.9}, "same": {"c": 0.98}}
        one = (await run(track)).measurements["c"]
        assert one.decision is Decision.FASTER
        assert one.mixed == ("small",)
        assert [shape.shape for shape in one.shapes] == ["large", "small", "same"]

    async def test_a_decision_that_comes_early_still_says_on_which_of_many_shapes_it_is_slower(self):
        track = Scripted({"c": 3.0})
        track.shapes = {"small": {"c": 0.5}} | {f"large{number}": {"c": 3.0} for number in range(7)}
        one = (await run(track, replace(OPTIONS, budget=0.5))).measurements["c"]
        assert one.decision is Decision.FASTER
        assert one.mixed == ("small",)

    async def test_what_only_repeated_calls_gain_is_noted_and_decides_where_it_was_flagged(self):
        track = Scripted({"c": 5.0})
        track.cold = {"c": 1.0}
        one = (await run(track)).measurements["c"]
        assert one.decision is Decision.FASTER
        assert one.remembers
        assert one.cold is not None
        assert one.cold.high < 1.1
        track = Scripted({"c": 5.0})
        track.cold = {"c": 1.0}
        one = (await run(track, keeps_results=True)).measurements["c"]
        assert one.decision is Decision.NO_DIFFERENCE
        assert one.speedup == one.cold
        assert one.warm is not None
        assert one.warm.low > 4

    async def test_what_is_faster_from_the_first_call_on_remembers_nothing(self):
        assert not (await run(Scripted({"c": 5.0}))).measurements["c"].remembers


@pytest.mark.parametrize(("small", "winner"), [(1.5, "small"), (1.49, "small"), (1.3, "large")])
async def test_of_several_that_can_hardly_be_told_apart_the_smallest_wins(small: float, winner: str):
    field = [Contender(name="large", change=Change(), size=9), Contender(name="small", change=Change(), size=2)]
    won = []
    for seed in range(8):
        result = await race(Scripted({"large": 1.5, "small": small}, seed=seed), field, OPTIONS)
        won.append(result.winner)
    assert won.count(winner) >= 7, won
