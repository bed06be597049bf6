"""Budgets: nothing is begun that might exceed them, however many calls want to begin at once (M8)."""

from __future__ import annotations

from contextlib import nullcontext
from functools import partial
from typing import TYPE_CHECKING

import anyio
import pytest
from anyio.lowlevel import checkpoint
from hypothesis import given
from hypothesis import strategies as st

from bakeoff.errors import BakeoffError, BudgetSpent, CallsStopped, ProviderBroken, UsageError
from bakeoff.events import Spent as RecordedSpent
from bakeoff.models import Account, Answer, Budget, ProviderSettings, Rates, Usage
from bakeoff.models.account import finishing
from bakeoff.testing.models import HANG, ScriptedModel
from cancelling import cancelled_at
from virtual_clock import run

if TYPE_CHECKING:
    from bakeoff.models import Request

RATES = Rates(tokens_in=1_000_000, tokens_out=1_000_000)  # a dollar a token, so that sums can be read
UNHURRIED = ProviderSettings(concurrency=100, attempts=1)


def spending(tokens_out: int, *, tokens_in: int = 1) -> Answer:
    return Answer(text="x", usage=Usage(tokens_in=tokens_in, tokens_out=tokens_out))


async def outcomes_of(model: ScriptedModel, calls: int, *, max_tokens: int = 10) -> list[str]:
    """How so many calls at once end, in the order in which they end."""
    ended = []

    async def call() -> None:
        try:
            await model.complete("four", max_tokens=max_tokens)
            ended.append("done")
        except BudgetSpent as error:
            ended.append(error.what)

    async with anyio.create_task_group() as group:
        for _ in range(calls):
            group.start_soon(call)
            await checkpoint()
    return ended


@pytest.mark.promise("M8")
@pytest.mark.parametrize(
    ("budget", "what", "says"),
    [
        (Budget(tokens=11), "tokens", "0 of 11, and the next call may take 12"),
        (Budget(cost=11.0), "cost", "$0.0000 of $11.0000, and the next call may take $12.0000"),
        (Budget(seconds=0), "time", "0.0 s of 0 s, and the next call may take more"),
    ],
)
def test_a_call_that_may_take_too_much_is_not_made(anyio_backend: str, budget: Budget, what: str, says: str):
    """Four letters are taken for two tokens, and ten may come back."""

    async def main() -> None:
        model = ScriptedModel("x", account=Account(budget=budget), rates=RATES)
        with pytest.raises(BudgetSpent) as caught:
            await model.complete("four", max_tokens=10)
        assert not model.requests
        assert model.account.spent.calls == 0
        assert caught.value.what == what
        assert caught.value.message == f"the budget for {what} is spent: {says}"
        assert caught.value.hint == f"raise --max-{what}; what was recorded is kept"
        assert caught.value.exit_code == 4

    run(main, anyio_backend)


@pytest.mark.promise("M8")
def test_exactly_what_is_left_may_be_spent(anyio_backend: str):
    async def main() -> None:
        account = Account(budget=Budget(tokens=24, cost=24.0))
        model = ScriptedModel(spending(10, tokens_in=2), account=account, rates=RATES)
        assert sorted(await outcomes_of(model, 3)) == ["done", "done", "tokens"]
        assert len(model.requests) == 2
        assert account.spent.cost == 24.0

    run(main, anyio_backend)


@pytest.mark.promise("M8")
def test_a_part_is_one_of_what_is_left_and_what_it_does_not_spend_is_there_for_others(anyio_backend: str):
    async def main() -> None:
        account = Account(budget=Budget(tokens=90, cost=180.0))
        with account.part(3) as first:
            with account.part(2) as second:
                assert [one.budget for one in (first, second)] == [Budget(tokens=30, cost=60.0)] * 2
                await ScriptedModel(spending(19), account=second, rates=RATES).complete("four", max_tokens=20)
            with account.part(1) as third:
                assert third.budget == Budget(tokens=90 - 30 - 20, cost=180.0 - 60.0 - 20.0)
            with pytest.raises(BudgetSpent):
                await ScriptedModel("x", account=first, rates=RATES).complete("four", max_tokens=30)
        assert (account.spent.usage, account.spent.cost) == (Usage(tokens_in=1, tokens_out=19), 20.0)
        with account.part(1) as last:
            assert last.budget == Budget(tokens=70, cost=160.0)
        account.remember(RecordedSpent(tokens_in=40, tokens_out=31, cost=1.0))
        with account.part(2) as last:
            assert last.budget == Budget(tokens=0, cost=79.5)
        with Account(budget=Budget(seconds=5.0)).part(2) as free:
            assert free.budget == Budget(seconds=5.0)

    run(main, anyio_backend)


@pytest.mark.promise("M8")
def test_a_schema_is_a_part_of_the_prompt():
    async def main() -> None:
        schema = {"type": "object", "properties": {f"field {number}": {"type": "string"} for number in range(20)}}
        model = ScriptedModel("{}", account=Account(budget=Budget(tokens=100)))
        with pytest.raises(BudgetSpent):
            await model.complete("four", max_tokens=10, schema=schema)

    run(main, "asyncio")


@pytest.mark.promise("M8")
def test_a_call_waits_until_it_is_known_whether_it_fits(anyio_backend: str):
    """Two calls may take twelve each; twelve are there. The first one takes three, and nine are not enough for the
    second; after a first one that takes none, they are."""

    async def main() -> None:
        for taken, ended in ((2, ["done", "tokens"]), (-1, ["done", "done"])):
            account = Account(budget=Budget(tokens=12))
            answer = spending(taken, tokens_in=1)
            model = ScriptedModel(answer, latency=1.0, account=account, rates=RATES)
            assert await outcomes_of(model, 2) == ended
            assert model.peak == 1, "they were never open together"

    run(main, anyio_backend)


def test_those_who_wait_for_the_budget_go_in_order_and_a_small_one_does_not_overtake(anyio_backend: str):
    async def main() -> None:
        model = ScriptedModel(spending(0, tokens_in=0), latency=1.0, account=Account(budget=Budget(tokens=100)))
        ended, began = {}, anyio.current_time()

        async def call(most: int) -> None:
            await model.complete("four", max_tokens=most)
            ended[most] = anyio.current_time() - began

        async with anyio.create_task_group() as group:
            for most in (90, 60, 5, 50):
                group.start_soon(call, most)
                await checkpoint()
        assert ended == {90: 1, 60: 2, 5: 2, 50: 3}

    run(main, anyio_backend)


@pytest.mark.promise("M8")
@given(
    budget=st.builds(
        Budget,
        tokens=st.none() | st.integers(0, 120),
        cost=st.none() | st.floats(0, 120),
        seconds=st.none() | st.floats(0, 30),
    ),
    calls=st.lists(st.tuples(st.integers(1, 30), st.floats(0, 1), st.floats(0, 10)), min_size=1, max_size=15),
    concurrency=st.integers(1, 5),
)
def test_no_budget_is_exceeded_however_many_calls_there_are_at_once(
    budget: Budget, calls: list[tuple[int, float, float]], concurrency: int
):
    async def main() -> None:
        account = Account(budget=budget)
        script = {str(number): call for number, call in enumerate(calls)}
        begun = []

        def answer(request: Request) -> Answer:
            most, part, _ = script[request.messages[0].content]
            begun.append(anyio.current_time() - start)
            return spending(round(most * part), tokens_in=2)

        model = ScriptedModel(
            answer,
            latency=lambda request: script[request.messages[0].content][2],
            account=account,
            rates=RATES,
            settings=ProviderSettings(concurrency=concurrency),
        )
        refused = []

        async def call(name: str) -> None:
            try:
                await model.complete(name, max_tokens=script[name][0])
            except BudgetSpent as error:
                spent = account.spent.usage
                refused.append((error.what, script[name][0] + 2, spent.tokens_in + spent.tokens_out))

        start = anyio.current_time()
        async with anyio.create_task_group() as group:
            for name in script:
                group.start_soon(call, name)
        spent = account.spent
        tokens = spent.usage.tokens_in + spent.usage.tokens_out
        assert len(refused) + spent.calls == len(calls)
        assert tokens <= (budget.tokens if budget.tokens is not None else tokens)
        assert spent.known_cost <= (budget.cost if budget.cost is not None else spent.known_cost) + 1e-6
        assert all(moment < (budget.seconds or 0) for moment in begun if budget.seconds is not None)
        # Nobody is refused who would have fitted into what was left in the end.
        for what, wanted, then in refused:
            if what == "tokens":
                assert budget.tokens is not None
                assert then + wanted > budget.tokens
        assert not account._held
        assert account._held_tokens == 0
        assert account._held_cost == 0

    for backend in ("asyncio", "trio"):
        run(main, backend)


@pytest.mark.promise("F8", "M8")
def test_cancelled_while_it_waits_for_the_budget_it_leaves_nothing_set_aside(anyio_backend: str):
    async def main() -> None:
        step = 0
        while await one(step):
            step += 1
        assert step >= 2

    async def one(step: int) -> bool:
        account = Account(budget=Budget(tokens=13))
        model = ScriptedModel(spending(0, tokens_in=0), latency=1.0, account=account)
        async with anyio.create_task_group() as group:
            group.start_soon(lambda: model.complete("four", max_tokens=10))
            await anyio.sleep(0.5)
            came_so_far = await cancelled_at(step, lambda: model.complete("four", max_tokens=10))
        assert not account._held
        assert (account._line.in_flight, account._line.waiting) == (0, 0)
        assert await outcomes_of(model, 1) == ["done"]
        return came_so_far

    run(main, anyio_backend)


@pytest.mark.promise("M8")
def test_dollars_cannot_be_limited_where_a_price_is_not_known(anyio_backend: str):
    async def main() -> None:
        model = ScriptedModel("x", name="scripted:free?", account=Account(budget=Budget(cost=1.0)))
        with pytest.raises(UsageError, match=r"what scripted:free\? costs is not known") as caught:
            await model.complete("four")
        assert '[prices."scripted:free?"]' in str(caught.value.hint)
        assert "--max-tokens" in str(caught.value.hint)
        assert not model.requests

    run(main, anyio_backend)


@pytest.mark.promise("M8")
def test_a_cost_that_is_not_known_is_never_counted_as_nothing(anyio_backend: str):
    async def main() -> None:
        account = Account()
        await ScriptedModel(spending(9), name="scripted:dear", account=account, rates=RATES).complete("four")
        assert account.spent.cost == 10.0
        found = await ScriptedModel(spending(9), name="scripted:unknown", account=account).complete("four")
        assert found.cost is None
        assert account.spent.cost is None
        assert account.spent.known_cost == 10.0
        assert account.spent.usage.tokens_out == 18

    run(main, anyio_backend)


def test_the_seconds_begin_with_the_first_call(anyio_backend: str):
    async def main() -> None:
        account = Account(budget=Budget(seconds=10))
        await anyio.sleep(100)
        assert account.seconds_left == 10
        model = ScriptedModel("x", latency=4.0, account=account)
        await model.complete("four")
        assert account.seconds_left == 6
        await model.complete("four")
        await model.complete("four")
        with pytest.raises(BudgetSpent, match=r"12\.0 s of 10 s"):
            await model.complete("four")

    run(main, anyio_backend)


def test_another_attempt_needs_what_is_left_of_the_budget(anyio_backend: str):
    """A first attempt that was cut off has cost its prompt and what was heard of it."""

    async def main() -> None:
        settings = ProviderSettings(timeout=5, backoff=0, attempts=3)
        model = ScriptedModel(HANG, account=Account(budget=Budget(tokens=12)), settings=settings)
        with pytest.raises(BudgetSpent, match="1 of 12, and the next call may take 12") as caught:
            await model.complete("four", max_tokens=10)
        assert len(model.requests) == 1
        assert "did not answer within 5 s" in str(caught.value.__cause__)

    run(main, anyio_backend)


@pytest.mark.promise("M8")
def test_of_an_account_that_is_stopped_no_call_begins_and_what_is_open_goes_on(anyio_backend: str):
    """Some wait for a permit, some for the budget, some between two attempts; a few may finish what they are at."""

    async def main() -> None:
        account = Account(budget=Budget(tokens=100))
        settings = ProviderSettings(concurrency=1, backoff=50)
        model = ScriptedModel(spending(0, tokens_in=0), latency=10.0, account=account, settings=settings)
        refused = ScriptedModel(ProviderBroken("cut off"), account=account, settings=settings)
        ends: list[tuple[float, str]] = []

        async def ask(which: ScriptedModel, tokens: int, *, is_finishing: bool = False) -> None:
            try:
                with finishing() if is_finishing else nullcontext():
                    await which.complete("four", max_tokens=tokens)
            except BakeoffError as error:
                ends.append((anyio.current_time() - began, type(error).__name__))
            else:
                ends.append((anyio.current_time() - began, "answered"))

        began = anyio.current_time()
        async with anyio.create_task_group() as group:
            group.start_soon(ask, refused, 1)
            await anyio.sleep(1)
            group.start_soon(ask, model, 48)
            await anyio.sleep(1)
            group.start_soon(ask, model, 1)  # waits for a permit
            group.start_soon(partial(ask, model, 1, is_finishing=True))
            await anyio.sleep(1)
            group.start_soon(ask, model, 90)  # waits for the budget
            await anyio.sleep(1)
            account.stop()
        with pytest.raises(CallsStopped):
            await model.complete("four")
        assert len(model.requests) == 2
        assert sorted(ends) == [*[(4.0, "CallsStopped")] * 3, (11.0, "answered"), (21.0, "answered")]
        assert not account._held
        assert not account._waiting

    run(main, anyio_backend)
