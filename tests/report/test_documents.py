from __future__ import annotations

import json
from pathlib import Path

import anyio
import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bakeoff.events import Decision, Evidence, Run, State, Verdict
from bakeoff.report.documents import as_json, result_document, results_document
from bakeoff.report.foreign import ODD
from bakeoff.report.tables import part_document, run_document
from bakeoff.store import Store
from report.kitchen import (
    JOINED,
    LARGE,
    LOCAL,
    SMALL,
    Kitchen,
    asked,
    ended_with,
    hostile,
    hostile_sampling,
    judged,
    opened,
    won,
)

CANDIDATE = {
    *("name", "id", "source", "parents", "verdict", "decision", "speedup", "evidence", "reason", "counterexample"),
}
"""What `--json` promises of a candidate."""


def document(kitchen: Kitchen) -> dict:
    """The document as a script reads it."""
    return json.loads(msgspec.json.encode(result_document(kitchen.run, text=kitchen.text), enc_hook=str))


def test_the_document_has_the_shape_that_is_promised():
    found = document(won())
    assert set(found) >= {"run", "target", "baseline", "candidates", "winner", "sandbox", "seconds"}
    assert (found["run"], found["target"]) == ("01KDVQ4M6XJ2ZC8R", "shop/text.py::slugify")
    assert (found["sandbox"], found["seconds"]) == ("T2", 57.0)
    promised = {
        "tests": 41,
        "tests_reaching_target": 12,
        "recorded_calls": 230,
        "flaky": ["tests/test_clock.py::test_now"],
    }
    assert found["baseline"].items() >= promised.items()
    assert all(set(candidate) >= CANDIDATE for candidate in found["candidates"])
    first = {candidate["name"]: candidate for candidate in found["candidates"]}["join-strings+list-membership"]
    assert first["id"] == "id-join-strings+list-membership"
    assert (first["source"], first["parents"], first["verdict"], first["decision"]) == (
        "rules",
        [],
        "verified",
        "faster",
    )
    assert first["speedup"] == {"estimate": 3.1, "low": 2.9, "high": 3.3}
    assert first["evidence"].items() >= {"tests": 12, "recorded_calls": 230, "generated_inputs": 500}.items()
    assert (first["reason"], first["counterexample"]) == (None, None)
    assert found["winner"].items() >= {"name": first["name"], "speedup": first["speedup"], "diff": JOINED}.items()


def test_candidates_that_are_out_say_why():
    found = {candidate["name"]: candidate for candidate in document(won())["candidates"]}
    wrong = found["translate"]
    assert (wrong["verdict"], wrong["decision"], wrong["speedup"]) == ("wrong", None, None)
    assert wrong["counterexample"] == "slugify('İstanbul', sep='')"
    assert wrong["reason"].startswith(wrong["counterexample"])
    assert wrong["differences"][0]["snippet"].startswith("from shop.text import slugify")
    assert wrong["suspicions"] == ["it opens test_text.py"]
    assert found["casefold"]["failures"][0]["actual"] == "failed"
    assert found["join-strings@1"]["verdict"] == "duplicate"
    assert found["join-strings@1"]["duplicate_of"] == "id-join-strings"
    assert "duplicate_of" not in wrong
    assert found["forever"]["verdict"] == "timed-out"


def test_the_document_also_tells_of_the_machine():
    found = document(won())
    assert found["noise"] == {
        "placebo": {"estimate": 1.0, "low": 0.996, "high": 1.004},
        "noisy": False,
        "clock": "cpu",
        "load": 0.3,
        "covered": 0.97,
        "processes": 48,
    }
    assert found["warnings"] == ["only 3 of 4 slots could be opened: [Errno 28] No space left on device"]
    assert found["profile"]["baseline"]["functions"][0]["lines"][0]["number"] == 11
    assert found["profile"]["winner"]["functions"][0]["seconds"] == 0.0131
    assert found["state"] == "done"


def test_there_is_no_winner_where_nothing_is_faster():
    assert document(ended_with("a", speedups=[(Decision.NO_DIFFERENCE, 1.0)]))["winner"] is None


def test_an_interrupted_run_has_candidates_without_a_verdict():
    kitchen = opened().propose("a").propose("b").judge("b", Verdict.WRONG).end(State.INTERRUPTED)
    found = document(kitchen)
    assert (found["state"], found["winner"], found["noise"]) == ("interrupted", None, None)
    assert [candidate["verdict"] for candidate in found["candidates"]] == [None, "wrong"]
    assert set(found["candidates"][0]) >= CANDIDATE


def test_a_run_that_has_hardly_begun_is_a_document_too():
    found = document(Kitchen(opened().log[0].event))
    assert (found["baseline"], found["sandbox"], found["candidates"]) == (None, None, [])


def test_a_verdict_that_was_taken_back_takes_the_speedup_with_it():
    kitchen = opened().propose("a").verify("a").measure("a", Decision.FASTER, 2.0, 3.0, 4.0)
    kitchen.judge("a", Verdict.WRONG, "tests/test_rest.py::test_it fails", evidence=Evidence(tests=41))
    (found,) = document(kitchen)["candidates"]
    assert (found["verdict"], found["decision"], found["speedup"]) == ("wrong", None, None)


def test_several_targets_are_one_document_each():
    kitchen = judged()
    one = result_document(kitchen.run, text=kitchen.text)
    assert results_document([kitchen.run], text=kitchen.text) == one
    assert results_document([kitchen.run, kitchen.run], text=kitchen.text) == {"targets": [one, one]}


def test_a_diff_of_what_is_no_text_can_be_told():
    kitchen = opened().propose("latin", JOINED + "+# caf\udce9\n").verify("latin").end(winner="latin")
    assert document(kitchen)["winner"]["diff"].endswith("+# caf\ufffd\n")


def test_what_calls_took_is_a_part_of_it():
    found = document(asked())["spent"]
    assert (found["calls"], found["attempts"], found["failed"], found["cancelled"], found["open"]) == (10, 12, 5, 1, 0)
    assert (found["tokens_in"], found["tokens_out"], found["is_estimate"]) == (14_700, 1872, True)
    assert found["cost"] is None, "one of the models has no price"
    assert found["known_cost"] == pytest.approx(0.017744)
    assert found["failures"] == {
        "status 429, Too Many Requests": 2,
        "status 529, Overloaded": 1,
        "status 500, Internal Server Error": 1,
        f"{LARGE} did not answer within 600 s": 1,
    }
    assert found["limited"]["openai"] == {"times": 2, "least": 1, "longest": 4.0}
    assert list(found["by_model"]) == [SMALL, LARGE, LOCAL]
    small, local = found["by_model"][SMALL], found["by_model"][LOCAL]
    assert small["cost"] == small["known_cost"] == pytest.approx(0.006794)
    assert small["price"] == {
        "tokens_in": 0.25,
        "tokens_out": 2.0,
        "tokens_cached": 0.025,
        "date": "2026-01-01",
        "origin": "genai-prices 1",
    }
    assert (local["cost"], local["known_cost"], local["price"]) == (None, 0.0, None)
    assert (found["by_model"][LARGE]["queued"], found["by_model"][LARGE]["backed_off"]) == (1.5, 12.0)


def test_a_run_without_calls_has_spent_nothing():
    found = document(won())["spent"]
    assert (found["calls"], found["cost"], found["by_model"], found["failures"]) == (0, 0.0, {}, {})


def test_candidates_tell_what_they_were_asked_for_and_by_which_calls():
    found = {candidate["name"]: candidate for candidate in document(asked())["candidates"]}
    assert (found["gpt-5-mini-1"]["descent"], found["gpt-5-mini-1"]["calls"]) == ("fresh", ["call-1"])
    assert (found["gpt-5-mini-2"]["descent"], found["gpt-5-mini-2"]["parents"]) == ("repair", ["id-gpt-5-mini-1"])
    assert found["gpt-5-mini-4"]["descent"] == "adaptation"


# ── As JSON ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def all_documents(kitchen: Kitchen) -> list[dict]:
    run, text = kitchen.run, kitchen.text
    parts = [part_document(run, one, text=text) for one in (*run.candidates.values(), *run.samples.values())]
    return [results_document([run, run], text=text), run_document(run, alive=False, text=text), *parts]


def check_plain(written: str) -> None:
    """Valid JSON that UTF-8 can hold, and of which a terminal shows every character."""
    written.encode()
    assert not ODD.search(written)
    json.loads(written, parse_constant=pytest.fail)


def test_documents_of_hostile_runs_are_harmless():
    for kitchen in (hostile(), hostile_sampling()):
        for one in all_documents(kitchen):
            check_plain(as_json(one))


@settings(max_examples=30)
@given(
    st.text(
        st.characters(codec=None) | st.sampled_from("\\\"'/\n\r\t \x1b\x9b\u202e\udcff\U000e0041"),
        min_size=1,
        max_size=30,
    )
)
def test_documents_of_whatever_candidates_wrote_are_harmless(text):
    for kitchen in (hostile(text), hostile_sampling(text)):
        for one in all_documents(kitchen):
            check_plain(as_json(one))


_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
)


@given(_VALUES)
def test_what_is_no_lone_surrogate_comes_back_as_it_was(value):
    assert json.loads(as_json(value)) == value


def test_numbers_that_json_has_not_are_null():
    assert json.loads(as_json({"a": float("nan"), "b": float("inf")})) == {"a": None, "b": None}


def test_a_run_that_was_stored_makes_the_same_document(tmp_path: Path):
    kitchen = won()

    async def write() -> str:
        async with Store(tmp_path / "s.sqlite").record() as log:
            for text in kitchen.texts.values():
                log.keep(text)
            for recorded in kitchen.log:
                await log.append(recorded.event)
            return log.run

    store = Store(tmp_path / "s.sqlite")
    run = Run.of(store.events(anyio.run(write)))
    mine, theirs = document(kitchen), result_document(run, text=store.text)
    own = {"run", "seconds"}
    again = json.loads(msgspec.json.encode(theirs))
    assert {name: again[name] for name in again.keys() - own} == {name: mine[name] for name in mine.keys() - own}
