KIND = "wrong"
FLAW = "Unicode: isdigit takes superscripts for parts of a number"
TARGET = "natural_order"
WITNESS = 'natural_order(["12 m²", "9 m²"])'
BASELINE = '''"""Names in the order that people expect."""

from __future__ import annotations

from itertools import groupby


def natural_order(names: list[str], *, reverse: bool = False) -> list[str]:
    """The names sorted without regard to case, and numbers in them by their value; equal ones stay as they came."""

    def key(name: str) -> list[tuple[int, int, str]]:
        parts: list[tuple[int, int, str]] = []
        position = 0
        while position < len(name):
            end = position
            if name[position].isdecimal():
                while end < len(name) and name[end].isdecimal():
                    end += 1
                parts = parts + [(0, int(name[position:end]), "")]
            else:
                while end < len(name) and not name[end].isdecimal():
                    end += 1
                parts = parts + [(1, 0, name[position:end].casefold())]
            position = end
        return parts

    return sorted(names, key=key, reverse=reverse)
'''
CANDIDATE = '''"""Names in the order that people expect."""

from __future__ import annotations

from itertools import groupby


def natural_order(names: list[str], *, reverse: bool = False) -> list[str]:
    """The names sorted without regard to case, and numbers in them by their value; equal ones stay as they came."""

    def key(name: str) -> list[tuple[int, int, str]]:
        parts = [(digits, "".join(part)) for digits, part in groupby(name, str.isdigit)]
        return [(0, int(part), "") if digits else (1, 0, part.casefold()) for digits, part in parts]

    return sorted(names, key=key, reverse=reverse)
'''
TESTS = """import pytest

from project.module import natural_order


def test_numbers_by_value():
    assert natural_order(["page 10", "page 9", "page 1"]) == ["page 1", "page 9", "page 10"]


def test_case_does_not_count():
    assert natural_order(["beta", "Alpha", "ALPHA 2"]) == ["Alpha", "ALPHA 2", "beta"]


def test_equal_names_stay():
    assert natural_order(["b", "a01", "A1", "a001"]) == ["a01", "A1", "a001", "b"]


def test_numbers_come_before_letters():
    assert natural_order(["x", "7", "room", "12"]) == ["7", "12", "room", "x"]


def test_several_numbers():
    assert natural_order(["1.10.2", "1.9.30", "1.10"]) == ["1.9.30", "1.10", "1.10.2"]


def test_backwards():
    assert natural_order(["a2", "a10", "a1"], reverse=True) == ["a10", "a2", "a1"]


@pytest.mark.parametrize("names", [[], [""], ["", "a"]])
def test_little(names):
    assert natural_order(names) == names


def test_accents_and_units():
    assert natural_order(["Zürich 2", "äpfel 3 kg", "Zürich 1"]) == ["Zürich 1", "Zürich 2", "äpfel 3 kg"]
"""
