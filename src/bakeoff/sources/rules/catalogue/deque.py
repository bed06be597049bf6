"""Taking from the front of a list moves all the rest; a deque has two ends."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from bakeoff.sources.rules.rewriting import Rewrite, Rule, expression

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bakeoff.sources.rules.rewriting import Function, Replacement

_SHARED_METHODS = frozenset({"append", "clear", "count", "extend", "index", "remove", "reverse"})


def _find(function: Function) -> Iterator[Rewrite]:
    names = dict.fromkeys(name for call in function.walk(cst.Call) if (name := _front(call)) is not None)
    for name in names:
        rewrite = _rewrite(function, name)
        if rewrite is not None:
            yield rewrite


def _front(call: cst.Call) -> str | None:
    """The name of a list that something is taken from, or put into, at its front."""
    match call:
        case cst.Call(
            func=cst.Attribute(value=cst.Name(value=name), attr=cst.Name(value="pop")),
            args=[cst.Arg(value=cst.Integer(value="0"))],
        ):
            return name
        case cst.Call(
            func=cst.Attribute(value=cst.Name(value=name), attr=cst.Name(value="insert")),
            args=[cst.Arg(value=cst.Integer(value="0")), cst.Arg()],
        ):
            return name
    return None


def _rewrite(function: Function, name: str) -> Rewrite | None:
    if name in function.parameters or not function.is_local(name):
        return None  # the list is the caller's
    replace = _bindings(function, name)
    if not replace:
        return None
    for use in function.uses(name):
        changed = _use(function, use)
        if changed is None:
            return None
        replace.update(changed)
    return Rewrite(replace=replace, imports=("from collections import deque",))


def _bindings(function: Function, name: str) -> dict[cst.CSTNode, Replacement] | None:
    """What becomes of the values that the name is bound to; None if one may be something else than a list of ours."""
    replace: dict[cst.CSTNode, Replacement] = {}
    bound = 0
    for node in function.walk(cst.Assign, cst.AnnAssign):
        targets = [one.target for one in node.targets] if isinstance(node, cst.Assign) else [node.target]
        if not any(isinstance(one, cst.Name) and one.value == name for one in targets):
            continue
        made = _made(function, node.value) if node.value is not None and len(targets) == 1 else None
        if made is None or node.value is None:
            return None
        replace[node.value] = expression(made)
        bound += 1
    others = [one for one in function.walk(cst.Name) if one.value == name and not function.is_load(one)]
    attributes = sum(one.attr.value == name for one in function.walk(cst.Attribute))
    return replace if len(others) - attributes == bound else None


def _made(function: Function, value: cst.BaseExpression) -> str | None:
    match value:
        case cst.List(elements=[]) | cst.Call(func=cst.Name(value="list"), args=[]):
            return "deque()"
        case cst.Call(func=cst.Name(value="list"), args=[cst.Arg(value=inner)]):
            return f"deque({function.code(inner)})"
        case cst.List() | cst.ListComp() | cst.Call(func=cst.Name(value="sorted")):
            return f"deque({function.code(value)})"
        case cst.Subscript(slice=[cst.SubscriptElement(slice=cst.Slice())]):
            return f"deque({function.code(value)})"
        case cst.Call(func=cst.Attribute(attr=cst.Name(value="copy" | "split" | "splitlines"))):
            return f"deque({function.code(value)})"
    return None


def _use(function: Function, use: cst.Name) -> dict[cst.CSTNode, Replacement] | None:
    """What becomes of a use; None for what a deque cannot do."""
    as_list: dict[cst.CSTNode, Replacement] = {use: expression(f"list({use.value})")}
    parent = function.parent(use)
    match parent:
        case cst.Attribute(attr=cst.Name(value=method)):
            call = function.parent(parent)
            return _call(function, call, method) if isinstance(call, cst.Call) and call.func is parent else None
        case cst.Subscript(slice=[cst.SubscriptElement(slice=cst.Index())]) | cst.UnaryOperation(operator=cst.Not()):
            return {}
        case cst.For() | cst.CompFor() | cst.While() | cst.If() | cst.ComparisonTarget() | cst.IfExp():
            return {}
        case cst.Arg():
            return {} if _only_looks(function, function.parent(parent)) else as_list
    return as_list if isinstance(parent, cst.Return) else ({} if isinstance(parent, cst.BooleanOperation) else None)


def _only_looks(function: Function, call: cst.CSTNode) -> bool:
    known = {"any", "all", "bool", "enumerate", "len", "list", "max", "min", "set", "sorted", "sum", "tuple"}
    return isinstance(call, cst.Call) and isinstance(call.func, cst.Name) and function.code(call.func) in known


def _call(function: Function, call: cst.Call, method: str) -> dict[cst.CSTNode, Replacement] | None:
    name = function.code(call.func).partition(".")[0]
    if method == "pop" and not call.args:
        return {}
    if _front(call) is not None and method == "pop":
        return {call: expression(f"{name}.popleft()")}
    if _front(call) is not None:
        return {call.func: expression(f"{name}.appendleft"), call.args[0]: cst.RemoveFromParent()}
    return {} if method in _SHARED_METHODS else None


RULE = Rule(
    name="deque",
    summary="pop(0) and insert(0, …) of a list → collections.deque",
    unsafe="Who gets the deque itself sees another type; taking from an empty one says so in other words.",
    before="""\
def reachable(graph, start):
    queue = [start]
    path = []
    while queue:
        node = queue.pop(0)
        path.insert(0, node)
        for other in graph.get(node, []):
            if other not in path and other not in queue:
                queue.append(other)
    return path
""",
    after="""\
from collections import deque


def reachable(graph, start):
    queue = deque([start])
    path = deque()
    while queue:
        node = queue.popleft()
        path.appendleft(node)
        for other in graph.get(node, []):
            if other not in path and other not in queue:
                queue.append(other)
    return list(path)
""",
    calls=("reachable({1: [2, 3], 2: [4], 3: [4, 1]}, 1)", "reachable({}, 'a')"),
    find=_find,
)
