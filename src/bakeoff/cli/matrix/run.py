"""`bakeoff matrix run FILE`."""

from __future__ import annotations

import os
import shlex
import sys
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from bakeoff.choices import Sandbox
from bakeoff.cli.matrix.definitions import defined
from bakeoff.cli.matrix.outlooks import outlook_document, outlook_table
from bakeoff.cli.output import Shared, Switch
from bakeoff.cli.running import Brake, run_job
from bakeoff.cli.waiting import INTERRUPTED, finished
from bakeoff.cli.writing import write_report
from bakeoff.config import Seconds
from bakeoff.errors import BudgetSpent, RepositoryError, UsageError
from bakeoff.events import CellStatus, Run, StopCause
from bakeoff.git import Repository
from bakeoff.jobs.matrix import Ending, Wanted, outlook
from bakeoff.jobs.matrix import run as job
from bakeoff.jobs.records import find_store
from bakeoff.report.matrix.documents import cells_document
from bakeoff.report.matrix.grids import grid
from bakeoff.report.matrix.readings import Table
from bakeoff.report.matrix.tables import grid_table
from bakeoff.workers import WorkerConfig, project_python

if TYPE_CHECKING:
    from bakeoff.cli.running import Ran, Watch
    from bakeoff.store import Store

_SHARED = Shared()
_GRACE = 30.0


def run(
    file: Path,
    /,
    *,
    dry_run: Switch = False,
    provider_concurrency: str | None = None,
    retry_failed: Switch = False,
    fail_fast: Switch = False,
    max_failures: int | None = None,
    max_cost: float | None = None,
    max_tokens: int | None = None,
    max_time: str | None = None,
    cache: Switch = False,
    new: Switch = False,
    grace: str | None = None,
    report: Path | None = None,
    python: Path | None = None,
    sandbox: Sandbox | None = None,
    shared: Shared = _SHARED,
) -> int:
    """Run the cells of a matrix that are missing.

    The same command goes on where the last one was stopped, died, or spent its budget. Ctrl-C once: nothing more is
    begun, calls that are open may end, and every result is kept; twice: at once, and what has ended is kept.

    Parameters
    ----------
    file
        The definition, a file of TOML.
    dry_run
        Only tell what it will take.
    provider_concurrency
        How many calls of a provider may be open at once: 4, or one for each: anthropic=2,openai=8. Default: what the
        definition says, or 4.
    retry_failed
        Run the cells again that failed.
    fail_fast
        Stop at the first cell that fails; the same as --max-failures 1.
    max_failures
        Stop when so many cells have failed.
    max_cost
        Dollars that the whole run may spend; no call is made that might go beyond.
    max_tokens
        Tokens that the whole run may spend, in and out together.
    max_time
        After so long no call is begun any more, like 10m.
    cache
        Take the answer that the same request brought before, in any run of the store. It has no latency.
    new
        Begin a new run, instead of going on with the last one of this name.
    grace
        How long calls that are open may go on after Ctrl-C, like 30s, which is the default.
    report
        Write an HTML report of all that the run has.
    python
        The interpreter that functions run in. Default: the repository's .venv, else the active one, else Bakeoff's own.
    sandbox
        auto: as much as there is; require: at least tier 2; off: limits only.
    """
    budget = {"max_cost": max_cost, "max_tokens": max_tokens, "max_time": max_time}
    said = {"provider_concurrency": provider_concurrency, "python": python, "sandbox": sandbox}
    options = shared.begin(**budget, **said).options
    definition = defined(file, options)
    most = 1 if fail_fast else max_failures
    if most is not None:
        if most < 1:
            raise UsageError(f"--max-failures = {most} stops before anything is run", hint="give a number from 1 up")
        definition = replace(definition, max_failures=most)
    store = finished(find_store, Path.cwd(), options.store)
    if dry_run:
        found = outlook(definition, store, retry_failed=retry_failed)
        shared.show(outlook_document(definition, found), outlook_table(definition, found))
        return 0
    wanted = Wanted(
        definition=definition,
        retry_failed=retry_failed,
        is_new=new,
        is_cached=cache,
        config=WorkerConfig(python=options.python or _python(), sandbox=options.sandbox),
        arguments=tuple(sys.argv[2:]),
    )
    ending = Ending()

    async def cells(watch: Watch) -> None:
        await job(wanted, store=store, ending=ending, watch=watch, replay=partial(watch, is_news=False))

    brake = Brake(pull=ending.begin, seconds=_seconds(grace))
    return _finish(run_job(cells, shared, brake=brake), store, shared, report)


def _finish(ran: Ran, store: Store, shared: Shared, report: Path | None) -> int:
    if ran.error is not None and not ran.runs:
        raise ran.error
    run = None
    for name in ran.runs:
        run = Run.of(store.events(name))
        table = Table.of(run)
        shared.show(cells_document(run, table), grid_table(run, table, grid(table)))
        stopped = run.matrix.stopped
        if stopped is not None or ran.is_interrupted:
            shared.say(f"to go on: {_again()}")
    if ran.is_interrupted:
        return INTERRUPTED
    if report is not None and run is not None:
        write_report(report, [run], store, shared)
    if ran.error is not None:
        raise ran.error
    return 0 if run is None else _status(run)


def _status(run: Run) -> int:
    """4 where a budget was spent before all was done; 1 where a cell failed."""
    stopped = run.matrix.stopped
    if stopped is not None and stopped.cause in (StopCause.COST, StopCause.TOKENS, StopCause.TIME):
        return BudgetSpent.exit_code
    return int(any(state.status is CellStatus.FAILED for state in run.matrix.current))


def _again() -> str:
    """The command that goes on with this one: itself, but that it begins nothing anew."""
    return shlex.join(["bakeoff", *(part for part in sys.argv[1:] if part not in ("--new", "--retry-failed"))])


def _seconds(grace: str | None) -> float:
    if grace is None:
        return _GRACE
    try:
        return float(Seconds.read(grace))
    except ValueError as error:
        raise UsageError(f"--grace = {grace!r} cannot be used: {error}", hint="like 30s") from None


def _python() -> Path:
    try:
        folder = finished(Repository.find, Path.cwd()).root
    except RepositoryError:
        folder = Path.cwd()
    return project_python(folder, os.environ)
