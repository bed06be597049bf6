from __future__ import annotations

import base64
import hashlib
import itertools
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bakeoff.events import Decision, Profile, Profiled, ProfiledFunction, ProfiledLine, Speedup, State, Verdict
from bakeoff.report.chart import Row, _Scale, chart
from bakeoff.report.lineage import Node, families
from bakeoff.report.pages import page, pages
from report.kitchen import (
    HOSTILE,
    JOINED,
    LARGE,
    LOCAL,
    SMALL,
    Kitchen,
    asked,
    ended_with,
    hostile,
    hostile_sampling,
    judged,
    opened,
    sampled,
    won,
)
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


def test_of_a_long_function_cold_lines_are_counted():
    shares = [0.0] * 10 + [0.6] + [0.0] * 2 + [0.39] + [0.001] * 10 + [0.0] * 2
    lines = [ProfiledLine(number=n, hits=1, share=share, text=f"line_{n}()") for n, share in enumerate(shares)]

    def shown(count: int) -> str:
        function = ProfiledFunction(name="f", path="m.py", seconds=1.0, lines=tuple(lines[:count]))
        kitchen = won().say(Profiled(candidate=None, profile=Profile(functions=(function,))))
        return page(kitchen.run, text=kitchen.text)

    def lines_in(text: str) -> set[int]:
        return {int(number) for number in re.findall(r"line_(\d+)\b", text)}

    assert lines_in(shown(26)) == set(range(8, 16))
    assert "… 8 lines<" in shown(26)
    assert "… 10 lines, 1% together" in shown(26)
    assert lines_in(shown(20)) == set(range(20)), "one that is not long is shown whole"


def test_a_profile_that_there_is_not_says_why():
    kitchen = opened().say(Profiled(profile=Profile(problem="there is no line_profiler", hint="install it")))
    assert "No line profile: there is no line_profiler (install it)." in outline(kitchen.end()).text


# ── Models ───────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_page_tells_what_models_were_asked_and_what_that_took():
    found = outline(asked())
    check_harmless(found)
    told = " ".join(found.text.split())
    for said in (
        "From models, a repair of gpt-5-mini-1: repaired",
        "From models, an adaptation of gpt-5-mini-3, gpt-5-mini-2, gpt-5-mini-1: adapted",
        f"{SMALL} (repair of gpt-5-mini-1): 6.4 s, 2,100 tokens in, 310 out, $0.0014.",
        f"{LARGE} (fresh): 2 attempts, 6.6 s, 2,100 tokens in, 310 out, $0.0109.",
        "You make Python code faster without changing what it does.",
        "`slugify('İstanbul', sep='')` returns 'i̇stanbul' instead of 'istanbul'. Repair it.",
        "The letters are joined once instead of being added one by one.",
        "With max_tokens 4096, temperature 0.8.",
        "Sure! Here is how to think about it",
        "It brought gpt-5-mini-3 too, where its conversation is.",
        f"{SMALL}: $0.25 in, $2.00 out, $0.025 in from the cache for a million tokens, "
        "as of 2026-01-01 (genai-prices 1)",
        f"{LOCAL}: not known",
        "42 s in calls, 1.5 s waiting for permits, 12 s backing off",
        "2 attempts: status 429, Too Many Requests",
        "openai: 2 times, to 1 call at once at the least, the longest pause 4.0 s",
        "answered, its end: length",
        "at least $0.0177",
        "cost not known",
    ):
        assert said in told, said
    assert "org-1234" not in told, "a page is for others, too: it does not repeat what providers say"


def test_a_page_without_calls_has_nothing_to_say_of_them():
    found = outline(won())
    assert "Calls of language models" not in found.text
    assert "What a model was asked" not in found.text


def test_a_conversation_stands_in_a_page_once():
    document = page(asked().run, text=asked().text)
    assert document.count("Refine these two.") == 1, "two candidates came from it"


def test_conversations_are_bounded():
    kitchen = opened()
    for number in range(40):
        kitchen.ask(f"c{number}", *["word " * 20_000] * 40).answer(f"c{number}", "x" * 500_000, 0.1)
        kitchen.propose(f"c{number}", source="models", calls=(f"c{number}",))
    document = page(kitchen.end().run, text=kitchen.text)
    assert len(document) < 2_000_000
    found = Outline(document)
    check_harmless(found)
    assert "And 21 more messages." in found.text
    assert "Cut here: 80,000 of 100,000 characters are left out." not in found.text, "blanks at its end do not count"
    assert re.search(r"Cut here: [\d,]+ of [\d,]+ characters are left out\.", found.text)


def test_thousands_of_attempts_are_counted_and_not_listed():
    kitchen = opened()
    for number in range(1000):
        kitchen.ask("c", "x", model=f"m:{number}", attempt=number + 1).fail("c", 500, "no", attempt=number + 1)
    found = outline(kitchen.end())
    check_harmless(found)
    assert "Each attempt (1,000)" in found.text
    assert "And 800 more." in found.text
    assert "950 of them are not listed" in found.text


def test_a_sampling_makes_a_page():
    found = outline(sampled())
    check_harmless(found)
    told = " ".join(found.text.split())
    for said in (
        "Sample 2.2 is valid, of 4 samples.",
        "Write a haiku about autumn",
        "Iteration 2 of subsample 1, after 1.1.",
        "mentions autumn: not met: it is about spring",
        "Red leaves on the river go home",
        "openai:gpt-5-mini (sample 2.2): 6.4 s, 40 tokens in, 20 out, $0.0005.",
    ):
        assert said in told, said
    assert "Candidates" not in told
    assert ["open" in one for one in found.all("details")[:4]] == [False, False, False, True], "the one that is chosen"
    check_harmless(outline(hostile_sampling()))


# ── Lineage ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def drawn(nodes: list[Node]) -> list:
    """The names, those below another one in a list after it."""
    found: list = []
    for node in nodes:
        found += [node.candidate.proposed.name, *([drawn(node.below)] if node.below else [])]
    return found


def descended(kitchen: Kitchen, **parents: str) -> Kitchen:
    """Candidates, each with its parents."""
    for name, known in parents.items():
        kitchen.propose(name, source="models", parents=tuple(f"id-{one}" for one in known.split()), calls=("c",))
    return kitchen


@pytest.mark.promise("E9")
def test_candidates_stand_below_what_they_were_made_from():
    nodes = families(asked().run)
    repaired = ["gpt-5-mini-2", ["gpt-5-mini-3", ["gpt-5-mini-4"], "gpt-5-mini-3b"]]
    assert drawn(nodes) == ["gpt-5-mini-1", repaired, "claude-1", "qwen3-1"]
    refined = nodes[0].below[0].below[0]
    assert [one.proposed.name for one in refined.others] == ["claude-1"]
    assert refined.below[0].others == (), "what an adaptation descends from stands above it"


def test_the_lineage_in_a_page():
    found = outline(asked())
    told = " ".join(found.text.split())
    assert (
        "Lineagefresh gpt-5-mini-1 wrong repair gpt-5-mini-2 verified 2.51× [2.40, 2.63] "
        "refinement gpt-5-mini-3 verified 3.40× [3.20, 3.60] with claude-1 "
        "adaptation gpt-5-mini-4 verified 4.21× [4.00, 4.40] refinement gpt-5-mini-3b duplicate with claude-1 "
        "fresh claude-1 verified 1.80× [1.70, 1.90] fresh qwen3-1 invalid The winner's change"
    ) in told
    assert [one.get("class") for one in found.all("li")].count("winning") == 4, "the winner and what it comes of"
    links = [one["href"] for one in found.all("a")]
    ids = {one["id"] for _, one in found.elements if "id" in one}
    assert {f"#{one}" for one in ids if re.fullmatch(r"r1-c\d+", one or "")} <= set(links)


def test_candidates_of_rules_have_a_lineage_only_where_they_have_a_family():
    assert "Lineage" not in outline(ended_with("a", speedups=[(Decision.FASTER, 2.0)])).text
    told = " ".join(outline(won()).text.split())
    assert "Lineagerules join-strings verified 2.51× [2.40, 2.63] agent translate wrong" in told
    assert "11 other candidates stand alone." in told


def test_who_is_no_candidate_or_comes_later_is_no_parent():
    kitchen = descended(opened(), a="a nobody b", b="nobody a", c="b c a a")
    assert drawn(families(kitchen.run)) == ["a", ["b", ["c"]]]


def test_generations_that_no_window_has_room_for_stand_beside_each_other():
    kitchen = descended(opened(), **{f"n{number}": f"n{number - 1}" for number in range(30)})
    kitchen.measure("n29", Decision.FASTER, 1.0, 2.0, 3.0).end(winner="n29")
    (node,) = families(kitchen.run)
    depth = 0
    while node.below:
        depth, (node, *rest) = depth + 1, node.below
    assert (depth, len(rest)) == (6, 23)
    assert [one.nearest.proposed.name for one in rest if one.nearest] == [f"n{number}" for number in range(6, 29)]
    found = outline(kitchen)
    check_harmless(found)
    assert "fresh n29 not judged from n28" in " ".join(found.text.split())


@pytest.mark.soak
def test_thousands_of_generations_are_drawn():
    kitchen = descended(opened(), **{f"n{number}": f"n{number - 1}" for number in range(1500)})
    check_harmless(outline(kitchen.end()))


_NUMBERS = st.integers(-1, 25)


@given(st.lists(st.lists(_NUMBERS, max_size=4), max_size=25))
def test_every_candidate_stands_in_one_place_below_a_parent_of_its_own(parents):
    kitchen = descended(
        opened(), **{f"n{at}": " ".join(f"n{one}" for one in found) for at, found in enumerate(parents)}
    )
    run, seen, waiting = kitchen.run, [], families(kitchen.run)
    while waiting:
        node = waiting.pop()
        seen.append(node.id)
        waiting += node.below
        known = [one for one in node.candidate.proposed.parents if one in run.candidates]
        earlier = [one for one in known if list(run.candidates).index(one) < list(run.candidates).index(node.id)]
        assert (node.above is None) is not bool(earlier)
        nearest = node.nearest or (node.above.candidate if node.above else None)
        assert nearest is None or nearest.proposed.candidate == earlier[0]
        above = {one.id for one in node.line[1:]}
        assert not above & {one.proposed.candidate for one in node.others}
        assert all(one.proposed.candidate in earlier for one in node.others)
    assert sorted(seen) == sorted(run.candidates)


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
    for kitchen in (hostile(text or " "), hostile_sampling(text or " ")):
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
