"""What an object holds, and how it is shown: by what can be read of it, so that none of its code has a say in that.

How the content of types is compared is known to others. They enter it here (`READERS`, `LIBRARIES`), since what is left
of an object, and whether it can speak for itself alone, depends on what is known of the types that it is made from.
"""

from __future__ import annotations

import datetime as dt
import decimal
import enum
import fractions
import itertools
import operator
import pathlib
import re
import struct
import sys
import types
import uuid
import warnings

from .classes import dict_of, guarded, method_of, mro_of, name_of, root_of, title_of, within

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any, Optional

    from .classes import Foreign

    Children = Iterator[tuple[Any, Any, Any]]  # where, in expected, in actual
    Reader = Callable[[Any, Any, Any], Optional[Children]]  # of a walk, and of both sides
    Entry = tuple[
        Optional[Reader], int, bool
    ]  # how its content is read, its standing, whether that is all there is to it

__all__ = [
    "ADDRESS",
    "AT_ONCE",
    "LIBRARIES",
    "LONGEST",
    "OBJECT",
    "PLAIN",
    "READERS",
    "VALUE",
    "Plan",
    "elided",
    "namespace",
    "reduced",
    "refusal",
    "shown",
]

LONGEST = 500
# What stands in the texts of objects, and is never the same twice.
ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")
# How a value stands: a plain one is compared at once; a composite one is looked at once with each partner; an object
# can be changed, so everyone sees whether it is the same one elsewhere.
AT_ONCE, VALUE, OBJECT = range(3)
# How the content of builtin types is read. By their ids, which they have as long as Python lives: to hash a type may be
# a matter of its metaclass.
READERS: dict[int, Entry] = {}
# The same for types of libraries, by the name of each and that of the type in it; the first that fits.
LIBRARIES: dict[str, list[tuple[str, Entry]]] = {}
PLAIN = frozenset(map(id, (int, str, bytes, bool, type(None))))
_POINTER = struct.calcsize("P")
_size_of = vars(type)["__basicsize__"].__get__
_OFFSETS = [vars(type)[name].__get__ for name in ("__dictoffset__", "__weakrefoffset__")]


class Plan:
    """How the instances of a class are looked at: which builtin content, which slots, whether there is more in C."""

    def __init__(self, kind: type) -> None:
        found = _library_entry(kind)
        base: type = object
        if found is None:
            base = next((one for one in mro_of(kind) if id(one) in READERS), object)
            base = enum.Enum if within(kind, enum.Enum) else base  # an IntEnum is no int
            found = READERS.get(id(base), (None, OBJECT, False))
        self.content, self.standing, self.whole = found
        inherited = set(map(id, mro_of(base)))
        own = [one for one in mro_of(kind) if id(one) not in inherited]
        raised = base is BaseException  # what those in C hold is read elsewhere
        self.slots = _slots([one for one in own if not raised or root_of(one) != "builtins"])
        self.dict = _dict_getter([*own, base] if raised else own)
        if self.content is None and _frozen(kind):
            self.standing = VALUE
        self.hidden = not self.whole and _has_hidden(kind, base, len(self.slots))

    def attributes(self, value: Foreign) -> dict[Any, Any]:
        """Those of `__dict__` and those in slots; one that is not set is not there."""
        held = self.dict(value) if self.dict else None
        if not self.slots:
            return held if type(held) is dict and _all_str(held) else _by_name(held)
        found = _by_name(held)
        for name, read in self.slots:
            try:
                found[name] = read(value)
            except AttributeError:
                continue
        if "__pydantic_fields_set__" in found:  # its own affair: nobody sees whether it is shared
            found["__pydantic_fields_set__"] = frozenset(found["__pydantic_fields_set__"] or ())
        return found


def _library_entry(kind: type) -> Entry | None:
    """For a type of one of these libraries, or made from one; None for others, and where the library is not there."""
    for root in {root_of(one) for one in mro_of(kind)} & LIBRARIES.keys():
        library = sys.modules.get(root)
        for name, entry in LIBRARIES[root]:
            base = guarded(operator.attrgetter(name), library)
            if base is not None and within(kind, base):
                return entry
    return None


def _all_str(held: dict[Any, Any]) -> bool:
    return all(map(operator.is_, map(type, held), itertools.repeat(str)))


def _by_name(held: dict[Any, Any] | None) -> dict[Any, Any]:
    """Names of attributes are str nearly always; others are foreign, and stand for their texts."""
    if held is None:
        return {}
    return {name if type(name) is str else f"({shown(name)})": value for name, value in dict.items(held)}


def _slots(classes: list[type]) -> list[tuple[str, Any]]:
    found: dict[str, Any] = {}
    for kind in classes:
        for name, value in list(dict_of(kind).items()):
            if type(value) is types.MemberDescriptorType and name != "__dict__":
                found[name if name not in found else f"{name} of {title_of(kind)}"] = value.__get__
    return list(found.items())


def _dict_getter(classes: list[type]) -> Any:
    for kind in classes:
        found = dict_of(kind).get("__dict__")
        if type(found) in (types.GetSetDescriptorType, types.MemberDescriptorType):
            return found.__get__
    return None


def _has_hidden(kind: type, base: type, slots: int) -> bool:
    """Whether an instance has room for more than its base's content, its attributes and references to it."""
    room = _size_of(kind) - _size_of(base) - _POINTER * slots
    for offset in _OFFSETS:
        # From the start, or from the end where the size varies; other negative ones stand before the object.
        if not offset(base) and (offset(kind) > 0 or offset(kind) == -_POINTER):
            room -= _POINTER
    return bool(room > 0)


def _frozen(kind: type) -> bool:
    """Whether instances cannot be changed: by what dataclasses, attrs and pydantic say, or by nature."""
    if root_of(kind) == "typing" or any(within(kind, one) for one in (dt.tzinfo, fractions.Fraction, uuid.UUID)):
        return True
    for one in mro_of(kind):
        config = dict_of(one).get("model_config")
        if type(config) is dict and config.get("frozen") is True:
            return True
        parameters = dict_of(one).get("__dataclass_params__")
        if parameters is not None:
            return guarded(operator.attrgetter("frozen"), parameters) is True
        setter = dict_of(one).get("__setattr__")
        if type(setter) is types.FunctionType:
            return setter.__name__ == "_frozen_setattrs" and setter.__module__ == "attr._make"
    return False


def namespace(value: Foreign) -> dict[str, Any]:
    getter = _dict_getter(list(mro_of(type(value))))
    return getter(value) if getter else {}


# So many items are asked for, where there may be no end of them.
_MOST = 1_000_000


def reduced(value: Foreign) -> Any:
    """What the value says it is made of, for `pickle`; None where it does not say."""
    kind = type(value)
    try:
        if root_of(kind) == "itertools":
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # that this will go
                found = value.__reduce__()
        else:
            found = method_of(kind, "__reduce_ex__").__get__(value, kind)(2)
        if type(found) is not tuple:
            return found
        listed = [None if part is None else list(itertools.islice(part, _MOST)) for part in found[3:5]]
        return (*found[:3], *listed, *found[5:])
    except Exception:
        return None


# ── texts ────────────────────────────────────────────────────────────────────────────────────────────────────────

_DEEPEST, _WIDEST = 6, 12
_BRACKETS = {list: ("[", "]"), tuple: ("(", ")"), set: ("{", "}"), frozenset: ("frozenset({", "})")}
_args_of = vars(BaseException)["args"].__get__


def shown(value: Foreign, limit: int = LONGEST) -> str:
    """The value as text, of no more than so many characters. Nothing is raised. Objects are shown by their state, so
    that no code of the user's runs where that can be read."""
    try:
        return elided(_Text(limit).of(value, 0), limit)
    except Exception as error:
        return elided(refusal(error), limit)


def elided(text: str, limit: int = LONGEST) -> str:
    if len(text) <= limit:
        return text
    half = max(0, limit - 3) // 2
    return f"{text[:half]} … {text[len(text) - half :]}"[:limit] if half else text[:limit]


def refusal(error: BaseException) -> str:
    return f"<no text: {title_of(type(error))} was raised>"


class _Text:
    """Makes one text, of a bounded number of parts."""

    def __init__(self, limit: int) -> None:
        self._room = 300
        self._limit = limit
        self._within: set[int] = set()

    def of(self, value: Foreign, depth: int) -> str:
        kind = type(value)
        self._room -= 1
        plain = self._plain(value, kind)
        if plain is not None:
            return plain
        if self._room < 0 or depth > _DEEPEST or id(value) in self._within:
            return "…"
        self._within.add(id(value))
        try:
            return self._composite(value, kind, depth + 1)
        finally:
            self._within.discard(id(value))

    def _plain(self, value: Foreign, kind: type) -> str | None:
        if kind is str or kind is bytes:
            return repr(value) if len(value) <= self._limit else self._halves(value)
        if kind is int and value.bit_length() > 4000:
            return f"<an int of {value.bit_length()} bits>"
        if kind is int or id(kind) in _SPOKEN:
            return repr(value)
        return _label(value, kind)

    def _halves(self, value: Any) -> str:
        half = self._limit // 2
        return f"{value[:half]!r} … {value[len(value) - half :]!r}"

    def _composite(self, value: Foreign, kind: type, depth: int) -> str:
        for base, brackets in _BRACKETS.items():
            if issubclass(kind, base):
                text = self._sequence(base, value, brackets, depth)
                return text if kind is base else self._object(value, kind, depth, text)
        if issubclass(kind, dict):
            text = self._mapping(value, depth)
            return text if kind is dict else self._object(value, kind, depth, text)
        if issubclass(kind, BaseException):
            return self._call(kind, [self.of(part, depth) for part in _args_of(value)[:_WIDEST]])
        if within(kind, enum.Enum):
            return f"{kind.__name__}.{namespace(value).get('_name_')}"
        for plain, read in ((str, str.__str__), (int, int.__index__), (float, float.__float__)):
            if within(kind, plain):
                return self._object(value, kind, depth, self.of(read(value), depth))
        return self._object(value, kind, depth, None)

    def _sequence(self, base: Any, value: Any, brackets: tuple[str, str], depth: int) -> str:
        size, items = base.__len__(value), base.__iter__(value)
        parts = [self.of(item, depth) for item in itertools.islice(items, _WIDEST if size > _WIDEST + 2 else size)]
        if size > _WIDEST + 2:
            parts.append(f"… {size - _WIDEST} more")
        if base is list and size > _WIDEST + 2:
            parts[-1] = f"… {size - _WIDEST - 1} more …"
            parts.append(self.of(list.__getitem__(value, -1), depth))
        if not size and base in (set, frozenset):
            return f"{base.__name__}()"
        return f"{brackets[0]}{', '.join(parts)}{',' if base is tuple and size == 1 else ''}{brackets[1]}"

    def _mapping(self, value: dict[Any, Any], depth: int) -> str:
        pairs = itertools.islice(dict.items(value), _WIDEST)
        parts = [f"{self.of(key, depth)}: {self.of(item, depth)}" for key, item in pairs]
        if dict.__len__(value) > _WIDEST:
            parts.append(f"… {dict.__len__(value) - _WIDEST} more")
        return f"{{{', '.join(parts)}}}"

    def _object(self, value: Foreign, kind: type, depth: int, content: str | None) -> str:
        plan = Plan(kind)
        if content is None and (plan.content is not None or plan.hidden):
            return self._said(value)
        held = {} if plan.whole else plan.attributes(value)
        parts = [f"{name}={self.of(item, depth)}" for name, item in itertools.islice(held.items(), _WIDEST)]
        return self._call(kind, [*([] if content is None else [content]), *parts])

    def _call(self, kind: type, parts: list[str]) -> str:
        return f"{name_of(kind)[1]}({', '.join(parts)})"

    def _said(self, value: Foreign) -> str:
        """What it says of itself, since nothing else is known of it."""
        try:
            text = repr(value)
        except Exception as error:
            return refusal(error)
        return ADDRESS.sub("", str.__str__(text)[: 4 * self._limit])


def _label(value: Foreign, kind: type) -> str | None:
    """What goes by its name."""
    if within(kind, type):
        return f"<class {title_of(value)}>"
    if kind is types.FunctionType:
        return f"<function {value.__module__}.{value.__qualname__}>"
    if id(kind) in _UNMOVED:
        return f"<{kind.__name__} {value.__qualname__}, not consumed>"
    return None


_SPOKEN = frozenset(map(id, (bool, type(None), float, complex, type(Ellipsis), decimal.Decimal, range))) | frozenset(
    map(id, (dt.date, dt.timedelta, pathlib.PosixPath, pathlib.PurePosixPath, fractions.Fraction, uuid.UUID))
)
_UNMOVED = frozenset(map(id, (types.GeneratorType, types.CoroutineType, types.AsyncGeneratorType)))
