KIND = "wrong"
FLAW = "laziness: the whole input is read before the first batch comes"
TARGET = "batches"
WITNESS = "(numbers := iter(range(6)), next(batches(numbers, 2)), list(numbers))[1:]"
BASELINE = '''"""Work in portions."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

T = TypeVar("T")


def batches(items: Iterable[T], size: int, *, drop_last: bool = False) -> Iterator[list[T]]:
    """The items in lists of that size, each as soon as it is full; the last may be shorter, or is dropped."""
    if size < 1:
        raise ValueError("size must be at least one")
    batch: list[T] = []
    for item in items:
        batch = batch + [item]
        if len(batch) == size:
            yield batch
            batch = []
    if batch and not drop_last:
        yield batch
'''
CANDIDATE = '''"""Work in portions."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

T = TypeVar("T")


def batches(items: Iterable[T], size: int, *, drop_last: bool = False) -> Iterator[list[T]]:
    """The items in lists of that size, each as soon as it is full; the last may be shorter, or is dropped."""
    if size < 1:
        raise ValueError("size must be at least one")
    pool = list(items)
    end = len(pool) - len(pool) % size if drop_last else len(pool)
    for start in range(0, end, size):
        yield pool[start : start + size]
'''
TESTS = """import pytest

from project.module import batches


def test_full_batches():
    assert list(batches([1, 2, 3, 4], 2)) == [[1, 2], [3, 4]]


def test_the_last_is_shorter():
    assert list(batches("abcde", 3)) == [["a", "b", "c"], ["d", "e"]]


def test_the_last_is_dropped():
    assert list(batches(range(5), 2, drop_last=True)) == [[0, 1], [2, 3]]


def test_an_iterator_will_do():
    assert list(batches(iter([1, 2, 3]), 2)) == [[1, 2], [3]]


def test_nothing():
    assert list(batches([], 3)) == []


def test_it_comes_one_by_one():
    portions = batches([1, 2, 3], 2)
    assert next(portions) == [1, 2]
    assert next(portions) == [3]
    with pytest.raises(StopIteration):
        next(portions)


def test_a_size_of_nought_is_refused():
    with pytest.raises(ValueError, match="at least one"):
        list(batches([1], 0))
"""
