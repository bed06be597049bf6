"""Cells run against providers on this machine, asked by the real client libraries and counted by the servers."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

import anyio
import pytest

from bakeoff.errors import ProviderError, RunBusy
from bakeoff.events import Better, CallEnd, CellStatus, Run, State, StopCause
from bakeoff.jobs.matrix import Ending, missing, newest, outlook
from bakeoff.matrix import Answered, Axis, Definition, Point, Task
from bakeoff.models import Budget, Usage
from bakeoff.report.matrix.readings import Table
from bakeoff.store import Store
from bakeoff.testing.provider import Asked, Fault, LoopbackProvider, Reply
from matrix.matrices import ended, matrix, newest_run, ran, served, statuses

pytestmark = [pytest.mark.anyio, pytest.mark.filterwarnings("ignore:Async generator:ResourceWarning")]

DONE, FAILED = CellStatus.DONE, CellStatus.FAILED


def echo(latency: float = 0.0):
    return lambda asked: Reply(text=asked.text, latency=latency)


def texts(run: Run, folder: Path) -> list[str | None]:
    store = Store(folder / "store.sqlite")
    return [None if one.answer is None else store.text(one.answer) for one in ended(run)]


@pytest.mark.promise("M3")
async def test_each_cell_is_one_row_with_its_answer_its_scores_and_what_it_took(tmp_path: Path):
    usage = Usage(tokens_in=10, tokens_out=2)
    async with LoopbackProvider(lambda asked: Reply(text=asked.text, usage=usage)) as provider:
        tasks = [{"id": "right", "prompt": "1", "expected": 1}, {"id": "wrong", "prompt": "1", "expected": 2}, "none"]
        prices = {"openai:m": {"tokens_in": 1, "tokens_out": 10}}
        found = await ran(matrix(served(openai=provider), tasks, prices=prices, repeats=2), tmp_path)
    assert (found.state, found.matrix.stopped) == (State.DONE, None)
    rows = ended(found)
    assert statuses(found) == [DONE] * 6
    assert texts(found, tmp_path) == ["1"] * 4 + ["none"] * 2
    assert [one.metrics for one in rows] == [{"exact": 1.0}] * 2 + [{"exact": 0.0}] * 2 + [{}] * 2
    assert rows[-1].unscored == {"exact": "ValueError: the task t3 does not say what is expected"}
    assert {(one.tokens_in, one.tokens_out, one.attempts, one.tries) for one in rows} == {(10, 2, 1, 1)}
    assert sum(one.cost or 0.0 for one in rows) == pytest.approx(found.spent.cost) == pytest.approx(6 * 30e-6)
    began = {state.began.cell for state in found.attempts.values()}
    assert began == set(found.matrix.cells), "each call says which cell it is made for"
    assert not found.spent.open


@pytest.mark.promise("M1", "M2")
async def test_at_each_provider_there_are_exactly_as_many_calls_as_its_cap_and_waiting_is_no_latency(tmp_path: Path):
    async with LoopbackProvider(echo(0.1)) as slow, LoopbackProvider(echo(0.02)) as fast:
        providers = served(openai=slow, anthropic=fast)
        providers["openai"]["concurrency"], providers["anthropic"]["concurrency"] = 2, 3
        models = ["openai:a", "openai:b", "anthropic:c"]
        found = await ran(matrix(providers, 6, axes={"model": models}), tmp_path)
        assert (slow.peak, fast.peak) == (2, 3)
        assert (len(slow.asked), len(fast.asked)) == (12, 6)
    assert statuses(found) == [DONE] * 18
    waited = sorted(one.queue_ms for one in ended(found) if one.providers == ("openai",))
    took = sorted(one.duration_ms or 0.0 for one in ended(found) if one.providers == ("openai",))
    assert took[0] >= 100
    assert waited[-1] > 2 * took[len(took) // 2], "who came last has waited for others, and that is told apart"
    assert found.matrix.limits == {"openai": 2, "anthropic": 3}


@pytest.mark.promise("M1", "M2")
async def test_a_provider_that_is_busy_is_asked_less_and_others_feel_nothing_of_it(tmp_path: Path):
    def busy(asked: Asked) -> Reply:
        if asked.index < 4:
            return Reply(status=429, text="slow down", headers={"retry-after": "1"})
        return Reply(text=asked.text)

    order = []

    def watch(recorded) -> None:
        if type(recorded.event).__name__ in ("CellEnded", "ProviderLimited", "ProviderRecovered"):
            order.append(recorded.event)

    async with LoopbackProvider(busy) as limited, LoopbackProvider(echo(0.02)) as free:
        found = await ran(matrix(served(openai=limited, anthropic=free), 12), tmp_path, watch=watch)
        assert (len(limited.asked), len(free.asked)) == (16, 12)
        assert free.peak == 4
    ends = [one.providers[0] for one in order if hasattr(one, "providers")]
    assert ends[:12] == ["anthropic"] * 12, "all of them were done before the pause was over"
    (cut,) = found.limits
    assert (cut.provider, cut.limit) == ("openai", 2)
    assert 1.0 <= cut.pause <= 2.0
    recovered = [one.limit for one in order if type(one).__name__ == "ProviderRecovered"]
    assert recovered == [3, 4]
    assert found.matrix.limits == {"openai": 4, "anthropic": 4}
    rows = {
        provider: [one for one in ended(found) if one.providers == (provider,)] for provider in ("openai", "anthropic")
    }
    assert max(one.duration_ms or 0.0 for one in rows["openai"]) < 1000
    again = [one for one in rows["openai"] if one.attempts == 2]
    assert len(again) == 4
    assert all(one.backoff_ms + one.queue_ms >= 900 for one in again)
    assert {one.backoff_ms for one in rows["anthropic"]} == {0.0}


def faulty(asked: Asked) -> Reply:
    kinds = {
        "500": Reply(status=500, text="broken"),
        "400": Reply(status=400, text="not like this"),
        "hang": Reply(fault=Fault.HANG),
        "stall": Reply(text="x" * 40, fault=Fault.STALL),
        "cut": Reply(text="x" * 40, fault=Fault.CUT),
        "malformed": Reply(text="x" * 40, fault=Fault.MALFORMED),
        "page": Reply(fault=Fault.PAGE),
    }
    return kinds.get(asked.text, Reply(text="fine"))


@pytest.mark.promise("M4", "M5")
async def test_a_cell_that_fails_is_a_row_and_is_run_again_only_if_that_is_said(tmp_path: Path):
    names = ["500", "400", "hang", "stall", "cut", "malformed", "page", "well"]
    async with LoopbackProvider(faulty) as provider:
        providers = served(openai=provider)
        providers["openai"] |= {"attempts": 2, "timeout": 0.4}
        made = matrix(providers, [{"id": name, "prompt": name} for name in names])
        found = await ran(made, tmp_path)
        assert found.state is State.DONE
        assert statuses(found) == [FAILED] * 7 + [DONE]
        rows = dict(zip(names, ended(found), strict=True))
        assert {name: row.attempts for name, row in rows.items()} == dict.fromkeys(names, 2) | {"400": 1, "well": 1}
        assert rows["400"].kind == "CallRefused 400"
        assert rows["500"].kind == "ProviderBroken 500"
        assert "not like this" in (rows["400"].error or "")
        assert "did not answer within 0.4 s" in (rows["hang"].error or "")
        assert all(row.duration_ms is None and row.answer is None for name, row in rows.items() if name != "well")
        ends = Counter(state.ended.end for state in found.attempts.values() if state.ended is not None)
        assert ends == {CallEnd.FAILED: 13, CallEnd.DONE: 1}, "each attempt is closed"
        asked = len(provider.asked)
        again = await ran(made, tmp_path)
        assert (len(provider.asked), again.state) == (asked, State.DONE)
        again = await ran(made, tmp_path, retry_failed=True)
        assert len(provider.asked) == asked + 13
        assert [one.tries for one in ended(again)] == [2] * 7 + [1]


@pytest.mark.promise("M5")
async def test_only_what_is_missing_is_run_and_what_is_defined_otherwise_is_another_cell(tmp_path: Path):
    async with LoopbackProvider(echo()) as provider:
        providers = served(openai=provider)
        first = await ran(matrix(providers, 3), tmp_path)
        more = await ran(matrix(providers, 5), tmp_path)
        assert (first.id, statuses(more)) == (more.id, [DONE] * 5)
        assert sorted(one.text for one in provider.asked) == ["0", "1", "2", "3", "4"]
        warmer = await ran(matrix(providers, 5, settings={"temperature": 1.0}), tmp_path)
        assert len(provider.asked) == 10
        assert (len(warmer.matrix.current), len(warmer.matrix.former)) == (5, 5)
        # Names, scorers and caps decide no answer.
        providers["openai"]["concurrency"] = 1
        renamed = {"model": [{"model": "openai:m", "name": "mine"}]}
        final = await ran(matrix(providers, 5, axes=renamed, settings={"temperature": 1.0}, scorers={}), tmp_path)
        assert len(provider.asked) == 10
        assert [one.planned.coordinates["model"] for one in final.matrix.current] == ["mine"] * 5
        new = await ran(matrix(providers, 5), tmp_path, is_new=True)
        assert (new.id != first.id, len(provider.asked)) == (True, 15)


async def test_to_say_that_less_is_better_asks_for_nothing_again(tmp_path: Path):
    async with LoopbackProvider(echo()) as provider:
        found = {}
        for better in ("higher", "lower"):
            scorers = {"misses": {"kind": "exact", "better": better}}
            run = await ran(matrix(served(openai=provider), 3, scorers=scorers), tmp_path)
            found[better] = (Table.of(run).better["misses"], len(provider.asked), len(run.matrix.former))
    assert found == {"higher": (Better.HIGHER, 3, 0), "lower": (Better.LOWER, 3, 0)}


@pytest.mark.promise("M6")
async def test_neither_the_order_nor_how_many_run_at_once_changes_a_result(tmp_path: Path):
    found = []
    tasks = [{"id": f"t{n}", "prompt": f"{n}", "expected": n} for n in range(8)]
    async with LoopbackProvider(lambda asked: str(int(asked.text) // 2 * 2 + asked.body["seed"] % 2)) as provider:
        for number, cap in enumerate([1, 7]):
            providers = served(openai=provider)
            providers["openai"]["concurrency"] = cap
            made = matrix(providers, tasks, repeats=2, settings={"seed": 3}, axes={"model": ["openai:a", "openai:b"]})
            (tmp_path / f"{number}").mkdir()
            run = await ran(made, tmp_path / f"{number}")
            found.append({one.cell: (one.status, one.metrics, one.tokens_out) for one in ended(run)})
            random.Random(7).shuffle(tasks)
    assert found[0] == found[1]
    assert len({str(one) for one in found[0].values()}) > 1


@pytest.mark.promise("M8")
@pytest.mark.parametrize(
    ("said", "cause"),
    [
        ({"max_tokens": 60}, StopCause.TOKENS),
        ({"max_cost": 60.0}, StopCause.COST),
    ],
)
async def test_a_budget_stops_cleanly_and_the_same_goes_on_from_there(tmp_path: Path, said, cause):
    usage = Usage(tokens_in=1, tokens_out=9)
    async with LoopbackProvider(lambda asked: Reply(text=asked.text, usage=usage)) as provider:
        providers = served(openai=provider)
        how = {"settings": {"max_tokens": 9}, "prices": {"openai:m": {"tokens_in": 1e6, "tokens_out": 1e6}}}
        found = await ran(matrix(providers, 10, **how, **said), tmp_path)
        assert (found.state, found.spent.open) == (State.INTERRUPTED, {})
        assert found.matrix.stopped is not None
        assert (found.matrix.stopped.cause, found.matrix.stopped.missing) == (cause, 5)
        assert Counter(statuses(found)) == {DONE: 5, None: 5}
        assert len(provider.asked) == 5, "one call more might have cost eleven, where ten are left"
        # The budget is that of the whole run.
        await ran(matrix(providers, 10, **how, **said), tmp_path)
        assert len(provider.asked) == 5
        found = await ran(matrix(providers, 10, **how), tmp_path)
        assert (statuses(found), len(provider.asked), found.state) == ([DONE] * 10, 10, State.DONE)


@pytest.mark.promise("M8")
async def test_when_the_time_is_up_no_call_is_begun_and_those_that_are_open_end(tmp_path: Path):
    async with LoopbackProvider(echo(0.4)) as provider:
        found = await ran(matrix(served(openai=provider), 12, max_time=0.3), tmp_path)
        assert len(provider.asked) == 4
        assert provider.aborted == 0
    assert found.matrix.stopped is not None
    assert found.matrix.stopped.cause is StopCause.TIME
    assert Counter(statuses(found)) == {DONE: 4, None: 8}


@pytest.mark.promise("M4")
async def test_so_many_failures_stop_a_run(tmp_path: Path):
    async with LoopbackProvider(Reply(status=400, text="no")) as provider:
        providers = served(openai=provider)
        providers["openai"]["concurrency"] = 1
        found = await ran(matrix(providers, 20, max_failures=3), tmp_path)
        assert len(provider.asked) <= 5, "others may have begun before the third was told of"
    assert found.matrix.stopped is not None
    assert (found.matrix.stopped.cause, found.matrix.stopped.reason) == (StopCause.FAILURES, "3 cells failed")


async def test_ended_from_outside_nothing_is_begun_and_what_is_open_is_kept(tmp_path: Path):
    ending, settled = Ending(), 0

    def watch(recorded) -> None:
        nonlocal settled
        settled += type(recorded.event).__name__ == "CellEnded"
        if settled == 7:
            ending.begin()

    async with LoopbackProvider(echo(0.05)) as provider:
        made = matrix(served(openai=provider, anthropic=provider), 50)
        found = await ran(made, tmp_path, ending=ending, watch=watch)
        done = Counter(statuses(found))[DONE]
        assert done == len(provider.asked), "all that was asked is kept"
        assert 7 <= done <= 7 + 8 + 8
        assert provider.aborted == 0
        assert found.state is State.INTERRUPTED
        assert found.matrix.stopped is not None
        assert found.matrix.stopped.missing == 100 - done
        assert not [one for one in found.matrix.current if one.is_open]
        found = await ran(made, tmp_path)
        assert (statuses(found), len(provider.asked)) == ([DONE] * 100, 100)


async def test_cancelled_it_closes_whatever_is_open_and_goes_on_later(tmp_path: Path):
    async with LoopbackProvider(lambda asked: Reply(text="x", fault=Fault.HANG)) as provider:
        made = matrix(served(openai=provider), 10)
        async with anyio.create_task_group() as group:
            group.start_soon(ran, made, tmp_path)
            await provider.until(lambda it: it.open == 4)
            group.cancel_scope.cancel()
        found = newest_run(tmp_path)
        assert (found.state, found.spent.open) == (State.INTERRUPTED, {})
        assert statuses(found) == [None] * 10
        assert {one.status for one in ended(found)} == {CellStatus.CANCELLED}
        await provider.until(lambda it: it.aborted == 4)
    async with LoopbackProvider(echo()) as provider:
        found = await ran(matrix(served(openai=provider), 10), tmp_path)
        assert Counter(statuses(found))[DONE] == 10


class Both:
    """Asks two models at once, in either order, and one more after them."""

    name, models, calls, asks_model = "both", ("anthropic:m",), 1, True

    def described(self):
        return {"kind": "both"}

    async def answer(self, case):
        told = []

        async def ask(model) -> None:
            told.append((await model.complete(case.task.prompt, max_tokens=9)).text)

        first, second = case.model, case.others["anthropic:m"]
        if int(case.task.prompt) % 2:
            first, second = second, first
        async with anyio.create_task_group() as group:
            group.start_soon(ask, first)
            group.start_soon(ask, second)
        await ask(second)
        return Answered(text="+".join(told), metrics={"told": len(told)})


@pytest.mark.promise("M1")
async def test_cells_that_call_two_providers_keep_to_both_caps_and_nobody_is_locked_out(tmp_path: Path):
    async with LoopbackProvider(echo(0.01)) as one, LoopbackProvider(echo(0.02)) as other:
        providers = served(openai=one, anthropic=other)
        providers["openai"]["concurrency"] = providers["anthropic"]["concurrency"] = 1
        plain = matrix(providers, 12)
        strategies = Axis(name="strategy", points=(Point(name="both", stands_for=Both()), *_points(plain, "strategy")))
        axes = (strategies, *(axis for axis in plain.axes if axis.name != "strategy"))
        made = Definition(name="m", axes=axes, providers=plain.providers)
        with anyio.fail_after(30):
            found = await ran(made, tmp_path)
        assert (one.peak, other.peak) == (1, 1)
    assert statuses(found) == [DONE] * 48
    both = [
        row for row in ended(found) if row.coordinates == {**row.coordinates, "strategy": "both", "model": "openai:m"}
    ]
    assert {(row.providers, row.attempts, len(row.calls)) for row in both} == {(("openai", "anthropic"), 3, 3)}
    assert {row.metrics["told"] for row in both} == {3.0}


def _points(definition: Definition, axis: str) -> tuple[Point, ...]:
    return next(one.points for one in definition.axes if one.name == axis)


async def test_answers_are_recalled_where_that_is_wished_and_have_no_latency(tmp_path: Path):
    async with LoopbackProvider(lambda asked: f"{asked.index}") as provider:
        providers = served(openai=provider)
        first = await ran(matrix(providers, 3, repeats=2), tmp_path, is_cached=True)
        assert len(provider.asked) == 6, "repeats have answers of their own"
        assert not any(one.is_cached for one in ended(first))
        axes = {"strategy": ["best-of-2"]}
        second = await ran(matrix(providers, 3, repeats=2, axes=axes), tmp_path, is_cached=True, is_new=True)
        assert len(provider.asked) == 12, "one answer of the two was known"
        third = await ran(matrix(providers, 3, repeats=2), tmp_path, is_cached=True, is_new=True)
        assert len(provider.asked) == 12
        rows = ended(third)
        assert {(one.is_cached, one.duration_ms, one.attempts, one.cost) for one in rows} == {(True, None, 0, 0)}
        assert texts(third, tmp_path) == texts(first, tmp_path)
        assert third.matrix.began is not None
        assert third.matrix.began.is_cached
        assert all(one.is_cached for one in ended(second))
        await ran(matrix(providers, 3, repeats=2), tmp_path, is_new=True)
        assert len(provider.asked) == 18, "nothing is recalled unless it is wished"
        providers["openai"]["base_url"] += "/v1"
        await ran(matrix(providers, 3, repeats=2), tmp_path, is_cached=True, is_new=True)
        assert len(provider.asked) == 24, "what is served elsewhere is another model"


@pytest.mark.promise("M7")
async def test_keys_that_are_missing_are_told_before_anything_is_asked_all_of_them(tmp_path: Path):
    from bakeoff.jobs.matrix import Wanted, run

    async with LoopbackProvider(echo()) as provider:
        made = matrix(served(openai=provider, anthropic=provider), 2)
        with pytest.raises(ProviderError, match="no key for openai; there is no key for anthropic"):
            await run(Wanted(definition=made), store=Store(tmp_path / "store.sqlite"), environment={})
        assert not provider.asked
    assert not Store(tmp_path / "store.sqlite").runs()


async def test_two_at_once_do_not_run_the_same(tmp_path: Path):
    async with LoopbackProvider(lambda asked: Reply(fault=Fault.HANG)) as provider:
        made = matrix(served(openai=provider), 2)
        async with anyio.create_task_group() as group:
            group.start_soon(ran, made, tmp_path)
            await provider.until(lambda it: it.open == 2)
            with pytest.raises(RunBusy):
                await ran(made, tmp_path)
            group.cancel_scope.cancel()


async def test_what_it_will_take_is_known_better_once_there_are_answers(tmp_path: Path):
    store = Store(tmp_path / "store.sqlite")
    async with LoopbackProvider(echo(0.01)) as provider:
        providers = served(openai=provider)
        made = matrix(providers, 4)
        assert outlook(made, store).missing.cells == 4
        await ran(made, tmp_path)
        more = matrix(providers, 6)
        found = outlook(more, store)
        assert (found.all.cells, found.missing.cells, found.run) == (6, 2, store.runs()[0].id)
        assert found.missing.tokens_out == 2
        assert (found.missing.seconds or 0) >= 2 * 0.01 / 4
        assert len(missing(more.cells(), newest(store, more))) == 2


async def test_a_budget_object_and_tasks_as_values_do_as_well(tmp_path: Path):
    """What is read from files is nothing but values."""
    async with LoopbackProvider(echo()) as provider:
        plain = matrix(served(openai=provider), 1)
        tasks = tuple(Point(name=n, stands_for=Task(name=n, prompt=n)) for n in ("a", "b"))
        made = Definition(
            name="values",
            axes=(*(axis for axis in plain.axes if axis.name != "task"), Axis(name="task", points=tasks)),
            providers=plain.providers,
            budget=Budget(tokens=100_000),
        )
        found = await ran(made, tmp_path)
    assert texts(found, tmp_path) == ["a", "b"]


class Counting:
    """Calls nobody, and counts how many do so at once."""

    name, models, calls, asks_model = "counting", (), 0, False

    def __init__(self) -> None:
        self.inside = self.peak = 0

    def described(self):
        return {"kind": "counting"}

    async def answer(self, case):
        self.inside += 1
        self.peak = max(self.peak, self.inside)
        await anyio.sleep(0.01)
        self.inside -= 1
        return Answered(text=case.task.prompt, seconds=7.0 if case.task.prompt == "0" else None)


async def test_cells_that_call_nobody_have_a_cap_and_a_time_of_their_own(tmp_path: Path):
    counting = Counting()
    tasks = tuple(Point(name=f"{n}", stands_for=Task(name=f"{n}", prompt=f"{n}")) for n in range(10))
    strategies = Axis(name="strategy", points=(Point(name="counting", stands_for=counting),))
    made = Definition(name="m", axes=(strategies, Axis(name="task", points=tasks)), concurrency=3)
    found = await ran(made, tmp_path)
    assert (statuses(found), counting.peak) == ([DONE] * 10, 3)
    first, *rest = ended(found)
    assert first.duration_ms == 7000, "a strategy may say itself how long its calls took"
    assert all((one.duration_ms or 0) >= 10 for one in rest)
    assert max(one.queue_ms for one in rest) > 0
    assert not found.attempts
