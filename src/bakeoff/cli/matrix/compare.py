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
from bakeoff.report.matrix.tables import comparison_table, comparisons_table

if TYPE_CHECKING:
    from bakeoff.store import Store

_SHARED = Shared()
_HINT = "name two runs, or one run and points of it: RUN model=a model=b, or RUN model for all of an axis"


def compare(run: str, /, *other: str, metric: str | None = None, shared: Shared = _SHARED) -> None:
    """Compare two runs of a matrix, or points of an axis, task by task.

    Parameters
    ----------
    run
        A run's id, or the first letters of it; or a matrix's file, for its latest run.
    other
        Another run; or parts of the one run, each as AXIS=POINT, or several of these with commas between: all are
        compared with the first of them. The name of an axis stands for all of its points.
    metric
        What is compared. Default: the first scorer.
    """
    store = finished(find_store, Path.cwd(), shared.begin().options.store)
    first, *others = _sides(store, run, other)
    found = [compared(first, one, metric) for one in others]
    if len(found) == 1:
        shared.show(comparison_document(found[0]), comparison_table(found[0]))
    else:
        shared.show({"comparisons": [comparison_document(one) for one in found]}, comparisons_table(found))


def _sides(store: Store, run: str, other: tuple[str, ...]) -> list[Side]:
    table = _table(store, run)
    named = list(other)
    if len(named) == 1 and named[0] in table.axes:
        named = [f"{named[0]}={point}" for point in table.axis(named[0])]
    if len(named) == 1 and "=" not in named[0]:
        return [Side(table=table), Side(table=_table(store, named[0]))]
    if len(named) < 2 or not all("=" in one for one in named):
        raise UsageError(f"{' '.join([run, *other])}: two sides are compared, and that is one", hint=_HINT)
    return [Side(table=table, points=table.points(one)) for one in named]


def _table(store: Store, run: str) -> Table:
    return Table.of(Run.of(store.events(find_matrix(store, run))))
