"""What is worth trying: the functions that take the time of a workload, dearest first, each in the subplan of its file.

Their own time counts, with what they call of others' packages: who only calls what is slow is not what is slow. Their
share is that of what all functions of the plan take together: a test suite spends most of its time on testing.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from bakeoff.targets import Target

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from bakeoff.planning.plan import Plan
    from bakeoff.verify import Hotspot, Hotspots

__all__ = ["LEAST_SHARE", "Ranked", "ranked"]

LEAST_SHARE: Final = 0.005  # making less than that faster is nothing that anybody would see


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranked:
    """A target, the subplan that it is in, its own seconds and their share of those of all targets, how often it was
    called, and the test files that get to it."""

    target: Target
    subplan: str
    seconds: float
    share: float
    calls: int
    tests: tuple[str, ...]


def ranked(hotspots: Hotspots, plan: Plan, folder: Path, *, is_test: Callable[[str], bool]) -> tuple[Ranked, ...]:
    """The functions of a plan's files that take part of a workload's time, without those that take next to none. What
    is in a function counts as that function; code outside of all functions, and tests, are nobody's to improve."""
    home = {path: leaf.id for leaf in plan.leaves for path in leaf.files}
    by_path: dict[str, list[Hotspot]] = defaultdict(list)
    for spot in hotspots.functions:
        if spot.path in home and not is_test(spot.path):
            by_path[spot.path].append(spot)
    found: list[tuple[Target, str, list[Hotspot]]] = []
    for path, spots in by_path.items():
        targets = Target.at_lines(path, [spot.line for spot in spots], folder)
        groups: dict[Target, list[Hotspot]] = defaultdict(list)
        for spot in spots:
            if spot.line in targets:
                groups[targets[spot.line]].append(spot)
        found += [(target, home[path], group) for target, group in groups.items()]
    whole = sum(spot.seconds for _, _, group in found for spot in group)
    listed = [_ranked(target, subplan, group, whole) for target, subplan, group in found]
    worth = [one for one in listed if one.share >= LEAST_SHARE]
    return tuple(sorted(worth, key=lambda one: (-one.seconds, str(one.target))))


def _ranked(target: Target, subplan: str, listed: Sequence[Hotspot], whole: float) -> Ranked:
    seconds = sum(spot.seconds for spot in listed)
    return Ranked(
        target=target,
        subplan=subplan,
        seconds=seconds,
        share=seconds / whole if whole else 0.0,
        # Of a function with others in it, its own calls count.
        calls=min(listed, key=lambda spot: spot.line).calls,
        tests=tuple(sorted({file for spot in listed for file in spot.by})),
    )
