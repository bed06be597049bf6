"""The page of a matrix, taken apart; what it looks like is in `test_page_in_a_browser`."""

from __future__ import annotations

import itertools
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bakeoff.events import Better
from bakeoff.report.matrix.charts import Ruler, quantile
from bakeoff.report.pages import page
from report.experiments import (
    LARGE,
    LOCAL,
    SMALL,
    Experiment,
    distances,
    errors,
    hostile,
    pilot,
    rescored,
    stopped,
    tasks,
)
from report.kitchen import HOSTILE
from report.outline import Outline, check_harmless


def outline(made: Experiment) -> Outline:
    found = Outline(page(made.run, text=made.text))
    check_harmless(found)
    return found


def told(found: Outline) -> str:
    return " ".join(found.text.split())


@pytest.mark.promise("M10")
def test_a_page_tells_all_of_a_matrix():
    found = outline(pilot())
    for said in (
        f"{LARGE} · best-of-4 has the highest exact: 0.",
        "Its lead over the next, ",
        "By model and strategy",
        "With intervals",
        "Cost against quality",
        "Latency by provider",
        "Failures by kind",
        "openai answers 429: Rate limit reached for requests",
        "What failures do to the averages",
        "By task",
        "Calls of language models",
        f"axis model{SMALL}, {LARGE}, {LOCAL}",
    ):
        assert said in told(found), said
    drawn = {one["aria-label"] for one in found.all("svg") if one.get("role") == "img"}
    assert sum(label.startswith(("openai: median", "anthropic: median", "ollama: median")) for label in drawn) == 3
    assert any(re.fullmatch(rf"1\. {LARGE} · best-of-4: 0\.\d\d \[0\.\d\d, \S+\]", label) for label in drawn)
    assert "5 points by cost and quality, as in the table below" in drawn


def test_headings_go_down_in_steps_and_tables_have_captions():
    found = outline(pilot())
    levels = [int(tag[1]) for tag, _ in found.elements if re.fullmatch("h[1-6]", tag)]
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in itertools.pairwise(levels))
    assert len(found.all("table")) == len(found.all("caption"))


@pytest.mark.promise("M4")
def test_what_failures_do_is_told_beside_what_survived():
    made = Experiment({"model": ("bold", "shy"), "task": tasks(4)})
    for number, task in enumerate(tasks(4)):
        made.done("bold", task, "0", exact=float(number < 3))
        made.done("shy", task, "0", exact=1.0) if number < 2 else made.failed("shy", task, "0", kind="refused")
    found = told(outline(made.end()))
    assert "bold has the highest exact: 0.75" in found, "by all that were run, not by those that survived"
    assert "shy1.00 [0.34, 1.00]0.50 [0.15, 0.85]420" in found
    assert "which may be chance" in found


def test_a_lead_is_called_more_than_chance_only_where_its_interval_says_so():
    made = Experiment({"model": ("a", "b"), "task": tasks(30)})
    for place in made.cells:
        made.done(*place, exact=float(place[0] == "a"))
    assert "a has the highest exact: 1.00 [0.89, 1.00]. Its lead over the next, b, is +1.00" in told(
        outline(made.end())
    )
    assert "over 30 tasks, which is more than chance makes likely." in told(outline(made))


def shades(made: Experiment, name: str) -> list[str]:
    """The colours of the cells in the table of that name, and what stands in them."""
    document = page(made.run, text=made.text)
    (table,) = re.findall(f'aria-label="{name}">(.*?)</table>', document, re.DOTALL)
    return [f"{shade} {said}" for shade, said in re.findall(r'<td class="(h\d)"><b>(.*?)</b>', table)]


def test_the_stronger_the_colour_the_better():
    made = Experiment({"model": ("quick", "slow", "broken"), "strategy": ("x", "y"), "task": tasks(2)})
    for place in made.cells:
        if place[0] == "broken":
            made.failed(*place)
        else:
            made.done(*place, exact=float(place[0] == "slow"), duration_ms=100.0 if place[0] == "quick" else 800.0)
    made.end()
    assert shades(made, "exact by axes") == ["h0 0.00"] * 2 + ["h6 1.00"] * 2
    assert shades(made, "duration_ms by axes") == ["h6 100 ms"] * 2 + ["h0 800 ms"] * 2
    assert shades(made, "failed by axes") == ["h6 0%"] * 4 + ["h0 100%"] * 2
    said = told(outline(made))
    assert "of what has a number. The stronger the colour, the nearer to 1." in said
    assert "of what has a number. The nearer to 0, the better, and the stronger the colour." in said
    assert "of what has a number. The lower, the better, and the stronger the colour." in said


def test_what_is_the_same_has_the_same_colour():
    made = Experiment({"model": ("a", "b", "c"), "strategy": ("x", "y"), "task": tasks(6)})
    for place in made.cells:
        if place != ("b", "x", "t01", "0"):  # the geometric means of five and of six differ in the last digit
            made.done(*place, exact=1.0)
    assert shades(made.end(), "duration_ms by axes") == ["h0 800 ms"] * 6


def test_where_nothing_is_scored_the_one_that_fails_least_stands_first():
    made = Experiment({"model": ("shaky", "steady"), "task": tasks(4)}, scorers=())
    for place in made.cells:
        made.failed(*place) if place[0] == "shaky" else made.done(*place)
    found = outline(made.end())
    names = [one["aria-label"] for one in found.all("svg") if one.get("aria-label", "")[1:2] == "."]
    assert [name.partition(":")[0] for name in names] == ["1. steady", "2. shaky"]
    assert "failed (the lower, the better): mean, Wilson's interval" in told(found)


def test_where_less_is_better_the_lowest_stands_first_and_leads():
    document = page(distances().run, text=distances().text)
    found = Outline(document)
    said = told(found)
    assert "near has the lowest distance: 1.25 [1.05, 1.45]. Its lead over the next, cheap, is +3 [" in said
    assert "over 6 tasks, which is more than chance makes likely." in said
    names = [one["aria-label"] for one in found.all("svg") if one.get("aria-label", "")[1:2] == "."]
    assert [name.partition(":")[0] for name in names] == ["1. near", "2. cheap", "3. bad"]
    assert "the lower, the betterdistance" in said
    assert "Up: distance (the lower, the better), of what has a number, with its interval. Filled: " in said
    assert "nothing is both cheaper and lower." in said
    best = [one for one in re.findall(r'<tr class="winner">(.*?)</tr>', document) if "$" in one]
    assert [re.search("<bdi>(.*?)</bdi>", one)[1] for one in best] == ["near", "cheap"]
    assert shades(distances(), "distance by axes") == ["h6 1.25", "h2 4.25", "h0 6.25"]
    assert "distance, the mean of the repeats. The lower, the better, and the stronger the colour." in said
    (first,) = re.findall(r'<th scope="row"><bdi>t01</bdi></th>(.*?)</tr>', document)
    assert re.findall(r'class="(h\d)"', first) == ["h6", "h3", "h0"], "and so it is for each task"


def test_a_lead_of_less_may_be_chance_too():
    assert "is +0.2 [" in told(outline(distances(best=3.8)))
    made = Experiment({"model": ("a", "b"), "task": tasks(3)}, scorers=("wrong",), better={"wrong": Better.LOWER})
    for place in made.cells:
        made.done(*place, wrong=float(place[:2] != ("a", "t01")))
    said = told(outline(made.end()))
    assert "a has the lowest wrong: 0.67" in said
    assert "which may be chance" in said


@pytest.mark.promise("M4")
def test_where_less_is_better_who_fails_most_does_not_come_out_on_top():
    found = told(outline(errors()))
    assert "bold has the lowest wrong: 0.25" in found, "by all that were run, where what failed counts as 1"
    assert "what failed or has no score counts as 1." in found
    assert "what failed or has no score counts as 1; they stand by it." in found


def test_those_that_are_level_are_not_told_apart():
    made = Experiment({"model": ("a", "b", "c"), "task": tasks(3)})
    for place in made.cells:
        made.done(*place, exact=float(place[0] != "c"))
    assert "a and 1 other have the highest exact: 1.00 [0.44, 1.00]." in told(outline(made.end()))


def test_those_with_tasks_of_their_own_cannot_be_compared():
    left_out = [{"model": "a", "task": "t01"}, {"model": "b", "task": "t02"}]
    made = Experiment({"model": ("a", "b"), "task": tasks(2)}, left_out=left_out)
    made.done("a", "t02", "0", exact=1.0).done("b", "t01", "0", exact=0.0)
    assert "The next, b, has no task in common with it." in told(outline(made.end()))


@pytest.mark.parametrize(
    ("made", "said"),
    [
        (stopped(), "Interrupted: pilot: 1 of 6 cells done, 1 failed, 4 missing: $1.00 of $1.00 is spent."),
        (rescored(), "b has the highest close: 1.00"),
        (pilot(count=2, ended=False), "No end was recorded: pilot: "),
        (Experiment({"task": ("t1",)}).end(), "Pilot: 0 of 1 cell done, 1 missing."),
        (Experiment({"task": ("t1",)}).done("t1", "0").end(), "Pilot: 1 of 1 cell done."),
        (
            Experiment({"model": ("a", "b"), "task": ("t1",)}).failed("a", "t1", "0").end(),
            "0 of 2 cells done, 1 failed",
        ),
    ],
)
def test_every_matrix_makes_a_page(made, said):
    assert said in told(outline(made))


def test_names_are_harmless():
    outline(hostile(HOSTILE))


def test_a_large_matrix_is_cut_and_says_so():
    made = Experiment({"model": tuple(f"m{number}" for number in range(60)), "task": tasks(120)})
    for place in made.cells:
        made.done(*place, exact=1.0)
    document = page(made.end().run, text=made.text)
    assert "And 40 more tasks." in document
    assert "20 others are not shown" in document
    assert len(document) < 1_500_000


# ── Scales ───────────────────────────────────────────────────────────────────────────────────────────────────────────


@settings(max_examples=60)
@given(st.lists(st.floats(1e-9, 1e9), min_size=1, max_size=20), st.booleans())
def test_values_lie_on_their_scale_with_round_numbers_apart(values, is_log):
    ruler = Ruler.of(values, is_log=is_log)
    parts = [ruler.part(value) for value in sorted(values)]
    assert parts == sorted(parts)
    assert all(0 <= part <= 1 for part in parts)
    ticks = ruler.ticks()
    assert len(ticks) <= 9
    assert all(0 <= ruler.part(tick) <= 1 for tick in ticks)
    assert all(ruler.part(after) > ruler.part(before) for before, after in itertools.pairwise(ticks))


@given(st.lists(st.floats(0, 1e6), min_size=1, max_size=30), st.floats(0, 1))
def test_quantiles_are_those_of_numpy(values, share):
    import numpy as np

    assert quantile(values, share) == pytest.approx(float(np.quantile(values, share)), rel=1e-9, abs=1e-9)
