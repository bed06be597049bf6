"""The contract of a worker backend, as tests. Subclass it and give one fixture:

    class TestMyBackend(BackendConformance):
        @pytest.fixture
        def backend(self) -> MyBackend:
            return MyBackend()

Everything runs on the event loops that your `anyio_backend` fixture names. Nothing here knows how a backend works.
"""

from __future__ import annotations

import math
import os
import signal
from pathlib import Path
from typing import Any

import anyio
import pytest

from bakeoff.errors import BackendClosed, CallFailed
from bakeoff.workers import (
    CallLimits,
    CallOutcome,
    CommandCall,
    Ending,
    ExecutionMetrics,
    ExecutorBackend,
    LifecycleObservable,
    PythonCall,
)

__all__ = ["BackendConformance"]

_TWICE_FORKED = """
import os, time, signal
def f(pid_file):
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            with open(pid_file, "w") as file:
                file.write(str(os.getpid()))
            time.sleep(1000)
        os._exit(0)
    while not os.path.exists(pid_file) or not open(pid_file).read():
        time.sleep(0.001)
    return "left one behind"
"""
_GARBAGE = """
import os
class Evil:
    def __reduce__(self):
        return os.system, ("touch executed",)
def f():
    import pickle
    for descriptor in range(3, 64):
        try:
            os.write(descriptor, CONTENT)
        except OSError:
            pass
    os._exit(0)
"""


def _lives(pid: int) -> bool:
    try:
        return ") Z" not in Path(f"/proc/{pid}/stat").read_text()
    except FileNotFoundError:
        return False


@pytest.mark.anyio
class BackendConformance:
    """What every backend promises."""

    @pytest.fixture
    def backend(self) -> ExecutorBackend:
        raise NotImplementedError("give the backend that is to be tested")

    async def call(
        self,
        backend: ExecutorBackend,
        folder: Path,
        source: str,
        *arguments: Any,  # noqa: ANN401 (any data)
        **options: Any,  # noqa: ANN401 (of PythonCall)
    ) -> CallOutcome:
        """Run the function `f` of a text."""
        return await backend.execute(
            PythonCall(
                function="f", source=source, arguments=arguments, directory=folder, **{"timeout": 60.0, **options}
            )
        )

    # -- values ---------------------------------------------------------------------------------------------------

    async def test_it_is_a_backend(self, backend: ExecutorBackend) -> None:
        assert isinstance(backend, ExecutorBackend)

    async def test_data_goes_in_and_comes_out(self, backend: ExecutorBackend, tmp_path: Path) -> None:
        value = {"a": [1, -2.5, None, True], "b": (b"\x00\xff", "ü\udc80", {1, 2}), 3: {"": []}, "c": 2**80, "d": 1j}
        outcome = await self.call(backend, tmp_path, "def f(x): return x", value)
        assert outcome.unwrap() == value
        nan = (await self.call(backend, tmp_path, "def f(): return [float('nan'), float('-inf')]")).unwrap()
        assert math.isnan(nan[0])
        assert nan[1] == -math.inf

    async def test_a_large_result_comes_whole(self, backend: ExecutorBackend, tmp_path: Path) -> None:
        assert (await self.call(backend, tmp_path, "def f(): return b'x' * 20_000_000")).unwrap() == b"x" * 20_000_000

    async def test_a_function_by_its_import_path(self, backend: ExecutorBackend, tmp_path: Path) -> None:
        (tmp_path / "package").mkdir()
        (tmp_path / "package" / "mod.py").write_text("class A:\n    @staticmethod\n    def g(x, y=1): return x + y\n")
        call = PythonCall(
            function="package.mod:A.g",
            arguments=(1,),
            keywords={"y": 5},
            directory=tmp_path,
            path=(tmp_path,),
            timeout=60,
        )
        assert (await backend.execute(call)).unwrap() == 6

    async def test_a_command_in_any_language(self, backend: ExecutorBackend, tmp_path: Path) -> None:
        good = CommandCall(argv=("sh", "-c", "echo out; echo err >&2; echo x > made"), directory=tmp_path, timeout=60)
        outcome = await backend.execute(good)
        assert (outcome.ending, outcome.value) == (Ending.OK, 0)
        assert (str(outcome.stdout), str(outcome.stderr)) == ("out\n", "err\n")
        assert (tmp_path / "made").exists()
        bad = await backend.execute(CommandCall(argv=("sh", "-c", "exit 3"), directory=tmp_path, timeout=60))
        assert (bad.ending, bad.status) == (Ending.ERROR, 3)
        missing = await backend.execute(CommandCall(argv=("no-such-command",), directory=tmp_path, timeout=60))
        assert missing.ending is Ending.ERROR
        assert "No such file" in str(missing.stderr)

    # -- ends -----------------------------------------------------------------------------------------------------

    async def test_an_error_comes_with_everything(self, backend: ExecutorBackend, tmp_path: Path) -> None:
        source = "import sys\ndef f(x):\n    print('a last word', file=sys.stderr)\n    return {}[x]\n"
        outcome = await self.call(backend, tmp_path, source, "missing key")
        assert outcome.ending is Ending.ERROR
        assert outcome.error is not None
        assert (outcome.error.type, outcome.error.message) == ("builtins.KeyError", "'missing key'")
        with pytest.raises(CallFailed) as caught:
            outcome.unwrap()
        for part in ("KeyError", "missing key", "return {}[x]", "a last word"):
            assert part in str(caught.value)

    @pytest.mark.parametrize(
        ("source", "ending", "said"),
        [
            ("def f(: pass", Ending.ERROR, "invalid syntax"),
            ("import no_such_module\ndef f(): pass", Ending.ERROR, "no_such_module"),
            ("def f(): raise SystemExit(3)", Ending.NO_RESULT, "sys.exit(3)"),
            ("import os\ndef f(): os._exit(0)", Ending.NO_RESULT, "status 0"),
            ("import ctypes\ndef f(): ctypes.string_at(0)", Ending.CRASH, "SIGSEGV"),
            ("import os\ndef f(): os.kill(os.getpid(), 9)", Ending.CRASH, "SIGKILL"),
            ("def f(): return object()", Ending.BAD_RESULT, "builtins.object is not data"),
            ("import enum\ndef f(): return enum.IntEnum('E', 'a').a", Ending.BAD_RESULT, "is not data"),
            ("def f():\n x = []\n x.append(x)\n return x", Ending.BAD_RESULT, "deep"),
            ("class E(Exception):\n def __str__(self): raise ValueError\ndef f(): raise E", Ending.ERROR, "no message"),
        ],
    )
    async def test_each_end_is_told_as_what_it_was(
        self, backend: ExecutorBackend, tmp_path: Path, source: str, ending: Ending, said: str
    ) -> None:
        outcome = await self.call(backend, tmp_path, source)
        assert outcome.ending is ending
        assert said in outcome.describe()
        assert outcome.value is None

    @pytest.mark.parametrize(
        "content",
        [
            "b'garbage'",
            "b'value\\n' + pickle.dumps(Evil())",
            "b'value\\n' + b'[' * 100000",
            'b\'value\\n{"": ["os"]}\'',
            "b'error\\n{}'",
        ],
    )
    async def test_what_is_forged_is_data_at_the_most(
        self, backend: ExecutorBackend, tmp_path: Path, content: str
    ) -> None:
        outcome = await self.call(backend, tmp_path, _GARBAGE.replace("CONTENT", content))
        assert outcome.ending in (Ending.BAD_RESULT, Ending.NO_RESULT)
        assert not (tmp_path / "executed").exists()
        assert not Path("executed").exists()

    # -- time and processes ---------------------------------------------------------------------------------------

    async def test_a_timeout_ends_that_call_alone(self, backend: ExecutorBackend, tmp_path: Path) -> None:
        ends: dict[str, CallOutcome] = {}

        async def run(name: str, source: str, timeout: float) -> None:
            ends[name] = await self.call(backend, tmp_path, source, timeout=timeout)

        stubborn = "import signal\ndef f():\n signal.signal(signal.SIGTERM, signal.SIG_IGN)\n while True: pass"
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(run, "hung", stubborn, 0.5)
            tasks.start_soon(run, "fine", "import time\ndef f():\n time.sleep(1)\n return 'fine'", 60.0)
        assert ends["fine"].unwrap() == "fine"
        assert ends["hung"].ending is Ending.TIMEOUT
        assert 0.5 <= (ends["hung"].seconds or 0) < 30
        with pytest.raises(TimeoutError, match=r"after \d+\.\d\d s"):
            ends["hung"].unwrap()

    async def test_nothing_is_left_of_a_call(self, backend: ExecutorBackend, tmp_path: Path) -> None:
        outcome = await self.call(backend, tmp_path, _TWICE_FORKED, str(tmp_path / "pid"))
        assert outcome.unwrap() == "left one behind"
        assert not _lives(int((tmp_path / "pid").read_text()))

    async def test_cancelling_ends_the_call_and_leaves_nothing(self, backend: ExecutorBackend, tmp_path: Path) -> None:
        source = f"{_TWICE_FORKED}\ng = f\ndef f(x):\n    g(x)\n    time.sleep(1000)\n"
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self.call, backend, tmp_path, source, str(tmp_path / "pid"))
            with anyio.fail_after(60):
                while not (tmp_path / "pid").exists() or not (tmp_path / "pid").read_text():
                    await anyio.sleep(0.005)
            tasks.cancel_scope.cancel()
        assert not _lives(int((tmp_path / "pid").read_text()))

    async def test_a_stream_held_open_by_another_is_not_waited_for(
        self, backend: ExecutorBackend, tmp_path: Path
    ) -> None:
        source = "import subprocess\ndef f(): subprocess.Popen(['sleep', '1000']); print('said'); return 1"
        with anyio.fail_after(60):
            outcome = await self.call(backend, tmp_path, source)
        assert (outcome.unwrap(), str(outcome.stdout)) == (1, "said\n")

    async def test_output_without_end_is_bounded(self, backend: ExecutorBackend, tmp_path: Path) -> None:
        source = "def f():\n print('begin')\n for _ in range(2000): print('x' * 100_000)\n print('end')"
        outcome = await self.call(backend, tmp_path, source, limits=CallLimits(output=10_000))
        assert outcome.ending is Ending.OK
        assert outcome.stdout.head.startswith("begin\n")
        assert outcome.stdout.tail.endswith("end\n")
        assert len(outcome.stdout.head) + len(outcome.stdout.tail) <= 10_000
        assert outcome.stdout.dropped > 199_000_000

    # -- surroundings ---------------------------------------------------------------------------------------------

    async def test_secrets_stay_outside(
        self, backend: ExecutorBackend, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "hunter2")
        source = "import os\ndef f(): return dict(os.environ), open('/proc/self/environ').read()"
        added = {"ADDED": "1", "LANG": None}
        environment, raw = (await self.call(backend, tmp_path, source, environment=added)).unwrap()
        assert environment["ADDED"] == "1"
        assert "LANG" not in environment
        assert "PATH" in environment
        assert "hunter2" not in repr(environment) + raw

    async def test_no_state_crosses_from_one_call_to_the_next(self, backend: ExecutorBackend, tmp_path: Path) -> None:
        spoil = (
            "import os, sys, time, builtins, random, signal\ndef f():\n"
            " os.environ['LEFT'] = '1'; sys.path.insert(0, 'left'); sys.modules['left'] = sys; os.chdir('/'); os.umask(0o777)\n"
            " time.perf_counter = None; builtins.left = 1; random.seed(7); signal.signal(signal.SIGINT, signal.SIG_IGN)"
        )
        look = (
            "import os, sys, time, builtins, signal\ndef f():\n"
            " return ['LEFT' in os.environ, 'left' in sys.path, 'left' in sys.modules, os.getcwd(), os.umask(0), \n"
            "         time.perf_counter is None, hasattr(builtins, 'left'),\n"
            "         signal.getsignal(signal.SIGINT) is signal.default_int_handler,\n"
            "         signal.getsignal(signal.SIGTERM) == signal.SIG_DFL, sorted(map(int, os.listdir('/proc/self/fd')))[:3]]"
        )
        before = (await self.call(backend, tmp_path, look)).unwrap()
        await self.call(backend, tmp_path, spoil)
        after = (await self.call(backend, tmp_path, look)).unwrap()
        assert before == after == [False, False, False, str(tmp_path), 0o022, False, False, True, True, [0, 1, 2]]

    @pytest.mark.parametrize(
        ("limits", "source", "ending", "limit"),
        [
            (CallLimits(memory=100_000_000), "def f(): return len(bytearray(10**9))", Ending.OUT_OF_MEMORY, "memory"),
            (CallLimits(cpu_seconds=1), "def f():\n while True: pass", Ending.OVER_LIMIT, "cpu_seconds"),
            (
                CallLimits(file_size=1000),
                "def f():\n with open('big', 'wb', buffering=0) as file:\n  while True: file.write(b'x' * 600)",
                Ending.OVER_LIMIT,
                "file_size",
            ),
            (
                CallLimits(open_files=30),
                "import os\ndef f():\n while True: os.dup(0)",
                Ending.OVER_LIMIT,
                "open_files",
            ),
        ],
    )
    async def test_a_limit_that_was_exceeded_is_named(
        self, backend: ExecutorBackend, tmp_path: Path, limits: CallLimits, source: str, ending: Ending, limit: str
    ) -> None:
        outcome = await self.call(backend, tmp_path, source, limits=limits)
        assert (outcome.ending, outcome.limit) == (ending, limit), outcome.describe()

    async def test_what_a_call_used_is_measured_from_outside(self, backend: ExecutorBackend, tmp_path: Path) -> None:
        source = "import time\ntime.perf_counter = time.time = lambda: 0\ndef f():\n x = bytearray(80_000_000)\n time.sleep(0.2)"
        large = (await self.call(backend, tmp_path, source)).metrics
        small = (await self.call(backend, tmp_path, "def f(): pass")).metrics
        assert large is not None
        assert small is not None
        assert large.wall >= 0.2
        assert large.ended - large.started == pytest.approx(large.wall)
        assert large.pid != small.pid != os.getpid()
        assert large.peak_memory > 80_000_000 > small.peak_memory, "of that call, not of all before it"

    # -- life cycle -----------------------------------------------------------------------------------------------

    async def test_hooks_balance_and_disturb_nobody(self, backend: ExecutorBackend, tmp_path: Path) -> None:
        if not isinstance(backend, LifecycleObservable):
            return
        heard: list[Any] = []

        def failing(*_: object) -> None:
            raise RuntimeError("a hook's own fault")

        def completed(_: object, metrics: ExecutionMetrics | None) -> None:
            heard.append(("complete", metrics is not None))

        backend.on_submit(lambda _: heard.append("submit"))
        backend.on_submit(failing)
        backend.on_complete(failing)
        backend.on_complete(completed)
        backend.on_shutdown(lambda: heard.append("shutdown"))
        await self.call(backend, tmp_path, "def f(): pass")
        await self.call(backend, tmp_path, "def f(): 1 / 0")
        with anyio.move_on_after(0.05):
            await self.call(backend, tmp_path, "import time\ndef f(): time.sleep(1000)")
        await backend.shutdown()
        await backend.shutdown()
        done, lost = ("complete", True), ("complete", False)
        assert heard == ["submit", done, "submit", done, "submit", lost, "shutdown"]

    async def test_after_shutdown_calls_are_refused(self, backend: ExecutorBackend, tmp_path: Path) -> None:
        await backend.shutdown(wait=False)
        await backend.shutdown()
        with pytest.raises(BackendClosed):
            await self.call(backend, tmp_path, "def f(): pass")

    async def test_it_dies_by_a_signal_as_any_program(self, backend: ExecutorBackend, tmp_path: Path) -> None:
        outcome = await self.call(backend, tmp_path, "import os\ndef f(): os.kill(os.getpid(), 15)")
        assert (outcome.ending, outcome.signal) == (Ending.CRASH, signal.SIGTERM)
        caught = "import os, time\ndef f():\n try:\n  os.kill(os.getpid(), 2); time.sleep(9)\n except KeyboardInterrupt: return 1"
        assert (await self.call(backend, tmp_path, caught)).unwrap() == 1
