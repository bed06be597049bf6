"""Whole optimizations as answers of a matrix: the prompt of a task is the target, the model of the cell the source."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from bakeoff.events import Verdict
from bakeoff.fanout import Permits
from bakeoff.git import Repository
from bakeoff.jobs.contest import Wanted
from bakeoff.jobs.optimize import Models, Sources, optimize
from bakeoff.matrix import Answered
from bakeoff.models.tally import tallied
from bakeoff.report.standings import winner
from bakeoff.sources.models.source import ModelsOptions
from bakeoff.workers import project_python

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from bakeoff.events import Run
    from bakeoff.matrix import Case
    from bakeoff.models import Account, Budget, Providers
    from bakeoff.store import Store
    from bakeoff.workers import WorkerConfig

__all__ = ["Optimizations"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Optimizations:
    """Runs them one at a time: each has the machine for itself while it times. Each is a run of its own in the store,
    and what it spends is taken from the account of the matrix."""

    folder: Path
    store: Store
    providers: Providers
    account: Account
    config: WorkerConfig
    environment: Mapping[str, str]
    turn: Permits = field(default_factory=lambda: Permits(1))

    async def answer(self, case: Case, options: Mapping[str, Any]) -> Answered:
        """The patch of the winner, with its speedup; no patch, and 1, where nothing is faster."""
        assert case.model is not None
        async with self.turn.taken():
            with tallied() as spent:
                try:
                    run = await self._run(case, case.model.name, options)
                finally:
                    self.account.charge(spent)
        first = winner(run)
        verdicts = [one.judged.verdict for one in run.candidates.values() if one.judged is not None]
        counted = {"candidates": float(len(run.candidates)), "verified": float(verdicts.count(Verdict.VERIFIED))}
        if first is None or first.measured is None:
            return Answered(text="", metrics={"speedup": 1.0, **counted})
        patch = self.store.text(first.proposed.patch) if first.proposed.patch is not None else ""
        return Answered(text=patch, metrics={"speedup": first.measured.speedup.estimate, **counted})

    async def _run(self, case: Case, model: str, options: Mapping[str, Any]) -> Run:
        repository = await Repository.find(self.folder / options["repo"])
        wanted = Wanted(
            tests=tuple(options["tests"]),
            candidates=options["candidates"],
            seconds=options["budget"],
            timing=options["timing"],
            python=self.config.python or project_python(repository.root, self.environment),
            sandbox=self.config.sandbox,
        )
        asking = ModelsOptions(temperature=case.settings.temperature)
        models = Models(names=(model,), providers=self.providers, budget=self._left(), options=asking)
        (run,) = await optimize(
            (case.task.prompt,),
            wanted,
            Sources(names=("models",), models=models),
            variables=self.environment,
            repository=repository,
            start=repository.root,
            store=self.store,
        )
        return run

    def _left(self) -> Budget:
        """What is left of the budget of the matrix."""
        budget, spent = self.account.budget, self.account.spent
        tokens = spent.usage.tokens_in + spent.usage.tokens_out
        return replace(
            budget,
            cost=None if budget.cost is None else max(0.0, budget.cost - spent.known_cost),
            tokens=None if budget.tokens is None else max(0, budget.tokens - tokens),
            seconds=None,
        )
