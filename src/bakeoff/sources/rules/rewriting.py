"""What a rule is, what it can ask of a function, and how its rewrites get into a module.

    module ──Syntax──▶ Function ──Rule.find──▶ Rewrite, Rewrite, … ──apply──▶ source text

Rules look at syntax alone: they know no types and do not run anything. They may guess, since what they make is verified
like any candidate; but a guess costs seconds, so there has to be something in the code that speaks for it.
"""

from __future__ import annotations

import ast
import itertools
import sys
from bisect import bisect_left
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias, TypeVar, cast, overload

import libcst as cst

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from typing_extensions import TypeIs

__all__ = [
    "PURE_BUILTINS",
    "READING_METHODS",
    "Comprehension",
    "Function",
    "Replacement",
    "Rewrite",
    "Rule",
    "Syntax",
    "apply",
    "beside",
    "bound_names",
    "expression",
    "fit",
    "path_of",
    "statements",
    "target_names",
]

Replacement: TypeAlias = (
    cst.CSTNode | cst.FlattenSentinel[cst.BaseStatement] | cst.FlattenSentinel[cst.CSTNode] | cst.RemovalSentinel
)
Comprehension: TypeAlias = cst.ListComp | cst.SetComp | cst.DictComp | cst.GeneratorExp
_COMPREHENSIONS = (cst.ListComp, cst.SetComp, cst.DictComp, cst.GeneratorExp)
_N = TypeVar("_N", bound=cst.CSTNode)
_M = TypeVar("_M", bound=cst.CSTNode)


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Builtins that only look at their arguments, as long as these are ordinary values.
PURE_BUILTINS = _words("""
    abs all any ascii bin bool bytes callable chr complex dict divmod enumerate filter float format frozenset
    getattr hasattr hash hex id int isinstance issubclass len list map max min oct ord pow range repr reversed
    round set slice sorted str sum tuple type zip
""")
# Methods of builtin values that leave their receiver as it is.
READING_METHODS = _words("""
    as_integer_ratio bit_count bit_length capitalize casefold center copy count date decode difference encode
    endswith end expandtabs find findall finditer format fullmatch get group groupdict groups hex index
    intersection isalnum isalpha isascii isdecimal isdigit isdisjoint isidentifier isinteger islower isnumeric
    isoformat isprintable isspace issubset issuperset istitle isupper items join keys ljust lower lstrip match
    most_common partition removeprefix removesuffix replace rfind rindex rjust rpartition rsplit rstrip search
    span split splitlines start startswith strftime strip sub swapcase symmetric_difference timestamp title
    total_seconds translate union upper values weekday zfill
""")
# Methods by which a container takes in what it is handed, which stays as it is.
_STORING_METHODS = _words(
    "add append appendleft extend extendleft insert push put setdefault update write writelines discard remove"
)
_PURE_MODULES = _words(
    "bisect calendar cmath copy html itertools keyword math operator posixpath re statistics string textwrap"
)
_SKIPPED_FIELDS = _words("""
    lpar rpar lbracket rbracket lbrace rbrace comma equal colon semicolon dot header footer leading_lines
    trailing_comma trailing_whitespace lines_after_decorators lines_after_module_docstring first_colon
    second_colon
""")
_FIELD_ORDER: dict[type[cst.CSTNode], tuple[str, ...]] = {
    cst.IfExp: ("body", "test", "orelse"),
    cst.FunctionDef: ("decorators", "name", "type_parameters", "params", "returns", "body"),
    cst.ClassDef: ("decorators", "name", "type_parameters", "bases", "keywords", "body"),
    cst.Arg: ("keyword", "value"),
    cst.Decorator: ("decorator",),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Rewrite:
    """One place rewritten.

    `replace` maps nodes of the module (by identity) to what stands there instead: a node for the same kind of place,
    `cst.FlattenSentinel` for several statements, `cst.RemoveFromParent()` for none. Where a FlattenSentinel holds the
    very node that it stands for, statements are put beside it (see `beside`): such a rewrite gets along with others,
    and with entries of its own, that change what is inside of that node or put something beside it too.

    `imports` are statements that the module needs (`from collections import deque`); those it has are not added.
    `above` are statements for the module itself, right above the top-level statement that holds the function.
    """

    replace: Mapping[cst.CSTNode, Replacement]
    imports: tuple[str, ...] = ()
    above: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """A way to make something faster that is often slow.

    `summary` says in a line what it does, `unsafe` when it changes behaviour. `before` is an example module with one
    function, `after` what becomes of it when all that `find` gives is applied, exactly. `calls` are expressions, two at
    least, that give the same in both. What is minor is found everywhere and seldom gains more than a few percent: it is
    tried after all else, and not place by place.
    """

    name: str
    summary: str
    unsafe: str
    before: str
    after: str
    calls: tuple[str, ...]
    find: Callable[[Function], Iterator[Rewrite]]
    is_minor: bool = False


# Making code


def expression(text: str) -> cst.BaseExpression:
    """An expression, from its text. May be of several lines where it has brackets around it."""
    return cst.parse_expression(text)


def statements(text: str) -> tuple[cst.BaseStatement, ...]:
    """Statements, from their text, which is indented by four blanks a level whatever the module does."""
    module = cst.parse_module(text, cst.PartialParserConfig(default_indent="    "))
    if "\n\n" in text:
        module = module.visit(_WithoutTrailingBlanks())
    return cast("tuple[cst.BaseStatement, ...]", tuple(module.body))


class _WithoutTrailingBlanks(cst.CSTTransformer):
    """Empty lines stay empty wherever the code is put."""

    def on_leave(self, original_node: cst.CSTNodeT, updated_node: cst.CSTNodeT) -> cst.CSTNode:  # type: ignore[override]
        is_empty = isinstance(updated_node, cst.EmptyLine) and updated_node.comment is None
        return updated_node.with_changes(indent=False) if is_empty else updated_node


def beside(statement: cst.CSTNode, *, before: str = "", after: str = "") -> cst.FlattenSentinel[cst.BaseStatement]:
    """The statement as it is, with others around it: a value for `Rewrite.replace`."""
    assert isinstance(statement, cst.BaseStatement)
    return cst.FlattenSentinel([*statements(before), statement, *statements(after)])


# Looking at code


def _fields_of(kind: type[cst.CSTNode]) -> tuple[str, ...]:
    found = _FIELD_ORDER.get(kind)
    if found is None:
        names = (one.name for one in fields(kind))
        found = tuple(name for name in names if name not in _SKIPPED_FIELDS and not name.startswith("whitespace"))
        _FIELD_ORDER[kind] = found
    return found


_SEVERAL = frozenset({list, tuple})
_NODES: dict[type, bool] = {}


def _is_node(value: object) -> TypeIs[cst.CSTNode]:
    """Whether it is one: by its type, since an abstract class takes its time to say so."""
    kind = type(value)
    found = _NODES.get(kind)
    if found is None:
        found = _NODES[kind] = issubclass(kind, cst.CSTNode)
    return found


def _children(node: cst.CSTNode) -> list[cst.CSTNode]:
    """The nodes right below, in the order of the text, without blanks and brackets."""
    found: list[cst.CSTNode] = []
    for name in _fields_of(type(node)):
        value = getattr(node, name)
        if _is_node(value):
            found.append(value)
        elif type(value) in _SEVERAL:
            found += filter(_is_node, value)
    return found


def _descendants(node: cst.CSTNode) -> Iterator[cst.CSTNode]:
    """The node and all below it, in the order of the text."""
    stack = [node]
    while stack:
        found = stack.pop()
        yield found
        stack += reversed(_children(found))


def _targets(target: cst.CSTNode) -> Iterator[cst.Name]:
    match target:
        case cst.Name():
            yield target
        case cst.Tuple() | cst.List():
            for element in target.elements:
                yield from _targets(element.value)
        case cst.StarredElement():
            yield from _targets(target.value)


_BINDING = frozenset(
    {
        cst.AnnAssign,
        cst.AsName,
        cst.AssignTarget,
        cst.AugAssign,
        cst.ClassDef,
        cst.CompFor,
        cst.Del,
        cst.For,
        cst.FunctionDef,
        cst.ImportAlias,
        cst.MatchAs,
        cst.MatchMapping,
        cst.MatchStar,
        cst.NameItem,
        cst.NamedExpr,
        cst.Param,
    }
)


def _bound(node: cst.CSTNode) -> Iterator[cst.Name]:
    if type(node) not in _BINDING:  # most are not, and a match asks one class after the other
        return
    match node:
        case cst.AssignTarget() | cst.AugAssign() | cst.For() | cst.CompFor() | cst.NamedExpr() | cst.Del():
            yield from _targets(node.target)
        case cst.AnnAssign(value=cst.CSTNode()):
            yield from _targets(node.target)
        case cst.AsName(name=name) | cst.NameItem(name=name) | cst.Param(name=name):
            yield from _targets(name)
        case cst.FunctionDef(name=name) | cst.ClassDef(name=name):
            yield name
        case cst.ImportAlias(asname=None):
            yield cst.ensure_type(_root(node.name), cst.Name)
        case cst.MatchAs(name=cst.Name() as name) | cst.MatchStar(name=cst.Name() as name):
            yield name
        case cst.MatchMapping(rest=cst.Name() as name):
            yield name


def target_names(target: cst.CSTNode) -> Iterator[str]:
    """The names that assigning to this binds: `a, (b, *c), d[0], e.f` binds a, b and c."""
    return (name.value for name in _targets(target))


def bound_names(node: cst.CSTNode) -> Iterator[str]:
    """The names that this node itself binds, not what is below it."""
    return (name.value for name in _bound(node))


def _root(node: cst.CSTNode) -> cst.CSTNode:
    """What `a` is in `a.b[c].d`."""
    while isinstance(node, (cst.Attribute, cst.Subscript)):
        node = node.value
    return node


def _is_name(node: cst.CSTNode, name: str) -> bool:
    return isinstance(node, cst.Name) and node.value == name


def path_of(node: cst.CSTNode) -> str | None:
    """`a.b.c` of a name or of attributes of a name; None of anything else."""
    match node:
        case cst.Name(value=name):
            return name
        case cst.Attribute(value=value, attr=cst.Name(value=name)):
            owner = path_of(value)
            return f"{owner}.{name}" if owner is not None else None
    return None


def _kept_method(node: cst.CSTNode) -> Iterator[tuple[str, str]]:
    """The name that a method which may change its owner is kept under, and the owner: `add = found.append`."""
    match node:
        case cst.Assign(
            targets=[cst.AssignTarget(target=cst.Name(value=name))],
            value=cst.Attribute(value=receiver, attr=cst.Name(value=method)),
        ) if method not in READING_METHODS:
            owner = path_of(receiver)
            if owner is not None:
                yield name, owner


def _changed_paths(node: cst.CSTNode) -> Iterator[str]:
    targets: list[cst.CSTNode] = []
    match node:
        case cst.AssignTarget() | cst.AugAssign() | cst.AnnAssign() | cst.For() | cst.CompFor() | cst.Del():
            targets.append(node.target)
        case cst.AsName(name=name):
            targets.append(name)
        case cst.Call(func=cst.Attribute(value=receiver, attr=cst.Name(value=method))):
            path = path_of(receiver)
            if path is not None and method not in READING_METHODS:
                yield path
    while targets:
        target = targets.pop()
        if isinstance(target, (cst.Tuple, cst.List)):
            targets += [element.value for element in target.elements]
        path = path_of(target.value if isinstance(target, cst.Subscript) else target)
        if path is not None:
            yield path


class _WithoutAnnotations(cst.CSTTransformer):
    """Takes the annotations of what is assigned inside of functions away, and knows them."""

    def __init__(self) -> None:
        super().__init__()
        self.annotated: dict[cst.CSTNode, cst.AnnAssign] = {}
        self._around: list[cst.CSTNode] = []

    def on_visit(self, node: cst.CSTNode) -> bool:
        if isinstance(node, (cst.FunctionDef, cst.ClassDef)):
            self._around.append(node)
        return True

    def on_leave(self, original_node: cst.CSTNodeT, updated_node: cst.CSTNodeT) -> cst.CSTNode:  # type: ignore[override]
        if self._around and original_node is self._around[-1]:
            self._around.pop()
        # In the body of a class an annotation makes a field.
        is_local = bool(self._around) and isinstance(self._around[-1], cst.FunctionDef)
        if not is_local or not isinstance(updated_node, cst.AnnAssign) or updated_node.value is None:
            return updated_node
        target = cst.AssignTarget(target=updated_node.target)
        plain = cst.Assign(targets=[target], value=updated_node.value, semicolon=updated_node.semicolon)
        self.annotated[plain] = updated_node
        return plain


class _Annotating(cst.CSTTransformer):
    """Puts the annotations of what is as it was back."""

    def __init__(self, annotated: dict[cst.CSTNode, cst.AnnAssign]) -> None:
        super().__init__()
        self._annotated = annotated

    def on_leave(self, original_node: cst.CSTNodeT, updated_node: cst.CSTNodeT) -> cst.CSTNode:  # type: ignore[override]
        return self._annotated.get(original_node, updated_node)


class Syntax:
    """A module, and what is where in it; all functions of a module share one.

    Rules see local variables without their annotations: `found: list[str] = []` is `found = []` to them. Where they
    leave one alone, it is written as it was.
    """

    def __init__(self, module: cst.Module) -> None:
        plain = _WithoutAnnotations()
        module = module.visit(plain)
        self._annotated = _Annotating(plain.annotated) if plain.annotated else None
        self.module = module
        self.parents: dict[cst.CSTNode, cst.CSTNode] = {}
        self.names: set[str] = set()
        self.binding: set[cst.Name] = set()
        self.assigned: dict[cst.CSTNode, set[str]] = {}
        self.pure: dict[cst.CSTNode, bool] = {}
        self.changed: dict[cst.CSTNode, set[str]] = {}
        self._texts: dict[cst.CSTNode, str] = {}
        self._forms: dict[cst.CSTNode, str] = {}
        self._taken: dict[cst.CSTNode, set[str]] = {module: self.names}
        self.order: dict[cst.CSTNode, int] = {}
        self.methods: dict[str, set[str]] = {}
        # All nodes in the order of the text, where of these each kind is, and where what is below each ends.
        self._nodes: list[cst.CSTNode] = []
        self._places: dict[type[cst.CSTNode], list[int]] = {}
        self._kinds: dict[tuple[type[cst.CSTNode], ...], list[list[int]]] = {}
        self._look()
        self._ends = self._sizes()
        self.bound = {name.value for name in self.binding}

    def _look(self) -> None:
        stack: list[cst.CSTNode] = [self.module]
        while stack:
            node = stack.pop()
            number = self.order[node] = len(self._nodes)
            self._nodes.append(node)
            self._places.setdefault(type(node), []).append(number)
            children = _children(node)
            for child in children:
                self.parents[child] = node
            stack += reversed(children)
            if type(node) is cst.Name:
                self.names.add(node.value)
            self.binding.update(_bound(node))
            for name, owner in _kept_method(node):
                self.methods.setdefault(name, set()).add(owner)

    def _sizes(self) -> list[int]:
        """Of each node the place behind the last one below it."""
        ends = list(range(1, len(self._nodes) + 1))
        for number in range(len(ends) - 1, 0, -1):
            parent = self.order[self.parents[self._nodes[number]]]
            ends[parent] = max(ends[parent], ends[number])
        return ends

    def under(self, node: cst.CSTNode, *kinds: type[cst.CSTNode]) -> Sequence[cst.CSTNode]:
        """The node and all below it, or those of some kinds, in the order of the text."""
        start = self.order.get(node)
        if start is None:  # made by a rule
            return [one for one in _descendants(node) if not kinds or isinstance(one, kinds)]
        end = self._ends[start]
        if not kinds:
            return self._nodes[start:end]
        if kinds not in self._kinds:
            self._kinds[kinds] = [places for kind, places in self._places.items() if issubclass(kind, kinds)]
        found = [
            place
            for places in self._kinds[kinds]
            for place in places[bisect_left(places, start) : bisect_left(places, end)]
        ]
        if len(self._kinds[kinds]) > 1:
            found.sort()
        return [self._nodes[place] for place in found]

    @cached_property
    def by_name(self) -> dict[str, Function]:
        """The functions of the module itself, without methods and such as are inside of others."""
        return {name: function for name, function in self.functions() if "." not in name}

    def functions(self) -> Iterator[tuple[str, Function]]:
        """The functions and methods of the module by qualified name, in the order of the text; those inside of another
        one as `outer.<locals>.inner`."""
        yield from self._functions(self.module, "", is_class=False)

    def _functions(self, node: cst.CSTNode, prefix: str, *, is_class: bool) -> Iterator[tuple[str, Function]]:
        for child in _children(node):
            match child:
                case cst.FunctionDef(name=name):
                    yield prefix + name.value, Function(self, child, is_method=is_class)
                    yield from self._functions(child.body, f"{prefix}{name.value}.<locals>.", is_class=False)
                case cst.ClassDef(name=name):
                    yield from self._functions(child.body, f"{prefix}{name.value}.", is_class=True)
                case cst.BaseStatement() | cst.BaseSuite() | cst.Else() | cst.Finally() | cst.ExceptHandler():
                    yield from self._functions(child, prefix, is_class=is_class)

    @cached_property
    def _shared(self) -> set[str]:
        """The names that functions of the module have in common."""
        found = {item.name.value for node in self.order if isinstance(node, cst.Global) for item in node.names}
        stack: list[cst.CSTNode] = [self.module]
        while stack:
            node = stack.pop()
            found.update(bound_names(node))
            if not isinstance(node, (cst.FunctionDef, cst.Lambda)):
                stack.extend(_children(node))
        return found

    def taken(self, place: cst.CSTNode) -> set[str]:
        """The names that mean something in the outermost function around a place, or, for the module, anywhere in it;
        who gives out another one adds it."""
        around = [one for one in (place, *self.ancestors(place)) if isinstance(one, (cst.FunctionDef, cst.Module))]
        outermost = around[-2] if len(around) > 1 else around[-1]
        if outermost not in self._taken:
            own = {node.value for node in self.under(outermost, cst.Name) if isinstance(node, cst.Name)}
            self._taken[outermost] = own | self._shared
        return self._taken[outermost]

    def ancestors(self, node: cst.CSTNode) -> Iterator[cst.CSTNode]:
        """What is around a node, nearest first, up to and with the module."""
        while node in self.parents:
            node = self.parents[node]
            yield node

    def text(self, body: Iterable[cst.BaseStatement]) -> str:
        """The module's text with these statements in it: those that it has are written once only."""
        pieces = [self.module.code_for_node(line) for line in self.module.header]
        for statement in body:
            is_own = statement in self.parents
            text = self._texts.get(statement) or self._written(statement)
            if is_own:
                self._texts[statement] = text
            pieces.append(text)
        pieces += [self.module.code_for_node(line) for line in self.module.footer]
        text = "".join(pieces)
        return text if self.module.has_trailing_newline else text.removesuffix(self.module.default_newline)

    def _written(self, statement: cst.BaseStatement) -> str:
        written = statement if self._annotated is None else statement.visit(self._annotated)
        assert isinstance(written, cst.CSTNode)
        return self.module.code_for_node(written)

    def form(self, node: cst.CSTNode) -> str:
        """Equal for code that differs in blanks, brackets and quotes only."""
        if node not in self._forms:
            code = self.module.code_for_node(node).strip()
            try:
                self._forms[node] = ast.dump(ast.parse(f"({code}\n)", mode="eval"))
            except (SyntaxError, ValueError, RecursionError, MemoryError):
                self._forms[node] = code
        return self._forms[node]


class Function:
    """A function to be rewritten, with what rules ask about it, answered by syntax alone."""

    def __init__(self, syntax: Syntax, node: cst.FunctionDef, *, is_method: bool) -> None:
        self.node = node
        self.is_method = is_method
        self._syntax = syntax
        self._locals: frozenset[str] | None = None

    @property
    def module(self) -> cst.Module:
        return self._syntax.module

    # Where things are

    @overload
    def walk(self, *, under: cst.CSTNode | None = None) -> Iterator[cst.CSTNode]: ...
    @overload
    def walk(self, kind: type[_N], other: type[_M], /, *, under: cst.CSTNode | None = None) -> Iterator[_N | _M]: ...
    @overload
    def walk(self, *kinds: type[_N], under: cst.CSTNode | None = None) -> Iterator[_N]: ...
    def walk(self, *kinds: type[cst.CSTNode], under: cst.CSTNode | None = None) -> Iterator[cst.CSTNode]:
        """The descendants of these kinds, and the node itself, in the order of the text; nested functions included."""
        yield from self._syntax.under(under or self.node, *kinds)

    def parent(self, node: cst.CSTNode) -> cst.CSTNode:
        return self._syntax.parents[node]

    def ancestors(self, node: cst.CSTNode) -> Iterator[cst.CSTNode]:
        """What is around a node, nearest first, up to and with the function itself."""
        while node is not self.node and node in self._syntax.parents:
            node = self._syntax.parents[node]
            yield node

    def statement(self, node: cst.CSTNode) -> cst.BaseStatement | None:
        """The nearest statement around a node (or itself) that others can be put beside: one in an indented block. None
        where that is not in the function."""
        for found in (node, *self.ancestors(node)):
            if found is self.node:
                return None
            if isinstance(found, cst.BaseStatement) and isinstance(self.parent(found), (cst.IndentedBlock, cst.Module)):
                return found
        return None

    def block(self, statement: cst.CSTNode) -> Sequence[cst.CSTNode]:
        """The statements that it stands among; only itself where it is not in an indented block."""
        parent = self.parent(statement)
        return parent.body if isinstance(parent, cst.IndentedBlock) else (statement,)

    def following(self, statement: cst.CSTNode) -> Sequence[cst.CSTNode]:
        """The statements after it in its block."""
        block = list(self.block(statement))
        return block[block.index(statement) + 1 :]

    def preceding(self, statement: cst.CSTNode) -> Sequence[cst.CSTNode]:
        """The statements before it in its block, nearest first."""
        block = list(self.block(statement))
        return block[: block.index(statement)][::-1]

    def loops(self) -> Iterator[cst.For | cst.While]:
        """All loops but comprehensions, also those of nested functions."""
        for node in self.walk():
            if isinstance(node, (cst.For, cst.While)):
                yield node

    def loops_around(self, node: cst.CSTNode) -> list[cst.For | cst.While | Comprehension]:
        """The loops that run this node again and again, innermost first, comprehensions included: what a loop goes
        through, and what stands in its `else`, is not run again by it."""
        found: list[cst.For | cst.While | Comprehension] = []
        below = node
        within: list[cst.CSTNode] = [node]
        for around in self.ancestors(node):
            match around:
                case cst.FunctionDef():
                    break
                case cst.For() if below is around.body or below is around.target:
                    found.append(around)
                case cst.While() if below is around.body or below is around.test:
                    found.append(around)
                case cst.ListComp() | cst.SetComp() | cst.DictComp() | cst.GeneratorExp():
                    if not any(one is around.for_in.iter for one in within):
                        found.append(around)
            below = around
            within.append(around)
        return found

    # What names mean

    def assigned(self, under: cst.CSTNode) -> set[str]:
        """The names bound anywhere under a node, in whatever way; those of comprehensions and of nested functions
        included."""
        known = self._syntax.assigned.get(under)
        if known is None:
            known = self._syntax.assigned[under] = {
                name for node in self._syntax.under(under) for name in bound_names(node)
            }
        return set(known)

    def mutated(self, name: str, under: cst.CSTNode) -> bool:
        """Whether what is called `name` may be changed under a node: an item or attribute of it is assigned or deleted,
        it is assigned to with an operator, a method is called on it that may change it, or it is handed to a call that
        is not well known."""
        return any(self._changes(name, node) for node in self._syntax.under(under))

    def _changes(self, name: str, node: cst.CSTNode) -> bool:
        match node:
            case cst.AugAssign(target=target) if _is_name(_root(target), name):
                return True
            case cst.AssignTarget(target=target) | cst.AnnAssign(target=target) | cst.For(target=target):
                return self._changes_part(name, target)
            case cst.Del(target=target) | cst.AsName(name=target) | cst.CompFor(target=target):
                return self._changes_part(name, target)
            case cst.Call():
                return self._call_changes(name, node)
        return False

    def _changes_part(self, name: str, target: cst.CSTNode) -> bool:
        match target:
            case cst.Attribute() | cst.Subscript():
                return _is_name(_root(target), name)
            case cst.Tuple() | cst.List():
                return any(self._changes_part(name, element.value) for element in target.elements)
        return False

    def _call_changes(self, name: str, call: cst.Call) -> bool:
        match call.func:
            case cst.Attribute(value=receiver, attr=cst.Name(value=method)):
                if _is_name(_root(receiver), name) and method not in READING_METHODS:
                    return True
                if method in READING_METHODS | _STORING_METHODS:
                    return False
            case cst.Name(value=builtin) if builtin in PURE_BUILTINS | {"iter", "print"}:
                return False
            case cst.Name(value=kept) if kept in self._syntax.methods:
                return any(owner.partition(".")[0] == name for owner in self._syntax.methods[kept])
        return any(_is_name(argument.value, name) for argument in call.args)

    def is_left_with(self, loop: cst.For, *, but: str = "") -> bool:
        """Whether what a loop binds, `but` for one name, may be read when it has ended."""
        inside = set(self.walk(cst.Name, under=loop))
        names = self.assigned(loop) - {but}
        if not all(map(self.is_local, names)):
            return True
        order = self._syntax.order
        is_again = bool(self.loops_around(loop))
        return any(
            use not in inside and (is_again or order[use] > order[loop]) and not self._is_bound_around(use, loop)
            for name in names
            for use in self.uses(name)
        )

    def _is_bound_around(self, use: cst.Name, loop: cst.For) -> bool:
        """Whether a use belongs to another loop, or to a comprehension, that binds the name itself."""
        beyond = {loop, *self.ancestors(loop)}
        for around in self.ancestors(use):
            match around:
                case cst.For(target=target) if around not in beyond and use.value in target_names(target):
                    return True
                case cst.ListComp() | cst.SetComp() | cst.DictComp() | cst.GeneratorExp():
                    if use.value in self.assigned(around.for_in):
                        return True
        return False

    def stays(self, node: cst.CSTNode, under: cst.CSTNode) -> bool:
        """Whether, by all that can be seen, an expression gives the same wherever it stands under a node: none of its
        names is bound there, nothing that it names is assigned to, and no method is called on that which may change it.

        Bolder than `mutated`: calls are trusted with their arguments, and with `self`.
        """
        inner = self.assigned(node)
        names = {one.value for one in self.walk(cst.Name, under=node) if self.is_load(one)} - inner
        if names & self.assigned(under):
            return False
        paths = set(self._paths(node))
        return not any(
            path == changed or (path.startswith(f"{changed}.") and changed not in {"self", "cls"})
            for changed in self.changed(under)
            for path in paths
        )

    def _paths(self, node: cst.CSTNode) -> Iterator[str]:
        """What an expression names: `a.b` and `c` in `a.b + c[0]`."""
        path = path_of(node)
        if path is not None:
            yield path
            return
        for child in _children(node):
            yield from self._paths(child)

    def changed(self, under: cst.CSTNode) -> set[str]:
        """What is visibly changed under a node, as `path_of` tells it: assigned to, itself or an item of it, or by a
        method that may."""
        known = self._syntax.changed.get(under)
        if known is None:
            known = {path for node in self._syntax.under(under) for path in _changed_paths(node)}
            called = (node.func for node in self.walk(cst.Call, under=under))
            for one in called:
                known |= self._syntax.methods.get(one.value, set()) if isinstance(one, cst.Name) else set()
            self._syntax.changed[under] = known
        return known

    def steady_loop(self, node: cst.CSTNode) -> cst.For | cst.While | Comprehension | None:
        """The outermost of the loops around an expression that it `stays` the same in, with all between them."""
        found = None
        for loop in self.loops_around(node):
            if not self.stays(node, loop):
                break
            found = loop
        return found

    def anchor(self, node: cst.CSTNode, loop: cst.CSTNode) -> cst.BaseStatement | None:
        """The statement before which an expression can be evaluated that `stays` in a loop; None where nothing can be
        put before the loop, or a lambda or `while` between the two has to do with it."""
        statement = self.statement(loop)
        if statement is None:
            return None
        names = {one.value for one in self.walk(cst.Name, under=node)}
        for around in self.ancestors(node):
            if isinstance(around, cst.Lambda) and names & self.assigned(around.params):
                return None
            if isinstance(around, (cst.While, *_COMPREHENSIONS)) and not self.stays(node, around):
                return None
            if around is statement:
                break
        return statement

    def uses(self, name: str, under: cst.CSTNode | None = None) -> list[cst.Name]:
        """Where the variable of this name is read."""
        return [node for node in self.walk(cst.Name, under=under) if node.value == name and self.is_load(node)]

    def is_load(self, node: cst.Name) -> bool:
        """Whether a name stands for reading a variable: it is no target, attribute, keyword or parameter."""
        if node in self._syntax.binding:
            return False
        match self.parent(node):
            case cst.Attribute(attr=attr):
                return attr is not node
            case cst.Arg(keyword=keyword):
                return keyword is not node
            case cst.ImportAlias() | cst.ImportFrom():
                return False
        return True

    @property
    def parameters(self) -> tuple[str, ...]:
        """The names of its parameters, `self` and starred ones included."""
        return tuple(param.name.value for param in self.walk(cst.Param, under=self.node.params))

    def is_local(self, name: str) -> bool:
        """Whether it is a variable of the function itself: a parameter, or bound in it and not declared otherwise."""
        if self._locals is None:
            declared = {
                item.name.value
                for node in self.own()
                if isinstance(node, (cst.Global, cst.Nonlocal))
                for item in node.names
            }
            bound = {name for node in self.own() for name in bound_names(node) if not isinstance(node, cst.CompFor)}
            self._locals = frozenset((bound | set(self.parameters)) - declared)
        return name in self._locals

    @overload
    def own(self) -> Iterator[cst.CSTNode]: ...
    @overload
    def own(self, *kinds: type[_N]) -> Iterator[_N]: ...
    def own(self, *kinds: type[cst.CSTNode]) -> Iterator[cst.CSTNode]:
        """As `walk`, but without what is in nested functions, classes and lambdas; their heads are given."""
        stack: list[cst.CSTNode] = [self.node.body]
        while stack:
            node = stack.pop()
            if not kinds or isinstance(node, kinds):
                yield node
            if not isinstance(node, (cst.FunctionDef, cst.ClassDef, cst.Lambda)):
                stack += reversed(_children(node))

    def fresh(self, hint: str) -> str:
        """A name that means nothing yet in the function, or, where it begins with an underscore, in the whole module.
        It is not given twice, so that rewrites can be combined."""
        taken = self._syntax.taken(self.module if hint.startswith("_") else self.node)
        numbered = (f"{hint}_{number}" for number in itertools.count(2))
        name = next(name for name in itertools.chain([hint], numbered) if name not in taken)
        taken.add(name)
        return name

    def is_builtin(self, name: str) -> bool:
        """Whether a name can only mean the builtin: the module binds it nowhere."""
        return name not in self._syntax.bound

    # What expressions are

    def is_pure(self, node: cst.CSTNode) -> bool:
        """Whether evaluating it has no effect, and gives the same again while what it names is the same: no call but of
        builtins that are known for it and of reading methods, no await, yield or walrus."""
        return all(self._is_harmless(one) for one in self._syntax.under(node))

    def _is_harmless(self, node: cst.CSTNode) -> bool:
        match node:
            case cst.Await() | cst.Yield() | cst.NamedExpr():
                return False
            case cst.CompFor(asynchronous=cst.Asynchronous()):
                return False
            case cst.Call(func=cst.Name(value=name)):
                return name in PURE_BUILTINS and self.is_builtin(name)
            case cst.Call(func=cst.Attribute(attr=cst.Name(value=name))):
                return name in READING_METHODS
            case cst.Call():
                return False
        return True

    def is_steady(self, node: cst.CSTNode) -> bool:
        """As `is_pure`, but trusting functions of the module that look like it, and of some modules that are known."""
        return all(
            self._is_harmless(one) or (isinstance(one, cst.Call) and self._is_trusted(one))
            for one in self._syntax.under(node)
        )

    def _is_trusted(self, call: cst.Call) -> bool:
        path = path_of(call.func) or ""
        if path.partition(".")[0] in _PURE_MODULES and "." in path:
            return True
        called = self.called(call)
        return called is not None and called.looks_pure

    def called(self, call: cst.Call) -> Function | None:
        """The function of the module that a call plainly means: `helper(…)`, or `self.helper(…)` in a method."""
        match call.func:
            case cst.Name(value=name):
                return self._syntax.by_name.get(name)
            case cst.Attribute(value=cst.Name(value="self" | "cls"), attr=cst.Name(value=name)) if self.is_method:
                for line in self.block(self.node):
                    if isinstance(line, cst.FunctionDef) and line.name.value == name:
                        return Function(self._syntax, line, is_method=True)
        return None

    def arguments(self, call: cst.Call) -> dict[str, cst.BaseExpression] | None:
        """What each parameter of this function stands for in a call of it, `self` included; None where that cannot be
        told. Defaults count where they are literals."""
        params = self.node.params
        if params.kwonly_params or params.posonly_params or params.star_kwarg or isinstance(params.star_arg, cst.Param):
            return None
        names = [param.name.value for param in params.params]
        given: dict[str, cst.BaseExpression] = {}
        if self.is_method and isinstance(call.func, cst.Attribute) and names:
            given[names.pop(0)] = call.func.value
        for number, argument in enumerate(call.args):
            name = argument.keyword.value if argument.keyword is not None else (names[number : number + 1] or [""])[0]
            if argument.star or name not in names or name in given:
                return None
            given[name] = argument.value
        for param in params.params:
            match param.default:
                case cst.Name(value="None" | "True" | "False") | cst.Integer() | cst.Float() | cst.SimpleString():
                    given.setdefault(param.name.value, param.default)
        return given if len(given) == len(params.params) else None

    @property
    def looks_pure(self) -> bool:
        """Whether, by all that can be seen, it does nothing but to find out what it returns from what it is given."""
        known = self._syntax.pure
        if self.node not in known:
            known[self.node] = True  # as far as it calls itself
            known[self.node] = self._is_closed()
        return known[self.node]

    def _is_closed(self) -> bool:
        kinds = (cst.Yield, cst.Await, cst.Global, cst.Nonlocal, cst.With, cst.Import, cst.ImportFrom)
        if (
            self.node.asynchronous is not None
            or self.node.decorators
            or not isinstance(self.node.body, cst.IndentedBlock)
        ):
            return False
        if any(isinstance(node, kinds) for node in self.walk(under=self.node.body)):
            return False
        parameters = set(self.parameters)
        for path in self.changed(self.node.body):
            root, _, rest = path.partition(".")
            if not self.is_local(root) or (root in parameters and (rest or self.mutated(root, self.node.body))):
                return False
        return all(
            self._is_harmless(call) or self._stays_inside(call) for call in self.walk(cst.Call, under=self.node.body)
        )

    def _stays_inside(self, call: cst.Call) -> bool:
        """Whether a call has no effect beyond the locals of this function."""
        path = path_of(call.func) or ""
        root, _, method = path.partition(".")
        if method and "." not in method and self.is_local(root) and root not in self.parameters:
            return True
        # Classes have names that begin with a capital; most of them only keep what they are given.
        return self._is_trusted(call) or (not method and root[:1].isupper())

    def same(self, a: cst.CSTNode, b: cst.CSTNode) -> bool:
        """Whether two expressions are the same code, whatever their blanks, brackets and quotes."""
        return self._syntax.form(a) == self._syntax.form(b)

    def form(self, node: cst.CSTNode) -> str:
        """Equal for two expressions that are the `same`."""
        return self._syntax.form(node)

    def code(self, node: cst.CSTNode) -> str:
        """The text of a node. Statements begin at the left margin; expressions that need brackets of others get some of
        their own."""
        text = self.module.code_for_node(node)
        is_open = isinstance(node, cst.BaseExpression) and not node.lpar
        return f"({text})" if is_open and ("\n" in text or isinstance(node, cst.GeneratorExp)) else text


# Putting rewrites into a module


def fit(syntax: Syntax, rewrites: Iterable[Rewrite]) -> bool:
    """Whether these can all be made at once: no two want one place, and none is inside of what another replaces."""
    return _places(syntax, rewrites) is not None


def apply(syntax: Syntax, rewrites: Iterable[Rewrite]) -> str | None:
    """The module's text with all of these made at once; None where they do not `fit`."""
    every = list(rewrites)
    places = _places(syntax, every)
    if places is None:
        return None
    tops = [_top(node, syntax) for node in places]
    replacing = _Replacing(places, syntax)
    body: list[cst.BaseStatement] = []
    in_order = sorted(every, key=lambda one: min(syntax.order[node] for node in one.replace))
    for statement in syntax.module.body:
        above = [text for one in in_order for text in one.above if _top(next(iter(one.replace)), syntax) is statement]
        changed: list[cst.BaseStatement] = [statement]
        if statement in tops:
            changed = _visited(statement, replacing)
        body += _with_above(changed, dict.fromkeys(above))
    wanted = dict.fromkeys(text for one in every for text in one.imports)
    missing = [text for text in wanted if not _has_import(body, text)]
    return syntax.text(_with_imports(body, missing))


@dataclass(slots=True)
class _Place:
    """What becomes of one node: it is swapped for something else, and statements are put beside it."""

    swap: Replacement | None = None
    before: list[cst.BaseStatement] = field(default_factory=list)
    after: list[cst.BaseStatement] = field(default_factory=list)


def _places(syntax: Syntax, rewrites: Iterable[Rewrite]) -> dict[cst.CSTNode, _Place] | None:
    """What becomes of each node; None where the rewrites do not fit."""
    places = _merged(rewrites)
    if places is None:
        return None
    swapped = {node for node, place in places.items() if place.swap is not None}
    if any(not swapped.isdisjoint(syntax.ancestors(node)) for node in places):
        return None
    return places


def _merged(rewrites: Iterable[Rewrite]) -> dict[cst.CSTNode, _Place] | None:
    """What becomes of each node; None if one is to become two things."""
    places: dict[cst.CSTNode, _Place] = {}
    for rewrite in rewrites:
        for node, replacement in rewrite.replace.items():
            place = places.setdefault(node, _Place())
            if isinstance(replacement, cst.FlattenSentinel) and any(one is node for one in replacement):
                around = cast("list[cst.BaseStatement]", list(replacement))
                index = next(index for index, one in enumerate(around) if one is node)
                place.before += around[:index]
                place.after[:0] = around[index + 1 :]
            elif place.swap is None:
                place.swap = replacement
            else:
                return None
    return places


def _top(node: cst.CSTNode, syntax: Syntax) -> cst.CSTNode:
    """The statement of the module that a node is in."""
    return next(one for one in (node, *syntax.ancestors(node)) if syntax.parents[one] is syntax.module)


class _Replacing(cst.CSTTransformer):
    """Makes a statement anew where something is to be changed; all else is taken as it is."""

    def __init__(self, places: dict[cst.CSTNode, _Place], syntax: Syntax) -> None:
        super().__init__()
        self._places = places
        self._on_the_way = {around for node in places for around in syntax.ancestors(node)}

    def on_visit(self, node: cst.CSTNode) -> bool:
        return node in self._on_the_way

    def on_leave(self, original_node: cst.CSTNodeT, updated_node: cst.CSTNodeT) -> Replacement:  # type: ignore[override]
        place = self._places.get(original_node)
        if place is None:
            return updated_node
        middle = updated_node if place.swap is None else place.swap
        if not place.before and not place.after:
            return middle
        inner: list[cst.CSTNode] = []
        if isinstance(middle, cst.FlattenSentinel):
            inner += middle
        elif isinstance(middle, cst.CSTNode):
            inner.append(middle)
        return cst.FlattenSentinel(_flowing([*place.before, *inner, *place.after]))


def _flowing(nodes: list[cst.CSTNode]) -> list[cst.CSTNode]:
    """Statements with the blank lines that were before one of them before all; functions are set apart by one."""
    for index, node in enumerate(nodes):
        blank, rest = _blank_lines(node)
        if index and blank:
            first = nodes[0]
            if isinstance(first, _WITH_LINES):
                nodes[index] = node.with_changes(leading_lines=rest)
                nodes[0] = first.with_changes(leading_lines=[*blank, *first.leading_lines])
            break
    for index, node in enumerate(nodes):
        if index and isinstance(node, _DEFINITIONS):
            nodes[index] = _apart(node, 1)
    return nodes


def _visited(statement: cst.BaseStatement, replacing: _Replacing) -> list[cst.BaseStatement]:
    changed = statement.visit(replacing)
    if isinstance(changed, cst.FlattenSentinel):
        return list(changed)
    return [changed] if isinstance(changed, cst.BaseStatement) else []


_WITH_LINES = (cst.SimpleStatementLine, cst.BaseCompoundStatement)
_DEFINITIONS = (cst.FunctionDef, cst.ClassDef)


def _blank_lines(node: cst.CSTNode) -> tuple[list[cst.EmptyLine], list[cst.EmptyLine]]:
    """The empty lines before a statement, up to the first comment, and those that come then."""
    lines = list(node.leading_lines) if isinstance(node, _WITH_LINES) else []
    blank = list(itertools.takewhile(lambda line: line.comment is None, lines))
    return blank, lines[len(blank) :]


def _apart(statement: cst.BaseStatement, lines: int) -> cst.BaseStatement:
    """The statement, with so many empty lines before it at least."""
    blank, rest = _blank_lines(statement)
    missing = [cst.EmptyLine(indent=False)] * max(0, lines - len(blank))
    return statement.with_changes(leading_lines=[*missing, *blank, *rest])


def _with_above(body: list[cst.BaseStatement], above: Iterable[str]) -> list[cst.BaseStatement]:
    new = [statement for text in above for statement in statements(text)]
    if not new or not body:
        return body
    blank, _ = _blank_lines(body[0])
    new[0] = new[0].with_changes(leading_lines=[*blank, *_blank_lines(new[0])[1]])
    for number, (one, other) in enumerate(itertools.pairwise(new), 1):
        if isinstance(one, _DEFINITIONS) or isinstance(other, _DEFINITIONS):
            new[number] = _apart(other, 2)
    return [*new, _apart(body[0], 2), *body[1:]]


# Imports


def _import_names(statement: cst.CSTNode) -> set[tuple[str, str, str]]:
    """What an import statement makes known: module, name in it, name here."""
    found = set()
    for line in statement.body if isinstance(statement, cst.SimpleStatementLine) else ():
        if not isinstance(line, (cst.Import, cst.ImportFrom)) or isinstance(line.names, cst.ImportStar):
            continue
        module = ""
        if isinstance(line, cst.ImportFrom):
            module = "." * len(line.relative) + (_dotted(line.module) if line.module is not None else "")
        for alias in line.names:
            name = _dotted(alias.name)
            asname = alias.evaluated_alias
            found.add((module, name, asname or name))
    return found


def _dotted(node: cst.CSTNode) -> str:
    return f"{_dotted(node.value)}.{node.attr.value}" if isinstance(node, cst.Attribute) else node.value  # type: ignore[attr-defined]


def _has_import(body: Iterable[cst.CSTNode], text: str) -> bool:
    present = set().union(*(_import_names(statement) for statement in body))
    return all(_import_names(statement) <= present for statement in statements(text))


def _with_imports(body: list[cst.BaseStatement], texts: Iterable[str]) -> list[cst.BaseStatement]:
    """The body with these imports, each where it belongs by its name."""
    made = list(body)
    for text in texts:
        [new] = statements(text)
        made = _merged_import(made, new) or _with_import(made, new)
    return made


def _head(body: Sequence[cst.BaseStatement]) -> list[int]:
    """Where the imports at the top are, all that come before the first function or class."""
    top = itertools.takewhile(lambda one: not isinstance(one, _DEFINITIONS), body)
    return [number for number, statement in enumerate(top) if _import_names(statement)]


def _merged_import(body: list[cst.BaseStatement], new: cst.BaseStatement) -> list[cst.BaseStatement] | None:
    """The body with a name more in an import from the same module; None where there is none that is plain."""
    wanted = _plain_from(new)
    for number in _head(body) if wanted is not None else ():
        line = _plain_from(body[number])
        if line is None or wanted is None or _dotted(line[0]) != _dotted(wanted[0]):
            continue
        names = sorted({*line[1], *wanted[1]}, key=_name_order)
        text = f"from {_dotted(line[0])} import {', '.join(names)}\n"
        if len(text) <= _LONGEST_LINE:
            [merged] = statements(text)
            old = cst.ensure_type(body[number], cst.SimpleStatementLine)
            merged = old.with_changes(body=cst.ensure_type(merged, cst.SimpleStatementLine).body)
            return [*body[:number], merged, *body[number + 1 :]]
    return None


_LONGEST_LINE = 80


def _plain_from(statement: cst.CSTNode) -> tuple[cst.BaseExpression, list[str]] | None:
    """The module and the names of `from a import b, c`, on a line of its own."""
    match statement:
        case cst.SimpleStatementLine(body=[cst.ImportFrom(module=cst.BaseExpression() as module, relative=[]) as line]):
            if line.lpar is None and not isinstance(line.names, cst.ImportStar):
                names = [alias.name.value for alias in line.names if isinstance(alias.name, cst.Name)]
                return None if any(alias.asname is not None for alias in line.names) else (module, names)
    return None


def _name_order(name: str) -> tuple[int, str, str]:
    """As it is usual: CONSTANTS, then Classes, then functions."""
    kind = 0 if name.isupper() and len(name) > 1 else 1 if name[:1].isupper() else 2
    return kind, name.lower(), name


def _with_import(body: list[cst.BaseStatement], new: cst.BaseStatement) -> list[cst.BaseStatement]:
    """The body with an import among those of the standard library; before all others where there are none of it."""
    groups = _groups(body, _head(body))
    known = next((group for group in groups if any(_is_of_library(body[number]) for number in group)), None)
    if known is not None:
        return _sorted_in(body, known, new)
    futures = [number for group in groups for number in group if _is_only_future(body[number : number + 1])]
    index = futures[-1] + 1 if futures else int(bool(body) and _is_docstring(body[0]))
    after = body[index:]
    if after:
        after[0] = _apart(after[0], 2 if isinstance(after[0], _DEFINITIONS) else 1)
    return [*body[:index], _apart(new, 1) if index else new, *after]


def _groups(body: Sequence[cst.BaseStatement], numbers: Iterable[int]) -> list[list[int]]:
    """Those of the statements together that come one after the other without a blank line between them."""
    groups: list[list[int]] = []
    for number in numbers:
        is_next = bool(groups) and groups[-1][-1] == number - 1
        if is_next and not _blank_lines(body[number])[0] and not _is_only_future(body[number - 1 : number]):
            groups[-1].append(number)
        else:
            groups.append([number])
    return groups


def _sorted_in(body: list[cst.BaseStatement], group: list[int], new: cst.BaseStatement) -> list[cst.BaseStatement]:
    """The body with an import behind those of the library in a group that come before it by the alphabet."""
    library = [number for number in group if _is_of_library(body[number])]
    before = [number for number in library if _import_order(body[number]) < _import_order(new)]
    if before:
        return [*body[: before[-1] + 1], new, *body[before[-1] + 1 :]]
    first = library[0]
    blank, rest = _blank_lines(body[first])
    new = new.with_changes(leading_lines=blank)
    return [*body[:first], new, body[first].with_changes(leading_lines=rest), *body[first + 1 :]]


def _import_order(statement: cst.CSTNode) -> tuple[bool, str]:
    """`import …` before `from … import …`, by module."""
    modules = sorted((module or name).lower() for module, name, _ in _import_names(statement))
    is_from = any(module for module, _, _ in _import_names(statement))
    return is_from, modules[0] if modules else ""


def _is_of_library(statement: cst.CSTNode) -> bool:
    roots = {(module or name).partition(".")[0] for module, name, _ in _import_names(statement)}
    return roots <= sys.stdlib_module_names and roots != {"__future__"}


def _is_docstring(statement: cst.CSTNode) -> bool:
    match statement:
        case cst.SimpleStatementLine(body=[cst.Expr(value=cst.SimpleString() | cst.ConcatenatedString())]):
            return True
    return False


def _is_only_future(body: Iterable[cst.CSTNode]) -> bool:
    modules = {module for statement in body for module, _, _ in _import_names(statement)}
    return modules == {"__future__"}
