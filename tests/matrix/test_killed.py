"""A matrix whose process is killed again and again, at any moment, with the server's own count as the witness."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from bakeoff.events import CellEnded, CellStatus, Run, State
from bakeoff.store import Store
from bakeoff.testing.provider import Reply, serving

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bakeoff.testing.provider import Asked, LoopbackProvider

CELLS, KILLS = 300, 30
# Imports everything once; each try is a fork, which says who it is. A line on stdin asks for one.
PROGRAM = """
import os, sys
import anyio, openai, pydantic_ai.direct, pydantic_ai.models.openai, pydantic_ai.providers.openai
from pathlib import Path
from bakeoff.jobs.matrix import Wanted, run
from bakeoff.matrix import read
from bakeoff.store import Store

for line in sys.stdin:
    child = os.fork()
    if not child:
        wanted = Wanted(definition=read(Path("matrix.toml")))
        anyio.run(lambda: run(wanted, store=Store(Path("store.sqlite")), environment={"OPENAI_API_KEY": "the-key"}))
        os._exit(0)
    print(child, flush=True)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""
MATRIX = """
name = "killed"
[axes]
model = ["openai:m"]
task = {{ file = "tasks.csv" }}
[providers.openai]
base_url = "{url}"
backoff = 0.0
"""


@contextmanager
def starter(folder: Path) -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-c", PROGRAM]
    with subprocess.Popen(command, cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        yield process
        assert process.stdin is not None
        process.stdin.close()


def begun(process: subprocess.Popen[str]) -> int:
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write("\n")
    process.stdin.flush()
    return int(process.stdout.readline())


def status(process: subprocess.Popen[str]) -> int:
    assert process.stdout is not None
    return int(process.stdout.readline())


def durable(store: Store) -> set[str]:
    """The tasks whose cells are there."""
    if not store.runs():
        return set()
    (summary,) = store.runs()
    cells = Run.of(store.events(summary.id)).matrix.cells.values()
    return {one.planned.coordinates["task"] for one in cells if one.status is CellStatus.DONE}


def kill_at_some_moment(provider: LoopbackProvider, child: int, chance: random.Random) -> None:
    enough = len(provider.asked) + chance.randrange(1, 7)
    patience = time.monotonic() + 20
    while len(provider.asked) < enough and time.monotonic() < patience:
        time.sleep(0.001)
    time.sleep(chance.random() * 0.03)
    os.kill(child, signal.SIGKILL)


@pytest.mark.soak
@pytest.mark.promise("M3", "M5")
def test_killed_thirty_times_each_cell_is_there_once_and_none_is_asked_for_when_it_is_durable(tmp_path: Path) -> None:
    chance = random.Random(20261119)

    def answer(asked: Asked) -> Reply:
        return Reply(text=asked.text, latency=chance.random() * 0.03)

    (tmp_path / "tasks.csv").write_text("id,prompt\n" + "".join(f"{n},{n}\n" for n in range(CELLS)))
    store = Store(tmp_path / "store.sqlite")
    with serving(answer) as provider, starter(tmp_path) as process:
        (tmp_path / "matrix.toml").write_text(MATRIX.format(url=provider.url))
        killed = 0
        for _ in range(KILLS):
            known, before = durable(store), len(provider.asked)
            kill_at_some_moment(provider, begun(process), chance)
            killed += status(process) == -signal.SIGKILL
            assert not known & {one.text for one in provider.asked[before:]}, "what was durable was asked for again"
        known, before = durable(store), len(provider.asked)
        begun(process)
        assert status(process) == 0
        assert {one.text for one in provider.asked[before:]} == {f"{n}" for n in range(CELLS)} - known
        assert len(provider.asked) <= CELLS + KILLS * 2 * 4, "of each try that was killed, only what was under way"
    assert killed == KILLS
    (summary,) = store.runs()
    found = Run.of(store.events(summary.id))
    assert found.state is State.DONE
    assert len(durable(store)) == len(found.matrix.current) == CELLS
    ends = Counter(one.event.cell for one in store.events(summary.id) if isinstance(one.event, CellEnded))
    assert set(ends.values()) == {1}, "no cell has come to its end twice"
