"""What is to be improved, and what was recorded of it: values that verification and measurement share."""

from __future__ import annotations

import ast
import difflib
import itertools
import re
import tokenize
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from bakeoff.errors import UsageError, alternatives
from bakeoff.instruments import KIT

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

__all__ = ["INSTRUMENTS", "Project", "RecordedCall", "Target", "instrument"]

# For `WorkerConfig.kits`.
INSTRUMENTS = Path(KIT)

_COMPILED = (".so", ".pyd", ".pyx", ".c", ".cpp", ".rs")
_GENERATED = re.compile(r"@generated|do not edit|(auto-?|automatically )generated", re.IGNORECASE)
_HEAD_LINES, _MOST_NAMED = 10, 5
_Definition = ast.FunctionDef | ast.AsyncFunctionDef


def instrument(name: str) -> str:
    """The name of an instrument's function in a call, of `module:function`."""
    return f"_bakeoff_{INSTRUMENTS.name}.{name}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Project:
    """How a repository is imported: `roots` are the folders that imports start from, the first ones first; `tests` is
    where its tests are, empty for where its own configuration says."""

    roots: tuple[str, ...] = ("",)
    tests: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """A function or method: the file it is in, relative to the repository, and its name in it (`Class.method`)."""

    path: str
    name: str
    root: str = ""

    def __post_init__(self) -> None:
        if not self.path.endswith(".py") or PurePosixPath(self.path).is_absolute() or not self.name:
            raise UsageError(f"{self} is not a target", hint="name a Python file and what is in it: pkg/mod.py::name")
        if "<locals>" in self.name:
            raise UsageError(f"{self} is a function in a function", hint="name the function around it")

    def __str__(self) -> str:
        return f"{self.path}::{self.name}"

    @property
    def module(self) -> str:
        """The name that its module is imported by, from its root."""
        inner = PurePosixPath(self.path).relative_to(self.root or ".").with_suffix("")
        parts = inner.parts[:-1] if inner.name == "__init__" else inner.parts
        return ".".join(parts)

    def imported_as(self, modules: Iterable[str]) -> Target:
        """The same target from the root that these names of its module begin at: without an `__init__.py`, only who
        imports it knows. The first of them that its path can have; itself where there is none."""
        own = PurePosixPath(self.path).with_suffix("").parts
        parts = own[:-1] if own[-1] == "__init__" else own
        for name in modules:
            inner = tuple(name.split("."))
            if parts[-len(inner) :] == inner:
                return replace(self, root="/".join(parts[: -len(inner)]))
        return self

    @classmethod
    def find(cls, text: str, folder: Path, *, start: Path | None = None) -> Target:
        """The target that a text means in a repository: `pkg/mod.py::name`, `pkg.mod:name`, or a line in one,
        `pkg/mod.py:120`. Paths are relative to the repository, or to `start` in it.

        Only what its source says is looked at; raises UsageError with what may have been meant.
        """
        place, mark, name = text.partition("::") if "::" in text else text.rpartition(":")
        if not mark:
            raise UsageError(
                f"{text!r} names no function", hint="name one: pkg/mod.py::function or pkg.mod:Class.method"
            )
        path = _located(place, folder, start or folder)
        return cls(path=path, name=_found_in(folder / path, path, name), root=_root_of(path, folder))

    def rooted(self, folder: Path) -> Target:
        """The same target from where the packages around its file begin."""
        return replace(self, root=_root_of(self.path, folder))

    @classmethod
    def at_lines(cls, path: str, lines: Iterable[int], folder: Path) -> dict[int, Target]:
        """The targets around lines of a file of the repository; without those in no function. There are none in a file
        that is no Python, or generated."""
        try:
            with tokenize.open(folder / path) as file:
                text = file.read()
            _refuse_generated(text, path)
            tree = ast.parse(text)
        except (SyntaxError, ValueError, OSError, RecursionError, UsageError):
            return {}
        definitions, root = dict(_definitions(tree.body)), _root_of(path, folder)
        found = ((line, _around(definitions, line)) for line in lines)
        return {line: cls(path=path, name=name, root=root) for line, name in found if name is not None}


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedCall:
    """One call of the target, as tests made it. `arguments` are for its interpreter to read, never for us; `weight` is
    how many calls of its shape it stands for."""

    arguments: bytes
    shape: str
    weight: float = 1.0
    tests: tuple[str, ...] = ()


# -- finding a target -------------------------------------------------------------------------------------------------


def _located(place: str, folder: Path, start: Path) -> str:
    """The path in the repository of a file that was named by its path, or of a module that was named by its name."""
    if not place.endswith(".py") and "/" not in place:
        return _of_module(place, folder)
    top = folder.resolve()
    for base in (folder, start):
        full = (base / place).resolve()
        if full.is_file():
            if not full.is_relative_to(top):
                raise UsageError(f"{place!r} is outside of the repository {folder}", hint="name a file inside it")
            path = full.relative_to(top).as_posix()
            if full.suffix != ".py":
                raise UsageError(f"{path} is not a Python source file", hint=_beside(full))
            return path
    raise UsageError(f"there is no file {place!r} in {folder}", hint=_similar_files(place, folder))


def _of_module(name: str, folder: Path) -> str:
    """Where a module is, whatever folder of the repository imports start from; the nearest to its top counts."""
    inner = name.replace(".", "/")
    endings = (f"{inner}.py", f"{inner}/__init__.py")
    found = [path for path in _python_files(folder) for ending in endings if f"/{path}".endswith(f"/{ending}")]
    if found:
        return min(found, key=lambda path: (path.count("/"), path))
    compiled = [path for suffix in _COMPILED for path in folder.glob(f"**/{inner}*{suffix}")][:1]
    if compiled:
        what = compiled[0].relative_to(folder).as_posix()
        raise UsageError(f"{name} is not Python: it is made from {what}", hint="only Python functions can be targets")
    raise UsageError(f"there is no module {name!r} in {folder}", hint=_similar_files(f"{inner}.py", folder))


def _python_files(folder: Path) -> Iterator[str]:
    """The Python files of a repository, without hidden folders."""
    for path in folder.rglob("*.py"):
        inner = path.relative_to(folder)
        if not any(part.startswith(".") for part in inner.parts):
            yield inner.as_posix()


def _similar_files(place: str, folder: Path) -> str:
    files = list(itertools.islice(_python_files(folder), 20_000))
    name = PurePosixPath(place).name
    same = [path for path in files if PurePosixPath(path).name == name]
    near = same or difflib.get_close_matches(place, files, n=3)
    return _did_you_mean(near) or "name a file by its path in the repository, or a module by its name"


def _beside(path: Path) -> str:
    source = path.with_suffix(".py")
    return f"did you mean {source.name}?" if source.is_file() else "only Python functions can be targets"


def _did_you_mean(names: Iterable[str]) -> str:
    some = list(names)[:_MOST_NAMED]
    return f"did you mean {alternatives(some)}?" if some else ""


def _root_of(path: str, folder: Path) -> str:
    """Where the packages around a file begin."""
    top = PurePosixPath(path).parent
    while top.name and (folder / top / "__init__.py").is_file():
        top = top.parent
    return "" if str(top) == "." else str(top)


def _found_in(file: Path, path: str, name: str) -> str:
    """The name of the function that is meant in a file, by its name or by a line of it."""
    try:
        with tokenize.open(file) as lines:
            text = lines.read()
        tree = ast.parse(text)
    except (SyntaxError, ValueError, OSError) as error:
        raise UsageError(f"{path} cannot be read as Python: {error}", hint="mend the file first") from None
    _refuse_generated(text, path)
    definitions = dict(_definitions(tree.body))
    if name.isdecimal():
        return _at_line(definitions, int(name), path)
    if name in definitions:
        return name
    raise _unknown(tree, definitions, name, path)


def _refuse_generated(text: str, path: str) -> None:
    for number, line in enumerate(text.splitlines()[:_HEAD_LINES], start=1):
        if line.lstrip().startswith("#") and _GENERATED.search(line):
            raise UsageError(
                f"{path} is generated: line {number} says {line.strip()!r}",
                hint="improve what generates it; take that line away if it is not true",
            )


def _definitions(body: Iterable[ast.stmt], prefix: str = "") -> Iterator[tuple[str, _Definition]]:
    """The functions and methods that can be had by name from outside, whatever condition they stand under."""
    for node in body:
        if isinstance(node, _Definition):
            yield prefix + node.name, node
        elif isinstance(node, ast.ClassDef):
            yield from _definitions(node.body, f"{prefix}{node.name}.")
        else:
            for inner in ("body", "orelse", "finalbody"):
                yield from _definitions(getattr(node, inner, ()), prefix)
            for handler in getattr(node, "handlers", ()):
                yield from _definitions(handler.body, prefix)


def _begin(node: _Definition) -> int:
    return min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])


def _around(definitions: dict[str, _Definition], line: int) -> str | None:
    """The innermost of the functions that a line is in."""
    around = [name for name, node in definitions.items() if _begin(node) <= line <= (node.end_lineno or node.lineno)]
    return max(around, key=lambda name: definitions[name].lineno, default=None)


def _at_line(definitions: dict[str, _Definition], line: int, path: str) -> str:
    name = _around(definitions, line)
    if name is not None:
        return name
    before = [name for name, node in definitions.items() if _begin(node) > line][:1]
    hint = _did_you_mean(f"{path}::{name}" for name in before) or "name a line of a function"
    raise UsageError(f"line {line} of {path} is in no function", hint=hint)


def _unknown(tree: ast.Module, definitions: dict[str, _Definition], name: str, path: str) -> UsageError:
    """Why there is no such function, as exactly as the source says it."""
    parts = name.replace(".<locals>", "").split(".")
    for length in range(len(parts) - 1, 0, -1):
        outer = ".".join(parts[:length])
        if outer in definitions:
            return UsageError(f"{name} is a function in a function", hint=f"name the one around it: {path}::{outer}")
    methods = [known for known in definitions if known.startswith(f"{name}.")]
    if methods or any(isinstance(node, ast.ClassDef) and node.name == name for node in tree.body):
        some = _did_you_mean(f"{path}::{method}" for method in methods)
        return UsageError(f"{name} in {path} is a class, not a function", hint=some or "name one of its methods")
    for node in tree.body:
        if isinstance(node, ast.ImportFrom) and name in (alias.asname or alias.name for alias in node.names):
            module = "." * node.level + (node.module or "")
            return UsageError(
                f"{name} is not defined in {path}, it is imported there", hint=f"name it where it is defined: {module}"
            )
        if isinstance(node, ast.Assign) and name in (getattr(target, "id", None) for target in node.targets):
            return UsageError(
                f"{name} in {path} is assigned, not defined",
                hint=f"name the function that it is: see line {node.lineno}",
            )
    near = difflib.get_close_matches(name, definitions, n=3, cutoff=0.5)
    same = [known for known in definitions if known.rpartition(".")[2] == name]
    hint = _did_you_mean(f"{path}::{one}" for one in [*same, *near]) or _listed(definitions, path)
    return UsageError(f"there is no function {name!r} in {path}", hint=hint)


def _listed(definitions: dict[str, _Definition], path: str) -> str:
    some = ", ".join(itertools.islice(definitions, _MOST_NAMED))
    return f"it has {some}{', …' if len(definitions) > _MOST_NAMED else ''}" if some else f"{path} has no function"
