"""A backend with one plain process per call: works wherever Python does, with whatever isolation there is.

Nothing is kept warm and nothing is shared: each call starts an interpreter, for libraries that cannot be forked and for
systems without namespaces. Weaker than the fork server: a descendant of the candidate is found and ended by the
supervisor, and would live on if supervisor and engine were both killed in the same moment.
"""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import anyio

from bakeoff.errors import WorkerUnavailable
from bakeoff.workers.backend import ProcessBackend, WorkerConfig
from bakeoff.workers.flight import Flight
from bakeoff.workers.isolation import PROGRAM, Isolation, interpreter, probe
from bakeoff.workers.requests import Terms

if TYPE_CHECKING:
    from anyio.abc import Process

    from bakeoff.workers.calls import Call, CallOutcome

__all__ = ["SubprocessBackend"]


class SubprocessBackend(ProcessBackend):
    """Runs each call in a fresh interpreter. See `ExecutorBackend` and `LifecycleObservable` for the contract."""

    def __init__(self, config: WorkerConfig | None = None) -> None:
        super().__init__(config)
        self._isolation: dict[tuple[str, ...], Isolation] = {}

    async def _run(self, call: Call) -> CallOutcome:
        terms = Terms(isolation=await self._known(call), visible=self._config.visible(), kits=self._config.kits)
        with Flight(call, terms) as flight:
            process = await self._start(call, flight)
            flight.handle = process
            flight.is_sent()
            try:
                return await flight.land(worker=f"subprocess-{process.pid}")
            finally:
                await process.aclose()

    async def _known(self, call: Call) -> Isolation:
        if call.enter not in self._isolation:
            self._isolation[call.enter] = await probe(self._config.python, enter=call.enter)
        return self._isolation[call.enter].under(self._config.sandbox, around=False)

    async def _start(self, call: Call, flight: Flight) -> Process:
        numbers = flight.descriptors
        program = [interpreter(self._config.python), "-I", "-S", PROGRAM, "once", *map(str, numbers)]
        command = [*call.enter, *program]
        try:
            return await anyio.open_process(
                command,
                pass_fds=numbers,
                env={},
                cwd="/",
                start_new_session=True,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
        except OSError as error:
            raise WorkerUnavailable(command, str(error)) from None
