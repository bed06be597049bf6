KIND = "wrong"
FLAW = "order among equals: who came in the same minute is called by the alphabet, not as entered"
TARGET = "calling_order"
WITNESS = "calling_order([Patient('Zoe', 3, 700), Patient('Abe', 3, 700)])"
BASELINE = '''"""Who is called in next at the casualty ward."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


@dataclass
class Patient:
    """Who came in at which minute of the day, and how urgent it is: 1 can wait, 5 cannot."""

    name: str
    urgency: int
    minute: int


def _before(left: Patient, right: Patient) -> bool:
    """Whether the left one has to be called before the right one."""
    if left.urgency != right.urgency:
        return left.urgency > right.urgency
    return left.minute < right.minute


def calling_order(patients: Iterable[Patient]) -> list[str]:
    """The names, the most urgent first, among those whoever came first; otherwise as they were entered."""
    queue: list[Patient] = []
    for patient in patients:
        place = len(queue)
        while place > 0 and _before(patient, queue[place - 1]):
            place -= 1
        queue.insert(place, patient)
    return [patient.name for patient in queue]
'''
CANDIDATE = '''"""Who is called in next at the casualty ward."""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


@dataclass
class Patient:
    """Who came in at which minute of the day, and how urgent it is: 1 can wait, 5 cannot."""

    name: str
    urgency: int
    minute: int


def calling_order(patients: Iterable[Patient]) -> list[str]:
    """The names, the most urgent first, among those whoever came first; otherwise as they were entered."""
    queue = [(-patient.urgency, patient.minute, patient.name) for patient in patients]
    heapq.heapify(queue)
    return [heapq.heappop(queue)[2] for _ in range(len(queue))]
'''
TESTS = """from project.module import Patient, calling_order


def test_an_empty_ward():
    assert calling_order([]) == []


def test_as_they_came():
    assert calling_order([Patient("Mia", 2, 600), Patient("Jon", 2, 605)]) == ["Mia", "Jon"]


def test_the_urgent_ones_first():
    assert calling_order([Patient("Mia", 2, 600), Patient("Jon", 5, 640), Patient("Eva", 3, 610)]) == [
        "Jon",
        "Eva",
        "Mia",
    ]


def test_entered_late():
    assert calling_order([Patient("Jon", 2, 605), Patient("Mia", 2, 600)]) == ["Mia", "Jon"]


def test_two_of_a_family():
    assert calling_order([Patient("Ada", 3, 700), Patient("Ben", 3, 700), Patient("Cem", 4, 710)]) == [
        "Cem",
        "Ada",
        "Ben",
    ]


def test_the_list_stays():
    patients = [Patient("Mia", 1, 600), Patient("Jon", 4, 640)]
    calling_order(patients)
    assert [patient.name for patient in patients] == ["Mia", "Jon"]
"""
