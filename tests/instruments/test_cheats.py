"""What a candidate changes, looks at and keeps."""

from __future__ import annotations

import functools
import sys
import time
import types
from pathlib import Path

import pytest

from bakeoff.instruments import surroundings
from bakeoff.instruments.cheats import Lookout, Watch, kept_between_calls


@pytest.fixture
def module():
    found = types.ModuleType("watched_module")
    found.function = len
    found.number = 1
    sys.modules["watched_module"] = found
    yield found
    sys.modules.pop("watched_module", None)


def test_what_is_replaced_is_told(module, monkeypatch: pytest.MonkeyPatch):
    watch = Watch(frozenset({"mine"}))
    assert watch.changed() == []
    module.function = max
    monkeypatch.setattr(time, "perf_counter", lambda: 0)
    assert set(watch.changed()) == {"watched_module.function", "time.perf_counter"}
    assert watch.changed(("watched_module",)) == ["watched_module.function"]


@pytest.mark.parametrize("tells", [True, False], ids=["by heads", "by contents"])
@pytest.mark.parametrize(
    "replace",
    [
        lambda module: setattr(module, "function", max),
        lambda module: vars(module).update(function=max),
        lambda module: exec("function = max", vars(module)),
        lambda module: (delattr(module, "function"), setattr(module, "function", max)),
        lambda module: setattr(module.Kind, "function", max),
        lambda module: type.__setattr__(module.Kind, "function", max),
    ],
)
def test_however_it_is_replaced(module, replace, tells, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(surroundings, "_TELLS", tells and surroundings._TELLS)
    module.Kind = type("Kind", (), {"function": len, "__module__": "watched_module"})
    watch = Watch(frozenset())
    assert [module.function([1]), module.Kind.function([1]), *watch.changed()] == [1, 1]
    replace(module)
    assert watch.changed() in (["watched_module.function"], ["watched_module.Kind.function"])


def test_what_is_as_it_was_again_is_not_told(module):
    watch = Watch(frozenset())
    module.function = max
    module.function = len
    assert watch.changed() == []


def test_what_was_taken_down_beforehand_counts(module):
    """It is what a process that is forked later compares with."""
    surroundings._surroundings = surroundings.Surroundings()
    module.function = max
    sys.modules["another_module"] = other = types.ModuleType("another_module")
    other.function = len
    try:
        watch = Watch(frozenset())
        assert surroundings._surroundings is None
        other.function = max
        assert watch.changed() == ["watched_module.function", "another_module.function"]
    finally:
        del sys.modules["another_module"]


def test_what_modules_do_to_themselves_is_no_matter(module):
    watch = Watch(frozenset())
    module.number = 2
    module.__warningregistry__ = {}
    module.new = lambda: None
    assert watch.changed() == []


def test_the_projects_own_modules_are_its_own(module):
    watch = Watch(frozenset({"watched_module"}))
    module.function = max
    assert watch.changed() == []


def test_a_module_in_place_of_another_is_told(module):
    watch = Watch(frozenset())
    sys.modules["watched_module"] = types.ModuleType("watched_module")
    assert watch.changed() == ["sys.modules['watched_module']"]


def test_switches_of_the_interpreter_are_told():
    watch = Watch(frozenset())
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(limit + 1)
    try:
        assert watch.changed() == ["sys.getrecursionlimit()"]
    finally:
        sys.setrecursionlimit(limit)


def test_files_of_tests_and_looks_at_callers_are_heard(tmp_path: Path):
    (tmp_path / "world").mkdir()
    (tmp_path / "test_x.py").write_text("")
    source = (
        "import inspect, sys\n"
        f"def reads(): open({str(tmp_path / 'test_x.py')!r}).close()\n"
        "def looks(): return sys._getframe(1)\n"
        "def inspects(): return inspect.stack()[1]\n"
        "def works(): return [open('/dev/null').close(), sorted([1])]\n"
    )
    scope: dict = {}
    exec(compile(source, str(tmp_path / "world" / "mod.py"), "exec"), scope)
    outside: dict = {}
    exec(compile(source, str(tmp_path / "elsewhere.py"), "exec"), outside)

    def is_test(path: str) -> bool:
        return Path(path).name == "test_x.py"

    heard = {}
    for name in ("reads", "looks", "inspects", "works"):
        with Lookout.get().over(str(tmp_path / "world"), is_test) as seen:
            scope[name]()
            heard[name] = list(seen)
        with Lookout.get().over(str(tmp_path / "world"), is_test) as seen:
            outside[name]()
            assert not seen
    looks = ["it looks at who calls it"]
    assert heard == {"reads": ["it opens test_x.py"], "looks": looks, "inspects": looks, "works": []}


def test_what_grows_from_call_to_call_is_measured():
    source = """
import functools, re
TABLE = {}
class Box:
    shared = []
    @functools.lru_cache
    def method(self): return 1
def plain(n, seen=[]): seen.append(n)
def tabled(n): TABLE[n] = n
@functools.lru_cache
def cached(n): return n
compiled = functools.lru_cache(re.compile)
def closing():
    inner = {}
    def f(n): inner[n] = n
    return f
closed = closing()
def marked(n): marked.seen.append(n)
marked.seen = []
"""
    module = types.ModuleType("growing")
    exec(source, vars(module))
    before = kept_between_calls([module])
    (
        module.compiled("x"),
        module.plain(1),
        module.tabled(1),
        module.cached(1),
        module.closed(1),
        module.marked(1),
        module.Box().method(),
    )
    module.Box.shared.append(1)
    after = kept_between_calls([module])
    assert {name for name, size in after.items() if size > before.get(name, 0)} == {
        "growing.TABLE",
        "growing.Box.shared",
        "growing.Box.method",
        "growing.plain (default)",
        "growing.cached",
        "growing.closed (closure)",
        "growing.marked (attribute)",
    }


def test_foreign_values_are_no_danger():
    class Bad:
        __module__ = "bad"

        def __getattr__(self, name):
            raise ZeroDivisionError(name)

        def __len__(self):
            raise ZeroDivisionError

    module = types.ModuleType("bad")
    module.value = Bad()
    module.partial = functools.partial(len)
    assert kept_between_calls([module]) == {}
