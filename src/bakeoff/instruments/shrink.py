"""The smallest input that still shows a difference, found by taking away and simplifying, one step at a time.

A step is kept where the difference stays and the input's `size` becomes smaller: sharing of objects first, then the
number of parts, then what stands in them. So it ends, and the same input always gives the same result. Nothing is
changed in place, and what is asked about is a copy: targets change their arguments. Plain Python ≥ 3.9, standard
library only.
"""

from __future__ import annotations

import datetime as dt
import decimal
import enum
import fractions
import itertools
import math
import sys

from . import values
from .values import NOTHING, Arguments, attempt, copied, is_array, parts_of, rebuilt, shape_of, with_part

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

__all__ = ["shrink", "size"]

_MOST_PARTS = 200_000
_MOST_ROUNDS = 50
_MAX_DEPTH = 40
_EASY = "a01b \n"
_LONG = 80
# Heavier than any finite float that is whole, so that those are simpler.
_BROKEN, _ODD = 1 << 1100, 1 << 1200
_PLAINER: dict[type, Callable[[Any], Any]] = {
    values.Text: str.__str__,
    values.Whole: int.__int__,
    values.Real: float.__float__,
    values.Octets: lambda value: value[:],
    values.Items: list,
    values.Row: tuple,
    values.Table: dict,
    values.Group: set,
    values.OneShot: lambda value: list(value.values),
    values.Indexed: lambda value: list(value.values),
    values.Keyed: lambda value: dict(value.values),
    values.Raising: lambda value: value.function,
}


def shrink(arguments: Arguments, fails: Callable[[Arguments], bool], *, budget: int = 2000) -> Arguments:
    """The smallest arguments found for which `fails` holds; it is asked at most `budget` times, about copies.

    Where it raises, it does not hold. Where nothing smaller was found, the very arguments that were given.
    """
    return _Shrinking(arguments, fails, budget).smallest()


def size(arguments: Arguments) -> tuple[int, int, int]:
    """How much there is to look at: objects met again, parts, and how far those are from nought."""
    shared, parts, weight = 0, len(arguments.keywords), 0
    met: dict[int, Any] = {}
    waiting = [*arguments.positional, *arguments.keywords.values()]
    while waiting and parts < _MOST_PARTS:
        value = waiting.pop()
        parts += 1
        shape = shape_of(value)
        if shape is None:
            more, heavier = _measured(value)
            parts, weight = parts + more, weight + heavier
            continue
        if not _is_fixed(value):
            if id(value) in met:
                shared += 1
                continue
            met[id(value)] = value
        weight += _ODD if _plainer(value) is not None else 0
        waiting += attempt(shape.apart, value) or ()
    return shared, parts, weight


def _plainer(value: Any) -> Callable[[Any], Any] | None:
    """What makes a plain value of one of ours."""
    return attempt(_PLAINER.get, type(value)) or None


def _is_fixed(value: Any) -> bool:
    return isinstance(value, (tuple, frozenset))


# ── how heavy a part is ───────────────────────────────────────────────────────────────────────────────────────────


def _measured(value: Any) -> tuple[int, int]:
    """How many parts this leaf has beside itself, and how heavy it is."""
    kind = type(value)
    if is_array(value):
        numbers = value.dtype.kind in "biufc"
        return int(value.size), int(sys.modules["numpy"].count_nonzero(value)) if numbers else 0
    plainer = _plainer(value)
    if plainer is not None:
        parts, weight = _measured(plainer(value))
        return parts, weight + _ODD
    if kind in {str, bytes, bytearray}:
        return len(value), sum(map(_rank, value if kind is str else value.decode("latin-1")))
    weigh = attempt(_WEIGHTS.get, kind)
    if weigh:
        return 0, weigh(value)
    if issubclass(kind, enum.Enum):
        members = list(kind)
        return 0, next((index for index, member in enumerate(members) if member is value), len(members))
    return 0, 0


def _rank(char: str) -> int:
    easy = _EASY.find(char)
    if easy >= 0:
        return easy
    return ord(char) if char.isascii() else 1_000 + ord(char)


def _weight_of_int(value: int) -> int:
    return 2 * abs(value) + (value < 0)


def _weight_of_float(value: float) -> int:
    if not math.isfinite(value):
        return _BROKEN * 3
    if value == int(value):
        return _weight_of_int(int(value)) + (math.copysign(1, value) < 0)
    return _BROKEN + len(repr(value)) * 1_000 + int(min(abs(value), 900))


def _weight_of_decimal(value: decimal.Decimal) -> int:
    if not value.is_finite():
        return _BROKEN
    return len(str(value)) * 1_000 + 2 * int(min(abs(value), decimal.Decimal(400))) + value.is_signed()


def _weight_of_date(value: dt.date) -> int:
    return 100 * abs(value.year - 2000) + 10 * (value.month - 1) + value.day


def _weight_of_time(value: Any) -> int:
    zone = 10_000_000 if value.tzinfo is not None else 0
    return zone + sum(map(bool, (value.hour, value.minute, value.second, value.microsecond, value.fold))) * 10**6


def _weight_of_duration(value: dt.timedelta) -> int:
    """Whole days first, then whole seconds."""
    seconds = 10**10 + value.seconds if value.seconds else 0
    return _weight_of_int(value.days) + seconds + (10**17 + value.microseconds if value.microseconds else 0)


_WEIGHTS: dict[type, Callable[[Any], int]] = {
    bool: int,
    int: _weight_of_int,
    float: _weight_of_float,
    complex: lambda value: _weight_of_float(value.real) + _weight_of_float(value.imag),
    decimal.Decimal: _weight_of_decimal,
    fractions.Fraction: lambda value: _weight_of_int(value.numerator) + 3 * value.denominator,
    dt.date: _weight_of_date,
    dt.time: _weight_of_time,
    dt.datetime: lambda value: _weight_of_date(value) + _weight_of_time(value),
    dt.timedelta: _weight_of_duration,
    range: len,
}


# ── simpler leaves, the simplest first ────────────────────────────────────────────────────────────────────────────


def _simpler(value: Any) -> Iterator[Any]:
    kind = type(value)
    plainer = _plainer(value)
    if plainer is not None:
        yield plainer(value)
    if is_array(value):
        yield from _simpler_arrays(sys.modules["numpy"], value)
    elif issubclass(kind, enum.Enum):
        yield from itertools.takewhile(lambda member: member is not value, kind)
    elif plainer is None and kind in _SIMPLER:
        yield from _SIMPLER[kind](value)


def _simpler_ints(value: int) -> Iterator[int]:
    yield from (0, 1, abs(value))
    step = abs(value)
    while step > 1:
        step //= 2
        yield value - step if value > 0 else value + step


def _simpler_floats(value: float) -> Iterator[float]:
    yield from (0.0, 1.0, 0.5, abs(value))
    if math.isfinite(value):
        yield from (float(int(value)), round(value, 1), round(value, 2))
        yield from map(float, _simpler_ints(int(value))) if abs(value) < 2**60 else (2.0**53, value / 1e10)


def _simpler_texts(value: Any) -> Iterator[Any]:
    """For bytes too."""
    kind = type(value)
    new: Any = str if kind is str else lambda text: kind(text.encode("latin-1", "replace"))
    text = value if kind is str else value.decode("latin-1")
    yield new("")
    yield new("a" * min(len(text), 1))
    for chunk in _chunks(len(text)):
        yield new(text[: chunk.start] + text[chunk.stop :])
    yield from (new("a" * len(text)), new(text.lower()))
    for index, char in enumerate(text[:_LONG]):
        for easy in [easy for easy in (*_EASY[:4], "A") if _rank(easy) < _rank(char)]:
            yield new(text[:index] + easy + text[index + 1 :])


def _simpler_decimals(value: decimal.Decimal) -> Iterator[decimal.Decimal]:
    yield from (decimal.Decimal(0), decimal.Decimal(1), value.copy_abs())
    if value.is_finite() and abs(value.adjusted()) < 100:
        yield from (decimal.Decimal(int(value)), round(value, 1), round(value, 2))


def _simpler_fractions(value: fractions.Fraction) -> Iterator[fractions.Fraction]:
    yield from (fractions.Fraction(0), fractions.Fraction(1), fractions.Fraction(int(value)), abs(value))
    yield from (fractions.Fraction(1, 2), fractions.Fraction(value.numerator % value.denominator, value.denominator))


def _simpler_dates(value: dt.date) -> Iterator[dt.date]:
    first = {"year": 2000, "month": 1, "day": 1}
    yield value.replace(**first)
    for name, number in first.items():
        made = attempt(lambda name=name, number=number: value.replace(**{name: number}))
        if made is not NOTHING:
            yield made


def _simpler_times(value: Any) -> Iterator[Any]:
    yield value.replace(hour=0, minute=0, second=0, microsecond=0, fold=0, tzinfo=None)
    yield value.replace(tzinfo=None)
    yield from (value.replace(**{name: 0}) for name in ("microsecond", "second", "minute", "hour", "fold"))


def _simpler_durations(value: dt.timedelta) -> Iterator[dt.timedelta]:
    yield from (dt.timedelta(0), dt.timedelta(1), abs(value), dt.timedelta(value.days), dt.timedelta(0, value.seconds))
    yield from (value / 2, dt.timedelta(value.days, value.seconds))


def _simpler_arrays(numpy: Any, value: Any) -> Iterator[Any]:
    if value.ndim:
        for chunk in _chunks(min(len(value), 256)):
            yield numpy.delete(value, chunk, axis=0)
    yield numpy.zeros_like(value)


_SIMPLER: dict[type, Callable[[Any], Any]] = {
    bool: lambda _: (False,),
    int: _simpler_ints,
    float: _simpler_floats,
    complex: lambda value: (0j, 1j, complex(value.real), complex(int(value.real)) if math.isfinite(value.real) else 0j),
    str: _simpler_texts,
    bytes: _simpler_texts,
    bytearray: _simpler_texts,
    decimal.Decimal: _simpler_decimals,
    fractions.Fraction: _simpler_fractions,
    dt.date: _simpler_dates,
    dt.time: _simpler_times,
    dt.datetime: lambda value: itertools.chain(_simpler_times(value), _simpler_dates(value)),
    dt.timedelta: _simpler_durations,
    range: lambda value: (range(0), value[: len(value) // 2], value[:-1], range(len(value))),
}


def _chunks(length: int) -> Iterator[slice]:
    """What to take away: halves, quarters, … and at last each one, from the end."""
    width = length
    while width > 1:
        width = -(-width // 2)
        for start in range((length - 1) // width * width, -1, -width):
            yield slice(start, min(start + width, length))


# ── shrinking ─────────────────────────────────────────────────────────────────────────────────────────────────────

# A path leads from the arguments, as a pair of a list and a dict would be, to a part: the slot first.
if TYPE_CHECKING:
    Path = tuple[Any, ...]


class _Shrinking:
    """The best so far, and what was asked already."""

    def __init__(self, arguments: Arguments, fails: Callable[[Arguments], bool], budget: int) -> None:
        self._best = arguments
        self._size = size(arguments)
        self._fails = fails
        self._left = budget
        self._prints = values.Fingerprints()
        self._asked = {self._prints.digest(arguments)}

    def smallest(self) -> Arguments:
        for _ in range(_MOST_ROUNDS):
            before = self._size
            self._unshare()
            self._leave_out_arguments()
            for slot, _ in self._best.slots():
                self._simplify((slot,))
            self._simplify_equals()
            if self._size == before or self._left <= 0:
                break
        return self._best

    def _holds(self, arguments: Any) -> bool:
        """Whether these are smaller and still show the difference; if so, they are the best from now on."""
        if arguments is NOTHING or self._left <= 0:
            return False
        smaller = size(arguments)
        digest = self._prints.digest(arguments)
        if smaller >= self._size or digest in self._asked:
            return False
        self._asked.add(digest)
        self._left -= 1
        if attempt(self._fails, arguments.copied()) is not True:
            return False
        self._best, self._size = arguments, smaller
        return True

    def _unshare(self) -> None:
        if self._size[0]:
            positional = attempt(lambda: tuple([_apart(value, 0) for value in self._best.positional]))
            keywords = attempt(lambda: {name: _apart(value, 0) for name, value in self._best.keywords.items()})
            if positional is not NOTHING and keywords is not NOTHING:
                self._holds(Arguments(positional, keywords))

    def _leave_out_arguments(self) -> None:
        for name in list(self._best.keywords):
            rest = {key: value for key, value in self._best.keywords.items() if key != name}
            self._holds(Arguments(self._best.positional, rest))
        while self._best.positional and self._holds(Arguments(self._best.positional[:-1], self._best.keywords)):
            pass

    def _simplify(self, path: Path) -> None:
        """The part at the path, from the outside in."""
        if self._left <= 0 or len(path) > _MAX_DEPTH:
            return
        value = self._at(path)
        shape = NOTHING if value is NOTHING else shape_of(value)
        if value is NOTHING or shape is None:
            self._simplify_leaf(path)
            return
        self._unnest(path)
        self._thin_out(path)
        self._make_plain(path)
        index = 0
        while index < self._many(path):
            self._simplify((*path, index))
            index += 1

    def _at(self, path: Path) -> Any:
        return attempt(_part_at, self._best, path)

    def _many(self, path: Path) -> int:
        return min(len(attempt(parts_of, self._at(path)) or ()), 500)

    def _put(self, path: Path, new: Any) -> bool:
        if self._size[0] and self._holds(attempt(_with_shared, self._best, path, new)):
            return True
        return self._holds(attempt(_with, self._best, path, new))

    def _simplify_leaf(self, path: Path) -> None:
        value = self._at(path)
        simpler = iter(()) if value is NOTHING else _simpler(value)
        while self._left > 0:
            new = attempt(next, simpler, NOTHING)
            if new is NOTHING:
                return
            if self._put(path, new):
                simpler = _simpler(new)

    def _simplify_equals(self) -> None:
        """Where the same number or word stands in several places, in all of them at once."""
        for value in _repeated(self._best):
            simpler, current = _simpler(value), value
            while self._left > 0:
                new = attempt(next, simpler, NOTHING)
                if new is NOTHING:
                    break
                if self._holds(attempt(_with_equals, self._best, current, new)):
                    simpler, current = _simpler(new), new

    def _unnest(self, path: Path) -> None:
        """In the place of a value, one inside it that has its type: far inside first, for what is nested deeply."""
        for depth in (64, 16, 4, 1):
            for _ in range(200):
                if not any(self._put(path, inner) for inner in _inside(self._at(path), depth)):
                    break

    def _thin_out(self, path: Path) -> None:
        progress = True
        while progress and self._left > 0:
            value = self._at(path)
            shape = shape_of(value)
            parts = [] if shape is None else attempt(shape.apart, value)
            if shape is None or shape.kind == "fields" or not parts:
                return
            width = 2 if shape.kind == "entries" else 1
            progress = self._put(path, attempt(shape.together, value, ())) or any(
                self._put(path, attempt(shape.together, value, parts[: at.start * width] + parts[at.stop * width :]))
                for at in _chunks(len(parts) // width)
            )

    def _make_plain(self, path: Path) -> None:
        value = self._at(path)
        plainer = _plainer(value)
        if plainer is not None:
            self._put(path, attempt(plainer, value))


def _inside(value: Any, depth: int) -> list[Any]:
    """What stands so many levels inside a value and has its type; of deep ones, only along the first of each."""
    found = [value]
    for _ in range(depth):
        inner = [part for each in found for part in attempt(parts_of, each) or () if type(part) is type(value)]
        found = inner if depth == 1 else inner[:1]
        if not found:
            break
    return found[:20]


def _apart(value: Any, depth: int) -> Any:
    """A copy in which nothing is met twice."""
    if depth > _MAX_DEPTH:
        raise RecursionError
    if shape_of(value) is None:
        return copied(value)
    return rebuilt(value, [_apart(part, depth + 1) for part in parts_of(value)])


def _repeated(arguments: Arguments) -> list[Any]:
    """The leaves that stand in several places, a few of them."""
    met: dict[Any, int] = {}
    waiting, known = [*arguments.keywords.values(), *reversed(arguments.positional)], set()
    for _ in range(2_000):
        if not waiting:
            break
        value = waiting.pop()
        if type(value) in {int, float, str, bytes}:
            met[type(value), value] = met.get((type(value), value), 0) + 1
        elif shape_of(value) is not None and id(value) not in known:
            known.add(id(value))
            waiting += reversed(attempt(parts_of, value) or ())
    return [value for (_, value), count in met.items() if count > 1][:20]


def _with_equals(arguments: Arguments, old: Any, new: Any) -> Arguments:
    memo: dict[int, Any] = {}

    def replaced(value: Any, depth: int) -> Any:
        if type(value) is type(old) and value == old:
            return new
        if shape_of(value) is None or id(value) in memo:
            return memo.get(id(value), value)
        if depth > _MAX_DEPTH:
            raise RecursionError
        return memo.setdefault(id(value), rebuilt(value, [replaced(part, depth + 1) for part in parts_of(value)]))

    positional = tuple([replaced(value, 0) for value in arguments.positional])
    return Arguments(positional, {name: replaced(value, 0) for name, value in arguments.keywords.items()})


def _part_at(arguments: Arguments, path: Path) -> Any:
    value = arguments.at(path[0])
    for index in path[1:]:
        value = parts_of(value)[index]
    return value


def _with(arguments: Arguments, path: Path, new: Any) -> Arguments:
    """The same with another part at the path; along the path, everything is new."""
    if new is NOTHING:
        raise ValueError("there is no such value")
    return arguments.replaced(path[0], with_part(arguments.at(path[0]), path[1:], new))


def _with_shared(arguments: Arguments, path: Path, new: Any) -> Arguments:
    """The same with another part at the path, everywhere where the object is met that this part belongs to."""
    if new is NOTHING:
        raise ValueError("there is no such value")
    for length in range(len(path), 0, -1):
        owner = _part_at(arguments, path[:length])
        if shape_of(owner) is not None and not _is_fixed(owner):
            break
    else:
        return _with(arguments, path, new)
    memo = {id(owner): with_part(owner, path[length:], new)}
    positional = tuple([_substituted(value, memo, 0) for value in arguments.positional])
    return Arguments(positional, {name: _substituted(value, memo, 0) for name, value in arguments.keywords.items()})


def _substituted(value: Any, memo: dict[int, Any], depth: int) -> Any:
    if id(value) in memo:
        return memo[id(value)]
    if shape_of(value) is None:
        return value
    if depth > _MAX_DEPTH:
        raise RecursionError
    parts = parts_of(value)
    inner = [_substituted(part, memo, depth + 1) for part in parts]
    unchanged = all(one is other for one, other in zip(parts, inner))
    return memo.setdefault(id(value), value if unchanged else rebuilt(value, inner))
