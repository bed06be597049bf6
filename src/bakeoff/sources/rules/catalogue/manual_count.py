"""Counting and grouping by hand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import libcst as cst

from bakeoff.sources.rules.catalogue._shapes import method_call, only_argument, plain_call, sole, text
from bakeoff.sources.rules.rewriting import Function, Replacement, Rewrite, Rule, beside, expression, statements

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_EMPTY = {"0": "int", "[]": "list", "list()": "list", "set()": "set", "{}": "dict", "dict()": "dict"}
# How a table that begins like this is made of all that is counted.
_MADE = {
    "{}": "dict(Counter(@))",
    "dict()": "dict(Counter(@))",
    "defaultdict(int)": "defaultdict(int, Counter(@))",
    "Counter()": "Counter(@)",
}
_ADDERS = {"append": "list", "extend": "list", "add": "set", "update": "set"}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Bump:
    """Adding to what a table has for a key: `code` does it where there is something; `kind` is what that is."""

    table: cst.BaseExpression
    key: cst.BaseExpression
    kind: str
    code: str
    amount: cst.BaseExpression


@dataclass(frozen=True, slots=True, kw_only=True)
class _Tally:
    """Statements that add to what a table has for a key, or begin with it."""

    lines: tuple[cst.BaseStatement, ...]
    bump: _Bump


# What adds to a table


def _tallies(function: Function) -> Iterator[_Tally]:
    for block in function.walk(cst.IndentedBlock):
        for at, line in enumerate(block.body):
            following = block.body[at + 1] if at + 1 < len(block.body) else None
            bump = _either(function, line) or _by_get(function, line) or _by_setdefault(function, line)
            if bump is not None:
                yield _Tally(lines=(line,), bump=bump)
            elif following is not None:
                started = _started(function, line)
                bump = _bump(function, following)
                if bump is not None and started == (function.form(bump.table), function.form(bump.key), bump.kind):
                    yield _Tally(lines=(line, following), bump=bump)


def _item(node: cst.CSTNode) -> tuple[cst.BaseExpression, cst.BaseExpression] | None:
    """`table` and `key` in `table[key]`."""
    match node:
        case cst.Subscript(value=table, slice=[cst.SubscriptElement(slice=cst.Index(value=key, star=None))]):
            return table, key
    return None


def _bump(function: Function, line: cst.CSTNode) -> _Bump | None:
    """`table[key] += 1`, `table[key].append(one)`."""
    match sole(line):
        case cst.AugAssign(target=target, operator=cst.AddAssign(), value=amount) as only:
            item, kind = _item(target), "int"
        case (
            cst.Assign(
                targets=[cst.AssignTarget(target=target)],
                value=cst.BinaryOperation(left=left, operator=cst.Add(), right=amount),
            ) as only
        ) if function.same(target, left):
            item, kind = _item(target), "int"
        case cst.Expr(value=cst.Call(func=cst.Attribute(value=target, attr=cst.Name(value=how)))) as only:
            found = method_call(only.value, how)
            item, kind = _item(target), _ADDERS.get(how, "")
            if found is None or not kind:
                return None
            amount = found[1][0]
        case _:
            return None
    if item is None or not function.is_pure(item[1]):
        return None
    return _Bump(table=item[0], key=item[1], kind=kind, code=text(function, only), amount=amount)


def _either(function: Function, line: cst.CSTNode) -> _Bump | None:
    """`if key in table: … else: …` and `try: … except KeyError: …`, of which one begins and the other adds."""
    match line:
        case cst.If(
            test=cst.Comparison(comparisons=[cst.ComparisonTarget(operator=operator)]),
            body=cst.IndentedBlock(body=[first]),
            orelse=cst.Else(body=cst.IndentedBlock(body=[second])),
        ) if isinstance(operator, (cst.In, cst.NotIn)):
            adding, beginning = (first, second) if isinstance(operator, cst.In) else (second, first)
            tested = _tested(function, line)
        case cst.Try(
            body=cst.IndentedBlock(body=[adding]),
            handlers=[cst.ExceptHandler(type=cst.Name(value="KeyError"), body=cst.IndentedBlock(body=[beginning]))],
            orelse=None,
            finalbody=None,
        ):
            tested = None
        case _:
            return None
    bump = _bump(function, adding)
    if bump is None or not _begins(function, beginning, bump):
        return None
    return bump if tested in (None, (function.form(bump.table), function.form(bump.key))) else None


def _begins(function: Function, line: cst.CSTNode, bump: _Bump) -> bool:
    """Whether it gives the table what would be there after adding to nothing."""
    match sole(line):
        case cst.Assign(targets=[cst.AssignTarget(target=target)], value=value):
            item = _item(target)
        case _:
            return False
    if item is None or not function.same(item[0], bump.table) or not function.same(item[1], bump.key):
        return False
    match value:
        case cst.List(elements=[cst.Element(value=only)]) | cst.Set(elements=[cst.Element(value=only)]):
            kind = "list" if isinstance(value, cst.List) else "set"
            return kind == bump.kind and function.same(only, bump.amount) and ("append(" in bump.code or kind == "set")
    number = not isinstance(value, (cst.SimpleString, cst.FormattedString, cst.List, cst.Tuple))
    return bump.kind == "int" and number and function.same(value, bump.amount)


def _tested(function: Function, line: cst.CSTNode) -> tuple[str, str] | None:
    match line:
        case cst.If(test=cst.Comparison(left=key, comparisons=[cst.ComparisonTarget(comparator=table)])):
            keys = method_call(table, "keys", count=0)
            return function.form(keys[0] if keys else table), function.form(key)
    return None


def _started(function: Function, line: cst.CSTNode) -> tuple[str, str, str] | None:
    """`if key not in table: table[key] = []`, `table.setdefault(key, [])`: table, key, and what there is then."""
    match line:
        case cst.If(
            test=cst.Comparison(comparisons=[cst.ComparisonTarget(operator=cst.NotIn())]),
            body=cst.IndentedBlock(body=[beginning]),
            orelse=None,
        ):
            only = sole(beginning)
            if isinstance(only, cst.Assign):
                item = _item(only.targets[0].target)
                kind = _EMPTY.get(text(function, only.value))
                if item is not None and kind and _tested(function, line) == tuple(map(function.form, item)):
                    return function.form(item[0]), function.form(item[1]), kind
        case cst.SimpleStatementLine(body=[cst.Expr(value=call)]):
            found = method_call(call, "setdefault", count=2)
            kind = _EMPTY.get(text(function, found[1][1])) if found else None
            if found is not None and kind:
                return function.form(found[0]), function.form(found[1][0]), kind
    return None


def _by_get(function: Function, line: cst.CSTNode) -> _Bump | None:
    """`table[key] = table.get(key, 0) + 1`."""
    match sole(line):
        case cst.Assign(
            targets=[cst.AssignTarget(target=target)],
            value=cst.BinaryOperation(left=read, operator=cst.Add(), right=amount),
        ):
            item, found = _item(target), method_call(read, "get", count=2)
            if item is None or found is None or text(function, found[1][1]) != "0":
                return None
            if function.same(item[0], found[0]) and function.same(item[1], found[1][0]):
                code = f"{text(function, target)} += {text(function, amount)}"
                return _Bump(table=item[0], key=item[1], kind="int", code=code, amount=amount)
    return None


def _by_setdefault(function: Function, line: cst.CSTNode) -> _Bump | None:
    """`table.setdefault(key, []).append(one)`."""
    match sole(line):
        case cst.Expr(value=cst.Call(func=cst.Attribute(value=started, attr=cst.Name(value=how))) as call):
            found, added = method_call(started, "setdefault", count=2), method_call(call, how)
            kind = _EMPTY.get(text(function, found[1][1])) if found else None
            if found is None or added is None or _ADDERS.get(how) != kind:
                return None
            amount = added[1][0]
            code = f"{text(function, found[0])}[{text(function, found[1][0])}].{how}({text(function, amount)})"
            return _Bump(table=found[0], key=found[1][0], kind=kind or "", code=code, amount=amount)
    return None


# What becomes of it


def _find(function: Function) -> Iterator[Rewrite]:
    tables: dict[str, list[_Tally]] = {}
    for tally in _tallies(function):
        tables.setdefault(function.form(tally.bump.table), []).append(tally)
    for tallies in tables.values():
        rewrite = _all_at_once(function, tallies[0]) if len(tallies) == 1 else None
        rewrite = rewrite or _by_default(function, tallies)
        if rewrite is not None:
            yield rewrite
        else:
            yield from (one for tally in tallies if (one := _in_place(function, tally)) is not None)
    for line in function.walk(cst.SimpleStatementLine):
        bump = _bump(function, line)
        rewrite = _all_at_once(function, _Tally(lines=(line,), bump=bump)) if bump is not None else None
        if rewrite is not None:
            yield rewrite


def _binding(function: Function, tallies: Sequence[_Tally]) -> cst.BaseStatement | None:
    """The statement that makes the table, a new and empty dict, if it is the only one that gives the name a value."""
    table = tallies[0].bump.table
    if not isinstance(table, cst.Name) or not function.is_local(table.value) or table.value in function.parameters:
        return None
    lines = [one for one in function.walk(cst.SimpleStatementLine) if table.value in _targets(one)]
    bound = sum(table.value in _targets(one) for one in function.walk())
    if len(lines) != 1 or bound != 1:
        return None
    value = getattr(sole(lines[0]), "value", None)
    empty = isinstance(value, cst.Dict) and not value.elements
    return lines[0] if value is not None and (empty or plain_call(value, "dict", count=0) is not None) else None


def _targets(node: cst.CSTNode) -> set[str]:
    match sole(node) if isinstance(node, cst.SimpleStatementLine) else node:
        case cst.Assign() as only if isinstance(node, cst.SimpleStatementLine):
            return {one.target.value for one in only.targets if isinstance(one.target, cst.Name)}
        case cst.AnnAssign(target=cst.Name(value=name)) if isinstance(node, cst.SimpleStatementLine):
            return {name}
        case cst.AugAssign(target=cst.Name(value=name)) | cst.NamedExpr(target=cst.Name(value=name)):
            return {name}
    return set()


def _all_at_once(function: Function, tally: _Tally) -> Rewrite | None:
    """A loop that does nothing but count by ones, right after the table is made."""
    loop, test = _loop_of(function, tally)
    if loop is None or tally.bump.kind != "int" or text(function, tally.bump.amount) != "1":
        return None
    binding = next(iter(function.preceding(loop)), None)
    made = _made(function, tally, binding)
    if made is None or binding is None:
        return None
    source = text(function, loop.iter)
    if test is not None or not function.same(tally.bump.key, loop.target):
        conditions = [cst.CompIf(test=test)] if test is not None else []
        part = cst.CompFor(target=loop.target, iter=loop.iter, ifs=conditions)
        source = only_argument(function, cst.GeneratorExp(elt=tally.bump.key, for_in=part, lpar=(), rpar=()))
    line = statements(f"{text(function, tally.bump.table)} = {made.replace('@', source)}\n")[0]
    replace: dict[cst.CSTNode, Replacement] = {
        binding: cst.RemoveFromParent(),
        loop: line.with_changes(leading_lines=getattr(binding, "leading_lines", ())),
    }
    return Rewrite(replace=replace, imports=("from collections import Counter",))


def _loop_of(function: Function, tally: _Tally) -> tuple[cst.For | None, cst.BaseExpression | None]:
    """The loop that consists of this and perhaps one condition."""
    test: cst.BaseExpression | None = None
    line: cst.CSTNode = tally.lines[0]
    if len(function.block(line)) != len(tally.lines):
        return None, None
    around = function.parent(function.parent(line))
    if isinstance(around, cst.If) and around.orelse is None and len(function.block(around)) == 1:
        test, around = around.test, function.parent(function.parent(around))
    plain = isinstance(around, cst.For) and around.orelse is None and around.asynchronous is None
    return (around, test) if isinstance(around, cst.For) and plain else (None, None)


def _made(function: Function, tally: _Tally, binding: cst.CSTNode | None) -> str | None:
    """How the table is made of all that is counted, where this statement makes it empty."""
    match sole(binding):
        case cst.Assign(targets=[cst.AssignTarget(target=target)], value=value):
            pass
        case cst.AnnAssign(target=target, value=cst.BaseExpression() as value):
            pass
        case _:
            return None
    if not function.same(target, tally.bump.table):
        return None
    return _MADE.get(text(function, value).replace("collections.", ""))


def _by_default(function: Function, tallies: Sequence[_Tally]) -> Rewrite | None:
    """The table knows what to begin with, until the loop is over."""
    binding, kinds = _binding(function, tallies), {tally.bump.kind for tally in tallies}
    if binding is None or len(kinds) != 1:
        return None
    block = function.block(binding)
    loops = [one for one in block if any(one in function.ancestors(tally.lines[0]) for tally in tallies)]
    within = all(any(one in loops for one in function.ancestors(tally.lines[0])) for tally in tallies)
    if len(loops) != 1 or not within or not isinstance(loops[0], (cst.For, cst.While)):
        return None
    name = text(function, tallies[0].bump.table)
    value = sole(binding)
    assert isinstance(value, (cst.Assign, cst.AnnAssign))
    assert value.value is not None
    replace: dict[cst.CSTNode, Replacement] = {value.value: expression(f"defaultdict({kinds.pop()})")}
    replace[loops[0]] = beside(loops[0], after=f"{name} = dict({name})\n")
    for tally in tallies:
        replace |= _replaced(tally, tally.bump.code)
    return Rewrite(replace=replace, imports=("from collections import defaultdict",))


def _replaced(tally: _Tally, code: str) -> dict[cst.CSTNode, Replacement]:
    first, *rest = tally.lines
    line = statements(f"{code}\n")[0].with_changes(leading_lines=getattr(first, "leading_lines", ()))
    return {first: line, **{one: cst.RemoveFromParent() for one in rest}}


def _in_place(function: Function, tally: _Tally) -> Rewrite | None:
    """One look-up fewer, whatever the table is."""
    bump = tally.bump
    table, key = text(function, bump.table), text(function, bump.key)
    if bump.kind == "int":
        code = f"{table}[{key}] = {table}.get({key}, 0) + {text(function, bump.amount)}"
    else:
        empty = "[]" if bump.kind == "list" else "set()"
        code = bump.code.replace(f"{table}[{key}]", f"{table}.setdefault({key}, {empty})", 1)
    made = statements(f"{code}\n")[0]
    if len(tally.lines) == 1 and function.code(made).strip() == function.code(tally.lines[0]).strip():
        return None
    return Rewrite(replace=_replaced(tally, code))


RULE = Rule(
    name="manual-count",
    summary="counting and grouping by hand → Counter, defaultdict, get or setdefault",
    unsafe="What looks into the table on the way and expects a KeyError or a plain dict; sums of other than numbers.",
    before="""\
from collections import Counter


def tally(words, found):
    counts = {}
    for word in words:
        if word in counts:
            counts[word] = counts[word] + 1
        else:
            counts[word] = 1
    groups = {}
    for word in words:
        if len(word) not in groups:
            groups[len(word)] = []
        groups[len(word)].append(word)
    for word in words:
        if word not in found:
            found[word] = 0
        found[word] += 2
    sizes = Counter()
    for word in words:
        if word:
            sizes[len(word)] += 1
    return counts, groups, found, sizes
""",
    after="""\
from collections import Counter, defaultdict


def tally(words, found):
    counts = dict(Counter(words))
    groups = defaultdict(list)
    for word in words:
        groups[len(word)].append(word)
    groups = dict(groups)
    for word in words:
        found[word] = found.get(word, 0) + 2
    sizes = Counter(len(word) for word in words if word)
    return counts, groups, found, sizes
""",
    calls=("tally([], {})", "tally(['a', 'bb', 'a', 'c'], {'a': 1})"),
    find=_find,
)
