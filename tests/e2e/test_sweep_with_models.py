"""`bakeoff sweep --source models` as a user runs it, with a provider on loopback that follows a script."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

import warm
from bakeoff.events import Run
from bakeoff.models import Usage
from bakeoff.store import Store
from bakeoff.testing.provider import Asked, Reply, serving
from repositories import CLEAN, git, make_repository, state_of

KEY = "the-key-of-a-test"
MODEL = "openai:scripted"
IN, OUT = 3.0, 15.0  # dollars for a million tokens
SETTINGS = f'[prices."{MODEL}"]\ntokens_in = {IN}\ntokens_out = {OUT}\n\n[providers.openai]\nbackoff = 0.0\n'
UNIQUE = '''"""Lists."""


def unique(items):
    """The items, each once, in their order."""
    found = []
    for item in items:
        if item not in found:
            found.append(item)
    return found
'''
SQUARES = '''"""Numbers."""


def squares(numbers):
    """What they are, times themselves, added up."""
    total = 0
    for number in numbers:
        total += number * number
    return total
'''
FILES = {
    "bakeoff.toml": SETTINGS,
    "lists/__init__.py": "",
    "lists/unique.py": UNIQUE,
    "numbers_of/__init__.py": "",
    "numbers_of/squares.py": SQUARES,
    "tests/test_lists.py": "from lists.unique import unique\n\ndef test_it():\n"
    "    assert unique([n % 500 for n in range(2000)]) == list(range(500))\n    assert unique([]) == []\n",
    "tests/test_numbers.py": "from numbers_of.squares import squares\n\ndef test_it():\n"
    "    assert squares(range(20_000)) == 2_666_466_670_000\n    assert squares([]) == 0\n",
}
HOT, OTHER = "lists/unique.py::unique", "numbers_of/squares.py::squares"
ANSWERS = {
    HOT: [
        "def unique(items):\n    return list(dict.fromkeys(items))",
        "def unique(items):\n    return sorted(set(items))",
    ],
    OTHER: [
        "def squares(numbers):\n    return sum(numbers) ** 2",
        "def squares(numbers):\n    return len(list(numbers))",
    ],
}
STORE = frozenset({".git"})


class Author:
    """Answers for each target what its script says, and keeps what each request took; a function may have its price."""

    def __init__(self, answers: Mapping[str, Sequence[str]] = ANSWERS, **tokens_out: int) -> None:
        self.answers = answers
        self.tokens_out = tokens_out
        self.usages: dict[str, list[Usage]] = defaultdict(list)

    def __call__(self, asked: Asked) -> Reply:
        (target,) = (one for one in self.answers if one.partition("::")[0] in json.dumps(asked.body))
        given = self.usages[target]
        text = self.answers[target][len(given) % len(self.answers[target])]
        tokens_out = self.tokens_out.get(target.rpartition("::")[2], 100 + asked.index)
        usage = Usage(tokens_in=1000 + asked.index, tokens_out=tokens_out)
        given.append(usage)
        return Reply(text=f"Here it is.\n\n```python\n{text}\n```\n", usage=usage)


def sweep(url: str, *more: str, cwd: Path) -> dict[str, object]:
    model = ("--source", "models", "--model", MODEL, "--base-url", f"{url}/v1", "--repair-rounds", "0")
    kept = {name: value for name, value in CLEAN.items() if not name.startswith("BAKEOFF_")}
    done = warm.bakeoff("sweep", *model, *more, "--json", cwd=cwd, env=kept | {"OPENAI_API_KEY": KEY})
    assert done.returncode == 0, f"{done.returncode}\n{done.stdout}\n{done.stderr}"
    return json.loads(done.stdout)


def dollars(usages: list[Usage]) -> float:
    return sum(one.tokens_in * IN + one.tokens_out * OUT for one in usages) / 1e6


@pytest.mark.promise("M8", "W5")
@pytest.mark.soak
def test_models_improve_one_target_and_not_the_other_and_all_that_it_cost_is_recorded(tmp_path: Path) -> None:
    repository = make_repository(tmp_path / "repository", FILES)
    before, author = state_of(repository, without=STORE), Author()
    with serving(author, key=KEY) as provider:
        more = ("--candidates", "2", "--fresh", "2", "--budget", "30s", "--branch", "faster")
        found = sweep(provider.url, *more, cwd=repository)
    targets = {one["target"]: one for one in found["targets"]}
    assert {name: one["merged"] for name, one in targets.items()} == {HOT: True, OTHER: False}
    assert targets[HOT]["speedup"]["low"] > 1.5
    assert (targets[OTHER]["winner"], targets[OTHER]["error"]) == (None, None)
    # What each target cost is recorded with it, to the token.
    store = Store(repository / ".git/bakeoff/store.sqlite")
    for name, one in targets.items():
        run = Run.of(store.events(one["run"]))
        usages = author.usages[name]
        assert run.spent.calls == len(usages) == 2
        assert run.spent.tokens_in == sum(usage.tokens_in for usage in usages)
        assert run.spent.tokens_out == sum(usage.tokens_out for usage in usages)
        assert run.spent.cost == pytest.approx(dollars(usages))
        assert {state.proposed.source for state in run.candidates.values()} == {"models"}
    # And of all of them together.
    every = [usage for usages in author.usages.values() for usage in usages]
    assert (found["spent"]["calls"], found["spent"]["tokens_in"]) == (4, sum(usage.tokens_in for usage in every))
    assert found["spent"]["cost"] == pytest.approx(dollars(every))
    shown = warm.bakeoff("show", found["run"], cwd=repository, env=CLEAN)
    assert f"models    4 calls of {MODEL}" in shown.stdout
    # The branch has the one winner, with where it is from.
    assert found["winner"]["diff"].count("diff --git") == 1
    assert git(repository, "rev-list", "--count", "main..faster") == "1"
    assert git(repository, "diff", "--name-only", "main", "faster") == "lists/unique.py"
    assert f"Bakeoff-Sweep: {found['run']}" in git(repository, "log", "--format=%B", "main..faster")
    assert "dict.fromkeys" in git(repository, "show", "faster:lists/unique.py")
    assert state_of(repository, without=STORE) == before


@pytest.mark.promise("M8")
@pytest.mark.soak
def test_what_a_target_does_not_spend_is_there_for_those_that_come_later(tmp_path: Path) -> None:
    """The second target takes three calls of 20,000 tokens, of which half of the budget has room for two."""
    repository = make_repository(tmp_path / "repository", FILES)
    nothing_right = {HOT: ANSWERS[HOT][1:], OTHER: ANSWERS[OTHER]}
    author = Author(nothing_right, unique=10, squares=20_000)
    with serving(author, key=KEY) as provider:
        one_at_a_time = ("--max-parallel", "1", "--provider-concurrency", "1", "--answer-tokens", "20000")
        more = ("--candidates", "3", "--fresh", "3", "--max-tokens", "100000", "--budget", "60s")
        found = sweep(provider.url, *one_at_a_time, *more, cwd=repository)
    assert {one["target"] for one in found["targets"]} == {HOT, OTHER}
    assert [*author.usages] == [HOT, OTHER], "the hot one came first"
    assert {name: len(usages) for name, usages in author.usages.items()} == {HOT: 3, OTHER: 3}
