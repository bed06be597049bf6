"""Values as bytes, and what a target is called with."""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import copy
import importlib
import importlib.util
import inspect
import logging
import pickle
import sys
import threading
import types
import warnings
from importlib.machinery import SourceFileLoader
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

    def test_attributes_find_their_places_in_slots(self):
        """Written where the class keeps them in `__dict__`, read where it has slots, and the other way round."""

        class Plain:
            def __init__(self):
                self.a, self.b = 1, [self]

        class Slots:
            __slots__ = ("a", "b", "c")

        class Few:
            __slots__ = ("a",)

        def read(blob, kind):
            globals()["Kept"] = kind
            kind.__qualname__ = kind.__name__ = "Kept"
            return recordings.loads(blob)

        globals()["Kept"] = Plain
        Plain.__qualname__ = "Kept"
        blob = recordings.dumps([Plain()])
        (slots,) = read(blob, Slots)
        assert type(slots) is Slots
        assert (slots.a, slots.b) == (1, [slots])
        (plain,) = read(recordings.dumps([slots]), Plain)
        assert vars(plain) == {"a": 1, "b": [plain]}
        with pytest.raises(Uncopyable, match="'b'"):
            read(blob, Few)

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
import contextlib
import functools
import logging
import warnings

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

class Pause:
    def __await__(self):
        yield

async def waiting():
    await Pause()

async def stream(count):
    for number in range(count):
        yield number

async def talk(notes):
    try:
        while True:
            try:
                notes.append((yield len(notes)))
            except KeyError:
                notes.append("caught")
    finally:
        notes.append("closed")

def old(value):
    warnings.warn("old", DeprecationWarning, stacklevel=2)
    logging.getLogger("recorded").warning("old", stacklevel=2)
    return value

def old_items(value):
    warnings.warn("old", DeprecationWarning, stacklevel=2)
    yield value

def countdown(start):
    return reversed(range(start))

@functools.lru_cache
def cached(number):
    return number

class Command:
    def __init__(self, function): self.function, self.opened = function, []
    def __call__(self, *arguments): return self.function(*arguments)
    def __len__(self): return 3
    def __iter__(self): return iter("abc")
    def __contains__(self, item): return item == "a"
    def __getitem__(self, place): return "abc"[place]
    def __setitem__(self, place, item): self.opened.append((place, item))
    def __eq__(self, other): return type(other) is Command and other.function is self.function
    def __hash__(self): return 7
    def __repr__(self): return "Command()"
    def __enter__(self): self.opened.append("in"); return self
    def __exit__(self, *_): self.opened.append("out")

@Command
def command(value):
    return value

@Command
def old_command(value):
    warnings.warn("old", DeprecationWarning, stacklevel=3)
    return value

assert isinstance(command, Command)

class Plain:
    def __call__(self, value): return value

plain = Plain()

class Unhashable:
    __hash__ = None
    def __call__(self, value): return value

unhashable = Unhashable()

class Bound:
    "Gives something of its own as a method."
    def __init__(self, function): self.function = function
    def __call__(self, *arguments): return self.function(*arguments)
    def __get__(self, instance, owner=None): return functools.partial(self, instance)

class Holder:
    @Bound
    def own(self, by): return by
    @functools.lru_cache
    def cached(self, by): return by

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
made_of_another = functools.wraps(double)(lambda number: number)
TABLE = {"double": double}
"""


@pytest.fixture
def listening(tmp_path: Path):
    """Gives a module in which one target records."""
    (tmp_path / "recorded_module.py").write_text(MODULE)
    path, usual = sys.path[:], SourceFileLoader.exec_module
    sys.path.insert(0, str(tmp_path))

    def listen(name: str, **options):
        tape = Tape(**options)
        tape.test = "a test"
        sys.modules.pop("recorded_module", None)
        tape.listen("recorded_module", name)
        importlib.invalidate_caches()
        return tape, importlib.import_module("recorded_module")

    yield listen
    sys.modules.pop("recorded_module", None)
    sys.path[:], SourceFileLoader.exec_module = path, usual


class Hundred:
    """Makes its items one after the other, by what is called `made` here."""

    def __iter__(self):
        return (sys.modules[__name__].made() for _ in range(100))


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

    def test_what_an_asynchronous_generator_gave(self, listening):
        tape, module = listening("stream")

        async def both():
            return [number async for number in module.stream(2)], await anext(module.stream(5))

        assert asyncio.run(both()) == ([0, 1], 0)
        first, second = tape.kept()
        assert recordings.loads(first["seen"])[:2] == ("yielded", [0, 1])
        assert second["seen"] is None

    def test_asynchronous_generators_are_used_as_before(self, listening):
        tape, module = listening("talk")
        notes: list = []

        async def talked():
            talk = module.talk(notes)
            given = [await anext(talk), await talk.asend("x"), await talk.athrow(KeyError("y"))]
            await talk.aclose()
            with pytest.raises(StopAsyncIteration):
                await anext(talk)
            return given

        assert asyncio.run(talked()) == [0, 1, 2]
        assert notes == ["x", "caught", "closed"]
        assert arguments(tape) == [(([],), {})]

    def test_what_is_closed_in_another_context_makes_no_noise(self, listening):
        _, module = listening("waiting")
        waiting = module.waiting()
        contextvars.copy_context().run(waiting.send, None)
        waiting.close()

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
            ("made_of_another", lambda module: module.made_of_another([3])),
        ],
    )
    def test_what_is_no_plain_function(self, listening, name: str, use):
        tape, module = listening(name)
        use(module)
        assert tape.count == 1

    @pytest.mark.parametrize("name", ["old", "old_items", "old_command"])
    def test_the_caller_is_found_past_the_recorder(self, listening, name: str):
        _, module = listening(name)
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always")
            found = getattr(module, name)(1)
            found = list(found) if name == "old_items" else [found]
        assert found == [1]
        assert [warning.filename for warning in warned] == [__file__]

    def test_who_logs_is_found_past_the_recorder(self, listening, caplog: pytest.LogCaptureFixture):
        _, module = listening("old")
        with caplog.at_level(logging.WARNING), pytest.warns(DeprecationWarning, match="old"):
            module.old(1)
        assert [record.pathname for record in caplog.records] == [__file__]

    def test_a_class_stays_a_class(self, listening):
        tape, module = listening("Box")
        assert isinstance(module.Box, type)
        assert isinstance(module.Box(1), module.Box)
        assert issubclass(type("Larger", (module.Box,), {}), module.Box)
        assert (tape.count, tape.kept()) == (0, [])

    def test_of_an_iterator_nobody_knows_what_it_gives(self, listening):
        tape, module = listening("countdown")
        assert list(module.countdown(2)) == [1, 0]
        assert [(call["arguments"] is None, call["seen"]) for call in tape.kept()] == [(False, None)]

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
        module.double(list(range(5000)))
        assert tape.kept() == []
        assert list(tape.uncopied.values()) == [1]

    def test_what_calls_give_counts_towards_the_size(self, listening):
        tape, module = listening("double", size=1 << 16, each=200)
        for size in range(200, 400):
            module.double([size, *range(300)], by=size)
        kept = tape.kept()
        assert 0 < sum(len(call["arguments"]) + len(call["seen"] or b"") for call in kept) <= 1 << 16
        assert all(len(call["seen"] or b"") <= 1 << 11 for call in kept)

    def test_the_size_of_what_goes_is_free_again(self, listening):
        tape, module = listening("double", size=1 << 16)
        for number in range(10_000):
            module.double([number, *range(140)])
        assert all(call["seen"] is not None for call in tape.kept())
        assert tape.uncopied == {}

    def test_large_items_of_a_generator_are_not_held(self, listening, monkeypatch: pytest.MonkeyPatch):
        tape, module = listening("walk", size=1 << 16)
        alive: list = []

        class Item:
            def __init__(self):
                self.weight = bytes(1000)
                alive.append(1)

            def __del__(self):
                alive.pop()

            def __reduce__(self):
                return bytes, (self.weight,)

        monkeypatch.setattr(sys.modules[__name__], "made", Item, raising=False)
        most = 0
        for _ in module.walk(Hundred()):
            most = max(most, len(alive))
        assert most < 10
        assert [call["seen"] for call in tape.kept()] == [None]

    def test_equal_calls_are_not_all_written(self, listening, monkeypatch: pytest.MonkeyPatch):
        tape, module = listening("countdown")
        written: list = []
        dumps = recordings.dumps
        monkeypatch.setattr(recordings, "dumps", lambda *given: written.append(1) or dumps(*given))
        large = 1 << 400_000
        for _ in range(2000):
            with contextlib.suppress(OverflowError):
                module.countdown(large)
        assert len(written) < 300
        assert [call["weight"] for call in tape.kept()] == [2000]

    def test_what_cannot_be_written_is_not_tried_each_time_and_yet_counted(
        self, listening, monkeypatch: pytest.MonkeyPatch
    ):
        tape, module = listening("hidden")
        tried: list = []

        class Bad:
            def __reduce__(self):
                tried.append(1)
                raise ZeroDivisionError("no")

        for _ in range(2000):
            module.hidden(Bad())
        assert len(tried) < 300
        assert tape.uncopied == {"ZeroDivisionError: no": 2000}

    def test_a_rare_call_among_many_equal_ones_is_kept(self, listening):
        tape, module = listening("hidden")
        for number in range(900):
            module.hidden(7 if number == 899 else 5)
        assert sorted(call[0] for call in arguments(tape)) == [(5,), (7,)]
        assert sum(call["weight"] for call in tape.kept()) == 900

    def test_the_choice_is_even(self, listening):
        chosen: list[int] = []
        for seed in range(60):
            tape, module = listening("hidden", each=10, seed=seed)
            for number in range(128, 256):
                module.hidden(number)
            assert sum(call["weight"] for call in tape.kept()) == pytest.approx(128)
            chosen += [call[0][0] for call in arguments(tape)]
        quarters = [sum(number // 32 == quarter for number in chosen) for quarter in range(4, 8)]
        # 150 each; the standard deviation is 10.
        assert all(100 < count < 200 for count in quarters)

    def test_equal_calls_are_kept_once(self, listening):
        tape, module = listening("double")
        module.double([1])
        tape.test = "another"
        module.double([1])
        (call,) = tape.kept()
        assert call["tests"] == ["a test", "another"]
        assert call["weight"] == 2


class TestWhatIsNoPlainFunction:
    def test_it_is_used_as_before(self, listening):
        tape, module = listening("command")
        command = module.command
        assert command(3) == 3
        assert command.__call__(4) == 4
        assert isinstance(command, module.Command)
        assert (len(command), list(command), command[1], "a" in command, "b" in command) == (
            3,
            [*"abc"],
            "b",
            True,
            False,
        )
        assert (repr(command), str(command), hash(command), bool(command)) == ("Command()", "Command()", 7, True)
        command[1] = "x"
        with command as entered:
            assert entered is command
        assert command.opened == [(1, "x"), "in", "out"]
        command.note = 1
        assert vars(command)["note"] == command.note == 1
        del command.note
        assert not hasattr(command, "note")
        assert tape.count == 2

    def test_it_equals_what_it_stands_for_and_itself(self, listening):
        _, module = listening("command")
        command = module.command
        same = module.Command(command.function)
        assert command == command
        assert command == same
        assert same != module.Command(print)
        assert {command: 1}[same] == 1
        assert command != 1

    def test_it_can_only_do_what_its_type_can(self, listening):
        _, module = listening("plain")
        assert hash(module.plain) == hash(module.plain)
        for use in (len, iter, int):
            with pytest.raises(TypeError):
                use(module.plain)
        assert not hasattr(module.plain, "__get__")
        _, module = listening("unhashable")
        with pytest.raises(TypeError, match="unhashable"):
            hash(module.unhashable)

    def test_what_it_wraps_is_what_it_wrapped_before(self, listening):
        _, module = listening("cached")
        assert module.cached.__wrapped__(3) == 3
        assert module.cached.cache_info().misses == 0
        assert type(inspect.unwrap(module.cached)) is types.FunctionType
        assert module.cached.__name__ == "cached"
        assert module.cached.__module__ == "recorded_module"

    def test_it_can_be_copied_and_written(self, listening):
        _, module = listening("cached")
        assert pickle.loads(pickle.dumps(module.cached)) is module.cached
        assert copy.copy(module.cached) is module.cached
        _, module = listening("plain")
        assert type(pickle.loads(pickle.dumps(module.plain))) is module.Plain
        assert type(copy.deepcopy(module.plain)) is module.Plain

    def test_as_a_method_it_is_what_it_makes_of_itself(self, listening):
        tape, module = listening("Holder.own")
        holder = module.Holder()
        assert isinstance(holder.own, module.functools.partial)
        assert holder.own(3) == 3
        ((receiver, by), _) = arguments(tape)[0]
        assert (type(receiver), by) == (module.Holder, 3)
        tape, module = listening("Holder.cached")
        holder = module.Holder()
        assert type(holder.cached) is types.MethodType
        assert holder.cached(3) == 3
        assert tape.count == 1


PROJECT = {
    "src/acme/tools/m.py": "def f(x): return x\n",
    "src/acme/tools/__init__.py": "def f(x): return [x]\n",
    "src/acme/other/m.py": "def f(x): return (x,)\n",
}


class TestFiles:
    """The target's file is known, and not its name."""

    @pytest.fixture
    def project(self, tmp_path: Path):
        for path, text in PROJECT.items():
            (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / path).write_text(text)
        path, modules, usual = sys.path[:], set(sys.modules), SourceFileLoader.exec_module
        yield tmp_path
        for name in set(sys.modules) - modules:
            del sys.modules[name]
        sys.path[:], SourceFileLoader.exec_module = path, usual
        importlib.invalidate_caches()

    def test_it_records_when_it_is_loaded_by_its_path(self, project: Path):
        """As pytest does, in its way of importing where it touches no path."""
        tape = Tape()
        end = tape.listen("nothing.like.it", "f", str(project / "src/acme/tools/__init__.py"))
        spec = importlib.util.spec_from_file_location("tools", project / "src/acme/tools/__init__.py")
        sys.modules["tools"] = module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        assert module.f(1) == [1]
        assert tape.count == 1
        end()
        again = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(again)
        assert again.f(1) == [1]
        assert tape.count == 1

    @pytest.mark.parametrize(
        ("root", "name"),
        [("src", "acme.tools.m"), ("src/acme", "tools.m"), ("src/acme/tools", "m"), ("", "src.acme.tools.m")],
    )
    def test_it_records_under_whatever_name_it_is_imported(self, project: Path, root: str, name: str):
        sys.path.insert(0, str(project / root))
        tape = Tape()
        tape.listen("nothing.like.it", "f", str(project / "src/acme/tools/m.py"))
        assert importlib.import_module(name).f(1) == 1
        assert (tape.count, tape.modules) == (1, [name])

    def test_by_two_names(self, project: Path):
        sys.path[:0] = [str(project / "src"), str(project / "src/acme/tools")]
        tape = Tape()
        tape.listen("m", "f", str(project / "src/acme/tools/m.py"))
        for name in ("m", "acme.tools.m", "m"):
            importlib.import_module(name).f(1)
        assert (tape.count, tape.modules) == (3, ["m", "acme.tools.m"])

    def test_packages(self, project: Path):
        sys.path.insert(0, str(project / "src"))
        tape = Tape()
        tape.listen("", "f", str(project / "src/acme/tools/__init__.py"))
        assert importlib.import_module("acme.tools").f(1) == [1]
        assert importlib.import_module("acme.tools.m").f(1) == 1
        assert (tape.count, tape.modules) == (1, ["acme.tools"])

    def test_another_file_of_that_name_is_not_it(self, project: Path):
        sys.path.insert(0, str(project / "src"))
        tape = Tape()
        tape.listen("acme.other.m", "f", str(project / "src/acme/tools/m.py"))
        assert importlib.import_module("acme.other.m").f(1) == (1,)
        assert (tape.count, tape.modules) == (0, [])

    def test_through_a_link(self, project: Path):
        (project / "linked").symlink_to(project / "src", target_is_directory=True)
        sys.path.insert(0, str(project / "linked"))
        tape = Tape()
        tape.listen("", "f", str(project / "src/acme/tools/m.py"))
        importlib.import_module("acme.tools.m").f(1)
        assert tape.count == 1

    def test_asking_for_a_module_is_not_importing_it(self, project: Path):
        sys.path.insert(0, str(project / "src/acme/tools"))
        tape = Tape()
        tape.listen("", "f", str(project / "src/acme/tools/m.py"))
        assert importlib.util.find_spec("m")
        assert tape.modules == []


def test_shapes_tell_types_and_rough_sizes_apart():
    values = [1, 1.0, "a", "aaaa", [], [1], ["a"], [1] * 9, (1, "a"), {"a": 1}, {"a": "b"}, {1}, None, object()]
    shapes = [shape_of(value) for value in values]
    assert len(set(shapes)) == len(shapes)
    assert shape_of([1, 2]) == shape_of([5, 6])
    deep: list = []
    deep.append(deep)
    assert shape_of(deep)
