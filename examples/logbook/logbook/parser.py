"""From the text of a log to its entries.

An entry is a line like

    2026-03-01T08:15:30 WARN web.api: slow answer | user=ada ms=532 note="late again"

Lines that begin with a blank go on with the message of the entry above: tracebacks, mostly.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from logbook.entries import Entry, Level


class Malformed(ValueError):
    """Raised when a line is no entry."""

    def __init__(self, number: int, why: str) -> None:
        """Which line it is, counted from 1, and what is wrong with it."""
        super().__init__(f"line {number}: {why}")
        self.number = number
        self.why = why


def timestamp(text: str) -> datetime:
    """The time at the start of a line."""
    return datetime.strptime(text, "%Y-%m-%dT%H:%M:%S")


def fields(text: str) -> dict[str, str]:
    """What stands behind the bar: `key=value` pairs; a value in quotes may have blanks, and quotes after a backslash.

    A word without an equals sign is a key with an empty value. Of a key that is there twice, the last value counts.
    """
    found: dict[str, str] = {}
    key, value = "", ""
    in_value = quoted = False
    while text:
        character, text = text[0], text[1:]
        if quoted and character == "\\" and text:
            value, text = value + text[0], text[1:]
        elif in_value and character == '"':
            quoted = not quoted
        elif character == "=" and not in_value:
            in_value = True
        elif character == " " and not quoted:
            if key:
                found[key] = value
            key, value, in_value = "", "", False
        elif in_value:
            value += character
        else:
            key += character
    if quoted:
        raise ValueError("a quote is not closed")
    if key:
        found[key] = value
    return found


def entry(line: str, number: int = 1) -> Entry:
    """The entry of a line."""
    words = line.split(" ", 3)
    if len(words) < 4 or not words[2].endswith(":"):
        raise Malformed(number, "a time, a level, a source and a message are wanted")
    when, level, source, rest = words
    message, _, behind = rest.partition(" | ")
    try:
        return Entry(timestamp(when), Level.named(level), source.removesuffix(":"), message, fields(behind))
    except ValueError as error:
        raise Malformed(number, str(error)) from error


def parse(text: str) -> list[Entry]:
    """All entries of a log. Raises Malformed at the first line that is none."""
    entries, errors = parse_leniently(text)
    if errors:
        raise errors[0]
    return entries


def parse_leniently(text: str) -> tuple[list[Entry], list[Malformed]]:
    """The entries that can be read, and what is wrong with the other lines."""
    entries: list[Entry] = []
    errors: list[Malformed] = []
    lines = text.splitlines()
    number = 0
    while len(lines) > 0:
        line = lines.pop(0)
        number += 1
        if not line.strip() or line.startswith("#"):
            continue
        if line.startswith((" ", "\t")):
            if entries:
                above = entries[-1]
                entries = [*entries[:-1], replace(above, message=above.message + "\n" + line.strip())]
            else:
                errors = [*errors, Malformed(number, "there is no entry that it could go on with")]
            continue
        try:
            entries.append(entry(line, number))
        except Malformed as error:
            errors.append(error)
    return entries, errors
