"""Cutting off what was read copies all that is left, each time."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from bakeoff.sources.rules.catalogue._scan import Cursor, root_of
from bakeoff.sources.rules.catalogue._shapes import sole
from bakeoff.sources.rules.rewriting import (
    READING_METHODS,
    Function,
    Replacement,
    Rewrite,
    Rule,
    beside,
    bound_names,
    statements,
)

if TYPE_CHECKING:
    from collections.abc import Iterator


def _find(function: Function) -> Iterator[Rewrite]:
    names = dict.fromkeys(
        name
        for line in function.walk(cst.SimpleStatementLine)
        for name, value in _given(line).items()
        if _cut(name, value) is not None and function.loops_around(line)
    )
    for name in names:
        lines = [line for line in function.walk(cst.SimpleStatementLine) if name in _given(line)]
        if _is_plain(function, name, lines):
            rewrite = _rewrite(function, name, lines)
            if rewrite is not None:
                yield rewrite


def _given(line: cst.SimpleStatementLine) -> dict[str, cst.BaseExpression]:
    """What each variable is given in `a = x` or `a, b = x, y`."""
    match sole(line):
        case cst.Assign(targets=[cst.AssignTarget(target=cst.Name(value=name))], value=value):
            return {name: value}
        case cst.Assign(
            targets=[cst.AssignTarget(target=cst.Tuple(elements=names))], value=cst.Tuple(elements=values)
        ) if len(names) == len(values):
            pairs = zip(names, values, strict=True)
            return {
                to.value.value: given.value
                for to, given in pairs
                if isinstance(to.value, cst.Name) and isinstance(given, cst.Element)
            }
    return {}


def _cut(name: str, value: cst.BaseExpression) -> cst.BaseExpression | None:
    """Where what is left begins, in `text = text[n:]`."""
    match value:
        case cst.Subscript(
            value=cst.Name(value=source),
            slice=[cst.SubscriptElement(slice=cst.Slice(lower=lower, upper=None, step=None))],
        ) if source == name and lower is not None and not isinstance(lower, cst.UnaryOperation):
            return lower
    return None


def _is_plain(function: Function, name: str, lines: list[cst.SimpleStatementLine]) -> bool:
    """Whether all that happens to the variable can be seen, and happens in lines of their own."""
    bound = sum(name in bound_names(node) for node in function.walk(under=function.node.body))
    apart = all(function.statement(line) is line for line in lines)
    if bound != len(lines) or not function.is_local(name) or not apart:
        return False
    if any(isinstance(one, (cst.FunctionDef, cst.Lambda)) and function.uses(name, one) for one in function.own()):
        return False
    for use in function.uses(name):
        match function.parent(use):
            case cst.Attribute(attr=cst.Name(value=method)) if method not in READING_METHODS:
                return False
            case cst.Subscript() as part:
                if isinstance(function.parent(part), (cst.AssignTarget, cst.AugAssign, cst.Del)):
                    return False
    return isinstance(function.node.body, cst.IndentedBlock)


def _rewrite(function: Function, name: str, lines: list[cst.SimpleStatementLine]) -> Rewrite | None:
    at = function.fresh(f"{name}_start")
    cursor = Cursor(function, name, at)
    replace: dict[cst.CSTNode, Replacement] = {}
    changing = {node for line in lines for node in function.walk(cst.Name, under=line)}
    start = _first(function, name)
    if name in function.parameters:
        replace[start] = beside(start, **{"after" if start in lines else "before": f"{at} = 0\n"})
    for line in lines:
        if line in replace:  # it begins here
            continue
        made = _changed(function, cursor, line, (name, at))
        if made is None:
            return None
        first, *rest = statements(made)
        replace[line] = cst.FlattenSentinel([first.with_changes(leading_lines=line.leading_lines), *rest])
    for use in function.uses(name, under=function.node.body):
        if use not in changing:
            root = root_of(function, use)
            replace[root] = cursor.whole(root)
    return Rewrite(replace=replace)


def _first(function: Function, name: str) -> cst.CSTNode:
    """The statement of the function that is the first to have to do with the variable."""
    body = function.node.body.body
    return next(one for one in body if any(it.value == name for it in function.walk(cst.Name, under=one)))


def _changed(function: Function, cursor: Cursor, line: cst.SimpleStatementLine, names: tuple[str, str]) -> str | None:
    """What becomes of a line that gives the variable a value."""
    name, at = names
    given = _given(line)
    value = given.pop(name)
    steps = f"{', '.join(given)} = {', '.join(cursor.code(one) for one in given.values())}\n" if given else ""
    others = {one.value for one in function.walk(cst.Name, under=value)} & given.keys()
    only = sole(line)
    if others or (isinstance(only, cst.Assign) and _targets(only) != len(given) + 1):
        return None
    lower = _cut(name, value)
    if lower is not None:
        code = cursor.code(lower)
        return f"{steps}{at} = {code}\n" if _is_end_of_match(cursor, lower) else f"{steps}{at} += {code}\n"
    if isinstance(value, cst.SimpleString) and not value.evaluated_value:
        return f"{steps}{at} = len({name})\n" if function.loops_around(line) else f"{steps}{name} = ''\n{at} = 0\n"
    return f"{steps}{name} = {cursor.code(value)}\n{at} = 0\n"


def _targets(node: cst.Assign) -> int:
    target = node.targets[0].target
    return len(target.elements) if isinstance(target, cst.Tuple) else 1


def _is_end_of_match(cursor: Cursor, node: cst.BaseExpression) -> bool:
    match node:
        case cst.Call(func=cst.Attribute(value=cst.Name(value=name), attr=cst.Name(value="end")), args=[]):
            return cursor.gives_places(name)
    return False


RULE = Rule(
    name="scan-cursor",
    summary="text = text[n:] again and again → the place where the rest begins",
    unsafe="Steps that are negative or go beyond the end; lists that others hold; patterns that look back.",
    before='''\
import re


def words(text):
    """All that is in it."""
    found = []
    while text:
        if text[0] == " " or text.startswith("--"):
            text = text[1:]
            continue
        match = re.match(r"^\\w+", text)
        if not match:
            mark, text = text[0], text[1:]
            found.append((mark, len(text)))
        else:
            found.append(match.group(0) + text[1:3])
            text = text[match.end():]
    return found
''',
    after='''\
import re


def words(text):
    """All that is in it."""
    found = []
    text_start = 0
    while text_start < len(text):
        if text[text_start] == " " or text.startswith("--", text_start):
            text_start += 1
            continue
        match = re.compile(r"\\w+").match(text, text_start)
        if not match:
            mark = text[text_start]
            text_start += 1
            found.append((mark, len(text) - text_start))
        else:
            found.append(match.group(0) + text[text_start + 1:text_start + 3])
            text_start = match.end()
    return found
''',
    calls=("words('')", "words('an apple -- (or two)!')", "words(' -')"),
    find=_find,
)
