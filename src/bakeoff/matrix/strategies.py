"""What turns a task and a model into an answer."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bakeoff.matrix.cases import Case

__all__ = ["Answered", "Single", "Strategy"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """What a strategy makes of a task. `seconds` is the time of its calls alone, where the sum of them is not it;
    `metrics` is what the strategy itself says of how it went."""

    text: str
    seconds: float | None = None
    metrics: Mapping[str, float] = field(default_factory=dict)


class Strategy(Protocol):
    """A way to answer. One object serves many cells at once and keeps nothing of any.

    `described` is all that decides what it does, as JSON: part of the key of each cell. `providers` are those that it
    calls beside that of the cell's model. `calls` is the most calls that one answer takes, for what is expected of a
    matrix. What `answer` raises is the error of its cell, and stops nothing else; it is called on the event loop, which
    it may not block.
    """

    @property
    def name(self) -> str: ...

    @property
    def providers(self) -> tuple[str, ...]: ...

    @property
    def calls(self) -> int: ...

    def described(self) -> Mapping[str, Any]: ...

    async def answer(self, case: Case) -> Answered: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Single:
    """Asks once."""

    name: str = "single"
    providers: tuple[str, ...] = ()
    calls: int = 1

    def described(self) -> Mapping[str, Any]:
        """See `Strategy`."""
        return {"kind": "single"}

    async def answer(self, case: Case) -> Answered:
        """See `Strategy`."""
        assert case.model is not None
        settings = case.settings
        completion = await case.model.complete(
            case.messages,
            max_tokens=settings.max_tokens,
            temperature=settings.temperature,
            seed=settings.seed,
            stop=settings.stop,
        )
        return Answered(text=completion.text)
