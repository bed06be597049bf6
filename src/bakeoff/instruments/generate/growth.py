"""Inputs, drafted by changes of one place, of several, and of whole calls: in turns, so that all have theirs soon, and
each input once."""

from __future__ import annotations

import collections
import dataclasses
import itertools
import random
import typing

from .. import hints
from ..neighbours import ANYTHING, GENTLE, Category, Change, categories_of, twins
from ..values import NOTHING, Arguments, Fingerprints, Step, attempt, copied, parts_of, rebuilt, shape_of, with_part
from .calls import OF_CALLS
from .places import MAX_DEPTH, Place, Places
from .targets import Target

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Any

__all__ = ["Generated", "grow"]

_MOST_EXAMPLES, _MOST_BASES, _MOST_PLACES = 300, 24, 60
_MISSES, _STAGGER = 200, 4


@dataclasses.dataclass(frozen=True)
class Generated:
    """An input, whether it leaves the types that were seen or declared, in a few words how it came about, whether
    something in it leads on and on (see `Change`), and whether annotations speak against it. `after` are the arguments
    of a call that is to come directly before it."""

    arguments: Arguments
    widened: bool
    note: str
    deep: bool = False
    unfit: bool = False
    after: Arguments | None = None


def grow(
    examples: Iterable[Arguments],
    signature_of: Callable[..., Any] | None = None,
    *,
    beside: Callable[..., Any] | None = None,
    seed: int,
    limit: int,
) -> Iterator[Generated]:
    """Up to `limit` inputs that are no examples, all different, the same for the same seed. What is in the code of a
    function `beside` is tried, too.

    They share no mutable object with the examples or with each other, save parts that cannot be copied. The first
    hundred or so hold a change of every category for every argument; those that cost more to run come later.
    """
    known = list(itertools.islice(examples, _MOST_EXAMPLES))
    return itertools.islice(_Growth(known, Target(signature_of, beside), random.Random(seed)).inputs(), limit)


class _Draft(typing.NamedTuple):
    """An input before it is copied: it may share objects with examples."""

    arguments: Arguments
    note: str
    widened: bool
    deep: bool = False
    after: Arguments | None = None


class _Growth:
    """All inputs that come of the calls of one target: each drafted, and given if it is new."""

    def __init__(self, examples: list[Arguments], target: Target, rng: random.Random) -> None:
        self._rng = rng
        self._prints = Fingerprints()
        self._given: set[bytes] = set()
        self._examples = [example for example in examples if self._is_new(example)]
        self._sampled = [] if self._examples else target.sampled()
        self._examples = self._examples or self._sampled
        self._known = Places(target, self._examples, rng)

    def inputs(self) -> Iterator[Generated]:
        if not self._examples:
            return
        for sample in self._sampled:
            yield from self._grown(_Draft(sample, "from annotations", widened=False))
        misses = tries = found = 0
        for draft in self._drafts():
            misses, tries = misses + 1, tries + 1
            for grown in self._grown(draft):
                misses, found = 0, found + 1
                yield grown
            if misses > _MISSES or tries > 1_000 + 10 * found:
                return

    def _grown(self, draft: _Draft) -> Iterator[Generated]:
        if self._is_new(draft.arguments, draft.after):
            is_remade, is_unfit = self._known.leaves(draft.arguments)
            widened = draft.widened or is_remade or is_unfit
            after = None if draft.after is None else draft.after.copied()
            yield Generated(draft.arguments.copied(), widened, draft.note, draft.deep, is_unfit, after)

    def _is_new(self, arguments: Arguments, after: Arguments | None = None) -> bool:
        digest = self._digest(arguments, after)
        if digest in self._given:
            return False
        self._given.add(digest)
        return True

    def _digest(self, arguments: Arguments, after: Arguments | None) -> bytes:
        return self._prints.digest(arguments if after is None else (arguments, after))

    # ── drafts ──

    def _drafts(self) -> Iterator[_Draft]:
        streams, rare = self._streams()
        chance = self._at_random()
        for stream, wanted in streams:
            # The first that are new, so that every category has its turn.
            fresh = 0
            for draft in itertools.islice(stream, 5 + wanted):
                fresh += not self._is_known(draft)
                yield draft
                if fresh == wanted:
                    break
        common = [stream for stream, _ in streams]
        for number, draft in enumerate(_in_turns([*common, _in_turns(rare)])):
            yield draft
            if number % 2:
                yield next(chance)
        yield from chance

    def _is_known(self, draft: _Draft) -> bool:
        return self._digest(draft.arguments, draft.after) in self._given

    def _streams(self) -> tuple[list[tuple[Iterator[_Draft], int]], list[Iterator[_Draft]]]:
        """One stream for each argument and category, over all the places that have it, simple ones first, each with how
        many are to come first; and those that are rare."""
        sources: dict[tuple[str, str], list[Iterator[_Draft]]] = {}
        order: dict[tuple[str, str], tuple[bool, int, int]] = {}
        for base, places in self._bases():
            for place in _chosen(places):
                kind = type(place.value).__qualname__
                for position, category in enumerate(self._categories_at(place)):
                    key = (place.where.split(".")[0], f"{kind} {category.name}")
                    order.setdefault(key, (category.rare, position + 3 * len(place.path), category.first))
                    sources.setdefault(key, []).append(self._changed(base, place, category))
                if self._twins_at(place):
                    key = (place.where.split(".")[0], "twins")
                    order.setdefault(key, (False, 1, 6))
                    sources.setdefault(key, []).append(_until_it_raises(self._twinned(base, place)))
            for position, (name, changes) in enumerate(OF_CALLS):
                order.setdefault(("", name), (False, 2 * position, 1))
                sources.setdefault(("", name), []).append(self._called(base, name, changes))
        keys = sorted(sources, key=order.__getitem__)
        common = [(_in_turns(_staggered(sources[key])), order[key][2]) for key in keys if not order[key][0]]
        return common, [_in_turns(sources[key]) for key in keys if order[key][0]]

    def _bases(self) -> list[tuple[Arguments, list[Place]]]:
        """The examples to start from: of every make-up one, neither the barest nor the largest first."""
        sizes = sorted(map(len, self._known.of_examples))
        middle = sizes[len(sizes) // 2]
        ranked = sorted(zip(self._examples, self._known.of_examples), key=lambda pair: abs(len(pair[1]) - middle))
        made_up: dict[Any, list[tuple[Arguments, list[Place]]]] = {}
        for example, places in ranked:
            key = tuple(dict.fromkeys((place.where, type(place.value).__qualname__) for place in places))
            made_up.setdefault(key, []).append((example, places))
        turns = itertools.chain.from_iterable(itertools.zip_longest(*made_up.values()))
        bases = list(itertools.islice(filter(None, turns), _MOST_BASES))
        first, _ = bases[0]
        complete = self._known.target.completed(first)
        if complete.keywords != first.keywords:
            bases.insert(1, (complete, self._known.survey(complete)))
        return bases

    def _categories_at(self, place: Place) -> tuple[Category, ...]:
        if place.received and not place.path:
            return GENTLE
        if place.received and type(place.value) is str and "._" in place.where:
            # What a class lets into its texts is its own affair.
            return GENTLE
        if type(place.value) is Step:
            return GENTLE
        found = categories_of(place.value, is_record=type(place.value) is tuple and place.where in self._known.records)
        return (ANYTHING, *found) if hints.is_open(place.hint) and not place.received else found

    def _changed(self, base: Arguments, place: Place, category: Category) -> Iterator[_Draft]:
        for change in _until_it_raises(category.changes(place.value, self._known.near(place))):
            draft = self._put(base, place, change)
            if draft is not None:
                yield draft

    def _put(self, arguments: Arguments, place: Place, change: Change) -> _Draft | None:
        widened = change.widened
        if widened is None:
            widened = not self._known.is_known_at(place, change.value)
        if place.received and widened and not _may_be_missing(place):
            return None
        new = attempt(with_part, arguments.at(place.slot), place.path, change.value)
        if new is NOTHING:
            return None
        note = f"{change.note} in {_written(place)}"
        return _Draft(arguments.replaced(place.slot, new), note, widened or place.guarded, change.deep)

    def _twins_at(self, place: Place) -> tuple[tuple[Any, Any], ...]:
        return twins(place.value, anything=hints.is_open(place.hint) and not place.received)

    def _twinned(self, base: Arguments, place: Place) -> Iterator[_Draft]:
        """Twins in the place of a value: in two elements of each list that it is in, and in two calls."""
        whole = base.at(place.slot)
        for pair in self._twins_at(place):
            if not all(self._known.is_known_at(place, each) for each in pair):
                continue
            for depth in reversed(range(len(place.path))):
                made = attempt(_side_by_side, whole, place.path[:depth], place.path[depth:], pair)
                if made is not NOTHING:
                    yield _Draft(base.replaced(place.slot, made), f"twins in {_written(place)}", place.guarded)
            before, after = (base.replaced(place.slot, with_part(whole, place.path, each)) for each in pair)
            yield _Draft(after, f"after its twin in {_written(place)}", place.guarded, after=before)

    def _called(self, base: Arguments, name: str, changes: Callable[..., Iterator[Arguments]]) -> Iterator[_Draft]:
        for arguments in _until_it_raises(changes(self._known, base)):
            yield _Draft(arguments, name, widened=False)

    # ── several changes at once ──

    def _at_random(self) -> Iterator[_Draft]:
        while True:
            base = self._rng.choice(self._examples)
            draft = _Draft(base, "", widened=False)
            notes = []
            if self._rng.random() < 0.4:
                draft = draft._replace(arguments=self._recombined(base))
                notes.append("parts of several calls")
            for _ in range(self._rng.choice((0, 1, 1, 1, 1, 1, 2, 2, 3, 4))):
                changed = self._changed_somewhere(draft.arguments)
                if changed is not None:
                    notes.append(changed.note)
                    draft = changed._replace(widened=draft.widened or changed.widened)
            yield draft._replace(note="; ".join(notes))

    def _recombined(self, base: Arguments) -> Arguments:
        def other(slot: int | str, value: Any) -> Any:
            known = self._known.seen.get(self._known.target.name_of(slot)) or [value]
            return copied(self._rng.choice(known)) if self._rng.random() < 0.5 else value

        positional = tuple([other(slot, value) for slot, value in enumerate(base.positional)])
        return Arguments(positional, {name: other(name, value) for name, value in base.keywords.items()})

    def _changed_somewhere(self, arguments: Arguments) -> _Draft | None:
        slots = arguments.slots()
        if not slots:
            return None
        place = self._known.root(*self._rng.choice(slots))
        while len(place.path) < MAX_DEPTH and (self._rng.random() < 0.6 or (place.received and not place.path)):
            inner = self._known.children(place, self._rng.randrange(1 << 16))
            if not inner:
                break
            place = inner[0]
        category = self._category_at_random(place)
        changes = _until_it_raises(category.changes(place.value, self._known.near(place)))
        tried = collections.deque(itertools.islice(changes, 1 if category.endless else self._rng.randint(1, 10)), 1)
        return self._put(arguments, place, tried[0]) if tried else None

    def _category_at_random(self, place: Place) -> Category:
        categories = self._categories_at(place)
        wanted = self._rng.random()
        endless = [each for each in categories if each.endless] if wanted < 0.4 else []
        return self._rng.choice(endless or [each for each in categories if not each.rare or wanted > 0.97])


def _side_by_side(whole: Any, outer: tuple[int, ...], inner: tuple[int, ...], pair: tuple[Any, Any]) -> Any:
    """With the element that one part is in twice, each with one of the two in that place; NOTHING where it is in no
    container of elements."""
    container = whole
    for index in outer:
        container = parts_of(container)[index]
    shape = shape_of(container)
    if shape is None or shape.kind != "items" or isinstance(container, (set, frozenset)):
        return NOTHING
    parts = parts_of(container)
    element = parts[inner[0]]
    twin = [with_part(copied(element), inner[1:], each) for each in pair]
    return with_part(whole, outer, rebuilt(container, [*parts[: inner[0]], *twin, *parts[inner[0] + 1 :]]))


def _until_it_raises(changes: Iterator[Any]) -> Iterator[Any]:
    """What comes of foreign values, up to where one of them fails."""
    while True:
        change = attempt(next, changes, NOTHING)
        if change is NOTHING:
            return
        yield change


def _may_be_missing(place: Place) -> bool:
    """Whether a part of the receiver is missing that others might set: then it may be of any type."""
    return place.value is None and "._" not in place.where


def _written(place: Place) -> str:
    return f"[{place.slot}]{place.where[len(place.where.split('.')[0]) :]}"


def _chosen(places: list[Place]) -> Iterator[Place]:
    """Of the places at one where with one type, the first, the last and one between."""
    alike: dict[tuple[str, type], list[Place]] = {}
    for place in places:
        alike.setdefault((place.where, type(place.value)), []).append(place)
    chosen = (dict.fromkeys((0, len(group) - 1, len(group) // 2)) for group in alike.values())
    groups = [[group[index] for index in indices] for indices, group in zip(chosen, alike.values())]
    turns = itertools.chain.from_iterable(itertools.zip_longest(*groups))
    return itertools.islice(filter(None, turns), _MOST_PLACES)


def _in_turns(sources: Iterable[Iterator[_Draft]]) -> Iterator[_Draft]:
    waiting = collections.deque(sources)
    while waiting:
        source = waiting.popleft()
        draft = next(source, None)
        if draft is not None:
            waiting.append(source)
            yield draft


def _staggered(sources: list[Iterator[_Draft]]) -> Iterator[Iterator[_Draft]]:
    """Each begins with another of its first changes, so that they do not all begin with the same."""
    for number, source in enumerate(sources):
        skipped = list(itertools.islice(source, number % _STAGGER))
        yield itertools.chain(itertools.islice(source, 1), skipped, source)
