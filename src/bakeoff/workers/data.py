"""Values as data: what may cross between us and a candidate, and nothing that runs when it is read.

A candidate's result is written by code that the candidate controls. So the form is JSON, the reader builds only the
types below, and size and depth are bounded. Pickle is not used anywhere.

    None, bool, int, str, list      as JSON has them
    float                           as JSON has them; nan and infinities as {"": ["float", "nan"]}
    bytes, tuple, set, frozenset    {"": ["bytes", base64]}, {"": ["tuple", …items]} and so on
    dict with plain str keys        an object; any other dict {"": ["dict", [key, value], …]}
    complex                         {"": ["complex", real, imaginary]}

Subclasses are refused: an IntEnum that came back as an int would be a lie. Plain Python ≥ 3.9, standard library only.
"""

from __future__ import annotations

import base64
import binascii
import json
import math
from typing import Any

__all__ = ["DataError", "decode", "encode"]

MAX_DEPTH = 200
_TAG = ""


class DataError(ValueError):
    """Raised for a value that is not data, or for bytes that are not a value; says which and why."""


def encode(value: object) -> bytes:
    """The value as bytes; raises DataError where it, or something in it, is not data."""
    return json.dumps(_plain(value, 0), separators=(",", ":"), allow_nan=False).encode("utf-8", "surrogatepass")


def decode(data: bytes) -> Any:  # noqa: ANN401 (any data at all)
    """The value that was encoded; raises DataError, and nothing else, for whatever is not one."""
    try:
        return _value(json.loads(data.decode("utf-8", "surrogatepass")), 0)
    except DataError:
        raise
    except (ValueError, TypeError, RecursionError, OverflowError, MemoryError, binascii.Error) as error:
        raise DataError(f"these bytes are not a value: {type(error).__name__}: {error}") from None


def _plain(value: object, depth: int) -> Any:  # noqa: ANN401
    if depth > MAX_DEPTH:
        raise DataError(f"the value is nested more than {MAX_DEPTH} deep")
    kind = type(value)
    if value is None or kind in (bool, int, str):
        return value
    if kind is float:
        return value if math.isfinite(value) else {_TAG: ["float", repr(value)]}  # type: ignore[arg-type]
    writer = _WRITERS.get(kind)
    if writer is None:
        raise DataError(f"a value of type {kind.__module__}.{kind.__qualname__} is not data")
    return writer(value, depth + 1)


def _plain_dict(value: dict[Any, Any], depth: int) -> Any:  # noqa: ANN401
    if all(type(key) is str for key in value) and _TAG not in value:
        return {key: _plain(item, depth) for key, item in value.items()}
    return {_TAG: ["dict", *([_plain(key, depth), _plain(item, depth)] for key, item in value.items())]}


def _tagged(name: str) -> Any:  # noqa: ANN401
    return lambda value, depth: {_TAG: [name, *(_plain(item, depth) for item in value)]}


_WRITERS: dict[type, Any] = {
    list: lambda value, depth: [_plain(item, depth) for item in value],
    tuple: _tagged("tuple"),
    set: _tagged("set"),
    frozenset: _tagged("frozenset"),
    dict: _plain_dict,
    bytes: lambda value, _: {_TAG: ["bytes", base64.b64encode(value).decode()]},
    complex: lambda value, depth: {_TAG: ["complex", _plain(value.real, depth), _plain(value.imag, depth)]},
}


def _value(plain: Any, depth: int) -> Any:  # noqa: ANN401
    if depth > MAX_DEPTH:
        raise DataError(f"the value is nested more than {MAX_DEPTH} deep")
    if isinstance(plain, list):
        return [_value(item, depth + 1) for item in plain]
    if not isinstance(plain, dict):
        return plain
    if _TAG not in plain:
        return {key: _value(item, depth + 1) for key, item in plain.items()}
    if len(plain) != 1 or not isinstance(plain[_TAG], list) or plain[_TAG][0] not in _READERS:
        raise DataError("these bytes are not a value: an unknown kind of thing in them")
    name, *parts = plain[_TAG]
    return _READERS[name]([_value(part, depth + 1) for part in parts])


def _float(parts: list[Any]) -> float:
    if parts not in (["nan"], ["inf"], ["-inf"]):
        raise DataError("these bytes are not a value: a strange float")
    return float(parts[0])


_READERS: dict[str, Any] = {
    "float": _float,
    "bytes": lambda parts: base64.b64decode(parts[0], validate=True),
    "tuple": tuple,
    "set": set,
    "frozenset": frozenset,
    "dict": dict,
    "complex": lambda parts: complex(*parts),
}
