"""What is to be answered, and how models are asked: what strategies and scorers are given."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from bakeoff.models import Message, Role

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bakeoff.models import Model

__all__ = ["Answered", "Case", "Settings", "Task", "fields_of", "question"]

_FIELD: Final = re.compile(r"\{\{(\w+)\}\}|\{(\w+)\}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """Something to be answered. `fields` is whatever else its table says, for templates, strategies and scorers."""

    name: str
    prompt: str
    expected: Any = None
    fields: Mapping[str, Any] = field(default_factory=dict)

    def table(self) -> dict[str, Any]:
        """As data, for functions that run elsewhere."""
        own = {"name": self.name, "prompt": self.prompt, "expected": self.expected}
        return {**self.fields, **own}


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """How a model is asked. `template` makes the question of a task: `{prompt}`, its fields and the other axes are its
    fields, and `{{prompt}}` stands for itself. With a `seed`, each repeat has one of its own."""

    template: str | None = None
    system: str | None = None
    max_tokens: int = 4096
    temperature: float | None = None
    seed: int | None = None
    stop: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """What a cell gives to its strategy: the task, the conversation that its settings make of it, and the model to be
    asked, None where the matrix has no axis of models. `values` are those of the axes of the user's own, `others` the
    models that the strategy asks beside that one, by their names."""

    task: Task
    messages: tuple[Message, ...]
    model: Model | None
    settings: Settings
    values: Mapping[str, Any] = field(default_factory=dict)
    coordinates: Mapping[str, str] = field(default_factory=dict)
    repeat: int = 0
    others: Mapping[str, Model] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """What a strategy makes of a task. `seconds` is the time of its calls alone, where the sum of them is not it;
    `metrics` is what the strategy itself says of how it went."""

    text: str
    seconds: float | None = None
    metrics: Mapping[str, float] = field(default_factory=dict)


def fields_of(template: str) -> tuple[str, ...]:
    """The names of a template's fields."""
    return tuple(dict.fromkeys(found[2] for found in _FIELD.finditer(template) if found[2]))


def question(task: Task, settings: Settings, values: Mapping[str, Any]) -> tuple[Message, ...]:
    """What the model is asked: what its settings make of the task, after what it is told before."""
    known = {**task.fields, **values, "prompt": task.prompt, "task": task.name}

    def filled(template: str) -> str:
        # In one pass: what is filled in may have braces of its own.
        return _FIELD.sub(lambda found: f"{{{found[1]}}}" if found[1] else _text(known[found[2]]), template)

    told = () if settings.system is None else (Message(role=Role.SYSTEM, content=filled(settings.system)),)
    asked = task.prompt if settings.template is None else filled(settings.template)
    return (*told, Message(content=asked))


def _text(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
