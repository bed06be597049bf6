"""What a model is shown of candidates."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bakeoff.events import Decision, Descent, Profile, ProfiledFunction, ProfiledLine, Verdict
from bakeoff.models.model import estimated_tokens
from bakeoff.sources.models import reviews
from sources.models.trials import DIFFERENT, FAILED, TEXT, brief, tried, wrong

LINES = (
    ProfiledLine(number=2, hits=1_000, share=0.97, text="    return text.lower()"),
    ProfiledLine(number=3, hits=1, share=0.001, text="    pass"),
)
PROFILE = Profile(functions=(ProfiledFunction(name="slugify", path="pkg/text.py", seconds=1.0, lines=LINES),))


@pytest.mark.promise("E9")
def test_why_one_failed_begins_with_the_reason_then_the_smallest_input_then_the_tests():
    larger = DIFFERENT.__class__(
        **{name: getattr(DIFFERENT, name) for name in DIFFERENT.__slots__} | {"call": "slugify('ß' * 100)"}
    )
    one = tried("a", Verdict.WRONG, reason="it differs", differences=(larger, DIFFERENT), failures=(FAILED,))
    text = reviews.problem(one, 2_000)
    places = [
        text.index(part)
        for part in ("it differs", "slugify('ß')", "slugify('ß' * 100)", "tests/test_text.py::test_it", "assert 1 == 2")
    ]
    assert places == sorted(places)
    assert "It is wrong:" in text
    assert "as it is:      returns 'ß'" in text
    assert "the candidate: returns 'ss'" in text


def test_where_both_answer_the_same_what_differs_is_named():
    same = {"where": "arguments[0]", "baseline": "returns None", "candidate": "returns None"}
    different = DIFFERENT.__class__(**{name: getattr(DIFFERENT, name) for name in DIFFERENT.__slots__} | same)
    assert "arguments[0]: 'ss' instead of 'ß'" in reviews.problem(wrong("a", differences=(different,)), 1_000)


def test_a_candidate_is_shown_as_a_diff_and_an_answer_that_was_not_read_as_it_is():
    assert "-def slugify(text):" in reviews.candidate(brief(), wrong("a", text="X = 1\n"), 1_000)
    unread = tried("a", Verdict.INVALID, reason="no", log="```python\nx\n```")
    assert reviews.candidate(brief(), unread, 1_000) == "This was the answer:\n\n````\n```python\nx\n```\n````"


def test_those_that_stand_are_shown_with_speed_diff_and_profile():
    told = brief(profiles={"b": PROFILE})
    known = [tried("a", speedup=2.0, text="A = 1\n" + TEXT), tried("b", speedup=1.5, text="B = 1\n" + TEXT)]
    text = reviews.candidates(told, known, 2_000)
    parts = ("### `a`: 2.00 times as fast (1.90 to 2.10), faster", "+A = 1", "### `b`: 1.50 times", "+B = 1", "97%")
    assert [text.index(part) for part in parts] == sorted(text.index(part) for part in parts)
    assert "1,000 times" in text
    assert "pass" not in text


def test_a_lineage_is_told_from_the_root_with_all_verdicts():
    line = [
        wrong("a", text="A = 1\n" + TEXT),
        tried("b", parents=("a",), descent=Descent.REPAIR, text="B = 1\n" + TEXT),
        tried("c", speedup=1.01, decision=Decision.NO_DIFFERENCE, descent=Descent.REFINEMENT, text="C = 1\n" + TEXT),
    ]
    text = reviews.lineage(brief(), line, 2_000)
    parts = (
        "### 1. `a`: wrong\n",
        "slugify('ß'): the baseline",
        "### 2. `b`: right, and not timed (repair)",
        "### 3. `c`: 1.01 times as fast (0.96 to 1.06), no measurable difference to the code as it is (refinement)",
        "+C = 1",
    )
    assert [text.index(part) for part in parts] == sorted(text.index(part) for part in parts)


def test_where_there_is_little_room_headings_stay_and_the_leaf_comes_first():
    line = [tried(name, speedup=2.0, text=f"{name} = 1\n" * 200 + TEXT) for name in ("a", "b", "c")]
    text = reviews.lineage(brief(), line, 600)
    assert [f"### {n}. `{name}`" in text for n, name in enumerate("abc", start=1)] == [True] * 3
    assert text.count("+c = 1") > text.count("+a = 1")


def test_the_tries_before_a_repair_are_told_in_a_line_each():
    assert reviews.before([]) == ""
    assert reviews.before([wrong("a", reason="one\n# two")]).splitlines()[-1] == "- `a`: `one # two`"


ANYTHING = st.text(alphabet=st.sampled_from("a`\n#~=<> \x1b\ud800é"), max_size=300)


@settings(max_examples=60)
@given(log=ANYTHING, reason=ANYTHING, count=st.integers(1, 4), tokens=st.integers(1, 800))
def test_none_of_it_is_longer_than_there_is_room_for(log: str, reason: str, count: int, tokens: int):
    told = brief(profiles={"x0": PROFILE})
    known = [
        tried(f"x{n}", Verdict.WRONG, log=log, reason=reason, failures=(FAILED,), text=f"# {n}\n{TEXT}" if n else None)
        for n in range(count)
    ]
    shown = (
        reviews.candidate(told, known[0], tokens),
        reviews.problem(known[0], tokens),
        reviews.candidates(told, known, tokens),
        reviews.lineage(told, known, tokens),
    )
    assert all(not text or estimated_tokens(text) <= tokens for text in shown)
    "".join(shown).encode()
