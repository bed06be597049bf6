"""What an answer holds beside prose: code in fences, search-and-replace blocks, diffs; each with the file it names.

    text ──▶ Code | Edit | Patch, in their order

Nothing here knows of files or of Python; the text is whatever somebody's model wrote.
"""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from bakeoff.sources.models.texts import NotUnderstood

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

__all__ = ["Block", "Code", "Edit", "Hunk", "Patch", "PatchedFile", "blocks"]

_MOST_BLOCKS = 64
_LONGEST_NAMING = 200
_LINES_BEFORE = 3
_FENCE = re.compile(r" {0,8}(`{3,}|~{3,})[ \t]*([^`\n]*)")
_SEARCH = re.compile(r"\s{0,8}<{4,10} ?(?:SEARCH|ORIGINAL)\b(.*)")
_DIVIDER = re.compile(r"\s{0,8}={4,10}\s*")
_REPLACE = re.compile(r"\s{0,8}>{4,10} ?(?:REPLACE|UPDATED)\b.*")
_PATH = re.compile(r"(?:\./|/)?(?:[\w@+.-]+/)*[\w@+-][\w@+.-]*\.[A-Za-z]\w{0,7}")
_LABEL = re.compile(
    r"(?:#+|//|\d+[.)]|[-*>])?\s*(?:(?:file ?(?:name|path)?|path|filename|edit|update|in)\s*:?\s+)?", re.IGNORECASE
)
_TICKED = re.compile(r"`([^`\s]+)`")
_HUNK = re.compile(r"@@+(?: -(\d{1,9})(?:,\d+)? \+\d+(?:,\d+)? @@)?.*")
_FILE_OF_PATCH = re.compile(r"\*\*\* (Update|Add|Delete) File: (.+)")
_STARTS = re.compile(r"\s*(?:@\w|def |async def |class |import |from |@@ |--- |\*\*\* )")
_PATCH_LANGUAGES = frozenset({"diff", "patch", "udiff"})
_OF_HEADER = ("diff --git ", "index ", "new file mode", "deleted file mode", "old mode", "new mode", "similarity index")
_NO_FILE = "/dev/null"
_SIGNS = frozenset("+- ")


@dataclass(frozen=True, slots=True, kw_only=True)
class Code:
    """Lines in a fence, or of an answer that has none. `language` is what its fence says."""

    lines: tuple[str, ...]
    path: str | None = None
    language: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """Lines to look for, and what to put there."""

    search: tuple[str, ...]
    put: tuple[str, ...]
    path: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Hunk:
    """Lines with what becomes of each (` ` stays, `-` goes, `+` comes); `start` is where it says they are, from 0."""

    lines: tuple[tuple[str, str], ...]
    start: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PatchedFile:
    """What a diff says of one file; `old` or `new` is None where it says that there is no such file."""

    old: str | None
    new: str | None
    hunks: tuple[Hunk, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Patch:
    """A diff, as it was written, and read with as little trust as possible in what its headers say."""

    text: str
    files: tuple[PatchedFile, ...]


Block: TypeAlias = Code | Edit | Patch


def blocks(text: str) -> list[Block]:
    """All that it holds. Raises NotUnderstood for blocks that are cut off, and for more than anybody would write."""
    lines = _without_thoughts(text).split("\n")
    placed = [*_edits(lines)]
    taken = {number for start, stop, _ in placed for number in range(start, stop)}
    found = [(start, block) for start, _, block in placed] + list(_fenced(lines, taken))
    if len(found) > _MOST_BLOCKS:
        raise NotUnderstood(f"it has {len(found)} blocks: give at most {_MOST_BLOCKS}")
    if not found and any(_STARTS.match(line) for line in lines):
        return [_block(lines, path=None, language="")]
    return [block for _, block in sorted(found, key=lambda item: item[0])]


def _without_thoughts(text: str) -> str:
    """What comes after the thinking that some models write down first."""
    _, mark, rest = text.rpartition("</think>")
    return rest if mark else text


# -- search and replace -----------------------------------------------------------------------------------------------


def _edits(lines: Sequence[str]) -> Iterator[tuple[int, int, Edit]]:
    at = 0
    path = None
    while at < len(lines):
        begin = _SEARCH.fullmatch(lines[at])
        if begin is None:
            at += 1
            continue
        divider = _next(lines, _DIVIDER, at + 1)
        end = _next(lines, _REPLACE, divider + 1)
        path = _path_of(begin[1]) or _path_before(lines, at) or path
        yield at, end + 1, Edit(search=tuple(lines[at + 1 : divider]), put=tuple(lines[divider + 1 : end]), path=path)
        at = end + 1


def _next(lines: Sequence[str], marker: re.Pattern[str], start: int) -> int:
    for number in range(start, len(lines)):
        if marker.fullmatch(lines[number]):
            return number
        if _SEARCH.fullmatch(lines[number]):
            break
    raise NotUnderstood("a SEARCH block is not complete: it needs `=======` and `>>>>>>> REPLACE` below it")


# -- fences -----------------------------------------------------------------------------------------------------------


def _fenced(lines: Sequence[str], taken: set[int]) -> Iterator[tuple[int, Block]]:
    at = 0
    while at < len(lines):
        fence = _FENCE.fullmatch(lines[at]) if at not in taken else None
        if fence is None:
            at += 1
            continue
        end = _end_of_fence(lines, at, fence[1], taken)
        body = [lines[number] for number in range(at + 1, end) if number not in taken]
        has_edits = any(number in taken for number in range(at, end))
        if any(line.strip() for line in body) and not has_edits:
            language, path = _info(fence[2])
            yield at, _block(body, path=path or _path_before(lines, at), language=language)
        at = end + 1


def _end_of_fence(lines: Sequence[str], start: int, fence: str, taken: set[int]) -> int:
    """Where it closes. One that does not, ends with the text: some models stop right before the last line."""
    for number in range(start + 1, len(lines)):
        text = lines[number].strip()
        if number not in taken and len(text) >= len(fence) and not text.strip(fence[0]):
            return number
    return len(lines)


def _info(text: str) -> tuple[str, str | None]:
    """The language and the path behind a fence: `python`, `python pkg/mod.py`, `pkg/mod.py`, `python:pkg/mod.py`."""
    words = re.split(r"[\s:=]+", text.strip())
    path = next((found for word in words if (found := _path_of(word)) is not None), None)
    return ("" if words[0] == path else words[0].lower()), path


def _block(lines: Sequence[str], *, path: str | None, language: str) -> Block:
    if language in _PATCH_LANGUAGES or _is_patch(lines):
        return Patch(text="\n".join((*lines, "")), files=tuple(_files(lines, path)))
    inner = _path_of(lines[0]) if lines and lines[0].lstrip().startswith(("#", "//")) else None
    return Code(lines=tuple(lines[1:] if inner else lines), path=path or inner, language=language)


# -- paths ------------------------------------------------------------------------------------------------------------


def _path_before(lines: Sequence[str], at: int) -> str | None:
    """The path in one of the last lines above, which may be a fence or say something else, too."""
    above = [line for line in lines[max(0, at - 2 * _LINES_BEFORE) : at] if line.strip()][-_LINES_BEFORE:]
    for line in reversed(above):
        fence = _FENCE.fullmatch(line)
        if fence is not None and not fence[2].strip() and line is not above[-1]:
            return None  # the end of what was there before
        found = _info(fence[2])[1] if fence is not None else _path_of(line)
        if found is not None:
            return found
    return None


def _path_of(line: str) -> str | None:
    """The path that a line names: alone, after a label, or in ticks where it ends with a colon."""
    if len(line) > _LONGEST_NAMING:
        return None
    text = line.strip()
    bare = _LABEL.sub("", text.strip("*_ \t"), count=1).strip("*`_: \t\"'")
    if _PATH.fullmatch(bare):
        return _cleaned(bare)
    ticked = [name for name in _TICKED.findall(text) if _PATH.fullmatch(name) and "/" in name]
    return _cleaned(ticked[-1]) if ticked and text.endswith((":", "*")) else None


def _cleaned(path: str) -> str:
    return path.removeprefix("./").lstrip("/")


# -- diffs ------------------------------------------------------------------------------------------------------------


def _is_patch(lines: Sequence[str]) -> bool:
    has_hunk = any(line.startswith("@@") and _HUNK.fullmatch(line) for line in lines)
    has_names = any(
        first.startswith("--- ") and second.startswith("+++ ") for first, second in itertools.pairwise(lines)
    )
    changes = any(line.startswith(("+", "-")) for line in lines)
    return ((has_hunk or has_names) and changes) or any(_FILE_OF_PATCH.fullmatch(line) for line in lines)


def _files(lines: Sequence[str], path: str | None) -> Iterator[PatchedFile]:
    """The files of a diff; one without any header is of the file that was named above it."""
    sections: list[tuple[str | None, str | None, list[str]]] = [(path, path, [])]
    at = 0
    while at < len(lines):
        line, following = lines[at], lines[at + 1] if at + 1 < len(lines) else ""
        named = _FILE_OF_PATCH.fullmatch(line)
        if line.startswith("--- ") and following.startswith("+++ "):
            sections.append((*_names(line, following), []))
            at += 1
        elif named is not None:
            name = named[2].strip()
            sections.append((None if named[1] == "Add" else name, None if named[1] == "Delete" else name, []))
        elif not line.startswith(("*** ", "\\ ", *_OF_HEADER)):
            sections[-1][2].append(line)
        at += 1
    for number, (old, new, body) in enumerate(sections):
        hunks = tuple(_hunks(body if number else _from_first_hunk(body)))
        if hunks or (new is None and old is not None):
            yield PatchedFile(old=old, new=new, hunks=hunks)


def _from_first_hunk(lines: Sequence[str]) -> Sequence[str]:
    """Without the prose above a diff, which may well begin with a dash."""
    return next((lines[number:] for number, line in enumerate(lines) if line.startswith("@@")), ())


def _names(first: str, second: str) -> tuple[str | None, str | None]:
    old, new = (line[4:].partition("\t")[0].strip().strip('"') for line in (first, second))
    if old.startswith("a/") or new.startswith("b/"):
        old, new = old.removeprefix("a/"), new.removeprefix("b/")
    return (None if old == _NO_FILE else old), (None if new == _NO_FILE else new)


def _hunks(lines: Sequence[str]) -> Iterator[Hunk]:
    start: int | None = None
    found: list[str] = []
    for line in lines:
        match = _HUNK.fullmatch(line) if line.startswith("@@") else None
        if match is None:
            found.append(line)
            continue
        yield from _hunk(found, start)
        start, found = (max(0, int(match[1]) - 1) if match[1] else None), []
    yield from _hunk(found, start)


def _hunk(lines: Sequence[str], start: int | None) -> Iterator[Hunk]:
    """Without what stands around it: empty lines, and prose below."""
    signed = [number for number, line in enumerate(lines) if line[:1] in _SIGNS and line.strip()]
    body = [_sign(line) for line in lines[: signed[-1] + 1]] if signed else []
    filled = [number for number, (sign, line) in enumerate(body) if sign != " " or line.strip()]
    if any(sign != " " for sign, _ in body):
        yield Hunk(lines=tuple(body[filled[0] : filled[-1] + 1]), start=start)


def _sign(line: str) -> tuple[str, str]:
    """What becomes of a line; one without any sign is one that stays, of which the blank in front was forgotten."""
    return (line[0], line[1:]) if line[:1] in _SIGNS else (" ", line)
