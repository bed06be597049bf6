"""Where the time of a whole program goes: tests or a script, by function, with a profiler that is part of Python.

A function's own seconds are those that no other function of the project took: its lines, what is built in, and what it
calls of others' packages. Only the thread that runs the program is looked at.
"""

from __future__ import annotations

import cProfile
import os
import runpy
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

__all__ = ["Meter", "script"]

_MOST = 20_000
_FINE = (None, 0)


class Meter:
    """Adds up the time of all functions of a folder; `turn` says who calls them from now on."""

    def __init__(self, folder: str) -> None:
        self._folder = os.path.join(os.path.realpath(folder), "")
        self._plain = os.path.join(folder, "")
        self._profile = cProfile.Profile(builtins=False)
        self._caller: str | None = None
        self._found: dict[tuple[str, int, str], dict[str, Any]] = {}
        self._seconds = 0.0

    def start(self) -> None:
        self._profile.enable()

    def stop(self) -> None:
        self._profile.disable()

    def turn(self, caller: str | None) -> None:
        if caller != self._caller:
            self._take()
            self._caller = caller

    def report(self) -> dict[str, Any]:
        """All functions that were entered, dearest first, and the seconds of all that ran."""
        self._take()
        found = sorted(self._found.values(), key=lambda one: -one["seconds"])
        return {"seconds": self._seconds, "functions": found[:_MOST]}

    def _take(self) -> None:
        self._profile.disable()
        entries = self._profile.getstats()
        self._profile.clear()
        for entry in entries:
            self._seconds += entry.inlinetime
            place = self._place(entry.code)
            if place is None:
                continue
            known = self._found.setdefault(
                place,
                {"path": place[0], "line": place[1], "name": place[2], "seconds": 0.0, "calls": 0, "by": []},
            )
            others = [call.totaltime for call in entry.calls or () if self._place(call.code) is None]
            known["seconds"] += max(0.0, entry.inlinetime) + sum(others)
            known["calls"] += entry.callcount
            if self._caller is not None and self._caller not in known["by"]:
                known["by"].append(self._caller)

    def _place(self, code: Any) -> tuple[str, int, str] | None:
        """The file in the folder and the line where a function begins, and its name."""
        file = getattr(code, "co_filename", None)
        for folder in (self._plain, self._folder):
            if isinstance(file, str) and file.startswith(folder) and code.co_name != "<module>":
                return file[len(folder) :], code.co_firstlineno, code.co_name
        return None


def script(request: dict[str, Any]) -> dict[str, Any]:
    """Run `python …` in the working directory, as it would be run there: a file, `-m` a module, or `-c` code."""
    folder = os.getcwd()
    sys.path[:0] = [os.path.normpath(os.path.join(folder, root)) for root in request["roots"]]
    sys.dont_write_bytecode = True
    meter = Meter(folder)
    status: Any = 0
    try:
        _run(meter, request["arguments"])
    except SystemExit as error:
        status = error.code
    finally:
        meter.stop()
    return {"status": None if status in _FINE else str(status), **meter.report()}


def _run(meter: Meter, arguments: Sequence[str]) -> None:
    first, *rest = arguments
    if first in ("-m", "-c"):
        what, *rest = rest
        sys.argv = [first, *rest]
        sys.path.insert(0, os.getcwd())
        if first == "-m":
            meter.start()
            runpy.run_module(what, run_name="__main__", alter_sys=True)
        else:
            code = compile(what, "<string>", "exec")
            meter.start()
            exec(code, {"__name__": "__main__"})  # noqa: S102 (that is what was asked for)
        return
    sys.argv = [first, *rest]
    sys.path.insert(0, os.path.dirname(os.path.abspath(first)))
    meter.start()
    runpy.run_path(first, run_name="__main__")
