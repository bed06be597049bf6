"""Looking through a list that is made anew for each look."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import libcst as cst

from bakeoff.sources.rules.catalogue._shapes import (
    above_loops,
    appends,
    atom,
    fitted,
    growing_loop,
    hint,
    is_simple,
    names,
    only_generator,
    plain_call,
    swapped,
    text,
)
from bakeoff.sources.rules.rewriting import Function, Replacement, Rewrite, Rule, beside, expression, target_names

if TYPE_CHECKING:
    from collections.abc import Iterator


@dataclass(frozen=True, slots=True, kw_only=True)
class _Look:
    """What is looked for, in which values, and where that is asked."""

    node: cst.BaseExpression
    wanted: cst.BaseExpression
    value: cst.BaseExpression
    part: cst.CompFor
    is_negative: bool


def _look(function: Function, node: cst.CSTNode) -> _Look | None:
    match node:
        case cst.Comparison(comparisons=[cst.ComparisonTarget(operator=cst.In() | cst.NotIn() as operator)]):
            values = _listed(node.comparisons[0].comparator)
            part = only_generator(values, several=True) if values is not None else None
            if isinstance(values, (cst.ListComp, cst.SetComp, cst.GeneratorExp)) and part is not None:
                negative = isinstance(operator, cst.NotIn)
                return _Look(node=node, wanted=node.left, value=values.elt, part=part, is_negative=negative)
        case cst.Call():
            return _quantified(function, node)
    return None


def _listed(node: cst.CSTNode) -> cst.CSTNode | None:
    """The comprehension in `[…]`, or in `list(…)`, `set(…)` and the like."""
    inner = plain_call(node, "list", "set", "tuple", "frozenset")
    return inner[0] if inner is not None else node


def _quantified(function: Function, node: cst.Call) -> _Look | None:
    """`any(value == wanted for …)`, or `all(value != wanted for …)`."""
    for name, operator in (("any", cst.Equal), ("all", cst.NotEqual)):
        inner = plain_call(node, name)
        part = only_generator(inner[0], several=True) if inner is not None else None
        if inner is None or part is None or not isinstance(inner[0], (cst.GeneratorExp, cst.ListComp)):
            continue
        match inner[0].elt:
            case cst.Comparison(left=left, comparisons=[target]) if isinstance(target.operator, operator):
                own = function.assigned(part)
                for value, wanted in ((left, target.comparator), (target.comparator, left)):
                    if own & names(function, value) and not own & names(function, wanted):
                        return _Look(node=node, wanted=wanted, value=value, part=part, is_negative=name == "all")
    return None


def _find(function: Function) -> Iterator[Rewrite]:
    found: dict[tuple[str, cst.BaseStatement], list[_Look]] = {}
    for node in function.walk(cst.Comparison, cst.Call):
        look = _look(function, node)
        if look is None:
            continue
        values = cst.SetComp(elt=look.value, for_in=look.part)
        if not function.is_pure(values):
            continue
        place = above_loops(function, node, values)
        grown = _where_it_grows(function, look)
        if place is None or (grown is not None and grown in function.ancestors(place)):
            place = grown
        if place is not None:
            found.setdefault((_shape(function, values), place), []).append(look)
    for (_, place), looks in found.items():
        name = function.fresh(hint(looks[0].part.iter, "values"))
        code = text(function, cst.SetComp(elt=looks[0].value, for_in=looks[0].part))
        replace: dict[cst.CSTNode, Replacement] = {place: beside(place, before=f"{name} = {code}\n")}
        replace |= _kept_up(function, looks[0], place, name)
        for look in looks:
            operator = "not in" if look.is_negative else "in"
            replace[look.node] = fitted(function, look.node, f"{atom(function, look.wanted)} {operator} {name}")
        yield Rewrite(replace=replace)


def _shape(function: Function, values: cst.SetComp) -> str:
    """The same for comprehensions that differ in the names of their variables only."""
    own = target_names(values.for_in.target)
    numbers = {name: cst.Name(f"_{number}") for number, name in enumerate(own)}
    mine = [one for one in function.walk(cst.Name, under=values) if one.value in numbers]
    return text(function, swapped(values, {one: numbers[one.value] for one in mine if one.value != "_"}))


def _where_it_grows(function: Function, look: _Look) -> cst.BaseStatement | None:
    """Before the loop in which things are only added to what is looked through, one by one."""
    loop = growing_loop(function, look.node, look.part.iter) if is_simple(look.part.iter) else None
    if loop is None or look.part.ifs or not appends(function, look.part.iter, loop):
        return None
    others = names(function, look.value) - function.assigned(look.part)
    return function.statement(loop) if not others & function.assigned(loop) else None


def _kept_up(function: Function, look: _Look, place: cst.BaseStatement, name: str) -> dict[cst.CSTNode, Replacement]:
    """What is done where the list grows, so that the set grows with it."""
    listed = look.part.iter
    last = text(function, listed) + "[-1]"
    if isinstance(look.part.target, cst.Name):
        own = [one for one in function.walk(cst.Name, under=look.value) if function.same(one, look.part.target)]
        added = swapped(look.value, {one: expression(last) for one in own if function.is_load(one)})
        code = f"{name}.add({text(function, added)})\n"
    else:
        part = look.part.with_changes(iter=expression(f"[{last}]"))
        added = cst.GeneratorExp(elt=look.value, for_in=part, lpar=(), rpar=())
        code = f"{name}.update({function.module.code_for_node(added)})\n"
    lines = appends(function, listed, place) or []
    return {line: beside(line, after=code) for line, _ in lines}


RULE = Rule(
    name="nested-membership",
    summary="a list made for each look into it → a set, made once",
    unsafe="Values that cannot be hashed or that equal others without the same hash; what is listed changes in a call.",
    before="""\
def strangers(people, members):
    found = []
    for person in people:
        if person.name not in [member.name for member in members]:
            found.append(person)
        elif any(person.name == member.name for member in members):
            person.known = True
    kept = []
    for person in found:
        if person.name not in [one.name for one in kept]:
            kept.append(person)
    return kept
""",
    after="""\
def strangers(people, members):
    found = []
    members_values = {member.name for member in members}
    for person in people:
        if person.name not in members_values:
            found.append(person)
        elif person.name in members_values:
            person.known = True
    kept = []
    kept_values = {one.name for one in kept}
    for person in found:
        if person.name not in kept_values:
            kept.append(person)
            kept_values.add(kept[-1].name)
    return kept
""",
    calls=(
        "strangers([], [])",
        "[p.name for p in strangers([__import__('types').SimpleNamespace(name=n) for n in 'abac'], [])]",
    ),
    find=_find,
)
