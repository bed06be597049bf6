"""Serves calls: a process that has imported what they need, and forks one supervisor for each.

    engine ──settings──▶ zygote ──▶ what it could import, and which isolation there really is
    engine ──terms──▶ zygote ──fork──▶ spare supervisors, each with a candidate, prepared as far as can be
    engine ──call, with its files and its socket──▶ zygote ──▶ a spare, or a new one ──pidfd, then the report──▶ engine

It is started by exec, never forked from the engine, with an exact environment: no secret, socket or thread comes with
it. It never runs a candidate's code, and ends when its socket does. Where the kernel allows it, it is process 1 of
a namespace, so that nothing it started can outlive it.

Plain Python ≥ 3.9, standard library only: it runs in the interpreter of the user's project.
"""

from __future__ import annotations

import ctypes
import errno
import fcntl
import gc
import importlib
import json
import os
import select
import signal
import socket
import time
import traceback
import warnings

from . import candidate, cgroups, jail, namespaces, probe, supervisor
from . import kits as packages

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["serve"]

_PR_SET_PDEATHSIG, _PR_SET_DUMPABLE, _PR_SET_CHILD_SUBREAPER = 1, 4, 36
_MESSAGE = 1 << 16
_MOST_WORDS = 1000
_LAST_PATIENCE = 5.0
_libc = ctypes.CDLL(None, use_errno=True)


def serve(descriptor: int) -> None:
    """Be a zygote until the engine closes its end."""
    engine = socket.socket(fileno=descriptor)
    settings = json.loads(engine.recv(_MESSAGE))
    zygote = Zygote(engine)
    zygote.prepare(**settings)
    terms = engine.recv(_MESSAGE)
    if terms:
        zygote.agree(**json.loads(terms))
        zygote.serve()


class _Spare:
    """A supervisor that waits for its call, with a candidate that waits for its own."""

    def __init__(self, process: int, orders: socket.socket, group: cgroups.Group | None) -> None:
        self.process = process
        self.orders = orders
        self.group = group


class Zygote:
    """The process that calls are forked from."""

    def __init__(self, engine: socket.socket) -> None:
        self._engine = engine
        self._world: namespaces.World | None = None
        self._supervisors: dict[int, cgroups.Group | None] = {}
        self._spent: list[cgroups.Group] = []
        self._spares: list[_Spare] = []
        self._most_spares = 0
        self._rules: jail.Jail | None = None
        self._place: cgroups.Place | None = None
        self._is_grouped = False
        self._bell, self._ringer = os.pipe()

    def prepare(self, *, preload: list[str], kits: list[str], isolated: bool, network: bool) -> None:
        """Leave the system's world, import what calls will need, and say what came of it."""
        found = probe.found()
        if isolated and found["layers"]["namespaces"] is None:
            candidate.OUTSIDE = os.open("/", os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
            self._world = namespaces.enter(network=network, leash=self._engine.fileno())
        # A module that never ends its import must not outlive an engine that is killed meanwhile: its socket's end is
        # a signal then. Process 1 of a namespace is not ended by one; there the process it left behind sees to it.
        fcntl.fcntl(self._engine, fcntl.F_SETOWN, os.getpid())
        fcntl.fcntl(self._engine, fcntl.F_SETFL, os.O_ASYNC)
        _libc.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
        _libc.prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)
        candidate.prepare_site()
        packages.offer(kits)
        failed = {name: problem for name in preload for problem in [_imported(name)] if problem is not None}
        warnings.filterwarnings("ignore", message=".*fork.*", category=DeprecationWarning)
        jail.get_ready()
        # What exists now is everybody's for good: no collection may touch its pages, here or in a fork.
        gc.disable()
        gc.collect()
        gc.freeze()
        fcntl.fcntl(self._engine, fcntl.F_SETFL, 0)
        self._engine.send(json.dumps({"found": found, "failed": failed}).encode())

    def agree(self, *, spares: int, rules: dict[str, Any], cgroup: dict[str, Any] | None) -> None:
        """What holds for every call, and how many may be prepared for before they come."""
        self._rules = jail.Jail(**rules)
        self._place = candidate.place_outside(cgroup) if cgroup is not None else None
        self._most_spares = spares
        self._have_spares()

    def serve(self) -> None:
        for descriptor in (self._bell, self._ringer):
            os.set_blocking(descriptor, False)
        signal.set_wakeup_fd(self._ringer, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        poller = select.poll()
        poller.register(self._engine, select.POLLIN)
        poller.register(self._bell, select.POLLIN)
        serving, deadline = True, 0.0
        while serving or (self._supervisors and time.monotonic() < deadline):
            for descriptor, _ in poller.poll(None if serving else 1000):
                if descriptor == self._bell:
                    self._reap()
                elif not self._take():
                    # Supervisors hear of it too, and take away what their calls have; if we went first, they could not.
                    poller.unregister(self._engine)
                    self._most_spares = 0
                    serving, deadline = False, time.monotonic() + _LAST_PATIENCE

    def _take(self) -> bool:
        """Take one call from the engine; False when there will be no more."""
        message, descriptors, _, _ = socket.recv_fds(self._engine, _MESSAGE, 4)
        if not message:
            return False
        try:
            self._hand_over(message, descriptors)
        except OSError as error:
            os.write(descriptors[-1], json.dumps({"lost": f"no process could be started: {error}"}).encode() + b"\n")
        finally:
            for descriptor in descriptors:
                os.close(descriptor)
        self._is_grouped = json.loads(message)["grouped"]
        return True

    def _hand_over(self, message: bytes, descriptors: list[int]) -> None:
        for _ in range(1 + self._most_spares):
            spare = self._spares.pop(0) if self._spares else self._started()
            self._supervisors[spare.process] = spare.group
            with spare.orders:
                try:
                    socket.send_fds(spare.orders, [message], descriptors)
                except (BrokenPipeError, ConnectionResetError):
                    continue  # somebody ended it while it waited; nothing was begun
                return
        raise OSError(errno.EPIPE, "supervisors end before they get their call")

    def _have_spares(self) -> None:
        while len(self._spares) < self._most_spares:
            try:
                self._spares.append(self._started())
            except OSError:
                return  # a shortage that the next call may meet, and will report

    def _started(self) -> _Spare:
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        group = cgroups.Group(self._place) if self._is_grouped and self._place is not None else None
        child = self._world.fork() if self._world is not None else os.fork()
        if child == 0:
            try:
                ours.close()
                self._become_a_supervisor(theirs, group)
            except BaseException:  # noqa: BLE001 (its last word, in the log of the zygote)
                traceback.print_exc()
            finally:
                os._exit(1)
        theirs.close()
        self._spent.clear()
        return _Spare(child, ours, group)

    def _become_a_supervisor(self, orders: socket.socket, group: cgroups.Group | None) -> None:
        _libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        self._engine.close()
        for spare in self._spares:
            spare.orders.close()
        for descriptor in (self._bell, self._ringer):
            os.close(descriptor)
        waiting = failure = None
        try:
            waiting = supervisor.Supervisor(in_own_world=self._world is not None, rules=self._rules, group=group)
            # Those of calls that have ended: there is time for it now.
            for spent in self._spent:
                spent.remove()
        except OSError:
            failure = traceback.format_exc()
        message, descriptors, _, _ = socket.recv_fds(orders, _MESSAGE, 4)
        if not message:
            os._exit(0)
        orders.close()
        status = descriptors[-1]
        _show(status)
        try:
            report = waiting.run(*descriptors) if waiting else {"lost": failure}
        except Exception:  # noqa: BLE001 (our own fault, told to the engine as it is)
            report = {"lost": traceback.format_exc()}
        supervisor.tell(status, report)
        os._exit(0)

    def _reap(self) -> None:
        """Supervisors that have ended; and, where one was killed without a namespace of its own, what it left."""
        try:
            os.read(self._bell, _MESSAGE)
        except BlockingIOError:
            return
        orphaned = False
        while True:
            try:
                child, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                break
            if child == 0:
                break
            orphaned |= child in self._supervisors and status != 0 and self._world is None
            group = self._supervisors.pop(child, None)
            if group is not None:
                self._spent.append(group)
        if orphaned:
            self._end_orphans()
        # When a call has ended, not while it runs: it may be one that is timed.
        self._have_spares()

    def _end_orphans(self) -> None:
        known = {*self._supervisors, *(spare.process for spare in self._spares)}
        for child in supervisor.children(os.getpid()):
            if child not in known:
                for process in [child, *supervisor.below(child)]:
                    supervisor.kill(process)


def _show(status: int) -> None:
    """Give the engine a handle on this process: by it the engine can end the whole call, and knows when it is gone."""
    handle = os.pidfd_open(os.getpid())
    with socket.socket(fileno=os.dup(status)) as engine:
        socket.send_fds(engine, [b"+"], [handle])
    os.close(handle)


def _imported(name: str) -> str | None:
    """Import a module for all calls; returns what went wrong."""
    try:
        importlib.import_module(name)
    except Exception as error:  # noqa: BLE001 (foreign code; told to the engine)
        return f"{type(error).__name__}: {error}"[:_MOST_WORDS]
    return None
