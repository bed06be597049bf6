"""What `sample` prints when it is done."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.console import Group
from rich.table import Table
from rich.text import Text

from bakeoff.events import CallEnd
from bakeoff.report import spending, words
from bakeoff.report.calls import sampling_prompt
from bakeoff.report.documents import sample_document, spent_document
from bakeoff.report.foreign import one_line
from bakeoff.report.standings import samples

if TYPE_CHECKING:
    from collections.abc import Callable

    from rich.console import RenderableType

    from bakeoff.events import Run, SampleState, Spent
    from bakeoff.events import Text as Kept

__all__ = ["chosen_text", "sampling_document", "sampling_table"]

_MOST_ROWS = 40


def chosen_text(run: Run, *, text: Callable[[Kept], str], is_valid: bool = True) -> str | None:
    """What the sample that was chosen says; with `is_valid` None where it is not valid. `text` gives what the store
    keeps under a hash."""
    chosen = run.samples.get(run.chosen.sample) if run.chosen is not None else None
    if run.chosen is None or chosen is None or chosen.ended is None or chosen.ended.text is None:
        return None
    return text(chosen.ended.text) if run.chosen.is_valid or not is_valid else None


def sampling_document(run: Run, *, text: Callable[[Kept], str]) -> dict[str, Any]:
    """The document of `sample --json`."""
    ends = [_end(run, one) for one in samples(run)]
    return {
        "run": run.id,
        "state": run.state,
        "prompt": [{"role": turn.role, "content": turn.content} for turn in sampling_prompt(run, text)],
        "success": run.chosen is not None and run.chosen.is_valid,
        "sample": run.chosen.sample if run.chosen is not None else None,
        "text": chosen_text(run, text=text, is_valid=False),
        "samples": [
            {**sample_document(one, text=text), "spent": _took(_spent(run, one.began.sample))} for one in samples(run)
        ],
        "generated": sum(end is not None for end in ends),
        "completed": ends.count(CallEnd.DONE),
        "cancelled": ends.count(CallEnd.CANCELLED),
        "failed": ends.count(CallEnd.FAILED),
        "spent": spent_document(run),
        "sandbox": run.sandbox.tier if run.sandbox else None,
        "warnings": list(run.warnings),
        "error": run.end.error if run.end else None,
        "seconds": round((run.last - run.started).total_seconds(), 3),
    }


def sampling_table(run: Run) -> RenderableType:
    """Each sample with what it cost and why it is not valid, and what all of it took."""
    table = Table(box=None, pad_edge=False)
    table.add_column("sample", no_wrap=True)
    table.add_column("came to", no_wrap=True)
    for column in ("tokens", "cost"):
        table.add_column(column, justify="right", no_wrap=True)
    table.add_column("why", overflow="fold")
    found = samples(run)
    for one in found[:_MOST_ROWS]:
        is_chosen = run.chosen is not None and run.chosen.sample == one.began.sample
        table.add_row(*_row(run, one), style="bold" if is_chosen else "")
    parts: list[RenderableType] = [table]
    if len(found) > _MOST_ROWS:
        parts.append(Text(f"and {len(found) - _MOST_ROWS:,} more: bakeoff show {run.id}", "dim"))
    facts = Table.grid(padding=(0, 2))
    for what, said in words.spent(run):
        facts.add_row(what, said)
    return Group(*parts, "", facts)


def _row(run: Run, one: SampleState) -> tuple[Text, Text, Text, Text, Text]:
    spent = _spent(run, one.began.sample)
    came_to, _, why = words.sample(one).partition(": ")
    about = "about " if spent.estimated else ""
    return (
        Text(one_line(one.began.sample, 30)),
        Text(came_to, "green" if came_to == "valid" else "dim"),
        Text(f"{about}{spent.tokens_in + spent.tokens_out:,}" if spent.attempts else "–"),
        Text(words.cost(spent) if spent.attempts else "–"),
        Text(why),
    )


def _end(run: Run, one: SampleState) -> CallEnd | None:
    """How a generation ended; None where it was given up before anything was sent."""
    if one.ended is None or (one.ended.end is CallEnd.CANCELLED and not _spent(run, one.began.sample).attempts):
        return None
    return one.ended.end


def _spent(run: Run, sample: str) -> Spent:
    """What was spent on a sample, that of judges included: sampling says so in the purposes of its calls."""
    purposes = (f"sample {sample}", f"judge {sample}")
    return spending.total(one for one in run.attempts.values() if one.began.purpose in purposes)


def _took(spent: Spent) -> dict[str, Any]:
    return {
        "attempts": spent.attempts,
        "tokens_in": spent.tokens_in,
        "tokens_out": spent.tokens_out,
        "is_estimate": spent.estimated > 0,
        "cost": spending.cost(spent),
        "known_cost": spent.cost,
        "seconds": round(spent.seconds, 3),
    }
