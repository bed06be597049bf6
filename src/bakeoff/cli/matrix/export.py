"""`bakeoff matrix export RUN`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter
from rich.text import Text

from bakeoff.cli.output import Shared
from bakeoff.cli.waiting import finished
from bakeoff.errors import OutputFailed, UsageError
from bakeoff.events import Run
from bakeoff.jobs.records import find_matrix, find_store
from bakeoff.report.foreign import visible
from bakeoff.report.matrix.exports import FORMATS, cell_document
from bakeoff.report.matrix.exports import export as exported
from bakeoff.report.matrix.readings import Table

_SHARED = Shared()
_Format = Literal["csv", "jsonl", "parquet"]


def export(
    run: str,
    /,
    *,
    format: _Format | None = None,  # noqa: A002 (as the flag is called)
    output: Annotated[Path | None, Parameter(name=["--output", "-o"])] = None,
    answers: Annotated[bool, Parameter(negative="", show_default=False)] = False,
    shared: Shared = _SHARED,
) -> None:
    """Write the cells of a matrix as CSV, JSON lines or Parquet.

    Parameters
    ----------
    run
        The run's id, or the first letters of it; or the matrix's file, for its latest run.
    format
        jsonl: a document for each cell. csv and parquet: the same as a table. Default: as the file is called, or jsonl.
    output
        The file. Default: stdout.
    answers
        What was answered, too.
    """
    store = finished(find_store, Path.cwd(), shared.begin().options.store)
    state = Run.of(store.events(find_matrix(store, run)))
    Table.of(state)
    text = store.text if answers else None
    kind = format or _named(output)
    if kind == "parquet" and output is None and (sys.stdout is None or sys.stdout.isatty()):
        raise UsageError("Parquet is nothing for a terminal", hint="name a file with -o")
    data = exported(state, kind, text=text)
    if output is not None:
        try:
            output.write_bytes(data)
        except OSError as error:
            raise OutputFailed(f"{output}: {error.strerror}") from error
        shared.say(f"{len(state.matrix.current):,} cells: {output}")
        if not shared.json:
            return
    document = {"run": state.id, "cells": [cell_document(one, text=text) for one in state.matrix.current]}
    shared.show(document, Text(visible(data.decode(errors="replace").rstrip("\n"))), exact=data)


def _named(output: Path | None) -> str:
    suffix = "" if output is None else output.suffix.removeprefix(".").lower()
    return suffix if suffix in FORMATS else "jsonl"
