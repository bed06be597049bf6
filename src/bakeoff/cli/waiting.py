"""Asynchronous calls of commands, until they end or the user has had enough of them.

A signal cancels a scope, which goes on being cancelled until all in it has ended. What an event loop does by itself on
Ctrl-C is heard once only: whoever closes something after that waits for as long as that takes.
"""

from __future__ import annotations

import logging
import os
import signal
from functools import partial
from typing import TYPE_CHECKING, ParamSpec, TypeVar

import anyio

from bakeoff.fanout import first_of

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

__all__ = ["INTERRUPTED", "finished", "interruptible"]

INTERRUPTED = 128 + 2
P = ParamSpec("P")
T = TypeVar("T")


def finished(call: Callable[P, Awaitable[T]], *arguments: P.args, **keywords: P.kwargs) -> T:
    """What a call gives in the end. Ctrl-C cancels it, and raises KeyboardInterrupt."""
    return anyio.run(_finished, partial(call, *arguments, **keywords))


async def _finished(call: Callable[[], Awaitable[T]]) -> T:
    found: list[T] = []

    async def work() -> None:
        found.append(await call())

    if await interruptible(work) and not found:
        raise KeyboardInterrupt
    return found[0]


async def interruptible(
    call: Callable[[], Awaitable[object]],
    told: Callable[[], None] = lambda: None,
    at_once: Callable[[], None] = lambda: None,
    *,
    grace: float = 0.0,
) -> bool:
    """Make a call until it ends or is interrupted, and say which. The first signal cancels it, when `told` was called
    and the seconds of `grace` are over; the second ends this process, when `at_once` was."""
    scope = anyio.CancelScope()
    count = 0

    async def work() -> None:
        with scope:
            await call()

    async def listen() -> None:
        nonlocal count
        with anyio.open_signal_receiver(signal.SIGINT, signal.SIGTERM) as signals:
            async for _ in signals:
                count += 1
                if count > 1:
                    at_once()
                    os._exit(INTERRUPTED)
                told()
                # A process that was only just begun is killed; its end may come when nobody listens any more.
                logging.getLogger("asyncio").setLevel(logging.ERROR)
                scope.deadline = anyio.current_time() + grace

    await first_of(work, listen)
    return count > 0
