"""The loop: subsamples side by side, each of them generating, validating, and trying again.

    on_start ──▶ subsample 1: ask ─▶ generate ─▶ validate ─▶ on_iteration ─┬─ valid ────▶ enough? the rest is cancelled
                 subsample 2: …              ▲                             └─ not valid ─▶ the next iteration ─┐
                 …                           └───────────────────────────────────────────────────────────────┘
    all settled ──▶ chosen by place, not by arrival ──▶ on_end ──▶ SamplingResult

What is generated is written down when it begins and closed in every end, so the result is read off that at last, and
counts what was cancelled as truly as what was completed. A generation that raises is one of these ends. Whatever else
raises, a hook, the strategy or the store, ends the call: nothing would be right after it.
"""

from __future__ import annotations

import inspect
import logging
import operator
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import anyio

from bakeoff.errors import BakeoffError, StoreError
from bakeoff.events import CallEnd, RequirementAsked, SampleBegan, SampleChosen, SampleEnded
from bakeoff.fanout import collect
from bakeoff.models import Message, Usage
from bakeoff.models.tally import tallied
from bakeoff.sampling.samples import Extent, Failure, NothingSampled, Sample, SamplingResult
from bakeoff.sampling.strategies import Rejection
from bakeoff.sampling.validation import Judge, Judging

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, Sequence

    from bakeoff.events import Event
    from bakeoff.fanout import Outcome
    from bakeoff.models import Completion
    from bakeoff.models.model import Model
    from bakeoff.models.tally import Tally
    from bakeoff.sampling.requirements import Requirement
    from bakeoff.sampling.samples import Validation, ValidationContext
    from bakeoff.sampling.strategies import Strategy
    from bakeoff.store import Log

__all__ = ["Beginning", "Hooks", "SamplingOptions", "sample"]

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Beginning:
    """What a sampling is about to do."""

    messages: tuple[Message, ...]
    requirements: tuple[str, ...]
    extent: Extent


@dataclass(frozen=True, slots=True, kw_only=True)
class Hooks:
    """What a caller is told while a sampling runs; each is a function, ordinary or async.

    `on_start` may give another `Extent`, which is used instead. `on_iteration` is told each sample once it is
    judged, in the task of its subsample, which goes on when the hook has returned; those of different subsamples come
    in any order. `on_end` is told the result, also where no sample came through; not where the call is cancelled from
    outside, or ended by what a hook or the strategy raised. That comes out as it is.
    """

    on_start: Callable[[Beginning], Extent | Awaitable[Extent | None] | None] | None = None
    on_iteration: Callable[[Sample], Awaitable[None] | None] | None = None
    on_end: Callable[[SamplingResult], Awaitable[None] | None] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SamplingOptions:
    """How a sampling goes about it.

    `max_tokens`, `temperature`, `stop` and `schema` go with every generation. So does `seed`, a number further for each
    place, or else all samples of a provider that heeds it were the same. `context` is handed to requirements instead of
    the sample's own conversation. At most `validations` are made at a time, none for longer than `patience` seconds.
    Where a `log` is given, each sample is recorded there; `name` begins the ids of its samples, for logs of several
    samplings.
    """

    max_tokens: int = 4096
    temperature: float | None = None
    seed: int | None = None
    stop: tuple[str, ...] = ()
    schema: Mapping[str, Any] | None = None
    context: ValidationContext | None = None
    validations: int = 16
    patience: float = 120.0
    log: Log | None = None
    name: str = ""

    def __post_init__(self) -> None:
        if self.validations < 1 or not self.patience > 0 or self.max_tokens < 1:
            raise ValueError(
                f"validations = {self.validations}, patience = {self.patience} and max_tokens = {self.max_tokens} "
                "must be above 0"
            )


_HOOKS: Final = Hooks()
_OPTIONS: Final = SamplingOptions()
_STRATEGY: Final = Rejection()


async def sample(
    prompt: str | Sequence[Message],
    model: Model,
    requirements: Sequence[Requirement | Callable[..., Any]] = (),
    *,
    strategy: Strategy = _STRATEGY,
    loop_budget: int = 1,
    concurrency_budget: int = 1,
    hooks: Hooks = _HOOKS,
    options: SamplingOptions = _OPTIONS,
) -> SamplingResult:
    """Generate with validation: at most `loop_budget` answers, one after the other, in each of `concurrency_budget`
    subsamples, side by side. The first valid answer ends the call, and cancels the rest (a majority vote has its own
    idea of enough); where none is valid, the strategy chooses among all.

    Mind that the two budgets multiply: 3 by 8 is up to 24 calls that cost money, and eight of them open at once, which
    a provider's rate limits may not bear. What a call that is cancelled has cost is paid all the same. And which
    samples come back depends on which of them is fastest, so that two runs may give different answers; of the same
    samples, the same one is always chosen.

    A generation that raises ends its subsample. Where others come to their end, it is one of the result's `failures`,
    and logged; where none does, NothingSampled, an ExceptionGroup of every cause, is raised.
    """
    messages = (Message(content=prompt),) if isinstance(prompt, str) else tuple(prompt)
    if not messages:
        raise ValueError("there is nothing to ask: the prompt has no message")
    extent = Extent(loop_budget=loop_budget, concurrency_budget=concurrency_budget)
    judge = Judge(requirements, at_once=options.validations, patience=options.patience, context=options.context)
    extent = await _begun(hooks, Beginning(messages=messages, requirements=judge.names, extent=extent))
    task = _Task(
        prompt=messages,
        model=model,
        judge=judge,
        strategy=strategy,
        extent=extent,
        hooks=hooks,
        options=options,
    )
    return await _Sampling(task).run()


async def _begun(hooks: Hooks, beginning: Beginning) -> Extent:
    wanted = await _told(hooks.on_start, beginning)
    if wanted is None:
        return beginning.extent
    if not isinstance(wanted, Extent):
        raise TypeError(f"on_start gave {wanted!r}, where an Extent or None is wanted")
    return wanted


async def _told(hook: Callable[[Any], Any] | None, news: object) -> object:
    if hook is None:
        return None
    said = hook(news)
    return await said if inspect.isawaitable(said) else said


@dataclass(slots=True, kw_only=True, eq=False)
class _Generation:
    """One generation, from its beginning on: the ledger's line."""

    id: str
    subsample: int
    iteration: int
    parent: str | None
    messages: tuple[Message, ...]
    judging: Judging
    end: CallEnd = CallEnd.CANCELLED  # as long as it is not known better
    was_sent: bool = False
    completion: Completion | None = None
    error: Exception | None = None
    judged: Sample | None = None

    @property
    def place(self) -> tuple[int, int]:
        return self.subsample, self.iteration

    def sample(self) -> Sample:
        """As it stands now."""
        assert self.completion is not None
        return self.judged or Sample(
            id=self.id,
            subsample=self.subsample,
            iteration=self.iteration,
            parent=self.parent,
            messages=self.messages,
            completion=self.completion,
            validations=self.judging.validations,
            is_judged=self.judging.is_judged,
            is_valid=self.judging.is_valid,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Task:
    """What was asked for, once on_start had its say."""

    prompt: tuple[Message, ...]
    model: Model
    judge: Judge
    strategy: Strategy
    extent: Extent
    hooks: Hooks
    options: SamplingOptions


class _Sampling:
    """One call of `sample`."""

    def __init__(self, task: _Task) -> None:
        self._task = task
        self._ledger: list[_Generation] = []
        self._still = task.extent.concurrency_budget

    async def run(self) -> SamplingResult:
        with tallied() as tally:
            has_ended = await self._sample_all()
        valid = self._valid()
        if not (has_ended or valid):
            result = self._result(tally, None, success=False)
            await _told(self._task.hooks.on_end, result)
            raise NothingSampled([failure.error for failure in result.failures], result)
        chosen = self._choice(valid)
        await self._record(SampleChosen(sample=chosen.id, is_valid=bool(valid)))
        result = self._result(tally, chosen, success=bool(valid))
        await _told(self._task.hooks.on_end, result)
        return result

    async def _sample_all(self) -> bool:
        """Whether any subsample came to its end."""
        subsamples = range(1, self._task.extent.concurrency_budget + 1)
        try:
            ended = await collect(
                subsamples, self._subsample, limit=len(subsamples), stop_when=self._is_over, fail_fast=True
            )
        except ExceptionGroup as group:
            first, *others = group.exceptions
            raise first from group if others else None
        return any(ended.values)

    def _is_over(self, _: Outcome[int, bool]) -> bool:
        """A subsample has ended, one way or another."""
        self._still -= 1
        return self._task.strategy.has_enough(self._valid(), still=self._still)

    # -- one subsample -------------------------------------------------------------------------------------------------

    async def _subsample(self, number: int) -> bool:
        """Whether it came to its end: to a valid sample, or to that of its budget."""
        earlier: list[Sample] = []
        for iteration in range(1, self._task.extent.loop_budget + 1):
            asked = tuple(self._task.strategy.ask(self._task.prompt, tuple(earlier)))
            found = await self._iterate(self._opened(number, iteration, asked, earlier))
            if found is None:
                return False
            await _told(self._task.hooks.on_iteration, found)
            if found.is_valid:
                break
            earlier.append(found)
        return True

    def _opened(
        self, subsample: int, iteration: int, asked: tuple[Message, ...], earlier: Sequence[Sample]
    ) -> _Generation:
        name = f"{self._task.options.name}." if self._task.options.name else ""
        line = _Generation(
            id=f"{name}{subsample}.{iteration}",
            subsample=subsample,
            iteration=iteration,
            parent=earlier[-1].id if earlier else None,
            messages=asked,
            judging=self._task.judge.judging(),
        )
        self._ledger.append(line)
        return line

    async def _iterate(self, line: _Generation) -> Sample | None:
        """The sample, judged; None where the generation failed."""
        await self._record(
            SampleBegan(sample=line.id, subsample=line.subsample, iteration=line.iteration, parent=line.parent)
        )
        try:
            await self._generate(line)
            if line.completion is not None:
                await self._task.judge.judge(line.sample(), line.judging)
                line.judged = line.sample()
        finally:
            await self._record_end(line)
        return line.judged

    async def _generate(self, line: _Generation) -> None:
        try:
            line.completion = await self._completed(line)
        except StoreError:
            raise
        except Exception as error:  # noqa: BLE001 (whatever a client raises; it is kept, and told or raised in the end)
            line.end, line.error = CallEnd.FAILED, error
            _log.warning("sample %s failed: %s", line.id, _words(error), exc_info=error)
        else:
            line.end = CallEnd.DONE

    async def _completed(self, line: _Generation) -> Completion:
        options = self._task.options
        with tallied() as spent:
            try:
                return await self._task.model.complete(
                    line.messages,
                    max_tokens=options.max_tokens,
                    temperature=options.temperature,
                    seed=self._seed(line),
                    stop=options.stop,
                    schema=options.schema,
                    purpose=f"sample {line.id}",
                )
            finally:
                # What was cut off at the provider has cost something, and what waited for its turn has not.
                line.was_sent = spent.usage != Usage()

    def _seed(self, line: _Generation) -> int | None:
        if self._task.options.seed is None:
            return None
        return self._task.options.seed + (line.subsample - 1) * self._task.extent.loop_budget + line.iteration - 1

    # -- what came of it -----------------------------------------------------------------------------------------------

    def _samples(self) -> list[Sample]:
        """All answers, by place."""
        return [line.sample() for line in self._lines() if line.completion is not None]

    def _valid(self) -> list[Sample]:
        return [line.judged for line in self._lines() if line.judged is not None and line.judged.is_valid]

    def _lines(self) -> list[_Generation]:
        return sorted(self._ledger, key=lambda line: line.place)

    def _choice(self, valid: Sequence[Sample]) -> Sample:
        if valid:
            return self._picked(self._task.strategy.select(valid), valid, "select")
        samples = self._samples()
        return self._picked(self._task.strategy.select_from_failure(samples), samples, "select_from_failure")

    def _picked(self, given: object, samples: Sequence[Sample], method: str) -> Sample:
        index = _index(given)
        if index is None or not 0 <= index < len(samples):
            wanted = f"an index from 0 to {len(samples) - 1} is wanted"
            raise ValueError(f"{type(self._task.strategy).__name__}.{method} gave {given!r}, where {wanted}")
        return samples[index]

    def _result(self, tally: Tally, chosen: Sample | None, *, success: bool) -> SamplingResult:
        lines = [line for line in self._lines() if line.was_sent or line.end is not CallEnd.CANCELLED]
        ends = Counter(line.end for line in lines)
        return SamplingResult(
            extent=self._task.extent,
            sample=chosen,
            success=success,
            samples=tuple(self._samples()),
            failures=tuple(
                Failure(subsample=line.subsample, iteration=line.iteration, error=line.error)
                for line in lines
                if line.error is not None
            ),
            generated=len(lines),
            completed=ends[CallEnd.DONE],
            cancelled=ends[CallEnd.CANCELLED],
            usage=tally.usage,
            cost=tally.cost,
            known_cost=tally.known_cost,
        )

    # -- records -------------------------------------------------------------------------------------------------------

    async def _record_end(self, line: _Generation) -> None:
        log = self._task.options.log
        if log is None:
            return
        completion, judging = line.completion, line.judging
        await self._record(
            SampleEnded(
                sample=line.id,
                end=line.end,
                call=completion.call if completion is not None else None,
                text=log.keep(completion.text) if completion is not None else None,
                validations=tuple(map(_asked, judging.validations)),
                is_judged=judging.is_judged,
                is_valid=judging.is_valid,
                error=_words(line.error) if line.error is not None else None,
            )
        )

    async def _record(self, event: Event) -> None:
        """Shielded: whoever is cancelled while it is recorded would not know whether it is."""
        if self._task.options.log is None:
            return
        with anyio.CancelScope(shield=True):
            await self._task.options.log.append(event)


def _index(given: object) -> int | None:
    """A whole number, numpy's included."""
    try:
        return None if isinstance(given, bool) else operator.index(given)  # type: ignore[arg-type]
    except TypeError:
        return None


def _asked(validation: Validation) -> RequirementAsked:
    return RequirementAsked(
        requirement=_writable(validation.requirement),
        met=validation.met,
        reason=_writable(validation.reason),
        is_error=validation.error is not None,
        seconds=validation.seconds,
    )


def _words(error: Exception) -> str:
    said = error.message if isinstance(error, BakeoffError) else str(error)
    return _writable(said or type(error).__name__)


def _writable(text: str) -> str:
    """Events cannot hold lone surrogates, and what a check says may have some."""
    return text.encode("utf-8", "replace").decode()
