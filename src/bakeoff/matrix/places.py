"""Where things stand in a TOML file: the line of each key and of each item of a list.

The standard library reads TOML and forgets the lines. This walks over a text that was read by it already, so it need
not see what is wrong with one: it knows strings, comments and brackets, and nothing of values.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["Place", "line_of", "lines_of"]

Place: TypeAlias = "tuple[str | int, ...]"
"""The way to a value: names of tables and keys, and places in lists, from 0."""

_BLANK: Final = re.compile(r"[ \t]+")
_BETWEEN: Final = re.compile(r"(?:[ \t\r\n]+|#[^\n]*)+")
_BARE: Final = re.compile(r"[A-Za-z0-9_-]+")
_STRING: Final = re.compile(
    r'"""(?:\\.|[^\\])*?"""(?!")|'
    r"'''.*?'''(?!')|"
    r'"(?:\\.|[^"\\\n])*"|'
    r"'[^'\n]*'",
    re.DOTALL,
)
_PLAIN: Final = re.compile(r"[^,\]}\n#]+")
_ESCAPE: Final = re.compile(r'\\(?:u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|(["\\bfnrte]))')
_MEANT: Final = {'"': '"', "\\": "\\", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "e": "\x1b"}


def lines_of(text: str) -> dict[Place, int]:
    """The line of everything in a text that is TOML, counted from 1; tables that are only implied included."""
    return _Walk(text.replace("\r\n", "\n")).lines


def line_of(lines: Mapping[Place, int], place: Place) -> int | None:
    """The line of a thing, or of the nearest thing around it; of what is missing in the whole file, None."""
    while place:
        if place in lines:
            return lines[place]
        place = place[:-1]
    return None


class _Walk:
    def __init__(self, text: str) -> None:
        self.lines: dict[Place, int] = {}
        self._text = text
        self._at = 0
        self._counted, self._line = 0, 1
        self._lengths: dict[Place, int] = {}  # of lists of tables
        self._table: Place = ()
        while self._skip(_BETWEEN) or self._at < len(text):
            if self._at < len(text):
                self._header() if self._next() == "[" else self._pair(self._table)

    def _next(self, count: int = 1) -> str:
        return self._text[self._at : self._at + count]

    def _skip(self, pattern: re.Pattern[str]) -> str:
        found = pattern.match(self._text, self._at)
        self._at = found.end() if found else self._at
        return found[0] if found else ""

    def _here(self) -> int:
        self._line += self._text.count("\n", self._counted, self._at)
        self._counted = self._at
        return self._line

    def _header(self) -> None:
        is_list = self._next(2) == "[["
        line = self._here()
        self._at += 2 if is_list else 1
        *before, last = self._keys()
        self._at += 2 if is_list else 1
        place: Place = ()
        for key in before:
            place = self._inside((*place, key), line)
        place = (*place, last)
        if is_list:
            self.lines.setdefault(place, line)
            self._lengths[place] = self._lengths.get(place, 0) + 1
            place = (*place, self._lengths[place] - 1)
            # A list in a table of a list begins anew with each of these tables.
            self._lengths = {known: length for known, length in self._lengths.items() if known[: len(place)] != place}
        self.lines.setdefault(place, line)
        self._table = place

    def _inside(self, place: Place, line: int) -> Place:
        """The table that a name stands for: of a list of tables, the last one."""
        self.lines.setdefault(place, line)
        return (*place, self._lengths[place] - 1) if place in self._lengths else place

    def _pair(self, table: Place) -> None:
        line = self._here()
        place = table
        for key in self._keys():
            place = (*place, key)
            self.lines.setdefault(place, line)
        self._at += 1  # =
        self._skip(_BLANK)
        self._value(place)

    def _keys(self) -> list[str]:
        keys = []
        while True:
            self._skip(_BLANK)
            quoted = self._skip(_STRING)
            keys.append(_unquoted(quoted) if quoted else self._skip(_BARE))
            self._skip(_BLANK)
            if self._next() != ".":
                return keys
            self._at += 1

    def _value(self, place: Place) -> None:
        match self._next():
            case "[":
                self._items(place)
            case "{":
                self._inline(place)
            case '"' | "'":
                self._skip(_STRING)
            case _:
                self._skip(_PLAIN)

    def _items(self, place: Place) -> None:
        self._at += 1
        count = 0
        while self._skip(_BETWEEN) or self._next() != "]":
            if self._next() == "]":
                break
            if self._next() == ",":
                self._at += 1
                continue
            self.lines[(*place, count)] = self._here()
            self._value((*place, count))
            count += 1
        self._at += 1

    def _inline(self, place: Place) -> None:
        self._at += 1
        while self._skip(_BETWEEN) or self._next() != "}":
            if self._next() == "}":
                break
            if self._next() == ",":
                self._at += 1
                continue
            self._pair(place)
        self._at += 1


def _unquoted(text: str) -> str:
    return text[1:-1] if text[0] == "'" else _ESCAPE.sub(_meant, text[1:-1])


def _meant(found: re.Match[str]) -> str:
    code: Any = found[1] or found[2]
    return chr(int(code, 16)) if code else _MEANT[found[3]]
