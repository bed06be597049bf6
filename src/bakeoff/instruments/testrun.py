"""The project's tests, run by its own pytest, with what came of each of them as data.

Among the tests stands one that has to fail. Where it passes, something has changed pytest itself, and nothing that this
run says counts.
"""

from __future__ import annotations

import importlib.util
import os
import random
import sys
import tempfile

import pytest

from . import MARK, cheats, recorder, warmup, worlds

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

__all__ = ["run"]

_MOST_TEXT = 4000
_PLANTED = "bakeoff-planted"
_ORDINARY = ("--maxfail=0", "--tb=short", "-p", "no:stepwise")
# Plugins that other things are measured with, that run tests elsewhere, or that change their order.
_SWITCHES = {
    "xdist": ("-n0",),
    "pytest_cov": ("--no-cov",),
    "pytest_benchmark": ("--benchmark-disable",),
    "pytest_randomly": ("-p", "no:randomly"),
    "pytest_random_order": ("-p", "no:random_order"),
}


def run(request: dict[str, Any]) -> dict[str, Any]:
    """Run tests in the working directory.

    `files` are what pytest is given, `only` the ids of those that are run (None for all), `order` is None, 1 for the
    reverse, or a seed to shuffle by, `roots` are where imports start from, and `record` names a target whose calls are
    recorded, if any.
    """
    folder = os.getcwd()
    sys.path[:0] = [os.path.normpath(os.path.join(folder, root)) for root in request["roots"]]
    sys.dont_write_bytecode = True
    names = worlds.project_names(folder, request["roots"])
    tape = None
    if request["record"] is not None:
        tape = recorder.Tape(seed=request["seed"])
        tape.listen(request["record"]["module"], request["record"]["name"])
    plugin = _Plugin(request["only"], request["order"], request["seed"], tape)
    watch = cheats.Watch(names)
    options = [*_ORDINARY, *_switched(), f"-ocache_dir={tempfile.mkdtemp()}", f"--rootdir={folder}"]
    status = pytest.main([*options, *request["files"]], plugins=[plugin])
    return {
        "status": int(status),
        "tests": list(plugin.tests.values()),
        "errors": plugin.errors,
        "planted": plugin.planted,
        "tampered": watch.changed(_TOUCHED),
        "calls": tape.kept() if tape else [],
        "call_count": tape.count if tape else 0,
        "reaching": tape.reaching if tape else {},
        "uncopied": tape.uncopied if tape else {},
        "imports": _imports(names) if tape else [],
    }


# What no test run changes, and no candidate may.
_TOUCHED = (
    "_pytest.python",
    "_pytest.runner",
    "_pytest.reports",
    "_pytest.assertion",
    "pluggy",
    "_bakeoff_instruments",
)


class _Planted(pytest.Item):
    """Fails, by an assertion that is false."""

    def runtest(self) -> None:
        assert [self.name] == [], "planted"

    def repr_failure(self, *_: object) -> str:  # showing where takes longer than all else
        return "planted"


class _Plugin:
    """Chooses which tests run and in which order, and keeps what came of each."""

    def __init__(self, only: list[str] | None, order: int | None, seed: int, tape: recorder.Tape | None) -> None:
        self.tests: dict[str, dict[str, Any]] = {}
        self.errors: list[dict[str, str]] = []
        self.planted = "missing"
        self._only = None if only is None else frozenset(only)
        self._order = order
        self._random = random.Random(seed)
        self._tape = tape
        self._marks = os.fdopen(os.dup(2), "w", encoding="utf-8", errors="backslashreplace")

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, session: pytest.Session, items: list[pytest.Item]) -> None:
        if self._only is not None:
            items[:] = [item for item in items if item.nodeid in self._only]
        if self._order is not None:
            items.reverse()
            if self._order > 1:
                random.Random(self._order).shuffle(items)
        planted = _Planted.from_parent(session, name=_PLANTED)
        items.insert(self._random.randrange(len(items) + 1), planted)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self.errors.append({"where": report.nodeid, "text": _shortened(report.longreprtext)})

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        self._marks.write(f"\n{MARK}{item.nodeid}\n")
        self._marks.flush()
        if self._tape is not None:
            self._tape.test = item.nodeid
        return (yield)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.nodeid.endswith(_PLANTED):
            if report.when == "call":
                self.planted = report.outcome
            return
        known = self.tests.setdefault(
            report.nodeid, {"id": report.nodeid, "outcome": "passed", "text": "", "seconds": 0.0}
        )
        known["seconds"] += report.duration
        outcome = _outcome(report)
        if outcome != "passed" and known["outcome"] in ("passed", "skipped", "xfailed"):
            known["outcome"] = outcome
            known["text"] = _shortened(report.longreprtext)


def _outcome(report: pytest.TestReport) -> str:
    """In our words: an error is a failure outside of the test itself."""
    if hasattr(report, "wasxfail"):
        return "xfailed" if report.skipped else "xpassed"
    if report.failed:
        return "failed" if report.when == "call" else "error"
    return report.outcome


def _shortened(text: str) -> str:
    """Its end matters most: there the assertion stands."""
    return text if len(text) <= _MOST_TEXT else "…" + text[-_MOST_TEXT:]


def _switched() -> list[str]:
    return [switch for name, switches in _SWITCHES.items() if importlib.util.find_spec(name) for switch in switches]


def _imports(names: frozenset[str]) -> list[str]:
    """What was imported that is not the project's, for others to have beforehand; pytest wants to load its plugins
    itself."""
    plugins = {point.value.partition(":")[0].partition(".")[0] for point in warmup.plugins()}
    inside = os.getcwd() + os.sep
    found = []
    for name, module in list(sys.modules.items()):
        top = name.partition(".")[0]
        origin = getattr(getattr(module, "__spec__", None), "origin", None)
        foreign = top in names or top in plugins or top.startswith("_bakeoff") or name == "__main__"
        if not foreign and isinstance(origin, str) and not origin.startswith(inside) and os.path.exists(origin):
            found.append(name)
    return found
