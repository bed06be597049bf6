"""The message of a commit that takes a candidate over, with its evidence."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bakeoff.events import Decision
from bakeoff.report import words
from bakeoff.report.foreign import one_line, visible
from bakeoff.report.standings import measured

if TYPE_CHECKING:
    from bakeoff.events import CandidateState, Run

__all__ = ["message"]

_LONGEST_SUBJECT = 72


def message(run: Run, candidate: CandidateState, *, sweep: Run | None = None) -> str:
    """A subject that says what for, and below it what it stands on; and which sweep brought it together with others."""
    found, judged = measured(candidate), candidate.judged
    name = words.target(run) if run.start is not None and run.start.target else candidate.proposed.name
    is_faster = found is not None and found.decision is Decision.FASTER
    subject = f"Change {name}"
    if is_faster and found:
        factor = words.factor(found.speedup.estimate)
        subject = (
            f"Let {name} take {factor} less memory" if words.is_of_memory(run) else f"Make {name} {factor} as fast"
        )
    lines = [subject if len(subject) <= _LONGEST_SUBJECT else one_line(subject, _LONGEST_SUBJECT), ""]
    if candidate.proposed.note:
        lines.append(visible(one_line(candidate.proposed.note)))
    if found is not None:
        what = "memory" if words.is_of_memory(run) else "time"
        lines.append(f"Speedup: {words.times(found.speedup)}, baseline {what} / new {what}.")
    if judged is not None and judged.evidence is not None:
        lines.append(f"The same on {words.evidence(run, judged.evidence)}.")
    name = one_line(f"{candidate.proposed.name} ({candidate.proposed.source})")
    lines += ["", f"Bakeoff-Run: {run.id}", f"Bakeoff-Candidate: {name}"]
    lines += [f"Bakeoff-Sweep: {sweep.id}"] if sweep is not None else []
    return "\n".join(lines) + "\n"
