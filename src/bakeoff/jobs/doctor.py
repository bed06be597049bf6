"""What this machine offers: found out by trying, not by reading version numbers."""

from __future__ import annotations

import os
import platform
import shutil
import statistics
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import anyio
import anyio.to_thread
import psutil

from bakeoff import __version__
from bakeoff.errors import BakeoffError, SlotsUnavailable
from bakeoff.git import version as git_version
from bakeoff.workers import Tier, probe
from bakeoff.workspaces import SlotKind, places
from bakeoff.workspaces.overlay import Holder

__all__ = ["Examination", "Finding", "Noise", "Room", "examine"]

_BLOCKS, _BLOCK_SECONDS = 80, 0.004
_LAYERS = {
    "namespaces": ("namespaces", "own processes, mounts, network and shared memory"),
    "files": ("landlock", "only named folders"),
    "calls": ("seccomp", "no sockets, tracing or mounts"),
    "privileges": ("privileges", "no capabilities, nothing to gain from set-uid programs"),
    "limits": ("rlimits", "memory, time, files"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One thing that is there or not, and the detail or the reason."""

    available: bool
    detail: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Noise:
    """How much equal work differs in time here: the middle 80 % of blocks, as a share of their median.

    A rough figure from a third of a second; it says whether small speedups can be told apart on this machine now.
    """

    spread: float
    worst: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Room:
    """A place for slots, and how much is free there."""

    path: str
    in_memory: bool
    free: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Examination:
    """Everything `bakeoff doctor` tells. `problems` are what must be mended before a job can run."""

    bakeoff: str
    python: str
    system: str
    git: Finding
    cores: int
    load: float
    memory: int
    memory_available: int
    rooms: tuple[Room, ...]
    noise: Noise
    slots: str | None
    slot_kinds: dict[str, Finding]
    tier: str | None
    isolation: dict[str, Finding]
    problems: tuple[str, ...]


async def examine(*, slots: SlotKind | None = None) -> Examination:
    """Look at this machine. With `slots`, that kind not working is a problem."""
    git = await _git()
    worktree = Finding(available=True, detail=f"works with git {git.detail}") if git.available else git
    kinds = {SlotKind.OVERLAY: await _overlay(), SlotKind.WORKTREE: worktree}
    usable = [kind for kind, finding in kinds.items() if finding.available and slots in (None, kind)]
    problems = [] if git.available else [git.detail]
    if slots is not None and not usable and git.available:
        problems.append(SlotsUnavailable(slots, kinds[slots].detail).message)
    memory = psutil.virtual_memory()
    tier, isolation = await _isolation()
    return Examination(
        bakeoff=__version__,
        python=f"{platform.python_version()} ({sys.executable})",
        system=f"{platform.system()} {platform.release()} {platform.machine()}",
        git=git,
        cores=len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1,
        load=round(os.getloadavg()[0], 2),
        memory=memory.total,
        memory_available=memory.available,
        rooms=tuple(_rooms()),
        noise=await anyio.to_thread.run_sync(_noise),
        slots=usable[0] if usable and git.available else None,
        slot_kinds={kind.value: finding for kind, finding in kinds.items()},
        tier=tier.value if tier else None,
        isolation=isolation,
        problems=tuple(problems),
    )


async def _git() -> Finding:
    try:
        return Finding(available=True, detail=await git_version())
    except BakeoffError as error:
        return Finding(available=False, detail=error.message)


async def _overlay() -> Finding:
    """Make one, in a folder of its own."""
    if sys.platform != "linux":
        return Finding(available=False, detail="needs Linux")
    with tempfile.TemporaryDirectory(prefix="bakeoff-doctor-") as scratch:
        try:
            holder = await Holder.start(pristine=Path(scratch), scratch=Path(scratch, "try"), limit=1 << 20)
        except SlotsUnavailable as error:
            return Finding(available=False, detail=error.message)
        await holder.close()
    how = "as root" if os.geteuid() == 0 else "in a user namespace"
    return Finding(available=True, detail=f"works {how}")


def _rooms() -> list[Room]:
    rooms = []
    for place in places():
        existing = next(path for path in (place.path, *place.path.parents) if path.exists())
        free = shutil.disk_usage(existing).free
        rooms.append(Room(path=str(place.path), in_memory=place.in_memory, free=free))
    return rooms


def _noise() -> Noise:
    calls = 1
    while _block(calls) < _BLOCK_SECONDS:
        calls *= 2
    times = sorted(_block(calls) for _ in range(_BLOCKS))
    tenth, middle = _BLOCKS // 10, statistics.median(times)
    return Noise(
        spread=round((times[-tenth - 1] - times[tenth]) / middle, 4),
        worst=round(times[-1] / middle - 1, 4),
    )


def _block(calls: int) -> float:
    start = time.perf_counter()
    for _ in range(calls):
        sum(range(200))
    return time.perf_counter() - start


async def _isolation() -> tuple[Tier | None, dict[str, Finding]]:
    """What the kernel offers for keeping candidates in, and the tier that it adds up to."""
    if sys.platform != "linux":
        return None, {}
    found = await probe()
    groups = f"limits for a whole call (version {found.cgroup.version})" if found.cgroup else ""
    details = {**_LAYERS, "cgroup": ("cgroup", groups)}
    return found.tier, {
        name: Finding(available=layer not in found.missing, detail=found.missing.get(layer, detail))
        for layer, (name, detail) in details.items()
    }
