"""Making the same constant again in each call."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from bakeoff.sources.rules.catalogue._shapes import constant, only_argument, plain_call, sole, text
from bakeoff.sources.rules.rewriting import READING_METHODS, Function, Rewrite, Rule, bound_names, expression

if TYPE_CHECKING:
    from collections.abc import Iterator

# From so many members on, a literal is worth keeping.
_MANY = 3
# Types of values that never change.
_VALUES = frozenset({"Decimal", "Fraction", "timedelta", "date", "datetime", "time", "frozenset", "PurePath", "Path"})


def _find(function: Function) -> Iterator[Rewrite]:
    for line in function.walk(cst.SimpleStatementLine):
        match sole(line):
            case cst.Assign(targets=[cst.AssignTarget(target=cst.Name(value=name))], value=value):
                if _members(value) >= _MANY and _is_only_read(function, name):
                    yield _moved(function, value, name)
    for call in function.own(cst.Call):
        if _is_value(function, call) and not _is_default(function, call):
            yield _moved(function, call, text(function, call.func).split(".")[-1])


def _moved(function: Function, node: cst.BaseExpression, hint: str) -> Rewrite:
    name = function.fresh(f"_{hint.strip('_').upper()}")
    return Rewrite(replace={node: expression(name)}, above=(f"{name} = {only_argument(function, node)}\n",))


# Literals


def _members(node: cst.BaseExpression) -> int:
    """How many constants there are in a list, set or dict of nothing else; 0 where it has other members."""
    match node:
        case cst.List(elements=elements) | cst.Set(elements=elements):
            found = [one.value for one in elements if isinstance(one, cst.Element)]
        case cst.Dict(elements=elements):
            pairs = [one for one in elements if isinstance(one, cst.DictElement)]
            found = [part for one in pairs for part in (one.key, one.value)]
        case _:
            return 0
    return len(elements) if len(found) >= len(elements) and all(_is_constant(one) for one in found) else 0


def _is_constant(node: cst.BaseExpression) -> bool:
    if isinstance(node, cst.Tuple):
        return all(isinstance(one, cst.Element) and _is_constant(one.value) for one in node.elements)
    return constant(node) or _members(node) > 0


def _is_only_read(function: Function, name: str) -> bool:
    """Whether nobody can change it, or get it to keep."""
    bound = sum(name in bound_names(node) for node in function.walk())
    uses = function.uses(name)
    return bound == 1 and function.is_local(name) and bool(uses) and all(_is_read(function, use) for use in uses)


def _is_read(function: Function, use: cst.Name) -> bool:
    parent = function.parent(use)
    match parent:
        case cst.Subscript(value=value):
            around = function.parent(parent)
            return value is use and not isinstance(around, (cst.AssignTarget, cst.AugAssign, cst.Del, cst.Attribute))
        case cst.Attribute(attr=cst.Name(value=method)):
            return method in READING_METHODS and isinstance(function.parent(parent), cst.Call)
        case cst.ComparisonTarget(operator=cst.In() | cst.NotIn()):
            return True
        case cst.For(iter=source) | cst.CompFor(iter=source):
            return source is use
        case cst.Arg():
            return (
                plain_call(function.parent(parent), "len", "sum", "max", "min", "enumerate", "any", "all") is not None
            )
    return False


# Values


def _is_value(function: Function, call: cst.Call) -> bool:
    """`timedelta(days=1)`, `Decimal("0.01")`: a value of constants, by a name of the module."""
    name = text(function, call.func)
    root = name.split(".")[0]
    known = name.split(".")[-1] in _VALUES and name.count(".") <= 1 and not function.is_local(root)
    if not known or not call.args or not any(root in bound_names(one) for one in _imports(function)):
        return False
    return all(not arg.star and _is_constant(arg.value) for arg in call.args)


def _imports(function: Function) -> Iterator[cst.CSTNode]:
    """What is imported by the module, before anything else of it can run."""
    for line in function.module.body:
        only = sole(line)
        if isinstance(only, (cst.Import, cst.ImportFrom)) and not isinstance(only.names, cst.ImportStar):
            for alias in only.names:
                yield alias.asname if alias.asname is not None else alias


def _is_default(function: Function, node: cst.CSTNode) -> bool:
    return any(isinstance(one, (cst.Parameters, cst.Decorator, cst.Raise)) for one in function.ancestors(node))


RULE = Rule(
    name="constant-setup",
    summary="a table or value that is made of constants in each call → once, in the module",
    unsafe="Tables that somebody gets hold of and changes; values that are compared by identity.",
    before="""\
from datetime import timedelta
from decimal import Decimal


def due(day, kind, amount):
    days = {"short": 7, "normal": 14, "long": 30}
    for _ in range(days.get(kind, 1)):
        day += timedelta(days=1)
    return day, amount.quantize(Decimal("0.01"))
""",
    after="""\
from datetime import timedelta
from decimal import Decimal


_DAYS = {"short": 7, "normal": 14, "long": 30}
_TIMEDELTA = timedelta(days=1)
_DECIMAL = Decimal("0.01")


def due(day, kind, amount):
    days = _DAYS
    for _ in range(days.get(kind, 1)):
        day += _TIMEDELTA
    return day, amount.quantize(_DECIMAL)
""",
    calls=(
        "due(__import__('datetime').date(2024, 2, 25), 'normal', Decimal('1.005'))",
        "due(__import__('datetime').date(2024, 2, 25), '', Decimal(3))",
    ),
    find=_find,
)
