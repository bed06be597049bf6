"""How well a call is kept in: layers of the kernel, found by trying them, and the tier that they add up to."""

from __future__ import annotations

import enum
import os
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import anyio
import msgspec

from bakeoff.choices import Sandbox
from bakeoff.errors import SandboxMissing, WorkerUnavailable
from bakeoff.workers import inside
from bakeoff.workers.inside.cgroups import Place
from bakeoff.workers.inside.jail import LAYERS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

__all__ = ["PROGRAM", "Isolation", "Sandbox", "Tier", "probe"]

PROGRAM = str(Path(inside.__file__).with_name("__main__.py"))
_AROUND = ("namespaces", "cgroup")
# Without these a call has limits all the same: they do not keep it from anything.
_ALWAYS = ("limits",)


class Tier(enum.StrEnum):
    """How isolated a call is."""

    T1 = "T1"  # limits, a process group and a clean environment
    T2 = "T2"  # only named folders, no network, no privileges, no signals to others
    T3 = "T3"  # and a world of its own: processes, mounts, shared memory, network; limits that hold for all of it

    @classmethod
    def of(cls, layers: Iterable[str]) -> Tier:
        """The tier that these layers add up to."""
        found = set(layers)
        if not found.issuperset(LAYERS):
            return cls.T1
        return cls.T3 if found.issuperset(_AROUND) else cls.T2


@dataclass(frozen=True, slots=True, kw_only=True)
class Isolation:
    """What one interpreter gets on this machine: `missing` says why a layer is not there, `readable` is what every call
    may read."""

    missing: Mapping[str, str] = field(default_factory=dict)
    cgroup: Place | None = None
    readable: tuple[str, ...] = ()

    @classmethod
    def of(cls, found: Mapping[str, Any]) -> Isolation:
        """From what the program in `inside` found."""
        return cls(
            missing={name: reason for name, reason in found["layers"].items() if reason is not None},
            cgroup=Place(**found["cgroup"]) if found["cgroup"] is not None else None,
            readable=tuple(found["readable"]),
        )

    @property
    def layers(self) -> tuple[str, ...]:
        return tuple(name for name in (*LAYERS, *_AROUND) if name not in self.missing)

    @property
    def tier(self) -> Tier:
        return Tier.of(self.layers)

    def under(self, sandbox: Sandbox, *, around: bool = True) -> Isolation:
        """What of it is used; `around` says whether the backend has namespaces and control groups at all.

        Raises SandboxMissing where a sandbox is required and tier 2 is not reached.
        """
        gaps = {name: reason for name, reason in self.missing.items() if name in LAYERS}
        if sandbox is Sandbox.REQUIRE and gaps:
            raise SandboxMissing(f"{name}: {reason}" for name, reason in gaps.items())
        unused = dict(self.missing)
        if sandbox is Sandbox.OFF:
            unused |= {name: "switched off" for name in (*LAYERS, *_AROUND) if name not in _ALWAYS}
        elif not around:
            unused |= dict.fromkeys(_AROUND, "not used by this backend")
        cgroup = None if "cgroup" in unused else self.cgroup
        return Isolation(missing=unused, cgroup=cgroup, readable=self.readable)


async def probe(python: Path | None = None, *, enter: Sequence[str] = ()) -> Isolation:
    """Try every layer, in processes that are thrown away, with the interpreter that is to run calls."""
    command = [*enter, interpreter(python), "-I", "-S", PROGRAM, "probe"]
    try:
        done = await anyio.run_process(command, env={}, check=False, stdin=None)
    except OSError as error:
        raise WorkerUnavailable(command, str(error)) from None
    try:
        return Isolation.of(msgspec.json.decode(done.stdout))
    except msgspec.DecodeError:
        raise WorkerUnavailable(command, done.stderr.decode(errors="replace").strip()) from None


def interpreter(python: Path | None) -> str:
    """The interpreter as it is named: resolving a link would leave its virtual environment."""
    return os.path.abspath(python or sys.executable)
