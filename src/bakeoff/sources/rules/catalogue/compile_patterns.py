"""Patterns that are written out in a function are compiled when the module is imported."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from bakeoff.sources.rules.catalogue._patterns import ARGUMENTS, are_flags, without_flags
from bakeoff.sources.rules.rewriting import Rewrite, Rule, expression, path_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bakeoff.sources.rules.rewriting import Function


def _find(function: Function) -> Iterator[Rewrite]:
    names: dict[str, tuple[str, str]] = {}
    for call in function.walk(cst.Call):
        path = path_of(call.func) or ""
        module, _, called = path.partition(".")
        if module not in {"re", "regex"} or called not in {*ARGUMENTS, "compile"}:
            continue
        if not call.args or any(arg.star for arg in call.args) or not _is_constant(call.args[0]):
            continue
        flags, rest = without_flags(call, called)
        if flags is not None and not are_flags(flags.value):
            continue
        pattern = function.code(call.args[0].value)
        compiled = f"{module}.compile({pattern}" + (f", {function.code(flags.value)})" if flags is not None else ")")
        if compiled not in names:
            name = function.fresh("_" + function.node.name.value.strip("_").upper() + "_PATTERN")
            names[compiled] = name, f"{name} = {compiled}\n"
        name, above = names[compiled]
        arguments = ", ".join(function.code(arg.with_changes(comma=cst.MaybeSentinel.DEFAULT)) for arg in rest)
        text = name if called == "compile" else f"{name}.{called}({arguments})"
        yield Rewrite(replace={call: expression(text)}, above=(above,))


def _is_constant(argument: cst.Arg) -> bool:
    match argument:
        case cst.Arg(keyword=None, value=cst.SimpleString()):
            return True
        case cst.Arg(keyword=None, value=cst.ConcatenatedString(left=cst.SimpleString(), right=cst.SimpleString())):
            return True
    return False


RULE = Rule(
    name="compile-patterns",
    summary="regular expressions written out in a function → compiled once, for the module",
    unsafe="A pattern that is wrong fails when the module is imported; who replaces re.search for a test is not asked.",
    before="""\
import re


def amounts(lines):
    return [re.sub("[€ ]", "", line) for line in lines if re.search(r"\\d", line, re.ASCII)]
""",
    after="""\
import re


_AMOUNTS_PATTERN = re.compile("[€ ]")
_AMOUNTS_PATTERN_2 = re.compile(r"\\d", re.ASCII)


def amounts(lines):
    return [_AMOUNTS_PATTERN.sub("", line) for line in lines if _AMOUNTS_PATTERN_2.search(line)]
""",
    calls=("amounts(['1 €', 'x', '2', ''])", "amounts([])"),
    find=_find,
)
