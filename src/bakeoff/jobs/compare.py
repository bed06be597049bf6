"""Judge candidates that are there already: patches, branches, commits, stash entries."""

from __future__ import annotations

import posixpath
import sys
from dataclasses import replace
from typing import TYPE_CHECKING

import anyio.to_thread

from bakeoff.errors import UsageError
from bakeoff.jobs.contest import Task, contest
from bakeoff.sources.patches import Given, PatchesSource
from bakeoff.targets import Target

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from bakeoff.events import Recorded, Run
    from bakeoff.git import Repository
    from bakeoff.jobs.contest import Wanted
    from bakeoff.store import Store

__all__ = ["compare", "given"]

_STDIN = ("-", "/dev/stdin")
_PATCHES = (".patch", ".diff")
_MOST_BYTES = 256 << 20


async def compare(
    candidates: Sequence[str],
    target: str | None,
    wanted: Wanted,
    *,
    repository: Repository,
    start: Path,
    store: Store,
    watch: Callable[[Recorded], None] | None = None,
) -> Run:
    """Judge and time these, by calls of the target or by commands. What they are is said as in `given`."""
    if target is None and wanted.check is None:
        hint = "name a function with --target, or commands with --check and --bench"
        raise UsageError("there is nothing to judge candidates by", hint=hint)
    found = await given(candidates, repository=repository, start=start)
    if not found:
        raise UsageError("there is no candidate", hint="name some: NAME=FILE, NAME=BRANCH, a folder of patches, or -")
    task = Task(
        command="compare",
        repository=repository,
        wanted=replace(wanted, candidates=len(found)),
        target=Target.find(target, repository.root, start=start) if target is not None else None,
        sources=(PatchesSource(found, leaves_tests=True),),
        asked=tuple(map(repr, found)),
        rounds=1,
        edits_all=True,
    )
    return await contest(task, store, watch)


async def given(texts: Sequence[str], *, repository: Repository, start: Path) -> tuple[Given, ...]:
    """What is meant by `NAME=WHAT`, or `WHAT` alone: a patch file, a folder of them, standard input, a ref of git."""
    found: list[Given] = []
    for text in texts:
        name, mark, what = text.partition("=")
        if not mark or (start / text).exists():
            name, what = "", text
        found += await _meant(name, what, repository, start)
    names = [one.name for one in found]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise UsageError(f"two candidates are called {twice!r}", hint="give them names: NAME=FILE_OR_REF")
    return tuple(found)


async def _meant(name: str, what: str, repository: Repository, start: Path) -> Sequence[Given]:
    if what in _STDIN:
        return [Given(name=name or "stdin", diff=await anyio.to_thread.run_sync(sys.stdin.buffer.read))]
    path = start / what
    if path.is_dir():
        files = sorted(one for one in path.iterdir() if one.suffix in _PATCHES and one.is_file())
        if not files:
            raise UsageError(f"there is no patch in the folder {what}", hint="patches end in .patch or .diff")
        return [_patch(f"{name}-{one.stem}" if name else one.stem, one) for one in files]
    if path.is_file():
        return [_patch(name or path.stem, path)]
    meaning = await repository.meaning(what, head=await repository.head())
    return [Given(name=name or posixpath.basename(what), ref=meaning.commit, note=what)]


def _patch(name: str, path: Path) -> Given:
    try:
        if path.stat().st_size > _MOST_BYTES:
            raise UsageError(f"the patch {path} is too large", hint="name the files that matter in a smaller one")
        return Given(name=name, diff=path.read_bytes())
    except OSError as error:
        raise UsageError(f"the patch {path} cannot be read: {error.strerror}", hint="check its permissions") from None
