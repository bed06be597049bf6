"""What is put into requests: texts that others wrote, so that none of them can be taken for ours, and within bounds.

Whatever stands in a repository or comes from a candidate is shown in fences that are longer than any run of backticks
in it. Texts are cut between lines only, and what was left out is said.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from bakeoff.models.model import estimated_tokens
from bakeoff.report.foreign import one_line, writable

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

__all__ = ["Page", "Piece", "code", "fenced"]

_TICKS = re.compile("`+")
_SHORTEST = 3  # lines of a text that are worth being shown without the rest
_NOTE_TOKENS = 60


def code(text: str, most: int = 200) -> str:
    """A path, a name or an expression in the middle of a sentence."""
    shown = one_line(writable(text), most)
    mark = "`" * (_longest_run(shown) + 1)
    return f"{mark} {shown} {mark}" if "`" in shown or not shown else f"{mark}{shown}{mark}"


def fenced(lines: Sequence[str] | str, language: str = "") -> str:
    """The lines as a block that nothing in them ends."""
    text = writable(lines if isinstance(lines, str) else "\n".join(lines))
    mark = "`" * max(3, _longest_run(text) + 1)
    return f"{mark}{language}\n{text}\n{mark}"


def _longest_run(text: str) -> int:
    return max((len(run) for run in _TICKS.findall(text)), default=0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """Lines to be shown, and what is said above them. Of those that are too long the first ones are shown."""

    lines: tuple[str, ...]
    above: str = ""
    language: str = "python"

    def within(self, tokens: int) -> str | None:
        """As much of it as there is room for; None where that would be too little to mean anything."""
        whole = self._shown(len(self.lines))
        if estimated_tokens(whole) <= tokens:
            return whole
        count = self._fitting(tokens)
        return self._shown(count) if count >= _SHORTEST else None

    def _fitting(self, tokens: int) -> int:
        low, high = 0, len(self.lines) - 1
        while low < high:
            middle = (low + high + 1) // 2
            low, high = (middle, high) if estimated_tokens(self._shown(middle)) <= tokens else (low, middle - 1)
        return low

    def _shown(self, count: int) -> str:
        left = len(self.lines) - count
        said = f"(its other {left} lines are left out here)" if left else ""
        parts = (self.above, fenced(self.lines[:count], self.language), said)
        return "\n\n".join(part for part in parts if part)


@dataclass(slots=True)
class Page:
    """Sections under headings, as many of their pieces as there is room for, what comes first before the rest."""

    tokens: int
    _text: str = ""
    _left_out: list[str] = field(default_factory=list)

    @property
    def room(self) -> int:
        """How many tokens there are left, beside a note on what was left out."""
        return max(0, self.tokens - _NOTE_TOKENS - estimated_tokens(self._text))

    def add(
        self, heading: str, pieces: Iterable[Piece], *, share: float = 1.0, what: str, is_kept: bool = False
    ) -> None:
        """A section with those of the pieces that fit into a share of the room; `what` they are is said of others. A
        heading of which no piece fits is left out, unless it `is_kept`."""
        room = int(self.room * share)
        shown = self._text
        full = start = "\n\n".join(part for part in (shown, heading) if part)
        before = estimated_tokens(shown) if shown else 0
        missed = 0
        for piece in pieces:
            # A token is more than what dividing by characters loses where texts are put together.
            text = piece.within(room - (estimated_tokens(full) - before) - 1)
            if text is None:
                missed += 1
            else:
                full = f"{full}\n\n{text}" if full else text
        is_shown = full != start or (is_kept and estimated_tokens(full) - before < self.room)
        self._text = full if is_shown else shown
        if missed:
            self._left_out.append(f"{missed} {what}")

    def text(self) -> str:
        """All of it, never more than its tokens."""
        said = f"Left out for want of room: {', '.join(self._left_out)}." if self._left_out else ""
        whole = "\n\n".join(part for part in (self._text, said) if part)
        return whole if estimated_tokens(whole) <= self.tokens else self._text
