"""HTML that is safe by construction: whatever is not `Html` already is text, and is escaped.

What is in a text but cannot be seen is shown by its number, set apart from text that only reads like it.
"""

from __future__ import annotations

import html
import unicodedata
from typing import TYPE_CHECKING

from bakeoff.report.foreign import ODD, number, visible

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["Html", "element", "join", "shown"]

_VOID = frozenset({"br", "meta"})  # in a drawing, `<line>` would hold what comes after it


class Html(str):
    """A piece of a page that needs no escaping."""

    __slots__ = ()


def element(tag: str, *children: str | None, **attributes: str | float | bool | None) -> Html:
    """An element. An attribute may end in `_` where its name is a word of Python's, other `_` stand for `-`; those that
    are None or False are left out. Children that are None are left out too."""
    said = "".join(_attribute(name, value) for name, value in attributes.items())
    if tag in _VOID:
        return Html(f"<{tag}{said}>")
    return Html(f"<{tag}{said}>{join(children)}</{tag}>")


def join(parts: Iterable[str | None]) -> Html:
    """Pieces one after another."""
    return Html("".join(part if isinstance(part, Html) else shown(part) for part in parts if part is not None))


def shown(text: str) -> Html:
    """The text, escaped."""
    pieces, start = [], 0
    for found in ODD.finditer(text):
        pieces += [html.escape(text[start : found.start()]), _odd(found[0])]
        start = found.end()
    return Html("".join([*pieces, html.escape(text[start:])]))


def _odd(character: str) -> str:
    title = f"U+{ord(character):04X} {unicodedata.name(character, 'a character that cannot be seen')}"
    return f'<span class="odd" title="{html.escape(title)}">{number(character)}</span>'


def _attribute(name: str, value: str | float | bool | None) -> str:  # noqa: FBT001 (as it is in HTML)
    if value is None or value is False:
        return ""
    name = name.removesuffix("_").replace("_", "-")
    return f" {name}" if value is True else f' {name}="{html.escape(visible(str(value)))}"'
