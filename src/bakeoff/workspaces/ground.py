"""What both kinds of slot are made from, and what a kind of slot is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from bakeoff.choices import SlotKind

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence
    from pathlib import Path

    from bakeoff.git import Base, Entry, Repository, Shadow

__all__ = ["Ground", "Kind", "SlotKind", "Tree"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Ground:
    """A pool's directory with the base in it.

    `pristine` is the base as a tree that nobody works in, without a .git; `bytecode` are the files in it that are
    not of the base. `entries` lists those that are, and `index` holds them for checking out of `shadow`. `files` and
    `folders` are the paths of the base as they are on disk, where a submodule that is not checked out is a folder.
    """

    directory: Path
    repository: Repository
    shadow: Shadow
    base: Base
    index: Path
    entries: Sequence[Entry]
    pristine: Path
    bytecode: Sequence[str]
    size: int
    files: frozenset[str]
    folders: frozenset[str]


class Tree(Protocol):
    """The files of one slot, as one kind of slot keeps them.

    `path` is where this process finds them, `directory` where a process started with `command` does; the two
    differ when the slot is mounted in a namespace of its own, which `enter` before a command leads into. No method
    is called while another one of the same tree runs.
    """

    path: Path
    directory: Path
    enter: tuple[str, ...]

    async def restore(self) -> None:
        """Byte for byte the base again, whatever happened; quick when nothing did. Raises OSError or a
        BakeoffError where it cannot: then the slot is given up."""

    def is_untouched(self, path: str, found: os.stat_result) -> bool:
        """Whether a file of the base, which was just found like this, is as it was when the slot was made or restored.
        Tells without reading it; False where it cannot be told."""

    def command(self, argv: Sequence[str]) -> list[str]:
        """A command line that runs `argv` where the slot can be seen as `directory`."""

    async def close(self) -> None: ...


class Kind(Protocol):
    """Makes slots. `create` is called for several names at once, also later to replace a slot."""

    name: str

    async def create(self, name: str) -> Tree: ...

    async def close(self) -> None:
        """Let go of everything but the files, which the pool removes."""
