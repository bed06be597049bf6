"""Numbers about entries."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from logbook.entries import Entry, Level


@dataclass(frozen=True, slots=True)
class Latency:
    """How long the requests to a source took, in milliseconds."""

    source: str
    count: int
    median: float
    p95: float
    worst: float


@dataclass(frozen=True, slots=True)
class Burst:
    """Many errors in a short time."""

    start: datetime
    end: datetime
    count: int


def percentile(values: Sequence[float], share: float) -> float:
    """The value below which a share of the values lies, between its neighbours in proportion."""
    if not values:
        raise ValueError("there are no values")
    position = share * (len(values) - 1)
    below = int(position)
    above = min(below + 1, len(values) - 1)
    return sorted(values)[below] + (position - below) * (sorted(values)[above] - sorted(values)[below])


def latencies(entries: Sequence[Entry]) -> list[Latency]:
    """The latencies of each source that has any, the slowest median first; those alike by name."""
    sources: list[str] = []
    for entry in entries:
        if entry.source not in sources:
            sources.append(entry.source)
    table = []
    for source in sorted(sources):
        times = []
        for entry in entries:
            if entry.source == source and entry.milliseconds is not None:
                times.append(entry.milliseconds)
        if len(times) == 0:
            continue
        table.append(Latency(source, len(times), percentile(times, 0.5), percentile(times, 0.95), sorted(times)[-1]))
    return sorted(table, key=lambda row: -row.median)


def busiest(entries: Sequence[Entry], limit: int = 5) -> list[tuple[str, int]]:
    """The users with the most entries, with how many; of those with equally many, who came later goes first."""
    users = [entry.user for entry in entries if entry.user is not None]
    ranked: list[tuple[str, int]] = []
    for user in users:
        if user not in [name for name, _ in ranked]:
            ranked.append((user, users.count(user)))
    ranked.sort(key=lambda pair: pair[1])
    ranked.reverse()
    return ranked[:limit]


def hourly(entries: Iterable[Entry], level: Level = Level.DEBUG) -> list[int]:
    """How many entries of at least this level there are in each hour of the day."""
    counts = [0] * 24
    for entry in entries:
        if entry.level >= level:
            counts[entry.when.hour] += 1
    return counts


def error_share(entries: Iterable[Entry]) -> dict[str, float]:
    """The share of errors among the entries of each source."""
    total: dict[str, int] = {}
    errors: dict[str, int] = {}
    for entry in entries:
        total[entry.source] = total.get(entry.source, 0) + 1
        if entry.level >= Level.ERROR:
            errors[entry.source] = errors.get(entry.source, 0) + 1
    return {source: errors.get(source, 0) / count for source, count in total.items()}


def bursts(entries: Sequence[Entry], within: timedelta, least: int) -> list[Burst]:
    """Where at least so many errors lie within a time; bursts that touch are one. The entries are in order."""
    found: list[Burst] = []
    for index, first in enumerate(entries):
        if first.level < Level.ERROR:
            continue
        near = [entry for entry in entries[index:] if entry.level >= Level.ERROR and entry.when - first.when <= within]
        if len(near) < least:
            continue
        start, end = first.when, near[-1].when
        if found and found[-1].end >= start:
            start = found.pop().start
        count = len([entry for entry in entries if entry.level >= Level.ERROR and start <= entry.when <= end])
        found.append(Burst(start, end, count))
    return found
