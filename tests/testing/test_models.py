"""Models that cost nothing: those of a script, and those that repeat what was recorded."""

from __future__ import annotations

import json
from functools import partial
from typing import TYPE_CHECKING

import anyio
import pytest
from anyio.lowlevel import checkpoint
from hypothesis import given, settings
from hypothesis import strategies as st

from bakeoff.errors import CallRefused, ProviderBroken, ProviderBusy, ProviderError, UsageError
from bakeoff.events import CallEnd, CallEnded, Run, Warned
from bakeoff.models import Account, Answer, Budget, Finish, ProviderSettings, Rates, Request, Usage
from bakeoff.store import Store
from bakeoff.testing.models import HANG, Hang, NotRecorded, ReplayModel, ScriptedModel, ScriptEnded
from virtual_clock import Stopwatch, run

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from pathlib import Path

    from bakeoff.models import Model

RATES = Rates(tokens_in=1.0, tokens_out=2.0, tokens_cached=0.5, date="2026-11-19", origin="given")
BUSY = ProviderBusy("no room", status=429)


# -- scripts -----------------------------------------------------------------------------------------------------------


def test_one_answer_for_all_calls_one_for_each_or_what_a_function_says(anyio_backend: str):
    async def main() -> None:
        always = ScriptedModel("yes")
        assert [(await always.complete(each)).text for each in "abc"] == ["yes"] * 3
        in_turn = ScriptedModel(["one", Answer(text="two", usage=Usage(), finish=Finish.LENGTH)])
        assert (await in_turn.complete("?")).text == "one"
        assert (await in_turn.complete("?")).finish is Finish.LENGTH
        with pytest.raises(ScriptEnded, match=r"the script ended before call 3, which asks: 'and\?'"):
            await in_turn.complete("and?")
        echo = ScriptedModel(lambda request: request.messages[-1].content.upper())
        assert (await echo.complete("loud")).text == "LOUD"
        assert [request.messages[0].content for request in echo.requests] == ["loud"]

    run(main, anyio_backend)


def test_it_takes_as_long_as_the_script_says_and_counts_what_is_open(anyio_backend: str):
    async def main() -> None:
        model, clock = ScriptedModel("yes", latency=lambda request: float(request.messages[0].content)), Stopwatch()
        async with anyio.create_task_group() as group:
            for seconds in ("3", "1", "2"):
                group.start_soon(model.complete, seconds)
            await anyio.sleep(0.5)
            assert model.open == 3
            await anyio.sleep(1)
            assert model.open == 2
        assert clock.read() == 3
        assert (model.open, model.peak) == (0, 3)

    run(main, anyio_backend)


def test_a_call_that_hangs_is_heard_so_far_and_lasts_until_it_is_cancelled(anyio_backend: str):
    async def main() -> None:
        model = ScriptedModel(Hang(after="x" * 8))
        with anyio.move_on_after(100) as scope:
            await model.complete("four")
        assert scope.cancelled_caught
        assert model.open == 0
        assert model.account.spent.usage == Usage(tokens_in=1, tokens_out=2, is_estimate=True)

    run(main, anyio_backend)


# -- recordings --------------------------------------------------------------------------------------------------------


def record(tmp_path: Path, backend: str, program: Callable[[Account], Awaitable[object]]) -> tuple[Store, str]:
    store = Store(tmp_path / "store.sqlite")

    async def main() -> str:
        async with store.record() as log:
            await log.append(Warned(message="a run has at least one event"))
            await program(Account(log=log))
            return log.run

    return store, anyio.run(main, backend=backend)


async def outcome(model: Model, prompt: str, order: list[str] | None = None) -> object:
    try:
        found = await model.complete(prompt)
    except ProviderError as error:
        return type(error).__name__, error.status, str(error)
    else:
        return found.text, found.usage, found.cost, found.finish, found.request_id
    finally:
        if order is not None:
            order.append(prompt)


def test_the_same_request_has_the_same_end_and_nothing_is_sent(tmp_path: Path, anyio_backend: str):
    answers = [
        Answer(text="one", usage=Usage(tokens_in=100, tokens_out=5, cached=50), finish=Finish.LENGTH, request_id="r"),
        BUSY,
        "two",
        CallRefused("not so", status=400, hint="say it otherwise"),
        ProviderBroken("cut off"),
        ProviderBusy("overloaded", status=529),
    ]
    told: list[object] = []

    async def program(account: Account) -> None:
        each = ProviderSettings(attempts=2, backoff=0)
        model = ScriptedModel([*answers, BUSY], account=account, rates=RATES, settings=each)
        told.extend([await outcome(model, prompt) for prompt in "abc"])
        told.append(await outcome(model, "d"))

    store, run_id = record(tmp_path, anyio_backend, program)

    async def replayed() -> None:
        account = Account()
        model = ReplayModel(store, run_id, account=account)
        assert model.name == "scripted:model"
        # In another order, since each is found by what it asks.
        again = {prompt: await outcome(model, prompt) for prompt in "abcd"}
        assert again["a"] == told[0]
        text, usage, *_ = told[1]  # type: ignore[misc]
        assert again["b"][:2] == (text, usage)  # type: ignore[index]
        assert again["c"] == told[2]
        assert again["d"][:2] == told[3][:2]  # type: ignore[index]
        assert account.spent.calls == 4
        assert account.spent.attempts == 4, "however often it was tried"

    run(replayed, anyio_backend)


@settings(max_examples=20)
@given(
    calls=st.lists(
        st.tuples(st.sampled_from("ab"), st.sampled_from(["text", "busy", "broken", "refused"]), st.integers(0, 3)),
        min_size=1,
        max_size=8,
    )
)
def test_replayed_at_once_calls_end_as_they_ended_and_in_that_order(
    calls: list[tuple[str, str, int]], tmp_path_factory: pytest.TempPathFactory
):
    kinds = {"busy": BUSY, "broken": ProviderBroken("cut"), "refused": CallRefused("no", status=403)}
    told: list[tuple[str, object]] = []

    async def program(account: Account) -> None:
        script = {f"{number} {prompt}": (kind, steps) for number, (prompt, kind, steps) in enumerate(calls)}
        once = ProviderSettings(attempts=1, concurrency=100)

        def answer(request: Request) -> str | Exception:
            prompt = request.messages[0].content
            return kinds.get(script[prompt][0], f"answer to {prompt}")

        def seconds(request: Request) -> float:
            return script[request.messages[0].content][1] / 1000

        model = ScriptedModel(answer, account=account, rates=RATES, settings=once, latency=seconds)
        await all_at_once(model, list(script), told)

    async def all_at_once(model: Model, prompts: list[str], into: list[tuple[str, object]]) -> None:
        async def call(prompt: str) -> None:
            found = await outcome(model, prompt)
            into.append((prompt, found))

        async with anyio.create_task_group() as group:
            for prompt in prompts:
                group.start_soon(call, prompt)
                await checkpoint()

    store, run_id = record(tmp_path_factory.mktemp("run"), "asyncio", program)
    ended = [recorded.event.call for recorded in store.events(run_id) if isinstance(recorded.event, CallEnded)]
    asked = {call: state.began.request for (call, _), state in Run.of(store.events(run_id)).attempts.items()}
    order = [json.loads(store.text(asked[call]))["messages"][0]["content"] for call in ended]
    for _ in range(2):
        again: list[tuple[str, object]] = []
        prompts = [f"{number} {prompt}" for number, (prompt, _, _) in enumerate(calls)]
        run(partial(all_at_once, ReplayModel(store, run_id), prompts, again), "asyncio")
        assert dict(again) == dict(told)
        assert [prompt for prompt, _ in again] == order


def test_of_equal_requests_the_first_that_was_made_comes_first(tmp_path: Path, anyio_backend: str):
    async def program(account: Account) -> None:
        model = ScriptedModel(["first", "second"], account=account)
        await model.complete("?")
        await model.complete("?")

    store, run_id = record(tmp_path, anyio_backend, program)

    async def replayed() -> None:
        model = ReplayModel(store, run_id)
        assert [(await model.complete("?")).text for _ in range(2)] == ["first", "second"]
        with pytest.raises(NotRecorded, match="no such call, or no further one: '\\?'") as caught:
            await model.complete("?")
        assert "the same prompts" in str(caught.value.hint)

    run(replayed, anyio_backend)


def test_what_was_cancelled_waits_to_be_cancelled_again(tmp_path: Path, anyio_backend: str):
    """And so does what the recorded run did not come to: it had its answer before."""

    async def program(account: Account) -> None:
        model = ScriptedModel([HANG, "won"], account=account)
        async with anyio.create_task_group() as group:
            group.start_soon(model.complete, "one way")
            while not model.open:
                await checkpoint()
            await model.complete("another way")
            group.cancel_scope.cancel()

    store, run_id = record(tmp_path, anyio_backend, program)
    assert Run.of(store.events(run_id)).spent.cancelled == 1

    async def replayed() -> None:
        account, clock = Account(), Stopwatch()
        model = ReplayModel(store, run_id, account=account)
        async with anyio.create_task_group() as group:
            group.start_soon(model.complete, "one way")
            group.start_soon(model.complete, "a third way")
            await checkpoint()
            assert (await model.complete("another way")).text == "won"
            group.cancel_scope.cancel()
        assert clock.read() == 0
        assert account.spent.attempts == 3
        with pytest.raises(NotRecorded):
            await ReplayModel(store, run_id, patience=3.0).complete("one way")
        assert clock.read() == 3

    run(replayed, anyio_backend)


def test_where_something_else_has_changed_nothing_waits_for_ever(tmp_path: Path, anyio_backend: str):
    """A call that nobody makes any more keeps those that ended after it waiting for a while, once."""

    async def program(account: Account) -> None:
        model = ScriptedModel(["1", "2", "3"], account=account)
        for prompt in "abc":
            await model.complete(prompt)

    store, run_id = record(tmp_path, anyio_backend, program)

    async def replayed() -> None:
        model, clock = ReplayModel(store, run_id, patience=3.0), Stopwatch()
        assert (await model.complete("b")).text == "2"
        assert clock.read() == 3
        assert (await model.complete("c")).text == "3"
        assert (await model.complete("a")).text == "1"
        assert clock.read() == 3

    run(replayed, anyio_backend)


def test_a_replay_takes_no_time_unless_that_is_wanted(tmp_path: Path, anyio_backend: str):
    async def program(account: Account) -> None:
        await ScriptedModel("yes", latency=0.02, account=account).complete("?")

    store, run_id = record(tmp_path, anyio_backend, program)
    (state,) = Run.of(store.events(run_id)).attempts.values()
    assert state.ended is not None

    async def replayed() -> None:
        clock = Stopwatch()
        await ReplayModel(store, run_id).complete("?")
        assert clock.read() == 0
        found = await ReplayModel(store, run_id, is_timed=True).complete("?")
        assert found.seconds == pytest.approx(state.ended.seconds)  # type: ignore[union-attr]

    run(replayed, anyio_backend)


def test_a_replay_costs_what_the_recorded_calls_cost_so_that_budgets_end_where_they_ended(tmp_path: Path):
    async def program(account: Account) -> None:
        model = ScriptedModel(["x" * 400] * 3, account=account, rates=Rates(tokens_in=0, tokens_out=1e6, date="then"))
        for _ in range(3):
            await model.complete("?", max_tokens=100)

    store, run_id = record(tmp_path, "asyncio", program)

    async def replayed() -> None:
        account = Account(budget=Budget(cost=250.0))
        model = ReplayModel(store, run_id, account=account)
        assert model._prices.rates(model.name) == Rates(tokens_in=0, tokens_out=1e6, date="then")
        for _ in range(2):
            await model.complete("?", max_tokens=100)
        with pytest.raises(Exception, match=r"\$200.0000 of \$250.0000"):
            await model.complete("?", max_tokens=100)

    run(replayed, "asyncio")


def test_of_several_models_one_is_named(tmp_path: Path):
    async def program(account: Account) -> None:
        for name in ("a:m", "b:m"):
            await ScriptedModel(f"of {name}", name=name, account=account).complete("?")

    store, run_id = record(tmp_path, "asyncio", program)
    with pytest.raises(UsageError, match="called several models: a:m, b:m"):
        ReplayModel(store, run_id)

    async def replayed() -> None:
        for name in ("a:m", "b:m"):
            assert (await ReplayModel(store, run_id, name=name).complete("?")).text == f"of {name}"

    run(replayed, "asyncio")


def test_a_run_without_calls_has_nothing_to_replay(tmp_path: Path):
    async def program(account: Account) -> None:
        pass

    store, run_id = record(tmp_path, "asyncio", program)
    with pytest.raises(UsageError, match="called no model"):
        ReplayModel(store, run_id)


def test_a_replay_is_recorded_like_any_run_and_can_be_replayed(tmp_path: Path, anyio_backend: str):
    async def program(account: Account) -> None:
        await ScriptedModel(["yes"], account=account, rates=RATES).complete("?")

    store, first = record(tmp_path, anyio_backend, program)

    async def again(account: Account) -> None:
        await ReplayModel(store, first, account=account).complete("?")

    _, second = record(tmp_path, anyio_backend, again)

    async def replayed() -> None:
        assert (await ReplayModel(store, second).complete("?")).text == "yes"

    run(replayed, anyio_backend)
    ends = [state.ended for one in (first, second) for state in Run.of(store.events(one)).attempts.values()]
    assert [(end.end, end.tokens_out, end.cost) for end in ends if end] == [(CallEnd.DONE, 1, pytest.approx(3e-6))] * 2
