"""What holds of every search, whatever its sources do, and whenever it is cut short."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from bakeoff.events import CandidateProposed, Descent, JudgingBegan, RaceBegan, Verdict
from search.scripts import FASTER, HANGS, Idea, Play, Ran, Script, Step, Wait, Work

SECONDS = st.sampled_from([0.0, 0.5, 1.0, 2.0, 7.0])
SPEEDS = st.sampled_from([0.5, 1.0, 1.5, 2.0, 3.0])
VERDICTS = st.sampled_from([Verdict.VERIFIED, Verdict.VERIFIED, Verdict.WRONG])
DESCENTS = st.sampled_from([Descent.FRESH, Descent.FRESH, Descent.REPAIR])


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """Sources with their rounds, and how they are searched."""

    sources: tuple[tuple[tuple[Step, ...], ...], ...]
    play: Play

    def scripts(self) -> list[Script]:
        return [Script(f"s{number}", *rounds) for number, rounds in enumerate(self.sources)]


@st.composite
def plans(draw: st.DrawFn) -> Plan:
    # Equal texts are equal changes, about which the same is true.
    truths: dict[str, dict] = {}
    names = 0

    def idea() -> Idea:
        nonlocal names
        names += 1
        text = draw(st.sampled_from("abcdefgh"))
        if text not in truths:
            speed, noise = draw(SPEEDS), names / 1000
            truths[text] = {
                "speeds": (speed + noise,),
                "verdict": draw(VERDICTS),
                "judging": draw(SECONDS),
                "passes_rest": draw(st.sampled_from([True, True, False])),
                "falls": draw(st.sampled_from([False, False, False, True])),
            }
        return Idea(name=f"i{names}", text=text, descent=draw(DESCENTS), **truths[text])

    def step() -> Step:
        kind = draw(st.sampled_from(["idea", "idea", "idea", "wait", "work", "hang"]))
        if kind == "idea":
            return idea()
        if kind == "hang" and hangs:
            return HANGS
        return (Work if kind == "work" else Wait)(draw(SECONDS))

    seconds = draw(st.sampled_from([math.inf, 20.0, 100.0]))
    hangs = seconds < math.inf
    sources = tuple(
        tuple(tuple(step() for _ in range(draw(st.integers(0, 4)))) for _ in range(draw(st.integers(0, 4))))
        for _ in range(draw(st.integers(1, 3)))
    )
    play = Play(
        seconds=seconds,
        candidates=draw(st.integers(1, 12)),
        rounds=draw(st.integers(1, 4)),
        parallel=draw(st.integers(1, 3)),
        takes=draw(SECONDS),
        enough=draw(st.sampled_from([None, None, 2.5])),
    )
    return Plan(sources=sources, play=play)


def check(ran: Ran, play: Play) -> None:
    """The scripted house fails by itself when somebody works while something is timed (E2)."""
    assert ran.found is not None
    proposed = ran.journal.of(CandidateProposed)
    tried = [one.candidate.id for one in ran.found.tried]
    assert len(set(tried)) == len(tried), "each is settled once"
    assert max(ran.house.judged.values(), default=0) <= 1, "and equal ones are judged once"
    assert ran.house.most_judging <= play.parallel
    known = [candidate for candidate, _ in play.after.left()[0]] if play.after is not None else []
    counted = [one for one in (*known, *proposed) if one.descent is not Descent.REPAIR]
    assert len(counted) <= play.candidates
    verified = {one.candidate.id for one in ran.found.tried if one.is_verified}
    raced = {one for race in ran.journal.of(RaceBegan) for one in race.candidates}
    assert verified <= raced | {one.candidate.id for one in ran.found.tried if one.measured is not None}
    _check_winner(ran)
    was_cut = ran.seconds >= 0.9 * play.seconds or _is_enough(ran, play)
    event(f"cut: {was_cut}, winner: {ran.winner is not None}, races: {min(3, len(raced))}")
    if not was_cut:
        assert {one.candidate for one in proposed} <= set(tried), "nothing is left unsettled"
        for source in ran.sources:
            _check_rounds(source, play, is_full=len(counted) >= play.candidates)


def _check_winner(ran: Ran) -> None:
    """It is the best of all that is verified in the end."""
    truths = {idea.name: idea for source in ran.sources for idea in source.ideas}
    stand = [name for name, one in ran.tried.items() if one.is_verified and truths[name].speeds[0] > FASTER]
    assert ran.winner == max(stand, key=lambda name: truths[name].speeds[0], default=None)
    if ran.winner is not None:
        assert truths[ran.winner].passes_rest
        assert not truths[ran.winner].falls
        assert ran.found.winner == ran.tried[ran.winner]
        assert ran.found.winner.is_faster


def _is_enough(ran: Ran, play: Play) -> bool:
    winner = ran.found.winner
    return play.enough is not None and winner is not None and winner.measured.speedup.low >= play.enough


def _check_rounds(source: Script, play: Play, *, is_full: bool) -> None:
    """It was asked again as long as it gave something."""
    gave = 0
    while gave < len(source.rounds) and any(isinstance(step, Idea) for step in source.rounds[gave]):
        gave += 1
    if not is_full:
        assert len(source.briefs) >= min(play.rounds, gave + 1)
    assert len(source.briefs) <= play.rounds


@pytest.mark.promise("E1", "E2", "E5", "E8")
@pytest.mark.parametrize("backend", ["asyncio", "trio"])
@given(plan=plans())
@settings(max_examples=150)
def test_every_search_ends_with_all_settled_and_the_best_as_winner(backend: str, plan: Plan):
    check(plan.play.run(backend, *plan.scripts()), plan.play)


@pytest.mark.promise("E2", "E5", "E8")
@pytest.mark.parametrize("backend", ["asyncio", "trio"])
@given(plan=plans(), events=st.integers(1, 60))
@settings(max_examples=100)
def test_one_that_was_cut_short_goes_on_and_judges_nothing_twice(backend: str, plan: Plan, events: int):
    before = replace(plan.play, events=events).run(backend, *plan.scripts())
    known, _ = before.left()
    after = replace(plan.play, after=before).run(backend, *plan.scripts())
    check(after, replace(plan.play, after=before))
    judged = {candidate.id for candidate, tried in known if tried is not None}
    assert judged.isdisjoint(one.candidate for one in after.journal.of(JudgingBegan))
    assert len(known) + len(after.proposed) == len({candidate.id for candidate, _ in known} | _ids(after))
    if plan.play.seconds == math.inf and plan.play.enough is None:
        assert {candidate.id for candidate, _ in known} <= {one.candidate.id for one in after.found.tried}


def _ids(ran: Ran) -> set[str]:
    return {one.candidate for one in ran.journal.of(CandidateProposed)}


@pytest.mark.parametrize("backend", ["asyncio", "trio"])
@given(plan=plans(), moment=st.floats(0, 50))
@settings(max_examples=60)
def test_cancelled_from_outside_it_leaves_nothing(backend: str, plan: Plan, moment: float):
    """`Play` looks at tasks and generators."""
    replace(plan.play, cancelled_at=moment).run(backend, *plan.scripts())
