"""Whether two observations of a call differ, and whether that counts against the candidate.

An input that tests make counts in all that can be seen. One of our own making may be nonsense: where the baseline fails
on it by an operation that did not fit, or where its types were never seen and the candidate refuses it, it is outside
of the contract; and always where an annotation speaks against it.
"""

from __future__ import annotations

import dataclasses

from . import compare, values

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from .observe import Observation

__all__ = ["OUTSIDE", "WRONG", "Input", "Scales"]

WRONG, OUTSIDE = "wrong", "outside"
# Errors of operations that were not made for what they got: on inputs of our making they mean that we asked nonsense.
_MISFITS = (TypeError, AttributeError, NameError, NotImplementedError, AssertionError)
_ITERATORS = (values.OneShot, values.Stream)
_EXHAUSTED = (RecursionError, MemoryError)


@dataclasses.dataclass(frozen=True)
class Input:
    """What both are called with. `arguments` are bytes: each call gets a copy of its own. `origin` is recorded, again
    (recorded, and called once more), or generated; `widened` says that types are in it that were never seen, `deep`
    that something in it leads on and on, `unfit` that an annotation speaks against it, `made` that its receiver is told
    by its lineage, so that its attributes may be others in each world. `after` are the arguments of another call that
    comes directly before it; `partly` says that only the first item of what comes is asked for."""

    arguments: bytes
    origin: str
    note: str = ""
    widened: bool = False
    deep: bool = False
    unfit: bool = False
    made: bool = False
    after: bytes | None = None
    partly: bool = False


class Scales:
    """Weighs observations of one target. `receiver` is as in `Callee`; errors that recorded calls raise belong to the
    contract: `raises` takes their names. `private` holds what only the candidate's receivers have."""

    def __init__(self, rules: compare.Rules, *, strict: bool, receiver: str) -> None:
        self.rules = rules
        self.raises: set[str] = set()
        self.private: dict[str, None] = {}
        self._strict = strict
        self._receiver = receiver

    def weigh(self, one: Input, expected: Observation, actual: Observation) -> tuple[str, compare.Difference] | None:
        """Whether the two differ in a way that counts (WRONG) or in one that does not (OUTSIDE)."""
        if expected.ending == "too-long":
            return None
        if self._receiver == "instance" and not one.made:
            self._set_aside_private(expected.arguments[0], actual.arguments[0])
        facts = self._facts(one, expected)
        difference = compare.difference(facts(expected), facts(actual), self.rules)
        # An error's context, which is what is looked at last, is how it came about and not what it is.
        if difference is None or difference.path.endswith(".__context__"):
            return None
        is_slight = one.widened and (_is_kin(difference) or _is_left_over(one, expected, difference))
        outside = is_slight or self._is_outside(one, expected, actual)
        return (OUTSIDE if outside else WRONG), difference

    def same(self, one: Observation, other: Observation) -> bool:
        """Whether the baseline answered the same twice."""
        both_raised = one.ending == other.ending == "raised" and type(one.error) is type(other.error)
        return both_raised or compare.difference(one.facts(), other.facts(), self.rules) is None

    def _set_aside_private(self, expected: Any, actual: Any) -> None:
        """What only the candidate's receiver has, under a private name, nobody else looks at; it is noted."""
        theirs, ours = getattr(expected, "__dict__", None), getattr(actual, "__dict__", None)
        if type(theirs) is dict and type(ours) is dict:
            for name in [name for name in ours if name.startswith("_") and name not in theirs]:
                del ours[name]
                self.private[name] = None

    def _facts(self, one: Input, expected: Observation) -> Callable[[Observation], dict[str, Any]]:
        """What is compared: all of it, but for errors that nobody meant, of which the type is enough."""
        if expected.error is None or expected.deliberate or one.origin == "recorded":
            return _without_receiver if one.made else lambda seen: seen.facts()
        return lambda seen: {"ending": seen.ending, "error": type(seen.error).__name__, "result": None}

    def _is_outside(self, one: Input, expected: Observation, actual: Observation) -> bool:
        if one.origin == "recorded":
            return False
        error = expected.error
        if isinstance(error, _EXHAUSTED):
            return True
        if self._strict:
            return False
        if one.unfit:
            return True
        if error is not None and not expected.deliberate and type(error).__name__ not in self.raises:
            # It failed by an operation that did not fit, or on what it was never made for.
            return one.widened or isinstance(error, _MISFITS)
        # What it was never made for, a candidate may refuse, though the baseline happens to take it.
        refused = actual.error is not None and not actual.deliberate and not isinstance(actual.error, _EXHAUSTED)
        return one.widened and refused


def _without_receiver(seen: Observation) -> dict[str, Any]:
    """What is seen of a call from outside; a result may be the receiver itself."""
    receiver, *others = seen.arguments
    facts = {**seen.facts(), "arguments": others}
    if seen.value is receiver:
        facts["result"] = "the receiver"
    return facts


def _is_kin(difference: compare.Difference) -> bool:
    """Whether it is only the type that differs, on an input of a type that was never seen: an instance of a class of
    ours instead of what it is made of, or an equal number of another type."""
    if difference.kind != "type":
        return False
    if values.__name__ in difference.expected + difference.actual:
        return True
    numbers = [_number(text) for text in (difference.expected, difference.actual)]
    return None not in numbers and numbers[0] == numbers[1]


def _is_left_over(one: Input, seen: Observation, difference: compare.Difference) -> bool:
    """Whether it is only what is left of an iterator, on an input of a type that was never seen: not of one that tests
    pass, or that annotations ask for."""
    arguments = seen.arguments[1:] if one.made else seen.arguments
    places = [f"['arguments'][{number}]" for number, value in enumerate(arguments) if type(value) in _ITERATORS]
    places += [f"['keywords'][{name!r}]" for name, value in seen.keywords.items() if type(value) in _ITERATORS]
    return difference.path.startswith(tuple(places))


def _number(shown: str) -> float | None:
    """The number that a text like `int: 1` tells of."""
    kind, _, text = shown.partition(": ")
    if kind not in ("bool", "int", "float"):
        return None
    try:
        return float({"True": "1", "False": "0"}.get(text, text))
    except ValueError:
        return None
