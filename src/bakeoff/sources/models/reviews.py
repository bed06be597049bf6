"""What a model is shown of candidates: what they are, what came of them, and why they failed; within bounds, and in
fences, since all of it is what models and programs wrote."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bakeoff.events import Decision, Descent, Verdict
from bakeoff.models.model import estimated_tokens
from bakeoff.report.foreign import one_line, writable
from bakeoff.sources.models.context import profiled
from bakeoff.sources.models.pages import Page, Piece, code

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from bakeoff.candidates.tried import Tried
    from bakeoff.events import CandidateMeasured, Difference, TestFailure
    from bakeoff.sources.proposals import Brief

__all__ = ["before", "candidate", "candidates", "lineage", "problem"]

_MOST_DIFFERENCES, _MOST_FAILURES = 4, 3
_LONGEST_VALUE, _LONGEST_REPORT, _LONGEST_REASON = 400, 3_000, 1_500
_BOTH = "diffs and profiles"
_DECISIONS = {
    Decision.FASTER: "faster than the code as it is",
    Decision.SLOWER: "slower than the code as it is",
    Decision.NO_DIFFERENCE: "no measurable difference to the code as it is",
}


def candidate(brief: Brief, tried: Tried, tokens: int) -> str:
    """What it changes; where nothing came of it, the answer that was given."""
    page = Page(tokens)
    if tried.candidate.change:
        page.add("", [_diff(brief, tried)], what="diffs")
    else:
        lines = tuple(writable(tried.candidate.log).splitlines())
        page.add("", [Piece(lines=lines, above="This was the answer:", language="")], what="answers")
    return page.text()


def problem(tried: Tried, tokens: int) -> str:
    """Why it failed: the reason, the smallest inputs that it answers differently, the tests that it fails."""
    judged = tried.judged
    page = Page(tokens)
    reason = (judged.reason or "")[:_LONGEST_REASON]
    said = "It could not be used:" if judged.verdict is Verdict.INVALID else f"It is {_verdict(judged.verdict)}:"
    if reason:
        page.add("", [Piece(lines=tuple(reason.splitlines()), above=said, language="")], what="reasons")
    different = sorted(judged.differences, key=lambda one: ("..." in one.call, len(one.call)))[:_MOST_DIFFERENCES]
    page.add("", map(_difference, different), what="inputs that it answers differently")
    page.add("", map(_failure, judged.failures[:_MOST_FAILURES]), what="tests that it fails")
    return page.text()


def before(line: Sequence[Tried]) -> str:
    """The tries that led to one that failed, each in a line."""
    if not line:
        return ""
    said = [f"- {code(one.candidate.name)}: {code(one.judged.reason or one.judged.verdict.value)}" for one in line]
    return "\n".join(["It was a repair itself. Before it, these failed:", "", *said])


def candidates(brief: Brief, tried: Sequence[Tried], tokens: int) -> str:
    """Some that stand, each with its speed, with what it changes, and with where its time goes."""
    page = Page(tokens)
    for number, one in enumerate(tried):
        share = 1 / (len(tried) - number)
        page.add(f"### {_title(one)}", _shown(brief, one), share=share, what=_BOTH, is_kept=True)
    return page.text()


def lineage(brief: Brief, line: Sequence[Tried], tokens: int) -> str:
    """Candidates from the root to the leaf, with what came of each; the leaf gets half of the room, and what others
    leave."""
    texts: list[str] = []
    room = tokens
    for number, one in enumerate(reversed(line)):
        page = Page(room // 2 if number < len(line) - 1 else room)
        asked = "" if one.candidate.descent is Descent.FRESH else f" ({one.candidate.descent.value})"
        heading = f"### {len(line) - number}. {_title(one)}{asked}"
        page.add(heading, _shown(brief, one), what=_BOTH, is_kept=True)
        text = page.text()
        room -= estimated_tokens(text) + 1
        texts.append(text)
    return "\n\n".join(text for text in reversed(texts) if text)


# -- pieces ------------------------------------------------------------------------------------------------------------


def _shown(brief: Brief, tried: Tried) -> Iterator[Piece]:
    if tried.judged.reason:
        yield Piece(lines=(one_line(writable(tried.judged.reason), _LONGEST_REASON),), above="Why:", language="")
    if tried.candidate.change:
        yield _diff(brief, tried)
    profile = brief.profiles.get(tried.candidate.id)
    if profile is not None and (lines := profiled(profile)):
        yield Piece(lines=lines, above="Where its time goes:", language="")


def _title(tried: Tried) -> str:
    return f"{code(tried.candidate.name)}: {_standing(tried)}"


def _standing(tried: Tried) -> str:
    if not tried.is_verified:
        return _verdict(tried.judged.verdict)
    return _speed(tried.measured) if tried.measured is not None else "right, and not timed"


def _speed(measured: CandidateMeasured) -> str:
    found = measured.speedup
    interval = f"{found.low:.2f} to {found.high:.2f}"
    return f"{found.estimate:.2f} times as fast ({interval}), {_DECISIONS[measured.decision]}"


def _verdict(verdict: Verdict) -> str:
    return verdict.value.replace("-", " ")


def _diff(brief: Brief, tried: Tried) -> Piece:
    patch = tried.candidate.change.to_patch(base=brief.pool.read).decode("utf-8", "replace")
    lines = [line for line in patch.splitlines() if not line.startswith("index ")]
    return Piece(lines=tuple(lines), above="What it changes:", language="diff")


def _difference(found: Difference) -> Piece:
    """An input, and what both make of it. Where that is the same, what differs is named."""
    lines = [
        f"the call:      {_value(found.call)}",
        f"as it is:      {_value(found.baseline)}",
        f"the candidate: {_value(found.candidate)}",
    ]
    if found.where and (found.where not in ("result", "ending") or found.baseline == found.candidate):
        lines.append(f"{_value(found.where)}: {_value(found.actual)} instead of {_value(found.expected)}")
    if found.note:
        lines.append(_value(found.note))
    lines += found.error[-_LONGEST_REPORT:].splitlines()[-8:]
    return Piece(lines=tuple(lines), above="An input that it answers differently:", language="")


def _failure(found: TestFailure) -> Piece:
    text = found.text[-_LONGEST_REPORT:].splitlines()
    said = f"The test {code(found.id)} is {found.actual.value}, and should be {found.expected.value}:"
    return Piece(lines=tuple(text) or (found.actual.value,), above=said, language="")


def _value(text: str) -> str:
    return one_line(writable(text), _LONGEST_VALUE)
