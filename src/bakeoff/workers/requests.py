"""A call as the program in `inside` is told it: everything it needs, as data."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bakeoff.workers.calls import CallLimits, CommandCall, PythonCall
from bakeoff.workers.inside.jail import LAYERS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from bakeoff.workers.calls import Call
    from bakeoff.workers.isolation import Isolation

__all__ = ["Terms", "is_grouped", "request", "standing"]

_DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom")
_RLIMITS = {"memory": "AS", "cpu_seconds": "CPU", "file_size": "FSIZE", "open_files": "NOFILE"}
_LIMITS = (*_RLIMITS, "processes")


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """What every call of a backend gets: isolation, the variables of ours that it may see, packages of ours."""

    isolation: Isolation
    visible: Mapping[str, str]
    kits: tuple[Path, ...] = ()


def is_grouped(call: Call) -> bool:
    """Whether there is something for a control group to hold. The number of processes alone, where it is only there to
    stop a fork bomb, is watched as well without one."""
    return call.limits.memory is not None or call.limits.processes not in (None, CallLimits().processes)


def standing(isolation: Isolation, *, network: bool) -> dict[str, Any]:
    """The rules of a jail that are the same for every call."""
    alone = "namespaces" in isolation.layers
    return {"network": network, "alone": alone, "without": [name for name in LAYERS if name not in isolation.layers]}


def request(call: Call, terms: Terms, folder: Path) -> dict[str, Any]:
    """A call, with a temporary folder of its own."""
    limited = {limit: getattr(call.limits, limit) for limit in _LIMITS if getattr(call.limits, limit) is not None}
    cgroup = terms.isolation.cgroup if is_grouped(call) else None
    return {
        "directory": os.path.abspath(call.directory),
        "folder": str(folder),
        "environment": _environment(call, terms, folder),
        "output": call.limits.output,
        "result": call.limits.result,
        "timeout": call.timeout,
        "sent": time.monotonic(),
        "limited": limited,
        "cgroup": vars(cgroup) if cgroup is not None else None,
        "around": [layer for layer in ("namespaces", "cgroup") if layer in terms.isolation.layers],
        **_places(call, terms, folder, limited),
        **_what(call, terms),
    }


def _environment(call: Call, terms: Terms, folder: Path) -> dict[str, str]:
    own = {"HOME": str(folder), "TMPDIR": str(folder), "PYTHONDONTWRITEBYTECODE": "1"}
    merged: dict[str, str | None] = {**terms.visible, **own, **call.environment}
    return {name: value for name, value in merged.items() if value is not None}


def _places(call: Call, terms: Terms, folder: Path, limited: Mapping[str, int]) -> dict[str, Any]:
    """What the call may reach, and the rest of its jail."""
    isolation = terms.isolation
    writable = _apart([call.directory, folder, *call.writable], within=[])
    readable = _apart([*call.readable, *getattr(call, "path", ()), *terms.kits], within=writable)
    alone = "namespaces" in isolation.layers
    held = {"memory"} if isolation.cgroup is not None else set()
    # In a world of its own, a call's /proc and shared memory show nothing of others.
    own = ["/dev/shm"] if alone else []  # noqa: S108 (a mount of its own)
    return {
        "writable": writable,
        "keep": [*writable, *readable],
        "jail": {
            "writable": [*writable, *_DEVICES, "/proc/self", *own],
            "readable": [
                *isolation.readable,
                *(["/proc"] if alone else ["/proc/cpuinfo", "/proc/meminfo"]),
                *readable,
            ],
            "limits": {_RLIMITS[name]: size for name, size in limited.items() if name in _RLIMITS and name not in held},
            **standing(isolation, network=call.network),
        },
    }


def _apart(paths: Iterable[Path], within: Iterable[str]) -> list[str]:
    """The paths that are not inside others, or inside one of `within`. What is inside a folder that the call may write
    needs no word of its own; and there, an earlier call may have put a link in its place that leads elsewhere."""
    roots = list(within)
    found: list[str] = []
    for path in sorted(map(os.path.abspath, paths)):
        if not any(path == root or path.startswith(root.rstrip("/") + "/") for root in roots):
            roots.append(path)
            found.append(path)
    return found


def _what(call: Call, terms: Terms) -> dict[str, Any]:
    match call:
        case PythonCall():
            return {
                "kind": "python",
                "function": call.function,
                "source": call.source,
                "path": [os.path.abspath(path) for path in call.path],
                "kits": list(map(str, terms.kits)),
                "timed": call.timed,
            }
        case CommandCall():
            return {"kind": "command", "argv": list(call.argv)}
    raise TypeError(f"a {type(call).__name__} is not a call")
