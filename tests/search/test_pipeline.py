"""The search, by scripted sources in virtual time: what is asked when, what is judged, what is timed, when it ends."""

from __future__ import annotations

import math

import pytest

from bakeoff.errors import UsageError
from bakeoff.events import Descent, JudgingBegan, Profile, Verdict
from bakeoff.sources import Proposal
from search.scripts import HANGS, Idea, Play, Script, Wait, Work, races_of

FAST = Idea(name="fast", speeds=(2.0,))
FASTER = Idea(name="faster", speeds=(3.0,))
SAME = Idea(name="same")
WRONG = Idea(name="wrong", verdict=Verdict.WRONG)


@pytest.fixture(params=["asyncio", "trio"])
def backend(request: pytest.FixtureRequest) -> str:
    return request.param


# -- asking -----------------------------------------------------------------------------------------------------------


def test_a_single_proposal_of_a_source_that_ends_at_once_is_judged_and_timed_and_the_source_asked_again(backend: str):
    source = Script("one", [FAST], [FASTER])
    ran = Play().run(backend, source)
    assert ran.winner == "faster"
    assert [len(brief.tried) for brief in source.briefs] == [0, 1, 2], "and when it has nothing to say, it is over"
    assert source.times == [0.0, 6.0, 12.0], "when what it gave is judged and timed"
    assert ran.seconds == 12.0


def test_the_first_candidate_is_judged_and_timed_while_others_are_still_written(backend: str):
    ran = Play().run(backend, Script("slow", [Wait(1), FAST, Wait(60), FASTER]))
    assert ran.house.began == {"fast": 1.0, "faster": 61.0}
    assert ran.house.races == [(2.0, ("fast",)), (62.0, ("faster", "fast"))]
    assert ran.winner == "faster"


def test_each_source_goes_on_at_its_own_pace(backend: str):
    quick = Script("quick", [FAST], [SAME], [WRONG])
    slow = Script("slow", [Wait(50), FASTER])
    ran = Play(rounds=6).run(backend, quick, slow)
    assert quick.times[:3] == [0.0, 6.0, 12.0]
    assert slow.times[0] == 0.0
    assert ran.winner == "faster"
    # Once more since what it gave is settled, and once since the slow one has found something.
    assert quick.times[3:] == [13.0, 56.0]


def test_a_source_with_nothing_to_say_is_asked_again_when_others_have_found_something(backend: str):
    waits = Script("waits", [], [FASTER])
    ran = Play().run(backend, waits, Script("other", [Wait(9), FAST]))
    assert waits.times == [0.0, 15.0, 21.0]
    assert [one.candidate.name for one in waits.briefs[1].tried] == ["fast"]
    assert waits.briefs[1].tried[0].is_faster, "with its measurement"
    assert ran.winner == "faster"


@pytest.mark.parametrize("sources", [[], [Script("silent")], [Script("silent"), Script("thinks", [Wait(3)])]])
def test_nothing_from_anybody_is_an_end(backend: str, sources: list[Script]):
    for source in sources:
        source.briefs.clear()
    ran = Play(seconds=math.inf).run(backend, *sources)
    assert (ran.tried, ran.winner, ran.raced) == ({}, None, [])
    assert all(len(source.briefs) == 1 for source in sources)


def test_rounds_that_are_used_up_do_not_keep_others_waiting(backend: str):
    done = Script("done", [SAME], [WRONG], [FAST])
    goes_on = Script("goes-on", [Wait(100), Idea(name="late")], [FASTER])
    ran = Play(rounds=2).run(backend, done, goes_on)
    assert (len(done.briefs), len(goes_on.briefs)) == (2, 2)
    assert ran.winner == "faster"
    assert "fast" not in ran.tried


def test_candidates_are_counted_over_all_sources_and_repairs_are_not(backend: str):
    many = [Idea(name=f"n{number}") for number in range(9)]
    repairs = [Idea(name=f"r{number}", descent=Descent.REPAIR) for number in range(3)]
    sources = [Script("a", many[:5]), Script("b", many[5:8], repairs, [many[8]])]
    ran = Play(candidates=6).run(backend, *sources)
    assert len([name for name in ran.tried if name.startswith("n")]) == 6
    assert {name for name in ran.tried if name.startswith("r")} == {"r0", "r1", "r2"}
    assert [brief.most for brief in sources[1].briefs][1:] == [0, 0]


def test_what_a_source_raises_ends_the_search_as_it_is(backend: str):
    other = Script("other", [FAST, HANGS])
    with pytest.raises(LookupError, match="gone") as caught:
        Play(seconds=math.inf).run(backend, other, Script("raises", [Wait(30), LookupError("gone")]))
    assert type(caught.value) is LookupError
    assert not other.is_open


def test_two_sources_of_one_name_are_refused(backend: str):
    with pytest.raises(UsageError, match="twice"):
        Play().run(backend, Script("twice"), Script("twice"))


def test_the_winner_is_profiled_for_the_sources(backend: str):
    profile = Profile(functions=())
    source = Script("one", [SAME], [FAST], [])
    ran = Play(profiles={"fast": profile}).run(backend, source)
    identity = ran.found.winner.candidate.id
    assert [dict(brief.profiles) for brief in source.briefs] == [{}, {}, {identity: profile}]
    assert ran.found.profiles == {identity: profile}


# -- timing -----------------------------------------------------------------------------------------------------------


@pytest.mark.promise("E2")
def test_a_race_waits_for_a_source_that_works_and_begins_when_it_stops_working(backend: str):
    """Not when the source ends: what it waits for then takes no CPU."""
    works = Script("works", [Work(20), Wait(100), SAME])
    ran = Play().run(backend, works, Script("other", [FAST]))
    assert ran.house.races[0] == (20.0, ("fast",))


@pytest.mark.promise("E2")
def test_work_and_judging_wait_while_something_is_timed(backend: str):
    works = Script("works", [Wait(2), Work(1), FASTER])
    ran = Play(takes=30.0).run(backend, works, Script("other", [FAST]))
    assert ran.house.races[0] == (1.0, ("fast",))
    assert ran.house.began["faster"] == 32.0, "its source's work waited until 31, and took a second"


def test_what_is_verified_meanwhile_is_timed_together(backend: str):
    sources = [Script(name, [Wait(wait), Idea(name=name)]) for name, wait in (("a", 0), ("b", 2), ("c", 3), ("d", 4))]
    ran = Play().run(backend, *sources)
    assert [set(names) for names in ran.raced] == [{"a"}, {"b", "c", "d"}]


def test_many_that_are_given_at_once_are_timed_once(backend: str):
    ideas = [Idea(name=f"n{number}", judging=float(number % 3)) for number in range(12)]
    for parallel in (1, 3):
        ran = Play(parallel=parallel).run(backend, Script("one", ideas))
        assert [sorted(names) for names in ran.raced] == [sorted(idea.name for idea in ideas)]
        assert ran.house.most_judging == parallel


@pytest.mark.promise("E8")
def test_one_that_fails_the_rest_of_the_suite_does_not_win(backend: str):
    spoils = Idea(name="spoils", speeds=(5.0,), passes_rest=False)
    ran = Play().run(backend, Script("one", [spoils, FAST, FASTER]))
    assert ran.winner == "faster"
    assert ran.tried["spoils"].judged.verdict is Verdict.WRONG


@pytest.mark.promise("E8")
def test_a_winner_keeps_its_place_in_a_race_that_tells_nothing(backend: str):
    ran = Play(noisy=[2]).run(backend, Script("one", [FAST], [FASTER]))
    assert ran.winner == "fast"
    assert ran.tried["fast"].is_faster, "its record says so, too"
    assert not ran.tried["faster"].is_faster


@pytest.mark.promise("E8")
@pytest.mark.parametrize("loses", [{"speeds": (4.0, 1.02)}, {"speeds": (4.0,), "falls": True}], ids=["slow", "falls"])
def test_where_a_winner_loses_its_claim_those_that_it_has_beaten_stand_up_again(backend: str, loses: dict):
    first = Idea(name="first", **loses)
    ran = Play().run(backend, Script("one", [first, FAST, FASTER], [SAME]))
    assert ran.winner == "faster"
    assert not ran.tried["first"].is_faster


def test_enough_is_enough(backend: str):
    waits, one = Script("waits", [HANGS]), Script("one", [FAST], [FASTER], [SAME])
    ran = Play(enough=2.5, seconds=math.inf).run(backend, waits, one)
    assert ran.winner == "faster", "surely 2.5 times as fast: fast is 1.8 to 2.2 times"
    assert ran.seconds == 12.0
    assert "same" not in ran.tried


# -- time -------------------------------------------------------------------------------------------------------------


def test_a_source_that_never_ends_has_what_it_gave_timed_and_ends_with_the_time(backend: str):
    ran = Play(seconds=100.0).run(backend, Script("hangs", [FAST, HANGS]), Script("works", [Work(math.inf)]))
    assert ran.winner == "fast"
    assert ran.house.races == [(90.0, ("fast",))], "a tenth of the time is kept"
    assert ran.seconds == 95.0


def test_a_source_that_thinks_long_is_not_cut_short(backend: str):
    ran = Play(seconds=100.0).run(backend, Script("thinks", [Wait(80), FAST]))
    assert ran.winner == "fast"


def test_what_is_not_judged_in_time_is_left_as_it_is(backend: str):
    ran = Play(seconds=100.0).run(backend, Script("one", [FAST, Wait(50), Idea(name="late", judging=1000.0)]))
    assert ran.winner == "fast"
    assert list(ran.tried) == ["fast"]
    assert ran.proposed == ["fast", "late"]
    assert ran.seconds == 90.0


def test_when_time_gets_short_those_that_are_verified_are_timed_before_others_are_judged(backend: str):
    ideas = [Idea(name=f"n{number}", judging=4.0, speeds=(1 + number / 10,)) for number in range(40)]
    ran = Play(seconds=100.0).run(backend, Script("one", ideas))
    (first, names), *others = ran.house.races
    assert 60 < first < 70
    assert len(names) > 25
    assert others, "and then it goes on"
    assert ran.winner == max(ran.tried.values(), key=lambda one: one.speedup).candidate.name


def test_time_that_passes_during_a_race_ends_all_but_the_race(backend: str):
    ran = Play(seconds=20.0, takes=50.0).run(backend, Script("one", [FAST, Wait(5), FASTER]), Script("b", [HANGS]))
    assert ran.house.races == [(1.0, ("fast",))]
    assert ran.winner == "fast"
    assert ran.seconds == 51.0


def test_a_candidate_is_timed_as_long_as_was_said_or_as_long_as_there_is(backend: str):
    assert Play().run(backend, Script("one", [FAST])).house.race_seconds == [3.0]
    assert Play(timing=10.0).run(backend, Script("one", [FAST])).house.race_seconds == [10.0]
    assert Play(timing=0.1).run(backend, Script("one", [FAST])).house.race_seconds == [0.1]
    (short,) = Play(seconds=10.0, timing=60.0).run(backend, Script("one", [FAST])).house.race_seconds
    assert 1.0 < short < 10.0


def test_a_race_of_dear_laps_ends_when_the_time_is_over(backend: str):
    (longest,) = Play(seconds=100.0).run(backend, Script("one", [FAST])).house.longest_races
    assert 95.0 < longest <= 100.0, "all that is left"
    (longest,) = Play(seconds=2.0, timing=10.0).run(backend, Script("one", [FAST])).house.longest_races
    assert 1.0 <= longest <= 2.0, "which is little, but enough for one"


def test_no_time_at_all_is_an_end(backend: str):
    ran = Play(seconds=0.0).run(backend, Script("one", [FAST]))
    assert ran.tried == {}
    assert ran.winner is None


# -- going on ---------------------------------------------------------------------------------------------------------


@pytest.mark.promise("E5")
def test_what_was_found_before_counts_whether_or_not_it_is_proposed_again(backend: str):
    ideas = [Idea(name="slow"), FAST, Idea(name="again", text="fast"), FASTER]
    before = Play().run(backend, Script("one", ideas[:3], [ideas[3]]))
    assert before.tried["again"].judged.verdict is Verdict.DUPLICATE
    proposes, silent = Script("one", ideas[:2], ideas[2:]), Script("one", [], ideas)
    for source in (proposes, silent):
        after = Play(after=before).run(backend, source)
        assert after.house.judged.total() == 0
        assert after.proposed == []
        assert set(after.tried) == {"slow", "fast", "again", "faster"}
        assert after.raced == [("faster",)], "the best has to show it again"
        assert after.winner == "faster"
        assert [one.name for one in source.briefs[0].earlier] == ["slow", "fast", "again", "faster"]
        assert source.briefs[0].tried == ()
        assert all(brief.earlier == () for brief in source.briefs[1:])


@pytest.mark.promise("E8")
def test_when_the_best_of_before_does_not_show_it_again_the_next_gets_its_turn(backend: str):
    before = Play().run(backend, Script("one", [SAME, FAST, FASTER]))
    other = Idea(name="faster", speeds=(1.0,))
    after = Play(after=before).run(backend, Script("one", [SAME, FAST, other]))
    assert after.raced == [("faster",), ("fast",)]
    assert after.winner == "fast"


@pytest.mark.promise("E5")
def test_one_that_was_not_judged_yet_is_judged_though_another_was_called_its_duplicate(backend: str):
    """In the second try the duplicate comes first."""
    first = Idea(name="first", text="x", judging=50.0, speeds=(2.0,))
    second = Idea(name="second", text="x", judging=50.0, speeds=(2.0,))
    before = Play(cancelled_at=30.0).run(backend, Script("a", [first]), Script("b", [Wait(1), second]))
    assert before.found is None
    after = Play(after=before).run(backend, Script("b", [second]), Script("a", [Wait(9), first]))
    assert after.tried["second"].judged.duplicate_of == after.tried["first"].candidate.id
    assert after.winner == "first"


@pytest.mark.parametrize("events", range(1, 26))
def test_cut_short_at_any_moment_it_comes_to_the_same_end(backend: str, events: int):
    def sources() -> list[Script]:
        repair = Idea(name="repair", speeds=(2.5,), descent=Descent.REPAIR, text="wrong, mended")
        return [
            Script("a", [FAST, WRONG, Idea(name="copy", text="fast")], [repair]),
            Script("b", [Wait(3), SAME, Wait(3), FASTER]),
        ]

    whole = Play().run(backend, *sources())
    assert whole.winner == "faster"
    before = Play(events=events).run(backend, *sources())
    after = Play(after=before).run(backend, *sources())
    assert after.winner == "faster"
    assert set(after.tried) == set(whole.tried)
    judged = {one.candidate.id for one in before.found.tried} if before.found is not None else set()
    judged |= {one[0].id for one in before.left()[0] if one[1] is not None}
    assert judged.isdisjoint(event.candidate for event in after.journal.of(JudgingBegan))
    assert sorted([*before.proposed, *after.proposed]) == sorted(whole.tried)


def test_an_idea_that_came_to_nothing_is_no_reason_to_wait(backend: str):
    nothing = Proposal(name="nothing", change=None, problem="no answer")
    source = Script("one", [nothing], [FAST])
    ran = Play().run(backend, source)
    assert ran.tried["nothing"].judged.reason == "no answer"
    assert ran.winner == "fast"
    assert races_of(ran) == [{"fast"}]
