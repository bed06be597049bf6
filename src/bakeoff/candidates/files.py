"""A file of a tree, and the paths and links that a change may name (W3, the first line of defence).

Everything here is decided from the text alone, before anything is read or written.
"""

from __future__ import annotations

import enum
import hashlib
import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from bakeoff.errors import PathRefused

_LONGEST_PATH = 4095
_LONGEST_PART = 255
# What git itself refuses: NTFS takes these for `.git`, with any tail of dots and blanks or a `:stream`.
_GIT_FOLDER = re.compile(r"(\.git|git~1)[ .]*(:.*)?", re.IGNORECASE | re.DOTALL)
# HFS+ ignores these inside a name.
_IGNORED_BY_HFS = dict.fromkeys(
    [*range(0x200C, 0x2010), *range(0x202A, 0x202F), *range(0x206A, 0x2070), 0xFEFF],
)


class Mode(enum.StrEnum):
    """What git records of a file besides its content."""

    FILE = "100644"
    EXECUTABLE = "100755"
    LINK = "120000"


@dataclass(frozen=True, slots=True, kw_only=True)
class Version:
    """Which content a file has, without the content: git's blob id (SHA-1) and mode."""

    blob: str
    mode: Mode


@dataclass(frozen=True, slots=True, kw_only=True)
class File:
    """A file's content and mode. The content of a link is its target."""

    content: bytes
    mode: Mode = Mode.FILE

    @property
    def version(self) -> Version:
        """The same for equal files on every machine; git calls the content by the same id."""
        header = b"blob %d\0" % len(self.content)
        blob = hashlib.sha1(header + self.content, usedforsecurity=False).hexdigest()
        return Version(blob=blob, mode=self.mode)


Reader: TypeAlias = Callable[[str], File | None]
"""Gives the file at a path of the base; None for a folder, a submodule, and where there is nothing."""


def check_path(path: str) -> None:
    """Raise PathRefused unless the path names a file inside a tree, and nothing of git's own."""
    why = _fault_of_path(path)
    if why is not None:
        raise PathRefused(path, why)


def parents(path: str) -> list[str]:
    """The folders that lead to a path, outermost first."""
    parts = path.split("/")[:-1]
    return ["/".join(parts[: depth + 1]) for depth in range(len(parts))]


def check_link(path: str, target: bytes) -> None:
    """Raise PathRefused unless a link at `path` would lead to somewhere inside the tree.

    `..` may only stand at the start of a target: after a name it would depend on what that name is.
    """
    why = _fault_of_link(path, target)
    if why is not None:
        raise PathRefused(path, f"as a link to {target.decode(errors='replace')!r} {why}")


def _fault_of_path(path: str) -> str | None:
    if not path:
        return "it is empty"
    if path.startswith("/"):
        return "it is absolute"
    if "\\" in path:
        return "it holds a backslash; folders are parted by '/'"
    if any(unicodedata.category(character) in {"Cc", "Cs"} for character in path):
        return "it holds a control character, or is not valid text"
    if len(path.encode()) > _LONGEST_PATH:
        return "it is too long"
    return next((why for part in path.split("/") if (why := _fault_of_part(part))), None)


def _fault_of_part(part: str) -> str | None:
    if not part:
        return "it has an empty part, or ends with '/'"
    if part in {".", ".."}:
        return f"it has {part!r} as a part"
    if len(part.encode()) > _LONGEST_PART:
        return "one of its parts is too long"
    return "it leads into git's own folder" if _is_git_folder(part) else None


def _is_git_folder(part: str) -> bool:
    return bool(_GIT_FOLDER.fullmatch(part)) or part.translate(_IGNORED_BY_HFS).lower() == ".git"


def _fault_of_link(path: str, target: bytes) -> str | None:
    if not target or b"\0" in target:
        return "it has no valid target"
    if target.startswith(b"/"):
        return "it leads to an absolute path"
    parts = [part for part in target.decode(errors="replace").split("/") if part not in {"", "."}]
    downwards = parts[:]
    while downwards and downwards[0] == "..":
        downwards.pop(0)
    if len(parts) - len(downwards) > path.count("/") or ".." in downwards:
        return "it may lead out of the tree"
    if any(_is_git_folder(part) for part in parts):
        return "it leads into git's own folder"
    if path.rpartition("/")[2].lower().startswith(".git"):
        return "it stands where git reads its own settings"
    return None
