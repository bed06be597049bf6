"""Attacks from inside the jail, each in a process of its own, as root or as whoever runs the tests."""

from __future__ import annotations

import ast
import signal
import socket
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from bakeoff import removal
from bakeoff.workers.inside import jail

PROGRAM = """
import sys; sys.path.insert(0, {folder!r})
import os, signal, socket, ctypes, subprocess, threading, resource, jail
libc = ctypes.CDLL(None, use_errno=True)
def call(number, *arguments):
    if libc.syscall(number, *arguments) < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
jail.confine(jail.Jail(**{options!r}))
{attack}
"""
LIBRARIES = [sys.prefix, sys.base_prefix, "/usr", "/lib", "/lib64", "/etc/ld.so.cache", "/dev/urandom"]


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    (tmp_path / "workspace").mkdir()
    (tmp_path / "secret").write_text("token")
    return tmp_path / "workspace"


def inside(workspace: Path, attack: str, **options) -> subprocess.CompletedProcess[str]:
    """Run Python in a jail whose only writable folder is the workspace."""
    options = {"writable": [str(workspace), "/dev/null"], "readable": LIBRARIES, **options}
    program = PROGRAM.format(folder=str(Path(jail.__file__).parent), options=options, attack=attack)
    command = [sys.executable, "-I", "-S", "-c", program]
    return subprocess.run(command, cwd=workspace, capture_output=True, text=True, check=False, timeout=60)


@pytest.mark.parametrize(
    "attack",
    [
        "open('../stolen', 'w')",
        "open('../secret').read()",
        "open('/etc/passwd').read()",
        "os.listdir('..')",
        "os.symlink('..', 'out'); open('out/secret').read()",
        "os.link('../secret', 'mine')",
        "os.rename('../secret', 'mine')",
        "os.truncate('../secret', 0)",
        "open('/proc/%d/environ' % os.getppid()).read()",
        "socket.socket()",
        "socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)",
        "socket.socket(socket.AF_NETLINK, socket.SOCK_RAW)",
        "socket.socket(socket.AF_UNIX).connect('/run/docker.sock')",
        "socket.socket(socket.AF_UNIX).bind('here')",
        "resource.prlimit(os.getppid(), resource.RLIMIT_NOFILE, (10, 10))",
        "os.sched_setaffinity(os.getppid(), {0})",
        "os.setpriority(os.PRIO_PROCESS, os.getppid(), 19)",
        "os.setpriority(os.PRIO_USER, 0, 19)",
        "call(251 if os.uname().machine == 'x86_64' else 30, 3, 0, 0)",
        "call(70 if os.uname().machine == 'x86_64' else 188, 0, 0, 0, 0, 0)",
        "call(31 if os.uname().machine == 'x86_64' else 195, 0, 0, 0)",
        "call(241 if os.uname().machine == 'x86_64' else 181, b'/x')",
        "call(157 if os.uname().machine == 'x86_64' else 167, 1, 0, 0, 0, 0)",
        "call(157 if os.uname().machine == 'x86_64' else 167, 1, 15, 0, 0, 0)",
        "open('new', 'w').close(); os.chmod('new', 0o4755)",
        "open('new', 'w').close(); os.chmod(os.open('new', os.O_RDONLY), 0o2755)",
        "os.open('new', os.O_CREAT | os.O_WRONLY, 0o4755)",
        "os.mknod('new', 0o104755)",
        "os.chown('.', 1, 1)",
        "os.setuid(1)",
        "call(29 if os.uname().machine == 'x86_64' else 194, 0, 4096, 0o1600)",
        "call(101 if os.uname().machine == 'x86_64' else 117, 16, os.getppid(), 0, 0)",
        "call(272 if os.uname().machine == 'x86_64' else 97, 0x10000000)",
        "call(165 if os.uname().machine == 'x86_64' else 40, b'x', b'.', b'tmpfs', 0, 0)",
        "call(56 if os.uname().machine == 'x86_64' else 220, 0x10000000 | 17, 0, 0, 0, 0)",
        "call(425, 8, 0)",
        "resource.setrlimit(resource.RLIMIT_CORE, (1, 1))",
    ],
)
def test_an_attack_is_refused_as_not_permitted(workspace: Path, attack: str) -> None:
    # Landlock calls a link across its borders one across file systems; raising a hard limit is a ValueError to Python.
    tried = (
        f"import errno\ntry:\n    {attack}\nexcept (OSError, ValueError) as error:\n"
        "    print('refused' if getattr(error, 'errno', 1) in (errno.EPERM, errno.EACCES, errno.EXDEV) else error)"
    )
    done = inside(workspace, tried)
    assert done.stdout == "refused\n", done.stderr
    assert (workspace.parent / "secret").read_text() == "token"
    assert sorted(path.name for path in workspace.parent.iterdir()) == ["secret", "workspace"]


@pytest.mark.parametrize(
    "attack",
    [
        "open('new', 'w').write('x'); os.mkdir('folder'); os.rename('new', 'folder/new'); os.remove('folder/new')",
        "import decimal, json, random; random.random()",
        "a, b = socket.socketpair(); a.send(b'x'); b.recv(1)",
        "t = threading.Thread(target=print); t.start(); t.join()",
        "assert subprocess.run([sys.executable, '-c', 'print(7)'], capture_output=True, text=True).stdout == '7\\n'",
        "assert os.waitpid(os.fork() or os._exit(3), 0)[1] == 3 << 8",
        "c = subprocess.Popen(['/bin/sleep', '100']); c.kill(); assert c.wait() == -signal.SIGKILL",
        "import multiprocessing.shared_memory, tempfile; tempfile.TemporaryFile(dir='.').write(b'x')",
        "os.memfd_create('x')",
        "os.nice(1); os.sched_setaffinity(0, os.sched_getaffinity(0))",
        "resource.setrlimit(resource.RLIMIT_NOFILE, (9, 9))",
        "open('new', 'w').close(); os.chmod('new', 0o755); os.utime('new', (1, 1)); os.mkdir('sticky', 0o1777)",
    ],
)
def test_ordinary_things_work(workspace: Path, attack: str) -> None:
    done = inside(workspace, f"{attack}\nprint('worked')")
    assert done.stdout.endswith("worked\n"), done.stderr


def test_children_are_in_the_jail_too(workspace: Path) -> None:
    script = "open('../stolen', 'w')"
    done = inside(workspace, f"subprocess.run([sys.executable, '-c', {script!r}])")
    assert "PermissionError" in done.stderr
    assert not (workspace.parent / "stolen").exists()


def test_no_signal_reaches_a_process_outside(workspace: Path) -> None:
    with subprocess.Popen(["sleep", "100"]) as victim:
        done = inside(workspace, f"os.kill({victim.pid}, signal.SIGKILL)")
        victim.terminate()
    assert "PermissionError" in done.stderr
    assert victim.returncode == -signal.SIGTERM


def test_what_the_parent_listens_on_cannot_be_reached(workspace: Path) -> None:
    """A socket that was opened before the jail closed still may not connect."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        program = PROGRAM.format(
            folder=str(Path(jail.__file__).parent),
            options={"writable": [str(workspace)], "readable": LIBRARIES},
            attack=f"s.connect(('127.0.0.1', {port}))",
        ).replace("jail.confine(", "s = socket.socket()\njail.confine(")
        done = subprocess.run([sys.executable, "-I", "-S", "-c", program], capture_output=True, text=True, check=False)
    assert "PermissionError" in done.stderr


def test_the_network_is_there_when_allowed(workspace: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]

        def greet() -> None:
            with server.accept()[0] as connection:
                connection.sendall(b"hello")

        thread = threading.Thread(target=greet)
        thread.start()
        done = inside(workspace, f"print(socket.create_connection(('127.0.0.1', {port})).recv(5))", network=True)
        thread.join()
    assert done.stdout == "b'hello'\n", done.stderr


@pytest.mark.parametrize(
    ("limits", "attack", "ending"),
    [
        ({"AS": 1 << 29}, "bytearray(1 << 30)", "MemoryError"),
        (
            {"FSIZE": 1000},
            "open('big', 'wb', buffering=0).write(b'x' * 1000 + b'x'); open('big', 'ab', buffering=0).write(b'x')",
            "File too large",
        ),
        ({"NOFILE": 20}, "[os.open('/dev/null', os.O_RDONLY) for _ in range(40)]", "Too many open files"),
    ],
)
def test_a_limit_holds(workspace: Path, limits: dict[str, int], attack: str, ending: str) -> None:
    assert ending in inside(workspace, attack, limits=limits).stderr


def test_a_cpu_limit_ends_a_loop(workspace: Path) -> None:
    assert inside(workspace, "while True: pass", limits={"CPU": 1}).returncode in (-signal.SIGXCPU, -signal.SIGKILL)


def test_it_dies_with_its_parent(workspace: Path) -> None:
    attack = "os.write(1, b'%d\\n' % os.getpid()); signal.pause()"
    options = {"writable": [str(workspace)], "readable": LIBRARIES}
    program = PROGRAM.format(folder=str(Path(jail.__file__).parent), options=options, attack=attack)
    parent = (
        "import subprocess, sys, os; child = subprocess.Popen([sys.executable, '-I', '-S', '-c', sys.argv[1]], "
        "stdout=subprocess.PIPE, text=True); print(child.stdout.readline(), flush=True); os.kill(os.getpid(), 9)"
    )
    done = subprocess.run([sys.executable, "-c", parent, program], capture_output=True, text=True, check=False)
    child = Path(f"/proc/{int(done.stdout)}")
    for _ in range(100_000):
        if not child.exists() or ") Z" in child.joinpath("stat").read_text():
            return
    pytest.fail("the jailed process outlived its parent")


def test_no_capability_is_left_even_to_root_and_none_comes_back(workspace: Path) -> None:
    attack = "print(subprocess.run(['/bin/sh', '-c', 'ulimit -c'], capture_output=True, text=True).stdout.strip())"
    kinds = ("CapEff", "CapPrm", "CapInh", "CapAmb")
    show = f"print([line for line in open('/proc/self/status') if line.startswith({kinds})])"
    child = f"subprocess.run([sys.executable, '-I', '-S', '-c', {show!r}])"
    done = inside(workspace, f"{show}\n{attack}\nsys.stdout.flush()\n{child}", readable=[*LIBRARIES, "/proc"])
    lines = done.stdout.splitlines()
    assert len(lines) == 3, done.stderr
    for line in (lines[0], lines[2]):
        assert line.count("0000000000000000") == 4
    assert lines[1] == "0"


def test_what_others_share_can_be_used_only_where_there_are_no_others(workspace: Path) -> None:
    segment = "call(29 if os.uname().machine == 'x86_64' else 194, 0, 4096, 0o1600); print('made')"
    assert "PermissionError" in inside(workspace, segment).stderr
    # In a namespace of its own, so that nothing is left of it.
    options = {"writable": [str(workspace)], "readable": LIBRARIES, "alone": True}
    program = PROGRAM.format(folder=str(Path(jail.__file__).parent), options=options, attack=segment)
    done = subprocess.run(
        ["unshare", "--user", "--ipc", sys.executable, "-I", "-S", "-c", program],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.stdout == "made\n", done.stderr


@pytest.mark.parametrize("name", [*sorted(path.name for path in Path(jail.__file__).parent.glob("*.py")), "removal.py"])
def test_the_program_is_plain_python_3_9(name: str) -> None:
    """By its grammar: it runs in the interpreter of the user's project, which may be older than ours."""
    path = Path(removal.__file__) if name == "removal.py" else Path(jail.__file__).with_name(name)
    ast.parse(path.read_text(encoding="utf-8"), feature_version=(3, 9))
