from __future__ import annotations

import collections
import dataclasses
import datetime as dt
import math
import random
import typing
from collections.abc import Callable, Iterable, Iterator
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from bakeoff.instruments import neighbours
from bakeoff.instruments.generate import grow, growth
from bakeoff.instruments.values import Arguments, Indexed, Interrupting, Items, Keyed, OneShot, Raising, Text
from instruments.inputs import PLAIN, Colour, Pair, Point, arguments_of, firsts, key


class Slotted:
    __slots__ = ("_hidden", "shown")

    def __init__(self) -> None:
        self.shown = [1]
        self._hidden = "a"


NOON = dt.datetime.fromisoformat("2024-03-05 12:00")
# One value of each type that has a neighbourhood of its own, and what must be among the inputs that come of it.
NEIGHBOURS: list[tuple[object, Callable[[typing.Any], bool]]] = [
    (1234, lambda v: type(v) is int and v == 10**30),
    (1234, lambda v: type(v) is int and v == -1234),
    (1234, lambda v: type(v) is int and v == 10**18 - 1),
    (1234, lambda v: v is True),
    (True, lambda v: v is False),
    (1.5, lambda v: type(v) is float and math.isnan(v)),
    (1.5, lambda v: type(v) is float and math.isinf(v)),
    (1.5, lambda v: type(v) is float and str(v) == "-0.0"),
    (1.5, lambda v: type(v) is float and v == math.nextafter(1.5, 2)),
    (Decimal("1.0"), lambda v: type(v) is Decimal and v.is_nan()),
    (Fraction(1, 2), lambda v: v == Fraction(-1, 2)),
    (1 + 1j, lambda v: v == 1 - 1j),
    ("a-b", lambda v: v == ""),
    ("a-b", lambda v: type(v) is str and "\xdf" in v),
    ("a-b", lambda v: v == "A-B"),
    ("a-b", lambda v: v == "a--b"),
    ("a-b", lambda v: type(v) is str and "\u2028" in v),
    ("a-b", lambda v: type(v) is str and v.endswith("\n")),
    ("a-b", lambda v: type(v) is str and "\ud800" in v),
    ("a-b", lambda v: type(v) is str and len(v) == 10_000),
    ("a-b", lambda v: type(v) is Text),
    ("a, b\n1, 2", lambda v: v == "a, a\n1, 2"),
    ("a, b\n1, 2", lambda v: v == "a, b\n1, 1"),
    ("a, b\n1, 2", lambda v: v == "a, b\na, 2"),
    ("a, b\n1, 2", lambda v: v == "a, b\na, b"),
    (b"ab", lambda v: type(v) is bytes and b"\xff" in v),
    (bytearray(b"ab"), lambda v: type(v) is bytearray and not v),
    ([1, 2], lambda v: v == []),
    ([1, 2], lambda v: v == [1, 2, 1]),
    ([1, 2], lambda v: v == [1, 1, 2, 2]),
    ([1, 2], lambda v: v == [2, 1]),
    ([1, 2], lambda v: type(v) is list and len(v) == 50),
    ([1, 2], lambda v: type(v) is list and len(v) == 300),
    ([1, 2], lambda v: type(v) is list and any(part is True for part in v)),
    ([1, 2], lambda v: type(v) is OneShot),
    ([1, 2], lambda v: type(v) is Interrupting),
    ([1, 2], lambda v: type(v) is Indexed),
    ([1, 2], lambda v: type(v) is Items),
    ([1.5, 2.5], lambda v: type(v) is list and any(type(part) is float and math.isnan(part) for part in v)),
    ([[1], [2]], lambda v: type(v) is list and len(v) > 1 and v[0] is v[1]),
    ([[1], [2]], lambda v: type(v) is list and [] in v),
    ((1, 2), lambda v: v == (2, 1)),
    ({1, 2}, lambda v: v == set()),
    (frozenset({1, 2}), lambda v: type(v) is frozenset and len(v) == 50),
    (collections.deque([1, 2], 3), lambda v: type(v) is collections.deque and v.maxlen == 3 and not v),
    ({"a": 1, "b": 2}, lambda v: type(v) is dict and list(v) == ["b", "a"]),
    ({"a": 1, "b": 2}, lambda v: v == {"a": 1}),
    ({"a": 1, "b": 2}, lambda v: v == {"a": 2, "b": 1}),
    ({"a": 1, "b": 2}, lambda v: type(v) is dict and len(v) > 2),
    ({"a": 1, "b": 2}, lambda v: type(v) is collections.OrderedDict),
    ({"a": 1, "b": 2}, lambda v: type(v) is Keyed),
    (Colour.RED, lambda v: v is Colour.BLUE),
    (dt.date(2024, 3, 5), lambda v: v == dt.date(2024, 2, 29)),
    (NOON, lambda v: type(v) is dt.datetime and v.microsecond == 999_999),
    (NOON, lambda v: type(v) is dt.datetime and v.tzinfo is not None),
    (dt.time(1, 2), lambda v: v == dt.time(0)),
    (dt.timedelta(1), lambda v: v == dt.timedelta(0)),
    (range(3), lambda v: v == range(0)),
    (Path("a/b"), lambda v: v == Path("a")),
    (Point(1, 2), lambda v: v == Point(0, 2)),
    (Pair("a", 1), lambda v: v == Pair("", 1)),
    (key, lambda v: type(v) is Raising),
    (Slotted(), lambda v: type(v) is Slotted and v.shown == []),
    (np.array([1.0, 2.0]), lambda v: isinstance(v, np.ndarray) and v.size == 0),
    (np.array([1.0, 2.0]), lambda v: isinstance(v, np.ndarray) and v.dtype == float and bool(np.isnan(v).any())),
    (np.array([1.0, 2.0]), lambda v: isinstance(v, np.ndarray) and not v.flags.writeable),
]


@pytest.fixture
def loud(monkeypatch: pytest.MonkeyPatch) -> None:
    """An error in a neighbourhood is swallowed as a foreign one would be; here it is not."""
    monkeypatch.setattr(growth, "_until_it_raises", lambda changes: changes)


@pytest.mark.usefixtures("loud")
@pytest.mark.parametrize(("value", "wanted"), NEIGHBOURS)
def test_neighbourhoods(value: object, wanted: Callable[[object], bool]) -> None:
    grown = grow([arguments_of(value)], seed=1, limit=900)
    assert any(wanted(near) for one in grown for near in one.arguments.positional)


@settings(max_examples=30)
@given(st.lists(PLAIN, min_size=1, max_size=3))
@example([{"": None, "0": {"": None}}])
@example([{"0": {"": None}, "": None}])
def test_neighbourhoods_of_plain_values_raise_nothing(values: list[object]) -> None:
    """But where members of a set or keys of a dict would have to be hashable and are not."""
    raised: list[Exception] = []

    def followed(changes: Iterator[object]) -> Iterator[object]:
        try:
            yield from changes
        except Exception as error:  # noqa: BLE001
            raised.append(error)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(growth, "_until_it_raises", followed)
        list(grow([arguments_of(*values)], seed=0, limit=150))
    assert [error for error in raised if "unhashable" not in str(error)] == []


def test_fields_of_a_text_are_tied_in_each_line_and_each_column() -> None:
    text = "name; age\nAnn; 30\nBob; 41"
    tied = {one.arguments.positional[0] for one in firsts(text) if one.note.startswith("ties in text")}
    assert {
        "name; name\nAnn; 30\nBob; 41",
        "name; age\nAnn; Ann\nBob; 41",
        "name; age\nAnn; 30\nAnn; 41",
        "name; age\nAnn; 30\nBob; 30",
        "name; age\nAnn; 30\nAnn; 30",
    } <= tied


def test_telling_numbers_are_not_for_sizes() -> None:
    def sized(count: int) -> None: ...
    def unsized(key: int) -> None: ...

    for function, expected in ((sized, False), (unsized, True)):
        plain = [one for one in grow([arguments_of(1234)], function, seed=1, limit=600) if not one.widened]
        assert any(10**18 - 1 in one.arguments.positional for one in plain) is expected


def _steps(pairs: Iterable[tuple[object, object]]) -> int:
    """How far one can follow from a first thing to a second, and so on."""
    ahead = dict(pairs)
    longest = 0
    for start in ahead:
        here, steps = start, 0
        while here in ahead and steps <= len(ahead):
            here, steps = ahead[here], steps + 1
        longest = max(longest, steps)
    return longest


def _depth(value: object) -> int:
    """How many containers are around the innermost one."""
    layers, deepest = [value], 0
    while layers:
        inner = [part.values() if isinstance(part, dict) else part for part in layers if isinstance(part, (list, dict))]
        layers = [part for parts in inner for part in parts]
        deepest += 1
    return deepest


@pytest.mark.parametrize(
    ("value", "measured"),
    [
        ([Point(7, 0), Point(8, 7), Point(9, 7)], lambda found: _steps((point.x, point.y) for point in found)),
        ([("a", "b"), ("b", "c")], _steps),
        ([{"id": 1, "in": None}, {"id": 2, "in": 1}], lambda found: _steps((row["id"], row["in"]) for row in found)),
        ({"a": ["b", "c"], "b": []}, lambda found: _steps((key, part[0]) for key, part in found.items() if part)),
        ({"a": "b", "b": ""}, lambda found: _steps(found.items())),
        ({1: Point(2), 2: Point(0)}, lambda found: _steps((key, point.x) for key, point in found.items())),
        ({"name": "a", "parts": [{"name": "b", "parts": []}]}, _depth),
        ([1, [2, [3]]], _depth),
    ],
    ids=["records", "edges", "rows", "needs", "ways", "records by key", "tree", "lists"],
)
def test_what_leads_on_is_made_to_lead_far(value: object, measured: Callable[[object], int]) -> None:
    grown = list(grow([Arguments((value,))], seed=0, limit=150))
    found = [each.arguments.positional[0] for each in grown if each.deep and not each.widened]
    assert found
    assert max(map(measured, found)) >= 125


def test_where_nothing_leads_on_nothing_is_deep() -> None:
    values = ([Point(1, 5), Point(2, 6)], {"a": ["x"]}, {"name": "a", "parts": [{"size": 1}]}, [1, 2])
    assert not [each.note for value in values for each in grow([Arguments((value,))], seed=0, limit=150) if each.deep]


@dataclasses.dataclass(frozen=True)
class Sale:
    number: int
    who: str
    amount: int


def sale_dict(sale: Sale) -> dict[str, object]:
    return dataclasses.asdict(sale)


@pytest.mark.parametrize("form", [lambda sale: sale, sale_dict, dataclasses.astuple], ids=["class", "dict", "tuple"])
def test_records_are_tied_in_each_of_their_parts(form) -> None:
    sales = [form(Sale(1, "Ada", 5)), form(Sale(2, "Bo", 7)), form(Sale(3, "Cy", 1))]
    near = neighbours.Near(random.Random(0), {}, {})
    (ties,) = (one for one in neighbours.categories_of(sales) if one.name == "ties in records")
    found = [change.value for change in ties.changes(sales, near)]
    for expected in (Sale(1, "Bo", 7), Sale(2, "Ada", 7), Sale(2, "Bo", 5)):
        assert [sales[0], form(expected)] in found
        assert [form(expected), sales[0]] in found
    assert list(ties.changes([1, 2], near)) == []
    assert list(ties.changes([sales[0], sales[0]], near)) == []
