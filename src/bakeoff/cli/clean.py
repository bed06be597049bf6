"""`bakeoff clean`."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter
from rich.text import Text

from bakeoff.cli.output import Shared
from bakeoff.workspaces import Leftover, leftovers, places, sweep

_SHARED = Shared()


def clean(
    *, dry_run: Annotated[bool, Parameter(negative="", show_default=False)] = False, shared: Shared = _SHARED
) -> int:
    """Remove what dead runs left behind. What belongs to a living run is left alone.

    Parameters
    ----------
    dry_run
        Only list what would be removed.
    """
    chosen = shared.begin().options.slots_directory
    where = [place.path for place in places()] if chosen is None else [chosen]
    found = [leftover for place in where for leftover in leftovers(place)]
    removed = [] if dry_run else [leftover for place in where for leftover in sweep(place)]
    kept = [leftover for leftover in found if leftover not in removed]
    if not found:
        shared.say("nothing to clean")
    document = {"removed": [_document(leftover) for leftover in removed], "kept": [_document(item) for item in kept]}
    if found or shared.json:
        lines = [f"removed  {leftover.path}" for leftover in removed] + [f"kept     {item.path}" for item in kept]
        shared.show(document, Text("\n".join(lines)))
    return 1 if kept and not dry_run else 0


def _document(leftover: Leftover) -> dict[str, str | int | None]:
    pid = leftover.owner.pid if leftover.owner else None
    return {"path": str(leftover.path), "pid": pid, "repository": leftover.repository}
