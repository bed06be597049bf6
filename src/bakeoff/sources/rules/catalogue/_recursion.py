"""Recursion put into a function within the function, that is told only what changes from call to call."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import libcst as cst

from bakeoff.sources.rules.rewriting import path_of, statements

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from bakeoff.sources.rules.rewriting import Function, Replacement

__all__ = ["Recursion", "recursion_of", "split"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Recursion:
    """The calls that a function makes of itself, its parameters without `self`, and those that change on the way."""

    calls: list[cst.Call]
    names: list[str]
    varying: list[str]


def recursion_of(function: Function) -> Recursion | None:
    """None where the function does not call itself, or not plainly, or hands on all as it is."""
    node = function.node
    if node.asynchronous is not None or not isinstance(node.body, cst.IndentedBlock):
        return None
    calls = _own_calls(function)
    names = _plain_parameters(function)
    if not calls or names is None:
        return None
    handed: list[list[str]] = []
    for call in calls:
        if any(one.star or one.keyword is not None for one in call.args) or len(call.args) > len(names):
            return None
        handed.append([function.code(one.value) for one in call.args])
    assigned = function.assigned(node.body)
    varying = [
        name
        for number, name in enumerate(names)
        if name in assigned or any(number >= len(one) or one[number] != name for one in handed)
    ]
    return Recursion(calls=calls, names=names, varying=varying) if varying else None


def _own_calls(function: Function) -> list[cst.Call]:
    own = function.node.name.value
    called = {f"self.{own}", f"cls.{own}"} if function.is_method else {own}
    return [call for call in function.walk(cst.Call, under=function.node.body) if path_of(call.func) in called]


def _plain_parameters(function: Function) -> list[str] | None:
    """The names of its parameters without `self`; None where some are starred, or by keyword only."""
    params = function.node.params
    if params.posonly_params or params.kwonly_params or params.star_kwarg or isinstance(params.star_arg, cst.Param):
        return None
    names = [param.name.value for param in params.params]
    is_bound = function.is_method and names[:1] in (["self"], ["cls"])
    if function.is_method and not is_bound:
        return None
    return names[1:] if is_bound else names


def split(
    function: Function,
    recursion: Recursion,
    *,
    first: str = "",
    begin: str = "",
    replace: Mapping[cst.CSTNode, Replacement] | None = None,
    unwrap: cst.If | None = None,
    give: Callable[[cst.BaseExpression], str] | None = None,
) -> cst.BaseSuite:
    """The new body: `first`, the old body as a function within that does `begin` before all else and has `replace` made
    in it, and a call of that. Of `unwrap` only what it guards is left; `give` makes the statements that return a value.
    """
    node = function.node
    own = function.fresh(f"{node.name.value.strip('_')}_of")
    varying = recursion.varying
    positions = [number for number, name in enumerate(recursion.names) if name in varying]
    changing = _Renaming(dict.fromkeys(recursion.calls, positions), own, replace or {}, unwrap)
    if give is not None:
        changing.give = give
        changing.returns = {function.parent(one) for one in function.own(cst.Return)}
    inner = cst.ensure_type(node.body.visit(changing), cst.IndentedBlock)
    docstring = list(inner.body[:1]) if node.get_docstring() is not None else []
    defaults = {param.name.value: param.default for param in node.params.params if param.default is not None}
    signature = ", ".join(f"{name}={function.code(defaults[name])}" if name in defaults else name for name in varying)
    head = f"def {own}({signature}):\n    pass\n\nreturn {own}({', '.join(varying)})\n"
    definition, last = statements(head)
    body = [*statements(begin), *inner.body[len(docstring) :]]
    made = definition.with_changes(body=inner.with_changes(body=body))
    if first:
        made = made.with_changes(leading_lines=[cst.EmptyLine(indent=False)])
    return inner.with_changes(body=[*docstring, *statements(first), made, last])


class _Renaming(cst.CSTTransformer):
    """Calls of a function become calls of another one that takes only some of its arguments."""

    def __init__(
        self,
        calls: Mapping[cst.CSTNode, list[int]],
        name: str,
        replace: Mapping[cst.CSTNode, Replacement],
        unwrap: cst.If | None,
    ) -> None:
        super().__init__()
        self._calls = calls
        self._name = name
        self._replace = replace
        self._unwrap = unwrap
        self.returns: set[cst.CSTNode] = set()
        self.give: Callable[[cst.BaseExpression], str] | None = None

    def on_leave(  # type: ignore[override]
        self, original_node: cst.CSTNodeT, updated_node: cst.CSTNodeT
    ) -> Replacement:
        if original_node is self._unwrap and isinstance(updated_node, cst.If):
            return cst.FlattenSentinel(list(updated_node.body.body))
        if original_node in self._replace:
            return self._replace[original_node]
        if original_node in self.returns and self.give is not None:
            match updated_node:
                case cst.SimpleStatementLine(body=[cst.Return(value=cst.BaseExpression() as value)]):
                    made = list(statements(self.give(value)))
                    return cst.FlattenSentinel(
                        [made[0].with_changes(leading_lines=updated_node.leading_lines), *made[1:]]
                    )
        positions = self._calls.get(original_node)
        if positions is None or not isinstance(updated_node, cst.Call):
            return updated_node
        arguments = [updated_node.args[number] for number in positions if number < len(updated_node.args)]
        plain = [argument.with_changes(comma=cst.MaybeSentinel.DEFAULT) for argument in arguments]
        return updated_node.with_changes(func=cst.Name(self._name), args=plain)
