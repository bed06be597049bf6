"""Patterns that are looked up again at each use, since they are not written where they are used."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from bakeoff.sources.rules.catalogue._shapes import above_loops, constant, hint, is_simple, names, text
from bakeoff.sources.rules.rewriting import Function, Replacement, Rewrite, Rule, beside, expression, target_names

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bakeoff.sources.rules.rewriting import Comprehension

_METHODS = frozenset({"match", "fullmatch", "search", "findall", "finditer", "split", "sub", "subn"})


def _find(function: Function) -> Iterator[Rewrite]:
    changing: list[cst.Call] = []
    hoisted: dict[tuple[cst.BaseStatement, str], list[cst.Call]] = {}
    for call in function.walk(cst.Call):
        pattern = _pattern(call)
        if pattern is None:
            continue
        place = above_loops(function, call, pattern)
        if place is not None:
            hoisted.setdefault((place, text(function, pattern)), []).append(call)
        elif _is_one_of_several(function, call, pattern):
            changing.append(call)
    for (place, pattern_code), calls in hoisted.items():
        name = function.fresh(hint(calls[0].args[0].value, "compiled"))
        replace: dict[cst.CSTNode, Replacement] = {call: _call(function, call, name) for call in calls}
        replace[place] = beside(place, before=f"{name} = re.compile({pattern_code})\n")
        yield Rewrite(replace=replace)
    if changing:
        yield _kept(function, changing)


def _kept(function: Function, calls: list[cst.Call]) -> Rewrite:
    """A cache in the place of that of `re`, which takes longer to ask. It is as large, so that no more is kept."""
    name = function.fresh("_compiled")
    return Rewrite(
        replace={call: _call(function, call, f"{name}({text(function, call.args[0].value)})") for call in calls},
        imports=("from functools import lru_cache",),
        above=(f"{name} = lru_cache(maxsize=512)(re.compile)\n",),
    )


def _pattern(call: cst.Call) -> cst.BaseExpression | None:
    """The pattern of `re.match(pattern, text)`, which is no literal, and without flags."""
    match call:
        case cst.Call(
            func=cst.Attribute(value=cst.Name(value="re"), attr=cst.Name(value=method)),
            args=[cst.Arg(value=pattern, keyword=None), *rest],
        ) if method in _METHODS and len(rest) == (2 if method in {"sub", "subn"} else 1):
            plain = not any(arg.star or arg.keyword is not None for arg in call.args)
            joined = isinstance(pattern, cst.ConcatenatedString)
            return pattern if plain and not joined and not constant(pattern) else None
    return None


def _call(function: Function, call: cst.Call, compiled: str) -> cst.BaseExpression:
    assert isinstance(call.func, cst.Attribute)
    arguments = ", ".join(text(function, arg.value) for arg in call.args[1:])
    return expression(f"{compiled}.{call.func.attr.value}({arguments})")


def _is_one_of_several(function: Function, call: cst.Call, pattern: cst.BaseExpression) -> bool:
    """Whether it is what a loop goes through, or a part of that: `for kind, pattern in KINDS`."""
    used = names(function, pattern)
    targets = (part.target for loop in function.loops_around(call) for part in _parts(loop))
    return is_simple(pattern) and any(used & set(target_names(target)) for target in targets)


def _parts(loop: cst.For | cst.While | Comprehension) -> Iterator[cst.For | cst.CompFor]:
    if isinstance(loop, cst.For):
        yield loop
    elif not isinstance(loop, cst.While):
        part: cst.CompFor | None = loop.for_in
        while part is not None:
            yield part
            part = part.inner_for_in


RULE = Rule(
    name="text-patterns",
    summary="patterns from a table or a variable, used in a loop → each compiled once",
    unsafe="A pattern that is wrong fails before it is used; who replaces `re`, in a test, is not asked any more.",
    before="""\
import re

KINDS = [("number", r"\\d+"), ("name", r"\\w+")]


def kinds(texts, wanted):
    found = []
    for text in texts:
        if re.fullmatch(wanted, text):
            for kind, pattern in KINDS:
                if re.match(pattern, text):
                    found.append((kind, re.sub(wanted, "-", text)))
    return found
""",
    after="""\
import re
from functools import lru_cache

KINDS = [("number", r"\\d+"), ("name", r"\\w+")]


_compiled = lru_cache(maxsize=512)(re.compile)


def kinds(texts, wanted):
    found = []
    wanted_compiled = re.compile(wanted)
    for text in texts:
        if wanted_compiled.fullmatch(text):
            for kind, pattern in KINDS:
                if _compiled(pattern).match(text):
                    found.append((kind, wanted_compiled.sub("-", text)))
    return found
""",
    calls=("kinds(['12', 'a1', '-', ' '], '[a-z0-9]+')", "kinds([], '.')"),
    find=_find,
)
