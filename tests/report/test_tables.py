from __future__ import annotations

from rich.console import Console

from bakeoff.report.tables import run_table, runs_table
from bakeoff.store import RunSummary
from report.kitchen import hostile


def test_what_candidates_wrote_does_not_move_the_terminal():
    run = hostile().run
    summary = RunSummary(
        id=run.id,
        state=run.state,
        alive=False,
        started=run.started,
        last=run.last,
        events=1,
        start=run.start,
        end=run.end,
    )
    console = Console(width=200, color_system=None)
    with console.capture() as capture:
        console.print(run_table(run, alive=False), runs_table([summary]))
    assert "[bold red]" in capture.get()
    assert not {"\x1b", "\u202e", "\x07", "\x00", "\udcff"} & set(capture.get())
