TARGET = "pivot"
SLOW = "every cell of the table goes through all the records, filtered once more for the totals"
SOURCE = '''"""Pivot tables from records."""


class Pivot:
    def __init__(self, rows, columns, cells, row_totals, column_totals):
        self.rows = rows
        self.columns = columns
        self.cells = cells
        self.row_totals = row_totals
        self.column_totals = column_totals

    def __getitem__(self, key):
        row, column = key
        return self.cells[self.rows.index(row)][self.columns.index(column)]


def distinct(records, field):
    values = []
    for record in records:
        value = record.get(field, "")
        if value not in values:
            values.append(value)
    return sorted(values, key=str)


def select(records, **wanted):
    return [r for r in records if all(r.get(field, "") == value for field, value in wanted.items())]


AGGREGATES = {
    "sum": sum,
    "count": len,
    "max": lambda values: max(values) if values else None,
    "mean": lambda values: sum(values) / len(values) if values else None,
}


def pivot(records, row, column, value, how="sum"):
    """A table with a line for each value of field `row`, and a column for each of field `column`."""
    aggregate = AGGREGATES[how]
    rows = distinct(records, row)
    columns = distinct(records, column)
    cells = []
    for r in rows:
        line = []
        for c in columns:
            chosen = select(select(records, **{row: r}), **{column: c})
            line.append(aggregate([record[value] for record in chosen if record.get(value) is not None]))
        cells.append(line)
    row_totals = []
    for r in rows:
        row_totals.append(aggregate([x[value] for x in select(records, **{row: r}) if x.get(value) is not None]))
    column_totals = []
    for c in columns:
        column_totals.append(aggregate([x[value] for x in select(records, **{column: c}) if x.get(value) is not None]))
    return Pivot(rows, columns, cells, row_totals, column_totals)
'''
TESTS = """import pytest

from project.module import pivot

RECORDS = [
    {"region": "south", "year": 2020, "sales": 5},
    {"region": "north", "year": 2020, "sales": 7},
    {"region": "south", "year": 2021, "sales": 11},
    {"region": "south", "year": 2021, "sales": None},
    {"year": 2021, "sales": 1},
]


def test_sum():
    table = pivot(RECORDS, "region", "year", "sales")
    assert table.rows == ["", "north", "south"]
    assert table.columns == [2020, 2021]
    assert table.cells == [[0, 1], [7, 0], [5, 11]]
    assert (table.row_totals, table.column_totals) == ([1, 7, 16], [12, 12])


def test_item():
    assert pivot(RECORDS, "region", "year", "sales")["south", 2021] == 11


def test_mean_and_max():
    assert pivot(RECORDS, "year", "region", "sales", "mean").row_totals == [6, 6]
    assert pivot(RECORDS, "region", "year", "sales", "max").cells[0] == [None, 1]


def test_count():
    assert pivot(RECORDS, "region", "year", "sales", "count").cells == [[0, 1], [1, 0], [1, 1]]


def test_empty():
    assert pivot([], "a", "b", "c").cells == []


def test_unknown_aggregate():
    with pytest.raises(KeyError):
        pivot(RECORDS, "a", "b", "c", "median")


def test_a_year_of_sales():
    records = [{"shop": "s%02d" % (n % 10), "month": n % 8 + 1, "sales": n} for n in range(120)]
    table = pivot(records, "shop", "month", "sales")
    assert sum(table.row_totals) == sum(table.column_totals) == sum(range(120))
    assert table["s03", 4] == 3 + 43 + 83
"""
