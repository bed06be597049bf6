"""What came of many pieces of work, brought together: each is a change to one common base, and so is the whole.

    pieces ──▶ who touches what others touch ──▶ conflicts, by pairs ──▶ those that go together ──▶ the full check
                   └── nobody else: side by side, without git                    ▲                       │
                                                                                 └── without the culprit ◀┘

Pieces that have no path in common are put side by side. Of the others git says what they come to, on commits in the
shadow: each has the base as its only parent, also what was merged already, so that the base is what any two of them
have in common. Which pairs conflict is known before anything is tried. Of two that do not go together the one that
stands first stays, whether it is git that says so or the full check; whatever is dropped is named, with the reason.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Final, TypeAlias

from bakeoff.candidates import Change, File, Mode, parents
from bakeoff.errors import MergeUnchecked
from bakeoff.events import Verdict
from bakeoff.git import Blob
from bakeoff.verify import Judgement

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from bakeoff.candidates import Reader
    from bakeoff.git import Merge, Shadow

__all__ = ["Check", "Conflict", "Dropped", "Ground", "Merged", "Merging", "Piece", "Step"]

# The full check: of a change, which these pieces come to.
Check: TypeAlias = Callable[[Change, tuple[str, ...]], Awaitable[Judgement]]
_FINE: Final = Judgement(verdict=Verdict.VERIFIED)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ground:
    """What pieces are merged on: a commit of a shadow, and its files, as they are read, and as they lie in a folder."""

    shadow: Shadow
    commit: str
    read: Reader
    folder: Path | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """What one piece of work came to, by a name that no other has."""

    name: str
    change: Change


@dataclass(frozen=True, slots=True, kw_only=True)
class Conflict:
    """Two pieces that cannot both be had, and the files that say so. `one` stands before `other`; it is None where
    `other` goes with each of those before it, but not with all of them."""

    one: str | None
    other: str
    paths: tuple[str, ...]

    def __str__(self) -> str:
        where = ", ".join(path for path in self.paths if path) or "names of files"
        return f"it conflicts with {self.one or 'what others come to together'} in {where}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Dropped:
    """A piece that is no part of the whole: because of a conflict, or of what the full check said when it was added."""

    piece: Piece
    conflict: Conflict | None = None
    judgement: Judgement | None = None

    @property
    def reason(self) -> str:
        if self.conflict is not None:
            return str(self.conflict)
        assert self.judgement is not None
        return self.judgement.reason or self.judgement.verdict.value


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """What a piece adds to those before it: a change to the base with theirs, which `patch` makes."""

    piece: Piece
    change: Change
    patch: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Merged:
    """What all come to: a change to the base, which the full check has passed, in steps, one for each piece that is
    part of it; the pieces that are not; the pairs that conflict; and how often it was checked."""

    change: Change
    steps: tuple[Step, ...]
    dropped: tuple[Dropped, ...]
    conflicts: tuple[Conflict, ...]
    judgement: Judgement
    checks: int


class Merging:
    """Pieces that are to be brought together, those first that are to stay where not all can. See `begin`."""

    def __init__(self, ground: Ground, pieces: Sequence[Piece]) -> None:
        self._ground = ground
        self._pieces = {piece.name: piece for piece in pieces}
        if len(self._pieces) < len(pieces):
            raise ValueError("each piece has to have a name of its own")
        self._tangles = _tangles([piece.change for piece in pieces])
        self._names = tuple(self._pieces)
        self._tangled = frozenset(self._names[at] for pair in self._tangles for at in pair)
        self._commits: dict[str, str] = {}
        # What tangled pieces come to, one after the other: a commit on the base, or why there is none.
        self._folds: dict[tuple[str, ...], str | Conflict] = {(): ground.commit}
        self.conflicts: tuple[Conflict, ...] = ()

    @classmethod
    async def begin(cls, ground: Ground, pieces: Sequence[Piece]) -> Merging:
        """With all conflicts between two of them found. Nothing but objects in the shadow is written, now and later."""
        merging = cls(ground, pieces)
        await merging._find_conflicts()
        return merging

    async def _find_conflicts(self) -> None:
        tangled = [name for name in self._names if name in self._tangled]
        changes = [_blobs(self._pieces[name].change) for name in tangled]
        made = await self._ground.shadow.commits(self._ground.commit, changes)
        self._commits = dict(zip(tangled, made, strict=True))
        pairs = [(self._names[one], self._names[other]) for one, other in self._tangles]
        merges = await self._merges([(self._commits[one], self._commits[other]) for one, other in pairs])
        self.conflicts = tuple(
            Conflict(one=one, other=other, paths=merge.conflicts)
            for (one, other), merge in zip(pairs, merges, strict=True)
            if merge.conflicts
        )

    async def _merges(self, pairs: Sequence[tuple[str, str]]) -> list[Merge]:
        return await self._ground.shadow.merges(pairs, attributes=self._ground.folder)

    # -- together -------------------------------------------------------------------------------------------------

    async def together(self, names: Iterable[str]) -> Change | Conflict:
        """The change that these pieces come to, in whatever order they are named; or why they do not go together."""
        wanted = frozenset(names)
        order = tuple(name for name in self._names if name in wanted)
        apart = [edit for name in order if name not in self._tangled for edit in self._pieces[name].change.edits]
        end = await self._folded(tuple(name for name in order if name in self._tangled))
        if isinstance(end, Conflict):
            return end
        between = await self._between(self._ground.commit, end, self._ground.read)
        return Change(edits=(*apart, *between.edits))

    async def _folded(self, names: tuple[str, ...]) -> str | Conflict:
        if names not in self._folds:
            self._folds[names] = await self._fold(names)
        return self._folds[names]

    async def _fold(self, names: tuple[str, ...]) -> str | Conflict:
        before = await self._folded(names[:-1])
        last = self._commits[names[-1]]
        if isinstance(before, Conflict) or len(names) == 1:
            return before if isinstance(before, Conflict) else last
        (merge,) = await self._merges([(before, last)])
        if merge.conflicts:
            return Conflict(one=None, other=names[-1], paths=merge.conflicts)
        return await self._ground.shadow.commit(merge.tree, self._ground.commit)

    async def _between(self, before: str, after: str, read: Reader) -> Change:
        if before == after:
            return Change()
        found = await self._ground.shadow.contents(before, after)
        files = {
            path: None if blob is None else File(content=blob.content, mode=Mode(blob.mode))
            for path, blob in found.items()
        }
        return Change.of(files, base=read)

    async def _steps(self, names: Sequence[str]) -> tuple[Step, ...]:
        """What each of these adds to those before it. They go together."""
        steps, read, commit = list[Step](), self._ground.read, self._ground.commit
        tangled: tuple[str, ...] = ()
        for name in names:
            change = self._pieces[name].change
            if name in self._tangled:
                tangled = (*tangled, name)
                end = await self._folded(tangled)
                assert isinstance(end, str)
                change, commit = await self._between(commit, end, read), end
            steps.append(Step(piece=self._pieces[name], change=change, patch=change.to_patch(base=read)))
            read = _over(read, change)
        return tuple(steps)

    # -- proven ---------------------------------------------------------------------------------------------------

    async def proven(self, check: Check) -> Merged:
        """All that goes together and passes the full check, which is asked of changes, with the names of their pieces.

        One culprit among n is found with about log n checks more; those that fail only together are one, too.
        """
        kept, dropped = self._without_conflicts()
        bisection = _Bisection(self, check)
        kept, culprits, judgement = await bisection.run(kept)
        dropped += culprits
        change = await self.together(kept)
        assert isinstance(change, Change)
        place = {name: at for at, name in enumerate(self._names)}
        return Merged(
            change=change,
            steps=await self._steps(kept),
            dropped=tuple(sorted(dropped, key=lambda one: place[one.piece.name])),
            conflicts=self.conflicts,
            judgement=judgement,
            checks=bisection.checks,
        )

    def piece(self, name: str) -> Piece:
        """The piece of that name."""
        return self._pieces[name]

    def _without_conflicts(self) -> tuple[list[str], list[Dropped]]:
        """Those that go with each one before them that stays."""
        against: dict[str, list[Conflict]] = defaultdict(list)
        for conflict in self.conflicts:
            against[conflict.other].append(conflict)
        kept: dict[str, None] = {}
        dropped = []
        for name in self._names:
            against_kept = next((one for one in against[name] if one.one in kept), None)
            if against_kept is None:
                kept[name] = None
            else:
                dropped.append(Dropped(piece=self._pieces[name], conflict=against_kept))
        return list(kept), dropped


class _Bisection:
    """Looks for those with which the check passes, and drops as few as it takes to get there one by one."""

    def __init__(self, merging: Merging, check: Check) -> None:
        self._merging = merging
        self._check = check
        self.checks = 0

    async def run(self, names: Sequence[str]) -> tuple[list[str], list[Dropped], Judgement]:
        """Those that pass, those that do not, and what was said of those that do.

        What is kept has passed at any time, so that whoever is dropped failed beside nobody but those who stay.
        """
        kept, rest = list[str](), list(names)
        dropped, proof = list[Dropped](), _FINE
        while rest:
            said: Judgement | Conflict = await self._said([*kept, *rest])
            if isinstance(said, Judgement) and said.verdict is Verdict.VERIFIED:
                return [*kept, *rest], dropped, said
            low, high = 0, len(rest)
            while high - low > 1:
                middle = (low + high) // 2
                found = await self._said([*kept, *rest[:middle]])
                if isinstance(found, Judgement) and found.verdict is Verdict.VERIFIED:
                    low, proof = middle, found
                else:
                    high, said = middle, found
            kept += rest[:low]
            dropped.append(self._dropped(rest[low], said))
            rest = rest[high:]
        return kept, dropped, proof

    def _dropped(self, name: str, said: Judgement | Conflict) -> Dropped:
        piece = self._merging.piece(name)
        if isinstance(said, Conflict):
            return Dropped(piece=piece, conflict=said)
        return Dropped(piece=piece, judgement=said)

    async def _said(self, names: Sequence[str]) -> Judgement | Conflict:
        change = await self._merging.together(names)
        if isinstance(change, Conflict):
            return change
        self.checks += 1
        judgement = await self._check(change, tuple(names))
        if judgement.verdict is Verdict.ERROR:
            raise MergeUnchecked(judgement.reason or "nothing was said")
        return judgement


def _blobs(change: Change) -> Mapping[str, Blob | None]:
    return {
        edit.path: None if edit.after is None else Blob(mode=edit.after.mode.value, content=edit.after.content)
        for edit in change.edits
    }


def _over(read: Reader, change: Change) -> Reader:
    """The files of a base with a change."""
    after = {edit.path: edit.after for edit in change.edits}
    return lambda path: after[path] if path in after else read(path)


def _tangles(changes: Sequence[Change]) -> list[tuple[int, int]]:
    """The pairs of which it is not plain what they come to together: they name the same path, or one names a folder
    that leads to a path of the other; or one may rename a folder in which the other makes files."""
    here: dict[str, list[int]] = defaultdict(list)
    below: dict[str, list[int]] = defaultdict(list)
    for at, change in enumerate(changes):
        for path in change.paths:
            here[path].append(at)
        for folder in {folder for path in change.paths for folder in parents(path)}:
            below[folder].append(at)
    found: set[tuple[int, int]] = set()
    for path, owners in here.items():
        found.update(combinations(owners, 2))
        leading = below.get(path, ())
        found.update((min(one, other), max(one, other)) for one in owners for other in leading if one != other)
    adds = [any(edit.before is None for edit in change.edits) for change in changes]
    moves = [
        has and any(edit.after is None for edit in change.edits) for has, change in zip(adds, changes, strict=True)
    ]
    for one, other in combinations([at for at, has in enumerate(adds) if has], 2):
        if moves[one] or moves[other]:
            found.add((one, other))
    return sorted(found)
