from __future__ import annotations

import anyio
import anyio.lowlevel
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bakeoff.measure import Gate

pytestmark = pytest.mark.anyio


async def settle() -> None:
    for _ in range(10):
        await anyio.lowlevel.checkpoint()


class Inside:
    """Counts who is inside, and fails when somebody is who must not be."""

    def __init__(self) -> None:
        self.gate = Gate()
        self.working = self.measuring = self.most_working = 0
        self.log: list[str] = []

    async def work(self, name: str, steps: int = 1) -> None:
        async with self.gate.working():
            self.working += 1
            self.most_working = max(self.most_working, self.working)
            self.log.append(name)
            try:
                for _ in range(steps):
                    assert not self.measuring
                    await anyio.lowlevel.checkpoint()
            finally:
                self.working -= 1

    async def measure(self, name: str, steps: int = 1) -> None:
        async with self.gate.measuring():
            self.measuring += 1
            self.log.append(name)
            try:
                for _ in range(steps):
                    assert (self.working, self.measuring) == (0, 1)
                    assert self.gate.is_measuring
                    await anyio.lowlevel.checkpoint()
            finally:
                self.measuring -= 1


@pytest.mark.promise("E2")
async def test_many_work_at_once():
    inside = Inside()
    async with anyio.create_task_group() as tasks:
        for number in range(5):
            tasks.start_soon(inside.work, f"w{number}", 20)
    assert inside.most_working == 5


@pytest.mark.promise("E2")
async def test_work_that_comes_waits_for_one_who_waits_to_measure():
    inside = Inside()
    go = anyio.Event()

    async def long_work() -> None:
        async with inside.gate.working():
            await go.wait()

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(long_work)
        await settle()
        tasks.start_soon(inside.measure, "measured")
        await settle()
        tasks.start_soon(inside.work, "late")
        await settle()
        assert inside.log == []
        go.set()
    assert inside.log == ["measured", "late"]


async def test_work_that_waited_goes_in_together_and_before_the_next_measuring():
    inside = Inside()
    async with anyio.create_task_group() as tasks:
        async with inside.gate.measuring():
            tasks.start_soon(inside.work, "w", 5)
            await settle()
            tasks.start_soon(inside.work, "w", 5)
            await settle()
            tasks.start_soon(inside.measure, "m")
            await settle()
            tasks.start_soon(inside.work, "late")
            await settle()
    assert inside.log == ["w", "w", "m", "late"]
    assert inside.most_working == 2


async def test_one_who_gives_up_waiting_to_measure_lets_work_in():
    inside = Inside()
    scope = anyio.CancelScope()

    async def give_up() -> None:
        with scope:
            await inside.measure("never")

    async with inside.gate.working(), anyio.create_task_group() as tasks:
        tasks.start_soon(give_up)
        await settle()
        tasks.start_soon(inside.work, "late")
        await settle()
        assert inside.log == []
        scope.cancel()
    assert inside.log == ["late"]


async def test_cancelled_after_being_let_in_and_before_going_in_leaves_the_gate_open():
    inside = Inside()
    scope = anyio.CancelScope()

    async def give_up() -> None:
        with scope:
            await inside.measure("never", 100)

    async with anyio.create_task_group() as tasks:
        async with inside.gate.working():
            tasks.start_soon(give_up)
            await settle()
        # It was let in by now, and has not run since.
        scope.cancel()
    await inside.work("after")
    await inside.measure("after")
    assert inside.log[-2:] == ["after", "after"]


async def test_an_error_inside_opens_the_gate_again():
    inside = Inside()
    for block in (inside.gate.working, inside.gate.measuring):
        with pytest.raises(KeyError):
            async with block():
                raise KeyError
    await inside.measure("m")
    await inside.work("w")
    assert inside.log == ["m", "w"]


STEPS = st.tuples(st.booleans(), st.integers(0, 6), st.integers(0, 8), st.one_of(st.none(), st.integers(0, 12)))


@pytest.mark.promise("E2")
@given(plans=st.lists(STEPS, max_size=12))
@pytest.mark.parametrize("backend", ["asyncio", "trio"])
def test_nobody_works_while_one_measures_whatever_happens(backend: str, plans: list[tuple[bool, int, int, int | None]]):
    """Each comes after a while, stays for a while, and may be cancelled at any moment; all that are not get in."""
    inside = Inside()
    done: list[int] = []

    async def one(number: int, *, measures: bool, before: int, steps: int, scope: anyio.CancelScope) -> None:
        with scope:
            for _ in range(before):
                await anyio.lowlevel.checkpoint()
            await (inside.measure if measures else inside.work)(str(number), steps)
            done.append(number)

    async def cancel(after: int, scope: anyio.CancelScope) -> None:
        for _ in range(after):
            await anyio.lowlevel.checkpoint()
        scope.cancel()

    async def main() -> None:
        with anyio.fail_after(20):
            async with anyio.create_task_group() as tasks:
                for number, (measures, before, steps, cancelled) in enumerate(plans):
                    scope = anyio.CancelScope()

                    async def start(number=number, measures=measures, before=before, steps=steps, scope=scope) -> None:
                        await one(number, measures=measures, before=before, steps=steps, scope=scope)

                    tasks.start_soon(start)
                    if cancelled is not None:
                        tasks.start_soon(cancel, cancelled, scope)
        async with inside.gate.measuring():
            assert not inside.working

    anyio.run(main, backend=backend)
    assert {number for number, plan in enumerate(plans) if plan[3] is None} <= set(done)


async def test_nobody_waits_for_ever():
    """Work without end does not keep one who wants to measure out."""
    inside = Inside()
    measured = anyio.Event()

    async def again_and_again() -> None:
        while not measured.is_set():
            await inside.work("w", 3)

    async def measure() -> None:
        await inside.measure("m")
        measured.set()

    with anyio.fail_after(20):
        async with anyio.create_task_group() as tasks:
            for _ in range(4):
                tasks.start_soon(again_and_again)
            await settle()
            tasks.start_soon(measure)
