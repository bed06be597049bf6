"""Keeping the first of equal ones by looking through those kept so far."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from bakeoff.sources.rules.rewriting import Rewrite, Rule, beside, statements

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bakeoff.sources.rules.rewriting import Function, Replacement


def _find(function: Function) -> Iterator[Rewrite]:
    for line in function.walk(cst.SimpleStatementLine):
        match line:
            case cst.SimpleStatementLine(
                body=[cst.Assign(targets=[cst.AssignTarget(target=cst.Name(value=name))], value=value)]
            ) if _is_new_list(value):
                plain = list(_plain_loop(function, line, name))
                yield from plain or _with_companion(function, line, name)


def _is_new_list(value: cst.BaseExpression) -> bool:
    match value:
        case cst.List() | cst.Call(func=cst.Name(value="list")):
            return True
    return False


def _plain_loop(function: Function, line: cst.SimpleStatementLine, name: str) -> Iterator[Rewrite]:
    """Nothing is done in the loop but that."""
    following = function.following(line)
    if not following or function.code(line).strip() not in {f"{name} = []", f"{name} = list()"}:
        return
    match following[0]:
        case (
            cst.For(
                target=cst.Name(value=item),
                iter=items,
                body=cst.IndentedBlock(
                    body=[
                        cst.If(
                            test=test, body=cst.IndentedBlock(body=[cst.SimpleStatementLine(body=[once])]), orelse=None
                        )
                    ]
                ),
                orelse=None,
                asynchronous=None,
            ) as loop
        ) if function.code(test).strip("()") == f"{item} not in {name}":
            if function.code(once) == f"{name}.append({item})" and not _is_used(function, name, items):
                made = statements(f"{name} = list(dict.fromkeys({function.code(items)}))\n")
                yield Rewrite(replace={line: cst.RemoveFromParent(), loop: made[0]})


def _is_used(function: Function, name: str, node: cst.CSTNode) -> bool:
    return bool(function.uses(name, under=node))


def _with_companion(function: Function, line: cst.SimpleStatementLine, name: str) -> Iterator[Rewrite]:
    """A set beside the list that takes in whatever the list does."""
    tests: list[cst.BaseExpression] = []
    appends: list[tuple[cst.BaseStatement, str]] = []
    for use in function.uses(name):
        parent = function.parent(use)
        match parent:
            case cst.ComparisonTarget(operator=cst.In() | cst.NotIn()) if function.loops_around(use):
                tests.append(use)
            case cst.Attribute(attr=cst.Name(value="append")):
                made = _append(function, parent)
                if made is None:
                    return
                appends.append(made)
            case cst.Attribute() | cst.AssignTarget():
                return
            case cst.Subscript() if not function.is_load(use) or _is_target(function, parent):
                return
    if not tests or not appends or _bindings(function, name) != 1:
        return
    seen = function.fresh("seen" if not name.startswith("seen") else f"{name}_set")
    start = "set()" if function.code(line).strip() in {f"{name} = []", f"{name} = list()"} else f"set({name})"
    replace: dict[cst.CSTNode, Replacement] = {test: cst.Name(seen) for test in tests}
    replace[line] = beside(line, after=f"{seen} = {start}\n")
    for statement, added in appends:
        replace[statement] = beside(statement, after=f"{seen}.add({added})\n")
    yield Rewrite(replace=replace)


def _append(function: Function, attribute: cst.CSTNode) -> tuple[cst.BaseStatement, str] | None:
    """The statement that appends, and what; None where it is part of something larger, or cannot be said twice."""
    call = function.parent(attribute)
    match call:
        case cst.Call(args=[cst.Arg(value=added)]) if isinstance(function.parent(call), cst.Expr):
            statement = function.statement(call)
            if statement is not None and isinstance(statement, cst.SimpleStatementLine) and function.is_pure(added):
                return statement, function.code(added)
    return None


def _is_target(function: Function, node: cst.CSTNode) -> bool:
    return isinstance(function.parent(node), (cst.AssignTarget, cst.AugAssign, cst.Del, cst.Element))


def _bindings(function: Function, name: str) -> int:
    return sum(node.value == name and not function.is_load(node) for node in function.walk(cst.Name)) - sum(
        node.attr.value == name for node in function.walk(cst.Attribute)
    )


RULE = Rule(
    name="dedupe",
    summary="looking through the list of what was kept so far → dict.fromkeys, or a set beside the list",
    unsafe="What cannot be hashed raises TypeError.",
    before="""\
def unique(items, key):
    plain = []
    for item in items:
        if item not in plain:
            plain.append(item)
    names = []
    for item in plain:
        name = key(item)
        if name in names:
            continue
        names.append(name)
    return plain, names
""",
    after="""\
def unique(items, key):
    plain = list(dict.fromkeys(items))
    names = []
    seen = set()
    for item in plain:
        name = key(item)
        if name in seen:
            continue
        names.append(name)
        seen.add(name)
    return plain, names
""",
    calls=("unique('abcAB', str.lower)", "unique([], str)"),
    find=_find,
)
