TARGET = "reachable"
SLOW = "what was visited is kept in a list, and steps are looked up by scanning it"
SOURCE = '''"""How far a robot gets on the floor of a warehouse."""


class Floor:
    """`#` is a shelf, `.` is free, `~` costs two steps."""

    def __init__(self, text):
        self.rows = [list(line) for line in text.strip().split("\\n")]

    def cell(self, position):
        row, column = position
        if row < 0 or column < 0:
            return "#"
        try:
            return self.rows[row][column]
        except IndexError:
            return "#"

    def neighbours(self, position):
        row, column = position
        around = [(row - 1, column), (row, column + 1), (row + 1, column), (row, column - 1)]
        return [place for place in around if self.cell(place) != "#"]


def cost(floor, position):
    return {".": 1, "~": 2}.get(floor.cell(position), 1)


def reachable(floor, start, steps):
    """Positions with the steps they take, nearest first; nothing if the robot stands in a shelf."""
    if floor.cell(start) == "#":
        return []
    done = []
    waiting = [(0, start)]
    while waiting:
        waiting = sorted(waiting)
        taken, position = waiting.pop(0)
        if position in [place for place, _ in done]:
            continue
        done.append((position, taken))
        for place in floor.neighbours(position):
            total = taken + cost(floor, place)
            if total <= steps and place not in [known for known, _ in done]:
                waiting.append((total, place))
    return done
'''
TESTS = '''from project.module import Floor, reachable

FLOOR = Floor(
    """
....
.##~
..#.
"""
)


def test_neighbours():
    assert FLOOR.neighbours((0, 0)) == [(0, 1), (1, 0)]
    assert FLOOR.cell((-1, 0)) == FLOOR.cell((0, 9)) == "#"


def test_no_steps():
    assert reachable(FLOOR, (0, 0), 0) == [((0, 0), 0)]


def test_in_a_shelf():
    assert reachable(FLOOR, (1, 1), 5) == []


def test_around():
    assert reachable(FLOOR, (0, 0), 2) == [((0, 0), 0), ((0, 1), 1), ((1, 0), 1), ((0, 2), 2), ((2, 0), 2)]


def test_slow_places():
    assert dict(reachable(FLOOR, (0, 3), 3)) == {(0, 3): 0, (0, 2): 1, (1, 3): 2, (0, 1): 2, (0, 0): 3, (2, 3): 3}


def test_a_hall():
    floor = Floor("\\n".join("".join("#" if (r * 3 + c * 5) % 7 == 0 else "." for c in range(15)) for r in range(15)))
    places = reachable(floor, (0, 1), 40)
    assert len(places) == 192
    assert places[-1][1] == 26
'''
