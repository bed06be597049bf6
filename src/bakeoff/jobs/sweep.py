"""Improve a code base: what takes the time is found, improved in parallel subplans, brought together, and proven whole.

    plan ──▶ where the time goes ──▶ subplans: optimize, target by target ──▶ winners merged ──▶ the full check
                                      └── a run of its own for each ───────────────────────────────┘ └──▶ the workload

A sweep that was interrupted, or died, goes on when the same is asked for on the same base, from wherever it was:
targets that have ended, checks that were made and what was measured are in its log.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from functools import partial
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

import anyio

from bakeoff import __version__
from bakeoff.candidates import Candidate
from bakeoff.candidates.tried import Tried
from bakeoff.errors import BakeoffError, StoreError, UsageError
from bakeoff.evaluation import Evaluation
from bakeoff.events import (
    BaselineLearned,
    Decision,
    Evidence,
    MergeBegan,
    MergeChecked,
    MergeConflict,
    MergeDropped,
    MergeEnded,
    MergeStep,
    Phase,
    PhaseBegan,
    PoolOpened,
    RankedTarget,
    Run,
    RunEnded,
    RunStarted,
    SandboxFound,
    State,
    TargetBegan,
    TargetEnded,
    TargetsRanked,
    Verdict,
    Warned,
)
from bakeoff.jobs.contest import Arena, candidate_of, contest, environment, unfinished
from bakeoff.jobs.optimize import Workshop
from bakeoff.measure import Clock, MeasureOptions, Stopwatches, measure_calls, measure_commands
from bakeoff.planning import Ground, Merging, Piece, Record, narrowed, ranked, run_subplans
from bakeoff.report.standings import measured, winner
from bakeoff.sources import Scope
from bakeoff.store import text_of
from bakeoff.targets import Project, Target
from bakeoff.verify import Check, CheckOracle, Judgement, Suite, hotspots_of
from bakeoff.workers import probe

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from bakeoff.candidates import Change
    from bakeoff.events import Recorded, TargetState
    from bakeoff.git import Repository
    from bakeoff.jobs.contest import Task, Wanted
    from bakeoff.jobs.optimize import Sources
    from bakeoff.measure import Contender, RaceResult
    from bakeoff.planning import Conflict, Merged, Plan, Ranked, Subplan
    from bakeoff.store import Log, RunSummary, Store
    from bakeoff.verify import Hotspots

__all__ = ["MERGED", "SweepWanted", "sweep"]

MERGED = "merged"
_MOST_PARALLEL = 10
_LEAST_SECONDS = 2.0  # for a target; with less nothing can be told
_RACE_SHARE, _LEAST_RACE, _MOST_RACE = 0.15, 3.0, 60.0
_BUSY = 0.8  # of the time; who computes for less than that waits for something, and waiting counts
_COMMAND_PATIENCE = 3600.0
_INTERPRETERS_TO_TIME_IN = 3
_PYTHONS = ("python", "python3")


@dataclass(frozen=True, slots=True, kw_only=True)
class SweepWanted:
    """What is wanted of a sweep, beside what is wanted of each target: so many of the dearest targets, so many subplans
    at a time (0: one for each candidate that can be judged at once), and the script whose time is to become less, as a
    command line; without one, that of the tests."""

    top: int = 10
    max_parallel: int = 0
    script: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        if self.top < 1 or self.max_parallel < 0:
            raise UsageError(
                "there has to be at least one target, and one subplan at a time", hint="give a whole number"
            )
        if self.script is not None:
            self.arguments()

    def arguments(self) -> tuple[str, ...]:
        """What the script is for Python. Raises UsageError where it is no script of Python's."""
        assert self.script is not None
        program, *rest = self.script
        name = PurePosixPath(program).name
        is_script = bool(rest) and (not rest[0].startswith("-") or (rest[0] in ("-m", "-c") and len(rest) > 1))
        if not (name in _PYTHONS or name.startswith("python3.")) or not is_script:
            raise UsageError(
                f"{' '.join(self.script)!r} cannot be profiled",
                hint="name a script that Python runs: --profile 'python bench.py', or 'python -m package'",
            )
        return tuple(rest)


async def sweep(
    plan: Plan,
    wanted: Wanted,
    asked: SweepWanted,
    sources: Sources,
    *,
    variables: Mapping[str, str],
    repository: Repository,
    start: Path,
    store: Store,
    watch: Callable[[Recorded], None] | None = None,
    replay: Callable[[Recorded], None] | None = None,
) -> Run:
    """Improve what is in a plan; gives what was recorded. `watch` is told of each event, of the sweep's own run and of
    those that are part of it; where it goes on with an earlier run, `replay` is told first of what is in that.
    Cancelled from outside, it ends as interrupted."""
    opening = Workshop.opened(sources, wanted, variables=variables, repository=repository, start=start)
    async with opening as workshop, AsyncExitStack() as stack:
        parallel = wanted.config.count()
        at_once = asked.max_parallel or min(parallel, _MOST_PARALLEL)
        size = parallel + at_once * workshop.source_slots
        arena = await stack.enter_async_context(Arena.opened(repository, wanted, size=size))
        job = _Job(plan=plan, wanted=wanted, asked=asked, at_once=at_once, size=size, workshop=workshop)
        earlier = unfinished(store, job.key, arena.pool.base.commit)
        if earlier is not None and replay is not None:
            for recorded in store.events(earlier.id):
                replay(recorded)
        async with store.record(earlier.id if earlier else None, watch=watch) as log:
            await _Sweep(job, arena, store, log, earlier=earlier, watch=watch).recorded()
    return Run.of(store.events(log.run))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Job:
    """What is asked for, and with what it is done."""

    plan: Plan
    wanted: Wanted
    asked: SweepWanted
    at_once: int
    size: int
    workshop: Workshop

    @property
    def key(self) -> str:
        """The same for sweeps that ask for the same."""
        workshop = self.workshop
        parts = (
            [(leaf.id, leaf.after) for leaf in self.plan.leaves],
            (self.asked.top, self.asked.script),
            self.wanted.essence,
            (*map(repr, workshop.patches), *workshop.sources.asked(workshop.names)),
        )
        return hashlib.sha256(repr(("sweep", parts)).encode("utf-8", "surrogateescape")).hexdigest()

    @property
    def parallel(self) -> int:
        return self.wanted.config.count()


class _Sweep:
    """One run, step by step."""

    def __init__(
        self,
        job: _Job,
        arena: Arena,
        store: Store,
        log: Log,
        *,
        earlier: Run | None,
        watch: Callable[[Recorded], None] | None,
    ) -> None:
        self._job = job
        self._wanted = job.wanted
        self._arena = arena
        self._pool = arena.pool
        self._gate = arena.gate
        self._store = store
        self._log = log
        self._watch = watch
        self._stack = AsyncExitStack()
        self._whole: Suite | CheckOracle | None = None
        self._deadline = 0.0
        self._open = 0
        self._earlier = earlier

    @property
    def _now(self) -> Run:
        """How the run stands."""
        return Run.of(self._store.events(self._log.run))

    async def recorded(self) -> None:
        """All of it, with its end recorded whatever that is."""
        try:
            async with self._stack:
                won = await self._run()
        except BakeoffError as error:
            await self._log.append(RunEnded(state=State.FAILED, error=error.message))
            raise
        except anyio.get_cancelled_exc_class():
            with anyio.CancelScope(shield=True):
                await self._log.append(RunEnded(state=State.INTERRUPTED))
            raise
        await self._log.append(RunEnded(state=State.DONE, winner=won))

    async def _run(self) -> str | None:
        await self._begin()
        targets = await self._targets()
        if targets:
            await self._improve_all(targets)
        return await self._merge(targets)

    async def _begin(self) -> None:
        base = self._pool.base
        await self._log.append(
            RunStarted(
                command="sweep",
                arguments=self._wanted.arguments,
                version=__version__,
                target=" ".join(self._job.plan.paths),
                base=base.commit,
                key=self._job.key,
                environment=environment(self._wanted),
            )
        )
        await self._log.append(PhaseBegan(phase=Phase.PREPARING))
        await self._log.append(PoolOpened(kind=self._pool.kind.value, asked=self._job.size, size=self._pool.size))
        isolation = (await probe(self._wanted.python)).under(self._wanted.sandbox)
        await self._log.append(
            SandboxFound(tier=isolation.tier.value, layers=isolation.layers, missing=dict(isolation.missing))
        )
        for warning in (*base.warnings, *self._pool.warnings):
            await self._log.append(Warned(message=warning))

    # -- what is worth trying -------------------------------------------------------------------------------------

    async def _targets(self) -> list[RankedTarget]:
        """Those of this sweep, dearest first: found once, and then they are those of the run."""
        if self._earlier is not None and self._earlier.sweep.ranked is not None:
            return list(self._earlier.sweep.ranked.targets)
        await self._log.append(PhaseBegan(phase=Phase.RANKING))
        script = self._job.asked.script
        is_check = self._wanted.check is not None
        suite = None if is_check and script is not None else await self._suite()
        reached = suite.baseline.hotspots if suite is not None else None
        if script is None:
            assert reached is not None
            hotspots = reached
        else:
            async with self._gate.measuring():
                hotspots = await hotspots_of(
                    self._pool, self._job.asked.arguments(), roots=self._roots, config=self._wanted.config
                )
            hotspots = _with_tests(hotspots, reached) if reached is not None else hotspots
        is_test = Scope(tests=self._wanted.tests).is_test
        found, untested = self._tested(ranked(hotspots, self._job.plan, self._pool.pristine, is_test=is_test))
        chosen = tuple(map(_told, found[: self._job.asked.top]))
        await self._log.append(
            TargetsRanked(
                targets=chosen,
                seconds=hotspots.seconds,
                busy=hotspots.busy,
                functions=len(found) + len(untested),
                tests=len(suite.baseline.tests) if suite is not None else 0,
                script=" ".join(script) if script is not None else None,
                subplans=len(self._job.plan.leaves),
            )
        )
        if untested:
            named = ", ".join(f"{one.target} ({one.share:.0%})" for one in untested[:5])
            await self._log.append(Warned(message=f"left out, as no test gets to them: {named}"))
        return list(chosen)

    def _tested(self, found: Sequence[Ranked]) -> tuple[list[Ranked], list[Ranked]]:
        """Those that something can be judged by, and the others."""
        if self._wanted.check is not None or self._wanted.allow_untested:
            return list(found), []
        return [one for one in found if one.tests], [one for one in found if not one.tests]

    @property
    def _roots(self) -> tuple[str, ...]:
        """Where imports of the plan's files start from, the most usual one first."""
        counts: dict[str, int] = defaultdict(int)
        is_test = Scope(tests=self._wanted.tests).is_test
        for leaf in self._job.plan.leaves:
            for path in leaf.files:
                if path.endswith(".py") and not is_test(path):
                    root = Target(path=path, name="any", root="").rooted(self._pool.pristine).root
                    counts[root] += 1
        return tuple(dict.fromkeys([*sorted(counts, key=lambda root: (-counts[root], root))[:3], ""]))

    async def _suite(self) -> Suite:
        """The project's suite, which takes two runs of it to open; once for a sweep."""
        if not isinstance(self._whole, Suite):
            project = Project(roots=self._roots, tests=self._wanted.tests)
            async with self._gate.measuring():
                self._whole = await self._stack.enter_async_context(
                    Suite(self._pool, project=project, config=self._wanted.config)
                )
            baseline = self._whole.baseline
            await self._learned(len(baseline.tests), baseline.flaky, baseline.seconds, baseline.warnings)
        return self._whole

    async def _judge(self) -> Suite | CheckOracle:
        """Who says whether the whole is right."""
        if self._wanted.check is None:
            return await self._suite()
        if not isinstance(self._whole, CheckOracle):
            async with self._gate.working():
                check = Check(argv=self._wanted.check, junit=self._wanted.junit)
                checks = CheckOracle(self._pool, check, config=self._wanted.config)
                self._whole = await self._stack.enter_async_context(checks)
            await self._learned(len(checks.tests) or 1, checks.flaky, checks.seconds)
        return self._whole

    async def _learned(self, tests: int, flaky: tuple[str, ...], seconds: float, warnings: Sequence[str] = ()) -> None:
        learned = BaselineLearned(tests=tests, tests_reaching_target=0, recorded_calls=0, flaky=flaky, seconds=seconds)
        await self._log.append(learned)
        for warning in warnings:
            await self._log.append(Warned(message=warning))

    # -- subplans -------------------------------------------------------------------------------------------------

    async def _improve_all(self, targets: Sequence[RankedTarget]) -> None:
        """Those that have not ended before, in their subplans, hot ones first."""
        await self._log.append(PhaseBegan(phase=Phase.SEARCHING, seconds=self._wanted.seconds))
        self._deadline = anyio.current_time() + self._wanted.seconds
        known = self._earlier.sweep.targets if self._earlier is not None else {}
        todo: dict[str, list[RankedTarget]] = defaultdict(list)
        for one in targets:
            state = known.get(one.target)
            todo[one.subplan] += [one] if state is None or state.ended is None or state.ended.skipped else []
        self._open = sum(map(len, todo.values()))
        for run in self._parts():
            self._job.workshop.remember(Run.of(self._store.events(run.id)).spent)
        plan = narrowed(self._job.plan, tuple(dict.fromkeys(one.subplan for one in targets)))

        async def work(subplan: Subplan) -> list[str]:
            for one in todo[subplan.id]:
                await self._improve(one)
            return [one.target for one in todo[subplan.id]]

        record: Record[list[str]] = Record(
            log=self._log,
            # What had no time then may have some now.
            earlier={
                name: state
                for name, state in (self._earlier.subplans if self._earlier is not None else {}).items()
                if not todo.get(name)
            },
            text=self._store.text,
        )
        results = await run_subplans(plan, work, max_parallel=self._job.at_once, record=record)
        for error in results.errors:
            if isinstance(error, StoreError) or not isinstance(error, BakeoffError):
                raise error
        for ended in results.ended:
            if ended.reason is not None:
                await self._log.append(Warned(message=f"{ended.subplan.name}: {ended.reason}"))

    async def _improve(self, ranked: RankedTarget) -> None:
        """One target, in a run of its own."""
        left = self._deadline - anyio.current_time()
        share = self._open
        seconds = left * min(self._job.at_once, share) / share
        self._open -= 1
        ended = partial(TargetEnded, target=ranked.target, subplan=ranked.subplan)
        if seconds < _LEAST_SECONDS < self._wanted.seconds:
            await self._log.append(ended(skipped="the time was used up"))
            return
        began = anyio.current_time()
        wanted = replace(self._wanted, seconds=seconds, tests=ranked.tests or self._wanted.tests)
        if wanted.check is not None and wanted.bench is None:
            # A command that judges records no calls that could be timed.
            wanted = replace(wanted, bench=self._script_command)
        target = Target.find(ranked.target, self._pool.pristine)
        run: Run | None = None
        error: str | None = None
        making = self._job.workshop.task(target, wanted=wanted, part_of=self._log.run, share=share)
        # Nobody else has begun since the targets to come were counted: this one's part is that of so many.
        async with making as task:
            await self._log.append(TargetBegan(target=ranked.target, subplan=ranked.subplan, seconds=seconds))
            run = self._done_before(task)
            try:
                run = run or await contest(task, self._store, self._watch, arena=self._arena)
            except StoreError:
                raise
            except BakeoffError as failure:
                error = failure.message
        won = winner(run) if run is not None else None
        found = measured(won) if won is not None else None
        await self._log.append(
            ended(
                run=run.id if run is not None else None,
                candidate=won.proposed.candidate if won is not None else None,
                name=won.proposed.name if won is not None else None,
                speedup=found.speedup if found is not None else None,
                candidates=len(run.candidates) if run is not None else 0,
                error=error,
                seconds=anyio.current_time() - began,
            )
        )

    def _done_before(self, task: Task) -> Run | None:
        """The run of a task that came to its end when this sweep was killed before it could write that down."""
        for run in self._parts():
            if run.start is not None and run.start.key == task.key and run.state is State.DONE:
                return Run.of(self._store.events(run.id))
        return None

    def _parts(self) -> list[RunSummary]:
        """The runs that are part of this one, the newest first."""
        found = self._store.runs()
        return [run for run in found if run.start is not None and run.start.part_of == self._log.run]

    @property
    def _script_command(self) -> tuple[str, ...] | None:
        """The script as a command that runs what is in its working directory."""
        script = self._job.asked.script
        if script is None:
            return None
        places = ":".join(root or "." for root in self._roots)
        python = str(self._wanted.python or script[0])
        return ("env", f"PYTHONPATH={places}", python, *self._job.asked.arguments())

    def _is_busy(self) -> bool:
        """Whether the workload computes all the time."""
        ranked = self._now.sweep.ranked
        return ranked is not None and ranked.busy >= _BUSY

    # -- together -------------------------------------------------------------------------------------------------

    async def _merge(self, targets: Sequence[RankedTarget]) -> str | None:
        """What the winners come to: a candidate of this run, checked and timed."""
        run = self._now
        winners = sorted((state for state in run.sweep.winners), key=_gain, reverse=True)
        if not winners:
            return None
        await self._log.append(PhaseBegan(phase=Phase.MERGING))
        evaluation: Evaluation | None = None
        if run.sweep.merged is None:
            merged = await self._merged(run, winners)
            candidate = Candidate(id=merged.change.id[:12], name=MERGED, source="sweep", change=merged.change)
            evaluation = await self._evaluation(winners)
            if merged.change:
                await evaluation.enter(candidate, merged.judgement)
            await self._log.append(self._ending(merged, candidate if merged.change else None))
            run = self._now
        state = next((one for one in run.candidates.values() if one.proposed.name == MERGED), None)
        if state is None or state.judged is None:
            return None
        if state.measured is None:
            evaluation = evaluation or await self._evaluation(winners)
            candidate = candidate_of(self._store, state, self._pool.read)
            seconds = min(_MOST_RACE, max(_LEAST_RACE, _RACE_SHARE * self._wanted.seconds))
            try:
                await evaluation.time(
                    [Tried(candidate=candidate, judged=state.judged)],
                    seconds=lambda _: seconds,
                    longest=lambda _: max(_MOST_RACE, self._wanted.seconds),
                )
            except BakeoffError as error:
                if isinstance(error, StoreError):
                    raise
                await self._log.append(Warned(message=f"the whole could not be timed: {error.message}"))
        return await self._winner()

    async def _winner(self) -> str | None:
        """The whole, unless it was measured to be slower: parts that are faster alone need not be so together."""
        (whole,) = (one for one in self._now.candidates.values() if one.proposed.name == MERGED)
        found = measured(whole)
        if found is None or found.decision is not Decision.SLOWER:
            return MERGED
        await self._log.append(Warned(message="the winners together are slower than the baseline: they are left alone"))
        return None

    async def _merged(self, run: Run, winners: Sequence[TargetState]) -> Merged:
        pool = self._pool
        pieces = [Piece(name=state.ranked.target, change=self._change(state)) for state in winners]
        ground = Ground(shadow=pool.shadow, commit=pool.base.commit, read=pool.read, folder=pool.pristine)
        merging = await Merging.begin(ground, pieces)
        names = tuple(piece.name for piece in pieces)
        await self._log.append(MergeBegan(targets=names, conflicts=tuple(map(_conflict, merging.conflicts))))
        known = {frozenset(one.targets): one for one in run.sweep.checks}

        async def check(change: Change, names: tuple[str, ...]) -> Judgement:
            said = known.get(frozenset(names))
            if said is not None and said.verdict is not Verdict.ERROR:
                return _judgement(said)
            judge = await self._judge()
            async with self._gate.working():
                judgement = await judge.judge(change)
            await self._log.append(
                MergeChecked(
                    targets=names,
                    verdict=judgement.verdict,
                    reason=judgement.reason,
                    evidence=judgement.evidence,
                    failures=judgement.failures,
                    seconds=judgement.seconds,
                )
            )
            return judgement

        return await merging.proven(check)

    def _change(self, state: TargetState) -> Change:
        """What won for a target."""
        ended = state.ended
        assert ended is not None
        assert ended.run is not None
        assert ended.candidate is not None
        run = Run.of(self._store.events(ended.run))
        return candidate_of(self._store, run.candidates[ended.candidate], self._pool.read).change

    def _ending(self, merged: Merged, candidate: Candidate | None) -> MergeEnded:
        targets = self._now.sweep.targets
        steps = []
        for step in merged.steps:
            ended = targets[step.piece.name].ended
            assert ended is not None
            patch = self._log.keep(text_of(step.patch))
            steps.append(MergeStep(target=step.piece.name, run=ended.run or "", patch=patch))
        dropped = tuple(
            MergeDropped(
                target=one.piece.name,
                reason=one.reason,
                conflict=_conflict(one.conflict) if one.conflict is not None else None,
                failures=one.judgement.failures if one.judgement is not None else (),
            )
            for one in merged.dropped
        )
        name = candidate.id if candidate is not None else None
        return MergeEnded(candidate=name, steps=tuple(steps), dropped=dropped, checks=merged.checks)

    async def _evaluation(self, winners: Sequence[TargetState]) -> Evaluation:
        judge = await self._judge()
        return Evaluation(
            pool=self._pool,
            judge=judge,
            timer=await self._timer(judge, winners),
            log=self._log,
            gate=self._gate,
            scope=Scope(),
            parallel=1,
        )

    async def _timer(self, judge: Suite | CheckOracle, winners: Sequence[TargetState]) -> _Workload | None:
        """Who times the workload that was looked at: the script, or those tests that get to what has changed."""
        clock = Clock.CPU if self._is_busy() else Clock.WALL
        options = MeasureOptions(objective=self._wanted.objective, clock=clock, patience=_COMMAND_PATIENCE)
        script = self._job.asked.script
        suite = judge if isinstance(judge, Suite) else None
        config = suite.config if suite is not None else self._wanted.config
        preload = suite.baseline.imports if suite is not None and script is None else ()
        watches = await self._stack.enter_async_context(
            Stopwatches.of(config, preload=preload, count=_INTERPRETERS_TO_TIME_IN)
        )
        if script is None and suite is not None:
            files = {file for state in winners for file in state.ranked.tests}
            tests = tuple(name for name in suite.baseline.tests if name.partition("::")[0] in files)
            return _Workload(arena=self._arena, watches=watches, options=options, suite=suite, tests=tests)
        command = self._script_command or self._wanted.check or ()
        return _Workload(arena=self._arena, watches=watches, options=options, command=command)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Workload:
    """Times all of it, as it is run."""

    arena: Arena
    watches: Stopwatches
    options: MeasureOptions
    suite: Suite | None = None
    tests: tuple[str, ...] = ()
    command: tuple[str, ...] = ()

    async def race(self, contenders: Sequence[Contender], *, seconds: float, longest: float) -> RaceResult:
        options, pool = replace(self.options, budget=seconds, longest=longest), self.arena.pool
        if self.suite is None:
            return await measure_commands(
                self.watches, pool, command=self.command, contenders=contenders, options=options
            )
        call = partial(self.suite.call, tests=self.tests)
        return await measure_calls(
            self.watches, pool, call, contenders=contenders, options=options, name="the project's tests"
        )


def _with_tests(hotspots: Hotspots, reached: Hotspots) -> Hotspots:
    """The functions of a script, with the test files that get to them."""
    by = {(spot.path, spot.line): spot.by for spot in reached.functions}
    functions = (replace(spot, by=by.get((spot.path, spot.line), ())) for spot in hotspots.functions)
    return replace(hotspots, functions=tuple(functions))


def _told(one: Ranked) -> RankedTarget:
    return RankedTarget(
        target=str(one.target),
        subplan=one.subplan,
        seconds=one.seconds,
        share=one.share,
        calls=one.calls,
        tests=one.tests,
    )


def _gain(state: TargetState) -> float:
    """The seconds of the workload that a winner saves, for certain."""
    speedup = state.ended.speedup if state.ended is not None else None
    return state.ranked.seconds * (1 - 1 / speedup.low) if speedup is not None and speedup.low > 0 else 0.0


def _judgement(said: MergeChecked) -> Judgement:
    """What was said in an earlier try."""
    evidence = said.evidence or Evidence()
    return Judgement(verdict=said.verdict, reason=said.reason, failures=said.failures, evidence=evidence)


def _conflict(conflict: Conflict) -> MergeConflict:
    return MergeConflict(one=conflict.one or "", other=conflict.other, paths=conflict.paths)
