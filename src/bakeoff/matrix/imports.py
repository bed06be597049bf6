"""Functions that a user names, `module:name` or `file.py:name`: imported into this process, or only looked for."""

from __future__ import annotations

import ast
import difflib
import hashlib
import importlib
import importlib.util
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bakeoff.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import ModuleType

__all__ = ["fingerprint", "imported", "looked_for"]

_HINT = "name it module:function or file.py:function"


def imported(name: str, folder: Path) -> Callable[..., Any]:
    """The function. Modules and files are looked for in the folder first. Raises UsageError, also for whatever the
    import of the user's code raises."""
    place, function = _parts(name)
    try:
        module = _of_file(folder / place) if place.endswith(".py") else _of_path(place, folder)
    except Exception as error:
        raise UsageError(f"{place} cannot be imported: {type(error).__name__}: {error}", hint=_HINT) from error
    found = getattr(module, function, None)
    if not callable(found):
        raise _unknown(place, function, dir(module))
    return found  # type: ignore[no-any-return]


def looked_for(name: str, folder: Path) -> None:
    """Raises UsageError where there is no such function, as far as can be told without running any of the code."""
    place, function = _parts(name)
    path = _located(place, folder)
    if path is None:
        return
    try:
        names = set(_names(ast.parse(path.read_bytes())))
    except (OSError, SyntaxError, ValueError) as error:
        raise UsageError(f"{place} cannot be read: {error}", hint=_HINT) from None
    if function not in names and "*" not in names:
        raise _unknown(place, function, names)


def fingerprint(name: str, folder: Path) -> str:
    """The same as long as the file that a function stands in is the same."""
    path = _located(_parts(name)[0], folder)
    try:
        content = b"" if path is None else path.read_bytes()
    except OSError:
        content = b""
    return hashlib.sha256(content).hexdigest()[:16]


def _parts(name: str) -> tuple[str, str]:
    place, _, function = name.rpartition(":")
    if not function.isidentifier() or not (place.endswith(".py") or all(map(str.isidentifier, place.split(".")))):
        raise UsageError(f"{name!r} names no function", hint=_HINT)
    return place, function


def _unknown(place: str, function: str, names: list[str] | set[str]) -> UsageError:
    close = difflib.get_close_matches(function, names, n=1)
    return UsageError(f"{place} has no function {function!r}", hint=f"did you mean {close[0]}?" if close else _HINT)


def _located(place: str, folder: Path) -> Path | None:
    """The file of a module, where it can be told without an import."""
    if place.endswith(".py"):
        return (folder / place).expanduser()
    path = folder.joinpath(*place.split("."))
    found = next((one for one in (path.with_suffix(".py"), path / "__init__.py") if one.is_file()), None)
    if found is not None or "." in place:
        return found
    spec = importlib.util.find_spec(place) if place not in sys.modules else None
    return Path(spec.origin) if spec is not None and spec.origin is not None and spec.has_location else None


def _names(module: ast.Module) -> Iterator[str]:
    """What a module binds, wherever in it."""
    for node in ast.walk(module):
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                yield node.name
            case ast.Name(ctx=ast.Store()):
                yield node.id
            case ast.alias():
                yield node.asname or node.name


def _of_file(path: Path) -> ModuleType:
    path = path.expanduser().resolve()
    name = f"_bakeoff_{hashlib.sha256(str(path).encode()).hexdigest()[:12]}"
    if name in sys.modules:
        return sys.modules[name]
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module


def _of_path(name: str, folder: Path) -> ModuleType:
    sys.path.insert(0, str(folder))
    try:
        importlib.invalidate_caches()
        return importlib.import_module(name)
    finally:
        sys.path.remove(str(folder))
