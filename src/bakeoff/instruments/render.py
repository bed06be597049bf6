"""A call as Python that somebody can run.

Values are written as what makes them again: literals, constructors, members of enums. An object with a state that no
constructor explains gets its state line by line; what cannot be written at all is unpickled, or stands as `...` with a
note. Objects that are met twice have a name. Nothing here raises, and what is written stays short.

Constructors are tried before they are written, in this process: a text that looks right and builds something else
would send its reader the wrong way. Plain Python ≥ 3.9, standard library only.
"""

from __future__ import annotations

import builtins
import collections
import copy
import datetime as dt
import decimal
import enum
import fractions
import functools
import inspect
import itertools
import keyword
import math
import pathlib
import pickle
import sys
import types
import uuid

from . import values
from .values import NOTHING, Arguments, attempt, copied, parts_of, shape_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

__all__ = ["Made", "expression", "snippet"]

MOST = 4_000
_MOST_PICKLED = 1_500
_MOST_NESTED = 40
_MOST_MET = 50_000
# How long one value may be, tried in turn until the whole is short enough.
_LIMITS = (3_000, 1_200, 400, 100, 30)
_ELIDED = "..."
_DEFINITIONS = {
    values.Text: "class Text(str):\n    pass",
    values.Whole: "class Whole(int):\n    pass",
    values.Real: "class Real(float):\n    pass",
    values.Octets: "class Octets(bytes):\n    pass",
    values.Items: "class Items(list):\n    pass",
    values.Row: "class Row(tuple):\n    pass",
    values.Table: "class Table(dict):\n    pass",
    values.Group: "class Group(set):\n    pass",
    values.Stream: (
        "class Stream:\n"
        "    def __init__(self, values):\n"
        "        self.values = values\n\n"
        "    def __aiter__(self):\n"
        "        return self\n\n"
        "    async def __anext__(self):\n"
        "        if not self.values:\n"
        "            raise StopAsyncIteration\n"
        "        return self.values.pop(0)"
    ),
    values.Interrupting: (
        "class Interrupting:\n"
        "    def __init__(self, values, after):\n"
        "        self.values, self.after = values, after\n\n"
        "    def __iter__(self):\n"
        "        yield from self.values[: self.after]\n"
        '        raise RuntimeError(f"after {self.after} items")'
    ),
    values.Indexed: (
        "class Indexed:\n"
        "    def __init__(self, values):\n"
        "        self.values = values\n\n"
        "    def __len__(self):\n"
        "        return len(self.values)\n\n"
        "    def __getitem__(self, index):\n"
        "        return self.values[index]"
    ),
    values.Keyed: (
        "class Keyed:\n"
        "    def __init__(self, values):\n"
        "        self.values = values\n\n"
        "    def keys(self):\n"
        "        return list(self.values)\n\n"
        "    def __getitem__(self, key):\n"
        "        return self.values[key]"
    ),
    values.Raising: (
        "class Raising:\n"
        "    def __init__(self, function, after):\n"
        "        self.function, self.after, self.calls = function, after, 0\n\n"
        "    def __call__(self, *arguments, **keywords):\n"
        "        self.calls += 1\n"
        "        if self.calls > self.after:\n"
        '            raise RuntimeError(f"at call {self.calls}")\n'
        "        return self.function(*arguments, **keywords)"
    ),
}


class Made:
    """Stands for an object, to be written as the calls that make it: each with whether it is refused."""

    def __init__(self, kind: type, steps: list[tuple[values.Step, bool]]) -> None:
        self.kind = kind
        self.steps = steps


def expression(call_name: str, arguments: Arguments) -> str:
    """The call as one expression; what it names has to be imported by whoever runs it."""
    for limit in _LIMITS:
        text = attempt(lambda limit=limit: _Writing(arguments, limit, inline=True).call(call_name, arguments))
        if text is not NOTHING and len(text) <= MOST:
            return text  # type: ignore[no-any-return]
    return f"{call_name}({_ELIDED})"


def snippet(module: str, qualname: str, arguments: Arguments, *, receiver: bool = False) -> str:
    """The call with all that it takes to run it: imports, definitions, and objects that need more than a line.

    With a receiver, the first argument is what the method is called on.
    """
    for limit in _LIMITS:
        text = attempt(lambda limit=limit: _snippet(module, qualname, arguments, receiver=receiver, limit=limit))
        if text is not NOTHING and len(text) <= MOST:
            return text  # type: ignore[no-any-return]
    return f"from {module} import {qualname.partition('.')[0]}\n\n{qualname}({_ELIDED})"


def _snippet(module: str, qualname: str, arguments: Arguments, *, receiver: bool, limit: int) -> str:
    writing = _Writing(arguments, limit, inline=False)
    if receiver and arguments.positional:
        first = writing.named(arguments.positional[0], "receiver")
        rest = Arguments(arguments.positional[1:], arguments.keywords)
        call = writing.call(f"{first}.{qualname.rpartition('.')[2]}", rest)
    else:
        call = writing.call(writing.imported(module, qualname), arguments)
    return writing.whole(call)


class _TooLong(Exception):
    """Raised where a value takes more room than it is given."""


class _Writing:
    """What is written so far, beside the values themselves: imports, definitions, names."""

    def __init__(self, arguments: Arguments, limit: int, *, inline: bool) -> None:
        self._limit = limit
        self._inline = inline
        self._imports: dict[str, set[str]] = {}
        self._sources: dict[str, str] = {}
        self._definitions: dict[str, str] = {}
        self._lines: list[str] = []
        self._notes: list[str] = []
        self._names: dict[int, str] = {}
        self._open: set[int] = set()
        self._afterwards: list[str] = []
        self._shared = _met_twice(arguments)
        self._constructors: dict[int, Arguments | None] = {}
        self._taken: set[str] = set()

    def call(self, name: str, arguments: Arguments) -> str:
        self._taken.add(name.partition(".")[0])
        written: list[str] = []
        for key, value in [*((None, value) for value in arguments.positional), *arguments.keywords.items()]:
            text = self.text(value)
            if key is not None:
                named = key.isidentifier() and not keyword.iskeyword(key)
                text = f"{key}={text}" if named else f"**{{{key!r}: {text}}}"
            written.append(text)
            if len(written) * 2 + len(text) > MOST:
                raise _TooLong
        return f"{name}({', '.join(written)})"

    def named(self, value: Any, name: str) -> str:
        """The name of a line that makes the value; one that is met twice has a name of its own."""
        text = self.text(value)
        if text.isidentifier():
            return text
        self._lines.append(f"{name} = {text}")
        return name

    def whole(self, call: str) -> str:
        plain = [f"import {module}" for module in sorted(self._imports) if not self._imports[module]]
        froms = [
            f"from {module} import {', '.join(sorted(names))}"
            for module, names in sorted(self._imports.items())
            if names
        ]
        blocks = [
            "\n".join(plain + froms),
            *self._definitions.values(),
            "\n".join([*self._lines, call]),
            "\n".join(self._notes),
        ]
        return "\n\n".join(block for block in blocks if block)

    # ── names ──

    def imported(self, module: str, qualname: str) -> str:
        """The name by which something of a module is called, and see to its import."""
        if module in {"builtins", "__main__"} or "<" in qualname:
            return qualname
        first = qualname.partition(".")[0]
        if (first in self._sources or first not in self._taken) and self._sources.setdefault(first, module) == module:
            self._imports.setdefault(module, set()).add(first)
            self._taken.add(first)
            return qualname
        self._imports.setdefault(module, set())
        return f"{module}.{qualname}"

    def plainly(self, module: str, text: str) -> str:
        """A text that names a module, which is imported as it is."""
        self._imports.setdefault(module, set())
        return text

    def class_name(self, cls: Any) -> str:
        if cls in _DEFINITIONS:
            self._definitions[cls.__name__] = _DEFINITIONS[cls]
            return cls.__name__  # type: ignore[no-any-return]
        if "<" in cls.__qualname__:
            raise ValueError("a class of a function cannot be imported")
        return self.imported(cls.__module__, cls.__qualname__)

    def _fresh(self, wanted: str = "") -> str:
        """A name that nothing has yet, and that hides nothing."""
        numbered = (f"{wanted or 'value'}_{number}" for number in itertools.count(2))
        candidates = itertools.chain([wanted] if wanted else "abcdefgh", numbered)
        name = next(each for each in candidates if not self._is_taken(each))
        self._taken.add(name)
        return name

    def _is_taken(self, name: str) -> bool:
        return name in self._taken or name in sys.modules or hasattr(builtins, name) or keyword.iskeyword(name)

    # ── values ──

    def text(self, value: Any, where: str = "", depth: int = 0) -> str:
        """`where` is how this place is reached once the named object around it is there; "" where it is not."""
        plain = attempt(_PLAIN.get, type(value))
        if plain:
            return self._short(plain(value), value)
        if id(value) in self._names:
            return self._again(value, where)
        if id(value) in self._open or depth > _MOST_NESTED:
            return self._noted(value)
        self._open.add(id(value))
        try:
            return self._of_parts(value, where, depth)
        finally:
            self._open.discard(id(value))

    def _of_parts(self, value: Any, where: str, depth: int) -> str:
        if type(value) is Made:
            return self._of_history(value)
        shared = id(value) in self._shared
        if not self._inline and (shared or self._by_state(value)):
            return self._as_lines(value, depth)
        if not shared:
            return self._guarded(value, where, depth)
        name = self._fresh()
        text = self._guarded(value, where, depth)
        self._names[id(value)] = name
        return f"({name} := {text})"

    def _of_history(self, value: Made) -> str:
        """The name of an object that is made line by line; inline, an expression that gives it."""
        name = self._names[id(value)] = self._fresh(_variable(value.kind.__name__))
        (first, _), *others = value.steps
        made = self.call(self.class_name(value.kind), _arguments_of(first))
        calls = [(self.call(f"{name}.{step.method}", _arguments_of(step)), refused) for step, refused in others]
        if self._inline:
            fine = [call for call, refused in calls if not refused]
            return f"({name} := {made}, {', '.join(fine)}, {name})[-1]" if fine else made
        self._lines.append(f"{name} = {made}")
        for call, refused in calls:
            if refused:
                self._imports.setdefault("contextlib", set())
            self._lines.append(f"with contextlib.suppress(Exception):\n    {call}" if refused else call)
        return name

    def _as_lines(self, value: Any, depth: int) -> str:
        name = self._names[id(value)] = self._fresh(_variable(type(value).__name__) if self._by_state(value) else "")
        later, self._afterwards = self._afterwards, []
        if self._by_state(value):
            lines = self._state_of(value, name, depth)
        else:
            text = self._guarded(value, name, depth)
            lines = [f"{name} = {text}"]
            if text == _ELIDED or text.startswith("pickle.loads("):
                self._afterwards = []
        self._lines += [*lines, *self._afterwards]
        self._afterwards = later
        return name

    def _by_state(self, value: Any) -> bool:
        """Whether only lines of its own make this object: it has fields, and no constructor that explains them."""
        if shape_of(value) is not values.STATE or "<" in type(value).__qualname__:
            return False
        return self._constructor_of(value) is None

    def _constructor_of(self, value: Any) -> Arguments | None:
        if id(value) not in self._constructors:
            self._constructors[id(value)] = attempt(_constructor, value) or None
        return self._constructors[id(value)]

    def _state_of(self, value: Any, name: str, depth: int) -> list[str]:
        """Made without its constructor, and given its state line by line."""
        cls = self.class_name(type(value))
        lines = [f"{name} = {cls}.__new__({cls})"]
        for field, part in zip(values.STATE.names(value), values.STATE.apart(value)):
            text = self.text(part, f"{name}.{field}", depth + 1)
            own: Any = type(value).__setattr__
            plainly = own is object.__setattr__ and field.isidentifier()
            lines.append(f"{name}.{field} = {text}" if plainly else f"object.__setattr__({name}, {field!r}, {text})")
        return lines

    def _again(self, value: Any, where: str) -> str:
        name = self._names[id(value)]
        if id(value) not in self._open:
            return name
        # It stands inside itself: first without, then put there.
        if self._inline or not where:
            return self._noted(value)
        self._afterwards.append(f"{where} = {name}")
        return "None"

    def _guarded(self, value: Any, where: str, depth: int) -> str:
        try:
            return self._short(self._made(value, where, depth), value)
        except Exception:  # foreign code, or no way to write it
            return self._noted(value)

    def _short(self, text: str, value: Any) -> str:
        return text if len(text) <= self._limit else self._noted(value)

    def _noted(self, value: Any) -> str:
        """What cannot be written: pickled where that is short, else left out and said so."""
        blob = attempt(pickle.dumps, value, 4)
        if blob is not NOTHING and len(blob) <= min(_MOST_PICKLED, self._limit // 2):
            return self.plainly("pickle", f"pickle.loads({blob!r})")
        note = f"# {_ELIDED} stands for a {_type_name(value)}, which is too long or cannot be written as Python"
        if note not in self._notes:
            self._notes.append(note)
        return _ELIDED

    def _made(self, value: Any, where: str, depth: int) -> str:
        kind = type(value)
        writer = attempt(_WRITERS.get, kind)
        if writer:
            return writer(self, value, where, depth + 1)  # type: ignore[no-any-return]
        for kinds, write in _BY_FAMILY:
            if issubclass(kind, kinds):
                return write(self, value, where, depth + 1)
        numpy = sys.modules.get("numpy")
        if numpy is not None and isinstance(value, (numpy.ndarray, numpy.generic)):
            return self._of_numpy(numpy, value)
        return self.of_callable(value) if issubclass(kind, _FUNCTIONS) else self._of_object(value)

    def inner(self, parts: Iterable[Any], where: str, depth: int) -> str:
        """The elements of a container, which is reached by its indices."""
        written, room = [], self._limit
        for index, value in enumerate(parts):
            written.append(self.text(value, f"{where}[{index}]" if where else "", depth))
            room -= len(written[-1]) + 2
            if room < 0:
                raise _TooLong
        return ", ".join(written)

    def pairs(self, value: Any, where: str, depth: int) -> str:
        written, room = [], self._limit
        for key, part in dict.items(value):
            name = self.text(key, "", depth)
            written.append(f"{name}: {self.text(part, f'{where}[{name}]' if where else '', depth)}")
            room -= len(written[-1]) + 2
            if room < 0:
                raise _TooLong
        return "{" + ", ".join(written) + "}"

    def of_callable(self, value: Any) -> str:
        if isinstance(value, functools.partial):
            given = Arguments((value.func, *value.args), dict(value.keywords))
            return self.call(self.imported("functools", "partial"), given)
        owner = getattr(value, "__self__", None)
        if owner is not None and not isinstance(owner, types.ModuleType):
            return f"{self.text(owner)}.{value.__name__}"
        if hasattr(value, "__objclass__"):
            return f"{self.class_name(value.__objclass__)}.{value.__name__}"
        if "<" in value.__qualname__:
            raise ValueError("it has no name to import it by")
        return self.imported(value.__module__, value.__qualname__)

    def _of_numpy(self, numpy: Any, value: Any) -> str:
        self.plainly("numpy", "")
        if isinstance(value, numpy.generic):
            return f"numpy.{type(value).__name__}({self.text(value.item())})"
        if value.dtype.kind not in "biufcSUO" or value.size > 500:
            raise _TooLong
        dtype = f"dtype={str(value.dtype)!r}"
        if value.size == 0:
            return f"numpy.empty({value.shape!r}, {dtype})"
        return f"numpy.array({self.text(value.tolist())}, {dtype})"

    def _of_object(self, value: Any) -> str:
        given = self._constructor_of(value)
        if given is None:
            raise ValueError("no constructor makes it")
        return self.call(self.class_name(type(value)), given)


def _type_name(value: Any) -> str:
    cls = type(value)
    return cls.__name__ if cls.__module__ == "builtins" else f"{cls.__module__}.{cls.__qualname__}"


def _variable(name: str) -> str:
    """order_line for an OrderLine."""
    lowered = "".join(f"_{char.lower()}" if char.isupper() else char for char in name).strip("_")
    return lowered if lowered.isidentifier() and not keyword.iskeyword(lowered) else "thing"


def _arguments_of(step: values.Step) -> Arguments:
    return Arguments(step.positional, step.keywords)


def _met_twice(arguments: Arguments) -> frozenset[int]:
    """The objects that can change and stand in more than one place."""
    # Kept alive, so that no other has the identity of one.
    met: dict[int, Any] = {}
    twice: set[int] = set()
    waiting = [*arguments.positional, *arguments.keywords.values()]
    for _ in range(_MOST_MET):
        if not waiting:
            break
        value = waiting.pop()
        shape = shape_of(value)
        if shape is None:
            continue
        if not isinstance(value, (tuple, frozenset)):
            if id(value) in met:
                twice.add(id(value))
                continue
            met[id(value)] = value
        waiting += attempt(shape.apart, value) or ()
    return frozenset(twice)


def _constructor(value: Any) -> Arguments | None:
    """What its class has to be called with to give this value, found by trying it."""
    cls, shape = type(value), shape_of(value)
    if shape is None:
        return None
    if shape.kind == "fields":
        given = _named_after_parameters(cls, dict(zip(shape.names(value), shape.apart(value))))
    else:
        parts = shape.apart(value)
        given = Arguments((dict(zip(parts[::2], parts[1::2])) if shape.kind == "entries" else list(parts),), {})
    if given is None:
        return None
    made = cls(*copied(given.positional), **copied(given.keywords))
    return given if _print_of(made) == _print_of(value) else None


def _named_after_parameters(cls: Any, fields: dict[str, Any]) -> Arguments | None:
    keywords = {}
    for parameter in inspect.signature(cls).parameters.values():
        name = next((each for each in (parameter.name, f"_{parameter.name}") if each in fields), None)
        if name is not None and parameter.kind is not parameter.POSITIONAL_ONLY:
            keywords[parameter.name] = fields[name]
        elif parameter.default is parameter.empty:
            return None
    return Arguments((), keywords)


def _print_of(value: Any) -> str:
    shape = values.STATE
    return values.Fingerprints().of([value, shape.names(value), shape.apart(value)])


# ── how types are written ─────────────────────────────────────────────────────────────────────────────────────────


def _text_of_int(value: int) -> str:
    return repr(value) if abs(value) < 10**4000 else hex(value)


def _text_of_float(value: float) -> str:
    return repr(value) if math.isfinite(value) else f"float({str(value)!r})"


def _text_of_string(value: Any) -> str:
    """Long and monotonous ones as a product."""
    if len(value) > 60:
        for period in range(1, 33):
            times, rest = divmod(len(value), period)
            if value[:period] * times == value[: period * times] and value[:rest] == value[period * times :]:
                return f"{value[:period]!r} * {times}" + (f" + {value[period * times :]!r}" if rest else "")
    return repr(value)


def _text_of_complex(value: complex) -> str:
    return f"complex({_text_of_float(value.real)}, {_text_of_float(value.imag)})"


_PLAIN: dict[type, Callable[[Any], str]] = {
    **dict.fromkeys((type(None), bool, type(Ellipsis), type(NotImplemented), range), repr),
    int: _text_of_int,
    float: _text_of_float,
    complex: _text_of_complex,
    str: _text_of_string,
    bytes: _text_of_string,
}


def _write_list(writing: _Writing, value: Any, where: str, depth: int) -> str:
    """Long and monotonous ones as a range or a product."""
    kinds = set(map(type, value))
    if len(value) > 10 and kinds == {int}:
        step = value[1] - value[0]
        if step and value == list(range(value[0], value[0] + step * len(value), step)):
            return f"list({range(value[0], value[0] + step * len(value), step)!r})"
    if len(value) > 10 and kinds in ({int}, {str}, {bool}, {type(None)}):
        for period in range(1, 9):
            times, rest = divmod(len(value), period)
            if not rest and value[:period] * times == value:
                return f"{value[:period]!r} * {times}"
    return f"[{writing.inner(value, where, depth)}]"


def _write_tuple(writing: _Writing, value: Any, where: str, depth: int) -> str:
    inner = writing.inner(value, "", depth)
    return f"({inner},)" if len(value) == 1 else f"({inner})"


def _write_set(writing: _Writing, value: Any, where: str, depth: int) -> str:
    return "{" + writing.inner(parts_of(value), "", depth) + "}" if value else "set()"


def _write_frozenset(writing: _Writing, value: Any, where: str, depth: int) -> str:
    return f"frozenset({{{writing.inner(parts_of(value), '', depth)}}})" if value else "frozenset()"


def _write_deque(writing: _Writing, value: Any, where: str, depth: int) -> str:
    name = writing.imported("collections", "deque")
    most = "" if value.maxlen is None else f", maxlen={value.maxlen}"
    return f"{name}([{writing.inner(value, where, depth)}]{most})"


def _write_ordered(writing: _Writing, value: Any, where: str, depth: int) -> str:
    return f"{writing.imported('collections', type(value).__name__)}({writing.pairs(value, where, depth)})"


def _write_default(writing: _Writing, value: Any, where: str, depth: int) -> str:
    name = writing.imported("collections", "defaultdict")
    return f"{name}({writing.text(value.default_factory)}, {writing.pairs(value, where, depth)})"


def _write_buffer(writing: _Writing, value: Any, where: str, depth: int) -> str:
    if value.tell():
        raise ValueError("it is written as if nobody had read of it")
    return f"{writing.imported('io', type(value).__name__)}({_text_of_string(value.getvalue())})"


def _write_iterator(writing: _Writing, value: Any, where: str, depth: int) -> str:
    return f"iter([{writing.inner(parts_of(value), '', depth)}])"


def _write_copied_iterator(writing: _Writing, value: Any, where: str, depth: int) -> str:
    return f"iter([{writing.inner(copy.copy(value), '', depth)}])"


def _write_values(writing: _Writing, value: Any, where: str, depth: int) -> str:
    after = f", {value.after}" if type(value) is values.Interrupting else ""
    return f"{writing.class_name(type(value))}([{writing.inner(value.values, '', depth)}]{after})"


def _write_keyed(writing: _Writing, value: Any, where: str, depth: int) -> str:
    return f"{writing.class_name(type(value))}({writing.pairs(value.values, '', depth)})"


def _write_raising(writing: _Writing, value: Any, where: str, depth: int) -> str:
    return f"{writing.class_name(type(value))}({writing.text(value.function)}, {value.after})"


def _write_subclass(plain: Any) -> Callable[..., str]:
    """One of ours, with the contents of the type below it."""
    return lambda writing, value, where, depth: (
        f"{writing.class_name(type(value))}({writing.text(plain(value), '', depth)})"
    )


def _write_as(module: str) -> Callable[..., str]:
    """Whose repr is an expression already, once the module is imported."""
    return lambda writing, value, where, depth: writing.plainly(module, repr(value))


def _write_time(writing: _Writing, value: Any, where: str, depth: int) -> str:
    zone = value.tzinfo
    if type(zone).__name__ == "ZoneInfo":
        writing.plainly("zoneinfo", "")
    elif zone is not None and type(zone) is not dt.timezone:
        raise ValueError("a zone of unknown make")
    return writing.plainly("datetime", repr(value))


def _write_named(module: str) -> Callable[..., str]:
    """Whose repr is an expression already, once its class is imported."""
    return lambda writing, value, where, depth: (
        writing.imported(module, type(value).__name__) + repr(value)[len(type(value).__name__) :]
    )


def _write_views(kind: str) -> Callable[..., str]:
    build = {"keys": "dict.fromkeys({})", "values": "dict(enumerate({}))", "items": "dict({})"}[kind]
    return lambda writing, value, where, depth: build.format(f"[{writing.inner(value, '', depth)}]") + f".{kind}()"


_ITERATORS: tuple[type, ...] = (
    type(iter([])),
    type(iter(())),
    type(iter("")),
    type(iter(range(0))),
    type(iter({})),
    type(reversed([])),
)
_WRITERS: dict[type, Callable[..., str]] = {
    list: _write_list,
    tuple: _write_tuple,
    set: _write_set,
    frozenset: _write_frozenset,
    dict: lambda writing, value, where, depth: writing.pairs(value, where, depth),
    collections.deque: _write_deque,
    collections.OrderedDict: _write_ordered,
    collections.Counter: _write_ordered,
    collections.defaultdict: _write_default,
    **dict.fromkeys(values.BUFFERS, _write_buffer),
    bytearray: lambda writing, value, where, depth: f"bytearray({_text_of_string(bytes(value))})",
    memoryview: lambda writing, value, where, depth: f"memoryview({bytes(value)!r})",
    slice: lambda writing, value, where, depth: repr(value),
    decimal.Decimal: _write_named("decimal"),
    fractions.Fraction: _write_named("fractions"),
    uuid.UUID: _write_named("uuid"),
    dt.date: _write_as("datetime"),
    dt.timedelta: _write_as("datetime"),
    dt.timezone: _write_as("datetime"),
    dt.time: _write_time,
    dt.datetime: _write_time,
    types.SimpleNamespace: lambda writing, value, where, depth: writing.call(
        writing.imported("types", "SimpleNamespace"), Arguments((), dict(vars(value)))
    ),
    values.OneShot: _write_iterator,
    values.Stream: _write_values,
    values.Interrupting: _write_values,
    values.Indexed: _write_values,
    values.Keyed: _write_keyed,
    values.Raising: _write_raising,
    values.Text: _write_subclass(str.__str__),
    values.Whole: _write_subclass(int.__int__),
    values.Real: _write_subclass(float.__float__),
    values.Octets: _write_subclass(lambda value: value[:]),
    values.Items: _write_subclass(list),
    values.Row: _write_subclass(tuple),
    values.Table: _write_subclass(dict),
    values.Group: _write_subclass(set),
    values.KEYS: _write_views("keys"),
    type({}.values()): _write_views("values"),
    type({}.items()): _write_views("items"),
    **dict.fromkeys(_ITERATORS, _write_copied_iterator),
}


def _write_member(writing: _Writing, value: Any, where: str, depth: int) -> str:
    name = writing.class_name(type(value))
    if value.name in type(value).__members__:
        return f"{name}.{value.name}"
    return f"{name}({writing.text(value.value)})"


def _write_path(writing: _Writing, value: Any, where: str, depth: int) -> str:
    name = "Path" if type(value) is type(pathlib.Path()) else type(value).__name__
    return f"{writing.imported('pathlib', name)}({str(value)!r})"


def _write_class(writing: _Writing, value: Any, where: str, depth: int) -> str:
    return writing.class_name(value)


def _write_exception(writing: _Writing, value: Any, where: str, depth: int) -> str:
    return writing.call(writing.class_name(type(value)), Arguments(tuple(value.args), {}))


_BY_FAMILY: tuple[tuple[Any, Callable[..., str]], ...] = (
    (enum.Enum, _write_member),
    (pathlib.PurePath, _write_path),
    (type, _write_class),
    (BaseException, _write_exception),
)
_FUNCTIONS = (types.FunctionType, types.BuiltinFunctionType, types.MethodType, functools.partial, type(str.lower))
