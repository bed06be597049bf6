from __future__ import annotations

from datetime import timedelta

import msgspec
import pytest
from rich.cells import cell_len
from rich.console import Console

from bakeoff.events import JudgingBegan, Phase, PhaseBegan, Profile, Profiled, Recorded, State, Unknown, Warned
from bakeoff.report.board import Board
from report.kitchen import NOON, Kitchen, asked, hostile, hostile_sampling, judged, opened, race, sampled, won


def follow(kitchen: Kitchen, events: int | None = None) -> Board:
    board = Board()
    for recorded in kitchen.log[:events]:
        board.add(recorded)
    return board


def printed(board: Board, *, seconds: float, left: float | None = None, width: int = 80) -> list[str]:
    now = NOON + timedelta(seconds=seconds)
    console = Console(width=width, force_terminal=False, color_system=None)
    with console.capture() as capture:
        console.print(board.render(now, now + timedelta(seconds=left) if left is not None else None))
    return [line.rstrip() for line in capture.get().splitlines()]


def rows(board: Board, **when: float) -> dict[str, str]:
    """What stands beside each word of the board."""
    body = printed(board, **when)[2 if "left" in when else 1 :]
    return {line[:13].strip(): line[13:] for line in body}


def test_the_board_tells_what_a_run_is_at():
    kitchen = judged()
    kitchen.propose("late").propose("later").say(JudgingBegan(candidate="id-late"), JudgingBegan(candidate="id-later"))
    found = rows(follow(kitchen), seconds=len(kitchen.log) + 0.5, left=60.0)
    assert found == {
        "phase": "searching",
        "baseline": "41 tests, 12 reach slugify, 230 calls recorded of 1,834",
        "slots 2/3": "late 2.5 s · later 1.5 s",
        "sources": "11 from rules · 4 from agent",
        "candidates": "15 proposed · 4 verified",
        "rejected": "2 wrong · 1 crashed · 1 timed-out · 5 duplicates",
        "best so far": "–",
    }


def test_the_board_tells_of_a_race_and_the_best_so_far():
    kitchen = won()
    started = next(one for one in kitchen.log if type(one.event).__name__ == "RaceBegan")
    board = follow(kitchen, started.sequence + 1)
    found = rows(board, seconds=started.sequence + 3.0)
    assert found["phase"] == "timing"
    assert found["race"].startswith("0:04 of about 0:12  join-strings, hoist-attributes")
    assert found["best so far"] == "join-strings 2.51× [2.40, 2.63]"
    assert found["candidates"] == "13 proposed · 4 verified · 1 timed"
    board = follow(kitchen)
    assert "race" not in rows(board, seconds=60)
    assert rows(board, seconds=60)["warning"].startswith("only 3 of 4 slots")


def test_the_board_tells_of_calls_under_way_and_of_what_they_took():
    kitchen = asked()
    began = next(one for one in kitchen.log if getattr(one.event, "call", "") == "call-2")
    found = rows(follow(kitchen, began.sequence), seconds=began.sequence + 8.0)
    assert found["models"] == "2 calls · 2 under way for up to 10 s"
    assert found["spent"] == "$0 · 0 tokens in, 0 out"
    failed = next(one for one in kitchen.log if getattr(one.event, "status", None) == 529)
    found = rows(follow(kitchen, failed.sequence), seconds=failed.sequence)
    assert found["models"] == "2 calls · 1 attempt failed"
    assert found["spent"] == "$0.00114 · 2,100 tokens in, 310 out"
    found = rows(follow(kitchen), seconds=len(kitchen.log))
    assert found["models"] == "10 calls · 5 attempts failed"
    assert found["spent"] == "at least $0.0177 · about 14,700 tokens in, 1,872 out"
    assert "sources" not in found, "there is one"


def test_the_board_tells_of_providers_that_are_asked_less_for_a_while():
    kitchen = asked()
    limited = next(one for one in kitchen.log if type(one.event).__name__ == "ProviderLimited")
    board, at = follow(kitchen, limited.sequence), limited.sequence - 1
    assert rows(board, seconds=at + 5)["limited"] == "anthropic at most 2 at once, pausing 0:07"
    assert rows(board, seconds=at + 13)["limited"] == "anthropic at most 2 at once"
    assert "limited" not in rows(board, seconds=at + 80)


def test_a_cost_that_nobody_knows_is_said_to_be_so():
    kitchen = opened().ask("c", "x", model="ollama:m").answer("c", "y", None)
    assert rows(follow(kitchen), seconds=9)["spent"] == "cost not known · 2,100 tokens in, 310 out"


def test_the_board_of_a_sampling_tells_of_samples():
    kitchen = sampled()
    found = rows(follow(kitchen), seconds=len(kitchen.log))
    assert found["phase"] == "sampling"
    assert found["samples"] == "4 samples · 4 ended · 1 valid"
    assert not {"candidates", "best so far"} & set(found)


def test_time_that_passed_and_time_that_is_left():
    head, bar, *_ = printed(follow(opened()), seconds=75, left=3700)
    assert head.startswith("optimize shop/text.py::slugify")
    assert head.endswith("1:15  1:01:40 left")
    assert set(bar) <= {"━", "╸", "╺", " "}
    assert printed(follow(opened()), seconds=75, left=-10)[0].endswith("0:00 left")


def test_a_run_that_goes_on_counts_from_when_it_was_resumed():
    kitchen = judged().end(State.INTERRUPTED).say(opened().log[0].event, after=1000)
    passed = (kitchen.log[-1].time - NOON).total_seconds()
    assert printed(follow(kitchen), seconds=passed + 7)[0].endswith("0:07")


@pytest.mark.parametrize(
    "kitchen", [won(), asked(), hostile(), hostile("y" * 5000), hostile_sampling(), Kitchen(opened().log[0].event)]
)
@pytest.mark.parametrize("width", [40, 80, 200])
def test_the_board_has_a_line_for_each_thing_however_much_there_is(kitchen, width):
    for number in range(1, len(kitchen.log) + 1):
        found = printed(follow(kitchen, number), seconds=number, left=10, width=width)
        assert len(found) <= 14
        assert max(map(cell_len, found)) <= width
        assert not {"\x1b", "\u202e", "\udcff"} & set("".join(found))


def test_the_next_run_has_the_board_to_itself():
    board = follow(won())
    for recorded in opened().log:
        board.add(msgspec.structs.replace(recorded, run="next", time=recorded.time + timedelta(hours=1)))
    assert board.run is not None
    assert board.run.id == "next"
    assert rows(board, seconds=3610)["candidates"] == "0 proposed"
    assert printed(board, seconds=3610)[0].endswith("0:10")


def test_a_board_without_events_is_empty():
    assert printed(Board(), seconds=1) == [""]


def test_rich_asks_the_clock_that_was_handed_over():
    kitchen = opened()
    board = Board(clock=lambda: NOON + timedelta(seconds=90))
    for recorded in kitchen.log:
        board.add(recorded)
    search = kitchen.log[-1].time
    began = PhaseBegan(phase=Phase.SEARCHING, seconds=100.0)
    board.add(Recorded(run=kitchen.log[-1].run, sequence=99, time=search, event=began))
    left = round(100 - (NOON + timedelta(seconds=90) - search).total_seconds())
    console = Console(width=80, color_system=None)
    with console.capture() as capture:
        console.print(board)
    assert f"1:30  0:{left} left" in capture.get()


# ── Plain lines ──────────────────────────────────────────────────────────────────────────────────────────────────────


def said(kitchen: Kitchen) -> list[str]:
    board = Board()
    found = []
    for recorded in kitchen.log:
        board.add(recorded)
        line = board.line(recorded)
        if line is not None:
            assert "\n" not in line
            found.append(line)
    return found


def test_a_line_for_each_event_that_is_worth_one():
    tried = "verified (12 tests that reach slugify, 230 recorded calls replayed, 500 generated inputs)"
    assert said(won()) == [
        "optimize shop/text.py::slugify (run 01KDVQ4M6XJ2ZC8R)",
        "slots: 3 of 4, overlay",
        "sandbox: T2, without cgroup",
        "learning how the baseline behaves …",
        "learned: 41 tests, 12 reach slugify, 230 calls recorded of 1,834",
        "searching …",
        f"join-strings: {tried}",
        f"hoist-attributes: {tried}",
        f"list-membership: {tried}",
        f"join-strings+list-membership: {tried}",
        "translate: wrong: slugify('İstanbul', sep=''): the baseline returns 'istanbul', "
        "the candidate returns 'i̇stanbul'",
        "casefold: wrong: tests/test_text.py::test_sharp_s fails",
        "regex: crashed: its module cannot be loaded: NameError: name 're' is not defined",
        "forever: timed-out: while the tests ran: it took longer than 10 s",
        *(f"join-strings@{number}: duplicate of join-strings" for number in range(1, 6)),
        "timing: join-strings, hoist-attributes, list-membership, join-strings+list-membership, for about 12 s",
        "join-strings: 2.51× [2.40, 2.63]",
        "hoist-attributes: 1.00× [0.99, 1.01]  no difference",
        "list-membership: 0.88× [0.85, 0.91]  slower",
        "join-strings+list-membership: 3.10× [2.90, 3.30]",
        "timed: by the CPU clock in 48 processes, 12 s; a copy of the baseline came out as 1.00× [1.00, 1.00]; "
        "others kept 0.3 cores busy; 97% of the recorded calls' time was timed",
        "profiling …",
        "warning: only 3 of 4 slots could be opened: [Errno 28] No space left on device",
        "join-strings+list-membership is 3.10× as fast as the baseline [2.90, 3.30]",
    ]


def test_one_of_several_targets_that_fails_is_told_before_the_next():
    board = Board()
    failed = opened().end(State.FAILED, error="none of the 41 tests calls it")
    told = []
    for recorded in [*failed.log, *(msgspec.structs.replace(one, run="01NEXT") for one in opened().log)]:
        board.add(recorded)
        told.append(board.line(recorded))
    assert told[len(failed.log)] == (
        "failed: none of the 41 tests calls it\noptimize shop/text.py::slugify (run 01NEXT)"
    )
    assert sum("failed" in (line or "") for line in told) == 1


def test_calls_and_what_came_of_them_have_lines():
    found = said(asked())
    for line in (
        "openai:gpt-5-mini (fresh): answered, 6.4 s, 2,100 tokens in, 310 out, $0.00114; 1 under way, $0.00114 so far",
        "anthropic:claude-sonnet-4-5 (fresh): failed, status 529, Overloaded; 0 under way, $0.00114 so far",
        "anthropic: at most 2 calls at once, after a pause of 12 s",
        "ollama:qwen3:8b (fresh): answered, 6.4 s, about 2,100 tokens in, 310 out, cost not known; 0 under way, "
        "at least $0.0121 so far",
        "gpt-5-mini-1: fresh, from models",
        "gpt-5-mini-2: repair of gpt-5-mini-1, from models",
        "gpt-5-mini-3: refinement of gpt-5-mini-2 and 1 other, from models",
        "gpt-5-mini-4: adaptation of gpt-5-mini-3, from models",
        "openai:gpt-5-mini: cancelled, 3.0 s, about 2,100 tokens in, 12 out, $0.000549; 0 under way, "
        "at least $0.0177 so far",
    ):
        assert line in found
    assert "org-1234" not in " ".join(found), "the words of providers are not for us"


def test_samples_have_lines():
    assert [line for line in said(sampled()) if line.startswith("sample ")] == [
        "sample (run 01KDVQ4M6XJ2ZC8R)",
        "sample 2.1: not valid: mentions autumn: not met: it is about spring",
        "sample 1.1: not valid: code runs: broke: ZeroDivisionError: division",
        "sample 2.2: valid",
        "sample 1.2: cancelled",
        "sample 2.2 is valid, of 4 samples",
    ]


def test_noise_and_a_missing_profile_have_a_line():
    kitchen = race(opened(), noisy=True)
    kitchen.say(
        Profiled(profile=Profile(problem="no line_profiler", hint="install it")), Unknown(name="n.1", body=b"{}")
    )
    assert said(kitchen)[-2:] == [
        "timed: by the CPU clock in 48 processes, 12 s; too noisy to decide: a copy of the baseline came out as "
        "1.06× [1.03, 1.09]; others kept 0.3 cores busy; 97% of the recorded calls' time was timed",
        "no line profile: no line_profiler (install it)",
    ]


def test_lines_of_hostile_candidates_are_plain():
    for line in (*said(hostile()), *said(hostile_sampling())):
        assert line.isprintable()
    assert any("[bold red]" in line for line in said(hostile()))


def test_an_end_that_is_an_error_is_told_elsewhere():
    assert said(opened().end(State.FAILED, error="e"))[-1] == "searching …"
    assert said(opened().say(Warned(message="w")))[-1] == "warning: w"
    assert said(opened().propose("a").verify("a", evidence=None))[-1] == "a: verified"
