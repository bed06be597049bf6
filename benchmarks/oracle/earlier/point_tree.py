KIND = "wrong"
FLAW = "mutation of an argument: the list of points is put in order"
TARGET = "tree"
WITNESS = "(points := [(5, 1), (2, 3), (4, 4)], tree(points), points)[2]"
BASELINE = '''"""Points on a map, so that those nearby are found quickly."""

from __future__ import annotations

from typing import NamedTuple, Optional


class Node(NamedTuple):
    """A point, with the points on one side of it and on the other."""

    point: tuple[int, int]
    before: Optional[Node]
    after: Optional[Node]


def tree(points: list[tuple[int, int]], *, axis: int = 0) -> Node | None:
    """A tree of the points: the middle one of them along an axis, and the others along the other axis below it."""
    if axis not in (0, 1):
        raise ValueError("there are two axes")
    if not points:
        return None

    def rank(point: tuple[int, int]) -> tuple[int, int]:
        return point[axis], point[1 - axis]

    ordered: list[tuple[int, int]] = []
    for point in points:
        place = 0
        while place < len(ordered) and rank(ordered[place]) <= rank(point):
            place = place + 1
        ordered = ordered[:place] + [point] + ordered[place:]
    middle = len(ordered) // 2
    return Node(
        ordered[middle],
        tree(ordered[:middle], axis=1 - axis),
        tree(ordered[middle + 1 :], axis=1 - axis),
    )
'''
CANDIDATE = '''"""Points on a map, so that those nearby are found quickly."""

from __future__ import annotations

from operator import itemgetter
from typing import NamedTuple, Optional

_ORDERS = (itemgetter(0, 1), itemgetter(1, 0))


class Node(NamedTuple):
    """A point, with the points on one side of it and on the other."""

    point: tuple[int, int]
    before: Optional[Node]
    after: Optional[Node]


def tree(points: list[tuple[int, int]], *, axis: int = 0) -> Node | None:
    """A tree of the points: the middle one of them along an axis, and the others along the other axis below it."""
    if axis not in (0, 1):
        raise ValueError("there are two axes")
    if not points:
        return None
    points.sort(key=_ORDERS[axis])
    middle = len(points) // 2
    return Node(
        points[middle],
        tree(points[:middle], axis=1 - axis),
        tree(points[middle + 1 :], axis=1 - axis),
    )
'''
TESTS = """import pytest

from project.module import Node, tree


def leaf(x, y):
    return Node((x, y), None, None)


def test_no_points():
    assert tree([]) is None


def test_one_point():
    assert tree([(3, 4)]) == leaf(3, 4)


def test_the_middle_one():
    assert tree([(7, 2), (5, 4), (2, 3)]) == Node((5, 4), leaf(2, 3), leaf(7, 2))


def test_the_other_axis():
    assert tree([(7, 2), (5, 4), (2, 3)], axis=1) == Node((2, 3), leaf(7, 2), leaf(5, 4))


def test_six_points():
    assert tree([(2, 3), (5, 4), (9, 6), (4, 7), (8, 1), (7, 2)]) == Node(
        (7, 2), Node((5, 4), leaf(2, 3), leaf(4, 7)), Node((9, 6), leaf(8, 1), None)
    )


def test_two_in_one_place():
    assert tree([(1, -1), (1, -1)]) == Node((1, -1), leaf(1, -1), None)


def test_the_same_along_the_axis():
    assert tree([(1, 5), (1, 2), (1, 9)]).point == (1, 5)


def test_a_third_axis():
    with pytest.raises(ValueError, match="two axes"):
        tree([(1, 2)], axis=2)
"""
