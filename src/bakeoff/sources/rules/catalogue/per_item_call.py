"""A comprehension that asks the same in its condition and again for what it gives."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from bakeoff.sources.rules.catalogue._callees import helpers_of, is_costly
from bakeoff.sources.rules.catalogue._shapes import names, text
from bakeoff.sources.rules.rewriting import Rewrite, Rule, expression

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bakeoff.sources.rules.rewriting import Comprehension, Function, Replacement

_NARROW = (cst.ListComp, cst.SetComp, cst.DictComp, cst.GeneratorExp, cst.Lambda)


def _find(function: Function) -> Iterator[Rewrite]:
    helpers = helpers_of(function)
    for node in function.walk():
        if not isinstance(node, (cst.ListComp, cst.SetComp, cst.DictComp, cst.GeneratorExp)):
            continue
        part = node.for_in
        if part.inner_for_in is not None or not part.ifs or _is_in_a_class(function, node):
            continue
        done: set[cst.CSTNode] = set()
        for call in function.walk(cst.Call, under=part.ifs[0]):
            if call in done or not _is_asked_always(function, call, part.ifs[0]):
                continue
            others = [one for one in _others(function, node, call) if one not in done]
            if others and is_costly(function, call, helpers) and names(function, call) & function.assigned(part):
                done.update(inner for one in (call, *others) for inner in function.walk(under=one))
                yield _rewrite(function, call, others)


def _is_in_a_class(function: Function, node: cst.CSTNode) -> bool:
    """Whether it stands where no name can be given: in the body of a class, or in what a comprehension goes through."""
    below = node
    for around in function.ancestors(node):
        if isinstance(around, cst.ClassDef) or (isinstance(around, cst.CompFor) and around.iter is below):
            return True
        below = around
    return False


def _is_asked_always(function: Function, call: cst.Call, condition: cst.CompIf) -> bool:
    """Whether it is called for each item, whatever else there is in the condition."""
    below: cst.CSTNode = call
    for around in function.ancestors(call):
        match around:
            case cst.BooleanOperation(left=first) | cst.IfExp(test=first) if first is not below:
                return False
            case cst.Comparison(comparisons=[_, _, *_]):
                return False
        if isinstance(around, _NARROW) or around is condition:
            return around is condition
        below = around
    return False


def _others(function: Function, node: Comprehension, call: cst.Call) -> list[cst.Call]:
    """The same call where the comprehension has come to know the answer."""
    parts: list[cst.CSTNode] = [*node.for_in.ifs[1:]]
    parts += [node.key, node.value] if isinstance(node, cst.DictComp) else [node.elt]
    calls = [one for part in parts for one in function.walk(cst.Call, under=part) if function.same(one, call)]
    return [one for one in calls if not any(isinstance(around, _NARROW) for around in _between(function, one, node))]


def _between(function: Function, node: cst.CSTNode, end: cst.CSTNode) -> Iterator[cst.CSTNode]:
    for around in function.ancestors(node):
        if around is end:
            return
        yield around


def _rewrite(function: Function, call: cst.Call, others: list[cst.Call]) -> Rewrite:
    name = function.fresh(_hint(call))
    replace: dict[cst.CSTNode, Replacement] = dict.fromkeys(others, cst.Name(name))
    replace[call] = expression(f"({name} := {text(function, call)})")
    return Rewrite(replace=replace)


def _hint(call: cst.Call) -> str:
    match call.func:
        case cst.Name(value=name) | cst.Attribute(attr=cst.Name(value=name)):
            return f"{name.strip('_').lower() or 'one'}_of_it"
    return "answer"


RULE = Rule(
    name="per-item-call",
    summary="a call in the condition of a comprehension and again in what it gives → once for each item",
    unsafe="Calls that give another thing each time; the name is known around the comprehension.",
    before="""\
def numbers(lines):
    return [(line, value(line)) for line in lines if value(line) is not None and line != "0"]


def value(line):
    digits = [one for one in line if one.isdigit()]
    return int("".join(digits)) if digits else None
""",
    after="""\
def numbers(lines):
    return [(line, value_of_it) for line in lines if (value_of_it := value(line)) is not None and line != "0"]


def value(line):
    digits = [one for one in line if one.isdigit()]
    return int("".join(digits)) if digits else None
""",
    calls=("numbers([])", "numbers(['a1', 'b', '0', '1 2'])"),
    find=_find,
)
