"""What a call costs, beside plain processes and the usual pools; and whether a thousand bad ones leave anything.

All ways take turns in one run; the ratios are medians of the rounds:

    uv run pytest benchmarks/test_workers.py -s

Latency: a function that does nothing, fully jailed, beside `python -c pass`; and with numpy imported beforehand, beside
`python -c 'import numpy'`. Targets: at most 1/2 and 1/12.
Throughput: as many in flight as there are cores, beside concurrent.futures, which uses its processes again, and pebble
with a process for each task. Neither isolates anything.
A large result: an array of 100 MB, made there and read here, beside concurrent.futures; each in an engine of its own.
Targets: at most 1/3 of the time, and a peak of at most the result and a fifth.
Soak: 1,000 calls, of which a tenth each hangs, crashes, and leaves a process behind that ignores SIGTERM.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path  # noqa: TC003
from typing import TYPE_CHECKING

import anyio
import psutil
from pebble import ProcessPool

from bakeoff.fanout import collect
from bakeoff.workers import (
    CallLimits,
    CallOutcome,
    Ending,
    ForkServerBackend,
    PythonCall,
    SubprocessBackend,
    WorkerConfig,
)

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    import pytest

ROUNDS, BATCHES, BATCH, LARGE, SOAK = 60, 5, 100, 100_000_000, 1000
NOTHING = "def f(): pass"
LIMITS = CallLimits(memory=1 << 30, processes=100)
Times = dict[str, list[float]]


def nothing() -> None:
    """What the pools run: it has to be importable there."""


def call(source: str, folder: Path, **options) -> PythonCall:
    return PythonCall(function="f", source=source, directory=folder, **{"timeout": 60.0, **options})


def started(program: str) -> None:
    subprocess.run([sys.executable, "-c", program], check=True)


async def latency(folder: Path) -> Times:
    times: Times = defaultdict(list)
    plain, warm = WorkerConfig(workers=1), WorkerConfig(workers=1, preload=("numpy",))
    async with (
        ForkServerBackend(plain) as bare,
        ForkServerBackend(plain) as limited,
        ForkServerBackend(warm) as numpy,
        SubprocessBackend(plain) as single,
    ):

        async def of(backend: ForkServerBackend | SubprocessBackend, **options) -> None:
            (await backend.execute(call(NOTHING, folder, **options))).unwrap()

        async def process(program: str) -> None:
            started(program)

        ways: dict[str, Callable[[], Awaitable[None]]] = {
            "python -c pass": lambda: process("pass"),
            "fork server": lambda: of(bare),
            "fork server, limits on memory and processes": lambda: of(limited, limits=LIMITS),
            "python -c 'import numpy'": lambda: process("import numpy"),
            "fork server, numpy preloaded": lambda: of(numpy),
            "subprocess backend": lambda: of(single),
        }
        for way in ways.values():
            await way()
        for _ in range(ROUNDS):
            for name, way in ways.items():
                began = time.perf_counter()
                await way()
                times[name].append(time.perf_counter() - began)
    return times


def latency_table(times: Times) -> str:
    beside = {
        "fork server": ("python -c pass", "≤ 0.50"),
        "fork server, limits on memory and processes": ("python -c pass", "≤ 0.50"),
        "fork server, numpy preloaded": ("python -c 'import numpy'", "≤ 0.083"),
        "subprocess backend": ("python -c pass", ""),
    }
    lines = ["| a call of nothing | median ms | ratio | of | target |", "| --- | ---: | ---: | --- | ---: |"]
    for name, found in times.items():
        other, target = beside.get(name, ("", ""))
        ratio = f"{statistics.median(found) / statistics.median(times[other]):.3f}" if other else ""
        lines.append(
            f"| {name} | {statistics.median(found) * 1e3:.2f} | {ratio} | {other and f'`{other}`'} | {target} |"
        )
    return "\n".join(lines)


async def throughput(folder: Path) -> Times:
    cores = len(os.sched_getaffinity(0))
    rates: Times = defaultdict(list)
    async with ForkServerBackend(WorkerConfig(workers=cores)) as backend:
        with ProcessPoolExecutor(cores) as futures, ProcessPool(max_workers=cores, max_tasks=1) as pebble:

            async def ours(_: int) -> None:
                (await backend.execute(call(NOTHING, folder))).unwrap()

            async def fork_server() -> None:
                assert len((await collect(range(BATCH), ours, limit=cores)).values) == BATCH

            def reused() -> None:
                for future in [futures.submit(nothing) for _ in range(BATCH)]:
                    future.result()

            def fresh() -> None:
                for future in [pebble.schedule(nothing) for _ in range(BATCH)]:
                    future.result()

            await fork_server()
            reused()
            for _ in range(BATCHES):
                for name, way in (("concurrent.futures", reused), ("pebble, a process each", fresh)):
                    began = time.perf_counter()
                    await anyio.to_thread.run_sync(way)
                    rates[name].append(BATCH / (time.perf_counter() - began))
                began = time.perf_counter()
                await fork_server()
                rates["fork server, jailed"].append(BATCH / (time.perf_counter() - began))
    return rates


def throughput_table(rates: Times) -> str:
    ours = statistics.median(rates["fork server, jailed"])
    lines = ["| calls in a second | median | the fork server does × as many |", "| --- | ---: | ---: |"]
    for name, found in rates.items():
        lines.append(f"| {name} | {statistics.median(found):.0f} | {ours / statistics.median(found):.2f} |")
    return "\n".join(lines)


ENGINE = """
import sys, time
from pathlib import Path
import numpy as np

def peak():
    return int(next(line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM"))) * 1024

def make(n):
    import numpy as np
    return np.ones(n // 8)

def report(take):
    take(8000)
    Path("/proc/self/clear_refs").write_text("5")
    before, began = peak(), time.perf_counter()
    array = take(int(sys.argv[2]))
    total = float(array.sum())
    print(time.perf_counter() - began, peak() - before, total * 8)
"""
OURS = """
import anyio
from bakeoff.workers import ForkServerBackend, PythonCall, WorkerConfig
def main():
    source = "import numpy as np\\ndef f(n): return np.ones(n // 8)"
    backend = ForkServerBackend(WorkerConfig(workers=1, preload=("numpy",)))
    def take(n):
        call = PythonCall(function="f", source=source, arguments=(n,), directory=Path(sys.argv[1]), timeout=60)
        return np.asarray(anyio.run(backend.execute, call).unwrap())
    report(take)
    anyio.run(backend.shutdown)
main()
"""
THEIRS = """
from concurrent.futures import ProcessPoolExecutor
with ProcessPoolExecutor(1) as pool:
    report(lambda n: pool.submit(make, n).result())
"""


def large(folder: Path) -> dict[str, list[tuple[float, float]]]:
    found = defaultdict(list)
    for _ in range(BATCHES):
        for name, program in (("fork server", OURS), ("concurrent.futures", THEIRS)):
            command = [sys.executable, "-c", ENGINE + program, str(folder), str(LARGE)]
            seconds, peak, total = map(float, subprocess.check_output(command).split())
            assert total == LARGE
            found[name].append((seconds, peak))
    return found


def large_table(found: dict[str, list[tuple[float, float]]]) -> str:
    lines = [
        "| an array of 100 MB | median ms | × concurrent.futures | target | peak of the engine / result | target |",
        "| --- | ---: | ---: | ---: | ---: | ---: |",
    ]
    theirs = statistics.median(seconds for seconds, _ in found["concurrent.futures"])
    for name, ends in found.items():
        seconds, peak = statistics.median(end[0] for end in ends), statistics.median(end[1] for end in ends)
        targets = ("≤ 0.33", "≤ 1.20") if name == "fork server" else ("", "")
        numbers = f"{seconds * 1e3:.0f} | {seconds / theirs:.2f} | {targets[0]} | {peak / LARGE:.2f}"
        lines.append(f"| {name} | {numbers} | {targets[1]} |")
    return "\n".join(lines)


BEHAVIOURS = {
    "hangs": ("import signal\ndef f():\n signal.signal(15, signal.SIG_IGN)\n while True: pass", Ending.TIMEOUT),
    "crashes": ("import os\ndef f(): os.kill(os.getpid(), 11)", Ending.CRASH),
    "leaves one behind": (
        "import os, signal, time\ndef f():\n if os.fork() == 0:\n  os.setsid()\n  signal.signal(15, signal.SIG_IGN)\n"
        "  if os.fork() == 0: time.sleep(1000)\n  os._exit(0)\n os.wait()\n return 'left'",
        Ending.OK,
    ),
    "is fine": ("def f(): return 'fine'", Ending.OK),
}


def behaviour(number: int) -> str:
    return {0: "hangs", 1: "crashes", 2: "leaves one behind"}.get(number % 10, "is fine")


async def soak(folder: Path) -> str:
    before = set(os.listdir(tempfile.gettempdir()))
    async with ForkServerBackend(WorkerConfig(workers=4, recycle=300)) as backend:

        async def one(number: int) -> CallOutcome:
            source, _ = BEHAVIOURS[behaviour(number)]
            return await backend.execute(call(source, folder, timeout=1.0, limits=LIMITS))

        began = time.perf_counter()
        ends = (await collect(range(SOAK), one, limit=8)).values
        seconds = time.perf_counter() - began
    wrong = Counter(
        (behaviour(number), str(end.ending))
        for number, end in enumerate(ends)
        if end.ending is not BEHAVIOURS[behaviour(number)][1]
    )
    stragglers = sum(end.stragglers for end in ends)
    left = psutil.Process().children(recursive=True)
    folders = [name for name in set(os.listdir(tempfile.gettempdir())) - before if name.startswith("bakeoff-")]
    assert not left, left
    assert not folders, folders
    return (
        f"{SOAK} calls in {seconds:.1f} s: {dict(Counter(behaviour(n) for n in range(SOAK)))}\n"
        f"wrong outcomes: {dict(wrong) or 'none'}; processes left behind and ended: {stragglers}; left now: {len(left)}"
    )


def shown(capsys: pytest.CaptureFixture[str], text: str) -> None:
    with capsys.disabled():
        print("\n" + text)


def test_latency(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """Shown, not asserted."""
    shown(capsys, latency_table(anyio.run(latency, tmp_path)))


def test_throughput(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """Shown, not asserted."""
    shown(capsys, throughput_table(anyio.run(throughput, tmp_path)))


def test_large_result(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """Shown, not asserted."""
    shown(capsys, large_table(large(tmp_path)))


def test_soak(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    said = anyio.run(soak, tmp_path)
    shown(capsys, said)
    assert "wrong outcomes: none" in said
