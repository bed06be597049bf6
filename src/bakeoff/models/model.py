"""A model that is called: each call limited, within a budget, tried again where that may help, and recorded.

    budget ──▶ permit ──▶ CallBegan ──▶ client.send ──▶ CallEnded ──▶ answer, or a pause and another attempt

Whatever begins is recorded before it is sent, and closed in every end: attempts that are cancelled cost money, too.
"""

from __future__ import annotations

import json
import re
import secrets
from collections.abc import Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, fields
from functools import partial
from random import Random
from typing import TYPE_CHECKING, Any, Final

import anyio
from anyio.lowlevel import checkpoint, checkpoint_if_cancelled

from bakeoff.errors import BudgetSpent, CallsStopped, ProviderBroken, ProviderBusy, ProviderError
from bakeoff.events import CallBegan, CallEnd, CallEnded, ProviderLimited, ProviderRecovered
from bakeoff.models.account import Claim
from bakeoff.models.exchange import Answer, Client, Completion, Message, Request, Usage
from bakeoff.models.tally import witness

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Sequence

    from bakeoff.events import Event
    from bakeoff.models.account import Account
    from bakeoff.models.limiter import Limiter, Slot
    from bakeoff.models.prices import Prices
    from bakeoff.models.settings import ProviderSettings
    from bakeoff.store import Log

__all__ = ["Model", "estimated_tokens", "request_text"]

_LONGEST_BACKOFF: Final = 60.0
_LONGEST_ERROR: Final = 4_000  # characters of a provider's words that are kept
_CHARACTERS_PER_TOKEN: Final = 4
_DENSEST: Final = 2  # times as many tokens as estimated, in code, numbers and other scripts
_FENCED = re.compile(r"```[^\n`]*\n(.*?)```", re.DOTALL)


def estimated_tokens(text: str) -> int:
    """About how many tokens a text has, by its bytes; letters beyond ASCII take more."""
    return len(text.encode("utf-8", "surrogatepass")) // _CHARACTERS_PER_TOKEN or 1


def request_text(request: Request) -> str:
    """A request as the JSON that is recorded: the same text for the same request, and no other."""
    return json.dumps(request, default=_plain, ensure_ascii=False, sort_keys=True)


def _plain(value: Any) -> dict[str, Any]:  # noqa: ANN401 - what JSON does not know
    if isinstance(value, Mapping):
        return dict(value)
    return {each.name: getattr(value, each.name) for each in fields(value)}


@dataclass(slots=True, kw_only=True, eq=False)
class _Attempt:
    """One attempt at a call, and how it ends: with an answer or an error."""

    number: int
    backed_off: float
    queued: float = 0.0
    is_begun: bool = False
    is_over: bool = False
    is_sent: bool = False
    has_timed_out: bool = False
    is_answered: bool = False
    heard: int = 0
    seconds: float = 0.0
    answer: Answer | None = None
    error: BaseException | None = None
    usage: Usage = field(default_factory=Usage)
    cost: float | None = 0.0

    @property
    def end(self) -> CallEnd:
        if self.answer is not None:
            return CallEnd.DONE
        return CallEnd.FAILED if isinstance(self.error, Exception) else CallEnd.CANCELLED

    def hear(self, characters: int) -> None:
        self.is_answered = True
        self.heard += characters

    def estimate(self, tokens_in: int) -> Usage:
        """What the provider may charge although it did not say so: nothing for what it refused at once."""
        may_cost = self.is_answered or self.has_timed_out or self.end is CallEnd.CANCELLED
        if not (self.is_sent and may_cost):
            return Usage()
        return Usage(tokens_in=tokens_in, tokens_out=-(-self.heard // _CHARACTERS_PER_TOKEN), is_estimate=True)


@dataclass(slots=True, kw_only=True, eq=False)
class _Call:
    """One call, with the attempts that have ended."""

    id: str
    request: Request
    purpose: str
    tokens_in: int
    claim: Claim
    attempts: list[_Attempt] = field(default_factory=list)


class Model:
    """Calls one model. Any number of tasks may use it at once; see `Providers.model` for how it is made."""

    def __init__(
        self,
        client: Client,
        account: Account,
        *,
        limiter: Callable[[], Limiter],
        prices: Prices,
        settings: ProviderSettings,
        random: Random | None = None,
        entropy: Callable[[int], bytes] = secrets.token_bytes,
        ready: Callable[[Client], Awaitable[None]] | None = None,
        recall: Callable[[str, Request], Completion | None] | None = None,
    ) -> None:
        self.client = client
        self.account = account
        self._limiter_here = limiter
        self._prices = prices
        self._settings = settings
        self._random = random or Random()  # noqa: S311 - spreads attempts in time
        self._entropy = entropy
        self._ready = ready
        self._recall = recall

    @property
    def name(self) -> str:
        """`provider:model`."""
        return self.client.name

    @property
    def provider(self) -> str:
        """Whose it is: calls of one provider share its limits."""
        return self.client.provider

    @property
    def _limiter(self) -> Limiter:
        """That of the thread which the call is made in."""
        return self._limiter_here()

    async def complete(
        self,
        messages: str | Sequence[Message],
        *,
        max_tokens: int = 4096,
        temperature: float | None = None,
        seed: int | None = None,
        stop: Sequence[str] = (),
        schema: Mapping[str, Any] | None = None,
        purpose: str = "",
    ) -> Completion:
        """What the model answers. `purpose` says in the records what it is asked for.

        Raises BudgetSpent before a call, or another attempt, that might cost too much, CallsStopped where its account
        is stopped before one, and the ProviderError of the last attempt where all failed, or where another one could
        not help. What was spent on a call that is cancelled, or fails, is kept. With a
        `schema`, `parsed` is the answer as data, and None where the answer is no JSON.
        """
        request = Request(
            messages=(Message(content=messages),) if isinstance(messages, str) else tuple(messages),
            max_tokens=max_tokens,
            temperature=temperature,
            seed=seed,
            stop=tuple(stop),
            schema=schema,
        )
        call = self._call(request, purpose)
        known = self._recall(self.name, request) if self._recall is not None else None
        if known is not None:
            await checkpoint()
            return known
        backed_off = 0.0
        while True:
            attempt = await self._attempt(call, backed_off)
            if attempt.answer is not None:
                return self._completion(call, attempt.answer)
            backed_off = await self._back_off(call, attempt)

    def _call(self, request: Request, purpose: str) -> _Call:
        if not request.messages or request.max_tokens < 1:
            raise ValueError("a call needs a message, and room for an answer of at least one token")
        tokens_in = sum(estimated_tokens(message.content) for message in request.messages)
        if request.schema is not None:
            tokens_in += estimated_tokens(json.dumps(request.schema, default=_plain))
        most = Usage(tokens_in=_DENSEST * tokens_in, tokens_out=request.max_tokens)
        claim = Claim(model=self.name, tokens=most.tokens_in + most.tokens_out, cost=self._prices.cost(self.name, most))
        return _Call(id=self._entropy(8).hex(), request=request, purpose=purpose, tokens_in=tokens_in, claim=claim)

    async def _attempt(self, call: _Call, backed_off: float) -> _Attempt:
        """One attempt, to its end. What is not the provider's doing, such as a cancellation, is raised."""
        attempt = _Attempt(number=len(call.attempts) + 1, backed_off=backed_off)
        try:
            await self._made(call, attempt)
        except BaseException:
            if attempt.is_begun and not attempt.is_over:
                # It was next, and has waited in vain.
                self.account.unsent(is_new=attempt.number == 1)
                self._end(call, attempt, None)
            raise
        if attempt.error is not None and not isinstance(attempt.error, ProviderError):
            raise attempt.error
        return attempt

    async def _made(self, call: _Call, attempt: _Attempt) -> None:
        came = anyio.current_time()
        async with self.account.reserved(call.claim) as reservation:
            async with self._slot(call, attempt) as slot:
                attempt.queued = anyio.current_time() - came
                if self._ready is not None:
                    await self._ready(self.client)
                await self._begin(call, attempt)
                await self._send(call, attempt)
                news = self._tell(slot, attempt)
            call.attempts.append(attempt)
            self.account.settle(reservation, attempt.usage, attempt.cost, is_new=attempt.number == 1)
        self._end(call, attempt, news)

    @asynccontextmanager
    async def _slot(self, call: _Call, attempt: _Attempt) -> AsyncIterator[Slot]:
        """A slot of the provider; BudgetSpent, or CallsStopped, where there is to be no call before there is one. What
        is next is recorded while it waits for others, so that no slot is idle for as long as the disk takes."""
        with self.account.waiting() as waiting:
            patience, next_up = self._settings.timeout, partial(self._begin, call, attempt)
            async with self._limiter.slot(call.claim.tokens, patience=patience, next_up=next_up) as slot:
                if not waiting.cancel_called:  # as it may be although nothing was cancelled: both came at once
                    self.account.waited(waiting)
                    self.account.require()
                    yield slot
                    return
        raise self.account.late()

    async def _begin(self, call: _Call, attempt: _Attempt) -> None:
        """Shielded: whoever is cancelled in between would not know whether the beginning is in the log, and there must
        be an end for each."""
        log = self.account.log
        if log is None or attempt.is_begun:
            return
        with anyio.CancelScope(shield=True):
            await self.account.record_prices(self.name, self._prices.rates(self.name))
            began = CallBegan(
                call=call.id,
                attempt=attempt.number,
                model=self.name,
                purpose=_writable(call.purpose),
                request=log.keep(request_text(call.request)),
                most=call.claim.cost,
                cell=seen.cell if (seen := witness()) is not None else None,
            )
            await log.append(began)
            attempt.is_begun = True

    async def _send(self, call: _Call, attempt: _Attempt) -> None:
        began = anyio.current_time()
        try:
            await checkpoint_if_cancelled()
            attempt.is_sent = True
            attempt.answer = await self._answer(call.request, attempt)
        except BaseException as error:  # noqa: BLE001 - raised again by whoever asked, once it is recorded
            attempt.error = error
        attempt.seconds = anyio.current_time() - began
        attempt.usage = attempt.estimate(call.tokens_in) if attempt.answer is None else attempt.answer.usage
        attempt.cost = self._prices.cost(self.name, attempt.usage)

    async def _answer(self, request: Request, attempt: _Attempt) -> Answer:
        with anyio.move_on_after(self._settings.timeout):
            return await self.client.send(request, attempt.hear)
        attempt.has_timed_out = True
        raise ProviderBroken(
            f"{self.name} did not answer within {self._settings.timeout:g} s",
            hint="ask for less at a time, or give it longer: the timeout of its provider's settings",
        )

    def _tell(self, slot: Slot, attempt: _Attempt) -> Event | None:
        """Let the limiter know what the provider said; what has changed by that."""
        self._limiter.used(slot, attempt.usage.tokens_in + attempt.usage.tokens_out)
        if attempt.answer is not None:
            limit = self._limiter.succeeded(slot)
            return None if limit is None else ProviderRecovered(provider=self.provider, limit=limit)
        if isinstance(attempt.error, ProviderBusy):
            cut = self._limiter.refused(slot, _asked_to_wait(attempt.error))
            if cut is not None:
                reason = _reason(attempt.error)
                return ProviderLimited(provider=self.provider, limit=cut.limit, pause=cut.pause, reason=reason)
        return None

    def _end(self, call: _Call, attempt: _Attempt, news: Event | None) -> None:
        log, seen = self.account.log, witness()
        attempt.is_over = True
        if log is None and seen is None:
            return
        ended = _ended(call, attempt, log)
        if seen is not None:
            seen.ended.append(ended)
        if log is not None:
            log.note(ended)  # what is made of the answer is recorded after it
            if news is not None:
                log.note(news)

    async def _back_off(self, call: _Call, attempt: _Attempt) -> float:
        """Wait before another attempt; raises where there is to be none."""
        error = attempt.error
        assert isinstance(error, ProviderError)
        asked = _asked_to_wait(error)
        patience = self._settings.timeout
        if not error.is_passing or attempt.number >= self._settings.attempts or asked > patience:
            raise error
        pause = max(self._limiter.lengthened(asked, patience), self._backoff(attempt.number))
        try:
            self.account.require(call.claim, after=pause)
        except (BudgetSpent, CallsStopped) as spent:
            raise spent from error
        began = anyio.current_time()
        with self.account.waiting() as waiting:
            await anyio.sleep(pause)
        if waiting.cancelled_caught:
            raise self.account.late() from error
        return anyio.current_time() - began

    def _backoff(self, number: int) -> float:
        """Doubling, and never the same for all who were refused together."""
        doubled = self._settings.backoff * 2.0 ** min(number - 1, 30)
        return min(_LONGEST_BACKOFF, doubled) * self._random.uniform(0.5, 1.0)

    def _completion(self, call: _Call, answer: Answer) -> Completion:
        costs = [attempt.cost for attempt in call.attempts]
        return Completion(
            call=call.id,
            model=self.name,
            text=answer.text,
            parsed=None if call.request.schema is None else _parsed(answer.text),
            finish=answer.finish,
            request_id=answer.request_id,
            usage=sum((attempt.usage for attempt in call.attempts), start=Usage()),
            cost=sum(cost for cost in costs if cost is not None) if None not in costs else None,
            seconds=call.attempts[-1].seconds,
            queued=sum(attempt.queued for attempt in call.attempts),
            backed_off=sum(attempt.backed_off for attempt in call.attempts),
            attempts=len(call.attempts),
        )


def _ended(call: _Call, attempt: _Attempt, log: Log | None) -> CallEnded:
    answer, error = attempt.answer, attempt.error
    return CallEnded(
        call=call.id,
        attempt=attempt.number,
        end=attempt.end,
        answer=None if answer is None or log is None else log.keep(answer.text),
        finish=None if answer is None else answer.finish,
        request_id=None if answer is None or answer.request_id is None else _writable(answer.request_id),
        error=_words(error) if attempt.end is CallEnd.FAILED else None,
        status=error.status if isinstance(error, ProviderError) else None,
        tokens_in=attempt.usage.tokens_in,
        tokens_out=attempt.usage.tokens_out,
        tokens_cached=attempt.usage.cached,
        is_estimate=attempt.usage.is_estimate,
        cost=attempt.cost,
        seconds=attempt.seconds,
        queued=attempt.queued,
        backed_off=attempt.backed_off,
    )


def _asked_to_wait(error: ProviderError) -> float:
    """The seconds that a provider asked for; what is no such number is none."""
    return error.retry_after if error.retry_after is not None and error.retry_after > 0 else 0.0


def _parsed(text: str) -> Any:  # noqa: ANN401 - JSON
    """The JSON of an answer, in fences or without; None where there is none."""
    fenced = _FENCED.search(text)
    for candidate in (text, fenced[1] if fenced else ""):
        try:
            return json.loads(candidate, parse_constant=_refuse)
        except (ValueError, RecursionError):
            continue
    return None


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is not JSON")


def _words(error: BaseException | None) -> str:
    """All of it, with its hint: a run can be replayed from what is recorded."""
    return _bounded(str(error) if isinstance(error, ProviderError) else repr(error))


def _reason(error: BaseException | None) -> str:
    return _bounded(error.message if isinstance(error, ProviderError) else repr(error))


def _bounded(words: str) -> str:
    return _writable(words if len(words) <= _LONGEST_ERROR else words[:_LONGEST_ERROR] + "…")


def _writable(text: str) -> str:
    """A provider may say anything, but events are UTF-8."""
    return text.encode("utf-8", "replace").decode()
