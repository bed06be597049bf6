TARGET = "Sheet.value"
SLOW = "cells that others refer to are computed again at each reference, formulas are parsed each time"
SOURCE = '''"""A small spreadsheet: numbers, references, sums over ranges, and the four operations."""

import operator
import re

OPERATIONS = {"+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv}


class CircularReference(Exception):
    pass


def column_number(letters):
    number = 0
    for letter in letters:
        number = number * 26 + "ABCDEFGHIJKLMNOPQRSTUVWXYZ".index(letter) + 1
    return number


def column_letters(number):
    letters = ""
    while number:
        number, rest = divmod(number - 1, 26)
        letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"[rest] + letters
    return letters


class Sheet:
    def __init__(self, cells=None):
        self.cells = dict(cells or {})

    def set(self, name, content):
        self.cells[name] = content

    def value(self, name, path=()):
        """The number in a cell; an empty one is 0."""
        if name in path:
            raise CircularReference(" -> ".join(path + (name,)))
        content = self.cells.get(name, 0)
        if not isinstance(content, str) or not content.startswith("="):
            return float(content or 0)
        return self.evaluate(content[1:], path + (name,))

    def evaluate(self, formula, path):
        formula = formula.strip()
        if total := re.match(r"^SUM\\((\\w+):(\\w+)\\)$", formula):
            return sum(self.value(cell, path) for cell in self.area(*total.groups()))
        for operators in ("+-", "*/"):
            for index in range(len(formula) - 1, 0, -1):
                if formula[index] in operators and formula[:index].count("(") == formula[:index].count(")"):
                    sides = (formula[:index], formula[index + 1 :])
                    return OPERATIONS[formula[index]](*[self.evaluate(side, path) for side in sides])
        if re.match(r"^[A-Z]+\\d+$", formula):
            return self.value(formula, path)
        return float(formula)

    def area(self, start, end):
        (a, b), (c, d) = (re.match(r"([A-Z]+)(\\d+)", corner).groups() for corner in (start, end))
        columns = range(column_number(a), column_number(c) + 1)
        return [column_letters(column) + str(row) for row in range(int(b), int(d) + 1) for column in columns]
'''
TESTS = """import pytest

from project.module import CircularReference, Sheet, column_letters, column_number


def test_columns():
    assert [column_number(letters) for letters in ("A", "Z", "AA", "BC")] == [1, 26, 27, 55]
    assert [column_letters(number) for number in (1, 26, 27, 55)] == ["A", "Z", "AA", "BC"]


def test_plain_cells():
    sheet = Sheet({"A1": 3, "A2": "4.5"})
    assert (sheet.value("A1"), sheet.value("A2"), sheet.value("B9")) == (3.0, 4.5, 0.0)


def test_formulas():
    sheet = Sheet({"A1": 6, "A2": "=A1*2+1", "A3": "= 10 - A1 - 1", "A4": "=A2/A1*3"})
    assert sheet.value("A2") == 13
    assert sheet.value("A3") == 3
    assert sheet.value("A4") == 6.5


def test_sum():
    sheet = Sheet({"A1": 1, "B1": 2, "A2": 3, "C2": 100, "D1": "=SUM(A1:B2)+1"})
    assert sheet.value("D1") == 7


def test_changes_are_seen():
    sheet = Sheet({"A1": 1, "A2": "=A1+A1"})
    assert sheet.value("A2") == 2
    sheet.set("A1", 5)
    assert sheet.value("A2") == 10


def test_circle():
    sheet = Sheet({"A1": "=B1", "B1": "=A1+1"})
    with pytest.raises(CircularReference, match="A1 -> B1 -> A1"):
        sheet.value("A1")


def test_division_by_zero():
    with pytest.raises(ZeroDivisionError):
        Sheet({"A1": "=1/A2"}).value("A1")


def test_growth_over_years():
    sheet = Sheet({"A1": 1, "A2": 1})
    for row in range(3, 13):
        sheet.set("A%d" % row, "=A%d+A%d" % (row - 1, row - 2))
    sheet.set("B1", "=SUM(A1:A12)")
    assert sheet.value("B1") == 376
"""
