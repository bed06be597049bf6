TARGET = "cheapest"
SLOW = "nothing much"
SOURCE = '''"""Shipping prices by weight and zone."""

from bisect import bisect_left
from dataclasses import dataclass
from typing import NamedTuple


class Offer(NamedTuple):
    cents: int
    carrier: str
    days: int


@dataclass(frozen=True)
class Carrier:
    name: str
    days: int
    limits: tuple  # of the weights, in grams, rising
    prices: dict  # zone -> prices for these limits

    def offer(self, grams, zone):
        prices = self.prices.get(zone)
        if prices is None:
            return None
        step = bisect_left(self.limits, grams)
        if step == len(self.limits):
            return None
        return Offer(prices[step], self.name, self.days)


def cheapest(parcels, carriers):
    """The best offer for each parcel, a pair of grams and zone; None where nobody takes it."""
    known = {}
    for parcel in parcels:
        if parcel not in known:
            grams, zone = parcel
            offers = (carrier.offer(grams, zone) for carrier in carriers)
            known[parcel] = min((offer for offer in offers if offer is not None), default=None)
    return [known[parcel] for parcel in parcels]
'''
TESTS = """from project.module import Carrier, Offer, cheapest

POST = Carrier("post", 3, (500, 2000), {"at": (300, 500), "eu": (700, 1300)})
FAST = Carrier("fast", 1, (1000, 30000), {"at": (450, 900)})


def test_cheapest():
    assert cheapest([(400, "at"), (600, "at")], [POST, FAST]) == [Offer(300, "post", 3), Offer(450, "fast", 1)]


def test_limits():
    assert cheapest([(500, "eu"), (501, "eu")], [POST]) == [Offer(700, "post", 3), Offer(1300, "post", 3)]


def test_nobody():
    assert cheapest([(40000, "at"), (1, "us")], [POST, FAST]) == [None, None]


def test_nothing():
    assert cheapest([], [POST]) == []
    assert cheapest([(1, "at")], []) == [None]


def test_many():
    parcels = [(n * 37 % 2500, ("at", "eu")[n % 2]) for n in range(600)]
    offers = cheapest(parcels, [POST, FAST])
    assert len(offers) == 600
    assert sum(offer is None for offer in offers) == 56
"""
