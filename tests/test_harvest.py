"""What somebody made in a slot, as a change."""

from __future__ import annotations

import os
import socket
import sys
import threading
from contextlib import chdir, suppress
from pathlib import Path

import anyio
import anyio.to_thread
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bakeoff.candidates import Change, File, Mode
from bakeoff.errors import ChangeError, ChangeTooLarge, PathRefused, PoolClosed
from bakeoff.workspaces import Bounds, SlotKind, WorktreePool
from repositories import SMALL, git, make_repository, state_of, write_files

pytestmark = pytest.mark.anyio


@pytest.fixture(params=list(SlotKind))
def kind(request: pytest.FixtureRequest) -> SlotKind:
    """Both kinds of slot pass the same tests."""
    return request.param


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    return make_repository(tmp_path / "repo")


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return tmp_path / "slots"


def one_slot(repository: Path, place: Path, kind: SlotKind, **options) -> WorktreePool:
    return WorktreePool(repository, size=1, kind=kind, directory=place, **options)


async def run_in(slot, script: str) -> None:
    command = slot.command([sys.executable, "-c", f"import os; os.chdir({str(slot.directory)!r})\n{script}"])
    done = await anyio.run_process(command, check=False)
    assert done.returncode == 0, done.stderr.decode()


async def made_by(repository: Path, place: Path, kind: SlotKind, script: str) -> dict[str, File | None]:
    async with one_slot(repository, place, kind) as pool, pool.slot() as slot:
        await run_in(slot, script)
        change = await slot.change()
        change.check(base=pool.read)
        return {edit.path: edit.after for edit in change.edits}


async def test_an_untouched_slot_is_no_change(repository, place, kind) -> None:
    (repository / "dirty.txt").write_text("x")
    async with one_slot(repository, place, kind, python=Path(sys.executable)) as pool, pool.slot() as slot:
        assert await slot.change() == Change()
    with pytest.raises(PoolClosed):
        await slot.change()


async def test_whatever_was_made_is_in_the_change(repository, place, kind) -> None:
    script = """
import shutil
open("pkg/text.py", "a").write("# more")
open("README.md", "r+b").write(b"$")
os.utime("README.md", (1, 1))
os.chmod("README.md", 0o755); os.chmod("run.sh", 0o644)
os.remove("link"); os.symlink("README.md", "link")
shutil.rmtree("data")
os.makedirs("new/deep"); open("new/deep/ä b.bin", "wb").write(b"\\0")
os.symlink("../pkg", "new/link")
os.rename("pkg/deep", "moved")
os.remove("tests/test_text.py"); os.makedirs("tests/test_text.py"); open("tests/test_text.py/inner", "w").close()
os.utime("pkg/__init__.py"); os.makedirs("empty/folder")
"""
    found = await made_by(repository, place, kind, script)
    assert found == {
        "pkg/text.py": File(content=SMALL["pkg/text.py"].encode() + b"# more"),
        "README.md": File(content=b"$ A project\n", mode=Mode.EXECUTABLE),
        "run.sh": File(content=b"#!/bin/sh\necho hello\n"),
        "link": File(content=b"README.md", mode=Mode.LINK),
        "data/öl und Wasser.txt": None,
        "new/deep/ä b.bin": File(content=b"\0"),
        "new/link": File(content=b"../pkg", mode=Mode.LINK),
        "pkg/deep/er/module.py": None,
        "moved/er/module.py": File(content=b"VALUE = 1\n"),
        "tests/test_text.py": None,
        "tests/test_text.py/inner": File(content=b""),
    }


async def test_folders_that_changed_places_are_seen(tmp_path, place, kind) -> None:
    """Files of one size, made at one time, under each other's names."""
    repository = make_repository(tmp_path / "repo", {f"{folder}/f.txt": f"{folder}\n" for folder in "abc"})
    found = await made_by(repository, place, kind, "os.rename('a', 'x'); os.rename('b', 'a'); os.rename('x', 'b')")
    assert found == {"a/f.txt": File(content=b"b\n"), "b/f.txt": File(content=b"a\n")}


async def test_an_edit_of_equal_size_and_time_is_seen(repository, place, kind) -> None:
    async with one_slot(repository, place, kind) as pool:
        for _ in range(3):
            async with pool.slot() as slot:
                was = (slot.path / "pkg/text.py").stat()
                (slot.path / "pkg/text.py").write_bytes(b"#" * was.st_size)
                os.utime(slot.path / "pkg/text.py", ns=(was.st_atime_ns, was.st_mtime_ns))
                assert (await slot.change()).paths == ("pkg/text.py",)


names = st.sampled_from(["README.md", "pkg/text.py", "pkg", "pkg/deep/er/module.py", "run.sh", "new", "new/a", "ü/b c"])
contents = st.binary(max_size=3) | st.just(SMALL["pkg/text.py"].encode())
files = st.none() | st.builds(File, content=contents, mode=st.sampled_from([Mode.FILE, Mode.EXECUTABLE]))


@pytest.mark.parametrize("kind", list(SlotKind))
def test_what_is_staged_is_what_is_taken(tmp_path: Path, kind: SlotKind) -> None:
    """One pool for all examples: a slot is as good as new each time."""
    drawn = st.lists(st.dictionaries(names, files, max_size=5), min_size=40, max_size=40)

    @given(drawn)
    @settings(max_examples=1)
    def all_at_once(examples) -> None:
        async def main() -> None:
            async with one_slot(make_repository(tmp_path / "repo"), tmp_path / "slots", kind) as pool:
                for example in examples:
                    async with pool.slot() as slot:
                        with suppress(ChangeError):
                            change = Change.of(example, base=pool.read)
                            await slot.stage(change)
                            assert await slot.change() == change

        anyio.run(main)

    all_at_once()


# ── What is left out ─────────────────────────────────────────────────────────────────────────────────────────────


async def test_what_git_ignores_is_left_out(tmp_path, place, kind, monkeypatch) -> None:
    ignore = "build/\n*.log\nkeep/*\n!keep/me\n/cfg\n"
    repository = make_repository(
        tmp_path / "repo", {".gitignore": ignore, "sub/.gitignore": "*.tmp\n!a.log\n", "cfg": "tracked though ignored"}
    )
    git(repository, "add", "--force", "cfg")
    git(repository, "commit", "--quiet", "--message", "cfg")
    (repository / ".git/info/exclude").write_text("excluded\n")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    write_files(tmp_path, {"config/git/ignore": ".idea\n"})
    out = ["build/deep/out", "a.log", "keep/you", "sub/x.tmp", "excluded", ".idea/x", "new/build/x", "new/b.log"]
    kept = ["sub/a.log", "keep/me", "new/c", "build.txt", "new/odd:(top)*", ":(top)x", "-rf"]
    script = f"""
for name in {[*out, *kept]!r}:
    os.makedirs(os.path.dirname(name) or ".", exist_ok=True)
    open(name, "w").close()
open("a\\nb.log", "w").close()
open("cfg", "a").write("!")
open(".gitignore", "a").write("*\\n")  # what the base says counts
"""
    found = await made_by(repository, place, kind, script)
    assert found.keys() == {*kept, "cfg", ".gitignore"}


async def test_caches_of_tools_byte_code_and_repositories_are_left_out(repository, place, kind) -> None:
    script = """
import subprocess
for name in ("pkg/__pycache__/a.cpython-311.pyc", "pkg/x.pyc", ".venv/bin/x", ".venv/lib/y", ".cache/deep/z", "own/x"):
    os.makedirs(os.path.dirname(name), exist_ok=True)
    open(name, "w").close()
open(".venv/.gitignore", "w").write("# made by a tool\\n\\n*\\n")
open(".cache/.gitignore", "w").write("*")
os.symlink("/usr/bin/python3", ".venv/bin/python")
open("own/.gitignore", "w").write("*.o\\n")
subprocess.run(["git", "init", "-q", "nested"], check=True); open("nested/file", "w").close()
"""
    found = await made_by(repository, place, kind, script)
    assert found.keys() == {"own/x", "own/.gitignore", "nested/file"}


async def test_pipes_sockets_and_devices_are_left_out_but_not_in_the_place_of_files(repository, place, kind) -> None:
    async with one_slot(repository, place, kind) as pool, pool.slot() as slot:
        os.mkfifo(slot.path / "pipe")
        with chdir(slot.path), socket.socket(socket.AF_UNIX) as listening:
            listening.bind("socket")  # from there, since the path of a socket has to be short
        assert await slot.change() == Change()
        (slot.path / "README.md").unlink()
        os.mkfifo(slot.path / "README.md")
        with pytest.raises(PathRefused, match="is none any more"):
            await slot.change()


# ── What is refused ──────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.promise("W3")
@pytest.mark.parametrize(
    ("script", "error", "why"),
    [
        ("os.symlink('/etc/passwd', 'out')", PathRefused, "absolute"),
        ("os.symlink('../..', 'pkg/out')", PathRefused, "out of the tree"),
        ("os.remove('README.md'); os.symlink('/etc/passwd', 'README.md')", PathRefused, "absolute"),
        ("os.rename('pkg', 'aside'); os.symlink('/etc', 'pkg')", PathRefused, "absolute"),
        ("os.remove('link'); os.mkdir('link'); open('link/x', 'w').close()", PathRefused, "symbolic link in the base"),
        ("open('new\\nline', 'w').close()", PathRefused, "control character"),
        (
            "for _ in range(50):\n    os.mkdir('d' * 100); os.chdir('d' * 100)\nopen('x', 'w').close()",
            PathRefused,
            "too long",
        ),
        ("for i in range(101): open(f'file-{i}', 'w').close()", ChangeTooLarge, "more than 100 files"),
        ("for i in range(101): os.makedirs(f'a/{i}')", ChangeTooLarge, "more than 100 files"),
        ("open('large', 'w').truncate(3_000_000)", ChangeTooLarge, "at most 2 MB"),
        ("for i in range(3): open(f'large-{i}', 'w').truncate(1_000_000)", ChangeTooLarge, "at most 2 MB"),
    ],
)
async def test_what_may_not_land_is_refused(repository, place, kind, script, error, why) -> None:
    async with one_slot(repository, place, kind) as pool, pool.slot() as slot:
        await run_in(slot, script)
        with pytest.raises(error, match=why):
            await slot.change(bounds=Bounds(entries=100, size=2 * 1024 * 1024))


async def test_many_ignored_files_do_not_count(repository, place, kind) -> None:
    script = (
        "os.makedirs('a/build')\nfor i in range(5_200): open(f'a/build/{i}', 'w').close()\nopen('a/x', 'w').close()"
    )
    async with one_slot(repository, place, kind) as pool, pool.slot() as slot:
        await run_in(slot, script)
        assert (await slot.change(bounds=Bounds(entries=5))).paths == ("a/x",)
        assert not list(place.glob("*/shape-*"))


@pytest.mark.promise("W3")
async def test_submodules_are_not_entered(repository, place, kind, tmp_path) -> None:
    library = make_repository(tmp_path / "library", {"lib.py": "LIB = 1\n", ".gitignore": "*.o\n"})
    git(repository, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(library), "library")
    git(repository, "commit", "--quiet", "--message", "library")
    async with one_slot(repository, place, kind) as pool, pool.slot() as slot:
        (slot.path / "library/built.o").write_text("x")
        assert await slot.change() == Change()
        (slot.path / "library/lib.py").write_text("x")
        with pytest.raises(PathRefused, match="library is a submodule"):
            await slot.change()


@pytest.mark.promise("W3")
async def test_nobody_makes_us_read_elsewhere(repository, place, kind, tmp_path) -> None:
    """Somebody swaps a folder for a link, over and over, while the slot is being read."""
    outside = tmp_path / "outside"
    write_files(outside, {"text.py": "precious\n", "secret.py": "precious\n"})
    stop = threading.Event()

    def swap(root: Path) -> None:
        while not stop.is_set():
            with suppress(OSError):
                os.rename(root / "pkg", root / "aside")
                os.symlink(outside, root / "pkg")
            with suppress(OSError):
                os.unlink(root / "pkg")
                os.rename(root / "aside", root / "pkg")

    async with one_slot(repository, place, kind) as pool, pool.slot() as slot:
        straggler = threading.Thread(target=swap, args=(slot.path,))
        straggler.start()
        try:
            for _ in range(30):
                with suppress(ChangeError):
                    change = await slot.change()
                    assert b"precious\n" not in change.contents.values()
        finally:
            stop.set()
            await anyio.to_thread.run_sync(straggler.join)


@pytest.mark.promise("W5")
async def test_no_git_of_ours_runs_what_was_put_into_the_slot(repository, place, tmp_path) -> None:
    marker, evil = tmp_path / "ran", tmp_path / "evil"
    evil.write_text(f"#!/bin/sh\ntouch {marker}\n")
    evil.chmod(0o755)
    script = f"""
import subprocess
subprocess.run(["git", "config", "core.fsmonitor", {str(evil)!r}], check=True)
subprocess.run(["git", "config", "filter.x.clean", {str(evil)!r}], check=True)
open(".gitattributes", "w").write("* filter=x")
open("new.py", "w").write("x")
"""
    before = state_of(repository)
    async with one_slot(repository, place, SlotKind.WORKTREE) as pool, pool.slot() as slot:
        await run_in(slot, script)
        marker.unlink(missing_ok=True)  # the candidate's own git may run it
        assert (await slot.change()).paths == (".gitattributes", "new.py")
    assert not marker.exists()
    assert state_of(repository) == before
