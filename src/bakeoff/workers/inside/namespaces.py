"""A world of its own for each call: its processes, shared memory, mounts and network are not those of the system.

    zygote        enter()      leaves the system's processes and network, once; becomes process 1 of its own world
    supervisor    World.fork() is process 1 of one more world; when it ends, the kernel ends everything else in there
                  furnish()    nothing can be written but what is named; a /proc that shows only that world, a /dev/shm
                               and message queues that go with it

None of it needs a privilege where the kernel allows user namespaces. Plain Python ≥ 3.9, standard library only.
"""

from __future__ import annotations

import ctypes
import os
import select
import signal
import stat
import struct

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["Surroundings", "World", "enter", "furnish"]

_MOUNTS, _IPC, _USERS, _PIDS, _NETWORK = 0x00020000, 0x08000000, 0x10000000, 0x20000000, 0x40000000
_NO_SUID, _NO_DEVICES, _NO_EXECUTION, _BIND, _RECURSIVE, _SLAVE = 2, 4, 8, 4096, 16384, 1 << 19
_PR_SET_PDEATHSIG, _DETACH = 1, 2
# Of one number on all machines; since Linux 5.12.
_MOUNT_SETATTR, _CURRENT, _AT_RECURSIVE, _READ_ONLY = 442, -100, 0x8000, 1
_GRACE = 6
_SHARED_MEMORY = "/dev/shm"  # noqa: S108 (a mount of our own)
_libc = ctypes.CDLL(None, use_errno=True)


class World:
    """The process namespace that this process is in, from which children get others."""

    def __init__(self) -> None:
        self._own = os.open("/proc/self/ns/pid", os.O_RDONLY | os.O_CLOEXEC)

    def fork(self) -> int:
        """As os.fork, but the child is process 1 of a new namespace."""
        _checked(_libc.unshare(_PIDS), "a process namespace")
        child = -1
        try:
            child = os.fork()
        finally:
            if child:
                # Children get the namespace that was made last; a second one can only be made from our own.
                _checked(_libc.setns(self._own, _PIDS), "back to the own process namespace")
        return child


def enter(*, network: bool, leash: int | None = None) -> World:
    """Leave the system's namespaces. This process must have one thread. It goes on as process 1 of a new one, in a
    child; the parent stays behind, waits for it, and ends as it does, or some time after the other end of `leash` does:
    and when the parent ends, so does the child."""
    kinds = _PIDS | (0 if network else _NETWORK)
    user, group = os.geteuid(), os.getegid()
    if _libc.unshare(kinds) != 0:
        _checked(_libc.unshare(kinds | _USERS), "namespaces")
        for name, text in (("setgroups", "deny"), ("uid_map", f"{user} {user} 1"), ("gid_map", f"{group} {group} 1")):
            with open(f"/proc/self/{name}", "w") as file:
                file.write(text)
    alive, held = os.pipe()
    child = os.fork()
    if child:
        os.close(alive)
        if leash is not None:
            _wait(child, leash)
        _, status = os.waitpid(child, 0)
        os._exit(os.WEXITSTATUS(status) if os.WIFEXITED(status) else 128 + os.WTERMSIG(status))
    os.close(held)
    _checked(_libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0), "die with the parent")
    os.set_blocking(alive, False)
    try:
        if not os.read(alive, 1):
            os._exit(1)  # the parent ended before we asked to be told
    except BlockingIOError:
        os.close(alive)
    return World()


def _wait(child: int, leash: int) -> None:
    """Until the child has ended; ends this process where it does not, though the leash did."""
    poller = select.poll()
    poller.register(os.pidfd_open(child), select.POLLIN)
    poller.register(leash, 0)
    if any(descriptor == leash for descriptor, _ in poller.poll()):
        poller.unregister(leash)
        if not poller.poll(_GRACE * 1000):
            os._exit(1)


class Surroundings:
    """Mounts and shared memory of one call's own."""

    def __init__(self, hidden: int | None) -> None:
        self._hidden = hidden

    def show_again(self, paths: Iterable[str]) -> None:
        """Have these found where they were before; some may lie in the shared memory of the system, which is hidden."""
        for path in map(os.path.abspath, paths):
            if self._hidden is not None and path.startswith(_SHARED_MEMORY + "/"):
                self._bind(path, self._hidden)

    def open(self, paths: Iterable[str]) -> None:
        """Have these written to; nothing else can be, not even its mode or its times."""
        _set_mount("/", put=_READ_ONLY)
        if self._hidden is not None:
            _set_mount(_SHARED_MEMORY, clear=_READ_ONLY)
        for path in paths:
            if os.path.exists(path):
                _mount(path, path, None, _BIND | _RECURSIVE)
                _set_mount(path, clear=_READ_ONLY)

    def let_go(self, path: str) -> None:
        """Have a folder that was opened be removable: what something is mounted on here is not."""
        _checked(_libc.umount2(os.fsencode(path), _DETACH), f"let go of {path}")

    def _bind(self, path: str, folder: int) -> None:
        try:
            place = os.open(os.path.relpath(path, _SHARED_MEMORY), os.O_PATH | os.O_CLOEXEC, dir_fd=folder)
        except FileNotFoundError:
            return
        if stat.S_ISDIR(os.fstat(place).st_mode):
            os.makedirs(path, exist_ok=True)
        else:
            os.makedirs(os.path.dirname(path), exist_ok=True)
            os.close(os.open(path, os.O_CREAT | os.O_WRONLY))
        _mount(f"/proc/self/fd/{place}", path, None, _BIND | _RECURSIVE)
        os.close(place)


def furnish() -> Surroundings:
    """Give the world of this process, and of the children that it will have, a /proc and shared memory of its own."""
    _checked(_libc.unshare(_IPC | _MOUNTS), "a mount namespace")
    # What is mounted outside later is seen here too, where it can be: a slot may be mounted anew before the call comes.
    # Nothing of ours is seen there.
    _mount(None, "/", None, _RECURSIVE | _SLAVE)
    hidden = None
    if os.path.isdir(_SHARED_MEMORY):
        hidden = os.open(_SHARED_MEMORY, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
        _mount("tmpfs", _SHARED_MEMORY, "tmpfs", _NO_SUID | _NO_DEVICES | _NO_EXECUTION, "mode=1777")
    _mount("proc", "/proc", "proc", _NO_SUID | _NO_DEVICES | _NO_EXECUTION)
    return Surroundings(hidden)


def _mount(source: str | None, target: str, kind: str | None, flags: int, options: str | None = None) -> None:
    texts = [text if text is None else os.fsencode(text) for text in (source, target, kind, options)]
    _checked(_libc.mount(*texts[:3], ctypes.c_ulong(flags), texts[3]), f"mount {kind or 'again'} on {target}")


def _set_mount(path: str, *, put: int = 0, clear: int = 0) -> None:
    """Change what holds for a mount and all below it."""
    attributes = struct.pack("=QQQQ", put, clear, 0, 0)
    number = ctypes.c_long(_MOUNT_SETATTR)
    at, flags, size = ctypes.c_int(_CURRENT), ctypes.c_uint(_AT_RECURSIVE), ctypes.c_size_t(len(attributes))
    _checked(_libc.syscall(number, at, os.fsencode(path), flags, attributes, size), f"set what holds for {path}")


def _checked(result: int, what: str) -> None:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")
