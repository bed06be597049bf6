"""Where the time goes, line by line: the baseline's and the winner's, on the recorded calls.

A profile is a help for the reader, and never in the way: whatever goes wrong with it is a reason in its place.
"""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bakeoff.errors import BakeoffError
from bakeoff.events import Profile, ProfiledFunction, ProfiledLine
from bakeoff.targets import instrument
from bakeoff.workers import Ending, PythonCall

if TYPE_CHECKING:
    from bakeoff.candidates import Change
    from bakeoff.measure.stopwatches import Stopwatches
    from bakeoff.measure.values import Course, MeasureOptions
    from bakeoff.workers.calls import Call
    from bakeoff.workspaces import Slot, WorktreePool

__all__ = ["profile"]

# Functions of which there is no source: dataclasses make theirs so.
_MADE_UP = "__create_fn__"
_HINT = "install it for the interpreter that runs the project: pip install line-profiler"


async def profile(
    watches: Stopwatches, pool: WorktreePool, *, course: Course, change: Change, options: MeasureOptions
) -> Profile:
    """Profile the base with this change. What line_profiler needs is in that process only, and gone with it."""
    site = _our_site()

    def call(slot: Slot) -> Call:
        request = {
            "folder": str(slot.directory),
            "roots": list(course.project.roots),
            "module": course.target.module,
            "name": course.target.name,
            "calls": [{"arguments": one.arguments} for one in course.calls],
            "edits": change.contents,
            "site": str(site) if site is not None else None,
            "tag": sys.implementation.cache_tag,
        }
        return PythonCall(
            function=instrument("profile:run"),
            arguments=(request,),
            directory=slot.directory,
            enter=slot.enter,
            readable=(site,) if site is not None else (),
            limits=options.limits,
            timeout=options.patience,
        )

    try:
        outcome = (await watches.call(call, pool)).outcome
    except BakeoffError as error:
        return Profile(problem=error.message, hint=error.hint)
    if outcome.ending is not Ending.OK:
        return Profile(problem=outcome.describe())
    return _read(outcome.value)


def _our_site() -> Path | None:
    """Where line_profiler is for our own interpreter."""
    found = importlib.util.find_spec("line_profiler")
    return Path(found.origin).parent.parent if found is not None and found.origin is not None else None


def _read(report: Any) -> Profile:  # noqa: ANN401 (a claim)
    try:
        if report["missing"] is not None:
            return Profile(problem=f"there is no line_profiler: {report['missing']}", hint=_HINT)
        functions = [_function(one) for one in report["functions"] if not str(one["name"]).startswith(_MADE_UP)]
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        return Profile(problem=f"the profile cannot be read: {error!r}")
    return Profile(functions=tuple(sorted(functions, key=lambda one: -one.seconds)))


def _function(found: dict[str, Any]) -> ProfiledFunction:
    total = float(found["seconds"]) or 1.0
    lines = tuple(
        ProfiledLine(
            number=int(line["number"]),
            hits=int(line["hits"]),
            share=float(line["seconds"]) / total,
            text=str(line["text"]),
        )
        for line in found["lines"]
    )
    return ProfiledFunction(
        name=str(found["name"]), path=str(found["path"]), seconds=float(found["seconds"]), lines=lines
    )
