"""Definitions from files of TOML, or from tables like those: read, and all that is wrong told at once.

text ──tomllib──▶ tables ──shape.py──▶ File ──▶ Definition
  └──places.py──▶ the line of each mistake
"""

from __future__ import annotations

import fnmatch
import json
import tomllib
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from bakeoff.errors import DefinitionWrong, UsageError
from bakeoff.events import Better
from bakeoff.matrix.cases import Settings, fields_of
from bakeoff.matrix.definition import MODEL, STRATEGY, TASK, Axis, Definition, Point, Rule
from bakeoff.matrix.fitting import MISFIT, Fitting, Mistake, near
from bakeoff.matrix.named import scorer, strategy
from bakeoff.matrix.places import line_of, lines_of
from bakeoff.matrix.shape import Axes, File, ModelPoint, OwnPoint
from bakeoff.matrix.tasks import tasks_of
from bakeoff.matrix.tools import Tools
from bakeoff.models import Budget, ProviderSettings
from bakeoff.models.vendors import KNOWN

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from bakeoff.matrix.cases import Task
    from bakeoff.matrix.places import Place
    from bakeoff.matrix.scorers import Scorer
    from bakeoff.matrix.strategies import Strategy

__all__ = ["definition_of", "read"]

_KNOWN_AXES: Final = (TASK, MODEL, STRATEGY)
_SETTINGS: Final = ("template", "system", "max_tokens", "temperature", "seed", "stop")
_OWN: Final = tuple[str | int | float | bool | OwnPoint, ...]
_MOST_CELLS: Final = 1_000_000
_ALIKE: Final = 0.8


def read(path: Path) -> Definition:
    """The definition in a file. What it names is looked for in the folder of the file. Raises DefinitionWrong, with
    everything that is wrong about it."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeError) as error:
        why = error.strerror if isinstance(error, OSError) else error
        raise UsageError(f"{path} cannot be read: {why}", hint="name a file of TOML, as in docs/matrix.md") from None
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise DefinitionWrong(str(path), [f"it is no TOML: {error}"]) from None
    return _made(document, path.absolute().parent, str(path), lines_of(text))


def definition_of(document: Mapping[str, Any], *, folder: Path = Path()) -> Definition:
    """The definition that such tables are, as in a file of TOML. Raises DefinitionWrong."""
    return _made(document, folder.absolute(), str(document.get("name", "the matrix")), {})


def _made(document: Mapping[str, Any], folder: Path, name: str, lines: Mapping[Place, int]) -> Definition:
    making = _Making(document, Tools(folder))
    definition = making.definition()
    if definition is None:
        raise DefinitionWrong(name, [_line(one, lines) for one in making.mistakes(lines)])
    return definition


def _line(mistake: Mistake, lines: Mapping[Place, int]) -> str:
    """A mistake as it is told."""
    number = mistake.line or (None if mistake.file else line_of(lines, mistake.place))
    where = f"{mistake.file} " if mistake.file else ""
    where += f"line {number}: " if number else ": " if mistake.file else ""
    place = ".".join(str(part) for part in mistake.place) if not mistake.file else ""
    hint = f" ({mistake.hint})" if mistake.hint else ""
    return f"{where}{place}{': ' if place else ''}{mistake.message}{hint}"


class _Making:
    """One definition in the making. Whatever is wrong is kept, and the rest is looked at all the same."""

    def __init__(self, document: Mapping[str, Any], tools: Tools) -> None:
        self._document = document
        self._tools = tools
        self._fitting = Fitting()
        self._others: list[Mistake] = []

    def mistakes(self, lines: Mapping[Place, int]) -> list[Mistake]:
        """All of them, in the order of the file."""
        found = [*self._fitting.mistakes, *self._others]
        return sorted(found, key=lambda one: (bool(one.file), one.line or line_of(lines, one.place) or 0))

    def _wrong(self, place: Place, error: UsageError) -> None:
        self._fitting.wrong(place, error.message, error.hint or "")

    def definition(self) -> Definition | None:
        """None where there are mistakes."""
        said = {**self._document, "axes": {TASK: ()}}
        file = File(**{"name": "", "axes": Axes(task=()), **self._fitting.fields(said, File)})
        axes = self._axes(file)
        definition = Definition(
            name=file.name,
            axes=axes,
            repeats=file.repeats,
            include=self._rules("include", file.include, axes),
            exclude=self._rules("exclude", file.exclude, axes),
            scorers=self._scorers(file),
            better=self._better(file),
            settings=file.settings or Settings(),
            providers=file.providers,
            prices=file.prices,
            budget=Budget(cost=file.max_cost, tokens=file.max_tokens, seconds=file.max_time),
            max_failures=file.max_failures,
            concurrency=file.concurrency,
            tools=self._tools,
            document=self._recorded(axes),
        )
        self._look_at(definition)
        return definition if not self._fitting.mistakes and not self._others else None

    def _recorded(self, axes: tuple[Axis, ...]) -> dict[str, Any]:
        """The document, with all tasks in it, from wherever they are: the same definition, without its files."""
        known: list[Task] = [point.stands_for for axis in axes if axis.name == TASK for point in axis.points]
        tasks = [{**one.fields, "id": one.name, "prompt": one.prompt, "expected": one.expected} for one in known]
        document = {**self._document, "axes": {**_table(self._document.get("axes")), TASK: tasks}}
        return json.loads(json.dumps(document, default=str))  # type: ignore[no-any-return]

    # -- axes ----------------------------------------------------------------------------------------------------------

    def _axes(self, file: File) -> tuple[Axis, ...]:
        said = self._document.get("axes")
        if not isinstance(said, dict):
            self._fitting.wrong(("axes",), "there has to be a table of axes")
            return ()
        known = {name: value for name, value in said.items() if name in _KNOWN_AXES}
        fitted = self._fitting.fields(known, Axes, ("axes",))
        axes = []
        for name in dict.fromkeys([*said, STRATEGY]):
            if name not in _KNOWN_AXES:
                self._look_at_name(name, said)
                points: Sequence[Point] = self._own(name, said[name])
            elif name in fitted or name not in said:
                points = self._known(name, fitted.get(name, ("single",)), file)
            else:
                continue
            axes.append(Axis(name=name, points=self._named(name, points)))
        return tuple(axes)

    def _known(self, name: str, said: Any, file: File) -> Sequence[Point]:  # noqa: ANN401 (as it was fitted)
        if name == TASK:
            return self._tasks(said)
        made: list[Point | None] = []
        for index, one in enumerate(said):
            if one is not MISFIT and name == MODEL:
                made.append(self._model(one, ("axes", MODEL, index)))
            elif one is not MISFIT:
                made.append(self._strategy(one, file.require, index))
        return [one for one in made if one is not None]

    def _tasks(self, said: Any) -> Sequence[Point]:  # noqa: ANN401
        if isinstance(said, tuple):
            said = [one for one in said if one is not MISFIT]
        tasks, mistakes = tasks_of(said, self._tools.folder, ("axes", TASK))
        self._others += mistakes
        return [Point(name=task.name, stands_for=task) for task in tasks]

    def _model(self, said: str | ModelPoint, place: Place) -> Point:
        model = said if isinstance(said, str) else said.model
        self._look_at_model(model, place if isinstance(said, str) else (*place, "model"))
        name = model if isinstance(said, str) else said.name or model
        return Point(name=name, stands_for=model, settings=_settings(said))

    def _look_at_model(self, model: str, place: Place) -> None:
        provider, colon, name = model.partition(":")
        if not (colon and name):
            self._fitting.wrong(place, f"{model!r} is no model", "name it provider:model, like openai:gpt-5")
        elif provider not in KNOWN:
            self._fitting.wrong(place, f"there is no provider {provider!r}", near(provider, KNOWN))

    def _strategy(self, said: Any, require: tuple[str, ...], index: int) -> Point | None:  # noqa: ANN401
        place: Place = ("axes", STRATEGY, index)
        try:
            made = strategy(said, require=require, tools=self._tools)
        except UsageError as error:
            self._wrong(place, error)
            return None
        for model in made.models:
            self._look_at_model(model, place)
        return Point(name=made.name, stands_for=made, settings=_settings(said))

    def _look_at_name(self, name: str, said: Mapping[str, object]) -> None:
        """An axis of one's own that is nearly called like one that has a meaning is that one, misspelt."""
        for meant in get_close_matches(name, set(_KNOWN_AXES) - said.keys(), n=1, cutoff=_ALIKE):
            self._fitting.wrong(("axes", name), f"{name!r} is no axis that has a meaning", f"did you mean {meant}?")

    def _own(self, name: str, said: object) -> list[Point]:
        place: Place = ("axes", name)
        if not name.isidentifier():
            self._fitting.wrong(place, f"{name!r} cannot be the name of an axis", "letters, digits and _")
        fitted = self._fitting.fit(said, _OWN, place)
        if fitted is MISFIT:
            close = near(name, _KNOWN_AXES)
            if close.startswith("did you mean"):
                self._fitting.wrong(place, f"{name!r} is taken for an axis of your own", close)
            return []
        points = []
        for one in fitted:
            if isinstance(one, OwnPoint):
                called = one.name if one.name is not None else _written(one.value)
                value = one.name if one.value is None else one.value
                points.append(Point(name=called, stands_for=value, settings=_settings(one)))
            elif one is not MISFIT:
                points.append(Point(name=_written(one), stands_for=one))
        return points

    def _named(self, name: str, points: Iterable[Point]) -> tuple[Point, ...]:
        """Those under names of their own."""
        found: dict[str, Point] = {}
        for index, point in enumerate(points):
            if point.name in found:
                hint = "say another: { name = … }"
                self._fitting.wrong(("axes", name, index), f"another point is called {point.name!r}", hint)
            found[point.name] = point
        if not found and not self._is_wrong(name):
            self._fitting.wrong(("axes", name), "an axis has at least one point")
        return tuple(found.values())

    # -- the rest ------------------------------------------------------------------------------------------------------

    def _scorers(self, file: File) -> tuple[Scorer, ...]:
        made = []
        for name, table in file.scorers.items():
            try:
                one = scorer(name, table, tools=self._tools)
            except UsageError as error:
                self._wrong(("scorers", name), error)
                continue
            for model in one.models:
                self._look_at_model(model, ("scorers", name, "model"))
            made.append(one)
        return tuple(made)

    def _better(self, file: File) -> dict[str, Better]:
        """By scorer, and by metric. A metric that is nearly called like those of a scorer is one of them, misspelt."""
        scorers = _table(self._document.get("scorers"))
        for name, said in file.better.items():
            scorer = name.partition(".")[0]
            if name in scorers:
                hint = f'better = "{said}" below [scorers.{name}]'
                self._fitting.wrong(("better", name), f"{name!r} is a scorer, which says it itself", hint)
            elif scorer not in scorers:
                for meant in get_close_matches(scorer, scorers, n=1, cutoff=_ALIKE):
                    hint = f"did you mean {meant}{name[len(scorer) :]}?"
                    self._fitting.wrong(("better", name), f"there is no scorer {scorer!r}", hint)
        said_of = file.better | {name: table.better for name, table in file.scorers.items()}
        return {name: Better(said) for name, said in said_of.items()}

    def _rules(self, which: str, said: tuple[Any, ...], axes: tuple[Axis, ...]) -> tuple[Rule, ...]:
        points = {axis.name: [point.name for point in axis.points] for axis in axes}
        rules = []
        for index, table in enumerate(one for one in said if one is not MISFIT):
            names = {axis: (one,) if isinstance(one, str) else one for axis, one in table.items()}
            for axis, patterns in names.items():
                if axis not in points:
                    self._fitting.wrong((which, index, axis), f"there is no axis {axis!r}", near(axis, points))
                elif not self._is_wrong(axis):
                    self._look_at_patterns((which, index, axis), patterns, points[axis])
            rules.append(Rule(names={axis: patterns for axis, patterns in names.items() if axis in points}))
        return tuple(rules)

    def _look_at_patterns(self, place: Place, patterns: Iterable[str], points: list[str]) -> None:
        for pattern in patterns:
            if not fnmatch.filter(points, pattern):
                self._fitting.wrong(place, f"no point of {place[-1]} is called {pattern!r}", near(pattern, points))

    def _is_wrong(self, axis: str) -> bool:
        return any(one.place[:2] == ("axes", axis) for one in (*self._fitting.mistakes, *self._others))

    def _look_at(self, definition: Definition) -> None:
        """What only the whole of it shows."""
        points = {axis.name: axis.points for axis in definition.axes}
        for name in definition.providers:
            if name not in KNOWN:
                self._fitting.wrong(("providers", name), f"there is no provider {name!r}", near(name, KNOWN))
        self._look_at_addresses(definition, points)
        strategies: list[Strategy] = [point.stands_for for point in points.get(STRATEGY, ())]
        asking = [one.name for one in strategies if one.asks_model]
        if asking and MODEL not in points:
            message = f"the strategy {asking[0]} asks a model, and there is no axis of models"
            self._fitting.wrong(("axes",), message, 'model = ["openai:gpt-5"]')
        self._look_at_templates(definition, points)
        if self._fitting.mistakes or self._others:
            return
        count = definition.repeats
        for axis in definition.axes:
            count *= len(axis.points)
        if count > _MOST_CELLS:
            self._fitting.wrong(("axes",), f"{count:,} cells are too many; {_MOST_CELLS:,} can be")
        elif not definition.cells():
            self._fitting.wrong(("exclude",), "every cell is excluded")

    def _look_at_addresses(self, definition: Definition, points: Mapping[str, Sequence[Point]]) -> None:
        for index, point in enumerate(points.get(MODEL, ())):
            provider = str(point.stands_for).partition(":")[0]
            settings = definition.providers.get(provider, ProviderSettings())
            if provider == "openai-compatible" and settings.base_url is None:
                hint = 'base_url = "http://…/v1" below [providers.openai-compatible]'
                self._fitting.wrong(("axes", MODEL, index), f"{point.stands_for} needs the address of its server", hint)

    def _look_at_templates(self, definition: Definition, points: Mapping[str, Sequence[Point]]) -> None:
        """Each field of a template is one that every task has, or an axis."""
        own = {name for name in points if name not in _KNOWN_AXES}
        tasks: list[Task] = [point.stands_for for point in points.get(TASK, ())]
        shared = set.intersection(*(set(task.fields) for task in tasks)) if tasks else set()
        known = sorted({"prompt", "task", *own, *shared})
        said: list[tuple[Place, str | None]] = [
            (("settings", one), getattr(definition.settings, one)) for one in ("template", "system")
        ]
        for axis, its_points in points.items():
            for index, point in enumerate(its_points):
                said += [(("axes", axis, index, one), point.settings.get(one)) for one in ("template", "system")]
        for place, template in said:
            for field in fields_of(template or "") if tasks else ():
                if field not in known:
                    hint = f"{near(field, known)} {{{{{field}}}}} stands for itself"
                    self._fitting.wrong(place, f"the template has {{{field}}}", hint)


def _settings(said: object) -> dict[str, Any]:
    found = {name: getattr(said, name, None) for name in _SETTINGS} if not isinstance(said, str) else {}
    return {name: value for name, value in found.items() if value is not None}


def _table(value: object) -> dict[str, Any]:
    return dict(value) if isinstance(value, dict) else {}


def _written(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, default=str)
