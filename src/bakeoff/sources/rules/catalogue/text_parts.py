"""Parts of a text that are copied only to look into them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from bakeoff.sources.rules.catalogue._shapes import (
    atom,
    fitted,
    is_simple,
    is_steady,
    known_text,
    method_call,
    plain_call,
    sole,
    text,
)
from bakeoff.sources.rules.rewriting import Function, Replacement, Rewrite, Rule, bound_names, expression

if TYPE_CHECKING:
    from collections.abc import Iterator

# Whose results do not depend on where the part begins.
_ANYWHERE = frozenset({"count", "startswith", "endswith"})
_FROM_THE_START = frozenset({"find", "rfind", "index", "rindex"})


def _find(function: Function) -> Iterator[Rewrite]:
    taken: set[cst.CSTNode] = set()
    for line in function.walk(cst.SimpleStatementLine):
        rewrite = _named(function, line)
        if rewrite is not None:
            taken.update(rewrite.replace)
            yield rewrite
    for node in function.walk(cst.Call):
        code = _looked(function, node, node) if node not in taken else None
        if code is not None:
            taken.update(function.walk(cst.Call, under=node))
            yield Rewrite(replace={node: _fitted(function, node, code)})


def _looked(function: Function, node: cst.Call, part: cst.CSTNode, name: str = "") -> str | None:
    """What a call of a method of a part is without the part, which may have a name; None where it needs it."""
    counted = plain_call(node, "len")
    split = method_call(counted[0], "split") if counted is not None else None
    found = split or method_call(node, *_ANYWHERE, *_FROM_THE_START)
    if found is None or known_text(function, found[1][0]) is None:
        return None
    source = found[0]
    if name:
        if not (isinstance(source, cst.Name) and source.value == name):
            return None
        source = part if isinstance(part, cst.BaseExpression) else source
    bounds = _bounds(function, source)
    wanted = text(function, found[1][0])
    if split is not None:
        whole = ("", "", "") if bounds is None else bounds
        owner = whole[0] or atom(function, source)
        return f"{owner}.count({_arguments(wanted, *whole[1:])}) + 1"
    assert isinstance(node.func, cst.Attribute)
    if bounds is None or (bounds[1] and node.func.attr.value in _FROM_THE_START):
        return None
    return f"{bounds[0]}.{node.func.attr.value}({_arguments(wanted, *bounds[1:])})"


def _fitted(function: Function, node: cst.BaseExpression, code: str) -> cst.BaseExpression:
    return fitted(function, node, code) if code.endswith(" + 1") else expression(code)


def _bounds(function: Function, node: cst.BaseExpression) -> tuple[str, str, str] | None:
    """Whose part it is, where that begins and where it ends."""
    match node:
        case cst.Subscript(
            value=source, slice=[cst.SubscriptElement(slice=cst.Slice(lower=lower, upper=upper, step=None))]
        ) if is_simple(source):
            start = text(function, lower) if lower is not None else ""
            end = text(function, upper) if upper is not None else ""
            return (text(function, source), start, end) if start or end else None
    return None


def _arguments(wanted: str, lower: str, upper: str) -> str:
    if not lower and not upper:
        return wanted
    return ", ".join([wanted, lower or "0", *([upper] if upper else [])])


def _named(function: Function, line: cst.SimpleStatementLine) -> Rewrite | None:
    """`before = text[:end]` where `before` is only looked into."""
    match sole(line):
        case cst.Assign(targets=[cst.AssignTarget(target=cst.Name(value=name))], value=cst.Subscript() as part):
            pass
        case _:
            return None
    bound = sum(name in bound_names(node) for node in function.walk())
    uses = function.uses(name)
    if bound != 1 or not uses or _bounds(function, part) is None or not function.is_local(name):
        return None
    following = list(function.following(line))
    inside = {use for one in following for use in function.walk(cst.Name, under=one)}
    if not set(uses) <= inside or not all(is_steady(function, part, one) for one in following):
        return None
    replace: dict[cst.CSTNode, Replacement] = {line: cst.RemoveFromParent()}
    for use in uses:
        made = _around(function, use, part, name)
        if made is None:
            return None
        replace[made[0]] = made[1]
    return Rewrite(replace=replace)


def _around(
    function: Function, use: cst.Name, part: cst.Subscript, name: str
) -> tuple[cst.CSTNode, cst.BaseExpression] | None:
    """The call that a use is looked into by, and what it becomes."""
    for around in function.ancestors(use):
        if isinstance(around, cst.BaseStatement):
            break
        code = _looked(function, around, part, name) if isinstance(around, cst.Call) else None
        outer = function.parent(function.parent(around))
        if code is not None and isinstance(around, cst.Call) and plain_call(outer, "len") is None:
            return around, _fitted(function, around, code)
    return None


RULE = Rule(
    name="text-parts",
    summary="text[:i].count(x), len(text.split(x)) and the like → the method told where to look",
    unsafe="What is looked into is no text, or a text with methods of its own; places beyond its ends.",
    before="""\
def place(source, position):
    before = source[:position]
    line = len(before.split("\\n"))
    column = position - (before.rfind("\\n") + 1)
    if source[position:].startswith("#") or source[position:].find("-") == 0:
        return line
    return line, column, source[1:position].count("x") * len(source.split(","))
""",
    after="""\
def place(source, position):
    line = source.count("\\n", 0, position) + 1
    column = position - (source.rfind("\\n", 0, position) + 1)
    if source.startswith("#", position) or source[position:].find("-") == 0:
        return line
    return line, column, source.count("x", 1, position) * (source.count(",") + 1)
""",
    calls=("place('a\\nxb,x\\nc#', 5)", "place('a\\nxb,x\\nc#', 7)", "place('', 0)"),
    find=_find,
)
