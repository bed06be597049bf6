"""What tests of sampling share: virtual time, and answers by the place that they are asked for."""

from __future__ import annotations

import functools
import inspect
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from bakeoff.fanout import place
from bakeoff.testing.models import ScriptedModel
from virtual_clock import run, tasks_living

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

    from bakeoff.models import Account, Rates, Request
    from bakeoff.sampling import Sample, SamplingResult
    from bakeoff.testing.models import Scripted

__all__ = ["Boom", "Plan", "ids", "is_good", "places", "virtual"]


class Boom(Exception):
    """Raised on purpose."""


def virtual(test: Callable[..., Awaitable[None]]) -> Callable[..., None]:
    """Run an async test on virtual time, on both backends; it must leave no task behind."""

    @functools.wraps(test)
    def on_backend(anyio_backend: str, **fixtures: object) -> None:
        async def main() -> None:
            before = tasks_living()
            await test(**fixtures)
            assert tasks_living() == before, "a task was left behind"

        run(main, anyio_backend)

    signature = inspect.signature(test)
    backend = inspect.Parameter("anyio_backend", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    on_backend.__signature__ = signature.replace(parameters=[backend, *signature.parameters.values()])  # type: ignore[attr-defined]
    return on_backend


@dataclass
class Plan:
    """What is answered at each place (subsample, iteration), and after how many seconds; elsewhere `other`, after 1."""

    answers: Mapping[tuple[int, int], Scripted] = field(default_factory=dict)
    seconds: Mapping[tuple[int, int], float] = field(default_factory=dict)
    other: Scripted = "bad"
    asked: Counter[int] = field(default_factory=Counter)

    def model(self, *, rates: Rates | None = None, account: Account | None = None) -> ScriptedModel:
        return ScriptedModel(self._answer, latency=self._latency, rates=rates, account=account)

    def _answer(self, request: Request) -> Scripted:
        self.asked[self._subsample] += 1
        return self.answers.get(self._place, self.other)

    def _latency(self, request: Request) -> float:
        return self.seconds.get(self._place, 1.0)

    @property
    def _subsample(self) -> int:
        return place().index + 1

    @property
    def _place(self) -> tuple[int, int]:
        return self._subsample, self.asked[self._subsample]


async def is_good(text: str) -> bool | str:
    """It says so"""
    return True if text.startswith("good") else f"{text} is not good"


def ids(result: SamplingResult) -> list[str]:
    return [sample.id for sample in result.samples]


def places(samples: list[Sample]) -> list[tuple[int, int]]:
    return [(sample.subsample, sample.iteration) for sample in samples]
