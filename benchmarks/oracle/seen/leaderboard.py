KIND = "wrong"
FLAW = "order of equal keys: ties go by name instead of by who came first"
TARGET = "Leaderboard.top"
WITNESS = 'Leaderboard({"ann": 5, "bob": 5}).top(2)'
BASELINE = '''"""Who is ahead in a game."""

from __future__ import annotations


class Leaderboard:
    """The best score of each player, in the order in which they joined."""

    def __init__(self, scores: dict[str, int] | None = None) -> None:
        self.scores = dict(scores or {})

    def record(self, player: str, score: int) -> None:
        self.scores[player] = max(score, self.scores.get(player, score))

    def top(self, count: int = 3) -> list[tuple[str, int]]:
        """The best players with their scores; of those with the same score, who joined first."""
        if count < 0:
            raise ValueError("count must not be negative")
        best = []
        left = list(self.scores.items())
        while left and len(best) < count:
            leader = left[0]
            for entry in left:
                if entry[1] > leader[1]:
                    leader = entry
            left.remove(leader)
            best.append(leader)
        return best
'''
CANDIDATE = '''"""Who is ahead in a game."""

from __future__ import annotations

import heapq


class Leaderboard:
    """The best score of each player, in the order in which they joined."""

    def __init__(self, scores: dict[str, int] | None = None) -> None:
        self.scores = dict(scores or {})

    def record(self, player: str, score: int) -> None:
        self.scores[player] = max(score, self.scores.get(player, score))

    def top(self, count: int = 3) -> list[tuple[str, int]]:
        """The best players with their scores; of those with the same score, who joined first."""
        if count < 0:
            raise ValueError("count must not be negative")
        leaders = heapq.nlargest(count, zip(self.scores.values(), self.scores))
        return [(player, score) for score, player in leaders]
'''
TESTS = """import pytest

from project.module import Leaderboard


@pytest.fixture
def board():
    return Leaderboard({"zoe": 40, "bob": 10, "kim": 30, "amy": 40})


def test_the_best_come_first(board):
    assert board.top(3) == [("zoe", 40), ("amy", 40), ("kim", 30)]


def test_everybody(board):
    assert [player for player, _ in board.top(10)] == ["zoe", "amy", "kim", "bob"]


def test_nobody(board):
    assert board.top(0) == []
    assert Leaderboard().top() == []


def test_a_better_score_counts(board):
    board.record("bob", 50)
    board.record("kim", 20)
    assert board.top(2) == [("bob", 50), ("zoe", 40)]
    assert board.scores["kim"] == 30


def test_a_negative_count_is_refused(board):
    with pytest.raises(ValueError, match="negative"):
        board.top(-1)
"""
