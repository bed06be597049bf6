"""What is near a value: the changes that are worth trying on it, by its type.

Changes of one kind are a `Category`, a generator over the value and what is known of its place (`Near`). Each was put
here because programs go wrong there: the empty and the first one, what is equal and not the same, the ends of ranges,
the letters that change their length. Plain Python ≥ 3.9, standard library only.
"""

from __future__ import annotations

import collections
import datetime as dt
import decimal
import enum
import fractions
import itertools
import math
import operator
import pathlib
import sys
import typing

from .values import (
    NOTHING,
    STATE,
    Group,
    Indexed,
    Interrupting,
    Items,
    Keyed,
    Octets,
    OneShot,
    Raising,
    Real,
    Row,
    Stream,
    Table,
    Text,
    Whole,
    attempt,
    copied,
    is_array,
    is_mutable,
    is_resizable,
    parts_of,
    rebuilt,
    shape_of,
    with_part,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
    from typing import Any

__all__ = ["ANYTHING", "GENTLE", "SMALL", "Category", "Change", "Near", "another", "categories_of", "twins"]

# As far as numbers go that say how much to do.
SMALL = 1_000
# How far things lead on from one to the next, where that is what is tried.
_DEEP = 130
MOST_INSERTED = 48
# Lengths that are easily had, and those that cost something; of containers not all.
_NEAR, _FAR, _MOST_ELEMENTS = 256, 100_000, 5_000


class Change(typing.NamedTuple):
    """A new value for a place; `widened` is None where its type decides. `deep` says that it leads on and on: who
    follows it by calling himself goes as deep."""

    note: str
    value: Any
    widened: bool | None = None
    deep: bool = False


class Category(typing.NamedTuple):
    """Changes of one kind, the likeliest to matter first. Where values are foreign, the iterator may raise anything."""

    name: str
    changes: Callable[[Any, Near], Iterator[Change]]
    # What comes of it costs more to run, or seldom matters.
    rare: bool = False
    # By chance, and so never at an end.
    endless: bool = False
    # How many are tried before all categories have had their turn.
    first: int = 1


class Near:
    """What a change may know of its place: what was seen there and elsewhere, and whether it looks like a size."""

    __slots__ = ("_constants", "_pool", "here", "inside", "of_records", "rng", "sized")

    def __init__(
        self,
        rng: random.Random,
        pool: dict[type, list[Any]],
        constants: dict[type, list[Any]],
        *,
        here: Sequence[Any] = (),
        inside: Collection[type] = (),
        of_records: bool = False,
        sized: bool = False,
    ) -> None:
        """`here` are the values that were seen at the place, `inside` the types that its elements may have;
        `of_records` says that these are tuples of one length."""
        self.rng = rng
        self.here = here
        self.inside = inside
        self.of_records = of_records
        self.sized = sized
        self._pool = pool
        self._constants = constants

    def pool(self, kind: type) -> list[Any]:
        return self._pool.get(kind, [])

    def constants(self, kind: type) -> list[Any]:
        return self._constants.get(kind, [])

    def lengths(self) -> list[int]:
        """Lengths at which the target may do something else."""
        near = (n + step for n in self.constants(int) if 2 <= n <= _NEAR for step in (0, 1, -1))
        return list(dict.fromkeys(near))

    def far(self) -> list[int]:
        """The same, where they are large."""
        found = (n + step for n in self.constants(int) if _NEAR < n <= _FAR for step in (0, 1, -1))
        return list(dict.fromkeys(found))


def plainly(note: str, values: Iterable[Any], widened: bool | None = None) -> Iterator[Change]:  # noqa: FBT001
    for value in values:
        yield Change(note, value, widened)


def _whole_numbers(value: int, near: Near) -> Iterator[Change]:
    yield from plainly("small", (0, 1, -1, 2, -2, 3))


def _beside(value: int, near: Near) -> Iterator[Change]:
    seen = [number for number in near.here if type(number) is int] or [value]
    yield from plainly("neighbour", (value + 1, value - 1, max(seen) + 1, min(seen) - 1))
    limit = SMALL if near.sized else math.inf
    for constant in near.constants(int):
        yield from plainly("constant", (n for n in (constant, constant + 1, constant - 1) if abs(n) <= limit))


def _scaled(value: int, near: Near) -> Iterator[Change]:
    yield from plainly("negated", (-value, -value - 1))
    if abs(value) <= SMALL or not near.sized:
        yield from plainly("scaled", (value * 2, value * 10, value // 2, -value * 2))


def _any_whole_number(value: int, near: Near) -> Iterator[Change]:
    seen = [number for number in near.here if type(number) is int] or [value]
    low, high = min(seen), max(seen)
    for _ in range(12):
        yield Change("some number", near.rng.randint(low - (high - low) - 4, high + (high - low) + 4))
        if not near.sized:
            yield Change("some number", near.rng.randrange(10 ** near.rng.randint(1, 7)))


def _huge(value: int, near: Near) -> Iterator[Change]:
    if not near.sized:
        yield from plainly("huge", (2**31, 2**53 + 1, 2**63, 10**30, -(2**31) - 1, -(2**63), 2**32, 10**18 + 1))


# One more than what floats hold exactly, primes, and others whose powers are round.
_ROOTS = (10**9, 94_906_267, 10**6 + 3, 10**12 + 39, 65_537, 2**31 - 1, 10**15 + 37)
_POWERS = (10**15, 2**53, 10**18, 10**22, 10**23, 2**64, 10**30)


def _telling(value: int, near: Near) -> Iterator[Change]:
    """Beside and upon what roots and logarithms are whole of: floats take the ones for the others."""
    if near.sized:
        return
    for root in _ROOTS:
        square, triangle = root * root, root * (root + 1) // 2
        yield from plainly("huge", (triangle - 1, square - 1, square, triangle, square + 1, root**3, root**3 - 1))
    for power in _POWERS:
        yield from plainly("huge", (power - 1, power + 1, power))
    for one, other in zip(_ROOTS[2:], _ROOTS[3:]):
        yield Change("huge", one * other)


def _huge_size(value: int, near: Near) -> Iterator[Change]:
    if near.sized:
        yield from plainly("large", (100, 257, 1_000))
        yield from plainly("huge", (2**31, 2**63), widened=True)


def _other_numbers(value: int, near: Near) -> Iterator[Change]:
    yield from plainly("bool for int", (True, False))
    yield from plainly("float for int", (float(value), 0.5) if abs(value) < 2**53 else ())
    yield Change("subclass", Whole(value))


def _truths(value: bool, near: Near) -> Iterator[Change]:  # noqa: FBT001
    yield Change("other truth", not value)


def _numbers_for_truths(value: bool, near: Near) -> Iterator[Change]:  # noqa: FBT001
    yield from plainly("int for bool", (int(value), 2))


def _special_floats(value: float, near: Near) -> Iterator[Change]:
    yield from plainly("special", (math.nan, math.inf, -math.inf))


def _small_floats(value: float, near: Near) -> Iterator[Change]:
    yield from plainly("small", (0.0, -0.0, 1.0, -1.0, 0.1, 1e-9))


def _near_floats(value: float, near: Near) -> Iterator[Change]:
    yield Change("negated", -value)
    if math.isfinite(value):
        yield from plainly("neighbour", (math.nextafter(value, math.inf), math.nextafter(value, -math.inf)))
        yield from plainly("neighbour", (value + 1, value - 1))
    for constant in near.constants(float):
        yield from plainly("constant", (constant, math.nextafter(constant, math.inf)))


def _ties(value: float, near: Near) -> Iterator[Change]:
    below = math.floor(value) if math.isfinite(value) and abs(value) < 2**51 else 0
    yield from plainly("tie", (below + 0.5, below + 1.5, -below - 0.5, 0.125, 2.675, 1.005, 0.285))
    yield from plainly("integral", (float(below), float(below + 1)))


def _far_floats(value: float, near: Near) -> Iterator[Change]:
    yield from plainly("tiny", (5e-324, 1e-308, -5e-324))
    yield from plainly("large", (1e16, 1e16 + 2, 2.0**53, 1e308, -1e308, 1e22))


def _any_float(value: float, near: Near) -> Iterator[Change]:
    wide = abs(value) if 1 < abs(value) < 1e15 else 10.0
    for _ in range(12):
        yield Change("some number", round(near.rng.uniform(-wide, 2 * wide), near.rng.randint(0, 3)))
        yield Change("some number", near.rng.uniform(-wide, wide))


def _other_than_float(value: float, near: Near) -> Iterator[Change]:
    yield from plainly("int for float", (int(value), 0, 10**17) if math.isfinite(value) else (0, 1))
    yield Change("subclass", Real(value))


def _decimals(value: decimal.Decimal, near: Near) -> Iterator[Change]:
    new = decimal.Decimal
    yield from plainly("small", (new(0), new("-0"), new("0.00"), new(1), new("0.01"), new("0.005"), new("0.015")))
    yield Change("negated", value.copy_negate())
    yield from plainly("neighbour", (value.next_plus(), value.next_minus()) if value.is_finite() else ())
    yield from plainly("tie", (new("2.5"), new("0.125"), new("2.675"), new("1.10"), new("1E+3")))
    yield from plainly("special", (new("NaN"), new("Infinity"), new("-Infinity"), new("1E+30"), new("1E-30")))


def _fractions(value: fractions.Fraction, near: Near) -> Iterator[Change]:
    new = fractions.Fraction
    yield from plainly("small", (new(0), new(1), new(1, 2), new(1, 3), new(-1, 3)))
    yield from plainly("negated", (-value, value + 1, value / 2))


def _complexes(value: complex, near: Near) -> Iterator[Change]:
    yield from plainly("small", (0j, 1j, complex(1), complex(-0.0, 0.0)))
    yield from plainly("negated", (-value, value.conjugate(), complex(math.nan, 0)))


# What goes wrong with text goes wrong with these.
_SPACES = (" ", "\t", "\n", "\r\n", "\x0b", "\x0c", "\x85", "\u2028", "\xa0", "\u3000", "\x1c", "\r", "\u200b")
_LETTERS = ("\xdf", "\u0130", "\ufb01", "\u01c4", "e\u0301", "\xe9", "\u0131", "\u03a3", "\u1e9e", "\u212a", "\u017f")
_SYMBOLS = (
    "\U0001f469\u200d\U0001f4bb",
    "\U0001f44d\U0001f3fd",
    "\u05d0",
    "\u202e",
    "\uff21",
    "\ud800",
    "\x00",
    "\ufeff",
)
_DIGITS = ("\xb2", "\u0663", "\u2167", "\xbd", "\uff11", "\u2460", "0", "9")
_MARKS = ("'", '"', "\\", "%", "{}", "{", "$", "_", "-", ".", ",", ";", ":", "/", "#", "&", "<", "%s", "\\n", "(", "=")


def _empty(value: Any, near: Near) -> Iterator[Change]:
    """For octets too."""
    yield Change("empty", value[:0])


def _inserted(note: str, pieces: tuple[str, ...]) -> Callable[[str, Near], Iterator[Change]]:
    """The pieces in the text: each first at one place, then at the others."""

    def changes(value: str, near: Near) -> Iterator[Change]:
        middle, last = len(value) // 2, len(value)
        starts_and_ends = ((middle, middle), (last, last), (0, 0), (middle, middle + 1), (0, last))
        for turn in range(5):
            for number, piece in enumerate(pieces):
                begin, end = starts_and_ends[(turn + number) % 5]
                yield Change(note, value[:begin] + piece + value[end:])

    return changes


def _one_character(value: str, near: Near) -> Iterator[Change]:
    yield from plainly("one character", (*value[:1], *value[-1:], "a", "A", "0"))


def _cased(value: str, near: Near) -> Iterator[Change]:
    yield from plainly("case", (value.upper(), value.lower(), value.title(), value.swapcase(), value.capitalize()))


def _repeated(value: str, near: Near) -> Iterator[Change]:
    yield from plainly("repeated", (value * 2, value * 3, value + " " + value, value[::-1]))
    for length in near.lengths():
        yield Change("length", ((value or "a") * (length // max(1, len(value)) + 1))[:length])


def _cut(value: str, near: Near) -> Iterator[Change]:
    half = len(value) // 2
    yield from plainly(
        "cut", (value[1:], value[:-1], value[:half], value[half:], value[1:-1], value[:half] + value[half + 1 :])
    )


def _separated(value: str, near: Near) -> Iterator[Change]:
    """The marks that stand in what was seen and in the target: doubled, at the ends, left out, exchanged."""
    texts = [text for text in (value, *near.here, *near.constants(str)) if type(text) is str][:20]
    marks = list(dict.fromkeys(char for text in texts for char in text[:200] if not char.isalnum()))[:8]
    marks += [text for text in near.constants(str) if 1 < len(text) <= 3][:4]
    forms: tuple[Callable[[str], str], ...] = (
        lambda mark: value.replace(mark, mark * 2) if mark in value else value + mark * 2 + value,
        lambda mark: mark + value,
        lambda mark: value + mark,
        lambda mark: value.replace(mark, ""),
        lambda mark: value + mark + value,
        lambda mark: mark,
        lambda mark: value.replace(mark, marks[marks.index(mark) - 1]),
        lambda mark: value[: len(value) // 2] + mark + value[len(value) // 2 :],
    )
    for form in forms:
        yield from plainly("separators", map(form, marks))


def _joined(value: str, near: Near) -> Iterator[Change]:
    for other in near.pool(type(value)):
        yield from plainly("joined", (value + other, other + value))
        if value and other:
            yield Change("swapped in", value[: len(value) // 2] + other[len(other) // 2 :])


def _numeral(value: str, near: Near) -> Iterator[Change]:
    yield from plainly(
        "sign or zeros", ("0" + value, "-" + value, "+" + value, value + "0", value + ".0", value + "e1")
    )
    yield from plainly("sign or zeros", ("0", "-0", "1_000", "00", "007", "0x10", "nan", "1e5"))


def _lines(value: str, near: Near) -> Iterator[Change]:
    yield from plainly("lines", (value + "\n", value + "\n" + value, value + "\r\n" + value + "\r\n", "\n" + value))
    yield from plainly("lines", (value + "\n\n" + value, value.replace(" ", "\n"), value.replace("\n", "\r\n")))
    yield from plainly("spaces", ("  " + value + "  ", value.replace(" ", "  "), value.replace(" ", "\t"), "   "))


_BETWEEN_FIELDS = (",", ";", "\t", "|", ":", "=", " ", "/", "-", ".")


def _tied_text(value: str, near: Near) -> Iterator[Change]:
    """Text as a table: fields of a line that are equal, lines that agree in a field, or in all."""
    lines = value.split("\n")
    marks = sorted((mark for mark in _BETWEEN_FIELDS if mark in value), key=value.count, reverse=True)[:4]
    tables = [[line.split(mark) for line in lines] for mark in marks]
    streams = [_joined_by(mark, _tied_fields(table)) for mark, table in zip(marks, tables)]
    # The mark that there is most of is the likeliest to divide it: it has two turns.
    for changes in itertools.zip_longest(*streams[:1], _tied_lines(lines), *streams[:1], *streams[1:]):
        yield from plainly("ties in text", [text for text in changes if text is not None])


def _joined_by(mark: str, tables: Iterator[list[list[str]]]) -> Iterator[str]:
    return ("\n".join(map(mark.join, table)) for table in tables)


def _tied_fields(rows: list[list[str]]) -> Iterator[list[list[str]]]:
    """All that are in one line or in one column, then by two, those in the first lines and columns first."""
    sizes = [len(row) for row in rows[:MOST_INSERTED]]
    for number in range(min(max(len(sizes), *sizes), 8)):
        if number < len(sizes) and sizes[number] > 1:
            yield _with_fields(rows, [((number, place), (number, 0)) for place in range(1, sizes[number])])
        column = [row for row, size in enumerate(sizes) if size > number]
        if len(column) > 1:
            yield _with_fields(rows, [((row, number), (column[0], number)) for row in column[1:]])
    places = [(row, place) for row, size in enumerate(sizes) for place in range(min(size, 12))]
    for step, (row, place) in itertools.product((1, -1, 2), sorted(places, key=sum)):
        for there, other in ((row, place + step), (row + step, place)):
            if 0 <= there < len(sizes) and 0 <= other < sizes[there]:
                yield _with_fields(rows, [((there, other), (row, place))])


def _with_fields(rows: list[list[str]], taken: list[tuple[tuple[int, int], tuple[int, int]]]) -> list[list[str]]:
    """The table with words from elsewhere in it: for each, its place and where it stands."""
    made = [[*row] for row in rows]
    for (row, place), (source, other) in taken:
        made[row][place] = _in_place_of(made[row][place], rows[source][other].strip())
    return made


def _in_place_of(field: str, word: str) -> str:
    """The word, with the spaces that are around the field."""
    bare = field.strip()
    return field.replace(bare, word, 1) if bare else word


def _tied_lines(lines: list[str]) -> Iterator[str]:
    for place in range(min(len(lines) - 1, 12)):
        yield "\n".join([*lines[: place + 1], lines[place], *lines[place + 2 :]])
        yield "\n".join([*lines[: place + 1], *lines[place:]])


def _mixed_characters(value: str, near: Near) -> Iterator[Change]:
    """Other texts of the same look."""
    alphabet = "".join(dict.fromkeys("".join(near.pool(str))[:500])) or "ab"
    for _ in range(12):
        chars = list(value) or ["a"]
        for _ in range(near.rng.randint(1, 3)):
            chars[near.rng.randrange(len(chars))] = near.rng.choice(alphabet)
        yield Change("characters", "".join(chars))


def _other_than_text(value: str, near: Near) -> Iterator[Change]:
    yield Change("subclass", Text(value))


def _long_text(value: str, near: Near) -> Iterator[Change]:
    yield from _at_borders(value or "ab", ("\r\n", *near.constants(str)), near)
    yield Change("long", (value or "ab") * (300 // max(1, len(value)) + 1))
    yield Change("very long", ((value or "ab") * (10_000 // max(1, len(value)) + 1))[:10_000])


def _octets(value: Any, near: Near) -> Iterator[Change]:
    new, half = type(value), len(value) // 2
    yield from plainly("one byte", map(new, (b"\x00", b"\xff", b"a")))
    yield from plainly("cut", (value[1:], value[:-1], value[:half], value[half:], value * 2, value[::-1]))
    yield from plainly("case", (value.upper(), value.lower(), value.swapcase()))
    for piece in (b"\x00", b"\xff", b"\r\n", b"\n", b" ", b"\xc3\x28", b"\\", b'"', b"\x80"):
        yield from plainly("bytes", (value + piece, new(piece) + value, value[:half] + piece + value[half:]))
    for other in near.pool(new):
        yield Change("joined", value + other)


def _other_octets(value: Any, near: Near) -> Iterator[Change]:
    yield Change("other bytes", bytearray(value) if type(value) is bytes else bytes(value))
    yield from plainly("subclass", (Octets(value), value.decode("latin-1")))


def _at_borders(value: Any, pieces: Sequence[Any], near: Near) -> Iterator[Change]:
    """As long as a block may be that the target reads at once, and with something that stands across its border."""
    for length in near.far():
        filler = (value * (length // len(value) + 1))[:length]
        yield Change(f"{length} long", filler)
        for piece in dict.fromkeys(piece for piece in pieces if len(piece) > 1):
            yield Change(f"across {length}", filler[: length - 1] + piece + value)


def _long_octets(value: Any, near: Near) -> Iterator[Change]:
    yield from _at_borders(value or type(value)(b"ab"), (b"\r\n", *near.constants(bytes)), near)
    yield Change("very long", (value or type(value)(b"ab")) * (10_000 // max(1, len(value)) + 1))


# ── containers ──


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


# Equal and not the same, for whoever keeps results by what they belong to.
_TWINS = (
    *((0.0, -0.0), (-0.0, 0.0), (1, 1.0), (1, True), (1.0, 1), (True, 1), (0, False), (0, -0.0), (1.0, True)),
    *((False, 0.0), (2, 2.0), (2.0, 2)),
)
_TWINS_OF: dict[type, tuple[tuple[Any, Any], ...]] = {
    **dict.fromkeys((int, float, bool), _TWINS),
    complex: ((0j, complex(-0.0, 0)), (complex(1), 1.0)),
    decimal.Decimal: (
        (decimal.Decimal("1.5"), decimal.Decimal("1.50")),
        (decimal.Decimal(0), decimal.Decimal("-0")),
        (decimal.Decimal(1), 1),
    ),
    fractions.Fraction: ((fractions.Fraction(1), 1),),
}


def twins(value: Any, *, anything: bool = False) -> tuple[tuple[Any, Any], ...]:
    """Pairs that are equal and not the same, as they may stand in the place of this value, or of any."""
    if isinstance(value, (dt.datetime, dt.time)):
        other = value.replace(fold=1 - value.fold)
        return ((value, other), (other, value))
    return _TWINS_OF.get(type(value), ()) or (_TWINS if anything else ())


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


# ── times, enums, callables, arrays ──

_DAYS = (
    (2024, 2, 29),
    (2021, 1, 3),
    (2023, 12, 31),
    (2024, 12, 30),
    (2023, 2, 28),
    (2024, 1, 1),
    (2024, 1, 31),
    (2020, 12, 31),
    (2024, 4, 30),
)
_HOURS = ((0, 0, 0, 0), (23, 59, 59, 999_999), (12, 0, 0, 0), (0, 0, 0, 1), (2, 30, 0, 0))


def _dates(value: dt.date, near: Near) -> Iterator[Change]:
    """For datetimes too, with their time and zone kept."""
    for year, month, day in _DAYS:
        yield Change("calendar", value.replace(year=year, month=month, day=day))
    for days in (1, -1, 7, -30, 31, 365, -366):
        made = attempt(lambda days=days: value + dt.timedelta(days=days))
        if made is not NOTHING:
            yield Change("days later", made)
    for other in near.here:
        if type(other) is type(value):
            yield Change("same day", value.replace(year=other.year, month=other.month, day=other.day))


def _times(value: Any, near: Near) -> Iterator[Change]:
    for hour, minute, second, micro in _HOURS:
        yield Change("time of day", value.replace(hour=hour, minute=minute, second=second, microsecond=micro))
    yield from plainly("fraction", (value.replace(microsecond=500_000), value.replace(microsecond=1)))
    yield Change("fold", value.replace(fold=1 - value.fold))


def _zones(value: Any, near: Near) -> Iterator[Change]:
    aware = value.tzinfo is not None
    east = dt.timezone(dt.timedelta(hours=5, minutes=45))
    for zone in (east, dt.timezone.utc):
        yield Change("zone", value.replace(tzinfo=zone), widened=not aware)
    if aware:
        yield Change("naive", value.replace(tzinfo=None), widened=True)
        zone = attempt(_summer_zone)
        if zone is not NOTHING and type(value) is dt.datetime:
            for fold in (0, 1):
                yield Change("summer time", dt.datetime(2024, 10, 27, 2, 30, tzinfo=zone, fold=fold))
            yield Change("summer time", dt.datetime(2024, 3, 31, 2, 30, tzinfo=zone))


def _summer_zone() -> dt.tzinfo:
    import zoneinfo  # noqa: PLC0415 (reads files; only for those who have zones)

    return zoneinfo.ZoneInfo("Europe/Berlin")


def _far_dates(value: dt.date, near: Near) -> Iterator[Change]:
    yield from plainly(
        "first and last", (type(value).min, type(value).max, value.replace(year=1969), value.replace(year=9999))
    )


def _durations(value: dt.timedelta, near: Near) -> Iterator[Change]:
    new = dt.timedelta
    yield from plainly(
        "duration", (new(0), -value, new(microseconds=1), new(days=1), new(days=1) - new.resolution, value * 2)
    )
    yield from plainly("duration", (new(days=365), -new.resolution, new(seconds=59), new(hours=24), new(days=-1)))


def _members_of(value: enum.Enum, near: Near) -> Iterator[Change]:
    yield from plainly("member", list(type(value)))


def _raising(value: Any, near: Near) -> Iterator[Change]:
    """A function that is never answered is a likely one; how often it is called is nobody's promise."""
    for after in (0, 1, 2, 5):
        yield Change(f"raises at call {after + 1}", Raising(value, after), widened=after > 0)


def _ranges(value: range, near: Near) -> Iterator[Change]:
    yield from plainly("range", (range(0), value[:1], value[::-1], range(50), value[::2]))
    yield Change("list for range", list(value[:300]))


def _paths(value: Any, near: Near) -> Iterator[Change]:
    kind = type(value)
    yield from plainly(
        "path", (kind("."), kind("/"), value.parent, kind(value.name), value / "a b", kind("..") / value)
    )
    yield from plainly("path", (kind(f"{value}.tar.gz"), kind(f"{value}.bak"), kind(".hidden")))
    yield Change("str for path", str(value))


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


# ── for every type ──


def _nones(value: Any, near: Near) -> Iterator[Change]:
    if value is not None:
        yield Change("None", None)


def _anything(value: Any, near: Near) -> Iterator[Change]:
    """For places that may hold anything: what cannot be hashed, or compared, or counts as nothing."""
    yield from plainly("anything", ([1, 2], None, "a", 1.5, (1, [2]), {"a": 1}, True, 7, b"a", {1}, (), -0.0, [], "1"))


def _falsy(value: None, near: Near) -> Iterator[Change]:
    """Where something may be missing, what is there and counts as false is easily taken for it."""
    yield from plainly("false, not None", (0, False, "", 0.0, [], {}))


def _seen_here(value: Any, near: Near) -> Iterator[Change]:
    yield from plainly("seen in another call", near.here)


def _seen_elsewhere(value: Any, near: Near) -> Iterator[Change]:
    yield from plainly("seen elsewhere", [other for other in near.pool(type(value)) if _is_sized_right(other, near)])


def _is_sized_right(value: Any, near: Near) -> bool:
    return not near.sized or type(value) is not int or abs(value) <= SMALL


def _constants(value: Any, near: Near) -> Iterator[Change]:
    yield from plainly(
        "constant of the target", [other for other in near.constants(type(value)) if _is_sized_right(other, near)]
    )


ANYTHING = Category("anything", _anything, first=5)
# Changes into what is known to be possible, and no others.
GENTLE = (Category("seen", _seen_here), Category("elsewhere", _seen_elsewhere))
ALWAYS = (Category("none", _nones), *GENTLE)
WITH_CONSTANTS = (*ALWAYS, Category("constants", _constants))
OF_TEXT = (
    Category("empty", _empty),
    Category("one", _one_character),
    Category("spaces", _inserted("space", _SPACES)),
    Category("letters", _inserted("letter", _LETTERS)),
    Category("case", _cased),
    Category("separators", _separated),
    Category("digits", _inserted("digit", _DIGITS)),
    Category("symbols", _inserted("symbol", _SYMBOLS)),
    Category("marks", _inserted("mark", _MARKS)),
    Category("repeated", _repeated),
    Category("cut", _cut),
    Category("joined", _joined),
    Category("numeral", _numeral),
    Category("lines", _lines),
    Category("ties", _tied_text, first=8),
    Category("characters", _mixed_characters, endless=True),
    Category("other type", _other_than_text),
    *WITH_CONSTANTS,
    Category("long", _long_text, rare=True),
)
OF_OCTETS = (
    Category("empty", _empty),
    Category("bytes", _octets),
    Category("other type", _other_octets),
    *WITH_CONSTANTS,
    Category("long", _long_octets, rare=True),
)
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
_OF_DATES = (Category("calendar", _dates, first=4), *ALWAYS, Category("far", _far_dates, rare=True))
_OF_FLOATS = (
    Category("small", _small_floats),
    Category("special", _special_floats),
    Category("near", _near_floats),
    Category("ties", _ties),
    Category("any", _any_float, endless=True),
    Category("far", _far_floats),
    Category("other type", _other_than_float),
    *WITH_CONSTANTS,
)
OF_SCALARS: dict[type, tuple[Category, ...]] = {
    int: (
        Category("small", _whole_numbers),
        Category("near", _beside),
        Category("scaled", _scaled),
        Category("any", _any_whole_number, endless=True),
        Category("huge", _huge),
        Category("telling", _telling, first=3),
        Category("other type", _other_numbers),
        *WITH_CONSTANTS,
        Category("huge size", _huge_size, rare=True),
    ),
    type(None): (Category("false", _falsy, first=8), *ALWAYS),
    bool: (Category("truth", _truths), Category("other type", _numbers_for_truths), *ALWAYS),
    float: _OF_FLOATS,
    complex: (Category("complex", _complexes), *ALWAYS),
    decimal.Decimal: (Category("decimal", _decimals), *WITH_CONSTANTS),
    fractions.Fraction: (Category("fraction", _fractions), *WITH_CONSTANTS),
    dt.date: _OF_DATES,
    dt.datetime: (*_OF_DATES, Category("time", _times), Category("zone", _zones)),
    dt.time: (Category("time", _times), Category("zone", _zones), *ALWAYS),
    dt.timedelta: (Category("duration", _durations), *ALWAYS),
    range: (Category("range", _ranges), *ALWAYS),
}
_OF_TYPES = {
    **OF_SCALARS,
    str: OF_TEXT,
    bytes: OF_OCTETS,
    bytearray: OF_OCTETS,
    OneShot: OF_ITEMS,
    Stream: OF_ITEMS,
}
OF_FIELDS = (_DEEPER, *ALWAYS)
OF_ENUMS = (Category("member", _members_of), *ALWAYS)
OF_CALLABLES = (Category("raising", _raising), *ALWAYS)
OF_PATHS = (Category("path", _paths), *ALWAYS)
OF_ARRAYS = (Category("array", _arrays), Category("other type", _other_arrays), *ALWAYS)


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
