from datetime import timedelta

from depot.allocation import Missing, Pick, allocate
from depot.money import Priced
from depot.orders import Line, Order
from depot.report import invoice, picking_list, shortages, stock_list
from depot.stock import Item, Lot
from things import DAY, some_items, some_lots, some_orders

ITEMS = [Item("A", "axe", 1999, reorder_at=2), Item("R", "rice", 250)]
ORDERS = [Order(7, DAY, "ada", (Line("R", 3),)), Order(8, DAY, "bo", (Line("A", 1),))]


def test_a_picking_list():
    picks = [Pick(7, "R", "S02", 3), Pick(8, "A", "S01", 1), Pick(7, "A", "S02", 1)]
    assert picking_list(ORDERS, ITEMS, picks) == (
        "shelf S01\n"
        "     1 A        axe  for 8 (bo)\n"
        "shelf S02\n"
        "     1 A        axe  for 7 (ada)\n"
        "     3 R        rice for 7 (ada)\n"
    )


def test_nothing_to_pick():
    assert picking_list(ORDERS, ITEMS, []) == ""


def test_a_long_picking_list():
    items = some_items(40)
    orders = some_orders(items, 45)
    picks, _ = allocate(orders, some_lots(items, 150), DAY)
    text = picking_list(orders, items, picks)
    assert text.count("shelf") == 22
    assert text.count("for") == len(picks)


def test_a_stock_list():
    stock = [Lot("A", "S01", 1), Lot("A", "S02", 4, DAY - timedelta(days=1)), Lot("R", "S01", 20)]
    assert stock_list(ITEMS, stock, DAY) == "      1 axe (4 expired)\n     20 rice\n"
    assert stock_list(ITEMS, stock[:1], DAY) == "!     1 axe\n      0 rice\n"


def test_a_long_stock_list():
    items = some_items(70)
    text = stock_list(items, some_lots(items, 120), DAY)
    assert text.count("\n") == 70
    assert text.count("!") == 16


def test_an_invoice():
    table = [Priced(7, "R", 3, 10, 675), Priced(8, "A", 1, 0, 1999), Priced(7, "A", 100, 0, 199900)]
    assert invoice(ORDERS[0], table, ITEMS).splitlines() == [
        "Invoice 7 for ada, 01 March 2026",
        "    3 rice                             6.75 (-10 %)",
        "  100 axe                          1,999.00",
        "      total                        2,005.75",
    ]


def test_shortages():
    assert shortages(ORDERS, [Missing(8, "A", 1), Missing(7, "R", 2)]) == "bo: 1 x A\nada: 2 x R\n"
