from __future__ import annotations

import base64
import hashlib
import itertools
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bakeoff.events import Decision, Profile, Profiled, Speedup, State, Verdict
from bakeoff.report.chart import Row, _Scale, chart
from bakeoff.report.pages import page, pages
from report.kitchen import HOSTILE, JOINED, Kitchen, ended_with, hostile, judged, opened, won
from report.outline import Outline, check_harmless


def outline(kitchen: Kitchen) -> Outline:
    return Outline(page(kitchen.run, text=kitchen.text))


# ── What is there ────────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_page_tells_all_of_a_run():
    found = outline(won())
    check_harmless(found)
    for said in (
        "join-strings+list-membership is 3.10× as fast as the baseline (between 2.90× and 3.30×)",
        "12 tests that reach slugify, 230 recorded calls replayed, 500 generated inputs",
        "only 3 of 4 slots could be opened: [Errno 28] No space left on device",
        "differs on slugify('İstanbul', sep='')",
        'title = "\\u0130stanbul"  # one letter becomes two',
        "returns 'i\\u0307stanbul'",
        "tests/test_text.py::test_sharp_s",
        "passed before, failed now",
        "AssertionError: assert 'strasse' == 'straße'",
        "Suspicious: it opens test_text.py",
        "It means the same as join-strings.",
        "Timed in 24 processes, and confirmed in others than chose it.",
        "a copy of the baseline came out as 1.00× [1.00, 1.00]; others kept 0.3 cores busy",
        "AMD EPYC 7B13, 2 cores",
        "T2: namespaces, landlock, seccomp",
        "cgroup: Permission denied",
        "tests/test_clock.py::test_now",
        "4b1f7a2c9d0e",
        "elif letter.isalnum():",
        "41.2 ms with a profiler",
        "13.1 ms with a profiler",
        "from agent, made of".capitalize(),
    ):
        assert said in found.text or said in " ".join(found.text.split()), said


def test_a_page_needs_nothing_else():
    document = page(won().run, text=won().text)
    found = Outline(document)
    assert "://" not in document
    (policy,) = [one["content"] for one in found.all("meta") if one.get("http-equiv") == "Content-Security-Policy"]
    assert policy is not None
    assert policy.startswith("default-src 'none'; ")
    assert "unsafe" not in policy
    for tag in ("style", "script"):
        content = "".join(found.contents[tag])
        assert base64.b64encode(hashlib.sha256(content.encode()).digest()).decode() in policy
    assert not {"src", "style"} & {name for _, attributes in found.elements for name in attributes}


def test_headings_go_down_in_steps_and_tables_have_captions():
    kitchen = won()
    for document in (page(kitchen.run, text=kitchen.text), pages([kitchen.run, kitchen.run], text=kitchen.text)):
        found = Outline(document)
        levels = [int(tag[1]) for tag, _ in found.elements if re.fullmatch("h[1-6]", tag)]
        assert levels[0] == 1
        assert levels.count(1) == 1
        assert all(after <= before + 1 for before, after in itertools.pairwise(levels))
        assert len(found.all("table")) == len(found.all("caption"))
        assert all(
            svg.get("aria-label") or svg.get("aria-hidden") == "true" or svg["height"] == "20"
            for svg in found.all("svg")
        )


def test_several_runs_have_a_section_each():
    kitchen, other = won(), ended_with("a", speedups=[(Decision.NO_DIFFERENCE, 1.0)])
    texts = kitchen.texts | other.texts
    found = Outline(pages([kitchen.run, other.run], text=lambda kept: texts[kept.sha256]))
    check_harmless(found)
    assert [one["id"] for one in found.all("section")] == ["r1-run", "r2-run"]
    assert "2 targets" in found.text
    assert "No measurable difference: 1 verified candidate, the best at 1.00× [0.99, 1.01]." in found.text


@pytest.mark.parametrize(
    ("kitchen", "said"),
    [
        (opened().end(), "No candidate: the sources proposed nothing."),
        (judged().end(State.INTERRUPTED), "Interrupted: 13 of 13 candidates judged, 4 verified."),
        (opened(), "No end was recorded: 0 of 0 candidates judged."),
        (opened().end(State.FAILED, error="no space left"), "Failed: no space left."),
        (Kitchen(*[one.event for one in opened().log[:1]]), "No end was recorded"),
    ],
)
def test_every_ending_makes_a_page(kitchen, said):
    found = outline(kitchen)
    check_harmless(found)
    assert said in found.text


def test_a_profile_that_there_is_not_says_why():
    kitchen = opened().say(Profiled(profile=Profile(problem="there is no line_profiler", hint="install it")))
    assert "No line profile: there is no line_profiler (install it)." in outline(kitchen.end()).text


# ── What candidates wrote ────────────────────────────────────────────────────────────────────────────────────────────


def test_what_candidates_wrote_is_only_text():
    kitchen = hostile()
    document = page(kitchen.run, text=kitchen.text)
    document.encode()
    check_harmless(Outline(document))
    found = Outline(document)
    assert "<img src=x onerror=alert(1)>" in found.text
    assert "\\u202eevil\\u2066 zero\\u200bwidth \\udcff\\ud800 \\x00 \\u2028" in found.text
    titles = {attributes["title"] for tag, attributes in found.elements if tag == "span" and "title" in attributes}
    assert "U+202E RIGHT-TO-LEFT OVERRIDE" in titles


@settings(max_examples=25)
@given(st.text(st.characters(codec=None) | st.sampled_from("<>&\"'/\n\r\t\\@+- \x1b\u202e\udcff"), max_size=40))
def test_whatever_candidates_wrote_is_only_text(text):
    kitchen = hostile(text or " ")
    document = page(kitchen.run, text=kitchen.text)
    document.encode()
    check_harmless(Outline(document))


def test_a_huge_diff_is_cut_with_a_note():
    line = f"+{HOSTILE.replace(chr(0), '')}\n"
    diff = JOINED + line * (5_000_000 // len(line))
    kitchen = opened().propose("huge", diff).propose("wide", JOINED + "+" + "x" * 5_000_000).verify("huge")
    document = page(kitchen.end().run, text=kitchen.text)
    assert len(document) < 3_000_000
    found = Outline(document)
    check_harmless(found)
    assert re.search(r"Cut here: [\d,]+ of 5,0\d\d,\d\d\d characters are left out\.", found.text)


def test_many_candidates_share_the_room():
    kitchen = opened()
    for number in range(40):
        kitchen.propose(f"c{number}", JOINED + f"+    {'x' * 900}\n" * 150)
    document = page(kitchen.end().run, text=kitchen.text)
    assert len(document) < 4_000_000
    assert "Cut here: 136," in document
    check_harmless(Outline(document))


# ── The chart ────────────────────────────────────────────────────────────────────────────────────────────────────────


def places(document: str, tag: str, name: str) -> list[float]:
    return [
        float((found[name] or "").rstrip("%"))
        for found in Outline(document).all(tag)
        if found.get("class") == "estimate"
    ]


def test_the_chart_is_in_order_and_within_its_window():
    speedups = [Speedup(estimate=value, low=value * 0.9, high=value * 1.1) for value in (0.01, 0.5, 1.0, 1.1, 250.0)]
    drawn = chart([Row(name=str(one.estimate), speedup=one) for one in speedups])
    assert drawn is not None
    found = [float((circle["cx"] or "").rstrip("%")) for circle in Outline(drawn).all("circle")]
    assert found == sorted(found)
    assert all(0 < place < 100 for place in found)


@pytest.mark.parametrize("value", [0.0, -1.0, float("inf"), float("nan")])
def test_what_cannot_be_drawn_is_left_out(value):
    odd = Speedup(estimate=1.0, low=value, high=2.0)
    assert chart([Row(name="odd", speedup=odd)]) is None
    kitchen = opened().propose("odd").verify("odd").measure("odd", Decision.FASTER, value, 1.0, 2.0).end(winner="odd")
    check_harmless(outline(kitchen))


@given(st.floats(0.001, 1000), st.floats(1, 100))
def test_the_scale_has_its_one_and_numbers_apart(low, factor):
    scale = _Scale.of([Speedup(estimate=low, low=low, high=low * factor)])
    ticks = scale.ticks()
    assert 1 in ticks
    assert len(ticks) <= 10
    found = [scale.part(tick) for tick in ticks]
    assert all(after - before >= 0.1 for before, after in itertools.pairwise(found))


def test_a_candidate_that_timing_found_wrong_has_no_speedup():
    kitchen = opened().propose("a").verify("a").measure("a", Decision.FASTER, 2.0, 3.0, 4.0)
    kitchen.judge("a", Verdict.WRONG, "it gives another result when it is timed")
    found = outline(kitchen.end())
    assert "3.00×" not in found.text
    assert "nothing verified" in found.text.lower()
