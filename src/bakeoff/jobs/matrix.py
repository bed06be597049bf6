"""Experiments: what a matrix will take, and running it."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bakeoff.events import CellStatus, Run
from bakeoff.matrix.expected import Expected, expected, habits
from bakeoff.models import Prices

if TYPE_CHECKING:
    from bakeoff.matrix import Cell, Definition
    from bakeoff.store import Store

__all__ = ["Outlook", "key_of", "missing", "newest", "outlook"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Outlook:
    """What running a matrix will take: all of it, and what of it is still to be done, by the run that it goes on
    with."""

    all: Expected
    missing: Expected
    run: str | None = None


def key_of(definition: Definition) -> str:
    """The same for all that goes on with the same run: what is called the same."""
    return hashlib.sha256(repr(("matrix", definition.name)).encode("utf-8", "surrogateescape")).hexdigest()


def newest(store: Store, definition: Definition) -> Run | None:
    """The newest run of a matrix of this name."""
    key = key_of(definition)
    for run in store.runs():
        if run.start is not None and run.start.key == key:
            return Run.of(store.events(run.id))
    return None


def missing(definition: Definition, run: Run | None, *, retry_failed: bool = False) -> tuple[Cell, ...]:
    """The cells that are to be run: all that nothing came of yet."""
    known = run.matrix.cells if run is not None else {}
    settled = {CellStatus.DONE} if retry_failed else {CellStatus.DONE, CellStatus.FAILED}
    return tuple(cell for cell in definition.cells() if cell.key not in known or known[cell.key].status not in settled)


def outlook(definition: Definition, store: Store | None, *, retry_failed: bool = False) -> Outlook:
    """Looks at the definition and at what is recorded, and runs nothing."""
    run = newest(store, definition) if store is not None else None
    prices = Prices(definition.prices)
    known = habits(run.attempts.values()) if run is not None else {}
    rest = missing(definition, run, retry_failed=retry_failed)
    return Outlook(
        all=expected(definition, definition.cells(), prices=prices, known=known),
        missing=expected(definition, rest, prices=prices, known=known),
        run=run.id if run is not None else None,
    )
