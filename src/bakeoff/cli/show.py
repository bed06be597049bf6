"""`bakeoff show RUN [NAME]`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from bakeoff.cli.output import Shared
from bakeoff.cli.waiting import finished
from bakeoff.errors import UsageError
from bakeoff.events import Run
from bakeoff.jobs.records import find_store, parts_of
from bakeoff.report.matrix.readings import Table
from bakeoff.report.standings import is_matrix
from bakeoff.report.sweeps import is_sweep, sweep_document, sweep_table
from bakeoff.report.tables import part_document, part_table, run_document, run_table

if TYPE_CHECKING:
    from bakeoff.report.tables import Part

_SHARED = Shared()


def show(run: str, name: str | None = None, /, *, shared: Shared = _SHARED) -> None:
    """Show what a run did.

    Parameters
    ----------
    run
        The run's id, or the first letters of it.
    name
        A candidate, a sample like 2.1, or a cell of a matrix like model=openai:gpt-5,task=t1, to be shown with all that
        is known of it: what was asked and answered, counterexamples, failing tests, what was printed, scores.
    """
    store = finished(find_store, Path.cwd(), shared.begin().options.store)
    found = store.resolve(run)
    state = Run.of(store.events(found))
    if name is not None:
        part = _part(state, name)
        shared.show(part_document(state, part, text=store.text), part_table(state, part, text=store.text))
        return
    if is_sweep(state):
        parts = parts_of(store, state)
        shared.show(sweep_document(state, parts=parts, text=store.text), sweep_table(state, parts=parts))
        return
    alive = any(summary.alive for summary in store.runs() if summary.id == found)
    shared.show(run_document(state, alive=alive, text=store.text), run_table(state, alive=alive, text=store.text))


def _part(run: Run, name: str) -> Part:
    """What is called so in a run: a candidate, by its name or its id, a sample, or a cell of a matrix, by its points or
    its key."""
    if is_matrix(run):
        return run.matrix.cells.get(name) or run.matrix.cells[Table.of(run).cell(name)]
    candidates = {one.proposed.name: one for one in run.candidates.values()}
    found = candidates.get(name) or run.candidates.get(name) or run.samples.get(name)
    if found is None:
        names = [*candidates, *run.samples]
        raise UsageError(
            f"run {run.id} has no candidate and no sample {name!r}",
            hint=f"it has {', '.join(names[:10])}" if names else "it had neither",
        )
    return found
