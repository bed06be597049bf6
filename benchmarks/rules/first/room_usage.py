TARGET = "occupied"
SLOW = "nothing much"
SOURCE = '''"""How long rooms are in use."""

from collections import defaultdict
from operator import attrgetter
from typing import NamedTuple


class Booking(NamedTuple):
    room: str
    start: int
    end: int


def occupied(bookings, opens=0, closes=24 * 60):
    """Minutes in which each room is in use, bookings that overlap counted once; rooms by name."""
    by_room = defaultdict(list)
    for booking in bookings:
        by_room[booking.room].append(booking)
    result = {}
    for room in sorted(by_room):
        total = 0
        until = opens
        for booking in sorted(by_room[room], key=attrgetter("start")):
            end = min(booking.end, closes)
            if end > until:
                total += end - max(booking.start, until)
                until = end
        result[room] = max(total, 0)
    return result
'''
TESTS = """from project.module import Booking, occupied


def test_none():
    assert occupied([]) == {}


def test_rooms_by_name():
    usage = occupied([Booking("B", 60, 90), Booking("A", 0, 10)])
    assert list(usage.items()) == [("A", 10), ("B", 30)]


def test_overlaps_count_once():
    bookings = [Booking("A", 100, 200), Booking("A", 50, 120), Booking("A", 60, 70), Booking("A", 200, 210)]
    assert occupied(bookings) == {"A": 160}


def test_hours():
    bookings = [Booking("A", 0, 600), Booking("A", 900, 1440), Booking("B", 0, 100)]
    assert occupied(bookings, opens=480, closes=1000) == {"A": 220, "B": 0}


def test_a_day():
    bookings = [Booking("R%d" % (n % 9), n * 31 % 1300, n * 31 % 1300 + 5) for n in range(1200)]
    minutes = {(room, minute) for room, start, end in bookings for minute in range(start, end)}
    usage = occupied(bookings)
    assert len(usage) == 9
    assert sum(usage.values()) == len(minutes)
"""
