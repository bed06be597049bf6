"""Whole searches with a model that follows a script: ideas, repairs, refinements, adaptations, and going on with them.

Search, evaluation, gate and record are real. Verdicts come from running the candidates right here, speeds from a table.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import anyio
import pytest
from anyio.lowlevel import checkpoint

from bakeoff.candidates import Change
from bakeoff.evaluation import Evaluation
from bakeoff.events import CandidateState, Decision, Descent, Difference, Recorded, Run, RunStarted, Speedup, Verdict
from bakeoff.jobs.contest import _Before, _known
from bakeoff.measure import Clock, Contender, Gate, Measurement, RaceResult
from bakeoff.models import Account, Rates, Request
from bakeoff.search import SearchOptions, search
from bakeoff.sources import Brief, Scope
from bakeoff.sources.models.source import ModelsOptions, ModelsSource
from bakeoff.store import Store
from bakeoff.targets import Target
from bakeoff.testing.models import ScriptedModel
from bakeoff.verify import Judgement
from sources.models.trials import Base

pytestmark = pytest.mark.anyio
MODULE = '''def unique(items):
    """The items, each once, in their order."""
    found = []
    for item in items:
        if item not in found:
            found.append(item)
    return found
'''
BASE = Base({"lists.py": MODULE})
TARGET = Target(path="lists.py", name="unique")
SET = "    return list(set(items))"
SORTED = "    return sorted(set(items))"
KNOWN = """    found, known = [], set()
    for item in items:
        if item not in known:
            found.append(item)
            known.add(item)
    return found"""
MENDED = "    seen = {}\n    for item in items:\n        seen.setdefault(item, item)\n    return list(seen)"
FAST = "    return list(dict.fromkeys(items))"
FASTEST = "    return [*dict.fromkeys(items)]"
SPEEDS = {KNOWN: 2.0, MENDED: 1.5, FAST: 3.0, FASTEST: 4.0}
INPUTS = [[], [3, 1, 3], ["b", "a"]]


def answer(body: str) -> str:
    return f"An idea.\n\nlists.py\n```python\ndef unique(items):\n{body}\n```\n"


def text_of(change: Change) -> str:
    content = change.contents["lists.py"]
    assert content is not None
    return content.decode()


class Script:
    """What is answered to what; all that was asked is kept."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, str]] = []

    def __call__(self, request: Request) -> str:
        text = request.messages[-1].content
        kind, said = self._answer(text)
        self.asked.append((kind, text))
        return said

    def of(self, kind: str) -> list[str]:
        return [text for one, text in self.asked if one == kind]

    @staticmethod
    def _answer(text: str) -> tuple[str, str]:
        if "## A candidate that failed" in text:
            is_second = "It was a repair itself" in text or "This was the answer" in text
            return "repair", answer(MENDED if is_second else SORTED)
        if "## Candidates that were proven right" in text:
            return "refinement", answer(FAST)
        if "## What was tried so far" in text:
            return "adaptation", answer(FASTEST)
        number = int(text.split("This is attempt ")[1].partition(".")[0])
        return "fresh", [answer(SET), answer(KNOWN), "no idea"][number - 1]


class Judging:
    """Runs the candidates."""

    async def judge(self, change: Change) -> Judgement:
        await checkpoint()
        ours: dict[str, Any] = {}
        theirs: dict[str, Any] = {}
        exec(MODULE, ours)
        exec(text_of(change), theirs)
        for given in INPUTS:
            expected, actual = ours["unique"](given), theirs["unique"](given)
            if expected != actual:
                return Judgement(verdict=Verdict.WRONG, reason="it differs", differences=(differs(given, actual),))
        return Judgement(verdict=Verdict.VERIFIED)

    async def judge_whole(self, change: Change, judgement: Judgement) -> Judgement:
        await checkpoint()
        return judgement


def differs(given: list, actual: object) -> Difference:
    call, said = f"unique({given!r})", f"returns {actual!r}"
    return Difference(
        origin="recorded",
        call=call,
        snippet=call,
        where="result",
        expected="",
        actual="",
        baseline="returns something else",
        candidate=said,
    )


class Timing:
    """Finds the speeds of the table."""

    async def race(self, contenders: Sequence[Contender], *, seconds: float, longest: float) -> RaceResult:
        await checkpoint()
        found = {one.name: self._measured(one) for one in contenders}
        best = max(found.values(), key=lambda one: one.speedup.estimate if one.speedup else 0.0)
        return RaceResult(
            measurements=found,
            winner=best.name,
            placebo=None,
            noisy=False,
            clock=Clock.CPU,
            load=0.0,
            covered=1.0,
            seconds=seconds,
            processes=1,
        )

    @staticmethod
    def _measured(contender: Contender) -> Measurement:
        text = text_of(contender.change)
        speed = next(speed for body, speed in SPEEDS.items() if body in text)
        return Measurement(
            name=contender.name,
            decision=Decision.FASTER,
            speedup=Speedup(estimate=speed, low=speed * 0.9, high=speed * 1.1),
            is_confirmed=True,
        )


async def searched(store: Store, script: Script, *, run: str | None = None, watch: Callable[[Recorded], None]) -> str:
    """A search, or what is left of one; gives the id of its run."""
    known = _Before()
    if run is not None:
        before = Run.of(store.events(run))
        known = _Before(known=tuple(_known(before, store, BASE.read)), run=before)
    gate = Gate()
    async with store.record(run, watch=watch) as log:
        await log.append(RunStarted(command="optimize", version="1"))
        model = ScriptedModel(script, account=Account(log=log), rates=Rates(tokens_in=1.0, tokens_out=2.0))
        brief = Brief(pool=BASE, target=TARGET, scope=Scope(), most=0, log=log, working=gate.working)
        evaluation = Evaluation(
            pool=BASE,
            judge=Judging(),
            timer=Timing(),
            log=log,
            gate=gate,
            scope=brief.scope,
            parallel=2,
            known=known.known,
        )
        options = SearchOptions(
            candidates=6, rounds=6, seconds=1_000.0, deadline=anyio.current_time() + 1_000.0, earlier=known.proposals()
        )
        source = ModelsSource(lambda _: [model], ModelsOptions(fresh=3))
        await search([source], evaluation, brief, options)
        return log.run


def by_name(run: Run) -> dict[str, CandidateState]:
    return {one.proposed.name: one for one in run.candidates.values()}


def ignore(_: Recorded) -> None:
    pass


@pytest.mark.promise("E9", "M8")
async def test_ideas_are_repaired_refined_and_adapted_and_all_of_it_is_recorded(tmp_path: Path):
    store, script = Store(tmp_path / "store.sqlite"), Script()
    run = Run.of(store.events(await searched(store, script, watch=ignore)))
    found = by_name(run)
    assert {name: (one.proposed.descent, one.judged and one.judged.verdict) for name, one in found.items()} == {
        "scripted-1": ("fresh", "wrong"),
        "scripted-2": ("fresh", "verified"),
        "scripted-3": ("fresh", "invalid"),
        "scripted-1-repair": ("repair", "wrong"),
        "scripted-3-repair": ("repair", "verified"),
        "refined-1": ("refinement", "verified"),
        "scripted-1-repair-2": ("repair", "duplicate"),
        "adapted-1": ("adaptation", "verified"),
        "adapted-2": ("adaptation", "duplicate"),
    }  # fmt: skip
    adapted = found["adapted-1"].proposed
    assert adapted.descent is Descent.ADAPTATION
    assert [run.candidates[parent].proposed.name for parent in adapted.parents] == ["refined-1", "scripted-2"]
    for one in found.values():
        (call,) = one.proposed.calls
        ended = run.attempts[call, 1].ended
        assert store.text(ended.answer) == store.text(one.proposed.log)
    assert run.spent.calls == len(found)
    assert run.spent.cost == pytest.approx((run.spent.tokens_in + 2 * run.spent.tokens_out) / 1e6)


@pytest.mark.promise("E9")
async def test_each_ask_is_shown_what_it_needs(tmp_path: Path):
    script = Script()
    await searched(Store(tmp_path / "store.sqlite"), script, watch=ignore)
    repairs = script.of("repair")
    assert len(repairs) == 3
    assert sum("This was the answer:\n\n```\nno idea\n```" in text for text in repairs) == 1
    (second,) = (text for text in repairs if "It was a repair itself" in text)
    assert "+    return sorted(set(items))" in second
    assert "- `scripted-1`: `it differs`" in second
    assert "the candidate: returns" in second
    (refining,) = script.of("refinement")
    assert "### `scripted-2`: 2.00 times as fast" in refining
    first, last = script.of("adaptation")
    assert first.index("### 1. `scripted-2`: 2.00 times") < first.index("### 2. `refined-1`: 3.00 times")
    assert last.index("### 2. `refined-1`") < last.index("### 3. `adapted-1`: 4.00 times")


async def test_a_search_that_was_cut_short_goes_on_without_asking_again_for_what_it_has(tmp_path: Path):
    """After some of the events that it may have come to."""
    store = Store(tmp_path / "store.sqlite")
    whole = await searched(store, Script(), watch=ignore)
    events = len(list(store.events(whole)))
    names = by_name(Run.of(store.events(whole))).keys()
    for last in range(2, events, 8):
        seen: list[Recorded] = []
        with anyio.CancelScope() as scope:

            def watch(event: Recorded, scope: anyio.CancelScope = scope, seen: list[Recorded] = seen, last: int = last):
                seen.append(event)
                if len(seen) >= last:
                    scope.cancel()

            await searched(store, Script(), watch=watch)
        run = seen[0].run
        before = Run.of(store.events(run))
        script = Script()
        await searched(store, script, run=run, watch=ignore)
        after = Run.of(store.events(run))
        assert by_name(after).keys() == names
        asked = len(script.asked)
        assert asked == len(names) - len(before.candidates), "what was proposed is not asked for again"
        assert not after.spent.open
