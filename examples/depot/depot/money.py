"""What orders cost. Amounts are in cents; nothing is ever a float."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from depot.orders import Order
from depot.stock import Item


@dataclass(frozen=True, slots=True)
class Discount:
    """Percent off an item (or, if it is named so, a category) for a customer, or for all."""

    item: str
    percent: int
    customer: str | None = None


@dataclass(frozen=True, slots=True)
class Priced:
    """A line of an order with its price."""

    order: int
    sku: str
    quantity: int
    percent: int
    amount: int


class UnknownItem(LookupError):
    """Raised when something is ordered that is not sold."""


def rounded(amount: int, percent: int) -> int:
    """So many percent of an amount; half a cent is rounded to the even one."""
    whole, rest = divmod(amount * percent, 100)
    return whole + (rest > 50 or (rest == 50 and whole % 2 == 1))


def priced(orders: Sequence[Order], items: Sequence[Item], discounts: Sequence[Discount]) -> list[Priced]:
    """The lines of all orders with their prices.

    Of several discounts the first that fits counts: the list is kept by people, who write exceptions above the rule.
    """
    table: list[Priced] = []
    for order in orders:
        for line in order.lines:
            found = [item for item in items if item.sku == line.sku]
            if len(found) == 0:
                raise UnknownItem(f"order {order.number}: there is no item {line.sku}")
            item = found[0]
            percent = None
            for discount in discounts:
                fits = discount.item in (item.sku, item.category) and discount.customer in (None, order.customer)
                if fits and percent is None:
                    percent = discount.percent
            amount = item.price * line.quantity
            if percent is not None:
                amount -= rounded(amount, percent)
            table.append(Priced(order.number, line.sku, line.quantity, percent or 0, amount))
    return table


def totals(table: Sequence[Priced]) -> dict[int, int]:
    """What each order costs."""
    amounts: dict[int, int] = {}
    for line in table:
        amounts[line.order] = amounts.get(line.order, 0) + line.amount
    return amounts


def euros(cents: int) -> str:
    """An amount for people: `-1,234.50`."""
    sign, cents = ("-", -cents) if cents < 0 else ("", cents)
    digits = str(cents // 100)
    text = ""
    while len(digits) > 3:
        digits, text = digits[:-3], "," + digits[-3:] + text
    return f"{sign}{digits}{text}.{cents % 100:02}"
