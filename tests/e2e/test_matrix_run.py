"""`bakeoff matrix check` and `run` as a user runs them: processes that ask a provider on this machine."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

from bakeoff.events import CellStatus, Run, State
from bakeoff.store import Store
from bakeoff.testing.provider import Asked, Fault, Reply, serving
from repositories import CLEAN
from warm import bakeoff

MATRIX = """
name = "pilot"
[axes]
model = ["openai:gpt-4o-mini"]
task = {{ file = "tasks.jsonl" }}
[scorers]
exact = {{ kind = "exact" }}
[providers.openai]
base_url = "{url}"
backoff = 0.0
"""
ENVIRONMENT = {name: value for name, value in CLEAN.items() if not name.startswith(("BAKEOFF_", "OPENAI_"))} | {
    "OPENAI_API_KEY": "the-key-of-a-test"
}


def made(folder: Path, url: str, tasks: int, more: str = "") -> None:
    (folder / "matrix.toml").write_text(MATRIX.format(url=url) + more)
    lines = [json.dumps({"id": f"t{n}", "prompt": f"{n}", "expected": n // 2 * 2}) for n in range(tasks)]
    (folder / "tasks.jsonl").write_text("\n".join(lines))


def matrix(folder: Path, *arguments: str, status: int = 0) -> subprocess.CompletedProcess[str]:
    done = bakeoff("matrix", *arguments, "--store", "store.sqlite", cwd=folder, env=ENVIRONMENT)
    assert done.returncode == status, f"{done.returncode}\n{done.stdout}\n{done.stderr}"
    assert "the-key-of-a-test" not in done.stdout + done.stderr
    return done


def recorded(folder: Path) -> Run:
    store = Store(folder / "store.sqlite")
    return Run.of(store.events(store.runs()[0].id))


def echo(asked: Asked) -> Reply:
    return Reply(text=asked.text)


@pytest.mark.promise("M1", "M4", "M7")
def test_what_it_will_take_is_told_then_it_is_run_and_the_status_says_how_it_went(tmp_path: Path) -> None:
    def answer(asked: Asked) -> Reply:
        if asked.text == "3" and len(provider.asked) < 10:
            return Reply(status=400, text="no")
        return Reply(text=asked.text, latency=0.05)

    with serving(answer) as provider:
        made(tmp_path, provider.url, 6)
        told = json.loads(matrix(tmp_path, "check", "matrix.toml", "--json").stdout)
        assert (told["all"]["cells"], told["all"]["calls"], told["caps"]) == (6, 6, {"openai": 4})
        dry = matrix(tmp_path, "run", "matrix.toml", "--dry-run", "--provider-concurrency", "2")
        assert "openai 2" in dry.stdout
        for wrong, says in [("0", "a number from 1 up"), ("opnai=3", "did you mean openai?")]:
            refused = matrix(tmp_path, "run", "matrix.toml", "--provider-concurrency", wrong, status=2)
            assert says in refused.stderr
        assert "a number from 1 up" in matrix(tmp_path, "run", "matrix.toml", "--max-failures", "0", status=2).stderr
        assert not provider.asked
        done = matrix(tmp_path, "run", "matrix.toml", "--provider-concurrency", "2", status=1)
        assert provider.peak == 2
        assert len(provider.asked) == 6
        assert "5 of 6 cells done, 1 failed" in done.stdout
        assert "CallRefused 400" in done.stderr + done.stdout
        assert "t0 · single: " in done.stderr
        matrix(tmp_path, "run", "matrix.toml", status=1)
        assert len(provider.asked) == 6
        provider.asked += [provider.asked[0]] * 4
        done = matrix(tmp_path, "run", "matrix.toml", "--retry-failed", "--json")
        assert json.loads(done.stdout)["cells"]["done"] == 6
        assert len(provider.asked) == 11


@pytest.mark.promise("M8")
def test_a_budget_that_is_spent_has_a_status_of_its_own_and_the_command_that_goes_on(tmp_path: Path) -> None:
    with serving(echo) as provider:
        made(tmp_path, provider.url, 6, "[settings]\nmax_tokens = 100\n")
        stopped = matrix(tmp_path, "run", "matrix.toml", "--max-tokens", "110", status=4)
        assert "to go on: bakeoff matrix run matrix.toml" in stopped.stderr
        assert 0 < len(provider.asked) < 6
        matrix(tmp_path, "run", "matrix.toml")
        assert len(provider.asked) == 6


@pytest.mark.promise("M7")
def test_all_mistakes_are_told_before_anything_is_asked(tmp_path: Path) -> None:
    with serving(echo) as provider:
        made(tmp_path, provider.url, 2, '[scorers.other]\nkind = "exat"\n[[exclude]]\nmodl = "x"\n')
        for command in ("check", "run"):
            told = matrix(tmp_path, command, "matrix.toml", status=2)
            assert "matrix.toml cannot be run: 2 mistakes" in told.stderr
            assert "line 12: scorers.other.kind: there is no kind 'exat' (did you mean exact?)" in told.stderr
            assert "line 14: exclude.0.modl: there is no axis 'modl' (did you mean model?)" in told.stderr
        assert not provider.asked
    schema = json.loads(matrix(tmp_path, "check", "--schema", "--json").stdout)
    assert schema["$defs"]["File"]["properties"]["axes"]


@pytest.mark.promise("M3", "M5")
def test_after_ctrl_c_nothing_is_begun_what_is_open_ends_and_every_result_is_kept(tmp_path: Path) -> None:
    with serving(lambda asked: Reply(text=asked.text, latency=0.1)) as provider:
        made(tmp_path, provider.url, 100)
        command = [sys.executable, "-m", "bakeoff", "matrix", "run", "matrix.toml", "--store", "store.sqlite"]
        with subprocess.Popen(
            command, cwd=tmp_path, env=ENVIRONMENT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        ) as process:
            while len(provider.asked) < 11 and process.poll() is None:
                time.sleep(0.005)
            process.send_signal(signal.SIGINT)
            _, said = process.communicate()
        assert process.returncode == 130, said
        asked = len(provider.asked)
        found = recorded(tmp_path)
        assert provider.aborted == 0
        assert 11 <= asked <= 19
        assert Counter(one.status for one in found.matrix.current) == {CellStatus.DONE: asked, None: 100 - asked}
        assert found.state is State.INTERRUPTED
        assert "what is under way may end within 30 s" in said
        assert "to go on: bakeoff matrix run matrix.toml --store store.sqlite" in said
        matrix(tmp_path, "run", "matrix.toml", "--provider-concurrency", "50")
        assert sorted(int(one.text) for one in provider.asked) == list(range(100))
        assert recorded(tmp_path).id == found.id


def test_what_is_open_after_ctrl_c_does_not_hold_up_for_longer_than_said(tmp_path: Path) -> None:
    with serving(Reply(fault=Fault.HANG)) as provider:
        made(tmp_path, provider.url, 9)
        command = [sys.executable, "-m", "bakeoff", "matrix", "run", "matrix.toml", "--store", "store.sqlite"]
        with subprocess.Popen(
            [*command, "--grace", "0.2s"], cwd=tmp_path, env=ENVIRONMENT, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        ) as process:
            while len(provider.asked) < 4 and process.poll() is None:
                time.sleep(0.005)
            process.send_signal(signal.SIGINT)
            _, said = process.communicate()
        assert process.returncode == 130, said
        assert len(provider.asked) == 4
    found = recorded(tmp_path)
    assert {one.status for one in found.matrix.current} == {None}
    assert not found.spent.open
