"""The loop: budgets, the first valid one, failures, hooks, what is counted and what is chosen.

On virtual time: seconds here cost nothing and are exact.
"""

from __future__ import annotations

import inspect
import logging
import math
from collections import Counter
from pathlib import Path

import anyio
import numpy as np
import pytest
from anyio.lowlevel import checkpoint
from hypothesis import given, settings
from hypothesis import strategies as st

from bakeoff.errors import BudgetSpent, CallRefused, ProviderBroken, StoreUnwritable
from bakeoff.events import CallBegan, CallEnd, CallEnded, Run, SampleBegan, SampleChosen, SampleEnded
from bakeoff.models import Account, Budget, Message, Rates, Role, Usage
from bakeoff.sampling import (
    Extent,
    Hooks,
    MajorityVote,
    NothingSampled,
    Rejection,
    SamplingOptions,
    sample,
)
from bakeoff.store import Store
from bakeoff.testing.models import HANG, Hang, ScriptedModel
from sampling.samplings import Boom, Plan, ids, is_good, places, virtual
from virtual_clock import Stopwatch, run, tasks_living

BUDGETS = ["loop_budget", "concurrency_budget"]
RATES = Rates(tokens_in=1_000_000, tokens_out=2_000_000)  # a dollar for a token in, two for one out


# -- S1: budgets -------------------------------------------------------------------------------------------------------


@pytest.mark.promise("S1")
@settings(max_examples=30)
@given(
    loop=st.integers(1, 5),
    breadth=st.integers(1, 6),
    seconds=st.lists(st.integers(0, 4), min_size=1, max_size=30),
    backend=st.sampled_from(["asyncio", "trio"]),
)
def test_depth_times_breadth_is_the_most_and_breadth_at_once(loop: int, breadth: int, seconds: list[int], backend: str):
    order = iter(seconds * 30)
    model = ScriptedModel("bad", latency=lambda _: next(order))

    async def main() -> None:
        result = await sample("?", model, [is_good], loop_budget=loop, concurrency_budget=breadth)
        assert result.generated == result.extent.most == loop * breadth == len(model.requests)
        assert not result.success

    run(main, backend)
    assert model.peak == breadth, "no more at once, and no less while nothing is valid"


@pytest.mark.promise("S1")
@virtual
async def test_a_hook_may_change_the_budgets_and_these_hold():
    plan = Plan()
    beginnings = []

    async def on_start(beginning):
        beginnings.append(beginning)
        return Extent(loop_budget=2, concurrency_budget=3)

    model = plan.model()
    result = await sample("?", model, [is_good], loop_budget=9, hooks=Hooks(on_start=on_start))
    assert (result.extent.loop_budget, result.extent.concurrency_budget) == (2, 3)
    assert plan.asked == {1: 2, 2: 2, 3: 2}
    assert model.peak == 3
    (beginning,) = beginnings
    assert beginning.extent == Extent(loop_budget=9)
    assert beginning.requirements == ("It says so",)
    assert beginning.messages == (Message(content="?"),)


@virtual
async def test_one_answer_is_asked_for_where_nothing_else_is_said():
    model = ScriptedModel(["only"])
    result = await sample("?", model)
    assert (result.text, result.success, result.generated) == ("only", True, 1)
    assert result.sample is not None
    assert result.sample.validations == ()


# -- S2: the first valid one is enough ---------------------------------------------------------------------------------


@pytest.mark.promise("S2", "F4")
@virtual
async def test_the_first_valid_sample_ends_the_call_and_the_rest_is_settled_on_return():
    watch = Stopwatch()
    model = Plan({(2, 1): "good", (1, 1): HANG, (3, 2): HANG}, {(2, 1): 5.0, (3, 1): 2.0}).model()
    result = await sample("?", model, [is_good], loop_budget=4, concurrency_budget=3)
    assert watch.read() == 5.0
    assert model.open == 0
    assert result.success
    assert result.text == "good"
    assert result.sample is not None
    assert result.sample.id == "2.1"
    assert (result.generated, result.completed, result.cancelled) == (4, 2, 2)


@pytest.mark.promise("S2")
@virtual
async def test_what_is_being_judged_when_another_wins_is_kept_as_not_judged():
    async def slowly(text: str) -> bool:
        await anyio.sleep(0 if text == "good" else 60)
        return True

    model = Plan({(1, 1): "slow", (2, 1): "good"}, {(2, 1): 2.0}).model()
    result = await sample("?", model, [slowly], concurrency_budget=2)
    assert result.text == "good"
    slow, good = result.samples
    assert (slow.text, slow.is_judged, slow.is_valid) == ("slow", False, False)
    assert (good.is_judged, good.is_valid) == (True, True)
    assert (result.completed, result.cancelled) == (2, 0)


# -- S3: failures ------------------------------------------------------------------------------------------------------


@pytest.mark.promise("S3", "F7")
@virtual
async def test_where_nothing_comes_through_all_causes_are_raised_with_the_result():
    ends = []
    first, second = CallRefused("no such model", status=404), Boom("second")
    with pytest.raises(NothingSampled) as caught:
        await sample(
            "?",
            Plan({(1, 1): first, (2, 1): second}).model(),
            concurrency_budget=2,
            hooks=Hooks(on_end=ends.append),
        )
    assert caught.value.exceptions == (first, second)
    assert "no such model" in str(caught.value)
    assert ends == [caught.value.result]
    assert [failure.error for failure in ends[0].failures] == [first, second]
    assert ends[0].sample is None
    assert isinstance(caught.value, ExceptionGroup)
    matched, _ = caught.value.split(Boom)
    assert isinstance(matched, NothingSampled)
    assert matched.exceptions == (second,)
    assert matched.result is ends[0]


@pytest.mark.promise("S3", "F7")
@virtual
async def test_an_exception_after_a_failed_sample_is_not_swallowed_at_breadth_one():
    cause = Boom("in the second iteration")
    with pytest.raises(NothingSampled) as caught:
        await sample("?", Plan({(1, 2): cause}).model(), [is_good], loop_budget=5)
    assert caught.value.exceptions == (cause,)
    result = caught.value.result
    assert ids(result) == ["1.1"], "what was generated before is not lost"
    assert (result.generated, result.completed) == (2, 1)
    assert result.usage.tokens_out == 1


@pytest.mark.promise("S3")
@pytest.mark.parametrize("is_valid", [True, False])
@virtual
async def test_what_broke_beside_a_sample_is_in_the_result_and_in_the_log(is_valid: bool, caplog):
    cause = CallRefused("not for you", status=403)
    plan = Plan({(1, 1): "good" if is_valid else "bad", (2, 1): cause}, {(1, 1): 3.0})
    with caplog.at_level(logging.WARNING):
        result = await sample("?", plan.model(), [is_good], concurrency_budget=2)
    assert result.success is is_valid
    assert ids(result) == ["1.1"]
    (failure,) = result.failures
    assert (failure.subsample, failure.iteration, failure.error) == (2, 1, cause)
    (record,) = caplog.records
    assert record.getMessage() == "sample 2.1 failed: not for you"
    assert record.exc_info is not None
    assert record.exc_info[1] is cause


@pytest.mark.promise("S3")
@virtual
async def test_one_subsample_that_comes_to_its_end_is_enough_for_a_result():
    plan = Plan({(1, 1): Boom("first"), (2, 2): Boom("second")})
    result = await sample("?", plan.model(), [is_good], loop_budget=2, concurrency_budget=3)
    assert not result.success
    assert ids(result) == ["2.1", "3.1", "3.2"]
    assert [str(failure.error) for failure in result.failures] == ["first", "second"]


@virtual
async def test_a_budget_that_is_spent_ends_what_is_asked_next_and_keeps_what_was_answered():
    account = Account(budget=Budget(tokens=25))
    model = Plan().model(account=account)
    with pytest.raises(NothingSampled) as caught:
        await sample("?", model, [is_good], loop_budget=9, options=SamplingOptions(max_tokens=10))
    assert isinstance(caught.value.exceptions[0], BudgetSpent)
    result = caught.value.result
    assert 0 < len(result.samples) < 9
    assert result.usage.tokens_in + result.usage.tokens_out <= 25


# -- S4: budgets below one ---------------------------------------------------------------------------------------------


@pytest.mark.promise("S4")
@pytest.mark.parametrize("name", BUDGETS)
@pytest.mark.parametrize("budget", [0, -1, 1.5, True, "3", None, math.nan])
@virtual
async def test_a_budget_below_one_is_a_value_error_and_nothing_is_asked(name: str, budget: object):
    model = ScriptedModel("x")
    with pytest.raises(ValueError, match=f"{name} must be a whole number from 1 up, not {budget!r}"):
        await sample("?", model, **{name: budget})  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=name):
        await sample("?", model, hooks=Hooks(on_start=lambda _: Extent(**{name: budget})))  # type: ignore[arg-type]
    assert model.requests == []


@pytest.mark.promise("S4")
@virtual
async def test_a_hook_that_gives_something_else_than_an_extent_is_told_so():
    model = ScriptedModel("x")
    with pytest.raises(TypeError, match="on_start gave 3, where an Extent or None is wanted"):
        await sample("?", model, hooks=Hooks(on_start=lambda _: 3))  # type: ignore[arg-type, return-value]
    assert model.requests == []


@pytest.mark.parametrize(
    "options", [{"validations": 0}, {"patience": 0}, {"patience": math.nan}, {"max_tokens": 0}], ids=str
)
def test_options_that_cannot_be_are_value_errors(options: dict):
    with pytest.raises(ValueError, match="must be above 0"):
        SamplingOptions(**options)


@virtual
async def test_a_prompt_without_a_message_is_refused():
    with pytest.raises(ValueError, match="the prompt has no message"):
        await sample([], ScriptedModel("x"))


# -- S5: places --------------------------------------------------------------------------------------------------------


@pytest.mark.promise("S5")
@virtual
async def test_hooks_see_the_place_that_they_handle_while_others_are_elsewhere():
    """The first subsample is three iterations ahead of the second when that one ends its first."""
    plan = Plan(
        {(one, two): f"answer {one}.{two}" for one in (1, 2, 3) for two in (1, 2, 3)},
        {(2, 1): 3.5, (3, 1): 1.5, (3, 2): 2.5},
    )
    seen = []

    async def on_iteration(found):
        assert found.text == f"answer {found.id}"
        assert found.id == f"{found.subsample}.{found.iteration}"
        assert found.is_judged
        seen.append(found)
        await anyio.sleep(0.25)  # others arrive meanwhile

    result = await sample(
        "?", plan.model(), [is_good], loop_budget=3, concurrency_budget=3, hooks=Hooks(on_iteration=on_iteration)
    )
    order = places(seen)
    assert order != sorted(order), "they were to be interleaved"
    assert order.index((1, 3)) < order.index((2, 2))
    assert sorted(order) == [(one, two) for one in (1, 2, 3) for two in (1, 2, 3)]
    assert len({found.id for found in result.samples}) == 9
    for found in result.samples:
        assert found.parent == (f"{found.subsample}.{found.iteration - 1}" if found.iteration > 1 else None)


@pytest.mark.promise("S5")
@virtual
async def test_a_name_keeps_the_ids_of_several_calls_apart():
    model = ScriptedModel("bad")
    first = await sample("?", model, [is_good], loop_budget=2, options=SamplingOptions(name="judge"))
    assert ids(first) == ["judge.1.1", "judge.1.2"]
    assert first.samples[1].parent == "judge.1.1"


@virtual
async def test_every_place_has_a_seed_of_its_own():
    model = ScriptedModel("bad")
    await sample("?", model, [is_good], loop_budget=2, concurrency_budget=3, options=SamplingOptions(seed=7))
    assert sorted(request.seed or 0 for request in model.requests) == [7, 8, 9, 10, 11, 12]


# -- S6, S12: what is listed and chosen --------------------------------------------------------------------------------


@pytest.mark.promise("S6", "S12")
@settings(max_examples=30)
@given(
    seconds=st.permutations(range(12)),
    met=st.lists(st.integers(0, 3), min_size=12, max_size=12),
    backend=st.sampled_from(["asyncio", "trio"]),
)
def test_the_order_of_arrival_never_matters_when_all_fail(seconds: list[int], met: list[int], backend: str):
    """Each answer meets so many of three requirements; the first of the best is chosen, run after run."""
    spots = [(one, two) for one in (1, 2, 3, 4) for two in (1, 2, 3)]
    answers = {spot: "x" * number for spot, number in zip(spots, met, strict=True)}
    requirements = [lambda text, least=least: len(text) >= least for least in (1, 2, 3)]
    never = [lambda _: False]

    async def main() -> None:
        plan = Plan(answers, {spot: second + 1.0 for spot, second in zip(spots, seconds, strict=True)})
        checks = [_asynchronous(check) for check in (*requirements, *never)]
        result = await sample("?", plan.model(), checks, loop_budget=3, concurrency_budget=4)
        assert places(list(result.samples)) == spots
        assert [found.text for found in result.samples] == [answers[spot] for spot in spots]
        assert result.sample is not None
        assert places([result.sample]) == [spots[met.index(max(met))]]
        assert not result.success

    run(main, backend)


def _asynchronous(check):
    async def asked(text: str) -> bool:
        await checkpoint()
        return check(text)

    return asked


@pytest.mark.promise("S12")
@virtual
async def test_five_exhausted_runs_that_are_alike_give_the_same_value():
    """Eight subsamples that answer differently and arrive in another order each time."""
    chosen = []
    for turn in range(5):
        seconds = {(one, 1): 1.0 + (one * 3 + turn * 5) % 8 for one in range(1, 9)}
        plan = Plan({(one, 1): f"bad {one}" for one in range(1, 9)}, seconds)
        result = await sample("?", plan.model(), [is_good], concurrency_budget=8)
        chosen.append(result.text)
    assert chosen == ["bad 1"] * 5


@pytest.mark.promise("S6", "S12")
@virtual
async def test_of_several_valid_ones_that_arrive_together_the_first_by_place_is_chosen():
    everyone_is_judged = anyio.Event()
    count = 0

    async def on_iteration(_):
        nonlocal count
        count += 1
        if count == 3:
            everyone_is_judged.set()
        await everyone_is_judged.wait()

    plan = Plan({(one, 1): f"good {one}" for one in (1, 2, 3)}, {(1, 1): 3.0, (2, 1): 2.0})
    result = await sample("?", plan.model(), [is_good], concurrency_budget=3, hooks=Hooks(on_iteration=on_iteration))
    assert result.text == "good 1"
    assert all(found.is_valid for found in result.samples)


class Picky(Rejection):
    """Chooses as it was told, and remembers among what."""

    def __init__(self, index: object) -> None:
        object.__setattr__(self, "index", index)
        object.__setattr__(self, "among", [])

    __slots__ = ("among", "index")

    def select(self, valid):
        self.among.append(places(valid))
        return self.index

    def select_from_failure(self, samples):
        self.among.append(places(samples))
        return self.index


@pytest.mark.promise("S6")
@virtual
async def test_a_strategy_chooses_among_failures_by_their_places():
    plan = Plan({(1, 2): "the one"}, {(1, 1): 5.0})
    strategy = Picky(np.int64(1))
    result = await sample("?", plan.model(), [is_good], strategy=strategy, loop_budget=2, concurrency_budget=2)
    assert result.text == "the one"
    assert strategy.among == [[(1, 1), (1, 2), (2, 1), (2, 2)]]
    assert not result.success


@pytest.mark.promise("S6")
@pytest.mark.parametrize("index", [2, -1, None, "0", 0.0, True], ids=repr)
@pytest.mark.parametrize("answer", ["good", "bad"])
@virtual
async def test_an_index_that_is_none_is_a_clear_error(index: object, answer: str):
    method = "select" if answer == "good" else "select_from_failure"
    most = 0 if answer == "good" else 1
    with pytest.raises(ValueError) as caught:
        await sample("?", ScriptedModel(answer), [is_good], strategy=Picky(index), loop_budget=2)
    assert str(caught.value) == f"Picky.{method} gave {index!r}, where an index from 0 to {most} is wanted"


# -- S11: what is counted ----------------------------------------------------------------------------------------------


@pytest.mark.promise("S11")
@virtual
async def test_what_cancelled_and_failed_calls_cost_is_kept():
    """What was heard of a call that is cut off is paid for, as is what was asked; and a refused call is not."""
    account = Account()
    model = Plan(
        {(1, 1): Hang("heard already " * 2), (2, 1): CallRefused("no", status=400), (3, 1): "good one"},
        {(1, 1): 0.0, (3, 1): 5.0},
    ).model(rates=RATES, account=account)
    result = await sample("four", model, [is_good], concurrency_budget=3)
    assert (result.generated, result.completed, result.cancelled, len(result.failures)) == (3, 1, 1, 1)
    assert result.usage == Usage(tokens_in=1 + 1, tokens_out=7 + 2, is_estimate=True)
    assert result.cost == 2 * 1 + 9 * 2
    assert result.known_cost == result.cost
    assert (account.spent.usage, account.spent.cost) == (result.usage, result.cost)


@pytest.mark.promise("S11")
@virtual
async def test_a_cost_that_is_not_known_is_none_and_that_of_judges_counts():
    judge = ScriptedModel("yes", rates=RATES)

    async def ask(text: str) -> bool:
        return (await judge.complete(text)).text == "yes"

    result = await sample("four", ScriptedModel("answered"), [ask])
    assert result.usage == Usage(tokens_in=1 + 2, tokens_out=2 + 1)
    assert result.cost is None
    assert result.known_cost == 2 * 1 + 1 * 2


@pytest.mark.promise("S11")
@settings(max_examples=40)
@given(
    ends=st.lists(st.sampled_from(["good", "bad", "raise", "hang"]), min_size=1, max_size=12),
    loop=st.integers(1, 3),
    breadth=st.integers(1, 4),
    backend=st.sampled_from(["asyncio", "trio"]),
)
def test_every_generation_is_counted_once(ends: list[str], loop: int, breadth: int, backend: str):
    kinds = {"good": "good", "bad": "bad", "raise": Boom("x"), "hang": Hang("some")}
    order = iter(ends * 12)
    sent: Counter[str] = Counter()

    def answer(_):
        kind = next(order)
        sent[kind] += 1
        return kinds[kind]

    model = ScriptedModel(answer, latency=1.0)

    async def main() -> None:
        found = None
        with anyio.move_on_after(500):  # before an attempt that hangs is given up, and another one made
            try:
                found = await sample("?", model, [is_good], loop_budget=loop, concurrency_budget=breadth)
            except NothingSampled as error:
                found = error.result
        assert model.open == 0
        if found is None:
            assert sent["hang"], "only what hangs takes for ever"
            return
        assert found.generated == found.completed + found.cancelled + len(found.failures) <= loop * breadth
        assert found.completed == len(found.samples)
        assert found.generated == len(model.requests)
        assert len(found.failures) <= sent["raise"]
        assert found.success == any(one.is_valid for one in found.samples)

    run(main, backend)


# -- hooks, strategies and the store end a call ------------------------------------------------------------------------


@pytest.mark.promise("F4")
@pytest.mark.parametrize("where", ["on_iteration", "ask", "has_enough", "select", "on_end"])
@virtual
async def test_what_a_hook_or_a_strategy_raises_ends_the_call_and_leaves_nothing_running(where: str):
    cause = Boom(where)

    def broken(*_, **__):
        raise cause

    class Broken(Rejection):
        def ask(self, prompt, earlier):
            return broken() if where == "ask" and earlier else prompt

        def has_enough(self, valid, *, still):
            return broken() if where == "has_enough" else bool(valid)

        def select(self, valid):
            return broken() if where == "select" else 0

    hooks = Hooks(**({where: broken} if where.startswith("on_") else {}))
    first = "bad" if where == "ask" else "good"
    model = Plan({(1, 1): first, (2, 1): HANG, (3, 1): HANG}).model()
    with pytest.raises(Boom) as caught:
        await sample("?", model, [is_good], strategy=Broken(), loop_budget=2, concurrency_budget=3, hooks=hooks)
    assert caught.value is cause
    assert model.open == 0


@virtual
@pytest.mark.promise("F7")
async def test_of_hooks_that_raise_at_the_same_time_none_is_swallowed():
    both = anyio.Event()
    waiting = []

    async def broken(found) -> None:
        waiting.append(found)
        if len(waiting) == 2:
            both.set()
        with anyio.CancelScope(shield=True):
            await both.wait()
        raise Boom(found.id)

    model = Plan({(1, 1): "good", (2, 1): "good"}).model()
    with pytest.raises(Boom) as caught:
        await sample("?", model, [is_good], concurrency_budget=2, hooks=Hooks(on_iteration=broken))
    others = caught.value.__cause__
    assert isinstance(others, ExceptionGroup)
    assert {str(one) for one in others.exceptions} == {"1.1", "2.1"}


@pytest.mark.promise("F4", "F7")
@virtual
async def test_a_sibling_that_raises_does_not_disturb_a_vote_and_none_is_left_when_it_ends():
    model = Plan({(1, 1): Boom("x"), (2, 1): "good", (3, 1): "good", (4, 1): HANG}, {(2, 1): 2.0, (3, 1): 4.0}).model()
    result = await sample("?", model, [is_good], strategy=MajorityVote(), concurrency_budget=4)
    assert result.text == "good"
    assert model.open == 0
    assert (result.completed, result.cancelled, len(result.failures)) == (2, 1, 1)


@pytest.mark.promise("F4")
@virtual
async def test_a_vote_that_cannot_count_leaves_no_sibling_running():
    def broken(text: str) -> str:
        raise Boom(text)

    model = Plan({(1, 1): "good", (2, 1): HANG, (3, 1): HANG}).model()
    with pytest.raises(Boom):
        await sample("?", model, [is_good], strategy=MajorityVote(key=broken), concurrency_budget=3)
    assert model.open == 0


# -- F8: cancelled from outside ----------------------------------------------------------------------------------------


@pytest.mark.promise("F8", "F4")
@pytest.mark.parametrize("strategy", [Rejection(), MajorityVote()], ids=["rejection", "majority"])
def test_cancelled_at_any_await_it_leaks_nothing(anyio_backend: str, strategy):
    """Everything here moves by scheduling steps alone; the cancellation comes after 0, 1, 2, … of them."""

    async def one(steps: int) -> bool:
        account, inside = Account(), Counter()
        plan = Plan({(2, 1): "bad", (2, 2): "good", (3, 1): Boom("x")})
        model = ScriptedModel(plan._answer, account=account)

        async def check(text: str) -> bool:
            inside["in"] += 1
            try:
                await checkpoint()
                return text == "good"
            finally:
                inside["out"] += 1

        async def told(_):
            await checkpoint()

        before = tasks_living()
        with anyio.CancelScope() as scope:
            async with anyio.create_task_group() as group:
                group.start_soon(_cancel_after, steps, scope)
                await sample(
                    "?",
                    model,
                    [check, is_good],
                    strategy=strategy,
                    loop_budget=3,
                    concurrency_budget=4,
                    hooks=Hooks(on_start=told, on_iteration=told, on_end=told),
                )
                group.cancel_scope.cancel()
        assert tasks_living() == before
        assert model.open == 0
        assert inside["in"] == inside["out"]
        assert account._held == set(), "something is still set aside for a call"
        assert model._limiter.permits.in_flight == model._limiter.waiting == 0
        assert account.spent.attempts == len(model.requests), "what was sent was counted"
        return scope.cancelled_caught

    async def main() -> None:
        steps = 0
        while await one(steps):
            steps += 1
        assert steps > 10, "it ended before there was anything to cancel"

    run(main, anyio_backend)


async def _cancel_after(steps: int, scope: anyio.CancelScope) -> None:
    for _ in range(steps):
        await checkpoint()
    scope.cancel()


# -- records -----------------------------------------------------------------------------------------------------------


@pytest.mark.promise("F8", "S11", "M8")
def test_cancelled_at_any_event_each_beginning_has_an_end_in_the_log(tmp_path: Path, anyio_backend: str):
    async def main() -> None:
        events = 1
        while await _cancelled_at(events, Store(tmp_path / f"{events}.sqlite")):
            events += 1
        assert events > 8, "it ended before there was anything to cancel"

    anyio.run(main, backend=anyio_backend)


async def _cancelled_at(number: int, store: Store) -> bool:
    with anyio.CancelScope() as scope:

        def watch(recorded):
            if recorded.sequence == number:
                scope.cancel()

        async with store.record(watch=watch) as log:
            model = Plan({(1, 2): "good", (2, 1): Boom("x")}, {(1, 1): 0.0, (1, 2): 0.0, (2, 1): 0.0}).model(
                account=Account(log=log)
            )
            await sample("?", model, [is_good], loop_budget=2, concurrency_budget=2, options=SamplingOptions(log=log))
    (summary,) = store.runs()
    events = [recorded.event for recorded in store.events(summary.id)]
    for kind, end in ((SampleBegan, SampleEnded), (CallBegan, CallEnded)):
        assert sum(isinstance(one, kind) for one in events) == sum(isinstance(one, end) for one in events)
    return scope.cancelled_caught


@pytest.mark.promise("M8")
def test_all_of_it_is_in_the_log(tmp_path: Path, anyio_backend: str):
    store = Store(tmp_path / "store.sqlite")

    async def reason(text: str) -> str:
        return "" if text == "good" else "has a lone surrogate \udcff"

    async def main():
        async with store.record() as log:
            model = Plan(
                {(1, 2): "good", (2, 1): CallRefused("no", status=400), (3, 1): HANG},
                dict.fromkeys([(1, 1), (1, 2), (2, 1), (3, 1)], 0.0),
            ).model(account=Account(log=log))
            return log.run, await sample(
                "?", model, [reason], loop_budget=2, concurrency_budget=3, options=SamplingOptions(log=log)
            )

    name, result = anyio.run(main, backend=anyio_backend)
    state = Run.of(store.events(name))
    assert state.chosen == SampleChosen(sample="1.2", is_valid=True)
    ends = {one: found.ended.end for one, found in state.samples.items() if found.ended is not None}
    assert ends == {"1.1": CallEnd.DONE, "1.2": CallEnd.DONE, "2.1": CallEnd.FAILED, "3.1": CallEnd.CANCELLED}
    first, second, third = (state.samples[one] for one in ("1.1", "1.2", "2.1"))
    assert first.ended is not None
    assert second.ended is not None
    assert third.ended is not None
    assert second.began.parent == "1.1"
    assert second.ended.text is not None
    assert store.text(second.ended.text) == "good"
    assert second.ended.is_valid
    (asked,) = first.ended.validations
    assert (asked.requirement, asked.met, asked.reason) == ("reason", False, "has a lone surrogate ?")
    assert third.ended.error == "no"
    purposes = sorted(one.began.purpose for one in state.attempts.values())
    assert purposes == ["sample 1.1", "sample 1.2", "sample 2.1", "sample 3.1"]
    assert second.ended.call == result.samples[1].completion.call


@pytest.mark.parametrize("fails_at", [1, 2])
def test_a_store_that_fails_ends_the_call_as_what_it_is(tmp_path: Path, anyio_backend: str, fails_at: int):
    """Not as a sample that failed: the log would lie from there on."""
    store = Store(tmp_path / "store.sqlite")

    async def main() -> None:
        count = 0

        async def close(_):
            nonlocal count
            count += 1
            if count == fails_at:
                logs[0]._queue.close()
            return False

        logs = []
        async with store.record() as log:
            logs.append(log)
            model = ScriptedModel("bad")
            with pytest.raises(StoreUnwritable):
                await sample("?", model, [close], loop_budget=3, options=SamplingOptions(log=log))
            assert len(model.requests) == fails_at

    anyio.run(main, backend=anyio_backend)


@virtual
async def test_a_store_that_fails_under_a_judge_ends_the_call():
    cause = StoreUnwritable(Path("store"), "no room")

    async def judge(text: str) -> bool:
        raise cause

    with pytest.raises(StoreUnwritable) as caught:
        await sample("?", ScriptedModel("x"), [judge, is_good], loop_budget=3)
    assert caught.value is cause


# -- conversations and settings ----------------------------------------------------------------------------------------


@virtual
async def test_what_is_asked_goes_to_the_model_as_it_is():
    model = ScriptedModel('{"a": 1}')
    messages = [Message(role=Role.SYSTEM, content="Be brief."), Message(content="An object.")]
    schema = {"type": "object"}
    options = SamplingOptions(max_tokens=9, temperature=0.5, stop=("\n",), schema=schema)
    result = await sample(messages, model, options=options)
    (request,) = model.requests
    assert (request.messages, request.max_tokens, request.temperature) == (tuple(messages), 9, 0.5)
    assert (request.stop, request.schema, request.seed) == (("\n",), schema, None)
    assert result.sample is not None
    assert result.sample.messages == tuple(messages)
    assert result.sample.completion.parsed == {"a": 1}


@virtual
async def test_a_provider_that_recovers_is_asked_again_within_one_sample():
    model = ScriptedModel([ProviderBroken("down"), ProviderBroken("down"), "good"])
    result = await sample("?", model, [is_good])
    assert (result.success, result.generated, len(model.requests)) == (True, 1, 3)
    assert result.sample is not None
    assert result.sample.completion.attempts == 3


# -- S10: what is said of it -------------------------------------------------------------------------------------------


@pytest.mark.promise("S10", "S5")
def test_cost_rate_limits_and_chance_are_warned_of_where_the_budgets_are_described():
    document = Path(__file__).parent.parent.parent / "docs" / "sampling.md"
    text = document.read_text(encoding="utf-8")
    budgets = next(part for part in text.split("\n## ") if part.startswith("The two budgets"))
    for said in (inspect.getdoc(sample) or "", budgets):
        for name in BUDGETS:
            assert f"`{name}`" in said
        for word in ("multiply", "cost", "rate limits", "different answers"):
            assert word in said, f"{word!r} is not said beside the budgets"
    assert "ScriptedModel" in budgets, "an example that runs offline"
    assert "in any order" in text, "of events across subsamples"
