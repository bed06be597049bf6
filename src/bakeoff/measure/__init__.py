"""Is it really faster? Candidates and baseline timed together in many short processes, until an interval says so.

    async with Stopwatches.of(preload=baseline.imports) as watches, gate.measuring():
        result = await measure(watches, pool, course=course, contenders=verified, options=MeasureOptions())

The face is `measure` for calls of a target (or a user's own benchmarks), `measure_commands` for whole commands,
`profile` for where the time goes, and `Gate`, which keeps everything else still meanwhile.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bakeoff.events import Profile, ProfiledFunction, ProfiledLine
from bakeoff.measure.commands import CommandTrack
from bakeoff.measure.exclusive import Gate
from bakeoff.measure.processes import CallTrack
from bakeoff.measure.profiles import profile
from bakeoff.measure.race import race
from bakeoff.measure.stopwatches import Stopwatches
from bakeoff.measure.values import (
    Clock,
    Contender,
    Course,
    Fault,
    FaultKind,
    Measurement,
    MeasureOptions,
    Objective,
    RaceResult,
    ShapeSpeedup,
)
from bakeoff.workers import CommandCall

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from bakeoff.workers.calls import Call
    from bakeoff.workspaces import Slot, WorktreePool

__all__ = [
    "Clock",
    "Contender",
    "Course",
    "Fault",
    "FaultKind",
    "Gate",
    "MeasureOptions",
    "Measurement",
    "Objective",
    "Profile",
    "ProfiledFunction",
    "ProfiledLine",
    "RaceResult",
    "ShapeSpeedup",
    "Stopwatches",
    "measure",
    "measure_calls",
    "measure_commands",
    "profile",
]


async def measure(
    watches: Stopwatches,
    pool: WorktreePool,
    *,
    course: Course,
    contenders: Sequence[Contender],
    options: MeasureOptions,
) -> RaceResult:
    """Measure these candidates on calls of the target. To be called while nothing else of the run works (see `Gate`).

    What a candidate does is part of the result; raises CannotMeasure where the baseline itself cannot be timed.
    """
    track = CallTrack(watches, pool, course, options)
    await track.look(contenders)
    return await race(track, contenders, options)


async def measure_commands(
    watches: Stopwatches,
    pool: WorktreePool,
    *,
    command: Sequence[str],
    contenders: Sequence[Contender],
    options: MeasureOptions,
) -> RaceResult:
    """Measure these candidates by a whole command, run where each of them is in place; otherwise like `measure`."""

    def call(slot: Slot) -> Call:
        return CommandCall(
            argv=tuple(command),
            directory=slot.directory,
            enter=slot.enter,
            limits=options.limits,
            timeout=options.patience,
        )

    return await measure_calls(watches, pool, call, contenders=contenders, options=options, name=" ".join(command))


async def measure_calls(
    watches: Stopwatches,
    pool: WorktreePool,
    call: Callable[[Slot], Call],
    *,
    contenders: Sequence[Contender],
    options: MeasureOptions,
    name: str,
) -> RaceResult:
    """Measure these candidates by any call, made where each of them is in place; `name` is what it is called."""
    track = CommandTrack(watches, pool, call, options, name=name)
    await track.look()
    return await race(track, contenders, options)
