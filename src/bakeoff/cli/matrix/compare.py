"""`bakeoff matrix compare A B`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from bakeoff.cli.output import Shared
from bakeoff.cli.waiting import finished
from bakeoff.errors import UsageError
from bakeoff.events import Run
from bakeoff.jobs.records import find_matrix, find_store
from bakeoff.report.matrix.comparing import Side
from bakeoff.report.matrix.comparing import compare as compared
from bakeoff.report.matrix.documents import comparison_document
from bakeoff.report.matrix.readings import Table
from bakeoff.report.matrix.tables import comparison_table

if TYPE_CHECKING:
    from bakeoff.store import Store

_SHARED = Shared()
_HINT = "name two runs, or one run and two points of it: RUN model=a model=b"


def compare(run: str, /, *other: str, metric: str | None = None, shared: Shared = _SHARED) -> None:
    """Compare two runs of a matrix, or two points of an axis, task by task.

    Parameters
    ----------
    run
        A run's id, or the first letters of it; or a matrix's file, for its latest run.
    other
        Another run; or two parts of the one run, each as AXIS=POINT, or several of these with commas between.
    metric
        What is compared. Default: the first scorer.
    """
    store = finished(find_store, Path.cwd(), shared.begin().options.store)
    first, second = _sides(store, run, other)
    found = compared(first, second, metric)
    shared.show(comparison_document(found), comparison_table(found))


def _sides(store: Store, run: str, other: tuple[str, ...]) -> tuple[Side, Side]:
    table = _table(store, run)
    match [*other]:
        case [one] if "=" not in one:
            return Side(table=table), Side(table=_table(store, one))
        case [one, two] if "=" in one and "=" in two:
            return Side(table=table, points=_points(table, one)), Side(table=table, points=_points(table, two))
        case _:
            raise UsageError(f"{' '.join([run, *other])} are not two sides", hint=_HINT)


def _table(store: Store, run: str) -> Table:
    return Table.of(Run.of(store.events(find_matrix(store, run))))


def _points(table: Table, text: str) -> dict[str, str]:
    points = {}
    for part in text.split(","):
        axis, equals, point = part.partition("=")
        if not equals:
            raise UsageError(f"{part!r} is no point of an axis", hint=_HINT)
        points[axis] = table.point(axis, point)
    return points
