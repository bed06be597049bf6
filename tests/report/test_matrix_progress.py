"""The live board of a matrix, and the lines where there is none."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from rich.console import Console

from bakeoff.events import (
    CallBegan,
    CallEnd,
    CallEnded,
    CellBegan,
    CellEnded,
    CellPlanned,
    CellsPlanned,
    CellStatus,
    Event,
    MatrixBegan,
    ProviderLimited,
    ProviderRecovered,
    Recorded,
    RunStarted,
    Text,
)
from bakeoff.report.board import Board

BEGAN = datetime(2026, 11, 19, 12, tzinfo=UTC)
NOTHING = Text(sha256="0" * 64, size=0)


class Watching:
    """A board that is told of events, a second apart."""

    def __init__(self) -> None:
        self.board = Board()
        self.now = BEGAN
        self.count = 0
        self.lines: list[str] = []

    def tell(self, *events: Event) -> None:
        for event in events:
            self.count += 1
            self.now = BEGAN + timedelta(seconds=self.count)
            recorded = Recorded(run="R", sequence=self.count, time=self.now, event=event)
            self.board.add(recorded)
            self.lines += [line] if (line := self.board.line(recorded)) is not None else []

    def seen(self) -> dict[str, str]:
        """Each row of the board under its name."""
        console = Console(width=120, no_color=True)
        with console.capture() as capture:
            console.print(self.board.render(self.now))
        rows = [line for line in capture.get().splitlines()[1:] if line.strip()]
        return {line[:11].strip(): line[11:].strip() for line in rows}


def begun(watching: Watching, cells: int) -> None:
    providers = ["openai", "anthropic"]
    plan = tuple(
        CellPlanned(cell=f"{p}{n}", coordinates={"model": p, "task": f"t{n}"}, providers=(p,))
        for n in range(cells)
        for p in providers
    )
    watching.tell(
        RunStarted(command="matrix", version="0", target="pilot"),
        CellsPlanned(digest="d", cells=plan),
        MatrixBegan(
            name="pilot",
            digest="d",
            scoring="",
            axes={"model": tuple(providers), "task": tuple(f"t{n}" for n in range(cells))},
            cells=2 * cells,
            caps=dict.fromkeys(providers, 4),
            definition=NOTHING,
        ),
    )


def call(cell: str) -> CallBegan:
    return CallBegan(call=cell, model=f"{cell[:-1]}:m", cell=cell)


def answered(cell: str, **said: object) -> tuple[CallEnded, CellEnded]:
    ended = {"status": CellStatus.DONE, "duration_ms": 812.4, "metrics": {"exact": 1.0}, **said}
    place = {"model": cell[:-1], "task": f"t{cell[-1]}"}
    end = CallEnd.DONE if ended["status"] is CellStatus.DONE else CallEnd.FAILED
    return (
        CallEnded(call=cell, end=end, tokens_in=10, tokens_out=5, cost=0.5),
        CellEnded(cell=cell, coordinates=place, providers=(cell[:-1],), **ended),
    )


def test_the_board_tells_cells_by_state_what_goes_on_at_each_provider_and_what_is_left():
    watching = Watching()
    begun(watching, 4)
    assert watching.seen()["cells"] == "0 of 8 done · 0 under way · 8 to come"
    assert watching.seen()["left"] == "–"
    watching.tell(*(CellBegan(cell=cell) for cell in ("openai0", "openai1", "openai2", "anthropic0")))
    watching.tell(call("openai0"), call("openai1"), call("anthropic0"))
    seen = watching.seen()
    assert seen["cells"] == "0 of 8 done · 4 under way · 4 to come"
    assert seen["openai"] == "2 of 4 in flight · 1 waiting"
    assert seen["anthropic"] == "1 of 4 in flight · 0 waiting"
    watching.tell(ProviderLimited(provider="openai", limit=2, pause=30.0))
    assert watching.seen()["openai"] == "2 of 2 in flight · 1 waiting · limited, 4 usually · pausing 30 s"
    watching.tell(*answered("openai0"), *answered("anthropic0", status=CellStatus.FAILED, error="no", duration_ms=None))
    seen = watching.seen()
    assert seen["cells"] == "1 of 8 done · 2 under way · 4 to come · 1 failed"
    assert seen["spent"] == "$1.00 · 20 tokens in, 10 out · about $4.00 in all"
    # One of four in this time, at each of the two.
    assert seen["left"] == f"about {3 * (watching.count - 1)} s"
    watching.tell(ProviderRecovered(provider="openai", limit=4))
    assert watching.seen()["openai"] == "1 of 4 in flight · 1 waiting"


def test_without_a_terminal_each_cell_has_a_line():
    watching = Watching()
    begun(watching, 2)
    watching.tell(*map(call, ("openai0", "openai1", "anthropic0")))
    watching.tell(*answered("openai0"), *answered("openai1", is_cached=True, duration_ms=None, metrics={}))
    watching.tell(*answered("anthropic0", status=CellStatus.FAILED, error="refused\nthe call", metrics={}))
    assert watching.lines[-3:] == [
        "openai · t0: 812 ms, exact 1 (1 of 4)",
        "openai · t1: recalled (2 of 4)",
        "anthropic · t0: failed: refused the call (3 of 4)",
    ]
    assert not any("answered" in line for line in watching.lines), "a call has no line beside that of its cell"


def test_a_run_that_is_gone_on_with_is_measured_by_what_this_try_does():
    watching = Watching()
    begun(watching, 2)
    for cell in ("openai0", "openai1"):
        watching.tell(CellBegan(cell=cell), call(cell), *answered(cell))
    watching.tell(RunStarted(command="matrix", version="0", target="pilot"))
    assert watching.seen()["cells"] == "2 of 4 done · 0 under way · 2 to come"
    assert watching.seen()["left"] == "–"
