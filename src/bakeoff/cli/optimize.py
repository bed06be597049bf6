"""`bakeoff optimize TARGET…`."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from bakeoff.cli.asking import Asking
from bakeoff.cli.endings import finish
from bakeoff.cli.output import Shared
from bakeoff.cli.proposing import Proposing, sources
from bakeoff.cli.running import run_job
from bakeoff.cli.waiting import finished
from bakeoff.cli.wanted import MANY, Judging, place, wanted
from bakeoff.jobs.contest import Wanted
from bakeoff.jobs.optimize import optimize as job
from bakeoff.jobs.records import find_store

if TYPE_CHECKING:
    from collections.abc import Callable

    from bakeoff.events import Recorded, Run

_SHARED, _JUDGING, _PROPOSING, _ASKING = Shared(), Judging(), Proposing(), Asking()


def optimize(
    *target: str,
    patch: Annotated[tuple[str, ...], MANY] = (),
    branch: str | None = None,
    apply: Annotated[bool, Parameter(negative="", show_default=False)] = False,
    proposing: Proposing = _PROPOSING,
    asking: Asking = _ASKING,
    judging: Judging = _JUDGING,
    shared: Shared = _SHARED,
) -> int:
    """Improve a target: many candidates in, one proven winner out.

    Parameters
    ----------
    target
        What is to become faster: pkg/mod.py::function, pkg.mod:Class.method, or a line, pkg/mod.py:120.
    patch
        A candidate that is there already: NAME=FILE, NAME=REF, a folder of patches, or - for standard input.
    branch
        Make a commit with the winner on a new branch of this name.
    apply
        Write the winner to the working tree.
    """
    options = shared.begin(**judging.flags(), **asking.flags(), **proposing.flags()).options
    where = finished(place, judging.repo)
    store = finished(find_store, where.repository.root, options.store)
    asked = wanted(options, where, Wanted())

    async def improve(watch: Callable[[Recorded], None]) -> list[Run]:
        return await job(
            target,
            asked,
            sources(options, asked, patches=patch),
            variables=os.environ,
            repository=where.repository,
            start=where.start,
            store=store,
            watch=watch,
        )

    ran = run_job(improve, shared)
    return finish(ran, store=store, where=where, shared=shared, report=judging.report, branch=branch, apply=apply)
