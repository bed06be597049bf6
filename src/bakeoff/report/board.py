"""What a run is at, while it runs: a live board for a terminal, or a plain line for each event worth one.

Both are folds of the events. The board keeps nothing of its own but when things began.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING

from rich.console import Group
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from bakeoff.events import (
    BaselineLearned,
    CallBegan,
    CallEnd,
    CallEnded,
    CandidateJudged,
    CandidateMeasured,
    CandidateProposed,
    CellEnded,
    JudgingBegan,
    Phase,
    PhaseBegan,
    PoolOpened,
    Profiled,
    ProviderLimited,
    RaceBegan,
    RaceEnded,
    Run,
    RunEnded,
    RunStarted,
    SampleEnded,
    SandboxFound,
    State,
    Verdict,
    Warned,
)
from bakeoff.report import spending, sweeps, words
from bakeoff.report.foreign import one_line, visible
from bakeoff.report.matrix.progress import Progress
from bakeoff.report.standings import best, is_asked, is_sampling, measured, name_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from rich.console import RenderableType

    from bakeoff.events import Recorded

__all__ = ["Board"]

_PHASES = {
    Phase.PREPARING: "preparing slots",
    Phase.LEARNING: "learning how the baseline behaves",
    Phase.SEARCHING: "searching",
    Phase.TIMING: "timing",
    Phase.PROFILING: "profiling",
    Phase.RANKING: "finding out where the time goes",
    Phase.MERGING: "bringing winners together",
}
_NO_END = 1e7
_NEWS = timedelta(minutes=1)  # so long a provider that is asked less is told of
_Rows = list[tuple[str, Text]]


class Board:
    """Follows a run, or several one after another. Another thread may render it meanwhile, as rich's `Live` does: it
    only reads, and takes copies of what it walks through.

    `clock` tells the time for `__rich__`; whoever calls `render` hands it over. When the run has to be done is known
    once its search began, unless it is said.
    """

    def __init__(self, *, clock: Callable[[], datetime] | None = None) -> None:
        self.run: Run | None = None
        self._clock = clock
        self._deadline: datetime | None = None
        self._began: datetime | None = None
        self._since: dict[str, datetime] = {}
        self._racing_since: datetime | None = None
        self._limited_since: dict[str, datetime] = {}
        self._asked_since: dict[tuple[str, int], datetime] = {}
        self._failed: Run | None = None  # the one before
        self._progress = Progress()
        self._parts: dict[str, Run] = {}

    def add(self, recorded: Recorded) -> None:
        """Take one more event, in the order of the log. With one of another run, that run is what the board follows;
        but those that are part of a sweep are seen in its place."""
        if self.is_part(recorded):
            part = self._parts.get(recorded.run)
            if part is None:
                part = self._parts[recorded.run] = Run(id=recorded.run, started=recorded.time, last=recorded.time)
            part.add(recorded)
            return
        if self.run is None or self.run.id != recorded.run:
            self._since, self._racing_since, self._limited_since, self._deadline = {}, None, {}, None
            self._asked_since, self._progress = {}, Progress()
            self._failed = self.run if self.run is not None and self.run.state is State.FAILED else None
            self.run = Run(id=recorded.run, started=recorded.time, last=recorded.time)
        self.run.add(recorded)
        self._progress.add(recorded, self.run)
        match recorded.event:
            case RunStarted():
                self._began, self._deadline = recorded.time, None
            case PhaseBegan(seconds=float() | int() as seconds) if seconds < _NO_END:
                self._deadline = recorded.time + timedelta(seconds=seconds)
            case JudgingBegan(candidate=candidate):
                self._since[candidate] = recorded.time
            case RaceBegan():
                self._racing_since = recorded.time
            case CallBegan(call=call, attempt=attempt):
                self._asked_since[call, attempt] = recorded.time
            case ProviderLimited(provider=provider):
                self._limited_since[provider] = recorded.time

    def is_part(self, recorded: Recorded) -> bool:
        """Whether an event is one of a run that is part of the one that is followed."""
        return self.run is not None and recorded.run != self.run.id and sweeps.is_sweep(self.run)

    def __rich__(self) -> RenderableType:
        if self._clock is None:
            return self.render(self.run.last) if self.run else Text("")
        return self.render(self._clock())

    # ── The live board ───────────────────────────────────────────────────────────────────────────────────────────────

    def render(self, now: datetime, deadline: datetime | None = None) -> RenderableType:
        """The board at this time. It has a line for each thing, however much there is, so that it never jumps."""
        run = self.run
        if run is None:
            return Text("")
        body = Table.grid(padding=(0, 2), expand=True)
        body.add_column(style="dim", no_wrap=True, width=11)
        body.add_column(no_wrap=True, overflow="ellipsis", ratio=1)
        for label, said in self._rows(run, now):
            body.add_row(label, said)
        return Group(self._head(run, now, deadline or self._deadline), body)

    def _head(self, run: Run, now: datetime, deadline: datetime | None) -> RenderableType:
        began = self._began or run.started
        head = Table.grid(expand=True, padding=(0, 1))
        head.add_column(no_wrap=True, overflow="ellipsis", ratio=1)
        head.add_column(justify="right", no_wrap=True)
        title = Text(no_wrap=True, overflow="ellipsis")
        if run.start:
            title.append(visible(run.start.command), "bold")
            title.append(f" {visible(run.start.target)}" if run.start.target else "")
        time = Text(_clock_of((now - began).total_seconds()))
        if deadline is not None:
            time.append(f"  {_clock_of((deadline - now).total_seconds())} left", "dim")
        head.add_row(title, time)
        if deadline is None:
            return head
        total = max((deadline - began).total_seconds(), 0.001)
        passed = min(max((now - began).total_seconds(), 0.0), total)
        bar = Table.grid(expand=True)
        bar.add_row(ProgressBar(total=total, completed=passed, style="bright_black", complete_style="cyan"))
        return Group(head, bar)

    def _rows(self, run: Run, now: datetime) -> _Rows:
        if run.matrix.began is not None:
            return [*self._progress.rows(run, now), *_warning(run)]
        phase = Phase.TIMING if run.racing is not None else run.phase
        said = _PHASES.get(phase, "starting") if phase else "sampling" if is_sampling(run) else "starting"
        rows: _Rows = [("phase", Text(said, "bold"))]
        if sweeps.is_sweep(run):
            return [*rows, *sweeps.board_rows(run, self._by_target()), *_warning(run)]
        if run.baseline:
            rows.append(("baseline", Text(words.baseline(run))))
        if run.pool:
            rows.append((f"slots {len(run.judging)}/{run.pool.size}", self._slots(run, now)))
        if run.spent.attempts:
            rows += [("models", self._models(run, now)), ("spent", _spent(run))]
        limited = self._limited(run, now)
        if limited:
            rows.append(("limited", limited))
        if is_sampling(run):
            rows.append(("samples", Text(" · ".join(words.sampled(run)))))
        else:
            rows += self._of_candidates(run, now)
        return [*rows, *_warning(run)]

    def _by_target(self) -> dict[str, Run]:
        """The runs that are part of this one, by their targets; of several, the last."""
        parts = list(self._parts.values())
        return {part.start.target: part for part in parts if part.start is not None and part.start.target is not None}

    def _of_candidates(self, run: Run, now: datetime) -> _Rows:
        rows: _Rows = []
        sources = words.sources(run)
        if len(sources) > 1:
            rows.append(("sources", Text(" · ".join(sources))))
        rows.append(("candidates", Text(" · ".join(words.counted(run)))))
        rejected = words.rejected(run)
        if rejected:
            rows.append(("rejected", Text(" · ".join(rejected))))
        if run.racing:
            rows.append(("race", self._race(run, now)))
        return [*rows, ("best so far", _best(run))]

    def _slots(self, run: Run, now: datetime) -> Text:
        """What is in them, the longest there first."""
        said = Text()
        for candidate in list(run.judging):
            since = self._since.get(candidate)
            said.append(" · " if said else "").append(one_line(name_of(run, candidate), 40))
            said.append(f" {words.duration((now - since).total_seconds())}" if since else "", "dim")
        return said or Text("free", "dim")

    def _models(self, run: Run, now: datetime) -> Text:
        """How many calls there are, and how long those under way have been so."""
        said, under_way = [words.amount(run.spent.calls, "call")], list(run.spent.open)
        if under_way:
            longest = max((now - self._asked_since.get(one, now)).total_seconds() for one in under_way)
            said.append(f"{len(under_way):,} under way for up to {words.duration(longest)}")
        said += [f"{words.amount(run.spent.failed, 'attempt')} failed"] if run.spent.failed else []
        return Text(" · ".join(said))

    def _limited(self, run: Run, now: datetime) -> Text:
        """Providers that were asked for less of late, and for how much longer they are not asked at all. That they are
        asked for more again is no event."""
        said = Text(style="yellow")
        for one in {one.provider: one for one in list(run.limits)}.values():
            since = self._limited_since.get(one.provider)
            pause = timedelta(seconds=min(one.pause, _NO_END))
            if since is None or now >= since + pause + _NEWS:
                continue
            said.append(" · " if said else "")
            said.append(f"{one_line(one.provider, 40)} at most {one.limit:,} at once")
            left = (since + pause - now).total_seconds()
            said.append(f", pausing {_clock_of(left)}" if left > 0 else "")
        return said

    def _race(self, run: Run, now: datetime) -> Text:
        if run.racing is None:
            return Text("")
        names = [one_line(name_of(run, candidate), 40) for candidate in run.racing.candidates]
        about = ""
        if run.racing.seconds and self._racing_since is not None:
            passed = (now - self._racing_since).total_seconds()
            about = f"{_clock_of(passed)} of about {_clock_of(run.racing.seconds)}  "
        return Text.assemble((about, "dim"), ", ".join(names))

    # ── Plain lines ──────────────────────────────────────────────────────────────────────────────────────────────────

    def line(self, recorded: Recorded) -> str | None:
        """The line for an event that was added, where it is worth one."""
        if self.run is not None and sweeps.is_sweep(self.run):
            said = None if self.is_part(recorded) else sweeps.line(self.run, recorded.event)
            if said is not None or self.is_part(recorded):
                return said
        match recorded.event:
            case PhaseBegan(phase=phase):
                return None if phase in (Phase.TIMING, Phase.PREPARING) else f"{_PHASES[phase]} …"
            case CandidateJudged() | CandidateMeasured() | RaceBegan() | RaceEnded():
                return self._line_of_candidates(recorded.event)
            case CallEnded() | ProviderLimited() | CandidateProposed() | SampleEnded() | CellEnded():
                return self._line_of_models(recorded.event)
            case RunEnded(state=State.DONE):
                return words.ending(self.run) if self.run else None
            case _:
                return self._line_of_run(recorded)

    def _line_of_run(self, recorded: Recorded) -> str | None:
        said = None
        match recorded.event:
            case RunStarted() as event:
                # The last one that fails is told of as the error of the whole.
                before = f"{words.ending(self._failed)}\n" if self._failed is not None else ""
                said = f"{visible(event.command)} {visible(event.target or '')}".strip() + f" (run {recorded.run})"
                said = before + said
            case PoolOpened() as event:
                said = f"slots: {event.size} of {event.asked}, {visible(event.kind)}"
            case SandboxFound() as event:
                without = f", without {', '.join(map(visible, event.missing))}" if event.missing else ""
                said = f"sandbox: {visible(event.tier)}{without}"
            case BaselineLearned() if self.run is not None:
                said = f"learned: {words.baseline(self.run)}"
            case Profiled(profile=profile) if (problem := words.profile_problem(profile)) is not None:
                said = f"no line profile: {problem}"
            case Warned(message=message):
                said = f"warning: {one_line(message, 1000)}"
        return said

    def _line_of_models(
        self, event: CallEnded | ProviderLimited | CandidateProposed | SampleEnded | CellEnded
    ) -> str | None:
        run, said = self.run, None
        if run is None:
            return None
        match event:
            case CellEnded():
                said = self._progress.line(run, event)
            case CallEnded() if run.matrix.began is None:  # else its cell has a line
                said = self._line_of_call(run, event)
            case ProviderLimited():
                after = f", after a pause of {words.duration(event.pause)}" if event.pause else ""
                said = f"{one_line(event.provider, 60)}: at most {words.amount(event.limit, 'call')} at once{after}"
            case CandidateProposed() if is_asked(run.candidates[event.candidate]):
                descent = words.descent(run, run.candidates[event.candidate]) or "fresh"
                said = f"{one_line(event.name)}: {descent}, from {one_line(event.source, 60)}"
            case SampleEnded() if is_sampling(run):
                said = f"sample {one_line(event.sample, 60)}: {words.sample(run.samples[event.sample])}"
        return said

    def _line_of_call(self, run: Run, event: CallEnded) -> str:
        """How an attempt ended, and what all took so far: nothing else is heard for as long as models write."""
        began = run.attempts[event.call, event.attempt].began
        what = f" ({one_line(began.purpose, 60)})" if began.purpose else ""
        alone = spending.total([run.attempts[event.call, event.attempt]])
        took = f"{words.duration(event.seconds)}, {words.tokens(alone)}, {words.cost(alone)}"
        ends = {CallEnd.DONE: "answered", CallEnd.CANCELLED: "cancelled"}
        said = f"{ends[event.end]}, {took}" if event.end in ends else f"failed, {spending.failure(event)}"
        so_far = f"{len(run.spent.open):,} under way, {_cost_so_far(run)} so far"
        return f"{one_line(began.model, 60)}{what}: {said}; {so_far}"

    def _line_of_candidates(self, event: CandidateJudged | CandidateMeasured | RaceBegan | RaceEnded) -> str | None:
        if self.run is None:
            return None
        match event:
            case RaceBegan():
                names = ", ".join(one_line(name_of(self.run, candidate)) for candidate in event.candidates)
                about = f", for about {words.duration(event.seconds)}" if event.seconds else ""
                return f"timing: {names}{about}"
            case RaceEnded():
                return "; ".join([f"timed: {words.timing(event)}", *words.noise(event)])
        candidate = self.run.candidates.get(event.candidate)
        if candidate is None:
            return None
        name = one_line(candidate.proposed.name)
        if isinstance(event, CandidateMeasured):
            return f"{name}: {words.result(self.run, candidate)}"
        return f"{name}: {self._verdict(event)}"

    def _verdict(self, event: CandidateJudged) -> str:
        run = self.run
        if run is None:
            return event.verdict.value
        if event.verdict is Verdict.VERIFIED:
            tried = words.evidence(run, event.evidence) if event.evidence else ""
            return f"verified ({tried})" if tried else "verified"
        if event.duplicate_of is not None:
            return f"duplicate of {one_line(name_of(run, event.duplicate_of))}"
        why = event.reason or event.counterexample
        return f"{event.verdict.value}: {one_line(why, 300)}" if why else event.verdict.value


def _warning(run: Run) -> _Rows:
    """The last one."""
    return [("warning", Text(one_line(run.warnings[-1], 500), "yellow"))] if run.warnings else []


def _spent(run: Run) -> Text:
    return Text(f"{_cost_so_far(run)} · {words.tokens(run.spent)}")


def _cost_so_far(run: Run) -> str:
    """Calls under way are no doubt about it: it just goes on."""
    return words.cost(replace(run.spent, open={}))


def _best(run: Run) -> Text:
    first = best(run)
    found = measured(first) if first else None
    if first is None or found is None:
        return Text("–", "dim")
    return Text.assemble((one_line(first.proposed.name, 40), "bold green"), f" {words.times(found.speedup)}")


def _clock_of(seconds: float) -> str:
    whole = max(0, int(seconds))
    hours, rest = divmod(whole, 3600)
    return f"{hours}:{rest // 60:02}:{rest % 60:02}" if hours else f"{rest // 60}:{rest % 60:02}"
