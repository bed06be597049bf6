KIND = "wrong"
FLAW = "order of output: steps that are ready together come last first"
TARGET = "build_order"
WITNESS = 'build_order({"fetch": [], "lint": [], "build": ["fetch"]})'
BASELINE = '''"""In which order the steps of a build run."""

from __future__ import annotations


class CircularBuild(ValueError):
    """Raised when steps wait for one another."""


def build_order(needs: dict[str, list[str]]) -> list[str]:
    """The steps so that each comes after what it needs; where there is a choice, in the order they were given."""
    order: list[str] = []
    waiting = {step: [need for need in wanted if need in needs] for step, wanted in needs.items()}
    ready = [step for step, wanted in waiting.items() if not wanted]
    while ready:
        done = ready.pop(0)
        order.append(done)
        for step, wanted in waiting.items():
            if done in wanted:
                waiting[step] = [need for need in wanted if need != done]
                if not waiting[step]:
                    ready.append(step)
    if len(order) < len(needs):
        raise CircularBuild(sorted(set(needs) - set(order)))
    return order
'''
CANDIDATE = '''"""In which order the steps of a build run."""

from __future__ import annotations


class CircularBuild(ValueError):
    """Raised when steps wait for one another."""


def build_order(needs: dict[str, list[str]]) -> list[str]:
    """The steps so that each comes after what it needs; where there is a choice, in the order they were given."""
    order: list[str] = []
    missing: dict[str, int] = {}
    dependants: dict[str, list[str]] = {step: [] for step in needs}
    for step, wanted in needs.items():
        known = {need for need in wanted if need in needs}
        missing[step] = len(known)
        for need in known:
            dependants[need].append(step)
    ready = [step for step, count in missing.items() if not count]
    while ready:
        done = ready.pop()
        order.append(done)
        for step in dependants[done]:
            missing[step] -= 1
            if not missing[step]:
                ready.append(step)
    if len(order) < len(needs):
        raise CircularBuild(sorted(set(needs) - set(order)))
    return order
'''
TESTS = """import pytest

from project.module import CircularBuild, build_order


def test_nothing_to_build():
    assert build_order({}) == []


def test_a_chain():
    assert build_order({"test": ["build"], "build": ["fetch"], "fetch": []}) == ["fetch", "build", "test"]


def test_needs_come_first_in_a_diamond():
    order = build_order({"base": [], "left": ["base"], "right": ["base"], "top": ["left", "right"]})
    assert order[0] == "base"
    assert order[-1] == "top"
    assert sorted(order) == ["base", "left", "right", "top"]


def test_what_is_not_a_step_is_not_waited_for():
    assert build_order({"build": ["compiler"], "test": ["build", "build"]}) == ["build", "test"]


def test_a_circle_is_named():
    with pytest.raises(CircularBuild) as caught:
        build_order({"a": ["b"], "b": ["a"], "c": []})
    assert caught.value.args == (["a", "b"],)
"""
