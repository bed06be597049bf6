"""Handing a change over to the user: the only two doors through which anything gets into the user's repository (W5).

    apply     into the working tree, and nothing else: not the index, not HEAD
    branch    onto a new branch on top of HEAD, and nothing else: not the working tree

Both bring the change together with what its files have become since the base, file by file (see
`bakeoff.candidates.merging`), and write only when all of it fits.

    plan ──▶ prepare: new contents beside their places, originals linked beside theirs ──▶ enact: one rename each
                                                                          └─ a failure ──▶ put back, last first

A rename is whole or not at all, so that no file is ever half written. Whoever is killed between two renames leaves some
files changed and some not, and names that begin with `.bakeoff-` beside them; the same command again finishes the rest
and takes those away.
"""

from __future__ import annotations

import errno
import itertools
import os
import stat
import tempfile
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import anyio
import anyio.to_thread

from bakeoff.candidates import Clash, File, Mode, merge, parents
from bakeoff.errors import ApplyConflict, ChangeError, PathRefused, RepositoryError, TreeUnwritable
from bakeoff.git import Draft, Shadow
from bakeoff.owners import Owner
from bakeoff.removal import remove
from bakeoff.workspaces.files import Root

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from bakeoff.candidates import Change, Edit, Reader
    from bakeoff.git import Repository

__all__ = ["Applied", "Branched", "Commit", "apply", "branch", "branch_of"]

_MARK = ".bakeoff-"
_NEW_FILE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


@dataclass(frozen=True, slots=True, kw_only=True)
class Applied:
    """What became of the paths of a change, each in one of these, sorted."""

    written: tuple[str, ...] = ()
    merged: tuple[str, ...] = ()
    already: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Branched:
    """A branch that was made, and how the change fitted the files of HEAD."""

    name: str
    commit: str
    applied: Applied


async def apply(repository: Repository, change: Change, *, base: Reader) -> Applied:
    """Write a change into the user's working tree, all of it or nothing.

    `base` gives the files as they were when the change was made. A file that still is as it was there is replaced, one
    that is not is merged, line endings and modes are kept, and applying twice is the same as once. Neither the index
    nor anything else of git is touched.

    Raises DoesNotApply where the base is not that of the change; PathRefused for a path that is reached through a link
    or belongs to another repository; ApplyConflict with every file that does not fit; TreeUnwritable where the files
    cannot be written. In all of these cases the tree is as it was.
    """
    return await anyio.to_thread.run_sync(_apply, repository.root, change, base, "the working tree")


@dataclass(frozen=True, slots=True, kw_only=True)
class Commit:
    """A commit to be made: a change, the files as they were before it, and its message."""

    change: Change
    base: Reader
    message: str


async def branch(repository: Repository, name: str, change: Change, *, base: Reader, message: str) -> Branched:
    """Commit a change on a new branch on top of HEAD, in the user's name, and touch nothing else.

    No hook runs and nothing is signed. Raises BranchExists, BranchMisnamed, NoIdentity, and what `apply` raises, with
    HEAD in the place of the working tree; then there is no branch.
    """
    return await branch_of(repository, name, [Commit(change=change, base=base, message=message)])


async def branch_of(repository: Repository, name: str, commits: Sequence[Commit]) -> Branched:
    """As `branch`, with several commits, each a change to what the one before it made; one that HEAD has already is
    left out."""
    paths = tuple(dict.fromkeys(path for commit in commits for path in commit.change.paths))
    with _scratch() as directory:
        draft = begun = await Draft.begin(repository, name, directory)
        filtered = await repository.filtered(paths)
        if filtered:
            path, by = next(iter(filtered.items()))
            raise ChangeError(
                f"{path!r} is kept in the repository by the filter {by!r}, which is not run here",
                hint="apply the change to the working tree, and commit it there",
            )
        await _check_out(draft, paths)
        applied: list[Applied] = []
        for commit in commits:
            change = commit.change
            applied.append(await anyio.to_thread.run_sync(_apply, draft.tree, change, commit.base, "HEAD"))
            removed = [edit.path for edit in change.edits if edit.after is None]
            added = [edit.path for edit in change.edits if edit.after is not None]
            draft = await draft.commit(commit.message, added=added, removed=removed)
        if draft.parent == begun.parent:
            raise RepositoryError("HEAD has this change already", hint="there is nothing to make a branch of")
        return Branched(name=name, commit=await draft.make_branch(name), applied=_all(applied))


def _all(applied: Sequence[Applied]) -> Applied:
    """What became of each path in the end: the most that was done with it."""
    merged = {path for one in applied for path in one.merged}
    written = {path for one in applied for path in one.written} - merged
    already = {path for one in applied for path in one.already} - merged - written
    return Applied(written=tuple(sorted(written)), merged=tuple(sorted(merged)), already=tuple(sorted(already)))


async def _check_out(draft: Draft, paths: Iterable[str]) -> None:
    """Put the files of HEAD that changes have to do with into the draft, as slots have them."""
    shadow = await Shadow.beside(draft.repository, draft.directory / "shadow.git")
    named = set(paths)
    leading = named | {folder for path in named for folder in parents(path)}
    entries = [
        entry
        for entry in await shadow.files(draft.parent)
        if entry.path in leading or not named.isdisjoint(parents(entry.path))
    ]
    for entry in entries:
        if entry.is_submodule:
            raise PathRefused(entry.path, "it is a submodule")
    index = draft.directory / "shadow.index"
    await shadow.write_index(draft.parent, index)
    await shadow.check_out(index, draft.tree, [entry.path for entry in entries])


@contextmanager
def _scratch() -> Iterator[Path]:
    directory = Path(tempfile.mkdtemp(prefix="bakeoff-"))
    try:
        yield directory
    finally:
        remove(directory)


# Planning


@dataclass(frozen=True, slots=True, kw_only=True)
class _Step:
    """What is to be done with one path. `found` is the file that was there when it was planned, `beside` the folder in
    which its new content waits and its original is kept."""

    path: str
    found: os.stat_result | None
    before: File | None
    after: File | None
    beside: str


def _apply(root: Path, change: Change, base: Reader, onto: str) -> Applied:
    change.check(base=base)
    with Root(root, forced=False) as tree:
        plan = _Plan(tree, change, base)
        if plan.conflicts:
            raise ApplyConflict(dict(sorted(plan.conflicts.items())), onto=onto)
        _Writing(tree, plan.steps).carry_out()
        _sweep(tree, {"", *(folder for path in change.paths for folder in parents(path))})
    touched = {step.path for step in plan.steps}
    return Applied(
        written=tuple(path for path in change.paths if path in touched - plan.merged),
        merged=tuple(path for path in change.paths if path in touched & plan.merged),
        already=tuple(path for path in change.paths if path not in touched),
    )


class _Plan:
    """What has to be done so that a tree has a change, and why it cannot be."""

    def __init__(self, tree: Root, change: Change, base: Reader) -> None:
        self._tree = tree
        self._leaving = {edit.path for edit in change.edits if edit.after is None}
        self.steps: list[_Step] = []
        self.merged: set[str] = set()
        self.conflicts: dict[str, str] = {}
        for edit in change.edits:
            try:
                self._add(edit, base(edit.path))
            except OSError as error:
                raise TreeUnwritable(edit.path, _why(error)) from error

    def _add(self, edit: Edit, base: File | None) -> None:
        path = edit.path
        obstacle = self._obstacle(path) or self._other_kind(path)
        if obstacle is not None:
            self.conflicts[path] = obstacle
            return
        # First how it is, then what is in it: whoever edits it in between is noticed when it is to be written.
        found = self._tree.status(path)
        before = self._tree.read(path)
        found = None if before is None else found
        after = merge(base=base, ours=before, theirs=edit.after)
        if isinstance(after, Clash):
            self.conflicts[path] = str(after)
            return
        if after != before:
            if after != edit.after:
                self.merged.add(path)
            self.steps.append(_Step(path=path, found=found, before=before, after=after, beside=self._beside(path)))

    def _obstacle(self, path: str) -> str | None:
        """What stands on the way to a path. A link, and a repository of its own, are refused outright."""
        for folder in parents(path):
            found = self._tree.kind(folder)
            if found is None:
                return None
            if stat.S_ISLNK(found):
                raise PathRefused(path, f"{folder!r} is a symbolic link")
            if not stat.S_ISDIR(found):
                return None if self._leaving & {folder, path} else f"{folder} is a file"
            if self._tree.kind(f"{folder}/.git") is not None:
                raise PathRefused(path, f"{folder!r} is a repository of its own")
        return None

    def _other_kind(self, path: str) -> str | None:
        found = self._tree.kind(path)
        if found is None or stat.S_ISREG(found) or stat.S_ISLNK(found):
            return None
        if not stat.S_ISDIR(found):
            return "it is neither a file nor a link"
        if path in self._leaving or _is_emptied(self._tree, path, self._leaving):
            return None  # the file is gone already, or the folder will be
        return "it is a folder, with other files in it"

    def _beside(self, path: str) -> str:
        """The nearest folder above that is there, and stays: deleting a file takes the folders that it leaves empty."""
        for folder in reversed(parents(path)):
            found = self._tree.kind(folder)
            if found is not None and stat.S_ISDIR(found) and not _is_emptied(self._tree, folder, self._leaving):
                return folder
        return ""


def _is_emptied(tree: Root, folder: str, leaving: set[str]) -> bool:
    """Whether the change removes all that is in a folder."""
    for name, is_folder in tree.names(folder).items():
        path = f"{folder}/{name}"
        if not (_is_emptied(tree, path, leaving) if is_folder else path in leaving):
            return False
    return True


# Writing


@dataclass(slots=True)
class _Writing:
    """Carries steps out, and takes them back when one of them fails."""

    tree: Root
    steps: list[_Step]
    _label: str = field(default_factory=lambda: f"{_MARK}{Owner.current().label}-{os.urandom(4).hex()}")
    _numbers: Iterator[int] = field(default_factory=itertools.count)
    _new: dict[str, str] = field(default_factory=dict)
    _kept: dict[str, str] = field(default_factory=dict)
    _undo: list[tuple[str, Callable[[], None]]] = field(default_factory=list)
    _at: str = ""

    def carry_out(self) -> None:
        try:
            self._prepare()
            self._enact()
        except BaseException as error:
            left = self._put_back()
            self._clear(but=left)
            if isinstance(error, OSError) or left:
                raise TreeUnwritable(self._at, _why(error), left=left) from error
            raise
        self._clear()

    def _prepare(self) -> None:
        for step in self.steps:
            self._at = step.path
            if step.found is not None:
                self._keep(step)
            if step.after is not None:
                self._write(step, step.after)

    def _keep(self, step: _Step) -> None:
        """The original under a second name; a copy of it where the file system has no such thing."""
        kept = self._name(step)
        with self.tree.at(step.path) as (folder, name), self.tree.at(kept) as (other, other_name):
            try:
                os.link(name, other_name, src_dir_fd=folder, dst_dir_fd=other, follow_symlinks=False)
            except OSError:
                assert step.before is not None
                _create(other, other_name, step.before, bits=_bits(step))
        self._kept[step.path] = kept

    def _write(self, step: _Step, after: File) -> None:
        new = self._name(step)
        self._new[step.path] = new
        with self.tree.at(new) as (folder, name):
            _create(folder, name, after, bits=_bits(step))

    def _name(self, step: _Step) -> str:
        name = f"{self._label}-{next(self._numbers)}"
        return f"{step.beside}/{name}" if step.beside else name

    def _enact(self) -> None:
        # What is deleted makes way first, from below.
        for step in sorted(self.steps, key=lambda step: step.path, reverse=True):
            if step.after is None:
                self._delete(step)
        for step in self.steps:
            if step.after is not None:
                self._replace(step)
        for folder in {step.beside for step in self.steps} | {step.path.rpartition("/")[0] for step in self.steps}:
            self._sync(folder)

    def _delete(self, step: _Step) -> None:
        self._at = step.path
        self._check_unchanged(step)
        with self.tree.at(step.path) as (folder, name):
            os.unlink(name, dir_fd=folder)
        self._undo.append((step.path, partial(self._restore, step)))
        self._prune(step.path)

    def _prune(self, path: str) -> None:
        """Remove the folders that are empty now, as git does."""
        for above in reversed(parents(path)):
            mode = self.tree.kind(above)
            with self.tree.at(above) as (folder, name):
                try:
                    os.rmdir(name, dir_fd=folder)
                except OSError as error:
                    if error.errno in {errno.ENOTEMPTY, errno.EEXIST, errno.EBUSY, errno.EACCES, errno.EPERM}:
                        return
                    raise
            self._undo.append((above, partial(self._make, above, mode)))

    def _replace(self, step: _Step) -> None:
        self._at = step.path
        for folder in parents(step.path):
            if self.tree.kind(folder) is None:
                self._make(folder, None)
                self._undo.append((folder, partial(self._remove_folder, folder)))
        self._check_unchanged(step)
        self._move(self._new[step.path], step.path)
        del self._new[step.path]
        self._undo.append((step.path, partial(self._restore, step)))

    def _check_unchanged(self, step: _Step) -> None:
        """Nobody has edited the file since it was read."""
        if _identity(self.tree.status(step.path)) != _identity(step.found):
            raise ApplyConflict({step.path: "somebody is just editing it"}, onto="the working tree")

    # Taking back

    def _put_back(self) -> tuple[str, ...]:
        """Undo what was done, last first; gives the originals of what could not be put back."""
        left = []
        for path, undo in reversed(self._undo):
            try:
                undo()
            except OSError:
                left.append(self._kept.get(path, path))
        return tuple(left)

    def _restore(self, step: _Step) -> None:
        if step.found is None:
            with self.tree.at(step.path) as (folder, name):
                os.unlink(name, dir_fd=folder)
        else:
            self._move(self._kept[step.path], step.path)
            del self._kept[step.path]

    def _move(self, source: str, target: str) -> None:
        with self.tree.at(source) as (folder, name), self.tree.at(target) as (other, other_name):
            os.rename(name, other_name, src_dir_fd=folder, dst_dir_fd=other)

    def _make(self, path: str, mode: int | None) -> None:
        with self.tree.at(path) as (folder, name):
            os.mkdir(name, dir_fd=folder)
            if mode is not None:
                os.chmod(name, stat.S_IMODE(mode), dir_fd=folder)

    def _remove_folder(self, path: str) -> None:
        with self.tree.at(path) as (folder, name):
            os.rmdir(name, dir_fd=folder)

    def _sync(self, path: str) -> None:
        with suppress(FileNotFoundError, NotADirectoryError), self.tree.at(f"{path}/." if path else ".") as (folder, _):
            try:
                os.fsync(folder)
            except OSError as error:
                if error.errno != errno.EINVAL:  # some file systems keep folders in order by themselves
                    raise

    def _clear(self, *, but: Iterable[str] = ()) -> None:
        for path in {*self._new.values(), *self._kept.values()} - set(but):
            with suppress(OSError), self.tree.at(path) as (folder, name):
                os.unlink(name, dir_fd=folder)


def _create(folder: int, name: str, file: File, *, bits: int | None) -> None:
    """Make a file that is on the disk when this returns."""
    if file.mode is Mode.LINK:
        os.symlink(os.fsdecode(file.content), name, dir_fd=folder)
        return
    usual = 0o777 if file.mode is Mode.EXECUTABLE else 0o666
    with os.fdopen(os.open(name, _NEW_FILE, usual, dir_fd=folder), "wb") as written:
        if bits is not None:
            os.fchmod(written.fileno(), _adapted(bits, file.mode))
        written.write(file.content)
        written.flush()
        os.fsync(written.fileno())


def _bits(step: _Step) -> int | None:
    """The permissions of the file that was there."""
    if step.found is None or not stat.S_ISREG(step.found.st_mode):
        return None
    return step.found.st_mode & 0o777


def _adapted(bits: int, mode: Mode) -> int:
    """Permissions made to fit a mode: who may read a script may then run it."""
    if mode is not Mode.EXECUTABLE:
        return bits & ~0o111
    return bits if bits & stat.S_IXUSR else bits | (bits & 0o444) >> 2


def _identity(found: os.stat_result | None) -> tuple[int, ...] | None:
    # Not the change time: keeping the original under a second name renews it.
    return None if found is None else (found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_mode)


def _sweep(tree: Root, folders: Iterable[str]) -> None:
    """Take away what one of us that was killed left in these."""
    for place in folders:
        with suppress(OSError), tree.at(f"{place}/." if place else ".") as (folder, _):
            for name in os.listdir(folder):
                if _is_forgotten(name):
                    os.unlink(name, dir_fd=folder)


def _is_forgotten(name: str) -> bool:
    owner = Owner.named(name.removeprefix(_MARK).rsplit("-", 2)[0]) if name.startswith(_MARK) else None
    return owner is not None and not owner.lives()


def _why(error: BaseException) -> str:
    return error.strerror or str(error) if isinstance(error, OSError) else str(error)
