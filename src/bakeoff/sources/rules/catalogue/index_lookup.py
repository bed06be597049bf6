"""A helper that goes through a collection to find what has some key, asked again and again."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import libcst as cst

from bakeoff.sources.rules.rewriting import Rewrite, Rule, beside, expression, path_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bakeoff.sources.rules.rewriting import Function, Replacement


@dataclass(frozen=True, slots=True, kw_only=True)
class _Search:
    """How a helper searches: `item` goes through `items`, and `found` is given where `key` is `wanted`."""

    item: str
    items: cst.BaseExpression
    key: cst.BaseExpression
    wanted: str
    found: cst.BaseExpression


@dataclass(frozen=True, slots=True, kw_only=True)
class _Index:
    """A dict to be made before a statement, and the calls that look something up in it, with what they want."""

    statement: cst.BaseStatement
    items: str
    search: _Search
    helper: Function
    calls: list[tuple[cst.Call, str]] = field(default_factory=list)


def _find(function: Function) -> Iterator[Rewrite]:
    indexes: dict[tuple[cst.BaseStatement, str, cst.FunctionDef], _Index] = {}
    for call in function.walk(cst.Call):
        index = _index(function, call) if function.loops_around(call) else None
        if index is not None:
            known = indexes.setdefault((index.statement, index.items, index.helper.node), index)
            known.calls.extend(index.calls if known is not index else [])
    for index in indexes.values():
        yield _rewrite(function, index)


def _index(function: Function, call: cst.Call) -> _Index | None:
    """The index that would make one call unnecessary."""
    parent = function.parent(call)
    helper = function.called(call)
    if helper is None or helper.node is function.node or (isinstance(parent, cst.IfExp) and parent.orelse is call):
        return None
    search = _search(helper)
    given = helper.arguments(call)
    if search is None or given is None:
        return None
    items = _items(function, helper, search, given)
    statement = _anchor(function, call, items) if items is not None else None
    wanted = given[search.wanted]
    if statement is None or items is None or not _is_plain(function, wanted):
        return None
    calls = [(call, function.code(wanted))]
    return _Index(statement=statement, items=function.code(items), search=search, helper=helper, calls=calls)


def _search(helper: Function) -> _Search | None:
    body = helper.node.body
    lines = list(body.body) if isinstance(body, cst.IndentedBlock) else []
    if helper.node.get_docstring() is not None:
        lines = lines[1:]
    if helper.node.decorators or helper.node.asynchronous is not None or len(lines) > 2:
        return None
    match lines[:1]:
        case [
            cst.For(
                target=cst.Name(value=item),
                iter=items,
                body=cst.IndentedBlock(
                    body=[
                        cst.If(
                            test=cst.Comparison(
                                left=left, comparisons=[cst.ComparisonTarget(operator=cst.Equal(), comparator=right)]
                            ),
                            body=cst.IndentedBlock(
                                body=[cst.SimpleStatementLine(body=[cst.Return(value=cst.BaseExpression() as found)])]
                            ),
                            orelse=None,
                        )
                    ]
                ),
                orelse=None,
            )
        ] if path_of(items) is not None:
            for key, wanted in ((left, right), (right, left)):
                if isinstance(wanted, cst.Name) and wanted.value in helper.parameters and _names(helper, key) == {item}:
                    is_own = _names(helper, found) <= {item} and helper.is_pure(found) and helper.is_pure(key)
                    if is_own:
                        return _Search(item=item, items=items, key=key, wanted=wanted.value, found=found)
    return None


def _names(function: Function, node: cst.CSTNode) -> set[str]:
    return {name.value for name in function.walk(cst.Name, under=node) if function.is_load(name)}


def _items(
    function: Function, helper: Function, search: _Search, given: dict[str, cst.BaseExpression]
) -> cst.BaseExpression | None:
    """What the helper goes through, as the caller names it."""
    if isinstance(search.items, cst.Name) and search.items.value in given:
        argument = given[search.items.value]
        return argument if path_of(argument) is not None else None
    root = (path_of(search.items) or "").partition(".")[0]
    is_shared = root in {"self", "cls"} if function.is_method else not function.is_local(root)
    return search.items if is_shared and not (helper.is_local(root) and root not in {"self", "cls"}) else None


def _anchor(function: Function, call: cst.Call, items: cst.BaseExpression) -> cst.BaseStatement | None:
    """The statement before which an index can be made: the outermost loop in which the items stay the same."""
    outermost: cst.CSTNode | None = None
    for loop in function.loops_around(call):
        if not function.stays(items, loop):
            break
        outermost = loop
    if outermost is None or any(isinstance(around, cst.Lambda) for around in function.ancestors(call)):
        return None
    statement = function.statement(outermost)
    return None if isinstance(statement, cst.While) and statement is not outermost else statement


def _is_plain(function: Function, node: cst.BaseExpression) -> bool:
    """Whether it can be asked twice at no cost."""
    match node:
        case cst.Name() | cst.Attribute() | cst.Subscript() | cst.SimpleString() | cst.Integer():
            return function.is_pure(node)
    return False


def _rewrite(function: Function, index: _Index) -> Rewrite:
    search = index.search
    name = function.fresh("by_" + _hint(search))
    item = function.fresh("one")
    key, found = (_renamed(index.helper, node, search.item, item) for node in (search.key, search.found))
    build = f"{name} = {{}}\nfor {item} in {index.items}:\n    {name}.setdefault({key}, {found})\n"
    replace: dict[cst.CSTNode, Replacement] = {index.statement: beside(index.statement, before=build)}
    for call, wanted in index.calls:
        replace[call] = expression(f"({name}[{wanted}] if {wanted} in {name} else {function.code(call)})")
    return Rewrite(replace=replace)


def _hint(search: _Search) -> str:
    match search.key:
        case cst.Attribute(attr=cst.Name(value=name)):
            return name.strip("_") or search.wanted
    return search.wanted


def _renamed(helper: Function, node: cst.BaseExpression, old: str, new: str) -> str:
    """The text of an expression in which one variable has another name."""
    if isinstance(node, cst.Name):
        return new
    renamed: cst.CSTNode | cst.RemovalSentinel | cst.FlattenSentinel[cst.CSTNode] = node
    for use in helper.uses(old, under=node):
        if isinstance(renamed, cst.CSTNode):
            renamed = renamed.deep_replace(use, cst.Name(new))
    assert isinstance(renamed, cst.CSTNode)
    return helper.code(renamed)


RULE = Rule(
    name="index-lookup",
    summary="a helper that searches a collection for a key, called in a loop → a dict of it by that key",
    unsafe="Keys that cannot be hashed raise TypeError, and what an item is for its key must not change meanwhile.",
    before="""\
def total(prices, lines):
    amount = 0
    for line in lines:
        amount += line["number"] * price_of(prices, line["of"])
    return amount


def price_of(prices, code):
    for price in prices:
        if price["code"] == code:
            return price["cents"]
    raise KeyError(code)
""",
    after="""\
def total(prices, lines):
    amount = 0
    by_code = {}
    for one in prices:
        by_code.setdefault(one["code"], one["cents"])
    for line in lines:
        amount += line["number"] * (by_code[line["of"]] if line["of"] in by_code else price_of(prices, line["of"]))
    return amount


def price_of(prices, code):
    for price in prices:
        if price["code"] == code:
            return price["cents"]
    raise KeyError(code)
""",
    calls=(
        "total([dict(code='a', cents=3), dict(code='a', cents=4)], [dict(of='a', number=2)])",
        "total([], [])",
    ),
    find=_find,
)
