"""Runs as they are in real logs, event by event."""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from bakeoff.events import (
    BaselineLearned,
    CallBegan,
    CallEnd,
    CallEnded,
    CandidateJudged,
    CandidateMeasured,
    CandidateProposed,
    Decision,
    Descent,
    Difference,
    Event,
    Evidence,
    JudgingBegan,
    Phase,
    PhaseBegan,
    PoolOpened,
    PricesFound,
    Profile,
    Profiled,
    ProfiledFunction,
    ProfiledLine,
    ProviderLimited,
    RaceBegan,
    RaceEnded,
    Recorded,
    RequirementAsked,
    Run,
    RunEnded,
    RunStarted,
    SampleBegan,
    SampleChosen,
    SampleEnded,
    SandboxFound,
    Speedup,
    State,
    TestFailure,
    TestOutcome,
    Text,
    Verdict,
    Warned,
)
from bakeoff.models.exchange import Message, Request, Role
from bakeoff.models.model import request_text

if TYPE_CHECKING:
    from collections.abc import Iterable

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
TARGET = "shop/text.py::slugify"
SMALL, LARGE, LOCAL = "openai:gpt-5-mini", "anthropic:claude-sonnet-4-5", "ollama:qwen3:8b"
SYSTEM = "You make Python code faster without changing what it does."
PROMPT = """\
Make `slugify` in `shop/text.py` faster. It is called 1,834 times by the tests.

```python
def slugify(title: str, sep: str = "-") -> str:
    text = unicodedata.normalize("NFKD", title).lower()
    ...
```

Of its time: 25 % `out += letter`, 24 % `if letter in SEPARATORS`.
"""
ANSWER = """\
The letters are joined once instead of being added one by one.

```python
def slugify(title: str, sep: str = "-") -> str:
    text = unicodedata.normalize("NFKD", title).lower()
    parts = _SEPARATORS.split(text)
    words = ("".join(filter(str.isalnum, part)) for part in parts)
    return sep.join(word for word in words if word)
```
"""

JOINED = '''\
diff --git a/shop/text.py b/shop/text.py
index 5f2c1d0e8a..b81aa3f1c2 100644
--- a/shop/text.py
+++ b/shop/text.py
@@ -1,5 +1,6 @@
 """Words for addresses."""
~
+import re
 import unicodedata
~
 SEPARATORS = [" ", "_", "-", "/", "."]
@@ -8,16 +9,12 @@
 def slugify(title: str, sep: str = "-") -> str:
     """The title as a part of an address."""
     text = unicodedata.normalize("NFKD", title).lower()
-    out = ""
-    for letter in text:
-        if letter in SEPARATORS:
-            if out and not out.endswith(sep):
-                out += sep
-        elif letter.isalnum():
-            out += letter
-    while out.endswith(sep):
-        out = out[: -len(sep)]
-    return out
+    parts = _SEPARATORS.split(text)
+    words = ("".join(filter(str.isalnum, part)) for part in parts)  # one pass
+    return sep.join(word for word in words if word)
~
~
+_SEPARATORS = re.compile(r"[ _\\-/.]+")
+
+
 def shout(title: str) -> str:
     return title.upper() + "!" * 3
'''.replace("~\n", " \n")
SNIPPET = """\
from shop.text import slugify

title = "\\u0130stanbul"  # one letter becomes two
print(slugify(title, sep=""))
"""
REPORT = """\
    def test_sharp_s():
>       assert slugify("Straße") == "straße"
E       AssertionError: assert 'strasse' == 'straße'
E         - straße
E         ?     ^
E         + strasse
E         ?     ^^

tests/test_text.py:41: AssertionError"""


class Kitchen:
    """Events in order, a second apart, and the texts that they refer to."""

    def __init__(self, *events: Event) -> None:
        self.texts: dict[str, str] = {}
        self.log: list[Recorded] = []
        self.say(*events)

    def say(self, *events: Event, after: float = 1.0) -> Kitchen:
        for event in events:
            moment = NOON if not self.log else self.log[-1].time + timedelta(seconds=after)
            self.log.append(Recorded(run="01KDVQ4M6XJ2ZC8R", sequence=len(self.log) + 1, time=moment, event=event))
        return self

    def keep(self, text: str) -> Text:
        data = text.encode("utf-8", "surrogatepass")
        kept = Text(sha256=hashlib.sha256(data).hexdigest(), size=len(data))
        self.texts[kept.sha256] = text
        return kept

    def text(self, kept: Text) -> str:
        return self.texts[kept.sha256]

    def propose(self, name: str, diff: str = JOINED, source: str = "rules", **more: object) -> Kitchen:
        patch = self.keep(diff)
        return self.say(CandidateProposed(candidate=f"id-{name}", name=name, source=source, patch=patch, **more))

    def judge(self, name: str, verdict: Verdict, reason: str | None = None, **more: object) -> Kitchen:
        candidate = f"id-{name}"
        return self.say(
            JudgingBegan(candidate=candidate),
            CandidateJudged(candidate=candidate, verdict=verdict, reason=reason, **more),
        )

    def verify(self, name: str, **more: object) -> Kitchen:
        found = Evidence(tests=12, recorded_calls=230, generated_inputs=500, outside_contract=31, unstable=2)
        return self.judge(name, Verdict.VERIFIED, **({"evidence": found} | more))

    def measure(
        self, name: str, decision: Decision, low: float, estimate: float, high: float, **more: object
    ) -> Kitchen:
        speedup = Speedup(estimate=estimate, low=low, high=high)
        return self.say(CandidateMeasured(candidate=f"id-{name}", decision=decision, speedup=speedup, **more))

    def ask(self, call: str, *said: str, model: str = SMALL, attempt: int = 1, purpose: str = "") -> Kitchen:
        """An attempt at a call begins; what is said is the conversation, without its system prompt."""
        roles = [Role.USER, Role.ASSISTANT] * len(said)
        turns = [Message(role=role, content=content) for role, content in zip(roles, said, strict=False)]
        request = Request(messages=(Message(role=Role.SYSTEM, content=SYSTEM), *turns), temperature=0.8)
        kept = self.keep(request_text(request))
        return self.say(CallBegan(call=call, attempt=attempt, model=model, purpose=purpose, request=kept))

    def answer(self, call: str, text: str, cost: float | None, **more: object) -> Kitchen:
        took = {"tokens_in": 2100, "tokens_out": 310, "seconds": 6.4, "finish": "stop", "request_id": "req-1"} | more
        return self.say(CallEnded(call=call, end=CallEnd.DONE, answer=self.keep(text), cost=cost, **took))

    def fail(self, call: str, status: int | None, error: str, *, attempt: int = 1, **more: object) -> Kitchen:
        return self.say(
            CallEnded(
                call=call,
                attempt=attempt,
                end=CallEnd.FAILED,
                status=status,
                error=error,
                **({"cost": 0.0, "seconds": 0.2} | more),
            )
        )

    def end(self, state: State = State.DONE, **more: object) -> Kitchen:
        return self.say(RunEnded(state=state, **more))

    @property
    def run(self) -> Run:
        return Run.of(self.log)


def opened(command: str = "optimize", target: str = TARGET) -> Kitchen:
    """A run that has learned its baseline."""
    return Kitchen(
        RunStarted(
            command=command,
            arguments=(target, "--budget", "60s"),
            version="0.5.0",
            target=target,
            base="4b1f7a2c9d0e4b1f7a2c9d0e4b1f7a2c9d0e4b1f",
            environment={
                "python": "CPython 3.12.11, .venv/bin/python",
                "platform": "Linux 6.12.9 x86_64",
                "processor": "AMD EPYC 7B13, 2 cores",
                "memory": "7.8 GiB",
            },
        ),
        PhaseBegan(phase=Phase.PREPARING),
        PoolOpened(kind="overlay", asked=4, size=3),
        SandboxFound(tier="T2", layers=("namespaces", "landlock", "seccomp"), missing={"cgroup": "Permission denied"}),
        PhaseBegan(phase=Phase.LEARNING),
        BaselineLearned(
            tests=41,
            tests_reaching_target=12,
            recorded_calls=230,
            calls=1834,
            flaky=("tests/test_clock.py::test_now",),
            seconds=2.4,
        ),
        PhaseBegan(phase=Phase.SEARCHING),
    )


def judged() -> Kitchen:
    """A run with candidates of every kind that are judged, but not timed."""
    kitchen = opened()
    for name in ("join-strings", "hoist-attributes", "list-membership", "join-strings+list-membership"):
        kitchen.propose(name, note="`+=` in a loop → join").verify(name)
    kitchen.propose("translate", source="agent", parents=("id-join-strings",))
    kitchen.judge(
        "translate",
        Verdict.WRONG,
        "slugify('İstanbul', sep=''): the baseline returns 'istanbul', the candidate returns 'i̇stanbul'",
        counterexample="slugify('İstanbul', sep='')",
        evidence=Evidence(tests=12, recorded_calls=230, generated_inputs=77),
        differences=(
            Difference(
                origin="generated",
                call="slugify('İstanbul', sep='')",
                snippet=SNIPPET,
                where="result",
                expected="'istanbul'",
                actual="'i̇stanbul'",
                baseline="returns 'istanbul'",
                candidate="returns 'i̇stanbul'",
            ),
        ),
        suspicions=("it opens test_text.py",),
    )
    kitchen.propose("casefold", source="agent")
    failure = TestFailure(
        id="tests/test_text.py::test_sharp_s", expected=TestOutcome.PASSED, actual=TestOutcome.FAILED, text=REPORT
    )
    kitchen.judge("casefold", Verdict.WRONG, "tests/test_text.py::test_sharp_s fails", failures=(failure,))
    kitchen.propose("regex", source="agent").judge(
        "regex", Verdict.CRASHED, "its module cannot be loaded: NameError: name 're' is not defined"
    )
    kitchen.propose("forever", source="agent").judge(
        "forever", Verdict.TIMED_OUT, "while the tests ran: it took longer than 10 s"
    )
    for number in range(1, 6):
        kitchen.propose(f"join-strings@{number}")
        kitchen.judge(f"join-strings@{number}", Verdict.DUPLICATE, duplicate_of="id-join-strings")
    return kitchen


def race(kitchen: Kitchen, *, noisy: bool = False) -> Kitchen:
    placebo = Speedup(estimate=1.06, low=1.03, high=1.09) if noisy else Speedup(estimate=1.0, low=0.996, high=1.004)
    return kitchen.say(
        RaceEnded(placebo=placebo, noisy=noisy, clock="cpu", load=0.3, covered=0.97, seconds=11.8, processes=48)
    )


def profile(*shares: tuple[int, float, str], seconds: float) -> Profile:
    lines = tuple(ProfiledLine(number=number, hits=1200, share=share, text=text) for number, share, text in shares)
    return Profile(functions=(ProfiledFunction(name="slugify", path="shop/text.py", seconds=seconds, lines=lines),))


BEFORE = profile(
    (11, 0.04, '    text = unicodedata.normalize("NFKD", title).lower()'),
    (12, 0.002, '    out = ""'),
    (13, 0.14, "    for letter in text:"),
    (14, 0.24, "        if letter in SEPARATORS:"),
    (15, 0.09, "            if out and not out.endswith(sep):"),
    (16, 0.05, "                out += sep"),
    (17, 0.18, "        elif letter.isalnum():"),
    (18, 0.25, "            out += letter"),
    (19, 0.006, "    while out.endswith(sep):"),
    (21, 0.002, "    return out"),
    seconds=0.0412,
)
AFTER = profile(
    (12, 0.22, '    text = unicodedata.normalize("NFKD", title).lower()'),
    (13, 0.31, "    parts = _SEPARATORS.split(text)"),
    (14, 0.02, '    words = ("".join(filter(str.isalnum, part)) for part in parts)  # one pass'),
    (15, 0.45, "    return sep.join(word for word in words if word)"),
    seconds=0.0131,
)


def won() -> Kitchen:
    """A run with a winner."""
    kitchen = judged().say(PhaseBegan(phase=Phase.TIMING))
    names = ("join-strings", "hoist-attributes", "list-membership", "join-strings+list-membership")
    kitchen.say(RaceBegan(candidates=tuple(f"id-{name}" for name in names), seconds=12.0))
    kitchen.measure("join-strings", Decision.FASTER, 2.4, 2.51, 2.63)
    kitchen.measure("hoist-attributes", Decision.NO_DIFFERENCE, 0.995, 1.0, 1.006)
    kitchen.measure("list-membership", Decision.SLOWER, 0.85, 0.88, 0.91, mixed=("title: empty str", "sep: long str"))
    kitchen.measure("join-strings+list-membership", Decision.FASTER, 2.9, 3.1, 3.3, is_confirmed=True, processes=24)
    race(kitchen).say(PhaseBegan(phase=Phase.PROFILING))
    kitchen.say(Profiled(profile=BEFORE), Profiled(candidate="id-join-strings+list-membership", profile=AFTER))
    kitchen.say(Warned(message="only 3 of 4 slots could be opened: [Errno 28] No space left on device"))
    return kitchen.end(winner="join-strings+list-membership")


def asked() -> Kitchen:
    """A run with a family of candidates from models, fresh, repaired, refined and adapted, beside one that is out, and
    with calls that went wrong in every way. The words of providers are not for reports."""
    kitchen = opened()
    kitchen.say(
        PricesFound(
            model=SMALL, tokens_in=0.25, tokens_out=2.0, tokens_cached=0.025, date="2026-01-01", origin="genai-prices 1"
        ),
        PricesFound(model=LARGE, tokens_in=3.0, tokens_out=15.0, date="2026-01-01", origin="given"),
        PricesFound(model=LOCAL),
    )
    _ask_afresh(kitchen)
    _ask_for_more(kitchen)
    _fail_in_every_way(kitchen)
    kitchen.say(PhaseBegan(phase=Phase.TIMING))
    names = ("gpt-5-mini-2", "claude-1", "gpt-5-mini-3", "gpt-5-mini-4")
    kitchen.say(RaceBegan(candidates=tuple(f"id-{name}" for name in names), seconds=12.0))
    kitchen.measure("gpt-5-mini-2", Decision.FASTER, 2.4, 2.51, 2.63)
    kitchen.measure("claude-1", Decision.FASTER, 1.7, 1.8, 1.9)
    kitchen.measure("gpt-5-mini-3", Decision.FASTER, 3.2, 3.4, 3.6)
    kitchen.measure("gpt-5-mini-4", Decision.FASTER, 4.0, 4.21, 4.4, is_confirmed=True, processes=24)
    return race(kitchen).end(winner="gpt-5-mini-4")


def _ask_afresh(kitchen: Kitchen) -> None:
    kitchen.ask("call-1", PROMPT, purpose="fresh").ask("call-2", PROMPT, model=LARGE, purpose="fresh")
    kitchen.answer("call-1", ANSWER, 0.001145)
    kitchen.propose("gpt-5-mini-1", source="models", note="joins once", calls=("call-1",), log=kitchen.keep(ANSWER))
    wrong = {
        "origin": "generated",
        "call": "slugify('İstanbul', sep='')",
        "snippet": SNIPPET,
        "where": "result",
        "expected": "'istanbul'",
        "actual": "'i̇stanbul'",
        "baseline": "returns 'istanbul'",
        "candidate": "returns 'i̇stanbul'",
    }
    kitchen.judge("gpt-5-mini-1", Verdict.WRONG, "it differs", differences=(Difference(**wrong),))
    kitchen.fail("call-2", 529, "anthropic:claude-sonnet-4-5 is busy (status 529): Overloaded, my dear org-1234")
    kitchen.say(ProviderLimited(provider="anthropic", limit=2, pause=12.0, reason="Overloaded, my dear org-1234"))
    kitchen.ask("call-2", PROMPT, model=LARGE, attempt=2, purpose="fresh")
    kitchen.answer("call-2", ANSWER, 0.01095, attempt=2, queued=1.5, backed_off=12.0)
    kitchen.propose("claude-1", source="models", note="one pass", calls=("call-2",)).verify("claude-1")
    kitchen.ask("call-3", PROMPT, model=LOCAL, purpose="fresh")
    kitchen.answer("call-3", "Sure! Here is how to think about it: …", None, is_estimate=True, finish="length")
    kitchen.say(
        CandidateProposed(candidate="id-qwen3-1", name="qwen3-1", source="models", calls=("call-3",)),
        CandidateJudged(candidate="id-qwen3-1", verdict=Verdict.INVALID, reason="there is no code in the answer"),
    )


def _ask_for_more(kitchen: Kitchen) -> None:
    repair = "`slugify('İstanbul', sep='')` returns 'i̇stanbul' instead of 'istanbul'. Repair it."
    kitchen.ask("call-4", PROMPT, ANSWER, repair, purpose="repair of gpt-5-mini-1").answer("call-4", ANSWER, 0.0014)
    kitchen.propose(
        "gpt-5-mini-2",
        source="models",
        note="repaired",
        parents=("id-gpt-5-mini-1",),
        descent=Descent.REPAIR,
        calls=("call-4",),
    ).verify("gpt-5-mini-2")
    kitchen.ask("call-5", "Refine these two.", purpose="refinement").answer("call-5", ANSWER, 0.0016)
    kitchen.propose(
        "gpt-5-mini-3",
        source="models",
        note="refined",
        parents=("id-gpt-5-mini-2", "id-claude-1"),
        descent=Descent.REFINEMENT,
        calls=("call-5",),
    ).verify("gpt-5-mini-3")
    kitchen.propose(
        "gpt-5-mini-3b",
        source="models",
        parents=("id-gpt-5-mini-2", "id-claude-1"),
        descent=Descent.REFINEMENT,
        calls=("call-5",),
    ).judge("gpt-5-mini-3b", Verdict.DUPLICATE, duplicate_of="id-gpt-5-mini-3")
    kitchen.ask("call-6", "Its lineage, root to leaf: …", purpose="adaptation").answer("call-6", ANSWER, 0.0021)
    kitchen.propose(
        "gpt-5-mini-4",
        source="models",
        note="adapted",
        parents=("id-gpt-5-mini-3", "id-gpt-5-mini-2", "id-gpt-5-mini-1"),
        descent=Descent.ADAPTATION,
        calls=("call-6",),
    ).verify("gpt-5-mini-4")


def _fail_in_every_way(kitchen: Kitchen) -> None:
    for attempt in (1, 2):
        kitchen.ask("call-7", PROMPT, attempt=attempt).fail("call-7", 429, "Rate limit of org-1234", attempt=attempt)
        kitchen.say(ProviderLimited(provider="openai", limit=3 - attempt, pause=2.0 * attempt, reason="of org-1234"))
    kitchen.ask("call-8", PROMPT).fail("call-8", 500, "openai:gpt-5-mini did not answer (status 500): org-1234")
    kitchen.ask("call-9", PROMPT, model=LARGE).fail("call-9", None, f"{LARGE} did not answer within 600 s")
    kitchen.ask("call-10", PROMPT)
    took = {"tokens_in": 2100, "tokens_out": 12, "is_estimate": True, "cost": 0.000549, "seconds": 3.0}
    kitchen.say(CallEnded(call="call-10", end=CallEnd.CANCELLED, **took))


def sampled() -> Kitchen:
    """A run of `bakeoff sample`: two subsamples, a valid sample in the second iteration of the second one."""
    kitchen = Kitchen(RunStarted(command="sample", arguments=("Write a haiku", "--model", SMALL), version="0.5.0"))
    kitchen.say(PricesFound(model=SMALL, tokens_in=0.25, tokens_out=2.0, date="2026-01-01", origin="genai-prices 1"))
    short = RequirementAsked(requirement="three lines", met=True)
    autumn = RequirementAsked(requirement="mentions autumn", met=False, reason="it is about spring")
    broken = RequirementAsked(requirement="code runs", met=False, reason="ZeroDivisionError: division", is_error=True)
    met = RequirementAsked(requirement="mentions autumn", met=True)
    _sample(kitchen, "2.1", "Spring rain\non the roof\nall night", short, autumn)
    _sample(kitchen, "1.1", "Leaves", broken)
    kitchen.say(SampleBegan(sample="1.2", subsample=1, iteration=2, parent="1.1"))
    kitchen.ask("call-1.2", "Write a haiku about autumn", purpose="sample 1.2")
    _sample(kitchen, "2.2", "Red leaves\non the river\ngo home", short, met)
    kitchen.say(CallEnded(call="call-1.2", end=CallEnd.CANCELLED, cost=0.0001, tokens_in=30, is_estimate=True))
    kitchen.say(SampleEnded(sample="1.2", end=CallEnd.CANCELLED))
    return kitchen.say(SampleChosen(sample="2.2", is_valid=True)).end()


def _sample(kitchen: Kitchen, name: str, text: str, *said: RequirementAsked) -> None:
    subsample, iteration = map(int, name.split("."))
    is_valid = all(one.met for one in said)
    kitchen.say(SampleBegan(sample=name, subsample=subsample, iteration=iteration))
    kitchen.ask(f"call-{name}", "Write a haiku about autumn", purpose=f"sample {name}")
    kitchen.answer(f"call-{name}", text, 0.0005, tokens_in=40, tokens_out=20)
    ended = SampleEnded(
        sample=name,
        end=CallEnd.DONE,
        call=f"call-{name}",
        text=kitchen.keep(text),
        validations=said,
        is_judged=True,
        is_valid=is_valid,
    )
    kitchen.say(ended)


def ended_with(*names: str, speedups: Iterable[tuple[Decision, float]], noisy: bool = False) -> Kitchen:
    """A run whose verified candidates came out like this, with no winner."""
    kitchen = opened()
    for name, (decision, estimate) in zip(names, speedups, strict=True):
        kitchen.propose(name).verify(name)
        kitchen.measure(name, decision, estimate - 0.01, estimate, estimate + 0.01)
    return race(kitchen, noisy=noisy).end()


HOSTILE = (
    "</script></style><img src=x onerror=alert(1)>\"'><svg/onload=alert(2)> [bold red]&amp; \x1b]0;title\x07\x1b[2J "
    "\u202eevil\u2066 zero\u200bwidth \udcff\ud800 \x00 \u2028 `x` javascript:alert(3)"
)


def hostile(text: str = HOSTILE) -> Kitchen:
    """A run in which everything that a candidate has a hand in is this text, which is against whoever shows it."""
    kitchen = Kitchen(
        RunStarted(
            command="optimize", arguments=(text,), version=text, target=text, base=text, environment={text: text}
        ),
        PoolOpened(kind=text, asked=1, size=1),
        SandboxFound(tier=text, layers=(text,), missing={text: text}),
        BaselineLearned(tests=1, tests_reaching_target=1, recorded_calls=1, flaky=(text,)),
        Warned(message=text),
    )
    diff = f"diff --git a/{text} b/{text}\n--- a/{text}\n+++ b/{text}\n@@ -1 +1 @@ {text}\n-{text}\n+{text}{text}\n"
    kitchen.propose(text, diff, source=text, note=text, parents=(f"id-{text}", text), log=kitchen.keep(text))
    difference = Difference(
        origin="generated",
        call=text,
        snippet=text,
        where=text,
        expected=text,
        actual=text + "1",
        baseline=text,
        candidate=text + "2",
        note=text,
    )
    failure = TestFailure(id=text, expected=TestOutcome.PASSED, actual=TestOutcome.FAILED, text=text)
    found = {
        "counterexample": text,
        "differences": (difference,),
        "outside": (difference,),
        "failures": (failure,),
        "suspicions": (text,),
        "keeps": (text,),
        "log": kitchen.keep(text),
    }
    kitchen.judge(text, Verdict.WRONG, text, **found)
    kitchen.propose("plain", text).verify("plain", **found)
    kitchen.measure("plain", Decision.FASTER, 1.1, 1.2, 1.3, mixed=(text,))
    line = ProfiledLine(number=1, hits=1, share=1.0, text=text)
    function = ProfiledFunction(name=text, path=text, seconds=1.0, lines=(line,))
    kitchen.say(
        RaceEnded(placebo=None, noisy=True, clock=text, load=1.0),
        Profiled(profile=Profile(functions=(function,))),
        Profiled(candidate="id-plain", profile=Profile(problem=text, hint=text)),
    )
    _ask_against(kitchen, text)
    return kitchen.end(winner="plain")


def _ask_against(kitchen: Kitchen, text: str) -> None:
    """Calls of models of which everything that is not ours is this text."""
    kept = kitchen.keep(text)
    kitchen.say(
        PricesFound(model=text, tokens_in=1.0, tokens_out=1.0, date=text, origin=text),
        CallBegan(call=text, model=text, purpose=text, request=kept),
        CallEnded(call=text, end=CallEnd.FAILED, error=text, cost=0.0),
        ProviderLimited(provider=text, limit=1, pause=1e9, reason=text),
        CallBegan(call=text, attempt=2, model=text, purpose=text, request=kitchen.keep(_request(text))),
        CallEnded(call=text, attempt=2, end=CallEnd.DONE, answer=kept, finish=text, request_id=text),
        CallBegan(call="open", model=text, purpose=text, request=kitchen.keep(_request(text))),
    )
    more = {"descent": Descent.REFINEMENT, "calls": (text, "open", f"no {text}"), "log": kept}
    kitchen.propose(f"asked {text}", text, source=text, note=text, parents=("id-plain", f"id-{text}", text), **more)
    kitchen.judge(f"asked {text}", Verdict.INVALID, text)


def _request(text: str) -> str:
    return request_text(Request(messages=(Message(content=text),), stop=(text,), schema={text: text}))


def hostile_sampling(text: str = HOSTILE) -> Kitchen:
    """A run of `bakeoff sample` in which everything that is not ours is this text."""
    kitchen = Kitchen(RunStarted(command="sample", arguments=(text,), version=text))
    kitchen.say(
        SampleBegan(sample=text, subsample=1, iteration=1, parent=text),
        CallBegan(call=text, model=text, purpose=text, request=kitchen.keep(_request(text))),
        CallEnded(call=text, end=CallEnd.DONE, answer=kitchen.keep(text), finish=text),
    )
    said = tuple(RequirementAsked(requirement=text, met=False, reason=text, is_error=error) for error in (True, False))
    more = {"call": text, "text": kitchen.keep(text), "validations": said, "is_judged": True}
    kitchen.say(SampleEnded(sample=text, end=CallEnd.DONE, **more))
    kitchen.say(SampleBegan(sample=f"2 {text}", subsample=2, iteration=1))
    kitchen.say(SampleEnded(sample=f"2 {text}", end=CallEnd.FAILED, error=text))
    return kitchen.say(SampleChosen(sample=text, is_valid=False)).end()
