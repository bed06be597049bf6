"""A pattern that is looked for in what comes after a place, which is copied for that."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from bakeoff.sources.rules.catalogue._scan import SEARCHING, asks_for_groups
from bakeoff.sources.rules.catalogue._shapes import constant, is_simple, text
from bakeoff.sources.rules.rewriting import Function, Replacement, Rewrite, Rule, bound_names, expression, statements

if TYPE_CHECKING:
    from collections.abc import Iterator


def _find(function: Function) -> Iterator[Rewrite]:
    done: set[str] = set()
    for call in function.walk(cst.Call):
        found = _search(function, call)
        if found is None:
            continue
        match function.parent(call):
            case cst.Attribute(attr=cst.Name(value="group" | "groups" | "groupdict")):
                yield Rewrite(replace={call: expression(found[0])})
            case cst.Assign(targets=[cst.AssignTarget(target=cst.Name(value=name))]) if name not in done:
                done.add(name)
                replace = _with_places(function, name, found[1])
                if replace is not None:
                    yield Rewrite(replace=replace)


def _search(function: Function, call: cst.Call) -> tuple[str, cst.BaseExpression] | None:
    """`pattern.match(text, i)` of `pattern.match(text[i:])`, and the place."""
    match call:
        case cst.Call(func=cst.Attribute(value=owner, attr=cst.Name(value=method))) if method in SEARCHING:
            arguments = [arg.value for arg in call.args if not arg.star and arg.keyword is None]
        case _:
            return None
    pattern = text(function, owner)
    if len(arguments) != len(call.args) or not arguments:
        return None
    if pattern == "re":
        if len(arguments) < 2:
            return None
        known = _pattern(function, arguments.pop(0), method)
        if known is None:
            return None
        flags = "".join(f", {text(function, one)}" for one in arguments[1:])
        pattern = f"re.compile({known}{flags})"
        del arguments[1:]
    place = _beginning(arguments[0]) if len(arguments) == 1 else None
    if place is None:
        return None
    return f"{pattern}.{method}({text(function, place[0])}, {text(function, place[1])})", place[1]


def _beginning(node: cst.BaseExpression) -> tuple[cst.BaseExpression, cst.BaseExpression] | None:
    """The text and the place in `text[i:]`."""
    match node:
        case cst.Subscript(
            value=source,
            slice=[cst.SubscriptElement(slice=cst.Slice(lower=cst.BaseExpression() as lower, upper=None, step=None))],
        ) if is_simple(source) and is_simple(lower):
            return source, lower
    return None


def _pattern(function: Function, node: cst.BaseExpression, method: str) -> str | None:
    """The pattern without the ^ that stands for the place; None where that means something."""
    code = text(function, node)
    if constant(node) and code.lstrip("rR")[1:2] == "^":
        return code.replace("^", "", 1) if method != "search" else None
    return code


def _with_places(function: Function, name: str, place: cst.BaseExpression) -> dict[cst.CSTNode, Replacement] | None:
    """The searches whose result has this name, and what its places are from now on."""
    given = [one.value for one in function.walk(cst.Assign) if _names(one) == {name}]
    replace: dict[cst.CSTNode, Replacement] = {}
    for value in given:
        found = _search(function, value) if isinstance(value, cst.Call) else None
        if found is None or not function.same(found[1], place):
            return None
        replace[value] = expression(found[0])
    if sum(name in bound_names(node) for node in function.walk()) != len(given):
        return None
    for use in function.uses(name):
        attribute = function.parent(use)
        match attribute:
            case cst.Attribute(attr=cst.Name(value="start" | "end")):
                node, made = _place(function, function.parent(attribute), place)
                replace[node] = made
            case _ if not asks_for_groups(function, use):
                return None
    return replace


def _names(node: cst.Assign) -> set[str]:
    return {one.target.value for one in node.targets if isinstance(one.target, cst.Name)}


def _place(
    function: Function, asked: cst.CSTNode, place: cst.BaseExpression
) -> tuple[cst.CSTNode, cst.BaseExpression | cst.BaseSmallStatement]:
    """`m.end()` for `i + m.end()`, and what it takes where only `m.end()` was asked for."""
    code = function.code(asked)
    around = function.parent(asked)
    match around:
        case cst.BinaryOperation(left=left, operator=cst.Add(), right=right):
            if function.same(left if right is asked else right, place):
                return around, expression(code)
        case cst.AugAssign(target=target, operator=cst.AddAssign()) if function.same(target, place):
            line = statements(f"{text(function, place)} = {code}\n")[0]
            assert isinstance(line, cst.SimpleStatementLine)
            return around, line.body[0].with_changes(semicolon=around.semicolon)
    return asked, expression(f"({code} - {text(function, place)})")


RULE = Rule(
    name="scan-match",
    summary="pattern.search(text[i:]) → pattern.search(text, i)",
    unsafe="Patterns that look at what is before the place, ^ among them; places before the beginning.",
    before="""\
import re


def fields(text):
    found = []
    start = 0
    while True:
        match = re.search(r"<(\\w+)>", text[start:], re.ASCII)
        if match is None:
            return found
        before = text[start : start + match.start()]
        found.append((before, match.group(1), match.end() - match.start()))
        start += match.end()
        if re.match("^-+", text[start:]):
            return re.match("^-+", text[start:]).group(0)
""",
    after="""\
import re


def fields(text):
    found = []
    start = 0
    while True:
        match = re.compile(r"<(\\w+)>", re.ASCII).search(text, start)
        if match is None:
            return found
        before = text[start : match.start()]
        found.append((before, match.group(1), (match.end() - start) - (match.start() - start)))
        start = match.end()
        if re.match("^-+", text[start:]):
            return re.compile("-+").match(text, start).group(0)
""",
    calls=("fields('')", "fields('a <b> c<dd>e')", "fields('<b>--x')"),
    find=_find,
)
