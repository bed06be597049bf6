"""What a fan-out costs per item, beside the least that could do the same: a bare task group with a CapacityLimiter.

Run `uv run pytest benchmarks/test_fanout.py` for pytest-benchmark's own table of each side, or
`uv run python benchmarks/test_fanout.py` for the table of docs/benchmarks.md: both sides take turns in one process,
so that whatever else the machine does befalls both, and the ratio is the median of the pairs.
"""

from __future__ import annotations

import statistics
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

import anyio
import pytest

from bakeoff.fanout import fan_out

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from pytest_benchmark.fixture import BenchmarkFixture

ITEMS = 10_000
KEYS = 5
LIMIT = 50
ROUNDS = 7
TARGET = 2.0
BACKENDS = ["asyncio", "trio"]


async def nothing(item: int) -> None:
    """The work: what is measured is everything around it."""


async def with_fan_out() -> None:
    async with fan_out(
        range(ITEMS), nothing, limit=LIMIT, key=lambda item: item % KEYS, key_limits=LIMIT // KEYS
    ) as outcomes:
        ended = sum([1 async for _ in outcomes])
    assert ended == ITEMS


async def with_bare_task_group() -> None:
    limiter = anyio.CapacityLimiter(LIMIT)

    async def limited(item: int) -> None:
        async with limiter:
            await nothing(item)

    async with anyio.create_task_group() as group:
        for item in range(ITEMS):
            group.start_soon(limited, item)


SIDES = {"fan_out": with_fan_out, "bare task group": with_bare_task_group}


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("side", SIDES)
def test_ten_thousand_items(benchmark: BenchmarkFixture, backend: str, side: str) -> None:
    benchmark.group = f"{ITEMS} no-op items, {backend}"
    benchmark.pedantic(anyio.run, args=(SIDES[side],), kwargs={"backend": backend}, rounds=3, warmup_rounds=1)


@pytest.mark.parametrize("backend", BACKENDS)
def test_ratio(backend: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Shown, not asserted: a shared machine may miss a target for reasons of its own."""
    with capsys.disabled():
        print("\n" + table([compare(backend)]))


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """Seconds per run of each side, and the median of the ratios of runs made one after the other."""

    backend: str
    fan_out: float
    bare: float
    ratio: float


def compare(backend: str, rounds: int = ROUNDS) -> Comparison:
    pairs = anyio.run(_alternate, rounds, backend=backend)
    return Comparison(
        backend=backend,
        fan_out=statistics.median(ours for ours, _ in pairs),
        bare=statistics.median(bare for _, bare in pairs),
        ratio=statistics.median(ours / bare for ours, bare in pairs),
    )


async def _alternate(rounds: int) -> list[tuple[float, float]]:
    await with_fan_out()
    await with_bare_task_group()
    return [(await _timed(with_fan_out), await _timed(with_bare_task_group)) for _ in range(rounds)]


async def _timed(run: Callable[[], Awaitable[None]]) -> float:
    start = time.perf_counter()
    await run()
    return time.perf_counter() - start


def table(comparisons: list[Comparison]) -> str:
    lines = [
        f"| {ITEMS} no-op items, {KEYS} keys | fan_out, µs per item | bare task group, µs per item | ratio | target |",
        "| --- | ---: | ---: | ---: | ---: |",
    ]
    lines += [
        f"| {each.backend} | {each.fan_out / ITEMS * 1e6:.1f} | {each.bare / ITEMS * 1e6:.1f} "
        f"| {each.ratio:.2f} | ≤ {TARGET} |"
        for each in comparisons
    ]
    return "\n".join(lines)


if __name__ == "__main__":
    print(table([compare(backend) for backend in BACKENDS]))
