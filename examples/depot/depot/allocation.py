"""Which lots an order is served from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from depot.orders import Order, by_urgency
from depot.stock import Lot


@dataclass(frozen=True, slots=True)
class Pick:
    """So many of an item, taken from a shelf for an order."""

    order: int
    sku: str
    shelf: str
    quantity: int


@dataclass(frozen=True, slots=True)
class Missing:
    """So many of an item that an order does not get."""

    order: int
    sku: str
    quantity: int


def allocate(orders: Sequence[Order], stock: Sequence[Lot], day: date) -> tuple[list[Pick], list[Missing]]:
    """What is taken from where, and what is missing.

    Urgent orders are served first, and from lots that expire soon before others; of those, from the fuller one.
    """
    left = [[lot, lot.quantity] for lot in stock]
    picks: list[Pick] = []
    missing: list[Missing] = []
    for order in by_urgency(orders):
        for line in order.lines:
            wanted = line.quantity
            while wanted > 0:
                usable = []
                for lot, quantity in left:
                    if lot.sku == line.sku and quantity > 0 and (lot.expires is None or lot.expires >= day):
                        usable.append([lot.expires or date.max, -quantity, lot.shelf, lot])
                if not usable:
                    missing.append(Missing(order.number, line.sku, wanted))
                    break
                chosen = sorted(usable, key=lambda row: row[:3])[0][3]
                for row in left:
                    if row[0] is chosen:
                        taken = min(wanted, row[1])
                        row[1] -= taken
                        wanted -= taken
                        picks.append(Pick(order.number, line.sku, chosen.shelf, taken))
    return picks, missing


def complete(orders: Sequence[Order], missing: Sequence[Missing]) -> list[Order]:
    """The orders that get all that they want."""
    return [order for order in orders if order.number not in [one.order for one in missing]]


def shelves(picks: Sequence[Pick], order: int) -> list[str]:
    """The shelves where an order is picked, each once, in the order of the picks."""
    return list(dict.fromkeys(pick.shelf for pick in picks if pick.order == order))
