"""What is asked of a race, and what comes of it."""

from __future__ import annotations

import enum
import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from bakeoff.choices import Objective
from bakeoff.errors import UsageError
from bakeoff.workers import CallLimits

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from bakeoff.candidates import Change
    from bakeoff.events import Decision, Speedup
    from bakeoff.targets import Project, RecordedCall, Target
    from bakeoff.workers import Ending

__all__ = [
    "Clock",
    "Contender",
    "Course",
    "Fault",
    "FaultKind",
    "MeasureOptions",
    "Measurement",
    "Objective",
    "RaceResult",
    "ShapeSpeedup",
]


class Clock(enum.StrEnum):
    """Which time decides. `AUTO` is CPU time, but wall time where the baseline waits, or works in several threads or
    processes. Where memory is measured, no clock does."""

    AUTO = "auto"
    CPU = "cpu"
    WALL = "wall"
    MEMORY = "memory"


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasureOptions:
    """How a race is run.

    `budget` is seconds for one candidate with its baseline; several that have to be told apart first get half as much
    each for that. A race that takes longer than `longest` ends undecided. `margin` and `min_speedup` are parts of one:
    0.01 means that less than 1.01 is not called faster. `confidence` is that of all that is said of a candidate.
    `block` is about how long one block of calls takes, `most` bounds the number of processes. Nothing is random but by
    `seed`.
    """

    budget: float = 3.0
    longest: float = math.inf
    margin: float = 0.01
    min_speedup: float = 0.0
    confidence: float = 0.95
    objective: Objective = Objective.TIME
    clock: Clock = Clock.AUTO
    least: int = 6
    most: int = 400
    block: float = 0.0025
    rounds: int = 4
    patience: float = 60.0
    limits: CallLimits = field(default_factory=CallLimits)
    seed: int = 0

    def __post_init__(self) -> None:
        """What no race can be run by is refused."""
        if not (self.budget > 0 and self.longest > 0 and self.block > 0 and self.patience > 0 and self.rounds > 0):
            raise UsageError("the time to measure for has to be positive", hint="see --budget")
        if not 0.5 <= self.confidence < 1:
            raise UsageError(
                f"a confidence of {self.confidence} cannot be used", hint="give one from 0.5 to just below 1, like 0.95"
            )
        if self.margin < 0 or self.min_speedup < 0:
            raise UsageError("a margin cannot be negative", hint="give it as a part of one: 0.01 is one percent")
        if not 1 <= self.least <= self.most:
            raise UsageError(f"{self.least} to {self.most} processes cannot be run", hint="give a smaller number first")


@dataclass(frozen=True, slots=True, kw_only=True)
class Course:
    """What every contender runs: recorded calls of the target with their weights, or the user's own benchmarks (a
    `bench_*.py`, by its path in the repository). Results are compared by `rtol` and `dict_order`, as they were when the
    candidates were verified."""

    target: Target
    project: Project
    calls: Sequence[RecordedCall] = ()
    bench: str | None = None
    rtol: float = 0.0
    dict_order: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Contender:
    """A verified candidate in a race. One that was found to keep results between calls is judged by its first pass. Of
    several that can hardly be told apart, the one of the least `size` wins: who reads it is thankful."""

    name: str
    change: Change
    keeps_results: bool = False
    size: int = 0


class FaultKind(enum.StrEnum):
    """Why a candidate cannot be timed."""

    DID_NOT_LOAD = "did-not-load"
    RAISED = "raised"
    DIFFERENT_RESULT = "different-result"
    TOO_LONG = "too-long"
    TASKS = "tasks"  # it leaves threads or processes running
    CLOCK = "clock"  # it replaced one
    ENDED = "ended"  # its process did not come to its end: see `ending`


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """Why a candidate left a race; `ending` says how its process ended where that is the reason."""

    kind: FaultKind
    text: str
    ending: Ending | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ShapeSpeedup:
    """The speedup on the recorded calls of one shape."""

    shape: str
    speedup: Speedup
    is_slower: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Measurement:
    """What is said of one candidate.

    `speedup` is what decided: the interval of processes that were not used to choose it, where it was chosen
    (`is_confirmed`). `warm` is that of calls made again and again, `cold` of the first pass. If `is_undecided`, the
    time was over before there was enough to tell by, and the interval is less than one. With a `fault` there may be no
    numbers at all.
    """

    name: str
    decision: Decision
    speedup: Speedup | None = None
    warm: Speedup | None = None
    cold: Speedup | None = None
    confidence: float = 0.0
    processes: int = 0
    blocks: int = 0
    is_confirmed: bool = False
    is_undecided: bool = False
    remembers: bool = False
    shapes: tuple[ShapeSpeedup, ...] = ()
    fault: Fault | None = None

    @property
    def mixed(self) -> tuple[str, ...]:
        """The shapes of input on which it is slower by more than 5 %."""
        return tuple(shape.shape for shape in self.shapes if shape.is_slower)


@dataclass(frozen=True, slots=True, kw_only=True)
class RaceResult:
    """How a race ended. `winner` is the name of a candidate that is faster.

    `noisy` says that a copy of the baseline came out different from it: then nothing else is believed either. `load` is
    how many cores others kept busy meanwhile, `covered` which part of the recorded calls' time was timed, `alternating`
    why each process held one candidate only.
    """

    measurements: Mapping[str, Measurement]
    winner: str | None
    placebo: Speedup | None
    noisy: bool
    clock: Clock
    load: float
    covered: float
    seconds: float
    processes: int
    alternating: str | None = None
    core: int | None = None
