"""What verification says of a candidate, with all that it found."""

from __future__ import annotations

import enum
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from bakeoff.events import Verdict
from bakeoff.workers import Ending

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from bakeoff.workers import CallOutcome

__all__ = [
    "Difference",
    "Evidence",
    "Judgement",
    "TestFailure",
    "TestOutcome",
    "TestResult",
    "ended",
    "failures",
]

_TAIL = 2000
_VERDICT_OF_ENDING = {
    Ending.TIMEOUT: Verdict.TIMED_OUT,
    Ending.CRASH: Verdict.CRASHED,
    Ending.NO_RESULT: Verdict.CRASHED,
    Ending.BAD_RESULT: Verdict.CRASHED,
    Ending.ERROR: Verdict.CRASHED,
    Ending.OUT_OF_MEMORY: Verdict.OVER_LIMIT,
    Ending.OVER_LIMIT: Verdict.OVER_LIMIT,
}


class TestOutcome(enum.StrEnum):
    """What came of one test."""

    __test__ = False

    PASSED = "passed"
    FAILED = "failed"
    ERROR = "error"  # outside of the test itself: in a fixture
    SKIPPED = "skipped"
    XFAILED = "xfailed"
    XPASSED = "xpassed"
    MISSING = "missing"  # it was not run at all
    NEW = "new"  # the baseline has no such test


@dataclass(frozen=True, slots=True, kw_only=True)
class TestResult:
    """One test, with the end of its report where it did not pass."""

    __test__ = False

    id: str
    outcome: TestOutcome
    text: str = ""
    seconds: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class TestFailure:
    """A test whose outcome is not the baseline's."""

    __test__ = False

    id: str
    expected: TestOutcome
    actual: TestOutcome
    text: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """An input that baseline and candidate answer differently.

    `origin` says where it comes from: `recorded` (tests call the target so), `again` (the same, once more) or
    `generated`. `call` shows it in a line, `snippet` is a program that makes it. `where` is the place of the first
    difference in all that can be seen of a call, and `expected` and `actual` are what stands there.
    """

    origin: str
    call: str
    snippet: str
    where: str
    expected: str
    actual: str
    baseline: str
    candidate: str
    note: str = ""
    error: str = ""

    def __str__(self) -> str:
        text = f"{self.call}: the baseline {self.baseline}, the candidate {self.candidate}"
        is_seen = self.where in ("", "error") or self.where.startswith("ending") or self.where.startswith("result")
        if not is_seen or self.baseline == self.candidate:
            text += f"; {self.where} is {self.actual} instead of {self.expected}"
        return f"{text} ({self.note})" if self.note else text


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """What a verdict stands on: how many tests, recorded calls and generated inputs were tried; how many inputs were
    outside of the baseline's contract, how many it does not answer the same way twice, and how many recorded calls were
    not made because the candidate cannot take over the objects in them."""

    tests: int = 0
    recorded_calls: int = 0
    generated_inputs: int = 0
    outside_contract: int = 0
    unstable: int = 0
    unread: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """What verification says of a candidate, and why.

    `suspicions` are things it does that a rewrite has no reason for; `keeps` is what it remembers from call to call,
    where the baseline does not: legitimate, but its speed on repeated inputs means little.
    """

    verdict: Verdict
    reason: str | None = None
    evidence: Evidence = field(default_factory=Evidence)
    failures: tuple[TestFailure, ...] = ()
    differences: tuple[Difference, ...] = ()
    outside: tuple[Difference, ...] = ()
    suspicions: tuple[str, ...] = ()
    keeps: tuple[str, ...] = ()
    limit: str | None = None
    stdout: str = ""
    stderr: str = ""
    seconds: float = 0.0

    @property
    def counterexample(self) -> str | None:
        """The smallest input found that shows the difference."""
        return min((found.call for found in self.differences), key=len, default=None)


def ended(outcome: CallOutcome, what: str) -> Judgement:
    """The judgement of a candidate whose call ended without a report."""
    verdict = _VERDICT_OF_ENDING.get(outcome.ending, Verdict.ERROR)
    return Judgement(
        verdict=verdict,
        reason=f"{what}: {outcome.describe().splitlines()[0]}",
        limit=outcome.limit,
        stdout=str(outcome.stdout)[-_TAIL:],
        stderr=str(outcome.stderr)[-_TAIL:],
        seconds=outcome.seconds or 0.0,
    )


def failures(expected: Mapping[str, TestResult], actual: Iterable[TestResult]) -> tuple[TestFailure, ...]:
    """The tests whose outcome is not the baseline's: a missing one is a failure, and so is a new one."""
    found = {result.id: result for result in actual}
    gone = [
        TestFailure(id=name, expected=result.outcome, actual=TestOutcome.MISSING)
        for name, result in expected.items()
        if name not in found
    ]
    other = [
        TestFailure(
            id=name,
            expected=expected[name].outcome if name in expected else TestOutcome.NEW,
            actual=result.outcome,
            text=result.text,
        )
        for name, result in found.items()
        if name not in expected or result.outcome is not expected[name].outcome
    ]
    return (*other, *gone)
