"""Sample a language model, with all that is asked and answered recorded as one run."""

from __future__ import annotations

import platform
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import anyio

from bakeoff import __version__
from bakeoff.choices import Sampling
from bakeoff.errors import BakeoffError, NothingValid
from bakeoff.events import RunEnded, RunStarted, SandboxFound, State
from bakeoff.models import Account
from bakeoff.sampling import MajorityVote, MultiTurn, NothingSampled, Rejection, RepairTemplate, canonical
from bakeoff.sampling import sample as sampled
from bakeoff.sampling.named import Named
from bakeoff.workers import open_backend, probe

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from pathlib import Path

    from bakeoff.events import Recorded
    from bakeoff.models import Budget, Message, Model, Providers
    from bakeoff.sampling import Extent, Requirement, SamplingOptions, Strategy
    from bakeoff.store import Log, Store
    from bakeoff.workers import WorkerConfig

__all__ = ["STRATEGIES", "Wanted", "sample"]

STRATEGIES: dict[Sampling, Strategy] = {
    Sampling.REJECTION: Rejection(),
    Sampling.REPAIR: RepairTemplate(),
    Sampling.MULTI_TURN: MultiTurn(),
    Sampling.MAJORITY: MajorityVote(key=canonical),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What a user can say about a sampling. `requirements` are named as in `sampling/named.py`, files and modules
    among them looked for in `folder`; `arguments` is the command line as it was given."""

    prompt: tuple[Message, ...]
    model: str
    requirements: tuple[str, ...]
    strategy: Strategy
    extent: Extent
    options: SamplingOptions
    budget: Budget
    config: WorkerConfig
    folder: Path
    arguments: tuple[str, ...] = ()


async def sample(
    wanted: Wanted, *, providers: Providers, store: Store, watch: Callable[[Recorded], None] | None = None
) -> None:
    """What comes of it is in the store. What cannot be used is told before a run is begun, and before anything is paid.

    Raises NothingValid where no sample is valid, and what the first of the subsamples was ended by where all were.
    """
    account = Account(budget=wanted.budget)
    model = providers.model(wanted.model, account)
    async with AsyncExitStack() as stack:
        backend = await stack.enter_async_context(open_backend(wanted.config))
        named = Named(backend=backend, model=model, folder=wanted.folder)
        requirements = [await named.requirement(text) for text in wanted.requirements]
        await stack.enter_async_context(providers)
        log = await stack.enter_async_context(store.record(watch=watch))
        account.log = log
        await log.append(_started(wanted))
        await _recorded(log, lambda: _sample(wanted, model, requirements, log))


async def _recorded(log: Log, work: Callable[[], Awaitable[None]]) -> None:
    """The work, with its end recorded whatever that is."""
    try:
        await work()
    except NothingValid:
        await log.append(RunEnded(state=State.DONE))
        raise
    except BakeoffError as error:
        await log.append(RunEnded(state=State.FAILED, error=error.message))
        raise
    except anyio.get_cancelled_exc_class():
        with anyio.CancelScope(shield=True):
            await log.append(RunEnded(state=State.INTERRUPTED))
        raise
    await log.append(RunEnded(state=State.DONE))


async def _sample(wanted: Wanted, model: Model, requirements: list[Requirement], log: Log) -> None:
    if wanted.requirements:
        isolation = (await probe(wanted.config.python)).under(wanted.config.sandbox)
        found = SandboxFound(tier=isolation.tier.value, layers=isolation.layers, missing=dict(isolation.missing))
        await log.append(found)
    try:
        result = await sampled(
            wanted.prompt,
            model,
            requirements,
            strategy=wanted.strategy,
            loop_budget=wanted.extent.loop_budget,
            concurrency_budget=wanted.extent.concurrency_budget,
            options=replace(wanted.options, log=log),
        )
    except NothingSampled as nothing:
        raise nothing.exceptions[0] from nothing
    if not result.success and result.sample is not None:
        nearest = result.sample
        raise NothingValid(len(result.samples), nearest=nearest.id, reasons=nearest.reasons)


def _started(wanted: Wanted) -> RunStarted:
    return RunStarted(
        command="sample",
        arguments=wanted.arguments,
        version=__version__,
        environment={"system": f"{platform.system()} {platform.release()} {platform.machine()}"},
    )
