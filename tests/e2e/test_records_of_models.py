"""What is recorded of language models, at the command line."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import anyio
import pytest

from bakeoff.store import Store
from report.kitchen import SMALL, Kitchen, asked, hostile_sampling, sampled

pytestmark = pytest.mark.usefixtures("in_place")


def bakeoff(*arguments: str, status: int = 0) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("BAKEOFF_")}
    command = [sys.executable, "-m", "bakeoff", *arguments, "--store", "s.sqlite"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == status, done.stderr
    return done


@pytest.fixture
def in_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def recorded(kitchen: Kitchen) -> str:
    """A log and its texts, in a store of their own."""

    async def write() -> str:
        async with Store(Path("s.sqlite")).record() as log:
            for text in kitchen.texts.values():
                log.keep(text)
            for one in kitchen.log:
                await log.append(one.event)
            return log.run

    return anyio.run(write)


def test_show_tells_what_models_took_and_what_was_asked_of_them() -> None:
    run = recorded(asked())
    found = json.loads(bakeoff("show", run, "--json").stdout)
    assert (found["spent"]["calls"], found["spent"]["cost"]) == (10, None)
    assert len(found["attempts"]) == 12
    assert f"{SMALL}: 7 calls in 8 attempts" in bakeoff("show", run).stdout
    shown = bakeoff("show", run, "gpt-5-mini-2").stdout
    assert "── assistant ──\nThe letters are joined once" in shown
    found = json.loads(bakeoff("show", run, "gpt-5-mini-2", "--json").stdout)
    assert [turn["role"] for turn in found["conversations"][0]["messages"]] == ["system", "user", "assistant", "user"]
    refused = bakeoff("show", run, "nobody", status=2)
    assert "has no candidate and no sample 'nobody'" in refused.stderr
    assert "hint: it has gpt-5-mini-1, claude-1" in refused.stderr


def test_show_and_report_tell_of_a_sampling() -> None:
    run = recorded(sampled())
    assert "sample 2.2 is valid, of 4 samples\nRed leaves\non the river\ngo home\n" in bakeoff("show", run).stdout
    assert "── answered ──\nSpring rain\n" in bakeoff("show", run, "2.1").stdout
    bakeoff("report", run, "-o", "page.html")
    assert "Red leaves" in Path("page.html").read_text(encoding="utf-8")


def test_json_holds_nothing_that_a_terminal_obeys() -> None:
    run = recorded(hostile_sampling("\x9b2J\x1b[2J\u202e\U000e0041"))
    written = bakeoff("show", run, "--json").stdout
    assert written.isascii()
    assert json.loads(written)["samples"][0]["text"] == "\x9b2J\x1b[2J\u202e\U000e0041"
