"""How good the oracle is, and how fast.

    uv run pytest benchmarks/test_verify.py -s

Oracle: pairs of functions with ordinary tests that both of a pair pass (see benchmarks/oracle): honest rewrites, and
some that are wrong in one rare way. The part called `fresh` was never looked at while the oracle was made. Targets: of
the wrong ones nine of ten found, of the honest ones none refused.
Speed: a candidate of a project that imports numpy, verified (tests, recorded calls, 100 grown inputs), beside a cold
`python -m pytest` of the same tests in the same slot, in turns. Target: at least 5 times as fast.
"""

from __future__ import annotations

import runpy
import statistics
import sys
import time
from pathlib import Path

import anyio

from bakeoff.candidates import Change
from bakeoff.events import Verdict
from bakeoff.targets import Target
from bakeoff.verify import Judgement, Oracle, OracleOptions
from bakeoff.workers import CommandCall, ForkServerBackend, WorkerConfig
from bakeoff.workspaces import WorktreePool

sys.path.append(str(Path(__file__).parent.parent / "tests"))
from repositories import make_repository

CASES = Path(__file__).parent / "oracle"
ROUNDS = 15
HEAVY = """
import numpy

def moving(values, width):
    return [float(numpy.mean(values[start : start + width])) for start in range(len(values) - width + 1)]
"""
HEAVY_TESTS = """
import pytest
from project.module import moving

@pytest.mark.parametrize("width", range(1, 11))
def test_moving(width):
    assert len(moving([1.0] * 20, width)) == 21 - width

def test_values():
    assert moving([1, 2, 3, 4], 2) == [1.5, 2.5, 3.5]
"""


def project(folder: Path, source: str, tests: str) -> Path:
    files = {"project/__init__.py": "", "project/module.py": source, "tests/test_module.py": tests}
    return make_repository(folder, files)


async def judged(folder: Path, case: dict[str, str]) -> Judgement:
    repository = project(folder, case["BASELINE"], case["TESTS"])
    target = Target.find(f"project/module.py::{case['TARGET']}", repository)
    async with (
        WorktreePool(repository, size=1) as pool,
        Oracle(pool, target, options=OracleOptions(runs=1)) as oracle,
    ):
        change = Change.of({"project/module.py": case["CANDIDATE"].encode()}, base=pool.read)
        return await oracle.judge(change)


def half(name: str, folder: Path, *, show: bool) -> tuple[int, int, int, int]:
    """Of one half: wrong ones found and in all, honest ones refused and in all."""
    found = wrong = refused = honest = 0
    for path in sorted((CASES / name).glob("*.py")):
        case = runpy.run_path(str(path))
        judgement = anyio.run(judged, folder / name / path.stem, case)
        verified = judgement.verdict is Verdict.VERIFIED
        if case["KIND"] == "wrong":
            wrong, found = wrong + 1, found + (not verified)
        else:
            honest, refused = honest + 1, refused + (not verified)
        if show and verified != (case["KIND"] == "honest"):
            print(f"  {path.stem} ({case['KIND']}: {case['FLAW']}): {judgement.verdict} {judgement.reason}")
    return found, wrong, refused, honest


def test_oracle(tmp_path: Path):
    print("\n| half | wrong ones found | honest ones refused |\n| --- | ---: | ---: |")
    for name in ("seen", "unseen"):
        found, wrong, refused, honest = half(name, tmp_path, show=name == "seen")
        print(f"| {name} | {found} of {wrong} | {refused} of {honest} |", flush=True)


async def speeds(folder: Path) -> tuple[list[float], list[float]]:
    repository = project(folder, HEAVY, HEAVY_TESTS)
    cold, ours = [], []
    options = OracleOptions(runs=1, generated=100)
    async with (
        WorktreePool(repository, size=2) as pool,
        Oracle(pool, Target.find("project/module.py::moving", repository), options=options) as oracle,
        ForkServerBackend(WorkerConfig()) as plain,
    ):
        change = Change.of({"project/module.py": HEAVY.encode() + b"\n# the same\n"}, base=pool.read)
        for _ in range(ROUNDS):
            started = time.perf_counter()
            judgement = await oracle.judge(change)
            ours.append(time.perf_counter() - started)
            assert judgement.verdict is Verdict.VERIFIED, judgement.reason
            async with pool.slot() as slot:
                await slot.stage(change)
                argv = (sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider")
                call = CommandCall(argv=argv, directory=slot.directory, enter=slot.enter)
                started = time.perf_counter()
                (await plain.execute(call)).unwrap()
                cold.append(time.perf_counter() - started)
    return cold, ours


def test_speed(tmp_path: Path):
    cold, ours = anyio.run(speeds, tmp_path / "repository")
    ratio = statistics.median(first / second for first, second in zip(cold, ours, strict=True))
    print("\n| | ms, median | × cold pytest |\n| --- | ---: | ---: |")
    print(f"| cold `python -m pytest` | {1000 * statistics.median(cold):.0f} | 1.0 |")
    print(f"| tests, recorded calls, 100 grown inputs | {1000 * statistics.median(ours):.0f} | {ratio:.1f} |")
