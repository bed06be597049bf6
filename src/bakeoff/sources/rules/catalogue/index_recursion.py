"""Each call of a recursion goes through the same collection to find what belongs to it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from bakeoff.sources.rules.catalogue._recursion import recursion_of, split
from bakeoff.sources.rules.catalogue.index_join import index_of, join_of
from bakeoff.sources.rules.rewriting import Rewrite, Rule, path_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bakeoff.sources.rules.catalogue._recursion import Recursion
    from bakeoff.sources.rules.catalogue.index_join import Join
    from bakeoff.sources.rules.rewriting import Function, Replacement


def _find(function: Function) -> Iterator[Rewrite]:
    recursion = recursion_of(function)
    if recursion is None or any(isinstance(node, cst.Yield) for node in function.own()):
        return
    for loop in function.walk(cst.For, cst.CompFor):
        if not isinstance(loop.target, cst.Name) or not _stays(function, recursion, loop.iter):
            continue
        join = join_of(function, loop)
        if join is not None:
            yield _rewrite(function, recursion, join)
            return


def _stays(function: Function, recursion: Recursion, items: cst.BaseExpression) -> bool:
    """Whether all calls of one recursion go through the same."""
    path = path_of(items)
    root = (path or "").partition(".")[0]
    is_same = root in recursion.names or root == "self" or not function.is_local(root)
    return path is not None and is_same and root not in recursion.varying and function.stays(items, function.node.body)


def _rewrite(function: Function, recursion: Recursion, join: Join) -> Rewrite:
    loop = join.loop
    build, found = index_of(function, join)
    replace: dict[cst.CSTNode, Replacement] = {loop.iter: found}
    unwrap = None
    if join.rest is not None:
        replace[join.test] = join.rest
    elif isinstance(loop, cst.CompFor):
        replace[loop.ifs[0]] = cst.RemoveFromParent()
    elif isinstance(loop.body, cst.IndentedBlock) and isinstance(loop.body.body[0], cst.If):
        unwrap = loop.body.body[0]
    body = split(function, recursion, first=build, replace=replace, unwrap=unwrap)
    return Rewrite(replace={function.node.body: body})


RULE = Rule(
    name="index-recursion",
    summary="recursion that searches one collection in each call → a dict of its items, made once",
    unsafe="Keys that cannot be hashed raise TypeError; what is searched must not change meanwhile.",
    before="""\
def size(nodes, parent=None):
    total = 0
    for node in nodes:
        if node["parent"] == parent:
            total += node["size"]
            total += size(nodes, node["id"])
    return total
""",
    after="""\
def size(nodes, parent=None):
    by_parent = {}
    for node in nodes:
        by_parent.setdefault(node["parent"], []).append(node)

    def size_of(parent=None):
        total = 0
        for node in by_parent.get(parent, ()):
            total += node["size"]
            total += size_of(node["id"])
        return total

    return size_of(parent)
""",
    calls=("size([dict(id=n, parent=n // 2 if n else None, size=n) for n in (0, 2, 4, 5)])", "size([])"),
    find=_find,
)
