"""What gets into the user's repository, and what does not (W5)."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from bakeoff.candidates import Change, File, Mode
from bakeoff.errors import (
    ApplyConflict,
    BranchExists,
    BranchMisnamed,
    ChangeError,
    DoesNotApply,
    NoIdentity,
    PathRefused,
    RepositoryError,
    TreeUnwritable,
)
from bakeoff.git import Repository
from bakeoff.workspaces import Applied, SlotKind, WorktreePool, apply, branch, handover
from repositories import commit, git, make_repository, state_of, write_files

pytestmark = pytest.mark.anyio

TEXT = "one\ntwo\nthree\nfour\nfive\n"
FILES = {
    "text.txt": TEXT,
    "other.txt": TEXT,
    "gone.txt": "gone\n",
    "pkg/deep/only.py": "ONLY = 1\n",
    "binary.bin": b"\0\1\2\n",
    "öl/ä b.txt": TEXT,
    ".gitignore": "*.log\n",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return make_repository(tmp_path / "repo", FILES)


def reader(folder: Path):
    """The files of a folder as they are now, kept: what the base of a change is."""
    found: dict[str, File] = {}
    for path in folder.rglob("*"):
        name = str(path.relative_to(folder))
        if name == ".git" or name.startswith(".git/"):
            continue
        if path.is_symlink():
            found[name] = File(content=os.fsencode(os.readlink(path)), mode=Mode.LINK)
        elif path.is_file():
            mode = Mode.EXECUTABLE if path.stat().st_mode & 0o100 else Mode.FILE
            found[name] = File(content=path.read_bytes(), mode=mode)
    return found.get


WIDE = {
    "text.txt": TEXT.replace("three", "3").encode(),
    "new/deep/file.txt": b"new\n",
    ":(x)*": b"a name that means something to git\n",
    "gone.txt": None,
    "pkg/deep/only.py": None,
    "run.sh": File(content=b"#!/bin/sh\necho hello\n", mode=Mode.FILE),
    "other.txt": File(content=TEXT.encode(), mode=Mode.EXECUTABLE),
    "link": File(content=b"other.txt", mode=Mode.LINK),
    "binary.bin": b"\0\2\1",
    "öl/ä b.txt": TEXT.replace("two", "zwölf").encode(),
}


async def applied(folder: Path, change: Change, base) -> Applied:
    return await apply(await Repository.find(folder), change, base=base)


def read(folder: Path, path: str) -> File | None:
    return reader(folder)(path)


def names(folder: Path) -> set[str]:
    return {name for name in state_of(folder) if not name.startswith(".git/")}


# ── apply ────────────────────────────────────────────────────────────────────────────────────────────────────────


async def test_a_change_is_written_whole_and_applying_it_again_is_fine(folder: Path) -> None:
    base = reader(folder)
    change = Change.of(WIDE, base=base)
    (folder / "text.txt").chmod(0o640)
    before = state_of(folder / ".git")
    found = await applied(folder, change, base)
    assert found == Applied(written=change.paths)
    for path, wanted in WIDE.items():
        there = read(folder, path)
        assert there == wanted or (there is not None and there.content == wanted), path
    assert not (folder / "pkg").exists(), "folders that are left empty go, as git does it"
    assert (folder / "text.txt").stat().st_mode & 0o777 == 0o640
    assert (folder / "other.txt").stat().st_mode & 0o111
    after = state_of(folder)
    assert not [name for name in after if ".bakeoff" in name]
    assert await applied(folder, change, base) == Applied(already=change.paths)
    assert state_of(folder) == after
    assert state_of(folder / ".git") == before, "index, HEAD and all else of git"


async def test_a_file_that_was_edited_since_is_merged(folder: Path) -> None:
    base = reader(folder)
    change = Change.of({"text.txt": TEXT.replace("five", "5").encode(), "other.txt": b"new\n"}, base=base)
    (folder / "text.txt").write_text(TEXT.replace("one", "1"))
    assert await applied(folder, change, base) == Applied(written=("other.txt",), merged=("text.txt",))
    assert (folder / "text.txt").read_text() == TEXT.replace("one", "1").replace("five", "5")
    assert (await applied(folder, change, base)).already == change.paths


async def test_conflicts_are_told_by_file_and_line_and_nothing_is_written(folder: Path) -> None:
    base = reader(folder)
    files = {
        "text.txt": TEXT.replace("four", "4").encode(),
        "new.txt": b"new\n",
        "way/new.txt": b"new\n",
        "pkg/deep": b"a file where a folder is\n",
        "pkg/deep/only.py": None,
        "gone.txt": None,
        "binary.bin": b"\0",
        "other.txt": b"fits\n",
        "pipe": b"x",
    }
    change = Change.of(files, base=base)
    write_files(
        folder,
        {
            "text.txt": TEXT.replace("four", "IV"),
            "new.txt": "untracked",
            "way": "a file",
            "pkg/deep/untracked.log": "",
            "gone.txt": "still needed\n",
            "binary.bin": b"\0\0",
        },
    )
    os.mkfifo(folder / "pipe")
    before = state_of(folder)
    with pytest.raises(ApplyConflict) as caught:
        await applied(folder, change, base)
    assert caught.value.conflicts == {
        "text.txt": "the same lines were changed in another way (line 4)",
        "new.txt": "it is there already, with other content",
        "way/new.txt": "way is a file",
        "pkg/deep": "it is a folder, with other files in it",
        "gone.txt": "it was changed, and is to be deleted",
        "binary.bin": "it was changed, and is binary",
        "pipe": "it is neither a file nor a link",
    }
    assert "nothing was written" in str(caught.value)
    assert state_of(folder) == before


async def test_a_file_that_was_deleted_since_conflicts(folder: Path) -> None:
    base = reader(folder)
    change = Change.of({"text.txt": b"x", "gone.txt": None}, base=base)
    (folder / "text.txt").unlink()
    (folder / "gone.txt").unlink()
    with pytest.raises(ApplyConflict) as caught:
        await applied(folder, change, base)
    assert caught.value.paths == ("text.txt",)


@pytest.mark.parametrize("after", [b"x", None])
async def test_who_is_just_editing_a_file_does_not_lose_it(folder: Path, after: bytes | None) -> None:
    files = reader(folder)
    change = Change.of({"other.txt": b"y", "text.txt": after, "öl/ä b.txt": b"z"}, base=files)
    asked = []

    def base(path: str) -> File | None:
        asked.append(path)
        if asked.count("öl/ä b.txt") == 2:  # the others have been looked at by now
            (folder / "text.txt").write_text("edited")
        return files(path)

    with pytest.raises(ApplyConflict, match=r"text.txt: somebody is just editing it"):
        await applied(folder, change, base)
    assert (folder / "text.txt").read_text() == "edited"
    assert (folder / "other.txt").read_text() == TEXT
    assert not [name for name in state_of(folder) if ".bakeoff" in name]


async def test_a_base_that_is_not_that_of_the_change_is_refused(folder: Path) -> None:
    base = reader(folder)
    change = Change.of({"text.txt": b"x"}, base=base)
    with pytest.raises(DoesNotApply):
        await applied(folder, change, lambda _: None)


async def test_files_and_folders_change_places(folder: Path) -> None:
    base = reader(folder)
    files = {"text.txt": None, "text.txt/inner.txt": b"in\n", "pkg/deep/only.py": None, "pkg": b"a file now\n"}
    change = Change.of(files, base=base)
    assert (await applied(folder, change, base)).written == change.paths
    assert (folder / "text.txt/inner.txt").read_text() == "in\n"
    assert (folder / "pkg").read_text() == "a file now\n"
    assert await applied(folder, change, base) == Applied(already=change.paths)


async def test_crlf_files_and_last_lines_without_newline_stay_so(folder: Path) -> None:
    """What core.autocrlf makes of a file: the base has LF, the working tree CR LF."""
    write_files(folder, {"last.txt": "a\nb\nc"})
    base = reader(folder)
    change = Change.of({"text.txt": TEXT.replace("five", "5").encode(), "last.txt": b"A\nb\nc"}, base=base)
    (folder / "text.txt").write_bytes(TEXT.replace("\n", "\r\n").encode())
    await applied(folder, change, base)
    assert (folder / "text.txt").read_bytes() == TEXT.replace("five", "5").replace("\n", "\r\n").encode()
    assert (folder / "last.txt").read_bytes() == b"A\nb\nc"
    assert (await applied(folder, change, base)).already == change.paths


@pytest.mark.promise("W3")
async def test_links_on_the_way_are_refused(folder: Path, tmp_path: Path) -> None:
    base = reader(folder)
    change = Change.of({"pkg/deep/new.py": b"x", "other.txt": b"x"}, base=base)
    outside = tmp_path / "outside"
    (outside / "deep").mkdir(parents=True)
    (folder / "pkg").rename(tmp_path / "away")
    (folder / "pkg").symlink_to(outside)
    before = state_of(tmp_path)
    with pytest.raises(PathRefused, match="'pkg' is a symbolic link"):
        await applied(folder, change, base)
    assert state_of(tmp_path) == before


@pytest.mark.promise("W3")
async def test_a_repository_inside_is_left_alone(folder: Path) -> None:
    base = reader(folder)
    change = Change.of({"pkg/deep/new.py": b"x"}, base=base)
    git(folder / "pkg", "init", "--quiet")
    with pytest.raises(PathRefused, match="'pkg' is a repository of its own"):
        await applied(folder, change, base)


@pytest.mark.promise("W6")
async def test_a_change_to_a_snapshot_of_a_dirty_tree_is_written_to_that_tree(folder: Path, tmp_path: Path) -> None:
    write_files(folder, {"text.txt": TEXT.replace("one", "dirty"), "untracked.txt": "u\n"})
    async with WorktreePool(folder, size=1, kind=SlotKind.WORKTREE, directory=tmp_path / "slots") as pool:
        async with pool.slot() as slot:
            (slot.path / "text.txt").write_text(TEXT.replace("one", "dirty").replace("two", "2"))
            (slot.path / "untracked.txt").write_text("changed\n")
            change = await slot.change()
        found = await applied(folder, change, pool.read)
    assert found.written == ("text.txt", "untracked.txt")
    assert (folder / "text.txt").read_text() == TEXT.replace("one", "dirty").replace("two", "2")


# ── apply, when the machine fails ────────────────────────────────────────────────────────────────────────────────


class Failing:
    """Calls of the system that fail once, at the number-th of all of them."""

    NAMES = ("rename", "link", "unlink", "mkdir", "rmdir", "fsync", "symlink")

    def __init__(self, patch: pytest.MonkeyPatch, number: int) -> None:
        self.left = number
        for name in self.NAMES:
            patch.setattr(os, name, self.wrapped(getattr(os, name)))

    def wrapped(self, real):
        def call(*arguments, **options):
            self.left -= 1
            if self.left == 0:
                raise OSError(5, "Input/output error")
            return real(*arguments, **options)

        return call


def plain(folder: Path) -> Path:
    """The files of `FILES` without a repository around them."""
    write_files(folder, FILES | {"run.sh": "#!/bin/sh\necho hello\n"})
    (folder / "run.sh").chmod(0o755)
    (folder / "link").symlink_to("text.txt")
    return folder


@pytest.mark.promise("W5")
def test_whatever_call_fails_the_tree_is_as_it_was_or_done(tmp_path: Path) -> None:
    put_back, number = 0, 0
    left = 0
    while left <= 0:
        number += 1
        folder = plain(tmp_path / str(number))
        base = reader(folder)
        change = Change.of(WIDE | {"text.txt": None, "text.txt/inner.txt": b"in\n"}, base=base)
        before, inodes = state_of(folder), inodes_of(folder)
        with pytest.MonkeyPatch.context() as patch:
            failing = Failing(patch, number)
            try:
                handover._apply(folder, change, base, "it")
                told = None
            except TreeUnwritable as error:
                told = str(error)
        left = failing.left
        if told is None:
            handover._apply(folder, change, base, "it")
            assert all(read(folder, edit.path) == edit.after for edit in change.edits)
        else:
            put_back += 1
            assert "Input/output error" in told
            assert "nothing was changed" in told
            assert (state_of(folder), inodes_of(folder)) == (before, inodes)
    assert put_back > 20


def inodes_of(folder: Path) -> dict[str, int]:
    return {name: (folder / name).lstat().st_ino for name in state_of(folder) if not (folder / name).is_dir()}


KILLED = """
import os, sys
from pathlib import Path
sys.path.insert(0, sys.argv[2])
from test_handover import TEXT, WIDE, Failing, handover, inodes_of, plain, reader
from bakeoff.candidates import Change

place = Path(sys.argv[1])
base = reader(plain(place / "base"))
change = Change.of(WIDE, base=base)

def dirty(name):
    folder = plain(place / name)
    (folder / "text.txt").write_text(TEXT.replace("one", "1"))
    return folder

def files(folder):
    return {name: reader(folder)(name) for name in inodes_of(folder)}

def kill_at(number):
    left = number
    def wrapped(real):
        def call(*arguments, **options):
            nonlocal left
            left -= 1
            if left == 0:
                os.kill(os.getpid(), 9)
            return real(*arguments, **options)
        return call
    for name in Failing.NAMES:
        setattr(os, name, wrapped(getattr(os, name)))

old = files(dirty("old"))
whole = dirty("whole")
handover._apply(whole, change, base, "it")
new = files(whole)
for number in range(1, 200):
    folder = dirty(str(number))
    child = os.fork()
    if child == 0:
        kill_at(number)
        handover._apply(folder, change, base, "it")
        os._exit(0)
    _, status = os.waitpid(child, 0)
    found = files(folder)
    for path in old | new:
        assert found.get(path) in (old.get(path), new.get(path)), (number, path)
    handover._apply(folder, change, base, "it")
    assert files(folder) == new, number
    if status == 0:
        break
    assert status == 9, status
print(number)
"""


@pytest.mark.promise("W5")
def test_whoever_is_killed_in_the_middle_leaves_whole_files_and_the_next_one_finishes(tmp_path: Path) -> None:
    command = [sys.executable, "-B", "-c", KILLED, str(tmp_path), str(Path(__file__).parent)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert 30 < int(done.stdout) < 199


@pytest.mark.promise("W5")
def test_a_rename_that_the_kernel_refuses_is_taken_back(folder: Path) -> None:
    """Something is mounted on one of the files, in a namespace of the test's own."""
    script = f"""
import sys, subprocess, anyio
from pathlib import Path
sys.path.insert(0, {str(Path(__file__).parent)!r})
from test_handover import *
async def main():
    folder = Path({str(folder)!r})
    base = reader(folder)
    change = Change.of({{"gone.txt": None, "new.txt": b"x", "text.txt": b"x", "other.txt": b"x"}}, base=base)
    subprocess.run(["mount", "--bind", folder / "text.txt", folder / "text.txt"], check=True)
    before = state_of(folder)
    try:
        await applied(folder, change, base)
    except TreeUnwritable as error:
        assert state_of(folder) == before
        print(error)
anyio.run(main)
"""
    done = subprocess.run(
        ["unshare", "-rm", sys.executable, "-B", "-c", script], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "text.txt: Device or resource busy" in done.stdout
    assert "nothing was changed" in done.stdout


def test_a_closed_folder_is_not_opened_for_it(folder: Path) -> None:
    """As an ordinary user: the permissions of the user's tree are not ours to change."""
    script = f"""
import sys, anyio
from pathlib import Path
sys.path.insert(0, {str(Path(__file__).parent)!r})
from test_handover import *
async def main():
    folder = Path({str(folder)!r})
    base = reader(folder)
    change = Change.of({{"other.txt": b"x", "pkg/deep/only.py": b"x"}}, base=base)
    (folder / "pkg/deep").chmod(0o500)
    before = state_of(folder)
    try:
        handover._apply(folder, change, base, "it")
    except TreeUnwritable as error:
        print(error)
    assert state_of(folder) == before
    (folder / "pkg/deep").chmod(0o000)
    try:
        handover._apply(folder, change, base, "it")
    except TreeUnwritable as error:
        print(error)
    assert (folder / "pkg/deep").stat().st_mode & 0o777 == 0
    (folder / "pkg/deep").chmod(0o700)
anyio.run(main)
"""
    done = subprocess.run(
        ["unshare", "-U", sys.executable, "-B", "-c", script], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("the change cannot be written: pkg/deep/only.py: Permission denied") == 2


# ── branch ───────────────────────────────────────────────────────────────────────────────────────────────────────


async def branched(folder: Path, change: Change, base, name: str = "bakeoff/fast"):
    return await branch(await Repository.find(folder), name, change, base=base, message="Faster\n\nÜber 3x\n")


@pytest.fixture
def identity(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """The user's settings, some of which would run or sign something."""
    marker = tmp_path / "ran"
    evil = tmp_path / "evil"
    evil.write_text(f"#!/bin/sh\ntouch '{marker}'\nexit 1\n")
    evil.chmod(0o755)
    hooks = tmp_path / "hooks"
    hooks.mkdir()
    for name in ("pre-commit", "commit-msg", "post-commit", "reference-transaction", "post-index-change"):
        (hooks / name).symlink_to(evil)
    config = tmp_path / "gitconfig"
    config.write_text(
        f"[user]\n\tname = Ada L\n\temail = ada@example.org\n[commit]\n\tgpgSign = true\n[gpg]\n\tprogram = {evil}\n"
        f"[core]\n\thooksPath = {hooks}\n\tfsmonitor = {evil}\n\tautocrlf = true\n\tsafecrlf = true\n"
        f"[diff]\n\texternal = {evil}\n[i18n]\n\tcommitEncoding = latin1\n"
    )
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / ".gitconfig").write_text(config.read_text())
    return marker


@pytest.mark.promise("W5")
async def test_a_branch_is_made_and_nothing_else_is_touched(folder: Path, identity: Path) -> None:
    write_files(folder, {"text.txt": "stashed\n"})
    git(folder, "stash")
    git(folder, "config", "core.fileMode", "false")
    write_files(folder, {"text.txt": TEXT.replace("one", "dirty"), "staged.txt": "s\n", "untracked.txt": "u\n"})
    git(folder, "add", "staged.txt")
    base = reader(folder)
    files = dict(WIDE) | {"text.txt": TEXT.replace("one", "dirty").replace("five", "5").encode()}
    before = state_of(folder)
    found = await branched(folder, Change.of(files, base=base), base)
    after = state_of(folder)
    new = {name for name in after.keys() - before.keys() if "/objects/" not in name}
    assert new == {f".git/{at}refs/heads/bakeoff{file}" for at in ("", "logs/") for file in ("", "/fast")}
    assert {name for name in before if before[name] != after.get(name)} == set()
    assert not identity.exists()
    assert found.applied.merged == ("text.txt",)
    assert (
        git(folder, "rev-parse", "bakeoff/fast", "bakeoff/fast^")
        == f"{found.commit}\n{git(folder, 'rev-parse', 'HEAD')}"
    )
    assert git(folder, "show", "bakeoff/fast:text.txt") + "\n" == TEXT.replace("five", "5"), "not what is only dirty"
    changed = git(folder, "diff", "--no-renames", "--name-status", "-z", "HEAD", "bakeoff/fast").split("\0")
    assert set(changed[1::2]) == set(WIDE)
    assert git(folder, "show", "--no-patch", "--format=%an %ae %cn|%B", "bakeoff/fast") == (
        "Ada L ada@example.org Ada L|Faster\n\nÜber 3x"
    )
    git(folder, "fsck", "--strict")
    git(folder, "stash", "--include-untracked")
    git(folder, "checkout", "--quiet", "bakeoff/fast")
    assert read(folder, "binary.bin") == File(content=b"\0\2\1")
    assert read(folder, "link") == File(content=b"other.txt", mode=Mode.LINK)
    assert read(folder, "other.txt").mode is Mode.EXECUTABLE
    assert read(folder, "öl/ä b.txt") == File(content=TEXT.replace("two", "zwölf").encode())


@pytest.mark.promise("W5")
async def test_a_branch_that_cannot_be_made_leaves_nothing(folder: Path, identity: Path) -> None:
    base = reader(folder)
    change = Change.of({"text.txt": TEXT.replace("four", "4").encode()}, base=base)
    write_files(folder, {"text.txt": TEXT.replace("four", "IV")})
    commit(folder)
    git(folder, "branch", "taken")
    before = state_of(folder)
    with pytest.raises(ApplyConflict, match=r"conflicts with HEAD: text.txt: .* \(line 4\)(?s:.)*commit your own"):
        await branched(folder, change, base)
    for name in ("taken", "taken/below"):
        with pytest.raises(BranchExists, match="there is a branch 'taken' already"):
            await branched(folder, change, base, name)
    for name in ("", "-x", "a..b", "a b", "x.lock", "@{-1}", "HEAD", "a\nb", "a\0b", "/x"):
        with pytest.raises(BranchMisnamed):
            await branched(folder, change, base, name)
    assert state_of(folder) == before


async def test_without_an_identity_it_says_how_to_set_one(folder: Path, monkeypatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("EMAIL", "guessed@example.org")  # what git would make an identity of by itself
    for role in ("AUTHOR", "COMMITTER"):
        for part in ("NAME", "EMAIL"):
            monkeypatch.delenv(f"GIT_{role}_{part}", raising=False)
    base = reader(folder)
    change = Change.of({"text.txt": b"x"}, base=base)
    with pytest.raises(NoIdentity, match=r"git config --global user\.name"):
        await branched(folder, change, base)
    for role in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{role}_NAME", "Grace")
        monkeypatch.setenv(f"GIT_{role}_EMAIL", "grace@example.org")
    await branched(folder, change, base)
    assert git(folder, "show", "--no-patch", "--format=%an %ce", "bakeoff/fast") == "Grace grace@example.org"


async def test_what_head_has_already_makes_no_branch(folder: Path, identity: Path) -> None:
    base = reader(folder)
    change = Change.of({"text.txt": b"x"}, base=base)
    write_files(folder, {"text.txt": "x"})
    commit(folder)
    with pytest.raises(RepositoryError, match="HEAD has this change already"):
        await branched(folder, change, base)
    assert git(folder, "branch", "--list", "bakeoff/*") == ""


async def test_attributes_decide_what_is_committed(folder: Path, identity: Path) -> None:
    """Slots have CR LF where the tree's attributes say so; the repository has LF."""
    write_files(folder, {".gitattributes": "*.bat text eol=crlf\n", "run.bat": "one\r\ntwo\r\n", "kept.txt": "a\r\n"})
    git(folder, "-c", "core.autocrlf=false", "add", "--all")
    git(folder, "commit", "--quiet", "--message", "crlf")
    base = reader(folder)
    files = {"run.bat": b"one\r\n2\r\n", "new.bat": b"new\r\n", "kept.txt": b"b\r\n"}
    await branched(folder, Change.of(files, base=base), base)
    for path, wanted in (("run.bat", b"one\n2\n"), ("new.bat", b"new\n"), ("kept.txt", b"b\r\n")):
        found = subprocess.run(["git", "show", f"bakeoff/fast:{path}"], cwd=folder, capture_output=True, check=True)
        assert found.stdout == wanted


async def test_what_the_user_ignores_is_committed_all_the_same(folder: Path, identity: Path) -> None:
    (folder / ".git/info/exclude").write_text("*.txt\n*.log\n")
    base = reader(folder)
    await branched(folder, Change.of({"new.log": b"x\n", "text.txt": b"x\n"}, base=base), base)
    assert git(folder, "diff", "--name-only", "HEAD", "bakeoff/fast").split() == ["new.log", "text.txt"]


async def test_filtered_files_are_left_to_git(folder: Path, identity: Path, tmp_path: Path) -> None:
    git(folder, "config", "filter.lfs.clean", str(tmp_path / "evil"))
    write_files(folder, {".gitattributes": "*.big filter=lfs\n"})
    base = reader(folder)
    with pytest.raises(ChangeError, match=r"filter 'lfs'.*(?s:.)*hint: apply the change to the working tree"):
        await branched(folder, Change.of({"new.big": b"x"}, base=base), base)
    assert not identity.exists()


async def test_a_submodule_is_not_entered(folder: Path, identity: Path, tmp_path: Path) -> None:
    library = make_repository(tmp_path / "library", {"lib.py": "LIB = 1\n"})
    git(folder, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(library), "vendor/library")
    commit(folder)
    base = reader(folder)
    with pytest.raises(PathRefused, match="it is a submodule"):
        await branched(folder, Change.of({"vendor/library/lib.py": b"x"}, base=base), base)


@pytest.mark.parametrize("shape", ["linked", "sparse", "sha256", "detached"])
async def test_branches_of_other_shapes_of_repository(tmp_path: Path, identity: Path, shape: str) -> None:
    folder = make_repository(tmp_path / "repo", FILES, *(["--object-format=sha256"] if shape == "sha256" else []))
    base = reader(folder)
    if shape == "linked":
        git(folder, "worktree", "add", "--quiet", str(tmp_path / "linked"), "-b", "other")
        folder = tmp_path / "linked"
    elif shape == "sparse":
        git(folder, "sparse-checkout", "set", "--cone", "--sparse-index", "öl")
        assert not (folder / "pkg").exists()
    elif shape == "detached":
        git(folder, "checkout", "--quiet", "--detach")
    before = git(folder, "status", "--porcelain")
    files = {"pkg/deep/only.py": None, "pkg/deep/new.py": b"NEW = 1\n", "text.txt": b"x\n"}
    await branched(folder, Change.of(files, base=base), base)
    assert git(folder, "show", "bakeoff/fast:pkg/deep/new.py") == "NEW = 1"
    changed = git(folder, "diff", "--no-renames", "--name-status", "HEAD", "bakeoff/fast")
    assert changed.split() == ["A", "pkg/deep/new.py", "D", "pkg/deep/only.py", "M", "text.txt"]
    assert git(folder, "status", "--porcelain") == before
