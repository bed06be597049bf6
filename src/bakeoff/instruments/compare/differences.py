"""What counts as a difference, and what is told of one: its kind, both parts as texts, and the path to it."""

from __future__ import annotations

from dataclasses import dataclass

from .classes import title_of
from .objects import LONGEST, shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .classes import Foreign

__all__ = [
    "KINDS",
    "Difference",
    "Found",
    "Rules",
    "of_lengths",
    "of_texts",
    "of_types",
    "position",
    "unequal",
    "written",
]

# What a difference can be.
KINDS = {
    "type": "the types differ, or the dtypes of arrays",
    "value": "two plain values differ",
    "length": "one has more items than the other; or the shapes of arrays differ",
    "order": "the keys of a dict are the same, but come in another order",
    "keys": "a key of a dict is missing, or there is one too many",
    "members": "a member of a set is missing, or there is one too many",
    "attributes": "an attribute of an object is missing, or there is one too many",
    "aliasing": "what is one object on one side are two, perhaps equal ones, on the other",
    "exception": "the types of exceptions differ, or their texts, or the types of what they came from",
    "too-large": "the budget was used up before all was looked at",
    "incomparable": "it could not be looked at",
}


@dataclass(frozen=True)
class Rules:
    """What counts. Floats are exact unless there is a tolerance, which is that of `math.isclose`. `places` are two
    folders, one for each side, that mean the same: texts and paths may differ by them."""

    rtol: float = 0.0
    atol: float = 0.0
    dict_order: bool = True
    messages: bool = True
    budget: int = 2_000_000
    places: tuple[str, str] = ("", "")

    def __post_init__(self) -> None:
        if not (self.rtol >= 0 and self.atol >= 0):
            raise ValueError("a tolerance is a number that is not negative")

    def same_text(self, expected: str, actual: str) -> bool:
        """Whether two texts are the same, but for the places that they may name."""
        ours, theirs = self.places
        return expected == actual or (ours != "" and expected.replace(ours, theirs) == actual)


@dataclass(frozen=True)
class Difference:
    """Where two values first differ: the path from the root ("" there), and both parts as text. Kinds: `KINDS`."""

    path: str
    expected: str
    actual: str
    kind: str


class Found(Exception):
    """Ends a walk: there is a difference. The path is known by whoever walks."""

    def __init__(self, kind: str, expected: str, actual: str, step: str = "") -> None:
        super().__init__(kind)
        self.kind = kind
        self.expected = expected
        self.actual = actual
        self.step = step
        self.path = ""
        self.placed = False

    def place(self, steps: list[Any]) -> None:
        """Once: what is found in a walk within a walk has its path from the inner one."""
        if not self.placed:
            self.path = "".join(map(written, _bounded(steps))) + self.step
            self.placed = True


def _bounded(steps: list[Any]) -> list[Any]:
    return steps if len(steps) <= 2 * LONGEST else [*steps[:LONGEST], "…", *steps[-LONGEST:]]


def written(step: Any) -> str:
    if type(step) is str:
        return step
    if type(step) is int:
        return f"[{step}]"
    what, value, *more = step
    if what == "at":
        return position(value, more[0])
    return f"{{{shown(value, 80)}}}" if what == "member" else f"[{shown(value, 80)}]"


def position(flat: int, shape: tuple[int, ...]) -> str:
    """The index of the item of an array that has this number in it."""
    index: list[int] = []
    for size in reversed(shape):
        index.insert(0, flat % size)
        flat //= size
    return f"[{', '.join(map(str, index))}]" if index else ""


def unequal(expected: Foreign, actual: Foreign, step: str = "", kind: str = "value") -> Found:
    return Found(kind, shown(expected), shown(actual), step)


def of_types(expected: Foreign, actual: Foreign) -> Found:
    raised = issubclass(type(expected), BaseException) and issubclass(type(actual), BaseException)
    texts = [f"{title_of(type(value))}: {shown(value, 400)}" for value in (expected, actual)]
    return Found("exception" if raised else "type", texts[0], texts[1])


def of_lengths(expected: int, actual: int, left: Foreign, right: Foreign) -> Found:
    return Found("length", f"{expected} items: {shown(left, 400)}", f"{actual} items: {shown(right, 400)}")


def of_texts(expected: Any, actual: Any) -> Found:
    """Long texts are shown around the place where they part."""
    if max(len(expected), len(actual)) <= 200:
        return unequal(expected, actual)
    low, high = 0, min(len(expected), len(actual))
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if expected[:middle] == actual[:middle] else (low, middle - 1)
    start = max(0, low - 40)
    texts = [f"from {start} of {len(text)}: {text[start : start + 200]!r}" for text in (expected, actual)]
    return Found("value", *texts)
