"""Logs for the tests: made by arithmetic, so that they are the same each time."""

from __future__ import annotations

from datetime import datetime, timedelta

from logbook.entries import Entry, Level

START = datetime(2026, 3, 1, 8, 0, 0)
SOURCES = ["web.api", "web.pages", "mail", "billing", "search", "cron"]
MESSAGES = [
    "answered in {n} steps",
    "user {n} logged in from 10.0.{m}.{n}:443",
    "order {n} was paid",
    "cache 0x{n:x} dropped",
    "job 9f1b7c2a-0000-4000-8000-{n:012x} done",
]
LEVELS = [Level.INFO, Level.INFO, Level.DEBUG, Level.WARN, Level.INFO, Level.ERROR, Level.INFO]


def at(minutes: float, **fields: str) -> Entry:
    return Entry(START + timedelta(minutes=minutes), Level.INFO, "web.api", "hello", fields)


def some_entries(count: int, people: int = 40, seconds: int = 20) -> list[Entry]:
    entries = []
    for n in range(count):
        message = MESSAGES[n % 5].format(n=n * 7 % 211, m=n % 16)
        fields = {"user": f"user{n * n % people}"} if n % 9 else {}
        if n % 4:
            fields["ms"] = str(n * 37 % 911)
        when = START + timedelta(seconds=n * seconds)
        entries.append(Entry(when, LEVELS[n * 5 % 7], SOURCES[n * n * n % 13 % 6], message, fields))
    return entries


def as_text(entries: list[Entry]) -> str:
    lines = []
    for entry in entries:
        fields = " ".join(
            f'{key}="{value}"' if " " in value else f"{key}={value}" for key, value in entry.fields.items()
        )
        line = f"{entry.when:%Y-%m-%dT%H:%M:%S} {entry.level.name} {entry.source}: {entry.message}"
        lines.append(f"{line} | {fields}" if fields else line)
    return "\n".join(lines) + "\n"
