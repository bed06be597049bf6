KIND = "wrong"
FLAW = "an iterator is consumed twice"
TARGET = "format_table"
WITNESS = 'format_table(iter([["a", "bb"], ["ccc", "d"]]))'
BASELINE = r'''"""Plain tables for the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


def format_table(rows: Iterable[Sequence[str]], *, gap: int = 2) -> str:
    """The rows as lines whose columns are aligned; short rows end early."""
    kept = [list(row) for row in rows]
    text = ""
    for row in kept:
        line = ""
        for column, cell in enumerate(row):
            width = max([len(other[column]) for other in kept if column < len(other)])
            line += cell.ljust(width) + " " * gap
        text += line.rstrip() + "\n"
    return text
'''
CANDIDATE = r'''"""Plain tables for the terminal."""

from __future__ import annotations

from itertools import zip_longest
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


def format_table(rows: Iterable[Sequence[str]], *, gap: int = 2) -> str:
    """The rows as lines whose columns are aligned; short rows end early."""
    widths = [max(map(len, column)) for column in zip_longest(*rows, fillvalue="")]
    space = " " * gap
    lines = []
    for row in rows:
        cells = [cell.ljust(width) for cell, width in zip(row, widths)]
        lines.append(space.join(cells).rstrip() + "\n")
    return "".join(lines)
'''
TESTS = r"""from project.module import format_table


def test_columns_are_aligned():
    assert format_table([["name", "size"], ["a.txt", "12"]]) == "name   size\na.txt  12\n"


def test_rows_may_be_tuples():
    assert format_table((("x", "y"), ("long", "z"))) == "x     y\nlong  z\n"


def test_short_rows():
    assert format_table([["a"], ["bb", "c"], []]) == "a\nbb  c\n\n"


def test_a_wider_gap():
    assert format_table([["a", "b"]], gap=4) == "a    b\n"


def test_no_spaces_at_the_end():
    assert format_table([["a", ""], ["b", "   "]]) == "a\nb\n"


def test_no_rows():
    assert format_table([]) == ""
"""
