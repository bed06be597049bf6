"""Races of real candidates in real processes."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from bakeoff.errors import CannotMeasure, UsageError
from bakeoff.events import Decision
from bakeoff.measure import Clock, FaultKind, MeasureOptions, Objective, processes
from bakeoff.targets import RecordedCall, Target
from bakeoff.workers import CallLimits, Ending
from measure.arenas import QUICK, arena, call

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    """The rules of a race, and races of commands, run on both event loops elsewhere; here it is about processes."""
    return "asyncio"


SUM = "def f(n):\n    total = 0\n    for i in range(n):\n        total += i * i\n    return total\n"
FORMULA = "def f(n):\n    return (n - 1) * n * (2 * n - 1) // 6\n"
TWICE = SUM.replace("    return total", "    for i in range(n):\n        total += 0 * i\n    return total")
SAME = SUM + "\n\n# as it was\n"
LENGTHS = call(400, shape="short"), call(800, shape="long")


@pytest.mark.promise("E8")
async def test_what_is_much_faster_is_found_and_what_is_the_same_is_not(tmp_path: Path):
    async with arena(tmp_path, SUM, *LENGTHS) as place:
        found = await place.race(place.contender("formula", FORMULA))
        assert found.winner == "formula"
        (one,) = found.measurements.values()
        assert one.decision is Decision.FASTER
        assert one.speedup is not None
        assert one.speedup.low > 2
        assert one.speedup.low <= one.speedup.estimate <= one.speedup.high
        assert {shape.shape for shape in one.shapes} == {"short", "long"}
        assert one.mixed == ()
        assert not one.remembers
        assert (found.clock, found.alternating, found.noisy) == (Clock.CPU, None, False)
        assert found.covered == 1
        assert one.processes >= QUICK.least
        assert one.blocks > one.processes

        found = await place.race(place.contender("same", SAME))
        assert found.winner is None
        assert found.measurements["same"].decision is not Decision.FASTER


async def test_of_several_the_best_wins_on_processes_of_its_own_and_the_slow_leave_early(tmp_path: Path):
    async with arena(tmp_path, SUM, *LENGTHS) as place:
        contenders = [
            place.contender("slow", TWICE),
            place.contender("formula", FORMULA),
            place.contender("same", SAME),
        ]
        found = await place.race(*contenders, options=replace(QUICK, budget=1.0))
        assert found.winner == "formula"
        best, slow = found.measurements["formula"], found.measurements["slow"]
        assert best.is_confirmed
        assert slow.decision is Decision.SLOWER
        assert not slow.is_confirmed
        assert found.measurements["same"].decision is not Decision.FASTER


CRASH = "import os\n\nN = 0\n\n\ndef f(n):\n    global N\n    N += 1\n    if N > 40:\n        os.abort()\n" + SUM[9:]
HANG = CRASH.replace("os.abort()", "while True: pass")
EXIT = CRASH.replace("os.abort()", "os._exit(0)")
RAISE = CRASH.replace("os.abort()", "raise KeyError(n)")
OTHER = CRASH.replace("os.abort()", "return n")
LAZY = CRASH.replace("os.abort()", "return iter([n])")
SPIN = (
    "import threading\n\n\ndef spin():\n    while True:\n        pass\n\n\n" + CRASH.replace("N > 40", "N == 40")
).replace("os.abort()", "threading.Thread(target=spin, daemon=True).start()")
CLOCK = "import time\n\ntime.perf_counter_ns = lambda: 0\n\n\n" + SUM
LATE_CLOCK = CRASH.replace("import os", "import time").replace("os.abort()", "time.process_time = lambda: 0")
SYNTAX = "def f(n:\n"


@pytest.mark.parametrize(
    ("source", "kind", "ending"),
    [
        (CRASH, FaultKind.ENDED, Ending.CRASH),
        (EXIT, FaultKind.ENDED, Ending.NO_RESULT),
        (HANG, FaultKind.TOO_LONG, None),
        (RAISE, FaultKind.RAISED, None),
        (OTHER, FaultKind.DIFFERENT_RESULT, None),
        (LAZY, FaultKind.DIFFERENT_RESULT, None),
        (SPIN, FaultKind.TASKS, None),
        (CLOCK, FaultKind.CLOCK, None),
        (LATE_CLOCK, FaultKind.CLOCK, None),
        (SYNTAX, FaultKind.DID_NOT_LOAD, None),
    ],
    ids=["crash", "exit", "hang", "raise", "other", "lazy", "spin", "clock", "late-clock", "syntax"],
)
async def test_one_that_misbehaves_only_when_it_is_timed_leaves_and_the_others_go_on(
    tmp_path: Path, source: str, kind: FaultKind, ending: Ending | None
):
    async with arena(tmp_path, SUM, call(100)) as place:
        found = await place.race(place.contender("bad", source), place.contender("formula", FORMULA))
        fault = found.measurements["bad"].fault
        assert fault is not None
        assert (fault.kind, fault.ending) == (kind, ending), fault.text
        assert fault.text
        assert found.measurements["bad"].decision is Decision.NO_DIFFERENCE
        assert found.winner == "formula"


async def test_one_that_takes_more_memory_with_each_call_is_ended_and_named(tmp_path: Path):
    grows = "KEPT = []\n\n\ndef f(n):\n    KEPT.append(bytearray(1 << 25))\n    return n\n"
    limits = CallLimits(memory=120 << 20)
    async with arena(tmp_path, "def f(n):\n    return n\n", call(1)) as place:
        found = await place.race(place.contender("grows", grows), options=replace(QUICK, limits=limits))
        fault = found.measurements["grows"].fault
        assert fault is not None
        assert fault.ending is Ending.OUT_OF_MEMORY or fault.kind is FaultKind.RAISED, fault.text
        assert found.winner is None


async def test_a_baseline_that_cannot_be_timed_is_told_as_that(tmp_path: Path):
    async with arena(tmp_path, "def f(n):\n    import os\n    os._exit(3)\n", call(1)) as place:
        with pytest.raises(CannotMeasure, match="baseline"):
            await place.race(place.contender("any", SUM))
    async with arena(tmp_path / "other", SUM) as place:
        with pytest.raises(CannotMeasure, match="no calls"):
            await place.race(place.contender("any", SUM))


@pytest.mark.promise("E3")
async def test_a_change_of_several_files_is_timed_with_its_own_and_also_by_late_imports(tmp_path: Path):
    files = {
        "pkg/mod.py": "def f(n):\n    from pkg.parts import table\n    return table.total(n)\n",
        "pkg/parts/__init__.py": "",
        "pkg/parts/table.py": SUM.replace("def f", "def total"),
    }
    async with arena(tmp_path, files, *LENGTHS) as place:
        deep = place.contender("deep", {"pkg/parts/table.py": FORMULA.replace("def f", "def total")})
        moved = place.contender(
            "moved",
            {
                "pkg/mod.py": files["pkg/mod.py"].replace("parts import table", "quick import table"),
                "pkg/quick/__init__.py": "",
                "pkg/quick/table.py": TWICE.replace("def f", "def total"),
                "pkg/parts/table.py": None,
            },
        )
        found = await place.race(deep, moved)
        assert found.winner == "deep"
        assert found.measurements["moved"].decision is Decision.SLOWER


REGISTER = (
    "import sys\n\nif hasattr(sys, 'registered_once'):\n    raise RuntimeError('registered twice')\n"
    "sys.registered_once = True\n\n\n"
)


async def test_a_package_that_cannot_be_loaded_twice_has_a_process_for_each(tmp_path: Path):
    async with arena(tmp_path, REGISTER + SUM, call(800)) as place:
        options = replace(QUICK, rounds=2)
        found = await place.race(
            place.contender("formula", REGISTER + FORMULA), place.contender("bad", REGISTER + RAISE), options=options
        )
        assert found.alternating is not None
        assert "registered twice" in found.alternating
        assert found.winner == "formula"
        assert found.measurements["bad"].fault is not None


async def test_results_are_compared_by_the_rules_they_were_verified_by(tmp_path: Path):
    source = "def f(n):\n    return sum([0.1] * n) + 0 * sum(range(1000))\n"
    near = "def f(n):\n    return 0.1 * n\n"
    async with arena(tmp_path, source, call(7)) as place:
        exact = await place.race(place.contender("near", near))
        fault = exact.measurements["near"].fault
        assert fault is not None
        assert fault.kind is FaultKind.DIFFERENT_RESULT
        place.course = replace(place.course, rtol=1e-9)
        assert (await place.race(place.contender("near", near))).winner == "near"


async def test_a_result_that_names_its_own_file_is_no_other_result(tmp_path: Path):
    source = "def f(n):\n    return __file__, sum(range(n))\n"
    async with arena(tmp_path, source, call(3000)) as place:
        found = await place.race(place.contender("quick", source.replace("sum(range(n))", "n * (n - 1) // 2")))
        assert found.winner == "quick"


async def test_methods_generators_and_calls_that_raise_are_timed_with_all_their_work(tmp_path: Path):
    source = (
        "def f(n):\n    if n < 0:\n        raise ValueError(n)\n    for i in range(n):\n        yield sum(range(50))\n"
    )
    quick = source.replace("sum(range(50))", "1225")
    async with arena(tmp_path, source, call(100), call(-1)) as place:
        found = await place.race(place.contender("quick", quick))
        assert found.winner == "quick"


async def test_coroutines_run_in_a_loop_of_their_own(tmp_path: Path):
    source = "import asyncio\n\n\nasync def f(n):\n    await asyncio.sleep(0)\n" + SUM[10:]
    quick = "import asyncio\n\n\nasync def f(n):\n    await asyncio.sleep(0)\n" + FORMULA[10:]
    async with arena(tmp_path, source, call(2000)) as place:
        found = await place.race(place.contender("quick", quick))
        assert found.winner == "quick"


async def test_what_waits_is_timed_by_the_clock(tmp_path: Path):
    source = "import time\n\n\ndef f(n):\n    time.sleep(n)\n    return n\n"
    async with arena(tmp_path, source, call(0.01)) as place:
        found = await place.race(place.contender("hasty", source.replace("(n)\n    return", "(n / 3)\n    return")))
        assert found.clock is Clock.WALL
        assert found.winner == "hasty"


async def test_a_module_may_take_longer_to_import_than_its_calls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(processes, "_LEAST_PATIENCE", 0.2)
    slow = "import time\n\nbegan = time.monotonic()\nwhile time.monotonic() < began + 0.3:\n    pass\n\n\n"
    async with arena(tmp_path, slow + SUM, call(300)) as place:
        options = replace(QUICK, budget=0.1, least=1, most=1)
        found = await place.race(place.contender("formula", slow + FORMULA), options=options)
        assert found.measurements["formula"].fault is None
        assert found.processes > 1


async def test_memory_can_be_the_objective(tmp_path: Path):
    source = "def f(n):\n    return sum([i * i for i in range(n)])\n"
    lean = "def f(n):\n    return sum(i * i for i in range(n))\n"
    async with arena(tmp_path, source, call(20_000)) as place:
        options = replace(QUICK, objective=Objective.MEMORY)
        found = await place.race(place.contender("lean", lean), options=options)
        assert (found.winner, found.clock) == ("lean", Clock.MEMORY)
        speedup = found.measurements["lean"].speedup
        assert speedup is not None
        assert speedup.estimate > 10
        again = await place.race(place.contender("same", source + "\n# the same\n"), options=options)
        assert again.measurements["same"].decision is Decision.NO_DIFFERENCE


async def test_one_that_is_slower_on_some_input_is_mixed(tmp_path: Path):
    source = SUM
    mixed = FORMULA.replace("    return", "    if n == 300:\n        f_slow(n)\n    return") + TWICE.replace(
        "def f", "\n\ndef f_slow"
    )
    calls = call(300, shape="small", weight=1), call(3000, shape="large", weight=5)
    async with arena(tmp_path, source, *calls) as place:
        found = await place.race(place.contender("mixed", mixed), options=replace(QUICK, budget=1.0))
        assert found.winner == "mixed"
        assert found.measurements["mixed"].mixed == ("small",)


async def test_what_keeps_results_between_calls_shows_in_the_first_pass(tmp_path: Path):
    keeps = "import functools\n\n\n@functools.cache\n" + SUM
    async with arena(tmp_path, SUM, *(call(5000 + number) for number in range(4))) as place:
        found = await place.race(place.contender("keeps", keeps))
        one = found.measurements["keeps"]
        assert one.remembers
        assert found.winner == "keeps"
        flagged = await place.race(place.contender("keeps", keeps, keeps_results=True))
        again = flagged.measurements["keeps"]
        assert flagged.winner is None
        assert again.decision is not Decision.FASTER
        assert again.speedup == again.cold


BENCH = """
from pkg.mod import f


def bench_call(benchmark):
    benchmark(f, 600)


def bench_fresh(benchmark):
    benchmark.pedantic(f, setup=lambda: ((500,), {}), rounds=3)


def test_itself():
    f(700)


def helper():
    raise AssertionError
"""


async def test_a_users_own_benchmarks_are_a_workload(tmp_path: Path):
    files = {"pkg/mod.py": SUM, "benchmarks/bench_f.py": BENCH}
    async with arena(tmp_path, files, bench="benchmarks/bench_f.py") as place:
        found = await place.race(place.contender("formula", FORMULA))
        assert found.winner == "formula"
        shapes = {shape.shape for shape in found.measurements["formula"].shapes}
        assert shapes == {"bench_call", "bench_fresh", "test_itself"}


async def test_a_fixture_that_cannot_be_given_is_named(tmp_path: Path):
    bench = "def bench_it(benchmark, database):\n    pass\n"
    async with arena(tmp_path, {"pkg/mod.py": SUM, "bench_f.py": bench}, bench="bench_f.py") as place:
        with pytest.raises(CannotMeasure, match="bench_it asks for database"):
            await place.race(place.contender("formula", FORMULA))


async def test_a_method_is_timed_with_its_receiver(tmp_path: Path):
    source = (
        "class C:\n    def __init__(self, n):\n        self.n = n\n\n"
        "    def total(self):\n        return sum(range(self.n))\n"
    )
    call_of_method = make_method_call(2000)
    async with arena(tmp_path, source, call_of_method, target=Target(path="pkg/mod.py", name="C.total")) as place:
        quick = source.replace("sum(range(self.n))", "self.n * (self.n - 1) // 2")
        found = await place.race(place.contender("quick", quick))
        assert found.winner == "quick"


def make_method_call(n: int) -> RecordedCall:
    """A recorded call with a receiver of a class that is not importable here: written by hand."""
    text = b"cpkg.mod\nC\n(I%d\ntR" % n
    return RecordedCall(arguments=b"((" + text + b"t(dt.", shape="")


def test_options_that_make_no_race_are_refused():
    for wrong in ({"budget": 0}, {"confidence": 1.0}, {"margin": -0.1}, {"least": 0}, {"least": 9, "most": 3}):
        with pytest.raises(UsageError, match="hint"):
            MeasureOptions(**wrong)
