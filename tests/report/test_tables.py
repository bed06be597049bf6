from __future__ import annotations

import re

import pytest
from rich.console import Console, RenderableType

from bakeoff.events import CallBegan, CallEnded, Decision, State, Verdict
from bakeoff.report import words
from bakeoff.report.calls import calls
from bakeoff.report.tables import part_document, part_table, run_document, run_table, runs_table
from bakeoff.store import RunSummary
from report.kitchen import LARGE, LOCAL, PROMPT, SMALL, Kitchen, asked, hostile, hostile_sampling, opened, sampled, won


def printed(rendered: RenderableType, *, width: int = 10_000) -> str:
    console = Console(width=width, color_system=None, highlight=False)
    with console.capture() as capture:
        console.print(rendered)
    return capture.get()


def lines(rendered: RenderableType) -> list[str]:
    """The plain lines, their columns a blank apart."""
    return [re.sub(" +", " ", line).strip() for line in printed(rendered).splitlines()]


def shown(kitchen: Kitchen) -> list[str]:
    return lines(run_table(kitchen.run, alive=False, text=kitchen.text))


@pytest.mark.parametrize("kitchen", [hostile(), hostile_sampling()])
def test_what_candidates_wrote_does_not_move_the_terminal(kitchen):
    run = kitchen.run
    summary = RunSummary(
        id=run.id,
        state=run.state,
        alive=False,
        started=run.started,
        last=run.last,
        events=1,
        start=run.start,
        end=run.end,
    )
    parts = [*run.candidates.values(), *run.samples.values()]
    tables = [run_table(run, alive=False, text=kitchen.text), runs_table([summary])]
    for table in [*tables, *(part_table(run, part, text=kitchen.text) for part in parts)]:
        found = printed(table, width=200)
        assert not {"\x1b", "\u202e", "\x07", "\x00", "\udcff"} & set(found)
    assert "[bold red]" in printed(tables[0])


def test_a_run_that_asked_models_tells_what_that_took():
    found = shown(asked())
    start = found.index(
        "models 10 calls in 12 attempts, 1 cancelled: about 14,700 tokens in, 1,872 out, at least $0.0177"
    )
    assert found[start + 3] == f"{LOCAL}: 1 call: about 2,100 tokens in, 310 out, cost not known"
    assert found[start + 4].startswith("failed 2 attempts: status 429, Too Many Requests; ")
    assert found[start + 5] == "limited anthropic: 1 time, to 2 calls at once, a pause of 12 s"
    assert "gpt-5-mini-2 models, repair of gpt-5-mini-1 verified faster 2.51× [2.40, 2.63]" in found


def test_a_sampling_shows_its_prompt_and_samples_by_their_places():
    found = shown(sampled())
    start = found.index("prompt")
    assert found[start + 2] == "Write a haiku about autumn"
    assert found[start + 4 :] == [
        "sample came to requirement says",
        "1.1 not valid code runs broke: ZeroDivisionError: division",
        "1.2 cancelled",
        "2.1 not valid three lines met",
        "mentions autumn not met: it is about spring",
        "2.2 valid three lines met",
        "mentions autumn met",
        "",
        "sample 2.2 is valid, of 4 samples",
        "Red leaves",
        "on the river",
        "go home",
    ]


def test_a_long_prompt_is_cut():
    kitchen = hostile_sampling("word\n" * 1000)
    start = (found := shown(kitchen)).index("prompt")
    assert found[start + 1 : start + 14] == ["word"] * 12 + [
        "… 4,940 more characters: bakeoff show 01KDVQ4M6XJ2ZC8R --json"
    ]


def test_a_sampling_without_calls_in_its_log_has_no_prompt():
    kitchen = sampled()
    kitchen.log = [one for one in kitchen.log if not isinstance(one.event, CallBegan | CallEnded)]
    found = shown(kitchen)
    assert "prompt" not in found
    assert "2.2 valid three lines met" in found


@pytest.mark.parametrize(
    ("kitchen", "said"),
    [
        (opened("sample").end(State.FAILED, error="every sample broke"), "error: every sample broke"),
        (hostile_sampling("x"), "none of 2 samples is valid; the best of them is x"),
    ],
)
def test_every_end_of_a_sampling_has_its_words(kitchen, said):
    assert said in shown(kitchen)


def test_the_document_of_a_run_holds_its_attempts_and_samples():
    kitchen = asked()
    found = run_document(kitchen.run, alive=False, text=kitchen.text)
    assert (found["prompt"], found["samples"], found["chosen"]) == ([], [], None)
    attempts = {(one["call"], one["attempt"]): one for one in found["attempts"]}
    assert len(attempts) == 12
    assert attempts["call-7", 2].items() >= {"end": "failed", "status": 429, "model": SMALL, "cost": 0.0}.items()
    cut = {"end": "done", "finish": "length", "cost": None, "is_estimate": True}
    assert attempts["call-3", 1].items() >= cut.items()
    assert attempts["call-2", 2].items() >= {"queued": 1.5, "backed_off": 12.0, "seconds": 6.4}.items()
    assert found["candidates"][-1]["calls"] == ("call-6",)
    assert found["candidates"][-1]["descent"] == "adaptation"

    kitchen = sampled()
    found = run_document(kitchen.run, alive=False, text=kitchen.text)
    assert found["prompt"][-1] == {"role": "user", "content": "Write a haiku about autumn"}
    assert found["chosen"] == {"sample": "2.2", "is_valid": True}
    assert [one["sample"] for one in found["samples"]] == ["1.1", "1.2", "2.1", "2.2"]
    first, cancelled, *_ = found["samples"]
    assert first["validations"][0].items() >= {"requirement": "code runs", "met": False, "is_error": True}.items()
    assert (cancelled["end"], cancelled["text"], cancelled["call"]) == ("cancelled", None, None)


def test_a_verdict_that_was_taken_back_takes_the_speedup_with_it():
    kitchen = opened().propose("a").verify("a").measure("a", Decision.FASTER, 2.0, 3.0, 4.0)
    kitchen.judge("a", Verdict.WRONG, "tests/test_rest.py::test_it fails").end()
    assert "a rules wrong – – tests/test_rest.py::test_it fails" in shown(kitchen)
    (found,) = run_document(kitchen.run, alive=False, text=kitchen.text)["candidates"]
    assert (found["decision"], found["speedup"]) == (None, None)


# ── One of its candidates, or samples ────────────────────────────────────────────────────────────────────────────────


def test_a_candidate_is_shown_with_all_that_was_asked_and_answered():
    kitchen = asked()
    candidate = kitchen.run.candidates["id-gpt-5-mini-2"]
    found = lines(part_table(kitchen.run, candidate, text=kitchen.text))
    assert found[:8] == [
        "candidate gpt-5-mini-2",
        "source models, repair of gpt-5-mini-1",
        "verdict verified",
        "came to 2.51× [2.40, 2.63]",
        "what repaired",
        "tried 12 tests that reach slugify, 230 recorded calls replayed, 500 generated inputs",
        "change bakeoff diff 01KDVQ4M6XJ2ZC8R gpt-5-mini-2",
        f"call {SMALL} (repair of gpt-5-mini-1): 6.4 s, 2,100 tokens in, 310 out, $0.0014",
    ]
    assert [line for line in found if line.startswith("──")] == [
        *("── system ──", "── user ──", "── assistant ──", "── user ──", "── answered ──")
    ]
    assert found.count("The letters are joined once instead of being added one by one.") == 2
    document = part_document(kitchen.run, candidate, text=kitchen.text)
    (conversation,) = document["conversations"]
    assert conversation["messages"][1] == {"role": "user", "content": PROMPT}
    assert conversation["answer"].startswith("The letters are joined once")
    assert document["candidate"]["diff"].startswith("diff --git")
    assert document["candidate"]["log"] is None


def test_a_run_is_shown_with_its_baseline_and_how_it_ended():
    found = shown(won())
    assert "baseline 41 tests, 12 reach slugify, 230 calls recorded of 1,834" in found
    assert found.index("join-strings+list-membership is 3.10× as fast as the baseline [2.90, 3.30]") > 10
    assert f"more of one: bakeoff show {won().run.id} join-strings+list-membership" in found


def test_a_candidate_is_shown_with_its_counterexamples_tests_and_what_it_printed():
    kitchen = won()
    by_name = {one.proposed.name: one for one in kitchen.run.candidates.values()}

    def told(name: str) -> list[str]:
        return lines(part_table(kitchen.run, by_name[name], text=kitchen.text))

    found = told("translate")
    assert found[2] == "verdict wrong"
    assert f"change bakeoff diff {kitchen.run.id} translate" in found
    start = found.index("── counterexample ──")
    assert found[start + 1] == "from shop.text import slugify"
    assert "the candidate returns" in " ".join(found[start:])
    assert "E AssertionError: assert 'strasse' == 'straße'" in told("casefold")
    kitchen = opened()
    log = kitchen.keep("status 3 (1.2 s)\n--- stderr\nno key")
    kitchen.propose("agent-1", source="agent", log=log)
    kitchen.judge("agent-1", Verdict.INVALID, "the command changed nothing", log=kitchen.keep("printed"))
    (one,) = kitchen.run.candidates.values()
    found = lines(part_table(kitchen.run, one, text=kitchen.text))
    assert [line for line in found[-7:] if line] == [
        *("── how it was made ──", "status 3 (1.2 s)", "--- stderr", "no key"),
        *("── what it printed ──", "printed"),
    ]


@pytest.mark.parametrize(
    ("call", "said"),
    [
        ("call-2", f"{LARGE} (fresh): 2 attempts, 6.6 s, 2,100 tokens in, 310 out, $0.0109"),
        (
            "call-3",
            f"{LOCAL} (fresh): 6.4 s, about 2,100 tokens in, 310 out, cost not known, cut at the most tokens that were "
            "asked for",
        ),
        (
            "call-7",
            f"{SMALL}: failed, status 429, Too Many Requests, 2 attempts, 0.4 s, 0 tokens in, 0 out, $0",
        ),
        ("call-10", f"{SMALL}: cancelled, 3.0 s, about 2,100 tokens in, 12 out, $0.000549"),
        ("call-11", f"{SMALL}: no end was recorded, 0.0 s, 0 tokens in, 0 out, cost not known"),
    ],
)
def test_how_calls_went_is_told_of_each(call, said):
    kitchen = asked().ask("call-11", PROMPT)
    assert words.call(calls(kitchen.run)[call]) == said


def test_a_sample_is_shown_with_its_conversation():
    kitchen = sampled()
    found = lines(part_table(kitchen.run, kitchen.run.samples["2.1"], text=kitchen.text))
    assert found[:2] == ["sample 2.1", "came to not valid: mentions autumn: not met: it is about spring"]
    assert found[-4:] == ["── answered ──", "Spring rain", "on the roof", "all night"]
    document = part_document(kitchen.run, kitchen.run.samples["1.2"], text=kitchen.text)
    assert document["conversations"] == [], "what is cancelled has no call that brought it"
    assert document["sample"]["end"] == "cancelled"
