"""Slots that are git worktrees, put back in order by knowing what was touched.

POOL/linked.git     the repository these worktrees belong to. A candidate can reach it through its slot and
                    do as it likes there: nothing of ours reads it again once the slots are made
POOL/slots/N        a worktree
POOL/link-N         its .git, to put it back
"""

from __future__ import annotations

import errno
import os
import shutil
import stat
from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import anyio
import anyio.to_thread

from bakeoff.git import Shadow
from bakeoff.workspaces.leftovers import remove
from bakeoff.workspaces.touched import Tracker, track

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
        found = {folder}
        for name in self.children.get(folder, ()):
            found |= self.below(f"{folder}/{name}" if folder else name)
        return found


class WorktreeKind:
    """Makes worktree slots."""

    name = "worktree"

    def __init__(self, ground: Ground, linked: Shadow, manifest: Manifest) -> None:
        self._ground = ground
        self._linked = linked
        self._manifest = manifest
        # Git's records of worktrees: see `Shadow.add_worktree`.
        self._recording = anyio.Lock()

    @classmethod
    async def open(cls, ground: Ground) -> WorktreeKind:
        linked = await Shadow.create(
            ground.directory / "linked.git",
            object_format=ground.repository.object_format,
            lenders=[ground.shadow.directory / "objects"],
            shallow=ground.shadow.directory / "shallow",
        )
        files = [_LINK, *ground.bytecode, *(entry.path for entry in ground.entries if not entry.is_submodule)]
        empty = [entry.path for entry in ground.entries if entry.is_submodule]
        return cls(ground, linked, await anyio.to_thread.run_sync(Manifest.of, files, empty))

    async def create(self, name: str) -> WorktreeTree:
        root, link = self._ground.directory / "slots" / name, self._ground.directory / f"link-{name}"
        async with self._recording:
            await self._linked.add_worktree(root, self._ground.base.commit)
        await self._linked.fill_worktree(root)
        await anyio.to_thread.run_sync(_copy, root / _LINK, link)
        tree = WorktreeTree(root, link, self._ground, self._manifest)
        await tree.start()
        return tree

    async def close(self) -> None:
        return


class WorktreeTree:
    """One worktree slot's files."""

    def __init__(self, root: Path, link: Path, ground: Ground, manifest: Manifest) -> None:
        self.path = self.directory = root
        self._link = link
        self._ground = ground
        self._manifest = manifest
        self._tracker: Tracker | None = None
        self._folder_mode = 0o755

    async def start(self) -> None:
        """Put the byte code in and begin to track what is touched."""
        self._folder_mode = stat.S_IMODE(self.path.lstat().st_mode)
        await anyio.to_thread.run_sync(self._fetch, self._ground.bytecode)
        manifest, share = self._manifest, self._ground.size
        self._tracker = await anyio.to_thread.run_sync(
            lambda: track(self.path, manifest.folders, manifest.files, share=share)
        )

    def command(self, argv: Sequence[str]) -> list[str]:
        return list(argv)

    async def restore(self) -> None:
        assert self._tracker is not None
        touched = await anyio.to_thread.run_sync(self._tracker.touched)
        if touched is None or len(touched) > max(1000, len(self._manifest.files) // 2):
            await self._rebuild()
        elif touched:
            await anyio.to_thread.run_sync(self._repair, self._tracker, touched)

    async def close(self) -> None:
        if self._tracker is not None:
            self._tracker.close()

    async def _rebuild(self) -> None:
        """Start over with an empty folder."""
        await self.close()
        await anyio.to_thread.run_sync(_empty, self.path, self._folder_mode)
        await self._ground.shadow.check_out(self._ground.index, self.path)
        await anyio.to_thread.run_sync(self._fetch, [_LINK])
        await self.start()

    def _repair(self, tracker: Tracker, touched: set[str]) -> None:
        back = self._tidy(touched)
        for folder in sorted(back & self._manifest.folders):
            (self.path / folder).mkdir(exist_ok=True)
        self._fetch(back & self._manifest.files)
        tracker.rearm(back)

    def _fetch(self, files: Iterable[str]) -> None:
        """Copy files in that are not there now."""
        for file in files:
            target = self.path / file
            target.parent.mkdir(parents=True, exist_ok=True)
            _copy(self._link if file == _LINK else self._ground.pristine / file, target)

    def _tidy(self, touched: set[str]) -> set[str]:
        """Remove what does not belong and return what has to be brought back."""
        folders = {path.rpartition("/")[0] for path in touched} | touched
        back: set[str] = set()
        for folder in sorted(folders & self._manifest.folders):
            if folder not in back:
                self._tidy_folder(folder, back)
        wanted = back | (touched & self._manifest.files)
        for path in wanted - self._manifest.folders:
            remove(self.path / path)
        return wanted | (folders & self._manifest.folders)

    def _tidy_folder(self, folder: str, back: set[str]) -> None:
        here = self.path / folder
        _set_mode(here, self._folder_mode)
        expected = self._manifest.children.get(folder, set())
        with os.scandir(here) as entries:
            found = {entry.name: entry.is_dir(follow_symlinks=False) for entry in entries}
        for name in found.keys() - expected:
            if found[name]:
                remove(here / name)
            else:
                os.unlink(here / name)
        for name in expected:
            path = f"{folder}/{name}" if folder else name
            is_folder = path in self._manifest.folders
            if found.get(name) is is_folder:
                continue
            if name in found:
                remove(here / name)
            back |= self._manifest.below(path)


def _set_mode(folder: Path, mode: int) -> None:
    """Plain permissions: the mode, and no attributes such as access lists that new files would inherit."""
    if stat.S_IMODE(folder.lstat().st_mode) != mode:
        folder.chmod(mode)
    try:
        names = os.listxattr(folder)
    except OSError as error:
        if error.errno != errno.ENOTSUP:
            raise
        return
    for name in names:
        if not name.startswith("security."):
            os.removexattr(folder, name)


def _empty(folder: Path, mode: int) -> None:
    remove(folder)
    folder.mkdir(mode=mode)


def _copy(source: Path, target: Path) -> None:
    """Content and executable bit, or the link itself: what git knows of a file."""
    mode = source.lstat().st_mode
    if stat.S_ISLNK(mode):
        target.symlink_to(source.readlink())
        return
    shutil.copyfile(source, target)
    if mode & stat.S_IXUSR:
        target.chmod(stat.S_IMODE(mode))
