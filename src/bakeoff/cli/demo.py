"""`bakeoff demo`."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from bakeoff.choices import Sandbox
from bakeoff.cli.endings import finish
from bakeoff.cli.output import Shared
from bakeoff.cli.running import run_job
from bakeoff.cli.waiting import finished
from bakeoff.cli.wanted import Place, wanted
from bakeoff.jobs.contest import Wanted
from bakeoff.jobs.demo import TARGETS, lay_out
from bakeoff.jobs.optimize import Sources, optimize
from bakeoff.jobs.records import find_store

if TYPE_CHECKING:
    from collections.abc import Callable

    from bakeoff.events import Recorded, Run

_SHARED = Shared()
_SECONDS = 14.0


def demo(
    folder: Path | None = None,
    *,
    report: Path | None = None,
    python: Path | None = None,
    sandbox: Sandbox | None = None,
    shared: Shared = _SHARED,
) -> int:
    """Optimize a small repository that is made for it.

    Parameters
    ----------
    folder
        Where the repository is made. Default: a new folder for temporary files; it stays, to be looked at.
    report
        Write an HTML report to this file.
    python
        An interpreter with pytest. Default: the active virtual environment's, else Bakeoff's own.
    sandbox
        auto: as much as there is; require: at least tier 2; off: limits only.
    """
    options = shared.begin(python=python, sandbox=sandbox).options
    made = folder if folder is not None else Path(tempfile.mkdtemp(prefix="bakeoff-demo-"))
    repository = finished(lay_out, made)
    where = Place(repository=repository, start=repository.root)
    store = finished(find_store, repository.root, options.store)
    shared.say(f"three slow functions, in a small repository: {repository.root}")

    async def improve(watch: Callable[[Recorded], None]) -> list[Run]:
        asked = wanted(options, where, Wanted(seconds=_SECONDS))
        return await optimize(
            TARGETS,
            asked,
            Sources(),
            variables=os.environ,
            repository=repository,
            start=repository.root,
            store=store,
            watch=watch,
        )

    status = finish(run_job(improve, shared), store=store, where=where, shared=shared, report=report)
    shared.say(f"to go on: cd {repository.root} && bakeoff runs")
    return status
