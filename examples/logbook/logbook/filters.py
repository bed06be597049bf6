"""Which entries are wanted: `level>=warn source=web.* user=ada ms>500 -timeout`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from operator import eq, ge, gt, le, lt, ne

from logbook.entries import Entry, Level

OPERATORS: dict[str, Callable[[float, float], bool]] = {
    ">=": ge,
    "<=": le,
    "!=": ne,
    ">": gt,
    "<": lt,
    "=": eq,
}


@dataclass(frozen=True, slots=True)
class Term:
    """One word of a query; `key` is None for a word that the message has to have, or not to have."""

    key: str | None
    operator: str
    value: str


def terms(query: str) -> list[Term]:
    """The words of a query."""
    found = []
    for word in query.split():
        match = re.fullmatch(r"(\w+)(>=|<=|!=|>|<|=)(.+)", word)
        if match is not None:
            found.append(Term(match[1], match[2], match[3]))
        elif word.startswith("-") and len(word) > 1:
            found.append(Term(None, "!=", word[1:]))
        else:
            found.append(Term(None, "=", word))
    return found


def _holds(term: Term, entry: Entry) -> bool:
    if term.key is None:
        return (term.value.lower() in entry.message.lower()) == (term.operator == "=")
    if term.key == "level":
        return OPERATORS[term.operator](entry.level, Level.named(term.value))
    value = entry.source if term.key == "source" else entry.fields.get(term.key)
    if value is None:
        return term.operator == "!="
    if term.operator in ("=", "!="):
        return fnmatchcase(value, term.value) == (term.operator == "=")
    try:
        return OPERATORS[term.operator](float(value), float(term.value))
    except ValueError:
        return False


def matching(entries: Iterable[Entry], query: str) -> Iterator[Entry]:
    """The entries for which all words of the query hold, one by one."""
    for entry in entries:
        wanted = True
        for term in terms(query):
            if not _holds(term, entry):
                wanted = False
        if wanted:
            yield entry
