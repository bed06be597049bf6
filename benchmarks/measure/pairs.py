"""Functions whose candidates have a known speedup, from 1 µs to 50 ms a call.

Each does one step N times, so making N smaller makes it faster by a ratio that is known, once it is known how many
steps the call itself takes the time of: for the shortest a few, for the others next to none.
"""

from __future__ import annotations

import pickle
from dataclasses import dataclass

# Steps of baseline and candidate for each speedup, so that even fifty steps can be told apart.
STEPS: dict[float, tuple[int, int]] = {1.0: (50, 50), 1.02: (51, 50), 1.05: (42, 40), 1.1: (44, 40)}

_NUMBERS = "def f(n):\n    t = n\n    for _ in range({steps} * {scale}):\n        t ^= n\n    return n\n"
_WORDS = (
    "def f(words):\n    found = {{}}\n    for _ in range({steps} * {scale}):\n        for word in words:\n"
    "            found[word] = found.get(word, 0) + 1\n    return sorted(found)[:3]\n"
)
_OBJECTS = (
    "class Point:\n    __slots__ = ('x', 'y')\n\n"
    "    def __init__(self, x, y):\n        self.x = x\n        self.y = y\n\n"
    "    def moved(self, by):\n        return Point(self.x + by, self.y - by)\n\n\n"
    "def f(n):\n    point = Point(n, n)\n    for _ in range({steps} * {scale}):\n        point = point.moved(1)\n"
    "    return n\n"
)
_TEXT = (
    "def f(text):\n    found = []\n    for _ in range({steps} * {scale}):\n"
    "        found.append(text.upper().replace('A', 'b').split(' ')[-1])\n    return found[0]\n"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """A function, as a text with its steps left open, and what it is called with."""

    name: str
    template: str
    scale: int
    arguments: tuple[object, ...]

    def source(self, steps: int) -> str:
        return self.template.format(steps=steps, scale=self.scale)

    def baseline(self, speedup: float) -> str:
        return self.source(STEPS[speedup][0])

    def candidate(self, speedup: float) -> str:
        """As fast as that; with a last line that says so, so that it is another file even where it is the same."""
        return self.source(STEPS[speedup][1]) + f"\n\n# {speedup}\n"

    def truth(self, speedup: float, overhead: float) -> float:
        """The speedup that there really is, where the call itself takes the time of so many steps."""
        before, after = STEPS[speedup]
        return (before + overhead) / (after + overhead)

    @property
    def blob(self) -> bytes:
        return pickle.dumps((self.arguments, {}))


PAIRS = {
    pair.name: pair
    for pair in (
        Pair(name="1us", template=_NUMBERS, scale=2, arguments=(7,)),
        Pair(name="30us", template=_OBJECTS, scale=4, arguments=(7,)),
        Pair(name="200us", template=_TEXT, scale=10, arguments=("some words that are not many " * 2,)),
        Pair(name="1ms", template=_WORDS, scale=3, arguments=([f"word{i % 61}" for i in range(200)],)),
        Pair(name="10ms", template=_OBJECTS, scale=1800, arguments=(7,)),
        Pair(name="50ms", template=_NUMBERS, scale=60_000, arguments=(7,)),
    )
}
