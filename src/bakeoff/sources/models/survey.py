"""What a repository says of a target: its source and what that uses, the tests that reach it, and who calls it.

Everything is bounded, and files that cannot be read or do not parse are passed over: this is to help, and may not fail.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bakeoff.candidates.files import Mode
from bakeoff.errors import PathRefused
from bakeoff.sources.models.texts import NotUnderstood, Text, parsed, plain
from bakeoff.sources.models.trees import (
    ASSIGNMENTS,
    FUNCTIONS,
    IMPORTS,
    RECEIVERS,
    bound,
    defined,
    first_line,
    statements,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from bakeoff.sources.proposals import Brief
    from bakeoff.targets import Target

__all__ = ["Excerpt", "SourceFile", "Survey"]

_MOST_TESTS, _MOST_TEST_FILES = 30, 20
_MOST_FILES, _MOST_BYTES, _LARGEST = 2_000, 16_000_000, 1_000_000
_MOST_PARSED, _MOST_USES, _MOST_USES_OF_A_FILE = 40, 12, 3
_AROUND = 4
_LONGEST_CLASS = 60
_IMPORTED = rb"(?m)^\s*from\s+\S+\s+import\s+(?:\([^)]*\b%(name)s\b|[^\n(]*\b%(name)s\b)"
_MOST_USED, _MOST_ELSEWHERE, _MOST_STEPS = 60, 12, 3


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceFile:
    """A file of the base; its tree is empty where it is no Python that parses."""

    path: str
    lines: tuple[str, ...]
    tree: ast.Module

    def of(self, node: ast.stmt) -> tuple[str, ...]:
        """The lines of a statement, with its decorators."""
        return self.lines[first_line(node) - 1 : node.end_lineno]


@dataclass(frozen=True, slots=True, kw_only=True)
class Excerpt:
    """Some lines of a file, and what they are."""

    path: str
    what: str
    lines: tuple[str, ...]


class Survey:
    """Looks around in the base of a brief."""

    def __init__(self, brief: Brief) -> None:
        self._brief = brief
        self._read: dict[str, SourceFile | None] = {}

    def file(self, path: str) -> SourceFile | None:
        """A file of the base; None where there is none, or it cannot be shown."""
        if path not in self._read:
            self._read[path] = self._file(path)
        return self._read[path]

    def _file(self, path: str) -> SourceFile | None:
        content = self._content(path)
        if content is None or len(content) > _LARGEST or b"\0" in content:
            return None
        try:
            text = Text.of(path, content)
        except NotUnderstood:
            lines = plain(content.decode("utf-8", "replace")).splitlines()
            return SourceFile(path=path, lines=tuple(lines), tree=_nothing())
        try:
            tree = parsed(text.source) if path.endswith(".py") else _nothing()
        except NotUnderstood:
            tree = _nothing()
        return SourceFile(path=path, lines=text.lines, tree=tree)

    def _content(self, path: str) -> bytes | None:
        try:
            file = self._brief.pool.read(path)
        except (OSError, ValueError, PathRefused):
            return None
        return file.content if file is not None and file.mode is not Mode.LINK else None

    # -- the target's own file ------------------------------------------------------------------------------------

    def parts(self, target: Target) -> list[range]:
        """The lines, from 1, of the target and of what it uses in its file, the nearest to it first."""
        file = self.file(target.path)
        return _Parts(file).ranges(target.name) if file is not None else []

    def elsewhere(self, target: Target) -> list[Excerpt]:
        """What it uses that other files of the repository define: types of its parameters, functions it calls."""
        file = self.file(target.path)
        if file is None:
            return []
        parts = _Parts(file)
        names = {name for node in parts.reached(target.name) for name in _names(node)}
        found = [
            excerpt
            for node in statements(file.tree.body)
            if isinstance(node, ast.ImportFrom)
            for alias in node.names
            if (alias.asname or alias.name) in names
            and (excerpt := self._definition(file.path, node, alias.name, target, _MOST_STEPS)) is not None
        ]
        return found[:_MOST_ELSEWHERE]

    def _definition(self, path: str, node: ast.ImportFrom, name: str, target: Target, steps: int) -> Excerpt | None:
        """Where an imported name comes from, also through modules that only pass it on."""
        file = next((file for place in _places(path, node, target) if (file := self.file(place)) is not None), None)
        if file is None or not steps:
            return None
        for one in statements(file.tree.body):
            if isinstance(one, (*FUNCTIONS, ast.ClassDef)) and one.name == name:
                return Excerpt(path=file.path, what=name, lines=_head(file, one))
            if isinstance(one, ASSIGNMENTS) and name in bound([one]):
                return Excerpt(path=file.path, what=name, lines=file.of(one))
            if isinstance(one, ast.ImportFrom):
                for alias in one.names:
                    if (alias.asname or alias.name) == name:
                        return self._definition(file.path, one, alias.name, target, steps - 1)
        return None

    # -- tests ----------------------------------------------------------------------------------------------------

    def tests(self) -> list[Excerpt]:
        """The tests that reach the target; of one with several sets of parameters there is one."""
        found: dict[str, Excerpt] = {}
        paths: set[str] = set()
        for name in self._brief.reaching:
            path, _, inner = name.partition("::")
            plainly = inner.partition("[")[0]
            key = f"{path}::{plainly}"
            paths.add(path)
            if key in found or len(paths) > _MOST_TEST_FILES:
                continue
            excerpt = self._test(path, plainly.split("::"))
            if excerpt is not None:
                found[key] = excerpt
            if len(found) == _MOST_TESTS:
                break
        return list(found.values())

    def _test(self, path: str, names: list[str]) -> Excerpt | None:
        file = self.file(path)
        body: list[ast.stmt] = file.tree.body if file is not None else []
        for name in names:
            node = next((one for one in statements(body) if getattr(one, "name", None) == name), None)
            if file is None or not isinstance(node, (*FUNCTIONS, ast.ClassDef)):
                return None
            if isinstance(node, FUNCTIONS):
                return Excerpt(path=path, what=".".join(names), lines=file.of(node))
            body = node.body
        return None

    # -- callers --------------------------------------------------------------------------------------------------

    def uses(self, target: Target) -> list[Excerpt]:
        """Where the repository calls it, beside its tests; found by name, the nearest files first."""
        name = target.name.rpartition(".")[2]
        mark = re.compile(rb"\b%s\s*\(" % re.escape(name.encode()))
        found: list[Excerpt] = []
        parsed_files, room = 0, _MOST_BYTES
        for path in self._nearby(target):
            content = self._content(path) or b""
            room -= len(content)
            if room < 0 or parsed_files == _MOST_PARSED or len(found) >= _MOST_USES:
                break
            if mark.search(content) is None or not self._may_mean(target, path, content):
                continue
            parsed_files += 1
            found += self._uses_in(path, target)
        return found[:_MOST_USES]

    def _nearby(self, target: Target) -> list[str]:
        paths = [
            path for path in self._brief.pool.files if path.endswith(".py") and not self._brief.scope.is_test(path)
        ]
        return sorted(paths, key=lambda path: (-_shared(path, target.path), path))[:_MOST_FILES]

    def _may_mean(self, target: Target, path: str, content: bytes) -> bool:
        """Whether a file that calls something of this name can have it from the target's module."""
        owner, _, name = target.name.rpartition(".")
        words = [word for word in (target.module.rpartition(".")[2], owner.partition(".")[0]) if word]
        is_imported = not owner and re.search(_IMPORTED % {b"name": re.escape(name.encode())}, content) is not None
        return path == target.path or is_imported or any(word.encode() in content for word in words)

    def _uses_in(self, path: str, target: Target) -> Iterator[Excerpt]:
        file = self.file(path)
        if file is None:
            return
        functions, _ = defined(file.tree.body)
        own = functions.get(target.name, []) if path == target.path else []
        shown: set[int] = set()
        for line in _calls(file.tree, target.name.rpartition(".")[2]):
            if line in shown or any(first_line(node) <= line <= (node.end_lineno or 0) for node in own):
                continue
            around, what = _around(functions, line, len(file.lines))
            shown.update(around)
            yield Excerpt(path=path, what=what, lines=file.lines[around.start - 1 : around.stop - 1])
            if len(shown) >= _MOST_USES_OF_A_FILE * 2 * _AROUND:
                return


def _nothing() -> ast.Module:
    return ast.Module(body=[], type_ignores=[])


def _names(node: ast.AST) -> dict[str, None]:
    """The names that it mentions, in their order."""
    return dict.fromkeys(one.id for one in ast.walk(node) if isinstance(one, ast.Name))


def _shared(one: str, other: str) -> int:
    """How many folders two paths have in common."""
    folders = zip(one.split("/")[:-1], other.split("/")[:-1], strict=False)
    return next((number for number, (mine, theirs) in enumerate(folders) if mine != theirs), one.count("/"))


def _calls(tree: ast.Module, name: str) -> list[int]:
    """The lines that call something of this name."""
    return sorted(
        {
            node.lineno
            for node in ast.walk(tree)
            if isinstance(node, ast.Call) and name in (getattr(node.func, "id", None), getattr(node.func, "attr", None))
        }
    )


def _around(
    functions: dict[str, list[ast.FunctionDef | ast.AsyncFunctionDef]], line: int, last: int
) -> tuple[range, str]:
    """The lines near a line, in its function, and the function's name."""
    inside = [
        (first_line(node), node.end_lineno or 0, name)
        for name, nodes in functions.items()
        for node in nodes
        if first_line(node) <= line <= (node.end_lineno or 0)
    ]
    start, stop, name = max(inside, default=(1, last, ""))
    return range(max(start, line - _AROUND), min(stop, line + _AROUND) + 1), name


def _places(path: str, node: ast.ImportFrom, target: Target) -> Iterator[str]:
    """The paths that a module may have which is imported from."""
    parts = (node.module or "").split(".") if node.module else []
    if node.level:
        folders = path.split("/")[: -node.level]
        roots = ["/".join(folders)]
    else:
        roots = list(dict.fromkeys((target.root, "")))
    for root in roots:
        stem = "/".join([*([root] if root else []), *parts])
        if parts:
            yield f"{stem}.py"
        yield f"{stem}/__init__.py" if stem else "__init__.py"


def _head(file: SourceFile, node: ast.stmt) -> tuple[str, ...]:
    """A definition whole, where it is short; of a long class what it holds and how it is made."""
    lines = file.of(node)
    if len(lines) <= _LONGEST_CLASS or not isinstance(node, ast.ClassDef):
        return lines
    return tuple(file.lines[number - 1] for part in _class_head(node) for number in part)


def _class_head(node: ast.ClassDef) -> list[range]:
    """The lines of a class up to its first method, and those of its constructor."""
    methods = [one for one in node.body if isinstance(one, FUNCTIONS)]
    end = first_line(methods[0]) if methods else (node.end_lineno or 0) + 1
    start = first_line(node)
    made = [one for one in methods if one.name == "__init__"][:1]
    return [
        range(start, min(end, start + _LONGEST_CLASS)),
        *(range(first_line(one), (one.end_lineno or 0) + 1) for one in made),
    ]


class _Parts:
    """What a function uses of its module."""

    def __init__(self, file: SourceFile) -> None:
        body = file.tree.body
        self._functions, self._classes = defined(body)
        self._body = body
        self._assigned = {
            name: node for node in statements(body) if isinstance(node, ASSIGNMENTS) for name in bound([node])
        }

    def reached(self, name: str) -> list[ast.stmt]:
        """The function, and the functions and assignments of the module that it uses, and those that they use."""
        waiting: list[str] = [name]
        found: dict[ast.stmt, None] = {}
        seen: set[str] = set()
        while waiting and len(found) < _MOST_USED:
            known = waiting.pop(0)
            if known in seen:
                continue
            seen.add(known)
            for node in self._of(known):
                found[node] = None
                waiting += _names(node)
                waiting += _own(node, known.rpartition(".")[0])
        return list(found)

    def _of(self, name: str) -> list[ast.stmt]:
        assigned = self._assigned.get(name)
        return [*self._functions.get(name, []), *([assigned] if assigned is not None else [])]

    def ranges(self, name: str) -> list[range]:
        if name not in self._functions:
            return []
        reached = self.reached(name)
        count = len(self._functions[name])
        owners = [name.rsplit(".", times)[0] for times in range(1, name.count(".") + 1)]
        classes = [*owners, *(one for node in reached for one in _names(node) if one in self._classes)]
        heads = [
            part for one in dict.fromkeys(classes) if one in self._classes for part in _class_head(self._classes[one])
        ]
        return [
            *map(_lines, reached[:count]),
            *heads[: 2 * len(owners)],
            *self._imports({one for node in reached for one in _names(node)}),
            *map(_lines, reached[count:]),
            *heads[2 * len(owners) :],
        ]

    def _imports(self, names: Iterable[str]) -> list[range]:
        wanted = set(names)
        return [_lines(node) for node in self._body if isinstance(node, IMPORTS) and bound([node]) & wanted]


def _own(node: ast.AST, owner: str) -> list[str]:
    """The methods of its own class that it may call."""
    return [
        f"{owner}.{one.attr}"
        for one in ast.walk(node)
        if owner and isinstance(one, ast.Attribute) and isinstance(one.value, ast.Name) and one.value.id in RECEIVERS
    ]


def _lines(node: ast.stmt) -> range:
    return range(first_line(node), (node.end_lineno or 0) + 1)
