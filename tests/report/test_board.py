from __future__ import annotations

from datetime import timedelta

import msgspec
import pytest
from rich.cells import cell_len
from rich.console import Console

from bakeoff.events import JudgingBegan, Phase, PhaseBegan, Profile, Profiled, Recorded, State, Unknown, Warned
from bakeoff.report.board import Board
from report.kitchen import NOON, Kitchen, hostile, judged, opened, race, won


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


@pytest.mark.parametrize("kitchen", [won(), hostile(), hostile("y" * 5000), Kitchen(opened().log[0].event)])
@pytest.mark.parametrize("width", [40, 80, 200])
def test_the_board_has_a_line_for_each_thing_however_much_there_is(kitchen, width):
    for number in range(1, len(kitchen.log) + 1):
        found = printed(follow(kitchen, number), seconds=number, left=10, width=width)
        assert len(found) <= 11
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
    for line in said(hostile()):
        assert line.isprintable()
    assert any("[bold red]" in line for line in said(hostile()))


def test_an_end_that_is_an_error_is_told_elsewhere():
    assert said(opened().end(State.FAILED, error="e"))[-1] == "searching …"
    assert said(opened().say(Warned(message="w")))[-1] == "warning: w"
    assert said(opened().propose("a").verify("a", evidence=None))[-1] == "a: verified"
