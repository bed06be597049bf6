"""What a slot costs: making one and putting one back in order, of both kinds, beside plain git.

On a generated repository of 5,000 files. All ways take turns in one run, in the same place (`--place`, default the
place that a pool would choose), and the ratios are medians of the rounds:

    uv run pytest benchmarks/test_workspaces.py          or, with a choice of place:
    uv run python benchmarks/test_workspaces.py [FOLDER]

"Put in order" is after ten edited files and some untracked and ignored litter. Targets: restoring a slot takes at
most a third of `git reset --hard && git clean -ffdx`.
"""

from __future__ import annotations

import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING

import anyio

from bakeoff.workspaces import SlotKind, WorktreePool
from bakeoff.workspaces.leftovers import choose_place

if TYPE_CHECKING:
    import pytest

FILES, FOLDERS, TOUCHED, LITTER, ROUNDS, SLOTS = 5000, 250, 10, 40, 15, 3
GIT = ["git", "-c", "user.name=bench", "-c", "user.email=bench@localhost", "-c", "gc.auto=0"]
Times = dict[str, list[float]]


def generate(folder: Path) -> Path:
    """A repository whose files have about the size of ordinary modules."""
    for number in range(FILES):
        path = folder / f"package{number % FOLDERS // 25}" / f"part{number % FOLDERS}" / f"module{number}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"NUMBER = {number}\n" + f"def function_{number}(x):\n    return x + {number}\n" * 40)
    (folder / ".gitignore").write_text("build/\n*.pyc\n")
    for arguments in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "generated"]):
        subprocess.run([*GIT, *arguments], cwd=folder, check=True)
    return folder


def spoil(tree: Path) -> None:
    """What a candidate does: ten edits, untracked and ignored litter."""
    for number in range(TOUCHED):
        folder = number * 20
        path = tree / f"package{folder // 25}" / f"part{folder}" / f"module{folder}.py"
        path.write_text(path.read_text() + "# edited\n")
    (tree / "build" / "lib").mkdir(parents=True)
    for number in range(LITTER):
        (tree / "build" / "lib" / f"{number}.o").write_text("x")
        (tree / "package0" / f"untracked{number}.txt").write_text("x")


def timed(times: Times, name: str, began: float) -> None:
    times[name].append(time.perf_counter() - began)


def plain_git(repository: Path, place: Path, times: Times) -> None:
    """A worktree made and reset by git itself."""
    tree = place / "plain"
    for _ in range(SLOTS):
        began = time.perf_counter()
        subprocess.run([*GIT, "worktree", "add", "-q", "--detach", tree], cwd=repository, check=True)
        timed(times, "make: git worktree add", began)
        subprocess.run([*GIT, "worktree", "remove", "--force", tree], cwd=repository, check=True)
    subprocess.run([*GIT, "worktree", "add", "-q", "--detach", tree], cwd=repository, check=True)


def reset_by_git(place: Path, times: Times) -> None:
    tree = place / "plain"
    spoil(tree)
    began = time.perf_counter()
    subprocess.run([*GIT, "reset", "-q", "--hard"], cwd=tree, check=True)
    subprocess.run([*GIT, "clean", "-q", "-ffdx"], cwd=tree, check=True)
    timed(times, "restore: git reset && git clean", began)


async def measure(repository: Path, place: Path) -> Times:
    times: Times = defaultdict(list)
    plain_git(repository, place, times)
    pools = {kind: WorktreePool(repository, size=1, kind=kind, directory=place / kind) for kind in SlotKind}
    async with pools[SlotKind.WORKTREE], pools[SlotKind.OVERLAY]:
        for kind, pool in pools.items():
            maker = pool._kind
            for number in range(SLOTS):
                began = time.perf_counter()
                tree = await maker.create(f"extra{number}")
                timed(times, f"make: {kind} slot", began)
                await tree.close()
        for _ in range(ROUNDS):
            reset_by_git(place, times)
            for kind, pool in pools.items():
                slot = await pool.acquire()
                spoil(slot.path)
                began = time.perf_counter()
                await slot.tree.restore()
                timed(times, f"restore: {kind} slot", began)
                began = time.perf_counter()
                await slot.tree.restore()
                timed(times, f"restore untouched: {kind} slot", began)
                await pool.release(slot)
    return times


def table(times: Times) -> str:
    beside = {"make": "make: git worktree add", "restore": "restore: git reset && git clean"}
    lines = [f"| {FILES} files | median ms | git's time is × ours | target |", "| --- | ---: | ---: | ---: |"]
    for name in sorted(times):
        bare = beside[name.split(":")[0].split()[0]]
        ratio = statistics.median(times[bare]) / statistics.median(times[name])
        target = "≥ 3" if name.startswith("restore:") and name != bare else ""
        lines.append(f"| {name} | {statistics.median(times[name]) * 1e3:.1f} | {ratio:.1f} | {target} |")
    return "\n".join(lines)


def run(place: Path) -> str:
    place.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(dir=place, prefix="benchmark-"))
    try:
        return table(anyio.run(measure, generate(folder / "repository"), folder))
    finally:
        shutil.rmtree(folder)


def test_slots(capsys: pytest.CaptureFixture[str]) -> None:
    """Shown, not asserted."""
    with capsys.disabled():
        print("\n" + run(choose_place(0).path))


if __name__ == "__main__":
    print(run(Path(sys.argv[1]) if len(sys.argv) > 1 else choose_place(0).path))
