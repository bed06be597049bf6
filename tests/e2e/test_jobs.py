"""`optimize`, `compare`, `apply` and the like as a user runs them: processes, signals, terminals, files."""

from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from bakeoff.events import State
from bakeoff.store import Store
from jobs.contests import FAST, FILES, LISTS, applies, body, patch
from repositories import CLEAN, commit, git, make_repository, state_of, write_files

BAKEOFF = [sys.executable, "-m", "bakeoff"]
TARGET = "pkg/lists.py::unique"
QUICK = ("--budget", "20s", "--timing", "600ms")
STORE = frozenset({".git"})


def environment(**variables: str) -> dict[str, str]:
    return {name: value for name, value in CLEAN.items() if not name.startswith("BAKEOFF_")} | variables


def bakeoff(*arguments: str, cwd: Path, status: int = 0, **variables: str) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [*BAKEOFF, *arguments], cwd=cwd, env=environment(**variables), capture_output=True, text=True, check=False
    )
    assert done.returncode == status, f"{done.returncode}\n{done.stdout}\n{done.stderr}"
    return done


def document(*arguments: str, cwd: Path, status: int = 0) -> dict:
    return json.loads(bakeoff(*arguments, "--json", cwd=cwd, status=status).stdout)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    return make_repository(tmp_path / "repository", FILES)


# -- one command for a slow function ----------------------------------------------------------------------------------


@pytest.mark.promise("E8", "E10", "W5")
def test_optimize_from_nothing_to_a_commit(repository: Path):
    before = state_of(repository, without=STORE)
    found = document("optimize", TARGET, *QUICK, "--report", "r.html", "--branch", "faster", cwd=repository)
    assert found["target"] == TARGET
    assert found["baseline"] == {
        "tests": 4,
        "tests_reaching_target": 3,
        "recorded_calls": 4,
        "calls": 4,
        "flaky": [],
        "seconds": found["baseline"]["seconds"],
    }
    assert found["winner"]["speedup"]["low"] > 1.5
    won = next(one for one in found["candidates"] if one["name"] == found["winner"]["name"])
    assert (won["verdict"], won["decision"], won["source"]) == ("verified", "faster", "rules")
    assert won["evidence"]["tests"] == 4, "the winner passed the whole suite"
    assert won["evidence"]["recorded_calls"] == 4
    assert won["evidence"]["generated_inputs"] > 50
    assert found["sandbox"] in ("T1", "T2", "T3")
    assert found["winner"]["diff"].startswith("diff --git")
    assert applies(repository, found["winner"]["diff"])
    page = (repository / "r.html").read_text()
    (repository / "r.html").unlink()
    assert "unique" in page
    assert state_of(repository, without=STORE) == before
    assert git(repository, "show", "faster:pkg/lists.py") != LISTS.strip()
    assert git(repository, "log", "--format=%s", "faster", "-1").startswith("Make unique")
    assert f"Bakeoff-Run: {found['run']}" in git(repository, "log", "--format=%B", "faster", "-1")
    # And by the other doors.
    assert bakeoff("diff", found["run"][:12], cwd=repository).stdout == found["winner"]["diff"]
    assert document("apply", found["run"], cwd=repository)["written"] == ["pkg/lists.py"]
    assert "pkg/lists.py" in git(repository, "status", "--porcelain")
    assert document("apply", found["run"], cwd=repository)["already"] == ["pkg/lists.py"]
    assert subprocess.run([sys.executable, "-m", "pytest", "-q"], cwd=repository, check=False).returncode == 0
    bakeoff("report", found["run"], "-o", "again.html", cwd=repository)
    assert "unique" in (repository / "again.html").read_text()


def test_apply_merges_with_what_was_edited_since_or_writes_nothing(repository: Path):
    (repository.parent / "fast.patch").write_bytes(patch({"pkg/lists.py": body(FAST)}))
    run = document("compare", "../fast.patch", "--target", TARGET, *QUICK, cwd=repository)["run"]
    edited = LISTS.replace("item * 2", "2 * item")
    (repository / "pkg/lists.py").write_text(edited)
    assert document("apply", run, cwd=repository)["merged"] == ["pkg/lists.py"]
    merged = (repository / "pkg/lists.py").read_text()
    assert "2 * item" in merged
    assert "dict.fromkeys" in merged
    (repository / "pkg/lists.py").write_text(LISTS.replace("found.append(item)", "found.insert(len(found), item)"))
    before = state_of(repository, without=STORE)
    failed = bakeoff("apply", run, cwd=repository, status=3)
    assert "pkg/lists.py" in failed.stderr
    assert "hint:" in failed.stderr
    assert state_of(repository, without=STORE) == before


@pytest.mark.soak
def test_what_is_not_verified_is_shown_but_not_applied(repository: Path):
    (repository.parent / "bad.patch").write_bytes(patch({"pkg/lists.py": body("    return items")}))
    run = document("compare", "bad=../bad.patch", "--target", TARGET, *QUICK, cwd=repository)
    assert run["winner"] is None
    assert run["candidates"][0]["verdict"] == "wrong"
    assert run["candidates"][0]["counterexample"].startswith("unique(")
    assert "has no winner" in bakeoff("apply", run["run"], cwd=repository, status=2).stderr
    assert "is wrong: it is not applied" in bakeoff("apply", run["run"], "bad", cwd=repository, status=2).stderr
    assert "+    return items" in bakeoff("diff", run["run"], "bad", cwd=repository).stdout


# -- compare ----------------------------------------------------------------------------------------------------------


def test_compare_takes_files_folders_branches_commits_stashes_and_stdin(repository: Path):
    known = body("    return list(dict.fromkeys(items).keys())")
    git(repository, "checkout", "-q", "-b", "feature")
    write_files(repository, {"pkg/lists.py": body(FAST), "tests/test_new.py": "def test_new():\n    assert False\n"})
    commit(repository)
    git(repository, "checkout", "-q", "main")
    write_files(repository, {"pkg/lists.py": known})
    git(repository, "stash", "--quiet")
    patches = repository.parent / "patches"
    write_files(patches, {"one.patch": patch({"pkg/lists.py": body("    return [*dict.fromkeys(items)]")})})
    stdin = patch({"pkg/lists.py": body("    return sorted(set(items), key=list(items).index)")})
    done = subprocess.run(
        [*BAKEOFF, "compare", "feature", "stash@{0}", "../patches", "-", "--target", TARGET, *QUICK, "--json"],
        cwd=repository,
        env=environment(),
        input=stdin,
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found = {one["name"]: one for one in json.loads(done.stdout)["candidates"]}
    assert {name: one["verdict"] for name, one in found.items() if name != "stdin"} == {
        "feature": "verified",
        "stash@{0}": "verified",
        "one": "verified",
    }
    assert found.keys() == {"feature", "stash@{0}", "one", "stdin"}
    assert "left out: tests/test_new.py" in found["feature"]["note"]


@pytest.mark.parametrize(
    ("arguments", "status", "said"),
    [
        (["compare", "a.patch"], 2, "nothing to judge candidates by"),
        (["compare", "--target", TARGET], 2, "there is no candidate"),
        (["compare", "faeture", "--target", TARGET], 3, "did you mean feature"),
        (["compare", "x=../fast.patch", "x=feature", "--target", TARGET], 2, "two candidates are called 'x'"),
        (["optimize"], 2, "there is no target"),
        (["optimize", "pkg/lists.py::uniqe"], 2, "did you mean pkg/lists.py::unique?"),
        (["optimize", TARGET, "--source", "magic"], 2, "known are: rules, patches, agent"),
        (["optimize", TARGET, "--source", "agent"], 2, "needs a command"),
        (["optimize", TARGET, "--budget", "soon"], 2, "a time is wanted"),
        (["optimize", TARGET, "--timing", "0s"], 2, "a time is wanted"),
        (["optimize", TARGET, "--candidates", "0"], 2, "at least one candidate"),
        (["optimize", TARGET, "--tests", "tests/nothing.py"], 1, "nothing.py"),
        (["optimize", TARGET, "--tests", "tests/test_rest.py"], 1, "--allow-untested"),
        (["optimize", TARGET, "--tests", "tests/test_rest.py", "--allow-untested"], 1, "no inputs can be generated"),
        (["optimize", TARGET, "--store", "/proc/nowhere/store"], 6, "the store"),
        (["optimize", TARGET, "--python", "/nowhere/python"], 5, "no worker could be started"),
        (["apply", "01NOTHING"], 2, "there is no run"),
    ],
)
def test_mistakes_are_told_with_a_hint(repository: Path, arguments: list[str], status: int, said: str):
    git(repository, "branch", "feature")
    (repository.parent / "fast.patch").write_bytes(patch({"pkg/lists.py": body(FAST)}))
    if arguments[0] == "apply":
        status = 6
    done = bakeoff(*arguments, cwd=repository, status=status)
    assert said in " ".join(done.stderr.split())
    assert "hint:" in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""


@pytest.mark.soak
def test_of_several_targets_one_that_cannot_be_improved_does_not_stop_the_others(repository: Path):
    write_files(repository, {"pkg/more.py": "def never_called(x):\n    return x\n"})
    arguments = ("optimize", "pkg/more.py::never_called", TARGET, "--apply", "--json", *QUICK)
    done = bakeoff(*arguments, cwd=repository, status=1)
    assert git(repository, "diff", "--name-only") == "pkg/lists.py"
    failed, improved = json.loads(done.stdout)["targets"]
    assert (failed["state"], failed["winner"]) == ("failed", None)
    assert "never_called" in failed["error"]
    assert improved["winner"]["speedup"]["low"] > 1.5
    assert "none of the 4 tests calls pkg/more.py::never_called" in " ".join(done.stderr.split())


@pytest.mark.parametrize(("options", "said"), [("size=100k", "cannot be written"), ("ro", "cannot be")])
def test_a_store_on_a_full_or_read_only_disk_is_told(repository: Path, options: str, said: str):
    place = repository.parent / "disk"
    place.mkdir()
    unshare = ["unshare", "-m"] if os.geteuid() == 0 else ["unshare", "-rm"]
    if subprocess.run([*unshare, "true"], capture_output=True, check=False).returncode:
        pytest.skip("a mount namespace is needed, and unshare is not allowed to make one here")
    script = f'mount -t tmpfs -o {options} none "$1" && shift && exec "$@"'
    command = [*BAKEOFF, "optimize", TARGET, *QUICK, "--store", str(place / "store.sqlite")]
    done = subprocess.run(
        [*unshare, "sh", "-c", script, "sh", str(place), *command],
        cwd=repository,
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 6, done.stderr
    assert "error: the store" in done.stderr
    assert said in done.stderr
    assert "hint:" in done.stderr
    assert "Traceback" not in done.stderr
    assert git(repository, "status", "--porcelain") == ""


# -- being stopped ----------------------------------------------------------------------------------------------------

WAITS = "sh -c 'while :; do sleep 1; done'"


def start(*arguments: str, cwd: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [*BAKEOFF, *arguments], cwd=cwd, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def wait_for(process: subprocess.Popen[str], words: str) -> None:
    """Until a line on its stderr has these words."""
    assert process.stderr is not None
    seen = []
    for line in process.stderr:
        seen.append(line)
        if words in line:
            return
    raise AssertionError("".join(seen))


def test_ctrl_c_keeps_what_there_is_and_the_same_command_goes_on(repository: Path):
    store = Store(repository / ".git/bakeoff/store.sqlite")
    command = ("optimize", TARGET, "--agent", WAITS, "--agent-attempts", "1", "--budget", "100s")
    process = start(*command, cwd=repository)
    wait_for(process, ": verified")
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    assert "1 verified" in out
    assert "bakeoff optimize pkg/lists.py::unique --agent" in out, "the command to go on with"
    (summary,) = store.runs()
    assert summary.state is State.INTERRUPTED
    again = start(*command, cwd=repository)
    wait_for(again, ": verified")
    again.send_signal(signal.SIGINT)
    again.communicate(timeout=60)
    assert again.returncode == 130
    (summary,) = store.runs()
    assert summary.state is State.INTERRUPTED


def test_ctrl_c_twice_stops_at_once(repository: Path):
    process = start("optimize", TARGET, "--agent", WAITS, cwd=repository)
    wait_for(process, "learning")
    process.send_signal(signal.SIGINT)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=30)
    assert process.returncode == 130


@pytest.mark.promise("W10")
def test_killed_in_the_middle_it_goes_on_and_leaves_nothing(repository: Path):
    store = Store(repository / ".git/bakeoff/store.sqlite")
    process = start("optimize", TARGET, *QUICK, cwd=repository)
    wait_for(process, ": verified")
    process.kill()
    process.communicate(timeout=30)
    (summary,) = store.runs()
    assert summary.state is State.RUNNING
    found = document("optimize", TARGET, *QUICK, cwd=repository)
    assert found["run"] == summary.id
    assert found["winner"] is not None
    assert git(repository, "status", "--porcelain") == ""


# -- what is seen -----------------------------------------------------------------------------------------------------


@pytest.mark.soak
def test_on_a_terminal_there_is_a_board_and_elsewhere_lines(repository: Path):
    (repository.parent / "fast.patch").write_bytes(patch({"pkg/lists.py": body(FAST)}))
    command = [*BAKEOFF, "compare", "../fast.patch", "--target", TARGET, *QUICK]
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        command, cwd=repository, env=environment(TERM="xterm", COLUMNS="100"), stdout=subprocess.PIPE, stderr=theirs
    )
    os.close(theirs)
    board = b""
    while True:
        try:
            data = os.read(ours, 65536)
        except OSError:
            break
        if not data:
            break
        board += data
    out, _ = process.communicate(timeout=60)
    os.close(ours)
    assert process.returncode == 0
    assert b"\x1b[" in board, "a board is drawn anew in place"
    assert b"fast" in board
    assert b"\x1b[" not in out
    plain = bakeoff("compare", "../fast.patch", "--target", TARGET, *QUICK, cwd=repository)
    assert "\x1b[" not in plain.stderr
    assert "fast: verified" in plain.stderr
    assert bakeoff("compare", "../fast.patch", "--target", TARGET, *QUICK, "-q", cwd=repository).stderr == ""


# -- the demo ---------------------------------------------------------------------------------------------------------


@pytest.mark.soak
def test_the_demo_finds_what_is_faster_and_what_is_a_trap(tmp_path: Path):
    found = document("demo", str(tmp_path / "shop"), "--report", str(tmp_path / "shop.html"), cwd=tmp_path)
    customers, summary, largest = found["targets"]
    assert customers["winner"]["speedup"]["low"] > 2
    assert summary["winner"]["speedup"]["low"] > 1.5
    assert largest["winner"] is None
    (trap,) = [one for one in largest["candidates"] if one["verdict"] == "wrong"]
    assert trap["name"] == "sorted-first"
    assert "largest([Order(" in trap["counterexample"]
    assert git(tmp_path / "shop", "status", "--porcelain") == ""
    assert (tmp_path / "shop.html").read_text().count("<section") >= 3
    assert "is not empty" in bakeoff("demo", str(tmp_path / "shop"), cwd=tmp_path, status=2).stderr
