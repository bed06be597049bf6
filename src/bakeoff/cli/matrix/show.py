"""`bakeoff matrix show RUN`."""

from __future__ import annotations

from pathlib import Path

from bakeoff.cli.output import Shared
from bakeoff.cli.waiting import finished
from bakeoff.cli.writing import write_report
from bakeoff.events import Run
from bakeoff.jobs.records import find_matrix, find_store
from bakeoff.report.matrix.documents import grid_document
from bakeoff.report.matrix.grids import grid
from bakeoff.report.matrix.readings import Table
from bakeoff.report.matrix.tables import grid_table

_SHARED = Shared()


def show(
    run: str,
    /,
    *,
    rows: str | None = None,
    columns: str | None = None,
    metric: str | None = None,
    report: Path | None = None,
    shared: Shared = _SHARED,
) -> None:
    """Show what the cells of a matrix came to, by any two of its axes.

    Parameters
    ----------
    run
        The run's id, or the first letters of it; or the matrix's file, for its latest run.
    rows
        The axis whose points are rows. Default: the first along which something varies.
    columns
        The axis whose points are columns; metric for all metrics side by side. Default: the next one.
    metric
        What is averaged: a scorer's name, or failed, duration_ms, cost, tokens_in, tokens_out, attempts, queue_ms,
        backoff_ms. Default: the first scorer.
    report
        Write an HTML report, too.
    """
    store = finished(find_store, Path.cwd(), shared.begin().options.store)
    state = Run.of(store.events(find_matrix(store, run)))
    table = Table.of(state)
    found = grid(table, rows=rows, columns=columns, metric=metric)
    shared.show(grid_document(state, table, found), grid_table(state, table, found))
    if report is not None:
        write_report(report, [state], store, shared)
