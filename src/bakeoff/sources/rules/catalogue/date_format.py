"""Writing dates by strftime, which can write any."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import libcst as cst

from bakeoff.sources.rules.catalogue._shapes import is_simple, known_text, method_call, text
from bakeoff.sources.rules.rewriting import Function, Rewrite, Rule, expression

if TYPE_CHECKING:
    from collections.abc import Iterator

# What is left of isoformat().
_ISO = {
    "%Y-%m-%d": "isoformat()[:10]",
    "%Y-%m": "isoformat()[:7]",
    "%Y-%m-%dT%H:%M": "isoformat()[:16]",
    "%Y-%m-%dT%H:%M:%S": "isoformat()[:19]",
    "%Y-%m-%d %H:%M": 'isoformat(" ")[:16]',
    "%Y-%m-%d %H:%M:%S": 'isoformat(" ")[:19]',
}
_PARTS = {
    "Y": "year",
    "m": "month:02",
    "d": "day:02",
    "H": "hour:02",
    "M": "minute:02",
    "S": "second:02",
}


def _find(function: Function) -> Iterator[Rewrite]:
    for node in function.walk(cst.Call):
        found = method_call(node, "strftime")
        pattern = known_text(function, found[1][0]) if found is not None else None
        code = _written(function, found[0], pattern) if found is not None and pattern is not None else None
        if code is not None:
            yield Rewrite(replace={node: expression(code)})


def _written(function: Function, value: cst.BaseExpression, pattern: str) -> str | None:
    if pattern in _ISO:
        return f"{text(function, value)}.{_ISO[pattern]}"
    parts = re.findall(r"%(.)|([^%])", pattern)
    known = all(letter in _PARTS if letter else mark not in "{}\\\"'\n" for letter, mark in parts)
    if not known or not is_simple(value):
        return None
    whole = "".join(f"{{{text(function, value)}.{_PARTS[letter]}}}" if letter else mark for letter, mark in parts)
    return f'f"{whole}"'


RULE = Rule(
    name="date-format",
    summary="strftime with numbers only → isoformat or an f-string",
    unsafe="Years before 1000; a moment is asked for its date, or a date for its time; a strftime of one's own.",
    before="""\
def label(moment):
    day = moment.strftime("%d.%m.%Y") + moment.strftime(" %A")
    return moment.strftime("%Y-%m-%d %H:%M"), day
""",
    after="""\
def label(moment):
    day = f"{moment.day:02}.{moment.month:02}.{moment.year}" + moment.strftime(" %A")
    return moment.isoformat(" ")[:16], day
""",
    calls=(
        "label(__import__('datetime').datetime(2024, 2, 3, 4, 5))",
        "label(__import__('datetime').datetime(1999, 12, 31, 23, 59, 59, 7))",
    ),
    find=_find,
)
