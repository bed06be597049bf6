"""What turns a task and a model into an answer."""

from __future__ import annotations

import inspect
import math
from dataclasses import asdict, dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

import anyio
import anyio.to_thread

from bakeoff.errors import BudgetSpent, CallsStopped
from bakeoff.matrix.cases import Answered
from bakeoff.matrix.imports import fingerprint, imported
from bakeoff.sampling import MajorityVote, NothingSampled, SamplingOptions, sample
from bakeoff.sampling.named import Named
from bakeoff.sampling.requirements import Code

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from bakeoff.matrix.cases import Case
    from bakeoff.matrix.tools import Tools
    from bakeoff.sampling import Extent, Sample, SamplingResult
    from bakeoff.sampling import Strategy as Sampler

__all__ = ["Answered", "BestOfAll", "Function", "Optimization", "Sampled", "Single", "Strategy"]


class Strategy(Protocol):
    """A way to answer. One object serves many cells at once and keeps nothing of any.

    `described` is all that decides what it does, as JSON: part of the key of each cell. `models` are those that it asks
    beside the cell's own, which stand in `Case.others`, and `asks_model` says whether it needs that one. `calls` is the
    most calls of it that one answer takes, for what is expected of a matrix. What `answer` raises is the error of its
    cell, and stops nothing else; it is called on the event loop, which it may not block.
    """

    @property
    def name(self) -> str: ...

    @property
    def models(self) -> tuple[str, ...]: ...

    @property
    def calls(self) -> int: ...

    @property
    def asks_model(self) -> bool: ...

    def described(self) -> Mapping[str, Any]: ...

    async def answer(self, case: Case) -> Answered: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Single:
    """Asks once."""

    name: str = "single"
    models: tuple[str, ...] = ()
    calls: int = 1
    asks_model: bool = True

    def described(self) -> Mapping[str, Any]:
        """See `Strategy`."""
        return {"kind": "single"}

    async def answer(self, case: Case) -> Answered:
        """See `Strategy`."""
        assert case.model is not None
        settings = case.settings
        completion = await case.model.complete(
            case.messages,
            max_tokens=settings.max_tokens,
            temperature=settings.temperature,
            seed=settings.seed,
            stop=settings.stop,
        )
        return Answered(text=completion.text)


@dataclass(frozen=True, slots=True)
class BestOfAll(MajorityVote):
    """Waits for all answers. Of those that meet all requirements, it takes the one that most agree with."""

    def has_enough(self, valid: Sequence[Sample], *, still: int) -> bool:
        """See `bakeoff.sampling.Strategy`."""
        return still == 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Sampled:
    """Samples the model; see `bakeoff.sampling`. What is required is named as for `bakeoff sample`."""

    name: str
    kind: str
    sampler: Sampler
    extent: Extent
    tools: Tools
    require: tuple[str, ...] = ()
    models: tuple[str, ...] = ()
    asks_model: bool = True

    @property
    def calls(self) -> int:
        """See `Strategy`."""
        judged = sum(one.startswith("ask:") for one in self.require)
        return self.extent.most * (1 + judged)

    def described(self) -> Mapping[str, Any]:
        """See `Strategy`."""
        functions = [one for one in self.require if one.partition(":")[0] not in {"regex", "json", "schema", "ask"}]
        sources = {one: fingerprint(one, self.tools.folder) for one in functions}
        return {"kind": self.kind, "extent": asdict(self.extent), "require": self.require, "sources": sources}

    async def answer(self, case: Case) -> Answered:
        """See `Strategy`."""
        assert case.model is not None
        named = Named(backend=self.tools.backend, model=case.model, folder=self.tools.folder, is_looked_at=True)
        requirements = [await named.requirement(one) for one in self.require]
        settings = case.settings
        options = SamplingOptions(
            max_tokens=settings.max_tokens,
            temperature=settings.temperature,
            seed=None if settings.seed is None else settings.seed + case.repeat * (self.extent.most - 1),
            stop=settings.stop,
        )
        try:
            result = await sample(
                case.messages,
                case.model,
                requirements,
                strategy=self.sampler,
                loop_budget=self.extent.loop_budget,
                concurrency_budget=self.extent.concurrency_budget,
                options=options,
            )
        except NothingSampled as nothing:
            raise _first_of(nothing.exceptions) from nothing
        return self._answered(result)

    def _answered(self, result: SamplingResult) -> Answered:
        stopped = [one.error for one in result.failures if isinstance(one.error, (BudgetSpent, CallsStopped))]
        if stopped:
            # Chosen among fewer than were asked for, it would be another strategy's answer.
            raise stopped[0]
        assert result.sample is not None
        metrics = {"valid": float(result.success)} if self.require else {}
        return Answered(text=result.sample.text, metrics=metrics | {"samples": float(result.generated)})


def _first_of(errors: Sequence[Exception]) -> Exception:
    """What ends a run, where that is among them."""
    return next((one for one in errors if isinstance(one, (BudgetSpent, CallsStopped))), errors[0])


@dataclass(frozen=True, slots=True, kw_only=True)
class Function:
    """A function of the user's own.

    On the `loop` or in a `thread` it is given the `Case`, and gives a text or an `Answered`; an async one can ask the
    model itself. In a `worker` it runs jailed, is given the prompt and the task as a table, and gives a text.
    """

    name: str
    function: str
    runs_in: str
    tools: Tools
    timeout: float = 60.0
    calls: int = 1
    models: tuple[str, ...] = ()
    asks_model: bool = False

    def described(self) -> Mapping[str, Any]:
        """See `Strategy`."""
        source = fingerprint(self.function, self.tools.folder)
        said = {"kind": "function", "function": self.function, "runs_in": self.runs_in, "source": source}
        return {**said, "models": self.models} if self.models else said

    async def answer(self, case: Case) -> Answered:
        """See `Strategy`."""
        with anyio.move_on_after(self.timeout):
            return _answered_by(self.function, await self._said(case))
        raise TimeoutError(f"{self.function} took longer than {self.timeout:g} s")

    async def _said(self, case: Case) -> object:
        if self.runs_in == "worker":
            return await self._in_worker(case)
        function = imported(self.function, self.tools.folder)
        if self.runs_in == "thread":
            return await _in_thread(partial(function, case))
        said = function(case)
        return await said if inspect.isawaitable(said) else said

    async def _in_worker(self, case: Case) -> object:
        folder = self.tools.folder
        code = Code.named(self.function, backend=self.tools.backend, folder=folder, timeout=self.timeout)
        return (await code.call(case.messages[-1].content, case.task.table())).unwrap()


def _answered_by(name: str, said: object) -> Answered:
    if isinstance(said, str):
        return Answered(text=said)
    if isinstance(said, Answered):
        return said
    raise TypeError(f"{name} gave {said!r:.200}, where a text or an Answered is wanted")


async def _in_thread(function: Callable[[], object]) -> object:
    limiter = anyio.CapacityLimiter(math.inf)  # how many run at once is for whoever runs cells
    return await anyio.to_thread.run_sync(function, abandon_on_cancel=True, limiter=limiter)


@dataclass(frozen=True, slots=True, kw_only=True)
class Optimization:
    """A whole `bakeoff optimize` of the target that is a task's prompt, with the cell's model as its source. The answer
    is the winner's patch, an empty one where nothing is faster; `speedup` is a metric."""

    name: str
    tools: Tools
    options: Mapping[str, Any] = field(default_factory=dict)
    models: tuple[str, ...] = ()
    asks_model: bool = True

    @property
    def calls(self) -> int:
        """See `Strategy`."""
        return int(self.options.get("candidates", 1)) * 2

    def described(self) -> Mapping[str, Any]:
        """See `Strategy`."""
        return {"kind": "optimize", **self.options}

    async def answer(self, case: Case) -> Answered:
        """See `Strategy`."""
        return await self.tools.optimized(case, self.options)
