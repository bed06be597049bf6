"""What is near a value that has parts: its parts left out, doubled, reordered, exchanged, led on and on."""

from __future__ import annotations

import collections
import datetime as dt
import decimal
import fractions
import itertools
import math
import operator
import sys

from ..values import (
    NOTHING,
    STATE,
    Group,
    Indexed,
    Interrupting,
    Items,
    Keyed,
    OneShot,
    Row,
    Table,
    attempt,
    copied,
    is_mutable,
    is_resizable,
    parts_of,
    rebuilt,
    shape_of,
    with_part,
)
from .changes import ALWAYS, MOST_INSERTED, Category, Change, Near, plainly

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Any

__all__ = [
    "OF_ARRAYS",
    "OF_FIELDS",
    "OF_ITEMS",
    "OF_MAPPINGS",
    "OF_RECORDS",
    "OF_SEQUENCES",
    "OF_SETS",
    "another",
]

# How far things lead on from one to the next, where that is what is tried.
_DEEP = 130
# Of lengths that cost something, not all.
_MOST_ELEMENTS = 5_000


def _elements(value: Any, near: Near) -> list[Any]:
    """Its elements, or what elements were seen there in other calls."""
    return (
        parts_of(value) or [part for other in near.here if type(other) is type(value) for part in parts_of(other)][:8]
    )


def another(part: Any, number: int) -> Any:
    """A value of the same type, another one for each number from 1, where one can be told; of a record, one that is
    another in its first part that can be."""
    kind = type(part)
    if kind in {int, float, complex, decimal.Decimal, fractions.Fraction}:
        return part + number
    if kind is str:
        return f"{part}{number}"
    if kind is bytes:
        return part + b"%d" % number
    if kind is dt.date or kind is dt.datetime:
        return part + dt.timedelta(days=number)
    if kind is bool:
        return part ^ bool(number % 2)
    made = attempt(_another_record, part, number)
    return copied(part) if made is NOTHING else made


def _another_record(part: Any, number: int) -> Any:
    shape = shape_of(part)
    if shape is None or shape is STATE or not (shape.kind in {"entries", "fields"} or isinstance(part, tuple)):
        return NOTHING
    parts = parts_of(part)
    for place in range(int(shape.kind == "entries"), len(parts), 2 if shape.kind == "entries" else 1):
        if type(parts[place]) in _COUNTABLE:
            return with_part(part, (place,), another(parts[place], number))
    return NOTHING


_COUNTABLE = frozenset({int, float, str, bytes, complex, decimal.Decimal, fractions.Fraction, dt.date, dt.datetime})


def _many(parts: list[Any], count: int) -> list[Any]:
    """So many, all different where that can be."""
    turns = (divmod(index, len(parts)) for index in range(count if parts else 0))
    return [another(parts[place], turn) if turn else parts[place] for turn, place in turns]


def _again(parts: list[Any], count: int) -> list[Any]:
    """So many, the same ones again, as objects of their own."""
    return [copied(parts[index % len(parts)]) for index in range(count if parts else 0)]


def _emptied(value: Any, near: Near) -> Iterator[Change]:
    yield Change("empty", rebuilt(value, ()))


def _one_or_two(value: Any, near: Near) -> Iterator[Change]:
    parts = _elements(value, near)
    yield from plainly("one", (rebuilt(value, parts[:1]), rebuilt(value, parts[-1:])))
    yield from plainly("two", (rebuilt(value, parts[:2]), rebuilt(value, parts[:-3:-1])))


def _left_out(value: Any, near: Near) -> Iterator[Change]:
    parts = parts_of(value)
    for index in range(min(len(parts), 6)):
        yield Change("one left out", rebuilt(value, parts[:index] + parts[index + 1 :]))
    yield from plainly("half", (rebuilt(value, parts[len(parts) // 2 :]), rebuilt(value, parts[: len(parts) // 2])))


def _doubled(value: Any, near: Near) -> Iterator[Change]:
    parts = _elements(value, near)
    twin = [copied(part) for part in parts]
    yield Change("duplicates", rebuilt(value, [*parts, *twin[:1]]))
    yield Change("duplicates", rebuilt(value, [part for pair in zip(parts, twin) for part in pair]))
    yield Change("duplicates", rebuilt(value, [*parts, *twin]))
    yield Change("all equal", rebuilt(value, _again(parts[:1], max(2, len(parts)))))
    yield Change("duplicates", rebuilt(value, [*twin[-1:], *parts]))


def _tied(value: Any, near: Near) -> Iterator[Change]:
    """Two records that agree in one part and differ in others: equal to whoever looks at that part alone."""
    records = [part for part in _elements(value, near)[:MOST_INSERTED] if shape_of(part) is not None]
    for one, other in zip(records[:1], (record for record in records[1:] if _is_of_one_form(records[0], record))):
        mine, theirs = parts_of(one), parts_of(other)
        is_mapping = shape_of(one).kind == "entries"  # type: ignore[union-attr]
        for place in range(1 if is_mapping else 0, min(len(mine), MOST_INSERTED), 2 if is_mapping else 1):
            tied = rebuilt(other, [*theirs[:place], copied(mine[place]), *theirs[place + 1 :]])
            yield from plainly("tied", (rebuilt(value, [one, tied]), rebuilt(value, [tied, one])))


def _is_of_one_form(one: Any, other: Any) -> bool:
    """Whether two records have the same parts, of which at least two differ."""
    if type(one) is not type(other):
        return False
    mine, theirs = parts_of(one), parts_of(other)
    differ = [attempt(operator.ne, *pair) is not False for pair in zip(mine, theirs)]
    is_mapping = shape_of(one).kind == "entries"  # type: ignore[union-attr]
    return len(mine) == len(theirs) and sum(differ) > 1 and not (is_mapping and any(differ[::2]))


def _reordered(value: Any, near: Near) -> Iterator[Change]:
    parts = _elements(value, near)
    yield Change("reversed", rebuilt(value, parts[::-1]))
    ordered = attempt(sorted, parts)
    if ordered is not NOTHING:
        yield from plainly("sorted", (rebuilt(value, ordered), rebuilt(value, ordered[::-1])))
    yield from plainly("rotated", (rebuilt(value, parts[1:] + parts[:1]), rebuilt(value, parts[-1:] + parts[:-1])))
    for _ in range(4):
        yield Change("shuffled", rebuilt(value, near.rng.sample(parts, len(parts))))


def _replaced(value: Any, near: Near) -> Iterator[Change]:
    """Elements that were seen elsewhere, in and between its own."""
    parts = parts_of(value)
    others = [other for kind in dict.fromkeys(map(type, parts)) for other in near.pool(kind)]
    for number, other in enumerate(others[:MOST_INSERTED]):
        place = number % (len(parts) + 1)
        yield Change("replaced", rebuilt(value, [*parts[:place], copied(other), *parts[place + 1 :]]))
        yield Change("inserted", rebuilt(value, [*parts[:place], copied(other), *parts[place:]]))


def _spliced(value: Any, near: Near) -> Iterator[Change]:
    parts = parts_of(value)
    for other in near.pool(type(value)):
        more = parts_of(copied(other))
        yield from plainly("spliced", (rebuilt(value, parts + more), rebuilt(value, parts[: len(parts) // 2] + more)))


def _remade(value: Any, near: Near) -> Iterator[Change]:
    """Others of its kind: some of what was seen, in any number and order, with repetitions."""
    parts = _elements(value, near)
    known = [other for kind in dict.fromkeys(map(type, parts)) for other in near.pool(kind)]
    for number in range(12 if parts else 0):
        source = parts if number % 3 == 0 else [*parts, *known]
        fresh = [another(part, near.rng.randint(1, 3)) if near.rng.random() < 0.2 else part for part in source]
        yield Change("remade", rebuilt(value, map(copied, near.rng.choices(fresh, k=near.rng.randint(2, 8)))))


def _lengthened(value: Any, near: Near) -> Iterator[Change]:
    parts = _elements(value, near)
    for length in (*near.lengths()[:6], 17, 50):
        yield Change(f"{length} elements", rebuilt(value, _many(parts, length)))
    yield Change("50 elements", rebuilt(value, _again(parts, 50)))
    for length in near.lengths()[6:]:
        yield Change(f"{length} elements", rebuilt(value, _many(parts, length)))


def _lots(value: Any, near: Near) -> Iterator[Change]:
    """In texts the beginning may be what counts, or the end. Who remembers a few of them has forgotten the first."""
    parts = _elements(value, near)
    many = [_fronted(part, turn) if turn % 2 else part for turn, part in enumerate(_many(parts, 300))]
    yield Change("300 elements, and the first ones again", rebuilt(value, [*many, *_again(parts[:8], len(parts[:8]))]))
    yield Change("300 elements", rebuilt(value, _many(parts, 300)))
    for length in near.far():
        if length <= _MOST_ELEMENTS:
            yield Change(f"{length} elements", rebuilt(value, _many(parts, length)))


def _fronted(part: Any, number: int) -> Any:
    """Another value of the same type, if it is a text: different from its beginning on."""
    if type(part) is str:
        return f"{number}{part}"
    return b"%d" % number + part if type(part) is bytes else part


def _equal_numbers(value: Any, near: Near) -> Iterator[Change]:
    """Numbers that are equal and not the same; 1, 1.0 and True where only one of them was seen is wider than that."""
    parts = _elements(value, near)
    kinds = set(map(type, parts))
    if float in kinds:
        yield Change("equal floats", rebuilt(value, [0.0, -0.0, *parts, -0.0]))
        yield Change("nan among floats", rebuilt(value, [*parts[:1], math.nan, *parts[1:], float("nan")]))
        yield Change("infinities", rebuilt(value, [*parts, math.inf, -math.inf]))
        yield Change("floats that do not add up", rebuilt(value, [1e16, 1.0, -1e16, 0.1, 0.2, 0.3]))
    widened = not {int, float, bool} <= set(near.inside)
    if kinds & {int, float, bool} or not parts or not widened:
        yield Change("1, 1.0 and True", rebuilt(value, [*parts, 1, 1.0, True, 0, False]), widened)
        yield Change("True before 1", rebuilt(value, [True, 1, 1.0, *parts]), widened)


def _aliased(value: Any, near: Near) -> Iterator[Change]:
    """The same object at several places of it."""
    parts = parts_of(value)
    for part in [part for part in parts if is_mutable(part)][:3]:
        yield Change("aliased", rebuilt(value, [*parts, part]))
        yield Change("aliased", rebuilt(value, [part] * max(2, len(parts))))


def _nested_empties(value: Any, near: Near) -> Iterator[Change]:
    parts = _elements(value, near)
    empties = [rebuilt(part, ()) for part in parts[:8] if is_resizable(part) and not _is_record(part, near)]
    empties += [part[:0] for part in parts[:8] if type(part) in {str, bytes}]
    for empty in empties:
        yield Change("an empty one inside", rebuilt(value, [*parts, copied(empty)]))
        yield Change("an empty one inside", rebuilt(value, [empty, *parts]))
    if type(value) in {list, tuple} and parts:
        nested = rebuilt(value, parts)
        yield Change("nested in itself", rebuilt(value, [*parts, nested]), widened=not is_resizable(parts[0]))


def _is_record(part: Any, near: Near) -> bool:
    return near.of_records and type(part) is tuple


def _none_inside(value: Any, near: Near) -> Iterator[Change]:
    parts = parts_of(value)
    known = type(None) in set(map(type, parts)) or type(None) in near.inside
    if not known or type(value) in {list, tuple, collections.deque}:
        yield Change("None inside", rebuilt(value, [*parts, None]), widened=not known)


def _other_sequences(value: Any, near: Near) -> Iterator[Change]:
    parts = parts_of(value)
    yield Change("iterator", OneShot(parts))
    yield Change("other container", tuple(parts) if type(value) is not tuple else list(parts))
    yield Change("subclass", Row(parts) if type(value) is tuple else Items(parts))
    yield Change("deque", collections.deque(parts))
    keys = attempt(dict.fromkeys, parts)
    if keys is not NOTHING:
        yield Change("keys view", keys.keys())
    if parts and all(type(part) is int for part in parts):
        yield Change("range", range(len(parts)))


def _other_sets(value: Any, near: Near) -> Iterator[Change]:
    parts = parts_of(value)
    yield Change("other set", frozenset(parts) if type(value) is set else set(parts))
    yield from plainly("other container", (list(parts), tuple(parts), OneShot(parts)))
    yield Change("subclass", Group(parts), widened=True)


def _hostile(value: Any, near: Near) -> Iterator[Change]:
    parts = parts_of(value)
    for after in dict.fromkeys((1, 0, len(parts), 2)):
        yield Change(f"breaks off after {after}", Interrupting(parts, after), widened=True)
    yield Change("only indices", Indexed(parts), widened=True)


# ── what leads on and on ──


def _chained(value: Any, near: Near) -> Iterator[Change]:
    """Where elements refer to each other, as a message to the one that it answers: each to the one before."""
    records = [part for part in _elements(value, near)[:MOST_INSERTED] if shape_of(part) is not None]
    rows = [parts_of(record) for record in records]
    if not records or any(len(row) != len(rows[0]) for row in rows):
        return
    for own, link in itertools.islice(_links(rows), 3):
        names = list(dict.fromkeys(row[own] for row in rows))
        ends = [row[link] for row in rows if row[link] not in names][:1]
        model = next(place for place, row in enumerate(rows) if row[link] in names)
        names = _many_names(names)
        for order, note in ((names, "a long chain"), (names[::-1], "a long chain, its end first")):
            chain = []
            for name, before in zip(order, [*(ends or order[:1]), *order]):
                row = copied(rows[model])
                row[own], row[link] = name, before
                chain.append(rebuilt(records[model], row))
            yield Change(note, rebuilt(value, chain if order is names else chain[::-1]), deep=True)


def _links(rows: list[list[Any]]) -> Iterator[tuple[int, int]]:
    """Columns of a table that name its rows, and others that refer to them."""
    columns = [{row[place] for row in rows} if _is_plain(rows, place) else set() for place in range(len(rows[0]))]
    for own, link in itertools.permutations(range(len(columns)), 2):
        names = columns[own]
        if len(names) > 1 and None not in names and any(row[link] in names and row[link] != row[own] for row in rows):
            yield own, link


def _is_plain(rows: list[list[Any]], place: int) -> bool:
    return {type(row[place]) for row in rows} <= {int, str, bytes, type(None)}


def _many_names(known: list[Any]) -> list[Any]:
    """These, so that who is given one of them finds it, and others of their type."""
    if type(known[0]) is int:
        start = max(name for name in known if type(name) is int)
        return [*known, *range(start + 1, start + _DEEP)]
    return list(dict.fromkeys([*known, *(another(known[0], number) for number in range(1, _DEEP))]))


def _chained_entries(value: Any, near: Near) -> Iterator[Change]:
    """Where values refer to keys, as a thing to those that it needs: each to the next."""
    pairs = _pairs(value) or _seen_pairs(value, near)
    keys = [key for key, _ in pairs if type(key) in {int, str}]
    for key, part in pairs:
        lead = _leading(part, [known for known in keys if known != key])
        if lead is NOTHING or type(key) is not type(keys[0]):
            continue
        names = _many_names(keys)
        last = next((end for _, end in pairs if _leading(end, keys) is NOTHING), part)
        chain = [(name, lead(after)) for name, after in zip(names, names[1:])]
        chain.append((names[-1], copied(last)))
        yield Change("a long chain", _of_pairs(value, chain), deep=True)
        yield Change("a long chain, its end first", _of_pairs(value, chain[::-1]), deep=True)
        return


def _leading(part: Any, keys: list[Any]) -> Any:
    """Makes a value like this one that refers to another key; NOTHING where it refers to none."""
    if type(part) in {int, str} and part in keys:
        return lambda key: key
    for place, inner in enumerate(parts_of(part) if shape_of(part) is not None else ()):
        if type(inner) in {int, str} and inner in keys:
            if is_resizable(part) and not isinstance(part, dict):
                return lambda key: rebuilt(part, [key])
            return lambda key, place=place: with_part(part, (place,), key)
    return NOTHING


def _deepened(value: Any, near: Near) -> Iterator[Change]:
    """Where a value has others like itself inside: itself in the place of one of them, again and again."""
    path = _path_to_alike(value)
    if path:
        made = value
        for _ in range(_DEEP):
            made = with_part(value, path, made)
        yield Change("nested deeply", made, deep=True)


def _path_to_alike(value: Any) -> tuple[int, ...]:
    """Where the first part is that is of its kind, at most three steps inside; nowhere if empty."""
    waiting: collections.deque[tuple[tuple[int, ...], Any]] = collections.deque([((), value)])
    for _ in range(MOST_INSERTED):
        if not waiting:
            break
        path, outer = waiting.popleft()
        for place, part in enumerate(parts_of(outer)):
            here = (*path, place)
            if type(part) is type(value) and _is_alike(part, value):
                return here
            if len(here) < 3 and shape_of(part) is not None:
                waiting.append((here, part))
    return ()


def _is_alike(part: Any, whole: Any) -> bool:
    return not isinstance(whole, dict) or next(iter(part), NOTHING) == next(iter(whole), None)


# ── mappings ──


def _pairs(value: Any) -> list[tuple[Any, Any]]:
    parts = parts_of(value)
    return list(zip(parts[::2], parts[1::2]))


def _of_pairs(value: Any, pairs: Iterable[tuple[Any, Any]]) -> Any:
    return rebuilt(value, [part for pair in pairs for part in pair])


def _seen_pairs(value: Any, near: Near) -> list[tuple[Any, Any]]:
    return [pair for other in near.pool(type(value)) for pair in _pairs(other)][:MOST_INSERTED]


def _few_entries(value: Any, near: Near) -> Iterator[Change]:
    pairs = _pairs(value) or _seen_pairs(value, near)
    yield from plainly("one entry", (_of_pairs(value, pairs[:1]), _of_pairs(value, pairs[-1:])))
    yield Change("two entries", _of_pairs(value, pairs[:2]))


def _entries_left_out(value: Any, near: Near) -> Iterator[Change]:
    pairs = _pairs(value)
    for index in range(min(len(pairs), 12)):
        yield Change("one left out", _of_pairs(value, pairs[:index] + pairs[index + 1 :]))


def _entries_reordered(value: Any, near: Near) -> Iterator[Change]:
    pairs = _pairs(value)
    yield Change("reversed", _of_pairs(value, pairs[::-1]))
    yield Change("rotated", _of_pairs(value, pairs[1:] + pairs[:1]))
    for index, reverse in ((0, False), (1, False), (0, True), (1, True)):
        ordered = attempt(sorted, pairs, key=lambda pair, index=index: pair[index], reverse=reverse)
        if ordered is not NOTHING:
            yield Change("sorted", _of_pairs(value, ordered))


def _values_exchanged(value: Any, near: Near) -> Iterator[Change]:
    pairs = _pairs(value)
    keys, values = [key for key, _ in pairs], [part for _, part in pairs]
    yield Change("values exchanged", _of_pairs(value, zip(keys, values[1:] + values[:1])))
    yield Change("equal values", _of_pairs(value, zip(keys, _again(values[:1], len(values)))))
    yield Change("keys as values", _of_pairs(value, zip(keys, keys)), widened=True)


def _more_entries(value: Any, near: Near) -> Iterator[Change]:
    pairs = _pairs(value)
    values = [part for _, part in pairs] or [part for _, part in _seen_pairs(value, near)] or [0]
    for key, part in _seen_pairs(value, near):
        yield Change("another entry", _of_pairs(value, [*pairs, (copied(key), copied(part))]))
    for key in [key for kind in dict.fromkeys(type(key) for key, _ in pairs) for key in near.pool(kind)]:
        yield Change("another key", _of_pairs(value, [*pairs, (copied(key), copied(values[0]))]))
    for key, part in pairs[:3]:
        yield Change("another key", _of_pairs(value, [(another(key, 1), copied(part)), *pairs]))
    empties = [rebuilt(part, ()) for part in values[:6] if is_resizable(part) and not _is_record(part, near)]
    for key, empty in zip([key for key, _ in pairs], empties):
        yield Change("an empty one inside", _of_pairs(value, [*pairs, (key, empty)]))


def _entries_remade(value: Any, near: Near) -> Iterator[Change]:
    pairs = [*_pairs(value), *_seen_pairs(value, near)]
    for _ in range(12 if pairs else 0):
        chosen = near.rng.choices(pairs, k=near.rng.randint(1, 6))
        parts = [part for _, part in near.rng.sample(pairs, len(pairs))]
        keys = [another(key, near.rng.randint(1, 3)) if near.rng.random() < 0.2 else key for key, _ in chosen]
        yield Change("remade", _of_pairs(value, copied(list(zip(keys, itertools.cycle(parts))))))


def _many_entries(value: Any, near: Near) -> Iterator[Change]:
    pairs = _pairs(value) or _seen_pairs(value, near)
    for count in (*near.lengths()[:3], 50):
        yield Change(f"{count} entries", _of_pairs(value, _many(pairs, count)))


def _aliased_entries(value: Any, near: Near) -> Iterator[Change]:
    pairs = _pairs(value)
    for _, part in [pair for pair in pairs if is_mutable(pair[1])][:2]:
        yield Change("aliased", _of_pairs(value, [(key, part) for key, _ in pairs]))


def _other_mappings(value: Any, near: Near) -> Iterator[Change]:
    pairs = _pairs(value)
    yield from plainly("subclass", (collections.OrderedDict(pairs), Table(pairs)))
    kinds = {type(part) for _, part in pairs}
    factory = kinds.pop() if len(kinds) == 1 and kinds <= {int, float, str, list, dict, set} else None
    yield Change("defaultdict", collections.defaultdict(factory, pairs))
    yield Change("only keys and items", Keyed(dict(pairs)), widened=True)
    yield Change("pairs for a mapping", pairs)


def _equal_keys(value: Any, near: Near) -> Iterator[Change]:
    """Keys that meet, or nearly: 1 and True and '1'."""
    pairs = _pairs(value)
    for key, part in pairs[:2]:
        if type(key) in {int, float, bool}:
            yield Change("equal key", _of_pairs(value, [(str(key), part), (float(key), part), *pairs]), widened=True)
        if type(key) is str:
            yield Change(
                "near key", _of_pairs(value, [*pairs, (key.swapcase(), copied(part)), (key + " ", copied(part))])
            )


# ── arrays ──


def _arrays(value: Any, near: Near) -> Iterator[Change]:
    numpy = sys.modules["numpy"]
    if value.ndim:
        yield Change("empty", value[:0])
        yield from plainly("one", (value[:1], value[-1:]))
        yield from plainly("order", (value[::-1], value[::2], numpy.concatenate((value, value[:1]))))
    else:
        yield Change("one dimension", value.reshape(1))
    yield Change("zeros", numpy.zeros_like(value))
    if value.dtype.kind in "ifc":
        yield Change("negative", _calculated(numpy, numpy.negative, value))
    if value.ndim > 1:
        yield Change("transposed", value.T)
    if value.dtype.kind == "f" and value.size:
        for special in (math.nan, math.inf, -0.0):
            changed = value.copy()
            changed.flat[changed.size // 2] = special
            yield Change("special", changed)


def _other_arrays(value: Any, near: Near) -> Iterator[Change]:
    numpy = sys.modules["numpy"]
    for kind in ("float64", "int64", "float32", "int8", "object", "bool"):
        made = attempt(_calculated, numpy, value.astype, kind)
        if made is not NOTHING and value.dtype != kind:
            yield Change("other dtype", made, widened=True)
    if value.size == 1:
        yield Change("no dimension", value.reshape(()), widened=True)
    yield Change("list for array", value.tolist())
    fixed = value.copy()
    fixed.flags.writeable = False
    yield Change("read-only", fixed, widened=True)


def _calculated(numpy: Any, function: Callable[..., Any], *arguments: Any) -> Any:
    with numpy.errstate(all="ignore"):
        return function(*arguments)


# ── which are tried on which ──

OF_ITEMS = (
    Category("empty", _emptied),
    Category("few", _one_or_two),
    Category("duplicates", _doubled),
    Category("ties in records", _tied, first=4),
    Category("order", _reordered),
    Category("left out", _left_out),
    Category("replaced", _replaced),
    Category("aliased", _aliased),
    Category("equal numbers", _equal_numbers),
    Category("nested", _nested_empties),
    Category("spliced", _spliced),
    Category("remade", _remade, endless=True),
    Category("many", _lengthened),
    Category("none inside", _none_inside),
)
_DEEPER = Category("deep", _deepened)
OF_SEQUENCES = (
    *OF_ITEMS,
    Category("chain", _chained),
    _DEEPER,
    Category("other type", _other_sequences),
    Category("hostile", _hostile),
    *ALWAYS,
    Category("lots", _lots, rare=True),
)
# What leaves a tuple as long as it is, if in another order, with other parts, or as something else.
_OF_ONE_LENGTH = frozenset({"duplicates", "ties in records", "order", "replaced", "remade", "deep"})


def _of_one_length(category: Category) -> Category:
    def changes(value: Any, near: Near) -> Iterator[Change]:
        return (change for change in category.changes(value, near) if len(change.value) == len(value))

    return category._replace(changes=changes)


def _resized(value: Any, near: Near) -> Iterator[Change]:
    """A record of another length, which few are made for."""
    parts = parts_of(value)
    for changed in (parts[:-1], [*parts, copied(parts[-1])], parts[1:], ()):
        yield Change("another length", rebuilt(value, changed), widened=True)


OF_RECORDS = (
    *(_of_one_length(category) for category in OF_SEQUENCES if category.name in _OF_ONE_LENGTH),
    Category("other type", _other_sequences),
    *ALWAYS,
    Category("another length", _resized, rare=True),
)
OF_SETS = (
    *(category for category in OF_ITEMS if category.name not in {"duplicates", "ties in records", "order", "aliased"}),
    Category("other type", _other_sets),
    Category("hostile", _hostile),
    *ALWAYS,
    Category("lots", _lots, rare=True),
)
OF_MAPPINGS = (
    Category("empty", _emptied),
    Category("few", _few_entries),
    Category("order", _entries_reordered),
    Category("left out", _entries_left_out),
    Category("more", _more_entries),
    Category("exchanged", _values_exchanged),
    Category("aliased", _aliased_entries),
    Category("equal keys", _equal_keys),
    Category("remade", _entries_remade, endless=True),
    Category("many", _many_entries),
    Category("chain", _chained_entries),
    _DEEPER,
    Category("other type", _other_mappings),
    *ALWAYS,
)
OF_FIELDS = (_DEEPER, *ALWAYS)
OF_ARRAYS = (Category("array", _arrays), Category("other type", _other_arrays), *ALWAYS)
