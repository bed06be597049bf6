"""What Python modules define and use, as their trees say it."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

__all__ = [
    "ASSIGNMENTS",
    "DEFINITIONS",
    "FUNCTIONS",
    "IMPORTS",
    "RECEIVERS",
    "Definition",
    "Function",
    "bound",
    "defined",
    "first_line",
    "imported",
    "statements",
]

Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef
Definition: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
DEFINITIONS = (*FUNCTIONS, ast.ClassDef)
IMPORTS = (ast.Import, ast.ImportFrom)
ASSIGNMENTS = (ast.Assign, ast.AnnAssign)
RECEIVERS = frozenset({"self", "cls"})


def defined(body: Iterable[ast.stmt], prefix: str = "") -> tuple[dict[str, list[Function]], dict[str, ast.ClassDef]]:
    """Functions and classes by their names, also those in classes."""
    functions: dict[str, list[Function]] = {}
    classes: dict[str, ast.ClassDef] = {}
    for node in statements(body):
        if isinstance(node, FUNCTIONS):
            functions.setdefault(prefix + node.name, []).append(node)
        elif isinstance(node, ast.ClassDef):
            classes.setdefault(prefix + node.name, node)
            inner, nested = defined(node.body, f"{prefix}{node.name}.")
            functions.update(inner)
            classes.update(nested)
    return functions, classes


def statements(body: Iterable[ast.stmt]) -> Iterator[ast.stmt]:
    """Statements, and those that stand under a condition among them."""
    for node in body:
        yield node
        if not isinstance(node, DEFINITIONS):
            for part in ("body", "orelse", "finalbody"):
                yield from statements(getattr(node, part, ()))
            for handler in getattr(node, "handlers", ()):
                yield from statements(handler.body)


def bound(body: Iterable[ast.stmt]) -> set[str]:
    """The names that these statements bind."""
    names: set[str] = set()
    for node in statements(body):
        if isinstance(node, DEFINITIONS):
            names.add(node.name)
        elif isinstance(node, IMPORTS):
            names.update(alias.asname or alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, (*ASSIGNMENTS, ast.AugAssign)):
            names.update(
                one.id for one in ast.walk(node) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)
            )
    return names


def imported(node: ast.stmt) -> Iterator[tuple[str, ...]]:
    if isinstance(node, ast.Import):
        yield from (("", alias.name, alias.asname or "") for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        module = "." * node.level + (node.module or "")
        yield from ((module, alias.name, alias.asname or alias.name) for alias in node.names)


def first_line(node: ast.stmt) -> int:
    decorators = node.decorator_list if isinstance(node, DEFINITIONS) else []
    return min([node.lineno, *(one.lineno for one in decorators)])
