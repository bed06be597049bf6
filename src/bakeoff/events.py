"""What can happen in a run, as small frozen values, and the fold that makes a run's state from them.

    engine ──says──▶ Event ──store appends──▶ Recorded(run, sequence, time, event) ──fold──▶ Run

The name on the wire is `tag.version` (`candidate-judged.1`). A tag is never reused and a version never changes
its meaning: a new shape gets a new version, the old class stays under its old name, and its `upgraded` method
turns it into the new one, so that every log ever written stays readable. A field with a default may be added to a
version: in old logs it has the default, and older readers pass over it. A log written by a newer Bakeoff may
hold events that this one does not know; those are read as `Unknown` and passed over by folds.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

__all__ = [
    "AttemptState",
    "BaselineLearned",
    "Better",
    "CallBegan",
    "CallEnd",
    "CallEnded",
    "CandidateJudged",
    "CandidateMeasured",
    "CandidateProposed",
    "CandidateState",
    "CellBegan",
    "CellEnded",
    "CellPlanned",
    "CellScored",
    "CellState",
    "CellStatus",
    "CellsPlanned",
    "Decision",
    "Descent",
    "Difference",
    "Event",
    "Evidence",
    "JudgingBegan",
    "Kept",
    "MatrixBegan",
    "MatrixState",
    "MatrixStopped",
    "MergeBegan",
    "MergeChecked",
    "MergeConflict",
    "MergeDropped",
    "MergeEnded",
    "MergeStep",
    "Phase",
    "PhaseBegan",
    "PoolOpened",
    "PricesFound",
    "Profile",
    "Profiled",
    "ProfiledFunction",
    "ProfiledLine",
    "ProviderLimited",
    "ProviderRecovered",
    "RaceBegan",
    "RaceEnded",
    "RankedTarget",
    "Recorded",
    "RequirementAsked",
    "Run",
    "RunEnded",
    "RunStarted",
    "SampleBegan",
    "SampleChosen",
    "SampleEnded",
    "SampleState",
    "SandboxFound",
    "ScoringBegan",
    "Speedup",
    "Spent",
    "State",
    "StopCause",
    "SubplanBegan",
    "SubplanEnd",
    "SubplanEnded",
    "SubplanState",
    "SweepState",
    "TargetBegan",
    "TargetEnded",
    "TargetState",
    "TargetsRanked",
    "TestFailure",
    "TestOutcome",
    "Text",
    "Unknown",
    "Verdict",
    "Warned",
    "decode",
    "encode",
]


class Verdict(enum.StrEnum):
    """What verification says of a candidate. `ERROR` is our fault, never the candidate's."""

    VERIFIED = "verified"
    WRONG = "wrong"
    CRASHED = "crashed"
    TIMED_OUT = "timed-out"
    OVER_LIMIT = "over-limit"
    INVALID = "invalid"
    DUPLICATE = "duplicate"
    ERROR = "error"


class Decision(enum.StrEnum):
    """What measurement says of a verified candidate."""

    FASTER = "faster"
    SLOWER = "slower"
    NO_DIFFERENCE = "no-difference"


class State(enum.StrEnum):
    """How a run stands. `RUNNING` means that no end was recorded: it goes on, or it died."""

    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    INTERRUPTED = "interrupted"


class Phase(enum.StrEnum):
    """What a run is at."""

    PREPARING = "preparing"
    LEARNING = "learning"
    SEARCHING = "searching"
    TIMING = "timing"
    PROFILING = "profiling"
    RANKING = "ranking"
    MERGING = "merging"


class Descent(enum.StrEnum):
    """What a candidate was asked for: an idea of its own, another one instead of a candidate that failed, more of those
    that stand, or more of one whose whole lineage is known."""

    FRESH = "fresh"
    REPAIR = "repair"
    REFINEMENT = "refinement"
    ADAPTATION = "adaptation"


class CallEnd(enum.StrEnum):
    """How an attempt at a call of a language model ended."""

    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


class Better(enum.StrEnum):
    """Which numbers of a metric are the better ones."""

    HIGHER = "higher"
    LOWER = "lower"


class CellStatus(enum.StrEnum):
    """How a cell of a matrix ended. `CANCELLED` says nothing about the cell: it is missing, as one that never began."""

    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


class StopCause(enum.StrEnum):
    """What ended a matrix before all of its cells were run."""

    COST = "cost"
    TOKENS = "tokens"
    TIME = "time"
    FAILURES = "failures"
    INTERRUPT = "interrupt"


class SubplanEnd(enum.StrEnum):
    """How a subplan ended. `SKIPPED` was not begun, or cancelled because of another one."""

    DONE = "done"
    FAILED = "failed"
    SKIPPED = "skipped"


class Text(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A large text that the store keeps once, named by the SHA-256 of its UTF-8 bytes."""

    sha256: str
    size: int


class Kept(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A file as it was: its mode as git writes it, and its contents as a text that bytes can be had back from."""

    mode: str
    text: Text


class Speedup(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """Baseline time over candidate time, with its interval: above 1 is faster."""

    estimate: float
    low: float
    high: float


# -- what is found out about candidates -------------------------------------------------------------------------------


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
        # How an input was come by is no news where it is shown; that it differs right after another one is.
        is_shown = self.origin == "generated" and not (": right after" in self.note or "; " in self.note)
        return f"{text} ({self.note})" if self.note and not is_shown else text


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
class RequirementAsked:
    """What a requirement said of a sample; `is_error` where it broke instead of saying something."""

    requirement: str
    met: bool
    reason: str = ""
    is_error: bool = False
    seconds: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ProfiledLine:
    """A line that was reached: how often, and which part of its function's time it took."""

    number: int
    hits: int
    share: float
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ProfiledFunction:
    """A function that was entered, with its lines; seconds are longer than without a profiler."""

    name: str
    path: str
    seconds: float
    lines: tuple[ProfiledLine, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """The functions of the target's module, dearest first; or why there is no profile, and what to do about it."""

    functions: tuple[ProfiledFunction, ...] = ()
    problem: str | None = None
    hint: str | None = None


class CellPlanned(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A cell as its definition says it: the name of its point on each axis, which repeat it is (from 0), and the
    providers that it calls. `cell` is the hash of all that decides its answer, so that the same key stands for the
    same work, in every run; `scoring` that of all that decides how the answer is scored."""

    cell: str
    coordinates: dict[str, str]
    repeat: int = 0
    providers: tuple[str, ...] = ()
    scoring: str = ""


class RankedTarget(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A target of a sweep: the subplan that it is in, its own seconds in the workload, their share of what all
    functions of the plan take, how often it was called, and the test files that get to it."""

    target: str
    subplan: str
    seconds: float
    share: float
    calls: int = 0
    tests: tuple[str, ...] = ()


class MergeConflict(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """Two targets whose winners cannot both be had, and the files that say so."""

    one: str
    other: str
    paths: tuple[str, ...]


class MergeStep(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """The winner of a target as a patch to the base with those before it."""

    target: str
    run: str
    patch: Text


class MergeDropped(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A winner that is no part of the whole: it is in conflict with another, or tests fail with it."""

    target: str
    reason: str
    conflict: MergeConflict | None = None
    failures: tuple[TestFailure, ...] = ()


# -- events -----------------------------------------------------------------------------------------------------------


class Event(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=False, gc=False):
    """Something that happened. Subclasses are the vocabulary; this class itself is never recorded.

    A frozen value can take no part in a cycle, so the garbage collector need not look (`gc=False`): reading a long
    log is much faster for it.
    """

    wire: ClassVar[str] = ""

    def upgraded(self) -> Event:
        """This event in today's shape."""
        return self


class RunStarted(Event, frozen=True, kw_only=True):
    """A command began: what was asked for, where, and by which Bakeoff. `key` is the same for commands that ask for the
    same, however they say it. One that another run began is `part_of` that."""

    wire: ClassVar[str] = "run-started.1"
    command: str
    arguments: tuple[str, ...] = ()
    version: str
    target: str | None = None
    base: str | None = None
    key: str = ""
    environment: dict[str, str] = {}
    part_of: str | None = None


class PhaseBegan(Event, frozen=True, kw_only=True):
    """The run turned to something else, which may take so many seconds where that is bounded."""

    wire: ClassVar[str] = "phase-began.1"
    phase: Phase
    seconds: float | None = None


class PoolOpened(Event, frozen=True, kw_only=True):
    """Slots are ready: their kind, how many were asked for and how many there are."""

    wire: ClassVar[str] = "pool-opened.1"
    kind: str
    asked: int
    size: int


class SandboxFound(Event, frozen=True, kw_only=True):
    """How well calls are isolated in this run: the tier, the layers in force, and why others are not."""

    wire: ClassVar[str] = "sandbox-found.1"
    tier: str
    layers: tuple[str, ...]
    missing: dict[str, str] = {}


class BaselineLearned(Event, frozen=True, kw_only=True):
    """What candidates are held against: tests, those that reach the target, and recorded calls out of all that were
    made; or a command, which may tell of tests."""

    wire: ClassVar[str] = "baseline-learned.1"
    tests: int
    tests_reaching_target: int
    recorded_calls: int
    calls: int = 0
    flaky: tuple[str, ...] = ()
    seconds: float = 0.0
    by_command: bool = False


class CandidateProposed(Event, frozen=True, kw_only=True):
    """A source proposed a candidate. Its patch is kept, and so are the files it edits, as they were. `calls` are those
    of language models that it came from; their text is its `log`."""

    wire: ClassVar[str] = "candidate-proposed.1"
    candidate: str
    name: str
    source: str
    parents: tuple[str, ...] = ()
    patch: Text | None = None
    before: dict[str, Kept] = {}
    note: str = ""
    log: Text | None = None
    descent: Descent = Descent.FRESH
    calls: tuple[str, ...] = ()


class JudgingBegan(Event, frozen=True, kw_only=True):
    """A candidate is being verified from here on."""

    wire: ClassVar[str] = "judging-began.1"
    candidate: str


class CandidateJudged(Event, frozen=True, kw_only=True):
    """Verification ended for a candidate. Of several for one, the last counts: the rest of the suite may have been run,
    or timing may have found what verification did not."""

    wire: ClassVar[str] = "candidate-judged.1"
    candidate: str
    verdict: Verdict
    reason: str | None = None
    counterexample: str | None = None
    duplicate_of: str | None = None
    log: Text | None = None
    evidence: Evidence | None = None
    failures: tuple[TestFailure, ...] = ()
    differences: tuple[Difference, ...] = ()
    outside: tuple[Difference, ...] = ()
    suspicions: tuple[str, ...] = ()
    keeps: tuple[str, ...] = ()
    seconds: float = 0.0


class RaceBegan(Event, frozen=True, kw_only=True):
    """These candidates are timed from here on, for about so many seconds."""

    wire: ClassVar[str] = "race-began.1"
    candidates: tuple[str, ...]
    seconds: float = 0.0


class CandidateMeasured(Event, frozen=True, kw_only=True):
    """Timing ended for a verified candidate. Of several for one, the last counts. `mixed` names the inputs on which it
    is slower. If `is_undecided`, the time was over before there was enough to tell by: the speedup is a rough one."""

    wire: ClassVar[str] = "candidate-measured.1"
    candidate: str
    decision: Decision
    speedup: Speedup
    warm: Speedup | None = None
    cold: Speedup | None = None
    is_confirmed: bool = False
    processes: int = 0
    mixed: tuple[str, ...] = ()
    is_undecided: bool = False


class RaceEnded(Event, frozen=True, kw_only=True):
    """How well could be timed: what a copy of the baseline came out as, which clock decided, and how many cores others
    kept busy."""

    wire: ClassVar[str] = "race-ended.1"
    placebo: Speedup | None
    noisy: bool
    clock: str
    load: float
    covered: float = 1.0
    seconds: float = 0.0
    processes: int = 0


class Profiled(Event, frozen=True, kw_only=True):
    """Where the time goes in a candidate, or in the baseline where none is named."""

    wire: ClassVar[str] = "profiled.1"
    candidate: str | None = None
    profile: Profile


class CallBegan(Event, frozen=True, kw_only=True):
    """An attempt at a call of a language model is made from here on: the how many-th, of which model, and for what.
    `most` is what it may cost at the most, in dollars, where the price is known; `cell` is the cell of a matrix that it
    is made for."""

    wire: ClassVar[str] = "call-began.1"
    call: str
    attempt: int = 1
    model: str
    purpose: str = ""
    request: Text | None = None
    most: float | None = None
    cell: str | None = None


class CallEnded(Event, frozen=True, kw_only=True):
    """An attempt ended, one way or another. `seconds` is the time of the attempt alone, `queued` what it waited for a
    permit, `backed_off` what was waited since the attempt before. Tokens that nobody counted are an estimate; a cost
    that nobody knows is None."""

    wire: ClassVar[str] = "call-ended.1"
    call: str
    attempt: int = 1
    end: CallEnd
    answer: Text | None = None
    finish: str | None = None
    request_id: str | None = None
    error: str | None = None
    status: int | None = None
    tokens_in: int = 0
    tokens_out: int = 0
    tokens_cached: int = 0
    is_estimate: bool = False
    cost: float | None = None
    seconds: float = 0.0
    queued: float = 0.0
    backed_off: float = 0.0


class PricesFound(Event, frozen=True, kw_only=True):
    """What a model costs, in dollars for a million tokens, and as of when; None is not known."""

    wire: ClassVar[str] = "prices-found.1"
    model: str
    tokens_in: float | None = None
    tokens_out: float | None = None
    tokens_cached: float | None = None
    date: str = ""
    origin: str = ""


class ProviderLimited(Event, frozen=True, kw_only=True):
    """So many calls of a provider may be in flight from here on, after a pause of so many seconds."""

    wire: ClassVar[str] = "provider-limited.1"
    provider: str
    limit: int
    pause: float = 0.0
    reason: str = ""


class ProviderRecovered(Event, frozen=True, kw_only=True):
    """So many calls of a provider may be in flight again, as it answered all that were asked of it."""

    wire: ClassVar[str] = "provider-recovered.1"
    provider: str
    limit: int


class SampleBegan(Event, frozen=True, kw_only=True):
    """A sample is being generated from here on: in which subsample, in which of its iterations, and after which sample
    of it; both count from 1."""

    wire: ClassVar[str] = "sample-began.1"
    sample: str
    subsample: int
    iteration: int
    parent: str | None = None


class SampleEnded(Event, frozen=True, kw_only=True):
    """A generation ended, and what came of it was validated, by these requirements in their order. `call` is the call
    that brought it. What was cancelled while it was validated is `is_judged` no further than it came."""

    wire: ClassVar[str] = "sample-ended.1"
    sample: str
    end: CallEnd
    call: str | None = None
    text: Text | None = None
    validations: tuple[RequirementAsked, ...] = ()
    is_judged: bool = False
    is_valid: bool = False
    error: str | None = None


class SampleChosen(Event, frozen=True, kw_only=True):
    """What a sampling gave back: a valid sample, or the best of those that are not."""

    wire: ClassVar[str] = "sample-chosen.1"
    sample: str
    is_valid: bool


class MatrixBegan(Event, frozen=True, kw_only=True):
    """Cells are run from here on, by this definition. `digest` is the hash of all its cells, `scoring` that of its
    scorers. `axes` has the names of the points on each axis, in their order; `definition` is the whole of it as JSON.
    `better` says which numbers are the better ones, by scorer or by metric. `caps` is how many calls of each provider
    may be open at once."""

    wire: ClassVar[str] = "matrix-began.1"
    name: str
    digest: str
    scoring: str
    axes: dict[str, tuple[str, ...]]
    repeats: int = 1
    cells: int
    scorers: tuple[str, ...] = ()
    better: dict[str, Better] = {}
    caps: dict[str, int] = {}
    is_cached: bool = False
    definition: Text


class CellsPlanned(Event, frozen=True, kw_only=True):
    """All cells of a definition, in their order; recorded once for each that a run has had."""

    wire: ClassVar[str] = "cells-planned.1"
    digest: str
    cells: tuple[CellPlanned, ...]


class CellBegan(Event, frozen=True, kw_only=True):
    """A cell is being run from here on, for the how many-th time."""

    wire: ClassVar[str] = "cell-began.1"
    cell: str
    tries: int = 1


class CellEnded(Event, frozen=True, kw_only=True):
    """What came of one try at a cell: a row of the result, and complete in itself.

    `duration_ms` is the time of the cell's own calls alone, of those that brought answers; `queue_ms` is what it waited
    for permits, `backoff_ms` what it waited between attempts. None of these is known of a cell that did not get that
    far, and a duration says nothing where the answer was `is_cached`. `attempts` counts the attempts at all of its
    `calls`. Tokens and cost, in dollars, are those of the answer, attempts that failed included; a cost that nobody
    knows is None; what scorers spent is in `scoring_cost`. `metrics` is what they gave, by name, and `unscored` says of
    the others why they gave nothing. `kind` is the kind of the error, as failures are counted by it.
    """

    wire: ClassVar[str] = "cell-ended.1"
    cell: str
    tries: int = 1
    coordinates: dict[str, str]
    repeat: int = 0
    providers: tuple[str, ...] = ()
    status: CellStatus
    duration_ms: float | None = None
    queue_ms: float = 0.0
    backoff_ms: float = 0.0
    attempts: int = 0
    calls: tuple[str, ...] = ()
    tokens_in: int = 0
    tokens_out: int = 0
    is_estimate: bool = False
    cost: float | None = None
    is_cached: bool = False
    answer: Text | None = None
    scoring: str = ""
    metrics: dict[str, float] = {}
    unscored: dict[str, str] = {}
    scoring_cost: float | None = 0.0
    error: str | None = None
    kind: str | None = None


class ScoringBegan(Event, frozen=True, kw_only=True):
    """Answers that are there already are scored anew from here on, by these scorers; `definition` says them as JSON,
    and `better` which of their numbers are the better ones."""

    wire: ClassVar[str] = "scoring-began.1"
    scoring: str
    scorers: tuple[str, ...]
    better: dict[str, Better] = {}
    definition: Text | None = None


class CellScored(Event, frozen=True, kw_only=True):
    """What other scorers gave for the answer of a cell that is done; it stands in place of what the cell ended with."""

    wire: ClassVar[str] = "cell-scored.1"
    cell: str
    scoring: str
    metrics: dict[str, float] = {}
    unscored: dict[str, str] = {}
    scoring_cost: float | None = 0.0


class MatrixStopped(Event, frozen=True, kw_only=True):
    """No more cells are begun, although so many are missing."""

    wire: ClassVar[str] = "matrix-stopped.1"
    cause: StopCause
    reason: str
    missing: int


class SubplanBegan(Event, frozen=True, kw_only=True):
    """Work on a subplan begins, for the how many-th time in this try of the run."""

    wire: ClassVar[str] = "subplan-began.1"
    subplan: str
    name: str
    attempt: int = 1


class SubplanEnded(Event, frozen=True, kw_only=True):
    """A subplan ended; `reason` says why where it is not done, `result` is what came of it, as its work writes it."""

    wire: ClassVar[str] = "subplan-ended.1"
    subplan: str
    name: str
    end: SubplanEnd
    reason: str | None = None
    result: Text | None = None
    attempts: int = 1
    seconds: float = 0.0


class TargetsRanked(Event, frozen=True, kw_only=True):
    """What is worth trying in a sweep, by the time that it takes of a workload, dearest first: of the `tests`, or of a
    `script` where there is one. `functions` is how many functions of the project take a share of it that counts,
    `seconds` how long it took under a profiler, and `busy` which part of that it computed."""

    wire: ClassVar[str] = "targets-ranked.1"
    targets: tuple[RankedTarget, ...]
    seconds: float
    functions: int
    tests: int = 0
    script: str | None = None
    subplans: int = 0
    busy: float = 1.0


class TargetBegan(Event, frozen=True, kw_only=True):
    """A target of a sweep is being improved from here on, for about so many seconds once its baseline is known."""

    wire: ClassVar[str] = "target-began.1"
    target: str
    subplan: str
    seconds: float


class TargetEnded(Event, frozen=True, kw_only=True):
    """What came of a target of a sweep, in a run of its own: its winner, if there is one, or the error that it ended
    with. One that was `skipped` was not begun, for that reason."""

    wire: ClassVar[str] = "target-ended.1"
    target: str
    subplan: str
    run: str | None = None
    candidate: str | None = None
    name: str | None = None
    speedup: Speedup | None = None
    candidates: int = 0
    error: str | None = None
    skipped: str | None = None
    seconds: float = 0.0


class MergeBegan(Event, frozen=True, kw_only=True):
    """The winners of these targets are brought together, those first that are to stay where not all can."""

    wire: ClassVar[str] = "merge-began.1"
    targets: tuple[str, ...]
    conflicts: tuple[MergeConflict, ...] = ()


class MergeChecked(Event, frozen=True, kw_only=True):
    """What the full check says of the winners of these targets together."""

    wire: ClassVar[str] = "merge-checked.1"
    targets: tuple[str, ...]
    verdict: Verdict
    reason: str | None = None
    evidence: Evidence | None = None
    failures: tuple[TestFailure, ...] = ()
    seconds: float = 0.0


class MergeEnded(Event, frozen=True, kw_only=True):
    """What winners came to together: `candidate` is all of it, in `steps`, one for each winner; those that are no part
    of it were dropped."""

    wire: ClassVar[str] = "merge-ended.1"
    candidate: str | None
    steps: tuple[MergeStep, ...]
    dropped: tuple[MergeDropped, ...] = ()
    checks: int = 0


class Warned(Event, frozen=True, kw_only=True):
    """Something the user should know that did not stop the run."""

    wire: ClassVar[str] = "warned.1"
    message: str


class RunEnded(Event, frozen=True, kw_only=True):
    """A command ended by itself: done, failed or interrupted."""

    wire: ClassVar[str] = "run-ended.1"
    state: State
    error: str | None = None
    winner: str | None = None


class Unknown(Event, frozen=True, kw_only=True):
    """An event that this version does not know, kept as it was written."""

    name: str
    body: bytes


_VOCABULARY: tuple[type[Event], ...] = (
    RunStarted,
    PhaseBegan,
    PoolOpened,
    SandboxFound,
    BaselineLearned,
    CandidateProposed,
    JudgingBegan,
    CandidateJudged,
    RaceBegan,
    CandidateMeasured,
    RaceEnded,
    Profiled,
    CallBegan,
    CallEnded,
    PricesFound,
    ProviderLimited,
    ProviderRecovered,
    SampleBegan,
    SampleEnded,
    SampleChosen,
    MatrixBegan,
    CellsPlanned,
    CellBegan,
    CellEnded,
    ScoringBegan,
    CellScored,
    MatrixStopped,
    SubplanBegan,
    SubplanEnded,
    TargetsRanked,
    TargetBegan,
    TargetEnded,
    MergeBegan,
    MergeChecked,
    MergeEnded,
    Warned,
    RunEnded,
)
_DECODERS = {event.wire: msgspec.json.Decoder(event) for event in _VOCABULARY}
_ENCODER = msgspec.json.Encoder()


def encode(event: Event) -> tuple[str, bytes]:
    """The event's name on the wire and its body, which is JSON; raises UnicodeEncodeError for lone surrogates."""
    if isinstance(event, Unknown):
        return event.name, event.body
    if not event.wire:
        raise TypeError(f"{type(event).__name__} has no name on the wire, so it cannot be recorded")
    return event.wire, _ENCODER.encode(event)


def decode(wire: str, body: bytes) -> Event:
    """The event in today's shape.

    Raises msgspec.DecodeError, or UnicodeDecodeError, for a body that is not what its name says.
    """
    decoder = _DECODERS.get(wire)
    if decoder is None:
        return Unknown(name=wire, body=body)
    return decoder.decode(body).upgraded()


class Recorded(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One line of the log. `sequence` counts from 1 within the run, without gaps."""

    run: str
    sequence: int
    time: datetime
    event: Event


class CandidateState(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """How a candidate stands: proposed, then judged, then perhaps measured."""

    proposed: CandidateProposed
    judged: CandidateJudged | None = None
    measured: CandidateMeasured | None = None


@dataclass(slots=True, kw_only=True)
class Spent:
    """What calls of language models have taken, derived from their events. `cost`, in dollars, is that of the attempts
    whose price is known; `unpriced` counts the others, `open` holds the attempts that have not ended, and `estimated`
    counts those whose tokens nobody counted. Seconds are those of `CallEnded`, summed, of calls that may have been open
    at the same time."""

    calls: int = 0
    attempts: int = 0
    failed: int = 0
    cancelled: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    tokens_cached: int = 0
    estimated: int = 0
    cost: float = 0.0
    unpriced: int = 0
    seconds: float = 0.0
    queued: float = 0.0
    backed_off: float = 0.0
    open: dict[tuple[str, int], CallBegan] = field(default_factory=dict)

    def add(self, event: CallBegan | CallEnded) -> None:
        """Take one more event, in the order in which they happened."""
        place = (event.call, event.attempt)
        if isinstance(event, CallBegan):
            self.calls += event.attempt == 1
            self.attempts += 1
            self.open[place] = event
            return
        self.open.pop(place, None)
        self.failed += event.end is CallEnd.FAILED
        self.cancelled += event.end is CallEnd.CANCELLED
        self.tokens_in += event.tokens_in
        self.tokens_out += event.tokens_out
        self.tokens_cached += event.tokens_cached
        self.estimated += event.is_estimate
        self.cost += event.cost or 0.0
        self.unpriced += event.cost is None
        self.seconds += event.seconds
        self.queued += event.queued
        self.backed_off += event.backed_off


class AttemptState(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """How an attempt at a call of a language model stands: begun, then ended. One whose process died has no end."""

    began: CallBegan
    ended: CallEnded | None = None


class SampleState(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """How a sample stands: begun, then ended."""

    began: SampleBegan
    ended: SampleEnded | None = None


class CellState(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """How a cell stands: planned, begun, ended, scored anew. Of several tries the last one counts; one that was
    cancelled takes nothing back."""

    planned: CellPlanned
    began: CellBegan | None = None
    ended: CellEnded | None = None
    scored: CellScored | None = None
    is_open: bool = False

    @property
    def status(self) -> CellStatus | None:
        """What came of it; None as long as it is missing."""
        if self.ended is None or self.ended.status is CellStatus.CANCELLED:
            return None
        return self.ended.status

    @property
    def scores(self) -> CellEnded | CellScored | None:
        """Where its metrics stand, and why others do not: what was found last about the answer that it has."""
        return self.scored or self.ended


@dataclass(slots=True, kw_only=True)
class MatrixState:
    """How the cells of a matrix stand, derived from its events. `cells` holds what this run knows of, by its key and in
    the order of its plans; `current` those of the definition that was run last, `former` what was run by earlier ones
    and is no part of it any more."""

    began: MatrixBegan | None = None
    plans: dict[str, tuple[CellPlanned, ...]] = field(default_factory=dict)
    cells: dict[str, CellState] = field(default_factory=dict)
    scoring: ScoringBegan | None = None
    stopped: MatrixStopped | None = None
    limits: dict[str, int] = field(default_factory=dict)

    @property
    def current(self) -> list[CellState]:
        """The cells of the definition in their order, with those that never began."""
        plan = () if self.began is None else self.plans.get(self.began.digest, ())
        return [self.cells[planned.cell] for planned in plan]

    @property
    def former(self) -> list[CellState]:
        """Cells that were run, and that the definition does not have any more."""
        current = {state.planned.cell for state in self.current}
        return [state for key, state in self.cells.items() if key not in current and state.ended is not None]

    @property
    def better(self) -> dict[str, Better]:
        """Which numbers are the better ones, by scorer or by metric, where that was said: of what was scored anew, by
        who did that."""
        began = {} if self.began is None else self.began.better
        if self.scoring is None:
            return began
        anew = self.scoring.scorers
        return {name: one for name, one in began.items() if name.partition(".")[0] not in anew} | self.scoring.better

    def resume(self) -> None:
        """The process that ran cells is not the one that goes on: what was open is missing."""
        self.stopped = None
        self.limits.clear()
        for key, state in self.cells.items():
            if state.is_open:
                self.cells[key] = msgspec.structs.replace(state, is_open=False)

    def add(self, event: Event) -> None:
        """Take one more event, in the order of the log."""
        match event:
            case MatrixBegan():
                self.began, self.scoring = event, None
                self.limits = dict(event.caps)
            case CellsPlanned():
                self._plan(event)
            case CellBegan() | CellEnded() | CellScored():
                self._advance(event)
            case ScoringBegan():
                self.scoring = event
            case MatrixStopped():
                self.stopped = event
            case ProviderLimited() | ProviderRecovered():
                self.limits[event.provider] = event.limit

    def _plan(self, event: CellsPlanned) -> None:
        self.plans[event.digest] = event.cells
        for planned in event.cells:
            known = self.cells.get(planned.cell)
            # What an axis or a point is called is no part of what a cell is: the names of today count.
            state = CellState(planned=planned) if known is None else msgspec.structs.replace(known, planned=planned)
            self.cells[planned.cell] = state

    def _advance(self, event: CellBegan | CellEnded | CellScored) -> None:
        known = self.cells.get(event.cell)
        if known is None:
            raise ValueError(f"cell {event.cell} was run before it was planned")
        if isinstance(event, CellBegan):
            state = msgspec.structs.replace(known, began=event, is_open=True)
        elif isinstance(event, CellScored):
            state = msgspec.structs.replace(known, scored=event)
        elif event.status is CellStatus.CANCELLED and known.status is not None:
            state = msgspec.structs.replace(known, is_open=False)
        else:
            state = msgspec.structs.replace(known, ended=event, scored=None, is_open=False)
        self.cells[event.cell] = state


class SubplanState(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """How a subplan stands: begun, then ended. One that was skipped may never have begun."""

    began: SubplanBegan | None = None
    ended: SubplanEnded | None = None


class TargetState(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """How a target of a sweep stands: ranked, begun, ended."""

    ranked: RankedTarget
    began: TargetBegan | None = None
    ended: TargetEnded | None = None

    @property
    def is_open(self) -> bool:
        """Whether it is being improved."""
        return self.began is not None and self.ended is None

    @property
    def has_winner(self) -> bool:
        return self.ended is not None and self.ended.candidate is not None


@dataclass(slots=True, kw_only=True)
class SweepState:
    """How a sweep stands, derived from its events: the targets by their names, dearest first, and what became of the
    winners when they were brought together."""

    ranked: TargetsRanked | None = None
    targets: dict[str, TargetState] = field(default_factory=dict)
    merging: MergeBegan | None = None
    checks: list[MergeChecked] = field(default_factory=list)
    merged: MergeEnded | None = None

    @property
    def winners(self) -> list[TargetState]:
        """The targets that have a winner."""
        return [state for state in self.targets.values() if state.has_winner]

    def resume(self) -> None:
        """The process that worked is not the one that goes on: what was open, or skipped, is not begun."""
        for name, state in self.targets.items():
            if state.ended is None or state.ended.skipped is not None:
                self.targets[name] = TargetState(ranked=state.ranked)

    def add(self, event: Event) -> None:
        """Take one more event, in the order of the log."""
        match event:
            case TargetsRanked():
                self.ranked = event
                self.targets = {one.target: TargetState(ranked=one) for one in event.targets}
            case TargetBegan() | TargetEnded():
                self._advance(event)
            case MergeBegan():
                self.merging, self.merged = event, None
            case MergeChecked():
                self.checks.append(event)
            case MergeEnded():
                self.merged = event

    def _advance(self, event: TargetBegan | TargetEnded) -> None:
        known = self.targets.get(event.target)
        if known is None:
            raise ValueError(f"{event.target} was begun before it was ranked")
        if isinstance(event, TargetBegan):
            state = TargetState(ranked=known.ranked, began=event)
        else:
            state = TargetState(ranked=known.ranked, began=known.began, ended=event)
        self.targets[event.target] = state


@dataclass(slots=True, kw_only=True)
class Run:
    """The state of a run, derived from its events and from nothing else.

    `Run.of` folds a whole log; a reader that follows a live run keeps one and calls `add` for each new event.
    """

    id: str
    state: State = State.RUNNING
    started: datetime
    last: datetime
    events: int = 0
    start: RunStarted | None = None
    end: RunEnded | None = None
    pool: PoolOpened | None = None
    sandbox: SandboxFound | None = None
    phase: Phase | None = None
    baseline: BaselineLearned | None = None
    candidates: dict[str, CandidateState] = field(default_factory=dict)
    judging: list[str] = field(default_factory=list)
    racing: RaceBegan | None = None
    races: list[RaceEnded] = field(default_factory=list)
    profiles: dict[str | None, Profile] = field(default_factory=dict)
    prices: dict[str, PricesFound] = field(default_factory=dict)
    spent: Spent = field(default_factory=Spent)
    attempts: dict[tuple[str, int], AttemptState] = field(default_factory=dict)
    limits: list[ProviderLimited] = field(default_factory=list)
    samples: dict[str, SampleState] = field(default_factory=dict)
    chosen: SampleChosen | None = None
    matrix: MatrixState = field(default_factory=MatrixState)
    subplans: dict[str, SubplanState] = field(default_factory=dict)
    sweep: SweepState = field(default_factory=SweepState)
    warnings: list[str] = field(default_factory=list)

    @classmethod
    def of(cls, events: Iterable[Recorded]) -> Run:
        """Fold the log of one run. Raises ValueError where there is no event at all."""
        run = None
        for recorded in events:
            if run is None:
                run = cls(id=recorded.run, started=recorded.time, last=recorded.time)
            run.add(recorded)
        if run is None:
            raise ValueError("a run has at least one event")
        return run

    def add(self, recorded: Recorded) -> None:
        """Take one more event, in the order of the log."""
        self.events += 1
        self.last = recorded.time
        match recorded.event:
            case RunStarted() as event:
                # A run that is resumed starts again in the same log.
                self.start, self.end, self.state = event, None, State.RUNNING
                self.judging, self.racing, self.warnings = [], None, []
                self.spent.open.clear()
                self.matrix.resume()
                self.sweep.resume()
            case RunEnded() as event:
                self.end, self.state = event, event.state
            case PhaseBegan() as event:
                self.phase = event.phase
            case PoolOpened() as event:
                self.pool = event
            case SandboxFound() as event:
                self.sandbox = event
            case BaselineLearned() as event:
                self.baseline = event
            case Profiled() as event:
                self.profiles[event.candidate] = event.profile
            case Warned() as event:
                self.warnings.append(event.message)
            case _:
                self._add_of_models(recorded.event)
                self._add_of_candidates(recorded.event)
                self._add_of_samples(recorded.event)
                self.matrix.add(recorded.event)
                self.sweep.add(recorded.event)
                self._add_of_plans(recorded.event)

    def _add_of_plans(self, event: Event) -> None:
        match event:
            case SubplanBegan():
                self.subplans[event.subplan] = SubplanState(began=event)
            case SubplanEnded():
                known = self.subplans.get(event.subplan, SubplanState())
                self.subplans[event.subplan] = SubplanState(began=known.began, ended=event)

    def _add_of_samples(self, event: Event) -> None:
        match event:
            case SampleBegan():
                self.samples[event.sample] = SampleState(began=event)
            case SampleEnded():
                known = self.samples.get(event.sample)
                if known is None:
                    raise ValueError(f"sample {event.sample} ended before it began")
                self.samples[event.sample] = SampleState(began=known.began, ended=event)
            case SampleChosen():
                self.chosen = event

    def _add_of_models(self, event: Event) -> None:
        match event:
            case PricesFound():
                self.prices[event.model] = event
            case ProviderLimited():
                self.limits.append(event)
            case CallBegan() | CallEnded():
                self.spent.add(event)
                self._attempt(event)

    def _attempt(self, event: CallBegan | CallEnded) -> None:
        place = (event.call, event.attempt)
        if isinstance(event, CallBegan):
            self.attempts[place] = AttemptState(began=event)
            return
        known = self.attempts.get(place)
        if known is None:
            raise ValueError(f"attempt {event.attempt} at call {event.call} ended before it began")
        self.attempts[place] = AttemptState(began=known.began, ended=event)

    def _add_of_candidates(self, event: Event) -> None:
        match event:
            case CandidateProposed():
                self.candidates[event.candidate] = CandidateState(proposed=event)
            case JudgingBegan():
                self.judging.append(event.candidate)
            case RaceBegan():
                self.racing = event
            case RaceEnded():
                self.racing = None
                self.races.append(event)
            case CandidateJudged() | CandidateMeasured():
                self._judge(event)

    def _judge(self, event: CandidateJudged | CandidateMeasured) -> None:
        known = self.candidates.get(event.candidate)
        if known is None:
            raise ValueError(f"candidate {event.candidate} was judged before it was proposed")
        judged, measured = known.judged, known.measured
        if isinstance(event, CandidateJudged):
            judged = event
            self.judging = [name for name in self.judging if name != event.candidate]
        else:
            measured = event
        self.candidates[event.candidate] = CandidateState(proposed=known.proposed, judged=judged, measured=measured)
