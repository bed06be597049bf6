from datetime import timedelta

from depot.allocation import Missing, Pick, allocate, complete, shelves
from depot.orders import Line, Order
from depot.stock import Lot
from things import DAY, some_items, some_lots, some_orders


def order(number, *lines, express=False):
    return Order(number, DAY, "ada", tuple(Line(*line) for line in lines), express)


def test_what_expires_first_goes_first():
    soon, late = DAY + timedelta(days=3), DAY + timedelta(days=9)
    stock = [Lot("A", "S01", 5), Lot("A", "S02", 2, late), Lot("A", "S03", 1, soon), Lot("B", "S04", 9, soon)]
    picks, missing = allocate([order(1, ("A", 5))], stock, DAY)
    assert picks == [Pick(1, "A", "S03", 1), Pick(1, "A", "S02", 2), Pick(1, "A", "S01", 2)]
    assert missing == []


def test_of_the_others_the_fuller_one():
    stock = [Lot("A", "S01", 2), Lot("A", "S02", 7)]
    assert allocate([order(1, ("A", 1))], stock, DAY)[0] == [Pick(1, "A", "S02", 1)]


def test_what_has_expired_stays():
    stock = [Lot("A", "S01", 2, DAY - timedelta(days=1)), Lot("A", "S02", 1, DAY)]
    assert allocate([order(1, ("A", 3))], stock, DAY) == ([Pick(1, "A", "S02", 1)], [Missing(1, "A", 2)])


def test_express_orders_are_served_first():
    picks, missing = allocate([order(1, ("A", 2)), order(2, ("A", 2), express=True)], [Lot("A", "S01", 3)], DAY)
    assert picks == [Pick(2, "A", "S01", 2), Pick(1, "A", "S01", 1)]
    assert missing == [Missing(1, "A", 1)]


def test_nothing_to_do():
    assert allocate([], [Lot("A", "S01", 3)], DAY) == ([], [])
    assert allocate([order(1)], [], DAY) == ([], [])


def test_many_orders():
    items = some_items(40)
    stock = some_lots(items, 150)
    orders = some_orders(items, 45)
    picks, missing = allocate(orders, stock, DAY)
    wanted = sum(line.quantity for one in orders for line in one.lines)
    assert sum(pick.quantity for pick in picks) + sum(one.quantity for one in missing) == wanted
    assert len(complete(orders, missing)) == 29


def test_complete_orders():
    orders = [order(1), order(2), order(3)]
    assert complete(orders, [Missing(2, "A", 1)]) == [orders[0], orders[2]]


def test_shelves():
    picks = [Pick(1, "A", "S03", 1), Pick(2, "A", "S02", 2), Pick(1, "B", "S01", 2), Pick(1, "C", "S03", 2)]
    assert shelves(picks, 1) == ["S03", "S01"]
