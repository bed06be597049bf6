"""What was touched in a folder since it was last in order?

Restoring a slot costs little when it is known what to put back. Comparing every file with what it was is sure
but slow (a status call for each: as slow as git itself), so there are two ways to know:

    Watching    the kernel tells (inotify). Every folder and every file has a watch of its own: a watch on the
                folder alone would miss a write through a hard link from elsewhere. Folders' change times are
                looked at as well, as a second witness, and their numbers: of a folder that has taken the name of
                one that is watched, nothing is told. When the kernel lost count, the answer is None.
    Comparing   every inode's number and change time, which a process cannot set, against the recorded ones.
                Used where the watches do not suffice (a limit of the system) or do not exist.

Both are exact for contents, names and modes as long as nothing runs in the folder any more; neither follows links.
What only root can set, such as the immutable flag, inotify does not tell.
"""

from __future__ import annotations

import ctypes
import os
import struct
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["CLOCK_STEP", "Comparing", "Stamp", "Tracker", "Watching", "track"]

_MODIFY, _ATTRIBUTES, _CLOSE_WRITE = 0x2, 0x4, 0x8
_MOVED_FROM, _MOVED_TO, _CREATE, _DELETE, _DELETE_SELF, _MOVE_SELF = 0x40, 0x80, 0x100, 0x200, 0x400, 0x800
_OVERFLOW, _IGNORED, _DONT_FOLLOW = 0x4000, 0x8000, 0x02000000
_MASK = (
    _MODIFY | _ATTRIBUTES | _CLOSE_WRITE | _MOVED_FROM | _MOVED_TO | _CREATE | _DELETE | _DELETE_SELF | _MOVE_SELF
) | _DONT_FOLLOW
_HEADER = struct.Struct("iIII")
CLOCK_STEP = 10_000_000
_MAX_WATCHES = Path("/proc/sys/fs/inotify/max_user_watches")

Stamp = tuple[int, int]


class Tracker(Protocol):
    """Knows what was touched below a root. Paths are relative to it, `""` being the root itself.

    Not for concurrent use. `rearm` after putting things back, `close` at the end; after that nothing can be told.
    """

    def touched(self) -> set[str] | None:
        """Paths that may have changed since the last `rearm`; None when that cannot be told."""

    def rearm(self, restored: Iterable[str]) -> None:
        """Take the present state as the one in order; `restored` are the known paths that were put back."""

    def close(self) -> None: ...


def track(root: Path, folders: Iterable[str], files: Iterable[str], *, share: int = 1) -> Tracker:
    """The best tracker for these folders and files; `share` trackers of this size divide the system's watches."""
    folders, files = list(folders), list(files)
    if sys.platform == "linux" and (len(folders) + len(files)) * share < _watches_allowed() // 2:
        watching = Watching(root, folders)
        try:
            watching.rearm([*folders, *files])
        except OSError:
            # Other processes of this user hold the rest of the watches.
            watching.close()
        else:
            return watching
    return Comparing(root, [*folders, *files])


class Comparing:
    """Compares every inode with what it was."""

    def __init__(self, root: Path, paths: Iterable[str]) -> None:
        self._root = os.fspath(root)
        self._paths = list(paths)
        self._stamps: dict[str, Stamp | None] = {}
        self.rearm(self._paths)

    def touched(self) -> set[str] | None:
        return _differing(self._root, self._stamps) if self._stamps else None

    def rearm(self, restored: Iterable[str]) -> None:
        # Whatever is put back gives its folders a new change time, so these are taken again with it.
        known = set(self._paths)
        again = {path for name in restored for path in (name, *_parents(name))}
        taken = {path: _stamp(self._root, path) for path in again & known}
        self._stamps.update(taken)
        _await_tick(max((stamp[0] for stamp in taken.values() if stamp), default=0))

    def close(self) -> None:
        self._stamps.clear()


class Watching:
    """Asks the kernel."""

    def __init__(self, root: Path, folders: Iterable[str]) -> None:
        self._root = os.fspath(root)
        self._folders = frozenset(folders)
        self._library = ctypes.CDLL(None, use_errno=True)
        self._queue: int | None = _checked(self._library.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC), self._root)
        self._paths: dict[int, str] = {}
        self._known: set[str] = set()
        self._stamps: dict[str, Stamp | None] = {}

    def touched(self) -> set[str] | None:
        told = self._drain() if self._queue is not None else None
        if told is None:
            return None
        differing = _differing(self._root, self._stamps)
        return told | differing | self._below({path for path in differing if self._is_another(path)})

    def _is_another(self, folder: str) -> bool:
        """Whether this is not the folder that we watch: it was moved away, and its name given to another."""
        known, found = self._stamps[folder], _stamp(self._root, folder)
        return known is None or found is None or known[1] != found[1]

    def _below(self, folders: set[str]) -> set[str]:
        """What belongs below such folders: the watches are still on what was moved away, and tell nothing of it."""
        if not folders:
            return set()
        return {path for path in self._known if not folders.isdisjoint(_parents(path))}

    def rearm(self, restored: Iterable[str]) -> None:
        names = list(restored)
        self._known.update(names)
        for name in names:
            self._watch(name)
        affected = {path for name in names for path in (name, *_parents(name))} & self._folders
        self._stamps.update({path: _stamp(self._root, path) for path in affected})
        self._drain()

    def close(self) -> None:
        if self._queue is not None:
            os.close(self._queue)
            self._queue = None
        self._paths.clear()
        self._stamps.clear()

    def _watch(self, name: str) -> None:
        path = os.fsencode(f"{self._root}/{name}" if name else self._root)
        number = _checked(self._library.inotify_add_watch(self._queue, path, ctypes.c_uint32(_MASK)), self._root)
        self._paths[number] = name

    def _drain(self) -> set[str] | None:
        """The paths of all waiting events; None when some were lost."""
        told: set[str] = set()
        lost = False
        while chunk := self._read():
            offset = 0
            while offset < len(chunk):
                number, mask, _, length = _HEADER.unpack_from(chunk, offset)
                name = chunk[offset + _HEADER.size : offset + _HEADER.size + length].rstrip(b"\0")
                offset += _HEADER.size + length
                lost |= bool(mask & _OVERFLOW)
                told |= self._concerned(number, os.fsdecode(name), gone=bool(mask & _IGNORED))
        return None if lost else told

    def _concerned(self, number: int, name: str, *, gone: bool) -> set[str]:
        path = self._paths.get(number)
        if path is None:
            return set()
        if gone:
            del self._paths[number]
        return {path, f"{path}/{name}" if path else name} if name else {path}

    def _read(self) -> bytes:
        assert self._queue is not None
        try:
            return os.read(self._queue, 1 << 20)
        except BlockingIOError:
            return b""


def _differing(root: str, stamps: dict[str, Stamp | None]) -> set[str]:
    return {path for path, stamp in stamps.items() if _stamp(root, path) != stamp}


def _stamp(root: str, path: str) -> Stamp | None:
    try:
        found = os.lstat(f"{root}/{path}" if path else root)
    except (FileNotFoundError, NotADirectoryError, PermissionError):
        return None
    return found.st_ctime_ns, found.st_ino


def _await_tick(newest: int) -> None:
    """Let the file system's clock, which moves in steps, pass a change time: what happens next shall differ."""
    while time.time_ns() <= newest + CLOCK_STEP:
        time.sleep(0.001)


def _parents(path: str) -> list[str]:
    """The folders above a path, the root included."""
    parts = path.split("/")[:-1] if path else []
    return ["/".join(parts[:depth]) for depth in range(len(parts) + 1)] if path else []


def _watches_allowed() -> int:
    return int(_MAX_WATCHES.read_text()) if _MAX_WATCHES.exists() else 0


def _checked(result: int, path: str) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), path)
    return result
