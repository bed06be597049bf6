"""What a matrix will take, as far as that can be known before it is run."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, replace
from statistics import fmean
from typing import TYPE_CHECKING

from bakeoff.events import CallEnd
from bakeoff.matrix.cases import question
from bakeoff.models import ProviderSettings, Usage
from bakeoff.models.model import estimated_tokens

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from bakeoff.events import AttemptState
    from bakeoff.matrix.definition import Cell, Definition
    from bakeoff.models import Prices

__all__ = ["Expected", "Habit", "expected", "habits"]

_SCORE_TOKENS = 256  # of a judge's answer


@dataclass(frozen=True, slots=True, kw_only=True)
class Habit:
    """What an answer of a model took on the average: seconds, and tokens."""

    seconds: float
    tokens_out: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Expected:
    """What a matrix will take. `calls` and what is `most` are upper bounds, but for attempts that fail: every answer as
    long as it may be. `cost` and `seconds` are what it comes to where models go on as they did before; both are None
    where that is not known, as is what has no price."""

    cells: int
    calls: int
    by_model: Mapping[str, int]
    tokens_in: int
    most_tokens_out: int
    most_cost: float | None
    tokens_out: int | None = None
    cost: float | None = None
    seconds: float | None = None


def habits(attempts: Iterable[AttemptState]) -> dict[str, Habit]:
    """How models answered, by what was recorded."""
    done = defaultdict(list)
    for one in attempts:
        if one.ended is not None and one.ended.end is CallEnd.DONE:
            done[one.began.model].append(one.ended)
    return {
        model: Habit(seconds=fmean(one.seconds for one in ends), tokens_out=fmean(one.tokens_out for one in ends))
        for model, ends in done.items()
    }


@dataclass(slots=True, kw_only=True)
class _Taken:
    calls: int = 0
    tokens_in: int = 0
    most_out: int = 0


def expected(definition: Definition, cells: Iterable[Cell], *, prices: Prices, known: Mapping[str, Habit]) -> Expected:
    """What these cells of it will take, by prices and by what is known of how models answer."""
    taken: dict[str, _Taken] = defaultdict(_Taken)
    count = 0
    for cell in cells:
        count += 1
        if cell.model is not None:
            messages = question(cell.task, cell.settings, cell.values)
            asked = sum(estimated_tokens(message.content) for message in messages)
            _take(taken[cell.model], cell.strategy.calls, asked, cell.settings.max_tokens)
        for scorer in definition.scorers:
            for model in scorer.models:
                _take(taken[model], 1, estimated_tokens(cell.task.prompt) + _SCORE_TOKENS, _SCORE_TOKENS)
    most = [prices.cost(model, Usage(tokens_in=one.tokens_in, tokens_out=one.most_out)) for model, one in taken.items()]
    made = Expected(
        cells=count,
        calls=sum(one.calls for one in taken.values()),
        by_model={model: one.calls for model, one in taken.items()},
        tokens_in=sum(one.tokens_in for one in taken.values()),
        most_tokens_out=sum(one.most_out for one in taken.values()),
        most_cost=_sum(most),
    )
    return made if not set(taken) <= set(known) else _with_habits(made, definition, taken, prices=prices, known=known)


def _take(taken: _Taken, calls: int, tokens_in: int, tokens_out: int) -> None:
    taken.calls += calls
    taken.tokens_in += calls * tokens_in
    taken.most_out += calls * tokens_out


def _with_habits(
    made: Expected,
    definition: Definition,
    taken: Mapping[str, _Taken],
    *,
    prices: Prices,
    known: Mapping[str, Habit],
) -> Expected:
    out = {model: min(one.most_out, round(one.calls * known[model].tokens_out)) for model, one in taken.items()}
    costs = [prices.cost(model, Usage(tokens_in=one.tokens_in, tokens_out=out[model])) for model, one in taken.items()]
    busy: dict[str, float] = defaultdict(float)
    for model, one in taken.items():
        busy[model.partition(":")[0]] += one.calls * known[model].seconds
    caps = {name: definition.providers.get(name, ProviderSettings()).concurrency for name in busy}
    return replace(
        made,
        tokens_out=sum(out.values()),
        cost=_sum(costs),
        seconds=max((seconds / caps[name] for name, seconds in busy.items()), default=0.0),
    )


def _sum(costs: list[float | None]) -> float | None:
    known = [cost for cost in costs if cost is not None]
    return sum(known) if len(known) == len(costs) else None
