"""Putting a change's files into a slot, and nowhere else.

Every path is walked one folder at a time from a descriptor of the slot's root, and no link is followed on the way
or at its end. So a path leads nowhere but into the slot, whatever links the base or an earlier command put there,
and even if they are put there while we look.
"""

from __future__ import annotations

import os
import stat
from contextlib import closing, contextmanager, suppress
from typing import TYPE_CHECKING

from bakeoff.candidates import File, Mode
from bakeoff.errors import PathRefused

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from bakeoff.candidates import Change

__all__ = ["land", "look"]

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC
_WRITE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


def land(root: Path, change: Change, submodules: Sequence[str] = ()) -> None:
    """Check everything, then write. See `Slot.stage` for what is raised."""
    with closing(_Root(root)) as tree:
        leaving = {edit.path for edit in change.edits if edit.after is None}
        for path in change.paths:
            _refuse_submodules(path, submodules)
            tree.check_way(path, leaving=leaving)
        change.check(base=tree.read)
        for path in sorted(leaving, reverse=True):
            tree.delete(path)
        for edit in change.edits:
            if edit.after is not None:
                tree.write(edit.path, edit.after)


def look(root: Path, path: str) -> File | None:
    """The file at a path below a root; None for a folder and where there is nothing."""
    with closing(_Root(root)) as tree:
        return tree.read(path)


def _refuse_submodules(path: str, submodules: Sequence[str]) -> None:
    for folder in submodules:
        if path == folder or path.startswith(f"{folder}/"):
            raise PathRefused(path, f"{folder} is a submodule")


class _Root:
    """The slot's files, by relative path."""

    def __init__(self, root: Path) -> None:
        self._descriptor = os.open(root, _FOLDER)

    def close(self) -> None:
        os.close(self._descriptor)

    def check_way(self, path: str, *, leaving: set[str]) -> None:
        """Raise PathRefused unless only folders lead to the path, those not counted that the change removes first."""
        parts = path.split("/")
        for depth in range(1, len(parts) + 1):
            here = "/".join(parts[:depth])
            found = self._kind(here)
            if found is None or here in leaving:
                return
            is_folder, is_end = stat.S_ISDIR(found), depth == len(parts)
            if not is_end and not is_folder:
                what = "a symbolic link" if stat.S_ISLNK(found) else "a file"
                raise PathRefused(path, f"{here!r} is {what}")
            if is_end and is_folder and not self._empties(here, leaving):
                raise PathRefused(path, "it is a folder")

    def read(self, path: str) -> File | None:
        """The file at a path; None for a folder and where there is nothing."""
        found = self._kind(path)
        if found is None or stat.S_ISDIR(found):
            return None
        with self._folder_of(path) as (folder, name):
            if stat.S_ISLNK(found):
                return File(content=os.fsencode(os.readlink(name, dir_fd=folder)), mode=Mode.LINK)
            with os.fdopen(os.open(name, _READ, dir_fd=folder), "rb") as file:
                mode = Mode.EXECUTABLE if found & stat.S_IXUSR else Mode.FILE
                return File(content=file.read(), mode=mode)

    def delete(self, path: str) -> None:
        """Delete a file, and the folders that it leaves empty, as git does."""
        with self._folder_of(path) as (folder, name):
            os.unlink(name, dir_fd=folder)
        above = path.rpartition("/")[0]
        while above and not self._names(above):
            with self._folder_of(above) as (folder, name):
                os.rmdir(name, dir_fd=folder)
            above = above.rpartition("/")[0]

    def write(self, path: str, file: File) -> None:
        """Write a file in place of what is there: never into it, since it may be linked from elsewhere."""
        replaced = self._kind(path) is not None
        with self._folder_of(path, make=True) as (folder, name):
            if replaced:
                os.unlink(name, dir_fd=folder)
            if file.mode is Mode.LINK:
                os.symlink(os.fsdecode(file.content), name, dir_fd=folder)
                return
            mode = 0o777 if file.mode is Mode.EXECUTABLE else 0o666
            with os.fdopen(os.open(name, _WRITE, mode, dir_fd=folder), "wb") as target:
                target.write(file.content)

    def _kind(self, path: str) -> int | None:
        """The mode of what is at a path; None where there is nothing, or no folder on the way."""
        try:
            with self._folder_of(path) as (folder, name):
                return os.lstat(name, dir_fd=folder).st_mode
        except (FileNotFoundError, NotADirectoryError):
            return None

    def _names(self, folder: str) -> list[str]:
        with self._folder_of(f"{folder}/.") as (descriptor, _):
            return os.listdir(descriptor)

    def _empties(self, folder: str, leaving: set[str]) -> bool:
        """Whether the change removes all that is in a folder."""
        for name in self._names(folder):
            path = f"{folder}/{name}"
            is_folder = stat.S_ISDIR(self._kind(path) or 0)
            if not (self._empties(path, leaving) if is_folder else path in leaving):
                return False
        return True

    @contextmanager
    def _folder_of(self, path: str, *, make: bool = False) -> Iterator[tuple[int, str]]:
        """A descriptor of the folder that holds a path, and the path's name in it."""
        *folders, name = path.split("/")
        descriptor = os.dup(self._descriptor)
        try:
            for folder in folders:
                descriptor = _step(descriptor, folder, make=make)
            yield descriptor, name
        finally:
            os.close(descriptor)


def _step(descriptor: int, name: str, *, make: bool) -> int:
    """Go one folder down; gives the old descriptor up only when that succeeded."""
    if make:
        with suppress(FileExistsError):
            os.mkdir(name, dir_fd=descriptor)
    below = os.open(name, _FOLDER, dir_fd=descriptor)
    os.close(descriptor)
    return below
