"""Matrices as they are in real logs, event by event."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import anyio

from bakeoff.events import (
    Better,
    CallBegan,
    CallEnd,
    CallEnded,
    CellBegan,
    CellEnded,
    CellPlanned,
    CellScored,
    CellsPlanned,
    CellStatus,
    MatrixBegan,
    MatrixStopped,
    PricesFound,
    ProviderLimited,
    RunStarted,
    ScoringBegan,
    State,
    StopCause,
)
from report.kitchen import Kitchen

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from bakeoff.store import Store

SMALL, LARGE, LOCAL = "openai:gpt-5-mini", "anthropic:claude-sonnet-4-5", "ollama:qwen3:8b"
COST = {SMALL: 0.0004, LARGE: 0.0121, LOCAL: 0.00002}
SECONDS = {SMALL: 0.8, LARGE: 2.4, LOCAL: 5.0}
SKILL = {SMALL: 0.6, LARGE: 0.9, LOCAL: 0.4}
FAILURES = {
    SMALL: ("busy", "openai answers 429: Rate limit reached for requests"),
    LARGE: ("timeout", "anthropic did not answer within 60 s"),
    LOCAL: ("broken", "ollama answers 500: llama runner process has terminated"),
}


class Experiment(Kitchen):
    """A matrix whose cells are ended one by one. Axes are given by their points."""

    def __init__(
        self,
        axes: Mapping[str, Sequence[str]],
        *,
        repeats: int = 1,
        scorers: Sequence[str] = ("exact",),
        name: str = "pilot",
        left_out: Iterable[Mapping[str, str]] = (),
        digest: str = "d1",
        scoring: str = "s1",
        better: Mapping[str, Better] | None = None,
    ) -> None:
        super().__init__(RunStarted(command="matrix", arguments=("run", "pilot.toml"), version="0.5.0", target=name))
        self.axes = {axis: tuple(points) for axis, points in axes.items()}
        self.scoring = scoring
        self.cells: dict[tuple[str, ...], CellPlanned] = {}
        self.better = dict(better or {})
        self.plan(repeats=repeats, scorers=scorers, name=name, left_out=tuple(left_out), digest=digest)

    def plan(
        self,
        *,
        repeats: int,
        scorers: Sequence[str],
        name: str,
        left_out: Sequence[Mapping[str, str]] = (),
        digest: str = "d1",
    ) -> Experiment:
        places: list[tuple[str, ...]] = [()]
        for points in self.axes.values():
            places = [(*place, point) for place in places for point in points]
        planned = []
        for place in places:
            coordinates = dict(zip(self.axes, place, strict=True))
            if any(one.items() <= coordinates.items() for one in left_out):
                continue
            for repeat in range(repeats):
                provider = coordinates.get("model", "").partition(":")[0]
                cell = CellPlanned(
                    cell="/".join((*place, str(repeat))),
                    coordinates=coordinates,
                    repeat=repeat,
                    providers=(provider,) if provider else (),
                    scoring=self.scoring,
                )
                planned.append(cell)
                self.cells[*place, str(repeat)] = cell
        self.say(
            MatrixBegan(
                name=name,
                digest=digest,
                scoring=self.scoring,
                axes=self.axes,
                repeats=repeats,
                cells=len(planned),
                scorers=tuple(scorers),
                better=self.better,
                caps={provider: 4 for cell in planned for provider in cell.providers},
                definition=self.keep("{}"),
            ),
            CellsPlanned(digest=digest, cells=tuple(planned)),
        )
        return self

    def done(self, *place: str, answer: str = "42", tries: int = 1, **more: object) -> Experiment:
        """A cell is done; numbers that are not named are metrics."""
        return self._end(place, CellStatus.DONE, tries=tries, answer=self.keep(answer), **more)

    def failed(self, *place: str, error: str = "it broke", kind: str = "broken", **more: object) -> Experiment:
        return self._end(place, CellStatus.FAILED, error=error, kind=kind, **({"cost": 0.0} | more))

    def cancelled(self, *place: str, **more: object) -> Experiment:
        return self._end(place, CellStatus.CANCELLED, **more)

    def score(self, *place: str, scoring: str = "s2", **metrics: float) -> Experiment:
        return self.say(CellScored(cell=self.cells[place].cell, scoring=scoring, metrics=metrics), after=0.0)

    def _end(self, place: tuple[str, ...], status: CellStatus, **more: object) -> Experiment:
        planned = self.cells[place]
        known = CellEnded.__struct_fields__
        metrics = {name: value for name, value in more.items() if name not in known}
        said = {
            "duration_ms": 800.0 if status is CellStatus.DONE else None,
            "attempts": 1,
            "tokens_in": 120,
            "tokens_out": 44,
            "cost": 0.001,
            "scoring": planned.scoring,
            "metrics": metrics,
        }
        said |= {name: value for name, value in more.items() if name in known}
        self.say(CellBegan(cell=planned.cell, tries=int(said.get("tries", 1))), after=0.01)
        return self.say(
            CellEnded(
                cell=planned.cell,
                coordinates=planned.coordinates,
                repeat=planned.repeat,
                providers=planned.providers,
                status=status,
                **said,
            ),
            after=0.01,
        )


def tasks(count: int) -> tuple[str, ...]:
    return tuple(f"t{number:02}" for number in range(1, count + 1))


def pilot(*, count: int = 12, repeats: int = 2, seed: int = 1, ended: bool = True) -> Experiment:
    """Three models, two strategies; the dear one is good, the small one fails where it is hard."""
    chance = random.Random(seed)
    axes = {"model": (SMALL, LARGE, LOCAL), "strategy": ("single", "best-of-4"), "task": tasks(count)}
    left_out = [{"model": LOCAL, "strategy": "best-of-4"}]
    made = Experiment(axes, repeats=repeats, scorers=("exact", "judge"), left_out=left_out)
    made.say(
        PricesFound(model=SMALL, tokens_in=0.25, tokens_out=2.0, date="2026-01-01", origin="genai-prices 1"),
        ProviderLimited(provider="openai", limit=2, pause=12.0, reason="429"),
    )
    for place in made.cells:
        model, strategy, task, _ = place
        hard = axes["task"].index(task) / count
        many = 4 if strategy == "best-of-4" else 1
        if chance.random() < 0.03 + 0.2 * hard * (model == SMALL) + 0.1 * (model == LOCAL):
            kind, error = FAILURES[model]
            made.failed(*place, error=error, kind=kind, attempts=3, backoff_ms=1200.0)
            continue
        is_right = float(chance.random() < min(SKILL[model] + 0.15 * (many > 1), 1) * (1.1 - 0.6 * hard))
        seconds = SECONDS[model] * chance.lognormvariate(0, 0.4)
        tone = {"judge.tone": float(chance.randint(1, 5))} if chance.random() > 0.05 else {}
        call = f"call-{'-'.join(place)}"
        made.say(
            CallBegan(call=call, model=model, purpose="cell", cell=made.cells[place].cell),
            CallEnded(
                call=call,
                end=CallEnd.DONE,
                tokens_in=120 * many,
                tokens_out=44 * many,
                cost=COST[model] * many,
                seconds=seconds,
                finish="stop",
            ),
            after=0.01,
        )
        made.done(
            *place,
            calls=(call,),
            duration_ms=1000 * seconds,
            queue_ms=chance.expovariate(0.1),
            cost=COST[model] * many * chance.lognormvariate(0, 0.2),
            tokens_in=120 * many,
            tokens_out=44 * many,
            metrics={"exact": is_right, "judge.style": round(chance.betavariate(4, 2), 3)} | tone,
            unscored={} if tone else {"judge": "what it said about the tone was no number"},
        )
    return made.end() if ended else made


def stopped() -> Experiment:
    """A matrix that ended before all of its cells were run."""
    made = Experiment({"model": ("a", "b"), "task": tasks(3)})
    made.done("a", "t01", "0", exact=1.0).failed("a", "t02", "0").cancelled("b", "t01", "0")
    made.say(MatrixStopped(cause=StopCause.COST, reason="$1.00 of $1.00 is spent", missing=4))
    return made.end(State.INTERRUPTED)


def rescored() -> Experiment:
    """A matrix that is done, and scored anew."""
    made = Experiment({"model": ("a", "b"), "task": tasks(3)})
    for place in made.cells:
        made.done(*place, exact=0.0)
    made.end()
    made.say(ScoringBegan(scoring="s2", scorers=("close",)))
    for place in made.cells:
        made.score(*place, close=0.5 if place[0] == "a" else 1.0)
    return made


def errors() -> Experiment:
    """A model that errs seldom, and one that is not wrong where it answers, and fails on most."""
    made = Experiment({"model": ("bold", "shy"), "task": tasks(4)}, scorers=("wrong",), better={"wrong": Better.LOWER})
    for number, task in enumerate(tasks(4)):
        made.done("bold", task, "0", wrong=float(number == 3))
        made.failed("shy", task, "0") if number else made.done("shy", task, "0", wrong=0.0)
    return made.end()


def distances(*, best: float = 1.0) -> Experiment:
    """The dear model is nearest to what was expected, the cheap one is far from it, the third is dear and far."""
    cost, far = {"near": 0.01, "cheap": 0.001, "bad": 0.02}, {"near": best, "cheap": 4.0, "bad": 6.0}
    axes = {"model": tuple(cost), "strategy": ("single",), "task": tasks(6)}
    made = Experiment(axes, scorers=("distance",), better={"distance": Better.LOWER})
    for number, place in enumerate(made.cells):
        made.done(*place, distance=far[place[0]] + 0.1 * (number % 6), cost=cost[place[0]])
    return made.end()


async def recorded(kitchen: Kitchen, store: Store) -> str:
    """The same events in a real store; the run's id."""
    async with store.record() as log:
        for text in kitchen.texts.values():
            log.keep(text)
        async with anyio.create_task_group() as tasks:
            for one in kitchen.log:  # in this order, but not one disk write after another
                tasks.start_soon(log.append, one.event)
        return log.run


def hostile(text: str) -> Experiment:
    """A matrix in which everything that is not ours is this text."""
    made = Experiment(
        {text: (text, "b"), "model": (text, "p:m"), "task": (text, "t2")}, scorers=(text,), name=text, scoring=text
    )
    for place in made.cells:
        if place[2] == "t2":
            made.failed(*place, error=text, kind=text)
        else:
            score = float(place[0] == "b")
            made.done(*place, metrics={text: score, f"{text}.{text}": 0.5}, unscored={"judge": text}, answer=text)
    made.say(
        ProviderLimited(provider=text, limit=1, pause=1e9, reason=text),
        CallBegan(call=text, model=text, purpose=text, cell=text),
        CallEnded(call=text, end=CallEnd.DONE, cost=0.1, seconds=2.0),
    )
    return made.end()
