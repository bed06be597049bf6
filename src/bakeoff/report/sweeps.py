"""What a sweep came to: targets, what became of their winners together, and what the workload gains."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
from rich.console import Group
from rich.table import Table
from rich.text import Text

from bakeoff.events import (
    Decision,
    MergeBegan,
    MergeChecked,
    MergeEnded,
    Phase,
    PhaseBegan,
    RunEnded,
    State,
    TargetBegan,
    TargetEnded,
    TargetsRanked,
    Verdict,
)
from bakeoff.report import spending, words
from bakeoff.report.documents import result_document, spent_document
from bakeoff.report.foreign import one_line, visible
from bakeoff.report.standings import measured

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from rich.console import RenderableType

    from bakeoff.events import CandidateState, Event, MergeDropped, Run, TargetState
    from bakeoff.events import Text as Kept

__all__ = ["board_rows", "ending", "is_sweep", "line", "sweep_document", "sweep_table"]

_MOST_FAILURES = 5
_MOST_OPEN = 10


def is_sweep(run: Run) -> bool:
    """Whether it is one: what other runs are part of."""
    return run.start is not None and run.start.command == "sweep"


def _merged(run: Run) -> CandidateState | None:
    """All winners together, as a candidate."""
    found = run.sweep.merged
    return run.candidates.get(found.candidate) if found is not None and found.candidate is not None else None


def sweep_document(run: Run, *, parts: Iterable[Run] = (), text: Callable[[Kept], str]) -> dict[str, Any]:
    """The document of `bakeoff sweep --json`: that of a run, whose winner is all winners together, and more. `parts`
    are the runs of its targets: what was spent is told of all of them."""
    ranked, found, first = run.sweep.ranked, run.sweep.merged, _merged(run)
    timed = measured(first) if first is not None else None
    return {
        **result_document(run, text=text),
        "spent": spent_document(spending.whole(run, parts)),
        "workload": None
        if ranked is None
        else {
            "script": ranked.script,
            "tests": ranked.tests,
            "seconds": ranked.seconds,
            "functions": ranked.functions,
            "decision": timed.decision if timed is not None else None,
            "speedup": _plain(timed.speedup) if timed is not None else None,
        },
        "targets": [_target(run, state) for state in run.sweep.targets.values()],
        "merge": None
        if found is None
        else {
            "kept": [step.target for step in found.steps],
            "dropped": [_plain(one) for one in found.dropped],
            "conflicts": [_plain(one) for one in run.sweep.merging.conflicts] if run.sweep.merging else [],
            "checks": found.checks,
        },
        "subplans": {"planned": ranked.subplans if ranked is not None else None, "worked_on": len(run.subplans)},
    }


def _target(run: Run, state: TargetState) -> dict[str, Any]:
    ended = state.ended
    return {
        "target": state.ranked.target,
        "subplan": state.ranked.subplan,
        "seconds": state.ranked.seconds,
        "share": state.ranked.share,
        "calls": state.ranked.calls,
        "run": ended.run if ended is not None else None,
        "winner": ended.name if ended is not None else None,
        "speedup": _plain(ended.speedup) if ended is not None and ended.speedup is not None else None,
        "merged": _is_kept(run, state),
        "error": ended.error if ended is not None else None,
        "skipped": ended.skipped if ended is not None else None,
    }


def _plain(value: object) -> Any:  # noqa: ANN401 (what JSON can hold)
    return msgspec.to_builtins(value)


def _is_kept(run: Run, state: TargetState) -> bool:
    found = run.sweep.merged
    return found is not None and state.ranked.target in {step.target for step in found.steps}


def _dropped(run: Run, state: TargetState) -> MergeDropped | None:
    found = run.sweep.merged
    listed = found.dropped if found is not None else ()
    return next((one for one in listed if one.target == state.ranked.target), None)


def _became(run: Run, state: TargetState) -> str:
    """What came of a target, in a few words."""
    ended, dropped = state.ended, _dropped(run, state)
    if ended is None:
        return "being improved" if state.is_open else "not begun"
    if ended.skipped is not None:
        return f"not begun: {ended.skipped}"
    if ended.error is not None:
        return one_line(ended.error, 300)
    if ended.name is None:
        many = words.amount(ended.candidates, "candidate")
        return f"nothing faster found among {many}" if ended.candidates else "the sources proposed nothing"
    speed = f"{words.times(ended.speedup)} " if ended.speedup is not None else ""
    won = f"{speed}({one_line(ended.name, 60)})"
    return won if dropped is None else f"{won}, dropped: {one_line(dropped.reason, 300)}"


def _gain(run: Run) -> str:
    """What all winners together gain on the workload."""
    first, ranked = _merged(run), run.sweep.ranked
    found = measured(first) if first is not None else None
    script = ranked.script if ranked is not None else None
    what = visible(script) if script is not None else "the tests that get to what was changed"
    if found is None:
        return f"the whole was not timed on {what}"
    match found.decision:
        case Decision.FASTER:
            estimate, interval = words.times(found.speedup).split(" ", 1)
            return f"{what}: {estimate} as fast as the baseline {interval}"
        case Decision.SLOWER:
            return f"{what}: slower than the baseline, {words.times(found.speedup)}"
    if found.is_undecided:
        return f"{what}: undecided, the time was over; about {words.factor(found.speedup.estimate)} as fast"
    return f"{what}: no measurable difference, {words.times(found.speedup)}"


def ending(run: Run) -> str:
    """How it ended, or stands, in a sentence."""
    if run.state is State.FAILED:
        return words.ending(run)
    targets, winners = run.sweep.targets, run.sweep.winners
    if run.sweep.ranked is None:
        return "interrupted before it was known where the time goes"
    if not targets:
        return "nothing to improve: no function of these files takes a share of the time that counts"
    done = sum(state.ended is not None and state.ended.skipped is None for state in targets.values())
    said = f"{words.amount(done, 'target')} of {len(targets)} tried, {words.amount(len(winners), 'winner')}"
    found = run.sweep.merged
    if found is not None:
        said += f", {len(found.steps)} of them together" if found.dropped else ""
        return f"{said}; {_gain(run)}"
    return f"interrupted: {said}" if run.state is not State.DONE else said


def sweep_table(run: Run, *, parts: Iterable[Run] = ()) -> RenderableType:
    """What a sweep came to; `parts` are the runs of its targets."""
    lines: list[RenderableType] = [*_workload(run)]
    if run.sweep.targets:
        lines += ["", _targets(run)]
    failures = list(_failures(run))
    if failures:
        lines += ["", *failures]
    lines += ["", Text(ending(run), "bold")]
    lines += [Text(f"{what:<8}  {said}") for what, said in words.spent(spending.whole(run, parts))]
    lines += [Text(line, "dim") for line in _next(run)]
    if run.warnings:
        lines += ["", *(Text(f"warning: {one_line(warning, 500)}", "yellow") for warning in run.warnings)]
    return Group(*lines)


# ── While it goes on ─────────────────────────────────────────────────────────────────────────────────────────────────


def board_rows(run: Run, parts: Mapping[str, Run]) -> list[tuple[str, Text]]:
    """The lines of a live board: how many targets are done, those under way, and the best winners. `parts` are the runs
    of targets, by those."""
    sweep = run.sweep
    if sweep.ranked is None:
        return []
    states = list(sweep.targets.values())
    done = sum(state.ended is not None for state in states)
    rows = [("targets", Text(f"{done} of {len(states)} done · {words.amount(len(sweep.winners), 'winner')}"))]
    rows += [
        (f"{state.ranked.share:.1%}", Text(f"{one_line(state.ranked.target, 70)}: {_doing(parts, state)}"))
        for state in states
        if state.is_open
    ][:_MOST_OPEN]
    for state in sorted(sweep.winners, key=_speed, reverse=True)[:3]:
        rows.append(("winner", Text(f"{one_line(state.ranked.target, 70)}: {_became(run, state)}", "green")))
    if sweep.merging is not None:
        passed = sum(one.verdict is Verdict.VERIFIED for one in sweep.checks)
        said = f"{len(sweep.merging.targets)} winners, {words.amount(len(sweep.merging.conflicts), 'conflict')}, "
        rows.append(("together", Text(f"{said}{passed} of {words.amount(len(sweep.checks), 'full check')} passed")))
    return rows


def _speed(state: TargetState) -> float:
    return state.ended.speedup.low if state.ended is not None and state.ended.speedup is not None else 0.0


def _doing(parts: Mapping[str, Run], state: TargetState) -> str:
    """What is done with a target right now."""
    part = parts.get(state.ranked.target)
    if part is None or part.baseline is None:
        return "learning how it behaves"
    what = "timing" if part.racing is not None else "judging" if part.judging else "searching"
    return f"{what}; {' · '.join(words.counted(part))}"


def line(run: Run, event: Event) -> str | None:
    """The line for an event of a sweep, where it is worth one."""
    match event:
        case TargetsRanked(targets=targets) if targets:
            first = ", ".join(f"{one_line(one.target, 80)} {one.share:.0%}" for one in targets[:3])
            more = ", …" if len(targets) > 3 else ""
            return f"{words.amount(len(targets), 'target')} of {event.functions} worth a look: {first}{more}"
        case TargetBegan(target=target):
            return f"{one_line(target, 100)}: for up to {words.duration(event.seconds)}"
        case TargetEnded(target=target):
            return f"{one_line(target, 100)}: {_became(run, run.sweep.targets[target])}"
        case PhaseBegan(phase=Phase.SEARCHING):
            return "improving …"
        case RunEnded(state=State.DONE):
            return ending(run)
    return _line_of_merge(event)


def _line_of_merge(event: Event) -> str | None:
    match event:
        case MergeBegan(targets=targets, conflicts=conflicts):
            return f"together: {words.amount(len(targets), 'winner')}, {words.amount(len(conflicts), 'conflict')}"
        case MergeChecked(targets=targets):
            said = "passes" if event.verdict is Verdict.VERIFIED else one_line(event.reason or event.verdict, 200)
            return f"full check of {words.amount(len(targets), 'winner')}: {said}"
        case MergeEnded(dropped=dropped) if dropped:
            return "; ".join(f"{one_line(one.target, 100)} is dropped: {one_line(one.reason, 200)}" for one in dropped)
    return None


# ── At its end ───────────────────────────────────────────────────────────────────────────────────────────────────────


def _workload(run: Run) -> Iterator[RenderableType]:
    ranked = run.sweep.ranked
    if ranked is None:
        return
    what = visible(ranked.script) if ranked.script is not None else words.amount(ranked.tests, "test")
    yield Text.assemble(
        ("workload ", "bold"),
        f" {what}, {words.duration(ranked.seconds)} under a profiler, "
        f"{words.amount(ranked.functions, 'function')} worth a look",
    )


def _targets(run: Run) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 1))
    table.add_column("of the time", justify="right", no_wrap=True)
    table.add_column("target", overflow="fold", min_width=20)
    table.add_column("speedup, or why not", overflow="fold", min_width=24)
    for state in run.sweep.targets.values():
        style = "green" if _is_kept(run, state) else "yellow" if _dropped(run, state) is not None else "dim"
        table.add_row(f"{state.ranked.share:.1%}", Text(visible(state.ranked.target)), Text(_became(run, state), style))
    return table


def _failures(run: Run) -> Iterator[RenderableType]:
    """The tests that fail with those that had to go."""
    found = run.sweep.merged
    for one in found.dropped if found is not None else ():
        for failure in one.failures[:_MOST_FAILURES]:
            yield Text(f"with {visible(one.target)}, {visible(failure.id)} is {failure.actual}", "yellow")


def _next(run: Run) -> Iterator[str]:
    if run.end is not None and run.end.winner is not None:
        yield f"bakeoff diff {run.id}  ·  bakeoff apply {run.id} [--branch NAME]"
    elif run.state is not State.DONE:
        yield "the same command goes on from here"
