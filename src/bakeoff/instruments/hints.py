"""What annotations say of arguments: which types they allow, how they are reached, and whether a value fits its own.

What an annotation does not say clearly speaks against nothing: a protocol, a type variable, a name that cannot be
found. Plain Python ≥ 3.9, standard library only.
"""

from __future__ import annotations

import collections
import collections.abc
import functools
import types
import typing

from . import values
from .values import KEYS, NOTHING, Group, Items, OneShot, Row, Stream, Table, attempt, is_resizable, shape_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

__all__ = ["ANY_LENGTH", "UNIONS", "allows", "declared", "hints_of", "inside", "is_open", "welcomes"]

# Stands among the types of a place where tuples may be of any length.
ANY_LENGTH: Any = type("AnyLength", (), {})
_ITERATORS, _STREAMS = frozenset({OneShot}), frozenset({Stream})
_SEQUENCES = frozenset({list, tuple, collections.deque, range, Items, Row})
_COLLECTIONS = _SEQUENCES | {set, frozenset, KEYS, Group}
_MAPPINGS = frozenset({dict, collections.OrderedDict, collections.defaultdict, Table})
_DECLARED: dict[Any, frozenset[Any]] = {
    collections.abc.Iterator: _ITERATORS,
    collections.abc.Generator: _ITERATORS,
    collections.abc.AsyncIterable: _STREAMS,
    collections.abc.AsyncIterator: _STREAMS,
    collections.abc.AsyncGenerator: _STREAMS,
    collections.abc.Iterable: _COLLECTIONS | _ITERATORS,
    collections.abc.Collection: _COLLECTIONS,
    collections.abc.Sequence: _SEQUENCES,
    collections.abc.MutableSequence: frozenset({list, collections.deque, Items}),
    collections.abc.Set: frozenset({set, frozenset, KEYS, Group}),
    collections.abc.Mapping: _MAPPINGS,
    collections.abc.MutableMapping: _MAPPINGS,
    float: frozenset({float, int}),
    complex: frozenset({complex, float, int}),
    None: frozenset({type(None)}),
}
UNIONS = (typing.Union, getattr(types, "UnionType", typing.Union))
_ABSTRACT = collections.abc
# So wide that they mean values of types that no test has.
_OPEN = (
    *(_ABSTRACT.Hashable, _ABSTRACT.Sized, _ABSTRACT.Container, _ABSTRACT.Reversible),
    *(typing.SupportsInt, typing.SupportsFloat, typing.SupportsIndex, typing.SupportsAbs, typing.SupportsRound),
)
# What an iterator takes and gives back beside its items is no part of it.
_OF_ONE = (_ABSTRACT.Generator, _ABSTRACT.AsyncGenerator)


def declared(hint: Any) -> Iterator[tuple[str, Any]]:
    """The types that an annotation allows, each with the steps to the place where."""
    waiting = [("", hint, 0)]
    for _ in range(100):
        if not waiting:
            return
        steps, hint, depth = waiting.pop()
        hint = getattr(hint, "__supertype__", hint)
        origin, inner = typing.get_origin(hint), typing.get_args(hint)
        if origin in UNIONS:
            waiting += [(steps, part, depth) for part in inner]
            continue
        if origin is typing.Literal:
            yield from ((steps, type(part)) for part in inner)
            continue
        kind = origin or hint
        if kind is tuple and Ellipsis in inner:
            yield steps, ANY_LENGTH
        known = attempt(_DECLARED.get, kind)
        yield from ((steps, each) for each in known or (kind,))
        if depth < 3:
            waiting += [(steps + step, part, depth + 1) for step, part in _inner_hints(kind, inner)]


def _inner_hints(kind: Any, inner: tuple[Any, ...]) -> list[tuple[str, Any]]:
    if not isinstance(kind, type) or not inner:
        return []
    if issubclass(kind, collections.abc.Mapping) and len(inner) == 2:
        return [(".key", inner[0]), (".*", inner[1])]
    if issubclass(kind, _OF_ONE):
        return [(".*", inner[0])]
    if issubclass(kind, (collections.abc.Iterable, collections.abc.AsyncIterable)):
        return [(".*", part) for part in inner if part is not Ellipsis]
    return []


# -- of a function ----------------------------------------------------------------------------------------------------


def hints_of(function: Callable[..., Any]) -> dict[str, Any]:
    """Its annotations by name, without those that cannot be told."""
    plain = attempt(lambda: dict(getattr(function, "__annotations__", {})))
    hints = attempt(typing.get_type_hints, function)
    if hints is NOTHING and plain is not NOTHING:
        # One by one; what is imported for type checkers alone is mostly one of these.
        known = {**vars(collections.abc), **vars(typing), **getattr(function, "__globals__", {})}
        hints = {name: attempt(_hint, known, hint) for name, hint in plain.items()}
    return {} if hints is NOTHING else {name: hint for name, hint in hints.items() if hint is not NOTHING}


def _hint(known: dict[str, Any], hint: Any) -> Any:
    def stub() -> None: ...

    stub.__annotations__ = {"hint": hint}
    return typing.get_type_hints(stub, known)["hint"]


# -- of a value -------------------------------------------------------------------------------------------------------


def allows(hint: Any, value: Any) -> bool:
    """Whether a value is of a type that the annotation allows, whatever its parts are."""
    hint = getattr(hint, "__supertype__", hint)
    origin = typing.get_origin(hint)
    if origin in UNIONS:
        return any(allows(part, value) for part in typing.get_args(hint))
    if origin is typing.Literal:
        return any(isinstance(value, type(part)) for part in typing.get_args(hint))
    kind = type(None) if hint is None else origin or hint
    if not isinstance(kind, type) or kind is type:
        return True
    if kind in (float, complex) and isinstance(value, (int, float)):
        return True
    # One that cannot be asked raises, and allows everything.
    return attempt(isinstance, value, kind) is not False


def is_open(hint: Any) -> bool:
    """Whether it is one that means values of types that nobody can list: `object`, `Any`, `Hashable` and the like."""
    hint = getattr(hint, "__supertype__", hint)
    if typing.get_origin(hint) in UNIONS:
        return any(map(is_open, typing.get_args(hint)))
    kind = typing.get_origin(hint) or hint
    return hint is typing.Any or kind is object or any(kind is each for each in _OPEN)


def welcomes(hint: Any, value: Any) -> bool:
    """Whether a value belongs where the annotation is open, though its like was never seen there. Of stand-ins of ours
    nobody has thought."""
    hint = getattr(hint, "__supertype__", hint)
    if typing.get_origin(hint) in UNIONS:
        return any(welcomes(part, value) for part in typing.get_args(hint))
    if not is_open(hint) or type(value).__module__ == values.__name__:
        return False
    if (typing.get_origin(hint) or hint) is collections.abc.Hashable:
        return attempt(hash, value) is not NOTHING
    return hint is typing.Any or allows(hint, value)


@functools.lru_cache(1_000)
def _of_fields(kind: type) -> dict[str, Any]:
    return attempt(typing.get_type_hints, kind) or {}


def inside(hint: Any, value: Any, count: int) -> list[Any]:
    """The annotations of a value's parts, which are so many; NOTHING for those that have none."""
    hint, shape = getattr(hint, "__supertype__", hint), shape_of(value)
    if shape is None:
        return [NOTHING] * count
    if typing.get_origin(hint) in UNIONS:
        fitting = [part for part in typing.get_args(hint) if allows(part, value)]
        return inside(fitting[0], value, count) if len(fitting) == 1 else [NOTHING] * count
    if shape.kind == "fields":
        hints = attempt(_of_fields, type(value)) or {}
        return [hints.get(name, NOTHING) for name in shape.names(value)[:count]]
    origin, inner = typing.get_origin(hint), typing.get_args(hint)
    found: tuple[Any, ...] = ()
    if isinstance(origin, type) and is_resizable(value):
        if shape.kind == "entries":
            found = inner[:2] if len(inner) == 2 and issubclass(origin, collections.abc.Mapping) else ()
        elif origin is tuple and Ellipsis not in inner:
            return [*inner[:count], *[NOTHING] * (count - len(inner))]
        elif issubclass(origin, (collections.abc.Iterable, collections.abc.AsyncIterable)) and not issubclass(
            origin, collections.abc.Mapping
        ):
            found = inner[:1]
    return [found[number % len(found)] if found else NOTHING for number in range(count)]
