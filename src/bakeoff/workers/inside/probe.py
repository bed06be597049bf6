"""What this kernel offers for keeping candidates in: found out by doing it, in processes that are thrown away."""

from __future__ import annotations

import errno
import functools
import os
import sys

from . import cgroups, jail, namespaces

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

__all__ = ["found"]

_LIBRARIES = (
    "/usr",
    "/lib",
    "/lib64",
    "/bin",
    "/sbin",
    "/etc/ld.so.cache",
    "/etc/localtime",
    "/etc/ssl/certs",
    "/etc/ssl/openssl.cnf",
    "/sys/devices/system/cpu",
)
# Of the folder that an interpreter is in; it may be in somebody's home.
_PARTS = ("bin", "lib", "lib32", "lib64", "libexec", "include", "pyvenv.cfg")


def found() -> dict[str, Any]:
    """`layers`, None for those that work and the reason for those that do not; where control groups can be
    made; and what every call may read."""
    layers = {"namespaces": _in_a_child(_try_namespaces)}
    for name in jail.LAYERS:
        others = [layer for layer in jail.LAYERS if layer not in (name, "privileges")]
        attempt = jail.Jail(writable=["/"], without=others)
        layers[name] = _in_a_child(functools.partial(jail.confine, attempt))
    groups = None
    try:
        groups = vars(cgroups.find())
        layers["cgroup"] = None
    except OSError as error:
        layers["cgroup"] = error.strerror or str(error)
    if layers["namespaces"] is not None and not jail.keeps_signals():
        layers["files"] = layers["files"] or "Landlock of this kernel does not keep signals in"
    return {"layers": layers, "cgroup": groups, "readable": _readable()}


def _readable() -> list[str]:
    """What every call may read: the system's libraries, and the parts of the folders that the interpreter is in.

    Without site-packages a virtual environment does not know itself; it lies around its interpreter.
    """
    around = os.path.dirname(os.path.dirname(sys.executable))
    own = [around] if os.path.exists(os.path.join(around, "pyvenv.cfg")) else []
    parts = [os.path.join(prefix, part) for prefix in (*own, sys.prefix, sys.base_prefix) for part in _PARTS]
    found: list[str] = []
    for path in sorted(os.path.realpath(path) for path in (*_LIBRARIES, *parts) if os.path.exists(path)):
        if not any(path == other or path.startswith(other + "/") for other in found):
            found.append(path)
    return found


def _try_namespaces() -> None:
    """All that a call needs, two worlds deep."""
    world = namespaces.enter(network=False)
    child = world.fork()
    if child == 0:
        _furnish_and_end()
    if os.waitpid(child, 0)[1] != 0:
        raise OSError(errno.EPERM, "a process cannot be given a world of its own")
    os._exit(0)


def _furnish_and_end() -> None:
    status = 1
    try:
        namespaces.furnish()
        status = 0 if os.getpid() == 1 and os.listdir("/dev/shm") == [] else 1  # noqa: S108 (mounted just now)
    finally:
        os._exit(status)


def _in_a_child(attempt: Callable[[], object]) -> str | None:
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        status = 0
        try:
            attempt()
        except OSError as error:
            os.write(writer, str(error.strerror or error).encode())
            status = 1
        finally:
            os._exit(status)
    os.close(writer)
    with os.fdopen(reader, "rb") as stream:
        reason = stream.read().decode()
    _, status = os.waitpid(child, 0)
    return reason or (None if status == 0 else f"the attempt ended with status {status}")
