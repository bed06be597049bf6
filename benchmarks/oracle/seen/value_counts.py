KIND = "wrong"
FLAW = "1, 1.0 and True are one key of a dict"
TARGET = "value_counts"
WITNESS = "value_counts([1, True, 1.0, 1])"
BASELINE = '''"""What stands in the columns of a table."""

from __future__ import annotations

from typing import Union

Cell = Union[str, int, float, bool, None]


def value_counts(cells: list[Cell]) -> list[tuple[Cell, int]]:
    """How often each value stands in a column, in the order they first come. Values of two types are two values."""
    values: list[Cell] = []
    counts: dict[tuple[str, Cell], int] = {}
    for cell in cells:
        key = (type(cell).__name__, cell)
        if key not in counts:
            counts[key] = 0
            values.append(cell)
        counts[key] += 1
    result = []
    for value in values:
        result.append((value, counts[type(value).__name__, value]))
    return result
'''
CANDIDATE = '''"""What stands in the columns of a table."""

from __future__ import annotations

from collections import Counter
from typing import Union

Cell = Union[str, int, float, bool, None]


def value_counts(cells: list[Cell]) -> list[tuple[Cell, int]]:
    """How often each value stands in a column, in the order they first come. Values of two types are two values."""
    return list(Counter(cells).items())
'''
TESTS = """from project.module import value_counts


def test_counts():
    assert value_counts(["red", "blue", "red"]) == [("red", 2), ("blue", 1)]


def test_the_order_of_first_appearance():
    assert value_counts([3, 1, 2, 1, 3, 3]) == [(3, 3), (1, 2), (2, 1)]


def test_values_of_several_types():
    assert value_counts(["2", 2, None, 2.5, True, "", None]) == [
        ("2", 1),
        (2, 1),
        (None, 2),
        (2.5, 1),
        (True, 1),
        ("", 1),
    ]


def test_truth_is_kept_as_it_is():
    assert [repr(value) for value, _ in value_counts([True, False, True])] == ["True", "False"]


def test_an_empty_column():
    assert value_counts([]) == []
"""
