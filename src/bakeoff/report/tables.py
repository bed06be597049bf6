"""Runs as documents for `--json` and as tables for the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.console import Group
from rich.table import Table
from rich.text import Text

from bakeoff.events import State
from bakeoff.report import spending, words
from bakeoff.report.documents import calls_document
from bakeoff.report.foreign import visible

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from rich.console import RenderableType

    from bakeoff.events import CandidateState, Run
    from bakeoff.store import RunSummary

__all__ = ["run_document", "run_table", "runs_document", "runs_table"]

_DIED = "died"


def runs_document(runs: Sequence[RunSummary]) -> dict[str, Any]:
    """The document of `bakeoff runs --json`."""
    return {
        "runs": [
            {
                "run": run.id,
                "state": _state(run.state, alive=run.alive),
                "command": run.start.command if run.start else None,
                "target": run.start.target if run.start else None,
                "started": run.started,
                "last": run.last,
                "events": run.events,
                "winner": run.end.winner if run.end else None,
            }
            for run in runs
        ]
    }


def runs_table(runs: Sequence[RunSummary]) -> RenderableType:
    """The table of `bakeoff runs`."""
    table = Table(box=None, pad_edge=False)
    for column in ("run", "state", "command", "target", "started", "events"):
        table.add_column(column, justify="right" if column == "events" else "left", overflow="fold")
    for run in runs:
        command, target = (run.start.command, run.start.target or "") if run.start else ("", "")
        state = _state(run.state, alive=run.alive)
        _add(table, run.id, Text(state, _style(state)), command, target, _time(run.started), str(run.events))
    return table


def run_document(run: Run, *, alive: bool) -> dict[str, Any]:
    """The document of `bakeoff show --json`."""
    return {
        "run": run.id,
        "state": _state(run.state, alive=alive),
        "command": run.start.command if run.start else None,
        "arguments": run.start.arguments if run.start else [],
        "version": run.start.version if run.start else None,
        "target": run.start.target if run.start else None,
        "base": run.start.base if run.start else None,
        "started": run.started,
        "last": run.last,
        "events": run.events,
        "slots": {"kind": run.pool.kind, "asked": run.pool.asked, "size": run.pool.size} if run.pool else None,
        "sandbox": run.sandbox.tier if run.sandbox else None,
        "candidates": [_candidate(candidate) for candidate in run.candidates.values()],
        "calls": calls_document(run),
        "warnings": run.warnings,
        "winner": run.end.winner if run.end else None,
        "error": run.end.error if run.end else None,
    }


def run_table(run: Run, *, alive: bool) -> RenderableType:
    """What `bakeoff show` prints."""
    parts: list[RenderableType] = [_facts(run, _state(run.state, alive=alive))]
    if run.candidates:
        parts += ["", _candidates(run)]
    parts += [Text(f"warning: {visible(warning)}", "yellow") for warning in run.warnings]
    if run.end and run.end.error:
        parts.append(Text(f"error: {visible(run.end.error)}", "red"))
    return Group(*parts)


def _facts(run: Run, state: str) -> Table:
    facts = Table.grid(padding=(0, 2))
    _add(facts, "run", run.id)
    _add(facts, "state", Text(state, _style(state)))
    if run.start:
        _add(facts, "command", " ".join(["bakeoff", run.start.command, *run.start.arguments]))
        _add(facts, "base", run.start.base or "–")
    _add(facts, "started", _time(run.started))
    _add(facts, "last event", f"{_time(run.last)} ({run.events} in all)")
    if run.pool:
        _add(facts, "slots", f"{run.pool.size} of {run.pool.asked}, {run.pool.kind}")
    if run.sandbox:
        without = f" (without {', '.join(run.sandbox.missing)})" if run.sandbox.missing else ""
        _add(facts, "sandbox", f"{run.sandbox.tier}{without}")
    if run.attempts:
        _add(facts, "models", words.spent(run, spending.total(run.attempts.values())))
    return facts


def _candidates(run: Run) -> Table:
    table = Table(box=None, pad_edge=False)
    for column in ("candidate", "source", "verdict", "decision", "speedup", "reason"):
        table.add_column(column, overflow="fold")
    winner = run.end.winner if run.end else None
    for candidate in run.candidates.values():
        name = Text(visible(candidate.proposed.name), "bold green" if candidate.proposed.name == winner else "")
        judged, measured = candidate.judged, candidate.measured
        _add(
            table,
            name,
            ", ".join(filter(None, (candidate.proposed.source, words.descent(run, candidate)))),
            judged.verdict.value if judged else "–",
            measured.decision.value if measured else "–",
            f"{measured.speedup.estimate:.2f}× [{measured.speedup.low:.2f}, {measured.speedup.high:.2f}]"
            if measured
            else "–",
            (judged.reason or "") if judged else "",
        )
    return table


def _add(table: Table, *cells: str | Text) -> None:
    """A row of what was recorded, as it is: brackets in it are not for rich to read."""
    table.add_row(*(cell if isinstance(cell, Text) else Text(visible(cell)) for cell in cells))


def _candidate(candidate: CandidateState) -> dict[str, Any]:
    judged, measured = candidate.judged, candidate.measured
    return {
        "name": candidate.proposed.name,
        "id": candidate.proposed.candidate,
        "source": candidate.proposed.source,
        "parents": candidate.proposed.parents,
        "descent": candidate.proposed.descent,
        "verdict": judged.verdict if judged else None,
        "decision": measured.decision if measured else None,
        "speedup": measured.speedup if measured else None,
        "reason": judged.reason if judged else None,
        "counterexample": judged.counterexample if judged else None,
        "duplicate_of": judged.duplicate_of if judged else None,
    }


def _state(state: State, *, alive: bool) -> str:
    """A run without a recorded end whose writer is gone has died."""
    return _DIED if state is State.RUNNING and not alive else state.value


def _style(state: str) -> str:
    return {State.DONE: "green", State.RUNNING: "cyan"}.get(State(state) if state != _DIED else State.FAILED, "red")


def _time(moment: datetime) -> str:
    return moment.astimezone().strftime("%Y-%m-%d %H:%M:%S")
