"""What it costs to bring winners together, beside `git merge` in a worktree.

On a generated repository of 5,000 files: 15 and 100 winners that have no path in common, and 15 that all edit one file.
Both ways take turns in one run; what counts is CPU time, of this process and of all that it starts, as the median of
the rounds. Ours begins with changes as values, and ends with a commit of the whole; conflicts by pairs are part of it.
git's branches are there beforehand, and so is its worktree.

    uv run pytest benchmarks/test_merging.py -s

Target: at most a quarter of the CPU time of `git merge`, for disjoint winners.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import anyio

from bakeoff.candidates import Change, File
from bakeoff.git import Blob, Repository, Shadow
from bakeoff.planning import Ground, Merging, Piece

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

FILES, ROUNDS = 5000, 3
GIT = ["git", "-c", "user.name=bench", "-c", "user.email=bench@localhost", "-c", "gc.auto=0"]


def generate(folder: Path) -> Path:
    """A repository whose files have about the size of ordinary modules."""
    for number in range(FILES):
        path = folder / path_of(number)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"NUMBER = {number}\n" + f"def function_{number}(x):\n    return x + {number}\n" * 40)
    for arguments in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "generated"]):
        subprocess.run([*GIT, *arguments], cwd=folder, check=True)
    return folder


@contextmanager
def cpu(into: list[float]) -> Iterator[None]:
    before = os.times()
    yield
    into.append(sum(os.times()[:4]) - sum(before[:4]))


def git(folder: Path, *arguments: str) -> str:
    return subprocess.run([*GIT, *arguments], cwd=folder, check=True, capture_output=True, text=True).stdout.strip()


def path_of(number: int) -> str:
    folder = number % 250
    return f"package{folder // 25}/part{folder}/module{number}.py"


def winners(repository: Path, count: int, *, apart: bool) -> list[dict[str, bytes]]:
    """The files that each of them edits."""
    made = []
    for number in range(count):
        path = path_of(number * 37 if apart else 0)
        lines = (repository / path).read_bytes().splitlines(keepends=True)
        lines[2 + (0 if apart else number * 5)] = b"    return x  # quicker\n"
        made.append({path: b"".join(lines)})
    return made


async def ours(ground: Ground, files: list[dict[str, bytes]]) -> str:
    pieces = [Piece(name=str(at), change=Change.of(one, base=ground.read)) for at, one in enumerate(files)]
    merging = await Merging.begin(ground, pieces)
    assert not merging.conflicts
    whole = await merging.together(piece.name for piece in pieces)
    assert isinstance(whole, Change)
    blobs = {edit.path: Blob(mode="100644", content=edit.after.content) for edit in whole.edits if edit.after}
    (commit,) = await ground.shadow.commits(ground.commit, [blobs])
    return commit


def theirs(worktree: Path, base: str, branches: list[str]) -> None:
    git(worktree, "checkout", "-q", "--detach", base)
    for branch in branches:
        git(worktree, "merge", "-q", "--no-edit", branch)


def made_branches(worktree: Path, base: str, files: list[dict[str, bytes]]) -> list[str]:
    found = []
    for one in files:
        git(worktree, "checkout", "-q", "--detach", base)
        for path, content in one.items():
            (worktree / path).write_bytes(content)
        git(worktree, "commit", "-qam", "winner")
        found.append(git(worktree, "rev-parse", "HEAD"))
    return found


def compared(
    ground: Ground, repository: Path, worktree: Path, count: int, *, apart: bool, say: Callable[[str], None]
) -> float:
    base = git(repository, "rev-parse", "HEAD")
    files = winners(repository, count, apart=apart)
    branches = made_branches(worktree, base, files)
    mine: list[float] = []
    gits: list[float] = []
    for _ in range(ROUNDS):
        with cpu(mine):
            commit = anyio.run(ours, ground, files)
        with cpu(gits):
            theirs(worktree, base, branches)
        tree = git(worktree, "rev-parse", "HEAD^{tree}")
        shown = git(repository, f"--git-dir={ground.shadow.directory}", "rev-parse", f"{commit}^{{tree}}")
        assert shown == tree, "both come to the same"
    ratio = statistics.median(gits) / statistics.median(mine)
    kind = "disjoint" if apart else "of one file"
    say(f"| {count} {kind} | {statistics.median(mine):.3f} | {statistics.median(gits):.3f} | {ratio:.1f} |")
    return ratio


async def grounded(repository: Path, at: Path) -> Ground:
    found = await Repository.find(repository)
    shadow = await Shadow.beside(found, at / "shadow.git")
    base = await shadow.snapshot(found)

    def read(path: str) -> File | None:
        place = repository / path
        return File(content=place.read_bytes()) if place.is_file() else None

    return Ground(shadow=shadow, commit=base.commit, read=read, folder=repository)


def test_merging_costs_a_fraction_of_git_merge() -> None:
    with tempfile.TemporaryDirectory(prefix="bakeoff-benchmark-") as folder:
        place = Path(folder)
        (place / "repository").mkdir()
        repository = generate(place / "repository")
        git(repository, "worktree", "add", "-q", "--detach", str(place / "tree"))
        ground = anyio.run(grounded, repository, place)
        print("\n| winners | ours, s of CPU | git merge, s of CPU | git merge / ours |\n| --- | ---: | ---: | ---: |")
        disjoint = [compared(ground, repository, place / "tree", count, apart=True, say=print) for count in (15, 100)]
        compared(ground, repository, place / "tree", 15, apart=False, say=print)
        assert min(disjoint) > 4
