"""`bakeoff doctor`."""

from __future__ import annotations

from rich.console import Group
from rich.table import Table
from rich.text import Text

from bakeoff.cli.output import Shared
from bakeoff.cli.waiting import finished
from bakeoff.jobs.doctor import Examination, Finding, examine
from bakeoff.workspaces import SlotKind

_SHARED = Shared()
_TIERS = {
    "T3": "T3: a world of its own for each call, with limits on the whole of it",
    "T2": "T2: only named folders, no network, no privileges",
    "T1": "T1: limits and a clean environment only",
}


def doctor(*, slots: SlotKind | None = None, shared: Shared = _SHARED) -> int:
    """Tell what this machine offers.

    Parameters
    ----------
    slots
        Check that this kind of slot works here.
    """
    configuration = shared.begin(slots=slots)
    found = finished(examine, slots=configuration.options.slots)
    shared.show(found, _rendered(found))
    return 1 if found.problems else 0


def _rendered(found: Examination) -> Group:
    facts = Table.grid(padding=(0, 2))

    def fact(name: str, value: str | Text) -> None:
        facts.add_row(name, value if isinstance(value, Text) else Text(value))

    fact("bakeoff", found.bakeoff)
    fact("python", found.python)
    fact("system", found.system)
    fact("git", _said(found.git))
    fact("cores", f"{found.cores} (load {found.load:g})")
    fact("memory", f"{_bytes(found.memory)} ({_bytes(found.memory_available)} available)")
    for room in found.rooms:
        where = "in memory" if room.in_memory else "on disk"
        fact("room", f"{_bytes(room.free)} free {where}: {room.path}")
    fact("noise", f"±{found.noise.spread / 2:.1%} for equal work, {found.noise.worst:+.0%} at the worst")
    fact("slots", Text(found.slots or "none", "green" if found.slots else "red"))
    for kind, finding in found.slot_kinds.items():
        fact(f"  {kind}", _said(finding))
    fact("isolation", _TIERS.get(found.tier or "", "none"))
    for name, finding in found.isolation.items():
        fact(f"  {name}", _said(finding))
    return Group(facts, *(Text(f"problem: {problem}", "red") for problem in found.problems))


def _said(finding: Finding) -> Text:
    mark, style = ("✓", "green") if finding.available else ("✗", "red")
    return Text.assemble((mark, style), f" {finding.detail}")


def _bytes(number: float) -> str:
    for unit in ("B", "KiB", "MiB"):
        if number < 1024:
            return f"{number:.0f} {unit}"
        number /= 1024
    return f"{number:.1f} GiB"
