"""What calls of language models took, added up from their attempts: for a run, for a model, for a candidate."""

from __future__ import annotations

from collections import Counter
from http import HTTPStatus
from typing import TYPE_CHECKING

from bakeoff.events import CallEnd, Spent
from bakeoff.report.foreign import one_line

if TYPE_CHECKING:
    from collections.abc import Iterable

    from bakeoff.events import AttemptState, CallEnded, Run

__all__ = ["by_model", "cost", "failures", "total"]


def total(attempts: Iterable[AttemptState]) -> Spent:
    """What these attempts took. Beside what `Run.spent` says of a whole run, those without an end stay open: a run that
    goes on has lost sight of them, but they may have cost something all the same."""
    spent = Spent()
    for one in attempts:
        spent.add(one.began)
        if one.ended is not None:
            spent.add(one.ended)
    return spent


def by_model(run: Run) -> dict[str, Spent]:
    """The same for each model, in the order in which they were first called."""
    models = dict.fromkeys(one.began.model for one in run.attempts.values())
    return {model: total(one for one in run.attempts.values() if one.began.model == model) for model in models}


def cost(spent: Spent) -> float | None:
    """In dollars; None where a price is not known, or what was left open may have cost something, too."""
    return None if spent.unpriced or spent.open else spent.cost


def failures(run: Run) -> Counter[str]:
    """How often attempts failed, by what went wrong. What a provider says to an error of its own is not repeated."""
    ended = [one.ended for one in run.attempts.values() if one.ended is not None]
    return Counter(_kind(one) for one in ended if one.end is CallEnd.FAILED)


def _kind(ended: CallEnded) -> str:
    if ended.status is None:
        return one_line(ended.error or "for an unknown reason", 100)
    phrase = HTTPStatus(ended.status).phrase if ended.status in list(HTTPStatus) else ""
    return f"status {ended.status}" + (f", {phrase}" if phrase else "")
