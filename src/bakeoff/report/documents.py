"""Runs as documents for `--json`. Their names and shapes are a contract: more may be added, nothing may change."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from bakeoff.report import spending
from bakeoff.report.foreign import writable
from bakeoff.report.standings import measured, winner

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from bakeoff.events import CandidateState, Evidence, Run, Spent, Text

__all__ = ["calls_document", "result_document", "results_document"]


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
        "candidates": [_candidate(candidate) for candidate in run.candidates.values()],
        "calls": calls_document(run),
        "winner": _winner(run, text),
        "error": run.end.error if run.end else None,
        "sandbox": run.sandbox.tier if run.sandbox else None,
        "slots": {"kind": run.pool.kind, "asked": run.pool.asked, "size": run.pool.size} if run.pool else None,
        "noise": _noise(run),
        "profile": _profiles(run),
        "warnings": list(run.warnings),
        "seconds": round((run.last - run.started).total_seconds(), 3),
    }


def calls_document(run: Run) -> dict[str, Any]:
    """What calls of language models took, in all and by model. A cost that is not known is None, and `known_cost` is
    then that of the other attempts; `open` are those that have no end."""
    in_all = _spent(spending.total(run.attempts.values()))
    by_model = {
        model: {**_spent(spent), "price": _price(run, model)} for model, spent in spending.by_model(run).items()
    }
    return {**in_all, "failures": dict(spending.failures(run)), "by_model": by_model}


def _spent(spent: Spent) -> dict[str, Any]:
    return {
        "count": spent.calls,
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


def _candidate(candidate: CandidateState) -> dict[str, Any]:
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
