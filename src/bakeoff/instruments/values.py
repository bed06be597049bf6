"""What inputs are made of: the arguments of a call, values that stand in for others, and how any value is handled.

A value is taken apart and put together by its `Shape`; so it is grown, made small and written by who knows nothing of
its type. All values are foreign: whatever is done with them may raise, and `attempt` makes NOTHING of that. Nothing
here depends on hash seeds or on addresses. Plain Python ≥ 3.9, standard library only.
"""

from __future__ import annotations

import collections
import copy
import dataclasses
import datetime as dt
import decimal
import enum
import fractions
import functools
import hashlib
import io
import pathlib
import re
import sys
import types
import uuid

from . import recordings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from typing import Any

__all__ = [
    "BUFFERS",
    "KEYS",
    "LITERAL",
    "NOTHING",
    "STATE",
    "Arguments",
    "Fingerprints",
    "Group",
    "Indexed",
    "Interrupted",
    "Interrupting",
    "Items",
    "Keyed",
    "Lineage",
    "Octets",
    "OneShot",
    "Raising",
    "Real",
    "Row",
    "Shape",
    "Step",
    "Stream",
    "Table",
    "Text",
    "Whole",
    "attempt",
    "copied",
    "is_array",
    "is_mutable",
    "is_resizable",
    "parts_of",
    "rebuilt",
    "shape_of",
    "with_part",
]

# What is not there, and counts as false; None is a value like any other.
NOTHING: Any = type("Nothing", (), {"__slots__": (), "__bool__": lambda _: False, "__repr__": lambda _: "NOTHING"})()
# The type of a dict's keys, which has no name.
KEYS: type = type({}.keys())
# Types whose repr says all, and says it of no other value.
LITERAL = frozenset({type(None), bool, int, float, complex, str, bytes, type(Ellipsis), range})
# Files that are none.
BUFFERS: tuple[type, ...] = (io.BytesIO, io.StringIO)


@dataclasses.dataclass(frozen=True)
class Arguments:
    """What a call is made with; the receiver of a method comes first. The objects in it are live.

    A slot is an index of `positional` or a name of `keywords`.
    """

    positional: tuple[Any, ...] = ()
    keywords: dict[str, Any] = dataclasses.field(default_factory=dict)

    def slots(self) -> list[tuple[int | str, Any]]:
        return [*enumerate(self.positional), *self.keywords.items()]

    def at(self, slot: int | str) -> Any:
        return self.keywords[slot] if isinstance(slot, str) else self.positional[slot]

    def replaced(self, slot: int | str, value: Any) -> Arguments:
        if isinstance(slot, str):
            return Arguments(self.positional, {**self.keywords, slot: value})
        return Arguments((*self.positional[:slot], value, *self.positional[slot + 1 :]), self.keywords)

    def copied(self) -> Arguments:
        """With objects of their own, shared as these are."""
        memo: dict[int, Any] = {}
        positional = tuple([copied(value, memo) for value in self.positional])
        return Arguments(positional, {name: copied(value, memo) for name, value in self.keywords.items()})


def attempt(function: Callable[..., Any], *arguments: Any, **keywords: Any) -> Any:
    """What the function gives, or NOTHING where it raises: what is done with values of others may do anything."""
    try:
        return function(*arguments, **keywords)
    except Exception:
        return NOTHING


# ── values of our own: by reference in pickles, so they stand at the top of the module ────────────────────────────


class Interrupted(Exception):
    """Raised by what is generated, never by a project: an iterable or a callback that breaks off."""


class Text(str):
    """A str that is not exactly a str."""

    __slots__ = ()


class Whole(int):
    """An int that is not exactly an int."""


class Real(float):
    """A float that is not exactly a float."""

    __slots__ = ()


class Octets(bytes):
    """Bytes that are not exactly bytes."""


class Items(list):  # type: ignore[type-arg]
    """A list that is not exactly a list."""


class Row(tuple):  # type: ignore[type-arg]
    """A tuple that is not exactly a tuple."""

    __slots__ = ()


class Table(dict):  # type: ignore[type-arg]
    """A dict that is not exactly a dict."""


class Group(set):  # type: ignore[type-arg]
    """A set that is not exactly a set."""


class OneShot:
    """An iterator over values: what was taken from it is gone. Whoever takes it for a generator may close it."""

    def __init__(self, values: Iterable[Any]) -> None:
        self.values = list(values)

    def __iter__(self) -> OneShot:
        return self

    def __next__(self) -> Any:
        if not self.values:
            raise StopIteration
        return self.values.pop(0)

    def send(self, _: Any) -> Any:
        return next(self)

    def throw(self, error: BaseException) -> Any:
        self.close()
        raise error

    def close(self) -> None:
        self.values.clear()


class Stream:
    """The same, asynchronous."""

    def __init__(self, values: Iterable[Any]) -> None:
        self.values = list(values)

    def __aiter__(self) -> Stream:
        return self

    async def __anext__(self) -> Any:
        if not self.values:
            raise StopAsyncIteration
        return self.values.pop(0)

    async def asend(self, _: Any) -> Any:
        return await self.__anext__()

    async def athrow(self, error: BaseException) -> Any:
        await self.aclose()
        raise error

    async def aclose(self) -> None:
        self.values.clear()


class Interrupting:
    """An iterable that raises Interrupted after so many items, each time anew."""

    def __init__(self, values: Iterable[Any], after: int) -> None:
        self.values = list(values)
        self.after = after

    def __iter__(self) -> Iterator[Any]:
        yield from self.values[: self.after]
        raise Interrupted(f"after {self.after} items")


class Indexed:
    """A sequence by its length and its indices, and by nothing else."""

    def __init__(self, values: Iterable[Any]) -> None:
        self.values = list(values)

    def __len__(self) -> int:
        return len(self.values)

    def __getitem__(self, index: Any) -> Any:
        return self.values[index]


class Keyed:
    """A mapping by its keys and its items, and by nothing else."""

    def __init__(self, values: dict[Any, Any]) -> None:
        self.values = dict(values)

    def keys(self) -> list[Any]:
        return list(self.values)

    def __getitem__(self, key: Any) -> Any:
        return self.values[key]


class Lineage:
    """Stands for an object, by how it came to be: the name of its class, and the calls that made it what it is, each by
    the method's name and its arguments as bytes (see `lineage.py`). The first of them is the one that made it.

    Its parts are that first step, and a list of the others: so histories are grown and shrunk like anything else.
    """

    def __init__(self, module: str, name: str, steps: tuple[tuple[str, bytes], ...]) -> None:
        self.module = module
        self.name = name
        self.steps = steps


class Step:
    """One call in a lineage, with its arguments as objects."""

    def __init__(self, method: str, positional: tuple[Any, ...], keywords: dict[str, Any]) -> None:
        self.method = method
        self.positional = positional
        self.keywords = keywords


class Raising:
    """A function that answers so many calls, and raises Interrupted from then on."""

    def __init__(self, function: Callable[..., Any], after: int) -> None:
        self.function = function
        self.after = after
        self.calls = 0

    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        self.calls += 1
        if self.calls > self.after:
            raise Interrupted(f"at call {self.calls}")
        return self.function(*arguments, **keywords)


# ── shapes: how values are taken apart and put together again ─────────────────────────────────────────────────────


class Shape:
    """How values of a type are taken apart and put together; either may raise what foreign code raises.

    kind "items": any number of parts; "entries": key, value, key, value, …; "fields": as many as there are names.
    """

    __slots__ = ("apart", "kind", "names", "together")

    def __init__(
        self,
        kind: str,
        apart: Callable[[Any], list[Any]],
        together: Callable[[Any, Sequence[Any]], Any],
        names: Callable[[Any], list[str]] = lambda _: [],
    ) -> None:
        self.kind = kind
        self.apart = apart
        self.together = together
        self.names = names


def shape_of(value: Any) -> Shape | None:
    """How this value is taken apart; None for what is looked at as a whole."""
    cls = type(value)
    try:
        return _SHAPES[cls]
    except KeyError:
        pass
    except Exception:
        return None
    shape = attempt(_shape_of_class, cls, value) or None
    if len(_SHAPES) < 5_000:
        _SHAPES[cls] = shape
    return shape


def parts_of(value: Any) -> list[Any]:
    """The parts of a value that has a shape, in a list of their own."""
    return shape_of(value).apart(value)  # type: ignore[union-attr]


def rebuilt(value: Any, parts: Iterable[Any]) -> Any:
    """A value like this one, of these parts."""
    return shape_of(value).together(value, list(parts))  # type: ignore[union-attr]


def with_part(value: Any, path: Sequence[int], new: Any) -> Any:
    """The value with another part at the end of the path; along the path, everything is new."""
    if not path:
        return new
    parts = parts_of(value)
    parts[path[0]] = with_part(parts[path[0]], path[1:], new)
    return rebuilt(value, parts)


def is_resizable(value: Any) -> bool:
    shape = shape_of(value)
    return shape is not None and shape.kind != "fields"


def is_mutable(value: Any) -> bool:
    return type(value) is bytearray or (shape_of(value) is not None and not isinstance(value, (tuple, frozenset)))


def is_array(value: Any) -> bool:
    """Whether it is exactly an array of numpy, which nobody has imported but those who have one."""
    numpy = sys.modules.get("numpy")
    return numpy is not None and type(value) is getattr(numpy, "ndarray", None)


def _entries(value: Any) -> list[Any]:
    return [part for entry in dict.items(value) for part in entry]


def _paired(parts: Sequence[Any]) -> dict[Any, Any]:
    return dict(zip(parts[::2], parts[1::2]))


def _members(value: Any) -> list[Any]:
    """In an order that does not come from hashes."""
    members = list(value)
    return members if len(members) < 2 else sorted(members, key=Fingerprints().of)


def _of_values(build: Callable[[Any, list[Any]], Any]) -> Shape:
    """The shape of our own classes that hold a list."""
    return Shape("items", lambda value: list(value.values), lambda value, parts: build(value, list(parts)))


def _steps(value: Lineage) -> list[Any]:
    first, *others = [Step(method, *recordings.loads(blob)) for method, blob in value.steps]
    return [first, others]


def _of_steps(value: Lineage, parts: Sequence[Any]) -> Lineage:
    first, others = parts
    if first.method != value.steps[0][0] or type(others) is not list:
        raise ValueError("something else makes such objects")
    steps = [(step.method, recordings.dumps((step.positional, step.keywords))) for step in (first, *others)]
    return Lineage(value.module, value.name, tuple(steps))


def _of_content(value: Any, parts: Sequence[Any]) -> Any:
    made = type(value)(parts[0])
    made.seek(min(value.tell(), len(parts[0])))
    return made


def _with_arguments(value: Step, parts: Sequence[Any]) -> Step:
    many = len(value.positional)
    return Step(value.method, tuple(parts[:many]), dict(zip(value.keywords, parts[many:])))


_SHAPES: dict[type, Shape | None] = {
    Lineage: Shape("fields", _steps, _of_steps, lambda _: ["made", "since"]),
    Step: Shape(
        "fields",
        lambda value: [*value.positional, *value.keywords.values()],
        _with_arguments,
        lambda value: [*map(str, range(len(value.positional))), *value.keywords],
    ),
    **dict.fromkeys(BUFFERS, Shape("fields", lambda value: [value.getvalue()], _of_content, lambda _: ["content"])),
    list: Shape("items", list, lambda _, parts: list(parts)),
    tuple: Shape("items", list, lambda _, parts: tuple(parts)),
    collections.deque: Shape("items", list, lambda value, parts: collections.deque(parts, value.maxlen)),
    set: Shape("items", _members, lambda _, parts: set(parts)),
    frozenset: Shape("items", _members, lambda _, parts: frozenset(parts)),
    dict: Shape("entries", _entries, lambda _, parts: _paired(parts)),
    collections.OrderedDict: Shape("entries", _entries, lambda _, parts: collections.OrderedDict(_paired(parts))),
    collections.defaultdict: Shape(
        "entries", _entries, lambda value, parts: collections.defaultdict(value.default_factory, _paired(parts))
    ),
    collections.Counter: Shape("entries", _entries, lambda _, parts: collections.Counter(_paired(parts))),
    OneShot: _of_values(lambda _, parts: OneShot(parts)),
    Stream: _of_values(lambda _, parts: Stream(parts)),
    Indexed: _of_values(lambda _, parts: Indexed(parts)),
    Interrupting: _of_values(lambda value, parts: Interrupting(parts, value.after)),
    Keyed: Shape("entries", lambda value: _entries(value.values), lambda _, parts: Keyed(_paired(parts))),
}
# Whole values, though some of them have fields.
_WHOLE = (
    type,
    enum.Enum,
    BaseException,
    dt.tzinfo,
    fractions.Fraction,
    pathlib.PurePath,
    uuid.UUID,
    decimal.Decimal,
    types.ModuleType,
    functools.partial,
    Raising,
    KEYS,
)
_OWN_COPYING = ("__deepcopy__", "__copy__", "__getstate__", "__setstate__", "__getnewargs__", "__getnewargs_ex__")


def _shape_of_class(cls: type, value: Any) -> Shape | None:
    if issubclass(cls, _WHOLE):
        return None
    if issubclass(cls, tuple) and isinstance(getattr(cls, "_fields", None), tuple):
        return _shape_of_named(cls)
    for kind in (tuple, list, set, frozenset, collections.deque, dict):
        if issubclass(cls, kind):
            apart = _entries if kind is dict else _members if kind in {set, frozenset} else _listed(kind)
            return Shape("entries" if kind is dict else "items", apart, _contents(kind))
    if "__dataclass_fields__" in cls.__dict__:
        return _shape_of_dataclass(cls)
    if "__attrs_attrs__" in cls.__dict__:
        return _shape_of_attrs(cls)
    return _shape_of_object(cls, value)


def _listed(kind: Any) -> Callable[[Any], list[Any]]:
    return lambda value: list(kind.__iter__(value))


def _contents(kind: Any) -> Callable[[Any, Sequence[Any]], Any]:
    """Puts contents into an instance of a subclass without its __init__, and gives it the state that it had."""

    def together(value: Any, parts: Sequence[Any]) -> Any:
        given: Any = _paired(parts) if kind is dict else parts
        if kind in {tuple, frozenset}:
            made = kind.__new__(type(value), given)
        else:
            made = kind.__new__(type(value))
            kind.__init__(made, given)
        if issubclass(type(value), collections.defaultdict):
            made.default_factory = value.default_factory
        for name in _names(value):
            object.__setattr__(made, name, object.__getattribute__(value, name))
        return made

    return together


def _shape_of_named(cls: Any) -> Shape:
    names = list(cls._fields)
    return Shape("fields", _listed(tuple), lambda _, parts: tuple.__new__(cls, parts), lambda _: names)


def _shape_of_dataclass(cls: Any) -> Shape | None:
    """Built by its own __init__, so that what it derives and forbids stays so."""
    if len(dataclasses.fields(cls)) != len(cls.__dataclass_fields__):
        return STATE  # it has parameters that are no fields, and would miss them
    names = [name for name, field in cls.__dataclass_fields__.items() if field.init]
    return _built(cls, names, names)


def _shape_of_attrs(cls: Any) -> Shape:
    fields = [field for field in cls.__attrs_attrs__ if field.init]
    passed = [getattr(field, "alias", None) or field.name.lstrip("_") for field in fields]
    return _built(cls, [field.name for field in fields], passed)


def _built(cls: Any, names: list[str], passed: list[str]) -> Shape:
    return Shape(
        "fields",
        lambda value: [object.__getattribute__(value, name) for name in names],
        lambda _, parts: cls(**dict(zip(passed, parts))),
        lambda _: names,
    )


def _shape_of_object(cls: Any, value: Any) -> Shape | None:
    if cls.__reduce_ex__ is not object.__reduce_ex__ or cls.__reduce__ is not object.__reduce__:
        return None
    # A class that says itself how it is copied has something that is no plain state.
    if any(getattr(cls, name, None) is not getattr(object, name, None) for name in _OWN_COPYING):
        return None
    if callable(value) and not _names(value):
        return None
    return STATE if attempt(object.__new__, cls) is not NOTHING else None


def _with_state(value: Any, parts: Sequence[Any]) -> Any:
    made = object.__new__(type(value))
    for name, part in zip(_names(value), parts):
        object.__setattr__(made, name, part)
    return made


def _names(value: Any) -> list[str]:
    """The fields that it has, without running any code of its class."""
    names: list[str] = []
    for cls in type(value).__mro__:
        slots = cls.__dict__.get("__slots__", ())
        for slot in (slots,) if isinstance(slots, str) else tuple(slots):
            name = f"_{cls.__name__.lstrip('_')}{slot}" if slot.startswith("__") and not slot.endswith("__") else slot
            if name not in {"__dict__", "__weakref__"} and attempt(object.__getattribute__, value, name) is not NOTHING:
                names.append(name)
    state = attempt(object.__getattribute__, value, "__dict__")
    if type(state) is dict:
        names += [name for name in state if type(name) is str]
    return names


# What an object is by its fields alone, whatever its class would say.
STATE = Shape(
    "fields", lambda value: [object.__getattribute__(value, name) for name in _names(value)], _with_state, _names
)
_UNCHANGING = LITERAL | {
    type,
    types.FunctionType,
    types.BuiltinFunctionType,
    types.ModuleType,
    decimal.Decimal,
    fractions.Fraction,
    dt.date,
    dt.time,
    dt.timedelta,
    dt.timezone,
    uuid.UUID,
    re.Pattern,
    slice,
    type(NotImplemented),
    Lineage,
}


def copied(value: Any, memo: dict[int, Any] | None = None) -> Any:
    """A new value equal to this one, with the same sharing of parts; parts that cannot be copied are kept."""
    memo = {} if memo is None else memo
    kind = type(value)
    if kind in _UNCHANGING:
        return value
    known = memo.get(id(value), NOTHING)
    if known is not NOTHING:
        return known
    plain = _COPIES.get(kind)
    if plain is None:
        return _copied_foreign(value, memo)
    made = attempt(plain, value, memo)
    # A hash or an equality may have raised, or the value may be nested too deeply.
    return value if made is NOTHING else made


def _copied_list(value: list[Any], memo: dict[int, Any]) -> list[Any]:
    made: list[Any] = []
    memo[id(value)] = made
    made.extend([part if type(part) in LITERAL else copied(part, memo) for part in value])
    return made


def _copied_dict(value: dict[Any, Any], memo: dict[int, Any]) -> dict[Any, Any]:
    made: dict[Any, Any] = {}
    memo[id(value)] = made
    for key, part in value.items():
        made[copied(key, memo)] = copied(part, memo)
    return made


def _copied_keys(value: Any, memo: dict[int, Any]) -> Any:
    return dict.fromkeys(copied(key, memo) for key in value).keys()


def _copied_frozen(value: Any, memo: dict[int, Any]) -> Any:
    made = type(value)([copied(part, memo) for part in value])
    return memo.setdefault(id(value), made)


_COPIES: dict[type, Callable[[Any, dict[int, Any]], Any]] = {
    list: _copied_list,
    dict: _copied_dict,
    tuple: _copied_frozen,
    set: _copied_frozen,
    frozenset: _copied_frozen,
    KEYS: _copied_keys,
}


def _copied_foreign(value: Any, memo: dict[int, Any]) -> Any:
    met = dict(memo)
    made = attempt(copy.deepcopy, value, met)
    if made is not NOTHING:
        # What deepcopy holds on to, so that no other object gets its id, has to last as long as our memo.
        kept = met.pop(id(met), ())
        memo.update(met)
        memo.setdefault(id(memo), []).extend(kept)
        if is_array(value):
            made.flags.writeable = value.flags.writeable
        return made
    if shape_of(value) is not None:
        # One of its parts cannot be copied; the others can.
        made = attempt(lambda: rebuilt(value, [copied(part, memo) for part in parts_of(value)]))
    if made is NOTHING:
        made = attempt(copy.copy, value)
    made = value if made is NOTHING else made
    memo[id(value)] = made
    return made


class Fingerprints:
    """Texts that are equal for values with equal types, contents and sharing, and for no others.

    What has no contents that can be read is told apart by identity, and kept alive so that identities stay unique.
    """

    def __init__(self) -> None:
        self._opaque: dict[int, tuple[str, Any]] = {}

    def of(self, value: Any) -> str:
        if type(value) in LITERAL:
            return repr(value)
        written: list[str] = []
        self._write(value, written, {}, 0)
        return "".join(written)

    def digest(self, value: Any) -> bytes:
        """The same, short."""
        return hashlib.blake2b(self.of(value).encode("utf-8", "surrogatepass"), digest_size=16).digest()

    def _write(self, value: Any, written: list[str], met: dict[int, int], depth: int) -> None:
        kind = type(value)
        if kind in LITERAL:
            written.append(repr(value))
            return
        if id(value) in met:
            written.append(f"^{met[id(value)]}")
            return
        # Two equal tuples are the same for everybody; two equal lists are not.
        if kind not in _SHARED_FREELY and not issubclass(kind, enum.Enum):
            met[id(value)] = len(met)
        if kind in {list, tuple} and LITERAL.issuperset(map(type, value)):
            written.append(repr(value))
            return
        shape = shape_of(value) if depth < 100 else None
        parts = NOTHING if shape is None else attempt(shape.apart, value)
        if shape is None or parts is NOTHING:
            written.append(self._whole(value))
            return
        written.append(f"{kind.__module__}.{kind.__qualname__}{self._aside(value, shape)}(")
        for part in parts:
            self._write(part, written, met, depth + 1)
            written.append(",")
        written.append(")")

    def _aside(self, value: Any, shape: Shape) -> str:
        """What belongs to a value beside its parts."""
        if shape.kind == "fields":
            of = value.method if type(value) is Step else value.name if type(value) is Lineage else ""
            return f":{of}:" + ",".join(attempt(shape.names, value) or ())
        if isinstance(value, collections.deque):
            return f":{value.maxlen}"
        return f":{value.after}" if type(value) is Interrupting else ""

    def _whole(self, value: Any) -> str:
        kind = type(value)
        written = _WRITTEN.get(kind)
        if written is not None:
            return f"{kind.__name__} {written(self, value)}"
        if issubclass(kind, enum.Enum):
            return f"{kind.__module__}.{kind.__qualname__}.{attempt(lambda: value.name)}"
        if is_array(value) and not value.dtype.hasobject:
            flags = (value.flags.writeable, value.strides)
            return f"array({value.dtype.str},{value.shape},{flags},{value.tobytes()!r})"
        if id(value) not in self._opaque:
            self._opaque[id(value)] = f"{kind.__name__}#{len(self._opaque)}", value
        return self._opaque[id(value)][0]


_SHARED_FREELY = _UNCHANGING | {tuple, frozenset, dt.datetime, pathlib.PosixPath, pathlib.PurePosixPath}
_WRITTEN: dict[type, Callable[[Fingerprints, Any], str]] = {
    **dict.fromkeys(
        (
            *(decimal.Decimal, fractions.Fraction, uuid.UUID, bytearray),
            *(dt.date, dt.time, dt.datetime, dt.timedelta, dt.timezone),
            *(pathlib.PosixPath, pathlib.PurePosixPath, pathlib.PureWindowsPath),
        ),
        lambda _, value: repr(value),
    ),
    Raising: lambda prints, value: f"{prints.of(value.function)},{value.after},{value.calls}",
    KEYS: lambda prints, value: prints.of(list(value)),
    Text: lambda _, value: str.__repr__(value),
    Whole: lambda _, value: int.__repr__(value),
    Real: lambda _, value: float.__repr__(value),
    Octets: lambda _, value: bytes.__repr__(value),
}
