"""What a page says of one candidate: its change, why it is out, and what that stands on."""

from __future__ import annotations

import textwrap
import unicodedata
from itertools import groupby
from typing import TYPE_CHECKING

from bakeoff.events import Descent
from bakeoff.report import words
from bakeoff.report.asking import asked_html
from bakeoff.report.calls import calls_of
from bakeoff.report.diffs import lines_html, program_html
from bakeoff.report.foreign import one_line
from bakeoff.report.markup import Html, element, join
from bakeoff.report.standings import is_verified, winner

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from bakeoff.events import (
        CandidateJudged,
        CandidateState,
        Difference,
        Profile,
        ProfiledFunction,
        ProfiledLine,
    )
    from bakeoff.events import TestFailure as Failure
    from bakeoff.report.reading import Reader

__all__ = ["candidate_html", "profile_html"]

_MOST_DIFFERENCES, _MOST_FAILURES, _MOST_OUTSIDE = 5, 10, 3
_MOST_FUNCTIONS, _MOST_PROFILED = 5, 200
_LONG_FUNCTION, _BESIDE, _LEAST_SHARE = 25, 2, 0.005
_DESCENTS = {
    Descent.FRESH: "made of",
    Descent.REPAIR: "a repair of",
    Descent.REFINEMENT: "a refinement of",
    Descent.ADAPTATION: "an adaptation of",
}


def candidate_html(candidate: CandidateState, reader: Reader) -> Html:
    """All that is known of a candidate, folded away but for the winner."""
    run, proposed = reader.run, candidate.proposed
    first = winner(run)
    summary = element(
        "summary",
        element(f"h{reader.level + 2}", element("bdi", one_line(proposed.name, 200)), class_="name"),
        reader.verdict(candidate),
        element("span", words.result(run, candidate), class_="said"),
    )
    parts: list[Html | None] = [*_origin(candidate, reader), *_judged(candidate, reader)]
    duplicate = candidate.judged is not None and candidate.judged.duplicate_of is not None
    if candidate is first:
        parts.append(element("p", "Its change is shown above.", class_="muted"))
    elif not duplicate and proposed.patch is not None:
        parts += [reader.heading("Change", 2), reader.diff(candidate)]
    parts += asked_html(candidate, reader)
    parts += _outputs(candidate, reader)
    inside = element("div", *parts, class_="inside", id=reader.anchor(candidate))
    return element("details", summary, inside, class_="candidate", open=candidate is first)


def _origin(candidate: CandidateState, reader: Reader) -> Iterator[Html]:
    proposed = candidate.proposed
    said: list[str] = [f"From {proposed.source}"]
    for number, parent in enumerate(proposed.parents):
        known = reader.run.candidates.get(parent)
        said.append(f", {_DESCENTS[proposed.descent]} " if not number else ", ")
        name = one_line(known.proposed.name if known else parent, 100)
        said.append(element("a", element("bdi", name), href=f"#{reader.anchor(known)}") if known else name)
    said.append(f": {proposed.note}" if proposed.note else ".")
    yield element("p", *said)


def _judged(candidate: CandidateState, reader: Reader) -> Iterator[Html]:
    judged, run = candidate.judged, reader.run
    if judged is None:
        return
    original = run.candidates.get(judged.duplicate_of) if judged.duplicate_of is not None else None
    if original is not None:
        link = element("a", element("bdi", original.proposed.name), href=f"#{reader.anchor(original)}")
        yield element("p", "It means the same as ", link, ".")
    elif judged.reason and not is_verified(candidate):
        yield element("p", element("b", "Why it is out: "), _reason(judged))
    if judged.evidence is not None:
        yield _evidence(candidate, judged, reader)
    for what in judged.suspicions:
        yield element("p", element("b", "Suspicious: "), what, class_="suspicion")
    for where in judged.keeps:
        said = (
            f"It keeps what it has found ({where}), which the baseline does not: repeated inputs make it look faster."
        )
        yield element("p", said, class_="suspicion")
    yield from _slower(candidate)
    yield from _differences(judged, reader)
    yield from _failures(judged, reader)


def _reason(judged: CandidateJudged) -> str:
    """The reason as it was given, cut where it goes on for long."""
    reason = judged.reason or ""
    return reason if len(reason) <= 2000 else f"{reason[:2000]}…"


def _evidence(candidate: CandidateState, judged: CandidateJudged, reader: Reader) -> Html:
    assert judged.evidence is not None
    said = f"Tried: {words.evidence(reader.run, judged.evidence)}."
    left = words.caveats(judged.evidence)
    if left:
        said += f" Left out: {', '.join(left)}."
    found = candidate.measured
    if found is not None and found.processes:
        said += f" Timed in {words.amount(found.processes, 'process', 'processes')}"
        said += ", and confirmed in others than chose it." if found.is_confirmed else "."
    return element("p", said)


def _slower(candidate: CandidateState) -> Iterator[Html]:
    found = candidate.measured
    if found is not None and found.mixed:
        yield element(
            "p", element("b", "Mixed: "), f"it is slower on inputs like {'; '.join(map(words.inputs, found.mixed))}."
        )


def _differences(judged: CandidateJudged, reader: Reader) -> Iterator[Html]:
    if not judged.differences:
        if judged.counterexample:
            yield reader.heading("Counterexample", 2)
            yield program_html(judged.counterexample, label="Counterexample")
        return
    yield reader.heading("Counterexample" if len(judged.differences) == 1 else "Counterexamples", 2)
    shortest = sorted(judged.differences, key=lambda one: len(one.call))
    for one in shortest[:_MOST_DIFFERENCES]:
        yield _difference(one, reader)
    if len(shortest) > _MOST_DIFFERENCES:
        yield element("p", f"And {len(shortest) - _MOST_DIFFERENCES:,} more.", class_="cut")
    if judged.outside:
        named = "; ".join(one_line(one.call) for one in judged.outside[:_MOST_OUTSIDE])
        many = words.amount(len(judged.outside), "difference")
        yield element("p", f"Not held against it: {many} outside of the contract ({named}).", class_="muted")


def _difference(one: Difference, reader: Reader) -> Html:
    kept, note = reader.room.take(one.snippet or one.call, lines=200, characters=20_000)
    facts = {"baseline": one.baseline, "candidate": one.candidate}
    if one.where not in ("", "result", "error"):
        facts |= {"differs in": one.where, "expected": one.expected, "actual": one.actual}
    for left, right in (("baseline", "candidate"), ("expected", "actual")):
        if left in facts and _alike(facts[left], facts[right]):
            facts |= {f"{name}, in ASCII": _ascii(facts[name]) for name in (left, right)}
    rows = [
        part
        for name, value in facts.items()
        for part in (element("dt", name), element("dd", element("code", one_line(value, 1000))))
    ]
    how = f"Found among generated inputs: {one.note}." if one.origin == "generated" else one.note
    remark = element("p", how, class_="muted") if one.note else None
    program = program_html(kept, label=f"Counterexample {one_line(one.call, 80)}")
    return join([program, note, element("dl", *rows, class_="facts"), remark])


def _alike(one: str, other: str) -> bool:
    """Whether two texts that differ look the same to a person."""
    return one != other and _skeleton(one) == _skeleton(other)


def _skeleton(text: str) -> str:
    return "".join(letter for letter in unicodedata.normalize("NFKD", text) if not unicodedata.combining(letter))


def _ascii(text: str) -> str:
    return text.encode("ascii", "backslashreplace").decode()


def _failures(judged: CandidateJudged, reader: Reader) -> Iterator[Html]:
    if not judged.failures:
        return
    yield reader.heading("Tests that come out differently", 2)
    yield from (_failure(one, reader) for one in judged.failures[:_MOST_FAILURES])
    more = judged.failures[_MOST_FAILURES:]
    if more:
        yield element("p", f"And {len(more):,} more.", class_="cut")


def _failure(one: Failure, reader: Reader) -> Html:
    expected = element("span", f" {one.expected.value} before, {one.actual.value} now", class_="muted")
    line = element("p", element("code", one_line(one.id, 300)), expected)
    if not one.text.strip():
        return line
    kept, note = reader.room.take(one.text, lines=80, characters=8000)
    label = f"Report of {one_line(one.id, 100)}"
    report = element("pre", kept, class_="plain", tabindex="0", role="region", aria_label=label)
    return join([line, report, note])


def _outputs(candidate: CandidateState, reader: Reader) -> Iterator[Html]:
    judged, proposed = candidate.judged, candidate.proposed
    # Of what a model was asked for, that may be its answer, which stands above.
    answers = {call.answer for call in calls_of(reader.run, proposed.calls)}
    made = proposed.log if proposed.log not in answers else None
    for title, kept in (("How it was made", made), ("What it printed", judged.log if judged else None)):
        shown = reader.output(title, reader.text(kept)) if kept is not None else None
        if shown is not None:
            yield shown


# ── Profiles ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def profile_html(title: str, profile: Profile, reader: Reader) -> Html:
    """Lines with their share of the time, or why there are none."""
    problem = words.profile_problem(profile)
    heading = reader.heading(title, 1)
    if problem is not None:
        return element("div", heading, element("p", f"No line profile: {problem}."))
    tables = [_function(one) for one in profile.functions[:_MOST_FUNCTIONS]]
    return element("div", heading, *tables)


def _function(function: ProfiledFunction) -> Html:
    time = words.profiled(function.seconds)
    caption = element("caption", element("code", one_line(function.name, 100)), f" {time} with a profiler")
    heads = element("tr", *(element("th", name, scope="col") for name in ("Time", "Line", "Code")))
    lines = function.lines[:_MOST_PROFILED]
    source = textwrap.dedent("\n".join(line.text[:500].replace("\n", " ") for line in lines))
    codes = lines_html(source.split("\n"), function.path)
    rows = list(_rows(list(zip(lines, codes, strict=True))))
    table = element("table", caption, element("thead", heads), element("tbody", *rows), class_="profile")
    label = f"Profile of {one_line(function.name, 100)}"
    return element("div", table, class_="scroll", tabindex="0", role="region", aria_label=label)


def _rows(lines: Sequence[tuple[ProfiledLine, Html]]) -> Iterator[Html]:
    """Of a long function, lines that take no time to speak of are counted, unless they stand beside one that does."""
    warm = [place for place, (line, _) in enumerate(lines) if line.share >= _LEAST_SHARE]
    near = {place + step for place in warm for step in range(-_BESIDE, _BESIDE + 1)}
    is_long = len(lines) > _LONG_FUNCTION
    for is_cold, group in groupby(enumerate(lines), key=lambda one: is_long and one[0] not in near):
        found = [one for _, one in group]
        if not is_cold or len(found) <= _BESIDE:
            yield from (_profiled(line, code) for line, code in found)
            continue
        share = sum(line.share for line, _ in found)
        said = f"… {words.amount(len(found), 'line')}{f', {share:.0%} together' if share >= _LEAST_SHARE else ''}"
        yield element("tr", element("td", ""), element("td", ""), element("td", said, class_="muted"))


def _profiled(line: ProfiledLine, code: Html) -> Html:
    share = min(max(line.share, 0.0), 1.0)
    bar = element("svg", element("rect", width=f"{share:.0%}", height="100%"), aria_hidden="true")
    return element(
        "tr",
        element("td", bar, element("span", f"{share:.0%}" if share >= _LEAST_SHARE else "–"), class_="share"),
        element("td", str(line.number), class_="number"),
        element("td", element("code", code)),
    )
