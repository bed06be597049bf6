"""What may stand in a definition file, as types: the JSON schema for editors is made of them, and files are held
against them, all mistakes at once."""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeAlias

import msgspec
from msgspec import Meta, Struct

from bakeoff.matrix.cases import Settings  # noqa: TC001 (msgspec reads all of these)
from bakeoff.models import ProviderSettings, Rates  # noqa: TC001

__all__ = [
    "Axes",
    "BestOf",
    "ExactTable",
    "File",
    "FunctionTable",
    "JudgeTable",
    "Majority",
    "ModelPoint",
    "MultiTurnTable",
    "NumericTable",
    "OptimizeTable",
    "OwnPoint",
    "RegexTable",
    "Rejected",
    "Repaired",
    "SchemaTable",
    "ScorerTable",
    "ScoringFunction",
    "SingleTable",
    "StrategyTable",
    "TaskSource",
    "json_schema",
]

_REQUIREMENTS = "regex:…, json, schema:FILE, ask:…, file.py:function"
AtLeastOne: TypeAlias = Annotated[int, Meta(ge=1)]
Direction: TypeAlias = Literal["higher", "lower"]
Names: TypeAlias = str | tuple[str, ...]


class _Closed(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Tables that have no other keys than these."""


class _Point(_Closed, frozen=True, kw_only=True):
    """A point of an axis, with settings that hold for its cells."""

    name: Annotated[str | None, Meta(description="what the point is called in results")] = None
    template: Annotated[str | None, Meta(description="the question: {prompt}, fields of tasks, names of axes")] = None
    system: str | None = None
    max_tokens: AtLeastOne | None = None
    temperature: Annotated[float, Meta(ge=0)] | None = None
    seed: int | None = None
    stop: tuple[str, ...] | None = None


class ModelPoint(_Point, frozen=True, kw_only=True):
    """A model, asked in a way of its own."""

    model: Annotated[str, Meta(description="provider:model, like openai:gpt-5")]


class OwnPoint(_Point, frozen=True, kw_only=True):
    """A point of an axis of the user's own; its value is its name where nothing is said."""

    value: Any = None


# -- strategies --------------------------------------------------------------------------------------------------------


class SingleTable(_Point, frozen=True, kw_only=True, tag_field="kind", tag="single"):
    """Asks once."""


class _Sampled(_Point, frozen=True, kw_only=True):
    require: Annotated[tuple[str, ...], Meta(description=f"what an answer has to be: {_REQUIREMENTS}")] = ()


class BestOf(_Sampled, frozen=True, kw_only=True, tag_field="kind", tag="best-of"):
    """Asks so often side by side, and takes the answer that meets the most requirements, or that most agree with."""

    samples: AtLeastOne = 4


class Majority(_Sampled, frozen=True, kw_only=True, tag_field="kind", tag="majority"):
    """Asks so often side by side, until one answer has won."""

    samples: AtLeastOne = 5


class Rejected(_Sampled, frozen=True, kw_only=True, tag_field="kind", tag="rejection"):
    """Asks the same until the answer meets its requirements."""

    tries: AtLeastOne = 3


class Repaired(_Sampled, frozen=True, kw_only=True, tag_field="kind", tag="repair"):
    """Asks again with what was wrong."""

    tries: AtLeastOne = 3


class MultiTurnTable(_Sampled, frozen=True, kw_only=True, tag_field="kind", tag="multi-turn"):
    """Asks again in the same conversation."""

    tries: AtLeastOne = 3


class FunctionTable(_Point, frozen=True, kw_only=True, tag_field="kind", tag="function"):
    """A function of the user's own: an async one on the event loop, another in a thread, or in a jailed worker."""

    function: Annotated[str, Meta(description="module:name, or file.py:name")]
    runs_in: Literal["loop", "thread", "worker"] | None = None
    timeout: Annotated[float, Meta(gt=0)] = 60.0
    calls: Annotated[int, Meta(ge=0, description="calls of the cell's model that it makes at the most")] = 1
    models: Annotated[tuple[str, ...], Meta(description="those that it asks beside the cell's: case.others")] = ()


class OptimizeTable(_Point, frozen=True, kw_only=True, tag_field="kind", tag="optimize"):
    """A whole `bakeoff optimize`: the prompt of a task is its target, the cell's model its source, the winner's patch
    the answer, and the speedup a metric."""

    repo: str = "."
    candidates: AtLeastOne = 8
    budget: Annotated[float, Meta(gt=0, description="seconds")] = 120.0
    timing: Annotated[float, Meta(gt=0, description="seconds that a candidate is timed at the most")] = 3.0
    tests: tuple[str, ...] = ()


StrategyTable: TypeAlias = (
    SingleTable | BestOf | Majority | Rejected | Repaired | MultiTurnTable | FunctionTable | OptimizeTable
)

# -- scorers -----------------------------------------------------------------------------------------------------------


class _Scorer(_Closed, frozen=True, kw_only=True):
    better: Annotated[Direction, Meta(description="which of its numbers are the better ones")] = "higher"


class ExactTable(_Scorer, frozen=True, kw_only=True, tag_field="kind", tag="exact"):
    """1 where the answer is what was expected, but for blanks around it."""


class RegexTable(_Scorer, frozen=True, kw_only=True, tag_field="kind", tag="regex"):
    """1 where the pattern matches somewhere; `{expected}` in it stands for what was expected."""

    pattern: str = "{expected}"


class NumericTable(_Scorer, frozen=True, kw_only=True, tag_field="kind", tag="numeric"):
    """1 where the last number in the answer is near what was expected."""

    absolute: Annotated[float, Meta(ge=0)] = 0.0
    relative: Annotated[float, Meta(ge=0)] = 1e-9


class SchemaTable(_Scorer, frozen=True, kw_only=True, tag_field="kind", tag="schema"):
    """1 where the answer is JSON that fits a schema: a file, or the schema itself."""

    schema: Annotated[str | dict[str, Any], Meta(description="a file of JSON, or the schema itself")]


class ScoringFunction(_Scorer, frozen=True, kw_only=True, tag_field="kind", tag="function"):
    """What a function gives for the answer and the task, in a jailed worker: a number, or several by name."""

    function: Annotated[str, Meta(description="module:name, or file.py:name")]
    timeout: Annotated[float, Meta(gt=0)] = 10.0


class JudgeTable(_Scorer, frozen=True, kw_only=True, tag_field="kind", tag="judge"):
    """The number that a model gives."""

    model: str
    question: str
    lowest: float = 0.0
    highest: float = 1.0


ScorerTable: TypeAlias = ExactTable | RegexTable | NumericTable | SchemaTable | ScoringFunction | JudgeTable

# -- tasks -------------------------------------------------------------------------------------------------------------


class TaskSource(_Closed, frozen=True, kw_only=True):
    """Tasks from a file (.csv, .jsonl or .json), or from a function, which gives `Task`s or tables like those of a
    list. The others say which columns of a file to take, where they are not called so."""

    file: str | None = None
    function: Annotated[str | None, Meta(description="module:name, or file.py:name")] = None
    id: str = "id"
    prompt: str = "prompt"
    expected: str = "expected"
    first: Annotated[AtLeastOne | None, Meta(description="only so many of them")] = None


class Axes(Struct, frozen=True, kw_only=True):
    """What is multiplied. Any other name is an axis of the user's own."""

    task: tuple[str | dict[str, Any], ...] | TaskSource
    model: tuple[str | ModelPoint, ...] = ()
    strategy: tuple[str | StrategyTable, ...] = ("single",)


class File(_Closed, frozen=True, kw_only=True):
    """A matrix of experiments."""

    name: Annotated[str, Meta(min_length=1, description="runs of the same name go on where the last one stopped")]
    axes: Axes
    repeats: AtLeastOne = 1
    settings: Settings | None = None
    scorers: dict[str, ScorerTable] = {}
    better: Annotated[
        dict[str, Direction],
        Meta(description="which numbers are the better ones, of single metrics: scorer.name, or a strategy's own"),
    ] = {}
    require: Annotated[tuple[str, ...], Meta(description="for all strategies that sample")] = ()
    providers: dict[str, ProviderSettings] = {}
    prices: Annotated[dict[str, Rates], Meta(description="dollars for a million tokens, by model")] = {}
    include: tuple[dict[str, Names], ...] = ()
    exclude: tuple[dict[str, Names], ...] = ()
    concurrency: Annotated[AtLeastOne, Meta(description="cells at once that call no provider")] = 16
    max_cost: Annotated[float, Meta(gt=0, description="dollars")] | None = None
    max_tokens: AtLeastOne | None = None
    max_time: Annotated[float, Meta(gt=0, description="seconds")] | None = None
    max_failures: Annotated[AtLeastOne | None, Meta(description="so many failed cells end the run")] = None


def json_schema() -> dict[str, Any]:
    """The JSON schema of a definition file."""
    schema = msgspec.json.schema(File)
    own = msgspec.json.schema(tuple[str | int | float | bool | OwnPoint, ...], ref_template="#/$defs/{name}")
    schema["$defs"] |= own.pop("$defs", {})
    schema["$defs"]["Axes"]["additionalProperties"] = own
    schema["$defs"]["Settings"]["additionalProperties"] = False
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "A Bakeoff matrix", **schema}
