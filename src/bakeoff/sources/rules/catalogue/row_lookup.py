"""Looking up the same item again each time round a loop, like the row of a table for each of its cells."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from bakeoff.sources.rules.catalogue._shapes import changed, hint, is_simple, names, text
from bakeoff.sources.rules.rewriting import Function, Replacement, Rewrite, Rule, beside, expression

if TYPE_CHECKING:
    from collections.abc import Iterator


def _find(function: Function) -> Iterator[Rewrite]:
    found: dict[tuple[str, cst.BaseStatement], list[cst.Subscript]] = {}
    for node in function.walk(cst.Subscript):
        if is_simple(node.value) and _is_row(function, node):
            place = _place(function, node)
            if place is not None:
                found.setdefault((text(function, node), place), []).append(node)
    for (row, place), nodes in found.items():
        name = function.fresh(hint(nodes[0].value, "item"))
        replace: dict[cst.CSTNode, Replacement] = {node: expression(name) for node in nodes}
        replace[place] = beside(place, before=f"{name} = {row}\n")
        yield Rewrite(replace=replace)


def _is_row(function: Function, node: cst.Subscript) -> bool:
    """`table[i]` in `table[i][j]`, or where it is read in a loop in a loop; with an index that is no slice."""
    match node.slice:
        case [cst.SubscriptElement(slice=cst.Index(value=index, star=None))] if function.is_pure(index):
            if _is_of_table(function, node):
                return bool(names(function, index))
            return _is_read_often(function, node, index)
    return False


def _is_of_table(function: Function, node: cst.Subscript) -> bool:
    parent = function.parent(node)
    return isinstance(parent, cst.Subscript) and parent.value is node


def _is_read_often(function: Function, node: cst.Subscript, index: cst.BaseExpression) -> bool:
    """Whether it is read in a loop in a loop, where nobody else can change what it is taken from."""
    around = list(function.ancestors(node))
    stored = isinstance(around[0], (cst.AssignTarget, cst.AugAssign, cst.Del, cst.For, cst.CompFor, cst.Element))
    loops = [loop for loop in function.loops_around(node) if isinstance(loop, (cst.For, cst.While))]
    asked = isinstance(index, cst.SimpleString) or bool(names(function, index))
    if stored or not asked or len(loops) < 2 or any(isinstance(one, cst.Try) for one in around):
        return False
    root = next(iter(names(function, node.value)), "")
    return not function.mutated(root, loops[0])


def _place(function: Function, node: cst.Subscript) -> cst.BaseStatement | None:
    """Before the outermost loop in which it is the same row, whatever happens to the cells of it."""
    outermost: cst.For | cst.While | None = None
    for loop in function.loops_around(node):
        if not isinstance(loop, (cst.For, cst.While)) or not _is_same_row(function, node, loop):
            break
        outermost = loop
    return outermost if outermost is not None and function.statement(outermost) is outermost else None


def _is_same_row(function: Function, node: cst.Subscript, loop: cst.For | cst.While) -> bool:
    if names(function, node) & function.assigned(loop):
        return False
    parts = function.walk(cst.Name, cst.Attribute, cst.Subscript, under=node)
    forms = {function.form(one) for one in parts if one is not node}
    return not forms & changed(function, loop)


RULE = Rule(
    name="row-lookup",
    summary="an item that stays the same, looked up in a loop → once, before it",
    unsafe="Tables that make a row when it is asked for, or a new one each time; rows that are not there.",
    before="""\
def distance(a, b):
    table = [list(range(len(b) + 1)) for _ in range(len(a) + 1)]
    for i in range(1, len(a) + 1):
        table[i][0] = i
        for j in range(1, len(b) + 1):
            cost = a[i - 1] != b[j - 1]
            table[i][j] = min(table[i - 1][j] + 1, table[i][j - 1] + 1, table[i - 1][j - 1] + cost)
    return table[-1][-1]
""",
    after="""\
def distance(a, b):
    table = [list(range(len(b) + 1)) for _ in range(len(a) + 1)]
    for i in range(1, len(a) + 1):
        table[i][0] = i
        a_item = a[i - 1]
        table_item = table[i]
        table_item_2 = table[i - 1]
        for j in range(1, len(b) + 1):
            cost = a_item != b[j - 1]
            table_item[j] = min(table_item_2[j] + 1, table_item[j - 1] + 1, table_item_2[j - 1] + cost)
    return table[-1][-1]
""",
    calls=("distance('', 'ab')", "distance('kitten', 'sitting')"),
    find=_find,
)
