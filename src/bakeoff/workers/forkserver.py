"""A backend that keeps an interpreter warm: a zygote that has imported what calls need, and forks each from itself.

    execute ──▶ zygote (one for each place that calls enter, with or without network) ──fork──▶ supervisor ──▶ candidate

A call costs a few forks instead of an interpreter's start and its imports, and is as fresh: no state of an earlier one
is in it. A zygote that died is replaced when the next call comes; one that has served its number goes when its last
call has ended.
"""

from __future__ import annotations

import json
import logging
import os
import socket
import subprocess
import tempfile
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import IO, TYPE_CHECKING, Any, Self

import anyio
import anyio.to_thread

from bakeoff.errors import PreloadFailed, WorkerUnavailable
from bakeoff.owners import Owner
from bakeoff.workers.backend import ProcessBackend, WorkerConfig
from bakeoff.workers.calls import Ending, signal_name
from bakeoff.workers.flight import Flight, sweep
from bakeoff.workers.isolation import PROGRAM, Isolation, Sandbox, interpreter
from bakeoff.workers.requests import Terms, standing

if TYPE_CHECKING:
    from bakeoff.workers.calls import Call, CallOutcome
    from bakeoff.workers.inside.cgroups import Place

__all__ = ["ForkServerBackend"]

_log = logging.getLogger(__name__)
_START_PATIENCE = 300.0
_END_PATIENCE = 10.0
_ANSWER = 1 << 16
_LOG_TAIL = 4000
_MOST_SPARES, _MOST_ZYGOTES = 4, 4


@dataclass(frozen=True, slots=True, kw_only=True)
class _Kind:
    """What makes one zygote another: where it is, and whether it may use the network."""

    enter: tuple[str, ...]
    network: bool


class Zygote:
    """The engine's side of one zygote. It belongs to no event loop."""

    def __init__(self, process: subprocess.Popen[bytes], ours: socket.socket, log: IO[bytes]) -> None:
        self._process = process
        self._ours = ours
        self._log = log
        self._pidfd = os.pidfd_open(process.pid)
        self.isolation = Isolation()
        self.served = 0
        self.in_flight = 0

    @classmethod
    async def start(cls, kind: _Kind, config: WorkerConfig) -> Self:
        """Start one and hear what isolation it really got."""
        command = [*kind.enter, interpreter(config.python), "-I", "-S", PROGRAM, "serve"]
        zygote = await anyio.to_thread.run_sync(cls._spawn, command, config)
        try:
            settings = {
                "preload": config.preload,
                "kits": list(map(str, config.kits)),
                "isolated": config.sandbox is not Sandbox.OFF,
                "network": kind.network,
            }
            with suppress(BrokenPipeError):  # it has ended already; that there is no answer says so
                zygote._ours.send(json.dumps(settings).encode())  # noqa: SLF001 (its own)
            answer = await zygote._answer(command)  # noqa: SLF001
            zygote.isolation = Isolation.of(answer["found"])
        except BaseException:
            with anyio.CancelScope(shield=True):
                await zygote.end(patience=0)
            raise
        if answer["failed"]:
            with anyio.CancelScope(shield=True):
                await zygote.end()
            raise PreloadFailed(answer["failed"])
        return zygote

    @classmethod
    def _spawn(cls, command: list[str], config: WorkerConfig) -> Self:
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        log = tempfile.TemporaryFile()  # noqa: SIM115 (closed with the zygote)
        with theirs:
            try:
                process = subprocess.Popen(
                    [*command, str(theirs.fileno())],
                    pass_fds=[theirs.fileno()],
                    env=config.visible(),
                    cwd="/",
                    start_new_session=True,
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=log,
                )
            except OSError as error:
                ours.close()
                log.close()
                raise WorkerUnavailable(command, str(error)) from None
        ours.setblocking(False)  # noqa: FBT003 (its own signature)
        return cls(process, ours, log)

    @property
    def lives(self) -> bool:
        return self._process.poll() is None

    @property
    def name(self) -> str:
        return f"zygote-{self._process.pid}"

    def agree(self, **terms: Any) -> None:  # noqa: ANN401 (as JSON has it)
        """Tell it what holds for all of its calls."""
        with suppress(BrokenPipeError, ConnectionResetError):  # it has ended; the next call will find out
            self._ours.send(json.dumps(terms).encode())

    async def send(self, flight: Flight) -> None:
        """Hand a call over. Raises BrokenPipeError or ConnectionResetError when the zygote is no more."""
        message = json.dumps(flight.notice()).encode()
        while True:
            try:
                socket.send_fds(self._ours, [message], flight.descriptors)
            except BlockingIOError:
                await anyio.wait_writable(self._ours)
            else:
                self.served += 1
                return

    async def end(self, *, patience: float = _END_PATIENCE) -> None:
        """End it and everything it started; returns when all is gone. To be shielded."""
        self._ours.close()
        with anyio.move_on_after(patience):
            await anyio.wait_readable(self._pidfd)
        if self.lives:
            self._process.kill()
        await anyio.wait_readable(self._pidfd)
        self._process.wait()
        os.close(self._pidfd)
        self._log.close()

    def last_words(self) -> str:
        """How it ended, and the end of what it wrote to stderr."""
        status = self._process.poll()
        how = "lives" if status is None else f"ended with status {status}"
        if status is not None and (status < 0 or status > 128):
            how = f"was ended by {signal_name(-status if status < 0 else status - 128)}"
        self._log.seek(0)
        return f"the fork server {how}\n{self._log.read().decode(errors='replace')[-_LOG_TAIL:]}".strip()

    async def _answer(self, command: list[str]) -> dict[str, Any]:
        with anyio.move_on_after(_START_PATIENCE):
            while True:
                await anyio.wait_readable(self._ours)
                try:
                    answer = self._ours.recv(_ANSWER)
                except BlockingIOError:
                    continue
                except ConnectionResetError:
                    break
                if answer:
                    found: dict[str, Any] = json.loads(answer)
                    return found
                break
        with anyio.move_on_after(1):
            await anyio.wait_readable(self._pidfd)
        raise WorkerUnavailable(command, self.last_words())


class ForkServerBackend(ProcessBackend):
    """Forks each call from a warm interpreter. See `ExecutorBackend` and `LifecycleObservable` for the contract."""

    def __init__(self, config: WorkerConfig | None = None) -> None:
        super().__init__(config)
        self._zygotes: dict[_Kind, Zygote] = {}
        self._retired: set[Zygote] = set()
        self._starting: dict[_Kind, anyio.Event] = {}
        self._cgroup: Place | None = None
        self._warned = False

    async def _run(self, call: Call) -> CallOutcome:
        zygote = await self._zygote(_Kind(enter=call.enter, network=call.network))
        zygote.in_flight += 1
        try:
            return await self._fly(call, zygote)
        finally:
            zygote.in_flight -= 1
            if zygote in self._retired and not zygote.in_flight:
                self._retired.discard(zygote)
                with anyio.CancelScope(shield=True):
                    await zygote.end()

    async def _fly(self, call: Call, zygote: Zygote) -> CallOutcome:
        terms = Terms(isolation=self._terms(zygote.isolation), visible=self._config.visible(), kits=self._config.kits)
        with Flight(call, terms) as flight:
            # If it has ended, the socket that it did not take says so too.
            with suppress(BrokenPipeError, ConnectionResetError):
                async with self._settled().sending:
                    await zygote.send(flight)
            flight.is_sent()
            outcome = await flight.land(worker=zygote.name)
        if outcome.ending is Ending.LOST and not zygote.lives:
            return replace(outcome, detail=f"{outcome.detail}: {zygote.last_words()}")
        return outcome

    async def _zygote(self, kind: _Kind) -> Zygote:
        """The zygote that calls of a kind go to now; of several that find none, one starts it."""
        while True:
            zygote = self._zygotes.get(kind)
            if zygote is not None and zygote.lives and zygote.served < self._config.recycle:
                # The one that was used last stands last.
                self._zygotes[kind] = self._zygotes.pop(kind)
                return zygote
            if kind in self._starting:
                await self._starting[kind].wait()
                continue
            started = self._starting[kind] = anyio.Event()
            try:
                await self._replace(kind)
            finally:
                del self._starting[kind]
                started.set()

    async def _replace(self, kind: _Kind) -> None:
        await self._retire(kind)
        idle = [other for other, zygote in self._zygotes.items() if not zygote.in_flight]
        for other in idle[: max(0, len(self._zygotes) - _MOST_ZYGOTES + 1)]:
            await self._retire(other)
        zygote = await Zygote.start(kind, self._config)
        try:
            await self._agree(kind, zygote)
        except BaseException:
            with anyio.CancelScope(shield=True):
                await zygote.end()
            raise
        self._zygotes[kind] = zygote

    async def _retire(self, kind: _Kind) -> None:
        """No more calls go to this one."""
        old = self._zygotes.pop(kind, None)
        if old is not None and old.in_flight:
            self._retired.add(old)
        elif old is not None:
            with anyio.CancelScope(shield=True):
                await old.end()

    async def _agree(self, kind: _Kind, zygote: Zygote) -> None:
        self._warn(zygote.isolation)
        await self._claim(zygote.isolation)
        terms = self._terms(zygote.isolation)
        zygote.agree(
            spares=min(self._config.count(), _MOST_SPARES),
            rules=standing(terms, network=kind.network),
            cgroup=vars(terms.cgroup) if terms.cgroup is not None else None,
        )

    def _terms(self, found: Isolation) -> Isolation:
        under = found.under(self._config.sandbox)
        return replace(under, cgroup=self._cgroup if under.cgroup is not None else None)

    def _warn(self, found: Isolation) -> None:
        if found.missing and self._config.sandbox is not Sandbox.OFF and not self._warned:
            self._warned = True
            reasons = "; ".join(f"{name}: {reason}" for name, reason in found.missing.items())
            _log.warning("calls are isolated to tier %s only: %s", found.tier, reasons)

    async def _claim(self, found: Isolation) -> None:
        """What this backend's calls need beside processes; what engines that died left of theirs is taken away."""
        if self._cgroup is None:
            await anyio.to_thread.run_sync(sweep)
        place = found.under(self._config.sandbox).cgroup
        if self._cgroup is None and place is not None:
            self._cgroup = await anyio.to_thread.run_sync(_claimed, place, id(self))

    async def _release(self) -> None:
        zygotes = [*self._zygotes.values(), *self._retired]
        self._zygotes.clear()
        self._retired.clear()
        for zygote in zygotes:
            await zygote.end()
        if self._cgroup is not None:
            place, self._cgroup = self._cgroup, None
            await anyio.to_thread.run_sync(place.remove)


def _claimed(place: Place, number: int) -> Place:
    """A folder of control groups of our own; those of engines that died are taken away."""
    for folder in place.folders:
        for name in os.listdir(folder):
            prefix, _, label = name.rpartition("-")[0].partition("-")
            owner = Owner.named(label) if prefix == "bakeoff" else None
            if owner is not None and not owner.lives():
                place.below(name).remove()
    return place.claim(f"bakeoff-{Owner.current().label}-{number:x}")
