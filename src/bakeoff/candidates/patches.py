"""Patches as text: reading unified diffs, fitting their hunks to a content, and writing them.

Everything is bytes, and a line ends at `\\n` and nowhere else: a form feed, a lone `\\r` or U+0085 is content.
Nothing is guessed. A hunk fits where its header says; failing that, at the only other place where every
one of its lines fits; otherwise not at all. What is written here is what `git apply` takes without fuzz.

The library `unidiff` was tried and refused. It does not undo git's quoting of paths, cannot read a path with
a blank that git does not quote (`q b/q b`), takes `a/` for a prefix under `--no-prefix`, takes a file that was
emptied for a removed one, and works on decoded text.
"""

from __future__ import annotations

import base64
import binascii
import itertools
import re
import zlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NoReturn

from bakeoff.candidates.files import File, Mode
from bakeoff.errors import DoesNotApply, PathRefused

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_CONTEXT = 3
_DIFF_BUDGET = 1_000_000
_LARGEST_LITERAL = 256 * 1024 * 1024
_NO_FILE = "0" * 40
_ENDINGS = "the line endings of the patch were changed on the way, perhaps by mail or an editor; get it again as a file"


@dataclass(frozen=True, slots=True, kw_only=True)
class Hunk:
    """One block of lines to find and what to put there. `start` is the first old line, as the header says."""

    start: int
    old: bytes
    new: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class FilePatch:
    """What a patch says of one file. `old` or `new` is None where it says that there is no such file.

    In a `plain` patch the names are as written; whether they carry a prefix is for the reader to find out.
    """

    old: str | None
    new: str | None
    plain: bool = False
    copied: bool = False
    old_mode: Mode | None = None
    new_mode: Mode | None = None
    is_link: bool = False
    hunks: tuple[Hunk, ...] = ()
    literal: bytes | None = None
    blobs: tuple[str, str] | None = None


def split_lines(content: bytes) -> list[bytes]:
    """The lines with their ends; only the last may have none."""
    lines = content.split(b"\n")
    last = lines.pop()
    return [line + b"\n" for line in lines] + ([last] if last else [])


# Reading


def parse(data: bytes) -> list[FilePatch]:
    """Read every diff in a text that may hold other things too: mail headers, a diffstat, a signature.

    Raises DoesNotApply for what is no diff, is cut short, or holds more or fewer lines than it says.
    """
    patches = list(_Parser(data).patches())
    if not patches:
        raise DoesNotApply("there is no diff in it", hint="a unified diff is needed, as `git diff` writes it")
    return patches


_HUNK = re.compile(rb"@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@")
_FIELD = re.compile(
    rb"(old mode|new mode|deleted file mode|new file mode|copy from|copy to|rename from|rename to"
    rb"|similarity index|dissimilarity index|index) (.*)\n"
)
_INDEX = re.compile(rb"([0-9a-f]+)\.\.([0-9a-f]+)(?: ([0-7]+))?")
_QUOTED = re.compile(rb'"((?:[^"\\]|\\.)*)"')
_ESCAPE = re.compile(rb"\\([0-7]{3}|.)", re.DOTALL)
_ESCAPED = {b"a": b"\a", b"b": b"\b", b"t": b"\t", b"n": b"\n", b"v": b"\v", b"f": b"\f", b"r": b"\r"}
_SAY_NOTHING = {b"index", b"similarity index", b"dissimilarity index"}
_NEVER = (b"1970-01-01", b"1969-12-31")


class _Parser:
    """A walk over the lines, with one place in it."""

    def __init__(self, data: bytes) -> None:
        # A last line that was cut off its newline still is a line; only the marker says that there is none.
        self._lines = split_lines(data if data.endswith(b"\n") else data + b"\n")
        self._at = 0

    def patches(self) -> Iterator[FilePatch]:
        while self._at < len(self._lines):
            line = self._lines[self._at]
            if line.startswith(b"diff --git "):
                yield self._git_patch()
            elif self._at_names():
                yield self._plain_patch()
            else:
                self._refuse_what_is_cut_off(line)
                self._at += 1

    def _refuse_what_is_cut_off(self, line: bytes) -> None:
        if line.startswith((b"diff --cc ", b"diff --combined ")):
            self._fail("it is the combined diff of a merge", hint="make it against one parent: git diff parent merge")
        if line.startswith(b"@@ "):
            self._fail("a hunk has no file above it", hint="each file needs its '---' and '+++' lines")
        if line.startswith(b"Binary files ") and line.endswith(b" differ\n"):
            self._fail_for_binary()

    def _peek(self, ahead: int = 0) -> bytes:
        at = self._at + ahead
        return self._lines[at] if at < len(self._lines) else b""

    def _next(self) -> bytes:
        line = self._peek()
        self._at += 1
        return line

    def _fail(self, why: str, *, path: str | None = None, line: int | None = None, hint: str | None = None) -> NoReturn:
        raise DoesNotApply(f"{why} (line {self._at + 1} of the patch)", path=path, line=line, hint=hint)

    def _fail_for_binary(self, path: str | None = None) -> NoReturn:
        self._fail("it says that a binary file differs, but not how", path=path, hint="give the file in full")

    # Headers

    def _at_names(self) -> bool:
        return (
            self._peek().startswith(b"--- ") and self._peek(1).startswith(b"+++ ") and self._peek(2).startswith(b"@@ ")
        )

    def _plain_patch(self) -> FilePatch:
        old, new = self._names()
        if old is None and new is None:
            self._fail("both sides of a diff are /dev/null")
        hunks = self._hunks(new or old or "")
        return FilePatch(old=old, new=new, plain=True, hunks=hunks)

    def _names(self) -> tuple[str | None, str | None]:
        old, new = self._peek()[4:], self._peek(1)[4:]
        if old.endswith(b"\r\n") and new.endswith(b"\r\n"):
            self._fail("its header lines end in CR LF", hint=_ENDINGS)
        self._at += 2
        return _name(old[:-1]), _name(new[:-1])

    def _git_patch(self) -> FilePatch:
        head = self._next()[len(b"diff --git ") : -1]
        if head.endswith(b"\r"):
            self._fail("its header lines end in CR LF", hint=_ENDINGS)
        fields = self._fields()
        names = self._agreed(_names_of_fields(fields) or _names_of_head(head))
        path = names[1] or names[0] or ""
        literal = self._literal(path)
        hunks = self._hunks(path) if literal is None else ()
        if fields.keys() <= _SAY_NOTHING and not hunks and literal is None:
            self._fail("a 'diff --git' line has nothing below it", path=path)
        return _of_git(names=names, fields=fields, hunks=hunks, literal=literal)

    def _fields(self) -> dict[bytes, bytes]:
        fields: dict[bytes, bytes] = {}
        while match := _FIELD.fullmatch(self._peek()):
            if match[1] in fields:
                self._fail(f"{match[1].decode()!r} is said twice of one file")
            fields[match[1]] = match[2]
            self._at += 1
        return fields

    def _agreed(self, said: tuple[str, str] | None) -> tuple[str | None, str | None]:
        """The names said above, and what `---` and `+++` add: that one side is /dev/null. They may not contradict."""
        if not self._at_names():
            if said is None:
                self._fail("the names in a 'diff --git' line cannot be told apart")
            if self._peek().startswith(b"--- "):
                self._fail("a file has a '---' line and no hunks", path=said[1])
            return said
        written = self._names()
        if said is None:
            old, new = _without_prefix(*written)
            if (old or new) != (new or old):
                self._fail(f"it is for {old!r} and for {new!r}, and does not say that it is a rename", path=new)
            return old, new
        for name, meant in zip(written, said, strict=True):
            if name is not None and name != meant and not name.endswith(f"/{meant}"):
                self._fail(f"its header names both {meant!r} and {name!r}", path=meant)
        return (said[0] if written[0] is not None else None), (said[1] if written[1] is not None else None)

    # Hunks

    def _hunks(self, path: str) -> tuple[Hunk, ...]:
        hunks = []
        while match := _HUNK.match(self._peek()):
            self._at += 1
            start, old_count, _, new_count = (1 if group is None else int(group) for group in match.groups())
            hunks.append(self._hunk(path, start, old_count, new_count))
        if self._peek().startswith(b"@@ "):
            self._fail("the header of a hunk cannot be read", path=path, hint="it must be like: @@ -12,7 +12,9 @@")
        if hunks:
            self._refuse_left_over(path, hunks[-1].start)
        return tuple(hunks)

    def _hunk(self, path: str, start: int, old_count: int, new_count: int) -> Hunk:
        old = _Side(count=old_count)
        new = _Side(count=new_count)
        while not (old.is_full and new.is_full):
            line = self._peek()
            sides = _sides(line, old, new)
            if not sides or any(side.is_full or side.is_ended for side in sides):
                self._fail("a hunk does not hold the lines that its header counts", path=path, line=start)
            for side in sides:
                side.lines.append(line[1:] or b"\n")
            self._at += 1
            self._take_marker(sides, path, start)
        return Hunk(start=start, old=b"".join(old.lines), new=b"".join(new.lines))

    def _take_marker(self, sides: Sequence[_Side], path: str, start: int) -> None:
        """`\\ No newline at end of file`, in whatever language, takes the newline off the line above it."""
        if not self._peek().startswith(b"\\ "):
            return
        for side in sides:
            side.end()
        self._at += 1
        if self._peek().startswith(b"\\ "):
            self._fail("it says twice that there is no newline", path=path, line=start)

    def _refuse_left_over(self, path: str, start: int) -> None:
        """Lines after the last hunk that look like its lines: its header counts too few."""
        ahead = 0
        while self._peek(ahead) == b"\n":
            ahead += 1
        line = self._peek(ahead)
        if line.startswith((b"+", b"-", b" ", b"\\ ", b"@@ ")) and not self._is_end(ahead):
            self._at += ahead
            self._fail("a hunk holds more lines than its header counts", path=path, line=start)

    def _is_end(self, ahead: int) -> bool:
        line = self._peek(ahead)
        is_signature = line in {b"-- \n", b"--\n"}
        return is_signature or (line.startswith(b"--- ") and self._peek(ahead + 1).startswith(b"+++ "))

    # Binary

    def _literal(self, path: str) -> bytes | None:
        """The new content in full, as `git diff --binary` writes it for what is no text."""
        line = self._peek()
        if line.startswith(b"Binary files ") and line.endswith(b" differ\n"):
            self._fail_for_binary(path)
        if line != b"GIT binary patch\n":
            return None
        self._at += 1
        content = self._literal_block(path)
        if content is None:
            self._fail("it holds a binary delta, which is not read here", path=path, hint="give the file in full")
        if self._peek().startswith((b"literal ", b"delta ")):
            self._skip_reverse()
        return content

    def _literal_block(self, path: str) -> bytes | None:
        match = re.fullmatch(rb"(literal|delta) (\d{1,12})\n", self._next())
        if match is None:
            self._fail("a binary patch has no size", path=path)
        if match[1] == b"delta":
            return None
        size = int(match[2])
        if size > _LARGEST_LITERAL:
            self._fail("a binary file in it is too large", path=path)
        packed = bytearray()
        while (line := self._next()) != b"\n":
            chunk = _unpacked(line)
            if chunk is None:
                self._fail("a binary patch is damaged", path=path)
            packed += chunk
        content = _inflated(bytes(packed), size)
        if content is None:
            self._fail("a binary patch does not hold what it says", path=path)
        return content

    def _skip_reverse(self) -> None:
        """The old content, which git writes so that a patch can be taken back."""
        while self._next() not in {b"\n", b""}:
            pass


@dataclass(slots=True, kw_only=True)
class _Side:
    count: int
    lines: list[bytes] = field(default_factory=list)
    is_ended: bool = False

    @property
    def is_full(self) -> bool:
        return len(self.lines) >= self.count

    def end(self) -> None:
        self.lines[-1] = self.lines[-1].removesuffix(b"\n")
        self.is_ended = True


def _sides(line: bytes, old: _Side, new: _Side) -> tuple[_Side, ...]:
    match line[:1]:
        case b" " | b"\n":  # some editors take the blank off an empty line of context
            return old, new
        case b"-":
            return (old,)
        case b"+":
            return (new,)
    return ()


def _name(text: bytes) -> str | None:
    """A path as `---` and `+++` give it, perhaps quoted, perhaps with a time; None where it says: no file."""
    match = _QUOTED.match(text)
    path, _, time = (_unquoted(match[1]), b"", text[match.end() + 1 :]) if match else text.partition(b"\t")
    if path == b"/dev/null" or time.startswith(_NEVER):
        return None
    return _decoded(path)


def _unquoted(text: bytes) -> bytes:
    def meant(match: re.Match[bytes]) -> bytes:
        code = match[1]
        return bytes([int(code, 8) & 0xFF]) if len(code) == 3 else _ESCAPED.get(code, code)

    return _ESCAPE.sub(meant, text)


def _decoded(path: bytes) -> str:
    try:
        return path.decode()
    except UnicodeDecodeError:
        raise PathRefused(path.decode(errors="backslashreplace"), "it is not UTF-8") from None


def _names_of_fields(fields: dict[bytes, bytes]) -> tuple[str, str] | None:
    """The names of a rename or a copy, which stand there without a prefix."""
    for verb in (b"rename", b"copy"):
        old, new = fields.get(verb + b" from"), fields.get(verb + b" to")
        if old is not None and new is not None:
            return _whole_name(old), _whole_name(new)
        if old is not None or new is not None:
            raise DoesNotApply(f"a {verb.decode()} names only one of its two paths")
    return None


def _whole_name(text: bytes) -> str:
    match = _QUOTED.fullmatch(text)
    return _decoded(_unquoted(match[1]) if match else text)


def _names_of_head(head: bytes) -> tuple[str, str] | None:
    """The two names of `diff --git a/x b/x`, which are the same but for a prefix; so the line splits in the middle."""
    middle = len(head) // 2
    match = _QUOTED.match(head)
    if match is not None:
        old, new = head[: match.end()], head[match.end() + 1 :]
    elif head[middle : middle + 1] == b" ":
        old, new = head[:middle], head[middle + 1 :]
    else:
        return None
    names = _without_prefix(_whole_name(old), _whole_name(new))
    return (names[0], names[1]) if names[0] and names[0] == names[1] else None


def _without_prefix(old: str | None, new: str | None) -> tuple[str | None, str | None]:
    """Without `a/` and `b/`, where the two names differ by just that; with one name alone, as git would take it."""
    if old is None or new is None:
        return old and old.removeprefix("a/"), new and new.removeprefix("b/")
    old_rest, new_rest = old.partition("/")[2], new.partition("/")[2]
    return (old_rest, new_rest) if old != new and old_rest and old_rest == new_rest else (old, new)


def names_without_prefix(patch: FilePatch) -> tuple[str | None, str | None]:
    """The names of a plain patch as git would take them. They may still differ."""
    return _without_prefix(patch.old, patch.new)


def _of_git(
    *,
    names: tuple[str | None, str | None],
    fields: dict[bytes, bytes],
    hunks: tuple[Hunk, ...],
    literal: bytes | None,
) -> FilePatch:
    old, new = names
    path = new or old or ""
    added, deleted = fields.get(b"new file mode"), fields.get(b"deleted file mode")
    kinds = [added, deleted, fields.get(b"rename from"), fields.get(b"copy from")]
    if len([kind for kind in kinds if kind is not None]) > 1:
        raise DoesNotApply("its header says several things of one file that exclude each other", path=path)
    index = _INDEX.fullmatch(fields.get(b"index", b""))
    unchanged = index[3] if index else None
    old_mode = _mode(fields.get(b"old mode", deleted), path)
    new_mode = _mode(fields.get(b"new mode", added), path)
    return FilePatch(
        old=None if added is not None else old,
        new=None if deleted is not None else new,
        copied=b"copy from" in fields,
        old_mode=None if deleted is not None else old_mode,
        new_mode=new_mode,
        is_link=Mode.LINK in {old_mode, _mode(unchanged, path)},
        hunks=hunks,
        literal=literal,
        blobs=(index[1].decode(), index[2].decode()) if index else None,
    )


def _mode(text: bytes | None, path: str) -> Mode | None:
    if text is None:
        return None
    if text == b"160000":
        raise PathRefused(path, "it is a submodule")
    if text == b"120000":
        return Mode.LINK
    if not re.fullmatch(rb"100[0-7]{3}", text):
        raise DoesNotApply(f"{text.decode(errors='replace')!r} is not a mode that a file can have", path=path)
    return Mode.EXECUTABLE if int(text, 8) & 0o100 else Mode.FILE


# Fitting hunks to a content


def applied(content: bytes, hunks: Sequence[Hunk], *, path: str) -> bytes:
    """The content with every hunk in its place; raises DoesNotApply for the first that has none.

    Once a hunk was found elsewhere than its header says, the numbers of the rest mean nothing any more:
    from there on a hunk fits only where it fits exactly once.
    """
    place = _Places(content, path)
    pieces, done, numbers_hold = [], 0, True
    for hunk in hunks:
        stated = place.stated(hunk, done) if numbers_hold else None
        at = place.only_other(hunk, done) if stated is None else stated
        numbers_hold = stated is not None
        pieces += [content[done:at], hunk.new]
        done = at + len(hunk.old)
    return b"".join([*pieces, content[done:]])


class _Places:
    """Where in a content a hunk fits; offsets are in bytes."""

    def __init__(self, content: bytes, path: str) -> None:
        self._content = content
        self._path = path
        self._starts = [0, *itertools.accumulate(len(line) for line in split_lines(content))]
        self._padded = b"\n" + content

    def stated(self, hunk: Hunk, done: int) -> int | None:
        """The place that the header names, if the hunk fits there. One without old lines goes below that line."""
        index = hunk.start - bool(hunk.old)
        if not 0 <= index < len(self._starts):
            return None
        at = self._starts[index]
        return at if at >= done and self._fits(hunk, at) else None

    def only_other(self, hunk: Hunk, done: int) -> int:
        places = list(itertools.islice(self._all(hunk, done), 2))
        if len(places) == 1:
            return places[0]
        if places:
            raise DoesNotApply(
                "a hunk does not fit at its line, and elsewhere it fits in more than one place",
                path=self._path,
                line=hunk.start,
                hint="give the hunk more lines of context, or the right line number",
            )
        raise self._nowhere(hunk)

    def _all(self, hunk: Hunk, done: int) -> Iterator[int]:
        if not hunk.old:
            return
        if not (_is_whole(hunk.old) and _is_whole(hunk.new)):
            at = len(self._content) - len(hunk.old)
            if at >= done and self._fits(hunk, at):
                yield at
            return
        # A newline before it makes every find the start of a line, and each search linear.
        wanted = b"\n" + hunk.old
        at = self._padded.find(wanted, done)
        while at >= 0:
            yield at
            at = self._padded.find(wanted, at + 1)

    def _fits(self, hunk: Hunk, at: int) -> bool:
        ends_content = at + len(hunk.old) == len(self._content)
        return (
            self._padded[at : at + 1] == b"\n"
            and self._content.startswith(hunk.old, at)
            and (ends_content or (_is_whole(hunk.old) and _is_whole(hunk.new)))
        )

    def _nowhere(self, hunk: Hunk) -> DoesNotApply:
        if hunk.old not in self._content and _without_returns(hunk.old) in _without_returns(self._content):
            return DoesNotApply(
                "a hunk fits but for its line endings",
                path=self._path,
                line=hunk.start,
                hint=f"the file or the patch has CR LF and the other has not; {_ENDINGS}",
            )
        return DoesNotApply(
            self._difference(hunk),
            path=self._path,
            line=hunk.start,
            hint="the patch was made for another version of the file",
        )

    def _difference(self, hunk: Hunk) -> str:
        first = max(hunk.start - 1, 0)
        expected = split_lines(hunk.old)
        found = split_lines(self._content)[first : first + len(expected)]
        for number, (left, right) in enumerate(itertools.zip_longest(expected, found), first + 1):
            if left != right:
                return f"line {number} should be {_shown(left)} and is {_shown(right)}"
        return "a hunk overlaps the one before it, or ends a file that goes on"


def _is_whole(block: bytes) -> bool:
    return not block or block.endswith(b"\n")


def _without_returns(content: bytes) -> bytes:
    return content.replace(b"\r\n", b"\n")


def _shown(line: bytes | None) -> str:
    if line is None:
        return "the end of the file"
    text = line.decode(errors="backslashreplace")
    return repr(text if len(text) <= 60 else text[:57] + "...")


# Writing


def render(path: str, before: File | None, after: File | None) -> bytes:
    """The part of a patch that turns `before` into `after`, in git's format."""
    if before and after and (before.mode is Mode.LINK) != (after.mode is Mode.LINK):
        return render(path, before, None) + render(path, None, after)
    head = [b"diff --git %s %s" % (_quoted("a/" + path), _quoted("b/" + path))]
    old, new = (file.content if file else b"" for file in (before, after))
    head += _mode_lines(before, after)
    if old == new and before and after:
        return b"\n".join(head) + b"\n"
    head.append(_index_line(before, after))
    if b"\0" in old or b"\0" in new:
        return b"\n".join([*head, b"GIT binary patch\n"]) + _packed(new) + _packed(old)
    if old == new:
        return b"\n".join(head) + b"\n"
    head.append(b"--- " + (_quoted("a/" + path) if before else b"/dev/null"))
    head.append(b"+++ " + (_quoted("b/" + path) if after else b"/dev/null"))
    return b"\n".join(head) + b"\n" + b"".join(_rendered_hunks(split_lines(old), split_lines(new)))


def _mode_lines(before: File | None, after: File | None) -> list[bytes]:
    if before is None:
        return [b"new file mode %s" % after.mode.encode()] if after else []
    if after is None:
        return [b"deleted file mode %s" % before.mode.encode()]
    if before.mode is after.mode:
        return []
    return [b"old mode %s" % before.mode.encode(), b"new mode %s" % after.mode.encode()]


def _index_line(before: File | None, after: File | None) -> bytes:
    old, new = (file.version.blob if file else _NO_FILE for file in (before, after))
    mode = f" {after.mode}" if before and after and before.mode is after.mode else ""
    return f"index {old}..{new}{mode}".encode()


def _quoted(path: str) -> bytes:
    """As git quotes by default, and blanks too: git does not quote those, and then cannot read `a/x /y b/x /y`.

    Control characters and backslashes are in no path that a change may name.
    """
    raw = path.encode()
    if raw.isascii() and not {ord('"'), ord(" ")} & set(raw):
        return raw
    return b'"%s"' % b"".join(_escaped(byte) for byte in raw)


def _escaped(byte: int) -> bytes:
    if byte >= 0x80:
        return b"\\%03o" % byte
    return b'\\"' if byte == ord('"') else bytes([byte])


def _packed(content: bytes) -> bytes:
    """git's binary literal: lines of 52 packed bytes in base 85, each with its length as a letter."""
    packed = zlib.compress(content, 9)
    lines = [b"literal %d" % len(content)]
    for start in range(0, len(packed), 52):
        chunk = packed[start : start + 52]
        length = len(chunk) + (ord("A") - 1 if len(chunk) <= 26 else ord("a") - 27)
        lines.append(bytes([length]) + base64.b85encode(chunk, pad=True))
    return b"\n".join(lines) + b"\n\n"


def _unpacked(line: bytes) -> bytes | None:
    """One line of a literal; None where it is damaged."""
    letter = line[:1]
    if not letter.isalpha() or not letter.isascii():
        return None
    length = ord(letter) - (ord("A") - 1 if letter.isupper() else ord("a") - 27)
    try:
        chunk = base64.b85decode(line[1:-1])
    except (ValueError, binascii.Error):
        return None
    return chunk[:length] if len(chunk) == -(-length // 4) * 4 else None


def _inflated(packed: bytes, size: int) -> bytes | None:
    """What is packed, if it is exactly of that size; nothing larger is ever held in memory."""
    inflater = zlib.decompressobj()
    try:
        content = inflater.decompress(packed, size + 1)
    except zlib.error:
        return None
    return content if len(content) == size and inflater.eof else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """Old lines [old, old_end) become new lines [new, new_end)."""

    old: int
    old_end: int
    new: int
    new_end: int


def _rendered_hunks(old: list[bytes], new: list[bytes]) -> Iterator[bytes]:
    for group in _grouped(blocks_between(old, new)):
        first, last = group[0], group[-1]
        lead = min(_CONTEXT, first.old)
        old_from, new_from = first.old - lead, first.new - lead
        tail = min(_CONTEXT, len(old) - last.old_end)
        old_to, new_to = last.old_end + tail, last.new_end + tail
        yield b"@@ -%s +%s @@\n" % (_range(old_from, old_to), _range(new_from, new_to))
        at = old_from
        for block in group:
            yield _marked(b" ", old[at : block.old])
            yield _marked(b"-", old[block.old : block.old_end])
            yield _marked(b"+", new[block.new : block.new_end])
            at = block.old_end
        yield _marked(b" ", old[at:old_to])


def _range(start: int, end: int) -> bytes:
    return b"%d,%d" % (start + (end > start), end - start)


def _marked(mark: bytes, lines: list[bytes]) -> bytes:
    marked = (mark + line + (b"" if line.endswith(b"\n") else b"\n\\ No newline at end of file\n") for line in lines)
    return b"".join(marked)


def _grouped(blocks: list[Block]) -> Iterator[list[Block]]:
    """Blocks so near to each other that their contexts meet, together."""
    group: list[Block] = []
    for block in blocks:
        if group and block.old - group[-1].old_end > 2 * _CONTEXT:
            yield group
            group = []
        group.append(block)
    if group:
        yield group


def blocks_between(old: list[bytes], new: list[bytes]) -> list[Block]:
    """What differs between two lists of lines, in order; no two blocks touch."""
    start = _common(old, new)
    end = min(_common(old[::-1], new[::-1]), len(old) - start, len(new) - start)
    old_middle, new_middle = old[start : len(old) - end], new[start : len(new) - end]
    pairs = [*_matched(old_middle, new_middle), (len(old_middle), len(new_middle))]
    blocks, old_at, new_at = [], 0, 0
    for old_next, new_next in pairs:
        if (old_at, new_at) != (old_next, new_next):
            blocks.append(
                Block(old=start + old_at, old_end=start + old_next, new=start + new_at, new_end=start + new_next)
            )
        old_at, new_at = old_next + 1, new_next + 1
    return blocks


def _common(old: list[bytes], new: list[bytes]) -> int:
    """How many lines are the same at the start."""
    return next(
        (index for index, (left, right) in enumerate(zip(old, new, strict=False)) if left != right),
        min(len(old), len(new)),
    )


def _matched(old: list[bytes], new: list[bytes]) -> list[tuple[int, int]]:
    """Pairs of equal lines in a shortest edit script (Myers 1986); none at all when that takes too long.

    difflib is quadratic already where every second line of a file changed, and cannot be given a budget.
    """
    rows = _furthest(old, new)
    if not rows:
        return []
    pairs = []
    x, y = len(old), len(new)
    for step in range(len(rows) - 1, 0, -1):
        row, diagonal = rows[step - 1], x - y
        index = (diagonal + step) // 2
        is_insertion = index == 0 or (index != step and row[index] > row[index - 1])
        before = row[index] if is_insertion else row[index - 1]
        after = before if is_insertion else before + 1
        pairs += [(x - back, y - back) for back in range(1, x - after + 1)]
        x, y = before, before - diagonal + (-1 if is_insertion else 1)
    pairs += [(x - back, y - back) for back in range(1, x + 1)]
    return pairs[::-1]


def _furthest(old: list[bytes], new: list[bytes]) -> list[list[int]]:
    """For each number of edits, how far into `old` one gets on each diagonal; empty when over budget."""
    rows: list[list[int]] = []
    row: list[int] = []
    spent = 0
    for step in range(len(old) + len(new) + 1):
        previous, row = row, []
        for index in range(step + 1):
            x = _reached(previous, index, step)
            y = x - (2 * index - step)
            start = x
            while x < len(old) and y < len(new) and old[x] == new[y]:
                x, y = x + 1, y + 1
            spent += 1 + x - start
            row.append(x)
            if x >= len(old) and y >= len(new):
                return [*rows, row]
        rows.append(row)
        if spent > _DIFF_BUDGET:
            break
    return []


def _reached(previous: list[int], index: int, step: int) -> int:
    if step == 0:
        return 0
    if index == 0:
        return previous[0]
    if index == step:
        return previous[-1] + 1
    return max(previous[index], previous[index - 1] + 1)
