"""Grids and comparisons of a matrix as documents for `--json`."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from bakeoff.events import CellStatus
from bakeoff.report.documents import spent_document
from bakeoff.report.matrix import telling
from bakeoff.report.matrix.statistics import CONFIDENCE

if TYPE_CHECKING:
    from bakeoff.events import Run
    from bakeoff.report.matrix.comparing import Changed, Compared, Comparison, Side
    from bakeoff.report.matrix.grids import Grid, Summary
    from bakeoff.report.matrix.readings import Table
    from bakeoff.report.matrix.statistics import Estimate

__all__ = ["cells_document", "comparison_document", "grid_document"]


def grid_document(run: Run, table: Table, grid: Grid) -> dict[str, Any]:
    """The document of `matrix show --json`."""
    return {
        **cells_document(run, table),
        "rows": {"axis": grid.rows, "points": grid.row_points},
        "columns": None if grid.columns is None else {"axis": grid.columns, "points": grid.column_points},
        "metric": grid.metric,
        "confidence": CONFIDENCE,
        "grid": [
            {"row": row, "column": None if grid.columns is None else column, **_summary(found)}
            for row in grid.row_points
            for column in grid.column_points
            if (found := grid.summaries.get((row, column))) is not None
        ],
    }


def cells_document(run: Run, table: Table) -> dict[str, Any]:
    """What every document of a matrix has: its axes, and how its cells stand."""
    found = Counter(one.status for one in table.readings)
    stopped = run.matrix.stopped
    return {
        "run": run.id,
        "state": run.state,
        "matrix": table.name,
        "axes": dict(table.axes),
        "metrics": list(table.metrics),
        "scored": list(table.scored),
        "better": dict(table.better),
        "cells": {
            "planned": len(table.readings),
            "done": found[CellStatus.DONE],
            "failed": found[CellStatus.FAILED],
            "missing": found[None],
            "former": len(run.matrix.former),
        },
        "failures": [
            {"kind": kind, "cells": count, "example": said} for kind, count, said in telling.failures(table.readings)
        ],
        "stopped": None if stopped is None else {"cause": stopped.cause, "reason": stopped.reason},
        "spent": spent_document(run),
    }


def comparison_document(found: Comparison) -> dict[str, Any]:
    """The document of `matrix compare --json`."""
    return {
        "metric": found.metric,
        "scale": found.scale,
        "better": found.better,
        "confidence": CONFIDENCE,
        "first": _side(found.first),
        "second": _side(found.second),
        "whole": _compared(found.whole),
        "places": [_compared(one) for one in found.places],
        "scored_otherwise": found.unlike,
        "only": {"first": found.only[0], "second": found.only[1]},
    }


def _summary(found: Summary) -> dict[str, Any]:
    return {
        "metric": found.metric,
        "scale": found.scale,
        "better": found.better,
        "done": found.done,
        "failed": found.failed,
        "missing": found.missing,
        "unscored": found.unscored,
        "answered": _estimate(found.answered),
        "intended": _estimate(found.intended),
    }


def _estimate(found: Estimate | None) -> dict[str, Any] | None:
    return None if found is None else asdict(found)


def _side(side: Side) -> dict[str, Any]:
    return {"run": side.table.run, "matrix": side.table.name, "points": dict(side.points)}


def _compared(found: Compared) -> dict[str, Any]:
    return {
        "place": dict(found.place),
        "tasks": found.tasks,
        "changed": len(found.higher) + len(found.lower),
        "higher": [_changed(one) for one in found.higher],
        "lower": [_changed(one) for one in found.lower],
        "same": found.same,
        "without_a_pair": found.alone,
        "first": found.before,
        "second": found.after,
        "change": _estimate(found.change),
        "intended": _estimate(found.intended),
    }


def _changed(one: Changed) -> dict[str, Any]:
    return {"task": one.task, "first": one.before, "second": one.after}
