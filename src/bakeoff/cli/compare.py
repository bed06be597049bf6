"""`bakeoff compare NAME=PATCH_OR_REF…`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bakeoff.cli.endings import finish
from bakeoff.cli.output import Shared
from bakeoff.cli.running import run_job
from bakeoff.cli.waiting import finished
from bakeoff.cli.wanted import Judging, place, wanted
from bakeoff.jobs.compare import compare as job
from bakeoff.jobs.contest import Wanted
from bakeoff.jobs.records import find_store

if TYPE_CHECKING:
    from collections.abc import Callable

    from bakeoff.events import Recorded, Run

_SHARED, _JUDGING = Shared(), Judging()
_NO_END = float("inf")


def compare(
    *candidate: str,
    target: str | None = None,
    judging: Judging = _JUDGING,
    shared: Shared = _SHARED,
) -> int:
    """Judge and time candidates that are there already.

    Parameters
    ----------
    candidate
        NAME=FILE (a patch), NAME=REF (a branch, commit, tag or stash entry), a folder of patches, or - for standard
        input; the name can be left out.
    target
        Judge them by calls of this function: pkg/mod.py::function. Without it, --check judges and --bench times.
    """
    options = shared.begin(**judging.flags()).options
    where = finished(place, judging.repo)
    store = finished(find_store, where.repository.root, options.store)

    async def judge(watch: Callable[[Recorded], None]) -> Run:
        return await job(
            candidate,
            target,
            wanted(options, where, Wanted(seconds=_NO_END, min_speedup=0.0)),
            repository=where.repository,
            start=where.start,
            store=store,
            watch=watch,
        )

    return finish(run_job(judge, shared), store=store, where=where, shared=shared, report=judging.report)
