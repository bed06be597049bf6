"""What is near a value: the changes that are worth trying on it, by its type.

Changes of one kind are a `Category`, a generator over the value and what is known of its place (`Near`). Each was put
here because programs go wrong there: the empty and the first one, what is equal and not the same, the ends of ranges,
the letters that change their length. Plain Python ≥ 3.9, standard library only.

    changes.py     what a change is, and those that any value may have
    scalars.py     numbers, times, paths, functions: what has no parts
    texts.py       text and octets
    containers.py  what has parts

Which of them are tried on which value is said here.
"""

from __future__ import annotations

import enum
import pathlib

from ..values import OneShot, Stream, attempt, is_array, shape_of
from .changes import ALWAYS, ANYTHING, GENTLE, SMALL, Category, Change, Near
from .containers import OF_ARRAYS, OF_FIELDS, OF_ITEMS, OF_MAPPINGS, OF_RECORDS, OF_SEQUENCES, OF_SETS, another
from .scalars import OF_CALLABLES, OF_ENUMS, OF_PATHS, OF_SCALARS, twins
from .texts import OF_OCTETS, OF_TEXT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["ANYTHING", "GENTLE", "SMALL", "Category", "Change", "Near", "another", "categories_of", "twins"]

_OF_TYPES = {
    **OF_SCALARS,
    str: OF_TEXT,
    bytes: OF_OCTETS,
    bytearray: OF_OCTETS,
    OneShot: OF_ITEMS,
    Stream: OF_ITEMS,
}


def categories_of(value: Any, *, is_record: bool = False) -> tuple[Category, ...]:
    """The ways to change this value, those that find most first; of a record, a tuple that is always as long."""
    kind = type(value)
    found = OF_RECORDS if is_record else attempt(_OF_TYPES.get, kind)
    if found:
        return found
    if is_array(value):
        return OF_ARRAYS
    if issubclass(kind, enum.Enum):
        return OF_ENUMS
    if issubclass(kind, pathlib.PurePath):
        return OF_PATHS
    shape = shape_of(value)
    if shape is None:
        return OF_CALLABLES if callable(value) and not isinstance(value, type) else ALWAYS
    by_kind = {"entries": OF_MAPPINGS, "fields": OF_FIELDS}
    return by_kind.get(shape.kind) or (OF_SETS if isinstance(value, (set, frozenset)) else OF_SEQUENCES)
