"""What turns an answer into numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bakeoff.matrix.cases import Task

__all__ = ["Exact", "Scorer"]


class Scorer(Protocol):
    """A way to score an answer. One object serves many cells at once and keeps nothing of any.

    `described` is all that decides its scores, as JSON. `score` gives one number, or several under names of their own,
    which stand behind that of the scorer: `judge.style`. What it raises, a number that is none included, is told as the
    reason why the answer has no such score; it is called on the event loop, which it may not block.
    """

    @property
    def name(self) -> str: ...

    def described(self) -> Mapping[str, Any]: ...

    async def score(self, answer: str, task: Task) -> float | Mapping[str, float]: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Exact:
    """1 where the answer is what was expected, but for blanks around it; 0 where it is not."""

    name: str = "exact"

    def described(self) -> Mapping[str, Any]:
        """See `Scorer`."""
        return {"kind": "exact"}

    async def score(self, answer: str, task: Task) -> float:
        """See `Scorer`."""
        return float(answer.strip() == str(task.expected).strip())
