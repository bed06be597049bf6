from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from contextlib import AsyncExitStack, suppress
from pathlib import Path

import anyio
import anyio.lowlevel
import anyio.to_thread
import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bakeoff.candidates import Change, Edit, File, Mode
from bakeoff.errors import DoesNotApply, NoSlots, PathRefused, PoolClosed, UsageError
from bakeoff.git import Repository
from bakeoff.owners import Owner
from bakeoff.removal import remove
from bakeoff.workspaces import SlotKind, WorktreePool, leftovers, sweep
from bakeoff.workspaces.files import Root
from bakeoff.workspaces.leftovers import claim
from repositories import SMALL, commit, git, make_repository, state_of, write_files

pytestmark = pytest.mark.anyio
NOT_GIT = frozenset({".git"})


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


def adding(path: str, content: str | bytes = "new\n", mode: Mode = Mode.FILE) -> Change:
    data = content.encode() if isinstance(content, str) else content
    return Change(edits=(Edit(path=path, before=None, after=File(content=data, mode=mode)),))


async def run_in(slot, script: str) -> str:
    """Run Python in a slot as a candidate would: another process, in the slot's own namespace."""
    command = slot.command([sys.executable, "-c", f"import os; os.chdir({str(slot.directory)!r})\n{script}"])
    done = await anyio.run_process(command, check=False)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode()


# ── W1: a pool of slots at one base ──────────────────────────────────────────────────────────────────────────────


@pytest.mark.promise("W1")
async def test_a_pool_has_as_many_slots_as_asked_for_each_of_them_the_base(repository, place, kind) -> None:
    expected = state_of(repository, without=NOT_GIT)
    async with WorktreePool(repository, size=3, kind=kind, directory=place) as pool, AsyncExitStack() as stack:
        slots = [await stack.enter_async_context(pool.slot()) for _ in range(3)]
        assert (pool.size, pool.kind, pool.warnings) == (3, kind, [])
        assert len({slot.path for slot in slots}) == 3
        for slot in slots:
            assert state_of(slot.path, without=NOT_GIT) == expected
            if kind is SlotKind.WORKTREE:
                assert git(slot.path, "rev-parse", "HEAD") == pool.base.commit
                assert git(slot.path, "branch", "--show-current") == ""
    assert list(place.iterdir()) == []


@pytest.mark.promise("W1")
async def test_many_slots_at_once_are_all_created(repository, place) -> None:
    """Git's own `worktree add` loses some when run concurrently."""
    for _ in range(3):
        async with WorktreePool(repository, size=12, kind=SlotKind.WORKTREE, directory=place) as pool:
            assert (pool.size, pool.warnings) == (12, [])


# Which of its many words git finds depends on the file that it was writing when the disk was full.
FULL_DISK = ("No space left on device", "fatal: ", "error: ")
IN_SMALL_ROOM = """
import sys, anyio
from pathlib import Path
from bakeoff.workspaces import WorktreePool, SlotKind
from bakeoff.errors import BakeoffError
async def main():
    try:
        async with WorktreePool(Path(sys.argv[1]), size=4, kind=SlotKind.WORKTREE, directory=Path(sys.argv[2])) as pool:
            print(pool.size, "|".join(pool.warnings))
    except BakeoffError as error:
        print(type(error).__name__, error)
anyio.run(main)
"""


def in_small_room(repository: Path, room: Path, megabytes: int) -> str:
    """Open a pool of four where only a tiny file system is free, in a mount namespace of the test's own."""
    room.mkdir()
    shell = f'mount -t tmpfs -o size={megabytes}m tmpfs "$1" && exec "$2" -c "$3" "$4" "$1/slots"'
    command = ["unshare", "-rm", "sh", "-c", shell, "sh", str(room), sys.executable, IN_SMALL_ROOM, str(repository)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.promise("W1")
def test_a_pool_goes_on_with_fewer_slots_and_says_so(tmp_path: Path) -> None:
    repository = make_repository(tmp_path / "repo", {"big.bin": os.urandom(2_000_000)})
    said = in_small_room(repository, tmp_path / "room", megabytes=7)
    size, _, warning = said.partition(" ")
    assert 1 <= int(size) < 4
    assert f"only {size} of 4 slots could be created" in warning
    assert any(words in warning for words in FULL_DISK)


@pytest.mark.promise("W1")
def test_a_pool_without_a_single_slot_fails_in_gits_own_words(tmp_path: Path) -> None:
    repository = make_repository(tmp_path / "repo", {"big.bin": os.urandom(2_000_000)})
    said = in_small_room(repository, tmp_path / "room", megabytes=3)
    assert said.startswith("NoSlots no slot could be created: ")
    assert any(words in said for words in FULL_DISK)
    assert "hint: " in said


@pytest.mark.promise("W1")
def test_a_pool_without_room_for_the_base_says_so(tmp_path: Path) -> None:
    repository = make_repository(tmp_path / "repo", {"big.bin": os.urandom(2_000_000)})
    said = in_small_room(repository, tmp_path / "room", megabytes=1)
    assert "unable to write file 'big.bin'" in said
    assert "hint: see whether the disk is full" in said


async def test_a_pool_of_nothing_is_refused(repository) -> None:
    with pytest.raises(UsageError, match="at least one slot"):
        WorktreePool(repository, size=0)


# ── W2, W7, W8: leases ───────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.promise("W2")
async def test_slots_are_handed_out_in_the_order_of_asking(repository, place) -> None:
    served: list[int] = []
    async with WorktreePool(repository, size=1, kind=SlotKind.OVERLAY, directory=place) as pool:

        async def ask(number: int) -> None:
            async with pool.slot():
                served.append(number)

        async with anyio.create_task_group() as tasks:
            async with pool.slot():
                for number in range(5):
                    tasks.start_soon(ask, number)
                    await anyio.wait_all_tasks_blocked()
            # Free again, but those in line come first.
            await ask(99)
    assert served == [0, 1, 2, 3, 4, 99]


@pytest.mark.promise("W2")
@pytest.mark.parametrize("end", ["failure", "timeout", "cancellation"])
async def test_a_slot_comes_back_whatever_ends_its_lease(repository, place, kind, end) -> None:
    async with WorktreePool(repository, size=1, kind=kind, directory=place) as pool:
        expected = state_of(repository, without=NOT_GIT)

        async def use() -> None:
            async with pool.slot() as slot:
                (slot.path / "litter").write_text("x")
                if end == "failure":
                    raise RuntimeError("the candidate's fault")
                await anyio.sleep_forever()

        if end == "failure":
            with pytest.raises(RuntimeError, match="the candidate's fault"):
                await use()
        elif end == "timeout":
            with pytest.raises(TimeoutError), anyio.fail_after(0.05):
                await use()
        else:
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(use)
                await anyio.wait_all_tasks_blocked()
                tasks.cancel_scope.cancel()
        with anyio.fail_after(30):
            async with pool.slot() as slot:
                assert state_of(slot.path, without=NOT_GIT) == expected
        assert pool.size == 1


@pytest.mark.promise("W2")
async def test_one_who_stops_waiting_leaves_the_line(repository, place) -> None:
    async with WorktreePool(repository, size=1, kind=SlotKind.OVERLAY, directory=place) as pool:
        slot = await pool.acquire()
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(pool.acquire)
            await anyio.wait_all_tasks_blocked()
            tasks.cancel_scope.cancel()
        await pool.release(slot)
        with anyio.fail_after(30):
            await pool.release(await pool.acquire())


@pytest.mark.promise("W2")
async def test_a_slot_handed_to_one_who_just_left_goes_to_the_next(repository, place) -> None:
    """The hand-over and the cancellation of its receiver happen in the same moment."""
    async with WorktreePool(repository, size=1, kind=SlotKind.OVERLAY, directory=place) as pool:
        slot = await pool.acquire()

        async def leave() -> None:
            async with pool.slot():
                await anyio.sleep_forever()

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(leave)
            await anyio.wait_all_tasks_blocked()
            with anyio.CancelScope(shield=True):
                await pool.release(slot)
                tasks.cancel_scope.cancel()
        with anyio.fail_after(30):
            await pool.release(await pool.acquire())
        assert pool.size == 1


@pytest.mark.promise("W7")
async def test_more_candidates_than_slots_never_deadlock_also_when_each_comes_twice(repository, place, kind) -> None:
    finished = []
    async with WorktreePool(repository, size=2, kind=kind, directory=place) as pool:

        async def candidate(number: int) -> None:
            for phase in ("verify", "measure"):
                async with pool.slot() as slot:
                    await slot.stage(adding(f"{phase}-{number}"))
                    assert [path.name for path in slot.path.glob("*-*")] == [f"{phase}-{number}"]
            finished.append(number)

        with anyio.fail_after(100):
            async with anyio.create_task_group() as tasks:
                for number in range(12):
                    tasks.start_soon(candidate, number)
    assert sorted(finished) == list(range(12))


@pytest.mark.promise("W8")
async def test_closing_tells_those_who_wait_and_a_late_release_is_harmless(repository, place, kind) -> None:
    told = []

    async def wait(pool: WorktreePool) -> None:
        try:
            with anyio.fail_after(60):
                await pool.acquire()
        except PoolClosed as error:
            told.append(str(error))

    async with anyio.create_task_group() as tasks:
        async with WorktreePool(repository, size=1, kind=kind, directory=place) as pool:
            slot = await pool.acquire()
            for _ in range(3):
                tasks.start_soon(wait, pool)
            await anyio.wait_all_tasks_blocked()
    assert len(told) == 3
    assert "the pool of slots is closed" in told[0]
    await pool.release(slot)
    await pool.release(slot)
    with pytest.raises(PoolClosed):
        await pool.acquire()
    assert list(place.iterdir()) == []


@pytest.mark.promise("W2")
async def test_a_slot_is_of_no_use_after_its_release(repository, place) -> None:
    async with WorktreePool(repository, size=1, directory=place) as pool:
        async with pool.slot() as slot:
            pass
        with pytest.raises(PoolClosed):
            await slot.stage(adding("late"))
        await pool.release(slot)
        assert pool.size == 1


# ── W3: only inside the slot ─────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.promise("W3")
@pytest.mark.parametrize(
    "path", ["/etc/passwd", "../up", "a/../../up", ".git/config", "sub/.GIT/hooks/x", "", ".", "a//b"]
)
def test_paths_that_lead_out_cannot_even_be_named(path) -> None:
    with pytest.raises(PathRefused):
        adding(path)


@pytest.mark.promise("W3")
@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("out/evil", "'out' is a symbolic link"),
        ("up/evil", "'up' is a symbolic link"),
        ("inside/evil.py", "'inside' is a symbolic link"),
        ("pkg/text.py/evil", "'pkg/text.py' is a file"),
        ("pkg", "it is a folder"),
    ],
)
async def test_links_in_the_base_do_not_lead_out(tmp_path, place, kind, path, why) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    repository = make_repository(tmp_path / "repo")
    (repository / "out").symlink_to(outside)
    (repository / "up").symlink_to("..")
    (repository / "inside").symlink_to("pkg")
    commit(repository)
    change = Change(edits=(*adding("first.txt").edits, *adding(path).edits))
    async with WorktreePool(repository, size=1, kind=kind, directory=place) as pool, pool.slot() as slot:
        before = state_of(slot.path)
        with pytest.raises(PathRefused) as caught:
            await slot.stage(change)
        assert why in str(caught.value)
        assert state_of(slot.path) == before, "nothing is written before all is checked"
    assert list(outside.iterdir()) == []


@pytest.mark.promise("W3")
async def test_links_made_while_a_candidate_runs_do_not_lead_out(tmp_path, repository, place, kind) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    async with WorktreePool(repository, size=1, kind=kind, directory=place) as pool, pool.slot() as slot:
        await run_in(slot, f"import shutil; shutil.rmtree('pkg'); os.symlink({str(outside)!r}, 'pkg')")
        await slot.stage(adding("pkg/evil"))
        assert (slot.path / "pkg" / "evil").exists()
        assert not (slot.path / "pkg").is_symlink(), "staging starts from the base"
    assert list(outside.iterdir()) == []


@pytest.mark.promise("W3")
@pytest.mark.parametrize("path", ["link/evil", "folder/link/evil"])
def test_a_link_that_appears_after_the_check_is_not_followed(tmp_path, path) -> None:
    outside, inside = tmp_path / "outside", tmp_path / "inside"
    outside.mkdir()
    (inside / path).parent.parent.mkdir(parents=True)
    (inside / path).parent.symlink_to(outside)
    (outside / "evil").write_text("secret")
    with Root(inside) as root:
        for action in (root.delete, root.remove, lambda path: root.write(path, File(content=b"x"))):
            with pytest.raises(OSError, match="Not a directory"):
                action(path)
        assert root.read(path) is None
    assert (outside / "evil").read_text() == "secret"


@pytest.mark.promise("W3")
async def test_a_link_is_replaced_not_written_through(repository, place, kind) -> None:
    link = File(content=b"pkg/text.py", mode=Mode.LINK)
    change = Change(edits=(Edit(path="link", before=link.version, after=File(content=b"plain")),))
    async with WorktreePool(repository, size=1, kind=kind, directory=place) as pool, pool.slot() as slot:
        await slot.stage(change)
        assert not (slot.path / "link").is_symlink()
        assert (slot.path / "pkg/text.py").read_text() == SMALL["pkg/text.py"]


@pytest.mark.promise("W3", "W11")
async def test_a_submodule_is_closed_to_changes(tmp_path, place, kind) -> None:
    library = make_repository(tmp_path / "library", {"lib.py": "LIB = 1\n"})
    repository = make_repository(tmp_path / "repo")
    git(repository, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(library), "library")
    commit(repository)
    async with WorktreePool(repository, size=1, kind=kind, directory=place) as pool, pool.slot() as slot:
        assert (slot.path / "library/lib.py").read_text() == "LIB = 1\n"
        with pytest.raises(PathRefused, match="library is a submodule"):
            await slot.stage(adding("library/new.py"))


async def test_a_change_made_for_another_base_does_not_land(repository, place, kind) -> None:
    stale = Change(edits=(Edit(path="README.md", before=File(content=b"other").version, after=File(content=b"x")),))
    async with WorktreePool(repository, size=1, kind=kind, directory=place) as pool, pool.slot() as slot:
        with pytest.raises(DoesNotApply, match="not what the change was made for"):
            await slot.stage(stale)


@pytest.mark.promise("W4")
async def test_staging_gives_the_base_plus_the_change_and_nothing_of_the_one_before(repository, place, kind) -> None:
    async with WorktreePool(repository, size=1, kind=kind, directory=place) as pool, pool.slot() as slot:
        await slot.stage(adding("first.py"))
        await slot.stage(adding("second/one.sh", "#!/bin/sh\n", Mode.EXECUTABLE))
        found = state_of(slot.path, without=NOT_GIT)
        expected = state_of(repository, without=NOT_GIT)
        assert set(found) - set(expected) == {"second", "second/one.sh"}
        assert os.access(slot.path / "second/one.sh", os.X_OK)


async def test_all_kinds_of_edit_land(repository, place, kind) -> None:
    async with WorktreePool(repository, size=1, kind=kind, directory=place) as pool:
        assert pool.read("pkg") is None
        assert pool.read("no/such/file") is None
        assert pool.read("link") == File(content=b"pkg/text.py", mode=Mode.LINK)
        await land_all_kinds(pool, repository)
    with pytest.raises(PoolClosed):
        pool.read("README.md")


async def land_all_kinds(pool: WorktreePool, repository: Path) -> None:
    change = Change.of(
        {
            "README.md": b"changed\n",
            "pkg/deep/er/module.py": None,
            "pkg/deep/er": b"a folder turned into a file",
            "tests/test_text.py": File(content=SMALL["tests/test_text.py"].encode(), mode=Mode.EXECUTABLE),
            "link": None,
            "run.sh": None,
            "run.sh/now/a/folder": b"x",
            "latest": File(content=b"pkg/text.py", mode=Mode.LINK),
        },
        base=pool.read,
    )
    async with pool.slot() as slot:
        await slot.stage(change)
        assert (slot.path / "README.md").read_text() == "changed\n"
        assert (slot.path / "pkg/deep/er").is_file()
        assert (slot.path / "run.sh/now/a/folder").is_file()
        assert not os.path.lexists(slot.path / "link")
        assert os.access(slot.path / "tests/test_text.py", os.X_OK)
        assert os.readlink(slot.path / "latest") == "pkg/text.py"
    async with pool.slot() as slot:
        assert state_of(slot.path, without=NOT_GIT) == state_of(repository, without=NOT_GIT)


# ── W4: byte for byte the base ───────────────────────────────────────────────────────────────────────────────────

WORST = """
import os, shutil, subprocess
os.chmod("run.sh", 0o600); os.chmod("pkg", 0o500); os.chmod("data", 0o777)
os.chmod("pkg", 0o755)
os.mkdir("build"); open("build/out", "w").write("ignored"); open("a.log", "w").write("ignored")
shutil.rmtree("tests"); os.symlink("/etc", "tests")
os.remove("link"); os.mkdir("link"); open("link/file", "w").write("x")
os.remove("README.md"); os.link("pkg/text.py", "README.md"); open("README.md", "a").write("through a hard link")
open("-rf", "w").write("x"); open("--", "w").write("x"); os.mkdir("*"); open("new\\nline", "w").write("x")
subprocess.run(["git", "init", "-q", "nested"], check=True)
subprocess.run("cd nested && git -c user.name=a -c user.email=a@b commit -q --allow-empty -m x", shell=True, check=True)
os.remove("pkg/deep/er/module.py"); os.makedirs("pkg/deep/er/module.py/now/a/folder")
shutil.move("pkg/deep", "moved"); os.rename("pkg/__init__.py", "pkg/renamed.py")
os.mkdir("closed"); open("closed/file", "w").write("x"); os.chmod("closed/file", 0o400); os.chmod("closed", 0o500)
os.mkfifo("pipe"); os.setxattr("data", "user.mark", b"x")
with open(".gitignore", "r+b") as file: file.write(b"#")
if os.path.exists(".git"): os.remove(".git")
os.chmod(".", 0o700)
"""


@pytest.mark.promise("W4")
async def test_nothing_is_left_of_a_candidate_that_does_its_worst(repository, place, kind) -> None:
    expected = state_of(repository, without=NOT_GIT)
    async with WorktreePool(repository, size=1, kind=kind, directory=place) as pool:
        for _ in range(2):
            async with pool.slot() as slot:
                with_git = state_of(slot.path)
                await run_in(slot, WORST)
                assert state_of(slot.path) != with_git
            async with pool.slot() as slot:
                assert state_of(slot.path, without=NOT_GIT) == expected
                assert state_of(slot.path) == with_git
                assert "user.mark" not in os.listxattr(slot.path / "data")


@pytest.mark.promise("W4")
async def test_ten_thousand_new_files_are_gone_again(repository, place, kind) -> None:
    script = "for i in range(10_000): open(f'pkg/file-{i}', 'w').close()\nopen('pkg/text.py', 'a').write('x')"
    expected = state_of(repository, without=NOT_GIT)
    async with WorktreePool(repository, size=1, kind=kind, directory=place) as pool:
        async with pool.slot() as slot:
            await run_in(slot, script)
            assert len(os.listdir(slot.path / "pkg")) > 10_000
        async with pool.slot() as slot:
            assert state_of(slot.path, without=NOT_GIT) == expected


@pytest.mark.promise("W4")
async def test_a_slot_is_exact_also_when_the_kernel_lost_count(repository, place, kind) -> None:
    """More events than the kernel keeps, of few files, and then one edit that it no longer tells of."""
    script = "for i in range(20_000): open('ab'[i % 2], 'w').close()\nopen('pkg/text.py', 'r+').write('#')\n"
    async with WorktreePool(repository, size=1, kind=kind, directory=place) as pool:
        async with pool.slot() as slot:
            await run_in(slot, script)
        async with pool.slot() as slot:
            assert state_of(slot.path, without=NOT_GIT) == state_of(repository, without=NOT_GIT)


@pytest.mark.promise("W4")
async def test_a_write_through_a_hard_link_from_elsewhere_is_put_right(tmp_path, repository, kind) -> None:
    """No entry of any folder of the slot changes, nor does the file's size or time of modification."""
    outside = tmp_path / "outside"
    outside.mkdir()
    script = (
        f"import stat; path = 'pkg/text.py'; other = {str(outside / 'link')!r}; was = os.stat(path)\n"
        "try: os.link(path, other)\n"
        "except OSError: other = path\n"
        "with open(other, 'r+b') as file: file.write(b'#')\n"
        "os.utime(other, ns=(was.st_atime_ns, was.st_mtime_ns))\n"
    )
    async with WorktreePool(repository, size=1, kind=kind, directory=tmp_path / "slots") as pool:
        async with pool.slot() as slot:
            await run_in(slot, script)
            assert (slot.path / "pkg/text.py").read_text().startswith("#")
        async with pool.slot() as slot:
            assert (slot.path / "pkg/text.py").read_text() == SMALL["pkg/text.py"]
        if (outside / "link").exists():
            (outside / "link").write_text("afterwards")
            async with pool.slot() as slot:
                assert (slot.path / "pkg/text.py").read_text() == SMALL["pkg/text.py"]


@pytest.mark.promise("W4")
@pytest.mark.parametrize("compared", [False, True])
async def test_a_folder_that_was_moved_away_and_copied_back_is_put_right(repository, place, kind, compared) -> None:
    """The files that are watched went with the old folder; nothing tells of those that have their names now."""
    script = (
        "import shutil; os.rename('pkg', 'old'); shutil.copytree('old', 'pkg')\n"
        "open('pkg/text.py', 'a').write('#'); open('pkg/deep/er/module.py', 'a').write('#')"
    )
    expected = state_of(repository, without=NOT_GIT)
    async with WorktreePool(repository, size=1, kind=kind, directory=place) as pool:
        if compared and kind is SlotKind.WORKTREE:
            compare_instead_of_watching(pool)
        for _ in range(2):
            async with pool.slot() as slot:
                await run_in(slot, script)
            async with pool.slot() as slot:
                assert state_of(slot.path, without=NOT_GIT) == expected


@pytest.mark.promise("W4")
async def test_what_a_straggler_does_between_two_leases_is_put_right(repository, place, kind) -> None:
    expected = state_of(repository, without=NOT_GIT)
    async with WorktreePool(repository, size=1, kind=kind, directory=place) as pool:
        async with pool.slot() as slot:
            path = slot.path
        (path / "late").write_text("written after the release")
        (path / "README.md").write_text("and this")
        async with pool.slot() as slot:
            assert state_of(slot.path, without=NOT_GIT) == expected


@pytest.mark.promise("W4")
async def test_commits_inside_a_slot_stay_there(repository, place) -> None:
    script = (
        "import subprocess\n"
        "run = lambda *a: subprocess.run(['git', '-c', 'user.name=a', '-c', 'user.email=a@b', *a], check=True)\n"
        "open('new', 'w').close(); run('add', '-A'); run('commit', '-qm', 'x'); run('branch', 'evil')\n"
        "run('config', 'core.hooksPath', '/tmp'); run('config', 'core.fsmonitor', '/bin/false'); run('stash', 'list')\n"
    )
    before = state_of(repository)
    async with WorktreePool(repository, size=2, kind=SlotKind.WORKTREE, directory=place) as pool:
        async with pool.slot() as slot:
            await run_in(slot, script)
        for _ in range(2):
            async with pool.slot() as slot:
                assert state_of(slot.path, without=NOT_GIT) == state_of(repository, without=NOT_GIT)
    assert state_of(repository) == before


@pytest.mark.promise("W4", "W9")
async def test_a_slot_whose_root_was_replaced_is_made_anew_and_nothing_else_is_touched(
    tmp_path, repository, place
) -> None:
    precious = make_repository(tmp_path / "precious", {"gold.txt": "gold", "pkg/mine.py": "mine"})
    before = state_of(precious)
    for script in ("import shutil; shutil.rmtree(os.getcwd())", "os.rename(os.getcwd(), os.getcwd() + '.moved')"):
        async with WorktreePool(repository, size=1, kind=SlotKind.WORKTREE, directory=place) as pool:
            async with pool.slot() as slot:
                await run_in(slot, f"root = os.getcwd(); {script}; os.symlink({str(precious)!r}, root)")
            async with pool.slot() as slot:
                assert not slot.path.is_symlink()
                assert state_of(slot.path, without=NOT_GIT) == state_of(repository, without=NOT_GIT)
                await slot.stage(adding("new.py"))
        assert state_of(precious) == before


@pytest.mark.promise("W3", "W4")
async def test_a_straggler_cannot_make_us_write_elsewhere(tmp_path, repository, place) -> None:
    """It swaps a folder for a link, over and over, while the slot is being restored."""
    precious = make_repository(tmp_path / "precious", {"text.py": "precious", "deep/er/module.py": "precious"})
    before = state_of(precious)
    stop = threading.Event()

    def swap(root: Path) -> None:
        while not stop.is_set():
            with suppress(OSError):
                os.rename(root / "pkg", root / "aside")
                os.symlink(precious, root / "pkg")
            with suppress(OSError):
                os.unlink(root / "pkg")
                os.rename(root / "aside", root / "pkg")

    async with WorktreePool(repository, size=1, kind=SlotKind.WORKTREE, directory=place) as pool:
        for _ in range(15):
            stop.clear()
            async with pool.slot() as slot:
                straggler = threading.Thread(target=swap, args=(slot.path,))
                straggler.start()
            stop.set()
            await anyio.to_thread.run_sync(straggler.join)
            async with pool.slot() as slot:
                assert state_of(slot.path, without=NOT_GIT) == state_of(repository, without=NOT_GIT)
    assert state_of(precious) == before


@pytest.mark.promise("W4")
async def test_what_a_candidate_does_with_git_neither_stays_nor_runs(tmp_path, repository, place) -> None:
    marker, evil = tmp_path / "ran", tmp_path / "evil"
    evil.write_text(f"#!/bin/sh\ntouch {marker}\n")
    evil.chmod(0o755)
    script = (
        "import subprocess, shutil\n"
        "run = lambda *a: subprocess.run(['git', '-c', 'user.name=a', '-c', 'user.email=a@b', *a], check=True)\n"
        "open('new', 'w').close(); run('add', '-A'); run('commit', '-qm', 'x'); run('branch', 'theirs')\n"
        f"run('config', 'core.fsmonitor', {str(evil)!r}); run('config', 'core.hooksPath', {str(tmp_path)!r})\n"
        "root = os.getcwd(); os.chdir('/')\n"
    )
    async with WorktreePool(repository, size=1, kind=SlotKind.WORKTREE, directory=place) as pool:
        for ending in ("", "shutil.rmtree(root)\n"):
            async with pool.slot() as slot:
                await run_in(slot, script + ending)
            marker.unlink(missing_ok=True)  # the candidate's own git may run it
            async with pool.slot() as slot:
                assert not marker.exists(), "git of ours ran what the candidate told it to"
                assert git(slot.path, "rev-parse", "HEAD") == pool.base.commit
                assert "theirs" not in git(slot.path, "branch", "--list")
                assert "fsmonitor" not in git(slot.path, "config", "--list")
                assert git(slot.path, "status", "--porcelain") == ""


@pytest.mark.promise("W2", "W4")
async def test_cancelling_while_a_slot_is_made_anew_costs_nothing(repository, place) -> None:
    write_files(repository, {f"many/{number}.txt": "x" for number in range(1200)})
    commit(repository)
    async with WorktreePool(repository, size=1, kind=SlotKind.WORKTREE, directory=place) as pool:
        for patience in (0.0, 0.005, 0.02):
            with anyio.move_on_after(2):
                async with pool.slot() as slot:
                    for path in (slot.path / "many").iterdir():
                        path.write_text("changed")
                    with anyio.move_on_after(patience):
                        await slot.stage(adding("new.py"))
            async with pool.slot() as slot:
                assert state_of(slot.path, without=NOT_GIT) == state_of(repository, without=NOT_GIT)
        assert pool.size == 1


@pytest.mark.promise("W4", "W9")
async def test_a_very_deep_tree_is_removed(repository, place, kind) -> None:
    script = "for _ in range(1500):\n    os.mkdir('d')\n    os.chdir('d')"
    async with WorktreePool(repository, size=1, kind=kind, directory=place) as pool:
        for _ in range(2):
            async with pool.slot() as slot:
                await run_in(slot, script)
        async with pool.slot() as slot:
            await run_in(slot, script)
            assert pool.size == 1
    assert list(place.iterdir()) == []


@pytest.mark.promise("W4", "W9")
@pytest.mark.applies(os.geteuid() == 0, "only root can make a file immutable")
async def test_immutable_files_are_put_right(repository, place) -> None:
    async with WorktreePool(repository, size=1, kind=SlotKind.WORKTREE, directory=place) as pool:
        async with pool.slot() as slot:
            (slot.path / "litter").write_text("x")
            await anyio.run_process(["chattr", "+i", str(slot.path / "README.md"), str(slot.path / "litter")])
        async with pool.slot() as slot:
            assert state_of(slot.path, without=NOT_GIT) == state_of(repository, without=NOT_GIT)
            await slot.stage(Change.of({"README.md": b"changed\n"}, base=pool.read))
            assert (slot.path / "README.md").read_text() == "changed\n"
    assert list(place.iterdir()) == []


@pytest.mark.promise("W2")
@pytest.mark.applies(os.geteuid() == 0, "only root can write into the pipe of a process that is not a child of its")
async def test_nobody_else_answers_for_the_holder(repository, place) -> None:
    async with WorktreePool(repository, size=1, kind=SlotKind.OVERLAY, directory=place) as pool:
        for forged in ("garbage", '{"error": null}', '{"error": null, "token": "0"}', "[]"):
            async with pool.slot() as slot:
                (slot.path / "litter").write_text("x")
                Path(f"/proc/{slot.tree._holder.pid}/fd/1").write_text(f"{forged}\n")
            with anyio.fail_after(60):
                async with pool.slot() as slot:
                    assert state_of(slot.path, without=NOT_GIT) == state_of(repository, without=NOT_GIT)
        assert pool.size == 1


@pytest.mark.promise("W8")
async def test_acquiring_while_the_pool_closes_is_told(repository, place, kind) -> None:
    ended = []

    async def ask(pool: WorktreePool) -> None:
        try:
            await pool.acquire()
        except PoolClosed:
            ended.append("told")

    for _ in range(5):
        async with anyio.create_task_group() as tasks:
            async with WorktreePool(repository, size=1, kind=kind, directory=place) as pool:
                slot = await pool.acquire()
                (slot.path / "litter").write_text("x")
                tasks.start_soon(ask, pool)
                await anyio.wait_all_tasks_blocked()
                tasks.start_soon(pool.release, slot)
                await anyio.lowlevel.checkpoint()
    assert ended == ["told"] * 5
    assert list(place.iterdir()) == []


@pytest.mark.promise("W10")
async def test_pools_that_open_at_once_do_not_disturb_each_other(repository, place) -> None:
    async def open_one() -> None:
        async with WorktreePool(repository, size=1, directory=place) as pool, pool.slot():
            pass

    for _ in range(4):
        async with anyio.create_task_group() as tasks:
            for _ in range(6):
                tasks.start_soon(open_one)
    assert list(place.iterdir()) == []


@pytest.mark.promise("W5")
async def test_slots_are_not_made_inside_the_repository(repository) -> None:
    before = state_of(repository)
    with pytest.raises(UsageError, match="inside the repository"):
        async with WorktreePool(repository, size=1, directory=repository / ".slots"):
            pass
    assert state_of(repository) == before


async def test_a_relative_place_is_from_here(repository, tmp_path, monkeypatch, kind) -> None:
    monkeypatch.chdir(tmp_path)
    async with WorktreePool(repository, size=1, kind=kind, directory=Path("relative")) as pool, pool.slot() as slot:
        assert (slot.path / "README.md").exists()
        assert slot.directory.is_absolute()


async def test_memory_is_chosen_by_what_will_be_copied(repository) -> None:
    size = await (await Repository.find(repository)).size()
    (repository / "untracked.bin").write_bytes(bytes(3_000_000))
    write_files(repository, {"build/ignored.bin": bytes(5_000_000)})
    assert await (await Repository.find(repository)).size() == size + 3_000_000


NAMES = st.sampled_from(
    ["a", "b", "pkg", "pkg/text.py", "README.md", "tests", "data", "new", "pkg/new", "x/y", "run.sh"]
)
ACTIONS = st.lists(
    st.tuples(
        st.sampled_from(["write", "append", "delete", "mkdir", "link", "chmod", "rename", "hardlink"]), NAMES, NAMES
    ),
    max_size=8,
)


def act(root: Path, action: str, first: str, second: str) -> None:
    """Do something to a tree; what is not possible is left."""
    one, two = root / first, root / second
    try:
        match action:
            case "write":
                one.write_text("written")
            case "append":
                with one.open("a") as file:
                    file.write("appended")
            case "delete":
                remove(one)
            case "mkdir":
                one.mkdir(parents=True)
            case "link":
                one.symlink_to(two.name)
            case "chmod":
                one.chmod(0o711)
            case "rename":
                one.rename(two)
            case "hardlink":
                two.hardlink_to(one)
    except OSError:
        pass


@pytest.mark.promise("W4")
@given(rounds=st.lists(ACTIONS, min_size=1, max_size=3), compared=st.booleans())
@settings(max_examples=25)
def test_any_sequence_of_actions_is_undone(tmp_path_factory, rounds, compared) -> None:
    """On worktrees, where restoring is by knowing what was touched, in both ways of knowing it."""
    folder = tmp_path_factory.mktemp("actions")
    repository = make_repository(folder / "repo")
    expected = state_of(repository, without=NOT_GIT)

    async def main() -> None:
        async with WorktreePool(repository, size=1, kind=SlotKind.WORKTREE, directory=folder / "slots") as pool:
            if compared:
                compare_instead_of_watching(pool)
            for actions in rounds:
                async with pool.slot() as slot:
                    for action in actions:
                        act(slot.path, *action)
                async with pool.slot() as slot:
                    assert state_of(slot.path, without=NOT_GIT) == expected

    anyio.run(main)


def compare_instead_of_watching(pool: WorktreePool) -> None:
    """What happens by itself where the system has no watches left."""
    from bakeoff.workspaces.touched import Comparing

    for slot in pool._free:
        made = slot.tree._made
        made._tracker.close()
        made._tracker = Comparing(made.root, [*made._manifest.folders, *made._manifest.files])


@pytest.mark.promise("W4")
async def test_a_slot_that_cannot_be_restored_is_replaced(repository, place) -> None:
    """Something is mounted in it, so that it can neither be removed nor emptied: in a namespace of the test's own."""
    script = f"""
import subprocess, sys, anyio
from pathlib import Path
from bakeoff.workspaces import WorktreePool, SlotKind
async def main():
    place = Path({str(place)!r})
    async with WorktreePool(Path({str(repository)!r}), size=2, kind=SlotKind.WORKTREE, directory=place) as pool:
        async with pool.slot() as slot:
            lost = slot.path
            (lost / "stuck").mkdir()
            subprocess.run(["mount", "-t", "tmpfs", "tmpfs", lost / "stuck"], check=True)
        seen = []
        for _ in range(4):
            async with pool.slot() as slot:
                seen.append(slot.path)
                assert not (slot.path / "stuck").exists()
        assert lost not in seen and pool.size == 2 and len(set(seen)) == 2, (lost, seen)
        print("replaced")
    left = [path for path in place.rglob("*") if path.is_file()]
    print("files left:", len(left))
    print("warned:", any("could not be removed" in text for text in pool.warnings))
anyio.run(main)
"""
    done = await anyio.run_process(["unshare", "-rm", sys.executable, "-c", script], check=False)
    assert done.returncode == 0, done.stderr.decode()
    assert done.stdout.decode().splitlines() == ["replaced", "files left: 0", "warned: True"]


# ── Byte code ────────────────────────────────────────────────────────────────────────────────────────────────────


async def test_byte_code_is_there_from_the_start_and_never_stale(repository, place, kind) -> None:
    write_files(repository, {"broken.py": "def (:\n"})
    commit(repository)
    pool = WorktreePool(repository, size=2, kind=kind, directory=place, python=Path(sys.executable))
    show = "import sys; sys.path.insert(0, '.'); import pkg.deep.er.module as m; print(m.VALUE, m.__file__)"
    async with pool:
        states = []
        for _ in range(2):
            async with pool.slot() as slot, pool.slot() as other:
                states += [state_of(slot.path, without=NOT_GIT), state_of(other.path, without=NOT_GIT)]
                assert len(list(slot.path.rglob("*.pyc"))) == 4
                assert (await run_in(slot, show)).split() == ["1", str(slot.directory / "pkg/deep/er/module.py")]
                # The same size, and by bad luck the same time.
                was = (slot.path / "pkg/deep/er/module.py").stat()
                (slot.path / "pkg/deep/er/module.py").write_text("VALUE = 2\n")
                os.utime(slot.path / "pkg/deep/er/module.py", ns=(was.st_atime_ns, was.st_mtime_ns))
                assert (await run_in(slot, show)).split()[0] == "2"
        assert all(state == states[0] for state in states)


# ── W5: the user's repository ────────────────────────────────────────────────────────────────────────────────────


def dirty(repository: Path) -> None:
    write_files(repository, {"README.md": "stashed\n"})
    git(repository, "stash")
    write_files(repository, {"README.md": "edited\n", "new.txt": "new\n", "staged.txt": "staged\n"})
    git(repository, "add", "staged.txt")


@pytest.mark.promise("W5", "W6")
async def test_the_users_repository_is_never_written(repository, place, kind) -> None:
    dirty(repository)
    before = state_of(repository)
    times = times_of(repository)
    async with WorktreePool(repository, size=2, kind=kind, directory=place) as pool:
        async with pool.slot() as slot:
            assert (slot.path / "new.txt").read_text() == "new\n"
            await slot.stage(adding("more.py"))
            await run_in(slot, WORST)
        assert state_of(repository) == before
    assert state_of(repository) == before
    assert times_of(repository) == times


def times_of(repository: Path) -> dict[str, int]:
    """When each file was last written. Not so of objects: git renews the time of one that it finds in use."""
    paths = [path for path in repository.rglob("*") if "objects" not in path.parts]
    return {str(path): path.lstat().st_mtime_ns for path in paths}


KILLED = """
import sys, anyio
from pathlib import Path
from bakeoff.workspaces import WorktreePool, SlotKind
from bakeoff.candidates import Change, Edit, File
async def main():
    change = Change(edits=(Edit(path="added.txt", before=None, after=File(content=b"x" * 1_000_000)),))
    print("begin", flush=True)
    async with WorktreePool(Path(sys.argv[1]), size=3, kind=SlotKind(sys.argv[3]), directory=Path(sys.argv[2])) as pool:
        print("open", flush=True)
        while True:
            async with pool.slot() as slot:
                await slot.stage(change)
                print("staged", flush=True)
anyio.run(main)
"""


def kill_in_the_middle(repository: Path, place: Path, kind: SlotKind, *, after: str) -> int:
    """Kill a run with SIGKILL as soon as it has said something; returns its pid."""
    command = [sys.executable, "-c", KILLED, str(repository), str(place), kind.value]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        for line in process.stdout:
            if line.strip() == after:
                break
        process.send_signal(signal.SIGKILL)
    assert process.returncode == -signal.SIGKILL
    return process.pid


@pytest.mark.promise("W5", "W10")
@pytest.mark.parametrize("after", ["begin", "open", "staged"])
def test_a_killed_run_leaves_the_repository_as_it_was_and_the_next_one_cleans_up(
    repository, place, kind, after
) -> None:
    dirty(repository)
    before = state_of(repository)
    kill_in_the_middle(repository, place, kind, after=after)
    assert state_of(repository) == before

    async def main() -> None:
        async with WorktreePool(repository, size=1, kind=kind, directory=place) as pool, pool.slot():
            assert len([path for path in place.iterdir() if path.name.startswith("pool-")]) == 1

    anyio.run(main)
    assert state_of(repository) == before


@pytest.mark.promise("W10")
def test_the_mounts_of_a_killed_run_end_with_it(repository, place) -> None:
    kill_in_the_middle(repository, place, SlotKind.OVERLAY, after="staged")
    for _ in range(1000):
        holders = [process for process in Path("/proc").glob("[0-9]*") if str(place) in mounts_of(process)]
        if not holders:
            return
    pytest.fail(f"still mounted in {holders}")


def mounts_of(process: Path) -> str:
    try:
        return (process / "mounts").read_text()
    except OSError:
        return ""


# ── W9, W10: leftovers ───────────────────────────────────────────────────────────────────────────────────────────


def plant(place: Path, **changes: object) -> Path:
    """A pool's directory with an owner that differs from this process."""
    path = claim(place, Path("/some/repository"))
    card = msgspec.json.decode((path / "owner.json").read_bytes())
    card["owner"].update(changes)
    (path / "owner.json").write_bytes(msgspec.json.encode(card))
    return path


@pytest.mark.promise("W10")
def test_leftovers_are_told_by_pid_and_start_time(place) -> None:
    mine = claim(place, Path("/some/repository"))
    same_pid_other_start = plant(place, started=Owner.current().started - 1)
    dead = plant(place, pid=2**22 + 1)
    other_boot = plant(place, boot="another boot")
    other_container = plant(place, pid=2**22 + 1, namespace="pid:[1]")
    assert {leftover.path for leftover in leftovers(place)} == {same_pid_other_start, dead, other_boot}
    assert {leftover.path for leftover in sweep(place)} == {same_pid_other_start, dead, other_boot}
    assert set(place.iterdir()) == {mine, other_container}


@pytest.mark.promise("W9")
def test_what_is_not_ours_is_never_removed(place) -> None:
    plant(place, pid=2**22 + 1)
    strange = [place / "pool-without-owner", place / "something-else", place / "pool-damaged", place / "new-half"]
    for path in strange:
        path.mkdir()
        (path / "precious").write_text("x")
    (place / "pool-damaged" / "owner.json").write_text("{not json")
    (place / "file").write_text("x")
    (place / "pool-link").symlink_to(place / "something-else")
    assert len(sweep(place)) == 1
    assert all((path / "precious").exists() for path in strange)
    assert (place / "file").exists()
    assert (place / "pool-link").is_symlink()


@pytest.mark.promise("W9")
def test_read_only_parts_are_removed_by_an_ordinary_user(tmp_path) -> None:
    """As root nothing is read-only, so this runs in a user namespace, where root's own files are foreign to it."""
    folder = tmp_path / "tree"
    (folder / "a/b").mkdir(parents=True)
    (folder / "a/b/file").write_text("x")
    (folder / "a/b/file").chmod(0o400)
    (folder / "a/b").chmod(0o500)
    (folder / "a").chmod(0o000)
    script = "import sys, pathlib; from bakeoff.removal import remove; remove(pathlib.Path(sys.argv[1]))"
    done = subprocess.run(
        ["unshare", "-U", sys.executable, "-B", "-c", script, str(folder)], capture_output=True, text=True, check=False
    )
    assert (done.returncode, folder.exists()) == (0, False), done.stderr


@pytest.mark.promise("W9")
def test_a_file_that_is_linked_from_elsewhere_keeps_its_mode(tmp_path) -> None:
    """As an ordinary user, whose folder has to be unlocked before anything in it can be removed."""
    precious, closed = tmp_path / "precious", tmp_path / "closed"
    precious.write_text("x")
    precious.chmod(0o640)
    closed.mkdir()
    (closed / "link").hardlink_to(precious)
    closed.chmod(0o500)
    script = "import sys, pathlib; from bakeoff.removal import remove; remove(pathlib.Path(sys.argv[1]))"
    done = subprocess.run(
        ["unshare", "-U", sys.executable, "-B", "-c", script, str(closed / "link")], capture_output=True, check=False
    )
    assert (done.returncode, list(closed.iterdir())) == (0, []), done.stderr
    assert precious.stat().st_mode & 0o777 == 0o640


@pytest.mark.promise("W9")
def test_links_are_removed_not_followed(tmp_path) -> None:
    kept = tmp_path / "kept"
    kept.mkdir()
    (kept / "file").write_text("x")
    (tmp_path / "tree").mkdir()
    (tmp_path / "tree" / "link").symlink_to(kept)
    remove(tmp_path / "tree")
    assert (kept / "file").exists()
    assert not (tmp_path / "tree").exists()
    remove(tmp_path / "tree")


async def test_a_place_that_others_can_write_to_is_refused(repository, tmp_path) -> None:
    place = tmp_path / "open"
    place.mkdir()
    place.chmod(0o777)
    with pytest.raises(Exception, match="belongs to this user alone"):
        async with WorktreePool(repository, size=1, directory=place):
            pass


# ── Kinds ────────────────────────────────────────────────────────────────────────────────────────────────────────

ORDINARY = """
import sys, os, anyio
from pathlib import Path
sys.path.insert(0, sys.argv[3])
from repositories import state_of
from bakeoff.workspaces import WorktreePool, SlotKind
async def main():
    kind = SlotKind(sys.argv[4]) if sys.argv[4] else None
    async with WorktreePool(Path(sys.argv[1]), size=2, kind=kind, directory=Path(sys.argv[2])) as pool:
        async with pool.slot() as slot:
            fresh = state_of(slot.path, without={'.git'})
            done = await anyio.run_process(
                slot.command([sys.executable, "-c", f"import os; os.chdir({str(slot.directory)!r})\\n" + sys.argv[5]]),
                check=False,
            )
            assert done.returncode == 0, done.stderr.decode()
            assert state_of(slot.path, without={'.git'}) != fresh
        for _ in range(4):
            async with pool.slot() as slot:
                (slot.path / "data").chmod(0)
            async with pool.slot() as slot:
                slot.path.chmod(0)
        assert len(list(Path(sys.argv[2]).glob("pool-*/slots/*"))) == 2, "nothing piles up"
        for _ in range(2):
            async with pool.slot() as slot:
                found = state_of(slot.path, without={'.git'})
                assert found == fresh, set(found.items()) ^ set(fresh.items())
        print(os.getuid(), pool.kind)
anyio.run(main)
"""


def as_ordinary_user(repository: Path, place: Path, kind: str, *mapping: str) -> subprocess.CompletedProcess[str]:
    arguments = [str(repository), str(place), str(Path(__file__).parent), kind, WORST]
    command = ["unshare", "-U", *mapping, sys.executable, "-B", "-c", ORDINARY, *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.promise("W4")
@pytest.mark.parametrize("kind", ["", "worktree"])
def test_an_ordinary_user_has_both_kinds(repository, place, kind) -> None:
    done = as_ordinary_user(repository, place, kind, "--map-user=1000", "--map-group=1000")
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["1000", kind or "overlay"]


def test_where_overlays_do_not_work_worktrees_are_used(repository, place) -> None:
    """A user without an id of its own may not make namespaces."""
    done = as_ordinary_user(repository, place, "")
    assert done.returncode == 0, done.stderr
    assert done.stdout.split()[1] == "worktree"
    forced = as_ordinary_user(repository, place, "overlay")
    assert "SlotsUnavailable: overlay slots do not work here" in forced.stderr


async def kill_holder(slot) -> None:
    os.kill(slot.tree._holder.pid, signal.SIGKILL)
    with anyio.fail_after(30):
        while slot.path.exists():
            await anyio.sleep(0.001)


async def test_when_the_holder_dies_another_takes_its_place(repository, place) -> None:
    expected = state_of(repository, without=NOT_GIT)
    async with WorktreePool(repository, size=2, kind=SlotKind.OVERLAY, directory=place) as pool:
        async with pool.slot() as slot:
            await kill_holder(slot)
        for _ in range(3):
            async with pool.slot() as slot, pool.slot() as other:
                assert state_of(slot.path, without=NOT_GIT) == state_of(other.path, without=NOT_GIT) == expected
        assert pool.size == 2


@pytest.mark.promise("W2")
async def test_when_every_slot_is_lost_those_who_wait_are_told(repository, place) -> None:
    async with WorktreePool(repository, size=1, kind=SlotKind.OVERLAY, directory=place) as pool:
        told = []

        async def wait() -> None:
            try:
                await pool.acquire()
            except NoSlots as error:
                told.append(str(error))

        async with anyio.create_task_group() as tasks, pool.slot() as slot:
            tasks.start_soon(wait)
            await anyio.wait_all_tasks_blocked()
            await kill_holder(slot)
            remove(pool._directory / "pristine")
        assert len(told) == 1
        with pytest.raises(NoSlots):
            await pool.acquire()
        assert "could not be replaced" in pool.warnings[0]
