"""`bakeoff show RUN`."""

from __future__ import annotations

from pathlib import Path

import anyio

from bakeoff.cli.output import Shared
from bakeoff.events import Run
from bakeoff.jobs.records import find_store
from bakeoff.report.tables import run_document, run_table

_SHARED = Shared()


def show(run: str, /, *, shared: Shared = _SHARED) -> None:
    """Show what a run did.

    Parameters
    ----------
    run
        The run's id, or the first letters of it.
    """
    store = anyio.run(find_store, Path.cwd(), shared.begin().options.store)
    name = store.resolve(run)
    state = Run.of(store.events(name))
    alive = any(summary.alive for summary in store.runs() if summary.id == name)
    shared.show(run_document(state, alive=alive), run_table(state, alive=alive))
