"""Taking away what somebody else made, whatever it is: deep, read-only, immutable, full of links.

By descriptor, one folder at a time, so that no link leads elsewhere, not even one that is put there while we look.
"""

from __future__ import annotations

import errno
import fcntl
import os
import secrets
import stat
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

__all__ = ["remove", "remove_at", "unlock"]

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_GET_FLAGS, _SET_FLAGS, _IMMUTABLE_OR_APPEND = 0x80086601, 0x40086602, 0x30
_RIGHTS = 0o700
# A round for each level of depth; more than any tree has, and an end where somebody adds as fast as we remove.
_MOST_ROUNDS = 100_000


def remove(path: Path) -> None:
    """Remove a file, a link or a whole folder, read-only and immutable parts included; links are never followed.

    Goes on past what cannot be removed, and then raises the OSError that says why. What is not there is no error.
    """
    with suppress(FileNotFoundError):
        above = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            remove_at(path.name, above)
        finally:
            os.close(above)


def remove_at(name: str, folder: int) -> None:
    """Remove what has this name in the folder of a descriptor; see `remove`. Raises FileNotFoundError for nothing."""
    try:
        os.unlink(name, dir_fd=folder)
    except (IsADirectoryError, PermissionError):
        if not stat.S_ISDIR(os.lstat(name, dir_fd=folder).st_mode):
            _forced(os.unlink, name, folder)
            return
        with _opened(name, folder) as descriptor:
            _empty(descriptor)
        _forced(os.rmdir, name, folder)


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
            except FileNotFoundError:
                continue  # somebody else was quicker; the next look tells
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
        unlock(name, folder)
        os.rename(name, target, src_dir_fd=folder, dst_dir_fd=top)


def _forced(action: Callable[..., None], name: str, folder: int) -> None:
    """Unlink or remove a name, taking away what protects it and its folder where that is ours to take."""
    try:
        action(name, dir_fd=folder)
    except PermissionError:
        mode = stat.S_IMODE(os.fstat(folder).st_mode)
        _make_mutable(folder)
        os.fchmod(folder, _RIGHTS)
        unlock(name, folder)
        action(name, dir_fd=folder)
        os.fchmod(folder, mode)


@contextmanager
def _opened(name: str, folder: int) -> Iterator[int]:
    try:
        descriptor = os.open(name, _FOLDER, dir_fd=folder)
    except PermissionError:
        unlock(name, folder)
        descriptor = os.open(name, _FOLDER, dir_fd=folder)
    try:
        if stat.S_IMODE(os.fstat(descriptor).st_mode) & _RIGHTS != _RIGHTS:
            os.fchmod(descriptor, _RIGHTS)
        yield descriptor
    finally:
        os.close(descriptor)


def unlock(name: str, folder: int) -> None:
    """No flag against changes, and for a folder full rights for the owner.

    A descriptor of the path alone needs no right to it. The mode of a file stands in nobody's way, and the file may be
    linked from elsewhere: it is left alone.
    """
    place = os.open(name, os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=folder)
    try:
        mode = os.fstat(place).st_mode
        if stat.S_ISDIR(mode):
            with suppress(PermissionError):
                os.chmod(f"/proc/self/fd/{place}", _RIGHTS)
        if not stat.S_ISLNK(mode):
            _make_mutable(f"/proc/self/fd/{place}")
        if stat.S_ISDIR(mode):
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
