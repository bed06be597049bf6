"""A helper of a helper, asked the same thing again each time round a loop."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from bakeoff.sources.rules.catalogue._helpers import can_be_key, depends_on_changes, helpers_of, is_work
from bakeoff.sources.rules.catalogue._shapes import above_loops, text
from bakeoff.sources.rules.rewriting import Function, Replacement, Rewrite, Rule, beside, expression

if TYPE_CHECKING:
    from collections.abc import Iterator


_PLAIN = cst.AssignEqual(whitespace_before=cst.SimpleWhitespace(""), whitespace_after=cst.SimpleWhitespace(""))


def _find(function: Function) -> Iterator[Rewrite]:
    helpers = helpers_of(function)
    found: dict[tuple[str, cst.BaseStatement], list[cst.Call]] = {}
    for call in function.walk(cst.Call):
        name = text(function, call.func)
        place = above_loops(function, call, call.func) if name in helpers else None
        if place is not None:
            found.setdefault((name, place), []).append(call)
    for (name, place), calls in found.items():
        rewrite = _through(function, helpers, name, place, calls)
        if rewrite is not None:
            yield rewrite


def _through(
    function: Function,
    helpers: dict[str, cst.FunctionDef],
    name: str,
    place: cst.BaseStatement,
    calls: list[cst.Call],
) -> Rewrite | None:
    between = helpers[name]
    asked = _asked(function, helpers, between, place)
    params = between.params
    if not asked or params.star_kwarg is not None or any(arg.star for call in calls for arg in call.args):
        return None
    setup, added, given = "", [], []
    replace: dict[cst.CSTNode, Replacement] = {}
    for inner, inner_calls in asked.items():
        cached = function.fresh(f"cached_{inner.removeprefix('self.').strip('_')}")
        setup += f"{cached} = lru_cache(maxsize=None, typed=True)({inner})\n"
        added.append(cst.Param(name=cst.Name(cached), default=cst.Name("None"), equal=_PLAIN))
        given.append(f"{cached}={cached}")
        replace |= {call.func: expression(f"({cached} or {inner})") for call in inner_calls}
    starred = bool(params.kwonly_params) or isinstance(params.star_arg, (cst.Param, cst.ParamStar))
    kinds = "kwonly_params" if starred else "params"
    replace[params] = params.with_changes(**{kinds: [*getattr(params, kinds), *added]})
    replace[place] = beside(place, before=setup)
    for call in calls:
        arguments = ", ".join([*(function.code(arg).strip().rstrip(",") for arg in call.args), *given])
        replace[call] = expression(f"{name}({arguments})")
    return Rewrite(replace=replace, imports=("from functools import lru_cache",))


def _asked(
    function: Function, helpers: dict[str, cst.FunctionDef], between: cst.FunctionDef, place: cst.BaseStatement
) -> dict[str, list[cst.Call]]:
    """The helpers that a helper calls, which it could be given with a cache around them."""
    found: dict[str, list[cst.Call]] = {}
    for call in function.walk(cst.Call, under=between.body):
        name = text(function, call.func)
        helper = helpers.get(name)
        plain = bool(call.args) and not any(arg.star for arg in call.args)
        if helper is None or helper is between or not plain:
            continue
        if not all(can_be_key(function, call, arg, helper) for arg in call.args):
            continue
        if is_work(function, helper) and not depends_on_changes(function, helper, place):
            found.setdefault(name, []).append(call)
    return found


RULE = Rule(
    name="cache-through",
    summary="a helper of a helper that is called in a loop → its results kept until the function ends",
    unsafe="Arguments that cannot be hashed; helpers that have effects, or are replaced or overridden.",
    before="""\
def search(texts, query):
    return [text for text in texts if score(text, query) > 1]


def score(text, query):
    return len(terms(text) & terms(query))


def terms(text):
    return {word.strip(".,").lower() for word in text.split()}
""",
    after="""\
from functools import lru_cache


def search(texts, query):
    cached_terms = lru_cache(maxsize=None, typed=True)(terms)
    return [text for text in texts if score(text, query, cached_terms=cached_terms) > 1]


def score(text, query, cached_terms=None):
    return len((cached_terms or terms)(text) & (cached_terms or terms)(query))


def terms(text):
    return {word.strip(".,").lower() for word in text.split()}
""",
    calls=("search([], 'a')", "search(['a b c', 'A, b.', 'c'], 'b. a')"),
    find=_find,
)
