import pytest
from depot.money import Discount, Priced, UnknownItem, euros, priced, rounded, totals
from depot.orders import Line, Order
from depot.stock import Item
from things import DAY, some_discounts, some_items, some_orders

AXE, RICE = Item("A", "axe", 1999, "tools"), Item("R", "rice", 250, "food")


def order(*lines, customer="ada"):
    return Order(1, DAY, customer, tuple(Line(*line) for line in lines))


@pytest.mark.parametrize(
    ("amount", "percent", "wanted"), [(200, 10, 20), (250, 1, 2), (350, 1, 4), (199, 50, 100), (333, 3, 10), (1, 0, 0)]
)
def test_rounding(amount, percent, wanted):
    assert rounded(amount, percent) == wanted


def test_prices():
    assert priced([order(("A", 2), ("R", 3))], [AXE, RICE], []) == [
        Priced(1, "A", 2, 0, 3998),
        Priced(1, "R", 3, 0, 750),
    ]


def test_a_discount_for_all():
    assert priced([order(("R", 4))], [AXE, RICE], [Discount("R", 5)]) == [Priced(1, "R", 4, 5, 950)]


def test_a_discount_for_a_category():
    (axe, rice) = priced([order(("A", 1), ("R", 4))], [AXE, RICE], [Discount("food", 10)])
    assert (axe.percent, rice.percent) == (0, 10)


def test_a_discount_for_a_customer():
    discounts = [Discount("R", 20, "bo")]
    assert priced([order(("R", 4))], [RICE], discounts) == [Priced(1, "R", 4, 0, 1000)]
    assert priced([order(("R", 4), customer="bo")], [RICE], discounts) == [Priced(1, "R", 4, 20, 800)]


def test_an_item_that_is_not_sold():
    with pytest.raises(UnknownItem, match="order 1: there is no item Z"):
        priced([order(("Z", 1))], [AXE], [])


def test_many_prices():
    items = some_items(160)
    table = priced(some_orders(items, 80), items, some_discounts(items))
    assert len(table) == 320
    assert sum(totals(table).values()) == 580280


def test_totals():
    table = [Priced(1, "A", 1, 0, 5), Priced(2, "A", 1, 0, 7), Priced(1, "B", 1, 0, 1)]
    assert totals(table) == {1: 6, 2: 7}


@pytest.mark.parametrize(
    ("cents", "wanted"),
    [(0, "0.00"), (5, "0.05"), (123450, "1,234.50"), (-99, "-0.99"), (123456789012, "1,234,567,890.12")],
)
def test_amounts_for_people(cents, wanted):
    assert euros(cents) == wanted
