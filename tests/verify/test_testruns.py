"""Runs of a project's tests, with its own pytest and its own options, in real jailed calls; and what is believed of
what they say."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from anyio.from_thread import start_blocking_portal
from hypothesis import given
from hypothesis import strategies as st

from bakeoff.errors import BaselineFails
from bakeoff.targets import INSTRUMENTS, Project, Target, instrument
from bakeoff.verify import TestOutcome
from bakeoff.verify.testruns import TestRequest, TestRun
from bakeoff.workers import CallOutcome, Ending, ForkServerBackend, WorkerConfig
from repositories import write_files

SOURCE = "def double(items):\n    return [item * 2 for item in items]\n"
TESTS = "from pkg.mod import double\n\ndef test_it():\n    assert double([1]) == [2]\n"
FILES = {"pkg/__init__.py": "", "pkg/mod.py": SOURCE, "tests/test_mod.py": TESTS}
IT = "tests/test_mod.py::test_it"
Runner = Callable[..., TestRun]


def settings(text: str) -> dict[str, str]:
    return {**FILES, "pytest.ini": f"[pytest]\n{text}\n"}


@pytest.fixture(scope="module")
def call() -> Iterator[Callable[..., CallOutcome]]:
    """Processes that have pytest ready, as those of an oracle."""
    config = WorkerConfig(
        kits=(INSTRUMENTS,), preload=(instrument("testrun"), instrument("oracle"), "packaging", "sortedcontainers")
    )
    with start_blocking_portal() as portal:
        with portal.wrap_async_context_manager(ForkServerBackend(config)) as backend:
            yield lambda request, folder: portal.call(backend.execute, request.call(directory=folder, timeout=60))


@pytest.fixture
def run(call: Callable[..., CallOutcome], tmp_path: Path) -> Runner:
    """Write files, and run their tests."""

    def running(content: dict[str, str], *, folder: str = "project", **request: Any) -> TestRun:
        write_files(tmp_path / folder, content)
        outcome = call(TestRequest(**{"project": Project(), **request}), tmp_path / folder)
        found = TestRun.of(outcome)
        assert found is not None, outcome.describe()
        return found

    return running


def passed(run: TestRun) -> list[str]:
    assert (run.errors, run.distrust) == ((), None)
    assert {result.outcome for result in run.results.values()} <= {TestOutcome.PASSED}
    return list(run.results)


# -- a project's own options ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "filterwarnings = error",
        "addopts = --sw -x --lf --ff --nf",
        "addopts = -n auto --dist=loadfile",
        "addopts = -p no:xdist -p no:cov -p no:benchmark",
        "addopts = --benchmark-only",
        "addopts = --cov=pkg --cov-report=term-missing --cov-fail-under=100",
        "addopts = -p no:cacheprovider --strict-config\nfilterwarnings = error",
        "addopts = -p no:terminal -p no:stepwise -p no:doctest -p no:faulthandler",
        "addopts = --pdb --tb=no -rA -v --junitxml=/nowhere/report.xml",
    ],
)
def test_any_options_will_do(run: Runner, text: str):
    assert passed(run(settings(text))) == [IT]


def test_plugins_are_loaded_beforehand_by_pytest_itself(run: Runner):
    """A plugin that is named in options comes before those that are installed."""
    early = (
        "import sys\nfound = [sys.modules[name].__loader__ for name in ('xdist.plugin', 'pytest_cov')]\n"
        "assert {type(loader).__name__ for loader in found} == {'AssertionRewritingHook'}\n"
    )
    assert passed(run({**settings("addopts = -p early"), "early.py": early})) == [IT]


def test_warnings_of_plugins_that_are_there_already_are_nobodys(run: Runner):
    """What a project's tests import of plugins is as pytest wants it, and what has to be rewritten is so."""
    tests = "import hypothesis\nfrom sortedcontainers import SortedDict\n" + TESTS
    conftest = "import pytest\npytest.register_assert_rewrite('sortedcontainers')\n"
    files = {**settings("filterwarnings = error"), "tests/test_mod.py": tests, "conftest.py": conftest}
    learned = run(files, record=Target(path="pkg/mod.py", name="double"))
    assert passed(learned) == [IT]
    tops = {name.partition(".")[0] for name in learned.imports}
    assert not tops & {"hypothesis", "_hypothesis_globals", "xdist", "anyio", "sortedcontainers", "pkg", "tests"}


def test_nothing_is_in_an_order_of_chance_or_remembered(run: Runner, tmp_path: Path):
    shuffler = (
        "def pytest_addoption(parser): parser.addoption('--randomly-seed')\n"
        "def pytest_collection_modifyitems(items): items.reverse()\n"
    )
    tests = "def test_a(): pass\ndef test_b(): pass\n"
    addopts = settings("addopts = -p randomly --randomly-seed=1 --cov=pkg")
    found = passed(run({**addopts, "randomly.py": shuffler, "tests/test_mod.py": tests}))
    assert [name.rpartition("::")[2] for name in found] == ["test_a", "test_b"]
    assert not [*tmp_path.rglob(".pytest_cache"), *tmp_path.rglob(".coverage*")]


@pytest.mark.parametrize(
    ("files", "said"),
    [
        (settings("addopts = --no-such-option"), "pytest: unrecognized arguments: --no-such-option"),
        (settings("addopts = -p no_such_plugin"), "no_such_plugin"),
        ({**FILES, "tests/conftest.py": "import nothing_there"}, "No module named 'nothing_there'"),
        (settings("required_plugins = pytest-nobody-has"), "Missing required plugins: pytest-nobody-has"),
    ],
)
def test_what_pytest_cannot_begin_with_is_told(run: Runner, files: dict[str, str], said: str):
    found = run(files)
    assert (found.status, found.distrust, len(found.errors)) == (4, None, 1)
    assert said in found.errors[0]
    with pytest.raises(BaselineFails, match=r"the baseline fails") as caught:
        found.check_baseline()
    assert said in str(caught.value)
    assert "addopts" in (caught.value.hint or "")


def test_why_a_run_broke_off_is_told(run: Runner):
    found = run({**FILES, "tests/test_mod.py": "import pytest\ndef test_it(): pytest.exit('no more of this')\n"})
    assert (found.errors, found.distrust) == (("pytest: no more of this",), None)
    broken = run({**FILES, "tests/test_mod.py": "import nothing_there"})
    assert broken.errors == ("tests/test_mod.py: ModuleNotFoundError: No module named 'nothing_there'",)


# -- where imports come from ------------------------------------------------------------------------------------------


def test_the_folders_that_tests_import_from_are_told(run: Runner):
    assert run(FILES, folder="plain").paths == ("tests", "")
    conftest = "import os, sys\nsys.path.insert(0, os.path.join(os.path.dirname(__file__), 'lib'))\n"
    files = {**settings("pythonpath = more"), "conftest.py": conftest, "lib/a.py": "", "more/b.py": ""}
    found = run({**files, "tests/test_mod.py": "import a, b\n" + TESTS}, folder="more")
    assert passed(found) == [IT]
    assert set(found.paths) == {"tests", "lib", "more", ""}
    again = run(files, folder="more", project=Project(roots=("", *found.paths)))
    assert passed(again) == [IT]


def test_what_is_imported_is_the_projects_own(run: Runner):
    """It may have the name of what is there already."""
    tests = "from packaging.mine import own\ndef test_it(): assert own()\n"
    mine = {"packaging/__init__.py": "", "packaging/mine.py": "def own(): return True", "tests/test_mod.py": tests}
    assert passed(run(mine)) == [IT]
    library = run({**FILES, "iniconfig/__init__.py": ""}, folder="library")
    assert library.results == {}
    assert library.errors == (
        "iniconfig: the project's own iniconfig is imported from elsewhere before its tests run, by pytest itself: "
        "judge it with --check",
    )
    with pytest.raises(BaselineFails, match="judge it with --check"):
        library.check_baseline()


def test_a_plugin_of_the_projects_own_is_found(run: Runner):
    """What is remembered of installed packages does not hide those of the project, and tests see nothing of it."""
    files = {
        "own.egg-info/PKG-INFO": "Metadata-Version: 2.1\nName: own\nVersion: 1.0\n",
        "own.egg-info/entry_points.txt": "[pytest11]\nown = own_plugin\n",
        "own_plugin.py": "import pytest\n@pytest.fixture\ndef own(): return 1\n",
        "tests/test_mod.py": "from importlib import metadata\ndef test_it(own):\n    assert own == 1\n"
        "    assert metadata.distributions.__module__ == 'importlib.metadata'\n"
        "    assert metadata.version('own') == '1.0'\n"
        "    assert {'own', 'pytest'} <= {found.metadata['Name'] for found in metadata.distributions()}\n",
    }
    assert passed(run(files)) == [IT]


def test_any_name_of_a_folder_will_do(run: Runner):
    files = {
        "pkg/__init__.py": "",
        "pkg/mod.py": SOURCE,
        "tests/dir[1]/test_mod.py": TESTS,
        "tests/dir[1]/test_other.py": "import nothing_there",
        "tests/test_broken.py": "import nothing_there",
    }
    name = "tests/dir[1]/test_mod.py"
    assert passed(run(files, files=(name,))) == [f"{name}::test_it"]
    assert passed(run(files, files=(name,), only=(f"{name}::test_it",))) == [f"{name}::test_it"]


# -- the planted tests ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("conftest", "said"),
    [
        ("def pytest_pyfunc_call(pyfuncitem): return True", "a test that has to fail is passed"),
        ("def pytest_pyfunc_call(pyfuncitem): assert 0", "a test that has to pass is failed"),
        ("def pytest_runtest_setup(item): assert 0", "a test that has to fail is error"),
        (
            "def pytest_runtest_logreport(report): report.outcome = 'passed'",
            "a test that has to fail is passed",
        ),
        ("def pytest_runtest_protocol(item): return True", "a test that has to fail is missing"),
        ("import pytest\npytest.Function.runtest = lambda self: None", "it replaces _pytest.python.Function.runtest"),
        ("import _pytest.runner as r\nr.check_interactive_exception = lambda *_: False", "it replaces _pytest.runner."),
    ],
)
def test_a_pytest_that_is_not_what_it_was_is_found_out(run: Runner, conftest: str, said: str):
    hooks = conftest.replace("def pytest", "import pytest\n@pytest.hookimpl(tryfirst=True)\ndef pytest", 1)
    found = run({**FILES, "conftest.py": hooks})
    assert (found.distrust or "").startswith(said)
    with pytest.raises(BaselineFails) as caught:
        found.check_baseline()
    assert said in str(caught.value)


def test_nobody_knows_the_planted_tests_by_name(run: Runner, tmp_path: Path):
    conftest = (
        "import pathlib\nseen = pathlib.Path(__file__).with_name('seen')\n"
        "def pytest_runtest_logstart(nodeid):\n    with seen.open('a') as file: file.write(nodeid + '\\n')\n"
    )
    names = []
    for number in ("one", "other"):
        assert passed(run({**FILES, "conftest.py": conftest}, folder=number, seed=5)) == [IT]
        names.append(set((tmp_path / number / "seen").read_text().splitlines()) - {IT})
    assert [len(name) for name in names] == [2, 2]
    assert not names[0] & names[1]
    assert all(name.startswith("tests/test_mod.py::test_") for name in names[0] | names[1])


def test_the_planted_tests_are_in_nobodys_way(run: Runner):
    """What a project prepares for its tests is prepared once, and not for ours, which it may not suit; whatever it
    makes of tests that it does not know is its own affair."""
    conftest = (
        "import pytest\nprepared = []\n"
        "@pytest.fixture(autouse=True)\ndef needs(request): request.node.get_closest_marker('known').args[0]\n"
        "@pytest.fixture(scope='module', autouse=True)\ndef once(request):\n"
        "    assert request.node.nodeid not in prepared\n    prepared.append(request.node.nodeid)\n"
    )
    tests = (
        "import pytest\npytestmark = pytest.mark.known(1)\n"
        "@pytest.mark.parametrize('n', range(5))\ndef test_n(n): pass\n"
    )
    files = {f"tests/test_{name}.py": tests for name in "abc"}
    ini = "[pytest]\nmarkers = known: it is\naddopts = --strict-markers\n"
    for _ in range(3):
        assert len(passed(run({**files, "conftest.py": conftest, "pytest.ini": ini}))) == 15
    skips = (
        conftest + "def pytest_runtest_setup(item):\n    if not item.get_closest_marker('known'): pytest.skip('no')\n"
    )
    assert len(passed(run({**files, "conftest.py": skips, "pytest.ini": ini}))) == 15


def test_a_run_of_no_tests_is_one(run: Runner):
    assert passed(run(FILES, only=("tests/test_mod.py::test_none",))) == []
    assert passed(run({"pkg/__init__.py": ""}, folder="bare")) == []


# -- answers ----------------------------------------------------------------------------------------------------------

GOOD: dict[str, Any] = {
    "status": 1,
    "tests": [{"id": "a::b", "outcome": "passed", "text": "", "seconds": 0.5}],
    "errors": [{"where": "x", "text": "E  y"}],
    "planted": {"fail": "failed", "pass": "passed"},
    "tampered": [],
    "calls": [{"arguments": b"x", "seen": None, "shape": "int", "weight": 1.0, "tests": ["a::b"]}],
    "call_count": 1,
    "reaching": {"a::b": 1},
    "uncopied": {"why": 2},
    "imports": ["json"],
    "paths": ["tests", ""],
    "modules": [],
}
DATA = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text() | st.sampled_from(sorted(GOOD)), inner),
    max_leaves=12,
)


def answered(value: Any) -> TestRun:
    found = TestRun.of(CallOutcome(ending=Ending.OK, value=value))
    assert found is not None
    return found


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield path
    for key, inner in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield from places(inner, (*path, key))


def changed(value: Any, path: tuple[Any, ...], other: Any) -> Any:
    if not path:
        return other
    copy = value.copy()
    copy[path[0]] = changed(value[path[0]], path[1:], other)
    return copy


def test_a_good_answer_is_believed():
    found = answered(GOOD)
    assert (found.distrust, found.errors, found.paths) == (None, ("x: y",), ("tests", ""))
    assert found.calls[0].arguments == b"x"
    assert found.results["a::b"].outcome is TestOutcome.PASSED


@given(DATA)
def test_any_answer_gives_a_run(value: Any):
    assert answered(value).distrust is not None
    assert answered({**GOOD, "errors": [value]}).results.keys() <= {"a::b"}


@given(st.sampled_from(list(places(GOOD))), DATA)
def test_an_answer_that_is_nearly_good_gives_a_run(path: tuple[Any, ...], value: Any):
    found = answered(changed(GOOD, path, value))
    assert found.distrust is not None or all(math.isfinite(result.seconds) for result in found.results.values())
    is_unfit = found.distrust is not None or (bool(found.errors) and not found.passed())
    with pytest.raises(BaselineFails) if is_unfit else pytest.MonkeyPatch.context():
        found.check_baseline()


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("errors",), [{}]),
        (("errors", 0, "text"), None),
        (("tests", 0, "seconds"), math.nan),
        (("tests", 0, "seconds"), math.inf),
        (("tests", 0, "seconds"), -1.0),
        (("tests",), GOOD["tests"] * 2),
        (("calls", 0), {}),
        (("calls", 0, "weight"), math.nan),
        (("call_count",), -1),
        (("call_count",), 10**30),
        (("status",), True),
        (("imports",), ["x"] * 200_001),
        (("paths",), ["/etc"]),
        (("paths",), ["a/../.."]),
        (("planted",), {}),
        (("tampered",), ["x" * 10**6]),
    ],
)
def test_an_answer_that_is_impossible_is_not_believed(path: tuple[Any, ...], value: Any):
    found = answered(changed(GOOD, path, value))
    assert found.distrust is not None
    assert len(found.distrust) < 1000


def test_texts_are_cut():
    found = answered(changed(changed(GOOD, ("tests", 0, "text"), "x" * 10**6), ("errors", 0, "text"), "y" * 10**6))
    assert found.distrust is None
    assert len(found.results["a::b"].text) < 10_000
    assert len(found.errors[0]) < 1000
