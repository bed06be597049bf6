"""What a plan is: a big job over a code base as a tree of subplans, which are disjoint sets of files.

    paths ──select──▶ files, tokens, imports ──split──▶ clusters ──▶ Plan ──▶ run_subplans
                                                  ▲               └──▶ a file, edited by people ──┐
                                                  └────────────── an outline of a plan ◀──────────┘

A subplan's id is made from the paths of its files and nothing else: on any machine, and in any other plan that has it,
it is the same. What is written down under an id stays true as long as the subplan keeps its files.
"""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from dataclasses import dataclass, replace
from graphlib import CycleError, TopologicalSorter
from itertools import count
from typing import TYPE_CHECKING

from bakeoff.planning.clusters import Cluster, Limits, common, leaves, shared

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from bakeoff.planning.selection import LeftOut, Selection

__all__ = ["Branch", "Outline", "Part", "Plan", "Subplan", "cycle", "narrowed", "planned"]

_ID_LENGTH = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class Branch:
    """A place in the tree; without children it is the subplan of that id."""

    id: str
    name: str
    children: tuple[Branch, ...] = ()

    @property
    def depth(self) -> int:
        """How many levels there are below it."""
        return 1 + max(child.depth for child in self.children) if self.children else 0

    @property
    def leaves(self) -> Iterator[Branch]:
        """The places of subplans, in order."""
        if not self.children:
            yield self
        for child in self.children:
            yield from child.leaves

    @property
    def places(self) -> Iterator[tuple[Branch, tuple[str, ...]]]:
        """The places of subplans, each with the names of what it is below, but for the whole."""
        for child in self.children or (self,):
            if not child.children:
                yield child, ()
                continue
            for branch, within in child.places:
                yield branch, (child.name, *within)


@dataclass(frozen=True, slots=True, kw_only=True)
class Subplan:
    """Files that are worked on together. `imports` are the ids of subplans that these files import from, which says
    nothing about order; `after` those that have to be done before."""

    id: str
    name: str
    files: tuple[str, ...]
    tokens: int
    imports: tuple[str, ...] = ()
    after: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """Subplans, which have no file in common, and the tree that they are the leaves of.

    `edges` are the imports between files, `edges_cut` those of them that go from one subplan to another. What is
    `shared` are the files that so many import that they are context for all subplans, the most imported first. Raises
    ValueError where `after` names a subplan that there is not, or where subplans wait for each other.
    """

    paths: tuple[str, ...]
    limits: Limits
    root: Branch
    leaves: tuple[Subplan, ...]
    edges: int = 0
    edges_cut: int = 0
    shared: tuple[str, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    warnings: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        ids = [leaf.id for leaf in self.leaves]
        if ids != [branch.id for branch in self.root.leaves] or len(set(ids)) < len(ids):
            raise ValueError("the subplans have to be the leaves of the tree, each once and in its order")
        known = set(ids)
        for leaf in self.leaves:
            missing = [one for one in leaf.after if one not in known]
            if missing:
                raise ValueError(f"{leaf.name} is to come after {missing[0]}, which is no subplan of this plan")
        found = cycle({leaf.id: leaf.after for leaf in self.leaves})
        if found:
            raise ValueError(f"subplans wait for each other: {' → '.join(found)}")

    @property
    def files(self) -> int:
        """How many files there are in all."""
        return sum(len(leaf.files) for leaf in self.leaves)

    @property
    def tokens(self) -> int:
        """How many tokens they have, about."""
        return sum(leaf.tokens for leaf in self.leaves)

    @property
    def depth(self) -> int:
        """How many levels there are below the whole."""
        return self.root.depth


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A subplan as somebody wrote it down: by name, and below which others by their names, from the top."""

    name: str
    files: tuple[str, ...]
    within: tuple[str, ...] = ()
    after: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Outline:
    """A plan as it can be written down and changed: who is with whom, where, and after whom."""

    paths: tuple[str, ...]
    limits: Limits
    parts: tuple[Part, ...]

    def cluster(self) -> Cluster:
        """Its tree."""
        files = sorted(path for part in self.parts for path in part.files)
        return _gathered([(part.within, part) for part in self.parts], common(files))


def planned(selection: Selection, limits: Limits, cluster: Cluster, *, earlier: Outline | None = None) -> Plan:
    """The plan of a selection that was split like that. Subplans that have most of the files of one of an earlier plan,
    and it most of theirs, keep its name, and come after whatever it came after."""
    ends = list(leaves(cluster))
    ids = [_id(end.files) for end in ends]
    same = _same(ends, earlier)
    names = _names(map(_name, ends), {at: part.name for at, part in same.items()})
    after, warnings = _after(ids, names, same)
    between = _Between(ends, ids, selection.imports)
    subplans = tuple(
        Subplan(
            id=ids[at],
            name=names[at],
            files=end.files,
            tokens=sum(selection.tokens[path] for path in end.files),
            imports=between.imports(at),
            after=after.get(at, ()),
        )
        for at, end in enumerate(ends)
    )
    return Plan(
        paths=selection.paths,
        limits=limits,
        root=_branch(cluster, iter(names), iter(_names(_inner(cluster)))),
        leaves=subplans,
        edges=selection.edges,
        edges_cut=between.cut,
        shared=shared(selection.imports, limits),
        left_out=selection.left_out,
        warnings=(*_too_large(subplans, limits), *warnings),
    )


def narrowed(plan: Plan, wanted: Sequence[str]) -> Plan:
    """These subplans of a plan alone, in this order and one beside the other. Who came after one that is left out comes
    after whatever that one came after. Of no subplan there is no plan."""
    known = {leaf.id: leaf for leaf in plan.leaves}
    chosen = frozenset(wanted)

    def before(leaf: Subplan) -> set[str]:
        found: set[str] = set()
        for one in leaf.after:
            found |= {one} if one in chosen else before(known[one])
        return found

    leaves = tuple(replace(known[one], after=tuple(sorted(before(known[one])))) for one in wanted)
    branches = tuple(Branch(id=leaf.id, name=leaf.name) for leaf in leaves)
    root = branches[0] if len(branches) == 1 else replace(plan.root, children=branches)
    return replace(plan, root=root, leaves=leaves)


def cycle(after: Mapping[str, Iterable[str]]) -> list[str]:
    """Some that wait for each other, the first again at the end; nothing, where none do."""
    try:
        TopologicalSorter(after).prepare()
    except CycleError as error:
        return list(reversed(error.args[1]))
    return []


def _id(files: Sequence[str]) -> str:
    # Names hold no zero bytes, and those that are not UTF-8 are left out before.
    return hashlib.sha256("\0".join(sorted(files)).encode("utf-8", "surrogateescape")).hexdigest()[:_ID_LENGTH]


def _name(end: Cluster) -> str:
    return end.files[0] if len(end.files) == 1 else end.folder or "."


def _names(wanted: Iterable[str], kept: Mapping[int, str] | None = None) -> list[str]:
    """These names, each once: what is there already gets a number, as in `django/db#2`. Those that are `kept`, by their
    place, come before the others."""
    names = dict(kept or {})
    taken = set(names.values())
    for at, name in enumerate(wanted):
        if at not in names:
            names[at] = next(one for one in _numbered(name) if one not in taken)
            taken.add(names[at])
    return [names[at] for at in sorted(names)]


def _numbered(name: str) -> Iterator[str]:
    yield name
    yield from (f"{name}#{number}" for number in count(2))


def _inner(cluster: Cluster) -> Iterator[str]:
    """The names of all that is split, from the top."""
    if cluster.children:
        yield cluster.folder or "."
    for child in cluster.children:
        yield from _inner(child)


def _branch(cluster: Cluster, leaves_: Iterator[str], inner: Iterator[str]) -> Branch:
    if not cluster.children:
        return Branch(id=_id(cluster.files), name=next(leaves_))
    name = next(inner)
    return Branch(
        id=_id(cluster.files), name=name, children=tuple(_branch(child, leaves_, inner) for child in cluster.children)
    )


def _gathered(parts: Sequence[tuple[tuple[str, ...], Part]], folder: str) -> Cluster:
    """The tree of these, each with what it is within from here on; what has one part only is that part."""
    children: list[Cluster] = []
    groups: dict[str, list[tuple[tuple[str, ...], Part]]] = defaultdict(list)
    places: dict[str, int] = {}
    for within, part in parts:
        if not within:
            children.append(Cluster(folder=part.name, files=tuple(sorted(part.files))))
            continue
        if within[0] not in groups:
            places[within[0]] = len(children)
            children.append(Cluster(folder=within[0], files=()))
        groups[within[0]].append((within[1:], part))
    for name, group in groups.items():
        children[places[name]] = _gathered(group, name)
    if len(children) == 1:
        return children[0]
    files = tuple(sorted(path for child in children for path in child.files))
    return Cluster(folder=folder, files=files, children=tuple(children))


class _Between:
    """The imports that go from one cluster to another."""

    def __init__(self, ends: Sequence[Cluster], ids: Sequence[str], imports: Mapping[str, Iterable[str]]) -> None:
        self._ids = ids
        home = {path: at for at, end in enumerate(ends) for path in end.files}
        self._from: list[set[int]] = [set() for _ in ends]
        self.cut = 0
        for path, others in imports.items():
            for other in others:
                if home[path] != home[other]:
                    self.cut += 1
                    self._from[home[path]].add(home[other])

    def imports(self, at: int) -> tuple[str, ...]:
        return tuple(self._ids[other] for other in sorted(self._from[at]))


def _same(ends: Sequence[Cluster], earlier: Outline | None) -> dict[int, Part]:
    """For clusters by their place: the part of an earlier plan that shares most files of either."""
    if earlier is None:
        return {}
    home = {path: number for number, part in enumerate(earlier.parts) for path in part.files}
    same = {}
    for at, end in enumerate(ends):
        counts = Counter(home[path] for path in end.files if path in home)
        for number, both in counts.items():
            part = earlier.parts[number]
            if 2 * both > max(len(end.files), len(part.files)):
                same[at] = part
    return same


def _after(
    ids: Sequence[str], names: Sequence[str], same: Mapping[int, Part]
) -> tuple[dict[int, tuple[str, ...]], list[str]]:
    """What is to come after what, as ids, and what of that is no longer possible."""
    new = {part.name: at for at, part in same.items()}
    after: dict[int, tuple[str, ...]] = {}
    warnings = []
    for at, part in same.items():
        after[at] = tuple(ids[new[name]] for name in part.after if name in new)
        warnings += [
            f"{names[at]} came after {name}, of which too little is left to say what it should come after now"
            for name in part.after
            if name not in new
        ]
    return after, warnings


def _too_large(subplans: Sequence[Subplan], limits: Limits) -> list[str]:
    if limits.max_tokens is None:
        return []
    return [
        f"{subplan.files[0]} stands alone: it has about {subplan.tokens:,} tokens, and a subplan may have "
        f"{limits.max_tokens:,}"
        for subplan in subplans
        if subplan.tokens > limits.max_tokens and len(subplan.files) == 1
    ]
