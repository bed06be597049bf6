"""Adding up a list again, or looking for its greatest, each time something was appended."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from bakeoff.sources.rules.catalogue._shapes import appends, growing_loop, hint, is_simple, plain_call, text
from bakeoff.sources.rules.rewriting import Function, Replacement, Rewrite, Rule, beside, expression

if TYPE_CHECKING:
    from collections.abc import Iterator

_SIGNS = {"max": ">", "min": "<"}


def _find(function: Function) -> Iterator[Rewrite]:
    found: dict[tuple[str, str], list[cst.Call]] = {}
    for call in function.walk(cst.Call):
        for kind in ("sum", "max", "min"):
            inner = plain_call(call, kind)
            if inner is not None and is_simple(inner[0]) and function.loops_around(call):
                found.setdefault((kind, function.form(inner[0])), []).append(call)
    for (kind, _), calls in found.items():
        rewrite = _kept(function, kind, calls)
        if rewrite is not None:
            yield rewrite


def _kept(function: Function, kind: str, calls: list[cst.Call]) -> Rewrite | None:
    """The value is kept beside the list: what is appended is taken into account there and then."""
    listed = calls[0].args[0].value
    loop = growing_loop(function, calls[0], listed)
    if loop is None or not all(loop in function.loops_around(call) for call in calls):
        return None
    lines = appends(function, listed, loop)
    if not lines or not all(function.is_pure(value) for _, value in lines):
        return None
    name = function.fresh(hint(listed, kind))
    start = f"{name} = {kind}({text(function, listed)}{', default=None' if kind != 'sum' else ''})\n"
    replace: dict[cst.CSTNode, Replacement] = {call: expression(name) for call in calls}
    replace[loop] = beside(loop, before=start)
    for line, value in lines:
        one = text(function, value)
        if kind == "sum":
            replace[line] = beside(line, after=f"{name} += {one}\n")
        else:
            test = f"{name} is None or {one} {_SIGNS[kind]} {name}"
            replace[line] = beside(line, after=f"if {test}:\n    {name} = {one}\n")
    return Rewrite(replace=replace)


RULE = Rule(
    name="repeated-len-max-sum",
    summary="sum, max or min of a list that grows, again and again → kept while it grows",
    unsafe="Sums of floats, which may come out a little different; lists that are changed by others; max of nothing.",
    before="""\
def levels(values, limit):
    taken = []
    lines = []
    for value in values:
        if sum(taken) + value <= limit:
            taken.append(value)
        if taken:
            lines.append((sum(taken), max(taken)))
    return lines
""",
    after="""\
def levels(values, limit):
    taken = []
    lines = []
    taken_sum = sum(taken)
    taken_max = max(taken, default=None)
    for value in values:
        if taken_sum + value <= limit:
            taken.append(value)
            if taken_max is None or value > taken_max:
                taken_max = value
            taken_sum += value
        if taken:
            lines.append((taken_sum, taken_max))
    return lines
""",
    calls=("levels([], 3)", "levels([3, 1, 4, 1, 5, 9, 2, 6], 11)"),
    find=_find,
)
