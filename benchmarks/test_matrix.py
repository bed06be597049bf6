"""How long a matrix takes beside the shortest time that there is, and what a cell costs beside other ways to run one.

    uv run pytest -s benchmarks/test_matrix.py

Makespan: 2,000 cells over five providers with caps of 4, real client libraries, servers in a process of their own with
latencies of their own for each request. Nobody can be done before the busiest provider: the sum of its latencies by
its cap. The target is 1.05 times that, with exactly 4 requests open at each server at the most, counted there. The time
runs from the first call to the last result: importing the vendors' libraries takes seconds, once.

Overhead: 2,000 cells of 50 ms, 100 at once, each with a row that is durable and a hook, in a process each and in turns:
a bare anyio loop with one thread that writes batches, ours, pydantic-evals and inspect-ai, these two in environments of
their own. The targets are 1.05 times the ideal second, and 100 µs of CPU for a cell.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING

import anyio
import pytest

from bakeoff.events import CallBegan, CellEnded, Run, State
from bakeoff.jobs.matrix import Wanted, run
from bakeoff.matrix import definition_of
from bakeoff.store import Store

if TYPE_CHECKING:
    from pytest_benchmark.fixture import BenchmarkFixture

CELLS, CAP, ROUNDS = 2_000, 4, 5
# Seconds that an answer takes on the average; each takes half of that to one and a half times as long.
PROVIDERS = {"openai": 0.4, "openai-responses": 0.6, "anthropic": 0.8, "ollama": 1.0, "openai-compatible": 1.2}
KEYS = {"OPENAI_API_KEY": "the-key", "ANTHROPIC_API_KEY": "the-key"}
OVERHEAD = Path(__file__).parent / "matrix/overhead.py"

SERVERS = """
import json, random, sys
from contextlib import ExitStack
from bakeoff.testing.provider import Reply, serving

sums = {}
def script(name, mean):
    def answer(asked):
        latency = random.Random(f"{name} {asked.text}").uniform(0.5, 1.5) * mean
        sums[name] = sums.get(name, 0.0) + latency
        return Reply(text=asked.text, latency=latency, pieces=2)
    return answer

with ExitStack() as stack:
    servers = {
        name: stack.enter_context(serving(script(name, mean))) for name, mean in json.loads(sys.argv[1]).items()
    }
    print(json.dumps({name: server.url for name, server in servers.items()}), flush=True)
    sys.stdin.read()
    print(json.dumps({name: [server.peak, len(server.asked), sums[name]] for name, server in servers.items()}))
"""


@pytest.mark.timeout(900)
@pytest.mark.parametrize("scale", [1.0, 0.25])
def test_makespan(benchmark: BenchmarkFixture, tmp_path: Path, scale: float) -> None:
    latencies = {name: scale * mean for name, mean in PROVIDERS.items()}
    command = [sys.executable, "-c", SERVERS, json.dumps(latencies)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as servers:
        assert servers.stdin is not None
        assert servers.stdout is not None
        urls = json.loads(servers.stdout.readline())
        definition = definition_of(
            {
                "name": "makespan",
                "axes": {
                    "model": [f"{name}:m" for name in PROVIDERS],
                    "task": [f"{n}" for n in range(CELLS // len(PROVIDERS))],
                },
                "scorers": {"exact": {"kind": "regex", "pattern": "."}},
                "providers": {name: {"base_url": url, "concurrency": CAP} for name, url in urls.items()},
            }
        )
        store = Store(tmp_path / "store.sqlite")
        anyio.run(lambda: run(Wanted(definition=definition), store=store, environment=KEYS))
        servers.stdin.close()
        counted = json.loads(servers.stdout.readline())
    log = list(store.events(store.runs()[0].id))
    found = Run.of(log)
    assert found.state is State.DONE
    times = {kind: [one.time for one in log if isinstance(one.event, kind)] for kind in (CallBegan, CellEnded)}
    wall = (times[CellEnded][-1] - times[CallBegan][0]).total_seconds()
    took: dict[str, float] = defaultdict(float)
    for state in found.matrix.current:
        assert state.ended is not None
        took[state.ended.providers[0]] += (state.ended.duration_ms or 0.0) / 1000
    bound = max(seconds for _, _, seconds in counted.values()) / CAP
    heard = max(took.values()) / CAP
    span = f"{min(latencies.values()):g} to {max(latencies.values()):g} s"
    print(f"\n{CELLS} cells of {span}, caps {CAP}: {wall:.1f} s")
    print(f"by the servers' latencies {bound:.1f} s, {wall / bound:.3f} times")
    print(f"by what clients measured of calls {heard:.1f} s, {wall / heard:.3f} times; target ≤ 1.05")
    print(f"at most open: { {name: peak for name, (peak, _, _) in counted.items()} }")
    assert {name: (peak, asked) for name, (peak, asked, _) in counted.items()} == {
        name: (CAP, CELLS // len(PROVIDERS)) for name in PROVIDERS
    }
    benchmark.extra_info.update(wall=wall, bound=bound, ratio=wall / bound)
    benchmark.pedantic(lambda: None, rounds=1)


def test_overhead(benchmark: BenchmarkFixture) -> None:
    rival = ["uv", "run", "-q", "--no-project", "--python", f"{sys.version_info[0]}.{sys.version_info[1]}", "--with"]
    contenders = {
        "bare": [sys.executable],
        "ours": [sys.executable],
        "pydantic-evals": [*rival, "pydantic-evals", "python"],
        "inspect-ai": [*rival, "inspect-ai", "python"],
    }
    taken: dict[str, list[dict[str, float]]] = defaultdict(list)
    for number in range(ROUNDS):
        for name, command in contenders.items():
            if name == "inspect-ai" and number:
                continue  # it takes so long that once is enough
            done = subprocess.run([*command, str(OVERHEAD), name], capture_output=True, text=True, check=False)
            assert done.returncode == 0, done.stderr
            taken[name].append(json.loads(done.stdout.splitlines()[-1]))
    cpu = {name: statistics.median(one["cpu_us"] for one in found) for name, found in taken.items()}
    print(
        f"\n{'2,000 cells of 50 ms, 100 at once':>36} {'seconds':>8} {'× ideal':>8} {'µs CPU a cell':>14} {'× bare':>7}"
    )
    for name, found in taken.items():
        wall = statistics.median(one["wall"] for one in found)
        print(f"{name:>36} {wall:8.3f} {wall:8.2f} {cpu[name]:14.0f} {cpu[name] / cpu['bare']:7.1f}")
        benchmark.extra_info[name] = {"wall": wall, "cpu_us": cpu[name]}
    benchmark.pedantic(lambda: None, rounds=1)
