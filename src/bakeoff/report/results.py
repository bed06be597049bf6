"""What `optimize` and `compare` print when they are done."""

from __future__ import annotations

import textwrap
from itertools import groupby
from typing import TYPE_CHECKING

from rich.cells import chop_cells
from rich.console import Group
from rich.table import Table
from rich.text import Text

from bakeoff.events import State, Verdict
from bakeoff.report import words
from bakeoff.report.foreign import cut, one_line, visible
from bakeoff.report.standings import is_verified, ranked, winner

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from rich.console import Console, ConsoleOptions, RenderableType

    from bakeoff.events import CandidateState, Profile, Run
    from bakeoff.events import Text as Kept

__all__ = ["DiffText", "result_table", "results_table"]

_FEW = 4  # so many candidates that are out for the same reason become one line
_MOST_ROWS = 40
_MOST_OF_SOURCE = 16
_MOST_EXAMPLES = 5
_MOST_LINES = 5
_DIFF_LINES, _DIFF_CHARACTERS = 400, 60_000
_LEAST_SHARE = 0.01


def results_table(runs: Sequence[Run], *, text: Callable[[Kept], str]) -> RenderableType:
    """What several runs came to, one after another."""
    parts: list[RenderableType] = []
    for run in runs:
        parts += [*(["", ""] if parts else []), result_table(run, text=text)]
    return Group(*parts)


def result_table(run: Run, *, text: Callable[[Kept], str]) -> RenderableType:
    """What a run came to. `text` gives what the store keeps under a hash."""
    parts: list[RenderableType] = [*_baseline(run)]
    if run.candidates:
        parts += ["", _candidates(run)]
    parts += _spaced(_counterexamples(run))
    parts += ["", *_ending(run)]
    parts += _spaced(_diff(run, text))
    parts += _spaced(_profiles(run))
    parts += _spaced(_remarks(run))
    return Group(*parts)


class DiffText:
    """A diff in colour. Long lines are broken anywhere, like a terminal does it, and never at blanks: they are code."""

    def __init__(self, diff: str) -> None:
        self._diff = diff

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Text]:
        """One piece of text for each line of the window."""
        in_hunk = False
        for line in self._diff.removesuffix("\n").split("\n"):
            in_hunk = line.startswith("@@") or (in_hunk and not line.startswith("diff "))
            shown = visible(line.removesuffix("\r")).expandtabs(4)
            style = _style_of_line(line, in_hunk=in_hunk)
            for piece in chop_cells(shown, options.max_width) or [""]:
                yield Text(piece, style, no_wrap=True, overflow="ignore")


def _style_of_line(line: str, *, in_hunk: bool) -> str:
    if not in_hunk:
        return "bold" if line.startswith(("diff ", "---", "+++")) else "dim"
    return {"@": "cyan", "+": "green", "-": "red", "\\": "dim"}.get(line[:1], "")


def _spaced(parts: list[RenderableType]) -> list[RenderableType]:
    return ["", *parts] if parts else []


def _headed(heading: str, said: str, style: str = "") -> Table:
    """A word, and beside it what may take several lines."""
    line = Table.grid(padding=(0, 2))
    line.add_row(Text(heading, "bold", no_wrap=True), Text(said, style, overflow="fold"))
    return line


def _baseline(run: Run) -> Iterator[RenderableType]:
    if run.start and run.start.target:
        yield _headed("target  ", visible(run.start.target))
    if run.baseline is None:
        return
    yield _headed("baseline", words.baseline(run))
    if run.baseline.flaky:
        names = ", ".join(one_line(name, 100) for name in run.baseline.flaky[:5])
        more = f" and {len(run.baseline.flaky) - 5:,} more" if len(run.baseline.flaky) > 5 else ""
        aside = "flaky test is" if len(run.baseline.flaky) == 1 else "flaky tests are"
        yield _headed("        ", f"{len(run.baseline.flaky):,} {aside} set aside: {names}{more}", "yellow")


# ── Candidates ───────────────────────────────────────────────────────────────────────────────────────────────────────


def _candidates(run: Run) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 1))
    table.add_column("candidate", overflow="fold", ratio=None, min_width=9)
    table.add_column("source", no_wrap=True, overflow="ellipsis", min_width=6)
    table.add_column("verdict", no_wrap=True, min_width=8)
    table.add_column("speedup, or why not", overflow="fold", min_width=19)
    rows = [row for group in _groups(run) for row in _rows(run, group)]
    for row in rows[:_MOST_ROWS]:
        table.add_row(*row)
    if len(rows) > _MOST_ROWS:
        table.add_row(Text(f"and {len(rows) - _MOST_ROWS:,} more: bakeoff show {run.id}", "dim"))
    return table


def _groups(run: Run) -> Iterator[list[CandidateState]]:
    """Candidates in order, those that are out for the same reason together."""

    def kind(candidate: CandidateState) -> tuple[str, str]:
        if is_verified(candidate):
            return "", candidate.proposed.candidate
        verdict = candidate.judged.verdict if candidate.judged else None
        return str(verdict), "" if verdict is Verdict.DUPLICATE else words.reason(run, candidate)

    sure = [one for one in ranked(run) if is_verified(one)]
    other = sorted((one for one in ranked(run) if not is_verified(one)), key=kind)
    place = {one.proposed.candidate: number for number, one in enumerate(ranked(run))}
    grouped = [list(group) for _, group in groupby(other, key=kind)]
    yield from ([one] for one in sure)
    yield from sorted(grouped, key=lambda group: min(place[one.proposed.candidate] for one in group))


def _rows(run: Run, group: list[CandidateState]) -> Iterator[tuple[Text, Text, Text, Text]]:
    if len(group) < _FEW:
        yield from (_row(run, candidate) for candidate in group)
        return
    one = group[0]
    verdict = one.judged.verdict if one.judged else None
    sources = one_line(", ".join(dict.fromkeys(each.proposed.source for each in group)), _MOST_OF_SOURCE)
    same = "the same as others" if verdict is Verdict.DUPLICATE else words.reason(run, one)
    yield (
        Text(f"{len(group):,} candidates", "dim"),
        Text(sources, "dim"),
        Text(verdict.value if verdict else "–", "dim"),
        Text(same, "dim"),
    )


def _row(run: Run, candidate: CandidateState) -> tuple[Text, Text, Text, Text]:
    first = winner(run)
    style = "bold green" if candidate is first else "" if is_verified(candidate) else "dim"
    verdict = candidate.judged.verdict.value if candidate.judged else "–"
    return (
        _name(run, candidate, style),
        Text(one_line(candidate.proposed.source, _MOST_OF_SOURCE), "" if is_verified(candidate) else "dim"),
        Text(verdict, "green" if is_verified(candidate) else "dim"),
        Text(words.result(run, candidate, 120), style),
    )


def _name(run: Run, candidate: CandidateState, style: str) -> Text:
    """With a line below it that says what it was made from, where it is no idea of its own."""
    name, descent = Text(one_line(candidate.proposed.name, 60), style), words.descent(run, candidate)
    return name.append(f"\n  {descent}", "not bold dim") if descent else name


def _counterexamples(run: Run) -> list[RenderableType]:
    """How wrong ones differ, each in short: the table has no room for it."""
    shown: list[tuple[str, str]] = []
    for candidate in ranked(run):
        judged = candidate.judged
        if judged is None or is_verified(candidate):
            continue
        if judged.differences:
            shortest = min(judged.differences, key=lambda one: len(one.call))
            shown.append((candidate.proposed.name, str(shortest)))
        elif judged.counterexample:
            shown.append((candidate.proposed.name, judged.counterexample))
    if not shown:
        return []
    table = Table.grid(padding=(0, 2))
    for name, example in shown[:_MOST_EXAMPLES]:
        table.add_row(Text(one_line(name, 30)), Text(one_line(example, 240), "dim", overflow="fold"))
    parts: list[RenderableType] = [Text("counterexamples", "bold"), table]
    if len(shown) > _MOST_EXAMPLES:
        parts.append(Text(f"and {len(shown) - _MOST_EXAMPLES:,} more: bakeoff show {run.id}", "dim"))
    return parts


# ── How it ended ─────────────────────────────────────────────────────────────────────────────────────────────────────


def _ending(run: Run) -> Iterator[RenderableType]:
    first = winner(run)
    style = "bold green" if first else "bold red" if run.state is State.FAILED else "bold"
    yield Text(words.ending(run), style)
    if first is not None and first.judged and first.judged.evidence:
        yield Text(f"{words.evidence(run, first.judged.evidence)}: no difference")
        left = words.caveats(first.judged.evidence)
        yield from ([Text(f"left out: {', '.join(left)}", "dim")] if left else [])
    if first is not None and first.judged:
        yield from (
            Text(f"it keeps what it has found ({one_line(where, 200)}): it is faster on inputs that repeat")
            for where in first.judged.keeps
        )
        yield from (Text(f"suspicious: {one_line(what, 200)}", "yellow") for what in first.judged.suspicions)
    if run.state is State.DONE and not run.candidates and run.start and run.start.command == "optimize":
        yield Text("other sources may know more: --model, --agent, --patch", "dim")
    idle = next((one.proposed for one in run.candidates.values() if _came_to_nothing(one)), None)
    if idle is not None and first is None:
        told = words.one_command("show", run.id, idle.name)
        yield Text.assemble((f"what {one_line(idle.name, 60)} printed:  ", "dim"), told)
    command = words.again(run)
    if command is not None and run.state is State.INTERRUPTED:
        yield Text.assemble("go on:  ", (command, "bold"))


def _came_to_nothing(candidate: CandidateState) -> bool:
    """Whether somebody tried and changed nothing, who may have said why."""
    proposed = candidate.proposed
    return proposed.log is not None and not proposed.calls and not (proposed.patch and proposed.patch.size)


def _diff(run: Run, text: Callable[[Kept], str]) -> list[RenderableType]:
    first = winner(run)
    if first is None or first.proposed.patch is None:
        return []
    diff, left = cut(text(first.proposed.patch), lines=_DIFF_LINES, characters=_DIFF_CHARACTERS)
    more = Text(f"… {left:,} more characters: bakeoff diff {run.id}", "dim")
    return [DiffText(diff), *([more] if left else [])]


def _profiles(run: Run) -> list[RenderableType]:
    """Where the time goes before, and with the winner."""
    first = winner(run)
    before = run.profiles.get(None)
    after = run.profiles.get(first.proposed.candidate) if first else None
    if before is None or first is None:
        return []
    problem = words.profile_problem(before)
    if problem is not None:
        return [Text(f"no line profile: {problem}", "dim")]
    parts = _profile("before", before)
    return [*parts, "", *_profile("after", after)] if after is not None else parts


def _profile(when: str, profile: Profile) -> list[RenderableType]:
    problem = words.profile_problem(profile)
    if problem is not None:
        return [Text(f"no line profile {when}: {problem}", "dim")]
    dearest = profile.functions[0]
    lines = sorted(dearest.lines, key=lambda line: -line.share)[:_MOST_LINES]
    kept = sorted((line for line in lines if line.share >= _LEAST_SHARE), key=lambda line: line.number) or lines[:1]
    table = Table.grid(padding=(0, 2))
    table.add_column(justify="right", no_wrap=True, min_width=4)
    table.add_column(justify="right", no_wrap=True, min_width=max((len(str(line.number)) for line in kept), default=0))
    table.add_column(overflow="ellipsis")  # the one that gives way
    sources = textwrap.dedent("\n".join(_code(line.text) for line in kept)).split("\n")
    for line, code in zip(kept, sources, strict=True):
        style = "bold" if line is lines[0] else ""
        source = Text(code, style, overflow="ellipsis", no_wrap=True)
        table.add_row(Text(f"{line.share:.0%}", style), Text(str(line.number), "dim"), source)
    heading = f"where the time goes {when}: {visible(dearest.name)}, {words.profiled(dearest.seconds)} with a profiler"
    return [Text(heading, "bold"), table]


def _code(line: str) -> str:
    """A line of a program with its indentation."""
    return visible(line.replace("\n", " ")).expandtabs(4).rstrip() or " "


def _remarks(run: Run) -> list[RenderableType]:
    parts: list[RenderableType] = []
    if run.races:
        race = run.races[-1]
        said = "; ".join([words.timing(race), *words.noise(race)])
        parts.append(_headed("timed   ", said, "yellow" if race.noisy else ""))
    parts += [_headed(f"{what:<8}", said) for what, said in words.spent(run)]
    if run.sandbox:
        without = f", without {', '.join(map(visible, run.sandbox.missing))}" if run.sandbox.missing else ""
        parts.append(_headed("sandbox ", f"{visible(run.sandbox.tier)}{without}"))
    parts += [_headed("warning ", visible(warning), "yellow") for warning in run.warnings]
    return parts
