"""2,000 cells of 50 ms, 100 at once, by one contender in this process: prints what it took as JSON.

python overhead.py bare|ours|pydantic-evals|inspect-ai
"""

from __future__ import annotations

import json
import os
import sqlite3
import sys
import tempfile
import time
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import anyio

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

CELLS, AT_ONCE, SECONDS = 2_000, 100, 0.05


def told(took: Callable[[], Awaitable[None]]) -> None:
    """Wall and CPU time of this process, threads included, in the call alone."""

    async def main() -> None:
        wall, cpu = time.perf_counter(), time.process_time()
        await took()
        seconds = time.perf_counter() - wall
        print(json.dumps({"wall": seconds, "cpu_us": (time.process_time() - cpu) / CELLS * 1e6}))

    anyio.run(main)


async def bare(folder: Path) -> None:
    """Tasks, a limiter, a queue, and one thread that writes what has gathered, a row each; a hook when it is there."""
    connection = sqlite3.connect(folder / "bare.sqlite", isolation_level=None, check_same_thread=False)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("CREATE TABLE cells (cell INTEGER, body TEXT)")
    waiting: list[tuple[int, str, anyio.Event]] = []
    wake, hooks = anyio.Event(), []

    def commit(rows: list[tuple[int, str]]) -> None:
        connection.execute("BEGIN")
        connection.executemany("INSERT INTO cells VALUES (?, ?)", rows)
        connection.execute("COMMIT")

    async def write() -> None:
        nonlocal wake, waiting
        left = CELLS
        while left:
            if not waiting:
                wake = anyio.Event()
                await wake.wait()
            batch, waiting = waiting, []
            await anyio.to_thread.run_sync(commit, [(cell, body) for cell, body, _ in batch])
            for _, _, event in batch:
                event.set()
            left -= len(batch)

    async def cell(number: int, limiter: anyio.CapacityLimiter) -> None:
        async with limiter:
            await anyio.sleep(SECONDS)
        event = anyio.Event()
        waiting.append((number, json.dumps({"cell": number, "status": "done"}), event))
        wake.set()
        await event.wait()
        hooks.append(number)

    limiter = anyio.CapacityLimiter(AT_ONCE)
    async with anyio.create_task_group() as group:
        group.start_soon(write)
        for number in range(CELLS):
            group.start_soon(cell, number, limiter)
    assert len(hooks) == CELLS
    connection.close()


def ours(folder: Path) -> Callable[[], Awaitable[None]]:
    from bakeoff.events import CellEnded, MatrixState
    from bakeoff.matrix import Answered, Axis, Definition, Point, Task
    from bakeoff.matrix.running import MatrixRun
    from bakeoff.models import Account
    from bakeoff.store import Store

    @dataclass(frozen=True)
    class Sleep:
        name: str = "sleep"
        models: tuple[str, ...] = ()
        calls: int = 0
        asks_model: bool = False

        def described(self) -> dict[str, str]:
            return {"kind": "sleep"}

        async def answer(self, case: object) -> Answered:
            await anyio.sleep(SECONDS)
            return Answered(text="x")

    points = tuple(Point(name=f"t{n}", stands_for=Task(name=f"t{n}", prompt=f"{n}")) for n in range(CELLS))
    strategies = Axis(name="strategy", points=(Point(name="sleep", stands_for=Sleep()),))
    definition = Definition(name="m", axes=(strategies, Axis(name="task", points=points)), concurrency=AT_ONCE)
    cells = definition.cells()

    async def run() -> None:
        hooks = []
        store = Store(folder / "store.sqlite")
        async with store.record(watch=hooks.append) as log:
            matrix = MatrixRun(definition, log=log, account=Account(), models=lambda _: None, known=MatrixState())
            assert await matrix.run(cells) == 0
        assert sum(isinstance(one.event, CellEnded) for one in hooks) == CELLS

    return run


def pydantic_evals() -> Callable[[], Awaitable[None]]:
    from pydantic_evals import Case, Dataset

    dataset = Dataset(name="m", cases=[Case(name=f"t{n}", inputs=f"{n}") for n in range(CELLS)])

    async def answer(_: str) -> str:
        await anyio.sleep(SECONDS)
        return "x"

    async def run() -> None:
        report = await dataset.evaluate(answer, max_concurrency=AT_ONCE, progress=False)
        assert len(report.cases) == CELLS

    return run


def inspect_ai(folder: Path) -> Callable[[], Awaitable[None]]:
    os.environ["INSPECT_DISPLAY"] = "none"
    from inspect_ai import Task, eval_async
    from inspect_ai.dataset import Sample
    from inspect_ai.solver import Generate, TaskState, solver

    @solver
    def sleeping():
        async def solve(state: TaskState, generate: Generate) -> TaskState:
            await anyio.sleep(SECONDS)
            return state

        return solve

    task = Task(dataset=[Sample(input=f"{n}", id=n) for n in range(CELLS)], solver=sleeping())

    async def run() -> None:
        (log,) = await eval_async(
            task, model="mockllm/model", max_samples=AT_ONCE, log_dir=str(folder), log_level="error"
        )
        assert log.status == "success"

    return run


def main(contender: str) -> None:
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        folder = Path(name)
        contenders = {
            "bare": lambda: partial(bare, folder),
            "ours": lambda: ours(folder),
            "pydantic-evals": pydantic_evals,
            "inspect-ai": lambda: inspect_ai(folder),
        }
        told(contenders[contender]())


if __name__ == "__main__":
    main(sys.argv[1])
