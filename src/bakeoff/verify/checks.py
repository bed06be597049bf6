"""A command as judge, for any language: exit status 0 is correct; where it leaves a JUnit report, so is each test."""

from __future__ import annotations

import posixpath
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING
from xml.parsers import expat

from bakeoff.candidates import Change
from bakeoff.errors import BaselineFails, UsageError
from bakeoff.events import Verdict
from bakeoff.verify.judgements import Evidence, Judgement, TestOutcome, TestResult, ended, failures
from bakeoff.verify.learning import Learning
from bakeoff.workers import CallLimits, CommandCall, Ending, WorkerConfig, open_backend

if TYPE_CHECKING:
    from bakeoff.workers import CallOutcome
    from bakeoff.workers.backend import ProcessBackend
    from bakeoff.workspaces import Slot, WorktreePool

__all__ = ["Check", "CheckOracle", "junit"]

_TAIL, _LEAST_PATIENCE, _SHARE = 2000, 10.0, 10.0
_MOST_REPORT = 64 << 20
# What a shell ends with where a command cannot be run, or is not there.
_NOT_RUN = (126, 127)


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """A command line that says whether the code in its working directory is right. `junit` is where it leaves a report,
    relative to that; `runs` is how often it has to agree with itself on the baseline."""

    argv: tuple[str, ...]
    junit: str | None = None
    runs: int = 2
    patience: float = 900.0
    limits: CallLimits = field(default_factory=CallLimits)

    def __post_init__(self) -> None:
        if not self.argv or self.runs < 1:
            raise UsageError("a check needs a command, and at least one run", hint="give a command line with --check")
        if self.junit is not None and (posixpath.isabs(self.junit) or ".." in self.junit.split("/")):
            raise UsageError(f"the report {self.junit!r} is outside of the repository", hint="give a path inside it")


@dataclass(frozen=True, slots=True)
class _Ran:
    outcome: CallOutcome
    results: dict[str, TestResult] | None
    problem: str | None = None


class CheckOracle(Learning):
    """Judges changes by a command. As `Oracle` is used."""

    def __init__(self, pool: WorktreePool, check: Check, *, config: WorkerConfig | None = None) -> None:
        super().__init__()
        self._pool = pool
        self._check = check
        self._backend: ProcessBackend = open_backend(config)
        self._patience = check.patience
        self.tests: dict[str, TestResult] = {}
        self.flaky: tuple[str, ...] = ()
        self.seconds = 0.0

    async def judge(self, change: Change) -> Judgement:
        """The verdict on a candidate."""
        async with self._pool.slot() as slot:
            ran = await self._run(slot, change)
        if ran.outcome.ending not in (Ending.OK, Ending.ERROR):
            return ended(ran.outcome, "while the check ran")
        failed = failures(self.tests, self._steady(ran.results or {}).values())
        reason = ran.problem
        if ran.outcome.ending is Ending.ERROR:
            reason = f"the check ended with status {ran.outcome.status}"
        elif failed:
            reason = f"{failed[0].id} is {failed[0].actual}"
        return Judgement(
            verdict=Verdict.VERIFIED if reason is None else Verdict.WRONG,
            reason=reason,
            evidence=Evidence(tests=len(self.tests) or 1),
            failures=failed,
            stdout=str(ran.outcome.stdout)[-_TAIL:],
            stderr=str(ran.outcome.stderr)[-_TAIL:],
            seconds=ran.outcome.seconds or 0.0,
        )

    async def judge_whole(self, change: Change, judgement: Judgement) -> Judgement:
        """A check is all there is."""
        return judgement

    async def _learn(self) -> None:
        seconds, flaky = 0.0, set[str]()
        await self._stack.enter_async_context(self._backend)
        async with self._pool.slot() as slot:
            for number in range(self._check.runs):
                ran = await self._run(slot, Change())
                if ran.outcome.ending is not Ending.OK or ran.problem is not None:
                    raise BaselineFails([ran.problem or ran.outcome.describe()], hint=_hint(ran.outcome))
                results = ran.results or {}
                if number:
                    flaky |= {failure.id for failure in failures(self.tests, results.values())}
                self.tests = self.tests or results
                seconds = max(seconds, ran.outcome.seconds or 0.0)
        self.flaky = tuple(sorted(flaky))
        self.tests = self._steady(self.tests)
        self.seconds = seconds
        self._patience = _LEAST_PATIENCE + _SHARE * seconds

    def _steady(self, results: dict[str, TestResult]) -> dict[str, TestResult]:
        return {name: result for name, result in results.items() if name not in self.flaky}

    async def _run(self, slot: Slot, change: Change) -> _Ran:
        await slot.stage(change)
        call = CommandCall(
            argv=self._check.argv,
            directory=slot.directory,
            enter=slot.enter,
            timeout=self._patience,
            limits=self._check.limits,
        )
        outcome = await self._backend.execute(call)
        if self._check.junit is None:
            return _Ran(outcome, None)
        try:
            file = slot.read(self._check.junit, most=_MOST_REPORT)
        except OSError as error:
            return _Ran(outcome, None, f"its report cannot be read: {error.strerror}")
        if file is None:
            return _Ran(outcome, None, f"it left no report in {self._check.junit}")
        try:
            return _Ran(outcome, junit(file.content))
        except ValueError as error:
            return _Ran(outcome, None, f"its report cannot be read: {error}")


def _hint(outcome: CallOutcome) -> str:
    """What to do where the check fails as it is: shells, and what starts commands, say by these that there is none."""
    if outcome.status in _NOT_RUN:
        return (
            "commands are run where they can read the repository, the system and the project's interpreter, not what "
            "else is in your home: give the program's path, or run with --sandbox off"
        )
    return "the check has to pass as it is"


def junit(report: bytes) -> dict[str, TestResult]:
    """The tests of a JUnit report, by class and name. It may come from a candidate: what is not a plain document, with
    no definitions of its own, is a ValueError."""
    reader = _JUnit()
    parser = expat.ParserCreate()
    parser.StartDoctypeDeclHandler = reader.refuse
    parser.StartElementHandler = reader.begin
    parser.EndElementHandler = reader.end
    parser.CharacterDataHandler = reader.text
    try:
        parser.Parse(report, True)  # noqa: FBT003 (its own signature)
    except expat.ExpatError as error:
        raise ValueError(str(error)) from None
    return reader.results


class _JUnit:
    def __init__(self) -> None:
        self.results: dict[str, TestResult] = {}
        self._case: TestResult | None = None
        self._words: list[str] = []

    def refuse(self, *_: object) -> None:
        raise ValueError("it has definitions of its own")

    def begin(self, tag: str, attributes: dict[str, str]) -> None:
        outcomes = {"failure": TestOutcome.FAILED, "error": TestOutcome.ERROR, "skipped": TestOutcome.SKIPPED}
        if tag == "testcase":
            name = "::".join(filter(None, (attributes.get("classname"), attributes.get("name"))))
            self._case = TestResult(id=name, outcome=TestOutcome.PASSED)
        elif self._case is not None and tag in outcomes:
            self._case = replace(self._case, outcome=outcomes[tag], text=attributes.get("message", "")[:_TAIL])
            self._words = []

    def text(self, words: str) -> None:
        if self._case is not None and self._case.outcome is not TestOutcome.PASSED:
            self._words.append(words)

    def end(self, tag: str) -> None:
        if tag == "testcase" and self._case is not None:
            text = (self._case.text + "\n" + "".join(self._words)).strip()[-_TAIL:]
            # Several of one name count as the worst of them.
            known = self.results.get(self._case.id)
            if known is None or known.outcome is TestOutcome.PASSED:
                self.results[self._case.id] = replace(self._case, text=text)
            self._case, self._words = None, []
