"""The project's tests, run by its own pytest, with what came of each of them as data.

Among the tests stand two of ours: one that has to fail, and one that has to pass. They are as any test is, and nobody
knows their names beforehand. Where one comes out otherwise, something has changed pytest itself, and nothing that this
run says counts.

The project's own options hold. What would have tests run elsewhere, not at all, or in an order of chance is changed
when pytest has read them, not by options of ours: where a project switches a plugin off, it knows none of its options.
"""

from __future__ import annotations

import ast
import importlib.machinery
import os
import random
import secrets
import sys
import sysconfig
import tempfile
import types

import pytest
from _pytest.assertion.rewrite import rewrite_asserts

from . import MARK, cheats, hotspots, recorder, warmup, worlds

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Any

__all__ = ["run"]

_MOST_TEXT = 4000
_USAGE = 4
_FAILS, _PASSES = "fail", "pass"
# Modules may have been loaded before pytest could rewrite their assertions: that is our doing, and no concern of tests
# that take warnings as errors.
_ORDINARY = ("-W", "ignore:Module already imported so cannot be rewritten:pytest.PytestAssertRewriteWarning")
# What options are set to, where there are such.
_SETTINGS: dict[str, Any] = {
    # All tests are run, once, in this process, in the order of the files.
    "maxfail": 0,
    "continue_on_collection_errors": True,
    "stepwise": False,
    "stepwise_skip": False,
    "stepwise_reset": False,
    "lf": False,
    "failedfirst": False,
    "newfirst": False,
    "numprocesses": 0,
    "distload": False,
    "dist": "no",
    "tx": [],
    "looponfail": False,
    "forked": False,
    "reruns": 0,
    # Nothing is measured.
    "benchmark_disable": True,
    "benchmark_enable": False,
    "benchmark_only": False,
    # Nobody is there to answer, and to read.
    "usepdb": False,
    "trace": False,
    "tbstyle": "short",
    "no_header": True,
    "xmlpath": None,
    "htmlpath": None,
}
# What has no other task than to change the order.
_SHUFFLERS = ("randomly", "random_order", "pytest_random_order")


def run(request: dict[str, Any]) -> dict[str, Any]:
    """Run tests in the working directory.

    `files` are what pytest is given, `only` the ids of those that are run (None for all), `order` is None, 1 for the
    reverse, or a seed to shuffle by, `roots` are where imports start from, and `record` names a target whose calls are
    recorded, if any. With `metered`, it is found out where the time goes, and which test file gets to which function.
    """
    folder = os.getcwd()
    before = frozenset(sys.path)
    sys.path[:0] = [os.path.normpath(os.path.join(folder, root)) for root in request["roots"]]
    sys.dont_write_bytecode = True
    names = worlds.project_names(folder, request["roots"])
    tape = None
    if request["record"] is not None:
        tape = recorder.Tape(seed=request["seed"])
        wanted = request["record"]
        tape.listen(wanted["module"], wanted["name"], os.path.join(folder, wanted["path"]))
    meter = hotspots.Meter(folder) if request["metered"] else None
    plugin = _Plugin(folder, request["files"], request["only"], request["order"], tape=tape, meter=meter)
    plugin.errors += _made_way(folder, names)
    watch = cheats.Watch(names)
    status = _USAGE if plugin.errors else plugin.main()
    return {
        "status": int(status),
        "tests": list(plugin.tests.values()),
        "errors": plugin.errors,
        "planted": plugin.planted(),
        "tampered": watch.changed(_TOUCHED),
        "calls": tape.kept() if tape else [],
        "modules": tape.modules if tape else [],
        "call_count": tape.count if tape else 0,
        "reaching": tape.reaching if tape else {},
        "uncopied": tape.uncopied if tape else {},
        "imports": _imports(names, plugin.rewritten) if tape or meter else [],
        "hotspots": meter.report() if meter else None,
        "paths": _inside(folder, [path for path in plugin.path if path not in before]),
    }


# What no test run changes, and no candidate may.
_TOUCHED = (
    "_pytest.python",
    "_pytest.runner",
    "_pytest.reports",
    "_pytest.assertion",
    "_pytest.unittest",
    "_pytest.skipping",
    "pluggy",
    "_bakeoff_instruments",
)


class _Plugin:
    """Chooses which tests run and in which order, and keeps what came of each."""

    def __init__(
        self,
        folder: str,
        files: Sequence[str],
        only: list[str] | None,
        order: int | None,
        *,
        tape: recorder.Tape | None,
        meter: hotspots.Meter | None,
    ) -> None:
        self.tests: dict[str, dict[str, Any]] = {}
        self.errors: list[dict[str, str]] = []
        self.rewritten: tuple[str, ...] = ()
        self.path: list[str] = []
        self._folder = folder
        self._files = files
        self._only = None if only is None else frozenset(only)
        self._order = order
        self._tape = tape
        self._meter = meter
        self._planted: dict[str, str] = {}
        self._outcomes: dict[str, str] = {}
        self._marks = os.fdopen(os.dup(2), "w", encoding="utf-8", errors="backslashreplace")
        self._shortcut = warmup.Shortcut()
        # Brackets mean something to pytest, in files that it is given.
        self._is_narrow = any("[" in _path_of(file) for file in files)

    def main(self) -> int:
        """Run pytest; its status."""
        given = [_without_brackets(file) for file in self._files]
        options = [*_ORDINARY, f"--rootdir={self._folder}", *dict.fromkeys(given)]
        self._shortcut.on()
        try:
            return int(pytest.main(options, plugins=[self]))
        finally:
            self._shortcut.off()

    def planted(self) -> dict[str, str]:
        """What came of the tests of ours."""
        found = {kind: self._outcomes.get(name, "missing") for name, kind in self._planted.items()}
        return {_FAILS: "missing", _PASSES: "missing", **found}

    # -- options --------------------------------------------------------------------------------------------------

    def pytest_addoption(self, parser: pytest.Parser) -> None:
        # Not where a plugin that is switched off would have it, which then is an unknown setting.
        parser.addini("cache_dir", "what to remember, and where", default=tempfile.mkdtemp())

    @pytest.hookimpl(wrapper=True)
    def pytest_cmdline_parse(self) -> Iterator[None]:
        try:
            return (yield)
        except BaseException as error:
            self._note(error)
            raise

    @pytest.hookimpl(wrapper=True)
    def pytest_load_initial_conftests(self, early_config: pytest.Config) -> Iterator[None]:
        # From here on, code of the project's runs.
        self._shortcut.off()
        known = early_config.known_args_namespace
        if hasattr(known, "cov_source"):
            # It starts to measure before all options are read.
            known.cov_source, known.no_cov = [], True
        return (yield)

    @pytest.hookimpl(wrapper=True)
    def pytest_cmdline_main(self, config: pytest.Config) -> Iterator[None]:
        for name, value in _SETTINGS.items():
            if hasattr(config.option, name):
                setattr(config.option, name, value)
        for name in _SHUFFLERS:
            if config.pluginmanager.hasplugin(name):
                config.pluginmanager.unregister(name=name)
        try:
            return (yield)
        except BaseException as error:
            self._note(error)
            raise

    def pytest_internalerror(self, excrepr: object) -> None:
        self.errors.append({"where": "pytest", "text": _shortened(str(excrepr))})

    def pytest_keyboard_interrupt(self, excinfo: pytest.ExceptionInfo[BaseException]) -> None:
        # It is also how pytest ends when files cannot be collected, of which there is word already.
        if not self.errors:
            self._note(excinfo.value)

    def pytest_unconfigure(self, config: pytest.Config) -> None:
        # Later on, what its configuration adds to the path is taken away again.
        self.path = list(filter(_is_text, sys.path))
        hook = getattr(config.pluginmanager, "rewrite_hook", None)
        self.rewritten = tuple(getattr(hook, "_must_rewrite", ()))

    def _note(self, error: BaseException) -> None:
        """Pytest cannot begin: what it would say to somebody who reads it."""
        lines = [line.strip() for part in error.args or (error,) for line in str(part).splitlines()]
        dull = ("usage:", "inifile:", "rootdir:", "NOTE:")
        said = "; ".join(line for line in lines if line and not line.startswith(dull))
        if isinstance(error, pytest.UsageError):
            text = said.replace("pytest.main(): error: ", "").replace("__main__.py: error: ", "")
        else:
            text = str(error) or type(error).__name__
        self.errors.append({"where": "pytest", "text": _shortened(text)})

    # -- collecting -----------------------------------------------------------------------------------------------

    def pytest_ignore_collect(self, collection_path: os.PathLike[str]) -> bool | None:
        if not self._is_narrow:
            return None
        path = os.fspath(collection_path)
        wanted = [os.path.normpath(os.path.join(self._folder, _path_of(file))) for file in self._files]
        return None if any(_is_within(path, one) or _is_within(one, path) for one in wanted) else True

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, session: pytest.Session, items: list[pytest.Item]) -> None:
        if self._only is not None:
            items[:] = [item for item in items if item.nodeid in self._only]
        if self._order is not None:
            items.reverse()
            if self._order > 1:
                random.Random(self._order).shuffle(items)
        for kind in (_FAILS, _PASSES):
            item = _plant(session, items, fails=kind == _FAILS)
            self._planted[item.nodeid] = kind

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self.errors.append({"where": report.nodeid, "text": _shortened(report.longreprtext)})

    # -- running --------------------------------------------------------------------------------------------------

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        self._marks.write(f"\n{MARK}{item.nodeid}\n")
        self._marks.flush()
        if self._tape is not None:
            self._tape.test = item.nodeid
        if self._meter is None:
            return (yield)
        self._meter.turn(None if item.nodeid in self._planted else _path_of(item.nodeid))
        self._meter.start()
        try:
            return (yield)
        finally:
            self._meter.stop()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        outcome = _outcome(report)
        if report.nodeid in self._planted:
            if report.when == "call" or outcome != "passed":
                self._outcomes[report.nodeid] = outcome
            return
        known = self.tests.setdefault(
            report.nodeid, {"id": report.nodeid, "outcome": "passed", "text": "", "seconds": 0.0}
        )
        known["seconds"] += report.duration
        if outcome != "passed" and known["outcome"] in ("passed", "skipped", "xfailed"):
            known["outcome"] = outcome
            known["text"] = _shortened(report.longreprtext)


def _outcome(report: pytest.TestReport) -> str:
    """In our words: an error is a failure outside of the test itself."""
    if hasattr(report, "wasxfail"):
        return "xfailed" if report.skipped else "xpassed"
    if report.failed:
        return "failed" if report.when == "call" else "error"
    return "skipped" if report.skipped else "passed"


def _shortened(text: str) -> str:
    """Its end matters most: there the assertion stands."""
    return text if len(text) <= _MOST_TEXT else "…" + text[-_MOST_TEXT:]


# -- tests of ours ----------------------------------------------------------------------------------------------------


def _plant(session: pytest.Session, items: list[pytest.Item], *, fails: bool) -> pytest.Function:
    """Put a test among the others: where one module's end and another's begin, since what a module or a folder has
    prepared for its tests would be put away for it, and prepared again."""
    homes = [_home(item) for item in items]
    places = [place for place in range(1, len(items)) if homes[place] is not homes[place - 1]]
    place = secrets.choice([0, *places, len(items)])
    beside = homes[min(place, len(items) - 1)] if items else None
    planted = _grown(session, beside, {item.name for item in items}, fails=fails)
    items.insert(place, planted)
    return planted


def _home(item: pytest.Item) -> Any:
    files: Any = pytest.File
    return item.getparent(files) or item.parent


def _grown(session: pytest.Session, beside: Any, taken: set[str], *, fails: bool) -> pytest.Function:
    """A test function in a module of its own, which looks as if it were the file beside it."""
    path = getattr(beside, "path", session.path)
    name = _new_name(taken)
    number = secrets.randbelow(1000)
    source = f"def {name}():\n    assert {number} == {number + secrets.randbelow(1000) + 1 if fails else number}\n"
    content = types.ModuleType(path.stem)
    tree = ast.parse(source)
    if session.config.getoption("assertmode", "plain") == "rewrite":
        rewrite_asserts(tree, source.encode(), str(path), session.config)
    exec(compile(tree, str(path), "exec", dont_inherit=True), vars(content))  # noqa: S102 (a test, as pytest makes them)
    module: Any = pytest.Module.from_parent(getattr(beside, "parent", None) or session, path=path)
    module.obj = content
    planted: Any = pytest.Function.from_parent(module, name=name, callobj=vars(content)[name])
    # Those that come with every test: they are the project's, and may want what this one has not.
    planted.fixturenames.clear()
    # To look for its source would take longer than all else.
    planted.repr_failure = lambda *_: "one that has to fail is among the tests, and does"
    found: pytest.Function = planted
    return found


def _new_name(taken: set[str]) -> str:
    """One that could be anybody's: made of what the others are called."""
    words = sorted({word for name in taken for word in name.partition("[")[0].split("_") if word.isalnum()} - {"test"})
    while True:
        chosen = [secrets.choice([*words, "is", "of", "and", "when", "same", "no"]) for _ in range(3)]
        name = "_".join(["test", *chosen, secrets.choice("abcdefghijklmnopqrstuvwxyz") + str(secrets.randbelow(100))])
        if name.isidentifier() and name not in taken:
            return name


# -- files and modules ------------------------------------------------------------------------------------------------


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _path_of(file: str) -> str:
    return file.partition("::")[0]


def _without_brackets(file: str) -> str:
    """What to name to pytest for a file: the first folder above it that it understands."""
    path = _path_of(file)
    if "[" not in path:
        return file
    while "[" in path:
        path = os.path.dirname(path)
    return path or os.curdir


def _is_within(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder + os.sep)


def _inside(folder: str, paths: Iterable[str]) -> list[str]:
    """Of some folders, those inside the project's, relative to it; it is itself called by no name."""
    found = [os.path.normpath(os.path.join(folder, path)) for path in paths]
    found = [path for path in found if _is_within(path, folder) and os.path.isdir(path)]
    return list(dict.fromkeys(path[len(folder) + 1 :] for path in found))


def _made_way(folder: str, names: frozenset[str]) -> list[dict[str, str]]:
    """Have modules of the project imported from the project, where others of their names are there already; says where
    that cannot be."""
    foreign = {name for name in names if name in sys.modules and _is_foreign(sys.modules[name], folder)}
    errors = []
    for top in sorted(foreign):
        inside = [name for name in sys.modules if name.partition(".")[0] == top]
        if _is_needed(top):
            errors.append({"where": top, "text": f"{_BEFORE.format(top)}, by pytest itself: {_INSTEAD}"})
        elif any(_is_extension(sys.modules[name]) for name in inside):
            errors.append({"where": top, "text": f"{_BEFORE.format(top)}, and has extensions: {_INSTEAD}"})
        else:
            for name in inside:
                del sys.modules[name]
    return errors


_BEFORE = "the project's own {} is imported from elsewhere before its tests run"
_INSTEAD = "judge it with --check"


def _is_foreign(module: Any, folder: str) -> bool:
    """Whether a module comes from elsewhere; what belongs to the interpreter stays, and so does what has no file."""
    file = getattr(module, "__file__", None)
    if not isinstance(file, str) or _is_within(file, folder):
        return False
    standard = sysconfig.get_path("stdlib")
    return not _is_within(file, standard) or "site-packages" in file[len(standard) :]


def _is_needed(top: str) -> bool:
    """Whether pytest has something of that module in its hands."""
    pytests = ("_pytest", "pytest", "pluggy")
    owners = [module for name, module in sys.modules.items() if name.partition(".")[0] in pytests]
    names = {
        value.__name__ if isinstance(value, types.ModuleType) else getattr(value, "__module__", None)
        for module in owners
        for value in list(vars(module).values())
        if isinstance(value, (types.ModuleType, types.FunctionType, type))
    }
    return any(isinstance(name, str) and name.partition(".")[0] == top for name in names)


def _is_extension(module: Any) -> bool:
    loader = getattr(getattr(module, "__spec__", None), "loader", None)
    return isinstance(loader, importlib.machinery.ExtensionFileLoader)


def _imports(names: frozenset[str], rewritten: Sequence[str]) -> list[str]:
    """What was imported that is not the project's, for others to have beforehand; without what pytest wants to import
    itself."""
    inside = os.getcwd() + os.sep
    found = []
    for name, module in list(sys.modules.items()):
        top = name.partition(".")[0]
        origin = getattr(getattr(module, "__spec__", None), "origin", None)
        foreign = top in names or top.startswith("_bakeoff") or name == "__main__"
        if foreign or any(name == other or name.startswith(other + ".") for other in rewritten):
            continue
        if isinstance(origin, str) and not origin.startswith(inside) and os.path.exists(origin):
            found.append(name)
    return found
