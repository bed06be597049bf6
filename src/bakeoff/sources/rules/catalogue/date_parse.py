"""Reading dates of a fixed form by strptime, which can read any."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import libcst as cst

from bakeoff.sources.rules.catalogue._shapes import known_text, text
from bakeoff.sources.rules.rewriting import Function, Rewrite, Rule, expression

if TYPE_CHECKING:
    from collections.abc import Iterator

# How many digits each of these has, in the order of datetime's arguments.
_DIGITS = {"Y": 4, "m": 2, "d": 2, "H": 2, "M": 2, "S": 2}
_ARGUMENTS = {"Y": "year", "m": "month", "d": "day", "H": "hour", "M": "minute", "S": "second"}
_DEFAULTS = {"Y": "1900", "m": "1", "d": "1"}
_READER = "_read_time"
_ISO = frozenset({"%Y-%m-%d", "%Y-%m-%d %H:%M", "%Y-%m-%dT%H:%M", "%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M:%S"})


def _find(function: Function) -> Iterator[Rewrite]:
    names: dict[str, str] = {}
    # What strptime is left to is not made again.
    calls = function.walk(cst.Call) if not function.node.name.value.startswith(_READER) else ()
    for node in calls:
        match node:
            case cst.Call(
                func=cst.Attribute(value=kind, attr=cst.Name(value="strptime")),
                args=[cst.Arg(keyword=None, value=value), cst.Arg(keyword=None, value=form)],
            ) if text(function, kind).split(".")[-1] == "datetime":
                pattern = known_text(function, form)
                reader = _reader(text(function, kind), pattern) if pattern is not None else None
                if reader is None:
                    continue
                name = names.get(reader) or function.fresh(_READER)
                names[reader] = name
                call = expression(f"{name}({text(function, value)})")
                yield Rewrite(replace={node: call}, above=(f"\n\n{reader}".replace("@", name),))


def _reader(kind: str, pattern: str) -> str | None:
    """A function, called @, that reads what has this form exactly by its places, and leaves all else to strptime."""
    places: dict[str, str] = {}
    tests: list[str] = []
    end = 0
    for letter, mark in re.findall(r"%(.)|([^%])", pattern):
        width = _DIGITS.get(letter, 0) if letter else 1
        if not width or letter in places:
            return None
        if letter:
            places[letter] = f"text[{end}:{end + width}]" if end else f"text[:{width}]"
        else:
            tests.append(f"text[{end}] == {_quoted(mark)}")
        end += width
    if not places:
        return None
    return (
        "def @(text):\n"
        "    try:\n"
        f"        if {' and '.join([f'len(text) == {end}', *tests])}:\n"
        f"{_result(kind, pattern, places)}"
        "    except (AttributeError, TypeError, ValueError):\n"
        "        pass\n"
        f"    return {kind}.strptime(text, {_quoted(pattern)})\n"
    )


def _result(kind: str, pattern: str, places: dict[str, str]) -> str:
    """What becomes of a text whose marks are in the right places."""
    if pattern in _ISO:
        return f"            return {kind}.fromisoformat(text)\n"
    known = {_ARGUMENTS[letter]: place for letter, place in places.items()}
    last = max(list(_DIGITS).index(letter) for letter in (*places, "d"))
    numbers = [
        f"int({_ARGUMENTS[letter]})" if letter in places else _DEFAULTS.get(letter, "0")
        for letter in list(_DIGITS)[: last + 1]
    ]
    return (
        f"            {', '.join(known)} = {', '.join(known.values())}\n"
        f"            if text.isascii() and ({' + '.join(known)}).isdigit():\n"
        f"                return {kind}({', '.join(numbers)})\n"
    )


def _quoted(value: str) -> str:
    return '"' + repr(value)[1:-1].replace("\\'", "'").replace('"', '\\"') + '"'


RULE = Rule(
    name="date-parse",
    summary="strptime with a format of fixed places → a reader for exactly that, with strptime for all else",
    unsafe="Somebody who replaces datetime or its strptime; texts of types with slices of their own.",
    before="""\
from datetime import datetime


def days(rows):
    return [(datetime.strptime(day, "%d.%m.%Y %H:%M"), kind) for day, kind in rows]
""",
    after="""\
from datetime import datetime


def _read_time(text):
    try:
        if len(text) == 16 and text[2] == "." and text[5] == "." and text[10] == " " and text[13] == ":":
            day, month, year, hour, minute = text[:2], text[3:5], text[6:10], text[11:13], text[14:16]
            if text.isascii() and (day + month + year + hour + minute).isdigit():
                return datetime(int(year), int(month), int(day), int(hour), int(minute))
    except (AttributeError, TypeError, ValueError):
        pass
    return datetime.strptime(text, "%d.%m.%Y %H:%M")


def days(rows):
    return [(_read_time(day), kind) for day, kind in rows]
""",
    calls=("days([])", "days([('29.02.2024 23:59', 1), ('1.2.2024 1:05', 2), ('01.01.0999 00:00', 3)])"),
    find=_find,
)
