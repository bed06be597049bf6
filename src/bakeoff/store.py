"""The log of events: one SQLite file, one writer per run, any number of readers.

        tasks of a run                              the writer task            a worker thread
    keep(text), append(event) ──▶ queue, in order ──▶ batch ──────────────▶ BEGIN … COMMIT, fsync
                 ▲                                                                  │
                 └──────────── Recorded, once the batch is durable ◀────────────────┘

While one batch is being committed the next one gathers, so that a hundred tasks that append at once share one
fsync, and the event loop never waits for the disk. Texts and events go through one queue in the order in which they
were handed over: a text is durable no later than any event that was appended after it. `note` hands over an event as
`append` does, and does not wait: for what only has to be there before all that stands on it.

The file (format 1), made to be read with `sqlite3` as well as by us:

    application_id 0x42616b65, user_version = format, journal in WAL mode, synchronous = FULL
    events   run, sequence   counted from 1 within the run, without gaps; rows are never changed or removed
             time            UTC, ISO 8601 with microseconds; never goes back within a run, whatever the clock does
             name, body      the event on the wire: `candidate-judged.1` and its JSON
    texts    sha256          of the UTF-8 bytes, in hex, as in the JSON of the events that refer to it
             size, body      their number, and the bytes compressed with zlib
    writers  run, owner      who writes to the run: an Owner as JSON; the row goes when the writer closes, and the row
                             of a process that died is taken over
    milestones               an index over the few events named `run-…`, so that listing runs reads no others
    calls, cells, metrics    views for people, see `views.py`; nothing here reads them

A Python string may hold lone surrogates (output that was decoded with `surrogateescape`). Texts keep them
(UTF-8 with `surrogatepass`); JSON cannot, so an event whose own fields hold some is refused with UnicodeEncodeError.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import secrets
import sqlite3
import stat
import time
import zlib
from collections import deque
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import anyio
import anyio.to_thread
import msgspec

from bakeoff.errors import (
    NotAStore,
    RunBusy,
    StoreError,
    StoreTooNew,
    StoreUnreadable,
    StoreUnwritable,
    UnknownRun,
)
from bakeoff.events import Event, Recorded, Run, RunEnded, RunStarted, State, Text, decode, encode
from bakeoff.owners import Owner
from bakeoff.views import ensure_views

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterator

__all__ = ["Log", "Note", "RunSummary", "Store", "bytes_of", "text_of"]

_APPLICATION = 0x42616B65
_FORMAT = 1
_OLDEST_SQLITE = (3, 37)  # the first with STRICT tables
_SCHEMA = (
    """
    CREATE TABLE events (
        run TEXT NOT NULL,
        sequence INTEGER NOT NULL,
        time TEXT NOT NULL,
        name TEXT NOT NULL,
        body TEXT NOT NULL,
        PRIMARY KEY (run, sequence)
    ) STRICT, WITHOUT ROWID
    """,
    "CREATE INDEX milestones ON events (run, sequence) WHERE name GLOB 'run-*'",
    "CREATE TABLE texts (sha256 TEXT PRIMARY KEY NOT NULL, size INTEGER NOT NULL, body BLOB NOT NULL) STRICT",
    "CREATE TABLE writers (run TEXT PRIMARY KEY NOT NULL, owner TEXT NOT NULL) STRICT, WITHOUT ROWID",
    f"PRAGMA application_id = {_APPLICATION}",
    f"PRAGMA user_version = {_FORMAT}",
)

# Each step finds the next smaller id in the index, so the work grows with the runs and not with their events.
_RUN_IDS = """
WITH RECURSIVE ids (run) AS (
    SELECT max(run) FROM events
    UNION ALL
    SELECT (SELECT max(run) FROM events WHERE events.run < ids.run) FROM ids WHERE ids.run IS NOT NULL
)
SELECT run FROM ids WHERE run IS NOT NULL
"""
# What is known of a run without its events: since sequences have no gaps, the last one is the number of events.
_SUMMARIES = f"""
SELECT ids.run, first.time, last.time, last.sequence, writers.owner
FROM ({_RUN_IDS}) AS ids
JOIN events AS first ON first.run = ids.run AND first.sequence = 1
JOIN events AS last
    ON last.run = ids.run AND last.sequence = (SELECT max(sequence) FROM events WHERE events.run = ids.run)
LEFT JOIN writers ON writers.run = ids.run
ORDER BY ids.run DESC
"""  # noqa: S608 - made of constants
_MILESTONES = "SELECT run, sequence, time, name, CAST(body AS BLOB) FROM events WHERE name GLOB 'run-*' ORDER BY 1, 2"
_PAGE = """
SELECT run, sequence, time, name, CAST(body AS BLOB) FROM events
WHERE run = ? AND sequence > ? AND sequence <= ? ORDER BY sequence LIMIT ?
"""

_LAST_SEQUENCE = "SELECT coalesce(max(sequence), 0) FROM events WHERE run = ?"
_LAST_TIME = "SELECT time FROM events WHERE run = ? ORDER BY sequence DESC LIMIT 1"

_DAMAGED = {None, sqlite3.SQLITE_ERROR, sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}
_CANNOT_SHARE = {sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_IOERR}

_PAGE_EVENTS = 1000
_BATCH_ITEMS = 1000
_BATCH_BYTES = 16_000_000
_COMPANY = 0.005  # seconds that events which were only noted wait for more, so that fewer commits are made
_LARGEST = 500_000_000  # SQLite's own limit is twice that; nothing that it would refuse may block the queue
_LOCK_SECONDS = 60.0
_WAL_BYTES = 4_000_000
_CHECKPOINT_MILLISECONDS = 2000
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"


def _utc_now() -> datetime:
    return datetime.now(UTC)


def text_of(data: bytes) -> str:
    """Bytes as a text that can be kept: what is not UTF-8 in them is not lost, `bytes_of` gives it back."""
    return data.decode("utf-8", "surrogateescape")


def bytes_of(text: str) -> bytes:
    """The bytes that `text_of` was given."""
    return text.encode("utf-8", "surrogateescape")


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSummary:
    """One line of `bakeoff runs`. `start`, `end` and `state` are what `Run.of` says of the whole log.

    `alive` tells whether the process that writes to the run is still there: a run without an end that is not
    alive has died, and can be resumed.
    """

    id: str
    state: State
    started: datetime
    last: datetime
    events: int
    start: RunStarted | None
    end: RunEnded | None
    alive: bool


class Store:
    """The log at one path. Making a Store touches nothing, and only `record` ever creates the file.

    Reading is synchronous, opens a connection of its own for each call, and is safe in any thread. A reader never
    waits for a writer, and sees whole batches, in order, from the first event on. Where there is no file yet,
    there are no runs. (SQLite may leave an empty `-wal` and a `-shm` beside the file for a reader's sake.)
    """

    def __init__(
        self,
        path: Path,
        *,
        clock: Callable[[], datetime] = _utc_now,
        entropy: Callable[[int], bytes] = secrets.token_bytes,
    ) -> None:
        # SQLite names the -wal file after the file that a link leads to, and the working directory may change.
        self.path = Path(os.path.realpath(path))
        self._clock = clock
        self._entropy = entropy

    def runs(self) -> list[RunSummary]:
        """What is known of each run, newest first; costs little however many events there are."""
        with _reading(self.path) as connection:
            if connection is None:
                return []
            with _snapshot(connection):
                rows = connection.execute(_SUMMARIES).fetchall()
                milestones = connection.execute(_MILESTONES).fetchall()
        told: dict[str, list[Recorded]] = {}
        for row in milestones:
            told.setdefault(row[0], []).append(self._recorded(*row))
        return [self._summary(*row, milestones=told.get(row[0], [])) for row in rows]

    def events(self, run: str, *, after: int = 0) -> Iterator[Recorded]:
        """The events of a run whose sequence is above `after`, as they stand when the first one is asked for.

        Read in pages, with no transaction open in between: memory stays bounded, and a consumer that dawdles holds
        nothing up. Of an unknown run there are no events; see `resolve`.
        """
        with _reading(self.path) as connection:
            if connection is None:
                return
            (end,) = connection.execute(_LAST_SEQUENCE, (run,)).fetchone()
            while after < end:
                page = connection.execute(_PAGE, (run, after, end, _PAGE_EVENTS)).fetchall()
                if [row[1] for row in page] != list(range(after + 1, min(after + _PAGE_EVENTS, end) + 1)):
                    raise NotAStore(self.path, f"events of run {run} are missing after event {after}")
                yield from (self._recorded(*row) for row in page)
                after += len(page)

    def resolve(self, prefix: str) -> str:
        """The id of the one run that starts with these letters, in either case."""
        with _reading(self.path) as connection:
            known = [] if connection is None else [run for (run,) in connection.execute(_RUN_IDS)]
        matches: list[str] = [run for run in known if run.startswith(prefix.upper())]
        if len(matches) != 1:
            raise UnknownRun(prefix, matches=matches[:10])
        return matches[0]

    def text(self, text: Text) -> str:
        """The text that was kept under this hash. What comes back is proven to be it."""
        row = None
        with _reading(self.path) as connection:
            if connection is not None:
                row = connection.execute("SELECT body FROM texts WHERE sha256 = ?", (text.sha256,)).fetchone()
        if row is None:
            raise NotAStore(self.path, f"the text {text.sha256} is missing")
        try:
            data = zlib.decompress(row[0])
        except zlib.error as error:
            raise NotAStore(self.path, f"the text {text.sha256} is damaged: {error}") from error
        if hashlib.sha256(data).hexdigest() != text.sha256:
            raise NotAStore(self.path, f"the text {text.sha256} is damaged: it has another hash")
        return str(data, "utf-8", "surrogatepass")

    @contextlib.asynccontextmanager
    async def record(
        self, run: str | None = None, *, watch: Callable[[Recorded], None] | None = None
    ) -> AsyncIterator[Log]:
        """Write to a new run, or go on with the one of this id; raises RunBusy while somebody else does.

        `watch` is told of each event once it is durable, in the order of the log. What it raises is raised by the
        `append` of that event, or the next one where it was noted; in the end, by leaving the block.

        When the block is left, in whatever way, everything handed over so far is written, the claim on the run is
        released, and no task or connection is left; cancellation waits for that. What the block raises comes out as
        it is. Where what was left could not be written, leaving the block raises StoreUnwritable.
        """
        queue = _Queue()
        file = _File(self.path, run or self._new_id(), resumed=run is not None)
        writer = _Writer(file, queue, watch=watch)
        failure: BaseException | None = None
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(writer.work)
            try:
                await writer.ready()
                yield Log(file, queue, clock=self._clock)
            except BaseException as error:  # noqa: BLE001 - raised again below; the task group would wrap it
                failure = error
            queue.close()
        failure = failure or writer.failure or writer.objection
        if failure is not None:
            raise failure

    def _new_id(self) -> str:
        """A ULID: 48 bits of milliseconds and 80 random ones, so that ids sort by the time they were made."""
        milliseconds = (_utc(self._clock()) - _EPOCH) // timedelta(milliseconds=1)
        number = milliseconds << 80 | int.from_bytes(self._entropy(10))
        return "".join(_CROCKFORD[number >> shift & 31] for shift in range(125, -1, -5))

    def _recorded(self, run: str, sequence: int, moment: str, name: str, body: bytes) -> Recorded:
        try:
            when, event = datetime.fromisoformat(moment), decode(name, body)
        except (ValueError, msgspec.DecodeError) as error:
            raise NotAStore(self.path, f"event {sequence} of run {run} is damaged: {error}") from error
        return Recorded(run=run, sequence=sequence, time=when, event=event)

    def _summary(
        self, run: str, first: str, last: str, events: int, owner: str | None, *, milestones: list[Recorded]
    ) -> RunSummary:
        fold = Run.of(milestones) if milestones else None
        try:
            return RunSummary(
                id=run,
                state=fold.state if fold else State.RUNNING,
                started=datetime.fromisoformat(first),
                last=datetime.fromisoformat(last),
                events=events,
                start=fold.start if fold else None,
                end=fold.end if fold else None,
                alive=owner is not None and msgspec.json.decode(owner, type=Owner).lives(),
            )
        except (ValueError, msgspec.DecodeError) as error:
            raise NotAStore(self.path, f"what is kept of run {run} is damaged: {error}") from error


class Log:
    """The pen of one run, for any number of tasks of one event loop; see `Store.record`.

    Events are recorded in the order in which they were handed over. Their time is that of the call, or that of the
    event before it where the clock went back.
    """

    def __init__(self, file: _File, queue: _Queue, *, clock: Callable[[], datetime]) -> None:
        self.run = file.run
        self._path = file.path
        self._latest = file.latest
        self._queue = queue
        self._clock = clock

    def keep(self, text: str) -> Text:
        """Hand over a large text, to be named in an event; stored once, however often it is kept.

        It is written together with the next event, or when the log closes, and so never waits.
        """
        data = text.encode("utf-8", "surrogatepass")
        name = Text(sha256=hashlib.sha256(data).hexdigest(), size=len(data))
        self._check(len(data))
        self._queue.put_text(_Text(sha256=name.sha256, data=data))
        return name

    async def append(self, event: Event) -> Recorded:
        """Record an event; it is durable when this returns.

        Raises StoreUnwritable where it could not be made durable; the log stays usable, and the event may be appended
        again. An append that is cancelled may or may not be in the log afterwards, but never in part.
        """
        return await self._hand_over(event, is_kept=False).durable()

    def note(self, event: Event) -> Note:
        """Record an event without waiting: it is written within milliseconds, and is durable no later than any that was
        handed over after it.

        Where it could not be written it stays, as texts do, for when the next one is appended.
        """
        return self._hand_over(event, is_kept=True)

    def _hand_over(self, event: Event, *, is_kept: bool) -> Note:
        name, body = encode(event)
        self._check(len(body))
        line = Note(
            path=self._path,
            run=self.run,
            time=self._now(),
            name=name,
            body=body.decode(),
            event=event,
            is_kept=is_kept,
        )
        self._queue.put_line(line)
        return line

    def _now(self) -> datetime:
        now = _utc(self._clock())
        self._latest = max(now, self._latest or now)
        return self._latest

    def _check(self, size: int) -> None:
        if self._queue.closed:
            raise StoreUnwritable(self._path, f"the log of run {self.run} is closed")
        if size > _LARGEST:
            raise ValueError(f"{size} bytes are too many for one event or text; {_LARGEST} are allowed")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Text:
    sha256: str
    data: bytes


@dataclass(slots=True, kw_only=True, eq=False)
class Note:
    """An event on its way, and what becomes of it: a sequence number or a refusal, and what was raised by whoever was
    told of it. One that `is_kept` is not dropped where it was refused."""

    path: Path
    run: str
    time: datetime
    name: str
    body: str
    event: Event
    is_kept: bool
    sequence: int = 0
    refusal: str | None = None
    objection: BaseException | None = None
    settled: anyio.Event | None = None  # made by who waits

    async def durable(self) -> Recorded:
        """Wait until it is on disk. Raises StoreUnwritable where it could not be written by now, and what the watcher
        raised."""
        if not self.sequence and self.refusal is None:
            self.settled = self.settled or anyio.Event()
            await self.settled.wait()
        if not self.sequence:
            raise StoreUnwritable(self.path, self.refusal or "")
        if self.objection is not None:
            raise self.objection
        return self.recorded

    @property
    def recorded(self) -> Recorded:
        return Recorded(run=self.run, sequence=self.sequence, time=self.time, event=self.event)

    def settle(self) -> None:
        """It has come to one or the other."""
        if self.settled is not None:
            self.settled.set()


class _Queue:
    """What was handed over and is not yet taken, in order. Used by tasks of one event loop, so it needs no lock."""

    def __init__(self) -> None:
        self.closed = False
        self._items: deque[_Text | Note] = deque()
        self._is_due = False  # there is something that does not wait for what comes after it
        self._is_urgent = False  # and somebody waits for it
        self._hashes: set[str] = set()
        self._changed = anyio.Event()

    def put_text(self, text: _Text) -> None:
        if text.sha256 not in self._hashes:
            self._hashes.add(text.sha256)
            self._items.append(text)

    def put_line(self, line: Note) -> None:
        self._items.append(line)
        if not (self._is_due and line.is_kept):
            self._changed.set()
        self._is_due = True
        self._is_urgent = self._is_urgent or not line.is_kept

    def close(self) -> None:
        self.closed = True
        self._changed.set()

    async def work(self) -> bool:
        """Wait for an event or for the end, and where nobody waits for the event, a moment for more of them. False when
        nothing will ever come again."""
        while not self._is_due and not self.closed:
            self._changed = anyio.Event()
            await self._changed.wait()
        if not (self._is_urgent or self.closed):
            self._changed = anyio.Event()
            with anyio.move_on_after(_COMPANY):
                await self._changed.wait()
        return bool(self._items)

    def take(self) -> tuple[list[_Text], list[Note]]:
        """What goes into one transaction: bounded, so that other writers of the file get their turn."""
        texts: list[_Text] = []
        lines: list[Note] = []
        room = _BATCH_BYTES
        while self._items and room > 0 and len(texts) + len(lines) < _BATCH_ITEMS:
            item = self._items.popleft()
            if isinstance(item, _Text):
                texts.append(item)
                room -= len(item.data)
            else:
                lines.append(item)
                room -= len(item.body)
        self._is_due = self._is_urgent = bool(self._items)
        return texts, lines

    def forget(self, texts: list[_Text]) -> None:
        """These are written."""
        self._hashes.difference_update(text.sha256 for text in texts)

    def refuse(self, texts: list[_Text], lines: list[Note], *, why: str) -> None:
        """The batch failed. Its events are told so, and all those that wait behind it.

        The texts stay: their names were given out, and may be in the event that is appended next. So do events that
        were only noted.
        """
        every = [*texts, *lines, *self._items]
        self._items, self._is_due, self._is_urgent = deque(), False, False
        for item in every:
            if isinstance(item, _Text):
                self._items.append(item)
                continue
            item.refusal = why
            item.settle()
            if item.is_kept:
                self._items.append(item)


class _Writer:
    """The one task that writes a run: it opens the file, commits batch after batch, and closes the file.

    It is shielded from cancellation and ends when the queue is closed and empty. All of it is one task of its own
    because the task that records can be cancelled at any await, and would then leave an open connection behind.
    """

    def __init__(self, file: _File, queue: _Queue, *, watch: Callable[[Recorded], None] | None) -> None:
        self.failure: StoreError | None = None
        self.objection: BaseException | None = None  # of whoever was told, and not yet raised
        self._file = file
        self._queue = queue
        self._watch = watch
        self._opened = anyio.Event()
        self._thread = anyio.CapacityLimiter(1)

    async def ready(self) -> None:
        await self._opened.wait()
        if self.failure is not None:
            raise self.failure

    async def work(self) -> None:
        with anyio.CancelScope(shield=True):
            try:
                await anyio.to_thread.run_sync(self._file.open, limiter=self._thread)
            except StoreError as error:
                self.failure = error
                return
            finally:
                self._opened.set()
            try:
                await self._write_all()
            finally:
                await self._close()

    async def _write_all(self) -> None:
        try:
            while await self._queue.work() and self.failure is None:
                await self._write()
        finally:
            self._queue.close()
            self._queue.refuse([], [], why="the writer has ended")

    async def _write(self) -> None:
        texts, lines = self._queue.take()
        try:
            first = await anyio.to_thread.run_sync(self._file.commit, texts, lines, limiter=self._thread)
        except (NotAStore, StoreUnwritable) as error:
            self._queue.refuse(texts, lines, why=error.why)
            self.failure = error if self._queue.closed else None
        else:
            self._queue.forget(texts)
            for sequence, line in enumerate(lines, first):
                line.sequence = sequence
                self._tell(line)
                line.settle()

    def _tell(self, line: Note) -> None:
        if self._watch is None:
            return
        try:
            self._watch(line.recorded)
        except BaseException as error:  # noqa: BLE001 - raised again by who waits for it, or by leaving the block
            line.objection = error
        if line.is_kept:
            self.objection = self.objection or line.objection
        else:
            line.objection, self.objection = line.objection or self.objection, None

    async def _close(self) -> None:
        try:
            await anyio.to_thread.run_sync(self._file.close, limiter=self._thread)
        except StoreError as error:
            self.failure = self.failure or error


class _File:
    """The connection that writes to one run, and the claim on it. Blocks; used by one thread at a time."""

    def __init__(self, path: Path, run: str, *, resumed: bool) -> None:
        self.path = path
        self.run = run
        self.latest: datetime | None = None
        self._resumed = resumed
        self._owner = msgspec.json.encode(Owner.current()).decode()
        self._connection: sqlite3.Connection
        self._place: list[tuple[int, int]] = []
        self._checkpoint_at = _WAL_BYTES

    def open(self) -> None:
        """Make the file where there is none, and claim the run. Nothing is written to a file that is not ours."""
        with _telling(self.path, StoreUnwritable):
            if self._resumed:
                self._require_run()
            _create(self.path)
            with _reading(self.path):
                pass  # raises where it is not a store; a connection that may write could already change it
            self._connection = _connect(self.path, "mode=rw")
            try:
                self._prepare()
                self._claim()
                self._place = self._find()
            except BaseException:
                self._connection.close()
                raise

    def commit(self, texts: list[_Text], lines: list[Note]) -> int:
        """Make a batch durable; returns the sequence number of its first event."""
        with _telling(self.path, StoreUnwritable):
            self._checkpoint()
            packed = [self._packed(text) for text in texts if not self._has(text)]
            with self._transaction():
                self._connection.executemany("INSERT INTO texts VALUES (?, ?, ?) ON CONFLICT DO NOTHING", packed)
                # Asked for and not remembered, so that a commit that failed can leave no gap.
                (last,) = self._connection.execute(_LAST_SEQUENCE, (self.run,)).fetchone()
                self._connection.executemany("INSERT INTO events VALUES (?, ?, ?, ?, ?)", self._rows(lines, last + 1))
            self._check_place()
        return int(last) + 1

    def close(self) -> None:
        with _telling(self.path, StoreUnwritable), contextlib.closing(self._connection):
            self._check_place()
            with self._transaction():
                claim = (self.run, self._owner)
                self._connection.execute("DELETE FROM writers WHERE run = ? AND owner = ?", claim)

    def _require_run(self) -> None:
        with _reading(self.path) as connection:
            known = connection is not None and connection.execute(_LAST_SEQUENCE, (self.run,)).fetchone() != (0,)
        if not known:
            raise UnknownRun(self.run)

    def _prepare(self) -> None:
        """Two processes that create the store at the same moment are both here; one of them makes the tables."""
        self._connection.execute("PRAGMA synchronous = FULL")
        self._connection.execute("PRAGMA wal_autocheckpoint = 0")  # see _checkpoint
        if self._wal() != "wal":
            raise StoreUnwritable(self.path, "its file system cannot hold a SQLite file in WAL mode")
        with self._transaction():
            if not _is_made(self._connection, self.path):
                for statement in _SCHEMA:
                    self._connection.execute(statement)
            ensure_views(self._connection)

    def _wal(self) -> str:
        """Switching to WAL does not wait for locks as other statements do, so it is tried again here."""
        deadline = time.monotonic() + _LOCK_SECONDS
        while True:
            try:
                return str(self._connection.execute("PRAGMA journal_mode = WAL").fetchone()[0])
            except sqlite3.OperationalError as error:
                if _code(error) != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                    raise
                time.sleep(0.005)

    def _claim(self) -> None:
        with self._transaction():
            row = self._connection.execute("SELECT owner FROM writers WHERE run = ?", (self.run,)).fetchone()
            if row is not None:
                self._check_owner(row[0])
            self._connection.execute("INSERT OR REPLACE INTO writers VALUES (?, ?)", (self.run, self._owner))
            row = self._connection.execute(_LAST_TIME, (self.run,)).fetchone()
        self.latest = datetime.fromisoformat(row[0]) if row else None

    def _check_owner(self, text: str) -> None:
        try:
            owner = msgspec.json.decode(text, type=Owner)
        except msgspec.DecodeError as error:
            raise NotAStore(self.path, f"the writer of run {self.run} is damaged: {error}") from error
        if owner.lives():
            raise RunBusy(self.run, str(owner))

    @contextlib.contextmanager
    def _transaction(self) -> Iterator[None]:
        self._connection.execute("BEGIN IMMEDIATE")
        try:
            yield
            self._connection.execute("COMMIT")
        except BaseException:
            if self._connection.in_transaction:  # a full disk makes SQLite roll back by itself
                self._connection.execute("ROLLBACK")
            raise

    def _checkpoint(self) -> None:
        """Take a long -wal into the file, holding the write lock.

        SQLite's own checkpoints hold no lock, and before 3.51.3 one of them could miss that another process began the
        -wal anew at that moment, and lose what it held (the "WAL-reset bug"). TRUNCATE excludes other writers. Where
        it cannot be done, for want of space or for a reader that stays, everything is still durable in the -wal.
        """
        log = _wal_of(self.path)
        if _size(log) < self._checkpoint_at:
            return
        self._connection.execute(f"PRAGMA busy_timeout = {_CHECKPOINT_MILLISECONDS}")
        with contextlib.suppress(sqlite3.OperationalError):
            self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        self._connection.execute(f"PRAGMA busy_timeout = {int(_LOCK_SECONDS * 1000)}")
        self._checkpoint_at = _size(log) + _WAL_BYTES

    def _has(self, text: _Text) -> bool:
        return self._connection.execute("SELECT 1 FROM texts WHERE sha256 = ?", (text.sha256,)).fetchone() is not None

    def _packed(self, text: _Text) -> tuple[str, int, bytes]:
        return text.sha256, len(text.data), zlib.compress(text.data)

    def _rows(self, lines: list[Note], first: int) -> Iterator[tuple[str, int, str, str, str]]:
        for sequence, line in enumerate(lines, first):
            yield self.run, sequence, line.time.isoformat(timespec="microseconds"), line.name, line.body

    def _find(self) -> list[tuple[int, int]]:
        found = [os.stat(self.path), os.stat(_wal_of(self.path))]
        return [(status.st_dev, status.st_ino) for status in found]

    def _check_place(self) -> None:
        """What is written into a file that was removed, or moved away with its log, is durable nowhere."""
        try:
            if self._find() == self._place:
                return
        except FileNotFoundError:
            pass
        raise StoreUnwritable(self.path, "the file was removed, moved or replaced while it was being written")


@contextlib.contextmanager
def _reading(path: Path) -> Iterator[sqlite3.Connection | None]:
    """A connection that cannot write; None where there is no store yet."""
    with _telling(path, StoreUnreadable):
        connection = _open_reader(path)
        if connection is None:
            yield None
            return
        with contextlib.closing(connection):
            yield connection


def _open_reader(path: Path) -> sqlite3.Connection | None:
    try:
        status = os.stat(path)
    except FileNotFoundError:
        return None
    if not stat.S_ISREG(status.st_mode):
        raise NotAStore(path, "it is not a regular file")
    try:
        return _identified(path, "mode=ro")
    except sqlite3.OperationalError as error:
        # Readers share a -shm file, which cannot be made in a read-only place or on a full disk. Without it the
        # file may be read as one that never changes, provided that nothing of it is still in the -wal.
        if _code(error) not in _CANNOT_SHARE or _size(_wal_of(path)):
            raise
    return _identified(path, "immutable=1")


def _identified(path: Path, mode: str) -> sqlite3.Connection | None:
    connection = _connect(path, mode)
    made = False
    try:
        with _snapshot(connection):
            made = _is_made(connection, path)
    finally:
        if not made:
            connection.close()
    return connection if made else None


def _is_made(connection: sqlite3.Connection, path: Path) -> bool:
    """True for a store, False for a database with nothing in it; raises for anything else."""
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    (objects,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    if (application, version, objects) == (0, 0, 0):
        return False
    if application != _APPLICATION:
        raise NotAStore(path, "it is a SQLite database of another application")
    if version > _FORMAT:
        raise StoreTooNew(path, found=version, known=_FORMAT)
    return True


def _create(path: Path) -> None:
    """An empty file that only the user may read, since prompts and logs are private; so are the directories."""
    _make_directory(path.parent)
    # Never opened where it exists: closing it again would drop the locks that SQLite holds on it in this process.
    with contextlib.suppress(FileExistsError):
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))


def _make_directory(path: Path) -> None:
    if path.is_dir():
        return
    _make_directory(path.parent)
    with contextlib.suppress(FileExistsError):
        path.mkdir(mode=0o700)
    descriptor = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(descriptor)  # SQLite does this for its own files, but a file is lost with the directory it is in
    finally:
        os.close(descriptor)


def _connect(path: Path, mode: str) -> sqlite3.Connection:
    if sqlite3.sqlite_version_info < _OLDEST_SQLITE:
        oldest = ".".join(map(str, _OLDEST_SQLITE))
        raise StoreUnreadable(path, f"this Python comes with SQLite {sqlite3.sqlite_version}, and {oldest} is needed")
    return sqlite3.connect(
        f"{path.as_uri()}?{mode}", uri=True, timeout=_LOCK_SECONDS, isolation_level=None, check_same_thread=False
    )


@contextlib.contextmanager
def _snapshot(connection: sqlite3.Connection) -> Iterator[None]:
    """Everything read inside is of one moment."""
    connection.execute("BEGIN")
    yield
    connection.execute("COMMIT")


@contextlib.contextmanager
def _telling(path: Path, otherwise: type[StoreUnreadable | StoreUnwritable]) -> Iterator[None]:
    """Turns what SQLite and the system say into our words, and keeps theirs."""
    try:
        yield
    except sqlite3.Error as error:
        why = f"{error} ({error.sqlite_errorname})" if _code(error) else str(error)
        raise (NotAStore if _code(error) in _DAMAGED else otherwise)(path, why) from error
    except OSError as error:
        raise otherwise(path, error.strerror or str(error)) from error


def _code(error: sqlite3.Error) -> int | None:
    """SQLite's primary result code; None for what the Python module found by itself, such as text that is none."""
    extended = getattr(error, "sqlite_errorcode", None)
    return None if extended is None else extended & 0xFF


def _wal_of(path: Path) -> Path:
    return path.with_name(path.name + "-wal")


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


def _utc(moment: datetime) -> datetime:
    if moment.tzinfo is None:
        raise ValueError("the clock of a store must tell its time zone")
    return moment.astimezone(UTC)
