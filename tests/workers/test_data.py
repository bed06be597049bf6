from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bakeoff.workers.data import DataError, decode, encode

PLAIN = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.text()
    | st.binary()
    | st.complex_numbers(allow_nan=False)
)
KEYS = st.recursive(
    PLAIN, lambda inner: st.lists(inner, max_size=3).map(tuple) | st.frozensets(inner, max_size=3), max_leaves=5
)
VALUES = st.recursive(
    PLAIN,
    lambda inner: st.lists(inner) | st.lists(inner).map(tuple) | st.dictionaries(KEYS, inner) | st.sets(KEYS),
    max_leaves=20,
)


def shape(value: object) -> object:
    """Equal only for equal values of equal types: 1, 1.0 and True are three."""
    if isinstance(value, dict):
        return "dict", frozenset((shape(key), shape(item)) for key, item in value.items())
    if isinstance(value, (list, tuple)):
        return type(value).__name__, tuple(shape(item) for item in value)
    if isinstance(value, (set, frozenset)):
        return type(value).__name__, frozenset(shape(item) for item in value)
    return type(value).__name__, repr(value)


@given(VALUES)
def test_what_goes_in_comes_out_with_its_types(value: object) -> None:
    assert shape(decode(encode(value))) == shape(value)


def test_nan_is_a_value() -> None:
    assert math.isnan(decode(encode(math.nan)))


@given(st.binary())
def test_no_bytes_break_the_reader(content: bytes) -> None:
    try:
        decode(content)
    except DataError:
        return


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"[",
        b"[" * 100_000,
        b'{"":1}',
        b'{"":["os.system","ls"]}',
        b'{"":["bytes",1]}',
        b'{"":["set",[1]]}',
        b"1" * 10_000,
    ],
)
def test_hostile_bytes_are_refused(content: bytes) -> None:
    with pytest.raises(DataError):
        decode(content)
