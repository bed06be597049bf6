"""What is known of the places of arguments: what was seen at each, what its annotation allows, and what leaves that."""

from __future__ import annotations

import collections
import collections.abc
import re
import typing

from .. import hints
from ..neighbours import SMALL, Near
from ..values import (
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
    is_resizable,
    shape_of,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    import random
    from collections.abc import Iterable
    from typing import Any

    from .targets import Target

__all__ = ["MAX_DEPTH", "Place", "Places"]

MAX_DEPTH = 6
_MOST_SURVEYED, _MOST_POOLED = 200, 48
_MOST_COLUMNS = 24
# What is often the same without meaning the same.
_COMMON = frozenset({type(None), bool, list, dict, set, Step})
# Names of what says how much to do.
_SIZES = re.compile(
    r"_*([nkm]|count|size|len|length|width|height|depth|limit|times|repeat|step|window|page|batch|chunk|rounds|top"
    r"|iterations|precision|digits|places|indent|levels?|capacity|maxlen|maxsize|total|start|stop|end|steps?"
    r"|ndigits|(max|min|num|n|per|no)_.*|.*_(size|count|len|length|limit|width|depth|times|number|page|index))",
    re.IGNORECASE,
)


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
                if len(place.path) < MAX_DEPTH:
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
        if shape is None or not parts or where.count(".") > MAX_DEPTH:
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
