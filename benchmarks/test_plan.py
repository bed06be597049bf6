"""How a code base is split: how many imports are cut, how long it takes, and what stays when a few imports change; and
what it costs that subplans are scheduled.

    uv run pytest -s benchmarks/test_plan.py

Django, SymPy and Home Assistant are split by Bakeoff, by folders two deep, into chunks of their sorted paths, and by
METIS, all in one run, with at most 25 files a piece. They are installed, without what they need to run, below
`.benchmarks` (once; that takes the network), and so is pymetis. Times are of the CPU: the machine may be busy.

A line for each run goes to `history/plan.jsonl`, and what the one before it had is shown beside it: commit the line
with what made the difference.
"""

from __future__ import annotations

import itertools
import json
import random
import statistics
import subprocess
import time
from collections import defaultdict
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import anyio
import pytest

from bakeoff.planning import Cluster, Limits, Selection, leaves, planned, run_subplans, split, tokens
from bakeoff.planning.imports import imports

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable, Sequence

    from bakeoff.planning import Subplan

FOLDER = Path(__file__).parent.parent / ".benchmarks"
HISTORY = Path(__file__).parent / "history/plan.jsonl"
INSTALLED = ("django==5.2.19", "sympy==1.14.0", "homeassistant==2024.3.3", "pymetis==2025.2.2")
# For each the targets: per cent of imports cut at the most, seconds of CPU for graph and split together.
PROJECTS = {"django": (58.0, 0.3), "sympy": (76.5, 1.5), "homeassistant": (74.5, 3.0)}
STABLE = 60.0  # per cent of files whose piece keeps its members when 1 % of the imports change
MOST = 25
ROUNDS = 3
Imports = dict[str, frozenset[str]]
Parts = list[list[str]]
T = TypeVar("T")


@pytest.fixture(scope="module")
def installed() -> Path:
    place = FOLDER / "projects"
    if not all((place / name).is_dir() for name in (*PROJECTS, "pymetis")):
        subprocess.run(["uv", "pip", "install", "--no-deps", "--target", str(place), *INSTALLED], check=True)
    return place


def contents(root: Path, name: str) -> dict[str, bytes]:
    return {str(path.relative_to(root)): path.read_bytes() for path in sorted((root / name).rglob("*.py"))}


# -- ways to split -----------------------------------------------------------------------------------------------------


def ours(files: dict[str, int], graph: Imports, earlier: Cluster | None = None) -> Parts:
    return parts_of(split(files, graph, Limits(max_files=MOST), earlier=earlier))


def parts_of(cluster: Cluster) -> Parts:
    return [list(end.files) for end in leaves(cluster)]


def by_paths(files: dict[str, int], _: Imports) -> Parts:
    return chunks(files)


def chunks(files: Iterable[str]) -> Parts:
    order = sorted(files)
    return [order[at : at + MOST] for at in range(0, len(order), MOST)]


def by_folders(files: dict[str, int], _: Imports) -> Parts:
    folders = defaultdict(list)
    for path in files:
        folders["/".join(path.split("/")[:-1][:3])].append(path)
    return [part for folder in sorted(folders) for part in chunks(folders[folder])]


def by_metis(count: int, imbalance: int, files: dict[str, int], graph: Imports) -> Parts:
    import pymetis

    order = sorted(files)
    number = {path: at for at, path in enumerate(order)}
    ties: list[dict[int, int]] = [defaultdict(int) for _ in order]
    for path, others in graph.items():
        for other in others:
            ties[number[path]][number[other]] += 1
            ties[number[other]][number[path]] += 1
    starts = [0, *itertools.accumulate(map(len, ties))]
    neighbours = pymetis.CSRAdjacency(starts, [other for known in ties for other in known])
    weights = [weight for known in ties for weight in known.values()]
    options = pymetis.Options(ufactor=imbalance, seed=1)
    _, home = pymetis.part_graph(count, neighbours, eweights=weights, recursive=False, options=options)
    parts: dict[int, list[str]] = defaultdict(list)
    for path, part in zip(order, home, strict=True):
        parts[part].append(path)
    return list(parts.values())


def metis_at_its_best(files: dict[str, int], graph: Imports) -> Callable[..., Parts]:
    """With so many parts, and so much imbalance among them, that none is too large and fewest imports are cut."""
    least = -(-len(files) // MOST)
    settings = itertools.product((least, *(round(least * more) for more in (1.05, 1.1, 1.15, 1.2))), (30, 100, 200))
    found = []
    for count, imbalance in settings:
        parts = by_metis(count, imbalance, files, graph)
        if max(map(len, parts)) <= MOST:
            found.append((cut(graph, parts), count, imbalance))
    return partial(by_metis, *min(found)[1:])


def cut(graph: Imports, parts: Parts) -> float:
    """Per cent of the imports that go from one part to another."""
    home = {path: at for at, part in enumerate(parts) for path in part}
    edges = [(path, other) for path, others in graph.items() for other in others]
    return 100 * sum(home[path] != home[other] for path, other in edges) / len(edges)


def kept(before: Parts, after: Parts) -> float:
    """Per cent of the files whose part has the same members."""
    known = {frozenset(part) for part in before}
    return 100 * sum(len(part) for part in after if frozenset(part) in known) / sum(map(len, after))


def changed(graph: Imports, share: float, seed: int) -> Imports:
    """The same but for a share of the imports: half of that gone, and as many new ones."""
    chance = random.Random(seed)
    edges = [(path, other) for path in sorted(graph) for other in sorted(graph[path])]
    now = {path: set(others) for path, others in graph.items()}
    count = max(1, round(len(edges) * share / 2))
    for path, other in chance.sample(edges, count):
        now[path].discard(other)
    for _ in range(count):
        path, (_, other) = chance.choice(sorted(graph)), chance.choice(edges)
        now[path] |= {other} - {path}
    return {path: frozenset(others) for path, others in now.items()}


def cpu(call: Callable[..., T], *arguments: Any) -> tuple[float, T]:
    """The least time of a few."""
    taken = []
    for _ in range(ROUNDS):
        begin = time.process_time()
        made = call(*arguments)
        taken.append(time.process_time() - begin)
    return min(taken), made


def counted(files: dict[str, bytes]) -> dict[str, int]:
    return {path: tokens(content) for path, content in files.items()}


def graph_and_split(files: dict[str, bytes]) -> Parts:
    return ours(dict.fromkeys(files, 100), imports(files))


# -- the benchmarks ----------------------------------------------------------------------------------------------------


@pytest.mark.timeout(1800)
def test_cut_time_and_what_stays(installed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Cuts are the same each time, and asserted; times are shown."""
    monkeypatch.syspath_prepend(installed)
    found: dict[str, Any] = {}
    print("\n| project | way | imports cut, % | split, s CPU | pieces | files whose piece stays, % |")
    print("| --- | --- | ---: | ---: | ---: | ---: |")
    for name, (most_cut, most_seconds) in PROJECTS.items():
        files = contents(installed, name)
        seconds, graph = cpu(imports, files)
        counting, sizes = cpu(counted, files)
        later = [changed(graph, 0.01, seed) for seed in range(ROUNDS)]
        cluster = split(sizes, graph, Limits(max_files=MOST))
        metis = metis_at_its_best(sizes, graph)
        ways: dict[str, tuple[Callable[..., Parts], Callable[..., Parts]]] = {
            "**ours**, going on from the plan before": (ours, partial(ours, earlier=cluster)),
            "ours, anew": (ours, ours),
            "METIS": (metis, metis),
            "folders two deep": (by_folders, by_folders),
            "sorted paths": (by_paths, by_paths),
        }
        for way, (first, again) in ways.items():
            taken, parts = cpu(first, sizes, graph)
            assert max(map(len, parts)) <= MOST
            stays = statistics.mean(kept(parts, again(sizes, now)) for now in later)
            share = cut(graph, parts)
            print(f"| {name} | {way} | {share:.1f} | {taken:.2f} | {len(parts)} | {stays:.0f} |")
            if way.startswith("**"):
                found[name] = {"cut": share, "graph": seconds, "split": taken, "tokens": counting, "stays": stays}
        one = found[name]
        print(
            f"| {name}: {len(files):,} modules, {sum(map(len, graph.values())):,} imports | targets "
            f"| ≤ {most_cut} | {seconds:.2f} for the graph, both ≤ {most_seconds} | | ≥ {STABLE:.0f} |"
        )
        assert one["cut"] <= most_cut
        assert one["stays"] >= STABLE
    remember(found)


def remember(found: dict[str, Any]) -> None:
    """Write a line of what was found, and show the one before."""
    file = HISTORY
    before = json.loads(file.read_text().splitlines()[-1]) if file.exists() else {}
    for name, one in found.items():
        then = before.get("projects", {}).get(name)
        if then:
            more = ", ".join(f"{what} {then[what]:.2f} → {one[what]:.2f}" for what in one)
            print(f"since {before['time']}: {name}: {more}")
    with file.open("a") as lines:
        lines.write(json.dumps({"time": datetime.now(UTC).isoformat(timespec="seconds"), "projects": found}) + "\n")


def generated(count: int) -> dict[str, bytes]:
    """Packages of packages of modules, which import what is near them, and a few that all import."""
    chance = random.Random(count)
    names = [f"top/p{number // 400}/q{number // 20}/m{number}" for number in range(count)]
    hubs = names[:: max(1, count // 10)]
    files = {}
    for at, name in enumerate(names):
        near = [names[max(0, min(count - 1, at + round(chance.gauss(0, 30))))] for _ in range(4)]
        wanted = {*near, chance.choice(names), chance.choice(hubs)}
        files[f"{name}.py"] = "".join(f"import {one.replace('/', '.')}\n" for one in sorted(wanted)).encode()
    return files


def test_time_grows_with_the_number_of_modules() -> None:
    print("\n| modules | graph and split, s CPU | µs per module | × as many a module as at 2,500 |")
    print("| ---: | ---: | ---: | ---: |")
    first = None
    for count in (2_500, 5_000, 10_000, 20_000):
        files = generated(count)
        seconds, _ = cpu(graph_and_split, files)
        each = seconds / count * 1e6
        first = first or each
        print(f"| {count:,} | {seconds:.2f} | {each:.0f} | {each / first:.2f} |")


async def nothing(subplan: Subplan) -> None:
    """The work: what is measured is everything around it."""


async def bare(subplans: Sequence[Subplan], limit: int) -> None:
    limiter = anyio.CapacityLimiter(limit)

    async def limited(subplan: Subplan) -> None:
        async with limiter:
            await nothing(subplan)

    async with anyio.create_task_group() as tasks:
        for subplan in subplans:
            tasks.start_soon(limited, subplan)


async def timed(call: Callable[[], Awaitable[object]], times: int) -> float:
    begin = time.perf_counter()
    for _ in range(times):
        await call()
    return (time.perf_counter() - begin) / times


async def in_turns(count: int, times: int) -> list[tuple[float, float]]:
    files = {f"d{number:04}/m.py": 1 for number in range(count)}
    selection = Selection(paths=(".",), tokens=files, imports={path: frozenset() for path in files})
    limits = Limits(max_files=1)
    plan = planned(selection, limits, split(files, {}, limits))
    assert len(plan.leaves) == count
    sides = (lambda: run_subplans(plan, nothing, max_parallel=10), lambda: bare(plan.leaves, 10))
    for side in sides:
        await side()
    return [(await timed(sides[0], times), await timed(sides[1], times)) for _ in range(7)]


def test_scheduling_subplans_that_do_nothing() -> None:
    print("\n| no-op subplans, ten at once | run_subplans, µs each | bare task group, µs each | ratio |")
    print("| --- | ---: | ---: | ---: |")
    for backend, (count, times) in itertools.product(("asyncio", "trio"), ((15, 40), (1000, 1))):
        rounds = anyio.run(in_turns, count, times, backend=backend)
        mine, other = (statistics.median(side) / count * 1e6 for side in zip(*rounds, strict=True))
        ratio = statistics.median(one / two for one, two in rounds)
        print(f"| {count:,}, {backend} | {mine:.0f} | {other:.0f} | {ratio:.2f} |")
