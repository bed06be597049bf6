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

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bakeoff.workspaces import WorktreePool

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
    track = CommandTrack(watches, pool, command, options)
    await track.look()
    return await race(track, contenders, options)
