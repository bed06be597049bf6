"""What a candidate does that is none of its business: it changes modules that are not its own, it looks at the tests or
at who calls it, it keeps results between calls.

None of this keeps a determined enemy out: it shares a process with what watches it. It is evidence, for candidates that
were written to pass rather than to be right.
"""

from __future__ import annotations

import contextlib
import gc
import os
import re
import signal
import sys
import threading
import warnings

TYPE_CHECKING = False
if TYPE_CHECKING:
    import types
    from collections.abc import Callable, Iterable, Iterator
    from typing import Any

    from .surroundings import Part

__all__ = ["Lookout", "Watch", "kept_between_calls"]

# Names that modules set on themselves as they are used.
_RESTLESS = frozenset({"__warningregistry__", "__builtins__", "__path__", "__spec__", "__file__", "__cached__", "_"})
_RESTLESS_MODULES = frozenset({"__main__", "sys", "_pytest", "threading", "gc", "linecache", "tokenize", "warnings"})
_SYS = ("settrace", "setprofile", "_getframe", "exc_info", "getrefcount", "meta_path", "path_hooks", "addaudithook")
_MOST = 20


class Watch:
    """Knows what modules that are not the project's are made of (see `surroundings.py`); says what has become of them,
    and what is set otherwise than when it was made. `names` are the project's own top-level modules."""

    def __init__(self, names: frozenset[str]) -> None:
        from . import surroundings  # noqa: PLC0415 (importing it has it look around; where that was not done before)

        self._names = names
        self._before = surroundings.taken()
        self._state = _state()
        self._threads = threading.active_count()

    def changed(self, only: tuple[str, ...] | None = None) -> list[str]:
        """What is another object than it was (`time.perf_counter`), and what is set otherwise. New names do not count,
        nor do modules that were imported since. With `only`, in these packages and the builtins alone."""
        found = [name for part in self._before.changed() if self._is_asked(part, only) for name in _replaced(part)]
        if only is None:
            state = _state()
            found += [name for name, value in self._state.items() if state[name] != value]
            found += [f"sys.modules[{name!r}]" for name in self._exchanged()]
        return found[:_MOST]

    def left_running(self) -> list[str]:
        """Threads that were not there."""
        more = threading.active_count() - self._threads
        return [f"it leaves {more} threads running"] if more > 0 else []

    def _is_asked(self, part: Part, only: tuple[str, ...] | None) -> bool:
        top = part.module.partition(".")[0]
        if top in self._names:
            return False
        if only is None:
            # Of a module that changes by itself only the classes count.
            return part.is_class or top not in _RESTLESS_MODULES
        return part.module == "builtins" or part.module.startswith(only)

    def _exchanged(self) -> list[str]:
        """Modules that are gone or others, and new ones that nobody imported."""
        known = self._before.known
        gone = [name for name, module in known.items() if sys.modules.get(name) is not module]
        made = [
            name
            for name, module in list(sys.modules.items())
            if name not in known and getattr(module, "__spec__", None) is None
        ]
        return [name for name in (*gone, *made) if name.partition(".")[0] not in self._names]


def _replaced(part: Part) -> list[str]:
    now, before = vars(part.owner), part.before
    return [
        f"{part.name}.{key}"
        for key in part.replaced()
        if key not in _RESTLESS and (callable(before[key]) or callable(now[key]))
    ]


def _state() -> dict[str, Any]:
    """What decides how everything else runs."""
    decimal = sys.modules.get("decimal")
    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGALRM)
    return {
        "sys.settrace": sys.gettrace(),
        "sys.setprofile": sys.getprofile(),
        "gc.isenabled()": gc.isenabled(),
        "sys.getrecursionlimit()": sys.getrecursionlimit(),
        "sys.getswitchinterval()": sys.getswitchinterval(),
        "os.environ": dict(os.environ),
        "os.getcwd()": os.getcwd(),
        "signal handlers": [signal.getsignal(number) for number in numbers],
        "warnings.filters": list(warnings.filters),
        "decimal.getcontext()": _arithmetic(decimal.getcontext()) if decimal is not None else None,
        **{f"sys.{name}": id(getattr(sys, name, None)) for name in _SYS},
    }


def _arithmetic(context: Any) -> tuple[Any, ...]:
    """How decimal numbers are reckoned; that something was inexact so far is noted there too, and is no matter."""
    return context.prec, context.rounding, context.Emin, context.Emax, context.clamp


class Lookout:
    """Hears which files code opens and whether it looks at its callers, for the code below one folder at a time. The
    interpreter never lets go of what listens, so there is one for a process."""

    _only: Lookout | None = None

    def __init__(self) -> None:
        self._folder = ""
        self._is_test: Callable[[str], bool] = lambda _: False
        self._seen: dict[str, None] = {}
        self._is_busy = False

    @classmethod
    def get(cls) -> Lookout:
        if cls._only is None:
            cls._only = cls()
            sys.addaudithook(cls._only.hear)
        return cls._only

    @contextlib.contextmanager
    def over(self, folder: str, is_test: Callable[[str], bool]) -> Iterator[dict[str, None]]:
        """What code below the folder does in the block that it has no reason for, as texts."""
        self._folder, self._is_test, self._seen = folder + os.sep, is_test, {}
        try:
            yield self._seen
        finally:
            self._folder = ""

    def hear(self, event: str, details: Any) -> None:
        """For the interpreter to call, whatever happens in it."""
        if not self._folder or self._is_busy or event not in ("open", "sys._getframe"):
            return
        self._is_busy = True
        try:
            self._note(event, details)
        finally:
            self._is_busy = False

    def _note(self, event: str, details: Any) -> None:
        if len(self._seen) >= _MOST:
            return
        # This function's caller's caller is who did it, or inspect on somebody's behalf.
        frame: types.FrameType | None = sys._getframe(2)  # noqa: SLF001 (there is no other name for it)
        while frame is not None and os.path.basename(frame.f_code.co_filename) in ("inspect.py", "traceback.py"):
            frame = frame.f_back
        if event == "sys._getframe":
            if frame and frame.f_code.co_filename.startswith(self._folder):
                self._seen["it looks at who calls it"] = None
        elif isinstance(details[0], (str, os.PathLike)):
            path = os.path.abspath(os.fsdecode(details[0]))
            if self._is_test(path) and self._is_within(frame):
                self._seen[f"it opens {os.path.basename(path)}"] = None

    def _is_within(self, frame: types.FrameType | None) -> bool:
        """Whether code below the folder is among the callers."""
        while frame is not None:
            if frame.f_code.co_filename.startswith(self._folder):
                return True
            frame = frame.f_back
        return False


def kept_between_calls(modules: Iterable[Any]) -> dict[str, int]:
    """How much there is in what modules keep: containers in them, in their functions and classes, and caches. What
    grows from call to call remembers them."""
    sizes: dict[str, int] = {}
    for module in modules:
        name = getattr(module, "__name__", "")
        for key, value in list(vars(module).items()):
            if key not in _RESTLESS and not key.startswith("__"):
                _measure(f"{name}.{key}", value, name, sizes)
    return sizes


def _measure(where: str, value: Any, module: str, sizes: dict[str, int]) -> None:
    kind = type(value)
    if kind in (list, dict, set, bytearray) or kind.__name__ in ("OrderedDict", "deque", "defaultdict", "Counter"):
        sizes[where] = _length(value)
        return
    size = _cached(value)
    if size is not None:
        sizes[where] = size
    if getattr(value, "__module__", None) != module:
        return
    if isinstance(value, type):
        for key, part in list(vars(value).items()):
            if not key.startswith("__") and not isinstance(part, type):
                _measure(f"{where}.{key}", getattr(part, "__func__", part), module, sizes)
    for part, inner in _inner(value):
        if type(inner) in (list, dict, set):
            sizes[f"{where} ({part})"] = _length(inner)


def _cached(value: Any) -> int | None:
    """How many results a function with a cache holds. Compiled patterns do not count: `re` keeps them for everybody."""
    with contextlib.suppress(Exception):  # foreign: an attribute of that name may be anything
        size = int(value.cache_info().currsize)
        return None if getattr(value, "__wrapped__", None) is re.compile else size
    return None


def _inner(function: Any) -> list[tuple[str, Any]]:
    """What a function carries with it."""
    found: list[tuple[str, Any]] = []
    with contextlib.suppress(Exception):  # foreign
        found += [("default", part) for part in function.__defaults__ or ()]
        found += [("default", part) for part in (function.__kwdefaults__ or {}).values()]
        found += [("closure", cell.cell_contents) for cell in function.__closure__ or ()]
        found += [("attribute", part) for part in vars(function).values()]
    return found


def _length(value: Any) -> int:
    try:
        return len(value)
    except Exception:  # a subclass's own
        return 0
