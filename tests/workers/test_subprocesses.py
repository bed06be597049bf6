from __future__ import annotations

import os
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import anyio
import pytest

from bakeoff.errors import SandboxMissing, UsageError
from bakeoff.testing.workers import BackendConformance
from bakeoff.workers import CommandCall, Ending, PythonCall, Sandbox, SubprocessBackend, WorkerConfig

pytestmark = pytest.mark.anyio


@pytest.mark.promise("X2", "X5", "X7", "X8", "X10")
class TestJailed(BackendConformance):
    @pytest.fixture
    def backend(self) -> SubprocessBackend:
        return SubprocessBackend(WorkerConfig(workers=2))


class TestWithoutSandbox(BackendConformance):
    @pytest.fixture
    def anyio_backend(self) -> str:
        return "asyncio"

    @pytest.fixture
    def backend(self) -> SubprocessBackend:
        return SubprocessBackend(WorkerConfig(workers=2, sandbox=Sandbox.OFF))


async def test_a_jailed_call_reaches_nothing_outside(tmp_path: Path) -> None:
    (tmp_path / "inside").mkdir()
    (tmp_path / "secret").write_text("token")
    attack = f"def f():\n open('mine', 'w').write('x')\n return open({str(tmp_path / 'secret')!r}).read()"
    call = PythonCall(function="f", source=attack, directory=tmp_path / "inside", timeout=60)
    async with SubprocessBackend() as backend:
        outcome = await backend.execute(call)
        assert outcome.isolation == ("privileges", "limits", "files", "calls")
        assert outcome.error is not None
        assert outcome.error.type == "builtins.PermissionError"
        assert (tmp_path / "inside/mine").exists()
        sockets = PythonCall(
            function="f", source="import socket\ndef f(): socket.socket()", directory=tmp_path, timeout=60
        )
        assert "PermissionError" in (await backend.execute(sockets)).describe()
    async with SubprocessBackend(WorkerConfig(sandbox=Sandbox.OFF)) as backend:
        outcome = await backend.execute(call)
        assert (outcome.value, outcome.isolation) == ("token", ("limits",))


async def test_a_required_sandbox_fails_closed(tmp_path: Path) -> None:
    async with SubprocessBackend(WorkerConfig(sandbox=Sandbox.REQUIRE)) as backend:
        call = CommandCall(argv=("true",), directory=tmp_path, timeout=60)
        assert (await backend.execute(call)).ending is Ending.OK
        found = backend._isolation[()]
        backend._isolation[()] = replace(found, missing={**found.missing, "files": "not in this kernel"})
        with pytest.raises(SandboxMissing, match="files: not in this kernel"):
            await backend.execute(call)


KILLED = """
import sys, anyio
from pathlib import Path
from bakeoff.workers import PythonCall, SubprocessBackend
source = '''
import os, sys, time
def f():
    if os.fork() == 0:
        os.setsid()
    open(f"pid-{os.getpid()}", "w").close()
    time.sleep(1000)
'''
async def main():
    async with SubprocessBackend() as backend:
        await backend.execute(PythonCall(function="f", source=source, directory=Path(sys.argv[1])))
anyio.run(main)
"""


@pytest.mark.promise("X6")
def test_calls_end_with_the_engine_however_it_ends(tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", KILLED, str(tmp_path)], env={**os.environ, "TMPDIR": str(tmp_path)}
    ) as engine:
        while len(list(tmp_path.glob("pid-*"))) < 2:
            assert engine.poll() is None
        engine.send_signal(signal.SIGKILL)
    pids = [int(path.name[4:]) for path in tmp_path.glob("pid-*")]
    for _ in range(1_000_000):
        if not any(Path(f"/proc/{pid}").exists() for pid in pids) and not list(tmp_path.glob("bakeoff-call-*")):
            return
    pytest.fail("something outlived the engine")


async def test_two_backends_are_independent(tmp_path: Path) -> None:
    call = CommandCall(argv=("true",), directory=tmp_path, timeout=60)
    first, second = SubprocessBackend(), SubprocessBackend()
    await first.shutdown()
    assert (await second.execute(call)).ending is Ending.OK
    await second.shutdown()


async def test_no_temporary_file_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(scratch))
    source = (
        "import os, tempfile\ndef f():\n d = tempfile.mkdtemp()\n os.mkdir(d + '/x'); os.chmod(d + '/x', 0); return d"
    )
    async with SubprocessBackend() as backend:
        outcome = await backend.execute(PythonCall(function="f", source=source, directory=tmp_path, timeout=60))
        assert str(scratch) in outcome.unwrap()
        with anyio.move_on_after(0.2):
            await backend.execute(PythonCall(function="f", source="def f():\n while 1: pass", directory=tmp_path))
    assert list(scratch.iterdir()) == []


async def test_another_interpreter_can_run_calls(tmp_path: Path) -> None:
    link = tmp_path / "python"
    link.symlink_to(sys.executable)
    async with SubprocessBackend(WorkerConfig(python=link)) as backend:
        source = "import sys\ndef f(): return sys.version_info[:2]"
        outcome = await backend.execute(PythonCall(function="f", source=source, directory=tmp_path, timeout=60))
        assert outcome.unwrap() == sys.version_info[:2]


@pytest.mark.promise("X16")
def test_configuration_from_the_environment() -> None:
    config = WorkerConfig.from_env({"BAKEOFF_WORKERS": "3", "BAKEOFF_SANDBOX": "off", "BAKEOFF_WORKER_ENV": "A, B"})
    assert (config.workers, config.sandbox, config.environment[-2:]) == (3, Sandbox.OFF, ("A", "B"))
    assert config.count() == 3
    for name, value in (("BAKEOFF_WORKERS", "many"), ("BAKEOFF_WORKERS", "-1"), ("BAKEOFF_SANDBOX", "maybe")):
        with pytest.raises(UsageError, match=f"{name} = '{value}'"):
            WorkerConfig.from_env({name: value})
