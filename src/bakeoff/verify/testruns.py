"""The project's tests, run in a call: what is asked for, and what is believed of the answer.

The answer comes from a process that candidate code shares, so that it may be anything. It is checked for its form, and
a run is not believed at all in which the planted tests did not end as they have to.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Annotated, Any

import msgspec

from bakeoff.errors import BaselineFails
from bakeoff.instruments import MARK
from bakeoff.targets import RecordedCall, instrument
from bakeoff.verify.judgements import TestOutcome, TestResult
from bakeoff.workers import CallOutcome, Ending, PythonCall

if TYPE_CHECKING:
    from bakeoff.targets import Project, Target
    from bakeoff.verify.judgements import TestFailure

__all__ = ["Hotspot", "Hotspots", "TestRequest", "TestRun", "hotspots_of_script", "unfinished", "why_not"]

# What pytest says at the end: all passed, some failed, none were there.
_FINE = frozenset({0, 1, 5})
_CANNOT_BEGIN = 4
_MOST, _MOST_TEXT, _MOST_LINE = 200_000, 8000, 500
_LONGEST = 1e9
_PLANTED = {"fail": "failed", "pass": "passed"}
_UNTRUE = "what it says of its tests is not what a test run says"

_Count = Annotated[int, msgspec.Meta(ge=0, le=1 << 53)]
_Number = Annotated[float, msgspec.Meta(ge=0, le=1 << 53)]
_Texts = Annotated[list[str], msgspec.Meta(max_length=_MOST)]
_Counts = Annotated[dict[str, _Count], msgspec.Meta(max_length=_MOST)]


class _Result(msgspec.Struct, kw_only=True):
    id: Annotated[str, msgspec.Meta(max_length=1 << 16)]
    outcome: TestOutcome
    text: str
    seconds: Annotated[float, msgspec.Meta(ge=0, le=_LONGEST)]


class _Problem(msgspec.Struct, kw_only=True):
    where: str
    text: str


class _Call(msgspec.Struct, kw_only=True):
    arguments: bytes
    seen: bytes | None
    shape: str
    weight: _Number
    tests: _Texts


class _Hotspot(msgspec.Struct, kw_only=True):
    path: Annotated[str, msgspec.Meta(max_length=4096)]
    line: Annotated[int, msgspec.Meta(ge=0, le=1 << 31)]
    name: Annotated[str, msgspec.Meta(max_length=4096)]
    seconds: Annotated[float, msgspec.Meta(ge=0, le=_LONGEST)]
    calls: _Count
    by: _Texts


class _Hotspots(msgspec.Struct, kw_only=True):
    seconds: Annotated[float, msgspec.Meta(ge=0, le=_LONGEST)]
    functions: Annotated[list[_Hotspot], msgspec.Meta(max_length=_MOST)]


class _Script(_Hotspots, kw_only=True):
    status: str | None


class _Answer(msgspec.Struct, kw_only=True):
    status: Annotated[int, msgspec.Meta(ge=-(1 << 31), le=1 << 31)]
    tests: Annotated[list[_Result], msgspec.Meta(max_length=_MOST)]
    errors: Annotated[list[_Problem], msgspec.Meta(max_length=_MOST)]
    planted: dict[str, str]
    tampered: _Texts
    calls: Annotated[list[_Call], msgspec.Meta(max_length=_MOST)]
    call_count: _Count
    reaching: _Counts
    uncopied: _Counts
    imports: _Texts
    paths: _Texts
    modules: _Texts
    hotspots: _Hotspots | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Hotspot:
    """A function, by the file and the line where it begins, the seconds that were its own, how often it was called, and
    the test files that got to it."""

    path: str
    line: int
    name: str
    seconds: float
    calls: int
    by: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Hotspots:
    """Where the time of a workload goes: all of it, in seconds, and the project's functions, dearest first; and which
    part of the time it computed, alone or in several processes."""

    seconds: float
    functions: tuple[Hotspot, ...]
    busy: float = 1.0


def hotspots_of_script(outcome: CallOutcome) -> Hotspots | str:
    """What the profile of a script says; or what was wrong with it."""
    if outcome.ending is not Ending.OK:
        return outcome.describe().splitlines()[0]
    try:
        found = msgspec.convert(outcome.value, _Script)
    except (msgspec.ValidationError, RecursionError):
        return "what it says of its time is not what a profile says"
    return f"it ended with status {_end(found.status)}" if found.status is not None else _hotspots(found, outcome)


def _hotspots(found: _Hotspots, outcome: CallOutcome) -> Hotspots:
    functions = (
        Hotspot(path=one.path, line=one.line, name=one.name, seconds=one.seconds, calls=one.calls, by=tuple(one.by))
        for one in found.functions
    )
    metrics = outcome.metrics
    busy = (metrics.user + metrics.system) / metrics.wall if metrics is not None and metrics.wall else 1.0
    return Hotspots(seconds=found.seconds, functions=tuple(functions), busy=busy)


@dataclass(frozen=True, slots=True, kw_only=True)
class TestRequest:
    """Which tests to run: in `files` (what the project's own configuration says, where there are none), of these only
    `only`, in an order that is shuffled by `order`; with the calls of `record` recorded, or, where it `is_metered`,
    with their time taken down by function."""

    __test__ = False

    project: Project
    files: tuple[str, ...] = ()
    only: tuple[str, ...] | None = None
    order: int | None = None
    record: Target | None = None
    seed: int = 0
    is_metered: bool = False

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
                "metered": self.is_metered,
                "record": None
                if record is None
                else {"path": record.path, "module": record.module, "name": record.name},
            },
        )

    def call(self, **options: Any) -> PythonCall:  # noqa: ANN401 (those of a call)
        return PythonCall(function=instrument("testrun:run"), arguments=self.arguments(), **options)


@dataclass(frozen=True, slots=True, kw_only=True)
class TestRun:
    """What came of it. `status` is pytest's own; `paths` are the folders in the project that imports start from while
    its tests run, the first ones first, and empty for the project's own."""

    __test__ = False

    results: dict[str, TestResult]
    status: int = 0
    calls: tuple[RecordedCall, ...] = ()
    seen: tuple[bytes | None, ...] = ()
    call_count: int = 0
    reaching: dict[str, int] = field(default_factory=dict)
    uncopied: dict[str, int] = field(default_factory=dict)
    imports: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    modules: tuple[str, ...] = ()
    errors: tuple[str, ...] = ()
    distrust: str | None = None
    hotspots: Hotspots | None = None

    @classmethod
    def of(cls, outcome: CallOutcome) -> TestRun | None:
        """The run that an outcome tells of; None where it tells of none."""
        if outcome.ending is not Ending.OK:
            return None
        try:
            answer = msgspec.convert(outcome.value, _Answer)
        except (msgspec.ValidationError, RecursionError):
            return cls(results={}, distrust=_UNTRUE)
        return cls(
            results={result.id: _result(result) for result in answer.tests},
            status=answer.status,
            calls=tuple(_call(call) for call in answer.calls),
            seen=tuple(call.seen for call in answer.calls),
            call_count=answer.call_count,
            reaching=answer.reaching,
            uncopied={_end(reason): count for reason, count in answer.uncopied.items()},
            imports=tuple(answer.imports),
            paths=tuple(answer.paths),
            modules=tuple(answer.modules),
            errors=tuple(f"{_end(error.where)}: {_last_line(error.text)}" for error in answer.errors),
            distrust=_distrust(answer),
            hotspots=None if answer.hotspots is None else _hotspots(answer.hotspots, outcome),
        )

    def passed(self) -> dict[str, TestResult]:
        """The tests that ended as a test should: passed, skipped, or failed as was expected of it."""
        fine = (TestOutcome.PASSED, TestOutcome.SKIPPED, TestOutcome.XFAILED, TestOutcome.XPASSED)
        return {name: result for name, result in self.results.items() if result.outcome in fine}

    def failed(self) -> dict[str, str]:
        """The tests that did not end so, each with what was wrong, in a line."""
        fine = self.passed()
        return {name: f"{name}: {_last_line(result.text)}" for name, result in self.results.items() if name not in fine}

    def check_baseline(self) -> None:
        """Raise BaselineFails where the tests of the code as it is cannot be run, or one fails that calls the target.

        What others make of themselves does not matter as long as some pass.
        """
        if self.status == _CANNOT_BEGIN:
            raise BaselineFails(
                [*self.errors, *filter(None, [self.distrust])],
                hint="see that this runs: python -m pytest; its options are in the project's configuration (addopts)",
            )
        if self.distrust is not None:
            raise BaselineFails([self.distrust], hint="see that nothing in the tests changes pytest itself")
        fine, failed = self.passed(), self.failed()
        guilty = [said for name, said in failed.items() if name in self.reaching]
        if guilty or ((failed or self.errors) and not fine):
            raise BaselineFails(guilty or [*self.errors, *failed.values()])


def _result(result: _Result) -> TestResult:
    return TestResult(id=result.id, outcome=result.outcome, text=result.text[-_MOST_TEXT:], seconds=result.seconds)


def _call(call: _Call) -> RecordedCall:
    return RecordedCall(
        arguments=call.arguments, shape=call.shape[:_MOST_TEXT], weight=call.weight, tests=tuple(call.tests)
    )


def _distrust(answer: _Answer) -> str | None:
    """Why nothing of it is to be believed, if so."""
    if not _makes_sense(answer):
        return _UNTRUE
    if answer.tampered:
        return f"it replaces {_end(', '.join(answer.tampered[:3]))}"
    if answer.status not in _FINE:
        return None if answer.errors else f"pytest ended with status {answer.status}"
    return _exposed(answer)


def _exposed(answer: _Answer) -> str | None:
    """What the planted tests say of pytest, where it is not what it was."""
    if set(answer.planted.values()) == {TestOutcome.SKIPPED}:
        # As the project has it with tests that it does not know; and those that count are not to be skipped anyway.
        return None
    for kind, expected in _PLANTED.items():
        found = answer.planted.get(kind, TestOutcome.MISSING)
        if found != expected:
            return f"a test that has to {kind} is {_end(found)}"
    return None


def _makes_sense(answer: _Answer) -> bool:
    """What the form alone does not say: no test is told of twice, folders are in the project."""
    folders = [PurePosixPath(path) for path in answer.paths]
    is_once = len({result.id for result in answer.tests}) == len(answer.tests)
    return is_once and not any(folder.is_absolute() or ".." in folder.parts for folder in folders)


def _end(text: str) -> str:
    return text[-_MOST_LINE:]


def _last_line(text: str) -> str:
    """Where pytest says what was wrong, or else the last line."""
    lines = [line.strip() for line in text[-_MOST_TEXT:].splitlines() if line.strip()]
    said = [line[1:].strip() for line in lines if line.startswith("E ")]
    return (said[0] if said else lines[-1] if lines else "")[:_MOST_LINE]


def why_not(run: TestRun, failed: tuple[TestFailure, ...]) -> str | None:
    """Why a run of a candidate's tests is not what the baseline's was, in a line, given the tests that differ."""
    if run.distrust is not None:
        return run.distrust
    if run.errors:
        return f"tests cannot be collected: {run.errors[0]}"
    if not failed:
        return None
    first = failed[0]
    what = first.actual if first.actual is not TestOutcome.FAILED else "fails"
    return f"{len(failed)} tests fail, among them {first.id} ({what})" if len(failed) > 1 else f"{first.id} {what}"


def unfinished(outcome: CallOutcome) -> str | None:
    """The test that was running when a call ended, as far as its stderr tells."""
    _, mark, rest = str(outcome.stderr).rpartition(MARK)
    return rest.splitlines()[0].strip() if mark and rest else None
