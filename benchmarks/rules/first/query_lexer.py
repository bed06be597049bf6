TARGET = "tokenize"
SLOW = "the rest of the text is cut off at each token, lines are counted from its start, all kinds are tried"
SOURCE = '''"""Tokens of the query language."""

import re

KEYWORDS = ["select", "from", "where", "and", "or", "not", "order", "by", "limit", "in", "like", "is", "null"]

KINDS = [
    ("space", r"\\s+"),
    ("comment", r"--[^\\n]*"),
    ("number", r"\\d+(\\.\\d+)?"),
    ("string", r"'(?:[^']|'')*'"),
    ("name", r"[A-Za-z_]\\w*(\\.[A-Za-z_]\\w*)*"),
    ("operator", r"<=|>=|<>|[-+*/=<>]"),
    ("mark", r"[(),;]"),
]


class Token:
    def __init__(self, kind, text, line, column):
        self.kind = kind
        self.text = text
        self.line = line
        self.column = column


class LexError(Exception):
    pass


def place(source, position):
    before = source[:position]
    line = len(before.split("\\n"))
    return line, position - (before.rfind("\\n") + 1) + 1


def longest(rest):
    best = None
    for kind, pattern in KINDS:
        match = re.match(pattern, rest)
        if match and (best is None or len(match.group(0)) > len(best[1])):
            best = (kind, match.group(0))
    return best


def tokenize(source):
    position = 0
    while source[position:]:
        found = longest(source[position:])
        line, column = place(source, position)
        if found is None:
            raise LexError("unexpected %r in line %d, column %d" % (source[position], line, column))
        kind, text = found
        position += len(text)
        if kind in ("space", "comment"):
            continue
        if kind == "name" and text.lower() in KEYWORDS:
            kind, text = "keyword", text.lower()
        elif kind == "string":
            text = text[1:-1].replace("''", "'")
        yield Token(kind, text, line, column)
'''
TESTS = """import pytest

from project.module import LexError, tokenize


def shown(source):
    return [(token.kind, token.text) for token in tokenize(source)]


def test_query():
    assert shown("SELECT a.b, 'it''s' FROM t") == [
        ("keyword", "select"),
        ("name", "a.b"),
        ("mark", ","),
        ("string", "it's"),
        ("keyword", "from"),
        ("name", "t"),
    ]


def test_operators():
    assert shown("a<=1.50<>-2") == [
        ("name", "a"),
        ("operator", "<="),
        ("number", "1.50"),
        ("operator", "<>"),
        ("operator", "-"),
        ("number", "2"),
    ]


def test_comments():
    assert shown("-- all\\n1 -- one") == [("number", "1")]
    assert shown("") == []


def test_places():
    tokens = list(tokenize("a\\n  b ,\\n\\nc"))
    assert [(token.line, token.column) for token in tokens] == [(1, 1), (2, 3), (2, 5), (4, 1)]


def test_errors_come_when_they_are_reached():
    tokens = tokenize("a\\n ?")
    assert next(tokens).text == "a"
    with pytest.raises(LexError, match="unexpected '\\\\?' in line 2, column 2"):
        next(tokens)


def test_long_query():
    conditions = ["(name%d = 'v%d' and n > %d)" % (n, n, n) for n in range(50)]
    source = "select x\\nfrom t\\nwhere " + "\\n  or ".join(conditions)
    tokens = list(tokenize(source))
    assert len(tokens) == 5 + 50 * 9 + 49
    assert (tokens[-1].text, tokens[-1].line) == (")", 52)
"""
