"""One call under way: the files that its process reads and writes, the socket on which we hear of it, its folder.

    Flight ──request, result, socket──▶ a supervisor ──a handle on itself, then its report──▶ Flight

Nothing of it has a name in the file system but the temporary folder. When our end of the socket closes, for whatever
reason, the call ends, and its supervisor takes the folder away where we no longer can.
"""

from __future__ import annotations

import fcntl
import functools
import json
import logging
import os
import signal
import socket
import stat
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, Self

import anyio
import anyio.to_thread

from bakeoff.errors import BadArguments, BadCall, NoTemporaryFolder
from bakeoff.owners import Owner
from bakeoff.removal import remove
from bakeoff.workers.calls import PythonCall
from bakeoff.workers.inside.data import DataError, Document, extent
from bakeoff.workers.outcomes import changing, lost, outcome
from bakeoff.workers.requests import is_grouped, request

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bakeoff.workers.calls import Call, CallOutcome
    from bakeoff.workers.requests import Terms

__all__ = ["Flight", "Handle", "sweep"]

_log = logging.getLogger(__name__)
_FOLDER = "bakeoff-call-"

_GRACE = 10.0
_FIRST_WORD = 60.0
_CHUNK = 1 << 18
# Results up to this size are read at once; larger ones in a thread.
_QUICK = 1 << 16
# Room to say that a result is too large, or how an error was.
_NOTICE = 1 << 16


class Handle(Protocol):
    """A process that can be ended and awaited. When it has ended, so has everything that it started."""

    async def wait(self) -> object: ...

    def kill(self) -> None: ...


class _Pidfd:
    """A process by its descriptor, which cannot come to mean another one."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    async def wait(self) -> None:
        await anyio.wait_readable(self._descriptor)

    def kill(self) -> None:
        try:
            signal.pidfd_send_signal(self._descriptor, signal.SIGKILL)
        except ProcessLookupError:
            return

    def close(self) -> None:
        os.close(self._descriptor)


class Flight:
    """One call, from its request to its outcome. For use in one `with` block."""

    def __init__(self, call: Call, terms: Terms) -> None:
        self._call = call
        self._terms = terms
        self._received = bytearray()
        self._ended = False
        self._pidfd: _Pidfd | None = None
        self.handle: Handle | None = None

    def __enter__(self) -> Self:
        self._folder = _private_folder()
        self.request = self.arguments = self.result = -1
        try:
            self.request = _unnamed("request")
            self.arguments = _unnamed("arguments")
            self.result = _unnamed("result")
            self._write_request()
            self._fix_size()
            self._ours, self.theirs = socket.socketpair()
        except BaseException:
            self._close_files()
            remove(self._folder)
            raise
        self._ours.setblocking(False)  # noqa: FBT003 (its own signature)
        return self

    def __exit__(self, *_: object) -> None:
        self._ours.close()
        self.theirs.close()
        self._close_files()
        if self._pidfd is not None:
            self._pidfd.close()
        # Where it never came to a process, the folder is still there.
        remove(self._folder)

    def notice(self) -> dict[str, Any]:
        """What a zygote is told of the call: whether it has a control group."""
        return {"grouped": is_grouped(self._call)}

    @property
    def descriptors(self) -> list[int]:
        """What a supervisor gets: request, arguments, result, and its end of the socket."""
        return [self.request, self.arguments, self.result, self.theirs.fileno()]

    def is_sent(self) -> None:
        """The other end of the socket is with the supervisor now, and with nobody else."""
        self.theirs.close()

    async def land(self, *, worker: str) -> CallOutcome:
        """The outcome. However this ends, by cancellation too, nothing of the call is left then."""
        report = None
        try:
            with anyio.move_on_after(self._patience()):
                report = await self._report()
            if report is None:
                return lost("the process that watched over the call ended without a report")
            # What wrote the result is gone by now; while we read it, the supervisor goes too.
            return await self._read(report, worker)
        finally:
            with anyio.CancelScope(shield=True):
                await self._over()
                await self._remove_folder()

    # -- listening ------------------------------------------------------------------------------------------------

    def _patience(self) -> float:
        """How long a report may take at the most: the supervisor holds the deadline, we only make sure."""
        return float("inf") if self._call.timeout is None else self._call.timeout + _GRACE

    async def _report(self) -> dict[str, Any] | None:
        while not self._received.endswith(b"\n"):
            if self._ended:
                return None  # it was killed, perhaps in the middle of a word
            await self._listen()
        found: dict[str, Any] = json.loads(self._received.decode("utf-8", "surrogatepass"))
        return found

    async def _listen(self) -> None:
        """Take what the supervisor says: first, from a zygote's, a handle on itself."""
        await anyio.wait_readable(self._ours)
        try:
            content, descriptors, _, _ = socket.recv_fds(self._ours, _CHUNK, 1)
        except BlockingIOError:
            return
        except ConnectionResetError:
            content, descriptors = b"", []
        self._ended = not content
        if descriptors:
            self.handle = self._pidfd = _Pidfd(descriptors[0])
            content = content[1:]
        self._received += content

    async def _over(self) -> None:
        """End the call if it has not ended, and wait until all of it is gone."""
        self._ours.shutdown(socket.SHUT_WR)
        with anyio.move_on_after(_FIRST_WORD):
            while self.handle is None and not self._ended:
                await self._listen()
        if self.handle is None:
            return  # there never was a process
        with anyio.move_on_after(_GRACE):
            await self.handle.wait()
            return
        self.handle.kill()
        await self.handle.wait()

    # -- the outcome ----------------------------------------------------------------------------------------------

    async def _read(self, report: dict[str, Any], worker: str) -> CallOutcome:
        try:
            _seal(self.result)
        except OSError:
            # The candidate sealed it against sealing, or somebody still has a hand on it.
            return lost(report["lost"]) if "lost" in report else changing(report, worker=worker)
        if extent(self.result) > _QUICK:
            return await anyio.to_thread.run_sync(self._outcome, report, worker)
        return self._outcome(report, worker)

    def _outcome(self, report: dict[str, Any], worker: str) -> CallOutcome:
        return outcome(self._call, report, self.result, worker=worker)

    async def _remove_folder(self) -> None:
        try:
            os.rmdir(self._folder)
        except OSError:
            await anyio.to_thread.run_sync(remove, self._folder)

    # -- files ----------------------------------------------------------------------------------------------------

    def _write_request(self) -> None:
        call = self._call
        if not call.enter and not call.directory.is_dir():
            raise BadCall(f"{call.directory} is not a folder", hint="a call needs a folder to run in")
        with _as_bad_arguments():
            if isinstance(call, PythonCall):
                Document((list(call.arguments), dict(call.keywords))).write(self.arguments)
            Document(request(call, self._terms, self._folder)).write(self.request)

    def _fix_size(self) -> None:
        """From the start the result has all the room it may take, and neither grows nor shrinks below our hands."""
        os.ftruncate(self.result, self._call.limits.result + _NOTICE)
        if hasattr(fcntl, "F_ADD_SEALS") and _is_memory(self.result):
            fcntl.fcntl(self.result, fcntl.F_ADD_SEALS, fcntl.F_SEAL_GROW | fcntl.F_SEAL_SHRINK)

    def _close_files(self) -> None:
        for descriptor in (self.request, self.arguments, self.result):
            if descriptor >= 0:
                os.close(descriptor)


def _unnamed(purpose: str) -> int:
    """A file without a name, in memory where there is such a thing; nobody can put another in its place."""
    if hasattr(os, "memfd_create"):
        return os.memfd_create(f"bakeoff-{purpose}", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    with tempfile.TemporaryFile() as file:
        return os.dup(file.fileno())


def _is_memory(descriptor: int) -> bool:
    try:
        fcntl.fcntl(descriptor, fcntl.F_GET_SEALS)
    except OSError:
        return False
    return True


def _seal(descriptor: int) -> None:
    """Nothing changes any more. All who could write are gone; where one is not, the kernel refuses, and so do we."""
    if hasattr(fcntl, "F_ADD_SEALS") and _is_memory(descriptor):
        fcntl.fcntl(descriptor, fcntl.F_ADD_SEALS, fcntl.F_SEAL_WRITE | fcntl.F_SEAL_SEAL)


def _private_folder() -> Path:
    """A new folder, closed to others, in a place where nobody else can put another in its stead."""
    place = tempfile.gettempdir()
    try:
        found = os.stat(place)
        if found.st_uid not in (0, os.getuid()):
            raise NoTemporaryFolder(place, "it belongs to somebody else")
        if found.st_mode & 0o022 and not found.st_mode & stat.S_ISVTX:
            raise NoTemporaryFolder(place, "others can rename what is in it")
        return Path(tempfile.mkdtemp(prefix=f"{_FOLDER}{_label(os.getpid())}-", dir=place))
    except OSError as error:
        raise NoTemporaryFolder(place, error.strerror or str(error)) from error


@functools.lru_cache(maxsize=1)
def _label(_pid: int) -> str:
    return Owner.current().label


def sweep() -> None:
    """Take away the temporary folders of calls whose engine and supervisor were killed in one moment."""
    for path in Path(tempfile.gettempdir()).glob(f"{_FOLDER}*"):
        owner = Owner.named(path.name.removeprefix(_FOLDER).rpartition("-")[0])
        try:
            if owner is not None and not owner.lives() and path.lstat().st_uid == os.getuid():
                remove(path)
        except OSError as error:
            _log.warning("the leftover %s could not be removed: %s", path, error)


@contextmanager
def _as_bad_arguments() -> Iterator[None]:
    try:
        yield
    except DataError as error:
        raise BadArguments(str(error)) from None
