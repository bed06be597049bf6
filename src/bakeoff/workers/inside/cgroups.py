"""Limits on memory and processes that hold for a call as a whole, and counters that say when one was met.

    find()                where this process may make control groups: version 1 or 2, whoever mounted it, or why not
    Place.claim(name)     a folder of groups of our own, below it
    Group                 one call's: made with its limits, joined by the candidate, read and removed by the supervisor

Plain Python ≥ 3.9, standard library only.
"""

from __future__ import annotations

import errno
import os
import signal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Group", "Place", "Unavailable", "find"]

_CONTROLLERS = ("memory", "pids")
_MOST_ROUNDS = 1000


class Unavailable(OSError):
    """Raised where there are no control groups for us; says why."""


class Place:
    """Where groups can be made. In version 1 each controller has a tree of its own; in version 2 there is one."""

    def __init__(self, version: int, memory: str, pids: str) -> None:
        self.version = version
        self.memory = memory
        self.pids = pids

    @property
    def folders(self) -> list[str]:
        return sorted({self.memory, self.pids})

    def below(self, name: str) -> Place:
        """The place of that name in this one."""
        return Place(self.version, f"{self.memory}/{name}", f"{self.pids}/{name}")

    def claim(self, name: str) -> Place:
        """A folder for groups of ours; what is in it already stays."""
        own = self.below(name)
        for folder in own.folders:
            os.makedirs(folder, exist_ok=True)
        if self.version == 2:
            _write(f"{own.memory}/cgroup.subtree_control", "+memory +pids")
        return own

    def remove(self) -> None:
        """Take the folder away with all groups in it, ending what may still run there."""
        for folder in self.folders:
            for name in os.listdir(folder) if os.path.isdir(folder) else ():
                path = f"{folder}/{name}"
                if os.path.isdir(path):
                    _empty(path)
                    _remove(path)
            _remove(folder)


class Group:
    """One call's control group."""

    def __init__(self, place: Place, name: str | None = None) -> None:
        self.name = name = name or f"call-{os.urandom(8).hex()}"
        self._version = place.version
        self._memory = f"{place.memory}/{name}"
        self._pids = f"{place.pids}/{name}"
        self._folders = sorted({self._memory, self._pids})
        # Whether the kernel, when it ends one process for its memory, ends all of them.
        self.ends_all = place.version == 2

    def make(self) -> None:
        for folder in self._folders:
            os.mkdir(folder)

    def limit(self, *, memory: int | None, processes: int | None) -> None:
        if processes is not None:
            _write(f"{self._pids}/pids.max", str(processes))
        if memory is not None:
            self._limit_memory(memory)

    def join(self) -> None:
        """Put this process, which must have one thread, and its future children into the group. May take some
        milliseconds, in which the kernel waits for all its processors."""
        for folder in self._folders:
            _write(f"{folder}/cgroup.procs", "0")

    def out_of_memory(self) -> bool:
        """Whether the kernel ended a process for going over the limit on memory."""
        name = "memory.events" if self._version == 2 else "memory.oom_control"
        return _count(f"{self._memory}/{name}", "oom_kill") > 0

    def out_of_processes(self) -> bool:
        """Whether a fork was refused for going over the limit on processes."""
        return _count(f"{self._pids}/pids.events", "max") > 0

    def remove(self) -> None:
        for folder in self._folders:
            _remove(folder)

    def _limit_memory(self, size: int) -> None:
        if self._version == 2:
            _write(f"{self._memory}/memory.max", str(size))
            _write(f"{self._memory}/memory.swap.max", "0", optional=True)
            _write(f"{self._memory}/memory.oom.group", "1", optional=True)
        else:
            _write(f"{self._memory}/memory.limit_in_bytes", str(size))
            _write(f"{self._memory}/memory.memsw.limit_in_bytes", str(size), optional=True)


def find() -> Place:
    """Where groups can be made, found by making one; raises Unavailable with the reason where there is no place."""
    reasons = []
    for place in (*_places_of_version_2(), *_places_of_version_1()):
        try:
            _try(place)
        except OSError as error:
            reasons.append(error.strerror or str(error))
        else:
            return place
    raise Unavailable(0, reasons[0] if reasons else "no hierarchy with memory and pids is mounted")


def _try(place: Place) -> None:
    """Everything that a call needs, with a child that is thrown away."""
    name = f"bakeoff-try-{os.getpid()}"
    own = place.claim(name)
    try:
        group = Group(own, "call")
        try:
            group.make()
            group.limit(memory=1 << 30, processes=10)
            child = os.fork()
            if child == 0:
                _join_and_end(group)
            if os.waitpid(child, 0)[1] != 0:
                raise Unavailable(0, "a process cannot be moved into a group")
            group.out_of_memory()
            group.out_of_processes()
        finally:
            group.remove()
    finally:
        own.remove()


def _join_and_end(group: Group) -> None:
    status = 1
    try:
        group.join()
        status = 0
    finally:
        os._exit(status)


def _places_of_version_2() -> Iterator[Place]:
    """From our own group upwards: a group with processes of its own cannot have limited ones below it."""
    for folder, own in _mounted("cgroup2", None):
        path = own
        while True:
            place = f"{folder}{path}".rstrip("/")
            if _has_controllers(place):
                yield Place(2, place, place)
            if path in ("/", ""):
                break
            path = os.path.dirname(path)


def _has_controllers(folder: str) -> bool:
    """Whether groups below a folder have, or can be given, what we need."""
    enabled = _words(f"{folder}/cgroup.subtree_control")
    if set(_CONTROLLERS) <= enabled:
        return True
    if not set(_CONTROLLERS) <= _words(f"{folder}/cgroup.controllers") or _words(f"{folder}/cgroup.procs"):
        return False
    try:
        _write(f"{folder}/cgroup.subtree_control", "+memory +pids")
    except OSError:
        return False
    return True


def _places_of_version_1() -> Iterator[Place]:
    found = {}
    for controller in _CONTROLLERS:
        for folder, own in _mounted("cgroup", controller):
            found[controller] = f"{folder}{own}".rstrip("/")
    if len(found) == len(_CONTROLLERS):
        yield Place(1, found["memory"], found["pids"])


def _mounted(kind: str, controller: str | None) -> Iterator[tuple[str, str]]:
    """Where hierarchies are mounted, and which group in them is ours, by its path from there."""
    ours = _own_group(controller)
    if ours is None:
        return
    with open("/proc/self/mountinfo") as file:
        lines = [line.split() for line in file]
    for fields in lines:
        dash = fields.index("-")
        options = fields[dash + 3].split(",")
        if fields[dash + 1] != kind or (controller is not None and controller not in options):
            continue
        root, folder = fields[3], fields[4]
        # In a container the hierarchy is mounted from the container's own group on.
        yield folder, ours[len(root) :] if root != "/" and ours.startswith(root) else ours if root == "/" else ""


def _own_group(controller: str | None) -> str | None:
    with open("/proc/self/cgroup") as file:
        for line in file:
            number, names, path = line.rstrip("\n").split(":", 2)
            if (controller is None and number == "0") or (controller is not None and controller in names.split(",")):
                return "" if path == "/" else path
    return None


def _empty(folder: str) -> None:
    """End every process in a group."""
    for _ in range(_MOST_ROUNDS):
        pids = _words(f"{folder}/cgroup.procs")
        if not pids:
            return
        for pid in map(int, pids):
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                continue


def _count(path: str, name: str) -> int:
    with open(path) as file:
        for line in file:
            key, _, number = line.partition(" ")
            if key == name:
                return int(number)
    return 0


def _words(path: str) -> set[str]:
    try:
        with open(path) as file:
            return set(file.read().split())
    except OSError:
        return set()


def _write(path: str, text: str, *, optional: bool = False) -> None:
    try:
        with open(path, "w") as file:
            file.write(text)
    except FileNotFoundError:
        if not optional:
            raise


def _remove(folder: str) -> None:
    try:
        os.rmdir(folder)
    except OSError as error:
        # One that is still in use goes with the folder that it is in, at the latest with the next engine.
        if error.errno not in (errno.ENOENT, errno.EBUSY):
            raise
