"""The other processes of tests/test_store.py: `python store_processes.py NAME ARGUMENT…` calls that function.

Those for a full disk and a read-only place expect a mount namespace of their own (`unshare -m`), since root may
write anywhere else. What they find wrong is an AssertionError, and so an exit status.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import anyio

from bakeoff.errors import RunBusy, StoreUnreadable, StoreUnwritable
from bakeoff.events import CandidateProposed, Warned
from bakeoff.store import Log, Store

if TYPE_CHECKING:
    from collections.abc import Callable

TASKS = 8


def say(line: str) -> None:
    os.write(1, f"{line}\n".encode())  # short enough to arrive in one piece, whoever else writes to the pipe


def proposal(log: Log, name: str) -> CandidateProposed:
    return CandidateProposed(candidate=name, name=name, source="test", patch=log.keep(f"the patch of {name}"))


def victims() -> None:
    """For each line `PATH [RUN]` of stdin: a process that appends until somebody kills it, from a warm start."""
    anyio.run(anyio.sleep, 0)  # loads what would take each of them longer than its whole life
    for line in sys.stdin:
        path, _, run = line.strip().partition(" ")
        child = os.fork()
        if not child:
            say(f"pid {os.getpid()}")
            anyio.run(_append_forever, Path(path), run or None)
        os.waitpid(child, 0)
        say("dead")


async def _append_forever(path: Path, run: str | None) -> None:
    async def append(task: int) -> None:
        count = 0
        while True:
            count += 1
            recorded = await log.append(proposal(log, f"{os.getpid()}-{task}-{count}"))
            say(f"{recorded.sequence} {recorded.event.candidate}")

    async with Store(path).record(run) as log, anyio.create_task_group() as tasks:
        say(f"run {log.run}")
        for task in range(TASKS):
            tasks.start_soon(append, task)


def hold(path: str, run: str) -> None:
    """Try to claim the run, say how that went, and hold on to it until stdin ends."""
    sys.stdin.readline()
    anyio.run(_hold, Path(path), run)


async def _hold(path: Path, run: str) -> None:
    try:
        async with Store(path).record(run) as log:
            say("won")
            sys.stdin.read()
            await log.append(Warned(message=f"from {os.getpid()}"))
    except RunBusy as error:
        say(f"busy {error}")


def hammer(path: str, count: str) -> None:
    """A new run with so many events, by several tasks at once; waits for a line on stdin to begin."""
    sys.stdin.readline()
    say(anyio.run(_hammer, Path(path), int(count)))


async def _hammer(path: Path, count: int) -> str:
    async def append(task: int) -> None:
        for number in range(count // TASKS):
            await log.append(Warned(message=f"{task}-{number}"))

    async with Store(path).record() as log, anyio.create_task_group() as tasks:
        for task in range(TASKS):
            tasks.start_soon(append, task)
    return log.run


def full_disk(directory: str) -> None:
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", directory], check=True)
    anyio.run(_full_disk, Path(directory))


async def _full_disk(directory: Path) -> None:
    store = Store(directory / "store.sqlite")
    async with store.record() as log:
        first = await log.append(Warned(message="before"))
        _fill(directory / "filler")
        noise = os.urandom(100_000).hex()
        patch = log.keep(noise)
        log.note(Warned(message="noted"))
        refused: list[str] = []

        async def refuse(number: int) -> None:
            try:
                await log.append(Warned(message=f"refused {number}"))
            except StoreUnwritable as error:
                refused.append(error.why)

        async with anyio.create_task_group() as tasks:
            for number in range(5):
                tasks.start_soon(refuse, number)
        assert len(refused) == 5, refused
        assert all("full" in why for why in refused), refused
        assert list(store.events(log.run)) == [first], "an event that was refused is in the log"

        (directory / "filler").unlink()
        event = CandidateProposed(candidate="c", name="c", source="test", patch=patch)
        third = await log.append(event)
        assert third.sequence == 3, third
    before, noted, after = store.events(log.run)
    assert [before, after] == [first, third]
    assert noted.event == Warned(message="noted")
    assert store.text(patch) == noise, "the text that was kept on the full disk"
    await _full_at_the_end(store, directory)
    await _full_at_the_start(Store(directory / "other" / "store.sqlite"))


async def _full_at_the_end(store: Store, directory: Path) -> None:
    refused = ""
    try:
        async with store.record() as log:
            await log.append(Warned(message="before"))
            _fill(directory / "filler")
            log.keep(os.urandom(100_000).hex())
    except StoreUnwritable as error:
        refused = error.why
    assert "full" in refused, "a text that could not be written was passed over in silence"
    assert len(store.runs()) == 2, "readers on a full disk"


async def _full_at_the_start(store: Store) -> None:
    try:
        async with store.record():
            raise AssertionError("a claim on a full disk")
    except StoreUnwritable:
        assert store.runs() == []


def _fill(path: Path) -> None:
    with path.open("wb", buffering=0) as file, contextlib.suppress(OSError):
        while True:
            file.write(bytes(1024))


def read_only(directory: str) -> None:
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", directory], check=True)
    place = Path(directory)
    closed, died, bare = (place / name for name in ("closed.sqlite", "died.sqlite", "bare.sqlite"))
    anyio.run(_write, closed)
    for path in (died, bare):
        subprocess.run([sys.executable, __file__, "die", str(path)], check=True)
    bare.with_name("bare.sqlite-shm").unlink()
    assert died.with_name("died.sqlite-wal").stat().st_size
    subprocess.run(["mount", "-o", "remount,ro", directory], check=True)
    for path in (closed, died):
        (run,) = Store(path).runs()
        assert [recorded.event.message for recorded in Store(path).events(run.id)] == list("abc"), path
    _expect(StoreUnreadable, Store(bare).runs)
    for path in (closed, died, place / "new.sqlite", place / "new" / "store.sqlite"):
        _expect(StoreUnwritable, partial(anyio.run, _write, path))


def _expect(kind: type[Exception], call: Callable[[], object]) -> None:
    try:
        call()
    except kind:
        return
    raise AssertionError(f"no {kind.__name__}")


async def _write(path: Path, *, last: Callable[[], None] = lambda: None) -> None:
    async with Store(path).record() as log:
        for message in "abc":
            await log.append(Warned(message=message))
        last()


def die(path: str) -> None:
    """Leave a store as SIGKILL does: with a claim, and with events that are only in the -wal."""
    anyio.run(partial(_write, Path(path), last=partial(os._exit, 0)))


if __name__ == "__main__":
    globals()[sys.argv[1]](*sys.argv[2:])
