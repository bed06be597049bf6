"""A function that ends by calling itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from bakeoff.sources.rules.catalogue._shapes import sole, swapped, text
from bakeoff.sources.rules.rewriting import Function, Rewrite, Rule, statements

if TYPE_CHECKING:
    from collections.abc import Iterator


def _find(function: Function) -> Iterator[Rewrite]:
    node = function.node
    names = [param.name.value for param in node.params.params]
    if not _is_plain(function) or not isinstance(node.body, cst.IndentedBlock):
        return
    own = names[1:] if function.is_method else names
    name = f"{names[0]}.{node.name.value}" if function.is_method and names else node.name.value
    calls = [call for call in function.walk(cst.Call, under=node.body) if text(function, call.func) == name]
    lines = [function.statement(call) for call in calls]
    if not calls or not all(_is_tail(function, call, line) for call, line in zip(calls, lines, strict=True)):
        return
    moves = [_move(function, call, own) for call in calls]
    if any(move is None for move in moves) or not _returns_at_the_end(function):
        return
    swaps: dict[cst.CSTNode, list[cst.BaseStatement]] = {}
    for line, move in zip(lines, moves, strict=True):
        first, *rest = statements(f"{move}continue\n")
        leading = line.leading_lines if isinstance(line, cst.SimpleStatementLine) else ()
        swaps |= {line: [first.with_changes(leading_lines=leading), *rest]} if line is not None else {}
    body = cst.ensure_type(swapped(node.body, swaps), cst.IndentedBlock)
    head, lasting = _docstring(body)
    loop = statements("while True:\n    pass\n")[0].with_changes(body=cst.IndentedBlock(body=lasting))
    yield Rewrite(replace={node.body: node.body.with_changes(body=[*head, loop])})


def _is_plain(function: Function) -> bool:
    """Whether a call of it is its parameters and its body, and nothing else."""
    node = function.node
    params = node.params
    only_plain = not params.kwonly_params and not params.posonly_params and params.star_kwarg is None
    starred = isinstance(params.star_arg, cst.Param)
    kept = any(True for _ in function.walk(cst.Lambda, cst.Yield, cst.Await, cst.GeneratorExp, under=node.body))
    nested = any(True for _ in function.walk(cst.FunctionDef, under=node.body))
    return only_plain and not starred and not kept and not nested and not node.decorators and node.asynchronous is None


def _is_tail(function: Function, call: cst.Call, line: cst.BaseStatement | None) -> bool:
    only = sole(line)
    if line is None or not isinstance(only, cst.Return) or only.value is not call:
        return False
    return not any(isinstance(one, (cst.For, cst.While, cst.Try, cst.With)) for one in function.ancestors(line))


def _returns_at_the_end(function: Function) -> bool:
    """Whether the body never ends but by return or raise."""
    body = function.node.body
    return isinstance(body, cst.IndentedBlock) and bool(body.body) and _ends(body.body[-1])


def _ends(line: cst.CSTNode) -> bool:
    match line:
        case cst.If(body=cst.IndentedBlock(body=[*_, last]), orelse=other) if other is not None:
            inner = other.body.body[-1] if isinstance(other, cst.Else) else other
            return _ends(last) and _ends(inner)
    return isinstance(sole(line), (cst.Return, cst.Raise))


def _move(function: Function, call: cst.Call, names: list[str]) -> str | None:
    """The assignment that stands for the call: its arguments become the parameters."""
    given: dict[str, str] = {}
    for at, arg in enumerate(call.args):
        if arg.star or (arg.keyword is None and at >= len(names)):
            return None
        given[arg.keyword.value if arg.keyword is not None else names[at]] = text(function, arg.value)
    if set(given) != set(names):
        return None
    moved = {name: code for name, code in given.items() if name != code}
    return f"{', '.join(moved)} = {', '.join(moved.values())}\n" if moved else None


def _docstring(body: cst.IndentedBlock) -> tuple[list[cst.BaseStatement], list[cst.BaseStatement]]:
    lines = list(body.body)
    first = sole(lines[0]) if lines else None
    text = isinstance(first, cst.Expr) and isinstance(first.value, (cst.SimpleString, cst.ConcatenatedString))
    return (lines[:1], lines[1:]) if text else ([], lines)


RULE = Rule(
    name="recursion-iteration",
    summary="a function that ends by calling itself → a loop",
    unsafe="Somebody who replaces or overrides the function; what raised RecursionError now ends, or never does.",
    before='''\
def common(a, b, steps=0):
    """The greatest common divisor, and how many steps it took."""
    if b == 0:
        return a, steps
    # on with the rest
    return common(b, a % b, steps + 1)
''',
    after='''\
def common(a, b, steps=0):
    """The greatest common divisor, and how many steps it took."""
    while True:
        if b == 0:
            return a, steps
        # on with the rest
        a, b, steps = b, a % b, steps + 1
        continue
''',
    calls=("common(12, 18)", "common(0, 0)", "common(7, 1, steps=3)"),
    find=_find,
)
