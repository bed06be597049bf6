"""Cancelling a program at one of its awaits, exactly.

    step = 0
    while await cancelled_at(step, program):
        step += 1  # and look at what it left behind

What a program awaits, and how often, may depend on threads and on the network; where the cancellation comes does not:
it is there when the program is suspended for the so many-th time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import anyio

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Generator


async def cancelled_at(step: int, program: Callable[[], Awaitable[object]]) -> bool:
    """Run it, cancelled from outside when it is suspended for the `step`-th time, counting from 0. Whether it came so
    far; what it raises is raised."""
    with anyio.CancelScope() as scope:
        counted = _Counted(program(), step, scope)
        await counted
    return counted.came_so_far


class _Counted:
    def __init__(self, awaited: Awaitable[object], step: int, scope: anyio.CancelScope) -> None:
        self.came_so_far = False
        self._awaited = awaited
        self._step = step
        self._scope = scope

    def __await__(self) -> Generator[Any, Any, object]:
        inner = self._awaited.__await__()
        resume, argument = inner.send, None
        suspended = 0
        while True:
            try:
                trap = resume(argument)
            except StopIteration as end:
                return end.value
            if suspended == self._step:
                self.came_so_far = True
                self._scope.cancel()
            suspended += 1
            try:
                resume, argument = inner.send, (yield trap)
            except BaseException as error:  # noqa: BLE001 - thrown in from outside, and passed on
                resume, argument = inner.throw, error
