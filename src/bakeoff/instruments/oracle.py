"""Baseline and candidate side by side, each in its own world: whether anybody could tell them apart.

    recorded calls ──▶ both, once; again, after what came back was changed; again with the same objects, changed
    grown inputs   ──▶ both; a difference is made small

A difference on an input that the baseline does not answer the same way a second time is told apart as shaky: who judges
asks the baseline in another process, where no candidate can have been at it.

Where a process can have only one of the two, the candidate is alone in it: its recorded calls are held against what the
baseline answered in another one, and no inputs are grown.
"""

from __future__ import annotations

import collections
import dataclasses
import functools
import os
import resource
import tempfile
import time
import traceback

from . import cheats, compare, generate, lineage, recorder, recordings, render, shrink, sides, values, worlds
from .observe import MOST_ITEMS, Observation
from .weighing import OUTSIDE, WRONG, Input, Scales

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from .sides import Way

__all__ = ["check", "imagine", "run"]

_BASELINE_PATIENCE = 10.0
_GROWN_PATIENCE, _GROWN_SHARE = 0.2, 20.0
_MOST_FINDINGS, _MOST_OUTSIDE, _MOST_AGAIN = 3, 5, 60
_MOST_SEEN = 1 << 20
# After so many inputs that the baseline does not end, none is tried that came about in the same way.
_MOST_UNENDED = 2
# Recorded arguments that are larger than this are cut down before inputs are grown from them.
_LARGE, _MOST_EXAMPLES, _MOST_LARGE = 4096, 300, 3
_SHRINK_TRIES, _SHRINK_SECONDS = 300, 2.0
_BETWEEN = "the same was asked after each step before, too"
_BUSY = 3.0  # seconds of the clock for each of the CPU, at the most
_TRACEBACK = 4000


def run(request: dict[str, Any]) -> dict[str, Any]:
    """Compare a candidate with the baseline in the working directory, which holds the baseline.

    `edits` makes the candidate of it. `calls` are recorded arguments as bytes; `generated` is how many inputs are grown
    from them, for at most `seconds` of the CPU; these may take `memory` bytes. Where there are `answers`, which the
    baseline gave to the calls in another process, it is not loaded into this one.
    """
    if request["answers"] is not None:
        return _alone(request)
    here, place = os.getcwd(), tempfile.mkdtemp()
    alike, roots = tuple(request["edits"]), request["roots"]
    before = worlds.World("one", here, place, roots=roots, alike=alike)
    after = worlds.World("two", here, place, roots=roots, edits=request["edits"])
    trial = _Trial(request, sides.Side(before, request["module"], request["name"]))
    trial.learn()
    try:
        candidate = sides.Side(after, request["module"], request["name"])
    except Exception as error:  # the candidate's module is foreign code
        return _not_loaded(error, after)
    return trial.run(candidate)


def _alone(request: dict[str, Any]) -> dict[str, Any]:
    """The candidate without the baseline beside it, where a process can have only one of them."""
    here, place = os.getcwd(), tempfile.mkdtemp()
    world = worlds.World("one", here, place, roots=request["roots"], edits=request["edits"], alone=True)
    watch = cheats.Watch(world.names)
    try:
        side = sides.Side(world, request["module"], request["name"])
    except Exception as error:  # as above
        return _not_loaded(error, world)
    scales = Scales(_rules(request), strict=request["strict"], receiver=side.callee.receiver)
    counts, findings = _replayed(request, side, scales)
    return {
        "loads": True,
        "counts": counts,
        "findings": findings,
        "tampered": watch.changed(),
        "suspicious": [*side.suspicious, *watch.left_running()],
        "keeps": [f"its receiver has got {name}" for name in scales.private],
        "sane": _is_sane(scales.rules),
    }


def _replayed(request: dict[str, Any], side: sides.Side, scales: Scales) -> tuple[dict[str, int], list[dict[str, Any]]]:
    """How many recorded calls could be made or not, and what is to be said of those that came out differently."""
    findings: list[dict[str, Any]] = []
    counts = {"recorded": 0, "unread": 0}
    for arguments, answer in zip(request["calls"], request["answers"]):
        one = Input(arguments, "recorded")
        try:
            expected, actual = _beside(side, one, answer)
        except recordings.Uncopyable:
            counts["unread"] += 1
            continue
        counts["recorded"] += 1
        found = scales.weigh(one, expected, actual)
        if found is not None:
            finding = {**_told(one, expected, actual, found[1]), **_call(side, one, expected)}
            findings.append({**finding, "error": _error(actual, side.world)})
        if _is_enough(findings):
            break
    return counts, findings


def _beside(side: sides.Side, one: Input, answer: dict[str, Any]) -> tuple[Observation, Observation]:
    """What was seen of the baseline's call, and what is seen now; only what a recording holds can differ."""
    if answer["seen"] is None:
        raise recordings.Uncopyable("what the baseline answered could not be written down")
    actual = side.observed(one.arguments, sides.allowed(answer["seconds"]))
    with side.world.entered():
        ending, result, arguments, keywords = recordings.loads(answer["seen"])
    expected = Observation(arguments, keywords)
    for name in ("stage", "kind", "output", "is_entered"):
        setattr(expected, name, getattr(actual, name))
    expected.is_lazy = ending == "yielded"
    if ending == "raised":
        expected.ending, expected.error = ending, result
    else:
        expected.value = result
    return expected, actual


def _rules(request: dict[str, Any], places: tuple[str, str] = ("", "")) -> compare.Rules:
    return compare.Rules(rtol=request["rtol"], dict_order=request["dict_order"], places=places)


def _not_loaded(error: Exception, world: worlds.World) -> dict[str, Any]:
    is_missing = isinstance(error, worlds.NoSuchTarget)
    return {
        "loads": False,
        "error": str(error) if is_missing else _traceback(error, world.tree),
        "missing": is_missing,
        "is_syntax": isinstance(error, SyntaxError),
    }


def check(request: dict[str, Any]) -> dict[str, Any]:
    """Ask the baseline twice for each of these calls, and compare with what it answered elsewhere.

    `calls` are arguments with what was seen then, as bytes, or None, and whether only one item was asked for. Says of
    each: `stable`, `unstable` (it differs from one call to the next), `elsewhere` (it differs from what was seen then),
    or `unread`; with what is seen now. `extensions` are the modules of the project's that a process can have only once.
    """
    world = worlds.World("one", os.getcwd(), tempfile.mkdtemp(), roots=request["roots"], alone=True)
    side = sides.Side(world, request["module"], request["name"])
    rules = _rules(request)
    with world.entered():
        calls = [_checked(side, rules, **call) for call in request["calls"]]
        return {"calls": calls, "extensions": world.extensions}


def imagine(request: dict[str, Any]) -> dict[str, Any]:
    """Calls for a target that no test makes any of: inputs grown from its annotations, those that it answers, the
    largest `count` of so many `tries`."""
    world = worlds.World("one", os.getcwd(), tempfile.mkdtemp(), roots=request["roots"], alone=True)
    side = sides.Side(world, request["module"], request["name"])
    _bound_memory(request["memory"])
    found: dict[bytes, str] = {}
    with world.entered():
        for grown in generate.grow([], side.callee.function, seed=request["seed"], limit=request["tries"]):
            if grown.widened or grown.unfit:
                continue
            given = (grown.arguments.positional, grown.arguments.keywords)
            try:
                blob = recordings.dumps(given, _MOST_SEEN)
                seen = side.observed(blob, _GROWN_PATIENCE)
            except recordings.Uncopyable:
                continue
            if seen.ending not in ("raised", "too-long"):
                found[blob] = recorder.shape_of(given)
    chosen = sorted(found, key=len, reverse=True)[: request["count"]]
    return {"calls": [{"arguments": blob, "shape": found[blob]} for blob in chosen]}


def _checked(
    side: sides.Side, rules: compare.Rules, *, arguments: bytes, seen: bytes | None, partly: bool
) -> dict[str, Any]:
    then, most = seen, 1 if partly else MOST_ITEMS
    try:
        first, second = (side.observed(arguments, _BASELINE_PATIENCE, most_items=most) for _ in range(2))
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


def _two_answers(side: sides.Side, arguments: bytes, difference: compare.Difference | None) -> str:
    if difference is None:
        return ""
    call = render.expression(side.name, _given(side, arguments))
    return f"{call}: {difference.expected} or {difference.actual}"


def _seen(found: Observation) -> tuple[Any, ...]:
    """As a recorder writes it down."""
    if found.ending == "raised":
        return "raised", found.error, found.arguments, found.keywords
    return "yielded" if found.is_lazy else "returned", found.value, found.arguments, found.keywords


class _Allowed:
    """So many seconds of the CPU, and not many more of the clock: how much is tried does not depend on what else the
    machine does meanwhile, such as judging other candidates."""

    def __init__(self, seconds: float) -> None:
        self._cpu = time.process_time() + seconds
        self._clock = time.monotonic() + _BUSY * seconds

    @property
    def is_over(self) -> bool:
        return time.process_time() >= self._cpu or time.monotonic() >= self._clock


class _Trial:
    """One candidate beside the baseline. First the baseline is asked, before any code of the candidate is loaded."""

    def __init__(self, request: dict[str, Any], baseline: sides.Side) -> None:
        self._request = request
        self._baseline = baseline
        self._names = baseline.world.names
        self._inputs = [Input(call, "recorded") for call in request["calls"]]
        self._answers: list[tuple[Input, Observation]] = []
        self._classes: dict[int, set[tuple[str, str]]] = {}
        self._findings: list[dict[str, Any]] = []
        self._shaky: list[dict[str, Any]] = []
        self._outside: list[dict[str, Any]] = []
        self._changed: set[tuple[str, str]] = set()
        self._lineages: set[tuple[tuple[str, bytes], ...]] = set()
        self._unended: collections.Counter[str] = collections.Counter()
        self._counts = dict.fromkeys(("recorded", "again", "generated", "outside", "unstable", "unread"), 0)

    def learn(self) -> None:
        """The baseline's answers to the recorded calls."""
        self._kept = self._baseline.kept()
        for one in self._inputs:
            try:
                self._classes[id(one)] = self._classes_in(one)
                self._answers.append((one, self._baseline.observed(one.arguments, _BASELINE_PATIENCE)))
            except recordings.Uncopyable:
                self._counts["unread"] += 1
        self._watch = cheats.Watch(self._names)

    def run(self, candidate: sides.Side) -> dict[str, Any]:
        """What is to be said of the candidate."""
        request = self._request
        self._candidate = candidate
        rules = _rules(request, (self._baseline.world.tree, candidate.world.tree))
        self._scales = Scales(rules, strict=request["strict"], receiver=self._baseline.callee.receiver)
        self._scales.raises = {type(seen.error).__name__ for _, seen in self._answers if seen.error is not None}
        self._pair = sides.Pair(self._baseline, candidate, _BASELINE_PATIENCE)
        self._set_aside_changed()
        kept = candidate.kept()
        self._replay()
        growth = self._growth(kept)
        self._again()
        if not self._findings or request["strict"]:
            self._grown()
        return self._report(growth)

    def _report(self, growth: list[str]) -> dict[str, Any]:
        theirs = self._baseline.suspicious
        suspicious = [what for what in self._candidate.suspicious if what not in theirs]
        return {
            "loads": True,
            "counts": self._counts,
            "findings": self._findings,
            "shaky": self._shaky,
            "outside": self._outside,
            "tampered": [*self._watch.changed(), *self._strays()],
            "suspicious": [*suspicious, *self._watch.left_running()],
            "keeps": [*growth, *(f"its receiver has got {name}" for name in self._scales.private)],
            "sane": _is_sane(self._scales.rules),
        }

    def _strays(self) -> list[str]:
        """Modules of the candidate that others would have found."""
        return [f"sys.modules[{name!r}]" for name in worlds.strays(self._baseline.world, self._candidate.world)]

    # -- what cannot be compared so -------------------------------------------------------------------------------

    def _classes_in(self, one: Input) -> set[tuple[str, str]]:
        """The project's classes whose instances are among the arguments."""
        with self._baseline.world.entered():
            return {name for name in recordings.names_in(one.arguments) if name[0].partition(".")[0] in self._names}

    def _set_aside_changed(self) -> None:
        """An object is handed over by its attributes. Where the candidate makes those of a class in another way, and
        one call with such an object goes wrong, none can be: these calls are counted, and not made. What they would
        have shown, the tests that made them do."""
        names = {name for found in self._classes.values() for name in found}
        before, after = self._baseline.made_of(names), self._candidate.made_of(names)
        changed = {name for name in names if before[name] != after[name]}
        concerned = [pair for pair in self._answers if self._classes[id(pair[0])] & changed]
        if all(self._is_taken_over(one, seen) for one, seen in concerned):
            return
        self._changed = changed
        others = [pair for pair in self._answers if not self._classes[id(pair[0])] & changed]
        # Before the candidate answers any of them.
        again = [pair for pair in (self._by_lineage(*pair) for pair in concerned) if pair is not None]
        self._counts["unread"] += len(concerned) - len(again)
        self._answers = [*others, *again]

    def _by_lineage(self, one: Input, seen: Observation) -> tuple[Input, Observation] | None:
        """The call with a receiver that each world makes in its own way: where the baseline's is equal to the one that
        was recorded, and nothing else in it is handed over by attributes that the candidate has not."""
        try:
            with self._baseline.world.entered():
                (positional, keywords), *known = recordings.loads_each(one.arguments)
                if not known:
                    return None
                rest = recordings.dumps((positional[1:], keywords))
                if any(
                    recordings.names_in(blob) & self._changed for blob in (rest, *(step for _, step in known[0].steps))
                ):
                    return None
                blob = recordings.dumps(((known[0], *positional[1:]), keywords))
            expected = self._baseline.observed(blob, _BASELINE_PATIENCE)
        except recordings.Uncopyable:
            return None
        return (Input(blob, one.origin, one.note, made=True), expected) if self._scales.same(seen, expected) else None

    def _is_beyond(self, one: Input, expected: Observation) -> bool:
        """Whether there are objects among the results that the two worlds make in different ways."""
        if not one.made or expected.value is expected.arguments[0]:
            return False
        try:
            with self._baseline.world.entered():
                names = recordings.names_in(
                    recordings.dumps((expected.value, expected.arguments[1:], expected.keywords))
                )
        except recordings.Uncopyable:
            return True
        return bool(names & self._changed)

    def _is_taken_over(self, one: Input, expected: Observation) -> bool:
        try:
            actual = self._candidate.observed(one.arguments, sides.allowed(expected.seconds))
        except recordings.Uncopyable:
            return False
        return self._scales.weigh(one, expected, actual) is None

    # -- recorded calls -------------------------------------------------------------------------------------------

    def _replay(self) -> None:
        for one, expected in self._answers:
            if self._is_done():
                return
            try:
                actual = self._candidate.observed(one.arguments, sides.allowed(expected.seconds))
            except recordings.Uncopyable:
                self._counts["unread"] += 1
                continue
            self._counts["recorded"] += 1
            self._weigh(one, expected, actual, self._pair.both)
            if expected.is_lazy:
                self._try(dataclasses.replace(one, partly=True), self._pair.partly)
            if expected.is_entered:
                self._try(one, self._pair.thrown)

    def _again(self) -> None:
        """Once more: after all the others, after the caller changed what it got, with the same objects changed."""
        notes = {
            self._pair.twice: "called twice; what came back was changed in between",
            **self._again_of_methods(),
            self._pair.grown: "called again with the same object, changed",
            self._pair.turned: "called again with the same object, changed",
        }
        for way, note in notes.items():
            for one, _ in self._answers[:_MOST_AGAIN]:
                if self._is_done():
                    return
                if way == self._pair.between and not one.made:
                    continue
                self._counts["again"] += 1
                self._try(Input(one.arguments, "again", note, made=one.made), way)

    def _again_of_methods(self) -> dict[Way, str]:
        if self._baseline.callee.receiver != "instance":
            return {}
        return {
            self._pair.asked: "called twice on the same object; what came back was changed in between",
            self._pair.between: _BETWEEN,
        }

    # -- grown inputs ---------------------------------------------------------------------------------------------

    def _grown(self) -> None:
        allowed = _Allowed(self._request["seconds"])
        is_lazy = any(seen.is_lazy for _, seen in self._answers)
        slowest = max((seen.seconds for _, seen in self._answers), default=0.0)
        self._pair.patience = max(_GROWN_PATIENCE, _GROWN_SHARE * slowest)
        _bound_memory(self._request["memory"])
        with self._baseline.world.entered():
            inputs = self._new_inputs()
            while self._counts["generated"] < self._request["generated"] and not allowed.is_over:
                one = next(inputs, None)
                if one is None or self._is_done():
                    return
                self._counts["generated"] += 1
                way = self._pair.both if one.after is None else functools.partial(self._pair.after, one.after)
                turn = self._counts["generated"] % 4
                if not self._try(one, way):
                    continue
                if one.deep or turn == 0:
                    self._try(one, self._pair.shallow)
                if one.made:
                    self._try(dataclasses.replace(one, note=f"{one.note}; {_BETWEEN}"), self._pair.between)
                if is_lazy and turn % 2:
                    self._try(dataclasses.replace(one, partly=True), self._pair.partly)

    def _new_inputs(self) -> Iterator[Input]:
        grown = generate.grow(
            self._examples(),
            self._baseline.callee.function,
            beside=self._candidate.callee.function,
            seed=self._request["seed"],
            limit=4 * self._request["generated"],
        )
        for found in grown:
            if any(self._unended[way] >= _MOST_UNENDED for way in found.note.split("; ")):
                continue
            if not self._is_meant(found.arguments):
                continue
            try:
                blob, before = _blob(found.arguments), None if found.after is None else _blob(found.after)
            except recordings.Uncopyable:
                continue
            yield Input(
                blob,
                "generated",
                found.note,
                widened=found.widened,
                deep=found.deep,
                unfit=found.unfit,
                made=type(next(iter(found.arguments.positional), None)) is values.Lineage,
                after=before,
            )

    def _is_meant(self, given: generate.Arguments) -> bool:
        """Whether a receiver that is told by its lineage has one that was recorded, or one of which the baseline takes
        each step, or refuses it in its own words."""
        told = next(iter(given.positional), None)
        if type(told) is not values.Lineage or told.steps in self._lineages:
            return True
        try:
            lineage.made(told, self._pair.patience, project=self._baseline.world.tree)
        except recordings.Uncopyable:
            return False
        return True

    def _examples(self) -> list[generate.Arguments]:
        """What inputs are grown from, small ones first. Those that are large are cut down: each input that is grown
        from one costs as much as it does, and time is bounded. Of those where the baseline does not take what is left,
        a few stand for all."""
        small: list[generate.Arguments] = []
        large: list[generate.Arguments] = []
        ranked = sorted(self._answers, key=lambda pair: len(pair[0].arguments) > _LARGE)
        for one, seen in ranked[:_MOST_EXAMPLES]:
            positional, keywords = recordings.loads(one.arguments)
            given = generate.Arguments(tuple(positional), keywords)
            if one.made:
                self._lineages.add(given.positional[0].steps)
            cut = given if len(one.arguments) <= _LARGE else self._cut(given, seen)
            (large if cut is None else small).append(given if cut is None else cut)
        return [*small, *large[:_MOST_LARGE]]

    def _cut(self, given: generate.Arguments, seen: Observation) -> generate.Arguments | None:
        """The arguments cut down, where that can be done, and the baseline takes them as it took the whole."""
        skip = 0 if self._baseline.callee.receiver == "none" else 1
        made = values.attempt(generate.cut, given, skip=skip)
        try:
            blob = b"" if made is values.NOTHING else _blob(made)
            if not 0 < len(blob) < len(recordings.dumps((given.positional, given.keywords))):
                return None
            found = self._baseline.observed(blob, self._pair.patience)
        except recordings.Uncopyable:
            return None
        return made if found.ending == seen.ending else None

    # -- weighing -------------------------------------------------------------------------------------------------

    def _is_done(self) -> bool:
        return _is_enough(self._findings)

    def _try(self, one: Input, way: Way) -> bool:
        """Whether both say the same."""
        try:
            expected, actual = way(one.arguments)
        except recordings.Uncopyable:
            self._counts["unread"] += one.origin != "generated"
            return False
        if expected.ending == "too-long":
            self._unended.update(one.note.split("; "))
        return self._weigh(one, expected, actual, way)

    def _weigh(self, one: Input, expected: Observation, actual: Observation, way: Way) -> bool:
        found = self._scales.weigh(one, expected, actual)
        if found is None:
            return True
        if self._is_beyond(one, expected):
            self._counts["unread"] += 1
            return False
        kind, difference = found
        if not self._scales.same(expected, way(one.arguments)[0]):
            self._note(self._shaky, self._finding(one, expected, actual, difference), "unstable", most=_MOST_FINDINGS)
        elif kind == OUTSIDE:
            self._note(self._outside, self._finding(one, expected, actual, difference), "outside", most=_MOST_OUTSIDE)
        else:
            if one.origin != "again" and actual.ending != "too-long":
                one, expected, actual, difference = self._small(one, expected, actual, difference, way)
            self._findings.append(self._finding(one, expected, actual, difference))
        return False

    def _note(self, notes: list[dict[str, Any]], finding: dict[str, Any], count: str, *, most: int) -> None:
        self._counts[count] += 1
        if len(notes) < most:
            notes.append(finding)

    def _small(
        self, one: Input, expected: Observation, actual: Observation, difference: compare.Difference, way: Way
    ) -> tuple[Input, Observation, Observation, compare.Difference]:
        """The smallest input found that shows a difference of the same weight."""
        allowed = _Allowed(_SHRINK_SECONDS)
        first = best = one, expected, actual, difference

        def fails(arguments: generate.Arguments) -> bool:
            nonlocal best
            if allowed.is_over or not self._is_meant(arguments):
                return False
            blob = recordings.dumps((arguments.positional, arguments.keywords))
            smaller = dataclasses.replace(one, arguments=blob)
            seen = way(blob)
            found = self._scales.weigh(smaller, *seen)
            if found is None or found[0] != WRONG or seen[0].ending != expected.ending:
                return False
            best = smaller, *seen, found[1]
            return True

        with self._baseline.world.entered():
            positional, keywords = recordings.loads(one.arguments)
            shrink.shrink(generate.Arguments(tuple(positional), keywords), fails, budget=_SHRINK_TRIES)
        # The last that failed is the smallest: each step is taken from the one before.
        return best if self._scales.same(best[1], way(best[0].arguments)[0]) else first

    # -- what is told ---------------------------------------------------------------------------------------------

    def _finding(
        self, one: Input, expected: Observation, actual: Observation, difference: compare.Difference
    ) -> dict[str, Any]:
        return {
            **_told(one, expected, actual, difference),
            **_call(self._baseline, one, expected),
            "error": _error(actual, self._candidate.world),
        }

    def _growth(self, candidate: dict[str, int]) -> list[str]:
        """What the candidate's modules hold more of after the calls, where the baseline's do not."""
        ours, theirs = self._baseline.kept(), self._candidate.kept()
        grown = {name for name, size in ours.items() if size > self._kept.get(name, 0)}
        before = {name: candidate.get(name, self._kept.get(name, 0)) for name in theirs}
        return [
            f"{name} grew from {before[name]} to {size}"
            for name, size in theirs.items()
            if size > before[name] and name not in grown
        ][:_MOST_OUTSIDE]


def _blob(arguments: generate.Arguments) -> bytes:
    return recordings.dumps((arguments.positional, arguments.keywords), _MOST_SEEN)


def _told(one: Input, expected: Observation, actual: Observation, difference: compare.Difference) -> dict[str, Any]:
    return {
        "origin": one.origin,
        "partly": one.partly,
        "note": one.note,
        "where": _place(difference.path),
        "expected": difference.expected if difference.path else _ending(expected),
        "actual": difference.actual if difference.path else _ending(actual),
        "baseline": _ending(expected),
        "candidate": _ending(actual),
        "too_long": actual.ending == "too-long",
    }


def _call(side: sides.Side, one: Input, expected: Observation) -> dict[str, Any]:
    """An input as it is written, and what is expected of it as it is recorded: by a side that has made both."""
    with side.world.entered():
        given = _given(side, one.arguments)
        note = one.note
        if one.after is not None:
            note = f"{note}: right after {render.expression(side.name, _given(side, one.after))}"
        call = render.expression(side.name, given)
        snippet = render.snippet(side.module, side.name, given, receiver=side.callee.receiver == "instance")
        try:
            seen = recordings.dumps(_seen(expected), _MOST_SEEN)
        except recordings.Uncopyable:
            seen = None
    return {"call": call, "snippet": snippet, "arguments": one.arguments, "seen": seen, "note": note}


def _error(actual: Observation, world: worlds.World) -> str:
    return "" if actual.error is None else _traceback(actual.error, world.tree)


def _is_sane(rules: compare.Rules) -> bool:
    """Whether two that are not the same are still told apart, and two that are the same are not."""
    one, weigh = Input(b"", "recorded"), Scales(rules, strict=False, receiver="none").weigh
    first, second = Observation((), {}), Observation((), {})
    first.value, second.value = [1, "a"], [1, "b"]
    return weigh(one, first, second) is not None and weigh(one, first, first) is None


def _is_enough(findings: list[dict[str, Any]]) -> bool:
    """Whether enough is known. One call that does not end is enough: each costs all of our patience."""
    return len(findings) >= _MOST_FINDINGS or any(found["too_long"] for found in findings)


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


def _given(side: sides.Side, arguments: bytes) -> generate.Arguments:
    """As somebody would write it down: what a class method is called on stands in its name, and an object that is told
    by its lineage is made by its calls."""
    positional, keywords = recordings.loads(arguments)
    if positional and type(positional[0]) is values.Lineage:
        made = render.Made(*lineage.history(positional[0], _BASELINE_PATIENCE))
        positional = (made, *positional[1:])
    skipped = 1 if side.callee.receiver == "class" else 0
    return generate.Arguments(tuple(positional)[skipped:], keywords)


def _place(path: str) -> str:
    """Where in an observation: `result[0]` instead of `['result'][0]`."""
    inner, closing, rest = path[2:].partition("']") if path.startswith("['") else (path, "", "")
    return inner + rest if closing else path


def _ending(seen: Observation) -> str:
    if seen.ending == "raised":
        return f"raises {compare.shown(seen.error)}"
    if seen.ending == "too-long":
        return f"had not ended after {seen.seconds:.1f} s"
    return f"{'yields' if seen.is_lazy else 'returns'} {compare.shown(seen.value)}"


def _traceback(error: BaseException, tree: str) -> str:
    """The candidate's own part of it, with paths as they are in the repository."""
    text = "".join(traceback.format_exception(type(error), error, error.__traceback__)[-12:])
    return text.replace(tree + os.sep, "")[-_TRACEBACK:]
