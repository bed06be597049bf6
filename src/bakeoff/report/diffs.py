"""Diffs and programs as HTML, with highlighting: what is code, what was added, and what changed within a line."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import groupby
from typing import TYPE_CHECKING, Any

from pygments.lexers import get_lexer_for_filename
from pygments.token import Token
from pygments.util import ClassNotFound

from bakeoff.report.foreign import cut
from bakeoff.report.markup import Html, element, join

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Room", "diff_html", "lines_html", "program_html"]

_HUNK = re.compile(r"@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@ ?(.*)", re.DOTALL)
_QUOTED = re.compile(r"\\([0-3][0-7]{2})|\\(.)")
_CLASSES = (
    (Token.Comment, "c"),
    (Token.Literal.String, "s"),
    (Token.Literal.Number, "n"),
    (Token.Keyword, "k"),
    (Token.Operator.Word, "k"),
    (Token.Name.Function, "f"),
    (Token.Name.Class, "f"),
    (Token.Name.Decorator, "f"),
    (Token.Name.Builtin, "b"),
)
_MOST_IN_LINE = 1000
_LEAST_ALIKE = 0.4

_Pieces = list[tuple[str, str]]  # the class of a token, and its text


@dataclass(slots=True)
class Room:
    """How much more of what others wrote has room in a page: browsers do not like hundreds of megabytes."""

    left: int

    def take(self, text: str, *, lines: int, characters: int) -> tuple[str, Html | None]:
        """The beginning of a text, and a note where it is not all of it."""
        kept, out = cut(text, lines=lines, characters=min(characters, self.left))
        self.left -= len(kept)
        note = f"Cut here: {out:,} of {len(text):,} characters are left out." if out else None
        return kept, element("p", note, class_="cut") if note else None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Line:
    """A line of a hunk: `+`, `-` or a blank, where it stands, its text, and from where to where it was changed."""

    sign: str
    number: int
    text: str
    changed: tuple[int, int] = (0, 0)


@dataclass(slots=True, kw_only=True)
class _Hunk:
    heading: str
    lines: list[_Line] = field(default_factory=list)


@dataclass(slots=True, kw_only=True)
class _File:
    path: str
    notes: list[str] = field(default_factory=list)
    hunks: list[_Hunk] = field(default_factory=list)


def diff_html(diff: str, *, label: str) -> Html:
    """A diff in git's format. What is not in that format is shown as it is."""
    files = list(_files(diff))
    if not files:
        return element("pre", diff, class_="plain", tabindex="0", role="region", aria_label=label)
    return element("div", *(_file(one, label) for one in files), class_="diff")


def program_html(code: str, *, label: str, path: str = "example.py") -> Html:
    """A program, in the language that the path's ending says."""
    inner = Html("\n".join(lines_html(code.rstrip("\n").split("\n"), path)))
    return element("pre", element("code", inner), class_="plain", tabindex="0", role="region", aria_label=label)


def lines_html(lines: list[str], path: str) -> list[Html]:
    """Lines of one program, in the language that the path's ending says."""
    return [join(map(_piece, pieces)) for pieces in _highlighted(lines, path)]


# ── Reading ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def _files(diff: str) -> Iterator[_File]:
    """Lines end at newlines only: everything else that Python calls an end of line may stand in a line of code."""
    for part in re.split(r"^(?=diff --git )", diff, flags=re.MULTILINE):
        if part.startswith("diff --git "):
            yield _read(part.removesuffix("\n").split("\n"))


def _read(lines: list[str]) -> _File:
    found = _File(path=_path(lines))
    old = new = 0
    for line in lines[1:]:
        heading = _HUNK.fullmatch(line)
        if heading is not None:
            old, new = int(heading[1]), int(heading[2])
            found.hunks.append(_Hunk(heading=line))
        elif not found.hunks:
            found.notes += _notes(line)
        elif line.startswith("\\"):
            found.hunks[-1].lines.append(_Line(sign="\\", number=0, text=line[2:]))
        else:
            sign = line[:1] if line[:1] in ("+", "-") else " "
            found.hunks[-1].lines.append(_Line(sign=sign, number=old if sign == "-" else new, text=line[1:]))
            old, new = old + (sign != "+"), new + (sign != "-")
    return found


def _path(lines: list[str]) -> str:
    """The file's name after the change, as git writes it; before, where it is gone."""
    named = {line[:4]: line[4:].rstrip("\t\r") for line in lines[1:8] if line.startswith(("--- ", "+++ "))}
    for side in ("+++ ", "--- "):
        name = named.get(side, "/dev/null")
        if name != "/dev/null":
            return _unquoted(name)[2:]
    return _unquoted(lines[0].removeprefix("diff --git ").rpartition(" ")[2]).removeprefix("b/")


def _unquoted(name: str) -> str:
    """A name as it is, where git wrote the bytes of its letters."""
    if not (name.startswith('"') and name.endswith('"')):
        return name
    raw = _QUOTED.sub(lambda found: chr(int(found[1], 8)) if found[1] else found[2], name[1:-1])
    try:
        return raw.encode("latin-1").decode("utf-8", "surrogateescape")
    except UnicodeEncodeError:  # not a name that git wrote
        return name


def _notes(line: str) -> list[str]:
    if line.startswith("GIT binary patch"):
        return ["a binary file"]
    telling = ("new file", "deleted file", "old mode", "new mode", "rename ", "copy ", "Binary files")
    return [line] if line.startswith(telling) else []


# ── What changed within lines ────────────────────────────────────────────────────────────────────────────────────────


def _compared(lines: list[_Line]) -> list[_Line]:
    """Where as many lines were added as removed, each pair is compared."""
    blocks = [(sign, list(block)) for sign, block in groupby(lines, key=lambda line: line.sign)]
    result: list[_Line] = []
    for number, (sign, block) in enumerate(blocks):
        before = blocks[number - 1] if number else ("", [])
        if sign == "+" and before[0] == "-" and len(before[1]) == len(block):
            pairs = [_pair(old, new) for old, new in zip(before[1], block, strict=True)]
            result[-len(block) :] = [old for old, _ in pairs]
            result += [new for _, new in pairs]
        else:
            result += block
    return result


def _pair(old: _Line, new: _Line) -> tuple[_Line, _Line]:
    one, other = old.text, new.text
    shortest = min(len(one), len(other))
    start = next((at for at in range(shortest) if one[at] != other[at]), shortest)
    end = next((at for at in range(shortest - start) if one[-1 - at] != other[-1 - at]), shortest - start)
    if len(one[:start].strip()) + end < _LEAST_ALIKE * max(len(one.strip()), len(other.strip())):
        return old, new
    return replace(old, changed=(start, len(one) - end)), replace(new, changed=(start, len(other) - end))


def _marked(pieces: _Pieces, changed: tuple[int, int]) -> Iterator[tuple[str, str, bool]]:
    """Pieces cut where the change begins and ends."""
    at = 0
    for kind, text in pieces:
        inner = [min(max(edge - at, 0), len(text)) for edge in changed]
        cuts = [0, *inner, len(text)]
        for number in range(3):
            if cuts[number] < cuts[number + 1]:
                yield kind, text[cuts[number] : cuts[number + 1]], number == 1
        at += len(text)


# ── Highlighting ─────────────────────────────────────────────────────────────────────────────────────────────────────


def _highlighted(lines: list[str], path: str) -> list[_Pieces]:
    """Each line in pieces. Very long lines are data, and cost a lexer its time."""
    if any(len(line) > _MOST_IN_LINE for line in lines):
        return [[("", line)] for line in lines]
    try:
        lexer = get_lexer_for_filename(path.rpartition("/")[2])
    except ClassNotFound:
        return [[("", line)] for line in lines]
    result: list[_Pieces] = [[]]
    for _, token, text in lexer.get_tokens_unprocessed("\n".join(lines)):
        for number, part in enumerate(text.split("\n")):
            if number:
                result.append([])
            if part:
                result[-1].append((_class(token), part))
    return result


@lru_cache(maxsize=256)
def _class(token: Any) -> str:  # noqa: ANN401 (pygments tells kinds apart by `in`)
    return next((name for kind, name in _CLASSES if token in kind), "")


def _sides(lines: list[_Line], path: str) -> list[_Pieces]:
    """The lines of a hunk in pieces: those that were removed as a part of the old file, the others of the new one."""
    result: list[_Pieces] = [[] for _ in lines]
    for gone in (True, False):
        side = [number for number, line in enumerate(lines) if line.sign != ("+" if gone else "-")]
        pieces = _highlighted([lines[number].text for number in side], path) if side else []
        for number, found in zip(side, pieces, strict=True):
            result[number] = found
    return result


# ── Writing ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def _file(one: _File, label: str) -> Html:
    heading = element("p", element("span", one.path, class_="path"), *(f" · {note}" for note in one.notes))
    hunks = [_hunk(hunk, one.path) for hunk in one.hunks]
    name = f"{label}: {one.path}"
    code = element("pre", *hunks, tabindex="0", role="region", aria_label=name) if hunks else None
    return element("div", heading, code, class_="file")


def _hunk(hunk: _Hunk, path: str) -> Html:
    lines = hunk.lines
    if lines and all(line.text.endswith("\r") for line in lines if line.sign != "\\"):
        lines = [replace(line, text=line.text.removesuffix("\r")) for line in lines]  # a file with Windows' ends
    lines = _compared(lines)
    written = (_line(line, pieces) for line, pieces in zip(lines, _sides(lines, path), strict=True))
    return join([element("span", f"{hunk.heading}\n", class_="at"), *written])


def _line(line: _Line, pieces: _Pieces) -> Html:
    if line.sign == "\\":
        return element("span", f"{line.text}\n", class_="at")
    start, end = line.changed
    inner = [
        _piece((kind, text), marked=marked and end > start) for kind, text, marked in _marked(pieces, line.changed)
    ]
    tag = {"+": "ins", "-": "del"}.get(line.sign, "span")
    sign = element("span", line.sign, class_="sign")
    return element(tag, sign, *inner, "\n", class_="line", data_n=line.number)


def _piece(piece: tuple[str, str], *, marked: bool = False) -> Html:
    kind, text = piece
    inner = element("span", text, class_=kind) if kind else join([text])
    return element("mark", inner) if marked else inner
