"""A regular expression that asks what kind of character one is."""

from __future__ import annotations

import string
from typing import TYPE_CHECKING

import libcst as cst

from bakeoff.sources.rules.catalogue._shapes import known_text, sole, text
from bakeoff.sources.rules.rewriting import Function, Rewrite, Rule, expression, path_of

if TYPE_CHECKING:
    from collections.abc import Iterator

# What variables are called that hold one character.
_SINGLE = frozenset({"c", "ch", "char", "character", "letter", "digit", "symbol"})
# What escapes stand for in a class, asked of a character.
_KINDS = {"s": "{}.isspace()", "d": "{}.isdecimal()", "w": '{}.isalnum() or {} == "_"'}
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r", "f": "\f", "v": "\v"}
_MOST = 200
_TESTS = (cst.If, cst.IfExp, cst.While, cst.CompIf)


def _find(function: Function) -> Iterator[Rewrite]:
    names: dict[str, str] = {}
    for call in function.walk(cst.Call):
        found = _asked(function, call)
        if found is None or not _is_test(function, call):
            continue
        value, members, kinds = found
        code = text(function, value)
        tests = [_KINDS[kind].format(code, code) for kind in kinds]
        above: tuple[str, ...] = ()
        if members:
            name = names.get(members) or function.fresh(f"_{function.node.name.value.strip('_').upper()}_CHARACTERS")
            names[members] = name
            tests.insert(0, f"{code} in {name}")
            above = (f"{name} = frozenset({_quoted(members)})\n",)
        yield Rewrite(replace={call: expression(f"({' or '.join(tests)})")}, above=above)


def _asked(function: Function, call: cst.Call) -> tuple[cst.BaseExpression, str, str] | None:
    """What is asked about, the characters that are looked for, and the kinds of them."""
    path = path_of(call.func) or ""
    owner, _, method = path.rpartition(".")
    if method not in {"match", "fullmatch", "search"} or any(arg.star or arg.keyword for arg in call.args):
        return None
    pattern, value = None, call.args[-1].value if call.args else None
    if owner == "re" and len(call.args) == 2:
        pattern = known_text(function, call.args[0].value)
    elif owner != "re" and len(call.args) == 1:
        pattern = _compiled(function, owner)
    members = _members(pattern.removeprefix("^").removesuffix("$")) if pattern is not None else None
    return (value, *members) if value is not None and members is not None and _is_character(value) else None


def _compiled(function: Function, name: str) -> str | None:
    """The pattern that a name of the module was compiled of."""
    for line in function.module.body:
        match sole(line):
            case cst.Assign(
                targets=[cst.AssignTarget(target=cst.Name(value=given))],
                value=cst.Call(args=[cst.Arg() as arg]) as call,
            ) if given == name and path_of(call.func) == "re.compile":
                return known_text(function, arg.value)
    return None


def _is_character(node: cst.BaseExpression) -> bool:
    return isinstance(node, cst.Name) and node.value in _SINGLE


def _members(pattern: str) -> tuple[str, str] | None:
    r"""The characters and the kinds of `[a-z_\s]`; None of any other pattern."""
    if len(pattern) == 2 and pattern[0] == "\\" and pattern[1] in _KINDS:
        return "", pattern[1]
    if len(pattern) < 3 or pattern[0] != "[" or pattern[-1] != "]" or pattern[1] in "^]":
        return None
    found: list[str] = []
    kinds = ""
    rest = pattern[1:-1]
    while rest:
        one, rest = _first(rest)
        if one is None or one in {"[", "]"}:
            return None
        if len(one) == 2:
            kinds += one[1]
        elif len(rest) > 1 and rest[0] == "-":
            last, rest = _first(rest[1:])
            if last is None or len(last) != 1 or not 0 <= ord(last) - ord(one) < _MOST:
                return None
            found += map(chr, range(ord(one), ord(last) + 1))
        else:
            found.append(one)
    return "".join(dict.fromkeys(found)), "".join(dict.fromkeys(kinds))


def _first(rest: str) -> tuple[str | None, str]:
    """The first character of a class, or a kind as it is written; None where that is something else."""
    if rest[0] != "\\":
        return rest[0], rest[1:]
    letter = rest[1:2]
    if letter in _KINDS:
        return rest[:2], rest[2:]
    if letter in _ESCAPED or letter in string.punctuation:
        return _ESCAPED.get(letter, letter) or None, rest[2:]
    return None, rest[2:]


def _is_test(function: Function, node: cst.CSTNode) -> bool:
    """Whether it matters only that something was found."""
    below = node
    for around in function.ancestors(node):
        if isinstance(around, cst.BooleanOperation) or (
            isinstance(around, cst.UnaryOperation) and isinstance(around.operator, cst.Not)
        ):
            below = around
            continue
        return isinstance(around, _TESTS) and around.test is below
    return False


def _quoted(value: str) -> str:
    return '"' + repr("'" + value)[2:-1].replace('\\"', '"').replace('"', '\\"') + '"'


RULE = Rule(
    name="text-char-class",
    summary="re.match with a class of characters, for a single one → membership and methods of the character",
    unsafe="What is called a character is a longer text.",
    before="""\
import re


def slug(title):
    found = []
    for char in title.lower():
        if re.match(r"[a-e0-3]", char):
            found.append(char)
        elif re.match(r"[\\s_-]", char) and found:
            found.append("-")
    return "".join(found)
""",
    after="""\
import re


_SLUG_CHARACTERS = frozenset("abcde0123")
_SLUG_CHARACTERS_2 = frozenset("_-")


def slug(title):
    found = []
    for char in title.lower():
        if (char in _SLUG_CHARACTERS):
            found.append(char)
        elif (char in _SLUG_CHARACTERS_2 or char.isspace()) and found:
            found.append("-")
    return "".join(found)
""",
    calls=("slug('A b_c-D\\t0 9')", "slug('')"),
    find=_find,
)
