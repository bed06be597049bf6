"""Finding lines in a text as models remember them: with other blanks at their ends, or indented otherwise."""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bakeoff.sources.models.texts import NotUnderstood

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

__all__ = ["Located", "indentation", "located", "shifted", "trimmed"]

_MOST_PLACES = 100
_MOST_COMPARED, _LONGEST_COMPARED = 2000, 120


@dataclass(frozen=True, slots=True, kw_only=True)
class Located:
    """Where lines were found; what goes there has `into` in front instead of `out`."""

    start: int
    stop: int
    out: str = ""
    into: str = ""

    def placed(self, line: str) -> str:
        return shifted(line, self.out, self.into)


def indentation(line: str) -> str:
    return line[: len(line) - len(line.lstrip(" \t"))]


def shifted(line: str, out: str, into: str) -> str:
    """The line with other blanks in front; one that has less of them than was to be taken away loses all."""
    if not line.strip():
        return ""
    if line.startswith(out):
        return into + line[len(out) :]
    return into + line.lstrip(" \t")


def trimmed(lines: Sequence[str]) -> list[str]:
    """Without empty lines at both ends."""
    filled = [number for number, line in enumerate(lines) if line.strip()]
    return list(lines[filled[0] : filled[-1] + 1]) if filled else []


def located(
    lines: Sequence[str], wanted: Sequence[str], *, near: int | None = None, within: range | None = None
) -> Located:
    """Where these lines are: as they are, else but for blanks at their ends, else but for those in front.

    Of several places that is taken which is nearest to the line `near`, or the only one `within` some lines. Raises
    NotUnderstood where there is none, or it cannot be told which.
    """
    if not any(line.strip() for line in wanted):
        raise NotUnderstood("it has no lines to look for")
    for key in (str, str.rstrip, str.strip):
        starts = list(_starts([key(line) for line in lines], [key(line) for line in wanted]))
        if starts:
            return _found(lines, wanted, _chosen(starts, len(wanted), near, within), key is str.strip)
    raise NotUnderstood(_missing(lines, wanted))


def _starts(lines: Sequence[str], wanted: Sequence[str]) -> Iterator[int]:
    """Where they are, by their numbers; searched as one string, which stays fast on whatever there is."""
    hay, needle = "".join(f"\n{line}" for line in lines) + "\n", "".join(f"\n{line}" for line in wanted) + "\n"
    at = count = number = 0
    while count < _MOST_PLACES and (found := hay.find(needle, at)) >= 0:
        number += hay.count("\n", at, found)
        yield number
        number, at, count = number + 1, found + 1, count + 1


def _chosen(starts: Sequence[int], length: int, near: int | None, within: range | None) -> int:
    if len(starts) == 1:
        return starts[0]
    if near is not None:
        return min(starts, key=lambda start: abs(start - near))
    inside = [start for start in starts if within is not None and start < within.stop and start + length > within.start]
    if len(inside) == 1:
        return inside[0]
    raise NotUnderstood(f"its lines are in the file {len(starts)} times: give some more of those around them")


def _found(lines: Sequence[str], wanted: Sequence[str], start: int, is_shifted: bool) -> Located:  # noqa: FBT001
    stop = start + len(wanted)
    if not is_shifted:
        return Located(start=start, stop=stop)
    first = next(number for number, line in enumerate(wanted) if line.strip())
    return Located(start=start, stop=stop, out=indentation(wanted[first]), into=indentation(lines[start + first]))


def _missing(lines: Sequence[str], wanted: Sequence[str]) -> str:
    """Which line it fails at, with what the file has in its place."""
    have = {line.strip() for line in lines}
    first = next((line.strip() for line in wanted if line.strip() and line.strip() not in have), None)
    if first is None:
        return "its lines are all in the file, but not one after the other: copy them as they stand there"
    near = difflib.get_close_matches(_cut(first), _cuts(lines, str.strip), n=1, cutoff=0.5)
    meant = f"; the file has `{near[0]}`" if near else ""
    return f"the file has no line `{_cut(first)}`{meant}: copy the lines as they stand there"


def _cuts(lines: Iterable[str], key: Callable[[str], str]) -> list[str]:
    return [_cut(key(line)) for line in list(lines)[:_MOST_COMPARED] if line.strip()]


def _cut(line: str) -> str:
    return line[:_LONGEST_COMPARED]
