"""How the candidates of a run stand against each other, derived from its state."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from bakeoff.events import Decision, Descent, Verdict

if TYPE_CHECKING:
    from bakeoff.events import CandidateMeasured, CandidateState, Run, SampleState

__all__ = [
    "best",
    "counts",
    "is_asked",
    "is_matrix",
    "is_sampling",
    "is_verified",
    "measured",
    "name_of",
    "ranked",
    "samples",
    "winner",
]

_ORDER: tuple[Verdict | None, ...] = (
    Verdict.VERIFIED,
    Verdict.WRONG,
    Verdict.CRASHED,
    Verdict.TIMED_OUT,
    Verdict.OVER_LIMIT,
    Verdict.INVALID,
    Verdict.ERROR,
    Verdict.DUPLICATE,
    None,
)


def is_verified(candidate: CandidateState) -> bool:
    """Whether the last verdict says so."""
    return candidate.judged is not None and candidate.judged.verdict is Verdict.VERIFIED


def is_asked(candidate: CandidateState) -> bool:
    """Whether a language model was asked for it."""
    return bool(candidate.proposed.calls) or candidate.proposed.descent is not Descent.FRESH


def is_sampling(run: Run) -> bool:
    """Whether samples are what a run was for, and not a way to candidates."""
    return bool(run.samples) and not run.candidates and run.baseline is None


def is_matrix(run: Run) -> bool:
    """Whether it ran the cells of a matrix."""
    return run.matrix.began is not None


def samples(run: Run) -> list[SampleState]:
    """All samples by their places, not by their arrival."""
    return sorted(run.samples.values(), key=lambda one: (one.began.subsample, one.began.iteration))


def measured(candidate: CandidateState) -> CandidateMeasured | None:
    """What was measured, which only counts for a candidate that is still held to be correct: timing itself, or the rest
    of the suite, may have found that it is not."""
    return candidate.measured if is_verified(candidate) else None


def winner(run: Run) -> CandidateState | None:
    """The candidate that the run ended with."""
    name = run.end.winner if run.end else None
    return next((one for one in list(run.candidates.values()) if one.proposed.name == name), None) if name else None


def best(run: Run) -> CandidateState | None:
    """The fastest so far of those that are faster for certain."""
    faster = [
        (found.speedup.estimate, candidate)
        for candidate in list(run.candidates.values())
        if (found := measured(candidate)) is not None and found.decision is Decision.FASTER
    ]
    return max(faster, key=lambda one: one[0])[1] if faster else None


def ranked(run: Run) -> list[CandidateState]:
    """All candidates: the winner, those that are verified by their speedup, and the others by what is wrong."""
    first = winner(run)

    def place(candidate: CandidateState) -> tuple[bool, int, float]:
        found = measured(candidate)
        kind = _ORDER.index(candidate.judged.verdict if candidate.judged else None)
        return candidate is not first, kind, -found.speedup.estimate if found else 0.0

    return sorted(run.candidates.values(), key=place)


def counts(run: Run) -> Counter[Verdict | None]:
    """How many candidates have which verdict; None is for those that have none yet."""
    return Counter(one.judged.verdict if one.judged else None for one in list(run.candidates.values()))


def name_of(run: Run, candidate: str) -> str:
    """What people call a candidate by."""
    known = run.candidates.get(candidate)
    return known.proposed.name if known else candidate
