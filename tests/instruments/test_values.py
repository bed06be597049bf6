from __future__ import annotations

import threading
import typing

import pytest
from hypothesis import given

from bakeoff.instruments.values import (
    Fingerprints,
    Indexed,
    Interrupted,
    Interrupting,
    Items,
    Keyed,
    OneShot,
    Raising,
    copied,
)
from instruments.inputs import PLAIN, Stock, mutable_parts


def test_our_own_values_do_what_they_say() -> None:
    once = OneShot([1, 2])
    assert (list(once), list(once)) == ([1, 2], [])
    taken = []
    with pytest.raises(Interrupted):
        taken.extend(part for part in map(taken.append, Interrupting([1, 2, 3], 2)) if part)
    assert taken == [1, 2]
    assert list(Indexed([1, 2])) == [1, 2]
    assert dict(Keyed({"a": 1})) == {"a": 1}
    raising = Raising(len, 1)
    assert raising("ab") == 2
    with pytest.raises(Interrupted, match="at call 2"):
        raising("ab")


# ── copies and fingerprints ──


@given(PLAIN)
def test_a_copy_is_the_same_and_shares_nothing_that_changes(value: object) -> None:
    made = copied([value, value])
    assert Fingerprints().of(made) == Fingerprints().of([value, value])
    assert not set(mutable_parts(made)) & set(mutable_parts([value]))


@given(PLAIN, PLAIN)
def test_fingerprints_differ_where_values_do(one: object, other: object) -> None:
    assert (Fingerprints().of(one) == Fingerprints().of(other)) == (exactly(one) == exactly(other))


def exactly(value: object) -> object:
    if isinstance(value, dict):
        return "dict", [(exactly(name), exactly(part)) for name, part in value.items()]
    if isinstance(value, (list, tuple)):
        return type(value).__name__, [exactly(part) for part in value]
    if isinstance(value, set):
        return "set", sorted((exactly(part) for part in value), key=repr)
    return type(value).__name__, repr(value)


def test_what_a_memo_knows_stays_alive() -> None:
    """It goes by identity: a new object with the identity of a dead one would be given the copy of that."""
    values: list[object] = [Items([1]), Stock({"a": 1}), Items([2])]
    memo: dict[int, typing.Any] = {}
    copied(values, memo)
    assert set(memo) <= {id(memo), *map(id, [values, *values, *memo[id(memo)]])}


def test_sharing_is_told() -> None:
    part: list[int] = []
    assert Fingerprints().of([part, part]) != Fingerprints().of([[], []])
    made = copied([part, part])
    assert made[0] is made[1]


def test_what_cannot_be_copied_is_kept_and_the_rest_is_copied() -> None:
    lock = threading.Lock()
    stock = Stock({"a": 1})
    stock.lock = lock  # type: ignore[attr-defined]
    made = copied(stock)
    assert made.lock is lock
    assert made._items == {"a": 1}
    assert made._items is not stock._items
