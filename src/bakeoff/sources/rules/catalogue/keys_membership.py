"""Going the long way round to the keys of a dict, or to its values."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from bakeoff.sources.rules.catalogue._shapes import hint, is_simple, is_steady, method_call, plain_call, text
from bakeoff.sources.rules.rewriting import Function, Replacement, Rewrite, Rule, expression

if TYPE_CHECKING:
    from collections.abc import Iterator


def _find(function: Function) -> Iterator[Rewrite]:
    for node in function.walk(cst.ComparisonTarget, cst.For, cst.ListComp, cst.SetComp, cst.DictComp, cst.GeneratorExp):
        match node:
            case cst.ComparisonTarget(operator=cst.In() | cst.NotIn(), comparator=listed):
                bare = _unlisted(listed)
                if bare is not listed:
                    yield Rewrite(replace={listed: expression(text(function, bare))})
            case cst.For(target=target, iter=source):
                yield from _with_values(function, target, source, node.body)
            case cst.ListComp(for_in=part) | cst.SetComp(for_in=part) | cst.GeneratorExp(for_in=part):
                yield from _with_values(function, part.target, part.iter, node)
            case cst.DictComp(for_in=part):
                yield from _with_values(function, part.target, part.iter, node)


def _unlisted(node: cst.BaseExpression) -> cst.BaseExpression:
    """What is looked into in the end: `d` in `list(d.keys())`."""
    keys = method_call(node, "keys", count=0)
    if keys is not None:
        return _unlisted(keys[0])
    inner = plain_call(node, "list", "tuple", "sorted", "set", "frozenset")
    if inner is not None and (is_simple(inner[0]) or method_call(inner[0], "keys", count=0)):
        return _unlisted(inner[0])
    return node


def _with_values(
    function: Function, target: cst.BaseExpression, source: cst.BaseExpression, body: cst.CSTNode
) -> Iterator[Rewrite]:
    """`for key in table: … table[key]`."""
    keys = method_call(source, "keys", count=0)
    table = keys[0] if keys is not None else source
    if not isinstance(target, cst.Name) or not is_simple(table) or not is_steady(function, table, body):
        return
    reads = [node for node in function.walk(cst.Subscript, under=body) if _is_item(function, node, table, target)]
    if isinstance(body, cst.IndentedBlock) and target.value in function.assigned(body):
        return
    if reads:
        value = function.fresh(hint(table, "value"))
        replace: dict[cst.CSTNode, Replacement] = {node: expression(value) for node in reads}
        replace[target] = cst.Tuple([cst.Element(target), cst.Element(cst.Name(value))], lpar=(), rpar=())
        replace[source] = expression(f"{text(function, table)}.items()")
        yield Rewrite(replace=replace)


def _is_item(function: Function, node: cst.Subscript, table: cst.BaseExpression, key: cst.Name) -> bool:
    match node.slice:
        case [cst.SubscriptElement(slice=cst.Index(value=cst.Name(value=name), star=None))] if name == key.value:
            return function.same(node.value, table)
    return False


RULE = Rule(
    name="keys-membership",
    summary="k in d.keys(), k in list(d), for k in d: d[k] → k in d, d.items()",
    unsafe="A list of its own positions; a mapping whose items() differs from looking up; values changed on the way.",
    before="""\
def report(prices, wanted):
    lines = []
    for name in prices:
        if name in wanted.keys() or name not in list(prices):
            lines.append((name, prices[name]))
    return lines, {key: wanted[key] for key in wanted.keys() if wanted[key]}
""",
    after="""\
def report(prices, wanted):
    lines = []
    for name, prices_value in prices.items():
        if name in wanted or name not in prices:
            lines.append((name, prices_value))
    return lines, {key: wanted_value for key, wanted_value in wanted.items() if wanted_value}
""",
    calls=("report({}, {})", "report({'a': 1, 'b': 2}, {'b': 0, 'c': 3})"),
    find=_find,
)
