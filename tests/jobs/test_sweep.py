"""Whole sweeps: where the time goes, targets improved, winners brought together, all of it in the store."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import anyio
import pytest

from bakeoff.candidates import Change, File
from bakeoff.errors import UsageError
from bakeoff.events import (
    BaselineLearned,
    Decision,
    Event,
    JudgingBegan,
    MergeChecked,
    Phase,
    PhaseBegan,
    RaceBegan,
    RaceEnded,
    Recorded,
    Run,
    State,
    TargetBegan,
    TargetEnded,
    Verdict,
)
from bakeoff.git import Repository
from bakeoff.jobs.contest import Wanted
from bakeoff.jobs.optimize import Models, Sources
from bakeoff.jobs.plan import plan
from bakeoff.jobs.sweep import MERGED, SweepWanted, sweep
from bakeoff.jobs.takeover import branch_of_sweep, choose
from bakeoff.models import Budget, Providers, ProviderSettings, Usage
from bakeoff.report.sweeps import sweep_document
from bakeoff.sources.models.source import ModelsOptions
from bakeoff.store import Store
from bakeoff.testing.provider import LoopbackProvider, Reply
from repositories import CLEAN, git, make_repository, state_of

pytestmark = pytest.mark.anyio

SLOW = '''
def {name}(items):
    """The items, each once, in their order."""
    found = []  # slow
    for item in items:
        if item not in found:
            found.append(item)
    return found


def aside(items):
    return len(items)
'''
FAST = "    return list(dict.fromkeys(items))\n"
TEST = """
from {package}.lists import {name}

def test_some():
    assert {name}([3, 1, 3]) == [3, 1]

def test_many():
    assert {name}([n % 400 for n in range(900)]) == list(range(400))
"""
# What nobody finds who looks at one of them alone, nor by the tests that get to it.
TOGETHER = """
from pathlib import Path

def test_they_are_not_all_changed():
    assert sum("# slow" in Path(name, "lists.py").read_text() for name in ("one", "two", "three")) >= {least}
"""
NAMES = {"one": "unique", "two": "distinct", "three": "different"}
SCRIPT = """
from one.lists import unique
from three.lists import different

for _ in range(3):
    unique([n % 500 for n in range(1500)])
different([n % 300 for n in range(600)])
"""


def files(least: int) -> dict[str, str]:
    found = {"test_together.py": TOGETHER.format(least=least), "bench.py": SCRIPT}
    for package, name in NAMES.items():
        found[f"{package}/__init__.py"] = ""
        found[f"{package}/lists.py"] = SLOW.format(name=name)
        found[f"tests/test_{package}.py"] = TEST.format(package=package, name=name)
    return found


def repository_of(folder: Path, least: int = 0) -> Path:
    """Three slow functions in packages of their own, and a patch for each beside the repository."""
    made = make_repository(folder / "repository", files(least))
    for package, name in NAMES.items():
        text = SLOW.format(name=name)
        body = text[text.index("    found = []") : text.index("\n\n\ndef aside") + 1]
        path = f"{package}/lists.py"

        def read(asked: str, path: str = path, text: str = text) -> File | None:
            return File(content=text.encode()) if asked == path else None

        change = Change.of({path: text.replace(body, FAST).encode()}, base=read)
        (folder / f"{package}.patch").write_bytes(change.to_patch(base=read))
    return made


async def run_sweep(
    folder: Path,
    *,
    watch: Callable[[Recorded], None] | None = None,
    asked: SweepWanted | None = None,
    sources: Sources | None = None,
    **wanted,
) -> Run:
    repository = await Repository.find(folder)
    split = await plan(repository, [folder], {"max_files": 2, "min_files": 1})
    return await sweep(
        split.plan,
        replace(Wanted(parallel=2, seconds=25.0, target_speedup=1.5), **wanted),
        asked or SweepWanted(max_parallel=2),
        sources or Sources(names=("patches",), patches=tuple(f"../{package}.patch" for package in NAMES)),
        variables=CLEAN,
        repository=repository,
        start=folder,
        store=Store(folder / ".git/bakeoff.sqlite"),
        watch=watch,
    )


@pytest.fixture
def anyio_backend() -> str:
    """What is asynchronous here is pools, workers and fan-outs, which are tested on both."""
    return "asyncio"


class Swept:
    """A sweep, with all that was told while it went on."""

    def __init__(self, folder: Path, run: Run, events: list[Recorded], before: dict[str, str]) -> None:
        self.folder = folder
        self.run = run
        self.events = events
        self.before = before
        self.store = Store(folder / ".git/bakeoff.sqlite")

    def of(self, *kinds: type[Event]) -> list[Event]:
        return [one.event for one in self.events if isinstance(one.event, kinds)]


STORE = frozenset({".git"})


@pytest.fixture(scope="module")
def swept(tmp_path_factory: pytest.TempPathFactory) -> Swept:
    """One of which the whole suite refuses what three winners come to together."""
    folder = repository_of(tmp_path_factory.mktemp("sweep"), least=1)
    before = state_of(folder, without=STORE)
    events: list[Recorded] = []
    run = anyio.run(lambda: run_sweep(folder, watch=events.append))
    return Swept(folder, run, events, before)


def test_the_slow_functions_are_found_and_improved(swept: Swept):
    assert swept.run.state is State.DONE
    targets = swept.run.sweep.targets
    assert targets.keys() == {f"{package}/lists.py::{name}" for package, name in NAMES.items()}
    for package, name in NAMES.items():
        state = targets[f"{package}/lists.py::{name}"]
        assert state.ranked.tests == (f"tests/test_{package}.py",)
        assert state.ranked.share > 0.01
        assert state.ended.name == package
        assert state.ended.speedup.low > 1.5
        part = Run.of(swept.store.events(state.ended.run))
        assert part.start.part_of == swept.run.id
        assert part.baseline.tests == 2, "its own tests, not those of all"


@pytest.mark.promise("P7")
def test_what_passes_alone_and_not_together_is_told_apart(swept: Swept):
    merged = swept.run.sweep.merged
    assert len(merged.steps) == 2
    (dropped,) = merged.dropped
    assert {step.target for step in merged.steps} | {dropped.target} == swept.run.sweep.targets.keys()
    assert dropped.reason == "test_together.py::test_they_are_not_all_changed fails"
    assert [failure.id for failure in dropped.failures] == ["test_together.py::test_they_are_not_all_changed"]
    checks = [(len(one.targets), one.verdict) for one in swept.run.sweep.checks]
    assert checks == [(3, Verdict.WRONG), (1, Verdict.VERIFIED), (2, Verdict.VERIFIED)]
    (whole,) = [one for one in swept.run.candidates.values() if one.proposed.name == MERGED]
    assert whole.judged.evidence.tests == 7
    assert set(whole.proposed.before) == {step.target.partition("::")[0] for step in merged.steps}


def test_the_whole_is_timed_on_what_was_looked_at(swept: Swept):
    (whole,) = [one for one in swept.run.candidates.values() if one.proposed.name == MERGED]
    assert whole.measured is not None
    assert whole.measured.decision is not Decision.SLOWER
    assert swept.run.end.winner == MERGED


@pytest.mark.promise("E2")
def test_while_anything_is_timed_nothing_else_of_the_sweep_works(swept: Swept):
    timing, seen = None, 0
    for one in swept.events:
        match one.event:
            case RaceBegan():
                assert timing is None, "two are timed at once"
                timing, seen = one.run, seen + 1
            case RaceEnded():
                assert timing == one.run
                timing = None
            case JudgingBegan() | BaselineLearned() | PhaseBegan(phase=Phase.LEARNING):
                assert timing is None, "something else works while one is timed"
    assert seen >= 4


@pytest.mark.promise("W5")
async def test_a_branch_has_a_commit_for_each_winner_and_nothing_else_is_written(swept: Swept):
    assert state_of(swept.folder, without=STORE) == swept.before
    repository = await Repository.find(swept.folder)
    made = await branch_of_sweep(swept.store, swept.run, repository, "faster")
    assert git(swept.folder, "rev-parse", "faster") == made.commit
    messages = git(swept.folder, "log", "--reverse", "--format=%s|%b", "main..faster").split("|")
    assert git(swept.folder, "rev-list", "--count", "main..faster") == "2"
    for step, text in zip(swept.run.sweep.merged.steps, [" ".join(messages[:2]), " ".join(messages[1:])], strict=True):
        assert step.target.rpartition("::")[2] in text
        assert f"Bakeoff-Sweep: {swept.run.id}" in text
        assert "Speedup:" in text
    changed = git(swept.folder, "diff", "--name-only", "main", "faster").split()
    assert changed == sorted(step.target.partition("::")[0] for step in swept.run.sweep.merged.steps)
    assert state_of(swept.folder, without=STORE) == swept.before
    assert choose(swept.store, swept.run.id).is_merged


def test_the_document_says_it_all(swept: Swept):
    found = sweep_document(swept.run, text=swept.store.text)
    assert found["winner"]["name"] == MERGED
    assert found["winner"]["diff"].count("diff --git") == 2
    assert sum(one["merged"] for one in found["targets"]) == 2
    assert len(found["merge"]["dropped"]) == 1
    assert found["workload"]["tests"] == 7
    assert found["subplans"]["worked_on"] == 3


@pytest.mark.soak
@pytest.mark.promise("P8")
async def test_interrupted_at_any_point_it_goes_on_from_there(tmp_path: Path):
    """Stopped after each kind of step; in the end all was done once."""
    folder = repository_of(tmp_path, least=2)
    points: list[Callable[[Event], bool]] = [
        lambda event: isinstance(event, TargetBegan),
        lambda event: isinstance(event, TargetEnded),
        lambda event: isinstance(event, MergeChecked) and event.verdict is Verdict.WRONG,
        lambda event: isinstance(event, RaceBegan) and len(event.candidates) == 1,
    ]
    asked = SweepWanted(top=2, max_parallel=1)
    for point in points:
        seen: list[Event] = []
        with anyio.CancelScope() as scope:
            store = Store(folder / ".git/bakeoff.sqlite")
            known = {(run.id, one.sequence) for run in store.runs() for one in store.events(run.id)}

            def watch(recorded: Recorded, scope=scope, point=point, seen=seen, known=known) -> None:
                if (recorded.run, recorded.sequence) not in known and point(recorded.event):
                    seen.append(recorded.event)
                    scope.cancel()

            await run_sweep(folder, watch=watch, asked=asked)
        assert seen, "it was not stopped where it was to be"
    events: list[Recorded] = []
    run = await run_sweep(folder, watch=events.append, asked=asked)
    assert run.state is State.DONE
    own = [one.event for one in Store(folder / ".git/bakeoff.sqlite").events(run.id)]
    ended = [event.target for event in own if isinstance(event, TargetEnded)]
    assert sorted(ended) == sorted(run.sweep.targets), "each was improved once"
    checked = [frozenset(event.targets) for event in own if isinstance(event, MergeChecked)]
    assert len(checked) == len(set(checked)), "no check was made again"
    assert len(run.sweep.merged.steps) == 1
    store = Store(folder / ".git/bakeoff.sqlite")
    assert {summary.state for summary in store.runs()} == {State.DONE}
    assert len(store.runs()) == 3


@pytest.mark.promise("M8")
@pytest.mark.soak
async def test_what_was_spent_on_models_before_it_was_interrupted_counts(tmp_path: Path):
    """Each of two targets asks for five answers of 20,000 tokens; half of the budget has room for two."""
    folder = repository_of(tmp_path)
    wrong = Reply(text="```python\ndef unique(items):\n    return 1\n```", usage=Usage(tokens_out=20_000))

    async def improve(url: str, watch: Callable[[Recorded], None] | None = None) -> Run:
        settings = {"openai": ProviderSettings(base_url=url, concurrency=1)}
        models = Models(
            names=("openai:m",),
            providers=Providers(settings, environment={"OPENAI_API_KEY": "the-key-of-a-test"}),
            budget=Budget(tokens=100_000),
            options=ModelsOptions(fresh=5, repair_rounds=0, max_tokens=20_000),
        )
        asked = SweepWanted(top=2, max_parallel=1)
        return await run_sweep(folder, watch=watch, asked=asked, sources=Sources(names=("models",), models=models))

    async with LoopbackProvider(wrong) as provider:
        with anyio.CancelScope() as scope:
            await improve(provider.url, lambda one: scope.cancel() if isinstance(one.event, TargetEnded) else None)
        assert len(provider.asked) == 2
        run = await improve(provider.url)
        assert [state.ended.skipped for state in run.sweep.targets.values()] == [None, None]
        assert len(provider.asked) == 4


@pytest.mark.soak
async def test_a_script_says_what_is_hot_and_the_whole_is_timed_by_it(tmp_path: Path):
    folder = repository_of(tmp_path)
    asked = SweepWanted(top=1, script=("python", "bench.py"))
    run = await run_sweep(folder, asked=asked)
    (target,) = run.sweep.targets.values()
    assert target.ranked.target == "one/lists.py::unique"
    assert target.ranked.share > 0.3
    assert target.ranked.calls == 3
    (whole,) = run.candidates.values()
    assert whole.measured is not None
    assert whole.measured.speedup.estimate > 1
    assert run.sweep.ranked.script == "python bench.py"


async def test_where_nothing_takes_time_there_is_nothing_to_do(tmp_path: Path):
    folder = make_repository(tmp_path / "repository", {"a.py": "X = 1\n", "test_a.py": "def test_it():\n    pass\n"})
    run = await run_sweep_of_nothing(folder)
    assert (run.state, run.sweep.targets, run.end.winner) == (State.DONE, {}, None)


async def run_sweep_of_nothing(folder: Path) -> Run:
    repository = await Repository.find(folder)
    return await sweep(
        (await plan(repository, [folder], {})).plan,
        Wanted(parallel=2, seconds=5.0),
        SweepWanted(),
        Sources(),
        variables=CLEAN,
        repository=repository,
        start=folder,
        store=Store(folder / ".git/bakeoff.sqlite"),
    )


@pytest.mark.parametrize(
    "script", [("bench.py",), ("python",), ("python", "-m"), ("python", "-i", "x.py"), ("./run.sh",), ("node", "x.js")]
)
def test_what_python_does_not_run_cannot_be_profiled(script: tuple[str, ...]):
    with pytest.raises(UsageError, match="cannot be profiled"):
        SweepWanted(script=script)


@pytest.mark.soak
async def test_a_command_judges_and_the_script_times(tmp_path: Path):
    folder = repository_of(tmp_path)
    asked = SweepWanted(top=1, script=("python", "bench.py"))
    check = (sys.executable, "-c", "from one.lists import unique; assert unique([3, 1, 3]) == [3, 1]")
    run = await run_sweep(folder, asked=asked, check=check)
    (target,) = run.sweep.targets.values()
    assert target.ended.name == "one"
    assert target.ended.speedup.low > 1.05
    (whole,) = run.candidates.values()
    assert whole.judged.verdict is Verdict.VERIFIED
    assert whole.measured.decision is Decision.FASTER
    assert run.baseline.tests == 1
