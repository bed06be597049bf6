"""Texts that others wrote, made safe to look at.

Names, reasons, diffs and outputs come from candidates. In a terminal their control characters would move the cursor or
set the window's title; characters that turn the direction of writing, or that have no width, make a line look like
another one. They are shown by their number instead.
"""

from __future__ import annotations

import re
from typing import Any

__all__ = ["ODD", "all_writable", "cut", "number", "one_line", "visible", "writable"]

# Controls but newline and tab, formats (directions, joiners, no width, tags), other ends of lines, lone surrogates.
ODD = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f"
    "\ud800-\udfff\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]"
)
_SURROGATES = re.compile("[\ud800-\udfff]")


def number(character: str) -> str:
    """The character as Python writes it: `\\x1b`, `\\u202e`."""
    code = ord(character)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def visible(text: str) -> str:
    """The text with nothing in it that cannot be seen, but newlines and tabs."""
    return ODD.sub(lambda found: number(found[0]), text)


def one_line(text: str, most: int = 200) -> str:
    """The text in one line, cut where it is longer."""
    # Looking at all of a text of megabytes for one line of it would take its time.
    line = visible(" ".join(text[: 4 * most].split()))
    return line if len(line) <= most else f"{line[: most - 1]}…"


def cut(text: str, *, lines: int, characters: int) -> tuple[str, int]:
    """The beginning of the text, in whole lines where it has any, and how many characters were left out."""
    kept = text[:characters]
    end = -1
    for _ in range(lines):
        end = kept.find("\n", end + 1)
        if end < 0:
            break
    if end >= 0:
        kept = kept[: end + 1]
    elif len(kept) < len(text):
        kept = kept[: kept.rfind("\n") + 1] or kept
    return kept, len(text) - len(kept)


def writable(text: str) -> str:
    """The text as UTF-8 can hold it: what was not text in a file is a replacement character."""
    return _SURROGATES.sub("�", text)


def all_writable(value: Any) -> Any:  # noqa: ANN401 (what JSON can hold)
    """The same of all texts in a document, names included."""
    match value:
        case str():
            return writable(value)
        case dict():
            return {all_writable(name): all_writable(one) for name, one in value.items()}
        case list() | tuple():
            return [all_writable(one) for one in value]
        case _:
            return value
