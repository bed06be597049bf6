"""What a target says of its own arguments: parameters, defaults, annotations, the constants in its code; and calls with
values of the types that it declares, where none was recorded."""

from __future__ import annotations

import collections
import collections.abc
import dataclasses
import datetime as dt
import decimal
import enum
import fractions
import inspect
import itertools
import pathlib
import types
import typing

from .. import hints
from ..values import LITERAL, NOTHING, Arguments, OneShot, Stream, attempt, copied, parts_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

__all__ = ["Target"]

_MOST_CONSTANTS = 24


class Target:
    """A function's parameters, defaults, annotations and constants, as far as they can be had."""

    def __init__(self, function: Callable[..., Any] | None, beside: Callable[..., Any] | None = None) -> None:
        signature = NOTHING if function is None else attempt(inspect.signature, function)
        self.parameters = [] if signature is NOTHING else list(signature.parameters.values())
        kinds = inspect.Parameter
        self.positional = [p for p in self.parameters if p.kind in {kinds.POSITIONAL_ONLY, kinds.POSITIONAL_OR_KEYWORD}]
        self.named = [p for p in self.parameters if p.kind in {kinds.POSITIONAL_OR_KEYWORD, kinds.KEYWORD_ONLY}]
        self.receiver = bool(self.positional) and self.positional[0].name in {"self", "cls"}
        self.hints: dict[str, Any] = {}
        self.constants: dict[type, list[Any]] = {}
        if function is not None:
            self.hints = hints.hints_of(function)
            self._read_constants(function)
        if beside is not None:
            self._read_constants(beside)

    def name_of(self, slot: int | str) -> str:
        if isinstance(slot, str):
            return slot
        return self.positional[slot].name if slot < len(self.positional) else f"*{slot if not self.positional else ''}"

    def hint_of(self, slot: int | str) -> Any:
        """The annotation of an argument; NOTHING where there is none."""
        known = self.positional[slot : slot + 1] if isinstance(slot, int) else [p for p in self.named if p.name == slot]
        wanted = inspect.Parameter.VAR_POSITIONAL if isinstance(slot, int) else inspect.Parameter.VAR_KEYWORD
        rest = [p for p in self.parameters if p.kind is wanted]
        return next((self.hints.get(p.name, NOTHING) for p in (*known, *rest)), NOTHING)

    def absent(self, given: Arguments) -> list[inspect.Parameter]:
        """The parameters with defaults that a call leaves to them, and that can be named."""
        taken = {parameter.name for parameter in self.positional[: len(given.positional)]} | set(given.keywords)
        return [p for p in self.named if p.name not in taken and p.default is not p.empty]

    def declared(self, parameter: inspect.Parameter) -> Iterator[tuple[str, Any]]:
        """The types that its annotation allows, each with the steps to the place where."""
        return hints.declared(self.hints[parameter.name]) if parameter.name in self.hints else iter(())

    def sampled(self) -> list[Arguments]:
        """A few calls with values of the declared types; none where not all that is needed is declared."""
        needed = [
            p for p in self.parameters if p.default is p.empty and p.kind not in {p.VAR_POSITIONAL, p.VAR_KEYWORD}
        ]
        values = list(map(self._samples_of, needed))
        if not needed or not all(values):
            return []
        rows = itertools.islice(zip(*map(itertools.cycle, values)), max(map(len, values)))
        named = [p.name for p in needed if p.kind is p.KEYWORD_ONLY]
        split = len(needed) - len(named)
        return [Arguments(tuple(row[:split]), dict(zip(named, row[split:]))) for row in rows]

    def completed(self, base: Arguments) -> Arguments:
        """With the defaults that it left out, or a value of their declared type where that says more."""
        keywords = dict(base.keywords)
        for parameter in self.absent(base):
            wanted = [value for value in self._samples_of(parameter) if value is not None]
            keywords[parameter.name] = wanted[0] if parameter.default is None and wanted else parameter.default
        return Arguments(base.positional, keywords)

    def _samples_of(self, parameter: inspect.Parameter) -> list[Any]:
        return _samples(self.hints[parameter.name]) if parameter.name in self.hints else []

    def _read_constants(self, function: Any) -> None:
        """Numbers and words in its code, and in the plain globals that it names: what it compares with."""
        function = attempt(inspect.unwrap, function)
        code, names = getattr(function, "__code__", None), getattr(function, "__globals__", None)
        if type(code) is not types.CodeType:
            return
        document = attempt(lambda: function.__doc__)
        for constant in _constants_of(code, names if type(names) is dict else {}):
            if constant is document or constant is None or type(constant) not in LITERAL - {bool, range}:
                continue
            known = self.constants.setdefault(type(constant), [])
            if len(known) < _MOST_CONSTANTS and constant not in known and len(repr(constant)) < 100:
                known.append(constant)


def _constants_of(code: types.CodeType, names: dict[str, Any]) -> Iterator[Any]:
    waiting: list[Any] = [code]
    for _ in range(500):
        if not waiting:
            return
        part = waiting.pop(0)
        if type(part) is types.CodeType:
            waiting += part.co_consts
            waiting += [names[name] for name in part.co_names if type(names.get(name)) in _PLAIN | _FILLED]
        elif type(part) in _FILLED:
            waiting += parts_of(part)[:20]
        else:
            yield part


_PLAIN = frozenset({int, float, str, bytes})
_FILLED = frozenset({tuple, list, set, frozenset, dict})


# ── samples: where nothing was recorded ──

_SAMPLES: dict[Any, tuple[Any, ...]] = {
    int: (3, 1, 12),
    str: ("abc", "a b", "Hello, World"),
    float: (1.5, 0.25, -2.0),
    bool: (True, False),
    bytes: (b"abc", b"\x00\xff"),
    bytearray: (bytearray(b"abc"),),
    complex: (1 + 2j,),
    type(None): (None,),
    decimal.Decimal: (decimal.Decimal("1.25"), decimal.Decimal(10)),
    fractions.Fraction: (fractions.Fraction(1, 3),),
    dt.date: (dt.date(2024, 1, 31),),
    dt.datetime: (dt.datetime(2024, 1, 31, 12, 30),),  # noqa: DTZ001 (as most are)
    dt.timedelta: (dt.timedelta(hours=1),),
    pathlib.Path: (pathlib.Path("a/b.txt"),),
}
_BUILT_OF: dict[Any, Callable[[list[Any]], Any]] = {
    collections.abc.Iterator: OneShot,
    collections.abc.Generator: OneShot,
    collections.abc.AsyncIterable: Stream,
    collections.abc.AsyncIterator: Stream,
    collections.abc.AsyncGenerator: Stream,
    tuple: tuple,
    set: set,
    frozenset: frozenset,
    collections.abc.Set: set,
    collections.deque: collections.deque,
}


def _samples(hint: Any, depth: int = 0) -> list[Any]:
    """A few values of a declared type; none where it says too little."""
    hint = getattr(hint, "__supertype__", hint)
    known = attempt(_SAMPLES.get, type(None) if hint is None else hint)
    if known:
        return [copied(value) for value in known]
    origin, inner = typing.get_origin(hint), typing.get_args(hint)
    made: Any = ()
    if origin not in hints.UNIONS and hints.is_open(hint):
        made = ("abc", 3, 1.5)
    elif origin in hints.UNIONS and depth < 4:
        made = [value for part in inner for value in _samples(part, depth + 1)]
    elif origin is typing.Literal:
        made = inner
    elif depth < 4 and isinstance(origin or hint, type):
        made = (
            attempt(_samples_of_container, origin, inner, depth) if inner else attempt(_samples_of_class, hint, depth)
        )
    return list(made or ())


def _samples_of_class(cls: Any, depth: int) -> list[Any]:
    if issubclass(cls, enum.Enum):
        return list(cls)
    if cls in {list, set, frozenset, dict, tuple, collections.deque}:
        return [cls(zip("ab", (1, 2)) if cls is dict else (3, 1, 2))]
    hints = attempt(typing.get_type_hints, cls)
    names = getattr(cls, "_fields", None) or [f.name for f in attempt(dataclasses.fields, cls) or () if f.init]
    if hints is NOTHING or not names or not all(name in hints for name in names):
        return []
    rows = zip(*(itertools.cycle(_samples(hints[name], depth + 1)) for name in names))
    made = (attempt(cls, **dict(zip(names, row))) for row in itertools.islice(rows, 3))
    return [value for value in made if value is not NOTHING]


def _samples_of_container(origin: Any, inner: tuple[Any, ...], depth: int) -> list[Any]:
    if not issubclass(origin, (collections.abc.Iterable, collections.abc.AsyncIterable)):
        return []
    if issubclass(origin, collections.abc.Mapping):
        keys, values = (_samples(part, depth + 1) for part in inner[:2])
        return [dict(zip(keys, itertools.cycle(values)))] if keys and values else []
    if origin is tuple and Ellipsis not in inner:
        rows = zip(*(itertools.cycle(_samples(part, depth + 1)) for part in inner))
        return list(itertools.islice(rows, 3))
    elements = _samples(inner[0], depth + 1)
    build = _BUILT_OF.get(origin, list)
    return [build(elements), build(elements[:1])] if elements else []
