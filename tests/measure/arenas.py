"""A place to race in: a repository, its pool, interpreters that time, and changes to race with."""

from __future__ import annotations

import pickle
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bakeoff.candidates import Change
from bakeoff.measure import Contender, Course, MeasureOptions, RaceResult, Stopwatches, measure
from bakeoff.targets import Project, RecordedCall, Target
from bakeoff.workspaces import WorktreePool
from repositories import make_repository

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping
    from pathlib import Path

TARGET = Target(path="pkg/mod.py", name="f")
# What is faster in these tests is so by much, so that a busy machine does not matter.
QUICK = MeasureOptions(budget=0.4, margin=0.05, seed=1)


def call(*arguments: Any, shape: str = "", weight: float = 1.0, **keywords: Any) -> RecordedCall:
    return RecordedCall(arguments=pickle.dumps((arguments, keywords)), shape=shape, weight=weight)


@dataclass
class Arena:
    watches: Stopwatches
    pool: WorktreePool
    course: Course

    def contender(self, name: str, files: Mapping[str, str | None] | str, **options: Any) -> Contender:
        if isinstance(files, str):
            files = {TARGET.path: files}
        new = {path: text.encode() if text is not None else None for path, text in files.items()}
        return Contender(name=name, change=Change.of(new, base=self.pool.read), **options)

    async def race(self, *contenders: Contender, options: MeasureOptions = QUICK) -> RaceResult:
        return await measure(self.watches, self.pool, course=self.course, contenders=contenders, options=options)


@asynccontextmanager
async def arena(
    folder: Path,
    files: Mapping[str, str] | str,
    *calls: RecordedCall,
    target: Target = TARGET,
    bench: str | None = None,
) -> AsyncIterator[Arena]:
    if isinstance(files, str):
        files = {TARGET.path: files}
    repository = make_repository(folder / "repository", {"pkg/__init__.py": "", **files})
    async with WorktreePool(repository, size=1) as pool, Stopwatches.of(count=2) as watches:
        yield Arena(watches, pool, Course(target=target, project=Project(), calls=calls, bench=bench))
