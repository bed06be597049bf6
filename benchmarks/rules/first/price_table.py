TARGET = "render_table"
SLOW = "each line is added to the text, widths are found per column over all rows, cells are formatted repeatedly"
SOURCE = '''"""Tables in plain text for mails and the console."""

from decimal import Decimal


class Column:
    def __init__(self, title, key, align="left", digits=None):
        self.title = title
        self.key = key
        self.align = align
        self.digits = digits

    def value(self, row):
        value = row
        for part in self.key.split("."):
            value = value.get(part) if value is not None else None
        return value

    def text(self, row):
        value = self.value(row)
        if value is None:
            return "-"
        if isinstance(value, bool):
            return "yes" if value else "no"
        if self.digits is not None and isinstance(value, (int, float, Decimal)):
            return "{:,.{}f}".format(value, self.digits)
        return " ".join(str(value).split())

    def width(self, rows):
        widths = [len(self.title)]
        for row in rows:
            widths.append(len(self.text(row)))
        return max(widths)


def pad(text, width, align):
    while len(text) < width:
        if align == "right":
            text = " " + text
        else:
            text = text + " "
    return text


def render_table(rows, columns, rule="-"):
    out = ""
    for column in columns:
        out += pad(column.title, column.width(rows), column.align) + "  "
    out = out.rstrip() + "\\n"
    out += rule * (sum(column.width(rows) for column in columns) + 2 * len(columns) - 2) + "\\n"
    for row in rows:
        line = ""
        for column in columns:
            if column.width(rows) == 0:
                continue
            line += pad(column.text(row), column.width(rows), column.align) + "  "
        out += line.rstrip() + "\\n"
    return out
'''
TESTS = """from decimal import Decimal

from project.module import Column, pad, render_table

COLUMNS = [Column("Article", "name"), Column("Price", "price", "right", 2)]


def test_table():
    rows = [{"name": "Tea", "price": Decimal("1234.5")}, {"name": "Green  bread", "price": 3}]
    assert render_table(rows, COLUMNS) == (
        "Article         Price\\n"
        "---------------------\\n"
        "Tea          1,234.50\\n"
        "Green bread      3.00\\n"
    )


def test_no_rows():
    assert render_table([], COLUMNS, "=") == "Article  Price\\n==============\\n"


def test_kinds_of_values():
    column = Column("x", "a.b")
    assert [column.text({"a": {"b": value}}) for value in (True, None, 3)] == ["yes", "-", "3"]
    assert column.text({}) == "-"


def test_pad():
    assert pad("ab", 4, "right") == "  ab"
    assert pad("ab", 1, "left") == "ab"


def test_many_rows():
    rows = [{"name": "article %d" % (n * n), "price": n * 1.5} for n in range(40)]
    lines = render_table(rows, COLUMNS).splitlines()
    assert len(lines) == 42
    assert lines[-1] == "article 1521  58.50"
"""
