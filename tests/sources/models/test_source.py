"""Models as a source: what they are asked, what is proposed, and what becomes of it when they fail."""

from __future__ import annotations

from contextlib import aclosing
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import anyio
import pytest
from anyio.lowlevel import checkpoint

from bakeoff.errors import BudgetSpent, CallRefused, KeyMissing, ProviderBroken, ProviderError, UsageError
from bakeoff.events import CallEnd, Descent, Recorded, Run, Verdict, Warned
from bakeoff.fanout import all_of
from bakeoff.measure import Gate
from bakeoff.models import Account, Answer, Budget, Finish, Model, Request, Usage
from bakeoff.sources import Brief, Proposal, Scope
from bakeoff.sources.models.source import ModelsOptions, ModelsSource
from bakeoff.store import Store
from bakeoff.testing.models import HANG, ScriptedModel
from cancelling import cancelled_at
from sources.models.trials import TEXT, brief, tried, wrong

pytestmark = pytest.mark.anyio
JOINED = "def slugify(text):\n    return '-'.join(text.lower().split(' '))\n"
ANSWER = f"Splits once.\n\npkg/text.py\n```python\n{JOINED}```\n"


def answer(body: str) -> str:
    return f"An idea.\n\npkg/text.py\n```python\ndef slugify(text):\n    {body}\n```\n"


def attempt(request: Request) -> int:
    """The how many-th fresh idea a request asks for."""
    return int(request.messages[-1].content.split("This is attempt ")[1].partition(".")[0])


async def proposals(source: ModelsSource, told: Brief) -> list[Proposal]:
    return [proposal async for proposal in source.propose(told)]


def source_of(*models: Model, **options: Any) -> ModelsSource:
    return ModelsSource(lambda _: models, ModelsOptions(**options))


def contents(proposal: Proposal) -> str:
    assert proposal.change is not None
    found = proposal.change.contents["pkg/text.py"]
    assert found is not None
    return found.decode()


# -- fresh ideas -------------------------------------------------------------------------------------------------------


async def test_as_many_ideas_as_there_are_places():
    model = ScriptedModel(lambda request: answer(f"return {attempt(request)}"))
    found = await proposals(source_of(model), brief(most=5))
    assert sorted(one.name for one in found) == [f"scripted-{n}" for n in range(1, 6)]
    assert sorted(map(contents, found)) == [f"def slugify(text):\n    return {n}\n" for n in range(1, 6)]
    assert {one.descent for one in found} == {Descent.FRESH}
    assert {one.note for one in found} == {"An idea."}
    assert len({one.calls for one in found}) == 5
    assert model.peak == 5


async def test_no_two_are_asked_the_same():
    model = ScriptedModel(ANSWER)
    await proposals(source_of(model, temperature=0.7, max_tokens=100), brief(most=12))
    asked = [request.messages[-1].content for request in model.requests]
    assert len(set(asked)) == 12
    angles = {text.split("written\ndifferently.\n\n")[1].split("\n\n")[0] for text in asked}
    assert len(angles) > 5
    assert {(request.temperature, request.max_tokens) for request in model.requests} == {(0.7, 100)}


async def test_what_arrives_is_proposed_while_others_are_still_being_written():
    model = ScriptedModel(lambda request: ANSWER if attempt(request) == 3 else HANG)
    async with aclosing(source_of(model).propose(brief(most=4))) as found:
        first = await anext(found)
        assert first.name == "scripted-3"
        while model.open < 3:
            await checkpoint()
    assert model.open == 0


async def test_no_more_are_under_way_than_is_allowed_and_ideas_may_be_fewer_than_places():
    model = ScriptedModel(ANSWER)
    found = await proposals(source_of(model, at_once=2, fresh=5), brief(most=8))
    assert len(found) == 5
    assert model.peak <= 2


async def test_models_take_turns():
    one, other = ScriptedModel(ANSWER, name="one:a"), ScriptedModel(ANSWER, name="other:b")
    found = await proposals(source_of(one, other), brief(most=4))
    assert sorted(proposal.name.split("-")[0] for proposal in found) == ["one", "one", "other", "other"]


async def test_an_answer_with_alternatives_gives_several_as_long_as_there_are_places():
    several = "".join(f"```python\ndef slugify(text):\n    return {n}\n```\n" for n in range(3))
    model = ScriptedModel(several)
    found = await proposals(source_of(model, at_once=1), brief(most=5))
    assert [one.name for one in found] == ["scripted-1", "scripted-1b", "scripted-1c", "scripted-2", "scripted-2b"]
    assert len(model.requests) == 2
    assert len({one.calls for one in found}) == 2


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("I would rather not.", "there is no code in it"),
        ("", "the answer is empty"),
        ("```python\ndef slugify(text:\n```", "does not parse"),
        ("tests/test_text.py\n```python\nX = 1\n```", "tests are not for candidates to edit"),
        (Answer(text="```python\ndef slugify(", usage=Usage(), finish=Finish.LENGTH), "cut off at the most tokens"),
        (Answer(text="", usage=Usage(), finish=Finish.FILTERED), "the provider withheld"),
    ],
)
async def test_an_answer_that_cannot_be_used_is_a_proposal_with_the_reason(text: Any, problem: str):
    (found,) = await proposals(source_of(ScriptedModel(text)), brief(most=1))
    assert found.change is None
    assert problem in found.problem
    assert found.log == (text if isinstance(text, str) else text.text)
    assert len(found.calls) == 1


async def test_the_scope_is_told_and_kept():
    model = ScriptedModel("pkg/other.py\n```python\nX = 1\n```\n")
    (found,) = await proposals(source_of(model), brief(most=1, scope=Scope(globs=("pkg/text.py",))))
    assert "only these may be edited: pkg/text.py" in found.problem
    assert "You may edit: `pkg/text.py`." in model.requests[0].messages[0].content


# -- what came before --------------------------------------------------------------------------------------------------


async def test_what_a_killed_run_has_recorded_is_proposed_again_without_calls():
    model = ScriptedModel(ANSWER)
    earlier = (
        Proposal(name="scripted-1", change=None, problem="no"),
        Proposal(name="scripted-3", change=None, problem="no"),
        Proposal(name="scripted-1-repair", change=None, problem="no", descent=Descent.REPAIR),
    )
    found = await proposals(source_of(model), brief(most=4, earlier=earlier))
    assert tuple(found[:3]) == earlier
    assert {one.name for one in found[3:]} == {"scripted-2", "scripted-4"}
    assert {attempt(request) for request in model.requests} == {2, 4}


async def test_nobody_is_called_when_nothing_is_left_to_be_asked():
    def refuse(_: Brief) -> list[Model]:
        raise AssertionError

    source = ModelsSource(refuse)
    earlier = tuple(Proposal(name=f"scripted-{n}", change=None, problem="no") for n in (1, 2))
    assert await proposals(source, brief(most=2, earlier=earlier)) == list(earlier)
    assert await proposals(source, brief(most=0, tried=(tried("scripted-1", speedup=2.0),))) == []


async def test_models_are_opened_once_with_the_brief():
    opened: list[Brief] = []

    def open_models(told: Brief) -> list[Model]:
        opened.append(told)
        return [ScriptedModel(ANSWER)]

    source = ModelsSource(open_models)
    told = brief(most=1)
    await proposals(source, told)
    await proposals(source, told)
    assert opened == [told]


# -- what follows ------------------------------------------------------------------------------------------------------


@pytest.mark.promise("E9")
async def test_a_repair_sees_what_failed_and_why_and_takes_no_place():
    model = ScriptedModel(ANSWER)
    known = (wrong("scripted-1", text=TEXT.replace("lower", "casefold")), tried("scripted-2", Verdict.CRASHED))
    (found,) = await proposals(source_of(model), brief(most=0, tried=known))
    assert (found.name, found.descent, found.parents) == ("scripted-1-repair", Descent.REPAIR, ("scripted-1",))
    asked = model.requests[0].messages[-1].content
    assert "+    return text.casefold()" in asked
    assert "slugify('ß')" in asked
    assert "returns 'ss'" in asked


async def test_an_answer_that_could_not_be_read_goes_back_with_the_reason():
    model = ScriptedModel(ANSWER)
    known = tried("scripted-1", Verdict.INVALID, reason="line 1: invalid syntax", log="def slugify(")
    (found,) = await proposals(source_of(model), brief(most=0, tried=(known,)))
    assert found.descent is Descent.REPAIR
    asked = model.requests[0].messages[-1].content
    assert "```\ndef slugify(\n```" in asked
    assert "```\nline 1: invalid syntax\n```" in asked


async def test_a_repair_gives_one_candidate_whatever_else_it_holds():
    several = "".join(f"```python\ndef slugify(text):\n    return {n}\n```\n" for n in range(3))
    found = await proposals(source_of(ScriptedModel(several), fresh=0), brief(most=9, tried=(wrong("a-1"),)))
    assert [one.name for one in found] == ["a-1-repair"]


async def test_a_repair_may_go_on_from_what_it_repairs():
    """It uses what the candidate had brought along, and does not repeat it; or edits the candidate's own lines."""
    first = "TABLE = {' ': '-'}\n\n\ndef slugify(text):\n    return text.translate(TABLE)\n"
    whole = answer("return text.lower().translate(str.maketrans(TABLE))")
    edit = (
        "pkg/text.py\n<<<<<<< SEARCH\n    return text.translate(TABLE)\n=======\n"
        "    return text.lower().translate(str.maketrans(TABLE))\n>>>>>>> REPLACE\n"
    )
    for text in (whole, edit):
        told = brief(most=0, tried=(wrong("a-1", text=first),))
        (found,) = await proposals(source_of(ScriptedModel(text)), told)
        made = contents(found)
        assert made.startswith("TABLE = {' ': '-'}\n")
        assert made.endswith("    return text.lower().translate(str.maketrans(TABLE))\n")


@pytest.mark.promise("E9")
async def test_refinements_and_adaptations_take_places_and_come_before_fresh_ideas():
    model = ScriptedModel(ANSWER)
    known = (
        tried("scripted-1", speedup=2.0, text="X = 1\n" + TEXT),
        tried("refined-1", speedup=3.0, text="X = 2\n" + TEXT, parents=("scripted-1",), descent=Descent.REFINEMENT),
        tried("rule", speedup=2.5, text="X = 3\n" + TEXT, source="rules"),
    )
    found = await proposals(source_of(model), brief(most=3, tried=known))
    by_name = {one.name: one for one in found}
    assert sorted(by_name) == ["adapted-1", "refined-2", "scripted-2"]
    assert by_name["adapted-1"].parents == ("refined-1", "scripted-1")
    assert by_name["refined-2"].parents == ("rule", "scripted-1")
    (adapting,) = (text for request in model.requests if "What was tried" in (text := request.messages[-1].content))
    assert adapting.index("+X = 1") < adapting.index("+X = 2")
    assert "3.00 times as fast (2.85 to 3.15)" in adapting
    assert [one.name for one in await proposals(source_of(model), brief(most=1, tried=known))] == ["adapted-1"]


# -- what goes wrong ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("error", [CallRefused("no", status=401), KeyMissing("x", "X_KEY"), ProviderBroken("down")])
async def test_where_nothing_comes_because_the_provider_fails_that_is_the_end(error: ProviderError):
    model = ScriptedModel(lambda _: error)
    source = source_of(model, at_once=1)
    with pytest.raises(type(error)) as caught:
        await proposals(source, brief(most=8))
    assert caught.value is error
    assert caught.value.exit_code == 4
    assert len({request.messages for request in model.requests}) == (1 if isinstance(error, KeyMissing) else 2)


async def test_a_provider_that_fails_in_the_middle_is_a_warning_and_is_not_asked_again(tmp_path: Path):
    model = ScriptedModel([ANSWER, *[CallRefused("the account is empty", status=403)] * 2])
    source = source_of(model, at_once=1)
    store = Store(tmp_path / "store.sqlite")
    async with store.record() as log:
        told = brief(most=8, log=log)
        assert len(await proposals(source, told)) == 1
        assert await proposals(source, replace(told, tried=(wrong("scripted-1"),))) == []
    run = Run.of(store.events(log.run))
    assert run.warnings == ["models: the account is empty"]
    assert len(model.requests) == 3


async def test_what_one_model_refuses_another_is_asked():
    broken = ScriptedModel(lambda _: CallRefused("no such model", status=404), name="broken:a")
    good = ScriptedModel(ANSWER, name="good:b")
    found = await proposals(source_of(broken, good, at_once=1), brief(most=6))
    assert [one.name for one in found] == [f"good-{n}" for n in range(1, 7)]
    assert len(broken.requests) == 2


async def test_a_model_that_fails_now_and_then_is_not_given_up():
    model = ScriptedModel(lambda request: ANSWER if attempt(request) % 2 else CallRefused("no", status=400))
    found = await proposals(source_of(model, at_once=1), brief(most=6))
    assert [one.name for one in found] == ["scripted-1", "scripted-3", "scripted-5"]


async def test_a_budget_that_is_spent_ends_the_asking_and_what_came_stays(tmp_path: Path):
    store = Store(tmp_path / "store.sqlite")
    async with store.record() as log:
        account = Account(log=log, budget=Budget(tokens=6_000))
        model = ScriptedModel(ANSWER, account=account)
        source = source_of(model, max_tokens=2_000, at_once=3)
        told = brief(most=50, log=log)
        found = await proposals(source, told)
        again = await proposals(source, replace(told, tried=(wrong("scripted-1"),)))
    run = Run.of(store.events(log.run))
    assert 1 <= len(found) < 50
    assert again == []
    assert len(model.requests) == len(found)
    assert ["the budget for tokens is spent" in text for text in run.warnings] == [True]
    assert run.spent.tokens_in + run.spent.tokens_out <= 6_000


async def test_a_budget_too_small_for_one_call_is_told():
    model = ScriptedModel(ANSWER, account=Account(budget=Budget(tokens=10)))
    with pytest.raises(BudgetSpent):
        await proposals(source_of(model), brief(most=2))
    assert model.requests == []


@pytest.mark.promise("M8")
async def test_what_calls_are_for_and_how_they_ended_is_recorded(tmp_path: Path):
    store = Store(tmp_path / "store.sqlite")
    async with store.record() as log:
        model = ScriptedModel(lambda request: ANSWER if attempt(request) == 1 else HANG, account=Account(log=log))
        async with aclosing(source_of(model).propose(brief(most=3, log=log))) as found:
            first = await anext(found)
            while model.open < 2:
                await checkpoint()
    run = Run.of(store.events(log.run))
    ends = sorted(state.ended.end for state in run.attempts.values())
    assert ends == [CallEnd.CANCELLED, CallEnd.CANCELLED, CallEnd.DONE]
    (call,) = first.calls
    began = run.attempts[call, 1].began
    assert began.purpose.startswith("fresh idea 1, prompt fresh 1 ")
    assert store.text(began.request).count("slugify") > 1


async def test_nothing_is_done_by_us_while_somebody_is_timed():
    gate = Gate()
    model = ScriptedModel(ANSWER)
    found: list[Proposal] = []
    told = brief(most=2, working=gate.working)

    async def measure() -> None:
        async with gate.measuring():
            for _ in range(50):
                await checkpoint()
            assert (model.requests, found) == ([], [])

    async def propose() -> None:
        async with aclosing(source_of(model).propose(told)) as stream:
            async for proposal in stream:
                assert not gate.is_measuring
                found.append(proposal)

    await all_of(measure, propose)
    assert len(found) == 2


async def test_what_arrives_while_somebody_is_timed_is_read_afterwards():
    gate = Gate()
    model = ScriptedModel(ANSWER, latency=0.01)
    found: list[Proposal] = []

    async def measure() -> None:
        while not model.requests:
            await checkpoint()
        async with gate.measuring():
            while model.open:
                await anyio.sleep(0.001)
            for _ in range(50):
                await checkpoint()
            assert found == []

    async def propose() -> None:
        found.extend(await proposals(source_of(model), brief(most=1, working=gate.working)))

    await all_of(measure, propose)
    assert len(found) == 1


@pytest.mark.promise("F8")
async def test_cancelling_leaves_nothing_behind_wherever_it_comes(tmp_path: Path):
    store = Store(tmp_path / "store.sqlite")
    steps, is_cancelled = 0, True
    while is_cancelled:
        model = ScriptedModel(ANSWER)
        async with store.record() as log:
            await log.append(Warned(message="so that there is a run"))
            model.account.log = log
            is_cancelled = await cancelled_at(steps, partial(proposals, source_of(model), brief(most=3, log=log)))
        assert model.open == 0
        assert not Run.of(store.events(log.run)).spent.open
        steps += 1
    assert steps > 3


@pytest.mark.promise("F8")
async def test_cancelling_leaves_nothing_behind_whatever_is_recorded_just_then(tmp_path: Path):
    """In the midst of calls, where whoever cancels is not the one who waits for them."""
    store = Store(tmp_path / "store.sqlite")
    for last in range(8):
        model = ScriptedModel(lambda request: HANG if attempt(request) == 2 else ANSWER)
        events = 0
        with anyio.CancelScope() as scope:

            def watch(_: Recorded, scope: anyio.CancelScope = scope, last: int = last) -> None:
                nonlocal events
                events += 1
                if events > last:
                    scope.cancel()

            async with store.record(watch=watch) as log:
                model.account.log = log
                await proposals(source_of(model), brief(most=4, log=log))
        assert scope.cancelled_caught
        assert model.open == 0
        run = Run.of(store.events(log.run))
        assert len(run.attempts) >= len(model.requests)
        assert not run.spent.open


# -- options -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "options", [{"repair_rounds": -1}, {"fresh": -1}, {"at_once": 0}, {"max_tokens": 0}, {"context_tokens": 10}]
)
def test_options_that_make_no_sense_are_refused(options: dict[str, int]):
    with pytest.raises(UsageError):
        ModelsOptions(**options)


def test_prompts_are_read_when_the_source_is_made(tmp_path: Path):
    (tmp_path / "fresh.md").write_text("{{nonsense}}")
    with pytest.raises(UsageError, match="nonsense"):
        source_of(prompts=tmp_path)
