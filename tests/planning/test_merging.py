"""Pieces of work brought together, beside what git makes of them in a worktree."""

from __future__ import annotations

import itertools
import math
import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

import anyio
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bakeoff import git as ours
from bakeoff.candidates import Change, File, Mode
from bakeoff.errors import MergeUnchecked
from bakeoff.events import TestFailure, TestOutcome, Verdict
from bakeoff.git import Blob, Repository, Shadow
from bakeoff.planning import Conflict, Ground, Merged, Merging, Piece
from bakeoff.verify import Judgement
from repositories import CLEAN, git, make_repository, state_of

pytestmark = pytest.mark.anyio

LINES = tuple(f"line {number}\n" for number in range(12))
FILES: dict[str, bytes] = {
    "pkg/a.py": "".join(LINES).encode(),
    "pkg/b.py": "".join(line.upper() for line in LINES).encode(),
    "pkg/deep/c.py": "".join(f"deep {line}" for line in LINES).encode(),
    "pkg/deep/d.py": "".join(f"other {line}" for line in LINES).encode(),
    "image.bin": bytes(range(256)) * 4,
    'odd "name".txt': b"quoted\n",
    "öl/straße.txt": b"non-ASCII\n",
}
Files = Mapping[str, File | None]


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = make_repository(tmp_path_factory.mktemp("merging") / "repository", FILES)
    # A name that is not UTF-8: no change can name it, and every merge has to leave it as it is.
    Path(os.fsdecode(os.fsencode(folder) + b"/pkg/latin-\xe4.txt")).write_bytes(b"left alone\n")
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--amend", "--no-edit")
    return folder


@pytest.fixture(scope="module")
def ground(repository: Path, tmp_path_factory: pytest.TempPathFactory) -> Ground:
    return anyio.run(ground_of, repository, tmp_path_factory.mktemp("shadow"))


async def ground_of(repository: Path, at: Path) -> Ground:
    shadow = await Shadow.beside(await Repository.find(repository), at / "base.git")
    base = await shadow.snapshot(await Repository.find(repository))

    def read(path: str) -> File | None:
        place = repository / path
        if place.is_symlink():
            return File(content=os.fsencode(os.readlink(place)), mode=Mode.LINK)
        if not place.is_file():
            return None
        mode = Mode.EXECUTABLE if place.stat().st_mode & 0o100 else Mode.FILE
        return File(content=place.read_bytes(), mode=mode)

    return Ground(shadow=shadow, commit=base.commit, read=read, folder=repository)


def change(ground: Ground, files: Mapping[str, File | bytes | str | None]) -> Change:
    given = {path: one.encode() if isinstance(one, str) else one for path, one in files.items()}
    return Change.of(given, base=ground.read)


def edited(path: str, **lines: str) -> bytes:
    """A file with other lines, by their numbers: `line_3="new"`."""
    found = FILES[path].decode().splitlines(keepends=True)
    for name, text in lines.items():
        found[int(name.removeprefix("line_"))] = text
    return "".join(found).encode()


def pieces(ground: Ground, *files: Mapping[str, File | bytes | str | None]) -> list[Piece]:
    return [Piece(name=f"p{number}", change=change(ground, one)) for number, one in enumerate(files)]


# -- what git makes of the same ---------------------------------------------------------------------------------------


class Worktree:
    """The repository's files, where git merges as anybody has it merge."""

    def __init__(self, repository: Path, folder: Path) -> None:
        self.folder = folder
        git(repository, "worktree", "add", "--quiet", "--detach", str(folder))
        self.base = git(folder, "rev-parse", "HEAD")

    def commit(self, change: Change) -> str:
        git(self.folder, "checkout", "--quiet", "--force", "--detach", self.base)
        put(self.folder, change)
        git(self.folder, "add", "--all")
        git(self.folder, "commit", "--quiet", "--allow-empty", "--message", "one")
        return git(self.folder, "rev-parse", "HEAD")

    def conflicts(self, one: str, other: str) -> bool:
        git(self.folder, "checkout", "--quiet", "--force", "--detach", one)
        done = subprocess.run(
            ["git", "merge", "--quiet", "--no-edit", other],
            cwd=self.folder,
            env=CLEAN,
            capture_output=True,
            check=False,
        )
        if done.returncode:
            git(self.folder, "reset", "--quiet", "--hard")
            git(self.folder, "clean", "-ffdxq")
        return done.returncode != 0

    def tree(self) -> str:
        return git(self.folder, "rev-parse", "HEAD^{tree}")


def put(folder: Path, change: Change) -> None:
    for edit in change.edits:
        if edit.before is not None:
            (folder / edit.path).unlink()
            for above in list((folder / edit.path).parents)[: edit.path.count("/")]:
                if not any(above.iterdir()):
                    above.rmdir()
    for edit in change.edits:
        if edit.after is not None:
            place = folder / edit.path
            place.parent.mkdir(parents=True, exist_ok=True)
            if edit.after.mode is Mode.LINK:
                os.symlink(edit.after.content, os.fsencode(place))
            else:
                place.write_bytes(edit.after.content)
                place.chmod(0o755 if edit.after.mode is Mode.EXECUTABLE else 0o644)


@pytest.fixture(scope="module")
def worktree(repository: Path, tmp_path_factory: pytest.TempPathFactory):
    yield Worktree(repository, tmp_path_factory.mktemp("worktree") / "tree")
    shutil.rmtree(repository / ".git/worktrees", ignore_errors=True)


contents = st.sampled_from([b"", b"new\n", b"no newline", b"\0\xff binary", b"#!/bin/sh\n"])
modes = st.sampled_from([Mode.FILE, Mode.EXECUTABLE])


@st.composite
def changes_of(draw, path: str) -> Files:
    """What somebody may do to a file: edit a line, replace it, make it executable or a link, delete, move it, or put a
    folder in its place."""
    was = FILES[path]
    kind = draw(st.sampled_from(["line", "line", "line", "all", "mode", "link", "delete", "move", "folder"]))
    lines = was.splitlines(keepends=True)
    at = draw(st.integers(0, len(lines) - 1))
    match kind:
        case "line":
            lines[at : at + draw(st.integers(0, 2))] = [draw(st.sampled_from([b"mine\n", b"yours\n", b""]))]
            return {path: File(content=b"".join(lines), mode=Mode.FILE)}
        case "all":
            return {path: File(content=draw(contents), mode=draw(modes))}
        case "mode":
            return {path: File(content=was, mode=Mode.EXECUTABLE)}
        case "link":
            return {path: File(content=b"elsewhere", mode=Mode.LINK)}
        case "delete":
            return {path: None}
        case "move":
            return {path: None, draw(st.sampled_from([f"{path}.moved", "pkg/deep/here.py"])): File(content=was)}
    return {path: None, f"{path}/inside.py": File(content=draw(contents))}


@st.composite
def some_changes(draw, paths: Sequence[str] = tuple(FILES), most: int = 2) -> Files:
    found: dict[str, File | None] = {}
    for path in draw(st.lists(st.sampled_from(paths), min_size=1, max_size=most, unique=True)):
        found.update(draw(changes_of(path)))
    if draw(st.integers(0, 3)) == 0:
        found[f"{draw(st.sampled_from(['pkg', 'pkg/deep', 'öl']))}/new.py"] = File(content=draw(contents))
    return found


QUICK = settings(max_examples=12, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])


async def tree_of(ground: Ground, change: Change) -> str:
    blobs = {
        edit.path: None if edit.after is None else Blob(mode=edit.after.mode.value, content=edit.after.content)
        for edit in change.edits
    }
    (made,) = await ground.shadow.commits(ground.commit, [blobs])
    return made


# -- two by two -------------------------------------------------------------------------------------------------------


@pytest.mark.promise("P7")
@QUICK
@given(data=st.data())
def test_what_conflicts_and_what_is_merged_is_what_git_says_in_a_worktree(ground, worktree, data):
    two = [change(ground, data.draw(some_changes())) for _ in range(2)]
    merging = anyio.run(Merging.begin, ground, [Piece(name=str(at), change=one) for at, one in enumerate(two)])
    mine, theirs = map(worktree.commit, two)
    conflicts = worktree.conflicts(mine, theirs)
    assert bool(merging.conflicts) == conflicts
    if not conflicts:
        both = anyio.run(merging.together, ["0", "1"])
        assert isinstance(both, Change)
        made = anyio.run(tree_of, ground, both)
        shown = git(ground.shadow.directory, "rev-parse", f"{made}^{{tree}}", GIT_DIR=str(ground.shadow.directory))
        assert shown == worktree.tree()


@pytest.mark.promise("P7")
@QUICK
@given(data=st.data())
def test_disjoint_changes_come_to_all_of_them_in_whatever_order(ground, data):
    paths = data.draw(st.permutations([*FILES, "run.sh"]))
    cuts = sorted(data.draw(st.sets(st.integers(1, len(paths) - 1), min_size=1, max_size=4)))
    groups = [paths[start:end] for start, end in itertools.pairwise([0, *cuts, len(paths)])]
    files = []
    for number, group in enumerate(groups):
        drawn = {path: data.draw(st.sampled_from([b"x\n", b"\0", None])) for path in group}
        new = (
            {f"new-{number}/added.py": File(content=b"new", mode=data.draw(modes))} if data.draw(st.booleans()) else {}
        )
        files.append({**drawn, **new})
    listed = pieces(ground, *files)
    whole = change(ground, {path: one for each in files for path, one in each.items()})
    for order in (listed, listed[::-1], data.draw(st.permutations(listed))):
        merging = anyio.run(Merging.begin, ground, order)
        assert merging.conflicts == ()
        assert anyio.run(merging.together, [piece.name for piece in order]) == whole


@pytest.mark.promise("P7")
async def test_edits_of_one_file_are_merged_in_whatever_order(ground):
    listed = pieces(
        ground,
        {"pkg/a.py": edited("pkg/a.py", line_1="first\n")},
        {"pkg/a.py": edited("pkg/a.py", line_5="second\n"), "pkg/b.py": b"other\n"},
        {"pkg/a.py": edited("pkg/a.py", line_9="third\n")},
        {"image.bin": b"\0apart"},
    )
    expected = change(
        ground,
        {
            "pkg/a.py": edited("pkg/a.py", line_1="first\n", line_5="second\n", line_9="third\n"),
            "pkg/b.py": b"other\n",
            "image.bin": b"\0apart",
        },
    )
    for order in itertools.permutations(listed):
        merging = await Merging.begin(ground, order)
        assert merging.conflicts == ()
        assert await merging.together(piece.name for piece in order) == expected


async def test_a_file_that_one_moves_and_another_edits_is_edited_where_it_is_now(ground):
    merging = await Merging.begin(
        ground,
        pieces(
            ground,
            {"pkg/a.py": None, "pkg/moved.py": FILES["pkg/a.py"]},
            {"pkg/a.py": edited("pkg/a.py", line_3="edited\n")},
        ),
    )
    assert await merging.together(["p0", "p1"]) == change(
        ground, {"pkg/a.py": None, "pkg/moved.py": edited("pkg/a.py", line_3="edited\n")}
    )


async def test_a_folder_that_one_moves_while_another_adds_to_it_is_a_conflict_as_git_has_it(ground):
    moved = {name.replace("deep", "deeper"): FILES[name] for name in FILES if "deep" in name}
    gone = dict.fromkeys((name for name in FILES if "deep" in name), None)
    merging = await Merging.begin(ground, pieces(ground, {**moved, **gone}, {"pkg/deep/new.py": "new\n"}))
    assert [(one.one, one.other) for one in merging.conflicts] == [("p0", "p1")]


@pytest.mark.promise("P7")
async def test_a_file_that_takes_the_place_of_anothers_folder_is_a_conflict(ground):
    merging = await Merging.begin(ground, pieces(ground, {"pkg/new/mod.py": b"a\n"}, {"pkg/new": b"b\n"}))
    (conflict,) = merging.conflicts
    assert (conflict.one, conflict.other) == ("p0", "p1")

    async def check(change: Change, names: tuple[str, ...]) -> Judgement:
        return Judgement(verdict=Verdict.VERIFIED)

    merged = await merging.proven(check)
    assert tuple(merged.change.paths) == ("pkg/new/mod.py",)
    assert [one.piece.name for one in merged.dropped] == ["p1"]


@pytest.mark.promise("P7")
async def test_who_conflicts_only_with_one_that_has_gone_stays(ground):
    first = edited("pkg/a.py", line_3="first\n")
    both = edited("pkg/a.py", line_3="both\n", line_9="both\n")
    last = edited("pkg/a.py", line_9="last\n")
    merging = await Merging.begin(ground, pieces(ground, *({"pkg/a.py": one} for one in (first, both, last))))
    assert [(one.one, one.other) for one in merging.conflicts] == [("p0", "p1"), ("p1", "p2")]

    async def check(change: Change, names: tuple[str, ...]) -> Judgement:
        return Judgement(verdict=Verdict.VERIFIED)

    merged = await merging.proven(check)
    assert [step.piece.name for step in merged.steps] == ["p0", "p2"]


async def test_where_git_knows_no_batches_one_is_merged_after_the_other(ground, monkeypatch):
    listed = pieces(
        ground,
        {"pkg/a.py": edited("pkg/a.py", line_1="first\n")},
        {"pkg/a.py": edited("pkg/a.py", line_1="second\n")},
        {"pkg/a.py": edited("pkg/a.py", line_9="third\n")},
    )
    together = (await Merging.begin(ground, listed)).conflicts
    run = ours._git

    async def older(arguments, **options):
        if "merge-tree" in arguments and "--stdin" in arguments:
            raise ours.GitFailed(arguments, status=129, words="error: unknown option `stdin'")
        return await run(arguments, **options)

    monkeypatch.setattr(ours, "_git", older)
    assert (await Merging.begin(ground, listed)).conflicts == together
    assert together == (Conflict(one="p0", other="p1", paths=("pkg/a.py",)),)


async def test_how_a_file_is_merged_is_said_by_the_repository(tmp_path):
    folder = make_repository(
        tmp_path / "repository", {**FILES, ".gitattributes": "*.lock -merge\n", "a.lock": FILES["pkg/a.py"]}
    )
    ground = await ground_of(folder, tmp_path)
    one = FILES["pkg/a.py"].replace(b"line 1\n", b"one\n")
    other = FILES["pkg/a.py"].replace(b"line 9\n", b"nine\n")
    merging = await Merging.begin(ground, pieces(ground, {"a.lock": one}, {"a.lock": other}))
    assert [conflict.paths for conflict in merging.conflicts] == [("a.lock",)]


# -- all that goes together, proven -----------------------------------------------------------------------------------


class Suite:
    """A full check that fails where all of some pieces are there at once; it looks at the files alone."""

    def __init__(self, ground: Ground, *culprits: frozenset[str]) -> None:
        self.read = ground.read
        self.culprits = culprits
        self.asked: list[tuple[str, ...]] = []

    async def __call__(self, change: Change, names: tuple[str, ...]) -> Judgement:
        assert len(change.edits) == len(names), "each of the pieces is in it, and nothing else"
        self.asked.append(names)
        for culprit in self.culprits:
            if culprit <= set(names):
                test = TestFailure(
                    id=f"test_{'_'.join(sorted(culprit))}", expected=TestOutcome.PASSED, actual=TestOutcome.FAILED
                )
                return Judgement(verdict=Verdict.WRONG, reason=f"{test.id} fails", failures=(test,))
        return Judgement(verdict=Verdict.VERIFIED)


async def proven(ground: Ground, count: int, *culprits: set[str]) -> tuple[Merged, Suite]:
    listed = [Piece(name=f"p{at}", change=change(ground, {f"made/{at}.py": f"{at}\n"})) for at in range(count)]
    suite = Suite(ground, *map(frozenset, culprits))
    return await (await Merging.begin(ground, listed)).proven(suite), suite


def dropped(merged: Merged) -> dict[str, str]:
    return {one.piece.name: one.reason for one in merged.dropped}


@pytest.mark.promise("P7")
@pytest.mark.parametrize("count", [1, 2, 15, 100])
async def test_one_culprit_is_found_with_few_checks_and_the_rest_stays(ground, count):
    for culprit in {0, count // 3, count - 1}:
        merged, suite = await proven(ground, count, {f"p{culprit}"})
        assert dropped(merged) == {f"p{culprit}": f"test_p{culprit} fails"}
        assert [step.piece.name for step in merged.steps] == [f"p{at}" for at in range(count) if at != culprit]
        assert len(merged.change.edits) == count - 1
        assert merged.checks == len(suite.asked) <= math.ceil(math.log2(count)) + 2


@pytest.mark.promise("P7")
async def test_where_nothing_fails_one_check_is_enough(ground):
    merged, suite = await proven(ground, 40)
    assert (len(suite.asked), merged.dropped, len(merged.steps)) == (1, (), 40)
    assert merged.judgement.verdict is Verdict.VERIFIED


@pytest.mark.promise("P7")
@given(
    culprits=st.lists(st.sets(st.sampled_from([f"p{at}" for at in range(9)]), min_size=1, max_size=3), max_size=4),
)
@settings(max_examples=40)
def test_what_stays_passes_and_whoever_goes_fails_beside_those_who_stay(culprits):
    """For any culprits, alone or only together. No git is needed: all is apart."""
    bare = Ground(shadow=Shadow(directory=Path("/nowhere")), commit="0" * 40, read=lambda path: None)

    async def fails(names: set[str]) -> bool:
        return any(culprit <= names for culprit in culprits)

    async def look() -> None:
        merged, _ = await proven(bare, 9, *culprits)
        stays = {step.piece.name for step in merged.steps}
        goes = set(dropped(merged))
        assert stays | goes == {f"p{at}" for at in range(9)}, "none is lost silently"
        assert not stays & goes
        assert not await fails(stays)
        for name in goes:
            assert await fails(stays | {name}), "it was dropped for nothing"

    anyio.run(look)


@pytest.mark.promise("P7")
async def test_two_that_fail_only_together_lose_the_later_one(ground):
    merged, _ = await proven(ground, 12, {"p2", "p9"})
    assert dropped(merged) == {"p9": "test_p2_p9 fails"}


@pytest.mark.promise("P7")
async def test_of_two_in_conflict_the_first_stays_and_both_are_told_of(ground):
    listed = pieces(
        ground,
        {"pkg/b.py": edited("pkg/b.py", line_0="first\n")},
        {"pkg/a.py": edited("pkg/a.py", line_1="first\n")},
        {"pkg/a.py": edited("pkg/a.py", line_1="second\n")},
        {"pkg/a.py": edited("pkg/a.py", line_1="third\n")},
    )
    before = state_of(ground.folder)
    merging = await Merging.begin(ground, listed)
    assert [(one.one, one.other, one.paths) for one in merging.conflicts] == [
        ("p1", "p2", ("pkg/a.py",)),
        ("p1", "p3", ("pkg/a.py",)),
        ("p2", "p3", ("pkg/a.py",)),
    ]
    asked: list[tuple[str, ...]] = []

    async def check(change: Change, names: tuple[str, ...]) -> Judgement:
        asked.append(names)
        return Judgement(verdict=Verdict.VERIFIED)

    merged = await merging.proven(check)
    assert asked == [("p0", "p1")]
    assert dropped(merged) == {
        "p2": "it conflicts with p1 in pkg/a.py",
        "p3": "it conflicts with p1 in pkg/a.py",
    }
    assert state_of(ground.folder) == before, "W5: nothing of the user's was written"


async def test_steps_add_up_to_the_whole(ground):
    listed = pieces(
        ground,
        {"pkg/a.py": edited("pkg/a.py", line_1="first\n")},
        {"pkg/b.py": b"apart\n"},
        {"pkg/a.py": edited("pkg/a.py", line_5="second\n"), "pkg/new.py": "new\n"},
        {"pkg/a.py": edited("pkg/a.py", line_9="third\n"), "image.bin": None},
    )

    async def check(change: Change, names: tuple[str, ...]) -> Judgement:
        return Judgement(verdict=Verdict.VERIFIED)

    merged = await (await Merging.begin(ground, listed)).proven(check)
    files: dict[str, File | None] = {}

    def read(path: str) -> File | None:
        return files[path] if path in files else ground.read(path)

    for step in merged.steps:
        step.change.check(base=read)
        files.update({edit.path: edit.after for edit in step.change.edits})
    assert Change.of(files, base=ground.read) == merged.change
    assert [len(step.change.edits) for step in merged.steps] == [1, 1, 2, 2]


async def test_a_check_that_cannot_be_run_is_nobodys_fault(ground):
    async def check(change: Change, names: tuple[str, ...]) -> Judgement:
        return Judgement(verdict=Verdict.ERROR, reason="a worker was lost")

    merging = await Merging.begin(ground, pieces(ground, {"a.py": "1\n"}))
    with pytest.raises(MergeUnchecked, match="a worker was lost"):
        await merging.proven(check)


async def test_nothing_to_merge_is_nothing(ground):
    merged, suite = await proven(ground, 0)
    assert (merged.change, merged.steps, suite.asked) == (Change(), (), [])


def test_names_are_told_apart(ground):
    with pytest.raises(ValueError, match="name of its own"):
        Merging(ground, [Piece(name="a", change=Change())] * 2)
