"""Going through all of a list, for each of many, to count or find some."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import libcst as cst

from bakeoff.sources.rules.catalogue._shapes import (
    above_loops,
    hint,
    is_simple,
    method_call,
    only_argument,
    only_generator,
    plain_call,
    selection,
    text,
)
from bakeoff.sources.rules.rewriting import Function, Replacement, Rewrite, Rule, beside, expression

if TYPE_CHECKING:
    from collections.abc import Iterator

_COUNTER = "from collections import Counter"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Question:
    """What is asked again and again, and the table that knows all answers: in `setup` and `answer`, @ is its name."""

    node: cst.BaseExpression
    steady: tuple[cst.CSTNode, ...]
    hint: str
    setup: str
    answer: str
    imports: tuple[str, ...] = (_COUNTER,)
    handlers: tuple[cst.BaseExpression, ...] = ()


def _question(function: Function, node: cst.Call) -> _Question | None:
    return _method(function, node) or _as_key(function, node) or _selected(function, node)


def _method(function: Function, node: cst.Call) -> _Question | None:
    """`values.count(one)`, `values.index(one)`."""
    found = method_call(node, "count", "index")
    if found is None or not is_simple(found[0]) or isinstance(found[1][0], (cst.SimpleString, cst.FormattedString)):
        return None
    values, answer = text(function, found[0]), f"@[{text(function, found[1][0])}]"
    if method_call(node, "count"):
        return _Question(
            node=node, steady=(found[0],), hint=hint(found[0], "counts"), setup=f"@ = Counter({values})", answer=answer
        )
    setup = f"@ = {{value: position for position, value in reversed(list(enumerate({values})))}}"
    return _Question(
        node=node,
        steady=(found[0],),
        hint=hint(found[0], "positions"),
        setup=setup,
        answer=answer,
        imports=(),
        handlers=tuple(_handlers(function, node)),
    )


def _handlers(function: Function, node: cst.Call) -> Iterator[cst.BaseExpression]:
    """What is caught where something is not in the list: a table raises another exception."""
    below: cst.CSTNode = node
    for around in function.ancestors(node):
        if isinstance(around, cst.Try) and around.body is below:
            for handler in around.handlers:
                if isinstance(handler.type, cst.Name) and handler.type.value == "ValueError":
                    yield handler.type
        below = around


def _as_key(function: Function, node: cst.Call) -> _Question | None:
    """`max(…, key=values.count)`: a loop by itself."""
    for arg in node.args:
        match arg:
            case cst.Arg(
                keyword=cst.Name(value="key"), value=cst.Attribute(value=values, attr=cst.Name(value="count")) as key
            ) if is_simple(values):
                setup = f"@ = Counter({text(function, values)})"
                answer = "@.__getitem__"
                return _Question(node=key, steady=(values,), hint=hint(values, "counts"), setup=setup, answer=answer)
    return None


def _selected(function: Function, node: cst.Call) -> _Question | None:
    """`len([… if one.key == key])`, `sum(one.value for one in many if one.key == key)` and the like."""
    inner = plain_call(node, "sum", "len")
    part = only_generator(inner[0], conditions=9) if inner is not None else None
    if inner is None or part is None or not isinstance(inner[0], (cst.GeneratorExp, cst.ListComp)):
        return None
    value = inner[0].elt
    is_test = isinstance(value, (cst.Comparison, cst.BooleanOperation)) and plain_call(node, "sum") is not None
    chosen = selection(function, part, (value,) if is_test else ())
    if chosen is None or not function.is_pure(value) or not isinstance(part.target, cst.Name):
        return None
    every = chosen.every(chosen.key)
    answer, steady = f"@[{text(function, chosen.wanted)}]", (every, chosen.every(value))
    if is_test or plain_call(node, "len") or isinstance(value, cst.Integer):
        unit = not isinstance(value, cst.Integer) or value.value == "1"
        setup = f"@ = Counter({only_argument(function, every)})"
        made = _Question(node=node, steady=steady, hint=hint(part.iter, "counts"), setup=setup, answer=answer)
        return made if unit else None
    if function.is_local(part.target.value):
        return None
    test = " and ".join(text(function, one) for one in chosen.rest)
    body = f"@[{text(function, chosen.key)}] += {text(function, value)}"
    loop = f"for {part.target.value} in {text(function, part.iter)}:\n"
    setup = f"@ = Counter()\n{loop}" + (f"    if {test}:\n        {body}" if test else f"    {body}")
    return _Question(node=node, steady=steady, hint=hint(part.iter, "totals"), setup=setup, answer=answer)


def _find(function: Function) -> Iterator[Rewrite]:
    found: dict[tuple[str, cst.BaseStatement], list[_Question]] = {}
    for node in function.walk(cst.Call):
        question = _question(function, node)
        place = _place(function, question) if question is not None else None
        if question is not None and place is not None:
            found.setdefault((question.setup, place), []).append(question)
    for (setup, place), questions in found.items():
        name = function.fresh(questions[0].hint)
        replace: dict[cst.CSTNode, Replacement] = {place: beside(place, before=setup.replace("@", name) + "\n")}
        for question in questions:
            replace[question.node] = expression(question.answer.replace("@", name))
            replace |= {caught: expression("(KeyError, ValueError)") for caught in question.handlers}
        yield Rewrite(replace=replace, imports=questions[0].imports)


def _place(function: Function, question: _Question) -> cst.BaseStatement | None:
    """Where the table is made. What is called for each member of a list, like a key, needs no other loop."""
    if isinstance(question.node, cst.Attribute):
        return above_loops(function, question.node, *question.steady) or function.statement(question.node)
    return above_loops(function, question.node, *question.steady)


RULE = Rule(
    name="count-in-loop",
    summary="counting or finding in a list, for each of many → a table of counts, totals or positions, made once",
    unsafe="Values that cannot be hashed; text, where count finds parts of it; what index raises for what is missing.",
    before="""\
def summary(words, orders):
    lines = []
    for word in words:
        amount = sum(order.amount for order in orders if order.word == word)
        many = sum(1 for order in orders if order.word == word and order.amount > 1)
        try:
            lines.append((word, words.count(word), words.index(word), amount, many))
        except ValueError:
            continue
    return lines, max(words, key=words.count, default=None)
""",
    after="""\
from collections import Counter


def summary(words, orders):
    lines = []
    orders_totals = Counter()
    for order in orders:
        orders_totals[order.word] += order.amount
    orders_counts = Counter(order.word for order in orders if order.amount > 1)
    words_counts = Counter(words)
    words_positions = {value: position for position, value in reversed(list(enumerate(words)))}
    for word in words:
        amount = orders_totals[word]
        many = orders_counts[word]
        try:
            lines.append((word, words_counts[word], words_positions[word], amount, many))
        except (KeyError, ValueError):
            continue
    words_counts_2 = Counter(words)
    return lines, max(words, key=words_counts_2.__getitem__, default=None)
""",
    calls=(
        "summary([], [])",
        "summary(['a', 'b', 'a'], [__import__('types').SimpleNamespace(word='a', amount=n) for n in (1, 2)])",
    ),
    find=_find,
)
