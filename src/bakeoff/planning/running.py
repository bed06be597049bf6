"""The subplans of a plan, run: many at a time, each as soon as all that it comes after is done.

    plan ──ready──▶ queue, in plan order ──▶ fan_out ──▶ work ──▶ Ended ──▶ who waited for it is ready, or skipped

There are no waves: a subplan waits for those it names, and for nobody else. Whatever becomes of one is told of it, in
the order of the plan; nothing that happens to it is raised. What an earlier try of the run has done is not done again.
"""

from __future__ import annotations

import enum
import heapq
import json
import logging
from collections import defaultdict
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar, cast

import anyio

from bakeoff.errors import BakeoffError, UsageError
from bakeoff.events import SubplanBegan, SubplanEnd, SubplanEnded
from bakeoff.fanout import Status, fan_out, place

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Mapping

    from bakeoff.events import SubplanState, Text
    from bakeoff.fanout import FanOut, Outcome, Peak
    from bakeoff.planning.plan import Plan, Subplan
    from bakeoff.store import Log

__all__ = ["Ended", "Record", "Results", "run_subplans"]

R = TypeVar("R")

_log = logging.getLogger(__name__)
_MOST_ATTEMPTS: Final = 100


class _Missing(enum.Enum):
    """There is no value; None may be one."""

    MISSING = enum.auto()


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended(Generic[R]):
    """How a subplan ended. `reason` says why where it is not done; `earlier` are the errors of attempts that were made
    again. One that `is_known` was done by an earlier try of the run, and not begun in this one."""

    subplan: Subplan
    end: SubplanEnd
    value: R | None = None
    error: Exception | None = None
    reason: str | None = None
    attempts: int = 0
    earlier: tuple[Exception, ...] = ()
    is_known: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Results(Generic[R]):
    """What came of all subplans, in the order of the plan, and how many were inside the work at once, counted there."""

    ended: tuple[Ended[R], ...]
    peak: Peak

    @property
    def values(self) -> tuple[R, ...]:
        """Those of the subplans that are done."""
        return tuple(cast("R", one.value) for one in self.ended if one.end is SubplanEnd.DONE)

    @property
    def errors(self) -> tuple[Exception, ...]:
        """What subplans failed with."""
        return tuple(one.error for one in self.ended if one.error is not None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Record(Generic[R]):
    """Where it is written down what becomes of subplans, and what an earlier try of the run has written there.

    A value is written as a text; what `read` makes of that text takes the place of work that was done. Subplans that
    failed, were skipped or have no end are tried again.
    """

    log: Log
    earlier: Mapping[str, SubplanState] = field(default_factory=dict)
    text: Callable[[Text], str]
    write: Callable[[R], str] = json.dumps
    read: Callable[[str], R] = json.loads

    def known(self, subplan: Subplan) -> R | _Missing:
        """What came of a subplan before."""
        state = self.earlier.get(subplan.id)
        if state is None or state.ended is None or state.ended.end is not SubplanEnd.DONE or state.ended.result is None:
            return _Missing.MISSING
        return self.read(self.text(state.ended.result))


async def run_subplans(
    plan: Plan,
    work: Callable[[Subplan], Awaitable[R]],
    *,
    max_parallel: int = 10,
    fail_fast: bool = False,
    attempts: int = 1,
    timeout: float | None = None,
    record: Record[R] | None = None,
) -> Results[R]:
    """Run `work` on every subplan, at most `max_parallel` at a time, each after those that it names.

    Others wait in line, however many there are; those earlier in the plan go first. One that raises is tried again
    until it had so many `attempts`, each of at most `timeout` seconds. A failure stops nobody but those that come after
    it, which are skipped and say so; with `fail_fast` it stops all. Cancelled from outside, what runs is cancelled and
    awaited, and the same plan goes on from there where there is a `record`.
    """
    _check(max_parallel, attempts, timeout)
    return await _Running(plan, work, attempts=attempts, timeout=timeout, record=record).run(
        max_parallel=max_parallel, fail_fast=fail_fast
    )


def _check(max_parallel: int, attempts: int, timeout: float | None) -> None:
    if max_parallel < 1:
        raise UsageError(f"--max-parallel has to be at least 1, not {max_parallel}")
    if not 1 <= attempts <= _MOST_ATTEMPTS:
        raise UsageError(f"a subplan can have 1 to {_MOST_ATTEMPTS} attempts, not {attempts}")
    if timeout is not None and not timeout > 0:
        raise UsageError("the time of a subplan has to be positive", hint="leave it out where there is no limit")


class _Running(Generic[R]):
    """One run of a plan. All state changes on the caller's task, or in the source that it feeds; neither awaits in the
    midst of a change."""

    def __init__(
        self,
        plan: Plan,
        work: Callable[[Subplan], Awaitable[R]],
        *,
        attempts: int,
        timeout: float | None,
        record: Record[R] | None,
    ) -> None:
        self._plan = plan
        self._work = work
        self._attempts = attempts
        self._timeout = timeout
        self._record = record
        self._place = {subplan.id: at for at, subplan in enumerate(plan.leaves)}
        self._waits_for = {subplan.id: set(subplan.after) for subplan in plan.leaves}
        self._waiting: dict[str, list[str]] = defaultdict(list)
        for subplan in plan.leaves:
            for before in self._waits_for[subplan.id]:
                self._waiting[before].append(subplan.id)
        self._ready: list[int] = []
        self._changed = anyio.Event()
        self._ended: dict[str, Ended[R]] = {}
        self._began: dict[str, float] = {}
        self._stopper: Subplan | None = None

    async def run(self, *, max_parallel: int, fail_fast: bool) -> Results[R]:
        for subplan in self._plan.leaves:
            if not self._waits_for[subplan.id]:
                heapq.heappush(self._ready, self._place[subplan.id])
        running = fan_out(
            self._source(), self._attempt, limit=max_parallel, attempts=self._attempts, fail_fast=fail_fast
        )
        async with running, aclosing(_outcomes(running)) as outcomes:
            async for outcome in outcomes:
                if fail_fast and outcome.status is Status.FAILED and self._stopper is None:
                    self._stopper = outcome.item
                await self._settle(_ended(outcome, self._why_stopped))
        for subplan in self._plan.leaves:
            if subplan.id not in self._ended:
                await self._settle(Ended(subplan=subplan, end=SubplanEnd.SKIPPED, reason=self._why_stopped))
        return Results(ended=tuple(self._ended[subplan.id] for subplan in self._plan.leaves), peak=running.peak)

    @property
    def _why_stopped(self) -> str:
        return (
            f"{self._stopper.name} failed, and nothing was to go on after that" if self._stopper else "it was stopped"
        )

    # -- who may begin --------------------------------------------------------------------------------------------

    async def _source(self) -> AsyncIterator[Subplan]:
        """Those that are ready, as they become so; asked for one whenever there is room for it."""
        while len(self._ended) < len(self._plan.leaves):
            if not self._ready:
                await self._changed.wait()
                continue
            subplan = self._plan.leaves[heapq.heappop(self._ready)]
            known = self._record.known(subplan) if self._record is not None else _Missing.MISSING
            if known is _Missing.MISSING:
                yield subplan
            else:
                self._end(Ended(subplan=subplan, end=SubplanEnd.DONE, value=known, is_known=True))

    async def _settle(self, ended: Ended[R]) -> None:
        """Write down what became of one, and then let go on who waited for it; those that cannot, end with it."""
        await self._append(ended)
        for skipped in self._end(ended):
            await self._append(skipped)

    def _end(self, ended: Ended[R]) -> list[Ended[R]]:
        """Those that are skipped because of it, each after those that it is skipped for."""
        self._ended[ended.subplan.id] = ended
        skipped: list[Ended[R]] = []
        for name in self._waiting[ended.subplan.id]:
            waits_for = self._waits_for[name]
            waits_for.discard(ended.subplan.id)
            if name in self._ended:
                continue
            subplan = self._plan.leaves[self._place[name]]
            if ended.end is not SubplanEnd.DONE:
                what = "failed" if ended.end is SubplanEnd.FAILED else "was skipped"
                reason = f"it comes after {ended.subplan.name}, which {what}"
                one: Ended[R] = Ended(subplan=subplan, end=SubplanEnd.SKIPPED, reason=reason)
                skipped += [one, *self._end(one)]
            elif not waits_for:
                heapq.heappush(self._ready, self._place[name])
        self._changed.set()
        self._changed = anyio.Event()
        return skipped

    # -- the work -------------------------------------------------------------------------------------------------

    async def _attempt(self, subplan: Subplan) -> R:
        attempt = place().attempt
        self._began.setdefault(subplan.id, anyio.current_time())
        if self._record is not None:
            await self._record.log.append(SubplanBegan(subplan=subplan.id, name=subplan.name, attempt=attempt))
        with anyio.move_on_after(self._timeout) as scope:
            return await self._work(subplan)
        assert scope.cancelled_caught
        raise TimeoutError(f"it took longer than {self._timeout:g} s")

    async def _append(self, ended: Ended[R]) -> None:
        if self._record is None:
            return
        log, name = self._record.log, ended.subplan.id
        is_done = ended.end is SubplanEnd.DONE
        await log.append(
            SubplanEnded(
                subplan=name,
                name=ended.subplan.name,
                end=ended.end,
                reason=ended.reason,
                result=log.keep(self._record.write(cast("R", ended.value))) if is_done else None,
                attempts=ended.attempts,
                seconds=anyio.current_time() - self._began[name] if name in self._began else 0.0,
            )
        )


async def _outcomes(running: FanOut[Subplan, R]) -> AsyncGenerator[Outcome[Subplan, R], None]:
    """Without the error that is raised where nothing succeeded: each of its causes is the error of an outcome."""
    try:
        async for outcome in running:
            yield outcome
    except ExceptionGroup as group:
        _log.debug("all of these are told by the subplans that failed", exc_info=group)


_END: Final = {Status.DONE: SubplanEnd.DONE, Status.FAILED: SubplanEnd.FAILED, Status.SKIPPED: SubplanEnd.SKIPPED}


def _ended(outcome: Outcome[Subplan, R], why_stopped: str) -> Ended[R]:
    reason: str | None = None
    if outcome.error is not None:
        reason = _said(outcome.error)
    elif outcome.status is Status.SKIPPED:
        reason = why_stopped
    return Ended(
        subplan=outcome.item,
        end=_END[outcome.status],
        value=outcome.value,
        error=outcome.error,
        reason=reason,
        attempts=outcome.attempts,
        earlier=outcome.earlier,
    )


def _said(error: Any) -> str:  # noqa: ANN401 (whatever the work raises)
    if isinstance(error, BakeoffError):
        return error.message
    return str(error) if isinstance(error, TimeoutError) and str(error) else f"{type(error).__name__}: {error}"
