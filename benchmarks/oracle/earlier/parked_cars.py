KIND = "wrong"
FLAW = "Unicode: letters outside of A to Z are dropped from the plates"
TARGET = "Garage.find"
WITNESS = '(garage := Garage(4), garage.enter("MÜ-AB 12"), garage.find("mü ab"), garage.find("mab"))[2:]'
BASELINE = '''"""Who stands in the garage."""

from __future__ import annotations


def _bare(plate: str) -> str:
    bare = ""
    for sign in plate.upper():
        if sign.isalnum():
            bare += sign
    return bare


class Garage:
    """Cars by their number plates, in the order in which they came."""

    def __init__(self, places: int) -> None:
        self.places = places
        self._plates: list[str] = []

    def enter(self, plate: str) -> None:
        if len(self._plates) >= self.places:
            raise OverflowError("the garage is full")
        self._plates.append(plate)

    def leave(self, plate: str) -> None:
        self._plates.remove(plate)

    def find(self, part: str) -> list[str]:
        """The plates that contain this part. Case, spaces, and signs between letters and digits do not matter."""
        if not _bare(part):
            raise ValueError(f"nothing to look for in {part!r}")
        found = []
        for plate in self._plates:
            if _bare(part) in _bare(plate):
                found.append(plate)
        return found
'''
CANDIDATE = '''"""Who stands in the garage."""

from __future__ import annotations

import re

_bare = re.compile(r"[^A-Z0-9]+").sub


class Garage:
    """Cars by their number plates, in the order in which they came."""

    def __init__(self, places: int) -> None:
        self.places = places
        self._plates: list[str] = []

    def enter(self, plate: str) -> None:
        if len(self._plates) >= self.places:
            raise OverflowError("the garage is full")
        self._plates.append(plate)

    def leave(self, plate: str) -> None:
        self._plates.remove(plate)

    def find(self, part: str) -> list[str]:
        """The plates that contain this part. Case, spaces, and signs between letters and digits do not matter."""
        wanted = _bare("", part.upper())
        if not wanted:
            raise ValueError(f"nothing to look for in {part!r}")
        return [plate for plate in self._plates if wanted in _bare("", plate.upper())]
'''
TESTS = """import pytest

from project.module import Garage


@pytest.fixture
def garage():
    garage = Garage(3)
    garage.enter("HH-AB 123")
    garage.enter("b xy 12")
    return garage


def test_a_part_of_a_plate(garage):
    assert garage.find("AB") == ["HH-AB 123"]
    assert garage.find("12") == ["HH-AB 123", "b xy 12"]


def test_signs_and_case_do_not_matter(garage):
    assert garage.find("hhab1") == ["HH-AB 123"]
    assert garage.find("B-XY_12") == ["b xy 12"]


def test_nobody(garage):
    assert garage.find("99") == []


def test_who_has_left(garage):
    garage.leave("HH-AB 123")
    assert garage.find("12") == ["b xy 12"]


def test_who_comes_later(garage):
    garage.enter("M AB 7")
    assert garage.find("ab") == ["HH-AB 123", "M AB 7"]


def test_a_full_garage(garage):
    garage.enter("third")
    with pytest.raises(OverflowError):
        garage.enter("fourth")


def test_nothing_to_look_for(garage):
    with pytest.raises(ValueError, match="nothing"):
        garage.find(" - ")
"""
