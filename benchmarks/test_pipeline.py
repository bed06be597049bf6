"""What it gains that candidates are judged and timed while others are still being written.

`optimize` with a model that gives eight answers, two seconds after each other; beside the same where all of them are
waited for, and handed on then. Both sides take turns, and the ratio is the median of the pairs. What is counted are
the seconds from the first call to the end of the run:

    uv run pytest -s benchmarks/test_pipeline.py
"""

from __future__ import annotations

import statistics
from dataclasses import dataclass
from typing import TYPE_CHECKING

import anyio
import pytest

from bakeoff.events import CallBegan, RunEnded
from bakeoff.git import Repository
from bakeoff.jobs.contest import Task, Wanted, contest
from bakeoff.models import Account
from bakeoff.sources.models.source import ModelsOptions, ModelsSource
from bakeoff.store import Store
from bakeoff.targets import Target
from bakeoff.testing.models import ScriptedModel
from jobs.contests import FILES
from repositories import make_repository

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from pytest_benchmark.fixture import BenchmarkFixture

    from bakeoff.events import Event
    from bakeoff.models import Request
    from bakeoff.sources import Brief, Source
    from bakeoff.sources.proposals import Proposal

ROUNDS = 3
SECONDS_APART = 2.0
BODIES = (
    "    found, known = [], set()\n    for item in items:\n        if item not in known:\n"
    "            found.append(item)\n            known.add(item)\n    return found",
    "    found = dict.fromkeys(items)\n    return list(found)",
    "    known = {}\n    for item in items:\n        known.setdefault(item, item)\n    return list(known)",
    "    return [*dict.fromkeys(items)]",
    "    known = set()\n    return [item for item in items if not (item in known or known.add(item))]",
    "    return list(dict(zip(items, items)))",
    "    return sorted(set(items), key=items.index)",
    "    known = {}\n    for item in items:\n        known[item] = None\n    return list(known)",
)


@dataclass(frozen=True, slots=True)
class AllAtOnce:
    """A source that gives nothing before it has everything."""

    source: Source

    @property
    def name(self) -> str:
        return self.source.name

    async def propose(self, brief: Brief) -> AsyncIterator[Proposal]:
        for one in [proposal async for proposal in self.source.propose(brief)]:
            yield one


def number(request: Request) -> int:
    return int(request.messages[-1].content.split("This is attempt ")[1].partition(".")[0])


def models() -> ModelsSource:
    account = Account()

    def opened(brief: Brief) -> list[ScriptedModel]:
        assert brief.log is not None
        account.record_in(brief.log, before=brief.spent)
        return [
            ScriptedModel(
                lambda request: f"```python\ndef unique(items):\n{BODIES[number(request) - 1]}\n```",
                latency=lambda request: SECONDS_APART * number(request),
                account=account,
            )
        ]

    return ModelsSource(opened, ModelsOptions(fresh=len(BODIES), repair_rounds=0))


async def seconds_of(source: Source, folder: Path) -> float:
    repository = await Repository.find(make_repository(folder, FILES))
    task = Task(
        command="optimize",
        repository=repository,
        wanted=Wanted(parallel=2, seconds=120.0, candidates=len(BODIES)),
        target=Target.find("pkg/lists.py::unique", repository.root),
        sources=(source,),
        rounds=1,
    )
    times: dict[type[Event], float] = {}

    def watch(recorded) -> None:
        times.setdefault(type(recorded.event), anyio.current_time())

    run = await contest(task, Store(folder / "store.sqlite"), watch)
    assert len(run.candidates) == len(BODIES)
    assert run.end is not None
    assert run.end.winner is not None
    return times[RunEnded] - times[CallBegan]


@pytest.mark.timeout(600)
def test_candidates_judged_and_timed_while_others_are_written(benchmark: BenchmarkFixture, tmp_path: Path) -> None:
    taken: list[tuple[float, float]] = []
    for turn in range(ROUNDS):
        together = anyio.run(seconds_of, models(), tmp_path / f"together-{turn}")
        apart = anyio.run(seconds_of, AllAtOnce(models()), tmp_path / f"apart-{turn}")
        taken.append((together, apart))
    written = SECONDS_APART * len(BODIES)
    print(f"\n{'':>28} {'seconds':>9} {'beyond writing':>15} {'ratio':>6}")
    first, second = (statistics.median(side) for side in zip(*taken, strict=True))
    ratio = statistics.median(together / apart for together, apart in taken)
    print(f"{'all written, then evaluated':>28} {second:9.1f} {second - written:15.1f} {1:6.2f}")
    print(f"{'as they come':>28} {first:9.1f} {first - written:15.1f} {ratio:6.2f}")
    benchmark.extra_info["as they come / all written, then evaluated"] = ratio
    benchmark.pedantic(lambda: None, rounds=1)
