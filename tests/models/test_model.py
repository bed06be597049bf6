"""Calls: tried again where that may help, measured apart from all waiting (M2), and closed in every end (M8)."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, TypeVar

import anyio
import pytest
from anyio.lowlevel import checkpoint
from hypothesis import example, given, settings
from hypothesis import strategies as st

from bakeoff.errors import BakeoffError, BudgetSpent, CallRefused, ProviderBroken, ProviderBusy, ProviderError
from bakeoff.events import CallEnd, Run, Warned
from bakeoff.models import (
    Account,
    Answer,
    Budget,
    Finish,
    Limiter,
    Message,
    Model,
    Prices,
    ProviderSettings,
    Rates,
    Request,
    Role,
    Usage,
)
from bakeoff.models.model import request_text
from bakeoff.models.tally import tallied
from bakeoff.store import Store
from bakeoff.testing.models import HANG, Hang, ScriptedClient, ScriptedModel
from cancelling import cancelled_at
from virtual_clock import run

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

T = TypeVar("T")

AT_ONCE = ProviderSettings(concurrency=4, backoff=0.0, attempts=3)
RATES = Rates(tokens_in=1.0, tokens_out=2.0)
BUSY = ProviderBusy("no room", status=429)
BROKEN = ProviderBroken("cut off", status=500)
REFUSED = CallRefused("not like this", status=400)
BEGINNING = 2  # events before the first call: that of `recorded`, and what the model costs


def recorded(
    tmp_path: Path, backend: str, program: Callable[[Account], Awaitable[T]], *, budget: Budget | None = None
) -> tuple[Run, T, Account]:
    """What a program's calls leave in the log; what it returns; and its account, at rest."""
    store = Store(tmp_path / "store.sqlite")

    async def main() -> tuple[str, T, Account]:
        async with store.record() as log:
            await log.append(Warned(message="a run has at least one event"))
            account = Account(log=log, budget=budget or Budget())
            return log.run, await program(account), account

    run_id, result, account = anyio.run(main, backend=backend)
    assert not account._held, "something is still set aside"
    return Run.of(store.events(run_id)), result, account


def assert_at_rest(model: Model) -> None:
    assert model._limiter.permits.in_flight == 0
    assert model._limiter.waiting == 0
    assert not model.account._held
    assert model.account._line.in_flight == model.account._line.waiting == 0
    assert isinstance(model, ScriptedModel)
    assert model.open == 0


def ends(found: Run) -> list[tuple[int, CallEnd]]:
    return [(place[1], state.ended.end) for place, state in found.attempts.items() if state.ended is not None]


# -- what comes of a call ----------------------------------------------------------------------------------------------


def test_an_answer_with_all_that_is_known_of_it(anyio_backend: str):
    async def main() -> None:
        usage = Usage(tokens_in=1000, tokens_out=100, cached=400)
        answer = Answer(text="yes", usage=usage, finish=Finish.LENGTH, request_id="r-1")
        model = ScriptedModel(answer, rates=replace(RATES, tokens_cached=0.5))
        found = await model.complete("is it?", max_tokens=100)
        assert (found.text, found.finish, found.request_id, found.attempts) == ("yes", Finish.LENGTH, "r-1", 1)
        assert (found.model, found.usage, found.parsed) == ("scripted:model", usage, None)
        assert found.cost == pytest.approx((600 * 1.0 + 400 * 0.5 + 100 * 2.0) / 1e6)
        (request,) = model.requests
        assert request.messages == (Message(role=Role.USER, content="is it?"),)

    run(main, anyio_backend)


@pytest.mark.parametrize(
    ("text", "parsed"),
    [
        ('{"a": 1}', {"a": 1}),
        ('Here it is:\n```json\n{"a": 1}\n```\nAs you wished.', {"a": 1}),
        ("[1, 2]", [1, 2]),
        ("a = 1", None),
        ("NaN", None),
        ("[" * 100_000, None),
    ],
)
def test_with_a_schema_the_answer_is_data_as_well(text: str, parsed: object):
    async def main() -> None:
        found = await ScriptedModel(text).complete("?", schema={"type": "object"})
        assert (found.text, found.parsed) == (text, parsed)

    run(main, "asyncio")


def test_a_call_without_a_message_or_without_room_is_refused():
    async def main() -> None:
        model = ScriptedModel("x")
        with pytest.raises(ValueError, match="needs a message"):
            await model.complete([])
        with pytest.raises(ValueError, match="at least one token"):
            await model.complete("?", max_tokens=0)
        assert not model.requests

    run(main, "asyncio")


@settings(max_examples=50)
@given(st.text(), st.none() | st.dictionaries(st.text(), st.text() | st.lists(st.integers())))
def test_the_text_of_a_request_is_its_own(content: str, schema: dict[str, object] | None):
    request = Request(messages=(Message(content=content),), schema=schema)
    text = request_text(request)
    assert text == request_text(replace(request, schema=None if schema is None else dict(reversed(schema.items()))))
    assert json.loads(text)["messages"] == [{"role": "user", "content": content}]
    for other in (
        replace(request, temperature=0.0),
        replace(request, seed=0),
        replace(request, max_tokens=1),
        replace(request, stop=("",)),
        replace(request, messages=(Message(content=content, role=Role.SYSTEM),)),
    ):
        assert request_text(other) != text


# -- attempts ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("error", [BUSY, BROKEN])
def test_what_may_pass_is_tried_again(anyio_backend: str, error: ProviderError):
    async def main() -> None:
        model = ScriptedModel([error, error, "at last"], settings=AT_ONCE)
        found = await model.complete("?")
        assert (found.text, found.attempts, len(model.requests)) == ("at last", 3, 3)
        assert len(set(map(request_text, model.requests))) == 1
        assert model.account.spent.attempts == 3
        assert model.account.spent.calls == 1

    run(main, anyio_backend)


@pytest.mark.parametrize("error", [REFUSED, RuntimeError("a bug of a client")])
def test_what_does_not_pass_by_waiting_is_not_tried_again(error: Exception):
    async def main() -> None:
        model = ScriptedModel([error, "never sent"], settings=AT_ONCE)
        with pytest.raises(type(error)) as caught:
            await model.complete("?")
        assert caught.value is error
        assert len(model.requests) == 1

    run(main, "asyncio")


def test_the_last_attempt_says_why_it_failed():
    async def main() -> None:
        last = ProviderBusy("and still none")
        model = ScriptedModel([BUSY, BUSY, last, "never sent"], settings=AT_ONCE)
        with pytest.raises(ProviderBusy) as caught:
            await model.complete("?")
        assert caught.value is last
        assert len(model.requests) == 3

    run(main, "asyncio")


def test_back_off_doubles_with_jitter_up_to_a_minute(anyio_backend: str):
    async def main() -> None:
        pauses = []
        for seed in range(20):
            client = ScriptedClient([BROKEN] * 9 + ["ok"])
            each = ProviderSettings(backoff=1.0, attempts=10)
            limiter = Limiter("scripted", each)
            model = Model(
                client,
                Account(),
                limiter=lambda limiter=limiter: limiter,
                prices=Prices(),
                settings=each,
                random=Random(seed),
            )
            pauses.append((await model.complete("?")).backed_off)
        most = 1 + 2 + 4 + 8 + 16 + 32 + 60 + 60 + 60
        assert all(most / 2 <= pause <= most for pause in pauses)
        assert len(set(pauses)) == len(pauses), "those who were refused together would come again together"

    run(main, anyio_backend)


@pytest.mark.promise("M1")
def test_a_provider_that_says_when_is_not_asked_before(anyio_backend: str):
    async def main() -> None:
        busy = ProviderBusy("later", status=429, retry_after=30)
        each = ProviderSettings(backoff=1.0, attempts=2)
        found = await ScriptedModel([busy, "ok"], settings=each).complete("?")
        assert 30 <= found.backed_off <= 33
        assert found.queued == pytest.approx(0), "it waits for no longer than all others do"

    run(main, anyio_backend)


@pytest.mark.promise("M1")
@pytest.mark.parametrize("error", [ProviderBusy, ProviderBroken])
def test_who_is_told_when_to_come_back_comes_a_bit_later_and_by_chance(error: type[ProviderError], anyio_backend: str):
    async def main() -> None:
        pauses = []
        for seed in range(20):
            client = ScriptedClient([error("later", retry_after=30), "ok"])
            each, random = ProviderSettings(backoff=1.0), Random(seed)
            limiter = Limiter("scripted", each, random=random)
            model = Model(
                client,
                Account(),
                limiter=lambda limiter=limiter: limiter,
                prices=Prices(),
                settings=each,
                random=random,
            )
            pauses.append((await model.complete("?")).backed_off)
        assert min(pauses) >= 30
        assert max(pauses) <= 33
        assert max(pauses) - min(pauses) > 2

    run(main, anyio_backend)


@pytest.mark.promise("M8")
def test_the_pause_that_is_recorded_is_the_one_that_is_waited(tmp_path: Path, anyio_backend: str):
    async def program(account: Account) -> float:
        busy = ProviderBusy("later", status=429, retry_after=0.01)
        model = ScriptedModel([busy, "ok"], account=account, settings=ProviderSettings(backoff=0.0))
        return (await model.complete("?")).backed_off

    found, waited, _ = recorded(tmp_path, anyio_backend, program)
    (limited,) = found.limits
    assert 0.01 < limited.pause <= min(waited, 0.02)


def test_a_provider_that_asks_for_more_than_is_ever_waited_is_given_up():
    async def main() -> None:
        busy = ProviderBusy("tomorrow", status=429, retry_after=86_400)
        model = ScriptedModel([busy, "never sent"], settings=ProviderSettings(timeout=60))
        began = anyio.current_time()
        with pytest.raises(ProviderBusy, match="tomorrow"):
            await model.complete("?")
        assert anyio.current_time() == began

    run(main, "asyncio")


def test_an_attempt_that_takes_too_long_is_cut_and_tried_again(anyio_backend: str):
    async def main() -> None:
        model = ScriptedModel([HANG, "ok"], settings=replace(AT_ONCE, timeout=5.0), rates=RATES)
        found = await model.complete("four" * 10, max_tokens=10)
        assert (found.text, found.attempts, found.seconds) == ("ok", 2, 0.0)
        assert found.usage == Usage(tokens_in=20, tokens_out=1, is_estimate=True)
        model = ScriptedModel(HANG, settings=replace(AT_ONCE, timeout=5.0))
        with pytest.raises(ProviderBroken, match="did not answer within 5 s") as caught:
            await model.complete("?")
        assert "timeout of its provider's settings" in str(caught.value.hint)
        assert len(model.requests) == 3
        assert_at_rest(model)

    run(main, anyio_backend)


# -- times -------------------------------------------------------------------------------------------------------------


@pytest.mark.promise("M2")
def test_the_time_of_a_call_is_that_of_the_attempt_that_succeeded_alone(anyio_backend: str):
    """Queue, back-off and call are three numbers, whatever happened before."""

    async def main() -> None:
        busy = ProviderBusy("later", status=429, retry_after=30)
        each = ProviderSettings(concurrency=1, backoff=1.0)
        model = ScriptedModel([busy, *["ok"] * 3], latency=7.0, settings=each)
        found = {}

        async def call(name: str) -> None:
            found[name] = await model.complete(name)

        async with anyio.create_task_group() as group:
            for name in ("refused", "second", "third"):
                group.start_soon(call, name)
                await checkpoint()
        assert {each.seconds for each in found.values()} == {7.0}
        # The refusal at 7 makes everybody wait for 30 s and a bit, and the one that was refused lines up again.
        pause = found["refused"].backed_off
        assert 30 <= pause <= 33
        assert found["refused"].queued == pytest.approx(14)
        assert (found["second"].backed_off, found["second"].queued) == (0, pytest.approx(7 + pause))
        assert (found["third"].backed_off, found["third"].queued) == (0, pytest.approx(14 + pause))

    run(main, anyio_backend)


@pytest.mark.promise("M2", "M8")
def test_what_is_recorded_has_the_same_three_times(tmp_path: Path, anyio_backend: str):
    async def program(account: Account) -> tuple[float, float, float]:
        model = ScriptedModel([BUSY, "ok"], account=account, settings=AT_ONCE)
        found = await model.complete("?")
        return found.seconds, found.queued, found.backed_off

    found, times, _ = recorded(tmp_path, anyio_backend, program)
    (_, first), (_, second) = found.attempts.items()
    assert first.ended
    assert second.ended
    assert second.ended.seconds == times[0]
    assert first.ended.queued + second.ended.queued == times[1]
    assert first.ended.backed_off + second.ended.backed_off == times[2]


# -- the record --------------------------------------------------------------------------------------------------------


@pytest.mark.promise("M8")
def test_everything_about_a_call_is_recorded(tmp_path: Path, anyio_backend: str):
    store = Store(tmp_path / "store.sqlite")
    answer = Answer(text="42", usage=Usage(tokens_in=10, tokens_out=2, cached=4), request_id="r\udc80")

    async def program(account: Account) -> ScriptedModel:
        model = ScriptedModel([BUSY, answer], account=account, settings=AT_ONCE, rates=RATES)
        await model.complete("what?\udc80", max_tokens=10, purpose="to know\udc80")
        return model

    found, model, account = recorded(tmp_path, anyio_backend, program)
    assert found.prices["scripted:model"].tokens_out == RATES.tokens_out
    first, second = found.attempts.values()
    assert [each.began.attempt for each in (first, second)] == [1, 2]
    assert first.began.call == second.began.call
    assert first.began.purpose == "to know?"
    assert first.began.request is not None
    assert store.text(first.began.request) == request_text(model.requests[0])
    assert first.began.most == pytest.approx((2 * 2 * 1.0 + 10 * 2.0) / 1e6)
    assert first.ended
    assert (first.ended.end, first.ended.status, first.ended.error) == (CallEnd.FAILED, 429, str(BUSY))
    assert second.ended
    assert (second.ended.end, second.ended.finish, second.ended.request_id) == (CallEnd.DONE, "stop", "r?")
    assert second.ended.answer is not None
    assert store.text(second.ended.answer) == "42"
    assert found.spent.tokens_cached == 4
    assert found.spent.cost == account.spent.cost
    (limited,) = found.limits
    assert (limited.provider, limited.limit, limited.reason) == ("scripted", 2, "no room")


@pytest.mark.promise("M8")
def test_a_cost_that_nobody_knows_is_recorded_as_unknown(tmp_path: Path):
    async def program(account: Account) -> float | None:
        return (await ScriptedModel("x", account=account).complete("?")).cost

    found, cost, account = recorded(tmp_path, "asyncio", program)
    assert cost is None
    assert account.spent.cost is None
    assert found.spent.unpriced == 1
    assert found.prices["scripted:model"].tokens_in is None


@pytest.mark.promise("M8")
def test_what_a_cancelled_call_took_is_kept_as_an_estimate(tmp_path: Path, anyio_backend: str):
    async def program(account: Account) -> None:
        model = ScriptedModel(Hang(after="x" * 41), account=account, rates=RATES)
        with anyio.CancelScope() as scope:

            async def cancel_when_heard() -> None:
                while not model.open:
                    await checkpoint()
                scope.cancel()

            async with anyio.create_task_group() as group:
                group.start_soon(cancel_when_heard)
                await model.complete("four" * 25)
        assert_at_rest(model)

    found, _, account = recorded(tmp_path, anyio_backend, program)
    (attempt,) = found.attempts.values()
    ended = attempt.ended
    assert ended
    assert (ended.end, ended.is_estimate, ended.error) == (CallEnd.CANCELLED, True, None)
    assert ended.tokens_in == 25
    assert ended.tokens_out in (0, 11), "as far as it was heard"
    assert account.spent.usage.tokens_in == 25
    assert found.spent.cost == pytest.approx(account.spent.known_cost)
    assert account.spent.known_cost > 0


def test_tallies_count_what_their_own_block_spent_and_may_be_nested():
    async def main() -> None:
        model = ScriptedModel([BUSY, "x" * 8, HANG, "x" * 40], settings=replace(AT_ONCE, timeout=5), rates=RATES)
        with tallied() as outer:
            with tallied() as inner:
                await model.complete("four")
            assert (inner.usage.tokens_in, inner.usage.tokens_out) == (1, 2)
            await model.complete("four")
        assert inner.usage.tokens_out == 2
        assert outer.usage.tokens_out == 12
        assert outer.cost == pytest.approx(model.account.spent.cost)
        unpriced = ScriptedModel("x")
        with tallied() as tally:
            await unpriced.complete("four")
        assert tally.cost is None
        assert tally.known_cost == 0

    run(main, "asyncio")


KINDS = {"ok": "fine", "busy": BUSY, "broken": BROKEN, "refused": REFUSED, "bug": RuntimeError("bug"), "hang": HANG}
SCRIPTS = st.lists(st.lists(st.sampled_from(sorted(KINDS)), min_size=3, max_size=3), min_size=1, max_size=5)


@pytest.mark.promise("M8", "F8")
@settings(max_examples=25)
@example(scripts=[["broken"] * 3] * 3, cancel_after=2, tokens=None)
@given(scripts=SCRIPTS, cancel_after=st.none() | st.integers(0, 60), tokens=st.none() | st.integers(0, 300))
def test_every_attempt_that_began_has_one_end_and_nothing_is_held(
    tmp_path_factory: pytest.TempPathFactory, scripts: list[list[str]], cancel_after: int | None, tokens: int | None
):
    async def program(account: Account) -> None:
        left = {str(number): list(script) for number, script in enumerate(scripts)}
        model = ScriptedModel(
            lambda request: KINDS[left[request.messages[0].content].pop(0)],
            account=account,
            settings=ProviderSettings(concurrency=2, backoff=0.0, attempts=3, timeout=0.005),
            rates=RATES,
        )
        failed: list[BaseException] = []

        async def call(name: str) -> None:
            try:
                await model.complete(name, max_tokens=50)
            except (BakeoffError, RuntimeError) as error:
                failed.append(error)

        async def all_calls() -> None:
            async with anyio.create_task_group() as group:
                for name in left:
                    group.start_soon(call, name)

        if cancel_after is None:
            await all_calls()
        else:
            async with anyio.create_task_group() as group:
                group.start_soon(all_calls)
                for _ in range(cancel_after):
                    await checkpoint()
                group.cancel_scope.cancel()
        assert_at_rest(model)
        assert model._limiter.permits.peak <= 2
        assert model.peak <= 2

    for backend in ("asyncio", "trio"):
        folder = tmp_path_factory.mktemp("run")
        found, _, account = recorded(folder, backend, program, budget=Budget(tokens=tokens))
        assert not found.spent.open
        assert all(attempt.ended is not None for attempt in found.attempts.values())
        assert found.spent.attempts == account.spent.attempts
        assert found.spent.calls == account.spent.calls
        assert found.spent.tokens_in == account.spent.usage.tokens_in
        assert found.spent.cost == pytest.approx(account.spent.known_cost)
        if tokens is not None:
            assert found.spent.tokens_in + found.spent.tokens_out <= tokens


# -- cancelled, killed -------------------------------------------------------------------------------------------------


@pytest.mark.promise("F8", "F4", "M8")
@pytest.mark.parametrize("seconds", [None, 1000.0])
def test_cancelled_at_any_await_nothing_is_left_and_every_beginning_has_an_end(
    tmp_path: Path, anyio_backend: str, seconds: float | None
):
    reached = []

    async def program(account: Account) -> None:
        step = 0
        while True:
            model = ScriptedModel([BUSY, BROKEN, "ok", "again"], account=account, settings=AT_ONCE, rates=RATES)
            came_so_far = await cancelled_at(step, lambda model=model: model.complete("?", max_tokens=5))
            assert_at_rest(model)
            await model.complete("and now?", max_tokens=5)
            assert_at_rest(model)
            if not came_so_far:
                break
            step += 1
        reached.append(step)

    found, _, account = recorded(tmp_path, anyio_backend, program, budget=Budget(seconds=seconds, cost=10.0))
    assert reached[0] >= 8, "three attempts, each with a beginning and a call, and two pauses"
    assert not found.spent.open
    assert found.spent.attempts == account.spent.attempts
    assert found.spent.cancelled > 0
    assert {end for _, end in ends(found)} == set(CallEnd)


@pytest.mark.promise("M8")
def test_what_was_open_when_the_process_was_killed_is_seen(tmp_path: Path):
    code = """
import sys, anyio
from pathlib import Path
from bakeoff.models import Account
from bakeoff.store import Store
from bakeoff.testing.models import HANG, ScriptedModel

def script(request):
    if request.messages[0].content == "short":
        return "done"
    print("sent", flush=True)
    return HANG

async def main():
    async with Store(Path(sys.argv[1])).record() as log:
        model = ScriptedModel(script, account=Account(log=log))
        await model.complete("short")
        await model.complete("long", purpose="to wait")

anyio.run(main)
"""
    path = tmp_path / "store.sqlite"
    with subprocess.Popen([sys.executable, "-c", code, str(path)], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "sent\n"
        os.kill(process.pid, signal.SIGKILL)
    store = Store(path)
    (summary,) = store.runs()
    found = Run.of(store.events(summary.id))
    assert (found.spent.calls, found.spent.attempts) == (2, 2)
    (open_one,) = found.spent.open.values()
    assert open_one.purpose == "to wait"
    assert open_one.request is not None
    assert "long" in store.text(open_one.request)


# -- the time that a run may take --------------------------------------------------------------------------------------


def test_who_waits_for_a_slot_when_the_time_is_up_waits_no_longer(anyio_backend: str):
    async def main() -> None:
        account = Account(budget=Budget(seconds=10))
        model = ScriptedModel("ok", latency=25.0, account=account, settings=replace(AT_ONCE, concurrency=1))
        outcomes = []

        async def call(name: str) -> None:
            try:
                outcomes.append((await model.complete(name)).text)
            except BudgetSpent as error:
                outcomes.append((error.what, anyio.current_time() - began))

        began = anyio.current_time()
        async with anyio.create_task_group() as group:
            for name in "abc":
                group.start_soon(call, name)
        # One that is under way goes on; the others end when the time does, not when it is their turn.
        assert outcomes == [("time", 10.0), ("time", 10.0), "ok"]
        with pytest.raises(BudgetSpent) as caught:
            await model.complete("d")
        assert "25.0 s of 10 s" in caught.value.message
        assert "--max-time" in str(caught.value.hint)
        assert_at_rest(model)

    run(main, anyio_backend)


def test_no_back_off_leads_beyond_the_time(anyio_backend: str):
    async def main() -> None:
        account = Account(budget=Budget(seconds=10))
        busy = ProviderBusy("later", status=429, retry_after=20)
        model = ScriptedModel([busy, "never sent"], account=account, settings=ProviderSettings())
        began = anyio.current_time()
        with pytest.raises(BudgetSpent) as caught:
            await model.complete("?")
        assert caught.value.__cause__ is busy
        assert anyio.current_time() == began

    run(main, anyio_backend)


def test_a_pause_that_ends_beyond_the_time_by_chance_is_not_begun(anyio_backend: str):
    async def main() -> None:
        each = ProviderSettings()
        limiter = Limiter("scripted", each, random=Random(3))
        assert limiter.lengthened(30) != 30
        client = ScriptedClient(ProviderBusy("later", status=429, retry_after=30))
        account = Account(budget=Budget(seconds=30.1))
        model = Model(client, account, limiter=lambda: limiter, prices=Prices(), settings=each)
        began = anyio.current_time()
        with pytest.raises(BudgetSpent):
            await model.complete("?")
        assert anyio.current_time() == began

    run(main, anyio_backend)


@pytest.mark.promise("M8")
def test_what_is_next_is_recorded_while_it_waits_and_closed_where_it_waits_in_vain(tmp_path: Path, anyio_backend: str):
    async def program(account: Account) -> int:
        model = ScriptedModel(HANG, account=account, settings=ProviderSettings(concurrency=1))
        assert account.log is not None
        async with anyio.create_task_group() as group:
            for text in ("open", "next", "later"):
                group.start_soon(model.complete, text)
            while not model.open or len(list(Store(tmp_path / "store.sqlite").events(account.log.run))) < BEGINNING + 2:
                await checkpoint()
            group.cancel_scope.cancel()
        assert_at_rest(model)
        return len(model.requests)

    found, sent, _ = recorded(tmp_path, anyio_backend, program)
    assert sent == 1
    assert not found.spent.open
    assert ends(found) == [(1, CallEnd.CANCELLED)] * 2, "whoever is not next is not recorded"
    taken = [state.ended.tokens_in for state in found.attempts.values() if state.ended is not None]
    assert sorted(taken) == [0, 1]
