"""Searches in virtual time: sources, verdicts and speeds that are scripted around the real search, evaluation and gate.

The repository and the log of events are in memory here, since threads and processes know nothing of a virtual clock;
with real ones the same is tried in tests/test_evaluation.py and tests/jobs.
"""

from __future__ import annotations

import hashlib
import math
from collections import Counter
from collections.abc import AsyncGenerator, Callable, Iterable, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import anyio
import anyio.lowlevel

from bakeoff.candidates import Candidate, Change, File
from bakeoff.candidates.tried import Tried
from bakeoff.evaluation import Evaluation
from bakeoff.events import (
    CandidateJudged,
    CandidateMeasured,
    CandidateProposed,
    Decision,
    Descent,
    Profile,
    RaceBegan,
    Speedup,
    Text,
    Verdict,
)
from bakeoff.measure import Clock, Contender, Fault, FaultKind, Gate, Measurement, RaceResult
from bakeoff.search import Found, SearchOptions, search
from bakeoff.sources import Brief, Proposal, Scope
from bakeoff.verify import Judgement
from virtual_clock import Stopwatch, run, tasks_living

FILE = "mod.py"
FASTER = 1.05


@dataclass(frozen=True, slots=True, kw_only=True)
class Idea:
    """A proposal and what is true of it. `speeds` are what it is found to be in its first race, the second, and so on;
    the last holds for all others. Equal `text` is an equal change."""

    name: str
    text: str = ""
    speeds: tuple[float, ...] = (1.0,)
    verdict: Verdict = Verdict.VERIFIED
    passes_rest: bool = True
    falls: bool = False
    judging: float = 1.0
    descent: Descent = Descent.FRESH
    parents: tuple[str, ...] = ()

    @property
    def change(self) -> Change:
        return Change.of({FILE: f"X = {self.text or self.name!r}\n".encode()}, base=BASE.read)

    @property
    def proposal(self) -> Proposal:
        return Proposal(name=self.name, change=self.change, descent=self.descent, parents=self.parents)


@dataclass(frozen=True, slots=True)
class Wait:
    """Something else than the CPU keeps the source busy."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Work:
    """The source uses the CPU."""

    seconds: float


Step = Idea | Wait | Work | Exception | Proposal
HANGS = Wait(math.inf)


class Base:
    """What is read of the repository."""

    @staticmethod
    def read(path: str) -> File | None:
        return File(content=b"X = ''\n") if path == FILE else None


BASE = Base()


class House:
    """Who is at what, and since when; fails when somebody works while something is timed."""

    def __init__(self) -> None:
        self.clock = Stopwatch()
        self.judging = self.finishing = self.working = self.timing = 0
        self.most_judging = 0
        self.judged: Counter[bytes] = Counter()
        self.races: list[tuple[float, tuple[str, ...]]] = []
        self.race_seconds: list[float] = []
        self.longest_races: list[float] = []
        self.began: dict[str, float] = {}

    @contextmanager
    def at(self, what: str):
        if what == "timing":
            assert not any((self.judging, self.finishing, self.working, self.timing)), "E2"
        else:
            assert not self.timing, "E2"
        setattr(self, what, getattr(self, what) + 1)
        self.most_judging = max(self.most_judging, self.judging)
        try:
            yield
        finally:
            setattr(self, what, getattr(self, what) - 1)


class Journal:
    """The log of a run; with `most`, that many events, and then `full` is called."""

    def __init__(self, full: Callable[[], None] = lambda: None, most: float = math.inf) -> None:
        self.events: list[Any] = []
        self._full = full
        self._most = most

    def keep(self, text: str) -> Text:
        return Text(sha256=hashlib.sha256(text.encode()).hexdigest(), size=len(text))

    async def append(self, event: Any) -> None:
        await anyio.lowlevel.checkpoint()
        if len(self.events) < self._most:
            self.events.append(event)
        if len(self.events) >= self._most:
            self._full()

    def of(self, kind: type) -> list[Any]:
        return [event for event in self.events if isinstance(event, kind)]


class Judging:
    """Knows the ideas by what they change."""

    def __init__(self, house: House, ideas: Iterable[Idea]) -> None:
        self._house = house
        self._ideas = {_content(idea.change): idea for idea in ideas}

    async def judge(self, change: Change) -> Judgement:
        idea = self._ideas[_content(change)]
        with self._house.at("judging"):
            self._house.judged[_content(change)] += 1
            self._house.began.setdefault(idea.name, self._house.clock.read())
            await anyio.sleep(idea.judging)
        return Judgement(verdict=idea.verdict)

    async def judge_whole(self, change: Change, judgement: Judgement) -> Judgement:
        with self._house.at("finishing"):
            await anyio.lowlevel.checkpoint()
        return judgement if self._ideas[_content(change)].passes_rest else Judgement(verdict=Verdict.WRONG)


class Timing:
    """Finds what is true, in `takes` seconds; among noise in the races that are named so, counted from 1."""

    def __init__(self, house: House, ideas: Iterable[Idea], *, takes: float, noisy: Sequence[int] = ()) -> None:
        self._house = house
        self._ideas = {_content(idea.change): idea for idea in ideas}
        self._takes = takes
        self._noisy = noisy
        self._times: Counter[str] = Counter()

    async def race(self, contenders: Sequence[Contender], *, seconds: float, longest: float) -> RaceResult:
        assert contenders
        assert seconds > 0
        self._house.race_seconds.append(seconds)
        self._house.longest_races.append(longest)
        self._house.races.append((self._house.clock.read(), tuple(one.name for one in contenders)))
        with self._house.at("timing"):
            await anyio.sleep(self._takes)
        noisy = len(self._house.races) in self._noisy
        found = {one.name: self._measured(one, noisy=noisy) for one in contenders}
        stand = [one for one in found.values() if one.fault is None and one.speedup is not None]
        best = max(stand, key=lambda one: one.speedup.estimate, default=None)
        if best is not None:
            best = found[best.name] = replace(best, is_confirmed=len(contenders) > 1)
        return RaceResult(
            measurements=found,
            winner=best.name if best is not None and best.decision is Decision.FASTER else None,
            placebo=None,
            noisy=noisy,
            clock=Clock.CPU,
            load=0.0,
            covered=1.0,
            seconds=self._takes,
            processes=1,
        )

    def _measured(self, contender: Contender, *, noisy: bool) -> Measurement:
        idea = self._ideas[_content(contender.change)]
        speed = idea.speeds[min(self._times[contender.name], len(idea.speeds) - 1)]
        self._times[contender.name] += 1
        if idea.falls:
            fault = Fault(kind=FaultKind.DIFFERENT_RESULT, text="")
            return Measurement(name=contender.name, decision=Decision.NO_DIFFERENCE, fault=fault)
        faster = speed > FASTER and not noisy
        decision = Decision.FASTER if faster else Decision.NO_DIFFERENCE
        return Measurement(name=contender.name, decision=decision, speedup=_speedup(speed))


def _speedup(speed: float) -> Speedup:
    return Speedup(estimate=speed, low=speed * 0.9, high=speed * 1.1)


class Script:
    """A source that takes its steps, a list of them in each round, and gives nothing when there are no more."""

    def __init__(self, name: str, *rounds: Sequence[Step]) -> None:
        self.name = name
        self.rounds = rounds
        self.briefs: list[Brief] = []
        self.times: list[float] = []
        self.offered = 0
        self.is_open = False
        self.house: House | None = None

    async def propose(self, brief: Brief) -> AsyncGenerator[Proposal, None]:
        assert not self.is_open, "never twice at the same time"
        assert self.house is not None
        self.is_open = True
        number = len(self.briefs)
        self.briefs.append(brief)
        self.times.append(self.house.clock.read())
        try:
            for step in self.rounds[number] if number < len(self.rounds) else ():
                match step:
                    case Idea():
                        self.offered += 1
                        yield step.proposal
                    case Proposal():
                        self.offered += 1
                        yield step
                    case Wait(seconds):
                        await anyio.sleep(seconds)
                    case Work(seconds):
                        async with brief.working():
                            with self.house.at("working"):
                                await anyio.sleep(seconds)
                    case _:
                        raise step
        finally:
            self.is_open = False

    @property
    def ideas(self) -> list[Idea]:
        return [step for steps in self.rounds for step in steps if isinstance(step, Idea)]


@dataclass(kw_only=True)
class Ran:
    """What came of a search; without `found` it was cut short."""

    sources: Sequence[Script]
    house: House
    journal: Journal
    seconds: float = 0.0
    found: Found | None = None

    @property
    def tried(self) -> dict[str, Tried]:
        assert self.found is not None
        return {one.candidate.name: one for one in self.found.tried}

    @property
    def winner(self) -> str | None:
        assert self.found is not None
        return self.found.winner.candidate.name if self.found.winner is not None else None

    @property
    def raced(self) -> list[tuple[str, ...]]:
        return [names for _, names in self.house.races]

    @property
    def proposed(self) -> list[str]:
        return [event.name for event in self.journal.of(CandidateProposed)]

    def left(self) -> tuple[list[tuple[Candidate, Tried | None]], dict[str, tuple[Proposal, ...]]]:
        """What the next try of the run knows, and what each source had proposed."""
        changes = {idea.name: idea.change for source in self.sources for idea in source.ideas}
        judged = {event.candidate: event for event in self.journal.of(CandidateJudged)}
        measured = {event.candidate: event for event in self.journal.of(CandidateMeasured)}
        known: list[tuple[Candidate, Tried | None]] = []
        earlier: dict[str, tuple[Proposal, ...]] = {}
        for event in self.journal.of(CandidateProposed):
            candidate = Candidate(
                id=event.candidate,
                name=event.name,
                source=event.source,
                change=changes[event.name],
                descent=event.descent,
            )
            tried = None
            if event.candidate in judged:
                tried = Tried(
                    candidate=candidate, judged=judged[event.candidate], measured=measured.get(event.candidate)
                )
            known.append((candidate, tried))
            proposal = Proposal(name=event.name, change=candidate.change, descent=event.descent)
            earlier[event.source] = (*earlier.get(event.source, ()), proposal)
        return known, earlier


@dataclass(kw_only=True)
class Play:
    """A search that can be run, on either backend."""

    seconds: float = 1000.0
    timing: float = 3.0
    candidates: int = 40
    rounds: int = 4
    parallel: int = 2
    takes: float = 5.0
    enough: float | None = None
    noisy: Sequence[int] = ()
    profiles: Mapping[str, Profile] = field(default_factory=dict)
    after: Ran | None = None
    events: float = math.inf
    cancelled_at: float = math.inf

    def run(self, backend: str, *sources: Script) -> Ran:
        return run(partial(self._run, sources), backend)

    async def _run(self, sources: Sequence[Script]) -> Ran:
        before = tasks_living()
        with anyio.move_on_after(self.cancelled_at) as scope:
            ran = Ran(sources=sources, house=House(), journal=Journal(scope.cancel, self.events))
            await self._search(ran)
        ran.seconds = ran.house.clock.read()
        assert not any(source.is_open for source in sources), "generators are closed"
        assert tasks_living() == before
        return ran

    async def _search(self, ran: Ran) -> None:
        ideas = [idea for source in ran.sources for idea in source.ideas]
        known, earlier = self.after.left() if self.after is not None else ([], {})
        for source in ran.sources:
            source.house = ran.house
        gate: Gate = Gate()
        evaluation = Evaluation(
            pool=BASE,
            judge=Judging(ran.house, ideas),
            timer=Timing(ran.house, ideas, takes=self.takes, noisy=self.noisy),
            log=ran.journal,
            gate=gate,
            scope=Scope(),
            parallel=self.parallel,
            known=known,
        )
        brief = Brief(pool=BASE, target=None, scope=Scope(), most=self.candidates, working=gate.working)
        options = SearchOptions(
            candidates=self.candidates,
            rounds=self.rounds,
            seconds=self.seconds,
            timing=self.timing,
            deadline=anyio.current_time() + self.seconds,
            enough=self.enough,
            earlier=earlier,
            profile=self._profiled if self.profiles else None,
        )
        ran.found = await search(ran.sources, evaluation, brief, options)
        assert not any((ran.house.judging, ran.house.finishing, ran.house.working, ran.house.timing))

    async def _profiled(self, candidate: Candidate) -> Profile | None:
        await anyio.lowlevel.checkpoint()
        return self.profiles.get(candidate.name)


def races_of(ran: Ran) -> list[set[str]]:
    """The names that each recorded race began with."""
    names = {event.candidate: event.name for event in ran.journal.of(CandidateProposed)}
    return [{names[one] for one in event.candidates} for event in ran.journal.of(RaceBegan)]


def _content(change: Change) -> bytes:
    return change.contents[FILE]
