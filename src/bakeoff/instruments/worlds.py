"""Worlds: copies of the project's packages that live side by side in one process, each with its own files and modules.

    folder ──links──▶ place/NAME/  with the edits of this world made
                          └─ imported while the world is entered, and kept apart from the other worlds' when it is not

The tree costs a link for each file beside an edited one, not a copy of the project. What is imported while a world is
entered, also by an import inside a function that is called then, comes from its tree.
"""

from __future__ import annotations

import contextlib
import functools
import importlib
import importlib.machinery
import inspect
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from typing import Any

__all__ = ["Callee", "CannotLoadTwice", "NoSuchTarget", "World", "project_names", "strays"]

_NEVER = frozenset({".git", ".hg", ".venv", "node_modules"})
_STANDARD = frozenset(getattr(sys, "stdlib_module_names", ()))


class NoSuchTarget(Exception):
    """Raised where a module has nothing callable of that name."""


class CannotLoadTwice(Exception):
    """Raised where a module of the project is an extension, of which a process has only one."""


class Callee:
    """The target as it is called with recorded arguments: a method is given its receiver as the first of them.

    `kind` is function, generator, coroutine or async-generator, as far as the function itself tells; `receiver` is
    instance, class, or none.
    """

    def __init__(self, function: Callable[..., Any], receiver: str = "none") -> None:
        self.function = function
        self.receiver = receiver
        plain = inspect.unwrap(function)
        self.kind = "function"
        if inspect.iscoroutinefunction(plain):
            self.kind = "coroutine"
        elif inspect.isasyncgenfunction(plain):
            self.kind = "async-generator"
        elif inspect.isgeneratorfunction(plain):
            self.kind = "generator"


class World:
    """One copy of the project. `edits` maps paths to new contents, or to None for what is deleted.

    `alike` names paths that are to be files of this world's own though they are not edited: where another world edits
    them, so that no world differs from another in how its tree is made. `roots` are the folders that imports start
    from, relative to the project's. `alone` says that no other world comes into this process: then extensions will do.
    """

    def __init__(
        self,
        name: str,
        folder: str,
        place: str,
        *,
        roots: Sequence[str] = ("",),
        edits: Mapping[str, bytes | None] | None = None,
        alike: Iterable[str] = (),
        alone: bool = False,
    ) -> None:
        self.name = name
        self._alone = alone
        self.tree = os.path.join(place, name)
        own: dict[str, bytes | None] = {}
        for path in alike:
            with contextlib.suppress(OSError), open(os.path.join(folder, path), "rb") as file:
                own[path] = file.read()
        own.update(edits or {})
        _plant(folder, self.tree, own)
        self.paths = [os.path.normpath(os.path.join(self.tree, root)) for root in roots]
        self.names = project_names(self.tree, roots)
        self._modules: dict[str, Any] = {}
        self._outside: dict[str, Any] = {}
        self._foreign = 0
        self._path: list[str] = []
        self._depth = 0

    @contextlib.contextmanager
    def entered(self) -> Iterator[World]:
        """Within the block, imports find this world's modules, and pickle builds its classes."""
        self.enter()
        try:
            yield self
        finally:
            self.leave()

    def enter(self) -> None:
        self._depth += 1
        if self._depth > 1:
            return
        self._outside = self._taken_out()
        self._path = sys.path[:]
        sys.modules.update(self._modules)
        sys.path[:0] = self.paths
        sys.dont_write_bytecode = True

    def leave(self) -> None:
        self._depth -= 1
        if self._depth:
            return
        self._modules = self._taken_out()
        sys.modules.update(self._outside)
        sys.path[:] = self._path

    def _taken_out(self) -> dict[str, Any]:
        """The project's modules, which are imported no more.

        That takes a look at all modules there are; where their number tells that none has come, at the known ones.
        """
        known = [name for name in (*self._modules, *self._outside) if name in sys.modules]
        mine = dict.fromkeys(known)
        if len(sys.modules) - len(mine) != self._foreign:
            mine = dict.fromkeys(name for name in sys.modules if name.partition(".")[0] in self.names)
            self._foreign = len(sys.modules) - len(mine)
        return {name: sys.modules.pop(name) for name in mine}

    def callee(self, module: str, qualname: str) -> Callee:
        """The target, imported; for use inside `entered`. What the import raises is raised."""
        found: Any = importlib.import_module(module)
        if not self._alone:
            self._check()
        owner: Any = None
        for part in qualname.split("."):
            owner = found
            try:
                found = inspect.getattr_static(owner, part)
            except AttributeError:
                raise NoSuchTarget(f"{module} has no {qualname}") from None
        function = _plain(found)
        if isinstance(function, type):
            raise NoSuchTarget(f"{module}.{qualname} is a class: name one of its methods")
        if not callable(function):
            raise NoSuchTarget(f"{module}.{qualname} cannot be called: it is of type {type(found).__name__}")
        receiver = "none"
        if isinstance(owner, type) and not isinstance(found, staticmethod):
            receiver = "class" if isinstance(found, classmethod) else "instance"
        return Callee(function, receiver)

    @property
    def modules(self) -> dict[str, Any]:
        """What was imported of this world so far, by name."""
        if self._depth:
            return {name: module for name, module in sys.modules.items() if name.partition(".")[0] in self.names}
        return dict(self._modules)

    @property
    def extensions(self) -> list[str]:
        """Those of them that are extension modules, by name."""
        kind = importlib.machinery.ExtensionFileLoader
        specs = {name: getattr(module, "__spec__", None) for name, module in self.modules.items()}
        return [name for name, spec in specs.items() if isinstance(getattr(spec, "loader", None), kind)]

    def _check(self) -> None:
        for name in self.extensions:
            raise CannotLoadTwice(f"{name} is an extension module")


def strays(*all_worlds: World) -> list[str]:
    """Modules of a project that are there though none of its worlds is entered: somebody hid them."""
    names = {name for world in all_worlds for name in world.names}
    return [name for name in sys.modules if name.partition(".")[0] in names]


def project_names(folder: str, roots: Iterable[str]) -> frozenset[str]:
    """The top-level modules that are the project's own: those that importing from its roots can find."""
    found = set()
    for root in roots:
        with contextlib.suppress(OSError):
            for entry in os.scandir(os.path.join(folder, root)):
                name, _, ending = entry.name.partition(".")
                is_module = entry.is_file() and ending.rpartition(".")[2] in ("py", "so", "pyd")
                if name.isidentifier() and (is_module or (not ending and _is_package(entry))):
                    found.add(name)
    return frozenset(found)


def _is_package(entry: os.DirEntry[str]) -> bool:
    if not entry.is_dir() or entry.name in _NEVER:
        return False
    if os.path.exists(os.path.join(entry.path, "__init__.py")):
        return True
    # Without that file it is a package only where nothing else has its name.
    known = sys.modules.get(entry.name)
    return entry.name not in _STANDARD and getattr(known, "__file__", None) is None


def _plain(found: Any) -> Any:
    """What is called in the end when a class's attribute is used."""
    if isinstance(found, (staticmethod, classmethod)):
        return found.__func__
    if isinstance(found, property):
        return found.fget
    if isinstance(found, functools.cached_property):
        return found.func
    return found


# -- trees ------------------------------------------------------------------------------------------------------------


def _plant(folder: str, tree: str, edits: Mapping[str, bytes | None]) -> None:
    """Make `tree` look like `folder` with the edits made: links, but for edited files and the folders they are in."""
    os.makedirs(tree)
    here: dict[str, bytes | None] = {}
    below: dict[str, dict[str, bytes | None]] = {}
    for path, content in edits.items():
        first, slash, rest = path.partition("/")
        if slash:
            below.setdefault(first, {})[rest] = content
        else:
            here[first] = content
    for entry in os.scandir(folder) if os.path.isdir(folder) else ():
        if entry.name == "__pycache__":
            _link_bytecode(entry.path, os.path.join(tree, entry.name), here)
        elif entry.name not in here and entry.name not in below and entry.name not in _NEVER:
            os.symlink(entry.path, os.path.join(tree, entry.name))
    for name, deeper in below.items():
        _plant(os.path.join(folder, name), os.path.join(tree, name), deeper)
    for name, content in here.items():
        if content is not None:
            with open(os.path.join(tree, name), "wb") as file:
                file.write(content)


def _link_bytecode(folder: str, tree: str, edited: Mapping[str, bytes | None]) -> None:
    """Byte code of files that are not edited; for one that is, it might be taken for its own."""
    stems = {name.partition(".")[0] for name in edited}
    if not stems:
        os.symlink(folder, tree)
        return
    os.mkdir(tree)
    for entry in os.scandir(folder):
        if entry.name.partition(".")[0] not in stems:
            os.symlink(entry.path, os.path.join(tree, entry.name))
