"""One question for each of several texts or values."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from bakeoff.sources.rules.catalogue._shapes import (
    constant,
    disjuncts,
    fitted,
    method_call,
    only_generator,
    plain_call,
    text,
)
from bakeoff.sources.rules.rewriting import Function, Rewrite, Rule, expression

if TYPE_CHECKING:
    from collections.abc import Iterator

# From so many on, a set is faster than a tuple.
_MANY = 3


def _asked(node: cst.BaseExpression, *, negative: bool) -> tuple[str, cst.BaseExpression, cst.BaseExpression] | None:
    """What is asked, of what, and with what: `line.startswith("#")`, `kind == "x"`."""
    for name in () if negative else ("startswith", "endswith"):
        found = method_call(node, name)
        if found is not None:
            return name, found[0], found[1][0]
    match node:
        case cst.Comparison(left=left, comparisons=[cst.ComparisonTarget(operator=operator, comparator=right)]):
            if isinstance(operator, cst.NotEqual if negative else cst.Equal) and not constant(left):
                return "not in" if negative else "in", left, right
    return None


def _chain(function: Function, node: cst.BooleanOperation) -> str | None:
    """The parts of a chain, those that ask the same of the same thing in one."""
    negative = isinstance(node.operator, cst.And)
    parts: list[tuple[object, list[cst.BaseExpression]]] = []
    for part in disjuncts(node, type(node.operator)):
        asked = _asked(part, negative=negative)
        key = (asked[0], function.form(asked[1])) if asked is not None and function.is_pure(asked[1]) else part
        if parts and parts[-1][0] == key:
            parts[-1][1].append(part)
        else:
            parts.append((key, [part]))
    if all(len(alike) == 1 for _, alike in parts):
        return None
    joint = " and " if negative else " or "
    return joint.join(_joined(function, alike, negative=negative) for _, alike in parts)


def _joined(function: Function, alike: list[cst.BaseExpression], *, negative: bool) -> str:
    asked = [found for part in alike if (found := _asked(part, negative=negative)) is not None]
    if len(alike) == 1 or not asked:
        return text(function, alike[0])
    how, subject, _ = asked[0]
    listed = ", ".join(_spliced(function, value) for _, _, value in asked)
    if how in ("startswith", "endswith"):
        return f"{text(function, subject)}.{how}(({listed}))"
    known = len(asked) >= _MANY and all(constant(value) for _, _, value in asked)
    return f"{text(function, subject)} {how} " + (f"{{{listed}}}" if known else f"({listed})")


def _spliced(function: Function, value: cst.BaseExpression) -> str:
    """A tuple's members are taken one by one."""
    if isinstance(value, cst.Tuple):
        return ", ".join(text(function, element.value) for element in value.elements)
    return text(function, value)


def _any_of(function: Function, node: cst.Call) -> Rewrite | None:
    """`any(line.startswith(prefix) for prefix in prefixes)`."""
    inner = plain_call(node, "any")
    part = only_generator(inner[0], conditions=0) if inner is not None else None
    if inner is None or part is None or not isinstance(inner[0], (cst.GeneratorExp, cst.ListComp)):
        return None
    found = method_call(inner[0].elt, "startswith", "endswith")
    if found is None or not function.same(found[1][0], part.target) or function.uses(_name(part), found[0]):
        return None
    listed = text(function, part.iter)
    options = listed if isinstance(part.iter, cst.Tuple) else f"tuple({listed})"
    how = "startswith" if method_call(inner[0].elt, "startswith") else "endswith"
    return Rewrite(replace={node: expression(f"{text(function, found[0])}.{how}({options})")})


def _name(part: cst.CompFor) -> str:
    return part.target.value if isinstance(part.target, cst.Name) else ""


def _find(function: Function) -> Iterator[Rewrite]:
    for node in function.walk(cst.BooleanOperation, cst.Call):
        if isinstance(node, cst.Call):
            rewrite = _any_of(function, node)
            if rewrite is not None:
                yield rewrite
        elif not _is_inner(function, node):
            code = _chain(function, node)
            if code is not None:
                yield Rewrite(replace={node: fitted(function, node, code)})


def _is_inner(function: Function, node: cst.BooleanOperation) -> bool:
    parent = function.parent(node)
    return isinstance(parent, cst.BooleanOperation) and isinstance(parent.operator, type(node.operator))


RULE = Rule(
    name="startswith-chain",
    summary="s.startswith(a) or s.startswith(b), x == a or x == b → one call, one look-up",
    unsafe="Values with an == of their own, that cannot be hashed, or are not equal to themselves; all are evaluated.",
    before="""\
def kind(line, word, ends):
    if line.startswith("#") or line.startswith((";", "//")) or not line:
        return "comment"
    if word == "if" or word == "for" or word == "while":
        return "keyword"
    if word != line and word != "x" or any(word.endswith(end) for end in ends):
        return "other"
    return "none"
""",
    after="""\
def kind(line, word, ends):
    if line.startswith(("#", ";", "//")) or not line:
        return "comment"
    if word in {"if", "for", "while"}:
        return "keyword"
    if word not in (line, "x") or word.endswith(tuple(ends)):
        return "other"
    return "none"
""",
    calls=(
        "[kind(line, '', []) for line in ('# a', '; b', '//', '', 'x')]",
        "[kind('a', word, ['b']) for word in ('if', 'while', 'x', 'a', 'bb', 'ab')]",
    ),
    find=_find,
)
