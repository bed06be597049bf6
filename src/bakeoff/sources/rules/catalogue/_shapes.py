"""What several rules look for, and what they build."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import libcst as cst

from bakeoff.sources.rules.rewriting import READING_METHODS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from bakeoff.sources.rules.rewriting import Comprehension, Function

__all__ = [
    "CHANGING_METHODS",
    "Selection",
    "above_loops",
    "appends",
    "arguments",
    "atom",
    "bindings",
    "changed",
    "changed_by",
    "conjuncts",
    "constant",
    "disjuncts",
    "fitted",
    "growing_loop",
    "hint",
    "is_simple",
    "is_steady",
    "known_text",
    "method_call",
    "names",
    "on_one_line",
    "only_argument",
    "only_generator",
    "plain_call",
    "selection",
    "sole",
    "swapped",
    "text",
]

# Methods that are often given a name of their own before a loop, and change what they are of.
CHANGING_METHODS = frozenset({"add", "append", "appendleft", "extend", "pop", "popleft", "remove", "update"})
# What needs no brackets wherever it stands.
_ATOMS = (
    cst.Name,
    cst.Attribute,
    cst.Subscript,
    cst.Call,
    cst.List,
    cst.Set,
    cst.Dict,
    cst.ListComp,
    cst.SetComp,
    cst.DictComp,
    cst.SimpleString,
    cst.FormattedString,
    cst.Integer,
    cst.Float,
)
# Where any expression can stand without brackets.
_ROOMY = (
    cst.Arg,
    cst.Assign,
    cst.AnnAssign,
    cst.AugAssign,
    cst.Return,
    cst.Expr,
    cst.If,
    cst.While,
    cst.Assert,
    cst.Index,
)
# Where anything but `x if y else z`, a lambda or a walrus can.
_LOGICAL = (cst.CompIf, cst.Element, cst.DictElement, cst.ListComp, cst.SetComp, cst.GeneratorExp)


# Text


def text(function: Function, node: cst.CSTNode) -> str:
    """The text of an expression, on one line or in brackets."""
    return function.code(node).strip()


def on_one_line(function: Function, node: cst.CSTNode) -> str:
    """The text of an expression, without the line breaks that it has in brackets; comments there are left out."""
    made = node.visit(_Flat())
    assert isinstance(made, cst.CSTNode)
    return text(function, made)


class _Flat(cst.CSTTransformer):
    """Takes the line breaks out of brackets, and the comma that is then behind the last thing in them."""

    def on_leave(self, original_node: cst.CSTNodeT, updated_node: cst.CSTNodeT) -> cst.CSTNode:  # type: ignore[override]
        match updated_node:
            case cst.ParenthesizedWhitespace():
                return cst.SimpleWhitespace("")
            case cst.Comma(whitespace_after=cst.SimpleWhitespace(value="")):
                return updated_node.with_changes(whitespace_after=cst.SimpleWhitespace(" "))
            case cst.Call(args=[*_, last]):
                bare = last.with_changes(comma=cst.MaybeSentinel.DEFAULT)
                return updated_node.with_changes(args=[*updated_node.args[:-1], bare])
        return updated_node


def only_argument(function: Function, node: cst.BaseExpression) -> str:
    """The text of an expression as it stands in a call that has no other argument: a generator without brackets."""
    return function.module.code_for_node(node).strip()


def atom(function: Function, node: cst.CSTNode) -> str:
    """The text of an expression, in brackets unless it holds together by itself."""
    code = text(function, node)
    return code if isinstance(node, _ATOMS) or _is_bracketed(node) else f"({code})"


def fitted(function: Function, node: cst.CSTNode, code: str) -> cst.BaseExpression:
    """A comparison or the like, with brackets where it needs them in the place of a node."""
    parent = function.parent(node)
    bracketed = _is_bracketed(node)
    negated = isinstance(parent, cst.UnaryOperation) and isinstance(parent.operator, cst.Not)
    if isinstance(parent, (*_ROOMY, *_LOGICAL, cst.BooleanOperation)) or negated:
        return cst.parse_expression(f"({code})" if bracketed else code)
    return cst.parse_expression(f"({code})")


def _is_bracketed(node: cst.CSTNode) -> bool:
    return bool(getattr(node, "lpar", None))


def hint(node: cst.CSTNode, suffix: str) -> str:
    """The beginning of a name for something made of an expression: `self.words` gives `words_suffix`."""
    match node:
        case cst.Name(value=name) | cst.Attribute(attr=cst.Name(value=name)):
            return f"{name.strip('_').lower() or 'its'}_{suffix}"
        case cst.Call(func=func):
            return hint(func, suffix)
        case cst.Subscript(value=value):
            return hint(value, suffix)
    return suffix


def swapped(node: cst.CSTNode, swaps: Mapping[cst.CSTNode, cst.CSTNode | Sequence[cst.CSTNode]]) -> cst.CSTNode:
    """A node with others in the places of some that are in it."""

    class Swap(cst.CSTTransformer):
        def on_leave(  # type: ignore[override]
            self, original_node: cst.CSTNode, updated_node: cst.CSTNode
        ) -> cst.CSTNode | cst.FlattenSentinel[cst.CSTNode]:
            new = swaps.get(original_node, updated_node)
            return new if isinstance(new, cst.CSTNode) else cst.FlattenSentinel(new)

    made = node.visit(Swap())
    assert isinstance(made, cst.CSTNode)
    return made


# What code is


def plain_call(node: cst.CSTNode, *functions: str, count: int = 1) -> tuple[cst.BaseExpression, ...] | None:
    """The arguments of a call of one of these by its plain name, where it has so many and none by keyword."""
    match node:
        case cst.Call(func=cst.Name(value=name)) if name in functions:
            return arguments(node, count)
    return None


def method_call(
    node: cst.CSTNode, *methods: str, count: int = 1
) -> tuple[cst.BaseExpression, tuple[cst.BaseExpression, ...]] | None:
    """What a method of one of these names is called on, and its arguments, where it has so many and none by keyword."""
    match node:
        case cst.Call(func=cst.Attribute(value=receiver, attr=cst.Name(value=name))) if name in methods:
            found = arguments(node, count)
            return (receiver, found) if found is not None else None
    return None


def arguments(call: cst.Call, count: int) -> tuple[cst.BaseExpression, ...] | None:
    """The arguments, where there are so many and each is a plain one."""
    if len(call.args) != count or any(arg.keyword is not None or arg.star for arg in call.args):
        return None
    return tuple(arg.value for arg in call.args)


def only_generator(node: cst.CSTNode, *, conditions: int = 1, several: bool = False) -> cst.CompFor | None:
    """The `for` of a comprehension that has one only, with one plain name (or `several`), and so many conditions at
    most."""
    match node:
        case cst.GeneratorExp(for_in=part) | cst.ListComp(for_in=part) | cst.SetComp(for_in=part) if (
            part.inner_for_in is None and part.asynchronous is None and len(part.ifs) <= conditions
        ):
            plain = isinstance(part.target, cst.Name) or (several and isinstance(part.target, cst.Tuple))
            return part if plain else None
    return None


def sole(statement: cst.CSTNode | None) -> cst.BaseSmallStatement | None:
    """The small statement on a line that has one only."""
    match statement:
        case cst.SimpleStatementLine(body=[only]):
            return only
    return None


def constant(node: cst.CSTNode) -> bool:
    """Whether it is a literal without parts."""
    match node:
        case cst.Name(value="None" | "True" | "False") | cst.SimpleString() | cst.Integer() | cst.Float():
            return True
        case cst.UnaryOperation(operator=cst.Minus(), expression=inner):
            return isinstance(inner, (cst.Integer, cst.Float))
    return False


def known_text(function: Function, node: cst.BaseExpression) -> str | None:
    """The text that a literal is, or a constant of the module; None where that cannot be said."""
    match node:
        case cst.SimpleString():
            value = node.evaluated_value
            return value if isinstance(value, str) else None
        case cst.Name(value=name) if not function.is_local(name):
            given = [one.value for one in function.walk(cst.Assign, under=function.module) if name in _given_names(one)]
            return (
                known_text(function, given[0]) if len(given) == 1 and isinstance(given[0], cst.SimpleString) else None
            )
    return None


def _given_names(node: cst.Assign) -> set[str]:
    return {one.target.value for one in node.targets if isinstance(one.target, cst.Name)}


def is_simple(node: cst.CSTNode) -> bool:
    """A name, or attributes of one: what may be evaluated twice at no cost."""
    while isinstance(node, cst.Attribute):
        node = node.value
    return isinstance(node, cst.Name)


# What stays the same where


def names(function: Function, node: cst.CSTNode) -> set[str]:
    """The variables that are read in it."""
    return {name.value for name in function.walk(cst.Name, under=node) if function.is_load(name)}


def changed(function: Function, region: cst.CSTNode) -> set[str]:
    """The forms of what is assigned to or changed by one of its own methods in a region, as far as one can see."""
    found: set[str] = set()
    for node in function.walk(under=region):
        for target in bindings(node):
            found.add(function.form(target))
            if isinstance(target, cst.Subscript):
                found.add(function.form(target.value))
        match node:
            case cst.Call(func=cst.Attribute(value=receiver, attr=cst.Name(value=method))):
                if method not in READING_METHODS and is_simple(receiver) and not _is_self(receiver):
                    found.add(function.form(receiver))
            case cst.Call(func=cst.Name(value=name)) if not function.is_builtin(name):
                found |= {function.form(one) for one in changed_by(function, name)}
    return found


def changed_by(function: Function, name: str) -> Iterator[cst.BaseExpression]:
    """What calling a variable changes: `found` where `add = found.append`."""
    for given in function.walk(cst.Assign):
        match given:
            case cst.Assign(
                targets=[cst.AssignTarget(target=cst.Name(value=bound))],
                value=cst.Attribute(value=owner, attr=cst.Name(value=method)),
            ) if bound == name and method in CHANGING_METHODS and is_simple(owner):
                yield owner


def bindings(node: cst.CSTNode) -> Iterator[cst.BaseExpression]:
    """The targets that a node assigns to, one by one; those of comprehensions are nobody else's."""
    match node:
        case cst.AssignTarget(target=target) | cst.AugAssign(target=target) | cst.AnnAssign(target=target):
            yield from _parts(target)
        case cst.For(target=target) | cst.Del(target=target):
            yield from _parts(target)
        case cst.NamedExpr(target=target) | cst.AsName(name=target):
            yield from _parts(target)


def _parts(target: cst.BaseExpression) -> Iterator[cst.BaseExpression]:
    if isinstance(target, (cst.Tuple, cst.List)):
        for element in target.elements:
            yield from _parts(element.value)
    else:
        yield target


def is_steady(function: Function, node: cst.CSTNode, region: cst.CSTNode) -> bool:
    """Whether an expression looks as if it had the same value all the time that a region runs. What happens in calls,
    and by other names, cannot be seen here; `self.run()` does not count as a change of `self.words`."""
    used = names(function, node) - function.assigned(node)
    if used & function.assigned(region):
        return False
    parts = function.walk(cst.Name, cst.Attribute, cst.Subscript, under=node)
    forms = {function.form(part) for part in parts if not isinstance(part, cst.Name) or function.is_load(part)}
    return not forms & changed(function, region)


def _is_self(node: cst.CSTNode) -> bool:
    return isinstance(node, cst.Name) and node.value in ("self", "cls")


def _outermost_loop(
    function: Function, node: cst.CSTNode, *steady: cst.CSTNode
) -> cst.For | cst.While | Comprehension | None:
    """The outermost of the loops around a node in which these expressions stay the same; None where they do in none."""
    found = None
    for loop in function.loops_around(node):
        if not all(is_steady(function, one, loop) for one in steady):
            break
        found = loop
    return found


def above_loops(function: Function, node: cst.CSTNode, *steady: cst.CSTNode) -> cst.BaseStatement | None:
    """The statement before which these expressions can be worked on once and for all, instead of again and again where
    the node is. None where it is in no loop, or they change in each."""
    loop = _outermost_loop(function, node, *steady)
    statement = function.statement(loop) if loop is not None else None
    if loop is None or statement is None:
        return None
    used = set().union(*(names(function, one) - function.assigned(one) for one in steady))
    for around in (loop, *function.ancestors(loop)):
        if around is statement:
            break
        narrow = isinstance(around, (cst.Lambda, cst.ListComp, cst.SetComp, cst.DictComp, cst.GeneratorExp))
        if narrow and around is not loop and used & function.assigned(around):
            return None
    return None if isinstance(statement, cst.While) and loop is not statement else statement


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """The members of `part` that have certain values: those whose `key` is equal to `wanted`, and which pass `rest`."""

    part: cst.CompFor
    key: cst.BaseExpression
    wanted: cst.BaseExpression
    rest: tuple[cst.BaseExpression, ...]

    def every(self, value: cst.BaseExpression) -> cst.GeneratorExp:
        """What `value` is for each that passes the rest."""
        conditions = [cst.CompIf(test=one) for one in self.rest]
        return cst.GeneratorExp(elt=value, for_in=self.part.with_changes(ifs=conditions), lpar=(), rpar=())


def selection(function: Function, part: cst.CompFor, more: tuple[cst.BaseExpression, ...] = ()) -> Selection | None:
    """What a comprehension selects by equality, its conditions and further ones; None where it does not."""
    own = function.assigned(part)
    keys: list[cst.BaseExpression] = []
    wanted: list[cst.BaseExpression] = []
    rest: list[cst.BaseExpression] = []
    for condition in (*(one.test for one in part.ifs), *more):
        for test in conjuncts(condition):
            sides = _sides(function, test, own)
            if sides is None:
                rest.append(test)
            else:
                keys.append(sides[0])
                wanted.append(sides[1])
    if not keys or any(not function.is_pure(one) for one in (*keys, *rest)):
        return None
    return Selection(part=part, key=_together(keys), wanted=_together(wanted), rest=tuple(rest))


def conjuncts(node: cst.BaseExpression) -> Iterator[cst.BaseExpression]:
    """The parts of `a and b and c`."""
    yield from disjuncts(node, cst.And)


def disjuncts(node: cst.BaseExpression, operator: type[cst.BaseBooleanOp] = cst.Or) -> Iterator[cst.BaseExpression]:
    """The parts of `a or b or c`, or of a chain of another operator."""
    if isinstance(node, cst.BooleanOperation) and isinstance(node.operator, operator):
        yield from disjuncts(node.left, operator)
        yield from disjuncts(node.right, operator)
    else:
        yield node


def _sides(
    function: Function, node: cst.BaseExpression, own: set[str]
) -> tuple[cst.BaseExpression, cst.BaseExpression] | None:
    """In `value == wanted`, the side that is made of the comprehension's variable, and the side that is not."""
    match node:
        case cst.Comparison(left=left, comparisons=[cst.ComparisonTarget(operator=cst.Equal(), comparator=right)]):
            for value, wanted in ((left, right), (right, left)):
                if own & names(function, value) and not own & names(function, wanted):
                    return value, wanted
    return None


def _together(nodes: list[cst.BaseExpression]) -> cst.BaseExpression:
    return nodes[0] if len(nodes) == 1 else cst.Tuple(elements=[cst.Element(value=one) for one in nodes])


def growing_loop(function: Function, node: cst.CSTNode, listed: cst.BaseExpression) -> cst.For | cst.While | None:
    """The outermost loop in which the list is the same one, if it only grows there by appending."""
    found = None
    for loop in function.loops_around(node):
        if not isinstance(loop, (cst.For, cst.While)) or not _only_grows(function, listed, loop):
            break
        found = loop
    return found if found is not None and function.statement(found) is found else None


def _only_grows(function: Function, listed: cst.BaseExpression, loop: cst.CSTNode) -> bool:
    form = function.form(listed)
    if any(
        isinstance(name, cst.Name) and name.value in function.assigned(loop) for name in function.walk(under=listed)
    ):
        return False
    for node in function.walk(cst.Call, cst.Subscript, under=loop):
        match node:
            case cst.Call(func=cst.Attribute(value=receiver, attr=cst.Name(value=method))):
                if function.form(receiver) == form and method not in READING_METHODS | {"append"}:
                    return False
            case cst.Subscript(value=value) if function.form(value) == form:
                if isinstance(function.parent(node), (cst.AssignTarget, cst.AugAssign, cst.Del)):
                    return False
    return True


def appends(
    function: Function, listed: cst.BaseExpression, loop: cst.CSTNode
) -> list[tuple[cst.SimpleStatementLine, cst.BaseExpression]] | None:
    """The statements that append to a list, and what they append; None where it is part of something else."""
    found = []
    for call in function.walk(cst.Call, under=loop):
        added = method_call(call, "append")
        if added is None or not function.same(added[0], listed):
            continue
        line = function.statement(call)
        if not isinstance(line, cst.SimpleStatementLine) or not isinstance(sole(line), cst.Expr):
            return None
        found.append((line, added[1][0]))
    return found
