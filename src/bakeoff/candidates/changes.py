"""A change to a tree of files, and the candidate that proposes it.

A change is a value: which paths it edits, what each was before (by identity, not by content), and what it is
after. Nothing here touches a disk; the base is read through a callable. A rename is the old path deleted and the
new one added, as git itself stores it, so that equal trees make equal changes.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bakeoff.candidates import patches
from bakeoff.candidates.canonical import canonical
from bakeoff.candidates.files import File, Mode, Reader, Version, check_link, check_path, parents
from bakeoff.errors import ChangeError, DoesNotApply, PathRefused
from bakeoff.events import Descent

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from bakeoff.candidates.patches import FilePatch


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """What becomes of one path. `before` is None for a file that is added, `after` for one that is deleted."""

    path: str
    before: Version | None
    after: File | None

    def __post_init__(self) -> None:
        """An edit that may not land cannot be made."""
        check_path(self.path)
        if self.after is not None and self.after.mode is Mode.LINK:
            check_link(self.path, self.after.content)
        if self.before == (self.after.version if self.after else None):
            raise ChangeError(f"the edit of {self.path!r} changes nothing", hint="leave it out, or use Change.of")


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """Edits against a base, at most one for a path, sorted by path. No edits is a change too, and is falsy."""

    edits: tuple[Edit, ...] = ()

    def __post_init__(self) -> None:
        """Two edits that cannot both be made cannot be one change."""
        object.__setattr__(self, "edits", tuple(sorted(self.edits, key=lambda edit: edit.path)))
        if len(set(self.paths)) < len(self.edits):
            twice = next(path for path in self.paths if self.paths.count(path) > 1)
            raise ChangeError(f"{twice!r} is edited twice in one change", hint="give each path once")
        present = {edit.path for edit in self.edits if edit.after is not None}
        for path in sorted(present):
            for folder in parents(path):
                if folder in present:
                    raise ChangeError(
                        f"{folder!r} cannot be a file and the folder of {path!r} at once",
                        hint="delete one of them in the same change, or leave it out",
                    )

    def __bool__(self) -> bool:
        """Whether it edits anything at all."""
        return bool(self.edits)

    @property
    def paths(self) -> tuple[str, ...]:
        """The edited paths, sorted."""
        return tuple(edit.path for edit in self.edits)

    @property
    def contents(self) -> dict[str, bytes | None]:
        """What becomes of each path, without its mode: new contents, or None where it is deleted."""
        return {edit.path: None if edit.after is None else edit.after.content for edit in self.edits}

    @property
    def id(self) -> str:
        """A digest of all that the change says: paths, modes, contents, and what it stands on."""
        return _digest(
            part
            for edit in self.edits
            for part in (edit.path.encode(), *_version_parts(edit.before), *_file_parts(edit.after))
        )

    @classmethod
    def of(cls, files: Mapping[str, File | bytes | None], *, base: Reader) -> Change:
        """The change that makes these paths have these contents; None deletes, and bytes keep the mode.

        What the base has already drops out. Raises PathRefused for a path, a link or a folder on the way that
        may not be written.
        """
        edits = []
        for path, given in files.items():
            check_path(path)
            before = base(path)
            after = _file(path, given, before)
            if after != before:
                _check_folders(path, files, base=base)
                edits.append(Edit(path=path, before=before.version if before else None, after=after))
        return cls(edits=tuple(edits))

    @classmethod
    def from_diff(cls, diff: str | bytes, *, base: Reader) -> Change:
        """The change that a unified diff makes to the base, or DoesNotApply with the file, the line and why.

        Reads what git writes (with or without prefixes, mail and all) and plain `---`/`+++` diffs.
        """
        try:
            data = diff.encode() if isinstance(diff, str) else diff
        except UnicodeEncodeError:
            raise DoesNotApply("it is not valid text", hint="give the diff as bytes") from None
        return cls.of(_Patched(base).files(patches.parse(data)), base=base)

    def check(self, *, base: Reader) -> None:
        """Raise DoesNotApply unless every edited path is in the base just as it was when the change was made."""
        for edit in self.edits:
            _before(edit, base)

    def to_patch(self, *, base: Reader) -> bytes:
        """The change as a patch that `git apply` takes without fuzz, binary files included.

        `from_diff` of it gives an equal change. Raises DoesNotApply where the base is not what it was. The bytes
        are UTF-8 only if all edited text files are.
        """
        return b"".join(patches.render(edit.path, _before(edit, base), edit.after) for edit in self.edits)

    def fingerprint(self, *, base: Reader) -> str:
        """The same for two changes to one base that differ only in what `canonical` leaves out (E5).

        An edit that leaves a file canonically as it was counts for nothing, so a change of comments alone has the
        fingerprint of no change, which is the baseline's: `Change().fingerprint(base=base)`.
        """
        parts: list[bytes] = []
        for edit in self.edits:
            before, after = (_canonical_parts(edit.path, file) for file in (_before(edit, base), edit.after))
            if before != after:
                parts += [edit.path.encode(), *after]
        return _digest(parts)

    def is_noop(self, *, base: Reader) -> bool:
        """Whether it does nothing but what `canonical` leaves out."""
        return self.fingerprint(base=base) == _digest([])


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """One proposed change. `parents` are the ids of the candidates that it was made from, nearest first; `log` is what
    is kept of how it was made, such as the answer of a language model, and `calls` are the calls of such models behind
    it.

    The id is given by who proposes it and is its own in the run: two candidates with equal changes have two ids.
    """

    id: str
    name: str
    source: str
    change: Change
    parents: tuple[str, ...] = ()
    note: str = ""
    descent: Descent = Descent.FRESH
    log: str = ""
    calls: tuple[str, ...] = ()


def _before(edit: Edit, base: Reader) -> File | None:
    file = base(edit.path)
    if (file.version if file else None) != edit.before:
        raise DoesNotApply(
            "the base is not what the change was made for", path=edit.path, hint="make the change again from the base"
        )
    return file


def _file(path: str, given: File | bytes | None, before: File | None) -> File | None:
    if not isinstance(given, bytes):
        return given
    if before is not None and before.mode is Mode.LINK:
        raise PathRefused(path, "it is a symbolic link in the base; name the file that it leads to")
    return File(content=given, mode=before.mode if before else Mode.FILE)


def _check_folders(path: str, files: Mapping[str, File | bytes | None], *, base: Reader) -> None:
    """Nothing is written, or deleted, below what is a link or a file in the base.

    A file may make way for a folder in the same change; a link may not, since git cannot apply that either.
    """
    for folder in parents(path):
        found = base(folder)
        if found is None:
            continue
        if found.mode is Mode.LINK:
            raise PathRefused(path, f"{folder!r} is a symbolic link in the base")
        if folder not in files or files[folder] is not None:
            raise PathRefused(path, f"{folder!r} is a file in the base")


# Digests. Every part goes in with its length, so that no two lists of parts make one stream.


def _digest(parts: Iterable[bytes]) -> str:
    digest = hashlib.sha256(b"bakeoff change 1\n")
    for part in parts:
        digest.update(b"%d\n" % len(part))
        digest.update(part)
    return digest.hexdigest()


def _version_parts(version: Version | None) -> tuple[bytes, bytes]:
    return (version.mode.encode(), version.blob.encode()) if version else (b"", b"")


def _file_parts(file: File | None) -> tuple[bytes, bytes]:
    return (file.mode.encode(), file.content) if file else (b"", b"")


def _canonical_parts(path: str, file: File | None) -> tuple[bytes, bytes]:
    mode, content = _file_parts(file)
    return mode, canonical(path, content) if file and file.mode is not Mode.LINK else content


# From patches to files


class _Patched:
    """The files after some patches. Each patch is fitted to the base, never to what another one made."""

    def __init__(self, base: Reader) -> None:
        self._base = base
        self._written: dict[str, File] = {}
        self._removed: set[str] = set()
        self._modified: set[str] = set()

    def files(self, all_patches: Iterable[FilePatch]) -> dict[str, File | None]:
        for patch in all_patches:
            self._take(patch)
        for path in self._modified & self._removed:
            raise DoesNotApply("one diff changes the file and another removes it", path=path)
        for path in self._written.keys() - self._modified - self._removed:
            if self._base(path) is not None:
                raise DoesNotApply("a file is to be added that is there already", path=path)
        return {**dict.fromkeys(self._removed), **self._written}

    def _take(self, patch: FilePatch) -> None:
        old, new = self._names(patch)
        before = self._existing(old) if old is not None else None
        path = new or old or ""
        if before is not None:
            _check_kind(patch, before, path)
        after = _patched(patch, before, path)
        if new is not None:
            self._write(new, after, is_modified=old == new)
        elif after.content:
            raise DoesNotApply("a file is to be deleted, but some of its lines would be left", path=path)
        if old is not None and old != new and not patch.copied:
            self._remove(old)

    def _write(self, path: str, file: File, *, is_modified: bool) -> None:
        if path in self._written:
            self._refuse_second(path)
        self._written[path] = file
        if is_modified:
            self._modified.add(path)

    def _remove(self, path: str) -> None:
        if path in self._removed:
            self._refuse_second(path)
        self._removed.add(path)

    def _refuse_second(self, path: str) -> None:
        raise DoesNotApply("there are several diffs of one file in it", path=path, hint="give one diff per file")

    def _existing(self, path: str) -> File:
        file = self._base(path)
        if file is None:
            raise DoesNotApply("there is no such file in the base", path=path)
        return file

    def _names(self, patch: FilePatch) -> tuple[str | None, str | None]:
        old, new = patches.names_without_prefix(patch) if patch.plain else (patch.old, patch.new)
        for name in (old, new):
            if name is not None:
                check_path(name)
        if not patch.plain or old is None or new is None:
            return old, new
        return self._plain_names(patch, old, new)

    def _plain_names(self, patch: FilePatch, old: str, new: str) -> tuple[str | None, str]:
        """Both sides of a plain diff are one file; where they have two names, it is the one that exists."""
        existing = sorted({name for name in (old, new) if self._base(name) is not None})
        if len(existing) == 1:
            return existing[0], existing[0]
        if old == new:
            starts_empty = len(patch.hunks) == 1 and patch.hunks[0].start == 0 and not patch.hunks[0].old
            return (None if starts_empty else old), new
        raise DoesNotApply(f"it is for {old!r} or for {new!r}, and it cannot be told which", path=new)


def _check_kind(patch: FilePatch, before: File, path: str) -> None:
    if patch.old_mode is not None and patch.old_mode is not before.mode:
        raise DoesNotApply(f"the mode should be {patch.old_mode} and is {before.mode}", path=path)
    has_content = bool(patch.hunks) or patch.literal is not None
    if has_content and patch.is_link != (before.mode is Mode.LINK):
        raise DoesNotApply("one of the file and the patch is a symbolic link, and the other is not", path=path)


def _patched(patch: FilePatch, before: File | None, path: str) -> File:
    mode = patch.new_mode or (before.mode if before else Mode.FILE)
    old = before.content if before else b""
    if patch.literal is None:
        return File(content=patches.applied(old, patch.hunks, path=path), mode=mode)
    after = File(content=patch.literal, mode=mode)
    expected = (before.version.blob if before else "0" * 40, after.version.blob if patch.new else "0" * 40)
    if patch.blobs != expected:
        raise DoesNotApply("a binary patch is not for this version of the file", path=path)
    return after
