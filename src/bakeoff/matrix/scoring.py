"""Answers scored: what each scorer gives, and why others give nothing."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bakeoff.errors import BakeoffError, StoreError
from bakeoff.models.tally import tallied

if TYPE_CHECKING:
    from collections.abc import Iterable

    from bakeoff.matrix.cases import Task
    from bakeoff.matrix.scorers import Scorer

__all__ = ["Scores", "scored", "words_of"]

_LONGEST = 2000


@dataclass(frozen=True, slots=True, kw_only=True)
class Scores:
    """What scorers gave for an answer, by name, and why others gave nothing; what they spent, None where a price is not
    known."""

    metrics: Mapping[str, float]
    unscored: Mapping[str, str]
    cost: float | None = 0.0


async def scored(answer: str, task: Task, scorers: Iterable[Scorer]) -> Scores:
    """Ask each scorer. What one raises says why it gave nothing; only what the store raises comes out."""
    metrics: dict[str, float] = {}
    unscored: dict[str, str] = {}
    with tallied() as tally:
        for scorer in scorers:
            try:
                metrics |= _named(scorer.name, await scorer.score(answer, task))
            except StoreError:
                raise
            except Exception as error:  # noqa: BLE001 (whatever a scorer raises; it is told)
                unscored[scorer.name] = words_of(error)
    return Scores(metrics=metrics, unscored=unscored, cost=tally.cost)


def _named(scorer: str, given: float | Mapping[str, float]) -> dict[str, float]:
    parts = {f"{scorer}.{name}": one for name, one in given.items()} if isinstance(given, Mapping) else {scorer: given}
    made = {name: float(one) for name, one in parts.items()}
    for name, one in made.items():
        if not math.isfinite(one):
            raise ValueError(f"{name} is {one}, which is no number")
    return made


def words_of(error: BaseException) -> str:
    """What went wrong, as it can be recorded."""
    said = error.message if isinstance(error, BakeoffError) else str(error)
    kind = "" if isinstance(error, BakeoffError) else type(error).__name__
    text = f"{kind}: {said}" if kind and said else kind or said
    text = text.encode("utf-8", "replace").decode()
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
