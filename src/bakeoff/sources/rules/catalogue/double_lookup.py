"""Asking a dict whether it has a key, and then for its value."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import libcst as cst

from bakeoff.sources.rules.catalogue._shapes import conjuncts, constant, fitted, hint, is_simple, is_steady, sole, text
from bakeoff.sources.rules.rewriting import Function, Replacement, Rewrite, Rule, beside, expression, statements

if TYPE_CHECKING:
    from collections.abc import Iterator

# A table and a key.
_Item: TypeAlias = tuple[cst.BaseExpression, cst.BaseExpression]
_JUMPS = (cst.Return, cst.Raise, cst.Continue, cst.Break)


def _find(function: Function) -> Iterator[Rewrite]:
    for node in function.walk(cst.IfExp):
        rewrite = _chosen(function, node)
        if rewrite is not None:
            yield rewrite
    missing: list[str] = []
    for line in function.walk(cst.If):
        rewrite = (
            _given(function, line) or _asked_first(function, line, missing) or _left_early(function, line, missing)
        )
        if rewrite is not None:
            yield rewrite


def _question(function: Function, node: cst.BaseExpression, operator: type[cst.BaseCompOp]) -> _Item | None:
    """The table and the key of `key in table`, where both can be evaluated once as well as twice."""
    match node:
        case cst.Comparison(left=key, comparisons=[cst.ComparisonTarget(operator=found, comparator=table)]):
            named = is_simple(table) and text(function, table) not in ("self", "cls")
            if isinstance(found, operator) and named and function.is_pure(key):
                return table, key
    return None


def _is_read(function: Function, node: cst.CSTNode | None, asked: _Item) -> bool:
    match node:
        case cst.Subscript(value=table, slice=[cst.SubscriptElement(slice=cst.Index(value=key, star=None))]):
            return function.same(table, asked[0]) and function.same(key, asked[1])
    return False


def _get(function: Function, asked: _Item, default: cst.BaseExpression) -> str:
    end = "" if isinstance(default, cst.Name) and default.value == "None" else f", {text(function, default)}"
    return f"{text(function, asked[0])}.get({text(function, asked[1])}{end})"


# With a default


def _chosen(function: Function, node: cst.IfExp) -> Rewrite | None:
    """`table[key] if key in table else default`."""
    for operator, read, default in ((cst.In, node.body, node.orelse), (cst.NotIn, node.orelse, node.body)):
        asked = _question(function, node.test, operator)
        if asked is not None and _is_read(function, read, asked) and (constant(default) or is_simple(default)):
            return Rewrite(replace={node: expression(_get(function, asked, default))})
    return None


def _given(function: Function, line: cst.If) -> Rewrite | None:
    """`if key in table: value = table[key]`, `else: value = default`; or the same with `return`."""
    asked = _question(function, line.test, cst.In)
    body, later = _only(line.body), None
    other = _only(line.orelse.body) if isinstance(line.orelse, cst.Else) else None
    if asked is None or function.statement(line) is not line:
        return None
    if line.orelse is None:
        later = next(iter(function.following(line)), None)
        other = sole(later)
    match body, other:
        case cst.Return(value=cst.Subscript() as read), cst.Return(value=cst.BaseExpression() as default):
            head = "return "
        case cst.Assign(targets=[target], value=read), cst.Assign(targets=[second], value=default) if later is None:
            if not function.same(target.target, second.target):
                return None
            head = f"{text(function, target.target)} = "
        case _:
            return None
    if not _is_read(function, read, asked) or not (constant(default) or is_simple(default)):
        return None
    new = statements(f"{head}{_get(function, asked, default)}\n")[0].with_changes(leading_lines=line.leading_lines)
    replace: dict[cst.CSTNode, Replacement] = {line: new}
    if later is not None:
        replace[later] = cst.RemoveFromParent()
    return Rewrite(replace=replace)


def _only(body: cst.BaseSuite) -> cst.BaseSmallStatement | None:
    return sole(body.body[0]) if isinstance(body, cst.IndentedBlock) and len(body.body) == 1 else None


# Without


def _asked_first(function: Function, line: cst.If, missing: list[str]) -> Rewrite | None:
    """`if key in table and …: … table[key] …`."""
    first = next(conjuncts(line.test))
    asked = _question(function, first, cst.In)
    if asked is None:
        return None
    return _kept(function, line, asked, region=[line.body, line.test], test=(first, "is not"), missing=missing)


def _left_early(function: Function, line: cst.If, missing: list[str]) -> Rewrite | None:
    """`if key not in table: continue`, and `table[key]` after that."""
    asked = _question(function, line.test, cst.NotIn)
    ends = line.body.body[-1:] if isinstance(line.body, cst.IndentedBlock) else ()
    if asked is None or line.orelse is not None or not ends or not isinstance(sole(ends[0]), _JUMPS):
        return None
    return _kept(function, line, asked, region=list(function.following(line)), test=(line.test, "is"), missing=missing)


def _kept(
    function: Function,
    line: cst.If,
    asked: _Item,
    *,
    region: list[cst.CSTNode],
    test: tuple[cst.BaseExpression, str],
    missing: list[str],
) -> Rewrite | None:
    """The value, or what stands for none in all of the function, is kept under a name."""
    if function.statement(line) is not line or not all(
        is_steady(function, one, part) for one in asked for part in region
    ):
        return None
    reads = [node for part in region for node in function.walk(cst.Subscript, under=part)]
    reads = [node for node in reads if _is_read(function, node, asked)]
    if not reads:
        return None
    none = missing[0] if missing else function.fresh("_MISSING")
    missing[:] = [none]
    name = function.fresh(hint(asked[0], "found"))
    get = f"{name} = {text(function, asked[0])}.get({text(function, asked[1])}, {none})\n"
    replace: dict[cst.CSTNode, Replacement] = {node: expression(name) for node in reads}
    replace[test[0]] = fitted(function, test[0], f"{name} {test[1]} {none}")
    replace[line] = beside(line, before=get)
    return Rewrite(replace=replace, above=(f"{none} = object()\n",))


RULE = Rule(
    name="double-lookup",
    summary="key in table, then table[key] → one get",
    unsafe="Lists, and mappings whose get, or whose answer for what is missing, is another than a dict's.",
    before="""\
def price(table, name, other):
    value = table[name] if name in table else 0
    if other in table and table[other] > 1:
        value += table[other]
    if name not in table:
        return value
    return value * table[name]
""",
    after="""\
_MISSING = object()


def price(table, name, other):
    value = table.get(name, 0)
    table_found = table.get(other, _MISSING)
    if table_found is not _MISSING and table_found > 1:
        value += table_found
    table_found_2 = table.get(name, _MISSING)
    if table_found_2 is _MISSING:
        return value
    return value * table_found_2
""",
    calls=("price({}, 'a', 'b')", "price({'a': 2, 'b': 3}, 'a', 'b')", "price({'a': 2, 'b': 1}, 'b', 'a')"),
    find=_find,
)
