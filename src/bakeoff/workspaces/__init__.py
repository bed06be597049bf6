"""Isolated copies of the user's repository, leased one candidate at a time.

    async with WorktreePool(repository, size=4) as pool:
        async with pool.slot() as slot:
            await slot.stage(change)

The face is `WorktreePool` and the `Slot` it leases. Behind it there are two kinds of slot (`worktree.py`,
`overlay.py`) that pass the same tests. Nothing here ever writes to the user's repository.
"""

from bakeoff.workspaces.ground import SlotKind
from bakeoff.workspaces.leftovers import Leftover, leftovers, places, sweep
from bakeoff.workspaces.pool import Slot, WorktreePool

__all__ = ["Leftover", "Slot", "SlotKind", "WorktreePool", "leftovers", "places", "sweep"]
