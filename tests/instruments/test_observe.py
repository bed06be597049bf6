"""One call, and all that can be seen of it."""

from __future__ import annotations

import collections
import contextlib
import io
import itertools
import json
import os
import sys
import types

import pytest

from bakeoff.instruments.observe import LAZY, OutOfTime, Thrown, observe, within
from bakeoff.instruments.worlds import Callee


def seen(function, *arguments, **options):
    return observe(Callee(function), arguments, {}, **options)


def test_result_output_and_what_became_of_the_arguments():
    def target(items):
        print("working")
        items.append(1)
        return items

    outer = sys.stdout
    found = seen(target, [])
    assert (found.ending, found.stage, found.value, found.arguments) == ("returned", "call", [1], ([1],))
    assert found.value is found.arguments[0]
    assert found.output == "working\n"
    assert sys.stdout is outer


@pytest.mark.parametrize(
    "items",
    [iter([1, 2]), map(abs, [1, -2]), (number for number in (1, 2)), itertools.chain([1], [2]), filter(None, [1, 2])],
)
def test_what_is_put_off_is_done(items):
    found = seen(lambda: items)
    assert (found.is_lazy, found.value, found.stage) == (True, [1, 2], "iteration")


@pytest.mark.parametrize(
    "items",
    [
        *(iter("ab"), iter("éb"), iter(b"ab"), iter(bytearray(b"ab")), iter({1: 2}.values()), iter({1: 2}.items())),
        *(reversed([1]), reversed({1: 2}), iter(collections.deque([1])), iter(int, 1), iter(range(1 << 70))),
    ],
)
def test_iterators_of_python_are_all_of_one_kind(items):
    assert isinstance(items, LAZY)
    found = seen(lambda: items, most_items=3)
    assert (found.is_lazy, found.kind, found.facts()["kind"]) == (True, "iterator", "iterator")


class Countdown:
    """A project's own iterator."""

    def __init__(self, start):
        self.left = start

    def __iter__(self):
        return self

    def __next__(self):
        if self.left == 0:
            raise StopIteration
        self.left -= 1
        return self.left


class TestOwnIterators:
    def test_they_are_drained_and_keep_their_kind(self):
        found = seen(lambda: Countdown(3))
        assert (found.is_lazy, found.value, found.stage, found.kind) == (True, [2, 1, 0], "iteration", "Countdown")
        assert seen(lambda: [2, 1, 0]).kind == ""

    def test_only_as_much_as_is_asked_for(self):
        endless = Countdown(-1)
        assert seen(lambda: endless, most_items=2).value == [-2, -3]
        assert endless.left == -3

    def test_an_error_in_them_is_one_of_the_iteration(self):
        class Failing(Countdown):
            def __next__(self):
                raise KeyError("x")

        found = seen(lambda: Failing(1))
        assert (found.ending, found.stage, found.value) == ("raised", "iteration", [])

    def test_what_is_more_than_an_iterator_is_left_alone(self):
        class Reader(Countdown):
            def read(self):
                return "all"

        class Restarting(Countdown):
            def __iter__(self):
                return Countdown(1)

        class Broken(Countdown):
            def __iter__(self):
                raise TypeError("no")

        class Text(io.StringIO):
            pass

        for value in (Reader(1), Restarting(1), Broken(1), Text("a\nb"), io.StringIO("a\nb"), [1], "ab"):
            found = seen(lambda value=value: value)
            assert (found.value is value, found.is_lazy, found.kind, found.stage) == (True, False, "", "call")

    def test_classes_that_cannot_be_hashed(self):
        class Meta(type):
            __hash__ = None

            def __eq__(cls, other):
                raise ZeroDivisionError

        value = Meta("Odd", (), {})()
        assert seen(lambda: value).value is value


class TestWhatIsEntered:
    def test_its_whole_body_runs(self):
        @contextlib.contextmanager
        def target(items):
            items.append("in")
            try:
                yield items
            finally:
                items.append("out")

        found = seen(target, [])
        assert found.arguments == (["in", "out"],)
        assert found.value is found.arguments[0]
        assert (found.ending, found.stage, found.kind, found.is_entered) == (
            "returned",
            "exit",
            "context manager",
            True,
        )
        assert not found.is_lazy

    def test_asynchronous_ones_too(self):
        @contextlib.asynccontextmanager
        async def target(items):
            yield items.append("in") or 1
            items.append("out")

        found = seen(target, [])
        assert (found.value, found.arguments, found.stage, found.is_entered) == (1, (["in", "out"],), "exit", True)
        found = seen(target, [], thrown=True)
        assert (found.arguments, type(found.error)) == ((["in"],), Thrown)

    def test_whether_it_fails_at_entry_or_at_exit(self):
        @contextlib.contextmanager
        def target(where):
            if where == "entry":
                raise ValueError
            yield 1
            raise ValueError

        for where in ("entry", "exit"):
            found = seen(target, where)
            assert (found.ending, found.stage) == ("raised", where)

    def test_leaving_it_by_an_error_shows_what_it_does_about_it(self):
        @contextlib.contextmanager
        def passing(done):
            try:
                yield
            finally:
                done.append("out")

        @contextlib.contextmanager
        def careless(done):
            yield
            done.append("out")

        found = seen(passing, [], thrown=True)
        assert (found.ending, type(found.error), found.deliberate) == ("raised", Thrown, True)
        assert found.arguments == (["out"],)
        assert seen(careless, [], thrown=True).arguments == ([],)
        found = seen(contextlib.contextmanager(swallowing), thrown=True)
        assert (found.ending, found.stage) == ("returned", "exit")

    def test_throwing_makes_no_difference_to_others(self):
        assert seen(lambda: [1], thrown=True).value == [1]
        assert seen(lambda: iter([1]), thrown=True).value == [1]


def swallowing():
    with contextlib.suppress(Thrown):
        yield


def test_only_as_much_as_is_asked_for():
    taken = []

    def target():
        for number in itertools.count():
            taken.append(number)
            yield number

    assert seen(target, most_items=3).value == [0, 1, 2]
    assert taken == [0, 1, 2]


def test_coroutines_run_to_their_end():
    async def target(number):
        return number + 1

    async def stream():
        yield 1
        yield 2

    assert seen(target, 1).value == 2
    found = seen(stream)
    assert (found.value, found.is_lazy, found.kind) == ([1, 2], True, "asynchronous iterator")


def test_a_coroutine_that_fails_leaves_no_result():
    async def target():
        raise ValueError("x")

    found = seen(target)
    assert (found.ending, found.stage, found.value) == ("raised", "iteration", None)


def test_whether_an_error_comes_from_the_call_or_from_what_was_put_off():
    def eager():
        raise ValueError("x")

    def lazy():
        yield 1
        raise ValueError("x")

    assert (seen(eager).ending, seen(eager).stage) == ("raised", "call")
    found = seen(lazy)
    assert (found.ending, found.stage, found.value) == ("raised", "iteration", [1])


def test_an_error_that_somebody_raised_is_told_from_an_operation_that_failed():
    def meant(value):
        if not value:
            raise IndexError("empty")
        return value[0]

    assert seen(meant, []).deliberate
    assert not seen(lambda value: value[0], []).deliberate
    assert not seen(int, "x").deliberate


def test_an_error_is_meant_where_the_project_raised_it():
    def meant():
        raise ValueError("x")

    here = os.path.dirname(__file__)
    assert seen(meant, project=here).deliberate
    assert seen(meant, project=here + os.sep).deliberate
    assert not seen(meant, project=here[:-1]).deliberate
    assert seen(json.loads, "x").deliberate
    assert not seen(json.loads, "x", project=here).deliberate


@pytest.mark.parametrize("error", [SystemExit, KeyboardInterrupt, GeneratorExit, ExceptionGroup("x", [ValueError()])])
def test_whatever_is_raised_is_seen(error):
    def target():
        raise error

    assert seen(target).ending == "raised"


def test_a_call_that_does_not_end_is_ended():
    def target():
        while True:
            pass

    def stubborn():
        while True:
            try:
                while True:
                    pass
            except OutOfTime:
                if len(caught) > 1:
                    raise
                caught.append(1)

    caught: list[int] = []
    assert seen(target, patience=0.05).ending == "too-long"
    assert seen(stubborn, patience=0.05).ending == "too-long"
    assert len(caught) == 2


def test_nothing_rings_after_the_block():
    import signal

    before = signal.getsignal(signal.SIGALRM)
    with within(10):
        pass
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)
    assert signal.getsignal(signal.SIGALRM) is before


def test_facts_hold_what_result_and_arguments_share():
    found = seen(lambda items: items, [1])
    facts = found.facts()
    assert facts["result"] is facts["arguments"][0]
    assert isinstance(seen(lambda: types).facts(), dict)
