from __future__ import annotations

import copy
import dataclasses
import datetime as dt
import itertools
import math
import os
import pickle
import random
import subprocess
import sys
import threading
import typing
from collections.abc import Callable, Iterable
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bakeoff.instruments import generate
from bakeoff.instruments.generate import Generated, cut, grow
from bakeoff.instruments.values import Arguments, Fingerprints, OneShot, Text
from instruments.inputs import PLAIN, Colour, Point, Stock, arguments_of, firsts, key, mutable_parts

SOURCE = Path(generate.__file__).parents[3]


class Hostile:
    """Nothing that may be done with it works."""

    def __eq__(self, other: object) -> bool:
        raise RuntimeError

    def __hash__(self) -> int:
        raise RuntimeError

    def __repr__(self) -> str:
        raise RuntimeError

    def __len__(self) -> int:
        raise RuntimeError

    def __getattr__(self, name: str) -> object:
        raise RuntimeError

    def __deepcopy__(self, memo: object) -> object:
        raise RuntimeError

    def __reduce_ex__(self, protocol: object) -> str:
        raise RuntimeError


def prints(inputs: Iterable[Generated]) -> list[tuple[str, bool, str]]:
    seen, inputs = Fingerprints(), list(inputs)
    calls = ((one.arguments.positional, one.arguments.keywords, *([one.after] if one.after else [])) for one in inputs)
    return [(seen.of(call), one.widened, one.note) for call, one in zip(calls, inputs, strict=True)]


# ── what comes, whatever goes in ──


@settings(max_examples=30)
@given(st.lists(st.tuples(PLAIN, PLAIN), min_size=1, max_size=3), st.integers(0, 5))
def test_inputs_are_new_and_all_different(pairs: list[tuple[object, object]], seed: int) -> None:
    examples = [arguments_of(*pair) for pair in pairs]
    before = Fingerprints().of([example.positional for example in examples])
    given_parts = {part for example in examples for part in mutable_parts(example.positional)}
    grown = list(grow(examples, seed=seed, limit=80))
    seen = [fingerprint for fingerprint, _, _ in prints(grown)]
    assert len(set(seen)) == len(seen)
    assert not set(seen) & {text for text, _, _ in prints(Generated(one, False, "") for one in examples)}
    parts = [set(mutable_parts(one.arguments.positional)) for one in grown]
    assert not given_parts & set().union(*parts)
    assert sum(map(len, parts)) == len(set().union(*parts))
    assert Fingerprints().of([example.positional for example in examples]) == before


@settings(max_examples=20)
@given(PLAIN, st.integers())
def test_the_same_seed_gives_the_same(value: object, seed: int) -> None:
    state = random.getstate()
    again = [prints(grow([arguments_of(copy.deepcopy(value))], seed=seed, limit=60)) for _ in range(2)]
    assert again[0] == again[1]
    assert random.getstate() == state


def test_another_seed_gives_others() -> None:
    one, other = (prints(grow([arguments_of([1, 2], "ab")], seed=seed, limit=400)) for seed in (1, 2))
    assert one != other


PROGRAM = """
import sys
sys.path.insert(0, sys.argv[1])
from bakeoff.instruments.generate import grow
from bakeoff.instruments.values import Arguments, Fingerprints
class Thing:
    def __init__(self): self.tags = {"x", "yy", "zzz"}
examples = [
    Arguments(({"a", "b", "cc"}, {"k": {1, "1"}}, Thing()), {}),
    Arguments((set(), {}, Thing()), {"w": frozenset("xyz")}),
]
prints = Fingerprints()
print(ascii([(prints.of((one.arguments.positional, one.arguments.keywords)), one.note)
             for one in grow(examples, seed=3, limit=300)]))
"""


def test_nothing_hangs_on_the_hash_seed() -> None:
    answers = {
        subprocess.run(
            [sys.executable, "-c", PROGRAM, str(SOURCE)],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("1", "2", "3")
    }
    assert len(answers) == 1


def test_at_most_as_many_as_asked() -> None:
    assert len(list(grow([arguments_of("abc", [1])], seed=0, limit=7))) == 7


def test_few_possible_inputs_come_to_an_end() -> None:
    assert 0 < len(list(grow([arguments_of(True)], seed=0, limit=100_000))) < 100


def test_the_first_hundred_hold_every_category_for_every_argument() -> None:
    notes = [one.note for one in itertools_first(100)]
    for slot in ("[0]", "[1]"):
        for wanted in (
            "empty",
            "one",
            "duplicates",
            "reversed",
            "left out",
            "remade",
            "iterator",
            "None",
            "breaks off",
        ):
            assert any(wanted in note and slot in note for note in notes), (slot, wanted)


def itertools_first(count: int) -> list[Generated]:
    return list(grow([arguments_of([1, 2, 3], ["a", "b"])], seed=1, limit=count))


# ── what leaves the types that were seen ──


def widened(one: Iterable[Generated], wanted: Callable[[tuple[object, ...]], bool]) -> set[bool]:
    return {each.widened for each in one if each.arguments.positional and wanted(each.arguments.positional)}


def test_none_is_wider_unless_it_was_seen_or_declared() -> None:
    def optional(value: int | None) -> None: ...

    def old_style(value: typing.Optional[int]) -> None: ...  # noqa: UP045

    def by_default(value=None): ...

    def is_none(positional: tuple[object, ...]) -> bool:
        return positional == (None,)

    assert widened(firsts(3), is_none) == {True}
    assert widened(grow([arguments_of(3)], optional, seed=1, limit=100), is_none) == {False}
    assert widened(grow([arguments_of(3)], old_style, seed=1, limit=100), is_none) == {False}
    assert widened(grow([arguments_of(3)], by_default, seed=1, limit=100), is_none) == {False}
    seen = [arguments_of(3, 1), arguments_of(None, 1)]
    assert widened(grow(seen, seed=1, limit=200), lambda p: p == (None, 2)) == {False}


def test_iterators_are_wider_unless_iterables_are_declared() -> None:
    def declared(values: Iterable[int]) -> None: ...

    def is_iterator(positional: tuple[object, ...]) -> bool:
        return type(positional[0]) is OneShot and all(type(part) is int for part in positional[0].values)

    assert widened(firsts([1, 2]), is_iterator) == {True}
    once = [one for one in grow([arguments_of([1, 2])], declared, seed=1, limit=80) if one.note == "iterator in [0]"]
    assert [one.widened for one in once] == [False]
    seen = grow([arguments_of(iter([1])), arguments_of([2])], seed=1, limit=80)
    assert {one.widened for one in seen if one.note == "iterator in [0]"} == {False}


def test_other_numbers_and_subclasses_are_wider() -> None:
    for one in firsts(1234):
        (value,) = one.arguments.positional
        assert one.widened == (type(value) is not int), one


def test_what_was_seen_in_one_call_is_not_wider_in_another() -> None:
    examples = [arguments_of(1, "a"), arguments_of("b", 2.5)]
    assert widened(grow(examples, seed=1, limit=300), lambda p: p == ("b", "a")) == {False}


def test_a_size_is_not_made_huge() -> None:
    def repeated(text: str, count: int) -> None: ...

    def total(text: str, number: int) -> None: ...

    def huge(one: Generated) -> bool:
        return any(type(value) is int and abs(value) > 10**9 for value in one.arguments.positional)

    sizes = [one for one in grow([arguments_of("a", 3)], repeated, seed=1, limit=1000) if huge(one)]
    assert all(one.widened for one in sizes)
    assert any(huge(one) for one in grow([arguments_of("a", 3)], total, seed=1, limit=100) if not one.widened)


# ── what the target says of itself ──


def test_annotations_alone_are_enough() -> None:
    def target(
        text: str, pairs: list[tuple[str, int]], *, where: Point, kind: Colour, most: int | None = None
    ) -> None: ...

    grown = list(grow([], target, seed=1, limit=300))
    assert grown[0].note == "from annotations"
    assert len(grown) == 300
    assert {type(one.arguments.keywords.get("where")) for one in grown if not one.widened} == {Point}


def test_without_examples_and_annotations_there_is_nothing() -> None:
    def target(text, count: int) -> None: ...

    assert list(grow([], target, seed=1, limit=10)) == []
    assert list(grow([], seed=1, limit=10)) == []
    assert list(grow([], print, seed=1, limit=10)) == []


def test_annotations_that_lead_nowhere_are_ignored() -> None:
    def target(text: NotThere, count: int) -> None: ...  # type: ignore[name-defined]  # noqa: F821

    assert len(list(grow([arguments_of("a", 1)], target, seed=1, limit=50))) == 50


def test_defaults_are_left_out_and_passed_and_varied() -> None:
    def target(text, sep="-", *, lower=True): ...

    grown = [one.arguments for one in grow([arguments_of("ab", "+")], target, seed=1, limit=400)]
    assert arguments_of("ab") in grown
    assert arguments_of("ab", "+", lower=True) in grown
    assert arguments_of("ab", "+", lower=False) in grown
    assert arguments_of("ab", sep="+") in grown
    assert arguments_of(text="ab", sep="+") in grown


def test_constants_of_the_target_are_tried() -> None:
    def target(values, text):
        return len(values) > 37 or text == "needle" or values[0] == 1_000_003

    inputs = grow([arguments_of([5, 6], "x")], target, seed=1, limit=600)
    grown = [one.arguments.positional for one in inputs if len(one.arguments.positional) == 2]
    assert {36, 37, 38} <= {len(values) for values, _ in grown if type(values) is list}
    assert any(text == "needle" for _, text in grown)
    assert {1_000_002, 1_000_003, 1_000_004} <= {
        part for values, _ in grown if type(values) is list for part in values if type(part) is int
    }


def test_arguments_of_several_calls_are_recombined() -> None:
    examples = [arguments_of("one", [1]), arguments_of("two", [2])]
    grown = [one.arguments for one in grow(examples, seed=1, limit=200)]
    assert arguments_of("one", [2]) in grown
    assert arguments_of("two", [1]) in grown


def squares(blocked: Iterable[tuple[int, int]]) -> None: ...
def rows(blocked: Iterable[tuple[int, ...]]) -> None: ...


def _lengths(function: Callable[..., object] | None, *examples: object) -> dict[int, set[bool]]:
    """How long the tuples inside of the grown lists are, and whether these are wider then."""
    found: dict[int, set[bool]] = {}
    for one in grow([arguments_of(example) for example in examples], function, seed=1, limit=400):
        value = next(iter(one.arguments.positional), None)
        if type(value) is list and value and set(map(type, value)) == {tuple}:
            for length in set(map(len, value)):
                found.setdefault(length, set()).add(one.widened)
    return found


def test_a_tuple_that_is_always_as_long_is_a_record() -> None:
    for function in (None, squares):
        found = _lengths(function, [(1, 2), (3, 4)], [(0, 1)])
        assert False in found.pop(2)
        assert found
        assert set.union(*found.values()) == {True}


def test_a_tuple_of_any_length_is_no_record() -> None:
    assert False in _lengths(None, [(1, 2), (3, 4, 5)])[0]
    assert False in _lengths(rows, [(1, 2), (3, 4)])[0]


def test_records_of_another_length_come_late() -> None:
    early = itertools.islice(grow([arguments_of((1, 2)), arguments_of((3, 4))], seed=1, limit=600), 20)
    values = [one.arguments.positional[0] for one in early]
    assert {len(value) for value in values if type(value) is tuple} == {2}


Whole = typing.NewType("Whole", int)
UNFIT: typing.Any = 0.5


@dataclasses.dataclass
class Order:
    count: int
    notes: list[str] = dataclasses.field(default_factory=list)


@pytest.mark.parametrize(
    ("hint", "example", "fitting", "unfit"),
    [
        ("int", 3, [True, 0], [0.5, None]),
        ("float", 1.5, [0, math.inf], [None]),
        ("typing.Optional[int]", 3, [None], [0.5]),
        ("Whole", 3, [0], [0.5]),
        ("list[int]", [1, 2], [[]], [[1, 2, None], OneShot([1, 2])]),
        ("Iterable[int]", [1, 2], [OneShot([1, 2])], [None]),
        ("dict[str, int]", {"a": 1}, [{}], [{"a": None}, {"a": 0.5}]),
        ("tuple[int, str]", (1, "a"), [(0, "a")], [(0.5, "a"), (1, None)]),
        ("Order", Order(1, ["a"]), [Order(0, ["a"])], [dataclasses.replace(Order(1, ["a"]), count=UNFIT)]),
        ("typing.Any", 3, [None, 0.5], []),
        ("typing.TypeVar('T')", 3, [None, 0.5], []),
        ("nothing.of_this_name", 3, [None, 0.5], []),
    ],
)
def test_annotations_speak_against_what_does_not_fit(
    hint: str, example: object, fitting: list[object], unfit: list[object]
) -> None:
    def target(value: object, other: object = 1) -> None: ...

    # Where one cannot be told, the others count.
    target.__annotations__ = {"value": hint, "other": "nothing.of_this_name"}
    seen = Fingerprints()
    said = {
        seen.of(one.arguments.positional[0]): one.unfit
        for one in grow([arguments_of(example)], target, seed=1, limit=800)
        if one.arguments.positional and not one.arguments.keywords
    }
    assert {name: said.get(seen.of(value)) for value in fitting for name in [repr(value)]} == dict.fromkeys(
        map(repr, fitting), False
    )
    assert [said.get(seen.of(value)) for value in unfit] == [True] * len(unfit)


def test_what_was_seen_fits_whatever_an_annotation_says() -> None:
    def target(value: int) -> None: ...

    grown = list(grow([arguments_of(1), arguments_of(None)], target, seed=1, limit=100))
    plain = [one for one in grown if {int, type(None)} >= set(map(type, one.arguments.positional))]
    assert plain
    assert not any(one.unfit for one in plain)
    assert any(one.unfit for one in grown)


def test_arguments_meet() -> None:
    grown = [one.arguments.positional for one in grow([arguments_of([4, 5], [6], 9)], seed=1, limit=200)]
    assert any(one is other and type(one) is list for one, other, _ in grown)
    assert {1, 2, 3} <= {size for one, _, size in grown if one == [4, 5] and type(size) is int}


def test_one_argument_has_all_of_another_in_it() -> None:
    examples = [arguments_of({"a": 1, "b": "x"}, {"c": True})]
    grown = [one.arguments.positional for one in grow(examples, seed=1, limit=300)]
    overlapping = [list(part.items()) for whole, part in grown if whole == {"a": 1, "b": "x"} and type(part) is dict]
    assert [("a", 2), ("b", "x1"), ("c", True)] in overlapping
    assert [("c", True), ("a", 2), ("b", "x1")] in overlapping
    lists = [one.arguments.positional for one in grow([arguments_of([1, 2], [3])], seed=1, limit=300)]
    assert ([1, 2], [1, 2, 3]) in lists
    assert ([1, 2], [3, 1, 2]) in lists


# ── twins: equal, and not the same ──


def is_twins(one: object, other: object) -> bool:
    return one == other and (type(one) is not type(other) or repr(one) != repr(other))


def has_twins(value: object) -> bool:
    parts = list(value) if isinstance(value, (list, tuple)) else []
    return any(itertools.starmap(is_twins, itertools.pairwise(parts))) or any(map(has_twins, parts))


@pytest.mark.parametrize(
    "value",
    [[1.5, 2.5], [1, 2.5, True], [Decimal("1.5"), Decimal(2)], [dt.datetime(2024, 1, 2)], [(1.5, "a")]],  # noqa: DTZ001
    ids=["floats", "numbers", "decimals", "times", "in records"],
)
def test_twins_stand_side_by_side(value: list[object]) -> None:
    grown = [one for one in grow([arguments_of(value)], seed=1, limit=200) if not one.widened]
    beside = [one.arguments.positional[0] for one in grown if one.after is None]
    assert any(map(has_twins, (part for each in beside for part in (each, *itertools.pairwise(each)))))


def test_a_call_comes_after_its_twin() -> None:
    grown = list(grow([arguments_of("a", 1.5)], seed=1, limit=200))
    twins = [one for one in grown if one.after is not None]
    assert twins
    for one in twins:
        assert one.after is not None
        assert one.arguments.positional[0] == one.after.positional[0] == "a"
        assert is_twins(one.arguments.positional[1], one.after.positional[1])
        assert not one.widened
    assert len({Fingerprints().of((one.arguments, one.after)) for one in twins}) == len(twins)


def test_twins_are_of_types_that_belong_there() -> None:
    def anything(value: object) -> None: ...

    def pairs(*grown: Generated) -> set[frozenset[type]]:
        return {
            frozenset(map(type, (one.arguments.positional[0], one.after.positional[0]))) for one in grown if one.after
        }

    assert pairs(*grow([arguments_of(3)], seed=1, limit=300)) == set()
    assert pairs(*grow([arguments_of(3), arguments_of(True)], seed=1, limit=300)) == {frozenset({int, bool})}
    every = pairs(*grow([arguments_of("a")], anything, seed=1, limit=300))
    assert {frozenset({int, float}), frozenset({int, bool}), frozenset({float})} <= every


# ── where annotations are open ──


def test_what_an_open_annotation_means_is_not_wider() -> None:
    def anything(value: object) -> None: ...

    def keyed(value: typing.Hashable) -> None: ...

    def inside(value: list[typing.Any]) -> None: ...

    def is_list(positional: tuple[object, ...]) -> bool:
        return type(positional[0]) is list

    assert widened(grow([arguments_of("a")], anything, seed=1, limit=100), is_list) == {False}
    assert widened(grow([arguments_of("a")], keyed, seed=1, limit=100), is_list) == {True}
    assert widened(grow([arguments_of("a")], seed=1, limit=100), is_list) <= {True}
    mixed = widened(
        grow([arguments_of(["a"])], inside, seed=1, limit=200),
        lambda positional: type(positional[0]) is list and {int, float, bool} <= set(map(type, positional[0])),
    )
    assert mixed == {False}


def test_stand_ins_of_ours_are_wider_everywhere() -> None:
    def anything(value: object) -> None: ...

    grown = list(grow([arguments_of("a", [1])], anything, seed=1, limit=300))
    ours = [one for one in grown if type(one.arguments.positional[0]) is Text]
    assert ours
    assert all(one.widened for one in ours)


# ── types where they were never seen ──


def test_a_type_that_was_never_seen_inside_is_wider() -> None:
    def of(grown: Iterable[Generated], inner: type) -> set[bool]:
        return widened(
            grown,
            lambda positional: (
                type(positional[0]) is list
                and any(inner in map(type, row) for row in positional[0] if type(row) is list)
                and all(type(row) is list for row in positional[0])
            ),
        )

    assert of(grow([arguments_of([["a"], ["b", "c"]])], seed=1, limit=400), list) == {True}
    # Where both were seen together it is a tree.
    assert False in of(grow([arguments_of([["a"], "b", ["c", ["d"]]])], seed=1, limit=400), list)


def test_fields_speak_for_themselves() -> None:
    """What a class of the project says of its fields holds wherever an object of it stands."""

    @dataclasses.dataclass
    class Poll:
        ballots: list[list[str]]

    grown = list(grow([arguments_of([Poll([["a"], ["b", "c"]])])], seed=1, limit=400))
    nested = [
        one
        for one in grown
        for poll in (one.arguments.positional[0] if type(one.arguments.positional[0]) is list else [])
        if type(poll) is Poll and type(poll.ballots) is list
        if any(type(name) is list for ballot in poll.ballots if type(ballot) is list for name in ballot)
    ]
    assert nested
    assert all(one.unfit for one in nested)


# ── cutting down ──


def test_long_containers_keep_both_ends_and_each_type() -> None:
    rows = [*range(500), "odd", *range(500), None, *range(20)]
    (made,) = cut(arguments_of(rows)).positional
    assert made == [*range(10), "odd", None, *range(16, 20)]
    assert len(rows) == 1022
    text, octets, few = cut(arguments_of("a" * 1000 + "b", b"x" * 300, [1] * 28)).positional
    assert (text, octets, few) == ("a" * 200, b"x" * 300, [1] * 28)
    table = {number: [number] * 50 for number in range(100)}
    (made,) = cut(arguments_of(table)).positional
    assert list(made) == [*range(10), *range(96, 100)]
    assert made[3] == [3] * 14


def test_numbers_that_tell_a_length_tell_the_new_one() -> None:
    made = cut(arguments_of([7] * 300, 300, 299, count=300))
    assert (made.positional[1:], made.keywords) == ((14, 299), {"count": 14})


def test_what_is_shared_stays_shared_and_objects_stay_as_they_are() -> None:
    long = [1] * 100
    point = Point(1)
    made = cut(arguments_of(long, [long, point], long), skip=1)
    assert made.positional[0] is long
    assert made.positional[1][0] is made.positional[2]
    assert made.positional[1][1] is point
    assert len(made.positional[2]) == 14


def test_what_is_missing_in_a_receiver_may_be_there_and_false() -> None:
    class Options:
        def __init__(self) -> None:
            self.layers = [{"port": None}]
            self._found = None

        def get(self, name: str) -> object:
            return self.layers, name

    grown = list(grow([Arguments((Options(), name)) for name in ("port", "host")], Options.get, seed=0, limit=150))
    changed = [each for each in grown if each.note.startswith("false")]
    given = [(each.arguments.positional[0].layers, each.arguments.positional[1]) for each in changed[:3]]
    assert given[:2] == [([{"port": 0}], "port"), ([{"port": 0}], "host")]
    assert all(each.widened for each in changed)
    assert {each.arguments.positional[0]._found for each in grown} == {None}


def test_a_receiver_is_changed_gently() -> None:
    examples = [arguments_of(Stock({"a": 1, "b": 2}))]
    grown = list(grow(examples, Stock.total, seed=1, limit=100))
    assert len(grown) == 100
    for one in grown:
        (receiver,) = one.arguments.positional or one.arguments.keywords.values()
        assert type(receiver) is Stock
        assert type(receiver._items) is dict
    assert any(one.arguments.positional[0]._items == {} for one in grown)


def test_a_class_says_what_cannot_be() -> None:
    for one in firsts(Point(1, 2)):
        (point,) = one.arguments.positional
        assert type(point) is not Point or type(point.y) is not int or point.y >= 0


# ── values that do not behave ──


def test_hostile_values_stop_nothing() -> None:
    lock = threading.Lock()
    example = arguments_of(Hostile(), [Hostile(), 1], {"a": Hostile()}, (lock, "a"), (part for part in ()), Hostile)
    grown = list(grow([example], seed=1, limit=300))
    assert len(grown) == 300
    assert any(one.arguments.positional[3] == (lock, "") for one in grown)


def test_values_without_end_stop_nothing() -> None:
    endless: list[object] = [1]
    endless.append(endless)
    deep: list[object] = []
    for _ in range(100_000):
        deep = [deep]
    assert len(list(grow([arguments_of(endless, 1), arguments_of(deep, 2)], seed=1, limit=100))) == 100
    while deep:
        deep = deep[0]  # type: ignore[assignment]


def test_what_is_generated_can_be_pickled() -> None:
    example = arguments_of([1, 2], {"a": "b"}, "c", 1234, 1.5, key, Colour.RED, b"d", (1, 2))
    for one in grow([example], seed=1, limit=1_000):
        if "keys view" not in one.note:
            again = pickle.loads(pickle.dumps(one.arguments))
            assert Fingerprints().of(again.positional) == Fingerprints().of(one.arguments.positional)
