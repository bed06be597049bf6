"""How a provider is kept from being asked too much: one `Limiter` for each `Place`, shared by all that call it there.

    call ──line──▶ pause and rates ──▶ permit ──▶ open at the provider

Only the first in the line looks at the clock, so calls start in the order in which they came. The number of permits
follows what the provider says: halved when it is busy, one more after as many successes as there are permits. Calls
that were open together hear "busy" together: that is one wave and one cut, since those that began before a cut say
nothing about what came after it.

A pause that a provider asks for is lengthened by chance, since processes that were refused together would come back
together. The chance is one for each wave: of many the longest would hold, which is nearly the same for all.
"""

from __future__ import annotations

import math
from collections import deque
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from random import Random
from typing import TYPE_CHECKING, Final
from weakref import WeakValueDictionary

import anyio
from anyio.lowlevel import RunVar

from bakeoff.errors import ProviderBusy
from bakeoff.fanout import Permits

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable

    from bakeoff.models.keys import Secret
    from bakeoff.models.settings import ProviderSettings

__all__ = ["Limited", "Limiter", "Place", "Slot", "shared_limiter"]

_MINUTE: Final = 60.0
_LONGEST_PAUSE: Final = 3600.0  # after which a provider is asked again, whatever it has said
_SPREAD: Final = 0.1  # of a pause: what it is lengthened by at the most
_LEAST_SPREAD: Final = 1.0  # seconds, since a tenth of a short pause keeps nobody apart; it doubles a shorter one
_MOST_SPREAD: Final = 5.0

_SHARED: Final[WeakValueDictionary[Place, Limiter]] = WeakValueDictionary()  # what nobody has any more is forgotten


@dataclass(frozen=True, slots=True, kw_only=True)
class Limited:
    """So many calls may be open from here on, after a pause of so many seconds."""

    limit: int
    pause: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where limits hold: of a provider at an address, for whoever has this key, in one thread."""

    thread: int
    provider: str
    base_url: str | None
    key: Secret | None


@dataclass(slots=True, eq=False)
class Slot:
    """One call at the provider; `wave` counts the cuts that there were when it was let in."""

    wave: int
    patience: float
    share: _Share | None
    is_used: bool = False


class Limiter:
    """Where calls of one provider pass through, one slot for each attempt. Not thread-safe.

    Where the provider asks for a pause that is longer than a call's patience, the call is refused at once until it has
    passed: all of them would hang, a few at a time, and be refused in the end. It may be used in one event loop after
    another; what is left of a pause, or of a rate, is forgotten with its loop.
    """

    def __init__(self, provider: str, settings: ProviderSettings, *, random: Random | None = None) -> None:
        self.provider = provider
        self._settings = settings
        self._random = random or Random()  # noqa: S311 - spreads calls in time
        self._chance = self._random.random()
        self._permits = Permits(settings.concurrency)
        self._turn = Permits(1)  # who holds it is the first in the line, and the only one that looks at the clock
        self._pace: RunVar[_Pace] = RunVar(f"pace of {provider}")
        self._wave = 0
        self._successes = 0

    @property
    def permits(self) -> Permits:
        """How many calls may be open, how many are, and how many were at the most."""
        return self._permits

    @property
    def waiting(self) -> int:
        """How many calls wait for a slot."""
        return self._turn.waiting + self._turn.in_flight

    def tighten(self, settings: ProviderSettings) -> None:
        """Keep to these settings as well, from here on: of each limit the smaller holds."""
        mine = self._settings
        self._settings = replace(
            mine,
            concurrency=min(mine.concurrency, settings.concurrency),
            requests_per_minute=_smaller(mine.requests_per_minute, settings.requests_per_minute),
            tokens_per_minute=_smaller(mine.tokens_per_minute, settings.tokens_per_minute),
        )
        self._permits.set(min(self._permits.limit, self._settings.concurrency))

    @asynccontextmanager
    async def slot(
        self, tokens: int, *, patience: float = math.inf, next_up: Callable[[], Awaitable[None]] | None = None
    ) -> AsyncIterator[Slot]:
        """Wait for a slot for a call of so many tokens at the most, and hold it while the block runs. Who has to wait
        for others, and is the first in the line, may do something until then: `next_up`.

        Raises ProviderBusy where the provider has asked for a pause of more seconds than the call's `patience`.
        """
        slot = await self._enter(tokens, patience, next_up)
        try:
            yield slot
        finally:
            if not slot.is_used:
                self.used(slot, 0)  # nothing was sent
            self._permits.give_back()

    def succeeded(self, slot: Slot) -> int | None:
        """The provider answered a call. How many may be open from here on, where that is more than before."""
        if slot.wave != self._wave or self._permits.limit >= self._settings.concurrency:
            return None
        self._successes += 1
        if self._successes < self._permits.limit:
            return None
        self._successes = 0
        self._permits.set(self._permits.limit + 1)
        return self._permits.limit

    def refused(self, slot: Slot, retry_after: float) -> Limited | None:
        """The provider was busy, and asked for a pause of so many seconds. What has changed, unless it is what was
        known already."""
        is_news = slot.wave == self._wave
        if is_news:
            self._wave += 1
            self._successes = 0
            self._chance = self._random.random()
            self._permits.set(max(1, self._permits.limit // 2))
        pause = self.lengthened(min(retry_after, _LONGEST_PAUSE), slot.patience)
        if pause > 0:
            pace = self._pace_here()
            pace.opens_at = max(pace.opens_at, anyio.current_time() + pause)
        return Limited(limit=self._permits.limit, pause=pause) if is_news else None

    def lengthened(self, pause: float, patience: float = math.inf) -> float:
        """A pause that the provider asks for, as it is kept: longer by chance, though not so that a call loses its
        patience."""
        most = min(pause, _MOST_SPREAD, max(_LEAST_SPREAD, _SPREAD * pause))
        longer = pause + self._chance * most
        return longer if pause > patience else min(longer, patience)

    def used(self, slot: Slot, tokens: int) -> None:
        """A call took so many tokens; what it might have taken beyond that is free again."""
        slot.is_used = True
        if slot.share is not None:
            self._pace_here().correct(slot.share, tokens)

    async def _enter(self, tokens: int, patience: float, next_up: Callable[[], Awaitable[None]] | None) -> Slot:
        self._require(patience)  # before the line, where others with more patience may wait
        async with self._turn.taken():
            while True:
                while (moment := self._pace_here().opens(tokens)) > anyio.current_time():
                    self._require(patience)
                    await self._pace_here().wait(moment)
                if next_up is not None and self._permits.in_flight >= self._permits.limit:
                    await next_up()
                    next_up = None
                await self._permits.take()
                if self._pace_here().opens(tokens) <= anyio.current_time():
                    return Slot(self._wave, patience, self._pace_here().take(tokens))
                self._permits.give_back()  # a pause has begun meanwhile

    def _require(self, patience: float) -> None:
        pause = self._pace_here().opens_at - anyio.current_time()
        if pause > patience:
            raise ProviderBusy(
                f"{self.provider} has asked for a pause, and is not called for another {pause:.0f} s",
                retry_after=pause,
                hint="that is longer than a call waits, the timeout of its provider's settings; try again later",
            )

    def _pace_here(self) -> _Pace:
        pace = self._pace.get(None)
        if pace is None:
            pace = _Pace()
            self._pace.set(pace)
        pace.keep_to(self._settings)
        return pace


def shared_limiter(place: Place, settings: ProviderSettings, *, random: Random) -> Limiter:
    """The one limiter of a place, for as long as anybody has it. It keeps to the settings of all who asked for it."""
    limiter = _SHARED.get(place)
    if limiter is None:
        limiter = _SHARED[place] = Limiter(place.provider, settings, random=random)
    else:
        limiter.tighten(settings)
    return limiter


def _smaller(one: float | None, other: float | None) -> float | None:
    return min((each for each in (one, other) if each is not None), default=None)


@dataclass(slots=True, eq=False)
class _Share:
    """What one call takes of a rate, from when on."""

    began: float
    amount: float
    counts: bool = True


class _Rate:
    """At most so much in any window of time: what began within the last one counts."""

    def __init__(self) -> None:
        self._most = math.inf
        self._window = _MINUTE
        self._taken = 0.0
        self._shares: deque[_Share] = deque()

    def keep_to(self, most: float, *, window: float = _MINUTE) -> None:
        self._most = most
        self._window = window

    def opens(self, amount: float) -> float:
        """The moment from which on so much more may be taken; what is more than fits in a window waits for an empty
        one."""
        self._forget(anyio.current_time())
        surplus = self._taken + amount - self._most
        moment = -math.inf
        for share in self._shares:
            if surplus <= 0:
                break
            moment = share.began + self._window
            surplus -= share.amount
        return moment

    def take(self, amount: float) -> _Share:
        share = _Share(anyio.current_time(), amount)
        self._shares.append(share)
        self._taken += amount
        return share

    def correct(self, share: _Share, amount: float) -> None:
        if share.counts:
            self._taken += amount - share.amount
            share.amount = amount

    def _forget(self, now: float) -> None:
        while self._shares and self._shares[0].began + self._window <= now:
            share = self._shares.popleft()
            share.counts = False
            self._taken = self._taken - share.amount if self._shares else 0.0


class _Pace:
    """When calls may start, on the clock of one event loop."""

    def __init__(self) -> None:
        self.opens_at = -math.inf
        self._kept: ProviderSettings | None = None
        self._requests: _Rate | None = None
        self._tokens: _Rate | None = None
        self._freed: anyio.Event | None = None

    def keep_to(self, settings: ProviderSettings) -> None:
        """Rates hold for what begins from here on; what began while there was none does not count."""
        if settings is self._kept:
            return
        self._kept = settings
        if (requests := settings.requests_per_minute) is not None:
            self._requests = self._requests or _Rate()
            # Of less than one request in a minute, there is one in several minutes.
            self._requests.keep_to(max(1.0, requests), window=_MINUTE * max(1.0, 1 / requests))
        if (tokens := settings.tokens_per_minute) is not None:
            self._tokens = self._tokens or _Rate()
            self._tokens.keep_to(tokens)

    async def wait(self, moment: float) -> None:
        """Until then, or until tokens are free before it. Only the first in the line waits here."""
        self._freed = anyio.Event()
        with anyio.CancelScope(deadline=moment):
            await self._freed.wait()

    def opens(self, tokens: int) -> float:
        moment = self.opens_at
        if self._requests is not None:
            moment = max(moment, self._requests.opens(1))
        if self._tokens is not None:
            moment = max(moment, self._tokens.opens(tokens))
        return moment

    def take(self, tokens: int) -> _Share | None:
        if self._requests is not None:
            self._requests.take(1)
        return self._tokens.take(tokens) if self._tokens is not None else None

    def correct(self, share: _Share, tokens: int) -> None:
        assert self._tokens is not None
        self._tokens.correct(share, tokens)
        if self._freed is not None:
            self._freed.set()
