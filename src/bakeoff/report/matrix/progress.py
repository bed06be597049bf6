"""A matrix while it runs: how cells stand, what goes on at each provider, and how much is left of it."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING

from rich.text import Text

from bakeoff.events import CellEnded, CellStatus, MatrixBegan, ProviderLimited, ProviderRecovered, RunStarted
from bakeoff.report import words
from bakeoff.report.foreign import one_line

if TYPE_CHECKING:
    from datetime import datetime

    from bakeoff.events import CellState, Recorded, Run

__all__ = ["Progress"]

_LONGEST_PAUSE = 1e7
_ALONE = "own code"


class Progress:
    """Follows one try of a run; what earlier tries did is no measure of how fast this one goes."""

    def __init__(self) -> None:
        self._began: datetime | None = None
        self._ended: Counter[str] = Counter()
        self._pauses: dict[str, datetime] = {}
        self._done = 0
        self._settled: set[str] = set()

    def add(self, recorded: Recorded, run: Run) -> None:
        """Take one more event, in the order of the log, that the run was told of."""
        match recorded.event:
            case MatrixBegan():
                self._settled = {state.planned.cell for state in run.matrix.current if state.status is not None}
            case RunStarted():
                self._began, self._done = recorded.time, 0
                self._ended.clear()
                self._pauses.clear()
            case CellEnded() as event if event.status is not CellStatus.CANCELLED:
                self._done += 1
                self._settled.add(event.cell)
                self._ended.update(event.providers or (_ALONE,))
            case ProviderLimited(provider=provider, pause=pause):
                self._pauses[provider] = recorded.time + timedelta(seconds=min(pause, _LONGEST_PAUSE))
            case ProviderRecovered(provider=provider):
                self._pauses.pop(provider, None)

    def rows(self, run: Run, now: datetime) -> list[tuple[str, Text]]:
        """Lines of the board."""
        cells = run.matrix.current
        rows = [("cells", _cells(cells))]
        in_flight = Counter(began.model.partition(":")[0] for began in list(run.spent.open.values()))
        asking = {began.cell for began in list(run.spent.open.values())}
        waiting = Counter[str]()
        for state in cells:
            if state.is_open and state.planned.cell not in asking:
                waiting.update(state.planned.providers)
        began = run.matrix.began
        for provider, cap in (began.caps if began is not None else {}).items():
            limit = run.matrix.limits.get(provider, cap)
            # The next one is recorded before it is its turn; and what is open when a limit is lowered goes on.
            in_line = max(0, in_flight[provider] - cap)
            waiting[provider] += in_line
            calls = (in_flight[provider] - in_line, limit, cap)
            rows.append((provider[:11], self._provider(provider, calls, waiting, now)))
        rows.append(("spent", self._spent(run, cells)))
        rows.append(("left", self._left(cells, now)))
        return rows

    def line(self, run: Run, event: CellEnded) -> str:
        """How a cell ended, where there is no board."""
        place = " · ".join(one_line(name, 40) for name in event.coordinates.values())
        began = run.matrix.began
        repeat = f" #{event.repeat + 1}" if began is not None and began.repeats > 1 else ""
        of_all = f"{len(self._settled):,} of {began.cells if began is not None else 0:,}"
        said = event.status.value
        if event.status is CellStatus.DONE:
            scores = [f"{name} {value:.3g}" for name, value in event.metrics.items()]
            took = "recalled" if event.is_cached else f"{event.duration_ms or 0.0:,.0f} ms"
            said = ", ".join([took, *scores])
        elif event.error is not None:
            said = f"failed: {one_line(event.error, 200)}"
        return f"{place}{repeat}: {said} ({of_all})"

    def _provider(self, provider: str, calls: tuple[int, int, int], waiting: Counter[str], now: datetime) -> Text:
        open_calls, limit, cap = calls
        said = Text(f"{open_calls} of {limit} in flight · {waiting[provider]} waiting")
        if limit < cap:
            said.append(f" · limited, {cap} usually", "yellow")
        opens = self._pauses.get(provider)
        if opens is not None and opens > now:
            said.append(f" · pausing {words.duration((opens - now).total_seconds())}", "yellow")
        return said

    def _spent(self, run: Run, cells: list[CellState]) -> Text:
        so_far = replace(run.spent, open={})
        said = f"{words.cost(so_far)} · {words.tokens(run.spent)}"
        settled = sum(state.status is not None for state in cells)
        if settled and settled < len(cells) and run.spent.cost:
            said += f" · about {words.dollars(run.spent.cost * len(cells) / settled)} in all"
        return Text(said)

    def _left(self, cells: list[CellState], now: datetime) -> Text:
        """As long as the slowest provider takes, at the pace of this try."""
        if self._began is None or not self._done:
            return Text("–", "dim")
        passed = max((now - self._began).total_seconds(), 0.001)
        missing = Counter[str]()
        for state in cells:
            if state.status is None:
                missing.update(state.planned.providers or (_ALONE,))
        known = [passed * count / self._ended[name] for name, count in missing.items() if self._ended[name]]
        return Text(f"about {words.duration(max(known))}" if known else "–")


def _cells(cells: list[CellState]) -> Text:
    found = Counter(state.status for state in cells)
    under_way = sum(state.is_open for state in cells)
    said = Text(f"{found[CellStatus.DONE]:,} of {len(cells):,} done", "bold")
    said.append(f" · {under_way:,} under way · {found[None] - under_way:,} to come", "not bold")
    if found[CellStatus.FAILED]:
        said.append(f" · {found[CellStatus.FAILED]:,} failed", "red not bold")
    return said
