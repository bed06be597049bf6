"""Grids and comparisons of a matrix for the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import Group
from rich.table import Table as Drawn
from rich.text import Text

from bakeoff.events import Better
from bakeoff.report import words
from bakeoff.report.foreign import one_line, visible
from bakeoff.report.matrix import telling
from bakeoff.report.matrix.statistics import Scale

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rich.console import RenderableType

    from bakeoff.events import Run
    from bakeoff.report.matrix.comparing import Compared, Comparison
    from bakeoff.report.matrix.grids import Grid, Summary
    from bakeoff.report.matrix.readings import Table

__all__ = ["comparison_table", "comparisons_table", "grid_table", "standing"]

_MOST_TASKS, _MOST_KINDS = 8, 6
_NAME = 60


def grid_table(run: Run, table: Table, grid: Grid) -> RenderableType:
    """What `matrix show` prints."""
    return Group(standing(run, table), "", _drawn(grid), *_legend(table, grid))


def standing(run: Run, table: Table) -> RenderableType:
    """How the cells stand, what failed and what it took."""
    facts = Drawn.grid(padding=(0, 2))
    facts.add_row("run", Text(run.id))
    facts.add_row("matrix", Text(words.cells(run)))
    if said := telling.former(run):
        facts.add_row("", Text(said, "dim"))
    kinds = telling.failures(table.readings)
    for place, (kind, count, example) in enumerate(kinds[:_MOST_KINDS]):
        facts.add_row(
            "" if place else "failed", Text(f"{count:,} {kind}: {example}" if example else f"{count:,} {kind}")
        )
    if len(kinds) > _MOST_KINDS:
        facts.add_row("", f"and {words.amount(len(kinds) - _MOST_KINDS, 'other kind')}")
    for what, line in words.spent(run):
        facts.add_row("calls that failed" if what == "failed" else what, Text(line))
    return facts


def _drawn(grid: Grid) -> Drawn:
    drawn = Drawn(box=None, pad_edge=False)
    drawn.add_column(Text(visible(grid.rows)), overflow="fold")
    for column in grid.column_points:
        drawn.add_column(Text(one_line(column, _NAME)), justify="left", overflow="fold")
    for row in grid.row_points:
        found = [grid.summaries.get((row, column)) for column in grid.column_points]
        drawn.add_row(Text(one_line(row, _NAME)), *(_cell(one, grid) if one is not None else Text("") for one in found))
    return drawn


def _cell(found: Summary, grid: Grid) -> Text:
    value, interval = telling.summary(found)
    said = Text.assemble((value, "bold"), f" {interval}" if interval else "")
    # Beside the other metrics, how many failed is one of them.
    more = telling.of_all(found) if grid.metric is None else telling.thinned(found)
    return said.append(f"\n{more}", "yellow" if found.failed or found.unscored else "dim") if more else said


def _legend(table: Table, grid: Grid) -> Iterator[Text]:
    """What the numbers mean."""
    found = list(grid.summaries.values())
    scales = list(dict.fromkeys(one.scale for one in found))
    units = list(dict.fromkeys(one.answered.unit for one in found if one.answered is not None))
    counts = sorted({one.answered.count for one in found if one.answered is not None})
    name = "each metric" if grid.metric is None else one_line(grid.metric, _NAME)
    over = f" over {_range(counts)} {' or '.join(units)}s" if counts else ""
    yield Text("")
    yield Text(f"{name}: {'; '.join(dict.fromkeys(map(telling.means, scales)))}{over}", "dim")
    if lower := dict.fromkeys(one_line(one.metric, _NAME) for one in found if one.better is Better.LOWER):
        yield Text(f"the lower, the better: {', '.join(lower)}", "dim")
    if thinned := [one.better for one in found if one.is_thinned]:
        said = f"“of all” counts what failed or has no score as {telling.badly(thinned)}"
        yield Text(f"averages are of what has a score; {said}", "dim")
    if said := telling.unlike(table):
        yield Text(f"warning: {said}", "yellow")
    others = [metric for metric in table.metrics if metric != grid.metric]
    if grid.metric is not None:
        yield Text(f"other metrics: {', '.join(one_line(one, _NAME) for one in others[:12])}", "dim")


def _range(counts: Sequence[int]) -> str:
    return f"{counts[0]:,}" if counts[0] == counts[-1] else f"{counts[0]:,} to {counts[-1]:,}"


# ── Comparisons ──────────────────────────────────────────────────────────────────────────────────────────────────────


def comparison_table(found: Comparison) -> RenderableType:
    """What `matrix compare` prints."""
    facts = Drawn.grid(padding=(0, 2))
    facts.add_row("first", Text(one_line(found.first.name, 120)))
    facts.add_row("second", Text(one_line(found.second.name, 120)))
    facts.add_row("metric", Text(telling.named(found.metric, found.better, _NAME)))
    drawn = _columns("")
    for one in found.places:
        drawn.add_row(*_row(one, found))
    drawn.add_row(*_row(found.whole, found), style="bold" if found.places else "")
    return Group(facts, "", drawn, *_told(found), *_remarks(found))


def comparisons_table(found: Sequence[Comparison]) -> RenderableType:
    """What it prints of several, each with the same first side."""
    facts = Drawn.grid(padding=(0, 2))
    facts.add_row("first", Text(one_line(found[0].first.name, 120)))
    facts.add_row("metric", Text(telling.named(found[0].metric, found[0].better, _NAME)))
    drawn = _columns("second")
    for one in found:
        drawn.add_row(Text(one_line(one.second.name, 120)), *_row(one.whole, one)[1:])
    remarks = dict.fromkeys(text.plain for one in found for text in _remarks(one))
    remarks["each interval holds by itself: of twenty, one may miss the truth"] = None
    return Group(facts, "", drawn, *(Text(text, "dim") for text in remarks))


def _columns(name: str) -> Drawn:
    drawn = Drawn(box=None, pad_edge=False)
    for column in (name, "tasks", "first", "second" if not name else "it", "change", "higher", "lower", "same"):
        drawn.add_column(column, justify="right" if column in {"tasks", "higher", "lower", "same"} else "left")
    return drawn


def _row(one: Compared, found: Comparison) -> list[Text]:
    place = ", ".join(one_line(point, _NAME) for point in one.place.values())
    value, interval = telling.change(one.change, found) if one.change is not None else ("–", "")
    said = Text.assemble((value, "bold"), f" {interval}" if interval else "")
    if one.intended is not None and telling.change(one.intended, found) != (value, interval):
        said.append("\n{} {} of all".format(*telling.change(one.intended, found)), "yellow")
    sides = [
        "–" if side is None else telling.number(side, found.metric, found.scale) for side in (one.before, one.after)
    ]
    counts = [f"{one.tasks:,}", *sides]
    changes = [f"{len(one.higher):,}", f"{len(one.lower):,}", f"{one.same:,}"]
    return [Text(place or "all"), *map(Text, counts), said, *map(Text, changes)]


def _told(found: Comparison) -> Iterator[Text]:
    """The tasks that changed most, of metrics where that says something."""
    if not found.scale.is_bounded:
        return
    for name, changed in (("higher", found.whole.higher), ("lower", found.whole.lower)):
        if not changed:
            continue
        ordered = sorted(changed, key=lambda one: (-abs(one.after - one.before), one.task))
        said = [
            f"{one_line(one.task, 40)} {telling.number(one.before, found.metric, found.scale)} → "
            f"{telling.number(one.after, found.metric, found.scale)}"
            for one in ordered[:_MOST_TASKS]
        ]
        more = f" and {len(changed) - _MOST_TASKS:,} more" if len(changed) > _MOST_TASKS else ""
        yield Text(f"\n{name}: {', '.join(said)}{more}")


def _remarks(found: Comparison) -> Iterator[Text]:
    what = "ratio of the second to the first" if found.scale is Scale.TIME else "second less first"
    yield Text(f"\nchange: {what}, paired by task, with its interval", "dim")
    if found.whole.intended is not None and found.whole.intended != found.whole.change:
        yield Text(f"“of all” counts what failed or has no score as {telling.badly([found.better])}", "dim")
    if found.whole.alone:
        yield Text(f"{words.amount(found.whole.alone, 'task')} without a number on one side are left out", "dim")
    if any(found.only):
        first, second = found.only
        yield Text(f"cells on one side only: {first:,} of the first, {second:,} of the second", "dim")
    if found.unlike:
        yield Text(
            f"warning: at {words.amount(found.unlike, 'place')} the sides were scored by other scorers", "yellow"
        )
