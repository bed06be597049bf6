"""Two sides of a matrix, or of two, compared task by task.

Cells of both sides are pairs where all their other coordinates are the same, whatever the repeat. For each of these
places, and for all of them together, the tasks are counted that changed, and the difference gets its interval.
"""

from __future__ import annotations

import statistics
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from bakeoff.errors import UsageError
from bakeoff.events import CellStatus
from bakeoff.report.matrix.readings import REPEAT, TASK
from bakeoff.report.matrix.statistics import Estimate, Scale, paired, scale_of, worst

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from bakeoff.events import Better
    from bakeoff.report.matrix.readings import Reading, Table

__all__ = ["Compared", "Comparison", "Side", "compare"]

_EQUAL = 1e-12


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """Cells that are compared: all of a matrix, or those at some points of it."""

    table: Table
    points: Mapping[str, str] = field(default_factory=dict)

    @property
    def name(self) -> str:
        said = ", ".join(f"{axis}={point}" for axis, point in self.points.items())
        return said or f"{self.table.name} ({self.table.run})"

    @property
    def readings(self) -> list[Reading]:
        return [
            one
            for one in self.table.readings
            if all(one.coordinates[axis] == point for axis, point in self.points.items())
        ]


@dataclass(frozen=True, slots=True, kw_only=True)
class Changed:
    """A task with its numbers on both sides."""

    task: str
    before: float
    after: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """The second side beside the first, by the tasks that have a number on both. `change` is a difference, or a ratio
    of times; None where no task has one. `intended` is the same with failures as the worst, where that says something.
    `alone` counts the tasks that have a number on one side only, or on neither."""

    place: Mapping[str, str]
    change: Estimate | None
    intended: Estimate | None
    before: float | None
    after: float | None
    higher: tuple[Changed, ...]
    lower: tuple[Changed, ...]
    same: int
    alone: int

    @property
    def tasks(self) -> int:
        """How many were compared."""
        return len(self.higher) + len(self.lower) + self.same


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """Two sides by one metric: all together, and at each place where they meet. `unlike` counts the cells that have
    been scored in another way on the other side, `only` those that have no counterpart, on either side."""

    metric: str
    scale: Scale
    better: Better
    first: Side
    second: Side
    whole: Compared
    places: tuple[Compared, ...]
    unlike: int
    only: tuple[int, int]


_Place = tuple[tuple[str, str], ...]
_Cells = dict[_Place, list["Reading"]]


def compare(first: Side, second: Side, metric: str | None = None) -> Comparison:
    """The second side beside the first one.

    Raises UsageError where they have no place in common, or no such metric.
    """
    chosen = _metric(first, second, metric)
    axes = [axis for axis in first.table.axes if axis in second.table.axes and axis != REPEAT]
    axes = [axis for axis in axes if axis not in first.points and axis not in second.points]
    ones, others = _cells(first.readings, axes), _cells(second.readings, axes)
    shared = [place for place in ones if place in others]
    if not shared:
        raise UsageError(
            f"{first.name} and {second.name} have no cell in common",
            hint="cells are compared where task and all other coordinates have the same names",
        )
    values = [one.value(chosen) for side in (first, second) for one in side.table.readings]
    is_time = Scale.TIME in {first.table.scales[chosen], second.table.scales[chosen]}
    scale = scale_of([value for value in values if value is not None], is_time=is_time)
    better = second.table.better[chosen]
    is_scored = chosen in first.table.scored and chosen in second.table.scored
    parts: dict[_Place, list[_Place]] = {}
    for place in shared:
        parts.setdefault(tuple(one for one in place if one[0] != TASK), []).append(place)
    pairs = _Pairs(ones=ones, others=others, metric=chosen, scale=scale, better=better, is_scored=is_scored)
    return Comparison(
        metric=chosen,
        scale=scale,
        better=better,
        first=first,
        second=second,
        whole=pairs.compared({}, shared),
        places=tuple(pairs.compared(dict(part), places) for part, places in parts.items()) if len(parts) > 1 else (),
        unlike=sum(_scorings(ones[place]) != _scorings(others[place]) for place in shared) if is_scored else 0,
        only=(len(ones) - len(shared), len(others) - len(shared)),
    )


def _metric(first: Side, second: Side, metric: str | None) -> str:
    if metric is None:
        both = [name for name in first.table.metrics if name in second.table.metrics]
        return both[0]
    return second.table.metric(first.table.metric(metric))


def _cells(readings: Sequence[Reading], axes: Sequence[str]) -> _Cells:
    cells: _Cells = {}
    for one in readings:
        cells.setdefault(tuple((axis, one.coordinates[axis]) for axis in axes), []).append(one)
    return cells


def _scorings(cells: Sequence[Reading]) -> set[str]:
    return {one.scoring for one in cells if one.status is CellStatus.DONE}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Pairs:
    """The cells of both sides by their places, and what is compared of them."""

    ones: _Cells
    others: _Cells
    metric: str
    scale: Scale
    better: Better
    is_scored: bool

    def compared(self, place: Mapping[str, str], places: Sequence[_Place]) -> Compared:
        before, after, repeats = self._by_task(places, self._survivor)
        tasks = sorted(before)
        changes = [Changed(task=task, before=before[task], after=after[task]) for task in tasks]
        intended = None
        if self.is_scored and self.scale.is_bounded:
            intended = self._estimate(*self._by_task(places, self._all))
        all_tasks = {dict(one).get(TASK, "") for one in places}
        return Compared(
            place=place,
            change=self._estimate(before, after, repeats),
            intended=intended,
            before=self._mean(before),
            after=self._mean(after),
            higher=tuple(one for one in changes if one.after > one.before + _EQUAL),
            lower=tuple(one for one in changes if one.after < one.before - _EQUAL),
            same=sum(abs(one.after - one.before) <= _EQUAL for one in changes),
            alone=len(all_tasks) - len(tasks),
        )

    def _estimate(self, before: Mapping[str, float], after: Mapping[str, float], repeats: float) -> Estimate | None:
        return paired(before, after, self.scale, repeats=repeats) if before else None

    def _mean(self, values: Mapping[str, float]) -> float | None:
        if not values:
            return None
        mean = statistics.geometric_mean if self.scale is Scale.TIME else statistics.fmean
        return mean(sorted(values.values()))

    def _survivor(self, one: Reading) -> float | None:
        return one.value(self.metric)

    def _all(self, one: Reading) -> float | None:
        return one.value_or(self.metric, worst(self.better)) if one.has_run else None

    def _by_task(
        self, places: Sequence[_Place], value: Callable[[Reading], float | None]
    ) -> tuple[dict[str, float], dict[str, float], float]:
        """The mean of each task on both sides, taken of the places that have numbers on both; and of how many answers
        a task's mean is made on average, on the side that has fewer."""
        found: dict[str, list[tuple[float, float, int]]] = {}
        for place in places:
            sides = [[value(one) for one in side[place]] for side in (self.ones, self.others)]
            ones, others = ([number for number in side if number is not None] for side in sides)
            if ones and others:
                answers = min(len(ones), len(others))
                pair = (statistics.fmean(sorted(ones)), statistics.fmean(sorted(others)), answers)
                found.setdefault(dict(place).get(TASK, ""), []).append(pair)
        before = {task: statistics.fmean(sorted(one for one, _, _ in pairs)) for task, pairs in found.items()}
        after = {task: statistics.fmean(sorted(other for _, other, _ in pairs)) for task, pairs in found.items()}
        many = [sum(answers for _, _, answers in pairs) for pairs in found.values()]
        return before, after, statistics.fmean(many) if many else 1.0
