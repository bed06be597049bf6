"""Speedups with their intervals, drawn: a row for each, on one logarithmic scale.

Places are in percent, so that a row is as wide as its window while its strokes and letters keep their size.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bakeoff.report import words
from bakeoff.report.markup import element, join

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bakeoff.events import Speedup
    from bakeoff.report.markup import Html

__all__ = ["MARGIN", "Row", "chart"]

MARGIN = 0.01  # less than this is not called a difference, whoever measures
_HEIGHT = 30
_ROUND = (1, 2, 5, 3, 1.5, 4, 7, 1.2, 2.5, 6, 8, 1.1, 9, 1.05, 9.5, 1.02, 9.8, 1.01, 9.9)
_APART = 0.11


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A speedup with its name; `kind` is what it stands out as: the winner, the best, the copy of the baseline."""

    name: str
    speedup: Speedup
    kind: str = ""
    link: str | None = None


def chart(rows: Sequence[Row], *, note: str | None = None) -> Html | None:
    """The rows that can be drawn, with a scale below; None where there are none."""
    drawn = [row for row in rows if _can_be_drawn(row.speedup)]
    if not drawn:
        return None
    scale = _Scale.of([row.speedup for row in drawn])
    caption = (
        "Baseline over candidate, on a logarithmic scale: to the right is better. A dot is the estimate, its "
        f"line the interval. Within the band, {MARGIN:.0%} around the baseline, nothing is called a difference."
    )
    items = [_row(row, scale) for row in drawn]
    axis = element("li", element("span"), _axis(scale), element("span"), class_="axis", aria_hidden="true")
    return element(
        "figure",
        element("ol", *items, axis),
        element("figcaption", caption, f" {note}" if note else None),
        class_="chart",
    )


def _can_be_drawn(speedup: Speedup) -> bool:
    values = (speedup.low, speedup.estimate, speedup.high)
    return all(math.isfinite(value) and value > 0 for value in values)


@dataclass(frozen=True, slots=True)
class _Scale:
    low: float
    high: float

    @classmethod
    def of(cls, speedups: Sequence[Speedup]) -> _Scale:
        low = math.log(min(0.97, *(one.low for one in speedups)))
        high = math.log(max(1.03, *(one.high for one in speedups)))
        room = (high - low) * 0.05
        return cls(low - room, high + room)

    def part(self, value: float) -> float:
        return (math.log(value) - self.low) / (self.high - self.low)

    def at(self, value: float) -> str:
        return f"{100 * min(max(self.part(value), 0.0), 1.0):.2f}%"

    def ticks(self) -> list[float]:
        """1, and the roundest numbers that stand apart."""
        powers = [10.0**power for power in sorted(range(-6, 7), key=abs)]
        rounds = [round(digits * power, 9) for digits in _ROUND for power in powers]
        chosen: list[float] = []
        for value in rounds:
            place = self.part(value)
            if 0.02 <= place <= 0.98 and all(abs(place - self.part(other)) >= _APART for other in chosen):
                chosen.append(value)
        return sorted(chosen)


def _row(row: Row, scale: _Scale) -> Html:
    middle, said = _HEIGHT / 2, words.times(row.speedup)
    low, high, estimate = (scale.at(value) for value in (row.speedup.low, row.speedup.high, row.speedup.estimate))
    drawing = element(
        "svg",
        *_ground(scale),
        element("line", x1=low, x2=high, y1=middle, y2=middle, class_="interval"),
        *(element("line", x1=end, x2=end, y1=middle - 4, y2=middle + 4, class_="interval") for end in (low, high)),
        element("circle", cx=estimate, cy=middle, r=4.5, class_="estimate"),
        width="100%",
        height=_HEIGHT,
        role="img",
        aria_label=f"{row.name}: {said}",
    )
    name = element("a", row.name, href=row.link) if row.link else join([row.name])
    estimate_said, _, interval = said.partition(" ")
    value = element("span", element("b", estimate_said), " ", element("span", interval), class_="value")
    return element("li", element("span", element("bdi", name), class_="label"), drawing, value, class_=row.kind or None)


def _ground(scale: _Scale) -> list[Html]:
    """What stands behind every row: the margin, the baseline, and thin lines at the numbers of the scale."""
    left, right = scale.part(1 / (1 + MARGIN)), scale.part(1 + MARGIN)
    band = element(
        "rect", x=f"{100 * left:.2f}%", width=f"{100 * (right - left):.2f}%", y=0, height=_HEIGHT, class_="band"
    )
    lines = [
        element(
            "line", x1=scale.at(value), x2=scale.at(value), y1=0, y2=_HEIGHT, class_="one" if value == 1 else "grid"
        )
        for value in scale.ticks()
    ]
    return [band, *lines]


def _axis(scale: _Scale) -> Html:
    texts = [
        element(
            "text", f"{value:g}×", x=scale.at(value), y=14, text_anchor="middle", class_="one" if value == 1 else None
        )
        for value in scale.ticks()
    ]
    return element("svg", *texts, width="100%", height=20, aria_hidden="true")
