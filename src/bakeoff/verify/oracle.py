"""The oracle: learns how the baseline behaves, then says of each candidate whether it still does.

    learn:  tests, recording the target ──▶ again, in other orders ──▶ the recorded calls against themselves
    judge:  tests that reach the target ─────────────┬─▶ a verdict with all its reasons
            recorded calls ──▶ grown inputs ─────────┘

Everything of the project runs in jailed calls, in its own interpreter. What was recorded stays bytes here. Calls are
judged in processes that have imported beforehand what the project's tests import, but nothing of the project itself.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any

import msgspec

from bakeoff.candidates import Change
from bakeoff.errors import (
    BaselineFails,
    NoTests,
    NothingToCallWith,
    PreloadFailed,
    PytestMissing,
    TargetMissing,
    TargetNotReached,
    by_reason,
)
from bakeoff.events import Verdict
from bakeoff.fanout import collect
from bakeoff.targets import INSTRUMENTS, Project, RecordedCall, Target, instrument
from bakeoff.verify.judgements import (
    Difference,
    Evidence,
    Judgement,
    TestResult,
    ended,
    failures,
)
from bakeoff.verify.learning import Learning
from bakeoff.verify.testruns import TestRequest, TestRun, unfinished, why_not
from bakeoff.workers import CallLimits, Ending, PythonCall, WorkerConfig, open_backend

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from bakeoff.fanout import Outcome
    from bakeoff.workers import CallOutcome
    from bakeoff.workers.backend import ProcessBackend
    from bakeoff.workspaces import Slot, WorktreePool

__all__ = ["Baseline", "Oracle", "OracleOptions"]

_TESTS = (instrument("testrun"), instrument("oracle"))
# It is imported by being asked for, as we do to seed it; and takes longer than to answer many calls.
_OF_CHANCE = ("numpy.random",)
# Imported last: it takes down what all others are made of.
_LAST = instrument("surroundings")
_START_PATIENCE, _SHARE = 10.0, 10.0
_LEAST_MEMORY, _MEMORY_SHARE = 2 << 30, 8
_MOST_NAMED = 5
_IMAGINED, _IMAGINED_TRIES = 40, 400
_GO_ON = (Verdict.VERIFIED, Verdict.WRONG)


@dataclass(frozen=True, slots=True, kw_only=True)
class OracleOptions:
    """How hard the oracle looks.

    The baseline's tests are run `runs` times, in different orders. `generated` inputs are tried on each candidate, for
    at most `seconds` of the CPU. Floats are the same when they are within `rtol` of each other; `dict_order` says
    whether the order of a dict counts; with `strict`, inputs outside of the baseline's contract count too. `patience`
    bounds one run of the baseline's tests, in seconds; `memory` is what a candidate may use, in bytes (None: a good
    deal more than the baseline does).
    """

    runs: int = 3
    generated: int = 500
    seconds: float = 2.0
    rtol: float = 0.0
    dict_order: bool = True
    strict: bool = False
    allow_untested: bool = False
    patience: float = 900.0
    memory: int | None = None
    seed: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Baseline:
    """What was learned of the code as it is.

    `tests` are those that candidates have to pass, `reaching` the ids of those that call the target, `flaky` those set
    aside because the baseline itself does not always answer the same. `calls` are recorded calls that can be replayed,
    out of `call_count` that were made; `uncopied` counts those that could not be written down, by reason, `unstable`
    names those that the baseline answers differently each time, and `elsewhere` those that come out differently outside
    of their test. `failing` says which tests fail, or cannot be collected, and do not call the target; they are set
    aside, too. `imagined` are calls grown from annotations, where no test makes any. `extensions` are the extension
    modules of the project's own that the target needs: a process can have only one of each, so that baseline and
    candidate never meet in one.
    """

    tests: Mapping[str, TestResult]
    reaching: tuple[str, ...]
    flaky: tuple[str, ...]
    calls: tuple[RecordedCall, ...]
    call_count: int
    uncopied: Mapping[str, int]
    unstable: tuple[str, ...]
    elsewhere: tuple[str, ...]
    seconds: float
    imports: tuple[str, ...] = ()
    failing: tuple[str, ...] = ()
    imagined: tuple[RecordedCall, ...] = ()
    extensions: tuple[str, ...] = ()

    @property
    def warnings(self) -> tuple[str, ...]:
        """What makes the verdicts weaker than one may think."""
        said = []
        if self.extensions:
            said.append(
                f"the project has extension modules of its own ({', '.join(self.extensions[:_MOST_NAMED])}): "
                "candidates are judged by their tests and recorded calls alone, without grown inputs"
            )
        if self.failing:
            told = "; ".join(by_reason(self.failing))
            said.append(
                f"1 test that does not call the target fails here without any change, and is set aside: {told}"
                if len(self.failing) == 1
                else f"{len(self.failing)} tests that do not call the target fail here without any change, and are "
                f"set aside: {told}"
            )
        if self.flaky:
            many = "1 test does" if len(self.flaky) == 1 else f"{len(self.flaky)} tests do"
            aside = "is" if len(self.flaky) == 1 else "are"
            said.append(
                f"{many} not come out the same in another order and {aside} set aside: "
                + ", ".join(self.flaky[:_MOST_NAMED])
            )
        if self.uncopied:
            counted = sorted(self.uncopied.items(), key=lambda item: -item[1])
            reasons = [why if len(counted) == 1 or count == 1 else f"{why} ({count} times)" for why, count in counted]
            said.append(
                f"{sum(self.uncopied.values())} of {self.call_count} recorded calls cannot be copied: "
                + "; ".join(reasons[:_MOST_NAMED])
            )
        if self.unstable:
            said.append(
                f"{len(self.unstable)} of {self.call_count} recorded calls come out differently each time: "
                + "; ".join(self.unstable[:_MOST_NAMED])
            )
        if not self.reaching:
            said.append(
                "no test calls the target: candidates are judged by generated inputs alone, and timed on "
                f"{len(self.imagined)} of them"
            )
        elif not self.calls:
            said.append("there is no recorded call to replay: candidates are judged by little more than their tests")
        return tuple(said)


class _Found(msgspec.Struct, kw_only=True):
    origin: str
    partly: bool
    note: str
    call: str
    snippet: str
    where: str
    expected: str
    actual: str
    baseline: str
    candidate: str
    too_long: bool
    error: str
    arguments: bytes
    seen: bytes | None

    def difference(self) -> Difference:
        return Difference(**{name: getattr(self, name) for name in Difference.__dataclass_fields__})


_Count = Annotated[int, msgspec.Meta(ge=0, le=1_000_000_000)]


class _Report(msgspec.Struct, kw_only=True):
    """What a trial says of a candidate. It comes from a process that the candidate shares."""

    loads: bool
    error: str = ""
    missing: bool = False
    is_syntax: bool = False
    counts: dict[str, _Count] = {}
    findings: list[_Found] = []
    shaky: list[_Found] = []
    outside: list[_Found] = []
    tampered: list[str] = []
    suspicious: list[str] = []
    keeps: list[str] = []
    sane: bool = True


class _Checked(msgspec.Struct, kw_only=True, rename={"state": "is"}):
    state: str
    seen: bytes | None
    seconds: float
    text: str


class _Checks(msgspec.Struct, kw_only=True):
    calls: list[_Checked]
    extensions: list[str]


class _ImaginedCall(msgspec.Struct, kw_only=True):
    arguments: bytes
    shape: str


class _Imagined(msgspec.Struct, kw_only=True):
    calls: list[_ImaginedCall]


class Oracle(Learning):
    """Judges changes to one target. For use as a context manager; `judge` may be called from several tasks at once, and
    takes up to two slots of the pool, each for as long as it needs one: never does it wait for one with the other."""

    def __init__(
        self,
        pool: WorktreePool,
        target: Target,
        *,
        project: Project | None = None,
        config: WorkerConfig | None = None,
        options: OracleOptions | None = None,
    ) -> None:
        super().__init__()
        self._pool = pool
        self._target = target
        self._project = project or Project(roots=tuple(dict.fromkeys((target.root, ""))))
        self._config = replace(config or WorkerConfig(), kits=(INSTRUMENTS,))
        self._options = options or OracleOptions()
        self._backend: ProcessBackend | None = None
        self._baseline: Baseline | None = None
        self._limits = CallLimits()
        self._whole_seconds = 0.0
        # What the baseline answers to its calls, where it cannot be asked beside a candidate.
        self._answers: list[dict[str, Any]] | None = None

    @property
    def baseline(self) -> Baseline:
        """What was learned when the oracle was opened."""
        assert self._baseline is not None
        return self._baseline

    @property
    def target(self) -> Target:
        return self._target

    @property
    def project(self) -> Project:
        return self._project

    # -- learning -------------------------------------------------------------------------------------------------

    async def _learn(self) -> None:
        """Raises a VerificationError where the baseline is not fit to judge by."""
        async with self._pool.slot() as slot:
            scout = await self._stack.enter_async_context(open_backend(self._configured(_TESTS)))
            try:
                first, outcome = await self._run_tests(scout, slot, record=self._target, seed=self._options.seed)
            except PreloadFailed as error:
                raise PytestMissing("; ".join(dict.fromkeys(error.failed.values()))) from None
            self._target = self._target.imported_as(first.modules)
            roots = dict.fromkeys((self._target.root, *self._project.roots, *first.paths))
            self._project = replace(self._project, roots=tuple(roots))
            first.check_baseline()
            if not first.results and not self._options.allow_untested:
                raise NoTests(", ".join(self._project.tests) or "the repository")
            if not first.reaching and not self._options.allow_untested:
                raise TargetNotReached(
                    str(self._target), len(first.results), failing=(*first.errors, *first.failed().values())
                )
            self._measure(outcome)
            flaky = await self._flaky(scout, slot, first)
            failing = first.failed()
            tests = {name: result for name, result in first.passed().items() if name not in flaky}
            reaching = tuple(name for name in first.reaching if name in tests)
            if not reaching and not self._options.allow_untested:
                raise TargetNotReached(str(self._target), len(tests))
            self._backend = await self._warm(scout, slot, first.imports)
            checked, extensions = await self._checked(slot, first, scout)
            imagined = await self._imagined(slot) if not reaching else ()
            if not reaching and not imagined:
                raise NothingToCallWith(str(self._target))
        pairs = zip(first.calls, checked, strict=True)
        stable = [(call, result) for call, result in pairs if result.state in ("stable", "elsewhere")]
        if extensions:
            self._answers = [{"seen": result.seen, "seconds": result.seconds} for _, result in stable]
        self._baseline = Baseline(
            tests=tests,
            reaching=reaching,
            flaky=tuple(sorted(flaky - failing.keys())),
            failing=(*first.errors, *failing.values()),
            calls=tuple(call for call, _ in stable),
            call_count=first.call_count,
            uncopied={**first.uncopied, **_unread(checked)},
            unstable=tuple(result.text for result in checked if result.state == "unstable"),
            elsewhere=tuple(result.text for result in checked if result.state == "elsewhere"),
            seconds=sum(result.seconds for result in checked),
            imports=first.imports,
            extensions=extensions,
            imagined=imagined,
        )

    async def _imagined(self, slot: Slot) -> tuple[RecordedCall, ...]:
        """Calls for a target that no test makes any of."""
        assert self._backend is not None
        request = {
            **self._about(),
            "seed": self._options.seed,
            "tries": _IMAGINED_TRIES,
            "count": _IMAGINED,
            "memory": None if self._limits.memory is None else self._limits.memory // 2,
        }
        call = PythonCall(function=instrument("oracle:imagine"), arguments=(request,), **self._places(slot))
        outcome = await self._backend.execute(call)
        if outcome.ending is not Ending.OK:
            raise TargetMissing(str(self._target), outcome.describe())
        found = msgspec.convert(outcome.value, _Imagined).calls
        return tuple(RecordedCall(arguments=one.arguments, shape=one.shape) for one in found)

    def _configured(self, preload: Iterable[str]) -> WorkerConfig:
        return replace(self._config, preload=(*self._config.preload, *preload))

    async def _run_tests(
        self,
        backend: ProcessBackend,
        slot: Slot,
        **request: Any,  # noqa: ANN401 (of a TestRequest)
    ) -> tuple[TestRun, CallOutcome]:
        """The baseline's tests, which have to give an answer."""
        asked = TestRequest(project=self._project, files=self._project.tests, **request)
        outcome = await backend.execute(
            asked.call(directory=slot.directory, enter=slot.enter, timeout=self._options.patience, limits=CallLimits())
        )
        run = TestRun.of(outcome)
        if run is None:
            running = unfinished(outcome)
            raise BaselineFails(
                [f"{running or 'they'} did not end: {outcome.describe()}"],
                hint="see that they run with: python -m pytest; the interpreter is chosen with --python",
            )
        return run, outcome

    def _measure(self, outcome: CallOutcome) -> None:
        """What candidates may use: a good deal more than the baseline does."""
        metrics = outcome.metrics
        assert metrics is not None
        self._whole_seconds = metrics.wall
        memory = self._options.memory or max(_LEAST_MEMORY, _MEMORY_SHARE * metrics.peak_memory)
        self._limits = CallLimits(memory=memory)

    async def _flaky(self, backend: ProcessBackend, slot: Slot, first: TestRun) -> set[str]:
        """The tests that do not come out the same in every order."""
        found: set[str] = set()
        for number in range(1, self._options.runs):
            await slot.stage(Change())
            other, _ = await self._run_tests(backend, slot, order=number)
            if other.distrust is not None:
                raise BaselineFails([other.distrust])
            found |= {failure.id for failure in failures(first.results, other.results.values())}
        await slot.stage(Change())
        return found

    async def _warm(self, scout: ProcessBackend, slot: Slot, imports: tuple[str, ...]) -> ProcessBackend:
        """A backend whose processes have imported what the project's tests need; without what cannot be imported so."""
        wanted = [*_TESTS, *imports, *(_OF_CHANCE if "numpy" in imports else ())]
        for _ in range(_MOST_NAMED):
            backend = open_backend(self._configured((*wanted, _LAST)))
            try:
                outcome = await backend.execute(PythonCall(function="f", source="def f(): pass", **self._places(slot)))
            except PreloadFailed as error:
                await backend.shutdown()
                wanted = [name for name in wanted if name not in error.failed]
                continue
            except BaseException:
                await backend.shutdown(cancel=True)
                raise
            if outcome.ending is Ending.OK:
                return await self._stack.enter_async_context(backend)
            await backend.shutdown()
            break
        return scout

    def _places(self, slot: Slot) -> dict[str, Any]:
        return {"directory": slot.directory, "enter": slot.enter, "limits": self._limits, "timeout": self._patience()}

    def _patience(self) -> float:
        """How long a call of a candidate may take in all."""
        learned = self._baseline.seconds if self._baseline is not None else self._options.patience
        return _START_PATIENCE + self._options.seconds * 6 + _SHARE * (self._whole_seconds + learned)

    async def _checked(
        self, slot: Slot, first: TestRun, scout: ProcessBackend
    ) -> tuple[list[_Checked], tuple[str, ...]]:
        """Each recorded call, asked of the baseline in two more processes, which have other hash seeds; and the
        project's extension modules that were needed for it."""
        assert self._backend is not None
        seen: Iterable[bytes | None] = first.seen
        found: list[_Checked] = []
        extensions: dict[str, None] = {}
        for backend in (scout, self._backend):
            calls = ((call.arguments, answer, False) for call, answer in zip(first.calls, seen, strict=True))
            said = await self._check(backend, slot, calls)
            now = said.calls
            # That a call comes out differently where a test has prepared something is no fault of it; that it does from
            # one bare process to the next is.
            changed = [result.state == "elsewhere" for result in now] if found else [False] * len(now)
            found = [
                msgspec.structs.replace(earlier, state="unstable")
                if is_changed or later.state == "unstable"
                else earlier
                for earlier, later, is_changed in zip(found or now, now, changed, strict=True)
            ]
            seen = [result.seen for result in now]
            extensions.update(dict.fromkeys(said.extensions))
        return found, tuple(extensions)

    async def _check(
        self, backend: ProcessBackend, slot: Slot, calls: Iterable[tuple[bytes, bytes | None, bool]]
    ) -> _Checks:
        asked = [{"arguments": arguments, "seen": seen, "partly": partly} for arguments, seen, partly in calls]
        request = {**self._about(), "calls": asked}
        call = PythonCall(function=instrument("oracle:check"), arguments=(request,), **self._places(slot))
        outcome = await backend.execute(call)
        if outcome.ending is not Ending.OK:
            raise TargetMissing(str(self._target), outcome.describe())
        said = msgspec.convert(outcome.value, _Checks)
        if len(said.calls) != len(asked):
            raise TargetMissing(str(self._target), "some of its calls have no answer")
        return said

    def _about(self) -> dict[str, Any]:
        """What each call of the oracle's instrument is told."""
        return {
            "roots": list(self._project.roots),
            "module": self._target.module,
            "name": self._target.name,
            "rtol": self._options.rtol,
            "dict_order": self._options.dict_order,
        }

    # -- judging --------------------------------------------------------------------------------------------------

    async def judge(self, change: Change) -> Judgement:
        """The verdict on a candidate, by the tests that reach the target, recorded calls and grown inputs.

        Both parts run at once where there are slots for both; tests are ended when the other part has the last word.
        """

        async def part(number: int) -> Judgement:
            async with self._pool.slot() as slot:
                if number == 0:
                    return await self._compared(slot, change)
                return await self._tested(slot, change, self.baseline.reaching)

        try:
            done = await collect(range(2), part, limit=2, stop_when=_has_last_word, fail_fast=True)
        except ExceptionGroup as group:
            raise group.exceptions[0] from None
        compared, *tested = done.values
        return _together(compared, *tested) if compared.verdict in _GO_ON else compared

    async def judge_whole(self, change: Change, judgement: Judgement) -> Judgement:
        """The verdict when the rest of the suite is run too, for a candidate that would win."""
        rest = tuple(name for name in self.baseline.tests if name not in self.baseline.reaching)
        is_whole = judgement.evidence.tests >= len(self.baseline.tests)
        if judgement.verdict is not Verdict.VERIFIED or is_whole or not rest:
            return judgement
        async with self._pool.slot() as slot:
            return _together(judgement, await self._tested(slot, change, rest))

    async def _tested(self, slot: Slot, change: Change, names: tuple[str, ...]) -> Judgement:
        """The verdict by tests alone."""
        if not names:
            return Judgement(verdict=Verdict.VERIFIED)
        assert self._backend is not None
        await slot.stage(change)
        files = tuple(dict.fromkeys(name.partition("::")[0] for name in names))
        asked = TestRequest(project=self._project, files=files, only=names, seed=self._options.seed)
        outcome = await self._backend.execute(asked.call(**self._places(slot)))
        run = TestRun.of(outcome)
        if run is None:
            running = unfinished(outcome)
            return ended(outcome, f"while {running} ran" if running else "while the tests ran")
        expected = {name: self.baseline.tests[name] for name in names}
        failed = failures(expected, run.results.values())
        reason = why_not(run, failed)
        return Judgement(
            verdict=Verdict.VERIFIED if reason is None else Verdict.WRONG,
            reason=reason,
            evidence=Evidence(tests=len(names)),
            failures=failed,
            suspicions=() if run.distrust is None else (run.distrust,),
            stdout="" if reason is None else str(outcome.stdout)[-2000:],
            stderr="" if reason is None else str(outcome.stderr)[-2000:],
            seconds=outcome.seconds or 0.0,
        )

    async def _compared(self, slot: Slot, change: Change) -> Judgement:
        """The verdict by recorded calls and grown inputs, in a slot that holds the baseline."""
        outcome, note = await self._compare(slot, change), None
        if outcome.ending is not Ending.OK:
            judgement, outcome, note = await self._blamed(slot, change, outcome)
            if outcome.ending is not Ending.OK:
                return judgement
        try:
            report = msgspec.convert(outcome.value, _Report)
        except msgspec.ValidationError:
            return Judgement(verdict=Verdict.CRASHED, reason="what it says of its calls is not what a trial says")
        if not report.loads:
            kind = Verdict.INVALID if report.missing or report.is_syntax else Verdict.CRASHED
            lines = report.error.strip().splitlines() or [""]
            return Judgement(verdict=kind, reason=f"its module cannot be loaded: {lines[-1]}", stderr=report.error)
        if report.tampered or report.suspicious:
            report = await self._excused(slot, report)
        judgement = _concluded(report, await self._confirmed(slot, report), outcome.seconds or 0.0)
        return judgement if note is None else replace(judgement, suspicions=(*judgement.suspicions, note))

    async def _compare(self, slot: Slot, change: Change, *, generated: int | None = None) -> CallOutcome:
        assert self._backend is not None
        options = self._options
        request = {
            **self._about(),
            "edits": change.contents,
            "calls": [call.arguments for call in self.baseline.calls],
            "answers": self._answers,
            "generated": options.generated if generated is None else generated,
            "seconds": options.seconds,
            "memory": None if self._limits.memory is None else self._limits.memory // 2,
            "strict": options.strict,
            "seed": options.seed,
        }
        await slot.stage(Change())
        call = PythonCall(function=instrument("oracle:run"), arguments=(request,), **self._places(slot))
        return await self._backend.execute(call)

    async def _blamed(
        self, slot: Slot, change: Change, outcome: CallOutcome
    ) -> tuple[Judgement, CallOutcome, str | None]:
        """Whose fault it is that there is no report. Where the baseline in the candidate's place gives none either, the
        inputs are to blame that were grown, and it is tried again without; and if that does not help, we are."""
        judgement = ended(outcome, "while it was called")
        if (await self._compare(slot, Change())).ending is Ending.OK:
            return judgement, outcome, None
        again = await self._compare(slot, change, generated=0)
        if again.ending is Ending.OK:
            return judgement, again, "inputs of our own were not tried: the baseline does not come to an end with them"
        bare = await self._compare(slot, Change(), generated=0)
        if bare.ending is Ending.OK:
            return ended(again, "while it was called"), again, None
        return replace(judgement, verdict=Verdict.ERROR, reason=bare.describe()), bare, None

    async def _excused(self, slot: Slot, report: _Report) -> _Report:
        """The report without what the baseline does too."""
        outcome = await self._compare(slot, Change(), generated=0)
        try:
            ours = msgspec.convert(outcome.value, _Report)
        except msgspec.ValidationError:
            return report
        return msgspec.structs.replace(
            report,
            tampered=[name for name in report.tampered if name not in ours.tampered],
            suspicious=[what for what in report.suspicious if what not in ours.suspicious],
        )

    async def _confirmed(self, slot: Slot, report: _Report) -> list[_Found]:
        """The findings that hold in a process of the baseline's own, with another hash seed: of grown inputs, and of
        those that the baseline did not repeat its answer to, after the candidate had run beside it."""
        sure = [found for found in report.findings if found.origin != "generated"]
        asked = [found for found in (*report.findings, *report.shaky) if found not in sure and found.origin != "again"]
        if not asked:
            return sure
        async with open_backend(self._configured(())) as other:
            try:
                said = await self._check(other, slot, ((found.arguments, found.seen, found.partly) for found in asked))
            except (TargetMissing, msgspec.ValidationError):
                # The baseline does not come to an end with one of them; a candidate that says so of itself is wrong.
                return [*sure, *(found for found in asked if found in report.findings)]
        states = zip(asked, said.calls, strict=True)
        return [*sure, *(found for found, result in states if result.state == "stable")]


def _has_last_word(outcome: Outcome[int, Judgement]) -> bool:
    """Whether tests would add nothing: it cannot be called at all, or does not come to an end."""
    return outcome.index == 0 and outcome.value is not None and outcome.value.verdict not in _GO_ON


def _unread(checked: Iterable[_Checked]) -> dict[str, int]:
    texts = [result.text for result in checked if result.state == "unread"]
    return {text: texts.count(text) for text in itertools.islice(dict.fromkeys(texts), _MOST_NAMED)}


def _concluded(report: _Report, findings: list[_Found], seconds: float) -> Judgement:
    """The judgement that a trial's report comes to."""
    counts = report.counts
    reason, verdict = None, Verdict.VERIFIED
    if not report.sane or report.tampered:
        verdict = Verdict.WRONG
        reason = f"it changes {', '.join(report.tampered[:3])}" if report.tampered else "it tampers with the comparison"
    elif findings:
        verdict = Verdict.TIMED_OUT if all(found.too_long for found in findings) else Verdict.WRONG
        reason = str(findings[0].difference())
    return Judgement(
        verdict=verdict,
        reason=reason,
        evidence=Evidence(
            recorded_calls=counts.get("recorded", 0),
            generated_inputs=counts.get("generated", 0),
            outside_contract=counts.get("outside", 0),
            unstable=max(0, counts.get("unstable", 0) + len(report.findings) - len(findings)),
            unread=counts.get("unread", 0),
        ),
        differences=tuple(found.difference() for found in findings),
        outside=tuple(found.difference() for found in report.outside),
        suspicions=tuple(dict.fromkeys((*report.suspicious, *(f"it changes {name}" for name in report.tampered)))),
        keeps=tuple(report.keeps),
        seconds=seconds,
    )


def _together(one: Judgement, other: Judgement) -> Judgement:
    """What two parts of a verification come to: the worse verdict, and all reasons and evidence."""
    worse = one if one.verdict is not Verdict.VERIFIED else other
    mine, theirs = one.evidence, other.evidence
    evidence = Evidence(**{name: getattr(mine, name) + getattr(theirs, name) for name in Evidence.__dataclass_fields__})
    return replace(
        worse,
        evidence=evidence,
        failures=(*one.failures, *other.failures),
        differences=(*one.differences, *other.differences),
        outside=(*one.outside, *other.outside),
        suspicions=tuple(dict.fromkeys((*one.suspicions, *other.suspicions))),
        keeps=(*one.keeps, *other.keeps),
        seconds=one.seconds + other.seconds,
    )
