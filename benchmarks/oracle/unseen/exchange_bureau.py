KIND = "wrong"
FLAW = "a stale cache: a new quote leaves the rates that were worked out by way of it"
TARGET = "Bureau.rate"
WITNESS = (
    "(bureau := Bureau(), bureau.quote('EUR', 'USD', 1.25), bureau.quote('USD', 'JPY', 100.0), "
    "bureau.rate('EUR', 'JPY'), bureau.quote('USD', 'JPY', 200.0), bureau.rate('EUR', 'JPY'))[1:]"
)
BASELINE = '''"""Rates at a bureau de change."""

from __future__ import annotations


class NoRate(LookupError):
    """The bureau cannot change these."""


class Bureau:
    """What it has been told, and what follows from that."""

    def __init__(self) -> None:
        self._quotes: dict[tuple[str, str], float] = {}

    def quote(self, source: str, target: str, rate: float) -> None:
        """From now on, one of the source is worth that much of the target."""
        if not rate > 0:
            raise ValueError(f"no rate: {rate}")
        self._quotes[source, target] = rate

    def _told(self, source: str, target: str) -> float | None:
        if source == target:
            return 1.0
        if (source, target) in self._quotes:
            return self._quotes[source, target]
        if (target, source) in self._quotes:
            return 1 / self._quotes[target, source]
        return None

    def rate(self, source: str, target: str) -> float:
        """The rate as told, or the other way round, or by way of the first currency that leads there."""
        rate = self._told(source, target)
        if rate is not None:
            return rate
        for pair in self._quotes:
            for between in pair:
                first, second = self._told(source, between), self._told(between, target)
                if first is not None and second is not None:
                    return first * second
        raise NoRate(f"{source} to {target}")
'''
CANDIDATE = '''"""Rates at a bureau de change."""

from __future__ import annotations


class NoRate(LookupError):
    """The bureau cannot change these."""


class Bureau:
    """What it has been told, and what follows from that."""

    def __init__(self) -> None:
        self._quotes: dict[tuple[str, str], float] = {}
        self._known: dict[tuple[str, str], float] = {}

    def quote(self, source: str, target: str, rate: float) -> None:
        """From now on, one of the source is worth that much of the target."""
        if not rate > 0:
            raise ValueError(f"no rate: {rate}")
        self._quotes[source, target] = rate
        self._known.pop((source, target), None)
        self._known.pop((target, source), None)

    def _told(self, source: str, target: str) -> float | None:
        if source == target:
            return 1.0
        if (source, target) in self._quotes:
            return self._quotes[source, target]
        if (target, source) in self._quotes:
            return 1 / self._quotes[target, source]
        return None

    def rate(self, source: str, target: str) -> float:
        """The rate as told, or the other way round, or by way of the first currency that leads there."""
        known = self._known.get((source, target))
        if known is None:
            known = self._known[source, target] = self._search(source, target)
        return known

    def _search(self, source: str, target: str) -> float:
        rate = self._told(source, target)
        if rate is not None:
            return rate
        for pair in self._quotes:
            for between in pair:
                first, second = self._told(source, between), self._told(between, target)
                if first is not None and second is not None:
                    return first * second
        raise NoRate(f"{source} to {target}")
'''
TESTS = """import pytest

from project.module import Bureau, NoRate


@pytest.fixture
def bureau():
    bureau = Bureau()
    bureau.quote("EUR", "USD", 1.25)
    bureau.quote("USD", "JPY", 100.0)
    return bureau


def test_as_told(bureau):
    assert bureau.rate("EUR", "USD") == 1.25


def test_the_other_way_round(bureau):
    assert bureau.rate("USD", "EUR") == 0.8


def test_by_way_of_another(bureau):
    assert bureau.rate("EUR", "JPY") == 125.0


def test_the_same_currency(bureau):
    assert bureau.rate("CHF", "CHF") == 1.0


def test_a_new_quote_replaces_the_old(bureau):
    assert bureau.rate("USD", "EUR") == 0.8
    bureau.quote("EUR", "USD", 2.0)
    assert bureau.rate("EUR", "USD") == 2.0
    assert bureau.rate("USD", "EUR") == 0.5


def test_what_is_told_goes_before_what_follows(bureau):
    assert bureau.rate("EUR", "JPY") == 125.0
    bureau.quote("EUR", "JPY", 124.0)
    assert bureau.rate("EUR", "JPY") == 124.0


def test_no_rate_until_there_is_one(bureau):
    with pytest.raises(NoRate, match="EUR to CHF"):
        bureau.rate("EUR", "CHF")
    bureau.quote("CHF", "EUR", 0.5)
    assert bureau.rate("EUR", "CHF") == 2.0


@pytest.mark.parametrize("rate", [0, -1.5, float("nan")])
def test_impossible_quotes(bureau, rate):
    with pytest.raises(ValueError, match="no rate"):
        bureau.quote("EUR", "USD", rate)
"""
