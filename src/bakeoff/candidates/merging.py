"""Two changes of one file, brought together.

    base ──▶ ours      what has become of the file since
      └────▶ theirs    what is to become of it

Where only one side changed something, that is taken; where both did the same, once; where they did different things to
the same lines, or to lines that touch, nobody but a person can tell. Line endings are no difference: a file that was
turned into CR LF as a whole, as git does on request of the user, keeps them and is compared without.

It is done here rather than by `git merge-file`, which writes the conflict into the text but does not say where in the
user's file it is.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bakeoff.candidates.files import File, Mode
from bakeoff.candidates.patches import Block, blocks_between, split_lines

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

__all__ = ["Clash", "merge"]

_LF, _CRLF = b"\n", b"\r\n"
_MOST_SHOWN = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Clash:
    """Why two changes of a file cannot both be made; `lines` are those of our side where they meet, from 1."""

    why: str
    lines: tuple[int, ...] = ()

    def __str__(self) -> str:
        if not self.lines:
            return self.why
        shown = ", ".join(map(str, self.lines[:_MOST_SHOWN])) + (", …" if len(self.lines) > _MOST_SHOWN else "")
        return f"{self.why} ({'line' if len(self.lines) == 1 else 'lines'} {shown})"


def merge(*, base: File | None, ours: File | None, theirs: File | None) -> File | Clash | None:
    """The file with both changes; None where it is gone with both.

    Ours itself where there is nothing to do, theirs itself where ours still is the base.
    """
    if ours in (base, theirs):
        return theirs
    if theirs == base:
        return ours
    if ours is None:
        return Clash(why="it is not there any more")
    if base is None:
        return Clash(why="it is there already, with other content")
    if Mode.LINK in {file.mode for file in (base, ours, theirs) if file is not None}:
        return Clash(why="it was changed, and is a symbolic link")
    return _gone(base, ours) if theirs is None else _merged(base, ours, theirs)


def _gone(base: File, ours: File) -> Clash | None:
    if ours.mode is base.mode and _like(ours.content, base.content) == base.content:
        return None
    return Clash(why="it was changed, and is to be deleted")


def _merged(base: File, ours: File, theirs: File) -> File | Clash:
    # Of two modes that differ, one is the base's.
    mode = theirs.mode if ours.mode is base.mode else ours.mode
    content = _merged_content(base.content, _like(ours.content, base.content), theirs.content)
    if isinstance(content, Clash):
        return content
    if _endings(base.content) == _endings(theirs.content):
        content = _like(content, ours.content)
    merged = File(content=content, mode=mode)
    return ours if merged == ours else merged


def _merged_content(base: bytes, ours: bytes, theirs: bytes) -> bytes | Clash:
    if ours in (base, theirs):
        return theirs
    if theirs == base:
        return ours
    if any(b"\0" in content for content in (base, ours, theirs)):
        return Clash(why="it was changed, and is binary")
    pieces: list[bytes] = []
    clashes: list[int] = []
    for piece in _pieces(split_lines(base), split_lines(ours), split_lines(theirs)):
        if isinstance(piece, int):
            clashes.append(piece)
        else:
            pieces.append(piece)
    if clashes:
        return Clash(why="the same lines were changed in another way", lines=tuple(clashes))
    return b"".join(pieces)


# Line endings


def _endings(content: bytes) -> bytes | None:
    """How all of its lines end; None for a binary file, and where they end in different ways or there is none."""
    ends, long_ends = content.count(_LF), content.count(_CRLF)
    if b"\0" in content or not ends or long_ends not in {0, ends}:
        return None
    return _CRLF if long_ends else _LF


def _like(content: bytes, model: bytes) -> bytes:
    """A content with the line endings of another one, where each has endings of one kind."""
    there, wanted = _endings(content), _endings(model)
    return content if None in {there, wanted} or there == wanted else content.replace(there or b"", wanted or b"")


# Lines


@dataclass(slots=True)
class _Side:
    """A walk over what one side changed."""

    lines: Sequence[bytes]
    blocks: list[Block]
    at: int = 0
    shift: int = 0

    @property
    def next(self) -> int | None:
        return self.blocks[self.at].old if self.at < len(self.blocks) else None

    def reach(self, end: int) -> int:
        """How far the blocks that begin at or before this line of the base go; they are passed."""
        while self.next is not None and self.next <= end:
            block = self.blocks[self.at]
            end = max(end, block.old_end)
            self.shift = block.new_end - block.old_end
            self.at += 1
        return end

    def between(self, start: int, end: int, *, shift: int) -> bytes:
        """What stands for these lines of the base. `shift` is that of before the blocks in between."""
        return b"".join(self.lines[start + shift : end + self.shift])


def _pieces(base: list[bytes], ours: list[bytes], theirs: list[bytes]) -> Iterator[bytes | int]:
    """The merged text, piece by piece; a number is the line of ours where the sides do not agree."""
    sides = [_Side(lines, blocks_between(base, lines)) for lines in (ours, theirs)]
    done = 0
    while starts := [side.next for side in sides if side.next is not None]:
        start = end = min(starts)
        yield b"".join(base[done:start])
        shifts, places = [side.shift for side in sides], [side.at for side in sides]
        end = _reached(sides, end)
        texts = [side.between(start, end, shift=shift) for side, shift in zip(sides, shifts, strict=True)]
        changed = [text for side, place, text in zip(sides, places, texts, strict=True) if side.at > place]
        yield changed[0] if len(set(changed)) == 1 else start + shifts[0] + 1
        done = end
    yield b"".join(base[done:])


def _reached(sides: Sequence[_Side], end: int) -> int:
    """Past all blocks of both sides that overlap or touch, one after the other."""
    while True:
        further = end
        for side in sides:
            further = side.reach(further)
        if further == end:
            return end
        end = further
