"""Counting by hand in a while loop."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import libcst as cst

from bakeoff.sources.rules.catalogue._shapes import is_steady, sole, text
from bakeoff.sources.rules.rewriting import Function, Rewrite, Rule, bound_names, expression

if TYPE_CHECKING:
    from collections.abc import Iterator


@dataclass(frozen=True, slots=True, kw_only=True)
class _Count:
    """A loop that counts a variable up to a limit, and the statement that begins with it."""

    name: str
    limit: str
    start: cst.SimpleStatementLine
    begin: str
    body: cst.IndentedBlock
    step: str


def _find(function: Function) -> Iterator[Rewrite]:
    for loop in function.walk(cst.While):
        count = _count(function, loop)
        if count is None:
            continue
        bounds = [count.limit] if (count.begin, count.step) == ("0", "1") else [count.begin, count.limit]
        bounds += [count.step] if count.step != "1" else []
        made = cst.For(
            target=cst.Name(count.name),
            iter=expression(f"range({', '.join(bounds)})"),
            body=count.body.with_changes(body=count.body.body[:-1]),
            leading_lines=loop.leading_lines,
        )
        yield Rewrite(replace={loop: made, count.start: cst.RemoveFromParent()})


def _count(function: Function, loop: cst.While) -> _Count | None:
    match loop.test, loop.body:
        case (
            cst.Comparison(
                left=cst.Name(value=name),
                comparisons=[cst.ComparisonTarget(operator=operator, comparator=limit)],
            ),
            cst.IndentedBlock(body=[_, *_, last]) as body,
        ) if isinstance(operator, (cst.LessThan, cst.LessThanEqual)) and loop.orelse is None:
            pass
        case _:
            return None
    step, start = _step(last, name), _start(function, loop, name)
    inner = body.with_changes(body=body.body[:-1])
    once = sum(name in bound_names(node) for node in function.walk(under=loop)) == 1
    if step is None or start is None or not once or not is_steady(function, limit, inner):
        return None
    if not function.is_pure(limit) or _continues(function, loop) or _is_used_elsewhere(function, loop, name):
        return None
    end = text(function, limit) if isinstance(operator, cst.LessThan) else f"{text(function, limit)} + 1"
    return _Count(name=name, limit=end, start=start[0], begin=start[1], body=body, step=step)


def _step(line: cst.CSTNode, name: str) -> str | None:
    """What is added in the end, by `i += 1` or `i = i + 1`."""
    match sole(line):
        case cst.AugAssign(target=cst.Name(value=target), operator=cst.AddAssign(), value=cst.Integer(value=step)) if (
            target == name
        ):
            return step
        case cst.Assign(
            targets=[cst.AssignTarget(target=cst.Name(value=target))],
            value=cst.BinaryOperation(left=cst.Name(value=left), operator=cst.Add(), right=cst.Integer(value=step)),
        ) if target == left == name:
            return step
    return None


def _start(function: Function, loop: cst.While, name: str) -> tuple[cst.SimpleStatementLine, str] | None:
    """The statement before the loop that gives the variable a number, with nothing between that knows it."""
    for line in function.preceding(loop):
        match line, sole(line):
            case (
                cst.SimpleStatementLine() as start,
                cst.Assign(targets=[cst.AssignTarget(target=cst.Name(value=target))], value=cst.Integer(value=number)),
            ) if target == name:
                return start, number
        if name in function.assigned(line) or function.uses(name, line):
            return None
    return None


def _continues(function: Function, loop: cst.While) -> bool:
    """Whether it goes on somewhere without counting."""
    return any(function.loops_around(node)[:1] == [loop] for node in function.walk(cst.Continue, under=loop))


def _is_used_elsewhere(function: Function, loop: cst.While, name: str) -> bool:
    inside = set(function.uses(name, loop))
    return any(use not in inside for use in function.uses(name))


RULE = Rule(
    name="while-to-for",
    summary="i = 0, while i < limit, i += 1 → for i in range(limit)",
    unsafe="A limit that moves while the loop runs; positions that are not whole numbers.",
    before="""\
def gaps(values, limit):
    found = []
    i = 0
    while i < len(values):
        found.append(values[i])
        i += 1
    k = 1
    # every second one
    while k <= limit:
        found.append(-k)
        k = k + 2
    return found
""",
    after="""\
def gaps(values, limit):
    found = []
    for i in range(len(values)):
        found.append(values[i])
    # every second one
    for k in range(1, limit + 1, 2):
        found.append(-k)
    return found
""",
    calls=("gaps([], 0)", "gaps([1, 2, 3, 4, 5], 5)"),
    find=_find,
)
