"""A loop that only fills a list, set or dict is a comprehension."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import libcst as cst

from bakeoff.sources.rules.rewriting import Rewrite, Rule, statements

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from bakeoff.sources.rules.rewriting import Function


# The method that takes in many, for the one that takes in one.
_SEVERAL = {"append": "extend", "add": "update"}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Filling:
    """What a loop comes down to: clauses, and what is put into `name`: `added`, under `key` in dicts."""

    clauses: str
    name: str
    how: str
    added: str
    key: str = ""


def _find(function: Function) -> Iterator[Rewrite]:
    done: set[cst.CSTNode] = set()
    for loop in function.walk(cst.For):
        if loop in done:
            continue
        filling = _filling(function, loop)
        if filling is None or not _is_possible(function, loop, filling.name):
            continue
        start = _start(function, loop, filling.name)
        text = _text(filling, start)
        if text is not None:
            made = statements(f"{filling.name} = {text}\n")[0]
            assert start is not None
            done.update(function.walk(cst.For, under=loop))
            yield Rewrite(replace={start: cst.RemoveFromParent(), loop: _with_lines(made, start, loop)})
        elif filling.how in _SEVERAL and start is None:
            made = statements(f"{filling.name}.{_SEVERAL[filling.how]}([{filling.added} {filling.clauses}])\n")[0]
            done.update(function.walk(cst.For, under=loop))
            yield Rewrite(replace={loop: _with_lines(made, loop)})


def _with_lines(made: cst.BaseStatement, *sources: cst.CSTNode) -> cst.BaseStatement:
    """With the blank lines and comments that were before these."""
    lines = [line for source in sources for line in getattr(source, "leading_lines", ())]
    return made.with_changes(leading_lines=lines)


def _filling(function: Function, loop: cst.For) -> _Filling | None:
    if loop.orelse is not None or loop.asynchronous is not None:
        return None
    inner = _body(function, _lines(loop.body))
    if inner is None:
        return None
    head = f"for {function.code(loop.target)} in {_bracketed(function, loop.iter)}"
    return replace(inner, clauses=f"{head} {inner.clauses}".rstrip())


def _lines(suite: cst.BaseSuite) -> Sequence[cst.CSTNode]:
    """The statements of a suite, also of one on the line of its head."""
    if isinstance(suite, cst.SimpleStatementSuite):
        return [cst.SimpleStatementLine(body=[line]) for line in suite.body]
    return suite.body


def _body(function: Function, body: Sequence[cst.CSTNode]) -> _Filling | None:
    """What statements come down to when the last of them fills something and the others only lead there."""
    match body:
        case [cst.SimpleStatementLine(body=[cst.BaseSmallStatement() as last])]:
            return _put(function, last)
        case [cst.For() as loop]:
            return _filling(function, loop)
        case [cst.If(test=test, body=suite, orelse=None), *others]:
            match _lines(suite), others:
                case [cst.SimpleStatementLine(body=[cst.Continue()])], [*_]:
                    return _after(f"if {_negated(function, test)}", _body(function, others))
                case inner, []:
                    return _after(f"if {_bracketed(function, test)}", _body(function, inner))
        case [
            cst.SimpleStatementLine(body=[cst.Assign(targets=[cst.AssignTarget(target=target)], value=value)]),
            *others,
        ]:
            # As quick as an assignment, and seen by all that follows.
            if isinstance(target, cst.Name):
                return _after(f"for {target.value} in [{function.code(value)}]", _body(function, others))
    return None


def _after(clause: str, inner: _Filling | None) -> _Filling | None:
    return replace(inner, clauses=f"{clause} {inner.clauses}".rstrip()) if inner is not None else None


def _put(function: Function, last: cst.BaseSmallStatement) -> _Filling | None:
    match last:
        case cst.Expr(
            value=cst.Call(
                func=cst.Attribute(value=cst.Name(value=name), attr=cst.Name(value="append" | "add" as how)),
                args=[cst.Arg(value=added, star="", keyword=None)],
            )
        ):
            return _Filling(clauses="", name=name, how=how, added=_bracketed(function, added))
        case cst.Assign(
            targets=[
                cst.AssignTarget(
                    target=cst.Subscript(
                        value=cst.Name(value=name), slice=[cst.SubscriptElement(slice=cst.Index(value=key, star=None))]
                    )
                )
            ],
            value=added,
        ):
            key_text = _bracketed(function, key)
            return _Filling(clauses="", name=name, how="item", added=_bracketed(function, added), key=key_text)
    return None


def _bracketed(function: Function, node: cst.BaseExpression) -> str:
    is_loose = isinstance(node, (cst.Tuple, cst.IfExp, cst.Lambda, cst.NamedExpr, cst.Yield)) and not node.lpar
    return f"({function.code(node)})" if is_loose else function.code(node)


def _negated(function: Function, test: cst.BaseExpression) -> str:
    opposite = {cst.In: "not in", cst.NotIn: "in", cst.Is: "is not", cst.IsNot: "is"}
    match test:
        case cst.UnaryOperation(operator=cst.Not(), expression=inner):
            return _bracketed(function, inner)
        case cst.Comparison(left=left, comparisons=[cst.ComparisonTarget(operator=operator, comparator=right)]):
            if type(operator) in opposite:
                return f"{function.code(left)} {opposite[type(operator)]} {function.code(right)}"
    is_atom = isinstance(test, (cst.Name, cst.Call, cst.Attribute, cst.Subscript, cst.Comparison))
    return f"not {function.code(test)}" if is_atom else f"not ({function.code(test)})"


def _is_possible(function: Function, loop: cst.For, name: str) -> bool:
    """Whether nobody sees what is filled while it is, nothing leaves the loop, and its variables are not used later."""
    if len([node for node in function.walk(cst.Name, under=loop) if node.value == name]) != 1:
        return False
    if any(True for _ in function.walk(cst.Await, cst.Yield, under=loop)):
        return False
    return not function.is_left_with(loop)


def _start(function: Function, loop: cst.For, name: str) -> cst.SimpleStatementLine | None:
    """Where the name is bound before the loop, with nothing in between that knows of it."""
    for line in function.preceding(loop):
        match line:
            case cst.SimpleStatementLine(body=[cst.Assign(targets=[cst.AssignTarget(target=cst.Name(value=bound))])]):
                if bound == name:
                    return line
        if any(node.value == name for node in function.walk(cst.Name, under=line)):
            return None
    return None


def _text(filling: _Filling, start: cst.SimpleStatementLine | None) -> str | None:
    """The comprehension, if what it starts from is empty and of the right kind."""
    match start:
        case cst.SimpleStatementLine(body=[cst.Assign(value=value)]):
            pass
        case _:
            return None
    inner = f"{filling.added} {filling.clauses}"
    match filling.how, value:
        case "append", cst.List(elements=[]) | cst.Call(func=cst.Name(value="list"), args=[]):
            return f"[{inner}]"
        case "add", cst.Call(func=cst.Name(value="set"), args=[]):
            return f"{{{inner}}}"
        case "item", cst.Dict(elements=[]) | cst.Call(func=cst.Name(value="dict"), args=[]):
            return f"{{{filling.key}: {inner}}}"
    return None


RULE = Rule(
    name="append-comprehension",
    summary="a loop that only fills a list, set or dict → a comprehension",
    unsafe="What was filled before an exception, and the variables of the loop, are gone afterwards.",
    before="""\
def tables(rows, extra):
    names = []
    for row in rows:
        if not row:
            continue
        for name, value in row:
            text = name.strip()
            if value > 0:
                names.append(text + "!")

    by_name = {}
    for name in names:
        by_name[name] = len(name)
    for name in extra:
        names.append(name)
    return names, by_name
""",
    after="""\
def tables(rows, extra):
    names = [text + "!" for row in rows if row for name, value in row for text in [name.strip()] if value > 0]

    by_name = {name: len(name) for name in names}
    names.extend([name for name in extra])
    return names, by_name
""",
    calls=("tables([[], [('a ', 1), ('b', 0)], [('c', 2)]], ['d'])", "tables([], [])"),
    find=_find,
)
