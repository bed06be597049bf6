"""What can happen, and how it is written down.

The name on the wire is `tag.version` (`candidate-judged.1`). A tag is never reused and a version never changes
its meaning: a new shape gets a new version, the old class stays under its old name, and its `upgraded` method
turns it into the new one, so that every log ever written stays readable. A field with a default may be added to a
version: in old logs it has the default, and older readers pass over it. A log written by a newer Bakeoff may
hold events that this one does not know; those are read as `Unknown` and passed over by folds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import msgspec

from bakeoff.events.values import (
    Better,
    CallEnd,
    CellPlanned,
    CellStatus,
    Decision,
    Descent,
    Difference,
    Evidence,
    Kept,
    MergeConflict,
    MergeDropped,
    MergeStep,
    Phase,
    Profile,
    RankedTarget,
    RequirementAsked,
    Speedup,
    State,
    StopCause,
    SubplanEnd,
    TestFailure,
    Text,
    Verdict,
)

if TYPE_CHECKING:
    from datetime import datetime

__all__ = [
    "BaselineLearned",
    "CallBegan",
    "CallEnded",
    "CandidateJudged",
    "CandidateMeasured",
    "CandidateProposed",
    "CellBegan",
    "CellEnded",
    "CellScored",
    "CellsPlanned",
    "Event",
    "JudgingBegan",
    "MatrixBegan",
    "MatrixStopped",
    "MergeBegan",
    "MergeChecked",
    "MergeEnded",
    "PhaseBegan",
    "PoolOpened",
    "PricesFound",
    "Profiled",
    "ProviderLimited",
    "ProviderRecovered",
    "RaceBegan",
    "RaceEnded",
    "Recorded",
    "RunEnded",
    "RunStarted",
    "SampleBegan",
    "SampleChosen",
    "SampleEnded",
    "SandboxFound",
    "ScoringBegan",
    "SubplanBegan",
    "SubplanEnded",
    "TargetBegan",
    "TargetEnded",
    "TargetsRanked",
    "Unknown",
    "Warned",
    "decode",
    "encode",
]


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
