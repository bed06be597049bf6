"""What is to be answered, and how models are asked: what strategies and scorers are given."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bakeoff.models import Message, Model

__all__ = ["Case", "Settings", "Task"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """Something to be answered. `fields` is whatever else its table says, for templates, strategies and scorers."""

    name: str
    prompt: str
    expected: Any = None
    fields: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """How a model is asked. `template` makes the question of a task: `{prompt}`, its fields and the other axes are its
    fields. With a `seed`, each repeat has one of its own."""

    template: str | None = None
    system: str | None = None
    max_tokens: int = 4096
    temperature: float | None = None
    seed: int | None = None
    stop: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """What a cell gives to its strategy: the task, the conversation that its settings make of it, and the model to be
    asked, None where the matrix has no axis of models. `values` are those of the axes of the user's own."""

    task: Task
    messages: tuple[Message, ...]
    model: Model | None
    settings: Settings
    values: Mapping[str, Any] = field(default_factory=dict)
    coordinates: Mapping[str, str] = field(default_factory=dict)
    repeat: int = 0
