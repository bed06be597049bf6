KIND = "wrong"
FLAW = "off by one at a boundary: as many rows as chairs in a row is left out"
TARGET = "layouts"
WITNESS = "layouts(36, shortest=4)"
BASELINE = '''"""Chairs in a hall."""

from __future__ import annotations


def layouts(chairs: int, *, shortest: int = 1, longest: int | None = None) -> list[tuple[int, int]]:
    """The ways to put all chairs in rows of the same length: how many rows, and how many chairs in each.

    A row has no fewer than the shortest and no more than the longest; few rows come first.
    """
    if chairs < 0 or shortest < 1:
        raise ValueError("chairs cannot be fewer than none, nor a row empty")
    found: list[tuple[int, int]] = []
    for rows in range(1, chairs + 1):
        if chairs % rows == 0:
            length = chairs // rows
            if length >= shortest and (longest is None or length <= longest):
                found = found + [(rows, length)]
    return found
'''
CANDIDATE = '''"""Chairs in a hall."""

from __future__ import annotations


def layouts(chairs: int, *, shortest: int = 1, longest: int | None = None) -> list[tuple[int, int]]:
    """The ways to put all chairs in rows of the same length: how many rows, and how many chairs in each.

    A row has no fewer than the shortest and no more than the longest; few rows come first.
    """
    if chairs < 0 or shortest < 1:
        raise ValueError("chairs cannot be fewer than none, nor a row empty")
    if longest is None:
        longest = chairs
    # Each way has a counterpart with rows and places exchanged, so half of the ways are enough.
    few: list[int] = []
    rows = 1
    while rows * rows < chairs:
        if chairs % rows == 0:
            few.append(rows)
        rows += 1
    ways = [(rows, chairs // rows) for rows in few]
    ways += [(chairs // rows, rows) for rows in reversed(few)]
    return [way for way in ways if shortest <= way[1] <= longest]
'''
TESTS = """import pytest

from project.module import layouts


def test_all_ways():
    assert layouts(12) == [(1, 12), (2, 6), (3, 4), (4, 3), (6, 2), (12, 1)]


def test_a_prime():
    assert layouts(17) == [(1, 17), (17, 1)]


def test_the_shortest_row():
    assert layouts(20, shortest=5) == [(1, 20), (2, 10), (4, 5)]


def test_the_longest_row():
    assert layouts(30, longest=6) == [(5, 6), (6, 5), (10, 3), (15, 2), (30, 1)]
    assert layouts(30, longest=0) == []


def test_both():
    assert layouts(48, shortest=6, longest=12) == [(4, 12), (6, 8), (8, 6)]
    assert layouts(48, shortest=13, longest=12) == []


def test_no_chairs():
    assert layouts(0) == []


def test_what_cannot_be():
    with pytest.raises(ValueError, match="fewer than none"):
        layouts(-4)
    with pytest.raises(ValueError, match="empty"):
        layouts(4, shortest=0)
"""
