KIND = "wrong"
FLAW = "Unicode: superscript and circled figures are digits for isdigit, but not for the pattern"
TARGET = "figures_of"
WITNESS = "tariff_numbers(['8471.30\\u00b2', '0901.21'])"
BASELINE = '''"""Customs tariff numbers out of packing lists."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

_LENGTHS = (6, 8, 10)


def figures_of(line: str) -> str:
    """The figures of a line, without all that is between."""
    figures = ""
    for character in line:
        if character.isdigit():
            figures += character
    return figures


def tariff_numbers(lines: Iterable[str]) -> list[str]:
    """The numbers of the lines whose figures make one, as four figures and then pairs."""
    found: list[str] = []
    for line in lines:
        figures = figures_of(line)
        if len(figures) in _LENGTHS:
            pairs = [figures[place : place + 2] for place in range(4, len(figures), 2)]
            found.append(" ".join([figures[:4], *pairs]))
    return found
'''
CANDIDATE = r'''"""Customs tariff numbers out of packing lists."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

_LENGTHS = (6, 8, 10)
_OTHERS = re.compile(r"\D+")


def figures_of(line: str) -> str:
    """The figures of a line, without all that is between."""
    return _OTHERS.sub("", line)


def tariff_numbers(lines: Iterable[str]) -> list[str]:
    """The numbers of the lines whose figures make one, as four figures and then pairs."""
    found: list[str] = []
    for line in lines:
        figures = figures_of(line)
        if len(figures) in _LENGTHS:
            pairs = [figures[place : place + 2] for place in range(4, len(figures), 2)]
            found.append(" ".join([figures[:4], *pairs]))
    return found
'''
TESTS = r"""from project.module import figures_of, tariff_numbers


def test_figures():
    assert figures_of("HS 0901.21-00") == "09012100"
    assert figures_of("coffee, roasted") == ""


def test_six_eight_and_ten():
    assert tariff_numbers(["090121", "0901.2100", "0901 21 00 90"]) == ["0901 21", "0901 21 00", "0901 21 00 90"]


def test_other_lengths_are_left_out():
    assert tariff_numbers(["0901", "0901 2", "0901 210 0", "Box 17", ""]) == ["0901 21 00"]


def test_words_around_it():
    assert tariff_numbers(["Code: 8471.30 (laptops)\n", "Gewürze: 0910.99\n"]) == ["8471 30", "0910 99"]


def test_figures_of_other_scripts():
    assert tariff_numbers(["٠٩٠١٢١"]) == ["٠٩٠١ ٢١"]


def test_an_empty_list():
    assert tariff_numbers([]) == []
"""
