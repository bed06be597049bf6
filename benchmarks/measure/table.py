"""How often a way of measuring is right: false wins on identical code, true gains found, intervals that hold.

    python benchmarks/measure/table.py run results.jsonl --trials 60 --conditions quiet noisy
    python benchmarks/measure/table.py fold results.jsonl

Every trial is one line of JSON, appended when it ends, so a run may be stopped at any time, and goes on where it was
when it is started again. `--hours` bounds how long one goes on. Trials of all kinds take turns, so that whatever the
machine goes through meets all procedures alike. `fold` prints the table. First of all it is measured, once for each
pair, what the call itself costs: what the true speedup is depends on it.

Whether it was quiet is measured too: trials during which others kept more than 0.3 cores busy are folded as "loaded",
whatever came of them. Where too few were quiet, run more, with another `--first`.
"""

from __future__ import annotations

import argparse
import datetime as dt
import json
import os
import platform
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from contextlib import contextmanager
from pathlib import Path

import anyio
import psutil
from pairs import PAIRS, STEPS
from procedures import PROCEDURES

from bakeoff.candidates import Change
from bakeoff.measure import Contender, Course, MeasureOptions, Stopwatches, measure
from bakeoff.targets import Project, RecordedCall, Target
from bakeoff.workspaces import WorktreePool

OURS, BEST = "bakeoff", "best of 8"
OTHERS = [name for name in PROCEDURES if name != "values"]
HERE = Path(__file__).parent
SECONDS = 3.0
# Of the eight, one is the best by 5 %, and the others are from slower than the baseline to nearly as good.
EIGHT = (50, 48, 47, 46, 45, 44, 43, 40)
CALIBRATION = 2.0
# Cores that others may keep busy where it is called quiet.
QUIET = 0.3


def repository(folder: Path) -> Path:
    """One with each pair's baselines in it."""
    (folder / "pkg").mkdir(parents=True)
    (folder / "pkg/__init__.py").write_text("")
    for pair in PAIRS.values():
        for speedup in STEPS:
            (folder / module(pair.name, speedup)).write_text(pair.baseline(speedup))
        (folder / module(pair.name, 0)).write_text(pair.source(46))
        (folder / module(pair.name, CALIBRATION)).write_text(pair.source(100))
    for arguments in (
        ["init", "-q"],
        ["add", "-A"],
        ["-c", "user.name=x", "-c", "user.email=x@x", "commit", "-qm", "x"],
    ):
        subprocess.run(["git", *arguments], cwd=folder, check=True)
    return folder


def module(pair: str, speedup: float) -> str:
    return f"pkg/p{pair}_{round(speedup * 100)}.py"


class Ours:
    """Our own procedure, in the same interpreters all the time, as a run of Bakeoff has it."""

    def __init__(self, pool: WorktreePool, watches: Stopwatches) -> None:
        self.pool, self.watches = pool, watches

    async def one(self, pair: str, speedup: float, seed: int) -> dict:
        contender = self._contender(pair, speedup, "c", PAIRS[pair].candidate(speedup))
        found = await self._race(pair, speedup, [contender], seed)
        one = found.measurements["c"]
        span = one.speedup
        return {
            "faster": found.winner == "c",
            "decision": one.decision.value,
            "low": span.low if span else None,
            "high": span.high if span else None,
            "estimate": span.estimate if span else None,
            "processes": one.processes,
            "noisy": found.noisy,
            "fault": one.fault.text if one.fault else None,
            "load": round(found.load, 3),
            "measured": round(found.seconds, 3),
        }

    async def overhead(self, pair: str) -> float:
        """How many steps the call itself takes the time of: by what a hundred steps take beside fifty."""
        contender = self._contender(pair, CALIBRATION, "c", PAIRS[pair].source(50))
        # Beyond what can be decided early: the margin is that of a decision, and none is wanted.
        found = await self._race(pair, CALIBRATION, [contender], 1, budget=12.0, margin=2.0)
        ratio = found.measurements["c"].speedup.estimate
        return max(0.0, (100 - 50 * ratio) / (ratio - 1))

    async def best(self, pair: str, seed: int) -> dict:
        order = random.Random(seed).sample(range(8), 8)
        contenders = [
            self._contender(pair, 0, f"c{number}", PAIRS[pair].source(EIGHT[number]) + f"\n\n# {number}\n")
            for number in order
        ]
        found = await self._race(pair, 0, contenders, seed)
        span = found.measurements["c7"].speedup
        return {
            "faster": found.winner == "c7",
            "winner": found.winner,
            "load": round(found.load, 3),
            "low": span.low if span else None,
            "high": span.high if span else None,
            "noisy": found.noisy,
            "measured": round(found.seconds, 3),
        }

    def _contender(self, pair: str, speedup: float, name: str, source: str) -> Contender:
        change = Change.of({module(pair, speedup): source.encode()}, base=self.pool.read)
        return Contender(name=name, change=change)

    async def _race(self, pair: str, speedup: float, contenders: list[Contender], seed: int, **options: float):
        course = Course(
            target=Target(path=module(pair, speedup), name="f"),
            project=Project(),
            calls=[RecordedCall(arguments=PAIRS[pair].blob, shape=pair)],
        )
        chosen = MeasureOptions(**{"budget": SECONDS, "seed": seed, **options})
        return await measure(self.watches, self.pool, course=course, contenders=contenders, options=chosen)


def theirs(procedure: str, pair: str, speedup: float, seed: int, folder: Path) -> dict:
    paths = [folder / "baseline.py", folder / "candidate.py"]
    for path, source in zip(paths, (PAIRS[pair].baseline(speedup), PAIRS[pair].candidate(speedup)), strict=True):
        path.write_text(source)
    (folder / "arguments").write_bytes(PAIRS[pair].blob)
    command = [sys.executable, HERE / "procedures.py", procedure, str(SECONDS), str(seed), *paths, folder / "arguments"]
    busy, began = others(), time.monotonic()
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=True)
    load = (others() - busy) / (time.monotonic() - began)
    return {**json.loads(done.stdout), "load": round(load, 3)}


def others() -> float:
    """The seconds that all cores have worked so far, but for us and children of ours that have ended."""
    times = psutil.cpu_times()
    own = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(times[:8]) - times.idle - times.iowait - sum(one.ru_utime + one.ru_stime for one in own)


@contextmanager
def surroundings(condition: str):
    """Quiet, or with a neighbour, who is gone at the end."""
    if condition == "quiet":
        yield
        return
    neighbour = subprocess.Popen([sys.executable, str(HERE / "neighbour.py"), "120"], stdin=subprocess.DEVNULL)
    try:
        yield
    finally:
        neighbour.kill()
        neighbour.wait()


def jobs(options: argparse.Namespace) -> list[dict]:
    """All trials, the same kinds in turn."""
    found = []
    for trial in range(options.first, options.first + options.trials):
        for condition in options.conditions:
            for procedure in options.procedures:
                for pair in options.pairs:
                    ratios = [0.0] if procedure == BEST else options.ratios
                    found += [
                        {"trial": trial, "condition": condition, "procedure": procedure, "pair": pair, "speedup": ratio}
                        for ratio in ratios
                    ]
    return found


def key(line: dict) -> tuple:
    return tuple(line[name] for name in ("trial", "condition", "procedure", "pair", "speedup"))


async def run(options: argparse.Namespace) -> None:
    written = [json.loads(line) for line in lines(options.results)]
    done = {key(line) for line in written if "procedure" in line}
    overheads = {line["pair"]: line["overhead"] for line in written if "overhead" in line}
    todo = [job for job in jobs(options) if key(job) not in done]
    print(f"{len(todo)} trials to do, {len(done)} done", file=sys.stderr)
    deadline = time.monotonic() + options.hours * 3600
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        async with (
            WorktreePool(repository(folder / "repository"), size=1) as pool,
            Stopwatches.of() as watches,
        ):
            ours = Ours(pool, watches)
            for pair in options.pairs:
                if pair not in overheads:
                    overheads[pair] = await ours.overhead(pair)
                    write(options.results, {"pair": pair, "overhead": overheads[pair]})
            for job in todo:
                if time.monotonic() > deadline:
                    return
                truth = PAIRS[job["pair"]].truth(job["speedup"], overheads[job["pair"]]) if job["speedup"] else None
                await one_trial({**job, "truth": truth}, ours, folder, options.results)


async def one_trial(job: dict, ours: Ours, folder: Path, results: Path) -> None:
    seed = random.Random(str(key(job))).getrandbits(30)
    began = time.monotonic()
    with surroundings(job["condition"]):
        if job["procedure"] == OURS:
            said = await ours.one(job["pair"], job["speedup"], seed)
        elif job["procedure"] == BEST:
            said = await ours.best(job["pair"], seed)
        else:
            said = theirs(job["procedure"], job["pair"], job["speedup"], seed, folder)
    line = {
        **job,
        **said,
        "seconds": round(time.monotonic() - began, 3),
        "at": dt.datetime.now(dt.UTC).isoformat(timespec="seconds"),
        "machine": machine(),
    }
    write(results, line)


def write(results: Path, line: dict) -> None:
    with results.open("a") as file:
        file.write(json.dumps(line) + "\n")


def machine() -> str:
    model = next(
        (line.partition(":")[2].strip() for line in lines(Path("/proc/cpuinfo")) if line.startswith("model name")),
        platform.machine(),
    )
    return f"{os.cpu_count()} cores, {model}, {platform.system()}, Python {platform.python_version()}"


def lines(path: Path) -> list[str]:
    return path.read_text().splitlines() if path.exists() else []


# -- the table ----------------------------------------------------------------------------------------------------


def fold(options: argparse.Namespace) -> None:
    trials = [trial for trial in map(json.loads, lines(options.results)) if "procedure" in trial]
    if not trials:
        return
    days = sorted({trial["at"][:10] for trial in trials})
    print(f"{' – '.join(dict.fromkeys((days[0], days[-1])))}; {'; '.join(sorted({t['machine'] for t in trials}))}\n")
    by = defaultdict(list)
    for trial in trials:
        if trial["condition"] == "quiet" and trial["load"] > QUIET:
            trial["condition"] = "loaded"
        by[trial["condition"], trial["procedure"], trial["speedup"]].append(trial)
    for condition in sorted({trial["condition"] for trial in trials}):
        loads = sorted(trial["load"] for trial in trials if trial["condition"] == condition)
        print(f"Others kept {loads[len(loads) // 2]:.2f} cores busy (median).\n")
        speedups = sorted({trial["speedup"] for trial in trials} - {0.0})
        heads = ["false wins" if speedup == 1.0 else f"finds {speedup}" for speedup in speedups]
        print(f"**{condition}**\n\n| procedure | {' | '.join(heads)} | interval covers | best of 8 | seconds a trial |")
        print("| --- |" + " --- |" * (len(heads) + 3))
        for procedure in dict.fromkeys(trial["procedure"] for trial in trials if trial["procedure"] != BEST):
            print(row(procedure, [by[condition, procedure, speedup] for speedup in speedups], by[condition, BEST, 0.0]))
        print()


def row(procedure: str, cells: list[list[dict]], best: list[dict]) -> str:
    every = [trial for cell in cells for trial in cell]
    spans = [trial for trial in every if trial["low"] is not None]
    covered = part([trial["low"] <= trial["truth"] <= trial["high"] for trial in spans])
    picked = part([trial["faster"] for trial in best]) if procedure == OURS else "–"
    seconds = sorted(trial["seconds"] for trial in every)
    middle = f"{seconds[len(seconds) // 2]:.1f}" if seconds else "–"
    found = [part([trial["faster"] for trial in cell]) for cell in cells]
    return f"| {procedure.replace('_', ' ')} | {' | '.join(found)} | {covered} | {picked} | {middle} |"


def part(hits: list[bool]) -> str:
    return f"{100 * sum(hits) / len(hits):.1f} % of {len(hits)}" if hits else "–"


def options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    running = commands.add_parser("run")
    running.add_argument("results", type=Path)
    running.add_argument("--trials", type=int, default=60)
    running.add_argument("--first", type=int, default=0, help="the number of the first trial, which decides its seeds")
    running.add_argument("--conditions", nargs="+", default=["quiet", "noisy"], choices=["quiet", "noisy"])
    running.add_argument("--procedures", nargs="+", default=[OURS, BEST, *OTHERS], choices=[OURS, BEST, *OTHERS])
    running.add_argument("--pairs", nargs="+", default=list(PAIRS), choices=list(PAIRS))
    running.add_argument("--ratios", nargs="+", type=float, default=list(STEPS), choices=list(STEPS))
    running.add_argument("--hours", type=float, default=24.0)
    running.set_defaults(do=lambda chosen: anyio.run(run, chosen))
    folding = commands.add_parser("fold")
    folding.add_argument("results", type=Path)
    folding.set_defaults(do=fold)
    return parser.parse_args()


if __name__ == "__main__":
    chosen = options()
    chosen.do(chosen)
