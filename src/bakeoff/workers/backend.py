"""What a backend is, what can be watched of one, and the life that ours have in common."""

from __future__ import annotations

import logging
import os
import sys
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, Self, runtime_checkable

import anyio
import anyio.lowlevel

from bakeoff.errors import BackendClosed, BadCall, UsageError
from bakeoff.workers.calls import CallOutcome, Ending
from bakeoff.workers.isolation import Sandbox

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from bakeoff.workers.calls import Call, ExecutionMetrics

__all__ = ["ExecutorBackend", "LifecycleObservable", "ProcessBackend", "WorkerConfig"]

_log = logging.getLogger(__name__)
# What a program needs to run at all. Everything else of our environment may be a secret.
_WHITELIST = ("PATH", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "LD_LIBRARY_PATH")
_PREFIX = "BAKEOFF_"


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerConfig:
    """How a backend runs calls.

    `python` runs them; it has imported `preload` (never the candidate's own modules) before a call begins, where the
    backend keeps one warm, and is started anew after `recycle` calls. At most `workers` calls run at once (0: as many
    as there are cores). `environment` names the variables that calls may see of ours. `kits` are folders that are
    packages of plain Python: calls, and `preload`, can import each as `_bakeoff_` and its name.
    """

    python: Path | None = None
    workers: int = 0
    sandbox: Sandbox = Sandbox.AUTO
    preload: tuple[str, ...] = ()
    recycle: int = 1000
    environment: tuple[str, ...] = _WHITELIST
    kits: tuple[Path, ...] = ()

    def __post_init__(self) -> None:
        if self.workers < 0 or self.recycle < 1:
            raise BadCall(
                f"workers = {self.workers} and recycle = {self.recycle} cannot be used",
                hint="workers is 0 or more, recycle 1 or more",
            )

    @classmethod
    def from_env(cls, variables: Mapping[str, str] | None = None) -> Self:
        """From BAKEOFF_PYTHON, _WORKERS, _SANDBOX, _PRELOAD, _RECYCLE and _WORKER_ENV (names to add); lists are
        separated by commas. An empty one counts as not set."""
        given = os.environ if variables is None else variables
        python = given.get(f"{_PREFIX}PYTHON")
        return cls(
            python=Path(python) if python else None,
            workers=_number(given, "WORKERS", 0, least=0),
            sandbox=_sandbox(given),
            preload=_names(given, "PRELOAD"),
            recycle=_number(given, "RECYCLE", 1000, least=1),
            environment=(*_WHITELIST, *_names(given, "WORKER_ENV")),
        )

    def count(self) -> int:
        """How many calls may run at once: as many as cores, divided among the workers of pytest-xdist."""
        cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
        return self.workers or max(1, cores // max(1, int(os.environ.get("PYTEST_XDIST_WORKER_COUNT") or 1)))

    def visible(self) -> dict[str, str]:
        """The variables of ours that calls may see. The interpreter's folder comes first in PATH, so that `python` and
        `pytest` in a command are the project's, as in its activated environment; what is first in ours may be a shim
        that lies where calls cannot read."""
        found = {name: os.environ[name] for name in self.environment if name in os.environ}
        if "PATH" in found:
            folder = os.path.dirname(os.path.abspath(self.python or sys.executable))
            found["PATH"] = os.pathsep.join([folder, *filter(None, found["PATH"].split(os.pathsep))])
        return found


@runtime_checkable
class ExecutorBackend(Protocol):
    """Runs calls, each in a process of its own.

    `execute` may be called from many tasks of one event loop at once; other loops may use the backend after it. How
    the candidate fares is an outcome; only our own machinery raises. Cancelling it ends that call alone, and returns
    when nothing of it is left. `shutdown` may be called any number of times; with `wait` it returns when every call has
    ended and nothing is left, and with `cancel` calls are ended at once (their outcome says so) instead of awaited.
    """

    async def execute(self, call: Call) -> CallOutcome: ...

    async def shutdown(self, *, wait: bool = True, cancel: bool = False) -> None: ...


@runtime_checkable
class LifecycleObservable(Protocol):
    """A backend that tells what it does. Hooks run in the order of registration, on the event loop, once per event;
    for every submit there is one complete. One that raises is logged and disturbs nobody."""

    def on_submit(self, hook: Callable[[Call], None]) -> None: ...

    def on_complete(self, hook: Callable[[Call, ExecutionMetrics | None], None]) -> None: ...

    def on_shutdown(self, hook: Callable[[], None]) -> None: ...


class _Here:
    """What belongs to one event loop."""

    def __init__(self, limit: int) -> None:
        self.loop = anyio.lowlevel.current_token()
        # At most so many at once; a call's own time starts when it has its permit.
        self.permits = anyio.CapacityLimiter(limit)
        # One message to a process at a time, where its socket is full.
        self.sending = anyio.Lock()
        self.idle = anyio.Event()


class ProcessBackend:
    """The life of a backend: calls are admitted, counted, told to hooks, and awaited at the end.

    A subclass runs one call (`_run`) and gives back what it holds when the last call has ended (`_release`).
    """

    def __init__(self, config: WorkerConfig | None = None) -> None:
        self._config = config or WorkerConfig()
        self._hooks: dict[str, list[Callable[..., None]]] = defaultdict(list)
        self._here: _Here | None = None
        self._running: set[anyio.CancelScope] = set()
        self._closed = False
        self._released: anyio.Event | None = None
        self._announced = False

    async def _run(self, call: Call) -> CallOutcome:
        raise NotImplementedError

    async def _release(self) -> None:
        """Called once, when no call runs any more."""

    def on_submit(self, hook: Callable[[Call], None]) -> None:
        self._hooks["submit"].append(hook)

    def on_complete(self, hook: Callable[[Call, ExecutionMetrics | None], None]) -> None:
        self._hooks["complete"].append(hook)

    def on_shutdown(self, hook: Callable[[], None]) -> None:
        self._hooks["shutdown"].append(hook)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        with anyio.CancelScope(shield=True):
            await self.shutdown()

    async def execute(self, call: Call) -> CallOutcome:
        """Run one call; see `ExecutorBackend`."""
        if self._closed:
            raise BackendClosed
        here = self._settled()
        outcome: CallOutcome | None = None
        self._fire("submit", call)
        scope = anyio.CancelScope()
        self._running.add(scope)
        try:
            with scope:
                async with here.permits:
                    outcome = await self._run(call)
            return outcome or CallOutcome(ending=Ending.CANCELLED, detail="the backend was shut down")
        finally:
            self._running.discard(scope)
            self._fire("complete", call, outcome.metrics if outcome else None)
            if self._closed and not self._running:
                await self._release_once()
                here.idle.set()

    async def shutdown(self, *, wait: bool = True, cancel: bool = False) -> None:
        """Take no more calls; see `ExecutorBackend`."""
        self._closed = True
        if cancel:
            for scope in self._running:
                scope.cancel()
        try:
            if not self._running:
                await self._release_once()
            elif wait and self._here is not None:
                await self._here.idle.wait()
        finally:
            if not self._announced:
                self._announced = True
                self._fire("shutdown")

    async def _release_once(self) -> None:
        """Whoever comes first does it, cancelled or not; the others wait for it."""
        if self._released is not None:
            await self._released.wait()
            return
        self._released = anyio.Event()
        with anyio.CancelScope(shield=True):
            await self._release()
        self._released.set()

    def _settled(self) -> _Here:
        """What belongs to the event loop that we are on now."""
        if self._here is None or self._here.loop != anyio.lowlevel.current_token():
            if self._running:
                raise UsageError(
                    "this worker backend is in use on another event loop",
                    hint="give each event loop that runs at the same time a backend of its own",
                )
            self._here = _Here(self._config.count())
        return self._here

    def _fire(self, event: str, *details: Any) -> None:  # noqa: ANN401 (whatever the event has)
        for hook in self._hooks[event]:
            try:
                hook(*details)
            except Exception:  # noqa: BLE001 (a hook is foreign code; logged with its traceback)
                _log.exception("a hook for %s failed", event)


def _number(variables: Mapping[str, str], name: str, default: int, *, least: int) -> int:
    text = variables.get(f"{_PREFIX}{name}") or str(default)
    if not text.isascii() or not text.isdigit() or int(text) < least:
        raise UsageError(f"{_PREFIX}{name} = {text!r} cannot be used", hint=f"give a number, {least} or more")
    return int(text)


def _names(variables: Mapping[str, str], name: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in variables.get(f"{_PREFIX}{name}", "").split(",") if part.strip())


def _sandbox(variables: Mapping[str, str]) -> Sandbox:
    text = variables.get(f"{_PREFIX}SANDBOX") or Sandbox.AUTO
    try:
        return Sandbox(text)
    except ValueError:
        raise UsageError(
            f"{_PREFIX}SANDBOX = {text!r} is not known", hint=f"use one of: {', '.join(Sandbox)}"
        ) from None
