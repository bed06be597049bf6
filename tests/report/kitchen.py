"""Runs as they are in real logs, event by event."""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from bakeoff.events import (
    BaselineLearned,
    CandidateJudged,
    CandidateMeasured,
    CandidateProposed,
    Decision,
    Difference,
    Event,
    Evidence,
    JudgingBegan,
    Phase,
    PhaseBegan,
    PoolOpened,
    Profile,
    Profiled,
    ProfiledFunction,
    ProfiledLine,
    RaceBegan,
    RaceEnded,
    Recorded,
    Run,
    RunEnded,
    RunStarted,
    SandboxFound,
    Speedup,
    State,
    TestFailure,
    TestOutcome,
    Text,
    Verdict,
    Warned,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
TARGET = "shop/text.py::slugify"

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
    return kitchen.end(winner="plain")
