"""Calls of language models as they were recorded: what was asked, what was answered, and the attempts at it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import msgspec

from bakeoff.events import CallEnd
from bakeoff.report.standings import samples

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from bakeoff.events import AttemptState, Run, Text

__all__ = ["Call", "Request", "Turn", "calls", "calls_of", "sampling_prompt"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """What somebody says in a conversation."""

    role: str
    content: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What was sent: a conversation, and in JSON what else decides the answer."""

    turns: tuple[Turn, ...]
    settings: tuple[tuple[str, str], ...] = ()

    @classmethod
    def of(cls, recorded: str) -> Request:
        """What was recorded. Text that is no request of ours is one turn of nobody's."""
        try:
            found = msgspec.json.decode(recorded.encode("utf-8", "surrogatepass"), type=_Recorded)
        except (msgspec.DecodeError, UnicodeDecodeError):
            return cls(turns=(Turn(role="", content=recorded),))
        rest = {name: value for name, value in msgspec.to_builtins(found).items() if name != "messages"}
        settings = tuple((name, _said(value)) for name, value in rest.items() if value not in (None, ()))
        return cls(turns=found.messages, settings=settings)


class _Recorded(msgspec.Struct, frozen=True, kw_only=True):
    """A request on its way out of the store; the names are those of `bakeoff.models`."""

    messages: tuple[Turn, ...]
    max_tokens: int | None = None
    temperature: float | None = None
    seed: int | None = None
    stop: tuple[str, ...] = ()
    schema: Any = None


def _said(value: object) -> str:
    return msgspec.json.encode(value).decode()


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """A call with all attempts at it, in their order; there is at least one."""

    attempts: tuple[AttemptState, ...]

    @property
    def id(self) -> str:
        return self.attempts[0].began.call

    @property
    def model(self) -> str:
        return self.attempts[0].began.model

    @property
    def purpose(self) -> str:
        return self.attempts[0].began.purpose

    @property
    def request(self) -> Text | None:
        """Of all attempts: it is the same."""
        return self.attempts[0].began.request

    @property
    def answer(self) -> Text | None:
        """Of the attempt that succeeded."""
        ended = (one.ended for one in self.attempts)
        return next((one.answer for one in ended if one is not None and one.end is CallEnd.DONE), None)


def calls(run: Run) -> dict[str, Call]:
    """All calls by their ids, in the order in which they began."""
    attempts: dict[str, list[AttemptState]] = {}
    for one in run.attempts.values():
        attempts.setdefault(one.began.call, []).append(one)
    return {call: Call(attempts=tuple(found)) for call, found in attempts.items()}


def calls_of(run: Run, ids: Iterable[str]) -> list[Call]:
    """These calls, as far as anything was recorded of them."""
    known = calls(run)
    return [known[one] for one in dict.fromkeys(ids) if one in known]


def sampling_prompt(run: Run, text: Callable[[Text], str]) -> tuple[Turn, ...]:
    """What a sampling asked first. `text` gives what the store keeps under a hash."""
    if not run.samples:
        return ()
    known = calls(run)
    asked = [known[call] for one in samples(run) if one.ended is not None and (call := one.ended.call) in known]
    first = next((one.request for one in (*asked, *known.values()) if one.request is not None), None)
    return Request.of(text(first)).turns if first is not None else ()
