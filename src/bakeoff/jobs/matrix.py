"""Experiments: what a matrix will take, and running it, or going on with it where it was stopped or died.

All runs of matrices of one name are one run in the store: it holds what came of each cell, by the hash of all that
decides its answer. So only what is missing is run, and a cell that is defined otherwise is another one.
"""

from __future__ import annotations

import hashlib
import os
import platform
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Final

import anyio

from bakeoff import __version__
from bakeoff.errors import BakeoffError, ProviderError
from bakeoff.events import CellStatus, MatrixState, Run, RunEnded, RunStarted, SandboxFound, Spent, State, StopCause
from bakeoff.jobs.optimizations import Optimizations
from bakeoff.matrix import Function, Sampled, ScoringCode
from bakeoff.matrix.expected import Expected, expected, habits
from bakeoff.matrix.recall import remembered
from bakeoff.matrix.running import MatrixRun
from bakeoff.models import Account, Prices, Providers
from bakeoff.workers import WorkerConfig, open_backend, probe

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from bakeoff.events import Recorded
    from bakeoff.matrix import Cell, Definition
    from bakeoff.matrix.recall import Memory
    from bakeoff.models import Model
    from bakeoff.store import Log, Store

__all__ = ["Ending", "Outlook", "Wanted", "key_of", "missing", "newest", "outlook", "run"]

COMMAND: Final = "matrix"


@dataclass(frozen=True, slots=True, kw_only=True)
class Outlook:
    """What running a matrix will take: all of it, and what of it is still to be done, by the run that it goes on
    with."""

    all: Expected
    missing: Expected
    run: str | None = None


def key_of(definition: Definition) -> str:
    """The same for all that goes on with the same run: what is called the same."""
    return hashlib.sha256(repr((COMMAND, definition.name)).encode("utf-8", "surrogateescape")).hexdigest()


def newest(store: Store, definition: Definition) -> Run | None:
    """The newest run of a matrix of this name."""
    key = key_of(definition)
    for run in store.runs():
        if run.start is not None and run.start.key == key:
            return Run.of(store.events(run.id))
    return None


def missing(cells: Sequence[Cell], run: Run | None, *, retry_failed: bool = False) -> tuple[Cell, ...]:
    """Those of them that are to be run: all that nothing came of yet."""
    known = run.matrix.cells if run is not None else {}
    settled = {CellStatus.DONE} if retry_failed else {CellStatus.DONE, CellStatus.FAILED}
    return tuple(cell for cell in cells if cell.key not in known or known[cell.key].status not in settled)


def outlook(definition: Definition, store: Store | None, *, retry_failed: bool = False) -> Outlook:
    """Looks at the definition and at what is recorded, and runs nothing."""
    run = newest(store, definition) if store is not None else None
    prices = Prices(definition.prices)
    known = habits(run.attempts.values()) if run is not None else {}
    cells = definition.cells()
    rest = missing(cells, run, retry_failed=retry_failed)
    return Outlook(
        all=expected(definition, cells, prices=prices, known=known),
        missing=expected(definition, rest, prices=prices, known=known),
        run=run.id if run is not None else None,
    )


# -- running -----------------------------------------------------------------------------------------------------------


class Ending:
    """Ends a matrix from outside: nothing more is begun, and what is open at providers goes on."""

    def __init__(self) -> None:
        self._has_begun = False
        self._stop: Callable[[], None] | None = None

    def begin(self) -> None:
        """Stop, now or as soon as there is something to stop."""
        self._has_begun = True
        if self._stop is not None:
            self._stop()

    def bind(self, stop: Callable[[], None]) -> None:
        """What is to be called."""
        self._stop = stop
        if self._has_begun:
            stop()


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What a user can say about a run of a matrix. With `is_new` it does not go on with an earlier one; with
    `is_cached` what the same request to a model brought before is its answer. `arguments` is the command line as it was
    given."""

    definition: Definition
    retry_failed: bool = False
    is_new: bool = False
    is_cached: bool = False
    config: WorkerConfig = field(default_factory=WorkerConfig)
    arguments: tuple[str, ...] = ()


async def run(
    wanted: Wanted,
    *,
    store: Store,
    environment: Mapping[str, str] = os.environ,
    ending: Ending | None = None,
    watch: Callable[[Recorded], None] | None = None,
    replay: Callable[[Recorded], None] | None = None,
) -> None:
    """What comes of it is in the store. What is in the way of any of its models is raised before a run is begun, and
    before anything is paid. Cancelled, it ends as interrupted, with what was known of each cell. `watch` is told of
    each event, and `replay`, before that, of those of the run that it goes on with."""
    definition = wanted.definition
    earlier = None if wanted.is_new else newest(store, definition)
    planned = definition.cells()
    cells = missing(planned, earlier, retry_failed=wanted.retry_failed)
    account = Account(budget=definition.budget)
    providers = Providers(definition.providers, environment=environment, prices=Prices(definition.prices))
    models = _opened(definition, cells, providers, account, _memory(wanted, store, cells))
    async with AsyncExitStack() as stack:
        backend = await stack.enter_async_context(open_backend(wanted.config))
        optimizations = Optimizations(
            folder=definition.tools.folder,
            store=store,
            providers=providers,
            account=account,
            config=wanted.config,
            environment=environment,
        )
        stack.enter_context(
            definition.tools.ready(models=models.judge, backend=backend, optimized=optimizations.answer)
        )
        await stack.enter_async_context(providers)
        if earlier is not None and replay is not None:
            for recorded in store.events(earlier.id):
                replay(recorded)
        log = await stack.enter_async_context(store.record(earlier.id if earlier else None, watch=watch))
        await log.append(_started(wanted))
        account.record_in(log, before=earlier.spent if earlier is not None else Spent())
        known = earlier.matrix if earlier is not None else MatrixState()
        under_way = MatrixRun(
            definition, log=log, account=account, models=models.asked, known=known, is_cached=wanted.is_cached
        )
        if ending is not None:
            ending.bind(partial(under_way.stop, StopCause.INTERRUPT, "it was interrupted"))
        await _recorded(log, wanted, under_way, cells, planned)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Models:
    """The models of cells, and those of scorers, which are always asked anew."""

    of_cells: Mapping[str, Model]
    of_scorers: Mapping[str, Model]

    def asked(self, name: str) -> Model:
        return self.of_cells[name]

    def judge(self, name: str) -> Model:
        return self.of_scorers[name]


def _opened(
    definition: Definition, cells: Sequence[Cell], providers: Providers, account: Account, memory: Memory | None
) -> _Models:
    """All models that are needed. Raises what is in the way of any of them, all of it at once."""
    problems: dict[str, BakeoffError] = {}

    def opened(names: Sequence[str], recall: Memory | None) -> dict[str, Model]:
        found = {}
        for name in names:
            try:
                found[name] = providers.model(name, account, recall=recall)
            except BakeoffError as error:
                problems.setdefault(error.message, error)
        return found

    named = (name for cell in cells for name in (cell.model, *cell.strategy.models))
    asked = list(dict.fromkeys(name for name in named if name is not None))
    made = _Models(of_cells=opened(asked, memory), of_scorers=opened(definition.judges if cells else (), None))
    if len(problems) == 1:
        raise next(iter(problems.values()))
    if problems:
        hints = dict.fromkeys(error.hint for error in problems.values() if error.hint)
        raise ProviderError("; ".join(problems), hint="; ".join(hints))
    return made


def _memory(wanted: Wanted, store: Store, cells: Sequence[Cell]) -> Memory | None:
    if not wanted.is_cached:
        return None
    served = {name: one.base_url for name, one in wanted.definition.providers.items()}
    return remembered(store, repeats={cell.key: cell.repeat for cell in cells}, served=served)


async def _recorded(
    log: Log, wanted: Wanted, under_way: MatrixRun, cells: Sequence[Cell], planned: Sequence[Cell]
) -> None:
    """The cells run, with the end recorded whatever that is."""
    try:
        if _needs_workers(wanted.definition, planned):
            isolation = (await probe(wanted.config.python)).under(wanted.config.sandbox)
            layers, without = isolation.layers, dict(isolation.missing)
            await log.append(SandboxFound(tier=isolation.tier.value, layers=layers, missing=without))
        left = await under_way.run(cells, of=planned)
    except BakeoffError as error:
        await log.append(RunEnded(state=State.FAILED, error=error.message))
        raise
    except anyio.get_cancelled_exc_class():
        with anyio.CancelScope(shield=True):
            await log.append(RunEnded(state=State.INTERRUPTED))
        raise
    await log.append(RunEnded(state=State.INTERRUPTED if left else State.DONE))


def _needs_workers(definition: Definition, cells: Sequence[Cell]) -> bool:
    strategies = [cell.strategy for cell in cells]
    in_workers = (isinstance(one, Function) and one.runs_in == "worker" for one in strategies)
    required = (isinstance(one, Sampled) and one.require for one in strategies)
    return any(isinstance(one, ScoringCode) for one in definition.scorers) or any(in_workers) or any(required)


def _started(wanted: Wanted) -> RunStarted:
    return RunStarted(
        command=COMMAND,
        arguments=wanted.arguments,
        version=__version__,
        target=wanted.definition.name,
        key=key_of(wanted.definition),
        environment={"system": f"{platform.system()} {platform.release()} {platform.machine()}"},
    )
