TARGET = "nearest"
SLOW = "distances to all stops are computed and sorted in full for each address, angles are converted each time"
SOURCE = '''"""The nearest stops to addresses."""

import math
from dataclasses import dataclass

RADIUS = 6371.0


@dataclass
class Place:
    name: str
    latitude: float
    longitude: float
    lines: tuple = ()

    def __post_init__(self):
        if not (-90 <= self.latitude <= 90 and -180 <= self.longitude <= 180):
            raise ValueError("%s is not on this planet" % self.name)


def kilometres(a, b):
    lat1 = a.latitude * math.pi / 180
    lat2 = b.latitude * math.pi / 180
    d_lat = (b.latitude - a.latitude) * math.pi / 180
    d_lon = (b.longitude - a.longitude) * math.pi / 180
    h = math.pow(math.sin(d_lat / 2), 2) + math.cos(lat1) * math.cos(lat2) * math.pow(math.sin(d_lon / 2), 2)
    return 2 * RADIUS * math.asin(math.sqrt(min(1, h)))


def serves(stop, lines):
    for line in lines:
        if line in stop.lines:
            return True
    return len(lines) == 0


def nearest(addresses, stops, count=1, lines=(), within=50.0):
    """For each address the names of its nearest stops and the distances in metres."""
    result = {}
    for address in addresses:
        distances = []
        for stop in stops:
            if serves(stop, lines) and kilometres(address, stop) <= within:
                distances.append((kilometres(address, stop), stop.name))
        distances = sorted(distances)
        result[address.name] = [(name, round(distance * 1000)) for distance, name in distances][:count]
    return result
'''
TESTS = """import pytest

from project.module import Place, kilometres, nearest

VIENNA = Place("Vienna", 48.2082, 16.3738)
STOPS = [
    Place("Karlsplatz", 48.2008, 16.3700, ("U1", "U2", "U4")),
    Place("Stephansplatz", 48.2085, 16.3721, ("U1", "U3")),
    Place("Schottentor", 48.2150, 16.3617, ("U2",)),
    Place("Graz", 47.0707, 15.4395, ("5",)),
]


def test_distance():
    assert kilometres(VIENNA, VIENNA) == 0
    assert kilometres(VIENNA, STOPS[-1]) == pytest.approx(145, abs=2)


def test_nearest():
    assert nearest([VIENNA], STOPS) == {"Vienna": [("Stephansplatz", 130)]}


def test_count():
    found = nearest([VIENNA], STOPS, count=9)["Vienna"]
    assert [name for name, _ in found] == ["Stephansplatz", "Karlsplatz", "Schottentor"]


def test_lines():
    found = nearest([VIENNA], STOPS, lines=["U4", "U2"], count=2)
    assert [name for name, _ in found["Vienna"]] == ["Karlsplatz", "Schottentor"]


def test_none():
    assert nearest([], STOPS) == {}
    assert nearest([VIENNA], []) == {"Vienna": []}


def test_not_on_this_planet():
    with pytest.raises(ValueError, match="Nowhere"):
        Place("Nowhere", 91, 0)


def test_a_city():
    stops = [Place("s%03d" % n, 48 + n % 20 / 100, 16 + n // 20 / 100, ("U%d" % (n % 3),)) for n in range(200)]
    addresses = [Place("a%d" % n, 48.003 + n / 100, 16.012) for n in range(10)]
    found = nearest(addresses, stops, lines=["U1", "U0"])
    assert found["a1"] == [("s021", 365)]
    assert len(found) == 10
"""
