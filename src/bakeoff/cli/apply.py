"""`bakeoff apply RUN`."""

from __future__ import annotations

from pathlib import Path

from rich.text import Text

from bakeoff.cli.output import Shared
from bakeoff.cli.waiting import finished
from bakeoff.cli.wanted import place
from bakeoff.jobs.records import find_store
from bakeoff.jobs.takeover import branch_of_sweep, choose
from bakeoff.report.commits import message

_SHARED = Shared()


def apply(
    run: str,
    name: str | None = None,
    /,
    *,
    branch: str | None = None,
    repo: Path | None = None,
    shared: Shared = _SHARED,
) -> None:
    """Write the winner of a run to the working tree, or commit it on a new branch.

    Files that have been edited since are merged; where that cannot be done, nothing is written.

    Parameters
    ----------
    run
        The run's id, or the first letters of it.
    name
        Another candidate of it that is verified.
    branch
        Make a commit on a new branch of this name instead; the working tree stays as it is.
    repo
        The repository. Default: the one around the current folder.
    """
    options = shared.begin().options
    where = finished(place, repo)
    store = finished(find_store, where.repository.root, options.store)
    chosen = choose(store, run, name)
    if branch is not None:
        if chosen.is_merged:
            made = finished(branch_of_sweep, store, chosen.run, where.repository, branch)
        else:
            made = finished(chosen.branch, where.repository, branch, message(chosen.run, chosen.state))
        known = {"run": chosen.run.id, "branch": made.name, "commit": made.commit}
        shared.show(known, Text(f"branch {made.name} at {made.commit}"))
        return
    done = finished(chosen.apply, where.repository)
    lines = [
        f"{what:8} {path}"
        for what, paths in (("written", done.written), ("merged", done.merged), ("already", done.already))
        for path in paths
    ]
    paths = {"written": done.written, "merged": done.merged, "already": done.already}
    shared.show({"run": chosen.run.id, **paths}, Text("\n".join(lines)))
