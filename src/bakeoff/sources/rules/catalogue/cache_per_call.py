"""Asking a helper the same thing again and again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import libcst as cst

from bakeoff.sources.rules.catalogue._helpers import can_be_key, depends_on_changes, helpers_of, is_work
from bakeoff.sources.rules.catalogue._shapes import above_loops, constant, is_steady, text
from bakeoff.sources.rules.rewriting import Function, Replacement, Rewrite, Rule, beside, expression

if TYPE_CHECKING:
    from collections.abc import Iterator


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asked:
    """A call in a loop. What is given to the helper is the same all the time, or another thing each time."""

    call: cst.Call
    changing: tuple[cst.Arg, ...]
    made: str


def _find(function: Function) -> Iterator[Rewrite]:
    helpers = helpers_of(function)
    found: dict[tuple[str, str, cst.BaseStatement], list[_Asked]] = {}
    for call in function.walk(cst.Call):
        name = text(function, call.func)
        helper = helpers.get(name)
        if helper is None or not call.args or any(arg.star for arg in call.args):
            continue
        place = above_loops(function, call, call.func)
        if place is not None and is_work(function, helper) and not depends_on_changes(function, helper, place):
            asked = _asked(function, call, place)
            if not all(can_be_key(function, call, arg, helper) for arg in asked.changing):
                continue
            found.setdefault((name, asked.made, place), []).append(asked)
    for (name, made, place), every in found.items():
        if not every[0].changing:
            continue
        cached = function.fresh(f"cached_{name.removeprefix('self.').strip('_')}")
        setup = f"{cached} = lru_cache(maxsize=None, typed=True)({made})\n"
        replace: dict[cst.CSTNode, Replacement] = {place: beside(place, before=setup)}
        for one in every:
            arguments = ", ".join(text(function, arg.value) for arg in one.changing)
            whole = made == name
            replace[one.call.func if whole else one.call] = expression(cached if whole else f"{cached}({arguments})")
        yield Rewrite(replace=replace, imports=("from functools import lru_cache",))


def _asked(function: Function, call: cst.Call, place: cst.BaseStatement) -> _Asked:
    """What stays the same is left out of the cache's keys: it may be something that cannot be hashed."""
    same = [arg for arg in call.args if not constant(arg.value) and is_steady(function, arg.value, place)]
    if not same:
        return _Asked(call=call, changing=tuple(call.args), made=text(function, call.func))
    changing = tuple(arg for arg in call.args if arg not in same)
    names = "abcdefghijklmnopqrstuvwxyz"[: len(changing)]
    given = []
    for arg in call.args:
        value = names[changing.index(arg)] if arg in changing else text(function, arg.value)
        given.append(f"{arg.keyword.value}={value}" if arg.keyword is not None else value)
    made = f"lambda {', '.join(names)}: {text(function, call.func)}({', '.join(given)})"
    return _Asked(call=call, changing=changing, made=made)


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
