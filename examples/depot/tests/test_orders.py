from datetime import date

import pytest
from depot.orders import BadOrder, Line, Order, by_urgency, merged, read
from things import some_items, some_orders

TEXT = """
# from the web
order 1042 2026-03-01 ada express
  4 x A-100
  12  x  B-7 # in one box

order 1043 2026-02-27 bo
  1 x A-100
"""


def test_reading():
    assert read(TEXT) == [
        Order(1042, date(2026, 3, 1), "ada", (Line("A-100", 4), Line("B-7", 12)), express=True),
        Order(1043, date(2026, 2, 27), "bo", (Line("A-100", 1),)),
    ]


def test_reading_nothing():
    assert read("") == []
    assert read("# nothing today\n") == []


def test_reading_much():
    wanted = some_orders(some_items(50), 150, lines=6)
    text = ""
    for order in wanted:
        text += f"order {order.number} {order.day} {order.customer.replace(' ', '-')}\n"
        text += "".join(f"{line.quantity} x {line.sku}\n" for line in order.lines)
    found = read(text)
    assert [order.lines for order in found] == [order.lines for order in wanted]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("4 x A", "line 1: a quantity and an item"),
        ("order 1 2026-03-01 ada\nfour x A", "line 2: a quantity"),
        ("order 1 2026-03-01", "line 1: an order has"),
        ("order 1 2026-03-01 ada slow", "line 1: an order has"),
        ("order one 2026-03-01 ada", "line 1: invalid literal"),
        ("order 1 2026-03-01 ada\norder 1 2026-03-01 ada", "line 2: there are two orders 1"),
    ],
)
def test_what_cannot_be_read(text, why):
    with pytest.raises(BadOrder, match=why):
        read(text)


def test_merging():
    first, second, third, other = (
        Order(1, date(2026, 3, 1), "ada", (Line("A", 1), Line("B", 2))),
        Order(2, date(2026, 3, 2), "ada", (Line("A", 1),)),
        Order(3, date(2026, 3, 1), "ada", (Line("B", 3), Line("C", 1)), express=True),
        Order(4, date(2026, 3, 1), "bo", (Line("A", 1), Line("A", 1))),
    )
    found = merged([first, second, third, other])
    assert found == [
        Order(1, date(2026, 3, 1), "ada", (Line("A", 1), Line("B", 5), Line("C", 1)), express=True),
        second,
        Order(4, date(2026, 3, 1), "bo", (Line("A", 2),)),
    ]


def test_merging_many():
    orders = some_orders(some_items(40), 240)
    found = merged(orders)
    assert len(found) == 133
    assert sum(line.quantity for order in found for line in order.lines) == 3360


def test_urgency():
    orders = [
        Order(3, date(2026, 3, 2), "ada", ()),
        Order(2, date(2026, 3, 1), "bo", ()),
        Order(4, date(2026, 3, 9), "cy", (), express=True),
        Order(1, date(2026, 3, 2), "di", ()),
    ]
    assert [order.number for order in by_urgency(orders)] == [4, 2, 1, 3]
