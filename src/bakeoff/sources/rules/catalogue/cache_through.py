"""A helper of a helper, asked the same thing again each time round a loop."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from bakeoff.sources.rules.catalogue._asking import Asker, Question, is_once, repeated, stays_after
from bakeoff.sources.rules.catalogue._shapes import bindings, swapped, text
from bakeoff.sources.rules.rewriting import Function, Replacement, Rewrite, Rule, beside, expression

if TYPE_CHECKING:
    from collections.abc import Iterator


_PLAIN = cst.AssignEqual(whitespace_before=cst.SimpleWhitespace(""), whitespace_after=cst.SimpleWhitespace(""))


def _find(function: Function) -> Iterator[Rewrite]:
    found: dict[tuple[str, cst.BaseStatement], list[cst.Call]] = {}
    for call in function.walk(cst.Call):
        helper = function.called(call)
        if helper is None or helper.node is function.node or helper.node.decorators:
            continue
        place = repeated(function, call)
        if place is not None:
            found.setdefault((text(function, call.func), place), []).append(call)
    for (_, place), calls in found.items():
        between = function.called(calls[0])
        rewrite = _through(function, between, place, calls) if between is not None else None
        if rewrite is not None:
            yield rewrite


def _through(function: Function, between: Function, place: cst.BaseStatement, calls: list[cst.Call]) -> Rewrite | None:
    params = between.node.params
    if params.star_kwarg is not None or any(arg.star for call in calls for arg in call.args):
        return None
    asked = _asked(function, between, place, calls)
    if not asked:
        return None
    setup, added, given = "", [], []
    replace: dict[cst.CSTNode, Replacement] = {}
    for made, questions in asked.items():
        cached = function.fresh(questions[0].hint)
        setup += f"{cached} = lru_cache(maxsize=None, typed=True)({made})\n"
        added.append(cst.Param(name=cst.Name(cached), default=cst.Name("None"), equal=_PLAIN))
        given.append(f"{cached}={cached}")
        replace |= dict(_answered(between, one, cached) for one in questions)
    starred = bool(params.kwonly_params) or isinstance(params.star_arg, (cst.Param, cst.ParamStar))
    kinds = "kwonly_params" if starred else "params"
    replace[params] = params.with_changes(**{kinds: [*getattr(params, kinds), *added]})
    replace[place] = beside(place, before=setup)
    for call in calls:
        arguments = ", ".join([*(function.code(arg).strip().rstrip(",") for arg in call.args), *given])
        replace[call] = expression(f"{text(function, call.func)}({arguments})")
    return Rewrite(replace=replace, imports=("from functools import lru_cache",))


def _answered(between: Function, one: Question, cached: str) -> tuple[cst.CSTNode, Replacement]:
    """What is put in the place of a question, if a cache may be there."""
    if one.is_whole:
        return one.call.func, expression(f"({cached} or {text(between, one.call.func)})")
    answer = f"{cached}({', '.join(one.changing)})"
    return one.call, expression(f"({answer} if {cached} else {text(between, one.call)})")


def _asked(
    function: Function, between: Function, place: cst.BaseStatement, calls: list[cst.Call]
) -> dict[str, list[Question]]:
    """What a helper asks others, which it could be given with a cache around them."""
    is_single = all(is_once(function, one) for one in calls)
    asker = Asker(between, once=lambda call: is_single and not between.loops_around(call))
    bound = {
        name: value
        for name, value in _bound(function, between, place, calls).items()
        if name not in between.assigned(between.node.body)
    }
    own = between.assigned(between.node.body) | set(between.parameters)
    touched = {between.form(one) for node in between.walk(under=between.node.body) for one in bindings(node)}

    def same(node: cst.BaseExpression) -> str | None:
        loads = [one for one in between.walk(cst.Name, under=node) if between.is_load(one)]
        if any(one.value in own and one.value not in bound and one.value != "self" for one in loads):
            return None
        parts = between.walk(cst.Name, cst.Attribute, cst.Subscript, under=node)
        if not between.is_pure(node) or any(between.form(one) in touched for one in parts):
            return None
        swaps: dict[cst.CSTNode, cst.CSTNode] = {one: bound[one.value] for one in loads if one.value in bound}
        return text(between, swapped(node, swaps))

    questions: list[Question] = []
    for call in between.walk(cst.Call, under=between.node.body):
        if not _is_open(between, call):
            continue
        one = asker.question(call, place, same)
        if one is not None and not any(one.call in between.walk(under=other.call) for other in questions):
            questions.append(one)
    return _by_answer(asker, place, questions)


def _is_open(between: Function, call: cst.Call) -> bool:
    """Whether a call is no recursion, and there is no cache for it yet."""
    called = between.called(call)
    parent = between.parent(call)
    is_kept = isinstance(parent, cst.IfExp) and isinstance(parent.test, cst.Name) and parent.orelse is call
    return not is_kept and (called is None or called.node is not between.node)


def _by_answer(asker: Asker, place: cst.BaseStatement, questions: list[Question]) -> dict[str, list[Question]]:
    """The questions that one cache can answer; that of a whole function answers all that it is asked."""
    whole = {one.made for one in questions if one.is_whole}
    found: dict[str, list[Question]] = {}
    for one in questions:
        open_one = asker.question(one.call, place, lambda _: None)
        answered = open_one if open_one is not None and open_one.is_whole and open_one.made in whole else one
        found.setdefault(answered.made, []).append(answered)
    return found


def _bound(
    function: Function, between: Function, place: cst.BaseStatement, calls: list[cst.Call]
) -> dict[str, cst.BaseExpression]:
    """The parameters that all calls give the same, which nobody changes meanwhile, and what they are given."""
    given = [between.arguments(call) for call in calls]
    first = given[0]
    if first is None:
        return {}
    return {
        name: value
        for name, value in first.items()
        if name not in {"self", "cls"}
        and all(one is not None and function.same(one[name], value) for one in given)
        and stays_after(function, value, place)
        and function.is_pure(value)
    }


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
