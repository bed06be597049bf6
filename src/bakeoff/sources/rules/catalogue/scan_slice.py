"""Taking a run of characters out of a text one by one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from bakeoff.sources.rules.catalogue._shapes import is_simple, method_call, sole, text
from bakeoff.sources.rules.rewriting import Function, Replacement, Rewrite, Rule, beside

if TYPE_CHECKING:
    from collections.abc import Iterator


def _find(function: Function) -> Iterator[Rewrite]:
    for loop in function.walk(cst.While):
        match loop.body:
            case cst.IndentedBlock(body=[taking, stepping]) if loop.orelse is None:
                position = _stepped(function, stepping)
                taken = _taken(function, taking, position) if position is not None else None
            case _:
                continue
        if position is None or taken is None or not _is_apart(function, loop, position, taken[0]):
            continue
        start = function.fresh("start")
        after = taken[2].replace("@", f"{taken[1]}[{start}:{text(function, position)}]")
        replace: dict[cst.CSTNode, Replacement] = {
            loop: beside(loop, before=f"{start} = {text(function, position)}\n", after=f"{after}\n"),
            taking: cst.RemoveFromParent(),
        }
        yield Rewrite(replace=replace)


def _stepped(function: Function, line: cst.CSTNode) -> cst.BaseExpression | None:
    """What `i += 1` counts."""
    match sole(line):
        case cst.AugAssign(target=target, operator=cst.AddAssign(), value=cst.Integer(value="1")) if is_simple(target):
            return target
        case cst.Assign(
            targets=[cst.AssignTarget(target=target)],
            value=cst.BinaryOperation(left=left, operator=cst.Add(), right=cst.Integer(value="1")),
        ) if is_simple(target) and function.same(target, left):
            return target
    return None


def _taken(
    function: Function, line: cst.CSTNode, position: cst.BaseExpression
) -> tuple[cst.BaseExpression, str, str] | None:
    """What `word += text[i]` adds to and takes from; with @ for what is taken, how that is added."""
    target: cst.BaseExpression
    match sole(line):
        case cst.AugAssign(target=target, operator=cst.AddAssign(), value=value):
            how = f"{text(function, target)} += @"
        case cst.Assign(
            targets=[cst.AssignTarget(target=target)],
            value=cst.BinaryOperation(left=left, operator=cst.Add(), right=value),
        ) if function.same(target, left):
            how = f"{text(function, target)} += @"
        case cst.Expr(value=call):
            found = method_call(call, "append")
            if found is None:
                return None
            target, value, how = found[0], found[1][0], f"{text(function, found[0])}.extend(@)"
        case _:
            return None
    match value:
        case cst.Subscript(value=source, slice=[cst.SubscriptElement(slice=cst.Index(value=index, star=None))]):
            if function.same(index, position) and is_simple(source) and is_simple(target):
                return target, text(function, source), how
    return None


def _is_apart(function: Function, loop: cst.While, position: cst.BaseExpression, target: cst.BaseExpression) -> bool:
    """Whether the condition does not look at what was taken."""
    form = function.form(target)
    return form != function.form(position) and all(
        function.form(one) != form for one in function.walk(cst.Name, cst.Attribute, under=loop.test)
    )


RULE = Rule(
    name="scan-slice",
    summary="a run of characters taken one by one → found first, then taken as a slice",
    unsafe="Texts that are not sequences with slices; conditions that raise while something was taken already.",
    before="""\
def word_at(line, i):
    word = ""
    while i < len(line) and line[i].isalnum():
        word += line[i]
        i += 1
    return word, i
""",
    after="""\
def word_at(line, i):
    word = ""
    start = i
    while i < len(line) and line[i].isalnum():
        i += 1
    word += line[start:i]
    return word, i
""",
    calls=("word_at('an apple', 3)", "word_at('', 0)", "word_at('- x', 0)"),
    find=_find,
)
