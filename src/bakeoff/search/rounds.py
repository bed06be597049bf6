"""Rounds: ask the sources, judge what they propose, time what stands, tell them what came of it, and ask again.

    sources ──proposals──▶ verify ──▶ race with the best so far ──▶ brief.tried ──▶ sources …

It is over when the sources have nothing more to say, or what may be spent is spent: candidates, rounds or time. Of the
time that is left, a part is kept for timing, so that what was verified is not left without a measurement.
"""

from __future__ import annotations

from contextlib import aclosing
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

import anyio

from bakeoff.fanout import all_of, collect

if TYPE_CHECKING:
    from collections.abc import Sequence

    from anyio.abc import ObjectReceiveStream, ObjectSendStream

    from bakeoff.candidates.tried import Tried
    from bakeoff.evaluation import Evaluation
    from bakeoff.sources import Brief, Proposal, Source

__all__ = ["Found", "SearchOptions", "search"]

_VERIFYING = 0.6
_LEAST_RACE, _MOST_RACE = 0.4, 3.0
_LEAST_LEFT = 0.1


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchOptions:
    """What may be spent: candidates, rounds, and time until `deadline`, by anyio's clock, of `seconds` in all."""

    candidates: int = 40
    rounds: int = 4
    seconds: float = 120.0
    deadline: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """All that was tried, in the order in which it was judged, and the winner."""

    tried: tuple[Tried, ...]
    winner: Tried | None


async def search(sources: Sequence[Source], evaluation: Evaluation, brief: Brief, options: SearchOptions) -> Found:
    """Look for a candidate that is faster. What a source or our machinery raises comes out as it is."""
    return await _Search(sources, evaluation, brief, options).run()


class _Search:
    def __init__(self, sources: Sequence[Source], evaluation: Evaluation, brief: Brief, options: SearchOptions) -> None:
        self._sources = sources
        self._evaluation = evaluation
        self._brief = brief
        self._options = options
        self._tried: dict[str, Tried] = {}
        self._winner: Tried | None = None
        self._proposed = 0

    async def run(self) -> Found:
        for _ in range(self._options.rounds):
            before = len(self._tried)
            await self._verify()
            await self._time()
            is_over = self._proposed >= self._options.candidates or self._left < _LEAST_LEFT * self._options.seconds
            if is_over or len(self._tried) == before:
                break
        return Found(tried=tuple(self._tried.values()), winner=self._winner)

    @property
    def _left(self) -> float:
        return max(0.0, self._options.deadline - anyio.current_time())

    # -- verifying ------------------------------------------------------------------------------------------------

    async def _verify(self) -> None:
        """One round of proposals, judged as they come; what is not judged in time is left as it is."""
        most = self._options.candidates - self._proposed
        brief = replace(self._brief, tried=tuple(self._tried.values()), most=most)
        send, receive = anyio.create_memory_object_stream[tuple[str, "Proposal"]](0)
        with anyio.move_on_after(_VERIFYING * self._left):
            async with send, receive:
                await all_of(partial(self._ask_all, brief, send), partial(self._judge_all, receive))

    async def _ask_all(self, brief: Brief, send: ObjectSendStream[tuple[str, Proposal]]) -> None:
        async with send:
            await collect(self._sources, partial(self._ask, brief, send), limit=len(self._sources), fail_fast=True)

    async def _ask(self, brief: Brief, send: ObjectSendStream[tuple[str, Proposal]], source: Source) -> None:
        async with aclosing(source.propose(brief)) as proposals:
            async for proposal in proposals:
                if self._proposed >= self._options.candidates:
                    return
                self._proposed += 1
                await send.send((source.name, proposal))

    async def _judge_all(self, receive: ObjectReceiveStream[tuple[str, Proposal]]) -> None:
        def tell(tried: Tried) -> None:
            self._tried[tried.candidate.id] = tried

        await self._evaluation.verify(receive, tell)

    # -- timing ---------------------------------------------------------------------------------------------------

    async def _time(self) -> None:
        """Time what was not timed yet, beside the best so far."""
        fresh = [one for one in self._tried.values() if one.is_verified and one.measured is None]
        best = self._winner or max((one for one in self._tried.values() if one.is_faster), key=_speedup, default=None)
        if best is not None and (fresh or self._winner is None):
            fresh.append(best)
        if not fresh:
            return
        timed = await self._evaluation.time(fresh, seconds=self._race_seconds)
        self._tried.update({one.candidate.id: one for one in timed.tried})
        if timed.winner is not None:
            self._winner = timed.winner
        elif self._winner is not None and not self._tried[self._winner.candidate.id].is_verified:
            self._winner = None

    def _race_seconds(self, count: int) -> float:
        """For each of so many: half of it until one is left, all of it for that one, and as much again if need be."""
        share = self._left / (count / 2 + 2)
        return min(_MOST_RACE, max(_LEAST_RACE, share))


def _speedup(tried: Tried) -> float:
    return tried.speedup
