"""Which calls make one block: the recorded ones in their proportions, in about the time that a block is to take.

Calls of one shape are timed together, so that a block also says how each shape fares; their times are scaled to the
weight of their shape afterwards. That way a shape that is rare but slow counts as much as it takes, however few of its
calls fit into a block.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bakeoff.measure.values import Clock

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from bakeoff.targets import RecordedCall

__all__ = ["Part", "Plan", "Seen", "plan", "which_clock"]

_LEAST_PART = 40e-6
_LONG_BLOCK, _LONGEST_BLOCK = 0.02, 0.1
_MOST_BYTES, _MOST_PASSES = 1 << 24, 20_000
_MOST_OVER = 4
# Where arguments take longer to prepare than calls take to run, fewer calls make a block: more blocks say more.
_MOST_READY = 0.008
_WAITS_PER_CALL, _WAITS_PER_SECOND = 0.5, 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """What a first look at one call of the baseline found; times are seconds. `ready` is what it takes to have fresh
    arguments for one."""

    mode: str
    raises: bool
    cpu: float
    wall: float
    children: float
    waits: float
    ready: float = 0.0

    @classmethod
    def of(cls, found: dict[str, Any]) -> Seen:
        """From the data of a probe."""
        return cls(
            mode=found["mode"],
            raises=found["raises"],
            cpu=found["cpu"] / 1e9,
            wall=max(found["wall"] / 1e9, 1e-9),
            children=found["children"] / 1e9,
            waits=found["waits"],
            ready=found["ready"] / 1e9,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """Calls of one shape, by their numbers, that are made so many times in each block. `scale` makes of their time that
    of all calls that they stand for."""

    shape: str
    mode: str
    raises: bool
    calls: tuple[int, ...]
    passes: int
    scale: float
    seconds: float
    ready: float

    def told(self) -> dict[str, Any]:
        """As a stopwatch is told."""
        return {"calls": list(self.calls), "passes": self.passes, "mode": self.mode, "raises": self.raises}


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """A block of `seconds`, after as much as `ready` to prepare it, and which part of the workload's time it stands
    for."""

    parts: tuple[Part, ...]
    seconds: float
    ready: float
    first_pass: float
    covered: float

    @property
    def has_long_blocks(self) -> bool:
        """Whether blocks take so long that more processes do better than more blocks."""
        return self.seconds >= _LONG_BLOCK


def which_clock(seen: Sequence[Seen | None]) -> Clock:
    """CPU time, but not where the baseline waits, or where more than one thread or process works for it.

    On a busy machine CPU time falls behind the clock too; only who waits by himself gives the core away by himself.
    """
    looked = [one for one in seen if one is not None]
    cpu, wall = sum(one.cpu + one.children for one in looked), sum(one.wall for one in looked)
    waits = sum(one.waits for one in looked)
    does_wait = waits > _WAITS_PER_CALL * len(looked) or waits > _WAITS_PER_SECOND * wall
    if (cpu < 0.9 * wall and does_wait) or cpu > 1.1 * wall or sum(one.children for one in looked) > 0.05 * cpu:
        return Clock.WALL
    return Clock.CPU


def plan(calls: Sequence[RecordedCall], seen: Sequence[Seen | None], *, block: float) -> Plan:
    """The block for these calls, as far as they were looked at."""
    groups: dict[tuple[str, str, bool], list[int]] = {}
    for number, found in enumerate(seen):
        if found is not None:
            groups.setdefault((calls[number].shape, found.mode, found.raises), []).append(number)
    workload = _Workload(
        calls=calls,
        costs=[found.wall if found is not None else 0.0 for found in seen],
        ready=[found.ready if found is not None else 0.0 for found in seen],
    )
    load = {key: sum(map(workload.load, group)) for key, group in groups.items()}
    total = sum(load.values())
    parts: list[Part] = []
    taken = timed = 0.0
    for key in sorted(groups, key=lambda key: -load[key]):
        made = workload.parts(key, groups[key], share=max(_LEAST_PART, block * load[key] / total))
        seconds = sum(part.seconds for part in made)
        if not parts or taken + seconds <= _LONGEST_BLOCK:
            parts += made
            taken, timed = taken + seconds, timed + load[key]
    return Plan(
        parts=tuple(parts),
        seconds=taken,
        ready=sum(part.ready for part in parts),
        first_pass=sum(workload.costs[number] for part in parts for number in part.calls),
        covered=timed / total * len([one for one in seen if one is not None]) / len(seen),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Workload:
    """The recorded calls, what each costs, and what it takes to prepare it."""

    calls: Sequence[RecordedCall]
    costs: Sequence[float]
    ready: Sequence[float]

    def load(self, number: int) -> float:
        """The time of all calls that this one stands for."""
        return self.calls[number].weight * self.costs[number]

    def parts(self, key: tuple[str, str, bool], group: Sequence[int], *, share: float) -> list[Part]:
        """Whole passes over the group where they fit; else a sample of it, by where its time goes.

        Calls of one shape may differ by any factor: those that are sampled are scaled with those that cost about as
        much, or the few that take nearly all of the time would be told by the many that take none.
        """
        load = sum(map(self.load, group))
        if sum(self.costs[number] for number in group) <= _MOST_OVER * share or len(group) == 1:
            return [self._part(key, group, share=share, load=load)]
        usual = sum(self.load(number) * self.costs[number] for number in group) / load
        count = max(1, min(len(group), int(_MOST_OVER * share / usual)))
        picked = Counter(self._picked(sorted(group, key=self.costs.__getitem__), load=load, count=count))
        alike: dict[int, list[int]] = {}
        for number in picked:
            alike.setdefault(math.frexp(self.costs[number])[1] // 2, []).append(number)
        parts = []
        for chosen in alike.values():
            stands_for = sum(picked[number] for number in chosen) / count
            parts.append(self._part(key, chosen, share=share * stands_for, load=load * stands_for))
        return parts

    def _picked(self, ordered: Sequence[int], *, load: float, count: int) -> Iterator[int]:
        """So many of them, evenly over their time: what takes most of it may come several times."""
        passed, numbers = 0.0, iter(ordered)
        number = ordered[-1]
        for place in range(count):
            wanted = (2 * place + 1) * load / (2 * count)
            while passed < wanted and (following := next(numbers, None)) is not None:
                number = following
                passed += self.load(number)
            yield number

    def _part(self, key: tuple[str, str, bool], chosen: Sequence[int], *, share: float, load: float) -> Part:
        shape, mode, raises = key
        once = sum(self.costs[number] for number in chosen)
        size = sum(len(self.calls[number].arguments) for number in chosen)
        prepared = max(sum(self.ready[number] for number in chosen), 1e-9)
        most = min(_MOST_PASSES, _MOST_BYTES // max(1, size), int(_MOST_READY / prepared))
        passes = max(1, min(round(share / once), most))
        return Part(
            shape=shape,
            mode=mode,
            raises=raises,
            calls=tuple(chosen),
            passes=passes,
            scale=load / (once * passes),
            seconds=once * passes,
            ready=prepared * passes,
        )
