"""Cutting off the first item copies all the others: a place to begin at, or a deque, does without."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import libcst as cst

from bakeoff.sources.rules.rewriting import Rewrite, Rule, beside, expression, path_of, statements

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bakeoff.sources.rules.rewriting import Function, Replacement


def _find(function: Function) -> Iterator[Rewrite]:
    yield from _loops(function)
    for name in function.parameters:
        recursion = _recursion(function, name)
        if recursion is not None:
            yield recursion


# `queue = queue[1:]` in a loop


def _loops(function: Function) -> Iterator[Rewrite]:
    for loop in function.walk(cst.While):
        cuts = [line for line in function.walk(cst.SimpleStatementLine, under=loop) if _cut(line) is not None]
        for name in dict.fromkeys(_cut(line) for line in cuts):
            lines = [line for line in cuts if _cut(line) == name]
            statement = function.statement(loop)
            if name is None or statement is not loop or not _suits_deque(function, loop, name, len(lines)):
                continue
            replace: dict[cst.CSTNode, Replacement] = {
                line: statements(f"{name}.popleft()\n")[0].with_changes(leading_lines=line.leading_lines)
                for line in lines
            }
            replace[loop] = beside(loop, before=f"{name} = deque({name})\n")
            yield Rewrite(replace=replace, imports=("from collections import deque",))


def _cut(line: cst.SimpleStatementLine) -> str | None:
    """The name in `name = name[1:]`."""
    match line.body:
        case [
            cst.Assign(
                targets=[cst.AssignTarget(target=cst.Name(value=name))],
                value=cst.Subscript(
                    value=cst.Name(value=cut),
                    slice=[cst.SubscriptElement(slice=cst.Slice(lower=cst.Integer(value="1"), upper=None, step=None))],
                ),
            )
        ] if name == cut:
            return name
    return None


def _suits_deque(function: Function, loop: cst.While, name: str, cuts: int) -> bool:
    """Whether nothing else is done with it in the loop than a deque can do, and nothing with the rest after it."""
    bound = sum(one.value == name and not function.is_load(one) for one in function.walk(cst.Name, under=loop))
    if bound != cuts or function.loops_around(loop):
        return False
    for use in function.uses(name, under=loop):
        match function.parent(use):
            case cst.Subscript(slice=[cst.SubscriptElement(slice=cst.Slice())]) as part:
                if not isinstance(function.parent(part), cst.Assign):
                    return False
            case cst.BinaryOperation() | cst.AugAssign() | cst.Return():
                return False
    return not any(_is_after(function, use, loop) for use in function.uses(name))


def _is_after(function: Function, use: cst.Name, loop: cst.While) -> bool:
    return any(use in set(function.walk(cst.Name, under=line)) for line in function.following(loop))


# Recursion on `items[1:]`


@dataclass(frozen=True, slots=True, kw_only=True)
class _Names:
    items: str
    own: str
    start: str


def _recursion(function: Function, name: str) -> Rewrite | None:
    """A function within, that is told where to begin; None where anything is done to the items that it cannot say."""
    node = function.node
    params = [param.name.value for param in node.params.params]
    body = node.body
    is_plain = len(params) == len(function.parameters) and not function.is_method
    is_plain = is_plain and node.asynchronous is None and not node.decorators
    if not is_plain or name in function.assigned(body) or not isinstance(body, cst.IndentedBlock):
        return None
    calls = [call for call in function.walk(cst.Call, under=body) if path_of(call.func) == node.name.value]
    if not calls or any(len(call.args) != len(params) for call in calls):
        return None
    names = _Names(items=name, own=function.fresh(f"{node.name.value}_from"), start=function.fresh("start"))
    replace = _calls(function, calls, params.index(name), names)
    if replace is None:
        return None
    handed = {use for call in calls for use in function.walk(cst.Name, under=call.args[params.index(name)])}
    for use in function.uses(name, under=body):
        if use in handed:
            continue
        changed = _use(function, use, names)
        if changed is None:
            return None
        replace.update(changed)
    return _wrapped(function, body, replace, names)


def _calls(
    function: Function, calls: list[cst.Call], position: int, names: _Names
) -> dict[cst.CSTNode, Replacement] | None:
    replace: dict[cst.CSTNode, Replacement] = {}
    is_cut = False
    for call in calls:
        if any(argument.star or argument.keyword is not None for argument in call.args):
            return None
        match call.args[position].value:
            case cst.Subscript(
                value=cst.Name(value=cut),
                slice=[
                    cst.SubscriptElement(slice=cst.Slice(lower=cst.BaseExpression() as lower, upper=None, step=None))
                ],
            ) if cut == names.items and not isinstance(lower, cst.UnaryOperation):
                replace[call.args[position].value] = expression(f"{names.start} + {function.code(lower)}")
                replace[call.func] = cst.Name(names.own)
                is_cut = True
            case cst.Name(value=same) if same == names.items:
                replace[call.args[position].value] = cst.Name(names.start)
                replace[call.func] = cst.Name(names.own)
            case _:
                return None
    return replace if is_cut else None


def _use(function: Function, use: cst.Name, names: _Names) -> dict[cst.CSTNode, Replacement] | None:
    """What stands for a use of the rest of the items; None where nothing simple does."""
    parent = function.parent(use)
    match parent:
        case cst.UnaryOperation(operator=cst.Not()):
            return {parent: expression(f"{names.start} >= len({names.items})")}
        case cst.If() | cst.IfExp():
            return {use: expression(f"{names.start} < len({names.items})")} if parent.test is use else None
        case cst.Subscript(slice=[cst.SubscriptElement(slice=cst.Index(value=cst.Integer() as index))]):
            where = names.start if index.value == "0" else f"{names.start} + {index.value}"
            return {parent: expression(f"{names.items}[{where}]")}
        case cst.Arg():
            call = function.parent(parent)
            if isinstance(call, cst.Call) and path_of(call.func) == "len":
                return {call: expression(f"(len({names.items}) - {names.start})")}
        case cst.Comparison(
            comparisons=[
                cst.ComparisonTarget(operator=cst.Equal(), comparator=cst.List(elements=[]) | cst.SimpleString())
            ]
        ):
            is_empty = function.code(parent.comparisons[0].comparator) in {"[]", "''", '""'}
            return {parent: expression(f"{names.start} >= len({names.items})")} if is_empty else None
    return None


def _wrapped(
    function: Function, body: cst.IndentedBlock, replace: dict[cst.CSTNode, Replacement], names: _Names
) -> Rewrite:
    inner = cst.ensure_type(body.visit(_Swapping(replace)), cst.IndentedBlock)
    docstring = list(inner.body[:1]) if function.node.get_docstring() is not None else []
    params = [names.start if param.name.value == names.items else param.name.value for param in _params(function)]
    arguments = ["0" if one == names.start else one for one in params]
    head = f"def {names.own}({', '.join(params)}):\n    pass\n\nreturn {names.own}({', '.join(arguments)})\n"
    definition, last = statements(head)
    made = definition.with_changes(body=inner.with_changes(body=list(inner.body[len(docstring) :])))
    return Rewrite(replace={body: inner.with_changes(body=[*docstring, made, last])})


def _params(function: Function) -> list[cst.Param]:
    return list(function.node.params.params)


class _Swapping(cst.CSTTransformer):
    def __init__(self, replace: dict[cst.CSTNode, Replacement]) -> None:
        super().__init__()
        self._replace = replace

    def on_leave(self, original_node: cst.CSTNodeT, updated_node: cst.CSTNodeT) -> Replacement:  # type: ignore[override]
        return self._replace.get(original_node, updated_node)


RULE = Rule(
    name="slice-recursion",
    summary="cutting off the first item again and again → where to begin, or a deque",
    unsafe="What is no list or text may be cut in another way; the list must not change meanwhile.",
    before='''\
def total(values):
    """All of them."""
    if not values:
        return 0
    if len(values) == 1:
        return values[0]
    return values[0] + total(values[1:])
''',
    after='''\
def total(values):
    """All of them."""
    def total_from(start):
        if start >= len(values):
            return 0
        if (len(values) - start) == 1:
            return values[start]
        return values[start] + total_from(start + 1)

    return total_from(0)
''',
    calls=("total([1, 2, 3])", "total([])", "total([4])"),
    find=_find,
)
