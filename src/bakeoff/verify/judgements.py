"""What verification says of a candidate, with all that it found."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from bakeoff.events import Difference, Evidence, TestFailure, TestOutcome, Verdict
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
    "verdict_of",
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


@dataclass(frozen=True, slots=True, kw_only=True)
class TestResult:
    """One test, with the end of its report where it did not pass."""

    __test__ = False

    id: str
    outcome: TestOutcome
    text: str = ""
    seconds: float = 0.0


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
        """The smallest input found that shows the difference; one that can be written out, where there is one."""
        calls = [found.call for found in self.differences]
        return min(calls, key=lambda call: ("..." in call, len(call)), default=None)


def verdict_of(ending: Ending) -> Verdict:
    """What is said of a candidate whose call ended so; what is no doing of its own is our error."""
    return _VERDICT_OF_ENDING.get(ending, Verdict.ERROR)


def ended(outcome: CallOutcome, what: str) -> Judgement:
    """The judgement of a candidate whose call ended without a report."""
    return Judgement(
        verdict=verdict_of(outcome.ending),
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
