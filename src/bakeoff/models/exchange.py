"""What is sent to a language model, what comes back, and the protocol of whoever carries it."""

from __future__ import annotations

import enum
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = ["Answer", "Client", "Completion", "Finish", "Message", "Request", "Role", "Usage"]


class Role(enum.StrEnum):
    """Who says something."""

    SYSTEM = "system"
    USER = "user"
    ASSISTANT = "assistant"


class Finish(enum.StrEnum):
    """Why an answer ended."""

    STOP = "stop"  # it was complete
    LENGTH = "length"  # it was cut at the most tokens that were asked for
    FILTERED = "filtered"  # the provider withheld it, or the model would not
    OTHER = "other"


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One turn of a conversation."""

    role: Role = Role.USER
    content: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """All that decides what a model answers. With a `schema`, a JSON schema, the answer is to be JSON that fits it."""

    messages: tuple[Message, ...]
    max_tokens: int = 4096
    temperature: float | None = None
    seed: int | None = None
    stop: tuple[str, ...] = ()
    schema: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """The tokens of one attempt, as the provider counted them; `is_estimate` where it did not say, as in calls that
    were cancelled. `cached` are those of `tokens_in` that were read from the provider's cache."""

    tokens_in: int = 0
    tokens_out: int = 0
    cached: int = 0
    is_estimate: bool = False

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            tokens_in=self.tokens_in + other.tokens_in,
            tokens_out=self.tokens_out + other.tokens_out,
            cached=self.cached + other.cached,
            is_estimate=self.is_estimate or other.is_estimate,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What one attempt brought back."""

    text: str
    usage: Usage
    finish: Finish = Finish.STOP
    request_id: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Completion:
    """The end of a call, with what it took.

    `seconds` is the time of the attempt that succeeded, alone; `queued` the time spent waiting for a permit and for
    rates, `backed_off` the time between attempts. `usage` and `cost` are of all attempts; the cost, in dollars, is None
    where a price is not known. `parsed` is the answer as data where a schema was given.
    """

    call: str
    model: str
    text: str
    parsed: Any = None
    finish: Finish = Finish.STOP
    request_id: str | None = None
    usage: Usage = field(default_factory=Usage)
    cost: float | None = None
    seconds: float = 0.0
    queued: float = 0.0
    backed_off: float = 0.0
    attempts: int = 1


class Client(Protocol):
    """Carries one request to one model, once: no retries, no limits, nothing recorded.

    `send` may be called by many tasks at once. It tells `heard` how many more characters of the answer have arrived,
    as they arrive; 0 when it begins without any. It may be cancelled at any await, and leaves no open request behind
    then. It raises a `ProviderError` for whatever the provider, or the way there, does wrong.
    """

    @property
    def provider(self) -> str: ...

    @property
    def name(self) -> str: ...

    async def send(self, request: Request, heard: Callable[[int], None]) -> Answer: ...
