"""Runs one call in a jail, and says exactly how it ended.

    engine ──request, on a file──▶ supervisor ──fork──▶ candidate (jailed, a session of its own)
       ▲                              │  ▲ stdout, stderr: read here, kept within bounds
       └──────report, on a socket─────┘  └ result: a file that only the candidate writes

The supervisor is trusted and stays outside the jail. It holds the deadline, knows by `wait4` how the candidate ended
and what it used, and ends whatever the candidate leaves behind: as process 1 of a namespace by ending everything else
in it; elsewhere it is the reaper of all its descendants, so that one that forked twice and made a session of its own
is still found. It never waits for the end of a stream, which a descendant may hold open. When the engine dies or gives
up, its socket ends, and with it the call.

Plain Python ≥ 3.9, standard library only: it runs in the interpreter of the user's project.
"""

from __future__ import annotations

import ctypes
import importlib.util
import json
import os
import select
import signal
import socket
import sys
import time
import traceback

from . import cgroups, data, jail, namespaces
from .candidate import BEGIN, END, Candidate, Channels, outside, place_outside, rehearse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["Supervisor", "below", "children", "kill", "supervise", "tell"]

_PR_SET_CHILD_SUBREAPER = 36
_CHUNK = 65536
# How often we look; while something is timed, less often.
_TICK, _QUIET_TICK = 0.02, 0.1
_NEVER = float("inf")
_LAST_PATIENCE = 5.0
_LONGEST_POLL = 1e9
_CPU_CLOCK = 2


def supervise(request: int, arguments: int, result: int, status: int) -> None:
    """Run the call that stands in these files, and report on a socket how it ended."""
    report: dict[str, Any]
    try:
        report = Supervisor(in_own_world=False).run(request, arguments, result, status)
    except Exception:  # noqa: BLE001 (our own fault, told to the engine as it is)
        report = {"lost": traceback.format_exc()}
    tell(status, report)


def tell(status: int, report: dict[str, Any]) -> None:
    """Tell the engine, and nobody else after that."""
    with socket.socket(fileno=status) as engine:
        try:
            engine.sendall(json.dumps(report).encode("utf-8", "surrogatepass") + b"\n")
        except OSError:
            return  # the engine is gone, and with it everybody who could be told


class Stream:
    """The output of one descriptor: its head and its tail, and how much fell out between them."""

    def __init__(self) -> None:
        self.reader, self.writer = os.pipe()
        os.set_blocking(self.reader, False)
        self._bound = 0
        self._head = bytearray()
        self._tail = bytearray()
        self._seen = 0

    def keep(self, size: int) -> None:
        """How many bytes are kept."""
        self._bound = size // 2

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


class Marks:
    """When a candidate says that its timed part begins and ends, by our own clocks."""

    def __init__(self) -> None:
        self.reader, self.writer = os.pipe()
        os.set_blocking(self.reader, False)
        self._seen: list[dict[str, Any]] = []

    def take(self, wall: float, cpu: float) -> bool:
        """Note what was marked by now, by our clock and the candidate's CPU time; False when there will be no more."""
        try:
            marks = os.read(self.reader, 64)
        except BlockingIOError:
            return True
        for mark in (marks[number : number + 1] for number in range(len(marks))):
            # More than two are not needed to see that something is wrong with them.
            if len(self._seen) < 3:
                kind = "begin" if mark == BEGIN else "end" if mark == END else "other"
                self._seen.append({"kind": kind, "wall": wall, "cpu": cpu})
        return bool(marks)

    @property
    def has_begun(self) -> bool:
        return bool(self._seen) and self._seen[0]["kind"] == "begin"

    def report(self, ended: float, cpu: float) -> dict[str, Any] | None:
        """How long the timed part took, and what came after it; None where it was not marked as it should be."""
        if [mark["kind"] for mark in self._seen] != ["begin", "end"]:
            return None
        begin, end = self._seen
        return {
            "wall": end["wall"] - begin["wall"],
            "cpu": end["cpu"] - begin["cpu"],
            "wall_after": ended - end["wall"],
            "cpu_after": cpu - end["cpu"],
        }


class Supervisor:
    """One call, from request to report. What can be done before the request comes is done when this is made.

    With `in_own_world`, this process is the first one of a process namespace; `rules` are those of the jail that hold
    for every call; `group` is made where the call is likely to need one, and is left to whoever gave it to remove: that
    may take as long as a small call.
    """

    def __init__(
        self, *, in_own_world: bool, rules: jail.Jail | None = None, group: cgroups.Group | None = None
    ) -> None:
        self._in_own_world = in_own_world
        self._surroundings = namespaces.furnish() if in_own_world else None
        if not in_own_world:
            ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
        self._streams = Stream(), Stream()
        self._marks = Marks()
        self._killed: str | None = None
        self._reaped = 0.0
        self._group = group
        self._own_group: cgroups.Group | None = None
        if group is not None:
            group.make()
        self._leash = self._arguments = -1
        self._request: dict[str, Any] = {}
        self._listener, tell_end = os.pipe()
        self._orders, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        output = self._streams[0].writer, self._streams[1].writer
        channels = Channels(theirs, tell_end, self._marks.writer, output)
        self._candidate = os.fork()
        if self._candidate == 0:
            self._orders.close()
            Candidate(channels, rules, self._group).run()
        theirs.close()
        for descriptor in (tell_end, self._marks.writer, *output):
            os.close(descriptor)
        rehearse()

    def run(self, request: int, arguments: int, result: int, status: int) -> dict[str, Any]:
        """Have the call done that stands in these files, and say how it ended."""
        self._request = data.load(request)
        self._arguments = arguments
        self._leash = status
        for stream in self._streams:
            stream.keep(self._request["output"])
        if self._surroundings is not None:
            self._surroundings.show_again(self._request["keep"])
            self._surroundings.open(self._request["writable"])
        orders, limited = " ", self._request["limited"]
        if self._request["cgroup"] is not None and self._group is None:
            self._group = self._own_group = cgroups.Group(place_outside(self._request["cgroup"]))
            self._group.make()
            orders += self._group.name
        try:
            if self._group is not None:
                self._group.limit(memory=limited.get("memory"), processes=limited.get("processes"))
            files = [request, result] if self._request.get("timed") else [request, result, arguments]
            return self._run(orders, files)
        finally:
            self._end_all()
            if self._own_group is not None:
                self._own_group.remove()

    def _run(self, orders: str, files: list[int]) -> dict[str, Any]:
        began, clock = time.time(), time.perf_counter()
        socket.send_fds(self._orders, [orders.encode()], files)
        status, usage = self._watch()
        ended = time.perf_counter()
        stragglers = self._end_all()
        for stream in self._streams:
            stream.drain()
        cpu = usage.ru_utime + usage.ru_stime
        self._marks.take(ended, cpu)
        told = self._told()
        pid = told.pop("pid", self._candidate)
        return {
            **told,
            "killed": self._killed,
            "seconds": time.monotonic() - self._request["sent"],
            "status": status,
            "stragglers": stragglers,
            "streams": [stream.report() for stream in self._streams],
            "timed": self._marks.report(ended, cpu),
            "out_of_memory": self._group is not None and self._group.out_of_memory(),
            "out_of_processes": self._group is not None and self._group.out_of_processes(),
            "metrics": {
                "pid": pid,
                "wall": ended - clock,
                "user": usage.ru_utime,
                "system": usage.ru_stime,
                "peak_memory": usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024),
                "started": began,
                "ended": began + (ended - clock),
            },
        }

    def _told(self) -> dict[str, Any]:
        """What the candidate's side of the fork said before it became the candidate; its end is not waited for."""
        os.set_blocking(self._listener, False)
        try:
            told = os.read(self._listener, _CHUNK)
        except BlockingIOError:
            told = b""
        found: dict[str, Any] = {"isolation": [], "failed": ""}
        for line in told.splitlines():
            found.update(json.loads(line))
        return {**found, "isolation": [*found["isolation"], *self._request["around"]]}

    def _watch(self) -> tuple[int, Any]:
        """Until the candidate itself has ended; its streams may go on, held by others."""
        candidate = self._candidate
        ended = os.pidfd_open(candidate) if hasattr(os, "pidfd_open") else None
        poller = select.poll()
        for descriptor in (self._leash, ended, self._marks.reader, *(stream.reader for stream in self._streams)):
            if descriptor is not None:
                poller.register(descriptor, select.POLLIN)
        tick = _QUIET_TICK if self._request.get("timed") else _TICK
        looks, look = self._looks(), time.monotonic() + tick
        while True:
            due = [self._deadline()] if self._killed is None else []
            due += [look] if looks or ended is None else []
            self._serve(poller, poller.poll(_milliseconds_until(due)))
            found, status, usage = os.wait4(candidate, os.WNOHANG)
            if found:
                return status, usage
            now = time.monotonic()
            if self._killed is None and now >= self._deadline():
                self._kill("timeout")
            elif now >= look:
                look = now + tick
                limit = self._over_limit() if looks and self._killed is None else None
                if limit is not None:
                    self._kill(limit)

    def _kill(self, why: str) -> None:
        self._killed = why
        os.kill(self._candidate, signal.SIGKILL)

    def _deadline(self) -> float:
        """When the call must have ended; it counts from when the engine sent it."""
        timeout: float | None = self._request["timeout"]
        sent: float = self._request["sent"]
        return _NEVER if timeout is None else sent + timeout

    def _serve(self, poller: select.poll, ready: list[tuple[int, int]]) -> None:
        for descriptor, _ in ready:
            if descriptor == self._leash:
                self._abandon()
            sources: list[Stream | Marks] = [*self._streams, self._marks]
            source = next((one for one in sources if one.reader == descriptor), None)
            more = True
            if isinstance(source, Stream):
                more = source.drain()
            elif isinstance(source, Marks):
                more = source.take(time.perf_counter(), _cpu_time(self._candidate))
                self._hand_over_arguments()
            if not more:
                poller.unregister(descriptor)

    def _hand_over_arguments(self) -> None:
        """To a call that is timed, when it says that it begins."""
        if self._arguments >= 0 and self._marks.has_begun:
            arguments, self._arguments = self._arguments, -1
            try:
                socket.send_fds(self._orders, [b"!"], [arguments])
            except OSError:
                return  # it has ended, or closed its ears; it will be told as what it is

    def _abandon(self) -> None:
        """Nobody waits for this call any more: end it, and take away what it has."""
        try:
            self._end_all()
            if self._group is not None:
                self._group.remove()
            if self._surroundings is not None:
                self._surroundings.let_go(self._request["folder"])
            _remove(outside(self._request["folder"]))
        finally:
            os._exit(1)

    # -- what no kernel limit holds -------------------------------------------------------------------------------

    def _looks(self) -> bool:
        """Whether we have to look ourselves: at the CPU time of all processes together, at their number where there is
        no control group, and for a kill of one of them where the group does not end the others."""
        limited, group = self._request["limited"], self._group
        return (
            "cpu_seconds" in limited
            or ("processes" in limited and group is None)
            or ("memory" in limited and group is not None and not group.ends_all)
        )

    def _over_limit(self) -> str | None:
        limited = self._request["limited"]
        if self._group is not None and self._group.out_of_memory():
            return "memory"
        tasks, cpu = _usage(self._all_processes())
        cpu += self._reap()
        if self._group is None and tasks > limited.get("processes", tasks):
            return "processes"
        return "cpu_seconds" if cpu > limited.get("cpu_seconds", cpu) else None

    def _all_processes(self) -> list[int]:
        """Of the call, whoever their parent is by now."""
        if self._in_own_world:
            return [int(name) for name in os.listdir("/proc") if name.isdigit() and name != "1"]
        return below(os.getpid())

    def _reap(self) -> float:
        """Take those that ended and whose parent ended before; returns the CPU time of all such so far."""
        while True:
            # The candidate's own end is for `_watch` to take.
            ended = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
            if ended is None or ended.si_pid == self._candidate:
                return self._reaped
            _, _, usage = os.wait4(ended.si_pid, 0)
            self._reaped += usage.ru_utime + usage.ru_stime

    # -- the end --------------------------------------------------------------------------------------------------

    def _end_all(self) -> int:
        """Kill and reap every process of the call; returns how many there still were.

        Raises TimeoutError where, without a namespace, they multiply faster than they can be ended.
        """
        if self._in_own_world:
            kill(-1)
            return _reaped(os.WEXITED)[0]
        ended, deadline = 0, time.monotonic() + _LAST_PATIENCE
        while time.monotonic() < deadline:
            # Near ones first: one that forks and ends is gone by the time a whole tree has been looked through.
            for process in children(os.getpid()):
                kill(process)
            count, are_gone = _reaped(os.WEXITED | os.WNOHANG)
            ended += count
            if are_gone:
                return ended
            for process in below(os.getpid()):
                kill(process)
        raise TimeoutError("processes of the call could not be ended")


def _reaped(options: int) -> tuple[int, bool]:
    """Reap what has ended, or ends; returns how many were ended by us, and whether no child is left."""
    count = 0
    try:
        while True:
            ended = os.waitid(os.P_ALL, 0, options)
            if ended is None:
                return count, False
            count += ended.si_status == signal.SIGKILL and ended.si_code == os.CLD_KILLED
    except ChildProcessError:
        return count, True


def kill(process: int) -> None:
    try:
        os.kill(process, signal.SIGKILL)
    except ProcessLookupError:
        return


def below(process: int) -> list[int]:
    """All descendants of a process, nearest first."""
    found = children(process)
    for child in found:
        found += children(child)
    return found


def children(process: int) -> list[int]:
    found: list[int] = []
    try:
        tasks = os.listdir(f"/proc/{process}/task")
    except OSError:
        return found  # it has ended meanwhile, and its children are somebody else's
    for task in tasks:
        try:
            with open(f"/proc/{process}/task/{task}/children", "rb") as file:
                found += map(int, file.read().split())
        except OSError:
            continue
    return found


def _usage(processes: list[int]) -> tuple[int, float]:
    """How many tasks there are, and the CPU seconds that they and their ended children used."""
    tasks, ticks = 0, 0
    for process in processes:
        try:
            tasks += len(os.listdir(f"/proc/{process}/task"))
            with open(f"/proc/{process}/stat", "rb") as file:
                ticks += sum(map(int, file.read().rpartition(b")")[2].split()[11:15]))
        except OSError:
            continue  # ended meanwhile
    return tasks, ticks / os.sysconf("SC_CLK_TCK")


def _cpu_time(process: int) -> float:
    """The CPU time of a child that was not reaped yet; the kernel has a clock for each process."""
    return time.clock_gettime((~process << 3) | _CPU_CLOCK)


def _remove(folder: str) -> None:
    """Bakeoff's way of removing what somebody else made; plain Python too, but of another room."""
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "removal.py")
    spec = importlib.util.spec_from_file_location("_bakeoff_removal", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    above = os.open(os.path.dirname(folder), os.O_RDONLY | os.O_DIRECTORY)
    module.remove_at(os.path.basename(folder), above)


def _milliseconds_until(moments: list[float]) -> float | None:
    """How long a poll may wait for the first of these moments."""
    first = min(moments, default=_NEVER)
    return None if first == _NEVER else min(_LONGEST_POLL, max(0.0, first - time.monotonic()) * 1000 + 1)
