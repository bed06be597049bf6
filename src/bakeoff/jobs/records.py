"""The records of runs: where the store is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bakeoff.errors import NotARepository
from bakeoff.git import Repository
from bakeoff.store import Store

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["find_store"]

STORE_NAME = "bakeoff/store.sqlite"


async def find_store(start: Path, named: Path | None = None) -> Store:
    """The store at the path that was named, else the one of the repository around `start`."""
    if named is not None:
        return Store(named)
    try:
        repository = await Repository.find(start)
    except NotARepository as error:
        error.hint = "run this inside a repository, or name a store with --store or BAKEOFF_STORE"
        raise
    return Store(repository.common_directory / STORE_NAME)
