"""Files split into a tree of clusters that fit within limits, and between which few imports go.

    folders ──▶ a tree of them ──▶ files moved between clusters ──▶ small clusters put together ──▶ clusters
                (large ones cut)   (as long as fewer ties are cut)  (those with ties, neighbours)

The folders are the start, since that is how people think of a code base. Where there is an earlier split it is the
start instead, and files leave their cluster only for a clear gain: so most clusters stay what they were when a few
imports change, and what was found out about them stays true. Everything happens in an order that depends on paths only.

The limits on files and tokens hold at every step. Only a file that is larger than a cluster may be stands alone, and is
over them. Depth shapes the tree, not its clusters: at the last level there are as many side by side as it takes.
"""

from __future__ import annotations

from bisect import bisect
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from bakeoff.errors import UsageError
from bakeoff.planning.partition import Partition

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from collections.abc import Set as AbstractSet

__all__ = ["Cluster", "Limits", "common", "leaves", "shared", "split"]

_CLEAR_GAIN: Final = 3  # imports fewer that have to be cut for a file to leave where it was in an earlier split
_DEEPEST: Final = 100
_FEW: Final = 3
_SHARED: Final = 0.005  # of all files; in Home Assistant they are what two of three imports go to
_FLAT: Final = 4  # so few clusters need no levels among them


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What a cluster that is not split may hold at the most, how many files it has at the least where there are as
    many (where nothing is said, 3, or what it may hold if that is less), and how many levels there may be below the
    whole."""

    max_files: int = 25
    max_tokens: int | None = None
    min_files: int | None = None
    max_depth: int = 12

    def __post_init__(self) -> None:
        for name in ("max_files", "max_tokens", "min_files", "max_depth"):
            number = getattr(self, name)
            if number is not None and number < 1:
                raise UsageError(
                    f"{name.replace('_', '-')} has to be at least 1, not {number}", hint="leave it out for the usual"
                )
        if self.max_depth > _DEEPEST:
            raise UsageError(
                f"max-depth has to be at most {_DEEPEST}, not {self.max_depth}", hint="leave it out for the usual"
            )
        if self.min_files is not None and self.min_files > self.max_files:
            raise UsageError(
                f"no subplan can have at least {self.min_files} files and at most {self.max_files}",
                hint="min-files may not be above max-files",
            )

    @property
    def least(self) -> int:
        """How many files a cluster has at the least."""
        return min(_FEW, self.max_files) if self.min_files is None else self.min_files


@dataclass(frozen=True, slots=True, kw_only=True)
class Cluster:
    """Files that belong together: all that are below it, and what it is split into, if it is."""

    folder: str
    files: tuple[str, ...]
    children: tuple[Cluster, ...] = ()


def leaves(cluster: Cluster) -> Iterator[Cluster]:
    """Those that are not split, in order."""
    if not cluster.children:
        yield cluster
    for child in cluster.children:
        yield from leaves(child)


def split(
    tokens: Mapping[str, int],
    imports: Mapping[str, Iterable[str]],
    limits: Limits,
    *,
    earlier: Cluster | None = None,
) -> Cluster:
    """A tree of these files, whose tokens are given; each is in one of its leaves. `earlier` is a split of about the
    same files that this one is to be like."""
    sizes = {path: tokens[path] for path in sorted(tokens)}
    ties = _ties(imports, sizes, frozenset(shared(imports, limits)))
    partition = Partition(sizes, ties, max_files=limits.max_files, max_tokens=limits.max_tokens)
    tree = _Tree(sizes, limits, partition)
    if earlier is not None:
        tree.follow(earlier)
        partition.improve(margin=_CLEAR_GAIN)
    else:
        tree.grow()
        partition.improve()
        partition.pack()
        partition.improve()
        tree.gather()
    partition.raise_to(limits.least)
    return tree.clusters()


def shared(imports: Mapping[str, Iterable[str]], limits: Limits) -> tuple[str, ...]:
    """The files that so many others import that it does not matter in which cluster they are, the most imported first.

    They are what everybody reads: an import of one of them ties nobody to anybody.
    """
    counts = Counter(other for others in imports.values() for other in others)
    found = sorted(counts, key=lambda path: (-counts[path], path))[: int(len(imports) * _SHARED)]
    return tuple(path for path in found if counts[path] > limits.max_files)


def _ties(
    imports: Mapping[str, Iterable[str]], known: Mapping[str, int], ignored: AbstractSet[str]
) -> dict[str, dict[str, int]]:
    """How many imports go between two files, either way, but for those of files that are `ignored`."""
    ties: dict[str, dict[str, int]] = {path: {} for path in known}
    for path in known:
        for other in sorted(imports.get(path, ())):
            if other in known and other != path and other not in ignored:
                ties[path][other] = ties[path].get(other, 0) + 1
                ties[other][path] = ties[other].get(path, 0) + 1
    return ties


@dataclass(slots=True, eq=False)
class _Node:
    """A folder that is split, with the clusters that were made of it directly."""

    folder: str
    depth: int
    nodes: list[_Node] = field(default_factory=list)
    clusters: list[int] = field(default_factory=list)


class _Tree:
    """The folders, as far down as they have to be split; or the tree of an earlier split."""

    def __init__(self, sizes: Mapping[str, int], limits: Limits, partition: Partition) -> None:
        self._sizes = sizes
        self._limits = limits
        self._partition = partition
        self._root = _Node(common(list(sizes)), 0)

    def grow(self) -> None:
        """By folders."""
        self._add(list(self._sizes), self._root)

    def follow(self, earlier: Cluster) -> None:
        """By an earlier split. A new file goes to the cluster of its nearest neighbour in its folder, where it has
        room; others are split by folder."""
        homes: dict[str, _Node] = {}
        self._adopt(earlier, self._root, homes)
        placed = [path for path in self._sizes if path in homes]
        left: dict[int, tuple[_Node, list[str]]] = {}
        for path in self._sizes:
            if path in homes:
                continue
            near = _nearest(path, placed)
            together = 0 if near is None else _shared(path, near)
            if near is not None and together > path.rfind("/") and self._partition.join(path, near):
                continue
            home = homes[near] if near is not None and together else self._root
            left.setdefault(id(home), (home, []))[1].append(path)
        for home, files in left.values():
            self._add(files, home)

    def _adopt(self, cluster: Cluster, node: _Node, homes: dict[str, _Node]) -> None:
        for child in cluster.children or (cluster,):
            if child.children:
                self._adopt(child, self._below(node, child.folder), homes)
                continue
            files = sorted(path for path in child.files if path in self._sizes and path not in homes)
            homes.update(dict.fromkeys(files, node))
            node.clusters += map(self._partition.add, self._cut(files))

    def _below(self, node: _Node, folder: str) -> _Node:
        """A node for a folder in it; itself, where nothing may be deeper."""
        if node.depth + 1 >= self._limits.max_depth:
            return node
        node.nodes.append(_Node(folder, node.depth + 1))
        return node.nodes[-1]

    def _add(self, files: list[str], node: _Node) -> None:
        """Clusters of these files by folder, in this node and below it."""
        pending = [(files, node)]
        while pending:
            files, node = pending.pop()
            loose, folders = _listed(files)
            parts = list(self._cut(loose))
            for paths in folders:
                if self._fits(paths):
                    parts.append(paths)
                else:
                    pending.append((paths, self._below(node, common(paths))))
            own = [self._partition.add(part) for part in parts]
            self._partition.pack_among(own)
            node.clusters += own

    def gather(self) -> None:
        """Put small clusters together with small neighbours: of the same folder first, then of those above it."""
        self._gathered(self._root)

    def _gathered(self, node: _Node) -> list[tuple[int, _Node]]:
        """The small ones that are left in it and below, and where they stand."""
        small = [found for below in node.nodes for found in self._gathered(below)]
        small += [(one, node) for one in node.clusters if self._partition.is_small(one)]
        sizes = [len(self._partition.files(one)) for one, _ in small]
        self._partition.join_neighbours([one for one, _ in small])
        left = []
        for (one, home), size in zip(small, sizes, strict=True):
            is_same = len(self._partition.files(one)) == size
            if not is_same:
                home.clusters.remove(one)
                node.clusters.append(one)
            if self._partition.is_small(one):
                left.append((one, home if is_same else node))
        return left

    def _fits(self, files: Sequence[str]) -> bool:
        limits = self._limits
        if len(files) > limits.max_files:
            return False
        return limits.max_tokens is None or sum(self._sizes[path] for path in files) <= limits.max_tokens

    def _cut(self, files: Sequence[str]) -> Iterator[list[str]]:
        """Neighbours by path together, in parts of about the same number that fit."""
        if not files:
            return
        most = -(-len(files) // -(-len(files) // self._limits.max_files))
        part: list[str] = []
        tokens, most_tokens = 0, self._limits.max_tokens
        for path in files:
            size = self._sizes[path]
            if part and (len(part) == most or (most_tokens is not None and tokens + size > most_tokens)):
                yield part
                part, tokens = [], 0
            part.append(path)
            tokens += size
        yield part

    def clusters(self) -> Cluster:
        """What it came to: without what has become empty, without levels of one, and what fits is not split."""
        return self._cluster(self._root) or Cluster(folder="", files=())

    def _cluster(self, node: _Node) -> Cluster | None:
        own = [self._partition.files(number) for number in node.clusters]
        children = [Cluster(folder=_usual(files), files=tuple(files)) for files in own if files]
        children += [made for one in node.nodes if (made := self._cluster(one)) is not None]
        children.sort(key=_order)
        if len(children) < 2:
            return children[0] if children else None
        files = tuple(sorted(path for child in children for path in child.files))
        if self._fits(files):
            return Cluster(folder=_usual(files), files=files)
        ends = [end for child in children for end in leaves(child)]
        if len(ends) <= _FLAT:
            children = sorted(ends, key=_order)
        return Cluster(folder=node.folder, files=files, children=tuple(children))


def _order(cluster: Cluster) -> tuple[str, tuple[str, ...]]:
    return cluster.folder, cluster.files


def _listed(files: Sequence[str]) -> tuple[list[str], list[list[str]]]:
    """Sorted files: those that lie in the deepest folder that holds them all, and those of each folder in it."""
    start = _shared(files[0], files[-1]) if files else 0
    loose: list[str] = []
    folders: dict[str, list[str]] = defaultdict(list)
    for path in files:
        name, slash, _ = path[start:].partition("/")
        if slash:
            folders[name].append(path)
        else:
            loose.append(path)
    return loose, list(folders.values())


def common(files: Sequence[str]) -> str:
    """The deepest folder that all of these sorted files are in."""
    return files[0][: _shared(files[0], files[-1])].removesuffix("/") if files else ""


def _shared(one: str, other: str) -> int:
    """How many characters of two paths are folders that both are in."""
    count = 0
    for at, (mine, theirs) in enumerate(zip(one, other, strict=False), start=1):
        if mine != theirs:
            break
        if mine == "/":
            count = at
    return count


def _nearest(path: str, others: Sequence[str]) -> str | None:
    """Of sorted paths the one that has most folders in common with it."""
    at = bisect(others, path)
    return max(others[max(0, at - 1) : at + 1], key=lambda other: _shared(path, other), default=None)


def _usual(files: Sequence[str]) -> str:
    """The deepest folder that more than half of them are in, at any depth."""
    counts: dict[str, int] = defaultdict(int)
    for path in files:
        at = path.find("/")
        while at >= 0:
            counts[path[:at]] += 1
            at = path.find("/", at + 1)
    usual = [folder for folder, count in counts.items() if 2 * count > len(files)]
    return max(usual, key=lambda folder: folder.count("/"), default="")
