"""What is asked next, given what came of all that was asked before; nothing else is remembered.

    failed, with something to learn from ──▶ repair, for so many rounds along a line
    the best that stand ──▶ refinement, several of them in one request
    stands, and descends from a refinement ──▶ adaptation, with its whole lineage
    places that are left ──▶ fresh ideas

That a candidate was asked about is known by its children: whatever comes of an ask, if only a reason, is a child.
"""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bakeoff.events import Decision, Descent, Verdict

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from bakeoff.candidates.tried import Tried

__all__ = ["Ask", "History", "fresh", "has_lesson", "later"]

_MOST_REFINED = 3
_MOST_ADAPTED = 2
_FAILED = frozenset({Verdict.WRONG, Verdict.CRASHED, Verdict.TIMED_OUT, Verdict.OVER_LIMIT, Verdict.INVALID})
_NUMBER = re.compile(r"-(\d+)[a-z]?$")
_OF_REPAIR = re.compile(r"-repair(-\d+)?$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """What a model is to be asked for. `about` are the candidates that it is shown: those of a line of repairs, with
    the one that is to be repaired at its end; some that stand; or a lineage from its root to its leaf. `name` is that
    of the candidate to come; of a fresh idea only the `number` is known before it is known who is asked."""

    descent: Descent
    about: tuple[Tried, ...] = ()
    name: str = ""
    number: int = 0

    @property
    def parents(self) -> tuple[str, ...]:
        """Ids, nearest first."""
        ids = tuple(one.candidate.id for one in self.about)
        if self.descent is Descent.REPAIR:
            return ids[-1:]
        return ids[::-1] if self.descent is Descent.ADAPTATION else ids

    @property
    def purpose(self) -> str:
        if self.descent is Descent.FRESH:
            return f"fresh idea {self.number}"
        names = [one.candidate.name for one in self.about]
        said = ", ".join(names) if self.descent is Descent.REFINEMENT else names[-1]
        return f"{self.descent.value} of {said}"


class History:
    """Candidates with what came of them, and how they descend from each other. `source` is whose asks they may answer;
    others' candidates can be refined as well."""

    def __init__(self, tried: Iterable[Tried], source: str) -> None:
        self.all = {one.candidate.id: one for one in tried}
        self.own = [one for one in self.all.values() if one.candidate.source == source]

    def of(self, *descents: Descent) -> list[Tried]:
        """Our own of these kinds."""
        return [one for one in self.own if one.candidate.descent in descents]

    def lineage(self, leaf: Tried) -> tuple[Tried, ...]:
        """A candidate and all that it was made from, whatever was first before the rest."""
        found: dict[str, Tried] = {}
        waiting, entered = [leaf], set[str]()
        while waiting:
            one = waiting[-1]
            missing = [self.all[parent] for parent in one.candidate.parents if parent in self.all]
            missing = [parent for parent in missing if parent.candidate.id not in entered]
            entered.add(one.candidate.id)
            if missing:
                waiting.append(missing[0])
            else:
                found.setdefault(one.candidate.id, one)
                waiting.pop()
        return tuple(found.values())

    def line(self, leaf: Tried) -> tuple[Tried, ...]:
        """What was repaired until it became this, the first one first."""
        found = [leaf]
        while found[-1].candidate.descent is Descent.REPAIR:
            parent = self.all.get(next(iter(found[-1].candidate.parents), ""))
            if parent is None or parent in found:
                break
            found.append(parent)
        return tuple(reversed(found))

    def is_refined(self, one: Tried) -> bool:
        """Whether there is a refinement among what it was made from, or it is one."""
        return any(each.candidate.descent is Descent.REFINEMENT for each in self.lineage(one))


def later(history: History, *, repair_rounds: int) -> list[Ask]:
    """What follows from what was tried: repairs, which take no places, then what is most promising."""
    return [*_repairs(history, repair_rounds), *_adaptations(history), *_refinements(history)]


def fresh(names: Iterable[str]) -> Iterator[Ask]:
    """Ideas of their own without end, by numbers that none of these names has."""
    taken = {int(found[1]) for name in names if (found := _NUMBER.search(name)) is not None}
    for number in itertools.count(1):
        if number not in taken:
            yield Ask(descent=Descent.FRESH, number=number)


# -- repair ------------------------------------------------------------------------------------------------------------


def has_lesson(tried: Tried) -> bool:
    """Whether a candidate that failed left something to learn from (E9): an input, a test, or what is wrong with the
    answer. Of one that crashed or took too long, and nobody knows on what, nothing better would come."""
    judged = tried.judged
    if judged.verdict not in _FAILED:
        return False
    if judged.verdict is Verdict.INVALID:
        return bool(judged.reason and tried.candidate.log)
    return bool(judged.counterexample or judged.differences or judged.failures)


def _repairs(history: History, most: int) -> Iterator[Ask]:
    repaired = {one.candidate.parents[0] for one in history.of(Descent.REPAIR) if one.candidate.parents}
    for one in history.own:
        line = history.line(one)
        done = len(line) - 1
        if has_lesson(one) and one.candidate.id not in repaired and done < most:
            stem = _OF_REPAIR.sub("", one.candidate.name)
            name = f"{stem}-repair" if not done else f"{stem}-repair-{done + 1}"
            yield Ask(descent=Descent.REPAIR, about=line, name=name)


# -- refinement and adaptation -----------------------------------------------------------------------------------------


def _refinements(history: History) -> Iterator[Ask]:
    """Those that do not come from a refinement, the best of them at once, when the very best was not refined yet."""
    made = history.of(Descent.REFINEMENT)
    refined = {parent for one in made for parent in one.candidate.parents}
    best = _best([one for one in history.all.values() if _stands(one) and not history.is_refined(one)], _MOST_REFINED)
    if best and best[0].candidate.id not in refined:
        yield Ask(descent=Descent.REFINEMENT, about=tuple(best), name=_numbered("refined", made))


def _adaptations(history: History) -> Iterator[Ask]:
    """The best of those that come from a refinement, unless the last step has led nowhere."""
    made = history.of(Descent.ADAPTATION)
    adapted = {one.candidate.parents[0] for one in made if one.candidate.parents}
    leaves = [
        one
        for one in history.own
        if _stands(one)
        and one.candidate.id not in adapted
        and history.is_refined(one)
        and (one.candidate.descent is not Descent.ADAPTATION or _is_progress(history, one))
    ]
    for number, leaf in enumerate(_best(leaves, _MOST_ADAPTED)):
        name = _numbered("adapted", made, number)
        yield Ask(descent=Descent.ADAPTATION, about=history.lineage(leaf), name=name)


def _stands(one: Tried) -> bool:
    """Whether it is right, and known not to be slower."""
    return one.is_verified and one.measured is not None and one.measured.decision is not Decision.SLOWER


def _is_progress(history: History, one: Tried) -> bool:
    parent = history.all.get(next(iter(one.candidate.parents), ""))
    return parent is None or one.speedup > parent.speedup


def _best(tried: Sequence[Tried], most: int) -> list[Tried]:
    return sorted(tried, key=lambda one: -one.speedup)[:most]


def _numbered(stem: str, made: Sequence[Tried], beside: int = 0) -> str:
    """A name with the next number; where several have one number, they are of one answer."""
    numbers = [int(found[1]) for one in made if (found := _NUMBER.search(one.candidate.name)) is not None]
    return f"{stem}-{max(numbers, default=0) + 1 + beside}"
