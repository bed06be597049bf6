"""The promises F1 to F11: each by itself in small programs, then all of them together in random ones.

Everything runs on asyncio and on trio, on a virtual clock: seconds here cost nothing and are exact.
"""

from __future__ import annotations

import asyncio
import contextvars
import functools
import inspect
import logging
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import anyio
import pytest
import trio
from anyio.lowlevel import checkpoint
from hypothesis import event, given, settings
from hypothesis import strategies as st

from bakeoff.fanout import FanOut, Limits, Outcome, Place, Status, collect, fan_out, place
from virtual_clock import Stopwatch, run, tasks_living

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Hashable, Iterable, Iterator

DONE, FAILED, SKIPPED = Status.DONE, Status.FAILED, Status.SKIPPED

VARIABLE: contextvars.ContextVar[object] = contextvars.ContextVar("variable", default="nobody's")


def virtual(test: Callable[..., Awaitable[None]]) -> Callable[..., None]:
    """Run an async test on virtual time, on both backends (F11); it must leave no task behind (F4, F8)."""

    @functools.wraps(test)
    def on_backend(anyio_backend: str, **fixtures: object) -> None:
        async def main() -> None:
            before = tasks_living()
            await test(**fixtures)
            assert tasks_living() == before, "a task was left behind"

        run(main, anyio_backend)

    signature = inspect.signature(test)
    backend = inspect.Parameter("anyio_backend", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    on_backend.__signature__ = signature.replace(parameters=[backend, *signature.parameters.values()])  # type: ignore[attr-defined]
    return on_backend


class Boom(Exception):
    """Raised on purpose."""


async def nap(seconds: float) -> float:
    await anyio.sleep(seconds)
    return seconds


async def explode(item: object) -> None:
    await anyio.sleep(1)
    raise Boom(item)


async def drain(running: FanOut[object, object], into: list[Outcome[object, object]]) -> None:
    async with running as outcomes:
        async for outcome in outcomes:
            into.append(outcome)  # noqa: PERF401 what came before an error counts


def statuses(outcomes: Iterable[Outcome[object, object]]) -> list[str]:
    return [outcome.status.value for outcome in outcomes]


# -- F1: limits --------------------------------------------------------------------------------------------------------


class Meter:
    """Counts what is inside, apart from the fan-out's own counting."""

    def __init__(self) -> None:
        self.inside: Counter[Hashable] = Counter()
        self.most: Counter[Hashable] = Counter()

    async def work(self, item: tuple[str, float]) -> None:
        names = ("all", item[0])
        for name in names:
            self.inside[name] += 1
            self.most[name] = max(self.most[name], self.inside[name])
        try:
            await anyio.sleep(item[1])
        finally:
            for name in names:
                self.inside[name] -= 1


@pytest.mark.promise("F1")
@virtual
async def test_neither_the_total_nor_a_keys_limit_is_exceeded_and_both_are_used_up():
    meter = Meter()
    items = [("a", 1.0), ("b", 1.5), ("c", 0.5)] * 10
    collected = await collect(items, meter.work, limit=6, key=lambda item: item[0], key_limits={"a": 2, "b": 3})
    assert meter.most["all"] == 6
    assert meter.most["a"] == 2
    assert meter.most["b"] == 3
    assert collected.peak.total == 6
    assert collected.peak.by_key == {key: meter.most[key] for key in "abc"}


@pytest.mark.promise("F1")
@virtual
async def test_one_number_limits_each_key_by_itself():
    meter = Meter()
    await collect([("a", 1.0)] * 4 + [("b", 1.0)] * 4, meter.work, limit=8, key=lambda item: item[0], key_limits=2)
    assert (meter.most["a"], meter.most["b"], meter.most["all"]) == (2, 2, 4)


@pytest.mark.promise("F1")
@virtual
async def test_the_peak_is_what_happened_and_not_what_was_allowed():
    collected = await collect([1.0] * 3, nap, limit=100, key=lambda _: "k", key_limits=50)
    assert (collected.peak.total, collected.peak.by_key) == (3, {"k": 3})

    async def gapped() -> AsyncIterator[float]:
        for _ in range(5):
            yield 1.0
            await anyio.sleep(2)

    collected = await collect(gapped(), nap, limit=100)
    assert (collected.peak.total, collected.peak.by_key) == (1, {None: 1})


@pytest.mark.promise("F1")
@pytest.mark.parametrize("attempts", [1, 3])
@virtual
async def test_permits_come_back_from_every_kind_of_end(attempts: int):
    async def work(item: int) -> None:
        await anyio.sleep(1)
        if item % 2:
            raise Boom(item)

    async with fan_out(range(20), work, limit=2, attempts=attempts) as outcomes:
        found = [outcome async for outcome in outcomes]
    assert len(found) == 20
    assert_at_rest(outcomes)


@pytest.mark.parametrize(
    "options",
    [
        {"limit": 0},
        {"limit": -1},
        {"limit": 1, "key_limits": 0},
        {"limit": 1, "key_limits": {"a": 0}},
        {"limit": 1, "attempts": 0},
        {"limit": 1, "ahead": 0},
    ],
)
@pytest.mark.promise("F1")
def test_a_number_below_one_is_refused_before_anything_runs(options: dict[str, int]):
    with pytest.raises(ValueError, match="must be at least 1"):
        fan_out([1], nap, **options)


def test_limits_are_given_in_one_place_only():
    with pytest.raises(ValueError, match="exclude each other"):
        fan_out([1], nap, limit=Limits(1), key_limits=2)


# -- F1: limits that move ----------------------------------------------------------------------------------------------


@pytest.mark.promise("F1")
@virtual
async def test_raising_a_limit_starts_more_at_once_and_lowering_it_cancels_nothing():
    limits, clock, ends = Limits(1), Stopwatch(), []
    async with fan_out([10.0] * 7, nap, limit=limits) as outcomes, anyio.create_task_group() as beside:

        async def turn_the_knob() -> None:
            await anyio.sleep(5)
            limits.set(3)
            await anyio.sleep(1)
            limits.set(1)

        beside.start_soon(turn_the_knob)
        async for outcome in outcomes:
            assert outcome.status is DONE
            ends.append(clock.read())
    # One from 0, two more from 5; then one at a time, but only once two of the three are gone.
    assert ends == [10, 15, 15, 25, 35, 45, 55]


@pytest.mark.promise("F1")
@virtual
async def test_zero_pauses_a_key_while_others_go_on():
    limits, clock = Limits(4, keys={"a": 2}), Stopwatch()
    limits.set(0, key="a")
    ends: dict[str, list[float]] = {"a": [], "b": []}

    async def resume() -> None:
        await anyio.sleep(100)
        limits.set(1, key="a")

    running = fan_out(["a", "a", "b", "b"], lambda _: nap(1), limit=limits, key=str)
    async with running as outcomes, anyio.create_task_group() as beside:
        beside.start_soon(resume)
        async for outcome in outcomes:
            ends[outcome.item].append(clock.read())
    assert ends == {"a": [101, 102], "b": [1, 1]}


@pytest.mark.promise("F1")
@virtual
async def test_a_pause_of_everything_ends_when_the_source_turns_out_to_be_empty():
    limits = Limits(1)
    limits.set(0)

    async def resume() -> None:
        await anyio.sleep(3)
        limits.set(1)

    async with fan_out(iter([]), nap, limit=limits) as outcomes, anyio.create_task_group() as beside:
        beside.start_soon(resume)
        assert [outcome async for outcome in outcomes] == []


@pytest.mark.promise("F1")
@virtual
async def test_one_limits_object_holds_for_each_fan_out_on_its_own_and_is_let_go_afterwards():
    limits, clock = Limits(1), Stopwatch()
    async with anyio.create_task_group() as both:
        both.start_soon(functools.partial(collect, [1.0, 1.0], nap, limit=limits))
        both.start_soon(functools.partial(collect, [1.0, 1.0], nap, limit=limits))
    assert clock.read() == 2
    assert limits._watchers == []
    limits.set(5)


@pytest.mark.promise("F1")
@virtual
async def test_the_callers_own_functions_may_move_limits():
    limits, clock = Limits(1, keys=1), Stopwatch()

    def key(item: int) -> str:
        limits.set(2, key="k")
        return "k"

    def stop_when(outcome: Outcome[int, float]) -> bool:
        limits.set(2)
        return False

    collected = await collect([1] * 5, nap, limit=limits, key=key, stop_when=stop_when)
    assert len(collected.values) == 5
    assert clock.read() == 3


@pytest.mark.promise("F1")
@virtual
async def test_an_item_may_move_limits():
    limits = Limits(1)

    async def work(item: int) -> int:
        limits.set(3)
        await anyio.sleep(1)
        return item

    collected = await collect(range(6), work, limit=limits)
    assert (collected.values, collected.peak.total) == ((0, 1, 2, 3, 4, 5), 3)


def test_limits_below_zero_are_refused():
    limits = Limits(1, keys={"a": 1})
    with pytest.raises(ValueError, match="at least 0"):
        limits.set(-1)
    with pytest.raises(ValueError, match=r"'a'.*at least 0"):
        limits.set(-1, key="a")
    assert (limits.total, limits.of("a"), limits.of("b")) == (1, 1, None)


# -- F2: one outcome per item ------------------------------------------------------------------------------------------


@pytest.mark.promise("F2")
@virtual
async def test_an_item_is_done_or_failed_or_skipped_and_says_which():
    async def work(item: str) -> str:
        match item:
            case "fails":
                raise Boom
            case "quick":
                await anyio.sleep(1)
            case "slow":
                await anyio.sleep(10)
        return item

    collected = await collect(
        ["fails", "quick", "slow", "waits"], work, limit=3, key=str, stop_when=lambda outcome: outcome.item == "quick"
    )
    fails, quick, slow, waits = collected.outcomes
    assert (fails.status, fails.value, fails.started, fails.attempts) == (FAILED, None, True, 1)
    assert isinstance(fails.error, Boom)
    assert (quick.status, quick.value, quick.error, quick.key) == (DONE, "quick", None, "quick")
    assert (slow.status, slow.started, slow.attempts) == (SKIPPED, True, 1)
    # The failing item gave its permit back at once, so the one that waits in line was started as well.
    assert (waits.status, waits.value) == (DONE, "waits")
    assert collected.values == ("quick", "waits")


@pytest.mark.promise("F2", "F4")
@pytest.mark.parametrize("key", [None, lambda item: item % 3], ids=["keyless", "keyed"])
@virtual
async def test_items_never_started_have_outcomes_too_after_the_others_and_in_order(key):
    async with fan_out(range(1, 100), nap, limit=2, key=key, stop_when=lambda _: True) as outcomes:
        found = [outcome async for outcome in outcomes]
    assert sorted(outcome.index for outcome in found) == list(range(99))
    assert statuses(found[:2]) == ["done", "skipped"]
    assert [outcome.started for outcome in found] == [True, True] + [False] * 97
    assert [outcome.index for outcome in found[2:]] == sorted(outcome.index for outcome in found[2:])


@pytest.mark.promise("F2")
@virtual
async def test_of_an_endless_source_only_what_was_pulled_has_outcomes():
    async def endless() -> AsyncIterator[float]:
        while True:
            yield 1.0

    async with fan_out(endless(), nap, limit=3, stop_when=lambda outcome: outcome.index == 5) as outcomes:
        found = [outcome.index async for outcome in outcomes]
    assert sorted(found) == list(range(len(found)))
    assert 6 <= len(found) <= 9


@pytest.mark.promise("F2")
@virtual
async def test_a_value_or_an_error_that_comes_in_spite_of_the_cancellation_is_kept():
    async def work(item: str) -> str:
        try:
            await anyio.sleep(1 if item == "first" else 100)
        except anyio.get_cancelled_exc_class():
            if item == "value":
                return item
            if item == "error":
                raise Boom(item) from None
            raise
        return item

    collected = await collect(["first", "value", "error", "rest"], work, limit=4, stop_when=lambda _: True)
    assert statuses(collected.outcomes) == ["done", "done", "failed", "skipped"]
    assert collected.values == ("first", "value")
    assert isinstance(collected.outcomes[2].error, Boom)


@pytest.mark.promise("F2", "F3")
@virtual
async def test_an_error_among_cancellations_is_not_lost():
    """A task group inside the work ends with both when it is cancelled."""

    async def fails_when_cancelled() -> None:
        try:
            await anyio.sleep(100)
        finally:
            raise Boom

    async def work(item: int) -> None:
        if item == 0:
            await anyio.sleep(1)
            return
        async with anyio.create_task_group() as group:
            group.start_soon(fails_when_cancelled)
            group.start_soon(anyio.sleep, 100)

    collected = await collect(range(2), work, limit=2, stop_when=lambda _: True)
    assert statuses(collected.outcomes) == ["done", "failed"]
    error = collected.outcomes[1].error
    assert isinstance(error, ExceptionGroup)
    assert isinstance(error.exceptions[0], Boom)


@pytest.mark.promise("F2", "F3")
@virtual
async def test_a_key_that_cannot_be_computed_fails_its_own_item_only():
    def key(item: int) -> Hashable:
        if item == 1:
            raise Boom
        return [] if item == 2 else item

    collected = await collect(range(4), nap, limit=1, key=key)
    assert statuses(collected.outcomes) == ["done", "failed", "failed", "done"]
    broken, unhashable = collected.outcomes[1:3]
    assert isinstance(broken.error, Boom)
    assert isinstance(unhashable.error, TypeError)
    assert not broken.started


@pytest.mark.promise("F2")
@virtual
async def test_no_items_end_at_once_with_nothing_raised():
    async def nothing() -> AsyncIterator[float]:
        return
        yield

    for items in ([], iter([]), nothing()):
        collected = await collect(items, nap, limit=1)
        assert (collected.outcomes, collected.values, collected.peak.total) == ((), (), 0)


# -- F3: isolated failures ---------------------------------------------------------------------------------------------


@pytest.mark.promise("F3")
@virtual
async def test_a_failure_leaves_its_siblings_alone():
    async def work(item: int) -> int:
        await anyio.sleep(item)
        if item == 1:
            raise Boom
        return item

    collected = await collect(range(5), work, limit=5)
    assert collected.values == (0, 2, 3, 4)


@pytest.mark.promise("F3", "F7")
@virtual
async def test_fail_fast_cancels_the_rest_and_raises_every_cause_after_the_last_outcome():
    async def work(item: int) -> int:
        try:
            await anyio.sleep(item)
        except anyio.get_cancelled_exc_class():
            if item == 3:
                raise Boom("late") from None
            raise
        if item == 2:
            raise Boom("first")
        return item

    found, clock = [], Stopwatch()
    with pytest.raises(ExceptionGroup) as caught:
        await drain(fan_out(range(1, 10), work, limit=4, fail_fast=True), found)
    assert sorted(str(error) for error in caught.value.exceptions) == ["first", "late"]
    assert Counter(statuses(found)) == {"done": 1, "failed": 2, "skipped": 6}
    assert clock.read() == 2


# -- attempts ----------------------------------------------------------------------------------------------------------


@pytest.mark.promise("F1", "F2", "F10")
@virtual
async def test_a_failing_item_is_tried_again_under_its_permit_in_a_fresh_context():
    seen = []

    async def work(item: int) -> int:
        seen.append((item, place().attempt, VARIABLE.get()))
        VARIABLE.set(f"attempt {place().attempt} at {item}")
        await anyio.sleep(1)
        if item == 0 and place().attempt < 3:
            raise Boom(place().attempt)
        return item

    collected = await collect(range(2), work, limit=1, key=lambda item: item, attempts=3)
    assert seen == [(0, 1, "nobody's"), (0, 2, "nobody's"), (0, 3, "nobody's"), (1, 1, "nobody's")]
    retried, plain = collected.outcomes
    assert (retried.status, retried.attempts, retried.error) == (DONE, 3, None)
    assert [error.args for error in retried.earlier] == [(1,), (2,)]
    assert (plain.attempts, plain.earlier) == (1, ())


@pytest.mark.promise("F7")
@virtual
async def test_when_every_attempt_fails_the_last_error_is_the_outcomes_and_none_is_lost():
    async def work(item: int) -> None:
        raise Boom(place().attempt)

    found = []
    with pytest.raises(ExceptionGroup) as caught:
        await drain(fan_out([0], work, limit=1, attempts=3), found)
    (outcome,) = found
    assert outcome.error.args == (3,)
    assert [error.args for error in caught.value.exceptions] == [(1,), (2,), (3,)]


@pytest.mark.promise("F2", "F4")
@virtual
async def test_an_item_that_is_stopped_between_attempts_is_skipped_and_keeps_its_errors():
    async def work(item: int) -> None:
        if item == 0:
            await anyio.sleep(1)
        elif place().attempt == 1:
            await anyio.sleep(0.5)
            raise Boom
        else:
            await anyio.sleep(100)

    collected = await collect(range(2), work, limit=2, attempts=5, stop_when=lambda outcome: outcome.index == 0)
    skipped = collected.outcomes[1]
    assert (skipped.status, skipped.attempts, skipped.error) == (SKIPPED, 2, None)
    assert [type(error) for error in skipped.earlier] == [Boom]


# -- F4: stopping ------------------------------------------------------------------------------------------------------


@pytest.mark.promise("F4")
@virtual
async def test_first_success_is_enough_and_the_cancelled_ones_are_gone_on_return():
    cleaned, clock = [], Stopwatch()

    async def work(item: int) -> int:
        try:
            await anyio.sleep(1 if item == 3 else 1000)
        except anyio.get_cancelled_exc_class():
            with anyio.CancelScope(shield=True):
                await anyio.sleep(5)
            cleaned.append(item)
            raise
        return item

    collected = await collect(range(6), work, limit=4, stop_when=lambda outcome: outcome.status is DONE)
    assert collected.values == (3,)
    assert sorted(cleaned) == [0, 1, 2]
    assert clock.read() == 6
    assert [outcome.started for outcome in collected.outcomes] == [True] * 4 + [False] * 2


@pytest.mark.promise("F4")
@virtual
async def test_after_the_stop_nothing_is_started_not_even_what_was_already_scheduled():
    entered = []

    async def work(item: int) -> None:
        entered.append(item)

    collected = await collect(range(10), work, limit=5, stop_when=lambda _: True)
    assert entered == [outcome.index for outcome in collected.outcomes if outcome.started]
    assert len(entered) == 1
    assert Counter(statuses(collected.outcomes)) == {"done": 1, "skipped": 9}


@pytest.mark.promise("F4")
@virtual
async def test_the_stop_rule_is_asked_in_order_of_completion_and_never_after_it_said_yes():
    asked = []

    def stop_when(outcome: Outcome[float, float]) -> bool:
        asked.append(outcome.item)
        return len(asked) == 3

    collected = await collect([5.0, 2.0, 4.0, 1.0, 3.0], nap, limit=5, stop_when=stop_when)
    assert asked == [1.0, 2.0, 3.0]
    assert statuses(collected.outcomes) == ["skipped", "done", "skipped", "done", "done"]


@pytest.mark.promise("F4", "F8")
@pytest.mark.parametrize("way_out", ["break", "raise", "return", "stop", "cancel"])
@virtual
async def test_whichever_way_the_block_is_left_nothing_is_left_running_and_the_source_is_closed(way_out: str):
    log: list[str] = []

    async def source() -> AsyncIterator[int]:
        try:
            for item in range(1, 1000):
                yield item
                await anyio.sleep(0.25)
        finally:
            with anyio.CancelScope(shield=True):
                await anyio.sleep(1)
            log.append("source closed")

    async def work(item: int) -> int:
        log.append("in")
        try:
            await anyio.sleep(item)
            return item
        finally:
            log.append("out")

    async def leave() -> None:
        async with fan_out(source(), work, limit=4, stop_when=lambda _: way_out == "stop") as outcomes:
            async for _ in outcomes:
                if way_out == "break":
                    break
                if way_out == "raise":
                    raise Boom
                if way_out == "return":
                    return

    with anyio.move_on_after(2.125 if way_out == "cancel" else None) as scope:
        if way_out == "raise":
            with pytest.raises(Boom):
                await leave()
        else:
            await leave()
    assert scope.cancelled_caught is (way_out == "cancel")
    assert log.count("in") == log.count("out") > 0
    assert log.count("source closed") == 1


@pytest.mark.promise("F4", "F8")
@virtual
async def test_a_source_that_waits_at_its_yield_is_closed_with_room_to_clean_up():
    closed = []

    async def source() -> AsyncIterator[float]:
        try:
            while True:
                yield 100.0
        finally:
            await anyio.sleep(1)
            closed.append(True)

    with anyio.move_on_after(5):
        await collect(source(), nap, limit=2)
    assert closed == [True]


@pytest.mark.promise("F4", "F8")
@virtual
async def test_a_plain_generator_is_closed_in_the_context_it_ran_in():
    closed = []

    def source() -> Iterator[float]:
        token = VARIABLE.set("the source's")
        try:
            yield from [1.0] * 100
        finally:
            VARIABLE.reset(token)
            closed.append(True)

    async with fan_out(source(), nap, limit=2) as outcomes:
        async for _ in outcomes:
            break
    assert closed == [True]


@pytest.mark.promise("F4")
@virtual
async def test_a_block_that_never_iterates_is_left_at_once():
    async with fan_out([100.0] * 5, nap, limit=5):
        pass

    async def source() -> AsyncIterator[float]:
        yield 100.0

    clock = Stopwatch()
    async with fan_out(source(), nap, limit=5):
        pass
    assert clock.read() == 0


def test_a_fan_out_is_entered_once(anyio_backend: str):
    async def main() -> None:
        once = fan_out([1], nap, limit=1)
        async with once:
            pass
        with pytest.raises(RuntimeError, match="only once"):
            async with once:
                pass

    run(main, anyio_backend)


# -- F5 and F6: order --------------------------------------------------------------------------------------------------


@pytest.mark.promise("F5")
@virtual
async def test_outcomes_come_one_at_a_time_in_order_of_completion_while_the_rest_goes_on():
    clock, seen, busy = Stopwatch(), [], False
    async with fan_out([3.0, 1.0, 2.0, 0.5], nap, limit=4) as outcomes:
        async for outcome in outcomes:
            assert not busy
            busy = True
            seen.append((outcome.item, clock.read()))
            await anyio.sleep(0.25)
            busy = False
    assert seen == [(0.5, 0.5), (1.0, 1.0), (2.0, 2.0), (3.0, 3.0)]


@pytest.mark.promise("F5")
@virtual
async def test_a_caller_who_comes_late_still_gets_them_in_order_of_completion():
    async with fan_out([4.0, 3.0, 1.0, 2.0], nap, limit=4) as outcomes:
        await anyio.sleep(10)
        assert [outcome.item async for outcome in outcomes] == [1.0, 2.0, 3.0, 4.0]


@pytest.mark.promise("F5")
@virtual
async def test_outcomes_reach_the_callers_own_task_in_the_callers_own_context():
    me = anyio.get_current_task().id
    VARIABLE.set("caller's")
    async with fan_out([1.0, 2.0], nap, limit=2) as outcomes:
        async for _ in outcomes:
            assert anyio.get_current_task().id == me
            assert VARIABLE.get() == "caller's"
            VARIABLE.set("caller's")


@pytest.mark.promise("F6")
@virtual
async def test_the_collected_result_is_in_the_order_of_the_items():
    times = [3.0, 1.0, 2.0, 0.5, 2.5]
    collected = await collect(times, nap, limit=3, key=lambda item: item < 2)
    assert collected.values == tuple(times)
    assert [outcome.index for outcome in collected.outcomes] == [0, 1, 2, 3, 4]
    assert [outcome.item for outcome in collected.outcomes] == times


# -- F7: no exception is swallowed -------------------------------------------------------------------------------------


@pytest.mark.promise("F7")
@virtual
async def test_if_nothing_succeeded_the_caller_gets_every_cause():
    with pytest.raises(ExceptionGroup) as caught:
        await collect("abc", explode, limit=2)
    assert sorted(error.args for error in caught.value.exceptions) == [("a",), ("b",), ("c",)]
    assert caught.value.exceptions[0].__traceback__ is not None


@pytest.mark.promise("F7")
@virtual
async def test_in_the_streaming_form_the_causes_come_after_the_last_outcome_and_skip_the_rest_of_the_block():
    found = []

    async def block() -> None:
        async with fan_out("abc", explode, limit=2) as outcomes:
            async for outcome in outcomes:
                found.append(outcome)  # noqa: PERF401 what came before the error counts
            pytest.fail("the block went on")

    with pytest.raises(ExceptionGroup):
        await block()
    assert statuses(found) == ["failed"] * 3


@pytest.mark.promise("F7")
@virtual
async def test_if_something_succeeded_each_failure_is_an_outcome_and_a_log_line(caplog: pytest.LogCaptureFixture):
    async def work(item: int) -> int:
        if item:
            raise Boom(item)
        return item

    with caplog.at_level(logging.WARNING, "bakeoff.fanout"):
        collected = await collect([1, 0, 2], work, limit=1)
    assert statuses(collected.outcomes) == ["failed", "done", "failed"]
    assert [record.exc_info[1].args for record in caplog.records] == [(1,), (2,)]


@pytest.mark.promise("F7")
@virtual
async def test_what_the_callers_block_raises_comes_out_as_it_is():
    for mine in (Boom(), ExceptionGroup("mine", [Boom()]), KeyboardInterrupt(), StopAsyncIteration()):

        async def block(error: BaseException) -> None:
            async with fan_out([1.0] * 3, nap, limit=2) as outcomes:
                async for _ in outcomes:
                    raise error

        with pytest.raises(type(mine)) as caught:
            await block(mine)
        assert caught.value is mine


@pytest.mark.promise("F7")
@pytest.mark.parametrize("asynchronous", [True, False])
@virtual
async def test_when_the_source_raises_what_runs_ends_first(asynchronous: bool):
    def source() -> Iterator[float]:
        yield 5.0
        yield 3.0
        raise Boom("source")

    async def async_source() -> AsyncIterator[float]:
        for item in source():
            yield item

    found = []
    with pytest.raises(Boom, match="source"):
        await drain(fan_out(async_source() if asynchronous else source(), nap, limit=3), found)
    assert [outcome.value for outcome in found] == [3.0, 5.0]


@pytest.mark.promise("F7")
@virtual
async def test_an_error_of_the_source_is_raised_even_if_the_caller_stops_listening_first():
    def source() -> Iterator[float]:
        yield 1.0
        raise Boom("source")

    async def listen_briefly() -> None:
        async with fan_out(source(), nap, limit=3) as outcomes:
            await anext(outcomes)

    with pytest.raises(Boom, match="source"):
        await listen_briefly()


@pytest.mark.promise("F7")
@virtual
async def test_an_error_of_a_generator_that_is_being_closed_is_raised():
    def source() -> Iterator[float]:
        try:
            yield from [1.0] * 10
        finally:
            raise Boom("closing")

    async def leave_early() -> None:
        async with fan_out(source(), nap, limit=3) as outcomes:
            await anext(outcomes)

    with pytest.raises(Boom, match="closing"):
        await leave_early()


@pytest.mark.promise("F7")
@virtual
async def test_two_errors_at_once_one_is_raised_and_the_other_logged(caplog: pytest.LogCaptureFixture):
    def source() -> Iterator[float]:
        yield 1.0
        raise Boom("source")

    def stop_when(outcome: Outcome[float, float]) -> bool:
        raise Boom("rule")

    with pytest.raises(Boom, match="source"):
        await collect(source(), nap, limit=3, stop_when=stop_when)
    assert [record.exc_info[1].args for record in caplog.records] == [("rule",)]
    caplog.clear()
    with pytest.raises(Boom, match="mine"):
        async with fan_out(source(), nap, limit=3):
            raise Boom("mine")
    assert [record.exc_info[1].args for record in caplog.records] == [("source",)]


@pytest.mark.promise("F7")
@virtual
async def test_a_stop_rule_that_raises_ends_the_fan_out_with_its_error_after_the_last_outcome():
    def stop_when(outcome: Outcome[float, float]) -> bool:
        raise Boom("rule")

    found = []
    with pytest.raises(Boom, match="rule"):
        await drain(fan_out([1.0, 9.0, 9.0], nap, limit=2, stop_when=stop_when), found)
    assert statuses(found) == ["done", "skipped", "skipped"]


@pytest.mark.promise("F7", "F8")
@pytest.mark.parametrize("where", ["work", "stop rule", "key", "source", "async source"])
@pytest.mark.parametrize("interrupt", [KeyboardInterrupt, SystemExit])
@virtual
async def test_an_interrupt_passes_at_once_through_everything_as_itself(where: str, interrupt: type[BaseException]):
    left = []

    async def work(item: int) -> int:
        try:
            await anyio.sleep(1 if item == 0 else 100)
            if where == "work":
                raise interrupt
            return item
        finally:
            left.append(item)

    def stop_when(outcome: Outcome[int, int]) -> bool:
        if where == "stop rule":
            raise interrupt
        return False

    def key(item: int) -> None:
        if where == "key" and item == 2:
            raise interrupt

    def source() -> Iterator[int]:
        yield from range(3)
        if where == "source":
            raise interrupt
        yield from range(1, 100)

    async def async_source() -> AsyncIterator[int]:
        for item in range(3):
            yield item
        await anyio.sleep(1)
        raise interrupt

    items, clock = async_source() if where == "async source" else source(), Stopwatch()
    running = fan_out(items, work, limit=4, key=key, stop_when=stop_when)

    async def block() -> None:
        async with running as outcomes:
            async for _ in outcomes:
                await anyio.sleep(1000)  # a caller who is busy with something else hears of it as well

    with pytest.raises(interrupt):
        await block()
    assert clock.read() <= 1
    assert_at_rest(running)


@pytest.mark.promise("F3", "F7")
def test_a_cancellation_that_nobody_asked_for_is_a_failure_and_not_the_end():
    """On asyncio, awaiting something that was cancelled elsewhere raises CancelledError."""

    async def work(item: int) -> int:
        if item == 1:
            other = asyncio.ensure_future(asyncio.sleep(100))
            other.cancel()
            await other
        await anyio.sleep(1)
        return item

    async def source() -> AsyncIterator[int]:
        yield 7
        await work(1)

    async def main() -> None:
        collected = await collect(range(4), work, limit=2)
        assert collected.values == (0, 2, 3)
        assert "not by the fan-out" in str(collected.outcomes[1].error)
        with pytest.raises(RuntimeError, match="not by the fan-out"):
            await collect(source(), work, limit=2)

    run(main, "asyncio")


# -- F8: cancellation from outside -------------------------------------------------------------------------------------


@pytest.mark.promise("F8")
@pytest.mark.parametrize("source", ["list", "generator", "async generator"])
def test_cancelled_at_any_step_it_leaks_nothing(anyio_backend: str, source: str):
    """Everything here moves by scheduling steps alone; the cancellation comes after 0, 1, 2, ... of them."""

    async def one(steps: int) -> bool:
        stepping, before = Stepping(), tasks_living()
        with anyio.CancelScope() as scope:
            async with anyio.create_task_group() as group:
                group.start_soon(cancel_after, steps, scope)
                await stepping.run(source)
                group.cancel_scope.cancel()
        assert tasks_living() == before
        assert stepping.log["in"] == stepping.log["out"]
        assert stepping.log["source opened"] == stepping.log["source closed"]
        assert_at_rest(stepping.fanout)
        return scope.cancelled_caught

    async def main() -> None:
        steps = 0
        while await one(steps):
            steps += 1
        assert steps > 15, "the program ended before there was anything to cancel"

    run(main, anyio_backend)


async def cancel_after(steps: int, scope: anyio.CancelScope) -> None:
    for _ in range(steps):
        await checkpoint()
    scope.cancel()


class Stepping:
    """A program that moves by scheduling steps alone, and counts what it opens and closes."""

    def __init__(self) -> None:
        self.log: Counter[str] = Counter()

    async def work(self, item: int) -> int:
        self.log["in"] += 1
        try:
            for _ in range(item % 4):
                await checkpoint()
            if item == 5 and place().attempt == 1:
                raise Boom
            return item
        finally:
            with anyio.CancelScope(shield=True):
                await checkpoint()
            self.log["out"] += 1

    def generator(self) -> Iterator[int]:
        self.log["source opened"] += 1
        try:
            yield from range(12)
        finally:
            self.log["source closed"] += 1

    async def async_generator(self) -> AsyncIterator[int]:
        self.log["source opened"] += 1
        try:
            for item in range(12):
                yield item
                await checkpoint()
        finally:
            self.log["source closed"] += 1

    async def run(self, source: str) -> None:
        items = {"list": lambda: list(range(12)), "generator": self.generator, "async generator": self.async_generator}
        self.fanout = fan_out(
            items[source](), self.work, limit=3, key=lambda item: item % 2, key_limits={0: 1}, attempts=2
        )
        async with self.fanout as outcomes:
            async for _ in outcomes:
                await checkpoint()


@pytest.mark.promise("F8")
@virtual
async def test_a_caller_who_shields_itself_still_sees_every_item_end():
    with anyio.CancelScope() as scope:
        async with fan_out([1.0, 100.0, 100.0, 100.0], nap, limit=2) as outcomes:
            with anyio.CancelScope(shield=True):
                found = []
                async for outcome in outcomes:
                    found.append(outcome)
                    scope.cancel()
    assert statuses(found) == ["done", "skipped", "skipped", "skipped"]
    assert not next(outcome for outcome in found if outcome.index == 3).started, "started after the cancellation"


@pytest.mark.promise("F8")
@virtual
async def test_nothing_is_started_any_more_once_the_outside_is_cancelled():
    entered = []

    async def work(item: int) -> None:
        entered.append(item)
        await anyio.sleep(100)

    with anyio.move_on_after(1):
        await collect(range(100), work, limit=3)
    assert sorted(entered) == [0, 1, 2]


# -- F9: no head-of-line blocking --------------------------------------------------------------------------------------


def spread(kind: str, items: list[tuple[str, float]]) -> object:
    async def async_generator() -> AsyncIterator[tuple[str, float]]:
        for item in items:
            yield item

    return {"list": items, "generator": (item for item in items), "async generator": async_generator()}[kind]


@pytest.mark.promise("F9")
@pytest.mark.parametrize("kind", ["list", "generator", "async generator"])
@virtual
async def test_a_slow_key_does_not_delay_the_others(kind: str):
    """Ten slow items come first, one at a time; the quick ones behind them have all the rest of the room."""
    items = [("slow", 10.0)] * 10 + [("quick", 1.0)] * 30
    clock, last = Stopwatch(), {}
    async with fan_out(
        spread(kind, items), lambda item: nap(item[1]), limit=4, key=lambda item: item[0], key_limits={"slow": 1}
    ) as outcomes:
        async for outcome in outcomes:
            last[outcome.key] = clock.read()
    assert last == {"quick": 10, "slow": 100}


@pytest.mark.promise("F9")
@virtual
async def test_keys_take_turns_where_the_total_is_the_bottleneck():
    order = []

    async def work(item: str) -> None:
        order.append(item[0])
        await anyio.sleep(1)

    await collect(["a"] * 6 + ["b"] * 3 + ["c"] * 3, work, limit=1, key=lambda item: item)
    assert "".join(order) == "abcabcabcaaa"


@pytest.mark.promise("F9")
@virtual
async def test_an_endless_source_is_pulled_only_when_there_is_room_and_parked_only_so_far():
    pulled = 0

    def endless() -> Iterator[str]:
        nonlocal pulled
        while True:
            pulled += 1
            yield "only key"

    async def async_endless() -> AsyncIterator[str]:
        for item in endless():
            yield item

    async def work(item: str) -> None:
        await anyio.sleep(10)

    for make in (endless, async_endless):
        for options, expected in (
            ({"limit": 3}, 3),
            ({"limit": 3, "key_limits": {"only key": 1}, "ahead": 5}, 1 + 5),
        ):
            pulled = 0
            with anyio.move_on_after(5):
                await collect(make(), work, key=str, **options)
            assert pulled == expected


@pytest.mark.promise("F5", "F9")
@virtual
async def test_a_caller_who_does_not_keep_up_holds_back_new_starts():
    started = 0

    async def work(item: int) -> None:
        nonlocal started
        started += 1

    async with fan_out(range(1000), work, limit=2) as outcomes:
        await anyio.sleep(100)
        assert started <= 64 + 2
        first = await anext(outcomes)
        await anyio.sleep(1)
        assert started <= 65 + 2
        rest = [outcome async for outcome in outcomes]
    assert len({first.index, *(outcome.index for outcome in rest)}) == 1000


# -- F10: context ------------------------------------------------------------------------------------------------------


@pytest.mark.promise("F10")
@pytest.mark.parametrize("kind", ["list", "generator", "async generator"])
@virtual
async def test_what_one_item_sets_no_other_sees_and_each_knows_its_place(kind: str):
    VARIABLE.set("caller's")
    seen = []

    async def work(item: tuple[str, float]) -> None:
        seen.append((VARIABLE.get(), place()))
        VARIABLE.set(item)
        await anyio.sleep(item[1])
        assert VARIABLE.get() is item

    asked = []

    def stop_when(outcome: Outcome[object, None]) -> bool:
        asked.append(VARIABLE.get())
        return False

    def key(item: tuple[str, float]) -> str:
        asked.append(VARIABLE.get())
        return item[0]

    items = [(name, float(length)) for length, name in enumerate("abababab")]
    await collect(spread(kind, items), work, limit=2, key=key, stop_when=stop_when)
    assert {value for value, _ in seen} == {"caller's"}
    assert sorted(where.index for _, where in seen) == list(range(8))
    assert {where.attempt for _, where in seen} == {1}
    assert set(asked) == {"caller's"}
    assert VARIABLE.get() == "caller's"


@pytest.mark.promise("F10")
@virtual
async def test_a_fan_out_inside_another_has_places_of_its_own():
    async def inner(item: int) -> Place:
        return place()

    async def outer(item: int) -> tuple[Place, ...]:
        before = place()
        collected = await collect(range(2), inner, limit=2)
        assert place() == before
        return (before, *collected.values)

    collected = await collect(range(2), outer, limit=2)
    here = [Place(index=index, attempt=1) for index in range(2)]
    assert collected.values == ((here[0], *here), (here[1], *here))


def test_outside_of_any_fan_out_there_is_no_place():
    with pytest.raises(LookupError):
        place()


# -- all of it together ------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Job:
    """One item of a random program: what its work does."""

    key: str
    duration: int
    failing_attempts: int  # how many attempts fail before one gives a value
    stubborn: int  # seconds that it goes on after it was cancelled
    when_cancelled: str  # how it ends then: as cancelled, with a value, with an error


@dataclass(frozen=True)
class Change:
    at: int
    key: str | None
    limit: int


@dataclass(frozen=True)
class Program:
    jobs: list[Job]
    source: str
    gaps: list[int]
    limit: int
    key_limits: dict[str, int] | int | None
    changes: list[Change]
    stop_at: int | None  # the index of the item whose end is enough
    fail_fast: bool
    attempts: int
    ahead: int
    cancel_at: int | None
    break_after: int | None
    pace: int  # seconds that the caller takes over an outcome


keys = st.sampled_from("abc")
jobs = st.builds(
    Job,
    key=keys,
    duration=st.integers(0, 5),
    failing_attempts=st.sampled_from([0, 0, 0, 1, 2, 99]),
    stubborn=st.sampled_from([0, 0, 1, 3]),
    when_cancelled=st.sampled_from(["cancelled", "cancelled", "value", "error"]),
)
changes = st.builds(Change, at=st.integers(0, 12), key=st.none() | keys, limit=st.integers(0, 5))
programs = st.builds(
    Program,
    jobs=st.lists(jobs, max_size=14),
    source=st.sampled_from(["list", "generator", "async generator"]),
    gaps=st.lists(st.integers(0, 3), min_size=14, max_size=14),
    limit=st.integers(1, 5),
    key_limits=st.none() | st.integers(1, 3) | st.dictionaries(keys, st.integers(1, 3)),
    changes=st.lists(changes, max_size=4),
    stop_at=st.none() | st.integers(0, 13),
    fail_fast=st.booleans(),
    attempts=st.integers(1, 3),
    ahead=st.integers(1, 20),
    cancel_at=st.none() | st.integers(0, 20),
    break_after=st.none() | st.integers(1, 10),
    pace=st.sampled_from([0, 0, 1, 4]),
)

UNPAUSE = 60  # when every limit is at least 1 again


@dataclass
class World:
    """Runs a program and watches it from the side of the work, where the truth is."""

    program: Program
    limits: Limits
    inside: Counter[str] = field(default_factory=Counter)
    most: Counter[str] = field(default_factory=Counter)
    entered: dict[int, int] = field(default_factory=dict)  # index -> attempts
    ends: dict[int, object] = field(default_factory=dict)  # index -> how it ended, in order of completion
    pulled: int = 0
    source_closed: bool | None = None
    stopped: bool = False
    delivered: list[Outcome[int, str]] = field(default_factory=list)
    ended: str = "normally"
    raised: BaseException | None = None

    def __post_init__(self) -> None:
        self.clock = Stopwatch()
        names = [None, "a", "b", "c"]
        self.history = {name: [(0.0, self.limit_of(name))] for name in names}

    # what the program is made of

    def limit_of(self, key: str | None) -> int:
        limit = self.limits.total if key is None else self.limits.of(key)
        return 1_000 if limit is None else limit

    def allowed(self, key: str | None) -> int:
        """The largest limit in force at this very moment: a permit is given a step before the work is entered."""
        now, history = self.clock.read(), self.history[key]
        return max(limit for at, limit in [*(entry for entry in history if entry[0] >= now), self.before(key, now)])

    def before(self, key: str | None, now: float) -> tuple[float, int]:
        return [entry for entry in self.history[key] if entry[0] < now or entry is self.history[key][0]][-1]

    def change(self, key: str | None, limit: int) -> None:
        if key is None:
            self.limits.set(limit)
        else:
            self.limits.set(limit, key=key)
        self.history[key].append((self.clock.read(), limit))

    async def change_limits(self) -> None:
        for change in sorted(self.program.changes, key=lambda change: change.at):
            await anyio.sleep(change.at - self.clock.read())
            self.change(change.key, change.limit)
        if self.program.changes:
            await anyio.sleep(UNPAUSE - self.clock.read())
            for key in (None, "a", "b", "c"):
                self.change(key, max(1, self.limit_of(key)))

    def items(self) -> object:
        indices = range(len(self.program.jobs))
        if self.program.source == "list":
            self.pulled = len(indices)
            return list(indices)
        return self.generator() if self.program.source == "generator" else self.async_generator()

    def generator(self) -> Iterator[int]:
        self.source_closed = False
        try:
            for index in range(len(self.program.jobs)):
                self.pulled += 1
                yield index
        finally:
            self.source_closed = True

    async def async_generator(self) -> AsyncIterator[int]:
        self.source_closed = False
        try:
            for index in range(len(self.program.jobs)):
                await anyio.sleep(self.program.gaps[index])
                self.pulled += 1
                yield index
        finally:
            self.source_closed = True

    async def work(self, index: int) -> str:
        job, attempt = self.program.jobs[index], place().attempt
        self.check_entry(index, job)
        self.count(job, +1)
        try:
            end = await self.live(index, job, attempt)
        except BaseException as error:
            end = error
            if self.program.fail_fast and isinstance(error, Boom) and attempt == self.program.attempts:
                self.stopped = True
            raise
        finally:
            self.count(job, -1)
            self.ends.pop(index, None)
            self.ends[index] = end
        return end

    async def live(self, index: int, job: Job, attempt: int) -> str:
        try:
            await anyio.sleep(job.duration)
            await checkpoint()
        except anyio.get_cancelled_exc_class():
            with anyio.CancelScope(shield=True):
                await anyio.sleep(job.stubborn)
            if job.when_cancelled == "cancelled":
                raise
            if job.when_cancelled == "error":
                raise Boom(index, "cancelled") from None
            return f"{index} in spite of all"
        assert VARIABLE.get() == index
        if attempt <= job.failing_attempts:
            raise Boom(index, attempt)
        return f"{index}"

    def check_entry(self, index: int, job: Job) -> None:
        attempt = self.entered.get(index, 0) + 1
        self.entered[index] = attempt
        assert place() == Place(index=index, attempt=attempt)
        assert VARIABLE.get() == "caller's"
        VARIABLE.set(index)
        assert not self.stopped, "started after the stop"
        if attempt == 1:  # later attempts go on under the permit of the first, whatever the limits are by then
            assert self.inside["all"] < self.allowed(None)
            assert self.inside[job.key] < self.allowed(job.key)

    def count(self, job: Job, step: int) -> None:
        for name in ("all", job.key):
            self.inside[name] += step
            self.most[name] = max(self.most[name], self.inside[name])

    def stop_when(self, outcome: Outcome[int, str]) -> bool:
        assert not self.stopped, "asked again after yes"
        assert next(reversed(self.ends)) == outcome.index, "not asked at the completion"
        self.stopped = outcome.index == self.program.stop_at
        return self.stopped

    # running it

    async def run(self) -> None:
        VARIABLE.set("caller's")
        with anyio.CancelScope() as scope:
            async with anyio.create_task_group() as beside:
                if self.program.cancel_at is not None:
                    scope.deadline = anyio.current_time() + self.program.cancel_at
                beside.start_soon(self.change_limits)
                beside.start_soon(self.watch_for_idleness)
                await self.consume()
                beside.cancel_scope.cancel()
        if scope.cancelled_caught:
            self.ended = "cancelled"

    async def consume(self) -> None:
        program = self.program
        try:
            async with fan_out(
                self.items(),
                self.work,
                limit=self.limits,
                key=lambda index: program.jobs[index].key,
                stop_when=self.stop_when,
                fail_fast=program.fail_fast,
                attempts=program.attempts,
                ahead=program.ahead,
            ) as self.fanout:
                async for outcome in self.fanout:
                    self.delivered.append(outcome)
                    await anyio.sleep(program.pace)
                    if len(self.delivered) == program.break_after:
                        self.ended, self.stopped = "broken off", True
                        break
        except ExceptionGroup as group:
            self.raised = group
        finally:
            self.consumed = True
            assert self.inside["all"] == 0, "the block was left while something ran"
            assert self.source_closed is not False, "the block was left with the source open"

    consumed = False

    async def watch_for_idleness(self) -> None:
        """Work conservation, looked at between the seconds, when everything has come to rest: where there is room,
        in all and for a key, no item of that key waits (F9)."""
        await anyio.sleep(0.5)
        while not self.consumed:
            if not self.stopped and self.inside["all"] < self.limits.total:
                known = range(self.pulled)
                waiting = {self.program.jobs[index].key for index in known if index not in self.entered}
                idle = {key for key in waiting if self.inside[key] < self.limit_of(key)}
                assert not idle, f"{idle} could have run"
            await anyio.sleep(1)

    # looking at what came of it

    def check(self) -> None:
        self.check_rest()
        self.check_outcomes()
        self.check_order()
        self.check_peak()
        if self.ended == "normally":
            self.check_complete()

    def check_rest(self) -> None:
        assert_at_rest(self.fanout)
        assert self.limits._watchers == []

    def check_outcomes(self) -> None:
        for outcome in self.delivered:
            assert outcome.item == outcome.index
            assert outcome.key == self.program.jobs[outcome.index].key
            assert outcome.attempts == self.entered.get(outcome.index, 0)
            end = self.ends.get(outcome.index)
            match outcome.status:
                case Status.DONE:
                    assert outcome.value == end
                    assert isinstance(end, str)
                case Status.FAILED:
                    assert outcome.error is end
                    assert isinstance(end, Boom)
                case Status.SKIPPED:
                    assert not isinstance(end, str)
                    assert not isinstance(end, Boom) or end is outcome.earlier[-1]
            assert all(isinstance(error, Boom) for error in outcome.earlier)

    def check_order(self) -> None:
        indices = [outcome.index for outcome in self.delivered]
        assert len(indices) == len(set(indices)), "an item has two outcomes"
        ended = [each.index for each in self.delivered if each.started and not self.awaited_another_attempt(each)]
        assert ended == [index for index in self.ends if index in ended], "not in order of completion"

    def awaited_another_attempt(self, outcome: Outcome[int, str]) -> bool:
        """It was skipped between two attempts: nothing of it completed."""
        return outcome.status is SKIPPED and isinstance(self.ends[outcome.index], Boom)

    def check_peak(self) -> None:
        assert self.fanout.peak.total == self.most["all"]
        assert self.fanout.peak.by_key == {key: most for key, most in self.most.items() if key != "all"}

    def check_complete(self) -> None:
        assert sorted(outcome.index for outcome in self.delivered) == list(range(self.pulled))
        failures = [outcome for outcome in self.delivered if outcome.status is FAILED]
        succeeded = any(outcome.status is DONE for outcome in self.delivered)
        if not self.stopped:
            assert len(self.delivered) == len(self.program.jobs)
            assert all(outcome.status is not SKIPPED for outcome in self.delivered)
        if failures and (self.program.fail_fast or not succeeded):
            assert isinstance(self.raised, ExceptionGroup)
            causes = [error for outcome in failures for error in (*outcome.earlier, outcome.error)]
            assert list(self.raised.exceptions) == causes
        else:
            assert self.raised is None


def quietly(function: Callable[..., World], *args: object) -> World:
    """Thousands of failures on purpose would drown the one that counts."""
    logging.disable(logging.WARNING)
    try:
        return function(*args)
    finally:
        logging.disable(logging.NOTSET)


def assert_at_rest(fanout: object) -> None:
    """No permit is out, and no task is known."""
    assert fanout._lanes.running == 0
    assert not fanout._in_flight
    assert all(lane.running == 0 for lane in fanout._lanes._lanes.values())
    assert fanout._gauge._inside == 0
    assert not any(fanout._gauge._inside_by_key.values())


@pytest.mark.promise("F1", "F2", "F3", "F4", "F5", "F7", "F8", "F9", "F10", "F11")
@pytest.mark.parametrize("backend", ["asyncio", "trio"])
@settings(max_examples=250)
@given(program=programs)
def test_the_promises_hold_for_any_program(backend: str, program: Program):
    async def main() -> World:
        world = World(program, Limits(program.limit, keys=program.key_limits))
        before = tasks_living()
        await world.run()
        assert tasks_living() == before, "a task was left behind"
        return world

    world = quietly(run, main, backend)
    event(f"{world.ended}, stopped: {world.stopped}")
    world.check()


@pytest.mark.promise("F6")
@pytest.mark.parametrize("backend", ["asyncio", "trio"])
@settings(max_examples=50)
@given(durations=st.lists(st.integers(0, 9), max_size=30), limit=st.integers(1, 8))
def test_collecting_is_mapping(backend: str, durations: list[int], limit: int):
    async def main() -> tuple[float, ...]:
        return (await collect(durations, nap, limit=limit, key=lambda item: item % 3)).values

    assert run(main, backend) == tuple(durations)


@pytest.mark.promise("F11")
@virtual
async def test_it_runs_on_the_backend_it_is_started_on():
    async def which(item: int) -> bool:
        try:
            trio.lowlevel.current_task()
        except RuntimeError:
            return False
        return True

    here = await which(0)
    assert (await collect(range(3), which, limit=2)).values == (here,) * 3
