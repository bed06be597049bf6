from __future__ import annotations

import json
import math
import resource
import struct
import tempfile

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bakeoff.workers.inside import data
from bakeoff.workers.inside.data import Array, DataError, Document, NoDocument, TooLarge, decode, encode, load

PLAIN = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.text()
    | st.binary()
    | st.binary(min_size=4097, max_size=5000)
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


def document(structure: bytes, beside: int = 0) -> bytes:
    whole = struct.pack("<8sQQ", b"BAKEOFF1", len(structure), beside) + structure
    return whole + bytes(-len(whole) % 64)


@given(VALUES)
def test_what_goes_in_comes_out_with_its_types(value: object) -> None:
    assert shape(decode(encode(value))) == shape(value)


def test_nan_is_a_value() -> None:
    assert math.isnan(decode(encode(math.nan)))


@given(st.binary() | st.binary().map(document) | st.text().map(lambda text: document(text.encode("utf-8", "replace"))))
def test_no_bytes_break_the_reader(content: bytes) -> None:
    try:
        decode(content)
    except DataError:
        return


def test_a_document_made_by_hand_is_one() -> None:
    assert decode(document(b'{"":["tuple",1,{"":["int","0xff"]}]}')) == (1, 255)


@pytest.mark.parametrize(
    "structure",
    [
        b"",
        b"[",
        b"[" * 100_000,
        b'{"":1}',
        b'{"":[]}',
        b'{"":[[]]}',
        b'{"":["os.system","ls"]}',
        b'{"":["bytes",1]}',
        b'{"":["bytes",0,8]}',
        b'{"":["bytes",-1,1]}',
        b'{"":["bytes",true,1]}',
        b'{"":["bytearray","=="]}',
        b'{"":["set",[1]]}',
        b'{"":["dict",[1]]}',
        b'{"":["float","1"]}',
        b'{"":["int","x"]}',
        b'{"":["array","<f8",[1],0,8]}',
        b'{"":["array","<f8",[-1,-1],0,8]}',
        b'{"":["array","|O",[0],0,0]}',
        b'{"":["array",1,[0],0,0]}',
        b'{"":["number","<f8",""]}',
        b"1" * 10_000,
        b"\xff",
        b'{"":["set",' + b",".join(b"%d" % (number * (2**61 - 1)) for number in range(1, 4)) + b"],1:1}",
    ],
)
def test_hostile_bytes_are_refused(structure: bytes) -> None:
    with pytest.raises(DataError):
        decode(document(structure))


@pytest.mark.parametrize("kind", ["set", "frozenset", "dict"])
def test_keys_that_collide_do_not_take_the_parents_time(kind: str) -> None:
    """A million numbers with one hash take days to put into a table, and many small tables of them hours."""
    keys = [{"": ["int", hex(number * (2**61 - 1))]} for number in range(1, 200)]
    parts = [[key, None] for key in keys] if kind == "dict" else keys
    structure = json.dumps({"": [kind, *parts]}).encode()
    with pytest.raises(DataError, match="collide"):
        decode(document(structure))


def test_a_buffer_belongs_to_one_value() -> None:
    """Or a few bytes could ask for any amount of memory here."""
    one = b'{"":["bytes",0,5000]}'
    whole = document(b"[%s]" % one, 5056) + bytes(5056)
    assert decode(whole) == [bytes(5000)]
    with pytest.raises(DataError, match="buffer"):
        decode(document(b"[%s,%s]" % (one, one), 5056) + bytes(5056))
    with pytest.raises(DataError, match="buffer"):
        decode(document(b'[{"":["bytes",64,64]}]', 128) + bytes(128))


def test_parts_are_counted_on_both_sides() -> None:
    with pytest.raises(TooLarge):
        encode([[]] * 2_000_001)
    with pytest.raises(TooLarge):
        decode(document(b"[" + b"[]," * 2_000_000 + b"[]]"))
    assert decode(encode([","] * 900_000)) == [","] * 900_000
    assert decode(encode("," * 5_000_000)) == "," * 5_000_000, "a long text is one part"


@given(VALUES)
def test_a_value_in_a_file_is_the_same(value: object) -> None:
    with tempfile.TemporaryFile() as file:
        for at in (0, 4096):
            Document(value).write(file.fileno(), at)
            assert shape(load(file.fileno(), at)) == shape(value)


@pytest.mark.parametrize("limit", [resource.RLIM_INFINITY, 100_000])
def test_large_parts_go_beside_the_structure(limit: int) -> None:
    """Also under a limit on the size of files, which is not meant for them."""
    value = [b"x" * 40_000_000, bytearray(b"y" * 5000), b"z" * 4096]
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    with tempfile.TemporaryFile() as file:
        document = Document(value)
        file.truncate(document.size)
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, before[1]))
        try:
            document.write(file.fileno())
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)
        assert load(file.fileno()) == value
        assert decode(encode(value)) == value
    assert len(document._structure) < 10_000


def test_more_structure_than_allowed_is_refused_on_both_sides(monkeypatch: pytest.MonkeyPatch) -> None:
    large = encode(["x" * 4000])
    monkeypatch.setattr(data, "MAX_STRUCTURE", 1000)
    with pytest.raises(TooLarge):
        encode(["x" * 4000])
    with pytest.raises(TooLarge):
        decode(large)


def test_arrays_need_no_numpy_here() -> None:
    array = Array("<i2", (2, 2), memoryview(bytes(range(8))))
    back = decode(encode([array]))[0]
    assert back == array
    assert back != Array("<i2", (4,), array.data)
    assert np.asarray(back).tolist() == [[256, 770], [1284, 1798]]
    assert "8 bytes" in repr(back)


@given(st.binary(max_size=200), st.just(0) | st.integers(0, 2**64 - 1))
def test_no_header_breaks_the_reader(rest: bytes, beside: int) -> None:
    try:
        decode(document(rest, beside))
    except DataError:
        return


def test_nothing_written_is_not_a_value_that_is_wrong() -> None:
    for content in (b"", bytes(8), bytes(1000)):
        with pytest.raises(NoDocument):
            decode(content)
