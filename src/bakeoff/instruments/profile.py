"""Where the time of the target goes, line by line, by line_profiler. Only this process is instrumented, and it ends.

All calls are made twice, and the second time counts, as where they are timed: what is done once (a pattern that is
compiled, a table that is filled) is not where the time goes. Where little is left to do the second time, since results
are kept, it is the first that tells.
"""

from __future__ import annotations

import importlib
import inspect
import linecache
import os
import sys
import tempfile
import time

from . import observe, recordings, worlds

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    # Of each line of a function (its path, first line and name): how often it was reached, and for how many ticks.
    _Counted = dict[tuple[tuple[str, int, str], int], tuple[int, int]]

__all__ = ["run"]

_MOST_LINES = 2000
_LONG = 5.0  # seconds of a first time, after which there is no second one
_LEAST_AGAIN = 0.5


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
        began = time.perf_counter()
        _call_all(profiler, callee, request["calls"])
        counted = _counted(profiler)
        if time.perf_counter() - began < _LONG:
            _call_all(profiler, callee, request["calls"])
            counted = _again(counted, _counted(profiler))
        unit = profiler.get_stats().unit
    return {"missing": None, "functions": list(_told(counted, unit, world.tree))}


def _call_all(profiler: Any, callee: worlds.Callee, calls: list[dict[str, Any]]) -> None:
    for call in calls:
        arguments, keywords = recordings.loads(call["arguments"])
        with profiler:
            observe.observe(callee, arguments, keywords)


def _counted(profiler: Any) -> _Counted:
    return {
        (function, number): (hits, ticks)
        for function, lines in profiler.get_stats().timings.items()
        for number, hits, ticks in lines
    }


def _again(first: _Counted, both: _Counted) -> _Counted:
    """What was done the second time, or the first time if that was much more."""
    nothing = (0, 0)
    second = {
        line: (hits - first.get(line, nothing)[0], ticks - first.get(line, nothing)[1])
        for line, (hits, ticks) in both.items()
    }
    is_much_less = _hits(second) < _LEAST_AGAIN * _hits(first)
    return first if is_much_less else {line: found for line, found in second.items() if found[0]}


def _hits(counted: _Counted) -> int:
    return sum(hits for hits, _ in counted.values())


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


def _told(counted: _Counted, unit: float, tree: str) -> Iterator[dict[str, Any]]:
    """Functions that were entered, with their lines."""
    functions: dict[tuple[str, int, str], list[dict[str, Any]]] = {}
    for (function, number), (hits, ticks) in counted.items():
        text = linecache.getline(function[0], number).rstrip("\n")
        line = {"number": number, "hits": hits, "seconds": ticks * unit, "text": text}
        functions.setdefault(function, []).append(line)
    for (path, first, name), lines in functions.items():
        yield {
            "name": name,
            "path": os.path.relpath(path, tree),
            "first": first,
            "seconds": sum(line["seconds"] for line in lines),
            "lines": lines[:_MOST_LINES],
        }
