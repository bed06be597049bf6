"""Who belongs to whom, where there is no order: the keys of dicts, and the members of sets.

What a value looks like from outside, its fingerprint, tells nearly all of them apart. Those that it does not are tried,
and that is put off until all the rest is known.
"""

from __future__ import annotations

import datetime as dt
import decimal
import enum
import math
import pathlib
import types

from .classes import name_of, within
from .differences import Found, written
from .objects import PLAIN, namespace, shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from .classes import Foreign
    from .objects import Children
    from .walk import Walk

__all__ = ["Groups"]


class Groups:
    """Keys or members of both sides, in groups that could be the same as far as can be told without comparing."""

    def __init__(self, walk: Walk, left: list[Any], right: list[Any], kind: str) -> None:
        self._walk, self._left, self._right, self._kind = walk, left, right, kind
        self._found: dict[Any, tuple[list[int], list[int]]] = {}
        self._sure: set[Any] = set()
        for side, members in enumerate((left, right)):
            for place, member in enumerate(members):
                print_, sure = _fingerprint(walk, member)
                self._found.setdefault(print_, ([], []))[side].append(place)
                if sure:
                    self._sure.add(print_)
        self._balance()

    def _balance(self) -> None:
        """Equal ones have equal fingerprints, so every group must have as many of the one as of the other."""
        extra: Any = None
        for ours, theirs in self._found.values():
            if len(ours) > len(theirs):
                raise self._missing(ours[-1])
            if len(ours) < len(theirs) and extra is None:
                extra = theirs[-1]
        if extra is not None:
            member = self._right[extra]
            raise Found(self._kind, f"<no such {self._kind[:-1]}>", shown(member), self._place(member))

    def _missing(self, place: int) -> Found:
        member = self._left[place]
        return Found(self._kind, shown(member), f"<no such {self._kind[:-1]}>", self._place(member))

    def _place(self, member: Foreign) -> str:
        return written(("key" if self._kind == "keys" else "member", member))

    def children(self, of: Callable[[Groups], Children]) -> Children | None:
        """Now, where partners are clear; else when all the rest is known."""
        if all(len(ours) == 1 or key in self._sure for key, (ours, _) in self._found.items()):
            return of(self)
        self._walk.postpone(of(self))
        return None

    def partners(self) -> list[int]:
        """For each on the left its place on the right."""
        found = [0] * len(self._left)
        for key, (ours, theirs) in self._found.items():
            sure = len(ours) == 1 or key in self._sure
            for one, other in zip(ours, theirs) if sure else self._settled(ours, theirs):
                found[one] = other
        return found

    def _settled(self, ours: list[int], theirs: list[int]) -> list[tuple[int, int]]:
        numbers = [*(self._left[place] for place in ours), *(self._right[place] for place in theirs)]
        if all(type(number) is float for number in numbers):
            # With a tolerance the nearest belong together.
            return list(zip(_ascending(ours, self._left), _ascending(theirs, self._right)))
        rest, pairs = list(theirs), []
        for one in ours:
            other = next((place for place in rest if self._walk.alike(self._left[one], self._right[place])), None)
            if other is None:
                raise self._missing(one)
            rest.remove(other)
            pairs.append((one, other))
        return pairs


def _ascending(places: list[int], numbers: list[float]) -> list[int]:
    return sorted(places, key=lambda place: (math.isnan(numbers[place]), numbers[place]))


def _fingerprint(walk: Walk, value: Foreign, depth: int = 3) -> tuple[Any, bool]:
    """Something to look up that is equal for what is the same; and whether what has it equal is the same for sure."""
    kind = type(value)
    key = id(kind)
    if key in PLAIN:
        return (key, value), True
    if kind is float:
        exact = "nan" if math.isnan(value) else (value, math.copysign(1.0, value))
        return (key, None if walk.close else exact), not walk.close
    if kind is tuple:
        return _fingerprint_of_items(walk, value, depth)
    return (name_of(kind), _outline(walk, value, depth - 1) if depth else None), False


def _fingerprint_of_items(walk: Walk, value: tuple[Any, ...], depth: int) -> tuple[Any, bool]:
    if depth == 0:
        return (id(tuple), len(value)), False
    prints = [_fingerprint(walk, item, depth - 1) for item in value[:16]]
    return (id(tuple), len(value), *(one for one, _ in prints)), len(value) <= 16 and all(sure for _, sure in prints)


def _outline(walk: Walk, value: Foreign, depth: int) -> Any:
    """What tells objects apart quickly: plain content, and attributes that are."""
    kind = type(value)
    for base, read in _OUTLINES:
        if within(kind, base):
            return read(value)
    if within(kind, tuple):
        return _fingerprint_of_items(walk, tuple.__getitem__(value, slice(None)), depth)[0]
    plan = walk.plan(kind)
    if plan.whole:
        return None
    held = plan.attributes(value)
    return tuple((name, _fingerprint(walk, held[name], depth)[0]) for name in sorted(held)[:16])


_CALENDAR: list[Any] = [
    getattr(dt.datetime, name).__get__ for name in ("year", "month", "day", "hour", "minute", "second", "microsecond")
]
_CLOCK: list[Any] = [getattr(dt.time, name).__get__ for name in ("hour", "minute", "second", "microsecond")]
# What tells apart what cannot hold anything foreign, for the first class that fits.
_OUTLINES: list[tuple[type, Callable[[Any], Any]]] = [
    (enum.Enum, lambda value: str(namespace(value).get("_name_"))),
    (str, str.__str__),
    (int, int.__index__),
    (decimal.Decimal, decimal.Decimal.__str__),
    (dt.datetime, lambda value: tuple(read(value) for read in _CALENDAR)),
    (dt.date, dt.date.toordinal),
    (dt.timedelta, dt.timedelta.__hash__),
    (dt.time, lambda value: tuple(read(value) for read in _CLOCK)),
    (pathlib.PurePath, pathlib.PurePath.__str__),
    (type, name_of),
    (types.FunctionType, lambda value: value.__qualname__),
    (frozenset, frozenset.__len__),
    (range, lambda value: (value.start, value.stop, value.step)),
]
