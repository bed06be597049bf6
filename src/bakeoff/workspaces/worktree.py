"""Slots that are git worktrees, put back in order by knowing what was touched.

POOL/linked.git     the repository these worktrees belong to. A candidate can reach it through its slot and
                    do as it likes there: nothing of ours reads it again once the slots are made
POOL/bytecode       pristine byte code, to put back what a candidate overwrote
POOL/slots/N        a worktree
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
from bakeoff.workspaces.bytecode import compile_tree
from bakeoff.workspaces.leftovers import remove
from bakeoff.workspaces.touched import Tracker, track

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from bakeoff.workspaces.ground import Ground

__all__ = ["WorktreeKind"]


@dataclass(frozen=True, slots=True)
class Manifest:
    """What belongs into a slot: folders, files of the base, and files of our own with where to copy them from."""

    folders: frozenset[str]
    files: frozenset[str]
    copies: dict[str, Path]
    children: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))

    @classmethod
    def of(cls, files: Iterable[str], empty_folders: Iterable[str], copies: dict[str, Path]) -> Manifest:
        files, folders = frozenset(files), {"", *empty_folders}
        for path in (*files, *copies, *empty_folders):
            while path := path.rpartition("/")[0]:
                folders.add(path)
        manifest = cls(folders=frozenset(folders), files=files, copies=copies)
        for path in (*folders - {""}, *files, *copies):
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

    def __init__(self, ground: Ground, linked: Shadow) -> None:
        self._ground = ground
        self._linked = linked
        self._bytecode = ground.directory / "bytecode"
        self._compiled: dict[str, Path] | None = None
        # Only one slot compiles; the others wait for what it made.
        self._compiling = anyio.Lock()

    @classmethod
    async def open(cls, ground: Ground) -> WorktreeKind:
        linked = await Shadow.create(
            ground.directory / "linked.git",
            object_format=ground.repository.object_format,
            lenders=[ground.shadow.directory / "objects"],
            shallow=ground.shadow.directory / "shallow",
        )
        return cls(ground, linked)

    async def create(self, name: str) -> WorktreeTree:
        root = self._ground.directory / "slots" / name
        await self._linked.add_worktree(root, self._ground.base.commit)
        copies = {".git": await anyio.to_thread.run_sync(self._keep_link, root, name)}
        copies |= await self._compiled_in(root)
        entries = self._ground.entries
        manifest = await anyio.to_thread.run_sync(
            Manifest.of,
            [entry.path for entry in entries if entry.mode != "160000"],
            [entry.path for entry in entries if entry.mode == "160000"],
            copies,
        )
        tree = WorktreeTree(root, self._ground, manifest)
        await tree.start()
        return tree

    async def close(self) -> None:
        return

    def _keep_link(self, root: Path, name: str) -> Path:
        kept = self._ground.directory / f"link-{name}"
        shutil.copyfile(root / ".git", kept)
        return kept

    async def _compiled_in(self, root: Path) -> dict[str, Path]:
        """Put byte code into a fresh slot; the first one makes it for all."""
        if self._ground.python is None:
            return {}
        async with self._compiling:
            if self._compiled is None:
                await compile_tree(self._ground.python, root)
                self._compiled = await anyio.to_thread.run_sync(_collect_bytecode, root, self._bytecode)
                return self._compiled
        await anyio.to_thread.run_sync(_copy_all, self._compiled, root)
        return self._compiled


class WorktreeTree:
    """One worktree slot's files."""

    def __init__(self, root: Path, ground: Ground, manifest: Manifest) -> None:
        self.path = self.directory = root
        self._ground = ground
        self._manifest = manifest
        self._tracker: Tracker | None = None
        self._folder_mode = 0o755

    async def start(self) -> None:
        """Begin to track what is touched."""
        self._folder_mode = stat.S_IMODE(self.path.lstat().st_mode)
        manifest, share = self._manifest, self._ground.size
        files = [*manifest.files, *manifest.copies]
        self._tracker = await anyio.to_thread.run_sync(lambda: track(self.path, manifest.folders, files, share=share))

    def command(self, argv: Sequence[str]) -> list[str]:
        return list(argv)

    async def restore(self) -> None:
        assert self._tracker is not None
        touched = await anyio.to_thread.run_sync(self._tracker.touched)
        if touched is None or len(touched) > max(1000, len(self._manifest.files) // 2):
            await self._rebuild()
        elif touched:
            back = await anyio.to_thread.run_sync(self._tidy, touched)
            await self._bring_back(back)
            await anyio.to_thread.run_sync(self._tracker.rearm, back)

    async def close(self) -> None:
        if self._tracker is not None:
            self._tracker.close()

    async def _rebuild(self) -> None:
        """Start over with an empty folder."""
        await self.close()
        await anyio.to_thread.run_sync(_empty, self.path, self._folder_mode)
        await self._ground.shadow.check_out(self._ground.index, self.path)
        await anyio.to_thread.run_sync(_copy_all, self._manifest.copies, self.path)
        await self.start()

    def _tidy(self, touched: set[str]) -> set[str]:
        """Remove what does not belong and return what has to be brought back."""
        folders = {path.rpartition("/")[0] for path in touched} | touched
        back: set[str] = set()
        for folder in sorted(folders & self._manifest.folders):
            if folder not in back:
                self._tidy_folder(folder, back)
        wanted = back | {path for path in touched if path not in self._manifest.folders and self._belongs(path)}
        for path in wanted - self._manifest.folders:
            remove(self.path / path)
        return wanted | (folders & self._manifest.folders)

    def _belongs(self, path: str) -> bool:
        return path in self._manifest.files or path in self._manifest.copies

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

    async def _bring_back(self, back: set[str]) -> None:
        files = sorted(back & self._manifest.files)
        await anyio.to_thread.run_sync(self._make_folders, back)
        if files:
            await self._ground.shadow.check_out(self._ground.index, self.path, files)
        copies = {path: self._manifest.copies[path] for path in back & self._manifest.copies.keys()}
        await anyio.to_thread.run_sync(_copy_all, copies, self.path)

    def _make_folders(self, back: set[str]) -> None:
        for folder in sorted(back & self._manifest.folders):
            (self.path / folder).mkdir(exist_ok=True)


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


def _collect_bytecode(root: Path, store: Path) -> dict[str, Path]:
    """Keep a copy of a slot's byte code, so that it can be put back."""
    found = {}
    for path in root.rglob("__pycache__/*.pyc"):
        name = str(path.relative_to(root))
        found[name] = store / name
        found[name].parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, found[name])
    return found


def _copy_all(copies: dict[str, Path], root: Path) -> None:
    for name, source in copies.items():
        target = root / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, target)
