"""Models that cost nothing: one that follows a script, and one that repeats what was recorded.

    model = ScriptedModel(["not json", '{"answer": 42}'], latency=0.1)
    completion = await model.complete("What is the answer?")

Both are whole models: limits, budgets, attempts and records work as with a provider.
"""

from __future__ import annotations

import hashlib
import itertools
from collections import deque
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeAlias

import anyio

from bakeoff.errors import CallRefused, ProviderBroken, ProviderBusy, ProviderError, UsageError
from bakeoff.events import CallBegan, CallEnd, CallEnded, PricesFound
from bakeoff.models import Account, Answer, Finish, Model, Prices, ProviderSettings, Rates, Usage
from bakeoff.models.limiter import Limiter
from bakeoff.models.model import request_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from bakeoff.models import Request
    from bakeoff.store import Store

__all__ = ["HANG", "Hang", "NotRecorded", "ReplayModel", "ScriptEnded", "ScriptedClient", "ScriptedModel"]


class ScriptEnded(LookupError):
    """Raised when a model is called more often than its script has answers."""


@dataclass(frozen=True, slots=True)
class Hang:
    """An answer that never comes to its end; `after` is what is heard of it."""

    after: str = ""


HANG: Final = Hang()

Scripted: TypeAlias = str | Answer | Exception | Hang
Script: TypeAlias = Scripted | Callable[["Request"], Scripted] | Iterable[Scripted]

_UNHURRIED: Final = ProviderSettings(concurrency=1_000_000, backoff=0.0)
_ONCE: Final = ProviderSettings(concurrency=1_000_000, attempts=1)


class ScriptedClient:
    """A client that follows a script; see `ScriptedModel`."""

    def __init__(
        self, answers: Script, *, name: str = "scripted:model", latency: float | Callable[[Request], float] = 0.0
    ) -> None:
        self.name = name
        self.provider = name.partition(":")[0]
        self.requests: list[Request] = []
        self.open = 0
        self.peak = 0
        self._answer = _reader(answers)
        self._latency = latency

    async def send(self, request: Request, heard: Callable[[int], None]) -> Answer:
        self.requests.append(request)
        self.open += 1
        self.peak = max(self.peak, self.open)
        try:
            return await self._sent(request, heard)
        finally:
            self.open -= 1

    async def _sent(self, request: Request, heard: Callable[[int], None]) -> Answer:
        answer = self._answer(request)
        await anyio.sleep(self._latency(request) if callable(self._latency) else self._latency)
        if isinstance(answer, Exception):
            raise answer
        if isinstance(answer, Hang):
            heard(len(answer.after))
            await anyio.sleep_forever()
        if isinstance(answer, str):
            answer = Answer(text=answer, usage=_counted(request, answer))
        assert isinstance(answer, Answer)
        heard(len(answer.text))
        return answer


class ScriptedModel(Model):
    """A model whose answers are given.

    `answers` is one answer for all calls, a function of the request, or one answer for each call in the order in which
    they are sent, attempts that fail included. An answer is a text, an `Answer`, an exception to raise, or a `Hang`, which
    lasts until the call is cancelled. `latency` is in seconds, or a function of the request. Nothing limits it and
    attempts follow each other at once, but by `settings`; it costs what `rates` say.
    """

    def __init__(
        self,
        answers: Script,
        *,
        name: str = "scripted:model",
        latency: float | Callable[[Request], float] = 0.0,
        account: Account | None = None,
        settings: ProviderSettings = _UNHURRIED,
        rates: Rates | None = None,
    ) -> None:
        self.script = ScriptedClient(answers, name=name, latency=latency)
        limiter = Limiter(self.script.provider, settings)
        super().__init__(
            self.script,
            account or Account(),
            limiter=lambda: limiter,
            prices=Prices({name: rates} if rates else {}),
            settings=settings,
        )

    @property
    def requests(self) -> list[Request]:
        """All that was sent, in the order of arrival."""
        return self.script.requests

    @property
    def open(self) -> int:
        """How many requests are open now."""
        return self.script.open

    @property
    def peak(self) -> int:
        """The most requests that were open at one time."""
        return self.script.peak


def _reader(answers: Script) -> Callable[[Request], Scripted]:
    if isinstance(answers, str | Answer | Exception | Hang):
        one = answers
        return lambda _: one
    if callable(answers):
        return answers
    return _Lines(iter(answers))


class _Lines:
    """One answer for each call."""

    def __init__(self, answers: Iterator[Scripted]) -> None:
        self._answers = answers
        self._calls = itertools.count(1)

    def __call__(self, request: Request) -> Scripted:
        call = next(self._calls)
        for answer in self._answers:
            return answer
        raise ScriptEnded(f"the script ended before call {call}, which asks: {request.messages[-1].content[:200]!r}")


def _counted(request: Request, text: str) -> Usage:
    """Four characters are a token, whatever they are."""
    asked = sum(len(message.content) for message in request.messages)
    return Usage(tokens_in=asked // 4 or 1, tokens_out=len(text) // 4 or 1)


# -- recordings --------------------------------------------------------------------------------------------------------


class NotRecorded(CallRefused):
    """Raised when a recording has no call like the one that is made, or no further one, or not its end, and what makes
    the call goes on all the same."""


@dataclass(slots=True, eq=False)
class _Call:
    """One call of a recording, with the end of its last attempt, and what all of them used."""

    began: CallBegan
    ended: CallEnded | None = None
    usage: Usage = Usage()  # noqa: RUF009 - it is frozen
    place: int = 0  # of its end, among all that is recorded

    @property
    def has_end(self) -> bool:
        return self.ended is not None and self.ended.end is not CallEnd.CANCELLED

    @property
    def seconds(self) -> float:
        return self.ended.seconds if self.ended is not None else 0.0


class ReplayModel(Model):
    """A model that answers as one did in a recorded run, without reaching it, without waiting and without other cost.

        model = ReplayModel(store, run, name="openai:gpt-x")

    The same request has the same answer; of several that are equal, the first that was made comes first. Calls end in
    the order in which they ended. One that was tried several times ends as it did in the end, with the tokens of all
    its attempts. One that was cancelled, or that is not in the recording since that ended before, waits for its own
    cancellation. Whatever waits longer than `patience`, in seconds, is where something else has changed: it raises
    NotRecorded, or ends out of its order. `is_timed` lets every call take as long as it took. `name` may be left out
    where the run called one model only.
    """

    def __init__(
        self,
        store: Store,
        run: str,
        *,
        name: str | None = None,
        account: Account | None = None,
        is_timed: bool = False,
        patience: float = 10.0,
    ) -> None:
        calls, rates = _read(store, run)
        name = name or _only({call.began.model for call in calls})
        client = _ReplayClient(
            store,
            [call for call in calls if call.began.model == name],
            name=name,
            is_timed=is_timed,
            patience=patience,
        )
        limiter = Limiter(client.provider, _ONCE)
        super().__init__(
            client,
            account or Account(),
            limiter=lambda: limiter,
            prices=Prices(rates),
            settings=_ONCE,
        )


class _ReplayClient:
    """Gives each request the end of the next recorded call that is equal to it."""

    def __init__(self, store: Store, calls: Sequence[_Call], *, name: str, is_timed: bool, patience: float) -> None:
        self.name = name
        self.provider = name.partition(":")[0]
        self._store = store
        self._is_timed = is_timed
        self._patience = patience
        self._calls: dict[str, deque[_Call]] = {}
        for call in calls:
            if call.began.request is not None:
                self._calls.setdefault(call.began.request.sha256, deque()).append(call)
        self._ends = deque(sorted((call for call in calls if call.has_end), key=lambda call: call.place))
        self._moved: anyio.Event | None = None

    async def send(self, request: Request, heard: Callable[[int], None]) -> Answer:
        call = self._next(request)
        if call is None or not call.has_end:
            await anyio.sleep(self._patience)
            raise self._unknown(request, call)
        try:
            await anyio.sleep(call.seconds if self._is_timed else 0.0)
            await self._turn(call)
        finally:
            self._leave(call)
        return self._answer(call, heard)

    def _next(self, request: Request) -> _Call | None:
        text = request_text(request)
        equal = self._calls.get(hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest())
        return equal.popleft() if equal else None

    async def _turn(self, call: _Call) -> None:
        """Wait until all that ended before this one have ended; for those that nobody makes any more, not for ever."""
        with anyio.move_on_after(self._patience):
            while call in self._ends and self._ends[0] is not call:
                self._moved = self._moved or anyio.Event()
                await self._moved.wait()
            return
        while call in self._ends and self._ends[0] is not call:
            self._ends.popleft()

    def _leave(self, call: _Call) -> None:
        with suppress(ValueError):
            self._ends.remove(call)
        if self._moved is not None:
            self._moved.set()
            self._moved = None

    def _answer(self, call: _Call, heard: Callable[[int], None]) -> Answer:
        ended = call.ended
        assert ended is not None
        if ended.answer is None:
            raise _failure(ended)
        text = self._store.text(ended.answer)
        heard(len(text))
        return Answer(
            text=text, usage=call.usage, finish=Finish(ended.finish or Finish.OTHER), request_id=ended.request_id
        )

    def _unknown(self, request: Request, call: _Call | None) -> NotRecorded:
        if call is None:
            asked = request.messages[-1].content[:200]
            return NotRecorded(
                f"the recording of {self.name} has no such call, or no further one: {asked!r}",
                hint="replaying needs the same prompts, limits of tokens, temperatures and seeds",
            )
        return NotRecorded(
            f"call {call.began.call} of {self.name} has no end in the recording",
            hint="it was cancelled there, and now it is needed: something else has changed",
        )


def _read(store: Store, run: str) -> tuple[list[_Call], dict[str, Rates]]:
    calls: dict[str, _Call] = {}
    rates: dict[str, Rates] = {}
    for recorded in store.events(run):
        match recorded.event:
            case CallBegan(attempt=1) as began:
                calls[began.call] = _Call(began)
            case CallBegan() as again:
                calls[again.call].ended = None
            case CallEnded() as ended:
                _close(calls[ended.call], ended, place=recorded.sequence)
            case PricesFound(tokens_in=float(dear), tokens_out=float(dearer)) as found:
                rates[found.model] = Rates(
                    tokens_in=dear,
                    tokens_out=dearer,
                    tokens_cached=found.tokens_cached,
                    date=found.date,
                    origin=found.origin,
                )
            case _:
                pass
    return list(calls.values()), rates


def _close(call: _Call, ended: CallEnded, *, place: int) -> None:
    call.ended = ended
    call.place = place
    call.usage += Usage(
        tokens_in=ended.tokens_in,
        tokens_out=ended.tokens_out,
        cached=ended.tokens_cached,
        is_estimate=ended.is_estimate,
    )


def _only(names: set[str]) -> str:
    if len(names) != 1:
        found = f"called several models: {', '.join(sorted(names))}" if names else "called no model"
        raise UsageError(f"the recorded run {found}", hint="say which one is to be replayed, by its name")
    return names.pop()


def _failure(ended: CallEnded) -> ProviderError:
    """An error of the kind that it was, as far as its status tells."""
    message, _, hint = (ended.error or "it failed").partition("\n\nhint: ")
    kind: type[ProviderError] = ProviderBroken
    if ended.status in (429, 503, 529):
        kind = ProviderBusy
    elif ended.status is not None and 400 <= ended.status < 500 and ended.status not in (408, 409, 425):
        kind = CallRefused
    return kind(message, status=ended.status, hint=hint or None)
