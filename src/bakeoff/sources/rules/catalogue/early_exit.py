"""Going on after the answer is known."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from bakeoff.sources.rules.catalogue._shapes import (
    conjuncts,
    constant,
    fitted,
    is_simple,
    names,
    only_argument,
    only_generator,
    plain_call,
    sole,
    text,
)
from bakeoff.sources.rules.rewriting import Function, Replacement, Rewrite, Rule, expression, statements

if TYPE_CHECKING:
    from collections.abc import Iterator

_MISSING = "_MISSING"


def _find(function: Function) -> Iterator[Rewrite]:
    for loop in function.walk(cst.For):
        rewrite = _scan(function, loop)
        if rewrite is not None:
            yield rewrite
    for line in function.walk(cst.SimpleStatementLine):
        rewrite = _first_of(function, line)
        if rewrite is not None:
            yield rewrite
    for node in function.walk(cst.ListComp, cst.Comparison):
        rewrite = _whether_any(function, node)
        if rewrite is not None:
            yield rewrite


# for one in many: if …: found = one


def _scan(function: Function, loop: cst.For) -> Rewrite | None:
    """A loop that only keeps what it finds: the first is kept by stopping there, the last by starting at the end."""
    body = loop.body.body if isinstance(loop.body, cst.IndentedBlock) else ()
    match body:
        case [cst.If(test=test, orelse=None, body=cst.IndentedBlock(body=[*_, _]) as kept)] if loop.orelse is None:
            given = _given(function, kept)
        case _:
            return None
    if given is None:
        return None
    stop = statements("break\n")[0]
    with_stop: Replacement = kept.with_changes(body=[*kept.body, stop])
    asked = names(function, test) & set(given)
    if all(constant(value) for value in given.values()) or (asked and _asks_whether_none(test, asked)):
        return Rewrite(replace={kept: with_stop})
    if not asked and is_simple(loop.iter):
        return Rewrite(replace={kept: with_stop, loop.iter: expression(f"reversed({text(function, loop.iter)})")})
    return None


def _given(function: Function, body: cst.IndentedBlock) -> dict[str, cst.BaseExpression] | None:
    """The variables that a block gives values to, if it does nothing else, and does not need them for that."""
    found: dict[str, cst.BaseExpression] = {}
    for statement in body.body:
        match sole(statement):
            case cst.Assign(targets=[cst.AssignTarget(target=cst.Name(value=name))], value=value):
                found[name] = value
            case _:
                return None
    read = {name for value in found.values() for name in names(function, value)}
    return found if not read & set(found) else None


def _asks_whether_none(test: cst.BaseExpression, asked: set[str]) -> bool:
    """Whether a condition holds only as long as one of these is None, or false."""
    for part in conjuncts(test):
        match part:
            case cst.Comparison(left=cst.Name(value=name), comparisons=[cst.ComparisonTarget(operator=cst.Is())]):
                if name in asked and isinstance(part.comparisons[0].comparator, cst.Name):
                    return part.comparisons[0].comparator.value == "None"
            case cst.UnaryOperation(operator=cst.Not(), expression=cst.Name(value=name)) if name in asked:
                return True
    return False


# found = [one for one in many if …], of which only the first is wanted


def _first_of(function: Function, line: cst.SimpleStatementLine) -> Rewrite | None:
    match sole(line):
        case cst.Assign(targets=[cst.AssignTarget(target=cst.Name(value=name))], value=cst.ListComp() as listed):
            pass
        case _:
            return None
    bound = [one for one in function.walk(cst.AssignTarget) if name in function.assigned(one)]
    if len(bound) != 1 or not function.is_local(name) or not listed.for_in.ifs:
        return None
    replace: dict[cst.CSTNode, Replacement] = {}
    missing = function.fresh(_MISSING)
    for use in function.uses(name):
        parent = function.parent(use)
        if _is_first_item(parent):
            replace[parent] = expression(name)
        elif isinstance(parent, (cst.If, cst.IfExp)) and parent.test is use:
            replace[use] = expression(f"{name} is not {missing}")
        elif isinstance(parent, cst.UnaryOperation) and isinstance(parent.operator, cst.Not):
            replace[parent] = fitted(function, parent, f"{name} is {missing}")
        else:
            return None
    if not any(isinstance(node, cst.Subscript) for node in replace):
        return None
    made = cst.GeneratorExp(elt=listed.elt, for_in=listed.for_in)
    guarded = len(replace) > 1
    replace[listed] = expression(f"next({function.code(made)}, {missing})" if guarded else f"next{function.code(made)}")
    return Rewrite(replace=replace, above=(f"{missing} = object()\n",) if guarded else ())


def _is_first_item(node: cst.CSTNode) -> bool:
    match node:
        case cst.Subscript(slice=[cst.SubscriptElement(slice=cst.Index(value=cst.Integer(value="0")))]):
            return True
    return False


# if [one for one in many if …], len([…]) > 0


def _whether_any(function: Function, node: cst.CSTNode) -> Rewrite | None:
    """A list that is made only to see whether it is empty."""
    match node:
        case cst.ListComp():
            parent = function.parent(node)
            code = _any(function, node) if _is_tested(function, node, parent) else None
            return Rewrite(replace={node: expression(code)}) if code is not None else None
        case cst.Comparison(left=left, comparisons=[cst.ComparisonTarget(operator=operator, comparator=limit)]):
            inner = plain_call(left, "len")
            code = _any(function, inner[0]) if inner is not None else None
            how = _how(operator, text(function, limit))
            if code is not None and how is not None:
                return Rewrite(replace={node: fitted(function, node, code if how else f"not {code}")})
    return None


def _is_tested(function: Function, node: cst.CSTNode, parent: cst.CSTNode) -> bool:
    """Whether only the truth of it counts."""
    while isinstance(parent, cst.BooleanOperation):
        node, parent = parent, function.parent(parent)
    if isinstance(parent, cst.UnaryOperation):
        return isinstance(parent.operator, cst.Not)
    return isinstance(parent, (cst.If, cst.IfExp)) and parent.test is node


def _how(operator: cst.BaseCompOp, limit: str) -> bool | None:
    """What a comparison of a length asks: whether there is any, whether there is none, or something else."""
    if (isinstance(operator, (cst.GreaterThan, cst.NotEqual)) and limit == "0") or (
        isinstance(operator, cst.GreaterThanEqual) and limit == "1"
    ):
        return True
    if (isinstance(operator, cst.Equal) and limit == "0") or (isinstance(operator, cst.LessThan) and limit == "1"):
        return False
    return None


def _any(function: Function, node: cst.BaseExpression) -> str | None:
    part = only_generator(node)
    if part is None or not isinstance(node, cst.ListComp) or len(part.ifs) != 1:
        return None
    if not function.is_pure(node.elt):
        return None
    made = cst.GeneratorExp(elt=part.ifs[0].test, for_in=part.with_changes(ifs=[]), lpar=(), rpar=())
    return f"any({only_argument(function, made)})"


RULE = Rule(
    name="early-exit",
    summary="a scan that goes on after the answer is known → stops there",
    unsafe="Conditions that have effects or raise for what comes later; iterators that are used up by somebody.",
    before="""\
def look(rows, wanted):
    known = False
    for row in rows:
        if row["id"] == wanted:
            known = True
    last = None
    for row in rows:
        if row["id"] == wanted:
            last = row
    first = [row["at"] for row in rows if row["id"] == wanted]
    if not first:
        return None
    if [row for row in rows if row["at"] > 9] or len([row for row in rows if row["at"] < 0]) == 0:
        return known, last, first[0]
    return first[0]
""",
    after="""\
_MISSING = object()


def look(rows, wanted):
    known = False
    for row in rows:
        if row["id"] == wanted:
            known = True
            break
    last = None
    for row in reversed(rows):
        if row["id"] == wanted:
            last = row
            break
    first = next((row["at"] for row in rows if row["id"] == wanted), _MISSING)
    if first is _MISSING:
        return None
    if any(row["at"] > 9 for row in rows) or not any(row["at"] < 0 for row in rows):
        return known, last, first
    return first
""",
    calls=("look([], 1)", "look([dict(id=n % 3, at=n) for n in range(7)], 1)"),
    find=_find,
)
