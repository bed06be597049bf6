"""A function that calls itself more than once often works out the same again and again."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from bakeoff.sources.rules.catalogue._keys import Sign, signs_of_argument
from bakeoff.sources.rules.catalogue._recursion import Recursion, recursion_of, split
from bakeoff.sources.rules.rewriting import Rewrite, Rule, path_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bakeoff.sources.rules.rewriting import Function

_CACHES = frozenset({"cache", "lru_cache", "memo", "memoize", "memoise", "cached", "cached_property"})


def _find(function: Function) -> Iterator[Rewrite]:
    recursion = recursion_of(function)
    if recursion is None or len(recursion.calls) < 2 or _is_cached(function):
        return
    if _is_a_function(function, recursion.names) and _are_keys(function, recursion):
        yield Rewrite(replace={function.node.body: _kept(function, recursion)})


def _kept(function: Function, recursion: Recursion) -> cst.BaseSuite:
    """With a dict, and not `lru_cache`, which needs as much of the stack again: deep recursion would end early."""
    memo, result = function.fresh("memo"), function.fresh("result")
    [only, *others] = recursion.varying
    is_itself = not others and only not in function.assigned(function.node.body)
    key = only if is_itself else function.fresh("key")

    def give(value: cst.BaseExpression) -> str:
        code = function.code(value)
        if isinstance(value, (cst.Name, cst.Integer, cst.SimpleString)):
            return f"return {code}\n"
        return f"{memo}[{key}] = {result} = {code}\nreturn {result}\n"

    begin = "" if is_itself else f"{key} = {', '.join(recursion.varying)}\n"
    begin += f"if {key} in {memo}:\n    return {memo}[{key}]\n"
    return split(function, recursion, first=f"{memo} = {{}}\n", begin=begin, give=give)


def _is_cached(function: Function) -> bool:
    words = {name.value.lower() for name in function.walk(cst.Name)}
    return not _CACHES.isdisjoint(words)


def _are_keys(function: Function, recursion: Recursion) -> bool:
    """Whether nothing speaks against keeping results by what changes from call to call."""
    changing = [name for name in recursion.names if name in recursion.varying]
    given = [
        (call, arg)
        for call in recursion.calls
        for number, arg in enumerate(call.args)
        if recursion.names[number] in changing
    ]
    return not any(Sign.UNFIT in signs_of_argument(function, call, arg, function.node) for call, arg in given)


def _is_a_function(function: Function, names: list[str]) -> bool:
    """Whether what it gives seems to depend on its arguments alone, and nothing is done to them or to others."""
    body = function.node.body
    if any(isinstance(node, (cst.Yield, cst.Global, cst.Nonlocal)) for node in function.own()):
        return False
    returned = [node for node in function.own() if isinstance(node, cst.Return)]
    if not returned or any(node.value is None for node in returned):
        return False
    own = {*names, "self", "cls"}
    changed = [path for path in function.changed(body) if path.partition(".")[0] in own]
    if any(path not in function.assigned(body) or function.mutated(path, body) for path in changed):
        return False
    alone = [node.value for node in function.own() if isinstance(node, cst.Expr) and isinstance(node.value, cst.Call)]
    return all(function.is_local((path_of(call.func) or "").partition(".")[0]) for call in alone)


RULE = Rule(
    name="memoise-recursion",
    summary="recursion that meets the same arguments again → what was found is kept until the outermost call ends",
    unsafe="Arguments have to be hashable; 1, 1.0 and True count as one; what is given twice is the same object.",
    before='''\
def ways(coins, amount, first=0):
    """In how many ways an amount can be paid."""
    if amount == 0:
        return 1
    if amount < 0 or first == len(coins):
        return 0
    return ways(coins, amount - coins[first], first) + ways(coins, amount, first + 1)
''',
    after='''\
def ways(coins, amount, first=0):
    """In how many ways an amount can be paid."""
    memo = {}

    def ways_of(amount, first=0):
        key = amount, first
        if key in memo:
            return memo[key]
        if amount == 0:
            return 1
        if amount < 0 or first == len(coins):
            return 0
        memo[key] = result = ways_of(amount - coins[first], first) + ways_of(amount, first + 1)
        return result

    return ways_of(amount, first)
''',
    calls=("ways([1, 2, 5], 30)", "ways([], 3)"),
    find=_find,
)
