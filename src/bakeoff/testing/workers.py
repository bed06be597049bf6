"""The contract of a worker backend, as tests. Subclass it and give one fixture:

    class TestMyBackend(BackendConformance):
        @pytest.fixture
        def backend(self) -> MyBackend:
            return MyBackend()

Everything runs on the event loops that your `anyio_backend` fixture names. Nothing here knows how a backend works.
"""

from __future__ import annotations

import fcntl
import math
import os
import signal
from pathlib import Path
from typing import Any

import anyio
import pytest

from bakeoff.errors import BackendClosed, BadArguments, BadCall, CallFailed
from bakeoff.workers import (
    Array,
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

# Ids of processes mean nothing from one namespace to another; a lock on a file lives as long as who holds it.
_TWICE_FORKED = """
import fcntl, os, time, signal
def f(sign):
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            file = open(sign, "w")
            fcntl.flock(file, fcntl.LOCK_EX)
            file.write("locked")
            file.flush()
            time.sleep(1000)
        os._exit(0)
    while not os.path.exists(sign) or not open(sign).read():
        time.sleep(0.001)
    return "left one behind"
"""
_GARBAGE = """
import os, pickle, struct
class Evil:
    def __reduce__(self):
        return os.system, ("touch executed",)
def header(structure, beside=0):
    return struct.pack("<8sQQ", b"BAKEOFF1", structure, beside)
def document(structure, beside=0):
    return header(len(structure), beside) + structure
def f():
    for descriptor in range(3, 64):
        try:
            os.pwrite(descriptor, CONTENT, 0)
        except OSError:
            pass
    os._exit(0)
"""
_LYING = """
import sys, time
def f(seconds):
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass
for name, module in list(sys.modules.items()):
    if name.endswith(".candidate"):
        CHEAT
"""


def _lives(sign: Path) -> bool:
    """Whether the process lives that holds a lock on a file."""
    with sign.open() as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False


async def _written(path: Path) -> None:
    with anyio.fail_after(60):
        while not path.exists() or not path.read_text():
            await anyio.sleep(0.005)


@pytest.mark.anyio
class BackendConformance:
    """What every backend promises. `enter` puts the calls somewhere else, as `Call.enter` says."""

    enter: tuple[str, ...] = ()

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
        options = {"timeout": 60.0, "enter": self.enter, **options}
        return await backend.execute(
            PythonCall(function="f", source=source, arguments=arguments, directory=folder, **options)
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

    async def test_an_array_comes_as_it_was(self, backend: ExecutorBackend, tmp_path: Path) -> None:
        pytest.importorskip("numpy")
        source = (
            "import numpy\ndef f(x, n):\n assert type(x) is numpy.ndarray and type(n) is numpy.int16\n x[0, 0] = 7\n"
            " return x.T, numpy.float64(0.5), numpy.zeros((0, 3), 'U4')"
        )
        import numpy as np  # noqa: PLC0415 (not everybody has it)

        sent = np.arange(6, dtype="<f4").reshape(2, 3)
        back, number, empty = (await self.call(backend, tmp_path, source, sent, np.int16(3))).unwrap()
        assert isinstance(back, Array)
        assert np.asarray(back).tolist() == [[7.0, 3.0], [1.0, 4.0], [2.0, 5.0]]
        assert sent[0, 0] == 0, "the candidate has a copy"
        assert (back.dtype, number.dtype, float(np.asarray(number))) == ("<f4", "<f8", 0.5)
        assert (empty.dtype, empty.shape) == ("<U4", (0, 3))
        objects = "import numpy\ndef f(): return numpy.array([object()])"
        assert (await self.call(backend, tmp_path, objects)).ending is Ending.BAD_RESULT

    async def test_arguments_that_are_not_data_are_refused(self, backend: ExecutorBackend, tmp_path: Path) -> None:
        with pytest.raises(BadArguments, match="object is not data"):
            await self.call(backend, tmp_path, "def f(x): pass", object())
        assert (await self.call(backend, tmp_path, "def f(x): return x", 1)).unwrap() == 1

    async def test_a_result_has_a_limit_of_its_own(self, backend: ExecutorBackend, tmp_path: Path) -> None:
        large = "def f(): return b'x' * 5_000_000"
        outcome = await self.call(backend, tmp_path, large, limits=CallLimits(result=1_000_000))
        assert (outcome.ending, outcome.limit) == (Ending.OVER_LIMIT, "result")
        small = await self.call(backend, tmp_path, "def f(): return 'x' * 1000", limits=CallLimits(result=100))
        assert (small.ending, small.limit) == (Ending.OVER_LIMIT, "result")
        outcome = await self.call(backend, tmp_path, large, limits=CallLimits(file_size=1000))
        assert outcome.unwrap() == b"x" * 5_000_000, "the limit for files is not one for results"

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
            ("class E(Exception):\n def __str__(self): raise ValueError\ndef f(): raise E", Ending.ERROR, "no text"),
            ("class E(Exception):\n def __str__(self): raise SystemExit\ndef f(): raise E", Ending.ERROR, "no text"),
            ("import sys\ndef f(): sys.stdout.close(); sys.stderr.close(); raise OSError(9)", Ending.ERROR, "9"),
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
            "b'garbage' * 9",
            "pickle.dumps(Evil())",
            "document(pickle.dumps(Evil()))",
            "document(b'[' * 100000)",
            'document(b\'{"": ["os"]}\')',
            'document(b\'{"": ["tuple", "value"]}\')',
            'document(b\'{"": ["tuple", "error", {}, null]}\')',
            'document(b\'{"": ["tuple", "value", {"": ["bytes", 0, 999999999999]}, null]}\')',
            'document(b\'{"": ["tuple", "value", {"": ["array", "|O8", [1], 0, 8]}, null]}\', 64)',
            "document(b'\\xff\\xfe\"')",
            "header(2**60)",
            "header(2, 2**63)",
            "header(2**64 - 1, 2**64 - 1)",
        ],
    )
    async def test_what_is_forged_is_data_at_the_most(
        self, backend: ExecutorBackend, tmp_path: Path, content: str
    ) -> None:
        outcome = await self.call(backend, tmp_path, _GARBAGE.replace("CONTENT", content))
        assert outcome.ending is Ending.BAD_RESULT
        assert not (tmp_path / "executed").exists()
        assert not Path("executed").exists()

    async def test_a_result_that_it_keeps_from_being_sealed_is_none(
        self, backend: ExecutorBackend, tmp_path: Path
    ) -> None:
        source = (
            "import fcntl\ndef f():\n for n in range(3, 64):\n  try: fcntl.fcntl(n, 1033, 1)\n  except OSError: pass\n"
            " return 1"
        )
        outcome = await self.call(backend, tmp_path, source)
        assert outcome.ending is Ending.BAD_RESULT

    @pytest.mark.parametrize(
        "options",
        [
            {"timeout": 0},
            {"timeout": -1.0},
            {"timeout": math.nan},
            {"timeout": math.inf},
            {"environment": {"A": 1}},
            {"environment": {"A=B": "x"}},
            {"environment": {"A": "\0"}},
            {"enter": ("sh", "\0")},
        ],
    )
    async def test_a_call_that_cannot_be_made_is_refused(
        self, backend: ExecutorBackend, tmp_path: Path, options: dict[str, Any]
    ) -> None:
        with pytest.raises(BadCall):
            await self.call(backend, tmp_path, "def f(): pass", **options)

    @pytest.mark.parametrize("argv", [(), ("a", "\0"), (1,)])
    def test_a_command_that_cannot_be_run_is_refused(self, tmp_path: Path, argv: tuple[Any, ...]) -> None:
        with pytest.raises(BadCall):
            CommandCall(argv=argv, directory=tmp_path)

    @pytest.mark.parametrize(
        ("name", "value"),
        [("memory", 1000), ("memory", 1 << 70), ("processes", 0), ("cpu_seconds", 1.5), ("result", -1), ("output", -1)],
    )
    def test_a_limit_that_cannot_be_held_is_refused(self, name: str, value: Any) -> None:  # noqa: ANN401 (wrong on purpose)
        with pytest.raises(BadCall, match=name):
            CallLimits(**{name: value})

    async def test_a_folder_that_is_not_there_is_refused(self, backend: ExecutorBackend, tmp_path: Path) -> None:
        call = PythonCall(function="f", source="def f(): pass", directory=tmp_path / "missing", timeout=60)
        with pytest.raises(BadCall, match="is not a folder"):
            await backend.execute(call)

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

    async def test_a_loop_in_c_that_lets_no_python_run_is_ended(self, backend: ExecutorBackend, tmp_path: Path) -> None:
        source = "import re\ndef f(): re.match('(a+)+$', 'a' * 60 + 'b')"
        outcome = await self.call(backend, tmp_path, source, timeout=0.5)
        assert outcome.ending is Ending.TIMEOUT

    async def test_nothing_is_left_of_a_call(self, backend: ExecutorBackend, tmp_path: Path) -> None:
        outcome = await self.call(backend, tmp_path, _TWICE_FORKED, str(tmp_path / "sign"))
        assert (outcome.unwrap(), outcome.stragglers) == ("left one behind", 1)
        assert not _lives(tmp_path / "sign")

    async def test_cancelling_ends_the_call_and_leaves_nothing(self, backend: ExecutorBackend, tmp_path: Path) -> None:
        source = f"{_TWICE_FORKED}\ng = f\ndef f(x):\n    g(x)\n    time.sleep(1000)\n"
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self.call, backend, tmp_path, source, str(tmp_path / "sign"))
            await _written(tmp_path / "sign")
            tasks.cancel_scope.cancel()
        assert not _lives(tmp_path / "sign")

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

    async def test_a_timed_call_says_how_long_it_took(self, backend: ExecutorBackend, tmp_path: Path) -> None:
        work = "import time\nt = time.process_time\ndef f(s):\n e = t() + s\n while t() < e: pass\n return 'done'"
        outcome = await self.call(backend, tmp_path, work, 0.3, timed=True)
        assert outcome.unwrap() == "done"
        assert outcome.timing is not None
        assert 0.3 <= outcome.timing.cpu <= outcome.timing.wall + 0.05
        assert outcome.timing.seen_cpu == pytest.approx(outcome.timing.cpu, abs=0.1)
        assert (await self.call(backend, tmp_path, work, 0.1)).timing is None

    @pytest.mark.parametrize(
        "cheat",
        [
            "module._wall = module._cpu = lambda: 0.0",
            "module._cpu = lambda: 0.0",
            "module._wall = lambda: 0.0",
            "ticks = iter((0.0, 1000.0, 1000.0, 2000.0)); module._wall = module._cpu = lambda: next(ticks)",
            "write = module._write; module._write = lambda fd, mark: mark == b'<' and write(fd, mark)",
            "write = module._write; module._write = lambda fd, mark: write(fd, mark + mark)",
            "module._wall = module._cpu = lambda: float('nan')",
        ],
    )
    async def test_a_false_claim_of_its_time_is_found_out(
        self, backend: ExecutorBackend, tmp_path: Path, cheat: str
    ) -> None:
        outcome = await self.call(backend, tmp_path, _LYING.replace("CHEAT", cheat), 0.5, timed=True)
        assert outcome.ending in (Ending.FALSE_CLAIM, Ending.BAD_RESULT)
        assert outcome.value is None

    async def test_work_after_the_end_of_the_timed_part_is_seen(self, backend: ExecutorBackend, tmp_path: Path) -> None:
        """The candidate says that it is done, and does its work when nobody times it."""
        late = "write = module._write; module._write = lambda fd, mark: (write(fd, mark), mark == b'>' and f(0.8))"
        source = _LYING.replace("CHEAT", late).replace("def f(seconds):", "def f(seconds=0.0):")
        outcome = await self.call(backend, tmp_path, source, timed=True)
        assert outcome.ending is Ending.FALSE_CLAIM
        assert "worked on" in outcome.detail

    async def test_nothing_can_be_worked_out_before_the_clock_runs(
        self, backend: ExecutorBackend, tmp_path: Path
    ) -> None:
        """The arguments are not there to be found while the candidate is loaded."""
        source = (
            "import os\nfound = b''\nfor n in range(3, 64):\n try: found += os.pread(n, 1 << 20, 0)\n"
            " except OSError: pass\ndef f(x): return b'needle' in found"
        )
        outcome = await self.call(backend, tmp_path, source, "needle", timed=True)
        assert outcome.unwrap() is False

    async def test_a_clock_that_is_started_early_counts(self, backend: ExecutorBackend, tmp_path: Path) -> None:
        """A candidate that asks for its arguments while it is loaded is timed from then on."""
        source = (
            "import os\n"
            + _LYING.replace(
                "CHEAT", "write = module._write\n        module._write = lambda f, m: m == b'>' and write(f, m)"
            )
            + "for early in range(3, 64):\n    try:\n        write(early, b'<')\n    except OSError: pass\n"
            "f(0.6)\ng = f\ndef f(seconds): g(0.0)\n"
        )
        outcome = await self.call(backend, tmp_path, source, 0.0, timed=True)
        assert outcome.ending in (Ending.FALSE_CLAIM, Ending.BAD_RESULT)

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

    async def test_shutdown_can_end_what_runs(self, backend: ExecutorBackend, tmp_path: Path) -> None:
        ends: list[CallOutcome] = []
        source = f"{_TWICE_FORKED}\ng = f\ndef f(x):\n    g(x)\n    time.sleep(1000)\n"

        async def run() -> None:
            ends.append(await self.call(backend, tmp_path, source, str(tmp_path / "sign")))

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(run)
            await _written(tmp_path / "sign")
            await backend.shutdown(cancel=True)
            assert not _lives(tmp_path / "sign"), "with wait, everything is gone on return"
        assert [outcome.ending for outcome in ends] == [Ending.CANCELLED]

    async def test_shutdown_waits_for_what_runs(self, backend: ExecutorBackend, tmp_path: Path) -> None:
        ends: list[CallOutcome] = []
        source = (
            "import os, time\ndef f():\n open('sign', 'w').write('1')\n while os.path.exists('sign'): time.sleep(0.001)"
        )

        async def run() -> None:
            ends.append(await self.call(backend, tmp_path, source))

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(run)
            await _written(tmp_path / "sign")
            await backend.shutdown(wait=False)
            assert not ends
            (tmp_path / "sign").unlink()
            await backend.shutdown()
        assert [outcome.ending for outcome in ends] == [Ending.OK]

    def test_one_event_loop_after_another_can_use_it(
        self, backend: ExecutorBackend, tmp_path: Path, anyio_backend_name: str
    ) -> None:
        async def both() -> list[CallOutcome]:
            async with anyio.create_task_group() as tasks:
                for number in (1, 2):
                    tasks.start_soon(run, number)
            return ends

        async def run(number: int) -> None:
            ends.append(await self.call(backend, tmp_path, "def f(x): return x", number))

        for _ in range(3):
            ends: list[CallOutcome] = []
            assert sorted(outcome.unwrap() for outcome in anyio.run(both, backend=anyio_backend_name)) == [1, 2]
        anyio.run(backend.shutdown, backend=anyio_backend_name)

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

    async def test_what_the_engine_ignores_a_call_does_not(self, backend: ExecutorBackend, tmp_path: Path) -> None:
        """As under nohup, or in the background of a script."""
        source = (
            "import signal\ndef f():\n"
            " return [signal.getsignal(2) is signal.default_int_handler, signal.getsignal(1) == signal.getsignal(3) == 0]"
        )
        before = {number: signal.signal(number, signal.SIG_IGN) for number in (1, 2, 3)}
        try:
            assert (await self.call(backend, tmp_path, source)).unwrap() == [True, True]
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)
