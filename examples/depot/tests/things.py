"""Stock, orders and ways for the tests: made by arithmetic, so that they are the same each time."""

from __future__ import annotations

from datetime import date, timedelta

from depot.money import Discount
from depot.orders import Line, Order
from depot.stock import Item, Lot, Movement

DAY = date(2026, 3, 1)
CATEGORIES = ["tools", "paint", "food", "paper"]


def some_items(count: int) -> list[Item]:
    return [
        Item(f"{'ABCD'[n % 4]}-{n}", f"thing {n * 11 % count}", 99 + n * 37 % 911, CATEGORIES[n % 4], n % 5 * 4 or None)
        for n in range(count)
    ]


def some_lots(items: list[Item], count: int) -> list[Lot]:
    return [
        Lot(
            items[n * 3 % len(items)].sku,
            f"S{n * 5 % 23:02}",
            1 + n * 11 % 17,
            DAY + timedelta(days=n * 13 % 60 - 10) if n % 3 else None,
        )
        for n in range(count)
    ]


def some_movements(items: list[Item], count: int) -> list[Movement]:
    found = []
    for n in range(count):
        item, shelf = items[n * 7 % len(items)], f"S{n % 11:02}"
        found.append(Movement(item.sku, shelf, 10 + n % 5, DAY + timedelta(days=n)))
        if n % 2:
            found.append(Movement(item.sku, shelf, -(n % 10), DAY + timedelta(days=n + 1)))
    return found


def some_orders(items: list[Item], count: int, lines: int = 4) -> list[Order]:
    return [
        Order(
            1000 + n,
            DAY + timedelta(days=n * 5 % 7),
            f"customer {n * 3 % 19}",
            tuple(Line(items[(n * 11 + m * 5) % len(items)].sku, 1 + (n + m) % 6) for m in range(lines)),
            n % 6 == 0,
        )
        for n in range(count)
    ]


def some_discounts(items: list[Item]) -> list[Discount]:
    own = [Discount(item.sku, 5 + n % 20, f"customer {n % 19}") for n, item in enumerate(items) if n % 4 < 2]
    return [*own, Discount("food", 10), Discount("paper", 3)]


def grid(size: int) -> list[tuple[str, str, int]]:
    """Aisles between the places of a square."""
    aisles = []
    for row in range(size):
        for column in range(size):
            here = f"{row:02}{column:02}"
            aisles.append((here, f"{row:02}{column + 1:02}", 1 + (row * 7 + column * 3) % 5))
            aisles.append((here, f"{row + 1:02}{column:02}", 1 + (row * 5 + column * 11) % 6))
    return aisles
