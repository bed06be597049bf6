"""What the target is called with while something else runs, usually the project's tests.

The target's module is compiled with one more decorator on the target, so that everybody who refers to it, in whatever
way and from its first moment, gets the recording one. Arguments are written down before the call, as bytes; of many
calls of one shape a few are kept, chosen evenly, with how many they stand for.

    tape = Tape(...); tape.listen(module, qualname, path); … run … ; tape.kept()
"""

from __future__ import annotations

import abc
import ast
import contextlib
import contextvars
import functools
import hashlib
import importlib.machinery
import importlib.util
import inspect
import os
import random
import types

from . import recordings
from .lineage import Lives
from .streams import Streams, are_among

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable, Generator
    from typing import Any, TypeVar

    Function = TypeVar("Function", bound=Callable[..., Any])

__all__ = ["Tape", "shape_of"]

_NAME = "__bakeoff_recorded__"
_DESCRIPTORS = {"staticmethod", "classmethod", "property", "cached_property"}
_MOST_ITEMS = 1000
_MOST_DEPTH = 3
# Bytes of one shape that are written before chance decides which calls are looked at. Each try costs a little of it,
# and one that fails more: another of that shape is likely to fail as well, and may have taken long.
_LOOKED_AT = 1 << 20
_TRY, _FAILURE = _LOOKED_AT // 1000, _LOOKED_AT // 20
# What `warnings` and `logging` leave out when they look for the caller.
_FILE = "<the recorder, left out like importlib._bootstrap>"
# Calls inside a recorded call are part of it.
_inside: contextvars.ContextVar[bool] = contextvars.ContextVar("bakeoff_inside", default=False)


class _Inside:
    """What runs in the block is part of a recorded call."""

    __slots__ = ("_token",)

    def __enter__(self) -> None:
        self._token = _inside.set(True)

    def __exit__(self, *_: object) -> None:
        # What nobody finished may be closed elsewhere, where it has never been inside.
        with contextlib.suppress(ValueError):
            _inside.reset(self._token)


class _Kept:
    """One call that is kept: its arguments as they were, and what came of it."""

    __slots__ = ("arguments", "digest", "is_kept", "seen", "streams", "tests")

    def __init__(self, arguments: bytes, digest: bytes, test: str, streams: Streams | None) -> None:
        self.arguments = arguments
        self.digest = digest
        self.streams = streams
        self.tests = [test]
        self.seen: bytes | None = None
        self.is_kept = True

    @property
    def size(self) -> int:
        return len(self.arguments) + len(self.seen or b"") + (0 if self.streams is None else self.streams.size)

    def drop(self) -> None:
        """Another takes its place."""
        self.is_kept = False
        if self.streams is not None:
            self.streams.forget()


class _Shape:
    """The calls of one shape: how many there were, those that are kept, and what looking at them has cost."""

    def __init__(self) -> None:
        self.count = 0
        self.kept: list[_Kept] = []
        self.cost = 0
        self.refused = "there is no more room"


class Tape:
    """Calls of one target: at most `most` are kept, at most `each` of a shape, and at most `size` bytes in all.

    `modules` are the names under which the target's file was imported.
    """

    def __init__(self, *, most: int = 1000, each: int = 20, size: int = 32 << 20, seed: int = 0) -> None:
        self.test = ""
        self.reaching: dict[str, int] = {}
        self.uncopied: dict[str, int] = {}
        self.modules: list[str] = []
        self.proxies: dict[type, Any] = {}
        self.count = 0
        self._most, self._each, self._size = most, each, size
        self._most_seen = size >> 5
        self._used = self._number = 0
        self._random = random.Random(seed)
        self._shapes: dict[str, _Shape] = {}
        self._lives = Lives(_unnoticed)
        # Those of the test that runs: what is left of them goes when it is over.
        self._streams: list[Streams] = []
        self._test_of_streams = ""

    # -- hearing --------------------------------------------------------------------------------------------------

    def listen(self, module: str, qualname: str, path: str | None = None) -> Callable[[], None]:
        """From now on, whoever imports the module gets a target that records; gives what ends that.

        Where the target's file is given, it is that file which counts, under whatever name it is imported.
        """
        return _Watch(self, module, qualname.split("."), path).begin()

    def recording(self, target: Any) -> Any:
        """The target, with its calls recorded; whatever it is, it is used as before. A class is not recorded."""
        if type(target) is types.FunctionType:
            return functools.wraps(target)(_wrapper(self, target))
        if issubclass(type(target), type) or not callable(target):
            return target
        return _proxied(self, target, _function(self, target))

    def watch(self, found: Any) -> None:
        """From now on, take note of how objects of the target's class come to be."""
        # With other metaclasses, to set a method may mean anything.
        if type(found) in (type, abc.ABCMeta):
            self._lives.watch(found)

    def begin(self, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> _Kept | None:
        """Take note of a call that begins; None where it is only counted."""
        self.count += 1
        self.reaching[self.test] = self.reaching.get(self.test, 0) + 1
        shape = self._shapes.setdefault(shape_of((arguments, keywords)), _Shape())
        shape.count += 1
        place = self._place(shape)
        if place is not None:
            return self._keep(shape, place, arguments, keywords)
        if not shape.kept:
            self._refuse(shape, shape.refused)
        return None

    def end(
        self, kept: _Kept | None, ending: str, value: Any, arguments: tuple[Any, ...], keywords: dict[str, Any]
    ) -> None:
        """What came of a call that is kept. Of an iterator, that is not known before it is used up."""
        if kept is None or (ending == "returned" and any("__next__" in vars(kind) for kind in type(value).__mro__)):
            return
        try:
            blob = recordings.dumps((ending, value, arguments, keywords), self._most_seen)
        except recordings.Uncopyable:
            return
        # While it ran, another may have taken its place.
        if kept.is_kept and self._used + len(blob) <= self._size:
            kept.seen = blob
            self._used += len(blob)

    def items(self, kept: _Kept | None) -> _Items:
        """For what a generator gives."""
        return _Items(-1 if kept is None else self._most_seen)

    def _place(self, shape: _Shape) -> int | None:
        """Where a call is to be kept: behind the others, or in place of one of them; None where it is passed over.

        As long as that is cheap, all calls are looked at until there are enough different ones: so a rare one among
        many equal ones is found. Then each is as likely to be looked at as it would be to stay.
        """
        held = len(shape.kept)
        has_room = held < self._each and self._number < self._most
        if has_room and shape.cost < _LOOKED_AT:
            return held
        place = self._random.randrange(shape.count)
        if has_room:
            return held if place < self._each else None
        return place if place < held else None

    def _keep(self, shape: _Shape, place: int, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> _Kept | None:
        streams = Streams(arguments, keywords, self._take, _unnoticed) if are_among(arguments, keywords) else None
        try:
            given = (arguments, keywords) if streams is None else streams.standing(arguments, keywords)
            blob = recordings.dumps(given, self._size >> 3)
        except recordings.Uncopyable as error:
            shape.cost += _FAILURE
            self._refuse(shape, str(error))
            return None
        shape.cost += len(blob) + _TRY
        # What streams give is not known yet.
        digest = hashlib.sha256(blob if streams is None else b"%d" % id(streams)).digest()
        for known in shape.kept:
            if known.digest == digest:
                known.tests += [] if self.test in known.tests else [self.test]
                return None
        outgoing = shape.kept[place : place + 1]
        blob += self._lineage(arguments, self._size - self._used - len(blob))
        used = self._used + len(blob) - sum(old.size for old in outgoing)
        if used > self._size:
            self._refuse(shape, "there is no more room")
            return None
        for old in outgoing:
            old.drop()
        kept = _Kept(blob, digest, self.test, streams)
        shape.kept[place : place + 1] = [kept]
        self._used = used
        self._number += 1 - len(outgoing)
        if streams is not None:
            self._open(streams)
        return kept

    def _open(self, streams: Streams) -> None:
        if self._test_of_streams != self.test:
            self._close()
            self._test_of_streams = self.test
        self._streams.append(streams)

    def _take(self, size: int) -> bool:
        """Whether there is room for so many bytes more; then it is taken."""
        has_room = self._used + size <= self._size
        self._used += size if has_room else 0
        return has_room

    def _close(self) -> None:
        for streams in self._streams:
            streams.end()
        self._streams = []

    def _lineage(self, arguments: tuple[Any, ...], room: int) -> bytes:
        """How the receiver came to be, behind what it is; nothing where that is not known, or takes too much room."""
        known = self._lives.of(arguments[0]) if arguments else None
        blob = b"" if known is None else recordings.dumps(known)
        return blob if len(blob) <= room else b""

    def _refuse(self, shape: _Shape, reason: str) -> None:
        shape.refused = reason
        self.uncopied[reason] = self.uncopied.get(reason, 0) + 1

    # -- what was heard -------------------------------------------------------------------------------------------

    def kept(self) -> list[dict[str, Any]]:
        """The calls, as data; what is taken from streams later is missing in them."""
        self._close()
        for shape in self._shapes.values():
            shape.kept = self._filled(shape)
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

    def _filled(self, shape: _Shape) -> list[_Kept]:
        """Those of its calls that can be told, each once, now that all has been taken from streams that will be."""
        found: dict[bytes, _Kept] = {}
        for kept in shape.kept:
            try:
                if kept.streams is not None:
                    kept.arguments, kept.streams = kept.streams.filled(kept.arguments), None
            except recordings.Uncopyable as error:
                self._refuse(shape, str(error))
                continue
            same = found.setdefault(kept.arguments, kept)
            same.tests = list(dict.fromkeys((*same.tests, *kept.tests)))
        return list(found.values())


def _tapped(
    kept: _Kept | None, arguments: tuple[Any, ...], keywords: dict[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """What the target is called with: of a call that is kept, the generators note what they give."""
    if kept is None or kept.streams is None:
        return arguments, keywords
    return kept.streams.tapped(arguments, keywords)


class _Items:
    """What a generator gave, as long as that is little: `all` is None where it is not."""

    def __init__(self, room: int) -> None:
        self.all: list[Any] | None = [] if room >= 0 else None
        self._room = room

    def add(self, item: Any) -> None:
        if self.all is None:
            return
        with _Inside(), contextlib.suppress(recordings.Uncopyable):
            self._room -= len(recordings.dumps(item, self._room))
            if len(self.all) < _MOST_ITEMS:
                self.all.append(item)
                return
        self.all = None


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


def _unnoticed(function: Function) -> Function:
    """Its frames, and those of the functions made in it, do not count when somebody looks for the target's caller."""
    function.__code__ = _renamed(function.__code__)
    return function


def _renamed(code: types.CodeType) -> types.CodeType:
    constants = tuple(_renamed(each) if isinstance(each, types.CodeType) else each for each in code.co_consts)
    return code.replace(co_filename=_FILE, co_consts=constants)


def _wrapper(tape: Tape, target: Callable[..., Any]) -> Callable[..., Any]:
    if inspect.iscoroutinefunction(target):
        return _coroutine(tape, target)
    if inspect.isasyncgenfunction(target):
        return _async_generator(tape, target)
    if inspect.isgeneratorfunction(target):
        return _generator(tape, target)
    return _function(tape, target)


@_unnoticed
def _function(tape: Tape, target: Callable[..., Any]) -> Callable[..., Any]:
    def recorded(*arguments: Any, **keywords: Any) -> Any:
        if _inside.get():
            return target(*arguments, **keywords)
        with _Inside():
            kept = tape.begin(arguments, keywords)
            arguments, keywords = _tapped(kept, arguments, keywords)
            try:
                value = target(*arguments, **keywords)
            except BaseException as error:
                tape.end(kept, "raised", error, arguments, keywords)
                raise
            tape.end(kept, "returned", value, arguments, keywords)
        return value

    return recorded


@_unnoticed
def _coroutine(tape: Tape, target: Callable[..., Any]) -> Callable[..., Any]:
    async def recorded(*arguments: Any, **keywords: Any) -> Any:
        if _inside.get():
            return await target(*arguments, **keywords)
        with _Inside():
            kept = tape.begin(arguments, keywords)
            arguments, keywords = _tapped(kept, arguments, keywords)
            try:
                value = await target(*arguments, **keywords)
            except BaseException as error:
                tape.end(kept, "raised", error, arguments, keywords)
                raise
            tape.end(kept, "returned", value, arguments, keywords)
        return value

    return recorded


@_unnoticed
def _generator(tape: Tape, target: Callable[..., Any]) -> Callable[..., Any]:
    """Only its steps are inside: between them, what asks for its items runs."""

    def recorded(*arguments: Any, **keywords: Any) -> Generator[Any, Any, Any]:
        if _inside.get():
            return (yield from target(*arguments, **keywords))
        with _Inside():
            kept = tape.begin(arguments, keywords)
        arguments, keywords = _tapped(kept, arguments, keywords)
        seen = tape.items(kept)
        value = yield from _steps(target(*arguments, **keywords), seen)
        if seen.all is not None:
            with _Inside():
                tape.end(kept, "yielded", seen.all, arguments, keywords)
        return value

    return recorded


@_unnoticed
def _steps(items: Generator[Any, Any, Any], seen: _Items) -> Generator[Any, Any, Any]:
    step: Callable[[], Any] = functools.partial(next, items)
    while True:
        try:
            with _Inside():
                item = step()
        except StopIteration as end:
            return end.value
        seen.add(item)
        try:
            sent = yield item
        except GeneratorExit:
            with _Inside():
                items.close()
            raise
        except BaseException as error:
            step = functools.partial(items.throw, error)
        else:
            step = functools.partial(items.send, sent)


@_unnoticed
def _async_generator(tape: Tape, target: Callable[..., Any]) -> Callable[..., Any]:
    async def recorded(*arguments: Any, **keywords: Any) -> AsyncGenerator[Any, Any]:
        kept = None
        if not _inside.get():
            with _Inside():
                kept = tape.begin(arguments, keywords)
        arguments, keywords = _tapped(kept, arguments, keywords)
        seen, items = tape.items(kept), target(*arguments, **keywords)
        step = items.__anext__()
        while True:
            try:
                with _Inside():
                    item = await step
            except StopAsyncIteration:
                break
            seen.add(item)
            try:
                sent = yield item
            except GeneratorExit:
                with _Inside():
                    await items.aclose()
                raise
            except BaseException as error:
                step = items.athrow(error)
            else:
                step = items.asend(sent)
        if seen.all is not None:
            with _Inside():
                tape.end(kept, "yielded", seen.all, arguments, keywords)

    return recorded


# -- what is no plain function ----------------------------------------------------------------------------------------


class _Proxy:
    """Stands for a target that is not a plain function: one with a cache, or made by a decorator of its own.

    All but calls goes to the target, `__class__` too. Python looks for special methods in the type, so there is a
    subclass for each type of target, with those that it has.
    """

    __slots__ = ("__weakref__", "_recorded", "_target")

    def __init__(self, target: Any, recorded: Callable[..., Any]) -> None:
        object.__setattr__(self, "_target", target)
        object.__setattr__(self, "_recorded", recorded)

    @_unnoticed
    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        return object.__getattribute__(self, "_recorded")(*arguments, **keywords)

    @_unnoticed
    def __getattribute__(self, name: str) -> Any:
        if name in ("__call__", "__get__"):
            return object.__getattribute__(self, name)
        return getattr(_target_of(self), name)


# Special methods that are about types, or that the proxy has itself.
_NEVER_FORWARDED = {
    *("__new__", "__init__", "__del__", "__call__", "__get__", "__getattr__", "__getattribute__"),
    *("__init_subclass__", "__subclasshook__", "__class_getitem__", "__annotate__", "__annotate_func__"),
}


def _target_of(proxy: Any) -> Any:
    return object.__getattribute__(proxy, "_target")


def _proxied(tape: Tape, target: Any, recorded: Callable[..., Any]) -> Any:
    kind = type(target)
    if kind not in tape.proxies:
        tape.proxies[kind] = _proxy_type(tape, kind)
    return tape.proxies[kind](target, recorded)


def _proxy_type(tape: Tape, kind: type) -> Any:
    found: dict[str, Any] = {}
    for base in reversed(kind.__mro__):
        found.update(vars(base))
    members: dict[str, Any] = {
        # None says that there is no such method: not to hash it, for example.
        name: None if value is None else _forwarded(name)
        for name, value in found.items()
        if name.startswith("__") and name.endswith("__") and name not in _NEVER_FORWARDED
        if value is None or callable(value)
    }
    if "__get__" in found:
        members["__get__"] = _bound(tape)
    return type(kind.__name__, (_Proxy,), {**members, "__slots__": ()})


@_unnoticed
def _forwarded(name: str) -> Callable[..., Any]:
    def forwarded(self: Any, *arguments: Any, **keywords: Any) -> Any:
        target = _target_of(self)
        plain = [_target_of(each) if issubclass(type(each), _Proxy) else each for each in arguments]
        value = getattr(target, name)(*plain, **keywords)
        return self if value is target else value

    return forwarded


@_unnoticed
def _bound(tape: Tape) -> Callable[..., Any]:
    def bound(self: Any, instance: Any, owner: Any = None) -> Any:
        """What the target makes of itself as a method, recording: the receiver is the first argument."""
        target = _target_of(self)
        found = target.__get__(instance, owner)
        if found is target:
            return self
        if type(found) is types.MethodType and found.__func__ is target:
            return types.MethodType(self, found.__self__)
        if instance is None or not callable(found) or issubclass(type(found), type):
            return found
        call = _function(tape, lambda _, *arguments, **keywords: found(*arguments, **keywords))
        return _proxied(tape, found, functools.partial(call, instance))

    return bound


def _records(found: Any) -> bool:
    if type(found) is types.FunctionType:
        return found.__code__.co_filename == _FILE
    return issubclass(type(found), _Proxy)


# -- the module, compiled with one more decorator ---------------------------------------------------------------------


class _Watch:
    """Stands where modules of Python source are executed: whoever finds a file, and pytest has ways of its own, it
    comes through here."""

    def __init__(self, tape: Tape, module: str, names: list[str], path: str | None) -> None:
        self._tape = tape
        self._module = module
        self._names = names
        self._path = None if path is None else os.path.realpath(path)
        folder, _, file = (self._path or "").rpartition(os.sep)
        stem = os.path.splitext(file)[0]
        self._endings = {stem, os.path.basename(folder)} if stem == "__init__" else {stem}

    @_unnoticed
    def begin(self) -> Callable[[], None]:
        """Gives what ends it."""
        usual = importlib.machinery.SourceFileLoader.exec_module

        def exec_module(loader: importlib.machinery.SourceFileLoader, module: types.ModuleType) -> None:
            if self._is_it(module.__name__, loader.path):
                self._execute(loader, module)
            else:
                usual(loader, module)

        def end() -> None:
            setattr(importlib.machinery.SourceFileLoader, "exec_module", usual)  # noqa: B010 (a method, to mypy)

        setattr(importlib.machinery.SourceFileLoader, "exec_module", exec_module)  # noqa: B010
        return end

    def _is_it(self, name: str, path: Any) -> bool:
        """Asked at every import: files are not looked at for most of them."""
        if self._path is None:
            return name == self._module
        return name.rpartition(".")[2] in self._endings and os.path.realpath(path) == self._path

    @_unnoticed
    def _execute(self, loader: importlib.machinery.SourceFileLoader, module: types.ModuleType) -> None:
        tree = ast.parse(loader.get_data(loader.path), loader.path)
        _decorate(tree.body, self._names)
        self._tape.modules += [] if module.__name__ in self._tape.modules else [module.__name__]
        vars(module)[_NAME] = self._tape.recording
        exec(compile(tree, loader.path, "exec", dont_inherit=True), vars(module))  # noqa: S102 (what importing it does)
        found = getattr(module, self._names[0], None)
        for name in self._names[1:-1]:
            found = getattr(found, name, None)
        if len(self._names) > 1:
            self._tape.watch(found)
        if len(self._names) == 1 and not _records(found):
            # Not made by a `def` of that name.
            with contextlib.suppress(AttributeError):
                setattr(module, self._names[0], self._tape.recording(found))


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
