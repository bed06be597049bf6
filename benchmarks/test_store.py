"""How many appends become durable in a second, and how long a long log takes to read.

Both are told as ratios to a bare SQLite on the same file system in the same run, since a disk whose fsync is cheap
(a virtual machine, a laptop that lies) makes every absolute figure look better, and in turns, since the machine
may be busy with something else for a while:

    uv run pytest -s benchmarks/test_store.py

Durable appends: beside "one commit each", which is the same log with batches of one and 100 tasks, and "bare
commits", which is a loop over `INSERT` and `COMMIT` in plain SQLite without events, tasks or threads. The target is
10 times "one commit each" with 100 tasks. Reading and folding 100,000 events: below one second.
"""

from __future__ import annotations

import contextlib
import itertools
import sqlite3
import statistics
import time
from functools import partial
from typing import TYPE_CHECKING

import anyio
import pytest

from bakeoff import store as module
from bakeoff.events import (
    CandidateJudged,
    CandidateMeasured,
    CandidateProposed,
    Decision,
    Run,
    RunStarted,
    Speedup,
    Text,
    Verdict,
    Warned,
)
from bakeoff.store import Store

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from pytest_benchmark.fixture import BenchmarkFixture

ROUNDS = 7
CANDIDATES = 33_333
MESSAGE = Warned(message="a slot could not be created: no space left on device")
ROW = ("01KDYAK3SE0000000000000000", "2026-01-02T03:04:06.678901+00:00", "warned.1", "{}")


def in_turns(variants: dict[str, Callable[[], object]]) -> dict[str, list[float]]:
    """The seconds that each took, round by round."""
    seconds: dict[str, list[float]] = {name: [] for name in variants}
    for _, (name, call) in itertools.product(range(ROUNDS), variants.items()):
        begin = time.perf_counter()
        call()
        seconds[name].append(time.perf_counter() - begin)
    return seconds


def ratio(above: list[float], below: list[float]) -> float:
    return statistics.median(a / b for a, b in zip(above, below, strict=True))


async def append_all(paths: Iterator[Path], count: int, tasks: int) -> None:
    async def append() -> None:
        for _ in range(count // tasks):
            await log.append(MESSAGE)

    async with Store(next(paths)).record() as log, anyio.create_task_group() as group:
        for _ in range(tasks):
            group.start_soon(append)


def append_one_commit_each(paths: Iterator[Path], count: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_BATCH_ITEMS", 1)
        anyio.run(append_all, paths, count, 100)


def commit_bare(paths: Iterator[Path], count: int) -> None:
    with contextlib.closing(sqlite3.connect(next(paths), isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("CREATE TABLE events (run, sequence, time, name, body, PRIMARY KEY (run, sequence))")
        for number in range(count):
            connection.execute("BEGIN IMMEDIATE")
            connection.execute("INSERT INTO events VALUES (?1, ?5, ?2, ?3, ?4)", (*ROW, number))
            connection.execute("COMMIT")


def test_durable_appends(benchmark: BenchmarkFixture, tmp_path: Path) -> None:
    paths = (tmp_path / str(number) for number in itertools.count())
    counts = {"one commit each": 500, "bare commits": 2000, "1 task": 500, "10 tasks": 2000, "100 tasks": 5000}
    taken = in_turns(
        {
            "one commit each": partial(append_one_commit_each, paths, 500),
            "bare commits": partial(commit_bare, paths, 2000),
            "1 task": partial(anyio.run, append_all, paths, 500, 1),
            "10 tasks": partial(anyio.run, append_all, paths, 2000, 10),
            "100 tasks": partial(anyio.run, append_all, paths, 5000, 100),
        }
    )
    each = {name: [seconds / counts[name] for seconds in taken[name]] for name in taken}
    print(f"\n{'durable appends':>20} {'a second':>10} {'/ one commit each':>18} {'/ bare commits':>15}")
    for name, seconds in each.items():
        ratios = [ratio(each[base], seconds) for base in ("one commit each", "bare commits")]
        print(f"{name:>20} {1 / statistics.median(seconds):10,.0f} {ratios[0]:18.1f} {ratios[1]:15.1f}")
        benchmark.extra_info[name] = ratios
    benchmark.pedantic(anyio.run, args=(append_all, paths, 5000, 100), rounds=3)


async def write_long(store: Store) -> str:
    async def evaluate(numbers: Iterator[int]) -> None:
        for number in numbers:
            name = f"{number:016x}"
            patch = Text(sha256=name * 4, size=number)
            await log.append(CandidateProposed(candidate=name, name=f"hoist {number}", source="rules", patch=patch))
            await log.append(CandidateJudged(candidate=name, verdict=Verdict.VERIFIED))
            speedup = Speedup(estimate=1.2, low=1.1, high=1.3)
            await log.append(CandidateMeasured(candidate=name, decision=Decision.FASTER, speedup=speedup))

    async with store.record() as log:
        await log.append(RunStarted(command="optimize", version="1"))
        numbers = iter(range(CANDIDATES))
        async with anyio.create_task_group() as group:
            for _ in range(500):
                group.start_soon(evaluate, numbers)
    return log.run


def fetch_all(path: Path) -> int:
    with contextlib.closing(sqlite3.connect(path)) as connection:
        return len(connection.execute("SELECT * FROM events ORDER BY run, sequence").fetchall())


def test_reading_100_000_events(benchmark: BenchmarkFixture, tmp_path: Path) -> None:
    store = Store(tmp_path / "store.sqlite")
    run = anyio.run(write_long, store)
    assert fetch_all(store.path) == sum(1 for _ in store.events(run)) == 100_000
    taken = in_turns(
        {
            "fetchall": partial(fetch_all, store.path),
            "read": lambda: sum(1 for _ in store.events(run)),
            "read and fold": lambda: Run.of(store.events(run)),
            "list the runs": store.runs,
        }
    )
    print(f"\n{'100,000 events':>20} {'seconds':>10} {'times fetchall':>18}")
    for name, seconds in taken.items():
        times = ratio(seconds, taken["fetchall"])
        print(f"{name:>20} {statistics.median(seconds):10.3f} {times:18.2f}")
        benchmark.extra_info[name] = times
    state = benchmark.pedantic(lambda: Run.of(store.events(run)), rounds=3)
    assert (state.events, len(state.candidates)) == (100_000, CANDIDATES)
