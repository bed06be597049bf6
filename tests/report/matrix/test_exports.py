from __future__ import annotations

import csv
import io
import json
import sys

import pyarrow.parquet
import pytest

from bakeoff.errors import ParquetMissing
from bakeoff.report.matrix.documents import grid_document
from bakeoff.report.matrix.exports import export
from bakeoff.report.matrix.grids import grid
from bakeoff.report.matrix.readings import Table
from bakeoff.testing.provider import LoopbackProvider, Reply
from matrix.matrices import matrix, ran, served
from report.experiments import Experiment, pilot, stopped
from report.kitchen import HOSTILE

LINE = (
    '{"cell": {"model": "openai:m", "strategy": "single", "task": "t1", "repeat": 0}, "status": "done",'
    '"duration_ms": 812.4, "queue_ms": 3.1, "backoff_ms": 0.0, "attempts": 1, "tokens_in": 120, "tokens_out": 44,'
    '"cost": 0.0011, "metrics": {"exact": 1.0}, "error": null}'
)
KEYS = [*json.loads(LINE)]


def cells(made: Experiment, **more) -> list[dict]:
    return [json.loads(line) for line in export(made.run, "jsonl", **more).splitlines()]


def test_a_cell_is_a_line_of_json_as_promised():
    made = Experiment({"model": ("openai:m",), "strategy": ("single",), "task": ("t1",)})
    made.done(
        *("openai:m", "single", "t1", "0"),
        duration_ms=812.4,
        queue_ms=3.1,
        backoff_ms=0.0,
        cost=0.0011,
        exact=1.0,
    )
    assert cells(made) == [json.loads(LINE)]
    assert [*cells(made)[0]] == KEYS


@pytest.mark.promise("M4", "M10")
def test_every_cell_of_the_definition_is_a_line_whatever_came_of_it():
    found = cells(stopped())
    assert [one["status"] for one in found] == ["done", "failed", "cancelled", "cancelled", "cancelled", "cancelled"]
    assert all([*one] == KEYS for one in found)
    assert [one["error"] for one in found] == [None, "it broke", None, None, None, None]
    assert [one["attempts"] for one in found] == [1, 1, 0, 1, 0, 0]
    assert [one["duration_ms"] for one in found] == [800.0, *[None] * 5]


def test_a_cached_answer_has_no_duration():
    made = Experiment({"model": ("a",), "task": ("t1",)}).done("a", "t1", "0", is_cached=True, duration_ms=0.1)
    assert cells(made)[0]["duration_ms"] is None


@pytest.mark.promise("M10")
def test_tables_say_the_same_as_lines():
    made = pilot()
    lines = cells(made)
    rows = list(csv.DictReader(io.StringIO(export(made.run, "csv").decode())))
    table = pyarrow.parquet.read_table(io.BytesIO(export(made.run, "parquet")))
    assert len(lines) == len(rows) == table.num_rows == 120
    assert list(rows[0]) == table.column_names
    assert str(table.schema.field("duration_ms").type) == "double"
    assert str(table.schema.field("attempts").type) == "int64"
    for line, row, other in zip(lines, rows, table.to_pylist(), strict=True):
        flat = {f"cell.{axis}": point for axis, point in line.pop("cell").items()}
        flat |= {f"metrics.{name}": value for name, value in line.pop("metrics").items()} | line
        assert {name: value for name, value in other.items() if value is not None} == {
            name: value for name, value in flat.items() if value is not None
        }
        assert {name: value for name, value in row.items() if value} == {
            name: str(value) for name, value in flat.items() if value is not None
        }


def test_answers_are_there_on_demand():
    made = Experiment({"model": ("a",), "task": ("t1", "t2")}).done("a", "t1", "0", answer='forty\n"two", or so')
    assert [one["answer"] for one in cells(made, text=made.text)] == ['forty\n"two", or so', None]
    (row, other) = csv.DictReader(io.StringIO(export(made.run, "csv", text=made.text).decode()))
    assert (row["answer"], other["answer"]) == ('forty\n"two", or so', "")


@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet"])
def test_whatever_names_are_it_can_be_written(kind):
    made = Experiment({HOSTILE: (HOSTILE,), "task": (HOSTILE,)}, scorers=(HOSTILE,))
    made.done(HOSTILE, HOSTILE, "0", metrics={HOSTILE: 1.0}, answer=HOSTILE + "\udcff")
    assert export(made.run, kind, text=made.text)


def test_without_pyarrow_parquet_says_what_brings_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ParquetMissing) as told:
        export(stopped().run, "parquet")
    assert "bakeoff[parquet]" in (told.value.hint or "")
    assert export(stopped().run, "csv")


def _answer(asked):
    """Decided by what is asked, but for how long it takes."""
    number = int(asked.text)
    if number % 5 == 4:
        return Reply(status=400, text="too hard")
    return Reply(text=str(number if number % 3 else -1), latency=0.003 * (asked.index % 4))


@pytest.mark.anyio
@pytest.mark.promise("M4", "M6")
@pytest.mark.filterwarnings("ignore:Async generator:ResourceWarning")
async def test_results_are_the_same_one_after_another_and_many_at_once(tmp_path):
    """Two runs of one matrix on a real provider: the same rows in the same order, but for what takes time."""
    found = []
    for concurrency in (1, 12):
        folder = tmp_path / str(concurrency)
        folder.mkdir()
        async with LoopbackProvider(_answer) as provider:
            providers = served(openai=provider)
            providers["openai"] |= {"concurrency": concurrency, "attempts": 1}
            run = await ran(matrix(providers, 15, repeats=2), folder)
            assert (provider.peak > 1) is (concurrency > 1)
        rows = [json.loads(line) for line in export(run, "jsonl").splitlines()]
        timed = {"duration_ms", "queue_ms", "backoff_ms"}
        table = Table.of(run)
        grids = grid_document(run, table, grid(table, rows="task", columns="model", metric="exact"))["grid"]
        found.append(([{k: v for k, v in row.items() if k not in timed} for row in rows], grids))
    assert found[0] == found[1]
    statuses = [row["status"] for row in found[0][0]]
    assert (statuses.count("failed"), len(statuses)) == (6, 30)
    assert all("too hard" in row["error"] for row in found[0][0] if row["status"] == "failed")
