"""What a change of a value is, what it may know of the value's place, and the changes that any value may have."""

from __future__ import annotations

import typing

TYPE_CHECKING = False
if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
    from typing import Any

__all__ = [
    "ALWAYS",
    "ANYTHING",
    "GENTLE",
    "MOST_INSERTED",
    "SMALL",
    "WITH_CONSTANTS",
    "Category",
    "Change",
    "Near",
    "plainly",
]

# As far as numbers go that say how much to do.
SMALL = 1_000
# So many elements, entries or fields are looked at for what they could do elsewhere.
MOST_INSERTED = 48
# Lengths that are easily had, and those that cost something.
_NEAR, _FAR = 256, 100_000


class Change(typing.NamedTuple):
    """A new value for a place; `widened` is None where its type decides. `deep` says that it leads on and on: who
    follows it by calling himself goes as deep."""

    note: str
    value: Any
    widened: bool | None = None
    deep: bool = False


class Category(typing.NamedTuple):
    """Changes of one kind, the likeliest to matter first. Where values are foreign, the iterator may raise anything."""

    name: str
    changes: Callable[[Any, Near], Iterator[Change]]
    # What comes of it costs more to run, or seldom matters.
    rare: bool = False
    # By chance, and so never at an end.
    endless: bool = False
    # How many are tried before all categories have had their turn.
    first: int = 1


class Near:
    """What a change may know of its place: what was seen there and elsewhere, and whether it looks like a size."""

    __slots__ = ("_constants", "_pool", "here", "inside", "of_records", "rng", "sized")

    def __init__(
        self,
        rng: random.Random,
        pool: dict[type, list[Any]],
        constants: dict[type, list[Any]],
        *,
        here: Sequence[Any] = (),
        inside: Collection[type] = (),
        of_records: bool = False,
        sized: bool = False,
    ) -> None:
        """`here` are the values that were seen at the place, `inside` the types that its elements may have;
        `of_records` says that these are tuples of one length."""
        self.rng = rng
        self.here = here
        self.inside = inside
        self.of_records = of_records
        self.sized = sized
        self._pool = pool
        self._constants = constants

    def pool(self, kind: type) -> list[Any]:
        return self._pool.get(kind, [])

    def constants(self, kind: type) -> list[Any]:
        return self._constants.get(kind, [])

    def lengths(self) -> list[int]:
        """Lengths at which the target may do something else."""
        near = (n + step for n in self.constants(int) if 2 <= n <= _NEAR for step in (0, 1, -1))
        return list(dict.fromkeys(near))

    def far(self) -> list[int]:
        """The same, where they are large."""
        found = (n + step for n in self.constants(int) if _NEAR < n <= _FAR for step in (0, 1, -1))
        return list(dict.fromkeys(found))


def plainly(note: str, values: Iterable[Any], widened: bool | None = None) -> Iterator[Change]:  # noqa: FBT001
    for value in values:
        yield Change(note, value, widened)


# ── for every type ──


def _nones(value: Any, near: Near) -> Iterator[Change]:
    if value is not None:
        yield Change("None", None)


def _anything(value: Any, near: Near) -> Iterator[Change]:
    """For places that may hold anything: what cannot be hashed, or compared, or counts as nothing."""
    yield from plainly("anything", ([1, 2], None, "a", 1.5, (1, [2]), {"a": 1}, True, 7, b"a", {1}, (), -0.0, [], "1"))


def _seen_here(value: Any, near: Near) -> Iterator[Change]:
    yield from plainly("seen in another call", near.here)


def _seen_elsewhere(value: Any, near: Near) -> Iterator[Change]:
    yield from plainly("seen elsewhere", [other for other in near.pool(type(value)) if _is_sized_right(other, near)])


def _is_sized_right(value: Any, near: Near) -> bool:
    return not near.sized or type(value) is not int or abs(value) <= SMALL


def _constants(value: Any, near: Near) -> Iterator[Change]:
    yield from plainly(
        "constant of the target", [other for other in near.constants(type(value)) if _is_sized_right(other, near)]
    )


ANYTHING = Category("anything", _anything, first=5)
# Changes into what is known to be possible, and no others.
GENTLE = (Category("seen", _seen_here), Category("elsewhere", _seen_elsewhere))
ALWAYS = (Category("none", _nones), *GENTLE)
WITH_CONSTANTS = (*ALWAYS, Category("constants", _constants))
