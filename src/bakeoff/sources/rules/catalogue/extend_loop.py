"""Making a new collection, or going one by one, to add what could be added at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from bakeoff.sources.rules.catalogue._shapes import method_call, plain_call, sole, text
from bakeoff.sources.rules.rewriting import Function, Replacement, Rewrite, Rule, expression, statements, target_names

if TYPE_CHECKING:
    from collections.abc import Iterator

_FRESH = (cst.List, cst.Set, cst.Dict, cst.ListComp, cst.SetComp, cst.DictComp)


def _find(function: Function) -> Iterator[Rewrite]:
    fresh = _fresh_names(function)
    for node in function.walk(cst.For, cst.SimpleStatementLine, cst.Call):
        code = None
        match node:
            case cst.For():
                code = _added_one_by_one(function, node, fresh)
            case cst.SimpleStatementLine() if function.loops_around(node):
                code = _added_to_a_copy(function, node, fresh)
            case cst.Call():
                listed = _summed_lists(function, node)
                if listed is not None:
                    made: Replacement = expression(f"list(chain.from_iterable({listed}))")
                    yield Rewrite(replace={node: made}, imports=("from itertools import chain",))
        if code is not None:
            yield Rewrite(replace={node: _statement(node, code)})


def _statement(node: cst.CSTNode, code: str) -> cst.BaseStatement:
    statement = statements(f"{code}\n")[0]
    comments = node.leading_lines if isinstance(node, (cst.For, cst.SimpleStatementLine)) else ()
    return statement.with_changes(leading_lines=comments)


def _fresh_names(function: Function) -> set[str]:
    """The variables that at some place are given a collection that nobody else can have."""
    found = set()
    for node in function.own():
        match node:
            case cst.Assign(value=value):
                targets = [one.target for one in node.targets]
            case cst.AnnAssign(target=target, value=cst.BaseExpression() as value):
                targets = [target]
            case _:
                continue
        made = any(plain_call(value, kind, count=0) is not None for kind in ("list", "set", "dict"))
        if made or isinstance(value, _FRESH):
            found |= {target.value for target in targets if isinstance(target, cst.Name)}
    return found


def _added_one_by_one(function: Function, loop: cst.For, fresh: set[str]) -> str | None:
    """`for one in many: found.append(one)`."""
    body = loop.body.body if isinstance(loop.body, cst.IndentedBlock) else ()
    only = sole(body[0]) if len(body) == 1 and isinstance(body[0], cst.CSTNode) else None
    if loop.orelse is not None or loop.asynchronous is not None:
        return None
    source = text(function, loop.iter)
    match only:
        case cst.Expr(value=call):
            for method, at_once in (("append", "extend"), ("add", "update")):
                found = method_call(call, method)
                known = found is not None and (method == "append" or text(function, found[0]) in fresh)
                if found is None or not known or _mentions(function, found[0], loop.target):
                    continue  # what is added to depends on what is added
                if function.same(found[1][0], loop.target):
                    return f"{text(function, found[0])}.{at_once}({source})"
        case cst.Assign(targets=[cst.AssignTarget(target=cst.Subscript(value=table, slice=[key]))], value=value):
            pair = f"{function.code(key)}, {function.code(value)}"
            named = not (isinstance(table, cst.Name) and table.value == "self")
            named = named and not _mentions(function, table, loop.target)
            if named and pair == function.code(loop.target).strip("()") and isinstance(key.slice, cst.Index):
                items = method_call(loop.iter, "items", count=0)
                return f"{text(function, table)}.update({text(function, items[0]) if items else source})"
    return None


def _mentions(function: Function, node: cst.CSTNode, target: cst.BaseExpression) -> bool:
    """Whether a node has to do with what a loop goes through."""
    names = set(target_names(target))
    return any(name.value in names for name in function.walk(cst.Name, under=node))


def _added_to_a_copy(function: Function, line: cst.SimpleStatementLine, fresh: set[str]) -> str | None:
    """`found = found + [one]`, `seen = seen | {one}`, `table = {**table, key: value}`."""
    match sole(line):
        case cst.Assign(targets=[cst.AssignTarget(target=cst.Name(value=name))], value=value) if name in fresh:
            return _operator(function, name, value) or _union(function, name, value) or _merged(function, name, value)
        case cst.AugAssign(target=cst.Name(value=name), operator=cst.AddAssign(), value=value) if name in fresh:
            return _with_members(function, name, value)
        case cst.AugAssign(target=cst.Name(value=name), operator=cst.BitOrAssign(), value=value) if name in fresh:
            return _with_members(function, name, value)
    return None


def _operator(function: Function, name: str, value: cst.BaseExpression) -> str | None:
    match value:
        case cst.BinaryOperation(left=cst.Name(value=left), operator=operator, right=right) if left == name:
            if isinstance(operator, (cst.Add, cst.BitOr)):
                sign = "+=" if isinstance(operator, cst.Add) else "|="
                return _with_members(function, name, right) or f"{name} {sign} {text(function, right)}"
    return None


def _with_members(function: Function, name: str, value: cst.BaseExpression) -> str | None:
    """Adding the members of a list or a set that is written out, one only."""
    match value:
        case cst.List(elements=[cst.Element(value=member)]):
            return f"{name}.append({text(function, member)})"
        case cst.Set(elements=[cst.Element(value=member)]):
            return f"{name}.add({text(function, member)})"
    return None


def _union(function: Function, name: str, value: cst.BaseExpression) -> str | None:
    found = method_call(value, "union")
    if found is None or not isinstance(found[0], cst.Name) or found[0].value != name:
        return None
    return _with_members(function, name, found[1][0]) or f"{name}.update({text(function, found[1][0])})"


def _merged(function: Function, name: str, value: cst.BaseExpression) -> str | None:
    match value:
        case cst.Dict(elements=[cst.StarredDictElement(value=cst.Name(value=first)), second]) if first == name:
            if isinstance(second, cst.StarredDictElement):
                return f"{name}.update({text(function, second.value)})"
            if isinstance(second, cst.DictElement):
                return f"{name}[{text(function, second.key)}] = {text(function, second.value)}"
    return None


def _summed_lists(function: Function, node: cst.Call) -> str | None:
    """`sum(lists, [])`."""
    inner = plain_call(node, "sum", count=2)
    if inner is None or not (isinstance(inner[1], cst.List) and not inner[1].elements):
        return None
    return text(function, inner[0])


RULE = Rule(
    name="extend-loop",
    summary="found = found + [x], a loop that only adds, sum(lists, []) → append, add, extend, update, chain",
    unsafe="Somebody else who holds the collection sees it grow; adding a list of itself.",
    before="""\
def collect(groups, extra):
    found = []
    seen = set()
    table = {}
    for name, group in groups:
        found = found + [name]
        found = found + group
        seen = seen | {name}
        seen = seen.union(group)
        table = {**table, name: len(group)}
        # all of them
        for one in extra:
            found.append(one)
    for name, size in extra:
        table[name] = size
    return found, sorted(seen), table, sum([group for _, group in groups], [])
""",
    after="""\
from itertools import chain


def collect(groups, extra):
    found = []
    seen = set()
    table = {}
    for name, group in groups:
        found.append(name)
        found += group
        seen.add(name)
        seen.update(group)
        table[name] = len(group)
        # all of them
        found.extend(extra)
    table.update(extra)
    return found, sorted(seen), table, list(chain.from_iterable([group for _, group in groups]))
""",
    calls=("collect([], [])", "collect([('a', ['x', 'y']), ('b', ['a'])], [('k', 1), ('a', 2)])"),
    find=_find,
)
