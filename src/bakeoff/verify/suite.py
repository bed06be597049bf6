"""The project's whole test suite: a judge of changes to whatever is in it, and a workload whose time is looked at.

async with Suite(pool, project=Project(tests=…), config=…) as suite:    # runs it twice, and takes its time down
    suite.hotspots
    judgement = await suite.judge(change)
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from bakeoff.candidates import Change
from bakeoff.errors import BaselineFails, CannotMeasure, NoTests, PreloadFailed, PytestMissing
from bakeoff.events import Verdict
from bakeoff.targets import INSTRUMENTS, Project, instrument
from bakeoff.verify.judgements import Evidence, Judgement, TestResult, ended, failures
from bakeoff.verify.learning import Learning
from bakeoff.verify.testruns import Hotspots, TestRequest, TestRun, hotspots_of_script, unfinished, why_not
from bakeoff.workers import CallLimits, PythonCall, WorkerConfig, open_backend

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from bakeoff.workers import CallOutcome
    from bakeoff.workers.backend import ProcessBackend
    from bakeoff.workspaces import Slot, WorktreePool

__all__ = ["Suite", "SuiteBaseline", "hotspots_of"]

_TESTS = instrument("testrun")
_START_PATIENCE, _SHARE = 10.0, 10.0
_LEAST_MEMORY, _MEMORY_SHARE = 2 << 30, 8
_MOST_NAMED = 5
_TAIL = 2000


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteBaseline:
    """What was learned of the suite: the tests that count, those set aside because they fail or do not come out the
    same in another order, where the time goes, and what its tests import that is not the project's."""

    tests: Mapping[str, TestResult]
    flaky: tuple[str, ...]
    failing: tuple[str, ...]
    hotspots: Hotspots
    imports: tuple[str, ...]
    seconds: float

    @property
    def warnings(self) -> tuple[str, ...]:
        """What makes its word weaker than one may think."""
        said = []
        if self.failing:
            named = "; ".join(self.failing[:_MOST_NAMED])
            said.append(f"{len(self.failing)} tests fail as it is, and are set aside: {named}")
        if self.flaky:
            named = ", ".join(self.flaky[:_MOST_NAMED])
            said.append(f"{len(self.flaky)} tests do not come out the same in another order and are set aside: {named}")
        return tuple(said)


class Suite(Learning):
    """As `Oracle` is used; `judge` looks at all tests, whatever the change is about."""

    def __init__(
        self,
        pool: WorktreePool,
        *,
        project: Project,
        config: WorkerConfig | None = None,
        patience: float = 900.0,
    ) -> None:
        super().__init__()
        self._pool = pool
        self._project = project
        self._config = replace(config or WorkerConfig(), kits=(INSTRUMENTS,))
        self._longest = patience
        self._backend: ProcessBackend | None = None
        self._baseline: SuiteBaseline | None = None
        self._patience = patience
        self._limits = CallLimits()

    @property
    def baseline(self) -> SuiteBaseline:
        """What was learned when it was opened."""
        assert self._baseline is not None
        return self._baseline

    @property
    def config(self) -> WorkerConfig:
        """What calls of the suite need to have been imported before they are made."""
        return replace(self._config, preload=(*self._config.preload, _TESTS))

    async def _learn(self) -> None:
        self._backend = await self._stack.enter_async_context(open_backend(self.config))
        async with self._pool.slot() as slot:
            try:
                first, outcome = await self._run(slot, is_metered=True)
            except PreloadFailed as error:
                raise PytestMissing("; ".join(dict.fromkeys(error.failed.values()))) from None
            first.check_baseline()
            if not first.results:
                raise NoTests(", ".join(self._project.tests) or "the repository")
            await slot.stage(Change())
            # The reverse order; and without a profiler, which tests may notice.
            second, _ = await self._run(slot, order=1)
            if second.distrust is not None:
                raise BaselineFails([second.distrust])
        assert outcome.metrics is not None
        assert first.hotspots is not None
        self._limits = CallLimits(memory=max(_LEAST_MEMORY, _MEMORY_SHARE * outcome.metrics.peak_memory))
        self._patience = _START_PATIENCE + _SHARE * outcome.metrics.wall
        failing = first.failed()
        flaky = {failure.id for failure in failures(first.results, second.results.values())} - failing.keys()
        self._project = replace(self._project, roots=tuple(dict.fromkeys((*self._project.roots, *first.paths))))
        self._baseline = SuiteBaseline(
            tests={name: result for name, result in first.passed().items() if name not in flaky},
            flaky=tuple(sorted(flaky)),
            failing=(*first.errors, *failing.values()),
            hotspots=first.hotspots,
            imports=first.imports,
            seconds=outcome.metrics.wall,
        )

    async def _run(self, slot: Slot, **request: Any) -> tuple[TestRun, CallOutcome]:  # noqa: ANN401 (of a TestRequest)
        """The baseline's tests, which have to give an answer."""
        assert self._backend is not None
        asked = TestRequest(project=self._project, files=self._project.tests, **request)
        outcome = await self._backend.execute(
            asked.call(directory=slot.directory, enter=slot.enter, timeout=self._longest, limits=self._limits)
        )
        run = TestRun.of(outcome)
        if run is None:
            raise BaselineFails(
                [f"{unfinished(outcome) or 'they'} did not end: {outcome.describe()}"],
                hint="see that they run with: python -m pytest; the interpreter is chosen with --python",
            )
        return run, outcome

    async def judge(self, change: Change) -> Judgement:
        """Whether all tests come out as they do without the change."""
        assert self._backend is not None
        expected = self.baseline.tests
        async with self._pool.slot() as slot:
            await slot.stage(change)
            outcome = await self._backend.execute(self.call(slot, tuple(expected)))
        run = TestRun.of(outcome)
        if run is None:
            running = unfinished(outcome)
            return ended(outcome, f"while {running} ran" if running else "while the tests ran")
        failed = failures(expected, run.results.values())
        reason = why_not(run, failed)
        return Judgement(
            verdict=Verdict.VERIFIED if reason is None else Verdict.WRONG,
            reason=reason,
            evidence=Evidence(tests=len(expected)),
            failures=failed,
            stdout="" if reason is None else str(outcome.stdout)[-_TAIL:],
            stderr="" if reason is None else str(outcome.stderr)[-_TAIL:],
            seconds=outcome.seconds or 0.0,
        )

    async def judge_whole(self, change: Change, judgement: Judgement) -> Judgement:
        """The suite is all there is."""
        return judgement

    def call(self, slot: Slot, tests: Iterable[str]) -> PythonCall:
        """A run of some tests in a slot, as it is."""
        names = tuple(tests)
        files = tuple(dict.fromkeys(name.partition("::")[0] for name in names))
        asked = TestRequest(project=self._project, files=files, only=names)
        return asked.call(directory=slot.directory, enter=slot.enter, limits=self._limits, timeout=self._patience)


async def hotspots_of(
    pool: WorktreePool,
    arguments: Sequence[str],
    *,
    roots: Sequence[str],
    config: WorkerConfig | None = None,
    patience: float = 3600.0,
) -> Hotspots:
    """Where the time of `python ARGUMENTS` goes, run once on the baseline. Raises CannotMeasure where it fails."""
    request = {"arguments": list(arguments), "roots": list(roots)}
    async with open_backend(replace(config or WorkerConfig(), kits=(INSTRUMENTS,))) as backend, pool.slot() as slot:
        call = PythonCall(
            function=instrument("hotspots:script"),
            arguments=(request,),
            directory=slot.directory,
            enter=slot.enter,
            timeout=patience,
        )
        found = hotspots_of_script(await backend.execute(call))
    if isinstance(found, str):
        raise CannotMeasure(
            f"the script to be profiled fails on the baseline: {found}",
            where=f"python {' '.join(arguments)}",
            hint="it has to end with status 0 where nothing is changed",
        )
    return found
