from __future__ import annotations

import itertools
import math
import random
import statistics

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from bakeoff.events import Decision
from bakeoff.measure.statistics import (
    Interval,
    decide,
    good_count,
    interval,
    least_count,
    log_ratio,
    look_confidence,
)

VALUES = st.lists(st.floats(-5, 5), min_size=1, max_size=60)
CONFIDENCES = st.floats(0.5, 0.999)


def found(estimate: float, low: float, high: float, *, holds: bool = True) -> Interval:
    logs = (math.log(value) for value in (estimate, low, high))
    return Interval(**dict(zip(("estimate", "low", "high"), logs, strict=True)), confidence=0.95, count=20, holds=holds)


class TestInterval:
    @given(values=VALUES, confidence=st.sampled_from([0.9, 0.95, 0.99]))
    def test_it_is_the_one_that_scipy_finds_for_the_median(self, values: list[float], confidence: float):
        mine = interval(values, confidence)
        theirs = stats.quantile_test(values, q=0, p=0.5).confidence_interval(confidence)
        known = (mine.low, mine.high) if mine.holds else (math.nan, math.nan)
        assert (theirs.low, theirs.high) == pytest.approx(known, abs=0, nan_ok=True)

    @given(values=VALUES, confidence=CONFIDENCES)
    def test_its_confidence_is_what_the_binomial_distribution_says(self, values: list[float], confidence: float):
        mine = interval(values, confidence)
        cut = sorted(values).index(mine.low)
        assert mine.low == sorted(values)[cut]
        rank = next(k for k in range(len(values)) if math.isclose(mine.confidence, exact(len(values), k), abs_tol=1e-9))
        assert sorted(values)[rank] == mine.low
        assert mine.holds == (mine.confidence >= confidence)

    @pytest.mark.parametrize("count", range(6, 13))
    def test_it_covers_the_truth_exactly_as_often_as_it_says(self, count: int):
        # Whatever the noise is like: each value is above or below the truth like a coin. All coins are thrown.
        chance = random.Random(count)
        sizes = [chance.lognormvariate(0, 2) for _ in range(count)]
        covered = 0
        for signs in itertools.product((-1, 1), repeat=count):
            one = interval([sign * size for sign, size in zip(signs, sizes, strict=True)], 0.95)
            covered += one.low <= 0 <= one.high
        assert covered / 2**count == pytest.approx(one.confidence)
        assert one.confidence >= 0.95

    @given(values=VALUES, confidence=CONFIDENCES, shift=st.integers(-8, 8))
    def test_it_moves_and_turns_with_its_values(self, values: list[float], confidence: float, shift: int):
        plain = interval(values, confidence)
        moved = interval([value + shift for value in values], confidence)
        turned = interval([-value for value in values], confidence)
        assert (moved.low, moved.high) == (plain.low + shift, plain.high + shift)
        assert (turned.low, turned.high, turned.estimate) == (-plain.high, -plain.low, -plain.estimate)

    @given(values=VALUES, confidence=CONFIDENCES, seed=st.integers())
    def test_the_order_of_values_does_not_matter(self, values: list[float], confidence: float, seed: int):
        shuffled = random.Random(seed).sample(values, len(values))
        assert interval(shuffled, confidence) == interval(values, confidence)

    @given(values=VALUES, confidences=st.tuples(CONFIDENCES, CONFIDENCES))
    def test_more_confidence_is_never_narrower(self, values: list[float], confidences: tuple[float, float]):
        less, more = (interval(values, confidence) for confidence in sorted(confidences))
        assert more.low <= less.low <= less.estimate <= less.high <= more.high
        assert more.confidence >= less.confidence

    @given(values=st.lists(st.floats(-1, 1), min_size=12, max_size=40), wild=st.floats(-1e300, 1e300))
    def test_one_wild_value_cannot_move_it_beyond_the_others(self, values: list[float], wild: float):
        one = interval([*values, wild], 0.95)
        assert min(values) <= one.low <= one.high <= max(values)

    @given(confidence=CONFIDENCES)
    def test_as_many_values_as_are_needed_at_least_are_enough(self, confidence: float):
        count = least_count(confidence)
        assert interval([0.0] * count, confidence).holds
        assert not interval([0.0] * (count - 1), confidence).holds if count > 1 else True

    @given(count=st.integers(1, 60), confidence=st.floats(0.5, 0.999))
    def test_a_good_count_is_the_next_from_which_one_more_may_be_cut_off(self, count: int, confidence: float):
        def cut(many: int) -> int:
            return round(interval([float(value) for value in range(many)], confidence).low)

        good = good_count(count, confidence)
        assert good >= max(count, least_count(confidence))
        assert good == least_count(confidence) or cut(good) == cut(good - 1) + 1
        assert all(cut(many) == cut(many - 1) for many in range(max(count, least_count(confidence) + 1), good))

    def test_a_great_many_values_are_no_problem(self):
        one = interval([float(value) for value in range(3001)], 0.95)
        assert one.estimate == 1500
        assert one.confidence == pytest.approx(0.95, abs=0.005)

    def test_it_needs_values_and_a_confidence(self):
        with pytest.raises(ValueError, match="needs values"):
            interval([], 0.95)
        for confidence in (0, 1, 2):
            with pytest.raises(ValueError, match="between 0 and 1"):
                interval([1.0], confidence)

    def test_as_a_speedup_it_is_a_ratio(self):
        assert found(1.5, 1.25, 2).speedup.low == pytest.approx(1.25)
        assert found(1.5, 1.25, 2).speedup.estimate == pytest.approx(1.5)


def exact(count: int, cut: int) -> float:
    return 1 - 2 * float(stats.binom.cdf(cut, count, 0.5))


class TestLogRatio:
    @given(st.lists(st.tuples(st.floats(1e-6, 10), st.floats(1e-6, 10)), min_size=1, max_size=20))
    def test_it_is_the_median_and_turns_round(self, pairs: list[tuple[float, float]]):
        over, under = zip(*pairs, strict=True)
        assert log_ratio(over, under) == pytest.approx(-log_ratio(under, over))
        assert log_ratio(over, over) == 0
        assert log_ratio(over, under) == pytest.approx(statistics.median(math.log(a / b) for a, b in pairs))


class TestLooks:
    @given(st.lists(st.floats(0.01, 1), min_size=1, max_size=8, unique=True), CONFIDENCES, st.integers(1, 20))
    def test_all_looks_together_keep_the_confidence(self, shares: list[float], confidence: float, among: int):
        spent, before = 0.0, 0.0
        for share in sorted(shares):
            spent += 1 - look_confidence(confidence, share=share, before=before, among=among)
            before = share
        assert spent * among <= (1 - confidence) * (1 + 1e-9)

    def test_the_last_look_has_most_of_it(self):
        early = look_confidence(0.95, share=0.2)
        late = look_confidence(0.95, share=1, before=0.2)
        assert early > 0.99 > late > 0.95

    def test_looks_go_on(self):
        for share, before in ((0.5, 0.5), (0, 0), (1.1, 0.5)):
            with pytest.raises(ValueError, match="looks go on"):
                look_confidence(0.95, share=share, before=before)


class TestDecide:
    @pytest.mark.promise("E8")
    @pytest.mark.parametrize(
        ("one", "decision"),
        [
            (found(1.05, 1.02, 1.08), Decision.FASTER),
            (found(1.05, 0.999, 1.08), Decision.NO_DIFFERENCE),
            (found(1.009, 1.002, 1.02), Decision.NO_DIFFERENCE),
            (found(0.95, 0.9, 0.98), Decision.SLOWER),
            (found(0.95, 0.9, 1.001), Decision.NO_DIFFERENCE),
            (found(0.995, 0.99, 0.999), Decision.NO_DIFFERENCE),
            (found(2, 1.5, 3, holds=False), Decision.NO_DIFFERENCE),
            (found(0.5, 0.4, 0.6, holds=False), Decision.NO_DIFFERENCE),
        ],
    )
    def test_only_an_interval_beyond_1_and_an_estimate_beyond_the_margin_count(self, one: Interval, decision: Decision):
        assert decide(one, margin=0.01) is decision

    def test_the_users_least_speedup_is_a_margin_for_faster_only(self):
        assert decide(found(1.08, 1.05, 1.1), margin=0.01, min_speedup=0.1) is Decision.NO_DIFFERENCE
        assert decide(found(1.12, 1.05, 1.2), margin=0.01, min_speedup=0.1) is Decision.FASTER
        assert decide(found(0.97, 0.95, 0.98), margin=0.01, min_speedup=0.1) is Decision.SLOWER

    @given(values=st.lists(st.floats(-1, 1), min_size=6, max_size=30), margin=st.floats(0, 0.5))
    def test_it_is_the_other_way_round_for_the_other_way_round(self, values: list[float], margin: float):
        opposite = {Decision.FASTER: Decision.SLOWER, Decision.SLOWER: Decision.FASTER}
        there = decide(interval(values, 0.95), margin=margin)
        back = decide(interval([-value for value in values], 0.95), margin=margin)
        assert back is opposite.get(there, there)
