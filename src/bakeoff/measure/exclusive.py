"""The gate between work and timing: much may work at once, but while one measures nobody does.

    working ──▶ many at a time, unless somebody measures or stands in line to
    measuring ──▶ one at a time, when all work has ended

All stand in one line and are let in in its order, so nobody waits for ever: work that comes after one who wants to
measure waits for it, and work that waited goes in together when it is done.
"""

from __future__ import annotations

from collections import deque
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import anyio

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

__all__ = ["Gate"]


@dataclass(slots=True, eq=False)
class _Waiter:
    is_to_measure: bool
    admitted: anyio.Event = field(default_factory=anyio.Event)


class Gate:
    """Keeps timing apart from everything else that uses the CPU in one run (E2). For use from one event loop.

    Whoever is inside must not ask to be let in again: it would wait for itself.
    """

    def __init__(self) -> None:
        self._working = 0
        self._is_measuring = False
        self._line: deque[_Waiter] = deque()

    @property
    def is_measuring(self) -> bool:
        """Whether something is timed now."""
        return self._is_measuring

    @asynccontextmanager
    async def working(self) -> AsyncIterator[None]:
        """For a block that uses the CPU, but is not timed."""
        await self._enter(_Waiter(is_to_measure=False))
        try:
            yield
        finally:
            self._working -= 1
            self._admit()

    @asynccontextmanager
    async def measuring(self) -> AsyncIterator[None]:
        """For a block that is timed: nothing else is in any block of this gate meanwhile."""
        await self._enter(_Waiter(is_to_measure=True))
        try:
            yield
        finally:
            self._is_measuring = False
            self._admit()

    async def _enter(self, waiter: _Waiter) -> None:
        # In line before anything else happens: who found nobody inside is let in before anybody else comes.
        self._line.append(waiter)
        self._admit()
        try:
            await waiter.admitted.wait()
        except BaseException:
            self._give_up(waiter)
            raise

    def _give_up(self, waiter: _Waiter) -> None:
        """Cancelled in line, or between being let in and going in; those behind it may go in now."""
        if not waiter.admitted.is_set():
            self._line.remove(waiter)
        elif waiter.is_to_measure:
            self._is_measuring = False
        else:
            self._working -= 1
        self._admit()

    def _admit(self) -> None:
        """Let in whoever may, in the order of the line."""
        while self._line and not self._is_measuring:
            first = self._line[0]
            if first.is_to_measure and self._working:
                return
            self._line.popleft()
            if first.is_to_measure:
                self._is_measuring = True
            else:
                self._working += 1
            first.admitted.set()
