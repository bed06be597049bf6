"""Texts that are put together only to be compared."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from bakeoff.sources.rules.catalogue._shapes import plain_call, sole, text
from bakeoff.sources.rules.rewriting import Function, Replacement, Rewrite, Rule, bound_names, expression

if TYPE_CHECKING:
    from collections.abc import Iterator

# What is asked of a table or set by a key, which is their first argument.
_BY_KEY = frozenset({"add", "discard", "remove", "get", "setdefault", "pop"})


def _find(function: Function) -> Iterator[Rewrite]:
    for arg in function.walk(cst.Arg):
        if arg.keyword is not None and arg.keyword.value == "key" and isinstance(arg.value, cst.Lambda):
            parts = _parts(function, arg.value.body)
            if parts is not None:
                yield Rewrite(replace={arg.value.body: expression(f"({', '.join(parts[0])})")})
    done: set[str] = set()
    for node in function.own():
        if not isinstance(node, (cst.FormattedString, cst.BinaryOperation)):
            continue
        name = _table_of(function, node)
        if name is not None and name not in done:
            done.add(name)
            rewrite = _keys(function, name)
            if rewrite is not None:
                yield rewrite


# What is put together


def _parts(function: Function, node: cst.BaseExpression) -> tuple[list[str], str] | None:
    """The values in a text like `f"{a}-{b}"` or `a + "-" + b`, and what is around them."""
    values: list[str] = []
    marks = ""
    for part in _pieces(node):
        if isinstance(part, cst.SimpleString):
            marks += function.code(part)
        elif isinstance(part, cst.FormattedStringText):
            marks += part.value
        else:
            inner = part.expression if isinstance(part, cst.FormattedStringExpression) else part
            shown = plain_call(inner, "str")
            values.append(text(function, shown[0] if shown is not None else inner))
            marks += "@"
    return (values, marks) if len(values) > 1 and set(marks) != {"@"} else None


def _pieces(node: cst.CSTNode) -> Iterator[cst.CSTNode]:
    match node:
        case cst.BinaryOperation(left=left, operator=cst.Add(), right=right):
            yield from _pieces(left)
            yield from _pieces(right)
        case cst.FormattedString(parts=parts):
            yield from parts
        case _:
            yield node


# Tables by such texts


def _table_of(function: Function, node: cst.BaseExpression) -> str | None:
    """The variable whose key this is, right here or by way of another variable."""
    if _parts(function, node) is None:
        return None
    line = function.statement(node)
    match sole(line):
        case cst.Assign(targets=[cst.AssignTarget(target=cst.Name(value=name))], value=value) if value is node:
            used = function.uses(name)
            return _keyed(function, used[0]) if used else None
    return _keyed(function, node)


def _keyed(function: Function, node: cst.CSTNode) -> str | None:
    """The variable that this is a key of: `table[key]`, `key in table`, `table.add(key)`."""
    parent = function.parent(node)
    match parent:
        case cst.Comparison(left=left, comparisons=[cst.ComparisonTarget(operator=operator, comparator=table)]):
            asked = left is node and isinstance(operator, (cst.In, cst.NotIn))
            return table.value if asked and isinstance(table, cst.Name) else None
        case cst.Arg():
            call = function.parent(parent)
            match call:
                case cst.Call(func=cst.Attribute(value=cst.Name(value=name), attr=cst.Name(value=method))):
                    return name if method in _BY_KEY and call.args[0] is parent else None
        case cst.Index():
            around = function.parent(function.parent(parent))
            if isinstance(around, cst.Subscript) and len(around.slice) == 1 and isinstance(around.value, cst.Name):
                return around.value.value
    return None


def _keys(function: Function, name: str) -> Rewrite | None:
    """All keys of a table that is nobody else's, if all are put together in the same way."""
    if not function.is_local(name) or name in function.parameters:
        return None
    found: list[cst.BaseExpression] = []
    for use in function.uses(name):
        key = _key_at(function, use)
        if key is None:
            if _is_harmless(function, use):
                continue
            return None
        found += [key]
    made = _origins(function, found)
    if made is None:
        return None
    parts = [_parts(function, node) for node in made]
    if any(part is None for part in parts) or len({part[1] for part in parts if part is not None}) != 1:
        return None
    replace: dict[cst.CSTNode, Replacement] = {
        node: expression(f"({', '.join(part[0])})") for node, part in zip(made, parts, strict=True) if part is not None
    }
    return Rewrite(replace=replace)


def _key_at(function: Function, use: cst.Name) -> cst.BaseExpression | None:
    """The key in `table[key]`, `key in table`, `table.add(key)`, by the name of the table there."""
    parent = function.parent(use)
    match parent:
        case cst.Subscript(value=value, slice=[cst.SubscriptElement(slice=cst.Index(value=key))]) if value is use:
            return key
        case cst.ComparisonTarget(operator=cst.In() | cst.NotIn()):
            around = function.parent(parent)
            return around.left if isinstance(around, cst.Comparison) and len(around.comparisons) == 1 else None
        case cst.Attribute(attr=cst.Name(value=method)) if method in _BY_KEY:
            call = function.parent(parent)
            return call.args[0].value if isinstance(call, cst.Call) and call.args else None
    return None


def _is_harmless(function: Function, use: cst.Name) -> bool:
    """Whether what is asked is not about the keys."""
    parent = function.parent(use)
    if isinstance(parent, cst.Attribute):
        return parent.attr.value in {"values", "clear"}
    return isinstance(parent, cst.Arg) and plain_call(function.parent(parent), "len") is not None


def _origins(function: Function, keys: list[cst.BaseExpression]) -> list[cst.BaseExpression] | None:
    """Where the keys are put together: right there, or where a variable is given them that is used for nothing else."""
    found: list[cst.BaseExpression] = []
    for key in keys:
        if not isinstance(key, cst.Name):
            found.append(key)
            continue
        given = [one for one in function.walk(cst.Assign) if _is_given(one, key.value)]
        bound = sum(key.value in bound_names(one) for one in function.walk())
        others = [use for use in function.uses(key.value) if not any(use is one for one in keys)]
        if not given or bound != len(given) or others:
            return None
        found += [one.value for one in given if not any(one.value is known for known in found)]
    return found


def _is_given(node: cst.Assign, name: str) -> bool:
    return any(isinstance(one.target, cst.Name) and one.target.value == name for one in node.targets)


RULE = Rule(
    name="key-concat",
    summary="texts put together as keys or to sort by → tuples",
    unsafe="Values that differ but read the same, or cannot be hashed; separators that are in the values.",
    before="""\
def unique(rows):
    seen = set()
    found = []
    for row in rows:
        key = f"{row['name']}|{row['day']}"
        if key in seen:
            continue
        seen.add(key)
        found.append(row)
    return sorted(found, key=lambda row: row["day"] + "-" + row["name"])
""",
    after="""\
def unique(rows):
    seen = set()
    found = []
    for row in rows:
        key = (row['name'], row['day'])
        if key in seen:
            continue
        seen.add(key)
        found.append(row)
    return sorted(found, key=lambda row: (row["day"], row["name"]))
""",
    calls=("unique([])", "unique([dict(name=n, day=d) for n, d in ('b2', 'a1', 'b2', 'a2')])"),
    find=_find,
)
