"""Who was made from whom: the families of a run's candidates, and what a page shows of them.

A candidate stands below the nearest one that it was made from; what else it was made from is named beside it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from bakeoff.events import Descent
from bakeoff.report import words
from bakeoff.report.foreign import one_line
from bakeoff.report.markup import element, join
from bakeoff.report.standings import is_asked, is_verified, measured, winner

if TYPE_CHECKING:
    from bakeoff.events import CandidateMeasured, CandidateState, Run
    from bakeoff.report.markup import Html
    from bakeoff.report.reading import Reader

__all__ = ["Node", "families", "lineage_html"]

_DEEPEST = 6  # generations below that one stand beside each other: no window is wide enough for all
_MOST_OTHERS = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """A candidate, the one that it stands below, and those that stand below it. `nearest` is what it was made from
    where that is not the one above, `others` is what it was made from besides, but for those further up."""

    candidate: CandidateState
    above: Node | None = None
    nearest: CandidateState | None = None
    others: tuple[CandidateState, ...] = ()
    below: list[Node] = field(default_factory=list)

    @property
    def id(self) -> str:
        return self.candidate.proposed.candidate

    @property
    def line(self) -> list[Node]:
        """It, the one above it, and so on."""
        return [self, *(self.above.line if self.above is not None else [])]


def families(run: Run) -> list[Node]:
    """Candidates without a parent, each with all that comes of it, in the order in which they were proposed. A parent
    was there before its children: one that was not is none."""
    nodes: dict[str, Node] = {}
    for name, candidate in run.candidates.items():
        parents = [nodes[parent] for parent in dict.fromkeys(candidate.proposed.parents) if parent in nodes]
        if not parents:
            nodes[name] = Node(candidate=candidate)
            continue
        nearest, *others = parents
        above = nearest.line[-_DEEPEST:][0]
        known = {one.id for one in nearest.line}
        nodes[name] = Node(
            candidate=candidate,
            above=above,
            nearest=nearest.candidate if nearest is not above else None,
            others=tuple(one.candidate for one in others if one.id not in known),
        )
        above.below.append(nodes[name])
    return [node for node in nodes.values() if node.above is None]


def lineage_html(run: Run, reader: Reader) -> Html | None:
    """The families as nested lists; those that stand alone only where a model was asked for them, after the others."""
    roots = families(run)
    alone = [root for root in roots if not root.below]
    named = [root for root in alone if is_asked(root.candidate)]
    shown = [*(root for root in roots if root.below), *named]
    if not shown:
        return None
    first = winner(run)
    line = _line_of(first.proposed.candidate, roots) if first is not None else set()
    trees = [_tree(root, reader, line) for root in shown]
    left = len(alone) - len(named)
    note = f"{words.amount(left, 'other candidate')} {'stands' if left == 1 else 'stand'} alone."
    parts = [element("ul", *trees, class_="lineage"), element("p", note, class_="muted") if left else None]
    return join([reader.heading("Lineage"), *parts])


def _line_of(candidate: str, roots: list[Node]) -> set[str]:
    """The candidate and all that it stands below."""
    waiting = list(roots)
    while waiting:
        node = waiting.pop()
        if node.id == candidate:
            return {one.id for one in node.line}
        waiting += node.below
    return set()


def _tree(node: Node, reader: Reader, line: set[str]) -> Html:
    below = element("ul", *(_tree(one, reader, line) for one in node.below)) if node.below else None
    return element("li", _node(node, reader), below, class_="winning" if node.id in line else None)


def _node(node: Node, reader: Reader) -> Html:
    """What it was asked for, or whom it is from; its name, its verdict and its speedup."""
    candidate, found = node.candidate, measured(node.candidate)
    kind = candidate.proposed.descent.value if is_asked(candidate) else one_line(candidate.proposed.source, 20)
    out = "" if is_verified(candidate) else " out"
    parts = [
        element("span", kind, class_="descent"),
        _link(candidate, reader),
        reader.verdict(candidate),
        _speedup(reader.run, found) if found is not None else None,
        element("span", "from ", _link(node.nearest, reader), class_="muted") if node.nearest is not None else None,
        _others(node, reader),
    ]
    return element("div", *(part for one in parts if one is not None for part in (one, " ")), class_=f"node{out}")


def _link(candidate: CandidateState, reader: Reader) -> Html:
    name = element("bdi", one_line(candidate.proposed.name, 80))
    return element("a", name, href=f"#{reader.anchor(candidate)}")


def _speedup(run: Run, found: CandidateMeasured) -> Html:
    estimate, _, interval = words.times(found.speedup).partition(" ")
    remark = words.decided(run, found)
    range_ = element("span", interval, f" {remark}" if remark else "", class_="muted")
    return element("span", element("b", estimate), " ", range_, class_="speedup")


def _others(node: Node, reader: Reader) -> Html | None:
    """What it was made from besides; of an adaptation that is its lineage, and no other parents."""
    if not node.others or node.candidate.proposed.descent is Descent.ADAPTATION:
        return None
    links = [_link(one, reader) for one in node.others[:_MOST_OTHERS]]
    said = [part for link in links for part in (", ", link)][1:]
    more = len(node.others) - _MOST_OTHERS
    return element("span", "with ", *said, f" and {more:,} more" if more > 0 else None, class_="muted")
