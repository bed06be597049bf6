"""The rewrite rules on slow functions that no rule was written for: whole runs of `optimize` with nothing else.

    python benchmarks/rules/table.py run results.jsonl
    python benchmarks/rules/table.py fold results.jsonl

The rules were tuned looking at the functions in `first` only. Every run is one line of JSON, appended when it ends;
what is in the file already is not run again, so that it may be stopped at any time. `fold` prints how many functions
became faster, by which rules, what the oracle refused, and how long it took; with `--refused`, each that was, and why.
"""

from __future__ import annotations

import argparse
import datetime as dt
import json
import os
import platform
import runpy
import statistics
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

import anyio

from bakeoff.events import Decision, Run, Verdict
from bakeoff.git import Repository
from bakeoff.jobs.contest import Task, Wanted, contest
from bakeoff.sources.rules import RulesSource
from bakeoff.sources.rules.catalogue import ALL
from bakeoff.store import Store
from bakeoff.targets import Target

HERE = Path(__file__).parent
SETS = ("first", "second")
CONFIGURED = '[project]\nname = "project"\nversion = "1"\n\n[tool.pytest.ini_options]\npythonpath = ["."]\n'
SECONDS = 40.0
GOOD = 1.2
ABOUT = {rule.summary.partition(" → ")[0]: rule.name for rule in ALL}


# -- running ----------------------------------------------------------------------------------------------------------


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


def optimized(folder: Path, case: dict[str, str]) -> Run:
    repository = lay_out(folder / "repository", case)
    task = Task(
        command="optimize",
        repository=repository,
        wanted=Wanted(seconds=SECONDS, min_speedup=0.05),
        target=Target.find(f"project/module.py::{case['TARGET']}", repository.root),
        sources=(RulesSource(),),
    )
    return anyio.run(contest, task, Store(folder / "store.sqlite"))


def run(options: argparse.Namespace) -> None:
    known = {(row["set"], row["case"]) for row in rows(options.results)}
    for name in options.sets:
        for file in sorted((HERE / name).glob("*.py")):
            if (name, file.stem) in known or (options.cases and file.stem not in options.cases):
                continue
            case = runpy.run_path(str(file))
            with tempfile.TemporaryDirectory() as folder:
                began = time.monotonic()
                found = optimized(Path(folder), case)
            row = {"set": name, "case": file.stem, "slow": case["SLOW"], **told(found)}
            row |= {
                "seconds": time.monotonic() - began,
                "at": dt.datetime.now(dt.UTC).isoformat(),
                "machine": machine(),
            }
            with options.results.open("a") as results:
                results.write(json.dumps(row) + "\n")
            print(f"{name} {file.stem}: {came_to(row)}, {row['seconds']:.0f} s", flush=True)


def told(found: Run) -> dict[str, Any]:
    winner = found.end.winner if found.end is not None else None
    candidates = []
    for one in found.candidates.values():
        candidate: dict[str, Any] = {"name": one.proposed.name, "rules": rules_of(one.proposed.note)}
        candidate["verdict"] = str(one.judged.verdict) if one.judged is not None else None
        if one.judged is not None and one.judged.verdict not in (Verdict.VERIFIED, Verdict.DUPLICATE):
            differences = [str(difference) for difference in one.judged.differences[:1]]
            candidate["why"] = (differences or [one.judged.reason or ""])[0][:1000]
        if one.measured is not None:
            candidate["decision"] = str(one.measured.decision)
            candidate["estimate"] = one.measured.speedup.estimate
            candidate["low"], candidate["high"] = one.measured.speedup.low, one.measured.speedup.high
        candidate["won"] = one.proposed.name == winner
        candidates.append(candidate)
    return {"candidates": candidates}


def rules_of(note: str) -> list[str]:
    return [ABOUT[about] for part in note.split("; ") if (about := part.partition(" → ")[0]) in ABOUT]


def machine() -> str:
    return f"{os.cpu_count()} cores, {platform.system()}, Python {platform.python_version()}"


# -- the tables -------------------------------------------------------------------------------------------------------


def rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def winner(row: dict[str, Any]) -> dict[str, Any] | None:
    return next((one for one in row["candidates"] if one["won"]), None)


def refused(row: dict[str, Any]) -> list[dict[str, Any]]:
    return [one for one in row["candidates"] if one["verdict"] not in (None, Verdict.VERIFIED, Verdict.DUPLICATE)]


def came_to(row: dict[str, Any]) -> str:
    won = winner(row)
    return f"{won['estimate']:.2f}× [{won['low']:.2f}, {won['high']:.2f}] {won['name']}" if won is not None else "–"


def fold(options: argparse.Namespace) -> None:
    every = rows(options.results)
    print("| functions | ≥ 1.2 | faster at all | median of these | candidates | refused | s each, median | s at most |")
    print("| --- |" + " ---: |" * 7)
    for name in SETS:
        found = [row for row in every if row["set"] == name]
        if found:
            print(of_set(name, found))
    by_rule(every)
    if options.refused:
        for number, row in enumerate(every):
            for one in refused(row):
                where = row["case"] if row["set"] == SETS[0] else f"case {number}"
                print(f"\n{where}: {one['name']}: {one['verdict']}\n  {one['why']}")


def of_set(name: str, found: list[dict[str, Any]]) -> str:
    won = [one["estimate"] for row in found if (one := winner(row)) is not None]
    many, out = sum(len(row["candidates"]) for row in found), sum(len(refused(row)) for row in found)
    seconds = [row["seconds"] for row in found]
    middle = f"{statistics.median(won):.1f}" if won else "–"
    good = sum(one >= GOOD for one in won)
    return (
        f"| {name} | {good} of {len(found)} | {len(won)} | {middle} | {many} | {out} "
        f"| {statistics.median(seconds):.0f} | {max(seconds):.0f} |"
    )


def by_rule(every: list[dict[str, Any]]) -> None:
    """Of a candidate that combines several rules, each has a part."""
    wins, alone, faster, wrong = Counter[str](), Counter[str](), Counter[str](), Counter[str]()
    for row in every:
        won = winner(row)
        if won is not None and won["estimate"] >= GOOD:
            wins.update(won["rules"])
        for one in row["candidates"]:
            if len(one["rules"]) != 1 or one["verdict"] in (None, Verdict.DUPLICATE):
                continue
            alone.update(one["rules"])
            faster.update(one["rules"] if one.get("decision") == Decision.FASTER else ())
            wrong.update(one["rules"] if one["verdict"] != Verdict.VERIFIED else ())
    print("\n| rule | in a winner of ≥ 1.2 | by itself: candidates | faster | refused |")
    print("| --- |" + " ---: |" * 4)
    for name in sorted(alone | wins, key=lambda name: (-wins[name], -faster[name], name)):
        print(f"| {name} | {wins[name]} | {alone[name]} | {faster[name]} | {wrong[name]} |")


def options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    running = commands.add_parser("run")
    running.add_argument("results", type=Path)
    running.add_argument("--sets", nargs="+", default=list(SETS), choices=SETS)
    running.add_argument("--cases", nargs="+")
    running.set_defaults(do=run)
    folding = commands.add_parser("fold")
    folding.add_argument("results", type=Path)
    folding.add_argument("--refused", action="store_true")
    folding.set_defaults(do=fold)
    return parser.parse_args()


if __name__ == "__main__":
    chosen = options()
    chosen.do(chosen)
