"""For each of one collection, another is searched for what has the same key: an index knows where it is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import libcst as cst

from bakeoff.sources.rules.rewriting import Rewrite, Rule, beside, expression

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bakeoff.sources.rules.rewriting import Function, Replacement


@dataclass(frozen=True, slots=True, kw_only=True)
class Join:
    """A search through `loop.iter`: `test` is where the keys are compared, `rest` what else is asked there."""

    loop: cst.For | cst.CompFor
    test: cst.BaseExpression
    rest: cst.BaseExpression | None
    key: cst.BaseExpression
    wanted: cst.BaseExpression


def _find(function: Function) -> Iterator[Rewrite]:
    for loop in function.walk(cst.For, cst.CompFor):
        join = join_of(function, loop)
        if join is None or not isinstance(loop.target, (cst.Name, cst.Tuple)):
            continue
        outer = function.steady_loop(loop.iter)
        statement = function.anchor(loop.iter, outer) if outer is not None else None
        if statement is not None:
            yield _rewrite(function, join, statement)


def join_of(function: Function, loop: cst.For | cst.CompFor) -> Join | None:
    if loop.asynchronous is not None:
        return None
    match loop:
        case cst.For(body=cst.IndentedBlock(body=[cst.If(test=test, orelse=None)])):
            pass
        case cst.CompFor(ifs=[cst.CompIf(test=test)]):
            pass
        case _:
            return None
    rest: cst.BaseExpression | None = None
    equal = test
    if isinstance(test, cst.BooleanOperation) and isinstance(test.operator, cst.And):
        equal, rest = test.left, test.right
    match equal:
        case cst.Comparison(left=left, comparisons=[cst.ComparisonTarget(operator=cst.Equal(), comparator=right)]):
            for key, wanted in ((left, right), (right, left)):
                if _is_key(function, loop, key, wanted):
                    return Join(loop=loop, test=test, rest=rest, key=key, wanted=wanted)
    return None


def _is_key(
    function: Function, loop: cst.For | cst.CompFor, key: cst.BaseExpression, wanted: cst.BaseExpression
) -> bool:
    """Whether one side is about what is gone through only, and the other not at all."""
    own = function.assigned(loop)
    loads = {name.value for name in function.walk(cst.Name, under=key) if function.is_load(name)}
    others = {name.value for name in function.walk(cst.Name, under=wanted) if function.is_load(name)}
    targets = {name.value for name in function.walk(cst.Name, under=loop.target)}
    is_apart = bool(loads) and loads <= targets and bool(others) and not others & own
    return is_apart and function.is_pure(key) and function.is_pure(wanted)


def _rewrite(function: Function, join: Join, statement: cst.BaseStatement) -> Rewrite:
    loop = join.loop
    build, found = index_of(function, join)
    replace: dict[cst.CSTNode, Replacement] = {loop.iter: found, statement: beside(statement, before=build)}
    if join.rest is not None:
        replace[join.test] = join.rest
    elif isinstance(loop, cst.CompFor):
        replace[loop.ifs[0]] = cst.RemoveFromParent()
    elif isinstance(loop.body, cst.IndentedBlock) and isinstance(loop.body.body[0], cst.If):
        inner = loop.body.body[0].body
        if isinstance(inner, cst.IndentedBlock):
            replace[loop.body.body[0]] = cst.FlattenSentinel(inner.body)
        else:
            replace[join.test] = cst.Name("True")
    return Rewrite(replace=replace)


def index_of(function: Function, join: Join) -> tuple[str, cst.BaseExpression]:
    """The statements that make the index, and what looks up in it."""
    loop = join.loop
    index = function.fresh("by_" + _hint(join.key))
    target = function.code(loop.target)
    item = f"({target})" if isinstance(loop.target, cst.Tuple) and not loop.target.lpar else target
    items = function.code(loop.iter)
    key = function.code(join.key)
    build = f"{index} = {{}}\nfor {target} in {items}:\n    {index}.setdefault({key}, []).append({item})\n"
    return build, expression(f"{index}.get({function.code(join.wanted)}, ())")


def _hint(key: cst.BaseExpression) -> str:
    match key:
        case cst.Attribute(attr=cst.Name(value=name)) | cst.Name(value=name):
            return name.strip("_") or "key"
        case cst.Subscript(slice=[cst.SubscriptElement(slice=cst.Index(value=cst.SimpleString() as text))]):
            name = str(text.evaluated_value)
            return name if name.isidentifier() else "key"
    return "key"


RULE = Rule(
    name="index-join",
    summary="a collection searched for a key again and again → a dict of its items by that key",
    unsafe="Keys that cannot be hashed raise TypeError; all keys are asked for, also those that no search comes to.",
    before="""\
def orders_of(customers, orders):
    found = []
    for customer in customers:
        for order in orders:
            if order["customer"] == customer["id"] and order["total"]:
                found.append((customer["name"], order["total"]))
    firsts = {c["id"]: [total for who, total in found if who == c["name"]] for c in customers}
    return found, firsts
""",
    after="""\
def orders_of(customers, orders):
    found = []
    by_customer = {}
    for order in orders:
        by_customer.setdefault(order["customer"], []).append(order)
    for customer in customers:
        for order in by_customer.get(customer["id"], ()):
            if order["total"]:
                found.append((customer["name"], order["total"]))
    by_who = {}
    for who, total in found:
        by_who.setdefault(who, []).append((who, total))
    firsts = {c["id"]: [total for who, total in by_who.get(c["name"], ())] for c in customers}
    return found, firsts
""",
    calls=(
        "orders_of([dict(id=1, name='a'), dict(id=2, name='b')], [dict(customer=2, total=n) for n in (3, 0, 4)])",
        "orders_of([], [])",
    ),
    find=_find,
)
