"""Where the time of the target goes, line by line, by line_profiler. Only this process is instrumented, and it ends."""

from __future__ import annotations

import importlib
import inspect
import linecache
import os
import sys
import tempfile

from . import observe, recordings, worlds

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

__all__ = ["run"]

_MOST_LINES = 2000


def run(request: dict[str, Any]) -> dict[str, Any]:
    """A profile of one world on recorded calls. `site` is where line_profiler is found by the Python named by `tag`, if
    this one has none of its own."""
    try:
        profiler = _profiler(request["site"], request["tag"])
    except ImportError as error:
        return {"missing": str(error)}
    world = worlds.World(
        "one",
        request["folder"],
        tempfile.mkdtemp(),
        roots=request["roots"],
        edits=request["edits"],
        alone=True,
    )
    sys.stdout = sys.stderr = open(os.devnull, "w")  # noqa: SIM115 (until this process ends)
    with world.entered():
        callee = world.callee(request["module"], request["name"])
        for function in _functions(sys.modules[request["module"]], callee.function):
            profiler.add_function(function)
        for call in request["calls"]:
            arguments, keywords = recordings.loads(call["arguments"])
            with profiler:
                observe.observe(callee, arguments, keywords)
    return {"missing": None, "functions": list(_told(profiler.get_stats(), world.tree))}


def _profiler(site: str | None, tag: str) -> Any:
    """A profiler, of this interpreter or of one that is the same."""
    try:
        found = importlib.import_module("line_profiler")
    except ImportError:
        if site is None or tag != sys.implementation.cache_tag:
            raise
        sys.path.append(site)
        found = importlib.import_module("line_profiler")
    return found.LineProfiler()


def _functions(module: Any, target: Any) -> Iterator[Any]:
    """The target, and what else is written in its module: a candidate may do its work in a function beside it."""
    yield inspect.unwrap(target)
    for value in list(vars(module).values()):
        owners = [value, *vars(value).values()] if inspect.isclass(value) else [value]
        for one in owners:
            plain = getattr(one, "__func__", getattr(one, "fget", one))
            if inspect.isfunction(plain) and plain.__module__ == module.__name__ and plain is not target:
                yield plain


def _told(stats: Any, tree: str) -> Iterator[dict[str, Any]]:
    """Functions that were entered, with their lines."""
    for (path, first, name), lines in stats.timings.items():
        if not lines:
            continue
        seconds = sum(time for _, _, time in lines) * stats.unit
        yield {
            "name": name,
            "path": os.path.relpath(path, tree),
            "first": first,
            "seconds": seconds,
            "lines": [
                {
                    "number": number,
                    "hits": hits,
                    "seconds": time * stats.unit,
                    "text": linecache.getline(path, number).rstrip("\n"),
                }
                for number, hits, time in lines[:_MOST_LINES]
            ],
        }
