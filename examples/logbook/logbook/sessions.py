"""Who was there, from when to when."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import pairwise

from logbook.entries import Entry

GAP = timedelta(minutes=30)


@dataclass(frozen=True, slots=True)
class Session:
    """What a user did without a long pause."""

    user: str
    start: datetime
    end: datetime
    sources: tuple[str, ...]
    count: int = 1

    @property
    def duration(self) -> timedelta:
        """From the first entry to the last."""
        return self.end - self.start


def sessions(entries: Iterable[Entry], gap: timedelta = GAP) -> list[Session]:
    """The sessions of all users, by their start; a pause that is longer than the gap begins a new one.

    The sources of a session are in the order in which they were first used.
    """
    found: list[Session] = []
    for entry in sorted(entries, key=lambda entry: entry.when):
        if entry.user is None:
            continue
        latest = None
        for index in range(len(found)):
            if found[index].user == entry.user:
                latest = index
        if latest is None or entry.when - found[latest].end > gap:
            found.append(Session(entry.user, entry.when, entry.when, (entry.source,)))
            continue
        session = found[latest]
        sources = session.sources if entry.source in session.sources else (*session.sources, entry.source)
        found[latest] = replace(session, end=entry.when, sources=sources, count=session.count + 1)
    return found


def peak(found: Sequence[Session]) -> tuple[int, datetime | None]:
    """How many sessions there were at once at most, and since when; the first time, if it was so more than once."""
    most, since = 0, None
    for moment in sorted([session.start for session in found]):
        open_now = [session for session in found if session.start <= moment and moment <= session.end]
        if len(open_now) > most:
            most, since = len(open_now), moment
    return most, since


def absences(found: Iterable[Session], user: str) -> list[timedelta]:
    """The pauses between the sessions of a user, in their order."""
    own = sorted((session for session in found if session.user == user), key=lambda session: session.start)
    return [later.start - earlier.end for earlier, later in pairwise(own)]


def longest(found: Sequence[Session]) -> Session | None:
    """The longest session; of equally long ones, the first."""
    return max(found, key=lambda session: session.duration, default=None)
