"""How a call ended: from what its supervisor saw, which is true, and from what its process left, which is a claim."""

from __future__ import annotations

import math
import os
import signal
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from bakeoff.workers.calls import (
    CallOutcome,
    CandidateError,
    Captured,
    CommandCall,
    Ending,
    ExecutionMetrics,
    PythonCall,
    Timing,
)
from bakeoff.workers.inside import data

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bakeoff.workers.calls import Call

__all__ = ["changing", "lost", "outcome"]

_LIMIT_OF_SIGNAL = {signal.SIGXCPU: "cpu_seconds", signal.SIGXFSZ: "file_size"}
# What a busy machine may put between an event and our seeing it. CPU time is seen more sharply than the clock.
_CPU_SLACK, _CPU_SHARE = 0.02, 0.05
_WALL_SLACK, _WALL_SHARE = 0.25, 0.25
_RESULT_BYTES_PER_SECOND = 5e6


@dataclass(frozen=True, slots=True)
class _Left:
    """What a process wrote as its result: what kind of end, its content, and the time it says it took."""

    kind: str
    content: Any
    claim: tuple[float, float] | None = None


def lost(detail: str) -> CallOutcome:
    """The outcome of a call that our own machinery lost."""
    return CallOutcome(ending=Ending.LOST, detail=detail)


def changing(report: Mapping[str, Any], *, worker: str) -> CallOutcome:
    """The outcome of a call whose result cannot be kept from changing."""
    return replace(_known(report, worker), ending=Ending.BAD_RESULT, detail="the result cannot be sealed")


def outcome(call: Call, report: Mapping[str, Any], result: int, *, worker: str) -> CallOutcome:
    """The outcome, by the supervisor's report and the file that the candidate wrote its result to."""
    if "lost" in report:
        return lost(report["lost"])
    known = _known(report, worker)
    if report["killed"] == "timeout":
        return replace(known, ending=Ending.TIMEOUT)
    if report["out_of_memory"]:
        return replace(known, ending=Ending.OUT_OF_MEMORY, limit="memory")
    if report["killed"] is not None:
        return replace(known, ending=Ending.OVER_LIMIT, limit=report["killed"])
    ended = _ended(call, known, report, result)
    if report["out_of_processes"] and ended.ending is not Ending.OK:
        return replace(ended, ending=Ending.OVER_LIMIT, limit="processes")
    return ended


def _known(report: Mapping[str, Any], worker: str) -> CallOutcome:
    stdout, stderr = (Captured(**stream) for stream in report["streams"])
    metrics = ExecutionMetrics(worker=worker, node=os.uname().nodename, **report["metrics"])
    return CallOutcome(
        ending=Ending.LOST,
        detail=report["failed"],
        seconds=report["seconds"],
        stdout=stdout,
        stderr=stderr,
        stragglers=report["stragglers"],
        metrics=metrics,
        isolation=tuple(report["isolation"]),
    )


def _ended(call: Call, known: CallOutcome, report: Mapping[str, Any], result: int) -> CallOutcome:
    if os.WIFSIGNALED(report["status"]):
        return _signalled(call, known, os.WTERMSIG(report["status"]))
    if known.detail:
        return known
    status = os.WEXITSTATUS(report["status"])
    if isinstance(call, CommandCall):
        return replace(known, ending=Ending.ERROR if status else Ending.OK, status=status, value=status)
    assert isinstance(call, PythonCall)
    return _answered(replace(known, status=status), report, result, timed=call.timed)


def _signalled(call: Call, known: CallOutcome, number: int) -> CallOutcome:
    limit = _LIMIT_OF_SIGNAL.get(signal.Signals(number)) if number in set(signal.Signals) else None
    # A candidate that ignores the signal at its CPU limit is killed a second later: the time it used tells.
    allowed, used = call.limits.cpu_seconds, known.metrics
    if number == signal.SIGKILL and allowed is not None and used is not None and used.user + used.system >= allowed:
        limit = "cpu_seconds"
    if limit is not None and getattr(call.limits, limit) is not None:
        return replace(known, ending=Ending.OVER_LIMIT, signal=number, limit=limit)
    return replace(known, ending=Ending.CRASH, signal=number)


def _answered(known: CallOutcome, report: Mapping[str, Any], result: int, *, timed: bool) -> CallOutcome:
    try:
        left = _left(data.load(result))
    except data.NoDocument:
        return replace(known, ending=Ending.NO_RESULT, detail=f"it ended by itself with status {known.status}")
    except data.DataError as error:
        return replace(known, ending=Ending.BAD_RESULT, detail=str(error))
    if left.kind == "value" and timed:
        return _timed(known, report, left, size=data.extent(result))
    return _taken(known, left)


def _taken(known: CallOutcome, left: _Left) -> CallOutcome:
    match left.kind:
        case "value":
            return replace(known, ending=Ending.OK, value=left.content)
        case "error":
            return _raised(known, left.content)
        case "exit":
            return replace(known, ending=Ending.NO_RESULT, detail=f"sys.exit({left.content})")
    return replace(known, ending=Ending.OVER_LIMIT, limit="result", detail=str(left.content))


def _left(value: Any) -> _Left:  # noqa: ANN401 (whatever it is)
    match value:
        case ("value", content, None):
            return _Left("value", content)
        case ("value", content, (float() as wall, float() as cpu)) if math.isfinite(wall) and math.isfinite(cpu):
            return _Left("value", content, (wall, cpu))
        case ("error", dict() as content, None):
            return _Left("error", content)
        case ("exit" | "large" as kind, str() as content, None):
            return _Left(kind, content)
    raise data.DataError("the result channel holds something that no call writes")


def _raised(known: CallOutcome, described: dict[str, Any]) -> CallOutcome:
    match described:
        case {
            "type": str() as kind,
            "message": str() as message,
            "traceback": str() as trace,
            "limit": str() | None as limit,
            "denied": str() | None as denied,
            "not_data": bool() as not_data,
        }:
            error = CandidateError(type=kind, message=message, traceback=trace)
            known = replace(known, ending=Ending.ERROR, error=error, denied=denied)
        case _:
            return replace(known, ending=Ending.BAD_RESULT, detail="the error cannot be read")
    if not_data:
        return replace(known, ending=Ending.BAD_RESULT, detail=message)
    if limit is not None:
        return replace(known, ending=Ending.OUT_OF_MEMORY if limit == "memory" else Ending.OVER_LIMIT, limit=limit)
    return known


def _timed(known: CallOutcome, report: Mapping[str, Any], left: _Left, *, size: int) -> CallOutcome:
    """A value with the time it took, if what the candidate says of that fits what was seen."""
    seen, metrics = report["timed"], known.metrics
    assert metrics is not None
    if left.claim is None or seen is None:
        return replace(known, ending=Ending.FALSE_CLAIM, detail="it did not time itself as it was told to")
    wall, cpu = left.claim
    timing = Timing(wall=wall, cpu=cpu, seen_wall=seen["wall"], seen_cpu=seen["cpu"])
    problem = _misfit(timing, seen, metrics, size=size)
    if problem is not None:
        return replace(known, ending=Ending.FALSE_CLAIM, timing=timing, detail=problem)
    return replace(known, ending=Ending.OK, value=left.content, timing=timing)


def _misfit(timing: Timing, seen: Mapping[str, float], metrics: ExecutionMetrics, *, size: int) -> str | None:
    used = metrics.user + metrics.system
    if not 0 <= timing.wall <= metrics.wall + _CPU_SLACK or not 0 <= timing.cpu <= used + _CPU_SLACK:
        claimed, seen_in_all = f"{timing.wall:.3f} s, {timing.cpu:.3f} s of CPU", f"{metrics.wall:.3f}, {used:.3f}"
        return f"it says it took {claimed}; in all it took {seen_in_all}"
    if seen["cpu"] * (1 - _CPU_SHARE) - _CPU_SLACK > timing.cpu:
        return f"it says it took {timing.cpu:.3f} s of CPU; it was seen to take {seen['cpu']:.3f}"
    if seen["wall"] * (1 - _WALL_SHARE) - _WALL_SLACK > timing.wall:
        return f"it says it took {timing.wall:.3f} s; it was seen to take {seen['wall']:.3f}"
    allowed = _WALL_SLACK + size / _RESULT_BYTES_PER_SECOND
    if seen["cpu_after"] > allowed + _CPU_SHARE * timing.cpu:
        return f"it worked on for {seen['cpu_after']:.3f} s after it said that it was done"
    return None
