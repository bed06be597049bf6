"""The project's tests, run in a call: what is asked for, and what is believed of the answer.

The answer comes from a process that candidate code shares. It is checked for its form, and a run in which the planted
test did not fail is not believed at all.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import msgspec

from bakeoff.errors import BaselineFails
from bakeoff.instruments import MARK
from bakeoff.targets import RecordedCall, instrument
from bakeoff.verify.judgements import TestOutcome, TestResult
from bakeoff.workers import CallOutcome, Ending, PythonCall

if TYPE_CHECKING:
    from bakeoff.targets import Project, Target

__all__ = ["TestRequest", "TestRun", "unfinished"]

# What pytest says at the end: all passed, some failed, none were there.
_FINE = frozenset({0, 1, 5})


class _Answer(msgspec.Struct, kw_only=True):
    status: int
    tests: list[TestResult]
    errors: list[dict[str, str]]
    planted: str
    tampered: list[str]
    calls: list[dict[str, Any]]
    call_count: int
    reaching: dict[str, int]
    uncopied: dict[str, int]
    imports: list[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class TestRequest:
    """Which tests to run: in `files` (what the project's own configuration says, where there are none), of these only
    `only`, in an order that is shuffled by `order`; with the calls of `record` recorded."""

    __test__ = False

    project: Project
    files: tuple[str, ...] = ()
    only: tuple[str, ...] | None = None
    order: int | None = None
    record: Target | None = None
    seed: int = 0

    def arguments(self) -> tuple[dict[str, Any]]:
        """For the instrument."""
        record = self.record
        return (
            {
                "roots": list(self.project.roots),
                "files": list(self.files),
                "only": None if self.only is None else list(self.only),
                "order": self.order,
                "seed": self.seed,
                "record": None if record is None else {"module": record.module, "name": record.name},
            },
        )

    def call(self, **options: Any) -> PythonCall:  # noqa: ANN401 (those of a call)
        return PythonCall(function=instrument("testrun:run"), arguments=self.arguments(), **options)


@dataclass(frozen=True, slots=True, kw_only=True)
class TestRun:
    """What came of it."""

    __test__ = False

    results: dict[str, TestResult]
    calls: tuple[RecordedCall, ...] = ()
    seen: tuple[bytes | None, ...] = ()
    call_count: int = 0
    reaching: dict[str, int] = field(default_factory=dict)
    uncopied: dict[str, int] = field(default_factory=dict)
    imports: tuple[str, ...] = ()
    errors: tuple[str, ...] = ()
    distrust: str | None = None

    @classmethod
    def of(cls, outcome: CallOutcome) -> TestRun | None:
        """The run that an outcome tells of; None where it tells of none."""
        if outcome.ending is not Ending.OK:
            return None
        try:
            answer = msgspec.convert(outcome.value, _Answer)
            calls = tuple(_call(call) for call in answer.calls)
            seen = tuple(msgspec.convert(call["seen"], bytes | None) for call in answer.calls)
        except (msgspec.ValidationError, KeyError):
            return cls(results={}, distrust="what it says of its tests is not what a test run says")
        return cls(
            results={result.id: result for result in answer.tests},
            calls=calls,
            seen=seen,
            call_count=answer.call_count,
            reaching=answer.reaching,
            uncopied=answer.uncopied,
            imports=tuple(answer.imports),
            errors=tuple(f"{error['where']}: {_last_line(error['text'])}" for error in answer.errors),
            distrust=_distrust(answer),
        )

    def passed(self) -> dict[str, TestResult]:
        """The tests that ended as a test should: passed, skipped, or failed as was expected of it."""
        fine = (TestOutcome.PASSED, TestOutcome.SKIPPED, TestOutcome.XFAILED, TestOutcome.XPASSED)
        return {name: result for name, result in self.results.items() if result.outcome in fine}

    def check_baseline(self) -> None:
        """Raise BaselineFails where the tests of the code as it is cannot be run, or fail."""
        if self.distrust is not None:
            raise BaselineFails([self.distrust], hint="see that nothing in the tests changes pytest itself")
        failed = [
            f"{name}: {_last_line(result.text)}" for name, result in self.results.items() if not self._is_fine(name)
        ]
        if self.errors or failed:
            raise BaselineFails([*self.errors, *failed])

    def _is_fine(self, name: str) -> bool:
        return name in self.passed()


def _call(call: dict[str, Any]) -> RecordedCall:
    return msgspec.convert({**{name: call[name] for name in ("arguments", "shape", "weight", "tests")}}, RecordedCall)


def _distrust(answer: _Answer) -> str | None:
    if answer.tampered:
        return f"it replaces {', '.join(answer.tampered[:3])}"
    if answer.status in _FINE and answer.planted != "failed":
        return f"a test that has to fail is {answer.planted}"
    if answer.status not in _FINE and not answer.errors:
        return f"pytest ended with status {answer.status}"
    return None


def _last_line(text: str) -> str:
    """Where pytest says what was wrong, or else the last line."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    said = [line[1:].strip() for line in lines if line.startswith("E ")]
    return (said or lines or [""])[0 if said else -1][:200]


def unfinished(outcome: CallOutcome) -> str | None:
    """The test that was running when a call ended, as far as its stderr tells."""
    _, mark, rest = str(outcome.stderr).rpartition(MARK)
    return rest.splitlines()[0].strip() if mark and rest else None
