"""`bakeoff runs`."""

from __future__ import annotations

from pathlib import Path

from bakeoff.cli.output import Shared
from bakeoff.cli.waiting import finished
from bakeoff.jobs.records import find_store
from bakeoff.report.tables import runs_document, runs_table

_SHARED = Shared()


def runs(*, shared: Shared = _SHARED) -> None:
    """List the runs in the store, newest first."""
    store = finished(find_store, Path.cwd(), shared.begin().options.store)
    found = store.runs()
    if not found:
        shared.say(f"no runs yet in {store.path}")
    if found or shared.json:
        shared.show(runs_document(found), runs_table(found))
