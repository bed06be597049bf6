"""The rewrite rules on slow functions that no rule was written for, whole runs of `optimize` with nothing else.

Printed for each set: how many functions became faster by 1.2 and more, how many candidates were wrong and rejected, and
seconds for each target. The rules were tuned looking at `first` only. BAKEOFF_RULES_SET=first|second picks one set,
BAKEOFF_RULES_CASE=NAME one case.
"""

from __future__ import annotations

import os
import runpy
import statistics
import time
from collections import Counter
from pathlib import Path

import anyio
import pytest

from bakeoff.events import Run, Verdict
from bakeoff.git import Repository
from bakeoff.jobs.contest import Task, Wanted, contest
from bakeoff.report.words import times
from bakeoff.sources.rules import RulesSource
from bakeoff.store import Store
from bakeoff.targets import Target

SETS = Path(__file__).parent / "rules"
CONFIGURED = '[project]\nname = "project"\nversion = "1"\n\n[tool.pytest.ini_options]\npythonpath = ["."]\n'
SECONDS = 40.0
GOOD = 1.2


def lay_out(folder: Path, case: dict[str, str]) -> Repository:
    for name, text in {
        "project/__init__.py": "",
        "project/module.py": case["SOURCE"],
        "tests/test_module.py": case["TESTS"],
        "pyproject.toml": CONFIGURED,
    }.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)

    async def begin() -> Repository:
        return await Repository.begin(folder, message="as it is")

    return anyio.run(begin)


def optimized(folder: Path, case: dict[str, str]) -> tuple[Run, Store, float]:
    repository = lay_out(folder, case)
    store = Store(folder.parent / "store.sqlite")
    task = Task(
        command="optimize",
        repository=repository,
        wanted=Wanted(seconds=SECONDS, min_speedup=0.05),
        target=Target.find(f"project/module.py::{case['TARGET']}", repository.root),
        sources=(RulesSource(),),
    )
    began = time.monotonic()
    run = anyio.run(contest, task, store)
    return run, store, time.monotonic() - began


@pytest.mark.timeout(7200)
@pytest.mark.parametrize("name", ["first", "second"])
def test_rules(tmp_path: Path, name: str) -> None:
    if os.environ.get("BAKEOFF_RULES_SET", name) != name:
        pytest.skip("another set was asked for")
    wanted = os.environ.get("BAKEOFF_RULES_CASE")
    faster, seconds, verdicts = 0, [], Counter[str]()
    files = [file for file in sorted((SETS / name).glob("*.py")) if wanted in (None, file.stem)]
    for file in files:
        case = runpy.run_path(str(file))
        run, _, taken = optimized(tmp_path / file.stem / "repository", case)
        found = Counter(str(one.judged.verdict) if one.judged else "left" for one in run.candidates.values())
        won = next((one for one in run.candidates.values() if run.end and one.proposed.name == run.end.winner), None)
        best = won.measured.speedup if won is not None and won.measured is not None else None
        faster += best is not None and best.estimate >= GOOD
        seconds.append(taken)
        verdicts += found
        said = f"{times(best)} {won.proposed.name}" if best is not None and won is not None else "–"
        shown = f"{file.stem} ({case['SLOW']})" if name == "first" else f"case {len(seconds)}"
        print(f"  {shown}: {said} | {dict(found)} | {taken:.0f} s", flush=True)
    rejected = sum(count for verdict, count in verdicts.items() if verdict not in (Verdict.VERIFIED, Verdict.DUPLICATE))
    print(
        f"{name}: {faster} of {len(files)} at {GOOD} and more; {rejected} of {sum(verdicts.values())} candidates "
        f"rejected; {statistics.median(seconds):.0f} s a target, {max(seconds):.0f} s at the most"
    )
