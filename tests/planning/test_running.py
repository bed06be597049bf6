from __future__ import annotations

import logging
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import anyio
import pytest
from anyio.lowlevel import checkpoint
from hypothesis import given, settings
from hypothesis import strategies as st

from bakeoff import fanout
from bakeoff.errors import UsageError
from bakeoff.events import Run, SubplanBegan, SubplanEnd, SubplanEnded
from bakeoff.planning import running
from bakeoff.planning.plan import Plan, Subplan
from bakeoff.planning.running import Record, run_subplans
from bakeoff.store import Store
from planning.plans import plan_of

pytestmark = pytest.mark.anyio


class Barrier:
    """Work that counts who is inside, and lets nobody out before everybody who can be inside is."""

    def __init__(self) -> None:
        self.inside = 0
        self.most = 0
        self.exits = 0
        self._opened = anyio.Event()

    async def work(self, subplan: Subplan) -> str:
        self.inside += 1
        self.most = max(self.most, self.inside)
        try:
            await self._opened.wait()
            await checkpoint()
        finally:
            self.inside -= 1
            self.exits += 1
        return subplan.name

    async def watch(self) -> int:
        """How many are inside when nothing moves any more; then all may go."""
        await anyio.wait_all_tasks_blocked()
        standing = self.inside
        self._opened.set()
        return standing


async def prove_the_peak(plan: Plan, *, max_parallel: int) -> None:
    barrier = Barrier()
    standing: list[int] = []

    async def watch() -> None:
        standing.append(await barrier.watch())

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(watch)
        results = await run_subplans(plan, barrier.work, max_parallel=max_parallel)
    assert standing == [max_parallel], "so many are inside while others wait"
    assert barrier.most == results.peak.total == max_parallel
    assert barrier.exits == len(plan.leaves)
    assert results.values == tuple(leaf.name for leaf in plan.leaves)


@pytest.mark.promise("P5")
async def test_fifteen_subplans_are_ten_at_a_time():
    await prove_the_peak(plan_of(15), max_parallel=10)


@pytest.mark.promise("P5")
@pytest.mark.parametrize("broken", [lambda _: 1000, lambda limit: limit - 1, lambda limit: limit + 1])
async def test_the_proof_notices_a_limiter_that_is_none_or_off_by_one(
    monkeypatch: pytest.MonkeyPatch, broken: Callable[[int], int]
):
    def fan_out(*arguments: Any, limit: int, **options: Any) -> Any:
        return fanout.fan_out(*arguments, limit=broken(limit), **options)

    monkeypatch.setattr(running, "fan_out", fan_out)
    with pytest.raises(AssertionError):
        await prove_the_peak(plan_of(15), max_parallel=10)


@pytest.mark.promise("P5")
async def test_a_thousand_are_queued_and_come_in_the_order_of_the_plan():
    began: list[str] = []

    async def work(subplan: Subplan) -> int:
        began.append(subplan.id)
        for _ in range(len(began) % 3 * 10):
            await checkpoint()
        return int(subplan.id[1:])

    results = await run_subplans(plan_of(1000), work, max_parallel=7)
    assert results.values == tuple(range(1000))
    places = {name: at for at, name in enumerate(began)}
    assert all(abs(at - places[name]) < 7 for at, name in enumerate(sorted(began))), (
        "those earlier in the plan go first"
    )
    assert results.peak.total == 7


@st.composite
def graphs(draw: st.DrawFn) -> dict[str, list[str]]:
    """Subplans that come after others, in any order of the plan."""
    count = draw(st.integers(1, 12))
    names = draw(st.permutations([f"s{number}" for number in range(count)]))
    return {
        name: draw(st.lists(st.sampled_from(names[:at]), unique=True, max_size=3)) if at else []
        for at, name in enumerate(names)
    }


def what_should_become(after: dict[str, list[str]], failing: set[str]) -> dict[str, SubplanEnd]:
    found: dict[str, SubplanEnd] = {}

    def end(name: str) -> SubplanEnd:
        if name not in found:
            before = [end(one) for one in after[name]]
            if any(one is not SubplanEnd.DONE for one in before):
                found[name] = SubplanEnd.SKIPPED
            else:
                found[name] = SubplanEnd.FAILED if name in failing else SubplanEnd.DONE
        return found[name]

    return {name: end(name) for name in after}


@pytest.mark.promise("P5", "P6")
@given(data=st.data(), after=graphs(), limit=st.integers(1, 5), seed=st.integers(0, 5))
@settings(max_examples=60)
async def test_order_is_kept_and_failures_reach_those_that_depend_on_them_only(
    data: st.DataObject, after: dict[str, list[str]], limit: int, seed: int
):
    failing = set(data.draw(st.lists(st.sampled_from(sorted(after)), unique=True)))
    done: set[str] = set()
    entered: list[str] = []
    inside = most = 0

    async def work(subplan: Subplan) -> str:
        nonlocal inside, most
        assert set(subplan.after) <= done, "what it comes after is done"
        entered.append(subplan.id)
        inside += 1
        most = max(most, inside)
        for _ in range((hash(subplan.id) + seed) % 4):
            await checkpoint()
        inside -= 1
        if subplan.id in failing:
            raise ValueError(subplan.id)
        done.add(subplan.id)
        return subplan.id

    plan = plan_of(after)
    logging.disable(logging.WARNING)
    try:
        results = await run_subplans(plan, work, max_parallel=limit)
    finally:
        logging.disable(logging.NOTSET)
    expected = what_should_become(after, failing)
    assert [one.subplan for one in results.ended] == list(plan.leaves)
    assert {one.subplan.id: one.end for one in results.ended} == expected
    assert sorted(entered) == sorted(name for name, end in expected.items() if end is not SubplanEnd.SKIPPED)
    assert most <= limit
    for one in results.ended:
        assert (one.reason is None) == (one.end is SubplanEnd.DONE)
        assert isinstance(one.error, ValueError) == (one.end is SubplanEnd.FAILED)
        if one.end is SubplanEnd.SKIPPED:
            assert one.reason is not None
            assert any(one.reason.startswith(f"it comes after part {name}, which") for name in one.subplan.after)


async def test_nobody_waits_for_a_wave():
    """A subplan begins when what it names is done, though others that were there before it still run."""
    slow = anyio.Event()

    async def work(subplan: Subplan) -> None:
        if subplan.id == "slow":
            await slow.wait()
        if subplan.id == "last":
            slow.set()

    with anyio.fail_after(10):
        await run_subplans(plan_of({"slow": [], "first": [], "then": ["first"], "last": ["then"]}), work)


@pytest.mark.promise("P6")
async def test_with_fail_fast_a_failure_ends_all_and_everybody_says_why():
    began, cancelled = anyio.Event(), []

    async def work(subplan: Subplan) -> str:
        if subplan.id == "bad":
            await began.wait()
            raise ValueError("no")
        if subplan.id == "good":
            return "fine"
        began.set()
        try:
            await anyio.sleep_forever()
        finally:
            cancelled.append(subplan.id)
        raise AssertionError

    plan = plan_of({"good": [], "bad": [], "long": [], "after": ["bad"], "later": []})
    results = await run_subplans(plan, work, max_parallel=2, fail_fast=True)
    ends = {one.subplan.id: (one.end.value, one.reason) for one in results.ended}
    stopped = "part bad failed, and nothing was to go on after that"
    assert ends == {
        "good": ("done", None),
        "bad": ("failed", "ValueError: no"),
        "long": ("skipped", stopped),
        "after": ("skipped", "it comes after part bad, which failed"),
        "later": ("skipped", stopped),
    }
    assert cancelled == ["long"]


async def test_attempts_are_limited_and_what_took_too_long_is_one():
    tries: dict[str, int] = {}

    async def work(subplan: Subplan) -> int:
        tries[subplan.id] = tries.get(subplan.id, 0) + 1
        if subplan.id == "slow":
            await anyio.sleep_forever()
        if subplan.id == "bad" or tries[subplan.id] < 3:
            raise OSError(f"try {tries[subplan.id]}")
        return tries[subplan.id]

    results = await run_subplans(plan_of({"slow": [], "bad": [], "third": []}), work, attempts=3, timeout=0.01)
    slow, bad, third = results.ended
    assert tries == {"slow": 3, "bad": 3, "third": 3}
    assert (slow.end, slow.reason, slow.attempts) == (SubplanEnd.FAILED, "it took longer than 0.01 s", 3)
    assert isinstance(slow.error, TimeoutError)
    assert (bad.reason, [str(one) for one in bad.earlier]) == ("OSError: try 3", ["try 1", "try 2"])
    assert (third.end, third.value) == (SubplanEnd.DONE, 3)


@pytest.mark.parametrize("options", [{"max_parallel": 0}, {"attempts": 0}, {"attempts": 1000}, {"timeout": 0.0}])
async def test_limits_that_make_no_sense_are_refused(options: dict[str, Any]):
    async def work(subplan: Subplan) -> None: ...

    with pytest.raises(UsageError):
        await run_subplans(plan_of(1), work, **options)


# -- going on ---------------------------------------------------------------------------------------------------------


@pytest.mark.promise("P8")
def test_what_was_done_is_not_done_again(tmp_path: Path, anyio_backend: str):
    """A plan is cut short at each of its subplans in turn, and goes on (P8)."""
    after = {"a": [], "b": ["a"], "c": [], "d": ["b", "c"], "e": []}
    for cut in after:
        anyio.run(partial(cut_and_gone_on, after, cut, Store(tmp_path / f"{cut}.sqlite")), backend=anyio_backend)


async def cut_and_gone_on(after: dict[str, list[str]], cut: str, store: Store) -> None:
    done: list[str] = []
    plan = plan_of(after)
    killed = anyio.CancelScope()

    async def work(subplan: Subplan, *, is_cut: bool) -> str:
        if is_cut and subplan.id == cut:
            killed.cancel()
            await checkpoint()
        if is_cut and subplan.id == "e" and cut != "e":
            raise ValueError("it fails the first time")
        done.append(subplan.id)
        return f"made of {subplan.id}"

    async with store.record() as log:
        record: Record[str] = Record(log=log, text=store.text)
        with killed:
            await run_subplans(plan, partial(work, is_cut=True), max_parallel=1, record=record)
        assert killed.cancelled_caught
    before = list(done)
    assert cut not in before
    known = Run.of(store.events(log.run)).subplans
    async with store.record(log.run) as log:
        record: Record[str] = Record(log=log, text=store.text, earlier=known)
        results = await run_subplans(plan, partial(work, is_cut=False), max_parallel=1, record=record)
    assert sorted(done) == sorted(after), "each was done once"
    assert results.values == tuple(f"made of {name}" for name in after)
    assert [one.subplan.id for one in results.ended if one.is_known] == [name for name in after if name in before]
    state = Run.of(store.events(log.run)).subplans
    assert {name: one.ended.end for name, one in state.items() if one.ended} == dict.fromkeys(after, SubplanEnd.DONE)


async def test_what_becomes_of_subplans_is_recorded(tmp_path: Path):
    store = Store(tmp_path / "store.sqlite")

    async def work(subplan: Subplan) -> list[int]:
        if subplan.id == "bad":
            raise ValueError("no")
        return [1, 2]

    plan = plan_of({"good": [], "bad": [], "next": ["bad"], "last": ["next"]})
    async with store.record() as log:
        await run_subplans(plan, work, attempts=2, record=Record(log=log, text=store.text))
    events = [one.event for one in store.events(log.run)]
    began = [(one.subplan, one.attempt) for one in events if isinstance(one, SubplanBegan)]
    assert sorted(began) == [("bad", 1), ("bad", 2), ("good", 1)]
    ends = {one.subplan: one for one in events if isinstance(one, SubplanEnded)}
    assert (ends["bad"].end, ends["bad"].reason, ends["bad"].attempts) == (SubplanEnd.FAILED, "ValueError: no", 2)
    assert ends["good"].result is not None
    assert store.text(ends["good"].result) == "[1, 2]"
    assert ends["next"].reason == "it comes after part bad, which failed"
    assert ends["last"].reason == "it comes after part next, which was skipped"
    assert [one.subplan for one in events if isinstance(one, SubplanEnded)][-2:] == ["next", "last"]
