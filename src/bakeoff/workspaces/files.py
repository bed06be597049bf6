"""Files below a folder that somebody else may be changing, so that nothing leads out of it.

A candidate may have put a link where a folder was, and a process of its that still lives may do so while we look. So
every path is walked one folder at a time from a descriptor of the root, and no link is followed, neither on the way
nor at its end. What is read, written or removed here is inside the root, always.
"""

from __future__ import annotations

import errno
import os
import shutil
import stat
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Self

from bakeoff.candidates import File, Mode
from bakeoff.removal import remove_at, unlock

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

__all__ = ["Root"]

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_WRITE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


class Root:
    """A folder and what is below it, by relative path; `""` is the folder itself.

    Folders that are closed to us are opened, since what is here is ours; not so with `forced=False`, which is for the
    user's own tree.
    """

    def __init__(self, path: Path, *, forced: bool = True) -> None:
        self._forced = forced
        self._descriptor = os.open(path, _FOLDER)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._descriptor)

    @property
    def identity(self) -> tuple[int, int]:
        """Tells this folder from one that took its name."""
        found = os.fstat(self._descriptor)
        return found.st_dev, found.st_ino

    def status(self, path: str) -> os.stat_result | None:
        """What is at a path, be it a link; None where there is nothing, or no folder on the way."""
        try:
            with self.at(path) as (folder, name):
                return os.lstat(name, dir_fd=folder)
        except (FileNotFoundError, NotADirectoryError):
            return None

    def kind(self, path: str) -> int | None:
        """The mode of what is at a path; None as for `status`."""
        found = self.status(path)
        return None if found is None else found.st_mode

    def names(self, folder: str) -> dict[str, bool]:
        """What is in a folder, and of each whether it is a folder itself."""
        with self._folder(folder) as descriptor:
            return _listed(descriptor)

    def entries(self, folder: str) -> list[tuple[str, os.stat_result]]:
        """What is in a folder, sorted by name."""
        with self._folder(folder) as descriptor, os.scandir(descriptor) as entries:
            return sorted((entry.name, found) for entry in entries if (found := _status_of(entry)) is not None)

    def read(self, path: str, *, most: int | None = None) -> File | None:
        """The file at a path; None for a folder and where there is nothing. Raises OSError for one with over `most`
        bytes, and for what is no file: a pipe, a socket, a device."""
        found = self.kind(path)
        if found is None or stat.S_ISDIR(found):
            return None
        with self.at(path) as (folder, name):
            if stat.S_ISLNK(found):
                return File(content=os.fsencode(os.readlink(name, dir_fd=folder)), mode=Mode.LINK)
            if not stat.S_ISREG(found):
                raise OSError(errno.EINVAL, "it is no regular file", path)
            with os.fdopen(os.open(name, _READ, dir_fd=folder), "rb") as file:
                found = os.fstat(file.fileno()).st_mode
                if not stat.S_ISREG(found):
                    raise OSError(errno.EINVAL, "it is no regular file", path)
                mode = Mode.EXECUTABLE if found & stat.S_IXUSR else Mode.FILE
                content = file.read() if most is None else file.read(most + 1)
                if most is not None and len(content) > most:
                    raise OSError(errno.EFBIG, os.strerror(errno.EFBIG), path)
                return File(content=content, mode=mode)

    def write(self, path: str, file: File) -> None:
        """Write a file in place of what is there: never into it, since it may be linked from elsewhere."""
        with self.at(path, make=True) as (folder, name):
            with suppress(FileNotFoundError):
                remove_at(name, folder)
            if file.mode is Mode.LINK:
                os.symlink(os.fsdecode(file.content), name, dir_fd=folder)
                return
            mode = 0o777 if file.mode is Mode.EXECUTABLE else 0o666
            with os.fdopen(os.open(name, _WRITE, mode, dir_fd=folder), "wb") as target:
                target.write(file.content)

    def copy(self, source: Path, path: str) -> None:
        """Put a copy of a file, or a link, in place of what is there: its content and whether it is executable."""
        mode = source.lstat().st_mode
        with self.at(path, make=True) as (folder, name):
            with suppress(FileNotFoundError):
                remove_at(name, folder)
            if stat.S_ISLNK(mode):
                os.symlink(os.readlink(source), name, dir_fd=folder)
                return
            target = os.open(name, _WRITE, 0o777 if mode & stat.S_IXUSR else 0o666, dir_fd=folder)
            with os.fdopen(target, "wb") as written, source.open("rb") as read:
                shutil.copyfileobj(read, written, 1 << 20)

    def make(self, folder: str) -> None:
        """Make a folder, and those above it, unless they are there."""
        with self.at(f"{folder}/.", make=True):
            pass

    def delete(self, path: str) -> None:
        """Delete a file, and the folders that it leaves empty, as git does."""
        with self.at(path) as (folder, name):
            remove_at(name, folder)
        above = path.rpartition("/")[0]
        while above and not self.names(above):
            with self.at(above) as (folder, name):
                os.rmdir(name, dir_fd=folder)
            above = above.rpartition("/")[0]

    def remove(self, path: str) -> None:
        """Remove whatever is at a path; see the function of that name."""
        with self.at(path) as (folder, name):
            remove_at(name, folder)

    def remove_all(self, folder: str, names: Iterable[str]) -> None:
        """Remove these from a folder."""
        with self._folder(folder) as descriptor:
            for name in names:
                remove_at(name, descriptor)

    def settle(self, folder: str, *, mode: int) -> dict[str, bool]:
        """Give a folder this mode, and take away attributes such as access lists that new files would inherit; tells
        what is in it, as `names` does."""
        with self._folder(folder) as descriptor:
            if stat.S_IMODE(os.fstat(descriptor).st_mode) != mode:
                os.fchmod(descriptor, mode)
            for name in _attributes(descriptor):
                if not name.startswith("security."):
                    os.removexattr(descriptor, name)
            return _listed(descriptor)

    @contextmanager
    def _folder(self, folder: str) -> Iterator[int]:
        with self.at(f"{folder}/." if folder else ".") as (descriptor, _):
            yield descriptor

    @contextmanager
    def at(self, path: str, *, make: bool = False) -> Iterator[tuple[int, str]]:
        """A descriptor of the folder that holds a path, and the path's name in it."""
        *folders, name = path.split("/")
        descriptor = os.dup(self._descriptor)
        try:
            for folder in folders:
                descriptor = _step(descriptor, folder, make=make, forced=self._forced)
            yield descriptor, name
        finally:
            os.close(descriptor)


def _listed(descriptor: int) -> dict[str, bool]:
    with os.scandir(descriptor) as entries:
        return {entry.name: entry.is_dir(follow_symlinks=False) for entry in entries}


def _status_of(entry: os.DirEntry[str]) -> os.stat_result | None:
    try:
        return entry.stat(follow_symlinks=False)
    except FileNotFoundError:
        return None


def _step(descriptor: int, name: str, *, make: bool, forced: bool) -> int:
    """Go one folder down; gives the old descriptor up only when that succeeded."""
    if make:
        with suppress(FileExistsError):
            os.mkdir(name, dir_fd=descriptor)
    try:
        below = os.open(name, _FOLDER, dir_fd=descriptor)
    except PermissionError:
        if not forced:
            raise
        unlock(name, descriptor)
        below = os.open(name, _FOLDER, dir_fd=descriptor)
    os.close(descriptor)
    return below


def _attributes(descriptor: int) -> list[str]:
    try:
        return os.listxattr(descriptor)
    except OSError as error:
        if error.errno != errno.ENOTSUP:
            raise
        return []
