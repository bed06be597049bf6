"""Files in clusters within bounds, moved about until few ties between them are cut.

After Kernighan and Lin, and after Fiduccia and Mattheyses: a file moves to the cluster that it has more ties with than
with its own; where that is full, it changes places with one of its files, or that one goes to a third cluster. When
nothing gains any more, files move although it loses something at first, and all of that is taken back behind the best
moment. How many ties each file has with each cluster is kept up to date, so a look costs little.
"""

from __future__ import annotations

import heapq
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

__all__ = ["Partition"]

_MOST_PASSES: Final = 20
_MOST_TRIED: Final = 8  # clusters that a file is tried in, the best first
_NEAR: Final = 20  # clusters on either side, by path, that a small one may go together with
_PATIENCE: Final = 200  # moves without gain before a pass over hills ends


class _Step(NamedTuple):
    """What it gains that a file leaves its cluster, and that another one, if need be, makes room for it."""

    gain: int
    other: str
    to: int


class Partition:
    """Clusters by number. `sizes` are the tokens of the files, `ties` how many imports go between two of them."""

    def __init__(
        self,
        sizes: Mapping[str, int],
        ties: Mapping[str, Mapping[str, int]],
        *,
        max_files: int,
        max_tokens: int | None,
    ) -> None:
        self._sizes = sizes
        self._ties = ties
        self._max_files = max_files
        self._max_tokens = max_tokens
        self._members: list[set[str]] = []
        self._tokens: list[int] = []
        self._cluster: dict[str, int] = {}
        # For each file: how many ties it has with each cluster.
        self._ties_with: dict[str, dict[int, int]] = {path: {} for path in sizes}

    def add(self, files: Iterable[str]) -> int:
        """A new cluster of files that are in none yet."""
        number = len(self._members)
        self._members.append(set())
        self._tokens.append(0)
        for path in files:
            self._put(path, number)
        return number

    def files(self, cluster: int) -> list[str]:
        """What is in it, by path."""
        return sorted(self._members[cluster])

    def join(self, path: str, other: str) -> bool:
        """Put a file that is in no cluster yet into that of another one, if there is room."""
        cluster = self._cluster[other]
        if not self._has_room(cluster, path):
            return False
        self._put(path, cluster)
        return True

    # -- moving files ---------------------------------------------------------------------------------------------

    def improve(self, *, margin: int = 1) -> None:
        """Move files as long as that gains at least so much."""
        self._descend(margin)
        while margin == 1 and self._over_hills():
            pass

    def _descend(self, margin: int) -> None:
        order = sorted(self._cluster)
        for _ in range(_MOST_PASSES):
            if not sum(self._moved(path, margin) for path in order):
                return

    def _moved(self, path: str, margin: int) -> bool:
        """Whether there was a better place for it."""
        for gain, cluster in self._better(path, margin):
            if self._has_room(cluster, path):
                self._move(path, cluster)
                return True
            step = self._making_room(path, cluster, gain, margin)
            if step is not None:
                self._move(step.other, step.to)
                self._move(path, cluster)
                return True
        return False

    def _better(self, path: str, margin: int) -> list[tuple[int, int]]:
        own = self._cluster[path]
        known = self._ties_with[path]
        here = known.get(own, 0)
        found = [(ties - here, cluster) for cluster, ties in known.items() if cluster != own and ties - here >= margin]
        return sorted(found, key=lambda one: (-one[0], one[1]))[:_MOST_TRIED]

    def _making_room(self, path: str, cluster: int, gain: int, margin: int) -> _Step | None:
        """The best file of a full cluster to leave it, for the place that becomes free or for a third one."""
        best: _Step | None = None
        own, between = self._cluster[path], self._ties[path]
        for other in sorted(self._members[cluster]):
            if not self._has_room(cluster, path, without=other):
                continue
            known = self._ties_with[other]
            left = gain - known.get(cluster, 0) - between.get(other, 0)
            for to, ties in (*known.items(), (own, known.get(own, 0))):
                if to == cluster:
                    continue
                won = left + ties - (between.get(other, 0) if to == own else 0)
                if won < margin or (best is not None and (won, best.other, -to) <= (best.gain, other, -best.to)):
                    continue
                if self._has_room(to, other, without=path if to == own else None):
                    best = _Step(won, other, to)
        return best

    def _over_hills(self) -> bool:
        """One pass in which each file moves at most once, also where that loses; whether it came to something."""
        heap = [(-gain, path, cluster) for path in sorted(self._cluster) for gain, cluster in self._best_move(path)]
        heapq.heapify(heap)
        done: list[tuple[str, int]] = []
        moved: set[str] = set()
        gained = best = kept = 0
        while heap and len(done) - kept < _PATIENCE:
            loss, path, cluster = heapq.heappop(heap)
            now = self._best_move(path) if path not in moved else []
            if now != [(-loss, cluster)]:
                for gain, to in now:
                    heapq.heappush(heap, (-gain, path, to))
                continue
            done.append((path, self._cluster[path]))
            moved.add(path)
            self._move(path, cluster)
            gained -= loss
            if gained > best:
                best, kept = gained, len(done)
            for other in self._ties[path]:
                if other not in moved:
                    for gain, to in self._best_move(other):
                        heapq.heappush(heap, (-gain, other, to))
        for path, cluster in reversed(done[kept:]):
            self._move(path, cluster)
        return best > 0

    def _best_move(self, path: str) -> list[tuple[int, int]]:
        """The one that gains most or loses least, where there is any."""
        own, known = self._cluster[path], self._ties_with[path]
        here = known.get(own, 0)
        open_ = [(here - ties, to) for to, ties in known.items() if to != own and self._has_room(to, path)]
        return [(-loss, to) for loss, to in [min(open_)]] if open_ else []

    def _has_room(self, cluster: int, path: str, *, without: str | None = None) -> bool:
        files = len(self._members[cluster]) + 1 - (without is not None)
        if files > self._max_files:
            return False
        if self._max_tokens is None:
            return True
        left = self._sizes[without] if without is not None else 0
        return self._tokens[cluster] - left + self._sizes[path] <= self._max_tokens

    def _move(self, path: str, cluster: int) -> None:
        own = self._cluster[path]
        self._members[own].discard(path)
        self._tokens[own] -= self._sizes[path]
        for other, ties in self._ties[path].items():
            known = self._ties_with[other]
            known[own] -= ties
            if not known[own]:
                del known[own]
        self._put(path, cluster)

    def _put(self, path: str, cluster: int) -> None:
        self._cluster[path] = cluster
        self._members[cluster].add(path)
        self._tokens[cluster] += self._sizes[path]
        for other, ties in self._ties[path].items():
            known = self._ties_with[other]
            known[cluster] = known.get(cluster, 0) + ties

    # -- packing --------------------------------------------------------------------------------------------------

    def pack(self) -> None:
        """Put clusters together that have ties, as long as they fit."""
        full = range(len(self._members))
        self._join(full, full)

    def pack_among(self, clusters: Sequence[int]) -> None:
        """Put some of these together, those with ties first, and then small ones that are neighbours."""
        self._join(clusters, clusters)
        self.join_neighbours([one for one in clusters if self.is_small(one)])

    def is_small(self, cluster: int) -> bool:
        """Whether another like it fits beside it."""
        return 0 < len(self._members[cluster]) <= self._max_files // 2

    def raise_to(self, least: int) -> None:
        """See that no cluster has fewer files than that: it goes together with another one, with ties if there are
        such, or else takes files from its neighbours. One stays small where the limits allow neither."""
        full = range(len(self._members))
        self._join([one for one in full if 0 < len(self._members[one]) < least], full)
        small = sorted((min(files), one) for one, files in enumerate(self._members) if 0 < len(files) < least)
        if not small:
            return
        order = sorted((min(files), one) for one, files in enumerate(self._members) if files)
        at = {one: place for place, (_, one) in enumerate(order)}
        for _, one in small:
            near = [other for _, other in order[max(0, at[one] - _NEAR) : at[one] + _NEAR + 1] if other != one]
            near = [other for other in near if self._members[other]]
            self._raise(one, sorted(near, key=lambda other: abs(at[other] - at[one])), least)

    def _raise(self, one: int, near: Sequence[int], least: int) -> None:
        if len(self._members[one]) >= least:  # another small one came to it
            return
        for other in near:
            if self._fit_together(one, other):
                self._merge(one, other)
                return
        for other in near:
            while len(self._members[one]) < least < len(self._members[other]):
                fitting = [path for path in sorted(self._members[other]) if self._has_room(one, path)]
                if not fitting:
                    break
                self._move(max(fitting, key=lambda path: self._pull(path, one, other)), one)

    def _pull(self, path: str, one: int, other: int) -> int:
        known = self._ties_with[path]
        return known.get(one, 0) - known.get(other, 0)

    def _merge(self, one: int, other: int) -> int:
        into, from_ = (one, other) if len(self._members[one]) >= len(self._members[other]) else (other, one)
        for path in sorted(self._members[from_]):
            self._move(path, into)
        return into

    def _join(self, clusters: Sequence[int], others: Sequence[int]) -> None:
        """Put clusters together with others, those with most ties for each pair of files first."""
        allowed = set(others)
        heap = [found for one in clusters for found in self._pairs(one, allowed)]
        heapq.heapify(heap)
        while heap:
            _, one, other, counted = heapq.heappop(heap)
            if not (self._members[one] and self._members[other]):
                continue
            if counted != (len(self._members[one]), len(self._members[other])) or not self._fit_together(one, other):
                continue
            for found in self._pairs(self._merge(one, other), allowed):
                heapq.heappush(heap, found)

    def _pairs(self, one: int, allowed: set[int]) -> Iterable[tuple[float, int, int, tuple[int, int]]]:
        """The clusters that it has ties and fits together with."""
        ties: dict[int, int] = {}
        for path in self._members[one]:
            for other, count in self._ties_with[path].items():
                if other != one and other in allowed:
                    ties[other] = ties.get(other, 0) + count
        mine = len(self._members[one])
        for other, count in ties.items():
            if self._fit_together(one, other):
                theirs = len(self._members[other])
                yield -count / (mine * theirs), one, other, (mine, theirs)

    def join_neighbours(self, clusters: Sequence[int]) -> None:
        """Put these together, one after the other by path, as many as fit."""
        into: int | None = None
        for one in sorted(clusters, key=lambda cluster: min(self._members[cluster])):
            into = self._merge(into, one) if into is not None and self._fit_together(into, one) else one

    def _fit_together(self, one: int, other: int) -> bool:
        files = len(self._members[one]) + len(self._members[other])
        tokens = self._tokens[one] + self._tokens[other]
        return files <= self._max_files and (self._max_tokens is None or tokens <= self._max_tokens)
