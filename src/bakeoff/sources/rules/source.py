"""Which rewrites are tried, and in which combinations.

    round 1   every rewrite by itself, each rule at all its places, and all that go together, dearest lines first
    later     the best of what was verified, with more of what proved good, and with what has only now become possible

A version of the file is all that has to be known of what it was made of: a run that is taken up again goes on where it
was.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import anyio.to_thread

from bakeoff.candidates import Change
from bakeoff.events import Decision
from bakeoff.sources.proposals import Proposal

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable, Iterable, Iterator, Sequence

    from bakeoff.candidates import Reader
    from bakeoff.candidates.tried import Tried
    from bakeoff.events import Profile
    from bakeoff.sources.proposals import Brief
    from bakeoff.sources.rules.rewriting import Rule
    from bakeoff.sources.rules.views import Found, Key, View

__all__ = ["RulesSource"]

# What takes a smaller part of the time is not worth a candidate; nor what takes a smaller one when all else is faster.
_LEAST_SHARE = 0.02
_LEAST_SHARE_LATER = 0.1
_MOST_IN_A_ROUND = 8
_BEAM = 3
_DEEPEST = 4
_PARTS_IN_A_NAME = 3
_TOLD_IN_FULL = 2
# What stands for the other parts of a name; with a number behind it where there was such a name before.
_SEVERAL = re.compile(r"(\d+)more(?:-\d+)?")
# Kept from round to round, since making one takes up to a second; a few megabytes each.
_MOST_VIEWS = 12


class RulesSource:
    """Proposes rewrites of the target and of functions of its module that it calls. All rules of the catalogue, unless
    others are given."""

    name = "rules"

    def __init__(self, rules: Sequence[Rule] | None = None) -> None:
        self._rules = rules
        self._views: dict[tuple[str, bytes], View] = {}

    async def propose(self, brief: Brief) -> AsyncGenerator[Proposal, None]:
        """See `Source`."""
        async with brief.working():
            proposals = await anyio.to_thread.run_sync(self._proposals, brief)
        for proposal in proposals:
            yield proposal

    def _proposals(self, brief: Brief) -> list[Proposal]:
        from bakeoff.sources.rules.views import Unreadable  # noqa: PLC0415 (libcst takes its time to import)

        if brief.target is None or brief.most < 1:
            return []
        path = brief.target.path
        problem = "it may not be edited"
        file = brief.pool.read(path)
        try:
            if file is None:
                problem = "there is no such file"
            elif brief.scope.allows(path):
                search = _Search(brief, path, file.content, partial(self._view, brief.target.name))
                return search.later() if brief.tried else search.first()
        except Unreadable as error:
            problem = str(error)
        return [] if brief.tried else [Proposal(name=self.name, change=None, problem=f"{path}: {problem}")]

    def _view(self, name: str, content: bytes) -> View:
        from bakeoff.sources.rules.catalogue import ALL  # noqa: PLC0415
        from bakeoff.sources.rules.views import View  # noqa: PLC0415

        view = self._views.pop((name, content), None)
        if view is None:
            view = View(content, name, ALL if self._rules is None else self._rules)
        self._views[name, content] = view
        if len(self._views) > _MOST_VIEWS:
            self._views.pop(next(iter(self._views)))  # the one that was not asked for the longest
        return view


@dataclass(frozen=True, slots=True, kw_only=True)
class _Idea:
    """Rewrites of one version of the file, not made yet; `stem` are the parts that the version was made of, `note` says
    what was done to it."""

    view: View
    found: tuple[Found, ...]
    stem: str = ""
    note: str = ""
    parents: tuple[str, ...] = ()


class _Search:
    """What a round knows, and the proposals that it makes."""

    def __init__(self, brief: Brief, path: str, content: bytes, view: Callable[[bytes], View]) -> None:
        self._brief = brief
        self._path = path
        self._view = view
        self._base = view(content)
        self._known = _Known(brief.pool.read)
        self._made: list[Proposal] = []
        self._names: set[str] = {one.candidate.name for one in brief.tried}
        for one in brief.tried:
            self._known.add(one.candidate.change)
        shares = _shares(self._base, brief.profile)
        self._weights = {key: share for key, share in shares.items() if share >= _LEAST_SHARE}
        self._cheap = {key: share for key, share in shares.items() if share < _LEAST_SHARE}
        worth = [one for one in self._base.found if one.key in self._weights]
        self._ranked = sorted(worth, key=lambda one: (one.rule.is_minor, -self._weights[one.key], _order(one)))
        self._groups = self._by_rule()

    def first(self) -> list[Proposal]:
        # What is minor joins in when it has shown that it gains something.
        major = [one for one in self._ranked if not one.rule.is_minor] or self._ranked
        together = _Idea(view=self._base, found=tuple(self._base.fitting(sorted(major, key=_order))))
        alone = [[one] for one in self._ranked if not one.rule.is_minor or one.rule.name not in self._groups]
        ideas = sorted([*self._groups.values(), *alone], key=self._promise)
        most = self._brief.most - self._brief.most // 3
        every = [_Idea(view=self._base, found=tuple(ones)) for ones in ideas]
        for idea in [together, *self._further(together), *every]:
            if len(self._made) < most and idea.found:
                self._propose(idea)
        problems = [Proposal(name=name, change=None, problem=why) for name, why in self._base.problems.items()]
        return [*self._made, *problems]

    def _by_rule(self) -> dict[str, list[Found]]:
        """All places of a rule that go together, for rules that have several."""
        found: dict[str, list[Found]] = {}
        for one in self._ranked:
            found.setdefault(one.rule.name, []).append(one)
        return {name: self._base.fitting(ones) for name, ones in found.items() if len(ones) > 1}

    def _promise(self, ones: Sequence[Found]) -> tuple[bool, float]:
        return all(one.rule.is_minor for one in ones), -sum(self._weights[one.key] for one in ones)

    def _further(self, idea: _Idea) -> Iterator[_Idea]:
        """What rules find in what they have made, all of it: much can only be done when something else is."""
        names = [one.rule.name for one in idea.found]
        last = None
        for _ in range(_DEEPEST - 1):
            view = self._view_or_none(idea.view.content(idea.found))
            new = [one for one in view.found if one.key not in self._cheap] if view is not None else []
            found = [one for one in new if not one.rule.is_minor]
            if view is None or not found:
                break
            taken = tuple(view.fitting(sorted(found, key=_order)))
            idea = last = _Idea(view=view, found=taken, stem=_joined(names), note=_note(idea))
            names += [one.rule.name for one in idea.found]
        if last is not None:
            yield last

    def later(self) -> list[Proposal]:
        most = min(_MOST_IN_A_ROUND, self._brief.most)
        for idea in self._ideas():
            if len(self._made) >= most:
                break
            self._propose(idea)
        return self._made

    def _ideas(self) -> Iterator[_Idea]:
        """What to try next, most promising first."""
        singles = self._singles()
        ranked = sorted({**self._in_groups(), **singles}.items(), key=lambda item: -item[1].speedup)
        good = {key: one for key, one in ranked if _is_good(one)}
        offers = [
            _Offer(tried=one, view=view, good=good) for one in self._beam() if (view := self._view_of(one)) is not None
        ]
        for offer in offers:
            yield from offer.union()
        before = {one.key for one in self._base.found}
        for offer in offers:
            yield from offer.emerged(before)
        for offer in offers:
            yield from offer.ripened(self._cheap)
        for offer in offers:
            yield from offer.pairs()
        for one in self._ranked:
            if one.key not in singles and not one.rule.is_minor:
                yield _Idea(view=self._base, found=(one,))

    def _singles(self) -> dict[Key, Tried]:
        """What came of rewrites that were tried by themselves."""
        by_content = self._tried_by_content()
        made = ((one.key, self._base.content([one])) for one in self._base.found)
        return {key: by_content[content] for key, content in made if content in by_content}

    def _in_groups(self) -> dict[Key, Tried]:
        """What came of rewrites that were tried with all others of their rule."""
        by_content = self._tried_by_content()
        made = ((ones, self._base.content(ones)) for ones in self._groups.values())
        return {one.key: by_content[content] for ones, content in made if content in by_content for one in ones}

    def _tried_by_content(self) -> dict[bytes | None, Tried]:
        contents = ((one.candidate.change.contents.get(self._path), one) for one in self._brief.tried)
        return {content: one for content, one in contents if content is not None}

    def _beam(self) -> list[Tried]:
        depths: dict[str, int] = {}
        for one in self._brief.tried:
            depths[one.candidate.id] = 1 + max((depths.get(parent, 0) for parent in one.candidate.parents), default=0)
        usable = [
            one
            for one in self._brief.tried
            if one.candidate.source == RulesSource.name and _is_good(one) and depths[one.candidate.id] < _DEEPEST
        ]
        # Of equal ones the latest, which have not been gone on from yet.
        usable.reverse()
        return sorted(usable, key=lambda one: -one.speedup)[:_BEAM]

    def _view_of(self, tried: Tried) -> View | None:
        """The file as that candidate leaves it."""
        return self._view_or_none(tried.candidate.change.contents.get(self._path))

    def _view_or_none(self, content: bytes | None) -> View | None:
        from bakeoff.sources.rules.views import Unreadable  # noqa: PLC0415

        try:
            return self._view(content) if content is not None else None
        except Unreadable:
            return None

    def _propose(self, idea: _Idea) -> None:
        content = idea.view.content(idea.found)
        if content is None:
            return
        change = Change.of({self._path: content}, base=self._brief.pool.read)
        if not self._known.add(change):
            return
        name = self._name(idea)
        self._made.append(Proposal(name=name, change=change, note=_note(idea), parents=idea.parents))

    def _name(self, idea: _Idea) -> str:
        parts = list(dict.fromkeys(one.rule.name for one in idea.found))
        if len(idea.found) == 1 and sum(one.rule.name == parts[0] for one in idea.view.found) > 1:
            parts = [f"{parts[0]}@{idea.found[0].line}"]
        name = _joined([*(idea.stem.split("+") if idea.stem else ()), *parts])
        number = 2
        unique = name
        while unique in self._names:
            unique = f"{name}-{number}"
            number += 1
        self._names.add(unique)
        return unique


@dataclass(frozen=True, slots=True, kw_only=True)
class _Offer:
    """Ways to go on from one verified candidate. `good` are rewrites that were good by themselves, the best first."""

    tried: Tried
    view: View
    good: dict[Key, Tried]

    def _idea(self, found: Iterable[Found]) -> Iterator[_Idea]:
        taken = tuple(self.view.fitting(found))
        if taken:
            origins = [self.good[one.key].candidate.id for one in taken if one.key in self.good]
            parents = tuple(dict.fromkeys([self.tried.candidate.id, *origins]))
            candidate = self.tried.candidate
            yield _Idea(view=self.view, found=taken, stem=candidate.name, note=candidate.note, parents=parents)

    def _proven(self) -> list[Found]:
        by_key = {one.key: one for one in self.view.found}
        return [by_key[key] for key in self.good if key in by_key]

    def union(self) -> Iterator[_Idea]:
        """With all that was faster by itself, and with all that was no slower."""
        proven = self._proven()
        yield from self._idea([one for one in proven if self.good[one.key].is_faster])
        yield from self._idea(proven)

    def pairs(self) -> Iterator[_Idea]:
        """With one thing more that was good by itself."""
        for one in self._proven():
            yield from self._idea([one])

    def emerged(self, before: set[Key]) -> Iterator[_Idea]:
        """With what was not there to be rewritten before."""
        new = [one for one in self.view.found if one.key not in before]
        if len(new) > 1:
            yield from self._idea(new)
        for one in new:
            yield from self._idea([one])

    def ripened(self, cheap: dict[Key, float]) -> Iterator[_Idea]:
        """With what took next to nothing of the time before, and takes a good part of what is left of it."""
        speedup = self.tried.speedup
        ripe = [one for one in self.view.found if cheap.get(one.key, 0.0) * speedup >= _LEAST_SHARE_LATER]
        ripe = sorted((one for one in ripe if not one.rule.is_minor), key=lambda one: -cheap[one.key])
        if len(ripe) > 1:
            yield from self._idea(ripe)
        for one in ripe:
            yield from self._idea([one])


class _Known:
    """Changes that were proposed before, by anyone, and such as do nothing."""

    def __init__(self, base: Reader) -> None:
        self._base = base
        self._seen = {Change().fingerprint(base=base)}

    def add(self, change: Change) -> bool:
        """Whether it is new; from now on it is not."""
        fingerprint = change.fingerprint(base=self._base)
        is_new = fingerprint not in self._seen
        self._seen.add(fingerprint)
        return is_new


def _is_good(tried: Tried) -> bool:
    is_slower = tried.measured is not None and tried.measured.decision is Decision.SLOWER
    return tried.is_verified and not is_slower


def _note(idea: _Idea) -> str:
    """What all its rules do, those that the version was made by first; of many only what they are about."""
    said: dict[str, str] = {}
    for one in (*filter(None, idea.note.split("; ")), *(found.rule.summary for found in idea.found)):
        said.setdefault(one.partition(" → ")[0], one)
    return "; ".join(said.values() if len(said) <= _TOLD_IN_FULL else said)


def _order(found: Found) -> tuple[bool, int]:
    """Minor things last, and of others first what takes least room, so that more go together."""
    return found.rule.is_minor, len(found.key[2])


def _shares(view: View, profile: Profile | None) -> dict[Key, float]:
    """Which part of the target's time each rewrite is about; without a profile all are alike."""
    seconds: dict[int, float] = {}
    for function in profile.functions if profile is not None else ():
        for line in function.lines:
            seconds[line.number] = function.seconds * line.share
    total = sum(seconds.get(number, 0.0) for number in view.span)
    if not total:
        return {one.key: 1.0 for one in view.found}
    shares: dict[Key, float] = {}
    for one in view.found:
        is_unknown = one.lines <= view.nested and seconds.keys().isdisjoint(one.lines)
        shares[one.key] = 1.0 if is_unknown else sum(seconds.get(number, 0.0) for number in one.lines) / total
    return shares


def _joined(parts: Sequence[str]) -> str:
    """`a+b+c+2more` for five parts, some of which may stand for several themselves."""
    plain = dict.fromkeys(part for part in parts if not _SEVERAL.fullmatch(part))
    hidden = sum(int(found[1]) for part in parts if (found := _SEVERAL.fullmatch(part)) is not None)
    rest = max(0, len(plain) - _PARTS_IN_A_NAME) + hidden
    return "+".join([*list(plain)[:_PARTS_IN_A_NAME], *([f"{rest}more"] if rest else [])])
