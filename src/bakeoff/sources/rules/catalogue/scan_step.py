"""A helper that takes the first off a text, and gives what is left of it: written out, others see what it does."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from bakeoff.sources.rules.catalogue._shapes import sole, text
from bakeoff.sources.rules.rewriting import Function, Replacement, Rewrite, Rule, statements

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_MOST_BRANCHES = 4


def _find(function: Function) -> Iterator[Rewrite]:
    found: dict[str, dict[cst.CSTNode, Replacement]] = {}
    for line in function.walk(cst.SimpleStatementLine):
        match sole(line):
            case cst.Assign(targets=[target], value=cst.Call() as call) if function.loops_around(line):
                helper = function.called(call)
            case _:
                continue
        if helper is None or helper.node is function.node or not _cuts(helper):
            continue
        given = helper.arguments(call)
        code = _written_out(function, helper, text(function, target.target), given) if given is not None else None
        if code is not None and function.statement(line) is line:
            first, *rest = statements(code)
            made = cst.FlattenSentinel([first.with_changes(leading_lines=line.leading_lines), *rest])
            found.setdefault(helper.node.name.value, {})[line] = made
    for replace in found.values():
        yield Rewrite(replace=replace)


def _cuts(helper: Function) -> bool:
    """Whether something is cut off the beginning of what it is given."""
    for part in helper.walk(cst.Subscript):
        match part:
            case cst.Subscript(
                value=cst.Name(value=name),
                slice=[cst.SubscriptElement(slice=cst.Slice(lower=cst.BaseExpression(), upper=None, step=None))],
            ) if name in helper.parameters:
                return True
    return False


def _written_out(function: Function, helper: Function, target: str, given: dict[str, cst.BaseExpression]) -> str | None:
    """The helper's branches, where they do nothing but return something, with what is returned assigned."""
    node = helper.node
    is_plain = not node.decorators and node.asynchronous is None and isinstance(node.body, cst.IndentedBlock)
    simple = all(isinstance(one, (cst.Name, cst.Integer, cst.SimpleString)) for one in given.values())
    free = {one.value for one in helper.walk(cst.Name, under=node.body) if helper.is_load(one)} - given.keys()
    if not is_plain or not simple or helper.assigned(node.body) or any(map(function.is_local, free)):
        return None
    body = node.body.body[1 if node.get_docstring() is not None else 0 :]
    filled = _Filling(helper, given)
    branches = _branches(body)
    if branches is None or not 1 <= len(branches) <= _MOST_BRANCHES:
        return None
    code = ""
    for number, (test, value) in enumerate(branches):
        indent = "    " if len(branches) > 1 else ""
        if test is not None:
            code += f"{'elif' if number else 'if'} {text(function, filled.filled(test))}:\n"
        elif number:
            code += "else:\n"
        code += f"{indent}{target} = {text(function, filled.filled(value))}\n"
    return code


def _branches(body: Sequence[cst.CSTNode]) -> list[tuple[cst.BaseExpression | None, cst.BaseExpression]] | None:
    """The conditions and what is returned then, up to the one without a condition; None of anything else."""
    found: list[tuple[cst.BaseExpression | None, cst.BaseExpression]] = []
    rest = list(body)
    while rest:
        match rest.pop(0):
            case cst.SimpleStatementLine(body=[cst.Return(value=cst.BaseExpression() as value)]):
                return [*found, (None, value)]
            case cst.If(test=test, body=cst.IndentedBlock(body=[inner]), orelse=orelse):
                only = sole(inner)
                if not isinstance(only, cst.Return) or only.value is None:
                    return None
                found.append((test, only.value))
                if isinstance(orelse, cst.If):
                    rest.insert(0, orelse)
                elif isinstance(orelse, cst.Else):
                    rest = list(orelse.body.body)
            case _:
                return None
    return None


class _Filling(cst.CSTTransformer):
    """Puts arguments where the parameters were."""

    def __init__(self, helper: Function, given: dict[str, cst.BaseExpression]) -> None:
        super().__init__()
        self._helper = helper
        self._given = given

    def filled(self, node: cst.BaseExpression) -> cst.BaseExpression:
        made = node.visit(self)
        assert isinstance(made, cst.BaseExpression)
        return made

    def on_leave(self, original_node: cst.CSTNodeT, updated_node: cst.CSTNodeT) -> cst.CSTNode:  # type: ignore[override]
        if isinstance(original_node, cst.Name) and self._helper.is_load(original_node):
            return self._given.get(original_node.value, updated_node)
        return updated_node


RULE = Rule(
    name="scan-step",
    summary="a helper that cuts the first off a text, in a loop → written out",
    unsafe="Who replaces the helper, in a test, is not asked any more.",
    before="""\
def count(text):
    found = 0
    while True:
        # one after the other
        char, text = first(text, "-")
        if not char:
            return found
        if char == "x":
            found += 1


def first(text, skipped):
    if not text:
        return "", ""
    elif text.startswith(skipped):
        return text[:2], text[2:]
    return text[0], text[1:]
""",
    after="""\
def count(text):
    found = 0
    while True:
        # one after the other
        if not text:
            char, text = "", ""
        elif text.startswith("-"):
            char, text = text[:2], text[2:]
        else:
            char, text = text[0], text[1:]
        if not char:
            return found
        if char == "x":
            found += 1


def first(text, skipped):
    if not text:
        return "", ""
    elif text.startswith(skipped):
        return text[:2], text[2:]
    return text[0], text[1:]
""",
    calls=("count('axb-xx')", "count('')"),
    find=_find,
)
