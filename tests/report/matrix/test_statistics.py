from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from bakeoff.report.matrix.statistics import Estimate, Scale, estimate, paired, scale_of, student

ROUNDS = 1000
TOLERANCE = 0.018  # three standard errors of a share of so many rounds, at 0.96 or so
SHARES = st.dictionaries(
    st.sampled_from("abcdefgh"), st.lists(st.sampled_from([0.0, 1.0]), min_size=1, max_size=4), min_size=1
)
NUMBERS = st.dictionaries(
    st.sampled_from("abcdefgh"), st.lists(st.floats(1e-3, 1e6), min_size=1, max_size=4), min_size=1
)


def one_each(values) -> dict[str, list[float]]:
    return {str(number): [float(value)] for number, value in enumerate(values)}


def of(values, scale: Scale) -> Estimate:
    found = estimate(one_each(values), scale)
    assert found is not None
    return found


# ── Against scipy ────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("freedom", [*range(1, 40), 99, 100, 250, 399, 400, 401, 1000, 100_000])
def test_students_t_is_that_of_scipy(freedom):
    assert student(freedom) == pytest.approx(stats.t.ppf(0.975, freedom), rel=1e-7)
    assert student(freedom, 0.8) == pytest.approx(stats.t.ppf(0.9, freedom), rel=1e-7)


@pytest.mark.parametrize(("right", "count"), [(0, 1), (0, 7), (3, 7), (7, 7), (41, 50), (199, 200)])
def test_one_answer_a_task_gets_wilsons_interval(right, count):
    found = of([1.0] * right + [0.0] * (count - right), Scale.YES_NO)
    theirs = stats.binomtest(right, count).proportion_ci(method="wilson")
    assert (found.low, found.high) == pytest.approx((theirs.low, theirs.high), abs=1e-12)


@given(st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=30))
def test_amounts_get_students_interval(values):
    found = of(values, Scale.AMOUNT)
    error = stats.sem(values)
    theirs = stats.t.interval(0.95, len(values) - 1, np.mean(values), error) if error else (values[0], values[0])
    assert (found.low, found.high) == pytest.approx(theirs, rel=1e-6, abs=1e-6)


def test_times_get_students_interval_of_their_logarithms():
    values = [812.4, 640.0, 1900.0, 733.0]
    found = of(values, Scale.TIME)
    logs = np.log(values)
    theirs = np.exp(stats.t.interval(0.95, 3, logs.mean(), stats.sem(logs)))
    assert (found.low, found.high) == pytest.approx(tuple(theirs))
    assert found.value == pytest.approx(stats.gmean(values))


# ── Against the truth ────────────────────────────────────────────────────────────────────────────────────────────────


def coverage(draw, truth: float, scale: Scale, *, against: bool = False) -> float:
    """How often the interval has the truth in it. `draw` gives the groups of one experiment, or both sides of one."""
    chance, hits = np.random.default_rng(7), 0
    for _ in range(ROUNDS):
        drawn = draw(chance)
        found = paired(*drawn[:2], scale, repeats=drawn[2]) if against else estimate(drawn, scale)
        hits += found.low <= truth + 1e-12 and truth - 1e-12 <= found.high
    return hits / ROUNDS


@pytest.mark.promise("M9")
@pytest.mark.parametrize("count", [5, 10, 30])
@pytest.mark.parametrize(("first", "second"), [(2.0, 2.0), (4.0, 1.0), (8.0, 0.5)])
@pytest.mark.parametrize("repeats", [1, 3])
def test_intervals_of_yes_and_no_cover_the_truth(count, first, second, repeats):
    """Tasks are easy or hard, and so repeats of one are alike."""

    def draw(chance):
        shares = chance.beta(first, second, count)
        return {str(task): list(map(float, chance.random(repeats) < share)) for task, share in enumerate(shares)}

    # Wilson's swings around what it promises where nearly all answers are right, however many there are.
    least = 0.91 if second < 1 else 0.95 - TOLERANCE - 0.01
    assert coverage(draw, first / (first + second), Scale.YES_NO) >= least


@pytest.mark.promise("M9")
@pytest.mark.parametrize("count", [3, 10, 30])
@pytest.mark.parametrize(("first", "second"), [(2.0, 2.0), (8.0, 2.0)])
def test_intervals_of_shares_cover_the_truth(count, first, second):
    def draw(chance):
        return one_each(chance.beta(first, second, count))

    assert coverage(draw, first / (first + second), Scale.SHARE) >= 0.95 - TOLERANCE


@pytest.mark.promise("M9")
@pytest.mark.parametrize("count", [2, 5, 30])
def test_intervals_of_times_cover_the_truth(count):
    def draw(chance):
        return one_each(chance.lognormal(math.log(800), 1.0, count))

    assert coverage(draw, 800.0, Scale.TIME) == pytest.approx(0.95, abs=TOLERANCE + 0.005)


@pytest.mark.promise("M9")
@pytest.mark.parametrize("count", [5, 12, 40])
@pytest.mark.parametrize(("better", "worse"), [(0.1, 0.1), (0.3, 0.1), (0.05, 0.0)])
def test_intervals_of_changes_of_yes_and_no_cover_the_truth(count, better, worse):
    def draw(chance):
        luck = chance.random(count)
        before = {str(task): float(better <= one < better + worse) for task, one in enumerate(luck)}
        return before, {str(task): float(one < better) for task, one in enumerate(luck)}, 1.0

    assert coverage(draw, better - worse, Scale.YES_NO, against=True) >= 0.95 - TOLERANCE


@pytest.mark.promise("M9")
@pytest.mark.parametrize(("count", "repeats"), [(10, 3), (20, 5)])
def test_intervals_of_changes_of_repeated_tasks_cover_the_truth_and_are_not_wide_for_nothing(count, repeats):
    widths = []

    def draw(chance):
        before = chance.beta(2, 2, count)
        sides = [chance.binomial(repeats, share) / repeats for share in (before, 0.8 * before + 0.2)]
        return *({str(task): float(one) for task, one in enumerate(side)} for side in sides), repeats

    found = coverage(draw, 0.1, Scale.YES_NO, against=True)
    assert 0.95 - TOLERANCE <= found <= 0.99
    chance = np.random.default_rng(1)
    for _ in range(200):
        before, after, _ = draw(chance)
        ours = paired(before, after, Scale.YES_NO, repeats=repeats)
        theirs = paired(before, after, Scale.AMOUNT)
        widths.append((ours.high - ours.low) / (theirs.high - theirs.low))
    assert np.mean(widths) < 1.02


# ── What they promise ────────────────────────────────────────────────────────────────────────────────────────────────


@given(SHARES)
def test_shares_never_leave_their_bounds_and_are_never_certain(groups):
    found = estimate(groups, Scale.YES_NO)
    assert 0 <= found.low <= found.value <= found.high <= 1
    assert found.high - found.low > 0.01


@given(NUMBERS, st.randoms())
def test_the_order_of_answers_is_no_matter(groups, chance):
    names = list(groups)
    chance.shuffle(names)
    other = {name: chance.sample(groups[name], len(groups[name])) for name in names}
    for scale in (Scale.TIME, Scale.AMOUNT):
        assert estimate(groups, scale) == estimate(other, scale)


@given(NUMBERS, st.floats(0.01, 100))
def test_times_in_other_units_say_the_same(groups, factor):
    found, other = (
        estimate(groups, Scale.TIME),
        estimate({k: [factor * v for v in vs] for k, vs in groups.items()}, Scale.TIME),
    )
    assert other.value == pytest.approx(found.value * factor)
    assert (other.low is None) is (found.low is None)
    if found.low is not None and found.low > 1e-200:
        assert other.low == pytest.approx(found.low * factor, rel=1e-6)


def test_repeats_are_not_taken_for_tasks():
    """The same answers, three times each, say little more than once."""
    once, thrice = ({str(task): [float(task % 2)] * many for task in range(10)} for many in (1, 3))
    assert estimate(thrice, Scale.YES_NO) == estimate(once, Scale.YES_NO)
    mixed = {str(task): [0.0, 1.0, float(task % 2)] for task in range(10)}
    known, certain = estimate(mixed, Scale.YES_NO), of([0.0, 1.0] * 15, Scale.YES_NO)
    assert known.high - known.low == pytest.approx(certain.high - certain.low)


def test_of_a_single_task_its_answers_count():
    found = estimate({"only": [1.0, 1.0, 0.0, 1.0]}, Scale.YES_NO)
    assert (found.count, found.unit) == (4, "answer")
    assert found == estimate({"only": [0.0, 1.0, 1.0, 1.0]}, Scale.YES_NO)
    assert estimate({"a": [1.0], "b": [0.5]}, Scale.SHARE).unit == "task"


def test_where_too_little_is_known_there_is_no_interval():
    for scale in (Scale.SHARE, Scale.TIME, Scale.AMOUNT):
        assert (of([0.5], scale).value, of([0.5], scale).low) == (0.5, None)
    assert estimate({"a": []}, Scale.YES_NO) is None
    assert paired({"a": 1.0}, {"a": 3.0}, Scale.AMOUNT).low is None


def test_nothing_changed_is_no_proof_that_nothing_does():
    same = {str(task): 1.0 for task in range(10)}
    found = paired(same, same, Scale.YES_NO)
    assert found.value == 0
    assert found.low == -found.high < -0.15


def test_of_times_ratios_are_compared_by_the_tasks_that_both_have():
    before, after = {"a": 100.0, "b": 1000.0, "c": 5.0}, {"a": 200.0, "b": 2000.0, "d": 5.0}
    found = paired(before, after, Scale.TIME)
    assert (found.value, found.low, found.high, found.count) == (
        pytest.approx(2),
        pytest.approx(2),
        pytest.approx(2),
        2,
    )
    with pytest.raises(ValueError, match="no task"):
        paired({"a": 1.0}, {"b": 1.0}, Scale.AMOUNT)


@pytest.mark.parametrize(
    ("values", "is_time", "scale"),
    [
        ([0.0, 1.0], False, Scale.YES_NO),
        ([0.0, 0.5, 1.0], False, Scale.SHARE),
        ([0.0, 1.5], False, Scale.AMOUNT),
        ([-0.5], False, Scale.AMOUNT),
        ([0.5, 12.0], True, Scale.TIME),
        ([0.0, 12.0], True, Scale.AMOUNT),
    ],
)
def test_the_scale_is_found_in_the_numbers(values, is_time, scale):
    assert scale_of(values, is_time=is_time) is scale
