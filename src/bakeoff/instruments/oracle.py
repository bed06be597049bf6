"""Baseline and candidate side by side, each in its own world: whether anybody could tell them apart.

    recorded calls ──▶ both, once; again, after what came back was changed; again with the same objects, changed
    grown inputs   ──▶ both; a difference is made small

An input counts only if the baseline answers it the same way twice. Where the baseline itself fails on a grown input by
an operation that did not fit (TypeError and the like), the input is outside of its contract: what the candidate does
there is reported, and held against it only where `strict` asks for that.
"""

from __future__ import annotations

import os
import random
import resource
import sys
import tempfile
import time
import traceback

from . import cheats, compare, generate, observe, recordings, render, shrink, values, worlds

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    # A way to call both with the same arguments.
    Way = Callable[[bytes], "tuple[observe.Observation, observe.Observation]"]

__all__ = ["check", "run"]

_LEAST_PATIENCE, _PATIENCE_SHARE = 1.0, 30.0
_BASELINE_PATIENCE = 10.0
_MOST_FINDINGS, _MOST_OUTSIDE, _MOST_AGAIN = 3, 5, 60
_MOST_SEEN = 1 << 20
_SHRINK_TRIES, _SHRINK_SECONDS = 300, 2.0
# Errors of operations that were not made for what they got: on inputs of our making they mean that we asked nonsense.
_MISFITS = (TypeError, AttributeError, NameError, NotImplementedError, AssertionError)
_EXHAUSTED = (RecursionError, MemoryError)
# As little stack as this is left to both for some of the inputs: what recurses once for each item shows then.
_SHALLOW = 120
_DEEPEST = 3


def run(request: dict[str, Any]) -> dict[str, Any]:
    """Compare a candidate with the baseline in the working directory, which holds the baseline.

    `edits` makes the candidate of it. `calls` are recorded arguments as bytes; `generated` is how many inputs are grown
    from them, for at most `seconds`; these may take `memory` bytes.
    """
    return _Trial(request).run()


def check(request: dict[str, Any]) -> dict[str, Any]:
    """Ask the baseline twice for each of these calls, and compare with what it answered elsewhere.

    `calls` are arguments with what was seen then, as bytes, or None. Says of each: `stable`, `unstable` (it differs
    from one call to the next), `elsewhere` (it differs from what was seen then), or `unread`; with what is seen now.
    """
    world = worlds.World("one", os.getcwd(), tempfile.mkdtemp(), roots=request["roots"])
    side = _Side(world, request["module"], request["name"])
    rules = compare.Rules(rtol=request["rtol"], dict_order=request["dict_order"])
    with world.entered():
        return {"calls": [_checked(side, call["arguments"], call["seen"], rules) for call in request["calls"]]}


def _checked(side: _Side, arguments: bytes, then: bytes | None, rules: compare.Rules) -> dict[str, Any]:
    try:
        first, second = (side.observed(arguments, _BASELINE_PATIENCE) for _ in range(2))
    except recordings.Uncopyable as error:
        return {"is": "unread", "seen": None, "seconds": 0.0, "text": str(error)}
    difference = compare.difference(first.facts(), second.facts(), rules)
    is_stable = difference is None and first.ending != "too-long"
    try:
        seen = recordings.dumps(_seen(first), _MOST_SEEN)
        if then is not None and is_stable:
            difference = compare.difference(recordings.loads(then), recordings.loads(seen), rules)
    except recordings.Uncopyable:
        seen = None
    state = "unstable" if not is_stable else "elsewhere" if difference is not None else "stable"
    return {"is": state, "seen": seen, "seconds": first.seconds, "text": _two_answers(side, arguments, difference)}


def _two_answers(side: _Side, arguments: bytes, difference: compare.Difference | None) -> str:
    if difference is None:
        return ""
    call = render.expression(side.name, _given(side, arguments))
    return f"{call}: {difference.expected} or {difference.actual}"


def _seen(found: observe.Observation) -> tuple[Any, ...]:
    """As a recorder writes it down."""
    if found.ending == "raised":
        return "raised", found.error, found.arguments, found.keywords
    return "yielded" if found.is_lazy else "returned", found.value, found.arguments, found.keywords


class _Input:
    """What both are called with. `arguments` are bytes: each call gets a copy of its own."""

    def __init__(self, arguments: bytes, origin: str, note: str = "", *, widened: bool = False) -> None:
        self.arguments = arguments
        self.origin = origin
        self.note = note
        self.widened = widened


class _Side:
    """One of the two: its world, and the target in it."""

    def __init__(self, world: worlds.World, module: str, name: str) -> None:
        self.world = world
        self.name = name
        self._lookout = cheats.Lookout.get()
        self.suspicious: dict[str, None] = {}
        with world.entered():
            self.callee = world.callee(module, name)

    def observed(
        self,
        arguments: bytes,
        patience: float,
        *,
        prepare: Callable[[Any, Any], None] | None = None,
        most_items: int = observe.MOST_ITEMS,
    ) -> observe.Observation:
        """A call with a copy of the arguments, which `prepare` may change first."""
        with self.world.entered():
            positional, keywords = recordings.loads(arguments)
            if prepare is not None:
                prepare(positional, keywords)
            return self.called(positional, keywords, patience, most_items)

    def called(
        self, positional: Any, keywords: Any, patience: float, most_items: int = observe.MOST_ITEMS
    ) -> observe.Observation:
        """A call with these very objects; in the world that is entered."""
        _reseed()
        with self._lookout.over(self.world.tree, _is_test) as seen:
            found = observe.observe(self.callee, positional, keywords, patience=patience, most_items=most_items)
        self.suspicious.update(seen)
        return found

    def kept(self) -> dict[str, int]:
        """What the modules of its world hold."""
        return cheats.kept_between_calls(self.world.modules.values())


class _Trial:
    def __init__(self, request: dict[str, Any]) -> None:
        self._request = request
        self._rules = compare.Rules(rtol=request["rtol"], dict_order=request["dict_order"])
        self._strict = request["strict"]
        self._findings: list[dict[str, Any]] = []
        self._outside: list[dict[str, Any]] = []
        self._counts = dict.fromkeys(("recorded", "again", "generated", "outside", "unstable", "unread"), 0)
        self._unstable: list[str] = []
        self._raised: set[str] = set()
        self._private: dict[str, None] = {}

    def run(self) -> dict[str, Any]:
        request = self._request
        place = tempfile.mkdtemp()
        alike, roots = tuple(request["edits"]), request["roots"]
        here = os.getcwd()
        before = worlds.World("one", here, place, roots=roots, alike=alike)
        after = worlds.World("two", here, place, roots=roots, edits=request["edits"])
        self._baseline = _Side(before, request["module"], request["name"])
        recorded = [_Input(call, "recorded") for call in request["calls"]]
        first = self._first(recorded)
        watch = cheats.Watch(before.names)
        try:
            self._candidate = _Side(after, request["module"], request["name"])
        except Exception as error:  # the candidate's module is foreign code
            return {
                "loads": False,
                "error": str(error) if isinstance(error, worlds.NoSuchTarget) else _traceback(error, after.tree),
                "missing": isinstance(error, worlds.NoSuchTarget),
                "is_syntax": isinstance(error, SyntaxError),
            }
        kept = self._baseline.kept(), self._candidate.kept()
        self._replay(first)
        growth = self._growth(*kept)
        self._again(recorded)
        self._shared(recorded)
        if not self._findings or self._strict:
            self._grown(recorded)
        return self._report(watch, growth)

    def _report(self, watch: cheats.Watch, growth: list[str]) -> dict[str, Any]:
        suspicious = [what for what in self._candidate.suspicious if what not in self._baseline.suspicious]
        # Two things that are not the same, and two that are: whether the comparison still knows.
        sane = compare.difference([1, "a"], [1, "b"]) is not None and compare.difference([1, "a"], [1, "a"]) is None
        return {
            "loads": True,
            "counts": self._counts,
            "findings": self._findings,
            "outside": self._outside,
            "unstable": self._unstable[:_MOST_OUTSIDE],
            "tampered": [*watch.changed(), *self._strays()],
            "suspicious": suspicious,
            "keeps": [*growth, *(f"its receiver has got {name}" for name in self._private)],
            "sane": sane,
        }

    def _strays(self) -> list[str]:
        """Modules of the candidate that others would have found."""
        return [f"sys.modules[{name!r}]" for name in worlds.strays(self._baseline.world, self._candidate.world)]

    # -- recorded calls -------------------------------------------------------------------------------------------

    def _first(self, inputs: list[_Input]) -> Iterator[tuple[_Input, observe.Observation]]:
        """The baseline's answers, before any code of the candidate is loaded."""
        seen = []
        for one in inputs:
            try:
                found = self._baseline.observed(one.arguments, _BASELINE_PATIENCE)
            except recordings.Uncopyable:
                self._counts["unread"] += 1
                continue
            if found.error is not None:
                self._raised.add(type(found.error).__name__)
            seen.append((one, found))
        return iter(seen)

    def _replay(self, first: Iterator[tuple[_Input, observe.Observation]]) -> None:
        for one, expected in first:
            self._counts["recorded"] += 1
            actual = self._candidate.observed(one.arguments, _patience(expected))
            self._weigh(one, expected, actual, self._both)
            if one.origin == "recorded" and expected.is_lazy:
                self._weigh_pair(one, self._partly)
            if self._is_done():
                return

    def _again(self, inputs: list[_Input]) -> None:
        """Equal inputs once more: after all the others, and after the caller changed what it got the first time."""
        for one in inputs[:_MOST_AGAIN]:
            if self._is_done():
                return
            self._counts["again"] += 1
            self._weigh_pair(
                _Input(one.arguments, "again", "called twice; what came back was changed in between"), self._twice
            )

    def _shared(self, inputs: list[_Input]) -> None:
        """The same objects once more, with other contents: what is remembered by identity shows."""
        for one in inputs[:_MOST_AGAIN]:
            if self._is_done():
                return
            again = _Input(one.arguments, "again", "called again with the same object, changed")
            for way in (self._grown_since, self._turned_since):
                self._weigh_pair(again, way)

    # -- ways to call both ----------------------------------------------------------------------------------------

    def _both(self, arguments: bytes) -> tuple[observe.Observation, observe.Observation]:
        expected = self._baseline.observed(arguments, _BASELINE_PATIENCE)
        return expected, self._candidate.observed(arguments, _patience(expected))

    def _partly(self, arguments: bytes) -> tuple[observe.Observation, observe.Observation]:
        """Only the first item is asked for: what has been done by then is seen on the arguments."""
        expected = self._baseline.observed(arguments, _BASELINE_PATIENCE, most_items=1)
        return expected, self._candidate.observed(arguments, _patience(expected), most_items=1)

    def _shallow(self, arguments: bytes) -> tuple[observe.Observation, observe.Observation]:
        """With little stack left."""
        outer = sys.getrecursionlimit()
        sys.setrecursionlimit(len(traceback.extract_stack()) + _SHALLOW)
        try:
            return self._both(arguments)
        finally:
            sys.setrecursionlimit(outer)

    def _twice(self, arguments: bytes) -> tuple[observe.Observation, observe.Observation]:
        def on(side: _Side, patience: float) -> observe.Observation:
            _spoil(side.observed(arguments, patience).value)
            return side.observed(arguments, patience)

        expected = on(self._baseline, _BASELINE_PATIENCE)
        return expected, on(self._candidate, _patience(expected))

    def _grown_since(self, arguments: bytes) -> tuple[observe.Observation, observe.Observation]:
        return self._changed(arguments, _spoil)

    def _turned_since(self, arguments: bytes) -> tuple[observe.Observation, observe.Observation]:
        return self._changed(arguments, _turn)

    def _changed(
        self, arguments: bytes, change: Callable[[Any], None]
    ) -> tuple[observe.Observation, observe.Observation]:
        def on(side: _Side, patience: float) -> observe.Observation:
            with side.world.entered():
                positional, keywords = recordings.loads(arguments)
                side.called(positional, keywords, patience)
                for value in (*positional, *keywords.values()):
                    change(value)
                return side.called(positional, keywords, patience)

        expected = on(self._baseline, _BASELINE_PATIENCE)
        return expected, on(self._candidate, _patience(expected))

    # -- grown inputs ---------------------------------------------------------------------------------------------

    def _grown(self, recorded: list[_Input]) -> None:
        deadline = time.monotonic() + self._request["seconds"]
        _bound_memory(self._request["memory"])
        with self._baseline.world.entered():
            inputs = self._inputs(recorded)
            while self._counts["generated"] < self._request["generated"] and time.monotonic() < deadline:
                one = next(inputs, None)
                if one is None or self._is_done():
                    return
                self._counts["generated"] += 1
                if self._weigh_pair(one, self._both) and self._counts["generated"] % 4 == 0:
                    self._weigh_pair(one, self._shallow)

    def _inputs(self, recorded: list[_Input]) -> Iterator[_Input]:
        examples = []
        for one in recorded:
            try:
                positional, keywords = recordings.loads(one.arguments)
            except recordings.Uncopyable:
                continue
            examples.append(generate.Arguments(tuple(positional), keywords))
        grown = generate.grow(
            examples, self._baseline.callee.function, seed=self._request["seed"], limit=4 * self._request["generated"]
        )
        for found in grown:
            try:
                blob = recordings.dumps((found.arguments.positional, found.arguments.keywords), _MOST_SEEN)
            except recordings.Uncopyable:
                continue
            yield _Input(blob, "generated", found.note, widened=found.widened)

    # -- weighing -------------------------------------------------------------------------------------------------

    def _is_done(self) -> bool:
        """Enough is known. One call that does not end is enough: each costs all of our patience."""
        return len(self._findings) >= _MOST_FINDINGS or any(found["too_long"] for found in self._findings)

    def _weigh_pair(self, one: _Input, way: Way) -> bool:
        """Whether both say the same."""
        try:
            expected, actual = way(one.arguments)
        except recordings.Uncopyable:
            self._counts["unread"] += 1
            return False
        return self._weigh(one, expected, actual, way)

    def _weigh(self, one: _Input, expected: observe.Observation, actual: observe.Observation, way: Way) -> bool:
        found = self._verdict(one, expected, actual)
        if found is None:
            return True
        if not self._is_stable(one, expected, way):
            self._counts["unstable"] += 1
            self._unstable.append(self._text(one.arguments))
            return False
        kind, difference = found
        if kind == "outside":
            self._counts["outside"] += 1
            if len(self._outside) < _MOST_OUTSIDE:
                self._outside.append(self._finding(one, expected, actual, difference))
            return False
        if one.origin != "again" and actual.ending != "too-long":
            one, expected, actual, difference = self._small(one, expected, actual, difference, way)
        self._findings.append(self._finding(one, expected, actual, difference))
        return False

    def _verdict(
        self, one: _Input, expected: observe.Observation, actual: observe.Observation
    ) -> tuple[str, compare.Difference] | None:
        """Whether the two differ in a way that counts: `wrong`, or `outside` of the contract."""
        if expected.ending == "too-long":
            return None
        if self._baseline.callee.receiver == "instance":
            self._set_aside_private(expected.arguments[0], actual.arguments[0])
        rules, facts = self._rules, self._facts(one, expected)
        difference = compare.difference(facts(expected), facts(actual), rules)
        # An error's context, which is what is looked at last, is how it came about and not what it is.
        if difference is None or difference.path.endswith(".__context__"):
            return None
        outside = self._is_outside(one, expected, actual) or (one.widened and _is_kin(difference))
        return ("outside" if outside else "wrong"), difference

    def _set_aside_private(self, expected: Any, actual: Any) -> None:
        """What only the candidate's receiver has, under a private name, nobody else looks at; it is noted."""
        theirs, ours = getattr(expected, "__dict__", None), getattr(actual, "__dict__", None)
        if type(theirs) is dict and type(ours) is dict:
            for name in [name for name in ours if name.startswith("_") and name not in theirs]:
                del ours[name]
                self._private[name] = None

    def _facts(self, one: _Input, expected: observe.Observation) -> Callable[[observe.Observation], dict[str, Any]]:
        """What is compared: all of it, but for errors that nobody meant, of which the type is enough."""
        error = expected.error
        if error is None or expected.deliberate or one.origin == "recorded":
            return observe.Observation.facts
        return lambda seen: {"ending": seen.ending, "error": type(seen.error).__name__, "result": None}

    def _is_outside(self, one: _Input, expected: observe.Observation, actual: observe.Observation) -> bool:
        if one.origin == "recorded":
            return False
        error = expected.error
        if isinstance(error, _EXHAUSTED):
            return True
        if self._strict:
            return False
        if error is not None and isinstance(error, _MISFITS):
            return not expected.deliberate and type(error).__name__ not in self._raised
        # What it was never made for, a candidate may refuse, though the baseline happens to take it.
        refused = actual.error is not None and not actual.deliberate and not isinstance(actual.error, _EXHAUSTED)
        return one.widened and refused

    def _is_stable(self, one: _Input, expected: observe.Observation, way: Way) -> bool:
        """Whether the baseline says the same when it is asked again."""
        again, _ = way(one.arguments)
        return compare.difference(expected.facts(), again.facts(), self._rules) is None or (
            expected.ending == again.ending == "raised" and type(expected.error) is type(again.error)
        )

    def _small(
        self, one: _Input, expected: Any, actual: Any, difference: Any, way: Any
    ) -> tuple[_Input, Any, Any, Any]:
        """The smallest input found that shows a difference of the same weight."""
        deadline = time.monotonic() + _SHRINK_SECONDS
        best = one, expected, actual, difference

        def fails(arguments: generate.Arguments) -> bool:
            nonlocal best
            if time.monotonic() > deadline:
                return False
            blob = recordings.dumps((arguments.positional, arguments.keywords))
            smaller = _Input(blob, one.origin, one.note, widened=one.widened)
            seen = way(blob)
            found = self._verdict(smaller, *seen)
            if found is None or found[0] != "wrong" or seen[0].ending != expected.ending:
                return False
            best = smaller, *seen, found[1]
            return True

        with self._baseline.world.entered():
            positional, keywords = recordings.loads(one.arguments)
            shrink.shrink(generate.Arguments(tuple(positional), keywords), fails, budget=_SHRINK_TRIES)
        # The last that failed is the smallest: each step is taken from the one before.
        return best if self._is_stable(best[0], best[1], way) else (one, expected, actual, difference)

    def _finding(
        self, one: _Input, expected: observe.Observation, actual: observe.Observation, difference: compare.Difference
    ) -> dict[str, Any]:
        return {
            "origin": one.origin,
            "note": one.note,
            "call": self._text(one.arguments),
            "snippet": self._snippet(one.arguments),
            "where": _place(difference.path),
            "kind": difference.kind,
            "expected": difference.expected if difference.path else _ending(expected),
            "actual": difference.actual if difference.path else _ending(actual),
            "baseline": _ending(expected),
            "candidate": _ending(actual),
            "too_long": actual.ending == "too-long",
            "error": "" if actual.error is None else _traceback(actual.error, self._candidate.world.tree),
            "arguments": one.arguments,
            "seen": self._bytes(expected),
        }

    def _bytes(self, seen: observe.Observation) -> bytes | None:
        with self._baseline.world.entered():
            try:
                return recordings.dumps(_seen(seen), _MOST_SEEN)
            except recordings.Uncopyable:
                return None

    def _text(self, arguments: bytes) -> str:
        with self._baseline.world.entered():
            return render.expression(self._baseline.name, _given(self._baseline, arguments))

    def _snippet(self, arguments: bytes) -> str:
        receiver = self._baseline.callee.receiver == "instance"
        with self._baseline.world.entered():
            given = _given(self._baseline, arguments)
            return render.snippet(self._request["module"], self._baseline.name, given, receiver=receiver)

    def _growth(self, baseline: dict[str, int], candidate: dict[str, int]) -> list[str]:
        """What the candidate's modules hold more of after the calls, where the baseline's do not."""
        ours, theirs = self._baseline.kept(), self._candidate.kept()
        grown = {name for name, size in ours.items() if size > baseline.get(name, 0)}
        return [
            f"{name} grew from {candidate.get(name, 0)} to {size}"
            for name, size in theirs.items()
            if size > candidate.get(name, 0) and name not in grown
        ][:_MOST_OUTSIDE]


def _is_kin(difference: compare.Difference) -> bool:
    """Whether it is only the type that differs, on an input of a type that was never seen: an instance of a class of
    ours instead of what it is made of, or an equal number of another type."""
    if difference.kind != "type":
        return False
    if values.__name__ in difference.expected + difference.actual:
        return True
    numbers = [_number(text) for text in (difference.expected, difference.actual)]
    return None not in numbers and numbers[0] == numbers[1]


def _number(shown: str) -> float | None:
    """The number that a text like `int: 1` tells of."""
    kind, _, text = shown.partition(": ")
    if kind not in ("bool", "int", "float"):
        return None
    try:
        return float({"True": "1", "False": "0"}.get(text, text))
    except ValueError:
        return None


def _bound_memory(size: int | None) -> None:
    """From here on, to take more than this raises a MemoryError, which tells whose call it was. The limit on the call
    as a whole ends it."""
    try:
        with open("/proc/self/statm") as file:
            used = int(file.read().split()[0]) * resource.getpagesize()
        if size is not None:
            resource.setrlimit(resource.RLIMIT_AS, (used + size, resource.getrlimit(resource.RLIMIT_AS)[1]))
    except (OSError, ValueError):
        return  # no such file here, or a lower limit in force


def _given(side: _Side, arguments: bytes) -> generate.Arguments:
    """As somebody would write it down: what a class method is called on stands in its name."""
    positional, keywords = recordings.loads(arguments)
    skipped = 1 if side.callee.receiver == "class" else 0
    return generate.Arguments(tuple(positional)[skipped:], keywords)


def _patience(expected: observe.Observation) -> float:
    return _LEAST_PATIENCE + _PATIENCE_SHARE * expected.seconds


def _reseed() -> None:
    """Chance is the same for both."""
    random.seed(0)
    numpy = sys.modules.get("numpy")
    if numpy is not None:
        numpy.random.seed(0)


def _spoil(value: Any) -> None:
    """Change a container, as its owner may."""
    try:
        if isinstance(value, list):
            value.extend(value[:1])
        elif isinstance(value, dict) and value:
            value.pop(next(iter(value)))
        elif isinstance(value, set):
            value.clear()
        elif isinstance(value, bytearray):
            value += b"\0"
        elif type(getattr(value, "__dict__", None)) is dict:
            for name, part in vars(value).items():
                if not name.startswith("_") and isinstance(part, (list, dict, set)):
                    _spoil(part)
    except Exception:  # a subclass's own, or one that may not change
        return


def _turn(value: Any, depth: int = 0) -> None:
    """Change a container, but not its size."""
    try:
        parts = list(value.values() if isinstance(value, dict) else value if isinstance(value, list) else ())
        if isinstance(value, list):
            value.reverse()
        elif isinstance(value, dict):
            value.update(zip(list(value), parts[::-1]))
        for part in parts if depth < _DEEPEST else ():
            _turn(part, depth + 1)
    except Exception:  # as above
        return


def _is_test(path: str) -> bool:
    name = os.path.basename(path)
    return name.startswith("test_") or name.endswith(("_test.py", "conftest.py")) or "/tests/" in path


def _place(path: str) -> str:
    """Where in an observation: `result[0]` instead of `['result'][0]`."""
    inner, closing, rest = path[2:].partition("']") if path.startswith("['") else (path, "", "")
    return inner + rest if closing else path


def _ending(seen: observe.Observation) -> str:
    if seen.ending == "raised":
        return f"raises {compare.shown(seen.error)}"
    if seen.ending == "too-long":
        return f"had not ended after {seen.seconds:.1f} s"
    return f"{'yields' if seen.is_lazy else 'returns'} {compare.shown(seen.value)}"


def _traceback(error: BaseException, tree: str) -> str:
    """The candidate's own part of it, with paths as they are in the repository."""
    text = "".join(traceback.format_exception(type(error), error, error.__traceback__)[-12:])
    return text.replace(tree + os.sep, "")[-4000:]
