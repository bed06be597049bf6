KIND = "wrong"
FLAW = "int and bool: a cache takes True for 1, so that a parameter is written as it was when it was the other"
TARGET = "encoded"
WITNESS = '[encoded({"balconies": 1}), encoded({"balconies": True})]'
BASELINE = '''"""What comes after the question mark in the address of a page."""

SAFE = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"


def _text(value):
    if value is True or value is False:
        value = str(value).lower()
    text = ""
    for sign in str(value):
        if sign in SAFE:
            text += sign
        else:
            for code in sign.encode():
                text += f"%{code:02X}"
    return text


def encoded(parameters):
    """Names and values as a query, in their order.

    A value is a text, a number, or true or false. A list stands for a parameter that comes several times; None is
    left out.
    """
    query = ""
    for name, value in parameters.items():
        values = value if isinstance(value, list) else [value]
        for single in values:
            if single is None:
                continue
            if not isinstance(single, (str, int, float)):
                raise TypeError(f"{name} cannot be {single!r}")
            if query:
                query += "&"
            query += _text(name) + "=" + _text(single)
    return query
'''
CANDIDATE = '''"""What comes after the question mark in the address of a page."""

from functools import lru_cache
from urllib.parse import quote


def _text(value):
    if value is True or value is False:
        value = str(value).lower()
    return quote(str(value), safe="")


@lru_cache(maxsize=1024)
def _pair(name, value):
    return f"{_text(name)}={_text(value)}"


def encoded(parameters):
    """Names and values as a query, in their order.

    A value is a text, a number, or true or false. A list stands for a parameter that comes several times; None is
    left out.
    """
    pairs = []
    for name, value in parameters.items():
        values = value if isinstance(value, list) else [value]
        for single in values:
            if single is None:
                continue
            if not isinstance(single, (str, int, float)):
                raise TypeError(f"{name} cannot be {single!r}")
            pairs.append(_pair(name, single))
    return "&".join(pairs)
'''
TESTS = """import pytest

from project.module import encoded


def test_texts_and_numbers():
    assert encoded({"city": "Bern", "rooms": 3, "rent": 1450.5}) == "city=Bern&rooms=3&rent=1450.5"


def test_true_and_false():
    assert encoded({"garden": True, "lift": False}) == "garden=true&lift=false"


def test_signs():
    assert encoded({"q": "a b&c/d~e", "größe": "é"}) == "q=a%20b%26c%2Fd~e&gr%C3%B6%C3%9Fe=%C3%A9"


def test_several_times():
    assert encoded({"tag": ["a", "b"], "page": 2}) == "tag=a&tag=b&page=2"


def test_left_out():
    assert encoded({"q": None, "tag": [None, "a"], "empty": ""}) == "tag=a&empty="
    assert encoded({}) == ""


def test_something_else():
    with pytest.raises(TypeError, match="area cannot be"):
        encoded({"area": {"from": 20}})
"""
