from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bakeoff.events import CallBegan, CallEnd, CallEnded, PricesFound, RunStarted, Spent
from bakeoff.report import spending, words
from bakeoff.report.calls import Request, Turn, calls, calls_of
from report.kitchen import LARGE, LOCAL, PROMPT, SMALL, SYSTEM, Kitchen, asked, opened


def test_what_calls_took_is_told_in_all_and_by_model():
    assert words.spent(asked().run) == [
        (
            "models",
            "10 calls in 12 attempts, 1 cancelled: about 14,700 tokens in, 1,872 out, at least $0.0177",
        ),
        ("", f"{SMALL}: 7 calls in 8 attempts, 1 cancelled: about 10,500 tokens in, 1,252 out, $0.00679"),
        ("", f"{LARGE}: 2 calls in 3 attempts: 2,100 tokens in, 310 out, $0.0109"),
        ("", f"{LOCAL}: 1 call: about 2,100 tokens in, 310 out, cost not known"),
        (
            "failed",
            "2 attempts: status 429, Too Many Requests; 1 attempt: status 529, Overloaded; "
            f"1 attempt: status 500, Internal Server Error; 1 attempt: {LARGE} did not answer within 600 s",
        ),
        ("limited", "anthropic: 1 time, to 2 calls at once, a pause of 12 s"),
        ("", "openai: 2 times, to 1 call at once at the least, the longest pause 4.0 s"),
    ]


def test_a_run_without_calls_has_nothing_to_say_of_them():
    assert words.spent(opened().run) == []


def test_one_model_is_named_where_the_calls_are_counted():
    kitchen = opened().ask("c", PROMPT).answer("c", "text", 0.25)
    assert words.spent(kitchen.run) == [("models", f"1 call of {SMALL}: 2,100 tokens in, 310 out, $0.25")]


def test_more_models_than_anybody_reads_are_counted():
    kitchen = opened()
    for number in range(9):
        kitchen.ask(f"c{number}", PROMPT, model=f"m:{number}").answer(f"c{number}", "text", 0.1)
    assert [said for _, said in words.spent(kitchen.run)][-2:] == [
        "m:5: 1 call: 2,100 tokens in, 310 out, $0.10",
        "and 3 others",
    ]


def test_more_kinds_of_failures_than_anybody_reads_are_counted():
    kitchen = opened()
    for number in range(8):
        kitchen.ask(f"c{number}", PROMPT).fail(f"c{number}", None, f"error {number}")
    assert words.failures(kitchen.run)[-2:] == ["1 attempt: error 4", "3 others"]


def test_a_cost_that_nobody_knows_is_not_zero():
    kitchen = opened().ask("c", PROMPT, model=LOCAL).answer("c", "text", None)
    spent = spending.total(kitchen.run.attempts.values())
    assert spending.cost(spent) is None
    assert words.cost(spent) == "cost not known"
    assert words.cost(Spent(cost=0.5, unpriced=1)) == "at least $0.50"
    assert words.cost(Spent()) == "$0"


def test_what_had_no_end_when_a_process_died_leaves_the_cost_open():
    kitchen = opened().ask("c", PROMPT).answer("c", "text", 0.25).ask("lost", PROMPT)
    start = kitchen.log[0].event
    assert isinstance(start, RunStarted)
    kitchen.say(start)  # the run goes on
    assert not kitchen.run.spent.open
    assert words.spent(kitchen.run) == [
        ("models", f"2 calls of {SMALL}, 1 open: 2,100 tokens in, 310 out, at least $0.25")
    ]


def test_what_a_provider_says_to_its_own_error_is_not_repeated():
    assert "org-1234" not in str(words.spent(asked().run))
    assert words.failures(opened().ask("c", PROMPT).fail("c", 499, "org-1234").run) == ["1 attempt: status 499"]


@pytest.mark.parametrize(
    ("found", "said"),
    [
        (None, "not known"),
        (PricesFound(model=LOCAL), "not known"),
        (PricesFound(model=LOCAL, tokens_in=0.0, tokens_out=0.0), "$0 in, $0 out for a million tokens"),
        (
            PricesFound(model=SMALL, tokens_in=0.25, tokens_out=2, tokens_cached=0.025, date="2026-01-01", origin="us"),
            "$0.25 in, $2.00 out, $0.025 in from the cache for a million tokens, as of 2026-01-01 (us)",
        ),
    ],
)
def test_prices_are_told_with_their_date(found, said):
    assert words.price(found) == said


@pytest.mark.parametrize(
    ("amount", "said"),
    [
        *((0.0, "$0"), (0.01234, "$0.0123"), (0.25, "$0.25"), (12.3, "$12.30"), (1234.5, "$1,234.50")),
        *((0.00012, "$0.00012"), (0.999999, "$1.00"), (1e-9, "less than $0.000001")),
    ],
)
def test_dollars_have_the_digits_that_mean_something(amount, said):
    assert words.dollars(amount) == said


@given(st.floats(1e-6, 1e9))
def test_dollars_are_never_further_off_than_their_digits_say(amount):
    said = words.dollars(amount)
    assert re.fullmatch(r"\$[\d,]+\.\d{2,8}", said)
    assert float(said[1:].replace(",", "")) == pytest.approx(amount, rel=0.0051, abs=0.0 if amount < 1 else 0.00501)


_ATTEMPTS = st.lists(
    st.tuples(
        st.sampled_from([SMALL, LARGE, LOCAL]),
        st.sampled_from([None, *CallEnd]),
        st.none() | st.integers(0, 1000).map(lambda cents: cents / 100),
        st.integers(0, 5000),
        st.booleans(),
    ),
    max_size=20,
)


@given(_ATTEMPTS)
def test_models_add_up_to_the_whole(attempts):
    kitchen = opened()
    for number, (model, end, cost, tokens, estimate) in enumerate(attempts):
        kitchen.say(CallBegan(call=str(number), model=model))
        if end is not None:
            kitchen.say(CallEnded(call=str(number), end=end, cost=cost, tokens_in=tokens, is_estimate=estimate))
    run = kitchen.run
    whole, parts = spending.total(run.attempts.values()), list(spending.by_model(run).values())
    for name in ("calls", "attempts", "failed", "cancelled", "tokens_in", "estimated", "unpriced"):
        assert getattr(whole, name) == sum(getattr(part, name) for part in parts) == getattr(run.spent, name)
    assert whole.cost == pytest.approx(sum(part.cost for part in parts))
    assert sorted(whole.open) == sorted(place for part in parts for place in part.open) == sorted(run.spent.open)
    costs = [spending.cost(part) for part in parts]
    assert (spending.cost(whole) is None) is (None in costs)
    assert spending.failures(run.attempts.values()).total() == whole.failed


# ── Calls as they were recorded ──────────────────────────────────────────────────────────────────────────────────────


def test_a_request_is_read_as_it_was_recorded():
    kitchen = asked()
    call = calls(kitchen.run)["call-4"]
    assert call.request is not None
    request = Request.of(kitchen.text(call.request))
    assert [turn.role for turn in request.turns] == ["system", "user", "assistant", "user"]
    assert request.turns[:2] == (Turn(role="system", content=SYSTEM), Turn(role="user", content=PROMPT))
    assert request.settings == (("max_tokens", "4096"), ("temperature", "0.8"))


@pytest.mark.parametrize(
    "text", ["", "no JSON", "[]", '{"messages": "x"}', '{"messages": [1]}', "{}", "\ud800", "1e999"]
)
def test_a_request_that_is_none_of_ours_is_shown_as_it_is(text):
    assert Request.of(text) == Request(turns=(Turn(role="", content=text),))


def test_the_answer_of_a_call_is_that_of_the_attempt_that_succeeded():
    kitchen = asked()
    known = calls(kitchen.run)
    assert len(known["call-2"].attempts) == 2
    assert known["call-2"].answer == kitchen.run.attempts["call-2", 2].ended.answer is not None
    assert known["call-8"].answer is known["call-10"].answer is None
    assert [call.id for call in calls_of(kitchen.run, ("call-3", "unknown", "call-1", "call-3"))] == [
        "call-3",
        "call-1",
    ]


def test_a_call_of_which_only_the_beginning_is_there():
    kitchen = Kitchen().say(CallBegan(call="c", model=SMALL))
    (call,) = calls_of(kitchen.run, ("c",))
    assert (call.id, call.model, call.purpose, call.request, call.answer) == ("c", SMALL, "", None, None)
