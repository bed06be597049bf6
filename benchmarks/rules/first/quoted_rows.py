TARGET = "read_row"
SLOW = "the text is cut by one character each time, fields grow by concatenation"
SOURCE = '''"""Reads the semicolon separated files that the accounting package exports."""


class BadRow(ValueError):
    pass


def next_char(text):
    if not text:
        return "", ""
    return text[0], text[1:]


def read_row(text, separator=";", quote='"'):
    """The fields of one row; a field in quotes may contain separators and doubled quotes."""
    fields = []
    field = ""
    quoted = False
    was_quoted = False
    while True:
        char, text = next_char(text)
        if char == "":
            if quoted:
                raise BadRow("quote was not closed in field %d" % (len(fields) + 1))
            fields = fields + [field if was_quoted else field.strip()]
            return fields
        if quoted:
            if char == quote:
                if text.startswith(quote):
                    field = field + quote
                    char, text = next_char(text)
                else:
                    quoted = False
            else:
                field = field + char
        elif char == quote and field.strip() == "":
            field = ""
            quoted = True
            was_quoted = True
        elif char == separator:
            fields = fields + [field if was_quoted else field.strip()]
            field = ""
            was_quoted = False
        else:
            field = field + char
'''
TESTS = '''import pytest

from project.module import BadRow, read_row


def test_plain():
    assert read_row("a;b ; c") == ["a", "b", "c"]


def test_empty():
    assert read_row("") == [""]
    assert read_row(";;") == ["", "", ""]


def test_quotes():
    assert read_row('1;"a;b";" c "') == ["1", "a;b", " c "]


def test_doubled_quotes():
    assert read_row('"say ""hi""";x') == ['say "hi"', "x"]


def test_not_closed():
    with pytest.raises(BadRow, match="field 2"):
        read_row('a;"b;c')


def test_other_separator():
    assert read_row("a,'b,c'", separator=",", quote="'") == ["a", "b,c"]


def test_wide_row():
    row = ";".join('"item ""%d"", red"; %d ' % (n, n) for n in range(250))
    fields = read_row(row)
    assert len(fields) == 500
    assert fields[-2:] == ['item "249", red', "249"]
'''
