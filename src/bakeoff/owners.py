"""Who made this, and does it still live?

What a run leaves on disk (a pool of slots, the claim on a run in the store) carries its owner, so that the next
run can tell the leftovers of a dead process from the property of a living one. A pid alone is not enough, since
pids are used again: the start time tells two processes with one pid apart, the boot id two boots, the host two
machines that share a directory, and the pid namespace two containers that do. Where it cannot be told, the owner
counts as alive: what is left lying is a nuisance, what is taken from a living process is a loss.
"""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

import msgspec

__all__ = ["Owner"]

_BOOT = Path("/proc/sys/kernel/random/boot_id")
_NAMESPACE = Path("/proc/self/ns/pid")


class Owner(msgspec.Struct, frozen=True, kw_only=True):
    """One process, told apart from every other that has or had its pid."""

    pid: int
    started: float
    boot: str
    namespace: str
    host: str = ""

    @classmethod
    def current(cls) -> Owner:
        """The process that asks."""
        pid = os.getpid()
        return cls(pid=pid, started=_start_of(pid) or 0.0, boot=_boot(), namespace=_namespace(), host=_host())

    @classmethod
    def named(cls, label: str) -> Owner | None:
        """The process of this machine and boot that a label names; None where it names none."""
        match label.split("-"):
            case [world, pid, started] if all(part.isascii() and part.isdigit() for part in (world, pid, started)):
                namespace = f"pid:[{world}]"
                return cls(pid=int(pid), started=float(started), boot=_boot(), namespace=namespace, host=_host())
        return None

    @property
    def label(self) -> str:
        """For the names of things that do not outlive a boot, or that nobody misses when they do."""
        world = "".join(filter(str.isdigit, self.namespace)) or "0"
        return f"{world}-{self.pid}-{self.started:.0f}"

    def lives(self) -> bool:
        """Whether that process is still there; True where it cannot be told."""
        if self.boot != _boot():
            # This machine was booted again since, or it is another machine, whose processes cannot be seen from here.
            return self.host not in ("", _host())
        if self.namespace != _namespace():
            return True
        try:
            return _start_of(self.pid) == self.started
        except PermissionError:
            return True

    def __str__(self) -> str:
        elsewhere = self.host not in ("", _host())
        return f"process {self.pid} on {self.host}" if elsewhere else f"process {self.pid}"


def _host() -> str:
    return os.uname().nodename


def _boot() -> str:
    return _BOOT.read_text().strip() if _BOOT.exists() else "unknown"


def _namespace() -> str:
    return str(_NAMESPACE.readlink()) if _NAMESPACE.exists() else "unknown"


def _start_of(pid: int) -> float | None:
    """When the process started, in a unit that does not move with the wall clock; None where there is none.

    psutil adds the boot time, which Linux derives from the wall clock: after a clock step it would no longer
    match what was written down. The kernel's own figure is in ticks since boot. Raises PermissionError where
    the process is there but may not be looked at.
    """
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(errors="replace")  # a process may call itself anything
    except (FileNotFoundError, ProcessLookupError):
        return _start_without_proc(pid)
    fields = stat.rpartition(")")[2].split()
    state, start = fields[0], fields[19]
    return None if state in "ZX" else float(start)


def _start_without_proc(pid: int) -> float | None:
    if not _BOOT.exists():
        import psutil  # noqa: PLC0415 (heavy, and not needed on Linux)

        return psutil.Process(pid).create_time() if psutil.pid_exists(pid) else None
    # /proc may be mounted so that it hides the processes of other users; a signal of nought still finds those, and
    # raises PermissionError. One of ours that is not in /proc has ended between the two looks.
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, 0)
    return None
