KIND = "wrong"
FLAW = "exception timing: an impossible order is refused at the first number instead of at the call"
TARGET = "serial_numbers"
WITNESS = 'serial_numbers("AB", 0, count=3)'
BASELINE = '''"""Labels with numbers for a printer."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


def serial_numbers(prefix: str, first: int, *, count: int, digits: int = 4) -> Iterator[str]:
    """So many numbers such as `AB-0017`, from the first on. The order is checked before anything is printed."""
    if not prefix.isalpha():
        raise ValueError(f"{prefix!r} is no prefix")
    if first < 1 or count < 0:
        raise ValueError("numbers begin at one, and there are none or more of them")
    if len(str(first + count - 1)) > digits:
        raise ValueError(f"{count} numbers from {first} on do not fit into {digits} digits")

    def numbers() -> Iterator[str]:
        for number in range(first, first + count):
            text = str(number)
            while len(text) < digits:
                text = "0" + text
            yield prefix.upper() + "-" + text

    return numbers()
'''
CANDIDATE = '''"""Labels with numbers for a printer."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


def serial_numbers(prefix: str, first: int, *, count: int, digits: int = 4) -> Iterator[str]:
    """So many numbers such as `AB-0017`, from the first on. The order is checked before anything is printed."""
    if not prefix.isalpha():
        raise ValueError(f"{prefix!r} is no prefix")
    if first < 1 or count < 0:
        raise ValueError("numbers begin at one, and there are none or more of them")
    if len(str(first + count - 1)) > digits:
        raise ValueError(f"{count} numbers from {first} on do not fit into {digits} digits")
    label = prefix.upper() + "-"
    for number in range(first, first + count):
        yield label + str(number).zfill(digits)
'''
TESTS = """import pytest

from project.module import serial_numbers


def test_numbers_follow_each_other():
    assert list(serial_numbers("ab", 98, count=3)) == ["AB-0098", "AB-0099", "AB-0100"]


def test_fewer_digits():
    assert list(serial_numbers("X", 7, count=2, digits=2)) == ["X-07", "X-08"]


def test_none():
    assert list(serial_numbers("X", 5, count=0)) == []


def test_one_by_one():
    numbers = serial_numbers("Q", 1, count=9000)
    assert next(numbers) == "Q-0001"
    assert next(numbers) == "Q-0002"


def test_the_last_that_fits():
    assert list(serial_numbers("Q", 98, count=2, digits=2)) == ["Q-98", "Q-99"]


@pytest.mark.parametrize(
    ("prefix", "first", "count"), [("A1", 1, 1), ("", 1, 1), ("A", 0, 1), ("A", 1, -1), ("A", 9999, 2)]
)
def test_impossible_orders(prefix, first, count):
    with pytest.raises(ValueError, match="prefix|numbers"):
        list(serial_numbers(prefix, first, count=count))
"""
