"""The records of runs: where the store is."""

from __future__ import annotations

import tomllib
from pathlib import Path

from bakeoff.errors import NotARepository, UsageError
from bakeoff.events import Run
from bakeoff.git import Repository
from bakeoff.store import Store

__all__ = ["find_matrix", "find_store", "parts_of"]

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


def find_matrix(store: Store, named: str) -> str:
    """The run of these first letters; of a matrix's file, its latest run. Raises UnknownRun, and UsageError where the
    file has none."""
    path = Path(named)
    if path.suffix != ".toml" and not path.is_file():
        return store.resolve(named)
    name = _name_of(path)
    for summary in store.runs():
        if summary.start is not None and (summary.start.command, summary.start.target) == ("matrix", name):
            return summary.id
    raise UsageError(f"there is no run of the matrix {name!r} yet", hint=f"bakeoff matrix run {named} makes one")


def parts_of(store: Store, sweep: Run) -> list[Run]:
    """The runs of a sweep's targets."""
    ended = [state.ended.run for state in sweep.sweep.targets.values() if state.ended is not None]
    return [Run.of(store.events(name)) for name in ended if name is not None]


def _name_of(path: Path) -> str:
    try:
        return str(tomllib.loads(path.read_text(encoding="utf-8")).get("name", path.stem))
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}", hint="name a run, or a matrix's file") from None
    except (UnicodeError, tomllib.TOMLDecodeError) as error:
        raise UsageError(f"{path} is no TOML: {error}", hint="bakeoff matrix check FILE says more") from None
