"""What failed in a matrix, and what that does to the averages."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from bakeoff.events import CellStatus
from bakeoff.report import words
from bakeoff.report.foreign import one_line
from bakeoff.report.markup import element
from bakeoff.report.matrix import telling
from bakeoff.report.matrix.ways import NAME, listed, scrolled

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from bakeoff.report.markup import Html
    from bakeoff.report.matrix.readings import Table
    from bakeoff.report.matrix.statistics import Estimate, Scale
    from bakeoff.report.matrix.ways import Way
    from bakeoff.report.reading import Reader

__all__ = ["failures_html", "losses_html"]

_MOST, _MOST_KINDS = 40, 20


def failures_html(table: Table, reader: Reader) -> Iterator[Html]:
    kinds = telling.failures(table.readings)
    yield reader.heading("Failures by kind")
    if not kinds:
        yield element("p", "No cell failed.")
        return
    failed = [one for one in table.readings if one.status is CellStatus.FAILED]
    most = kinds[0][1]
    axis = "model" if "model" in table.axes else next(iter(table.axes))
    rows = []
    for kind, count, example in kinds[:_MOST_KINDS]:
        where = Counter(one.coordinates[axis] for one in failed if one_line(one.kind or "error", 60) == kind)
        named = ", ".join(f"{one_line(point, 60)} {many:,}" for point, many in where.most_common(5))
        bar = element(
            "svg",
            element("rect", x=0, y=0, width=f"{100 * count / most:.1f}%", height="100%"),
            width="100%",
            height="100%",
            aria_hidden="true",
        )
        rows.append(
            element(
                "tr",
                element("th", element("bdi", kind), element("small", example) if example else None, scope="row"),
                element("td", bar, element("span", f"{count:,}"), class_="share"),
                element("td", element("bdi", named)),
            )
        )
    many = words.amount(len(table.readings), "cell")
    caption = f"Cells that failed, of {many}; below each kind what the first of them said."
    yield listed(("Kind", "Cells", f"By {axis}"), rows, caption, "failures")


def losses_html(table: Table, ways: Sequence[Way], reader: Reader) -> Iterator[Html]:
    """What failures do to the averages."""
    lost = [way for way in ways if way.found.failed or way.found.unscored]
    if table.main not in table.scored or not lost:
        return
    metric, scale = table.main, table.scales[table.main]
    rows = [
        element(
            "tr",
            element("th", element("bdi", way.name), scope="row"),
            element("td", *_estimated(way.found.answered, metric, scale)),
            element("td", *_estimated(way.found.intended, metric, scale)),
            element("td", f"{way.found.done + way.found.failed:,}"),
            element("td", f"{way.found.failed:,}"),
            element("td", f"{way.found.unscored:,}"),
        )
        for way in ways[:_MOST]
    ]
    yield reader.heading("What failures do to the averages")
    said = "An average of what was answered leaves out what was too hard to be answered. "
    said += (
        f"Of all that were run, what failed or has no score counts as {telling.badly([table.better[metric]])}."
        if scale.is_bounded
        else f"{one_line(metric, NAME)} does not lie between 0 and 1: what a failure counts, nobody can say."
    )
    yield element("p", said)
    heads = ("What", "Of what was answered", "Of all that were run", "Run", "Failed", "No score")
    yield scrolled(listed(heads, rows, f"{one_line(metric, NAME)}: {telling.means(scale)}.", "losses"), "Averages")


def _estimated(found: Estimate | None, metric: str, scale: Scale) -> list[Html | str]:
    if found is None:
        return ["–"]
    interval = element("small", telling.interval(found, metric, scale))
    return [element("b", telling.number(found.value, metric, scale)), " ", interval]
