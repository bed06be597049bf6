"""Isolated copies of the user's repository, leased one candidate at a time.

    async with WorktreePool(repository, size=4) as pool:
        async with pool.slot() as slot:
            await slot.stage(change)

The face is `WorktreePool` and the `Slot` it leases. Behind it there are two kinds of slot (`worktree.py`,
`overlay.py`) that pass the same tests. Nothing here writes to the user's repository, with two exceptions that have to
be asked for: `apply` writes a change into the working tree, `branch` commits it on a new branch (`handover.py`).
"""

from bakeoff.workspaces.ground import SlotKind
from bakeoff.workspaces.handover import Applied, Branched, Commit, apply, branch, branch_of
from bakeoff.workspaces.harvest import Bounds
from bakeoff.workspaces.leftovers import Leftover, leftovers, places, sweep
from bakeoff.workspaces.pool import Slot, WorktreePool
from bakeoff.workspaces.references import Reference

__all__ = [
    "Applied",
    "Bounds",
    "Branched",
    "Commit",
    "Leftover",
    "Reference",
    "Slot",
    "SlotKind",
    "WorktreePool",
    "apply",
    "branch",
    "branch_of",
    "leftovers",
    "places",
    "sweep",
]
