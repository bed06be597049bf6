"""Trees of files: of public projects, by their names alone, and generated ones."""

from __future__ import annotations

import random
from collections.abc import Mapping
from pathlib import Path

from bakeoff.planning import Cluster, Limits, Plan, Selection, planned, split

TREES = Path(__file__).parent / "trees"


def project(name: str) -> list[str]:
    """The Python files of a release: a line for each folder, with the names that are in it."""
    lines = (TREES / f"{name}.txt").read_text(encoding="utf-8").splitlines()
    return [f"{folder}/{stem}.py" for folder, names in (line.split(": ") for line in lines) for stem in names.split()]


def generated(levels: int, fan: int, files: int) -> list[str]:
    """So many levels of folders, so many folders in each, and so many files in each of the last ones."""
    folders = ["top"]
    for _ in range(levels):
        folders = [f"{folder}/d{number}" for folder in folders for number in range(fan)]
    return [f"{folder}/m{number}.py" for folder in folders for number in range(files)]


def depth(cluster: Cluster) -> int:
    return 1 + max(map(depth, cluster.children)) if cluster.children else 0


def cut(imports: Mapping[str, frozenset[str]], parts: list[tuple[str, ...]]) -> int:
    """How many imports go from one of these to another."""
    home = {path: at for at, part in enumerate(parts) for path in part}
    return sum(home[path] != home[other] for path, others in imports.items() for other in others)


def woven(files: list[str]) -> Plan:
    """A plan of these with imports from one to others, by chance, but each time the same."""
    chance = random.Random(7)
    imports = {path: frozenset(chance.sample(files, 3)) - {path} for path in files}
    selection = Selection(paths=(".",), tokens=dict.fromkeys(files, 100), imports=imports)
    return planned(selection, Limits(), split(selection.tokens, selection.imports, Limits()))
