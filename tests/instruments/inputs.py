"""Values that inputs are made of, and ways to look at them."""

from __future__ import annotations

import dataclasses
import enum
import typing
from collections.abc import Iterator

from hypothesis import strategies as st

from bakeoff.instruments.generate import Generated, grow
from bakeoff.instruments.values import Arguments


class Colour(enum.Enum):
    RED = 1
    GREEN = 2
    BLUE = 3


@dataclasses.dataclass(frozen=True)
class Point:
    x: int
    y: int = 0

    def __post_init__(self) -> None:
        if self.y < 0:
            raise ValueError("below")


class Pair(typing.NamedTuple):
    left: str
    right: int


class Stock:
    def __init__(self, items: dict[str, int]) -> None:
        self._items = items

    def total(self) -> int:
        return sum(self._items.values())


def key(value: object) -> object:
    return value[0]  # type: ignore[index]


PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.binary(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.lists(inner, max_size=3).map(tuple)
        | st.dictionaries(st.text(max_size=3) | st.integers(), inner, max_size=3)
        | st.sets(st.integers() | st.text(max_size=3), max_size=4)
    ),
    max_leaves=12,
)


def arguments_of(*values: object, **keywords: object) -> Arguments:
    return Arguments(values, keywords)


def firsts(value: object, limit: int = 600) -> list[Generated]:
    return list(grow([arguments_of(value)], seed=1, limit=limit))


def mutable_parts(value: object) -> Iterator[int]:
    if isinstance(value, (list, set, dict, bytearray)):
        yield id(value)
    if isinstance(value, dict):
        value = [*value, *value.values()]
    for part in value if isinstance(value, (list, tuple, set)) else ():
        yield from mutable_parts(part)
