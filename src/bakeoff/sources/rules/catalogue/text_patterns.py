"""Patterns that are looked up again at each use, since they are not written where they are used."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from bakeoff.sources.rules.catalogue._shapes import above_loops, constant, hint, text
from bakeoff.sources.rules.rewriting import Function, Replacement, Rewrite, Rule, beside, expression, target_names

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bakeoff.sources.rules.rewriting import Comprehension

_METHODS = frozenset({"match", "fullmatch", "search", "findall", "finditer", "split", "sub", "subn"})


def _find(function: Function) -> Iterator[Rewrite]:
    names: dict[str, str] = {}
    hoisted: dict[tuple[cst.BaseStatement, str], list[cst.Call]] = {}
    for call in function.walk(cst.Call):
        pattern = _pattern(call)
        if pattern is None:
            continue
        table = _table(function, call, pattern) if isinstance(pattern, cst.Name) else None
        if table is not None:
            above = f"@ = {{{text(function, pattern)}: re.compile({text(function, pattern)}) for {table}}}\n"
            name = names.get(above) or function.fresh(f"_{function.node.name.value.strip('_').upper()}_PATTERNS")
            names[above] = name
            made = _call(function, call, f"{name}[{text(function, pattern)}]")
            yield Rewrite(replace={call: made}, above=(above.replace("@", name, 1),))
            continue
        place = above_loops(function, call, pattern)
        if place is not None:
            hoisted.setdefault((place, text(function, pattern)), []).append(call)
    for (place, pattern_code), calls in hoisted.items():
        name = function.fresh(hint(calls[0].args[0].value, "compiled"))
        replace: dict[cst.CSTNode, Replacement] = {call: _call(function, call, name) for call in calls}
        replace[place] = beside(place, before=f"{name} = re.compile({pattern_code})\n")
        yield Rewrite(replace=replace)


def _pattern(call: cst.Call) -> cst.BaseExpression | None:
    """The pattern of `re.match(pattern, text)`, which is no literal, and without flags."""
    match call:
        case cst.Call(
            func=cst.Attribute(value=cst.Name(value="re"), attr=cst.Name(value=method)),
            args=[cst.Arg(value=pattern, keyword=None), *rest],
        ) if method in _METHODS and len(rest) == (2 if method in {"sub", "subn"} else 1):
            plain = not any(arg.star or arg.keyword is not None for arg in call.args)
            joined = isinstance(pattern, cst.ConcatenatedString)
            return pattern if plain and not joined and not constant(pattern) else None
    return None


def _call(function: Function, call: cst.Call, compiled: str) -> cst.BaseExpression:
    assert isinstance(call.func, cst.Attribute)
    arguments = ", ".join(text(function, arg.value) for arg in call.args[1:])
    return expression(f"{compiled}.{call.func.attr.value}({arguments})")


def _table(function: Function, call: cst.Call, pattern: cst.Name) -> str | None:
    """`name, pattern in TABLE`, for the loop that the pattern comes from, if that goes through a constant of the module
    above."""
    for loop in function.loops_around(call):
        part: cst.For | cst.CompFor
        for part in _parts(loop):
            if pattern.value not in target_names(part.target):
                continue
            source = part.iter
            if isinstance(source, cst.Call) and isinstance(source.func, cst.Attribute) and not source.args:
                is_view = source.func.attr.value in {"items", "keys", "values"}
                source = source.func.value if is_view else source
            known = isinstance(source, cst.Name) and _is_table(function, source.value)
            return f"{text(function, part.target).strip('()')} in {text(function, part.iter)}" if known else None
        if not isinstance(loop, cst.While) and pattern.value in function.assigned(loop):
            return None
    return None


def _parts(loop: cst.For | cst.While | Comprehension) -> Iterator[cst.For | cst.CompFor]:
    if isinstance(loop, cst.For):
        yield loop
    elif not isinstance(loop, cst.While):
        part: cst.CompFor | None = loop.for_in
        while part is not None:
            yield part
            part = part.inner_for_in


def _is_table(function: Function, name: str) -> bool:
    """Whether a name is given a collection that is written out, once, above the function."""
    if function.is_local(name):
        return False
    for line in function.module.body:
        if any(one is function.node for one in function.walk(cst.FunctionDef, under=line)):
            return False
        match line:
            case cst.SimpleStatementLine(
                body=[
                    cst.Assign(targets=[cst.AssignTarget(target=cst.Name(value=given))], value=value)
                    | cst.AnnAssign(target=cst.Name(value=given), value=value)
                ]
            ) if given == name:
                return isinstance(value, (cst.List, cst.Tuple, cst.Dict))
    return False


RULE = Rule(
    name="text-patterns",
    summary="patterns from a table or a variable, used in a loop → compiled once",
    unsafe="The table is changed later; a pattern that is wrong fails before it is used, or though it is not.",
    before="""\
import re

KINDS = [("number", r"\\d+"), ("name", r"\\w+")]


def kinds(texts, wanted):
    found = []
    for text in texts:
        if re.fullmatch(wanted, text):
            for kind, pattern in KINDS:
                if re.match(pattern, text):
                    found.append((kind, re.sub(wanted, "-", text)))
    return found
""",
    after="""\
import re

KINDS = [("number", r"\\d+"), ("name", r"\\w+")]


_KINDS_PATTERNS = {pattern: re.compile(pattern) for kind, pattern in KINDS}


def kinds(texts, wanted):
    found = []
    wanted_compiled = re.compile(wanted)
    for text in texts:
        if wanted_compiled.fullmatch(text):
            for kind, pattern in KINDS:
                if _KINDS_PATTERNS[pattern].match(text):
                    found.append((kind, wanted_compiled.sub("-", text)))
    return found
""",
    calls=("kinds(['12', 'a1', '-', ' '], '[a-z0-9]+')", "kinds([], '.')"),
    find=_find,
)
