"""The one way anything runs concurrently here.

    items ──pull──▶ lanes, one per key ──start, while there is room──▶ one task per item ──Outcome──▶ the caller

`fan_out` hands outcomes to its caller as they come; `collect` waits for all and puts them in the order of the items.
`Permits` hold back what many fan-outs do at one place, such as calls of one provider.

There is no scheduler task. The state changes only in turns (`FanOut._turn`): something is changed (an item ended,
a limit moved, an outcome was consumed, the source had an item), then whatever has room is started, then whoever
waits for the result is woken. A turn never awaits, so it needs no lock, and it runs in the context of the caller,
so that a task started because another one ended inherits nothing from it.
"""

from __future__ import annotations

import contextvars
import enum
import logging
import math
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterable, Generator, Mapping, Sized
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Generic, Self, TypeVar, TypeVarTuple, cast

import anyio
from anyio.lowlevel import checkpoint_if_cancelled

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Hashable, Iterable, Iterator
    from contextlib import AbstractAsyncContextManager
    from types import TracebackType

    from anyio import TaskHandle
    from anyio.abc import TaskGroup

__all__ = [
    "Collected",
    "FanOut",
    "Limits",
    "Outcome",
    "Peak",
    "Permits",
    "Place",
    "Status",
    "all_of",
    "collect",
    "fan_out",
    "first_of",
    "innermost",
    "place",
]

T = TypeVar("T")
R = TypeVar("R")
Ts = TypeVarTuple("Ts")

_log = logging.getLogger(__name__)

# Outcomes that may wait for a slow caller before nothing new is started; more where the limit is larger, so that a
# caller who takes them in bursts never holds up a full house.
_BACKLOG: Final = 64


class Status(enum.StrEnum):
    """How an item ended. `SKIPPED` was cancelled, or never started: see `Outcome.started`."""

    DONE = "done"
    FAILED = "failed"
    SKIPPED = "skipped"


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome(Generic[T, R]):
    """How one item ended.

    `index` counts the items as they were pulled, from 0. `error` says why an item failed; `earlier` holds the errors
    of the attempts before that were tried again, whatever came of the item in the end. An item whose key could not
    be computed failed without an attempt.
    """

    index: int
    item: T
    key: Hashable
    status: Status
    value: R | None = None
    error: Exception | None = None
    earlier: tuple[Exception, ...] = ()
    attempts: int = 0

    @property
    def started(self) -> bool:
        """Whether the work was entered at all."""
        return self.attempts > 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Peak:
    """The most items that were inside the work at one time, counted where the work is entered and left."""

    total: int
    by_key: Mapping[Hashable, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where the running code stands: which item, and which attempt at it, counting from 1."""

    index: int
    attempt: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Collected(Generic[T, R]):
    """Everything that came of a fan-out; `outcomes` is in the order of the items."""

    outcomes: tuple[Outcome[T, R], ...]
    peak: Peak

    @property
    def values(self) -> tuple[R, ...]:
        """The values of the items that are done, in the order of the items."""
        return tuple(cast("R", outcome.value) for outcome in self.outcomes if outcome.status is Status.DONE)


_PLACE: Final[contextvars.ContextVar[Place]] = contextvars.ContextVar("bakeoff_fanout_place")


def place() -> Place:
    """The place of the code that asks; of the innermost fan-out where they are nested. LookupError outside of any."""
    return _PLACE.get()


class _EveryKey(enum.Enum):
    """Stands for "not one key but all": None is a key like any other."""

    TOTAL = enum.auto()


class Limits:
    """How many items may be in flight, in all and per key; may be changed while fan-outs run under it.

    Raising a limit starts more at once. Lowering it cancels nothing: it only holds back new starts until enough have
    ended. Zero, which only `set` accepts, pauses. `keys` is a limit for each key named, or one number that holds for
    every key on its own; a key that is not named has no limit but the total.

    Several fan-outs may run under one object; each applies it to its own items, they do not share permits. Not
    thread-safe: change it on the thread of the event loop.
    """

    def __init__(self, total: int, *, keys: Mapping[Hashable, int] | int | None = None) -> None:
        self._total = _at_least(1, total, "limit")
        named = keys if isinstance(keys, Mapping) else {}
        self._keys = {key: _at_least(1, limit, f"limit of key {key!r}") for key, limit in named.items()}
        self._each = _at_least(1, keys, "limit per key") if isinstance(keys, int) else None
        self._watchers: list[Callable[[], None]] = []

    @property
    def total(self) -> int:
        """The limit in all."""
        return self._total

    def of(self, key: Hashable) -> int | None:
        """The limit of one key; None where only the total holds."""
        return self._keys.get(key, self._each)

    def set(self, limit: int, *, key: Hashable = _EveryKey.TOTAL) -> None:
        """Change the total, or the limit of one key."""
        if key is _EveryKey.TOTAL:
            self._total = _at_least(0, limit, "limit")
        else:
            self._keys[key] = _at_least(0, limit, f"limit of key {key!r}")
        for watcher in tuple(self._watchers):
            watcher()

    def watch(self, watcher: Callable[[], None]) -> None:
        """Call `watcher` after every change, inside `set`, until `unwatch`."""
        self._watchers.append(watcher)

    def unwatch(self, watcher: Callable[[], None]) -> None:
        """Undo one `watch`."""
        self._watchers.remove(watcher)


@dataclass(slots=True, eq=False)
class _Waiter:
    admitted: anyio.Event = field(default_factory=anyio.Event)


class Permits:
    """So many permits, for blocks of code anywhere: any number of fan-outs and tasks may share them.

    They are given out first come, first served. The limit may be changed meanwhile, as that of `Limits`: lowering it
    takes no permit away, it only holds back new ones; zero, which only `set` accepts, pauses. Not thread-safe; used
    from one event loop at a time, and from others after it.
    """

    def __init__(self, limit: int) -> None:
        self._limit = _at_least(1, limit, "limit")
        self._in_flight = 0
        self._peak = 0
        self._line: deque[_Waiter] = deque()

    @property
    def limit(self) -> int:
        """How many there are."""
        return self._limit

    @property
    def in_flight(self) -> int:
        """How many are taken."""
        return self._in_flight

    @property
    def waiting(self) -> int:
        """How many tasks wait for one."""
        return len(self._line)

    @property
    def peak(self) -> int:
        """The most that were taken at one time."""
        return self._peak

    def set(self, limit: int) -> None:
        """Change the limit."""
        self._limit = _at_least(0, limit, "limit")
        self._admit()

    def taken(self) -> AbstractAsyncContextManager[None]:
        """Hold a permit while the block runs."""
        return _Taken(self)

    async def take(self) -> None:
        """Wait for a permit. Whoever calls this has to `give_back` in every end; `taken` sees to that.

        One that is there is given at once, and nothing else runs meanwhile.
        """
        await checkpoint_if_cancelled()
        if not self._line and self._in_flight < self._limit:
            self._give()
            return
        waiter = _Waiter()
        self._line.append(waiter)
        try:
            await waiter.admitted.wait()
        except BaseException:
            self._give_up(waiter)
            raise

    def give_back(self) -> None:
        """Return a permit that was taken."""
        self._in_flight -= 1
        self._admit()

    def _give_up(self, waiter: _Waiter) -> None:
        """Cancelled in line, or after a permit was given and before it arrived."""
        if waiter.admitted.is_set():
            self.give_back()
        else:
            self._line.remove(waiter)

    def _admit(self) -> None:
        while self._line and self._in_flight < self._limit:
            self._give()
            self._line.popleft().admitted.set()

    def _give(self) -> None:
        self._in_flight += 1
        self._peak = max(self._peak, self._in_flight)


@dataclass(slots=True, eq=False)
class _Taken:
    """A generator would do, but this is entered for every call of a model."""

    permits: Permits

    async def __aenter__(self) -> None:
        await self.permits.take()

    async def __aexit__(self, *exc_info: object) -> None:
        self.permits.give_back()


def fan_out(
    items: Iterable[T] | AsyncIterable[T],
    work: Callable[[T], Awaitable[R]],
    *,
    limit: int | Limits,
    key: Callable[[T], Hashable] | None = None,
    key_limits: Mapping[Hashable, int] | int | None = None,
    stop_when: Callable[[Outcome[T, R]], bool] | None = None,
    fail_fast: bool = False,
    attempts: int = 1,
    ahead: int = 1024,
) -> FanOut[T, R]:
    """Run `work` on every item, so many at a time, and hand over the outcomes in the order of completion.

        async with fan_out(cells, run_cell, limit=16, key=provider_of, key_limits=4) as outcomes:
            async for outcome in outcomes:
                store.append(outcome)

    Every item ends in exactly one outcome. Failing items do not disturb the others: they are logged, and are outcomes
    like any other, unless nothing succeeded at all: then, after the last outcome, the iteration raises an
    ExceptionGroup of every cause. `fail_fast` cancels the rest at the first failure, and always raises that group
    instead of logging.

    `stop_when` is asked about each item that is done or failed, as it ends. Once it says yes the rest is cancelled,
    the cancellations are awaited, and the iteration goes on with the outcomes of what was running (an item that ends
    with a value all the same is done) and of what was never started. Leaving the block cancels and awaits whatever
    still runs; nothing outlives it.

    `items` may still be in the making: an async iterable, or an iterator that computes. It is pulled from only when
    there is room for another item; those whose key has no room wait aside, at most `ahead` of them, while other keys
    go on. What has a length is taken whole, so that its keys take turns from the start. If the source raises, what
    was pulled runs to its end, then the iteration raises that error. A generator is closed at the end.

    An item that fails is tried again until it had `attempts` attempts, under the same permit, each in a context of
    its own. A caller who does not keep up holds back new starts.
    """
    if isinstance(limit, Limits):
        if key_limits is not None:
            raise ValueError("key_limits and a Limits object exclude each other: give the limits of keys to Limits")
        limits = limit
    else:
        limits = Limits(limit, keys=key_limits)
    rules = _Rules(
        key=key,
        stop_when=stop_when,
        fail_fast=fail_fast,
        attempts=_at_least(1, attempts, "attempts"),
        ahead=_at_least(1, ahead, "ahead"),
    )
    return FanOut(items, work, limits, rules)


async def collect(
    items: Iterable[T] | AsyncIterable[T],
    work: Callable[[T], Awaitable[R]],
    *,
    limit: int | Limits,
    key: Callable[[T], Hashable] | None = None,
    key_limits: Mapping[Hashable, int] | int | None = None,
    stop_when: Callable[[Outcome[T, R]], bool] | None = None,
    fail_fast: bool = False,
    attempts: int = 1,
    ahead: int = 1024,
) -> Collected[T, R]:
    """Run `work` on every item and return all outcomes in the order of the items; options as in `fan_out`."""
    async with fan_out(
        items,
        work,
        limit=limit,
        key=key,
        key_limits=key_limits,
        stop_when=stop_when,
        fail_fast=fail_fast,
        attempts=attempts,
        ahead=ahead,
    ) as running:
        outcomes = [outcome async for outcome in running]
    outcomes.sort(key=lambda outcome: outcome.index)
    return Collected(outcomes=tuple(outcomes), peak=running.peak)


async def all_of(*calls: Callable[[], Awaitable[None]]) -> None:
    """Make these calls at once. The first that raises ends the others, and what it raised comes out as it is."""
    try:
        await collect(calls, _make, limit=len(calls), fail_fast=True)
    except ExceptionGroup as group:
        raise innermost(group) from None


async def first_of(*calls: Callable[[], Awaitable[None]]) -> None:
    """Make these calls at once, until one of them ends. What that one raised comes out as it is."""
    try:
        await collect(calls, _make, limit=len(calls), stop_when=lambda _: True, fail_fast=True)
    except ExceptionGroup as group:
        raise innermost(group) from None


async def _make(call: Callable[[], Awaitable[None]]) -> None:
    await call()


def innermost(error: Exception) -> Exception:
    """The first cause of all, out of the groups that it was put into."""
    while isinstance(error, ExceptionGroup):
        error = error.exceptions[0]
    return error


@dataclass(frozen=True, slots=True, kw_only=True)
class _Rules(Generic[T, R]):
    key: Callable[[T], Hashable] | None
    stop_when: Callable[[Outcome[T, R]], bool] | None
    fail_fast: bool
    attempts: int
    ahead: int


@dataclass(slots=True, eq=False)
class _Lane(Generic[T]):
    """The items of one key: those that wait, and how many hold a permit."""

    key: Hashable
    limit: int | None
    queue: deque[_Entry[T]] = field(default_factory=deque)
    running: int = 0
    lined_up: bool = False

    def has_room(self) -> bool:
        return self.limit is None or self.running < self.limit


@dataclass(slots=True, eq=False)
class _Entry(Generic[T]):
    """One item on its way from the source to its outcome."""

    index: int
    item: T
    lane: _Lane[T]
    attempts: int = 0
    earlier: tuple[Exception, ...] = ()
    task: TaskHandle[None] | None = None


class _Lanes(Generic[T]):
    """Who may start next. A lane is lined up while it has both an item that waits and room for it; those lined up
    take turns, so that no key waits for another, and a full one is not looked at until it has room again."""

    def __init__(self, limits: Limits) -> None:
        self.running = 0
        self.parked = 0
        self._limits = limits
        self._lanes: dict[Hashable, _Lane[T]] = {}
        self._line: deque[_Lane[T]] = deque()

    def of(self, key: Hashable) -> _Lane[T]:
        lane = self._lanes.get(key)
        if lane is None:
            lane = self._lanes[key] = _Lane(key, self._limits.of(key))
        return lane

    def has_room(self) -> bool:
        return self.running < self._limits.total

    def park(self, entry: _Entry[T]) -> None:
        entry.lane.queue.append(entry)
        self.parked += 1
        self._line_up(entry.lane)

    def take(self) -> _Entry[T] | None:
        """The next entry that may start, with its permit; None if every one that waits is of a full key."""
        if not self._line:
            return None
        lane = self._line.popleft()
        lane.lined_up = False
        entry = lane.queue.popleft()
        self.parked -= 1
        lane.running += 1
        self.running += 1
        self._line_up(lane)
        return entry

    def release(self, lane: _Lane[T]) -> None:
        lane.running -= 1
        self.running -= 1
        self._line_up(lane)

    def relimit(self) -> None:
        """Take over changed limits."""
        for lane in self._lanes.values():
            lane.limit = self._limits.of(lane.key)
            lane.lined_up = lane.lined_up and lane.has_room()
        self._line = deque(lane for lane in self._line if lane.lined_up)
        for lane in self._lanes.values():
            self._line_up(lane)

    def clear(self) -> list[_Entry[T]]:
        """Give up what waits, in the order of the items."""
        entries = sorted(
            (entry for lane in self._lanes.values() for entry in lane.queue), key=lambda entry: entry.index
        )
        for entry in entries:
            entry.lane.queue.clear()
            entry.lane.lined_up = False
        self._line.clear()
        self.parked = 0
        return entries

    def _line_up(self, lane: _Lane[T]) -> None:
        if lane.queue and not lane.lined_up and lane.has_room():
            lane.lined_up = True
            self._line.append(lane)


class _Gauge:
    """Counts what is inside the work."""

    def __init__(self) -> None:
        self._inside = 0
        self._peak = 0
        self._inside_by_key: dict[Hashable, int] = {}
        self._peak_by_key: dict[Hashable, int] = {}

    def enter(self, key: Hashable) -> None:
        self._inside += 1
        self._peak = max(self._peak, self._inside)
        inside = self._inside_by_key[key] = self._inside_by_key.get(key, 0) + 1
        if inside > self._peak_by_key.get(key, 0):
            self._peak_by_key[key] = inside

    def leave(self, key: Hashable) -> None:
        self._inside -= 1
        self._inside_by_key[key] -= 1

    def read(self) -> Peak:
        return Peak(total=self._peak, by_key=dict(self._peak_by_key))


class _BlockRaised(Exception):
    """Stands in, while tasks are awaited, for what the caller's block raised."""


class FanOut(Generic[T, R]):
    """A running fan-out: made by `fan_out`, entered once, iterated by the task that entered it."""

    def __init__(
        self,
        items: Iterable[T] | AsyncIterable[T],
        work: Callable[[T], Awaitable[R]],
        limits: Limits,
        rules: _Rules[T, R],
    ) -> None:
        self._work = work
        self._limits = limits
        self._rules = rules
        # Exactly one of the two is a source; each becomes None when it has no more to give.
        self._source: Iterator[T] | None = None if isinstance(items, AsyncIterable) else iter(items)
        self._stream: AsyncIterable[T] | None = items if isinstance(items, AsyncIterable) else None
        self._sized = isinstance(items, Sized) and self._stream is None
        self._pulled = 0

        self._lanes: _Lanes[T] = _Lanes(limits)
        self._gauge = _Gauge()
        self._in_flight: set[_Entry[T]] = set()
        self._group: TaskGroup | None = None
        self._feeder: TaskHandle[None] | None = None
        self._turning = False

        self._outcomes: deque[Outcome[T, R]] = deque()
        self._never_started = self._leftovers()
        self._arrived: anyio.Event | None = None  # the caller waits for an outcome
        self._wanted: anyio.Event | None = None  # the feeder waits for room

        self._stopped = False
        self._succeeded = False
        self._causes: list[Exception] = []
        self._error: Exception | None = None  # of the source or the stop rule; raised after the last outcome
        self._fatal: BaseException | None = None  # KeyboardInterrupt and the like; raised at once

    @property
    def peak(self) -> Peak:
        """The peak so far; final after the block."""
        return self._gauge.read()

    # -- the caller's side ---------------------------------------------------------------------------------------------

    async def __aenter__(self) -> Self:
        if self._group is not None:
            raise RuntimeError("a fan-out can be entered only once")
        self._context = contextvars.copy_context()
        self._group = await anyio.create_task_group().__aenter__()
        self._limits.watch(self._limits_changed)
        if self._stream is not None:
            self._feeder = self._group.start_soon(self._feed, self._stream)
        self._turn(self._fill)
        return self

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Outcome[T, R]:
        while not self._outcomes:
            if self._is_over():
                return self._conclude()
            self._arrived = anyio.Event()
            await self._arrived.wait()
        held_back = self._is_congested()
        outcome = self._outcomes.popleft()
        if held_back:
            self._turn(self._consumed)
        return outcome

    async def __aexit__(
        self, exc_type: type[BaseException] | None, exc: BaseException | None, traceback: TracebackType | None
    ) -> bool:
        self._turn(self._stop)
        ending = exc
        try:
            return await self._join(exc)
        except BaseException as error:
            ending = error
            raise
        finally:
            self._limits.unwatch(self._limits_changed)
            self._turn(self._close_source)
            self._raise_pending(ending)

    async def _join(self, exc: BaseException | None) -> bool:
        """Wait until every task is gone, and let what the caller's block raised go on as it is.

        A task group wraps what its block raises, and trio takes groups apart and puts them together anew: so a
        stand-in is wrapped, and dropped. A cancellation is no error and passes as itself.
        """
        assert self._group is not None
        if exc is not None and not isinstance(exc, anyio.get_cancelled_exc_class()):
            exc = _BlockRaised()
        try:
            return await self._group.__aexit__(type(exc) if exc else None, exc, None)
        except BaseExceptionGroup as group:
            if group.split(_BlockRaised)[1] is not None:
                raise
            return False

    def _is_over(self) -> bool:
        """Whether no outcome will come any more, but those of items that were never started."""
        if self._in_flight or self._stream is not None:
            return False
        return self._stopped or (self._source is None and not self._lanes.parked)

    def _conclude(self) -> Outcome[T, R]:
        """An item that was never started; when there is none left, the end."""
        for outcome in self._never_started:
            return outcome
        error, self._error = self._error, None
        if error is not None:
            raise error
        causes, self._causes = self._causes, []
        if causes:
            raise ExceptionGroup("stopped at a failure" if self._rules.fail_fast else "nothing succeeded", causes)
        raise StopAsyncIteration

    def _leftovers(self) -> Iterator[Outcome[T, R]]:
        while True:
            for entry in self._lanes.clear():
                yield self._outcome(entry, Status.SKIPPED)
            if not (self._sized and self._pull()):
                return

    def _raise_pending(self, exc: BaseException | None) -> None:
        """What the iteration did not live to raise."""
        if self._fatal is not None:
            raise self._fatal
        if self._error is None:
            return
        if exc is None:
            raise self._error
        _log.error("the fan-out was already ending with %r when this happened", exc, exc_info=self._error)

    # -- turns: nothing from here to the tasks awaits ------------------------------------------------------------------

    def _turn(self, change: Callable[[*Ts], None], *args: *Ts) -> None:
        """Make a change and act on it. A change made from within a turn (a stop rule that sets a limit, say) is part
        of that turn."""
        if self._turning:
            change(*args)
            return
        self._turning = True
        try:
            self._context.run(change, *args)
            self._context.run(self._act)
        finally:
            self._turning = False

    def _act(self) -> None:
        self._pump()
        if self._arrived is not None and (self._outcomes or self._is_over()):
            self._arrived.set()
            self._arrived = None
        if self._wanted is not None and self._wants_more():
            self._wanted.set()
            self._wanted = None

    def _pump(self) -> None:
        """Start whatever may start, pulling as long as that leads to a start or to an item of a full key."""
        while self._has_room():
            entry = self._lanes.take()
            if entry is not None:
                self._start(entry)
            elif not self._pull():
                return

    def _has_room(self) -> bool:
        return not self._stopped and self._lanes.has_room() and not self._is_congested()

    def _is_congested(self) -> bool:
        return len(self._outcomes) >= max(_BACKLOG, self._limits.total)

    def _wants_more(self) -> bool:
        return self._has_room() and self._lanes.parked < self._rules.ahead

    def _limits_changed(self) -> None:
        self._turn(self._lanes.relimit)

    def _consumed(self) -> None:
        """An outcome was taken; the turn itself does the rest."""

    def _fill(self) -> None:
        while self._sized and self._rules.key is not None and self._pull():
            pass

    def _pull(self) -> bool:
        """Admit one more item, if the source has one at hand and it may wait."""
        if self._source is None or not (self._sized or self._lanes.parked < self._rules.ahead):
            return False
        try:
            item = next(self._source)
        except StopIteration:
            self._source = None
            return False
        except BaseException as error:  # noqa: BLE001 the caller's code; it is raised again at the end
            self._source = None
            self._record(error)
            return False
        self._admit(item)
        return True

    def _admit(self, item: T) -> None:
        index = self._pulled
        self._pulled += 1
        try:
            lane = self._lanes.of(self._rules.key(item) if self._rules.key is not None else None)
        except Exception as error:  # noqa: BLE001 the caller's code; it becomes this item's outcome
            self._deliver(Outcome(index=index, item=item, key=None, status=Status.FAILED, error=error))
        except BaseException as error:  # noqa: BLE001 an interrupt; it is raised again at once
            self._record(error)
        else:
            self._lanes.park(_Entry(index, item, lane))

    def _start(self, entry: _Entry[T]) -> None:
        assert self._group is not None
        self._in_flight.add(entry)
        entry.task = self._group.start_soon(self._run, entry)

    def _failed(self, entry: _Entry[T], cause: BaseException | None) -> None:
        """An attempt ended with `cause`; None is a cancellation."""
        if cause is None:
            # Nobody cancels one item alone: it was the stop rule, or the caller's own scope, which has all of them.
            self._settle(entry, Status.SKIPPED)
            self._stop()
        elif not isinstance(cause, Exception):
            self._settle(entry, Status.SKIPPED)
            self._record(cause)
        elif entry.attempts < self._rules.attempts and not self._stopped:
            _log.info("attempt %d at item %d failed, trying again", entry.attempts, entry.index, exc_info=cause)
            entry.earlier += (cause,)
            self._start(entry)
        else:
            self._settle(entry, Status.FAILED, error=cause)

    def _done(self, entry: _Entry[T], value: R) -> None:
        self._settle(entry, Status.DONE, value=value)

    def _settle(
        self, entry: _Entry[T], status: Status, *, value: R | None = None, error: Exception | None = None
    ) -> None:
        self._in_flight.discard(entry)
        self._lanes.release(entry.lane)
        self._deliver(self._outcome(entry, status, value=value, error=error))

    @staticmethod
    def _outcome(
        entry: _Entry[T], status: Status, *, value: R | None = None, error: Exception | None = None
    ) -> Outcome[T, R]:
        return Outcome(
            index=entry.index,
            item=entry.item,
            key=entry.lane.key,
            status=status,
            value=value,
            error=error,
            earlier=entry.earlier,
            attempts=entry.attempts,
        )

    def _deliver(self, outcome: Outcome[T, R]) -> None:
        self._outcomes.append(outcome)
        if outcome.status is Status.DONE and not self._succeeded:
            self._succeeded = True
            if not self._rules.fail_fast:
                self._causes.clear()
        if outcome.error is not None:
            self._note_failure(outcome, outcome.error)
        if outcome.status is not Status.SKIPPED and not self._stopped:
            self._consult_stop_rule(outcome)

    def _note_failure(self, outcome: Outcome[T, R], error: Exception) -> None:
        if not self._rules.fail_fast:  # or else it is raised, and told by whoever catches it
            _log.warning("item %d failed: %r", outcome.index, error, exc_info=error)
        if self._rules.fail_fast or not self._succeeded:
            self._causes += [*outcome.earlier, error]
        if self._rules.fail_fast:
            self._stop()

    def _consult_stop_rule(self, outcome: Outcome[T, R]) -> None:
        if self._rules.stop_when is None:
            return
        try:
            enough = self._rules.stop_when(outcome)
        except BaseException as error:  # noqa: BLE001 the caller's code; it is raised again at the end
            self._record(error)
            enough = True
        if enough:
            self._stop()

    def _stop(self) -> None:
        """Start nothing more and cancel what runs; that it has ended is seen by `_is_over`."""
        if self._stopped:
            return
        self._stopped = True
        for entry in self._in_flight:
            assert entry.task is not None
            entry.task.cancel()
        if self._feeder is not None:
            self._feeder.cancel()

    def _record(self, error: BaseException) -> None:
        """Keep an error that belongs to no item. One that is not an Exception ends everything, the caller's block
        included: that block may be waiting for something else for a long time."""
        if not isinstance(error, Exception):
            assert self._group is not None
            self._fatal = self._fatal or error
            self._group.cancel_scope.cancel()
            self._stop()
        elif self._error is None:
            self._error = error
        else:
            _log.error("the fan-out was already ending with %r when this happened", self._error, exc_info=error)

    def _stream_ended(self, cause: BaseException | None = None) -> None:
        self._stream = None
        if cause is not None:
            self._record(cause)

    def _close_source(self) -> None:
        if isinstance(self._source, Generator):
            try:
                self._source.close()
            except Exception as error:  # noqa: BLE001 the caller's code; it is raised again right after
                self._record(error)

    # -- tasks ---------------------------------------------------------------------------------------------------------

    async def _run(self, entry: _Entry[T]) -> None:
        """One attempt at one item, in a task and a context of its own."""
        if self._stopped:
            self._turn(self._failed, entry, None)
            return
        entry.attempts += 1
        _PLACE.set(Place(index=entry.index, attempt=entry.attempts))
        try:
            value = await self._gauged(entry)
        except BaseException as error:
            cause = _cause(error)
            self._turn(self._failed, entry, cause)
            if cause is None:
                raise
        else:
            self._turn(self._done, entry, value)

    async def _gauged(self, entry: _Entry[T]) -> R:
        self._gauge.enter(entry.lane.key)
        try:
            return await self._work(entry.item)
        finally:
            self._gauge.leave(entry.lane.key)

    async def _feed(self, stream: AsyncIterable[T]) -> None:
        """Pull from an async source as long as there is room, and close it in the end."""
        try:
            await self._feed_from(aiter(stream))
        except BaseException as error:
            cause = _cause(error)
            self._turn(self._stream_ended, cause)
            if cause is None:
                self._turn(self._stop)
                raise
        else:
            self._turn(self._stream_ended)

    async def _feed_from(self, iterator: AsyncIterator[T]) -> None:
        try:
            await self._room()
            async for item in iterator:
                self._turn(self._admit, item)
                await self._room()
        finally:
            if isinstance(iterator, AsyncGenerator):
                with anyio.CancelScope(shield=True):
                    await iterator.aclose()

    async def _room(self) -> None:
        while not self._wants_more():
            self._wanted = anyio.Event()
            await self._wanted.wait()


def _cause(error: BaseException) -> BaseException | None:
    """What went wrong; None if it is nothing but a cancellation of ours or of a scope around us.

    A cancellation that nobody asked for comes from awaiting something else that was cancelled: a failure like any
    other, which must not pass for the end of the fan-out.
    """
    cancelled = anyio.get_cancelled_exc_class()
    if isinstance(error, BaseExceptionGroup):
        rest = error.split(cancelled)[1]
        if rest is not None:
            return rest
    elif not isinstance(error, cancelled):
        return error
    if anyio.current_effective_deadline() == -math.inf:
        return None
    foreign = RuntimeError("cancelled, but not by the fan-out")
    foreign.__cause__ = error
    return foreign


def _at_least(least: int, number: int, name: str) -> int:
    if number < least:
        raise ValueError(f"{name} must be at least {least}, not {number}")
    return number
