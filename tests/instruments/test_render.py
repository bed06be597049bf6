from __future__ import annotations

import collections
import dataclasses
import datetime as dt
import decimal
import enum
import fractions
import functools
import math
import os
import pickle
import sys
import threading
import types
import typing
import uuid
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bakeoff.instruments.generate import grow
from bakeoff.instruments.render import MOST, Made, expression, snippet
from bakeoff.instruments.values import Arguments, Fingerprints, Indexed, Interrupting, OneShot, Raising, Step, Text

FLAT = st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary() | st.complex_numbers()
TIMES = st.dates() | st.datetimes() | st.times() | st.timedeltas() | st.decimals() | st.fractions() | st.uuids()
PLAIN = st.recursive(
    FLAT | TIMES,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.lists(inner, max_size=3).map(tuple)
        | st.lists(inner, max_size=3).map(collections.deque)
        | st.dictionaries(st.text(max_size=3) | st.integers(), inner, max_size=3)
        | st.sets(st.integers() | st.text(max_size=3), max_size=4)
        | st.frozensets(st.integers(), max_size=4)
    ),
    max_leaves=10,
)


class Colour(enum.Enum):
    RED = 1


class Access(enum.Flag):
    READ = 1
    WRITE = 2


@dataclasses.dataclass
class Point:
    x: int
    y: object = 0


class Pair(typing.NamedTuple):
    left: str
    right: int


class Stock:
    """Its constructor explains its state."""

    def __init__(self, items: dict[str, int], name: str = "main") -> None:
        self._items = items
        self.name = name

    def total(self) -> int:
        return sum(self._items.values())


class Tally:
    """Its state comes of what was done with it."""

    def __init__(self) -> None:
        self.seen: list[object] = []

    def note(self, what: object) -> None:
        self.seen.append(what)

    def total(self) -> int:
        return len(self.seen)


class Slotted:
    __slots__ = ("_x", "y")

    def __init__(self, x: int) -> None:
        self._x = x
        self.y = [x, x]


class Mine(list[object]):
    pass


class Hostile:
    def __getattribute__(self, name: str) -> object:
        raise RuntimeError

    def __repr__(self) -> str:
        raise RuntimeError

    def __reduce_ex__(self, protocol: object) -> str:
        raise RuntimeError


def key(value: object) -> object:
    return value


@pytest.fixture(autouse=True)
def importable(monkeypatch: pytest.MonkeyPatch) -> None:
    """This module, by the name that its classes have."""
    monkeypatch.setitem(sys.modules, __name__, sys.modules.get(__name__) or types.ModuleType(__name__))
    for value in (Colour, Access, Point, Pair, Stock, Tally, Slotted, Mine, key):
        monkeypatch.setattr(sys.modules[__name__], value.__name__, value, raising=False)


def of(*values: object, **keywords: object) -> Arguments:
    return Arguments(values, keywords)


def text_of(value: object) -> str:
    return Fingerprints().of(value)


def given_by(text: str) -> tuple[tuple[typing.Any, ...], dict[str, typing.Any]]:
    """What the expression passes on."""
    names = {"datetime": dt, "Decimal": decimal.Decimal, "Fraction": fractions.Fraction, "UUID": uuid.UUID}
    names |= {"deque": collections.deque, "pickle": pickle}
    return eval(text, {**names, "f": lambda *values, **keywords: (values, keywords)})


def run(text: str) -> typing.Any:
    """What the call of a snippet gives."""
    *lines, call = [line for line in text.splitlines() if not line.startswith("#")]
    names: dict[str, typing.Any] = {}
    exec("\n".join(lines), names)
    return eval(call, names)


def returned(*values: object) -> typing.Any:
    return values[0] if len(values) == 1 else values


@given(st.lists(PLAIN, max_size=3), st.dictionaries(st.sampled_from(["a", "b", "class", "x y"]), PLAIN, max_size=2))
def test_plain_values_come_back(values: list[object], keywords: dict[str, object]) -> None:
    text = expression("f", Arguments(tuple(values), keywords))
    if "..." not in text:
        assert text_of(given_by(text)) == text_of((tuple(values), keywords))
    assert len(text) <= MOST


@given(PLAIN)
def test_snippets_of_plain_values_come_back(value: object) -> None:
    text = snippet("copy", "copy", of([value, value]))
    if "..." not in text:
        assert text_of(run(text)) == text_of([value, value])


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("\xdf\n'", '"\xdf\\n\'"'),
        ("\ud800", "'\\ud800'"),
        (math.nan, "float('nan')"),
        (-math.inf, "float('-inf')"),
        (-0.0, "-0.0"),
        (set(), "set()"),
        ({"b", "a"}, "{'a', 'b'}"),
        (frozenset(), "frozenset()"),
        ((1,), "(1,)"),
        ("ab" * 5000, "'ab' * 5000"),
        (["x"] * 300, "['x'] * 300"),
        (list(range(300)), "list(range(0, 300))"),
        (OneShot([1, 2]), "iter([1, 2])"),
        (iter([1, 2]), "iter([1, 2])"),
        ({"a": 1}.keys(), "dict.fromkeys(['a']).keys()"),
        (Text("ab"), "Text('ab')"),
        (Indexed([1]), "Indexed([1])"),
        (Raising(len, 1), "Raising(len, 1)"),
        (bytearray(b"a"), "bytearray(b'a')"),
        (Colour.RED, "Colour.RED"),
        (Access.READ | Access.WRITE, "Access(3)"),
        (Point(1, [2]), "Point(x=1, y=[2])"),
        (Pair("a", 1), "Pair(left='a', right=1)"),
        (Stock({"a": 1}), "Stock(items={'a': 1}, name='main')"),
        (Mine([1]), "Mine([1])"),
        (decimal.Decimal("1.10"), "Decimal('1.10')"),
        (dt.date(2024, 2, 29), "datetime.date(2024, 2, 29)"),
        (dt.time(1, tzinfo=dt.UTC), "datetime.time(1, 0, tzinfo=datetime.timezone.utc)"),
        (collections.deque([1], 3), "deque([1], maxlen=3)"),
        (collections.defaultdict(list, a=[1]), "defaultdict(list, {'a': [1]})"),
        (collections.Counter("a"), "Counter({'a': 1})"),
        (Path("a/b"), "Path('a/b')"),
        (ValueError("no"), "ValueError('no')"),
        (os.path.join, "join"),
        (len, "len"),
        (int, "int"),
        (str.lower, "str.lower"),
        ("a".join, "'a'.join"),
        (functools.partial(max, 1, key=abs), "partial(max, 1, key=abs)"),
        (np.array([1.0, 2.0]), "numpy.array([1.0, 2.0], dtype='float64')"),
        (np.zeros((0, 2)), "numpy.empty((0, 2), dtype='float64')"),
        (np.float32(1.5), "numpy.float32(1.5)"),
        (lambda: 1, "..."),
        (threading.Lock(), "..."),
    ],
)
def test_how_values_are_written(value: object, text: str) -> None:
    assert expression("f", of(value)) == f"f({text})"


def test_an_object_met_twice_has_a_name() -> None:
    part = [1]
    assert expression("f", of(part, part)) == "f((a := [1]), a)"
    assert snippet("pkg.mod", "f", of(part, {"k": part})) == "from pkg.mod import f\n\na = [1]\nf(a, {'k': a})"
    values, _ = given_by(expression("f", of(part, x=part)))
    assert values[0] == [1]


def test_an_object_inside_itself() -> None:
    loop: list[object] = [1]
    loop.append({"again": loop})
    again = run(snippet("copy", "copy", of(loop)))
    assert again[1]["again"][1] is again[1]
    assert "pickle.loads" in expression("f", of(loop)) or "..." in expression("f", of(loop))
    tally = Tally()
    tally.seen.append(tally)
    text = snippet(__name__, "returned", of(tally))
    again = run(text)
    assert again.seen[0] is again


def test_a_snippet_holds_all_that_it_takes() -> None:
    arguments = of(Point(1, dt.date(2024, 1, 1)), decimal.Decimal(1), Interrupting([1], 1), most=Colour.RED)
    text = snippet("pkg.mod", "Slug.make", arguments)
    assert text.startswith("import datetime\nfrom decimal import Decimal\nfrom pkg.mod import Slug\n")
    assert f"from {__name__} import Colour, Point" in text
    assert "class Interrupting:" in text
    call = "Slug.make(Point(x=1, y=datetime.date(2024, 1, 1)), Decimal('1'), Interrupting([1], 1), most=Colour.RED)"
    assert text.endswith(f"\n\n{call}")


def test_a_method_is_called_on_its_receiver() -> None:
    text = snippet(__name__, "Stock.total", of(Stock({"a": 2})), receiver=True)
    assert text == (
        f"from {__name__} import Stock\n\nreceiver = Stock(items={{'a': 2}}, name='main')\nreceiver.total()"
    )
    assert run(text) == 2


def test_an_object_is_made_by_its_calls() -> None:
    steps = [
        (Step("__init__", (), {}), False),
        (Step("note", (Point(1),), {}), False),
        (Step("note", (), {}), True),
        (Step("note", ("b",), {}), False),
    ]
    made = of(Made(Tally, steps))
    text = snippet(__name__, "Tally.total", made, receiver=True)
    assert text == (
        f"import contextlib\nfrom {__name__} import Point, Tally\n\ntally = Tally()\ntally.note(Point(x=1, y=0))\n"
        "with contextlib.suppress(Exception):\n    tally.note()\ntally.note('b')\ntally.total()"
    )
    assert run(text) == 2
    assert expression("Tally.total", made) == (
        f"Tally.total((tally := {__name__}.Tally(), tally.note(Point(x=1, y=0)), tally.note('b'), tally)[-1])"
    )
    assert expression("Tally.total", of(Made(Tally, steps[:1]))) == f"Tally.total({__name__}.Tally())"


def test_a_state_without_a_constructor_is_written_line_by_line() -> None:
    tally = Tally()
    tally.seen.append("x")
    text = snippet(__name__, "returned", of(tally))
    assert "tally = Tally.__new__(Tally)\ntally.seen = ['x']\nreturned(tally)" in text
    assert run(text).seen == ["x"]
    slotted = Slotted(1)
    slotted.y = [5]
    assert run(snippet(__name__, "returned", of(slotted))).y == [5]


def test_two_classes_of_one_name_are_told_apart() -> None:
    other = type("Point", (), {"__init__": lambda self, z: vars(self).update(z=z), "__module__": "elsewhere.shapes"})
    text = snippet("pkg", "f", of(Point(1, 2), other(3)))
    assert "elsewhere.shapes.Point(z=3)" in text
    assert "import elsewhere.shapes\n" in text


def test_large_values_are_short() -> None:
    table = {f"key {number}": [number] * 3 for number in range(5_000)}
    for text in (expression("f", of(table, 1, x="b")), snippet("m", "f", of(table, 1, x="b"))):
        assert len(text) <= MOST
        assert "f(..., 1, x='b')" in text
    assert "# ... stands for a dict" in snippet("m", "f", of(table))
    assert len(expression("f", of(*[[number / 7] * 90 for number in range(60)]))) <= MOST
    assert len(expression("f", of(*range(100_000)))) <= MOST


def test_values_nested_deeply_and_hostile_ones_stop_nothing() -> None:
    deep: list[object] = []
    for _ in range(5_000):
        deep = [deep]
    assert "..." in snippet("m", "f", of(deep))
    assert expression("f", of([Hostile(), 1])) == "f([..., 1])"
    assert "# ... stands for a" in snippet("m", "f", of(Hostile()))


def test_all_that_is_generated_can_be_written() -> None:
    example = of([1, 2], {"a": "b"}, "c", 1234, Point(1), (1, 2), {3}, key)
    for one in grow([example], seed=1, limit=600):
        text = snippet(__name__, "returned", one.arguments)
        assert len(text) <= MOST
        compile(text, "snippet", "exec")
        assert "..." not in text, one.note
