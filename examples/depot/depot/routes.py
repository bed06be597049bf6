"""Ways between the places of the warehouse."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

Ways = Mapping[str, Mapping[str, int]]


class NoWay(ValueError):
    """Raised when one place cannot be reached from another."""


def two_way(aisles: Sequence[tuple[str, str, int]]) -> dict[str, dict[str, int]]:
    """From each place its neighbours with their distance; of two aisles between the same places the shorter."""
    ways: dict[str, dict[str, int]] = {}
    for one, other, length in aisles:
        for here, there in ((one, other), (other, one)):
            neighbours = ways.setdefault(here, {})
            neighbours[there] = min(length, neighbours.get(there, length))
    return ways


def reachable(ways: Ways, start: str) -> list[str]:
    """All places that can be reached, the nearer ones (by aisles) first."""
    seen = [start]
    queue = [start]
    while len(queue) > 0:
        place = queue.pop(0)
        for neighbour in ways.get(place, {}):
            if neighbour not in seen:
                seen.append(neighbour)
                queue.append(neighbour)
    return seen


def shortest(ways: Ways, start: str, goal: str) -> tuple[int, list[str]]:
    """The length of the shortest way and the places on it; of equally short ones, the first in the alphabet."""
    waiting: list[tuple[int, list[str]]] = [(0, [start])]
    done: list[str] = []
    while waiting:
        waiting = sorted(waiting)
        length, path = waiting.pop(0)
        if path[-1] == goal:
            return length, path
        if path[-1] in done:
            continue
        done.append(path[-1])
        for neighbour, step in ways.get(path[-1], {}).items():
            if neighbour not in done:
                waiting.append((length + step, [*path, neighbour]))
    raise NoWay(f"there is no way from {start} to {goal}")


def tour(ways: Ways, start: str, stops: Sequence[str]) -> tuple[int, list[str]]:
    """A way from the start past all stops, always to the nearest one next, and back."""
    total, path = 0, [start]
    left = sorted(set(stops) - {start})
    while left:
        nearest = min(left, key=lambda stop: (shortest(ways, path[-1], stop)[0], stop))
        length, way = shortest(ways, path[-1], nearest)
        total, path = total + length, path + way[1:]
        left.remove(nearest)
    length, way = shortest(ways, path[-1], start)
    return total + length, path + way[1:]
