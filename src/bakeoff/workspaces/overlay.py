"""Slots that are overlays over one pristine checkout, with the upper layer in memory.

    POOL/slots/N/tree       the slot, mounted in the holder's namespace only (see holder.py)
    POOL/slots/N/memory     its upper layer

This process is not in that namespace and reaches the slots through `/proc/HOLDER/root`.
"""

from __future__ import annotations

import json
import os
import secrets
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Self

import anyio
import anyio.to_thread
from anyio.streams.buffered import BufferedByteReceiveStream

from bakeoff.errors import SlotsUnavailable
from bakeoff.workspaces import holder as holder_program

if TYPE_CHECKING:
    from collections.abc import Sequence

    from anyio.abc import Process

    from bakeoff.workspaces.ground import Ground

__all__ = ["Holder", "OverlayKind"]

_PROGRAM = [sys.executable, "-I", "-S", holder_program.__file__]
_ANSWER_BYTES = 1 << 16
_PATIENCE = 30.0


class Holder:
    """The conversation with the process that holds the namespace."""

    def __init__(self, process: Process) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self._process = process
        self._stdin = process.stdin
        self._answers = BufferedByteReceiveStream(process.stdout)
        # One request and its answer at a time: answers carry no number.
        self._turn = anyio.Lock()
        self._broken = False

    @classmethod
    async def start(cls, *, pristine: Path, scratch: Path, limit: int) -> Self:
        """Start a holder; raises SlotsUnavailable where the kernel does not let it do its work."""
        # Its environment is readable by whatever runs in the slots, so it gets none of ours.
        process = await anyio.open_process([*_PROGRAM, "hold"], env={}, stderr=subprocess.DEVNULL)
        holder = cls(process)
        try:
            await holder.ask(do="open", pristine=str(pristine), scratch=str(scratch), limit=limit)
        except BaseException:
            await holder.close()
            raise
        return holder

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def has_ended(self) -> bool:
        """Whether it can no longer be asked."""
        return self._broken or self._process.returncode is not None

    async def ask(self, **request: str | int) -> None:
        """Have something done. Raises SlotsUnavailable with the reason where it was not."""
        async with self._turn:
            answer = await self._exchange(request)
        if answer["error"] is not None:
            raise SlotsUnavailable("overlay", str(answer["error"]))

    async def _exchange(self, request: dict[str, str | int]) -> dict[str, object]:
        # As root a candidate can write into the holder's pipe: an answer has to show that it is one.
        token = secrets.token_hex(16)
        try:
            with anyio.CancelScope(shield=True), anyio.fail_after(_PATIENCE):
                await self._stdin.send(json.dumps({**request, "token": token}).encode() + b"\n")
                answer = json.loads(await self._answers.receive_until(b"\n", _ANSWER_BYTES))
        except (
            anyio.BrokenResourceError,
            anyio.ClosedResourceError,
            anyio.IncompleteRead,
            anyio.DelimiterNotFound,
            TimeoutError,
            ValueError,
        ) as error:
            self._broken = True
            raise SlotsUnavailable("overlay", "the process that holds them has ended") from error
        if not isinstance(answer, dict) or answer.get("token") != token:
            self._broken = True
            raise SlotsUnavailable("overlay", "somebody else answered in the name of the process that holds them")
        return answer

    async def close(self) -> None:
        """End it, and with it every mount."""
        with anyio.CancelScope(shield=True):
            if self._process.returncode is None:
                self._process.kill()
            await self._process.aclose()


class OverlayKind:
    """Makes overlay slots."""

    name = "overlay"

    def __init__(self, ground: Ground, holder: Holder) -> None:
        self._ground = ground
        self._holder = holder
        # Of several slots that find the holder dead, one starts the next.
        self._starting = anyio.Lock()

    @classmethod
    async def open(cls, ground: Ground) -> OverlayKind:
        if sys.platform != "linux":
            raise SlotsUnavailable("overlay", "they need Linux")
        return cls(ground, await _hold(ground))

    async def create(self, name: str) -> OverlayTree:
        home = self._ground.directory / "slots" / name
        for part in ("tree", "memory"):
            (home / part).mkdir(parents=True)
        try:
            return await self._mounted(home)
        except SlotsUnavailable:
            if not self._holder.has_ended:
                raise
        return await self._mounted(home)

    async def _mounted(self, home: Path) -> OverlayTree:
        """The slot at a path, by the holder that lives; the first to find it dead starts another."""
        async with self._starting:
            if self._holder.has_ended:
                await self._holder.close()
                self._holder = await _hold(self._ground)
        tree = OverlayTree(home, self._holder, self._ground.pristine)
        await tree.mount()
        return tree

    async def close(self) -> None:
        await self._holder.close()


async def _hold(ground: Ground) -> Holder:
    import psutil  # noqa: PLC0415 (heavy)

    limit = psutil.virtual_memory().available // (2 * ground.size)
    scratch = ground.directory / f"scratch-{secrets.token_hex(4)}"
    return await Holder.start(pristine=ground.pristine, scratch=scratch, limit=limit)


class OverlayTree:
    """One overlay slot's files."""

    def __init__(self, home: Path, holder: Holder, pristine: Path) -> None:
        self._home = home
        self._holder = holder
        outside = Path(f"/proc/{holder.pid}/root")
        self.directory = home / "tree"
        self.path = outside / self.directory.relative_to("/")
        self.enter = (*_PROGRAM, "enter", str(holder.pid), "/")
        self._pristine = pristine
        self._upper = outside / (home / "memory" / "upper").relative_to("/")
        self._untouched: tuple[int, list[str]] | None = None

    async def mount(self) -> None:
        self._untouched = None
        await self._holder.ask(do="fresh", slot=str(self._home))
        self._untouched = await anyio.to_thread.run_sync(self._state)

    async def restore(self) -> None:
        if await anyio.to_thread.run_sync(self._is_touched):
            await self.mount()

    def is_untouched(self, path: str, found: os.stat_result) -> bool:
        # What is copied up has a change time of its own, which nobody can set, and a file that has taken the name of
        # another has not its number. Of the number the kernel may use the upper half to tell layers apart.
        try:
            base = os.lstat(f"{self._pristine}/{path}")
        except OSError:
            return False
        return (
            base.st_ctime_ns == found.st_ctime_ns
            and (base.st_ino ^ found.st_ino) & 0xFFFFFFFF == 0
            and (base.st_size, base.st_mode) == (found.st_size, found.st_mode)
        )

    def command(self, argv: Sequence[str]) -> list[str]:
        return [*_PROGRAM, "enter", str(self._holder.pid), str(self.directory), *argv]

    async def close(self) -> None:
        if not self._holder.has_ended:
            with suppress(SlotsUnavailable):  # the holder has just ended, and its mounts with it
                await self._holder.ask(do="drop", slot=str(self._home))

    def _is_touched(self) -> bool:
        try:
            return self._state() != self._untouched
        except PermissionError:
            # The candidate closed the slot's root to us.
            return True

    def _state(self) -> tuple[int, list[str]]:
        """What any change to the slot shows in: its root's mode and attributes, and what the upper layer holds."""
        return self._upper.lstat().st_mode, sorted([*os.listxattr(self._upper), *os.listdir(self._upper)])
