"""A backend with one plain process per call: works wherever Python does, with whatever isolation there is.

    execute ──▶ supervisor.py (a process of its own session) ──▶ the candidate
                 ▲ request, result: files without a name    │
                 └ leash: a pipe that we hold               └─▶ report: a pipe that we read

Nothing of a call has a name in the file system but its temporary folder, which goes with the call, also when we are
killed: then the supervisor removes it.

Weaker than namespaces would be: a descendant of the candidate is found and ended by the supervisor, and would live on
if supervisor and engine were both killed in the same moment.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Self

import anyio
import anyio.to_thread
import msgspec

from bakeoff.errors import BackendClosed, SandboxMissing
from bakeoff.removal import remove
from bakeoff.workers import data, jail, supervisor
from bakeoff.workers.backend import Hooks, Sandbox, WorkerConfig
from bakeoff.workers.calls import (
    CallOutcome,
    CandidateError,
    Captured,
    CommandCall,
    Ending,
    ExecutionMetrics,
    PythonCall,
)
from bakeoff.workers.jail import LAYERS

if TYPE_CHECKING:
    from collections.abc import Callable

    from anyio.abc import Process

    from bakeoff.workers.calls import Call

__all__ = ["SubprocessBackend"]

_LIBRARIES = ("/usr", "/lib", "/lib64", "/bin", "/sbin", "/opt", "/etc/ld.so.cache", "/etc/localtime", "/etc/ssl")
_DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/proc/self", "/proc/cpuinfo")
_ALWAYS = frozenset({"limits"})
_PROBE = (
    "import json,sys,runpy; p=runpy.run_path(sys.argv[1])['probe']; print(json.dumps([p(),sys.prefix,sys.base_prefix]))"
)
_GRACE = 10.0


@dataclass(frozen=True, slots=True, kw_only=True)
class _Interpreter:
    """What was found out about the Python that runs calls."""

    python: str
    prefixes: tuple[str, ...]
    missing: dict[str, str]


class SubprocessBackend:
    """Runs each call in a fresh interpreter. See `ExecutorBackend` and `LifecycleObservable` for the contract."""

    def __init__(self, config: WorkerConfig | None = None) -> None:
        self._config = config or WorkerConfig()
        self._hooks = Hooks()
        self._interpreter: _Interpreter | None = None
        self._closed = False
        self._running = 0
        self._idle = anyio.Event()
        # At most so many at once; a call's own time starts when it has its permit.
        self._permits = anyio.CapacityLimiter(self._config.count())

    def on_submit(self, hook: Callable[[Call], None]) -> None:
        self._hooks.add("submit", hook)

    def on_complete(self, hook: Callable[[Call, ExecutionMetrics | None], None]) -> None:
        self._hooks.add("complete", hook)

    def on_shutdown(self, hook: Callable[[], None]) -> None:
        self._hooks.add("shutdown", hook)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        with anyio.CancelScope(shield=True):
            await self.shutdown()

    async def execute(self, call: Call) -> CallOutcome:
        """Run one call; see `ExecutorBackend`."""
        if self._closed:
            raise BackendClosed
        self._hooks.fire("submit", call)
        self._running += 1
        outcome: CallOutcome | None = None
        try:
            async with self._permits:
                outcome = await self._run(call)
            return outcome
        finally:
            self._running -= 1
            self._hooks.fire("complete", call, outcome.metrics if outcome else None)
            if self._closed and not self._running:
                self._idle.set()

    async def shutdown(self, *, wait: bool = True) -> None:
        """Take no more calls; those that run may end. See `ExecutorBackend`."""
        first, self._closed = not self._closed, True
        if not self._running:
            self._idle.set()
        if wait:
            await self._idle.wait()
        if first:
            self._hooks.fire("shutdown")

    async def _run(self, call: Call) -> CallOutcome:
        interpreter = await self._known()
        isolation = self._isolation(interpreter)
        folder = Path(tempfile.mkdtemp(prefix="bakeoff-call-"))
        try:
            with tempfile.TemporaryFile() as result:
                request = self._request(call, interpreter, isolation, folder)
                report = await _supervised(interpreter.python, request, result)
                if report is None:
                    return CallOutcome(ending=Ending.LOST, detail="the supervisor ended without a report")
                outcome = await anyio.to_thread.run_sync(_read, call, report, result)
            return replace(outcome, isolation=isolation)
        finally:
            with anyio.CancelScope(shield=True):
                await anyio.to_thread.run_sync(remove, folder)

    async def _known(self) -> _Interpreter:
        if self._interpreter is None:
            python = os.path.abspath(self._config.python or sys.executable)  # noqa: ASYNC240 (touches no disk)
            done = await anyio.run_process([python, "-I", "-S", "-c", _PROBE, jail.__file__], env={})
            tried, *prefixes = json.loads(done.stdout)
            # A virtual environment is told by where its interpreter lies, which -S hides from it.
            own = os.path.dirname(os.path.dirname(python))
            missing = {name: reason for name, reason in tried.items() if name in LAYERS and reason}
            self._interpreter = _Interpreter(python=python, prefixes=(own, *prefixes), missing=missing)
        return self._interpreter

    def _isolation(self, interpreter: _Interpreter) -> tuple[str, ...]:
        if self._config.sandbox is Sandbox.REQUIRE and interpreter.missing:
            raise SandboxMissing(f"{name}: {reason}" for name, reason in interpreter.missing.items())
        wanted = _ALWAYS if self._config.sandbox is Sandbox.OFF else set(LAYERS)
        return tuple(name for name in LAYERS if name in wanted and name not in interpreter.missing)

    def _request(
        self, call: Call, interpreter: _Interpreter, isolation: tuple[str, ...], folder: Path
    ) -> dict[str, Any]:
        request = {
            "directory": str(call.directory),
            "folder": str(folder),
            "environment": self._environment(call, folder),
            "output": call.limits.output,
            "timeout": call.timeout,
            "jail": {
                "writable": [str(path) for path in (call.directory, folder, *call.writable)] + list(_DEVICES),
                "readable": [*interpreter.prefixes, *_LIBRARIES, *map(str, call.readable)],
                "network": call.network,
                "limits": _rlimits(call),
                "without": [name for name in LAYERS if name not in isolation],
            },
        }
        return request | _what(call)

    def _environment(self, call: Call, folder: Path) -> dict[str, str]:
        ours = {name: os.environ[name] for name in self._config.environment if name in os.environ}
        own = {"HOME": str(folder), "TMPDIR": str(folder), "PYTHONDONTWRITEBYTECODE": "1"}
        merged: dict[str, str | None] = {**ours, **own, **call.environment}
        return {name: value for name, value in merged.items() if value is not None}


def _what(call: Call) -> dict[str, Any]:
    match call:
        case PythonCall():
            arguments = data.encode((list(call.arguments), dict(call.keywords)))
            return {
                "kind": "python",
                "function": call.function,
                "source": call.source,
                "arguments": arguments.decode("utf-8", "surrogatepass"),
                "path": [str(path) for path in call.path],
            }
        case CommandCall():
            return {"kind": "command", "argv": list(call.argv)}
    raise TypeError(f"a {type(call).__name__} is not a call")


def _rlimits(call: Call) -> dict[str, int]:
    limits = call.limits
    wanted = {
        "AS": limits.memory,
        "CPU": limits.cpu_seconds,
        "NPROC": limits.processes,
        "FSIZE": limits.file_size,
        "NOFILE": limits.open_files,
    }
    return {name: value for name, value in wanted.items() if value is not None}


async def _supervised(python: str, request: dict[str, Any], result: IO[bytes]) -> dict[str, Any] | None:
    """Run a supervisor and return its report; None when it ended without one. Cancelling ends the call, whole."""
    with tempfile.TemporaryFile() as asked:
        asked.write(json.dumps(request).encode("utf-8", "surrogatepass"))
        asked.seek(0)
        reader, writer = os.pipe()
        leash, hold = os.pipe()
        try:
            numbers = (asked.fileno(), result.fileno(), writer, leash)
            process = await _start(python, numbers)
            os.close(writer)
            os.close(leash)
            try:
                return await _report(reader)
            finally:
                os.close(hold)
                with anyio.CancelScope(shield=True):
                    await _gone(process)
        finally:
            os.close(reader)


async def _start(python: str, numbers: tuple[int, ...]) -> Process:
    return await anyio.open_process(
        [python, "-I", "-S", supervisor.__file__, *map(str, numbers)],
        pass_fds=numbers,
        env={},
        cwd="/",
        start_new_session=True,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


async def _report(reader: int) -> dict[str, Any] | None:
    os.set_blocking(reader, False)
    received = bytearray()
    while True:
        await anyio.wait_readable(reader)
        try:
            chunk = os.read(reader, 1 << 20)
        except BlockingIOError:
            continue
        if not chunk:
            break
        received += chunk
    return json.loads(received.decode("utf-8", "surrogatepass")) if received else None


async def _gone(process: Process) -> None:
    """The supervisor ends by itself when its leash does; in any case it is gone when this returns."""
    with anyio.move_on_after(_GRACE):
        await process.wait()
    if process.returncode is None:
        process.kill()
    await process.aclose()


def _read(call: Call, report: dict[str, Any], result: IO[bytes]) -> CallOutcome:
    """The outcome, from what the supervisor saw and what the candidate left."""
    stdout, stderr = (Captured(**stream) for stream in report["streams"])
    metrics = ExecutionMetrics(
        worker=f"subprocess-{report['metrics']['pid']}", node=os.uname().nodename, **report["metrics"]
    )
    known = CallOutcome(
        ending=Ending.LOST,
        detail=report["setup"],
        seconds=metrics.wall,
        stdout=stdout,
        stderr=stderr,
        stragglers=report["stragglers"],
        metrics=metrics,
    )
    if report["killed"] == "timeout":
        return replace(known, ending=Ending.TIMEOUT)
    if os.WIFSIGNALED(report["status"]):
        return _signalled(call, known, metrics, os.WTERMSIG(report["status"]))
    status = os.WEXITSTATUS(report["status"])
    if report["setup"]:
        return known
    if isinstance(call, CommandCall):
        return replace(known, ending=Ending.ERROR if status else Ending.OK, status=status, value=status)
    return _answered(replace(known, status=status), _content(result, call.limits.result))


def _signalled(call: Call, known: CallOutcome, metrics: ExecutionMetrics, number: int) -> CallOutcome:
    # A candidate that ignores the signal at its CPU limit is killed a second later: the time it used tells.
    used_up = call.limits.cpu_seconds is not None and metrics.user + metrics.system >= call.limits.cpu_seconds
    if number == signal.SIGXCPU or (number == signal.SIGKILL and used_up):
        return replace(known, ending=Ending.OVER_LIMIT, signal=number, limit="cpu_seconds")
    if number == signal.SIGXFSZ:
        return replace(known, ending=Ending.OVER_LIMIT, signal=number, limit="file_size")
    return replace(known, ending=Ending.CRASH, signal=number)


def _content(result: IO[bytes], bound: int) -> tuple[bytes, bytes] | None:
    size = os.fstat(result.fileno()).st_size
    if size > bound:
        return b"too large", str(size).encode()
    result.seek(0)
    kind, _, content = result.read(bound).partition(b"\n")
    return (kind, content) if kind else None


def _answered(known: CallOutcome, content: tuple[bytes, bytes] | None) -> CallOutcome:
    match content:
        case None:
            return replace(known, ending=Ending.NO_RESULT, detail=f"it ended by itself with status {known.status}")
        case b"exit", code:
            return replace(known, ending=Ending.NO_RESULT, detail=f"sys.exit({code.decode(errors='replace')})")
        case b"value", encoded:
            try:
                return replace(known, ending=Ending.OK, value=data.decode(encoded))
            except data.DataError as error:
                return replace(known, ending=Ending.BAD_RESULT, detail=str(error))
        case b"error", described:
            return _raised(known, described)
    return replace(known, ending=Ending.BAD_RESULT, detail="the result channel holds something that no call writes")


class _Described(msgspec.Struct, frozen=True):
    type: str
    message: str
    traceback: str
    limit: str | None
    not_data: bool


def _raised(known: CallOutcome, described: bytes) -> CallOutcome:
    try:
        found = msgspec.json.decode(described, type=_Described)
    except msgspec.DecodeError as error:
        return replace(known, ending=Ending.BAD_RESULT, detail=f"the error cannot be read: {error}")
    known = replace(known, error=CandidateError(type=found.type, message=found.message, traceback=found.traceback))
    if found.not_data:
        return replace(known, ending=Ending.BAD_RESULT, detail=found.message)
    if found.limit is not None:
        ending = Ending.OUT_OF_MEMORY if found.limit == "memory" else Ending.OVER_LIMIT
        return replace(known, ending=ending, limit=found.limit)
    return replace(known, ending=Ending.ERROR)
