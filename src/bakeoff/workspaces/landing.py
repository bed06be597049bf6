"""Putting a change's files into a slot: checked whole, then written."""

from __future__ import annotations

import stat
from typing import TYPE_CHECKING

from bakeoff.errors import PathRefused
from bakeoff.workspaces.files import Root

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from bakeoff.candidates import Change

__all__ = ["land"]


def land(root: Path, change: Change, submodules: Sequence[str] = ()) -> None:
    """Check everything, then write. See `Slot.stage` for what is raised."""
    with Root(root) as tree:
        leaving = {edit.path for edit in change.edits if edit.after is None}
        for path in change.paths:
            _refuse_submodules(path, submodules)
            _check_way(tree, path, leaving)
        change.check(base=tree.read)
        for path in sorted(leaving, reverse=True):
            tree.delete(path)
        for edit in change.edits:
            if edit.after is not None:
                tree.write(edit.path, edit.after)


def _refuse_submodules(path: str, submodules: Sequence[str]) -> None:
    for folder in submodules:
        if path == folder or path.startswith(f"{folder}/"):
            raise PathRefused(path, f"{folder} is a submodule")


def _check_way(tree: Root, path: str, leaving: set[str]) -> None:
    """Raise PathRefused unless only folders lead to the path, those not counted that the change removes first."""
    parts = path.split("/")
    for depth in range(1, len(parts) + 1):
        here = "/".join(parts[:depth])
        found = tree.kind(here)
        if found is None or here in leaving:
            return
        is_folder, is_end = stat.S_ISDIR(found), depth == len(parts)
        if not is_end and not is_folder:
            what = "a symbolic link" if stat.S_ISLNK(found) else "a file"
            raise PathRefused(path, f"{here!r} is {what}")
        if is_end and is_folder and not _empties(tree, here, leaving):
            raise PathRefused(path, "it is a folder")


def _empties(tree: Root, folder: str, leaving: set[str]) -> bool:
    """Whether the change removes all that is in a folder."""
    for name, is_folder in tree.names(folder).items():
        path = f"{folder}/{name}"
        if not (_empties(tree, path, leaving) if is_folder else path in leaving):
            return False
    return True
