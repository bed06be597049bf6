"""What calls of language models took, added up from their attempts."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from http import HTTPStatus
from typing import TYPE_CHECKING

from bakeoff.events import CallEnd, Spent
from bakeoff.report.foreign import one_line

if TYPE_CHECKING:
    from collections.abc import Iterable

    from bakeoff.events import AttemptState, CallEnded, Run

__all__ = ["Limits", "by_model", "cost", "failure", "failures", "limits", "total", "whole"]

_OVERLOADED = 529  # of Anthropic's, and no status of HTTP


def whole(run: Run, parts: Iterable[Run]) -> Run:
    """A run with the calls of those that are part of it, as if it had made them itself."""
    every = [run, *parts]
    attempts = {key: state for one in every for key, state in one.attempts.items()}
    prices = {model: price for one in every for model, price in one.prices.items()}
    return replace(run, attempts=attempts, prices=prices, limits=[limited for one in every for limited in one.limits])


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
    models: dict[str, list[AttemptState]] = {}
    for one in run.attempts.values():
        models.setdefault(one.began.model, []).append(one)
    return {model: total(attempts) for model, attempts in models.items()}


def cost(spent: Spent) -> float | None:
    """In dollars; None where a price is not known, or what was left open may have cost something, too."""
    return None if spent.unpriced or spent.open else spent.cost


def failures(attempts: Iterable[AttemptState]) -> Counter[str]:
    """How often attempts failed, by what went wrong."""
    ended = [one.ended for one in attempts if one.ended is not None]
    return Counter(failure(one) for one in ended if one.end is CallEnd.FAILED)


def failure(ended: CallEnded) -> str:
    """What went wrong with an attempt. What a provider says to an error of its own is not repeated."""
    if ended.status is None:
        return one_line(ended.error or "", 100) or "for an unknown reason"
    known = {status.value: status.phrase for status in HTTPStatus} | {_OVERLOADED: "Overloaded"}
    phrase = known.get(ended.status)
    return f"status {ended.status}, {phrase}" if phrase else f"status {ended.status}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How often a provider was asked less of, to how many calls at once at the least, and the longest pause."""

    times: int
    least: int
    longest: float


def limits(run: Run) -> dict[str, Limits]:
    """How providers were limited, in the order in which they first were."""
    found: dict[str, Limits] = {}
    for one in list(run.limits):
        before = found.get(one.provider, Limits(times=0, least=one.limit, longest=0.0))
        found[one.provider] = Limits(
            times=before.times + 1, least=min(before.least, one.limit), longest=max(before.longest, one.pause)
        )
    return found
