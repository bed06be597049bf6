"""What messages have in common, once names and numbers are taken out of them."""

from __future__ import annotations

import re
from collections.abc import Iterable

from logbook.entries import Entry

PLACEHOLDERS = [
    (r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", "<id>"),
    (r"\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}(:\d+)?", "<address>"),
    (r"0x[0-9a-fA-F]+", "<hex>"),
    (r"\d+(\.\d+)?", "<number>"),
]


def template(message: str) -> str:
    """The message with placeholders for all that changes from one time to the next."""
    words = []
    for word in message.split(" "):
        short = word
        for expression, placeholder in PLACEHOLDERS:
            pattern = re.compile("(?<![A-Za-z0-9])" + expression + "(?![A-Za-z0-9])")
            if pattern.search(short) is not None:
                short = pattern.sub(placeholder, short)
        words.append(short)
    return " ".join(words)


def templates(entries: Iterable[Entry]) -> dict[str, int]:
    """How often each template occurs, in the order of their first occurrence."""
    counts: dict[str, int] = {}
    for entry in entries:
        name = template(entry.message.partition("\n")[0])
        counts[name] = counts.get(name, 0) + 1
    return counts


def fresh(before: Iterable[Entry], now: Iterable[Entry]) -> list[str]:
    """Templates that occur now and did not occur before."""
    known = templates(before)
    return [name for name in templates(now) if name not in known]
