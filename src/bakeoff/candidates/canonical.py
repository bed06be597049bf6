"""The canonical form of a file: what is left when comments, formatting, docstrings and names of locals are not (E5).

Two contents with one canonical form do the same. The reverse is not promised: when in doubt a name is kept, and a
candidate is evaluated once more than it had to be. The form is written, not run: every name that may be renamed
becomes a number, so no renaming can capture another name.

    content ──ast──▶ tree ──_Names──▶ which occurrences are which local ──_Writer──▶ bytes

A local is renamed only if every one of its bindings may be: parameters, nested functions and classes, dotted
imports, dunders, names that a class body or an annotation reads, and names declared global keep theirs. So do all
locals of a function in which, or inside which, names can be seen at run time (`locals()`, `eval`, ...), and all
locals of a module that looks at frames or code objects, or hands `locals` or `eval` on as a value.
"""

from __future__ import annotations

import ast
import symtable
import warnings
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_MARK = b"\0python\n"
_LARGEST = 1024 * 1024
# Deeper trees are not looked into: what is decided here must not depend on how deep the caller's own stack is.
_DEEPEST = 100

# Builtins with which a function sees the names of its own locals; two of them only if called without arguments.
_SEES_LOCALS = frozenset({"locals", "vars", "dir", "eval", "exec", "breakpoint"})
_SEES_WITH_ARGUMENTS = _SEES_LOCALS - {"vars", "dir"}
# Methods that look up names in the function that calls them: `frame.query("a > @limit")`, `numexpr.evaluate`.
_SEES_CALLER = frozenset({"eval", "query", "evaluate"})
# Names with which any function of the module can see the locals of another one.
_SEES_FRAMES = frozenset(
    {"_getframe", "_current_frames", "currentframe", "getouterframes", "getinnerframes", "getframeinfo"}
    | {"f_locals", "f_back", "f_code", "tb_frame", "gi_frame", "cr_frame", "ag_frame", "walk_stack", "walk_tb"}
    | {"__code__", "co_varnames", "co_cellvars", "co_freevars", "settrace", "setprofile", "get_closure_vars"}
)
_SEES_FRAMES_OF_INSPECT = frozenset({"stack", "trace", "*"})

_Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef
_Comprehension: TypeAlias = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp
_Documented: TypeAlias = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


def canonical(path: str, content: bytes) -> bytes:
    """The content as it counts for telling candidates apart; itself, unless it is Python that can be read.

    Kept on purpose, because they can be seen at run time: annotations (of locals too), parameters, the first line
    if it is a `#!`, and docstrings in a module that mentions `__doc__`. Equal within one version of Python only.
    """
    written = _written(content) if path.endswith((".py", ".pyw")) and len(content) <= _LARGEST else None
    if written is not None:
        return _MARK + _shebang(content) + written
    return _MARK + b"raw\n" + content if content.startswith(_MARK) else content


def _shebang(content: bytes) -> bytes:
    return (content.split(b"\n", 1)[0].rstrip() if content.startswith(b"#!") else b"") + b"\n"


def _written(content: bytes) -> bytes | None:
    tree = _parsed(content)
    if tree is None or _is_deeper(tree, _DEEPEST):
        return None
    names = _Names()
    try:
        names.read(tree)
        return _Writer(names).written(tree)
    except RecursionError:  # a caller with hardly any stack left
        return None


def _parsed(content: bytes) -> ast.Module | None:
    """The tree, or None for what Python would not take.

    The second reading finds what the first lets pass and names decide: `nonlocal` of nothing, a walrus onto the
    variable of its own comprehension. Such a module must not equal the valid one that it becomes when renamed.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            tree = ast.parse(content)
            symtable.symtable(content, "<candidate>", "exec")  # type: ignore[arg-type]  # bytes, for the coding line
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None
    return tree


def _is_deeper(tree: ast.AST, limit: int) -> bool:
    level: list[ast.AST] = [tree]
    for _ in range(limit):
        level = [child for node in level for child in ast.iter_child_nodes(node)]
        if not level:
            return False
    return True


# Which name is which


@dataclass(slots=True, eq=False)
class _Local:
    """A variable of one function; it keeps its name unless all its bindings let it go."""

    is_kept: bool = False


@dataclass(slots=True, eq=False, kw_only=True)
class _Scope:
    """A module, class, function, lambda or comprehension. `private` is the class whose `__names` are mangled."""

    parent: _Scope | None
    is_function: bool = False
    is_class: bool = False
    is_comprehension: bool = False
    private: str = ""
    locals: dict[str, _Local] = field(default_factory=dict)
    globals: set[str] = field(default_factory=set)
    nonlocals: set[str] = field(default_factory=set)

    def chain(self) -> Iterator[_Scope]:
        scope: _Scope | None = self
        while scope is not None:
            yield scope
            scope = scope.parent

    def mangled(self, name: str) -> str:
        owner = self.private.lstrip("_")
        is_private = name.startswith("__") and not name.endswith("__") and "." not in name
        return f"_{owner}{name}" if owner and is_private else name

    def find(self, name: str) -> _Local | None:
        """The function's local that a mangled name means here; None for a global, a builtin, a class attribute."""
        for scope in self.chain():
            if scope.is_class and scope is not self:
                continue
            if name in scope.globals:
                return None
            if name in scope.locals and name not in scope.nonlocals:
                return scope.locals[name] if scope.is_function else None
        return None


class _Names(ast.NodeVisitor):
    """Reads a tree and knows, for each node that names a local which may be renamed, which one that is."""

    def __init__(self) -> None:
        self.keeps_docstrings = False
        self._sees_frames = False
        self._scope = _Scope(parent=None)
        self._keeps = False
        self._uses: list[tuple[int, _Scope, str]] = []
        self._kept: list[tuple[_Scope, str]] = []
        self._open: set[_Scope] = set()
        self._handed_on: list[tuple[_Scope, str]] = []
        self._found: dict[tuple[int, str], _Local] = {}

    def read(self, tree: ast.Module) -> None:
        self.visit(tree)
        for scope, name in self._kept:
            self._keep_everywhere(scope, name)
        for scope in self._open:
            for local in scope.locals.values():
                local.is_kept = True
        # As a value, under whatever name, it can be called from anywhere; unless it is only a local of that name.
        self._sees_frames |= any(scope.find(name) is None for scope, name in self._handed_on)
        for node, scope, name in self._uses:
            found = scope.find(scope.mangled(name))
            if found is not None and not found.is_kept and not self._sees_frames:
                self._found[node, name] = found

    def local(self, node: ast.AST, name: str) -> _Local | None:
        """The local that `name` means in this node, if it may be renamed."""
        return self._found.get((id(node), name))

    def _keep_everywhere(self, scope: _Scope, name: str) -> None:
        """The name is used where it is hard to say what it means: whatever it could mean keeps its name."""
        for outer in scope.chain():
            for spelled in (name, scope.mangled(name)):
                if spelled in outer.locals:
                    outer.locals[spelled].is_kept = True

    # What a node does to names

    def _use(self, node: ast.AST, name: str, scope: _Scope | None = None) -> None:
        scope = scope or self._scope
        self._uses.append((id(node), scope, name))
        if scope.is_class or self._keeps:
            self._kept.append((scope, name))

    def _bind(self, name: str, *, is_kept: bool = False, scope: _Scope | None = None) -> None:
        scope = scope or self._scope
        scope.locals.setdefault(scope.mangled(name), _Local())
        # Python itself looks at some names: it lists a class's attributes by what is assigned to `self.…`.
        is_special = name == "self" or (name.startswith("__") and name.endswith("__"))
        if is_kept or self._keeps or is_special:
            self._kept.append((scope, name))

    def _notice(self, name: str) -> None:
        """Look at any name, wherever it stands, for what it lets the program see."""
        self.keeps_docstrings |= name in {"__doc__", "getdoc"}
        self._sees_frames |= name in _SEES_FRAMES

    def _open_here(self) -> None:
        """Whatever runs here sees the names of the functions around it."""
        self._open.update(scope for scope in self._scope.chain() if scope.is_function)

    def _visit_all(self, nodes: Sequence[ast.AST | None]) -> None:
        for node in nodes:
            if node is not None:
                self.visit(node)

    def _inside(self, scope: _Scope, nodes: Sequence[ast.AST | None], *, keeps: bool = False) -> None:
        """Visit in that scope. With `keeps`, as what may be kept as text or be evaluated later and elsewhere."""
        outside = self._scope, self._keeps
        self._scope, self._keeps = scope, self._keeps or keeps
        self._visit_all(nodes)
        self._scope, self._keeps = outside

    # Names

    def visit_Name(self, node: ast.Name) -> None:
        self._notice(node.id)
        if node.id == "inspect":
            self._open_here()
        if not isinstance(node.ctx, ast.Load):
            self._bind(node.id)
        elif node.id in _SEES_LOCALS:
            self._handed_on.append((self._scope, node.id))
        self._use(node, node.id)

    def visit_NamedExpr(self, node: ast.NamedExpr) -> None:
        """A walrus binds in the function around a comprehension, not in the comprehension."""
        scope = next(scope for scope in self._scope.chain() if not scope.is_comprehension)
        self._bind(node.target.id, scope=scope)
        self._use(node.target, node.target.id, scope)
        self.visit(node.value)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        self._inside(self._scope, [node.annotation], keeps=True)
        self._visit_all([node.value])
        # `(x): int` alone binds nothing, and it is not worth knowing what `x` is then.
        self._inside(self._scope, [node.target], keeps=node.value is None and not node.simple)

    def visit_Global(self, node: ast.Global) -> None:
        self._scope.globals.update(map(self._scope.mangled, node.names))

    def visit_Nonlocal(self, node: ast.Nonlocal) -> None:
        self._scope.nonlocals.update(map(self._scope.mangled, node.names))
        for name in node.names:
            self._use(node, name)

    def _captured(self, node: ast.MatchAs | ast.MatchStar | ast.MatchMapping | ast.ExceptHandler) -> None:
        name = node.rest if isinstance(node, ast.MatchMapping) else node.name
        if name is not None:
            self._bind(name)
            self._use(node, name)
        self.generic_visit(node)

    visit_MatchAs = visit_MatchStar = visit_MatchMapping = visit_ExceptHandler = _captured  # noqa: N815

    def visit_alias(self, node: ast.alias) -> None:
        bound = node.asname or node.name.partition(".")[0]
        self._notice(node.name)
        self._sees_frames |= node.name in _SEES_LOCALS | _SEES_CALLER or (node.name == "inspect" and bound != "inspect")
        if node.name == "inspect":
            self._open_here()
        if node.name != "*":
            # `import a.b` binds `a` and cannot be written with another name for it.
            self._bind(bound, is_kept=node.asname is None and "." in node.name)
            self._use(node, bound)

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        names = {alias.name for alias in node.names}
        self._sees_frames |= node.module == "inspect" and bool(names & _SEES_FRAMES_OF_INSPECT)
        self._visit_all(node.names)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        self._notice(node.attr)
        match node.value:
            case ast.Name(id="inspect"):
                self._sees_frames |= node.attr in _SEES_FRAMES_OF_INSPECT
            case ast.Name(id="builtins" | "__builtins__"):
                self._sees_frames |= node.attr in _SEES_LOCALS
        if node.attr in _SEES_CALLER:
            self._open_here()
        self.visit(node.value)

    def visit_Call(self, node: ast.Call) -> None:
        match node.func:
            case ast.Name(id=name) if name in _SEES_LOCALS:
                has_argument = any(not isinstance(argument, ast.Starred) for argument in node.args)
                if name in _SEES_WITH_ARGUMENTS or not has_argument:
                    self._open_here()
                self._use(node.func, name)
            case function:
                self.visit(function)
        self._visit_all([*node.args, *node.keywords])

    def visit_Constant(self, node: ast.Constant) -> None:
        """`getattr(sys, "_getframe")`."""
        if isinstance(node.value, str):
            self._notice(node.value)
            self._sees_frames |= node.value in {"locals", "eval", "exec"}

    # Scopes

    def _function(self, node: _Function) -> None:
        self._visit_all([*node.decorator_list, *_defaults(node.args)])
        self._bind(node.name, is_kept=True)
        scope = self._typed(node)
        arguments = _arguments(node.args)
        annotations = [*(argument.annotation for argument in arguments), node.returns]
        self._inside(scope, annotations, keeps=True)
        self._inside(self._with_arguments(scope, arguments), node.body)

    visit_FunctionDef = visit_AsyncFunctionDef = _function  # noqa: N815

    def visit_Lambda(self, node: ast.Lambda) -> None:
        self._visit_all(_defaults(node.args))
        self._inside(self._with_arguments(self._scope, _arguments(node.args)), [node.body])

    def _with_arguments(self, parent: _Scope, arguments: list[ast.arg]) -> _Scope:
        scope = _Scope(parent=parent, is_function=True, private=parent.private)
        for argument in arguments:
            self._bind(argument.arg, is_kept=True, scope=scope)
        return scope

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self._visit_all(node.decorator_list)
        self._bind(node.name, is_kept=True)
        scope = self._typed(node)
        self._inside(scope, [*node.bases, *node.keywords], keeps=scope is not self._scope)
        self._inside(_Scope(parent=scope, is_class=True, private=node.name), node.body)

    def _typed(self, node: ast.AST) -> _Scope:
        """The scope of `[T]` in `def f[T]()`, which is the present one where there is no such thing."""
        parameters: list[ast.AST] = getattr(node, "type_params", [])
        if not parameters:
            return self._scope
        scope = _Scope(parent=self._scope, is_function=True, private=self._scope.private)
        for parameter in parameters:
            self._bind(getattr(parameter, "name", ""), is_kept=True, scope=scope)
        self._inside(scope, parameters, keeps=True)
        return scope

    def visit_TypeAlias(self, node: ast.AST) -> None:
        scope = self._typed(node)
        self._inside(self._scope, [getattr(node, "name", None)], keeps=True)
        self._inside(scope, [getattr(node, "value", None)], keeps=True)

    def _comprehension(self, node: _Comprehension) -> None:
        """The first iterable belongs to the scope around it, all the rest to its own."""
        first, *others = node.generators
        self.visit(first.iter)
        scope = _Scope(parent=self._scope, is_function=True, is_comprehension=True, private=self._scope.private)
        elements = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
        self._inside(scope, [first.target, *first.ifs, *others, *elements])

    visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = _comprehension  # noqa: N815


def _arguments(arguments: ast.arguments) -> list[ast.arg]:
    several = [arguments.vararg, arguments.kwarg]
    alone = [argument for argument in several if argument is not None]
    return [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, *alone]


def _defaults(arguments: ast.arguments) -> list[ast.expr | None]:
    return [*arguments.defaults, *arguments.kw_defaults]


# Writing it down


class _Writer:
    """Writes a tree so that no two trees that differ in what counts are written alike.

    Each text goes in with its length, each field with its name, and each renamed local as the number of its first
    appearance.
    """

    def __init__(self, names: _Names) -> None:
        self._names = names
        self._numbers: dict[_Local, int] = {}
        self._pieces: list[str] = []

    def written(self, tree: ast.Module) -> bytes:
        self._node(tree)
        return "".join(self._pieces).encode(errors="surrogatepass")

    def _node(self, node: ast.AST) -> None:
        if isinstance(node, ast.Constant):
            self._pieces.append(_constant(node.value))
            return
        self._pieces.append(f"({type(node).__name__}")
        for name, value in self._fields(node):
            # Fields that newer versions of Python added are empty where they are not used.
            if value is not None and value != []:
                self._pieces.append(f" {name}=")
                self._value(node, value)
        self._pieces.append(")")

    def _fields(self, node: ast.AST) -> Iterator[tuple[str, object]]:
        if isinstance(node, ast.alias):
            yield from self._alias_fields(node)
            return
        for name, value in ast.iter_fields(node):
            if name == "body" and isinstance(node, _Documented) and not self._names.keeps_docstrings:
                yield name, _without_docstring(node)
            elif name not in {"ctx", "type_comment"}:
                yield name, value

    def _alias_fields(self, node: ast.alias) -> Iterator[tuple[str, object]]:
        """`import os` is `import os as os`, where the second `os` is a name like any other."""
        bound = node.asname or node.name
        local = self._names.local(node, bound)
        yield "name", ast.Constant(node.name)
        yield "asname", bound if local else node.asname

    def _value(self, node: ast.AST, value: object) -> None:
        match value:
            case ast.AST():
                self._node(value)
            case list():
                self._pieces.append("[")
                for item in value:
                    self._value(node, item)
                self._pieces.append("]")
            case str():
                self._pieces.append(self._identifier(node, value))
            case _:
                self._pieces.append(f"<{value}>")

    def _identifier(self, node: ast.AST, name: str) -> str:
        local = self._names.local(node, name)
        if local is None:
            return _text(name)
        return f"#{self._numbers.setdefault(local, len(self._numbers))}"


def _without_docstring(node: _Documented) -> list[ast.stmt]:
    match node.body:
        case [ast.Expr(value=ast.Constant(value=str())), *rest]:
            return rest or [ast.Pass()]
    return node.body or [ast.Pass()]


def _constant(value: object) -> str:
    match value:
        case str():
            return f"(str {_text(value)})"
        case bool():
            return f"(bool {value})"
        case int():
            return f"(int {value:x})"  # decimal digits of a large number are refused by Python, and slow
    return f"({type(value).__name__} {value!r})"


def _text(text: str) -> str:
    return f"{len(text)}:{text};"
