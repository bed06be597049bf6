"""The projects in `examples/`: they are what their READMEs say."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from bakeoff.candidates import Change, File
from repositories import CLEAN, commit, git

EXAMPLES = Path(__file__).parent.parent / "examples"
BROUGHT = {"logbook": {"counted", "most-common", "tidied"}, "depot": {"first-wins", "last-wins", "tidied"}}
CONTESTS = [
    pytest.param("logbook", "logbook/statistics.py::busiest", "counted", "most-common", id="logbook"),
    pytest.param("depot", "depot/money.py::priced", "first-wins", "last-wins", id="depot"),
]
ENVIRONMENT = {name: value for name, value in CLEAN.items() if not name.startswith(("BAKEOFF_", "PYTEST_", "COV_"))}


def run(*command: str, cwd: Path) -> str:
    done = subprocess.run(
        [sys.executable, "-m", *command], cwd=cwd, env=ENVIRONMENT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, f"{done.returncode}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def copied(name: str, folder: Path) -> Path:
    """The example as its README says to copy it: a repository of its own."""
    copy = folder / name
    shutil.copytree(EXAMPLES / name, copy, ignore=shutil.ignore_patterns("__pycache__", ".*_cache"))
    git(copy, "init", "--quiet", "--initial-branch=main")
    commit(copy)
    return copy


def patched(copy: Path, patch: Path) -> dict[str, bytes | None]:
    """What becomes of the files that a patch edits."""

    def read(path: str) -> File | None:
        file = copy / path
        return File(content=file.read_bytes()) if file.is_file() else None

    return Change.from_diff(patch.read_bytes(), base=read).contents


def test_all_examples_are_known():
    assert {path.parent.name for path in EXAMPLES.glob("*/candidates")} == BROUGHT.keys()


@pytest.mark.parametrize("name", BROUGHT)
def test_its_tests_pass_also_with_each_candidate(name: str, tmp_path: Path):
    copy = copied(name, tmp_path)
    pytest_run = ("pytest", "-q", "-p", "no:cacheprovider", "-W", "error")
    assert " passed" in run(*pytest_run, cwd=copy)
    candidates = {path.stem: path for path in (copy / "candidates").iterdir()}
    assert candidates.keys() == BROUGHT[name]
    for patch in candidates.values():
        files = patched(copy, patch)
        assert len(files) == 1
        for path, content in files.items():
            assert content is not None
            (copy / path).write_bytes(content)
        run(*pytest_run, cwd=copy)
        git(copy, "checkout", "--quiet", ".")


@pytest.mark.parametrize(("name", "target", "honest", "wrong"), CONTESTS)
def test_comparing_its_candidates_comes_out_as_promised(name, target, honest, wrong, tmp_path: Path):
    copy = copied(name, tmp_path)
    # Three at once: on a busy machine, too, all of them are judged before the budget is used up.
    options = ("--parallel-candidates", "3", "--budget", "12s", "--json")
    found = json.loads(run("bakeoff", "compare", "candidates", "--target", target, *options, cwd=copy))
    judged = {one["name"]: one for one in found["candidates"]}
    assert judged.keys() == BROUGHT[name]
    assert {one: judged[one]["verdict"] for one in judged} == {honest: "verified", wrong: "wrong", "tidied": "verified"}
    assert found["winner"]["name"] == honest
    assert found["winner"]["speedup"]["low"] > 2
    assert judged["tidied"]["decision"] != "faster"
    assert judged[wrong]["counterexample"].startswith(target.partition("::")[2] + "(")
    assert judged[wrong]["failures"] == [], "no test sees it"
