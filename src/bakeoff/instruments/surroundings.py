"""What modules that are not the project's are made of, and their classes, before any foreign code runs: importing this
takes it down, so it is imported last of all that a process is to have beforehand.

Processes that are forked from one that has done so need only compare. Those of the standard library are taken down, the
first of each package, and our own: to look at what is deeper inside of somebody else's package would take longer than
all the rest.
"""

from __future__ import annotations

import array
import ctypes
import gc
import operator
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    import types
    from typing import Any

__all__ = ["Part", "Surroundings", "taken"]

_STANDARD = frozenset(getattr(sys, "stdlib_module_names", ("os", "json", "collections", "importlib", "asyncio")))
_OURS = frozenset({"_pytest", "pluggy", __name__.partition(".")[0]})
# Py_TPFLAGS_HEAPTYPE: a class that can be changed.
_HEAP = 1 << 9
_IS_CPYTHON = sys.implementation.name == "cpython"
_read = ctypes.string_at
# Where a dict's own part begins in memory, behind what every object has, and how long it is.
_BEGIN, _LENGTH = object.__basicsize__, dict.__basicsize__ - object.__basicsize__


class Part:
    """A module or a class: where it is, what it goes by, and what it was made of."""

    __slots__ = ("before", "is_class", "module", "name", "owner")

    def __init__(self, owner: Any, module: str, name: str, contents: dict[str, Any]) -> None:
        self.owner = owner
        self.module = module
        self.name = name
        self.is_class = name != module
        self.before = dict(contents)

    def replaced(self) -> list[str]:
        """The names under which there is another object than there was; new names do not count."""
        now, values = vars(self.owner), self.before.values()
        if all(map(operator.is_, map(now.get, self.before, values), values)):
            return []
        return [key for key, value in self.before.items() if now.get(key, value) is not value]


class Surroundings:
    """The modules that there are, by name, and what those of them that are looked at are made of.

    To compare is to touch every object that anything is made of, and in a fork each page of memory that is touched has
    to be copied first: that is most of what a look costs. But in CPython before 3.14 the head of a dict holds a number
    that is another one after each change. Where heads are as they were, what is behind them is left alone.
    """

    def __init__(self) -> None:
        self.known: dict[str, types.ModuleType] = {}
        self._parts: list[Part] = []
        self._places = array.array("Q")
        self._heads = b""
        self.renew()

    def renew(self) -> None:
        """Take down what has come, or come in place of something else, too."""
        known, self.known = self.known, dict(sys.modules)
        start = len(self._parts)
        for name, module in self.known.items():
            if known.get(name) is not module and type(module) is type(sys) and _is_watched(name):
                self._add(module, name, name)
                for kind in _classes(name, module):
                    self._add(kind, name, f"{name}.{kind.__name__}")
        self._heads += _heads(self._places[start:])

    def changed(self) -> list[Part]:
        """Those in which something may be another."""
        if not _TELLS:
            return self._parts
        now = _heads(self._places)
        if now == self._heads:
            return []
        starts = range(0, len(now), _LENGTH)
        here = [at for at in starts if now[at : at + _LENGTH] != self._heads[at : at + _LENGTH]]
        return [self._parts[at // _LENGTH] for at in here]

    def _add(self, owner: Any, module: str, name: str) -> None:
        contents = _contents(owner)
        self._parts.append(Part(owner, module, name, contents))
        self._places.append(id(contents) + _BEGIN)


def taken() -> Surroundings:
    """What was taken down, with all modules that there are now. It is given away: who looks here finds nothing."""
    global _surroundings
    found, _surroundings = _surroundings or Surroundings(), None
    found.renew()
    if _IS_CPYTHON:
        # To put it away would touch all that it holds; the process ends without that.
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(found))
    return found


def _is_watched(name: str) -> bool:
    top, _, rest = name.partition(".")
    return not rest or top in _STANDARD or top in _OURS


def _classes(name: str, module: types.ModuleType) -> list[type]:
    """The classes that a module defines."""
    return [
        kind
        for kind in list(vars(module).values())
        if isinstance(kind, type) and kind.__module__ == name and kind.__flags__ & _HEAP
    ]


def _contents(owner: Any) -> dict[str, Any]:
    """The dict that a module or class keeps what it has in: of a class, others are given only a view of it."""
    contents: dict[str, Any] = gc.get_referents(vars(owner))[0] if isinstance(owner, type) else vars(owner)
    return contents


def _heads(places: array.array[int]) -> bytes:
    return b"".join([_read(place, _LENGTH) for place in places]) if _TELLS else b""


def _tells() -> bool:
    """Whether the head of a dict says that something in it is another."""
    if not _IS_CPYTHON:
        return False
    tried = {"one": 1, "other": 2}
    place = id(tried) + _BEGIN
    before = _read(place, _LENGTH)
    tried["one"] = 3
    return _read(place, _LENGTH) != before


_TELLS = _tells()
_surroundings: Surroundings | None = Surroundings()
