"""The options of commands that look for candidates, from flags to values."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from bakeoff.cli.asking import budget, most_tokens, providers
from bakeoff.cli.output import MANY
from bakeoff.jobs.optimize import Models, Sources
from bakeoff.sources.agents import AgentOptions
from bakeoff.sources.models.source import ModelsOptions

if TYPE_CHECKING:
    from bakeoff.config import Options
    from bakeoff.jobs.contest import Wanted

__all__ = ["Proposing", "sources"]

_AGENT_SECONDS = 600.0
_MOST_FRESH = 8


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class Proposing:
    """Options of commands that look for candidates."""

    source: Annotated[tuple[str, ...], MANY] = ()
    """Where candidates come from: rules, patches, agent, models, or one that is installed. Default: rules, and models
    where a model is named."""

    candidates: int | None = None
    """At most so many candidates for a target. Default: 40."""

    agent: str | None = None
    """A command that edits files; {prompt} is the path of what it is told."""

    agent_attempts: int | None = None
    """How often it is run. Default: once for each core."""

    agent_time: str | None = None
    """How long one attempt may take. Default: 10m."""

    agent_network: Annotated[bool | None, Parameter(negative="", show_default=False)] = None
    """Let it use the network."""

    fresh: int | None = None
    """So many ideas are asked of models before the best are refined. Default: half of the candidates, at most 8."""

    repair_rounds: int | None = None
    """How often a model may mend a candidate of its own that failed. Default: 2."""

    context_tokens: int | None = None
    """The most tokens that a model is shown of the target and what belongs to it. Default: 12000."""

    prompts: Path | None = None
    """A folder with prompts that take the place of ours."""

    target_speedup: float | None = None
    """Enough is enough: end when a winner is surely so many times as fast, like 3."""

    def flags(self) -> dict[str, object]:
        """What was given of it, for the configuration."""
        given = {name: getattr(self, name) for name in self.__dataclass_fields__}
        return {name: value for name, value in given.items() if value not in (None, ())}


def sources(options: Options, asked: Wanted, *, patches: tuple[str, ...] = ()) -> Sources:
    """The sources that were asked for."""
    return Sources(
        names=options.source,
        patches=patches,
        agent=_agent(options, asked.config.count()),
        models=_models(options, asked.candidates),
    )


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
