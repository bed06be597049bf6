"""The functions that a function can call, of its own module, and whether they look like mere work."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from bakeoff.sources.rules.catalogue._shapes import bindings, changed, changed_by, text
from bakeoff.sources.rules.rewriting import READING_METHODS, path_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bakeoff.sources.rules.rewriting import Function

__all__ = ["depends_on_changes", "helpers_of", "is_costly", "is_long", "is_work", "properties_of"]

# Names of what has effects, or is another thing each time.
_EFFECTS = frozenset(
    "print open input next setattr delattr exec eval globals random time os sys log logger logging"  # noqa: SIM905
    " warnings uuid secrets subprocess socket threading".split()
)
_CHANGES = frozenset(
    "add append clear discard extend insert pop popitem popleft push put remove reverse setdefault sort update write"  # noqa: SIM905
    " writelines now today utcnow".split()
)
# What costs nothing, or is used up by who goes through it.
_CHEAP = frozenset(
    "len isinstance issubclass type id callable hasattr bool slice range map filter zip enumerate reversed".split()  # noqa: SIM905
)
_USED_UP = frozenset({"finditer", "keys", "values", "items", "start", "end", "span", "startswith", "endswith"})
_UNFIT = (cst.Global, cst.Nonlocal, cst.Yield, cst.Await)
_LOOPS = (cst.For, cst.While, cst.ListComp, cst.SetComp, cst.DictComp, cst.GeneratorExp)


def helpers_of(function: Function) -> dict[str, cst.FunctionDef]:
    """The functions that can be called here, by the text they are called by: those of the module and of the class."""
    found = {one.name.value: one for one in (*_functions(function.module.body), *_functions(function.node.body.body))}
    if function.is_method:
        body = function.parent(function.node)
        methods = _functions(body.body) if isinstance(body, cst.IndentedBlock) else ()
        found |= {f"self.{one.name.value}": one for one in methods}
    return {name: one for name, one in found.items() if one is not function.node and not one.decorators}


def _functions(body: object) -> Iterator[cst.FunctionDef]:
    if isinstance(body, (list, tuple)):
        yield from (one for one in body if isinstance(one, cst.FunctionDef))


def is_work(function: Function, helper: cst.FunctionDef) -> bool:
    """Whether it looks like work, whose result is a value that depends on the arguments alone."""
    if helper.asynchronous is not None or any(True for _ in function.walk(*_UNFIT, under=helper)):
        return False
    returns = any(one.value is not None for one in function.walk(cst.Return, under=helper))
    calls = any(path_of(call.func) not in _CHEAP for call in function.walk(cst.Call, under=helper.body))
    return returns and (calls or is_long(function, helper)) and not _has_effects(function, helper)


def is_long(function: Function, helper: cst.FunctionDef) -> bool:
    """Whether it goes through something."""
    return any(True for _ in function.walk(*_LOOPS, under=helper.body))


def _has_effects(function: Function, helper: cst.FunctionDef) -> bool:
    """Whether it changes, as far as one can see, what it was given or what is outside of it."""
    own = function.assigned(helper.body) - function.assigned(helper.params)
    for node in function.walk(under=helper.body):
        if any(not isinstance(one, cst.Name) and _root(one) not in own for one in bindings(node)):
            return True
        match node:
            case cst.Call(func=cst.Name(value="next"), args=[cst.Arg(value=cst.GeneratorExp()), *_]):
                continue
            case cst.Call(func=cst.Name(value=name)) if name in _EFFECTS or any(changed_by(function, name)):
                return True
            case cst.Call(func=cst.Attribute(value=receiver, attr=cst.Name(value=method))):
                root = _root(receiver)
                if root in _EFFECTS or (method in _CHANGES and root not in own):
                    return True
    return False


def _root(node: cst.CSTNode) -> str:
    while isinstance(node, (cst.Attribute, cst.Subscript)):
        node = node.value
    return node.value if isinstance(node, cst.Name) else ""


def is_costly(function: Function, node: cst.BaseExpression, helpers: dict[str, cst.FunctionDef]) -> bool:
    """Whether it gives the same again while nothing changes, and takes longer than looking at a variable."""
    match node:
        case cst.Attribute():
            return function.is_pure(node.value)
        case cst.Call(func=cst.Name(value=name)) if name not in helpers:
            return name not in _CHEAP and function.is_pure(node)
        case cst.Call(func=cst.Attribute(attr=cst.Name(value=name))) if name in READING_METHODS - _USED_UP:
            return function.is_pure(node)
        case cst.Call(args=[_, *_]):
            helper = helpers.get(text(function, node.func))
            pure = all(function.is_pure(arg.value) for arg in node.args)
            return helper is not None and pure and is_work(function, helper)
    return False


def properties_of(function: Function, names: set[str]) -> set[str]:
    """Those of the names that are properties in the module's classes, and look like work each time."""
    found = set()
    for node in function.module.body:
        for one in _functions(node.body.body) if isinstance(node, cst.ClassDef) else ():
            decorators = [decorator.decorator for decorator in one.decorators]
            plain = len(decorators) == 1 and isinstance(decorators[0], cst.Name) and decorators[0].value == "property"
            if plain and one.name.value in names and one is not function.node and is_work(function, one):
                found.add(one.name.value)
    return found


def depends_on_changes(function: Function, helper: cst.FunctionDef, region: cst.BaseStatement) -> bool:
    """Whether the helper reads something that changes where it is called: of `self`, or of the function around it."""
    own = function.assigned(helper)
    read = [
        one
        for one in function.walk(cst.Attribute, cst.Name, under=helper.body)
        if isinstance(one, cst.Attribute) or (function.is_local(one.value) and one.value not in own)
    ]
    return not changed(function, region).isdisjoint(function.form(one) for one in read)
