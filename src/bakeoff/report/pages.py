"""Runs as a page: one file with all that was found out, that needs nothing else to be read.

Everything in it may have been written by a candidate. It is escaped by construction (see `markup`), and the page's own
policy allows one style and one script, both known by their hash, and nothing to be loaded from anywhere.
"""

from __future__ import annotations

import base64
import hashlib
from importlib import resources
from typing import TYPE_CHECKING

from bakeoff.events import State
from bakeoff.report import words
from bakeoff.report.asking import samples_html, spending_html
from bakeoff.report.chart import Row, chart
from bakeoff.report.details import candidate_html, profile_html
from bakeoff.report.diffs import Room
from bakeoff.report.foreign import one_line, visible
from bakeoff.report.lineage import lineage_html
from bakeoff.report.markup import Html, element, join
from bakeoff.report.matrix.page import matrix_counts, matrix_facts, matrix_html, matrix_verdict
from bakeoff.report.reading import Reader
from bakeoff.report.spending import total
from bakeoff.report.standings import best, is_matrix, is_sampling, is_verified, measured, ranked, winner

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from datetime import datetime

    from bakeoff.events import CandidateMeasured, CandidateState, Run, Text

__all__ = ["page", "pages"]

_ROOM, _TALK = 2_000_000, 1_000_000  # for what candidates are and did, and for conversations
_MOST_BARS = 40


def page(run: Run, *, text: Callable[[Text], str]) -> str:
    """One run as a page. `text` gives what the store keeps under a hash."""
    return pages([run], text=text)


def pages(runs: Sequence[Run], *, text: Callable[[Text], str]) -> str:
    """Several runs in one page, a section for each."""
    room, talk = Room(_ROOM), Room(_TALK)
    several = len(runs) > 1
    sections = [
        _section(run, Reader(run=run, text=text, room=room, talk=talk, prefix=f"r{number}-", level=1 + several))
        for number, run in enumerate(runs, 1)
    ]
    title = f"{len(runs)} targets" if several else _target(runs[0]) if runs else "no runs"
    body = join([_top(runs), element("main", _contents(runs) if several else None, *sections), _footer(runs)])
    return f"<!DOCTYPE html>\n{element('html', _head(visible(title)), element('body', body), lang='en')}\n"


# ── The frame ────────────────────────────────────────────────────────────────────────────────────────────────────────


def _head(title: str) -> Html:
    style, script = _asset("page.css"), _asset("page.js")
    policy = (
        f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(script)}'; "
        "base-uri 'none'; form-action 'none'"
    )
    return element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content=policy),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="color-scheme", content="light dark"),
        element("meta", name="referrer", content="no-referrer"),
        element("title", Html(_title(title))),
        element("style", Html(style)),
        # It waits for the page by itself: only scripts of other files can be told to.
        element("script", Html(script), type="module"),
    )


def _title(title: str) -> str:
    """A title holds text only, no elements: what cannot be seen is a number there without a frame around it."""
    return f"{one_line(title, 100)} · Bakeoff".replace("&", "&amp;").replace("<", "&lt;")


def _asset(name: str) -> str:
    return resources.files("bakeoff.report").joinpath(name).read_text(encoding="utf-8")


def _hash(content: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()}"


def _top(runs: Sequence[Run]) -> Html:
    first = runs[0] if runs else None
    said = [element("b", "Bakeoff")]
    if first is not None:
        command = visible(first.start.command) if first.start else "run"
        said += [join([f" · {command} · "]), _moment(first.started)]
    return element("header", *said, class_="top")


def _contents(runs: Sequence[Run]) -> Html:
    """The targets, each with what came of it."""
    rows = [
        element("li", element("a", element("bdi", _target(run)), href=f"#r{number}-run"), ": ", words.ending(run))
        for number, run in enumerate(runs, 1)
    ]
    return join([element("h1", f"{len(runs)} targets"), element("ul", *rows, class_="plain")])


def _footer(runs: Sequence[Run]) -> Html:
    versions = dict.fromkeys(visible(run.start.version) for run in runs if run.start)
    said = f"Made by Bakeoff {', '.join(versions)}." if versions else "Made by Bakeoff."
    return element("footer", said, " ", f"Run {', '.join(visible(run.id) for run in runs)}.")


def _target(run: Run) -> str:
    if run.matrix.began is not None:
        return run.matrix.began.name
    return (run.start.target or f"bakeoff {run.start.command}") if run.start else run.id


def _moment(moment: datetime) -> Html:
    return element("time", f"{moment:%Y-%m-%d %H:%M %Z}".strip(), datetime=moment.isoformat())


# ── A run ────────────────────────────────────────────────────────────────────────────────────────────────────────────


def _section(run: Run, reader: Reader) -> Html:
    path, separator, name = _target(run).rpartition("::")
    title = element(
        f"h{reader.level}",
        element("span", f"{path}{separator}", class_="path") if separator else None,
        element("bdi", name),
        class_="title",
        id=f"{reader.prefix}title",
    )
    parts = [title, _summary(run), _speedups(run, reader), _table(run, reader), lineage_html(run, reader)]
    parts += [_change(run, reader), _profiles(run, reader), _each(run, reader)]
    parts += [samples_html(run, reader) if is_sampling(run) else None]
    parts += [matrix_html(run, reader) if is_matrix(run) else None]
    parts += [spending_html(run, reader), _ground(run, reader)]
    return element("section", *parts, class_="run", id=f"{reader.prefix}run", aria_labelledby=f"{reader.prefix}title")


def _summary(run: Run) -> Html:
    first = winner(run)
    judged = first.judged if first else None
    proof = None
    if judged is not None and judged.evidence is not None:
        proof = element("p", f"No difference from the baseline was found: {words.evidence(run, judged.evidence)}.")
    warnings = [element("li", warning) for warning in run.warnings]
    facts = [element("div", element("dt", name), element("dd", value)) for name, value in _counts(run).items()]
    return join(
        [
            element("p", _verdict(run, first), class_="verdict"),
            proof,
            element("ul", *warnings, class_="warnings", aria_label="Warnings") if warnings else None,
            element("dl", *facts, class_="counts"),
        ]
    )


def _counts(run: Run) -> Mapping[str, str]:
    """The numbers that one wants to know first."""
    if is_matrix(run):
        said = matrix_counts(run)
    elif is_sampling(run):
        valid = sum(one.ended is not None and one.ended.is_valid for one in run.samples.values())
        said = {"samples": f"{len(run.samples):,}", "valid": f"{valid:,}"}
    else:
        timed = sum(measured(one) is not None for one in run.candidates.values())
        verified = sum(map(is_verified, run.candidates.values()))
        said = {"candidates": f"{len(run.candidates):,}", "verified": f"{verified:,}", "timed": f"{timed:,}"}
    if run.attempts:
        said |= {"calls of models": f"{run.spent.calls:,}", "what they cost": words.cost(total(run.attempts.values()))}
    return {**said, "in all": words.duration((run.last - run.started).total_seconds())}


def _verdict(run: Run, first: CandidateState | None) -> Html:
    found = measured(first) if first else None
    if is_matrix(run) and run.state is State.DONE and (said_of_it := matrix_verdict(run)) is not None:
        return said_of_it
    if first is None or found is None:
        said = words.ending(run)
        head, colon, rest = said.partition(": ")
        return join([element("b", head[:1].upper() + head[1:]), f"{colon}{rest}."])
    low, high = words.factor(found.speedup.low), words.factor(found.speedup.high)
    before, after = words.victory(run)
    return join(
        [
            element("b", element("bdi", first.proposed.name)),
            f" {before} ",
            element("span", words.factor(found.speedup.estimate), class_="factor"),
            f" {after} ",
            element("span", f"(between {low} and {high})", class_="interval"),
        ]
    )


def _speedups(run: Run, reader: Reader) -> Html | None:
    first, leading = winner(run), best(run)
    rows = [
        Row(
            name=one.proposed.name,
            speedup=found.speedup,
            kind="winner" if one is first else "best" if one is leading else "",
            link=f"#{reader.anchor(one)}",
        )
        for one in ranked(run)
        if (found := measured(one)) is not None
    ]
    more = len(rows) - _MOST_BARS
    rows = rows[:_MOST_BARS]
    if run.races and run.races[-1].placebo is not None:
        rows.append(Row(name="a copy of the baseline", speedup=run.races[-1].placebo, kind="copy"))
    drawn = chart(rows, note=f"{words.amount(more, 'slower one')} are only in the table." if more > 0 else None)
    return join([reader.heading("Speedups"), drawn]) if drawn is not None else None


def _table(run: Run, reader: Reader) -> Html | None:
    if not run.candidates:
        return None
    heads = [
        element("th", "Candidate", scope="col"),
        element("th", "Source", scope="col", class_="source"),
        element("th", "Verdict", scope="col", data_number=True),
        element("th", "Speedup", scope="col", data_number=True, data_first="descending"),
    ]
    caption = " · ".join([*words.counted(run), *words.rejected(run)])
    first = winner(run)
    rows = [_row(one, number, reader, won=one is first) for number, one in enumerate(ranked(run))]
    table = element(
        "table",
        element("caption", caption),
        element("thead", element("tr", *heads)),
        element("tbody", *rows),
        class_="candidates sortable",
    )
    return join([reader.heading("Candidates"), table])


def _row(candidate: CandidateState, rank: int, reader: Reader, *, won: bool) -> Html:
    found, proposed = measured(candidate), candidate.proposed
    name = element("a", element("bdi", one_line(proposed.name, 120)), href=f"#{reader.anchor(candidate)}")
    why = one_line(proposed.note, 160) if is_verified(candidate) else words.reason(reader.run, candidate, 160)
    return element(
        "tr",
        element("th", name, element("small", why) if why else None, scope="row", data_sort=proposed.name.casefold()),
        element("td", proposed.source, class_="source", data_sort=proposed.source.casefold()),
        element("td", reader.verdict(candidate), data_sort=rank),
        element(
            "td",
            _speedup(reader.run, found) if found else None,
            class_="speedup",
            data_sort=f"{found.speedup.estimate:.6f}" if found else "",
        ),
        class_="winner" if won else None if is_verified(candidate) else "out",
    )


def _speedup(run: Run, found: CandidateMeasured) -> Html:
    estimate, _, interval = words.times(found.speedup).partition(" ")
    remark = words.decided(run, found)
    remarks = ", ".join(part for part in (remark, "mixed" if found.mixed and not remark else None) if part)
    small = element("small", remarks) if remarks else None
    return join([element("b", estimate), " ", element("span", interval, class_="muted"), small])


def _change(run: Run, reader: Reader) -> Html | None:
    first = winner(run)
    if first is None or first.proposed.patch is None:
        return None
    said = first.proposed.note
    note = element("p", f"Rewritten: {said}." if first.proposed.source == "rules" else said) if said else None
    return join([reader.heading("The winner's change"), note, reader.diff(first)])


def _profiles(run: Run, reader: Reader) -> Html | None:
    """Where the time goes, before and after."""
    first = winner(run)
    named = {"Before": run.profiles.get(None), "After": run.profiles.get(first.proposed.candidate) if first else None}
    shown = [profile_html(title, profile, reader) for title, profile in named.items() if profile is not None]
    if not shown:
        return None
    return join([reader.heading("Where the time goes"), *shown])


def _each(run: Run, reader: Reader) -> Html | None:
    if not run.candidates:
        return None
    return join([reader.heading("Each candidate"), *(candidate_html(one, reader) for one in ranked(run))])


# ── Where it ran ─────────────────────────────────────────────────────────────────────────────────────────────────────


def _ground(run: Run, reader: Reader) -> Html:
    of_candidates = not is_sampling(run) and not is_matrix(run)
    title = "Baseline, machine and noise" if of_candidates else "What was run, and where"
    parts = [reader.heading(title if not is_sampling(run) else "Where it ran"), _facts(_known(run))]
    if run.baseline and run.baseline.flaky:
        names = element(
            "ul", *(element("li", element("code", name)) for name in run.baseline.flaky[:50]), class_="plain"
        )
        parts += [reader.heading("Flaky tests, set aside", 1), names]
    return join(parts)


def _known(run: Run) -> Mapping[str, str]:
    facts: dict[str, str] = matrix_facts(run)
    if run.baseline:
        facts["baseline"] = words.baseline(run)
    if run.races:
        race = run.races[-1]
        facts["timed"] = words.timing(race)
        facts["noise"] = "; ".join(words.noise(race)) or "none that was seen"
    if run.sandbox:
        facts["sandbox"] = f"{run.sandbox.tier}: {', '.join(run.sandbox.layers) or 'nothing'}"
        missing = "; ".join(f"{layer}: {why}" for layer, why in run.sandbox.missing.items())
        facts |= {"not in force": missing} if missing else {}
    if run.pool:
        facts["slots"] = f"{run.pool.size} of {run.pool.asked}, {run.pool.kind}"
    if run.start:
        facts |= {f"{name}": value for name, value in run.start.environment.items()}
        facts |= {} if is_matrix(run) else {"base": run.start.base or "–"}
        facts["command"] = words.command(run.start)
    facts["run"] = f"{run.id}, {run.events:,} events" + (", no end was recorded" if run.state is State.RUNNING else "")
    return facts


def _facts(facts: Mapping[str, str]) -> Html:
    rows = [
        part for name, value in facts.items() for part in (element("dt", name), element("dd", element("bdi", value)))
    ]
    return element("dl", *rows, class_="facts")
