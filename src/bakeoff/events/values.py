"""What events are made of: names for how things stand or end, and what was found out."""

from __future__ import annotations

import enum
from dataclasses import dataclass

import msgspec

__all__ = [
    "Better",
    "CallEnd",
    "CellPlanned",
    "CellStatus",
    "Decision",
    "Descent",
    "Difference",
    "Evidence",
    "Kept",
    "MergeConflict",
    "MergeDropped",
    "MergeStep",
    "Phase",
    "Profile",
    "ProfiledFunction",
    "ProfiledLine",
    "RankedTarget",
    "RequirementAsked",
    "Speedup",
    "State",
    "StopCause",
    "SubplanEnd",
    "TestFailure",
    "TestOutcome",
    "Text",
    "Verdict",
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
