"""What somebody made in a slot, as a change.

Whoever works in a slot (a coding agent's command, and what it started) may still be at it while we look, and need not
mean well. So the slot is read by descriptor, no link is followed, and no git runs in it: what is ignored is asked of
git in a folder of our own, which has nothing but the base's .gitignore files and the names of the folders in question.

    slot ──walk──▶ files of the base that differ or are gone
            └────▶ what is new ──rounds──▶ not ignored ──▶ Change

What is new is walked in rounds, and after each git is asked what of it is ignored, so that a folder of a hundred
thousand installed files costs no more than a round.
"""

from __future__ import annotations

import os
import secrets
import stat
from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import anyio
import anyio.to_thread

from bakeoff.candidates import Change, Mode, check_path
from bakeoff.errors import ChangeError, ChangeTooLarge, PathRefused
from bakeoff.removal import remove
from bakeoff.workspaces.files import Root

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from bakeoff.candidates import File
    from bakeoff.workspaces.ground import Ground, Tree

__all__ = ["Bounds", "harvest"]

_ROUND = 5_000
_LONGEST_MARK = 4096
_LONGEST_PATH = 4095
_BYTE_CODE = (".pyc", ".pyo")


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """What is taken as one change at most: so many files and folders that are new or differ, with so many bytes."""

    entries: int = 5_000
    size: int = 64 * 1024 * 1024


async def harvest(tree: Tree, ground: Ground, bounds: Bounds) -> Change:
    """The change from the base to what a slot holds; see `Slot.change`."""
    harvester = _Harvester(tree, ground, bounds)
    try:
        await anyio.to_thread.run_sync(harvester.compare)
        await _add_new(harvester, ground)
        return await anyio.to_thread.run_sync(harvester.change)
    except OSError as error:
        raise ChangeError(
            f"what was made in the slot cannot be taken: {error}",
            hint="see that all of it may be read, and that nothing is at work in it any more",
        ) from error


async def _add_new(harvester: _Harvester, ground: Ground) -> None:
    if not harvester.waiting:
        return
    shape = ground.directory / f"shape-{secrets.token_hex(6)}"
    try:
        await anyio.to_thread.run_sync(_lay_shape, shape, ground)
        with Root(shape) as folders:
            while harvester.waiting:
                found = await anyio.to_thread.run_sync(harvester.walk, folders)
                harvester.keep(found, await ground.repository.ignored([new.path for new in found], tree=shape))
    finally:
        with anyio.CancelScope(shield=True):
            await anyio.to_thread.run_sync(remove, shape)


def _lay_shape(shape: Path, ground: Ground) -> None:
    """A folder with the base's .gitignore files in it, and nothing else."""
    shape.mkdir()
    with Root(ground.pristine) as pristine, Root(shape) as folders:
        for path in ground.files:
            if path.rpartition("/")[2] == ".gitignore" and (file := pristine.read(path)) is not None:
                folders.write(path, file)


@dataclass(frozen=True, slots=True, kw_only=True)
class _New:
    """Something in the slot that the base does not have, and the new folders that it is in."""

    path: str
    mode: int
    within: tuple[str, ...] = ()

    @property
    def is_folder(self) -> bool:
        return stat.S_ISDIR(self.mode)


@dataclass(eq=False, slots=True)
class _Harvester:
    """Goes through one slot. Not for concurrent use."""

    tree: Tree
    ground: Ground
    bounds: Bounds
    waiting: deque[_New] = field(default_factory=deque)
    _differing: list[str] = field(default_factory=list)
    _gone: set[str] = field(default_factory=set)
    _kept: int = 0

    def compare(self) -> None:
        """Find the files of the base that differ or are gone, and what is new beside them."""
        self._gone = {path for path in self.ground.files if not _is_left_out(path)}
        with Root(self.tree.path) as slot, Root(self.ground.pristine) as pristine:
            folders = deque([""])
            while folders:
                folder = folders.popleft()
                for name, found in slot.entries(folder):
                    path = f"{folder}/{name}" if folder else name
                    if _is_left_out(path):
                        continue
                    if stat.S_ISDIR(found.st_mode) and path in self.ground.folders:
                        folders.append(path)
                    elif stat.S_ISDIR(found.st_mode) or path not in self.ground.files:
                        self.waiting.append(_New(path=path, mode=found.st_mode))
                    else:
                        self._gone.discard(path)
                        self._compare(slot, pristine, path, found)

    def _compare(self, slot: Root, pristine: Root, path: str, found: os.stat_result) -> None:
        if self.tree.is_untouched(path, found):
            return
        if not _is_file(found.st_mode):
            raise PathRefused(path, "it was a file, and is none any more")
        base = pristine.status(path)
        same = base is not None and (base.st_size, _mode(base.st_mode)) == (found.st_size, _mode(found.st_mode))
        if not (same and _read(slot, path, most=found.st_size) == pristine.read(path)):
            self._differing.append(path)
            self._count(path)

    def walk(self, shape: Root) -> list[_New]:
        """One round through what is new; of folders that wait to be looked at, the shape has a folder too."""
        found: list[_New] = []
        with Root(self.tree.path) as slot:
            while self.waiting and len(found) < _ROUND:
                new = self.waiting.popleft()
                if new.is_folder:
                    if _is_marked(slot, new.path):
                        continue
                    shape.make(new.path)
                    self.waiting.extend(_inside(slot, new))
                found.append(new)
        return found

    def keep(self, found: Iterable[_New], ignored: set[str]) -> None:
        """Keep what is not ignored. Nothing of an ignored folder needs to be walked any more."""
        for new in found:
            if new.path in ignored:
                continue
            if new.is_folder or _is_file(new.mode):
                self._count(new.path)
            if _is_file(new.mode):
                self._differing.append(new.path)
        self.waiting = deque(new for new in self.waiting if ignored.isdisjoint(new.within))

    def _count(self, path: str) -> None:
        self._kept += 1
        if self._kept > self.bounds.entries:
            raise ChangeTooLarge(
                f"more than {self.bounds.entries} files and folders are new or differ",
                most=f"{self.bounds.entries}",
                example=path,
            )

    def change(self) -> Change:
        """The change that was found, with the contents as they are now."""
        for path in (*self._differing, *self._gone):
            self._refuse_submodule(path)
        files: dict[str, File | None] = dict.fromkeys(self._gone)
        left = self.bounds.size
        with Root(self.tree.path) as slot, Root(self.ground.pristine) as pristine:
            for path in self._differing:
                check_path(path)
                found = slot.status(path)
                if found is not None and found.st_size > left:
                    raise ChangeTooLarge(
                        "its files are too large", most=f"{self.bounds.size // 1024 // 1024} MB", example=path
                    )
                files[path] = slot.read(path, most=left)
                left -= len(file.content) if (file := files[path]) else 0
            return Change.of(files, base=lambda path: pristine.read(path) if path in self.ground.files else None)

    def _refuse_submodule(self, path: str) -> None:
        for folder in self.ground.base.submodules:
            if path == folder or path.startswith(f"{folder}/"):
                raise PathRefused(path, f"{folder} is a submodule")


def _read(slot: Root, path: str, *, most: int) -> File | None:
    """What is compared with the base; where it cannot be read, it is no longer the base at any rate."""
    try:
        return slot.read(path, most=most)
    except OSError:
        return None


def _inside(slot: Root, folder: _New) -> Iterator[_New]:
    try:
        entries = slot.entries(folder.path)
    except (FileNotFoundError, NotADirectoryError):
        return  # gone, or something else by now
    for name, found in entries:
        path = f"{folder.path}/{name}"
        if len(os.fsencode(path)) > _LONGEST_PATH:
            raise PathRefused(f"{path[:100]}…", "it is too long")
        if not _is_left_out(path):
            yield _New(path=path, mode=found.st_mode, within=(*folder.within, folder.path))


def _is_left_out(path: str) -> bool:
    """What no change is to name: git's own files, and byte code, which follows from the rest."""
    name = path.rpartition("/")[2]
    return name.lower() == ".git" or name == "__pycache__" or name.endswith(_BYTE_CODE)


def _is_marked(slot: Root, folder: str) -> bool:
    """Whether a new folder says of itself that nothing in it is to be kept, as caches of tools and virtual environments
    do: by a .gitignore with the one pattern `*`."""
    try:
        file = slot.read(f"{folder}/.gitignore", most=_LONGEST_MARK)
    except OSError:
        return False
    if file is None or file.mode is Mode.LINK:
        return False
    lines = (line.strip() for line in file.content.splitlines())
    return [line for line in lines if line and not line.startswith(b"#")] == [b"*"]


def _is_file(mode: int) -> bool:
    return stat.S_ISREG(mode) or stat.S_ISLNK(mode)


def _mode(mode: int) -> Mode | None:
    if stat.S_ISLNK(mode):
        return Mode.LINK
    if not stat.S_ISREG(mode):
        return None
    return Mode.EXECUTABLE if mode & stat.S_IXUSR else Mode.FILE
