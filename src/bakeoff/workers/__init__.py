"""Running code in isolation: candidate code is expected to hang, fork, eat memory, read secrets and lie.

    async with open_backend(WorkerConfig(preload=("numpy",))) as backend:
        outcome = await backend.execute(PythonCall(function="module:name", arguments=(1,), directory=slot))

The face is a backend (`ExecutorBackend`), the calls it takes and the outcomes it gives (`calls.py`). `open_backend`
gives the best one for this system.
"""

from __future__ import annotations

import sys

from bakeoff.workers.backend import ExecutorBackend, LifecycleObservable, ProcessBackend, WorkerConfig
from bakeoff.workers.calls import CallLimits, CallOutcome, CommandCall, Ending, ExecutionMetrics, PythonCall, Timing
from bakeoff.workers.forkserver import ForkServerBackend
from bakeoff.workers.inside.data import Array
from bakeoff.workers.interpreters import project_python
from bakeoff.workers.isolation import Isolation, Sandbox, Tier, probe
from bakeoff.workers.subprocesses import SubprocessBackend

__all__ = [
    "Array",
    "CallLimits",
    "CallOutcome",
    "CommandCall",
    "Ending",
    "ExecutionMetrics",
    "ExecutorBackend",
    "ForkServerBackend",
    "Isolation",
    "LifecycleObservable",
    "PythonCall",
    "Sandbox",
    "SubprocessBackend",
    "Tier",
    "Timing",
    "WorkerConfig",
    "open_backend",
    "probe",
    "project_python",
]


def open_backend(config: WorkerConfig | None = None) -> ProcessBackend:
    """The fork server on Linux, one plain process per call elsewhere. Nothing is started before the first call."""
    return ForkServerBackend(config) if sys.platform == "linux" else SubprocessBackend(config)
