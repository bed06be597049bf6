"""What a backend is, and what can be watched of one."""

from __future__ import annotations

import enum
import logging
import os
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, Self, runtime_checkable

from bakeoff.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from bakeoff.workers.calls import Call, CallOutcome, ExecutionMetrics

__all__ = ["ExecutorBackend", "Hooks", "LifecycleObservable", "Sandbox", "WorkerConfig"]

_log = logging.getLogger(__name__)
# What a program needs to run at all. Everything else of our environment may be a secret.
_WHITELIST = ("PATH", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "LD_LIBRARY_PATH")
_PREFIX = "BAKEOFF_"


class Sandbox(enum.StrEnum):
    """Whether isolation is wanted: as much as there is, all of it or nothing runs, or none."""

    AUTO = "auto"
    REQUIRE = "require"
    OFF = "off"


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerConfig:
    """How a backend runs calls. `python` runs them, and `environment` names the variables they may see of ours."""

    python: Path | None = None
    workers: int = 0
    sandbox: Sandbox = Sandbox.AUTO
    environment: tuple[str, ...] = _WHITELIST

    @classmethod
    def from_env(cls, variables: Mapping[str, str]) -> Self:
        """From BAKEOFF_WORKERS, BAKEOFF_SANDBOX and BAKEOFF_WORKER_ENV (names to add, separated by commas)."""
        added = variables.get(f"{_PREFIX}WORKER_ENV", "")
        return cls(
            workers=_number(variables, "WORKERS"),
            sandbox=_sandbox(variables),
            environment=(*_WHITELIST, *(name.strip() for name in added.split(",") if name.strip())),
        )

    def count(self) -> int:
        """How many calls may run at once: as many as cores, divided among the workers of pytest-xdist."""
        cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
        return self.workers or max(1, cores // int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1")))


@runtime_checkable
class ExecutorBackend(Protocol):
    """Runs calls, each in a process of its own.

    `execute` may be called from many tasks of one event loop at once. How the candidate fares is an outcome; only
    our own machinery raises. Cancelling it ends that call alone, and returns when nothing of it is left. `shutdown`
    may be called any number of times; with `wait` it returns when every call has ended and nothing is left.
    """

    async def execute(self, call: Call) -> CallOutcome: ...

    async def shutdown(self, *, wait: bool = True) -> None: ...


@runtime_checkable
class LifecycleObservable(Protocol):
    """A backend that tells what it does. Hooks run in the order of registration, on the event loop, once per event;
    for every submit there is one complete. One that raises is logged and disturbs nobody."""

    def on_submit(self, hook: Callable[[Call], None]) -> None: ...

    def on_complete(self, hook: Callable[[Call, ExecutionMetrics | None], None]) -> None: ...

    def on_shutdown(self, hook: Callable[[], None]) -> None: ...


class Hooks:
    """The registered hooks of one backend."""

    def __init__(self) -> None:
        self._hooks: dict[str, list[Callable[..., None]]] = defaultdict(list)

    def add(self, event: str, hook: Callable[..., None]) -> None:
        self._hooks[event].append(hook)

    def fire(self, event: str, *details: Any) -> None:  # noqa: ANN401 (whatever the event has)
        for hook in self._hooks[event]:
            try:
                hook(*details)
            except Exception:  # noqa: BLE001 (a hook is foreign code; logged with its traceback)
                _log.exception("a hook for %s failed", event)


def _number(variables: Mapping[str, str], name: str) -> int:
    text = variables.get(f"{_PREFIX}{name}", "0")
    if not text.isascii() or not text.isdigit():
        raise UsageError(f"{_PREFIX}{name} = {text!r} is not a number", hint="give how many calls may run at once")
    return int(text)


def _sandbox(variables: Mapping[str, str]) -> Sandbox:
    text = variables.get(f"{_PREFIX}SANDBOX", Sandbox.AUTO)
    try:
        return Sandbox(text)
    except ValueError:
        raise UsageError(
            f"{_PREFIX}SANDBOX = {text!r} is not known", hint=f"use one of: {', '.join(Sandbox)}"
        ) from None
