KIND = "wrong"
FLAW = "async: results come in the order in which stations finish, not in that of the stations"
TARGET = "results"
WITNESS = 'asyncio.run(results([Station("North", ["ann"] * 5), Station("South", ["bob"])]))'
BASELINE = '''"""The evening of an election."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field


@dataclass
class Station:
    """A polling station with the names on its ballots; an empty one is spoiled."""

    name: str
    ballots: list[str] = field(default_factory=list)

    async def leader(self) -> str | None:
        """Who has most votes here; of those with the same number, who comes first in the alphabet."""
        votes: dict[str, int] = {}
        for ballot in self.ballots:
            await asyncio.sleep(0)
            if ballot:
                votes[ballot] = votes.get(ballot, 0) + 1
        return min(votes, key=lambda name: (-votes[name], name), default=None)


async def results(stations: list[Station], *, at_once: int = 3) -> list[tuple[str, str | None]]:
    """Each station with its leader, in the order of the stations; some are counted at the same time."""
    if at_once < 1:
        raise ValueError("somebody has to count")
    found: list[tuple[str, str | None]] = []
    for start in range(0, len(stations), at_once):
        batch = stations[start : start + at_once]
        leaders = await asyncio.gather(*[station.leader() for station in batch])
        found = found + [(station.name, leader) for station, leader in zip(batch, leaders)]
    return found
'''
CANDIDATE = '''"""The evening of an election."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field


@dataclass
class Station:
    """A polling station with the names on its ballots; an empty one is spoiled."""

    name: str
    ballots: list[str] = field(default_factory=list)

    async def leader(self) -> str | None:
        """Who has most votes here; of those with the same number, who comes first in the alphabet."""
        votes: dict[str, int] = {}
        for ballot in self.ballots:
            await asyncio.sleep(0)
            if ballot:
                votes[ballot] = votes.get(ballot, 0) + 1
        return min(votes, key=lambda name: (-votes[name], name), default=None)


async def results(stations: list[Station], *, at_once: int = 3) -> list[tuple[str, str | None]]:
    """Each station with its leader, in the order of the stations; some are counted at the same time."""
    if at_once < 1:
        raise ValueError("somebody has to count")
    found: list[tuple[str, str | None]] = []
    waiting = iter(stations)

    async def counter() -> None:
        for station in waiting:
            found.append((station.name, await station.leader()))

    await asyncio.gather(*[counter() for _ in range(min(at_once, len(stations)))])
    return found
'''
TESTS = """import asyncio

import pytest

from project.module import Station, results


def test_each_station_has_a_leader():
    stations = [Station("North", ["ann", "bob", "ann"]), Station("South", ["bob", "bob", "ann"])]
    assert asyncio.run(results(stations)) == [("North", "ann"), ("South", "bob")]


def test_more_stations_than_counters():
    stations = [Station(name, ["ann", "cid"]) for name in ["A", "B", "C", "D", "E"]]
    assert [name for name, _ in asyncio.run(results(stations, at_once=2))] == ["A", "B", "C", "D", "E"]


def test_a_draw_goes_by_the_alphabet():
    assert asyncio.run(results([Station("East", ["cid", "bob"])])) == [("East", "bob")]


def test_spoiled_ballots_do_not_count():
    stations = [Station("Closed"), Station("West", ["", "", "ann"])]
    assert asyncio.run(results(stations)) == [("Closed", None), ("West", "ann")]


def test_one_after_the_other():
    stations = [Station("North", ["ann"]), Station("South", ["bob"])]
    assert asyncio.run(results(stations, at_once=1)) == [("North", "ann"), ("South", "bob")]


def test_no_stations():
    assert asyncio.run(results([])) == []


def test_nobody_counts():
    with pytest.raises(ValueError, match="count"):
        asyncio.run(results([], at_once=0))
"""
