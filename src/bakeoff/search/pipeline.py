"""The pipeline: every source goes on at its own pace, what it proposes is judged as it comes, and timed as soon as
there is nothing else to do.

    source ──proposals──▶ verify ──▶ race with the best so far ──▶ brief.tried ──▶ the source again
    source ──proposals──▶   │             (alone)
         …                  └── while others are still being written

A source is asked again when all that it proposed is settled; one that had nothing to say, when others have been timed
since. It is over when none has more to say, when what may be spent is spent (candidates, rounds or time), or when what
is found is good enough.

Time is kept for timing: when there is no more left than those that are verified by now may need, they are timed before
anything else is judged; and in the last tenth nothing is judged or asked for any more.
"""

from __future__ import annotations

import math
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING

import anyio

from bakeoff.errors import UsageError
from bakeoff.events import Descent
from bakeoff.fanout import all_of, collect

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence

    from anyio.abc import ObjectReceiveStream, ObjectSendStream

    from bakeoff.candidates import Candidate
    from bakeoff.candidates.tried import Tried
    from bakeoff.evaluation import Evaluation
    from bakeoff.events import Profile
    from bakeoff.sources import Brief, Proposal, Source

__all__ = ["Found", "SearchOptions", "search"]

_LAST = 0.1  # of all time: nothing new is begun in it
_MOST_KEPT = 0.4  # of all time: what is kept at most for those that are verified
_LEAST_RACE = 0.4


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchOptions:
    """What may be spent: candidates, rounds of each source, and time until `deadline`, by anyio's clock, of `seconds`
    in all, at most `timing` of it for a candidate alone in a race. A winner that is surely `enough` times as fast ends
    it.

    `earlier` is what a try of this run that was cut short has recorded, by source. With `profile`, the best candidate
    is profiled whenever there is a new one.
    """

    candidates: int = 40
    rounds: int = 4
    seconds: float = 120.0
    timing: float = 3.0
    deadline: float
    enough: float | None = None
    earlier: Mapping[str, tuple[Proposal, ...]] = field(default_factory=dict)
    profile: Callable[[Candidate], Awaitable[Profile | None]] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """All that was tried, in the order in which it was judged, the winner, and candidates' profiles by their ids."""

    tried: tuple[Tried, ...]
    winner: Tried | None
    profiles: Mapping[str, Profile] = field(default_factory=dict)


async def search(sources: Sequence[Source], evaluation: Evaluation, brief: Brief, options: SearchOptions) -> Found:
    """Look for a candidate that is faster. What a source or our machinery raises comes out as it is."""
    return await _Search(sources, evaluation, brief, options).run()


@dataclass(slots=True, kw_only=True)
class _Follower:
    """How a source stands: whether it is asked right now, how much it gave then, and how many races there had been.
    `pending` is what it has proposed and is not judged yet; one that `is_done` is not asked again."""

    is_asked: bool = True
    is_done: bool = False
    gave: int = 0
    races: int = 0
    pending: int = 0


class _Turns:
    """Lets tasks wait until something is so that only tasks of this search change, and tell when they have."""

    def __init__(self) -> None:
        self._changed = anyio.Event()

    def tell(self) -> None:
        """Something has changed."""
        self._changed.set()
        self._changed = anyio.Event()

    async def until(self, is_so: Callable[[], bool]) -> None:
        while not is_so():
            await self._changed.wait()


class _Search:
    def __init__(self, sources: Sequence[Source], evaluation: Evaluation, brief: Brief, options: SearchOptions) -> None:
        self._sources = sources
        self._evaluation = evaluation
        self._brief = brief
        self._options = options
        self._turns = _Turns()
        self._tried: dict[str, Tried] = {}
        self._winner: Tried | None = None
        self._profiles: dict[str, Profile] = dict(brief.profiles)
        # What was recorded before is looked at in any case, and counts.
        self._proposed = sum(map(_counts, chain.from_iterable(options.earlier.values())))
        self._followers = {source.name: _Follower() for source in sources}
        if len(self._followers) < len(sources):
            names = sorted(source.name for source in sources)
            raise UsageError(f"two sources have the same name: {', '.join(names)}", hint="name each of them once")
        self._working = 0
        self._raced: set[str] = set()
        self._races = 0
        self._is_racing = False
        self._is_judging = True
        # Past that nothing new is begun, and what is not judged yet is left as it is.
        last = _LAST * options.seconds if math.isfinite(options.seconds) else 0.0
        self._judging = anyio.CancelScope(deadline=options.deadline - last)

    async def run(self) -> Found:
        await all_of(self._propose_and_judge, self._race_all)
        return Found(tried=tuple(self._tried.values()), winner=self._winner, profiles=self._profiles)

    @property
    def _left(self) -> float:
        return max(0.0, self._options.deadline - anyio.current_time())

    @property
    def _is_good_enough(self) -> bool:
        enough, winner = self._options.enough, self._winner
        if enough is None or winner is None or winner.measured is None:
            return False
        return winner.measured.speedup.low >= enough

    # -- asking ---------------------------------------------------------------------------------------------------

    async def _propose_and_judge(self) -> None:
        send, receive = anyio.create_memory_object_stream[tuple[str, "Proposal"]](0)
        try:
            with self._judging:
                async with send, receive:
                    await all_of(partial(self._ask_all, send), partial(self._judge_all, receive))
        finally:
            self._is_judging = False
            self._turns.tell()

    async def _ask_all(self, send: ObjectSendStream[tuple[str, Proposal]]) -> None:
        async with send:
            limit = max(1, len(self._sources))
            await collect(self._sources, partial(self._follow, send), limit=limit, fail_fast=True)

    async def _follow(self, send: ObjectSendStream[tuple[str, Proposal]], source: Source) -> None:
        """A source, round by round, for as long as it may have something to say."""
        follower = self._followers[source.name]
        for number in range(self._options.rounds):
            if number:
                await self._turns.until(lambda: self._is_quiet or self._has_reason(source))
                if not self._has_reason(source):
                    break
            follower.is_asked, follower.gave, follower.races = True, 0, self._races
            await self._ask(self._told(source, is_first=number == 0), send, source)
            follower.is_asked = False
            self._turns.tell()
        follower.is_done = True
        self._turns.tell()

    def _told(self, source: Source, *, is_first: bool) -> Brief:
        return replace(
            self._brief,
            tried=tuple(self._tried.values()),
            most=max(0, self._options.candidates - self._proposed),
            profiles=dict(self._profiles),
            earlier=self._options.earlier.get(source.name, ()) if is_first else (),
            working=self._while_working,
        )

    @asynccontextmanager
    async def _while_working(self) -> AsyncIterator[None]:
        """For a source's work; who waits to time something is told when it ends."""
        async with self._brief.working():
            self._working += 1
            try:
                yield
            finally:
                self._working -= 1
                self._turns.tell()

    async def _ask(self, brief: Brief, send: ObjectSendStream[tuple[str, Proposal]], source: Source) -> None:
        """What was recorded of the source before comes first. Where it is proposed again later on, that is settled."""
        for proposal in brief.earlier:
            await self._offer(source, proposal, send)
        before = set(map(_key, self._options.earlier.get(source.name, ())))
        async with aclosing(source.propose(brief)) as proposals:
            async for proposal in proposals:
                if _key(proposal) in before:
                    self._followers[source.name].gave += 1
                    continue
                if _counts(proposal):
                    if self._proposed >= self._options.candidates:
                        return
                    self._proposed += 1
                await self._offer(source, proposal, send)

    async def _offer(self, source: Source, proposal: Proposal, send: ObjectSendStream[tuple[str, Proposal]]) -> None:
        """Until somebody takes it. It is pending from before that on: the source may have ended, and others may have
        been judged, before the one who takes it runs."""
        follower = self._followers[source.name]
        follower.gave += 1
        follower.pending += 1
        await send.send((source.name, proposal))

    def _has_reason(self, source: Source) -> bool:
        """Whether it may have something to say now: what it gave is settled, or others have found something."""
        follower = self._followers[source.name]
        is_timed = not self._is_racing and all(one.candidate.source != source.name for one in self._fresh)
        is_settled = is_timed and not follower.is_done and not follower.pending
        return is_settled and bool(follower.gave or self._races > follower.races)

    @property
    def _is_quiet(self) -> bool:
        """Whether nothing goes on that anybody could learn from."""
        is_busy = any(one.is_asked or one.pending for one in self._followers.values())
        return not (is_busy or self._is_racing or self._fresh or any(map(self._has_reason, self._sources)))

    async def _judge_all(self, receive: ObjectReceiveStream[tuple[str, Proposal]]) -> None:
        def tell(tried: Tried) -> None:
            self._tried[tried.candidate.id] = tried
            self._followers[tried.candidate.source].pending -= 1
            self._turns.tell()

        await self._evaluation.verify(receive, tell)

    # -- timing ---------------------------------------------------------------------------------------------------

    @property
    def _fresh(self) -> list[Tried]:
        """What is verified, and was in no race yet. What an earlier try has measured counts: of that, what may win."""
        return [
            one
            for one in self._tried.values()
            if one.is_verified and one.candidate.id not in self._raced and (one.measured is None or self._may_win(one))
        ]

    def _may_win(self, tried: Tried) -> bool:
        return tried.is_faster and (self._winner is None or tried.speedup > self._winner.speedup)

    async def _race_all(self) -> None:
        """A race whenever something is verified and nobody works, until nothing more can come."""
        while True:
            await self._turns.until(lambda: not self._is_judging or self._is_time_to_race)
            if not self._fresh:
                return
            self._is_racing = True
            await self._race()
            self._is_racing = False
            self._races += 1
            if self._is_good_enough:
                self._judging.cancel()
            self._turns.tell()

    @property
    def _is_time_to_race(self) -> bool:
        """Whether nobody has to wait when those that are verified are timed, or time gets short."""
        fresh = len(self._fresh)
        is_idle = not self._working and not any(one.pending for one in self._followers.values())
        kept = min(_MOST_KEPT * self._options.seconds, self._options.timing * _shares(fresh + 1))
        return fresh > 0 and (is_idle or self._left < kept)

    async def _race(self) -> None:
        """Time what was not timed yet, beside the best so far."""
        fresh = self._fresh
        measured = [one for one in fresh if one.measured is not None]
        best = max(measured, key=_speedup, default=None)
        field = [one for one in fresh if one.measured is None] + [
            one for one in (best, self._winner) if one is not None
        ]
        self._raced.update(one.candidate.id for one in field)
        timed = await self._evaluation.time(field, seconds=self._race_seconds, longest=self._longest_race)
        self._tried.update({one.candidate.id: one for one in timed.tried})
        self._crown(timed.winner)
        await self._profile_winner()

    def _crown(self, winner: Tried | None) -> None:
        """A race without a winner leaves the one before in its place, unless that has lost its own claim: then those
        that it has beaten may stand up again."""
        before, self._winner = self._winner, winner
        if before is None or winner is not None:
            return
        before = self._tried[before.candidate.id]
        if before.is_faster:
            self._winner = before
        else:
            self._raced.clear()

    async def _profile_winner(self) -> None:
        winner, profile = self._winner, self._options.profile
        if winner is None or profile is None or winner.candidate.id in self._profiles:
            return
        found = await profile(winner.candidate)
        if found is not None:
            self._profiles[winner.candidate.id] = found

    def _race_seconds(self, count: int) -> float:
        return min(self._options.timing, max(_LEAST_RACE, self._left / _shares(count)))

    def _longest_race(self, count: int) -> float:
        """Where laps are dear, the fewest that say anything take longer than a race should: at most the time that is
        left, or what a race at the end takes."""
        return max(self._left, self._race_seconds(count) * _shares(count))


def _shares(count: int) -> float:
    """What a race of so many takes, in parts of what one takes: half for each until one is left, all for that one, and
    as much again if need be."""
    return count / 2 + 2


def _counts(proposal: Proposal) -> bool:
    """Whether it is one more candidate; a repair is not."""
    return proposal.descent is not Descent.REPAIR


def _key(proposal: Proposal) -> tuple[str, str]:
    return proposal.name, proposal.change.id if proposal.change is not None else ""


def _speedup(tried: Tried) -> float:
    return tried.speedup
