"""`sorted(x)[0]` looks at everything several times to find one thing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from bakeoff.sources.rules.rewriting import Rewrite, Rule, expression

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from bakeoff.sources.rules.rewriting import Function, Replacement


def _find(function: Function) -> Iterator[Rewrite]:
    if not function.is_builtin("sorted"):
        return
    for node in function.walk(cst.Subscript):
        match node.slice:
            case [cst.SubscriptElement(slice=part)]:
                made = _part(function, node.value, part)
                if made is not None:
                    yield Rewrite(replace={node: expression(made[0])}, imports=made[1])
    for line in function.walk(cst.SimpleStatementLine):
        yield from _named(function, line)


def _named(function: Function, line: cst.SimpleStatementLine) -> Iterator[Rewrite]:
    """A sorted list that has a name, of which one part is used and nothing else."""
    match line.body:
        case [cst.Assign(targets=[cst.AssignTarget(target=cst.Name(value=name))], value=cst.Call() as call)]:
            mentions = [one for one in function.walk(cst.Name) if one.value == name]
            uses = function.uses(name)
            if (
                len(mentions) != 2
                or len(uses) != 1
                or len(function.loops_around(uses[0])) > len(function.loops_around(line))
            ):
                return
            match function.parent(uses[0]):
                case cst.Subscript(slice=[cst.SubscriptElement(slice=part)]) as node:
                    made = _part(function, call, part)
                    if made is not None:
                        replace: dict[cst.CSTNode, Replacement] = {call: expression(made[0]), node: cst.Name(name)}
                        yield Rewrite(replace=replace, imports=made[1])


def _part(function: Function, value: cst.BaseExpression, part: cst.BaseSlice) -> tuple[str, tuple[str, ...]] | None:
    """What gives the same as this part of `sorted(…)`, and what has to be imported for it."""
    match value:
        case cst.Call(func=cst.Name(value="sorted"), args=[cst.Arg(keyword=None, star=""), *options] as args):
            return _smallest(function, part, args) if _are_known(options) else None
    return None


def _are_known(options: Sequence[object]) -> bool:
    return all(
        isinstance(one, cst.Arg) and one.keyword is not None and one.keyword.value in {"key", "reverse"}
        for one in options
    )


def _smallest(function: Function, part: cst.BaseSlice, args: Sequence[cst.Arg]) -> tuple[str, tuple[str, ...]] | None:
    keywords = {arg.keyword.value: function.code(arg.value) for arg in args if arg.keyword is not None}
    is_reversed = keywords.get("reverse", "False")
    if is_reversed not in {"True", "False"}:
        return None
    items = function.code(args[0].value)
    key = f", key={keywords['key']}" if "key" in keywords else ""
    match part:
        case cst.Index(value=cst.Integer(value="0")):
            return f"{'max' if is_reversed == 'True' else 'min'}({items}{key})", ()
        case cst.Index(value=cst.UnaryOperation(operator=cst.Minus(), expression=cst.Integer(value="1"))):
            return f"{'min' if is_reversed == 'True' else 'max'}({items}{key})", ()
        case cst.Slice(lower=None, upper=cst.BaseExpression() as upper, step=None):
            if isinstance(upper, cst.UnaryOperation):
                return None
            which = "nlargest" if is_reversed == "True" else "nsmallest"
            return f"heapq.{which}({function.code(upper)}, {items}{key})", ("import heapq",)
    return None


RULE = Rule(
    name="sorted-first",
    summary="the first or last of a sorted list → min, max, heapq.nsmallest, heapq.nlargest",
    unsafe="Of equal ones at the end another comes out; for nothing at all, min raises ValueError, not IndexError.",
    before="""\
def extremes(words, count):
    first = sorted(words)[0]
    ranked = sorted(words, key=len, reverse=True)
    return first, ranked[:count]
""",
    after="""\
import heapq


def extremes(words, count):
    first = min(words)
    ranked = heapq.nlargest(count, words, key=len)
    return first, ranked
""",
    calls=("extremes(['c', 'a', 'dd', 'bb', 'eee'], 3)", "extremes(['x'], 0)"),
    find=_find,
)
