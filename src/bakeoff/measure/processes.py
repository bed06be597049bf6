"""Laps: processes that hold the baseline, its placebo and some candidates, and what becomes of those that misbehave.

A process is shared, so one candidate that crashes it, hangs, or eats its memory takes the others' times with it. Each
is then tried alone beside the baseline: the culprit leaves the race, and the others go on.
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

from bakeoff.errors import CannotMeasure
from bakeoff.measure.laps import BASELINE, PLACEBO, BadReport, Lap, Left, Times, lap, merged
from bakeoff.measure.plans import Plan, Seen, plan, which_clock
from bakeoff.measure.values import Clock, Contender, Course, Fault, FaultKind, MeasureOptions, Objective
from bakeoff.targets import RecordedCall
from bakeoff.workers import Ending

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bakeoff.measure.stopwatches import Ran, Stopwatches
    from bakeoff.workspaces import WorktreePool

__all__ = ["CallTrack"]

_PROBE_SECONDS = 0.4
_PROCESS_SECONDS = 0.06
_LEAST_PATIENCE, _PATIENCE_SHARE = 2.0, 20.0
_LEAST_TIMEOUT = 5.0
# A module may take its time to be imported, and several times that on a busy machine, each time anew.
_LEAST_LOADING, _LOADING_SHARE = 10.0, 5.0
_CHECK_EVERY = 8
_MOST_UNEXPLAINED = 3


class CallTrack:
    """Runs laps over one course. Knows the plan of a block, who has left and why, and what it all took."""

    def __init__(self, watches: Stopwatches, pool: WorktreePool, course: Course, options: MeasureOptions) -> None:
        self._watches = watches
        self._pool = pool
        self._course = course
        self._calls = list(course.calls)
        self._options = options
        self._random = random.Random(options.seed)  # noqa: S311 (chance, not secrets)
        self._alike: list[str] = []
        self._busy = 0.0
        self._unexplained = 0
        self._timed = 0
        self._plan: Plan | None = None
        self._loading = 0.0
        self.clock = Clock.MEMORY if options.objective is Objective.MEMORY else options.clock
        self.alternating: str | None = None
        self.core: int | None = None
        self.faults: dict[str, Fault] = {}
        self.seconds = 0.0
        self.processes = 0

    @property
    def load(self) -> float:
        """How many cores others kept busy, on average."""
        return self._busy / self.seconds if self.seconds else 0.0

    @property
    def covered(self) -> float:
        """Which part of the workload's time is timed."""
        return self.plan.covered

    @property
    def plan(self) -> Plan:
        """The plan of a block, once there was a `look`."""
        assert self._plan is not None
        return self._plan

    async def look(self, contenders: Sequence[Contender]) -> None:
        """Find out what the baseline's calls cost, and plan a block of them."""
        self._alike = sorted({path for contender in contenders for path in contender.change.paths})
        if not self._calls and self._course.bench is None:
            raise CannotMeasure("there are no calls to time", hint="give a benchmark, or tests that call the target")
        request = {
            "seconds": _PROBE_SECONDS,
            "patience": self._options.patience,
            "loading": self._options.patience,
        }
        ran = await self._run("probe", [None], request, timeout=2 * self._options.patience)
        report, fault = _answer(ran)
        if fault is not None:
            raise CannotMeasure(f"the baseline cannot be timed: {fault.text}")
        seen = [None if found is None else Seen.of(found) for found in report["calls"]]
        if self._course.bench is not None:
            self._calls = [RecordedCall(arguments=b"", shape=shape) for shape in report["shapes"]]
        self._plan = plan(self._calls, seen, block=self._options.block)
        self.alternating = report["twice"]
        self._loading = float(report["loading"])
        if self.clock is Clock.AUTO:
            self.clock = which_clock(seen)
        self.seconds = self._busy = 0.0

    async def lap(self, contenders: Sequence[Contender]) -> Lap:
        """One lap of these, with baseline and placebo; raises Left where it is worth nothing."""
        if self._options.objective is Objective.MEMORY:
            return await self._peaks(contenders)
        if self.alternating is not None:
            return await self._apart(contenders)
        worlds = [None, None, *contenders]
        names = [BASELINE, PLACEBO, *(one.name for one in contenders)]
        ran = await self._run("run", worlds, self._timing(len(worlds)), timeout=self._timeout(len(worlds)))
        found = await self._read(ran, worlds, names)
        self.core = found.core
        return found

    # -- one process ----------------------------------------------------------------------------------------------

    def _timing(self, count: int) -> dict[str, Any]:
        """What a process is to do; long blocks are made fewer times. Now and then one looks at results too."""
        self._timed += 1
        block = (self.plan.seconds + self.plan.ready) * 2 * count
        rounds = max(1, min(self._options.rounds, round(_PROCESS_SECONDS * count / 3 / block)))
        longest = max(self.plan.seconds, self.plan.first_pass) + self.plan.ready
        return {
            "plan": [part.told() for part in self.plan.parts],
            "rounds": rounds,
            "mirrored": not self.plan.has_long_blocks,
            "check": self._timed % _CHECK_EVERY == 1,
            "patience": max(_LEAST_PATIENCE, _PATIENCE_SHARE * longest),
            "loading": max(_LEAST_LOADING, _LOADING_SHARE * self._loading),
        }

    def _timeout(self, count: int) -> float:
        block = self.plan.seconds + self.plan.ready
        expected = count * (self.plan.first_pass * 4 + block * 2 * (self._options.rounds + 1))
        loading = count * _LOADING_SHARE * self._loading
        return min(self._options.patience, _LEAST_TIMEOUT + _PATIENCE_SHARE * expected) + loading

    async def _run(
        self, name: str, worlds: Sequence[Contender | None], request: dict[str, Any], *, timeout: float
    ) -> Ran:
        target = self._course.target
        self.processes += 1
        ran = await self._watches.run(
            f"stopwatch:{name}",
            {
                "roots": list(self._course.project.roots),
                "module": target.module,
                "name": target.name,
                "calls": [{"arguments": call.arguments} for call in self._calls],
                "bench": self._course.bench,
                "rtol": self._course.rtol,
                "dict_order": self._course.dict_order,
                "worlds": [_edits(one) for one in worlds],
                "alike": self._alike,
                "seed": self._random.getrandbits(60),
                "core": self._core(),
                **request,
            },
            self._pool,
            limits=self._options.limits,
            timeout=timeout,
        )
        self.seconds += ran.seconds
        self._busy += ran.load * ran.seconds
        return ran

    def _core(self) -> int | None:
        """What waits, or works in several threads, is not to be held on one core."""
        return self._random.getrandbits(16) if self.clock is Clock.CPU else None

    async def _read(self, ran: Ran, worlds: Sequence[Contender | None], names: Sequence[str]) -> Lap:
        """The lap that a process ran, unless it did not come to its end."""
        report, fault = _answer(ran)
        try:
            if fault is None:
                return lap(report, self.plan, names)
        except BadReport as problem:
            fault = Fault(kind=FaultKind.ENDED, text=str(problem), ending=Ending.BAD_RESULT)
        assert fault is not None
        guilty = worlds[report["fault"]["world"] % len(worlds)] if fault.ending is None else None
        if guilty is not None:
            self.faults[guilty.name] = fault
        else:
            await self._find_culprits([one for one in worlds if one is not None], fault)
        raise Left

    async def _find_culprits(self, contenders: Sequence[Contender], fault: Fault) -> None:
        """Try each alone beside the baseline. Raises CannotMeasure where it happens again and again, and nobody is
        to blame."""
        self._unexplained += 1
        before = len(self.faults)
        if _answer(await self._run("run", [None, None], self._timing(2), timeout=self._timeout(2)))[1] is not None:
            raise CannotMeasure(f"the baseline cannot be timed: {fault.text}")
        for contender in contenders:
            request = {**self._timing(2), "check": True}
            ran = await self._run("run", [None, contender], request, timeout=self._timeout(2))
            report, found = _answer(ran)
            if found is not None and (found.ending is not None or report["fault"]["world"] == 1):
                self.faults[contender.name] = found
        if len(self.faults) > before:
            self._unexplained = 0
        elif self._unexplained >= _MOST_UNEXPLAINED:
            if len(contenders) != 1:
                raise CannotMeasure(f"processes that time do not come to their end: {fault.text}")
            self.faults[contenders[0].name] = fault

    # -- one candidate in each process ----------------------------------------------------------------------------

    async def _apart(self, contenders: Sequence[Contender]) -> Lap:
        """A lap where a process can hold one of them only: all in random order, then in its reverse."""
        found: dict[str, list[Lap]] = {}
        order = self._shuffled(contenders)
        for name, contender in [*order, *reversed(order)]:
            ran = await self._run("run", [contender], self._timing(1), timeout=self._timeout(1))
            _, fault = _answer(ran)
            self._blame(contender, fault)
            found.setdefault(name, []).append(await self._read(ran, [contender], [BASELINE]))
        return merged(found)

    async def _peaks(self, contenders: Sequence[Contender]) -> Lap:
        """A lap of memory: what a pass takes at its most, each in a process of its own."""
        found: dict[str, Times] = {}
        for name, contender in self._shuffled(contenders):
            ran = await self._run("peak", [contender], self._timing(1), timeout=self._timeout(1))
            report, fault = _answer(ran)
            self._blame(contender, fault)
            # One page more for all, so that nothing is infinitely better than a few bytes.
            size = float(int(report["peak"]) + 4096)
            found[name] = Times(size, size)
        return Lap(rounds=(found,), cold=found, shapes={}, blocks=len(found))

    def _shuffled(self, contenders: Sequence[Contender]) -> list[tuple[str, Contender | None]]:
        every = [(BASELINE, None), (PLACEBO, None), *((one.name, one) for one in contenders)]
        return self._random.sample(every, len(every))

    def _blame(self, contender: Contender | None, fault: Fault | None) -> None:
        """In a process of its own, whatever happens is its own fault."""
        if fault is None:
            return
        if contender is None:
            self._unexplained += 1
            if self._unexplained >= _MOST_UNEXPLAINED:
                raise CannotMeasure(f"the baseline cannot be timed: {fault.text}")
        else:
            self.faults[contender.name] = fault
        raise Left


def _edits(contender: Contender | None) -> dict[str, bytes | None]:
    return {} if contender is None else contender.change.contents


def _answer(ran: Ran) -> tuple[dict[str, Any], Fault | None]:
    """What a process reports, and its fault where there is one. Raises CannotMeasure for one that we lost ourselves."""
    outcome = ran.outcome
    if outcome.ending in (Ending.LOST, Ending.CANCELLED):
        raise CannotMeasure(f"a process that timed was lost: {outcome.detail}")
    if outcome.ending is not Ending.OK:
        return {}, Fault(kind=FaultKind.ENDED, text=outcome.describe(), ending=outcome.ending)
    match outcome.value:
        case {"fault": None}:
            return outcome.value, None
        case {"fault": {"world": int(), "kind": str(kind), "text": str(text)}} if kind in set(FaultKind):
            return outcome.value, Fault(kind=FaultKind(kind), text=text)
    text = "the report of a process cannot be read"
    return {}, Fault(kind=FaultKind.ENDED, text=text, ending=Ending.BAD_RESULT)
