KIND = "wrong"
FLAW = "rounding: the total is rounded instead of each charge"
TARGET = "costs"
WITNESS = 'costs([Charge("a", 3.01), Charge("a", 3.01)])'
BASELINE = '''"""What it costs to charge electric cars."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Charge:
    """A car that was charged with so many kilowatt-hours."""

    car: str
    energy: float


def costs(charges: list[Charge], *, price: float = 0.4, fee: float = 0.0) -> dict[str, float]:
    """What each car has to pay, cars in the order they first came. Each charge is billed in whole cents."""
    if price < 0 or fee < 0:
        raise ValueError("electricity is not given away")
    bills: dict[str, list[float]] = {}
    for charge in charges:
        if charge.energy < 0:
            raise ValueError(f"{charge.car} gave energy back")
        bills[charge.car] = bills.get(charge.car, []) + [round(charge.energy * price + fee, 2)]
    return {car: round(sum(bill), 2) for car, bill in bills.items()}
'''
CANDIDATE = '''"""What it costs to charge electric cars."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Charge:
    """A car that was charged with so many kilowatt-hours."""

    car: str
    energy: float


def costs(charges: list[Charge], *, price: float = 0.4, fee: float = 0.0) -> dict[str, float]:
    """What each car has to pay, cars in the order they first came. Each charge is billed in whole cents."""
    if price < 0 or fee < 0:
        raise ValueError("electricity is not given away")
    totals: dict[str, float] = {}
    for charge in charges:
        if charge.energy < 0:
            raise ValueError(f"{charge.car} gave energy back")
        totals[charge.car] = totals.get(charge.car, 0.0) + charge.energy * price + fee
    return {car: round(total, 2) for car, total in totals.items()}
'''
TESTS = """import pytest

from project.module import Charge, costs


def test_one_car():
    assert costs([Charge("B-X 1", 12.5)]) == {"B-X 1": 5.0}


def test_two_cars():
    charges = [Charge("B-X 1", 10.0), Charge("M-Y 2", 40.0), Charge("B-X 1", 2.2)]
    assert list(costs(charges).items()) == [("B-X 1", 4.88), ("M-Y 2", 16.0)]


def test_another_price():
    assert costs([Charge("a", 20.0), Charge("a", 5.5)], price=0.5) == {"a": 12.75}


def test_a_fee_for_each_charge():
    assert costs([Charge("a", 10.0), Charge("a", 30.0)], fee=1.5) == {"a": 19.0}


def test_cents_are_rounded():
    assert costs([Charge("a", 33.333)]) == {"a": 13.33}


def test_no_charges():
    assert costs([]) == {}


def test_what_cannot_be():
    with pytest.raises(ValueError, match="gave energy back"):
        costs([Charge("a", -1.0)])
    with pytest.raises(ValueError, match="given away"):
        costs([], price=-0.1)
"""
