"""Asking for one type or value after the other."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from bakeoff.sources.rules.catalogue._shapes import constant, disjuncts, plain_call, sole, text
from bakeoff.sources.rules.rewriting import Function, Replacement, Rewrite, Rule, expression, statements

if TYPE_CHECKING:
    from collections.abc import Iterator

# From so many branches on, a table is likely to be faster.
_MANY = 4


def _find(function: Function) -> Iterator[Rewrite]:
    for node in function.walk(cst.BooleanOperation, cst.If):
        rewrite = _as_table(function, node) if isinstance(node, cst.If) else None
        if isinstance(node, cst.BooleanOperation) and isinstance(node.operator, cst.Or):
            rewrite = _of_types(function, node)
        if rewrite is not None:
            yield rewrite


# isinstance


def _of_types(function: Function, node: cst.BooleanOperation) -> Rewrite | None:
    """`isinstance(one, A) or isinstance(one, B)`."""
    parent = function.parent(node)
    if isinstance(parent, cst.BooleanOperation) and isinstance(parent.operator, cst.Or):
        return None
    asked = [plain_call(part, "isinstance", count=2) for part in disjuncts(node)]
    known = [one for one in asked if one is not None]
    if len(known) != len(asked) or not all(function.same(one[0], known[0][0]) for one in known):
        return None
    types = ", ".join(text(function, one) for _, kind in known for one in _types(kind))
    return Rewrite(replace={node: expression(f"isinstance({text(function, known[0][0])}, ({types}))")})


def _types(node: cst.BaseExpression) -> list[cst.BaseExpression]:
    return [one.value for one in node.elements] if isinstance(node, cst.Tuple) else [node]


# One value after the other


def _as_table(function: Function, node: cst.If) -> Rewrite | None:
    """A chain that gives a constant for each of many constants."""
    if function.statement(node) is not node:
        return None
    pairs: list[tuple[str, str]] = []
    subject: cst.BaseExpression | None = None
    head = ""
    branch: cst.If | cst.Else | None = node
    while isinstance(branch, cst.If):
        asked, given = _asked(branch.test), _given(function, branch.body)
        if asked is None or given is None or (head and given[0] != head):
            return None
        if subject is not None and not function.same(subject, asked[0]):
            return None
        subject, head = asked[0], given[0]
        pairs += [(text(function, one), text(function, given[1])) for one in asked[1]]
        branch = branch.orelse
    if len(pairs) < _MANY or subject is None or not function.is_pure(subject):
        return None
    return _looked_up(function, node, text(function, subject), pairs, (head, branch))


def _asked(test: cst.BaseExpression) -> tuple[cst.BaseExpression, list[cst.BaseExpression]] | None:
    """What is compared with which constants: `kind == "a"`, `kind in ("a", "b")`."""
    subject: cst.BaseExpression | None = None
    values: list[cst.BaseExpression] = []
    match test:
        case cst.Comparison(left=subject, comparisons=[cst.ComparisonTarget(operator=cst.Equal(), comparator=value)]):
            values = [value]
        case cst.Comparison(left=subject, comparisons=[cst.ComparisonTarget(operator=cst.In(), comparator=many)]):
            if isinstance(many, (cst.Tuple, cst.List, cst.Set)):
                values = [one.value for one in many.elements]
    known = bool(values) and all(constant(one) for one in values)
    return (subject, values) if subject is not None and known else None


def _given(function: Function, body: cst.BaseSuite) -> tuple[str, cst.BaseExpression] | None:
    """How a branch begins that gives one constant, and which."""
    match sole(body.body[0]) if isinstance(body, cst.IndentedBlock) and len(body.body) == 1 else None:
        case cst.Return(value=cst.BaseExpression() as value) if _is_constant(value):
            return "return ", value
        case cst.Assign(targets=[target], value=value) if _is_constant(value):
            return f"{text(function, target.target)} = ", value
    return None


def _is_constant(node: cst.BaseExpression) -> bool:
    if isinstance(node, cst.Tuple):
        return all(_is_constant(one.value) for one in node.elements)
    return constant(node)


def _looked_up(
    function: Function,
    node: cst.If,
    subject: str,
    pairs: list[tuple[str, str]],
    end: tuple[str, cst.Else | None],
) -> Rewrite:
    head, other = end
    name = function.fresh("_TABLE")
    first = dict(reversed(pairs))
    members = "".join(f"    {key}: {first[key]},\n" for key in dict(pairs))
    table = f"{name} = {{\n{members}}}\n"
    default = _given(function, other.body) if other is not None else None
    following = next(iter(function.following(node)), None)
    replace: dict[cst.CSTNode, Replacement] = {}
    if default is not None and default[0] == head:
        line: cst.BaseStatement = statements(f"{head}{name}.get({subject}, {text(function, default[1])})\n")[0]
    elif other is None and head == "return " and (last := _returned(following)) is not None and following is not None:
        line = statements(f"{head}{name}.get({subject}, {text(function, last)})\n")[0]
        replace[following] = cst.RemoveFromParent()
    else:
        line = statements(f"if {subject} in {name}:\n    {head}{name}[{subject}]\n")[0].with_changes(orelse=other)
    replace[node] = line.with_changes(leading_lines=node.leading_lines)
    return Rewrite(replace=replace, above=(table,))


def _returned(line: cst.CSTNode | None) -> cst.BaseExpression | None:
    match sole(line):
        case cst.Return(value=cst.BaseExpression() as value) if _is_constant(value):
            return value
    return None


RULE = Rule(
    name="isinstance-chain",
    summary="a chain of isinstance or of == with constants → one isinstance, one look-up",
    unsafe="What cannot be hashed, or has an == of its own; what a chain would have raised on the way.",
    before="""\
def weight(kind, value):
    if isinstance(value, int) or isinstance(value, (float, complex)):
        return 0
    if kind == "a":
        rank = 1
    elif kind in ("b", "c"):
        rank = 2
    elif kind == "d":
        rank = 3
    else:
        rank = len(kind)
    return rank
""",
    after="""\
_TABLE = {
    "a": 1,
    "b": 2,
    "c": 2,
    "d": 3,
}


def weight(kind, value):
    if isinstance(value, (int, float, complex)):
        return 0
    if kind in _TABLE:
        rank = _TABLE[kind]
    else:
        rank = len(kind)
    return rank
""",
    calls=("weight('a', 1)", "[weight(kind, '') for kind in ('a', 'b', 'c', 'd', 'other')]"),
    find=_find,
)
