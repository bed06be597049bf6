"""Time that passes only when nothing else is left to do, on asyncio and on trio.

A test of an hour of work takes as long as its bookkeeping, and its times are exact. A program that is stuck ends at
once as well: with a TimeoutError, at a deadline that nothing else comes near.
"""

from __future__ import annotations

import asyncio
import selectors
from typing import TYPE_CHECKING, TypeVar

import anyio
import trio.testing
from hypothesis import register_random

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

T = TypeVar("T")

DEADLINE = 100_000.0

# Trio runs tasks that are due together in random order. Hypothesis must be able to repeat what it found.
trio._core._run._ALLOW_DETERMINISTIC_SCHEDULING = True
register_random(trio._core._run._r)


class JumpingSelector(selectors.DefaultSelector):
    """Moves the clock instead of waiting."""

    now = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        ready = super().select(0)
        if not ready and timeout and timeout > 0:
            self.now += timeout
        return ready


class VirtualLoop(asyncio.SelectorEventLoop):
    """An asyncio event loop whose time is that of its selector."""

    def __init__(self) -> None:
        self._jumping = JumpingSelector()
        super().__init__(self._jumping)

    def time(self) -> float:
        return self._jumping.now


def run(main: Callable[[], Awaitable[T]], backend: str) -> T:
    """`anyio.run(main)` on a clock of its own."""
    if backend == "asyncio":
        options: dict[str, object] = {"loop_factory": VirtualLoop}
    else:
        options = {"clock": trio.testing.MockClock(autojump_threshold=0)}
    return anyio.run(_with_deadline, main, backend=backend, backend_options=options)


async def _with_deadline(main: Callable[[], Awaitable[T]]) -> T:
    with anyio.fail_after(DEADLINE):
        return await main()


class Stopwatch:
    """Virtual seconds since it was made (trio's clock starts at a random number)."""

    def __init__(self) -> None:
        self._start = anyio.current_time()

    def read(self) -> float:
        return round(anyio.current_time() - self._start, 6)


def tasks_living() -> int:
    """How many tasks there are on this thread, the one that asks included."""
    try:
        return trio.lowlevel.current_statistics().tasks_living
    except RuntimeError:
        return len(asyncio.all_tasks())
