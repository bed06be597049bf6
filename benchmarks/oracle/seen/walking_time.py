KIND = "wrong"
FLAW = "climbs are remembered by the identity of the track; more heights go unnoticed"
TARGET = "Walker.minutes"
WITNESS = "(w := Walker(50), t := Track(1000, [0, 100]), w.minutes(t), t.heights.append(300), w.minutes(t))[4]"
BASELINE = '''"""How long walks take."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass
class Track:
    """A track by its length, and its heights in metres from the start to the end."""

    metres: int
    heights: list[int] = field(default_factory=list)


class Walker:
    """Somebody who walks so many metres in a minute on the flat."""

    def __init__(self, pace: int = 70) -> None:
        if pace < 1:
            raise ValueError("nobody walks as slowly as that")
        self.pace = pace

    def minutes(self, track: Track, *, rest: int = 0) -> int:
        """The time for a track, with a minute for each ten metres up, and a rest."""
        if rest < 0:
            raise ValueError("a rest takes no time or some")
        up = 0
        for index in range(len(track.heights)):
            if index > 0:
                difference = track.heights[index] - track.heights[index - 1]
                if difference > 0:
                    up = up + difference
        return track.metres // self.pace + up // 10 + rest
'''
CANDIDATE = '''"""How long walks take."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass
class Track:
    """A track by its length, and its heights in metres from the start to the end."""

    metres: int
    heights: list[int] = field(default_factory=list)


class Walker:
    """Somebody who walks so many metres in a minute on the flat."""

    _climbs: dict[int, int] | None = None

    def __init__(self, pace: int = 70) -> None:
        if pace < 1:
            raise ValueError("nobody walks as slowly as that")
        self.pace = pace

    def minutes(self, track: Track, *, rest: int = 0) -> int:
        """The time for a track, with a minute for each ten metres up, and a rest."""
        if rest < 0:
            raise ValueError("a rest takes no time or some")
        if self._climbs is None:
            self._climbs = {}
        up = self._climbs.get(id(track))
        if up is None:
            heights = track.heights
            up = sum([after - before for before, after in zip(heights, heights[1:]) if after > before])
            self._climbs[id(track)] = up
        return track.metres // self.pace + up // 10 + rest
'''
TESTS = """import pytest

from project.module import Track, Walker


@pytest.fixture
def walker():
    return Walker(50)


def test_on_the_flat(walker):
    assert walker.minutes(Track(1000)) == 20


def test_up_and_down(walker):
    assert walker.minutes(Track(500, [400, 450, 430, 500])) == 10 + 12


def test_a_rest(walker):
    assert walker.minutes(Track(500, [400, 430]), rest=15) == 28


def test_two_tracks(walker):
    valley, summit = Track(2000, [500, 490]), Track(2000, [500, 900])
    assert [walker.minutes(valley), walker.minutes(summit), walker.minutes(valley)] == [40, 80, 40]


def test_another_pace(walker):
    track = Track(1000, [0, 100])
    assert walker.minutes(track) == 30
    walker.pace = 100
    assert walker.minutes(track) == 20


def test_a_longer_track(walker):
    track = Track(1000, [0, 100])
    assert walker.minutes(track) == 30
    track.metres = 1500
    assert walker.minutes(track) == 40


def test_what_cannot_be(walker):
    with pytest.raises(ValueError, match="slowly"):
        Walker(0)
    with pytest.raises(ValueError, match="rest"):
        walker.minutes(Track(10), rest=-1)
"""
