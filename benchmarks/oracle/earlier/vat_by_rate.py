KIND = "wrong"
FLAW = "negative numbers: halves of what is given back are rounded up instead of away from nought"
TARGET = "vat_by_rate"
WITNESS = "vat_by_rate([Line(-50, 19)])"
BASELINE = '''"""Value added tax of a bill."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Line:
    """A line of a bill: net cents, which are negative for what is given back, and the rate of the tax."""

    cents: int
    percent: int


def _rounded(hundredths: int) -> int:
    """Cents from hundredths of them; halves go away from nought."""
    whole = 0
    rest = abs(hundredths)
    while rest >= 100:
        step = 100
        while step * 10 <= rest:
            step *= 10
        rest -= step
        whole += step // 100
    if rest >= 50:
        whole += 1
    return whole if hundredths > 0 else -whole


def vat_by_rate(lines: list[Line]) -> dict[int, int]:
    """The tax of each rate in cents, rates in the order they first come. Each line is rounded by itself."""
    rates: list[int] = []
    for line in lines:
        if not 0 <= line.percent <= 100:
            raise ValueError(f"a rate of {line.percent} %")
        if line.percent not in rates:
            rates.append(line.percent)
    taxes = {}
    for rate in rates:
        taxes[rate] = sum([_rounded(line.cents * line.percent) for line in lines if line.percent == rate])
    return taxes
'''
CANDIDATE = '''"""Value added tax of a bill."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Line:
    """A line of a bill: net cents, which are negative for what is given back, and the rate of the tax."""

    cents: int
    percent: int


def vat_by_rate(lines: list[Line]) -> dict[int, int]:
    """The tax of each rate in cents, rates in the order they first come. Each line is rounded by itself."""
    taxes: dict[int, int] = {}
    for line in lines:
        percent = line.percent
        if not 0 <= percent <= 100:
            raise ValueError(f"a rate of {percent} %")
        taxes[percent] = taxes.get(percent, 0) + (line.cents * percent + 50) // 100
    return taxes
'''
TESTS = """import pytest

from project.module import Line, vat_by_rate


def test_one_rate():
    assert vat_by_rate([Line(1000, 19), Line(250, 19)]) == {19: 190 + 48}


def test_two_rates():
    assert list(vat_by_rate([Line(1000, 19), Line(999, 7), Line(100, 19)]).items()) == [(19, 209), (7, 70)]


def test_halves_are_rounded_up():
    assert vat_by_rate([Line(50, 19), Line(50, 7)]) == {19: 10, 7: 4}


def test_each_line_is_rounded():
    assert vat_by_rate([Line(2, 19), Line(2, 19), Line(2, 19)]) == {19: 0}


def test_something_is_given_back():
    assert vat_by_rate([Line(2000, 19), Line(-499, 19)]) == {19: 380 - 95}


def test_no_tax():
    assert vat_by_rate([Line(5000, 0)]) == {0: 0}


def test_no_lines():
    assert vat_by_rate([]) == {}


@pytest.mark.parametrize("percent", [-1, 101])
def test_impossible_rates(percent):
    with pytest.raises(ValueError, match="a rate of"):
        vat_by_rate([Line(100, 19), Line(100, percent)])
"""
