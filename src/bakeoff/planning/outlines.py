"""Plans as files that people edit: written as TOML, read again, and held against the files that there are.

What cannot be followed is told whole: all that is wrong with the form of a file at once, and then all that is wrong
with what it says.
"""

from __future__ import annotations

import difflib
import json
import tomllib
from collections import Counter, defaultdict
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any, Final

from bakeoff.errors import PlanRefused, UsageError
from bakeoff.planning.clusters import Limits
from bakeoff.planning.plan import Outline, Part, cycle, planned

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from bakeoff.planning.plan import Plan, Subplan
    from bakeoff.planning.selection import Selection

__all__ = ["mistakes", "read", "restored", "written"]

_LIMITS: Final = tuple(field.name for field in fields(Limits))
_KEYS: Final = ("paths", "limits", "subplan")
_OF_SUBPLAN: Final = ("name", "within", "after", "files")
_MEANT: Final = 20
_HEADING: Final = """\
# A plan, to be edited. Each file belongs to exactly one subplan: move lines from one list to another, cut subplans
# in two or put them together, rename them. What is named in `after` is done before; `within` says where a subplan
# stands in the tree. Comments are not kept when the plan is made anew.
"""


def written(plan: Plan) -> str:
    """The plan as TOML. What can be found out again is told in comments."""
    names = {leaf.id: leaf.name for leaf in plan.leaves}
    lines = [_HEADING, f"paths = {_list(plan.paths)}", "", "[limits]"]
    given = ((name, getattr(plan.limits, name)) for name in _LIMITS)
    lines += [f"{name.replace('_', '-')} = {number}" for name, number in given if number is not None]
    if plan.shared:
        lines += ["", "# So many files import these that they are context for all:"]
        lines += [f"#   {_comment([path])}" for path in plan.shared]
    within = {branch.id: names_above for branch, names_above in plan.root.places}
    for leaf in plan.leaves:
        lines += ["", *_subplan(leaf, within[leaf.id], names)]
    return "\n".join(lines) + "\n"


def _subplan(leaf: Subplan, within: Sequence[str], names: Mapping[str, str]) -> Iterator[str]:
    yield "[[subplan]]"
    yield f"name = {_text(leaf.name)}"
    yield f"# about {leaf.tokens:,} tokens"
    if leaf.imports:
        yield f"# imports from {_comment(names[one] for one in leaf.imports)}"
    yield f"within = {_list(within)}"
    yield f"after = {_list(names[one] for one in leaf.after)}"
    yield "files = ["
    yield from (f"    {_text(path)}," for path in leaf.files)
    yield "]"


def _text(text: str) -> str:
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _list(texts: Iterable[str]) -> str:
    return f"[{', '.join(map(_text, texts))}]"


def _comment(texts: Iterable[str]) -> str:
    return ", ".join(_text(text)[1:-1] for text in texts)


# -- reading -----------------------------------------------------------------------------------------------------------


def read(text: str, *, name: str) -> Outline:
    """What a file of this name says. Raises PlanRefused where it does not have the form of a plan."""
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise PlanRefused(name, [f"it is not TOML: {error}"]) from None
    reader = _Reader()
    outline = reader.outline(document)
    if reader.mistakes:
        raise PlanRefused(name, reader.mistakes)
    return outline


class _Reader:
    """TOML to values, as far as that goes; what is wrong is noted."""

    def __init__(self) -> None:
        self.mistakes: list[str] = []

    def outline(self, document: Mapping[str, Any]) -> Outline:
        self._know(document, _KEYS, "")
        paths = self._texts(document, "paths", "")
        if not paths:
            self.mistakes.append('paths has to say what the plan is about, as in paths = ["src"]')
        tables = document.get("subplan")
        if not (isinstance(tables, list) and tables and all(isinstance(table, dict) for table in tables)):
            self.mistakes.append("there is no subplan: each begins with a line [[subplan]]")
            tables = []
        parts = tuple(self._part(table, at) for at, table in enumerate(tables, start=1))
        return Outline(paths=paths, limits=self._limits(document.get("limits", {})), parts=parts)

    def _part(self, table: Mapping[str, Any], at: int) -> Part:
        name = table.get("name")
        if not (isinstance(name, str) and name):
            self.mistakes.append(f'subplan {at} has no name: name = "…"')
            name = f"subplan {at}"
        self._know(table, _OF_SUBPLAN, f"{name}: ")
        return Part(
            name=name,
            files=self._texts(table, "files", f"{name}: "),
            within=self._texts(table, "within", f"{name}: "),
            after=self._texts(table, "after", f"{name}: "),
        )

    def _texts(self, table: Mapping[str, Any], key: str, where: str) -> tuple[str, ...]:
        texts = table.get(key, [])
        if isinstance(texts, list) and all(isinstance(text, str) for text in texts):
            return tuple(texts)
        self.mistakes.append(f'{where}{key} has to be a list of texts, like ["one", "other"]')
        return ()

    def _limits(self, table: object) -> Limits:
        if not isinstance(table, dict):
            self.mistakes.append("limits has to be a table: [limits]")
            return Limits()
        self._know(table, [name.replace("_", "-") for name in _LIMITS], "limits: ")
        given = {}
        for name in _LIMITS:
            number = table.get(name.replace("_", "-"))
            if isinstance(number, int) and not isinstance(number, bool):
                given[name] = number
            elif number is not None:
                self.mistakes.append(f"limits: {name.replace('_', '-')} has to be a whole number")
        try:
            return Limits(**given)
        except UsageError as error:
            self.mistakes.append(f"limits: {error.message}")
            return Limits()

    def _know(self, table: Mapping[str, Any], known: Sequence[str], where: str) -> None:
        self.mistakes += [
            f"{where}there is no setting {key!r}{_meant(key, known)}" for key in table if key not in known
        ]


# -- following ---------------------------------------------------------------------------------------------------------


def mistakes(outline: Outline) -> list[str]:
    """What is wrong with it by itself: names and files that are there twice, and orders that cannot be kept."""
    counts = Counter(part.name for part in outline.parts)
    found = [f"{count} subplans are named {name}" for name, count in counts.items() if count > 1]
    homes: dict[str, list[str]] = defaultdict(list)
    for part in outline.parts:
        if not part.files:
            found.append(f"{part.name} has no files: remove it, and what comes after it")
        for path in part.files:
            homes[path].append(part.name)
    found += [f"{path} is there more than once: in {' and '.join(names)}" for path, names in homes.items() if names[1:]]
    for part in outline.parts:
        unknown = [name for name in part.after if name not in counts]
        found += [f"{part.name} comes after {name}, which there is not{_meant(name, counts)}" for name in unknown]
    waiting = cycle({part.name: [name for name in part.after if name in counts] for part in outline.parts})
    if waiting:
        found.append(f"subplans wait for each other: {' → '.join(waiting)}")
    return found


def restored(outline: Outline, selection: Selection, *, name: str) -> Plan:
    """The plan that an outline stands for, with just these subplans. Raises PlanRefused, with the name of the file that
    it comes from, where it does not have each of the selected files once, or goes beyond its own limits."""
    wrong = mistakes(outline)
    planned_ = {path for part in outline.parts for path in part.files}
    gone = sorted(planned_ - selection.tokens.keys())
    missing = sorted(selection.tokens.keys() - planned_)
    reasons = {left.path: left.reason for left in selection.left_out}
    for at, path in enumerate(gone):
        why = f"is left out: {reasons[path]}" if path in reasons else "is not among the files to plan"
        # Looking for what is meant takes its time; nobody reads hundreds of these.
        wrong.append(f"{path} {why}{_meant(path, missing) if at < _MEANT else ''}")
    wrong += [f"{path} is in no subplan" for path in missing]
    wrong += _beyond(outline, selection.tokens)
    if wrong:
        raise PlanRefused(name, wrong)
    whole = replace(outline, parts=tuple(replace(part, files=tuple(sorted(part.files))) for part in outline.parts))
    return planned(selection, whole.limits, whole.cluster(), earlier=whole)


def _beyond(outline: Outline, tokens: Mapping[str, int]) -> Iterator[str]:
    limits = outline.limits
    for part in outline.parts:
        if len(part.within) >= limits.max_depth:
            yield f"{part.name} is within {len(part.within)} others, and max-depth is {limits.max_depth}"
        if len(part.files) > limits.max_files:
            yield f"{part.name} has {len(part.files)} files, and max-files is {limits.max_files}"
        size = sum(tokens.get(path, 0) for path in part.files)
        if limits.max_tokens is not None and size > limits.max_tokens and len(part.files) > 1:
            yield f"{part.name} has about {size:,} tokens, and max-tokens is {limits.max_tokens:,}"


def _meant(name: str, known: Iterable[str]) -> str:
    near = difflib.get_close_matches(name, list(known), n=1)
    return f"; did you mean {near[0]}?" if near else ""
