"""How good the oracle is, and how fast.

    [BAKEOFF_ORACLE_PART=seen|earlier|unseen] uv run pytest benchmarks/test_verify.py -s

Oracle: pairs of functions with ordinary tests that both of a pair pass (see benchmarks/oracle): honest rewrites, and
some that are wrong in one rare way. Of those that were `seen` it is told which came out wrong. Targets: of the wrong
ones nine of ten found, of the honest ones none refused.
Speed: a candidate of a project that imports numpy, verified by tests and recorded calls, and by 100 grown inputs too,
beside a cold `python -m pytest` of the same tests in the same slot, in turns. Target: at least 5 times as fast.
"""

from __future__ import annotations

import os
import runpy
import statistics
import sys
import time
from collections import defaultdict
from pathlib import Path

import anyio
import pytest

from bakeoff.candidates import Change
from bakeoff.events import Verdict
from bakeoff.targets import Target
from bakeoff.verify import Judgement, Oracle, OracleOptions
from bakeoff.workers import CommandCall, ForkServerBackend, WorkerConfig
from bakeoff.workspaces import WorktreePool

sys.path.append(str(Path(__file__).parent.parent / "tests"))
from repositories import make_repository

PARTS = ("seen", "earlier", "unseen")
CASES = Path(__file__).parent / "oracle"
ROUNDS = 15
COLD = "cold `python -m pytest`"
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
    """Of one part: wrong ones found and in all, honest ones refused and in all."""
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


@pytest.mark.timeout(3600)
def test_oracle(tmp_path: Path):
    print("\n| part | wrong ones found | honest ones refused |\n| --- | ---: | ---: |")
    for name in [os.environ["BAKEOFF_ORACLE_PART"]] if "BAKEOFF_ORACLE_PART" in os.environ else PARTS:
        found, wrong, refused, honest = half(name, tmp_path, show=name == "seen")
        print(f"| {name} | {found} of {wrong} | {refused} of {honest} |", flush=True)


async def speeds(folder: Path) -> dict[str, list[float]]:
    repository = project(folder, HEAVY, HEAVY_TESTS)
    target = Target.find("project/module.py::moving", repository)
    times: dict[str, list[float]] = defaultdict(list)
    async with (
        WorktreePool(repository, size=2) as pool,
        Oracle(pool, target, options=OracleOptions(runs=1, generated=0)) as brief,
        Oracle(pool, target, options=OracleOptions(runs=1, generated=100)) as oracle,
        ForkServerBackend(WorkerConfig()) as plain,
    ):
        change = Change.of({"project/module.py": HEAVY.encode() + b"\n# the same\n"}, base=pool.read)

        async def cold() -> None:
            async with pool.slot() as slot:
                await slot.stage(change)
                argv = (sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider")
                (await plain.execute(CommandCall(argv=argv, directory=slot.directory, enter=slot.enter))).unwrap()

        async def verified(by: Oracle) -> None:
            judgement = await by.judge(change)
            assert judgement.verdict is Verdict.VERIFIED, judgement.reason

        ways = {
            COLD: cold,
            "tests and recorded calls": lambda: verified(brief),
            "and 100 grown inputs": lambda: verified(oracle),
        }
        for _ in range(ROUNDS):
            for name, way in ways.items():
                started = time.perf_counter()
                await way()
                times[name].append(time.perf_counter() - started)
    return times


def test_speed(tmp_path: Path):
    times = anyio.run(speeds, tmp_path / "repository")
    print("\n| | ms, median | cold pytest / this |\n| --- | ---: | ---: |")
    for name, found in times.items():
        ratio = statistics.median(first / second for first, second in zip(times[COLD], found, strict=True))
        print(f"| {name} | {1000 * statistics.median(found):.0f} | {ratio:.1f} |")
