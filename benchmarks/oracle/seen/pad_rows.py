KIND = "wrong"
FLAW = "aliasing: rows of the right width are returned themselves instead of copies"
TARGET = "pad_rows"
WITNESS = '(rows := [["a", "b"], ["c"]], pad_rows(rows, 2)[0].append("x"), rows)'
BASELINE = '''"""Rows of text for a report."""

from __future__ import annotations


def pad_rows(rows: list[list[str]], width: int, *, fill: str = "") -> list[list[str]]:
    """Copies of the rows, each with exactly so many cells; the caller may go on to change them."""
    if width < 0:
        raise ValueError(f"a row cannot have {width} cells")
    padded = []
    for row in rows:
        cells = []
        for index in range(width):
            if index < len(row):
                cells.append(row[index])
            else:
                cells.append(fill)
        padded.append(cells)
    return padded
'''
CANDIDATE = '''"""Rows of text for a report."""

from __future__ import annotations


def pad_rows(rows: list[list[str]], width: int, *, fill: str = "") -> list[list[str]]:
    """Copies of the rows, each with exactly so many cells; the caller may go on to change them."""
    if width < 0:
        raise ValueError(f"a row cannot have {width} cells")
    padded = []
    for row in rows:
        missing = width - len(row)
        if missing > 0:
            padded.append(row + [fill] * missing)
        elif missing < 0:
            padded.append(row[:width])
        else:
            padded.append(row)
    return padded
'''
TESTS = """import pytest

from project.module import pad_rows


def test_short_rows_are_filled():
    assert pad_rows([["a"], ["b", "c"]], 2) == [["a", ""], ["b", "c"]]


def test_long_rows_are_cut():
    assert pad_rows([["a", "b", "c"]], 1) == [["a"]]


def test_another_fill():
    assert pad_rows([[], ["x"]], 2, fill="-") == [["-", "-"], ["x", "-"]]


def test_no_cells_at_all():
    assert pad_rows([["a"], []], 0) == [[], []]


def test_the_rows_given_are_left_alone():
    rows = [["a"], ["b", "c", "d"]]
    for row in pad_rows(rows, 2):
        row.append("total")
    assert rows == [["a"], ["b", "c", "d"]]


def test_a_negative_width_is_refused():
    with pytest.raises(ValueError, match="-1 cells"):
        pad_rows([["a"]], -1)
"""
