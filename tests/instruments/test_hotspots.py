"""Where the time of a program goes, by function."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from bakeoff.instruments import hotspots
from repositories import write_files

SOURCE = """
import json
import time


def busy(n):
    return sum(i * i for i in range(n))


def caller(n):
    return [busy(n) for _ in range(3)]


def parses():
    return [json.loads('{"a": [1, 2, 3]}') for _ in range(3000)]


def deep(n):
    return deep(n - 1) if n else sum(range(50_000))
"""
MAIN = """
import sys
from pkg.mod import busy, caller, deep, parses

caller(60_000)
parses()
deep(20)
if sys.argv[1:]:
    sys.exit(sys.argv[1] if sys.argv[1] != "0" else 0)
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    write_files(tmp_path, {"pkg/__init__.py": "", "pkg/mod.py": SOURCE, "bench.py": MAIN, "pkg/__main__.py": MAIN})
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    monkeypatch.setattr(sys, "argv", ["test"])
    before = set(sys.modules)
    yield tmp_path
    for name in set(sys.modules) - before:
        del sys.modules[name]


def seconds(found: dict) -> dict[str, float]:
    totals: dict[str, float] = {}
    for one in found["functions"]:
        totals[one["name"]] = totals.get(one["name"], 0.0) + one["seconds"]
    return totals


@pytest.mark.parametrize(
    "arguments", [["bench.py"], ["-m", "pkg"], ["-c", "from pkg.mod import *; caller(60_000); parses(); deep(20)"]]
)
def test_own_time_is_what_no_other_function_of_the_project_took(folder: Path, arguments: list[str]):
    found = hotspots.script({"arguments": arguments, "roots": [""]})
    took = seconds(found)
    assert found["status"] is None
    assert took["busy"] + took["<genexpr>"] > 10 * took["caller"], "who only calls is not what is slow"
    assert took["parses"] + took.get("<listcomp>", 0.0) > took["caller"], "what others' packages do counts as one's own"
    assert sum(took.values()) <= found["seconds"] * 1.5
    (deep,) = [one for one in found["functions"] if one["name"] == "deep"]
    assert (deep["path"], deep["calls"]) == ("pkg/mod.py", 21)
    assert deep["seconds"] < found["seconds"], "recursion is counted once"
    assert SOURCE.splitlines()[deep["line"] - 1].startswith("def deep")


@pytest.mark.parametrize(("status", "told"), [("0", None), ("7", "7"), ("no", "no")])
def test_how_a_script_ends_is_told(folder: Path, status: str, told: str | None):
    assert hotspots.script({"arguments": ["bench.py", status], "roots": []})["status"] == told


def test_who_got_to_a_function_is_told_by_turns(folder: Path):
    write_files(folder, {"more.py": "def one():\n    pass\n\n\ndef two():\n    pass\n"})
    import more

    meter = hotspots.Meter(str(folder))
    for who, calls in (("a", [more.one]), ("b", [more.one, more.two]), (None, [more.two]), ("a", [more.one])):
        meter.turn(who)
        meter.start()
        for call in calls:
            call()
        meter.stop()
    found = {one["name"]: one for one in meter.report()["functions"]}
    assert (found["one"]["by"], found["one"]["calls"]) == (["a", "b"], 3)
    assert (found["two"]["by"], found["two"]["calls"]) == (["b"], 2)
