"""How a command that judges and times candidates ends: what it prints, and what it writes where it was asked to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bakeoff.cli.waiting import INTERRUPTED, finished
from bakeoff.cli.writing import write_report
from bakeoff.events import Run
from bakeoff.jobs.takeover import choose
from bakeoff.report.commits import message
from bakeoff.report.documents import results_document
from bakeoff.report.results import results_table

if TYPE_CHECKING:
    from pathlib import Path

    from bakeoff.cli.output import Shared
    from bakeoff.cli.running import Ran
    from bakeoff.cli.wanted import Place
    from bakeoff.store import Store

__all__ = ["finish"]


def finish(
    ran: Ran,
    *,
    store: Store,
    where: Place,
    shared: Shared,
    report: Path | None = None,
    branch: str | None = None,
    apply: bool = False,
) -> int:
    """Print what came of the runs, write what was asked for, and give the exit status. Where there is nothing but an
    error, that is raised; beside results, it is told after them."""
    runs = [Run.of(store.events(name)) for name in ran.runs]
    if ran.error is not None and len(runs) < 2:
        raise ran.error
    if runs:
        document = results_document(runs, text=store.text)
        shared.show(document, results_table(runs, text=store.text))
    if ran.is_interrupted:
        # No file is written now: in the repository it would be a change, and the run could not go on.
        return INTERRUPTED
    if report is not None and runs:
        write_report(report, runs, store, shared)
    winners = [run for run in runs if run.end is not None and run.end.winner is not None]
    for run in winners:
        if apply:
            _apply(run, store, where, shared)
        if branch is not None:
            name = branch if len(winners) == 1 else f"{branch}-{winners.index(run) + 1}"
            _branch(run, name, store, where, shared)
    if ran.error is not None:
        raise ran.error
    return 0


def _apply(run: Run, store: Store, where: Place, shared: Shared) -> None:
    done = finished(choose(store, run.id).apply, where.repository)
    shared.say(f"applied: {', '.join((*done.written, *done.merged, *done.already))}")


def _branch(run: Run, name: str, store: Store, where: Place, shared: Shared) -> None:
    chosen = choose(store, run.id)
    made = finished(chosen.branch, where.repository, name, message(chosen.run, chosen.state))
    shared.say(f"branch {made.name} at {made.commit}")
