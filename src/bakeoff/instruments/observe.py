"""One call of the target, and all that can be seen of it: what it returned, yielded or raised, at which point, what it
made of its arguments, what it printed. A call that does not end is ended."""

from __future__ import annotations

import asyncio
import contextlib
import io
import itertools
import opcode
import signal
import sys
import time
import types
from typing import cast

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from .worlds import Callee

__all__ = ["MOST_ITEMS", "Observation", "OutOfTime", "observe", "within"]

MOST_ITEMS = 10_000
_MOST_OUTPUT = 100_000
_RAISE = opcode.opmap["RAISE_VARARGS"]
# Objects that give their items one after the other and are of no other use; which of them it is does not matter.
_LAZY: tuple[type, ...] = (
    types.GeneratorType,
    map,
    filter,
    zip,
    enumerate,
    reversed,
    type(iter([])),
    type(iter(())),
    type(iter({})),
    type(iter(set())),
    type(iter(range(0))),
    type(iter("")),
    *(kind for kind in vars(itertools).values() if isinstance(kind, type) and hasattr(kind, "__next__")),
)


class OutOfTime(BaseException):
    """Raised in a call that takes too long; not an Exception, so that ordinary handlers let it pass."""


class Observation:
    """What was seen of one call.

    `ending` is returned, raised or too-long; `stage` is call or iteration; `is_lazy` says that the result was an
    iterator, and then `value` holds its items. `deliberate` says that a `raise` of the project's own raised the error.
    """

    __slots__ = (
        "arguments",
        "deliberate",
        "ending",
        "error",
        "is_lazy",
        "keywords",
        "output",
        "seconds",
        "stage",
        "value",
    )

    def __init__(self, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> None:
        self.ending = "returned"
        self.stage = "call"
        self.value: Any = None
        self.is_lazy = False
        self.error: BaseException | None = None
        self.deliberate = False
        self.arguments = arguments
        self.keywords = keywords
        self.output = ""
        self.seconds = 0.0

    def facts(self) -> dict[str, Any]:
        """Everything that has to be the same for two calls to be the same, as one value: what result and arguments
        share is part of it."""
        return {
            "ending": (self.ending, self.stage),
            "result": self.value,
            "is lazy": self.is_lazy,
            "arguments": list(self.arguments),
            "keywords": self.keywords,
            "output": self.output,
            "error": self.error,
        }


def observe(
    callee: Callee,
    arguments: tuple[Any, ...],
    keywords: dict[str, Any],
    *,
    patience: float | None = None,
    most_items: int = MOST_ITEMS,
) -> Observation:
    """Call it, with all the work that it puts off: iterators are drained, coroutines run."""
    seen = Observation(arguments, keywords)
    output = _Output()
    outer, sys.stdout = sys.stdout, output
    started = time.perf_counter()
    try:
        with within(patience):
            seen.value = callee.function(*arguments, **keywords)
            _finish(seen, most_items)
    except OutOfTime:
        seen.ending = "too-long"
        seen.value = None
    except (KeyboardInterrupt, SystemExit, GeneratorExit, Exception) as error:  # the door where foreign code runs
        seen.ending = "raised"
        seen.error = error
        seen.deliberate = _is_deliberate(error)
        if not seen.is_lazy:
            seen.value = None
    finally:
        seen.seconds = time.perf_counter() - started
        sys.stdout = outer
    seen.output = output.getvalue()
    return seen


def _finish(seen: Observation, most: int) -> None:
    """Do the work that a result has put off."""
    value: Any = seen.value
    if isinstance(value, types.CoroutineType):
        seen.stage = "iteration"
        seen.value = asyncio.run(value)
    elif isinstance(value, types.AsyncGeneratorType):
        seen.stage, seen.is_lazy, seen.value = "iteration", True, []
        asyncio.run(_drained(value, seen.value, most))
    elif isinstance(value, _LAZY):
        seen.stage, seen.is_lazy, seen.value = "iteration", True, []
        for item in itertools.islice(cast("Iterator[Any]", value), most):
            seen.value.append(item)


async def _drained(items: types.AsyncGeneratorType[Any, Any], into: list[Any], most: int) -> None:
    async for item in items:
        into.append(item)
        if len(into) >= most:
            return


class _Output(io.StringIO):
    """What a call prints, up to a bound."""

    def write(self, text: str) -> int:
        if self.tell() < _MOST_OUTPUT:
            super().write(text)
        return len(text)


@contextlib.contextmanager
def within(patience: float | None) -> Iterator[None]:
    """Raise OutOfTime in the block when it takes longer, again and again where that is caught."""
    if patience is None:
        yield
        return
    alarm = _Alarm()
    outer = signal.signal(signal.SIGALRM, alarm.ring)
    signal.setitimer(signal.ITIMER_REAL, patience, 0.1)
    try:
        yield
    finally:
        alarm.is_set = False
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, outer)


class _Alarm:
    """Rings only while it is set: not when the block is being left."""

    is_set = True

    def ring(self, *_: object) -> None:
        if self.is_set:
            raise OutOfTime


def _is_deliberate(error: BaseException) -> bool:
    """Whether a `raise` statement raised it, and not an operation that failed."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    if trace is None:
        return False
    code = trace.tb_frame.f_code.co_code
    return 0 <= trace.tb_lasti < len(code) and code[trace.tb_lasti] == _RAISE
