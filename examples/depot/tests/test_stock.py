from datetime import timedelta

import pytest
from depot.stock import Item, Lot, Movement, Shortage, idle, lots, on_hand, to_reorder
from things import DAY, some_items, some_lots, some_movements


def moved(sku, quantity, shelf="S01", day=0, expires=None):
    return Movement(sku, shelf, quantity, DAY + timedelta(days=day), expires)


def test_lots():
    found = lots([moved("A", 5), moved("B", 2), moved("A", 1), moved("A", 3, shelf="S02"), moved("B", -2)])
    assert found == [Lot("A", "S01", 6), Lot("A", "S02", 3)]


def test_lots_of_two_deliveries():
    found = lots([moved("A", 5, expires=DAY), moved("A", 4), moved("A", -1)])
    assert found == [Lot("A", "S01", 5, DAY), Lot("A", "S01", 3)]


def test_more_than_there_is():
    with pytest.raises(Shortage, match="3 of A taken from S01, where 2 are"):
        lots([moved("A", 2), moved("A", -3)])


def test_many_lots():
    found = lots(some_movements(some_items(60), 200))
    assert len(found) == 200
    assert sum(lot.quantity for lot in found) == 1900


def test_on_hand():
    stock = [Lot("A", "S01", 5), Lot("B", "S01", 1, DAY - timedelta(days=1)), Lot("A", "S02", 2, DAY)]
    assert on_hand(stock) == {"A": 7, "B": 1}
    assert on_hand(stock, DAY) == {"A": 7}
    assert on_hand(stock, DAY + timedelta(days=1)) == {"A": 5}


def test_what_is_reordered():
    items = [
        Item("A", "axe", 1, reorder_at=3),
        Item("B", "brush", 1),
        Item("C", "cup", 1, reorder_at=0),
        Item("D", "disc", 1, reorder_at=1),
    ]
    stock = [Lot("A", "S01", 3), Lot("D", "S01", 2)]
    assert to_reorder(items, stock) == [(items[2], 0), (items[0], 3)]


def test_much_is_reordered():
    items = some_items(150)
    found = to_reorder(items, some_lots(items, 170))
    assert len(found) == 80
    names = [item.name for item, count in found if count > 0]
    assert names == sorted(names)


def test_idle_items():
    movements = [moved("A", 5), moved("B", 5), moved("A", -1, day=3), moved("C", 1), moved("B", -1, day=1)]
    assert idle(movements, DAY + timedelta(days=2)) == ["B", "C"]
    assert idle([], DAY) == []


def test_many_idle_items():
    found = idle(some_movements(some_items(300), 600), DAY + timedelta(days=200))
    assert len(found) == 150
