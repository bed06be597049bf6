from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import anyio
import pytest

from bakeoff import __version__
from bakeoff.events import (
    CandidateJudged,
    CandidateMeasured,
    CandidateProposed,
    Decision,
    PoolOpened,
    RunEnded,
    RunStarted,
    SandboxFound,
    Speedup,
    State,
    Verdict,
    Warned,
)
from bakeoff.store import Store
from repositories import make_repository

BAKEOFF = [sys.executable, "-m", "bakeoff"]


def bakeoff(*arguments: str, cwd: Path, environment: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    clean = {name: value for name, value in os.environ.items() if not name.startswith("BAKEOFF_")}
    return subprocess.run(
        [*BAKEOFF, *arguments], cwd=cwd, env=clean | (environment or {}), capture_output=True, text=True, check=False
    )


def document(*arguments: str, cwd: Path, status: int = 0) -> dict:
    """What a command prints with --json: one document on stdout and nothing else."""
    done = bakeoff(*arguments, "--json", cwd=cwd)
    assert done.returncode == status, done.stderr
    return json.loads(done.stdout)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    return make_repository(tmp_path / "repo")


async def record(path: Path, *, ended: bool = True) -> str:
    async with Store(path).record() as log:
        await log.append(
            RunStarted(command="optimize", arguments=("a.py::f",), version="1", target="a.py::f", base="0" * 40)
        )
        await log.append(PoolOpened(kind="overlay", asked=4, size=3))
        await log.append(SandboxFound(tier="T2", layers=("files",), missing={"cgroup": "Permission denied"}))
        for number, verdict in enumerate([Verdict.VERIFIED, Verdict.WRONG]):
            patch = log.keep(f"patch {number}")
            name = f"c{number}"
            await log.append(CandidateProposed(candidate=name, name=f"[b]{name}", source="patches", patch=patch))
            reason = None if verdict is Verdict.VERIFIED else "result differs for [1]"
            await log.append(CandidateJudged(candidate=name, verdict=verdict, reason=reason))
        speedup = Speedup(estimate=3.1, low=2.9, high=3.3)
        await log.append(CandidateMeasured(candidate="c0", decision=Decision.FASTER, speedup=speedup))
        await log.append(Warned(message="only 3 of 4 slots"))
        if ended:
            await log.append(RunEnded(state=State.DONE, winner="[b]c0"))
        return log.run


@pytest.fixture
def run(repository: Path) -> str:
    return anyio.run(record, repository / ".git/bakeoff/store.sqlite")


# ── What is loaded ───────────────────────────────────────────────────────────────────────────────────────────────

LOADED = """
import sys
before = set(sys.modules)
sys.argv = ["bakeoff", *sys.argv[1:]]
from bakeoff.__main__ import main
main()
print("\\n".join(sorted(set(sys.modules) - before)), file=sys.stderr)
"""


def loaded_by(*arguments: str) -> set[str]:
    done = subprocess.run([sys.executable, "-I", "-c", LOADED, *arguments], capture_output=True, text=True, check=True)
    assert done.stdout
    return set(done.stderr.split())


def test_the_version_is_told_with_nothing_loaded() -> None:
    assert loaded_by("--version") - {"__future__"} == {"bakeoff", "bakeoff.__main__"}


def test_help_loads_no_command_and_nothing_heavy() -> None:
    loaded = loaded_by("--help")
    ours = {name for name in loaded if name.startswith("bakeoff")}
    assert ours == {"bakeoff", "bakeoff.__main__", "bakeoff.cli", "bakeoff.errors"}
    heavy = {
        "anyio",
        "trio",
        "asyncio",
        "msgspec",
        "psutil",
        "sqlite3",
        "platformdirs",
        "multiprocessing",
        "hypothesis",
    }
    assert not loaded & heavy
    assert len(loaded) < 330, "measured: 283 with cyclopts 5.4 and rich 15.0"


def test_importing_the_package_loads_nothing() -> None:
    script = "import sys; before = set(sys.modules); import bakeoff; print(sorted(set(sys.modules) - before))"
    done = subprocess.run([sys.executable, "-I", "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "['bakeoff']"


# ── Commands ─────────────────────────────────────────────────────────────────────────────────────────────────────


def test_version_and_help(tmp_path: Path) -> None:
    assert bakeoff("--version", cwd=tmp_path).stdout == f"bakeoff {__version__}\n"
    shown = bakeoff("--help", cwd=tmp_path)
    assert (shown.returncode, shown.stderr) == (0, "")
    for command in ("doctor", "runs", "show", "clean", "config"):
        assert command in shown.stdout


def test_doctor_tells_what_the_machine_offers(tmp_path: Path) -> None:
    found = document("doctor", cwd=tmp_path)
    assert found["bakeoff"] == __version__
    assert found["git"]["available"]
    assert found["cores"] >= 1
    assert found["slots"] in ("overlay", "worktree")
    assert set(found["slot_kinds"]) == {"overlay", "worktree"}
    assert found["noise"]["spread"] > 0
    assert all(room["free"] > 0 for room in found["rooms"])
    assert {"namespaces", "landlock", "seccomp", "privileges", "rlimits", "cgroup"} == set(found["isolation"])
    missing = {name for name, finding in found["isolation"].items() if not finding["available"]}
    assert missing <= {"cgroup"}
    assert found["tier"] == ("T2" if missing else "T3")
    assert found["problems"] == []
    shown = bakeoff("doctor", "--slots", "worktree", cwd=tmp_path)
    assert shown.returncode == 0
    assert ["slots", "worktree"] in [line.split() for line in shown.stdout.splitlines()]


def test_doctor_without_git_names_the_problem(tmp_path: Path) -> None:
    done = bakeoff("doctor", "--json", cwd=tmp_path, environment={"PATH": str(tmp_path)})
    found = json.loads(done.stdout)
    assert done.returncode == 1
    assert found["problems"] == ["git was not found: 2.38 or newer is needed"]
    assert found["slots"] is None


def test_doctor_where_overlays_do_not_work(tmp_path: Path) -> None:
    """A user without an id of its own may not make namespaces."""
    command = ["unshare", "-U", sys.executable, "-B", "-m", "bakeoff", "doctor", "--json"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    found = json.loads(done.stdout)
    assert (done.returncode, found["slots"]) == (0, "worktree")
    assert not found["slot_kinds"]["overlay"]["available"]
    assert not found["isolation"]["namespaces"]["available"], "tried, not read from a limit"
    assert found["isolation"]["seccomp"]["available"]
    forced = subprocess.run([*command, "--slots", "overlay"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert forced.returncode == 1
    assert "overlay slots do not work here" in json.loads(forced.stdout)["problems"][0]


def test_runs_lists_what_the_store_holds(repository: Path, run: str) -> None:
    (listed,) = document("runs", cwd=repository)["runs"]
    assert (
        listed["run"],
        listed["state"],
        listed["command"],
        listed["target"],
        listed["winner"],
        listed["events"],
    ) == (
        run,
        "done",
        "optimize",
        "a.py::f",
        "[b]c0",
        10,
    )
    shown = bakeoff("runs", cwd=repository / "pkg")
    assert run in shown.stdout
    assert shown.stderr == ""


def test_a_run_whose_writer_is_gone_has_died(repository: Path) -> None:
    run = anyio.run(lambda: record(repository / ".git/bakeoff/store.sqlite", ended=False))
    assert document("runs", cwd=repository)["runs"][0]["state"] == "died"
    assert document("show", run[:10], cwd=repository)["state"] == "died"


def test_no_runs_yet_is_said_on_stderr(repository: Path) -> None:
    done = bakeoff("runs", cwd=repository)
    assert (done.returncode, done.stdout) == (0, "")
    assert "no runs yet" in done.stderr
    assert bakeoff("runs", "-q", cwd=repository).stderr == ""
    assert document("runs", cwd=repository) == {"runs": []}
    assert not (repository / ".git/bakeoff").exists(), "looking makes nothing"


@pytest.mark.promise("X15")
def test_show_folds_a_run(repository: Path, run: str) -> None:
    found = document("show", run.lower()[:12], cwd=repository)
    assert found["slots"] == {"kind": "overlay", "asked": 4, "size": 3}
    assert found["sandbox"] == "T2"
    assert [candidate["verdict"] for candidate in found["candidates"]] == ["verified", "wrong"]
    assert found["candidates"][0]["speedup"] == {"estimate": 3.1, "low": 2.9, "high": 3.3}
    assert found["warnings"] == ["only 3 of 4 slots"]
    text = bakeoff("show", run, cwd=repository).stdout
    assert "3.10× [2.90, 3.30]" in text
    assert "[b]c1" in text, "names are shown as they are, not as markup"
    assert "warning: only 3 of 4 slots" in text
    assert "T2 (without cgroup)" in text


@pytest.mark.parametrize("where", ["flag", "environment", "file", "pyproject"])
def test_the_store_can_be_elsewhere(tmp_path: Path, repository: Path, where: str) -> None:
    store = tmp_path / "elsewhere" / "s.sqlite"
    run = anyio.run(record, store)
    environment: dict[str, str] = {}
    arguments = ["runs", "--json"]
    match where:
        case "flag":
            arguments += ["--store", str(store)]
        case "environment":
            environment = {"BAKEOFF_STORE": str(store)}
        case "file":
            (repository / "bakeoff.toml").write_text(f'store = "{store}"\n')
        case "pyproject":
            (repository / "pyproject.toml").write_text(f'[tool.bakeoff]\nstore = "{store}"\n')
    done = bakeoff(*arguments, cwd=repository / "pkg", environment=environment)
    assert [found["run"] for found in json.loads(done.stdout)["runs"]] == [run], done.stderr


@pytest.mark.promise("W10")
def test_clean_removes_what_dead_runs_left(tmp_path: Path, repository: Path) -> None:
    place = tmp_path / "slots"
    script = (
        "import os, sys, signal; from pathlib import Path; from bakeoff.workspaces.leftovers import claim\n"
        "print(claim(Path(sys.argv[1]), Path('/repo')), flush=True); os.kill(os.getpid(), signal.SIGKILL)"
    )
    killed = subprocess.run([sys.executable, "-c", script, str(place)], capture_output=True, text=True, check=False)
    (place / "precious").mkdir()
    environment = {"BAKEOFF_SLOTS_DIRECTORY": str(place)}
    dry = bakeoff("clean", "--dry-run", "--json", cwd=repository, environment=environment)
    assert [item["path"] for item in json.loads(dry.stdout)["kept"]] == [killed.stdout.strip()]
    done = bakeoff("clean", cwd=repository, environment=environment)
    assert done.stdout == f"removed  {killed.stdout.strip()}\n"
    assert [path.name for path in place.iterdir()] == ["precious"]
    assert "nothing to clean" in bakeoff("clean", cwd=repository, environment=environment).stderr


def test_config_show_tells_where_each_value_came_from(repository: Path) -> None:
    (repository / "bakeoff.toml").write_text('slots = "worktree"\nslots-directory = "from/file"\n')
    environment = {"BAKEOFF_SLOTS_DIRECTORY": "/from/environment"}
    done = bakeoff("config", "show", "--json", "--store", "x", cwd=repository / "pkg", environment=environment)
    found = json.loads(done.stdout)
    assert {name: setting for name, setting in found.items() if setting["from"] != "default"} == {
        "store": {"value": str(repository / "pkg/x"), "from": "--store"},
        "slots": {"value": "worktree", "from": str(repository / "bakeoff.toml")},
        "slots-directory": {"value": "/from/environment", "from": "BAKEOFF_SLOTS_DIRECTORY"},
    }
    assert found["sandbox"] == {"value": "auto", "from": "default"}
    shown = bakeoff("config", "show", cwd=repository / "pkg").stdout
    assert str(repository / "from/file") in shown, "paths in a file start from where it is"


# ── Mistakes ─────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("arguments", "status", "said"),
    [
        (["docter"], 2, 'Did you mean "doctor"?'),
        (["runs", "--jsn"], 2, "Did you mean --json?"),
        (["doctor", "--slots", "magic"], 2, "magic"),
        (["show"], 2, "RUN"),
        (["show", "01NOSUCHRUN"], 6, "there is no run '01NOSUCHRUN' in this store"),
        (["runs", "--store", "README.md"], 6, "cannot be read as a store"),
    ],
)
def test_mistakes_get_a_message_a_hint_and_a_status(
    repository: Path, arguments: list[str], status: int, said: str
) -> None:
    done = bakeoff(*arguments, cwd=repository)
    assert (done.returncode, done.stdout) == (status, "")
    assert done.stderr.startswith("error: ")
    assert said in done.stderr
    assert "\n\nhint: " in done.stderr
    assert "Traceback" not in done.stderr


def test_outside_a_repository_the_hint_names_the_store(tmp_path: Path) -> None:
    done = bakeoff("runs", cwd=tmp_path)
    assert done.returncode == 3
    assert "is not inside a git repository" in done.stderr
    assert "--store" in done.stderr


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("slot = 'overlay'", "did you mean slots?"),
        ("colour = 1", "known are: agent, agent-attempts"),
        ("slots = 'magic'", "use one of: worktree, overlay"),
        ("store = 7", "cannot be used"),
        ("store = ", "cannot be read"),
    ],
)
def test_a_bad_setting_names_its_file(repository: Path, text: str, said: str) -> None:
    (repository / "bakeoff.toml").write_text(text)
    done = bakeoff("runs", cwd=repository)
    assert done.returncode == 2
    assert said in done.stderr
    assert "bakeoff.toml" in done.stderr


def test_a_bad_variable_is_named_with_its_value(repository: Path) -> None:
    done = bakeoff("doctor", cwd=repository, environment={"BAKEOFF_SLOTS": "magic"})
    assert done.returncode == 2
    assert "BAKEOFF_SLOTS: slots = 'magic' cannot be used" in done.stderr


def test_debug_shows_the_traceback(repository: Path) -> None:
    done = bakeoff("show", "01NOSUCHRUN", "--debug", cwd=repository)
    assert "Traceback" in done.stderr
    assert "UnknownRun" in done.stderr


def test_debug_does_not_change_the_status(tmp_path: Path) -> None:
    assert bakeoff("runs", "--debug", cwd=tmp_path).returncode == bakeoff("runs", cwd=tmp_path).returncode == 3


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("tool = 1", ""),
        ("[tool]\nbakeoff = 'x'", "is not a table"),
        ("[tool.bakeoff]\nstore = '~nobody-of-that-name/x'", "cannot be used"),
    ],
)
def test_odd_project_files_are_no_traceback(repository: Path, text: str, said: str) -> None:
    (repository / "pyproject.toml").write_text(text)
    done = bakeoff("runs", cwd=repository)
    assert done.returncode == (2 if said else 0)
    assert said in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("stdout", ["full", "closed"])
def test_a_result_that_cannot_be_printed_is_told(repository: Path, stdout: str) -> None:
    target = "/dev/full" if stdout == "full" else "&-"
    shell = f"exec {sys.executable} -m bakeoff config show >{target}"
    done = subprocess.run(["sh", "-c", shell], cwd=repository, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "error: the result cannot be printed" in done.stderr
    assert "Traceback" not in done.stderr


def test_brackets_in_names_are_shown_as_they_are(tmp_path: Path, repository: Path) -> None:
    async def write() -> None:
        async with Store(tmp_path / "s.sqlite").record() as log:
            await log.append(RunStarted(command="optimize", version="1", target="t.py::f[param][/x]"))

    anyio.run(write)
    done = bakeoff("runs", "--store", str(tmp_path / "s.sqlite"), cwd=repository)
    assert "t.py::f[param][/x]" in done.stdout, done.stderr


def test_doctor_without_a_home(tmp_path: Path) -> None:
    done = bakeoff("doctor", "--json", cwd=tmp_path, environment={"HOME": ""})
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("later", ["", "/bin/sleep 0.3\n"], ids=["at once", "while it waits"])
def test_ctrl_c_ends_with_130_also_while_something_runs_that_does_not_end(tmp_path: Path, later: str) -> None:
    fake = tmp_path / "git"
    fake.write_text(f"#!/bin/sh\n{later}kill -INT $PPID\nexec /bin/sleep 1000\n")
    fake.chmod(0o755)
    done = bakeoff("doctor", cwd=tmp_path, environment={"PATH": str(tmp_path)})
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "interrupted\n")


def test_a_reader_that_has_seen_enough_is_no_error(repository: Path, run: str) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run([*BAKEOFF, "show", run], cwd=repository, stdout=writer, stderr=subprocess.PIPE, check=False)
    os.close(writer)
    assert (done.returncode, done.stderr) == (141, b"")


@pytest.mark.parametrize(("no_color", "coloured"), [("", True), ("1", False)])
def test_colour_is_for_terminals_and_can_be_refused(repository: Path, run: str, no_color: str, coloured: bool) -> None:
    assert "\x1b[" not in bakeoff("show", run, cwd=repository).stdout
    ours, theirs = pty.openpty()
    environment = {name: value for name, value in os.environ.items() if name != "NO_COLOR"} | {"TERM": "xterm"}
    if no_color:
        environment["NO_COLOR"] = no_color
    done = subprocess.run([*BAKEOFF, "show", run], cwd=repository, stdout=theirs, env=environment, check=True)
    os.close(theirs)
    shown = b""
    while chunk := read_some(ours):
        shown += chunk
    os.close(ours)
    assert done.returncode == 0
    assert (b"\x1b[32m" in shown) is coloured


def read_some(descriptor: int) -> bytes:
    try:
        return os.read(descriptor, 65536)
    except OSError:  # the other end of a pseudo-terminal is closed
        return b""
