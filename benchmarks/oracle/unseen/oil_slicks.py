KIND = "honest"
TARGET = "slick_sizes"
BASELINE = '''"""Slicks on a chart drawn with letters."""

from __future__ import annotations


def slick_sizes(chart: str, mark: str = "#") -> list[int]:
    """How many fields each slick covers, the largest first; fields that touch along a side belong together."""
    fields: list[tuple[int, int]] = []
    for y, row in enumerate(chart.splitlines()):
        for x, sign in enumerate(row):
            if sign == mark:
                fields.append((x, y))
    seen: list[tuple[int, int]] = []
    sizes: list[int] = []
    for field in fields:
        if field in seen:
            continue
        seen.append(field)
        slick = [field]
        for x, y in slick:
            for beside in ((x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)):
                if beside in fields and beside not in seen:
                    seen.append(beside)
                    slick.append(beside)
        sizes.append(len(slick))
    return sorted(sizes, reverse=True)
'''
CANDIDATE = '''"""Slicks on a chart drawn with letters."""

from __future__ import annotations


def slick_sizes(chart: str, mark: str = "#") -> list[int]:
    """How many fields each slick covers, the largest first; fields that touch along a side belong together."""
    unseen = {
        (x, y) for y, row in enumerate(chart.splitlines()) if mark in row for x, sign in enumerate(row) if sign == mark
    }
    sizes: list[int] = []
    while unseen:
        waiting = [unseen.pop()]
        size = 0
        while waiting:
            x, y = waiting.pop()
            size += 1
            for beside in ((x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)):
                if beside in unseen:
                    unseen.remove(beside)
                    waiting.append(beside)
        sizes.append(size)
    sizes.sort(reverse=True)
    return sizes
'''
TESTS = r"""from project.module import slick_sizes


def test_open_sea():
    assert slick_sizes("....\n....") == []


def test_nothing():
    assert slick_sizes("") == []


def test_one_slick():
    assert slick_sizes(".##.\n..#.") == [3]


def test_corners_do_not_touch():
    assert slick_sizes("#.\n.#") == [1, 1]


def test_the_largest_first():
    assert slick_sizes("#..##\n#..##\n#....\n..#..") == [4, 3, 1]


def test_a_ring():
    assert slick_sizes("###\n#.#\n###") == [8]


def test_rows_of_unequal_length():
    assert slick_sizes("#\n####\n\n..#") == [5, 1]


def test_another_mark():
    assert slick_sizes("oo#\n..o", mark="o") == [2, 1]
"""
