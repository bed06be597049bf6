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

TARGETS = ("shop/statements.py::statement", "shop/till.py::ways", "shop/orders.py::largest")

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


def largest(orders: list[Order]) -> Order:
    """The order with the largest amount; of several, the last one."""
    if not orders:
        raise ValueError("there are no orders")
    return sorted(orders, key=lambda order: order.amount)[-1]
''',
    "shop/statements.py": '''"""Statements for customers, as text."""

from __future__ import annotations

from shop.orders import Order


def customers(orders: list[Order]) -> list[str]:
    """Who ordered something, each once, in the order of their first order."""
    found: list[str] = []
    for order in orders:
        if order.customer not in found:
            found.append(order.customer)
    return found


def statement(orders: list[Order]) -> str:
    """A line for each customer: how many orders, and what is to be paid for them."""
    text = ""
    for customer in customers(orders):
        own = [order for order in orders if order.customer == customer]
        text += f"{customer}: {len(own)} orders, {sum(order.amount for order in own)}\\n"
    return text
''',
    "shop/till.py": '''"""Giving change."""

from __future__ import annotations


def ways(amount: int, coins: tuple[int, ...]) -> int:
    """In how many ways an amount can be given in change, with any number of each coin."""
    if amount == 0:
        return 1
    if amount < 0 or not coins:
        return 0
    return ways(amount - coins[0], coins) + ways(amount, coins[1:])
''',
    "tests/test_shop.py": '''"""The shop's tests."""

import pytest

from shop.orders import Order, largest
from shop.statements import customers, statement
from shop.till import ways


def some_orders(count, people=97):
    return [Order(number, f"customer {number * 31 % people}", number * 37 % 1009) for number in range(count)]


def test_customers_come_in_order():
    orders = [Order(1, "Ada", 5), Order(2, "Bo", 7), Order(3, "Ada", 1)]
    assert customers(orders) == ["Ada", "Bo"]


def test_a_statement():
    orders = [Order(1, "Ada", 5), Order(2, "Bo", 7), Order(3, "Ada", 1)]
    assert statement(orders) == "Ada: 2 orders, 6\\nBo: 1 orders, 7\\n"


def test_nobody_ordered():
    assert statement([]) == ""


def test_a_long_statement():
    assert statement(some_orders(400)).count("\\n") == 97


def test_the_largest():
    assert largest([Order(1, "Ada", 5), Order(2, "Bo", 7), Order(3, "Cy", 1)]).number == 2


def test_the_largest_of_many():
    assert largest(some_orders(1000)).amount == 1008


def test_the_largest_of_none():
    with pytest.raises(ValueError, match="no orders"):
        largest([])


@pytest.mark.parametrize(("amount", "expected"), [(0, 1), (4, 3), (5, 4), (-1, 0), (60, 782)])
def test_ways_to_give_change(amount, expected):
    assert ways(amount, (1, 2, 5, 10, 20)) == expected
''',
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
