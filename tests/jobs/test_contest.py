"""Whole runs: candidates in, verdicts, measurements and a winner out, all of it in the store."""

from __future__ import annotations

from pathlib import Path

import anyio
import pytest

from bakeoff.errors import BaselineFails, NoTests, StoreError, TargetNotReached, UsageError
from bakeoff.events import (
    CandidateJudged,
    CandidateMeasured,
    Decision,
    JudgingBegan,
    RaceBegan,
    RaceEnded,
    Recorded,
    Run,
    State,
    Verdict,
)
from bakeoff.jobs.contest import Wanted
from bakeoff.measure import Objective
from bakeoff.report import words
from bakeoff.report.commits import message
from bakeoff.report.documents import result_document
from bakeoff.sources.patches import Given
from bakeoff.store import Store
from jobs.contests import FAST, FILES, LISTS, SLOW, applies, body, given, patch, run_contest
from repositories import commit, make_repository, state_of, write_files

pytestmark = pytest.mark.anyio

CANDIDATES = {
    "fast": body(FAST),
    "wrong": body("    return sorted(set(items), key=items.index)[:200]"),
    "crashes": body("    import os\n    os.abort()"),
    "hangs": body("    while len(items) > 4:\n        pass\n    return list(dict.fromkeys(items))"),
    "same": body(FAST + "  # quicker"),
    "nothing": LISTS + "\n# a comment\n",
    "slower": body(SLOW.replace("    return found", "    [item in found for item in items]\n    return found")),
    "broken": body("    return ("),
}


KNOWN = """    found, known = [], set()
    for item in items:
        if item not in known:
            found.append(item)
            known.add(item)
    return found"""
FAILING = "from pkg.lists import unique\n\ndef test_it():\n    assert unique([1, 1]) == 1\n"


@pytest.fixture
def anyio_backend() -> str:
    """What is asynchronous here is workers, pools and fan-outs, which are tested on both."""
    return "asyncio"


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    return make_repository(tmp_path / "repository", FILES)


@pytest.mark.promise("E1", "E2", "E3", "E4", "E5")
async def test_candidates_of_every_kind_get_what_they_deserve(repository: Path):
    extra = (
        Given(name="misfit", diff=patch({"pkg/lists.py": "def f(): pass\n"}, {"pkg/lists.py": "other\n"})),
        Given(name="tests", diff=patch({"pkg/lists.py": body(FAST), "tests/test_lists.py": None})),
        Given(name="elsewhere", diff=patch({"README.md": "# Fast lists\n"})),
    )
    before = state_of(repository, without=frozenset({".git/bakeoff.sqlite"}))
    events: list[Recorded] = []
    store = Store(repository.parent / "store.sqlite")
    run = await run_contest(repository, (*given(CANDIDATES), *extra), store=store, watch=events.append)
    found = {one.proposed.name: one for one in run.candidates.values()}
    verdicts = {name: one.judged.verdict.value for name, one in found.items() if one.judged is not None}
    assert verdicts == {
        "fast": "verified",
        "wrong": "wrong",
        "crashes": "crashed",
        "hangs": "timed-out",
        "same": "duplicate",
        "nothing": "duplicate",
        "slower": "verified",
        "broken": "invalid",
        "misfit": "invalid",
        "tests": "invalid",
        "elsewhere": "invalid",
    }
    assert run.state is State.DONE
    assert run.end is not None
    assert run.end.winner == "fast"
    assert found["fast"].measured.decision is Decision.FASTER
    assert found["fast"].measured.speedup.low > 1.5
    assert found["fast"].measured.is_confirmed
    assert found["slower"].measured.decision is not Decision.FASTER
    assert found["same"].judged.duplicate_of == found["fast"].proposed.candidate
    assert found["nothing"].judged.duplicate_of == "baseline"
    assert found["wrong"].judged.counterexample is not None
    assert found["wrong"].judged.differences[0].snippet.startswith("from pkg.lists import unique")
    assert "tests are not for candidates" in found["tests"].judged.reason
    assert "README.md: outside of the scope" in found["elsewhere"].judged.reason
    assert "hangs" not in [one.proposed.name for one in run.candidates.values() if one.measured is not None]
    assert state_of(repository) == before, "W5: the user's repository is as it was"
    assert _is_exclusive(events)
    assert run.profiles.keys() == {None, found["fast"].proposed.candidate}
    document = result_document(run, text=store.text)
    assert applies(repository, document["winner"]["diff"])
    assert document["baseline"]["tests_reaching_target"] == 3


def _is_exclusive(events: list[Recorded]) -> bool:
    """Whether nothing was judged while something was timed."""
    timing = False
    for recorded in events:
        match recorded.event:
            case RaceBegan():
                timing = True
            case RaceEnded():
                timing = False
            case JudgingBegan() | CandidateJudged() if timing:
                return False
    return any(isinstance(recorded.event, RaceEnded) for recorded in events)


@pytest.mark.promise("E8")
async def test_what_is_not_faster_does_not_win(repository: Path):
    same = body(SLOW.replace("if item not in found", "if not (item in found)"))
    run = await run_contest(repository, given({"same": same}))
    (found,) = run.candidates.values()
    assert found.judged.verdict is Verdict.VERIFIED
    assert found.measured.decision is Decision.NO_DIFFERENCE
    assert run.end.winner is None
    assert run.state is State.DONE


@pytest.mark.promise("E7")
async def test_no_candidate_at_all_is_an_ordinary_end(repository: Path):
    run = await run_contest(repository, ())
    assert run.state is State.DONE
    assert run.candidates == {}
    assert run.end.winner is None


async def test_a_scope_of_ones_own_takes_the_place_of_the_package(repository: Path):
    elsewhere = Given(name="elsewhere", diff=patch({"README.md": "# Fast lists\n"}))
    candidates = (*given({"fast": body(FAST)}), elsewhere)
    run = await run_contest(repository, candidates, edit_scope=("*.md",), timing=0.1)
    found = {one.proposed.name: one.judged for one in run.candidates.values()}
    assert found["fast"].verdict is Verdict.INVALID
    assert "pkg/lists.py: outside of the scope" in found["fast"].reason
    assert found["elsewhere"].verdict is Verdict.VERIFIED


@pytest.mark.soak
async def test_memory_can_be_what_is_to_become_less(repository: Path):
    hungry = body("    every = [list(items) for _ in range(50)]\n    return list(dict.fromkeys(every[0]))")
    write_files(repository, {"pkg/lists.py": hungry})
    base = FILES | {"pkg/lists.py": hungry}
    lean = Given(name="lean", diff=patch({"pkg/lists.py": body(FAST)}, base))
    run = await run_contest(repository, [lean], objective=Objective.MEMORY, seconds=2.0)
    (found,) = run.candidates.values()
    assert run.end.winner == "lean"
    assert found.measured.speedup.low > 5
    assert words.ending(run).startswith("lean takes ")
    assert "less memory than the baseline" in words.ending(run)
    assert message(run, found).startswith("Let unique take ")


@pytest.mark.soak
async def test_the_rest_of_the_suite_can_cost_the_victory(repository: Path):
    spoils = body(FAST).replace("item * 2 for", "item + item + 0 for")
    rest = FILES["tests/test_rest.py"].replace("[1, 2]", "'ab'").replace("[2, 4]", "['aa', 'bb']")
    write_files(repository, {"tests/test_rest.py": rest})
    commit(repository)
    run = await run_contest(repository, given({"spoils": spoils, "known": body(KNOWN)}))
    found = {one.proposed.name: one for one in run.candidates.values()}
    assert found["spoils"].judged.verdict is Verdict.WRONG
    assert found["spoils"].judged.failures[0].id == "tests/test_rest.py::test_double"
    assert found["spoils"].measured is not None
    assert run.end.winner == "known"


async def test_a_module_with_doctests_is_no_test(tmp_path: Path):
    documented = LISTS.replace("in their order.", "in their order.\n\n    >>> unique([1, 1])\n    [1]\n    ")
    files = {**FILES, "pkg/lists.py": documented, "pytest.ini": "[pytest]\naddopts = --doctest-modules\n"}
    repository = make_repository(tmp_path / "repository", files)
    diff = patch({"pkg/lists.py": documented.replace(SLOW, FAST)}, files)
    run = await run_contest(repository, [Given(name="fast", diff=diff)])
    assert run.baseline.tests == 5
    assert run.end.winner == "fast"


# -- a baseline that is not fit ---------------------------------------------------------------------------------------


@pytest.mark.promise("E7")
@pytest.mark.parametrize(
    ("files", "error"),
    [
        ({"tests/test_lists.py": FAILING}, BaselineFails),
        ({"tests/test_lists.py": "def test_it():\n    pass\n"}, TargetNotReached),
        ({"tests/test_lists.py": "", "tests/test_rest.py": ""}, NoTests),
    ],
)
async def test_a_baseline_that_is_not_fit_is_told_and_recorded(
    tmp_path: Path, files: dict[str, str], error: type[Exception]
):
    repository = make_repository(tmp_path / "repository", FILES | files)
    store = Store(tmp_path / "store.sqlite")
    with pytest.raises(error) as caught:
        await run_contest(repository, given({"fast": body(FAST)}), store=store)
    (summary,) = store.runs()
    assert summary.state is State.FAILED
    assert summary.end.error == caught.value.message


async def test_untested_code_is_judged_and_timed_by_generated_inputs_if_the_user_says_so(tmp_path: Path):
    typed = LISTS.replace("unique(items)", "unique(items: list[int]) -> list[int]")
    repository = make_repository(tmp_path / "repository", {"pkg/__init__.py": "", "pkg/lists.py": typed})
    fast, wrong = (
        patch({"pkg/lists.py": typed.replace(SLOW, text)}, {"pkg/lists.py": typed})
        for text in (FAST, "    return items")
    )
    candidates = [Given(name="fast", diff=fast), Given(name="wrong", diff=wrong)]
    run = await run_contest(repository, candidates, allow_untested=True)
    found = {one.proposed.name: one for one in run.candidates.values()}
    assert found["fast"].judged.verdict is Verdict.VERIFIED
    assert found["fast"].judged.evidence.generated_inputs > 50
    assert found["fast"].judged.evidence.tests == 0
    assert found["wrong"].judged.verdict is Verdict.WRONG
    assert found["fast"].measured is not None
    assert any("no test calls the target" in warning for warning in run.warnings)


THIRDS = "def thirds(items):\n    return {'count': len(items), 'parts': [item / 3 for item in items]}\n"
SLOPPY = "def thirds(items):\n    return {'parts': [item * (1 / 3) for item in items], 'count': len(items)}\n"
LENIENT = THIRDS.replace("    return", "    if items is None:\n        return None\n    return")


@pytest.mark.parametrize(
    ("options", "sloppy", "lenient"),
    [
        ({}, "wrong", "verified"),
        ({"rtol": 1e-9, "any_dict_order": True}, "verified", "verified"),
        ({"strict": True}, "wrong", "wrong"),
        ({"inputs": 0}, "wrong", "verified"),
    ],
    ids=str,
)
@pytest.mark.soak
async def test_how_hard_the_oracle_looks_can_be_said(
    tmp_path: Path, options: dict[str, float], sloppy: str, lenient: str
):
    test = "from m import thirds\n\n\ndef test_it():\n    assert thirds([1.5, 3])['parts'] == [0.5, 1]\n"
    files = {"m.py": THIRDS, "test_m.py": test}
    repository = make_repository(tmp_path / "repository", files)
    texts = {"sloppy": SLOPPY, "lenient": LENIENT}
    candidates = [Given(name=name, diff=patch({"m.py": text}, files)) for name, text in texts.items()]
    run = await run_contest(repository, candidates, target="m.py::thirds", timing=0.1, **options)
    found = {one.proposed.name: one.judged for one in run.candidates.values()}
    assert {name: one.verdict.value for name, one in found.items()} == {"sloppy": sloppy, "lenient": lenient}
    assert (found["lenient"].evidence.generated_inputs > 0) == (options != {"inputs": 0})


@pytest.mark.parametrize(
    "said",
    [{"inputs": -1}, {"rtol": -0.1}, {"rtol": 1.0}, {"rtol": float("nan")}, {"junit": "report.xml"}, {"timing": 0.0}],
)
def test_what_cannot_be_is_refused(said: dict[str, float]):
    with pytest.raises(UsageError):
        Wanted(**said)


async def test_a_target_that_git_ignores_cannot_be_improved(repository: Path):
    write_files(repository, {".gitignore": "pkg/made.py\n", "pkg/made.py": LISTS})
    with pytest.raises(UsageError, match="ignored by git"):
        await run_contest(repository, (), target="pkg/made.py::unique")


@pytest.mark.promise("W6")
async def test_what_is_not_committed_is_part_of_the_base(repository: Path):
    edited = LISTS.replace("item not in found", "(item in found) is False")
    write_files(repository, {"pkg/lists.py": edited})
    base = FILES | {"pkg/lists.py": edited}
    diff = patch({"pkg/lists.py": body(FAST)}, base)
    run = await run_contest(repository, [Given(name="fast", diff=diff)])
    assert run.end.winner == "fast"
    assert (repository / "pkg/lists.py").read_text() == edited


# -- going on ---------------------------------------------------------------------------------------------------------


async def _until(repository: Path, store: Store, is_enough) -> str:
    """Begin a run and cancel it as soon as an event is enough."""
    run = ""
    with anyio.CancelScope() as scope:

        def watch(recorded: Recorded) -> None:
            nonlocal run
            run = recorded.run
            if is_enough(recorded.event):
                scope.cancel()

        await run_contest(repository, given(RESUMED), store=store, watch=watch, parallel=1)
    return run


RESUMED = {"wrong": body("    return items"), "fast": body(FAST)}


@pytest.mark.parametrize(
    "is_enough",
    [
        lambda event: isinstance(event, CandidateJudged),
        lambda event: isinstance(event, JudgingBegan),
        lambda event: isinstance(event, CandidateMeasured),
    ],
    ids=["judged", "judging", "measured"],
)
@pytest.mark.soak
async def test_a_run_that_was_interrupted_goes_on(repository: Path, is_enough):
    store = Store(repository.parent / "store.sqlite")
    run = await _until(repository, store, is_enough)
    before = Run.of(store.events(run))
    assert before.state is State.INTERRUPTED
    watched: list[Recorded] = []
    after = await run_contest(repository, given(RESUMED), store=store, watch=watched.append, parallel=1)
    assert watched == list(store.events(run)), "who watches is told of what was before, too"
    events = watched[before.events :]
    assert after.id == run
    assert after.end.winner == "fast"
    assert len(after.candidates) == 2
    done = {one.proposed.candidate for one in before.candidates.values() if one.judged is not None}
    again = {recorded.event.candidate for recorded in events if isinstance(recorded.event, JudgingBegan)}
    assert again.isdisjoint(done), "what was judged is not judged again"
    assert again | done == set(after.candidates)


@pytest.mark.soak
async def test_a_run_on_another_base_is_another_run(repository: Path):
    store = Store(repository.parent / "store.sqlite")
    run = await _until(repository, store, lambda event: isinstance(event, JudgingBegan))
    write_files(repository, {"README.md": "# Other\n"})
    after = await run_contest(repository, given(RESUMED), store=store, parallel=1)
    assert after.id != run


async def test_a_store_that_cannot_be_written_is_said_and_leaves_nothing(repository: Path):
    place = repository.parent / "file"
    place.write_text("")
    with pytest.raises(StoreError):
        await run_contest(repository, given(RESUMED), store=Store(place / "store.sqlite"))


# -- commands as judges -----------------------------------------------------------------------------------------------

SCRIPT = "#!/bin/sh\nsleep 0.0{}\necho 42\n"
SHELL = {"answer.sh": SCRIPT.format(6), "check.sh": 'test "$(sh answer.sh)" = 42\n'}


async def test_a_report_says_which_tests_a_candidate_fails(tmp_path: Path):
    case = '<testcase classname="answer" name="{}">{}</testcase>'
    script = "sh answer.sh > out\n( echo '<testsuite>'; {}; echo '</testsuite>' ) > report.xml\n".format(
        "; ".join(
            f"if grep -q {word} out; then echo '{case.format(word, '')}'; "
            f"else echo '{case.format(word, '<failure>not there</failure>')}'; fi"
            for word in ("one", "two")
        )
    )
    files = {"answer.sh": "echo one two\n", "check.sh": script}
    repository = make_repository(tmp_path / "repository", files)
    candidates = [Given(name="half", diff=patch({"answer.sh": "echo one\n"}, files))]
    check = ("sh", "check.sh")
    run = await run_contest(repository, candidates, target=None, check=check, junit="report.xml")
    assert run.baseline.tests == 2
    (half,) = run.candidates.values()
    assert half.judged.verdict.value == "wrong", "though the command ends well"
    assert [failure.id for failure in half.judged.failures] == ["answer::two"]


async def test_any_language_is_judged_and_timed_by_commands(tmp_path: Path):
    repository = make_repository(tmp_path / "repository", SHELL)
    texts = {"fast": SCRIPT.format(1), "wrong": SCRIPT.format(1).replace("42", "41"), "slow": SCRIPT.format(9)}
    candidates = [Given(name=name, diff=patch({"answer.sh": text}, SHELL)) for name, text in texts.items()]
    run = await run_contest(
        repository, candidates, target=None, check=("sh", "check.sh"), bench=("sh", "answer.sh"), min_speedup=0.0
    )
    found = {one.proposed.name: one for one in run.candidates.values()}
    assert {name: one.judged.verdict.value for name, one in found.items()} == {
        "fast": "verified",
        "wrong": "wrong",
        "slow": "verified",
    }
    assert run.end.winner == "fast"
    assert found["slow"].measured.decision is not Decision.FASTER
    assert words.baseline(run) == "the check passes"
    assert words.evidence(run, found["fast"].judged.evidence) == "the check"


async def test_a_metric_that_is_printed_decides(tmp_path: Path):
    line = '{{"metric": "rows", "value": {}, "better": "higher"}}'
    files = {"bench.sh": f"echo '{line.format(10)}'\n"}
    repository = make_repository(tmp_path / "repository", files)
    diff = patch({"bench.sh": f"echo '{line.format(30)}'\n"}, files)
    run = await run_contest(
        repository, [Given(name="more", diff=diff)], target=None, check=("true",), bench=("sh", "bench.sh")
    )
    (found,) = run.candidates.values()
    assert run.end.winner == "more"
    assert found.measured.speedup.estimate == pytest.approx(3.0)


async def test_without_a_bench_nothing_is_timed(tmp_path: Path):
    repository = make_repository(tmp_path / "repository", SHELL)
    diff = patch({"answer.sh": SCRIPT.format(1)}, SHELL)
    run = await run_contest(repository, [Given(name="fast", diff=diff)], target=None, check=("sh", "check.sh"))
    (found,) = run.candidates.values()
    assert found.judged.verdict is Verdict.VERIFIED
    assert found.measured is None
    assert "there is no --bench" in run.warnings[0]
