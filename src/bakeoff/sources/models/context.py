"""What a model is shown of a target and of the repository around it, most useful first.

All of it is data from the repository: whatever it says, it stands in fences that it cannot end (`pages.py`).
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from bakeoff.models.model import estimated_tokens
from bakeoff.sources.models.pages import Page, Piece, code
from bakeoff.sources.models.survey import Survey

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from bakeoff.events import Profile, ProfiledLine
    from bakeoff.sources.models.survey import Excerpt, SourceFile
    from bakeoff.sources.proposals import Brief
    from bakeoff.targets import Target

__all__ = ["context", "profiled"]

_WHOLE, _PARTS = 0.5, 0.7  # of all tokens: what a file may take to be shown whole, and what parts of it may take
_MOST_LISTED, _MOST_SHOWN = 200, 40
_HOT, _MOST_FUNCTIONS = 0.01, 4


def context(brief: Brief, *, tokens: int) -> str:
    """What there is to know of the target, within so many tokens; of the files in scope where there is no target."""
    page, survey = Page(tokens), Survey(brief)
    if brief.target is None:
        _files(page, brief, survey)
    else:
        page.add("## The code", _source(survey, brief.target, tokens), what="excerpts of the target's file")
    if brief.profile is not None and (lines := profiled(brief.profile)):
        said = "Of the time of each function, the share of its lines, as measured with the recorded calls:"
        shown = Piece(lines=lines, above=said, language="")
        page.add("## Where its time goes", [shown], share=0.5, what="lines of a profile")
    if brief.examples:
        said = "Some of the calls that its tests make, and what they gave:"
        page.add("## Calls", [Piece(lines=brief.examples, above=said, language="")], share=0.4, what="lists of calls")
    if brief.target is not None:
        page.add(
            "## What it uses from other files", _pieces(survey.elsewhere(brief.target)), share=0.4, what="definitions"
        )
    page.add("## Tests that reach it", _pieces(survey.tests()), share=0.7, what="tests")
    if brief.target is not None:
        page.add("## Where it is called", _pieces(survey.uses(brief.target)), what="places that call it")
    return page.text()


def profiled(profile: Profile) -> tuple[str, ...]:
    """Lines of text that say where the time goes: the functions that took longest, and what in them took it."""
    return tuple(
        line for function in profile.functions[:_MOST_FUNCTIONS] for line in _hot(function.name, function.lines)
    )


def _hot(name: str, lines: Iterable[ProfiledLine]) -> Iterator[str]:
    hot = [line for line in lines if line.share >= _HOT]
    if hot:
        yield f"{name}:"
        yield from (f"{line.share:7.0%}  {line.hits:>9,} times  {line.text.rstrip()}" for line in hot)


def _pieces(excerpts: Iterable[Excerpt]) -> Iterator[Piece]:
    for one in excerpts:
        what = f", {code(one.what)}" if one.what else ""
        yield Piece(lines=one.lines, above=f"{code(one.path)}{what}:")


# -- the target's file -------------------------------------------------------------------------------------------------


def _source(survey: Survey, target: Target, tokens: int) -> list[Piece]:
    file = survey.file(target.path)
    if file is None:
        return []
    asked = f"{code(target.name)} in {code(target.path)} is to become faster."
    whole = Piece(lines=file.lines, above=f"{asked} This is the whole file:")
    parts = survey.parts(target)
    if not parts or estimated_tokens("\n".join(file.lines)) <= tokens * _WHOLE:
        return [whole]
    shown, left = _chosen(file, parts, tokens)
    return [Piece(lines=shown, above=f"{asked} These are it and what it uses of its file, without {left} other lines:")]


def _chosen(file: SourceFile, parts: Iterable[range], tokens: int) -> tuple[tuple[str, ...], int]:
    """As many of the parts as there is room for, in the order of the file; the first one in any case."""
    room, chosen = int(tokens * _PARTS), set[int]()
    for part in parts:
        new = [number for number in part if number not in chosen]
        cost = estimated_tokens("\n".join(file.lines[number - 1] for number in new)) + 1
        if chosen and cost > room:
            continue
        room -= cost
        chosen.update(new)
    lines: list[str] = []
    for before, number in itertools.pairwise((0, *sorted(chosen))):
        if lines and number != before + 1:
            lines.append("")
        lines.append(file.lines[number - 1])
    return tuple(lines), len(file.lines) - len(chosen)


# -- where there is no target ------------------------------------------------------------------------------------------


def _files(page: Page, brief: Brief, survey: Survey) -> None:
    """Which files there are to be edited, and what is in the first of them: those where the time goes, else by name."""
    paths = sorted(path for path in brief.pool.files if brief.scope.allows(path))
    hot = [function.path for function in brief.profile.functions] if brief.profile is not None else []
    ranked = sorted(paths, key=lambda path: (path not in hot, not path.endswith(".py"), path))
    listed = Piece(lines=tuple(path.replace("\n", " ") for path in ranked[:_MOST_LISTED]), language="")
    page.add("## The files that may be edited", [listed] if ranked else [], share=0.2, what="lists of files")
    files = [file for path in ranked[:_MOST_SHOWN] if (file := survey.file(path)) is not None and file.lines]
    pieces = [Piece(lines=file.lines, above=f"{code(file.path)}:", language=_language(file.path)) for file in files]
    page.add("## What is in them", pieces, share=0.8, what="files")


def _language(path: str) -> str:
    return "python" if path.endswith(".py") else ""
