"""Improve targets: ask the sources, and take what is proven to be faster."""

from __future__ import annotations

from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from bakeoff.errors import BakeoffError, UsageError
from bakeoff.events import Spent
from bakeoff.jobs.compare import given
from bakeoff.jobs.contest import Task, contest
from bakeoff.models import Account, Budget, Providers
from bakeoff.sources.agents import AgentOptions, AgentSource
from bakeoff.sources.models.source import ModelsOptions, ModelsSource
from bakeoff.sources.patches import PatchesSource
from bakeoff.sources.plugins import plugin, plugins
from bakeoff.sources.rules import RulesSource
from bakeoff.targets import Target
from bakeoff.workers import open_backend

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from bakeoff.events import Recorded, Run
    from bakeoff.git import Repository
    from bakeoff.jobs.contest import Wanted
    from bakeoff.models import Model
    from bakeoff.sources import Brief, Source
    from bakeoff.sources.patches import Given
    from bakeoff.store import Store

__all__ = ["Models", "Sources", "Workshop", "optimize"]

_OURS = ("rules", "patches", "agent", "models")
_ROUNDS = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Models:
    """Language models as a source: which, by name, whose they are, and what all targets together may cost."""

    names: tuple[str, ...]
    providers: Providers
    budget: Budget = field(default_factory=Budget)
    options: ModelsOptions = field(default_factory=ModelsOptions)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sources:
    """Which sources are asked: those `names`, or rules where there are none; and those that were given something.
    Models are asked by default, but not where others are named."""

    names: tuple[str, ...] = ()
    patches: tuple[str, ...] = ()
    agent: AgentOptions | None = None
    models: Models | None = None

    def chosen(self) -> tuple[str, ...]:
        """Their names, checked."""
        given = [name for name, is_given in (("patches", self.patches), ("agent", self.agent)) if is_given]
        usual = ("rules", "models") if self.models is not None else ("rules",)
        names = tuple(dict.fromkeys([*(self.names or usual), *given]))
        known = (*_OURS, *plugins())
        for name in names:
            if name not in known:
                raise UsageError(f"there is no source {name!r}", hint=f"known are: {', '.join(known)}")
        if "agent" in names and self.agent is None:
            raise UsageError("the source 'agent' needs a command", hint="give one: --agent 'mytool {prompt}'")
        if "patches" in names and not self.patches:
            raise UsageError("the source 'patches' needs some", hint="give them: --patch NAME=FILE_OR_REF")
        if "models" in names and self.models is None:
            raise UsageError("the source 'models' needs a model", hint="name one: --model PROVIDER:MODEL")
        return names

    def asked(self, names: Sequence[str]) -> tuple[str, ...]:
        """What makes a difference to what these propose."""
        agent = repr(self.agent.argv if self.agent is not None else "")
        models = repr((self.models.names, self.models.options)) if self.models is not None and "models" in names else ""
        return (*names, agent, *([models] if models else []))


async def optimize(
    targets: tuple[str, ...],
    wanted: Wanted,
    sources: Sources,
    *,
    variables: Mapping[str, str],
    repository: Repository,
    start: Path,
    store: Store,
    watch: Callable[[Recorded], None] | None = None,
) -> list[Run]:
    """Improve these targets, one after the other: each is a run of its own. All of them are found before any begins.
    Where one cannot be improved, the others are all the same, and what was wrong is raised in the end. Of `variables`,
    our environment, an agent sees what its options name."""
    found = [Target.find(text, repository.root, start=start) for text in dict.fromkeys(targets)]
    if not found:
        raise UsageError("there is no target", hint="name a function: pkg/mod.py::function")
    runs: list[Run] = []
    errors: list[BakeoffError] = []
    opening = Workshop.opened(sources, wanted, variables=variables, repository=repository, start=start)
    async with opening as workshop:
        for target in found:
            async with workshop.task(target) as task:
                try:
                    runs.append(await contest(task, store, watch))
                except BakeoffError as error:
                    errors.append(error)
    if errors:
        raise errors[0]
    return runs


@dataclass(frozen=True, slots=True, kw_only=True)
class Workshop:
    """What the tasks of one command are made with: its sources, by name, and what they need."""

    names: tuple[str, ...]
    patches: tuple[Given, ...]
    sources: Sources
    wanted: Wanted
    variables: Mapping[str, str]
    repository: Repository
    asking: _Asking | None

    @classmethod
    @asynccontextmanager
    async def opened(
        cls, sources: Sources, wanted: Wanted, *, variables: Mapping[str, str], repository: Repository, start: Path
    ) -> AsyncIterator[Workshop]:
        """With all that can be wrong with sources found before anything is done."""
        names = sources.chosen()
        async with AsyncExitStack() as stack:
            yield cls(
                names=names,
                patches=await given(sources.patches, repository=repository, start=start),
                sources=sources,
                wanted=wanted,
                variables=variables,
                repository=repository,
                asking=await _asking(sources.models if "models" in names else None, stack),
            )

    def remember(self, before: Spent) -> None:
        """So much was spent on models before, by a task that is part of the run that goes on."""
        if self.asking is not None:
            self.asking.account.remember(before)

    @property
    def source_slots(self) -> int:
        """How many slots the sources of one task work in."""
        return self.sources.agent.parallel if self.sources.agent is not None else 0

    @asynccontextmanager
    async def task(
        self, target: Target, *, wanted: Wanted | None = None, part_of: str | None = None, share: int = 1
    ) -> AsyncIterator[Task]:
        """The task of improving a target. Its sources are open inside the block. Tasks that are `part_of` a run may run
        at the same time, so that each has an account of its own, of one in `share` parts of what may still be spent."""
        wanted, asking = wanted or self.wanted, self.asking
        async with AsyncExitStack() as stack:
            if asking is not None and part_of is not None:
                asking = stack.enter_context(asking.part(share))
            maker = _Maker(
                sources=self.sources,
                patches=self.patches,
                wanted=wanted,
                variables=self.variables,
                stack=stack,
                asking=asking,
            )
            yield Task(
                command="optimize",
                repository=self.repository,
                wanted=wanted,
                target=target,
                sources=tuple([await maker.make(name) for name in self.names]),
                asked=(*map(repr, self.patches), *self.sources.asked(self.names)),
                source_slots=self.source_slots,
                rounds=asking.rounds if asking is not None else _ROUNDS,
                in_words=asking is not None,
                part_of=part_of,
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asking:
    """The models of a command, open as long as it runs, and the account of all their calls; of a part of a run, what
    was spent before is charged to the whole."""

    models: Models
    account: Account
    is_part: bool = False

    @property
    def rounds(self) -> int:
        """As many as it takes for a candidate to be repaired, refined, and its offspring to be repaired."""
        return _ROUNDS + 2 * self.models.options.repair_rounds

    @contextmanager
    def part(self, share: int) -> Iterator[_Asking]:
        """The same with a part of what is left, from which comes back what was not spent."""
        with self.account.part(share) as account:
            yield replace(self, account=account, is_part=True)

    def opened(self, brief: Brief) -> Sequence[Model]:
        if brief.log is not None:
            self.account.record_in(brief.log, before=Spent() if self.is_part else brief.spent)
        return [self.models.providers.model(name, self.account) for name in self.models.names]


async def _asking(models: Models | None, stack: AsyncExitStack) -> _Asking | None:
    """Raises what is wrong with a model's name, its key or our packages before anything else is done."""
    if models is None:
        return None
    await stack.enter_async_context(models.providers)
    asking = _Asking(models=models, account=Account(budget=models.budget))
    for name in models.names:
        models.providers.model(name, asking.account)
    return asking


@dataclass(frozen=True, slots=True, kw_only=True)
class _Maker:
    """Makes sources by name; what they need is open as long as the stack."""

    sources: Sources
    patches: tuple[Given, ...]
    wanted: Wanted
    variables: Mapping[str, str]
    stack: AsyncExitStack
    asking: _Asking | None

    async def make(self, name: str) -> Source:
        if name == "rules":
            return RulesSource()
        if name == "patches":
            return PatchesSource(self.patches)
        if name == "agent":
            return await self._agent()
        if name == "models":
            assert self.asking is not None
            options = replace(self.asking.models.options, others=len(self.sources.chosen()) > 1)
            return ModelsSource(self.asking.opened, options)
        return plugin(name)

    async def _agent(self) -> AgentSource:
        options = self.sources.agent
        assert options is not None
        backend = await self.stack.enter_async_context(
            open_backend(replace(self.wanted.config, workers=options.parallel))
        )
        visible = {one: self.variables[one] for one in options.variables if one in self.variables}
        return AgentSource(backend, options, variables=visible)
