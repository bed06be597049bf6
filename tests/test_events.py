from __future__ import annotations

import re
from datetime import UTC, datetime

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bakeoff.events import (
    AttemptState,
    Better,
    CallBegan,
    CallEnd,
    CallEnded,
    CandidateJudged,
    CandidateMeasured,
    CandidateProposed,
    CellBegan,
    CellEnded,
    CellPlanned,
    CellScored,
    CellsPlanned,
    CellStatus,
    Decision,
    Event,
    MatrixBegan,
    MatrixStopped,
    PoolOpened,
    PricesFound,
    ProviderLimited,
    ProviderRecovered,
    Recorded,
    Run,
    RunEnded,
    RunStarted,
    SandboxFound,
    ScoringBegan,
    Speedup,
    State,
    StopCause,
    Text,
    Unknown,
    Verdict,
    Warned,
    decode,
    encode,
    vocabulary,
)

WORDS = st.text(max_size=20)
PERHAPS = st.none() | WORDS
COUNTS = st.integers(min_value=0, max_value=2**53)
NUMBERS = st.floats(allow_nan=False, allow_infinity=False)
TEXTS = st.none() | st.builds(Text, sha256=WORDS, size=COUNTS)
NAMES = st.dictionaries(WORDS, WORDS, max_size=2)
SCORES = st.dictionaries(WORDS, NUMBERS, max_size=2)
PLANNED = st.builds(CellPlanned, cell=WORDS, coordinates=NAMES, repeat=COUNTS, providers=st.tuples(WORDS))
EVENTS = st.one_of(
    st.builds(
        RunStarted,
        command=WORDS,
        arguments=st.lists(WORDS, max_size=3).map(tuple),
        version=WORDS,
        target=PERHAPS,
        base=PERHAPS,
    ),
    st.builds(PoolOpened, kind=WORDS, asked=COUNTS, size=COUNTS),
    st.builds(SandboxFound, tier=WORDS, layers=st.tuples(WORDS), missing=st.dictionaries(WORDS, WORDS, max_size=2)),
    st.builds(CandidateProposed, candidate=WORDS, name=WORDS, source=WORDS, patch=TEXTS),
    st.builds(CandidateJudged, candidate=WORDS, verdict=st.sampled_from(Verdict), reason=PERHAPS, log=TEXTS),
    st.builds(
        CandidateMeasured,
        candidate=WORDS,
        decision=st.sampled_from(Decision),
        speedup=st.builds(Speedup, estimate=NUMBERS, low=NUMBERS, high=NUMBERS),
    ),
    st.builds(CallBegan, call=WORDS, model=WORDS, request=TEXTS, most=st.none() | NUMBERS),
    st.builds(
        CallEnded, call=WORDS, attempt=COUNTS, end=st.sampled_from(CallEnd), cost=st.none() | NUMBERS, error=PERHAPS
    ),
    st.builds(PricesFound, model=WORDS, tokens_in=st.none() | NUMBERS),
    st.builds(ProviderLimited, provider=WORDS, limit=COUNTS),
    st.builds(ProviderRecovered, provider=WORDS, limit=COUNTS),
    st.builds(
        MatrixBegan,
        name=WORDS,
        digest=WORDS,
        scoring=WORDS,
        axes=st.dictionaries(WORDS, st.tuples(WORDS, WORDS), max_size=2),
        cells=COUNTS,
        better=st.dictionaries(WORDS, st.sampled_from(Better), max_size=2),
        caps=st.dictionaries(WORDS, COUNTS, max_size=2),
        definition=st.builds(Text, sha256=WORDS, size=COUNTS),
    ),
    st.builds(CellsPlanned, digest=WORDS, cells=st.lists(PLANNED, max_size=2).map(tuple)),
    st.builds(CellBegan, cell=WORDS, tries=COUNTS),
    st.builds(
        CellEnded,
        cell=WORDS,
        coordinates=NAMES,
        status=st.sampled_from(CellStatus),
        duration_ms=st.none() | NUMBERS,
        calls=st.tuples(WORDS),
        answer=TEXTS,
        metrics=SCORES,
        unscored=NAMES,
        error=PERHAPS,
    ),
    st.builds(ScoringBegan, scoring=WORDS, scorers=st.tuples(WORDS), definition=TEXTS),
    st.builds(CellScored, cell=WORDS, scoring=WORDS, metrics=SCORES, unscored=NAMES),
    st.builds(MatrixStopped, cause=st.sampled_from(StopCause), reason=WORDS, missing=COUNTS),
    st.builds(Warned, message=WORDS),
    st.builds(RunEnded, state=st.sampled_from(State), error=PERHAPS, winner=PERHAPS),
    st.builds(Unknown, name=st.just("from-the-future.3"), body=st.just(b'{"a":1}')),
)
NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


def log_of(*happened: Event) -> list[Recorded]:
    return [
        Recorded(run="run", sequence=sequence, time=NOON.replace(minute=sequence), event=event)
        for sequence, event in enumerate(happened, 1)
    ]


START = RunStarted(command="optimize", version="1")
PROPOSED = CandidateProposed(candidate="c", name="c", source="rules")
JUDGED = CandidateJudged(candidate="c", verdict=Verdict.VERIFIED)
MEASURED = CandidateMeasured(candidate="c", decision=Decision.FASTER, speedup=Speedup(estimate=2.0, low=1.0, high=3.0))


@given(EVENTS)
def test_an_event_survives_the_wire(event):
    assert decode(*encode(event)) == event


def test_names_on_the_wire_are_unique_and_carry_a_version():
    names = [event.wire for event in vocabulary._VOCABULARY]
    assert len(set(names)) == len(names)
    assert all(re.fullmatch(r"[a-z]+(-[a-z]+)*\.[1-9]\d*", name) for name in names)


def test_every_event_of_the_module_is_in_the_vocabulary():
    declared = {kind for kind in vars(vocabulary).values() if isinstance(kind, type) and issubclass(kind, Event)}
    assert declared - {Event, Unknown} == set(vocabulary._VOCABULARY)


def test_an_event_without_a_name_on_the_wire_cannot_be_recorded():
    with pytest.raises(TypeError, match="Event has no name"):
        encode(Event())


def test_fields_added_by_a_newer_bakeoff_are_passed_over():
    assert decode("warned.1", b'{"message": "m", "colour": "red"}') == Warned(message="m")


def test_an_unknown_event_is_kept_as_it_was_written():
    assert decode("warned.2", b'{"m": 1}') == Unknown(name="warned.2", body=b'{"m": 1}')


@pytest.mark.parametrize("body", [b"", b"{", b"{}", b'{"message": 1}', b'{"message": "\xff"}'])
def test_a_body_that_is_not_what_its_name_says_is_refused(body):
    with pytest.raises((msgspec.DecodeError, UnicodeDecodeError)):
        decode("warned.1", body)


def test_lone_surrogates_are_refused_where_json_cannot_hold_them():
    with pytest.raises(UnicodeEncodeError):
        encode(Warned(message="\udcff"))


def test_an_old_shape_is_read_as_todays(monkeypatch):
    class WarnedOnce(Event, frozen=True, kw_only=True):
        wire = "warned.0"
        text: str

        def upgraded(self) -> Event:
            return Warned(message=self.text)

    monkeypatch.setitem(vocabulary._DECODERS, WarnedOnce.wire, msgspec.json.Decoder(WarnedOnce))
    assert decode(*encode(WarnedOnce(text="old"))) == Warned(message="old")


def test_a_run_is_what_its_events_say():
    pool = PoolOpened(kind="worktree", asked=2, size=1)
    sandbox = SandboxFound(tier="T2", layers=("files",), missing={"cgroup": "Permission denied"})
    end = RunEnded(state=State.DONE, winner="c")
    log = log_of(START, pool, sandbox, Warned(message="one slot"), PROPOSED, JUDGED, MEASURED, end)
    run = Run.of(log)
    assert (run.id, run.state, run.events, run.start, run.end, run.pool) == ("run", State.DONE, 8, START, end, pool)
    assert run.sandbox == sandbox
    assert (run.started, run.last) == (log[0].time, log[-1].time)
    assert run.warnings == ["one slot"]
    state = run.candidates["c"]
    assert (state.proposed, state.judged, state.measured) == (PROPOSED, JUDGED, MEASURED)


def test_a_run_can_be_followed_event_by_event():
    log = log_of(START, PROPOSED, JUDGED, RunEnded(state=State.FAILED))
    run = Run.of(log[:1])
    for recorded in log[1:]:
        run.add(recorded)
    assert run == Run.of(log)


def test_a_resumed_run_runs_again():
    run = Run.of(log_of(START, PROPOSED, RunEnded(state=State.INTERRUPTED), START))
    assert (run.state, run.end, list(run.candidates)) == (State.RUNNING, None, ["c"])


def test_what_calls_took_is_the_sum_of_their_attempts():
    calls = [
        CallBegan(call="a", model="m:1"),
        CallBegan(call="b", model="m:1"),
        CallEnded(call="a", end=CallEnd.FAILED, tokens_in=10, cost=0.25),
        CallBegan(call="a", attempt=2, model="m:1"),
        CallEnded(
            call="b", end=CallEnd.CANCELLED, tokens_in=5, tokens_out=2, is_estimate=True, seconds=1.0, queued=0.5
        ),
        CallEnded(
            call="a", attempt=2, end=CallEnd.DONE, tokens_in=10, tokens_out=20, cost=0.5, seconds=2.0, backed_off=4.0
        ),
        CallBegan(call="c", model="m:1"),
    ]
    price = PricesFound(model="m:1", tokens_in=1.0)
    run = Run.of(log_of(START, price, *calls))
    spent = run.spent
    assert (spent.calls, spent.attempts, spent.failed, spent.cancelled) == (3, 4, 1, 1)
    assert (spent.tokens_in, spent.tokens_out, spent.cost, spent.unpriced) == (25, 22, 0.75, 1)
    assert (spent.estimated, spent.seconds, spent.queued, spent.backed_off) == (1, 3.0, 0.5, 4.0)
    assert list(spent.open) == [("c", 1)]
    assert list(run.attempts) == [("a", 1), ("b", 1), ("a", 2), ("c", 1)]
    assert run.attempts["a", 2] == AttemptState(began=calls[3], ended=calls[5])
    assert run.prices == {"m:1": price}
    run.add(Recorded(run="run", sequence=99, time=NOON, event=START))
    assert not spent.open  # whoever was in flight then is not any more


def test_how_providers_were_limited_is_kept_in_order():
    cuts = [ProviderLimited(provider="m", limit=limit, pause=1.0) for limit in (2, 1)]
    assert Run.of(log_of(START, *cuts)).limits == cuts


def test_an_attempt_begins_before_it_ends():
    with pytest.raises(ValueError, match="attempt 2 at call a ended before it began"):
        Run.of(log_of(CallBegan(call="a", model="m:1"), CallEnded(call="a", attempt=2, end=CallEnd.DONE)))


def test_the_unknown_changes_nothing_but_the_count():
    run = Run.of(log_of(START, Unknown(name="n.9", body=b"{}")))
    assert (run.events, run.state) == (2, State.RUNNING)


def test_no_events_make_no_run():
    with pytest.raises(ValueError, match="at least one event"):
        Run.of([])


@pytest.mark.parametrize("event", [JUDGED, MEASURED])
def test_a_candidate_is_proposed_before_it_is_judged(event):
    with pytest.raises(ValueError, match="before it was proposed"):
        Run.of(log_of(event))


A = CellPlanned(cell="a", coordinates={"model": "m", "task": "1"}, providers=("p",))
B = CellPlanned(cell="b", coordinates={"model": "m", "task": "2"}, providers=("p",))
C = CellPlanned(cell="c", coordinates={"model": "m", "task": "3"}, providers=("p",))


def matrix_of(*happened: Event) -> Run:
    return Run.of(log_of(RunStarted(command="matrix", version="1"), *happened))


def began(*cells: CellPlanned) -> list[Event]:
    name = "".join(cell.cell for cell in cells)
    text = Text(sha256=name, size=1)
    axes = {"model": ("m",), "task": tuple(cell.coordinates["task"] for cell in cells)}
    counts = {"cells": len(cells), "caps": {"p": 4}}
    started = MatrixBegan(name="n", digest=name, scoring="s", axes=axes, definition=text, **counts)
    return [started, CellsPlanned(digest=name, cells=cells)]


def ended(planned: CellPlanned, status: CellStatus = CellStatus.DONE, **said) -> CellEnded:
    return CellEnded(cell=planned.cell, coordinates=planned.coordinates, status=status, **said)


def test_a_cell_is_planned_then_open_then_done_or_failed_and_missing_again_where_it_was_cancelled():
    run = matrix_of(*began(A, B, C), CellBegan(cell="a"), CellBegan(cell="b"), ended(A, metrics={"exact": 1.0}))
    assert [state.status for state in run.matrix.current] == [CellStatus.DONE, None, None]
    assert [state.is_open for state in run.matrix.current] == [False, True, False]
    run.add(Recorded(run="run", sequence=9, time=NOON, event=ended(B, CellStatus.FAILED, error="no")))
    run.add(Recorded(run="run", sequence=10, time=NOON, event=ended(C, CellStatus.CANCELLED)))
    assert [state.status for state in run.matrix.current] == [CellStatus.DONE, CellStatus.FAILED, None]


def test_the_last_try_at_a_cell_counts_and_one_that_was_cancelled_takes_nothing_back():
    run = matrix_of(*began(A), ended(A, CellStatus.FAILED), CellBegan(cell="a", tries=2), ended(A, tries=2))
    assert run.matrix.cells["a"].status is CellStatus.DONE
    run = matrix_of(*began(A), ended(A, CellStatus.FAILED), CellBegan(cell="a"), ended(A, CellStatus.CANCELLED))
    assert run.matrix.cells["a"].status is CellStatus.FAILED
    assert not run.matrix.cells["a"].is_open


def test_cells_of_an_earlier_definition_are_kept_and_told_apart():
    run = matrix_of(*began(A, B), ended(A), ended(B), *began(B, C), ended(C))
    assert [state.planned for state in run.matrix.current] == [B, C]
    assert [state.status for state in run.matrix.current] == [CellStatus.DONE, CellStatus.DONE]
    assert [state.planned for state in run.matrix.former] == [A]
    back = matrix_of(*began(A, B), ended(A), *began(B, C), began(A, B)[0])
    assert [state.status for state in back.matrix.current] == [CellStatus.DONE, None]


def test_what_was_open_when_a_run_died_is_missing():
    start = RunStarted(command="matrix", version="1")
    stop = MatrixStopped(cause=StopCause.INTERRUPT, reason="", missing=1)
    run = matrix_of(*began(A), CellBegan(cell="a"), stop, start)
    assert not run.matrix.cells["a"].is_open
    assert run.matrix.stopped is None


def test_an_answer_may_be_scored_anew_until_there_is_another_answer():
    scored = CellScored(cell="a", scoring="t", metrics={"exact": 0.5})
    scoring = ScoringBegan(scoring="t", scorers=("exact",))
    run = matrix_of(*began(A), ended(A, metrics={"exact": 1.0}), scoring, scored)
    assert run.matrix.cells["a"].scores == scored
    assert run.matrix.scoring == scoring
    again = ended(A, metrics={"exact": 0.0}, tries=2)
    run.add(Recorded(run="run", sequence=9, time=NOON, event=again))
    assert run.matrix.cells["a"].scores == again


def test_who_scores_anew_says_which_of_its_numbers_are_better():
    first, planned = began(A)
    said = {"close": Better.LOWER, "marks": Better.LOWER, "marks.style": Better.HIGHER}
    run = matrix_of(msgspec.structs.replace(first, better=said), planned, ended(A))
    assert run.matrix.better == said
    scoring = ScoringBegan(scoring="t", scorers=("marks",), better={"marks": Better.HIGHER})
    run.add(Recorded(run="run", sequence=9, time=NOON, event=scoring))
    assert run.matrix.better == {"close": Better.LOWER, "marks": Better.HIGHER}
    run.add(Recorded(run="run", sequence=10, time=NOON, event=first))
    assert run.matrix.better == {}, "the definition that is run says it again"


def test_logs_from_before_it_was_said_which_numbers_are_better_are_read():
    body = b'{"name":"n","digest":"d","scoring":"s","axes":{},"cells":0,"definition":{"sha256":"x","size":1}}'
    event = decode("matrix-began.1", body)
    assert isinstance(event, MatrixBegan)
    assert event.better == {}
    assert decode("scoring-began.1", b'{"scoring":"t","scorers":["exact"]}').better == {}


def test_the_limits_of_providers_are_those_that_hold_now():
    run = matrix_of(*began(A), ProviderLimited(provider="p", limit=2, pause=1.0))
    assert (run.matrix.limits, len(run.limits)) == ({"p": 2}, 1)
    run.add(Recorded(run="run", sequence=9, time=NOON, event=ProviderRecovered(provider="p", limit=3)))
    assert run.matrix.limits == {"p": 3}


@pytest.mark.parametrize("event", [CellBegan(cell="x"), ended(A), CellScored(cell="x", scoring="s")])
def test_a_cell_is_planned_before_it_is_run(event):
    with pytest.raises(ValueError, match="before it was planned"):
        matrix_of(event)
