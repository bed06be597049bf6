"""What a call costs beside a bare one, with 1,000 of them open at once.

Scripted calls, beside the scripted client's own `send`: everything that we add, and nothing else. Half a second is
little for a language model; without any latency there is nothing left but our own work. Then calls over HTTP to a
provider on loopback in a process of its own, beside the vendor's own client with the same number of connections, both
streamed. Both sides take turns, and ratios are the median of the turns:

    uv run pytest -s benchmarks/test_models.py

The target is 1.2 times a bare call.
"""

from __future__ import annotations

import itertools
import statistics
import subprocess
import sys
import time
from contextlib import asynccontextmanager
from functools import partial
from typing import TYPE_CHECKING

import anyio
import httpx2
import pytest
from openai import AsyncOpenAI
from pydantic_ai.direct import model_request_stream
from pydantic_ai.messages import ModelRequest, UserPromptPart
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider

from bakeoff.models import Account, Message, Providers, ProviderSettings, Rates, Request
from bakeoff.store import Store
from bakeoff.testing.models import ScriptedClient, ScriptedModel

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
    from pathlib import Path

    from pytest_benchmark.fixture import BenchmarkFixture

CALLS = 1_000
OVER_HTTP = 200
CONCURRENCY = 50
ROUNDS = 7
TARGET = 1.2
PROMPT = "Make this function faster, and keep what it does.\n" * 40
ANSWER = "def total(values):\n    return sum(values)\n" * 20
LATENCIES = (0.0, 0.5, 2.0)
RATES = Rates(tokens_in=1.0, tokens_out=5.0)

SERVER = """
import sys, time
from bakeoff.testing.provider import Reply, serving
with serving(Reply(text=sys.argv[1], pieces=20, latency=float(sys.argv[2]))) as provider:
    print(provider.url, flush=True)
    sys.stdin.read()
"""


async def all_at_once(call: Callable[[], Awaitable[object]], calls: int = CALLS) -> None:
    async with anyio.create_task_group() as group:
        for _ in range(calls):
            group.start_soon(call)


async def bare(latency: float) -> None:
    client = ScriptedClient(ANSWER, latency=latency)
    request = Request(messages=(Message(content=PROMPT),))
    await all_at_once(partial(client.send, request, lambda _: None))


async def called(latency: float) -> None:
    model = ScriptedModel(ANSWER, latency=latency, rates=RATES)
    await all_at_once(partial(model.complete, PROMPT))
    assert model.account.spent.calls == CALLS


async def recorded(latency: float, paths: Iterator[Path]) -> None:
    async with Store(next(paths)).record() as log:
        model = ScriptedModel(ANSWER, latency=latency, rates=RATES, account=Account(log=log))
        await all_at_once(partial(model.complete, PROMPT))


async def in_turns(sides: dict[str, Callable[[], Awaitable[None]]], rounds: int = ROUNDS) -> dict[str, list[float]]:
    """The seconds that each side took, round by round, after one that does not count."""
    seconds: dict[str, list[float]] = {name: [] for name in sides}
    for number, (name, side) in itertools.product(range(rounds + 1), sides.items()):
        began = time.perf_counter()
        await side()
        if number:
            seconds[name].append(time.perf_counter() - began)
    return seconds


def ratio(above: list[float], below: list[float]) -> float:
    return statistics.median(a / b for a, b in zip(above, below, strict=True))


def print_table(title: str, calls: int, seconds: dict[str, list[float]], benchmark: BenchmarkFixture) -> None:
    base = next(iter(seconds))
    print(f"\n{title:>44} {'seconds':>9} {'µs a call more':>15} {'ratio':>7}   target ≤ {TARGET}")
    for name, taken in seconds.items():
        more = statistics.median(mine - bare for mine, bare in zip(taken, seconds[base], strict=True))
        times = ratio(taken, seconds[base])
        print(f"{name:>44} {statistics.median(taken):9.3f} {more / calls * 1e6:15.0f} {times:7.2f}")
        benchmark.extra_info[f"{title}: {name}"] = times


@pytest.mark.timeout(600)
@pytest.mark.parametrize("backend", ["asyncio", "trio"])
def test_a_thousand_scripted_calls_at_once(benchmark: BenchmarkFixture, tmp_path: Path, backend: str) -> None:
    paths = (tmp_path / f"{number}.sqlite" for number in itertools.count())
    for latency in LATENCIES:
        sides = {
            "bare": partial(bare, latency),
            "called": partial(called, latency),
            "called and recorded": partial(recorded, latency, paths),
        }
        seconds = anyio.run(in_turns, sides, backend=backend)
        print_table(f"{CALLS} calls of {latency:g} s, {backend}", CALLS, seconds, benchmark)
    benchmark.pedantic(anyio.run, args=(called, 0.0), kwargs={"backend": backend}, rounds=3)


async def vendor_bare(client: object) -> None:
    assert isinstance(client, AsyncOpenAI)
    permits = anyio.CapacityLimiter(CONCURRENCY)

    async def call() -> None:
        async with permits:
            stream = await client.chat.completions.create(
                model="m", messages=[{"role": "user", "content": PROMPT}], max_tokens=4096, stream=True
            )
            pieces = [chunk.choices[0].delta.content or "" async for chunk in stream if chunk.choices]
        assert "".join(pieces) == ANSWER

    await all_at_once(call, OVER_HTTP)


async def vendor_direct(client: object) -> None:
    """pydantic-ai's own request, which is what ours is made of."""
    permits = anyio.CapacityLimiter(CONCURRENCY)
    model = OpenAIChatModel("m", provider=OpenAIProvider(openai_client=client))  # type: ignore[arg-type]

    async def call() -> None:
        async with permits:
            messages = [ModelRequest(parts=[UserPromptPart(PROMPT)])]
            async with model_request_stream(model, messages, instrument=False) as stream:
                async for _ in stream:
                    pass

    await all_at_once(call, OVER_HTTP)


async def ours(shared: Providers, account: Account) -> None:
    model = shared.model("openai:m", account)

    async def call() -> None:
        assert (await model.complete(PROMPT)).text == ANSWER

    await all_at_once(call, OVER_HTTP)


@asynccontextmanager
async def over_http(url: str, path: Path) -> AsyncIterator[dict[str, Callable[[], Awaitable[None]]]]:
    settings = {"openai": ProviderSettings(base_url=url, concurrency=CONCURRENCY)}
    limits = httpx2.Limits(max_connections=None, max_keepalive_connections=CONCURRENCY)
    async with (
        httpx2.AsyncClient(trust_env=False, timeout=600, limits=limits) as http,
        Store(path).record() as log,
        Providers(settings, environment={"OPENAI_API_KEY": "k"}) as shared,
    ):
        client = AsyncOpenAI(base_url=url, api_key="k", http_client=http, max_retries=0)
        yield {
            "the vendor's client": partial(vendor_bare, client),
            "pydantic-ai": partial(vendor_direct, client),
            "called": partial(ours, shared, Account()),
            "called and recorded": partial(ours, shared, Account(log=log)),
        }


@pytest.mark.timeout(600)
@pytest.mark.parametrize("latency", [0.0, 1.0])
def test_calls_over_http(benchmark: BenchmarkFixture, tmp_path: Path, latency: float) -> None:
    async def main(url: str) -> dict[str, list[float]]:
        async with over_http(f"{url}/v1", tmp_path / "store.sqlite") as sides:
            return await in_turns(sides, rounds=5)

    command = [sys.executable, "-c", SERVER, ANSWER, str(latency)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        url = server.stdout.readline().strip()
        seconds = anyio.run(main, url)
        assert server.stdin is not None
        server.stdin.close()
    title = f"{OVER_HTTP} calls of {latency:g} s, {CONCURRENCY} at once"
    print_table(title, OVER_HTTP, seconds, benchmark)
    benchmark.pedantic(lambda: None, rounds=1)
