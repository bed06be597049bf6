"""A program: runs one call in a jail, and says exactly how it ended.

    engine ──request, on a file──▶ supervisor ──fork──▶ candidate (jailed, a session of its own)
       ▲                              │  ▲ stdout, stderr: read here, kept within bounds
       └──────report, on a pipe───────┘  └ result: a file that only the candidate writes

The supervisor is trusted and stays outside the jail. It holds the deadline, knows by `wait4` how the candidate ended
and what it used, and ends whatever the candidate leaves behind: it is the reaper of all its descendants, so that one
that forked twice and made a session of its own is still found. It never waits for the end of a stream, which
a descendant may hold open. When the engine dies its pipe ends, and with it the call.

Plain Python ≥ 3.9, standard library only: it runs in the interpreter of the user's project, without site-packages.

Descriptors by number, given on the command line: request, result, report, leash (ends when the engine does).
"""

from __future__ import annotations

import ctypes
import errno
import importlib
import importlib.util
import json
import linecache
import os
import select
import shutil
import signal
import site
import sys
import time
import traceback
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bakeoff.workers import data, jail
else:

    def _beside(name: str) -> Any:  # noqa: ANN401
        """A file next to this one, under a name that no module of the candidate can have or want."""
        path = os.path.join(os.path.dirname(os.path.abspath(__file__)), f"{name}.py")
        spec = importlib.util.spec_from_file_location(f"_bakeoff_{name}", path)
        module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module

    data, jail = _beside("data"), _beside("jail")

_PR_SET_CHILD_SUBREAPER = 36
_CHUNK = 65536
_LIMIT_OF_ERRNO = {errno.EFBIG: "file_size", errno.EMFILE: "open_files", errno.ENOMEM: "memory"}


class Stream:
    """The output of one descriptor: its head and its tail, and how much fell out between them."""

    def __init__(self, bound: int) -> None:
        self.reader, self.writer = os.pipe()
        os.set_blocking(self.reader, False)
        self._bound = bound // 2
        self._head = bytearray()
        self._tail = bytearray()
        self._seen = 0

    def drain(self) -> bool:
        """Take what is there; False when the stream has ended."""
        for _ in range(64):
            try:
                chunk = os.read(self.reader, _CHUNK)
            except BlockingIOError:
                return True
            if not chunk:
                return False
            self._take(chunk)
        return True

    def report(self) -> dict[str, Any]:
        dropped = self._seen - len(self._head) - len(self._tail)
        return {
            "head": self._head.decode("utf-8", "backslashreplace"),
            "tail": self._tail.decode("utf-8", "backslashreplace"),
            "dropped": dropped,
        }

    def _take(self, chunk: bytes) -> None:
        self._seen += len(chunk)
        room = self._bound - len(self._head)
        self._head += chunk[:room]
        self._tail += chunk[max(room, 0) :]
        del self._tail[: -self._bound or None]


class Supervisor:
    """One call, from request to report."""

    def __init__(self, request: dict[str, Any], result: int, leash: int) -> None:
        self.request = request
        self.result = result
        self.leash = leash
        self.streams = [Stream(request["output"]) for _ in range(2)]
        self.killed: str | None = None

    def run(self) -> dict[str, Any]:
        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
        began, clock = time.time(), time.perf_counter()
        errors, tell = os.pipe()
        candidate = os.fork()
        if candidate == 0:
            os.close(errors)
            Candidate(self, tell).run()
        os.close(tell)
        for stream in self.streams:
            os.close(stream.writer)
        status, usage = self._watch(candidate, clock)
        wall = time.perf_counter() - clock
        stragglers = end_descendants()
        for stream in self.streams:
            stream.drain()
        return {
            "killed": self.killed,
            "status": status,
            "setup": _told(errors),
            "stragglers": stragglers,
            "streams": [stream.report() for stream in self.streams],
            "metrics": {
                "pid": candidate,
                "wall": wall,
                "user": usage.ru_utime,
                "system": usage.ru_stime,
                "peak_memory": usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024),
                "started": began,
                "ended": began + wall,
            },
        }

    def _watch(self, candidate: int, clock: float) -> tuple[int, Any]:
        """Until the candidate itself has ended; its streams may go on, held by others."""
        ended = os.pidfd_open(candidate) if hasattr(os, "pidfd_open") else None
        timeout = self.request["timeout"]
        deadline = None if timeout is None else clock + timeout
        poller = select.poll()
        for descriptor in (self.leash, ended, *(stream.reader for stream in self.streams)):
            if descriptor is not None:
                poller.register(descriptor, select.POLLIN)
        while True:
            left = None if deadline is None else max(0.0, deadline - time.perf_counter())
            self._serve(poller, poller.poll(_milliseconds(left, poll=ended is None)))
            found, status, usage = os.wait4(candidate, os.WNOHANG)
            if found:
                return status, usage
            if self.killed is None and left == 0:
                self._kill(candidate, "timeout")
                deadline = None

    def _serve(self, poller: select.poll, ready: list[tuple[int, int]]) -> None:
        for descriptor, _ in ready:
            if descriptor == self.leash:
                end_descendants()
                shutil.rmtree(self.request["folder"], ignore_errors=True)
                os._exit(1)
            for stream in self.streams:
                if descriptor == stream.reader and not stream.drain():
                    poller.unregister(descriptor)

    def _kill(self, candidate: int, why: str) -> None:
        self.killed = why
        os.kill(candidate, signal.SIGKILL)


class Candidate:
    """The side of the fork that becomes the candidate. Nothing here returns."""

    def __init__(self, supervisor: Supervisor, tell: int) -> None:
        self.request = supervisor.request
        self.result = supervisor.result
        self.streams = supervisor.streams
        self.tell = tell

    def run(self) -> None:
        status = 70
        try:
            self._settle()
            status = self._python() if self.request["kind"] == "python" else self._command()
        except BaseException as error:  # noqa: BLE001 (the door to our own set-up: told to the supervisor as it is)
            os.write(self.tell, "".join(traceback.format_exception(type(error), error, error.__traceback__)).encode())
        finally:
            os._exit(status)

    def _settle(self) -> None:
        """The surroundings that the candidate is to find."""
        os.setsid()
        null = os.open(os.devnull, os.O_RDONLY)
        for descriptor, target in ((null, 0), (self.streams[0].writer, 1), (self.streams[1].writer, 2)):
            os.dup2(descriptor, target)
        keep = {0, 1, 2, self.result, self.tell}
        for descriptor in map(int, os.listdir("/dev/fd")):
            if descriptor not in keep:
                _close(descriptor)
        os.umask(0o022)
        os.environ.clear()
        os.environ.update(self.request["environment"])
        os.chdir(self.request["directory"])
        rules = dict(self.request["jail"])
        if "AS" in rules["limits"]:
            # On top of what this process has already: an absolute figure below that would fail every call.
            rules["limits"] = {**rules["limits"], "AS": rules["limits"]["AS"] + _address_space()}
        jail.confine(jail.Jail(**{**rules, "without": frozenset(rules["without"])}))

    def _command(self) -> int:
        os.close(self.result)
        argv = self.request["argv"]
        os.set_inheritable(self.tell, False)  # noqa: FBT003 (its own signature)
        try:
            os.execvpe(argv[0], argv, os.environ)  # noqa: S606 (no shell is wanted)
        except OSError as error:
            os.write(2, f"{argv[0]}: {error.strerror}\n".encode())
        return 127

    def _python(self) -> int:
        """Run a function and write what came of it: a line that says what it is, then its bytes."""
        os.close(self.tell)
        sys.stdout = open(1, "w", encoding="utf-8", errors="backslashreplace", closefd=False)  # noqa: SIM115
        sys.stderr = open(2, "w", encoding="utf-8", errors="backslashreplace", closefd=False)  # noqa: SIM115
        sys.argv = [""]
        kind, content = "value", b""
        try:
            site.main()
            sys.path[:0] = self.request["path"]
            content = data.encode(self._called())
        except SystemExit as error:
            kind, content = "exit", repr(error.code).encode("utf-8", "backslashreplace")
        except BaseException as error:  # noqa: BLE001 (the door where foreign code runs; kept with its traceback)
            kind, content = "error", json.dumps(_described(error)).encode()
        with os.fdopen(self.result, "wb") as file:
            file.write(kind.encode() + b"\n" + content)
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        return 0

    def _called(self) -> Any:  # noqa: ANN401
        arguments, keywords = data.decode(self.request["arguments"].encode("utf-8", "surrogatepass"))
        if self.request["source"] is not None:
            space: dict[str, Any] = {"__name__": "__candidate__"}
            lines = self.request["source"].splitlines(keepends=True)
            linecache.cache["<candidate>"] = (len(self.request["source"]), None, lines, "<candidate>")
            exec(compile(self.request["source"], "<candidate>", "exec"), space)  # noqa: S102 (what this is for)
            return space[self.request["function"]](*arguments, **keywords)
        module, _, name = self.request["function"].partition(":")
        target: Any = importlib.import_module(module)
        for part in name.split("."):
            target = getattr(target, part)
        return target(*arguments, **keywords)


def end_descendants() -> int:
    """Kill and reap every process below this one; returns how many there were."""
    ended = 0
    while True:
        for process in _children_of(os.getpid()):
            _kill_tree(process)
        try:
            os.waitpid(-1, 0)
            ended += 1
        except ChildProcessError:
            return ended


def _kill_tree(process: int) -> None:
    below = _children_of(process)
    try:
        os.kill(process, signal.SIGKILL)
    except ProcessLookupError:
        return
    for child in below:
        _kill_tree(child)


def _children_of(process: int) -> list[int]:
    found = []
    for name in os.listdir("/proc") if os.path.isdir("/proc/self") else ():
        if name.isdigit():
            try:
                with open(f"/proc/{name}/stat", "rb") as file:
                    fields = file.read().rpartition(b")")[2].split()
            except OSError:
                continue
            if int(fields[1]) == process and fields[0] != b"Z":
                found.append(int(name))
    return found


def _described(error: BaseException) -> dict[str, Any]:
    """An exception as data. Its own methods are foreign code too."""
    kind = type(error)
    try:
        message = str(error)
    except Exception as second:  # noqa: BLE001 (a __str__ that raises)
        message = f"<no message: str() raised {type(second).__name__}>"
    try:
        trace = "".join(traceback.format_exception(kind, error, _own_part(error.__traceback__)))
    except Exception as second:  # noqa: BLE001
        trace = f"<no traceback: {type(second).__name__}>"
    limit = "memory" if isinstance(error, MemoryError) else None
    if isinstance(error, OSError):
        limit = _LIMIT_OF_ERRNO.get(error.errno or 0)
    return {
        "type": f"{kind.__module__}.{kind.__qualname__}",
        "message": message,
        "traceback": trace,
        "limit": limit,
        "not_data": isinstance(error, data.DataError),
    }


def _own_part(trace: Any) -> Any:  # noqa: ANN401 (a traceback)
    """A traceback without the frames of this program, where it has others."""
    rest = trace
    while rest is not None and rest.tb_frame.f_code.co_filename == __file__:
        rest = rest.tb_next
    return rest or trace


def _address_space() -> int:
    with open("/proc/self/statm") as file:
        return int(file.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")


def _told(descriptor: int) -> str:
    """What the candidate's side of the fork said before it became the candidate; its end is not waited for."""
    os.set_blocking(descriptor, False)
    try:
        return os.read(descriptor, _CHUNK).decode("utf-8", "replace")
    except BlockingIOError:
        return ""
    finally:
        os.close(descriptor)


def _close(descriptor: int) -> None:
    try:
        os.close(descriptor)
    except OSError:
        return


def _milliseconds(seconds: float | None, *, poll: bool) -> float | None:
    """How long to wait for something to happen; without a descriptor for it, the end is looked for regularly."""
    if poll:
        return 5 if seconds is None else min(5, seconds * 1000)
    return None if seconds is None else seconds * 1000 + 1


def main() -> None:
    request_file, result, report, leash = map(int, sys.argv[1:5])
    with os.fdopen(request_file, "rb") as file:
        request = json.loads(file.read().decode("utf-8", "surrogatepass"))
    answer = Supervisor(request, result, leash).run()
    with os.fdopen(report, "wb") as pipe:
        pipe.write(json.dumps(answer).encode("utf-8", "surrogatepass"))


if __name__ == "__main__":
    main()
