"""What `optimize` and `compare` share: one target, or none, whose candidates are judged, timed and recorded as one run.

    repository ──▶ pool ──▶ judge learns the baseline ──▶ profile ──▶ search ──▶ winner, profiled
                     └──────────────────── every step an event in the store ────────────────────┘

A run that was interrupted, or died, goes on when the same is asked for on the same base: what was judged then counts.
"""

from __future__ import annotations

import hashlib
import math
import platform
import sys
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol

import anyio

from bakeoff import __version__
from bakeoff.candidates import Candidate, Change, File, Mode
from bakeoff.candidates.tried import Tried
from bakeoff.errors import BakeoffError, UsageError
from bakeoff.evaluation import Evaluation
from bakeoff.events import (
    BaselineLearned,
    CandidateState,
    Phase,
    PhaseBegan,
    PoolOpened,
    Profile,
    Profiled,
    Run,
    RunEnded,
    RunStarted,
    SandboxFound,
    Spent,
    State,
    Verdict,
    Warned,
)
from bakeoff.measure import Course, Gate, MeasureOptions, Objective, Stopwatches, measure, measure_commands, profile
from bakeoff.search import SearchOptions, search
from bakeoff.sources import Brief, Proposal, Scope
from bakeoff.store import bytes_of
from bakeoff.targets import Project
from bakeoff.verify import Check, CheckOracle, Oracle, OracleOptions
from bakeoff.workers import Sandbox, WorkerConfig, probe
from bakeoff.workspaces import WorktreePool

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Sequence
    from pathlib import Path

    from bakeoff.candidates import Reader
    from bakeoff.events import Recorded
    from bakeoff.git import Repository
    from bakeoff.measure import Contender, RaceResult
    from bakeoff.search import Found
    from bakeoff.sources import Source
    from bakeoff.store import Log, Store
    from bakeoff.targets import Target
    from bakeoff.workspaces import SlotKind

__all__ = ["Arena", "Task", "Wanted", "candidate_of", "contest", "environment", "files_before", "unfinished"]

_COMMAND_PATIENCE = 3600.0
_INTERPRETERS_TO_TIME_IN = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What a user can say about a job of this kind.

    `seconds` is for all that comes when the baseline is known, at most `timing` of it for a candidate alone in a race;
    `parallel` is how many candidates are judged at once (0: as many as there are cores). A `bench` that is the path of
    a `.py` file in the repository holds benchmarks in pytest-benchmark's style, any other is a command. `arguments` is
    the command line as it was given. `inputs`, `rtol`, `any_dict_order` and `strict` say how hard the oracle looks.
    """

    arguments: tuple[str, ...] = ()
    tests: tuple[str, ...] = ()
    check: tuple[str, ...] | None = None
    junit: str | None = None
    bench: tuple[str, ...] | None = None
    edit_scope: tuple[str, ...] = ()
    candidates: int = 40
    parallel: int = 0
    seconds: float = 120.0
    timing: float = 3.0
    min_speedup: float = 0.05
    target_speedup: float | None = None
    objective: Objective = Objective.TIME
    python: Path | None = None
    sandbox: Sandbox = Sandbox.AUTO
    allow_untested: bool = False
    inputs: int = 500
    rtol: float = 0.0
    any_dict_order: bool = False
    strict: bool = False
    slots: SlotKind | None = None
    slots_directory: Path | None = None

    def __post_init__(self) -> None:
        if self.candidates < 1 or self.parallel < 0:
            hint = "give a whole number from 1 up"
            raise UsageError("there has to be at least one candidate, and one at a time", hint=hint)
        if not self.seconds > 0:
            raise UsageError("the budget has to be positive", hint="like --budget 120s")
        if self.junit is not None and self.check is None:
            raise UsageError("a JUnit report is left by a command that judges", hint="give it, too: --check CMD")
        if not self.timing > 0:
            raise UsageError("timing takes time", hint="like --timing 3s")
        if self.inputs < 0 or not 0 <= self.rtol < 1:
            hint = "like --inputs 500, and --rtol 1e-9"
            raise UsageError("inputs are counted from 0 up, and a tolerance is a part of one", hint=hint)
        if self.target_speedup is not None and not self.target_speedup > 1:
            raise UsageError(
                "a target speedup has to be above 1", hint="like --target-speedup 3, for three times as fast"
            )

    @property
    def essence(self) -> tuple[object, ...]:
        """What of it makes a difference to what comes out."""
        return (
            self.tests,
            (self.check, self.junit),
            self.bench,
            self.edit_scope,
            self.candidates,
            self.min_speedup,
            self.target_speedup,
            self.objective.value,
            str(self.python),
            self.allow_untested,
            (self.inputs, self.rtol, self.any_dict_order, self.strict),
        )

    @property
    def config(self) -> WorkerConfig:
        return WorkerConfig(python=self.python, sandbox=self.sandbox, workers=self.parallel)


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """What is asked for, of one target; without one, commands judge and time. `asked` is what makes a difference beside
    the target and what is wanted, so that the same task is known again. Candidates may edit the target's package, or,
    with `edits_all`, anything but tests. `source_slots` are for sources to work in, beside those that candidates are
    judged in. With `in_words` a source tells somebody of the target, who is shown recorded calls and profiles. It may
    be `part_of` another run."""

    command: str
    repository: Repository
    wanted: Wanted
    target: Target | None
    sources: tuple[Source, ...]
    asked: tuple[str, ...] = ()
    rounds: int = 4
    edits_all: bool = False
    source_slots: int = 0
    in_words: bool = False
    part_of: str | None = None

    @property
    def parallel(self) -> int:
        return self.wanted.config.count()

    @property
    def slots(self) -> int:
        return self.parallel + self.source_slots

    @property
    def key(self) -> str:
        """The same for tasks that ask for the same."""
        text = repr((self.command, str(self.target or ""), self.asked, self.wanted.essence))
        return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()

    @property
    def bench_file(self) -> str | None:
        """The user's own benchmarks, where they are a file."""
        bench = self.wanted.bench
        return bench[0] if bench is not None and len(bench) == 1 and bench[0].endswith(".py") else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Arena:
    """What tasks that run at the same time share: slots, and the gate that keeps timing apart from everything else."""

    pool: WorktreePool
    gate: Gate

    @classmethod
    @asynccontextmanager
    async def opened(cls, repository: Repository, wanted: Wanted, *, size: int) -> AsyncIterator[Arena]:
        """One of this command's own."""
        pool = WorktreePool(
            repository,
            size=size,
            kind=wanted.slots,
            directory=wanted.slots_directory,
            python=wanted.python,
        )
        async with pool:
            yield cls(pool=pool, gate=Gate())


async def contest(
    task: Task, store: Store, watch: Callable[[Recorded], None] | None = None, *, arena: Arena | None = None
) -> Run:
    """Run it, and give what was recorded; `watch` is told of each event. Cancelled from outside, it ends as
    interrupted, and the same task goes on from there. Without an `arena` to share, it has one of its own."""
    async with AsyncExitStack() as stack:
        if arena is None:
            opened = Arena.opened(task.repository, task.wanted, size=task.slots)
            arena = await stack.enter_async_context(opened)
        pool = arena.pool
        if task.target is not None and pool.read(task.target.path) is None:
            hint = "candidates are made from what git knows, or would add: see git status --ignored"
            raise UsageError(f"{task.target.path} is ignored by git", hint=hint)
        earlier = unfinished(store, task.key, pool.base.commit)
        if earlier is not None and watch is not None:
            for recorded in store.events(earlier.id):
                watch(recorded)
        async with store.record(earlier.id if earlier else None, watch=watch) as log:
            known = _known(earlier, store, pool.read) if earlier is not None else ()
            before = _Before(known=tuple(known), run=earlier)
            await _Contest(task, arena, log, before).recorded()
    return Run.of(store.events(log.run))


def unfinished(store: Store, key: str, base: str) -> Run | None:
    """The newest run that asked for the same on the same base and did not come to its end."""
    for run in store.runs():
        is_same = run.start is not None and run.start.key == key and run.start.base == base
        if is_same and not run.alive and run.state in (State.RUNNING, State.INTERRUPTED):
            return Run.of(store.events(run.id))
    return None


def files_before(store: Store, state: CandidateState) -> Reader:
    """The files that a recorded candidate edits, as they were in its base."""
    before = {
        path: File(content=bytes_of(store.text(kept.text)), mode=Mode(kept.mode))
        for path, kept in state.proposed.before.items()
    }
    return before.get


def candidate_of(store: Store, state: CandidateState, base: Reader) -> Candidate:
    """A recorded candidate, made again from what was kept of it."""
    proposed = state.proposed
    diff = bytes_of(store.text(proposed.patch)) if proposed.patch is not None else b""
    return Candidate(
        id=proposed.candidate,
        name=proposed.name,
        source=proposed.source,
        change=Change.from_diff(diff, base=base) if diff else Change(),
        parents=proposed.parents,
        note=proposed.note,
        descent=proposed.descent,
        log=store.text(proposed.log) if proposed.log is not None else "",
        calls=proposed.calls,
    )


def _known(run: Run, store: Store, base: Reader) -> Iterator[tuple[Candidate, Tried | None]]:
    """What an earlier try found out; what was our own fault is tried again."""
    for state in run.candidates.values():
        candidate = candidate_of(store, state, base)
        if state.judged is None or state.judged.verdict is Verdict.ERROR:
            yield candidate, None
        else:
            yield candidate, Tried(candidate=candidate, judged=state.judged, measured=state.measured)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Before:
    """What an earlier try of the same run left."""

    known: tuple[tuple[Candidate, Tried | None], ...] = ()
    run: Run | None = None

    @property
    def spent(self) -> Spent:
        """What its calls of language models took."""
        return self.run.spent if self.run is not None else Spent()

    @property
    def profiles(self) -> dict[str, Profile]:
        """Those of its candidates."""
        found = self.run.profiles if self.run is not None else {}
        return {candidate: profile for candidate, profile in found.items() if candidate is not None}

    def proposals(self) -> dict[str, tuple[Proposal, ...]]:
        """What each of the sources had proposed."""
        found: dict[str, list[Proposal]] = {}
        for candidate, tried in self.known:
            found.setdefault(candidate.source, []).append(_proposal(candidate, tried))
        return {source: tuple(proposals) for source, proposals in found.items()}


def _proposal(candidate: Candidate, tried: Tried | None) -> Proposal:
    return Proposal(
        name=candidate.name,
        change=candidate.change or None,
        problem=(tried.judged.reason or "") if tried is not None else "nothing came of it",
        note=candidate.note,
        parents=candidate.parents,
        log=candidate.log,
        descent=candidate.descent,
        calls=candidate.calls,
    )


class _Contest:
    """One run, step by step."""

    def __init__(self, task: Task, arena: Arena, log: Log, before: _Before) -> None:
        self._task = task
        self._pool = arena.pool
        self._gate = arena.gate
        self._wanted = task.wanted
        self._config = task.wanted.config
        self._log = log
        self._before = before
        self._stack = AsyncExitStack()

    async def recorded(self) -> None:
        """All of it, with its end recorded whatever that is."""
        try:
            async with self._stack:
                winner = await self._run()
        except BakeoffError as error:
            await self._end(State.FAILED, error=error.message)
            raise
        except anyio.get_cancelled_exc_class():
            with anyio.CancelScope(shield=True):
                await self._end(State.INTERRUPTED)
            raise
        await self._end(State.DONE, winner=winner)

    async def _end(self, state: State, *, error: str | None = None, winner: str | None = None) -> None:
        await self._log.append(RunEnded(state=state, error=error, winner=winner))

    async def _run(self) -> str | None:
        await self._begin()
        # Others may be timed meanwhile.
        async with self._gate.working():
            judge = await self._judge()
        timing = await self._timing(judge)
        brief = await self._brief(judge, timing)
        evaluation = Evaluation(
            pool=self._pool,
            judge=judge,
            timer=timing,
            log=self._log,
            gate=self._gate,
            scope=brief.scope,
            parallel=self._task.parallel,
            known=self._before.known,
        )
        seconds = self._wanted.seconds if math.isfinite(self._wanted.seconds) else None
        await self._log.append(PhaseBegan(phase=Phase.SEARCHING, seconds=seconds))
        found = await search(self._task.sources, evaluation, brief, self._search_options(timing))
        return await self._winner(found, timing)

    async def _brief(self, judge: Oracle | CheckOracle, timing: _Timing | None) -> Brief:
        oracle = judge if isinstance(judge, Oracle) else None
        return Brief(
            pool=self._pool,
            target=oracle.target if oracle is not None else self._task.target,
            scope=self._scope(judge),
            most=self._wanted.candidates,
            profile=await self._profile_alone(timing),
            profiles=self._before.profiles,
            reaching=oracle.baseline.reaching if oracle is not None else (),
            spent=self._before.spent,
            log=self._log,
            working=self._gate.working,
        )

    def _search_options(self, timing: _Timing | None) -> SearchOptions:
        wanted = self._wanted

        async def profiled(candidate: Candidate) -> Profile | None:
            return await self._profile_alone(timing, candidate)

        return SearchOptions(
            candidates=wanted.candidates,
            rounds=self._task.rounds,
            seconds=wanted.seconds,
            timing=wanted.timing,
            deadline=anyio.current_time() + wanted.seconds,
            enough=wanted.target_speedup,
            earlier=self._before.proposals(),
            profile=profiled if self._task.in_words else None,
        )

    async def _begin(self) -> None:
        task, base = self._task, self._pool.base
        await self._log.append(
            RunStarted(
                command=task.command,
                arguments=self._wanted.arguments,
                version=__version__,
                target=str(task.target) if task.target is not None else None,
                base=base.commit,
                key=task.key,
                environment=environment(task.wanted),
                part_of=task.part_of,
            )
        )
        await self._log.append(PhaseBegan(phase=Phase.PREPARING))
        await self._log.append(
            PoolOpened(kind=self._pool.kind.value, asked=task.parallel + task.source_slots, size=self._pool.size)
        )
        isolation = (await probe(self._wanted.python)).under(self._wanted.sandbox)
        await self._log.append(
            SandboxFound(tier=isolation.tier.value, layers=isolation.layers, missing=dict(isolation.missing))
        )
        for warning in (*base.warnings, *self._pool.warnings):
            await self._log.append(Warned(message=warning))

    # -- the baseline ---------------------------------------------------------------------------------------------

    async def _judge(self) -> Oracle | CheckOracle:
        """The judge, having learned."""
        task = self._task
        await self._log.append(PhaseBegan(phase=Phase.LEARNING))
        if self._wanted.check is not None:
            checks = CheckOracle(
                self._pool, Check(argv=self._wanted.check, junit=self._wanted.junit), config=self._config
            )
            checks = await self._stack.enter_async_context(checks)
            learned = BaselineLearned(
                tests=len(checks.tests) or 1,
                tests_reaching_target=0,
                recorded_calls=0,
                flaky=checks.flaky,
                seconds=checks.seconds,
                by_command=True,
            )
            await self._log.append(learned)
            return checks
        assert task.target is not None
        roots = tuple(dict.fromkeys((task.target.root, "")))
        wanted = self._wanted
        options = OracleOptions(
            generated=wanted.inputs,
            rtol=wanted.rtol,
            dict_order=not wanted.any_dict_order,
            strict=wanted.strict,
            allow_untested=wanted.allow_untested,
        )
        oracle = Oracle(
            self._pool,
            task.target,
            project=Project(roots=roots, tests=wanted.tests),
            config=self._config,
            options=options,
        )
        await self._stack.enter_async_context(oracle)
        await self._learned(oracle)
        return oracle

    async def _learned(self, oracle: Oracle) -> None:
        baseline = oracle.baseline
        await self._log.append(
            BaselineLearned(
                tests=len(baseline.tests),
                tests_reaching_target=len(baseline.reaching),
                recorded_calls=len(baseline.calls),
                calls=baseline.call_count,
                flaky=baseline.flaky,
                seconds=baseline.seconds,
            )
        )
        for warning in baseline.warnings:
            await self._log.append(Warned(message=warning))

    def _scope(self, judge: Oracle | CheckOracle) -> Scope:
        task, wanted = self._task, self._wanted
        tests = wanted.tests
        if isinstance(judge, Oracle):
            tests = tuple(dict.fromkeys((*tests, *_test_files(judge.baseline.tests))))
        if wanted.edit_scope:
            return Scope(globs=wanted.edit_scope, tests=tests)
        if task.target is None or task.edits_all:
            return Scope(tests=tests)
        return Scope.of_target(task.target, tests=tests)

    # -- timing ---------------------------------------------------------------------------------------------------

    async def _timing(self, judge: Oracle | CheckOracle) -> _Timing | None:
        task, wanted = self._task, self._wanted
        options = MeasureOptions(min_speedup=wanted.min_speedup, objective=wanted.objective)
        preload = judge.baseline.imports if isinstance(judge, Oracle) else ()
        watches = await self._stack.enter_async_context(
            Stopwatches.of(self._config, preload=preload, count=_INTERPRETERS_TO_TIME_IN)
        )
        if isinstance(judge, Oracle) and (wanted.bench is None or task.bench_file is not None):
            calls = judge.baseline.calls or judge.baseline.imagined
            course = Course(
                target=judge.target,
                project=judge.project,
                calls=calls,
                bench=task.bench_file,
                rtol=wanted.rtol,
                dict_order=not wanted.any_dict_order,
            )
            return _CallTiming(watches, self._pool, course, options)
        command = wanted.bench or (wanted.check if task.target is not None else None)
        if command is None:
            await self._log.append(Warned(message="nothing is timed: there is no --bench"))
            return None
        return _CommandTiming(watches, self._pool, command, replace(options, patience=_COMMAND_PATIENCE))

    async def _profile_alone(self, timing: _Timing | None, candidate: Candidate | None = None) -> Profile | None:
        async with self._gate.measuring():
            return await self._profile(timing, candidate)

    async def _profile(self, timing: _Timing | None, candidate: Candidate | None = None) -> Profile | None:
        """Where the time goes in the baseline, or in a candidate; a help, and never in the way."""
        if timing is None:
            return None
        change = candidate.change if candidate is not None else Change()
        found = await timing.profile(change)
        if found is not None:
            await self._log.append(Profiled(candidate=candidate.id if candidate is not None else None, profile=found))
        return found if found is not None and found.functions else None

    async def _winner(self, found: Found, timing: _Timing | None) -> str | None:
        """The winner's name, when it was profiled, too."""
        if found.winner is None:
            return None
        if found.winner.candidate.id not in found.profiles:
            await self._log.append(PhaseBegan(phase=Phase.PROFILING))
            await self._profile_alone(timing, found.winner.candidate)
        return found.winner.candidate.name


class _Timing(Protocol):
    """A timer that can also say where the time goes, or None where there is no way to tell."""

    async def race(self, contenders: Sequence[Contender], *, seconds: float, longest: float) -> RaceResult: ...

    async def profile(self, change: Change) -> Profile | None: ...


@dataclass(frozen=True, slots=True)
class _CallTiming:
    watches: Stopwatches
    pool: WorktreePool
    course: Course
    options: MeasureOptions

    async def race(self, contenders: Sequence[Contender], *, seconds: float, longest: float) -> RaceResult:
        options = replace(self.options, budget=seconds, longest=longest)
        return await measure(self.watches, self.pool, course=self.course, contenders=contenders, options=options)

    async def profile(self, change: Change) -> Profile | None:
        return await profile(self.watches, self.pool, course=self.course, change=change, options=self.options)


@dataclass(frozen=True, slots=True)
class _CommandTiming:
    watches: Stopwatches
    pool: WorktreePool
    command: tuple[str, ...]
    options: MeasureOptions

    async def race(self, contenders: Sequence[Contender], *, seconds: float, longest: float) -> RaceResult:
        options = replace(self.options, budget=seconds, longest=longest)
        return await measure_commands(
            self.watches, self.pool, command=self.command, contenders=contenders, options=options
        )

    async def profile(self, change: Change) -> Profile | None:
        return None


def _test_files(names: Iterable[str]) -> Iterator[str]:
    """The files that tests are in; without doctests, which have dotted names, and stand in what is improved."""
    for name in names:
        path, _, inner = name.partition("::")
        if "." not in inner.partition("[")[0]:
            yield path


def environment(wanted: Wanted) -> dict[str, str]:
    """What a run's results depend on, beside what was asked for."""
    return {
        "python": str(wanted.python or sys.executable),
        "system": f"{platform.system()} {platform.release()} {platform.machine()}",
    }
