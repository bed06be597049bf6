"""Generators among the arguments of recorded calls."""

from __future__ import annotations

import asyncio
import itertools
import sys
from collections.abc import AsyncIterator, Callable, Iterator

import pytest

from bakeoff.instruments import recordings, streams
from bakeoff.instruments.recorder import Tape
from bakeoff.instruments.values import OneShot, Stream


def counting(notes: list[object]) -> Iterator[object]:
    """Endless; takes note of what is sent, thrown and closed."""
    for number in itertools.count():
        try:
            notes.append((yield number))
        except KeyError as error:
            notes.append(error.args)
        except GeneratorExit:
            notes.append("closed")
            raise


def recording(tape: Tape, target: Callable[..., object], test: str = "a test") -> Callable[..., object]:
    tape.test = test
    return tape.recording(target)  # type: ignore[no-any-return]


def taken(tape: Tape, slot: int = 0) -> list[object]:
    """What the iterators gave that stand in one place of the recorded calls."""
    found = []
    for call in tape.kept():
        (positional, _) = recordings.loads(call["arguments"])
        assert type(positional[slot]) in (OneShot, Stream)
        found.append(positional[slot].values)
    return found


def test_a_call_holds_what_was_asked_for_and_nothing_is_asked_in_vain():
    tape, notes = Tape(), []
    first = recording(tape, lambda items, *, count: [next(items) for _ in range(count)])
    numbers = counting(notes)
    assert first(numbers, count=2) == [0, 1]
    assert next(numbers) == 2, "the caller goes on where the target stopped"
    assert taken(tape) == [[0, 1]]
    assert "closed" not in notes, "the target has only let go of it"


def test_by_keyword_and_several_in_one_call():
    tape = Tape()
    zipped = recording(tape, lambda one, *, other: list(zip(one, other, strict=True)))
    assert zipped((n for n in (1, 2)), other=(n for n in "ab")) == [(1, "a"), (2, "b")]
    positional, keywords = recordings.loads(tape.kept()[0]["arguments"])
    assert positional[0].values == [1, 2]
    assert keywords["other"].values == ["a", "b"]


def test_what_is_sent_thrown_and_closed_reaches_the_generator():
    tape, notes = Tape(), []

    def talk(items):
        given = [next(items), items.send("x"), items.throw(KeyError("y"))]
        items.close()
        return given

    assert recording(tape, talk)(counting(notes)) == [0, 1, 2]
    assert notes == ["x", ("y",), "closed"]
    assert taken(tape) == [[0, 1, 2]]


def test_what_a_generator_returns_and_raises_reaches_the_target():
    tape = Tape()

    def ending():
        yield 1
        return "end"

    def failing():
        yield 1
        raise OSError("broken")

    def whole(items):
        return (yield from items)

    consume = recording(tape, lambda items: list(whole(items)))
    assert consume(ending()) == [1]
    with pytest.raises(OSError, match="broken"):
        consume(failing())

    def returned(items):
        next(items)
        try:
            next(items)
        except StopIteration as end:
            return end.value

    assert recording(tape, returned)(ending()) == "end"


def test_items_are_known_as_they_were_when_they_came():
    tape = Tape()
    cleared = recording(tape, lambda rows: [row.clear() for row in rows])
    cleared([n] for n in range(2))
    assert taken(tape) == [[[0], [1]]]


def test_asynchronous_ones():
    tape, notes = Tape(), []

    async def numbers() -> AsyncIterator[int]:
        try:
            for number in itertools.count():
                notes.append((yield number))  # noqa: PERF401 (it makes the items)
        finally:
            notes.append("closed")

    async def first(items, count):
        found = [await anext(items), await items.asend("x")]
        async for item in items:
            found.append(item)
            if len(found) == count:
                break
        await items.aclose()
        assert notes == ["x", None, "closed"]
        return found

    assert asyncio.run(recording(tape, first)(numbers(), 3)) == [0, 1, 2]
    assert taken(tape) == [[0, 1, 2]]


def test_targets_that_put_their_work_off():
    tape = Tape()

    def doubled(items):
        for item in items:
            yield 2 * item

    assert list(recording(tape, doubled)(n for n in range(3))) == [0, 2, 4]

    async def later(items):
        async for item in items:
            yield 2 * item

    async def three():
        for number in range(3):
            yield number

    async def all_of():
        return [item async for item in recording(tape, later)(three())]

    assert asyncio.run(all_of()) == [0, 2, 4]
    assert taken(tape) == [[0, 1, 2], [0, 1, 2]]


def test_what_is_taken_when_the_test_is_over_is_missing():
    tape, notes = Tape(), []
    lazy = recording(tape, lambda items: map(str, items))
    numbers = counting(notes)
    result = lazy(numbers)
    assert next(result) == "0"
    recording(tape, sorted, "another test")(n for n in "ab")
    assert next(result) == "1"
    assert taken(tape) == [[0], ["a", "b"]]
    del result
    assert "closed" not in notes
    assert next(numbers) == 2


@pytest.mark.parametrize(
    "items",
    [
        (sys._getframe() for _ in range(2)),
        (bytes(1 << 18) for _ in range(5)),
        (n for n in range(streams._MOST_ITEMS + 1)),
    ],
    ids=["frames", "large", "many"],
)
def test_what_cannot_be_told_is_counted_and_takes_no_room(items: Iterator[object]):
    tape = Tape()
    count = recording(tape, lambda items: sum(1 for _ in items))
    assert count(items) > 1
    assert count(n for n in range(3)) == 3
    assert taken(tape) == [[0, 1, 2]]
    assert list(tape.uncopied.values()) == [1]
    assert tape._used < 1000


def test_room_is_bounded_for_all_together():
    tape = Tape(size=100_000)
    count = recording(tape, lambda items: sum(len(item) for item in items))
    for _ in range(5):
        assert count(bytes(10_000) for _ in range(3)) == 30_000
    assert tape._used <= 100_000
    assert len(taken(tape)) == 1, "equal ones are told once"
    assert sum(tape.uncopied.values()) == 2


def test_what_takes_the_place_of_another_has_its_room():
    tape = Tape(each=1, size=100_000)
    count = recording(tape, lambda items: sum(len(item) for item in items))
    for number in range(50):
        assert count(bytes([number]) * 10_000 for _ in range(3)) == 30_000
    assert len(taken(tape)) == 1
    assert tape._used < 31_000
    assert tape.uncopied == {}


def test_what_another_takes_the_place_of_notes_no_more():
    tape = Tape(each=1, size=100_000)
    lazy = recording(tape, lambda items: map(len, items))
    begun = [lazy(bytes([number]) * 10_000 for _ in range(3)) for number in range(20)]
    assert [list(items) for items in begun] == [[10_000] * 3] * 20
    assert tape._used < 31_000
    assert len(taken(tape)) == 1


def test_equal_calls_of_several_tests_are_one():
    tape = Tape()
    for test in ("one", "two"):
        recording(tape, sorted, test)(n for n in range(3))
    (call,) = tape.kept()
    assert (call["tests"], call["weight"]) == (["one", "two"], 2)


def test_iterators_that_can_be_copied_are_left_alone():
    tape = Tape()
    items = iter([1, 2])
    assert recording(tape, lambda given: given)(items) is items
    assert list(recordings.loads(tape.kept()[0]["arguments"])[0][0]) == [1, 2]


def test_what_stands_for_them_is_used_like_them():
    """By a candidate that takes them for generators."""
    once = OneShot([1, 2, 3])
    assert (next(once), once.send("x")) == (1, 2)
    with pytest.raises(KeyError):
        once.throw(KeyError("y"))
    assert list(once) == []

    async def all_of():
        items = Stream([1, 2, 3, 4])
        found = [await anext(items), await items.asend("x")]
        with pytest.raises(KeyError):
            await items.athrow(KeyError("y"))
        await items.aclose()
        return found + [item async for item in items]

    assert asyncio.run(all_of()) == [1, 2]
