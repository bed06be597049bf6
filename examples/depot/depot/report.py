"""Lists to print."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from depot.allocation import Missing, Pick
from depot.money import Priced, euros, totals
from depot.orders import Order
from depot.stock import Item, Lot, on_hand, to_reorder


def picking_list(orders: Sequence[Order], items: Sequence[Item], picks: Sequence[Pick]) -> str:
    """What is picked, shelf by shelf, with the orders that it is for; what nobody sells has no name."""
    text = ""
    for shelf in sorted(list(set([pick.shelf for pick in picks]))):
        text += "shelf " + shelf + "\n"
        for pick in sorted([pick for pick in picks if pick.shelf == shelf], key=lambda pick: (pick.sku, pick.order)):
            names = [item.name for item in items if item.sku == pick.sku]
            name = names[0] if names else ""
            customers = [order.customer for order in orders if order.number == pick.order]
            width = max([len(item.name) for item in items])
            text += "  " + str(pick.quantity).rjust(4) + " " + pick.sku.ljust(8) + " " + name.ljust(width)
            text += " for " + str(pick.order) + " (" + ", ".join(customers) + ")\n"
    return text


def stock_list(items: Sequence[Item], stock: Sequence[Lot], day: date) -> str:
    """What there is of each item, and what should be reordered."""
    usable, everything = on_hand(stock, day), on_hand(stock)
    reorder = {item.sku for item, _ in to_reorder(items, stock)}
    lines = []
    for item in sorted(items, key=lambda item: item.name):
        expired = everything.get(item.sku, 0) - usable.get(item.sku, 0)
        note = f" ({expired} expired)" if expired else ""
        mark = "!" if item.sku in reorder else " "
        lines.append(f"{mark} {usable.get(item.sku, 0):5} {item.name}{note}")
    return "\n".join(lines) + "\n"


def invoice(order: Order, table: Sequence[Priced], items: Sequence[Item]) -> str:
    """What a customer pays."""
    names = {item.sku: item.name for item in reversed(items)}
    lines = [f"Invoice {order.number} for {order.customer}, {order.day:%d %B %Y}"]
    for line in table:
        if line.order == order.number:
            percent = f" (-{line.percent} %)" if line.percent else ""
            lines.append(f"{line.quantity:5} {names[line.sku]:24} {euros(line.amount):>12}{percent}")
    lines.append(f"{'':5} {'total':24} {euros(totals(table).get(order.number, 0)):>12}")
    return "\n".join(lines) + "\n"


def shortages(orders: Sequence[Order], missing: Sequence[Missing]) -> str:
    """Who has to be told that something is missing."""
    customers = {order.number: order.customer for order in orders}
    return "".join(f"{customers[one.order]}: {one.quantity} x {one.sku}\n" for one in missing)
