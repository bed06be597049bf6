KIND = "wrong"
FLAW = "subclasses: a datetime is a date, and a named tuple a tuple, but not by its exact type"
TARGET = "text_of"
WITNESS = "card('Lamp', {'Found': dt.datetime(1922, 11, 4, 10, 0)})"
BASELINE = r'''"""The cards beside the pieces of a museum."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


def text_of(value: object) -> str:
    """A value as visitors read it."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.1f}"
    if isinstance(value, dt.date):
        return f"{value.day}.{value.month}.{value.year}"
    if isinstance(value, (list, tuple)):
        return ", ".join(text_of(one) for one in value)
    return str(value)


def card(title: str, fields: Mapping[str, object]) -> str:
    """The title and below it the fields, one in a line, without those that say nothing."""
    lines = [title]
    for name, value in fields.items():
        shown = text_of(value)
        if shown:
            lines.append(f"{name}: {shown}")
    return "\n".join(lines)
'''
CANDIDATE = r'''"""The cards beside the pieces of a museum."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


def _many(values: list[object] | tuple[object, ...]) -> str:
    return ", ".join([text_of(one) for one in values])


def _day(day: dt.date) -> str:
    return f"{day.day}.{day.month}.{day.year}"


_TEXTS: dict[type, Callable] = {
    type(None): lambda _: "",
    bool: lambda value: "yes" if value else "no",
    float: "{:.1f}".format,
    dt.date: _day,
    list: _many,
    tuple: _many,
}


def text_of(value: object) -> str:
    """A value as visitors read it."""
    return _TEXTS.get(type(value), str)(value)


def card(title: str, fields: Mapping[str, object]) -> str:
    """The title and below it the fields, one in a line, without those that say nothing."""
    lines = [title]
    for name, value in fields.items():
        shown = text_of(value)
        if shown:
            lines.append(f"{name}: {shown}")
    return "\n".join(lines)
'''
TESTS = r"""import datetime as dt

import pytest

from project.module import card, text_of


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, ""),
        (True, "yes"),
        (False, "no"),
        (12, "12"),
        (2.25, "2.2"),
        ("oil", "oil"),
        (dt.date(1889, 6, 1), "1.6.1889"),
    ],
)
def test_single_values(value, text):
    assert text_of(value) == text


def test_lists():
    assert text_of(["oil", "canvas"]) == "oil, canvas"
    assert text_of((73.7, 92.1)) == "73.7, 92.1"


def test_lists_within_lists():
    assert text_of([True, [1, (2.0,)]]) == "yes, 1, 2.0"


def test_a_card():
    fields = {"Painter": "V. van Gogh", "Bought": dt.date(1941, 3, 9), "Lent": None, "Size": [73.7, 92.1]}
    assert card("Starry Night", fields) == "Starry Night\nPainter: V. van Gogh\nBought: 9.3.1941\nSize: 73.7, 92.1"


def test_a_card_without_fields():
    assert card("Untitled", {}) == "Untitled"


def test_nought_is_shown():
    assert card("Vase", {"Handles": 0, "Signed": False}) == "Vase\nHandles: 0\nSigned: no"
"""
