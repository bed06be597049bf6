"""Inputs that nobody wrote down: grown from the arguments of recorded calls, and from what the target says of itself.

    examples ──▶ pool: values by type, by place, constants of the target
       │                                    │
       └─▶ bases ──▶ places ──▶ categories of change ──▶ one of each, in turns ──┐
             └───────────────▶ several changes at once, parts of other calls ────┴──▶ inputs, each once

A *place* is a path into the arguments; its *where* is the path with indices left out, so that all elements of a list
share one. What was seen at a where, and what its annotation allows, are the types that belong there; an input that
leaves them is *widened*, and a difference found with it weighs less. Where an annotation is *open* (`object`, `Any`,
`Hashable`), all that fits it belongs there. A *record*, a tuple that is always of one length, leaves its types when its
length is another, or the types in it are. An input that an annotation speaks against is *unfit*, and weighs nothing.

*Twins* are values that are equal and not the same, as 0.0 and -0.0 are: they are tried side by side in one list, and in
two calls of which the second comes directly after the first.

What a value may be changed into is known to `neighbours/`, and how it is handled to `values.py`. Nothing here depends
on hash seeds, on the global generator of random numbers or on addresses. Plain Python ≥ 3.9, standard library only.
"""

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
import math
import operator
import pathlib
import random
import re
import types
import typing

from . import hints
from .neighbours import ANYTHING, GENTLE, SMALL, Category, Change, Near, another, categories_of, twins
from .values import (
    BUFFERS,
    LITERAL,
    NOTHING,
    STATE,
    Arguments,
    Fingerprints,
    OneShot,
    Shape,
    Step,
    Stream,
    attempt,
    copied,
    is_mutable,
    is_resizable,
    parts_of,
    rebuilt,
    shape_of,
    with_part,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Any

__all__ = ["Arguments", "Generated", "cut", "grow"]

_MAX_DEPTH = 6
_MOST_EXAMPLES, _MOST_BASES, _MOST_PLACES = 300, 24, 60
_MOST_SURVEYED, _MOST_POOLED, _MOST_CONSTANTS = 200, 48, 24
_MOST_COLUMNS = 24
_MISSES, _STAGGER = 200, 4
_MOST_ADDED = 12
_NUMBERS = frozenset({int, float})
# What is often the same without meaning the same.
_COMMON = frozenset({type(None), bool, list, dict, set, Step})
# Of what is cut down, so much is left.
_FIRST, _LAST, _MOST_TEXT = 10, 4, 200


@dataclasses.dataclass(frozen=True)
class Generated:
    """An input, whether it leaves the types that were seen or declared, in a few words how it came about, whether
    something in it leads on and on (see `Change`), and whether annotations speak against it. `after` are the arguments
    of a call that is to come directly before it."""

    arguments: Arguments
    widened: bool
    note: str
    deep: bool = False
    unfit: bool = False
    after: Arguments | None = None


def grow(
    examples: Iterable[Arguments],
    signature_of: Callable[..., Any] | None = None,
    *,
    beside: Callable[..., Any] | None = None,
    seed: int,
    limit: int,
) -> Iterator[Generated]:
    """Up to `limit` inputs that are no examples, all different, the same for the same seed. What is in the code of a
    function `beside` is tried, too.

    They share no mutable object with the examples or with each other, save parts that cannot be copied. The first
    hundred or so hold a change of every category for every argument; those that cost more to run come later.
    """
    known = list(itertools.islice(examples, _MOST_EXAMPLES))
    return itertools.islice(_Growth(known, Target(signature_of, beside), random.Random(seed)).inputs(), limit)


def cut(given: Arguments, *, skip: int = 0) -> Arguments:
    """The same with the first and the last few elements of each long container, and of texts; numbers that tell the
    length of one tell the new one. The first `skip` arguments stay as they are, and so does what is in objects."""
    lengths: dict[int, int] = {}
    memo: dict[int, Any] = {}
    positional = (*given.positional[:skip], *(_cut(value, lengths, memo) for value in given.positional[skip:]))
    made = Arguments(positional, {name: _cut(value, lengths, memo) for name, value in given.keywords.items()})
    for slot, value in made.slots():
        if type(value) is int and value in lengths and slot not in range(skip):
            made = made.replaced(slot, lengths[value])
    return made


def _cut(value: Any, lengths: dict[int, int], memo: dict[int, Any], depth: int = 0) -> Any:
    if type(value) in {str, bytes}:
        return value if len(value) <= 2 * _MOST_TEXT else value[:_MOST_TEXT]
    shape = shape_of(value)
    if shape is None or depth > _MAX_DEPTH or (shape.kind == "fields" and type(value) not in BUFFERS):
        return value
    if id(value) in memo:
        return memo[id(value)]
    parts, step = parts_of(value), 2 if shape.kind == "entries" else 1
    size, first, last = len(parts) // step, _FIRST * step, _LAST * step
    if size > 2 * (_FIRST + _LAST):
        parts = parts[:first] + (_of_others(parts[:-last]) if step == 1 else []) + parts[-last:]
        lengths[size] = len(parts) // step
    memo[id(value)] = rebuilt(value, [_cut(part, lengths, memo, depth + 1) for part in parts])
    return memo[id(value)]


def _of_others(parts: list[Any]) -> list[Any]:
    """Behind the first few, the first of each type that is not among them."""
    found: dict[type, Any] = {}
    for part in parts:
        found.setdefault(type(part), part)
    known = set(map(type, parts[:_FIRST]))
    return [part for kind, part in found.items() if kind not in known]


# ── the target: what it says of its own arguments ─────────────────────────────────────────────────────────────────

_SIZES = re.compile(
    r"_*([nkm]|count|size|len|length|width|height|depth|limit|times|repeat|step|window|page|batch|chunk|rounds|top"
    r"|iterations|precision|digits|places|indent|levels?|capacity|maxlen|maxsize|total|start|stop|end|steps?"
    r"|ndigits|(max|min|num|n|per|no)_.*|.*_(size|count|len|length|limit|width|depth|times|number|page|index))",
    re.IGNORECASE,
)


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


# ── growing ───────────────────────────────────────────────────────────────────────────────────────────────────────


class Place(typing.NamedTuple):
    """A part of the arguments, and what is known of where it stands."""

    where: str
    slot: int | str
    path: tuple[int, ...]
    value: Any
    name: str
    # Its object keeps this field to itself: states that it never has may come of changing it.
    guarded: bool
    # The receiver, or a part of it, is changed gently.
    received: bool
    sized: bool = False
    # What annotations say of it; NOTHING where they say nothing.
    hint: Any = NOTHING


class _Draft(typing.NamedTuple):
    """An input before it is copied: it may share objects with examples."""

    arguments: Arguments
    note: str
    widened: bool
    deep: bool = False
    after: Arguments | None = None


class Places:
    """What was seen at the places of a target's arguments, and what else belongs there. What changes leave to chance is
    up to `rng`."""

    def __init__(self, target: Target, examples: Iterable[Arguments], rng: random.Random) -> None:
        self.target = target
        self.rng = rng
        self.seen: dict[str, list[Any]] = {}
        self._pool: dict[type, list[Any]] = {}
        self._allowed: dict[str, set[type]] = {}
        self._kinds: dict[str, set[type]] = {}
        self._lengths: dict[str, set[int]] = {}
        self._columns: dict[tuple[str, int], set[type]] = {}
        self._of_any_length: set[str] = set()
        self._prints = Fingerprints()
        self._met: set[tuple[Any, bytes]] = set()
        self._learn_declared()
        self.of_examples = [self.survey(example) for example in examples]
        # How long records are, by where.
        self.records = self._lengths_of_records()

    def survey(self, example: Arguments) -> list[Place]:
        """The places of a call, and learn what stands there."""
        places: list[Place] = []
        for slot, value in example.slots():
            waiting = collections.deque([self.root(slot, value)])
            for _ in range(_MOST_SURVEYED):
                if not waiting:
                    break
                place = waiting.popleft()
                self._learn(place)
                places.append(place)
                if len(place.path) < _MAX_DEPTH:
                    waiting.extend(self.children(place))
        return places

    def root(self, slot: int | str, value: Any) -> Place:
        """The place of a whole argument."""
        name = self.target.name_of(slot)
        received = self.target.receiver and slot == 0
        hint = self.target.hint_of(slot)
        place = Place(name, slot, (), value, name, guarded=False, received=received, hint=hint)
        return place._replace(sized=self._is_sized(place))

    def children(self, place: Place, chosen: int | None = None) -> list[Place]:
        """The places of its parts, of many the first and the last; or of one of them."""
        shape = shape_of(place.value)
        parts = NOTHING if shape is None else attempt(shape.apart, place.value)
        if shape is None or not parts:
            return []
        many = len(parts)
        indices = range(many) if many <= 24 else [*range(16), *range(many - 8, many)]
        picked = indices if chosen is None else [chosen % many]
        allowed = hints.inside(place.hint, place.value, many)
        return [self._child(place, shape, parts, index, allowed[index]) for index in picked]

    def _child(self, place: Place, shape: Shape, parts: list[Any], index: int, hint: Any) -> Place:
        step, guarded = _step(place.value, shape, parts, index), place.guarded
        if shape is STATE:
            guarded = guarded or step.startswith("_")
        child = Place(
            f"{place.where}.{step}", place.slot, (*place.path, index), parts[index], step, guarded, place.received
        )
        return child._replace(sized=self._is_sized(child), hint=hint)

    def _is_sized(self, place: Place) -> bool:
        """Whether an int there says how much to do, so that a huge one could mean huge work."""
        if type(place.value) is not int or place.name == "key":
            return False
        unnamed = place.name.lstrip("*").isdigit() or (place.name == "*" and not place.path)
        return bool(_SIZES.fullmatch(place.name)) or (unnamed and abs(place.value) <= SMALL)

    def _learn(self, place: Place) -> None:
        value, kind = place.value, type(place.value)
        allowed = self._allowed.setdefault(place.where, set())
        allowed.add(kind)
        self._kinds.setdefault(place.where, set()).add(kind)
        if kind is tuple:
            self._lengths.setdefault(place.where, set()).add(len(value))
            for number, part in enumerate(value[:_MOST_COLUMNS]):
                self._columns.setdefault((place.where, number), set()).add(type(part))
        if issubclass(kind, collections.abc.Iterator):
            allowed.add(OneShot)
        if issubclass(kind, collections.abc.AsyncIterator):
            allowed.add(Stream)
        digest = self._prints.digest(value)
        known: Any = ((place.where, self.seen), (kind, self._pool))
        for key, store in known:
            values = store.setdefault(key, [])
            if len(values) < _MOST_POOLED and (key, digest) not in self._met:
                self._met.add((key, digest))
                values.append(value)

    def _learn_declared(self) -> None:
        for parameter in self.target.parameters:
            for steps, kind in self.target.declared(parameter):
                if kind is hints.ANY_LENGTH:
                    self._of_any_length.add(parameter.name + steps)
                    continue
                self._allowed.setdefault(parameter.name + steps, set()).add(kind)
            if parameter.default is not parameter.empty:
                self._learn(self.root(parameter.name, parameter.default))

    def _lengths_of_records(self) -> dict[str, int]:
        """How long tuples are at the places where all of them are, and no annotation says that they need not be."""
        loose = {where for where, kinds in self._allowed.items() if list in kinds} | self._of_any_length
        return {
            where: min(lengths)
            for where, lengths in self._lengths.items()
            if len(lengths) == 1 and lengths != {0} and where not in loose
        }

    def pool(self, kind: type) -> list[Any]:
        """Values of a type that were seen anywhere."""
        return self._pool.get(kind, [])

    def recurring(self, base: Arguments) -> list[list[Place]]:
        """The places that have equal values, where there are several of one; those of large values first, and none that
        is a part of another."""
        alike: dict[tuple[type, bytes], list[Place]] = {}
        for place in self.survey(base):
            if place.path and not place.guarded and type(place.value) not in _COMMON:
                alike.setdefault((type(place.value), self._prints.digest(place.value)), []).append(place)
        found: list[list[Place]] = []
        taken: set[tuple[int | str, tuple[int, ...]]] = set()
        several = [group for group in alike.values() if len(group) > 1]
        for places in sorted(several, key=lambda group: len(group[0].path)):
            ways = {(place.slot, place.path[:depth]) for place in places for depth in range(len(place.path) + 1)}
            if not ways & taken:
                taken |= {(place.slot, place.path) for place in places}
                found.append(places)
        return found

    def near(self, place: Place) -> Near:
        return Near(
            self.rng,
            self._pool,
            self.target.constants,
            here=self.seen.get(place.where, ()),
            inside=self._inside(place),
            of_records=f"{place.where}.*" in self.records,
            sized=place.sized,
        )

    def _inside(self, place: Place) -> set[type]:
        """The types that elements may have there."""
        found = set(self._allowed.get(f"{place.where}.*", ()))
        if is_resizable(place.value):
            hint = hints.inside(place.hint, place.value, 2)[-1]
            found |= {type(value) for value in (None, 0, 0.0, True, "") if hints.welcomes(hint, value)}
        return found

    def is_known_at(self, place: Place, value: Any) -> bool:
        """Whether such values were seen there, or are declared."""
        return type(value) in self._allowed.get(place.where, ()) or hints.welcomes(place.hint, value)

    def leaves(self, arguments: Arguments) -> tuple[bool, bool]:
        """Whether there are types in it where they were not seen, in records above all; whether annotations speak
        against it."""
        waiting = [(self.target.name_of(slot), value, self.target.hint_of(slot)) for slot, value in arguments.slots()]
        is_strange = is_unfit = False
        for _ in range(_MOST_SURVEYED):
            if not waiting:
                break
            where, value, hint = waiting.pop()
            kind = type(value)
            if where in self.records and not self._is_known_record(where, value, hint):
                is_strange = True
            is_known = kind in self._kinds.get(where, ())
            if not (is_known or self._may_be_at(where, kind) or hints.welcomes(hint, value)):
                is_strange = True
            if hint is not NOTHING and not is_known and not hints.allows(hint, value):
                is_unfit = True
            elif kind not in LITERAL:
                waiting += self._below(where, value, hint)
        return is_strange, is_unfit

    def _may_be_at(self, where: str, kind: type) -> bool:
        """Whether a type is allowed there, or nothing is known of the place; or it was seen further out, together with
        what was seen there, as in a tree."""
        seen = self._kinds.get(where)
        if not seen or kind in self._allowed[where]:
            return True
        while "." in where:
            where = where.rpartition(".")[0]
            around = self._kinds.get(where, set())
            if kind in around and seen <= around:
                return True
        return False

    def _is_known_record(self, where: str, value: Any, hint: Any) -> bool:
        """Whether it is as long as those that were seen, and of their types or of those that annotations welcome."""
        if type(value) is not tuple:
            return type(value) in self._kinds[where] or hints.welcomes(hint, value)
        if len(value) != self.records[where]:
            return False
        columns = [self._columns.get((where, number), ()) for number in range(min(len(value), _MOST_COLUMNS))]
        strange = [number for number, kinds in enumerate(columns) if type(value[number]) not in kinds]
        if not strange:
            return True
        allowed = hints.inside(hint, value, len(value))
        return all(hints.welcomes(allowed[number], value[number]) for number in strange)

    def _below(self, where: str, value: Any, hint: Any) -> list[tuple[str, Any, Any]]:
        shape = shape_of(value)
        parts = NOTHING if shape is None else attempt(shape.apart, value)
        if shape is None or not parts or where.count(".") > _MAX_DEPTH:
            return []
        parts = parts[:_MOST_POOLED]
        allowed = hints.inside(hint, value, len(parts))
        steps = [_step(value, shape, parts, index) for index in range(len(parts))]
        # Of many alike, one stands for the others.
        alike = {
            (step, type(part), id(each)): number for number, (step, part, each) in enumerate(zip(steps, parts, allowed))
        }
        chosen = alike.values() if LITERAL.issuperset(map(type, parts)) else range(len(parts))
        return [(f"{where}.{steps[number]}", parts[number], allowed[number]) for number in chosen]


class _Growth:
    """All inputs that come of the calls of one target: each drafted, and given if it is new."""

    def __init__(self, examples: list[Arguments], target: Target, rng: random.Random) -> None:
        self._rng = rng
        self._prints = Fingerprints()
        self._given: set[bytes] = set()
        self._examples = [example for example in examples if self._is_new(example)]
        self._sampled = [] if self._examples else target.sampled()
        self._examples = self._examples or self._sampled
        self._known = Places(target, self._examples, rng)

    def inputs(self) -> Iterator[Generated]:
        if not self._examples:
            return
        for sample in self._sampled:
            yield from self._grown(_Draft(sample, "from annotations", widened=False))
        misses = tries = found = 0
        for draft in self._drafts():
            misses, tries = misses + 1, tries + 1
            for grown in self._grown(draft):
                misses, found = 0, found + 1
                yield grown
            if misses > _MISSES or tries > 1_000 + 10 * found:
                return

    def _grown(self, draft: _Draft) -> Iterator[Generated]:
        if self._is_new(draft.arguments, draft.after):
            is_remade, is_unfit = self._known.leaves(draft.arguments)
            widened = draft.widened or is_remade or is_unfit
            after = None if draft.after is None else draft.after.copied()
            yield Generated(draft.arguments.copied(), widened, draft.note, draft.deep, is_unfit, after)

    def _is_new(self, arguments: Arguments, after: Arguments | None = None) -> bool:
        digest = self._digest(arguments, after)
        if digest in self._given:
            return False
        self._given.add(digest)
        return True

    def _digest(self, arguments: Arguments, after: Arguments | None) -> bytes:
        return self._prints.digest(arguments if after is None else (arguments, after))

    # ── drafts ──

    def _drafts(self) -> Iterator[_Draft]:
        streams, rare = self._streams()
        chance = self._at_random()
        for stream, wanted in streams:
            # The first that are new, so that every category has its turn.
            fresh = 0
            for draft in itertools.islice(stream, 5 + wanted):
                fresh += not self._is_known(draft)
                yield draft
                if fresh == wanted:
                    break
        common = [stream for stream, _ in streams]
        for number, draft in enumerate(_in_turns([*common, _in_turns(rare)])):
            yield draft
            if number % 2:
                yield next(chance)
        yield from chance

    def _is_known(self, draft: _Draft) -> bool:
        return self._digest(draft.arguments, draft.after) in self._given

    def _streams(self) -> tuple[list[tuple[Iterator[_Draft], int]], list[Iterator[_Draft]]]:
        """One stream for each argument and category, over all the places that have it, simple ones first, each with how
        many are to come first; and those that are rare."""
        sources: dict[tuple[str, str], list[Iterator[_Draft]]] = {}
        order: dict[tuple[str, str], tuple[bool, int, int]] = {}
        for base, places in self._bases():
            for place in _chosen(places):
                kind = type(place.value).__qualname__
                for position, category in enumerate(self._categories_at(place)):
                    key = (place.where.split(".")[0], f"{kind} {category.name}")
                    order.setdefault(key, (category.rare, position + 3 * len(place.path), category.first))
                    sources.setdefault(key, []).append(self._changed(base, place, category))
                if self._twins_at(place):
                    key = (place.where.split(".")[0], "twins")
                    order.setdefault(key, (False, 1, 6))
                    sources.setdefault(key, []).append(_until_it_raises(self._twinned(base, place)))
            for position, (name, changes) in enumerate(_OF_CALLS):
                order.setdefault(("", name), (False, 2 * position, 1))
                sources.setdefault(("", name), []).append(self._called(base, name, changes))
        keys = sorted(sources, key=order.__getitem__)
        common = [(_in_turns(_staggered(sources[key])), order[key][2]) for key in keys if not order[key][0]]
        return common, [_in_turns(sources[key]) for key in keys if order[key][0]]

    def _bases(self) -> list[tuple[Arguments, list[Place]]]:
        """The examples to start from: of every make-up one, neither the barest nor the largest first."""
        sizes = sorted(map(len, self._known.of_examples))
        middle = sizes[len(sizes) // 2]
        ranked = sorted(zip(self._examples, self._known.of_examples), key=lambda pair: abs(len(pair[1]) - middle))
        made_up: dict[Any, list[tuple[Arguments, list[Place]]]] = {}
        for example, places in ranked:
            key = tuple(dict.fromkeys((place.where, type(place.value).__qualname__) for place in places))
            made_up.setdefault(key, []).append((example, places))
        turns = itertools.chain.from_iterable(itertools.zip_longest(*made_up.values()))
        bases = list(itertools.islice(filter(None, turns), _MOST_BASES))
        first, _ = bases[0]
        complete = self._known.target.completed(first)
        if complete.keywords != first.keywords:
            bases.insert(1, (complete, self._known.survey(complete)))
        return bases

    def _categories_at(self, place: Place) -> tuple[Category, ...]:
        if place.received and not place.path:
            return GENTLE
        if place.received and type(place.value) is str and "._" in place.where:
            # What a class lets into its texts is its own affair.
            return GENTLE
        if type(place.value) is Step:
            return GENTLE
        found = categories_of(place.value, is_record=type(place.value) is tuple and place.where in self._known.records)
        return (ANYTHING, *found) if hints.is_open(place.hint) and not place.received else found

    def _changed(self, base: Arguments, place: Place, category: Category) -> Iterator[_Draft]:
        for change in _until_it_raises(category.changes(place.value, self._known.near(place))):
            draft = self._put(base, place, change)
            if draft is not None:
                yield draft

    def _put(self, arguments: Arguments, place: Place, change: Change) -> _Draft | None:
        widened = change.widened
        if widened is None:
            widened = not self._known.is_known_at(place, change.value)
        if place.received and widened and not _may_be_missing(place):
            return None
        new = attempt(with_part, arguments.at(place.slot), place.path, change.value)
        if new is NOTHING:
            return None
        note = f"{change.note} in {_written(place)}"
        return _Draft(arguments.replaced(place.slot, new), note, widened or place.guarded, change.deep)

    def _twins_at(self, place: Place) -> tuple[tuple[Any, Any], ...]:
        return twins(place.value, anything=hints.is_open(place.hint) and not place.received)

    def _twinned(self, base: Arguments, place: Place) -> Iterator[_Draft]:
        """Twins in the place of a value: in two elements of each list that it is in, and in two calls."""
        whole = base.at(place.slot)
        for pair in self._twins_at(place):
            if not all(self._known.is_known_at(place, each) for each in pair):
                continue
            for depth in reversed(range(len(place.path))):
                made = attempt(_side_by_side, whole, place.path[:depth], place.path[depth:], pair)
                if made is not NOTHING:
                    yield _Draft(base.replaced(place.slot, made), f"twins in {_written(place)}", place.guarded)
            before, after = (base.replaced(place.slot, with_part(whole, place.path, each)) for each in pair)
            yield _Draft(after, f"after its twin in {_written(place)}", place.guarded, after=before)

    def _called(self, base: Arguments, name: str, changes: Callable[..., Iterator[Arguments]]) -> Iterator[_Draft]:
        for arguments in _until_it_raises(changes(self._known, base)):
            yield _Draft(arguments, name, widened=False)

    # ── several changes at once ──

    def _at_random(self) -> Iterator[_Draft]:
        while True:
            base = self._rng.choice(self._examples)
            draft = _Draft(base, "", widened=False)
            notes = []
            if self._rng.random() < 0.4:
                draft = draft._replace(arguments=self._recombined(base))
                notes.append("parts of several calls")
            for _ in range(self._rng.choice((0, 1, 1, 1, 1, 1, 2, 2, 3, 4))):
                changed = self._changed_somewhere(draft.arguments)
                if changed is not None:
                    notes.append(changed.note)
                    draft = changed._replace(widened=draft.widened or changed.widened)
            yield draft._replace(note="; ".join(notes))

    def _recombined(self, base: Arguments) -> Arguments:
        def other(slot: int | str, value: Any) -> Any:
            known = self._known.seen.get(self._known.target.name_of(slot)) or [value]
            return copied(self._rng.choice(known)) if self._rng.random() < 0.5 else value

        positional = tuple([other(slot, value) for slot, value in enumerate(base.positional)])
        return Arguments(positional, {name: other(name, value) for name, value in base.keywords.items()})

    def _changed_somewhere(self, arguments: Arguments) -> _Draft | None:
        slots = arguments.slots()
        if not slots:
            return None
        place = self._known.root(*self._rng.choice(slots))
        while len(place.path) < _MAX_DEPTH and (self._rng.random() < 0.6 or (place.received and not place.path)):
            inner = self._known.children(place, self._rng.randrange(1 << 16))
            if not inner:
                break
            place = inner[0]
        category = self._category_at_random(place)
        changes = _until_it_raises(category.changes(place.value, self._known.near(place)))
        tried = collections.deque(itertools.islice(changes, 1 if category.endless else self._rng.randint(1, 10)), 1)
        return self._put(arguments, place, tried[0]) if tried else None

    def _category_at_random(self, place: Place) -> Category:
        categories = self._categories_at(place)
        wanted = self._rng.random()
        endless = [each for each in categories if each.endless] if wanted < 0.4 else []
        return self._rng.choice(endless or [each for each in categories if not each.rare or wanted > 0.97])


def _step(value: Any, shape: Shape, parts: list[Any], index: int) -> str:
    """What the way to a part is called, so that all that are of one kind are called the same."""
    if shape.kind == "entries":
        key = parts[index - 1]
        return "key" if index % 2 == 0 else key if type(key) is str and len(key) < 40 else "*"
    if shape.kind == "fields":
        return shape.names(value)[index]
    if type(parts[index]) is Step:
        return f"{parts[index].method}()"
    return str(index) if type(value) is tuple and len(set(map(type, parts))) > 1 else "*"


def _side_by_side(whole: Any, outer: tuple[int, ...], inner: tuple[int, ...], pair: tuple[Any, Any]) -> Any:
    """With the element that one part is in twice, each with one of the two in that place; NOTHING where it is in no
    container of elements."""
    container = whole
    for index in outer:
        container = parts_of(container)[index]
    shape = shape_of(container)
    if shape is None or shape.kind != "items" or isinstance(container, (set, frozenset)):
        return NOTHING
    parts = parts_of(container)
    element = parts[inner[0]]
    twin = [with_part(copied(element), inner[1:], each) for each in pair]
    return with_part(whole, outer, rebuilt(container, [*parts[: inner[0]], *twin, *parts[inner[0] + 1 :]]))


def _until_it_raises(changes: Iterator[Any]) -> Iterator[Any]:
    """What comes of foreign values, up to where one of them fails."""
    while True:
        change = attempt(next, changes, NOTHING)
        if change is NOTHING:
            return
        yield change


def _may_be_missing(place: Place) -> bool:
    """Whether a part of the receiver is missing that others might set: then it may be of any type."""
    return place.value is None and "._" not in place.where


def _written(place: Place) -> str:
    return f"[{place.slot}]{place.where[len(place.where.split('.')[0]) :]}"


def _chosen(places: list[Place]) -> Iterator[Place]:
    """Of the places at one where with one type, the first, the last and one between."""
    alike: dict[tuple[str, type], list[Place]] = {}
    for place in places:
        alike.setdefault((place.where, type(place.value)), []).append(place)
    chosen = (dict.fromkeys((0, len(group) - 1, len(group) // 2)) for group in alike.values())
    groups = [[group[index] for index in indices] for indices, group in zip(chosen, alike.values())]
    turns = itertools.chain.from_iterable(itertools.zip_longest(*groups))
    return itertools.islice(filter(None, turns), _MOST_PLACES)


def _in_turns(sources: Iterable[Iterator[_Draft]]) -> Iterator[_Draft]:
    waiting = collections.deque(sources)
    while waiting:
        source = waiting.popleft()
        draft = next(source, None)
        if draft is not None:
            waiting.append(source)
            yield draft


def _staggered(sources: list[Iterator[_Draft]]) -> Iterator[Iterator[_Draft]]:
    """Each begins with another of its first changes, so that they do not all begin with the same."""
    for number, source in enumerate(sources):
        skipped = list(itertools.islice(source, number % _STAGGER))
        yield itertools.chain(itertools.islice(source, 1), skipped, source)


# ── changes of a whole call ──


def _defaults_left_out(known: Places, base: Arguments) -> Iterator[Arguments]:
    defaults = {p.name for p in known.target.parameters if p.default is not p.empty}
    for name in base.keywords:
        if name in defaults:
            yield Arguments(base.positional, {key: value for key, value in base.keywords.items() if key != name})
    if len(base.positional) <= len(known.target.positional):
        for count in range(len(base.positional) - 1, -1, -1):
            if known.target.positional[count].name not in defaults:
                break
            yield Arguments(base.positional[:count], base.keywords)


def _defaults_passed(known: Places, base: Arguments) -> Iterator[Arguments]:
    for parameter in known.target.absent(base):
        yield base.replaced(parameter.name, parameter.default)
    yield known.target.completed(base)


def _by_keyword(known: Places, base: Arguments) -> Iterator[Arguments]:
    names = {parameter.name for parameter in known.target.named}
    for count in range(len(base.positional) - 1, int(known.target.receiver) - 1, -1):
        moved = known.target.positional[count : len(base.positional)]
        if len(base.positional) > len(known.target.positional) or not all(p.name in names for p in moved):
            break
        given = dict(zip([p.name for p in moved], base.positional[count:]))
        yield Arguments(base.positional[:count], {**given, **base.keywords})


def _pairs_of_slots(known: Places, base: Arguments) -> Iterator[tuple[int, int]]:
    first = int(known.target.receiver)
    return itertools.islice(itertools.permutations(range(first, len(base.positional)), 2), 30)


def _same_object(known: Places, base: Arguments) -> Iterator[Arguments]:
    for one, other in _pairs_of_slots(known, base):
        value = base.positional[one]
        if type(value) is type(base.positional[other]) and is_mutable(value):
            yield base.replaced(other, value)


def _equal_arguments(known: Places, base: Arguments) -> Iterator[Arguments]:
    for one, other in _pairs_of_slots(known, base):
        if type(base.positional[one]) is type(base.positional[other]):
            yield base.replaced(other, copied(base.positional[one]))


def _exchanged(known: Places, base: Arguments) -> Iterator[Arguments]:
    for one, other in _pairs_of_slots(known, base):
        values = list(base.positional)
        values[one], values[other] = values[other], values[one]
        if one < other and type(values[one]) is type(values[other]):
            yield Arguments(tuple(values), base.keywords)


def _fitting(known: Places, base: Arguments) -> Iterator[Arguments]:
    """An argument that has to do with another: a length, a place, an element, a piece."""
    for one, other in _pairs_of_slots(known, base):
        whole, part = base.positional[one], base.positional[other]
        inner = [] if shape_of(whole) is None else parts_of(whole)
        if type(whole) is str:
            inner = [whole[:1], whole[-1:], whole[1:3], whole]
        if type(part) is int and (type(whole) in {str, bytes} or is_resizable(whole)):
            yield from (base.replaced(other, len(whole) + step) for step in (0, -1, 1))
        for value in inner[:6]:
            if type(value) is type(part):
                yield base.replaced(other, copied(value))


def _adding_up(known: Places, base: Arguments) -> Iterator[Arguments]:
    """A number that some of another argument come to, as floats add up or exactly; and the same in tenths, which do not
    add up in floats."""
    for one, other in _pairs_of_slots(known, base):
        whole, part = base.positional[one], base.positional[other]
        numbers = parts_of(whole)[:_MOST_ADDED] if type(whole) in {list, tuple} else []
        if type(part) not in _NUMBERS or len(numbers) < 2 or not _NUMBERS.issuperset(map(type, numbers)):
            continue
        spans = list(itertools.combinations(range(len(numbers) + 1), 2))
        for first, last in known.rng.sample(spans, len(spans)):
            for made in ([number / 10 for number in numbers], numbers):
                given = base.replaced(one, rebuilt(whole, made))
                yield from (given.replaced(other, total(made[first:last])) for total in (math.fsum, sum))


def _renamed(known: Places, base: Arguments) -> Iterator[Arguments]:
    """What stands in several places, something else in all of them."""
    for places in known.recurring(base):
        value = places[0].value
        others = [*known.pool(type(value)), another(value, 1)]
        for other in itertools.islice((other for other in others if not _is_equal(other, value)), 8):
            made = base
            for place in places:
                made = made.replaced(place.slot, with_part(made.at(place.slot), place.path, copied(other)))
            yield made


def _is_equal(one: Any, other: Any) -> bool:
    return attempt(operator.eq, one, other) is True


def _overlapping(known: Places, base: Arguments) -> Iterator[Arguments]:
    """An argument that has all of another in it, before or behind its own: of dicts, with other values."""
    for one, other in _pairs_of_slots(known, base):
        whole, part = base.positional[one], base.positional[other]
        if type(whole) is type(part) is dict:
            more = {key: another(value, 1) for key, value in whole.items()}
            for made in ({**more, **part}, {**part, **{key: more[key] for key in more if key not in part}}):
                yield base.replaced(other, copied(made))
        elif type(whole) is type(part) is list:
            yield from (base.replaced(other, copied(made)) for made in (whole + part, part + whole))


def _other_calls(known: Places, base: Arguments) -> Iterator[Arguments]:
    """Each argument as it was in every other call, beside the rest of this one."""
    for slot, value in enumerate(base.positional):
        for other in known.seen.get(known.target.name_of(slot), []):
            if type(other) is type(value) and other is not value:
                yield base.replaced(slot, copied(other))


def _all_empty(known: Places, base: Arguments) -> Iterator[Arguments]:
    first = int(known.target.receiver)
    emptied = [_emptied(known, slot, value) for slot, value in enumerate(base.positional)][first:]
    yield Arguments((*base.positional[:first], *emptied), base.keywords)


def _emptied(known: Places, slot: int, value: Any) -> Any:
    if type(value) is str:
        return ""
    if type(value) is tuple and known.target.name_of(slot) in known.records:
        return value
    return rebuilt(value, ()) if is_resizable(value) else value


_OF_CALLS: tuple[tuple[str, Callable[[Places, Arguments], Iterator[Arguments]]], ...] = (
    ("defaults passed", _defaults_passed),
    ("defaults left out", _defaults_left_out),
    ("the same object twice", _same_object),
    ("arguments that fit", _fitting),
    ("arguments that overlap", _overlapping),
    ("arguments that add up", _adding_up),
    ("another name for the same", _renamed),
    ("an argument of another call", _other_calls),
    ("equal arguments", _equal_arguments),
    ("arguments exchanged", _exchanged),
    ("by keyword", _by_keyword),
    ("all empty", _all_empty),
)
