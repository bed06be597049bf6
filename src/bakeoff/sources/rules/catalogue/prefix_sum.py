"""Adding up slices of one list again and again, or looking for the greatest in them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import libcst as cst

from bakeoff.sources.rules.catalogue._shapes import (
    above_loops,
    fitted,
    hint,
    is_simple,
    only_generator,
    plain_call,
    text,
)
from bakeoff.sources.rules.rewriting import Function, Replacement, Rewrite, Rule, beside, expression

if TYPE_CHECKING:
    from collections.abc import Iterator


@dataclass(frozen=True, slots=True, kw_only=True)
class _Slice:
    """The sum, least or greatest value of a slice of a list, or of what a comprehension makes of that slice."""

    node: cst.Call
    kind: str
    of: cst.BaseExpression
    lower: cst.BaseExpression | None
    upper: cst.BaseExpression | None
    made: cst.GeneratorExp | None

    def source(self, function: Function, *, backwards: bool = False) -> str:
        """What is accumulated."""
        of = cst.Call(func=cst.Name("reversed"), args=[cst.Arg(self.of)]) if backwards else self.of
        if self.made is None:
            return text(function, of)
        made = self.made.with_changes(for_in=self.made.for_in.with_changes(iter=of), lpar=(), rpar=())
        return text(function, made)

    @property
    def steady(self) -> cst.BaseExpression:
        if self.made is None:
            return self.of
        return self.made.with_changes(for_in=self.made.for_in.with_changes(iter=self.of))


def _slice(function: Function, node: cst.Call) -> _Slice | None:
    kind = next((name for name in ("sum", "max", "min") if plain_call(node, name)), None)
    if kind is None:
        return None
    value = node.args[0].value
    part = only_generator(value, conditions=0)
    made = cst.GeneratorExp(elt=value.elt, for_in=part) if part and isinstance(value, _COMPREHENSIONS) else None
    match part.iter if part else value:
        case cst.Subscript(
            value=of, slice=[cst.SubscriptElement(slice=cst.Slice(lower=lower, upper=upper, step=None))]
        ):
            known = is_simple(of) and not any(isinstance(bound, cst.UnaryOperation) for bound in (lower, upper))
            bounded = lower is not None or upper is not None
            if known and bounded and (made is None or function.is_pure(made)):
                return _Slice(node=node, kind=kind, of=of, lower=lower, upper=upper, made=made)
    return None


_COMPREHENSIONS = (cst.GeneratorExp, cst.ListComp)


def _answer(function: Function, found: _Slice) -> tuple[str, str, str] | None:
    """What the table is called after, how it is made, and what is asked of it, with @ for its name."""
    lower = text(function, found.lower) if found.lower is not None else None
    upper = text(function, found.upper) if found.upper is not None else None
    if found.kind == "sum":
        setup = f"list(accumulate({found.source(function)}, initial=0))"
        end = "@[-1]" if upper is None else f"@[{_within(function, found, upper)}]"
        return "sums", setup, end if lower is None else f"{end} - @[{lower}]"
    if lower is None and upper is not None:
        setup = f"list(accumulate({found.source(function)}, {found.kind}))"
        return f"{found.kind}_before", setup, f"@[{_less_one(function, found.upper, upper)}]"
    if lower is not None and upper is None:
        made = found.source(function, backwards=True)
        return f"{found.kind}_after", f"list(accumulate({made}, {found.kind}))[::-1]", f"@[{lower}]"
    return None


def _within(function: Function, found: _Slice, upper: str) -> str:
    """A bound that may be beyond the end, as bounds of slices may."""
    match found.upper:
        case cst.Name() | cst.BinaryOperation(left=cst.Name(), right=cst.Integer(value="1")):
            return upper
    return f"min({upper}, len({text(function, found.of)}))"


def _less_one(function: Function, node: cst.BaseExpression | None, code: str) -> str:
    match node:
        case cst.BinaryOperation(left=left, operator=cst.Add(), right=cst.Integer(value="1")):
            return text(function, left)
    return f"{code} - 1"


def _find(function: Function) -> Iterator[Rewrite]:
    found: dict[tuple[str, str, cst.BaseStatement], list[tuple[_Slice, str]]] = {}
    for node in function.walk(cst.Call):
        one = _slice(function, node)
        place = above_loops(function, node, one.steady) if one is not None else None
        answer = _answer(function, one) if one is not None else None
        if one is not None and place is not None and answer is not None:
            found.setdefault((answer[0], answer[1], place), []).append((one, answer[2]))
    for (kind, setup, place), slices in found.items():
        name = function.fresh(hint(slices[0][0].of, kind))
        replace: dict[cst.CSTNode, Replacement] = {place: beside(place, before=f"{name} = {setup}\n")}
        for one, asked in slices:
            code = asked.replace("@", name)
            replace[one.node] = fitted(function, one.node, code) if " - @" in asked else expression(code)
        yield Rewrite(replace=replace, imports=("from itertools import accumulate",))


RULE = Rule(
    name="prefix-sum",
    summary="sums or maxima of slices of one list → running ones, made once",
    unsafe="Sums of floats come out a little different; slices that are empty or have bounds below nought.",
    before="""\
def report(values, rows, width):
    lines = []
    for i in range(len(values)):
        mean = sum(values[: i + 1]) / (i + 1)
        window = sum(values[i : i + width])
        lines.append((mean, window, max(values[: i + 1]), min(values[i:]), sum(row["n"] for row in rows[:i])))
    return lines
""",
    after="""\
from itertools import accumulate


def report(values, rows, width):
    lines = []
    values_sums = list(accumulate(values, initial=0))
    values_max_before = list(accumulate(values, max))
    values_min_after = list(accumulate(reversed(values), min))[::-1]
    rows_sums = list(accumulate((row["n"] for row in rows), initial=0))
    for i in range(len(values)):
        mean = values_sums[i + 1] / (i + 1)
        window = values_sums[min(i + width, len(values))] - values_sums[i]
        lines.append((mean, window, values_max_before[i], values_min_after[i], rows_sums[i]))
    return lines
""",
    calls=("report([], [], 2)", "report([3, 1, 4, 1, 5], [{'n': n} for n in (2, 7, 1, 8, 2)], 2)"),
    find=_find,
)
