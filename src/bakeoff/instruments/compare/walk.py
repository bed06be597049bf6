"""Two values, walked side by side down to the first difference: who is paired with whom, the path, the budget.

What values of a type are made of, readers know (`objects.READERS`). A reader is given the walk and both values: it
raises what it `Found`, and gives the parts to look at next.
"""

from __future__ import annotations

import itertools
import operator
import types
from dataclasses import replace

from .classes import guarded, method_of, same_type
from .differences import Difference, Found, Rules, of_types, unequal
from .objects import LONGEST, PLAIN, READERS, VALUE, Plan, elided, reduced, refusal, shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .classes import Foreign
    from .objects import Children

__all__ = ["Walk", "difference"]

_EXACT = Rules()


def difference(expected: Foreign, actual: Foreign, rules: Rules = _EXACT) -> Difference | None:
    """The first difference, or None where there is none. Raises nothing, but lets a KeyboardInterrupt pass."""
    kind = type(expected)
    if kind is type(actual) and id(kind) in PLAIN and (expected is actual or expected == actual):
        return None
    walk = Walk(rules)
    try:
        walk.compare(iter((("", expected, actual),)))
    except Found as found:
        return Difference(elided(found.path), found.expected[:LONGEST], found.actual[:LONGEST], found.kind)
    except Exception as error:
        return Difference("", refusal(error), refusal(error), "incomparable")
    return None


class Walk:
    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self.left = rules.budget
        self.close = rules.rtol > 0 or rules.atol > 0
        # Whoever is in here is kept alive, so that no id is used twice.
        self.partners: dict[int, tuple[Any, Any]] = {}
        self.owners: dict[int, Any] = {}
        self.seen: dict[tuple[int, int], tuple[Any, Any]] = {}
        self.journal: list[Any] = []
        self.later: list[tuple[list[Any], Children]] = []
        self.plans: dict[int, Plan] = {}
        self.arrays: list[tuple[Any, Any]] = []
        self.trying = 0

    def compare(self, children: Children) -> None:
        """Look at all of them and below. What is ambiguous comes last, when more is known of who belongs to whom."""
        before, self.later = self.later, []
        try:
            self._descend([], children)
            while self.later:
                self._descend(*self.later.pop(0))
        finally:
            self.later = before

    def _descend(self, steps: list[Any], children: Children) -> None:
        frames, steps = [children], [*steps, ""]
        self.steps = steps
        try:
            while frames:
                for step, expected, actual in frames[-1]:
                    steps[-1] = step
                    below = self.look(expected, actual)
                    if below is not None:
                        frames.append(below)
                        steps.append("")
                        break
                    steps[-1] = ""
                else:
                    frames.pop()
                    steps.pop()
                    steps[-1:] = [""]  # what is found from here on is found in the whole, not in its last part
        except Found as found:
            found.place(steps)
            raise
        except Exception as error:
            unread = Found("incomparable", refusal(error), refusal(error))
            unread.place(steps)
            raise unread from None

    def look(self, expected: Foreign, actual: Foreign) -> Children | None:
        """The parts to look at next, or None."""
        self.left -= 1
        if self.left < 0:
            raise Found("too-large", *[f"over {self.rules.budget} parts"] * 2)
        kind = type(expected)
        if kind is not type(actual):
            return self._of_two_worlds(expected, actual)
        entry = READERS.get(id(kind))
        if entry is None:
            return self._by_plan(expected, actual)
        reader, standing, _ = entry
        if standing and self.met(standing, expected, actual):
            return None
        return reader(self, expected, actual) if reader else None

    def _of_two_worlds(self, expected: Foreign, actual: Foreign) -> Children | None:
        if not same_type(type(expected), type(actual)):
            raise of_types(expected, actual)
        return self._by_plan(expected, actual)

    def _by_plan(self, expected: Foreign, actual: Foreign) -> Children | None:
        """For what is no builtin: the content of a builtin it is made from, its attributes, what may be hidden in C."""
        plan, other = self.plan(type(expected)), self.plan(type(actual))
        if plan.content is not other.content:
            raise of_types(expected, actual)
        standing = max(plan.standing, other.standing)
        if standing and self.met(standing, expected, actual):
            return None
        content = plan.content(self, expected, actual) if plan.content else None
        if plan.whole:
            return content
        hidden = _opaque(self, expected, actual) if plan.hidden or other.hidden else None
        state = self.state(expected, actual)
        parts = [part for part in (content, state, hidden) if part is not None]
        return itertools.chain.from_iterable(parts) if parts else None

    def plan(self, kind: type) -> Plan:
        plan = self.plans.get(id(kind))
        if plan is None:
            plan = self.plans[id(kind)] = Plan(kind)
        return plan

    def state(self, expected: Foreign, actual: Foreign) -> Children | None:
        """What the attributes hold, by name."""
        left = self.plan(type(expected)).attributes(expected)
        right = self.plan(type(actual)).attributes(actual)
        if not left and not right:
            return None
        for name, value in left.items():
            if name not in right:
                raise Found("attributes", shown(value), "<no such attribute>", f".{_attribute(name)}")
        if len(left) != len(right):
            name = next(name for name in right if name not in left)
            raise Found("attributes", "<no such attribute>", shown(right[name]), f".{_attribute(name)}")
        return ((f".{_attribute(name)}", value, right[name]) for name, value in left.items())

    # who is who

    def met(self, standing: int, expected: Foreign, actual: Foreign) -> bool:
        """Whether these two were looked at together before, or are being looked at."""
        one, other = id(expected), id(actual)
        if standing == VALUE:
            if (one, other) in self.seen:
                return True
            self.seen[one, other] = (expected, actual)
            self.journal.append((one, other))
            return False
        known = self.partners.get(one)
        if known is not None and known[1] is actual:
            return True
        if known is not None or other in self.owners:
            raise self._aliased(expected, actual, known is not None, other in self.owners)
        self.partners[one] = (expected, actual)
        self.owners[other] = actual
        self.journal.append((one, other, None))
        return False

    def _aliased(self, expected: Foreign, actual: Foreign, left: bool, right: bool) -> Found:  # noqa: FBT001
        """Two that are not even equal differ in more than who they are: that is what to tell."""
        if not self.trying:
            apart = Walk(replace(self.rules, budget=10_000))
            apart.trying = 1
            try:
                apart.compare(iter((("", expected, actual),)))
            except Found as found:
                if found.kind not in ("aliasing", "too-large"):
                    return Found(found.kind, found.expected, found.actual, found.path)
        met = {True: "an object that was met before: ", False: "an object not met before: "}
        texts = [met[known] + shown(value, 400) for known, value in ((left, expected), (right, actual))]
        if left and right:
            texts[1] = "another " + texts[1][3:]
        return Found("aliasing", *texts)

    def alike(self, expected: Foreign, actual: Foreign) -> bool:
        """Whether these two can be the same; if not, whatever was supposed for that is forgotten."""
        mark, steps, arrays = len(self.journal), self.steps, len(self.arrays)
        self.trying += 1
        try:
            self.compare(iter((("", expected, actual),)))
        except Found as found:
            if found.kind in ("too-large", "incomparable"):
                raise
            self._forget(mark)
            del self.arrays[arrays:]
            return False
        finally:
            self.trying -= 1
            self.steps = steps
        return True

    def _forget(self, mark: int) -> None:
        for entry in self.journal[mark:]:
            if len(entry) == 2:
                del self.seen[entry]
            else:
                del self.partners[entry[0]], self.owners[entry[1]]
        del self.journal[mark:]

    def postpone(self, children: Children) -> None:
        self.later.append((list(self.steps), children))


def _attribute(name: str) -> str:
    return name if len(name) <= 100 else elided(name, 100)


def _opaque(_: Walk, expected: Foreign, actual: Foreign) -> Children | None:
    """Nothing can be read. Its own `==` may say that they are the same, if that is in C; else what it reduces to."""
    if expected is actual:
        return None
    equal = method_of(type(expected), "__eq__")
    in_c = type(equal) is types.WrapperDescriptorType and equal is not vars(object)["__eq__"]
    verdict = guarded(operator.eq, expected, actual) if in_c else None
    if verdict is True:
        return None
    left, right = reduced(expected), reduced(actual)
    if left is not None and right is not None:
        return iter(((".__reduce_ex__(2)", left, right),))
    if left is not None or right is not None:
        raise unequal(expected, actual, kind="incomparable")
    if verdict is False:
        raise unequal(expected, actual)
    return None
