"""A matrix on a page: what came out on top and whether that is more than chance, by two axes, by task, with intervals,
against cost; how long calls took; what failed, and what that does to the averages.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from bakeoff.errors import UsageError
from bakeoff.events import Better, CellStatus
from bakeoff.report import words
from bakeoff.report.foreign import one_line
from bakeoff.report.markup import element, join
from bakeoff.report.matrix import telling
from bakeoff.report.matrix.comparing import Side, compare
from bakeoff.report.matrix.heat import grids_html, tasks_html
from bakeoff.report.matrix.losses import failures_html, losses_html
from bakeoff.report.matrix.plots import cost_html, intervals_html, latency_html
from bakeoff.report.matrix.readings import Table
from bakeoff.report.matrix.statistics import Scale
from bakeoff.report.matrix.ways import NAME, ways_of

if TYPE_CHECKING:
    from bakeoff.events import Run
    from bakeoff.report.markup import Html
    from bakeoff.report.matrix.ways import Way
    from bakeoff.report.reading import Reader

__all__ = ["matrix_counts", "matrix_facts", "matrix_html", "matrix_verdict"]


def matrix_counts(run: Run) -> dict[str, str]:
    """The numbers that one wants to know first."""
    found = Counter(state.status for state in run.matrix.current)
    said = {"cells": f"{found.total():,}", "done": f"{found[CellStatus.DONE]:,}"}
    said |= {"failed": f"{found[CellStatus.FAILED]:,}"} if found[CellStatus.FAILED] else {}
    return said | ({"missing": f"{found[None]:,}"} if found[None] else {})


def matrix_verdict(run: Run) -> Html | None:
    """What has the best numbers, and whether the next one's are worse for more than chance. None where nothing is
    scored or compared."""
    table = Table.of(run)
    ways = [way for way in ways_of(table, table.main) if way.found.answered is not None]
    if len(ways) < 2 or table.main not in table.scored:
        return None
    first, second = ways[0], ways[1]
    found = first.found.intended or first.found.answered
    assert found is not None
    named = (table.main, first.found.scale)
    interval = telling.interval(found, *named)
    equal = [way for way in ways[1:] if way.rank == first.rank]
    return join(
        [
            element("b", element("bdi", first.name)),
            *([" and ", words.amount(len(equal), "other"), " have"] if equal else [" has"]),
            " the highest " if first.found.better is Better.HIGHER else " the lowest ",
            element("bdi", one_line(table.main, NAME)),
            ": ",
            element("span", telling.number(found.value, *named), class_="factor"),
            element("span", f" {interval}", class_="interval") if interval else None,
            ". ",
            _next(table, first, second) if not equal else None,
        ]
    )


def _next(table: Table, first: Way, second: Way) -> Html:
    """The lead over the next one, task by task; by all that were run, where failures count.

    That the first is chosen for its number is no matter: the more there are to choose from, the nearer the next is.
    """
    name = element("bdi", second.name)
    try:
        below, above = (second, first) if first.found.better is Better.HIGHER else (first, second)
        found = compare(_side(table, below), _side(table, above), table.main)
    except UsageError:  # where each has tasks of its own
        return join(["The next, ", name, ", has no task in common with it."])
    lead = found.whole.intended or found.whole.change
    if lead is None or lead.low is None or lead.high is None:
        return join(["The next, ", name, ", cannot be told from it by so few tasks."])
    value, interval = telling.change(lead, found)
    is_clear = lead.low > (1 if found.scale is Scale.TIME else 0)
    chance = "which is more than chance makes likely" if is_clear else "which may be chance"
    paired = f" {value} {interval} over {words.amount(lead.count, 'task')}, {chance}."
    return join(["Its lead over the next, ", name, ", is", paired])


def _side(table: Table, way: Way) -> Side:
    return Side(table=table, points=way.points)


def matrix_html(run: Run, reader: Reader) -> Html:
    """All sections of a matrix but what calls cost and where it ran."""
    table = Table.of(run)
    ways = ways_of(table, table.main)
    parts = [*grids_html(table, reader), *intervals_html(table, ways, reader), *cost_html(table, ways, reader)]
    parts += [*latency_html(run, table, reader), *failures_html(table, reader), *losses_html(table, ways, reader)]
    return join([*parts, *tasks_html(table, ways, reader)])


def matrix_facts(run: Run) -> dict[str, str]:
    """What the definition says."""
    began = run.matrix.began
    if began is None:
        return {}
    facts = {"matrix": f"{began.name}, {words.amount(began.cells, 'cell')}"}
    for axis, points in began.axes.items():
        listed = ", ".join(one_line(point, 40) for point in points[:12])
        more = f" and {len(points) - 12:,} more" if len(points) > 12 else ""
        facts[f"axis {one_line(axis, 40)}"] = f"{listed}{more}"
    facts["repeats"] = f"{began.repeats:,}"
    scoring = run.matrix.scoring or began
    facts["scorers"] = ", ".join(one_line(name, 60) for name in scoring.scorers) or "none"
    lower = [one_line(name, 60) for name, better in run.matrix.better.items() if better is Better.LOWER]
    facts |= {"the lower, the better": ", ".join(lower)} if lower else {}
    caps = [f"{one_line(provider, 60)} {limit:,}" for provider, limit in began.caps.items()]
    facts |= {"calls at once": ", ".join(caps)} if caps else {}
    former = telling.former(run)
    return facts | ({"before": former} if former else {})
