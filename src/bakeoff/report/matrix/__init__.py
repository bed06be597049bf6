"""Matrices as they are read: any two axes, comparisons by task, rows for other programs. See docs/matrix.md."""

from bakeoff.report.matrix.comparing import Comparison, Side, compare
from bakeoff.report.matrix.exports import cell_document, export
from bakeoff.report.matrix.grids import Grid, Summary, grid
from bakeoff.report.matrix.readings import Table
from bakeoff.report.matrix.statistics import Estimate

__all__ = [
    "Comparison",
    "Estimate",
    "Grid",
    "Side",
    "Summary",
    "Table",
    "cell_document",
    "compare",
    "export",
    "grid",
]
