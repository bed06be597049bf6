"""Working something out of one side of each pair, for all pairs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import libcst as cst

from bakeoff.sources.rules.catalogue._callees import helpers_of, is_costly
from bakeoff.sources.rules.catalogue._shapes import changed, hint, is_simple, is_steady, names, swapped, text
from bakeoff.sources.rules.rewriting import Function, Replacement, Rewrite, Rule, beside, expression, target_names

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bakeoff.sources.rules.rewriting import Comprehension


@dataclass(frozen=True, slots=True, kw_only=True)
class _Inner:
    """A loop that goes through the same things each time round the loops around it."""

    target: cst.BaseExpression
    source: cst.BaseExpression
    scope: cst.CSTNode
    around: list[cst.For | cst.While | Comprehension]


def _find(function: Function) -> Iterator[Rewrite]:
    helpers = helpers_of(function)
    taken: set[cst.CSTNode] = set()
    for inner in _inner_loops(function):
        rewrite = _beside_each(function, inner, helpers, taken)
        if rewrite is not None:
            yield rewrite
    yield from _by_position(function, helpers, taken)


# for a in many: for b in others: … work(b) …


def _inner_loops(function: Function) -> Iterator[_Inner]:
    for node in function.walk(cst.For, cst.ListComp, cst.SetComp, cst.DictComp, cst.GeneratorExp):
        match node:
            case cst.For(target=target, iter=source, body=body):
                yield _Inner(target=target, source=source, scope=body, around=function.loops_around(node))
            case cst.ListComp() | cst.SetComp() | cst.DictComp() | cst.GeneratorExp():
                part: cst.CompFor | None = node.for_in
                around = function.loops_around(node)
                while part is not None:
                    yield _Inner(target=part.target, source=part.iter, scope=node, around=around)
                    around = [node, *function.loops_around(node)]
                    part = part.inner_for_in


def _beside_each(
    function: Function, inner: _Inner, helpers: dict[str, cst.FunctionDef], taken: set[cst.CSTNode]
) -> Rewrite | None:
    own = set(target_names(inner.target))
    if not own or not function.is_pure(inner.source) or own & _bound_again(function, inner):
        return None
    outer = _outermost(function, inner, [inner.source], own)
    place = function.statement(outer) if outer is not None else None
    if outer is None or place is None or (isinstance(place, cst.While) and outer is not place):
        return None
    found: dict[str, list[cst.Call]] = {}
    for call in function.walk(cst.Call, under=inner.scope):
        used = names(function, call)
        costly = call not in taken and bool(used & own) and is_costly(function, call, helpers)
        if costly and _outermost(function, inner, [call], own) is outer:
            found.setdefault(function.form(call), []).append(call)
            taken.update(function.walk(under=call))
    return _with_values(function, inner, place, list(found.values())) if found else None


def _bound_again(function: Function, inner: _Inner) -> set[str]:
    """The names that are given other values where the loop's are used."""
    return function.assigned(inner.scope) if isinstance(inner.scope, cst.BaseSuite) else set()


def _outermost(
    function: Function, inner: _Inner, parts: list[cst.BaseExpression], own: set[str]
) -> cst.For | cst.While | Comprehension | None:
    """The outermost of the loops around in which these stay the same, but for what the inner loop goes through."""
    found = None
    for loop in inner.around:
        moved = changed(function, loop)
        for part in parts:
            used = names(function, part) - function.assigned(part)
            looked_at = function.walk(cst.Name, cst.Attribute, cst.Subscript, under=part)
            forms = {function.form(one) for one in looked_at if not (isinstance(one, cst.Name) and one.value in own)}
            if (used - own) & function.assigned(loop) or forms & moved:
                return found
        found = loop
    return found


def _with_values(function: Function, inner: _Inner, place: cst.BaseStatement, groups: list[list[cst.Call]]) -> Rewrite:
    table = function.fresh(hint(inner.source, "worked"))
    replace: dict[cst.CSTNode, Replacement] = {}
    values = []
    for group in groups:
        value = function.fresh(_name(group[0]))
        values.append(value)
        replace |= {call: expression(value) for call in group}
    target = function.code(inner.target).strip()
    bare = f"({target})" if isinstance(inner.target, cst.Tuple) and not inner.target.lpar else target
    made = ", ".join([bare, *(text(function, group[0]) for group in groups)])
    replace[place] = beside(place, before=f"{table} = [({made}) for {target} in {text(function, inner.source)}]\n")
    new = cst.ensure_type(expression(f"({', '.join([bare, *values])})"), cst.Tuple)
    replace[inner.target] = new.with_changes(lpar=(), rpar=())
    replace[inner.source] = cst.Name(table)
    return Rewrite(replace=replace)


def _name(call: cst.Call) -> str:
    match call.func:
        case cst.Attribute(value=receiver, attr=cst.Name(value=method)) if not call.args or is_simple(receiver):
            return f"its_{method.strip('_')}"
    return hint(call.func, "of").removesuffix("_of") + "_of"


# for i in range(…): for j in range(i, …): … work(listed[i], listed[j]) …


def _by_position(function: Function, helpers: dict[str, cst.FunctionDef], taken: set[cst.CSTNode]) -> Iterator[Rewrite]:
    found: dict[tuple[str, str, cst.BaseStatement], list[tuple[cst.Call, str]]] = {}
    for call in function.walk(cst.Call):
        if call in taken or not is_costly(function, call, helpers):
            continue
        loops = [loop for loop in function.loops_around(call) if isinstance(loop, cst.For)]
        item = _item(function, call, loops)
        if item is None or len(loops) < 2 or not is_steady(function, item.value, loops[-1]):
            continue
        place = function.statement(loops[-1])
        if place is not None and _is_of_item_only(function, call, item, loops[-1]):
            code = text(function, _of_one(function, call, item))
            found.setdefault((code, text(function, item.value), place), []).append((call, _position(function, item)))
            taken.update(function.walk(under=call))
    for (code, listed, place), calls in found.items():
        table = function.fresh(f"{listed.replace('.', '_').removeprefix('self_')}_worked")
        replace: dict[cst.CSTNode, Replacement] = {call: expression(f"{table}[{at}]") for call, at in calls}
        replace[place] = beside(place, before=f"{table} = [{code} for one in {listed}]\n")
        yield Rewrite(replace=replace)


def _item(function: Function, call: cst.Call, loops: list[cst.For]) -> cst.Subscript | None:
    """`listed[i]` in what is called, where `i` is counted by one of these loops."""
    counted = {loop.target.value for loop in loops if isinstance(loop.target, cst.Name)}
    for node in function.walk(cst.Subscript, under=call):
        match node.slice:
            case [cst.SubscriptElement(slice=cst.Index(value=cst.Name(value=name), star=None))]:
                if name in counted and is_simple(node.value):
                    return node
    return None


def _position(function: Function, item: cst.Subscript) -> str:
    return function.code(item.slice[0]).strip()


def _is_of_item_only(function: Function, call: cst.Call, item: cst.Subscript, loop: cst.For) -> bool:
    """Whether all else that is looked at stays the same."""
    rest = _of_one(function, call, item)
    used = {name.value for name in function.walk(cst.Name, under=rest)} - {"one"}
    return "one" not in names(function, call) and not used & function.assigned(loop)


def _of_one(function: Function, call: cst.Call, item: cst.Subscript) -> cst.Call:
    """The same for `one` in place of the item."""
    form = function.form(item)
    items = [node for node in function.walk(cst.Subscript, under=call) if function.form(node) == form]
    return cst.ensure_type(swapped(call, {node: cst.Name("one") for node in items}), cst.Call)


RULE = Rule(
    name="pair-work",
    summary="what is worked out of one side of each pair, for all pairs → once for each of that side",
    unsafe="Results that are changed by who gets them; what fails or has effects, for those that were never asked for.",
    before="""\
def similar(left, right, words):
    found = []
    for a in left:
        for b in right:
            if a.strip() == b.strip().lower():
                found.append((a, b))
    for i in range(len(words)):
        for j in range(i + 1, len(words)):
            if set(words[i].split()) & set(words[j].split()) or max(words[i], words[i][1:]) == words[j]:
                found.append((i, j))
    return found + [(a, b) for a in left for b in right if len(a) == int(b.count("x"))]
""",
    after="""\
def similar(left, right, words):
    found = []
    right_worked = [(b, b.strip().lower()) for b in right]
    for a in left:
        for b, its_lower in right_worked:
            if a.strip() == its_lower:
                found.append((a, b))
    words_worked = [set(one.split()) for one in words]
    words_worked_2 = [max(one, one[1:]) for one in words]
    for i in range(len(words)):
        for j in range(i + 1, len(words)):
            if words_worked[i] & words_worked[j] or words_worked_2[i] == words[j]:
                found.append((i, j))
    right_worked_2 = [(b, int(b.count("x"))) for b in right]
    return found + [(a, b) for a in left for b, int_of in right_worked_2 if len(a) == int_of]
""",
    calls=("similar([], ['x'], [])", "similar(['a ', 'x'], ['A', 'xx', 'b'], ['a b', 'c', 'b d'])"),
    find=_find,
)
