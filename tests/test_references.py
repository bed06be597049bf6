"""What branches, commits, tags and stash entries stand for."""

from __future__ import annotations

import os
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from bakeoff.candidates import File, Mode
from bakeoff.errors import DoesNotApply, PathRefused, UnknownRef
from bakeoff.workspaces import Reference, SlotKind, WorktreePool
from repositories import commit, git, make_repository, state_of, write_files

pytestmark = pytest.mark.anyio

TEXT = "one\ntwo\nthree\nfour\nfive\n"
FILES = {"text.txt": TEXT, "other.txt": "other\n" * 20, "gone.txt": "gone\n", "binary.bin": b"\0\1" * 500}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return make_repository(tmp_path / "repo", FILES)


@asynccontextmanager
async def opened(folder: Path):
    slots = folder.parent / "slots"
    async with WorktreePool(folder, size=1, kind=SlotKind.WORKTREE, directory=slots) as pool:
        yield pool
        assert not list(slots.glob("*/ref-*"))


async def meant(folder: Path, ref: str) -> Reference:
    async with opened(folder) as pool:
        found = await pool.change_of(ref)
        found.change.check(base=pool.read)
        return found


def after(found: Reference) -> dict[str, File | None]:
    return {edit.path: edit.after for edit in found.change.edits}


def text(content: str) -> File:
    return File(content=content.encode())


def on_branch(folder: Path, name: str, files: dict[str, str | bytes], *, start: str = "main") -> str:
    git(folder, "checkout", "--quiet", "-b", name, start)
    write_files(folder, files)
    made = commit(folder)
    git(folder, "checkout", "--quiet", "main")
    return made


async def test_a_branch_is_what_was_done_since_it_parted_from_head(folder: Path) -> None:
    made = on_branch(folder, "fast", {"text.txt": TEXT.replace("five", "5"), "new.txt": "new\n"})
    write_files(folder, {"text.txt": TEXT.replace("one", "1"), "only-on-main.txt": "x"})
    commit(folder)
    write_files(folder, {"text.txt": TEXT.replace("one", "1").replace("three", "3")})
    git(folder, "tag", "--annotate", "--message", "x", "v1", "fast")
    for ref in ("fast", made, made[:12], "v1", "heads/fast", "fast^{}"):
        found = await meant(folder, ref)
        assert found.commit == made
        assert after(found) == {"text.txt": text("1\ntwo\n3\nfour\n5\n"), "new.txt": text("new\n")}
        assert found.warnings == ()


async def test_a_branch_ahead_of_head_is_what_it_adds(folder: Path) -> None:
    on_branch(folder, "one", {"new.txt": "1\n"})
    on_branch(folder, "two", {"new.txt": "2\n"}, start="one")
    assert after(await meant(folder, "two")) == {"new.txt": text("2\n")}


async def test_an_ancestor_is_the_way_back_to_it(folder: Path) -> None:
    write_files(folder, {"text.txt": TEXT.replace("one", "1"), "new.txt": "new\n"})
    commit(folder)
    write_files(folder, {"text.txt": TEXT.replace("one", "1").replace("five", "dirty")})
    found = await meant(folder, "HEAD~1")
    assert after(found) == {"text.txt": text(TEXT.replace("five", "dirty")), "new.txt": None}
    assert not (await meant(folder, "HEAD")).change


async def test_what_has_nothing_in_common_is_all_that_differs(folder: Path) -> None:
    git(folder, "checkout", "--quiet", "--orphan", "island")
    git(folder, "rm", "--quiet", "-r", "--force", ".")
    write_files(folder, {"text.txt": "other\n"})
    commit(folder)
    git(folder, "checkout", "--quiet", "main")
    expected = dict.fromkeys(["other.txt", "gone.txt", "binary.bin", "run.sh", "link"])
    found = await meant(folder, "island")
    assert after(found) == {**expected, "text.txt": text("other\n")}
    assert found.warnings == ("island and HEAD have no commit in common: all that differs is taken",)


async def test_binary_files_renames_modes_and_links_are_carried_over(folder: Path) -> None:
    git(folder, "checkout", "--quiet", "-b", "wide")
    git(folder, "mv", "other.txt", "öther name.txt")
    (folder / "öther name.txt").write_text("other\n" * 19 + "end\n")
    (folder / "binary.bin").write_bytes(b"\0\1" * 499 + b"\0\2")
    (folder / "run.sh").chmod(0o644)
    (folder / "link").unlink()
    (folder / "link").symlink_to("text.txt")
    (folder / "gone.txt").unlink()
    commit(folder)
    git(folder, "checkout", "--quiet", "main")
    write_files(folder, {"other.txt": "first\n" + "other\n" * 20})
    assert after(await meant(folder, "wide")) == {
        "other.txt": None,
        "öther name.txt": text("first\n" + "other\n" * 19 + "end\n"),
        "binary.bin": File(content=b"\0\1" * 499 + b"\0\2"),
        "run.sh": text("#!/bin/sh\necho hello\n"),
        "link": File(content=b"text.txt", mode=Mode.LINK),
        "gone.txt": None,
    }


async def test_stash_entries_are_what_was_stashed(folder: Path) -> None:
    write_files(folder, {"text.txt": TEXT.replace("five", "5"), "untracked.txt": "u\n"})
    git(folder, "stash", "--include-untracked")
    write_files(folder, {"text.txt": TEXT.replace("one", "1")})
    git(folder, "stash")
    write_files(folder, {"text.txt": TEXT.replace("three", "3")})
    commit(folder)
    first = {"text.txt": text("one\ntwo\n3\nfour\n5\n"), "untracked.txt": text("u\n")}
    assert after(await meant(folder, "stash@{1}")) == first
    assert after(await meant(folder, git(folder, "rev-parse", "stash@{1}"))) == first
    for ref in ("stash", "stash@{0}", "refs/stash"):
        assert after(await meant(folder, ref)) == {"text.txt": text("1\ntwo\n3\nfour\nfive\n")}


async def test_what_does_not_fit_the_base_is_told_with_file_and_line(folder: Path) -> None:
    on_branch(folder, "fast", {"text.txt": TEXT.replace("four", "4"), "new.txt": "theirs\n"})
    write_files(folder, {"text.txt": TEXT.replace("four", "IV"), "new.txt": "ours\n"})
    with pytest.raises(DoesNotApply) as caught:
        await meant(folder, "fast")
    assert caught.value.where == "new.txt"
    assert "there already, with other content, and 1 more of its files do not fit" in str(caught.value)
    (folder / "new.txt").unlink()
    with pytest.raises(DoesNotApply) as caught:
        await meant(folder, "fast")
    assert caught.value.where == "text.txt:4"
    assert "git rebase" in str(caught.value)


async def test_a_rename_onto_a_file_that_is_there_does_not_fit(folder: Path) -> None:
    git(folder, "checkout", "--quiet", "-b", "moved")
    git(folder, "mv", "other.txt", "taken.txt")
    commit(folder)
    git(folder, "checkout", "--quiet", "main")
    write_files(folder, {"taken.txt": "mine\n"})
    with pytest.raises(DoesNotApply, match="there already"):
        await meant(folder, "moved")


@pytest.mark.promise("W3")
async def test_a_link_that_leads_out_is_refused(folder: Path) -> None:
    git(folder, "checkout", "--quiet", "-b", "out")
    (folder / "out").symlink_to("/etc")
    commit(folder)
    git(folder, "checkout", "--quiet", "main")
    with pytest.raises(PathRefused, match="absolute"):
        await meant(folder, "out")


async def test_an_unknown_ref_names_those_that_are_like_it(folder: Path) -> None:
    git(folder, "branch", "faster-parser")
    git(folder, "tag", "v1.0")
    write_files(folder, {"text.txt": "x"})
    git(folder, "stash")
    async with opened(folder) as pool:
        for ref, meant_instead in (
            ("fast-parser", "faster-parser"),
            ("v1.1", "v1.0"),
            ("stash@{3}", "stash@{0}"),
            ("mian", "main"),
        ):
            with pytest.raises(UnknownRef) as caught:
                await pool.change_of(ref)
            assert meant_instead in caught.value.similar
            assert f"did you mean {caught.value.similar[0]}" in str(caught.value)
        with pytest.raises(UnknownRef):
            await pool.change_of("main..faster-parser")
        for ref in ("", "-x", "--all", "HEAD:text.txt", "f" * 40, "a\0b", "zzzzzzzz"):
            with pytest.raises(UnknownRef) as caught:
                await pool.change_of(ref)
            assert "did you mean" not in str(caught.value)


async def test_submodules_and_filtered_files_are_left_out_and_named(folder: Path, tmp_path: Path) -> None:
    library = make_repository(tmp_path / "library", {"lib.py": "LIB = 1\n"})
    git(folder, "config", "filter.lfs.clean", "tr a-z A-Z")
    write_files(folder, {".gitattributes": "*.big filter=lfs\n"})
    commit(folder)
    git(folder, "checkout", "--quiet", "-b", "wide")
    git(folder, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(library), "library")
    write_files(folder, {"a.big": "content", "new.txt": "new\n"})
    commit(folder)
    git(folder, "checkout", "--quiet", "main")
    git(folder, "clean", "-ffdq")
    found = await meant(folder, "wide")
    assert found.change.paths == (".gitmodules", "new.txt")
    assert found.warnings == (
        "left out are changes of submodules: library",
        "left out are files whose content a filter keeps elsewhere, as git-lfs does: a.big",
    )


async def test_files_are_as_slots_have_them(folder: Path) -> None:
    write_files(folder, {".gitattributes": "*.bat text eol=crlf\n", "run.bat": "one\r\ntwo\r\n"})
    commit(folder)
    on_branch(folder, "fast", {"run.bat": "one\r\n2\r\n"})
    assert after(await meant(folder, "fast")) == {"run.bat": text("one\r\n2\r\n")}


@pytest.mark.promise("W5")
async def test_nothing_of_the_users_is_written_or_run(folder: Path, monkeypatch, tmp_path: Path) -> None:
    marker, evil = tmp_path / "ran", tmp_path / "evil"
    evil.write_text(f"#!/bin/sh\ntouch '{marker}'\n")
    evil.chmod(0o755)
    on_branch(folder, "fast", {"text.txt": "x\n", "a.x": "x\n"})
    write_files(folder, {"text.txt": "stashed\n"})
    git(folder, "stash")
    write_files(folder, {"text.txt": TEXT, "staged.txt": "x\n", ".gitattributes": "*.txt diff=evil\n"})
    git(folder, "add", "staged.txt")
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / ".gitconfig").write_text(
        f'[diff]\n\texternal = {evil}\n[diff "evil"]\n\ttextconv = {evil}\n\tcommand = {evil}\n'
        f"[core]\n\tfsmonitor = {evil}\n\tpager = {evil}\n[log]\n\tshowSignature = true\n[gpg]\n\tprogram = {evil}\n"
    )
    async with opened(folder) as pool:
        before = state_of(folder)
        times = {path: path.lstat().st_mtime_ns for path in folder.rglob("*") if "objects" not in path.parts}
        await pool.change_of("fast")
        await pool.change_of("stash")
        with pytest.raises(UnknownRef):
            await pool.change_of("fats")
        assert state_of(folder) == before
        assert {path: os.lstat(path).st_mtime_ns for path in times} == times
    assert not marker.exists()
