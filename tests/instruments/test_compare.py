from __future__ import annotations

import array
import collections
import copy
import dataclasses
import datetime as dt
import decimal
import fractions
import functools
import io
import itertools
import math
import operator
import pathlib
import random
import re
import sys
import threading
import types
import uuid
import zoneinfo
from typing import Any, NamedTuple

import attrs
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bakeoff.instruments.compare import KINDS, Difference, Rules, difference, shown

WORLD = """
import collections, dataclasses, enum, typing

class Colour(enum.Enum):
    RED = 1
    BLUE = 2

class Mode(enum.IntFlag):
    READ = 1
    WRITE = 2

class Pair(typing.NamedTuple):
    left: object
    right: object

@dataclasses.dataclass
class Point:
    x: object = 1
    y: object = 2

@dataclasses.dataclass(frozen=True)
class Fixed:
    x: object = 1

class Plain:
    def __init__(self, **held):
        self.__dict__.update(held)

class Slotted:
    __slots__ = ("a", "__b")
    def __init__(self, a=1, b=2):
        self.a = a
        self.__b = b

class Liar:
    def __init__(self, x):
        self.x = x
    def __eq__(self, other):
        raise AssertionError("nobody asks")
    def __hash__(self):
        return 1
    def __getattribute__(self, name):
        raise AssertionError("nobody reads")
    __class__ = property(lambda self: int)
    __repr__ = __len__ = __bool__ = __iter__ = __eq__

class Items(list):
    def __iter__(self):
        raise AssertionError("nobody iterates")
    __len__ = __eq__ = __getitem__ = __repr__ = __iter__

class Text(str):
    __eq__ = __ne__ = __str__ = __repr__ = None
    __hash__ = str.__hash__

class Table(dict):
    __iter__ = items = keys = __len__ = __getitem__ = None

class Trouble(ValueError):
    pass

class Spoken(Exception):
    def __str__(self):
        return "told"

def function(x):
    return x

def closing(over):
    return lambda x: x + over

def module():
    return collections
"""


def world(source: str = WORLD) -> types.SimpleNamespace:
    """The project's module, loaded once more."""
    module = types.ModuleType("project.module")
    before = sys.modules.get("project.module")
    sys.modules["project.module"] = module  # dataclasses look their module up
    try:
        exec(compile(source, "module.py", "exec"), vars(module))
    finally:
        if before is None:
            del sys.modules["project.module"]
        else:
            sys.modules["project.module"] = before
    return types.SimpleNamespace(**vars(module))


ONE, OTHER = world(), world()
NAN = float("nan")
NAIVE = dt.datetime(2024, 1, 1)  # noqa: DTZ001 (one without a zone is meant)


@attrs.define
class Attrs:
    x: object = 1


class Named(NamedTuple):
    x: object
    y: object = 2


def told(value: object, other: object, **rules: Any) -> tuple[str, str] | None:
    found = difference(value, other, Rules(**rules))
    if found is None:
        return None
    assert found.kind in KINDS
    assert len(found.expected) <= 500
    assert len(found.actual) <= 500
    assert isinstance(found.path, str)
    return found.path, found.kind


def raised(function: Any) -> BaseException:
    try:
        function()
    except ValueError as error:
        return error
    raise AssertionError("it was to raise")


def chained(*, cause: object = None, context: object = None) -> Exception:
    error = ValueError("x")
    error.__cause__ = cause  # type: ignore[assignment]
    error.__suppress_context__ = cause is not None
    error.__context__ = context  # type: ignore[assignment]
    return error


def noted(note: str) -> Exception:
    error = ValueError("x")
    error.add_note(note)
    return error


def advanced(iterator: Any, steps: int = 1) -> Any:
    for _ in range(steps):
        next(iterator)
    return iterator


def counted(values: dict[str, int]) -> Any:
    return collections.Counter(values)


def moved() -> Any:
    ordered = collections.OrderedDict(a=1, b=2)
    ordered.move_to_end("a")
    return ordered


def unset() -> Any:
    value = ONE.Slotted()
    del value.a
    return value


def masked(values: list[float], mask: list[bool]) -> Any:
    return np.ma.masked_array(values, mask)


def self_holding() -> list[Any]:
    value: list[Any] = [1]
    value.append(value)
    return value


def twins() -> tuple[list[Any], list[Any]]:
    shared: list[int] = []
    return [shared, shared], [[], []]


SAME: list[tuple[str, Any, Any]] = [
    ("nan", NAN, -math.nan),
    ("complex nan", complex(NAN, 1), complex(NAN, 1)),
    ("tuple of nan", (NAN,), (math.nan,)),
    ("large int", 10**5000, 10**5000),
    ("nested", [1, {"a": (2, [3])}], [1, {"a": (2, [3])}]),
    ("named tuple", Named(1), Named(1)),
    ("named tuples of two worlds", ONE.Pair(1, [2]), OTHER.Pair(1, [2])),
    ("dataclasses of two worlds", ONE.Point([1]), OTHER.Point([1])),
    ("slots of two worlds", ONE.Slotted(), OTHER.Slotted()),
    ("enum of two worlds", ONE.Colour.RED, OTHER.Colour.RED),
    ("flags of two worlds", ONE.Mode.READ | ONE.Mode.WRITE, OTHER.Mode.READ | OTHER.Mode.WRITE),
    ("classes of two worlds", ONE.Point, OTHER.Point),
    ("functions of two worlds", ONE.function, OTHER.function),
    ("lambdas of two worlds", ONE.closing(1), OTHER.closing(1)),
    ("methods of two worlds", ONE.Point(1).__init__, OTHER.Point(1).__init__),
    ("set of two worlds", {ONE.Colour.RED, ONE.Colour.BLUE}, {OTHER.Colour.BLUE, OTHER.Colour.RED}),
    ("keys of two worlds", {ONE.Fixed(1): 1, ONE.Fixed(2): 2}, {OTHER.Fixed(1): 1, OTHER.Fixed(2): 2}),
    ("exceptions of two worlds", ONE.Trouble("x"), OTHER.Trouble("x")),
    ("those who lie", ONE.Liar([1]), OTHER.Liar([1])),
    (
        "set of those who lie",
        {
            ONE.Liar(1),
        },
        {OTHER.Liar(1)},
    ),
    ("list with methods of its own", ONE.Items([1, 2]), OTHER.Items([1, 2])),
    ("text with methods of its own", ONE.Text("a"), OTHER.Text("a")),
    ("dict with methods of its own", ONE.Table(a=1), OTHER.Table(a=1)),
    ("set", {1, "a", None}, {None, "a", 1}),
    ("set of nan", {NAN, 1}, {1, float("nan")}),
    ("set of sets", {frozenset({1, 2}), frozenset({3})}, {frozenset({3}), frozenset({2, 1})}),
    ("key that is nan", {NAN: 1}, {float("nan"): 1}),
    ("attributes have no order", ONE.Plain(a=1, b=2), OTHER.Plain(b=2, a=1)),
    ("deque", collections.deque([1, 2], 3), collections.deque([1, 2], 3)),
    ("defaultdict", collections.defaultdict(list, a=[1]), collections.defaultdict(list, a=[1])),
    ("counter", counted({"a": 1}), counted({"a": 1})),
    ("views", [{1: 2}.keys(), {1: 2}.values(), {1: 2}.items()], [{1: 2}.keys(), {1: 2}.values(), {1: 2}.items()]),
    ("proxy", types.MappingProxyType({1: [2]}), types.MappingProxyType({1: [2]})),
    ("array", array.array("d", [1, NAN]), array.array("d", [1, NAN])),
    ("memoryview", memoryview(b"abc"), memoryview(b"abc")),
    ("decimal nan", decimal.Decimal("NaN"), decimal.Decimal("NaN")),
    ("fraction", fractions.Fraction(1, 3), fractions.Fraction(1, 3)),
    ("aware", dt.datetime(2024, 1, 1, tzinfo=dt.UTC), dt.datetime(2024, 1, 1, tzinfo=dt.UTC)),
    ("zone", zoneinfo.ZoneInfo.no_cache("UTC"), zoneinfo.ZoneInfo.no_cache("UTC")),
    ("pattern", re.compile("a+"), re.compile("a+")),
    ("match", re.match("a(b)", "abc"), re.match("a(b)", "abc")),
    ("path", pathlib.Path("a/b"), pathlib.Path("a") / "b"),
    ("uuid", uuid.UUID(int=5), uuid.UUID(int=5)),
    ("namespace", types.SimpleNamespace(a=[1]), types.SimpleNamespace(a=[1])),
    ("partial", functools.partial(print, 1, sep=""), functools.partial(print, 1, sep="")),
    ("itemgetter", operator.itemgetter(1, 2), operator.itemgetter(1, 2)),
    ("bound method in C", [1].append, [1].append),
    ("code", ONE.function.__code__, OTHER.function.__code__),
    ("generic alias", list[int], list[int]),
    ("union", int | None, int | None),
    ("typing", list[Any] | None, list[Any] | None),
    ("random", random.Random(5), random.Random(5)),
    ("attrs", Attrs([1]), Attrs([1])),
    ("lock", threading.Lock(), threading.Lock()),
    ("object", object(), object()),
    ("text file in memory", io.StringIO("abc"), io.StringIO("abc")),
    ("list iterator", advanced(iter([0, 1, 2])), iter([1, 2])),
    ("used up", advanced(iter([1])), advanced(iter([2]))),
    ("backwards", reversed([1, 2]), advanced(reversed([1, 2, 3]))),
    ("backwards over text", reversed("ab"), reversed("ab")),
    ("set iterator", iter({1, 2}), iter({2, 1})),
    ("dict iterator", advanced(iter({0: 1, 1: 2})), iter({1: 2})),
    ("long range iterator", iter(range(10**30)), iter(range(10**30))),
    ("map", map(str, [1]), map(str, [1])),
    ("zip", zip([1], "a", strict=False), zip([1], "a", strict=False)),
    ("empty zip", zip(), zip()),
    ("repeat", itertools.repeat("ab", 2), itertools.repeat("ab", 2)),
    ("chain", itertools.chain([1], [2]), itertools.chain([1], [2])),
    ("generators are not told apart", (i for i in [1]), (i for i in [2])),
    ("cause", chained(cause=KeyError(1)), chained(cause=KeyError(1))),
    ("context of one type", chained(context=KeyError(1)), chained(context=KeyError(2))),
    ("address in a message", ValueError("<X object at 0x7f01>"), ValueError("<X object at 0x7f02>")),
    ("decode error", raised(b"\xff".decode), raised(b"\xff".decode)),
    ("group", ExceptionGroup("g", [ValueError(1)]), ExceptionGroup("g", [ValueError(1)])),
    ("itself", self_holding(), self_holding()),
    ("small things may be shared", [(1, 2)] * 2, [(1, 2), (1, 2 + 0)]),
    ("frozen ones may be shared", [ONE.Fixed()] * 2, [OTHER.Fixed(), OTHER.Fixed()]),
    ("numpy", np.array([1.0, np.nan]), np.array([1.0, np.nan])),
    ("numpy order", np.ones((2, 3)), np.asfortranarray(np.ones((2, 3)))),
    ("numpy objects", np.array([1, [2], None], dtype=object), np.array([1, [2], None], dtype=object)),
    ("numpy records", np.zeros(2, "i4,f8"), np.zeros(2, "i4,f8")),
    ("numpy number", np.float64(NAN), np.float64(NAN)),
    ("numpy time", np.array(["NaT", "2024"], "M8[s]"), np.array(["NaT", "2024"], "M8[s]")),
    ("numpy complex", np.array([1j, complex(NAN, 0)]), np.array([1j, complex(NAN, 0)])),
    ("numpy text", np.array(["a", "bc"]), np.array(["a", "bc"])),
    ("numpy void", np.zeros(1, "V3"), np.zeros(1, "V3")),
    ("numpy empty", np.zeros((0, 3)), np.zeros((0, 3))),
    ("numpy dtype", np.dtype("i4"), np.dtype("i4")),
    ("numpy masked", masked([1, 2], [False, True]), masked([1, 3], [False, True])),
    ("numpy generator", np.random.default_rng(1), np.random.default_rng(1)),
]

DIFFERENT: list[tuple[Any, Any, str, str]] = [
    (1, 2, "", "value"),
    (1, True, "", "type"),
    (1, 1.0, "", "type"),
    (None, 0, "", "type"),
    (0.0, -0.0, "", "value"),
    (1.0, math.nextafter(1.0, 2), "", "value"),
    (1.0, NAN, "", "value"),
    (complex(0.0, 0.0), complex(0.0, -0.0), "", "value"),
    ("a", "b", "", "value"),
    ("x" * 300 + "a", "x" * 300 + "b", "", "value"),
    (b"a", bytearray(b"a"), "", "type"),
    (bytearray(b"a"), bytearray(b"b"), "", "value"),
    ([1, 2], [1, 3], "[1]", "value"),
    ([1, 2], [1], "", "length"),
    ([1, 2], (1, 2), "", "type"),
    ([1] * 50, [1] * 49 + [True], "[49]", "type"),
    ([0.0] * 50, [0.0] * 49 + [-0.0], "[49]", "value"),
    (list(range(5000)), [*range(4998), 0, 4999], "[4998]", "value"),
    ([[[1]]], [[[2]]], "[0][0][0]", "value"),
    ({"a": [1]}, {"a": [2]}, "['a'][0]", "value"),
    ({"a": 1, "b": 2}, {"b": 2, "a": 1}, "", "order"),
    ({"a": 1}, {"a": 1, "b": 2}, "['b']", "keys"),
    ({"a": 1, "b": 2}, {"a": 1}, "['b']", "keys"),
    ({1: 1}, {True: 1}, "[1]", "keys"),
    ({(1, 2): [1]}, {(1, 2): [2]}, "[(1, 2)][0]", "value"),
    ({ONE.Fixed(1): 1}, {OTHER.Fixed(1): 2}, "[Fixed(x=1)]", "value"),
    ({1, 2}, {1, 3}, "{2}", "members"),
    ({1}, {1, 2}, "{2}", "members"),
    ({ONE.Fixed([0][0]), ONE.Fixed("a")}, {OTHER.Fixed(0), OTHER.Fixed("b")}, "{Fixed(x='a')}", "members"),
    ({frozenset({1})}, {frozenset({2})}, "{frozenset({1})}{1}", "members"),
    ({1}, frozenset({1}), "", "type"),
    (Named(1, 2), Named(1, 3), ".y", "value"),
    (ONE.Pair(1, 2), (1, 2), "", "type"),
    (ONE.Point(1, [2]), OTHER.Point(1, [3]), ".y[0]", "value"),
    (ONE.Point(), ONE.Fixed(), "", "type"),
    (ONE.Plain(a=1), OTHER.Plain(), ".a", "attributes"),
    (ONE.Plain(), OTHER.Plain(a=1), ".a", "attributes"),
    (ONE.Slotted(1), OTHER.Slotted(2), ".a", "value"),
    (ONE.Slotted(1, 2), OTHER.Slotted(1, 3), "._Slotted__b", "value"),
    (ONE.Slotted(), unset(), ".a", "attributes"),
    (ONE.Liar([1]), OTHER.Liar([2]), ".x[0]", "value"),
    (ONE.Items([1]), OTHER.Items([2]), "[0]", "value"),
    (ONE.Items([1]), [1], "", "type"),
    (ONE.Text("a"), OTHER.Text("b"), "", "value"),
    (ONE.Text("a"), "a", "", "type"),
    (ONE.Table(a=1), OTHER.Table(a=2), "['a']", "value"),
    (Attrs(1), Attrs(2), ".x", "value"),
    (collections.OrderedDict(a=1, b=2), moved(), "", "order"),
    (collections.defaultdict(list), collections.defaultdict(set), ".default_factory", "value"),
    (collections.defaultdict(list), {}, "", "type"),
    (counted({"a": 1}), counted({"a": 2}), "['a']", "value"),
    (collections.deque([1]), collections.deque([1], 2), ".maxlen", "type"),
    (collections.deque([1]), collections.deque([2]), "[0]", "value"),
    ({1: 2}.keys(), {2: 2}.keys(), "[1]", "keys"),
    ({1: 2}.values(), {1: 3}.values(), "[0]", "value"),
    ({1: 2}.items(), {1: 3}.items(), "[1]", "value"),
    ({1: 2}.keys(), [1], "", "type"),
    (types.MappingProxyType({1: 2}), types.MappingProxyType({1: 3}), "[1]", "value"),
    (range(3), range(4), ".stop", "value"),
    (slice(1), slice(2), ".stop", "value"),
    (memoryview(b"a"), memoryview(bytearray(b"a")), ".readonly", "value"),
    (memoryview(b"a"), memoryview(b"b"), "", "value"),
    (array.array("i", [1]), array.array("l", [1]), ".typecode", "type"),
    (array.array("i", [1, 2]), array.array("i", [1, 3]), "[1]", "value"),
    (decimal.Decimal("1.0"), decimal.Decimal("1.00"), "", "value"),
    (decimal.Decimal(0), decimal.Decimal("-0"), "", "value"),
    (fractions.Fraction(1, 3), fractions.Fraction(2, 3), "._numerator", "value"),
    (dt.date(2024, 1, 1), NAIVE, "", "type"),
    (dt.date(2024, 1, 1), dt.date(2024, 1, 2), ".day", "value"),
    (NAIVE, NAIVE.replace(fold=1), ".fold", "value"),
    (NAIVE, dt.datetime(2024, 1, 1, tzinfo=dt.UTC), ".tzinfo", "type"),
    (dt.timezone(dt.timedelta(1 / 24)), dt.timezone(dt.timedelta(2 / 24)), "[0].seconds", "value"),
    (dt.timedelta(1), dt.timedelta(2), ".days", "value"),
    (zoneinfo.ZoneInfo("UTC"), zoneinfo.ZoneInfo("GMT"), ".key", "value"),
    (ONE.Colour.RED, OTHER.Colour.BLUE, ".name", "value"),
    (ONE.Mode.READ, 1, "", "type"),
    (re.compile("a"), re.compile("a", re.IGNORECASE), ".flags", "value"),
    (re.match("a|b", "a"), re.match("a|b", "b"), ".string", "value"),
    (pathlib.Path("a"), pathlib.Path("b"), "", "value"),
    (pathlib.PurePosixPath("a"), pathlib.PureWindowsPath("a"), "", "type"),
    (uuid.UUID(int=5), uuid.UUID(int=6), ".int", "value"),
    (types.SimpleNamespace(a=1), types.SimpleNamespace(a=2), ".a", "value"),
    (functools.partial(print, 1), functools.partial(print, 2), ".args[0]", "value"),
    (operator.itemgetter(1), operator.itemgetter(2), ".__reduce_ex__(2)[1][0]", "value"),
    (random.Random(5), random.Random(6), None, "value"),  # type: ignore[list-item]
    (len, max, "", "value"),
    (int, str, "", "value"),
    (ONE.Point, OTHER.Fixed, "", "value"),
    (ONE.function, OTHER.module, "", "value"),
    (ONE.closing(1), OTHER.closing(2), ".__closure__[0][0]", "value"),
    (lambda: 1, lambda: 2, ".__code__.co_consts[1]", "value"),
    (lambda x=1: x, lambda x=2: x, ".__defaults__[0]", "value"),
    ([1].append, [2].append, ".__self__[0]", "value"),
    (list[int], list[str], ".__args__[0]", "value"),
    (math, re, "", "value"),
    (io.StringIO("a"), io.StringIO("b"), ".getvalue()", "value"),
    (iter([1]), iter([2]), "[0]", "value"),
    (iter([1]), [1], "", "type"),
    ((i for i in [1]), [1], "", "type"),
    (map(str, [1]), map(str, [2]), ".__reduce__()[1][1][0]", "value"),
    (enumerate([1]), enumerate([1], 1), ".__reduce__()[1][1]", "value"),
    (ValueError("a"), ValueError("b"), ".args[0]", "value"),
    (ValueError("a"), KeyError("a"), "", "exception"),
    (ValueError("a"), "a", "", "type"),
    (ONE.Spoken(), world(WORLD.replace("told", "said")).Spoken(), "", "exception"),
    (FileNotFoundError(2, "x", "a"), FileNotFoundError(2, "x", "b"), ".filename", "value"),
    (chained(cause=KeyError(1)), chained(cause=KeyError(2)), ".__cause__.args[0]", "value"),
    (chained(cause=KeyError(1)), chained(), ".__cause__", "type"),
    (chained(context=KeyError(1)), chained(context=IndexError(1)), ".__context__", "exception"),
    (chained(context=KeyError(1)), chained(), ".__context__", "exception"),
    (noted("a"), noted("b"), ".__notes__[0]", "value"),
    (ExceptionGroup("g", [ValueError(1)]), ExceptionGroup("g", [ValueError(2)]), None, "value"),  # type: ignore[list-item]
    (*twins(), "[1]", "aliasing"),
    (*twins()[::-1], "[1]", "aliasing"),
    ([[1], [1]], [[2]] * 2, "[0][0]", "value"),
    (self_holding(), [1, [1, 2]], "[1][1]", "type"),
    (self_holding(), [1, self_holding()], "[1]", "aliasing"),
    (np.array([1, 2]), np.array([1.0, 2.0]), ".dtype", "type"),
    (np.array([1, 2]), np.array([[1, 2]]), ".shape", "length"),
    (np.array([[1, 2], [3, 4]]), np.array([[1, 2], [3, 5]]), "[1, 1]", "value"),
    (np.array([0.0]), np.array([-0.0]), "[0]", "value"),
    (np.array(1.0), np.array(2.0), "", "value"),
    (np.array([1.0]), [1.0], "", "type"),
    (np.float64(1), 1.0, "", "type"),
    (np.float32(1), np.float32(2), "", "value"),
    (np.array([[1], 2], dtype=object), np.array([[3], 2], dtype=object), "[0][0]", "value"),
    (np.array([(1, 2.0)], "i4,f8"), np.array([(1, 3.0)], "i4,f8"), "['f1'][0]", "value"),
    (masked([1, 2], [False, True]), masked([1, 2], [False, False]), ".mask[1]", "value"),
    (np.array(["a", "b"]), np.array(["a", "c"]), "[1]", "value"),
]


# By number: pytest would look at the values, and some of them do not take that well.
@pytest.mark.parametrize("row", range(len(SAME)), ids=[row[0] for row in SAME])
def test_the_same(row: int) -> None:
    _, one, other = SAME[row]
    assert told(one, other) is None
    assert told(other, one) is None
    assert told([one], [other]) is None
    assert told({"a": (one,)}, {"a": (other,)}) is None


@pytest.mark.parametrize("row", range(len(DIFFERENT)))
def test_different(row: int) -> None:
    one, other, path, kind = DIFFERENT[row]
    found = told(one, other)
    assert found is not None
    assert found[1] == kind
    assert path is None or found[0] == path
    turned = told(other, one)
    assert turned is not None
    assert turned[1] == kind
    inside = told([0, one], [0, other])
    assert inside == (f"[1]{found[0]}", kind)


def test_nothing_is_consumed() -> None:
    def some() -> Any:
        yield from (1, 2)

    for make in (lambda: iter([1, 2]), lambda: map(int, "12"), lambda: zip("12"), some, lambda: iter({1: 1, 2: 2})):
        left, right = make(), make()
        told(left, right)
        assert len(list(left)) == len(list(right)) == 2


def test_a_tolerance_is_for_floats_wherever_they_are() -> None:
    near = {"rtol": 1e-6}
    assert told([1.0, {"a": 2.0}], [1.0000001, {"a": 2.0}], **near) is None
    assert told(1.0, 1.1, **near) == ("", "value")
    assert told(0.0, -0.0, **near) is None
    assert told(0.0, 1e-9, atol=1e-8) is None
    assert told(1, 2, rtol=1.0) == ("", "value")
    assert told(math.inf, 1.0, rtol=0.5) == ("", "value")
    assert told(complex(1, 1), complex(1, 1.0000001), **near) is None
    assert told({1.0, 2.0, NAN}, {2.0000001, 1.0000001, NAN}, **near) is None
    assert told({1.0, 2.0}, {2.1, 1.0}, **near) is not None
    assert told({(1.0, "a"), (2.0, "a")}, {(2.0000001, "a"), (1.0, "a")}, **near) is None
    assert told(np.array([1.0, np.inf]), np.array([1.0000001, np.inf]), **near) is None
    assert told(np.array([1.0, np.inf]), np.array([1.0, 2.0]), **near) == ("[1]", "value")
    assert told(array.array("d", [1.0]), array.array("d", [1.0000001]), **near) is None
    with pytest.raises(ValueError, match="tolerance"):
        Rules(rtol=-1)


def test_the_order_of_keys_may_be_left_out() -> None:
    one, other = {"a": 1, "b": [2]}, {"b": [2], "a": 1}
    assert told(one, other, dict_order=False) is None
    assert told(one.keys(), other.keys(), dict_order=False) is None
    assert told(one.values(), other.values(), dict_order=False) is None
    assert told(one, {"b": [3], "a": 1}, dict_order=False) == ("['b'][0]", "value")
    assert told(collections.OrderedDict(a=1, b=2), moved(), dict_order=False) == ("", "order")


def test_messages_may_be_left_out() -> None:
    assert told(ValueError("a"), ValueError("b"), messages=False) is None
    assert told(ValueError("a"), KeyError("a"), messages=False) == ("", "exception")
    assert told(chained(cause=KeyError(1)), chained(cause=KeyError(2)), messages=False) is None
    assert told(chained(cause=KeyError(1)), chained(), messages=False) is not None


def test_an_attribute_may_live_in_a_slot() -> None:
    slotted = world(WORLD.replace("class Plain:", "class Plain:\n    __slots__ = ('a', '__dict__')"))
    assert told(ONE.Plain(a=1, b=2), slotted.Plain(b=2)) == (".a", "attributes")
    value = slotted.Plain(b=2)
    value.a = 1
    assert told(ONE.Plain(a=1, b=2), value) is None


def test_who_belongs_to_whom_may_be_known_only_later() -> None:
    """Members of a set that look the same are told apart by where else they are."""
    for _ in range(5):
        one, other = ([ONE.Plain() for _ in range(4)] for _ in range(2))
        assert told([set(one), one], [set(other), other]) is None
        assert told([set(one), one], [set(other), [*other[:3], ONE.Plain()]]) is not None


def test_a_pairing_that_failed_is_forgotten() -> None:
    """Members that differ only deep inside are tried with each other, and what that supposed must not stay."""
    one, other = ([world_.Plain(held=[[], [number]]) for number in range(6)] for world_ in (ONE, OTHER))
    assert told(set(one), set(other)) is None
    assert told([set(one), one], [set(other), other]) is None
    other[3].held[1][0] = 9
    found = told(set(one), set(other))
    assert found is not None
    assert found[1] == "members"


def test_an_iterator_that_was_moved_is_another() -> None:
    for make in (lambda: iter([1, 2]), lambda: iter((1, 2)), lambda: map(int, "12"), itertools.count):
        assert told(make(), advanced(make())) is not None


def test_arrays_that_overlap() -> None:
    one, other = np.arange(4), np.arange(4)
    assert told([one, one[:2]], [other, other[:2]]) is None
    assert told([one, one[:2]], [other, other[:2].copy()]) == ("[1]", "aliasing")
    assert told([one[::2], one[1::2]], [other[::2].copy(), other[1::2].copy()]) is None


def test_cycles_of_another_length_differ() -> None:
    short: list[Any] = []
    short.append(short)
    long: list[Any] = [[]]
    long[0].append(long)
    assert told(short, long) == ("[0]", "aliasing")


def test_depth_is_no_matter() -> None:
    def nested(depth: int, last: int) -> list[Any]:
        value: list[Any] = [last]
        for _ in range(depth):
            value = [value]
        return value

    one, same, other = nested(100_000, 1), nested(100_000, 1), nested(100_000, 2)
    assert difference(one, same) is None
    found = difference(one, other)
    assert found is not None
    assert found.kind == "value"
    assert len(found.path) <= 500
    assert len(shown(one)) <= 500


def test_shared_tuples_are_looked_at_once() -> None:
    one: Any = ([],)
    other: Any = ([],)
    for _ in range(200):
        one, other = (one, one), (other, other)
    assert told(one, other) is None


def test_nested_sets_of_any_depth_end() -> None:
    one: Any = frozenset()
    other: Any = frozenset()
    for _ in range(3000):
        one, other = frozenset({one, 1}), frozenset({1, other})
    found = told(one, other)
    assert found is None or found[1] == "incomparable"


def test_what_was_not_looked_at_is_not_the_same() -> None:
    value = [[index] for index in range(100)]
    assert told(value, copy.deepcopy(value), budget=50)[1] == "too-large"  # type: ignore[index]
    assert told(value, copy.deepcopy(value), budget=300) is None
    many = [0] * 3_000_000
    assert told(many, list(many)) is None  # a run of plain values is one part


class Endless:
    """It is made of one more of its own."""

    def __reduce_ex__(self, protocol: object) -> Any:
        return Endless, (Endless(),)


class Hostile(type):
    def boom(cls, *_: object) -> Any:
        raise RuntimeError("no")

    __hash__ = __eq__ = __repr__ = __getattribute__ = __instancecheck__ = __subclasscheck__ = boom  # type: ignore[assignment]


def hostile() -> Any:
    def boom(*_: object) -> Any:
        raise RuntimeError("no")

    names = ["__eq__", "__ne__", "__hash__", "__repr__", "__str__", "__len__", "__iter__", "__getattribute__"]
    names += ["__bool__", "__reduce__", "__reduce_ex__", "__getstate__", "__getattr__", "__get__", "__contains__"]
    return [
        Hostile("Odd", (), dict.fromkeys(names, boom))(),
        *(type("Odd", (base,), dict.fromkeys(names, boom))() for base in (list, dict, set, str, int, float, Exception)),
        type("Odd", (np.ndarray,), dict.fromkeys(names, boom))(2),
        type("Odd", (random.Random,), dict.fromkeys(names[:4] + names[9:12], boom))(1),
        type("Odd", (), {"__dict__": property(boom), "__class__": property(boom)})(),
        types.MappingProxyType(type("Odd", (dict,), dict.fromkeys(names, boom))()),
        Endless(),
    ]


@pytest.mark.parametrize("place", range(len(hostile())))
def test_nothing_foreign_gets_through(place: int) -> None:
    one, other = hostile()[place], hostile()[place]
    for pair in ((one, one), (one, other), (one, 1), (1, one), ([one], [other])):
        told(*pair)
    told({"a": one}, {"a": other})
    assert len(shown(one)) <= 500


def test_an_interrupt_passes() -> None:
    class Interrupting(random.Random):
        def __reduce_ex__(self, protocol: object) -> Any:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        difference(Interrupting(), Interrupting())


def test_texts_are_bounded_and_say_where_long_ones_part() -> None:
    for value in ("x" * 10**6, list(range(10**6)), {i: i for i in range(10**5)}, 10**10**5, self_holding()):
        assert len(shown(value)) <= 500
        assert len(shown(value, 20)) <= 20
    found = difference("x" * 10_000 + "a" + "y" * 1000, "x" * 10_000 + "b" + "y" * 1000)
    assert found is not None
    assert "xa" in found.expected
    assert "xb" in found.actual


SHOWN: list[tuple[Any, str]] = [
    ([1, "a", None, 1.5, (1,)], "[1, 'a', None, 1.5, (1,)]"),
    ({"a": {1}}, "{'a': {1}}"),
    (set(), "set()"),
    (frozenset({1}), "frozenset({1})"),
    (ONE.Point(1, [2]), "Point(x=1, y=[2])"),
    (ONE.Liar(1), "Liar(x=1)"),
    (ONE.Items([1]), "Items([1])"),
    (ONE.Text("a"), "Text('a')"),
    (ONE.Colour.RED, "Colour.RED"),
    (ONE.Trouble("x"), "Trouble('x')"),
    (ONE.Point, "<class project.module.Point>"),
    (ONE.function, "<function project.module.function>"),
    (object(), "object()"),
    (self_holding(), "[1, …]"),
    (np.array([1, 2]), "array([1, 2])"),
    (dt.date(2024, 1, 2), "datetime.date(2024, 1, 2)"),
    (NAIVE, "datetime.datetime(2024, 1, 1, 0, 0)"),
    (b"ab", "b'ab'"),
]


@pytest.mark.parametrize("row", range(len(SHOWN)))
def test_shown(row: int) -> None:
    value, text = SHOWN[row]
    assert shown(value) == text


def test_a_lazy_result_is_told() -> None:
    found = difference([1], (i for i in [1]))
    assert found is not None
    assert found.kind == "type"
    assert found.expected == "list: [1]"
    assert "not consumed" in found.actual


def test_values_are_values() -> None:
    found = Difference("", "1", "2", "value")
    assert difference(1, 2) == found
    with pytest.raises(dataclasses.FrozenInstanceError):
        found.path = "x"  # type: ignore[misc]


# ── whatever there is ────────────────────────────────────────────────────────────────────────────────────────────

LEAVES = (
    st.none()
    | st.booleans()
    | st.integers(-3, 3)
    | st.floats()
    | st.text(max_size=3)
    | st.binary(max_size=3)
    | st.complex_numbers()
    | st.decimals(allow_nan=False)
    | st.just(decimal.Decimal("NaN"))
    | st.fractions()
    | st.dates()
    | st.datetimes(timezones=st.none() | st.just(dt.UTC))
    | st.sampled_from([ONE.Colour.RED, OTHER.Colour.RED, int, len, ONE.function, range(3), 10**30, np.float32(2)])
)
HASHABLE = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=3).map(tuple) | st.frozensets(inner, max_size=3) | inner.map(ONE.Fixed),
    max_leaves=4,
)
VALUES = st.recursive(
    HASHABLE | st.lists(st.floats(), max_size=3).map(np.array),
    lambda inner: (
        st.lists(inner, max_size=12)
        | st.lists(inner, max_size=3).map(tuple)
        | st.dictionaries(HASHABLE, inner, max_size=4)
        | st.sets(HASHABLE, max_size=4)
        | st.builds(ONE.Point, inner, inner)
        | st.builds(OTHER.Slotted, inner, inner)
        | st.lists(inner, max_size=3).map(collections.deque)
        | st.lists(inner, max_size=3).map(lambda held: ValueError(*held))
        | inner.map(lambda held: [held, held])
    ),
    max_leaves=12,
)


@given(VALUES)
def test_every_value_is_the_same_as_its_copy(value: Any) -> None:
    assert told(value, value) is None
    assert told(value, copy.deepcopy(value)) is None
    assert told(value, copy.deepcopy(value), rtol=0.1, dict_order=False) is None
    assert len(shown(value)) <= 500


@given(VALUES, VALUES)
def test_it_does_not_matter_who_is_asked(one: Any, other: Any) -> None:
    for rules in (Rules(), Rules(rtol=0.5), Rules(dict_order=False)):
        assert (difference(one, other, rules) is None) == (difference(other, one, rules) is None)


class Other:
    """Unlike anything that is generated."""


def spots(value: Any) -> list[Any]:
    """What can be done to one place of the value, each as a function that does it."""
    found: list[Any] = []
    todo, seen = [value], set()
    while todo:
        part = todo.pop()
        if id(part) in seen:
            continue
        seen.add(id(part))
        if isinstance(part, (list, collections.deque)):
            found.append(lambda part=part: part.append(1))
            found += [lambda part=part, i=i: part.__setitem__(i, Other()) for i in range(len(part))]
            todo += part
        elif isinstance(part, dict):
            found.append(lambda part=part: part.__setitem__("a new key", 1))
            found += [lambda part=part, key=key: part.__setitem__(key, Other()) for key in part]
            todo += part.values()
        elif isinstance(part, set):
            found.append(lambda part=part: part.add("a new member"))
        elif type(part) in (ONE.Point, OTHER.Slotted):
            name = "y" if type(part) is ONE.Point else "a"
            found.append(lambda part=part, name=name: setattr(part, name, Other()))
            todo.append(getattr(part, name))
        elif isinstance(part, tuple):
            todo += part
        elif isinstance(part, ValueError):
            found.append(lambda part=part: setattr(part, "args", (Other(),)))
        elif isinstance(part, np.ndarray) and part.size and not np.isnan(part[0]):
            found.append(lambda part=part: part.__setitem__(0, -part[0] if part[0] else 1))
    return found


@given(st.data())
def test_one_change_anywhere_is_found(data: st.DataObject) -> None:
    value = [data.draw(VALUES)]
    changed = copy.deepcopy(value)
    data.draw(st.sampled_from(spots(changed)))()
    assert told(value, changed) is not None
    assert told(changed, value) is not None
    assert told(value, changed, dict_order=False) is not None


@given(VALUES, st.integers(0, 20))
def test_a_small_budget_never_says_the_same_of_what_differs(value: Any, budget: int) -> None:
    found = told([value, [1]], [copy.deepcopy(value), [2]], budget=budget)
    assert found is not None
