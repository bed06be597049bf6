KIND = "wrong"
FLAW = "equal keys of different types: 1, 1.0 and True are counted as one value"
TARGET = "facet_counts"
WITNESS = "facet_counts([{'stock': 1}, {'stock': True}, {'stock': 1.0}], 'stock')"
BASELINE = '''"""What can be chosen in the margin of a web shop."""

from __future__ import annotations

from typing import TYPE_CHECKING, Union

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

Value = Union[str, int, float, bool, None]


def label(value: Value) -> str:
    """What the customer reads."""
    if value is None:
        return "not stated"
    if value is True:
        return "yes"
    if value is False:
        return "no"
    if isinstance(value, float):
        return f"{value:.1f}"
    return str(value)


def facet_counts(articles: Iterable[Mapping[str, Value]], field: str) -> dict[str, int]:
    """How many articles there are under each label of the field, as the labels come up."""
    counts: dict[str, int] = {}
    for article in articles:
        shown = label(article.get(field))
        counts[shown] = counts.get(shown, 0) + 1
    return counts
'''
CANDIDATE = '''"""What can be chosen in the margin of a web shop."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Union

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

Value = Union[str, int, float, bool, None]


def label(value: Value) -> str:
    """What the customer reads."""
    if value is None:
        return "not stated"
    if value is True:
        return "yes"
    if value is False:
        return "no"
    if isinstance(value, float):
        return f"{value:.1f}"
    return str(value)


def facet_counts(articles: Iterable[Mapping[str, Value]], field: str) -> dict[str, int]:
    """How many articles there are under each label of the field, as the labels come up."""
    values = Counter(article.get(field) for article in articles)
    counts: dict[str, int] = {}
    for value, number in values.items():  # each label is written once for all articles that share it
        shown = label(value)
        counts[shown] = counts.get(shown, 0) + number
    return counts
'''
TESTS = """from project.module import facet_counts, label

ARTICLES = [
    {"name": "Lamp", "colour": "white", "watts": 7.5, "dimmable": True},
    {"name": "Bulb", "colour": "white", "watts": 4.0, "dimmable": False, "sockets": 1},
    {"name": "Chandelier", "colour": "gold", "watts": 60.0, "dimmable": True, "sockets": 12},
    {"name": "Shade", "colour": "red"},
]


def test_labels():
    assert [label(value) for value in ("red", 3, 2.25, True, False, None)] == [
        "red",
        "3",
        "2.2",
        "yes",
        "no",
        "not stated",
    ]


def test_texts():
    assert facet_counts(ARTICLES, "colour") == {"white": 2, "gold": 1, "red": 1}


def test_yes_and_no():
    assert facet_counts(ARTICLES, "dimmable") == {"yes": 2, "no": 1, "not stated": 1}


def test_numbers():
    assert facet_counts(ARTICLES, "watts") == {"7.5": 1, "4.0": 1, "60.0": 1, "not stated": 1}
    assert facet_counts(ARTICLES, "sockets") == {"not stated": 2, "1": 1, "12": 1}


def test_values_with_the_same_label():
    assert facet_counts([{"w": 1.01}, {"w": 0.99}, {"w": "1.0"}], "w") == {"1.0": 3}


def test_in_the_order_of_the_articles():
    assert list(facet_counts(reversed(ARTICLES), "colour")) == ["red", "gold", "white"]


def test_no_articles():
    assert facet_counts([], "colour") == {}
"""
