"""Runs as documents for `--json`. Their names and shapes are a contract: more may be added, nothing may change."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from bakeoff.report import spending
from bakeoff.report.calls import Request
from bakeoff.report.foreign import ODD, all_writable, writable
from bakeoff.report.standings import measured, winner

if TYPE_CHECKING:
    import re
    from collections.abc import Callable, Sequence

    from bakeoff.events import AttemptState, CandidateState, Evidence, Run, SampleState, Spent, Text
    from bakeoff.report.calls import Call

__all__ = [
    "as_json",
    "attempt_document",
    "call_document",
    "candidate_document",
    "result_document",
    "results_document",
    "sample_document",
    "spent_document",
]


def as_json(document: object) -> str:
    """The document as JSON that any terminal can show: characters that a terminal might obey, or that nobody sees, are
    written by their number, as JSON allows. Lone surrogates, which no UTF-8 can hold, are replaced."""
    encoded = msgspec.json.encode(all_writable(msgspec.to_builtins(document, enc_hook=str)), order="deterministic")
    return ODD.sub(_escaped, msgspec.json.format(encoded, indent=2).decode()) + "\n"


def _escaped(found: re.Match[str]) -> str:
    units = found[0].encode("utf-16-be")
    return "".join(f"\\u{units[at]:02x}{units[at + 1]:02x}" for at in range(0, len(units), 2))


def results_document(runs: Sequence[Run], *, text: Callable[[Text], str]) -> dict[str, Any]:
    """The document of a command that has one target or several: one run's own, or all of them under `targets`."""
    documents = [result_document(run, text=text) for run in runs]
    return documents[0] if len(documents) == 1 else {"targets": documents}


def result_document(run: Run, *, text: Callable[[Text], str]) -> dict[str, Any]:
    """The document of `optimize`, `compare` and `demo`. `text` gives what the store keeps under a hash."""
    return {
        "run": run.id,
        "state": run.state,
        "target": run.start.target if run.start else None,
        "baseline": _baseline(run),
        "candidates": [candidate_document(candidate) for candidate in run.candidates.values()],
        "spent": spent_document(run),
        "winner": _winner(run, text),
        "error": run.end.error if run.end else None,
        "sandbox": run.sandbox.tier if run.sandbox else None,
        "slots": {"kind": run.pool.kind, "asked": run.pool.asked, "size": run.pool.size} if run.pool else None,
        "noise": _noise(run),
        "profile": _profiles(run),
        "warnings": list(run.warnings),
        "seconds": round((run.last - run.started).total_seconds(), 3),
    }


def spent_document(run: Run) -> dict[str, Any]:
    """What calls of language models took, in all and by model. A cost that is not known is None, and `known_cost` is
    then that of the other attempts; `open` are those that have no end."""
    in_all = _spent(spending.total(run.attempts.values()))
    by_model = {
        model: {**_spent(spent), "price": _price(run, model)} for model, spent in spending.by_model(run).items()
    }
    failures = dict(spending.failures(run.attempts.values()))
    limited = {provider: _plain(limits) for provider, limits in spending.limits(run).items()}
    return {**in_all, "failures": failures, "limited": limited, "by_model": by_model}


def attempt_document(attempt: AttemptState) -> dict[str, Any]:
    """An attempt at a call; what it took is None as long as it has no end."""
    began, ended = attempt.began, attempt.ended
    names = ("end", "finish", "error", "status", "tokens_in", "tokens_out", "tokens_cached", "is_estimate", "cost")
    took = {name: getattr(ended, name) if ended else None for name in (*names, "seconds", "queued", "backed_off")}
    return {
        "call": began.call,
        "attempt": began.attempt,
        "model": began.model,
        "purpose": began.purpose or None,
        **took,
    }


def call_document(call: Call, *, text: Callable[[Text], str]) -> dict[str, Any]:
    """A call with what was asked and answered."""
    request = Request.of(text(call.request)) if call.request is not None else None
    return {
        "call": call.id,
        "model": call.model,
        "purpose": call.purpose or None,
        "messages": [_plain(turn) for turn in request.turns] if request else None,
        "answer": text(call.answer) if call.answer is not None else None,
        "attempts": [attempt_document(attempt) for attempt in call.attempts],
    }


def sample_document(sample: SampleState, *, text: Callable[[Text], str]) -> dict[str, Any]:
    """A sample with what its requirements say."""
    began, ended = sample.began, sample.ended
    return {
        "sample": began.sample,
        "subsample": began.subsample,
        "iteration": began.iteration,
        "parent": began.parent,
        "end": ended.end if ended else None,
        "call": ended.call if ended else None,
        "text": text(ended.text) if ended and ended.text is not None else None,
        "is_judged": ended.is_judged if ended else False,
        "is_valid": ended.is_valid if ended else False,
        "validations": [_plain(one) for one in ended.validations] if ended else [],
        "error": ended.error if ended else None,
    }


def _spent(spent: Spent) -> dict[str, Any]:
    return {
        "calls": spent.calls,
        "attempts": spent.attempts,
        "failed": spent.failed,
        "cancelled": spent.cancelled,
        "open": len(spent.open),
        "tokens_in": spent.tokens_in,
        "tokens_out": spent.tokens_out,
        "tokens_cached": spent.tokens_cached,
        "is_estimate": spent.estimated > 0,
        "cost": spending.cost(spent),
        "known_cost": spent.cost,
        "seconds": round(spent.seconds, 3),
        "queued": round(spent.queued, 3),
        "backed_off": round(spent.backed_off, 3),
    }


def _price(run: Run, model: str) -> dict[str, Any] | None:
    """What was known of a model's price, in dollars for a million tokens."""
    found = run.prices.get(model)
    if found is None or (found.tokens_in is None and found.tokens_out is None):
        return None
    return {name: getattr(found, name) for name in ("tokens_in", "tokens_out", "tokens_cached", "date", "origin")}


def _baseline(run: Run) -> dict[str, Any] | None:
    if run.baseline is None:
        return None
    return {
        "tests": run.baseline.tests,
        "tests_reaching_target": run.baseline.tests_reaching_target,
        "recorded_calls": run.baseline.recorded_calls,
        "flaky": list(run.baseline.flaky),
        "calls": run.baseline.calls,
        "seconds": run.baseline.seconds,
    }


def candidate_document(candidate: CandidateState) -> dict[str, Any]:
    """All that is known of a candidate but its change and its log."""
    proposed, judged, found = candidate.proposed, candidate.judged, measured(candidate)
    document: dict[str, Any] = {
        "name": proposed.name,
        "id": proposed.candidate,
        "source": proposed.source,
        "parents": list(proposed.parents),
        "descent": proposed.descent,
        "calls": list(proposed.calls),
        "note": proposed.note or None,
        "verdict": judged.verdict if judged else None,
        "decision": found.decision if found else None,
        "speedup": _plain(found.speedup) if found else None,
        "mixed": list(found.mixed) if found else [],
        "evidence": _evidence(judged.evidence) if judged and judged.evidence else None,
        "reason": judged.reason if judged else None,
        "counterexample": judged.counterexample if judged else None,
        "differences": [_plain(one) for one in judged.differences] if judged else [],
        "failures": [_plain(one) for one in judged.failures] if judged else [],
        "suspicions": list(judged.suspicions) if judged else [],
        "keeps": list(judged.keeps) if judged else [],
    }
    if judged and judged.duplicate_of is not None:
        document["duplicate_of"] = judged.duplicate_of
    return document


def _winner(run: Run, text: Callable[[Text], str]) -> dict[str, Any] | None:
    first = winner(run)
    if first is None:
        return None
    found, patch = measured(first), first.proposed.patch
    return {
        "name": first.proposed.name,
        "id": first.proposed.candidate,
        "speedup": _plain(found.speedup) if found else None,
        "diff": writable(text(patch)) if patch is not None else None,
    }


def _evidence(evidence: Evidence) -> dict[str, int]:
    return {name: getattr(evidence, name) for name in evidence.__dataclass_fields__}


def _noise(run: Run) -> dict[str, Any] | None:
    """How well could be timed, by the last race: it is the one that decided."""
    if not run.races:
        return None
    race = run.races[-1]
    return {
        "placebo": _plain(race.placebo) if race.placebo else None,
        "noisy": race.noisy,
        "clock": race.clock,
        "load": race.load,
        "covered": race.covered,
        "processes": race.processes,
    }


def _profiles(run: Run) -> dict[str, Any]:
    first = winner(run)
    after = run.profiles.get(first.proposed.candidate) if first else None
    before = run.profiles.get(None)
    return {"baseline": _plain(before) if before else None, "winner": _plain(after) if after else None}


def _plain(value: object) -> Any:  # noqa: ANN401 (what JSON can hold)
    """A value of the events as what JSON holds."""
    return msgspec.to_builtins(value)
