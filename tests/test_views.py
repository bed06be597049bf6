"""The views say the same as the folds, of whatever log; asked as people do, through a connection that cannot write."""

from __future__ import annotations

import contextlib
import json
import sqlite3
from typing import TYPE_CHECKING

import anyio
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bakeoff.events import CellStatus, Run, RunStarted
from bakeoff.report.matrix.exports import cell_document
from bakeoff.store import Store
from bakeoff.views import VIEWS
from report.experiments import Experiment, pilot, recorded, rescored, stopped, tasks

if TYPE_CHECKING:
    from pathlib import Path

    from report.kitchen import Kitchen


def ask(path: Path, query: str, *values: object) -> list[sqlite3.Row]:
    with contextlib.closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)) as connection:
        connection.row_factory = sqlite3.Row
        return connection.execute(query, values).fetchall()


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> tuple[Store, list[str]]:
    store = Store(tmp_path_factory.mktemp("views") / "store.sqlite")

    async def record() -> list[str]:
        return [await recorded(one, store) for one in (pilot(count=4), stopped(), rescored())]

    return store, anyio.run(record)


@pytest.mark.promise("M10")
def test_cells_are_those_of_the_fold(store):
    for run in store[1]:
        rows = ask(store[0].path, "SELECT * FROM cells WHERE run = ?", run)
        check(rows, Run.of(store[0].events(run)))


def check(rows: list[sqlite3.Row], run: Run) -> None:
    matrix = run.matrix
    assert {row["cell"]: row["is_current"] for row in rows} == {
        **{state.planned.cell: 1 for state in matrix.current},
        **{state.planned.cell: 0 for state in matrix.former},
    }
    assert len({row["cell"] for row in rows}) == len(rows)
    for row in rows:
        state = matrix.cells[row["cell"]]
        wanted = cell_document(state)
        place = wanted.pop("cell")
        assert json.loads(row["coordinates"]) | {"repeat": row["repeat"]} == place
        assert (row["model"], row["task"]) == (place.get("model"), place.get("task"))
        assert json.loads(row["metrics"]) == wanted.pop("metrics")
        if state.ended is None:
            assert (row["status"], row["attempts"]) == (CellStatus.CANCELLED, None)
        else:
            assert {name: row[name] for name in wanted} == wanted


@pytest.mark.promise("M10")
def test_metrics_are_a_row_each_with_why_others_are_not_there(store):
    run = store[1][0]
    rows = ask(store[0].path, "SELECT * FROM metrics WHERE run = ?", run)
    states = Run.of(store[0].events(run)).matrix.current
    wanted = [
        (state.planned.cell, name, value, None)
        for state in states
        if state.status is CellStatus.DONE
        for name, value in state.ended.metrics.items()
    ] + [
        (state.planned.cell, name, None, why)
        for state in states
        if state.ended is not None
        for name, why in state.ended.unscored.items()
    ]
    assert sorted((row["cell"], row["metric"], row["value"], row["reason"]) for row in rows) == sorted(wanted)
    means = ask(
        store[0].path,
        "SELECT model, avg(value) FROM metrics WHERE run = ? AND metric = 'close' GROUP BY model ORDER BY model",
        store[1][2],
    )
    assert [tuple(row) for row in means] == [("a", 0.5), ("b", 1.0)]


@pytest.mark.promise("M10")
def test_calls_are_a_row_for_each_attempt(store):
    run = Run.of(store[0].events(store[1][0]))
    rows = ask(store[0].path, "SELECT * FROM calls WHERE run = ?", run.id)
    assert len(rows) == len(run.attempts)
    for row in rows:
        one = run.attempts[row["call"], row["attempt"]]
        assert (row["model"], row["cell"], row["purpose"]) == (one.began.model, one.began.cell, one.began.purpose)
        assert row["provider"] == one.began.model.partition(":")[0]
        names = ("end", "seconds", "tokens_in", "tokens_out", "cost", "queued", "backed_off", "error", "status")
        assert all(row[name] == getattr(one.ended, name) for name in names)
    joined = ask(store[0].path, "SELECT count(*) AS many FROM calls JOIN cells USING (run, cell) WHERE run = ?", run.id)
    assert joined[0]["many"] == len(rows)


STEPS = st.lists(
    st.tuples(
        st.sampled_from(["done", "failed", "cancelled", "score", "plan"]),
        st.sampled_from(["a", "b"]),
        st.sampled_from(tasks(2)),
    ),
    max_size=12,
)


@settings(max_examples=25)
@given(STEPS)
def test_whatever_happened_to_cells_views_and_folds_agree(tmp_path_factory, steps):
    """Tries of all kinds in any order, scores in between, and definitions that change what there is."""
    made = Experiment({"model": ("a", "b"), "task": tasks(2)})
    for number, (what, model, task) in enumerate(steps):
        place = (model, task, "0")
        if what == "plan":
            made.plan(repeats=1, scorers=(), name="other", left_out=[{"model": model}], digest=f"without {model}")
        elif what == "score":
            made.score(*place, close=number / 10)
        else:
            getattr(made, what)(*place, tries=number + 1, exact=float(number))
    store = Store(tmp_path_factory.mktemp("views") / "store.sqlite")
    run = anyio.run(recorded, made, store)
    check(ask(store.path, "SELECT * FROM cells"), Run.of(store.events(run)))


# ── Stores of other versions ─────────────────────────────────────────────────────────────────────────────────────────


def change(path: Path, *statements: str) -> None:
    with contextlib.closing(sqlite3.connect(path)) as connection:
        for statement in statements:
            connection.execute(statement)
        connection.commit()


def views(path: Path) -> dict[str, str]:
    return dict(map(tuple, ask(path, "SELECT name, sql FROM sqlite_master WHERE type = 'view'")))


async def write(store: Store) -> None:
    async with store.record() as log:
        await log.append(RunStarted(command="example", version="1"))


def record(kitchen: Kitchen, path: Path) -> Store:
    store = Store(path)
    anyio.run(recorded, kitchen, store)
    return store


def test_a_store_from_before_the_views_gets_them_when_it_is_written(tmp_path):
    store = record(stopped(), tmp_path / "store.sqlite")
    change(store.path, *(f"DROP VIEW {name}" for name in VIEWS))
    assert len(store.runs()) == 1
    assert views(store.path) == {}, "reading changes nothing"
    anyio.run(write, store)
    assert views(store.path).keys() == VIEWS.keys()
    assert len(ask(store.path, "SELECT * FROM cells")) == 6


def test_older_views_are_made_anew_and_newer_ones_and_those_of_others_stay(tmp_path):
    store = record(stopped(), tmp_path / "store.sqlite")
    mark = "-- a view of Bakeoff's, version"
    theirs = {
        "calls": f"CREATE VIEW calls AS {mark} 0\nSELECT 0",
        "cells": f"CREATE VIEW cells AS {mark} 99\nSELECT 99",
        "metrics": "CREATE VIEW metrics AS SELECT 'mine'",
    }
    change(store.path, *(f"DROP VIEW {name}" for name in VIEWS), *theirs.values())
    anyio.run(write, store)
    assert views(store.path) == theirs | {"calls": VIEWS["calls"]}


def test_opening_a_store_again_writes_no_views(tmp_path):
    store = record(stopped(), tmp_path / "store.sqlite")
    (before,) = ask(store.path, "PRAGMA schema_version")
    anyio.run(write, store)
    assert tuple(ask(store.path, "PRAGMA schema_version")[0]) == tuple(before)
