"""`bakeoff matrix rescore RUN`."""

from __future__ import annotations

import os
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from bakeoff.choices import Sandbox
from bakeoff.cli.matrix.definitions import settled
from bakeoff.cli.output import Shared
from bakeoff.cli.running import run_job
from bakeoff.cli.waiting import INTERRUPTED, finished
from bakeoff.errors import UsageError
from bakeoff.events import Run
from bakeoff.jobs.records import find_matrix, find_store
from bakeoff.jobs.rescoring import Rescored, Wanted, scorers_from
from bakeoff.jobs.rescoring import rescore as job
from bakeoff.models import Budget
from bakeoff.report.matrix.documents import grid_document
from bakeoff.report.matrix.grids import grid
from bakeoff.report.matrix.readings import Table
from bakeoff.report.matrix.tables import grid_table
from bakeoff.report.words import amount
from bakeoff.workers import WorkerConfig, project_python

if TYPE_CHECKING:
    from bakeoff.cli.running import Watch
    from bakeoff.config import Options
    from bakeoff.matrix import Definition
    from bakeoff.store import Store

_SHARED = Shared()


def rescore(
    run: str,
    /,
    *,
    scorers: Path | None = None,
    provider_concurrency: str | None = None,
    max_cost: float | None = None,
    max_tokens: int | None = None,
    max_time: str | None = None,
    python: Path | None = None,
    sandbox: Sandbox | None = None,
    shared: Shared = _SHARED,
) -> int:
    """Score the answers of a matrix anew. None of them is asked for again; only models that judge are called.

    Parameters
    ----------
    run
        The run's id, or the first letters of it; or the matrix's file, for its latest run.
    scorers
        The file that has the scorers: one of a matrix, which says too what its tasks expect, or one with [scorers] and
        nothing else. Default: the matrix's file, where the run is named by it.
    provider_concurrency
        How many calls of a provider may be open at once: 4, or one for each: anthropic=2,openai=8.
    max_cost
        Dollars that judges may spend this time.
    max_tokens
        Tokens that judges may spend this time, in and out together.
    max_time
        After so long no call is begun any more, like 10m.
    python
        The interpreter that functions run in. Default: the repository's .venv, else the active one, else Bakeoff's own.
    sandbox
        auto: as much as there is; require: at least tier 2; off: limits only.
    """
    budget = {"max_cost": max_cost, "max_tokens": max_tokens, "max_time": max_time}
    said = {"provider_concurrency": provider_concurrency, "python": python, "sandbox": sandbox}
    options = shared.begin(**budget, **said).options
    store = finished(find_store, Path.cwd(), options.store)
    named = find_matrix(store, run)
    state = Run.of(store.events(named))
    Table.of(state)
    wanted = Wanted(
        run=named,
        definition=_definition(_file(run, scorers), state, store, options),
        config=WorkerConfig(python=options.python or project_python(Path.cwd(), os.environ), sandbox=options.sandbox),
    )
    found: list[Rescored] = []

    async def score(watch: Watch) -> None:
        found.append(await job(wanted, store=store, watch=watch, replay=partial(watch, is_news=False)))

    ran = run_job(score, shared)
    if ran.is_interrupted:
        return INTERRUPTED
    if ran.error is not None:
        raise ran.error
    _show(named, store, found[0], shared)
    return 0


def _file(run: str, scorers: Path | None) -> Path:
    if scorers is None and not Path(run).is_file():
        raise UsageError("no scorers are named", hint="--scorers FILE, or name the run by the file of its matrix")
    return Path(run) if scorers is None else scorers


def _definition(file: Path, run: Run, store: Store, options: Options) -> Definition:
    """What a matrix may spend is no matter here: its answers are paid for."""
    return settled(replace(scorers_from(file, run, store), budget=Budget()), options)


def _show(name: str, store: Store, found: Rescored, shared: Shared) -> None:
    state = Run.of(store.events(name))
    table = Table.of(state)
    drawn = grid(table)
    shared.show(grid_document(state, table, drawn), grid_table(state, table, drawn))
    said = f"{amount(found.scored, 'answer')} scored anew"
    said += f", {found.same:,} had these scores already" if found.same else ""
    said += f", {found.unknown:,} are of tasks that the file does not have" if found.unknown else ""
    shared.say(said)
