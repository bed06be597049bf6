from __future__ import annotations

import abc
import dataclasses
import gc
import threading
from collections.abc import Iterator

import pytest

from bakeoff.instruments import recordings
from bakeoff.instruments.generate import grow
from bakeoff.instruments.lineage import Lives, history, made
from bakeoff.instruments.recorder import Tape
from bakeoff.instruments.recordings import Uncopyable
from bakeoff.instruments.shrink import shrink
from bakeoff.instruments.values import Arguments, Fingerprints, Lineage, Step, parts_of, rebuilt


def classes() -> tuple[type, ...]:
    """New ones: to watch a class changes it."""

    class Shelf:
        def __init__(self, *books: str, most: int = 3) -> None:
            self.books = list(books)
            self.most = most

        def add(self, *books: str) -> None:
            """More of them."""
            for book in books:
                self._put(book)

        def _put(self, book: str) -> None:
            if len(self.books) == self.most:
                raise ValueError("full")
            self.books.append(book)

        def each(self) -> Iterator[str]:
            yield from self.books

    @dataclasses.dataclass
    class Row:
        cells: list[int]

    class Deep(Shelf): ...

    for kind in (Shelf, Row, Deep):
        kind.__qualname__ = kind.__name__
        globals()[kind.__name__] = kind
    return Shelf, Row, Deep


@pytest.fixture
def lives() -> Lives:
    return Lives(lambda function: function)


def test_an_object_is_made_again_by_its_calls(lives: Lives):
    shelves, *_ = classes()
    lives.watch(shelves)
    shelf = shelves("a", most=2)
    shelf.add("b")
    with pytest.raises(ValueError, match="full"):
        shelf.add("c")
    known = lives.of(shelf)
    assert known is not None
    assert [name for name, _ in known.steps] == ["__init__", "add", "add"]
    again = made(recordings.copied(known), 5.0)
    assert again is not shelf
    assert vars(again) == {"books": ["a", "b"], "most": 2}
    assert shelf.add.__doc__ == "More of them."
    # It is known as it was.
    assert vars(made(known, 5.0)) == {"books": ["a", "b"], "most": 2}


def test_arguments_are_known_as_they_were(lives: Lives):
    _, rows, _ = classes()
    lives.watch(rows)
    cells = [1, 2]
    row = rows(cells)
    cells.append(3)
    known = lives.of(row)
    assert known is not None
    assert made(known, 5.0).cells == [1, 2]


def test_those_of_a_subclass_are_made_of_it(lives: Lives):
    shelves, _, deeper = classes()
    lives.watch(shelves)
    deep = deeper("a")
    known = lives.of(deep)
    assert known is not None
    assert type(made(known, 5.0)) is deeper


def test_what_cannot_be_told_is_not(lives: Lives):
    shelves, *_ = classes()
    before = shelves("a")
    lives.watch(shelves)
    locked, busy = shelves("a"), shelves("a", most=100)
    locked.add(*(threading.current_thread(),))  # type: ignore[arg-type]
    for number in range(50):
        busy.add(str(number))
    assert [lives.of(shelf) for shelf in (before, locked, busy)] == [None, None, None]


def test_objects_that_are_gone_are_forgotten(lives: Lives):
    shelves, *_ = classes()
    lives.watch(shelves)
    for _ in range(3):
        shelves("a")
    gc.collect()
    assert not lives._known


def test_what_cannot_be_made_says_so(lives: Lives):
    shelves, *_ = classes()
    lives.watch(shelves)
    shelf = shelves("a")
    known = lives.of(shelf)
    assert known is not None

    def refuse(*_: object) -> None:
        raise RuntimeError

    shelves.__init__ = refuse  # type: ignore[method-assign]
    with pytest.raises(Uncopyable, match="RuntimeError"):
        made(known, 5.0)

    def hang(*_: object) -> None:
        while True:
            pass

    shelves.__init__ = hang  # type: ignore[method-assign]
    with pytest.raises(Uncopyable, match="OutOfTime"):
        made(known, 0.05)


def test_what_a_class_has_from_others_of_its_project_is_known(lives: Lives):
    *_, deeper = classes()
    lives.watch(deeper)
    deep = deeper("a")
    deep.add("b")
    known = lives.of(deep)
    assert known is not None
    assert [name for name, _ in known.steps] == ["__init__", "add"]
    assert made(known, 5.0).books == ["a", "b"]


def test_abstract_classes_are_watched_and_others_with_a_metaclass_are_not():
    class Meta(type): ...

    class Strange(metaclass=Meta):
        def __init__(self) -> None: ...

    class Base(abc.ABC):
        @abc.abstractmethod
        def size(self) -> int: ...

    class Leaf(Base):
        def __init__(self, number: int) -> None:
            self.number = number

        def size(self) -> int:
            return self.number

    tape, before = Tape(), vars(Strange)["__init__"]
    tape.watch(Strange)
    assert vars(Strange)["__init__"] is before
    tape.watch(Leaf)
    assert tape._lives.of(Leaf(3)) is not None
    with pytest.raises(TypeError, match="abstract"):
        Base()  # type: ignore[abstract]


def test_what_is_known_is_bounded(lives: Lives, monkeypatch: pytest.MonkeyPatch):
    shelves, *_ = classes()
    lives.watch(shelves)
    large, small = shelves("x" * (1 << 17)), shelves("y" * 1000)
    assert lives.of(large) is None
    assert lives.of(small) is not None
    monkeypatch.setattr("bakeoff.instruments.lineage._MOST_IN_ALL", 5000)
    several = [shelves("z" * 1000) for _ in range(10)]
    assert [lives.of(shelf) is not None for shelf in several] == [True] * 3 + [False] * 7
    # What is gone has its room again.
    del several
    gc.collect()
    assert lives.of(shelves("z" * 1000)) is not None


def test_an_object_that_takes_the_place_of_another_has_a_life_of_its_own(lives: Lives):
    shelves, *_ = classes()
    lives.watch(shelves)
    shelf = shelves("a")
    shelf.add("b")
    shelf.__init__("c")  # type: ignore[misc]
    known = lives.of(shelf)
    assert known is not None
    assert made(known, 5.0).books == ["c"]


# -- histories as values ----------------------------------------------------------------------------------------------


def told(*steps: tuple[str, tuple[object, ...]]) -> Lineage:
    classes()
    return Lineage(__name__, "Shelf", tuple((name, recordings.dumps((arguments, {}))) for name, arguments in steps))


def books(lineage: Lineage) -> list[str]:
    return made(lineage, 5.0).books  # type: ignore[no-any-return]


def test_a_history_is_taken_apart_and_put_together():
    lineage = told(("__init__", ("a",)), ("add", ("b",)))
    first, others = parts_of(lineage)
    assert [(step.method, step.positional) for step in (first, *others)] == [("__init__", ("a",)), ("add", ("b",))]
    assert books(rebuilt(lineage, [first, [*others, *others]])) == ["a", "b", "b"]
    assert books(rebuilt(lineage, [rebuilt(first, ["c"]), []])) == ["c"]
    with pytest.raises(ValueError, match="something else"):
        rebuilt(lineage, [others[0], []])
    prints = Fingerprints()
    others = [told(("__init__", ("a",)), ("_put", ("b",))), told(("__init__", ("a",)))]
    assert len({prints.of(each) for each in (lineage, *others)}) == 3


def test_histories_are_grown():
    one = told(("__init__", ("a", "b")), ("add", ("c",)))
    other = told(("__init__", ()), ("add", ("d",)), ("clear", ()))

    def target(self: object, start: str) -> None: ...

    examples = [Arguments((lineage, "x")) for lineage in (one, other)]
    grown = [each.arguments.positional[0] for each in grow(examples, target, seed=0, limit=400)]
    assert {type(lineage) for lineage in grown} == {Lineage}
    plans = [[(step.method, step.positional) for step in (first, *rest)] for first, rest in map(parts_of, grown)]
    wanted = [
        [("__init__", ("a", "b"))],
        [("__init__", ("a", "b")), ("add", ("c",)), ("add", ("c",))],
        [("__init__", ("a", "b")), ("add", ("d",))],
        [("__init__", ()), ("clear", ()), ("add", ("d",))],
        [("__init__", ()), ("add", ("x",)), ("clear", ())],
    ]
    assert [plan for plan in wanted if plan not in plans] == []
    # Nothing is called with what it was never called with.
    assert {method for plan in plans for method, _ in plan} == {"__init__", "add", "clear"}
    assert {type(part) for plan in plans for _, given in plan for part in given} == {str}


def test_histories_are_made_small():
    lineage = told(("__init__", ("a", "b")), ("add", ("c",)), ("add", ("d",)), ("add", ("c",)))

    def fails(arguments: Arguments) -> bool:
        steps = [step.positional for step in parts_of(arguments.positional[0])[1]]
        return len(steps) > len(set(steps))

    (smallest,) = shrink(Arguments((lineage,)), fails).positional
    assert [len(blob) > 0 and name for name, blob in smallest.steps] == ["__init__", "add", "add"]
    assert parts_of(parts_of(smallest)[1][0]) == [""]


def test_what_nobody_meant_to_fail_is_told(tmp_path):
    """A step that the project refuses by its own `raise` is one that somebody may take."""
    meant = told(("__init__", ("a", "b", "c")), ("add", ("d",)))
    missing = told(("__init__", ()), ("gone", ()))
    here = __file__.rpartition("/")[0]
    assert made(meant, 5.0, project=here).books == ["a", "b", "c"]
    assert made(missing, 5.0).books == []
    with pytest.raises(Uncopyable, match="nobody meant gone to fail"):
        made(missing, 5.0, project=here)
    with pytest.raises(Uncopyable, match="nobody meant add to fail"):
        made(meant, 5.0, project=str(tmp_path))
    kind, steps = history(meant, 5.0)
    assert kind.__name__ == "Shelf"
    assert [(step.method, step.positional, refused) for step, refused in steps] == [
        ("__init__", ("a", "b", "c"), False),
        ("add", ("d",), True),
    ]
    assert type(steps[0][0]) is Step


def test_a_method_that_has_two_names_stays_one(lives: Lives):
    shelves, *_ = classes()
    shelves.put = shelves.add
    shelves.again = shelves.__init__
    lives.watch(shelves)
    assert shelves.put is shelves.add
    shelf = shelves("a")
    shelf.put("b")
    assert [name for name, _ in lives.of(shelf).steps] == ["__init__", "add"]
    shelf.again("c")
    assert vars(made(recordings.copied(lives.of(shelf)), 5.0)) == vars(shelf)
