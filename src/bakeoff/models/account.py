"""Whose calls they are: what they may spend, what they have spent, and where they are recorded."""

from __future__ import annotations

import math
from contextlib import asynccontextmanager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

import anyio

from bakeoff.errors import BakeoffError, BudgetSpent, CallsStopped, UsageError
from bakeoff.events import PricesFound
from bakeoff.fanout import Permits
from bakeoff.models.exchange import Usage
from bakeoff.models.tally import count

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterator

    from bakeoff.events import Spent as RecordedSpent
    from bakeoff.models.prices import Rates
    from bakeoff.models.tally import Tally
    from bakeoff.store import Log

__all__ = ["Account", "Budget", "Claim", "Reservation", "Spent", "finishing"]

_ROUNDING: Final = 1e-9  # of a dollar: sums of floats are not exact


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """What may be spent at the most: dollars, tokens in and out, and seconds from the first call on.

    Before a call it is assumed that the answer is as long as it may be, and that the prompt has a token for every two
    bytes: only a denser one can exceed a budget. After the seconds no call is begun any more, but one that is under way
    goes on.
    """

    cost: float | None = None
    tokens: int | None = None
    seconds: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Spent:
    """What was spent on attempts that have ended. The cost, in dollars, is None where a price is not known;
    `known_cost` is then that of the others."""

    cost: float | None = 0.0
    known_cost: float = 0.0
    usage: Usage = field(default_factory=Usage)
    calls: int = 0
    attempts: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """What one attempt may take at the most; a cost of None is not known."""

    model: str
    tokens: int
    cost: float | None


@dataclass(slots=True, eq=False)
class Reservation:
    """What is set aside for one attempt."""

    claim: Claim


_UNLIMITED: Final = Budget()
_FINISHING: Final[ContextVar[bool]] = ContextVar("bakeoff_finishing", default=False)


@contextmanager
def finishing() -> Iterator[None]:
    """Calls in the block are made although their account was stopped: what they belong to is under way."""
    token = _FINISHING.set(True)
    try:
        yield
    finally:
        _FINISHING.reset(token)


_NOTHING: Final = Claim(model="", tokens=0, cost=0.0)


class Account:
    """The calls of one command, of whatever models. Not thread-safe; its seconds are those of one event loop."""

    def __init__(
        self,
        *,
        log: Log | None = None,
        budget: Budget = _UNLIMITED,
        clock: Callable[[], float] = anyio.current_time,
    ) -> None:
        self.log = log
        self.budget = budget
        self._clock = clock
        self._began: float | None = None
        self._priced: set[str] = set()
        self._line = Permits(1)  # whoever holds it is the first of those who wait for reservations to be settled
        self._settled: anyio.Event | None = None
        self._is_stopped = False
        self._waiting: set[anyio.CancelScope] = set()
        self._held: set[Reservation] = set()
        self._held_tokens = 0
        self._held_cost = 0.0
        self._cost = 0.0
        self._is_known = True
        self._usage = Usage()
        self._calls = 0
        self._attempts = 0

    def record_in(self, log: Log, *, before: RecordedSpent) -> None:
        """Record calls there from now on, in a run whose calls have taken so much before."""
        self.log = log
        self._priced.clear()
        self.remember(before)

    def remember(self, before: RecordedSpent) -> None:
        """So much was spent before, as it was recorded."""
        self._usage += Usage(tokens_in=before.tokens_in, tokens_out=before.tokens_out, cached=before.tokens_cached)
        self._cost += before.cost
        self._is_known = self._is_known and not before.unpriced

    @property
    def spent(self) -> Spent:
        """What attempts that have ended took, failed and cancelled ones included."""
        return Spent(
            cost=self._cost if self._is_known else None,
            known_cost=self._cost,
            usage=self._usage,
            calls=self._calls,
            attempts=self._attempts,
        )

    def stop(self) -> None:
        """Begin no more calls, and no more attempts: who waits for one, or asks for one later, gets CallsStopped. What
        is open at a provider goes on."""
        self._is_stopped = True
        for scope in self._waiting:
            scope.cancel()
        self._wake()

    @contextmanager
    def waiting(self) -> Iterator[anyio.CancelScope]:
        """A block that waits for its turn: it is cancelled when the time is up or the account is stopped, until it has
        `waited`."""
        with anyio.CancelScope(deadline=anyio.current_time() + self.seconds_left) as scope:
            if not _FINISHING.get():
                self._waiting.add(scope)
            try:
                yield scope
            finally:
                self._waiting.discard(scope)

    def waited(self, scope: anyio.CancelScope) -> None:
        """The turn has come: nothing of this cancels the block any more."""
        self._waiting.discard(scope)
        scope.deadline = math.inf

    def require(self, claim: Claim = _NOTHING, *, after: float = 0.0) -> None:
        """Raise BudgetSpent where so much may not be spent any more, so many seconds from now; CallsStopped where
        nothing is wanted any more."""
        if self._is_stopped and not _FINISHING.get():
            raise CallsStopped
        budget, tokens = self.budget, self._usage.tokens_in + self._usage.tokens_out
        if budget.seconds is not None and self._elapsed() + after >= budget.seconds:
            raise self.late()
        if budget.tokens is not None and tokens + claim.tokens > budget.tokens:
            raise BudgetSpent("tokens", limit=f"{budget.tokens}", spent=f"{tokens}", wanted=f"{claim.tokens}")
        if budget.cost is not None and self._cost + (claim.cost or 0.0) > budget.cost + _ROUNDING:
            raise BudgetSpent(
                "cost", limit=_dollars(budget.cost), spent=_dollars(self._cost), wanted=_dollars(claim.cost or 0.0)
            )

    @property
    def seconds_left(self) -> float:
        """How long calls may still be begun."""
        return math.inf if self.budget.seconds is None else self.budget.seconds - self._elapsed()

    def late(self) -> BakeoffError:
        """What is raised by whoever has waited in vain."""
        if self._is_stopped and not _FINISHING.get():
            return CallsStopped()
        limit = f"{self.budget.seconds or 0.0:g} s"
        return BudgetSpent("time", limit=limit, spent=f"{self._elapsed():.1f} s", wanted="more")

    @asynccontextmanager
    async def reserved(self, claim: Claim) -> AsyncIterator[Reservation]:
        """Set aside what an attempt may take at the most, for as long as the block runs or until it is settled.

        Where that fits only if others take less than was set aside for them, it waits until that is known; BudgetSpent
        where it does not fit in any case.
        """
        reservation = await self._reserve(claim)
        try:
            yield reservation
        finally:
            self._release(reservation)

    def settle(self, reservation: Reservation, usage: Usage, cost: float | None, *, is_new: bool) -> None:
        """An attempt took so much, the first of a call where that `is_new`."""
        count(usage, cost)
        self._usage += usage
        self._attempts += 1
        self._calls += is_new
        if cost is None:
            self._is_known = False
        else:
            self._cost += cost
        self._release(reservation)

    def unsent(self, *, is_new: bool) -> None:
        """An attempt was recorded and ended before it was sent, the first of a call where that `is_new`."""
        self._attempts += 1
        self._calls += is_new

    def charge(self, spent: Tally | Spent) -> None:
        """What was spent on another account is spent on this one."""
        self._usage += spent.usage
        self._cost += spent.known_cost
        self._is_known = self._is_known and spent.cost is not None
        self._wake()

    @contextmanager
    def part(self, share: int) -> Iterator[Account]:
        """An account of its own, of one in so many parts of what is neither spent nor set aside here. What it has not
        spent when the block ends is there for others. Its seconds begin with its own first call."""
        part = self._divided(share)
        inner = Account(budget=part, clock=self._clock)
        reservation = self._hold(Claim(model="", tokens=part.tokens or 0, cost=part.cost))
        try:
            yield inner
        finally:
            self._release(reservation)
            self.charge(inner.spent)

    async def record_prices(self, model: str, rates: Rates | None) -> None:
        """Record what a model costs, at the first call of it."""
        if self.log is None or model in self._priced:
            return
        self._priced.add(model)
        try:
            await self.log.append(_prices_found(model, rates))
        except BaseException:
            self._priced.discard(model)
            raise

    async def _reserve(self, claim: Claim) -> Reservation:
        if self._began is None:
            self._began = self._clock()
        if self.budget.cost is not None and claim.cost is None:
            raise _unpriced(claim.model, self.budget.cost)
        async with self._line.taken():
            self.require(claim)
            while not self._fits(claim):
                self._settled = anyio.Event()
                await self._settled.wait()
                self.require(claim)
            return self._hold(claim)

    def _elapsed(self) -> float:
        return 0.0 if self._began is None else self._clock() - self._began

    def _fits(self, claim: Claim) -> bool:
        budget = self.budget
        tokens = self._usage.tokens_in + self._usage.tokens_out + self._held_tokens + claim.tokens
        cost = self._cost + self._held_cost + (claim.cost or 0.0)
        return (budget.tokens is None or tokens <= budget.tokens) and (
            budget.cost is None or cost <= budget.cost + _ROUNDING
        )

    def _divided(self, share: int) -> Budget:
        cost, tokens = self.budget.cost, self.budget.tokens
        if cost is not None:
            cost = max(0.0, cost - self._cost - self._held_cost) / share
        if tokens is not None:
            used = self._usage.tokens_in + self._usage.tokens_out + self._held_tokens
            tokens = max(0, tokens - used) // share
        return replace(self.budget, cost=cost, tokens=tokens)

    def _hold(self, claim: Claim) -> Reservation:
        reservation = Reservation(claim)
        self._held.add(reservation)
        self._held_tokens += claim.tokens
        self._held_cost += claim.cost or 0.0
        return reservation

    def _release(self, reservation: Reservation) -> None:
        if reservation not in self._held:
            return
        self._held.discard(reservation)
        self._held_tokens -= reservation.claim.tokens
        self._held_cost = self._held_cost - (reservation.claim.cost or 0.0) if self._held else 0.0
        self._wake()

    def _wake(self) -> None:
        if self._settled is not None:
            self._settled.set()
            self._settled = None


def _unpriced(model: str, limit: float) -> UsageError:
    return UsageError(
        f"what {model} costs is not known, so it cannot be kept within {_dollars(limit)}",
        hint=f'say it, in dollars for a million tokens: tokens_in and tokens_out below [prices."{model}"]; '
        "or limit tokens instead: --max-tokens",
    )


def _prices_found(model: str, rates: Rates | None) -> PricesFound:
    if rates is None:
        return PricesFound(model=model)
    return PricesFound(
        model=model,
        tokens_in=rates.tokens_in,
        tokens_out=rates.tokens_out,
        tokens_cached=rates.tokens_cached,
        date=rates.date,
        origin=rates.origin,
    )


def _dollars(amount: float) -> str:
    return f"${amount:.4f}"
