"""Questions that are asked again and again: a call as a function of what changes from one time to the next."""

from __future__ import annotations

import string
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import libcst as cst

from bakeoff.sources.rules.catalogue._callees import depends_on_changes, helpers_of, is_long, is_work
from bakeoff.sources.rules.catalogue._keys import Sign, is_hashable, signs, signs_of_argument
from bakeoff.sources.rules.catalogue._shapes import (
    above_loops,
    constant,
    is_simple,
    is_steady,
    names,
    on_one_line,
    swapped,
    text,
)
from bakeoff.sources.rules.rewriting import path_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from bakeoff.sources.rules.rewriting import Function

__all__ = ["Asker", "Question", "is_once", "repeated", "stays_after"]

# Functions of the standard library that take long to make a value of others, which nobody can change.
_LIBRARY = frozenset(
    "ipaddress.ip_network ipaddress.ip_address ipaddress.ip_interface unicodedata.normalize urllib.parse.urlsplit "  # noqa: SIM905
    "urllib.parse.urlparse urllib.parse.quote urllib.parse.unquote urlsplit urlparse unquote html.unescape "
    "posixpath.normpath os.path.normpath PurePath PurePosixPath pathlib.PurePath pathlib.PurePosixPath uuid.UUID "
    "Fraction fractions.Fraction textwrap.dedent inspect.cleandoc calendar.monthrange fnmatch.translate "
    "locale.format_string ip_network ip_address ip_interface re.escape".split()
)
_OF_BUILTINS = frozenset(name for kind in (str, bytes, list, dict, set, tuple) for name in dir(kind))
# What calls the functions that it is given again and again.
_CALLERS = frozenset({"sorted", "sort", "min", "max", "map", "filter", "groupby", "reduce", "cmp_to_key", "nsmallest"})


Same: TypeAlias = "Callable[[cst.BaseExpression], str | None]"
"""Gives the text of what stays the same, None for all else."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A call, and a lambda that answers such: `made`, or the function itself where nothing stays the same. `changing`
    is what it is asked with, `hint` the beginning of a name for its cache."""

    call: cst.Call
    made: str
    changing: tuple[str, ...]
    hint: str
    is_whole: bool


class Asker:
    """Finds the questions of a function, and of those that it calls. What is asked only `once` for each thing is worth
    keeping for texts and numbers, of which there are many alike, and not for objects."""

    def __init__(self, function: Function, *, once: Callable[[cst.Call], bool]) -> None:
        self._function = function
        self._helpers = helpers_of(function)
        self._methods = _methods(function)
        self._is_asked_once = once

    def question(self, call: cst.Call, place: cst.BaseStatement, same: Same) -> Question | None:
        """What a call asks; None where the answer may be another one next time, or cannot be kept."""
        name = text(self._function, call.func)
        helper = self._helpers.get(name)
        if helper is not None:
            return self._of_helper(call, helper, place, same)
        if name in _LIBRARY and call.args and not any(arg.star for arg in call.args):
            is_unfit = any(Sign.UNFIT in signs(self._function, arg.value) for arg in call.args)
            return None if is_unfit else self._made(call, same)
        match call.func:
            case cst.Attribute(value=receiver, attr=cst.Name(value=method)) if method in self._methods:
                if is_simple(receiver) and text(self._function, receiver) not in {"self", "cls"}:
                    return self._of_method(call, receiver, self._methods[method], place, same)
        return None

    def _of_helper(
        self, call: cst.Call, helper: cst.FunctionDef, place: cst.BaseStatement, same: Same
    ) -> Question | None:
        function = self._function
        if not call.args or not is_work(function, helper) or depends_on_changes(function, helper, place):
            return None
        unsure = self._unsure(call, helper, same)
        return self._made(call, same, unsure=unsure) if unsure is not None else None

    def _of_method(
        self,
        call: cst.Call,
        receiver: cst.BaseExpression,
        method: cst.FunctionDef,
        place: cst.BaseStatement,
        same: Same,
    ) -> Question | None:
        function = self._function
        read = {one.attr.value for one in function.walk(cst.Attribute, under=method.body)}
        given = [one.target for one in function.walk(cst.AssignTarget, cst.AugAssign, under=place)]
        unsure = self._unsure(call, method, same)
        if (
            unsure is None
            or self._is_asked_once(call)
            or read & {one.attr.value for one in given if isinstance(one, cst.Attribute)}
            or not is_work(function, method)
        ):
            return None
        return self._made(call, same, receiver, unsure=unsure)

    def _unsure(self, call: cst.Call, helper: cst.FunctionDef, same: Same) -> list[cst.BaseExpression] | None:
        """Those of the things that change which are keys for a cache only together with how they are written; None
        where some cannot be."""
        unsure = []
        for arg in call.args:
            if same(arg.value) is not None:
                continue
            if arg.star and not isinstance(arg.value, cst.Dict):
                return None
            for part in _parts([arg.value]):
                if constant(part) or same(part) is not None:
                    continue
                found = self._signs(call, arg, part, helper)
                if Sign.UNFIT in found or (Sign.EXACT not in found and self._is_asked_once(call)):
                    return None
                if not found and not is_long(self._function, helper):
                    return None
                unsure += [] if found else [part]
        return unsure

    def _signs(self, call: cst.Call, arg: cst.Arg, part: cst.BaseExpression, helper: cst.FunctionDef) -> set[Sign]:
        if part is arg.value:
            return signs_of_argument(self._function, call, arg, helper)
        return signs(self._function, part)

    def _made(
        self,
        call: cst.Call,
        same: Same,
        receiver: cst.BaseExpression | None = None,
        unsure: Sequence[cst.BaseExpression] = (),
    ) -> Question | None:
        function = self._function
        swaps: dict[cst.CSTNode, cst.CSTNode] = {}
        changing: dict[str, str] = {}
        parts = [receiver] if receiver is not None else []
        values = [arg.value for arg in call.args]
        for part in _parts([*parts, *values]):
            code = text(function, part)
            known = code if constant(part) else same(part)
            if known is None:
                swaps[part] = cst.Name(changing.setdefault(code, _letter(len(changing))))
            elif known != code:
                swaps[part] = cst.parse_expression(known)
        if receiver is not None and receiver not in swaps:
            return None
        # 0.0 and -0.0, or 1 and True in a tuple, are written differently, though they are equal.
        written = dict.fromkeys(f"repr({text(function, part)})" for part in unsure)
        changing |= {code: f"_{_letter(number)}" for number, code in enumerate(written)}
        name = text(function, call.func)
        is_plain = receiver is None and not written and not any(arg.star for arg in call.args)
        is_whole = is_plain and len(changing) == len(values) and all(one in swaps for one in values)
        head = f"lambda {', '.join(changing.values())}" if changing else "lambda"
        made = name if is_whole else f"{head}: {on_one_line(function, swapped(call, swaps))}"
        hint = f"cached_{name.rpartition('.')[2].strip('_').lower()}"
        return Question(call=call, made=made, changing=tuple(changing), hint=hint, is_whole=is_whole)


def _letter(number: int) -> str:
    return string.ascii_lowercase[number] if number < len(string.ascii_lowercase) else f"a{number}"


def _parts(nodes: Sequence[cst.BaseExpression]) -> Iterator[cst.BaseExpression]:
    """The expressions, and for collections that are written out what is in them."""
    for node in nodes:
        match node:
            case cst.List(elements=elements) | cst.Tuple(elements=elements) | cst.Set(elements=elements):
                yield from _parts([one.value for one in elements])
            case cst.Dict(elements=pairs):
                for one in pairs:
                    yield from _parts([one.key] if isinstance(one, cst.DictElement) else [])
                    yield from _parts([one.value])
            case _:
                yield node


def _methods(function: Function) -> dict[str, cst.FunctionDef]:
    """The methods that only one class of the module has, whose instances can be kept in a dict."""
    found: dict[str, list[cst.FunctionDef | None]] = {}
    for node in function.module.body:
        if isinstance(node, cst.ClassDef) and isinstance(node.body, cst.IndentedBlock):
            for one in node.body.body:
                if isinstance(one, cst.FunctionDef):
                    fit = not one.decorators and is_hashable(node) and one is not function.node
                    found.setdefault(one.name.value, []).append(one if fit else None)
    return {
        name: every[0]
        for name, every in found.items()
        if len(every) == 1 and every[0] is not None and name not in _OF_BUILTINS and not name.startswith("__")
    }


# Where something is asked again and again


def repeated(function: Function, node: cst.CSTNode, *steady: cst.CSTNode) -> cst.BaseStatement | None:
    """The statement before which something can be made for a node that is run again and again: by a loop, or as part of
    a function within, which is called again and again."""
    place = above_loops(function, node, *steady)
    if place is not None:
        return place
    inner = next((one for one in function.ancestors(node) if isinstance(one, cst.FunctionDef)), None)
    if inner is None or inner is function.node or not _is_called_often(function, inner):
        return None
    place = function.statement(inner)
    fits = place is inner and all(stays_after(function, one, place) for one in steady)
    return place if fits else None


def is_once(function: Function, call: cst.Call) -> bool:
    """Whether it is made once only for each thing that a loop goes through: there is no other loop around it."""
    inner = next((one for one in function.ancestors(call) if isinstance(one, (cst.FunctionDef, cst.Lambda))), None)
    return len(function.loops_around(call)) < 2 and (inner is None or inner is function.node)


def _is_called_often(function: Function, inner: cst.FunctionDef) -> bool:
    """Whether it is handed to what calls it again and again, or called by a loop."""
    for use in function.uses(inner.name.value):
        parent = function.parent(use)
        match parent:
            case cst.Arg():
                call = function.parent(parent)
                called = path_of(call.func) if isinstance(call, cst.Call) else None
                if (called or "").rpartition(".")[2] in _CALLERS:
                    return True
            case cst.Call() if function.loops_around(parent):
                return True
    return False


def stays_after(function: Function, node: cst.CSTNode, place: cst.BaseStatement) -> bool:
    """Whether an expression has the same value in a statement; if that makes a function, also in all that follows."""
    if not isinstance(place, cst.FunctionDef):
        return is_steady(function, node, place)
    if names(function, node) & set(_parameters(place)):
        return False
    return all(is_steady(function, node, one) for one in (place, *function.following(place)))


def _parameters(inner: cst.FunctionDef) -> Iterator[str]:
    params = inner.params
    for one in (*params.posonly_params, *params.params, *params.kwonly_params):
        yield one.name.value
