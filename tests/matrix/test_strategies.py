"""Strategies, in whole runs, on a provider of this machine."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from bakeoff.events import CellStatus, Run
from bakeoff.store import Store
from bakeoff.testing.provider import LoopbackProvider, Reply
from jobs.contests import FILES
from matrix.matrices import ended, matrix, ran, served
from repositories import make_repository

pytestmark = [pytest.mark.anyio, pytest.mark.filterwarnings("ignore:Async generator:ResourceWarning")]

OWN = """
import time
from bakeoff.matrix import Answered

async def twice(case):
    first = await case.model.complete(case.messages, max_tokens=5)
    second = await case.others["anthropic:m"].complete(first.text, max_tokens=5)
    return Answered(text=f"{first.text}{second.text}", metrics={"asked": 2})

def shout(case):
    return f"{case.task.prompt}{case.values['mark']}"

def broken(case):
    raise LookupError("nothing there")

def nothing(case):
    return None

def slow(case):
    time.sleep(1.5)
"""

JAILED = """
def jailed(prompt, task):
    return f"{prompt} of {task['name']}"
"""


async def tried(folder: Path, *providers: LoopbackProvider, strategy: list[Any], **said: Any) -> tuple[Run, list[str]]:
    """What is recorded, and the answers."""
    (folder / "own.py").write_text(OWN)
    (folder / "apart.py").write_text(JAILED)
    names = dict(zip(("openai", "anthropic"), providers, strict=False))
    axes = {"model": ["openai:m"], "strategy": strategy} | said.pop("axes", {})
    tasks = said.pop("tasks", ["q"])
    found = await ran(matrix(served(**names), tasks, folder=folder, axes=axes, scorers={}, **said), folder)
    store = Store(folder / "store.sqlite")
    return found, ["" if one.answer is None else store.text(one.answer) for one in ended(found)]


async def test_best_of_many_is_the_one_that_most_agree_with_and_all_are_asked(tmp_path: Path) -> None:
    async with LoopbackProvider(lambda asked: "abab b"[asked.body["seed"]] or "x") as provider:
        found, answers = await tried(tmp_path, provider, strategy=["best-of-4"], settings={"seed": 0})
        assert len(provider.asked) == 4
        assert sorted(one.body["seed"] for one in provider.asked) == [0, 1, 2, 3]
    (row,) = ended(found)
    assert (answers, row.metrics, len(row.calls), row.attempts) == (["a"], {"samples": 4.0}, 4, 4)
    assert not found.samples, "samples of cells are no samples of the run"


async def test_best_of_many_is_one_that_meets_what_is_required(tmp_path: Path) -> None:
    async with LoopbackProvider(lambda asked: "xx7x"[asked.body["seed"]]) as provider:
        strategy = [{"kind": "best-of", "samples": 4, "require": [r"regex:^\d$"]}]
        found, answers = await tried(tmp_path, provider, strategy=strategy, settings={"seed": 0})
    assert answers == ["7"]
    assert ended(found)[0].metrics == {"valid": 1.0, "samples": 4.0}


async def test_repair_and_conversation_go_on_until_the_answer_is_valid(tmp_path: Path) -> None:
    def answer(asked) -> str:
        return "7" if "There is none" in str(asked.body) or "there is none" in str(asked.body) else "seven"

    async with LoopbackProvider(answer) as provider:
        strategy = ["repair-3", "multi-turn-2", "rejection-2"]
        found, answers = await tried(tmp_path, provider, strategy=strategy, require=[r"regex:^\d$"])
    assert answers == ["7", "7", "seven"]
    assert [one.metrics["valid"] for one in ended(found)] == [1.0, 1.0, 0.0]
    assert [one.attempts for one in ended(found)] == [2, 2, 2]


async def test_majority_ends_when_one_answer_has_won(tmp_path: Path) -> None:
    async with LoopbackProvider("a") as provider:
        found, answers = await tried(tmp_path, provider, strategy=["majority-9"])
    assert answers == ["a"]
    assert 5 <= len(ended(found)[0].calls) <= 9


@pytest.mark.promise("M8")
async def test_a_budget_that_ends_amid_samples_leaves_no_answer_of_fewer(tmp_path: Path) -> None:
    async with LoopbackProvider("a") as provider:
        # What a call may take is set aside, so after five of them, which take 2 each, there is no room for another.
        how: dict[str, Any] = {"settings": {"max_tokens": 30}, "max_tokens": 40}
        found, _ = await tried(tmp_path, provider, strategy=["best-of-4"], tasks=["q", "r"], **how)
        assert found.matrix.stopped is not None
        assert len(provider.asked) == 5
        assert None in [one.status for one in found.matrix.current]
        assert {one.metrics["samples"] for one in ended(found) if one.status is CellStatus.DONE} <= {4.0}
        how["max_tokens"] = 1_000_000
        found, answers = await tried(tmp_path, provider, strategy=["best-of-4"], tasks=["q", "r"], **how)
    assert (answers, [one.metrics["samples"] for one in ended(found)]) == (["a", "a"], [4.0, 4.0])


async def test_functions_of_the_users_own_answer_on_the_loop_in_threads_and_in_workers(tmp_path: Path) -> None:
    strategy = [
        {"kind": "function", "function": "own.py:twice", "models": ["anthropic:m"]},
        "own.py:shout",
        {"kind": "function", "function": "apart.py:jailed", "runs_in": "worker"},
    ]
    async with LoopbackProvider("1") as one, LoopbackProvider("2") as other:
        found, answers = await tried(tmp_path, one, other, strategy=strategy, axes={"mark": ["!"]})
    rows = ended(found)
    assert answers == ["12", "q!", "q of t1"]
    assert rows[0].providers == ("openai", "anthropic")
    assert (rows[0].attempts, rows[0].metrics) == (2, {"asked": 2.0})
    assert all(row.duration_ms for row in rows), "the time of its calls, or else its own"
    assert [row.attempts for row in rows[1:]] == [0, 0]


@pytest.mark.promise("M4")
async def test_what_a_function_does_wrong_is_the_error_of_its_cell(tmp_path: Path) -> None:
    slow = {"kind": "function", "function": "own.py:slow", "timeout": 0.1}
    found, _ = await tried(tmp_path, strategy=["own.py:broken", "own.py:nothing", slow], axes={"model": ["ollama:m"]})
    assert {one.status for one in ended(found)} == {CellStatus.FAILED}
    errors = [one.error or "" for one in ended(found)]
    assert errors[0] == "LookupError: nothing there"
    assert "gave None, where a text or an Answered is wanted" in errors[1]
    assert "own.py:slow took longer than 0.1 s" in errors[2]
    assert [one.kind for one in ended(found)] == ["LookupError", "TypeError", "TimeoutError"]


async def test_a_task_is_asked_as_its_template_says(tmp_path: Path) -> None:
    async with LoopbackProvider(lambda asked: Reply(text="x")) as provider:
        await tried(
            tmp_path,
            provider,
            strategy=["single"],
            settings={"template": "{prompt} ({style})", "system": "Be brief.", "temperature": 0.5, "stop": ["\n"]},
            axes={"style": ["short"]},
        )
        (asked,) = provider.asked
    assert [one["content"] for one in asked.body["messages"]] == ["Be brief.", "q (short)"]
    assert (asked.body["temperature"], asked.body["stop"]) == (0.5, ["\n"])


@pytest.mark.soak
@pytest.mark.parametrize("anyio_backend", ["asyncio"])
async def test_a_whole_optimization_is_an_answer(tmp_path: Path) -> None:
    make_repository(tmp_path / "repo", FILES)
    answer = "```python\ndef unique(items):\n    return list(dict.fromkeys(items))\n```"
    async with LoopbackProvider(answer) as provider:
        strategy = [{"kind": "optimize", "repo": "repo", "candidates": 2, "budget": 30, "timing": 0.5, "name": "fast"}]
        await tried(tmp_path, provider, strategy=strategy, tasks=["pkg/lists.py::unique"])
        assert provider.asked
    store = Store(tmp_path / "store.sqlite")
    runs = {run.start.command: run.id for run in store.runs() if run.start is not None}
    assert set(runs) == {"optimize", "matrix"}
    found = Run.of(store.events(runs["matrix"]))
    (row,) = ended(found)
    assert row.status is CellStatus.DONE, row.error
    assert row.answer is not None
    assert "+    return list(dict.fromkeys(items))" in store.text(row.answer)
    assert row.metrics["speedup"] > 1.5
    assert row.attempts == len(provider.asked)
