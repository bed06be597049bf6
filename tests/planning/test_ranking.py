"""Functions that take the time of a workload, as targets; and a plan of some of its subplans."""

from __future__ import annotations

from pathlib import Path

import pytest

from bakeoff.planning import narrowed, ranked
from bakeoff.planning.ranking import LEAST_SHARE
from bakeoff.verify import Hotspot, Hotspots
from planning.plans import plan_of
from repositories import write_files

SOURCE = '''"""A module."""

import functools


def plain(x):
    return [y for y in (z for z in x)]


class Shape:
    @functools.cache
    def area(self):
        def inner(x):
            return x
        return inner(1)

    @property
    def size(self):
        return 1


WORDS = {word: (lambda text: text.upper()) for word in "ab"}
'''
LINES = {text: number for number, text in enumerate(SOURCE.splitlines(), start=1)}


def line(text: str) -> int:
    return next(number for found, number in LINES.items() if text in found)


def spot(path: str, at: int, seconds: float, *, calls: int = 1, by: tuple[str, ...] = ()) -> Hotspot:
    return Hotspot(path=path, line=at, name="f", seconds=seconds, calls=calls, by=by)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_files(
        tmp_path, {"s0.py": SOURCE, "s1.py": "def one():\n    pass\n", "s2.py": "# @generated\ndef two(): pass\n"}
    )
    write_files(tmp_path, {"broken.py": "def (", "tests/test_s.py": "def test_it(): pass\n"})
    return tmp_path


def targets(folder: Path, *spots: Hotspot, names: str = "s0 s1 s2 broken tests/test_s") -> dict[str, float]:
    plan = plan_of(dict.fromkeys(names.split(), ()))
    found = ranked(
        Hotspots(seconds=100.0, functions=spots), plan, folder, is_test=lambda path: path.startswith("tests/")
    )
    return {str(one.target): round(one.share, 3) for one in found}


def test_what_is_in_a_function_counts_as_that_function(folder: Path):
    found = targets(
        folder,
        spot("s0.py", line("def plain"), 1.0),
        spot("s0.py", line("[y for y"), 2.0),
        spot("s0.py", line("@functools.cache"), 1.0),
        spot("s0.py", line("def inner"), 3.0),
        spot("s0.py", line("@property"), 1.0),
        spot("s1.py", 1, 2.0),
    )
    assert found == {"s0.py::Shape.area": 0.4, "s0.py::plain": 0.3, "s1.py::one": 0.2, "s0.py::Shape.size": 0.1}


def test_nobody_improves_tests_what_is_generated_outside_of_functions_or_of_the_plan(folder: Path):
    found = targets(
        folder,
        spot("tests/test_s.py", 1, 50.0),
        spot("s2.py", 2, 50.0),
        spot("broken.py", 1, 50.0),
        spot("gone.py", 1, 50.0),
        spot("s0.py", line("WORDS ="), 50.0),
        spot("s1.py", 1, 1.0),
        names="s0 s1 s2 broken tests/test_s",
    )
    assert found == {"s1.py::one": 1.0}


def test_what_takes_next_to_nothing_is_not_worth_it(folder: Path):
    found = targets(folder, spot("s1.py", 1, 10.0), spot("s0.py", line("def plain"), 10.0 * LEAST_SHARE * 0.9))
    assert found.keys() == {"s1.py::one"}


def test_calls_tests_and_subplans_are_told(folder: Path):
    plan = plan_of({"s0": ()})
    spots = (
        spot("s0.py", line("def inner"), 1.0, calls=70, by=("tests/test_b.py",)),
        spot("s0.py", line("@functools.cache"), 1.0, calls=7, by=("tests/test_a.py",)),
    )
    (one,) = ranked(Hotspots(seconds=9.0, functions=spots), plan, folder, is_test=lambda path: False)
    assert (one.calls, one.tests, one.subplan, one.seconds) == (7, ("tests/test_a.py", "tests/test_b.py"), "s0", 2.0)


def test_where_nothing_was_called_there_is_nothing(folder: Path):
    assert targets(folder) == {}


def test_a_plan_of_some_keeps_who_comes_after_whom_through_those_left_out():
    plan = plan_of({"a": (), "b": ("a",), "c": ("b",), "d": ("c", "a"), "e": ()})
    few = narrowed(plan, ("d", "e", "a"))
    assert {leaf.id: leaf.after for leaf in few.leaves} == {"d": ("a",), "e": (), "a": ()}
    assert [branch.id for branch in few.root.leaves] == ["d", "e", "a"]
    (one,) = narrowed(plan, ("c",)).leaves
    assert one.after == ()
