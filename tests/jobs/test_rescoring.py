"""Answers of a real run scored anew; the provider counts what is asked of it."""

from __future__ import annotations

import json
from pathlib import Path

import anyio
import pytest

from bakeoff.cli import run as command
from bakeoff.errors import DefinitionWrong, KeyMissing, UsageError
from bakeoff.events import Better, CellScored, Run, State
from bakeoff.jobs.rescoring import Rescored, Wanted, rescore, scorers_from
from bakeoff.report.matrix.grids import grid
from bakeoff.report.matrix.readings import Table
from bakeoff.store import Store
from bakeoff.testing.provider import LoopbackProvider, Reply
from bakeoff.workers import WorkerConfig
from matrix.matrices import KEYS, matrix, newest_run, ran, served

pytestmark = [pytest.mark.filterwarnings("ignore:Async generator:ResourceWarning")]


def echo(asked):
    return Reply(text=f"It is {asked.text}.")


async def again(run: Run, folder: Path, text: str, **how) -> Rescored:
    store = Store(folder / "store.sqlite")
    (folder / "scorers.toml").write_text(text, encoding="utf-8")
    definition = scorers_from(folder / "scorers.toml", run, store)
    return await rescore(Wanted(run=run.id, definition=definition, **how), store=store, environment=KEYS)


def scores(run: Run) -> list[dict[str, float]]:
    return [dict(state.scores.metrics) for state in run.matrix.current if state.scores is not None]


NUMERIC = '[scorers]\nnear = { kind = "numeric" }\n'


@pytest.mark.anyio
@pytest.mark.promise("M9")
async def test_answers_are_scored_anew_without_being_asked_for_again(tmp_path: Path):
    async with LoopbackProvider(echo) as provider:
        before = await ran(matrix(served(openai=provider), 3, repeats=2), tmp_path)
        asked = len(provider.asked)
        found = await again(before, tmp_path, NUMERIC)
        assert (found, len(provider.asked)) == (Rescored(scored=6, same=0, unknown=0), asked)
    after = newest_run(tmp_path)
    assert (scores(before), scores(after)) == ([{"exact": 0.0}] * 6, [{"near": 1.0}] * 6)
    assert (after.id, after.state, after.spent.calls) == (before.id, State.DONE, before.spent.calls)
    assert [state.ended for state in after.matrix.current] == [state.ended for state in before.matrix.current]
    table = Table.of(after)
    assert table.scored == ("near",)
    assert grid(table, rows="model", metric="near").summaries["openai:m", "near"].answered.value == 1.0


@pytest.mark.anyio
async def test_scores_that_are_there_are_not_given_again_and_a_scoring_that_was_cut_short_goes_on(tmp_path: Path):
    async with LoopbackProvider(echo) as provider:
        run = await ran(matrix(served(openai=provider), 4), tmp_path)
    store = Store(tmp_path / "store.sqlite")
    definition = scorers_from(_file(tmp_path, NUMERIC), run, store)
    with anyio.CancelScope() as scope:
        seen: list[CellScored] = []

        def stop(recorded):
            seen.extend([recorded.event] if isinstance(recorded.event, CellScored) else [])
            if len(seen) == 2:
                scope.cancel()

        await rescore(Wanted(run=run.id, definition=definition), store=store, environment=KEYS, watch=stop)
    known = sum(state.scored is not None for state in newest_run(tmp_path).matrix.current)
    assert 2 <= known <= 4
    found = await again(run, tmp_path, NUMERIC)
    assert (found.scored, found.same) == (4 - known, known)
    assert scores(newest_run(tmp_path)) == [{"near": 1.0}] * 4
    assert await again(run, tmp_path, NUMERIC) == Rescored(scored=0, same=4, unknown=0)


def _file(folder: Path, text: str) -> Path:
    (folder / "scorers.toml").write_text(text, encoding="utf-8")
    return folder / "scorers.toml"


@pytest.mark.anyio
async def test_scores_that_stay_can_be_said_to_be_better_where_they_are_lower(tmp_path: Path):
    async with LoopbackProvider(echo) as provider:
        run = await ran(matrix(served(openai=provider), 2), tmp_path)
    lower = '[scorers]\nnear = { kind = "numeric", better = "lower" }\n'
    found = {}
    for text in (NUMERIC, lower, lower):
        rescored = await again(newest_run(tmp_path), tmp_path, text)
        now = newest_run(tmp_path)
        found[rescored.scored, now.events] = Table.of(now).better["near"]
    assert [scored for scored, _ in found] == [2, 0], "what has been said is not said again"
    assert [*found.values()] == [Better.HIGHER, Better.LOWER]
    assert (now.state, now.matrix.scoring.scorers) == (run.state, ("near",))
    assert now.matrix.scoring.definition is not None


@pytest.mark.anyio
async def test_a_whole_matrix_says_what_its_tasks_expect_now(tmp_path: Path):
    async with LoopbackProvider(lambda asked: Reply(text=asked.text)) as provider:
        run = await ran(matrix(served(openai=provider), 3), tmp_path)
    tasks = [{"id": "t0", "prompt": "0", "expected": "0"}, {"id": "t1", "prompt": "1", "expected": "one"}]
    text = f"""
        name = "m"
        [axes]
        model = ["openai:m"]
        task = [{", ".join("{" + ", ".join(f'{k} = "{v}"' for k, v in one.items()) + "}" for one in tasks)}]
        [scorers]
        exact = {{ kind = "exact" }}
    """
    found = await again(run, tmp_path, text)
    assert (found.scored, found.unknown) == (2, 1)
    assert scores(newest_run(tmp_path)) == [{"exact": 1.0}, {"exact": 0.0}, {"exact": 1.0}]


@pytest.mark.anyio
async def test_judges_and_functions_score_too_and_what_judges_cost_is_recorded(tmp_path: Path):
    (tmp_path / "marks.py").write_text("def length(answer, task):\n    return {'letters': len(answer)}\n")
    async with LoopbackProvider(lambda asked: Reply(text="0.5" if "judge" in asked.text else asked.text)) as provider:
        judge = LoopbackProvider(lambda asked: Reply(text="0.5, as it is short"))
        async with judge:
            run = await ran(matrix(served(openai=provider), 2), tmp_path)
            asked = len(provider.asked)
            text = f"""
                [scorers]
                marks = {{ kind = "function", function = "marks.py:length" }}
                style = {{ kind = "judge", model = "anthropic:j", question = "Is it short?" }}
                [providers.anthropic]
                base_url = "{judge.url}"
            """
            found = await again(run, tmp_path, text, config=WorkerConfig(sandbox="off"))
            assert (found.scored, len(provider.asked), len(judge.asked)) == (2, asked, 2)
    after = newest_run(tmp_path)
    assert scores(after) == [{"marks.letters": 1.0, "style": 0.5}] * 2
    assert after.spent.calls == run.spent.calls + 2
    assert {one.began.cell for one in after.attempts.values()} == set(after.matrix.cells)


@pytest.mark.anyio
async def test_what_a_strategy_said_of_its_answer_stays(tmp_path: Path):
    async with LoopbackProvider(echo) as provider:
        axes = {"strategy": ["single", "best-of-2"]}
        run = await ran(matrix(served(openai=provider), 2, axes=axes), tmp_path)
        assert sorted({name for one in scores(run) for name in one}) == ["exact", "samples"]
    await again(run, tmp_path, NUMERIC)
    after = newest_run(tmp_path)
    assert scores(after) == [{"near": 1.0}, {"near": 1.0, "samples": 2.0}] * 2
    table = Table.of(after)
    assert (table.scored, table.metrics[:2]) == (("near",), ("near", "samples"))
    found = grid(table, rows="strategy", metric="samples").summaries["single", "samples"]
    assert (found.answered, found.intended, found.unscored) == (None, None, 0), "it was not to have this metric"


@pytest.mark.anyio
async def test_a_score_that_could_not_be_given_is_told_and_asked_for_again(tmp_path: Path):
    (tmp_path / "marks.py").write_text("def mark(answer, task):\n    raise ValueError('no mark')\n")
    text = '[scorers]\nmark = { kind = "function", function = "marks.py:mark" }\n'
    async with LoopbackProvider(echo) as provider:
        run = await ran(matrix(served(openai=provider), 1), tmp_path)
    for _ in range(2):
        assert (await again(run, tmp_path, text, config=WorkerConfig(sandbox="off"))).scored == 1
        (state,) = newest_run(tmp_path).matrix.current
        assert (dict(state.scores.metrics), [*state.scores.unscored]) == ({}, ["mark"])
        assert "no mark" in state.scores.unscored["mark"]


@pytest.mark.anyio
async def test_what_is_wrong_is_told_before_anything_is_recorded(tmp_path: Path):
    async with LoopbackProvider(echo) as provider:
        run = await ran(matrix(served(openai=provider), 1), tmp_path)
    with pytest.raises(DefinitionWrong, match="kind"):
        await again(run, tmp_path, '[scorers]\nnear = { kind = "nummeric" }\n')
    with pytest.raises(UsageError, match="has no scorers"):
        await again(run, tmp_path, "scorers = {}\n")
    judge = '[scorers]\nj = { kind = "judge", model = "anthropic:j", question = "?" }\n'
    store = Store(tmp_path / "store.sqlite")
    definition = scorers_from(_file(tmp_path, judge), run, store)
    with pytest.raises(KeyMissing):
        await rescore(Wanted(run=run.id, definition=definition), store=store, environment={})
    assert newest_run(tmp_path).events == run.events


@pytest.mark.promise("M10")
def test_from_the_command_line_to_a_report(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd) -> None:
    """A file with other scorers, then a grid, rows and a page, all of the same run; and `runs` and `show` know it."""
    folder = tmp_path

    async def run() -> Run:
        async with LoopbackProvider(echo) as provider:
            return await ran(matrix(served(openai=provider), 3, axes={"model": ["openai:a", "openai:b"]}), folder)

    made = anyio.run(run)
    monkeypatch.chdir(tmp_path)

    def say(*arguments: str) -> str:
        assert command([*arguments, "--store", str(tmp_path / "store.sqlite")]) == 0, capfd.readouterr().err
        return capfd.readouterr().out

    _file(tmp_path, NUMERIC)
    document = json.loads(say("matrix", "rescore", made.id, "--scorers", "scorers.toml", "--json"))
    assert [one["answered"]["value"] for one in document["grid"] if one["metric"] == "near"] == [1.0, 1.0]
    (line, *_) = say("matrix", "export", made.id).splitlines()
    assert json.loads(line)["metrics"] == {"near": 1.0}
    say("report", made.id, "-o", "report.html")
    assert "openai:a" in (tmp_path / "report.html").read_text()
    (row,) = json.loads(say("runs", "--json"))["runs"]
    assert (row["command"], row["target"], row["state"]) == ("matrix", "m", "done")
    shown = json.loads(say("show", made.id, "--json"))
    assert shown["matrix"]["cells"] == {"planned": 6, "done": 6, "failed": 0, "missing": 0, "former": 0}
    assert "near" in say("show", made.id)
    shown = json.loads(say("show", made.id, "model=openai:b,task=t2", "--json"))
    assert shown["cell"]["cell"] == {"model": "openai:b", "task": "t2", "strategy": "single", "repeat": 0}
    assert (shown["cell"]["answer"], shown["cell"]["metrics"]) == ("It is 2.", {"near": 1.0})
    assert [turn["content"] for turn in shown["conversations"][0]["messages"]] == ["2"]
    printed = say("show", made.id, shown["cell"]["id"])
    assert "model=openai:b, task=t2, strategy=single, repeat=0" in printed
    assert "It is 2." in printed
