"""Cells run: each as soon as there is room at its providers, recorded when it begins, and durable before it counts.

    missing cells ──lanes: one for each provider and model──▶ fan_out ──▶ a cell:
        CellBegan ──▶ strategy.answer ──▶ scorers ──▶ CellEnded
                           └─ calls: permits of each provider, given by the limiter of its models

A lane lets somewhat more cells in than its provider takes calls, so that a call is always at hand when a permit is
free, whatever else cells do: begin, be scored. A permit is held for the length of one attempt, and nobody holds one
while waiting for another, so a cell that calls two providers can neither lock anybody out nor be locked. Nor does a
cell that has ended wait for the disk: whoever counts it does.

What is answered is not lost: whoever is cancelled while it is scored is done, without the scores that are missing.
"""

from __future__ import annotations

import json
import logging
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import anyio

from bakeoff.errors import BakeoffError, BudgetSpent, CallsStopped, ProviderError, StoreError
from bakeoff.events import (
    CallEnd,
    CellBegan,
    CellEnded,
    CellsPlanned,
    CellStatus,
    MatrixBegan,
    MatrixStopped,
    StopCause,
)
from bakeoff.fanout import Limits, Permits, fan_out, innermost
from bakeoff.matrix.cases import Case, question
from bakeoff.matrix.definition import digest_of
from bakeoff.matrix.scoring import Scores, scored, words_of
from bakeoff.models import ProviderSettings
from bakeoff.models.account import finishing
from bakeoff.models.tally import Witness, witnessed

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Sequence

    from bakeoff.events import MatrixState
    from bakeoff.matrix.cases import Answered
    from bakeoff.matrix.definition import Cell, Definition
    from bakeoff.models import Account, Model
    from bakeoff.store import Log, Note

__all__ = ["MatrixRun"]

_log = logging.getLogger(__name__)

_ROOM: Final = 3  # times as many cells of a lane are under way as its provider takes calls
_ALONE: Final = "alone"  # the lane of cells that call nobody


@dataclass(slots=True, kw_only=True, eq=False)
class _Try:
    """One try at a cell, and what is known of it so far."""

    cell: Cell
    number: int
    seen: Witness
    answered: Answered | None = None
    error: Exception | None = None
    queued: float = 0.0
    seconds: float = 0.0
    scores: Scores | None = None


class MatrixRun:
    """One try of a run at the cells of a definition that are missing.

    `models` makes the models of cells. Calls are recorded where their account records, cells in `log`; `known` is what
    earlier tries of the run left there.
    """

    def __init__(
        self,
        definition: Definition,
        *,
        log: Log,
        account: Account,
        models: Callable[[str], Model],
        known: MatrixState,
        is_cached: bool = False,
    ) -> None:
        self._definition = definition
        self._log = log
        self._account = account
        self._models = models
        self._known = known
        self._is_cached = is_cached
        self._alone = Permits(definition.concurrency)
        self._deadline = math.inf
        self._stopped: tuple[StopCause, str] | None = None
        self._failures = 0
        self._settled = 0

    def stop(self, cause: StopCause, reason: str) -> None:
        """Begin nothing more. Calls that are open go on, and cells that have all of their answers are scored."""
        if self._stopped is None:
            self._stopped = (cause, reason)
            self._account.stop()

    async def run(self, cells: Sequence[Cell], *, of: Sequence[Cell] | None = None) -> int:
        """Run these cells, `of` all that the definition has; how many of them are still missing then. Raises what the
        store raises; cancelled, it records what became of each cell before."""
        await self._begin(cells if of is None else of)
        if self._definition.budget.seconds is not None:
            self._deadline = anyio.current_time() + self._definition.budget.seconds
        try:
            if cells:
                await self._run_all(cells)
        except ExceptionGroup as group:
            raise innermost(group) from None
        finally:
            missing = len(cells) - self._settled
            if missing and self._stopped is not None:
                cause, reason = self._stopped
                with anyio.CancelScope(shield=True):
                    await self._log.append(MatrixStopped(cause=cause, reason=reason, missing=missing))
        return missing

    async def _run_all(self, cells: Sequence[Cell]) -> None:
        lanes = {_lane(cell): self._room(cell) for cell in cells}
        limits = Limits(sum(lanes.values()), keys=lanes)
        async with fan_out(cells, self._cell, limit=limits, key=_lane, fail_fast=True) as outcomes:
            async for outcome in outcomes:
                if outcome.value is not None:
                    await outcome.value.durable()

    def _room(self, cell: Cell) -> int:
        if not (cell.providers or self._definition.scorers):
            return self._definition.concurrency
        return _ROOM * min((self._cap(name) for name in cell.providers), default=self._definition.concurrency)

    def _cap(self, provider: str) -> int:
        return self._definition.providers.get(provider, ProviderSettings()).concurrency

    async def _begin(self, cells: Sequence[Cell]) -> None:
        """Record what is to be run."""
        definition = self._definition
        called = [name for cell in cells for name in cell.providers]
        called += [model.partition(":")[0] for model in definition.judges]
        digest = digest_of(cells)
        if digest not in self._known.plans:
            await self._log.append(CellsPlanned(digest=digest, cells=tuple(cell.planned for cell in cells)))
        await self._log.append(
            MatrixBegan(
                name=definition.name,
                digest=digest,
                scoring=definition.scoring,
                axes={axis.name: tuple(point.name for point in axis.points) for axis in definition.axes},
                repeats=definition.repeats,
                cells=len(cells),
                scorers=tuple(scorer.name for scorer in definition.scorers),
                better=dict(definition.better),
                caps={name: self._cap(name) for name in dict.fromkeys(called)},
                is_cached=self._is_cached,
                definition=self._log.keep(json.dumps(self._document(called), ensure_ascii=False)),
            )
        )

    def _document(self, called: Sequence[str]) -> dict[str, Any]:
        """The definition as it is recorded: with providers as they are called, wherever that was said."""
        document = dict(self._definition.document)
        providers = {name: dict(one) for name, one in document.get("providers", {}).items()}
        for name in called:
            settings = self._definition.providers.get(name, ProviderSettings())
            said = {} if settings.base_url is None else {"base_url": settings.base_url}
            providers[name] = {**providers.get(name, {}), **said, "concurrency": settings.concurrency}
        return {**document, "name": self._definition.name, "providers": providers}

    # -- one cell ------------------------------------------------------------------------------------------------------

    async def _cell(self, cell: Cell) -> Note | None:
        """Run a cell, and record what came of it, unless nothing is begun any more."""
        if self._deadline < math.inf and anyio.current_time() >= self._deadline:
            self.stop(StopCause.TIME, f"{self._definition.budget.seconds:g} s are over")
        if self._stopped is not None:
            return None
        known = self._known.cells.get(cell.key)
        number = 1 + (known.began.tries if known is not None and known.began is not None else 0)
        trial = _Try(cell=cell, number=number, seen=Witness(cell=cell.key))
        self._log.note(CellBegan(cell=cell.key, tries=number))  # each of its calls is recorded after it
        try:
            await self._answer(trial)
            if trial.answered is not None:
                await self._score(trial)
        except BaseException:
            self._end(trial)
            raise
        return self._end(trial)

    async def _answer(self, trial: _Try) -> None:
        """The answer, or why there is none."""
        cell = trial.cell
        try:
            with witnessed(cell.key) as trial.seen:
                await (self._ask(trial) if cell.providers else self._ask_alone(trial))
        except StoreError:
            raise
        except BudgetSpent as spent:
            trial.error = spent
            self.stop(StopCause(spent.what), spent.message)
        except Exception as error:  # noqa: BLE001 (a strategy may be anybody's; what it raises is recorded)
            trial.error = error
            if not isinstance(error, BakeoffError):
                _log.info("cell %s failed", cell.key, exc_info=error)

    async def _ask_alone(self, trial: _Try) -> None:
        """A cell that calls nobody has a permit of ours."""
        came = anyio.current_time()
        async with self._alone.taken():
            trial.queued = anyio.current_time() - came
            if self._stopped is not None:
                raise CallsStopped
            await self._ask(trial)

    async def _ask(self, trial: _Try) -> None:
        cell = trial.cell
        case = Case(
            task=cell.task,
            messages=question(cell.task, cell.settings, cell.values),
            model=self._models(cell.model) if cell.model is not None else None,
            settings=cell.settings,
            values=cell.values,
            coordinates=cell.coordinates,
            repeat=cell.repeat,
            others={name: self._models(name) for name in cell.strategy.models},
        )
        began = anyio.current_time()
        trial.answered = await cell.strategy.answer(case)
        trial.seconds = anyio.current_time() - began

    async def _score(self, trial: _Try) -> None:
        assert trial.answered is not None
        if not self._definition.scorers:
            trial.scores = Scores(metrics={}, unscored={})
            return
        with witnessed(trial.cell.key), finishing():
            trial.scores = await scored(trial.answered.text, trial.cell.task, self._definition.scorers)

    def _scores(self, trial: _Try) -> Scores:
        """Those that there are; whoever is cancelled before that has an answer all the same."""
        if trial.scores is not None:
            return trial.scores
        scorers = self._definition.scorers if trial.answered is not None else ()
        return Scores(metrics={}, unscored={scorer.name: "it was stopped before this was known" for scorer in scorers})

    def _end(self, trial: _Try) -> Note:
        ended = self._ended(trial)
        if ended.status is CellStatus.FAILED:
            self._failures += 1
            most = self._definition.max_failures
            if most is not None and self._failures >= most:
                many = "a cell" if most == 1 else f"{most:,} cells"
                self.stop(StopCause.FAILURES, f"{many} failed")
        self._settled += ended.status is not CellStatus.CANCELLED
        return self._log.note(ended)

    def _ended(self, trial: _Try) -> CellEnded:
        cell, ends, answered, error = trial.cell, trial.seen.ended, trial.answered, trial.error
        status, scores = _status(trial), self._scores(trial)
        costs = [one.cost for one in ends]
        return CellEnded(
            cell=cell.key,
            tries=trial.number,
            coordinates=dict(cell.coordinates),
            repeat=cell.repeat,
            providers=cell.providers,
            status=status,
            duration_ms=_duration(trial),
            queue_ms=1000 * (trial.queued + sum(one.queued for one in ends)),
            backoff_ms=1000 * sum(one.backed_off for one in ends),
            attempts=len(ends),
            calls=tuple(dict.fromkeys(one.call for one in ends)),
            tokens_in=sum(one.tokens_in for one in ends),
            tokens_out=sum(one.tokens_out for one in ends),
            is_estimate=any(one.is_estimate for one in ends),
            cost=None if None in costs else sum(cost for cost in costs if cost is not None),
            is_cached=trial.seen.recalled > 0,
            answer=self._log.keep(answered.text) if answered is not None else None,
            scoring=cell.scoring,
            metrics={**(dict(answered.metrics) if answered is not None else {}), **scores.metrics},
            unscored=dict(scores.unscored),
            scoring_cost=scores.cost,
            error=words_of(error) if error is not None and status is CellStatus.FAILED else None,
            kind=_kind(error) if error is not None and status is CellStatus.FAILED else None,
        )


def _lane(cell: Cell) -> Hashable:
    return (cell.model, cell.providers) if cell.providers else _ALONE


def _status(trial: _Try) -> CellStatus:
    if trial.answered is not None:
        return CellStatus.DONE
    is_missing = trial.error is None or isinstance(trial.error, (BudgetSpent, CallsStopped))
    return CellStatus.CANCELLED if is_missing else CellStatus.FAILED


def _duration(trial: _Try) -> float | None:
    """The time of its calls that brought answers; of a cell without any call, that of its strategy."""
    if trial.answered is not None and trial.answered.seconds is not None:
        return 1000 * trial.answered.seconds
    done = [one.seconds for one in trial.seen.ended if one.end is CallEnd.DONE]
    if done:
        return 1000 * sum(done)
    has_called = trial.seen.ended or trial.seen.recalled
    return None if trial.answered is None or has_called else 1000 * trial.seconds


def _kind(error: Exception) -> str:
    """What failures are counted by."""
    name = type(error).__name__
    status = error.status if isinstance(error, ProviderError) else None
    return name if status is None else f"{name} {status}"
