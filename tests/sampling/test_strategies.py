"""How a sampling goes on, and when it has enough."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bakeoff.errors import UsageError
from bakeoff.models import Message, Role
from bakeoff.sampling import MajorityVote, MultiTurn, Rejection, RepairTemplate, canonical, exact, sample
from bakeoff.testing.models import HANG, ScriptedModel
from sampling.samplings import Plan, ids, is_good, virtual
from virtual_clock import Stopwatch, run

PROMPT = [Message(role=Role.SYSTEM, content="Be good."), Message(content="Say it.")]


async def asked(strategy, prompt=PROMPT, answers=("one", "two", "good")):
    model = ScriptedModel(list(answers))
    result = await sample(prompt, model, [is_good], strategy=strategy, loop_budget=len(answers))
    assert result.success
    return [[(message.role.value, message.content) for message in request.messages] for request in model.requests]


# -- one after the other -----------------------------------------------------------------------------------------------


@pytest.mark.promise("S8")
@virtual
async def test_rejection_asks_the_same_again():
    first, second, third = await asked(Rejection())
    assert first == second == third == [("system", "Be good."), ("user", "Say it.")]


@pytest.mark.promise("S8")
@virtual
async def test_repair_asks_anew_with_what_was_wrong_with_the_last_one():
    first, second, third = await asked(RepairTemplate())
    assert first == [("system", "Be good."), ("user", "Say it.")]
    assert [role for role, _ in second] == ["system", "user"]
    said = second[1][1]
    assert said.startswith("Say it.\n\nAn earlier answer to this was refused:\n\none\n")
    assert "\n- It says so: one is not good\n" in said
    assert "two" in third[1][1]
    assert "one" not in third[1][1].replace("answer", ""), "of the last one only"


@pytest.mark.promise("S8")
@virtual
async def test_repair_after_a_turn_of_the_model_is_a_turn_of_its_own():
    prompt = [*PROMPT, Message(role=Role.ASSISTANT, content="Say what?")]
    _, second, _ = await asked(RepairTemplate(), prompt)
    assert [role for role, _ in second] == ["system", "user", "assistant", "user"]


@pytest.mark.promise("S8")
@virtual
async def test_multi_turn_goes_on_with_the_conversation():
    _, second, third = await asked(MultiTurn())
    assert [role for role, _ in third] == ["system", "user", "assistant", "user", "assistant", "user"]
    assert third[:4] == second
    assert third[4] == ("assistant", "two")
    assert "- It says so: two is not good" in third[5][1]


@pytest.mark.promise("S8")
@virtual
async def test_a_turn_without_a_word_is_not_sent_as_such():
    """Anthropic refuses an empty message with status 400."""
    _, second, _ = await asked(MultiTurn(), answers=(" \n", "two", "good"))
    assert second[2] == ("assistant", "(no answer)")


@pytest.mark.promise("S8")
@pytest.mark.parametrize("strategy", [RepairTemplate, MultiTurn])
@virtual
async def test_templates_are_the_users_and_answers_are_no_templates(strategy):
    _, second, _ = await asked(
        strategy(template='{answer} was wrong: {reasons} {"a": 1}'), answers=("{reasons}", "two", "good")
    )
    assert second[-1][1].endswith('{reasons} was wrong: - It says so: {reasons} is not good {"a": 1}')


@pytest.mark.parametrize("strategy", [RepairTemplate, MultiTurn])
@pytest.mark.parametrize(("template", "named"), [("{}", "{}"), ("{answers} {reason}", "{answers}, {reason}")])
def test_a_template_with_unknown_fields_is_refused(strategy, template: str, named: str):
    with pytest.raises(UsageError, match="the template has") as caught:
        strategy(template=template)
    assert named in caught.value.message
    assert "{answer} and {reasons}" in str(caught.value)


@pytest.mark.promise("S8")
@virtual
async def test_users_write_their_own():
    """One that asks for more each time, has enough of two, and takes the longest."""

    class Longer:
        def ask(self, prompt, earlier):
            return [*prompt, Message(content=f"At least {len(earlier)} letters.")]

        def has_enough(self, valid, *, still):
            return len(valid) == 2

        def select(self, valid):
            return max(range(len(valid)), key=lambda index: len(valid[index].text))

        def select_from_failure(self, samples):
            return 0

    plan = Plan({(1, 1): "good", (2, 2): "good one", (3, 1): HANG}, {(2, 1): 2.0})
    model = plan.model()
    result = await sample("?", model, [is_good], strategy=Longer(), loop_budget=2, concurrency_budget=3)
    assert result.text == "good one"
    assert [message.content for message in model.requests[-1].messages] == ["?", "At least 1 letters."]
    assert model.open == 0


# -- majority vote -----------------------------------------------------------------------------------------------------


@pytest.mark.promise("S8")
@virtual
async def test_the_majority_wins_as_soon_as_nobody_can_catch_up():
    plan = Plan({(1, 1): "a", (2, 1): "b", (3, 1): "b", (4, 1): "b", (5, 1): HANG}, {(1, 1): 5.0})
    watch, model = Stopwatch(), plan.model()
    result = await sample("?", model, strategy=MajorityVote(), concurrency_budget=5)
    assert result.text == "b"
    assert watch.read() == 1.0, "three of five"
    assert (ids(result), model.open, result.cancelled) == (["2.1", "3.1", "4.1"], 0, 2)


@pytest.mark.promise("S8", "S12")
@settings(max_examples=60)
@given(
    votes=st.lists(st.sampled_from("abc-"), min_size=1, max_size=7),
    seconds=st.permutations(range(7)),
    backend=st.sampled_from(["asyncio", "trio"]),
)
def test_the_order_in_which_votes_arrive_never_matters(votes: list[str], seconds: list[int], backend: str):
    """`-` is not valid, and no vote. Of equally many votes the answer that comes first by place wins."""
    spots = [(number, 1) for number in range(1, len(votes) + 1)]
    plan = Plan(
        {spot: "bad" if vote == "-" else f"good {vote}" for spot, vote in zip(spots, votes, strict=True)},
        {spot: second + 1.0 for spot, second in zip(spots, seconds, strict=False)},
    )

    async def main() -> None:
        model = plan.model()
        result = await sample("?", model, [is_good], strategy=MajorityVote(), concurrency_budget=len(votes))
        counts = Counter(vote for vote in votes if vote != "-")
        assert model.open == 0
        assert result.success == bool(counts)
        if counts:
            assert result.text == f"good {counts.most_common(1)[0][0]}"

    run(main, backend)


@pytest.mark.promise("S8")
@virtual
async def test_answers_count_as_one_by_what_they_mean_or_by_a_key():
    answers = ["0", '{"a": 1, "b": 2}', '```json\n{"b": 2,\n "a": 1}\n```']
    plan = {(number, 1): answer for number, answer in enumerate(answers, start=1)}
    assert (await sample("?", Plan(plan).model(), strategy=MajorityVote(), concurrency_budget=3)).text == "0"
    by_meaning = await sample("?", Plan(plan).model(), strategy=MajorityVote.of_canonical(), concurrency_budget=3)
    assert by_meaning.text == answers[1]
    by_length = await sample("?", Plan(plan).model(), strategy=MajorityVote(key=len), concurrency_budget=3)
    assert by_length.text == "0"


@pytest.mark.promise("S8")
@virtual
async def test_a_vote_asks_as_it_is_told_and_counts_what_is_valid():
    model = Plan({(1, 2): "good 1", (2, 1): "good 2", (3, 2): "good 1"}).model()
    vote = MajorityVote(each=RepairTemplate())
    result = await sample("?", model, [is_good], strategy=vote, loop_budget=2, concurrency_budget=3)
    assert result.text == "good 1"
    assert any("refused" in request.messages[0].content for request in model.requests)
    none = await sample("?", ScriptedModel("bad"), [is_good], strategy=vote, concurrency_budget=2)
    assert (none.success, none.text) == (False, "bad")


# -- what counts as one answer -----------------------------------------------------------------------------------------

ALIKE = [
    (' {"a": [1, 2], "b": null}', '```json\n{"b":null, "a":[1,2]}\n```'),
    ("the  answer\nis 42", "the answer is 42 "),
    (
        'def f(items):\n    """Text."""\n    return sum(items)  # all',
        "```python\ndef f(items):\n\n    return sum( items )\n```",
    ),
    ("def f(a):\n    total = a + 1\n    return total\n", "def f(a):\n    x = a + 1\n    return x\n"),
    ("", "  "),
    ("\udcff", "\udcff "),
]


@pytest.mark.parametrize(("one", "other"), ALIKE)
def test_what_means_the_same_has_one_canonical_form(one: str, other: str):
    assert canonical(one) == canonical(other)
    assert exact(one) == one.strip()


@pytest.mark.parametrize(
    ("one", "other"), [("1", "2"), ("[1, 2]", "[2, 1]"), ("a b", "ab"), ("def f(): return 1", "def f(): return 2")]
)
def test_what_does_not_has_two(one: str, other: str):
    assert canonical(one) != canonical(other)


@given(st.text())
def test_every_text_has_a_canonical_form_whatever_white_space_is_around(text: str):
    assert canonical(f" {text}\n") == canonical(text)
