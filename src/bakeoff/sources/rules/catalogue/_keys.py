"""Whether a value can be the key of a cache, by what the code shows.

A key has to be hashable, and to tell all that is not the same: 0.0 and -0.0 are one key, so are (1,) and (True,). Text
and whole numbers are fine, and objects that are only themselves; what may be a fraction or a collection is not.
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

import libcst as cst

from bakeoff.sources.rules.catalogue._shapes import constant
from bakeoff.sources.rules.rewriting import Function, path_of

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Sign", "is_hashable", "signs", "signs_of_argument"]


class Sign(Enum):
    """What speaks for a value being of a kind."""

    EXACT = "text, a whole number, or the like"
    OBJECT = "an object with attributes"
    UNFIT = "a fraction, a collection, or an object that cannot be hashed"


# How far a value is followed from function to function, and from variable to variable.
_DEEPEST = 3


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_TEXT_METHODS = _words("""
    capitalize casefold encode endswith expandtabs isalnum isalpha isdecimal isdigit isidentifier islower isnumeric
    isspace istitle isupper ljust lower lstrip partition removeprefix removesuffix replace rjust rpartition rsplit
    rstrip split splitlines startswith strip swapcase title translate upper zfill
""")
_MAKES_TEXT = _TEXT_METHODS - _words("partition rpartition rsplit split splitlines") | _words(
    "join format group isoformat strftime hexdigest decode hex toordinal weekday count find rfind bit_length"
)
_MAKES_COLLECTIONS = _words("split rsplit splitlines findall copy items keys values groupdict most_common tolist")
_COLLECTION_METHODS = _words("""
    add append appendleft clear copy discard extend get insert items keys pop popitem popleft remove reverse setdefault
    sort update values
""")
_EXACT_BUILTINS = _words("ascii bin bool chr hash hex id int isinstance len oct ord repr str type")
_UNFIT_BUILTINS = _words("bytearray complex dict float list set sorted")
# What is handed to these is text or a whole number; what is handed to those is not, or may be a fraction.
_TAKES_EXACT = _words("bin chr hex int oct ord range")
_TAKES_UNFIT = _words("round sum")
_OF_WHOLE_NUMBERS = _words("math.comb math.factorial math.gcd math.isqrt math.lcm math.perm")
_TAKES_TEXT = _words(
    "date datetime difflib fnmatch html ipaddress keyword os.path posixpath re shlex textwrap unicodedata urllib"
)
_EXACT_TYPES = _words("str int bytes bool date datetime time timedelta Path PurePath UUID Enum None Optional Union")
_UNFIT_TYPES = _words("""
    float complex Decimal Number Real Any object list dict set List Dict Set Sequence Mapping Iterable Iterator deque
    Collection MutableMapping MutableSequence bytearray defaultdict Counter
""")
_COLLECTIONS = (cst.List, cst.ListComp, cst.Dict, cst.DictComp, cst.Set, cst.SetComp, cst.GeneratorExp)
_FUNCTIONS = (cst.FunctionDef, cst.Lambda)


def signs(function: Function, node: cst.BaseExpression) -> set[Sign]:
    """What the code shows of an expression's value, where it is in a function."""
    return set(_signs(function, node, 0))


def signs_of_argument(function: Function, call: cst.Call, arg: cst.Arg, helper: cst.FunctionDef) -> set[Sign]:
    """What the code shows of what a helper is given, where it comes from and in the helper."""
    return signs(function, arg.value) | set(_received(function, call, arg, helper, 1))


def _signs(function: Function, node: cst.BaseExpression, depth: int) -> Iterator[Sign]:
    match node:
        case cst.Float() | cst.BinaryOperation(operator=cst.Divide()):
            yield Sign.UNFIT
        case cst.FormattedString() | cst.ConcatenatedString():
            yield Sign.EXACT
        case cst.Attribute(attr=cst.Name(value=name)):
            yield from _of_field(function, name)
        case cst.Call():
            yield from _of_call(function, node)
        case _ if constant(node):
            yield Sign.EXACT
        case _ if isinstance(node, _COLLECTIONS):
            yield Sign.UNFIT
        case cst.Name(value=name) if depth < _DEEPEST:
            yield from _of_variable(function, node, name, depth + 1)
    for part in _alike(node):
        yield from _signs(function, part, depth)


def _alike(node: cst.BaseExpression) -> Iterator[cst.BaseExpression]:
    """The parts of an expression that its value is one of, or made of."""
    match node:
        case cst.BinaryOperation(left=first, right=second) | cst.BooleanOperation(left=first, right=second):
            yield from (first, second)
        case cst.IfExp(body=first, orelse=second):
            yield from (first, second)
        case cst.Subscript(value=value, slice=[cst.SubscriptElement(slice=cst.Slice())]):
            yield value


def _of_call(function: Function, node: cst.Call) -> Iterator[Sign]:
    match node.func:
        case cst.Name(value=name) if name in _EXACT_BUILTINS:
            yield Sign.EXACT
        case cst.Name(value=name) if name in _UNFIT_BUILTINS:
            yield Sign.UNFIT
        case cst.Attribute(attr=cst.Name(value=name)) if name in _MAKES_TEXT:
            yield Sign.EXACT
        case cst.Attribute(attr=cst.Name(value=name)) if name in _MAKES_COLLECTIONS:
            yield Sign.UNFIT
    called = function.called(node)
    if called is None or called.node is function.node:
        return
    if called.node.returns is not None:
        yield from _of_annotation(function, called.node.returns.annotation)
    filled = [one.targets[0].target for one in called.own(cst.Assign) if isinstance(one.value, _COLLECTIONS)]
    made = {one.value for one in filled if isinstance(one, cst.Name)}
    returned = [one.value for one in called.own(cst.Return)]
    if any(isinstance(one, _COLLECTIONS) or (isinstance(one, cst.Name) and one.value in made) for one in returned):
        yield Sign.UNFIT


def _of_variable(function: Function, node: cst.Name, name: str, depth: int) -> Iterator[Sign]:
    """What it is given, and what is done with it, in the function that it is a variable of."""
    home = _home(function, node, name)
    if isinstance(home, cst.FunctionDef):
        for param in function.walk(cst.Param, under=home.params):
            if param.name.value == name:
                yield from _of_parameter(function, param)
    for given in function.walk(cst.Assign, under=home):
        if any(isinstance(one.target, cst.Name) and one.target.value == name for one in given.targets):
            yield from _signs(function, given.value, depth)
    for loop in function.walk(cst.For, cst.CompFor, under=home):
        if isinstance(loop.target, cst.Name) and loop.target.value == name:
            yield from _of_items(loop.iter)
    yield from _of_uses(function, home, name, depth)


def _home(function: Function, node: cst.CSTNode, name: str) -> cst.CSTNode:
    """The function around a node that has the variable."""
    for around in function.ancestors(node):
        if isinstance(around, _FUNCTIONS) and name in function.assigned(around):
            return around
    return function.node


def _of_parameter(function: Function, param: cst.Param) -> Iterator[Sign]:
    if param.annotation is not None:
        yield from _of_annotation(function, param.annotation.annotation)
    if isinstance(param.default, (cst.Integer, cst.SimpleString, cst.Float)):
        yield Sign.UNFIT if isinstance(param.default, cst.Float) else Sign.EXACT


def _of_annotation(function: Function, node: cst.CSTNode) -> Iterator[Sign]:
    code = node.raw_value if isinstance(node, cst.SimpleString) else ""
    found = {one.value for one in function.walk(cst.Name, under=node)} | _words(code.translate(_SPACED))
    if found & _UNFIT_TYPES:
        yield Sign.UNFIT
    elif found & _EXACT_TYPES and found <= _EXACT_TYPES:
        yield Sign.EXACT


_SPACED = str.maketrans(dict.fromkeys("[],.|", " "))


def _of_field(function: Function, name: str) -> Iterator[Sign]:
    """What the classes of the module say of a field of this name."""
    for owner, annotation in _fields(function):
        if owner == name:
            yield from _of_annotation(function, annotation)


def _fields(function: Function) -> Iterator[tuple[str, cst.BaseExpression]]:
    for node in function.module.body:
        for line in node.body.body if isinstance(node, cst.ClassDef) else ():
            match line:
                case cst.SimpleStatementLine(body=[cst.AnnAssign(target=cst.Name(value=name), annotation=annotation)]):
                    yield name, annotation.annotation


def _of_items(source: cst.BaseExpression) -> Iterator[Sign]:
    """What goes through `range(…)` or `text.split()` gives."""
    match source:
        case cst.Call(func=cst.Name(value="range")):
            yield Sign.EXACT
        case cst.Call(func=cst.Attribute(attr=cst.Name(value="split" | "rsplit" | "splitlines"))):
            yield Sign.EXACT


# What is done with a variable


def _of_uses(function: Function, home: cst.CSTNode, name: str, depth: int) -> Iterator[Sign]:
    for use in function.uses(name, home):
        yield from _of_use(function, use, depth)


def _of_use(function: Function, use: cst.Name, depth: int) -> Iterator[Sign]:
    parent = function.parent(use)
    match parent:
        case cst.Attribute(attr=cst.Name(value=attribute)):
            yield from _of_attribute(function, attribute, is_called=_is_called(function, parent))
        case cst.Subscript(slice=[cst.SubscriptElement(slice=cst.Index(value=cst.SimpleString()))]):
            yield from (Sign.UNFIT,) if parent.value is use else ()
        case cst.For() | cst.CompFor() if parent.iter is use and _gives_objects(function, parent):
            yield Sign.UNFIT
        case cst.BinaryOperation(left=left, right=right):
            yield from _beside(parent.operator, right if left is use else left)
        case cst.BooleanOperation(left=left, right=right) if isinstance(
            right if left is use else left, cst.SimpleString
        ):
            yield Sign.EXACT
        case cst.Comparison() | cst.ComparisonTarget():
            yield from _compared(function, use, parent)
        case cst.Arg():
            yield from _handed(function, parent, depth)


def _is_called(function: Function, node: cst.CSTNode) -> bool:
    around = function.parent(node)
    return isinstance(around, cst.Call) and around.func is node


def _of_attribute(function: Function, name: str, *, is_called: bool) -> Iterator[Sign]:
    if is_called and name in _TEXT_METHODS:
        yield Sign.EXACT
    elif (is_called and name in _COLLECTION_METHODS) or name in _fields_of_unhashable(function):
        yield Sign.UNFIT
    else:
        yield Sign.OBJECT


def _beside(operator: cst.BaseBinaryOp, other: cst.BaseExpression) -> Iterator[Sign]:
    """`value + other`."""
    if isinstance(operator, cst.Divide) or isinstance(other, cst.Float):
        yield Sign.UNFIT
    elif isinstance(other, (cst.Integer, cst.SimpleString, cst.FormattedString)):
        yield Sign.EXACT


def _compared(function: Function, use: cst.Name, parent: cst.Comparison | cst.ComparisonTarget) -> Iterator[Sign]:
    """`value == "text"`, `value == one.field`, `item in value`."""
    whole = parent if isinstance(parent, cst.Comparison) else function.parent(parent)
    if not isinstance(whole, cst.Comparison) or len(whole.comparisons) != 1:
        return
    [target] = whole.comparisons
    other = target.comparator if whole.left is use else whole.left
    is_container = isinstance(target.operator, (cst.In, cst.NotIn))
    match other:
        case cst.Float():
            yield Sign.UNFIT
        case cst.SimpleString() if not is_container:
            yield Sign.EXACT
        case cst.Attribute(attr=cst.Name(value=name)) if not is_container:
            yield from _of_field(function, name)
        case cst.Tuple(elements=elements) if is_container and whole.left is use:
            yield from (Sign.EXACT for one in elements if isinstance(one.value, cst.SimpleString))
        case _ if is_container and whole.left is not use and not isinstance(other, cst.SimpleString):
            yield Sign.UNFIT


def _handed(function: Function, arg: cst.Arg, depth: int) -> Iterator[Sign]:
    """What those who are given it do with it."""
    call = function.parent(arg)
    if not isinstance(call, cst.Call) or arg.star:
        return
    path = path_of(call.func) or ""
    if path == "isinstance" and len(call.args) == 2 and call.args[0] is arg:
        yield from _of_annotation(function, call.args[1].value)
    elif path in _TAKES_EXACT:
        yield Sign.EXACT
    elif path in _TAKES_UNFIT or (path.startswith("math.") and path not in _OF_WHOLE_NUMBERS):
        yield Sign.UNFIT
    elif any(path.startswith(f"{one}.") for one in _TAKES_TEXT) or _is_of_text(call):
        yield Sign.EXACT
    called = function.called(call) if depth < _DEEPEST else None
    if called is not None:
        yield from _received(called, call, arg, called.node, depth + 1)


def _is_of_text(call: cst.Call) -> bool:
    """`text.startswith(…)`: what it is given is text, too."""
    return isinstance(call.func, cst.Attribute) and call.func.attr.value in _TEXT_METHODS


def _received(function: Function, call: cst.Call, arg: cst.Arg, helper: cst.FunctionDef, depth: int) -> Iterator[Sign]:
    """What a helper says of a parameter, and does with it."""
    name = _parameter(call, arg, helper)
    for param in function.walk(cst.Param, under=helper.params) if name is not None else ():
        if param.name.value == name:
            yield from _of_parameter(function, param)
            yield from _of_uses(function, helper, name, depth)


def _parameter(call: cst.Call, arg: cst.Arg, helper: cst.FunctionDef) -> str | None:
    """The parameter of a helper that an argument is given for."""
    if arg.keyword is not None:
        return arg.keyword.value
    names = [param.name.value for param in (*helper.params.posonly_params, *helper.params.params)]
    names = names[1:] if isinstance(call.func, cst.Attribute) else names
    at = list(call.args).index(arg)
    return names[at] if at < len(names) else None


def _gives_objects(function: Function, loop: cst.For | cst.CompFor) -> bool:
    """`for item in value`, where something is looked up in each item: it will be a list of such."""
    if not isinstance(loop.target, cst.Name):
        return True
    scope = loop if isinstance(loop, cst.For) else function.parent(loop)
    uses = [function.parent(one) for one in function.uses(loop.target.value, scope)]
    return any(
        isinstance(one, cst.Subscript) or (isinstance(one, cst.Attribute) and not _is_called(function, one))
        for one in uses
    )


# Objects


def is_hashable(node: cst.ClassDef) -> bool:
    """Whether the instances of a class look as if they could be kept in a dict."""
    own = {one.name.value for one in node.body.body if isinstance(one, cst.FunctionDef)}
    if "__hash__" in own or "__eq__" in own:
        return "__hash__" in own
    return not any(map(_is_changing_record, node.decorators))


def _is_changing_record(decorator: cst.Decorator) -> bool:
    """Whether it is `@dataclass` or the like, without what makes it hashable."""
    made = decorator.decorator
    arguments = made.args if isinstance(made, cst.Call) else ()
    name = path_of(made.func if isinstance(made, cst.Call) else made) or ""
    given = {one.keyword.value: one.value for one in arguments if one.keyword is not None}
    hashed = {("frozen", "True"), ("eq", "False"), ("unsafe_hash", "True")}
    is_hashed = any((word, value.value) in hashed for word, value in given.items() if isinstance(value, cst.Name))
    return name.rpartition(".")[2] in {"dataclass", "define"} and not is_hashed


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
