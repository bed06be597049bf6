"""`bakeoff optimize --source models` as a user runs it, with a provider on loopback that follows a script."""

from __future__ import annotations

import json
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

import warm
from bakeoff.events import Run
from bakeoff.models import Usage
from bakeoff.store import Store
from bakeoff.testing.provider import Asked, Fault, LoopbackProvider, Reply, serving
from jobs.contests import FILES, applies, patch
from repositories import CLEAN, make_repository

BAKEOFF = [sys.executable, "-m", "bakeoff"]
TARGET = "pkg/lists.py::unique"
KEY = "sk-a-key-that-nobody-may-see-0123456789"
MODEL = "openai:scripted"
IN, OUT = 3.0, 15.0  # dollars for a million tokens
SETTINGS = f'[prices."{MODEL}"]\ntokens_in = {IN}\ntokens_out = {OUT}\n\n[providers.openai]\nbackoff = 0.0\n'

FAST = "    found = dict.fromkeys(items)\n    return list(found)"
SLOW = """    found = []
    for item in items:
        if all(item != other for other in found):
            found.append(item)
    return found"""
WRONG = "    return sorted(set(items))"
ENDLESS = "    while True:\n        items = list(items)"
SECRETS = """    import os
    print(os.environ)
    print(os.environ.get("OPENAI_API_KEY"))
    return list(dict.fromkeys(items))"""


def function(text: str, parameter: str = "items") -> str:
    """As models answer: words, and the function in a fence."""
    return f"Here it is.\n\n```python\ndef unique({parameter}):\n{text}\n```\n\nIt should be faster."


DUPLICATE = function(
    "    # A dict keeps its order.\n    unique_items = dict.fromkeys(items)\n    return list(unique_items)"
)
UNREADABLE = function("    return list(dict.fromkeys(items)")
TESTS_EDITED = (
    "Tests are in the way:\n\n```diff\n" + patch({"tests/test_lists.py": "def test_some(): pass\n"}).decode() + "```\n"
)
EIGHT = {
    "fast": function(FAST),
    "slow": function(SLOW),
    "wrong": function(WRONG),
    "endless": function(ENDLESS),
    "secrets": function(SECRETS),
    "duplicate": DUPLICATE,
    "unreadable": UNREADABLE,
    "tests": TESTS_EDITED,
}
NO_MORE = "I have no better idea."


class Author:
    """Gives its eight answers to the first eight requests; whoever asks about one of them again gets another."""

    def __init__(self) -> None:
        self.fresh = list(EIGHT.values())
        self.usages: list[Usage] = []

    def __call__(self, asked: Asked) -> Reply:
        usage = Usage(tokens_in=1000 + asked.index, tokens_out=100 + asked.index)
        self.usages.append(usage)
        return Reply(text=self._text(asked), usage=usage)

    def _text(self, asked: Asked) -> str:
        if self.fresh:
            return self.fresh.pop(0)
        whole = json.dumps(asked.body)
        if "sorted(set(items))" in whole and "dict.fromkeys" not in whole:
            return function("    return [*dict.fromkeys(items)]")
        return NO_MORE


def environment(**variables: str) -> dict[str, str]:
    kept = {name: value for name, value in CLEAN.items() if not name.startswith("BAKEOFF_")}
    return kept | {"OPENAI_API_KEY": KEY} | variables


def bakeoff(*arguments: str, cwd: Path, status: int = 0) -> subprocess.CompletedProcess[str]:
    done = warm.bakeoff(*arguments, cwd=cwd, env=environment())
    assert done.returncode == status, f"{done.returncode}\n{done.stdout}\n{done.stderr}"
    return done


def asking(provider: LoopbackProvider, *more: str) -> tuple[str, ...]:
    model = ("--source", "models", "--model", MODEL, "--base-url", f"{provider.url}/v1")
    return ("optimize", TARGET, *model, "--timing", "0.6s", *more)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    return make_repository(tmp_path / "repository", {**FILES, "bakeoff.toml": SETTINGS})


def dollars(usages: list[Usage]) -> float:
    return sum(one.tokens_in * IN + one.tokens_out * OUT for one in usages) / 1e6


@pytest.mark.promise("E9", "E5", "M8")
def test_eight_answers_each_get_their_verdict_and_the_fast_one_wins(repository: Path) -> None:
    author = Author()
    with serving(author, key=KEY) as provider:
        done = bakeoff(
            *asking(
                provider,
                "--candidates",
                "8",
                "--fresh",
                "8",
                "--budget",
                "60s",
                "--report",
                "r.html",
                "--json",
                "--debug",
            ),
            cwd=repository,
        )
        assert provider.open == 0
        assert provider.peak <= 4, "the cap of a provider"
    found = json.loads(done.stdout)
    store = Store(repository / ".git/bakeoff/store.sqlite")
    run = Run.of(store.events(found["run"]))
    told = {one["id"]: one for one in found["candidates"]}
    answered = {
        name: told[candidate]
        for candidate, state in run.candidates.items()
        for name, answer in EIGHT.items()
        if state.proposed.log is not None and store.text(state.proposed.log) == answer
    }
    assert {name: one["verdict"] for name, one in answered.items()} == {
        "fast": "verified",
        "slow": "verified",
        "wrong": "wrong",
        "endless": "timed-out",
        "secrets": "wrong",
        "duplicate": "duplicate",
        "unreadable": "invalid",
        "tests": "invalid",
    }
    assert answered["slow"]["decision"] == "slower"
    assert answered["duplicate"]["duplicate_of"] == answered["fast"]["id"]
    assert "test" in answered["tests"]["reason"]
    # The wrong one is right on the second round.
    [repaired] = [one for one in told.values() if answered["wrong"]["id"] in one["parents"][:1]]
    assert repaired["verdict"] == "verified"
    # What there is nothing to be learned from is not asked about.
    parents = {parent for one in told.values() for parent in one["parents"]}
    assert not parents & {answered["duplicate"]["id"], answered["slow"]["id"], answered["fast"]["id"]}
    # The fast one wins.
    winner = next(one for one in found["candidates"] if one["name"] == found["winner"]["name"])
    assert "dict.fromkeys" in found["winner"]["diff"]
    assert winner["speedup"]["low"] > 1.5
    assert applies(repository, found["winner"]["diff"])
    # The cost is right to the token.
    assert found["spent"]["tokens_in"] == sum(one.tokens_in for one in author.usages)
    assert found["spent"]["tokens_out"] == sum(one.tokens_out for one in author.usages)
    assert found["spent"]["cost"] == pytest.approx(dollars(author.usages))
    assert found["spent"]["calls"] == len(author.usages)
    # The key is nowhere.
    for where in (done.stdout, done.stderr, (repository / "r.html").read_text(), _everything(store.path)):
        assert KEY not in where


def _everything(store: Path) -> str:
    with sqlite3.connect(store) as connection:
        return "\n".join(connection.iterdump()) + store.read_bytes().decode("latin-1")


# -- what goes wrong --------------------------------------------------------------------------------------------------


def test_what_is_wrong_with_a_model_is_said_before_anything_is_done(repository: Path) -> None:
    unknown = bakeoff("optimize", TARGET, "--model", "opnai:gpt-x", cwd=repository, status=2)
    assert "did you mean openai:gpt-x?" in unknown.stderr
    nameless = bakeoff("optimize", TARGET, "--model", "openai", cwd=repository, status=2)
    assert "provider:model" in nameless.stderr
    no_model = bakeoff("optimize", TARGET, "--source", "models", cwd=repository, status=2)
    assert "--model PROVIDER:MODEL" in no_model.stderr
    no_key = bakeoff("optimize", TARGET, "--model", "anthropic:claude-x", cwd=repository, status=4)
    assert "ANTHROPIC_API_KEY" in no_key.stderr
    enough = bakeoff("optimize", TARGET, "--target-speedup", "1", cwd=repository, status=2)
    assert "--target-speedup 3" in enough.stderr
    silent = bakeoff("optimize", TARGET, "--model", MODEL, "--answer-tokens", "0", cwd=repository, status=2)
    assert "leaves no room for an answer" in silent.stderr
    blind = bakeoff("optimize", TARGET, "--model", MODEL, "--context-tokens", "10", cwd=repository, status=2)
    assert "has to be shown something" in blind.stderr
    assert not (repository / ".git/bakeoff/store.sqlite").exists(), "no run was begun"


@pytest.mark.parametrize(
    "reply", [Reply(status=401, text="no such key"), Reply(status=500, text="out of order")], ids=["401", "500"]
)
@pytest.mark.soak
def test_a_provider_that_answers_nothing_ends_the_run_with_its_error(repository: Path, reply: Reply) -> None:
    with serving(reply) as provider:
        done = bakeoff(*asking(provider, "--candidates", "2", "--fresh", "2"), cwd=repository, status=4)
    assert reply.text in done.stderr
    assert "hint:" in done.stderr
    assert len(provider.asked) == (2 if reply.status == 401 else 12), "a refusal is not tried again, a fault is"


@pytest.mark.soak
def test_beside_another_source_a_provider_that_fails_is_a_warning(repository: Path) -> None:
    with serving(Reply(status=401, text="no such key")) as provider:
        arguments = [one for one in asking(provider, "--budget", "10s", "--json") if one not in ("--source", "models")]
        found = json.loads(bakeoff(*arguments, cwd=repository).stdout)
    assert found["winner"] is not None
    assert {one["source"] for one in found["candidates"]} == {"rules"}
    assert any("no such key" in one for one in found["warnings"])


@pytest.mark.soak
def test_a_budget_is_never_exceeded_and_what_came_until_then_counts(repository: Path) -> None:
    """A call is not made where what it may take at the most does not fit any more."""
    with serving(Author(), key=KEY) as provider:
        limits = ("--max-tokens", "6000", "--answer-tokens", "2000", "--provider-concurrency", "1")
        done = bakeoff(*asking(provider, "--candidates", "8", *limits, "--budget", "20s", "--json"), cwd=repository)
    found = json.loads(done.stdout)
    assert 0 < found["spent"]["calls"] == len(provider.asked) < 8
    assert {one.body["max_completion_tokens"] for one in provider.asked} == {2000}
    assert found["spent"]["tokens_in"] + found["spent"]["tokens_out"] <= 6_000
    assert found["winner"] is not None
    assert any("tokens" in one for one in found["warnings"])


@pytest.mark.soak
def test_the_same_command_goes_on_without_asking_again_for_what_came(repository: Path) -> None:
    """Interrupted while an answer is being waited for, with others there already."""
    texts = [EIGHT["fast"], EIGHT["slow"], EIGHT["wrong"]]

    def first(asked: Asked) -> Reply:
        return Reply(text=texts[asked.index]) if asked.index < len(texts) else Reply(fault=Fault.HANG)

    more = ("--candidates", "4", "--fresh", "4", "--repair-rounds", "0", "--budget", "30s", "--no-progress")
    with serving(first) as provider:
        command = asking(provider, *more)
        running = subprocess.Popen(
            [*BAKEOFF, *command],
            cwd=repository,
            env=environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert running.stderr is not None
        said = []
        for line in running.stderr:
            said.append(line)
            if len([one for one in said if ": verified" in one or ": wrong" in one]) >= 3:
                running.send_signal(signal.SIGINT)
                break
        rest = running.communicate(timeout=60)
        assert running.returncode == 130, rest
        assert provider.open == 0
    store = Store(repository / ".git/bakeoff/store.sqlite")
    [before] = store.runs()
    asked: list[Asked] = []

    def again(one: Asked) -> Reply:
        asked.append(one)
        return Reply(text=function("    return [one for one in dict.fromkeys(items)]"))

    with serving(again) as provider:
        found = json.loads(bakeoff(*asking(provider, *more, "--json"), cwd=repository).stdout)
    assert found["run"] == before.id
    assert len(asked) == 1, "three of four ideas were there"
    assert len(found["candidates"]) == 4
    assert found["winner"] is not None
    assert found["spent"]["calls"] == 5
