"""A list where a generator would do, or the other way round."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from bakeoff.sources.rules.catalogue._shapes import arguments, method_call, only_argument, plain_call, text
from bakeoff.sources.rules.rewriting import Function, Rewrite, Rule, expression

if TYPE_CHECKING:
    from collections.abc import Iterator

# What goes through all of its argument: from a list that is faster than from a generator.
_THOROUGH = ("sum", "min", "max", "sorted", "tuple", "frozenset")
# Builtins written in C, for which map is faster than a comprehension.
_MAPPED = frozenset({"str", "int", "float", "len", "ord", "chr", "repr", "abs", "bool", "round"})


def _find(function: Function) -> Iterator[Rewrite]:
    inner: set[cst.CSTNode] = set()
    for node in function.walk(cst.Call):
        if node in inner or not node.args or node.args[0].star or node.args[0].keyword is not None:
            continue
        code = _whole(function, node)
        if code is not None:
            inner.update(function.walk(under=node))
            yield Rewrite(replace={node: expression(code)})
            continue
        value = node.args[0].value
        new = _argument(function, node, value)
        if new is not None:
            yield Rewrite(replace={value: new})


# The whole call


def _whole(function: Function, node: cst.Call) -> str | None:
    only = arguments(node, 1)
    if only is None:
        return None
    return _comprehension(function, node, only[0]) or _without_lambda(function, node) or _count(function, node)


def _comprehension(function: Function, node: cst.Call, value: cst.BaseExpression) -> str | None:
    """`list(… for …)`, `set([… for …])`, `dict((key, value) for …)`."""
    if not isinstance(value, (cst.GeneratorExp, cst.ListComp)) or _is_mapped(value):
        return None
    inner = only_argument(function, value.with_changes(lpar=(), rpar=()))
    bare = inner[1:-1] if isinstance(value, cst.ListComp) else inner
    if plain_call(node, "list") and isinstance(value, cst.GeneratorExp):
        return f"[{bare}]"
    if plain_call(node, "set"):
        return f"{{{bare}}}"
    match value.elt:
        case cst.Tuple(elements=[cst.Element(value=key), cst.Element(value=item)]) if plain_call(node, "dict"):
            rest = function.module.code_for_node(value.for_in).strip()
            return f"{{{text(function, key)}: {text(function, item)} {rest}}}"
    return None


def _without_lambda(function: Function, node: cst.Call) -> str | None:
    """`list(map(lambda one: …, many))`, `list(filter(lambda one: …, many))`."""
    inner = plain_call(node, "list")
    made = plain_call(inner[0], "map", "filter", count=2) if inner is not None else None
    match made:
        case (cst.Lambda(params=cst.Parameters(params=[cst.Param(name=one, default=None)])) as asked, many):
            head = f"for {one.value} in {text(function, many)}"
            body = text(function, asked.body)
            is_map = inner is not None and plain_call(inner[0], "map", count=2) is not None
            return f"[{body} {head}]" if is_map else f"[{one.value} {head} if {body}]"
    return None


def _count(function: Function, node: cst.Call) -> str | None:
    """`sum(1 for one in many if …)`."""
    inner = plain_call(node, "sum")
    match inner:
        case (cst.GeneratorExp(elt=cst.Integer(value="1"), for_in=part),):
            return f"len([1 {function.module.code_for_node(part).strip()}])"
    return None


# Its argument


def _argument(function: Function, node: cst.Call, value: cst.BaseExpression) -> cst.BaseExpression | None:
    quick = plain_call(node, "any", "all")
    if quick is not None:
        return _as_generator(value)
    joined = method_call(node, "join") is not None
    is_thorough = isinstance(node.func, cst.Name) and node.func.value in (*_THOROUGH, "set", "list", "dict")
    if not joined and not is_thorough:
        return None
    if isinstance(value, (cst.GeneratorExp, cst.ListComp)) and _is_mapped(value):
        call = cst.ensure_type(value.elt, cst.Call)
        return expression(f"map({text(function, call.func)}, {text(function, value.for_in.iter)})")
    if isinstance(value, cst.GeneratorExp) and value.for_in.asynchronous is None:
        return cst.ListComp(elt=value.elt, for_in=value.for_in)
    listed = plain_call(value, "list") if plain_call(node, "sorted", "set", "sum", "tuple") else None
    return listed[0] if listed is not None else None


def _as_generator(value: cst.BaseExpression) -> cst.BaseExpression | None:
    """One that stops at the first answer, in the brackets of the call."""
    if not isinstance(value, cst.ListComp):
        return None
    return cst.GeneratorExp(elt=value.elt, for_in=value.for_in, lpar=(), rpar=())


def _is_mapped(value: cst.GeneratorExp | cst.ListComp) -> bool:
    """`str(one) for one in many`."""
    part = value.for_in
    match value.elt:
        case cst.Call(func=cst.Name(value=name), args=[cst.Arg(value=cst.Name(value=one), keyword=None, star="")]):
            same = isinstance(part.target, cst.Name) and part.target.value == one
            plain = part.inner_for_in is None and not part.ifs and part.asynchronous is None
            return same and plain and name in _MAPPED
    return False


RULE = Rule(
    name="generator-or-list",
    summary="a list where a generator stops earlier, a generator where a list or map is faster",
    unsafe="Elements whose making has effects that any and all would not wait for; endless or huge input.",
    before="""\
def summary(rows, limit):
    if any([row > limit for row in rows]):
        return ", ".join(str(row) for row in rows)
    pairs = dict([(row, row + 1) for row in rows])
    many = sum(1 for row in rows if row % 2)
    return sum(row * 2 for row in rows), pairs, many, set(row for row in rows), list(map(lambda row: row * 3, rows))
""",
    after="""\
def summary(rows, limit):
    if any(row > limit for row in rows):
        return ", ".join(map(str, rows))
    pairs = {row: row + 1 for row in rows}
    many = len([1 for row in rows if row % 2])
    return sum([row * 2 for row in rows]), pairs, many, {row for row in rows}, [row * 3 for row in rows]
""",
    calls=("summary([1, 2, 3, 4], 3)", "summary([1, 2, 3, 2], 5)", "summary([], 5)"),
    find=_find,
)
