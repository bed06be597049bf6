"""A call of code that nobody trusts, and how it ended: values that cross between us and a backend.

Everything here can be written down as data, so that a backend may as well be on another machine.
"""

from __future__ import annotations

import enum
import signal
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from bakeoff.errors import CallFailed, CallTimedOut

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
]


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
    LOST = "lost"  # our own machinery failed
    CANCELLED = "cancelled"


@dataclass(frozen=True, slots=True, kw_only=True)
class CallLimits:
    """What one call may use at the most; None is no limit. `output` bounds what is kept of each stream, in bytes."""

    memory: int | None = None
    cpu_seconds: int | None = None
    processes: int | None = None
    file_size: int | None = None
    open_files: int | None = None
    output: int = 1 << 20
    result: int = 1 << 30


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """What both kinds of call have.

    The code runs in `directory` and may write there, in a temporary folder of its own, and in `writable`; it may
    read the interpreter, the system's libraries and `readable`; nothing else. `environment` is added to the few
    variables that every call gets, and None takes one away. `timeout` counts from the start of the code.
    """

    directory: Path
    environment: Mapping[str, str | None] = field(default_factory=dict)
    writable: tuple[Path, ...] = ()
    readable: tuple[Path, ...] = ()
    network: bool = False
    limits: CallLimits = field(default_factory=CallLimits)
    timeout: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PythonCall(Call):
    """Call a function: `module:name`, or a name in the text `source`. Arguments and result are data (see data.py).

    `path` goes before the interpreter's own search path.
    """

    function: str
    source: str | None = None
    arguments: tuple[Any, ...] = ()
    keywords: Mapping[str, Any] = field(default_factory=dict)
    path: tuple[Path, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandCall(Call):
    """Run a command line, in any language. Its value is its exit status; one that is not 0 is an error."""

    argv: tuple[str, ...]


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
    """How a call ended, with all that is known of it. `isolation` names the layers that were in force."""

    ending: Ending
    value: Any = None
    error: CandidateError | None = None
    status: int | None = None
    signal: int | None = None
    limit: str | None = None
    seconds: float | None = None
    detail: str = ""
    stdout: Captured = field(default_factory=Captured)
    stderr: Captured = field(default_factory=Captured)
    stragglers: int = 0
    metrics: ExecutionMetrics | None = None
    isolation: tuple[str, ...] = ()

    def unwrap(self) -> Any:  # noqa: ANN401 (any data)
        """The value; raises CallTimedOut (a TimeoutError) or CallFailed with everything that is known."""
        if self.ending is Ending.OK:
            return self.value
        kind = CallTimedOut if self.ending is Ending.TIMEOUT else CallFailed
        raise kind(self.describe())

    def describe(self) -> str:
        """What happened, whole: what ended it, the candidate's traceback, and the end of its stderr."""
        parts = [self._headline()]
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
                return f"the call was ended by {signal.Signals(self.signal or 0).name}"
            case Ending.ERROR if self.error is not None:
                return f"{self.error.type}: {self.error.message}"
            case Ending.ERROR:
                return f"the command ended with status {self.status}"
            case Ending.OUT_OF_MEMORY | Ending.OVER_LIMIT:
                return f"the call went over its limit of {self.limit}"
        return f"{self.ending.value}: {self.detail}"
