"""The ways that a matrix compares, each a point on every axis along which something varies, and tables on its page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bakeoff.events import Better
from bakeoff.report.foreign import one_line
from bakeoff.report.markup import element
from bakeoff.report.matrix.grids import summarize

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from bakeoff.report.markup import Html
    from bakeoff.report.matrix.grids import Summary
    from bakeoff.report.matrix.readings import Reading, Table

__all__ = ["NAME", "Way", "listed", "scrolled", "ways_of"]

NAME = 80  # so much of a name is shown


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """One of the ways that are compared: a point on each axis along which something varies, and how it came out."""

    number: int
    points: Mapping[str, str]
    readings: Sequence[Reading]
    found: Summary

    @property
    def name(self) -> str:
        return " · ".join(one_line(point, NAME) for point in self.points.values()) or "all cells"

    @property
    def rank(self) -> float:
        """What it is placed by, the more the better: all that were run, where that says something."""
        found = self.found.intended or self.found.answered
        if found is None:
            return float("-inf")
        return found.value if self.found.better is Better.HIGHER else -found.value


def ways_of(table: Table, metric: str) -> list[Way]:
    """All that are compared, the best first."""
    groups: dict[tuple[str, ...], list[Reading]] = {}
    for one in table.readings:
        groups.setdefault(tuple(one.coordinates[axis] for axis in table.varied), []).append(one)
    ways = [
        Way(
            number=0,
            points=dict(zip(table.varied, points, strict=True)),
            readings=readings,
            found=summarize(table, readings, metric),
        )
        for points, readings in groups.items()
    ]
    ranked = sorted(ways, key=lambda way: -way.rank)
    return [
        Way(number=number, points=way.points, readings=way.readings, found=way.found)
        for number, way in enumerate(ranked, 1)
    ]


def listed(heads: Sequence[str], rows: Sequence[Html], caption: str, kind: str) -> Html:
    return element(
        "table",
        element("caption", caption),
        element("thead", element("tr", *(element("th", head, scope="col") for head in heads))),
        element("tbody", *rows),
        class_=kind,
    )


def scrolled(table: Html, label: str) -> Html:
    return element("div", table, class_="scroll", tabindex="0", role="region", aria_label=label)
