from __future__ import annotations

import dataclasses
import gc
import threading
from collections.abc import Iterator

import pytest

from bakeoff.instruments import recordings
from bakeoff.instruments.lineage import Lives, made
from bakeoff.instruments.recordings import Uncopyable


def classes() -> tuple[type, ...]:
    """New ones: to watch a class changes it."""

    class Shelf:
        def __init__(self, *books: str, most: int = 3) -> None:
            self.books = list(books)
            self.most = most

        def add(self, *books: str) -> None:
            """More of them."""
            for book in books:
                self._put(book)

        def _put(self, book: str) -> None:
            if len(self.books) == self.most:
                raise ValueError("full")
            self.books.append(book)

        def each(self) -> Iterator[str]:
            yield from self.books

    @dataclasses.dataclass
    class Row:
        cells: list[int]

    class Deep(Shelf): ...

    for kind in (Shelf, Row, Deep):
        kind.__qualname__ = kind.__name__
        globals()[kind.__name__] = kind
    return Shelf, Row, Deep


@pytest.fixture
def lives() -> Lives:
    return Lives(lambda function: function)


def test_an_object_is_made_again_by_its_calls(lives: Lives):
    shelves, *_ = classes()
    lives.watch(shelves)
    shelf = shelves("a", most=2)
    shelf.add("b")
    with pytest.raises(ValueError, match="full"):
        shelf.add("c")
    known = lives.of(shelf)
    assert known is not None
    assert [name for name, _ in known.steps] == ["__init__", "add", "add"]
    again = made(recordings.copied(known), 5.0)
    assert again is not shelf
    assert vars(again) == {"books": ["a", "b"], "most": 2}
    assert shelf.add.__doc__ == "More of them."
    # It is known as it was.
    assert vars(made(known, 5.0)) == {"books": ["a", "b"], "most": 2}


def test_arguments_are_known_as_they_were(lives: Lives):
    _, rows, _ = classes()
    lives.watch(rows)
    cells = [1, 2]
    row = rows(cells)
    cells.append(3)
    known = lives.of(row)
    assert known is not None
    assert made(known, 5.0).cells == [1, 2]


def test_those_of_a_subclass_are_made_of_it(lives: Lives):
    shelves, _, deeper = classes()
    lives.watch(shelves)
    deep = deeper("a")
    known = lives.of(deep)
    assert known is not None
    assert type(made(known, 5.0)) is deeper


def test_what_cannot_be_told_is_not(lives: Lives):
    shelves, *_ = classes()
    before = shelves("a")
    lives.watch(shelves)
    locked, busy = shelves("a"), shelves("a", most=100)
    locked.add(*(threading.current_thread(),))  # type: ignore[arg-type]
    for number in range(50):
        busy.add(str(number))
    assert [lives.of(shelf) for shelf in (before, locked, busy)] == [None, None, None]


def test_objects_that_are_gone_are_forgotten(lives: Lives):
    shelves, *_ = classes()
    lives.watch(shelves)
    for _ in range(3):
        shelves("a")
    gc.collect()
    assert not lives._known


def test_what_cannot_be_made_says_so(lives: Lives):
    shelves, *_ = classes()
    lives.watch(shelves)
    shelf = shelves("a")
    known = lives.of(shelf)
    assert known is not None

    def refuse(*_: object) -> None:
        raise RuntimeError

    shelves.__init__ = refuse  # type: ignore[method-assign]
    with pytest.raises(Uncopyable, match="RuntimeError"):
        made(known, 5.0)

    def hang(*_: object) -> None:
        while True:
            pass

    shelves.__init__ = hang  # type: ignore[method-assign]
    with pytest.raises(Uncopyable, match="OutOfTime"):
        made(known, 0.05)
