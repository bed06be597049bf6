"""The pool: slots are leased, one candidate at a time, and always come back.

waiting tasks ──acquire──▶ [free slots] ──lease──▶ Slot ──release──▶ restored ──▶ first in line
                                                            └─ cannot be restored ──▶ replaced, or given up
"""

from __future__ import annotations

import itertools
import logging
from collections import deque
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Self

import anyio
import anyio.lowlevel
import anyio.to_thread

from bakeoff.candidates import parents
from bakeoff.errors import BakeoffError, NoSlots, PoolClosed, SlotsUnavailable, UsageError
from bakeoff.fanout import Status, collect
from bakeoff.git import Repository, Shadow
from bakeoff.removal import remove
from bakeoff.workspaces.bytecode import compile_tree
from bakeoff.workspaces.files import Root
from bakeoff.workspaces.ground import Ground, Kind, SlotKind, Tree
from bakeoff.workspaces.harvest import Bounds, harvest
from bakeoff.workspaces.landing import land
from bakeoff.workspaces.leftovers import choose_place, claim, sweep
from bakeoff.workspaces.overlay import OverlayKind
from bakeoff.workspaces.references import Reference, change_of
from bakeoff.workspaces.worktree import WorktreeKind

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence
    from types import TracebackType

    from bakeoff.candidates import Change, File
    from bakeoff.git import Base

__all__ = ["Slot", "WorktreePool"]

_log = logging.getLogger(__name__)
_PRISTINE = "pristine"
_RESTORE_PATIENCE = 120.0


class Slot:
    """A lease on one isolated copy of the base. After its release it is of no more use."""

    def __init__(self, tree: Tree, ground: Ground) -> None:
        self.tree = tree
        self.returned = False
        self._ground = ground

    @property
    def path(self) -> Path:
        """Where this process finds the slot's files. Do not resolve it: parts of it may be links of /proc. Ask again
        after `stage`: a slot that was beyond repair is made anew elsewhere."""
        return self.tree.path

    @property
    def directory(self) -> Path:
        """Where a process started through `command` finds them."""
        return self.tree.directory

    def command(self, argv: Sequence[str]) -> list[str]:
        """A command line that runs `argv` where `directory` exists; start it with any working directory."""
        return self.tree.command(argv)

    @property
    def enter(self) -> tuple[str, ...]:
        """What to put before any command that is to find the slot at `directory`, the same for all slots of a pool: for
        `bakeoff.workers.Call.enter`."""
        return self.tree.enter

    def read(self, path: str, *, most: int) -> File | None:
        """A file of the slot as it is now, which may be of a candidate's making: no link is followed to it. None where
        there is none; raises OSError for one with over `most` bytes."""
        with Root(self.path) as root:
            return root.read(path, most=most)

    async def stage(self, change: Change) -> None:
        """Make the slot the base plus this change, and nothing else.

        Everything is checked before anything is written: raises PathRefused for a path that leads out of the
        slot, into git's or a submodule's files, and DoesNotApply where the base is not what the change expects.
        """
        if self.returned:
            raise PoolClosed
        await self.tree.restore()
        await anyio.to_thread.run_sync(land, self.path, change, self._ground.base.submodules)

    async def change(self, *, bounds: Bounds | None = None) -> Change:
        """What the slot is now, as a change to the base: files edited, new, deleted, made executable or into links.

        Left out is what git would leave out (by the base's .gitignore files and the user's own settings), new folders
        whose own .gitignore says so, byte code, everything called .git, empty folders, and new pipes, sockets and
        devices. Raises PathRefused for a link that leads out, for a path that no change may name, and where no file is
        left in the place of one of the base; ChangeTooLarge beyond the bounds; ChangeError for what cannot be read.

        While something still works in the slot, the change holds each file as it was at some moment meanwhile.
        """
        if self.returned:
            raise PoolClosed
        return await harvest(self.tree, self._ground, bounds or Bounds())


@dataclass(slots=True, eq=False)
class _Waiter:
    ready: anyio.Event = field(default_factory=anyio.Event)
    slot: Slot | None = None
    error: BakeoffError | None = None


class WorktreePool:
    """Isolated copies of the user's repository, as it is when the pool opens.

    `size` slots are made at once; when some cannot be, the pool goes on with fewer and says so in `warnings`.
    `kind` forces a kind of slot; by default overlays are used where the kernel allows them. With `python`, the
    slots have that interpreter's byte code from the start. For use from one event loop.
    """

    def __init__(
        self,
        repository: Repository | Path,
        *,
        size: int,
        kind: SlotKind | None = None,
        directory: Path | None = None,
        python: Path | None = None,
    ) -> None:
        if size < 1:
            raise UsageError(f"a pool needs at least one slot, not {size}")
        self._repository = repository
        self._asked = size
        self._forced = kind
        self._place = directory
        self._python = python
        self._free: deque[Slot] = deque()
        self._line: deque[_Waiter] = deque()
        self._leased: set[Slot] = set()
        self._directory: Path | None = None
        self._kind: Kind | None = None
        self._names = itertools.count(size)
        self._ground: Ground | None = None
        self._closed = True
        self._restoring = 0
        self._restored_all = anyio.Event()
        self.warnings: list[str] = []

    @property
    def size(self) -> int:
        """How many slots there are now."""
        return len(self._free) + len(self._leased)

    @property
    def kind(self) -> SlotKind:
        """The kind of slot that is used."""
        assert self._kind is not None
        return SlotKind(self._kind.name)

    @property
    def base(self) -> Base:
        """What the slots hold."""
        return self._known_ground.base

    @property
    def shadow(self) -> Shadow:
        """The repository that the base is a commit of: whoever makes more commits of it makes them there."""
        return self._known_ground.shadow

    @property
    def pristine(self) -> Path:
        """The files of the base, in a folder that nobody writes in."""
        return self._known_ground.pristine

    @property
    def _known_ground(self) -> Ground:
        assert self._ground is not None
        return self._ground

    def read(self, path: str) -> File | None:
        """A file of the base: what changes are made against, as in `Change.of(files, base=pool.read)`."""
        if self._directory is None or self._closed:
            raise PoolClosed
        with Root(self._directory / _PRISTINE) as pristine:
            return pristine.read(path)

    @property
    def files(self) -> frozenset[str]:
        """The paths of all files of the base, without those of submodules that are not checked out."""
        return self._known_ground.files

    async def change_of(self, ref: str) -> Reference:
        """The change to the base that a branch, commit, tag or stash entry of the user's stands for.

        That is what was done there since it parted from HEAD; for an ancestor of HEAD the way back to it; where the two
        have nothing in common, all that differs; for a stash entry what was stashed, untracked files included. HEAD is
        what it was when the pool opened, and the change is merged with what the base holds besides.

        Raises UnknownRef, DoesNotApply with the first file that does not fit, and PathRefused.
        """
        if self._closed:
            raise PoolClosed
        return await change_of(self._known_ground, ref, base=self.read)

    async def __aenter__(self) -> Self:
        try:
            await self._open()
        except BaseException:
            await self._close()
            raise
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._close()

    @asynccontextmanager
    async def slot(self) -> AsyncIterator[Slot]:
        """Lease a slot for the block."""
        slot = await self.acquire()
        try:
            yield slot
        finally:
            await self.release(slot)

    async def acquire(self) -> Slot:
        """Lease a slot: byte for byte the base. Waits in line; raises PoolClosed when the pool closes first."""
        await anyio.lowlevel.checkpoint()
        while True:
            if self._closed:
                raise PoolClosed
            if self.size == 0:
                raise self._nothing_left()
            # A slot is free only while nobody is in line.
            slot = self._lease(self._free.popleft()) if self._free else await self._wait()
            # Nearly free where all is well; puts right what a process that outlived its lease did meanwhile.
            fresh = await self._in_order(slot)
            if fresh is not None and not self._closed:
                return self._lease(fresh)

    async def release(self, slot: Slot) -> None:
        """Take a slot back and put it in order for the next. Harmless when repeated or after the pool closed."""
        if slot not in self._leased or slot.returned:
            return
        slot.returned = True
        fresh = await self._in_order(slot)
        if fresh is not None:
            self._hand_out(fresh)

    def _lease(self, slot: Slot) -> Slot:
        self._leased.add(slot)
        return slot

    async def _wait(self) -> Slot:
        waiter = _Waiter()
        self._line.append(waiter)
        try:
            await waiter.ready.wait()
        except BaseException:
            if waiter.slot is not None:
                self._leased.discard(waiter.slot)
                self._hand_out(waiter.slot)
            elif waiter in self._line:
                self._line.remove(waiter)
            raise
        if waiter.error is not None:
            raise waiter.error
        assert waiter.slot is not None
        return waiter.slot

    def _hand_out(self, slot: Slot) -> None:
        if self._line and not self._closed:
            waiter = self._line.popleft()
            waiter.slot = self._lease(slot)
            waiter.ready.set()
        else:
            self._free.append(slot)

    def _turn_away(self, error: BakeoffError) -> None:
        while self._line:
            waiter = self._line.popleft()
            waiter.error = error
            waiter.ready.set()

    async def _in_order(self, slot: Slot) -> Slot | None:
        """End a lease. Gives the slot for the next one, restored or replaced; None when it is lost."""
        self._restoring += 1
        try:
            with anyio.CancelScope(shield=True):
                fresh = await self._restored(slot.tree)
        finally:
            self._leased.discard(slot)
            self._restoring -= 1
            if self._closed and not self._restoring:
                self._restored_all.set()
        if fresh is None:
            if self.size == 0 and not self._closed:
                self._turn_away(self._nothing_left())
            return None
        return Slot(fresh, self._known_ground)

    async def _restored(self, tree: Tree) -> Tree | None:
        if self._closed:
            return None
        try:
            with anyio.fail_after(_RESTORE_PATIENCE):
                await tree.restore()
        except Exception as error:  # noqa: BLE001 (what a candidate leaves is foreign; the slot is lost, not the pool)
            _log.warning("a slot could not be restored and is replaced: %s", error, exc_info=error)
            return await self._replacement(tree)
        return tree

    async def _replacement(self, lost: Tree) -> Tree | None:
        assert self._kind is not None
        try:
            await lost.close()
            return await self._kind.create(str(next(self._names)))
        except Exception as error:  # noqa: BLE001 (as above; those who wait are told when it was the last)
            _log.warning("a slot was lost", exc_info=error)
            self._warn(f"a slot was lost and could not be replaced: {error}")
            return None

    def _nothing_left(self) -> NoSlots:
        return NoSlots([SlotsUnavailable(self.kind, "every slot was lost")])

    async def _make(self, number: int) -> Slot:
        assert self._kind is not None
        return Slot(await self._kind.create(str(number)), self._known_ground)

    async def _open(self) -> None:
        repository = self._repository
        if isinstance(repository, Path):
            repository = await Repository.find(repository)
        self._ground = ground = await self._prepare(repository)
        self._kind = await self._choose_kind(ground)
        try:
            made = await collect(range(self._asked), self._make, limit=self._asked)
        except ExceptionGroup as group:
            raise NoSlots(list(group.exceptions)) from group
        self._free.extend(made.values)
        causes = [str(outcome.error) for outcome in made.outcomes if outcome.status is Status.FAILED]
        if causes:
            self._warn(f"only {len(self._free)} of {self._asked} slots could be created: {causes[0]}")
        self._closed = False

    async def _prepare(self, repository: Repository) -> Ground:
        """The pool's directory with the base in it."""
        await repository.head()
        place = await self._choose_place(repository)
        await anyio.to_thread.run_sync(sweep, place)
        self._directory = directory = await anyio.to_thread.run_sync(claim, place, repository.root)
        shadow = await Shadow.beside(repository, directory / "base.git")
        base = await shadow.snapshot(repository)
        for warning in base.warnings:
            self._warn(warning)
        index, pristine = directory / "base.index", directory / _PRISTINE
        await shadow.write_index(base.commit, index)
        for folder in (pristine, directory / "slots"):
            folder.mkdir()
        await shadow.check_out(index, pristine)
        entries = await shadow.files(base.commit)
        folders = {folder for entry in entries for folder in parents(entry.path)}
        return Ground(
            directory=directory,
            repository=repository,
            shadow=shadow,
            base=base,
            index=index,
            entries=entries,
            pristine=pristine,
            bytecode=await compile_tree(self._python, pristine) if self._python is not None else (),
            size=self._asked,
            files=frozenset(entry.path for entry in entries if not entry.is_submodule),
            folders=frozenset(folders | {entry.path for entry in entries if entry.is_submodule}),
        )

    async def _choose_place(self, repository: Repository) -> Path:
        if self._place is None:
            size = await repository.size()
            return await anyio.to_thread.run_sync(lambda: choose_place(size * (self._asked + 2)).path)
        return await anyio.to_thread.run_sync(_outside, self._place, repository.root)

    async def _choose_kind(self, ground: Ground) -> Kind:
        if self._forced is SlotKind.WORKTREE:
            return await WorktreeKind.open(ground)
        try:
            return await OverlayKind.open(ground)
        except SlotsUnavailable as error:
            if self._forced is SlotKind.OVERLAY:
                raise
            _log.info("worktrees are used: %s", error.message)
            return await WorktreeKind.open(ground)

    def _warn(self, message: str) -> None:
        _log.warning(message)
        self.warnings.append(message)

    async def _close(self) -> None:
        self._closed = True
        self._turn_away(PoolClosed())
        with anyio.CancelScope(shield=True):
            if self._restoring:
                await self._restored_all.wait()
            for slot in (*self._free, *self._leased):
                await slot.tree.close()
            self._free.clear()
            self._leased.clear()
            if self._kind is not None:
                await self._kind.close()
            if self._directory is not None:
                await self._remove(self._directory)

    async def _remove(self, directory: Path) -> None:
        try:
            await anyio.to_thread.run_sync(remove, directory)
        except OSError as error:
            self._warn(f"{directory} could not be removed: {error}")


def _outside(place: Path, repository: Path) -> Path:
    place = place.resolve()
    if place.is_relative_to(repository.resolve()):
        raise UsageError(
            f"slots cannot be made in {place}: it is inside the repository",
            hint="choose a directory outside of it, or leave slots-directory out",
        )
    return place
