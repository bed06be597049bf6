"""What the target is called with while something else runs, usually the project's tests.

The target's module is compiled with one more decorator on the target, so that everybody who refers to it, in whatever
way and from its first moment, gets the recording one. Arguments are written down before the call, as bytes; of many
calls of one shape a few are kept, chosen evenly, with how many they stand for.

    tape = Tape(...); tape.listen(module, qualname); … run … ; tape.kept()
"""

from __future__ import annotations

import ast
import contextlib
import contextvars
import functools
import hashlib
import importlib.machinery
import importlib.util
import inspect
import random
import sys
import types

from . import recordings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Generator, Iterator
    from typing import Any

__all__ = ["Tape", "shape_of"]

_NAME = "__bakeoff_recorded__"
_DESCRIPTORS = {"staticmethod", "classmethod", "property", "cached_property"}
_MOST_ITEMS = 1000
_MOST_DEPTH = 3
# Calls inside a recorded call are part of it.
_inside: contextvars.ContextVar[bool] = contextvars.ContextVar("bakeoff_inside", default=False)


class _Kept:
    """One call that is kept: its arguments as they were, and what came of it."""

    __slots__ = ("arguments", "digest", "seen", "tests")

    def __init__(self, arguments: bytes, digest: bytes, test: str) -> None:
        self.arguments = arguments
        self.digest = digest
        self.tests = [test]
        self.seen: bytes | None = None


class _Shape:
    """The calls of one shape: how many there were, and those that are kept."""

    def __init__(self) -> None:
        self.count = 0
        self.kept: list[_Kept] = []


class Tape:
    """Calls of one target: at most `most` are kept, at most `each` of a shape, and at most `size` bytes in all."""

    def __init__(self, *, most: int = 1000, each: int = 20, size: int = 32 << 20, seed: int = 0) -> None:
        self.test = ""
        self.reaching: dict[str, int] = {}
        self.uncopied: dict[str, int] = {}
        self.count = 0
        self._most, self._each, self._size = most, each, size
        self._used = 0
        self._random = random.Random(seed)
        self._shapes: dict[str, _Shape] = {}

    # -- hearing --------------------------------------------------------------------------------------------------

    def listen(self, module: str, qualname: str) -> None:
        """From now on, whoever imports the module gets a target that records."""
        sys.meta_path.insert(0, _Finder(module, qualname.split("."), self.recording))

    def recording(self, target: Any) -> Any:
        """The target, with its calls recorded; whatever it is, it is used as before."""
        if isinstance(target, types.FunctionType):
            return functools.wraps(target)(_wrapper(self, target))
        return _Proxy(self, target) if callable(target) else target

    @contextlib.contextmanager
    def call(self, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> Iterator[list[Any]]:
        """One call; what came of it is put into the list by the caller of this."""
        token = _inside.set(True)
        kept = self.begin(arguments, keywords)
        result: list[Any] = []
        try:
            yield result
        except BaseException as error:
            result[:] = ["raised", error]
            raise
        finally:
            if kept is not None and result:
                with contextlib.suppress(recordings.Uncopyable):
                    kept.seen = recordings.dumps((*result, arguments, keywords), self._size >> 5)
            _inside.reset(token)

    def begin(self, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> _Kept | None:
        """Take note of a call that begins; None where it is only counted."""
        self.count += 1
        self.reaching[self.test] = self.reaching.get(self.test, 0) + 1
        shape = self._shapes.setdefault(shape_of((arguments, keywords)), _Shape())
        shape.count += 1
        place = len(shape.kept)
        if place >= self._each or self._total() >= self._most:
            place = self._random.randrange(shape.count)
            if place >= len(shape.kept):
                return None
        return self._keep(shape, place, arguments, keywords)

    def _keep(self, shape: _Shape, place: int, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> _Kept | None:
        try:
            blob = recordings.dumps((arguments, keywords), self._size >> 3)
        except recordings.Uncopyable as error:
            self.uncopied[str(error)] = self.uncopied.get(str(error), 0) + 1
            return None
        if self._used + len(blob) > self._size:
            self.uncopied["there is no more room"] = self.uncopied.get("there is no more room", 0) + 1
            return None
        digest = hashlib.sha256(blob).digest()
        for known in shape.kept:
            if known.digest == digest:
                known.tests += [] if self.test in known.tests else [self.test]
                return None
        kept = _Kept(blob, digest, self.test)
        self._used += len(blob) - sum(len(old.arguments) for old in shape.kept[place : place + 1])
        shape.kept[place : place + 1] = [kept]
        return kept

    def _total(self) -> int:
        return sum(len(shape.kept) for shape in self._shapes.values())

    # -- what was heard -------------------------------------------------------------------------------------------

    def kept(self) -> list[dict[str, Any]]:
        """The calls, as data."""
        return [
            {
                "arguments": kept.arguments,
                "seen": kept.seen,
                "shape": name,
                "weight": shape.count / len(shape.kept),
                "tests": kept.tests,
            }
            for name, shape in self._shapes.items()
            for kept in shape.kept
        ]


def shape_of(value: Any, depth: int = 0) -> str:
    """What kind of value it is: types, and sizes roughly. Exact types only, so that no foreign code runs."""
    kind = type(value)
    name = kind.__name__
    if depth > _MOST_DEPTH or kind not in (list, tuple, dict, set, frozenset, str, bytes, bytearray):
        return name
    size = len(value).bit_length()
    if kind in (str, bytes, bytearray) or not value:
        return f"{name}{size}"
    if kind is dict:
        inner = sorted({shape_of(item, depth + 1) for item in list(value.values())[:8]})
        return f"{name}{size}{{{','.join(inner)}}}"
    few = [shape_of(item, depth + 1) for item in list(value)[:8]]
    return f"{name}{size}[{','.join(few if kind is tuple else sorted(set(few)))}]"


# -- wrappers, one for each kind of function --------------------------------------------------------------------------


def _wrapper(tape: Tape, target: Callable[..., Any]) -> Callable[..., Any]:
    if inspect.iscoroutinefunction(target):
        return _coroutine(tape, target)
    if inspect.isasyncgenfunction(target):
        return _async_generator(tape, target)
    if inspect.isgeneratorfunction(target):
        return _generator(tape, target)
    return _function(tape, target)


def _function(tape: Tape, target: Callable[..., Any]) -> Callable[..., Any]:
    def recorded(*arguments: Any, **keywords: Any) -> Any:
        if _inside.get():
            return target(*arguments, **keywords)
        with tape.call(arguments, keywords) as result:
            value = target(*arguments, **keywords)
            result[:] = ["returned", value]
        return value

    return recorded


def _coroutine(tape: Tape, target: Callable[..., Any]) -> Callable[..., Any]:
    async def recorded(*arguments: Any, **keywords: Any) -> Any:
        if _inside.get():
            return await target(*arguments, **keywords)
        with tape.call(arguments, keywords) as result:
            value = await target(*arguments, **keywords)
            result[:] = ["returned", value]
        return value

    return recorded


def _generator(tape: Tape, target: Callable[..., Any]) -> Callable[..., Any]:
    """Only its steps are inside: between them, what asks for its items runs."""

    def recorded(*arguments: Any, **keywords: Any) -> Generator[Any, Any, Any]:
        if _inside.get():
            return (yield from target(*arguments, **keywords))
        kept = tape.begin(arguments, keywords)
        items: list[Any] = []
        value = yield from _steps(target(*arguments, **keywords), items)
        if kept is not None and len(items) < _MOST_ITEMS:
            with contextlib.suppress(recordings.Uncopyable):
                kept.seen = recordings.dumps(("yielded", items, arguments, keywords))
        return value

    return recorded


def _steps(items: Generator[Any, Any, Any], seen: list[Any]) -> Generator[Any, Any, Any]:
    step: Callable[[], Any] = functools.partial(next, items)
    while True:
        token = _inside.set(True)
        try:
            item = step()
        except StopIteration as end:
            return end.value
        finally:
            _inside.reset(token)
        if len(seen) < _MOST_ITEMS:
            seen.append(item)
        try:
            sent = yield item
        except GeneratorExit:
            items.close()
            raise
        except BaseException as error:
            step = functools.partial(items.throw, error)
        else:
            step = functools.partial(items.send, sent)


def _async_generator(tape: Tape, target: Callable[..., Any]) -> Callable[..., Any]:
    async def recorded(*arguments: Any, **keywords: Any) -> AsyncIterator[Any]:
        if not _inside.get():
            tape.begin(arguments, keywords)
        async for item in target(*arguments, **keywords):
            yield item

    return recorded


class _Proxy:
    """Stands for a target that is not a plain function: one with a cache, or made by a decorator of its own."""

    def __init__(self, tape: Tape, target: Any) -> None:
        self.__dict__["_call"] = _function(tape, target)
        self.__dict__["__wrapped__"] = target

    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        return self._call(*arguments, **keywords)

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        return self if instance is None else types.MethodType(self, instance)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.__dict__["__wrapped__"], name)

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(self.__dict__["__wrapped__"], name, value)


# -- the module, compiled with one more decorator ---------------------------------------------------------------------


class _Finder:
    def __init__(self, module: str, names: list[str], decorator: Callable[[Any], Any]) -> None:
        self._module = module
        self._names = names
        self._decorator = decorator

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> importlib.machinery.ModuleSpec | None:
        if name != self._module:
            return None
        for finder in sys.meta_path:
            spec = finder.find_spec(name, path, target) if not isinstance(finder, _Finder) else None
            if spec is not None:
                break
        else:
            return None
        if isinstance(spec.loader, importlib.machinery.SourceFileLoader):
            spec.loader = _Loader(spec.loader.name, spec.loader.path, self._names, self._decorator)
        return spec


class _Loader(importlib.machinery.SourceFileLoader):
    def __init__(self, name: str, path: str, names: list[str], decorator: Callable[[Any], Any]) -> None:
        super().__init__(name, path)
        self._names = names
        self._decorator = decorator

    def get_code(self, fullname: str) -> types.CodeType:
        path = self.get_filename(fullname)
        tree = ast.parse(self.get_data(path), path)
        _decorate(tree.body, self._names)
        code: types.CodeType = compile(tree, path, "exec", dont_inherit=True)
        return code

    def exec_module(self, module: types.ModuleType) -> None:
        vars(module)[_NAME] = self._decorator
        super().exec_module(module)
        if len(self._names) == 1 and not _is_defined(self._names[0], module):
            # Not made by a `def` of that name.
            with contextlib.suppress(AttributeError):
                setattr(module, self._names[0], self._decorator(getattr(module, self._names[0])))


def _is_defined(name: str, module: types.ModuleType) -> bool:
    found = getattr(module, name, None)
    return found is None or hasattr(found, "__wrapped__")


def _decorate(body: list[ast.stmt], names: list[str]) -> None:
    """Decorate the definitions of a name, wherever in the body they are: inside an `if` or a `try` too."""
    for node in body:
        if isinstance(node, ast.ClassDef):
            if len(names) > 1 and node.name == names[0]:
                _decorate(node.body, names[1:])
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            if names == [node.name]:
                _add_decorator(node)
        else:
            for field in ("body", "orelse", "finalbody"):
                _decorate(getattr(node, field, []), names)
            for handler in getattr(node, "handlers", []):
                _decorate(handler.body, names)


def _add_decorator(node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
    """Outermost, but inside of what makes a descriptor of it; setters and overloads are not the target."""
    last = [
        part.attr if isinstance(part, ast.Attribute) else getattr(part, "id", "")
        for part in (found.func if isinstance(found, ast.Call) else found for found in node.decorator_list)
    ]
    if {"setter", "deleter", "overload"} & set(last):
        return
    place = max((number + 1 for number, name in enumerate(last) if name in _DESCRIPTORS), default=0)
    decorator = ast.copy_location(ast.Name(id=_NAME, ctx=ast.Load()), node)
    node.decorator_list.insert(place, decorator)
