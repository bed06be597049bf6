"""What is said of a sweep: while it goes on, and when it is done."""

from __future__ import annotations

import json

import msgspec
import pytest
from rich.console import Console

from bakeoff.events import (
    CandidateProposed,
    Decision,
    Evidence,
    JudgingBegan,
    MergeBegan,
    MergeChecked,
    MergeConflict,
    MergeDropped,
    MergeEnded,
    MergeStep,
    Phase,
    PhaseBegan,
    RaceBegan,
    RankedTarget,
    Run,
    RunStarted,
    Speedup,
    State,
    TargetBegan,
    TargetEnded,
    TargetsRanked,
    TestFailure,
    TestOutcome,
    Text,
    Verdict,
    Warned,
)
from bakeoff.report.board import Board
from bakeoff.report.documents import as_json
from bakeoff.report.sweeps import sweep_document, sweep_table
from report.kitchen import Kitchen, opened

NAMES = ("pkg/a.py::hot", "pkg/b.py::warm", "pkg/c.py::tepid", "pkg/d.py::cold", "pkg/e.py::late")
HOSTILE = "pkg/a.py::\x1b[31mred\u202e"


def speedup(estimate: float) -> Speedup:
    return Speedup(estimate=estimate, low=estimate * 0.9, high=estimate * 1.1)


def ranked(*names: str, script: str | None = None) -> Kitchen:
    kitchen = opened("sweep", "pkg")
    kitchen.say(
        PhaseBegan(phase=Phase.RANKING),
        TargetsRanked(
            targets=tuple(
                RankedTarget(target=name, subplan=f"s{at}", seconds=4.0 / (at + 1), share=0.4 / (at + 1))
                for at, name in enumerate(names)
            ),
            seconds=12.0,
            functions=31,
            tests=120,
            script=script,
            subplans=9,
        ),
        PhaseBegan(phase=Phase.SEARCHING, seconds=600.0),
    )
    return kitchen


def began(name: str) -> TargetBegan:
    return TargetBegan(target=name, subplan="s", seconds=30.0)


def won(name: str, times: float) -> TargetEnded:
    return TargetEnded(target=name, subplan="s", run=f"R{name}", candidate="c", name="faster", speedup=speedup(times))


def ended(
    names: tuple[str, ...] = NAMES, *, decision: Decision | None = Decision.FASTER, is_undecided: bool = False
) -> Kitchen:
    """Two winners, one of which fails with the other and one in conflict with it; one error, one that had no time."""
    hot, warm, tepid, cold, late = names
    kitchen = ranked(*names)
    conflict = MergeConflict(one=hot, other=tepid, paths=("pkg/a.py",))
    test = TestFailure(id="tests/test_all.py::test_zones", expected=TestOutcome.PASSED, actual=TestOutcome.FAILED)
    kitchen.say(
        *(began(name) for name in (hot, warm, tepid, cold)),
        won(hot, 3.0),
        won(warm, 2.0),
        won(tepid, 1.5),
        TargetEnded(target=cold, subplan="s", error="the baseline fails its own tests"),
        TargetEnded(target=late, subplan="s", skipped="the time was used up"),
        PhaseBegan(phase=Phase.MERGING),
        MergeBegan(targets=(hot, warm, tepid), conflicts=(conflict,)),
        MergeChecked(targets=(hot, warm), verdict=Verdict.WRONG, reason="test_zones fails", failures=(test,)),
        MergeChecked(targets=(hot,), verdict=Verdict.VERIFIED),
    )
    kitchen.propose("merged", source="sweep").verify("merged", evidence=Evidence(tests=120))
    kitchen.say(
        MergeEnded(
            candidate="id-merged",
            steps=(MergeStep(target=hot, run=f"R{hot}", patch=kitchen.keep("a patch")),),
            dropped=(
                MergeDropped(target=warm, reason="test_zones fails", failures=(test,)),
                MergeDropped(target=tepid, reason=f"it conflicts with {hot} in pkg/a.py", conflict=conflict),
            ),
            checks=2,
        )
    )
    if decision is not None:
        kitchen.measure("merged", decision, 1.3, 1.4, 1.5, is_undecided=is_undecided)
    return kitchen.end(winner="merged")


def printed(kitchen: Kitchen, width: int = 110) -> str:
    console = Console(width=width, force_terminal=False, color_system=None)
    with console.capture() as capture:
        console.print(sweep_table(kitchen.run))
    return capture.get()


def lines(kitchen: Kitchen) -> list[str]:
    board = Board()
    found = []
    for recorded in kitchen.log:
        board.add(recorded)
        line = board.line(recorded)
        found += [line] if line is not None else []
    return found


def test_each_target_has_a_line_with_what_became_of_it():
    said = printed(ended(), width=200)
    assert "120 tests, 12 s under a profiler, 31 functions worth a look" in said
    rows = {line.split()[1]: line for line in said.splitlines() if line.strip()[:1].isdigit() and "::" in line}
    assert rows.keys() == set(NAMES)
    assert "3.00× [2.70, 3.30] (faster)" in rows["pkg/a.py::hot"]
    assert "dropped: test_zones fails" in rows["pkg/b.py::warm"]
    assert "dropped: it conflicts with pkg/a.py::hot in pkg/a.py" in rows["pkg/c.py::tepid"]
    assert "the baseline fails its own tests" in rows["pkg/d.py::cold"]
    assert "not begun: the time was used up" in rows["pkg/e.py::late"]
    assert "with pkg/b.py::warm, tests/test_all.py::test_zones is failed" in said
    assert "4 targets of 5 tried, 3 winners, 1 of them together" in said


@pytest.mark.parametrize(
    ("decision", "said"),
    [
        (Decision.FASTER, "as fast as the baseline"),
        (Decision.NO_DIFFERENCE, "no measurable difference"),
        (Decision.SLOWER, "slower than the baseline"),
        (None, "the whole was not timed"),
    ],
)
def test_what_the_whole_gains_is_said_as_it_was_measured(decision: Decision | None, said: str):
    assert said in printed(ended(decision=decision), width=200)


def test_a_whole_that_there_was_no_time_for_is_undecided():
    said = printed(ended(decision=Decision.NO_DIFFERENCE, is_undecided=True), width=200)
    assert "undecided, the time was over; about 1.40× as fast" in said


def test_lines_tell_of_each_step_and_not_of_what_is_done_for_a_target():
    kitchen = ended()
    found = lines(kitchen)
    assert any(line.startswith("5 targets of 31 worth a look: pkg/a.py::hot 40%, pkg/b.py::warm 20%") for line in found)
    assert "pkg/a.py::hot: for up to 30 s" in found
    assert "together: 3 winners, 1 conflict" in found
    assert "full check of 2 winners: test_zones fails" in found
    assert "full check of 1 winner: passes" in found
    board = Board()
    for recorded in kitchen.log[:-1]:
        board.add(recorded)
    part = msgspec.structs.replace(kitchen.log[0], run="another", event=Warned(message="of a part"))
    board.add(part)
    assert board.line(part) is None
    assert board.run.id == kitchen.log[0].run


def test_the_board_has_a_row_for_each_target_that_is_being_improved():
    kitchen = ranked(*NAMES)
    kitchen.say(began(NAMES[0]), began(NAMES[1]), began(NAMES[2]), won(NAMES[2], 2.0))
    board = Board()
    for recorded in kitchen.log:
        board.add(recorded)
    other = opened("optimize", NAMES[0])
    other.propose("one").propose("two").verify("one").say(JudgingBegan(candidate="id-two"))
    other.say(RaceBegan(candidates=("id-one",), seconds=3.0))
    for recorded in other.log:
        event = recorded.event
        if isinstance(event, RunStarted):
            event = msgspec.structs.replace(event, part_of=kitchen.log[0].run)
        board.add(msgspec.structs.replace(recorded, run="another", event=event))
    console = Console(width=110, force_terminal=False, color_system=None)
    with console.capture() as capture:
        console.print(board.render(kitchen.log[-1].time))
    said = capture.get()
    assert "1 of 5 done · 1 winner" in said
    assert "pkg/a.py::hot: timing; 2 proposed" in said
    assert "pkg/b.py::warm: learning how it behaves" in said
    assert "pkg/c.py::tepid: 2.00×" in said


@pytest.mark.parametrize(("upto", "said"), [(4, "before it was known where the time goes"), (12, "interrupted: ")])
def test_an_interrupted_one_says_how_far_it_came(upto: int, said: str):
    kitchen = ended()
    run = Run.of(kitchen.log[:upto])
    run.state = State.INTERRUPTED
    console = Console(width=110, color_system=None)
    with console.capture() as capture:
        console.print(sweep_table(run))
    assert said in capture.get()
    assert "the same command goes on from here" in capture.get()


def test_names_that_a_terminal_might_obey_are_shown():
    names = (HOSTILE, *NAMES[1:])
    for said in (
        printed(ended(names)),
        "\n".join(lines(ended(names))),
        as_json(sweep_document(ended(names).run, text=ended(names).text)),
    ):
        assert "\x1b" not in said
        assert "\u202e" not in said


def test_the_document_is_that_of_a_run_and_more():
    kitchen = ended()
    found = json.loads(as_json(sweep_document(kitchen.run, text=kitchen.text)))
    assert found["winner"]["name"] == "merged"
    assert found["workload"]["speedup"]["estimate"] == 1.4
    assert [one["merged"] for one in found["targets"]] == [True, False, False, False, False]
    assert found["merge"]["kept"] == [NAMES[0]]
    assert [one["target"] for one in found["merge"]["dropped"]] == [NAMES[1], NAMES[2]]
    assert found["merge"]["conflicts"] == [{"one": NAMES[0], "other": NAMES[2], "paths": ["pkg/a.py"]}]
    empty = json.loads(as_json(sweep_document(Run.of(kitchen.log[:3]), text=kitchen.text)))
    assert (empty["targets"], empty["merge"], empty["workload"]) == ([], None, None)


# -- how it stands, by its events -------------------------------------------------------------------------------------


def test_a_resumed_sweep_begins_again_what_was_open_or_had_no_time():
    kitchen = ranked(*NAMES[:4])
    kitchen.say(began(NAMES[0]), won(NAMES[0], 2.0), began(NAMES[1]))
    kitchen.say(TargetEnded(target=NAMES[2], subplan="s", skipped="the time was used up"))
    run = kitchen.run
    assert [state.is_open for state in run.sweep.targets.values()] == [False, True, False, False]
    start = next(one for one in kitchen.log if isinstance(one.event, RunStarted))
    run.add(start)
    assert [(state.is_open, state.ended is not None) for state in run.sweep.targets.values()] == [
        (False, True),
        (False, False),
        (False, False),
        (False, False),
    ]
    assert [state.ranked.target for state in run.sweep.winners] == [NAMES[0]]


def test_a_target_is_ranked_before_it_is_begun():
    kitchen = opened("sweep", "pkg")
    kitchen.say(began("pkg/a.py::f"))
    with pytest.raises(ValueError, match="before it was ranked"):
        Run.of(kitchen.log)


def test_a_candidate_proposed_without_a_merge_is_nobodys_whole():
    kitchen = ranked(*NAMES[:1])
    kitchen.say(CandidateProposed(candidate="x", name="x", source="sweep", patch=Text(sha256="0", size=0)))
    assert sweep_document(kitchen.run, text=lambda _: "")["workload"]["speedup"] is None
