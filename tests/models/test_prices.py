"""What calls cost: dated, given prices first, and never 0 for what is not known (M8)."""

from __future__ import annotations

import subprocess
import sys
from datetime import UTC, datetime
from importlib import metadata

import pytest
from genai_prices import Usage as Counted
from genai_prices import data_snapshot
from hypothesis import given
from hypothesis import strategies as st

from bakeoff.errors import UsageError
from bakeoff.models import Prices, Rates, Usage
from bakeoff.models.prices import _TABLE

NOW = datetime(2026, 11, 19, 12, 0, tzinfo=UTC)
PRICES = Prices(clock=lambda: NOW)
USAGE = Usage(tokens_in=1_000_000, tokens_out=1_000_000)


@pytest.mark.promise("M8")
def test_the_table_knows_common_models_and_says_as_of_when():
    for model in (
        "openai:gpt-4o",
        "openai-responses:gpt-4o",
        "anthropic:claude-sonnet-4-5",
        "mistral:mistral-large-latest",
    ):
        rates = PRICES.rates(model)
        assert rates is not None, model
        assert rates.date == "2026-11-19"
        assert rates.origin == f"genai-prices {metadata.version('genai-prices')}"
        assert PRICES.cost(model, Usage(tokens_in=1000, tokens_out=1000)) == pytest.approx(
            (rates.tokens_in + rates.tokens_out) / 1000
        )


@pytest.mark.promise("M8")
@pytest.mark.parametrize(
    "model", ["openai:gpt-77-ultra", "openai-compatible:gpt-4o", "ollama:gpt-4o", "nobody:gpt-4o", "gpt-4o", ""]
)
def test_a_price_that_is_not_known_is_none_and_never_0(model: str):
    """Who serves a model by the name of another's has prices of their own."""
    assert PRICES.rates(model) is None
    assert PRICES.cost(model, USAGE) is None
    assert PRICES.cost(model, Usage()) is None


@pytest.mark.promise("M8")
def test_what_is_given_goes_before_the_table():
    prices = Prices({"openai:gpt-4o": Rates(tokens_in=1, tokens_out=2, date="2026-01-01")}, clock=lambda: NOW)
    assert prices.cost("openai:gpt-4o", USAGE) == 3
    rates = prices.rates("openai:gpt-4o")
    assert rates is not None
    assert (rates.origin, rates.date) == ("given", "2026-01-01")


def test_what_is_cached_has_its_own_price_where_one_is_said():
    usage = Usage(tokens_in=1_000_000, tokens_out=0, cached=400_000)
    assert Rates(tokens_in=10, tokens_out=0).cost(usage) == pytest.approx(10)
    assert Rates(tokens_in=10, tokens_out=0, tokens_cached=1).cost(usage) == pytest.approx(6.4)
    # A provider that counts more cached tokens than tokens does not earn us money.
    assert Rates(tokens_in=10, tokens_out=0, tokens_cached=1).cost(Usage(tokens_in=1, cached=9)) == pytest.approx(1e-6)


@pytest.mark.parametrize("wrong", [-1.0, float("nan"), float("inf")])
def test_a_price_that_cannot_be_is_a_usage_error(wrong: float):
    with pytest.raises(UsageError, match="a price is a number of dollars from 0 up"):
        Rates(tokens_in=1.0, tokens_out=wrong)


def listed() -> list[tuple[str, str]]:
    """All models of our providers in the table, as we and as the table name them."""
    providers = {provider.id: provider for provider in data_snapshot.get_snapshot().providers}
    return [
        (f"{ours}:{model.id}", theirs)
        for ours, theirs in _TABLE.items()
        for model in providers[theirs].models
        if providers[theirs].find_model(model.id) is not None  # some names are of no pattern, not even their own
    ]


USAGES = st.integers(0, 400_000).flatmap(
    lambda tokens: st.builds(
        Usage, tokens_in=st.just(tokens), tokens_out=st.integers(0, 200_000), cached=st.integers(0, tokens)
    )
)


@given(model=st.sampled_from(listed()), usage=USAGES)
def test_costs_are_those_of_the_table_also_where_long_prompts_cost_more(model: tuple[str, str], usage: Usage):
    name, provider = model
    cost = PRICES.cost(name, usage)
    counted = Counted(input_tokens=usage.tokens_in, output_tokens=usage.tokens_out, cache_read_tokens=usage.cached)
    theirs = data_snapshot.get_snapshot().calc(counted, name.partition(":")[2], provider, None, NOW)
    rates = PRICES.rates(name)
    assert (cost is None) is (rates is None)
    if cost is not None:
        assert cost == pytest.approx(float(theirs.total_price), abs=1e-12)


def test_without_the_table_only_given_prices_are_known():
    code = """
import sys
sys.modules["genai_prices"] = None
from bakeoff.models import Prices, Rates, Usage
prices = Prices({"openai:a": Rates(tokens_in=1, tokens_out=1)})
print(prices.cost("openai:gpt-4o", Usage(tokens_in=1)), prices.cost("openai:a", Usage(tokens_in=1_000_000)))
"""
    done = subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "None 1.0\n"
