"""`bakeoff optimize TARGET…`."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from bakeoff.cli.asking import Asking, budget, most_tokens, providers
from bakeoff.cli.endings import finish
from bakeoff.cli.output import Shared
from bakeoff.cli.running import run_job
from bakeoff.cli.waiting import finished
from bakeoff.cli.wanted import MANY, Judging, place, wanted
from bakeoff.jobs.contest import Wanted
from bakeoff.jobs.optimize import Models, Sources
from bakeoff.jobs.optimize import optimize as job
from bakeoff.jobs.records import find_store
from bakeoff.sources.agents import AgentOptions
from bakeoff.sources.models.source import ModelsOptions

if TYPE_CHECKING:
    from collections.abc import Callable

    from bakeoff.config import Options
    from bakeoff.events import Recorded, Run

_SHARED, _JUDGING, _ASKING = Shared(), Judging(), Asking()
_AGENT_SECONDS = 600.0
_MOST_FRESH = 8


def optimize(
    *target: str,
    source: Annotated[tuple[str, ...], MANY] = (),
    candidates: int | None = None,
    patch: Annotated[tuple[str, ...], MANY] = (),
    agent: str | None = None,
    agent_attempts: int | None = None,
    agent_time: str | None = None,
    agent_network: Annotated[bool | None, Parameter(negative="", show_default=False)] = None,
    fresh: int | None = None,
    repair_rounds: int | None = None,
    context_tokens: int | None = None,
    prompts: Path | None = None,
    target_speedup: float | None = None,
    branch: str | None = None,
    apply: Annotated[bool, Parameter(negative="", show_default=False)] = False,
    asking: Asking = _ASKING,
    judging: Judging = _JUDGING,
    shared: Shared = _SHARED,
) -> int:
    """Improve a target: many candidates in, one proven winner out.

    Parameters
    ----------
    target
        What is to become faster: pkg/mod.py::function, pkg.mod:Class.method, or a line, pkg/mod.py:120.
    source
        Where candidates come from: rules, patches, agent, models, or one that is installed. Default: rules, and models
        where a model is named.
    candidates
        At most so many candidates. Default: 40.
    patch
        A candidate that is there already: NAME=FILE, NAME=REF, a folder of patches, or - for standard input.
    agent
        A command that edits files; {prompt} is the path of what it is told.
    agent_attempts
        How often it is run. Default: once for each core.
    agent_time
        How long one attempt may take. Default: 10m.
    agent_network
        Let it use the network.
    fresh
        So many ideas are asked of models before the best are refined. Default: half of the candidates, at most 8.
    repair_rounds
        How often a model may mend a candidate of its own that failed. Default: 2.
    context_tokens
        The most tokens that a model is shown of the target and what belongs to it. Default: 12000.
    prompts
        A folder with prompts that take the place of ours.
    target_speedup
        Enough is enough: end when a winner is surely so many times as fast, like 3.
    branch
        Make a commit with the winner on a new branch of this name.
    apply
        Write the winner to the working tree.
    """
    own = {
        "source": source or None,
        "candidates": candidates,
        "agent": agent,
        "agent_attempts": agent_attempts,
        "agent_time": agent_time,
        "agent_network": agent_network,
        "fresh": fresh,
        "repair_rounds": repair_rounds,
        "context_tokens": context_tokens,
        "prompts": prompts,
        "target_speedup": target_speedup,
    }
    options = shared.begin(**judging.flags(), **asking.flags(), **own).options
    where = finished(place, judging.repo)
    store = finished(find_store, where.repository.root, options.store)
    asked = wanted(options, where, Wanted())

    async def improve(watch: Callable[[Recorded], None]) -> list[Run]:
        sources = Sources(
            names=options.source,
            patches=patch,
            agent=_agent(options, asked.config.count()),
            models=_models(options, asked.candidates),
        )
        return await job(
            target,
            asked,
            sources,
            variables=os.environ,
            repository=where.repository,
            start=where.start,
            store=store,
            watch=watch,
        )

    ran = run_job(improve, shared)
    return finish(ran, store=store, where=where, shared=shared, report=judging.report, branch=branch, apply=apply)


def _agent(options: Options, cores: int) -> AgentOptions | None:
    if options.agent is None:
        return None
    attempts = options.agent_attempts or cores
    return AgentOptions(
        argv=tuple(options.agent),
        attempts=attempts,
        parallel=attempts,
        seconds=float(options.agent_time or _AGENT_SECONDS),
        network=options.agent_network,
        variables=options.agent_environment,
        folders=options.agent_folders,
    )


def _models(options: Options, candidates: int) -> Models | None:
    if not options.model:
        return None
    usual = ModelsOptions()
    return Models(
        names=options.model,
        providers=providers(options),
        budget=budget(options),
        options=ModelsOptions(
            fresh=max(1, min(_MOST_FRESH, candidates // 2)) if options.fresh is None else options.fresh,
            repair_rounds=usual.repair_rounds if options.repair_rounds is None else options.repair_rounds,
            context_tokens=usual.context_tokens if options.context_tokens is None else options.context_tokens,
            max_tokens=most_tokens(options, usual.max_tokens),
            prompts=options.prompts,
        ),
    )
