from __future__ import annotations

import contextlib
import json
import os
import random
import shutil
import signal
import sqlite3
import stat
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime, timedelta, timezone
from functools import partial
from pathlib import Path

import anyio
import anyio.abc
import anyio.lowlevel
import anyio.to_thread
import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bakeoff import store as module
from bakeoff.errors import (
    NotAStore,
    RunBusy,
    StoreTooNew,
    StoreUnreadable,
    StoreUnwritable,
    UnknownRun,
)
from bakeoff.events import (
    CandidateJudged,
    CandidateMeasured,
    CandidateProposed,
    CandidateState,
    Decision,
    PoolOpened,
    Run,
    RunEnded,
    RunStarted,
    Speedup,
    State,
    Text,
    Unknown,
    Verdict,
    Warned,
)
from bakeoff.owners import Owner
from bakeoff.store import Store
from store_processes import TASKS

PROCESSES = Path(__file__).with_name("store_processes.py")
DATA = Path(__file__).with_name("data")
NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
START = RunStarted(command="optimize", version="1")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "bakeoff" / "store.sqlite"


def beside(path: Path, suffix: str) -> Path:
    return path.with_name(path.name + suffix)


def contents(directory: Path) -> dict[str, bytes]:
    """Every file below, with its bytes; an empty -wal and a -shm are SQLite's own business."""
    return {
        str(file.relative_to(directory)): file.read_bytes()
        for file in directory.rglob("*")
        if file.is_file() and not file.name.endswith("-shm") and file.stat().st_size
    }


@contextlib.contextmanager
def raw(path: Path):
    with contextlib.closing(sqlite3.connect(path, isolation_level=None, timeout=0)) as connection:
        yield connection


def rows(path: Path, query: str) -> list[tuple]:
    with raw(path) as connection:
        return connection.execute(query).fetchall()


def change(path: Path, statement: str, *arguments: object) -> None:
    with raw(path) as connection:
        assert connection.execute(statement, arguments).rowcount == 1


def messages(store: Store, run: str) -> list[str]:
    return [recorded.event.message for recorded in store.events(run)]


async def write(store: Store, *words: str, run: str | None = None) -> str:
    async with store.record(run) as log:
        for word in words:
            await log.append(Warned(message=word))
    return log.run


def write_now(path: Path, *words: str, run: str | None = None) -> str:
    return anyio.run(lambda: write(Store(path), *words, run=run))


@contextlib.contextmanager
def process(*arguments: str):
    """A process of tests/store_processes.py, which ends with the block."""
    command = [sys.executable, str(PROCESSES), *arguments]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as started:
        try:
            yield started
        finally:
            started.kill()


def begin(started: subprocess.Popen[str]) -> None:
    started.stdin.write("\n")
    started.stdin.flush()


# What is appended is there


@pytest.mark.anyio
async def test_what_is_acknowledged_is_what_is_read(path):
    store = Store(path)
    async with store.record() as log:
        happened = [START, Warned(message="größer \0"), RunEnded(state=State.DONE)]
        recorded = [await log.append(event) for event in happened]
        assert list(store.events(log.run)) == recorded, "readers see it at once"
    assert [line.sequence for line in recorded] == [1, 2, 3]
    assert {line.run for line in recorded} == {log.run}
    assert {line.time.tzinfo for line in recorded} == {UTC}
    assert list(store.events(log.run)) == recorded
    assert list(store.events(log.run, after=1)) == recorded[1:]
    assert list(store.events(log.run, after=3)) == []
    assert Run.of(store.events(log.run)).state is State.DONE


@pytest.mark.anyio
async def test_concurrent_appends_are_numbered_in_the_order_of_the_calls(path):
    store = Store(path)
    async with store.record() as log, anyio.create_task_group() as tasks:
        called: list[str] = []
        acknowledged: dict[int, str] = {}

        async def append(name: str) -> None:
            for number in range(10):
                called.append(f"{name}-{number}")
                recorded = await log.append(Warned(message=called[-1]))
                acknowledged[recorded.sequence] = recorded.event.message

        for name in "abcdefgh":
            tasks.start_soon(append, name)
    assert messages(store, log.run) == called == [acknowledged[number] for number in range(1, 81)]


@pytest.mark.anyio
async def test_what_is_noted_is_in_its_place_and_durable_before_what_follows(path):
    async with Store(path).record() as log:
        for number in range(5):
            log.note(Warned(message=f"noted {number}"))
            await log.append(Warned(message=f"appended {number}"))
            assert messages(Store(path), log.run)[-2:] == [f"noted {number}", f"appended {number}"]
        log.note(Warned(message="the last word"))
    assert messages(Store(path), log.run)[-1] == "the last word"


@pytest.mark.anyio
async def test_what_is_noted_is_written_although_nothing_follows(path):
    written = anyio.Event()
    async with Store(path).record(watch=lambda _: written.set()) as log:
        log.note(Warned(message="noted"))
        await written.wait()
        assert messages(Store(path), log.run) == ["noted"]


@pytest.mark.anyio
async def test_who_waits_does_not_wait_for_company_and_notes_have_some(path, monkeypatch):
    monkeypatch.setattr(module, "_COMPANY", 3600.0)
    batches = []
    commit = module._File.commit

    def counted(self, texts, lines):
        batches.append(len(lines))
        return commit(self, texts, lines)

    monkeypatch.setattr(module._File, "commit", counted)
    async with Store(path).record() as log:
        for number in range(10):
            log.note(Warned(message=f"{number}"))
            await anyio.lowlevel.checkpoint()
        assert batches == []
        await log.append(Warned(message="now"))
        assert batches == [11]
        log.note(Warned(message="the end waits for nobody"))
    assert batches == [11, 1]


@pytest.mark.anyio
async def test_who_watches_is_told_of_all_that_is_durable_in_the_order_of_the_log(path):
    told = []

    def watch(recorded):
        assert recorded in list(store.events(recorded.run))
        told.append(recorded)

    store = Store(path)
    async with store.record(watch=watch) as log, anyio.create_task_group() as tasks:
        for number in range(20):
            (log.note if number % 3 else partial(tasks.start_soon, log.append))(Warned(message=f"{number}"))
    assert told == list(store.events(log.run))
    assert len(told) == 20


@pytest.mark.anyio
async def test_what_a_watcher_raises_of_a_note_is_raised_by_the_next_append_or_at_the_end(path):
    def watch(recorded):
        if recorded.event.message in wrong:
            raise LookupError(recorded.event.message)

    async def block() -> None:
        async with Store(path).record(watch=watch) as log:
            log.note(Warned(message="a"))
            with pytest.raises(LookupError, match="a"):
                await log.append(Warned(message="b"))
            with pytest.raises(LookupError, match="c"):
                await log.append(Warned(message="c"))
            await log.append(Warned(message="d"))
            log.note(Warned(message="e"))

    wrong = {"a", "c", "e"}
    with pytest.raises(LookupError, match="e"):
        await block()
    (summary,) = Store(path).runs()
    assert messages(Store(path), summary.id) == ["a", "b", "c", "d", "e"]


@pytest.mark.anyio
async def test_more_events_than_a_page_or_a_batch_holds(path, monkeypatch):
    monkeypatch.setattr(module, "_PAGE_EVENTS", 7)
    monkeypatch.setattr(module, "_BATCH_ITEMS", 5)
    monkeypatch.setattr(module, "_BATCH_BYTES", 300)
    store = Store(path)
    async with store.record() as log, anyio.create_task_group() as tasks:
        for number in range(50):
            log.keep(f"{number} " * 50)
            tasks.start_soon(log.append, Warned(message=str(number)))
    assert sorted(messages(store, log.run), key=int) == [str(number) for number in range(50)]
    assert len(list(store.events(log.run, after=21))) == 29


@pytest.mark.anyio
async def test_events_are_those_of_the_moment_when_reading_began(path, monkeypatch):
    monkeypatch.setattr(module, "_PAGE_EVENTS", 2)
    store = Store(path)
    async with store.record() as log:
        for word in "abc":
            await log.append(Warned(message=word))
        reading = store.events(log.run)
        next(reading)
        await log.append(Warned(message="d"))
        assert [recorded.event.message for recorded in reading] == ["b", "c"]
        half_read = store.events(log.run)
        next(half_read)
        assert rows(path, "PRAGMA wal_checkpoint(TRUNCATE)") == [(0, 0, 0)], "a reader held the log up"
        half_read.close()


@pytest.mark.anyio
async def test_the_log_beside_the_file_stays_short(path, monkeypatch):
    monkeypatch.setattr(module, "_WAL_BYTES", 100_000)
    monkeypatch.setattr(module, "_CHECKPOINT_MILLISECONDS", 0)
    store, longest = Store(path), 0
    async with store.record() as log:
        for number in range(100):
            if number == 50:
                reader = store.events(log.run)
                next(reader)
            await log.append(Warned(message=f"{number}" * 1000))
            longest = max(longest, beside(path, "-wal").stat().st_size)
        reader.close()
        with raw(path) as connection:
            connection.execute("BEGIN")
            connection.execute("SELECT count(*) FROM events").fetchone()
            for _ in range(50):  # a reader that stays makes it longer, and stops nobody
                await log.append(Warned(message="m" * 1000))
    assert 100_000 < longest < 200_000
    assert len(list(store.events(log.run))) == 150


@pytest.mark.anyio
async def test_a_run_goes_on_where_it_ended(path):
    store = Store(path)
    run = await write(store, "a", "b")
    assert await write(store, "c", run=run) == run
    assert messages(store, run) == ["a", "b", "c"]


@pytest.mark.anyio
async def test_a_run_that_is_not_there_cannot_go_on(path):
    with pytest.raises(UnknownRun):
        await write(Store(path), run="01ARZ3NDEKTSV4RRFFQ69G5FAV")
    assert not path.parent.exists(), "nothing is made for it"
    await write(Store(path), "a")
    with pytest.raises(UnknownRun):
        await write(Store(path), run="01ARZ3NDEKTSV4RRFFQ69G5FAV")


@pytest.mark.anyio
async def test_an_event_that_json_cannot_hold_is_refused_and_nothing_else(path):
    store = Store(path)
    async with store.record() as log:
        with pytest.raises(UnicodeEncodeError):
            await log.append(Warned(message="\udcff"))
        assert (await log.append(Warned(message="next"))).sequence == 1


@pytest.mark.anyio
async def test_what_sqlite_could_not_hold_is_refused_and_nothing_else(path, monkeypatch):
    monkeypatch.setattr(module, "_LARGEST", 100)
    async with Store(path).record() as log:
        with pytest.raises(ValueError, match="too many"):
            await log.append(Warned(message="m" * 101))
        with pytest.raises(ValueError, match="too many"):
            log.keep("t" * 101)
        assert (await log.append(Warned(message="next"))).sequence == 1


@pytest.mark.anyio
async def test_a_log_is_closed_after_its_block(path):
    async with Store(path).record() as log:
        await log.append(Warned(message="a"))
    with pytest.raises(StoreUnwritable, match="closed"):
        await log.append(Warned(message="b"))
    with pytest.raises(StoreUnwritable, match="closed"):
        log.keep("text")


# Texts


@pytest.mark.anyio
async def test_a_text_is_stored_once_and_compressed(path):
    store = Store(path)
    long = "the same line again\n" * 1000
    for _ in range(2):
        async with store.record() as log:
            first, second = log.keep(long), log.keep(long)
            await log.append(Warned(message="m"))
            third = log.keep(long)
    assert first == second == third
    assert store.text(first) == long
    ((size, stored),) = rows(path, "SELECT size, length(body) FROM texts")
    assert size == first.size == len(long)
    assert stored < size / 10


@pytest.mark.anyio
async def test_a_text_is_durable_no_later_than_the_event_that_follows(path):
    async with Store(path).record() as log:
        for number in range(5):
            patch = log.keep(f"patch {number}" * 10)
            await log.append(CandidateProposed(candidate="c", name="c", source="s", patch=patch))
            assert rows(path, f"SELECT count(*) FROM texts WHERE sha256 = '{patch.sha256}'") == [(1,)]


@pytest.mark.anyio
async def test_a_text_without_an_event_is_written_at_the_end(path):
    async with Store(path).record() as log:
        text = log.keep("alone")
    assert Store(path).text(text) == "alone"


@pytest.mark.anyio
async def test_a_text_that_is_missing_or_damaged_is_not_passed_off_as_it(path):
    store = Store(path)
    with pytest.raises(NotAStore, match="is missing"):
        store.text(Text(sha256="0" * 64, size=1))
    async with store.record() as log:
        text = log.keep("true")
    with pytest.raises(NotAStore, match="is missing"):
        store.text(Text(sha256="0" * 64, size=1))
    change(path, "UPDATE texts SET body = (SELECT substr(body, 1, 4) FROM texts)")
    with pytest.raises(NotAStore, match=f"{text.sha256} is damaged"):
        store.text(text)
    async with Store(path.with_name("other")).record() as log:
        log.keep("false")
    ((false,),) = rows(path.with_name("other"), "SELECT body FROM texts")
    change(path, "UPDATE texts SET body = ?", false)
    with pytest.raises(NotAStore, match="another hash"):
        store.text(text)


ANY_TEXT = st.text(st.characters(exclude_categories=()), max_size=50)


@settings(max_examples=20)
@given(st.lists(ANY_TEXT, max_size=5))
def test_any_string_survives(texts):
    async def keep(store: Store) -> list[Text]:
        async with store.record() as log:
            return [log.keep(text) for text in texts]

    with tempfile.TemporaryDirectory() as directory:
        store = Store(Path(directory) / "store")
        assert [store.text(name) for name in anyio.run(keep, store)] == texts


# Ids, summaries, time


@pytest.mark.anyio
async def test_ids_are_ulids_that_sort_by_time(path):
    moments = iter(
        [datetime(2016, 7, 30, 22, 36, 16, 385000, tzinfo=UTC), NOON]
    )  # the example of the ULID specification
    store = Store(path, clock=lambda: next(moments), entropy=lambda count: b"\xff" * count)
    async with store.record() as log:
        assert log.run == "01ARYZ6S41" + "Z" * 16
    async with store.record() as later:
        assert later.run > log.run


@pytest.mark.anyio
async def test_two_runs_of_one_moment_have_two_ids(path):
    store = Store(path, clock=lambda: NOON)
    assert await write(store, "a") != await write(store, "b")


@pytest.mark.anyio
async def test_a_run_is_found_by_its_first_letters(path):
    seeds = iter([b"\x00", b"\xff"])
    store = Store(path, clock=lambda: NOON, entropy=lambda count: next(seeds) * count)
    with pytest.raises(UnknownRun, match="no run"):
        store.resolve("01")
    first, second = await write(store, "a"), await write(store, "b")
    assert store.resolve(first) == first
    assert store.resolve(second[:11].lower()) == second
    with pytest.raises(UnknownRun, match=f"{second}, {first}"):
        store.resolve("01")
    with pytest.raises(UnknownRun, match="no run"):
        store.resolve("02")


@pytest.mark.anyio
async def test_runs_are_summed_up_newest_first(path):
    minutes = iter(range(100))
    store = Store(path, clock=lambda: NOON + timedelta(minutes=next(minutes)))
    end = RunEnded(state=State.FAILED, error="why")
    async with store.record() as first:
        for event in (START, Warned(message="w"), end, Warned(message="after the end")):
            await first.append(event)
    second = await write(store, "no start at all")
    async with store.record(first.run) as again, store.record() as third:
        await again.append(START)
        await third.append(START)
        await third.append(end)
        summaries = store.runs()
    assert [summary.id for summary in summaries] == [third.run, second, first.run]
    assert [summary.alive for summary in summaries] == [True, False, True]
    assert [summary.alive for summary in store.runs()] == [False, False, False]
    for summary in summaries:
        run = Run.of(store.events(summary.id))
        told = (summary.state, summary.started, summary.last, summary.events, summary.start, summary.end)
        assert told == (run.state, run.started, run.last, run.events, run.start, run.end)
    assert [summary.state for summary in summaries] == [State.FAILED, State.RUNNING, State.RUNNING]


@pytest.mark.anyio
async def test_listing_runs_reads_no_other_events(path):
    """Told by damage: an event that is looked at would be refused."""
    store = Store(path)
    async with store.record() as log:
        for event in (START, Warned(message="w"), RunEnded(state=State.DONE)):
            await log.append(event)
    change(path, "UPDATE events SET body = 'damaged' WHERE sequence = 2")
    assert [summary.state for summary in store.runs()] == [State.DONE]
    for query in (module._SUMMARIES, module._MILESTONES):
        plan = [step for *_, step in rows(path, f"EXPLAIN QUERY PLAN {query}")]
        assert not [step for step in plan if step in ("SCAN events", "SCAN first", "SCAN last")], plan


@pytest.mark.anyio
async def test_time_never_goes_back_within_a_run(path):
    moments = [NOON, NOON, NOON - timedelta(hours=1), NOON + timedelta(seconds=1)]
    store = Store(path, clock=iter([*moments, NOON - timedelta(days=1)]).__next__)
    run = await write(store, "a", "b", "c")
    await write(store, "d", run=run)
    last = NOON + timedelta(seconds=1)
    assert [recorded.time for recorded in store.events(run)] == [NOON, NOON, last, last]


@pytest.mark.anyio
async def test_time_is_utc_whatever_the_clock_says(path):
    berlin = timezone(timedelta(hours=1))
    store = Store(path, clock=lambda: NOON.astimezone(berlin))
    run = await write(store, "a")
    (recorded,) = store.events(run)
    assert (recorded.time, recorded.time.tzinfo) == (NOON, UTC)
    assert rows(path, "SELECT time FROM events") == [("2026-01-01T12:00:00.000000+00:00",)]
    with pytest.raises(ValueError, match="time zone"):
        await write(Store(path, clock=lambda: datetime(2026, 1, 1)), "a")  # noqa: DTZ001


# Leaving the block


@pytest.mark.anyio
@pytest.mark.parametrize("kind", [ValueError, KeyboardInterrupt, SystemExit, RunBusy])
async def test_what_the_block_raises_comes_out_as_it_is(path, kind):
    raised = kind("run", "owner") if kind is RunBusy else kind("why")
    runs: list[str] = []

    async def block() -> None:
        async with Store(path).record() as log:
            runs.append(log.run)
            await log.append(Warned(message="a"))
            raise raised

    with pytest.raises(kind) as caught:
        await block()
    assert caught.value is raised
    assert messages(Store(path), *runs) == ["a"]
    assert_closed(path)


def assert_closed(path: Path) -> None:
    """SQLite removes the -wal when the last connection closes, and the claim is a row."""
    assert rows(path, "SELECT * FROM writers") == []
    assert not beside(path, "-wal").exists()


@pytest.mark.anyio
async def test_cancelling_the_block_writes_what_was_handed_over(path):
    with anyio.CancelScope() as scope:
        async with Store(path).record() as log, anyio.create_task_group() as tasks:
            await log.append(Warned(message="a"))
            tasks.start_soon(log.append, Warned(message="b"))
            text = log.keep("late")
            scope.cancel()
            await anyio.sleep_forever()
    assert scope.cancelled_caught
    assert messages(Store(path), log.run)[:1] == ["a"]
    assert Store(path).text(text) == "late"
    assert_closed(path)


@pytest.mark.anyio
async def test_cancelling_before_the_file_is_open_leaves_nothing_open(path):
    with anyio.CancelScope() as scope:
        scope.cancel()
        async with Store(path).record():
            raise AssertionError("entered")
    assert Store(path).runs() == []
    assert_closed(path)


@pytest.mark.anyio
async def test_cancelled_appends_lose_nothing_that_was_acknowledged(path):
    store = Store(path)
    async with store.record() as log, anyio.create_task_group() as tasks:
        for number in range(20):
            tasks.start_soon(log.append, Warned(message=f"cancelled {number}"))
        await log.append(Warned(message="acknowledged"))
        tasks.cancel_scope.cancel()
    (acknowledged,) = (line for line in store.events(log.run) if line.event.message == "acknowledged")
    async with store.record(log.run) as again:
        recorded = await again.append(Warned(message="next"))
    found = list(store.events(log.run))
    assert [line.sequence for line in found] == list(range(1, recorded.sequence + 1))
    assert found[-1] == recorded
    assert acknowledged in found


# A property: whatever is interleaved, the log is what was acknowledged

STEPS = st.sampled_from(["append", "note", "keep", "cancel", "cancel later"])
SESSIONS = st.lists(st.lists(st.lists(STEPS, max_size=6), min_size=1, max_size=4), min_size=1, max_size=3)


class Witness:
    """Appends and keeps, and remembers what was tried and what was acknowledged."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.run: str | None = None
        self.tried: dict[str, list[str]] = {}
        self.acknowledged: dict[int, str] = {}
        self.noted: set[str] = set()
        self.texts: dict[str, Text] = {}

    async def session(self, tasks: list[list[str]]) -> None:
        async with self.store.record(self.run) as log:
            await self.append(log, "opening")
            self.run = log.run
            async with anyio.create_task_group() as group:
                for number, steps in enumerate(tasks):
                    group.start_soon(self.task, log, f"task {number}", steps)

    async def task(self, log: module.Log, name: str, steps: list[str]) -> None:
        for step in steps:
            if step == "keep":
                text = f"text {len(self.texts) // 2}"  # every second one is kept before
                self.texts[text] = log.keep(text)
                continue
            if step == "note":
                self.note(log, name)
                continue
            with anyio.CancelScope() as scope:
                async with anyio.create_task_group() as group:
                    if step != "append":
                        group.start_soon(self.cancel, scope, 0 if step == "cancel" else 5)
                    await self.append(log, name)

    async def cancel(self, scope: anyio.CancelScope, checkpoints: int) -> None:
        for _ in range(checkpoints):
            await anyio.lowlevel.checkpoint()
        scope.cancel()

    def note(self, log: module.Log, task: str) -> None:
        self.noted.add(message := self.next(task))
        log.note(Warned(message=message))

    def next(self, task: str) -> str:
        tried = self.tried.setdefault(task, [])
        tried.append(f"{task}: {len(tried)}")
        return tried[-1]

    async def append(self, log: module.Log, task: str) -> None:
        recorded = await log.append(Warned(message=self.next(task)))
        assert recorded.sequence not in self.acknowledged
        self.acknowledged[recorded.sequence] = recorded.event.message

    def check(self) -> None:
        found = list(self.store.events(self.run))
        assert [line.sequence for line in found] == list(range(1, len(found) + 1))
        said = [line.event.message for line in found]
        assert {number: said[number - 1] for number in self.acknowledged} == self.acknowledged
        assert len(set(said)) == len(said), "an event is there twice"
        assert self.noted <= set(said)
        for task, tried in self.tried.items():
            mine = [message for message in said if message.startswith(f"{task}:")]
            assert mine == [message for message in tried if message in set(mine)], "order within a task"
        assert [line.time for line in found] == sorted(line.time for line in found)
        assert {text: self.store.text(name) for text, name in self.texts.items()} == {text: text for text in self.texts}


@pytest.mark.parametrize("backend", ["asyncio", "trio"])
@settings(max_examples=25)
@given(sessions=SESSIONS)
def test_the_log_is_what_was_acknowledged(backend, sessions):
    with tempfile.TemporaryDirectory() as directory:
        witness = Witness(Store(Path(directory) / "store"))
        for tasks in sessions:
            anyio.run(witness.session, tasks, backend=backend)
            witness.check()
        assert_closed(Path(directory) / "store")


# One writer per run


@pytest.mark.anyio
async def test_a_run_has_one_writer_within_a_process(path):
    store = Store(path)
    async with store.record() as log:
        await log.append(Warned(message="a"))
        with pytest.raises(RunBusy, match=f"run {log.run} is being written by process {os.getpid()}"):
            await write(Store(path), "b", run=log.run)
        await log.append(Warned(message="c"))
    await write(store, "d", run=log.run)
    assert messages(store, log.run) == ["a", "c", "d"]


def test_a_run_has_one_writer_among_processes_that_race_for_it(path):
    run = write_now(path, "before")
    with contextlib.ExitStack() as stack:
        racers = [stack.enter_context(process("hold", str(path), run)) for _ in range(4)]
        for racer in racers:
            begin(racer)
        said = [racer.stdout.readline().split(maxsplit=1) for racer in racers]
        assert sorted(words[0] for words in said) == ["busy", "busy", "busy", "won"]
        winner = racers[[words[0] for words in said].index("won")]
        assert all(f"process {winner.pid}" in words[1] for words in said if words[0] == "busy")
        with pytest.raises(RunBusy, match=f"process {winner.pid}"):
            write_now(path, run=run)
        assert write_now(path, "other runs are free") != run
        assert Store(path).runs()[-1].alive
        winner.stdin.close()
        assert winner.wait() == 0
    assert messages(Store(path), run) == ["before", f"from {winner.pid}"]


@pytest.mark.anyio
async def test_the_claim_of_a_dead_process_is_taken_over(path):
    store = Store(path)
    run = await write(store, "a")
    dead = msgspec.structs.replace(Owner.current(), started=1.0)
    change(path, "INSERT INTO writers VALUES (?, ?)", run, msgspec.json.encode(dead).decode())
    await write(store, "b", run=run)
    assert messages(store, run) == ["a", "b"]
    change(path, "INSERT INTO writers VALUES (?, 'damaged')", run)
    with pytest.raises(NotAStore, match=f"writer of run {run} is damaged"):
        await write(store, "c", run=run)
    with pytest.raises(NotAStore, match=f"run {run} is damaged"):
        store.runs()


def test_processes_that_write_different_runs_do_not_fail_each_other(path):
    """Four at once, from before there is a file: none is refused, nothing is lost, and readers see no gap."""
    with contextlib.ExitStack() as stack:
        writers = [stack.enter_context(process("hammer", str(path), "400")) for _ in range(4)]
        for writer in writers:
            begin(writer)
        while any(writer.poll() is None for writer in writers):
            assert_prefixes(Store(path))
        runs = [writer.stdout.read().strip() for writer in writers]
        assert [writer.returncode for writer in writers] == [0, 0, 0, 0]
    assert sorted(summary.id for summary in Store(path).runs()) == sorted(runs)
    assert [len(set(messages(Store(path), run))) for run in runs] == [400] * 4
    assert rows(path, "PRAGMA integrity_check") == [("ok",)]
    assert_closed(path)


def assert_prefixes(store: Store) -> None:
    for summary in store.runs():
        sequences = [recorded.sequence for recorded in store.events(summary.id)]
        assert sequences == list(range(1, len(sequences) + 1))
        assert len(sequences) >= summary.events


def test_a_reader_never_waits_for_a_writer(path):
    run = write_now(path, "a")
    with raw(path) as connection:
        connection.execute("BEGIN IMMEDIATE")
        connection.execute("INSERT INTO events VALUES (?, 2, '2026-01-01T00:00:00+00:00', 'warned.1', '{}')", (run,))
        assert messages(Store(path), run) == ["a"]
        assert [summary.events for summary in Store(path).runs()] == [1]
        connection.execute("ROLLBACK")


@pytest.mark.anyio
async def test_the_event_loop_never_waits_for_the_disk(path):
    """While another process holds the lock, the append waits and everything else goes on."""
    async with Store(path).record() as log:
        with raw(path) as connection:
            connection.execute("BEGIN IMMEDIATE")
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(log.append, Warned(message="a"))
                for _ in range(100):
                    await anyio.lowlevel.checkpoint()
                assert messages(Store(path), log.run) == []
                connection.execute("ROLLBACK")
    assert messages(Store(path), log.run) == ["a"]


# Killed at any moment


def test_sigkill_loses_nothing_that_was_acknowledged(tmp_path):
    """Fifty processes die: ten while they make a new store, forty while they write to one run, one after another."""
    seed = random.randrange(2**32)
    print("seed", seed)
    chance = random.Random(seed)
    with process("victims") as nursery:
        for number in range(10):
            victim = Victim(nursery, tmp_path / f"new-{number}")
            victim.kill(after=chance.randrange(2), pause=chance.random() / 100)
            victim.check({})
        path, known = tmp_path / "store", {}
        run = write_now(path, "before")
        for _ in range(40):
            victim = Victim(nursery, path, run)
            victim.kill(after=chance.randrange(60), pause=chance.random() / 200)
            known = victim.check(known)
    assert len(known) > 400, "there was hardly anything to lose"
    assert write_now(path, "after", run=run) == run
    assert max(recorded.sequence for recorded in Store(path).events(run)) > max(known)


class Victim:
    """A process that appends until it is killed, and says what was acknowledged."""

    def __init__(self, nursery: subprocess.Popen[str], path: Path, run: str = "") -> None:
        self.path = path
        self.nursery = nursery
        self.acknowledged: dict[int, str] = {}
        self.run = run
        nursery.stdin.write(f"{path} {run}\n")
        nursery.stdin.flush()
        self.pid = int(nursery.stdout.readline().split()[1])

    def kill(self, *, after: int, pause: float) -> None:
        while len(self.acknowledged) < after:
            self.listen()
        time.sleep(pause)  # not to wait for anything, but to die at any moment and not only after an answer
        os.kill(self.pid, signal.SIGKILL)
        while self.listen() != "dead":
            pass

    def listen(self) -> str:
        word, _, rest = self.nursery.stdout.readline().strip().partition(" ")
        if word == "run":
            self.run = rest
        elif word != "dead":
            self.acknowledged[int(word)] = rest
        return word

    def check(self, known: dict[int, str]) -> dict[int, str]:
        """Everything known or acknowledged is there, in full, without gaps; returns that."""
        store = Store(self.path)
        assert not [summary for summary in store.runs() if summary.alive]
        found = list(store.events(self.run))
        assert [recorded.sequence for recorded in found] == list(range(1, len(found) + 1))
        proposed = {line.sequence: line.event for line in found if isinstance(line.event, CandidateProposed)}
        for event in list(proposed.values())[-2 * TASKS :]:  # those that may have been on their way
            assert store.text(event.patch) == f"the patch of {event.candidate}"
        if self.path.exists():
            assert rows(self.path, "PRAGMA integrity_check") == [("ok",)]
        expected = known | self.acknowledged
        assert {sequence: proposed[sequence].candidate for sequence in expected} == expected
        return expected


# Places that cannot be written


def in_namespace(name: str, directory: Path) -> subprocess.CompletedProcess[str]:
    unshare = ["unshare", "-m"] if os.geteuid() == 0 else ["unshare", "-rm"]
    if subprocess.run([*unshare, "true"], capture_output=True, check=False).returncode:
        pytest.skip("a mount namespace is needed, and unshare is not allowed to make one here")
    command = [*unshare, sys.executable, "-W", "error", str(PROCESSES), name, str(directory)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("name", ["full_disk", "read_only"])
def test_a_place_that_cannot_be_written(tmp_path, name):
    """See the functions of these names in store_processes.py."""
    done = in_namespace(name, tmp_path)
    assert done.returncode == 0, done.stderr


@pytest.mark.anyio
async def test_what_is_made_is_private(path):
    await write(Store(path), "a")
    async with Store(path).record():
        assert {stat.S_IMODE(file.stat().st_mode) for file in path.parent.iterdir()} == {0o600}
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


@pytest.mark.anyio
async def test_readers_never_create_anything(path):
    store = Store(path)
    assert store.runs() == []
    assert list(store.events("01")) == []
    with pytest.raises(UnknownRun):
        store.resolve("01")
    path.parent.mkdir()
    assert store.runs() == []
    assert list(path.parent.iterdir()) == []


@pytest.mark.anyio
async def test_an_empty_file_is_a_new_store(path):
    path.parent.mkdir()
    path.touch()
    assert Store(path).runs() == []
    assert path.stat().st_size == 0
    run = await write(Store(path), "a")
    assert messages(Store(path), run) == ["a"]


def not_sqlite(path: Path) -> None:
    path.write_bytes(b"A diary of mine. " * 1000)


def truncated(path: Path) -> None:
    write_now(path, *("word" * 100 for _ in range(100)))
    os.truncate(path, path.stat().st_size // 2)


def scribbled(path: Path) -> None:
    write_now(path, *("word" * 100 for _ in range(100)))
    data = bytearray(path.read_bytes())
    data[4096:] = random.Random(0).randbytes(len(data) - 4096)
    path.write_bytes(data)


def foreign(path: Path) -> None:
    """With a write-ahead log, which a connection that may write would take into the file when it closes."""
    with raw(path) as connection, raw(path) as second:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("CREATE TABLE diary (entry TEXT)")
        second.execute("BEGIN")
        second.execute("SELECT * FROM diary").fetchall()
        for file in (path, beside(path, "-wal")):
            shutil.copy(file, file.with_name(f"copy-{file.name}"))
    for file in (path, beside(path, "-wal")):
        file.with_name(f"copy-{file.name}").rename(file)


def without_tables(path: Path) -> None:
    write_now(path, "a")
    with raw(path) as connection:
        connection.execute("DROP TABLE events")


def newer(path: Path) -> None:
    write_now(path, "a")
    with raw(path) as connection:
        connection.execute("PRAGMA user_version = 2")


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("spoil", "kind", "why"),
    [
        (not_sqlite, NotAStore, "not a database"),
        (truncated, NotAStore, "malformed"),
        (scribbled, NotAStore, "malformed"),
        (foreign, NotAStore, "another application"),
        (without_tables, NotAStore, "no such table"),
        (newer, StoreTooNew, "has format 2"),
    ],
)
async def test_a_file_that_cannot_be_used_is_left_as_it_is(path, spoil, kind, why):
    path.parent.mkdir()
    await anyio.to_thread.run_sync(spoil, path)
    before = contents(path.parent)
    with pytest.raises(kind, match=why):
        Store(path).runs()
    with pytest.raises(kind, match=why):
        list(Store(path).events("01"))
    with pytest.raises(kind, match=why):
        await write(Store(path), "a")
    assert contents(path.parent) == before


@pytest.mark.anyio
async def test_a_path_that_cannot_be_a_file(tmp_path):
    with pytest.raises(NotAStore, match="not a regular file"):
        Store(tmp_path).runs()
    with pytest.raises(NotAStore, match="not a regular file"):
        await write(Store(tmp_path), "a")
    os.mkfifo(tmp_path / "fifo")
    with pytest.raises(NotAStore, match="not a regular file"):
        await write(Store(tmp_path / "fifo"), "a")
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreUnwritable, match="Not a directory"):
        await write(Store(tmp_path / "file" / "store"), "a")
    with pytest.raises(StoreUnreadable, match="Not a directory"):
        Store(tmp_path / "file" / "store").runs()


@pytest.mark.anyio
async def test_a_store_may_be_reached_through_a_link_and_have_an_odd_name(tmp_path):
    target = tmp_path / "größer 100%?#&.sqlite"
    (tmp_path / "link").symlink_to(target)
    run = await write(Store(tmp_path / "link"), "a")
    assert messages(Store(target), run) == ["a"]


@pytest.mark.anyio
async def test_a_relative_path_is_where_it_was_when_the_store_was_made(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    store = Store(Path("store"))
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    await write(store, "a")
    assert (tmp_path / "store").exists()


@pytest.mark.anyio
async def test_a_python_with_an_old_sqlite_is_told_so(path, monkeypatch):
    monkeypatch.setattr(module, "_OLDEST_SQLITE", (99, 1))
    with pytest.raises(StoreUnreadable, match=f"SQLite {sqlite3.sqlite_version}, and 99.1 is needed"):
        await write(Store(path), "a")


# Damage, and files that vanish


@pytest.mark.anyio
@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE events SET body = '{' WHERE sequence = 2",
        "UPDATE events SET body = CAST(x'ff' AS TEXT) WHERE sequence = 2",
        "UPDATE events SET time = 'noon' WHERE sequence = 2",
    ],
)
async def test_a_damaged_event_is_named(path, statement):
    run = await write(Store(path), "a", "b")
    change(path, statement)
    reading = Store(path).events(run)
    assert next(reading).event == Warned(message="a")
    with pytest.raises(NotAStore, match=f"event 2 of run {run} is damaged"):
        next(reading)


@pytest.mark.anyio
@pytest.mark.parametrize("missing", [1, 2])
async def test_a_gap_is_not_passed_over(path, missing):
    run = await write(Store(path), "a", "b", "c")
    change(path, f"DELETE FROM events WHERE sequence = {missing}")
    with pytest.raises(NotAStore, match=f"events of run {run} are missing"):
        list(Store(path).events(run))


@pytest.mark.anyio
@pytest.mark.parametrize("lost", ["", "-wal"])
async def test_nothing_is_acknowledged_into_a_file_that_was_removed(path, lost):
    async def block() -> None:
        async with Store(path).record() as log:
            await log.append(Warned(message="a"))
            beside(path, lost).unlink()
            with pytest.raises(StoreUnwritable, match="removed, moved or replaced"):
                await log.append(Warned(message="b"))

    with pytest.raises(StoreUnwritable, match="removed, moved or replaced"):
        await block()


@pytest.mark.anyio
async def test_a_store_that_took_the_place_of_ours_is_left_alone(path):
    """SQLite removes the -wal by its name when it closes: that must not be the log of the other store."""
    moved, opened, ours_closed = path.parent / "moved", anyio.Event(), anyio.Event()

    async def write_the_other() -> None:
        async with Store(path).record() as log:
            await log.append(Warned(message="theirs"))
            opened.set()
            await ours_closed.wait()
            assert beside(path, "-wal").stat().st_size
            await log.append(Warned(message="still theirs"))
        assert messages(Store(path), log.run) == ["theirs", "still theirs"]

    async def write_ours(tasks: anyio.abc.TaskGroup) -> None:
        async with Store(path).record() as log:
            await log.append(Warned(message="ours"))
            moved.mkdir()
            for file in list(path.parent.glob("store.sqlite*")):
                file.rename(moved / file.name)
            tasks.start_soon(write_the_other)
            await opened.wait()
            with pytest.raises(StoreUnwritable, match="removed, moved or replaced"):
                await log.append(Warned(message="lost"))

    async with anyio.create_task_group() as tasks:
        with pytest.raises(StoreUnwritable, match="removed, moved or replaced"):
            await write_ours(tasks)
        ours_closed.set()
    (summary,) = Store(moved / path.name).runs()
    assert messages(Store(moved / path.name), summary.id)[0] == "ours"


# Old logs, and logs from the future


@pytest.fixture
def old_log(tmp_path: Path) -> Path:
    return Path(shutil.copy(DATA / "store-format-1.sqlite", tmp_path))


def test_an_old_log_is_read_and_folded(old_log):
    store = Store(old_log)
    run = Run.of(store.events(store.resolve("01")))
    first = datetime(2026, 1, 2, 3, 4, 6, 678901, tzinfo=UTC)
    patch, log = run.candidates["one"].proposed.patch, run.candidates["two"].judged.log
    assert store.text(patch) == "--- a\n+++ b\n" * 9
    assert store.text(log) == "AssertionError: \udcff"
    assert run == Run(
        id="01KDYAK3SE0000000000000000",
        state=State.DONE,
        started=first,
        last=first + timedelta(seconds=11),
        events=12,
        start=RunStarted(command="optimize", arguments=("a.py::f",), version="0.1.0", target="a.py::f", base="f" * 40),
        end=RunEnded(state=State.DONE, winner="one"),
        pool=PoolOpened(kind="worktree", asked=4, size=3),
        warnings=["one slot could not be created: größer"],
        candidates={
            "one": CandidateState(
                proposed=CandidateProposed(
                    candidate="one", name="hoist", source="rules", parents=("root",), patch=patch
                ),
                judged=CandidateJudged(candidate="one", verdict=Verdict.VERIFIED),
                measured=CandidateMeasured(
                    candidate="one", decision=Decision.FASTER, speedup=Speedup(estimate=1.5, low=1.25, high=1.75)
                ),
            ),
            "two": CandidateState(
                proposed=CandidateProposed(candidate="two", name="guess", source="models"),
                judged=CandidateJudged(
                    candidate="two", verdict=Verdict.WRONG, reason="f(3) differs", counterexample="f(3)", log=log
                ),
            ),
            "three": CandidateState(
                proposed=CandidateProposed(candidate="three", name="again", source="models"),
                judged=CandidateJudged(candidate="three", verdict=Verdict.DUPLICATE, duplicate_of="one"),
            ),
        },
    )


def test_an_event_from_the_future_is_kept_as_it_was_written(old_log):
    store = Store(old_log)
    (unknown,) = (line.event for line in store.events(store.resolve("01")) if isinstance(line.event, Unknown))
    assert unknown == Unknown(name="candidate-praised.7", body=b'{"candidate":"one","words":"well done"}')


def test_an_old_log_can_go_on(old_log):
    store = Store(old_log)
    run = write_now(old_log, "today", run=store.resolve("01"))
    assert [recorded.sequence for recorded in store.events(run, after=11)] == [12, 13]


def test_people_can_ask_the_file_themselves(old_log):
    query = """
        SELECT json_extract(events.body, '$.candidate'), texts.size FROM events
        JOIN texts ON texts.sha256 = json_extract(events.body, '$.patch.sha256')
    """
    assert rows(old_log, query) == [("one", 108)]
    assert {json.loads(body).get("candidate") for (body,) in rows(old_log, "SELECT body FROM events")} > {"one", "two"}
