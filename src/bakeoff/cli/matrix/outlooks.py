"""What a matrix will take, as it is printed."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from rich.table import Table
from rich.text import Text

from bakeoff.report import words

if TYPE_CHECKING:
    from bakeoff.jobs.matrix import Outlook
    from bakeoff.matrix import Definition
    from bakeoff.matrix.expected import Expected

__all__ = ["outlook_document", "outlook_table"]


def outlook_document(definition: Definition, found: Outlook) -> dict[str, Any]:
    """For `--json`: all of it, and what is missing."""
    return {
        "name": definition.name,
        "axes": {axis.name: [point.name for point in axis.points] for axis in definition.axes},
        "repeats": definition.repeats,
        "scorers": [scorer.name for scorer in definition.scorers],
        "better": dict(definition.better),
        "caps": {name: definition.providers[name].concurrency for name in _providers(definition)},
        "run": found.run,
        "all": asdict(found.all),
        "missing": asdict(found.missing),
    }


def outlook_table(definition: Definition, found: Outlook) -> Table:
    """For people."""
    table = Table.grid(padding=(0, 2))
    table.add_column(style="dim")
    table.add_column(overflow="fold")
    axes = " × ".join(f"{len(axis.points):,} {axis.name}" for axis in definition.axes)
    repeats = f" × {definition.repeats:,} repeats" if definition.repeats > 1 else ""
    rest, done = found.missing, found.all.cells - found.missing.cells
    table.add_row("matrix", Text(definition.name, "bold"))
    table.add_row("axes", f"{axes}{repeats}")
    table.add_row("cells", f"{found.all.cells:,}" + (f", {done:,} of them there already" if done else ""))
    table.add_row("calls", f"at most {rest.calls:,}{_by_model(rest)}")
    table.add_row("tokens", f"about {rest.tokens_in:,} in, {_tokens_out(rest)} out")
    table.add_row("cost", _cost(rest))
    table.add_row("time", "not known before there are answers" if rest.seconds is None else _about(rest.seconds))
    caps = (f"{name} {definition.providers[name].concurrency}" for name in _providers(definition))
    table.add_row("at once", ", ".join(caps) or f"{definition.concurrency} cells")
    return table


def _providers(definition: Definition) -> list[str]:
    """Those that are called, in the order of their first cells."""
    called = [name for cell in definition.cells() for name in cell.providers]
    called += [model.partition(":")[0] for model in definition.judges]
    return list(dict.fromkeys(called))


def _by_model(rest: Expected) -> str:
    parts = ", ".join(f"{model} {calls:,}" for model, calls in rest.by_model.items())
    return f" ({parts})" if len(rest.by_model) > 1 else ""


def _tokens_out(rest: Expected) -> str:
    most = f"at most {rest.most_tokens_out:,}"
    return most if rest.tokens_out is None else f"about {rest.tokens_out:,}, {most}"


def _cost(rest: Expected) -> str:
    if rest.most_cost is None:
        return "not known: there are models without a price"
    most = f"at most ${rest.most_cost:,.4f}"
    return most if rest.cost is None else f"about ${rest.cost:,.4f}, {most}"


def _about(seconds: float) -> str:
    return f"about {words.duration(seconds)}"
