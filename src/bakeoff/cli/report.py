"""`bakeoff report RUN -o FILE`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from bakeoff.cli.output import Shared
from bakeoff.cli.waiting import finished
from bakeoff.cli.writing import write_report
from bakeoff.events import Run
from bakeoff.jobs.records import find_store

_SHARED = Shared()


def report(
    *run: str,
    output: Annotated[Path, Parameter(name=["--output", "-o"])],
    shared: Shared = _SHARED,
) -> None:
    """Write an HTML report of runs, one self-contained file.

    Parameters
    ----------
    run
        The runs' ids, or the first letters of them.
    output
        The file.
    """
    store = finished(find_store, Path.cwd(), shared.begin().options.store)
    write_report(output, [Run.of(store.events(store.resolve(one))) for one in run], store, shared)
