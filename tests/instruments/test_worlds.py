"""Worlds: several copies of a project in one process, and recorded calls between them."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from bakeoff.instruments import recordings
from bakeoff.instruments.worlds import NoSuchTarget, World, project_names
from repositories import state_of, write_files

FILES = {
    "src/shop/__init__.py": "",
    "src/shop/prices.py": ("RATE = 1\n\n\nclass Price:\n    def __init__(self, cents):\n        self.cents = cents\n"),
    "src/shop/deep/__init__.py": "",
    "src/shop/deep/till.py": (
        "def total(price):\n    from shop.prices import RATE, Price\n\n"
        "    return RATE * price.cents, type(price) is Price\n"
    ),
    "src/shop/data.txt": "one",
    "tests/test_till.py": "",
    "docs/index.md": "",
}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    write_files(tmp_path / "project", FILES)
    return tmp_path / "project"


def world(project: Path, name: str, **edits: bytes | None) -> World:
    paths = {path.replace("__", "/"): content for path, content in edits.items()}
    return World(name, str(project), str(project.parent / "place"), roots=("src", ""), edits=paths)


CHANGED = FILES["src/shop/prices.py"].replace("RATE = 1", "RATE = 2").encode()


def changed(
    project: Path, name: str = "changed", path: str = "src/shop/prices.py", to: bytes | None = CHANGED
) -> World:
    return World(name, str(project), str(project.parent / "place"), roots=("src", ""), edits={path: to})


def test_each_world_has_its_own_modules_also_those_imported_in_a_call(project: Path):
    path, modules = sys.path[:], set(sys.modules)
    one, two = world(project, "one"), changed(project)
    with one.entered():
        from shop.prices import Price

        recorded = recordings.dumps(((Price(3),), {}))
    for found, expected in ((one, (3, True)), (two, (6, True)), (one, (3, True))):
        with found.entered():
            callee = found.callee("shop.deep.till", "total")
            positional, keywords = recordings.loads(recorded)
            assert callee.function(*positional, **keywords) == expected
    assert sys.path == path
    assert not {name for name in set(sys.modules) - modules if name.startswith("shop")}


def test_worlds_within_worlds(project: Path):
    one, two = world(project, "one"), changed(project)
    with one.entered():
        import shop.prices as outer

        with two.entered():
            import shop.prices as inner

            assert (outer.RATE, inner.RATE) == (1, 2)
            with two.entered():
                assert sys.modules["shop.prices"] is inner
        assert sys.modules["shop.prices"] is outer


def test_what_a_module_does_to_sys_modules_stays_in_its_world(project: Path):
    """A module that puts another of the project's in its place does so for its own world."""
    trick = b"import sys, types\nsys.modules['shop.deep'] = types.ModuleType('shop.deep')\nRATE = 3\n"
    one, two = world(project, "one"), changed(project, to=trick)
    with two.entered():
        import shop.prices
    with one.entered():
        import shop.deep.till

        assert shop.deep.till.__file__.startswith(one.tree)


def test_a_tree_has_the_edits_and_nothing_of_the_project_is_written(project: Path):
    before = state_of(project)
    edits = {"src/shop/data.txt": b"two", "src/shop/new.py": b"NEW = 1\n", "src/shop/deep/till.py": None}
    found = World("edited", str(project), str(project.parent / "place"), roots=("src", ""), edits=edits)
    tree = Path(found.tree)
    assert (tree / "src/shop/data.txt").read_text() == "two"
    assert (tree / "src/shop/new.py").exists()
    assert not (tree / "src/shop/deep/till.py").exists()
    assert (tree / "src/shop/prices.py").read_text() == FILES["src/shop/prices.py"]
    assert (tree / "docs").is_symlink()
    with found.entered():
        import shop.new  # noqa: F401
    assert state_of(project) == before


def test_byte_code_of_an_edited_file_is_not_taken_for_it(project: Path):
    """Same size, same time: only the content differs."""
    import py_compile

    source = project / "src/shop/prices.py"
    py_compile.compile(str(source))
    os.utime(source, (1, 1))
    py_compile.compile(str(source))
    two = changed(project)
    os.utime(Path(two.tree) / "src/shop/prices.py", (1, 1))
    with two.entered():
        import shop.prices

        assert shop.prices.RATE == 2


def test_alike_makes_files_that_are_not_edited(project: Path):
    found = World("alike", str(project), str(project.parent / "place"), alike=("src/shop/data.txt", "not/there"))
    assert not (Path(found.tree) / "src/shop/data.txt").is_symlink()


def test_which_names_are_the_projects(project: Path):
    (project / "src" / "data").mkdir()
    (project / "src" / "collections").mkdir()
    (project / "src" / "single.py").touch()
    assert project_names(str(project), ("src",)) == {"shop", "single", "data"}


TARGETS = """
import functools

class Box:
    def plain(self): return "plain", type(self).__name__
    @classmethod
    def made(cls): return "made", cls.__name__
    @staticmethod
    def free(): return "free", None
    @property
    def size(self): return "size", type(self).__name__
    @functools.cached_property
    def kept(self): return "kept", type(self).__name__

class Small(Box):
    pass

@functools.lru_cache
def cached(): return "cached", None

def walk(): yield 1
async def wait(): return 1
async def stream(): yield 1
constant = 3
"""


@pytest.mark.parametrize(
    ("name", "kind", "receiver"),
    [
        ("Box.plain", "function", "instance"),
        ("Box.made", "function", "class"),
        ("Box.free", "function", "none"),
        ("Box.size", "function", "instance"),
        ("Box.kept", "function", "instance"),
        ("Small.plain", "function", "instance"),
        ("cached", "function", "none"),
        ("walk", "generator", "none"),
        ("wait", "coroutine", "none"),
        ("stream", "async-generator", "none"),
    ],
)
def test_the_target_is_what_is_called_in_the_end(project: Path, name: str, kind: str, receiver: str):
    write_files(project, {"src/shop/targets.py": TARGETS})
    found = world(project, "one")
    with found.entered():
        callee = found.callee("shop.targets", name)
        assert (callee.kind, callee.receiver) == (kind, receiver)
        if receiver != "none":
            from shop.targets import Box

            assert callee.function(Box if receiver == "class" else Box()) == (name.rpartition(".")[2], "Box")


@pytest.mark.parametrize("name", ["nothing", "constant", "Box.nothing", "constant.real"])
def test_what_is_no_target_is_told(project: Path, name: str):
    write_files(project, {"src/shop/targets.py": TARGETS})
    found = world(project, "one")
    with found.entered(), pytest.raises(NoSuchTarget, match=name.rpartition(".")[2]):
        found.callee("shop.targets", name)
