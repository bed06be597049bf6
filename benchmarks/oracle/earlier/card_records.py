KIND = "wrong"
FLAW = "exception type: struct.error instead of ValueError where data end within a length"
TARGET = "records"
WITNESS = "records(bytes([5, 0, 1, 65, 5, 0]))"
BASELINE = '''"""What is stored on a chip card."""

from __future__ import annotations

PADDING = 0x00
END = 0xFE


def records(data: bytes) -> list[tuple[int, bytes]]:
    """Tags with their values.

    A tag takes a byte, the length of the value two, the higher one first. Padding has neither length nor value, and
    nothing that comes after the end is read. Raises ValueError where the data are cut off.
    """
    found = []
    while len(data) > 0 and data[0] != END:
        if data[0] == PADDING:
            data = data[1:]
            continue
        tag = data[0]
        if len(data) < 3:
            raise ValueError(f"the length of {tag:#04x} is cut off")
        length = data[1] * 256 + data[2]
        value = b""
        for code in data[3 : 3 + length]:
            value = value + bytes([code])
        if len(value) < length:
            raise ValueError(f"the value of {tag:#04x} is cut off")
        found.append((tag, value))
        data = data[3 + length :]
    return found
'''
CANDIDATE = '''"""What is stored on a chip card."""

from __future__ import annotations

from struct import Struct

PADDING = 0x00
END = 0xFE

_head = Struct(">BH").unpack_from


def records(data: bytes) -> list[tuple[int, bytes]]:
    """Tags with their values.

    A tag takes a byte, the length of the value two, the higher one first. Padding has neither length nor value, and
    nothing that comes after the end is read. Raises ValueError where the data are cut off.
    """
    found = []
    place, end = 0, len(data)
    while place < end and data[place] != END:
        if data[place] == PADDING:
            place += 1
            continue
        tag, length = _head(data, place)
        place += 3 + length
        if place > end:
            raise ValueError(f"the value of {tag:#04x} is cut off")
        found.append((tag, bytes(data[place - length : place])))
    return found
'''
TESTS = """import pytest

from project.module import records


def test_records():
    data = bytes([0x5A, 0, 3]) + b"abc" + bytes([0x5F, 0, 1]) + b"d"
    assert records(data) == [(0x5A, b"abc"), (0x5F, b"d")]


def test_a_long_value():
    assert records(bytes([7, 1, 4]) + b"x" * 260) == [(7, b"x" * 260)]


def test_no_value():
    assert records(bytes([7, 0, 0, 8, 0, 0])) == [(7, b""), (8, b"")]


def test_padding():
    assert records(bytes([0, 0, 7, 0, 1, 65, 0])) == [(7, b"A")]


def test_after_the_end():
    assert records(bytes([7, 0, 1, 65, 0xFE, 1, 2])) == [(7, b"A")]


def test_an_empty_card():
    assert records(b"") == []


def test_cut_off():
    with pytest.raises(ValueError, match="0x07 is cut off"):
        records(bytes([7, 0, 5, 65, 66]))
"""
