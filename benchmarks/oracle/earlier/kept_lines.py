KIND = "wrong"
FLAW = "state across calls: which lines are alike is remembered, whoever was asked"
TARGET = "kept"
WITNESS = '[kept(["Total"], ["total"]), kept(["Total"], ["total"], alike=ignoring_case)]'
BASELINE = '''"""What two versions of a text have in common."""

from __future__ import annotations

from collections.abc import Callable


def exactly(one: str, other: str) -> bool:
    return one == other


def ignoring_case(one: str, other: str) -> bool:
    return one.casefold() == other.casefold()


def ignoring_space(one: str, other: str) -> bool:
    return one.split() == other.split()


def kept(old: list[str], new: list[str], alike: Callable[[str, str], bool] = exactly) -> list[tuple[int, int]]:
    """The places of as many lines as possible that are alike in both versions, in order in both."""
    longest = [[0] * (len(new) + 1) for _ in range(len(old) + 1)]
    for row in range(len(old) - 1, -1, -1):
        for column in range(len(new) - 1, -1, -1):
            if alike(old[row], new[column]):
                longest[row][column] = longest[row + 1][column + 1] + 1
            else:
                longest[row][column] = max(longest[row + 1][column], longest[row][column + 1])
    places = []
    row = column = 0
    while row < len(old) and column < len(new):
        if alike(old[row], new[column]):
            places.append((row, column))
            row, column = row + 1, column + 1
        elif longest[row + 1][column] >= longest[row][column + 1]:
            row += 1
        else:
            column += 1
    return places
'''
CANDIDATE = '''"""What two versions of a text have in common."""

from __future__ import annotations

from collections.abc import Callable


def exactly(one: str, other: str) -> bool:
    return one == other


def ignoring_case(one: str, other: str) -> bool:
    return one.casefold() == other.casefold()


def ignoring_space(one: str, other: str) -> bool:
    return one.split() == other.split()


def kept(
    old: list[str],
    new: list[str],
    alike: Callable[[str, str], bool] = exactly,
    _answers: dict[tuple[str, str], bool] = {},
) -> list[tuple[int, int]]:
    """The places of as many lines as possible that are alike in both versions, in order in both."""
    same = []
    below = [0] * (len(new) + 1)
    longest = [below]
    for line in reversed(old):
        for other in new:
            if (line, other) not in _answers:
                _answers[line, other] = alike(line, other)
        answers = [_answers[line, other] for other in new]
        current = [0] * (len(new) + 1)
        for column in range(len(new) - 1, -1, -1):
            current[column] = below[column + 1] + 1 if answers[column] else max(below[column], current[column + 1])
        same.append(answers)
        longest.append(current)
        below = current
    same.reverse()
    longest.reverse()
    places = []
    row = column = 0
    while row < len(old) and column < len(new):
        if same[row][column]:
            places.append((row, column))
            row, column = row + 1, column + 1
        elif longest[row + 1][column] >= longest[row][column + 1]:
            row += 1
        else:
            column += 1
    return places
'''
TESTS = """from project.module import ignoring_case, ignoring_space, kept


def test_lines_that_stay():
    assert kept(["a", "b", "c"], ["a", "x", "c"]) == [(0, 0), (2, 2)]


def test_as_many_as_possible():
    assert kept(["one", "two", "three"], ["three", "one", "two"]) == [(0, 1), (1, 2)]


def test_a_line_that_comes_twice():
    assert kept(["{", "{"], ["{"]) == [(0, 0)]


def test_nothing_in_common():
    assert kept(["p"], ["q"]) == []


def test_an_empty_version():
    assert kept([], ["p"]) == []
    assert kept(["p"], []) == []


def test_without_regard_to_case():
    assert kept(["Name", "Age"], ["NAME", "age"], ignoring_case) == [(0, 0), (1, 1)]


def test_without_regard_to_space():
    assert kept(["x = 1", "y"], ["  y  ", "x  =  1"], alike=ignoring_space) == [(1, 0)]
"""
