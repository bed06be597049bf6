"""How an object came to be: the call that made it, and those of its class's methods on it since then.

What an object is made of is its class's own affair, and a rewrite may keep it otherwise. By its lineage an equal one is
made in each world, in that world's own way. Calls inside of other calls are part of them; what is done to an object by
other ways than its class's methods is not known, so that whoever makes one again has to see whether it is equal.

What is known of all objects together is bounded: of one that has done too much, or had too much done to it, nothing is
known. Plain Python ≥ 3.9, standard library only.
"""

from __future__ import annotations

import contextlib
import contextvars
import functools
import importlib
import inspect
import types
import weakref

from . import observe, recordings
from .values import Lineage, Step

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

__all__ = ["Lives", "history", "made"]

_MOST_STEPS, _MOST_OBJECTS = 40, 10_000
# Bytes of one step's arguments, and of all that are known.
_MOST_OF_A_STEP, _MOST_IN_ALL = 1 << 16, 32 << 20
_MAKES = "__init__"
# Of the special methods, those that are called to change an object; others may be called by anybody at any time.
_SPECIAL = frozenset({_MAKES, "__call__", "__setitem__", "__delitem__", "__iadd__", "__ior__", "__enter__", "__exit__"})
_within: contextvars.ContextVar[bool] = contextvars.ContextVar("bakeoff_within_a_step", default=False)


class _Life:
    """What is known of one object: its steps, or None where one of them could not be written down."""

    __slots__ = ("reference", "size", "steps")

    def __init__(self, reference: Any) -> None:
        self.reference = reference
        self.steps: list[tuple[str, bytes]] | None = []
        self.size = 0


class Lives:
    """The lineages of the objects of some classes, as long as these are there."""

    def __init__(self, unnoticed: Callable[[Any], Any]) -> None:
        """`unnoticed` is done to functions of ours that stand between a method and its caller."""
        self._unnoticed = unnoticed
        self._known: dict[int, _Life] = {}
        self._size = 0

    def watch(self, kind: type) -> None:
        """From now on, know how objects of the class come to be, also by what it has from other classes of its
        project."""
        project = kind.__module__.partition(".")[0]
        own = [base for base in kind.__mro__ if base.__module__.partition(".")[0] == project]
        for base in own:
            self._watch(base, dict(vars(base)))
        if not any(_MAKES in vars(base) for base in own):
            self._watch(kind, {_MAKES: getattr(kind, _MAKES)})

    def _watch(self, kind: type, methods: dict[str, Any]) -> None:
        """A method that has two names stays one."""
        noted: dict[tuple[Any, bool], Any] = {}
        for name, method in methods.items():
            is_dunder = name.startswith("__") and name.endswith("__")
            if type(method) is types.FunctionType and (name in _SPECIAL or not is_dunder) and _is_plain(method):
                key = method, name == _MAKES
                if key not in noted:
                    noted[key] = self._noted(name, method)
                setattr(kind, name, noted[key])

    def of(self, receiver: object) -> Lineage | None:
        """How this one came to be, up to now."""
        known = self._known.get(id(receiver))
        if known is None or known.reference() is not receiver or known.steps is None:
            return None
        kind = type(receiver)
        return Lineage(kind.__module__, kind.__qualname__, tuple(known.steps))

    def _noted(self, name: str, method: Callable[..., Any]) -> Callable[..., Any]:
        def noted(*arguments: Any, **keywords: Any) -> Any:
            if _within.get() or not arguments:
                return method(*arguments, **keywords)
            token = _within.set(True)
            step = self._step(name, arguments, keywords)
            try:
                return method(*arguments, **keywords)
            finally:
                _within.reset(token)
                self._add(arguments[0], name, step)

        return functools.wraps(method)(self._unnoticed(noted))

    def _step(self, name: str, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> bytes | None:
        """What it is called with, while that is as it was; None where it need not or cannot be known."""
        known = self._known.get(id(arguments[0]))
        if name != _MAKES and (known is None or known.steps is None):
            return None
        try:
            return recordings.dumps((arguments[1:], keywords), _MOST_OF_A_STEP)
        except recordings.Uncopyable:
            return None

    def _add(self, receiver: Any, name: str, step: bytes | None) -> None:
        key = id(receiver)
        if name == _MAKES:
            self._forget(key)
            if step is None or len(self._known) >= _MOST_OBJECTS:
                return
            # One that nobody can refer to so is not known.
            with contextlib.suppress(TypeError):
                self._known[key] = _Life(weakref.ref(receiver, lambda _: self._forget(key)))
        life = self._known.get(key)
        if life is None or life.steps is None:
            return
        if step is None or len(life.steps) >= _MOST_STEPS or self._size + len(step) > _MOST_IN_ALL:
            self._size -= life.size
            life.steps, life.size = None, 0
            return
        life.steps.append((name, step))
        life.size += len(step)
        self._size += len(step)

    def _forget(self, key: int) -> None:
        life = self._known.pop(key, None)
        if life is not None:
            self._size -= life.size


def _is_plain(method: Any) -> bool:
    """Whether all that it does is done when it returns."""
    is_put_off = inspect.iscoroutinefunction(method) or inspect.isasyncgenfunction(method)
    return not (is_put_off or inspect.isgeneratorfunction(method))


def made(
    lineage: Lineage, patience: float, *, project: str | None = None, between: Callable[[Any], object] | None = None
) -> Any:
    """An object of that lineage, made of the classes of the world that is entered; raises Uncopyable. What is done
    `between` its steps is done after each but the last.

    What a step refuses now it may have refused then. With `project`, the folder of a world, that has to be by an error
    which the project raises: a history with others is one that nobody meant.
    """
    found: Any = None
    try:
        with observe.within(patience):
            for number, (each, step, error) in enumerate(_lived(lineage), 1):
                found = each
                _check(step, error, project)
                if between is not None and number < len(lineage.steps):
                    between(each)
    except recordings.Uncopyable:
        raise
    except (SystemExit, Exception, observe.OutOfTime) as error:  # foreign code
        raise recordings.Uncopyable(f"it cannot be made again: {type(error).__name__}") from None
    return found


def _check(step: Step, error: BaseException | None, project: str | None) -> None:
    if project is not None and error is not None and not observe.is_deliberate(error, project):
        raise recordings.Uncopyable(f"nobody meant {step.method} to fail")


def history(lineage: Lineage, patience: float) -> tuple[type, list[tuple[Step, bool]]]:
    """The class, and each step with whether it is refused, in the world that is entered; raises Uncopyable."""
    steps: list[tuple[Step, bool]] = []
    kind: Any = None
    with observe.within(patience):
        for found, step, error in _lived(lineage):
            kind = type(found)
            steps.append((step, error is not None))
    return kind, steps


def _lived(lineage: Lineage) -> Iterator[tuple[Any, Step, BaseException | None]]:
    """The object after each of its steps, with the step as it was to be and the error that it ended with."""
    kind: Any = importlib.import_module(lineage.module)
    for part in lineage.name.split("."):
        kind = getattr(kind, part)
    found: Any = None
    for name, blob in lineage.steps:
        positional, keywords = recordings.loads(blob)
        error = None
        try:
            if found is None:
                found = kind(*positional, **keywords)
            else:
                getattr(found, name)(*positional, **keywords)
        except (SystemExit, Exception) as raised:  # foreign code
            if found is None:
                raise
            error = raised
        yield found, Step(name, *recordings.loads(blob)), error
