"""`bakeoff sweep PATH…`."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from bakeoff.choices import Goal
from bakeoff.cli.asking import Asking
from bakeoff.cli.output import Shared
from bakeoff.cli.proposing import Proposing, sources
from bakeoff.cli.running import run_job
from bakeoff.cli.waiting import INTERRUPTED, finished
from bakeoff.cli.wanted import Judging, place, wanted
from bakeoff.cli.writing import write_report
from bakeoff.errors import UsageError
from bakeoff.events import Run
from bakeoff.jobs.contest import Wanted
from bakeoff.jobs.plan import follow, plan
from bakeoff.jobs.records import find_store, parts_of
from bakeoff.jobs.sweep import SweepWanted
from bakeoff.jobs.sweep import sweep as job
from bakeoff.jobs.takeover import branch_of_sweep
from bakeoff.report.sweeps import sweep_document, sweep_table

if TYPE_CHECKING:
    from bakeoff.cli.running import Ran, Watch
    from bakeoff.cli.wanted import Place
    from bakeoff.config import Options
    from bakeoff.planning import Plan
    from bakeoff.store import Store

_SHARED, _JUDGING, _PROPOSING, _ASKING = Shared(), Judging(), Proposing(), Asking()
_BUDGET = 600.0
_MOST_FILES = 5  # in a subplan: the smaller they are, the more can be worked on at once


def sweep(
    *path: Path,
    top: int | None = None,
    max_parallel: int | None = None,
    profile: str | None = None,
    plan: Path | None = None,
    goal: Goal = Goal.OPTIMIZE,
    branch: str | None = None,
    proposing: Proposing = _PROPOSING,
    asking: Asking = _ASKING,
    judging: Judging = _JUDGING,
    shared: Shared = _SHARED,
) -> int:
    """Improve a code base: what takes the time is found, improved in parallel, brought together, and proven whole.

    The budget is for all targets together; its default is 10m. The same command goes on where it was interrupted.

    Parameters
    ----------
    path
        Folders and files whose functions are improved. Default: the current folder.
    top
        So many of the functions that take the most time. Default: 10.
    max_parallel
        How many subplans are worked on at once. Default: the number of cores, at most 10.
    profile
        A script whose time is to become less, like 'python bench.py'. Default: the tests.
    plan
        Follow the plan in this file, as `bakeoff plan --out` writes it, instead of splitting the paths.
    goal
        What is done with each of the functions.
    branch
        Make a new branch of this name, with a commit for each winner.
    """
    own: dict[str, object] = {"top": top, "max_parallel": max_parallel, "profile": profile}
    options = shared.begin(**judging.flags(), **asking.flags(), **proposing.flags(), **own).options
    if plan is not None and path:
        raise UsageError("a plan says itself which files it is about", hint="leave the paths out, or --plan")
    if goal is not Goal.OPTIMIZE:  # pragma: no cover (there is no other)
        raise UsageError(f"the goal {goal.value!r} is not known")
    where = finished(place, judging.repo)
    store = finished(find_store, where.repository.root, options.store)
    asked = wanted(options, where, Wanted(seconds=_BUDGET))
    sought = _sought(options)
    split = finished(_planned, where, path, plan)

    async def improve(watch: Watch) -> Run:
        return await job(
            split,
            asked,
            sought,
            sources(options, asked),
            variables=os.environ,
            repository=where.repository,
            start=where.start,
            store=store,
            watch=watch,
            replay=partial(watch, is_news=False),
        )

    return _finish(run_job(improve, shared), store, where, shared, report=judging.report, branch=branch)


def _sought(options: Options) -> SweepWanted:
    usual = SweepWanted()
    return SweepWanted(
        top=usual.top if options.top is None else options.top,
        max_parallel=usual.max_parallel if options.max_parallel is None else options.max_parallel,
        script=None if options.profile is None else tuple(options.profile),
    )


async def _planned(where: Place, paths: tuple[Path, ...], file: Path | None) -> Plan:
    if file is not None:
        return await follow(where.repository, file)
    made = await plan(where.repository, paths or (where.start,), {"max_files": _MOST_FILES, "min_files": 1})
    return made.plan


def _finish(ran: Ran, store: Store, where: Place, shared: Shared, *, report: Path | None, branch: str | None) -> int:
    """Print what came of it, write what was asked for, and give the exit status."""
    if not ran.runs:
        if ran.error is not None:
            raise ran.error
        return INTERRUPTED
    run = Run.of(store.events(ran.runs[0]))
    if ran.error is not None and run.sweep.ranked is None:
        raise ran.error
    parts = parts_of(store, run)
    shared.show(sweep_document(run, parts=parts, text=store.text), sweep_table(run, parts=parts))
    if ran.is_interrupted:
        return INTERRUPTED
    if report is not None:
        write_report(report, [run, *parts], store, shared)
    if branch is not None and run.end is not None and run.end.winner is not None:
        made = finished(branch_of_sweep, store, run, where.repository, branch)
        shared.say(f"branch {made.name} at {made.commit}")
    if ran.error is not None:
        raise ran.error
    return 0
