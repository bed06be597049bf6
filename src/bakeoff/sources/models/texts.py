"""A file as lines that can be replaced, so that all others keep what they are: line ends, byte order mark, encoding."""

from __future__ import annotations

import ast
import io
import tokenize
import warnings
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["NotUnderstood", "Text", "parsed", "plain"]

_BOM = "\ufeff"


class NotUnderstood(Exception):
    """An answer of which no change can be made; the message says why, for whoever wrote it to act on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Text:
    """Lines without their ends, and the end of each; only the last may have none."""

    lines: tuple[str, ...] = ()
    ends: tuple[str, ...] = ()
    newline: str = "\n"
    encoding: str = "utf-8"

    @classmethod
    def of(cls, path: str, content: bytes) -> Text:
        """Raises NotUnderstood for what is no text."""
        try:
            encoding = tokenize.detect_encoding(io.BytesIO(content).readline)[0] if path.endswith(".py") else "utf-8"
            text = content.decode(encoding)
        except (SyntaxError, LookupError, UnicodeDecodeError) as error:
            raise NotUnderstood(f"{path} cannot be edited, it is no text: {error}") from None
        lines, ends = _split(text)
        newline = "\r\n" if ends.count("\r\n") * 2 > len(ends) else "\n"
        return cls(lines=lines, ends=ends, newline=newline, encoding=encoding)

    @property
    def content(self) -> bytes:
        """Raises NotUnderstood where the file's encoding has no place for what was put in."""
        text = "".join(line + end for line, end in zip(self.lines, self.ends, strict=True))
        try:
            return text.encode(self.encoding)
        except UnicodeEncodeError as error:
            raise NotUnderstood(f"it holds {error.object[error.start]!r}, which {self.encoding} cannot hold") from None

    @property
    def source(self) -> str:
        """All of it, each line with the one end that Python counts by."""
        return "\n".join((*self.lines, ""))

    def with_lines(self, start: int, stop: int, lines: Sequence[str]) -> Text:
        """With these in the place of others, the first of which has number 0."""
        before, after = self.ends[:start], self.ends[stop:]
        if lines and before and not before[-1]:
            before = (*before[:-1], self.newline)
        ends = [self.newline] * len(lines)
        # The file goes on ending as it did.
        if lines and not after and stop > start and self.ends[stop - 1 : stop] == ("",):
            ends[-1] = ""
        return replace(self, lines=(*self.lines[:start], *lines, *self.lines[stop:]), ends=(*before, *ends, *after))

    def rewritten(self, lines: Sequence[str]) -> Text:
        """With nothing of what it was but its line ends and its encoding."""
        return replace(self, lines=tuple(lines), ends=(self.newline,) * len(lines))


def _split(text: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    *whole, last = text.split("\n")
    lines = tuple(line.removesuffix("\r") for line in whole)
    ends = tuple("\r\n" if line.endswith("\r") else "\n" for line in whole)
    return ((*lines, last), (*ends, "")) if last else (lines, ends)


def plain(text: str) -> str:
    """With one kind of line end, and without a byte order mark."""
    return text.removeprefix(_BOM).replace("\r\n", "\n").replace("\r", "\n")


def parsed(source: str, *, what: str = "it") -> ast.Module:
    """Its tree; raises NotUnderstood for what is no Python."""
    if "\r" in source:
        raise NotUnderstood(f"{what} has carriage returns inside of lines")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return ast.parse(source)
        except SyntaxError as error:
            where = f"line {error.lineno}: " if error.lineno else ""
            raise NotUnderstood(f"{what} does not parse as Python: {where}{error.msg}") from None
        except (ValueError, RecursionError, MemoryError) as error:
            raise NotUnderstood(f"{what} does not parse as Python: {str(error) or 'it is nested too deeply'}") from None
