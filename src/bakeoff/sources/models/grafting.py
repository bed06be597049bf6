"""Code of an answer brought into a module by the names that it defines.

    module, code ──▶ which statement of the code goes where ──▶ lines of the module that are replaced

A function takes the place of the one with its name, wherever that stands and however deep it is indented; what is new
goes beside it; imports go to the imports. What only shows how to use it all is left out. A file that is there whole
replaces what was there.
"""

from __future__ import annotations

import ast
import bisect
import itertools
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from bakeoff.sources.models.locating import indentation, shifted
from bakeoff.sources.models.texts import NotUnderstood, Text, parsed
from bakeoff.sources.models.trees import (
    ASSIGNMENTS,
    DEFINITIONS,
    FUNCTIONS,
    IMPORTS,
    RECEIVERS,
    Definition,
    Function,
    bound,
    defined,
    first_line,
    imported,
    statements,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

__all__ = ["Graft", "graft", "python_lines", "span"]

_SHOWS = frozenset({"print", "pprint", "timeit"})
_ELIDED = re.compile(
    r"\s*(?:#|//|<!--)\s*(?:(?:\.{3}|…).*|.*(?:\.{3}|…)|"
    r"(?:the )?(?:rest|remainder|remaining|existing|other|previous|original)\b.{0,60}"
    r"\b(?:same|unchanged|here|above|before|code|methods|functions|file|omitted))\W*(?:-->)?\s*",
    re.IGNORECASE,
)
_ELIDES = re.compile(
    r"\b(existing|rest|remain\w*|unchanged|same|previous|original|other|omitted|as before|your)\b|^\W*$", re.IGNORECASE
)
_STARTS = re.compile(r"\s*(?:@\w|def |async def |class |import |from )")
_MOST_ENDS = 40
_APART = ("", "")


@dataclass(frozen=True, slots=True, kw_only=True)
class Graft:
    """A module with the code in it: which names it has taken the place of, and which it has brought along."""

    text: Text
    replaced: frozenset[str] = frozenset()
    added: frozenset[str] = frozenset()


def graft(text: Text, code: Sequence[str], *, target: str | None = None, module: str = "") -> Graft:
    """The module with this code in it. `target` is the name of the function that is asked about, `module` the name that
    the module itself is imported by. Raises NotUnderstood with the reason."""
    lines, tree = python_lines(code)
    base = _Module(text)
    _refuse_elided(lines, text)
    if base.is_covered_by(tree):
        after = text.rewritten(_without_ends(lines))
        names = frozenset(base.functions) | frozenset(base.classes)
        return Graft(text=after, replaced=names, added=frozenset(bound(tree.body)) - base.names)
    return _Grafting(base, lines, target, module).made(tree.body)


def span(text: Text, name: str) -> range | None:
    """The lines, from 0, of a function in a module; None where it cannot be told."""
    try:
        found = _Module(text).functions.get(name, [])
    except NotUnderstood:
        return None
    return range(first_line(found[-1]) - 1, found[-1].end_lineno or 0) if found else None


def python_lines(code: Sequence[str]) -> tuple[list[str], ast.Module]:
    """The code and its tree, whatever indentation it came with; what stands around it is left out."""
    lines = _without_ends(code)
    if not lines:
        raise NotUnderstood("there is no code in it")
    try:
        return lines, parsed("\n".join((*lines, "")), what="the code")
    except NotUnderstood as error:
        problem = error
    for other, is_inner in _otherwise(lines):
        try:
            return other, _inner(other) if is_inner else parsed("\n".join((*other, "")))
        except NotUnderstood:
            continue
    raise problem


def _otherwise(lines: list[str]) -> Iterator[tuple[list[str], bool]]:
    """Other ways to see it: all of it deeper than at the left, its first line moved against the others, or prose around
    it. Nothing inside of a string is moved, as far as that can be told."""
    begun = list(_from_where_code_begins(lines))
    if indentation(begun[0]):
        yield begun, True
    others = min((indentation(line) for line in lines[1:] if line.strip()), key=len, default="")
    if len(others) > len(indentation(lines[0])):
        yield [others + lines[0].lstrip(" \t"), *lines[1:]], True
    ends = [n for n in range(len(begun), 0, -1) if n == len(begun) or (begun[n].strip() and not indentation(begun[n]))]
    for end in ends[:_MOST_ENDS]:
        yield _without_ends(begun[:end]), False


def _inner(lines: Sequence[str]) -> ast.Module:
    """The tree of lines that are all indented."""
    tree = parsed("\n".join(("if 1:", *lines, "")))
    around = tree.body[0]
    if len(tree.body) != 1 or not isinstance(around, ast.If):
        raise NotUnderstood("its lines are indented in several ways")
    ast.increment_lineno(tree, -1)
    return ast.Module(body=around.body, type_ignores=[])


def _from_where_code_begins(lines: Sequence[str]) -> Sequence[str]:
    start = next((number for number, line in enumerate(lines) if _STARTS.match(line)), 0)
    return lines[start:]


def _without_ends(lines: Sequence[str]) -> list[str]:
    filled = [number for number, line in enumerate(lines) if line.strip()]
    return list(lines[filled[0] : filled[-1] + 1]) if filled else []


def _refuse_elided(lines: Sequence[str], text: Text) -> None:
    """Code that stands for more than is there cannot be put anywhere; a comment that was there before says nothing."""
    known = {line.strip() for line in text.lines}
    for number, line in enumerate(lines, start=1):
        if line.strip() not in known and _ELIDED.fullmatch(line) and _ELIDES.search(line):
            raise NotUnderstood(
                f"line {number} of the code leaves something out (`{line.strip()[:80]}`): "
                "give every function that you change whole, or use search-and-replace blocks"
            )


# -- the module -------------------------------------------------------------------------------------------------------


class _Module:
    """The file as it is: what it defines, and where that stands."""

    def __init__(self, text: Text) -> None:
        self.text = text
        self.tree = parsed(text.source, what="the file")
        self.functions, self.classes = defined(self.tree.body)
        self._starts = [first_line(node) for node in self.tree.body]
        self.names = bound(self.tree.body)
        self.imports = {one for node in statements(self.tree.body) for one in imported(node)}
        self.assigned = {
            name: node for node in self.tree.body if isinstance(node, ASSIGNMENTS) if (name := _single(node))
        }

    def is_covered_by(self, tree: ast.Module) -> bool:
        """Whether this is all of the file, written anew: nothing is missing that others could ask for."""
        functions, classes = defined(tree.body)
        has_functions = all(len(functions.get(name, ())) >= len(known) for name, known in self.functions.items())
        has_members = all(
            name in classes and bound(node.body) <= bound(classes[name].body) for name, node in self.classes.items()
        )
        has_loose = sum(map(_is_loose, tree.body)) >= sum(map(_is_loose, self.tree.body))
        is_left = not tree.body or not tree.body[0].col_offset
        return (
            len(self.tree.body) > 1
            and is_left
            and has_functions
            and has_members
            and has_loose
            and self.names <= bound(tree.body)
        )

    def function(self, name: str, like: Function) -> Function:
        """The definition that another one of the same name is to replace."""
        found = self.functions[name]
        if len(found) > 1:
            same = [node for node in found if like.decorator_list and _decorators(node) == _decorators(like)]
            found = same or [node for node in found if not _is_variant(node)]
        if len(found) != 1:
            raise NotUnderstood(f"the file defines {name} more than once: use search-and-replace blocks")
        return found[0]

    def statement(self, line: int) -> ast.stmt | None:
        """The statement of the module that this line is in."""
        number = bisect.bisect_right(self._starts, line) - 1
        node = self.tree.body[number] if number >= 0 else None
        return node if node is not None and line <= (node.end_lineno or 0) else None


def _single(node: ast.stmt) -> str | None:
    """The one name that an assignment is to."""
    targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
    return targets[0].id if len(targets) == 1 and isinstance(targets[0], ast.Name) else None


def _decorators(node: Definition) -> list[str]:
    return [ast.dump(one) for one in node.decorator_list]


def _is_variant(node: Function) -> bool:
    """Whether it is one of several that make one thing: an overload, the setter of a property."""
    names = {one.attr if isinstance(one, ast.Attribute) else getattr(one, "id", "") for one in node.decorator_list}
    return bool(names & {"overload", "setter", "deleter", "register"})


def _is_loose(node: ast.stmt) -> bool:
    """A statement that does something when the module is imported."""
    return not isinstance(node, (*DEFINITIONS, *IMPORTS, *ASSIGNMENTS)) and not _is_text(node)


def _is_text(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _is_docstring(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


# -- bringing it in ---------------------------------------------------------------------------------------------------


@dataclass(slots=True, kw_only=True)
class _Lines:
    """What stands in the place of some lines of the module; counted from 1, as Python does, without the last."""

    start: int
    stop: int
    lines: list[str]


@dataclass(slots=True)
class _Grafting:
    """One piece of code on its way into a module."""

    base: _Module
    lines: list[str]
    target: str | None
    module: str
    replaced: list[str] = field(default_factory=list)
    added: list[str] = field(default_factory=list)
    _made: list[_Lines] = field(default_factory=list)
    _waiting: list[ast.stmt] = field(default_factory=list)
    _place: int | None = None

    def made(self, body: Sequence[ast.stmt]) -> Graft:
        for node in body:
            self._take(node)
        self._put_waiting()
        text = self.base.text
        # From the last line up, so that numbers stay what they are; of equal places the first one said comes first.
        for one in reversed(sorted(self._made, key=lambda one: (one.start, one.stop))):  # noqa: C413 (of equal ones)
            text = text.with_lines(one.start - 1, one.stop - 1, one.lines)
        return Graft(text=text, replaced=frozenset(self.replaced), added=frozenset(self.added))

    def _take(self, node: ast.stmt) -> None:
        if isinstance(node, IMPORTS):
            self._import(node)
        elif isinstance(node, FUNCTIONS):
            self._function(node)
        elif isinstance(node, ast.ClassDef) and node.name in self.base.classes:
            self._class(node, node.name)
        elif isinstance(node, ASSIGNMENTS) and (name := _single(node)) in self.base.assigned:
            self._assignment(node, self.base.assigned[name or ""])
        elif not self._is_for_show(node):
            self._waiting.append(node)

    def _is_for_show(self, node: ast.stmt) -> bool:
        """Whether it tells something, or shows how to use it: not meant to be in the module."""
        if isinstance(node, ast.Expr) and not isinstance(node.value, (ast.Call, ast.Await)):
            return True
        if isinstance(node, ast.Assert) or _is_main(node):
            return True
        if isinstance(node, ast.ClassDef):
            return node.name.startswith("Test")
        given = bound([node])
        if isinstance(node, (ast.If, ast.Try)) and given and given <= self.base.names:
            return True
        names = {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}
        called = {one.func.id for one in ast.walk(node) if isinstance(one, ast.Call) and isinstance(one.func, ast.Name)}
        own = (self.target or "").partition(".")[0]
        is_kept = isinstance(node, ASSIGNMENTS) and bool(given & {own, *self.base.names})
        return (bool(names & _SHOWS) or own in called) and not is_kept

    # -- functions ------------------------------------------------------------------------------------------------

    def _function(self, node: Function) -> None:
        name = self._meant(node)
        if name in self.base.functions:
            self._replace(name, node)
        elif "." in name:
            self._add_member(name.rpartition(".")[0], node)
        elif not node.name.startswith("test_"):
            self._waiting.append(node)

    def _meant(self, node: Function) -> str:
        """The name in the module that a function stands for which has no class around it."""
        owner, _, own = (self.target or "").rpartition(".")
        if owner and (node.name == own or node.name not in self.base.functions):
            first = node.args.posonlyargs + node.args.args
            if (
                node.name == own
                or f"{owner}.{node.name}" in self.base.functions
                or (first and first[0].arg in RECEIVERS)
            ):
                return f"{owner}.{node.name}"
        return node.name

    def _replace(self, name: str, node: Function) -> None:
        old = self.base.function(name, node)
        if name in self.replaced and not node.decorator_list:
            raise NotUnderstood(f"the code defines {name} twice")
        if _is_stub(node) and not _is_stub(old):
            raise NotUnderstood(f"the body of {name} is left out: give the function whole")
        self._put_over(old, node)
        self.replaced.append(name)
        self._put_waiting(before=self.base.statement(old.lineno))

    def _put_over(self, old: Definition, node: Definition) -> None:
        """In its place, at its indentation, with its decorators and its docstring where the code has none."""
        start = old.lineno if not node.decorator_list else first_line(old)
        lines = self._documented(self._at(node, self._indentation(old)), node, old)
        if lines != list(self.base.text.lines[start - 1 : old.end_lineno]):
            self._made.append(_Lines(start=start, stop=(old.end_lineno or 0) + 1, lines=lines))

    def _documented(self, lines: list[str], node: Definition, old: Definition) -> list[str]:
        said = old.body[0]
        begin = first_line(node.body[0])
        shares = begin == node.lineno or self.lines[begin - 1][: node.body[0].col_offset].strip()
        if not _is_docstring(said) or _is_docstring(node.body[0]) or shares or said.lineno == old.lineno:
            return lines
        at = begin - first_line(node)
        into = indentation(lines[at])
        kept = self.base.text.lines[said.lineno - 1 : said.end_lineno]
        out = indentation(kept[0])
        return [*lines[:at], *(shifted(line, out, into) for line in kept), *lines[at:]]

    def _indentation(self, node: ast.stmt) -> str:
        """What stands in front of a statement of the module, which has to have its lines for itself."""
        lines = self.base.text.lines
        line, last = lines[first_line(node) - 1], lines[(node.end_lineno or 0) - 1]
        rest = last.encode()[node.end_col_offset :].decode().strip()
        if line[: node.col_offset].strip() or (rest and not rest.startswith("#")):
            raise NotUnderstood(f"line {node.lineno} of the file holds more than one statement: use search-and-replace")
        return indentation(line)

    def _at(self, node: ast.stmt, into: str) -> list[str]:
        """The lines of a statement of the code with other blanks in front; what is inside of a string keeps its own."""
        first = first_line(node)
        lines = self.lines[first - 1 : node.end_lineno]
        last = lines[-1].encode()[: node.end_col_offset].decode()
        if self.lines[first - 1][: node.col_offset].strip() or self._shares_its_end(node):
            raise NotUnderstood(f"line {node.lineno} of the code holds more than one statement: give each its own")
        comment = self.lines[(node.end_lineno or 0) - 1][len(last) :]
        out = indentation(lines[0])
        fixed = {number - first for number in _inside_strings(node)}
        if not out and _is_cut([line for number, line in enumerate(lines) if number and number not in fixed], into):
            fixed = set(range(1, len(lines)))
        moved = [
            line if number in fixed else shifted(line, out, into) for number, line in enumerate([*lines[:-1], last])
        ]
        return [*moved[:-1], moved[-1] + comment.rstrip()]

    def _shares_its_end(self, node: ast.stmt) -> bool:
        rest = self.lines[(node.end_lineno or 0) - 1].encode()[node.end_col_offset :].decode().strip()
        return bool(rest) and not rest.startswith("#")

    # -- classes --------------------------------------------------------------------------------------------------

    def _class(self, node: ast.ClassDef, name: str) -> None:
        """All of it, where nothing is missing; else what there is of it, one by one."""
        old = self.base.classes[name]
        loose = [one for one in old.body if _is_loose(one)]
        if bound(old.body) <= bound(node.body) and not loose and not _has_variants(old):
            self._put_over(old, node)
            self.replaced += [one for one in self.base.functions if one.startswith(f"{name}.")]
            self._put_waiting(before=self.base.statement(old.lineno))
            return
        for member in node.body:
            self._member(member, name)

    def _member(self, member: ast.stmt, owner: str) -> None:
        if isinstance(member, FUNCTIONS):
            qualified = f"{owner}.{member.name}"
            if qualified in self.base.functions:
                self._replace(qualified, member)
            else:
                self._add_member(owner, member)
        elif isinstance(member, ast.ClassDef) and f"{owner}.{member.name}" in self.base.classes:
            self._class(member, f"{owner}.{member.name}")
        elif isinstance(member, ASSIGNMENTS):
            self._class_variable(member, owner)
        elif not _is_text(member) and not isinstance(member, ast.Pass):
            raise NotUnderstood(f"line {member.lineno} of the code: give the class {owner} whole, or its methods alone")

    def _class_variable(self, member: ast.Assign | ast.AnnAssign, owner: str) -> None:
        name = _single(member)
        body = self.base.classes[owner].body
        old = next((one for one in body if isinstance(one, ASSIGNMENTS) and _single(one) == name), None)
        if old is not None:
            self._assignment(member, old)
        else:
            first = body[1] if _is_text(body[0]) and len(body) > 1 else body[0]
            into = self._indentation(first)
            self._made.append(_Lines(start=first_line(first), stop=first_line(first), lines=self._at(member, into)))

    def _add_member(self, owner: str, node: ast.stmt) -> None:
        known = self.base.classes.get(owner)
        if known is None:
            raise NotUnderstood(f"there is no class {owner} in the file")
        into = self._indentation(known.body[-1])
        after = (known.end_lineno or 0) + 1
        self._made.append(_Lines(start=after, stop=after, lines=["", *self._at(node, into)]))
        self.added.append(f"{owner}.{getattr(node, 'name', '')}")

    def _assignment(self, node: ast.stmt, old: ast.stmt) -> None:
        if ast.dump(node) != ast.dump(old):
            lines = self._at(node, self._indentation(old))
            self.replaced.append(_single(node) or "")
            self._made.append(_Lines(start=old.lineno, stop=(old.end_lineno or 0) + 1, lines=lines))

    # -- what is new ----------------------------------------------------------------------------------------------

    def _put_waiting(self, before: ast.stmt | None = None) -> None:
        """What has come up to here goes in front of the statement that came next; what came last, behind the last."""
        start = self._above(first_line(before)) if before is not None else self._place or self._home()
        if before is not None:
            self._place = (before.end_lineno or 0) + 1
        if not self._waiting:
            return
        lines = self._at(self._waiting[0], "")
        for first, second in itertools.pairwise(self._waiting):
            lines += [*_gap(first, second), *self._at(second, "")]
        lines = [*lines, *_APART] if before is not None else [*_APART, *lines]
        self._made.append(_Lines(start=start, stop=start, lines=lines))
        self.added += sorted(bound(self._waiting))
        self._waiting = []

    def _home(self) -> int:
        """Behind the target's statement; where there is none, at the end."""
        found = self.base.functions.get(self.target or "", [])
        statement = self.base.statement(found[-1].lineno) if found else None
        return ((statement.end_lineno or 0) if statement else len(self.base.text.lines)) + 1

    def _above(self, line: int) -> int:
        """Before the comments that belong to what stands there."""
        lines = self.base.text.lines
        while line > 1 and lines[line - 2].startswith("#") and line > 2:
            line -= 1
        return line

    # -- imports --------------------------------------------------------------------------------------------------

    def _import(self, node: ast.Import | ast.ImportFrom) -> None:
        """What the module does not import yet, at the end of its imports; nothing from itself."""
        if isinstance(node, ast.ImportFrom) and self.module and (node.module or "") == self.module:
            return
        new = [alias for alias, one in zip(node.names, imported(node), strict=True) if one not in self.base.imports]
        if not new:
            return
        self.base.imports.update(imported(node))
        node.names = new
        at = self._imports_end(is_future=isinstance(node, ast.ImportFrom) and node.module == "__future__")
        self._made.append(_Lines(start=at, stop=at, lines=[ast.unparse(node)]))
        self.added += sorted(bound([node]))

    def _imports_end(self, *, is_future: bool) -> int:
        """The line after the imports at the top of the module, or after what has to come before any."""
        at = None
        body = self.base.tree.body
        for number, node in enumerate(body):
            is_import = isinstance(node, IMPORTS)
            if (number == 0 and _is_text(node)) or (is_import and (not is_future or _is_future(node))):
                at = (node.end_lineno or 0) + 1
            elif not is_import and not isinstance(node, (ast.If, ast.Try)):
                break
        if at is None:
            at = self._above(first_line(body[0])) if body else len(self.base.text.lines) + 1
        return at


def _is_future(node: ast.stmt) -> bool:
    return isinstance(node, ast.ImportFrom) and node.module == "__future__"


def _is_main(node: ast.stmt) -> bool:
    return isinstance(node, ast.If) and any(
        isinstance(one, ast.Name) and one.id == "__name__" for one in ast.walk(node.test)
    )


def _has_variants(node: ast.ClassDef) -> bool:
    return any(isinstance(one, FUNCTIONS) and _is_variant(one) for one in node.body)


def _is_stub(node: Function) -> bool:
    """Whether its body says nothing but `...`, somewhere."""
    values = [one.value for one in node.body if isinstance(one, ast.Expr)]
    return any(isinstance(value, ast.Constant) and value.value is ... for value in values)


def _is_cut(lines: Sequence[str], into: str) -> bool:
    """Whether these are as deep as they are to be: copied from where they belong, and only the first line, which is not
    among them, came without its blanks."""
    depths = [indentation(line) for line in lines if line.strip()]
    return bool(into and depths) and all(depth.startswith(into) and depth != into for depth in depths)


def _gap(first: ast.stmt, second: ast.stmt) -> Sequence[str]:
    return _APART if isinstance(first, DEFINITIONS) or isinstance(second, DEFINITIONS) else ()


def _inside_strings(node: ast.stmt) -> set[int]:
    """The lines that begin inside of a string. Docstrings count as code: they are written as deep as it is."""
    docstrings = {
        id(one.body[0].value)
        for one in ast.walk(node)
        if isinstance(one, DEFINITIONS) and isinstance(one.body[0], ast.Expr)
    }
    return {
        number
        for one in ast.walk(node)
        if (isinstance(one, ast.Constant) and isinstance(one.value, (str, bytes)) and id(one) not in docstrings)
        or isinstance(one, ast.JoinedStr)
        for number in range(one.lineno + 1, (one.end_lineno or 0) + 1)
    }
