"""The directories that pools live in, whose they are, and what to do with those of the dead.

A pool's directory appears under its final name only once it carries its owner, so whatever has that name and no
living owner is a leftover of ours, and nothing else is ever removed.
"""

from __future__ import annotations

import logging
import os
import secrets
import shutil
import stat
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import msgspec
import platformdirs

from bakeoff.errors import WorkspaceError
from bakeoff.owners import Owner
from bakeoff.removal import remove

__all__ = ["Leftover", "Place", "choose_place", "claim", "leftovers", "places", "sweep"]

_log = logging.getLogger(__name__)
_OWNER_FILE = "owner.json"
_POOL, _UNFINISHED = "pool-", "new-"
_UNFINISHED_AGE = 3600.0
_MEMORY = Path("/dev/shm")  # noqa: S108 (the directory made in it is private, and checked to be)


class _Card(msgspec.Struct, frozen=True, kw_only=True):
    owner: Owner
    repository: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A directory that pools may be made in."""

    path: Path
    in_memory: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Leftover:
    """A pool whose owner is gone, or (`owner` None) one that was never finished."""

    path: Path
    owner: Owner | None
    repository: str | None


def places() -> list[Place]:
    """Where pools may be: memory first, then the user's cache directory."""
    found = []
    with suppress(RuntimeError):  # a user without a home directory has no cache either
        found.append(Place(path=platformdirs.user_cache_path("bakeoff") / "slots", in_memory=False))
    if _MEMORY.is_dir() and os.access(_MEMORY, os.W_OK) and not os.statvfs(_MEMORY).f_flag & os.ST_NOEXEC:
        found.insert(0, Place(path=_MEMORY / f"bakeoff-{os.getuid()}", in_memory=True))
    return found


def choose_place(need: int) -> Place:
    """The fastest place with ample room for so many bytes. Memory is only taken while plenty of it is free."""
    import psutil  # noqa: PLC0415 (heavy)

    for place in places():
        if not place.in_memory:
            return place
        room = min(shutil.disk_usage(place.path.parent).free, psutil.virtual_memory().available // 2)
        if need * 2 < room:
            return place
    raise WorkspaceError(
        "there is no place with room for slots",
        hint="set HOME, or BAKEOFF_SLOTS_DIRECTORY to a directory of your own",
    )


def claim(place: Path, repository: Path) -> Path:
    """Make a directory for a pool of this process."""
    place.mkdir(parents=True, exist_ok=True, mode=0o700)
    _check_private(place)
    name = secrets.token_hex(6)
    unfinished, path = place / f"{_UNFINISHED}{name}", place / f"{_POOL}{name}"
    unfinished.mkdir(mode=0o700)
    card = _Card(owner=Owner.current(), repository=str(repository))
    (unfinished / _OWNER_FILE).write_bytes(msgspec.json.encode(card))
    return unfinished.rename(path)


def leftovers(place: Path) -> list[Leftover]:
    """What dead runs left in a place."""
    if not place.is_dir():
        return []
    found = [_leftover(path) for path in sorted(place.iterdir()) if path.is_dir() and not path.is_symlink()]
    return [leftover for leftover in found if leftover is not None]


def sweep(place: Path) -> list[Leftover]:
    """Remove what dead runs left; goes on past what cannot be removed and returns what was."""
    if place.is_dir():
        _check_private(place)
    removed = []
    for leftover in leftovers(place):
        try:
            remove(leftover.path)
        except OSError as error:
            _log.warning("the leftover %s could not be removed: %s", leftover.path, error)
        else:
            removed.append(leftover)
    return removed


def _leftover(path: Path) -> Leftover | None:
    """What a directory is, if it is a leftover. One that cannot be looked at, or is just being made, is not."""
    try:
        return _judged(path)
    except OSError:
        return None


def _judged(path: Path) -> Leftover | None:
    if path.name.startswith(_UNFINISHED):
        stale = time.time() - path.lstat().st_mtime > _UNFINISHED_AGE
        return Leftover(path=path, owner=None, repository=None) if stale else None
    if not path.name.startswith(_POOL):
        return None
    try:
        card = msgspec.json.decode((path / _OWNER_FILE).read_bytes(), type=_Card)
    except msgspec.DecodeError:
        return None
    if card.owner.lives():
        return None
    return Leftover(path=path, owner=card.owner, repository=card.repository)


def _check_private(place: Path) -> None:
    """The place is ours and closed to others, also where the folder above it is open to all."""
    found = place.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid() or found.st_mode & 0o022:
        raise WorkspaceError(
            f"{place} is not a directory that belongs to this user alone",
            hint="remove it if it is yours, or set BAKEOFF_SLOTS_DIRECTORY to another place",
        )
