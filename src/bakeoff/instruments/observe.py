"""One call of the target, and all that can be seen of it: what it returned, yielded or raised, at which point, what it
made of its arguments, what it printed. A call that does not end is ended.

Results that put work off are used, so that this is seen too: coroutines run, iterators are drained, and what a
`@contextmanager` made is entered and left.
"""

from __future__ import annotations

import array
import asyncio
import collections
import contextlib
import io
import itertools
import opcode
import os
import signal
import sys
import time
import types

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator
    from typing import Any

    from .worlds import Callee

__all__ = ["LAZY", "MOST_ITEMS", "Observation", "OutOfTime", "Thrown", "is_deliberate", "observe", "within"]

MOST_ITEMS = 10_000
_MOST_OUTPUT = 100_000
_RAISE = opcode.opmap["RAISE_VARARGS"]


class _Indexed:
    def __getitem__(self, place: int) -> None:
        raise IndexError


_ITERATORS: tuple[Iterator[Any], ...] = (
    *map(iter, ([], (), set(), range(0), range(1 << 70), "", "é", b"", bytearray(), memoryview(b""))),
    *map(iter, ({}, {}.values(), {}.items(), collections.deque(), collections.OrderedDict(), array.array("b"))),
    *(reversed([]), reversed({}), reversed({}.values()), reversed({}.items()), reversed(collections.deque())),
    *(iter(int, 1), iter(_Indexed())),
)
# Objects that give their items one after the other and are of no other use; which of them it is does not matter.
LAZY: tuple[type, ...] = (
    *(types.GeneratorType, map, filter, zip, enumerate, reversed),
    *dict.fromkeys(map(type, _ITERATORS)),
    *(kind for kind in vars(itertools).values() if isinstance(kind, type) and hasattr(kind, "__next__")),
)
# An iterator that has one of these is a stream, a cursor or a sequence: of more use than its items.
_MORE = frozenset({"__getitem__", "execute", "fileno", "read", "recv", "write"})


def _standard() -> frozenset[str]:
    """Top-level modules that come with Python. Before 3.10 it does not tell; then, what is installed with it."""
    known: frozenset[str] | None = getattr(sys, "stdlib_module_names", None)
    if known is not None:
        return known
    folder = os.path.dirname(os.__file__)
    entries = [*os.listdir(folder), *os.listdir(os.path.join(folder, "lib-dynload"))]
    return frozenset((*sys.builtin_module_names, *(entry.partition(".")[0] for entry in entries)))


_STANDARD = _standard()


class OutOfTime(BaseException):
    """Raised in a call that takes too long; not an Exception, so that ordinary handlers let it pass."""


class Thrown(Exception):
    """Raised by us in a block that the target has made."""


class Observation:
    """What was seen of one call.

    `ending` is returned, raised or too-long; `stage` is how far it came: call, iteration, and for what is entered entry
    and exit. `is_lazy` says that the result was an iterator, and then `value` holds its items; `is_entered` that it was
    made by `@contextmanager`, and then `value` is what entering gave. `kind` is which of these it was, with the name
    of the project's own class of iterators. `deliberate` says that a `raise` of the project's own raised the error.
    """

    __slots__ = (
        "arguments",
        "deliberate",
        "ending",
        "error",
        "is_entered",
        "is_lazy",
        "keywords",
        "kind",
        "output",
        "seconds",
        "stage",
        "value",
    )

    def __init__(self, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> None:
        self.ending = "returned"
        self.stage = "call"
        self.value: Any = None
        self.kind = ""
        self.is_lazy = False
        self.is_entered = False
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
            "kind": self.kind,
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
    thrown: bool = False,
    project: str = "",
) -> Observation:
    """Call it, with all the work that it puts off.

    With `thrown`, what is entered is left by a `Thrown` raised in the block; that is for callers who have seen a call
    that `is_entered`, and makes no difference to others. `project` is the folder whose errors are meant; any if empty.
    """
    seen = Observation(arguments, keywords)
    output = _Output()
    outer, sys.stdout = sys.stdout, output
    started = time.perf_counter()
    try:
        with within(patience):
            seen.value = callee.function(*arguments, **keywords)
            _finish(seen, most_items, thrown=thrown)
    except OutOfTime:
        seen.ending = "too-long"
        seen.value = None
    except (KeyboardInterrupt, SystemExit, GeneratorExit, Exception) as error:  # the door where foreign code runs
        seen.ending = "raised"
        seen.error = error
        seen.deliberate = type(error) is Thrown or is_deliberate(error, project)
    finally:
        seen.seconds = time.perf_counter() - started
        sys.stdout = outer
    seen.output = output.getvalue()
    return seen


def _finish(seen: Observation, most: int, *, thrown: bool) -> None:
    """Do the work that a result has put off."""
    value, seen.value = seen.value, None
    seen.kind = _kind(value)
    if isinstance(value, types.CoroutineType):
        seen.stage = "iteration"
        seen.value = asyncio.run(value)
    elif type(value) is _MANAGER:
        _enter(value, seen, thrown=thrown)
    elif type(value) is _ASYNC_MANAGER:
        asyncio.run(_enter_async(value, seen, thrown=thrown))
    elif seen.kind:
        seen.stage, seen.is_lazy, seen.value = "iteration", True, []
        if isinstance(value, types.AsyncGeneratorType):
            asyncio.run(_drained(value, seen.value, most))
        else:
            for item in itertools.islice(value, most):
                seen.value.append(item)
    else:
        seen.value = value


def _kind(value: Any) -> str:
    """Which sort of put-off work a result is; empty where it is none, but a value."""
    kind = type(value)
    if id(kind) in _KINDS:
        return _KINDS[id(kind)]
    found = {name for base in kind.__mro__ for name in vars(base)}
    if not {"__iter__", "__next__"} <= found or found & _MORE or str(kind.__module__).partition(".")[0] in _STANDARD:
        return ""
    try:
        return kind.__qualname__ if iter(value) is value else ""
    except Exception:  # its own __iter__
        return ""


def _enter(manager: Any, seen: Observation, *, thrown: bool) -> None:
    seen.stage, seen.is_entered = "entry", True
    with manager as seen.value:
        seen.stage = "exit"
        if thrown:
            raise Thrown


async def _enter_async(manager: Any, seen: Observation, *, thrown: bool) -> None:
    seen.stage, seen.is_entered = "entry", True
    async with manager as seen.value:
        seen.stage = "exit"
        if thrown:
            raise Thrown


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


@contextlib.asynccontextmanager
async def _nothing() -> AsyncIterator[None]:
    yield


_MANAGER, _ASYNC_MANAGER = type(within(None)), type(_nothing())
# By identity: a class of the project's may have a metaclass that makes hashing it fail.
_KINDS: dict[int, str] = {
    **dict.fromkeys(map(id, LAZY), "iterator"),
    id(types.AsyncGeneratorType): "asynchronous iterator",
    id(_MANAGER): "context manager",
    id(_ASYNC_MANAGER): "asynchronous context manager",
}


def is_deliberate(error: BaseException, project: str) -> bool:
    """Whether a `raise` statement in the project raised it, and not an operation that failed."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    if trace is None:
        return False
    code = trace.tb_frame.f_code
    if project and not code.co_filename.startswith(os.path.join(project, "")):
        return False
    return 0 <= trace.tb_lasti < len(code.co_code) and code.co_code[trace.tb_lasti] == _RAISE
