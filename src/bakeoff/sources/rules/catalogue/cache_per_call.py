"""Asking a helper the same thing again and again."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from bakeoff.sources.rules.catalogue._asking import Asker, Question, is_once, repeated, stays_after
from bakeoff.sources.rules.catalogue._shapes import is_steady, text
from bakeoff.sources.rules.rewriting import Function, Replacement, Rewrite, Rule, beside, expression

if TYPE_CHECKING:
    from collections.abc import Iterator


def _find(function: Function) -> Iterator[Rewrite]:
    asker = Asker(function, once=lambda call: is_once(function, call))
    found: dict[tuple[str, cst.BaseStatement], list[Question]] = {}
    for call in function.walk(cst.Call):
        place = repeated(function, call)
        asked = _asked(function, asker, call, place) if place is not None else None
        if place is not None and asked is not None and asked.changing:
            first = next(
                (one for made, one in found if made == asked.made and _lasts(function, call, one, place)), place
            )
            found.setdefault((asked.made, first), []).append(asked)
    for (made, place), every in found.items():
        cached = function.fresh(every[0].hint)
        setup = f"{cached} = lru_cache(maxsize=None, typed=True)({made})\n"
        replace: dict[cst.CSTNode, Replacement] = {place: beside(place, before=setup)}
        for one in every:
            node, code = (one.call.func, cached) if one.is_whole else (one.call, f"{cached}({', '.join(one.changing)})")
            replace[node] = expression(code)
        yield Rewrite(replace=replace, imports=("from functools import lru_cache",))


def _lasts(function: Function, call: cst.Call, first: cst.BaseStatement, place: cst.BaseStatement) -> bool:
    """Whether what is kept from one statement on is still good in a later one of the same block."""
    following = list(function.following(first))
    if first is not place and place not in following:
        return False
    between = [first, *following[: following.index(place) + 1]] if first is not place else []
    kept = [arg.value for arg in call.args if stays_after(function, arg.value, place)]
    return all(is_steady(function, arg, one) for arg in kept for one in between)


def _asked(function: Function, asker: Asker, call: cst.Call, place: cst.BaseStatement) -> Question | None:
    def same(node: cst.BaseExpression) -> str | None:
        return text(function, node) if stays_after(function, node, place) else None

    return asker.question(call, place, same)


RULE = Rule(
    name="cache-per-call",
    summary="a helper called in a loop → its results kept until the function ends",
    unsafe="Arguments that cannot be hashed; a helper that has effects, or whose results are changed by who gets them.",
    before="""\
def matches(left, right):
    found = []
    for one in left:
        found += [(one, other) for other in right if simple(one) == simple(other)]
        found.append(first(right, one[0]))
    return found


def simple(name):
    return "".join(part.strip().lower() for part in name.split("-"))


def first(names, letter):
    return next((name for name in names if name.startswith(letter)), None)
""",
    after="""\
from functools import lru_cache


def matches(left, right):
    found = []
    cached_simple = lru_cache(maxsize=None, typed=True)(simple)
    cached_first = lru_cache(maxsize=None, typed=True)(lambda a: first(right, a))
    for one in left:
        found += [(one, other) for other in right if cached_simple(one) == cached_simple(other)]
        found.append(cached_first(one[0]))
    return found


def simple(name):
    return "".join(part.strip().lower() for part in name.split("-"))


def first(names, letter):
    return next((name for name in names if name.startswith(letter)), None)
""",
    calls=("matches([], ['x'])", "matches(['a-B', 'c'], ['AB', 'C ', 'd'])"),
    find=_find,
)
