KIND = "wrong"
FLAW = "sorting with mixed signs: readings are put in order as texts, by their length first"
TARGET = "coldest"
WITNESS = 'asyncio.run(coldest([Place("Oslo", "-3.0"), Place("Rome", "9.5"), Place("Kiruna", "-4.5")]))'
BASELINE = '''"""Temperatures around the country."""

from __future__ import annotations

import asyncio
import re
from dataclasses import dataclass


@dataclass
class Place:
    name: str
    display: str

    async def read(self) -> str:
        """What the thermometer shows, with one digit after the point."""
        await asyncio.sleep(0)
        if not re.fullmatch(r"(0|-?[1-9][0-9]?|-0(?=[.][1-9]))[.][0-9]", self.display):
            raise ValueError(f"{self.name} shows {self.display!r}")
        return self.display


async def coldest(places: list[Place], count: int = 3) -> list[str]:
    """The coldest places, the coldest first; of those with the same reading, the one that was named first."""
    if count < 0:
        raise ValueError("count must not be negative")
    readings = []
    for place in places:
        readings.append((await place.read(), place.name))
    chosen: list[str] = []
    while readings and len(chosen) < count:
        lowest = readings[0]
        for reading in readings:
            if float(reading[0]) < float(lowest[0]):
                lowest = reading
        readings.remove(lowest)
        chosen.append(lowest[1])
    return chosen
'''
CANDIDATE = '''"""Temperatures around the country."""

from __future__ import annotations

import asyncio
import re
from dataclasses import dataclass


@dataclass
class Place:
    name: str
    display: str

    async def read(self) -> str:
        """What the thermometer shows, with one digit after the point."""
        await asyncio.sleep(0)
        if not re.fullmatch(r"(0|-?[1-9][0-9]?|-0(?=[.][1-9]))[.][0-9]", self.display):
            raise ValueError(f"{self.name} shows {self.display!r}")
        return self.display


async def coldest(places: list[Place], count: int = 3) -> list[str]:
    """The coldest places, the coldest first; of those with the same reading, the one that was named first."""
    if count < 0:
        raise ValueError("count must not be negative")
    # All readings have the same number of digits after the point, so a longer one is a higher one.
    keys = []
    for number, place in enumerate(places):
        display = await place.read()
        keys.append((len(display), display, number))
    keys.sort()
    return [places[number].name for _, _, number in keys[:count]]
'''
TESTS = """import asyncio

import pytest

from project.module import Place, coldest

SPRING = [Place("Rome", "17.5"), Place("Oslo", "4.0"), Place("Paris", "12.3"), Place("Bonn", "9.8")]


def test_the_coldest_come_first():
    assert asyncio.run(coldest(SPRING)) == ["Oslo", "Bonn", "Paris"]


def test_frost():
    assert asyncio.run(coldest([Place("Rome", "12.0"), Place("Oslo", "-2.5"), Place("Bonn", "10.1")], 1)) == ["Oslo"]


def test_the_same_reading():
    places = [Place("B", "5.0"), Place("A", "5.0"), Place("C", "4.9")]
    assert asyncio.run(coldest(places)) == ["C", "B", "A"]


def test_more_than_there_are():
    assert asyncio.run(coldest(SPRING, 10)) == ["Oslo", "Bonn", "Paris", "Rome"]


def test_none():
    assert asyncio.run(coldest(SPRING, 0)) == []
    assert asyncio.run(coldest([])) == []


def test_a_broken_display():
    with pytest.raises(ValueError, match="Oslo"):
        asyncio.run(coldest([Place("Oslo", "--.-")]))


def test_a_negative_count():
    with pytest.raises(ValueError, match="negative"):
        asyncio.run(coldest(SPRING, -1))
"""
