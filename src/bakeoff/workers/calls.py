"""A call of code that nobody trusts, and how it ended: values that cross between us and a backend.

Everything here can be written down as data, so that a backend may as well be on another machine.
"""

from __future__ import annotations

import enum
import signal
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from bakeoff.errors import BadCall, CallFailed, CallTimedOut
from bakeoff.workers.isolation import Tier

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

__all__ = [
    "Call",
    "CallLimits",
    "CallOutcome",
    "CandidateError",
    "Captured",
    "CommandCall",
    "Ending",
    "ExecutionMetrics",
    "PythonCall",
    "Timing",
    "signal_name",
]


# Less memory than this is less than an interpreter needs to begin with.
_LEAST = {
    "memory": 1 << 24,
    "cpu_seconds": 1,
    "processes": 1,
    "file_size": 0,
    "open_files": 1,
    "output": 0,
    "result": 0,
}
_MOST = 1 << 50
_LONGEST = 1e9


class Ending(enum.StrEnum):
    """How a call ended."""

    OK = "ok"
    ERROR = "error"  # the candidate raised, or its command said it failed
    TIMEOUT = "timeout"
    CRASH = "crash"  # a signal that nobody of ours sent
    OUT_OF_MEMORY = "out-of-memory"
    OVER_LIMIT = "over-limit"
    NO_RESULT = "no-result"  # it ended by itself and left nothing: os._exit, sys.exit
    BAD_RESULT = "bad-result"  # what it left is not data
    FALSE_CLAIM = "false-claim"  # the time it says it took is not the time that it was seen to take
    LOST = "lost"  # our own machinery failed
    CANCELLED = "cancelled"


@dataclass(frozen=True, slots=True, kw_only=True)
class CallLimits:
    """What one call may use at the most; None is no limit, and then a candidate can take all that the machine has.

    `memory` (bytes) and `processes` (threads count too, and the candidate itself) hold for all processes of the call
    together where there are control groups; without them, memory is the address space of each process. `cpu_seconds`
    holds for all together. `output` bounds what is kept of each stream and `result` what may come back, in bytes.
    """

    memory: int | None = None
    cpu_seconds: int | None = None
    processes: int | None = 1000
    file_size: int | None = None
    open_files: int | None = None
    output: int = 1 << 20
    result: int = 1 << 30

    def __post_init__(self) -> None:
        for name, least in _LEAST.items():
            value = getattr(self, name)
            if value is not None and not (type(value) is int and least <= value <= _MOST):
                raise BadCall(
                    f"the limit {name} = {value!r} cannot be used", hint=f"give a whole number from {least} up"
                )


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """What both kinds of call have.

    The code runs in `directory` and may write there, in a temporary folder of its own, and in `writable`; it may
    read the interpreter, the system's libraries and `readable`; nothing else. `environment` is added to the few
    variables that every call gets, and None takes one away. `timeout` counts from when the call is sent to a process,
    not from when it was asked for. `enter` is a command that runs what follows it where `directory` exists: for a slot,
    `slot.enter`.
    """

    directory: Path
    environment: Mapping[str, str | None] = field(default_factory=dict)
    writable: tuple[Path, ...] = ()
    readable: tuple[Path, ...] = ()
    network: bool = False
    limits: CallLimits = field(default_factory=CallLimits)
    timeout: float | None = None
    enter: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.timeout is not None and not 0 < self.timeout <= _LONGEST:
            raise BadCall(
                f"the timeout {self.timeout!r} cannot be used", hint="give a positive number of seconds, or None"
            )
        for name, value in self.environment.items():
            if not _is_text(name) or not name or "=" in name or not (value is None or _is_text(value)):
                raise BadCall(f"the variable {name!r} = {value!r} cannot be set", hint="names and values are texts")
        if not all(map(_is_text, self.enter)):
            raise BadCall(f"the command {self.enter!r} cannot be run", hint="its parts are texts")


@dataclass(frozen=True, slots=True, kw_only=True)
class PythonCall(Call):
    """Call a function: `module:name`, or a name in the text `source`. Arguments and result are data (see data.py).

    `path` goes before the interpreter's own search path. With `timed`, the outcome says how long the function took,
    without imports and without the way of its arguments and its result.
    """

    function: str
    source: str | None = None
    arguments: tuple[Any, ...] = ()
    keywords: Mapping[str, Any] = field(default_factory=dict)
    path: tuple[Path, ...] = ()
    timed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandCall(Call):
    """Run a command line, in any language. Its value is its exit status; one that is not 0 is an error."""

    argv: tuple[str, ...]

    def __post_init__(self) -> None:
        Call.__post_init__(self)
        if not self.argv or not all(map(_is_text, self.argv)):
            raise BadCall(f"the command {self.argv!r} cannot be run", hint="give a program and its arguments, as texts")


@dataclass(frozen=True, slots=True, kw_only=True)
class ExecutionMetrics:
    """What a call used, measured from outside it. Times are seconds; `started` and `ended` are UTC timestamps."""

    pid: int
    worker: str
    node: str
    wall: float
    user: float
    system: float
    peak_memory: int
    started: float
    ended: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Timing:
    """How long a timed function took, in seconds: as its process says, and as was seen from outside.

    A process that a candidate shares can say anything, but only what fits what was seen is passed on. The view from
    outside is coarse, and late by as much as the machine is busy: what is said of less than 20 ms of CPU time, or
    a quarter of a second of the clock, is not checked by it.
    """

    wall: float
    cpu: float
    seen_wall: float
    seen_cpu: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Captured:
    """What is kept of a stream: how it began, how it ended, and how many bytes between the two were dropped."""

    head: str = ""
    tail: str = ""
    dropped: int = 0

    def __str__(self) -> str:
        return f"{self.head}\n… {self.dropped} bytes …\n{self.tail}" if self.dropped else self.head + self.tail


@dataclass(frozen=True, slots=True, kw_only=True)
class CandidateError:
    """An exception of the candidate's, as text."""

    type: str
    message: str
    traceback: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CallOutcome:
    """How a call ended, with all that is known of it.

    `isolation` names the layers that were in force, `denied` says what they refused, where that is known,
    `stragglers` counts the processes that it left behind and that were ended.
    """

    ending: Ending
    value: Any = None
    error: CandidateError | None = None
    status: int | None = None
    signal: int | None = None
    limit: str | None = None
    seconds: float | None = None
    detail: str = ""
    denied: str | None = None
    timing: Timing | None = None
    stdout: Captured = field(default_factory=Captured)
    stderr: Captured = field(default_factory=Captured)
    stragglers: int = 0
    metrics: ExecutionMetrics | None = None
    isolation: tuple[str, ...] = ()

    @property
    def tier(self) -> Tier:
        """How isolated it was."""
        return Tier.of(self.isolation)

    def unwrap(self) -> Any:  # noqa: ANN401 (any data)
        """The value; raises CallTimedOut (a TimeoutError) or CallFailed with everything that is known."""
        if self.ending is Ending.OK:
            return self.value
        kind = CallTimedOut if self.ending is Ending.TIMEOUT else CallFailed
        raise kind(self.describe())

    def describe(self) -> str:
        """What happened, whole: what ended it, the candidate's traceback, and the end of its stderr."""
        parts = [self._headline()]
        if self.denied is not None:
            parts.append(self.denied)
        if self.error is not None:
            parts.append(self.error.traceback.rstrip())
        if str(self.stderr).strip():
            parts.append(f"stderr:\n{str(self.stderr).rstrip()}")
        return "\n\n".join(parts)

    def _headline(self) -> str:
        match self.ending:
            case Ending.TIMEOUT:
                return f"the call was ended after {self.seconds:.2f} s: it ran past its limit"
            case Ending.CRASH:
                return f"the call was ended by {signal_name(self.signal or 0)}"
            case Ending.ERROR if self.error is not None:
                return f"{self.error.type}: {self.error.message}"
            case Ending.ERROR:
                return f"the command ended with status {self.status}"
            case Ending.OUT_OF_MEMORY | Ending.OVER_LIMIT:
                return f"the call went over its limit of {self.limit}"
        return f"{self.ending.value}: {self.detail}"


def _is_text(value: object) -> bool:
    return isinstance(value, str) and "\0" not in value


def signal_name(number: int) -> str:
    """A signal's name; those for real-time use have none."""
    return signal.Signals(number).name if number in set(signal.Signals) else f"signal {number}"
