"""Sorting a list again each time something was added."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import libcst as cst

from bakeoff.sources.rules.catalogue._shapes import is_simple, method_call, names, plain_call, sole, text
from bakeoff.sources.rules.rewriting import Function, Replacement, Rewrite, Rule, beside, expression, statements

if TYPE_CHECKING:
    from collections.abc import Iterator


@dataclass(frozen=True, slots=True, kw_only=True)
class _Sort:
    """A statement that sorts a list, or takes the least out of it."""

    line: cst.SimpleStatementLine
    listed: cst.BaseExpression
    key: cst.BaseExpression | None


def _find(function: Function) -> Iterator[Rewrite]:
    done: set[str] = set()
    for line in function.walk(cst.SimpleStatementLine):
        sort = _sort(function, line)
        if sort is None or not function.loops_around(line) or function.form(sort.listed) in done:
            continue
        rewrite = _queue(function, sort) or _inserted(function, sort)
        if rewrite is not None:
            done.add(function.form(sort.listed))
            yield rewrite


def _sort(function: Function, line: cst.SimpleStatementLine) -> _Sort | None:
    """`listed.sort()`, `listed = sorted(listed)`, with or without a key."""
    match sole(line):
        case cst.Expr(value=cst.Call(func=cst.Attribute(value=listed, attr=cst.Name(value="sort")), args=args)):
            rest = list(args)
        case cst.Assign(
            targets=[cst.AssignTarget(target=target)],
            value=cst.Call(func=cst.Name(value="sorted"), args=[cst.Arg(value=listed), *rest]),
        ) if function.same(target, listed):
            pass
        case _:
            return None
    match rest:
        case []:
            key = None
        case [cst.Arg(keyword=cst.Name(value="key"), value=key)]:
            pass
        case _:
            return None
    return _Sort(line=line, listed=listed, key=key) if is_simple(listed) else None


# A list that is to be in order all the time


def _inserted(function: Function, sort: _Sort) -> Rewrite | None:
    """What was sorted before stays so if a new one is put where it belongs."""
    before = next(iter(function.preceding(sort.line)), None)
    match sole(before):
        case cst.Expr(value=call):
            found = method_call(call, "append")
        case _:
            return None
    if before is None or found is None or not function.same(found[0], sort.listed):
        return None
    key = f", key={text(function, sort.key)}" if sort.key is not None else ""
    line = statements(f"insort({text(function, sort.listed)}, {text(function, found[1][0])}{key})\n")[0]
    leading = before.leading_lines if isinstance(before, cst.SimpleStatementLine) else ()
    replace: dict[cst.CSTNode, Replacement] = {
        before: line.with_changes(leading_lines=leading),
        sort.line: cst.RemoveFromParent(),
    }
    return Rewrite(replace=replace, imports=("from bisect import insort",))


# A list that the least is taken out of


def _queue(function: Function, sort: _Sort) -> Rewrite | None:
    """A list that is only sorted so that the least can be taken out is a heap."""
    loop = next((one for one in function.loops_around(sort.line) if isinstance(one, (cst.For, cst.While))), None)
    if loop is None or not isinstance(sort.listed, cst.Name) or not function.is_local(sort.listed.value):
        return None
    name = sort.listed.value
    taken, added = _moves(function, loop, name)
    if not taken or not _is_only_a_queue(function, loop, sort, [*taken, *added]):
        return None
    if sort.key is None:
        return _as_heap(sort, name, loop, function, (taken, added))
    return _as_ranked_heap(sort, name, loop, function, (taken, added))


def _moves(function: Function, loop: cst.CSTNode, name: str) -> tuple[list[cst.Call], list[cst.Call]]:
    """Where the first is taken out of the list, and where others are added."""
    taken: list[cst.Call] = []
    added: list[cst.Call] = []
    for call in function.walk(cst.Call, under=loop):
        found = method_call(call, "pop", "append")
        if found is None or not isinstance(found[0], cst.Name) or found[0].value != name:
            continue
        if method_call(call, "append"):
            added.append(call)
        elif text(function, found[1][0]) == "0":
            taken.append(call)
    return taken, added


def _is_only_a_queue(function: Function, loop: cst.CSTNode, sort: _Sort, moves: list[cst.Call]) -> bool:
    """Whether nothing else is asked of the list there and later, but whether it is empty and how long."""
    name = text(function, sort.listed)
    known = [one for move in moves for one in function.uses(name, move.func)]
    known += function.uses(name, sort.line)
    for use in function.uses(name, loop):
        parent = function.parent(use)
        tested = isinstance(parent, (cst.While, cst.If, cst.BooleanOperation, cst.UnaryOperation))
        measured = isinstance(parent, cst.Arg) and plain_call(function.parent(parent), "len") is not None
        if not (tested or measured or any(use is one for one in known)):
            return False
    earlier = {one for line in function.preceding(loop) for one in function.uses(name, line)}
    assigned = [one for one in function.walk(cst.AssignTarget, under=loop) if name in function.assigned(one)]
    inside = set(function.uses(name, loop))
    return set(function.uses(name)) <= earlier | inside and len(assigned) <= isinstance(sole(sort.line), cst.Assign)


def _as_heap(
    sort: _Sort, name: str, loop: cst.CSTNode, function: Function, moves: tuple[list[cst.Call], list[cst.Call]]
) -> Rewrite:
    taken, added = moves
    replace: dict[cst.CSTNode, Replacement] = {sort.line: cst.RemoveFromParent()}
    replace[loop] = beside(loop, before=f"heapify({name})\n")
    replace |= {call: expression(f"heappop({name})") for call in taken}
    replace |= {call: expression(f"heappush({name}, {text(function, call.args[0].value)})") for call in added}
    return Rewrite(replace=replace, imports=_imports(added))


def _imports(added: list[cst.Call]) -> tuple[str, ...]:
    used = ("heapify", "heappop", "heappush") if added else ("heapify", "heappop")
    return tuple(f"from heapq import {one}" for one in used)


def _as_ranked_heap(
    sort: _Sort, name: str, loop: cst.CSTNode, function: Function, moves: tuple[list[cst.Call], list[cst.Call]]
) -> Rewrite | None:
    """Of equal rank, the one that came first is taken first."""
    taken, added = moves
    assert sort.key is not None
    if names(function, sort.key) & function.assigned(loop) - function.assigned(sort.key):
        return None
    rank, order, one = function.fresh("rank"), function.fresh("order"), function.fresh("one")
    setup = (
        f"{rank} = {text(function, sort.key)}\n"
        f"{order} = count()\n"
        f"{name} = [({rank}({one}), next({order}), {one}) for {one} in {name}]\n"
        f"heapify({name})\n"
    )
    replace: dict[cst.CSTNode, Replacement] = {sort.line: cst.RemoveFromParent(), loop: beside(loop, before=setup)}
    replace |= {call: expression(f"heappop({name})[2]") for call in taken}
    for call in added:
        value = text(function, call.args[0].value)
        replace[call] = expression(f"heappush({name}, ({rank}({one} := {value}), next({order}), {one}))")
    used = ("heapify", "heappop", "heappush") if added else ("heapify", "heappop")
    return Rewrite(
        replace=replace, imports=("from itertools import count", *(f"from heapq import {it}" for it in used))
    )


RULE = Rule(
    name="sort-in-loop",
    summary="sorting again after each append → bisect.insort, or a heap where the first is taken out",
    unsafe="Lists that were not sorted before, or change in other ways; keys that change; values that compare oddly.",
    before="""\
def run(jobs, costs):
    queue = [(0, "start")]
    order = []
    while queue:
        queue.sort()
        at, job = queue.pop(0)
        order.append(at)
        for later in jobs.get(job, ()):
            queue.append((at + costs[later], later))
    seen = []
    for cost in costs.values():
        seen.append(cost)
        seen.sort()
        order.append(seen[len(seen) // 2])
    return order
""",
    after="""\
from bisect import insort
from heapq import heapify, heappop, heappush


def run(jobs, costs):
    queue = [(0, "start")]
    order = []
    heapify(queue)
    while queue:
        at, job = heappop(queue)
        order.append(at)
        for later in jobs.get(job, ()):
            heappush(queue, (at + costs[later], later))
    seen = []
    for cost in costs.values():
        insort(seen, cost)
        order.append(seen[len(seen) // 2])
    return order
""",
    calls=("run({}, {})", "run({'start': ['b', 'a'], 'a': ['c'], 'b': ['c', 'd']}, dict(a=3, b=1, c=4, d=1))"),
    find=_find,
)
