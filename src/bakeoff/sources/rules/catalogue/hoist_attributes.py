"""Attributes that are looked up again and again in a loop are looked up once, before it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from bakeoff.sources.rules.rewriting import Rewrite, Rule, beside, path_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bakeoff.sources.rules.rewriting import Comprehension, Function, Replacement

_COMPREHENSIONS = (cst.ListComp, cst.SetComp, cst.DictComp, cst.GeneratorExp)


def _find(function: Function) -> Iterator[Rewrite]:
    """One rewrite for each outermost loop, with all of its attributes."""
    stored = _stored(function)
    groups: dict[cst.CSTNode, dict[str, list[cst.Attribute]]] = {}
    for node in function.walk(cst.Attribute):
        path = path_of(node)
        if path is None or not _is_longest(function, node):
            continue
        loop = _loop(function, path, stored, node)
        if loop is not None:
            groups.setdefault(loop, {}).setdefault(path, []).append(node)
    for place, paths in groups.items():
        statement = function.statement(place)
        if statement is None:
            continue
        replace: dict[cst.CSTNode, Replacement] = {}
        lines = []
        for path, nodes in paths.items():
            if not (_can_stand_before(function, nodes[0], place, statement) and _is_sure_once(function, nodes, place)):
                continue
            name = function.fresh(_name(path))
            lines.append(f"{name} = {path}\n")
            replace.update((node, cst.Name(name)) for node in nodes)
        if not lines:
            continue
        yield Rewrite(replace={**replace, statement: beside(statement, before="".join(lines))})


def _name(path: str) -> str:
    """`seen_contains` for `self.seen.__contains__`."""
    parts = [part.strip("_") for part in path.split(".")[-2:]]
    return "_".join(filter(None, parts)) or "found"


def _can_stand_before(
    function: Function, node: cst.Attribute, place: cst.CSTNode, statement: cst.BaseStatement
) -> bool:
    """Whether its owner is no variable of a lambda or comprehension between the loop and the statement."""
    owner = (path_of(node) or "").partition(".")[0]
    for around in function.ancestors(node):
        if isinstance(around, cst.Lambda) and owner in function.assigned(around.params):
            return False
        if isinstance(around, _COMPREHENSIONS) and around is not place and owner in function.assigned(around.for_in):
            return False
        if around is statement:
            break
    return True


def _is_sure_once(function: Function, nodes: list[cst.Attribute], loop: cst.CSTNode) -> bool:
    return any(_is_sure(function, node, loop) for node in nodes)


def _is_sure(function: Function, node: cst.Attribute, loop: cst.CSTNode) -> bool:
    """Whether there is such an attribute, and it stays what it is: a method does; anything else if it is asked for each
    time round, under no condition, and nobody is called who may change its owner."""
    below: cst.CSTNode = node
    around = function.parent(node)
    if isinstance(around, cst.Call) and around.func is node:
        return True
    if function.mutated((path_of(node) or "").partition(".")[0], loop):
        return False
    for around in function.ancestors(node):
        match around:
            case cst.If(test=test) | cst.IfExp(test=test) if below is not test:
                return False
            case cst.BooleanOperation(right=right) if below is right:
                return False
            case cst.Try() | cst.ExceptHandler():
                return False
        if around is loop:
            break
        below = around
    return True


def _is_longest(function: Function, node: cst.Attribute) -> bool:
    """Whether it is read, and not a part of a longer chain that is."""
    match function.parent(node):
        case cst.Attribute(value=value):
            return value is not node
        case cst.AssignTarget() | cst.AugAssign() | cst.Del() | cst.For() | cst.CompFor() | cst.AnnAssign():
            return False
        case cst.Element() | cst.NameItem() | cst.Decorator() | cst.Annotation() | cst.AsName() | cst.ImportFrom():
            return False
        case cst.ImportAlias() | cst.ExceptHandler():
            return False
    return True


def _stored(function: Function) -> set[str]:
    """The attributes that the function puts something into."""
    kinds = (cst.AssignTarget, cst.AugAssign, cst.AnnAssign, cst.For, cst.Del)
    paths = (path_of(node.target) for node in function.walk() if isinstance(node, kinds))
    return {path for path in paths if path is not None and "." in path}


def _loop(
    function: Function, path: str, stored: set[str], node: cst.Attribute
) -> cst.For | cst.While | Comprehension | None:
    """The outermost loop in which nobody puts something else into the attribute. What methods do to its owner does not
    matter: `out.append` stays what it is."""
    if any(path == one or path.startswith(f"{one}.") for one in stored):
        return None
    found = None
    for loop in function.loops_around(node):
        if path.partition(".")[0] in function.assigned(loop):
            break
        found = loop
    return found


RULE = Rule(
    name="hoist-attributes",
    summary="attributes looked up again and again in a loop → looked up once, before it",
    unsafe="The attribute must stay the same while the loop runs, whoever is called in it; properties are asked once.",
    before="""\
import math


def lengths(points, out):
    for x, y in points:
        if x or y:
            out.append(math.sqrt(x * x + y * y))
    return out
""",
    after="""\
import math


def lengths(points, out):
    out_append = out.append
    math_sqrt = math.sqrt
    for x, y in points:
        if x or y:
            out_append(math_sqrt(x * x + y * y))
    return out
""",
    calls=("lengths([(3, 4), (0, 0), (1, 0)], [])", "lengths([], [7])"),
    find=_find,
    is_minor=True,
)
