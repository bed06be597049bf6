"""The changes that a user's branches, commits, tags and stash entries stand for.

    user's repository ──meaning──▶ two trees ──files of both, as slots have them──▶ merged onto the base ──▶ Change

What was done on a branch is carried over to the base file by file, as a merge would do it: the base may be ahead of the
commit that both come from, and may hold edits that are not committed. Nothing of the user's is run or written: the
trees are compared and checked out by a shadow, which knows no filters, no external diff and no text conversion.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from typing import TYPE_CHECKING

import anyio
import anyio.to_thread

from bakeoff.candidates import Change, Clash, merge
from bakeoff.errors import DoesNotApply
from bakeoff.git import Moved
from bakeoff.removal import remove
from bakeoff.workspaces.files import Root

if TYPE_CHECKING:
    from pathlib import Path

    from bakeoff.candidates import File, Reader
    from bakeoff.git import Meaning
    from bakeoff.workspaces.ground import Ground

__all__ = ["Reference", "change_of"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference:
    """A commit of the user's and the change that it stands for. `warnings` says in the user's words what of it is left
    out."""

    commit: str
    change: Change
    warnings: tuple[str, ...] = ()


async def change_of(ground: Ground, ref: str, *, base: Reader) -> Reference:
    """See `WorktreePool.change_of`."""
    meaning = await ground.repository.meaning(ref, head=ground.base.head)
    moves, warnings = await _carried(ground, await _moves(ground, meaning))
    if meaning.is_unrelated:
        warnings = (f"{ref} and HEAD have no commit in common: all that differs is taken", *warnings)
    folder = ground.directory / f"ref-{secrets.token_hex(6)}"
    try:
        await anyio.to_thread.run_sync(folder.mkdir)
        await _lay_out(ground, meaning, moves, folder)
        files = await anyio.to_thread.run_sync(_merged, folder, moves, base)
    finally:
        with anyio.CancelScope(shield=True):
            await anyio.to_thread.run_sync(remove, folder)
    return Reference(commit=meaning.commit, change=Change.of(files, base=base), warnings=warnings)


async def _moves(ground: Ground, meaning: Meaning) -> list[Moved]:
    moves = await ground.shadow.moves(meaning.before, meaning.after)
    if meaning.untracked is not None:
        moves += [Moved(old=None, new=entry.path) for entry in await ground.shadow.files(meaning.untracked)]
    return moves


async def _carried(ground: Ground, moves: list[Moved]) -> tuple[list[Moved], tuple[str, ...]]:
    """What can be carried over, and warnings of the rest."""
    plain = [moved for moved in moves if not moved.is_submodule]
    links = [moved.path for moved in moves if moved.is_submodule]
    filtered = await ground.repository.filtered([path for moved in plain for path in (moved.old, moved.new) if path])
    kept = [moved for moved in plain if filtered.keys().isdisjoint({moved.old, moved.new})]
    hidden = [moved.path for moved in plain if moved not in kept]
    warnings = []
    if links:
        warnings.append(f"left out are changes of submodules: {_few(links)}")
    if hidden:
        warnings.append(f"left out are files whose content a filter keeps elsewhere, as git-lfs does: {_few(hidden)}")
    return kept, tuple(warnings)


def _few(names: list[str]) -> str:
    return ", ".join(names[:3]) + (", …" if len(names) > 3 else "")


async def _lay_out(ground: Ground, meaning: Meaning, moves: list[Moved], folder: Path) -> None:
    """The files of both sides, as slots have them, in `before` and `after`."""
    new = {moved.new for moved in moves if moved.new is not None}
    extra = (
        set() if meaning.untracked is None else {entry.path for entry in await ground.shadow.files(meaning.untracked)}
    )
    await _check_out(ground, meaning.before, folder / "before", {moved.old for moved in moves if moved.old is not None})
    await _check_out(ground, meaning.after, folder / "after", new - extra)
    if meaning.untracked is not None:
        await _check_out(ground, meaning.untracked, folder / "after", new & extra)


async def _check_out(ground: Ground, tree: str, folder: Path, paths: set[str]) -> None:
    index = folder.parent / f"index-{secrets.token_hex(6)}"
    await ground.shadow.write_index(tree, index)
    await anyio.to_thread.run_sync(lambda: folder.mkdir(exist_ok=True))
    await ground.shadow.check_out(index, folder, sorted(paths))


def _merged(folder: Path, moves: list[Moved], base: Reader) -> dict[str, File | None]:
    """What becomes of each path of the base."""
    files: dict[str, File | None] = {}
    clashes: list[tuple[str, Clash]] = []
    with Root(folder / "before") as before, Root(folder / "after") as after:
        for moved in moves:
            outcome = _outcome(moved, before.read, after.read, base)
            if isinstance(outcome, Clash):
                clashes.append((moved.path, outcome))
                continue
            if moved.old is not None:
                files[moved.old] = None
            if moved.new is not None:
                files[moved.new] = outcome
    if clashes:
        raise _refusal(clashes)
    return files


def _outcome(moved: Moved, before: Reader, after: Reader, base: Reader) -> File | Clash | None:
    """What becomes of one file, under its new name."""
    was = before(moved.old) if moved.old is not None else None
    will = after(moved.new) if moved.new is not None else None
    outcome = merge(base=was, ours=base(moved.old or moved.path), theirs=will)
    if moved.old is not None and moved.new is not None and moved.old != moved.new:
        taken = base(moved.new)
        if taken is not None and taken != outcome:
            return Clash(why="it is there already, with other content")
    return outcome


def _refusal(clashes: list[tuple[str, Clash]]) -> DoesNotApply:
    path, clash = clashes[0]
    more = f", and {len(clashes) - 1} more of its files do not fit" if len(clashes) > 1 else ""
    return DoesNotApply(
        f"{clash}{more}",
        path=path,
        line=clash.lines[0] if clash.lines else None,
        hint="these lines have changed in the working tree or in HEAD; bring a branch up to date with git rebase",
    )
