"""What a page says of calls of language models: what was asked and answered, and what it took."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bakeoff.events import CallEnd
from bakeoff.report import spending, words
from bakeoff.report.calls import Request, calls_of, sampling_prompt
from bakeoff.report.foreign import one_line
from bakeoff.report.markup import Html, element, join
from bakeoff.report.standings import samples

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from bakeoff.events import AttemptState, CallEnded, CandidateState, Run, SampleEnded, SampleState, Spent
    from bakeoff.report.calls import Call, Turn
    from bakeoff.report.reading import Reader

__all__ = ["asked_html", "samples_html", "spending_html"]

_TURN_LINES, _TURN_CHARACTERS, _MOST_TURNS = 400, 20_000, 20
_MOST_MODELS, _MOST_ATTEMPTS, _MOST_SAMPLES = 50, 200, 200
_SHOWN = 0.05  # seconds of waiting that are worth a word


# ── Conversations ────────────────────────────────────────────────────────────────────────────────────────────────────


def asked_html(candidate: CandidateState, reader: Reader) -> Iterator[Html]:
    """What models were asked for a candidate, and answered; a call that several came from is told with the first."""
    calls = calls_of(reader.run, candidate.proposed.calls)
    if not calls:
        return
    yield reader.heading("What a model was asked", 2)
    for call in calls:
        yield element("p", words.call(call), ".")
        told = reader.told.setdefault(call.id, candidate)
        if told is candidate:
            yield from _conversation(call, reader)
        else:
            name = element("a", element("bdi", one_line(told.proposed.name, 80)), href=f"#{reader.anchor(told)}")
            yield element("p", "It brought ", name, " too, where its conversation is.", class_="aside")


def _conversation(call: Call, reader: Reader) -> Iterator[Html]:
    if call.request is not None:
        request = Request.of(reader.text(call.request))
        many = words.amount(len(request.turns), "message")
        with_ = ", ".join(f"{one_line(name, 40)} {one_line(value, 100)}" for name, value in request.settings)
        yield _folded(f"Prompt: {many}", [*_turns(request.turns, reader), *_small(f"With {with_}." if with_ else "")])
    if call.answer is not None:
        answer = reader.text(call.answer)
        yield _folded(f"Answer: {words.amount(len(answer), 'character')}", [_text(answer, "Answer", reader)])


def _turns(turns: Sequence[Turn], reader: Reader) -> Iterator[Html]:
    for turn in turns[:_MOST_TURNS]:
        role = one_line(turn.role, 40) or "asked"
        yield element("p", role, class_="who")
        yield _text(turn.content, f"Said by {role}", reader)
    yield from _small(f"And {len(turns) - _MOST_TURNS:,} more messages." if turns[_MOST_TURNS:] else "")


def _text(text: str, label: str, reader: Reader) -> Html:
    kept, note = reader.talk.take(text.lstrip("\n").rstrip(), lines=_TURN_LINES, characters=_TURN_CHARACTERS)
    return join([element("pre", kept, class_="plain talk", tabindex="0", role="region", aria_label=label), note])


def _folded(title: str, parts: Sequence[Html]) -> Html:
    return element("details", element("summary", title), *parts, class_="more")


def _small(text: str) -> list[Html]:
    return [element("p", text, class_="aside")] if text else []


# ── What it took ─────────────────────────────────────────────────────────────────────────────────────────────────────


def spending_html(run: Run, reader: Reader) -> Html | None:
    """Calls, tokens and cost by model with the rates, failures by kind, limits, and each attempt."""
    if not run.attempts:
        return None
    return join([reader.heading("Calls of language models"), _models(run), _facts(run), _attempts(run)])


def _models(run: Run) -> Html:
    models = spending.by_model(run)
    listed = list(models.items())[:_MOST_MODELS]
    rows = [_model(_named(model), found) for model, found in listed]
    if len(models) > 1:
        more = f"{len(models) - len(listed):,} of them are not listed" if len(models) > len(listed) else ""
        rows.append(_model(Html("All of them"), spending.total(run.attempts.values()), more, kind="total"))
    caption = "Attempts that failed or were cancelled may cost something, too: that is in here."
    return _table(caption, ("Model", "Calls", "Tokens", "Cost"), rows, "spending")


def _table(caption: str, heads: Sequence[str], rows: Sequence[Html], kind: str) -> Html:
    return element(
        "table",
        element("caption", caption),
        element("thead", element("tr", *(element("th", head, scope="col") for head in heads))),
        element("tbody", *rows),
        class_=kind,
    )


def _model(name: Html, found: Spent, below: str = "", *, kind: str | None = None) -> Html:
    attempts = [
        f"{found.attempts:,} attempts" if found.attempts > found.calls else "",
        f"{found.failed:,} failed" if found.failed else "",
        f"{found.cancelled:,} cancelled" if found.cancelled else "",
        f"{len(found.open):,} without an end" if found.open else "",
    ]
    return element(
        "tr",
        element("th", name, *_below(below), scope="row", class_="model"),
        element("td", f"{found.calls:,}", *_below(", ".join(filter(None, attempts)))),
        element("td", _tokens(found)),
        element("td", words.cost(found)),
        class_=kind,
    )


def _named(model: str) -> Html:
    """A model's name, in which a line may end after the provider's."""
    provider, colon, name = one_line(model, 80).partition(":")
    return element("bdi", f"{provider}{colon}", element("span", name) if name else None)


def _below(text: str) -> list[Html]:
    return [element("small", text)] if text else []


def _facts(run: Run) -> Html:
    whole = spending.total(run.attempts.values())
    took = {"in calls": whole.seconds, "waiting for permits": whole.queued, "backing off": whole.backed_off}
    said = [f"{words.duration(seconds)} {what}" for what, seconds in took.items() if seconds >= _SHOWN]
    models = list(dict.fromkeys(one.began.model for one in run.attempts.values()))[:_MOST_MODELS]
    facts = {
        "prices": [f"{one_line(model, 80)}: {words.price(run.prices.get(model))}" for model in models],
        "time": [f"{', '.join(said) or 'none that was seen'}; calls may have been open at the same time"],
        "failed": words.failures(run) or ["none"],
        "limited": [words.limited(name, found) for name, found in spending.limits(run).items()] or ["no provider"],
    }
    rows = [
        part
        for name, lines in facts.items()
        for part in (element("dt", name), *(element("dd", element("bdi", line)) for line in lines))
    ]
    return element("dl", *rows, class_="facts")


def _tokens(found: Spent) -> str:
    about = "about " if found.estimated else ""
    return f"{about}{found.tokens_in:,} in, {found.tokens_out:,} out"


def _attempts(run: Run) -> Html:
    attempts = list(run.attempts.values())
    rows = [_attempt(one) for one in attempts[:_MOST_ATTEMPTS]]
    heads = ("Model", "Came to", "Tokens", "Cost", "Time")
    table = _table("In the order in which they began.", heads, rows, "attempts")
    region = element("div", table, class_="scroll", tabindex="0", role="region", aria_label="Each attempt")
    more = f"And {len(attempts) - len(rows):,} more." if len(attempts) > len(rows) else ""
    return _folded(f"Each attempt ({len(attempts):,})", [region, *_small(more)])


def _attempt(one: AttemptState) -> Html:
    began, ended, found = one.began, one.ended, spending.total([one])
    number = f", attempt {began.attempt}" if began.attempt > 1 else ""
    what = f"{one_line(began.purpose, 80) or 'a call'}{number}"
    waited = [f"{words.duration(found.queued)} in the queue"] if found.queued >= _SHOWN else []
    waited += [f"{words.duration(found.backed_off)} backed off"] if found.backed_off >= _SHOWN else []
    return element(
        "tr",
        element("td", _named(began.model), *_below(what), class_="model"),
        element("td", _end(ended) if ended is not None else "no end"),
        element("td", _tokens(found) if ended is not None else "–"),
        element("td", words.cost(found)),
        element("td", words.duration(found.seconds) if ended is not None else "–", *_below(", ".join(waited))),
    )


def _end(ended: CallEnded) -> str:
    if ended.end is CallEnd.FAILED:
        return spending.failure(ended)
    if ended.end is CallEnd.CANCELLED:
        return "cancelled"
    return "answered" if ended.finish in (None, "stop") else f"answered, its end: {one_line(ended.finish or '', 40)}"


# ── Samples ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def samples_html(run: Run, reader: Reader) -> Html:
    """What was asked, and each sample by its place, folded away but for the one that was chosen."""
    found = samples(run)
    turns = sampling_prompt(run, reader.text)
    more = len(found) - _MOST_SAMPLES
    return join(
        [
            *([reader.heading("Prompt"), *_turns(turns, reader)] if turns else []),
            reader.heading("Samples"),
            *(_sample(one, reader) for one in found[:_MOST_SAMPLES]),
            *_small(f"And {more:,} more." if more > 0 else ""),
        ]
    )


def _sample(sample: SampleState, reader: Reader) -> Html:
    began, ended, chosen = sample.began, sample.ended, reader.run.chosen
    is_chosen = chosen is not None and chosen.sample == began.sample
    kind = "verified" if ended and ended.is_valid else "wrong" if ended and ended.is_judged else "none"
    summary = element(
        "summary",
        element(f"h{reader.level + 2}", element("bdi", one_line(began.sample, 60)), class_="name"),
        element("span", words.came_to(sample), class_=f"verdict-of {kind}"),
        element("span", "chosen" if is_chosen else words.sample(sample).partition(": ")[2], class_="said"),
    )
    place = f"Iteration {began.iteration} of subsample {began.subsample}"
    place += f", after {one_line(began.parent, 60)}." if began.parent is not None else "."
    parts = _ended(ended, reader) if ended is not None else ()
    inside = element("div", element("p", place), *parts, class_="inside")
    return element("details", summary, inside, class_="candidate", open=is_chosen)


def _ended(ended: SampleEnded, reader: Reader) -> Iterator[Html]:
    """What the requirements say, why there is nothing to be judged, and what there is."""
    rows = [
        part
        for one in ended.validations
        for part in (element("dt", one_line(one.requirement, 200)), element("dd", element("bdi", words.said(one))))
    ]
    if rows:
        yield element("dl", *rows, class_="facts")
    if ended.error:
        yield element("p", element("b", "What went wrong: "), one_line(ended.error, 1000))
    if ended.text is not None:
        yield _text(reader.text(ended.text), "What was generated", reader)
    for call in calls_of(reader.run, (ended.call or "",)):
        yield element("p", words.call(call), ".", class_="aside")
