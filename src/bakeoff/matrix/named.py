"""Strategies and scorers, by their names and tables in a definition."""

from __future__ import annotations

import inspect
import json
import re
from typing import TYPE_CHECKING, Any, Final

from bakeoff.errors import UsageError
from bakeoff.matrix import shape
from bakeoff.matrix.fitting import near
from bakeoff.matrix.imports import imported, looked_for
from bakeoff.matrix.scorers import Exact, FitsSchema, Judge, Numeric, Pattern, Scorer, ScoringCode
from bakeoff.matrix.strategies import BestOfAll, Function, Optimization, Sampled, Single, Strategy
from bakeoff.sampling import Extent, MajorityVote, MultiTurn, Regex, Rejection, RepairTemplate, canonical
from bakeoff.sampling.schemas import Schema

if TYPE_CHECKING:
    from bakeoff.matrix.tools import Tools
    from bakeoff.sampling import Strategy as Sampler

__all__ = ["scorer", "strategy"]

_COUNTED: Final = re.compile(r"(best-of|majority|rejection|repair|multi-turn)(?:-(\d{1,4}))?")
_TABLES: Final[dict[str, type]] = {
    "best-of": shape.BestOf,
    "majority": shape.Majority,
    "rejection": shape.Rejected,
    "repair": shape.Repaired,
    "multi-turn": shape.MultiTurnTable,
}
_NAMES: Final = ("single", *(f"{kind}-N" for kind in _TABLES), "file.py:function")
_IN_BREADTH: Final[dict[str, Sampler]] = {
    "best-of": BestOfAll(key=canonical),
    "majority": MajorityVote(key=canonical),
}
_IN_DEPTH: Final[dict[str, Sampler]] = {
    "rejection": Rejection(),
    "repair": RepairTemplate(),
    "multi-turn": MultiTurn(),
}


def strategy(said: str | shape.StrategyTable, *, require: tuple[str, ...], tools: Tools) -> Strategy:
    """The strategy of a name, or of a table. What answers have to be is `require` where it does not say it itself.
    Raises UsageError for what cannot be used."""
    table = _table(said) if isinstance(said, str) else said
    name = said if isinstance(said, str) else said.name
    match table:
        case shape.SingleTable():
            return Single(name=name or "single")
        case shape.FunctionTable():
            return _function(table, name or table.function, tools)
        case shape.OptimizeTable():
            said_of_it = ("repo", "candidates", "budget", "timing", "tests")
            options = {one: getattr(table, one) for one in said_of_it}
            return Optimization(name=name or "optimize", tools=tools, options=options)
        case _:
            return _sampled(table, name, table.require or require, tools)


def _table(name: str) -> shape.StrategyTable:
    if name == "single":
        return shape.SingleTable()
    if ":" in name:
        return shape.FunctionTable(function=name)
    found = _COUNTED.fullmatch(name)
    if found is None or found[2] == "0":
        stem = re.sub(r"-?\d*$", "", name)
        hint = near(f"{stem}-N" if stem != name else name, _NAMES)
        raise UsageError(f"there is no strategy {name!r}", hint=hint)
    kind, count = found.groups()
    field = "samples" if kind in _IN_BREADTH else "tries"
    return _TABLES[kind](**({} if count is None else {field: int(count)}))  # type: ignore[no-any-return]


def _sampled(table: Any, name: str | None, require: tuple[str, ...], tools: Tools) -> Sampled:  # noqa: ANN401 (of five)
    kind = table.__struct_config__.tag
    if kind in _IN_BREADTH:
        extent, sampler = Extent(concurrency_budget=table.samples), _IN_BREADTH[kind]
    else:
        extent, sampler = Extent(loop_budget=table.tries), _IN_DEPTH[kind]
        if not require:
            hint = 'say what an answer has to be: require = ["regex:^\\\\d+$"], for this strategy or for all'
            raise UsageError(f"{kind} asks again until an answer is valid, and nothing is required of one", hint=hint)
    for one in require:
        _look_at(one, tools)
    return Sampled(
        name=name or f"{kind}-{extent.most}", kind=kind, sampler=sampler, extent=extent, tools=tools, require=require
    )


def _look_at(requirement: str, tools: Tools) -> None:
    """Raises UsageError for what is no requirement."""
    kind, _, rest = requirement.partition(":")
    if requirement == "json" or (kind == "ask" and rest):
        return
    if kind == "schema" and rest:
        Schema(_json(rest, tools))
    elif kind == "regex" and rest:
        Regex(rest)
    elif ":" in requirement:
        looked_for(requirement, tools.folder)
    else:
        hint = "give regex:PATTERN, json, schema:FILE, ask:QUESTION or file.py:function"
        raise UsageError(f"{requirement!r} is no requirement", hint=hint)


def _function(table: shape.FunctionTable, name: str, tools: Tools) -> Function:
    runs_in = table.runs_in
    if runs_in == "worker":
        looked_for(table.function, tools.folder)
    else:
        is_async = inspect.iscoroutinefunction(imported(table.function, tools.folder))
        runs_in = runs_in or ("loop" if is_async else "thread")
        if is_async and runs_in == "thread":
            raise UsageError(f"{table.function} is async, and cannot run in a thread", hint='runs_in = "loop"')
    return Function(
        name=name,
        function=table.function,
        runs_in=runs_in,
        tools=tools,
        timeout=table.timeout,
        calls=table.calls,
        models=table.models,
    )


def scorer(name: str, table: shape.ScorerTable, *, tools: Tools) -> Scorer:
    """The scorer of a table. Raises UsageError for what cannot be used."""
    match table:
        case shape.ExactTable():
            return Exact(name=name)
        case shape.RegexTable():
            Regex(table.pattern.replace("{expected}", "x"))
            return Pattern(name=name, pattern=table.pattern, tools=tools)
        case shape.NumericTable():
            return Numeric(name=name, absolute=table.absolute, relative=table.relative)
        case shape.SchemaTable():
            schema = _json(table.schema, tools) if isinstance(table.schema, str) else table.schema
            Schema(schema)
            return FitsSchema(name=name, schema=schema)
        case shape.ScoringFunction():
            looked_for(table.function, tools.folder)
            return ScoringCode(name=name, function=table.function, timeout=table.timeout, tools=tools)
        case shape.JudgeTable():
            if not table.lowest < table.highest:
                raise UsageError("the scale of a judge goes up", hint="lowest = 0, highest = 1")
            return Judge(
                name=name,
                model=table.model,
                question=table.question,
                lowest=table.lowest,
                highest=table.highest,
                tools=tools,
            )


def _json(name: str, tools: Tools) -> Any:  # noqa: ANN401 (JSON)
    try:
        return json.loads((tools.folder / name).expanduser().read_text(encoding="utf-8"))
    except OSError as error:
        raise UsageError(f"{name} cannot be read: {error.strerror}") from None
    except ValueError as error:
        raise UsageError(f"{name} is no JSON: {error}") from None
