"""`bakeoff matrix show`, `compare` and `export` on a real store, as programs run them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import anyio
import pytest

from bakeoff.cli import run as command
from bakeoff.store import Store
from report.experiments import LARGE, LOCAL, SMALL, pilot, recorded, rescored, stopped

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def records(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[str]]:
    """A store with two runs of one matrix and one that was stopped."""
    path = tmp_path_factory.mktemp("matrix") / "store.sqlite"

    async def record() -> list[str]:
        made = (pilot(count=6), pilot(count=6, seed=2), stopped(), rescored())
        return [await recorded(one, Store(path)) for one in made]

    return path, anyio.run(record)


@pytest.fixture
def say(records, capfd):
    """Runs a command with the store; gives what it printed."""

    def run(*arguments: str, status: int = 0) -> str:
        assert command([*arguments, "--store", str(records[0])]) == status
        return capfd.readouterr().out

    return run


@pytest.mark.promise("M10")
def test_show_prints_a_grid_of_any_two_axes(records, say):
    run = records[1][0]
    printed = say("matrix", "show", run, "--rows", "task", "--columns", "model", "--metric", "exact")
    assert [line.split()[0] for line in printed.splitlines() if line.startswith("t0")] == [
        f"t0{number}" for number in range(1, 7)
    ]
    document = json.loads(say("matrix", "show", run, "--json"))
    assert (document["matrix"], document["metric"], document["confidence"]) == ("pilot", "exact", 0.95)
    assert document["cells"]["planned"] == 60
    assert document["cells"]["done"] + document["cells"]["failed"] == 60
    (one,) = [one for one in document["grid"] if (one["row"], one["column"]) == (LARGE, "single")]
    assert one["answered"]["low"] <= one["answered"]["value"] <= one["answered"]["high"]


@pytest.mark.promise("M9")
def test_compare_takes_two_runs_or_two_points_of_one(records, say):
    first, second, *_ = records[1]
    document = json.loads(say("matrix", "compare", first, second, "--json"))
    assert (document["first"]["run"], document["second"]["run"]) == (first, second)
    assert document["whole"]["tasks"] == 6
    assert len(document["places"]) == 5
    points = (f"model={SMALL},strategy=single", f"model={LARGE},strategy=single")
    document = json.loads(say("matrix", "compare", first, *points, "--metric", "duration_ms", "--json"))
    assert (document["scale"], document["whole"]["change"]["count"]) == ("time", 6)
    assert document["whole"]["change"]["low"] > 1
    assert "model=openai:gpt-5-mini, strategy=single" in say("matrix", "compare", first, *points)


@pytest.mark.promise("M9")
def test_all_points_of_an_axis_are_compared_with_the_first(records, say):
    run = records[1][0]
    document = json.loads(say("matrix", "compare", run, "model", "--json"))
    sides = [(one["first"]["points"]["model"], one["second"]["points"]["model"]) for one in document["comparisons"]]
    assert sides == [(SMALL, LARGE), (SMALL, LOCAL)]
    pair = json.loads(say("matrix", "compare", run, f"model={SMALL}", f"model={LARGE}", "--json"))
    assert document["comparisons"][0] == pair
    printed = say("matrix", "compare", run, "model", "--metric", "cost")
    assert [line.split()[0] for line in printed.splitlines() if line.startswith("model=")] == [
        f"model={LARGE}",
        f"model={LOCAL}",
    ]
    assert "of twenty, one may miss the truth" in printed


@pytest.mark.promise("M10")
def test_export_writes_to_stdout_or_to_a_file(records, say, tmp_path):
    lines = say("matrix", "export", records[1][2]).splitlines()
    assert [json.loads(line)["status"] for line in lines] == ["done", "failed", *["cancelled"] * 4]
    for kind in ("csv", "jsonl", "parquet"):
        assert say("matrix", "export", records[1][2], "--format", kind, "-o", str(tmp_path / kind)) == ""
    assert (tmp_path / "csv").read_text().startswith("cell.model,cell.task,cell.repeat,status,duration_ms,")
    assert (tmp_path / "jsonl").read_text().splitlines() == lines
    assert (tmp_path / "parquet").read_bytes()[:4] == b"PAR1"
    say("matrix", "export", records[1][2], "-o", str(tmp_path / "named.csv"))
    assert (tmp_path / "named.csv").read_bytes() == (tmp_path / "csv").read_bytes()
    document = json.loads(say("matrix", "export", records[1][2], "--answers", "--json"))
    assert [one["answer"] for one in document["cells"]][:2] == ["42", None]


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        (("show", "{run}", "--rows", "modell"), "did you mean model?"),
        (("show", "{run}", "--metric", "exat"), "did you mean exact?"),
        (("compare", "{run}"), "name two runs"),
        (("compare", "{run}", "model=a", "{run}"), "name two runs"),
        (("compare", "{run}", f"model={SMALL}", "model=anthropic:claude-sonnet-4"), f"did you mean {LARGE}?"),
        (("export", "no-such.toml"), "name a run, or a matrix's file"),
    ],
)
def test_mistakes_are_usage_errors_with_a_hint(records, capfd, arguments, hint):
    given = [one.format(run=records[1][0]) for one in arguments]
    assert command(["matrix", *given, "--store", str(records[0])]) == 2
    assert hint in " ".join(capfd.readouterr().err.split())


def test_a_run_can_be_named_by_its_file(records, say, tmp_path):
    (tmp_path / "m.toml").write_text('name = "pilot"\n')
    assert json.loads(say("matrix", "show", str(tmp_path / "m.toml"), "--json"))["run"] == records[1][3]
    (tmp_path / "m.toml").write_text('name = "another"\n')
    say("matrix", "show", str(tmp_path / "m.toml"), status=2)
