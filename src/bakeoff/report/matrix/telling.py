"""Numbers of a matrix in words, the same in the terminal and on pages."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from bakeoff.events import Better, CellStatus
from bakeoff.report import words
from bakeoff.report.foreign import one_line
from bakeoff.report.matrix.readings import FAILED
from bakeoff.report.matrix.statistics import CONFIDENCE, Scale, worst

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from bakeoff.events import CellState, Run
    from bakeoff.report.matrix.comparing import Comparison
    from bakeoff.report.matrix.grids import Summary
    from bakeoff.report.matrix.readings import Reading, Table
    from bakeoff.report.matrix.statistics import Estimate

__all__ = [
    "badly",
    "cell",
    "change",
    "failures",
    "former",
    "interval",
    "means",
    "named",
    "number",
    "of_all",
    "signed",
    "summary",
    "thinned",
    "unlike",
]

_KIND = "error"  # of failures whose kind nobody said


def number(value: float, metric: str, scale: Scale) -> str:
    """`0.83`, `812 ms`, `1.94 s`, `$0.0012`, `1,204`: with as many digits as mean something."""
    if metric.endswith("_ms") and scale in {Scale.TIME, Scale.AMOUNT}:
        return f"{value / 1000:,.2f} s" if abs(value) >= 1000 else f"{value:.3g} ms"
    if metric == "cost":
        return words.dollars(value) if value >= 0 else f"-{words.dollars(-value)}"
    if scale.is_bounded:
        return f"{value:.0%}" if metric == FAILED else f"{value:.2f}"
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"


def interval(found: Estimate, metric: str, scale: Scale) -> str:
    """`[0.61, 0.94]`; nothing where there is none."""
    if found.low is None or found.high is None:
        return ""
    return f"[{number(found.low, metric, scale)}, {number(found.high, metric, scale)}]"


def summary(found: Summary) -> tuple[str, str]:
    """The estimate and its interval, of those that have a number; `–` where none has."""
    if found.answered is None:
        return "–", ""
    named = (found.metric, found.scale)
    return number(found.answered.value, *named), interval(found.answered, *named)


def thinned(found: Summary) -> str:
    """`0.71 of all, 2 failed`: what failures do to it, and how many cells are missing."""
    said = [of_all(found)] if found.is_thinned else []
    said += [f"{found.failed:,} failed"] if found.failed and found.metric != FAILED else []
    said += [f"{found.unscored:,} without a score"] if found.unscored else []
    said += [f"{found.missing:,} missing"] if found.missing else []
    return ", ".join(said)


def of_all(found: Summary) -> str:
    """`0.71 of all`, where that is not the same as the estimate."""
    if not found.is_thinned or found.intended is None:
        return ""
    return f"{number(found.intended.value, found.metric, found.scale)} of all"


def means(scale: Scale) -> str:
    """What an estimate of this scale is, and what its interval."""
    return {
        Scale.YES_NO: "mean, Wilson's interval",
        Scale.SHARE: "mean, Wilson's interval",
        Scale.TIME: "geometric mean, Student's interval",
        Scale.AMOUNT: "mean, Student's interval",
    }[scale] + f" of {CONFIDENCE:.0%}"


def named(metric: str, better: Better, width: int) -> str:
    """`distance (the lower, the better)`; that more is better is usual, and need not be said."""
    return one_line(metric, width) + (" (the lower, the better)" if better is Better.LOWER else "")


def badly(betters: Iterable[Better]) -> str:
    """What failures count as, by metrics of these kinds."""
    found = set(betters) or {Better.HIGHER}
    said = [f"{worst(one):g}" for one in Better if one in found]
    return said[0] if len(said) == 1 else f"{said[0]}, and as {said[1]} where lower is better"


def failures(readings: Iterable[Reading]) -> list[tuple[str, int, str]]:
    """The kinds of failures with how many there are and what the first of them said, the most frequent first."""
    failed = [one for one in readings if one.status is CellStatus.FAILED]
    many = Counter(one_line(one.kind or _KIND, 60) for one in failed)
    said = {one_line(one.kind or _KIND, 60): one.error or "" for one in reversed(failed)}
    return [(kind, count, one_line(said[kind], 200)) for kind, count in sorted(many.items(), key=_by_count)]


def _by_count(found: tuple[str, int]) -> tuple[int, str]:
    return -found[1], found[0]


def cell(found: CellState) -> Iterator[tuple[str, str]]:
    """What came of a cell, in lines, each with what it is about."""
    planned, ended, scores = found.planned, found.ended, found.scores
    places = [f"{axis}={point}" for axis, point in planned.coordinates.items()]
    yield "cell", f"{planned.cell}: {', '.join(places)}, repeat={planned.repeat}"
    yield "status", "missing" if found.status is None else found.status.value
    if ended is None:
        return
    if ended.error:
        yield "error", f"{ended.kind}: {ended.error}" if ended.kind else ended.error
    took = "from the cache" if ended.is_cached else f"{ended.duration_ms:,.1f} ms" if ended.duration_ms else "not known"
    waited = f"{ended.queue_ms:,.1f} ms waiting for permits, {ended.backoff_ms:,.1f} ms backing off"
    yield "took", f"{took}; {waited}"
    cost = "cost not known" if ended.cost is None else words.dollars(ended.cost)
    attempts = words.amount(ended.attempts, "attempt")
    yield "calls", f"{attempts}, {ended.tokens_in:,} tokens in, {ended.tokens_out:,} out, {cost}"
    for name, value in (scores.metrics if scores is not None else {}).items():
        yield "score", f"{name} {value:g}"
    for name, why in (scores.unscored if scores is not None else {}).items():
        yield "no score", f"{name}: {why}"


def former(run: Run) -> str:
    """What is there of earlier definitions; nothing where that is none."""
    many = len(run.matrix.former)
    is_one = many == 1
    return f"{words.amount(many, 'cell')} of earlier definitions {'is' if is_one else 'are'} kept apart" if many else ""


def unlike(table: Table) -> str:
    """Whether some cells were scored anew, and others were not."""
    planned, given = table.planned, table.scorings
    strange = sum(count for scoring, count in given.items() if scoring not in planned)
    known = sum(given.values()) - strange
    if not strange or not known:
        return ""
    return f"{strange:,} of {words.amount(strange + known, 'cell')} were scored by other scorers than the rest"


def change(found: Estimate, comparison: Comparison) -> tuple[str, str]:
    """`+0.12` and `[-0.03, +0.27]`; of times `1.85×` and `[1.40, 2.44]`."""
    if comparison.scale is Scale.TIME:
        value = words.factor(found.value)
        low, high = (None if one is None else words.factor(one).removesuffix("×") for one in (found.low, found.high))
    else:
        value = signed(found.value, comparison)
        low, high = (None if one is None else signed(one, comparison) for one in (found.low, found.high))
    return value, f"[{low}, {high}]" if low is not None and high is not None else ""


def signed(value: float, comparison: Comparison) -> str:
    """With its sign, which a difference always has."""
    said = number(abs(value), comparison.metric, comparison.scale)
    return f"{'-' if value < 0 else '+'}{said}"
