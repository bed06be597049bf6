"""What a matrix came to, drawn: estimates with their intervals, cost against quality, and how long calls took."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bakeoff.events import CallEnd
from bakeoff.report import words
from bakeoff.report.foreign import one_line
from bakeoff.report.markup import element
from bakeoff.report.matrix import telling
from bakeoff.report.matrix.charts import Dot, Mark, Ruler, Spread, intervals, scatter, spreads
from bakeoff.report.matrix.statistics import Scale
from bakeoff.report.matrix.ways import NAME, listed

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from bakeoff.events import Better, Run
    from bakeoff.report.markup import Html
    from bakeoff.report.matrix.readings import Table
    from bakeoff.report.matrix.ways import Way
    from bakeoff.report.reading import Reader

__all__ = ["cost_html", "intervals_html", "latency_html"]

_MOST = 40


# ── With intervals, and against cost ─────────────────────────────────────────────────────────────────────────────────


def intervals_html(table: Table, ways: Sequence[Way], reader: Reader) -> Iterator[Html]:
    metric, scale = table.main, table.scales[table.main]
    marks = [_mark(way, metric, scale) for way in ways[:_MOST] if way.found.answered is not None]
    if not marks:
        return
    ends = [end for mark in marks for end in (mark.low, mark.value, mark.high, mark.other) if end is not None]
    ruler = Ruler(-0.02, 1.02) if scale.is_bounded else Ruler.of(ends, is_log=scale is Scale.TIME)
    better = table.better[metric]
    caption = (
        f"{telling.named(metric, better, NAME)}: {telling.means(scale)}. A dot is the estimate of what has a number."
    )
    if any(mark.other is not None for mark in marks):
        caption += (
            " A ring is that of all that were run, where what failed or has no score counts as "
            f"{telling.badly([better])}; they stand by it."
        )
    caption += " Intervals that overlap may still be told apart by task: bakeoff matrix compare does."
    more = len(ways) - len(marks)
    caption += f" {words.amount(more, 'other')} are not shown." if more else ""
    yield reader.heading("With intervals")
    yield intervals(marks, ruler, lambda value: telling.number(value, metric, scale), caption)


def _mark(way: Way, metric: str, scale: Scale) -> Mark:
    found = way.found.answered
    assert found is not None
    value, interval = telling.summary(way.found)
    is_other = way.found.is_thinned and way.found.intended is not None
    return Mark(
        name=f"{way.number}. {way.name}",
        value=found.value,
        low=found.low,
        high=found.high,
        other=way.found.intended.value if is_other and way.found.intended is not None else None,
        said=value,
        interval=interval,
        kind="winner" if way.number == 1 else "",
    )


def cost_html(table: Table, ways: Sequence[Way], reader: Reader) -> Iterator[Html]:
    """What a cell costs on average, failed ones included, against the main metric."""
    if table.main not in table.scored:
        return
    placed = [(way, cost) for way in ways if way.rank > float("-inf") and (cost := _mean_cost(way)) is not None]
    if len(placed) < 2 or not any(cost for _, cost in placed):
        return
    is_log = all(cost > 0 for _, cost in placed)
    metric, scale = table.main, table.scales[table.main]
    dots = [_dot(way, cost, placed) for way, cost in placed[:_MOST]]
    across = Ruler.of([dot.across for dot in dots], is_log=is_log, room=0.12)
    ends = [end for dot in dots for end in (dot.low, dot.up, dot.high) if end is not None]
    up = Ruler(-0.04, 1.06) if scale.is_bounded else Ruler.of(ends)
    said = (words.dollars, lambda value: telling.number(value, metric, scale))
    caption = _directions(metric, scale, table.better[metric], is_log=is_log)
    left = len(ways) - len(dots)
    caption += f" {left:,} are not shown: nobody knows what they cost." if left and len(placed) <= _MOST else ""
    yield reader.heading("Cost against quality")
    yield scatter(dots, across, up, said=said, caption=caption)
    rows = [
        element(
            "tr",
            element("td", f"{dot.number}", class_="number"),
            element("th", element("bdi", dot.label), scope="row"),
            element("td", words.dollars(dot.across)),
            element("td", telling.number(dot.up, metric, scale)),
            class_="winner" if dot.is_best else None,
        )
        for dot in dots
    ]
    heads = ("", "What", "Cost of a cell", one_line(metric, NAME))
    yield listed(heads, rows, "The points of the drawing.", "ways")


def _directions(metric: str, scale: Scale, better: Better, *, is_log: bool) -> str:
    failed = f"all that were run, what failed as {telling.badly([better])}"
    up = f"{telling.named(metric, better, NAME)}, of {failed if scale.is_bounded else 'what has a number'}"
    across = f"dollars for a cell{', on a logarithmic scale' if is_log else ''}"
    filled = f"nothing is both cheaper and {better.value}"
    return f"Across: {across}. Up: {up}, with its interval. Filled: {filled}."


def _mean_cost(way: Way) -> float | None:
    """None where the cost of a cell is not known: what is left would say too little."""
    run = [one for one in way.readings if one.has_run]
    costs = [one.measured.get("cost") for one in run]
    known = [cost for cost in costs if cost is not None]
    return sum(known) / len(run) if run and len(known) == len(run) else None


def _dot(way: Way, cost: float, placed: Sequence[tuple[Way, float]]) -> Dot:
    found = way.found.intended or way.found.answered
    assert found is not None
    is_best = not any(
        other is not way and other.rank >= way.rank and price <= cost and (other.rank > way.rank or price < cost)
        for other, price in placed
    )
    return Dot(
        number=way.number,
        label=way.name,
        across=cost,
        up=found.value,
        low=found.low,
        high=found.high,
        is_best=is_best,
    )


# ── How long calls took ──────────────────────────────────────────────────────────────────────────────────────────────


def latency_html(run: Run, table: Table, reader: Reader) -> Iterator[Html]:
    """By provider: of each call that was answered, or of each cell where no calls were recorded."""
    groups: dict[str, list[float]] = {}
    for one in run.attempts.values():
        if one.ended is not None and one.ended.end is CallEnd.DONE and one.ended.seconds > 0:
            groups.setdefault(one.began.model.partition(":")[0], []).append(one.ended.seconds)
    what = "call that was answered, without waiting for a permit and between attempts"
    if not groups:
        what = "cell that was answered"
        for reading in table.readings:
            milliseconds = reading.measured.get("duration_ms", 0.0)
            if milliseconds > 0:
                groups.setdefault(reading.coordinates.get("model", "").partition(":")[0], []).append(
                    milliseconds / 1000
                )
    if not groups:
        return
    found = [Spread(name=one_line(name, NAME) or "no model", values=values) for name, values in groups.items()]
    caption = (
        f"Seconds of each {what}, on a logarithmic scale; each row has a height of its own. The long line is the "
        "median, the dashed one what 95 of 100 do not exceed."
    )
    yield reader.heading("Latency by provider")
    yield spreads(found[:_MOST], _seconds, caption)


def _seconds(value: float) -> str:
    return f"{value * 1000:.3g} ms" if value < 1 else f"{value:.3g} s"
