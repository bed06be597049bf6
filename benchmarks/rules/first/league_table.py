TARGET = "standings"
SLOW = "points and goals of a team are added up from all matches whenever two teams are compared"
SOURCE = '''"""The table of a league."""

from functools import cmp_to_key
from typing import NamedTuple


class Match(NamedTuple):
    home: str
    away: str
    scored: int
    conceded: int


def matches_of(team, matches, rivals=None):
    own = []
    for match in matches:
        if match.home == team and (rivals is None or match.away in rivals):
            own.append((match.scored, match.conceded))
        elif match.away == team and (rivals is None or match.home in rivals):
            own.append((match.conceded, match.scored))
    return own


def points(team, matches, rivals=None, win=3):
    total = 0
    for scored, conceded in matches_of(team, matches, rivals):
        if scored > conceded:
            total += win
        elif scored == conceded:
            total += 1
    return total


def difference(team, matches, rivals=None):
    return sum(scored - conceded for scored, conceded in matches_of(team, matches, rivals))


def standings(matches):
    """(place, team, points, goal difference); equal points: matches between the two, then difference."""

    def compare(a, b):
        if points(a, matches) != points(b, matches):
            return points(b, matches) - points(a, matches)
        if points(a, matches, [b]) != points(b, matches, [a]):
            return points(b, matches, [a]) - points(a, matches, [b])
        return difference(b, matches) - difference(a, matches)

    teams = []
    for match in matches:
        for team in (match.home, match.away):
            if team not in teams:
                teams.append(team)
    ordered = sorted(sorted(teams), key=cmp_to_key(compare))
    table = []
    for team in ordered:
        place = len(table) + 1
        if table and compare(table[-1][1], team) == 0:
            place = table[-1][0]
        table.append((place, team, points(team, matches), difference(team, matches)))
    return table
'''
TESTS = """from project.module import Match, difference, points, standings

MATCHES = [Match("A", "B", 2, 1), Match("B", "C", 3, 0), Match("C", "A", 1, 1), Match("A", "C", 0, 1)]


def test_points():
    assert [points(team, MATCHES) for team in "ABC"] == [4, 3, 4]
    assert points("A", MATCHES, rivals=["B"]) == 3
    assert points("A", MATCHES, win=2) == 3


def test_difference():
    assert difference("B", MATCHES) == 2
    assert difference("B", MATCHES, rivals=["A"]) == -1


def test_standings():
    assert standings(MATCHES) == [(1, "C", 4, -2), (2, "A", 4, 0), (3, "B", 3, 2)]


def test_shared_place():
    matches = [Match("A", "B", 1, 1), Match("C", "D", 0, 2)]
    assert standings(matches) == [(1, "D", 3, 2), (2, "A", 1, 0), (2, "B", 1, 0), (4, "C", 0, -2)]


def test_no_matches():
    assert standings([]) == []


def test_a_season():
    teams = ["team%02d" % n for n in range(8)]
    matches = [
        Match(a, b, (i * 3 + j) % 4, (i + j * 2) % 3)
        for i, a in enumerate(teams)
        for j, b in enumerate(teams)
        if a != b
    ]
    table = standings(matches)
    assert len(table) == 8
    assert sum(line[3] for line in table) == 0
    assert table[0][2] >= table[-1][2]
"""
