KIND = "wrong"
FLAW = "calls of a callback: the carrier is asked once for each depot, not for each parcel, though it may count"
TARGET = "labels"
WITNESS = (
    "labels([Parcel('Frei', 'Bern', 900), Parcel('Koch', 'Bern', 50)], "
    "lambda depot, numbers=iter(range(1, 9)): f'{depot}-{next(numbers)}')"
)
BASELINE = '''"""Labels for the parcels of a day."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable


@dataclass(frozen=True)
class Parcel:
    """To whom it goes, by way of which depot."""

    addressee: str
    depot: str
    grams: int


def weight_text(grams: int) -> str:
    """Kilograms, rounded up to a tenth."""
    tenths = -(-grams // 100)
    return f"{tenths // 10}.{tenths % 10} kg"


def labels(parcels: Iterable[Parcel], route: Callable[[str], str]) -> list[str]:
    """The lines of each label; the carrier says what the route to a depot is to be marked with."""
    lines: list[str] = []
    for parcel in parcels:
        mark = route(parcel.depot)
        lines.append(f"{mark} | {parcel.addressee} | {weight_text(parcel.grams)}")
    return lines
'''
CANDIDATE = '''"""Labels for the parcels of a day."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable


@dataclass(frozen=True)
class Parcel:
    """To whom it goes, by way of which depot."""

    addressee: str
    depot: str
    grams: int


def weight_text(grams: int) -> str:
    """Kilograms, rounded up to a tenth."""
    tenths = -(-grams // 100)
    return f"{tenths // 10}.{tenths % 10} kg"


def labels(parcels: Iterable[Parcel], route: Callable[[str], str]) -> list[str]:
    """The lines of each label; the carrier says what the route to a depot is to be marked with."""
    marks: dict[str, str] = {}
    lines: list[str] = []
    for parcel in parcels:
        mark = marks.get(parcel.depot)
        if mark is None:
            mark = marks[parcel.depot] = route(parcel.depot)
        lines.append(f"{mark} | {parcel.addressee} | {weight_text(parcel.grams)}")
    return lines
'''
TESTS = """import itertools

import pytest

from project.module import Parcel, labels, weight_text

MARKS = {"Bern": "B-3", "Chur": "C-1"}


def test_weights():
    assert [weight_text(grams) for grams in (0, 1, 100, 1250)] == ["0.0 kg", "0.1 kg", "0.1 kg", "1.3 kg"]


def test_nothing_to_send():
    assert labels([], MARKS.__getitem__) == []


def test_one_depot():
    assert labels([Parcel("Frei", "Bern", 900), Parcel("Koch", "Bern", 50)], MARKS.__getitem__) == [
        "B-3 | Frei | 0.9 kg",
        "B-3 | Koch | 0.1 kg",
    ]


def test_two_depots():
    assert labels([Parcel("Frei", "Bern", 900), Parcel("Egli", "Chur", 2000)], MARKS.__getitem__) == [
        "B-3 | Frei | 0.9 kg",
        "C-1 | Egli | 2.0 kg",
    ]


def test_a_carrier_that_counts():
    numbers = itertools.count(1)
    parcels = [Parcel("Frei", "Bern", 900), Parcel("Egli", "Chur", 2000)]
    assert labels(parcels, lambda depot: f"{depot[0]}{next(numbers)}") == [
        "B1 | Frei | 0.9 kg",
        "C2 | Egli | 2.0 kg",
    ]


def test_an_unknown_depot():
    with pytest.raises(KeyError, match="Genf"):
        labels([Parcel("Frei", "Bern", 900), Parcel("Roux", "Genf", 10)], MARKS.__getitem__)
"""
