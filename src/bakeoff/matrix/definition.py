"""What a matrix is: axes with their points, and the cells that lie where one point of each axis meets the others.

A cell's key is the hash of all that decides its answer: what is asked of which model and how, the task, the repeat. It
is no matter what models and strategies are called in it, in which order points stand, who runs the cell and when. What
an answer is expected to be, and how it is scored, decides no answer; both are in the hash of its scoring.
"""

from __future__ import annotations

import hashlib
import itertools
from collections import Counter
from dataclasses import dataclass, field, fields, replace
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any, Final

import msgspec

from bakeoff.events import CellPlanned
from bakeoff.matrix.cases import Settings
from bakeoff.matrix.tools import Tools
from bakeoff.models import Budget

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from bakeoff.events import Better
    from bakeoff.matrix.cases import Task
    from bakeoff.matrix.scorers import Scorer
    from bakeoff.matrix.strategies import Strategy
    from bakeoff.models import ProviderSettings, Rates

__all__ = ["MODEL", "STRATEGY", "TASK", "Axis", "Cell", "Definition", "Point", "Rule", "digest", "digest_of"]

MODEL: Final = "model"
STRATEGY: Final = "strategy"
TASK: Final = "task"
_KEY_LENGTH: Final = 16
_SETTINGS: Final = tuple(each.name for each in fields(Settings))


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """One value of an axis. `stands_for` is what its name means on that axis: the name of a model, a strategy, a task,
    or any value of an axis of the user's own; `settings` hold for the cells that it is part of."""

    name: str
    stands_for: Any
    settings: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Axis:
    """The points of one dimension, each under its name."""

    name: str
    points: tuple[Point, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """Cells, by the names on some of the axes: one of these names, or patterns like `openai:*`, on each."""

    names: Mapping[str, tuple[str, ...]]

    def holds(self, coordinates: Mapping[str, str]) -> bool:
        """Whether it speaks of the cell at these coordinates."""
        return all(
            any(fnmatchcase(coordinates[axis], pattern) for pattern in patterns)
            for axis, patterns in self.names.items()
        )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Cell:
    """One point of the matrix, with all that is needed to run it. `values` are those of the axes of the user's own."""

    key: str
    coordinates: Mapping[str, str]
    repeat: int
    model: str | None
    strategy: Strategy
    task: Task
    settings: Settings
    values: Mapping[str, Any]
    providers: tuple[str, ...]
    scoring: str

    @property
    def planned(self) -> CellPlanned:
        """As it is recorded."""
        return CellPlanned(
            cell=self.key,
            coordinates=dict(self.coordinates),
            repeat=self.repeat,
            providers=self.providers,
            scoring=self.scoring,
        )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Definition:
    """A matrix. A cell is part of it unless an exclusion speaks of it and no inclusion does.

    `document` is what it was made of, as JSON can hold it. `better` says which numbers of a scorer, or of a metric, are
    the better ones, where that is not as usual; nothing is run or scored anew for it. The budget is of one run of it,
    however often it is gone on with; so many failures end one try of it. `concurrency` is how many cells are run at
    once that call no provider.
    """

    name: str
    axes: tuple[Axis, ...]
    repeats: int = 1
    include: tuple[Rule, ...] = ()
    exclude: tuple[Rule, ...] = ()
    scorers: tuple[Scorer, ...] = ()
    better: Mapping[str, Better] = field(default_factory=dict)
    settings: Settings = field(default_factory=Settings)
    providers: Mapping[str, ProviderSettings] = field(default_factory=dict)
    prices: Mapping[str, Rates] = field(default_factory=dict)
    budget: Budget = field(default_factory=Budget)
    max_failures: int | None = None
    concurrency: int = 16
    tools: Tools = field(default_factory=Tools)
    document: Mapping[str, Any] = field(default_factory=dict)

    def cells(self) -> tuple[Cell, ...]:
        """All cells: every repeat of the first task before the second one, so that what is there early is whole."""
        axes = sorted(self.axes, key=lambda axis: axis.name != TASK)
        scoring = self.scorings
        cells, seen = [], Counter[str]()
        for points in itertools.product(*(axis.points for axis in axes)):
            place = {axis.name: point for axis, point in zip(axes, points, strict=True)}
            if not self._has({name: point.name for name, point in place.items()}):
                continue
            for repeat in range(self.repeats):
                cell = self._cell(place, repeat, scoring)
                seen[cell.key] += 1
                # The same under two names is two cells all the same: whoever compares them wants to know chance.
                cells.append(cell if seen[cell.key] == 1 else replace(cell, key=digest([cell.key, seen[cell.key]])))
        return tuple(cells)

    @property
    def digest(self) -> str:
        """The hash of all its cells."""
        return digest_of(self.cells())

    @property
    def judges(self) -> tuple[str, ...]:
        """The models that its scorers ask."""
        return tuple(dict.fromkeys(model for scorer in self.scorers for model in scorer.models))

    @property
    def tasks(self) -> tuple[Task, ...]:
        """The points of the axis of tasks."""
        return tuple(point.stands_for for axis in self.axes if axis.name == TASK for point in axis.points)

    @property
    def scorings(self) -> dict[str, str]:
        """By task, the hash of all that decides how its answers are scored."""
        scorers = self.scoring
        return {task.name: digest([scorers, task.expected, task.fields]) for task in self.tasks}

    @property
    def scoring(self) -> str:
        """The hash of the scorers."""
        return digest([scorer.described() for scorer in self.scorers])

    def _has(self, coordinates: Mapping[str, str]) -> bool:
        is_excluded = any(rule.holds(coordinates) for rule in self.exclude)
        return not is_excluded or any(rule.holds(coordinates) for rule in self.include)

    def _cell(self, place: Mapping[str, Point], repeat: int, scoring: Mapping[str, str]) -> Cell:
        model = place[MODEL].stands_for if MODEL in place else None
        strategy, task = place[STRATEGY].stands_for, place[TASK].stands_for
        values = {name: point.stands_for for name, point in place.items() if name not in {MODEL, STRATEGY, TASK}}
        settings = self._settings(place, repeat)
        providers = _providers(model, strategy)
        served = [self.providers[name].base_url if name in self.providers else None for name in providers]
        asked = [
            {name: getattr(settings, name) for name in _SETTINGS},
            task.name,
            task.prompt,
            task.fields,
            values,
            repeat,
        ]
        return Cell(
            key=digest([model, providers, served, strategy.described(), *asked]),
            coordinates={axis.name: place[axis.name].name for axis in self.axes},
            repeat=repeat,
            model=model,
            strategy=strategy,
            task=task,
            settings=settings,
            values=values,
            providers=providers,
            scoring=scoring[task.name],
        )

    def _settings(self, place: Mapping[str, Point], repeat: int) -> Settings:
        said = {name: value for axis in self.axes for name, value in place[axis.name].settings.items()}
        settings = replace(self.settings, **said) if said else self.settings
        return settings if settings.seed is None else replace(settings, seed=settings.seed + repeat)


def _providers(model: str | None, strategy: Strategy) -> tuple[str, ...]:
    models = (*(() if model is None else (model,)), *strategy.models)
    return tuple(dict.fromkeys(name.partition(":")[0] for name in models))


def digest_of(cells: Iterable[Cell]) -> str:
    """The hash of so many cells, as they are recorded."""
    return digest([cell.planned for cell in cells])


def digest(value: object) -> str:
    """The same for the same values, in whatever order their tables stand."""
    return hashlib.sha256(msgspec.json.encode(value, order="deterministic")).hexdigest()[:_KEY_LENGTH]
