"""What is in a log, as text."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from logbook.entries import Entry, Level
from logbook.patterns import templates
from logbook.sessions import peak, sessions
from logbook.statistics import busiest, error_share, hourly, latencies

BARS = " .:-=+*#"


def duration(time: timedelta) -> str:
    """A time in words that fit into a column: `1h 05m`, `12m 30s`, `7s`."""
    seconds = int(time.total_seconds())
    hours, minutes, seconds = seconds // 3600, seconds // 60 % 60, seconds % 60
    if hours:
        return f"{hours}h {minutes:02}m"
    return f"{minutes}m {seconds:02}s" if minutes else f"{seconds}s"


def number(value: object) -> str:
    """A cell: numbers with at most one digit behind the point, and nothing for None."""
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.1f}".removesuffix(".0")
    if isinstance(value, timedelta):
        return duration(value)
    return str(value)


def table(headings: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """Columns as wide as what is in them: text to the left, numbers to the right, a line below the headings."""
    text = ""
    for line in [list(headings), ["-"], *rows]:
        for column in range(len(headings)):
            width = max([len(headings[column])] + [len(number(row[column])) for row in rows])
            numeric = len(rows) > 0 and all([isinstance(row[column], (int, float)) for row in rows])
            if line == ["-"]:
                cell = "-" * width
            elif numeric:
                cell = number(line[column]).rjust(width)
            else:
                cell = number(line[column]).ljust(width)
            text += cell if column == 0 else "  " + cell
        text = text.rstrip(" ") + "\n"
    return text


def clock(entries: Sequence[Entry]) -> str:
    """The day as 24 characters, the darker the more entries."""
    counts = hourly(entries)
    most = max(counts) or 1
    return "".join(BARS[-(-count * (len(BARS) - 1) // most)] for count in counts)


def report(entries: Sequence[Entry]) -> str:
    """All of it."""
    found = sessions(entries)
    most, since = peak(found)
    shares = error_share(entries)
    errors = [entry for entry in entries if entry.level >= Level.ERROR]
    rows = [
        (row.source, row.count, row.median, row.p95, row.worst, shares[row.source] * 100) for row in latencies(entries)
    ]
    parts = [
        f"{len(entries)} entries, {len(errors)} errors, {len(found)} sessions, {most} at once"
        + (f" at {since:%H:%M}" if since else ""),
        f"[{clock(entries)}]",
        table(["source", "requests", "median", "p95", "worst", "errors %"], rows),
        table(["user", "entries"], busiest(entries)),
        table(["message", "times"], sorted(templates(errors).items(), key=lambda pair: -pair[1])),
    ]
    return "\n".join(part if part.endswith("\n") else part + "\n" for part in parts)
