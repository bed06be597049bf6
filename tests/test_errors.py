"""What messages are made of."""

from __future__ import annotations

import pytest

from bakeoff.errors import TargetNotReached, alternatives, by_reason


@pytest.mark.parametrize(
    ("failing", "told"),
    [
        ([], []),
        (["a::x: KeyError: 'k'"], ["a::x: KeyError: 'k'"]),
        (["no colon"], ["no colon"]),
        (["a::x: why", "a::y: other", "a::z: why"], ["why (2 times, like a::x)", "a::y: other"]),
        ([f"t{number}: {number}" for number in range(4)], [f"t{number}: {number}" for number in range(4)]),
        ([f"t{number}: {number}" for number in range(5)], ["t0: 0", "t1: 1", "t2: 2", "and 2 other reasons"]),
    ],
)
def test_what_makes_many_tests_fail_is_told_once(failing: list[str], told: list[str]):
    assert by_reason(failing) == told


def test_alternatives_are_listed():
    assert [alternatives("abc"[:count]) for count in (1, 2, 3)] == ["a", "a or b", "a, b or c"]


def test_a_target_that_is_not_reached_is_told_of_with_what_fails():
    assert TargetNotReached("m.py::f", 1).message == "the only test does not call m.py::f"
    error = TargetNotReached("m.py::f", 60, failing=["a: no socket", "b: no socket"])
    assert error.message == "none of the 60 tests calls m.py::f (some fail: no socket (2 times, like a))"
    assert "--sandbox off" in (error.hint or "")
