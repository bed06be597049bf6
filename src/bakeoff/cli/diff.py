"""`bakeoff diff RUN [NAME]`."""

from __future__ import annotations

from pathlib import Path

from bakeoff.cli.output import Shared
from bakeoff.cli.waiting import finished
from bakeoff.jobs.records import find_store
from bakeoff.jobs.takeover import choose
from bakeoff.report.foreign import writable
from bakeoff.report.results import DiffText
from bakeoff.store import bytes_of

_SHARED = Shared()


def diff(run: str, name: str | None = None, /, *, shared: Shared = _SHARED) -> None:
    """Show the patch of a run's winner, or of another of its candidates.

    Parameters
    ----------
    run
        The run's id, or the first letters of it.
    name
        The candidate. Default: the winner.
    """
    store = finished(find_store, Path.cwd(), shared.begin().options.store)
    chosen = choose(store, run, name)
    patch = chosen.state.proposed.patch
    text = store.text(patch) if patch is not None else ""
    document = {"run": chosen.run.id, "name": chosen.candidate.name, "diff": writable(text)}
    shared.show(document, DiffText(text), exact=bytes_of(text))
