"""Drawings of a matrix: estimates with their intervals, cost against quality, and how long calls took.

As in `report/chart.py`, places are in percent, so that strokes and letters keep their size in every window.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bakeoff.report.markup import element, join

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from bakeoff.report.markup import Html

__all__ = ["Dot", "Mark", "Ruler", "Spread", "intervals", "quantile", "scatter", "spreads"]

_HEIGHT, _PLOT, _SPREAD, _BINS = 30, 300, 46, 48
_TICKS = 6
_APART = 0.12


@dataclass(frozen=True, slots=True)
class Ruler:
    """Where a value lies between 0 and 1, on a linear or a logarithmic scale."""

    low: float
    high: float
    is_log: bool = False

    @classmethod
    def of(cls, values: Sequence[float], *, is_log: bool = False, room: float = 0.05) -> Ruler:
        """One that has them all, with some room at both ends."""
        placed = [math.log10(value) for value in values] if is_log else list(values)
        low, high = min(placed), max(placed)
        if high - low < 1e-9:
            low, high = (
                low - (0.15 if is_log else abs(low) * 0.1 or 0.5),
                high + (0.15 if is_log else abs(high) * 0.1 or 0.5),
            )
        return cls(low - (high - low) * room, high + (high - low) * room, is_log)

    def part(self, value: float) -> float:
        placed = math.log10(value) if self.is_log else value
        return min(max((placed - self.low) / (self.high - self.low), 0.0), 1.0)

    def at(self, value: float) -> str:
        return f"{100 * self.part(value):.2f}%"

    def ticks(self) -> list[float]:
        """Round numbers that stand apart."""
        if self.is_log:
            powers = range(math.floor(self.low) - 1, math.ceil(self.high) + 1)
            rounds = [digits * 10.0**power for digits in (1, 3, 2, 5, 1.5, 7, 4) for power in powers]
        else:
            span = self.high - self.low
            power = 10.0 ** math.floor(math.log10(span / _TICKS))
            step = next(power * digits for digits in (1, 2, 5, 10) if span / (power * digits) <= _TICKS)
            first = math.ceil(self.low / step)
            rounds = [round((first + number) * step, 12) for number in range(_TICKS + 1)]
        chosen: list[float] = []
        for value in rounds:
            placed = math.log10(value) if self.is_log else value
            is_inside = self.low <= placed <= self.high
            if is_inside and all(abs(self.part(value) - self.part(other)) >= _APART for other in chosen):
                chosen.append(value)
        return sorted(chosen)


def _grid(ruler: Ruler, height: int) -> list[Html]:
    return [
        element("line", x1=ruler.at(value), x2=ruler.at(value), y1=0, y2=height, class_="grid")
        for value in ruler.ticks()
    ]


def _axis(ruler: Ruler, said: Callable[[float], str]) -> Html:
    texts = _said(ruler, said, 14)
    drawing = element("svg", *texts, width="100%", height=20, aria_hidden="true")
    return element("li", element("span"), drawing, element("span"), class_="axis", aria_hidden="true")


def _said(ruler: Ruler, said: Callable[[float], str], y: int) -> list[Html]:
    """The numbers of a scale; where it is narrow, every other one."""
    return [
        element("text", said(value), x=ruler.at(value), y=y, text_anchor="middle", class_="more" if place % 2 else None)
        for place, value in enumerate(ruler.ticks())
    ]


# ── Estimates ────────────────────────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """An estimate with its interval. `other` is what failures make of it, where that is another number."""

    name: str
    value: float
    low: float | None
    high: float | None
    other: float | None
    said: str
    interval: str
    kind: str = ""


def intervals(marks: Sequence[Mark], ruler: Ruler, said: Callable[[float], str], caption: str) -> Html:
    """A row for each."""
    rows = [_row(mark, ruler) for mark in marks]
    return element(
        "figure", element("ol", *rows, _axis(ruler, said)), element("figcaption", caption), class_="chart compared"
    )


def _row(mark: Mark, ruler: Ruler) -> Html:
    middle, at = _HEIGHT / 2, ruler.at(mark.value)
    parts = _grid(ruler, _HEIGHT)
    if mark.other is not None:
        far = ruler.at(mark.other)
        parts.append(element("line", x1=far, x2=at, y1=middle, y2=middle, class_="loss"))
    if mark.low is not None and mark.high is not None:
        low, high = ruler.at(mark.low), ruler.at(mark.high)
        parts.append(element("line", x1=low, x2=high, y1=middle, y2=middle, class_="interval"))
        parts += [
            element("line", x1=end, x2=end, y1=middle - 4, y2=middle + 4, class_="interval") for end in (low, high)
        ]
    if mark.other is not None:
        parts.append(element("circle", cx=ruler.at(mark.other), cy=middle, r=4, class_="all"))
    parts.append(element("circle", cx=at, cy=middle, r=4.5, class_="estimate"))
    label = f"{mark.name}: {mark.said} {mark.interval}".strip()
    drawing = element("svg", *parts, width="100%", height=_HEIGHT, role="img", aria_label=label)
    value = element("span", element("b", mark.said), " ", element("span", mark.interval), class_="value")
    name = element("span", element("bdi", mark.name), class_="label", title=mark.name)
    return element("li", name, drawing, value, class_=mark.kind or None)


# ── Cost against quality ─────────────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True, kw_only=True)
class Dot:
    """What something costs, and how good it is; `is_best` where nothing is both cheaper and better."""

    number: int
    label: str
    across: float
    up: float
    low: float | None
    high: float | None
    is_best: bool


def scatter(
    dots: Sequence[Dot],
    across: Ruler,
    up: Ruler,
    *,
    said: tuple[Callable[[float], str], Callable[[float], str]],
    caption: str,
) -> Html:
    """Each by its number. What is cheap stands left, what is high at the top."""
    lines = [
        part
        for value in up.ticks()
        for part in (
            element("line", x1=0, x2="100%", y1=_up(up, value), y2=_up(up, value), class_="grid"),
            element("text", said[1](value), x=0, y=_number(_y(up, value) - 4)),
        )
    ]
    drawing = element(
        "svg",
        *_grid(across, _PLOT),
        *lines,
        *(part for dot in sorted(dots, key=lambda one: one.is_best) for part in _dot(dot, across, up)),
        *_said(across, said[0], _PLOT + 16),
        width="100%",
        height=_PLOT + 22,
        role="img",
        aria_label=f"{len(dots)} points by cost and quality, as in the table below",
    )
    return element("figure", drawing, element("figcaption", caption), class_="chart plot")


def _y(up: Ruler, value: float) -> float:
    return _PLOT * (1 - up.part(value))


def _up(up: Ruler, value: float) -> str:
    return _number(_y(up, value))


def _number(value: float) -> str:
    return f"{value:.1f}"


def _dot(dot: Dot, across: Ruler, up: Ruler) -> list[Html]:
    x, y = across.at(dot.across), _y(up, dot.up)
    kind = "best" if dot.is_best else None
    parts = []
    if dot.low is not None and dot.high is not None:
        ends = {"x1": x, "x2": x, "y1": _up(up, dot.low), "y2": _up(up, dot.high)}
        parts.append(element("line", **ends, class_="interval"))
    parts.append(element("circle", cx=x, cy=_number(y), r=9, class_="estimate"))
    parts.append(element("text", f"{dot.number}", x=x, y=_number(y + 4), text_anchor="middle", class_="number"))
    return [element("g", *parts, class_=kind)]


# ── Distributions ────────────────────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True, kw_only=True)
class Spread:
    """How values lie; all are above 0."""

    name: str
    values: Sequence[float]


def spreads(found: Sequence[Spread], said: Callable[[float], str], caption: str) -> Html:
    """A histogram for each, on one logarithmic scale, each with the height of its own."""
    ruler = Ruler.of([value for one in found for value in one.values], is_log=True)
    rows = [_spread(one, ruler, said) for one in found]
    return element("figure", element("ol", *rows, _axis(ruler, said)), element("figcaption", caption), class_="chart")


def _spread(one: Spread, ruler: Ruler, said: Callable[[float], str]) -> Html:
    bins = [0] * _BINS
    for value in one.values:
        bins[min(int(ruler.part(value) * _BINS), _BINS - 1)] += 1
    most, width, ground = max(bins), 100 / _BINS, _SPREAD - 4
    bars = [
        element(
            "rect",
            x=f"{place * width:.2f}%",
            width=f"{width * 0.9:.2f}%",
            y=_number(ground * (1 - count / most)),
            height=_number(ground * count / most),
            class_="bar",
        )
        for place, count in enumerate(bins)
        if count
    ]
    half, most_of_it = quantile(one.values, 0.5), quantile(one.values, 0.95)
    marks = [
        element("line", x1=ruler.at(value), x2=ruler.at(value), y1=2, y2=_SPREAD, class_=kind)
        for value, kind in ((half, "half"), (most_of_it, "tail"))
    ]
    text = f"median {said(half)}, 95 % within {said(most_of_it)}, {len(one.values):,} calls"
    base = element("line", x1=0, x2="100%", y1=ground, y2=ground, class_="ground")
    drawing = element(
        "svg",
        *_grid(ruler, _SPREAD),
        *bars,
        base,
        *marks,
        width="100%",
        height=_SPREAD,
        role="img",
        aria_label=f"{one.name}: {text}",
    )
    told = element("span", element("b", said(half)), " ", element("span", f"95 %: {said(most_of_it)}"), class_="value")
    name = join([element("bdi", one.name), " ", element("small", f"{len(one.values):,}")])
    return element("li", element("span", name, class_="label", title=one.name), drawing, told, class_="spread")


def quantile(values: Sequence[float], share: float) -> float:
    """The value that this share of them does not exceed, between two of them where it falls there."""
    ordered = sorted(values)
    place = share * (len(ordered) - 1)
    below = math.floor(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (place - below)
