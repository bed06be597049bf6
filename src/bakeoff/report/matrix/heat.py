"""Tables of a matrix in which the numbers have a colour: by two axes, and by task."""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING

from bakeoff.events import Better, CellStatus
from bakeoff.report.foreign import one_line
from bakeoff.report.markup import element, join
from bakeoff.report.matrix import telling
from bakeoff.report.matrix.grids import grid
from bakeoff.report.matrix.readings import TASK
from bakeoff.report.matrix.ways import NAME, scrolled

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from bakeoff.report.markup import Html
    from bakeoff.report.matrix.grids import Summary
    from bakeoff.report.matrix.readings import Reading, Table
    from bakeoff.report.matrix.statistics import Scale
    from bakeoff.report.matrix.ways import Way
    from bakeoff.report.reading import Reader

__all__ = ["grids_html", "tasks_html"]

_MOST_ROWS, _MOST_TASKS, _MOST_COLUMNS, _MOST_GRIDS = 40, 80, 24, 6
_STEPS = 7


# ── By two axes ──────────────────────────────────────────────────────────────────────────────────────────────────────


def grids_html(table: Table, reader: Reader) -> Iterator[Html]:
    """The main metric by the axes that vary, and folded away the same of the others."""
    if not table.varied:
        return
    shown = [*table.scored, "failed", "duration_ms", "cost"]
    axes = table.varied[:2]
    yield reader.heading(f"By {' and '.join(one_line(axis, 40) for axis in axes)}")
    first, *others = dict.fromkeys(metric for metric in shown if metric in table.metrics)
    yield _heat(table, first)
    folded = [join([element("p", one_line(metric, NAME), class_="who"), _heat(table, metric)]) for metric in others]
    if folded:
        summary = element("summary", f"Other metrics: {', '.join(one_line(name, 40) for name in others[:_MOST_GRIDS])}")
        yield element("details", summary, *folded[:_MOST_GRIDS], class_="more")


def _heat(table: Table, metric: str) -> Html:
    found = grid(table, rows=table.varied[0], metric=metric)
    columns, rows = found.column_points[:_MOST_COLUMNS], found.row_points[:_MOST_ROWS]
    values = [one.answered.value for one in found.summaries.values() if one.answered is not None]
    step = _shade(values, table.scales[metric], table.better[metric])
    heads = [element("th", found.rows, scope="col")]
    heads += [element("th", element("bdi", one_line(column, NAME)), scope="col") for column in columns]
    body = [
        element(
            "tr",
            element("th", element("bdi", one_line(row, NAME)), scope="row"),
            *(_warm(found.summaries.get((row, column)), step) for column in columns),
        )
        for row in rows
    ]
    left = len(found.row_points) * len(found.column_points) - len(rows) * len(columns)
    note = f" {left:,} more are not shown." if left else ""
    means = telling.means(table.scales[metric])
    rest = ", ".join(one_line(axis, 40) for axis in table.varied if axis not in {found.rows, found.columns})
    over = f" All points of {rest} are taken together." if rest else ""
    said = f"{one_line(metric, NAME)}: {means}, of what has a number.{over}"
    caption = f"{said} {_lightness(table.scales[metric], table.better[metric])}{note}"
    drawn = element(
        "table",
        element("caption", caption),
        element("thead", element("tr", *heads)),
        element("tbody", *body),
        class_="heat",
    )
    return scrolled(drawn, f"{one_line(metric, 40)} by axes")


def _lightness(scale: Scale, better: Better) -> str:
    if better is Better.LOWER:
        return f"{'The nearer to 0' if scale.is_bounded else 'The lower'}, the better, and the stronger the colour."
    return f"The stronger the colour, {'the nearer to 1' if scale.is_bounded else 'the higher'}."


def _shade(values: Sequence[float], scale: Scale, better: Better) -> Callable[[float], int]:
    """Which of the steps of colour a value has, the best the strongest: of shares from 0 to 1, of others from the least
    to the most."""
    low, high = (0.0, 1.0) if scale.is_bounded or not values else (min(values), max(values))

    def step(value: float) -> int:
        if math.isclose(low, high):  # logarithms and means of the same number are not the same to the last digit
            return 0
        part = (value - low) / (high - low)
        return min(int((part if better is Better.HIGHER else 1 - part) * _STEPS), _STEPS - 1)

    return step


def _warm(found: Summary | None, step: Callable[[float], int]) -> Html:
    if found is None:
        return element("td", "left out", class_="none")
    value, interval = telling.summary(found)
    shade = "none" if found.answered is None else f"h{step(found.answered.value)}"
    below = [interval, telling.thinned(found)]
    return element("td", element("b", value), *(element("small", one) for one in below if one), class_=shade)


# ── By task ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def tasks_html(table: Table, ways: Sequence[Way], reader: Reader) -> Iterator[Html]:
    """Each task, each way: which are hard for all, and which for one only."""
    if TASK not in table.axes or table.main not in table.scored:
        return
    metric, scale, shown = table.main, table.scales[table.main], ways[:_MOST_COLUMNS]
    places = {
        (task, way.number): list(readings)
        for way in shown
        for task, readings in itertools.groupby(
            sorted(way.readings, key=lambda one: one.task), key=lambda one: one.task
        )
    }
    means = {place: _mean(readings, metric) for place, readings in places.items()}
    step = _shade([mean for mean in means.values() if mean is not None], scale, table.better[metric])
    tasks = table.axes[TASK]
    rows = [
        element(
            "tr",
            element("th", element("bdi", one_line(task, 60)), scope="row"),
            *(
                _task(places.get((task, way.number), []), means.get((task, way.number)), step, metric, scale)
                for way in shown
            ),
        )
        for task in tasks[:_MOST_TASKS]
    ]
    heads = [element("th", "task", scope="col")]
    heads += [element("th", f"{way.number}", scope="col", title=way.name) for way in shown]
    more = f" And {len(tasks) - _MOST_TASKS:,} more tasks." if len(tasks) > _MOST_TASKS else ""
    caption = f"{one_line(metric, NAME)}, the mean of the repeats. {_lightness(scale, table.better[metric])} ✕ stands "
    caption += f"for each that failed, · for each that is missing.{more}"
    key = element("ol", *(element("li", element("bdi", way.name)) for way in shown), class_="key")
    drawn = element(
        "table",
        element("caption", caption),
        element("thead", element("tr", *heads)),
        element("tbody", *rows),
        class_="heat tasks",
    )
    yield reader.heading("By task")
    yield key
    yield scrolled(drawn, f"{one_line(metric, 40)} by task")


def _mean(readings: Sequence[Reading], metric: str) -> float | None:
    values = sorted(value for one in readings if (value := one.value(metric)) is not None)
    return sum(values) / len(values) if values else None


def _task(
    readings: Sequence[Reading], mean: float | None, step: Callable[[float], int], metric: str, scale: Scale
) -> Html:
    if not readings:
        return element("td", class_="none")
    failed = "✕" * sum(one.status is CellStatus.FAILED for one in readings)
    missing = "·" * sum(one.status is None for one in readings)
    said = "" if mean is None else telling.number(mean, metric, scale)
    signs = element("span", f"{failed}{missing}", class_="signs") if failed or missing else None
    return element("td", said or None, signs, class_="none" if mean is None else f"h{step(mean)}")
