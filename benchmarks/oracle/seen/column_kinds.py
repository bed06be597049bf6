KIND = "wrong"
FLAW = "the last table is remembered by identity and its length; a changed cell goes unnoticed"
TARGET = "column_kinds"
WITNESS = '(rows := [["1"], ["2"]], column_kinds(rows), rows.__setitem__(1, ["x"]), column_kinds(rows))[3]'
BASELINE = '''"""What the columns of a table hold."""

from __future__ import annotations


def column_kinds(rows: list[list[str]]) -> list[str]:
    """For each column the narrowest of `empty`, `int`, `float` and `text` that fits all its cells."""
    kinds = []
    width = max([len(row) for row in rows], default=0)
    for column in range(width):
        cells = [row[column] for row in rows if column < len(row)]
        kind = "empty"
        for cell in cells:
            found = _kind(cell)
            if _ORDER.index(found) > _ORDER.index(kind):
                kind = found
        kinds.append(kind)
    return kinds


_ORDER = ["empty", "int", "float", "text"]


def _kind(cell: str) -> str:
    if not cell.strip():
        return "empty"
    for kind, reader in (("int", int), ("float", float)):
        try:
            reader(cell)
        except ValueError:
            continue
        return kind
    return "text"
'''
CANDIDATE = '''"""What the columns of a table hold."""

from __future__ import annotations


def column_kinds(rows: list[list[str]]) -> list[str]:
    """For each column the narrowest of `empty`, `int`, `float` and `text` that fits all its cells."""
    if _last and _last[0] is rows and _last[1] == len(rows):
        return list(_last[2])
    ranks: list[int] = []
    for row in rows:
        ranks.extend([0] * (len(row) - len(ranks)))
        for column, cell in enumerate(row):
            if ranks[column] < 3:
                ranks[column] = max(ranks[column], _rank(cell))
    kinds = [_ORDER[rank] for rank in ranks]
    # The report asks for each column in turn, always about the same table.
    _last[:] = [rows, len(rows), tuple(kinds)]
    return kinds


_ORDER = ["empty", "int", "float", "text"]
_last: list = []


def _rank(cell: str) -> int:
    if not cell.strip():
        return 0
    for rank, reader in ((1, int), (2, float)):
        try:
            reader(cell)
        except ValueError:
            continue
        return rank
    return 3
'''
TESTS = """from project.module import column_kinds


def test_numbers_and_text():
    assert column_kinds([["1", "2.5", "a"], ["20", "3", "4"]]) == ["int", "float", "text"]


def test_empty_cells_fit_everywhere():
    assert column_kinds([["", "1"], [" ", ""]]) == ["empty", "int"]


def test_rows_of_different_length():
    assert column_kinds([["1"], ["x", "2"]]) == ["text", "int"]


def test_no_rows():
    assert column_kinds([]) == []


def test_asking_again():
    rows = [["1", "x"]]
    first = column_kinds(rows)
    first.append("more")
    assert column_kinds(rows) == ["int", "text"]


def test_a_row_is_added():
    rows = [["1"]]
    assert column_kinds(rows) == ["int"]
    rows.append(["1e3"])
    assert column_kinds(rows) == ["float"]
"""
