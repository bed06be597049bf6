"""What is said of a run, in words: the sentences that the terminal, the board and the page have in common."""

from __future__ import annotations

import math
import re
import shlex
from collections import Counter
from typing import TYPE_CHECKING

from bakeoff.events import CallEnd, CellStatus, Decision, Descent, State, Verdict
from bakeoff.report import spending
from bakeoff.report.foreign import one_line
from bakeoff.report.standings import (
    best,
    counts,
    is_matrix,
    is_sampling,
    is_verified,
    measured,
    name_of,
    samples,
    winner,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bakeoff.events import (
        CandidateMeasured,
        CandidateState,
        Evidence,
        PricesFound,
        Profile,
        RaceEnded,
        RequirementAsked,
        Run,
        RunStarted,
        SampleState,
        Speedup,
        Spent,
    )
    from bakeoff.report.calls import Call

__all__ = [
    "again",
    "amount",
    "baseline",
    "call",
    "came_to",
    "caveats",
    "cells",
    "command",
    "cost",
    "counted",
    "decided",
    "descent",
    "dollars",
    "duration",
    "ending",
    "evidence",
    "factor",
    "failures",
    "inputs",
    "is_of_memory",
    "limited",
    "noise",
    "one_command",
    "price",
    "profile_problem",
    "profiled",
    "reason",
    "rejected",
    "result",
    "said",
    "sample",
    "sampled",
    "sources",
    "spent",
    "target",
    "times",
    "timing",
    "tokens",
    "victory",
]

# How recorded calls name what they were made with: a pair of arguments and keywords; a size is its number of bits.
_CALL = re.compile(r"tuple2\[tuple\d+(\[(.*)\])?,dict(\d+)(\{.*\})?\]")
_SIZED = re.compile(r"\b(list|tuple|dict|set|frozenset|str|bytes|bytearray)(\d+)\b")
_MOST_MODELS, _MOST_FAILURES = 6, 5
_MOST_UNMET = 3
_LEAST_DOLLARS = 1e-6
_CERTAINLY = 1.01
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
    if amount < _LEAST_DOLLARS:
        return "less than $0.000001"
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
    if learned.by_command:
        return amount(learned.tests, "test") if learned.tests > 1 else "the check passes"
    said = [amount(learned.tests, "test")]
    if learned.tests_reaching_target or run.start is None or (run.start.target and run.start.command != "sweep"):
        said.append(f"{learned.tests_reaching_target:,} {'reaches' if learned.tests_reaching_target == 1 else 'reach'}")
        said[-1] += f" {target(run)}"
        said.append(f"{amount(learned.recorded_calls, 'call')} recorded")
        said[-1] += f" of {learned.calls:,}" if learned.calls > learned.recorded_calls else ""
    return ", ".join(said)


def evidence(run: Run, found: Evidence) -> str:
    """What was tried: `12 tests that reach slugify, 230 recorded calls replayed, 500 generated inputs`."""
    if run.baseline is not None and run.baseline.by_command:
        return f"{amount(found.tests, 'test')} of the check" if found.tests > 1 else "the check"
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
    return "  ".join(part for part in (times(found.speedup), _remark(run, found)) if part)


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
    return _SIZED.sub(_sized, text.replace(",", ", "))


def _sized(found: re.Match[str]) -> str:
    bits = int(found[2])
    least, most = (1 << bits) >> 1, (1 << bits) - 1
    if not most:
        return f"empty {found[1]}"
    return f"{found[1]}({least:,}–{most:,})" if most > 1 else f"{found[1]}({most})"


def decided(run: Run, found: CandidateMeasured) -> str:
    """What a speedup is called where it is no victory."""
    if found.is_undecided:
        return "undecided: the time was over"
    return "less than asked for" if _is_too_little(run, found) else _DECISIONS[found.decision]


def _remark(run: Run, found: CandidateMeasured) -> str:
    said = [part for part in [decided(run, found)] if part]
    if found.mixed and found.decision is Decision.FASTER:
        worse = "larger" if is_of_memory(run) else "slower"
        more = f" and {amount(len(found.mixed) - 1, 'other kind')}" if found.mixed[1:] else ""
        said.append(f"{worse} on inputs like {one_line(inputs(found.mixed[0]), 60)}{more}")
    return "; ".join(said)


def _is_too_little(run: Run, found: CandidateMeasured) -> bool:
    """Whether it is faster for certain, and yet not by as much as was asked for."""
    is_noisy = bool(run.races) and run.races[-1].noisy
    is_level = found.decision is Decision.NO_DIFFERENCE and not found.is_undecided
    return is_level and found.speedup.low > _CERTAINLY and not is_noisy


def counted(run: Run) -> list[str]:
    """`14 proposed`, `6 verified`, `2 timed`."""
    timed = sum(measured(one) is not None for one in list(run.candidates.values()))
    verified = counts(run)[Verdict.VERIFIED]
    said = [f"{len(run.candidates):,} proposed", f"{verified:,} verified" if verified else ""]
    return [part for part in (*said, f"{timed:,} timed" if timed else "") if part]


def sources(run: Run) -> list[str]:
    """`12 from rules`, `8 from models`: who proposed how many."""
    found = Counter(one.proposed.source for one in list(run.candidates.values()))
    return [f"{many:,} from {one_line(source, 40)}" for source, many in found.items()]


def sampled(run: Run) -> list[str]:
    """`8 samples`, `5 ended`, `2 valid`."""
    ended = [one.ended for one in samples(run) if one.ended is not None]
    valid = sum(one.is_valid for one in ended)
    return [amount(len(run.samples), "sample"), f"{len(ended):,} ended", f"{valid:,} valid"]


def came_to(found: SampleState) -> str:
    """What came of a sample, in a word or two."""
    ended = found.ended
    if ended is None:
        return "no end"
    if ended.end is not CallEnd.DONE:
        return ended.end.value
    if ended.is_valid:
        return "valid"
    return "not valid" if ended.is_judged else "not judged"


def sample(found: SampleState) -> str:
    """The same with why: which requirements it does not meet, and what they say."""
    ended = found.ended
    unmet = (
        [f"{one_line(one.requirement, 80)}: {said(one)}" for one in ended.validations if not one.met] if ended else []
    )
    why = [one_line(ended.error, 200)] if ended is not None and ended.error else unmet[:_MOST_UNMET]
    more = [f"and {amount(len(unmet) - _MOST_UNMET, 'other')}"] if unmet[_MOST_UNMET:] else []
    return ": ".join(part for part in (came_to(found), "; ".join([*why, *more])) if part)


def said(found: RequirementAsked) -> str:
    """What a requirement says of a sample: `met`, or why not, or that it broke instead of saying anything."""
    word = "met" if found.met else "broke" if found.is_error else "not met"
    reason = one_line(found.reason, 300)
    return f"{word}: {reason}" if reason else word


def cells(run: Run) -> str:
    """`pilot: 221 of 240 cells done, 19 failed`, and what is missing, and why."""
    matrix = run.matrix
    found = Counter(state.status for state in matrix.current)
    name = f"{one_line(matrix.began.name, 60)}: " if matrix.began is not None else ""
    said = f"{name}{found[CellStatus.DONE]:,} of {amount(found.total(), 'cell')} done"
    said += f", {found[CellStatus.FAILED]:,} failed" if found[CellStatus.FAILED] else ""
    said += f", {found[None]:,} missing" if found[None] else ""
    why = f": {one_line(matrix.stopped.reason, 200)}" if matrix.stopped is not None and found[None] else ""
    return f"{said}{why}"


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
        return _won(run, first)
    if is_sampling(run) or is_matrix(run):
        return cells(run) if is_matrix(run) else _chosen(run)
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
    if fastest.is_undecided:
        about = f"the best about {factor(fastest.speedup.estimate)}"
        return f"undecided: the time was over before {many} could be told from the baseline, {about}"
    if _is_too_little(run, fastest):
        return f"nothing faster by what --min-speedup asks for: {many}, the best at {times(fastest.speedup)}"
    return f"no measurable difference: {many}, the best at {times(fastest.speedup)}"


def _won(run: Run, candidate: CandidateState) -> str:
    name, found = one_line(candidate.proposed.name, 100), measured(candidate)
    if found is None:
        return f"{name} wins"
    estimate, interval = times(found.speedup).split(" ", 1)
    before, after = victory(run)
    return f"{name} {before} {estimate} {after} {interval}"


def victory(run: Run) -> tuple[str, str]:
    """What stands around the factor of a winner: it `is` so many times `as fast as the baseline`."""
    return ("takes", "less memory than the baseline") if is_of_memory(run) else ("is", "as fast as the baseline")


def is_of_memory(run: Run) -> bool:
    """Whether memory was measured, and not time."""
    return bool(run.races) and run.races[-1].clock == "memory"


def _chosen(run: Run) -> str:
    many = amount(len(run.samples), "sample")
    if run.chosen is None:
        return f"nothing was chosen of {many}"
    name = one_line(run.chosen.sample, 60)
    if run.chosen.is_valid:
        return f"sample {name} is valid, of {many}"
    none = "the only sample is not valid" if len(run.samples) == 1 else f"none of {many} is valid"
    return f"{none}; the best of them is {name}"


def _so_far(run: Run) -> str:
    if is_sampling(run):
        return ", ".join(sampled(run))
    if is_matrix(run):
        return cells(run)
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


def one_command(*parts: str) -> str:
    """A command of ours to be typed."""
    return one_line(shlex.join(["bakeoff", *parts]), 2000)


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
    text = "by the most memory that a call takes" if race.clock == "memory" else f"by the {clock} clock"
    text += f" in {amount(race.processes, 'process', 'processes')}" if race.processes else ""
    return f"{text}, {duration(race.seconds)}" if race.seconds else text


def spent(run: Run) -> list[tuple[str, str]]:
    """What calls of language models took, how they failed, and how providers were limited: lines, each with what it is
    about."""
    if not run.attempts:
        return []
    models = spending.by_model(run)
    lines = [("models", f"{_asked(spending.total(run.attempts.values()), list(models))}")]
    if len(models) > 1:
        named = list(models.items())
        lines += [("", f"{one_line(model, 60)}: {_asked(found)}") for model, found in named[:_MOST_MODELS]]
        more = len(named) - _MOST_MODELS
        lines += [("", f"and {amount(more, 'other')}")] if more > 0 else []
    failed = failures(run)
    lines += [("failed", "; ".join(failed))] if failed else []
    said = [limited(provider, found) for provider, found in spending.limits(run).items()]
    return [*lines, *(("" if number else "limited", one) for number, one in enumerate(said))]


def _asked(found: Spent, models: Sequence[str] = ()) -> str:
    said = amount(found.calls, "call")
    said += f" of {one_line(models[0], 60)}" if len(models) == 1 else ""
    said += f" in {found.attempts:,} attempts" if found.attempts > found.calls else ""
    said += f", {found.cancelled:,} cancelled" if found.cancelled else ""
    said += f", {len(found.open):,} open" if found.open else ""
    return f"{said}: {tokens(found)}, {cost(found)}"


def call(found: Call) -> str:
    """`openai:gpt-5-mini (repair): 2 attempts, 6.4 s, 2,100 tokens in, 310 out, $0.0014`; and where it brought nothing,
    how it ended."""
    took, last = spending.total(found.attempts), found.attempts[-1].ended
    what = f" ({one_line(found.purpose, 60)})" if found.purpose else ""
    attempts = f"{len(found.attempts):,} attempts, " if len(found.attempts) > 1 else ""
    ends = {CallEnd.CANCELLED: "cancelled, ", CallEnd.FAILED: f"failed, {spending.failure(last)}, " if last else ""}
    end = "no end was recorded, " if last is None else ends.get(last.end, "")
    cut = ", cut at the most tokens that were asked for" if last is not None and last.finish == "length" else ""
    return (
        f"{one_line(found.model, 60)}{what}: {end}{attempts}{duration(took.seconds)}, {tokens(took)}, {cost(took)}{cut}"
    )


def tokens(found: Spent) -> str:
    """`8,400 tokens in, 1,220 out`; about so many where some were not counted by who served them."""
    about = "about " if found.estimated else ""
    return f"{about}{amount(found.tokens_in, 'token')} in, {found.tokens_out:,} out"


def cost(found: Spent) -> str:
    """`$0.0123`; or that it is not known, or not all of it."""
    if spending.cost(found) is not None:
        return dollars(found.cost)
    return f"at least {dollars(found.cost)}" if found.cost else "cost not known"


def failures(run: Run) -> list[str]:
    """`2 attempts: status 429, Too Many Requests`, the most frequent first."""
    found = spending.failures(run.attempts.values())
    said = [f"{amount(many, 'attempt')}: {what}" for what, many in found.most_common(_MOST_FAILURES)]
    more = found.total() - sum(many for _, many in found.most_common(_MOST_FAILURES))
    return [*said, f"{amount(more, 'other')}"] if more else said


def price(found: PricesFound | None) -> str:
    """`$0.25 in, $2.00 out for a million tokens, as of 2026-11-19 (genai-prices 0.0.35)`."""
    if found is None or found.tokens_in is None or found.tokens_out is None:
        return "not known"
    said = [f"{dollars(found.tokens_in)} in", f"{dollars(found.tokens_out)} out"]
    said += [f"{dollars(found.tokens_cached)} in from the cache"] if found.tokens_cached is not None else []
    when = f", as of {one_line(found.date, 20)}" if found.date else ""
    origin = f" ({one_line(found.origin, 60)})" if found.origin else ""
    return f"{', '.join(said)} for a million tokens{when}{origin}"


def limited(provider: str, found: spending.Limits) -> str:
    """`openai: 3 times, to 1 call at once at the least, the longest pause 12 s`. Why is not said: those are the
    provider's words."""
    said = f"{one_line(provider, 60)}: {amount(found.times, 'time')}, to {amount(found.least, 'call')} at once"
    said += " at the least" if found.times > 1 else ""
    pause = "the longest pause" if found.times > 1 else "a pause of"
    return f"{said}, {pause} {duration(found.longest)}" if found.longest else said


def profiled(seconds: float) -> str:
    """`12 µs`, `3.1 ms`, `2.4 s`: what all calls of a function took together."""
    if seconds < 1e-4:
        return f"{seconds * 1e6:,.0f} µs"
    return f"{seconds * 1000:,.1f} ms" if seconds < 1 else duration(seconds)


def profile_problem(profile: Profile) -> str | None:
    """Why there are no lines, and what to do about it."""
    if profile.problem is None:
        return None if profile.functions else "no line was reached"
    problem = one_line(profile.problem, 300)
    return f"{problem} ({one_line(profile.hint, 300)})" if profile.hint else problem
