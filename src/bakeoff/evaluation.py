"""The two phases over candidates: verified, many at once; then those that stand are timed together, and nothing else
runs meanwhile.

    proposals ──▶ in scope? new? ──▶ judged, so many at a time ──▶ Tried
    Tried, … ──▶ race ──▶ the rest of the suite for the one that would win ──▶ Tried, …, and the winner

Everything that happens is recorded when it happens; what an earlier try of the same run recorded is not done again.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Protocol

from bakeoff.candidates import Candidate, Change
from bakeoff.candidates.tried import Tried
from bakeoff.events import (
    CandidateJudged,
    CandidateMeasured,
    CandidateProposed,
    Evidence,
    JudgingBegan,
    Kept,
    RaceBegan,
    RaceEnded,
    Verdict,
    Warned,
)
from bakeoff.fanout import fan_out
from bakeoff.measure import Contender, FaultKind
from bakeoff.sources import Proposal
from bakeoff.store import text_of
from bakeoff.verify import Judgement, verdict_of

if TYPE_CHECKING:
    from collections.abc import AsyncIterable, AsyncIterator, Callable, Iterable, Sequence

    from bakeoff.candidates import File
    from bakeoff.events import Text
    from bakeoff.measure import Fault, Gate, Measurement, RaceResult
    from bakeoff.sources import Scope
    from bakeoff.store import Log
    from bakeoff.workspaces import WorktreePool

__all__ = ["BASELINE", "Evaluation", "Judge", "Timed", "Timer"]

BASELINE = "baseline"
_SHORT = 12
_VERDICT_OF_FAULT = {
    FaultKind.DID_NOT_LOAD: Verdict.CRASHED,
    FaultKind.RAISED: Verdict.WRONG,
    FaultKind.DIFFERENT_RESULT: Verdict.WRONG,
    FaultKind.TOO_LONG: Verdict.TIMED_OUT,
    FaultKind.TASKS: Verdict.WRONG,
    FaultKind.CLOCK: Verdict.WRONG,
}


class Judge(Protocol):
    """Says whether a change keeps the behaviour. May be asked from several tasks at once."""

    async def judge(self, change: Change) -> Judgement: ...

    async def judge_whole(self, change: Change, judgement: Judgement) -> Judgement: ...


class Timer(Protocol):
    """Times candidates together with the baseline, in about so many seconds for each, and no more than `longest` for
    all, decided or not."""

    async def race(self, contenders: Sequence[Contender], *, seconds: float, longest: float) -> RaceResult: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Timed:
    """How a race left its candidates, and who won it."""

    tried: tuple[Tried, ...]
    winner: Tried | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Entry:
    """A proposal that has its place in the run, and what is to become of it."""

    candidate: Candidate
    proposal: Proposal
    known: Tried | None
    is_recorded: bool


class Evaluation:
    """Judges and times the candidates of one run, and records it. `known` is what an earlier try of this run found."""

    def __init__(
        self,
        *,
        pool: WorktreePool,
        judge: Judge,
        timer: Timer | None,
        log: Log,
        gate: Gate,
        scope: Scope,
        parallel: int,
        known: Iterable[tuple[Candidate, Tried | None]] = (),
    ) -> None:
        self._pool = pool
        self._judge = judge
        self._timer = timer
        self._log = log
        self._gate = gate
        self._scope = scope
        self._parallel = parallel
        self._known = {(one.source, one.name, one.change.id): (one, tried) for one, tried in known}
        self._ids: set[str] = {candidate.id for candidate, _ in self._known.values()}
        self._names: set[str] = set()
        self._equals = {Change().fingerprint(base=pool.read): BASELINE}
        self._judgements: dict[str, Judgement] = {}

    # -- the first phase ------------------------------------------------------------------------------------------

    async def verify(self, proposals: AsyncIterable[tuple[str, Proposal]], tell: Callable[[Tried], None]) -> None:
        """Judge proposals as they come, each with the name of its source, and tell of each when it is judged."""
        async with fan_out(self._entered(proposals), self._verified, limit=self._parallel, fail_fast=True) as outcomes:
            async for outcome in outcomes:
                if outcome.error is not None:
                    raise outcome.error
                if outcome.value is not None:
                    tell(outcome.value)

    async def _entered(self, proposals: AsyncIterable[tuple[str, Proposal]]) -> AsyncIterator[_Entry]:
        async for source, proposal in proposals:
            yield self._entry(source, proposal)

    def _entry(self, source: str, proposal: Proposal) -> _Entry:
        change = proposal.change or Change()
        name = self._free(proposal.name, self._names)
        self._names.add(name)
        recorded, known = self._known.pop((source, name, change.id), (None, None))
        if recorded is None:
            identity = self._free((change.id if change else f"none-{name}")[:_SHORT], self._ids)
            self._ids.add(identity)
            recorded = Candidate(
                id=identity,
                name=name,
                source=source,
                change=change,
                parents=proposal.parents,
                note=proposal.note,
                descent=proposal.descent,
                log=proposal.log,
                calls=proposal.calls,
            )
            return _Entry(candidate=recorded, proposal=proposal, known=None, is_recorded=False)
        return _Entry(candidate=recorded, proposal=proposal, known=known, is_recorded=True)

    @staticmethod
    def _free(wanted: str, taken: set[str]) -> str:
        """The name, or the name with a number, that nobody has."""
        number, name = 1, wanted
        while name in taken:
            number += 1
            name = f"{wanted}-{number}"
        return name

    async def _verified(self, entry: _Entry) -> Tried:
        candidate, proposal, known = entry.candidate, entry.proposal, entry.known
        if not entry.is_recorded:
            # At once, also while somebody is timed: what has been paid for must not be lost.
            await self._log.append(self._proposed(candidate, proposal))
        if known is not None and known.judged.verdict is Verdict.DUPLICATE:
            # What it repeats may not be judged yet, and must not be taken for a repetition of this one.
            return known
        async with self._gate.working():
            refusal = self._refused(candidate, proposal)
            if known is not None:
                return known
            if refusal is None:
                await self._log.append(JudgingBegan(candidate=candidate.id))
                return await self._told(candidate, await self._judge.judge(candidate.change))
        await self._log.append(refusal)
        return Tried(candidate=candidate, judged=refusal)

    def _proposed(self, candidate: Candidate, proposal: Proposal) -> CandidateProposed:
        """With all that is needed to make the change again, wherever the base will be then."""
        base, keep = self._pool.read, self._log.keep
        before = {path: base(path) for path in candidate.change.paths}
        return CandidateProposed(
            candidate=candidate.id,
            name=candidate.name,
            source=candidate.source,
            parents=candidate.parents,
            patch=keep(text_of(candidate.change.to_patch(base=base))),
            before={path: _kept(file, keep) for path, file in before.items() if file is not None},
            note=proposal.note,
            log=keep(proposal.log) if proposal.log else None,
            descent=proposal.descent,
            calls=proposal.calls,
        )

    def _refused(self, candidate: Candidate, proposal: Proposal) -> CandidateJudged | None:
        """The verdict on what need not be run: nothing came of it, it edits what it may not, or it was there before."""

        def refusal(verdict: Verdict, reason: str, duplicate_of: str | None = None) -> CandidateJudged:
            return CandidateJudged(candidate=candidate.id, verdict=verdict, reason=reason, duplicate_of=duplicate_of)

        if proposal.change is None:
            return refusal(Verdict.INVALID, proposal.problem)
        outside = self._scope.outside(candidate.change)
        if outside:
            kind = "tests are not for candidates to edit" if self._scope.is_test(outside[0]) else "outside of the scope"
            return refusal(Verdict.INVALID, f"it edits {outside[0]}: {kind}")
        fingerprint = candidate.change.fingerprint(base=self._pool.read)
        equal = self._equals.setdefault(fingerprint, candidate.id)
        if equal == candidate.id:
            return None
        reason = "it changes nothing that counts" if equal == BASELINE else "another candidate means the same"
        return refusal(Verdict.DUPLICATE, reason, equal)

    async def _told(self, candidate: Candidate, judgement: Judgement) -> Tried:
        self._judgements[candidate.id] = judgement
        output = "\n".join(filter(None, (judgement.stdout, judgement.stderr)))
        judged = CandidateJudged(
            candidate=candidate.id,
            counterexample=judgement.counterexample,
            log=self._log.keep(output) if output else None,
            evidence=judgement.evidence,
            **_alike(judgement),
        )
        await self._log.append(judged)
        return Tried(candidate=candidate, judged=judged)

    async def enter(self, candidate: Candidate, judgement: Judgement) -> Tried:
        """Take in a candidate that was judged elsewhere, and is recorded here."""
        await self._log.append(self._proposed(candidate, Proposal(name=candidate.name, change=candidate.change)))
        return await self._told(candidate, judgement)

    # -- the second phase -----------------------------------------------------------------------------------------

    async def time(
        self,
        tried: Sequence[Tried],
        *,
        seconds: Callable[[int], float],
        longest: Callable[[int], float],
    ) -> Timed:
        """Time those that are verified, together. `seconds` says how many there are for one of so many candidates, and
        `longest` when their race ends, decided or not. The one that would win has to pass the whole suite; where it
        does not, the others are timed again."""
        known = {one.candidate.id: one for one in tried}
        while True:
            field = [one for one in known.values() if one.is_verified]
            if not field or self._timer is None:
                return Timed(tried=tuple(known.values()))
            count = len(field)
            result = await self._race(self._timer, field, seconds(count), longest(count))
            for one in field:
                known[one.candidate.id] = await self._measured(one, result, is_alone=len(field) == 1)
            winner = next((one for one in field if one.candidate.name == result.winner), None)
            if winner is None:
                return Timed(tried=tuple(known.values()))
            best = await self._wholly(known[winner.candidate.id])
            known[best.candidate.id] = best
            if best.is_verified:
                return Timed(tried=tuple(known.values()), winner=best)

    async def _race(self, timer: Timer, field: Sequence[Tried], seconds: float, longest: float) -> RaceResult:
        contenders = [
            Contender(
                name=one.candidate.name,
                change=one.candidate.change,
                keeps_results=bool(one.judged.keeps),
                size=len(one.candidate.change.to_patch(base=self._pool.read)),
            )
            for one in field
        ]
        async with self._gate.measuring():
            await self._log.append(RaceBegan(candidates=tuple(one.candidate.id for one in field), seconds=seconds))
            result = await timer.race(contenders, seconds=seconds, longest=longest)
            # Before anybody else begins, so that the log has one race after the other.
            await self._log.append(
                RaceEnded(
                    placebo=result.placebo,
                    noisy=result.noisy,
                    clock=result.clock.value,
                    load=result.load,
                    covered=result.covered,
                    seconds=result.seconds,
                    processes=result.processes,
                )
            )
        if result.noisy:
            said = "this machine is too noisy to tell: a copy of the baseline came out different from it"
            await self._log.append(Warned(message=said))
        return result

    async def _measured(self, tried: Tried, result: RaceResult, *, is_alone: bool) -> Tried:
        """With what the race says of it. What was measured before stays, unless this says more: among noise, or of one
        that others have put aside, it does not."""
        found = result.measurements.get(tried.candidate.name)
        if found is None:
            return tried
        if found.fault is not None:
            return await self._fallen(tried, found.fault)
        says_more = not result.noisy and (found.is_confirmed or is_alone)
        if found.speedup is None or (tried.measured is not None and not says_more):
            return tried
        measured = _event(tried.candidate, found)
        await self._log.append(measured)
        return replace(tried, measured=measured)

    async def _fallen(self, tried: Tried, fault: Fault) -> Tried:
        """One that passed all before, and did not stand being timed."""
        verdict = verdict_of(fault.ending) if fault.ending is not None else _VERDICT_OF_FAULT[fault.kind]
        judged = CandidateJudged(
            candidate=tried.candidate.id,
            verdict=verdict,
            reason=f"while it was timed: {fault.text.splitlines()[0] if fault.text else fault.kind.value}",
            evidence=tried.judged.evidence,
        )
        await self._log.append(judged)
        return Tried(candidate=tried.candidate, judged=judged)

    async def _wholly(self, tried: Tried) -> Tried:
        """Whether the rest of the suite agrees, too."""
        candidate = tried.candidate
        before = self._judgements.get(candidate.id) or _judgement(tried.judged)
        async with self._gate.working():
            judgement = await self._judge.judge_whole(candidate.change, before)
        if judgement is before:
            return tried
        return replace(await self._told(candidate, judgement), measured=tried.measured)


def _kept(file: File, keep: Callable[[str], Text]) -> Kept:
    return Kept(mode=file.mode.value, text=keep(text_of(file.content)))


def _judgement(judged: CandidateJudged) -> Judgement:
    """What an earlier try of the run said."""
    return Judgement(evidence=judged.evidence or Evidence(), **_alike(judged))


def _alike(said: Judgement | CandidateJudged) -> dict[str, Any]:
    """What a judgement and its record have in common."""
    names = ("verdict", "reason", "failures", "differences", "outside", "suspicions", "keeps", "seconds")
    return {name: getattr(said, name) for name in names}


def _event(candidate: Candidate, found: Measurement) -> CandidateMeasured:
    assert found.speedup is not None
    return CandidateMeasured(
        candidate=candidate.id,
        decision=found.decision,
        speedup=found.speedup,
        warm=found.warm,
        cold=found.cold,
        is_confirmed=found.is_confirmed,
        processes=found.processes,
        mixed=found.mixed,
        is_undecided=found.is_undecided,
    )
