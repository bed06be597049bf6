"""A call that gives the same each time round a loop is made once, before it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from bakeoff.sources.rules.catalogue._shapes import changed_by, plain_call, text
from bakeoff.sources.rules.rewriting import PURE_BUILTINS, READING_METHODS, Rewrite, Rule, beside, path_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bakeoff.sources.rules.rewriting import Function, Replacement

# What these give is used up, or changed by whoever gets it, or not worth it.
_LEFT = frozenset({"enumerate", "filter", "id", "isinstance", "map", "range", "repr", "reversed", "slice", "zip"})
_LEFT_METHODS = frozenset({"finditer", "items", "keys", "values"})
_FRESH = frozenset({"bytearray", "copy", "dict", "list", "set", "sorted", "split", "rsplit", "splitlines", "findall"})


def _find(function: Function) -> Iterator[Rewrite]:
    groups: dict[tuple[cst.CSTNode, str], list[cst.Call]] = {}
    done: set[cst.CSTNode] = set()
    for call in function.walk(cst.Call):
        if call in done or not _is_worth(function, call):
            continue
        loop = function.steady_loop(call)
        if loop is not None and _is_left_alone(function, call, loop):
            groups.setdefault((loop, function.form(call)), []).append(call)
            done.update(function.walk(cst.Call, under=call))
    for (place, _), calls in groups.items():
        statement = function.anchor(calls[0], place)
        if statement is None:
            continue
        name = function.fresh(_name(calls[0]))
        replace: dict[cst.CSTNode, Replacement] = {call: cst.Name(name) for call in calls}
        replace[statement] = beside(statement, before=f"{name} = {_made(function, calls[0], place)}\n")
        yield Rewrite(replace=replace)


def _made(function: Function, call: cst.Call, loop: cst.CSTNode) -> str:
    """The call; where the loop would not have run on nothing, that is no mistake before it either."""
    found = plain_call(call, "min", "max")
    source: cst.BaseExpression | None = found[0] if found is not None else None
    if isinstance(source, (cst.GeneratorExp, cst.ListComp)) and source.for_in.inner_for_in is None:
        source = source.for_in.iter if not source.for_in.ifs else None
    if found is not None and source is not None and isinstance(loop, cst.For) and function.same(source, loop.iter):
        return f"{_called(call)}({text(function, found[0])}, default=None)"
    return function.code(call)


def _is_worth(function: Function, call: cst.Call) -> bool:
    called = _called(call)
    is_fresh = called in _FRESH
    match call.func:
        case cst.Name(value=name) if function.is_builtin(name):
            is_known = called in PURE_BUILTINS - _LEFT and bool(call.args)
        case cst.Attribute() if called in READING_METHODS and function.is_pure(call.func):
            is_known = called not in _LEFT_METHODS and not isinstance(call.func.value, cst.Call)
        case _:
            is_known = is_fresh = True
    return is_known and function.is_steady(call) and (not is_fresh or _is_only_read(function, call))


def _is_left_alone(function: Function, call: cst.Call, loop: cst.CSTNode) -> bool:
    """Whether what a loop ends by, and what a method looks at, is in nobody else's hands meanwhile: a loop without end
    is the mistake that takes longest to find out."""
    named = {one.func.value for one in function.walk(cst.Call, under=loop) if isinstance(one.func, cst.Name)}
    owners = {function.form(owner) for name in named if function.is_local(name) for owner in changed_by(function, name)}
    if owners & {function.form(one) for one in function.walk(cst.Name, cst.Attribute, under=call)}:
        return False
    inside = (call, *function.ancestors(call))
    is_tested = any(isinstance(around, cst.While) and around.test in inside for around in inside)
    is_method = (path_of(call.func) or "").startswith(("self.", "cls."))
    names = {name.value for name in function.walk(cst.Name, under=call) if function.is_load(name)}
    if is_method or (is_tested and "self" in names):
        others = [one for one in function.walk(cst.Call, under=loop) if (path_of(one.func) or "").startswith("self.")]
        called = [function.called(one) for one in others if (path_of(one.func) or "").count(".") == 1]
        if any(one is None or not one.looks_pure for one in called):
            return False
        if any(path.startswith("self.") for path in function.changed(loop)):
            return False
    return not is_tested or not any(function.mutated(name, loop) for name in names - {"self"})


def _called(call: cst.Call) -> str:
    path = path_of(call.func)
    if path is None and isinstance(call.func, cst.Attribute):
        return call.func.attr.value
    return (path or "").rpartition(".")[2]


def _is_only_read(function: Function, call: cst.Call) -> bool:
    """Whether what a call gives cannot get into other hands than those of the expression that it is in."""
    match function.parent(call):
        case cst.ComparisonTarget() | cst.Comparison() | cst.For() | cst.CompFor():
            return True
        case cst.Subscript() | cst.Attribute() | cst.BinaryOperation() | cst.UnaryOperation() | cst.BooleanOperation():
            return True
        case cst.If() | cst.While() | cst.IfExp() | cst.CompIf() | cst.FormattedStringExpression():
            return True
        case cst.Assign(targets=[cst.AssignTarget(target=cst.Name(value=name))]):
            return not function.mutated(name, function.node) and not _is_handed_on(function, name)
        case cst.Arg() as argument:
            outer = function.parent(argument)
            return isinstance(outer, cst.Call) and _called(outer) in PURE_BUILTINS
    return False


def _is_handed_on(function: Function, name: str) -> bool:
    """Whether something else may come to hold what has this name."""
    kinds = (cst.Return, cst.Arg, cst.Element, cst.DictElement, cst.Assign, cst.Yield)
    return any(isinstance(function.parent(use), kinds) for use in function.uses(name))


def _name(call: cst.Call) -> str:
    """`len_items` for `len(items)`, `name_lower` for `name.lower()`."""
    if isinstance(call.func, cst.Attribute) and not call.args:
        owner = path_of(call.func.value)
        parts = [owner.rpartition(".")[2] if owner else "value", call.func.attr.value]
    else:
        argument = path_of(call.args[0].value) if call.args else None
        parts = [_called(call), argument.rpartition(".")[2] if argument else "value"]
    return "_".join(parts)


RULE = Rule(
    name="hoist-calls",
    summary="a call that gives the same each time round a loop → once, before it",
    unsafe="The call is made though the loop may never run; where what it looks at changes unseen, its result is old.",
    before="""\
def above(values, limit, word):
    found = []
    for value in values:
        if value > sum(values) / len(values) and value < limit:
            found.append(word.strip() + str(value))
    return found
""",
    after="""\
def above(values, limit, word):
    found = []
    sum_values = sum(values)
    len_values = len(values)
    word_strip = word.strip()
    for value in values:
        if value > sum_values / len_values and value < limit:
            found.append(word_strip + str(value))
    return found
""",
    calls=("above([1, 2, 6, 8], 7, ' x ')", "above([], 3, '')"),
    find=_find,
)
