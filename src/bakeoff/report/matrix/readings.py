"""The cells of a matrix as they are read: where they lie, what came of them, and their numbers by metric.

Metrics are those that scorers gave, and what was measured of every cell. Nothing here looks at when a cell was run, or
beside which others.
"""

from __future__ import annotations

import difflib
import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from bakeoff.errors import UsageError
from bakeoff.events import Better, CellStatus
from bakeoff.report.matrix.statistics import Scale, scale_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from bakeoff.events import CellEnded, CellState, Run

__all__ = ["FAILED", "MEASURED", "METRIC", "REPEAT", "TASK", "Reading", "Table", "nearest"]

TASK: Final = "task"
REPEAT: Final = "repeat"
METRIC: Final = "metric"  # an axis in tables only: the metrics, side by side
FAILED: Final = "failed"
_TIMES: Final = ("duration_ms", "queue_ms", "backoff_ms")
MEASURED: Final = (FAILED, "duration_ms", "cost", "tokens_in", "tokens_out", "attempts", "queue_ms", "backoff_ms")
_SAMPLES: Final = "samples"  # how often a strategy of ours has asked


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """A cell. `coordinates` has the repeat, too; `status` is None where it is missing. `scores` is what scorers gave,
    `measured` all other numbers that are known of it."""

    cell: str
    coordinates: Mapping[str, str]
    status: CellStatus | None
    scores: Mapping[str, float]
    measured: Mapping[str, float]
    unscored: Mapping[str, str]
    scoring: str
    error: str | None
    kind: str | None

    @property
    def task(self) -> str:
        return self.coordinates.get(TASK, "")

    @property
    def has_run(self) -> bool:
        """Whether it came to an end that says something of it."""
        return self.status is not None

    def value(self, metric: str) -> float | None:
        """Its number; what a scorer gives under the name of something measured stands in its place."""
        return self.scores.get(metric, self.measured.get(metric))

    def value_or(self, metric: str, otherwise: float) -> float:
        """Its number, or what stands for one that there is not."""
        found = self.value(metric)
        return otherwise if found is None else found


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """All cells of the definition that was run last, with its axes and their points, and the metrics that they have.
    `scored` are those of scorers, which all cells were to have; strategies may say more of some. `better` says of each
    which numbers are the better ones. `planned` is how the definition has cells scored."""

    run: str
    name: str
    axes: Mapping[str, tuple[str, ...]]
    scored: tuple[str, ...]
    metrics: tuple[str, ...]
    readings: tuple[Reading, ...]
    scales: Mapping[str, Scale]
    better: Mapping[str, Better]
    planned: frozenset[str] = frozenset()

    @classmethod
    def of(cls, run: Run) -> Table:
        """Raises UsageError where the run is not one of a matrix."""
        matrix = run.matrix
        if matrix.began is None:
            command = run.start.command if run.start else "something else"
            raise UsageError(
                f"run {run.id} is no matrix: it is one of bakeoff {command}", hint="bakeoff runs lists what each run is"
            )
        readings = tuple(_reading(state) for state in matrix.current)
        scored, told = _named(run, readings)
        metrics = tuple(dict.fromkeys([*scored, *told, *MEASURED]))
        repeats = {REPEAT: tuple(str(number) for number in range(matrix.began.repeats))}
        return cls(
            run=run.id,
            name=matrix.began.name,
            axes={**matrix.began.axes, **({} if REPEAT in matrix.began.axes else repeats)},
            scored=tuple(scored),
            metrics=metrics,
            readings=readings,
            planned=frozenset(state.planned.scoring for state in matrix.current),
            scales={name: _scale(name, readings, is_given=name in {*scored, *told}) for name in metrics},
            better={name: _better(name, matrix.better, is_scored=name in scored) for name in metrics},
        )

    @property
    def main(self) -> str:
        """The metric that is shown where none is named."""
        return self.metrics[0]

    @property
    def varied(self) -> list[str]:
        """The axes along which something is compared: those with more than one point, but for tasks and repeats."""
        return [axis for axis, points in self.axes.items() if axis not in {TASK, REPEAT} and len(points) > 1]

    @property
    def scorings(self) -> Counter[str]:
        """How many of the cells that are done were scored in which way."""
        return Counter(one.scoring for one in self.readings if one.status is CellStatus.DONE)

    def axis(self, name: str) -> tuple[str, ...]:
        """The points of an axis. Raises UsageError for one that there is not."""
        if name == METRIC and METRIC not in self.axes:
            return self.metrics
        if name not in self.axes:
            raise UsageError(f"there is no axis {name!r} in run {self.run}", hint=nearest(name, [*self.axes, METRIC]))
        return self.axes[name]

    def metric(self, name: str) -> str:
        """The same name. Raises UsageError for a metric that there is not."""
        if name not in self.metrics:
            raise UsageError(f"there is no metric {name!r} in run {self.run}", hint=nearest(name, self.metrics))
        return name

    def point(self, axis: str, name: str) -> str:
        """The same name. Raises UsageError for a point that is not on this axis."""
        if name not in self.axis(axis):
            said = f"there is no {name!r} on axis {axis!r} of run {self.run}"
            raise UsageError(said, hint=nearest(name, self.axis(axis)))
        return name

    def points(self, text: str) -> dict[str, str]:
        """What `model=a,task=t1` names. A comma stands between two points only where an axis follows: names may have
        some, too. Raises UsageError for what there is not."""
        axes = "|".join(map(re.escape, self.axes))
        parts = (part.partition("=") for part in re.split(rf",(?=(?:{axes})=)", text))
        return {axis: self.point(axis, point) for axis, _, point in parts}

    def cell(self, text: str) -> str:
        """The key of the one cell at these points; of its repeats the first one, where none is named. Raises UsageError
        where there is none, or more than one."""
        points = self.points(text)
        found = [one for one in self.readings if all(one.coordinates[axis] == at for axis, at in points.items())]
        if REPEAT not in points and found:
            found = [one for one in found if one.coordinates[REPEAT] == found[0].coordinates[REPEAT]]
        if len(found) != 1:
            many = f"{len(found):,} cells are" if found else "no cell is"
            left = [axis for axis in self.axes if axis not in points and axis != REPEAT]
            hint = f"name its {' and its '.join(left)}, too" if found and left else "bakeoff matrix export lists them"
            raise UsageError(f"{many} at {text} in run {self.run}", hint=hint)
        return found[0].cell


def nearest(name: str, known: Sequence[str]) -> str:
    """`did you mean …?`, and what there is."""
    near = difflib.get_close_matches(name, known, n=1) or [one for one in known if one.casefold() == name.casefold()]
    said = f"did you mean {near[0]}? " if near else ""
    more = f" and {len(known) - 10} more" if len(known) > 10 else ""
    return f"{said}there is {', '.join(known[:10])}{more}" if known else "there is none"


def _reading(state: CellState) -> Reading:
    planned, status, ended = state.planned, state.status, state.ended
    scores = state.scores if status is CellStatus.DONE else None
    failed = ended if status is CellStatus.FAILED else None
    return Reading(
        cell=planned.cell,
        coordinates={REPEAT: str(planned.repeat), **planned.coordinates},
        status=status,
        scores={} if scores is None else scores.metrics,
        measured={} if ended is None or status is None else _measured(ended),
        unscored={} if scores is None else scores.unscored,
        scoring=planned.scoring if scores is None else scores.scoring,
        error=failed.error if failed is not None else None,
        kind=failed.kind if failed is not None else None,
    )


def _measured(ended: CellEnded) -> dict[str, float]:
    has_failed = ended.status is CellStatus.FAILED
    found = {
        FAILED: float(has_failed),
        "duration_ms": None if ended.is_cached or has_failed else ended.duration_ms,
        "cost": ended.cost,
        "tokens_in": ended.tokens_in,
        "tokens_out": ended.tokens_out,
        "attempts": ended.attempts,
        "queue_ms": ended.queue_ms,
        "backoff_ms": ended.backoff_ms,
    }
    return {name: float(value) for name, value in found.items() if value is not None}


def _named(run: Run, readings: Iterable[Reading]) -> tuple[list[str], list[str]]:
    """The metrics of scorers, in the order of these, each with those that stand behind its name; and what strategies
    said beside."""
    began = [one.scorers for one in (run.matrix.scoring, run.matrix.began) if one is not None]
    scores = {name for one in readings for name in one.scores}
    lost = {name for one in readings for name in one.unscored}
    scorers = dict.fromkeys([name for names in began for name in names] + sorted(lost))
    # A scorer that gives several numbers is no metric itself, nor one that was there before a scoring.
    several = {name.partition(".")[0] for name in scores if "." in name}
    given = sorted(scores | lost - several)
    scored = [name for scorer in scorers for name in given if name == scorer or name.startswith(f"{scorer}.")]
    return scored, [name for name in given if name not in scored]


def _scale(metric: str, readings: Iterable[Reading], *, is_given: bool) -> Scale:
    values = [value for one in readings if (value := one.value(metric)) is not None]
    if is_given:
        return scale_of(values)
    if metric in _TIMES:
        return scale_of(values, is_time=True)
    return Scale.YES_NO if metric == FAILED else Scale.AMOUNT


def _better(metric: str, said: Mapping[str, Better], *, is_scored: bool) -> Better:
    """As it was said of the metric, or of its scorer; else less is better of what is spent, and more of what others
    say."""
    usual = Better.LOWER if metric in {*MEASURED, _SAMPLES} and not is_scored else Better.HIGHER
    return said.get(metric) or said.get(metric.partition(".")[0]) or usual
