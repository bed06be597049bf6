"""Changes of a whole call: arguments left out, named, exchanged, made to meet."""

from __future__ import annotations

import itertools
import math
import operator

from ..neighbours import another
from ..values import Arguments, attempt, copied, is_mutable, is_resizable, parts_of, rebuilt, shape_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any

    from .places import Places

__all__ = ["OF_CALLS"]

_MOST_ADDED = 12
_NUMBERS = frozenset({int, float})


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
            for slot in {place.slot for place in places}:
                paths = [place.path for place in places if place.slot == slot]
                made = made.replaced(slot, _with_all(base.at(slot), paths, other))
            yield made


def _with_all(value: Any, paths: Sequence[Sequence[int]], new: Any) -> Any:
    """The value with another part at the end of each path. One after the other would not do: keys of a dict that become
    the same leave fewer parts behind."""
    if any(not path for path in paths):
        return copied(new)
    parts = parts_of(value)
    for first in {path[0] for path in paths}:
        parts[first] = _with_all(parts[first], [path[1:] for path in paths if path[0] == first], new)
    return rebuilt(value, parts)


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


OF_CALLS: tuple[tuple[str, Callable[[Places, Arguments], Iterator[Arguments]]], ...] = (
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
