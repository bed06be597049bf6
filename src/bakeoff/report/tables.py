"""Runs as documents for `--json` and as tables for the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from rich.console import Group
from rich.table import Table
from rich.text import Text

from bakeoff.events import CandidateState, CellState, SampleState, State
from bakeoff.report import words
from bakeoff.report.calls import Request, calls_of, sampling_prompt
from bakeoff.report.documents import (
    attempt_document,
    call_document,
    candidate_document,
    sample_document,
    spent_document,
)
from bakeoff.report.foreign import cut, visible
from bakeoff.report.matrix.documents import cells_document
from bakeoff.report.matrix.exports import cell_document
from bakeoff.report.matrix.grids import grid
from bakeoff.report.matrix.readings import Table as Cells
from bakeoff.report.matrix.tables import grid_table
from bakeoff.report.matrix.telling import cell as cell_lines
from bakeoff.report.standings import is_matrix, is_sampling, measured, samples, winner

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from datetime import datetime

    from rich.console import RenderableType

    from bakeoff.events import Run
    from bakeoff.events import Text as Kept
    from bakeoff.report.calls import Call
    from bakeoff.store import RunSummary

    Part: TypeAlias = CandidateState | SampleState | CellState

__all__ = ["part_document", "part_table", "run_document", "run_table", "runs_document", "runs_table"]

_DIED = "died"
_PROMPT_LINES, _PROMPT_CHARACTERS = 12, 1200


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


def run_document(run: Run, *, alive: bool, text: Callable[[Kept], str]) -> dict[str, Any]:
    """The document of `bakeoff show --json`. `text` gives what the store keeps under a hash."""
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
        "prompt": [{"role": turn.role, "content": turn.content} for turn in sampling_prompt(run, text)],
        "samples": [sample_document(sample, text=text) for sample in samples(run)],
        "matrix": _matrix(run) if is_matrix(run) else None,
        "chosen": {"sample": run.chosen.sample, "is_valid": run.chosen.is_valid} if run.chosen else None,
        "spent": spent_document(run),
        "attempts": [attempt_document(attempt) for attempt in run.attempts.values()],
        "warnings": run.warnings,
        "winner": run.end.winner if run.end else None,
        "error": run.end.error if run.end else None,
    }


def run_table(run: Run, *, alive: bool, text: Callable[[Kept], str]) -> RenderableType:
    """What `bakeoff show` prints."""
    parts: list[RenderableType] = [_facts(run, _state(run.state, alive=alive))]
    if run.candidates:
        first = winner(run)
        one = first.proposed.name if first is not None else next(iter(run.candidates.values())).proposed.name
        parts += ["", _candidates(run), "", Text(words.ending(run), "bold green" if first is not None else "bold")]
        parts += [Text(f"more of one: {words.one_command('show', run.id, one)}", "dim")]
    if is_sampling(run):
        parts += ["", *_sampling(run, text)]
    if is_matrix(run):
        table = Cells.of(run)
        parts += ["", grid_table(run, table, grid(table)), Text(f"more: bakeoff matrix show {run.id} --help", "dim")]
    parts += [Text(f"warning: {visible(warning)}", "yellow") for warning in run.warnings]
    if run.end and run.end.error:
        parts.append(Text(f"error: {visible(run.end.error)}", "red"))
    return Group(*parts)


def _matrix(run: Run) -> dict[str, Any]:
    """How the cells stand, without what every document of a run has."""
    document = cells_document(run, Cells.of(run))
    return {name: value for name, value in document.items() if name not in {"run", "state", "spent"}}


def _facts(run: Run, state: str) -> Table:
    facts = Table.grid(padding=(0, 2))
    _add(facts, "run", run.id)
    _add(facts, "state", Text(state, _style(state)))
    if run.start:
        _add(facts, "command", words.command(run.start))
        _add(facts, "base", run.start.base or "–")
    if run.baseline and run.candidates:
        _add(facts, "baseline", words.baseline(run))
    _add(facts, "started", _time(run.started))
    _add(facts, "last event", f"{_time(run.last)} ({run.events} in all)")
    if run.pool:
        _add(facts, "slots", f"{run.pool.size} of {run.pool.asked}, {run.pool.kind}")
    if run.sandbox:
        without = f" (without {', '.join(run.sandbox.missing)})" if run.sandbox.missing else ""
        _add(facts, "sandbox", f"{run.sandbox.tier}{without}")
    for what, said in words.spent(run):
        _add(facts, what, said)
    return facts


def _candidates(run: Run) -> Table:
    table = Table(box=None, pad_edge=False)
    for column in ("candidate", "source", "verdict", "decision", "speedup", "reason"):
        table.add_column(column, overflow="fold")
    first = winner(run)
    for candidate in run.candidates.values():
        name = Text(visible(candidate.proposed.name), "bold green" if candidate is first else "")
        judged, found = candidate.judged, measured(candidate)
        _add(
            table,
            name,
            ", ".join(filter(None, (candidate.proposed.source, words.descent(run, candidate)))),
            judged.verdict.value if judged else "–",
            found.decision.value if found else "–",
            words.times(found.speedup) if found else "–",
            (judged.reason or "") if judged else "",
        )
    return table


def _candidate(candidate: CandidateState) -> dict[str, Any]:
    judged, found = candidate.judged, measured(candidate)
    return {
        "name": candidate.proposed.name,
        "id": candidate.proposed.candidate,
        "source": candidate.proposed.source,
        "parents": candidate.proposed.parents,
        "descent": candidate.proposed.descent,
        "calls": candidate.proposed.calls,
        "verdict": judged.verdict if judged else None,
        "decision": found.decision if found else None,
        "speedup": found.speedup if found else None,
        "reason": judged.reason if judged else None,
        "counterexample": judged.counterexample if judged else None,
        "duplicate_of": judged.duplicate_of if judged else None,
    }


# ── One of its candidates, or samples ────────────────────────────────────────────────────────────────────────────────


def part_document(run: Run, part: Part, *, text: Callable[[Kept], str]) -> dict[str, Any]:
    """The document of `bakeoff show RUN NAME --json`: a candidate, a sample or a cell, with all that was asked and
    answered."""
    conversations = [call_document(call, text=text) for call in calls_of(run, _calls(run, part))]
    if isinstance(part, CellState):
        document = {"id": part.planned.cell, **cell_document(part, text=text)}
        return {"run": run.id, "cell": document, "conversations": conversations}
    if isinstance(part, SampleState):
        return {"run": run.id, "sample": sample_document(part, text=text), "conversations": conversations}
    patch, log = part.proposed.patch, part.proposed.log
    texts = {"diff": text(patch) if patch is not None else None, "log": text(log) if log is not None else None}
    return {"run": run.id, "candidate": candidate_document(part) | texts, "conversations": conversations}


def part_table(run: Run, part: Part, *, text: Callable[[Kept], str]) -> RenderableType:
    """What `bakeoff show RUN NAME` prints."""
    facts = Table.grid(padding=(0, 2))
    if isinstance(part, CellState):
        for what, said in cell_lines(part):
            _add(facts, what, said)
    elif isinstance(part, SampleState):
        _add(facts, "sample", part.began.sample)
        _add(facts, "came to", words.sample(part))
    else:
        _add(facts, "candidate", part.proposed.name)
        _add(facts, "source", ", ".join(filter(None, (part.proposed.source, words.descent(run, part)))))
        _add(facts, "verdict", part.judged.verdict.value if part.judged else "–")
        _add(facts, "came to", words.result(run, part, 2000) or "–")
        _about(facts, run, part)
    calls = calls_of(run, _calls(run, part))
    for call in calls:
        _add(facts, "call", words.call(call))
    blocks = [block for call in calls for block in _conversation(call, text)]
    if isinstance(part, CandidateState):
        blocks += _what_came_of_it(part, text, answers={call.answer for call in calls})
    if isinstance(part, CellState) and part.ended is not None and part.ended.answer is not None:
        blocks.append(("the answer", text(part.ended.answer)))
    return Group(facts, *(line for title, content in blocks for line in _block(title, content)))


def _about(facts: Table, run: Run, candidate: CandidateState) -> None:
    judged = candidate.judged
    if candidate.proposed.note not in ("", candidate.proposed.name):
        _add(facts, "what", candidate.proposed.note)
    if judged is not None and judged.evidence is not None:
        _add(facts, "tried", words.evidence(run, judged.evidence))
    for where in judged.keeps if judged is not None else ():
        _add(facts, "keeps", f"what it has found: {where}")
    for what in judged.suspicions if judged is not None else ():
        _add(facts, "suspicious", what)
    if candidate.proposed.patch is not None and candidate.proposed.patch.size:
        _add(facts, "change", words.one_command("diff", run.id, candidate.proposed.name))


def _what_came_of_it(
    candidate: CandidateState, text: Callable[[Kept], str], *, answers: set[Kept | None]
) -> Iterator[tuple[str, str]]:
    """Counterexamples as programs, tests that fail, and what was printed: each a title, and a text."""
    judged, log = candidate.judged, candidate.proposed.log
    for one in judged.differences if judged is not None else ():
        yield "counterexample", f"{one.snippet or one.call}\n\n# {one}"
    for failure in judged.failures if judged is not None else ():
        yield f"{failure.id}: {failure.actual.value} instead of {failure.expected.value}", failure.text
    # Of what a model was asked for, that may be its answer, which stands above.
    if log is not None and log not in answers:
        yield "how it was made", text(log)
    if judged is not None and judged.log is not None:
        yield "what it printed", text(judged.log)


def _calls(run: Run, part: Part) -> tuple[str, ...]:
    if isinstance(part, CellState):
        cell = part.planned.cell
        return tuple(dict.fromkeys(one.began.call for one in run.attempts.values() if one.began.cell == cell))
    if isinstance(part, SampleState):
        return (part.ended.call,) if part.ended is not None and part.ended.call is not None else ()
    return part.proposed.calls


def _conversation(call: Call, text: Callable[[Kept], str]) -> list[tuple[str, str]]:
    """All turns, and the answer, whole."""
    turns = Request.of(text(call.request)).turns if call.request is not None else ()
    said = [(turn.role or "asked", turn.content) for turn in turns]
    return [*said, ("answered", text(call.answer))] if call.answer is not None else said


def _block(title: str, content: str) -> Iterator[RenderableType]:
    yield ""
    yield Text(f"── {visible(title)} ──", "bold")
    if content.strip():
        yield Text(visible(content.rstrip("\n")), overflow="fold")


# ── Samples ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def _sampling(run: Run, text: Callable[[Kept], str]) -> Iterator[RenderableType]:
    """What was asked, in short, each sample with what its requirements say, and the one that was chosen, whole."""
    prompt = "\n".join(turn.content for turn in sampling_prompt(run, text))
    if prompt:
        kept, left = cut(prompt, lines=_PROMPT_LINES, characters=_PROMPT_CHARACTERS)
        yield Text("prompt", "bold")
        yield Text(visible(kept.rstrip("\n")), "dim")
        yield from [Text(f"… {left:,} more characters: bakeoff show {run.id} --json", "dim")] if left else []
        yield ""
    table = Table(box=None, pad_edge=False)
    for column in ("sample", "came to", "requirement", "says"):
        table.add_column(column, overflow="fold")
    for sample in samples(run):
        for row in _sample(sample):
            _add(table, *row)
    yield table
    yield ""
    yield Text(words.ending(run), "bold green" if run.chosen and run.chosen.is_valid else "bold")
    chosen = run.samples.get(run.chosen.sample) if run.chosen else None
    if chosen is not None and chosen.ended is not None and chosen.ended.text is not None:
        yield Text(visible(text(chosen.ended.text).rstrip("\n")))


def _sample(sample: SampleState) -> Iterator[tuple[str | Text, ...]]:
    """A line for each of its requirements; one where there is none."""
    ended = sample.ended
    is_valid = ended is not None and ended.is_valid
    came_to = Text(words.came_to(sample), "green" if is_valid else "")
    rows = [(one.requirement, words.said(one)) for one in ended.validations] if ended else []
    if ended is not None and ended.error:
        rows.append(("", ended.error))
    for number, (requirement, said) in enumerate(rows or [("", "")]):
        yield (sample.began.sample, came_to, requirement, said) if not number else ("", "", requirement, said)


def _add(table: Table, *cells: str | Text) -> None:
    """A row of what was recorded, as it is: brackets in it are not for rich to read."""
    table.add_row(*(cell if isinstance(cell, Text) else Text(visible(cell)) for cell in cells))


def _state(state: State, *, alive: bool) -> str:
    """A run without a recorded end whose writer is gone has died."""
    return _DIED if state is State.RUNNING and not alive else state.value


def _style(state: str) -> str:
    return {State.DONE: "green", State.RUNNING: "cyan"}.get(State(state) if state != _DIED else State.FAILED, "red")


def _time(moment: datetime) -> str:
    return moment.astimezone().strftime("%Y-%m-%d %H:%M:%S")
