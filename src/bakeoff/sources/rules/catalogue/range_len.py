"""Going through a list by its positions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import libcst as cst

from bakeoff.sources.rules.catalogue._shapes import is_simple, is_steady, plain_call, text
from bakeoff.sources.rules.rewriting import Function, Replacement, Rewrite, Rule, expression

if TYPE_CHECKING:
    from collections.abc import Iterator


@dataclass(frozen=True, slots=True, kw_only=True)
class _Walk:
    """`for index in range(len(listed))`, as a statement or in a comprehension; `body` is what is done for each."""

    index: cst.Name
    source: cst.BaseExpression
    listed: cst.BaseExpression
    body: cst.CSTNode
    whole: cst.CSTNode


def _walks(function: Function) -> Iterator[_Walk]:
    for node in function.walk(cst.For, cst.ListComp, cst.SetComp, cst.DictComp, cst.GeneratorExp):
        part: cst.For | cst.CompFor
        match node:
            case cst.For():
                part = node
            case cst.ListComp() | cst.SetComp() | cst.DictComp() | cst.GeneratorExp():
                part = node.for_in
            case _:
                continue
        listed = _measured(part.iter)
        if listed is not None and isinstance(part.target, cst.Name):
            body = part.body if isinstance(part, cst.For) else node
            yield _Walk(index=part.target, source=part.iter, listed=listed, body=body, whole=node)


def _measured(node: cst.BaseExpression) -> cst.BaseExpression | None:
    """What `listed` is in `range(len(listed))` or `range(0, len(listed))`."""
    inner = plain_call(node, "range") or plain_call(node, "range", count=2)
    if inner is None or (len(inner) == 2 and not (isinstance(inner[0], cst.Integer) and inner[0].value == "0")):
        return None
    length = plain_call(inner[-1], "len")
    return length[0] if length is not None and is_simple(length[0]) else None


def _find(function: Function) -> Iterator[Rewrite]:
    for walk in _walks(function):
        reads = _reads(function, walk)
        own = reads.pop(function.form(walk.listed), [])
        if not own or (isinstance(walk.whole, cst.For) and walk.index.value in function.assigned(walk.body)):
            continue
        others = sum(len(nodes) for nodes in reads.values())
        rest = len(function.uses(walk.index.value, walk.body)) - len(own)
        if isinstance(walk.whole, cst.For) and _is_read_later(function, walk):
            rest += 1
        if rest == 0:
            yield _straight(function, walk, own)
        elif rest == others:
            yield _together(function, walk, own, list(reads.values()))
        else:
            yield _numbered(function, walk, own)


def _reads(function: Function, walk: _Walk) -> dict[str, list[cst.Subscript]]:
    """Where `listed[index]` is read, for each list that stays the same; the one that is gone through first."""
    found: dict[str, list[cst.Subscript]] = {}
    for node in function.walk(cst.Subscript, under=walk.body):
        match node.slice:
            case [cst.SubscriptElement(slice=cst.Index(value=cst.Name(value=name), star=None))]:
                if name == walk.index.value and is_simple(node.value):
                    found.setdefault(function.form(node.value), []).append(node)
    return {form: nodes for form, nodes in found.items() if is_steady(function, nodes[0].value, walk.body)}


def _is_read_later(function: Function, walk: _Walk) -> bool:
    """Whether the index is used outside of the loop, and not only as that of others."""
    name = walk.index.value
    inside = sum(len(function.uses(name, one.whole)) for one in _walks(function) if one.index.value == name)
    return len(function.uses(name)) > inside


def _straight(function: Function, walk: _Walk, reads: list[cst.Subscript]) -> Rewrite:
    item = _item(function, walk.listed)
    replace: dict[cst.CSTNode, Replacement] = {node: expression(item) for node in reads}
    replace[walk.index] = cst.Name(item)
    replace[walk.source] = expression(text(function, walk.listed))
    return Rewrite(replace=replace)


def _numbered(function: Function, walk: _Walk, reads: list[cst.Subscript]) -> Rewrite:
    item = _item(function, walk.listed)
    replace: dict[cst.CSTNode, Replacement] = {node: expression(item) for node in reads}
    replace[walk.index] = _names([walk.index.value, item])
    replace[walk.source] = expression(f"enumerate({text(function, walk.listed)})")
    return Rewrite(replace=replace)


def _together(
    function: Function, walk: _Walk, reads: list[cst.Subscript], others: list[list[cst.Subscript]]
) -> Rewrite:
    """Several lists side by side, which are taken to be of one length."""
    replace: dict[cst.CSTNode, Replacement] = {}
    items: list[str] = []
    for nodes in (reads, *others):
        items.append(_item(function, nodes[0].value))
        replace |= {node: expression(items[-1]) for node in nodes}
    listed = ", ".join(text(function, nodes[0].value) for nodes in (reads, *others))
    replace[walk.index] = _names(items)
    replace[walk.source] = expression(f"zip({listed})")
    return Rewrite(replace=replace)


def _names(names: list[str]) -> cst.Tuple:
    return cst.Tuple([cst.Element(cst.Name(name)) for name in names], lpar=(), rpar=())


def _item(function: Function, listed: cst.BaseExpression) -> str:
    """A name for one of many: `rows` has a `row`."""
    name = listed.attr.value if isinstance(listed, cst.Attribute) else cst.ensure_type(listed, cst.Name).value
    name = name.strip("_")
    many = name.endswith("s") and not name.endswith("ss") and len(name) > 3
    return function.fresh(name[:-1] if many else f"{name}_item")


RULE = Rule(
    name="range-len",
    summary="for i in range(len(xs)): xs[i] → for x in xs, enumerate, zip",
    unsafe="Lists that change on the way or are of different lengths; dicts with keys from nought; own kinds of lists.",
    before="""\
def mix(names, ages, marks):
    lines = []
    for i in range(len(names)):
        lines.append(names[i] + str(ages[i]))
    for j in range(len(marks)):
        if marks[j] > 1:
            lines.append((j, marks[j]))
    return lines, [marks[k] * 2 for k in range(0, len(marks)) if marks[k]]
""",
    after="""\
def mix(names, ages, marks):
    lines = []
    for name, age in zip(names, ages):
        lines.append(name + str(age))
    for j, mark in enumerate(marks):
        if mark > 1:
            lines.append((j, mark))
    return lines, [mark_2 * 2 for mark_2 in marks if mark_2]
""",
    calls=("mix([], [], [])", "mix(['a', 'b'], [1, 2], [0, 1, 2, 3])"),
    find=_find,
)
