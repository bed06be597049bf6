"""The ways to call baseline and candidate alike."""

from __future__ import annotations

from pathlib import Path

import pytest

from bakeoff.instruments import recordings
from bakeoff.instruments.sides import Pair, Side
from bakeoff.instruments.worlds import World
from repositories import write_files


def pair(folder: Path, baseline: str, candidate: str, target: str = "f") -> Pair:
    write_files(folder / "project", {"mod.py": baseline})
    place, project = str(folder / "place"), str(folder / "project")
    one = World("one", project, place, alike=("mod.py",))
    two = World("two", project, place, edits={"mod.py": candidate.encode()})
    return Pair(Side(one, "mod", target), Side(two, "mod", target), patience=0.1)


def arguments(*positional: object) -> bytes:
    return recordings.dumps((positional, {}))


@pytest.mark.parametrize("way", ["both", "partly", "shallow", "twice", "grown", "turned", "thrown"])
def test_what_the_baseline_does_not_end_the_candidate_is_not_asked(tmp_path: Path, way: str):
    called = tmp_path / "called"
    candidate = f"def f(items):\n    open({str(called)!r}, 'w').close()\n"
    expected, actual = getattr(pair(tmp_path, "def f(items):\n    while True: pass\n", candidate), way)(arguments([1]))
    assert expected.ending == "too-long"
    assert actual is expected
    assert not called.exists()


@pytest.mark.parametrize(
    ("way", "expected", "actual"),
    [
        ("both", [1, 2], [1, 2]),
        # Both hand out what they keep; the caller's change to the first result shows in the second of one alone.
        ("twice", [1, 2], [1, 2, 1]),
        # The candidate remembers by identity what has other contents now.
        ("grown", [1, 2, 1], [1, 2]),
        ("turned", [2, 1], [1, 2]),
    ],
)
def test_what_is_kept_from_call_to_call_shows(tmp_path: Path, way: str, expected: list[int], actual: list[int]):
    fresh = "def f(items):\n    return list(items)\n"
    by_value = "kept = {}\ndef f(items):\n    return kept.setdefault(tuple(items), list(items))\n"
    by_identity = "kept = {}\ndef f(items):\n    return kept.setdefault(id(items), (items, list(items)))[1][:]\n"
    candidate = by_value if way in ("both", "twice") else by_identity
    found = getattr(pair(tmp_path, fresh, candidate), way)(arguments([1, 2]))
    assert [seen.value for seen in found] == [expected, actual]


def test_what_recurses_for_each_item_shows_with_little_stack(tmp_path: Path):
    loop = "def f(items):\n    return sum(items)\n"
    recursive = "def f(items):\n    return items[0] + f(items[1:]) if items else 0\n"
    expected, actual = pair(tmp_path, loop, recursive).shallow(arguments([1] * 300))
    assert expected.value == 300
    assert type(actual.error) is RecursionError


COPIED = "import math\n\ndef f(x):\n    return math.copysign(1, x)\n"


def test_what_an_equal_call_before_leaves_shows(tmp_path: Path):
    cached = COPIED.replace("def f", "import functools\n\n@functools.lru_cache\ndef f")
    expected, actual = pair(tmp_path, COPIED, cached).after(arguments(0.0), arguments(-0.0))
    assert (expected.value, actual.value) == (-1.0, 1.0)


def test_a_method_comes_after_another_call_on_the_same_receiver(tmp_path: Path):
    plain = "class Box:\n    kept = None\n\n    def f(self, x):\n        return x\n"
    keeps = plain.replace("return x", "self.kept = self.kept or x\n        return self.kept")
    both = pair(tmp_path, plain, keeps, "Box.f")
    with both._baseline.world.entered():
        import mod  # type: ignore[import-not-found]

        first, second = (recordings.dumps(((mod.Box(), number), {})) for number in (1, 2))
    assert [seen.value for seen in both.both(second)] == [2, 2]
    assert [seen.value for seen in both.after(first, second)] == [2, 1]


def test_a_receiver_in_slots_grows_like_one_with_a_dict(tmp_path: Path):
    plain = "class Box:\n    def __init__(self):\n        self.sides = [2, 3]\n\n    def f(self):\n"
    plain += "        return len(self.sides)\n"
    slotted = plain.replace("class Box:\n", "class Box:\n    __slots__ = ('sides',)\n\n")
    both = pair(tmp_path, plain, slotted, "Box.f")
    with both._baseline.world.entered():
        import mod

        blob = recordings.dumps(((mod.Box(),), {}))
    assert [seen.value for seen in both.grown(blob)] == [3, 3]
