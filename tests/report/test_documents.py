from __future__ import annotations

import json
from pathlib import Path

import anyio
import msgspec

from bakeoff.events import Decision, Evidence, Run, State, Verdict
from bakeoff.report.documents import result_document, results_document
from bakeoff.store import Store
from report.kitchen import JOINED, Kitchen, ended_with, judged, opened, won

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
