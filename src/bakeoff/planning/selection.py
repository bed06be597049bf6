"""Which files a plan is about, and what is known of each: its tokens, and what it imports.

Those that git tracks or would add, at the paths and below them, that are source: by their ending, or because they were
named one by one. What cannot be worked on is left out, and said to be.
"""

from __future__ import annotations

import difflib
import enum
import re
import stat
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import anyio.to_thread

from bakeoff.errors import RepositoryError, UsageError
from bakeoff.planning.imports import imports

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from bakeoff.git import Repository

__all__ = ["LeftOut", "Reason", "Selection", "select", "tokens"]

_LARGEST: Final = 5_000_000  # bytes; nobody writes that by hand
_HEAD: Final = 8192  # where git, too, looks for what makes a file binary
_SOURCE: Final = re.compile(
    r"""\.(asm|bash|bat|c|cc|cl[js]|cljs|cmake|coffee|cpp|cs|css|cuh?|cxx|d|dart|el|elm|erl|exs?|f|f90|fsx?|go|gradle|groovy
    |h|hh|hpp|hrl|hs|hxx|java|jl|jsx?|kts?|less|lisp|lua|m|mjs|mli?|mm|mts|nim|pas|php|p[lm]|ps1|px[di]|pyi?|pyx|r|rb|rs|s
    |sass|scala|scm|scss|sh|sol|sql|svelte|swift|tcl|tsx?|v|vb|vhd|vim|vue|zig|zsh)$""",
    re.IGNORECASE | re.VERBOSE,
)
_GENERATED_NAME: Final = re.compile(r"(_pb2(_grpc)?\.pyi?|\.pb\.go|[.-]min\.(js|css))$")
_GENERATED: Final = re.compile(
    rb"""^\s*(?:\#|//|/\*|\*|--|;|%|\"\"\"|''').*
    (?:@generated\b|do\ not\ (?:edit|modify)|code\ generated\ by|auto(?:matically\ |-)generated\ (?:file|by|from)
      |generated\ by\ the\ protocol\ buffer\ compiler)""",
    re.IGNORECASE | re.MULTILINE | re.VERBOSE,
)
_HEAD_LINES: Final = 12  # where a file says that it was generated
# Words, numbers and signs of about the size that models' tokenizers cut them to: within 3 % of cl100k for half of the
# Python files of five projects, within 9 % for nine in ten of most.
_TOKEN: Final = re.compile(rb"[_. ]?[A-Z]?[a-z]{1,9}|[A-Z]{1,3}|\d{1,3}|[^\sA-Za-z\d]{1,3}|\n\s*")


class Reason(enum.StrEnum):
    """Why a file is in no subplan."""

    BINARY = "binary"
    GENERATED = "generated"
    LARGE = "larger than 5 MB"
    UNREADABLE = "unreadable"
    NAME = "its name is not UTF-8"
    LINK = "a link"
    REPOSITORY = "a repository of its own"


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOut:
    """A file that is not planned, though it might have been meant."""

    path: str
    reason: Reason


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """The files, by their paths from the repository's root. `paths` is what was asked for, told likewise."""

    paths: tuple[str, ...]
    tokens: Mapping[str, int]
    imports: Mapping[str, frozenset[str]]
    left_out: tuple[LeftOut, ...] = ()

    @property
    def edges(self) -> int:
        """How many imports there are between two of the files."""
        return sum(map(len, self.imports.values()))


async def select(repository: Repository, paths: Sequence[Path]) -> Selection:
    """The files at these paths and below them. Raises UsageError where there are none."""
    if not paths:
        raise UsageError("no path was given", hint="name folders or files; the current folder is: bakeoff plan .")
    places = await anyio.to_thread.run_sync(lambda: [_place(repository.root, path) for path in paths])
    listed = await repository.files(places)
    named = frozenset(place for path, place in zip(paths, places, strict=True) if not path.is_dir())
    found = await anyio.to_thread.run_sync(_read_all, repository.root, listed, named)
    selection = Selection(
        paths=tuple(dict.fromkeys(places)),
        tokens=found.tokens,
        imports=await anyio.to_thread.run_sync(imports, found.contents),
        left_out=found.left_out,
    )
    if not selection.tokens:
        raise _nothing(selection, len(listed))
    return selection


def tokens(content: bytes) -> int:
    """About how many tokens language models make of it."""
    return len(_TOKEN.findall(content))


def _place(root: Path, path: Path) -> str:
    """A path from the root. Links among its folders are followed, as git does."""
    try:
        found = path.resolve(strict=True)
    except FileNotFoundError:
        raise UsageError(f"there is no {path}", hint=_meant(path)) from None
    except (OSError, RuntimeError) as error:  # before Python 3.13, a loop of links is a RuntimeError
        why = error.strerror if isinstance(error, OSError) else "its links go round in a circle"
        raise UsageError(
            f"{path} cannot be looked at: {why}", hint="name a folder or a file that you can read"
        ) from None
    if not found.is_relative_to(root):
        raise RepositoryError(
            f"{path} is outside of the repository {root}", hint="a plan is about the files of one repository"
        )
    if ".git" in found.relative_to(root).parts:
        raise UsageError(f"{path} is git's own", hint="name files or folders of the working tree")
    place = found.relative_to(root).as_posix()
    if not _is_text(place):
        raise UsageError(f"the name {place!r} is not UTF-8", hint="rename it; nothing else could be written down")
    return place


def _meant(path: Path) -> str:
    """What a path that leads nowhere may stand for."""
    folder = next(above for above in path.absolute().parents if above.is_dir())
    missing = path.absolute().relative_to(folder).parts[0]
    try:
        names = [entry.name for entry in folder.iterdir()]
    except PermissionError:
        names = []
    near = difflib.get_close_matches(missing, names, n=1)
    return f"did you mean {folder.name}/{near[0]}?" if near else "paths start from the current folder"


def _is_text(name: str) -> bool:
    return name.encode("utf-8", "replace").decode() == name


def _nothing(selection: Selection, listed: int) -> UsageError:
    where = " ".join(selection.paths)
    if selection.left_out:
        one = selection.left_out[0]
        why = f"all {len(selection.left_out)} are left out; {one.path}: {one.reason}"
    elif listed:
        why = "no file there has an ending of a programming language that we know"
    else:
        why = "git tracks nothing there, and would not add anything"
    return UsageError(
        f"there are no files to plan below {where}: {why}",
        hint="files that are named one by one are planned whatever their ending; `git check-ignore -v` says what "
        "git ignores",
    )


@dataclass(slots=True)
class _Found:
    tokens: dict[str, int]
    contents: dict[str, bytes]
    left_out: tuple[LeftOut, ...] = ()


def _read_all(root: Path, listed: Iterable[str], named: frozenset[str]) -> _Found:
    found = _Found({}, {})
    left_out = []
    for path in listed:
        if path not in named and not _SOURCE.search(path):
            continue
        content = _content(root, path)
        if isinstance(content, Reason):
            left_out.append(LeftOut(path=path, reason=content))
        elif content is not None:
            found.tokens[path] = tokens(content)
            found.contents[path] = content if path.endswith(".py") else b""
    found.left_out = tuple(left_out)
    return found


def _content(root: Path, path: str) -> bytes | Reason | None:
    """What is in a file, or why nobody is to work on it; None for one that is no longer there."""
    try:
        status = (root / path).lstat()
        reason = _reason(path, status)
        if reason is not None:
            return reason
        with (root / path).open("rb") as file:
            content = file.read(_LARGEST + 1)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError:
        return Reason.UNREADABLE
    if b"\0" in content[:_HEAD]:
        return Reason.BINARY
    head = b"\n".join(content[:_HEAD].split(b"\n", _HEAD_LINES)[:_HEAD_LINES])
    return Reason.GENERATED if _GENERATED.search(head) else content


def _reason(path: str, status: os.stat_result) -> Reason | None:
    """Why it is left out unread."""
    if stat.S_ISLNK(status.st_mode):
        return Reason.LINK
    if stat.S_ISDIR(status.st_mode):
        return Reason.REPOSITORY
    if not stat.S_ISREG(status.st_mode):
        return Reason.UNREADABLE
    if status.st_size > _LARGEST:
        return Reason.LARGE
    if not _is_text(path):
        return Reason.NAME
    return Reason.GENERATED if _GENERATED_NAME.search(path) else None
