"""`bakeoff sample` as a user runs it: processes that ask a provider on this machine, by the real client library."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path

import anyio
import pytest

from bakeoff.events import CallEnd, Run, State
from bakeoff.store import Store
from bakeoff.testing.provider import Asked, Fault, LoopbackProvider, Reply, Script, serving
from repositories import CLEAN, make_repository
from warm import bakeoff

BAKEOFF = [sys.executable, "-m", "bakeoff"]
MODEL = "openai:gpt-4o-mini"
CHECKS = """
from pathlib import Path

def even(answer):
    return int(answer) % 2 == 0 or f"{answer} is odd"

def nosy(answer):
    Path("WAS_HERE").write_text(answer)
    return True
"""


def environment(**variables: str) -> dict[str, str]:
    clean = {name: value for name, value in CLEAN.items() if not name.startswith(("BAKEOFF_", "OPENAI_"))}
    return clean | {"OPENAI_API_KEY": "the-key-of-a-test"} | variables


def sample(
    script: Script, *arguments: str, cwd: Path, status: int = 0, stdin: str = "", **variables: str
) -> tuple[subprocess.CompletedProcess[str], list[Asked]]:
    with serving(script) as provider:
        command = ("sample", "--model", MODEL, "--base-url", provider.url, *arguments)
        done = bakeoff(*command, cwd=cwd, env=environment(**variables), stdin=stdin)
        assert done.returncode == status, f"{done.returncode}\n{done.stdout}\n{done.stderr}"
        assert "the-key-of-a-test" not in done.stdout + done.stderr
        return done, list(provider.asked)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    checks = CHECKS.replace("WAS_HERE", str(tmp_path / "was-here"))
    return make_repository(tmp_path / "repository", {"checks.py": checks, "prompt.txt": "Name an even number.\n"})


@pytest.mark.promise("S1", "S8", "S9", "S11")
def test_the_answer_goes_to_stdout_and_all_of_it_into_the_store(repository: Path):
    told, asked = sample(
        ["3", "x", "4"],
        *("@prompt.txt", "--require", "checks.py:even", "--require", r"regex:^\d+$"),
        *("--loop-budget", "5", "--strategy", "repair", "--system", "Be brief.", "--seed", "7", "-v"),
        cwd=repository,
    )
    assert told.stdout == "4\n"
    assert [one.body["seed"] for one in asked] == [7, 8, 9]
    assert asked[0].body["messages"][0] == {"role": "system", "content": "Be brief."}
    assert asked[0].text == "Name an even number.\n"
    assert "- even: 3 is odd" in asked[1].text
    assert r"- a match of ^\d+$: there is none" in asked[2].text
    assert "- even: ValueError: invalid literal" in asked[2].text
    table = told.stderr[told.stderr.index("came to") :]
    assert "even: not met: 3 is odd" in table
    assert "$0.0000" in table, "the price is in the table that comes with genai-prices"
    store = Store(repository / ".git/bakeoff/store.sqlite")
    (summary,) = store.runs()
    state = Run.of(store.events(summary.id))
    assert (state.state, state.start.command if state.start else None) == (State.DONE, "sample")
    assert [one.began.parent for one in state.samples.values()] == [None, "1.1", "1.2"]
    assert state.chosen is not None
    assert (state.chosen.sample, state.chosen.is_valid) == ("1.3", True)
    assert state.sandbox is not None
    assert state.spent.calls == 3
    shown = bakeoff("show", summary.id, cwd=repository, env=environment()).stdout
    assert "sample 1.3 is valid, of 3 samples" in shown
    assert "Name an even number." in shown
    assert "the-key-of-a-test" not in store.path.read_bytes().decode("latin-1")


def test_json_is_one_document_with_all_samples_and_what_they_cost(repository: Path):
    told, _ = sample(
        ["3", "4"], "-", "--require", "checks:even", "--loop-budget", "2", "--json", cwd=repository, stdin="A number?"
    )
    found = json.loads(told.stdout)
    assert (found["success"], found["sample"], found["text"], found["state"]) == (True, "1.2", "4", "done")
    assert found["prompt"] == [{"role": "user", "content": "A number?"}]
    assert (found["generated"], found["completed"], found["cancelled"], found["failed"]) == (2, 2, 0, 0)
    first, second = found["samples"]
    assert (first["sample"], first["is_valid"], first["text"]) == ("1.1", False, "3")
    assert first["validations"][0]["reason"] == "3 is odd"
    assert (second["parent"], second["is_valid"]) == ("1.1", True)
    tokens = [one["spent"]["tokens_in"] + one["spent"]["tokens_out"] for one in found["samples"]]
    assert sum(tokens) == found["spent"]["tokens_in"] + found["spent"]["tokens_out"] > 0
    assert found["spent"]["cost"] == pytest.approx(sum(one["spent"]["cost"] for one in found["samples"]))
    assert found["run"] == Store(repository / ".git/bakeoff/store.sqlite").runs()[0].id


@pytest.mark.promise("S3", "S6")
def test_where_none_is_valid_stdout_stays_empty_and_the_status_says_so(repository: Path):
    told, asked = sample(
        ["[1]", '{"n": "one"}'],
        *("Say it.", "--require", "json", "--require", "schema:schema.json", "--loop-budget", "2"),
        cwd=_with(repository, {"schema.json": '{"type": "object", "properties": {"n": {"type": "integer"}}}'}),
        status=1,
    )
    assert told.stdout == ""
    assert "error: none of 2 samples is valid; 1.1 comes nearest: JSON that fits schema.json: [1] is not" in told.stderr
    assert "the nearest is this:\n[1]\n" in told.stderr
    assert len(asked) == 2


@pytest.mark.promise("S2")
def test_the_first_valid_one_ends_it_and_what_was_cancelled_is_paid_for(repository: Path):
    def script(asked: Asked) -> Reply:
        return Reply(text="good") if asked.index == 3 else Reply(text="half of it", fault=Fault.STALL)

    told, asked = sample(
        script, "Say it.", "--require", "regex:good", "--concurrency-budget", "4", "--json", cwd=repository
    )
    found = json.loads(told.stdout)
    assert len(asked) == 4
    assert (found["text"], found["generated"], found["completed"], found["cancelled"]) == ("good", 4, 1, 3)
    cut = [one for one in found["samples"] if one["end"] == "cancelled"]
    assert all(one["spent"]["is_estimate"] and one["spent"]["tokens_in"] for one in cut)
    assert found["spent"]["is_estimate"]


def test_a_vote_takes_what_most_of_them_mean(repository: Path):
    told, _ = sample(
        ['{"n": 1}', '{"n": 2}', '```\n{ "n": 2 }\n```'],
        *("Say it.", "--strategy", "majority", "--concurrency-budget", "3", "--provider-concurrency", "1", "-q"),
        cwd=repository,
    )
    assert told.stdout == '{"n": 2}\n'
    assert told.stderr == ""


@pytest.mark.promise("X15", "S9")
def test_functions_run_in_a_sandbox_and_judges_are_asked(repository: Path):
    """The same model judges: it says no to its first answer, and yes to the second."""
    script = ["first", "no, it is not polite", "second", "yes"]
    told, asked = sample(
        script,
        "Say it.",
        "--require",
        "ask:Is it polite?",
        "--loop-budget",
        "2",
        "--strategy",
        "multi-turn",
        cwd=repository,
    )
    assert told.stdout == "second\n"
    assert "The question: Is it polite?" in asked[1].text
    assert "- Is it polite?: it is not polite" in asked[2].text
    told, _ = sample("4", "Say it.", "--require", "checks.py:nosy", cwd=repository, status=1)
    assert "nosy: " in told.stderr
    assert not (repository.parent / "was-here").exists()


# -- what goes wrong ---------------------------------------------------------------------------------------------------


def _with(folder: Path, files: dict[str, str]) -> Path:
    for name, content in files.items():
        (folder / name).write_text(content)
    return folder


def test_a_provider_that_refuses_is_status_four_and_recorded(repository: Path):
    told, _ = sample(
        Reply(status=400, text="no such model here"),
        *("Say it.", "--concurrency-budget", "2", "--json"),
        cwd=repository,
        status=4,
    )
    assert "error: openai:gpt-4o-mini refused the call (status 400): no such model here" in told.stderr
    assert "Traceback" not in told.stderr
    found = json.loads(told.stdout)
    assert (found["success"], found["state"], found["failed"], found["text"]) == (False, "failed", 2, None)
    assert "no such model here" in found["error"]


@pytest.mark.parametrize(
    ("budget", "what"), [(("--max-cost", "0.0000001"), "cost"), (("--max-tokens", "20"), "tokens")], ids=str
)
def test_a_budget_holds_before_a_call_is_made(repository: Path, budget: tuple[str, ...], what: str):
    told, asked = sample("x", "Say it.", *budget, "--answer-tokens", "50", cwd=repository, status=4)
    assert asked == []
    assert f"error: the budget for {what} is spent" in told.stderr


def test_outside_of_a_repository_it_needs_a_store_and_says_so(tmp_path: Path):
    told, asked = sample("x", "Say it.", cwd=tmp_path, status=3)
    assert "is not inside a git repository" in told.stderr
    assert "--store" in told.stderr
    assert asked == []
    told, asked = sample("x", "Say it.", "--store", "here.sqlite", "-q", cwd=tmp_path)
    assert (told.stdout, len(asked)) == ("x\n", 1)
    assert len(Store(tmp_path / "here.sqlite").runs()) == 1


WRONG = [
    (("--model", "opnai:gpt-5", "x"), "there is no model 'opnai:gpt-5'", "did you mean openai:gpt-5?"),
    (("--model", "gpt-5", "x"), "there is no model 'gpt-5'", "provider:model"),
    (("x",), "no model is named", "--model openai:gpt-5"),
    (("--model", "openai:a", "--model", "openai:b", "x"), "several models are named", "name one"),
    (("--model", MODEL, "x", "--loop-budget", "0"), "loop_budget must be a whole number from 1 up, not 0", ""),
    (("--model", MODEL, "x", "--concurrency-budget", "-1"), "concurrency_budget must be a whole number", ""),
    (("--model", MODEL, "x", "--max-cost", "0"), "--max-cost = 0.0 is no budget", ""),
    (("--model", MODEL, "x", "--max-tokens", "-5"), "--max-tokens = -5 is no budget", ""),
    (("--model", MODEL, "x", "--answer-tokens", "0"), "--answer-tokens = 0 leaves no room", ""),
    (("--model", MODEL, "x", "--max-time", "soon"), "a time is wanted", ""),
    (
        ("--model", MODEL, "x", "--provider-concurrency", "opnai=2"),
        "there is no provider 'opnai'",
        "did you mean openai?",
    ),
    (("--model", MODEL, "x", "--strategy", "repare"), "repare", ""),
    (("--model", MODEL, "x", "--base-url", "localhost:80"), "must be an address like http://", ""),
    (("--model", MODEL, "  "), "the prompt is empty", ""),
    (("--model", MODEL, "@nowhere.txt"), "nowhere.txt cannot be read: No such file", "@@"),
    (("--model", MODEL, "x", "--require", "regex:("), "'(' is no pattern", ""),
    (("--model", MODEL, "x", "--require", "schma:s.json"), "--require 'schma:s.json'", "did you mean schema?"),
    (("--model", MODEL, "x", "--require", "schema:nowhere.json"), "nowhere.json cannot be read", ""),
    (("--model", MODEL, "x", "--require", "schema:prompt.txt"), "prompt.txt is no JSON schema", ""),
    (("--model", MODEL, "x", "--require", "nonsense"), "--require 'nonsense' is no requirement", "module:function"),
    (("--model", MODEL, "x", "--require", "checks.py:evn"), "there is no function 'evn'; it has even, nosy", ""),
    (("--model", MODEL, "x", "--require", "chekcs:even"), "No module named 'chekcs'", ""),
    (("--model", MODEL, "x", "--require", "prompt.txt:even"), "--require 'prompt.txt:even'", ""),
]


def test_what_cannot_be_used_is_told_before_anything_is_asked(repository: Path):
    """All in one process, as what the command imports takes seconds; none comes as far as a call or a run."""
    program = (
        "import sys, json\nfrom bakeoff.cli import run\n"
        "for arguments in json.load(sys.stdin):\n"
        "    status = run(['sample', *arguments])\n"
        "    print('\\x1e', status, file=sys.stderr)\n"
    )
    asked = json.dumps([arguments for arguments, _, _ in WRONG])
    done = bakeoff(cwd=repository, env=environment(), stdin=asked, program=program)
    assert done.returncode == 0, done.stderr
    assert done.stdout == ""
    said = done.stderr.split("\x1e")
    assert len(said) == len(WRONG) + 1
    for text, following, (arguments, error, hint) in zip(said, said[1:], WRONG, strict=False):
        assert error in text, (arguments, text)
        assert hint in text, (arguments, text)
        assert following.split()[0] == "2", arguments
        assert "Traceback" not in text
    assert not (repository / ".git/bakeoff/store.sqlite").exists()


@pytest.mark.promise("F8", "M8", "S11")
def test_ctrl_c_records_what_was_spent_and_leaves_no_request_open(repository: Path):
    def script(asked: Asked) -> Reply:
        return Reply(text="no") if asked.index == 0 else Reply(text="half of it", fault=Fault.STALL)

    async def main() -> None:
        async with LoopbackProvider(script) as provider:
            command = ["Say it.", "--model", MODEL, "--base-url", provider.url, "--require", "json"]
            process = await anyio.open_process(
                [*BAKEOFF, "sample", *command, "--concurrency-budget", "2", "--loop-budget", "2"],
                cwd=repository,
                env=environment(),
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
            )
            async with process:
                with anyio.fail_after(100):
                    await provider.until(lambda it: len(it.asked) == 3 and it.open == 2)
                    process.send_signal(signal.SIGINT)
                    assert process.stdout is not None
                    printed = b"".join([part async for part in process.stdout])
                    assert await process.wait() == 130
                    await provider.until(lambda it: it.open == 0)
            assert printed == b""

    anyio.run(main)
    store = Store(repository / ".git/bakeoff/store.sqlite")
    (summary,) = store.runs()
    assert summary.state is State.INTERRUPTED
    state = Run.of(store.events(summary.id))
    assert state.spent.open == {}
    ends = [one.ended.end for one in state.attempts.values() if one.ended is not None]
    assert sorted(ends) == [CallEnd.CANCELLED, CallEnd.CANCELLED, CallEnd.DONE]
    assert state.spent.tokens_in > 0
    assert all(one.ended is not None for one in state.samples.values())
