"""Laps of whole commands, in any language, or of other calls: each has a slot with its candidate in place, made afresh.

What counts is how long a run takes; or, where it prints lines like

    {"metric": "requests", "value": 1830.5, "better": "higher"}

the first of them, and the others are reported beside it.
"""

from __future__ import annotations

import json
import math
import random
from typing import TYPE_CHECKING, Any

from bakeoff.candidates import Change
from bakeoff.errors import CannotMeasure
from bakeoff.measure.laps import BASELINE, PLACEBO, Lap, Left, Times
from bakeoff.measure.values import Clock, Fault, FaultKind
from bakeoff.workers import Ending

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from bakeoff.measure.stopwatches import Ran, Stopwatches
    from bakeoff.measure.values import Contender, MeasureOptions
    from bakeoff.workers.calls import Call, CallOutcome
    from bakeoff.workspaces import Slot, WorktreePool

__all__ = ["CommandTrack", "metrics_of"]

_TIME = "time"
_MOST_FAILURES = 3


class CommandTrack:
    """Runs a command with each candidate in turn, in random order, and in its reverse the next time. See `Track`."""

    def __init__(
        self,
        watches: Stopwatches,
        pool: WorktreePool,
        call: Callable[[Slot], Call],
        options: MeasureOptions,
        *,
        name: str,
    ) -> None:
        self._watches = watches
        self._pool = pool
        self._call = call
        self._name = name
        self._options = options
        self._random = random.Random(options.seed)  # noqa: S311 (chance, not secrets)
        self._last: list[str] = []
        self._metrics: list[str] = []
        self._busy = 0.0
        self._failures = 0
        self.clock: Clock = Clock.WALL if options.clock is Clock.AUTO else options.clock
        self.alternating: str | None = "whole commands are timed"
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
        """A command is its whole workload."""
        return 1.0

    async def look(self) -> None:
        """Run it once on the baseline, to see what it prints; that run is not counted."""
        outcome = (await self._run(None)).outcome
        if outcome.ending is not Ending.OK:
            raise CannotMeasure(
                f"the command fails on the baseline: {outcome.describe()}",
                where=self._name,
                hint="it has to end with status 0 where nothing is changed",
            )
        self._metrics = list(metrics_of(str(outcome.stdout)))
        self.seconds = self._busy = 0.0

    async def lap(self, contenders: Sequence[Contender]) -> Lap:
        """One run of each."""
        by_name: dict[str, Contender | None] = {BASELINE: None, PLACEBO: None, **{one.name: one for one in contenders}}
        order = [name for name in reversed(self._last) if name in by_name]
        self._last = []
        if not order:
            order = self._last = self._random.sample(list(by_name), len(by_name))
        found: dict[str, dict[str, Times]] = {}
        for name in order:
            found[name] = self._read((await self._run(by_name[name])).outcome, by_name[name])
        shapes = {metric: {name: times[metric] for name, times in found.items()} for metric in [*self._metrics, _TIME]}
        first = shapes[self._metrics[0] if self._metrics else _TIME]
        return Lap(rounds=(first,), cold=first, shapes=shapes, blocks=len(order))

    async def _run(self, contender: Contender | None) -> Ran:
        change = contender.change if contender is not None else Change()
        ran = await self._watches.call(self._call, self._pool, change=change)
        self.processes += 1
        self.seconds += ran.seconds
        self._busy += ran.load * ran.seconds
        return ran

    def _read(self, outcome: CallOutcome, contender: Contender | None) -> dict[str, Times]:
        """What one run says of each metric. In a run of its own, whatever happens is its own fault."""
        fault = None
        if outcome.ending in (Ending.LOST, Ending.CANCELLED):
            raise CannotMeasure(f"a process that timed was lost: {outcome.detail}")
        values = metrics_of(str(outcome.stdout))
        missing = [metric for metric in self._metrics if metric not in values]
        if outcome.ending is not Ending.OK:
            fault = Fault(kind=FaultKind.ENDED, text=outcome.describe(), ending=outcome.ending)
        elif missing:
            fault = Fault(kind=FaultKind.DIFFERENT_RESULT, text=f"it does not print the metric {missing[0]!r}")
        if fault is not None:
            self._blame(contender, fault)
        assert outcome.metrics is not None
        taken = Times(outcome.metrics.user + outcome.metrics.system, outcome.metrics.wall)
        return {**{metric: Times(value, value) for metric, value in values.items()}, _TIME: taken}

    def _blame(self, contender: Contender | None, fault: Fault) -> None:
        if contender is not None:
            self.faults[contender.name] = fault
            raise Left
        self._failures += 1
        if self._failures >= _MOST_FAILURES:
            raise CannotMeasure(f"the command fails on the baseline again and again: {fault.text}")
        raise Left


def metrics_of(output: str) -> Mapping[str, float]:
    """The metrics that a command prints, in their order, so that less is better; what is no metric is passed over."""
    found: dict[str, float] = {}
    for line in output.splitlines():
        if line.lstrip().startswith("{"):
            try:
                said: Any = json.loads(line)
            except (ValueError, RecursionError):
                continue
            match said:
                case {"metric": str(name), "value": int() | float() as value, "better": "lower" | "higher" as better}:
                    if math.isfinite(value) and value > 0 and not isinstance(value, bool):
                        found[name] = float(value) if better == "lower" else 1 / value
    return found
