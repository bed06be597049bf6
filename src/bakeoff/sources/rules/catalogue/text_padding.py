"""Text that is filled up one character at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from bakeoff.sources.rules.catalogue._shapes import is_steady, plain_call, sole, text
from bakeoff.sources.rules.rewriting import Function, Rewrite, Rule, statements

if TYPE_CHECKING:
    from collections.abc import Iterator


def _find(function: Function) -> Iterator[Rewrite]:
    for loop in function.walk(cst.While):
        wanted = _wanted(function, loop.test)
        if wanted is None or loop.orelse is not None or not isinstance(loop.body, cst.IndentedBlock):
            continue
        name, width = wanted
        code = _filled(function, loop.body, name, text(function, width))
        if code is not None and is_steady(function, width, loop):
            made = statements(code)
            yield Rewrite(replace={loop: made[0].with_changes(leading_lines=loop.leading_lines)})


def _wanted(function: Function, test: cst.BaseExpression) -> tuple[str, cst.BaseExpression] | None:
    """The variable and the width in `len(text) < width`."""
    match test:
        case cst.Comparison(
            left=left, comparisons=[cst.ComparisonTarget(operator=cst.LessThan() | cst.NotEqual(), comparator=width)]
        ):
            pass
        case cst.Comparison(
            left=width, comparisons=[cst.ComparisonTarget(operator=cst.GreaterThan(), comparator=left)]
        ):
            pass
        case _:
            return None
    measured = plain_call(left, "len")
    if measured is None or not isinstance(measured[0], cst.Name) or not function.is_pure(width):
        return None
    name = measured[0].value
    return None if function.uses(name, under=width) else (name, width)


def _filled(function: Function, block: cst.BaseSuite | cst.Else, name: str, width: str) -> str | None:
    """What does at once what the block does again and again: one line that adds a character, or a choice of them."""
    body = block.body if isinstance(block, cst.IndentedBlock) else ()
    if len(body) != 1:
        return None
    match body[0]:
        case cst.If(test=test, body=first, orelse=cst.Else(body=second)) if not function.uses(name, under=test):
            if not function.is_pure(test):
                return None
            made = _filled(function, first, name, width), _filled(function, second, name, width)
            if made[0] is None or made[1] is None:
                return None
            return f"if {text(function, test)}:\n    {made[0]}else:\n    {made[1]}" if _are_lines(*made) else None
        case cst.SimpleStatementLine() as line:
            return _line(line, name, width)
    return None


def _are_lines(*codes: str | None) -> bool:
    return all(code is not None and code.count("\n") == 1 for code in codes)


def _line(line: cst.SimpleStatementLine, name: str, width: str) -> str | None:
    match sole(line):
        case cst.AugAssign(target=cst.Name(value=grown), operator=cst.AddAssign(), value=fill):
            method = "ljust"
        case cst.Assign(
            targets=[cst.AssignTarget(target=cst.Name(value=grown))],
            value=cst.BinaryOperation(left=left, operator=cst.Add(), right=right),
        ):
            method, kept, fill = "ljust", left, right
            if isinstance(left, cst.SimpleString):
                method, kept, fill = "rjust", right, left
            if not (isinstance(kept, cst.Name) and kept.value == name):
                return None
        case _:
            return None
    if grown != name or not isinstance(fill, cst.SimpleString) or len(fill.evaluated_value) != 1:
        return None
    more = "" if fill.evaluated_value == " " else f", {fill.value}"
    return f"{name} = {name}.{method}({width}{more})\n"


RULE = Rule(
    name="text-padding",
    summary="text filled up character by character → ljust and rjust",
    unsafe="What is filled up is not a text, though text can be added to it.",
    before="""\
def cells(values, width, is_number):
    found = []
    for value in values:
        while len(value) < width:
            if is_number:
                value = " " + value
            else:
                value = value + " "
        mark = ""
        while width != len(mark):
            mark = mark + "x"
        while len(mark) < width + 3:
            mark += "-"
        found.append(value + mark)
    return found
""",
    after="""\
def cells(values, width, is_number):
    found = []
    for value in values:
        if is_number:
            value = value.rjust(width)
        else:
            value = value.ljust(width)
        mark = ""
        while width != len(mark):
            mark = mark + "x"
        mark = mark.ljust(width + 3, "-")
        found.append(value + mark)
    return found
""",
    calls=("cells(['a', '', 'abcd'], 2, True)", "cells(['a', 'abcdef'], 4, False)", "cells([], 1, False)"),
    find=_find,
)
