"""Slots that are git worktrees, put back in order by knowing what was touched.

POOL/slots/N.G          a worktree; G counts how often slot N was made anew
POOL/links/N.G          the repository it belongs to, one for each. A candidate can reach it through its slot and do
                        as it likes there: no git of ours runs in it once the slot is made
POOL/links/N.G.kept     that repository as it was, and the slot's .git, to put them back
"""

from __future__ import annotations

import errno
import itertools
import os
import stat
import time
from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import anyio
import anyio.to_thread

from bakeoff.git import Shadow
from bakeoff.removal import remove
from bakeoff.workspaces.files import Root
from bakeoff.workspaces.touched import CLOCK_STEP, Comparing, Stamp, Tracker, track

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from bakeoff.workspaces.ground import Ground

__all__ = ["WorktreeKind"]

_LINK = ".git"


@dataclass(frozen=True, slots=True)
class Manifest:
    """What belongs into a slot, and which names belong into each of its folders."""

    folders: frozenset[str]
    files: frozenset[str]
    children: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))

    @classmethod
    def of(cls, files: Iterable[str], empty_folders: Iterable[str]) -> Manifest:
        files, folders = frozenset(files), {"", *empty_folders}
        for path in (*files, *empty_folders):
            while path := path.rpartition("/")[0]:
                folders.add(path)
        manifest = cls(folders=frozenset(folders), files=files)
        for path in (*folders - {""}, *files):
            parent, _, name = path.rpartition("/")
            manifest.children[parent].add(name)
        return manifest

    def below(self, folder: str) -> set[str]:
        """A folder and all that belongs below it."""
        found, waiting = set(), [folder]
        while waiting:
            path = waiting.pop()
            found.add(path)
            waiting += [f"{path}/{name}" if path else name for name in self.children.get(path, ())]
        return found


class WorktreeKind:
    """Makes worktree slots."""

    name = "worktree"

    def __init__(self, ground: Ground, manifest: Manifest) -> None:
        self._ground = ground
        self._manifest = manifest

    @classmethod
    async def open(cls, ground: Ground) -> WorktreeKind:
        files = [_LINK, *ground.bytecode, *(entry.path for entry in ground.entries if not entry.is_submodule)]
        empty = [entry.path for entry in ground.entries if entry.is_submodule]
        (ground.directory / "links").mkdir()
        return cls(ground, await anyio.to_thread.run_sync(Manifest.of, files, empty))

    async def create(self, name: str) -> WorktreeTree:
        tree = WorktreeTree(name, self._ground, self._manifest)
        await tree.lay()
        return tree

    async def close(self) -> None:
        return


class WorktreeTree:
    """One worktree slot's files."""

    path: Path
    directory: Path
    enter: tuple[str, ...] = ()

    def __init__(self, name: str, ground: Ground, manifest: Manifest) -> None:
        self._name = name
        self._ground = ground
        self._manifest = manifest
        self._generations = itertools.count()
        self._made: _Made | None = None

    async def lay(self) -> None:
        """Make the slot, or make it anew at a path that nobody knows yet."""
        name = f"{self._name}.{next(self._generations)}"
        old, self._made = self._made, None
        with anyio.CancelScope(shield=True):
            if old is not None:
                await anyio.to_thread.run_sync(old.discard)
            self._made = await _make(self._ground, self._manifest, name)
            self.path = self.directory = self._made.root

    def is_untouched(self, path: str, found: os.stat_result) -> bool:
        return self._made is not None and self._made.stamps.get(path) == (found.st_ctime_ns, found.st_ino)

    def command(self, argv: Sequence[str]) -> list[str]:
        return list(argv)

    async def restore(self) -> None:
        try:
            in_order = self._made is not None and await anyio.to_thread.run_sync(self._made.repair)
        except OSError:
            # Something stands in the way that cannot be taken away: a mount, a folder that is no longer ours.
            in_order = False
        if not in_order:
            await self.lay()

    async def close(self) -> None:
        if self._made is not None:
            with anyio.CancelScope(shield=True):
                await anyio.to_thread.run_sync(self._made.discard)
            self._made = None


async def _make(ground: Ground, manifest: Manifest, name: str) -> _Made:
    root, link = ground.directory / "slots" / name, ground.directory / "links" / name
    linked = await Shadow.create(
        link,
        object_format=ground.repository.object_format,
        lenders=[ground.shadow.directory / "objects"],
        shallow=ground.shadow.directory / "shallow",
    )
    await linked.add_worktree(root, ground.base.commit)
    return await anyio.to_thread.run_sync(_Made, ground, manifest, root, link)


class _Made:
    """A slot as it was made, and what is needed to bring it back to that."""

    def __init__(self, ground: Ground, manifest: Manifest, root: Path, link: Path) -> None:
        self.root = root
        self._link = link
        self._kept, self._kept_file = link.with_name(f"{link.name}.kept"), link.with_name(f"{link.name}.file")
        self._pristine = ground.pristine
        self._manifest = manifest
        _copy_tree(link, self._kept)
        with Root(link.parent) as links, Root(root) as tree:
            links.copy(root / _LINK, self._kept_file.name)
            for file in ground.bytecode:
                tree.copy(self._pristine / file, file)
            self._identity = tree.identity
        self._folder_mode = stat.S_IMODE(root.lstat().st_mode)
        self.stamps: dict[str, Stamp] = {}
        self._stamp(manifest.files)
        self._tracker: Tracker = track(root, manifest.folders, manifest.files, share=ground.size)
        self._link_tracker = self._track_link()

    def repair(self) -> bool:
        """Bring it back; False where it is quicker, or the only way, to make it anew."""
        touched = self._tracker.touched()
        if touched is None or len(touched) > max(1000, len(self._manifest.files) // 2):
            return False
        if self._link_tracker.touched():
            self._repair_link()
        if touched:
            with Root(self.root) as tree:
                if tree.identity != self._identity:
                    raise OSError(errno.ESTALE, "the slot's folder was replaced", str(self.root))
                back = self._tidy(tree, touched)
                for folder in sorted(back & self._manifest.folders - {""}):
                    tree.make(folder)
                for file in back & self._manifest.files:
                    tree.copy(self._kept_file if file == _LINK else self._pristine / file, file)
                self._stamp(back & self._manifest.files)
                self._tracker.rearm(back)
                # Whatever happens from here on is seen next time. What a process that still lives did in between shows
                # in the folders that we went through; a slot that is not left alone is better made anew elsewhere.
                return all(self._is_tidy(tree, folder) for folder in back & self._manifest.folders)
        return True

    def _stamp(self, files: Iterable[str]) -> None:
        """Note by what an untouched file is told: its change time, which nobody can set, and its number. Not of files
        so new that an edit could still have the same time."""
        settled = time.time_ns() - CLOCK_STEP
        for file in files:
            self.stamps.pop(file, None)
            found = os.lstat(f"{self.root}/{file}")
            if found.st_ctime_ns < settled:
                self.stamps[file] = (found.st_ctime_ns, found.st_ino)

    def discard(self) -> None:
        """Remove it, as far as that is possible; what stays goes with the pool."""
        self._tracker.close()
        self._link_tracker.close()
        for path in (self.root, self._link, self._kept, self._kept_file):
            try:
                remove(path)
            except OSError:
                continue

    def _tidy(self, tree: Root, touched: set[str]) -> set[str]:
        """Remove what does not belong and return what has to be brought back."""
        folders = ({path.rpartition("/")[0] for path in touched} | touched) & self._manifest.folders
        back: set[str] = set()
        for folder in sorted(folders):
            if folder not in back:
                self._tidy_folder(tree, folder, back)
        return back | folders | (touched & self._manifest.files)

    def _tidy_folder(self, tree: Root, folder: str, back: set[str]) -> None:
        found = tree.settle(folder, mode=self._folder_mode)
        expected = self._manifest.children.get(folder, set())
        if found.keys() - expected:
            tree.remove_all(folder, found.keys() - expected)
        for name in expected:
            path = _joined(folder, name)
            if found.get(name) is (path in self._manifest.folders):
                continue
            if name in found:
                tree.remove(path)
            back |= self._manifest.below(path)

    def _is_tidy(self, tree: Root, folder: str) -> bool:
        expected = self._manifest.children.get(folder, set())
        return tree.names(folder) == {name: _joined(folder, name) in self._manifest.folders for name in expected}

    def _repair_link(self) -> None:
        """What a candidate did with git: commits, branches, configuration."""
        self._link_tracker.close()
        remove(self._link)
        _copy_tree(self._kept, self._link)
        self._link_tracker = self._track_link()

    def _track_link(self) -> Comparing:
        return Comparing(self._link, ["", *_paths_below(self._link)])


def _paths_below(folder: Path) -> list[str]:
    return [str(path.relative_to(folder)) for path in sorted(folder.rglob("*"))]


def _copy_tree(source: Path, target: Path) -> None:
    """Copy a small folder of ours to where nothing is."""
    target.mkdir()
    with Root(target) as copied:
        for path in _paths_below(source):
            if (source / path).is_dir():
                copied.make(path)
            else:
                copied.copy(source / path, path)


def _joined(folder: str, name: str) -> str:
    return f"{folder}/{name}" if folder else name
