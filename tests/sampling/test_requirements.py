"""What a sample has to be: each kind of requirement, when it is right, when it is wrong, and when it breaks."""

from __future__ import annotations

import asyncio
import functools
import threading
from dataclasses import dataclass, field
from pathlib import Path

import anyio
import anyio.from_thread
import pytest
from anyio.lowlevel import checkpoint
from hypothesis import given
from hypothesis import strategies as st

from bakeoff.errors import CallRefused, UsageError
from bakeoff.models import Completion, Message, Role
from bakeoff.sampling import (
    Asked,
    Check,
    Code,
    Cost,
    JsonSchema,
    Regex,
    Sample,
    SamplingOptions,
    Validation,
    ValidationContext,
    sample,
)
from bakeoff.testing.models import HANG, ScriptedModel
from bakeoff.workers import open_backend
from sampling.samplings import Boom, Plan, virtual
from virtual_clock import Stopwatch, run, tasks_living

NUMBER = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}


def sample_of(text: str) -> Sample:
    messages = (Message(content="the question"),)
    completion = Completion(call="c", model="scripted:model", text=text)
    return Sample(id="1.1", subsample=1, iteration=1, parent=None, messages=messages, completion=completion)


async def validate(requirement, text: str) -> Validation:
    found = sample_of(text)
    return await requirement.validate(found, ValidationContext(messages=found.messages))


async def validations(text: str, *requirements, **options) -> tuple[Validation, ...]:
    """By way of a whole sampling, as it is meant to be used."""
    result = await sample("?", ScriptedModel(text), requirements, options=SamplingOptions(**options))
    assert result.sample is not None
    assert result.sample.is_judged
    return result.sample.validations


# -- functions ---------------------------------------------------------------------------------------------------------


class Callable:
    """An object that can be called."""

    def __call__(self, text: str) -> bool:
        return text == "yes"


class AsyncCallable:
    async def __call__(self, text: str) -> str:
        await checkpoint()
        return "" if text == "yes" else "it is not yes"


async def is_yes(text: str) -> bool:
    """The answer is yes.

    More of what it is.
    """
    return text == "yes"


def of_context(text: str, context: ValidationContext) -> bool:
    return text == context.facts.get("right", "yes")


@pytest.mark.promise("S9")
@pytest.mark.parametrize(
    "check",
    [
        lambda text: text == "yes",
        lambda text: "" if text == "yes" else "it is not yes",
        lambda text: Validation(met=text == "yes"),
        lambda text, twice=2: text * twice == "yesyes",
        is_yes,
        lambda text: is_yes(text),  # noqa: PLW0108 (an ordinary function that gives something to await)
        functools.partial(lambda right, text: text == right, "yes"),
        Callable(),
        AsyncCallable(),
        of_context,
        "yes".__eq__,
    ],
    ids=[
        "bool",
        "text",
        "value",
        "default",
        "async",
        "awaitable",
        "partial",
        "object",
        "async-object",
        "context",
        "builtin",
    ],
)
def test_a_function_says_whether_it_is_right_or_what_is_wrong(check, anyio_backend: str):
    async def main() -> None:
        (good,) = await validations("yes", check)
        (bad,) = await validations("no", check)
        assert (good.met, good.reason, good.error) == (True, "", None)
        assert not bad.met
        assert bad.error is None
        assert bad.reason in ("", "it is not yes")

    anyio.run(main, backend=anyio_backend)


def test_a_check_is_called_what_it_says_of_itself():
    assert Check(is_yes).name == "The answer is yes"
    assert Check(of_context).name == "of context"
    assert Check(lambda _: True).name == "lambda"
    assert Check(Callable()).name == "Callable"
    assert Check(is_yes, name="mine", cost=3).name == "mine"
    assert Check(is_yes, cost=3).cost == 3


@pytest.mark.promise("S9")
@pytest.mark.parametrize("nonsense", [None, 1, 0.5, b"yes", []], ids=repr)
@pytest.mark.parametrize("is_async", [True, False])
def test_a_function_that_answers_nonsense_fails_the_sample(nonsense, is_async: bool, anyio_backend: str):
    async def later(_: str):
        return nonsense

    async def main() -> None:
        (found,) = await validations("x", later if is_async else lambda _: nonsense)
        assert not found.met
        assert f"the check gave {nonsense!r}, where True, False or a text" in found.reason
        assert isinstance(found.error, TypeError)

    anyio.run(main, backend=anyio_backend)


@pytest.mark.promise("S9")
def test_a_requirement_of_ones_own_that_answers_nonsense_fails_the_sample(anyio_backend: str):
    @dataclass
    class Own:
        name: str = "own"
        cost: int = 0

        async def validate(self, sample, context):
            return True

    async def main() -> None:
        (found,) = await validations("x", Own())
        assert (found.met, found.requirement) == (False, "own")
        assert found.reason == "TypeError: it gave True, where a Validation is wanted"

    anyio.run(main, backend=anyio_backend)


@pytest.mark.parametrize("given", [None, "regex", 3, Regex], ids=["nothing", "text", "number", "class"])
def test_what_is_no_requirement_is_refused_before_anything_is_asked(given, anyio_backend: str):
    model = ScriptedModel("x")

    async def main() -> None:
        with pytest.raises(TypeError, match="is no requirement"):
            await sample("?", model, [given])

    anyio.run(main, backend=anyio_backend)
    assert model.requests == []


@pytest.mark.promise("S9")
@pytest.mark.parametrize("is_async", [True, False])
def test_one_that_raises_fails_that_sample_with_that_reason_and_not_the_call(is_async: bool, anyio_backend: str):
    causes = []

    def check(text: str) -> bool:
        if text == "good":
            return True
        causes.append(Boom(f"cannot read {text}"))
        raise causes[-1]

    async def later(text: str) -> bool:
        await checkpoint()
        return check(text)

    async def main() -> None:
        model = ScriptedModel(["odd", "good"])
        result = await sample("?", model, [later if is_async else check], loop_budget=3)
        assert result.success
        odd, good = result.samples
        (found,) = odd.validations
        assert (found.met, found.reason, found.error) == (False, "Boom: cannot read odd", causes[0])
        assert odd.reasons == (f"{'later' if is_async else 'check'}: Boom: cannot read odd",)
        assert good.is_valid

    anyio.run(main, backend=anyio_backend)


@pytest.mark.promise("S9", "S12")
def test_one_that_hangs_fails_the_sample_when_patience_is_over(anyio_backend: str):
    """A minute of patience is over at once on virtual time, as nothing else moves."""
    let_go = threading.Event()

    async def for_ever(_: str) -> bool:
        await anyio.sleep(math_inf)
        return True

    math_inf = 1e6

    async def main() -> None:
        watch = Stopwatch()
        found = await validations(
            "x", Check(for_ever, name="a"), Check(lambda _: let_go.wait(60), name="b"), patience=60.0
        )
        assert [one.reason for one in found] == ["no answer within 60 s"] * 2
        assert [type(one.error) for one in found] == [TimeoutError] * 2
        assert watch.read() == 60.0
        assert [round(one.seconds) for one in found] == [60, 60]

    try:
        run(main, anyio_backend)
    finally:
        let_go.set()


@pytest.mark.promise("S9")
@virtual
async def test_a_timeout_of_its_own_is_a_reason_like_any_other():
    async def check(_: str) -> bool:
        raise TimeoutError("the database is slow")

    (found,) = await validations("x", check)
    assert found.reason == "TimeoutError: the database is slow"


@pytest.mark.promise("S9")
def test_one_that_awaits_what_others_have_cancelled_fails_the_sample():
    """On asyncio that raises CancelledError, which must not pass for a cancellation of the call."""

    async def check(text: str) -> bool:
        if text == "good":
            return True
        other = asyncio.get_running_loop().create_future()
        other.cancel()
        return await other

    async def main() -> None:
        model = ScriptedModel(["bad", "good"])
        result = await sample("?", model, [check], loop_budget=2)
        assert result.success
        (found,) = result.samples[0].validations
        assert (found.met, found.reason) == (False, "it was cancelled")

    run(main, "asyncio")


# -- S12: the event loop goes on ---------------------------------------------------------------------------------------


@pytest.mark.promise("S12")
def test_ordinary_functions_run_beside_each_other_and_beside_the_event_loop(anyio_backend: str):
    """Eight checks wait for each other, and then for the event loop: one after the other, or on it, none would end."""
    together, moved = threading.Barrier(8), threading.Event()

    def check(_: str) -> bool:
        together.wait(30)
        anyio.from_thread.run_sync(moved.set)
        return moved.wait(30)

    async def main() -> None:
        found = await sample("?", ScriptedModel("x"), [check], concurrency_budget=8)
        assert found.success

    anyio.run(main, backend=anyio_backend)


@pytest.mark.promise("S12")
@pytest.mark.parametrize(
    "requirement",
    [
        pytest.param(lambda: Regex("x"), id="regex"),
        pytest.param(lambda: JsonSchema({}), id="schema"),
        pytest.param(lambda: lambda _: True, id="function"),
    ],
)
def test_no_kind_of_requirement_works_on_the_event_loop(requirement, anyio_backend: str, monkeypatch):
    import bakeoff.sampling.answers
    import bakeoff.sampling.requirements as room

    threads = set()
    in_thread = room._in_thread

    async def watched(function):
        return await in_thread(lambda: (threads.add(threading.get_ident()), function())[1])

    monkeypatch.setattr(room, "_in_thread", watched)

    async def main() -> int:
        await validations('{"x": 1}', requirement())
        return threading.get_ident()

    assert bakeoff.sampling.answers
    loop = anyio.run(main, backend=anyio_backend)
    assert len(threads) == 1
    assert loop not in threads


# -- S9: cheap before dear, and so many at once ------------------------------------------------------------------------


@dataclass
class Priced:
    """Takes a second, and remembers who was asked when."""

    name: str
    cost: int
    log: list[tuple[str, str]]
    is_met: bool = True
    inside: list[int] = field(default_factory=lambda: [0, 0])

    async def validate(self, sample: Sample, context: ValidationContext) -> Validation:
        self.log.append(("in", self.name))
        self.inside[0] += 1
        self.inside[1] = max(self.inside)
        await anyio.sleep(1)
        self.inside[0] -= 1
        self.log.append(("out", self.name))
        return Validation(met=self.is_met, reason="" if self.is_met else "not met")


@pytest.mark.promise("S9")
@virtual
async def test_cheap_ones_are_asked_before_dear_ones_and_those_of_one_price_together():
    log: list[tuple[str, str]] = []
    given = [Priced("model", Cost.MODEL, log), Priced("a", Cost.TEXT, log), Priced("b", Cost.TEXT, log)]
    result = await sample("?", ScriptedModel("x"), given)
    assert sorted(name for what, name in log[:2]) == ["a", "b"]
    assert log.index(("in", "b")) < log.index(("out", "a"))
    assert log.index(("in", "model")) > log.index(("out", "b"))
    assert result.sample is not None
    assert [one.requirement for one in result.sample.validations] == ["model", "a", "b"], "in the order given"
    assert result.success


@pytest.mark.promise("S9")
@virtual
async def test_dear_ones_are_not_asked_once_a_cheap_one_fails():
    log: list[tuple[str, str]] = []
    given = [Priced("dear", 7, log), Priced("cheap", -1, log, is_met=False), Priced("as cheap", -1, log)]
    found = await validations("x", *given)
    assert [(one.requirement, one.met) for one in found] == [("cheap", False), ("as cheap", True)]
    assert ("in", "dear") not in log


@pytest.mark.promise("S9")
@virtual
async def test_at_most_so_many_are_asked_at_once_over_all_samples():
    inside = [0, 0]
    given = [Priced(str(number), 0, [], inside=inside) for number in range(3)]
    options = SamplingOptions(validations=4)
    watch = Stopwatch()
    # None is valid before the last is judged, so that none is cancelled.
    given.append(Priced("never", 1, [], is_met=False, inside=[0, 0]))
    await sample("?", ScriptedModel("x"), given, concurrency_budget=4, options=options)
    assert inside[1] == 4
    assert watch.read() == 4.0, "twelve by four, and then the last of each"


# -- S7: context -------------------------------------------------------------------------------------------------------


@pytest.mark.promise("S7")
@virtual
async def test_requirements_are_handed_the_callers_context_where_one_is_given():
    mine = ValidationContext(messages=(Message(content="mine"),), facts={"right": "42"})
    seen = []

    async def check(text: str, context: ValidationContext) -> bool:
        seen.append(context)
        return text == context.facts.get("right")

    given = await sample("?", ScriptedModel("42"), [check], options=SamplingOptions(context=mine))
    assert given.success
    assert seen == [mine]
    assert seen[0] is mine
    none = await sample("the prompt", ScriptedModel("42"), [check])
    assert not none.success
    assert seen[1] == ValidationContext(messages=(Message(content="the prompt"),))


# -- patterns ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("apart", [False, True], ids=["here", "in a process"])
def test_a_pattern_is_found_or_must_be_absent(apart: bool, anyio_backend: str):
    async def main() -> None:
        async with open_backend() as backend:
            where = backend if apart else None
            number, no_number = Regex(r"\d+", backend=where), Regex(r"\d+", absent=True, backend=where)
            assert (await validate(number, "about 42.")).met
            assert (await validate(number, "none")).reason == "there is none"
            assert (await validate(no_number, "none")).met
            assert (await validate(no_number, "about 42.")).reason == "it has '42'"
            assert (await validate(Regex("^a.b$", flags=16, backend=where), "a\nb")).met, "flags: DOTALL"
            assert (await validate(Regex("\udcff|'\"", backend=where), "'\"")).met

    anyio.run(main, backend=anyio_backend)
    assert Regex("x").name == "a match of x"
    assert Regex("x", absent=True).name == "no match of x"
    assert Regex("x", name="mine").name == "mine"


@pytest.mark.promise("S9", "S12")
def test_a_pattern_that_takes_years_is_ended_where_it_is_matched_apart(monkeypatch):
    async def main() -> None:
        async with open_backend() as backend:
            endless = Regex(r"^(a+)+$", backend=backend)
            assert endless._apart is not None
            object.__setattr__(endless._apart, "timeout", 0.2)
            found = await validate(endless, "a" * 60 + "b")
            assert (found.met, found.reason) == (False, "it took longer than 0.2 s")

    anyio.run(main)


@pytest.mark.parametrize("pattern", ["(", "*", 3, None, "a{99999999999}"], ids=repr)
def test_what_is_no_pattern_is_refused(pattern):
    with pytest.raises(UsageError, match="is no pattern"):
        Regex(pattern)


# -- JSON --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('{"n": 1}', ""),
        ('  {"n": 1}\n', ""),
        ('Here you are:\n```json\n{"n": 1}\n```\nAnything else?', ""),
        ('{"n": "one"}', "n: 'one' is not of type 'integer'"),
        ("{}", "'n' is a required property"),
        ("[]", "[] is not of type 'object'"),
        ("a number", "it is no JSON: Expecting value: line 1 column 1 (char 0)"),
        ("", "it is no JSON: Expecting value: line 1 column 1 (char 0)"),
        ('{"n": NaN}', "it is no JSON: NaN is no JSON"),
        ("[" * 100_000, "it is no JSON: it is nested too deeply"),
        ('```\n{"n": 1}\n```\n```\n{"n": 2}\n```', "it is no JSON: Expecting value: line 1 column 1 (char 0)"),
    ],
)
def test_json_is_held_against_its_schema(text: str, reason: str, anyio_backend: str):
    async def main() -> None:
        found = await validate(JsonSchema(NUMBER), text)
        assert (found.met, found.reason) == (not reason, reason)

    anyio.run(main, backend=anyio_backend)


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "nonsense"},
        {"$ref": "#/$defs/nowhere"},
        {"properties": {"a": {"$ref": "https://example.com/schema.json"}}},
        {"$schema": 3},
        [],
        "object",
        True,
    ],
    ids=str,
)
def test_a_schema_that_cannot_be_used_is_refused_beforehand(schema):
    with pytest.raises(UsageError, match="the JSON schema cannot be used"):
        JsonSchema(schema)


def test_a_schema_may_refer_to_itself(anyio_backend: str):
    tree = {"$defs": {"tree": {"type": "array", "items": {"$ref": "#/$defs/tree"}}}, "$ref": "#/$defs/tree"}

    async def main() -> None:
        assert (await validate(JsonSchema(tree), "[[], [[]]]")).met
        assert not (await validate(JsonSchema(tree), "[[], [1]]")).met

    anyio.run(main, backend=anyio_backend)


def test_of_many_problems_the_first_few_are_told_and_long_ones_are_cut(anyio_backend: str):
    async def main() -> None:
        found = await validate(JsonSchema({"items": {"type": "integer"}}), str(["x" * 9000] * 50).replace("'", '"'))
        assert found.reason.count("is not of type 'integer'") == 5
        assert len(found.reason) < 2001

    anyio.run(main, backend=anyio_backend)


# -- models that judge -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("said", "met", "reason"),
    [
        ("yes", True, ""),
        ("**Yes**, it is.", True, ""),
        ("no", False, ""),
        ("No: it is not polite.", False, "it is not polite."),
        ("\n- NO\nIt rhymes.", False, "It rhymes."),
    ],
)
def test_a_model_judges_by_one_word(said: str, met: bool, reason: str, anyio_backend: str):
    async def main() -> None:
        found = await validate(Asked(ScriptedModel(said), "Is it polite?"), "the answer")
        assert (found.met, found.reason, found.error) == (met, reason, None)

    anyio.run(main, backend=anyio_backend)
    assert Asked(ScriptedModel(said), "Is it polite?").name == "Is it polite?"


@pytest.mark.promise("S9")
@pytest.mark.parametrize(
    ("said", "reason"),
    [
        ("perhaps", "ValueError: the judge said neither yes nor no: 'perhaps'"),
        ("", "ValueError: the judge said neither yes nor no: ''"),
        ("nothing wrong", "ValueError: the judge said neither yes nor no: 'nothing wrong'"),
        ("x" * 9000, f"ValueError: the judge said neither yes nor no: '{'x' * 199}…'"),
        (CallRefused("no such judge", status=404), "CallRefused: no such judge"),
        (HANG, "no answer within 5 s"),
    ],
    ids=["perhaps", "nothing", "nothing wrong", "long", "refused", "hangs"],
)
@virtual
async def test_a_judge_that_breaks_fails_the_sample(said, reason: str):
    judge = ScriptedModel(said)
    (found,) = await validations("the answer", Asked(judge, "Is it polite?"), patience=5.0)
    assert (found.met, found.reason) == (False, reason)
    assert judge.open == 0


@given(answer=st.text(alphabet="= \nyesno", max_size=90))
def test_an_answer_cannot_get_out_of_its_marks(answer: str):
    """Whatever it says, it stands between two marks that are not in it."""
    judge = ScriptedModel("yes")

    async def main() -> None:
        assert (await validate(Asked(judge, "Is it polite?"), answer)).met

    run(main, "asyncio")
    system, user = judge.requests[-1].messages
    assert system.role is Role.SYSTEM
    mark = max(user.content.split("\n\n")[1].split("\n")[0].split(), key=len)
    assert set(mark) == {"="}
    assert mark in system.content
    assert user.content.split(mark)[1] == f"\n{answer}\n"
    assert user.content.startswith("The answer is to this:\nthe question")
    assert user.content.endswith("The question: Is it polite?")


# -- code in a worker --------------------------------------------------------------------------------------------------

CHECK = """
import os, time

def check(answer):
    if answer == "good":
        return True
    if answer == "slow":
        time.sleep(600)
    if answer == "dead":
        os._exit(3)
    if answer == "odd":
        return 42
    if answer == "raise":
        raise ValueError("not \\udcff this")
    if answer == "litter":
        os.makedirs("a/b")
        os.chmod("a", 0)
        return "litters"
    return answer + " is wrong" if answer else False
"""


@pytest.mark.promise("S9")
@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ("", ""),
        ("bad", "bad is wrong"),
        ("bad\udcff", None),
        ("odd", "TypeError: the check gave 42, where True, False or a text that says what is wrong is wanted"),
        ("raise", "ValueError: not ? this"),
        ("dead", None),
        ("slow", "it took longer than 0.5 s"),
    ],
)
def test_code_checks_the_answer_in_a_process_of_its_own(answer: str, reason: str | None, anyio_backend: str):
    async def main() -> None:
        async with open_backend() as backend:
            code = Code(backend=backend, source=CHECK, timeout=0.5 if answer == "slow" else 30.0)
            good, bad = await validations("good", code), await validations(answer, code)
            assert good[0].met
            assert not bad[0].met
            assert reason is None or bad[0].reason == reason
            assert "Traceback" not in bad[0].reason, "a model may be told"

    anyio.run(main, backend=anyio_backend)


def test_code_may_be_a_function_of_a_module(tmp_path: Path):
    (tmp_path / "beside.py").write_text("RIGHT = 'good'\n")
    (tmp_path / "checks.py").write_text("from beside import RIGHT\n\ndef right(answer):\n    return answer == RIGHT\n")

    async def main() -> None:
        async with open_backend() as backend:
            code = Code(backend=backend, function="checks:right", path=(tmp_path,))
            assert (await validate(code, "good")).met
            assert not (await validate(code, "bad")).met
            missing = await validate(Code(backend=backend, function="checks:wrong", path=(tmp_path,)), "good")
            assert "wrong" in missing.reason

    anyio.run(main)
    assert not list(tmp_path.glob("**/*.pyc"))


@pytest.mark.promise("F8")
@pytest.mark.parametrize("answer", ["litter", "slow"])
def test_nothing_is_left_of_a_check_not_even_of_one_that_is_cancelled(answer: str, tmp_path: Path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))

    async def main() -> None:
        async with open_backend() as backend:
            before = tasks_living()
            submitted = anyio.Event()
            backend.on_submit(lambda _: submitted.set())
            code = Code(backend=backend, source=CHECK)
            async with anyio.create_task_group() as group:
                group.start_soon(validate, code, answer)
                await submitted.wait()
                assert [one.name[:14] for one in tmp_path.glob("bakeoff-check-*")] == ["bakeoff-check-"]
                if answer == "slow":
                    group.cancel_scope.cancel()
            assert list(tmp_path.glob("bakeoff-check-*")) == []
            assert tasks_living() == before

    anyio.run(main)


# -- together ----------------------------------------------------------------------------------------------------------


@virtual
async def test_the_reasons_go_back_to_the_model():
    from bakeoff.sampling import RepairTemplate

    async def short(text: str) -> bool | str:
        return len(text) < 9 or f"{len(text)} letters are too many"

    plan = Plan({(1, 1): "much too long", (1, 2): "short"})
    model = plan.model()
    result = await sample("Be brief.", model, [short], strategy=RepairTemplate(), loop_budget=2)
    assert result.text == "short"
    assert "much too long" in model.requests[1].messages[0].content
    assert "- short: 13 letters are too many" in model.requests[1].messages[0].content
