KIND = "wrong"
FLAW = "large integers: windows of stamps in nanoseconds are found with floats"
TARGET = "per_window"
WITNESS = "list(per_window([1_700_000_000_250_000_000, 1_700_000_000_999_999_999]))"
BASELINE = '''"""How often something happens."""

from __future__ import annotations

from collections.abc import Iterable, Iterator


def per_window(stamps: Iterable[int], width: int = 1_000_000_000) -> Iterator[tuple[int, int]]:
    """The start of each window in which something happened, and how often it did.

    Stamps are nanoseconds since 1970, or before it if they are negative, and so is the start of a window, which is a
    multiple of the width. A window is given as soon as the first stamp of another one is there.
    """
    if width < 1:
        raise ValueError("a window takes some time")
    window: list[int] = []
    for stamp in stamps:
        if window and stamp - stamp % width != window[0] - window[0] % width:
            yield window[0] - window[0] % width, len(window)
            window = []
        window = window + [stamp]
    if window:
        yield window[0] - window[0] % width, len(window)
'''
CANDIDATE = '''"""How often something happens."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby
from math import floor


def per_window(stamps: Iterable[int], width: int = 1_000_000_000) -> Iterator[tuple[int, int]]:
    """The start of each window in which something happened, and how often it did.

    Stamps are nanoseconds since 1970, or before it if they are negative, and so is the start of a window, which is a
    multiple of the width. A window is given as soon as the first stamp of another one is there.
    """
    if width < 1:
        raise ValueError("a window takes some time")
    for number, window in groupby(stamps, key=lambda stamp: floor(stamp / width)):
        yield number * width, sum(1 for _ in window)
'''
TESTS = """import pytest

from project.module import per_window

NOW = 1_700_000_000_000_000_000
MILLISECOND = 1_000_000


def test_seconds():
    stamps = [NOW, NOW + 250 * MILLISECOND, NOW + 1200 * MILLISECOND]
    assert list(per_window(stamps)) == [(NOW, 2), (NOW + 1000 * MILLISECOND, 1)]


def test_another_width():
    stamps = [NOW + 3 * MILLISECOND, NOW + 8 * MILLISECOND, NOW + 12 * MILLISECOND]
    assert list(per_window(stamps, 10 * MILLISECOND)) == [(NOW, 2), (NOW + 10 * MILLISECOND, 1)]


def test_small_numbers():
    assert list(per_window([0, 9, 10, 19, 35], 10)) == [(0, 2), (10, 2), (30, 1)]


def test_before_1970():
    assert list(per_window([-11, -10, -1, 1], 10)) == [(-20, 1), (-10, 2), (0, 1)]


def test_clocks_that_are_set_back():
    assert list(per_window([25, 3, 21], 10)) == [(20, 1), (0, 1), (20, 1)]


def test_as_soon_as_it_is_over():
    stamps = iter([1, 2, 15, 16, 31])
    windows = per_window(stamps, 10)
    assert next(windows) == (0, 2)
    assert list(stamps) == [16, 31]


def test_nothing_happened():
    assert list(per_window([])) == []


def test_no_width():
    with pytest.raises(ValueError, match="some time"):
        list(per_window([1], 0))
"""
