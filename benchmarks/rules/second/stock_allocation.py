TARGET = "Warehouse.allocate"
SLOW = "lots of all articles are filtered and sorted again for each order line"
SOURCE = '''"""Allocation of orders to the lots in stock, first expiring first."""

from dataclasses import dataclass, field
from datetime import date


@dataclass
class Lot:
    sku: str
    number: str
    quantity: int
    expires: date


@dataclass
class Allocation:
    order: str
    taken: list = field(default_factory=list)
    missing: dict = field(default_factory=dict)

    @property
    def complete(self):
        return not self.missing


class Warehouse:
    def __init__(self, lots):
        self.lots = list(lots)

    def lots_of(self, sku, today):
        usable = [lot for lot in self.lots if lot.sku == sku and lot.expires > today and lot.quantity > 0]
        return sorted(usable, key=lambda lot: (lot.expires, lot.number))

    def available(self, sku, today):
        return sum(lot.quantity for lot in self.lots_of(sku, today))

    def allocate(self, orders, today):
        """Take what the orders, pairs of a number and a list of (sku, quantity), ask for. Stock is reduced."""
        allocations = []
        for number, lines in orders:
            allocation = Allocation(number)
            for sku, wanted in lines:
                while wanted > 0 and self.available(sku, today) > 0:
                    lot = self.lots_of(sku, today)[0]
                    amount = min(wanted, lot.quantity)
                    lot.quantity -= amount
                    wanted -= amount
                    allocation.taken.append((sku, lot.number, amount))
                if wanted > 0:
                    allocation.missing[sku] = allocation.missing.get(sku, 0) + wanted
            allocations.append(allocation)
        return allocations
'''
TESTS = """from datetime import date, timedelta

import pytest

from project.module import Lot, Warehouse

TODAY = date(2022, 5, 1)


@pytest.fixture
def warehouse():
    return Warehouse(
        [
            Lot("milk", "M2", 10, date(2022, 5, 9)),
            Lot("milk", "M1", 5, date(2022, 5, 4)),
            Lot("milk", "M0", 7, date(2022, 5, 1)),
            Lot("bread", "B1", 3, date(2022, 5, 3)),
        ]
    )


def test_available(warehouse):
    assert warehouse.available("milk", TODAY) == 15
    assert warehouse.available("tea", TODAY) == 0


def test_first_expiring_first(warehouse):
    (allocation,) = warehouse.allocate([("A", [("milk", 7)])], TODAY)
    assert allocation.taken == [("milk", "M1", 5), ("milk", "M2", 2)]
    assert allocation.complete
    assert warehouse.available("milk", TODAY) == 8


def test_missing(warehouse):
    first, second = warehouse.allocate([("A", [("bread", 2)]), ("B", [("bread", 4), ("tea", 1)])], TODAY)
    assert first.complete
    assert second.taken == [("bread", "B1", 1)]
    assert second.missing == {"bread": 3, "tea": 1}


def test_nothing_ordered(warehouse):
    (allocation,) = warehouse.allocate([("A", [])], TODAY)
    assert allocation.taken == []
    assert allocation.complete


def test_many_orders():
    lots = [Lot("s%d" % (n % 15), "L%03d" % n, 10, TODAY + timedelta(days=1 + n * 7 % 40)) for n in range(150)]
    orders = [("O%d" % n, [("s%d" % (n % 15), 4), ("s%d" % (n * 2 % 15), 9)]) for n in range(60)]
    warehouse = Warehouse(lots)
    allocations = warehouse.allocate(orders, TODAY)
    assert all(allocation.complete for allocation in allocations)
    assert sum(lot.quantity for lot in lots) == 1500 - 60 * 13
"""
