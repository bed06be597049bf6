"""How long it takes until the first valid sample, by breadth, beside what the numbers promise.

A model that follows a script answers after a fixed latency and is right with a fixed probability. So the tries in a
subsample are a series of coin tosses, and the sampling is over in the first round in which any of its subsamples is
right: after latency / (1 - (1 - p) ** breadth) seconds on average. What is measured is that time on average over many
samplings, beside the promised one; and, sampling by sampling, beside as many latencies as the coins really took, which
leaves nothing but our own work:

    uv run pytest -s benchmarks/test_sampling.py
"""

from __future__ import annotations

import math
import statistics
import time
from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING

import anyio
import pytest

from bakeoff.sampling import Regex, sample
from bakeoff.testing.models import ScriptedModel

if TYPE_CHECKING:
    from pytest_benchmark.fixture import BenchmarkFixture

    from bakeoff.models import Request

BREADTHS = (1, 4, 16)
DEPTH = 60
LATENCY = 0.2
RIGHT = 0.25
SAMPLINGS = 150
CALLS_AT_ONCE = 16  # in all samplings that go on side by side, so that we do not wait for ourselves


@dataclass(frozen=True, slots=True)
class Sampled:
    """How long one sampling took, and how many rounds."""

    seconds: float
    rounds: int


async def sampled(breadth: int, random: Random) -> Sampled:
    def toss(_: Request) -> str:
        return "right" if random.random() < RIGHT else "wrong"

    model = ScriptedModel(toss, latency=LATENCY)
    began = time.perf_counter()
    result = await sample("?", model, [Regex("right")], loop_budget=DEPTH, concurrency_budget=breadth)
    seconds = time.perf_counter() - began
    assert result.success
    assert result.sample is not None
    assert model.open == 0
    return Sampled(seconds, result.sample.iteration)


async def many(breadth: int) -> list[Sampled]:
    permits, found = anyio.CapacityLimiter(CALLS_AT_ONCE // breadth), []

    async def one(seed: int) -> None:
        async with permits:
            found.append(await sampled(breadth, Random(seed)))

    async with anyio.create_task_group() as group:
        for seed in range(SAMPLINGS):
            group.start_soon(one, seed)
    return found


@pytest.mark.timeout(600)
@pytest.mark.parametrize("backend", ["asyncio", "trio"])
def test_time_to_the_first_valid_sample(benchmark: BenchmarkFixture, backend: str) -> None:
    print(f"\n{SAMPLINGS} samplings, {LATENCY} s a call, right with {RIGHT:.0%}, {backend}")
    print(f"{'breadth':>8} {'seconds':>9} {'promised':>9} {'ratio':>6} {'± by chance':>12} {'× the tries it took':>20}")
    for breadth in BREADTHS:
        found = anyio.run(many, breadth, backend=backend)
        share = 1 - (1 - RIGHT) ** breadth
        promised, spread = LATENCY / share, LATENCY * math.sqrt(1 - share) / share
        taken = statistics.mean(one.seconds for one in found)
        own = statistics.median(one.seconds / (one.rounds * LATENCY) for one in found)
        chance = 1.96 * spread / math.sqrt(SAMPLINGS) / promised
        print(f"{breadth:8} {taken:9.3f} {promised:9.3f} {taken / promised:6.2f} {chance:12.2f} {own:20.3f}")
        benchmark.extra_info[f"{backend}, breadth {breadth}"] = own
    benchmark.pedantic(lambda: None, rounds=1)
