"""What is said of a run, in words: the sentences that the terminal, the board and the page have in common."""

from __future__ import annotations

import math
import re
import shlex
from typing import TYPE_CHECKING

from bakeoff.events import Decision, Descent, State, Verdict
from bakeoff.report.foreign import one_line
from bakeoff.report.standings import best, counts, is_verified, measured, name_of, winner

if TYPE_CHECKING:
    from bakeoff.events import (
        CandidateMeasured,
        CandidateState,
        Evidence,
        Profile,
        ProviderLimited,
        RaceEnded,
        Run,
        RunStarted,
        Speedup,
        Spent,
    )

__all__ = [
    "again",
    "amount",
    "baseline",
    "caveats",
    "command",
    "cost",
    "counted",
    "descent",
    "dollars",
    "duration",
    "ending",
    "evidence",
    "factor",
    "inputs",
    "limited",
    "noise",
    "profile_problem",
    "reason",
    "rejected",
    "result",
    "spent",
    "target",
    "times",
    "timing",
    "tokens",
]

# How recorded calls name what they were made with: a pair of arguments and keywords; a size is its number of bits.
_CALL = re.compile(r"tuple2\[tuple\d+(\[(.*)\])?,dict(\d+)(\{.*\})?\]")
_SIZED = re.compile(r"\b(list|tuple|dict|set|frozenset|str|bytes|bytearray)(\d+)\b")
_MOST_MODELS = 2
_DECISIONS = {Decision.FASTER: "", Decision.SLOWER: "slower", Decision.NO_DIFFERENCE: "no difference"}


def amount(number: int, what: str, plural: str | None = None) -> str:
    """`1 test`, `12 tests`."""
    return f"{number:,} {what if number == 1 else plural or what + 's'}"


def factor(value: float) -> str:
    """`3.10×`, with as many digits as mean something."""
    if value >= 100:
        return f"{value:,.0f}×"
    return f"{value:.1f}×" if value >= 10 else f"{value:.2f}×" if value >= 0.095 else f"{value:.2g}×"


def times(speedup: Speedup) -> str:
    """`3.10× [2.90, 3.30]`."""
    low, high = (factor(value).removesuffix("×") for value in (speedup.low, speedup.high))
    return f"{factor(speedup.estimate)} [{low}, {high}]"


def duration(seconds: float) -> str:
    """`0.4 s`, `12 s`, `2 min 5 s`, `1 h 3 min`."""
    if seconds < 9.95:
        return f"{max(seconds, 0.0):.1f} s"
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    return f"{whole // 60} min {whole % 60} s" if whole < 3600 else f"{whole // 3600} h {whole % 3600 // 60} min"


def dollars(amount: float) -> str:
    """`$12.30`, `$0.25`, `$0.00012`: with three digits that mean something, and two at least behind the point."""
    if not amount:
        return "$0"
    places = max(2, 2 - math.floor(math.log10(amount)))
    whole, _, part = f"{amount:,.{places}f}".partition(".")
    return f"${whole}.{part.rstrip('0'):0<2}"


def target(run: Run) -> str:
    """What people call the target by: `slugify`."""
    name = (run.start.target or "").rpartition("::")[2] if run.start else ""
    return one_line(name, 60) or "the target"


def baseline(run: Run) -> str:
    """`41 tests, 12 reach slugify, 230 calls recorded`."""
    learned = run.baseline
    if learned is None:
        return "not learned yet"
    said = [amount(learned.tests, "test")]
    if run.start is None or run.start.target:
        said.append(f"{learned.tests_reaching_target:,} {'reaches' if learned.tests_reaching_target == 1 else 'reach'}")
        said[-1] += f" {target(run)}"
        said.append(f"{amount(learned.recorded_calls, 'call')} recorded")
        said[-1] += f" of {learned.calls:,}" if learned.calls > learned.recorded_calls else ""
    return ", ".join(said)


def evidence(run: Run, found: Evidence) -> str:
    """What was tried: `12 tests that reach slugify, 230 recorded calls replayed, 500 generated inputs`."""
    reach = run.baseline.tests_reaching_target if run.baseline else 0
    tests = amount(found.tests, "test")
    if reach and found.tests > reach:
        tests += f", {reach:,} of which {'reaches' if reach == 1 else 'reach'} {target(run)}"
    elif reach:
        tests += f" that {'reaches' if found.tests == 1 else 'reach'} {target(run)}"
    parts = [tests] if found.tests else []
    if found.recorded_calls:
        parts.append(f"{amount(found.recorded_calls, 'recorded call')} replayed")
    if found.generated_inputs:
        parts.append(amount(found.generated_inputs, "generated input"))
    return ", ".join(parts) or "nothing was tried"


def caveats(found: Evidence) -> list[str]:
    """What of it says less than it seems to."""
    said = []
    if found.outside_contract:
        said.append(f"{amount(found.outside_contract, 'input')} outside of the baseline's contract")
    if found.unstable:
        said.append(f"{amount(found.unstable, 'input')} that the baseline does not answer the same way twice")
    if found.unread:
        said.append(f"{amount(found.unread, 'recorded call')} that could not be made again")
    return said


def reason(run: Run, candidate: CandidateState, most: int = 200) -> str:
    """Why a candidate is out, in a few words."""
    judged = candidate.judged
    if judged is None:
        return "not judged: the time was over" if run.state is State.DONE else "not judged"
    if judged.duplicate_of is not None:
        return one_line(f"the same as {name_of(run, judged.duplicate_of)}", most)
    if judged.differences and judged.counterexample:
        return one_line(f"differs on {judged.counterexample}", most)
    if judged.reason:
        return one_line(judged.reason, most)
    return one_line(judged.counterexample or "", most)


def result(run: Run, candidate: CandidateState, most: int = 200) -> str:
    """What came of a candidate, in a line: its speedup, or why it has none."""
    found = measured(candidate)
    if found is None:
        return "not timed" if is_verified(candidate) else reason(run, candidate, most)
    return "  ".join(part for part in (times(found.speedup), _remark(found)) if part)


def descent(run: Run, candidate: CandidateState) -> str:
    """What it was asked for, where that is not an idea of its own: `repair of openai-2`."""
    proposed = candidate.proposed
    if proposed.descent is Descent.FRESH:
        return ""
    nearest, *others = [one_line(name_of(run, parent), 40) for parent in proposed.parents] or [""]
    said = f"{proposed.descent.value} of {nearest}" if nearest else proposed.descent.value
    # What an adaptation has beside its parent is its lineage.
    more = others and proposed.descent is not Descent.ADAPTATION
    return f"{said} and {amount(len(others), 'other')}" if more else said


def inputs(shape: str) -> str:
    """Arguments of one shape, for people: `list(2–3)[Order]` of `tuple2[tuple1[list2[Order]],dict0]`."""
    inner = _CALL.fullmatch(shape)
    text = (inner[2] or "nothing" if inner[3] == "0" else f"{inner[2]}, {inner[4]}") if inner is not None else shape
    return _SIZED.sub(_sized, text)


def _sized(found: re.Match[str]) -> str:
    bits = int(found[2])
    least, most = (1 << bits) >> 1, (1 << bits) - 1
    return f"{found[1]}({least:,}–{most:,})" if most > 1 else f"{found[1]}({most})"


def _remark(found: CandidateMeasured) -> str:
    said = [_DECISIONS[found.decision]] if _DECISIONS[found.decision] else []
    if found.mixed and found.decision is Decision.FASTER:
        said.append(f"slower on {one_line(inputs(found.mixed[0]), 60)}")
        said[-1] += f" and {amount(len(found.mixed) - 1, 'other')}" if found.mixed[1:] else ""
    return "; ".join(said)


def counted(run: Run) -> list[str]:
    """`14 proposed`, `6 verified`, `2 timed`."""
    timed = sum(measured(one) is not None for one in list(run.candidates.values()))
    verified = counts(run)[Verdict.VERIFIED]
    said = [f"{len(run.candidates):,} proposed", f"{verified:,} verified" if verified else ""]
    return [part for part in (*said, f"{timed:,} timed" if timed else "") if part]


def rejected(run: Run) -> list[str]:
    """`5 wrong`, `1 crashed`, `2 duplicates`: how many candidates are out, by what is wrong."""
    found = counts(run)
    return [
        f"{found[verdict]:,} {verdict.value}{'s' if verdict is Verdict.DUPLICATE and found[verdict] > 1 else ''}"
        for verdict in Verdict
        if verdict is not Verdict.VERIFIED and found[verdict]
    ]


def ending(run: Run) -> str:
    """How it ended, in a sentence."""
    match run.state:
        case State.DONE:
            return _done(run)
        case State.FAILED:
            return f"failed: {one_line(run.end.error if run.end and run.end.error else 'for an unknown reason', 400)}"
        case _:
            return f"{'interrupted' if run.state is State.INTERRUPTED else 'no end was recorded'}: {_so_far(run)}"


def _done(run: Run) -> str:
    first = winner(run)
    if first is not None:
        return _won(first)
    if not run.candidates:
        return "no candidate: the sources proposed nothing"
    verified = [one for one in run.candidates.values() if is_verified(one)]
    if not verified:
        return _nothing_verified(run)
    found = [times for one in verified if (times := measured(one)) is not None]
    if not found:
        return f"nothing timed: {amount(len(verified), 'candidate')} verified"
    return _undecided(run, found)


def _nothing_verified(run: Run) -> str:
    many = sum(one.judged is not None for one in run.candidates.values())
    if not many:
        return (
            f"nothing verified: the time was over before any of {amount(len(run.candidates), 'candidate')} was judged"
        )
    whose = "the only candidate does not behave" if many == 1 else f"none of {many:,} candidates behaves"
    return f"nothing verified: {whose} like the baseline, as far as could be seen"


def _undecided(run: Run, found: list[CandidateMeasured]) -> str:
    fastest = max(found, key=lambda one: one.speedup.estimate)
    many = amount(len(found), "verified candidate")
    if run.races and run.races[-1].noisy:
        return f"no measurable difference: the machine is too noisy to tell {many} from the baseline"
    if all(one.decision is Decision.SLOWER for one in found):
        return f"nothing faster: {many}, the best at {times(fastest.speedup)}"
    if fastest.decision is Decision.FASTER:
        return f"no winner: {many}, the best at {times(fastest.speedup)}"
    return f"no measurable difference: {many}, the best at {times(fastest.speedup)}"


def _won(candidate: CandidateState) -> str:
    name, found = one_line(candidate.proposed.name, 100), measured(candidate)
    if found is None:
        return f"{name} wins"
    estimate, interval = times(found.speedup).split(" ", 1)
    return f"{name} is {estimate} as fast as the baseline {interval}"


def _so_far(run: Run) -> str:
    judged = [one for one in run.candidates.values() if one.judged]
    text = f"{len(judged):,} of {amount(len(run.candidates), 'candidate')} judged"
    text += f", {sum(map(is_verified, judged)):,} verified" if judged else ""
    first = best(run)
    found = measured(first) if first else None
    return (
        f"{text}; the best so far is {one_line(first.proposed.name, 100)}, {times(found.speedup)}"
        if (first and found)
        else text
    )


def command(start: RunStarted) -> str:
    """What was typed."""
    return one_line(shlex.join(["bakeoff", start.command, *start.arguments]), 2000)


def again(run: Run) -> str | None:
    """The command that goes on with a run that did not come to its end."""
    return command(run.start) if run.start is not None and run.state is not State.DONE else None


def noise(race: RaceEnded) -> list[str]:
    """What a race says of the machine."""
    said = []
    if race.placebo is not None:
        copy = f"a copy of the baseline came out as {times(race.placebo)}"
        said.append(f"too noisy to decide: {copy}" if race.noisy else copy)
    elif race.noisy:
        said.append("too noisy to decide")
    if race.load >= 0.05:
        said.append(f"others kept {race.load:.1f} cores busy")
    if race.covered < 0.995:
        said.append(f"{race.covered:.0%} of the recorded calls' time was timed")
    return said


def timing(race: RaceEnded) -> str:
    """How was timed: `timed by the CPU clock in 24 processes, 12 s`."""
    clock = {"cpu": "CPU", "wall": "wall"}.get(race.clock, one_line(race.clock, 20))
    text = f"by the {clock} clock"
    text += f" in {amount(race.processes, 'process', 'processes')}" if race.processes else ""
    return f"{text}, {duration(race.seconds)}" if race.seconds else text


def spent(run: Run, found: Spent) -> str:
    """What calls of language models took: `12 calls of openai:gpt-5-mini, 8,400 tokens in, 1,220 out, $0.0123`."""
    models = list(dict.fromkeys(one.began.model for one in run.attempts.values()))
    named = ", ".join(one_line(model, 60) for model in models[:_MOST_MODELS])
    named += f" and {amount(len(models) - _MOST_MODELS, 'other')}" if len(models) > _MOST_MODELS else ""
    said = f"{amount(found.calls, 'call')} of {named}"
    said += f" in {found.attempts:,} attempts" if found.attempts > found.calls else ""
    return f"{said}: {tokens(found)}, {cost(found)}"


def tokens(found: Spent) -> str:
    """`8,400 tokens in, 1,220 out`; about so many where some were not counted by who served them."""
    about = "about " if found.estimated else ""
    return f"{about}{amount(found.tokens_in, 'token')} in, {found.tokens_out:,} out"


def cost(found: Spent) -> str:
    """`$0.0123`; or that it is not known, or not all of it."""
    if not (found.unpriced or found.open):
        return dollars(found.cost)
    return f"at least {dollars(found.cost)}" if found.cost else "cost not known"


def limited(event: ProviderLimited) -> str:
    """`openai: at most 2 calls at once, after a pause of 12 s`. Why is not said: those are the provider's words."""
    said = f"{one_line(event.provider, 60)}: at most {amount(event.limit, 'call')} at once"
    return f"{said}, after a pause of {duration(event.pause)}" if event.pause else said


def profile_problem(profile: Profile) -> str | None:
    """Why there are no lines, and what to do about it."""
    if profile.problem is None:
        return None if profile.functions else "no line was reached"
    problem = one_line(profile.problem, 300)
    return f"{problem} ({one_line(profile.hint, 300)})" if profile.hint else problem
