"""Questions that are asked again and again: a call as a function of what changes from one time to the next."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import libcst as cst

from bakeoff.sources.rules.catalogue._helpers import can_be_key, depends_on_changes, is_hashable, is_work
from bakeoff.sources.rules.catalogue._shapes import above_loops, constant, is_simple, is_steady, names, swapped, text
from bakeoff.sources.rules.rewriting import path_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from bakeoff.sources.rules.rewriting import Function

__all__ = ["Asker", "Question", "repeated", "stays_after"]

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
    """Finds the questions of a function, and of those that it calls."""

    def __init__(self, function: Function, helpers: dict[str, cst.FunctionDef]) -> None:
        self._function = function
        self._helpers = helpers
        self._methods = _methods(function)

    def question(
        self, call: cst.Call, place: cst.BaseStatement, same: Callable[[cst.BaseExpression], str | None]
    ) -> Question | None:
        """What a call asks; None where the answer may be another one next time, or cannot be kept. `same` gives the
        text of what stays the same, None for all else."""
        name = text(self._function, call.func)
        helper = self._helpers.get(name)
        if helper is not None:
            return self._of_helper(call, helper, place, same)
        if name in _LIBRARY and call.args and not any(arg.star for arg in call.args):
            return self._made(call, name, same)
        match call.func:
            case cst.Attribute(value=receiver, attr=cst.Name(value=method)) if method in self._methods:
                if is_simple(receiver) and text(self._function, receiver) not in {"self", "cls"}:
                    return self._of_method(call, receiver, self._methods[method], place, same)
        return None

    def _of_helper(
        self,
        call: cst.Call,
        helper: cst.FunctionDef,
        place: cst.BaseStatement,
        same: Callable[[cst.BaseExpression], str | None],
    ) -> Question | None:
        function = self._function
        if not call.args or not is_work(function, helper) or depends_on_changes(function, helper, place):
            return None
        changing = [arg for arg in call.args if not constant(arg.value) and same(arg.value) is None]
        whole = [arg for arg in changing if not isinstance(arg.value, _DISPLAYS)]
        if any(arg.star and arg in whole for arg in call.args):
            return None
        if not all(can_be_key(function, call, arg, helper) for arg in whole):
            return None
        return self._made(call, text(function, call.func), same)

    def _of_method(
        self,
        call: cst.Call,
        receiver: cst.BaseExpression,
        method: cst.FunctionDef,
        place: cst.BaseStatement,
        same: Callable[[cst.BaseExpression], str | None],
    ) -> Question | None:
        function = self._function
        read = {one.attr.value for one in function.walk(cst.Attribute, under=method.body)}
        given = [one.target for one in function.walk(cst.AssignTarget, cst.AugAssign, under=place)]
        if (
            read & {one.attr.value for one in given if isinstance(one, cst.Attribute)}
            or any(arg.star for arg in call.args)
            or not is_work(function, method)
        ):
            return None
        if not all(constant(arg.value) or can_be_key(function, call, arg, method) for arg in call.args):
            return None
        return self._made(call, text(function, call.func), same, receiver)

    def _made(
        self,
        call: cst.Call,
        name: str,
        same: Callable[[cst.BaseExpression], str | None],
        receiver: cst.BaseExpression | None = None,
    ) -> Question | None:
        function = self._function
        swaps: dict[cst.CSTNode, cst.CSTNode] = {}
        changing: list[str] = []
        parts = [receiver] if receiver is not None else []
        values = [arg.value for arg in call.args]
        for part in _parts([*parts, *values]):
            code = text(function, part)
            known = code if constant(part) else same(part)
            if known is None:
                changing += [code] if code not in changing else []
                swaps[part] = cst.Name(_LETTERS[changing.index(code)])
            elif known != code:
                swaps[part] = cst.parse_expression(known)
            if len(changing) == len(_LETTERS):
                return None
        if receiver is not None and receiver not in swaps:
            return None
        is_plain = receiver is None and not any(arg.star for arg in call.args)
        is_whole = is_plain and len(changing) == len(values) and all(one in swaps for one in values)
        head = f"lambda {', '.join(_LETTERS[: len(changing)])}" if changing else "lambda"
        made = name if is_whole else f"{head}: {text(function, swapped(call, swaps))}"
        hint = f"cached_{name.rpartition('.')[2].strip('_').lower()}"
        return Question(call=call, made=made, changing=tuple(changing), hint=hint, is_whole=is_whole)


_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_DISPLAYS = (cst.List, cst.Tuple, cst.Set, cst.Dict)


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
