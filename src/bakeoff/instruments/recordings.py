"""Values as bytes, for the same interpreter to read again: pickle, with functions by value.

Written and read only in jailed calls. Classes and named functions go by name, so that each world builds a value from
its own; lambdas and nested functions go as their code. Attributes find their places also where a class keeps them in
slots that kept them in `__dict__` in the world where they were written.
"""

from __future__ import annotations

import importlib
import io
import marshal
import pickle
import threading
import types

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

__all__ = ["Uncopyable", "copied", "dumps", "loads", "loads_each", "names_in"]

_VIEWS = {type({}.keys()): "keys", type({}.values()): "values", type({}.items()): "items"}
_MOST_WORDS = 200


class Uncopyable(Exception):
    """Raised for a value that cannot be written, or not be read again; says why."""


def dumps(value: object, most: int | None = None) -> bytes:
    """The value as bytes; raises Uncopyable where it, or something in it, cannot be written, or takes over `most`."""
    file = io.BytesIO()
    try:
        _Pickler(file, protocol=4).dump(value)
    except Exception as error:  # foreign code: __reduce__ and __getstate__ may raise anything
        raise Uncopyable(_words(error)) from None
    if most is not None and file.tell() > most:
        raise Uncopyable(f"it takes {file.tell()} bytes; {most} are kept at the most")
    return file.getvalue()


def loads(blob: bytes) -> Any:
    """The value again, made of the classes of the world that is entered; raises Uncopyable."""
    try:
        return pickle.loads(blob)
    except AttributeError:
        return _read(_Filler(io.BytesIO(blob)))
    except Exception as error:  # foreign code: __setstate__ and constructors may raise anything
        raise Uncopyable(_words(error)) from None


def loads_each(blob: bytes) -> list[Any]:
    """The values of which the bytes stand one after the other; `loads` gives the first. Raises Uncopyable."""
    file, found = io.BytesIO(blob), []
    try:
        while file.tell() < len(blob):
            found.append(pickle.load(file))
    except Exception as error:  # as above
        raise Uncopyable(_words(error)) from None
    return found


def names_in(blob: bytes) -> set[tuple[str, str]]:
    """What a value is made of by name: modules, and names in them."""
    reader = _Reader(io.BytesIO(blob))
    _read(reader)
    return reader.names


def _read(reader: Any) -> Any:
    try:
        return reader.load()
    except Exception as error:  # as above
        raise Uncopyable(_words(error)) from None


def copied(value: object) -> Any:
    """An equal value that shares nothing that can change; raises Uncopyable."""
    return loads(dumps(value))


def _words(error: Exception) -> str:
    try:
        text = str(error)
    except Exception:  # its own __str__
        text = ""
    return f"{type(error).__name__}: {text}"[:_MOST_WORDS]


class _Reader(pickle.Unpickler):
    def __init__(self, file: io.BytesIO) -> None:
        super().__init__(file)
        self.names: set[tuple[str, str]] = set()

    def find_class(self, module: str, name: str) -> Any:
        self.names.add((module, name))
        return super().find_class(module, name)


def _build(reader: Any) -> None:
    """Give the object on top of the stack its attributes, also where it has slots and no `__dict__`."""
    made, state = reader.stack[-2:]
    if hasattr(made, "__dict__") or hasattr(type(made), "__setstate__") or type(state) is not dict:
        reader.load_build()
        return
    reader.stack.pop()
    for name, value in state.items():
        object.__setattr__(made, name, value)


class _Filler(pickle._Unpickler):  # noqa: SLF001 (the one in C, which is much faster, cannot be told how to do this)
    dispatch = {**pickle._Unpickler.dispatch, pickle.BUILD[0]: _build}  # noqa: SLF001, RUF012 (as there)


class _Pickler(pickle.Pickler):
    def reducer_override(self, value: Any) -> Any:
        reducer = _REDUCERS.get(type(value))
        return NotImplemented if reducer is None else reducer(value)


def _has_a_name(function: types.FunctionType) -> bool:
    """Whether importing its module and following its name leads to it."""
    try:
        found: Any = importlib.import_module(function.__module__)
        for part in function.__qualname__.split("."):
            found = getattr(found, part)
    except (ImportError, AttributeError, TypeError, ValueError):
        return False
    return found is function


def _of_function(function: types.FunctionType) -> Any:
    if _has_a_name(function):
        return NotImplemented
    module: object = function.__module__
    if not isinstance(module, str) or module == "__main__":
        raise pickle.PicklingError(f"the function {function.__qualname__} belongs to no module")
    code = marshal.dumps(function.__code__)
    cells = [cell.cell_contents for cell in function.__closure__ or ()]
    state = (function.__defaults__, function.__kwdefaults__, cells, function.__qualname__, vars(function))
    return _bare, (code, module, function.__name__, len(cells)), state, None, None, _fill


def _bare(code: bytes, module: str, name: str, cells: int) -> types.FunctionType:
    """A function without its surroundings; in two steps, because its cells may lead back to it."""
    surroundings = vars(importlib.import_module(module))
    empty = tuple(types.CellType() for _ in range(cells))
    return types.FunctionType(marshal.loads(code), surroundings, name, None, empty)


def _fill(function: types.FunctionType, state: Any) -> None:
    function.__defaults__, function.__kwdefaults__, cells, function.__qualname__, attributes = state
    for cell, content in zip(function.__closure__ or (), cells):
        cell.cell_contents = content
    vars(function).update(attributes)


def _proxy(content: dict[Any, Any]) -> Any:
    return types.MappingProxyType(content)


def _of_view(view: Any) -> dict[Any, Any]:
    if type(view) is type({}.items()):
        return dict(view)
    if type(view) is type({}.keys()):
        return dict.fromkeys(view)
    return dict(enumerate(view))


def _view(name: str, content: dict[Any, Any]) -> Any:
    return getattr(content, name)()


_REDUCERS: dict[type, Callable[[Any], Any]] = {
    types.FunctionType: _of_function,
    types.ModuleType: lambda module: (importlib.import_module, (module.__name__,)),
    types.MappingProxyType: lambda proxy: (_proxy, (dict(proxy),)),
    memoryview: lambda view: (memoryview, (view.tobytes(),)),
    # Objects carry locks to be safe, not to be locked: a copy has one that is free.
    type(threading.Lock()): lambda _: (threading.Lock, ()),
    type(threading.RLock()): lambda _: (threading.RLock, ()),
    **{kind: lambda view: (_view, (_VIEWS[type(view)], _of_view(view))) for kind in _VIEWS},
}
