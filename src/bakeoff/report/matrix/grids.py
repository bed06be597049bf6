"""What the cells of a matrix come to, by any two of its axes: averages that are honest about what has failed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bakeoff.events import CellStatus
from bakeoff.report.matrix.readings import FAILED, METRIC
from bakeoff.report.matrix.statistics import Estimate, estimate, worst

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from bakeoff.events import Better
    from bakeoff.report.matrix.readings import Reading, Table
    from bakeoff.report.matrix.statistics import Scale

__all__ = ["Grid", "Summary", "by_task", "grid", "summarize"]

_MOST_SCORES = 5
_KEY = (FAILED, "duration_ms", "cost")


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """Some cells by one metric. `answered` is the estimate by those that have a number: the survivors. `intended` is
    that by all that were run, where what has no score counts as the worst: 0, or 1 where lower is better; None where
    that would say nothing, since the metric is not one of scorers, or not between 0 and 1.

    `done` and `failed` are cells, `missing` those that were never run, or not to an end; `unscored` are done, and have
    no number all the same.
    """

    metric: str
    scale: Scale
    better: Better
    answered: Estimate | None
    intended: Estimate | None
    done: int
    failed: int
    missing: int
    unscored: int

    @property
    def is_thinned(self) -> bool:
        """Whether survivors are fewer than all that were run."""
        return self.intended is not None and bool(self.failed or self.unscored)


@dataclass(frozen=True, slots=True, kw_only=True)
class Grid:
    """Summaries by a row and a column; `columns` is None where there is one axis only, and `metric` where the columns
    are metrics."""

    rows: str
    columns: str | None
    metric: str | None
    row_points: tuple[str, ...]
    column_points: tuple[str, ...]
    summaries: dict[tuple[str, str], Summary]


def summarize(table: Table, readings: Iterable[Reading], metric: str) -> Summary:
    """What these cells come to."""
    chosen = list(readings)
    scale, better = table.scales[metric], table.better[metric]
    run = [one for one in chosen if one.has_run]
    failed = sum(one.status is CellStatus.FAILED for one in run)
    is_scored = metric in table.scored
    unscored = sum(one.status is CellStatus.DONE and one.value(metric) is None for one in run) if is_scored else 0
    return Summary(
        metric=metric,
        scale=scale,
        better=better,
        answered=estimate(by_task(run, lambda one: one.value(metric)), scale, least=None if is_scored else 0.0),
        intended=estimate(by_task(run, lambda one: one.value_or(metric, worst(better))), scale)
        if is_scored and scale.is_bounded
        else None,
        done=len(run) - failed,
        failed=failed,
        missing=len(chosen) - len(run),
        unscored=unscored,
    )


def by_task(readings: Iterable[Reading], value: Callable[[Reading], float | None]) -> dict[str, list[float]]:
    """The numbers that there are, by task."""
    groups: dict[str, list[float]] = {}
    for one in readings:
        found = value(one)
        if found is not None:
            groups.setdefault(one.task, []).append(found)
    return groups


def grid(table: Table, *, rows: str | None = None, columns: str | None = None, metric: str | None = None) -> Grid:
    """By these axes; those that are not named are the ones along which something varies. Where there is only one of
    them, the metrics are the other: as rows or as columns, so that columns are few.

    Raises UsageError for an axis or a metric that there is not.
    """
    chosen = table.main if metric is None else table.metric(metric)
    free = [axis for axis in [*table.varied, *table.axes] if axis not in {rows, columns}]
    if rows is None and columns is None and metric is None and len(table.varied) < 2:
        rows, columns = free[0], METRIC
        if len(table.axis(rows)) < len(_points(table, METRIC)):
            rows, columns = columns, rows
    rows = free.pop(0) if rows is None else rows
    if columns is None:
        columns = next((axis for axis in table.varied if axis != rows), METRIC if metric is None else None)
    row_points = _points(table, rows)
    column_points = (chosen,) if columns is None else _points(table, columns)
    places: dict[tuple[str, str], list[Reading]] = {}
    for one in table.readings:
        for row in _places(one, table, rows, row_points):
            for column in _places(one, table, columns, column_points):
                places.setdefault((row, column), []).append(one)
    summaries = {
        (row, column): summarize(table, cells, _named(table, (rows, row), (columns, column)) or chosen)
        for (row, column), cells in places.items()
    }
    return Grid(
        rows=rows,
        columns=columns,
        metric=None if METRIC in {rows, columns} and METRIC not in table.axes else chosen,
        row_points=row_points,
        column_points=column_points,
        summaries=summaries,
    )


def _points(table: Table, axis: str) -> tuple[str, ...]:
    """The points of an axis; of all metrics, those that matter most."""
    points = table.axis(axis)
    if axis in table.axes:
        return points
    return tuple(dict.fromkeys([*table.scored[:_MOST_SCORES], *(one for one in _KEY if one in points)]))


def _places(one: Reading, table: Table, axis: str | None, points: Sequence[str]) -> Sequence[str]:
    """The points of an axis at which a cell lies: one, but for metrics, all of which it has."""
    return (one.coordinates[axis],) if axis in table.axes and axis is not None else points


def _named(table: Table, *places: tuple[str | None, str]) -> str | None:
    """The metric that a row or a column stands for."""
    found: Sequence[str] = [point for axis, point in places if axis == METRIC and METRIC not in table.axes]
    return found[0] if found else None
