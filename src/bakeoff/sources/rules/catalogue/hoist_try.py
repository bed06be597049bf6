"""Exceptions as a way to ask, and try in a loop where it could be around it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from bakeoff.sources.rules.catalogue._shapes import is_simple, sole, text
from bakeoff.sources.rules.rewriting import Function, Rewrite, Rule, expression, statements

if TYPE_CHECKING:
    from collections.abc import Iterator


def _find(function: Function) -> Iterator[Rewrite]:
    for node in function.walk(cst.For, cst.Try):
        rewrite = _around_the_loop(function, node) if isinstance(node, cst.For) else None
        if isinstance(node, cst.Try):
            rewrite = _attribute(function, node) or _asked(function, node)
        if rewrite is not None:
            yield rewrite


def _handler(node: cst.CSTNode) -> cst.ExceptHandler | None:
    """The one handler of a statement that has nothing but that, and does not look at the exception."""
    match node:
        case cst.Try(handlers=[cst.ExceptHandler(name=None, body=cst.IndentedBlock()) as handler]):
            plain = node.orelse is None and node.finalbody is None and isinstance(node.body, cst.IndentedBlock)
            return handler if plain else None
    return None


# Asking first


def _asked(function: Function, node: cst.Try) -> Rewrite | None:
    """`try: value = table[key]`, `except KeyError: …` → `if key in table: …`, `else: …`."""
    handler, only = _handler(node), _only(node.body)
    if handler is None or only is None or not isinstance(handler.type, cst.Name):
        return None
    if any(isinstance(one, cst.Raise) for one in function.walk(under=handler)):
        return None
    reads = [one for one in function.walk(cst.Subscript, under=only) if _index(one) is not None]
    key = _index(reads[0]) if len(reads) == 1 else None
    if key is None or not is_simple(reads[0].value) or not function.is_pure(key):
        return None
    if any(True for _ in function.walk(cst.Call, under=only)) and not isinstance(only, cst.Expr):
        return None
    table, at = text(function, reads[0].value), text(function, key)
    if handler.type.value == "KeyError":
        test = expression(f"{at} in {table}")
    elif handler.type.value == "IndexError" and is_simple(key):
        test = expression(f"-len({table}) <= {at} < len({table})")
    else:
        return None
    passed = isinstance(_only(handler.body), cst.Pass)
    other = None if passed else cst.Else(body=handler.body)
    new = cst.If(test=test, body=node.body, orelse=other, leading_lines=node.leading_lines)
    return Rewrite(replace={node: new})


def _only(body: cst.BaseSuite) -> cst.BaseSmallStatement | None:
    return sole(body.body[0]) if isinstance(body, cst.IndentedBlock) and len(body.body) == 1 else None


def _index(node: cst.Subscript) -> cst.BaseExpression | None:
    match node.slice:
        case [cst.SubscriptElement(slice=cst.Index(value=key, star=None))]:
            return key
    return None


def _attribute(function: Function, node: cst.Try) -> Rewrite | None:
    """`try: value = one.name`, `except AttributeError: value = default` → `getattr(one, "name", default)`."""
    handler = _handler(node)
    if handler is None or not isinstance(handler.type, cst.Name) or handler.type.value != "AttributeError":
        return None
    match _only(node.body), _only(handler.body):
        case (
            cst.Assign(targets=[target], value=cst.Attribute(value=one, attr=attr)),
            cst.Assign(targets=[other], value=default),
        ) if function.same(target.target, other.target) and function.is_pure(default):
            head = f"{text(function, target.target)} ="
        case (cst.Return(value=cst.Attribute(value=one, attr=attr)), cst.Return(value=cst.BaseExpression() as default)):
            head = "return"
        case _:
            return None
    code = f'{head} getattr({text(function, one)}, "{attr.value}", {text(function, default)})\n'
    return Rewrite(replace={node: statements(code)[0].with_changes(leading_lines=node.leading_lines)})


# Around the loop


def _around_the_loop(function: Function, loop: cst.For) -> Rewrite | None:
    """A handler that ends the loop can stand outside of it."""
    body = loop.body.body if isinstance(loop.body, cst.IndentedBlock) else ()
    if len(body) != 1 or not isinstance(body[0], cst.Try) or loop.orelse is not None or not is_simple(loop.iter):
        return None
    handler = _handler(body[0])
    last = sole(handler.body.body[-1]) if handler is not None and handler.body.body else None
    if handler is None or not isinstance(last, (cst.Break, cst.Return, cst.Raise)):
        return None
    if any(one is not last for one in function.walk(cst.Break, cst.Continue, under=handler)):
        return None
    if isinstance(last, cst.Break):
        rest = [*handler.body.body[:-1]] or [*statements("pass\n")]
        handler = handler.with_changes(body=handler.body.with_changes(body=rest))
    inner = loop.with_changes(body=body[0].body, leading_lines=())
    new = body[0].with_changes(
        body=cst.IndentedBlock(body=[inner]), handlers=[handler], leading_lines=loop.leading_lines
    )
    return Rewrite(replace={loop: new})


RULE = Rule(
    name="hoist-try",
    summary="exceptions as a way to ask → asking first; a try in each turn of a loop → around it",
    unsafe="Tables that make what is missing; properties that raise AttributeError inside; the loop's own errors.",
    before="""\
def pick(table, names, rows, one):
    found = []
    for name in names:
        try:
            found.append(table[name])
        except KeyError:
            continue
    for row in rows:
        try:
            found.append(int(row))
        except ValueError:
            break
    try:
        size = one.size
    except AttributeError:
        size = 0
    return found, size
""",
    after="""\
def pick(table, names, rows, one):
    found = []
    for name in names:
        if name in table:
            found.append(table[name])
        else:
            continue
    try:
        for row in rows:
            found.append(int(row))
    except ValueError:
        pass
    size = getattr(one, "size", 0)
    return found, size
""",
    calls=("pick({}, ['a'], ['1', 'x', '2'], None)", "pick({'a': 1}, ['b', 'a'], [], slice(1))"),
    find=_find,
)
