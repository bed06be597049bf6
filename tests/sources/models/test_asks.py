"""What is asked next, given what came of what was asked before."""

from __future__ import annotations

from itertools import islice

import pytest

from bakeoff.candidates.tried import Tried
from bakeoff.events import Decision, Descent, Verdict
from bakeoff.sources.models.asks import Ask, History, fresh, has_lesson, later
from sources.models.trials import DIFFERENT, FAILED, tried, wrong

REPAIR, REFINEMENT, ADAPTATION = Descent.REPAIR, Descent.REFINEMENT, Descent.ADAPTATION


def asked(*known: Tried, rounds: int = 2) -> list[tuple[str, str, tuple[str, ...]]]:
    asks = later(History(known, "models"), repair_rounds=rounds)
    return [(ask.descent.value, ask.name, tuple(one.candidate.name for one in ask.about)) for ask in asks]


# -- repair ------------------------------------------------------------------------------------------------------------


@pytest.mark.promise("E9")
@pytest.mark.parametrize(
    ("verdict", "judged", "is_asked"),
    [
        (Verdict.WRONG, {"differences": (DIFFERENT,)}, True),
        (Verdict.WRONG, {"counterexample": "f(1)"}, True),
        (Verdict.WRONG, {"failures": (FAILED,)}, True),
        (Verdict.TIMED_OUT, {"differences": (DIFFERENT,)}, True),
        (Verdict.INVALID, {"reason": "line 1: invalid syntax"}, True),
        (Verdict.WRONG, {"reason": "it tampers with the comparison"}, False),
        (Verdict.CRASHED, {"reason": "the interpreter crashed"}, False),
        (Verdict.TIMED_OUT, {"reason": "it took too long"}, False),
        (Verdict.OVER_LIMIT, {"reason": "it used too much memory"}, False),
        (Verdict.INVALID, {}, False),
        (Verdict.DUPLICATE, {"reason": "another candidate means the same", "duplicate_of": "b"}, False),
        (Verdict.ERROR, {"reason": "a worker died", "failures": (FAILED,)}, False),
        (Verdict.VERIFIED, {"differences": (DIFFERENT,)}, False),
    ],
)
def test_one_that_failed_is_repaired_if_there_is_something_to_learn_from(
    verdict: Verdict, judged: dict, is_asked: bool
):
    one = tried("model-1", verdict, **judged)
    assert has_lesson(one) is is_asked
    assert asked(one) == ([("repair", "model-1-repair", ("model-1",))] if is_asked else [])


def test_what_has_no_answer_is_not_repaired():
    """There is nothing that a model could see of its own."""
    assert asked(tried("model-1", Verdict.INVALID, reason="the answer is empty", log="")) == []


def test_what_others_have_made_is_theirs_to_repair():
    assert asked(wrong("a", source="agent")) == []


@pytest.mark.promise("E9")
def test_repairs_follow_each_other_for_so_many_rounds_along_a_line():
    first = wrong("model-1")
    second = wrong("model-1-repair", parents=("model-1",), descent=REPAIR)
    third = wrong("model-1-repair-2", parents=("model-1-repair",), descent=REPAIR)
    assert asked(first, rounds=0) == []
    assert asked(first, second, rounds=1) == []
    assert asked(first, second) == [("repair", "model-1-repair-2", ("model-1", "model-1-repair"))]
    assert asked(first, second, third) == []
    assert asked(first, second, third, rounds=3)[0][1] == "model-1-repair-3"


def test_lines_are_counted_apart_and_what_is_repaired_is_not_asked_about_again():
    known = [wrong("model-1"), wrong("model-2"), wrong("model-1-repair", parents=("model-1",), descent=REPAIR)]
    assert [name for _, name, _ in asked(*known)] == ["model-2-repair", "model-1-repair-2"]
    fixed = tried("model-2-repair", speedup=None, parents=("model-2",), descent=REPAIR)
    assert [name for _, name, _ in asked(*known, fixed)] == ["model-1-repair-2"]


def test_a_repair_names_the_one_that_it_repairs_as_its_only_parent():
    known = [wrong("model-1"), wrong("model-1-repair", parents=("model-1",), descent=REPAIR)]
    (ask,) = later(History(known, "models"), repair_rounds=2)
    assert ask.parents == ("model-1-repair",)
    assert ask.purpose == "repair of model-1-repair"


def test_a_failed_refinement_begins_a_line_of_its_own():
    known = [
        tried("model-1", speedup=2.0),
        wrong("refined-1", parents=("model-1",), descent=REFINEMENT),
        wrong("refined-1-repair", parents=("refined-1",), descent=REPAIR),
    ]
    assert asked(*known) == [("repair", "refined-1-repair-2", ("refined-1", "refined-1-repair"))]


# -- refinement --------------------------------------------------------------------------------------------------------


@pytest.mark.promise("E9")
def test_the_best_that_stand_are_refined_in_one_request():
    known = [tried(f"model-{n}", speedup=speedup) for n, speedup in enumerate([1.5, 3.0, 2.0, 2.5], start=1)]
    assert asked(*known) == [("refinement", "refined-1", ("model-2", "model-4", "model-3"))]
    (ask,) = later(History(known, "models"), repair_rounds=2)
    assert ask.parents == ("model-2", "model-4", "model-3")
    assert ask.purpose == "refinement of model-2, model-4, model-3"


def test_what_is_slower_or_was_not_timed_is_not_refined():
    assert asked(tried("model-1", speedup=0.5), tried("model-2")) == []
    same = tried("model-3", speedup=1.01, decision=Decision.NO_DIFFERENCE)
    assert asked(same) == [("refinement", "refined-1", ("model-3",))]


def test_what_other_sources_found_is_refined_too():
    assert asked(tried("rule", speedup=4.0, source="rules")) == [("refinement", "refined-1", ("rule",))]


def test_there_is_another_refinement_when_something_better_was_found():
    known = [
        tried("model-1", speedup=2.0),
        tried("model-2", speedup=1.5),
        wrong("refined-1", parents=("model-1", "model-2"), descent=REFINEMENT, differences=(), counterexample=None),
    ]
    assert asked(*known) == []
    assert asked(*known, tried("model-3", speedup=1.8)) == []
    better = tried("model-3", speedup=2.2)
    assert asked(*known, better) == [("refinement", "refined-2", ("model-3", "model-1", "model-2"))]


# -- adaptation --------------------------------------------------------------------------------------------------------


ROOT = wrong("model-1")
FIXED = tried("model-1-repair", speedup=1.5, parents=("model-1",), descent=REPAIR)
OTHER = tried("model-2", speedup=2.0)
REFINED = tried("refined-1", speedup=3.0, parents=("model-2", "model-1-repair"), descent=REFINEMENT)


@pytest.mark.promise("E9")
def test_one_that_comes_from_a_refinement_is_adapted_with_its_whole_lineage():
    known = [REFINED, OTHER, ROOT, FIXED]  # in whatever order they were judged
    (ask,) = later(History(known, "models"), repair_rounds=2)
    names = [one.candidate.name for one in ask.about]
    assert ask.descent is ADAPTATION
    assert names == ["model-2", "model-1", "model-1-repair", "refined-1"]
    assert ask.parents == tuple(reversed(names))
    assert ask.purpose == "adaptation of refined-1"


def test_a_repaired_refinement_is_adapted():
    broken = wrong("refined-1", parents=("model-2",), descent=REFINEMENT)
    mended = tried("refined-1-repair", speedup=2.5, parents=("refined-1",), descent=REPAIR)
    assert asked(OTHER, broken, mended) == [("adaptation", "adapted-1", ("model-2", "refined-1", "refined-1-repair"))]


def test_adapting_goes_on_while_it_helps():
    known = [OTHER, REFINED]
    parents = ("refined-1", "model-2")
    better = tried("adapted-1", speedup=3.5, parents=parents, descent=ADAPTATION)
    worse = tried("adapted-1", speedup=2.9, parents=parents, descent=ADAPTATION)
    assert asked(*known, better) == [("adaptation", "adapted-2", ("model-2", "refined-1", "adapted-1"))]
    assert asked(*known, worse) == []


def test_several_leaves_are_adapted_at_once_the_best_first():
    leaves = [tried(f"refined-{n}", speedup=2.0 + n, parents=("model-2",), descent=REFINEMENT) for n in range(1, 4)]
    assert [(name, about[-1]) for _, name, about in asked(OTHER, *leaves)] == [
        ("adapted-1", "refined-3"),
        ("adapted-2", "refined-2"),
    ]


def test_lineages_end_even_if_somebody_says_that_they_do_not():
    one = tried("a", speedup=2.0, parents=("b", "a", "gone"), descent=REPAIR)
    other = tried("b", speedup=2.0, parents=("a",), descent=REPAIR)
    history = History([one, other], "models")
    assert {each.candidate.id for each in history.lineage(one)} == {"a", "b"}
    assert len(history.line(one)) == 2


# -- fresh ideas -------------------------------------------------------------------------------------------------------


def numbers(*names: str, most: int = 3) -> list[int]:
    return [ask.number for ask in islice(fresh(names), most)]


def test_fresh_ideas_take_the_numbers_that_nobody_has():
    assert numbers() == [1, 2, 3]
    assert numbers("openai-1", "anthropic-3b", "openai-3") == [2, 4, 5]
    assert Ask(descent=Descent.FRESH, number=2).purpose == "fresh idea 2"
