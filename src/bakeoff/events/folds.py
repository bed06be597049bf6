"""The state of a run, derived from its events and from nothing else."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import msgspec

from bakeoff.events.values import (
    Better,
    CallEnd,
    CellPlanned,
    CellStatus,
    Phase,
    Profile,
    RankedTarget,
    State,
)
from bakeoff.events.vocabulary import (
    BaselineLearned,
    CallBegan,
    CallEnded,
    CandidateJudged,
    CandidateMeasured,
    CandidateProposed,
    CellBegan,
    CellEnded,
    CellScored,
    CellsPlanned,
    Event,
    JudgingBegan,
    MatrixBegan,
    MatrixStopped,
    MergeBegan,
    MergeChecked,
    MergeEnded,
    PhaseBegan,
    PoolOpened,
    PricesFound,
    Profiled,
    ProviderLimited,
    ProviderRecovered,
    RaceBegan,
    RaceEnded,
    Recorded,
    RunEnded,
    RunStarted,
    SampleBegan,
    SampleChosen,
    SampleEnded,
    SandboxFound,
    ScoringBegan,
    SubplanBegan,
    SubplanEnded,
    TargetBegan,
    TargetEnded,
    TargetsRanked,
    Warned,
)

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

__all__ = [
    "AttemptState",
    "CandidateState",
    "CellState",
    "MatrixState",
    "Run",
    "SampleState",
    "Spent",
    "SubplanState",
    "SweepState",
    "TargetState",
]


class CandidateState(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """How a candidate stands: proposed, then judged, then perhaps measured."""

    proposed: CandidateProposed
    judged: CandidateJudged | None = None
    measured: CandidateMeasured | None = None


@dataclass(slots=True, kw_only=True)
class Spent:
    """What calls of language models have taken, derived from their events. `cost`, in dollars, is that of the attempts
    whose price is known; `unpriced` counts the others, `open` holds the attempts that have not ended, and `estimated`
    counts those whose tokens nobody counted. Seconds are those of `CallEnded`, summed, of calls that may have been open
    at the same time."""

    calls: int = 0
    attempts: int = 0
    failed: int = 0
    cancelled: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    tokens_cached: int = 0
    estimated: int = 0
    cost: float = 0.0
    unpriced: int = 0
    seconds: float = 0.0
    queued: float = 0.0
    backed_off: float = 0.0
    open: dict[tuple[str, int], CallBegan] = field(default_factory=dict)

    def add(self, event: CallBegan | CallEnded) -> None:
        """Take one more event, in the order in which they happened."""
        place = (event.call, event.attempt)
        if isinstance(event, CallBegan):
            self.calls += event.attempt == 1
            self.attempts += 1
            self.open[place] = event
            return
        self.open.pop(place, None)
        self.failed += event.end is CallEnd.FAILED
        self.cancelled += event.end is CallEnd.CANCELLED
        self.tokens_in += event.tokens_in
        self.tokens_out += event.tokens_out
        self.tokens_cached += event.tokens_cached
        self.estimated += event.is_estimate
        self.cost += event.cost or 0.0
        self.unpriced += event.cost is None
        self.seconds += event.seconds
        self.queued += event.queued
        self.backed_off += event.backed_off


class AttemptState(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """How an attempt at a call of a language model stands: begun, then ended. One whose process died has no end."""

    began: CallBegan
    ended: CallEnded | None = None


class SampleState(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """How a sample stands: begun, then ended."""

    began: SampleBegan
    ended: SampleEnded | None = None


class CellState(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """How a cell stands: planned, begun, ended, scored anew. Of several tries the last one counts; one that was
    cancelled takes nothing back."""

    planned: CellPlanned
    began: CellBegan | None = None
    ended: CellEnded | None = None
    scored: CellScored | None = None
    is_open: bool = False

    @property
    def status(self) -> CellStatus | None:
        """What came of it; None as long as it is missing."""
        if self.ended is None or self.ended.status is CellStatus.CANCELLED:
            return None
        return self.ended.status

    @property
    def scores(self) -> CellEnded | CellScored | None:
        """Where its metrics stand, and why others do not: what was found last about the answer that it has."""
        return self.scored or self.ended


@dataclass(slots=True, kw_only=True)
class MatrixState:
    """How the cells of a matrix stand, derived from its events. `cells` holds what this run knows of, by its key and in
    the order of its plans; `current` those of the definition that was run last, `former` what was run by earlier ones
    and is no part of it any more."""

    began: MatrixBegan | None = None
    plans: dict[str, tuple[CellPlanned, ...]] = field(default_factory=dict)
    cells: dict[str, CellState] = field(default_factory=dict)
    scoring: ScoringBegan | None = None
    stopped: MatrixStopped | None = None
    limits: dict[str, int] = field(default_factory=dict)

    @property
    def current(self) -> list[CellState]:
        """The cells of the definition in their order, with those that never began."""
        plan = () if self.began is None else self.plans.get(self.began.digest, ())
        return [self.cells[planned.cell] for planned in plan]

    @property
    def former(self) -> list[CellState]:
        """Cells that were run, and that the definition does not have any more."""
        current = {state.planned.cell for state in self.current}
        return [state for key, state in self.cells.items() if key not in current and state.ended is not None]

    @property
    def better(self) -> dict[str, Better]:
        """Which numbers are the better ones, by scorer or by metric, where that was said: of what was scored anew, by
        who did that."""
        began = {} if self.began is None else self.began.better
        if self.scoring is None:
            return began
        anew = self.scoring.scorers
        return {name: one for name, one in began.items() if name.partition(".")[0] not in anew} | self.scoring.better

    def resume(self) -> None:
        """The process that ran cells is not the one that goes on: what was open is missing."""
        self.stopped = None
        self.limits.clear()
        for key, state in self.cells.items():
            if state.is_open:
                self.cells[key] = msgspec.structs.replace(state, is_open=False)

    def add(self, event: Event) -> None:
        """Take one more event, in the order of the log."""
        match event:
            case MatrixBegan():
                self.began, self.scoring = event, None
                self.limits = dict(event.caps)
            case CellsPlanned():
                self._plan(event)
            case CellBegan() | CellEnded() | CellScored():
                self._advance(event)
            case ScoringBegan():
                self.scoring = event
            case MatrixStopped():
                self.stopped = event
            case ProviderLimited() | ProviderRecovered():
                self.limits[event.provider] = event.limit

    def _plan(self, event: CellsPlanned) -> None:
        self.plans[event.digest] = event.cells
        for planned in event.cells:
            known = self.cells.get(planned.cell)
            # What an axis or a point is called is no part of what a cell is: the names of today count.
            state = CellState(planned=planned) if known is None else msgspec.structs.replace(known, planned=planned)
            self.cells[planned.cell] = state

    def _advance(self, event: CellBegan | CellEnded | CellScored) -> None:
        known = self.cells.get(event.cell)
        if known is None:
            raise ValueError(f"cell {event.cell} was run before it was planned")
        if isinstance(event, CellBegan):
            state = msgspec.structs.replace(known, began=event, is_open=True)
        elif isinstance(event, CellScored):
            state = msgspec.structs.replace(known, scored=event)
        elif event.status is CellStatus.CANCELLED and known.status is not None:
            state = msgspec.structs.replace(known, is_open=False)
        else:
            state = msgspec.structs.replace(known, ended=event, scored=None, is_open=False)
        self.cells[event.cell] = state


class SubplanState(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """How a subplan stands: begun, then ended. One that was skipped may never have begun."""

    began: SubplanBegan | None = None
    ended: SubplanEnded | None = None


class TargetState(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """How a target of a sweep stands: ranked, begun, ended."""

    ranked: RankedTarget
    began: TargetBegan | None = None
    ended: TargetEnded | None = None

    @property
    def is_open(self) -> bool:
        """Whether it is being improved."""
        return self.began is not None and self.ended is None

    @property
    def has_winner(self) -> bool:
        return self.ended is not None and self.ended.candidate is not None


@dataclass(slots=True, kw_only=True)
class SweepState:
    """How a sweep stands, derived from its events: the targets by their names, dearest first, and what became of the
    winners when they were brought together."""

    ranked: TargetsRanked | None = None
    targets: dict[str, TargetState] = field(default_factory=dict)
    merging: MergeBegan | None = None
    checks: list[MergeChecked] = field(default_factory=list)
    merged: MergeEnded | None = None

    @property
    def winners(self) -> list[TargetState]:
        """The targets that have a winner."""
        return [state for state in self.targets.values() if state.has_winner]

    def resume(self) -> None:
        """The process that worked is not the one that goes on: what was open, or skipped, is not begun."""
        for name, state in self.targets.items():
            if state.ended is None or state.ended.skipped is not None:
                self.targets[name] = TargetState(ranked=state.ranked)

    def add(self, event: Event) -> None:
        """Take one more event, in the order of the log."""
        match event:
            case TargetsRanked():
                self.ranked = event
                self.targets = {one.target: TargetState(ranked=one) for one in event.targets}
            case TargetBegan() | TargetEnded():
                self._advance(event)
            case MergeBegan():
                self.merging, self.merged = event, None
            case MergeChecked():
                self.checks.append(event)
            case MergeEnded():
                self.merged = event

    def _advance(self, event: TargetBegan | TargetEnded) -> None:
        known = self.targets.get(event.target)
        if known is None:
            raise ValueError(f"{event.target} was begun before it was ranked")
        if isinstance(event, TargetBegan):
            state = TargetState(ranked=known.ranked, began=event)
        else:
            state = TargetState(ranked=known.ranked, began=known.began, ended=event)
        self.targets[event.target] = state


@dataclass(slots=True, kw_only=True)
class Run:
    """The state of a run, derived from its events and from nothing else.

    `Run.of` folds a whole log; a reader that follows a live run keeps one and calls `add` for each new event.
    """

    id: str
    state: State = State.RUNNING
    started: datetime
    last: datetime
    events: int = 0
    start: RunStarted | None = None
    end: RunEnded | None = None
    pool: PoolOpened | None = None
    sandbox: SandboxFound | None = None
    phase: Phase | None = None
    baseline: BaselineLearned | None = None
    candidates: dict[str, CandidateState] = field(default_factory=dict)
    judging: list[str] = field(default_factory=list)
    racing: RaceBegan | None = None
    races: list[RaceEnded] = field(default_factory=list)
    profiles: dict[str | None, Profile] = field(default_factory=dict)
    prices: dict[str, PricesFound] = field(default_factory=dict)
    spent: Spent = field(default_factory=Spent)
    attempts: dict[tuple[str, int], AttemptState] = field(default_factory=dict)
    limits: list[ProviderLimited] = field(default_factory=list)
    samples: dict[str, SampleState] = field(default_factory=dict)
    chosen: SampleChosen | None = None
    matrix: MatrixState = field(default_factory=MatrixState)
    subplans: dict[str, SubplanState] = field(default_factory=dict)
    sweep: SweepState = field(default_factory=SweepState)
    warnings: list[str] = field(default_factory=list)

    @classmethod
    def of(cls, events: Iterable[Recorded]) -> Run:
        """Fold the log of one run. Raises ValueError where there is no event at all."""
        run = None
        for recorded in events:
            if run is None:
                run = cls(id=recorded.run, started=recorded.time, last=recorded.time)
            run.add(recorded)
        if run is None:
            raise ValueError("a run has at least one event")
        return run

    def add(self, recorded: Recorded) -> None:
        """Take one more event, in the order of the log."""
        self.events += 1
        self.last = recorded.time
        match recorded.event:
            case RunStarted() as event:
                # A run that is resumed starts again in the same log.
                self.start, self.end, self.state = event, None, State.RUNNING
                self.judging, self.racing, self.warnings = [], None, []
                self.spent.open.clear()
                self.matrix.resume()
                self.sweep.resume()
            case RunEnded() as event:
                self.end, self.state = event, event.state
            case PhaseBegan() as event:
                self.phase = event.phase
            case PoolOpened() as event:
                self.pool = event
            case SandboxFound() as event:
                self.sandbox = event
            case BaselineLearned() as event:
                self.baseline = event
            case Profiled() as event:
                self.profiles[event.candidate] = event.profile
            case Warned() as event:
                self.warnings.append(event.message)
            case _:
                self._add_of_models(recorded.event)
                self._add_of_candidates(recorded.event)
                self._add_of_samples(recorded.event)
                self.matrix.add(recorded.event)
                self.sweep.add(recorded.event)
                self._add_of_plans(recorded.event)

    def _add_of_plans(self, event: Event) -> None:
        match event:
            case SubplanBegan():
                self.subplans[event.subplan] = SubplanState(began=event)
            case SubplanEnded():
                known = self.subplans.get(event.subplan, SubplanState())
                self.subplans[event.subplan] = SubplanState(began=known.began, ended=event)

    def _add_of_samples(self, event: Event) -> None:
        match event:
            case SampleBegan():
                self.samples[event.sample] = SampleState(began=event)
            case SampleEnded():
                known = self.samples.get(event.sample)
                if known is None:
                    raise ValueError(f"sample {event.sample} ended before it began")
                self.samples[event.sample] = SampleState(began=known.began, ended=event)
            case SampleChosen():
                self.chosen = event

    def _add_of_models(self, event: Event) -> None:
        match event:
            case PricesFound():
                self.prices[event.model] = event
            case ProviderLimited():
                self.limits.append(event)
            case CallBegan() | CallEnded():
                self.spent.add(event)
                self._attempt(event)

    def _attempt(self, event: CallBegan | CallEnded) -> None:
        place = (event.call, event.attempt)
        if isinstance(event, CallBegan):
            self.attempts[place] = AttemptState(began=event)
            return
        known = self.attempts.get(place)
        if known is None:
            raise ValueError(f"attempt {event.attempt} at call {event.call} ended before it began")
        self.attempts[place] = AttemptState(began=known.began, ended=event)

    def _add_of_candidates(self, event: Event) -> None:
        match event:
            case CandidateProposed():
                self.candidates[event.candidate] = CandidateState(proposed=event)
            case JudgingBegan():
                self.judging.append(event.candidate)
            case RaceBegan():
                self.racing = event
            case RaceEnded():
                self.racing = None
                self.races.append(event)
            case CandidateJudged() | CandidateMeasured():
                self._judge(event)

    def _judge(self, event: CandidateJudged | CandidateMeasured) -> None:
        known = self.candidates.get(event.candidate)
        if known is None:
            raise ValueError(f"candidate {event.candidate} was judged before it was proposed")
        judged, measured = known.judged, known.measured
        if isinstance(event, CandidateJudged):
            judged = event
            self.judging = [name for name in self.judging if name != event.candidate]
        else:
            measured = event
        self.candidates[event.candidate] = CandidateState(proposed=known.proposed, judged=judged, measured=measured)
