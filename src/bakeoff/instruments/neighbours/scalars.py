"""What is near a value that has no parts: numbers, truths, times, members of enums, ranges, paths, functions, None."""

from __future__ import annotations

import datetime as dt
import decimal
import fractions
import math

from ..values import NOTHING, Raising, Real, Whole, attempt
from .changes import ALWAYS, SMALL, WITH_CONSTANTS, Category, Change, Near, plainly

TYPE_CHECKING = False
if TYPE_CHECKING:
    import enum
    from collections.abc import Iterator
    from typing import Any

__all__ = ["OF_CALLABLES", "OF_ENUMS", "OF_PATHS", "OF_SCALARS", "twins"]


def _whole_numbers(value: int, near: Near) -> Iterator[Change]:
    yield from plainly("small", (0, 1, -1, 2, -2, 3))


def _beside(value: int, near: Near) -> Iterator[Change]:
    seen = [number for number in near.here if type(number) is int] or [value]
    yield from plainly("neighbour", (value + 1, value - 1, max(seen) + 1, min(seen) - 1))
    limit = SMALL if near.sized else math.inf
    for constant in near.constants(int):
        yield from plainly("constant", (n for n in (constant, constant + 1, constant - 1) if abs(n) <= limit))


def _scaled(value: int, near: Near) -> Iterator[Change]:
    yield from plainly("negated", (-value, -value - 1))
    if abs(value) <= SMALL or not near.sized:
        yield from plainly("scaled", (value * 2, value * 10, value // 2, -value * 2))


def _any_whole_number(value: int, near: Near) -> Iterator[Change]:
    seen = [number for number in near.here if type(number) is int] or [value]
    low, high = min(seen), max(seen)
    for _ in range(12):
        yield Change("some number", near.rng.randint(low - (high - low) - 4, high + (high - low) + 4))
        if not near.sized:
            yield Change("some number", near.rng.randrange(10 ** near.rng.randint(1, 7)))


def _huge(value: int, near: Near) -> Iterator[Change]:
    if not near.sized:
        yield from plainly("huge", (2**31, 2**53 + 1, 2**63, 10**30, -(2**31) - 1, -(2**63), 2**32, 10**18 + 1))


# One more than what floats hold exactly, primes, and others whose powers are round.
_ROOTS = (10**9, 94_906_267, 10**6 + 3, 10**12 + 39, 65_537, 2**31 - 1, 10**15 + 37)
_POWERS = (10**15, 2**53, 10**18, 10**22, 10**23, 2**64, 10**30)


def _telling(value: int, near: Near) -> Iterator[Change]:
    """Beside and upon what roots and logarithms are whole of: floats take the ones for the others."""
    if near.sized:
        return
    for root in _ROOTS:
        square, triangle = root * root, root * (root + 1) // 2
        yield from plainly("huge", (triangle - 1, square - 1, square, triangle, square + 1, root**3, root**3 - 1))
    for power in _POWERS:
        yield from plainly("huge", (power - 1, power + 1, power))
    for one, other in zip(_ROOTS[2:], _ROOTS[3:]):
        yield Change("huge", one * other)


def _huge_size(value: int, near: Near) -> Iterator[Change]:
    if near.sized:
        yield from plainly("large", (100, 257, 1_000))
        yield from plainly("huge", (2**31, 2**63), widened=True)


def _other_numbers(value: int, near: Near) -> Iterator[Change]:
    yield from plainly("bool for int", (True, False))
    yield from plainly("float for int", (float(value), 0.5) if abs(value) < 2**53 else ())
    yield Change("subclass", Whole(value))


def _truths(value: bool, near: Near) -> Iterator[Change]:  # noqa: FBT001
    yield Change("other truth", not value)


def _numbers_for_truths(value: bool, near: Near) -> Iterator[Change]:  # noqa: FBT001
    yield from plainly("int for bool", (int(value), 2))


def _special_floats(value: float, near: Near) -> Iterator[Change]:
    yield from plainly("special", (math.nan, math.inf, -math.inf))


def _small_floats(value: float, near: Near) -> Iterator[Change]:
    yield from plainly("small", (0.0, -0.0, 1.0, -1.0, 0.1, 1e-9))


def _near_floats(value: float, near: Near) -> Iterator[Change]:
    yield Change("negated", -value)
    if math.isfinite(value):
        yield from plainly("neighbour", (math.nextafter(value, math.inf), math.nextafter(value, -math.inf)))
        yield from plainly("neighbour", (value + 1, value - 1))
    for constant in near.constants(float):
        yield from plainly("constant", (constant, math.nextafter(constant, math.inf)))


def _ties(value: float, near: Near) -> Iterator[Change]:
    below = math.floor(value) if math.isfinite(value) and abs(value) < 2**51 else 0
    yield from plainly("tie", (below + 0.5, below + 1.5, -below - 0.5, 0.125, 2.675, 1.005, 0.285))
    yield from plainly("integral", (float(below), float(below + 1)))


def _far_floats(value: float, near: Near) -> Iterator[Change]:
    yield from plainly("tiny", (5e-324, 1e-308, -5e-324))
    yield from plainly("large", (1e16, 1e16 + 2, 2.0**53, 1e308, -1e308, 1e22))


def _any_float(value: float, near: Near) -> Iterator[Change]:
    wide = abs(value) if 1 < abs(value) < 1e15 else 10.0
    for _ in range(12):
        yield Change("some number", round(near.rng.uniform(-wide, 2 * wide), near.rng.randint(0, 3)))
        yield Change("some number", near.rng.uniform(-wide, wide))


def _other_than_float(value: float, near: Near) -> Iterator[Change]:
    yield from plainly("int for float", (int(value), 0, 10**17) if math.isfinite(value) else (0, 1))
    yield Change("subclass", Real(value))


def _decimals(value: decimal.Decimal, near: Near) -> Iterator[Change]:
    new = decimal.Decimal
    yield from plainly("small", (new(0), new("-0"), new("0.00"), new(1), new("0.01"), new("0.005"), new("0.015")))
    yield Change("negated", value.copy_negate())
    yield from plainly("neighbour", (value.next_plus(), value.next_minus()) if value.is_finite() else ())
    yield from plainly("tie", (new("2.5"), new("0.125"), new("2.675"), new("1.10"), new("1E+3")))
    yield from plainly("special", (new("NaN"), new("Infinity"), new("-Infinity"), new("1E+30"), new("1E-30")))


def _fractions(value: fractions.Fraction, near: Near) -> Iterator[Change]:
    new = fractions.Fraction
    yield from plainly("small", (new(0), new(1), new(1, 2), new(1, 3), new(-1, 3)))
    yield from plainly("negated", (-value, value + 1, value / 2))


def _complexes(value: complex, near: Near) -> Iterator[Change]:
    yield from plainly("small", (0j, 1j, complex(1), complex(-0.0, 0.0)))
    yield from plainly("negated", (-value, value.conjugate(), complex(math.nan, 0)))


# Equal and not the same, for whoever keeps results by what they belong to.
_TWINS = (
    *((0.0, -0.0), (-0.0, 0.0), (1, 1.0), (1, True), (1.0, 1), (True, 1), (0, False), (0, -0.0), (1.0, True)),
    *((False, 0.0), (2, 2.0), (2.0, 2)),
)
_TWINS_OF: dict[type, tuple[tuple[Any, Any], ...]] = {
    **dict.fromkeys((int, float, bool), _TWINS),
    complex: ((0j, complex(-0.0, 0)), (complex(1), 1.0)),
    decimal.Decimal: (
        (decimal.Decimal("1.5"), decimal.Decimal("1.50")),
        (decimal.Decimal(0), decimal.Decimal("-0")),
        (decimal.Decimal(1), 1),
    ),
    fractions.Fraction: ((fractions.Fraction(1), 1),),
}


def twins(value: Any, *, anything: bool = False) -> tuple[tuple[Any, Any], ...]:
    """Pairs that are equal and not the same, as they may stand in the place of this value, or of any."""
    if isinstance(value, (dt.datetime, dt.time)):
        other = value.replace(fold=1 - value.fold)
        return ((value, other), (other, value))
    return _TWINS_OF.get(type(value), ()) or (_TWINS if anything else ())


# ── times, enums, callables ──

_DAYS = (
    (2024, 2, 29),
    (2021, 1, 3),
    (2023, 12, 31),
    (2024, 12, 30),
    (2023, 2, 28),
    (2024, 1, 1),
    (2024, 1, 31),
    (2020, 12, 31),
    (2024, 4, 30),
)
_HOURS = ((0, 0, 0, 0), (23, 59, 59, 999_999), (12, 0, 0, 0), (0, 0, 0, 1), (2, 30, 0, 0))


def _dates(value: dt.date, near: Near) -> Iterator[Change]:
    """For datetimes too, with their time and zone kept."""
    for year, month, day in _DAYS:
        yield Change("calendar", value.replace(year=year, month=month, day=day))
    for days in (1, -1, 7, -30, 31, 365, -366):
        made = attempt(lambda days=days: value + dt.timedelta(days=days))
        if made is not NOTHING:
            yield Change("days later", made)
    for other in near.here:
        if type(other) is type(value):
            yield Change("same day", value.replace(year=other.year, month=other.month, day=other.day))


def _times(value: Any, near: Near) -> Iterator[Change]:
    for hour, minute, second, micro in _HOURS:
        yield Change("time of day", value.replace(hour=hour, minute=minute, second=second, microsecond=micro))
    yield from plainly("fraction", (value.replace(microsecond=500_000), value.replace(microsecond=1)))
    yield Change("fold", value.replace(fold=1 - value.fold))


def _zones(value: Any, near: Near) -> Iterator[Change]:
    aware = value.tzinfo is not None
    east = dt.timezone(dt.timedelta(hours=5, minutes=45))
    for zone in (east, dt.timezone.utc):
        yield Change("zone", value.replace(tzinfo=zone), widened=not aware)
    if aware:
        yield Change("naive", value.replace(tzinfo=None), widened=True)
        zone = attempt(_summer_zone)
        if zone is not NOTHING and type(value) is dt.datetime:
            for fold in (0, 1):
                yield Change("summer time", dt.datetime(2024, 10, 27, 2, 30, tzinfo=zone, fold=fold))
            yield Change("summer time", dt.datetime(2024, 3, 31, 2, 30, tzinfo=zone))


def _summer_zone() -> dt.tzinfo:
    import zoneinfo  # noqa: PLC0415 (reads files; only for those who have zones)

    return zoneinfo.ZoneInfo("Europe/Berlin")


def _far_dates(value: dt.date, near: Near) -> Iterator[Change]:
    yield from plainly(
        "first and last", (type(value).min, type(value).max, value.replace(year=1969), value.replace(year=9999))
    )


def _durations(value: dt.timedelta, near: Near) -> Iterator[Change]:
    new = dt.timedelta
    yield from plainly(
        "duration", (new(0), -value, new(microseconds=1), new(days=1), new(days=1) - new.resolution, value * 2)
    )
    yield from plainly("duration", (new(days=365), -new.resolution, new(seconds=59), new(hours=24), new(days=-1)))


def _members_of(value: enum.Enum, near: Near) -> Iterator[Change]:
    yield from plainly("member", list(type(value)))


def _raising(value: Any, near: Near) -> Iterator[Change]:
    """A function that is never answered is a likely one; how often it is called is nobody's promise."""
    for after in (0, 1, 2, 5):
        yield Change(f"raises at call {after + 1}", Raising(value, after), widened=after > 0)


def _ranges(value: range, near: Near) -> Iterator[Change]:
    yield from plainly("range", (range(0), value[:1], value[::-1], range(50), value[::2]))
    yield Change("list for range", list(value[:300]))


def _paths(value: Any, near: Near) -> Iterator[Change]:
    kind = type(value)
    yield from plainly(
        "path", (kind("."), kind("/"), value.parent, kind(value.name), value / "a b", kind("..") / value)
    )
    yield from plainly("path", (kind(f"{value}.tar.gz"), kind(f"{value}.bak"), kind(".hidden")))
    yield Change("str for path", str(value))


def _falsy(value: None, near: Near) -> Iterator[Change]:
    """Where something may be missing, what is there and counts as false is easily taken for it."""
    yield from plainly("false, not None", (0, False, "", 0.0, [], {}))


_OF_DATES = (Category("calendar", _dates, first=4), *ALWAYS, Category("far", _far_dates, rare=True))
_OF_FLOATS = (
    Category("small", _small_floats),
    Category("special", _special_floats),
    Category("near", _near_floats),
    Category("ties", _ties),
    Category("any", _any_float, endless=True),
    Category("far", _far_floats),
    Category("other type", _other_than_float),
    *WITH_CONSTANTS,
)
OF_SCALARS: dict[type, tuple[Category, ...]] = {
    int: (
        Category("small", _whole_numbers),
        Category("near", _beside),
        Category("scaled", _scaled),
        Category("any", _any_whole_number, endless=True),
        Category("huge", _huge),
        Category("telling", _telling, first=3),
        Category("other type", _other_numbers),
        *WITH_CONSTANTS,
        Category("huge size", _huge_size, rare=True),
    ),
    type(None): (Category("false", _falsy, first=8), *ALWAYS),
    bool: (Category("truth", _truths), Category("other type", _numbers_for_truths), *ALWAYS),
    float: _OF_FLOATS,
    complex: (Category("complex", _complexes), *ALWAYS),
    decimal.Decimal: (Category("decimal", _decimals), *WITH_CONSTANTS),
    fractions.Fraction: (Category("fraction", _fractions), *WITH_CONSTANTS),
    dt.date: _OF_DATES,
    dt.datetime: (*_OF_DATES, Category("time", _times), Category("zone", _zones)),
    dt.time: (Category("time", _times), Category("zone", _zones), *ALWAYS),
    dt.timedelta: (Category("duration", _durations), *ALWAYS),
    range: (Category("range", _ranges), *ALWAYS),
}
OF_ENUMS = (Category("member", _members_of), *ALWAYS)
OF_CALLABLES = (Category("raising", _raising), *ALWAYS)
OF_PATHS = (Category("path", _paths), *ALWAYS)
