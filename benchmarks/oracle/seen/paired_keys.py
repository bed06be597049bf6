KIND = "wrong"
FLAW = "large integers: the root is taken with floats"
TARGET = "unpair"
WITNESS = "unpair(pair(0, 10**9))"
BASELINE = '''"""Two numbers, such as the ids of 64 bits that databases give, in one key."""

from __future__ import annotations


def pair(column: int, row: int) -> int:
    """One number for two; all pairs are numbered along the diagonals of the plane."""
    if column < 0 or row < 0:
        raise ValueError("there are no negative numbers")
    diagonal = column + row
    return diagonal * (diagonal + 1) // 2 + row


def unpair(key: int) -> tuple[int, int]:
    """The two numbers that `pair` made one number of."""
    if key < 0:
        raise ValueError(f"no pair has the key {key}")
    step = 1
    while step * (step + 1) // 2 <= key:
        step *= 2
    diagonal = 0
    while step:
        further = diagonal + step
        if further * (further + 1) // 2 <= key:
            diagonal = further
        step //= 2
    row = key - diagonal * (diagonal + 1) // 2
    return diagonal - row, row
'''
CANDIDATE = '''"""Two numbers, such as the ids of 64 bits that databases give, in one key."""

from __future__ import annotations

import math


def pair(column: int, row: int) -> int:
    """One number for two; all pairs are numbered along the diagonals of the plane."""
    if column < 0 or row < 0:
        raise ValueError("there are no negative numbers")
    diagonal = column + row
    return diagonal * (diagonal + 1) // 2 + row


def unpair(key: int) -> tuple[int, int]:
    """The two numbers that `pair` made one number of."""
    if key < 0:
        raise ValueError(f"no pair has the key {key}")
    diagonal = int((math.sqrt(8 * key + 1) - 1) / 2)
    row = key - diagonal * (diagonal + 1) // 2
    return diagonal - row, row
'''
TESTS = """import pytest

from project.module import pair, unpair


def test_the_first_keys():
    assert [unpair(key) for key in range(6)] == [(0, 0), (1, 0), (0, 1), (2, 0), (1, 1), (0, 2)]


@pytest.mark.parametrize("cell", [(0, 0), (7, 0), (0, 7), (3, 4), (120, 35)])
def test_there_and_back(cell):
    assert unpair(pair(*cell)) == cell


def test_a_whole_corner_of_the_plane():
    keys = {pair(column, row) for column in range(12) for row in range(12)}
    assert len(keys) == 144
    assert sorted(unpair(key) for key in keys)[-1] == (11, 11)


def test_a_big_sheet():
    assert unpair(pair(16_384, 1_048_576)) == (16_384, 1_048_576)


def test_a_negative_key():
    with pytest.raises(ValueError, match="-1"):
        unpair(-1)
"""
