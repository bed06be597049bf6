"""What is near a text, and near octets: letters, spaces and marks that programs trip over, texts taken as tables."""

from __future__ import annotations

import itertools

from ..values import Octets, Text
from .changes import MOST_INSERTED, WITH_CONSTANTS, Category, Change, Near, plainly

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any

__all__ = ["OF_OCTETS", "OF_TEXT"]

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
