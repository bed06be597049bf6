"""One entry of a log, and the levels that it may have."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from enum import IntEnum


class Level(IntEnum):
    """How bad it is."""

    DEBUG = 10
    INFO = 20
    WARN = 30
    ERROR = 40

    @classmethod
    def named(cls, name: str) -> Level:
        """The level of a name, in capitals or not; WARNING and FATAL are known, too."""
        known = {"WARNING": cls.WARN, "FATAL": cls.ERROR, **cls.__members__}
        try:
            return known[name.upper()]
        except KeyError:
            raise ValueError(f"there is no level {name!r}") from None


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry, with the fields that stand behind its message."""

    when: datetime
    level: Level
    source: str
    message: str
    fields: dict[str, str] = field(default_factory=dict)

    @property
    def user(self) -> str | None:
        """Whose request it was, if it was anybody's."""
        return self.fields.get("user")

    @property
    def milliseconds(self) -> int | None:
        """How long the request took, if the entry says so."""
        text = self.fields.get("ms", "")
        return int(text) if text.isdecimal() else None
