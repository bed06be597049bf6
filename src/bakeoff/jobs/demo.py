"""The main job on a small repository of its own: three slow functions of different kinds, with tests that all pass.

In one of them the obvious rewrite is wrong, and the tests do not see it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bakeoff.errors import UsageError
from bakeoff.git import Repository

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["TARGETS", "lay_out"]

TARGETS = ("shop/orders.py::customers", "shop/invoices.py::summary", "shop/orders.py::largest")

_FILES = {
    "shop/__init__.py": '"""A small shop."""\n',
    "shop/orders.py": '''"""What was ordered, by whom."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Order:
    number: int
    customer: str
    amount: int


def customers(orders: list[Order]) -> list[str]:
    """Who ordered something, each once, in the order of their first order."""
    found: list[str] = []
    for order in orders:
        if order.customer not in found:
            found.append(order.customer)
    return found


def largest(orders: list[Order]) -> Order:
    """The order with the largest amount; of several, the last one."""
    if not orders:
        raise ValueError("there are no orders")
    return sorted(orders, key=lambda order: order.amount)[-1]
''',
    "shop/invoices.py": '''"""Invoices, as text."""

from __future__ import annotations

from shop.orders import Order, customers


def total(orders: list[Order], customer: str) -> int:
    """What a customer owes."""
    amount = 0
    for order in orders:
        if order.customer == customer:
            amount += order.amount
    return amount


def summary(orders: list[Order]) -> str:
    """A line for each order, and what it is of all that its customer owes."""
    text = ""
    for order in orders:
        owed = total(orders, order.customer)
        text += str(order.number) + " " + order.customer + ": " + str(order.amount) + " of " + str(owed) + "\\n"
    return text + str(len(customers(orders))) + " customers\\n"
''',
    "tests/test_shop.py": '''"""The shop's tests."""

import pytest

from shop.invoices import summary
from shop.orders import Order, customers, largest


def some_orders(count, people=97):
    return [Order(number, f"customer {number * 31 % people}", number * 37 % 1009) for number in range(count)]


def test_customers_come_in_order():
    orders = [Order(1, "Ada", 5), Order(2, "Bo", 7), Order(3, "Ada", 1)]
    assert customers(orders) == ["Ada", "Bo"]


def test_nobody_ordered():
    assert customers([]) == []


def test_many_customers():
    assert len(customers(some_orders(1500, people=311))) == 311


def test_a_summary():
    orders = [Order(1, "Ada", 5), Order(2, "Bo", 7), Order(3, "Ada", 1)]
    assert summary(orders) == "1 Ada: 5 of 6\\\\n2 Bo: 7 of 7\\\\n3 Ada: 1 of 6\\\\n2 customers\\\\n"


def test_a_long_summary():
    assert summary(some_orders(300)).count("\\\\n") == 301


def test_the_largest():
    assert largest([Order(1, "Ada", 5), Order(2, "Bo", 7), Order(3, "Cy", 1)]).number == 2


def test_the_largest_of_many():
    assert largest(some_orders(1000)).amount == 1008


def test_the_largest_of_none():
    with pytest.raises(ValueError, match="no orders"):
        largest([])
'''.replace("\\\\n", "\\n"),
    "pyproject.toml": """[project]
name = "shop"
version = "1.0"

[tool.pytest.ini_options]
pythonpath = ["."]
""",
    ".gitignore": "__pycache__/\n.pytest_cache/\n",
}


async def lay_out(folder: Path) -> Repository:
    """Make the repository in a folder that is empty, or not there yet."""
    _write(folder)
    return await Repository.begin(folder, message="A small shop")


def _write(folder: Path) -> None:
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageError(f"{folder} is not empty", hint="name a folder that is not there yet")
    for name, text in _FILES.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
