"""One call, and all that can be seen of it."""

from __future__ import annotations

import itertools
import sys
import types

import pytest

from bakeoff.instruments.observe import OutOfTime, observe, within
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
    assert seen(stream).value == [1, 2]


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
