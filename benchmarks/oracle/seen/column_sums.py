KIND = "wrong"
FLAW = "duplicates lost: columns of the same name become one"
TARGET = "column_sums"
WITNESS = 'column_sums("shop,sold,sold\\nParis,3,4\\nRome,5,6\\n")'
BASELINE = r'''"""Sums under the columns of a file with commas."""

from __future__ import annotations


def column_sums(text: str) -> list[tuple[str, int]]:
    """The columns that hold whole numbers only, with their sums, from left to right.

    The first line names the columns. Empty cells do not count, and a column with nothing else is left out.
    """
    lines = [line for line in text.split("\n") if line.strip()]
    if not lines:
        return []
    names = [name.strip() for name in lines[0].split(",")]
    for number in range(1, len(lines)):
        if len(lines[number].split(",")) != len(names):
            raise ValueError(f"row {number} has not {len(names)} cells")
    sums: list[tuple[str, int]] = []
    for place in range(len(names)):
        cells = []
        for line in lines[1:]:
            cell = line.split(",")[place].strip()
            if cell:
                cells.append(cell)
        try:
            numbers = [int(cell) for cell in cells]
        except ValueError:
            continue
        if numbers:
            sums.append((names[place], sum(numbers)))
    return sums
'''
CANDIDATE = r'''"""Sums under the columns of a file with commas."""

from __future__ import annotations


def column_sums(text: str) -> list[tuple[str, int]]:
    """The columns that hold whole numbers only, with their sums, from left to right.

    The first line names the columns. Empty cells do not count, and a column with nothing else is left out.
    """
    lines = [line for line in text.split("\n") if line.strip()]
    if not lines:
        return []
    names = [name.strip() for name in lines[0].split(",")]
    rows = [line.split(",") for line in lines[1:]]
    for number, row in enumerate(rows, 1):
        if len(row) != len(names):
            raise ValueError(f"row {number} has not {len(names)} cells")
    sums: dict[str, int] = {}
    for name, column in zip(names, zip(*rows)):
        cells = [cell for cell in map(str.strip, column) if cell]
        if cells:
            try:
                sums[name] = sum(map(int, cells))
            except ValueError:
                pass
    return list(sums.items())
'''
TESTS = '''import pytest

from project.module import column_sums

SALES = """shop, sold, returned, note
Paris, 12, 1, good
Rome, 30, , -
Oslo, 7, 2, 5
"""


def test_columns_of_numbers():
    assert column_sums(SALES) == [("sold", 49), ("returned", 3)]


def test_negative_numbers():
    assert column_sums("change\\n-4\\n+1\\n") == [("change", -3)]


def test_an_empty_column_is_left_out():
    assert column_sums("a,b\\n1,\\n2, \\n") == [("a", 3)]


def test_only_names():
    assert column_sums("a,b\\n") == []


def test_nothing():
    assert column_sums("") == []
    assert column_sums("\\n\\n") == []


def test_blank_lines_do_not_count():
    assert column_sums("\\na\\n\\n5\\n  \\n6") == [("a", 11)]


def test_a_row_that_is_too_short():
    with pytest.raises(ValueError, match="row 2"):
        column_sums("a,b\\n1,2\\n3\\n")
'''
