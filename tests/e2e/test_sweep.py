"""`bakeoff sweep` as a user runs it: processes, signals, what is printed, and what is written."""

from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from bakeoff.events import State, TargetEnded
from bakeoff.store import Store
from repositories import CLEAN, git, make_repository, state_of, write_files

BAKEOFF = [sys.executable, "-m", "bakeoff"]
UNIQUE = '''"""Lists."""


def unique(items):
    """The items, each once, in their order."""
    found = []
    for item in items:
        if item not in found:
            found.append(item)
    return found
'''
TALLY = '''"""Words."""


def tally(words):
    """How often each word is there."""
    return [(word, words.count(word)) for word in sorted(set(words))]
'''
FILES = {
    "lists/__init__.py": "",
    "lists/unique.py": UNIQUE,
    "words/__init__.py": "",
    "words/tally.py": TALLY,
    "words/never.py": "def never(x):\n    return x\n",
    "tests/test_lists.py": "from lists.unique import unique\n\ndef test_it():\n"
    "    assert unique([n % 500 for n in range(2000)]) == list(range(500))\n    assert unique([]) == []\n",
    "tests/test_words.py": "from words.tally import tally\n\ndef test_it():\n"
    "    words = [f'w{n % 300}' for n in range(3000)]\n"
    "    assert tally(words) == [(word, 10) for word in sorted(set(words))]\n    assert tally([]) == []\n",
}
QUICK = ("--budget", "14s", "--target-speedup", "1.3", "--max-parallel", "2")
TARGETS = {"lists/unique.py::unique", "words/tally.py::tally"}
STORE = frozenset({".git"})


def environment(**variables: str) -> dict[str, str]:
    return {name: value for name, value in CLEAN.items() if not name.startswith("BAKEOFF_")} | variables


def bakeoff(*arguments: str, cwd: Path, status: int = 0) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [*BAKEOFF, *arguments], cwd=cwd, env=environment(), capture_output=True, text=True, check=False
    )
    assert done.returncode == status, f"{done.returncode}\n{done.stdout}\n{done.stderr}"
    return done


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    return make_repository(tmp_path / "repository", FILES)


@pytest.mark.promise("P8", "W5")
@pytest.mark.soak
def test_killed_in_the_middle_it_goes_on_to_a_branch(repository: Path):
    before = state_of(repository, without=STORE)
    store = Store(repository / ".git/bakeoff/store.sqlite")
    command = ("sweep", *QUICK, "--branch", "faster")
    process = subprocess.Popen(
        [*BAKEOFF, *command],
        cwd=repository,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    lines = []
    for line in process.stderr:
        lines.append(line)
        if any(f"{target}: " in line and "×" in line for target in TARGETS):
            break
    process.kill()
    process.communicate(timeout=30)
    (killed,) = [one for one in store.runs() if one.start.command == "sweep"]
    assert killed.state is State.RUNNING, "".join(lines)
    done = bakeoff(*command, "--json", cwd=repository)
    found = json.loads(done.stdout)
    assert found["run"] == killed.id
    assert {one["target"] for one in found["targets"]} == TARGETS
    assert all(one["merged"] and one["speedup"]["low"] > 1.05 for one in found["targets"]), found["targets"]
    assert found["merge"] == {"kept": found["merge"]["kept"], "dropped": [], "conflicts": [], "checks": 1}
    assert found["winner"]["name"] == "merged"
    assert found["winner"]["diff"].count("diff --git") == 2
    ended = [one.event for one in store.events(killed.id) if isinstance(one.event, TargetEnded)]
    assert len(ended) == 2, "what was done before was not done again"
    # The branch.
    assert git(repository, "rev-list", "--count", "main..faster") == "2"
    log = git(repository, "log", "--format=%B", "main..faster")
    assert "Make unique" in log
    assert "Make tally" in log
    assert log.count("Speedup: ") == log.count(f"Bakeoff-Sweep: {killed.id}") == 2
    assert state_of(repository, without=STORE) == before
    # And by the other doors.
    shown = bakeoff("show", killed.id, cwd=repository).stdout
    assert "lists/unique.py::unique" in shown
    assert "2 targets of 2 tried, 2 winners" in shown
    assert bakeoff("diff", killed.id, cwd=repository).stdout == found["winner"]["diff"]
    bakeoff("apply", killed.id, "--branch", "again", cwd=repository)
    assert git(repository, "rev-parse", "again^{tree}") == git(repository, "rev-parse", "faster^{tree}")
    assert git(repository, "rev-list", "--count", "main..again") == "2"
    bakeoff("apply", killed.id, cwd=repository)
    assert git(repository, "diff", "--name-only").split() == ["lists/unique.py", "words/tally.py"]
    bakeoff("report", killed.id, "-o", "../report.html", cwd=repository)
    assert (repository.parent / "report.html").exists()


def test_on_a_terminal_there_is_a_board_and_ctrl_c_stops_it(repository: Path):
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [*BAKEOFF, "sweep", "--budget", "100s"],
        cwd=repository,
        env=environment(TERM="xterm", COLUMNS="110"),
        stdout=subprocess.PIPE,
        stderr=theirs,
    )
    os.close(theirs)
    board, is_told = b"", False
    while True:
        try:
            data = os.read(ours, 65536)
        except OSError:
            break
        board += data
        if not is_told and b"0 of 2 done" in board and b"learning how it behaves" in board:
            is_told = True
            process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=60)
    os.close(ours)
    assert process.returncode == 130
    assert b"the same command goes on from here" in out
    runs = Store(repository / ".git/bakeoff/store.sqlite").runs()
    assert {one.state for one in runs} == {State.INTERRUPTED}
    assert {one.start.command for one in runs} == {"sweep", "optimize"}


def test_a_plan_that_was_written_down_is_followed(repository: Path):
    bakeoff("plan", "words/never.py", "--out", "../plan.toml", cwd=repository)
    done = bakeoff("sweep", "--plan", "../plan.toml", "--json", cwd=repository)
    found = json.loads(done.stdout)
    assert found["target"] == "words/never.py"
    assert found["targets"] == [], "what is hot is not in the plan"
    assert found["subplans"] == {"planned": 1, "worked_on": 0}
    assert "nothing to improve" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "status", "said"),
    [
        (["nowhere"], 2, "there is no nowhere"),
        ([".."], 3, "outside of the repository"),
        ([".git"], 2, "git's own"),
        (["--plan", "plan.toml", "lists"], 2, "leave the paths out"),
        (["--plan", "nowhere.toml"], 2, "cannot be read"),
        (["--profile", "make bench"], 2, "cannot be profiled"),
        (["--profile", "python nowhere.py"], 5, "fails on the baseline"),
        (["--top", "0"], 2, "at least one target"),
        (["--max-parallel", "-1"], 2, "at least one target"),
        (["--goal", "world-peace"], 2, "goal"),
        (["--source", "magic"], 2, "known are: rules, patches, agent"),
        (["--tests", "tests/nothing.py"], 1, "nothing.py"),
        (["empty"], 2, "there are no files to plan"),
    ],
)
def test_mistakes_are_told_with_a_hint(repository: Path, arguments: list[str], status: int, said: str):
    (repository / "empty").mkdir()
    done = bakeoff("sweep", *arguments, cwd=repository, status=status)
    assert said in " ".join(done.stderr.split())
    assert "hint:" in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""


def test_a_suite_that_fails_is_told(repository: Path):
    write_files(repository, {"tests/test_lists.py": "import nothing\n", "tests/test_words.py": "import nothing\n"})
    done = bakeoff("sweep", cwd=repository, status=1)
    assert "nothing" in done.stderr
    assert "hint:" in done.stderr
