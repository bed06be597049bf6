"""How values of builtin types are compared, and those of the standard library: what is looked at, and in which order.

Subclasses have no say: their content is read by the methods of the builtin.
"""

from __future__ import annotations

import array
import builtins
import collections
import datetime as dt
import decimal
import enum
import functools
import io
import itertools
import logging
import math
import operator
import pathlib
import re
import types
import weakref

from .classes import dict_of, guarded, method_of, mro_of, same_type, title_of
from .differences import Found, Rules, of_lengths, of_texts, unequal
from .objects import ADDRESS, AT_ONCE, OBJECT, PLAIN, VALUE, elided, namespace, reduced, refusal, shown
from .pairing import Groups

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .classes import Foreign
    from .objects import Children, Entry, Reader
    from .walk import Walk

__all__ = ["READERS"]

_CHUNK = 4096
_ALL = slice(None)


# ── plain values ─────────────────────────────────────────────────────────────────────────────────────────────────


def _at_once(_: Walk, expected: Foreign, actual: Foreign) -> None:
    if expected is not actual and expected != actual:
        raise unequal(expected, actual)


def _int(_: Walk, expected: int, actual: int) -> None:
    if int.__ne__(expected, actual):
        raise unequal(int.__index__(expected), int.__index__(actual))


def _text(walk: Walk, expected: str, actual: str) -> None:
    if str.__ne__(expected, actual):
        left, right = str.__str__(expected), str.__str__(actual)
        if not walk.rules.same_text(left, right):
            raise of_texts(left, right)


def _bytes(_: Walk, expected: bytes, actual: bytes) -> None:
    if bytes.__ne__(expected, actual):
        raise of_texts(bytes.__getitem__(expected, _ALL), bytes.__getitem__(actual, _ALL))


def _bytearray(_: Walk, expected: bytearray, actual: bytearray) -> None:
    if bytearray.__ne__(expected, actual):
        raise of_texts(bytes(bytearray.__getitem__(expected, _ALL)), bytes(bytearray.__getitem__(actual, _ALL)))


def _float(walk: Walk, expected: float, actual: float) -> None:
    left, right = float.__float__(expected), float.__float__(actual)
    if not _same_float(walk.rules, left, right):
        raise unequal(left, right)


def _same_float(rules: Rules, left: float, right: float) -> bool:
    if left != left or right != right:  # noqa: PLR0124 (this is NaN)
        return left != left and right != right  # noqa: PLR0124
    if rules.rtol or rules.atol:
        return math.isclose(left, right, rel_tol=rules.rtol, abs_tol=rules.atol)
    return left == right and math.copysign(1.0, left) == math.copysign(1.0, right)


_REAL, _IMAGINARY = vars(complex)["real"].__get__, vars(complex)["imag"].__get__


def _complex(walk: Walk, expected: complex, actual: complex) -> None:
    for part in (_REAL, _IMAGINARY):
        if not _same_float(walk.rules, part(expected), part(actual)):
            raise unequal(complex(_REAL(expected), _IMAGINARY(expected)), complex(_REAL(actual), _IMAGINARY(actual)))


def _decimal(_: Walk, expected: decimal.Decimal, actual: decimal.Decimal) -> None:
    if decimal.Decimal.as_tuple(expected) != decimal.Decimal.as_tuple(actual):
        raise Found("value", decimal.Decimal.__str__(expected), decimal.Decimal.__str__(actual))


def _path(walk: Walk, expected: pathlib.PurePath, actual: pathlib.PurePath) -> None:
    left, right = pathlib.PurePath.__str__(expected), pathlib.PurePath.__str__(actual)
    if not walk.rules.same_text(left, right):
        raise of_texts(left, right)


def _memoryview(_: Walk, expected: memoryview, actual: memoryview) -> None:
    for name in ("format", "shape", "readonly"):
        if getattr(expected, name) != getattr(actual, name):
            raise unequal(getattr(expected, name), getattr(actual, name), f".{name}")
    if expected.tobytes() != actual.tobytes():
        raise of_texts(expected.tobytes(), actual.tobytes())


def _fields(kind: type, names: str) -> Reader:
    """For a type in C: these of its attributes are all there is to it."""
    reads = [(f".{name}", getattr(kind, name).__get__) for name in names.split()]

    def reader(_: Walk, expected: Foreign, actual: Foreign) -> Children:
        return ((name, read(expected), read(actual)) for name, read in reads)

    return reader


# ── containers ───────────────────────────────────────────────────────────────────────────────────────────────────


def _plain_kind(items: Any) -> type | None:
    """The one type of all these, if it is a plain one. No foreign code runs here."""
    kind = type(items[0]) if items else None
    plain = kind is float or id(kind) in PLAIN
    return kind if plain and all(map(operator.is_, map(type, items), itertools.repeat(kind))) else None


def _alike_at_once(left: Any, right: Any) -> bool:  # two lists or tuples of one length
    """Whether both hold the same plain values, all of one type. False may be wrong."""
    kind = _plain_kind(left)
    if kind is None or _plain_kind(right) is not kind:
        return False
    if kind is float:
        return array.array("d", left).tobytes() == array.array("d", right).tobytes()
    return bool(left == right)


def _chunks(left: Any, right: Any) -> Children:
    for start in range(0, len(left), _CHUNK):
        ours, theirs = left[start : start + _CHUNK], right[start : start + _CHUNK]
        if not _alike_at_once(ours, theirs):
            yield from zip(itertools.count(start), ours, theirs)


def _items(left: Any, right: Any) -> Children | None:
    size = len(left)
    if size != len(right):
        raise of_lengths(size, len(right), left, right)
    if size < 8:
        return zip(itertools.count(), left, right) if size else None
    return _chunks(left, right)


def _list(_: Walk, expected: list[Any], actual: list[Any]) -> Children | None:
    return _items(list.__getitem__(expected, _ALL), list.__getitem__(actual, _ALL))


def _tuple(_: Walk, expected: tuple[Any, ...], actual: tuple[Any, ...]) -> Children | None:
    left, right = tuple.__getitem__(expected, _ALL), tuple.__getitem__(actual, _ALL)
    if type(expected) is tuple:
        return _items(left, right)
    names = next((dict_of(one)["_fields"] for one in mro_of(type(expected)) if "_fields" in dict_of(one)), None)
    if type(names) is tuple and len(names) == len(left) == len(right) and all(type(name) is str for name in names):
        return zip([f".{name}" for name in names], left, right)
    return _items(left, right)


def _deque(_: Walk, expected: Any, actual: Any) -> Children:
    limit = vars(collections.deque)["maxlen"].__get__
    yield ".maxlen", limit(expected), limit(actual)
    left, right = (list(collections.deque.__iter__(one)) for one in (expected, actual))
    yield from _items(left, right) or ()


def _array(_: Walk, expected: Any, actual: Any) -> Children | None:
    code = vars(array.array)["typecode"].__get__
    if code(expected) != code(actual):
        raise unequal(code(expected), code(actual), ".typecode", "type")
    if array.array.tobytes(expected) == array.array.tobytes(actual):
        return None
    return _items(array.array.tolist(expected), array.array.tolist(actual))


def _dict(walk: Walk, expected: dict[Any, Any], actual: dict[Any, Any]) -> Children | None:
    left, right = dict.items(expected), dict.items(actual)
    return _entries(walk, [list(left), list(right)], ordered=walk.rules.dict_order)


def _ordered_dict(walk: Walk, expected: Any, actual: Any) -> Children | None:
    items = collections.OrderedDict.items
    return _entries(walk, [list(items(expected)), list(items(actual))], ordered=True)


def _defaultdict(walk: Walk, expected: Any, actual: Any) -> Children:
    factory = vars(collections.defaultdict)["default_factory"].__get__
    yield ".default_factory", factory(expected), factory(actual)
    yield from _dict(walk, expected, actual) or ()


def _keys_view(walk: Walk, expected: Any, actual: Any) -> Children | None:
    left, right = ([(key, None) for key in view] for view in (expected, actual))
    return _entries(walk, [left, right], ordered=walk.rules.dict_order)


def _items_view(walk: Walk, expected: Any, actual: Any) -> Children | None:
    return _entries(walk, [list(expected), list(actual)], ordered=walk.rules.dict_order)


def _values_view(walk: Walk, expected: Any, actual: Any) -> Children | None:
    left, right = list(expected), list(actual)
    return _items(left, right) if walk.rules.dict_order else _members(walk, left, right)


def _proxy(_: Walk, expected: Any, actual: Any) -> Children:
    import gc  # noqa: PLC0415 (only here: what a proxy stands for can be had by no other way than through foreign code)

    return zip(itertools.repeat(""), gc.get_referents(expected), gc.get_referents(actual))


def _entries(walk: Walk, sides: list[list[tuple[Any, Any]]], *, ordered: bool) -> Children | None:
    """Of two dicts: in order, where the keys are plain and come in one order; else each with its partner."""
    left, right = sides
    if len(left) == len(right) and all(map(_same_plain_key, left, right)):
        return ((("key", key), value, other) for (key, value), (_, other) in zip(left, right)) if left else None
    groups = Groups(walk, [key for key, _ in left], [key for key, _ in right], "keys")
    return groups.children(functools.partial(_with_values, walk, left, right, ordered))


def _same_plain_key(one: tuple[Any, Any], other: tuple[Any, Any]) -> bool:
    key, twin = one[0], other[0]
    kind = type(key)
    return kind is type(twin) and id(kind) in PLAIN and bool(key == twin)


def _with_values(
    _: Walk,
    left: list[tuple[Any, Any]],
    right: list[tuple[Any, Any]],
    ordered: bool,  # noqa: FBT001 (its own)
    groups: Groups,
) -> Children:
    partners = groups.partners()
    if ordered and any(map(operator.ne, partners, itertools.count())):
        raise Found("order", *(shown([key for key, _ in side]) for side in (left, right)))
    for (key, value), place in zip(left, partners):
        if id(type(key)) not in PLAIN:
            yield ("member", key), key, right[place][0]
        yield ("key", key), value, right[place][1]


def _set(walk: Walk, expected: Any, actual: Any) -> Children | None:
    base = set if issubclass(type(expected), set) else frozenset
    left, right = list(base.__iter__(expected)), list(base.__iter__(actual))
    kind = _plain_kind(left)
    if kind not in (None, float) and _plain_kind(right) is kind and set(left) == set(right):
        return None
    return _members(walk, left, right)


def _members(walk: Walk, left: list[Any], right: list[Any]) -> Children | None:
    return Groups(walk, left, right, "members").children(functools.partial(_with_members, left, right))


def _with_members(left: list[Any], right: list[Any], groups: Groups) -> Children:
    for member, place in zip(left, groups.partners()):
        yield ("member", member), member, right[place]


# ── objects that stand for something ─────────────────────────────────────────────────────────────────────────────


def _by_names(expected: Foreign, actual: Foreign, left: Any, right: Any) -> None:
    if expected is not actual and (left != right or not all(type(part) is str for part in left)):
        raise unequal(expected, actual)


def _class(_: Walk, expected: type, actual: type) -> None:
    if not same_type(expected, actual):
        raise unequal(expected, actual)


def _module(_: Walk, expected: Any, actual: Any) -> None:
    read = vars(types.ModuleType)["__dict__"].__get__
    _by_names(expected, actual, (read(expected).get("__name__"),), (read(actual).get("__name__"),))


def _logger(_: Walk, expected: logging.Logger, actual: logging.Logger) -> None:
    """A part of the process; what it holds is everyone's."""
    read = vars(logging.Filterer)["__dict__"].__get__
    _by_names(expected, actual, (read(expected).get("name"),), (read(actual).get("name"),))


def _function(walk: Walk, expected: Any, actual: Any) -> Children | None:
    left, right = ((one.__module__, one.__qualname__) for one in (expected, actual))
    if "<" not in expected.__qualname__ and "<" not in actual.__qualname__:
        _by_names(expected, actual, left, right)
        return None
    return _closures(walk, expected, actual)


def _closures(_: Walk, expected: Any, actual: Any) -> Children:
    for name in ("__code__", "__defaults__", "__kwdefaults__"):
        yield f".{name}", getattr(expected, name), getattr(actual, name)
    left, right = (one.__closure__ or () for one in (expected, actual))
    yield ".__closure__", left, right


def _cell(_: Walk, expected: Any, actual: Any) -> Children | None:
    held = []
    for cell in (expected, actual):
        try:
            held.append([cell.cell_contents])
        except ValueError:
            held.append([])
    return _items(*held)


def _native_function(walk: Walk, expected: Any, actual: Any) -> Children | None:
    """A function in C, or a method of something."""
    left, right = ((one.__name__, one.__qualname__) for one in (expected, actual))
    _by_names(expected, actual, left, right)
    return iter(((".__self__", getattr(expected, "__self__", None), getattr(actual, "__self__", None)),))


def _enum(_: Walk, expected: enum.Enum, actual: enum.Enum) -> Children:
    """By name, then by value: a candidate may have changed what a name stands for."""
    left, right = namespace(expected), namespace(actual)
    for name in ("_name_", "_value_"):
        yield f".{name.strip('_')}", left.get(name), right.get(name)


def _reference(_: Walk, expected: Any, actual: Any) -> Children:
    yield "()", weakref.ref.__call__(expected), weakref.ref.__call__(actual)


def _timezone(_: Walk, expected: dt.timezone, actual: dt.timezone) -> Children:
    yield "", expected.__getinitargs__(), actual.__getinitargs__()  # type: ignore[attr-defined]


def _only_type(_: Walk, __: Foreign, ___: Foreign) -> None:
    return None


def _file(_: Walk, expected: Any, actual: Any) -> Children:
    for name in ("closed", "mode", "name"):
        left, right = (guarded(getattr, one, name) for one in (expected, actual))
        if type(left) is not int or type(right) is not int:  # the number of a descriptor says nothing
            yield f".{name}", left, right
    yield ".tell()", *(guarded(lambda one=one: one.tell()) for one in (expected, actual))


def _buffer(_: Walk, expected: Any, actual: Any) -> Children:
    base = io.StringIO if issubclass(type(expected), io.StringIO) else io.BytesIO
    for read in ("getvalue", "tell"):  # None for one that is closed
        yield f".{read}()", *(guarded(getattr(base, read), one) for one in (expected, actual))


# ── exceptions ───────────────────────────────────────────────────────────────────────────────────────────────────

_STATE_IN_C: list[tuple[type, str]] = [
    (OSError, "errno strerror filename filename2"),
    (UnicodeEncodeError, "object start end reason"),
    (UnicodeDecodeError, "object start end reason"),
    (UnicodeTranslateError, "object start end reason"),
    (SyntaxError, "msg filename lineno offset text"),
    (ImportError, "name"),
    (SystemExit, "code"),
    (StopIteration, "value"),
]
_GROUP: Any = getattr(builtins, "BaseExceptionGroup", None)
_OF_EXCEPTION = {
    name: vars(BaseException)[name].__get__ for name in ("args", "__cause__", "__context__", "__suppress_context__")
}


def _exception(walk: Walk, expected: BaseException, actual: BaseException) -> Children:
    if walk.rules.messages:
        yield from _said(walk, expected, actual)
    if _GROUP is not None and issubclass(type(expected), _GROUP):
        read = vars(_GROUP)["exceptions"].__get__
        yield ".exceptions", read(expected), read(actual)
    yield ".__cause__", *map(_OF_EXCEPTION["__cause__"], (expected, actual))
    left, right = _context(expected), _context(actual)
    if (left is None) != (right is None) or not same_type(type(left), type(right)):
        raise unequal(left, right, ".__context__", "exception")


def _said(walk: Walk, expected: BaseException, actual: BaseException) -> Children:
    yield ".args", *(_unaddressed(_OF_EXCEPTION["args"](one)) for one in (expected, actual))
    for kind, names in _STATE_IN_C:
        if issubclass(type(expected), kind):
            for name in names.split():
                read = vars(kind)[name].__get__
                yield f".{name}", guarded(read, expected), guarded(read, actual)
    yield from walk.state(expected, actual) or ()
    left, right = _message(expected), _message(actual)
    if not walk.rules.same_text(left, right):
        raise Found("exception", elided(left), elided(right))


def _context(error: BaseException) -> BaseException | None:
    read = _OF_EXCEPTION
    return None if read["__suppress_context__"](error) else read["__context__"](error)


def _unaddressed(args: Any) -> Any:
    """Texts without the addresses of objects, which are never the same twice."""
    if not any(type(part) is str and " at 0x" in part for part in args):
        return args
    return tuple(ADDRESS.sub("", part) if type(part) is str else part for part in args)


def _message(error: BaseException) -> str:
    """What a class of the user's makes of an exception in words; "" where it leaves that to Python."""
    method = method_of(type(error), "__str__")
    if type(method) is not types.FunctionType:
        return ""
    try:
        text = method(error)
        return ADDRESS.sub("", text) if type(text) is str else f"<{title_of(type(text))}>"
    except Exception as raised:
        return refusal(raised)


# ── iterators ────────────────────────────────────────────────────────────────────────────────────────────────────


def _iterator(_: Walk, expected: Any, actual: Any) -> Children | None:
    """By what is left in them. They are asked how to be made anew, which does not move them."""
    left, right = reduced(expected), reduced(actual)
    if left is None or right is None:
        return None
    rest, other = _rest(left), _rest(right)
    if rest is None or other is None:
        return iter(((".__reduce__()", left, right),))
    if "set" in type(expected).__name__:
        rest, other = set(rest), set(other)
    return iter((("", rest, other),))


def _rest(parts: Any) -> Any:
    """What is to come of an iterator over a builtin; None where it is over something else."""
    function, arguments, *place = parts
    if function not in (iter, reversed) or type(arguments[0]) not in (list, tuple, str, bytes, bytearray, range):
        return None
    index = place[0] if place and type(place[0]) is int else 0
    return arguments[0][index::-1] if function is reversed else arguments[0][index:]


# ── who is read how ──────────────────────────────────────────────────────────────────────────────────────────────


def _table_of_readers() -> dict[int, Entry]:
    singles = (bool, type(None), type(Ellipsis), type(NotImplemented))
    methods = (str.join, "".join, str.__add__, "".__add__, vars(dict)["fromkeys"])
    natives = [type(len), *map(type, methods)]
    readers: list[tuple[Any, Entry]] = [
        *((kind, (_at_once, AT_ONCE, True)) for kind in singles),
        (int, (_int, AT_ONCE, False)),
        (str, (_text, AT_ONCE, False)),
        (bytes, (_bytes, AT_ONCE, False)),
        (float, (_float, AT_ONCE, False)),
        (complex, (_complex, AT_ONCE, False)),
        (bytearray, (_bytearray, OBJECT, False)),
        (memoryview, (_memoryview, VALUE, True)),
        (decimal.Decimal, (_decimal, AT_ONCE, False)),
        (pathlib.PurePath, (_path, AT_ONCE, True)),
        (list, (_list, OBJECT, False)),
        (tuple, (_tuple, VALUE, False)),
        (dict, (_dict, OBJECT, False)),
        (collections.OrderedDict, (_ordered_dict, OBJECT, False)),
        (collections.defaultdict, (_defaultdict, OBJECT, False)),
        (collections.deque, (_deque, OBJECT, False)),
        (array.array, (_array, OBJECT, False)),
        (set, (_set, OBJECT, False)),
        (frozenset, (_set, VALUE, False)),
        (types.MappingProxyType, (_proxy, VALUE, True)),
        (BaseException, (_exception, OBJECT, True)),
        (enum.Enum, (_enum, VALUE, True)),
        (type, (_class, AT_ONCE, True)),
        (types.ModuleType, (_module, AT_ONCE, True)),
        (types.FunctionType, (_function, VALUE, True)),
        (types.CellType, (_cell, VALUE, True)),
        (logging.Logger, (_logger, AT_ONCE, True)),
        (weakref.ref, (_reference, VALUE, False)),
        (dt.timezone, (_timezone, VALUE, True)),
        *((kind, (_native_function, VALUE, True)) for kind in natives),
        *((kind, (_buffer, OBJECT, False)) for kind in (io.StringIO, io.BytesIO)),
        *_readers_of_views(),
        *_readers_by_fields(),
        *((kind, (_iterator, OBJECT, False)) for kind in _iterators()),
        *((kind, (_only_type, OBJECT, True)) for kind in _RUNNING),
        *((kind, (_file, OBJECT, True)) for kind in _FILES),
    ]
    return {id(kind): entry for kind, entry in readers}


_RUNNING = (types.GeneratorType, types.CoroutineType, types.AsyncGeneratorType, types.FrameType, types.TracebackType)
_FILES = (io.FileIO, io.BufferedReader, io.BufferedWriter, io.BufferedRandom, io.BufferedRWPair, io.TextIOWrapper)


def _readers_of_views() -> list[tuple[Any, Entry]]:
    readers = (_keys_view, _values_view, _items_view)
    dicts: tuple[Any, ...] = ({}, collections.OrderedDict())
    views = [view for one in dicts for view in (one.keys(), one.values(), one.items())]
    return [(type(view), (reader, VALUE, True)) for view, reader in zip(views, readers * 2)]


def _readers_by_fields() -> list[tuple[Any, Entry]]:
    date, time = "year month day", "hour minute second microsecond fold tzinfo"
    code = "co_code co_consts co_names co_varnames co_freevars co_cellvars co_flags"
    counts = "co_argcount co_posonlyargcount co_kwonlyargcount"
    fields: list[tuple[Any, str, bool]] = [
        (dt.date, date, False),
        (dt.time, time, False),
        (dt.datetime, f"{date} {time}", False),
        (dt.timedelta, "days seconds microseconds", False),
        (slice, "start stop step", True),
        (range, "start stop step", True),
        (re.Pattern, "pattern flags", True),
        (re.Match, "re string regs pos endpos lastindex", True),
        (types.CodeType, f"{code} {counts}", True),
        (types.MethodType, "__func__ __self__", True),
        (types.GenericAlias, "__origin__ __args__", True),
        (property, "fget fset fdel", False),
        (staticmethod, "__func__", True),
        (classmethod, "__func__", True),
    ]
    return [(kind, (_fields(kind, names), VALUE, whole)) for kind, names, whole in fields]


def _iterators() -> list[type]:
    over: list[Any] = [[], (), "", "ä", b"", bytearray(), range(1), range(1 << 70), set(), {}, {}.values(), {}.items()]
    of_itertools = [kind for kind in vars(itertools).values() if type(kind) is type and hasattr(kind, "__next__")]
    both_ways: list[Any] = [[], {}, {}.values(), {}.items()]
    backwards = [type(reversed(one)) for one in both_ways]
    return [*(type(iter(one)) for one in over), map, filter, zip, enumerate, reversed, *backwards, *of_itertools]


READERS = _table_of_readers()
