"""Running code in isolation: candidate code is expected to hang, fork, eat memory, read secrets and lie.

    async with SubprocessBackend() as backend:
        outcome = await backend.execute(PythonCall(function="module:name", arguments=(1,), directory=slot))

The face is a backend (`ExecutorBackend`), the calls it takes and the outcomes it gives (`calls.py`). Behind it:
`supervisor.py` runs one call and says exactly how it ended, `jail.py` is what the call is locked into, `data.py` is all
that may come out of it.
"""

from bakeoff.workers.backend import ExecutorBackend, LifecycleObservable, Sandbox, WorkerConfig
from bakeoff.workers.calls import CallLimits, CallOutcome, CommandCall, Ending, ExecutionMetrics, PythonCall
from bakeoff.workers.subprocesses import SubprocessBackend

__all__ = [
    "CallLimits",
    "CallOutcome",
    "CommandCall",
    "Ending",
    "ExecutionMetrics",
    "ExecutorBackend",
    "LifecycleObservable",
    "PythonCall",
    "Sandbox",
    "SubprocessBackend",
    "WorkerConfig",
]
