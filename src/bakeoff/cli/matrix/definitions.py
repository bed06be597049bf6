"""Definition files, with what flags and settings add to them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from bakeoff.cli.asking import budget, settings_of
from bakeoff.matrix.files import read
from bakeoff.models import Budget

if TYPE_CHECKING:
    from pathlib import Path

    from bakeoff.config import Options
    from bakeoff.matrix import Definition

__all__ = ["defined", "settled"]


def defined(file: Path, options: Options) -> Definition:
    """The matrix in a file. What is said of caps and budgets elsewhere wins over it; of providers and prices, it wins
    over what is said elsewhere."""
    return settled(read(file), options)


def settled(definition: Definition, options: Options) -> Definition:
    """The same of a matrix from elsewhere."""
    said, own = budget(options), definition.budget
    return replace(
        definition,
        providers=settings_of(options, definition.providers),
        prices={**options.prices, **definition.prices},
        budget=Budget(
            cost=own.cost if said.cost is None else said.cost,
            tokens=own.tokens if said.tokens is None else said.tokens,
            seconds=own.seconds if said.seconds is None else said.seconds,
        ),
    )
