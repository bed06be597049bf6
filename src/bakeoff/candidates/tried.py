"""A candidate and what has become of it, as far as that is known."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bakeoff.events import Decision, Verdict

if TYPE_CHECKING:
    from bakeoff.candidates.changes import Candidate
    from bakeoff.events import CandidateJudged, CandidateMeasured

__all__ = ["Tried"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Tried:
    """A candidate with its verdict, and with its measurement where it was timed."""

    candidate: Candidate
    judged: CandidateJudged
    measured: CandidateMeasured | None = None

    @property
    def is_verified(self) -> bool:
        return self.judged.verdict is Verdict.VERIFIED

    @property
    def is_faster(self) -> bool:
        return self.is_verified and self.measured is not None and self.measured.decision is Decision.FASTER

    @property
    def speedup(self) -> float:
        """The estimate; 1 where there is none."""
        if self.measured is None or self.measured.speedup is None:
            return 1.0
        return self.measured.speedup.estimate
