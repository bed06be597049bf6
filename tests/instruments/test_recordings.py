"""Values as bytes, and what a target is called with."""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import sys
import threading
import types
from pathlib import Path

import pytest

from bakeoff.instruments import recordings
from bakeoff.instruments.recorder import Tape, shape_of
from bakeoff.instruments.recordings import Uncopyable


def scaled(factor):
    return lambda value: value * factor


def counted():
    def count(number):
        return 0 if number == 0 else 1 + count(number - 1)

    return count


class TestBytes:
    def test_functions_go_by_value_where_they_have_no_name(self):
        copy = recordings.copied(scaled(3))
        assert copy(2) == 6
        assert recordings.copied(counted())(4) == 4
        assert recordings.copied(scaled) is scaled

    def test_defaults_and_attributes_of_functions_are_kept(self):
        def local(a, b=[1], *, c=2):  # noqa: B006 (what is copied)
            return a, b, c

        local.mark = "x"
        copy = recordings.copied(local)
        assert copy(0) == (0, [1], 2)
        assert copy.__defaults__[0] is not local.__defaults__[0]
        assert copy.mark == "x"

    def test_what_pickle_alone_refuses(self):
        table = {"a": 1}
        assert recordings.copied(types.MappingProxyType(table)) == table
        assert list(recordings.copied(table.keys())) == ["a"]
        assert list(recordings.copied(table.values())) == [1]
        assert list(recordings.copied(table.items())) == [("a", 1)]
        assert recordings.copied(memoryview(b"abc")).tobytes() == b"abc"
        assert recordings.copied(sys) is sys

    def test_locks_come_free(self):
        lock = threading.RLock()
        with lock:
            copy = recordings.copied(lock)
        assert type(copy) is type(lock)
        assert recordings.copied(threading.Lock()).acquire(blocking=False)

    def test_what_is_shared_stays_shared(self):
        shared = [1]
        first, second = recordings.copied((shared, shared))
        assert first is second
        assert first is not shared

    @pytest.mark.parametrize("value", [(number for number in ()), sys.stdout])
    def test_what_cannot_be_copied_says_why(self, value):
        with pytest.raises(Uncopyable, match="cannot"):
            recordings.dumps([value])

    def test_foreign_code_that_raises_is_a_reason(self):
        class Bad:
            def __reduce__(self):
                raise ZeroDivisionError("no")

        with pytest.raises(Uncopyable, match="ZeroDivisionError: no"):
            recordings.dumps(Bad())
        with pytest.raises(Uncopyable):
            recordings.loads(b"nonsense")

    def test_size_is_bounded(self):
        with pytest.raises(Uncopyable, match="100 are kept"):
            recordings.dumps(bytes(1000), 100)


MODULE = """
import functools

def double(items, *, by=2):
    items.append(0)
    return [item * by for item in items]

def fact(number):
    return 1 if number < 2 else number * fact(number - 1)

def walk(items):
    for item in items:
        got = yield item
        if got:
            yield got
    return "end"

async def later(number):
    return number + 1

async def stream(count):
    for number in range(count):
        yield number

@functools.lru_cache
def cached(number):
    return number

class Box:
    def __init__(self, size): self.size = size
    def grow(self, by): self.size += by; return self.size
    @classmethod
    def made(cls, size): return cls(size)
    @staticmethod
    def free(size): return size
    @property
    def twice(self): return self.size * 2
    @twice.setter
    def twice(self, value): self.size = value // 2

if True:
    try:
        def hidden(x): return x
    except ImportError:
        pass

made_here = functools.partial(double, by=3)
TABLE = {"double": double}
"""


@pytest.fixture
def listening(tmp_path: Path):
    """Gives a module in which one target records."""
    (tmp_path / "recorded_module.py").write_text(MODULE)
    finders, path = sys.meta_path[:], sys.path[:]
    sys.path.insert(0, str(tmp_path))

    def listen(name: str, **options):
        tape = Tape(**options)
        tape.test = "a test"
        tape.listen("recorded_module", name)
        importlib.invalidate_caches()
        return tape, importlib.import_module("recorded_module")

    yield listen
    sys.modules.pop("recorded_module", None)
    sys.meta_path[:], sys.path[:] = finders, path


def arguments(tape: Tape):
    return [recordings.loads(call["arguments"]) for call in tape.kept()]


def seen(tape: Tape):
    return [recordings.loads(call["seen"]) for call in tape.kept()]


class TestTape:
    def test_arguments_before_and_after_and_the_result(self, listening):
        tape, module = listening("double")
        assert module.double([1, 2], by=3) == [3, 6, 0]
        assert arguments(tape) == [(([1, 2],), {"by": 3})]
        assert seen(tape) == [("returned", [3, 6, 0], ([1, 2, 0],), {"by": 3})]
        assert tape.reaching == {"a test": 1}

    def test_whoever_refers_to_it_records(self, listening):
        tape, module = listening("double")
        module.TABLE["double"]([1])
        module.made_here([1])
        assert tape.count == 2

    def test_an_exception_is_recorded_and_raised(self, listening):
        tape, module = listening("double")
        with pytest.raises(AttributeError):
            module.double((1,))
        kind, error, *_ = seen(tape)[0]
        assert kind == "raised"
        assert type(error) is AttributeError

    def test_recursion_is_one_call(self, listening):
        tape, module = listening("fact")
        assert module.fact(5) == 120
        assert arguments(tape) == [((5,), {})]

    def test_generators_are_used_as_before(self, listening):
        tape, module = listening("walk")
        walk = module.walk([1, 2])
        assert next(walk) == 1
        assert walk.send("x") == "x"
        assert next(walk) == 2
        with pytest.raises(StopIteration, match="end"):
            next(walk)
        assert seen(tape)[0][:2] == ("yielded", [1, "x", 2])
        second = module.walk([1])
        next(second)
        with pytest.raises(KeyError):
            second.throw(KeyError("x"))
        module.walk([1]).close()

    def test_coroutines(self, listening):
        tape, module = listening("later")

        async def both():
            return await asyncio.gather(module.later(1), module.later(5))

        assert asyncio.run(both()) == [2, 6]
        assert sorted(call[0] for call in arguments(tape)) == [(1,), (5,)]

    def test_asynchronous_generators(self, listening):
        tape, module = listening("stream")

        async def all_of():
            return [number async for number in module.stream(3)]

        assert asyncio.run(all_of()) == [0, 1, 2]
        assert tape.count == 1

    def test_methods_of_each_kind(self, listening):
        tape, module = listening("Box.grow")
        box = module.Box(1)
        assert box.grow(2) == 3
        ((receiver, by), _), *_ = arguments(tape)
        assert (receiver.size, by) == (1, 2)

    @pytest.mark.parametrize(
        ("name", "use"),
        [
            ("Box.made", lambda module: module.Box.made(3)),
            ("Box.free", lambda module: module.Box.free(3)),
            ("Box.twice", lambda module: module.Box(3).twice),
            ("cached", lambda module: (module.cached(3), module.cached.cache_info())),
            ("hidden", lambda module: module.hidden(3)),
            ("made_here", lambda module: module.made_here([3])),
        ],
    )
    def test_what_is_no_plain_function(self, listening, name: str, use):
        tape, module = listening(name)
        use(module)
        assert tape.count == 1

    def test_a_setter_is_not_the_target(self, listening):
        tape, module = listening("Box.twice")
        module.Box(1).twice = 8
        assert tape.count == 0

    def test_of_many_calls_a_few_of_each_shape_are_kept_with_their_weight(self, listening):
        tape, module = listening("double", each=5)
        for number in range(1, 100):
            module.double([number, number])
        for _ in range(3):
            module.double(["a"])
        kept = tape.kept()
        assert tape.count == 102
        assert sorted(call["weight"] for call in kept) == [3.0] + [99 / 5] * 5
        # Evenly over all of them, not the first ones.
        assert max(call[0][0][0] for call in arguments(tape) if call[0][0][0] != "a") > 5

    def test_numbers_and_sizes_are_bounded(self, listening):
        tape, module = listening("double", most=3, each=2)
        for size in range(1, 40):
            module.double([1] * 2 ** min(size, 10))
        assert len(tape.kept()) <= 12
        tape, module = listening("double", size=1000)
        with contextlib.suppress(KeyError):
            del sys.modules["recorded_module"]
        module = importlib.import_module("recorded_module")
        module.double(list(range(5000)))
        assert tape.kept() == []
        assert list(tape.uncopied.values()) == [1]

    def test_equal_calls_are_kept_once(self, listening):
        tape, module = listening("double")
        module.double([1])
        tape.test = "another"
        module.double([1])
        (call,) = tape.kept()
        assert call["tests"] == ["a test", "another"]
        assert call["weight"] == 2


def test_shapes_tell_types_and_rough_sizes_apart():
    values = [1, 1.0, "a", "aaaa", [], [1], ["a"], [1] * 9, (1, "a"), {"a": 1}, {"a": "b"}, {1}, None, object()]
    shapes = [shape_of(value) for value in values]
    assert len(set(shapes)) == len(shapes)
    assert shape_of([1, 2]) == shape_of([5, 6])
    deep: list = []
    deep.append(deep)
    assert shape_of(deep)
