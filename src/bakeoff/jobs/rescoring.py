"""Answers of a matrix scored anew, by other scorers or with other expectations, without asking for any of them again.

What comes of it is recorded in the run of the matrix, cell by cell, so that a scoring that was cut short goes on where
it was. The run itself is neither begun nor ended by it: one that was stopped can be gone on with as before.
"""

from __future__ import annotations

import json
import os
import tomllib
from contextlib import AsyncExitStack
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import msgspec

from bakeoff.errors import UsageError
from bakeoff.events import CellEnded, CellScored, CellState, CellStatus, Run, ScoringBegan, Spent
from bakeoff.fanout import fan_out
from bakeoff.matrix import Definition, definition_of
from bakeoff.matrix.files import read
from bakeoff.matrix.scoring import scored
from bakeoff.models import Account, Prices, Providers
from bakeoff.models.tally import witnessed
from bakeoff.workers import WorkerConfig, open_backend

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from bakeoff.events import Recorded
    from bakeoff.matrix import Task
    from bakeoff.store import Log, Store

__all__ = ["Rescored", "Wanted", "rescore", "scorers_from"]

_SCORERS = "scorers"


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """Which run is scored anew, and by whom: the scorers of a definition, and what its tasks expect."""

    run: str
    definition: Definition
    config: WorkerConfig = field(default_factory=WorkerConfig)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rescored:
    """How many cells were scored, how many had these scores already, and how many have an answer to a task that the
    definition does not know."""

    scored: int
    same: int
    unknown: int


def scorers_from(file: Path, run: Run, store: Store) -> Definition:
    """The definition to score by. A whole matrix says it by itself; of a file that has nothing but scorers, and perhaps
    providers and prices, the tasks are those that were recorded. Raises DefinitionWrong, and UsageError."""
    try:
        document = tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, UnicodeError, tomllib.TOMLDecodeError):
        return read(file)  # which says what is wrong about it
    if "axes" in document or run.matrix.began is None:
        return read(file)
    if not document.get(_SCORERS):
        raise UsageError(f"{file} has no scorers", hint="[scorers] names them, as in the file of a matrix")
    recorded: dict[str, Any] = json.loads(store.text(run.matrix.began.definition))
    own = {name: value for name, value in recorded.items() if name != _SCORERS}
    return definition_of({**own, **document, "name": own.get("name", "")}, folder=file.absolute().parent)


async def rescore(
    wanted: Wanted,
    *,
    store: Store,
    environment: Mapping[str, str] = os.environ,
    watch: Callable[[Recorded], None] | None = None,
    replay: Callable[[Recorded], None] | None = None,
) -> Rescored:
    """What comes of it is in the store. Models that judge are called, and what that costs is recorded; what is in the
    way of any of them is raised before anything is recorded."""
    definition = wanted.definition
    if not definition.scorers:
        raise UsageError("there are no scorers to score by", hint="[scorers] names them, as in the file of a matrix")
    anew = _Anew(
        run=Run.of(store.events(wanted.run)),
        definition=definition,
        tasks={task.name: task for task in definition.tasks},
        scorings=definition.scorings,
        store=store,
    )
    cells, found = anew.cells()
    if not cells:
        await _told_of(anew, store, watch)
        return found
    account = Account(budget=definition.budget)
    providers = Providers(definition.providers, environment=environment, prices=Prices(definition.prices))
    judges = {name: providers.model(name, account) for name in definition.judges}
    async with AsyncExitStack() as stack:
        backend = await stack.enter_async_context(open_backend(wanted.config))
        stack.enter_context(definition.tools.ready(models=judges.__getitem__, backend=backend))
        await stack.enter_async_context(providers)
        if replay is not None:
            for recorded in store.events(wanted.run):
                replay(recorded)
        log = await stack.enter_async_context(store.record(wanted.run, watch=watch))
        account.record_in(log, before=Spent())
        await _begin(definition, log)

        async def score(one: CellState) -> None:
            await log.append(await anew.scored(one))

        async with fan_out(cells, score, limit=definition.concurrency, fail_fast=True) as outcomes:
            async for _ in outcomes:
                pass
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class _Anew:
    """The answers of a run, and what they are scored by."""

    run: Run
    definition: Definition
    tasks: Mapping[str, Task]
    scorings: Mapping[str, str]
    store: Store

    def cells(self) -> tuple[list[CellState], Rescored]:
        """Those that are to be scored."""
        current = self.run.matrix.current
        answered = [one for one in current if one.status is CellStatus.DONE and one.ended and one.ended.answer]
        known = [one for one in answered if _task(one) in self.tasks]
        cells = [one for one in known if not self._has(one)]
        found = Rescored(scored=len(cells), same=len(known) - len(cells), unknown=len(answered) - len(known))
        return cells, found

    async def scored(self, one: CellState) -> CellScored:
        """What the scorers say of its answer, beside what the strategy itself said of it."""
        assert one.ended is not None
        assert one.ended.answer is not None
        with witnessed(one.planned.cell):
            scores = await scored(self.store.text(one.ended.answer), self.tasks[_task(one)], self.definition.scorers)
        return CellScored(
            cell=one.planned.cell,
            scoring=self.scorings[_task(one)],
            metrics={**self._own(one.ended), **scores.metrics},
            unscored=dict(scores.unscored),
            scoring_cost=scores.cost,
        )

    def _has(self, one: CellState) -> bool:
        """Whether it has these scores already; where some could not be given, they are asked for again."""
        scores = one.scores
        return scores is not None and scores.scoring == self.scorings[_task(one)] and not scores.unscored

    def _own(self, ended: CellEnded) -> dict[str, float]:
        assert self.run.matrix.began is not None
        scorers = {*self.run.matrix.began.scorers, *ended.unscored}
        return {name: value for name, value in ended.metrics.items() if name.partition(".")[0] not in scorers}


def _task(one: CellState) -> str:
    return one.planned.coordinates.get("task", "")


async def _told_of(anew: _Anew, store: Store, watch: Callable[[Recorded], None] | None) -> None:
    """Scores that stay as they are may be read otherwise: where less is better now, that is recorded."""
    matrix = anew.run.matrix
    if replace(matrix, scoring=_began(anew.definition)).better != matrix.better:
        async with store.record(anew.run.id, watch=watch) as log:
            await _begin(anew.definition, log)


async def _begin(definition: Definition, log: Log) -> None:
    document = {_SCORERS: {scorer.name: dict(scorer.described()) for scorer in definition.scorers}}
    text = log.keep(json.dumps(document, ensure_ascii=False, default=str))
    await log.append(msgspec.structs.replace(_began(definition), definition=text))


def _began(definition: Definition) -> ScoringBegan:
    return ScoringBegan(
        scoring=definition.scoring,
        scorers=tuple(scorer.name for scorer in definition.scorers),
        better=dict(definition.better),
    )
