"""Files below a folder that somebody else may be changing, so that nothing leads out of it.

A candidate may have put a link where a folder was, and a process of its that still lives may do so while we look. So
every path is walked one folder at a time from a descriptor of the root, and no link is followed, neither on the way
nor at its end. What is read, written or removed here is inside the root, always.
"""

from __future__ import annotations

import errno
import fcntl
import os
import secrets
import shutil
import stat
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Self

from bakeoff.candidates import File, Mode

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

__all__ = ["Root", "remove"]

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_WRITE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_GET_FLAGS, _SET_FLAGS, _IMMUTABLE_OR_APPEND = 0x80086601, 0x40086602, 0x30
_RIGHTS = 0o700
# A round for each level of depth; more than any tree has, and an end where somebody adds as fast as we remove.
_MOST_ROUNDS = 100_000


def remove(path: Path) -> None:
    """Remove a file, a link or a whole folder, read-only and immutable parts included; links are never followed.

    Goes on past what cannot be removed, and then raises the OSError that says why. What is not there is no error.
    """
    with suppress(FileNotFoundError), Root(path.parent, follow=True) as above:
        above.remove(path.name)


class Root:
    """A folder and what is below it, by relative path; `""` is the folder itself."""

    def __init__(self, path: Path, *, follow: bool = False) -> None:
        self._descriptor = os.open(path, _FOLDER & ~os.O_NOFOLLOW if follow else _FOLDER)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._descriptor)

    @property
    def identity(self) -> tuple[int, int]:
        """Tells this folder from one that took its name."""
        found = os.fstat(self._descriptor)
        return found.st_dev, found.st_ino

    def kind(self, path: str) -> int | None:
        """The mode of what is at a path; None where there is nothing, or no folder on the way."""
        try:
            with self._folder_of(path) as (folder, name):
                return os.lstat(name, dir_fd=folder).st_mode
        except (FileNotFoundError, NotADirectoryError):
            return None

    def names(self, folder: str) -> dict[str, bool]:
        """What is in a folder, and of each whether it is a folder itself."""
        with self._folder(folder) as descriptor:
            return _listed(descriptor)

    def read(self, path: str) -> File | None:
        """The file at a path; None for a folder and where there is nothing."""
        found = self.kind(path)
        if found is None or stat.S_ISDIR(found):
            return None
        with self._folder_of(path) as (folder, name):
            if stat.S_ISLNK(found):
                return File(content=os.fsencode(os.readlink(name, dir_fd=folder)), mode=Mode.LINK)
            with os.fdopen(os.open(name, _READ, dir_fd=folder), "rb") as file:
                mode = Mode.EXECUTABLE if found & stat.S_IXUSR else Mode.FILE
                return File(content=file.read(), mode=mode)

    def write(self, path: str, file: File) -> None:
        """Write a file in place of what is there: never into it, since it may be linked from elsewhere."""
        with self._folder_of(path, make=True) as (folder, name):
            with suppress(FileNotFoundError):
                os.unlink(name, dir_fd=folder)
            if file.mode is Mode.LINK:
                os.symlink(os.fsdecode(file.content), name, dir_fd=folder)
                return
            mode = 0o777 if file.mode is Mode.EXECUTABLE else 0o666
            with os.fdopen(os.open(name, _WRITE, mode, dir_fd=folder), "wb") as target:
                target.write(file.content)

    def copy(self, source: Path, path: str) -> None:
        """Put a copy of a file, or a link, in place of what is there: its content and whether it is executable."""
        mode = source.lstat().st_mode
        with self._folder_of(path, make=True) as (folder, name):
            with suppress(FileNotFoundError):
                _remove(name, folder)
            if stat.S_ISLNK(mode):
                os.symlink(os.readlink(source), name, dir_fd=folder)
                return
            target = os.open(name, _WRITE, 0o777 if mode & stat.S_IXUSR else 0o666, dir_fd=folder)
            with os.fdopen(target, "wb") as written, source.open("rb") as read:
                shutil.copyfileobj(read, written, 1 << 20)

    def make(self, folder: str) -> None:
        """Make a folder, and those above it, unless they are there."""
        with self._folder_of(f"{folder}/.", make=True):
            pass

    def delete(self, path: str) -> None:
        """Delete a file, and the folders that it leaves empty, as git does."""
        with self._folder_of(path) as (folder, name):
            os.unlink(name, dir_fd=folder)
        above = path.rpartition("/")[0]
        while above and not self.names(above):
            with self._folder_of(above) as (folder, name):
                os.rmdir(name, dir_fd=folder)
            above = above.rpartition("/")[0]

    def remove(self, path: str) -> None:
        """Remove whatever is at a path; see the function of that name."""
        with self._folder_of(path) as (folder, name):
            _remove(name, folder)

    def remove_all(self, folder: str, names: Iterable[str]) -> None:
        """Remove these from a folder."""
        with self._folder(folder) as descriptor:
            for name in names:
                _remove(name, descriptor)

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
        with self._folder_of(f"{folder}/." if folder else ".") as (descriptor, _):
            yield descriptor

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


def _listed(descriptor: int) -> dict[str, bool]:
    with os.scandir(descriptor) as entries:
        return {entry.name: entry.is_dir(follow_symlinks=False) for entry in entries}


def _remove(name: str, folder: int) -> None:
    try:
        os.unlink(name, dir_fd=folder)
    except (IsADirectoryError, PermissionError):
        if not stat.S_ISDIR(os.lstat(name, dir_fd=folder).st_mode):
            _forced(os.unlink, name, folder)
            return
        with _opened(name, folder) as descriptor:
            _empty(descriptor)
        _forced(os.rmdir, name, folder)


def _step(descriptor: int, name: str, *, make: bool) -> int:
    """Go one folder down; gives the old descriptor up only when that succeeded."""
    if make:
        with suppress(FileExistsError):
            os.mkdir(name, dir_fd=descriptor)
    try:
        below = os.open(name, _FOLDER, dir_fd=descriptor)
    except PermissionError:
        _unlock(name, descriptor)
        below = os.open(name, _FOLDER, dir_fd=descriptor)
    os.close(descriptor)
    return below


def _empty(top: int) -> None:
    """Remove all that is in a folder. Folders in it are emptied into it, so that depth costs neither stack nor
    descriptors; what cannot be removed stays, and the first reason is raised at the end."""
    stuck: dict[str, OSError] = {}
    for _ in range(_MOST_ROUNDS):
        left = [name for name in os.listdir(top) if name not in stuck]
        if not left:
            break
        for name in left:
            try:
                _dissolve(name, top)
            except OSError as error:
                stuck[name] = error
    if stuck:
        raise next(iter(stuck.values()))


def _dissolve(name: str, top: int) -> None:
    if not stat.S_ISDIR(os.lstat(name, dir_fd=top).st_mode):
        _forced(os.unlink, name, top)
        return
    with _opened(name, top) as folder:
        for entry in os.listdir(folder):
            if stat.S_ISDIR(os.lstat(entry, dir_fd=folder).st_mode):
                _raise_up(entry, folder, top)
            else:
                _forced(os.unlink, entry, folder)
    _forced(os.rmdir, name, top)


def _raise_up(name: str, folder: int, top: int) -> None:
    target = f"removed-{secrets.token_hex(8)}"
    try:
        os.rename(name, target, src_dir_fd=folder, dst_dir_fd=top)
    except PermissionError:
        _unlock(name, folder)
        os.rename(name, target, src_dir_fd=folder, dst_dir_fd=top)


def _forced(action: object, name: str, folder: int) -> None:
    """Unlink or remove a name, taking away what protects it and its folder where that is ours to take."""
    assert callable(action)
    try:
        action(name, dir_fd=folder)
    except PermissionError:
        mode = stat.S_IMODE(os.fstat(folder).st_mode)
        _make_mutable(folder)
        os.fchmod(folder, _RIGHTS)
        _unlock(name, folder)
        action(name, dir_fd=folder)
        os.fchmod(folder, mode)


@contextmanager
def _opened(name: str, folder: int) -> Iterator[int]:
    try:
        descriptor = os.open(name, _FOLDER, dir_fd=folder)
    except PermissionError:
        _unlock(name, folder)
        descriptor = os.open(name, _FOLDER, dir_fd=folder)
    try:
        if stat.S_IMODE(os.fstat(descriptor).st_mode) & _RIGHTS != _RIGHTS:
            os.fchmod(descriptor, _RIGHTS)
        yield descriptor
    finally:
        os.close(descriptor)


def _unlock(name: str, folder: int) -> None:
    """Full rights for the owner, and no flag against changes. A descriptor of the path alone needs no right to it."""
    place = os.open(name, os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=folder)
    try:
        if stat.S_ISLNK(os.fstat(place).st_mode):
            return
        with suppress(PermissionError):
            os.chmod(f"/proc/self/fd/{place}", _RIGHTS)
        _make_mutable(f"/proc/self/fd/{place}")
        os.chmod(f"/proc/self/fd/{place}", _RIGHTS)
    finally:
        os.close(place)


def _make_mutable(place: int | str) -> None:
    """Take the immutable and append-only flags away, where the file system has them and we may."""
    try:
        descriptor = os.dup(place) if isinstance(place, int) else os.open(place, os.O_RDONLY | os.O_NONBLOCK)
    except OSError as error:
        if error.errno in (errno.ENXIO, errno.EACCES):
            return
        raise
    try:
        flags = int.from_bytes(fcntl.ioctl(descriptor, _GET_FLAGS, bytes(8)), "little")
        if flags & _IMMUTABLE_OR_APPEND:
            fcntl.ioctl(descriptor, _SET_FLAGS, (flags & ~_IMMUTABLE_OR_APPEND).to_bytes(8, "little"))
    except OSError as error:
        if error.errno not in (errno.ENOTTY, errno.EOPNOTSUPP, errno.EPERM, errno.EINVAL, errno.ENOSYS):
            raise
    finally:
        os.close(descriptor)


def _attributes(descriptor: int) -> list[str]:
    try:
        return os.listxattr(descriptor)
    except OSError as error:
        if error.errno != errno.ENOTSUP:
            raise
        return []
