"""Arguments that are too large to start from, cut down."""

from __future__ import annotations

from ..values import BUFFERS, Arguments, parts_of, rebuilt, shape_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["cut"]

_MAX_DEPTH = 6
# Of what is cut down, so much is left.
_FIRST, _LAST, _MOST_TEXT = 10, 4, 200


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
