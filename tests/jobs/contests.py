"""A small repository with slow functions, and runs on it."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from bakeoff.candidates import Change
from bakeoff.events import Recorded, Run
from bakeoff.git import Repository
from bakeoff.jobs.contest import Task, Wanted, contest
from bakeoff.sources.patches import Given, PatchesSource
from bakeoff.store import Store
from bakeoff.targets import Target
from repositories import CLEAN

LISTS = '''"""Lists of things."""


def unique(items):
    """The items, each once, in their order."""
    found = []
    for item in items:
        if item not in found:
            found.append(item)
    return found


def double(items):
    return [item * 2 for item in items]
'''
TESTS = """
from pkg.lists import unique

def test_some():
    assert unique([3, 1, 3]) == [3, 1]

def test_many():
    assert unique([n % 150 for n in range(600)]) == list(range(150))

def test_letters():
    assert unique(list("hello")) == list("helo")
    assert unique([]) == []
"""
REST = "from pkg.lists import double\n\n\ndef test_double():\n    assert double([1, 2]) == [2, 4]\n"
FILES = {
    "pkg/__init__.py": "",
    "pkg/lists.py": LISTS,
    "tests/test_lists.py": TESTS,
    "tests/test_rest.py": REST,
    "README.md": "# Lists\n",
}
SLOW = LISTS[LISTS.index("    found = []") : LISTS.index("\n\n\ndef double")]
FAST = "    return list(dict.fromkeys(items))"


def body(text: str) -> str:
    """The module with another body of `unique`."""
    return LISTS.replace(SLOW, text)


def patch(files: dict[str, str | None], base: dict[str, str] = FILES) -> bytes:
    """A diff that makes these files of those."""

    def read(path: str):
        from bakeoff.candidates import File

        return File(content=base[path].encode()) if path in base else None

    change = Change.of({path: None if text is None else text.encode() for path, text in files.items()}, base=read)
    return change.to_patch(base=read)


def given(sources: dict[str, str]) -> tuple[Given, ...]:
    return tuple(Given(name=name, diff=patch({"pkg/lists.py": text})) for name, text in sources.items())


async def run_contest(
    repository: Path,
    candidates: Sequence[Given],
    *,
    store: Store | None = None,
    watch: Callable[[Recorded], None] | None = None,
    target: str | None = "pkg/lists.py::unique",
    edits_all: bool = False,
    **wanted,
) -> Run:
    found = await Repository.find(repository)
    task = Task(
        command="compare",
        repository=found,
        wanted=replace(Wanted(parallel=2, seconds=60.0, timing=0.6), **wanted),
        target=Target.find(target, repository) if target is not None else None,
        sources=(PatchesSource(candidates, leaves_tests=edits_all),),
        asked=tuple(map(repr, candidates)),
        rounds=1,
        edits_all=edits_all,
    )
    return await contest(task, store or Store(repository / ".git/bakeoff.sqlite"), watch)


def applies(repository: Path, diff: str) -> bool:
    done = subprocess.run(
        ["git", "apply", "--check", "-"], input=diff, text=True, cwd=repository, env=CLEAN, check=False
    )
    return done.returncode == 0
