"""Values as data: what may cross between us and a candidate, and nothing that runs when it is read.

A candidate's result is written by code that the candidate controls. So the form is JSON with large buffers beside it,
the reader builds only the types below, and sizes and depth are bounded. Pickle is not used anywhere.

    None, bool, list                as JSON has them
    str                             as JSON has them; a long one as {"": ["str", offset, size]} among the buffers
    int                             as JSON has them; beyond 64 bits as {"": ["int", hexadecimal]}
    float                           as JSON has them; nan and infinities as {"": ["float", "nan"]}
    bytes, bytearray                {"": ["bytes", base64]}, or {"": ["bytes", offset, size]} among the buffers
    tuple, set, frozenset           {"": ["tuple", …items]} and so on
    dict with plain str keys        an object; any other dict {"": ["dict", [key, value], …]}
    complex                         {"": ["complex", real, imaginary]}
    numpy arrays and numbers        {"": ["array", dtype, [shape…], offset, size]}, {"": ["number", dtype, base64]}

Subclasses are refused: an IntEnum that came back as an int would be a lie. In a file, a document is

    magic (8 bytes), size of the JSON (8), size of the buffers (8), the JSON, padding, buffers at multiples of 64 bytes

so that an array is mapped from the file, never copied. To us it comes as an `Array`, which numpy takes without copying;
to a candidate, as numpy's own. Plain Python ≥ 3.9, standard library only.
"""

from __future__ import annotations

import base64
import binascii
import json
import math
import mmap
import os
import re
import resource
import struct
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["Array", "DataError", "Document", "NoDocument", "TooLarge", "decode", "encode", "extent", "load"]

MAX_DEPTH = 200
# What is not in buffers is parsed into objects, which take many times its room: its size is bounded, and their number.
MAX_STRUCTURE, MAX_PARTS = 1 << 25, 2_000_000
_TAG = ""
_HEADER = struct.Struct("<8sQQ")
_MAGIC = b"BAKEOFF1"
_ALIGNED = 64
_INLINE = 4096
_WINDOW = 1 << 24
_MOST_AT_ONCE = 1 << 30
_TOO_LARGE = f"it has over {MAX_STRUCTURE} bytes or {MAX_PARTS} parts beside its buffers; send arrays or bytes"
_DTYPE = re.compile(r"[<>|](?:([biufcS])([0-9]{1,9})|(U)([0-9]{1,9})|([mM])(8)(?:\[[0-9a-zA-Zμ]{1,8}\])?)", re.ASCII)
_PLAIN = frozenset({type(None), bool})


class DataError(ValueError):
    """Raised for a value that is not data, or for bytes that are not a value; says which and why."""


class TooLarge(DataError):
    """Raised for a value that is data, but more of it than is allowed."""


class NoDocument(DataError):
    """Raised where nothing was written at all."""


class Array:
    """An array as numpy has it, without numpy: `numpy.asarray(array)` shares its memory. Read it, do not write it."""

    __slots__ = ("data", "dtype", "shape")

    def __init__(self, dtype: str, shape: tuple[int, ...], data: memoryview) -> None:
        self.dtype = dtype
        self.shape = shape
        self.data = data

    @property
    def __array_interface__(self) -> dict[str, Any]:
        return {"version": 3, "typestr": self.dtype, "shape": self.shape, "data": self.data}

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Array):
            return NotImplemented
        return (self.dtype, self.shape, self.data) == (other.dtype, other.shape, other.data)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"Array({self.dtype!r}, {self.shape!r}, {len(self.data)} bytes)"


# ── writing ──────────────────────────────────────────────────────────────────────────────────────────────────────


class Document:
    """A value in its written form; raises DataError where it, or something in it, is not data."""

    def __init__(self, value: object) -> None:
        self._buffers: list[tuple[int, memoryview]] = []
        self._beside = 0
        plain = self._plain(value, 0)
        self._structure = json.dumps(plain, separators=(",", ":"), allow_nan=False).encode()
        _check_size(self._structure)

    @property
    def size(self) -> int:
        return _aligned(_HEADER.size + len(self._structure)) + self._beside

    def parts(self) -> list[tuple[int, memoryview]]:
        """What stands where, counted from the start. The header comes last: without it there is no document."""
        start = _aligned(_HEADER.size + len(self._structure))
        header = _HEADER.pack(_MAGIC, len(self._structure), self._beside)
        return [
            *((start + offset, view) for offset, view in self._buffers),
            (_HEADER.size, memoryview(self._structure)),
            (0, memoryview(header)),
        ]

    def write(self, descriptor: int, at: int = 0) -> None:
        """Write it into a file, which grows where it has to. A limit on the size of files is not meant for
        this; what is mapped is free of it."""
        if os.fstat(descriptor).st_size < at + self.size:
            os.ftruncate(descriptor, at + self.size)
        store = _stored if at + self.size <= resource.getrlimit(resource.RLIMIT_FSIZE)[0] % (1 << 64) else _mapped
        for offset, view in self.parts():
            store(descriptor, at + offset, view)

    def _plain(self, value: Any, depth: int) -> Any:  # noqa: ANN401
        if depth > MAX_DEPTH:
            raise DataError(f"the value is nested more than {MAX_DEPTH} deep")
        kind = type(value)
        if kind in _PLAIN:
            return value
        writer = _WRITERS.get(kind)
        if writer is not None:
            return writer(self, value, depth + 1)
        if kind is Array:
            return self._array(value.dtype, value.shape, value.data)
        numpy = sys.modules.get("numpy")
        if numpy is not None and (kind is numpy.ndarray or isinstance(value, numpy.generic)):
            return self._of_numpy(numpy, value)
        raise DataError(f"a value of type {kind.__module__}.{kind.__qualname__} is not data")

    def _str(self, value: str, _: int) -> Any:  # noqa: ANN401
        if len(value) <= _INLINE:
            return value
        return {_TAG: ["str", *self._buffer(memoryview(value.encode("utf-8", "surrogatepass")))]}

    def _int(self, value: int, _: int) -> Any:  # noqa: ANN401
        return value if -(1 << 63) <= value < 1 << 63 else {_TAG: ["int", hex(value)]}

    def _float(self, value: float, _: int) -> Any:  # noqa: ANN401
        return value if math.isfinite(value) else {_TAG: ["float", repr(value)]}

    def _bytes(self, value: bytes | bytearray, _: int) -> Any:  # noqa: ANN401
        name = type(value).__name__
        if len(value) <= _INLINE:
            return {_TAG: [name, base64.b64encode(value).decode()]}
        return {_TAG: [name, *self._buffer(memoryview(value))]}

    def _list(self, value: list[Any], depth: int) -> Any:  # noqa: ANN401
        return [self._plain(item, depth) for item in value]

    def _items(self, value: Any, depth: int) -> Any:  # noqa: ANN401
        return {_TAG: [type(value).__name__, *(self._plain(item, depth) for item in value)]}

    def _dict(self, value: dict[Any, Any], depth: int) -> Any:  # noqa: ANN401
        if all(type(key) is str for key in value) and _TAG not in value:
            return {key: self._plain(item, depth) for key, item in value.items()}
        return {_TAG: ["dict", *([self._plain(key, depth), self._plain(item, depth)] for key, item in value.items())]}

    def _complex(self, value: complex, depth: int) -> Any:  # noqa: ANN401
        return {_TAG: ["complex", self._plain(value.real, depth), self._plain(value.imag, depth)]}

    def _of_numpy(self, numpy: Any, value: Any) -> Any:  # noqa: ANN401
        if not _DTYPE.fullmatch(value.dtype.str):
            raise DataError(f"a numpy value of type {value.dtype} is not data")
        if isinstance(value, numpy.generic):
            return {_TAG: ["number", value.dtype.str, base64.b64encode(value.tobytes()).decode()]}
        flat = numpy.ascontiguousarray(value).reshape(-1).view(numpy.uint8)
        return self._array(value.dtype.str, value.shape, memoryview(flat))

    def _array(self, dtype: str, shape: tuple[int, ...], view: memoryview) -> Any:  # noqa: ANN401
        return {_TAG: ["array", dtype, list(shape), *self._buffer(view)]}

    def _buffer(self, view: memoryview) -> tuple[int, int]:
        offset = self._beside
        self._buffers.append((offset, view))
        self._beside += _aligned(len(view))
        return offset, len(view)


_WRITERS: dict[type, Any] = {
    str: Document._str,  # noqa: SLF001 (its own)
    int: Document._int,  # noqa: SLF001
    float: Document._float,  # noqa: SLF001
    bytes: Document._bytes,  # noqa: SLF001
    bytearray: Document._bytes,  # noqa: SLF001
    list: Document._list,  # noqa: SLF001
    tuple: Document._items,  # noqa: SLF001
    set: Document._items,  # noqa: SLF001
    frozenset: Document._items,  # noqa: SLF001
    dict: Document._dict,  # noqa: SLF001
    complex: Document._complex,  # noqa: SLF001
}


def encode(value: object) -> bytes:
    """The value as bytes; raises DataError where it, or something in it, is not data."""
    document = Document(value)
    whole = bytearray(document.size)
    for offset, view in document.parts():
        whole[offset : offset + len(view)] = view
    return bytes(whole)


def _stored(descriptor: int, offset: int, view: memoryview) -> None:
    while len(view):
        written = os.pwrite(descriptor, view[:_MOST_AT_ONCE], offset)
        view, offset = view[written:], offset + written


def _mapped(descriptor: int, offset: int, view: memoryview) -> None:
    """Through a window at a time, because address space may be short."""
    while len(view):
        start = offset - offset % mmap.ALLOCATIONGRANULARITY
        size = min(len(view), _WINDOW)
        with mmap.mmap(descriptor, offset - start + size, offset=start) as window:
            window[offset - start :] = view[:size]
        view, offset = view[size:], offset + size


def _aligned(size: int) -> int:
    return -(-size // _ALIGNED) * _ALIGNED


# ── reading ──────────────────────────────────────────────────────────────────────────────────────────────────────


class _Bytes:
    """A document in memory."""

    native = False

    def __init__(self, content: bytes) -> None:
        self._content = memoryview(content)
        self.size = len(content)

    def read(self, offset: int, size: int) -> bytes:
        return bytes(self._content[offset : offset + size])

    def view(self, offset: int, size: int) -> memoryview:
        return self._content[offset : offset + size]


class _File:
    """A document in a file. Bytes are read from it without mapping it, so that no page is in memory twice."""

    def __init__(self, descriptor: int, at: int, *, native: bool) -> None:
        self.native = native
        self._descriptor = descriptor
        self._at = at
        self._map: memoryview | None = None
        self._access = mmap.ACCESS_COPY if native else mmap.ACCESS_READ
        self.size = max(0, os.fstat(descriptor).st_size - at)

    def read(self, offset: int, size: int) -> bytes:
        pieces = []
        while size:
            piece = os.pread(self._descriptor, min(size, _MOST_AT_ONCE), self._at + offset)
            if not piece:
                raise DataError("these bytes are not a value: they end too early")
            pieces.append(piece)
            size, offset = size - len(piece), offset + len(piece)
        return pieces[0] if len(pieces) == 1 else b"".join(pieces)

    def view(self, offset: int, size: int) -> memoryview:
        if self._map is None:
            length = self._at + _extent(self)
            self._map = memoryview(mmap.mmap(self._descriptor, length, access=self._access))
        return self._map[self._at + offset : self._at + offset + size]


def decode(content: bytes) -> Any:  # noqa: ANN401 (any data at all)
    """The value that was encoded; raises DataError, and nothing else, for whatever is not one."""
    return _loaded(_Bytes(content))


def load(descriptor: int, at: int = 0, *, native: bool = False) -> Any:  # noqa: ANN401
    """The value of the document at a place in a file; raises DataError, and nothing else, for whatever is not one.

    Arrays in it are views of the file, read-only; with `native` they are numpy's (which is imported for it, where there
    is one) and may be written, which leaves the file as it is.
    """
    return _loaded(_File(descriptor, at, native=native))


def extent(descriptor: int) -> int:
    """How large the document in a file says it is; 0 where there is none."""
    try:
        return _extent(_File(descriptor, 0, native=False))
    except DataError:
        return 0


def _loaded(source: _Bytes | _File) -> Any:  # noqa: ANN401
    try:
        structure, _ = _sizes(source)
        text = source.read(_HEADER.size, structure)
        _check_size(text)
        plain = json.loads(text.decode())
        return _Reader(source)._value(plain, 0)  # noqa: SLF001 (its own)
    except DataError:
        raise
    except (ValueError, TypeError, IndexError, RecursionError, OverflowError, MemoryError, binascii.Error) as error:
        raise DataError(f"these bytes are not a value: {type(error).__name__}: {error}") from None


def _sizes(source: _Bytes | _File) -> tuple[int, int]:
    """How much structure and how many bytes of buffers there are, within what is there."""
    if source.size < _HEADER.size:
        raise NoDocument("there is no value")
    magic, structure, beside = _HEADER.unpack(source.read(0, _HEADER.size))
    if magic == bytes(len(_MAGIC)):
        raise NoDocument("there is no value")
    if magic != _MAGIC:
        raise DataError("these bytes are not a value: they begin like something else")
    if structure > MAX_STRUCTURE:
        raise TooLarge(_TOO_LARGE)
    if _aligned(_HEADER.size + structure) + beside > source.size:
        raise DataError("these bytes are not a value: they are fewer than they claim")
    return structure, beside


def _extent(source: _Bytes | _File) -> int:
    structure, beside = _sizes(source)
    return _aligned(_HEADER.size + structure) + beside


def _check_size(structure: bytes) -> None:
    """Each part is a character of JSON's at least, though not each such character in a text is a part."""
    if len(structure) > MAX_STRUCTURE or sum(map(structure.count, (b"[", b"{", b","))) > MAX_PARTS:
        raise TooLarge(_TOO_LARGE)


class _Reader:
    def __init__(self, source: _Bytes | _File) -> None:
        self._source = source
        structure, self._beside = _sizes(source)
        self._start = _aligned(_HEADER.size + structure)
        self._next = 0

    def _value(self, plain: Any, depth: int) -> Any:  # noqa: ANN401
        if depth > MAX_DEPTH:
            raise DataError(f"the value is nested more than {MAX_DEPTH} deep")
        if isinstance(plain, list):
            return [self._value(item, depth + 1) for item in plain]
        if not isinstance(plain, dict):
            return plain
        if _TAG not in plain:
            return {key: self._value(item, depth + 1) for key, item in plain.items()}
        if len(plain) != 1 or not isinstance(plain[_TAG], list):
            raise DataError("these bytes are not a value: an unknown kind of thing in them")
        name, *parts = plain[_TAG]
        if name in _OF_ITEMS:
            return _OF_ITEMS[name]([self._value(part, depth + 1) for part in parts])
        reader = _READERS.get(name) if isinstance(name, str) else None
        if reader is None:
            raise DataError("these bytes are not a value: an unknown kind of thing in them")
        return reader(self, *parts)

    def _int(self, text: str) -> int:
        return int(text, 16)

    def _str(self, offset: int, size: int) -> str:
        return self._source.read(*self._place(offset, size)).decode("utf-8", "surrogatepass")

    def _float(self, text: str) -> float:
        if text not in ("nan", "inf", "-inf"):
            raise DataError("these bytes are not a value: a strange float")
        return float(text)

    def _bytes(self, *where: Any) -> bytes:  # noqa: ANN401
        if len(where) == 1:
            return base64.b64decode(where[0], validate=True)
        return self._source.read(*self._place(*where))

    def _bytearray(self, *where: Any) -> bytearray:  # noqa: ANN401
        return bytearray(self._bytes(*where))

    def _array(self, dtype: str, shape: Any, offset: int, size: int) -> Any:  # noqa: ANN401
        if not isinstance(shape, list) or len(shape) > 32 or not all(type(n) is int and n >= 0 for n in shape):
            raise DataError("these bytes are not a value: a strange shape")
        if _item_size(dtype) * math.prod(shape) != size:
            raise DataError("these bytes are not a value: an array that does not fit its shape")
        array = Array(dtype, tuple(shape), self._source.view(*self._place(offset, size)))
        return _as_numpy(array) if self._source.native else array

    def _number(self, dtype: str, content: str) -> Any:  # noqa: ANN401
        raw = base64.b64decode(content, validate=True)
        if _item_size(dtype) != len(raw):
            raise DataError("these bytes are not a value: a strange number")
        number = Array(dtype, (), memoryview(raw))
        return _as_numpy(number)[()] if self._source.native else number

    def _place(self, offset: Any, size: Any) -> tuple[int, int]:  # noqa: ANN401 (not known to be numbers yet)
        # One after the other, each once: a buffer that many refer to would be copied for each of them.
        if {type(offset), type(size)} != {int} or offset != self._next or not 0 <= size <= self._beside - offset:
            raise DataError("these bytes are not a value: a buffer that is not there")
        self._next = offset + _aligned(size)
        return self._start + offset, size


def _apart(keys: list[Any]) -> list[Any]:
    """The keys, unless they were chosen to have one hash: then a table of them would take the square of their time."""
    if len(keys) > 64 and len(set(map(hash, keys))) < len(keys) // 8:
        raise DataError("these bytes are not a value: keys that were made to collide")
    return keys


_OF_ITEMS: dict[str, Any] = {
    "tuple": tuple,
    "set": lambda parts: set(_apart(parts)),
    "frozenset": lambda parts: frozenset(_apart(parts)),
    "dict": lambda parts: dict(parts) if _apart([key for key, _ in parts]) else {},
    "complex": lambda parts: complex(*parts),
}
_READERS: dict[str, Any] = {
    "str": _Reader._str,  # noqa: SLF001 (its own)
    "int": _Reader._int,  # noqa: SLF001
    "float": _Reader._float,  # noqa: SLF001
    "bytes": _Reader._bytes,  # noqa: SLF001
    "bytearray": _Reader._bytearray,  # noqa: SLF001
    "array": _Reader._array,  # noqa: SLF001
    "number": _Reader._number,  # noqa: SLF001
}


def _item_size(dtype: str) -> int:
    found = _DTYPE.fullmatch(dtype)
    if found is None:
        raise DataError("these bytes are not a value: a strange type of array")
    kind, size = [group for group in found.groups() if group is not None]
    return int(size) * (4 if kind == "U" else 1)


def _as_numpy(array: Array) -> Any:  # noqa: ANN401
    try:
        import numpy as np  # noqa: PLC0415 (only for those who have arrays)
    except ImportError:
        raise DataError("an array needs numpy in the interpreter that runs the call") from None
    return np.ndarray(array.shape, dtype=array.dtype, buffer=array.data)
