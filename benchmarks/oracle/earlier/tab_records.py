KIND = "wrong"
FLAW = "white space: an empty first cell is stripped, and the others move to the left"
TARGET = "records"
WITNESS = 'list(records(["name\\tcity", "\\tBern"]))'
BASELINE = r'''"""Tables whose cells are separated by tabs."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


class TooManyCells(ValueError):
    """Raised for a line with more cells than the first one has names."""


def records(lines: Iterable[str], *, comment: str = "#") -> Iterator[dict[str, str]]:
    """A record of each line, with the names of the first; cells at the end that are left out are empty."""
    names = None
    number = 0
    for line in lines:
        number = number + 1
        if line.strip() == "" or line.startswith(comment):
            continue
        cells = []
        for cell in line.split("\t"):
            cells = cells + [cell.strip()]
        if names is None:
            names = cells
            continue
        if len(cells) > len(names):
            raise TooManyCells(f"line {number}")
        record = {}
        for index in range(len(names)):
            record[names[index]] = cells[index] if index < len(cells) else ""
        yield record
'''
CANDIDATE = r'''"""Tables whose cells are separated by tabs."""

from __future__ import annotations

from itertools import zip_longest
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


class TooManyCells(ValueError):
    """Raised for a line with more cells than the first one has names."""


def records(lines: Iterable[str], *, comment: str = "#") -> Iterator[dict[str, str]]:
    """A record of each line, with the names of the first; cells at the end that are left out are empty."""
    names: list[str] | None = None
    for number, line in enumerate(lines, start=1):
        text = line.strip()
        if not text or line.startswith(comment):
            continue
        cells = [cell.strip() for cell in text.split("\t")]
        if names is None:
            names = cells
        elif len(cells) > len(names):
            raise TooManyCells(f"line {number}")
        else:
            yield dict(zip_longest(names, cells, fillvalue=""))
'''
TESTS = r"""import pytest

from project.module import TooManyCells, records

HEAD = "name\tcity\tphone\n"


def test_lines_with_names():
    assert list(records([HEAD, "Ann\tBern\t12 34\n"])) == [{"name": "Ann", "city": "Bern", "phone": "12 34"}]


def test_an_empty_cell():
    assert list(records([HEAD, "Ann\t\t12\n"])) == [{"name": "Ann", "city": "", "phone": "12"}]


def test_cells_are_left_out():
    assert list(records([HEAD, "Ann\n", "Bob\tRom\t\n"])) == [
        {"name": "Ann", "city": "", "phone": ""},
        {"name": "Bob", "city": "Rom", "phone": ""},
    ]


def test_blanks_around_cells():
    assert list(records(["a \t b", " 1\t2 \r\n"])) == [{"a": "1", "b": "2"}]


def test_comments_and_empty_lines():
    assert list(records(["# people\n", HEAD, "\n", "# none\n"])) == []
    assert list(records(["; x", "a", "#1"], comment=";")) == [{"a": "#1"}]


def test_one_by_one():
    people = records(iter([HEAD, "Ann", "Bob\tRom", "1\t2\t3\t4"]))
    assert next(people)["name"] == "Ann"
    assert next(people)["city"] == "Rom"
    with pytest.raises(TooManyCells, match="line 4"):
        next(people)


def test_nothing():
    assert list(records([])) == []
"""
