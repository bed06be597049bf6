"""Calls of functions of `re`: which of their arguments are flags."""

from __future__ import annotations

import libcst as cst

from bakeoff.sources.rules.rewriting import path_of

# How many arguments come after the pattern; flags are the one behind them.
ARGUMENTS = {"match": 1, "fullmatch": 1, "search": 1, "findall": 1, "finditer": 1, "split": 2, "sub": 3, "subn": 3}


def without_flags(call: cst.Call, called: str) -> tuple[cst.Arg | None, list[cst.Arg]]:
    """The flags, and the arguments that a method of the pattern takes."""
    flags: cst.Arg | None = None
    rest: list[cst.Arg] = []
    for number, argument in enumerate(call.args[1:]):
        is_flags = argument.keyword is None and number == ARGUMENTS.get(called, 0)
        if is_flags or (argument.keyword is not None and argument.keyword.value == "flags"):
            flags = argument
        else:
            rest.append(argument)
    return flags, rest


def are_flags(node: cst.BaseExpression) -> bool:
    """`re.ASCII`, or several of these."""
    match node:
        case cst.Attribute():
            return (path_of(node) or "").startswith("re.")
        case cst.BinaryOperation(left=left, operator=cst.BitOr(), right=right):
            return are_flags(left) and are_flags(right)
    return False
