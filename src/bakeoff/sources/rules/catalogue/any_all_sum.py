"""Loops that only find out whether there is such a thing, how many there are, or what they come to."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from bakeoff.sources.rules.rewriting import Rewrite, Rule, statements

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from bakeoff.sources.rules.rewriting import Function


def _find(function: Function) -> Iterator[Rewrite]:
    done: set[cst.CSTNode] = set()
    for loop in function.walk(cst.For):
        if (
            loop in done
            or loop.orelse is not None
            or any(True for _ in function.walk(cst.Await, cst.Yield, under=loop))
        ):
            continue
        clauses, inner = _unfolded(function, loop)
        if inner is None:
            continue
        for rewrite in (_returned(function, loop, clauses, inner), _kept(function, loop, clauses, inner)):
            if rewrite is not None:
                done.update(function.walk(cst.For, under=loop))
                yield rewrite


def _unfolded(function: Function, loop: cst.For) -> tuple[str, Sequence[cst.BaseSmallStatement] | None]:
    """Loops and conditions as clauses, and the statements within them all."""
    clauses: list[str] = []
    node: cst.CSTNode = loop
    while True:
        match node:
            case cst.For(target=target, iter=items, body=cst.IndentedBlock(body=body), orelse=None, asynchronous=None):
                clauses.append(f"for {function.code(target)} in {_bracketed(function, items)}")
            case cst.If(test=test, body=cst.IndentedBlock(body=body), orelse=None):
                clauses.append(f"if {_bracketed(function, test)}")
            case _:
                return "", None
        if len(body) == 1 and isinstance(body[0], (cst.For, cst.If)):
            node = body[0]
            continue
        small = [one for line in body if isinstance(line, cst.SimpleStatementLine) for one in line.body]
        is_plain = all(isinstance(line, cst.SimpleStatementLine) for line in body)
        return " ".join(clauses), small if is_plain else None


def _bracketed(function: Function, node: cst.BaseExpression) -> str:
    is_loose = isinstance(node, (cst.Tuple, cst.IfExp, cst.Lambda, cst.NamedExpr)) and not node.lpar
    return f"({function.code(node)})" if is_loose else function.code(node)


def _returned(
    function: Function, loop: cst.For, clauses: str, inner: Sequence[cst.BaseSmallStatement]
) -> Rewrite | None:
    """`return True` in the loop and `return False` after it, or the reverse."""
    following = function.following(loop)
    match inner, following[:1]:
        case [cst.Return(value=cst.Name(value="True" | "False" as found))], [
            cst.SimpleStatementLine(body=[cst.Return(value=cst.Name(value="True" | "False" as other))])
        ] if found != other:
            *loops, condition = _parts(clauses)
            if not condition.startswith("if "):
                return None
            opposite = "not " if found == "False" else ""
            made = statements(f"return {opposite}any({condition[3:]} {' '.join(loops)})\n")[0]
            lines = loop.leading_lines
            return Rewrite(replace={loop: made.with_changes(leading_lines=lines), following[0]: cst.RemoveFromParent()})
    return None


def _parts(clauses: str) -> list[str]:
    """The last condition apart: `any(x > 1 for x in y)` rather than `any(True for x in y if x > 1)`."""
    head, separator, last = clauses.rpartition(" if ")
    is_whole = separator and " for " not in last and last.count("(") == last.count(")")
    return [head, f"if {last}"] if is_whole and last.count("[") == last.count("]") else [clauses]


def _kept(function: Function, loop: cst.For, clauses: str, inner: Sequence[cst.BaseSmallStatement]) -> Rewrite | None:
    """A flag that is set, a number that is added to."""
    match inner:
        case [cst.AugAssign(target=cst.Name(value=name), operator=cst.AddAssign(), value=added)]:
            if _mentioned(function, loop, name) != 1 or not _is_number(function, loop, name):
                return None
            text = f"{name} += sum([{_bracketed(function, added)} {clauses}])"
        case [cst.Assign(targets=[cst.AssignTarget(target=cst.Name(value=name))], value=value), *rest]:
            if _mentioned(function, loop, name) != 1 or not all(isinstance(one, cst.Break) for one in rest):
                return None
            *loops, condition = _parts(clauses)
            if not isinstance(value, cst.Name) or value.value not in {"True", "False"} or not loops:
                return None
            asked = f"any({condition[3:]} {' '.join(loops)})"
            text = f"{name} = {name} or {asked}" if value.value == "True" else f"{name} = {name} and not {asked}"
        case _:
            return None
    if function.is_left_with(loop, but=name):
        return None
    made = statements(f"{text}\n")[0].with_changes(leading_lines=loop.leading_lines)
    return Rewrite(replace={loop: made})


def _mentioned(function: Function, node: cst.CSTNode, name: str) -> int:
    return sum(one.value == name for one in function.walk(cst.Name, under=node))


def _is_number(function: Function, loop: cst.For, name: str) -> bool:
    """Whether the name was bound to a number before; text and lists grow by += too."""
    for line in function.preceding(loop):
        match line:
            case cst.SimpleStatementLine(body=[cst.Assign(targets=[cst.AssignTarget(target=target)], value=value)]):
                if isinstance(target, cst.Name) and target.value == name:
                    return isinstance(value, (cst.Integer, cst.Float))
    return False


RULE = Rule(
    name="any-all-sum",
    summary="loops that set a flag or add up → any, sum",
    unsafe="Float sums are rounded in another way from Python 3.12 on; a condition that is no bool counts as one.",
    before="""\
def looked_at(rows, limit):
    total = 0
    count = 0
    large = False
    for row in rows:
        for value in row:
            if value:
                total += value * 2
    for row in rows:
        if len(row) > limit:
            count += 1
    for row in rows:
        if row and row[0] > limit:
            large = True
            break
    if total > limit:
        for last in rows:
            if not last:
                return False
        return True
    return total, count, large
""",
    after="""\
def looked_at(rows, limit):
    total = 0
    count = 0
    large = False
    total += sum([value * 2 for row in rows for value in row if value])
    count += sum([1 for row in rows if len(row) > limit])
    large = large or any(row and row[0] > limit for row in rows)
    if total > limit:
        return not any(not last for last in rows)
    return total, count, large
""",
    calls=("looked_at([[1, 2], [0]], 1)", "looked_at([[]], 3)", "looked_at([[3], []], 1)", "looked_at([[1, 5]], 20)"),
    find=_find,
)
