"""Processes that time, one after the other, each fresh and jailed.

They are forked from several interpreters in turn, because what an interpreter has from its start on (the seed of its
hashes, where its memory lies) favours one candidate or another by luck, and the same one in all processes forked
from it. The first is started when something is asked for, the others, all at once, when there is more, and all are kept
for the races that follow.
"""

from __future__ import annotations

import time
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Self

import anyio
import psutil

from bakeoff.fanout import all_of
from bakeoff.targets import INSTRUMENTS, instrument
from bakeoff.workers import ForkServerBackend, PythonCall, WorkerConfig

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from types import TracebackType

    from bakeoff.candidates import Change
    from bakeoff.workers import CallLimits, CallOutcome
    from bakeoff.workers.backend import ProcessBackend
    from bakeoff.workers.calls import Call
    from bakeoff.workspaces import Slot, WorktreePool

__all__ = ["Ran", "Stopwatches"]

_COUNT = 6
_INSTRUMENTS = ("stopwatch", "profile")
_NOTHING = "def nothing(): pass"
# What tests have, and what is timed has no need of: it is half of an interpreter's start.
_TESTING = ("pytest", "_pytest", "pluggy", "iniconfig")


@dataclass(frozen=True, slots=True, kw_only=True)
class Ran:
    """How a process ended, how many seconds it took in all, and how many cores others kept busy meanwhile."""

    outcome: CallOutcome
    seconds: float
    load: float


class Stopwatches:
    """Runs instruments in turn in a few interpreters; `start` makes one that calls run in.

    An async context manager: what it started is gone when the block is left. One process at a time.
    """

    def __init__(self, start: Callable[[], ProcessBackend], *, count: int = _COUNT) -> None:
        self._start = start
        self._count = count
        self._backends: list[ProcessBackend] = []
        self._turn = 0
        self._stack = AsyncExitStack()

    @classmethod
    def of(cls, config: WorkerConfig | None = None, *, preload: Sequence[str] = (), count: int = _COUNT) -> Self:
        """With fork servers of this configuration, that have imported these modules (what the target's module imports,
        but nothing of the project: see `Baseline.imports`)."""
        given = config or WorkerConfig()
        needed = [name for name in preload if name.partition(".")[0] not in _TESTING]
        modules = (*given.preload, *needed, *map(instrument, _INSTRUMENTS))
        ours = replace(given, workers=1, kits=(INSTRUMENTS,), preload=modules)
        return cls(lambda: ForkServerBackend(ours), count=count)

    async def __aenter__(self) -> Self:
        await self._stack.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if self._backends:
                with anyio.CancelScope(shield=True):
                    await all_of(*(backend.shutdown for backend in self._backends))
        finally:
            await self._stack.__aexit__(kind, error, trace)

    async def run(
        self, name: str, request: dict[str, Any], pool: WorktreePool, *, limits: CallLimits, timeout: float
    ) -> Ran:
        """Run an instrument over the files of the base."""

        def call(slot: Slot) -> Call:
            return PythonCall(
                function=instrument(name),
                arguments=({**request, "folder": str(slot.directory)},),
                directory=slot.directory,
                enter=slot.enter,
                limits=limits,
                timeout=timeout,
                timed=True,
            )

        return await self.call(call, pool)

    async def call(self, make: Callable[[Slot], Call], pool: WorktreePool, *, change: Change | None = None) -> Ran:
        """Run a call in the next interpreter, in a slot that holds the base and this change."""
        async with pool.slot() as slot:
            if change is not None:
                await slot.stage(change)
            backend = await self._next(slot)
            began, before = anyio.current_time(), _Busy.now()
            outcome = await backend.execute(make(slot))
            seconds = anyio.current_time() - began
            used = outcome.metrics.user + outcome.metrics.system if outcome.metrics is not None else 0.0
            return Ran(outcome=outcome, seconds=seconds, load=_Busy.now().since(before, used))

    async def _next(self, slot: Slot) -> ProcessBackend:
        """An interpreter that is warm: its start is nobody's time."""
        turn, self._turn = self._turn, (self._turn + 1) % self._count
        if turn == len(self._backends):
            await self._start_more(1 if turn == 0 else self._count - turn, slot)
        return self._backends[turn]

    async def _start_more(self, count: int, slot: Slot) -> None:
        more = [await self._stack.enter_async_context(self._start()) for _ in range(count)]
        nothing = PythonCall(function="nothing", source=_NOTHING, directory=slot.directory, enter=slot.enter)
        await all_of(*(partial(_warmed, backend, nothing) for backend in more))
        self._backends += more


async def _warmed(backend: ProcessBackend, nothing: PythonCall) -> None:
    await backend.execute(nothing)


@dataclass(frozen=True, slots=True)
class _Busy:
    """What all cores, and we ourselves, have worked since the start, in seconds; and when that was."""

    everybody: float
    ours: float
    at: float

    @classmethod
    def now(cls) -> _Busy:
        times = psutil.cpu_times()
        idle = times.idle + getattr(times, "iowait", 0.0)
        return cls(sum(times[:8]) - idle, time.process_time(), time.monotonic())

    def since(self, before: _Busy, used: float) -> float:
        """How many cores others kept busy, beside us and a process that used so many seconds."""
        others = self.everybody - before.everybody - (self.ours - before.ours) - used
        return max(0.0, others / max(self.at - before.at, 0.01))
