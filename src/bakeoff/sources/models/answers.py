"""From what a model answers to changes, or to a reason that it can act on. Nothing of an answer is ever executed.

    text ──blocks──▶ code, edits, diffs ──▶ drafts of files ──▶ Change, Change, …
                                       └──▶ NotUnderstood: why not

An answer may hold functions, whole files, search-and-replace blocks and diffs, of one file or of several. Where it
defines the same function twice, or edits the same lines twice, these are alternatives, and each becomes a change; what
came before the first of them belongs to all. Edits and diffs count all or not at all. Of code in fences, what cannot be
read is taken for illustration as long as something else can.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from bakeoff.candidates import Change, File, check_path
from bakeoff.errors import ChangeError
from bakeoff.sources.models.blocks import Code, Edit, Patch, blocks
from bakeoff.sources.models.grafting import graft, python_lines, span
from bakeoff.sources.models.locating import located, shifted, trimmed
from bakeoff.sources.models.texts import NotUnderstood, Text, parsed, plain

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from bakeoff.candidates import Reader
    from bakeoff.sources.models.blocks import Block, Hunk, PatchedFile
    from bakeoff.sources.scope import Scope
    from bakeoff.targets import Target

__all__ = ["Ground", "NotUnderstood", "changes"]

_LONGEST = 400_000
_LARGEST = 2_000_000
_MOST_ALTERNATIVES = 8
_FUZZ = 3
_PYTHON = frozenset({"", "python", "py", "python3", "py3"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Ground:
    """What answers are about: the files as they are, which of them may be edited, and the function in question. A file
    that no answer names is the target's."""

    base: Reader
    scope: Scope
    target: Target | None = None


def changes(text: str, ground: Ground) -> tuple[Change, ...]:
    """The alternatives that an answer holds, at least one. Raises NotUnderstood where there is none."""
    if len(text) > _LONGEST:
        raise NotUnderstood(f"it is too long: {len(text)} characters of at most {_LONGEST}")
    try:
        text.encode()
        return _Reading(ground).changes(blocks(plain(text)))
    except UnicodeEncodeError:
        raise NotUnderstood("it is not valid text") from None
    except ChangeError as error:
        raise NotUnderstood(f"{error.message}{f' ({error.where})' if error.where else ''}") from None
    except RecursionError:
        raise NotUnderstood("its code is nested too deeply") from None


class _Taken(Exception):
    """A block that gives again what the draft has from another block of the answer: it begins an alternative. Its
    draft is the one that it goes on from."""

    def __init__(self, before: _Draft) -> None:
        super().__init__()
        self.before = before


@dataclass(frozen=True, slots=True, kw_only=True)
class _Draft:
    """Files as the blocks up to some place leave them; None is a file that goes. `names` are the definitions that were
    given by then, `added` such as the base has not; `is_change` says whether there is more than these. `earlier` is the
    draft before the last block."""

    files: Mapping[str, Text | None] = field(default_factory=dict)
    names: frozenset[tuple[str, str]] = frozenset()
    added: frozenset[str] = frozenset()
    is_change: bool = False
    earlier: _Draft | None = None

    def before(self, names: frozenset[tuple[str, str]]) -> _Draft:
        """As it was when none of these was given yet."""
        draft = self
        while draft.names & names and draft.earlier is not None:
            draft = draft.earlier
        return draft

    def first(self) -> _Draft:
        draft = self
        while draft.earlier is not None:
            draft = draft.earlier
        return draft


class _Reading:
    def __init__(self, ground: Ground) -> None:
        self._ground = ground

    def changes(self, found: Sequence[Block]) -> tuple[Change, ...]:
        edits = [block for block in found if isinstance(block, (Edit, Patch))]
        named = [block for block in found if isinstance(block, Code) and block.path and self._knows(block.path)]
        chosen = [block for block in found if block in edits or block in named] if edits else list(found)
        drafts, problems = self._drafts(chosen, is_strict=bool(edits))
        made: dict[Change, None] = {}
        for draft in drafts[:_MOST_ALTERNATIVES]:
            try:
                made[self._change(draft)] = None
            except NotUnderstood as error:
                problems.append(str(error))
        known = [change for change in made if change]
        if known:
            return tuple(known)
        if made and not problems:
            raise NotUnderstood("it leaves everything as it is")
        raise NotUnderstood(problems[0] if problems else self._nothing())

    def _nothing(self) -> str:
        target = self._ground.target
        name = f"the function {target.name}" if target is not None else "the files that are to change"
        return f"there is no code in it: give {name} in a fenced block"

    def _drafts(self, found: Sequence[Block], *, is_strict: bool) -> tuple[list[_Draft], list[str]]:
        """The alternatives, and what is wrong with blocks of which nothing came."""
        drafts = [_Draft()]
        problems: list[tuple[bool, str]] = []
        for block in found:
            try:
                drafts[-1] = self._taken(drafts[-1], block)
            except _Taken as taken:
                drafts.append(self._taken(taken.before, block))
            except (NotUnderstood, ChangeError) as error:
                if is_strict:
                    raise
                problems.append((not self._is_about_target(block), str(error)))
        return [draft for draft in drafts if draft.files], [
            text for _, text in sorted(problems, key=lambda one: one[0])
        ]

    def _is_about_target(self, block: Block) -> bool:
        target = self._ground.target
        name = f"def {target.name.rpartition('.')[2]}" if target is not None else "def "
        return isinstance(block, Code) and any(name in line for line in block.lines)

    def _taken(self, draft: _Draft, block: Block) -> _Draft:
        """The draft with this block in it. Raises _Taken where it has what the block gives."""
        if isinstance(block, Code):
            return self._with_code(draft, block)
        try:
            return self._with_edit(draft, block) if isinstance(block, Edit) else self._with_patch(draft, block)
        except NotUnderstood as error:
            first = draft.first()
            if first is draft:
                raise
            try:
                self._taken(first, block)
            except NotUnderstood:
                raise error from None
            raise _Taken(first) from None

    # -- code -----------------------------------------------------------------------------------------------------

    def _with_code(self, draft: _Draft, block: Code) -> _Draft:
        path = self._path(block.path)
        if not path.endswith(".py"):
            return self._with_file(draft, path, block)
        if not self._is_python(block):
            return draft
        known = self._text(draft, path)
        if known is None:
            lines, _ = python_lines(block.lines)
            return self._written(draft, path, Text().rewritten(lines), frozenset({(path, "")}))
        target = self._ground.target
        is_targets = target is not None and target.path == path
        grafted = graft(
            known,
            block.lines,
            target=target.name if target is not None and is_targets else None,
            module=target.module if target is not None and is_targets else "",
        )
        names = frozenset((path, name) for name in grafted.replaced)
        if names & draft.names:
            raise _Taken(draft.before(names))
        if not names and grafted.text == known:
            return draft
        after = self._written(draft, path, grafted.text, names, is_change=bool(names))
        return replace(after, added=draft.added | grafted.added)

    def _is_python(self, block: Code) -> bool:
        """Whether its fence says so, or its path; output, data and commands stand in fences, too."""
        return bool(block.path) or block.language in _PYTHON

    def _with_file(self, draft: _Draft, path: str, block: Code) -> _Draft:
        known = self._text(draft, path) or Text()
        return self._written(draft, path, known.rewritten(block.lines), frozenset({(path, "")}))

    # -- edits ----------------------------------------------------------------------------------------------------

    def _with_edit(self, draft: _Draft, block: Edit) -> _Draft:
        path = self._path(block.path)
        known = self._text(draft, path)
        if not any(line.strip() for line in block.search):
            if known is not None and any(line.strip() for line in known.lines):
                raise NotUnderstood(f"a SEARCH block is empty, and {path} is not: say what is to be replaced")
            return self._written(draft, path, (known or Text()).rewritten(block.put))
        if known is None:
            raise NotUnderstood(f"there is no file {path}")
        try:
            place, put = self._edited(known, block, path)
        except NotUnderstood as error:
            raise NotUnderstood(f"a SEARCH block does not fit {path}: {error}") from None
        return self._written(draft, path, known.with_lines(place[0], place[1], put))

    def _edited(self, known: Text, block: Edit, path: str) -> tuple[tuple[int, int], list[str]]:
        within = self._span(known, path)
        try:
            found = located(known.lines, block.search, within=within)
            put = block.put
        except NotUnderstood:
            search = trimmed(block.search)
            if len(search) == len(block.search):
                raise
            found = located(known.lines, search, within=within)
            put = tuple(trimmed(block.put))
        lines = list(put) if found.out == found.into else [found.placed(line) for line in put]
        return (found.start, found.stop), lines

    def _span(self, text: Text, path: str) -> range | None:
        """The lines of the target, where this is its file."""
        target = self._ground.target
        if target is None or target.path != path:
            return None
        return span(text, target.name)

    # -- diffs ----------------------------------------------------------------------------------------------------

    def _with_patch(self, draft: _Draft, block: Patch) -> _Draft:
        """As git would take it, where it does; else by its lines, whatever its headers count."""
        try:
            exact = Change.from_diff(block.text, base=lambda path: self._file(draft, path))
        except ChangeError as error:
            if not block.files:
                raise NotUnderstood(f"the diff cannot be read: {error.message}") from None
        else:
            for path, content in exact.contents.items():
                text = None if content is None else Text.of(path, content)
                draft = self._written(draft, path, text)
            return draft
        for file in block.files:
            draft = self._patched(draft, file)
        return draft

    def _patched(self, draft: _Draft, file: PatchedFile) -> _Draft:
        path = self._path(file.new or file.old)
        if file.new is None and file.old is not None:
            return self._written(draft, path, None)
        known = self._text(draft, path)
        if known is None:
            lines = [line for hunk in file.hunks for sign, line in hunk.lines if sign == "+"]
            if any(sign != "+" for hunk in file.hunks for sign, _ in hunk.lines):
                raise NotUnderstood(f"there is no file {path}")
            return self._written(draft, path, Text().rewritten(lines))
        for number, hunk in enumerate(file.hunks, start=1):
            try:
                known = self._with_hunk(known, hunk, path)
            except NotUnderstood as error:
                raise NotUnderstood(f"hunk {number} of the diff does not fit {path}: {error}") from None
        return self._written(draft, path, known)

    def _with_hunk(self, text: Text, hunk: Hunk, path: str) -> Text:
        """With its lines found wherever they are, if need be without some of those around them."""
        problem: NotUnderstood | None = None
        for fuzz in range(_FUZZ + 1):
            lines = _without_context(hunk.lines, fuzz)
            if lines is None:
                break
            try:
                return self._fitted(text, lines, hunk.start, path)
            except NotUnderstood as error:
                problem = problem or error
        raise problem or NotUnderstood("it has no lines")

    def _fitted(self, text: Text, lines: Sequence[tuple[str, str]], start: int | None, path: str) -> Text:
        old = [line for sign, line in lines if sign != "+"]
        if not any(line.strip() for line in old):
            if start is None or start > len(text.lines):
                raise NotUnderstood("it says nothing of the lines around it")
            return text.with_lines(start, start, [line for sign, line in lines if sign == "+"])
        found = located(text.lines, old, near=start, within=self._span(text, path))
        at = found.start
        put: list[str] = []
        for sign, line in lines:
            if sign == "+":
                put.append(line if found.out == found.into else shifted(line, found.out, found.into))
                continue
            if sign == " ":
                put.append(text.lines[at])
            at += 1
        return text.with_lines(found.start, found.stop, put)

    # -- files ----------------------------------------------------------------------------------------------------

    def _knows(self, path: str) -> bool:
        return self._ground.base(path) is not None or path.endswith(".py")

    def _path(self, named: str | None) -> str:
        """The file that is meant; what names none that there is, or could be, means the target's."""
        target = self._ground.target
        own = target.path if target is not None else None
        if named is None or not self._is_path(named):
            if own is None:
                raise NotUnderstood("it does not say which file it is for: put the path in the line above the block")
            return own
        if self._ground.base(named) is None and own is not None and f"/{own}".endswith(f"/{named}"):
            return own
        check_path(named)
        return named

    def _is_path(self, named: str) -> bool:
        return "/" in named or self._knows(named)

    def _file(self, draft: _Draft, path: str) -> File | None:
        before = self._ground.base(path)
        if path not in draft.files:
            return before
        text = draft.files[path]
        if text is None:
            return None
        return replace(before, content=text.content) if before is not None else File(content=text.content)

    def _text(self, draft: _Draft, path: str) -> Text | None:
        file = self._file(draft, path)
        if file is not None and len(file.content) > _LARGEST:
            raise NotUnderstood(f"{path} is too large to be edited")
        return Text.of(path, file.content) if file is not None else None

    def _written(
        self,
        draft: _Draft,
        path: str,
        text: Text | None,
        names: frozenset[tuple[str, str]] = frozenset(),
        *,
        is_change: bool = True,
    ) -> _Draft:
        self._refuse_outside(path)
        if names & draft.names:
            raise _Taken(draft.before(names))
        return _Draft(
            files={**draft.files, path: text},
            names=draft.names | names,
            added=draft.added,
            is_change=draft.is_change or is_change,
            earlier=draft,
        )

    def _refuse_outside(self, path: str) -> None:
        scope = self._ground.scope
        if scope.is_test(path):
            raise NotUnderstood(f"it edits {path}: tests are not for candidates to edit")
        if not scope.allows(path):
            raise NotUnderstood(f"it edits {path}: only these may be edited: {', '.join(scope.globs)}")

    def _change(self, draft: _Draft) -> Change:
        if draft.added and not draft.is_change:
            target = self._ground.target
            wanted = f" and not {target.name}" if target is not None else ", and nothing that is there"
            raise NotUnderstood(f"it gives {', '.join(sorted(draft.added))}{wanted}: keep the names that there are")
        for path, text in draft.files.items():
            if text is not None and path.endswith(".py"):
                parsed(text.source, what=f"{path}, with the answer in it,")
        contents = {path: None if text is None else text.content for path, text in draft.files.items()}
        return Change.of(contents, base=self._ground.base)


def _without_context(lines: Sequence[tuple[str, str]], most: int) -> Sequence[tuple[str, str]] | None:
    """Without so many lines of context at both ends; None where it has none to spare."""
    start, stop = 0, len(lines)
    while start < most and lines[start][0] == " ":
        start += 1
    while len(lines) - stop < most and lines[stop - 1][0] == " ":
        stop -= 1
    is_new = not most or start == most or len(lines) - stop == most
    return lines[start:stop] if is_new and start < stop else None
