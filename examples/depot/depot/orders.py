"""What is ordered, read from text.

order 1042 2026-03-01 ada express
  4 x A-100
  12 x B-7 # in one box
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date


@dataclass(frozen=True, slots=True)
class Line:
    """So many of an item."""

    sku: str
    quantity: int


@dataclass(frozen=True, slots=True)
class Order:
    """What a customer wants."""

    number: int
    day: date
    customer: str
    lines: tuple[Line, ...]
    express: bool = False


class BadOrder(ValueError):
    """Raised when the text of an order cannot be read."""


def read(text: str) -> list[Order]:
    """The orders of a text, in its order. A number that is there twice is an error."""
    orders: list[Order] = []
    for number, line in enumerate(text.splitlines(), 1):
        words = line.partition("#")[0].split()
        if len(words) == 0:
            continue
        if words[0] == "order":
            order = _heading(words, number)
            if order.number in [other.number for other in orders]:
                raise BadOrder(f"line {number}: there are two orders {order.number}")
            orders.append(order)
            continue
        match = re.fullmatch(r"(\d+) x (\S+)", " ".join(words))
        if match is None or not orders:
            raise BadOrder(f"line {number}: a quantity and an item of an order are wanted")
        last = orders[-1]
        lines = (*last.lines, Line(match[2], int(match[1])))
        orders[-1] = Order(last.number, last.day, last.customer, lines, last.express)
    return orders


def _heading(words: Sequence[str], number: int) -> Order:
    if len(words) not in (4, 5) or (len(words) == 5 and words[4] != "express"):
        raise BadOrder(f"line {number}: an order has a number, a day and a customer, and may be express")
    try:
        return Order(int(words[1]), date.fromisoformat(words[2]), words[3], (), len(words) == 5)
    except ValueError as error:
        raise BadOrder(f"line {number}: {error}") from error


def merged(orders: Iterable[Order]) -> list[Order]:
    """One order for each customer and day, where nothing of one item is on two lines.

    It has the number of the first of them, and is express if one of them is.
    """
    found: list[Order] = []
    for order in orders:
        same = [other for other in found if other.customer == order.customer and other.day == order.day]
        if same:
            first = same[0]
            lines = _summed(first.lines + order.lines)
            both = Order(first.number, first.day, first.customer, lines, first.express or order.express)
            found[found.index(first)] = both
        else:
            found.append(Order(order.number, order.day, order.customer, _summed(order.lines), order.express))
    return found


def _summed(lines: Sequence[Line]) -> tuple[Line, ...]:
    skus = []
    for line in lines:
        if line.sku not in skus:
            skus.append(line.sku)
    return tuple(Line(sku, sum([line.quantity for line in lines if line.sku == sku])) for sku in skus)


def by_urgency(orders: Iterable[Order]) -> list[Order]:
    """Express orders first, then the older ones."""
    return sorted(orders, key=lambda order: (not order.express, order.day, order.number))
