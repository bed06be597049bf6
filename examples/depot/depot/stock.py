"""What lies where: items, lots on shelves, and what came and went."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date


@dataclass(frozen=True, slots=True)
class Item:
    """Something that can be ordered. Prices are in cents."""

    sku: str
    name: str
    price: int
    category: str = ""
    reorder_at: int | None = None


@dataclass(frozen=True, slots=True)
class Lot:
    """So many of an item on one shelf, from one delivery."""

    sku: str
    shelf: str
    quantity: int
    expires: date | None = None


@dataclass(frozen=True, slots=True)
class Movement:
    """What came onto a shelf, or went from it if the quantity is below zero."""

    sku: str
    shelf: str
    quantity: int
    day: date
    expires: date | None = None


class Shortage(ValueError):
    """Raised when more is taken from a shelf than lies there."""


def lots(movements: Iterable[Movement]) -> list[Lot]:
    """What lies on the shelves after all movements, in the order in which it first came; nothing empty.

    What goes is taken from the same delivery: the one with the same item, shelf and expiry.
    """
    found: list[Lot] = []
    for movement in movements:
        place = None
        for index, lot in enumerate(found):
            if (lot.sku, lot.shelf, lot.expires) == (movement.sku, movement.shelf, movement.expires):
                place = index
        before = 0 if place is None else found[place].quantity
        if before + movement.quantity < 0:
            raise Shortage(f"{-movement.quantity} of {movement.sku} taken from {movement.shelf}, where {before} are")
        after = Lot(movement.sku, movement.shelf, before + movement.quantity, movement.expires)
        if place is None:
            found = [*found, after]
        else:
            found = [*found[:place], after, *found[place + 1 :]]
    return [lot for lot in found if lot.quantity > 0]


def on_hand(stock: Iterable[Lot], day: date | None = None) -> dict[str, int]:
    """How many there are of each item that has not expired on that day."""
    counts: dict[str, int] = {}
    for lot in stock:
        if day is None or lot.expires is None or lot.expires >= day:
            counts[lot.sku] = counts.get(lot.sku, 0) + lot.quantity
    return counts


def to_reorder(items: Sequence[Item], stock: Sequence[Lot]) -> list[tuple[Item, int]]:
    """The items of which there are not more than they are reordered at, with how many there are.

    Those of which there is nothing come first, then by name. An item without a number is never reordered; one with
    the number 0 is, once there are none.
    """
    found = []
    for item in items:
        if item.reorder_at is None:
            continue
        count = on_hand(stock).get(item.sku, 0)
        if count <= item.reorder_at:
            found.append((item, count))
    return sorted(found, key=lambda pair: (pair[1] > 0, pair[0].name))


def idle(movements: Sequence[Movement], since: date) -> list[str]:
    """Items of which nothing has gone since that day, in the order in which they came."""
    skus = []
    for movement in movements:
        if movement.sku not in skus:
            skus.append(movement.sku)
    gone = [movement.sku for movement in movements if movement.quantity < 0 and movement.day >= since]
    return [sku for sku in skus if sku not in gone]
