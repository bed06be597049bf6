"""The fork server: the contract, and what only it promises, as root and as an ordinary user, with and without
namespaces."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import anyio
import psutil
import pytest

from bakeoff.candidates import Change
from bakeoff.errors import NoTemporaryFolder, PreloadFailed, SandboxMissing, WorkerUnavailable
from bakeoff.fanout import collect
from bakeoff.owners import Owner
from bakeoff.testing.workers import BackendConformance
from bakeoff.workers import (
    CallLimits,
    CallOutcome,
    CommandCall,
    Ending,
    ForkServerBackend,
    Isolation,
    PythonCall,
    Sandbox,
    SubprocessBackend,
    Tier,
    WorkerConfig,
    open_backend,
    outcomes,
)
from bakeoff.workers.forkserver import _claimed
from bakeoff.workers.inside import cgroups
from bakeoff.workspaces import SlotKind, WorktreePool

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterator

    from bakeoff.workers.calls import Call

pytestmark = pytest.mark.anyio

# A user namespace in which this user is number 1000 and has no privileges; and one in which it is nobody, and may not
# make namespaces of its own either: what a container without privileges is like.
ORDINARY = ("unshare", "--user", "--map-user=1000", "--map-group=1000")
CONTAINED = ("unshare", "--user")
PLACES = pytest.mark.parametrize("enter", [(), ORDINARY, CONTAINED], ids=["myself", "ordinary", "contained"])


def opened(loop: str, **options) -> Iterator[ForkServerBackend]:
    """Not by an asynchronous fixture, whose event loop would be in the way of tests that run several."""
    backend = ForkServerBackend(WorkerConfig(workers=2, **options))
    yield backend
    anyio.run(backend.shutdown, backend=loop)


@pytest.fixture(autouse=True)
def known() -> None:
    """What other tests leave running on purpose is not counted."""
    _KNOWN.clear()
    _KNOWN.update(child.pid for child in psutil.Process().children(recursive=True))


_KNOWN: set[int] = set()


def children_of_ours() -> list[psutil.Process]:
    """Processes below this one that a test has begun."""
    return [child for child in psutil.Process().children(recursive=True) if child.pid not in _KNOWN]


@pytest.mark.promise("E6", "X1", "X2", "X3", "X5", "X7", "X8", "X9", "X10", "X11", "X13", "X14")
class TestForkServer(BackendConformance):
    @pytest.fixture
    def backend(self, anyio_backend_name: str) -> Iterator[ForkServerBackend]:
        yield from opened(anyio_backend_name)


class OneLoop(BackendConformance):
    @pytest.fixture
    def anyio_backend(self) -> str:
        return "asyncio"


class TestAsAnOrdinaryUser(OneLoop):
    enter = ORDINARY

    @pytest.fixture
    def backend(self, anyio_backend_name: str) -> Iterator[ForkServerBackend]:
        yield from opened(anyio_backend_name)


class TestWithoutNamespaces(OneLoop):
    enter = CONTAINED

    @pytest.fixture
    def backend(self, anyio_backend_name: str) -> Iterator[ForkServerBackend]:
        yield from opened(anyio_backend_name)


class TestWithoutSandbox(OneLoop):
    @pytest.fixture
    def backend(self, anyio_backend_name: str) -> Iterator[ForkServerBackend]:
        yield from opened(anyio_backend_name, sandbox=Sandbox.OFF)


@pytest.fixture
async def backend() -> AsyncIterator[ForkServerBackend]:
    async with ForkServerBackend(WorkerConfig(workers=4)) as backend:
        yield backend


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    (tmp_path / "workspace").mkdir()
    (tmp_path / "secret").write_text("token")
    return tmp_path / "workspace"


@pytest.fixture
def scratch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the temporary folders of calls go in this test."""
    folder = tmp_path / "scratch"
    folder.mkdir(mode=0o700)
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    return folder


def code(source: str, directory: Path, *arguments: object, **options) -> PythonCall:
    options = {"timeout": 60.0, **options}
    return PythonCall(function="f", source=source, arguments=arguments, directory=directory, **options)


def groups_of(pid: int) -> list[str]:
    """Control groups that an engine has."""
    try:
        place = cgroups.find()
    except cgroups.Unavailable:
        return []
    return [name for folder in place.folders for name in os.listdir(folder) if f"-{pid}-" in name]


def descriptors() -> set[str]:
    """What this process has open, but for what changes by itself."""
    found = set()
    for name in os.listdir("/proc/self/fd"):
        try:
            found.add(f"{name} {os.readlink(f'/proc/self/fd/{name}')}")
        except FileNotFoundError:
            continue
    return found


async def until(condition: Callable[[], bool]) -> None:
    with anyio.fail_after(60):
        while not condition():
            await anyio.sleep(0.002)


# -- how isolated a call is -------------------------------------------------------------------------------------------


@pytest.mark.promise("X15")
async def test_the_tier_is_stamped_on_what_it_was(workspace: Path, backend: ForkServerBackend) -> None:
    async def tier(enter: tuple[str, ...]) -> tuple[Tier, set[str]]:
        outcome = await backend.execute(code("def f(): pass", workspace, enter=enter))
        return outcome.tier, set(outcome.isolation)

    inner = {"privileges", "limits", "files", "calls"}
    assert await tier(CONTAINED) == (Tier.T2, inner)
    assert await tier(ORDINARY) == (Tier.T2, inner | {"namespaces"}), "control groups are not its to make there"
    full = await tier(())
    assert full == (Tier.T3, inner | {"namespaces", "cgroup"}) if groups_of(os.getpid()) else full[0] is Tier.T2
    async with ForkServerBackend(WorkerConfig(sandbox=Sandbox.OFF)) as off:
        outcome = await off.execute(code("def f(): pass", workspace))
        assert (outcome.tier, outcome.isolation) == (Tier.T1, ("limits",))


@pytest.mark.promise("X15")
async def test_what_is_missing_is_told_once_or_is_an_error(
    workspace: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with ForkServerBackend() as backend:
        for _ in range(2):
            await backend.execute(code("def f(): pass", workspace, enter=CONTAINED))
        assert sum("tier T2" in line and "namespaces: " in line for line in caplog.messages) == 1
    async with ForkServerBackend(WorkerConfig(sandbox=Sandbox.REQUIRE)) as backend:
        call = code("def f(): return 1", workspace)
        assert (await backend.execute(call)).value == 1
        (zygote,) = backend._zygotes.values()
        zygote.isolation = replace(zygote.isolation, missing={"files": "not in this kernel"})
        with pytest.raises(SandboxMissing, match="files: not in this kernel"):
            await backend.execute(call)
    monkeypatch.setattr(
        "bakeoff.workers.isolation.Isolation.of", lambda _: Isolation(missing={"calls": "not in this kernel"})
    )
    async with ForkServerBackend(WorkerConfig(sandbox=Sandbox.REQUIRE)) as backend:
        for _ in range(2):
            with pytest.raises(SandboxMissing, match="calls: not in this kernel"):
                await backend.execute(call)
        assert not children_of_ours()


ATTACKS = {
    "write outside": "open('../stolen', 'w')",
    "read outside": "open('../secret').read()",
    "list the home": "os.listdir(HOME)",
    "read the engine's environment": "open(f'/proc/{ENGINE}/environ', 'rb').read()",
    "read the engine's memory": "open(f'/proc/{ENGINE}/mem', 'rb').read(1)",
    "read the supervisor's memory": "open(f'/proc/{os.getppid()}/mem', 'rb').read(1)",
    "kill the engine": "os.kill(ENGINE, 9)",
    "stop the supervisor": "os.kill(os.getppid(), 19) if os.getppid() != 1 else refused()",
    "trace the supervisor": "call(101, 16, os.getppid(), 0, 0)",
    "use the network": "socket.create_connection(('127.0.0.1', PORT), timeout=5)",
    "use a container engine": "socket.socket(socket.AF_UNIX)",
    "become root": "os.setuid(0); os.setgid(0); os.chown('../secret', 1, 1)",
    "see the host's shared memory": "open('/dev/shm/' + NAME).read()",
    "leave its control group": "open('/sys/fs/cgroup/pids/cgroup.procs', 'w').write('0')",
    "raise a limit": "resource.setrlimit(resource.RLIMIT_CORE, (1 << 20, 1 << 20))",
    "mount": "call(165, b'x', b'/', b'tmpfs', 0, 0)",
    "make a namespace": "call(272, 0x10000000)",
    "change the clock": "time.clock_settime(time.CLOCK_REALTIME, 0)",
    "write into its interpreter": "open(os.__file__, 'a').write('x')",
    "make itself set-uid": "open('mine', 'w').close(); os.chmod('mine', 0o4755)",
    "no longer die with its parent": "libc.prctl(1, 0) and refused() if ALONE == 'no' else refused()",
    "change a mode outside": "os.chmod('../secret', 0o777) if ALONE == 'yes' else refused()",
    "change times outside": "os.utime('../secret', (1, 1)) if ALONE == 'yes' else refused()",
    "change attributes outside": "os.setxattr('../secret', 'user.x', b'1') if ALONE == 'yes' else refused()",
}
ATTACK = """
import ctypes, os, resource, signal, socket, sys, time
libc = ctypes.CDLL(None, use_errno=True)
def refused():
    raise PermissionError
def call(*arguments):
    if libc.syscall(*arguments) < 0:
        raise OSError(ctypes.get_errno(), "refused")
def f(ENGINE, HOME, PORT, NAME, ALONE):
    try:
        {attack}
    except (PermissionError, FileNotFoundError, ProcessLookupError, ValueError) as error:
        return "refused"
    except OSError as error:
        return "refused" if error.errno in (1, 13, 22, 30, 101) else repr(error)
    return "it worked"
"""


@PLACES
@pytest.mark.promise("X15")
async def test_no_attack_succeeds(workspace: Path, backend: ForkServerBackend, enter: tuple[str, ...]) -> None:
    shared = Path(f"/dev/shm/bakeoff-test-{os.getpid()}-{len(enter)}")
    shared.write_text("token")
    try:
        with socket.create_server(("127.0.0.1", 0)) as server:
            alone = "no" if enter == CONTAINED else "yes"
            known = (os.getpid(), str(Path.home()), server.getsockname()[1], shared.name, alone)
            found = {}
            for name, attack in ATTACKS.items():
                outcome = await backend.execute(
                    code(ATTACK.format(attack=attack), workspace, *known, enter=enter, timeout=30.0)
                )
                found[name] = outcome.value if outcome.ending is Ending.OK else outcome.describe()
    finally:
        shared.unlink()
    assert found == dict.fromkeys(ATTACKS, "refused")
    secret = workspace.parent / "secret"
    assert (secret.read_text(), secret.stat().st_mode & 0o777, os.listxattr(secret)) == ("token", 0o644, [])
    assert secret.stat().st_mtime > 1
    assert sorted(path.name for path in workspace.parent.iterdir()) == ["secret", "workspace"]


async def test_without_a_sandbox_the_attacks_would_succeed(workspace: Path) -> None:
    """Or the test above proves nothing."""
    async with ForkServerBackend(WorkerConfig(sandbox=Sandbox.OFF)) as backend:
        harmless = (
            "write outside",
            "read outside",
            "use a container engine",
            "read the engine's environment",
            "list the home",
            "change a mode outside",
            "change times outside",
            "make itself set-uid",
        )
        for name in harmless:
            call = code(ATTACK.format(attack=ATTACKS[name]), workspace, os.getpid(), str(Path.home()), 0, "", "yes")
            assert (await backend.execute(call)).value == "it worked", name


@PLACES
@pytest.mark.promise("X15")
async def test_a_link_that_one_call_left_leads_the_next_nowhere(
    workspace: Path, backend: ForkServerBackend, enter: tuple[str, ...]
) -> None:
    (workspace / "build").mkdir()
    outside = workspace.parent / "outside"
    outside.mkdir()
    (outside / "key").write_text("token")
    plant = "import os\ndef f(to): os.rename('build', 'old'); os.symlink(to, 'build')"
    looks = ("def f(): open('build/new', 'w')", "def f(): return open('build/key').read()")
    options = {"writable": (workspace / "build",), "readable": (workspace / "build",), "enter": enter}
    assert (await backend.execute(code(plant, workspace, str(outside), **options))).ending is Ending.OK
    for look in looks:
        outcome = await backend.execute(code(look, workspace, path=(workspace / "build",), **options))
        assert outcome.ending is Ending.ERROR
    assert [path.name for path in outside.iterdir()] == ["key"]


async def test_a_relative_folder_is_one_of_ours(
    workspace: Path, backend: ForkServerBackend, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(workspace)
    attack = code("import os\ndef f(): return os.getcwd(), os.listdir('.')", Path())
    assert (await backend.execute(attack)).unwrap() == (str(workspace), [])
    refused = await backend.execute(code("import os\ndef f(): os.listdir('/')", Path()))
    assert refused.ending is Ending.ERROR


async def test_what_lies_around_an_interpreter_is_not_part_of_it(tmp_path: Path, workspace: Path) -> None:
    home = tmp_path / "home"
    (home / "bin").mkdir(parents=True)
    (home / "bin/python3").symlink_to(Path(sys.executable).resolve())
    (home / "key").write_text("token")
    async with ForkServerBackend(WorkerConfig(python=home / "bin/python3")) as backend:
        outcome = await backend.execute(code("def f(path): return open(path).read()", workspace, str(home / "key")))
        assert outcome.ending is Ending.ERROR


@pytest.mark.promise("X15")
@pytest.mark.parametrize(
    ("attack", "told"),
    [
        ("open('../stolen', 'w')", "the candidate tried to reach {above}/stolen, outside its workspace"),
        ("open(os.__file__, 'a')", "the candidate tried to write to {library}, outside its workspace"),
        ("socket.create_connection(('127.0.0.1', 9))", "the candidate tried to use the network"),
        ("os.mkdir('locked', 0) or open('locked/x') and None", None),
    ],
)
async def test_what_was_refused_is_told_as_what_it_is(
    workspace: Path, backend: ForkServerBackend, attack: str, told: str | None
) -> None:
    outcome = await backend.execute(code(f"import os, socket\ndef f():\n {attack}", workspace))
    assert outcome.ending is Ending.ERROR
    expected = told and told.format(above=workspace.parent, library=os.__file__)
    assert outcome.denied == expected
    if expected:
        assert expected in outcome.describe()


async def test_ordinary_things_work(workspace: Path, backend: ForkServerBackend) -> None:
    source = (
        "import multiprocessing, os, subprocess, sys, tempfile, threading\n"
        "def square(x): return x * x\n"
        "def f():\n"
        " lock = multiprocessing.get_context('fork').Lock()\n"
        " with lock, multiprocessing.get_context('fork').Pool(2) as pool: squares = pool.map(square, range(5))\n"
        " with tempfile.TemporaryDirectory() as folder: open(folder + '/x', 'w').close()\n"
        " said = subprocess.run([sys.executable, '-c', 'print(7)'], capture_output=True, text=True).stdout\n"
        " return squares, said"
    )
    outcome = await backend.execute(code(source, workspace))
    assert outcome.unwrap() == ([0, 1, 4, 9, 16], "7\n")


async def test_the_network_is_there_when_it_is_allowed(workspace: Path, backend: ForkServerBackend) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:

        def greet() -> None:
            with server.accept()[0] as connection:
                connection.sendall(b"hello")

        thread = threading.Thread(target=greet)
        thread.start()
        source = "import socket\ndef f(port): return socket.create_connection(('127.0.0.1', port)).recv(5)"
        outcome = await backend.execute(code(source, workspace, server.getsockname()[1], network=True))
        assert outcome.unwrap() == b"hello"
        thread.join()
    refused = await backend.execute(
        code("import socket\ndef f(): socket.socket(socket.AF_UNIX)", workspace, network=True)
    )
    assert "PermissionError" in refused.describe(), "a socket of the file system is not the network"


async def test_a_workspace_in_shared_memory_is_there(backend: ForkServerBackend) -> None:
    folder = Path(f"/dev/shm/bakeoff-test-{os.getpid()}-workspace")
    (folder / "deep").mkdir(parents=True)
    (folder / "file").write_text("here")
    try:
        call = code(
            "import os\ndef f():\n open('made', 'w').close()\n"
            " return os.getcwd(), open('../file').read(), os.listdir('/dev/shm')",
            folder / "deep",
            readable=(folder / "file", folder / "missing"),
        )
        assert (await backend.execute(call)).unwrap() == (str(folder / "deep"), "here", [folder.name])
        assert (folder / "deep/made").exists()
    finally:
        shutil.rmtree(folder)


@pytest.mark.parametrize("kind", SlotKind)
async def test_a_call_runs_in_a_slot(tmp_path: Path, backend: ForkServerBackend, kind: SlotKind) -> None:
    repository = tmp_path / "repository"
    repository.mkdir()
    (repository / "mod.py").write_text("def f(): return 'old'\n")
    for arguments in (
        ["init", "-q"],
        ["add", "-A"],
        ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "x"],
    ):
        subprocess.run(["git", *arguments], cwd=repository, check=True)
    async with WorktreePool(repository, size=2, kind=kind) as pool, pool.slot() as slot:
        await slot.stage(Change.of({"mod.py": b"def f():\n open('made', 'w')\n return 'new'\n"}, base=pool.read))
        call = PythonCall(
            function="mod:f",
            directory=slot.directory,
            path=(slot.directory,),
            enter=slot.enter,
            timeout=60,
        )
        assert (await backend.execute(call)).unwrap() == "new"
        assert (slot.path / "made").exists()
        listed = await backend.execute(
            CommandCall(argv=("cat", "mod.py"), directory=slot.directory, enter=slot.enter, timeout=60)
        )
        assert "return 'new'" in str(listed.stdout)
    assert (repository / "mod.py").read_text() == "def f(): return 'old'\n"


@pytest.mark.parametrize("kind", SlotKind)
@pytest.mark.promise("X7")
async def test_a_call_sees_the_files_that_its_slot_has_now(
    tmp_path: Path, backend: ForkServerBackend, kind: SlotKind
) -> None:
    """Also where its process was prepared before they were put there."""
    repository = tmp_path / "repository"
    repository.mkdir()
    (repository / "mod.py").write_text("def f(): return 'base'\n")
    for arguments in (
        ["init", "-q"],
        ["add", "-A"],
        ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "x"],
    ):
        subprocess.run(["git", *arguments], cwd=repository, check=True)
    async with WorktreePool(repository, size=2, kind=kind) as pool:

        async def one(number: int) -> list[object]:
            async with pool.slot() as slot:
                text = f"def f():\n open('made-{number}', 'w')\n import os\n return {number}, len(os.listdir('.'))\n"
                await slot.stage(Change.of({"mod.py": text.encode()}, base=pool.read))
                call = PythonCall(
                    function="mod:f", directory=slot.directory, path=(slot.directory,), enter=slot.enter, timeout=60
                )
                first = (await backend.execute(call)).unwrap()
                assert (slot.path / f"made-{number}").exists()
                await slot.stage(
                    Change.of({"mod.py": text.replace("return", "return 'again',").encode()}, base=pool.read)
                )
                return [*first, *(await backend.execute(call)).unwrap()]

        found = (await collect(range(12), one, limit=2)).values
    count = found[0][1]
    assert [list(answer) for answer in found] == [[number, count, "again", number, count] for number in range(12)]


# -- limits on the whole of a call ------------------------------------------------------------------------------------

BOMB = """
import os, time
def f(count):
    for _ in range(count):
        if os.fork() == 0:
            time.sleep(1000)
            os._exit(0)
    return "forked"
"""


@PLACES
@pytest.mark.promise("X14")
async def test_a_fork_bomb_is_stopped_and_named(
    workspace: Path, backend: ForkServerBackend, enter: tuple[str, ...]
) -> None:
    call = code(BOMB + "\ng = f\ndef f(n):\n g(n)\n time.sleep(1000)", workspace, 1000, enter=enter)
    outcome = await backend.execute(replace(call, limits=CallLimits(processes=20)))
    assert (outcome.ending, outcome.limit) == (Ending.OVER_LIMIT, "processes"), outcome.describe()
    assert outcome.stragglers < 1000
    few = code(BOMB, workspace, 10, enter=enter, limits=CallLimits(processes=20))
    assert (await backend.execute(few)).unwrap() == "forked"


DAEMONS = """
import os, time
def f(count, seconds):
    for _ in range(count):
        if os.fork() == 0:
            if os.fork() == 0:
                os.setsid()
                while time.process_time() < seconds: pass
                time.sleep(1000 if not seconds else 0)
            os._exit(0)
        os.wait()
    time.sleep(30)
"""


@PLACES
@pytest.mark.promise("X14")
@pytest.mark.soak
async def test_those_that_nobody_waits_for_count_too(
    workspace: Path, backend: ForkServerBackend, enter: tuple[str, ...]
) -> None:
    many = code(DAEMONS, workspace, 1100, 0.0, enter=enter)
    outcome = await backend.execute(many)
    assert (outcome.ending, outcome.limit) == (Ending.OVER_LIMIT, "processes"), "the default stops a bomb"
    busy = code(DAEMONS, workspace, 8, 0.5, enter=enter, limits=CallLimits(cpu_seconds=2))
    outcome = await backend.execute(busy)
    assert (outcome.ending, outcome.limit) == (Ending.OVER_LIMIT, "cpu_seconds")


@PLACES
@pytest.mark.promise("X2", "X6")
async def test_a_chain_that_forks_and_ends_is_caught(
    workspace: Path, backend: ForkServerBackend, enter: tuple[str, ...]
) -> None:
    source = (
        "import os, sys\ndef f():\n if os.fork() == 0:\n  while True:\n   if os.fork(): os._exit(0)\n"
        "   open('beat', 'w').write(str(os.getpid()))\n import time; time.sleep(1000)"
    )
    outcome = await backend.execute(code(source, workspace, enter=enter, timeout=1.0))
    assert outcome.ending is Ending.TIMEOUT, outcome.describe()
    (workspace / "beat").unlink(missing_ok=True)
    await anyio.sleep(0.1)
    assert not (workspace / "beat").exists()


@PLACES
@pytest.mark.promise("X14")
async def test_cpu_time_is_that_of_all_processes(
    workspace: Path, backend: ForkServerBackend, enter: tuple[str, ...]
) -> None:
    """Each for itself stays below the limit."""
    source = (
        "import os, time\ndef f():\n for _ in range(40):\n  if os.fork() == 0:\n"
        "   while time.process_time() < 0.4: pass\n   os._exit(0)\n  os.wait()\n return 'in time'"
    )
    outcome = await backend.execute(code(source, workspace, enter=enter, limits=CallLimits(cpu_seconds=1)))
    assert (outcome.ending, outcome.limit) == (Ending.OVER_LIMIT, "cpu_seconds")


EATER = """
import mmap, os
def eat(size):
    room = mmap.mmap(-1, size)
    for start in range(0, size, 4096):
        room[start] = 1
    return room
def f(size, forks=1):
    for _ in range(forks - 1):
        if os.fork() == 0:
            kept = eat(size)
            os.read(0, 1)
            import time; time.sleep(1000)
    kept = eat(size)
    for _ in range(forks - 1): os.wait()
    return "eaten"
"""


@pytest.mark.promise("X14")
async def test_memory_is_that_of_all_processes_where_groups_can_be_made(
    workspace: Path, backend: ForkServerBackend
) -> None:
    """Each for itself stays below the limit. Where no groups can be made, the address space of each is limited."""
    limits = CallLimits(memory=200_000_000)
    alone = await backend.execute(code(EATER, workspace, 80_000_000, limits=limits))
    assert alone.unwrap() == "eaten"
    if not groups_of(os.getpid()):
        return
    together = await backend.execute(code(EATER, workspace, 80_000_000, 4, limits=limits))
    assert (together.ending, together.limit) == (Ending.OUT_OF_MEMORY, "memory")


@pytest.mark.promise("X9", "X14")
async def test_killed_for_memory_is_told_from_killed_by_somebody(workspace: Path, backend: ForkServerBackend) -> None:
    limits = CallLimits(memory=100_000_000)
    eaten = await backend.execute(code(EATER, workspace, 300_000_000, limits=limits))
    assert (eaten.ending, eaten.limit) == (Ending.OUT_OF_MEMORY, "memory")
    killed = await backend.execute(code("import os\ndef f(): os.kill(os.getpid(), 9)", workspace, limits=limits))
    assert (killed.ending, killed.signal) == (Ending.CRASH, signal.SIGKILL)
    raised = await backend.execute(code("def f(): raise MemoryError('mine')", workspace))
    assert raised.ending is Ending.ERROR, "no limit was there to go over"


@pytest.mark.promise("E6")
async def test_a_gigabyte_of_output_is_bounded(workspace: Path, backend: ForkServerBackend) -> None:
    source = "import os\ndef f():\n for _ in range(1024): os.write(1, b'x' * (1 << 20))\n os.write(1, b'end')"
    outcome = await backend.execute(code(source, workspace, limits=CallLimits(output=1000)))
    assert outcome.ending is Ending.OK
    assert outcome.stdout.dropped > (1 << 30) - 1000
    assert outcome.stdout.tail.endswith("end")


# -- faults -----------------------------------------------------------------------------------------------------------


@PLACES
async def test_a_zygote_killed_in_mid_call_is_our_fault_and_replaced(
    workspace: Path, backend: ForkServerBackend, enter: tuple[str, ...]
) -> None:
    ends: list[CallOutcome] = []
    source = "import os, time\ndef f():\n open('pid', 'w').write('1')\n time.sleep(1000)"

    async def run() -> None:
        ends.append(await backend.execute(code(source, workspace, enter=enter)))

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(run)
        await until((workspace / "pid").exists)
        (zygote,) = backend._zygotes.values()
        known = psutil.Process(zygote._process.pid).children(recursive=True)
        zygote._process.send_signal(signal.SIGKILL)
    (outcome,) = ends
    assert outcome.ending is Ending.LOST
    assert "the fork server was ended by SIGKILL" in outcome.detail
    await until(lambda: not any(process.is_running() and process.status() != "zombie" for process in known))
    assert (await backend.execute(code("def f(): return 1", workspace, enter=enter))).value == 1


async def test_a_supervisor_killed_from_outside_is_our_fault(workspace: Path, backend: ForkServerBackend) -> None:
    """And takes everything of its call with it, in a namespace by the kernel, elsewhere by the zygote."""
    source = (
        "import os, time\ndef f():\n if os.fork() == 0:\n  os.setsid()\n"
        " open(f'pid-{os.getpid()}', 'w').close()\n time.sleep(1000)"
    )
    for enter in ((), CONTAINED):
        for path in workspace.iterdir():
            path.unlink()
        ends: list[CallOutcome] = []

        async def run(enter: tuple[str, ...], ends: list[CallOutcome]) -> None:
            ends.append(await backend.execute(code(source, workspace, enter=enter)))

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(run, enter, ends)
            await until(lambda: len(list(workspace.iterdir())) == 2)
            zygote = next(zygote for kind, zygote in backend._zygotes.items() if kind.enter == enter)
            candidates = [
                process
                for process in psutil.Process(zygote._process.pid).children(recursive=True)
                if process.cwd() == str(workspace)
            ]
            assert len(candidates) == 2
            supervisor = next(above for above in candidates[0].parents() if above.cwd() == "/")
            supervisor.kill()
        assert [outcome.ending for outcome in ends] == [Ending.LOST]
        await until(lambda known=tuple(candidates): not any(process.is_running() for process in known))


async def test_a_candidate_killed_from_outside_crashed(workspace: Path, backend: ForkServerBackend) -> None:
    source = "import os, time\ndef f():\n open('here', 'w').close()\n time.sleep(1000)"
    ends: list[CallOutcome] = []

    async def run() -> None:
        ends.append(await backend.execute(code(source, workspace)))

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(run)
        await until((workspace / "here").exists)
        candidates = [child for child in children_of_ours() if child.cwd() == str(workspace)]
        candidates[0].kill()
    assert [(outcome.ending, outcome.signal) for outcome in ends] == [(Ending.CRASH, signal.SIGKILL)]
    assert ends[0].metrics is not None
    assert ends[0].metrics.pid == candidates[0].pid, "the pid is the one that we know it by"


KILLED = """
import sys, anyio
from pathlib import Path
from bakeoff.workers import CallLimits, PythonCall, ForkServerBackend
source = '''
import os, tempfile, time
def f():
    if os.fork() == 0:
        os.setsid()
    os.mkdir(tempfile.mkdtemp() + "/closed", 0)
    open(f"pid-{os.getpid()}", "w").close()
    time.sleep(1000)
'''
async def main():
    async with ForkServerBackend() as backend:
        call = PythonCall(
            function="f", source=source, directory=Path(sys.argv[1]), limits=CallLimits(memory=1 << 30),
            enter=tuple(sys.argv[2:]),
        )
        await backend.execute(call)
anyio.run(main)
"""


@PLACES
@pytest.mark.promise("X6")
async def test_nothing_outlives_the_engine_however_it_ends(
    workspace: Path, scratch: Path, enter: tuple[str, ...]
) -> None:
    command = [sys.executable, "-c", KILLED, str(workspace), *enter]
    with subprocess.Popen(command, env={**os.environ, "TMPDIR": str(scratch)}) as engine:
        await until(lambda: len(list(workspace.glob("pid-*"))) == 2 or engine.poll() is not None)
        assert engine.poll() is None
        below = psutil.Process(engine.pid).children(recursive=True)
        assert len(below) >= 4
        engine.send_signal(signal.SIGKILL)
    await until(lambda: not any(process.is_running() for process in below) and not list(scratch.iterdir()))
    # Its own folder of control groups is empty now, and goes with the next engine's first call.
    async with ForkServerBackend() as backend:
        await backend.execute(code("def f(): pass", workspace))
    assert groups_of(engine.pid) == []


async def test_what_a_dead_engine_left_of_control_groups_is_taken_away() -> None:
    try:
        system = cgroups.find()
    except cgroups.Unavailable:
        assert os.getuid() != 0
        return
    # In a place of its own: engines of other tests would take it away before this one looks.
    place = system.claim(f"bakeoff-test-{os.getpid()}")
    world = Owner.current().label.split("-")[0]
    stray = subprocess.Popen(["sleep", "1000"])
    try:
        dead = place.claim(f"bakeoff-{world}-999999999-7-abc")
        group = cgroups.Group(dead, "call-x")
        group.make()
        for folder in dead.folders:
            (Path(folder) / "call-x" / "cgroup.procs").write_text(str(stray.pid))
        own = _claimed(place, 1)
        assert not any(os.path.exists(folder) for folder in dead.folders)
        assert stray.wait() == -signal.SIGKILL
        _claimed(place, 2).remove()
        assert all(os.path.exists(folder) for folder in own.folders), "its owner lives"
        own.remove()
    finally:
        stray.kill()
        stray.wait()
        place.remove()
    assert not any(os.path.exists(folder) for folder in place.folders)


@pytest.mark.promise("X6")
async def test_a_folder_that_an_engine_and_its_supervisor_could_not_remove_goes_later(
    workspace: Path, scratch: Path, backend: ForkServerBackend
) -> None:
    ours = Owner.current()
    dead, alive = (
        scratch / f"bakeoff-call-{ours.label.split('-')[0]}-999999999-7-x",
        scratch / f"bakeoff-call-{ours.label}-y",
    )
    foreign = scratch / "bakeoff-call-else"
    for folder in (dead, alive, foreign):
        folder.mkdir()
    (dead / "file").touch()
    await backend.execute(code("def f(): pass", workspace))
    assert sorted(scratch.iterdir()) == sorted([alive, foreign])


@pytest.mark.parametrize("kind", [ForkServerBackend, SubprocessBackend])
async def test_cancelling_at_any_moment_leaves_nothing(
    workspace: Path, scratch: Path, kind: type[ForkServerBackend | SubprocessBackend]
) -> None:
    async with kind(WorkerConfig(workers=2)) as backend:
        await backend.execute(code("def f(): pass", workspace))
        for step in range(25):
            with anyio.move_on_after(step * 0.001):
                await backend.execute(code("def f(): pass", workspace))
        assert list(scratch.iterdir()) == []
        assert (await backend.execute(code("def f(): return 1", workspace))).value == 1
    assert not children_of_ours()


async def test_a_call_that_never_began_leaves_no_folder(workspace: Path, scratch: Path) -> None:
    way = workspace / "way"
    way.write_text('#!/bin/sh\nexec "$@"\n')
    way.chmod(0o755)
    async with SubprocessBackend() as backend:
        call = code("def f(): return 1", workspace, enter=(str(way),))
        assert (await backend.execute(call)).value == 1
        way.unlink()
        with pytest.raises(WorkerUnavailable):
            await backend.execute(call)
    assert list(scratch.iterdir()) == []


async def test_more_calls_than_a_socket_holds_wait_in_line(workspace: Path) -> None:
    async with ForkServerBackend(WorkerConfig(workers=500, sandbox=Sandbox.OFF)) as backend:
        call = code("def f(): return 1", workspace)
        await backend.execute(call)
        (zygote,) = backend._zygotes.values()
        ends: list[CallOutcome] = []

        async def run() -> None:
            ends.append(await backend.execute(call))

        async with anyio.create_task_group() as tasks:
            zygote._process.send_signal(signal.SIGSTOP)
            for _ in range(350):
                tasks.start_soon(run)
            await until(lambda: zygote.served > 200)
            await anyio.sleep(0.2)
            zygote._process.send_signal(signal.SIGCONT)
    assert [outcome.ending for outcome in ends] == [Ending.OK] * 350


STUCK = """
import sys, anyio
from pathlib import Path
from bakeoff.workers import CommandCall, ForkServerBackend, WorkerConfig
async def main():
    backend = ForkServerBackend(WorkerConfig(preload=("stuck",), python=Path(sys.argv[1])))
    await backend.execute(CommandCall(argv=("true",), directory=Path("/"), enter=tuple(sys.argv[2:])))
anyio.run(main)
"""


@PLACES
@pytest.mark.promise("X6")
@pytest.mark.soak
async def test_an_import_without_end_does_not_outlive_the_engine(tmp_path: Path, enter: tuple[str, ...]) -> None:
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(tmp_path / "venv")], check=True)
    packages = next((tmp_path / "venv").glob("lib/python3*/site-packages"))
    (packages / "stuck.py").write_text(f"open({str(tmp_path / 'here')!r}, 'w').close()\nwhile True: pass")
    with subprocess.Popen([sys.executable, "-c", STUCK, str(tmp_path / "venv/bin/python"), *enter]) as engine:
        await until((tmp_path / "here").exists)
        below = psutil.Process(engine.pid).children(recursive=True)
        engine.send_signal(signal.SIGKILL)
    assert below
    await until(lambda: not any(process.is_running() for process in below))


async def test_cancelling_while_a_zygote_starts_ends_it_at_once(tmp_path: Path, workspace: Path) -> None:
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(tmp_path / "venv")], check=True)
    packages = next((tmp_path / "venv").glob("lib/python3*/site-packages"))
    (packages / "stuck.py").write_text(f"open({str(tmp_path / 'here')!r}, 'w').close()\nwhile True: pass")
    backend = ForkServerBackend(WorkerConfig(preload=("stuck",), python=tmp_path / "venv/bin/python"))
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(backend.execute, code("def f(): pass", workspace))
        await until((tmp_path / "here").exists)
        tasks.cancel_scope.cancel()
    assert not children_of_ours()
    await backend.shutdown()


@pytest.mark.promise("X12")
async def test_every_shutdown_returns_when_everything_is_gone(workspace: Path) -> None:
    backend = ForkServerBackend()
    await backend.execute(code("def f(): pass", workspace))
    left: list[int] = []

    async def end() -> None:
        await backend.shutdown()
        left.append(len(children_of_ours()))

    async with anyio.create_task_group() as tasks:
        with anyio.CancelScope() as scope:
            scope.cancel()
            await backend.shutdown()
        for _ in range(3):
            tasks.start_soon(end)
    assert left == [0, 0, 0]


async def test_places_that_were_entered_once_do_not_pile_up(workspace: Path, backend: ForkServerBackend) -> None:
    for number in range(7):
        await backend.execute(code("def f(): pass", workspace, enter=("env", f"NUMBER={number}")))
    assert len(backend._zygotes) == 4
    assert [kind.enter[1] for kind in backend._zygotes] == [f"NUMBER={number}" for number in range(3, 7)]


@pytest.mark.promise("X3", "X4", "X12")
async def test_nothing_is_left_in_any_case(workspace: Path, scratch: Path) -> None:
    before = descriptors()
    ends = []
    async with ForkServerBackend(WorkerConfig(workers=2)) as backend:
        for source in (
            "def f(): return b'x' * 10_000_000",
            "def f(): 1 / 0",
            "import os, tempfile\ndef f(): os.mkdir(tempfile.mkdtemp() + '/x', 0); os._exit(1)",
            "import os, signal\ndef f(): os.kill(os.getpid(), signal.SIGSEGV)",
            "def f():\n while True: pass",
        ):
            limits = CallLimits(memory=1 << 30, processes=50)
            outcome = await backend.execute(code(source, workspace, timeout=2.0, limits=limits))
            ends.append(outcome.ending)
        with anyio.move_on_after(0.2):
            await backend.execute(code("def f():\n while True: pass", workspace))
        children = children_of_ours()
        assert children
    assert ends == [Ending.OK, Ending.ERROR, Ending.NO_RESULT, Ending.CRASH, Ending.TIMEOUT]
    assert list(scratch.iterdir()) == []
    assert not any(process.is_running() for process in children)
    assert groups_of(os.getpid()) == []
    del outcome
    assert descriptors() <= before


@pytest.mark.promise("X3", "X4")
async def test_a_result_has_no_name_that_could_be_taken_by_another(
    workspace: Path, scratch: Path, backend: ForkServerBackend
) -> None:
    source = (
        "import os, stat, tempfile\ndef f():\n"
        " files = [os.readlink(f'/proc/self/fd/{n}') for n in range(3, 50) if os.path.lexists(f'/proc/self/fd/{n}')]\n"
        " place = os.stat(tempfile.gettempdir())\n"
        " return sorted(f for f in files if f.startswith('/')), stat.S_IMODE(place.st_mode), place.st_uid, "
        "tempfile.gettempdir()"
    )
    files, mode, owner, folder = (await backend.execute(code(source, workspace))).unwrap()
    assert files == ["/memfd:bakeoff-result (deleted)"]
    assert (mode, owner, str(Path(folder).parent)) == (0o700, os.getuid(), str(scratch))


@pytest.mark.promise("X3")
async def test_what_was_sent_can_no_longer_be_changed(
    workspace: Path, backend: ForkServerBackend, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The file is sealed before it is read, and had a fixed size from the start."""
    seen = []
    read = outcomes.outcome

    def looking(call: Call, report: dict[str, Any], result: int, *, worker: str) -> CallOutcome:
        seen.append(os.dup(result))
        return read(call, report, result, worker=worker)

    monkeypatch.setattr("bakeoff.workers.flight.outcome", looking)
    await backend.execute(code("def f(): return 1", workspace))
    with pytest.raises(PermissionError):
        os.pwrite(seen[0], b"x", 0)
    for size in (0, 1 << 40):
        with pytest.raises(PermissionError):
            os.ftruncate(seen[0], size)
    os.close(seen[0])
    grow = (
        "import os\ndef f():\n for n in range(3, 30):\n  try: os.ftruncate(n, 1 << 40); return 'grown'\n"
        "  except OSError: pass"
    )
    monkeypatch.undo()
    assert (await backend.execute(code(grow, workspace))).value is None


# -- the temporary folder ---------------------------------------------------------------------------------------------


@pytest.mark.promise("X4")
async def test_a_temporary_place_that_others_can_change_is_refused(
    workspace: Path, scratch: Path, backend: ForkServerBackend
) -> None:
    call = code("def f(): return 1", workspace)
    scratch.chmod(0o777)
    with pytest.raises(NoTemporaryFolder, match="others can rename"):
        await backend.execute(call)
    scratch.chmod(0o1777)
    assert (await backend.execute(call)).value == 1
    scratch.rmdir()
    with pytest.raises(NoTemporaryFolder, match="No such file"):
        await backend.execute(call)


@pytest.mark.applies(os.getuid() == 0, "only root can give a folder to somebody else")
@pytest.mark.promise("X4")
async def test_a_temporary_place_of_somebody_else_is_refused(
    workspace: Path, scratch: Path, backend: ForkServerBackend
) -> None:
    os.chown(scratch, 12345, 12345)
    with pytest.raises(NoTemporaryFolder, match="belongs to somebody else"):
        await backend.execute(code("def f(): return 1", workspace))


FULL = """
import sys, anyio, tempfile
from pathlib import Path
from bakeoff.errors import NoTemporaryFolder
from bakeoff.workers import PythonCall, ForkServerBackend
async def main():
    room = Path(sys.argv[1])
    async with ForkServerBackend() as backend:
        fill = "def f():\\n with open('x', 'wb') as file:\\n  while True: file.write(b'x' * 4096)"
        call = PythonCall(function="f", source=fill, directory=room, timeout=60)
        outcome = await backend.execute(call)
        print(outcome.ending, outcome.error.type, outcome.error.message)
        fine = PythonCall(function="f", source="def f(): return b'x' * 10_000_000", directory=room, timeout=60)
        print(len((await backend.execute(fine)).unwrap()))
        tempfile.tempdir = str(room)
        for number in range(1000):
            try:
                (room / str(number)).mkdir()
            except OSError:
                break
        try:
            await backend.execute(call)
        except NoTemporaryFolder as error:
            print(error)
anyio.run(main)
"""


async def test_a_full_disk_is_told_as_that(tmp_path: Path) -> None:
    room = tmp_path / "room"
    room.mkdir()
    shell = 'mount -t tmpfs -o size=1m,nr_inodes=20,mode=700 none "$1" && exec "$2" -c "$3" "$1"'
    done = await anyio.run_process(
        ["unshare", "-rm", "sh", "-c", shell, "sh", str(room), sys.executable, FULL], check=False
    )
    said = done.stdout.decode()
    assert "error builtins.OSError [Errno 28] No space left on device" in said, done.stderr.decode()
    assert "\n10000000\n" in said, "a result needs no room on a disk"
    assert f"no temporary folder can be made in {room}: No space left on device" in said
    assert "hint: set TMPDIR" in said


# -- warm, and fresh all the same -------------------------------------------------------------------------------------


async def test_what_is_preloaded_is_there_and_nobody_elses(workspace: Path) -> None:
    (workspace / "numpy").mkdir()
    (workspace / "numpy/__init__.py").write_text("raise RuntimeError('the candidate was preloaded')")
    config = WorkerConfig(workers=1, preload=("numpy.random", "xml.dom.minidom"))
    async with ForkServerBackend(config) as backend:
        source = (
            "import sys\nloaded = 'numpy' in sys.modules, 'xml.dom.minidom' in sys.modules, 'mod' in sys.modules\n"
            "import numpy, random\ndef f(): return loaded, float(numpy.random.random()), random.random()"
        )
        ends = [(await backend.execute(code(source, workspace))).unwrap() for _ in range(3)]
    assert [end[0] for end in ends] == [(True, True, False)] * 3
    assert len({end[1] for end in ends}) == 3, "numpy's generator is each call's own"
    assert len({end[2] for end in ends}) == 3


KIT = "import os\n\n\ndef place() -> str:\n    return os.path.basename(__file__)\n"


@pytest.mark.parametrize("kind", [ForkServerBackend, SubprocessBackend])
async def test_kits_are_there_under_their_own_name(workspace: Path, tmp_path: Path, kind) -> None:
    """Read-only, outside of the workspace, and out of the way of a module that has the folder's name."""
    (tmp_path / "tools").mkdir()
    (tmp_path / "tools/__init__.py").write_text(KIT)
    (tmp_path / "tools/part.py").write_text(
        "from . import place\n\n\ndef name() -> str:\n    return __name__ + place()\n"
    )
    (workspace / "tools.py").write_text("raise RuntimeError('the wrong one')")
    config = WorkerConfig(workers=1, kits=(tmp_path / "tools",), preload=("_bakeoff_tools.part",))
    async with kind(config) as backend:
        call = PythonCall(function="_bakeoff_tools.part:name", directory=workspace, path=(workspace,))
        assert (await backend.execute(call)).unwrap() == "_bakeoff_tools.part__init__.py"
        source = f"def f(): open({str(tmp_path / 'tools/new.py')!r}, 'w')"
        assert (await backend.execute(PythonCall(function="f", source=source, directory=workspace))).denied


async def test_what_a_preloaded_module_remembers_of_temporary_folders_is_forgotten(
    workspace: Path, tmp_path: Path
) -> None:
    (tmp_path / "tools").mkdir()
    (tmp_path / "tools/__init__.py").write_text("import tempfile\n\nPLACE = tempfile.gettempdir()\n")
    config = WorkerConfig(workers=1, kits=(tmp_path / "tools",), preload=("_bakeoff_tools",))
    source = "import os, tempfile\ndef f(): return tempfile.gettempdir() == os.environ['TMPDIR']"
    async with ForkServerBackend(config) as backend:
        assert (await backend.execute(PythonCall(function="f", source=source, directory=workspace))).unwrap()


async def test_a_module_that_cannot_be_preloaded_is_an_error(workspace: Path) -> None:
    async with ForkServerBackend(WorkerConfig(preload=("json", "no_such_module"))) as backend:
        heard: list[object] = []
        backend.on_submit(lambda _: heard.append("submit"))
        backend.on_complete(lambda _, metrics: heard.append(metrics))
        with pytest.raises(PreloadFailed, match="no_such_module: ModuleNotFoundError"):
            await backend.execute(code("def f(): pass", workspace))
        assert heard == ["submit", None]
    assert not children_of_ours()


@pytest.mark.parametrize("kind", [ForkServerBackend, SubprocessBackend])
@pytest.mark.promise("X11")
async def test_an_interpreter_that_does_not_start_is_an_error(
    workspace: Path, kind: type[ForkServerBackend | SubprocessBackend]
) -> None:
    for python, said in ((Path("/no/such/python"), "No such file"), (Path("/bin/false"), "no worker could be started")):
        async with kind(WorkerConfig(python=python)) as backend:
            heard: list[object] = []
            backend.on_submit(lambda _, heard=heard: heard.append("submit"))
            backend.on_complete(lambda _, metrics, heard=heard: heard.append(metrics))
            with pytest.raises(WorkerUnavailable, match=said):
                await backend.execute(code("def f(): pass", workspace))
            assert heard == ["submit", None]


async def test_a_zygote_is_renewed_after_its_number_of_calls(workspace: Path) -> None:
    async with ForkServerBackend(WorkerConfig(workers=4, recycle=3)) as backend:
        workers: list[str] = []

        async def run(source: str) -> None:
            outcome = await backend.execute(code(source, workspace))
            assert outcome.metrics is not None
            workers.append(outcome.metrics.worker)

        slow = "import os, time\ndef f():\n open('here', 'w').close()\n while os.path.exists('here'): time.sleep(0.001)"
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(run, slow)
            await until((workspace / "here").exists)
            for _ in range(5):
                await run("def f(): pass")
            (workspace / "here").unlink()
    first, second = workers[0], workers[2]
    assert workers == [first, first, second, second, second, first], "what runs is not disturbed"


async def test_several_calls_find_one_zygote(workspace: Path, backend: ForkServerBackend) -> None:
    workers = set()

    async def run() -> None:
        outcome = await backend.execute(code("def f(): pass", workspace))
        assert outcome.metrics is not None
        workers.add(outcome.metrics.worker)

    async with anyio.create_task_group() as tasks:
        for _ in range(8):
            tasks.start_soon(run)
    assert len(workers) == 1


@pytest.mark.promise("X13")
def test_processes_are_shared_among_the_workers_of_a_test_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.sched_getaffinity", lambda _: set(range(8)))
    for workers, count in ((None, 8), ("2", 4), ("16", 1)):
        if workers is None:
            monkeypatch.delenv("PYTEST_XDIST_WORKER_COUNT", raising=False)
        else:
            monkeypatch.setenv("PYTEST_XDIST_WORKER_COUNT", workers)
        assert WorkerConfig().count() == count


@pytest.mark.promise("X12")
async def test_two_backends_are_independent_and_importing_starts_nothing(workspace: Path) -> None:
    look = (
        "import os, bakeoff.workers, psutil\n"
        "print(len(psutil.Process().children()), len(os.listdir('/proc/self/task')))"
    )
    assert subprocess.check_output([sys.executable, "-c", look], text=True) == "0 1\n"
    call = code("def f(): return 1", workspace)
    first, second = ForkServerBackend(), ForkServerBackend(WorkerConfig(sandbox=Sandbox.OFF))
    assert (await first.execute(call)).tier is not (await second.execute(call)).tier
    await first.shutdown()
    await first.shutdown()
    assert (await second.execute(call)).value == 1
    await second.shutdown()


def test_the_default_is_the_fork_server_here() -> None:
    assert isinstance(open_backend(), ForkServerBackend)


OTHERS = [path for version in (9, 10, 12, 13, 14) if (path := shutil.which(f"python3.{version}"))]


@pytest.mark.parametrize("kind", [ForkServerBackend, SubprocessBackend])
async def test_another_interpreter_can_run_calls(
    workspace: Path, tmp_path: Path, kind: type[ForkServerBackend | SubprocessBackend]
) -> None:
    """A virtual environment of every Python that is found here; its packages are there, ours are not."""
    works = [
        path for path in [sys.executable, *OTHERS] if subprocess.run([path, "-c", ""], check=False).returncode == 0
    ]
    for number, python in enumerate(works):
        home = tmp_path / f"venv{number}"
        subprocess.run([python, "-m", "venv", "--without-pip", str(home)], check=True)
        packages = next(home.glob("lib/python3*/site-packages"))
        (packages / "only_here.py").write_text("answer = 42\n")
        source = (
            "import importlib.util, sys, only_here\n"
            "def f(): return only_here.answer, importlib.util.find_spec('anyio') is None, sys.version_info[:2]"
        )
        async with kind(WorkerConfig(python=home / "bin/python")) as backend:
            answer, without, version = (await backend.execute(code(source, workspace))).unwrap()
            assert (answer, without) == (42, True)
            assert f"{version[0]}.{version[1]}" in packages.parent.name
            failed = await backend.execute(code("def f(): 1 / 0", workspace, limits=CallLimits(memory=1 << 30)))
            assert failed.ending is Ending.ERROR
            timed = await backend.execute(code("def f(): return 1", workspace, timed=True))
            assert timed.unwrap() == 1


def test_the_probe_says_what_there_is_and_why_not() -> None:
    from bakeoff.workers.isolation import PROGRAM

    def found(*enter: str) -> dict[str, str | None]:
        said = subprocess.check_output([*enter, sys.executable, "-I", "-S", PROGRAM, "probe"])
        layers: dict[str, str | None] = json.loads(said)["layers"]
        return layers

    assert {name for name, reason in found().items() if reason is None} >= {
        "namespaces",
        "privileges",
        "limits",
        "files",
        "calls",
    }
    poor = found(*CONTAINED)
    assert "not permitted" in (poor["namespaces"] or "")
    assert poor["cgroup"]
    assert poor["calls"] is None
