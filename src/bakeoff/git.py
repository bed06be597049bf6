"""The only place that runs git.

Two kinds of repository meet here:

    Repository   the user's. Read, and written by `Draft` alone: objects we need to make go elsewhere, the index is
                 worked on as a copy, hooks and fsmonitor stay off, optional locks are not taken.
    Shadow       ours, private to one pool. It borrows the user's objects (alternates) and holds our own: the
                 snapshot of a dirty tree, the contents of submodules, plain contents of filtered files.

    user's objects ◀──alternates── shadow (base commit) ──check_out / add_worktree──▶ slots

So whatever a candidate does with git inside its slot, and whenever we are killed, the user's repository holds
nothing of ours: no worktree record, no ref, no object. Only who asks for a branch gets one: a `Draft` is a commit in
the making, on an index and in a folder of its own, and nothing refers to its objects before the branch does.

git runs with an environment that no setting can break: `GIT_*` cleared, locale fixed, no pager, no prompt, no
hooks. In a shadow not even the user's configuration is read; what a file looks like there depends on the tree
and its own .gitattributes alone.
"""

from __future__ import annotations

import difflib
import os
import re
import shutil
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import anyio
import anyio.to_thread

from bakeoff.errors import (
    BareRepository,
    BranchExists,
    BranchMisnamed,
    GitFailed,
    GitMissing,
    NoCommit,
    NoIdentity,
    NotARepository,
    RepositoryError,
    UnknownRef,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

__all__ = ["Base", "Blob", "Draft", "Entry", "Meaning", "Merge", "Moved", "Repository", "Shadow", "version"]

OLDEST = (2, 38)
_USAGE = 129  # what git ends with where it does not know an option
_LFS_POINTER = b"version https://git-lfs.github.com/spec/"

# Settings of the user that would run something, write something or change what we read.
_QUIET = {
    "core.fsmonitor": "false",
    "core.hooksPath": "/dev/null",
    "core.splitIndex": "false",
    "core.untrackedCache": "false",
    "core.quotePath": "false",
    "core.pager": "cat",
    "gc.auto": "0",
    "maintenance.auto": "false",
    "submodule.recurse": "false",
    "advice.addEmbeddedRepo": "false",
    "advice.detachedHead": "false",
    "protocol.allow": "never",
}
# Settings of the user that would have a commit say less, or other things, than what it is made from.
_COMMITTING = {
    "core.fileMode": "true",
    "core.symlinks": "true",
    "core.safecrlf": "false",
    "i18n.commitEncoding": "utf-8",
    "user.useConfigOnly": "true",
}
_ADD = ("add", "--force", "--sparse")
_IDENTITY = frozenset(f"GIT_{role}_{part}" for role in ("AUTHOR", "COMMITTER") for part in ("NAME", "EMAIL"))
_SHADOW_CONFIG = """\
[core]
\trepositoryformatversion = {format_version}
\tbare = true
\tfilemode = true
\tsymlinks = true
\tautocrlf = false
\tattributesFile = /dev/null
\texcludesFile = /dev/null
\tlogAllRefUpdates = false
[checkout]
\tworkers = 0
{extensions}"""


async def version() -> str:
    """The installed git's version; raises GitMissing where it is absent or too old."""
    needed = ".".join(map(str, OLDEST))
    try:
        words = (await _git(["version"], cwd=Path("/"))).decode()
    except FileNotFoundError:
        raise GitMissing(found=None, needed=needed) from None
    found = re.search(r"\d+(?:\.\d+)+", words)
    if found is None or tuple(int(part) for part in found[0].split(".")[:2]) < OLDEST:
        raise GitMissing(found=found[0] if found else words.strip(), needed=needed)
    return found[0]


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One file of a tree."""

    path: str
    mode: str
    size: int

    @property
    def is_submodule(self) -> bool:
        """Whether it is only the link to a submodule that is not checked out: an empty folder."""
        return self.mode == "160000"


@dataclass(frozen=True, slots=True, kw_only=True)
class Base:
    """What slots are checked out at: the user's tree as it was when the snapshot was taken.

    `commit` is HEAD itself where the tree is clean; otherwise a commit of our own whose parent is HEAD. Contents
    of submodules are part of it as plain files, and `submodules` names their folders, which no change may enter.
    `warnings` says in the user's words what could not be included.
    """

    commit: str
    head: str
    dirty: bool
    submodules: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Meaning:
    """The change that a ref stands for: from the files of one tree to those of another.

    `untracked` is a tree of files that are added besides, as a stash entry may have them; `is_unrelated` where nothing
    is known that the ref and HEAD both come from.
    """

    commit: str
    before: str
    after: str
    untracked: str | None = None
    is_unrelated: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Moved:
    """One file that differs between two trees. One of the paths is None for a file that is added or deleted; both are
    the same but for a rename."""

    old: str | None
    new: str | None
    is_submodule: bool = False

    @property
    def path(self) -> str:
        """Where it is, or was."""
        return self.new or self.old or ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Blob:
    """A file of a tree: its mode as git writes it, and what is in it."""

    mode: str
    content: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Merge:
    """What a merge of two commits comes to: its tree, and the paths in conflict, which that tree has with marks."""

    tree: str
    conflicts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Repository:
    """The user's repository."""

    root: Path
    git_directory: Path
    common_directory: Path
    objects: Path
    object_format: str

    @classmethod
    async def find(cls, path: Path) -> Repository:
        """The repository whose working tree holds `path`, which may be a folder below its root or a file."""
        await version()
        start = await anyio.to_thread.run_sync(_folder_of, path)
        root, git_directory, common, objects, object_format = await _locate(start)
        return cls(
            root=Path(root),
            git_directory=Path(git_directory),
            common_directory=start / common,
            objects=start / objects,
            object_format=object_format,
        )

    @classmethod
    async def begin(cls, folder: Path, *, message: str) -> Repository:
        """Make a repository of a folder that is none yet, with one commit of all that is in it, in our own name."""
        await version()
        settings = {"user.name": "bakeoff", "user.email": "bakeoff@localhost", "commit.gpgsign": "false"}
        for arguments in (
            ["init", "--quiet", "--initial-branch=main", "--template="],
            ["add", "--all"],
            ["commit", "--quiet", "--no-verify", "--message", message],
        ):
            await _git(arguments, cwd=folder, settings=settings)
        return await cls.find(folder)

    async def head(self) -> str:
        """The commit that is checked out."""
        found = await _read(self, ["rev-parse", "--verify", "--quiet", "HEAD^{commit}"], allow=(0, 1))
        if not found.strip():
            raise NoCommit(self.root)
        return found.decode().strip()

    async def size(self) -> int:
        """How many bytes the files of the working tree have, ignored ones left out."""
        paths = [self.root / name for name in await self.files(["."])]
        return await anyio.to_thread.run_sync(lambda: sum(map(_size_of, paths)))

    async def files(self, paths: Iterable[str]) -> list[str]:
        """What git tracks, or would add, at these paths and below them, by path; some of it may not be there. A
        submodule counts as one."""
        arguments = ["ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", *paths]
        listing = await _read(self, arguments, extra={"GIT_LITERAL_PATHSPECS": "1"})
        # Untracked repositories are listed as folders, and what is in conflict more than once.
        return sorted({os.fsdecode(name).removesuffix("/") for name in listing.split(b"\0")[:-1]})

    async def meaning(self, ref: str, *, head: str) -> Meaning:
        """What a branch, commit, tag or stash entry stands for, to somebody who is at `head`.

        What has been done there since it parted from `head`; for an ancestor of `head`, the way back to it; where the
        two have nothing in common, all that differs. For a stash entry, what was stashed.
        """
        commit = await self._commit_of(ref)
        if commit in await self._stashes():
            first, _, *third = (await self._words("rev-parse", f"{commit}^@")).split()
            return Meaning(commit=commit, before=first, after=commit, untracked=third[0] if third else None)
        common = (await self._words("merge-base", head, commit, allow=(0, 1))).split()
        before = head if commit in common or not common else common[0]
        return Meaning(commit=commit, before=before, after=commit, is_unrelated=not common)

    async def ignored(self, paths: Iterable[str], *, tree: Path) -> set[str]:
        """Which of these paths git would not add: by the .gitignore files of a tree, and by what the user's own
        settings say for this repository. A path counts as a folder where the tree has a folder there."""
        # With a point before it, no name is taken for one of git's own signs.
        names = {b"./" + os.fsencode(path): path for path in paths}
        if not names:
            return set()
        listing = await _read(
            self,
            ["check-ignore", "--no-index", "-z", "--stdin"],
            extra={"GIT_DIR": str(self.git_directory), "GIT_WORK_TREE": str(tree)},
            stdin=b"\0".join(names) + b"\0",
            cwd=tree,
            allow=(0, 1),
        )
        return {names[name] for name in listing.split(b"\0")[:-1]}

    async def filtered(self, paths: Iterable[str]) -> dict[str, str]:
        """Which of these files have another content in the repository than on disk, and by which of the filters that
        the user's settings define."""
        filters = await _filters(self)
        names = _terminated(paths)
        if not filters or not names:
            return {}
        return _filtered(await _read(self, ["check-attr", "-z", "--stdin", "filter"], stdin=names), filters)

    async def _commit_of(self, ref: str) -> str:
        if not ref or ref.startswith("-") or "\0" in ref:
            raise UnknownRef(ref)
        found = await self._words("rev-parse", "--verify", "--quiet", f"{ref}^{{commit}}", allow=(0, 1, 128))
        if not re.fullmatch("[0-9a-f]+", found):  # a range is more than one
            known = await self._words(
                "for-each-ref", "--format=%(refname:short)", "refs/heads", "refs/tags", "refs/remotes"
            )
            names = [*known.split(), *(f"stash@{{{number}}}" for number in range(len(await self._stashes())))]
            raise UnknownRef(ref, similar=difflib.get_close_matches(ref, names, n=3))
        return found

    async def _stashes(self) -> list[str]:
        """The commits of the stash, newest first."""
        return (await self._words("rev-list", "--walk-reflogs", "refs/stash", "--", allow=(0, 128))).split()

    async def _words(self, *arguments: str, allow: tuple[int, ...] = (0,)) -> str:
        return (await _read(self, arguments, allow=allow)).decode(errors="surrogateescape").strip()


@dataclass(frozen=True, slots=True, kw_only=True)
class Shadow:
    """A private bare repository that borrows objects from others."""

    directory: Path

    @classmethod
    async def create(cls, directory: Path, *, object_format: str, lenders: Iterable[Path], shallow: Path) -> Shadow:
        """Make one at a path that does not exist yet; `lenders` are object directories to borrow from."""
        shadow = cls(directory=directory)
        await anyio.to_thread.run_sync(shadow._lay_out, object_format, tuple(lenders), shallow)
        return shadow

    @classmethod
    async def beside(cls, repository: Repository, directory: Path) -> Shadow:
        """One that borrows from the user's repository."""
        return await cls.create(
            directory,
            object_format=repository.object_format,
            lenders=[repository.objects],
            shallow=repository.common_directory / "shallow",
        )

    async def snapshot(self, repository: Repository) -> Base:
        """The user's tree as it is now: tracked and untracked files that are not ignored, submodules included."""
        head = await repository.head()
        snapshot = await _Snapshot.take(self, repository)
        head_tree = (await self._run(["rev-parse", f"{head}^{{tree}}"])).decode().strip()
        commit = head if snapshot.tree == head_tree else await self.commit(snapshot.tree, head)
        return Base(
            commit=commit,
            head=head,
            dirty=snapshot.own_tree != head_tree,
            submodules=snapshot.submodules,
            warnings=snapshot.warnings,
        )

    async def files(self, commit: str) -> list[Entry]:
        """Every file of a commit, sorted by path."""
        return _entries(await self._run(["ls-tree", "-r", "-l", "-z", commit]))

    async def write_index(self, commit: str, index: Path) -> None:
        """An index file for `check_out` that holds all files of a commit."""
        await self._run(["read-tree", commit], extra={"GIT_INDEX_FILE": str(index)})

    async def check_out(self, index: Path, into: Path, paths: Iterable[str] | None = None) -> None:
        """Write files of the index into a folder, over whatever is there: the given paths, or all of them."""
        extra = {"GIT_INDEX_FILE": str(index), "GIT_WORK_TREE": str(into)}
        if paths is None:
            await self._run(["checkout-index", "--all", "--force", "--quiet"], extra=extra, cwd=into)
            return
        stdin = _terminated(paths)
        await self._run(["checkout-index", "--force", "-z", "--stdin"], extra=extra, stdin=stdin, cwd=into)

    async def moves(self, before: str, after: str) -> list[Moved]:
        """The files that differ between two trees, sorted by path."""
        listing = await self._run(["diff-tree", "-r", "-z", "--raw", "--no-abbrev", "--find-renames", before, after])
        return sorted(_moves(listing), key=lambda moved: moved.path)

    async def add_worktree(self, path: Path, commit: str) -> None:
        """A detached worktree of this repository. Not for several of one repository at once: git reads the records
        of the others, and fails on one that is half written."""
        await self._run(["worktree", "add", "--quiet", "--detach", str(path), commit])

    async def commits(self, parent: str, changes: Iterable[Mapping[str, Blob | None]]) -> list[str]:
        """A commit for each of these changes, all on top of `parent`, made without an index or a working tree. A change
        names files by their paths, with what becomes of them; None deletes."""
        listed = list(changes)
        if not listed:
            return []
        when = await self._when(parent)
        stream = b"".join(_imported(number, parent, when, change) for number, change in enumerate(listed, start=1))
        # The ref that these commits are made on is of no use, but there has to be one.
        made = await self._run(
            ["fast-import", "--quiet", "--force", "--date-format=raw", "--done"], stdin=stream + b"done\n"
        )
        return made.decode().split()

    async def merges(self, pairs: Sequence[tuple[str, str]], *, attributes: Path | None = None) -> list[Merge]:
        """What comes of merging each of these pairs of commits; nothing is checked out, and nothing but objects is
        written. What they have in common is what git finds: for two that were made on one commit, that commit.

        In the folder `attributes` lie the files that say how to merge which file (`.gitattributes`).
        """
        if not pairs:
            return []
        extra = {} if attributes is None else {"GIT_WORK_TREE": str(attributes)}
        merge = ["merge-tree", "--write-tree", "--name-only", "--no-messages"]
        stdin = "".join(f"{ours} {theirs}\n" for ours, theirs in pairs).encode()
        try:
            told = await self._run([*merge, "--stdin"], extra=extra, stdin=stdin, cwd=attributes)
        except GitFailed as error:
            if error.status != _USAGE:
                raise
        else:
            return list(_merges(told))
        # Before git 2.39, one at a time.
        found = []
        for ours, theirs in pairs:
            tree, *paths = (
                await self._run([*merge, "-z", ours, theirs], extra=extra, cwd=attributes, allow=(0, 1))
            ).split(b"\0")[:-1]
            found.append(Merge(tree=tree.decode(), conflicts=_in_conflict(paths)))
        return found

    async def contents(self, before: str, after: str) -> dict[str, Blob | None]:
        """What becomes of the files that differ between two trees, by path; submodules are left out."""
        listing = await self._run(["diff-tree", "-r", "-z", "--raw", "--no-abbrev", "--no-renames", before, after])
        words = iter(listing.split(b"\0")[:-1])
        found: dict[str, tuple[str, bytes] | None] = {}
        for line in words:
            old_mode, mode, _, blob, _ = line.removeprefix(b":").split(b" ")
            path = os.fsdecode(next(words))
            if b"160000" not in (old_mode, mode):
                found[path] = None if mode == b"000000" else (mode.decode(), blob)
        blobs = [blob for _, blob in filter(None, found.values())]
        stdin = b"".join(blob + b"\n" for blob in blobs)
        held = _batch(await self._run(["cat-file", "--batch", "--buffer"], stdin=stdin)) if blobs else {}
        return {path: None if one is None else Blob(mode=one[0], content=held[one[1]]) for path, one in found.items()}

    async def _when(self, commit: str) -> str:
        """When a commit was made, for others to have the same time."""
        return (await self._run(["show", "--no-patch", "--format=%ct +0000", commit])).decode().strip()

    async def commit(self, tree: str, parent: str) -> str:
        """A commit whose id depends on its content alone: its time is that of the parent."""
        when = await self._when(parent)
        who = {"NAME": "bakeoff", "EMAIL": "bakeoff@localhost", "DATE": when}
        extra = {f"GIT_{role}_{name}": value for role in ("AUTHOR", "COMMITTER") for name, value in who.items()}
        made = await self._run(["commit-tree", tree, "-p", parent, "-m", "working tree"], extra=extra)
        return made.decode().strip()

    def _lay_out(self, object_format: str, lenders: tuple[Path, ...], shallow: Path) -> None:
        # Written by hand: `git init` would take templates and defaults from the user's settings.
        (self.directory / "objects" / "info").mkdir(parents=True)
        (self.directory / "objects" / "pack").mkdir()
        (self.directory / "refs" / "heads").mkdir(parents=True)
        (self.directory / "HEAD").write_text("ref: refs/heads/base\n")
        sha1 = object_format == "sha1"
        config = _SHADOW_CONFIG.format(
            format_version=0 if sha1 else 1,
            extensions="" if sha1 else f"[extensions]\n\tobjectFormat = {object_format}\n",
        )
        (self.directory / "config").write_text(config)
        if shallow.exists():
            shutil.copyfile(shallow, self.directory / "shallow")
        self.lend(*lenders)

    def lend(self, *lenders: Path) -> None:
        """Borrow from more object directories."""
        with (self.directory / "objects" / "info" / "alternates").open("a") as alternates:
            alternates.writelines(f"{_quoted(lender)}\n" for lender in lenders)

    async def _run(
        self,
        arguments: Sequence[str],
        *,
        extra: Mapping[str, str] | None = None,
        stdin: bytes | None = None,
        cwd: Path | None = None,
        allow: tuple[int, ...] = (0,),
    ) -> bytes:
        own = {
            "GIT_DIR": str(self.directory),
            "GIT_CONFIG_GLOBAL": "/dev/null",
            "GIT_CONFIG_SYSTEM": "/dev/null",
            "GIT_ATTR_NOSYSTEM": "1",
        }
        return await _git(
            arguments,
            cwd=cwd or self.directory,
            extra=own | dict(extra or {}),
            settings=_QUIET,
            stdin=stdin,
            allow=allow,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Snapshot:
    """The tree of a repository's working tree, written into a shadow.

    `own_tree` is the tree before contents of submodules and filtered files were put in.
    """

    tree: str
    own_tree: str
    submodules: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()

    @classmethod
    async def take(cls, shadow: Shadow, repository: Repository) -> _Snapshot:
        index = shadow.directory / f"index-{os.urandom(8).hex()}"
        if (repository.git_directory / "index").exists():
            # With its time: git compares it with the files' to find edits that happened within one clock tick.
            await anyio.to_thread.run_sync(shutil.copy2, repository.git_directory / "index", index)
        taker = _Taker(shadow=shadow, repository=repository, index=index)
        try:
            return await taker.take()
        finally:
            index.unlink(missing_ok=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Taker:
    """Takes one snapshot, on a copy of the index and with new objects going to the shadow."""

    shadow: Shadow
    repository: Repository
    index: Path

    async def take(self) -> _Snapshot:
        filters = await _filters(self.repository)
        off = {
            f"filter.{name}.{what}": value
            for name in filters
            for what, value in (("clean", ""), ("process", ""), ("required", "false"))
        }
        await self._run(["add", "--all", "--sparse"], settings=off)
        own_tree = await self._write_tree()
        snapshot = _Snapshot(tree=own_tree, own_tree=own_tree)
        if filters:
            snapshot = await self._unfilter(snapshot, filters)
        links = await self._links()
        for link in links:
            snapshot = await self._splice(snapshot, link)
        return replace(snapshot, tree=await self._write_tree()) if filters or links else snapshot

    async def _unfilter(self, snapshot: _Snapshot, filters: set[str]) -> _Snapshot:
        """Put the contents of filtered files in as they are on disk: slots have no filters to bring them back."""
        names = await self._run(["ls-files", "-z"])
        filtered = _filtered(await self._run(["check-attr", "-z", "--stdin", "filter"], stdin=names), filters)
        present = [path for path in filtered if "\n" not in path and _is_plain(self.repository.root / path)]
        if not present:
            return snapshot
        stdin = b"".join(os.fsencode(path) + b"\n" for path in present)
        hashes = (await self._run(["hash-object", "-w", "--no-filters", "--stdin-paths"], stdin=stdin)).split()
        await self._enter(
            f"{_mode(self.repository.root / path)} {name.decode()}\t{path}"
            for path, name in zip(present, hashes, strict=True)
        )
        pointers = [path for path in present if _is_pointer(self.repository.root / path)]
        if not pointers:
            return snapshot
        warning = f"{len(pointers)} files are LFS pointers without their content ({_few(pointers)}): run git lfs pull"
        return replace(snapshot, warnings=(*snapshot.warnings, warning))

    async def _links(self) -> list[str]:
        """Folders of submodules."""
        entries = (await self._run(["ls-files", "--stage", "-z"])).split(b"\0")
        return [os.fsdecode(entry.partition(b"\t")[2]) for entry in entries if entry.startswith(b"160000 ")]

    async def _splice(self, snapshot: _Snapshot, link: str) -> _Snapshot:
        """Replace a submodule's link by its files, as they are in the user's tree."""
        folder = self.repository.root / link
        if not (folder / ".git").exists():
            warning = f"the submodule {link} is not checked out: run git submodule update --init"
            return replace(
                snapshot,
                submodules=(*snapshot.submodules, link),
                warnings=(*snapshot.warnings, warning),
            )
        inner = await Repository.find(folder)
        self.shadow.lend(inner.objects)
        files = await _Snapshot.take(self.shadow, inner)
        await self._enter([f"0 {'0' * len(files.tree)}\t{link}"])
        await self._run(["read-tree", f"--prefix={link}/", files.tree])
        return replace(
            snapshot,
            submodules=(*snapshot.submodules, link, *(f"{link}/{path}" for path in files.submodules)),
            warnings=(*snapshot.warnings, *files.warnings),
        )

    async def _enter(self, lines: Iterable[str]) -> None:
        stdin = b"".join(os.fsencode(line) + b"\0" for line in lines)
        await self._run(["update-index", "-z", "--index-info"], stdin=stdin)

    async def _write_tree(self) -> str:
        return (await self._run(["write-tree"])).decode().strip()

    async def _run(
        self,
        arguments: Sequence[str],
        *,
        settings: Mapping[str, str] | None = None,
        stdin: bytes | None = None,
        allow: tuple[int, ...] = (0,),
    ) -> bytes:
        extra = {
            "GIT_INDEX_FILE": str(self.index),
            "GIT_OBJECT_DIRECTORY": str(self.shadow.directory / "objects"),
        }
        return await _read(self.repository, arguments, extra=extra, settings=settings, stdin=stdin, allow=allow)


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A commit of the user's in the making, on top of `parent`.

    `directory` is ours; `index` in it, and the files of `tree`, are all that it is made from.
    """

    repository: Repository
    directory: Path
    parent: str

    @property
    def tree(self) -> Path:
        """Where the files to be committed lie."""
        return self.directory / "tree"

    @classmethod
    async def begin(cls, repository: Repository, name: str, directory: Path) -> Draft:
        """One for a branch of this name, on top of HEAD. What would stop it in the end is found now."""
        draft = cls(repository=repository, directory=directory, parent=await repository.head())
        await anyio.to_thread.run_sync(draft.tree.mkdir)
        await draft._check_name(name)
        await draft._check_identity()
        await draft._run(["read-tree", draft.parent])
        return draft

    async def commit(self, message: str, *, added: Iterable[str], removed: Iterable[str]) -> Draft:
        """Commit these files as they lie in `tree`, and without those, on top of `parent`; gives the draft that goes on
        from there. Where that is nothing new, there is no commit."""
        await self._run(["update-index", "--force-remove", "-z", "--stdin"], stdin=_terminated(removed))
        await self._run([*_ADD, "--pathspec-from-file=-", "--pathspec-file-nul"], stdin=_terminated(added))
        tree = (await self._run(["write-tree"])).decode().strip()
        if tree == (await self._run(["rev-parse", f"{self.parent}^{{tree}}"])).decode().strip():
            return self
        made = await self._run(["commit-tree", tree, "-p", self.parent, "-F", "-"], stdin=message.encode())
        return replace(self, parent=made.decode().strip())

    async def make_branch(self, name: str) -> str:
        """Make the branch, of all that was committed; gives its last commit."""
        commit = self.parent
        nothing = "0" * len(commit)
        try:
            await self._run(["update-ref", "-m", "branch: made by bakeoff", f"refs/heads/{name}", commit, nothing])
        except GitFailed:
            await self._check_name(name)  # somebody else may just have made it
            raise
        return commit

    async def _check_name(self, name: str) -> None:
        # Of a name like @{-1} git makes another.
        if "\0" in name or await self._answer("check-ref-format", "--branch", name) != name:
            raise BranchMisnamed(name)
        ref = f"refs/heads/{name}"
        listing = await self._run(["for-each-ref", "--format=%(refname)", "refs/heads"])
        for taken in listing.decode(errors="surrogateescape").split():
            if taken == ref or taken.startswith(f"{ref}/") or ref.startswith(f"{taken}/"):
                raise BranchExists(name, taken=taken.removeprefix("refs/heads/"))

    async def _answer(self, *arguments: str) -> str | None:
        """What git says; None where it refuses."""
        try:
            return os.fsdecode(await self._run(arguments)).strip()
        except GitFailed:
            return None

    async def _check_identity(self) -> None:
        for role in ("GIT_AUTHOR_IDENT", "GIT_COMMITTER_IDENT"):
            if await self._answer("var", role) is None:
                raise NoIdentity

    async def _run(self, arguments: Sequence[str], *, stdin: bytes | None = None) -> bytes:
        extra = {
            "GIT_DIR": str(self.repository.git_directory),
            "GIT_INDEX_FILE": str(self.directory / "index"),
            "GIT_WORK_TREE": str(self.tree),
            "GIT_LITERAL_PATHSPECS": "1",
        } | {name: value for name, value in os.environ.items() if name in _IDENTITY}
        return await _read(self.repository, arguments, extra=extra, settings=_COMMITTING, stdin=stdin, cwd=self.tree)


def _terminated(paths: Iterable[str]) -> bytes:
    return b"".join(os.fsencode(path) + b"\0" for path in paths)


async def _filters(repository: Repository) -> set[str]:
    """Names of the content filters that the user's settings define (git-lfs, git-crypt, …)."""
    names = await _read(repository, ["config", "-z", "--name-only", "--get-regexp", r"^filter\..*\."], allow=(0, 1))
    return {name.removeprefix("filter.").rpartition(".")[0] for name in names.decode().split("\0") if name}


def _filtered(listing: bytes, filters: set[str]) -> dict[str, str]:
    """Files and their filters, as `check-attr` tells them, those of `filters` alone."""
    words = listing.split(b"\0")
    pairs = zip(words[::3], words[2::3], strict=False)
    return {os.fsdecode(path): name.decode() for path, name in pairs if name.decode() in filters}


async def _read(
    repository: Repository,
    arguments: Sequence[str],
    *,
    extra: Mapping[str, str] | None = None,
    settings: Mapping[str, str] | None = None,
    stdin: bytes | None = None,
    cwd: Path | None = None,
    allow: tuple[int, ...] = (0,),
) -> bytes:
    """Run git in the user's repository, with the user's own configuration but for what we must not have."""
    merged = _QUIET | dict(settings or {})
    return await _git(arguments, cwd=cwd or repository.root, extra=extra, settings=merged, stdin=stdin, allow=allow)


async def _locate(start: Path) -> list[str]:
    """Root, git directory, common directory, objects and object format of the repository around a folder."""
    try:
        where = await _git(["rev-parse", "--is-bare-repository"], cwd=start)
    except GitFailed as error:
        if "not a git repository" in error.words:
            raise NotARepository(start) from None
        raise
    if where.strip() == b"true":
        raise BareRepository(start)
    places = ["--show-toplevel", "--absolute-git-dir", "--git-common-dir", "--git-path", "objects"]
    try:
        answer = await _git(["rev-parse", *places, "--show-object-format"], cwd=start)
    except GitFailed as error:
        if "work tree" in error.words:
            raise NotARepository(start) from None
        raise
    lines = os.fsdecode(answer).removesuffix("\n").split("\n")
    if len(lines) != len(places):  # "--git-path objects" is two words with one answer; the format is one more
        raise RepositoryError(f"the path {str(start)!r} holds a line break", hint="move the repository elsewhere")
    return lines


async def _git(
    arguments: Sequence[str],
    *,
    cwd: Path,
    extra: Mapping[str, str] | None = None,
    settings: Mapping[str, str] | None = None,
    stdin: bytes | None = None,
    allow: tuple[int, ...] = (0,),
) -> bytes:
    overrides = [part for name, value in (settings or {}).items() for part in ("-c", f"{name}={value}")]
    done = await anyio.run_process(
        ["git", *overrides, *arguments],
        cwd=cwd,
        env=_environment() | dict(extra or {}),
        input=stdin,
        check=False,
    )
    if done.returncode not in allow:
        raise _failure(arguments, done.returncode, done.stderr.decode(errors="replace"))
    return done.stdout


def _failure(arguments: Sequence[str], status: int, words: str) -> GitFailed:
    hint = None
    if "dubious ownership" in words:
        hint = "the repository belongs to another user; git's message names the command that trusts it"
    elif "does not have a commit checked out" in words:
        hint = "there is a git repository without a commit inside the working tree: commit in it, or ignore it"
    elif any(word in words for word in ("promisor", "cannot read object", "lazy fetching", "unable to read")):
        hint = "objects are missing, as in a partial clone; bring them here: git fetch --refetch --no-filter"
    elif "No space left" in words or "unable to write" in words:
        hint = "see whether the disk is full: bakeoff doctor"
    return GitFailed(arguments, status=status, words=words, hint=hint)


def _environment() -> dict[str, str]:
    """What git may see of ours: all but its own variables, which would point it elsewhere, and the language."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    return kept | {
        "LC_ALL": "C",
        "LANGUAGE": "",
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_ASKPASS": "true",
        "SSH_ASKPASS": "true",
        "GIT_EDITOR": "true",
        "GIT_PAGER": "cat",
        "GIT_NO_LAZY_FETCH": "1",
    }


def _entries(listing: bytes) -> list[Entry]:
    entries = []
    for line in listing.split(b"\0")[:-1]:
        meta, _, path = line.partition(b"\t")
        mode, _, _, size = meta.split()
        entries.append(Entry(path=os.fsdecode(path), mode=mode.decode(), size=0 if size == b"-" else int(size)))
    return entries


def _moves(listing: bytes) -> Iterator[Moved]:
    """What `diff-tree --raw -z` tells: a line of modes, blobs and kind, then the path, or two of a rename."""
    words = iter(listing.split(b"\0")[:-1])
    for line in words:
        old_mode, new_mode, _, _, kind = line.removeprefix(b":").split(b" ")
        old = new = os.fsdecode(next(words))
        if kind.startswith(b"R"):
            new = os.fsdecode(next(words))
        yield Moved(
            old=None if kind == b"A" else old,
            new=None if kind == b"D" else new,
            is_submodule=b"160000" in {old_mode, new_mode},
        )


def _imported(number: int, parent: str, when: str, change: Mapping[str, Blob | None]) -> bytes:
    """A commit as `fast-import` reads it. What goes makes way first: a folder may come in the place of a file."""
    lines = [
        b"commit refs/heads/made\nmark :%d\ncommitter bakeoff <bakeoff@localhost> %s\n" % (number, when.encode()),
        b"data 0\nfrom %s\n" % parent.encode(),
        *(b"D %s\n" % _named(path) for path, blob in change.items() if blob is None),
    ]
    for path, blob in change.items():
        if blob is not None:
            lines.append(b"M %s inline %s\n" % (blob.mode.encode(), _named(path)))
            lines.append(b"data %d\n%s\n" % (len(blob.content), blob.content))
    return b"".join([*lines, b"\nget-mark :%d\n" % number])


def _named(path: str) -> bytes:
    """A path in quotes, as C has them."""
    name = os.fsencode(path).replace(b"\\", b"\\\\").replace(b'"', b'\\"').replace(b"\n", b"\\n")
    return b'"%s"' % name


def _merges(told: bytes) -> Iterator[Merge]:
    """What `merge-tree --stdin` tells: of each merge a status, its tree, the paths in conflict, and an empty word."""
    words = iter(told.split(b"\0")[:-1])
    for status in words:
        tree, paths = next(words).decode(), list(iter(words.__next__, b""))
        # It may know of conflicts that are in no file by that name any more.
        yield Merge(tree=tree, conflicts=() if status == b"1" else _in_conflict(paths) or ("",))


def _in_conflict(paths: Iterable[bytes]) -> tuple[str, ...]:
    return tuple(sorted({os.fsdecode(path) for path in paths}))


def _batch(told: bytes) -> dict[bytes, bytes]:
    """Objects as `cat-file --batch` tells them, by their names."""
    found, at = {}, 0
    while at < len(told):
        line = told.index(b"\n", at)
        name, _, size = told[at:line].split(b" ")
        at = line + 1 + int(size)
        found[name] = told[line + 1 : at]
        at += 1
    return found


def _folder_of(path: Path) -> Path:
    start = path.resolve()
    start = start if start.is_dir() else start.parent
    if not start.is_dir():
        raise NotARepository(path)
    return start


def _size_of(path: Path) -> int:
    """The bytes of a file; of a folder, which is a submodule here, those of all in it."""
    if not path.is_dir() or path.is_symlink():
        return path.lstat().st_size if os.path.lexists(path) else 0
    return sum(_size_of(Path(folder, name)) for folder, _, names in os.walk(path) for name in names)


def _quoted(path: Path) -> str:
    """A path as a line of `alternates`, where a leading double quote means C quoting."""
    text = str(path)
    if "\n" in text or text.startswith(('"', "#")):
        escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
        return f'"{escaped}"'
    return text


def _is_plain(path: Path) -> bool:
    return path.is_file() and not path.is_symlink()


def _mode(path: Path) -> str:
    return "100755" if path.stat().st_mode & 0o100 else "100644"


def _is_pointer(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(len(_LFS_POINTER)) == _LFS_POINTER


def _few(names: Sequence[str]) -> str:
    return ", ".join(names[:3]) + (", …" if len(names) > 3 else "")
