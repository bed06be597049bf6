"""Patterns that are looked up again at each use, since they are not written where they are used."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import libcst as cst

from bakeoff.sources.rules.catalogue._patterns import ARGUMENTS, are_flags, without_flags
from bakeoff.sources.rules.catalogue._shapes import above_loops, constant, hint, is_simple, names, text
from bakeoff.sources.rules.rewriting import Function, Replacement, Rewrite, Rule, beside, expression, target_names

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from bakeoff.sources.rules.rewriting import Comprehension


@dataclass(frozen=True, slots=True, kw_only=True)
class _Use:
    """`re.match(pattern, text, flags)` with a pattern that is no literal, and flags that are; `asked` is what has to be
    compiled for it."""

    call: cst.Call
    method: str
    pattern: cst.BaseExpression
    asked: str
    rest: tuple[str, ...]

    @classmethod
    def of(cls, function: Function, call: cst.Call) -> _Use | None:
        match call:
            case cst.Call(
                func=cst.Attribute(value=cst.Name(value="re"), attr=cst.Name(value=method)),
                args=[cst.Arg(value=pattern, keyword=None, star=""), *_],
            ) if method in ARGUMENTS:
                flags, rest = without_flags(call, method)
                plain = not any(arg.star or arg.keyword is not None for arg in rest)
                plain = plain and len(rest) == (2 if method in {"sub", "subn"} else 1)
                if isinstance(pattern, cst.ConcatenatedString) or constant(pattern) or not plain:
                    return None
                if flags is not None and not are_flags(flags.value):
                    return None
                asked = ", ".join(text(function, one) for one in (pattern, flags and flags.value) if one is not None)
                arguments = tuple(text(function, arg.value) for arg in rest)
                return cls(call=call, method=method, pattern=pattern, asked=asked, rest=arguments)
        return None

    def of_compiled(self, compiled: str) -> cst.BaseExpression:
        """The same call, of a pattern that is compiled."""
        return expression(f"{compiled}.{self.method}({', '.join(self.rest)})")


def _find(function: Function) -> Iterator[Rewrite]:
    changing: list[_Use] = []
    hoisted: dict[tuple[cst.BaseStatement, str], list[_Use]] = {}
    for call in function.walk(cst.Call):
        use = _Use.of(function, call)
        if use is None:
            continue
        place = above_loops(function, call, use.pattern)
        if place is not None:
            hoisted.setdefault((place, use.asked), []).append(use)
        elif _is_one_of_several(function, call, use.pattern):
            changing.append(use)
    for (place, made), uses in hoisted.items():
        name = function.fresh(hint(uses[0].pattern, "compiled"))
        replace: dict[cst.CSTNode, Replacement] = {use.call: use.of_compiled(name) for use in uses}
        replace[place] = beside(place, before=f"{name} = re.compile({made})\n")
        yield Rewrite(replace=replace)
    if changing:
        yield _kept(function, changing)


def _kept(function: Function, uses: Sequence[_Use]) -> Rewrite:
    """A cache in the place of that of `re`, which takes longer to ask. It is as large, so that no more is kept."""
    name = function.fresh("_compiled")
    return Rewrite(
        replace={use.call: use.of_compiled(f"{name}({use.asked})") for use in uses},
        imports=("from functools import lru_cache",),
        above=(f"{name} = lru_cache(maxsize=512)(re.compile)\n",),
    )


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
