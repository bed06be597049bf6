from __future__ import annotations

import collections
import copy
import dataclasses
import datetime as dt
import enum
import itertools
import math
import threading
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bakeoff.instruments.shrink import shrink, size
from bakeoff.instruments.values import Arguments, Fingerprints, OneShot, Text

PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.binary(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.lists(inner, max_size=3).map(tuple)
        | st.dictionaries(st.text(max_size=3), inner, max_size=3)
        | st.sets(st.integers(), max_size=4)
    ),
    max_leaves=12,
)


class Colour(enum.Enum):
    RED = 1
    GREEN = 2
    BLUE = 3


@dataclasses.dataclass
class Order:
    name: str
    lines: list[int]

    def __post_init__(self) -> None:
        if not self.name:
            raise ValueError("no name")


class Cart:
    def __init__(self, items: dict[str, int]) -> None:
        self._items = items
        self.lock = threading.Lock()


def of(*values: object, **keywords: object) -> Arguments:
    return Arguments(values, keywords)


def text_of(arguments: Arguments) -> str:
    return Fingerprints().of((arguments.positional, arguments.keywords))


# A value, what must stay true of it, and the smallest of which it is.
SMALLEST: list[tuple[object, Callable[[Any], bool], object]] = [
    (1000, lambda v: v > 17, 18),
    (-1000, lambda v: v < -17, -18),
    (10**30, lambda v: v > 2**53, 2**53 + 1),
    (3.75, lambda v: v > 2, 3.0),
    (math.nan, lambda v: v != v, math.nan),
    (1234.5678, lambda v: v != int(v), 0.5),
    (True, lambda v: type(v) is bool, False),
    ("Hello, W\xf6rld", lambda v: "\xf6" in v, "\xf6"),
    ("Hello, World", lambda v: len(v) > 3, "aaaa"),
    ("x\ny", lambda v: "\n" in v, "\n"),
    (b"abc\xffdef", lambda v: b"\xff" in v, b"\xff"),
    ([5, 3, 9, 3, 1], lambda v: len(v) != len(set(v)), [0, 0]),
    ([5, 3, 9], lambda v: v != sorted(v), [1, 0]),
    (list(range(100)), lambda v: max(v) >= 50, [50]),
    ((1, "abc", [7]), lambda v: len(v) > 1, (0, "")),
    ({"a": 1, "b": [2, 3]}, lambda v: "b" in v, {"b": []}),
    ({"x": 1, "y": 2, "z": 3}, lambda v: len(v) > 1, {"": 0, "a": 0}),
    ({5, 6, 7}, lambda v: len(v) > 1, {0, 1}),
    (collections.deque([1, 2, 3]), lambda v: len(v) > 0, collections.deque([0])),
    ([[[[1], [2]]]], lambda v: isinstance(v, list), []),
    ([[[5, 6, 7]]], lambda v: "6" in str(v), [6]),
    (Order("Fred", [3, 4, 5]), lambda v: len(v.lines) > 1, Order("a", [0, 0])),
    (Decimal("12.345"), lambda v: v != 0, Decimal(1)),
    (Colour.BLUE, lambda v: v is not Colour.RED, Colour.GREEN),
    (dt.date(2023, 11, 30), lambda v: v.month == 11, dt.date(2000, 11, 1)),
    (dt.timedelta(3, 4, 5), lambda v: v > dt.timedelta(0), dt.timedelta(1)),
    (OneShot([1, 2]), lambda v: iter(v) is not None, []),
    (Text("ab"), lambda v: "a" in v, "a"),
]


@pytest.mark.parametrize(("value", "holds", "smallest"), SMALLEST)
def test_the_smallest(value: object, holds: Callable[[object], bool], smallest: object) -> None:
    found = shrink(of(value), lambda given: bool(holds(given.positional[0])))
    assert text_of(found) == text_of(of(smallest))


def test_an_iterator_stays_one_where_it_matters() -> None:
    (found,) = shrink(of(OneShot([5, 6])), lambda given: next(given.positional[0]) > 2).positional
    assert type(found) is OneShot
    assert found.values == [3]


def test_arguments_that_do_not_matter_go() -> None:
    found = shrink(of([3], "b", [1], x=1, y=2), lambda given: given.keywords["y"] == 2 and len(given.positional) > 0)
    assert text_of(found) == text_of(of([], y=2))


def test_sharing_goes_unless_it_matters() -> None:
    part = [5, 6, 7]
    found = shrink(of(part, part), lambda given: len(given.positional[0]) > 1 and given.positional[1] is not None)
    assert text_of(found) == text_of(of([0, 0], []))
    found = shrink(
        of(part, part), lambda given: given.positional[0] is given.positional[1] and 6 in given.positional[0]
    )
    assert found.positional[0] is found.positional[1]
    assert found.positional[0] == [6]


def test_shared_objects_inside_are_shrunk_together() -> None:
    part = {"a": [9, 8]}
    found = shrink(of([part, part, {"b": 1}]), lambda given: given.positional[0][0] is given.positional[0][1])
    empty: dict[str, int] = {}
    assert text_of(found) == text_of(of([empty, empty]))


def test_an_object_loses_what_does_not_matter_and_keeps_what_cannot_be_copied() -> None:
    cart = Cart({"a": 3, "b": 4, "c": 5})
    (found,) = shrink(of(cart), lambda given: sum(given.positional[0]._items.values()) >= 4).positional
    assert list(found._items.values()) == [4]
    assert cart._items == {"a": 3, "b": 4, "c": 5}


def test_arrays() -> None:
    found = shrink(of(np.arange(40)), lambda given: bool(given.positional[0].max() > 30)).positional[0]
    assert len(found) == 1


def test_what_is_asked_about_may_be_changed() -> None:
    def fails(given: Arguments) -> bool:
        values = given.positional[0]
        found = len(values) > 1
        values.clear()
        return found

    start = [4, 5, 6]
    assert shrink(of(start), fails).positional == ([0, 0],)
    assert start == [4, 5, 6]


def test_what_raises_does_not_hold() -> None:
    found = shrink(of([1, 2, 3]), lambda given: given.positional[0][1] is not None)
    assert found.positional == ([0, 0],)
    given = of([1, 2])
    assert shrink(given, lambda _: 1 // 0 == 0) is given


def test_no_more_questions_than_allowed() -> None:
    asked = []

    def fails(given: Arguments) -> bool:
        asked.append(given)
        return len(given.positional[0]) > 3

    shrink(of(list(range(1000))), fails, budget=25)
    assert len(asked) <= 25


def test_values_without_end_and_nested_deeply_stop_nothing() -> None:
    endless: list[object] = [1, 2]
    endless.append(endless)
    found = shrink(of(endless, 7), lambda given: given.positional[1] > 3)
    assert found.positional[1] == 4
    deep: list[object] = []
    for _ in range(500):
        deep = [deep]
    found = shrink(of(deep), lambda given: given.positional[0] == [[]] or len(given.positional[0]) == 1)
    assert found.positional[0] in ([[]], [0])


@given(PLAIN, PLAIN, st.integers(0, 30))
def test_it_gets_smaller_with_each_step_and_holds_to_the_end(one: object, other: object, least: int) -> None:
    given_ = of(one, key=other)
    before, was = copy.deepcopy(given_), text_of(given_)
    held: list[tuple[int, int, int]] = [size(given_)]

    def fails(given: Arguments) -> bool:
        holds = size(given)[1] >= least
        if holds:
            held.append(size(given))
        return holds

    found = shrink(given_, fails, budget=150)
    assert all(later < earlier for earlier, later in itertools.pairwise(held))
    assert size(found) == held[-1]
    assert text_of(found) == text_of(shrink(before, lambda given: size(given)[1] >= least, budget=150))
    assert text_of(given_) == was
