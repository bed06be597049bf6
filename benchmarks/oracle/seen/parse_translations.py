KIND = "wrong"
FLAW = "newlines: splitlines also cuts at form feeds and Unicode separators"
TARGET = "parse"
WITNESS = 'parse("note = first\\u2028second")'
BASELINE = r'''"""Files with translated texts: one `key = text` on each line."""

from __future__ import annotations


class BadLine(ValueError):
    """Raised for a line that is neither empty, nor a comment, nor `key = text`."""


def parse(content: str) -> dict[str, str]:
    """The texts by their keys; a later line replaces an earlier one. A backslash with an n begins a new line."""
    texts: dict[str, str] = {}
    number = 0
    rest = content
    while rest:
        line, _, rest = rest.partition("\n")
        number += 1
        line = line.strip()
        if line == "" or line[0] == "#":
            continue
        if "=" not in line:
            raise BadLine(f"line {number}: {line}")
        position = line.index("=")
        key = line[:position].strip()
        text = line[position + 1 :].strip()
        texts[key] = text.replace("\\n", "\n")
    return texts
'''
CANDIDATE = r'''"""Files with translated texts: one `key = text` on each line."""

from __future__ import annotations


class BadLine(ValueError):
    """Raised for a line that is neither empty, nor a comment, nor `key = text`."""


def parse(content: str) -> dict[str, str]:
    """The texts by their keys; a later line replaces an earlier one. A backslash with an n begins a new line."""
    texts: dict[str, str] = {}
    for number, raw in enumerate(content.splitlines(), start=1):
        line = raw.strip()
        if not line or line.startswith("#"):
            continue
        key, equals, text = line.partition("=")
        if not equals:
            raise BadLine(f"line {number}: {line}")
        texts[key.rstrip()] = text.lstrip().replace("\\n", "\n")
    return texts
'''
TESTS = r"""import pytest

from project.module import BadLine, parse


def test_texts_by_key():
    assert parse("yes = ja\nno = nein\n") == {"yes": "ja", "no": "nein"}


def test_comments_and_empty_lines():
    assert parse("# German\n\n  # more\nyes = ja") == {"yes": "ja"}


def test_an_equals_sign_in_the_text():
    assert parse("sum = 1 + 1 = 2") == {"sum": "1 + 1 = 2"}


def test_windows_line_ends():
    assert parse("yes = ja\r\nno = nein\r\n") == {"yes": "ja", "no": "nein"}


def test_a_new_line_in_a_text():
    assert parse(r"hello = Guten Tag,\nliebe Leute") == {"hello": "Guten Tag,\nliebe Leute"}


def test_the_last_one_counts():
    assert parse("a = 1\na =\n") == {"a": ""}


def test_a_bad_line_is_named():
    with pytest.raises(BadLine, match="line 3: broken"):
        parse("a = 1\n\nbroken\n")


def test_nothing():
    assert parse("") == {}
"""
