"""What a block of code has spent and which calls it has made, on whatever accounts they are."""

from __future__ import annotations

from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from bakeoff.models.exchange import Usage

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bakeoff.events import CallEnded

__all__ = ["Tally", "Witness", "count", "tallied", "witness", "witnessed"]


class Tally:
    """What was spent so far on attempts that have ended, failed and cancelled ones included."""

    def __init__(self) -> None:
        self.usage = Usage()
        self.known_cost = 0.0
        self._is_known = True

    @property
    def cost(self) -> float | None:
        """In dollars; None where a price is not known, and then `known_cost` is that of the others."""
        return self.known_cost if self._is_known else None

    def add(self, usage: Usage, cost: float | None) -> None:
        """Count one attempt more."""
        self.usage += usage
        self.known_cost += cost or 0.0
        self._is_known = self._is_known and cost is not None


_OPEN: Final[ContextVar[tuple[Tally, ...]]] = ContextVar("bakeoff_tallies", default=())


@contextmanager
def tallied() -> Iterator[Tally]:
    """Count what is spent in the block, and in the tasks that are started in it; blocks may be nested."""
    tally = Tally()
    token = _OPEN.set((*_OPEN.get(), tally))
    try:
        yield tally
    finally:
        _OPEN.reset(token)


def count(usage: Usage, cost: float | None) -> None:
    """Count an attempt where it is made."""
    for tally in _OPEN.get():
        tally.add(usage, cost)


@dataclass(slots=True, kw_only=True)
class Witness:
    """The attempts that a cell of a matrix makes, as they end, and how many of its calls were not made because their
    answers were known."""

    cell: str
    ended: list[CallEnded] = field(default_factory=list)
    recalled: int = 0


_WITNESS: Final[ContextVar[Witness | None]] = ContextVar("bakeoff_witness", default=None)


class witnessed:  # noqa: N801 - used as a block, and entered twice for each cell: a generator takes twice as long
    """Calls in the block, and in the tasks that are started in it, are made for this cell."""

    __slots__ = ("_one", "_token")

    def __init__(self, cell: str) -> None:
        self._one = Witness(cell=cell)

    def __enter__(self) -> Witness:
        self._token = _WITNESS.set(self._one)
        return self._one

    def __exit__(self, *exc_info: object) -> None:
        _WITNESS.reset(self._token)


def witness() -> Witness | None:
    """That of the code that asks."""
    return _WITNESS.get()
