"""Text that grows piece by piece is copied again and again, or so it may be; joining makes it once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from bakeoff.sources.rules.rewriting import Rewrite, Rule, beside, statements

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bakeoff.sources.rules.rewriting import Function, Replacement


def _find(function: Function) -> Iterator[Rewrite]:
    for line in function.walk(cst.SimpleStatementLine):
        match line:
            case cst.SimpleStatementLine(
                body=[cst.Assign(targets=[cst.AssignTarget(target=cst.Name(value=name))], value=start)]
            ) if isinstance(start, (cst.SimpleString, cst.FormattedString)):
                rewrite = _rewrite(function, line, name, function.code(start))
                if rewrite is not None:
                    yield rewrite


def _rewrite(function: Function, line: cst.SimpleStatementLine, name: str, start: str) -> Rewrite | None:
    last = None
    replace: dict[cst.CSTNode, Replacement] = {}
    parts = function.fresh(f"{name}_parts")
    for statement in function.following(line):
        if not _mentions(function, statement, name):
            continue
        grown = _growth(function, statement, name, parts)
        if grown is None:
            break
        replace.update(grown)
        if grown and isinstance(statement, (cst.For, cst.While)):
            last = statement
            break
    if last is None:
        return None
    first = f"{parts} = []\n" if start in {'""', "''"} else f"{parts} = [{start}]\n"
    replace[line] = statements(first)[0].with_changes(leading_lines=line.leading_lines)
    replace[last] = beside(last, after=f'{name} = "".join({parts})\n')
    return Rewrite(replace=replace)


def _mentions(function: Function, node: cst.CSTNode, name: str) -> bool:
    return any(one.value == name for one in function.walk(cst.Name, under=node))


def _growth(function: Function, statement: cst.CSTNode, name: str, parts: str) -> dict[cst.CSTNode, Replacement] | None:
    """What becomes of the lines that add to it; None where anything else is done with it."""
    found: dict[cst.CSTNode, Replacement] = {}
    for line in function.walk(cst.SimpleStatementLine, under=statement):
        if not _mentions(function, line, name):
            continue
        added = _added(function, line, name)
        if added is None:
            return None
        made = statements(f"{parts}.append({added})\n")[0]
        found[line] = made.with_changes(leading_lines=line.leading_lines)
    mentioned = sum(one.value == name for one in function.walk(cst.Name, under=statement))
    expected = sum(one.value == name for line in found for one in function.walk(cst.Name, under=line))
    return found if mentioned == expected else None


def _added(function: Function, line: cst.SimpleStatementLine, name: str) -> str | None:
    """What `name += …` or `name = name + …` adds."""
    match line.body:
        case [cst.AugAssign(target=cst.Name(value=grown), operator=cst.AddAssign(), value=value)] if grown == name:
            return None if _mentions(function, value, name) else _code(function, value)
        case [cst.Assign(targets=[cst.AssignTarget(target=cst.Name(value=grown))], value=value)] if grown == name:
            return _behind(function, value, name)
    return None


def _behind(function: Function, value: cst.BaseExpression, name: str) -> str | None:
    """`a + b` of `name + a + b`."""
    pieces: list[str] = []
    while isinstance(value, cst.BinaryOperation) and isinstance(value.operator, cst.Add):
        if _mentions(function, value.right, name):
            return None
        pieces.append(_code(function, value.right))
        value = value.left
    if not pieces or not isinstance(value, cst.Name) or value.value != name:
        return None
    return " + ".join(reversed(pieces))


def _code(function: Function, value: cst.BaseExpression) -> str:
    code = function.code(value)
    return f"({code})" if isinstance(value, cst.Tuple) and not value.lpar else code


RULE = Rule(
    name="join-strings",
    summary="text that grows by += in a loop → pieces in a list, joined after it",
    unsafe="What is added has to be text, and not only something that text can be added to.",
    before="""\
def page(rows):
    text = "<"
    for row in rows:
        if row:
            text += row
        text = text + "," + "\\n"
    return text + ">"
""",
    after="""\
def page(rows):
    text_parts = ["<"]
    for row in rows:
        if row:
            text_parts.append(row)
        text_parts.append("," + "\\n")
    text = "".join(text_parts)
    return text + ">"
""",
    calls=("page(['a', '', 'b'])", "page([])"),
    find=_find,
)
