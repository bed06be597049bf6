"""A helper that is one expression is written out where it is called often: other rules see what it does."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from bakeoff.sources.rules.catalogue._recursion import recursion_of
from bakeoff.sources.rules.rewriting import Rewrite, Rule, path_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

from bakeoff.sources.rules.rewriting import Function

_ATOMS = (
    cst.Name,
    cst.Attribute,
    cst.Subscript,
    cst.Call,
    cst.Integer,
    cst.Float,
    cst.SimpleString,
    cst.List,
    cst.Dict,
)
_PLAIN = (cst.Name, cst.Integer, cst.Float, cst.SimpleString)


def _find(function: Function) -> Iterator[Rewrite]:
    is_recursive = recursion_of(function) is not None
    for call in function.walk(cst.Call):
        helper = function.called(call) if function.loops_around(call) or is_recursive else None
        in_text = any(isinstance(around, cst.FormattedStringExpression) for around in function.ancestors(call))
        if helper is None or helper.node is function.node or in_text:
            continue
        value = _value(helper)
        given = helper.arguments(call)
        if value is not None and given is not None and _fits(function, helper, value, given):
            made = value.visit(_Filling(helper, given))
            if isinstance(made, cst.BaseExpression):
                yield Rewrite(replace={call: _in_brackets(made)})


def _value(helper: Function) -> cst.BaseExpression | None:
    """What a helper returns, if that is all it does."""
    node = helper.node
    if node.decorators or node.asynchronous is not None or not isinstance(node.body, cst.IndentedBlock):
        return None
    body = node.body.body[1:] if node.get_docstring() is not None else node.body.body
    is_odd = any(isinstance(one, (cst.Yield, cst.Await, cst.NamedExpr, cst.Lambda)) for one in helper.walk())
    return None if is_odd else _returned(body)


def _returned(body: Sequence[cst.CSTNode]) -> cst.BaseExpression | None:
    """`value` of `return value`; `a if test else b` of `if test: return a` and `return b`."""
    match body:
        case [cst.SimpleStatementLine(body=[cst.Return(value=cst.BaseExpression() as value)])]:
            return value
        case [
            cst.If(test=test, body=cst.IndentedBlock(body=[only]), orelse=None),
            cst.SimpleStatementLine() as last,
        ] | [
            cst.If(
                test=test,
                body=cst.IndentedBlock(body=[only]),
                orelse=cst.Else(body=cst.IndentedBlock(body=[cst.SimpleStatementLine() as last])),
            )
        ]:
            first, second = _returned([only]), _returned([last])
            if first is not None and second is not None:
                brackets = [cst.LeftParen()], [cst.RightParen()]
                return cst.IfExp(test=test, body=first, orelse=second, lpar=brackets[0], rpar=brackets[1])
    return None


def _fits(
    function: Function, helper: Function, value: cst.BaseExpression, given: dict[str, cst.BaseExpression]
) -> bool:
    """Whether nothing is worked out more often than before, and each name means what it meant."""
    bound = helper.assigned(value)
    free = {name.value for name in helper.walk(cst.Name, under=value) if helper.is_load(name)} - bound - given.keys()
    if any(map(function.is_local, free)) or bound & given.keys():
        return False
    for name, argument in given.items():
        uses = helper.uses(name, under=value)
        is_plain = isinstance(argument, _PLAIN) or path_of(argument) is not None or _is_item(argument)
        if not is_plain and (len(uses) != 1 or helper.loops_around(uses[0]) or not function.is_pure(argument)):
            return False
        if bound & {one.value for one in function.walk(cst.Name, under=argument)}:
            return False
    return True


def _is_item(node: cst.BaseExpression) -> bool:
    """`rows[i]`."""
    match node:
        case cst.Subscript(value=value, slice=[cst.SubscriptElement(slice=cst.Index(value=index))]):
            return path_of(value) is not None and isinstance(index, _PLAIN)
    return False


class _Filling(cst.CSTTransformer):
    """Puts arguments where the parameters were."""

    def __init__(self, helper: Function, given: dict[str, cst.BaseExpression]) -> None:
        super().__init__()
        self._helper = helper
        self._given = given

    def on_leave(self, original_node: cst.CSTNodeT, updated_node: cst.CSTNodeT) -> cst.CSTNode:  # type: ignore[override]
        if isinstance(original_node, cst.Name) and self._helper.is_load(original_node):
            argument = self._given.get(original_node.value)
            return updated_node if argument is None else _in_brackets(argument)
        return updated_node


def _in_brackets(node: cst.BaseExpression) -> cst.BaseExpression:
    if isinstance(node, (*_ATOMS, cst.ListComp, cst.SetComp, cst.DictComp)) or node.lpar:
        return node
    return node.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])


RULE = Rule(
    name="inline-helper",
    summary="a helper of one expression that a loop or recursion calls → the expression itself",
    unsafe="Who replaces the helper, in a test or a subclass, is not asked any more.",
    before='''\
def longest(lines, limit):
    found = []
    for line in lines:
        if fits(line.strip(), limit):
            found.append(width(line) * 2)
    return found


def fits(text, limit, slack=1):
    """Whether there is room for it."""
    return len(text) <= limit + slack


def width(text):
    return text.count("x") + 1
''',
    after='''\
def longest(lines, limit):
    found = []
    for line in lines:
        if (len(line.strip()) <= limit + 1):
            found.append((line.count("x") + 1) * 2)
    return found


def fits(text, limit, slack=1):
    """Whether there is room for it."""
    return len(text) <= limit + slack


def width(text):
    return text.count("x") + 1
''',
    calls=("longest(['xx ', 'xxxx', ''], 2)", "longest([], 0)"),
    find=_find,
)
