from __future__ import annotations

import re

import pytest
from rich.cells import cell_len
from rich.console import Console

from bakeoff.events import Decision, Evidence, Profile, Profiled, Speedup, State, Verdict
from bakeoff.report import words
from bakeoff.report.results import result_table, results_table
from bakeoff.report.standings import best, ranked
from report.kitchen import BEFORE, JOINED, Kitchen, asked, ended_with, hostile, judged, opened, race, won


def printed(kitchen: Kitchen, *, width: int = 10_000, colour: bool = False) -> str:
    console = Console(width=width, force_terminal=colour, color_system="standard" if colour else None, highlight=False)
    with console.capture() as capture:
        console.print(result_table(kitchen.run, text=kitchen.text))
    return capture.get()


def lines(kitchen: Kitchen) -> list[str]:
    """The plain lines, their columns a blank apart."""
    return [re.sub(" +", " ", line).strip() for line in printed(kitchen).splitlines()]


def test_a_run_with_a_winner():
    found = lines(won())
    assert found[:3] == [
        "target shop/text.py::slugify",
        "baseline 41 tests, 12 reach slugify, 230 calls recorded of 1,834",
        "1 flaky test is set aside: tests/test_clock.py::test_now",
    ]
    start = found.index("candidate source verdict speedup, or why not")
    assert found[start + 1 : start + 10] == [
        "join-strings+list-membership rules verified 3.10× [2.90, 3.30]",
        "join-strings rules verified 2.51× [2.40, 2.63]",
        "hoist-attributes rules verified 1.00× [0.99, 1.01] no difference",
        "list-membership rules verified 0.88× [0.85, 0.91] slower",
        "translate agent wrong differs on slugify('İstanbul', sep='')",
        "casefold agent wrong tests/test_text.py::test_sharp_s fails",
        "regex agent crashed its module cannot be loaded: NameError: name 're' is not defined",
        "forever agent timed-out while the tests ran: it took longer than 10 s",
        "5 candidates rules duplicate the same as others",
    ]
    for said in (
        "translate slugify('İstanbul', sep=''): the baseline returns 'istanbul', the candidate returns 'i̇stanbul'",
        "join-strings+list-membership is 3.10× as fast as the baseline [2.90, 3.30]",
        "12 tests that reach slugify, 230 recorded calls replayed, 500 generated inputs: no difference",
        "where the time goes before: slugify, 41.2 ms with a profiler",
        "25% 18 out += letter",
        "where the time goes after: slugify, 13.1 ms with a profiler",
        "45% 15 return sep.join(word for word in words if word)",
        "warning only 3 of 4 slots could be opened: [Errno 28] No space left on device",
    ):
        assert said in found
    assert "a copy of the baseline came out as 1.00× [1.00, 1.00]; others kept 0.3 cores busy" in printed(won())


def test_a_run_that_asked_models_tells_of_families_and_of_what_it_took():
    found = lines(asked())
    start = found.index("candidate source verdict speedup, or why not")
    assert found[start + 1 : start + 5] == [
        "gpt-5-mini-4 models verified 4.21× [4.00, 4.40]",
        "adaptation of gpt-5-mini-3",
        "gpt-5-mini-3 models verified 3.40× [3.20, 3.60]",
        "refinement of gpt-5-mini-2 and 1 other",
    ]
    told = [" ".join(part for part in line if part) for line in words.spent(asked().run)]
    assert len(told) == 7
    assert set(told) <= set(found)


def test_several_runs_stand_one_after_another():
    kitchen = opened().end()
    console = Console(width=80, color_system=None)
    with console.capture() as capture:
        console.print(results_table([kitchen.run, kitchen.run], text=kitchen.text))
    assert capture.get() == f"{printed(kitchen, width=80)}\n\n{printed(kitchen, width=80)}"


def test_the_diff_of_the_winner_is_whole():
    found = [line.rstrip() for line in printed(won()).splitlines()]
    start = found.index("diff --git a/shop/text.py b/shop/text.py")
    diff = JOINED.splitlines()
    assert found[start : start + len(diff)] == [line.rstrip() for line in diff]


@pytest.mark.parametrize(
    ("kitchen", "said"),
    [
        (opened().end(), "no candidate: the sources proposed nothing"),
        (
            opened().propose("a").judge("a", Verdict.WRONG, "no").propose("b").judge("b", Verdict.CRASHED).end(),
            "nothing verified: none of 2 candidates behaves like the baseline, as far as could be seen",
        ),
        (
            opened().propose("a").judge("a", Verdict.INVALID, "does not apply").end(),
            "nothing verified: the only candidate does not behave like the baseline, as far as could be seen",
        ),
        (
            ended_with("a", "b", speedups=[(Decision.NO_DIFFERENCE, 1.0), (Decision.SLOWER, 0.9)]),
            "no measurable difference: 2 verified candidates, the best at 1.00× [0.99, 1.01]",
        ),
        (
            ended_with("a", speedups=[(Decision.SLOWER, 0.9)]),
            "nothing faster: 1 verified candidate, the best at 0.90× [0.89, 0.91]",
        ),
        (
            ended_with("a", speedups=[(Decision.NO_DIFFERENCE, 1.2)], noisy=True),
            "no measurable difference: the machine is too noisy to tell 1 verified candidate from the baseline",
        ),
        (
            ended_with("a", speedups=[(Decision.FASTER, 1.02)]),
            "no winner: 1 verified candidate, the best at 1.02× [1.01, 1.03]",
        ),
        (
            ended_with("a", speedups=[(Decision.NO_DIFFERENCE, 1.04)]),
            "nothing faster by what --min-speedup asks for: 1 verified candidate, the best at 1.04× [1.03, 1.05]",
        ),
        (opened().propose("a").verify("a").end(), "nothing timed: 1 candidate verified"),
        (opened().end(State.FAILED, error="the disk is full"), "failed: the disk is full"),
        (
            judged().propose("late").end(State.INTERRUPTED),
            "interrupted: 13 of 14 candidates judged, 4 verified",
        ),
        (
            judged().measure("join-strings", Decision.FASTER, 2.4, 2.5, 2.6).end(State.INTERRUPTED),
            "interrupted: 13 of 13 candidates judged, 4 verified; the best so far is join-strings, 2.50× [2.40, 2.60]",
        ),
        (opened(), "no end was recorded: 0 of 0 candidates judged"),
    ],
)
def test_every_ending_has_its_words(kitchen, said):
    assert words.ending(kitchen.run) == said
    assert said in lines(kitchen)


def test_what_is_faster_by_less_than_was_asked_for_is_no_equal():
    found = ended_with("a", "b", speedups=[(Decision.NO_DIFFERENCE, 1.04), (Decision.NO_DIFFERENCE, 1.0)])
    assert "a rules verified 1.04× [1.03, 1.05] less than asked for" in lines(found)
    assert "b rules verified 1.00× [0.99, 1.01] no difference" in lines(found)


def test_what_there_was_no_time_to_tell_is_undecided():
    kitchen = opened().propose("a").verify("a")
    kitchen.measure("a", Decision.NO_DIFFERENCE, 2.0, 2.0, 2.0, is_undecided=True)
    found = race(kitchen).end()
    assert "a rules verified 2.00× [2.00, 2.00] undecided: the time was over" in lines(found)
    assert "could be told from the baseline, the best about 2.00×" in words.ending(found.run)


def test_who_has_no_candidates_is_told_of_other_sources():
    others = "other sources may know more: --model, --agent, --patch"
    assert others in lines(opened().end())
    assert others not in lines(opened(command="compare").end())
    assert others not in lines(won())


def test_who_changed_nothing_may_have_said_why():
    kitchen = opened()
    kitchen.propose("agent-1", "", source="agent", log=kitchen.keep("status 3\nno key")).judge(
        "agent-1", Verdict.INVALID
    )
    assert f"what agent-1 printed: bakeoff show {kitchen.run.id} agent-1" in lines(kitchen.end())
    assert not any("printed:" in line for line in lines(won()))


def test_where_it_is_slower_is_told_in_words():
    found = opened().propose("a").verify("a")
    shapes = ("tuple2[tuple1[list0],dict0]", "tuple2[tuple1[list2[Order]],dict0]", "tuple2[tuple1[str3],dict0]")
    found.measure("a", Decision.FASTER, 2.4, 2.5, 2.6, mixed=shapes).end(winner="a")
    assert "2.50× [2.40, 2.60] slower on inputs like empty list and 2 other kinds" in " ".join(lines(found))


def test_an_interrupted_run_tells_how_to_go_on():
    assert "go on: bakeoff optimize shop/text.py::slugify --budget 60s" in lines(judged().end(State.INTERRUPTED))
    assert not any(line.startswith("go on") for line in lines(won()))


@pytest.mark.parametrize("kitchen", [won(), asked(), judged().end(), opened().end(), hostile()])
def test_a_window_of_80_columns_is_enough(kitchen):
    found = printed(kitchen, width=80).splitlines()
    assert max(map(cell_len, found)) <= 80


def test_names_and_verdicts_are_whole_in_80_columns():
    found = printed(won(), width=80)
    for word in ("join-strings+list-membership", "verified", "timed-out", "duplicate", "3.10× [2.90, 3.30]"):
        assert word in found


def test_long_lines_of_a_diff_are_broken_and_not_cut():
    long = "+    " + " ".join(f"word{number}" for number in range(60))
    kitchen = opened().propose("a", f"{JOINED}{long}\n").verify("a").end(winner="a")
    found = printed(kitchen, width=80).splitlines()
    start = next(number for number, line in enumerate(found) if line.startswith("+    word0"))
    assert "".join(line.ljust(80) for line in found[start : start + 6]).rstrip().startswith(long)


def test_the_winner_comes_first_and_the_others_by_their_speedup():
    kitchen = opened()
    for name, estimate in (("slow", 1.5), ("fast", 3.0), ("confirmed", 2.5)):
        kitchen.propose(name).verify(name).measure(name, Decision.FASTER, estimate - 0.1, estimate, estimate + 0.1)
    assert [one.proposed.name for one in ranked(kitchen.run)] == ["fast", "confirmed", "slow"]
    kitchen.end(winner="confirmed")
    assert [one.proposed.name for one in ranked(kitchen.run)] == ["confirmed", "fast", "slow"]


def test_the_best_so_far_is_faster_for_certain():
    kitchen = opened().propose("lucky").verify("lucky").measure("lucky", Decision.NO_DIFFERENCE, 0.5, 9.0, 20.0)
    assert best(kitchen.run) is None
    kitchen.propose("sure").verify("sure").measure("sure", Decision.FASTER, 1.1, 1.2, 1.3)
    found = best(kitchen.run)
    assert found is not None
    assert found.proposed.name == "sure"


def test_lines_of_a_profile_are_cut_where_the_window_ends():
    found = [re.sub(" +", " ", line).strip() for line in printed(won(), width=60).splitlines()]
    assert any(line.startswith("2% 14 words = (") and line.endswith("…") for line in found)
    assert "45% 15 return sep.join(word for word in words if word)" in found


def test_the_winner_is_bold_and_green_and_the_diff_in_colour():
    found = printed(won(), width=80, colour=True)
    assert re.search(r"\x1b\[1;32mjoin-strings\+list-membership\x1b\[0m\s+rules", found)
    assert re.search(r"\x1b\[32m\+import re", found)
    assert re.search(r"\x1b\[31m-    return out", found)


def test_what_candidates_wrote_does_not_move_the_terminal():
    found = printed(hostile(), width=80)
    assert "\x1b" not in found
    assert not {"\u202e", "\u200b", "\x07", "\x00", "\udcff"} & set(found)
    assert "[bold red]" in printed(hostile())


def test_many_rejected_for_one_reason_are_one_line():
    kitchen = opened()
    for number in range(6):
        kitchen.propose(f"c{number}").judge(f"c{number}", Verdict.INVALID, "does not apply")
    kitchen.propose("other").judge("other", Verdict.INVALID, "is out of scope")
    found = lines(kitchen.end())
    assert "6 candidates rules invalid does not apply" in found
    assert "other rules invalid is out of scope" in found
    assert not any(line.startswith("c3") for line in found)


def test_more_candidates_than_anybody_reads_are_counted():
    kitchen = opened()
    for number in range(60):
        kitchen.propose(f"c{number}").verify(f"c{number}")
    assert "and 20 more: bakeoff show 01KDVQ4M6XJ2ZC8R" in lines(kitchen.end())


def test_why_there_is_no_profile():
    kitchen = won()
    kitchen.say(Profiled(profile=Profile(problem="there is no line_profiler", hint="pip install line-profiler")))
    assert "no line profile: there is no line_profiler (pip install line-profiler)" in lines(kitchen)
    kitchen.say(Profiled(profile=BEFORE), Profiled(candidate="id-join-strings+list-membership", profile=Profile()))
    assert "no line profile after: no line was reached" in lines(kitchen)


def test_the_suite_and_what_a_winner_keeps_are_told():
    found = Evidence(tests=41, recorded_calls=230, generated_inputs=1)
    kitchen = opened().propose("a").verify("a", evidence=found, keeps=("shop.text.CACHE",)).end(winner="a")
    told = lines(kitchen)
    assert "41 tests, 12 of which reach slugify, 230 recorded calls replayed, 1 generated input: no difference" in told
    assert "it keeps what it has found (shop.text.CACHE): it is faster on inputs that repeat" in told


@pytest.mark.parametrize(
    ("seconds", "said"), [(0.04, "0.0 s"), (9.9, "9.9 s"), (59.7, "1 min 0 s"), (125, "2 min 5 s"), (3780, "1 h 3 min")]
)
def test_durations(seconds, said):
    assert words.duration(seconds) == said


@pytest.mark.parametrize(
    ("value", "said"), [(0.004, "0.004×"), (0.5, "0.50×"), (3.1, "3.10×"), (31.04, "31.0×"), (12345.6, "12,346×")]
)
def test_factors_have_the_digits_that_mean_something(value, said):
    assert words.factor(value) == said


def test_an_interval_is_told_with_its_estimate():
    assert words.times(Speedup(estimate=3.1, low=2.9, high=3.3)) == "3.10× [2.90, 3.30]"


@pytest.mark.parametrize(
    ("seconds", "said"), [(1.2e-5, "12 µs"), (0.0031, "3.1 ms"), (2.4, "2.4 s"), (61, "1 min 1 s")]
)
def test_times_in_a_profile_have_digits_that_mean_something(seconds, said):
    assert words.profiled(seconds) == said
