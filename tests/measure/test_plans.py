from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bakeoff.measure import Clock
from bakeoff.measure.laps import BASELINE, PLACEBO, BadReport, lap
from bakeoff.measure.plans import Plan, Seen, plan, which_clock
from bakeoff.targets import RecordedCall


def seen(wall: float, *, cpu: float | None = None, mode: str = "plain", **others: float) -> Seen:
    return Seen(
        mode=mode,
        raises=False,
        cpu=wall if cpu is None else cpu,
        wall=wall,
        **{"children": 0.0, "waits": 0.0, **others},
    )


def recorded(shape: str = "", weight: float = 1.0, size: int = 10) -> RecordedCall:
    return RecordedCall(arguments=bytes(size), shape=shape, weight=weight)


CALLS = st.lists(
    st.tuples(st.sampled_from("abcd"), st.floats(0.1, 1e4), st.floats(1e-7, 0.2), st.sampled_from(["plain", "lazy"])),
    min_size=1,
    max_size=40,
)


class TestPlan:
    @given(CALLS)
    def test_what_is_timed_stands_for_all_that_was_recorded(self, calls: list[tuple[str, float, float, str]]):
        made = plan(
            [recorded(shape, weight) for shape, weight, _, _ in calls],
            [seen(cost, mode=mode) for _, _, cost, mode in calls],
            block=0.0025,
        )
        costs = [cost for _, _, cost, _ in calls]
        total = sum(weight * cost for _, weight, cost, _ in calls)
        scaled = sum(part.scale * part.passes * sum(costs[number] for number in part.calls) for part in made.parts)
        assert scaled == pytest.approx(total * made.covered, rel=1e-6)
        assert 0 < made.covered <= 1 + 1e-9
        numbers = [number for part in made.parts for number in part.calls]
        assert len(set(numbers)) == len(numbers)
        for part in made.parts:
            assert {calls[number][0] for number in part.calls} == {part.shape}
            assert {calls[number][3] for number in part.calls} == {part.mode}
        longest = max(part.seconds for part in made.parts)
        assert made.seconds <= max(0.1, longest) + 1e-9

    def test_a_block_takes_about_as_long_as_it_should(self):
        made = plan([recorded()], [seen(1e-6)], block=0.0025)
        assert made.parts[0].passes == 2500
        assert made.seconds == pytest.approx(0.0025)

    def test_a_call_that_is_longer_is_made_once(self):
        made = plan([recorded()], [seen(0.3)], block=0.0025)
        assert (made.parts[0].passes, made.parts[0].calls, made.covered) == (1, (0,), 1)

    def test_what_is_rare_but_slow_counts_as_much_as_it_takes(self):
        calls = [recorded("small", 1000), recorded("large", 1)]
        made = plan(calls, [seen(1e-5), seen(1e-2)], block=0.0025)
        assert {part.shape for part in made.parts} == {"small", "large"}
        assert [part.scale * part.seconds for part in made.parts] == pytest.approx([1e-2, 1e-2])

    def test_many_long_calls_are_sampled_from_the_cheapest_to_the_dearest(self):
        made = plan(
            [recorded() for _ in range(100)], [seen(0.001 * (1 + number)) for number in range(100)], block=0.0025
        )
        assert made.seconds < 0.2
        assert made.covered == 1

    def test_of_calls_that_are_alike_the_one_that_takes_the_time_is_timed(self):
        """However long it takes: by the others nobody would see what becomes of it."""
        calls = [recorded() for _ in range(5)]
        made = plan(calls, [seen(3e-7), seen(1e-6), seen(2e-6), seen(1e-5), seen(2e-2)], block=0.0025)
        assert [part.calls for part in made.parts] == [(4,)]
        assert made.parts[0].scale * made.parts[0].seconds == pytest.approx(0.02, rel=0.01)

    def test_a_sample_has_of_each_kind_of_cost_what_it_takes_of_the_time(self):
        costs = [1e-5] * 400 + [1e-3] * 4
        made = plan([recorded() for _ in costs], [seen(cost) for cost in costs], block=0.001)
        took = {costs[part.calls[0]]: part.scale * part.seconds for part in made.parts}
        assert took == pytest.approx({1e-5: 4e-3, 1e-3: 4e-3}, rel=0.5)
        assert made.seconds < 0.01

    def test_large_arguments_are_not_copied_without_bound(self):
        made = plan([recorded(size=1 << 22)], [seen(1e-6)], block=0.0025)
        assert made.parts[0].passes == 4

    def test_calls_whose_arguments_take_long_to_prepare_are_fewer(self):
        made = plan([recorded()], [seen(1e-4, ready=2e-3)], block=0.0025)
        assert made.parts[0].passes == 4
        assert made.ready == pytest.approx(8e-3)
        assert plan([recorded()], [seen(1e-4, ready=1.0)], block=0.0025).parts[0].passes == 1
        assert plan([recorded()], [seen(1e-4)], block=0.0025).parts[0].passes == 25

    def test_calls_that_there_was_no_time_to_look_at_are_not_covered(self):
        made = plan([recorded(), recorded()], [seen(1e-5), None], block=0.0025)
        assert made.covered == 0.5


class TestClock:
    def test_what_works_is_timed_by_its_cpu_time_on_a_busy_machine_too(self):
        assert which_clock([seen(1e-3)]) is Clock.CPU
        assert which_clock([seen(1e-3, cpu=5e-4)]) is Clock.CPU

    def test_what_waits_or_has_help_is_timed_by_the_clock(self):
        assert which_clock([seen(1e-3, cpu=1e-4, waits=1.0)]) is Clock.WALL
        assert which_clock([seen(1e-3, cpu=1.9e-3)]) is Clock.WALL
        assert which_clock([seen(1e-3, cpu=1e-4, children=9e-4), None]) is Clock.WALL


def small_plan() -> Plan:
    return plan([recorded("a"), recorded("b", 3)], [seen(1e-3), seen(1e-3)], block=0.0025)


def report(**changed: Any) -> dict[str, Any]:
    def block(world: int, time: int) -> dict[str, Any]:
        return {"world": world, "times": [[time, time], [time, time]], "children": 0.0, "waits": 0, "switches": 0}

    rounds = [[block(0, 200), block(1, 200), block(2, 100), block(2, 100), block(1, 200), block(0, 200)]]
    return {"rounds": rounds, "cold": [[[9, 9], [9, 9]]] * 3, "core": None, **changed}


NAMES = [BASELINE, PLACEBO, "c"]
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)


class TestLap:
    def test_times_become_ratios(self):
        found = lap(report(), small_plan(), NAMES)
        assert found.warm("c", Clock.CPU) == pytest.approx(math.log(2))
        assert found.warm(PLACEBO, Clock.WALL) == 0
        assert found.first("c", Clock.CPU) == 0
        assert found.of_shape("a", "c", Clock.CPU) == pytest.approx(math.log(2))
        assert found.blocks == 6
        assert "c" in found

    def test_what_children_use_counts(self):
        told = report()
        for block in told["rounds"][0]:
            block["children"] = 400e-9 if block["world"] == 2 else 0.0
        found = lap(told, small_plan(), NAMES)
        assert found.warm("c", Clock.CPU) == pytest.approx(math.log(400 / 600))
        assert found.warm("c", Clock.WALL) == pytest.approx(math.log(2))

    @given(name=st.sampled_from(["rounds", "cold"]), value=JSON)
    def test_a_claim_that_is_none_is_refused_and_never_breaks_us(self, name: str, value: Any):
        with pytest.raises(BadReport):
            lap(report(**{name: value}), small_plan(), NAMES)

    @pytest.mark.parametrize("time", [-1, 0, 1.5, True, None, "1", math.nan])
    def test_a_time_is_a_positive_number_of_nanoseconds(self, time: Any):
        told = report()
        told["rounds"][0][0]["times"] = [[5, time], [5, 5]]
        with pytest.raises(BadReport):
            lap(told, small_plan(), NAMES)

    def test_a_world_that_is_missing_from_a_round_is_noticed(self):
        told = report()
        told["rounds"][0] = [block for block in told["rounds"][0] if block["world"] != 2]
        with pytest.raises(BadReport, match="not complete"):
            lap(told, small_plan(), NAMES)
