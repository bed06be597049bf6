"""What calls cost: by the table that comes with `genai-prices`, and by what the user says instead.

Nothing is fetched from anywhere: the table is as old as the package. A price that is not known is None, never 0.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from functools import cache
from importlib import metadata
from typing import TYPE_CHECKING, Final

from bakeoff.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from genai_prices.types import ModelInfo, Provider, TieredPrices

    from bakeoff.models.exchange import Usage

__all__ = ["Prices", "Rates"]

_MILLION: Final = 1_000_000

# Our providers, as the table names them; it would find "openai" in "openai-compatible", too. Of those that are not
# here, nobody knows whose models they serve.
_TABLE: Final = {
    "anthropic": "anthropic",
    "google": "google",
    "mistral": "mistral",
    "openai": "openai",
    "openai-responses": "openai",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Rates:
    """Dollars for a million tokens, as of a day; what is read from a cache costs the same where nothing is said."""

    tokens_in: float
    tokens_out: float
    tokens_cached: float | None = None
    date: str = ""
    origin: str = "given"

    def __post_init__(self) -> None:
        for rate in (self.tokens_in, self.tokens_out, self.tokens_cached):
            if rate is not None and not 0 <= rate < math.inf:
                raise UsageError(f"a price is a number of dollars from 0 up, not {rate}")

    def cost(self, usage: Usage) -> float:
        """Dollars for so many tokens."""
        cached = min(usage.cached, usage.tokens_in)
        of_cached = self.tokens_in if self.tokens_cached is None else self.tokens_cached
        dollars = (usage.tokens_in - cached) * self.tokens_in + cached * of_cached + usage.tokens_out * self.tokens_out
        return dollars / _MILLION


def _utc_now() -> datetime:
    return datetime.now(UTC)


class Prices:
    """Costs by model. What is `given` goes before the table: {"openai:gpt-x": Rates(tokens_in=0.5, tokens_out=2)}."""

    def __init__(self, given: Mapping[str, Rates] | None = None, *, clock: Callable[[], datetime] = _utc_now) -> None:
        self._given = dict(given or {})
        self._clock = clock
        self._found: dict[str, tuple[Provider, ModelInfo] | None] = {}

    def rates(self, model: str) -> Rates | None:
        """What is known of a model, `provider:name`. Where long prompts cost more, this is the rate of short ones."""
        if model in self._given:
            return self._given[model]
        listed = self._listed(model)
        return None if listed is None else _rates_of(listed[1], self._clock())

    def cost(self, model: str, usage: Usage) -> float | None:
        """Dollars for so many tokens, as they were used in one attempt."""
        if model in self._given:
            return self._given[model].cost(usage)
        listed, now = self._listed(model), self._clock()
        rates = None if listed is None else _rates_of(listed[1], now)
        if listed is None or rates is None:
            return None
        return rates.cost(usage) if _is_flat(listed[1], now) else _cost_by_table(*listed, usage, now)

    def _listed(self, model: str) -> tuple[Provider, ModelInfo] | None:
        if model not in self._found:
            provider, _, name = model.partition(":")
            listed_as = _TABLE.get(provider)
            self._found[model] = _look_up(listed_as, name) if listed_as else None
        return self._found[model]


def _look_up(provider: str, name: str) -> tuple[Provider, ModelInfo] | None:
    try:
        from genai_prices import data_snapshot  # noqa: PLC0415 (optional, and a large table)
    except ImportError:
        return None
    try:
        return data_snapshot.get_snapshot().find_provider_model(name, None, provider, None)
    except LookupError:
        return None


def _rates_of(model: ModelInfo, now: datetime) -> Rates | None:
    """A model that has no price for tokens in, or for tokens out, has none that we could use."""
    prices = model.get_prices(now)
    tokens_in, tokens_out = _base(prices.input_mtok), _base(prices.output_mtok)
    if tokens_in is None or tokens_out is None:
        return None
    return Rates(
        tokens_in=tokens_in,
        tokens_out=tokens_out,
        tokens_cached=_base(prices.cache_read_mtok),
        date=f"{now:%Y-%m-%d}",
        origin=_origin(),
    )


@cache
def _origin() -> str:
    return f"genai-prices {metadata.version('genai-prices')}"


def _is_flat(model: ModelInfo, now: datetime) -> bool:
    """Whether tokens cost the same however many there are; then the table's own way, which is slow, is not needed."""
    prices = model.get_prices(now)
    each = (prices.input_mtok, prices.output_mtok, prices.cache_read_mtok)
    return all(price is None or isinstance(price, Decimal) for price in each) and prices.requests_kcount is None


def _base(price: Decimal | TieredPrices | None) -> float | None:
    """Prices that depend on the length of the prompt have a base."""
    if price is None:
        return None
    return float(price if isinstance(price, Decimal) else price.base)


def _cost_by_table(provider: Provider, model: ModelInfo, usage: Usage, now: datetime) -> float:
    from genai_prices import Usage as Counted  # noqa: PLC0415 (see _look_up)

    counted = Counted(
        input_tokens=usage.tokens_in,
        output_tokens=usage.tokens_out,
        cache_read_tokens=min(usage.cached, usage.tokens_in),
    )
    return float(model.calc_price(counted, provider, genai_request_timestamp=now).total_price)
