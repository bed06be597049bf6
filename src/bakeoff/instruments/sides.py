"""Baseline and candidate, and the ways to call both with the same arguments.

Each is in a world of its own, and gets a copy of the arguments that is made of that world's classes. What the baseline
does not end, the candidate is not asked for.
"""

from __future__ import annotations

import importlib
import os
import random
import sys
import types

from . import cheats, lineage, observe, recordings, values, worlds

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

    # A way to call both.
    Way = Callable[[bytes], "tuple[observe.Observation, observe.Observation]"]

__all__ = ["Pair", "Side", "allowed"]

# A candidate may take this much longer than the baseline, and at least so long.
_LEAST_PATIENCE, _PATIENCE_SHARE = 1.0, 30.0
# As little stack as this is left to both for some of the inputs: what recurses once for each item shows then.
_SHALLOW = 120
_DEEPEST = 3
_NO_CONTAINERS = (types.ModuleType, types.FunctionType, type)


class Side:
    """One of the two: its world, and the target in it."""

    def __init__(self, world: worlds.World, module: str, name: str) -> None:
        self.world = world
        self.module = module
        self.name = name
        self._lookout = cheats.Lookout.get()
        self.suspicious: dict[str, None] = {}
        with world.entered():
            self.callee = world.callee(module, name)

    def observed(self, arguments: bytes, patience: float, **options: Any) -> observe.Observation:
        """A call with a copy of the arguments."""
        with self.world.entered():
            positional, keywords = self.loaded(arguments, patience)
            return self.called(positional, keywords, patience, **options)

    def loaded(
        self, arguments: bytes, patience: float, *, between: Callable[[Any], object] | None = None
    ) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The arguments, and of a receiver that is told by its lineage one that is made so, with something done to it
        `between` the steps; raises Uncopyable."""
        positional, keywords = recordings.loads(arguments)
        if positional and type(positional[0]) is values.Lineage:
            _reseed()
            with self._lookout.over(self.world.tree, _is_test) as seen:
                positional = (lineage.made(positional[0], patience, between=between), *positional[1:])
            self.suspicious.update(seen)
        return positional, keywords

    def called(self, positional: Any, keywords: Any, patience: float, **options: Any) -> observe.Observation:
        """A call with these very objects; in the world that is entered."""
        _reseed()
        with self._lookout.over(self.world.tree, _is_test) as seen:
            found = observe.observe(
                self.callee, positional, keywords, patience=patience, project=self.world.tree + os.sep, **options
            )
        self.suspicious.update(seen)
        return found

    def kept(self) -> dict[str, int]:
        """What the modules of its world hold."""
        return cheats.kept_between_calls(self.world.modules.values())

    def made_of(self, names: Iterable[tuple[str, str]]) -> dict[tuple[str, str], Any]:
        """How instances of these classes come to be, as far as it can be compared with another world's."""
        with self.world.entered():
            return {name: _making(name) for name in names}


class Pair:
    """Both of them. `patience` is how many seconds the baseline may take."""

    def __init__(self, baseline: Side, candidate: Side, patience: float) -> None:
        self._baseline = baseline
        self._candidate = candidate
        self.patience = patience

    def both(self, arguments: bytes) -> tuple[observe.Observation, observe.Observation]:
        """Once."""
        return self._by(lambda side, patience: side.observed(arguments, patience))

    def partly(self, arguments: bytes) -> tuple[observe.Observation, observe.Observation]:
        """Only the first item is asked for: what has been done by then is seen on the arguments."""
        return self._by(lambda side, patience: side.observed(arguments, patience, most_items=1))

    def thrown(self, arguments: bytes) -> tuple[observe.Observation, observe.Observation]:
        """What is entered is left by an error."""
        return self._by(lambda side, patience: side.observed(arguments, patience, thrown=True))

    def shallow(self, arguments: bytes) -> tuple[observe.Observation, observe.Observation]:
        """With little stack left."""
        outer = sys.getrecursionlimit()
        sys.setrecursionlimit(_depth() + _SHALLOW)
        try:
            return self.both(arguments)
        finally:
            sys.setrecursionlimit(outer)

    def twice(self, arguments: bytes) -> tuple[observe.Observation, observe.Observation]:
        """Again with equal arguments, after the caller changed what it got."""

        def way(side: Side, patience: float) -> observe.Observation:
            _grow(side.observed(arguments, patience).value)
            return side.observed(arguments, patience)

        return self._by(way)

    def asked(self, arguments: bytes) -> tuple[observe.Observation, observe.Observation]:
        """Again with the same receiver and equal arguments, after the caller changed what it got."""

        def way(side: Side, patience: float) -> observe.Observation:
            with side.world.entered():
                positional, keywords = side.loaded(arguments, patience)
                _grow(side.called(positional, keywords, patience).value)
                others, keywords = recordings.loads(arguments)
                return side.called((positional[0], *others[1:]), keywords, patience)

        return self._by(way)

    def between(self, arguments: bytes) -> tuple[observe.Observation, observe.Observation]:
        """Also after each step that made the receiver: what it kept of an answer may be true no more."""

        def way(side: Side, patience: float) -> observe.Observation:
            def ask(receiver: Any) -> None:
                others, keywords = recordings.loads(arguments)
                side.called((receiver, *others[1:]), keywords, patience)

            with side.world.entered():
                positional, keywords = side.loaded(arguments, patience, between=ask)
                return side.called(positional, keywords, patience)

        return self._by(way)

    def after(self, first: bytes, arguments: bytes) -> tuple[observe.Observation, observe.Observation]:
        """Directly after a call with other arguments; a method on the same receiver."""
        is_method = self._baseline.callee.receiver == "instance"

        def way(side: Side, patience: float) -> observe.Observation:
            with side.world.entered():
                others, keywords = side.loaded(first, patience)
                side.called(others, keywords, patience)
                positional, keywords = recordings.loads(arguments) if is_method else side.loaded(arguments, patience)
                return side.called((*others[:1], *positional[1:]) if is_method else positional, keywords, patience)

        return self._by(way)

    def grown(self, arguments: bytes) -> tuple[observe.Observation, observe.Observation]:
        """Again with the same objects, which have got more in them."""
        return self._by(lambda side, patience: _again(side, arguments, patience, _grow))

    def turned(self, arguments: bytes) -> tuple[observe.Observation, observe.Observation]:
        """Again with the same objects, of the same size, with other contents."""
        return self._by(lambda side, patience: _again(side, arguments, patience, _turn))

    def _by(self, way: Callable[[Side, float], observe.Observation]) -> tuple[observe.Observation, observe.Observation]:
        expected = way(self._baseline, self.patience)
        if expected.ending == "too-long":
            return expected, expected
        return expected, way(self._candidate, allowed(expected.seconds))


def _depth() -> int:
    """How many calls are under way. (`traceback` knows it too, and reads all their files.)"""
    frame: types.FrameType | None = sys._getframe(1)  # noqa: SLF001 (there is no other name for it)
    depth = 0
    while frame is not None:
        frame, depth = frame.f_back, depth + 1
    return depth


def allowed(seconds: float) -> float:
    """How many seconds the candidate may take where the baseline took so many."""
    return _LEAST_PATIENCE + _PATIENCE_SHARE * seconds


def _again(side: Side, arguments: bytes, patience: float, change: Callable[[Any], None]) -> observe.Observation:
    with side.world.entered():
        positional, keywords = side.loaded(arguments, patience)
        side.called(positional, keywords, patience)
        for value in (*_changeable(arguments, positional), *keywords.values()):
            change(value)
        return side.called(positional, keywords, patience)


def _changeable(arguments: bytes, positional: tuple[Any, ...]) -> tuple[Any, ...]:
    """Without a receiver whose attributes may be others in the other world."""
    told = recordings.loads(arguments)[0]
    return positional[1:] if told and type(told[0]) is values.Lineage else positional


def _reseed() -> None:
    """Chance is the same for both."""
    random.seed(0)
    chance = getattr(sys.modules.get("numpy"), "random", None)
    if chance is not None:
        chance.seed(0)


def _grow(value: Any) -> None:
    """Change a container, as its owner may."""
    if isinstance(value, _NO_CONTAINERS):
        return
    try:
        if isinstance(value, list):
            value.extend(value[:1])
        elif isinstance(value, dict) and value:
            value.pop(next(iter(value)))
        elif isinstance(value, set):
            value.clear()
        elif isinstance(value, bytearray):
            value += b"\0"
        else:
            for name, part in zip(values.STATE.names(value), values.STATE.apart(value)):
                if not name.startswith("_") and isinstance(part, (list, dict, set)):
                    _grow(part)
    except Exception:  # a subclass's own, or one that may not change
        return


def _turn(value: Any, depth: int = 0) -> None:
    """Change a container, but not its size."""
    try:
        parts = list(value.values() if isinstance(value, dict) else value if isinstance(value, list) else ())
        if isinstance(value, list):
            value.reverse()
        elif isinstance(value, dict):
            value.update(zip(list(value), parts[::-1]))
        for part in parts if depth < _DEEPEST else ():
            _turn(part, depth + 1)
    except Exception:  # as above
        return


def _making(name: tuple[str, str]) -> Any:
    """What decides which attributes an instance has; None where there is no such class."""
    try:
        kind: Any = importlib.import_module(name[0])
    except Exception:  # the project's module is foreign code
        return None
    for part in name[1].split("."):
        kind = getattr(kind, part, None)
    if not isinstance(kind, type):
        return None
    parts = []
    for base in kind.__mro__:
        for key in ("__slots__", "__init__", "__new__", "__post_init__", "__setstate__", "__reduce__", "__getstate__"):
            found = vars(base).get(key)
            code = getattr(found, "__code__", None)
            parts.append((code.co_code, code.co_names, repr(code.co_consts)) if code is not None else repr(found)[:99])
        parts.append(tuple(vars(base).get("__annotations__", ())))
    return parts


def _is_test(path: str) -> bool:
    name = os.path.basename(path)
    return name.startswith("test_") or name.endswith(("_test.py", "conftest.py")) or "/tests/" in path
