"""The functions that a function can call, of its own module, and whether they look like mere work."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from bakeoff.sources.rules.catalogue._shapes import bindings, changed, plain_call, text
from bakeoff.sources.rules.rewriting import READING_METHODS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bakeoff.sources.rules.rewriting import Function

__all__ = [
    "can_be_key",
    "depends_on_changes",
    "helpers_of",
    "is_costly",
    "is_hashable",
    "is_work",
    "properties_of",
]

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
_COLLECTIONS = (cst.List, cst.ListComp, cst.Dict, cst.DictComp, cst.Set, cst.SetComp)
# How far a value is followed from helper to helper.
_DEEPEST = 3
_UNFIT = (cst.Global, cst.Nonlocal, cst.Yield, cst.Await)
_WORK = (cst.Call, cst.For, cst.While, cst.ListComp, cst.SetComp, cst.DictComp, cst.GeneratorExp)


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
    works = any(True for _ in function.walk(*_WORK, under=helper.body))
    return returns and works and not _has_effects(function, helper)


def _has_effects(function: Function, helper: cst.FunctionDef) -> bool:
    """Whether it changes, as far as one can see, what it was given or what is outside of it."""
    own = function.assigned(helper.body) - function.assigned(helper.params)
    for node in function.walk(under=helper.body):
        if any(not isinstance(one, cst.Name) and _root(one) not in own for one in bindings(node)):
            return True
        match node:
            case cst.Call(func=cst.Name(value="next"), args=[cst.Arg(value=cst.GeneratorExp()), *_]):
                continue
            case cst.Call(func=cst.Name(value=name)) if name in _EFFECTS:
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
    """Whether the helper reads something of `self` that changes where it is called."""
    attributes = function.walk(cst.Attribute, under=helper.body)
    return not changed(function, region).isdisjoint(function.form(one) for one in attributes)


def can_be_key(function: Function, call: cst.Call, arg: cst.Arg, helper: cst.FunctionDef) -> bool:
    """Whether nothing speaks against an argument being hashable: that it is a new collection, or is used as one."""
    if isinstance(arg.value, _COLLECTIONS) or _is_collected(function, arg.value):
        return False
    if isinstance(arg.value, cst.Name):
        home = next((one for one in _around(function, call) if isinstance(one, cst.FunctionDef)), function.node)
        for given in function.walk(cst.Assign, under=home):
            named = any(
                isinstance(one.target, cst.Name) and one.target.value == arg.value.value for one in given.targets
            )
            if named and (isinstance(given.value, _COLLECTIONS) or _is_collected(function, given.value)):
                return False
    name = _parameter(call, arg, helper)
    return name is None or not _is_used_as_collection(function, helper, name)


def is_hashable(node: cst.ClassDef) -> bool:
    """Whether the instances of a class look as if they could be kept in a dict."""
    own = {one.name.value for one in _functions(node.body.body)}
    if "__hash__" in own or "__eq__" in own:
        return "__hash__" in own
    return not any(map(_is_changing_record, node.decorators))


def _is_changing_record(decorator: cst.Decorator) -> bool:
    """Whether it is `@dataclass` or the like, without what makes it hashable."""
    made = decorator.decorator
    arguments = made.args if isinstance(made, cst.Call) else ()
    name = made.func if isinstance(made, cst.Call) else made
    given = {one.keyword.value: one.value for one in arguments if one.keyword is not None}
    hashed = {("frozen", "True"), ("eq", "False"), ("unsafe_hash", "True")}
    is_hashed = any((word, value.value) in hashed for word, value in given.items() if isinstance(value, cst.Name))
    is_record = isinstance(name, (cst.Name, cst.Attribute)) and _last(name) in {"dataclass", "define"}
    return is_record and not is_hashed


def _last(node: cst.Name | cst.Attribute) -> str:
    return node.value if isinstance(node, cst.Name) else node.attr.value


def _around(function: Function, node: cst.CSTNode) -> Iterator[cst.CSTNode]:
    while not isinstance(node, cst.Module):
        yield node
        node = function.parent(node)


def _parameter(call: cst.Call, arg: cst.Arg, helper: cst.FunctionDef) -> str | None:
    """The parameter that an argument is given for."""
    if arg.keyword is not None:
        return arg.keyword.value
    names = [param.name.value for param in (*helper.params.posonly_params, *helper.params.params)]
    names = names[1:] if isinstance(call.func, cst.Attribute) else names
    at = list(call.args).index(arg)
    return names[at] if at < len(names) else None


def _is_collected(function: Function, node: cst.BaseExpression) -> bool:
    """Whether it is a call that makes a new collection: `sorted(…)`, `text.split()`, or a helper that returns one."""
    if not isinstance(node, cst.Call):
        return False
    match node.func:
        case cst.Name(value="sorted" | "list" | "dict" | "set"):
            return True
        case cst.Attribute(attr=cst.Name(value="split" | "splitlines" | "findall" | "copy")):
            return True
    called = function.called(node)
    if called is None or called.node is function.node:
        return False
    filled = [one.targets[0].target for one in called.own(cst.Assign) if isinstance(one.value, _COLLECTIONS)]
    made = {one.value for one in filled if isinstance(one, cst.Name)}
    returned = [one.value for one in called.own(cst.Return)]
    return any(isinstance(one, _COLLECTIONS) or (isinstance(one, cst.Name) and one.value in made) for one in returned)


def _is_used_as_collection(function: Function, helper: cst.FunctionDef, name: str, depth: int = 0) -> bool:
    unfit = _fields_of_unhashable(function)
    for use in function.uses(name, helper.body):
        parent = function.parent(use)
        if _is_collection_use(function, use) or _gives_objects(function, use):
            return True
        if isinstance(parent, cst.Attribute) and parent.attr.value in unfit:
            return True
        call = function.parent(parent)
        if isinstance(parent, cst.Arg) and isinstance(call, cst.Call) and depth < _DEEPEST:
            called = function.called(call)
            further = _parameter(call, parent, called.node) if called is not None else None
            if called is None or further is None or called.node is helper:
                continue
            if _is_used_as_collection(function, called.node, further, depth + 1):
                return True
    return False


def _fields_of_unhashable(function: Function) -> set[str]:
    """The names of fields that only such classes of the module have as cannot be kept in a dict."""
    found: dict[bool, set[str]] = {True: set(), False: set()}
    for node in function.module.body:
        if not isinstance(node, cst.ClassDef):
            continue
        for line in node.body.body:
            match line:
                case cst.SimpleStatementLine(body=[cst.AnnAssign(target=cst.Name(value=name))]):
                    found[is_hashable(node)].add(name)
    return found[False] - found[True]


def _gives_objects(function: Function, use: cst.Name) -> bool:
    """`for item in use`, where something is looked up in each item: it will be a list of such."""
    parent = function.parent(use)
    if not isinstance(parent, (cst.For, cst.CompFor)) or parent.iter is not use:
        return False
    if not isinstance(parent.target, cst.Name):
        return True
    scope = parent if isinstance(parent, cst.For) else function.parent(parent)
    uses = [function.parent(one) for one in function.uses(parent.target.value, scope)]
    return any(isinstance(one, (cst.Attribute, cst.Subscript)) and not _is_of_text(function, one) for one in uses)


def _is_of_text(function: Function, node: cst.CSTNode) -> bool:
    """`word.strip()`."""
    return isinstance(node, cst.Attribute) and isinstance(function.parent(node), cst.Call)


def _is_collection_use(function: Function, use: cst.Name) -> bool:
    """`row["name"]`, `row.items()`, `sum(row)`."""
    parent = function.parent(use)
    match parent:
        case cst.Subscript(slice=[cst.SubscriptElement(slice=cst.Index(value=cst.SimpleString()))]):
            return parent.value is use
        case cst.Attribute(attr=cst.Name(value="items" | "keys" | "values" | "append" | "sort")):
            return True
        case cst.ComparisonTarget(operator=cst.In() | cst.NotIn()):
            around = function.parent(parent)
            return isinstance(around, cst.Comparison) and not isinstance(around.left, cst.SimpleString)
        case cst.Arg():
            return plain_call(function.parent(parent), "sum") is not None
    return False
