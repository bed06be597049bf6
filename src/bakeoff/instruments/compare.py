"""Are two values the same for everyone who looks at them, and where do they first differ?

What counts: types, values, order, what containers hold, the state of objects, and which parts are one and the same
object. What is asked: builtin types through their own C methods, so that no subclass has a say; objects for their
`__dict__` and slots, so that no property runs. An `__eq__` is never believed where state can be read.

- Baseline and candidate are loaded as two worlds. So two classes are the same when module and qualified name are equal;
  functions likewise, but lambdas and local functions by their code and what they close over.
- Where mutable objects are shared must agree: what is met is paired, and one object never has two partners. Cycles end
  there. Arrays of numpy that overlap must overlap on both sides. Immutable values may be shared or not.
- Attributes have no order, and it does not matter whether they live in slots or in `__dict__`. The order of an
  `OrderedDict` is part of its value; that of other dicts counts where the rules say so.
- Of exceptions: type, args, text, state, notes, cause, group, and last of all the type of a context that is shown.
  Addresses (`at 0x7f…`) in their texts do not count. Tracebacks never do.
- Iterators are never consumed: those of builtin types are compared by what is left in them, those that tell their parts
  (`map`, `zip`, …) by these, generators and others by type alone.
- Objects in C whose state cannot be read: `==` of their own may say that they are the same; else what `__reduce_ex__`
  gives is compared; where neither says anything, one type is all that can be asked for.
- numpy, pandas, polars and torch are looked into when they are there; they are never imported. A RangeIndex is as good
  as an Index. The order of an array in memory does not count.

What is not looked at is not called the same: when the budget is used up there is a difference of kind "too-large".
Runs of plain values, and whole arrays, are compared at once and count as one part. What is foreign may raise; that
makes an "incomparable" part at worst. A walk has its own stack, so that depth is no matter.
"""

from __future__ import annotations

import array
import builtins
import collections
import datetime as dt
import decimal
import enum
import fractions
import functools
import io
import itertools
import logging
import math
import operator
import pathlib
import re
import struct
import sys
import types
import uuid
import warnings
import weakref
from dataclasses import dataclass, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any, Optional

    Foreign = Any  # whatever the user's code made
    Children = Iterator[tuple[Any, Any, Any]]  # where, in expected, in actual
    Reader = Callable[[Any, Any, Any], Optional[Children]]  # of a walk, and of both sides
    Entry = tuple[
        Optional[Reader], int, bool
    ]  # how its content is read, its standing, whether that is all there is to it

__all__ = ["KINDS", "Difference", "Rules", "difference", "shown"]

# What a difference can be.
KINDS = {
    "type": "the types differ, or the dtypes of arrays",
    "value": "two plain values differ",
    "length": "one has more items than the other; or the shapes of arrays differ",
    "order": "the keys of a dict are the same, but come in another order",
    "keys": "a key of a dict is missing, or there is one too many",
    "members": "a member of a set is missing, or there is one too many",
    "attributes": "an attribute of an object is missing, or there is one too many",
    "aliasing": "what is one object on one side are two, perhaps equal ones, on the other",
    "exception": "the types of exceptions differ, or their texts, or the types of what they came from",
    "too-large": "the budget was used up before all was looked at",
    "incomparable": "it could not be looked at",
}
LONGEST = 500
_CHUNK = 4096
_ALL = slice(None)
_POINTER = struct.calcsize("P")
ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")


@dataclass(frozen=True)
class Rules:
    """What counts. Floats are exact unless there is a tolerance, which is that of `math.isclose`. `places` are two
    folders, one for each side, that mean the same: texts and paths may differ by them."""

    rtol: float = 0.0
    atol: float = 0.0
    dict_order: bool = True
    messages: bool = True
    budget: int = 2_000_000
    places: tuple[str, str] = ("", "")

    def __post_init__(self) -> None:
        if not (self.rtol >= 0 and self.atol >= 0):
            raise ValueError("a tolerance is a number that is not negative")

    def same_text(self, expected: str, actual: str) -> bool:
        """Whether two texts are the same, but for the places that they may name."""
        ours, theirs = self.places
        return expected == actual or (ours != "" and expected.replace(ours, theirs) == actual)


@dataclass(frozen=True)
class Difference:
    """Where two values first differ: the path from the root ("" there), and both parts as text. Kinds: `KINDS`."""

    path: str
    expected: str
    actual: str
    kind: str


_EXACT = Rules()


def difference(expected: Foreign, actual: Foreign, rules: Rules = _EXACT) -> Difference | None:
    """The first difference, or None where there is none. Raises nothing, but lets a KeyboardInterrupt pass."""
    kind = type(expected)
    if kind is type(actual) and id(kind) in PLAIN and (expected is actual or expected == actual):
        return None
    walk = Walk(rules)
    try:
        walk.compare(iter((("", expected, actual),)))
    except Found as found:
        return Difference(elided(found.path), found.expected[:LONGEST], found.actual[:LONGEST], found.kind)
    except Exception as error:
        return Difference("", refusal(error), refusal(error), "incomparable")
    return None


# ── what was found ───────────────────────────────────────────────────────────────────────────────────────────────


class Found(Exception):
    """Ends a walk: there is a difference. The path is known by whoever walks."""

    def __init__(self, kind: str, expected: str, actual: str, step: str = "") -> None:
        super().__init__(kind)
        self.kind = kind
        self.expected = expected
        self.actual = actual
        self.step = step
        self.path = ""
        self.placed = False

    def place(self, steps: list[Any]) -> None:
        """Once: what is found in a walk within a walk has its path from the inner one."""
        if not self.placed:
            self.path = "".join(map(written, _bounded(steps))) + self.step
            self.placed = True


def _bounded(steps: list[Any]) -> list[Any]:
    return steps if len(steps) <= 2 * LONGEST else [*steps[:LONGEST], "…", *steps[-LONGEST:]]


def written(step: Any) -> str:
    if type(step) is str:
        return step
    if type(step) is int:
        return f"[{step}]"
    what, value, *more = step
    if what == "at":
        return position(value, more[0])
    return f"{{{shown(value, 80)}}}" if what == "member" else f"[{shown(value, 80)}]"


def position(flat: int, shape: tuple[int, ...]) -> str:
    """The index of the item of an array that has this number in it."""
    index: list[int] = []
    for size in reversed(shape):
        index.insert(0, flat % size)
        flat //= size
    return f"[{', '.join(map(str, index))}]" if index else ""


def unequal(expected: Foreign, actual: Foreign, step: str = "", kind: str = "value") -> Found:
    return Found(kind, shown(expected), shown(actual), step)


def of_types(expected: Foreign, actual: Foreign) -> Found:
    raised = issubclass(type(expected), BaseException) and issubclass(type(actual), BaseException)
    texts = [f"{title_of(type(value))}: {shown(value, 400)}" for value in (expected, actual)]
    return Found("exception" if raised else "type", texts[0], texts[1])


def of_lengths(expected: int, actual: int, left: Foreign, right: Foreign) -> Found:
    return Found("length", f"{expected} items: {shown(left, 400)}", f"{actual} items: {shown(right, 400)}")


def of_texts(expected: Any, actual: Any) -> Found:
    """Long texts are shown around the place where they part."""
    if max(len(expected), len(actual)) <= 200:
        return unequal(expected, actual)
    low, high = 0, min(len(expected), len(actual))
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if expected[:middle] == actual[:middle] else (low, middle - 1)
    start = max(0, low - 40)
    texts = [f"from {start} of {len(text)}: {text[start : start + 200]!r}" for text in (expected, actual)]
    return Found("value", *texts)


# ── types ────────────────────────────────────────────────────────────────────────────────────────────────────────

# Read from `type` itself: a metaclass has no say.
_module_of, _qualname_of, mro_of, dict_of, _size_of = (
    vars(type)[name].__get__ for name in ("__module__", "__qualname__", "__mro__", "__dict__", "__basicsize__")
)
_OFFSETS = [vars(type)[name].__get__ for name in ("__dictoffset__", "__weakrefoffset__")]


def name_of(kind: type) -> tuple[str, str]:
    """Module and qualified name; "" for a module that was taken away, or is no text."""
    module = guarded(_module_of, kind)
    return (module if type(module) is str else ""), _qualname_of(kind)


def title_of(kind: type) -> str:
    module, name = name_of(kind)
    return name if module in ("", "builtins") else f"{module}.{name}"


def within(kind: type, base: type) -> bool:
    """What `issubclass` says, where a metaclass has no say."""
    return any(one is base for one in mro_of(kind))


def same_type(one: type, other: type) -> bool:
    """The same class, perhaps in two worlds."""
    if one is other:
        return True
    names = name_of(one), name_of(other)
    if {names[0][1], names[1][1]} == {"Index", "RangeIndex"} and {root_of(one), root_of(other)} == {"pandas"}:
        return True
    return names[0] == names[1] and names[0][0] not in ("", "builtins")


def root_of(kind: type) -> str:
    return name_of(kind)[0].partition(".")[0]


# ── the walk ─────────────────────────────────────────────────────────────────────────────────────────────────────

# How a value stands: a plain one is compared at once; a composite one is looked at once with each partner; an object
# can be changed, so everyone sees whether it is the same one elsewhere.
AT_ONCE, VALUE, OBJECT = range(3)
# How the content of builtin types is read. By their ids, which they have as long as Python lives: to hash a type may be
# a matter of its metaclass.
READERS: dict[int, Entry] = {}
# The same for types of libraries, by the name of each and that of the type in it; the first that fits.
LIBRARIES: dict[str, list[tuple[str, Entry]]] = {}
PLAIN = frozenset(map(id, (int, str, bytes, bool, type(None))))


class Walk:
    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self.left = rules.budget
        self.close = rules.rtol > 0 or rules.atol > 0
        # Whoever is in here is kept alive, so that no id is used twice.
        self.partners: dict[int, tuple[Any, Any]] = {}
        self.owners: dict[int, Any] = {}
        self.seen: dict[tuple[int, int], tuple[Any, Any]] = {}
        self.journal: list[Any] = []
        self.later: list[tuple[list[Any], Children]] = []
        self.plans: dict[int, Plan] = {}
        self.arrays: list[tuple[Any, Any]] = []
        self.trying = 0

    def compare(self, children: Children) -> None:
        """Look at all of them and below. What is ambiguous comes last, when more is known of who belongs to whom."""
        before, self.later = self.later, []
        try:
            self._descend([], children)
            while self.later:
                self._descend(*self.later.pop(0))
        finally:
            self.later = before

    def _descend(self, steps: list[Any], children: Children) -> None:
        frames, steps = [children], [*steps, ""]
        self.steps = steps
        try:
            while frames:
                for step, expected, actual in frames[-1]:
                    steps[-1] = step
                    below = self.look(expected, actual)
                    if below is not None:
                        frames.append(below)
                        steps.append("")
                        break
                    steps[-1] = ""
                else:
                    frames.pop()
                    steps.pop()
                    steps[-1:] = [""]  # what is found from here on is found in the whole, not in its last part
        except Found as found:
            found.place(steps)
            raise
        except Exception as error:
            unread = Found("incomparable", refusal(error), refusal(error))
            unread.place(steps)
            raise unread from None

    def look(self, expected: Foreign, actual: Foreign) -> Children | None:
        """The parts to look at next, or None."""
        self.left -= 1
        if self.left < 0:
            raise Found("too-large", *[f"over {self.rules.budget} parts"] * 2)
        kind = type(expected)
        if kind is not type(actual):
            return self._of_two_worlds(expected, actual)
        entry = READERS.get(id(kind))
        if entry is None:
            return self._by_plan(expected, actual)
        reader, standing, _ = entry
        if standing and self.met(standing, expected, actual):
            return None
        return reader(self, expected, actual) if reader else None

    def _of_two_worlds(self, expected: Foreign, actual: Foreign) -> Children | None:
        if not same_type(type(expected), type(actual)):
            raise of_types(expected, actual)
        return self._by_plan(expected, actual)

    def _by_plan(self, expected: Foreign, actual: Foreign) -> Children | None:
        """For what is no builtin: the content of a builtin it is made from, its attributes, what may be hidden in C."""
        plan, other = self.plan(type(expected)), self.plan(type(actual))
        if plan.content is not other.content:
            raise of_types(expected, actual)
        standing = max(plan.standing, other.standing)
        if standing and self.met(standing, expected, actual):
            return None
        content = plan.content(self, expected, actual) if plan.content else None
        if plan.whole:
            return content
        hidden = opaque(self, expected, actual) if plan.hidden or other.hidden else None
        state = self.state(expected, actual)
        parts = [part for part in (content, state, hidden) if part is not None]
        return itertools.chain.from_iterable(parts) if parts else None

    def plan(self, kind: type) -> Plan:
        plan = self.plans.get(id(kind))
        if plan is None:
            plan = self.plans[id(kind)] = Plan(kind)
        return plan

    def state(self, expected: Foreign, actual: Foreign) -> Children | None:
        """What the attributes hold, by name."""
        left = self.plan(type(expected)).attributes(expected)
        right = self.plan(type(actual)).attributes(actual)
        if not left and not right:
            return None
        for name, value in left.items():
            if name not in right:
                raise Found("attributes", shown(value), "<no such attribute>", f".{_attribute(name)}")
        if len(left) != len(right):
            name = next(name for name in right if name not in left)
            raise Found("attributes", "<no such attribute>", shown(right[name]), f".{_attribute(name)}")
        return ((f".{_attribute(name)}", value, right[name]) for name, value in left.items())

    # who is who

    def met(self, standing: int, expected: Foreign, actual: Foreign) -> bool:
        """Whether these two were looked at together before, or are being looked at."""
        one, other = id(expected), id(actual)
        if standing == VALUE:
            if (one, other) in self.seen:
                return True
            self.seen[one, other] = (expected, actual)
            self.journal.append((one, other))
            return False
        known = self.partners.get(one)
        if known is not None and known[1] is actual:
            return True
        if known is not None or other in self.owners:
            raise self._aliased(expected, actual, known is not None, other in self.owners)
        self.partners[one] = (expected, actual)
        self.owners[other] = actual
        self.journal.append((one, other, None))
        return False

    def _aliased(self, expected: Foreign, actual: Foreign, left: bool, right: bool) -> Found:  # noqa: FBT001
        """Two that are not even equal differ in more than who they are: that is what to tell."""
        if not self.trying:
            apart = Walk(replace(self.rules, budget=10_000))
            apart.trying = 1
            try:
                apart.compare(iter((("", expected, actual),)))
            except Found as found:
                if found.kind not in ("aliasing", "too-large"):
                    return Found(found.kind, found.expected, found.actual, found.path)
        met = {True: "an object that was met before: ", False: "an object not met before: "}
        texts = [met[known] + shown(value, 400) for known, value in ((left, expected), (right, actual))]
        if left and right:
            texts[1] = "another " + texts[1][3:]
        return Found("aliasing", *texts)

    def alike(self, expected: Foreign, actual: Foreign) -> bool:
        """Whether these two can be the same; if not, whatever was supposed for that is forgotten."""
        mark, steps, arrays = len(self.journal), self.steps, len(self.arrays)
        self.trying += 1
        try:
            self.compare(iter((("", expected, actual),)))
        except Found as found:
            if found.kind in ("too-large", "incomparable"):
                raise
            self._forget(mark)
            del self.arrays[arrays:]
            return False
        finally:
            self.trying -= 1
            self.steps = steps
        return True

    def _forget(self, mark: int) -> None:
        for entry in self.journal[mark:]:
            if len(entry) == 2:
                del self.seen[entry]
            else:
                del self.partners[entry[0]], self.owners[entry[1]]
        del self.journal[mark:]

    def postpone(self, children: Children) -> None:
        self.later.append((list(self.steps), children))


class Plan:
    """How the instances of a class are looked at: which builtin content, which slots, whether there is more in C."""

    def __init__(self, kind: type) -> None:
        found = library_entry(kind)
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


def _all_str(held: dict[Any, Any]) -> bool:
    return all(map(operator.is_, map(type, held), itertools.repeat(str)))


def _by_name(held: dict[Any, Any] | None) -> dict[Any, Any]:
    """Names of attributes are str nearly always; others are foreign, and stand for their texts."""
    if held is None:
        return {}
    return {name if type(name) is str else f"({shown(name)})": value for name, value in dict.items(held)}


def _attribute(name: str) -> str:
    return name if len(name) <= 100 else elided(name, 100)


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


def guarded(function: Callable[..., Any], *arguments: Foreign) -> Any:
    """What a foreign function gives, or None where it raises."""
    try:
        return function(*arguments)
    except Exception:
        return None


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


# ── who belongs to whom, where there is no order ─────────────────────────────────────────────────────────────────


class Groups:
    """Keys or members of both sides, in groups that could be the same as far as can be told without comparing."""

    def __init__(self, walk: Walk, left: list[Any], right: list[Any], kind: str) -> None:
        self._walk, self._left, self._right, self._kind = walk, left, right, kind
        self._found: dict[Any, tuple[list[int], list[int]]] = {}
        self._sure: set[Any] = set()
        for side, members in enumerate((left, right)):
            for place, member in enumerate(members):
                print_, sure = _fingerprint(walk, member)
                self._found.setdefault(print_, ([], []))[side].append(place)
                if sure:
                    self._sure.add(print_)
        self._balance()

    def _balance(self) -> None:
        """Equal ones have equal fingerprints, so every group must have as many of the one as of the other."""
        extra: Any = None
        for ours, theirs in self._found.values():
            if len(ours) > len(theirs):
                raise self._missing(ours[-1])
            if len(ours) < len(theirs) and extra is None:
                extra = theirs[-1]
        if extra is not None:
            member = self._right[extra]
            raise Found(self._kind, f"<no such {self._kind[:-1]}>", shown(member), self._place(member))

    def _missing(self, place: int) -> Found:
        member = self._left[place]
        return Found(self._kind, shown(member), f"<no such {self._kind[:-1]}>", self._place(member))

    def _place(self, member: Foreign) -> str:
        return written(("key" if self._kind == "keys" else "member", member))

    def children(self, of: Callable[[Groups], Children]) -> Children | None:
        """Now, where partners are clear; else when all the rest is known."""
        if all(len(ours) == 1 or key in self._sure for key, (ours, _) in self._found.items()):
            return of(self)
        self._walk.postpone(of(self))
        return None

    def partners(self) -> list[int]:
        """For each on the left its place on the right."""
        found = [0] * len(self._left)
        for key, (ours, theirs) in self._found.items():
            sure = len(ours) == 1 or key in self._sure
            for one, other in zip(ours, theirs) if sure else self._settled(ours, theirs):
                found[one] = other
        return found

    def _settled(self, ours: list[int], theirs: list[int]) -> list[tuple[int, int]]:
        numbers = [*(self._left[place] for place in ours), *(self._right[place] for place in theirs)]
        if all(type(number) is float for number in numbers):
            # With a tolerance the nearest belong together.
            return list(zip(_ascending(ours, self._left), _ascending(theirs, self._right)))
        rest, pairs = list(theirs), []
        for one in ours:
            other = next((place for place in rest if self._walk.alike(self._left[one], self._right[place])), None)
            if other is None:
                raise self._missing(one)
            rest.remove(other)
            pairs.append((one, other))
        return pairs


def _ascending(places: list[int], numbers: list[float]) -> list[int]:
    return sorted(places, key=lambda place: (math.isnan(numbers[place]), numbers[place]))


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


def _fingerprint(walk: Walk, value: Foreign, depth: int = 3) -> tuple[Any, bool]:
    """Something to look up that is equal for what is the same; and whether what has it equal is the same for sure."""
    kind = type(value)
    key = id(kind)
    if key in PLAIN:
        return (key, value), True
    if kind is float:
        exact = "nan" if math.isnan(value) else (value, math.copysign(1.0, value))
        return (key, None if walk.close else exact), not walk.close
    if kind is tuple:
        return _fingerprint_of_items(walk, value, depth)
    return (name_of(kind), _outline(walk, value, depth - 1) if depth else None), False


def _fingerprint_of_items(walk: Walk, value: tuple[Any, ...], depth: int) -> tuple[Any, bool]:
    if depth == 0:
        return (id(tuple), len(value)), False
    prints = [_fingerprint(walk, item, depth - 1) for item in value[:16]]
    return (id(tuple), len(value), *(one for one, _ in prints)), len(value) <= 16 and all(sure for _, sure in prints)


def _outline(walk: Walk, value: Foreign, depth: int) -> Any:
    """What tells objects apart quickly: plain content, and attributes that are."""
    kind = type(value)
    for base, read in _OUTLINES:
        if within(kind, base):
            return read(value)
    if within(kind, tuple):
        return _fingerprint_of_items(walk, tuple.__getitem__(value, _ALL), depth)[0]
    plan = walk.plan(kind)
    if plan.whole:
        return None
    held = plan.attributes(value)
    return tuple((name, _fingerprint(walk, held[name], depth)[0]) for name in sorted(held)[:16])


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


def namespace(value: Foreign) -> dict[str, Any]:
    getter = _dict_getter(list(mro_of(type(value))))
    return getter(value) if getter else {}


_CALENDAR: list[Any] = [
    getattr(dt.datetime, name).__get__ for name in ("year", "month", "day", "hour", "minute", "second", "microsecond")
]
_CLOCK: list[Any] = [getattr(dt.time, name).__get__ for name in ("hour", "minute", "second", "microsecond")]
# What tells apart what cannot hold anything foreign, for the first class that fits.
_OUTLINES: list[tuple[type, Callable[[Any], Any]]] = [
    (enum.Enum, lambda value: str(namespace(value).get("_name_"))),
    (str, str.__str__),
    (int, int.__index__),
    (decimal.Decimal, decimal.Decimal.__str__),
    (dt.datetime, lambda value: tuple(read(value) for read in _CALENDAR)),
    (dt.date, dt.date.toordinal),
    (dt.timedelta, dt.timedelta.__hash__),
    (dt.time, lambda value: tuple(read(value) for read in _CLOCK)),
    (pathlib.PurePath, pathlib.PurePath.__str__),
    (type, name_of),
    (types.FunctionType, lambda value: value.__qualname__),
    (frozenset, frozenset.__len__),
    (range, lambda value: (value.start, value.stop, value.step)),
]


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


# ── iterators, and what is in C ──────────────────────────────────────────────────────────────────────────────────


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


def method_of(kind: type, name: str) -> Any:
    """What the classes hold under this name, the first of them."""
    return next((dict_of(one)[name] for one in mro_of(kind) if name in dict_of(one)), None)


def opaque(_: Walk, expected: Foreign, actual: Foreign) -> Children | None:
    """Nothing can be read. Its own `==` may say that they are the same, if that is in C; else what it reduces to."""
    if expected is actual:
        return None
    equal = method_of(type(expected), "__eq__")
    in_c = type(equal) is types.WrapperDescriptorType and equal is not vars(object)["__eq__"]
    verdict = guarded(operator.eq, expected, actual) if in_c else None
    if verdict is True:
        return None
    left, right = reduced(expected), reduced(actual)
    if left is not None and right is not None:
        return iter(((".__reduce_ex__(2)", left, right),))
    if left is not None or right is not None:
        raise unequal(expected, actual, kind="incomparable")
    if verdict is False:
        raise unequal(expected, actual)
    return None


# ── numpy, pandas, polars, torch ─────────────────────────────────────────────────────────────────────────────────


def library_entry(kind: type) -> Entry | None:
    """For a type of one of these libraries, or made from one; None for others, and where the library is not there."""
    for root in {root_of(one) for one in mro_of(kind)} & LIBRARIES.keys():
        library = sys.modules.get(root)
        for name, entry in LIBRARIES[root]:
            base = guarded(operator.attrgetter(name), library)
            if base is not None and within(kind, base):
                return entry
    return None


def _ndarray(walk: Walk, expected: Any, actual: Any) -> Children | None:
    np = sys.modules["numpy"]
    left, right = (np.ndarray.view(one, np.ndarray) for one in (expected, actual))
    if left.dtype != right.dtype:
        raise Found("type", str(left.dtype), str(right.dtype), ".dtype")
    if left.shape != right.shape:
        raise Found("length", str(left.shape), str(right.shape), ".shape")
    _overlapping(walk, np, left, right)
    return _values(walk, np, left, right)


def _overlapping(walk: Walk, np: Any, left: Any, right: Any) -> None:
    """Who writes into one array sees it in those that overlap; so they must overlap on both sides."""
    if not (left.size and left.flags.writeable and right.flags.writeable) or len(walk.arrays) >= _MOST_ARRAYS:
        return
    for before, twin in walk.arrays:
        shared = [guarded(np.shares_memory, *pair, 10_000) for pair in ((left, before), (right, twin))]
        if None not in shared and bool(shared[0]) != bool(shared[1]):
            texts = [("shares memory" if one else "shares no memory") + " with an array met before" for one in shared]
            raise Found("aliasing", *texts)
    walk.arrays.append((left, right))


def _values(walk: Walk, np: Any, left: Any, right: Any) -> Children | None:
    """Of two arrays of one dtype and shape."""
    if left.dtype.names:
        return ((f"[{name!r}]", left[name], right[name]) for name in left.dtype.names)
    if left.dtype.kind in "OT":
        places = (("at", place, left.shape) for place in itertools.count())
        return zip(places, left.ravel().tolist(), right.ravel().tolist())
    alike = _alike_values(walk, np, left, right)
    if not alike.all():
        place = int(np.argmin(alike.ravel()))
        raise unequal(left.ravel()[place], right.ravel()[place], position(place, left.shape))
    return None


def _alike_values(walk: Walk, np: Any, left: Any, right: Any) -> Any:
    """For each place whether both are the same there."""
    kind = left.dtype.kind
    with np.errstate(all="ignore"):
        if kind == "c":
            real, imaginary = ((left.real, right.real), (left.imag, right.imag))
            return _alike_values(walk, np, *real) & _alike_values(walk, np, *imaginary)
        if kind == "f":
            same = _near(walk, np, left, right) if walk.close else (left == right) & _signs(np, left, right)
            return same | (np.isnan(left) & np.isnan(right))
        if kind in "mM":
            return (left == right) | (np.isnat(left) & np.isnat(right))
        if kind == "V":
            return np.array(left.tobytes() == right.tobytes())
        return np.asarray(left == right)


def _signs(np: Any, left: Any, right: Any) -> Any:
    return np.signbit(left) == np.signbit(right)


def _near(walk: Walk, np: Any, left: Any, right: Any) -> Any:
    """As `math.isclose` has it."""
    room = np.maximum(walk.rules.rtol * np.maximum(np.abs(left), np.abs(right)), walk.rules.atol)
    return (left == right) | (np.isfinite(left) & np.isfinite(right) & (np.abs(left - right) <= room))


def _number(walk: Walk, expected: Any, actual: Any) -> Children | None:
    """A number of numpy's, or a record."""
    np = sys.modules["numpy"]
    left, right = np.asarray(expected), np.asarray(actual)
    if left.dtype != right.dtype:
        raise Found("type", str(left.dtype), str(right.dtype), ".dtype")
    return _values(walk, np, left, right)


def _masked(_: Walk, expected: Any, actual: Any) -> Children:
    np = sys.modules["numpy"]
    masks = [np.ma.getmaskarray(one) for one in (expected, actual)]
    yield ".mask", *masks
    # What is behind the mask nobody sees.
    contents = [np.array(np.ma.getdata(one), subok=False) for one in (expected, actual)]
    if not contents[0].dtype.names:
        for content, mask in zip(contents, masks):
            content[mask] = np.zeros((), content.dtype)
    yield ".data", *contents
    yield ".fill_value", *(np.asarray(one.fill_value) for one in (expected, actual))


def _dtype(_: Walk, expected: Any, actual: Any) -> None:
    if expected is not actual and expected != actual:
        raise Found("value", str(expected), str(actual))


def _table(_: Walk, expected: Any, actual: Any) -> Children:
    """A DataFrame of pandas: not by its own `==` and `equals`, which see no types of columns and no names."""
    for name in ("columns", "index", "attrs"):
        yield f".{name}", getattr(expected, name), getattr(actual, name)
    for place, name in enumerate(list(expected.columns)):
        yield ("key", name), *(_backing(one.iloc[:, place]) for one in (expected, actual))


def _series(_: Walk, expected: Any, actual: Any) -> Children:
    for name in ("name", "index", "attrs"):
        yield f".{name}", getattr(expected, name), getattr(actual, name)
    yield ".values", _backing(expected), _backing(actual)


def _index(_: Walk, expected: Any, actual: Any) -> Children:
    yield ".names", list(expected.names), list(actual.names)
    if hasattr(expected, "levels"):
        left, right = ([str(dtype) for dtype in one.dtypes] for one in (expected, actual))
        yield ".dtypes", left, right
        yield ".values", list(expected), list(actual)
    else:
        yield ".values", _backing(expected), _backing(actual)


def _backing(column: Any) -> Any:
    """An array of numpy's where it is one, else pandas' own."""
    plain = isinstance(column.dtype, sys.modules["numpy"].dtype)
    return column.to_numpy() if plain else column.array


def _extension(_: Walk, expected: Any, actual: Any) -> Children:
    yield ".dtype", str(expected.dtype), str(actual.dtype)
    if hasattr(expected, "categories"):
        for name in ("categories", "ordered"):
            yield f".{name}", getattr(expected, name), getattr(actual, name)
    yield "", list(expected), list(actual)


def _polars_table(_: Walk, expected: Any, actual: Any) -> Children:
    yield ".columns", list(expected.columns), list(actual.columns)
    for name in list(expected.columns):
        yield ("key", name), expected[name], actual[name]


def _polars_series(_: Walk, expected: Any, actual: Any) -> Children:
    yield ".name", expected.name, actual.name
    yield ".dtype", str(expected.dtype), str(actual.dtype)
    yield "", expected.to_list(), actual.to_list()


def _lazy(_: Walk, expected: Any, actual: Any) -> Children:
    """A query that was not run, or an expression: by how it is written down."""
    for left, right in ((expected, actual), (getattr(expected, "meta", None), getattr(actual, "meta", None))):
        yield ".serialize()", *(guarded(lambda one=one: one.serialize()) for one in (left, right))


def _generator(_: Walk, expected: Any, actual: Any) -> Children:
    yield ".get_state()", expected.get_state(), actual.get_state()


def _tensor(walk: Walk, expected: Any, actual: Any) -> Children:
    for name, kind in (("dtype", "type"), ("shape", "length"), ("device", "value"), ("layout", "type")):
        left, right = str(getattr(expected, name)), str(getattr(actual, name))
        if left != right:
            raise Found(kind, left, right, f".{name}")
    yield ".requires_grad", expected.requires_grad, actual.requires_grad
    if expected.is_leaf and actual.is_leaf:  # others have none, and warn
        yield ".grad", expected.grad, actual.grad
    if expected.device.type == "meta":
        return
    _tensor_values(walk, *(_dense(one) for one in (expected, actual)))


def _dense(tensor: Any) -> Any:
    plain = tensor.detach()
    plain = plain.dequantize() if plain.is_quantized else plain
    return (plain if str(plain.layout) == "torch.strided" else plain.to_dense()).cpu().resolve_conj().resolve_neg()


def _tensor_values(walk: Walk, left: Any, right: Any) -> None:
    torch = sys.modules["torch"]
    shape = tuple(left.shape)
    if left.is_complex():
        left, right = torch.view_as_real(left), torch.view_as_real(right)
    alike = left == right
    if left.is_floating_point():
        left, right = (one.double() for one in (left, right))  # the small types of floats lack half of what follows
        if walk.close:
            room = torch.clamp(walk.rules.rtol * torch.maximum(left.abs(), right.abs()), min=walk.rules.atol)
            finite = torch.isfinite(left) & torch.isfinite(right)
            alike = (left == right) | (finite & ((left - right).abs() <= room))
        else:
            alike = (left == right) & (torch.signbit(left) == torch.signbit(right))
        alike |= torch.isnan(left) & torch.isnan(right)
    if not bool(alike.all()):
        place = int((~alike).reshape(-1).nonzero()[0])
        values = [one.reshape(-1)[place].item() for one in (left, right)]
        raise unequal(values[0], values[1], position(place // (left.numel() // max(1, math.prod(shape))), shape))


_MOST_ARRAYS = 64
_OF_LIBRARIES: dict[str, list[tuple[str, Entry]]] = {
    "numpy": [
        ("ma.MaskedArray", (_masked, OBJECT, True)),
        ("ndarray", (_ndarray, OBJECT, True)),
        ("generic", (_number, VALUE, True)),
        ("dtype", (_dtype, AT_ONCE, True)),
    ],
    "pandas": [
        ("DataFrame", (_table, OBJECT, True)),
        ("Series", (_series, OBJECT, True)),
        ("Index", (_index, VALUE, True)),
        ("api.extensions.ExtensionArray", (_extension, VALUE, True)),
    ],
    "polars": [
        ("DataFrame", (_polars_table, OBJECT, True)),
        ("Series", (_polars_series, OBJECT, True)),
        ("LazyFrame", (_lazy, OBJECT, True)),
        ("Expr", (_lazy, VALUE, True)),
    ],
    "torch": [("Tensor", (_tensor, OBJECT, True)), ("Generator", (_generator, OBJECT, True))],
}


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


READERS.update(_table_of_readers())
LIBRARIES.update(_OF_LIBRARIES)


# ── texts ────────────────────────────────────────────────────────────────────────────────────────────────────────

_DEEPEST, _WIDEST, _MOST = 6, 12, 1_000_000
_BRACKETS = {list: ("[", "]"), tuple: ("(", ")"), set: ("{", "}"), frozenset: ("frozenset({", "})")}


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
            return self._call(kind, [self.of(part, depth) for part in _OF_EXCEPTION["args"](value)[:_WIDEST]])
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
