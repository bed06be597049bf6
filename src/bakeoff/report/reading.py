"""A run on its way into a page."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from bakeoff.report.diffs import Room, diff_html
from bakeoff.report.foreign import one_line
from bakeoff.report.markup import Html, element, join

if TYPE_CHECKING:
    from collections.abc import Callable

    from bakeoff.events import CandidateState, Run, Text

__all__ = ["Reader"]

_DIFF_LINES, _DIFF_CHARACTERS = 3000, 150_000
_OUTPUT_LINES, _OUTPUT_CHARACTERS = 200, 20_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Reader:
    """Where the texts of a run are, how much room is left for them, and what its parts are called in the page. `talk`
    is the room for conversations with language models, and `told` says which are in it already, and with whom."""

    run: Run
    text: Callable[[Text], str]
    room: Room
    talk: Room
    prefix: str
    level: int
    places: dict[str, int] = field(default_factory=dict)
    told: dict[str, CandidateState] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Candidates are numbered as they were proposed."""
        self.places.update((candidate, number) for number, candidate in enumerate(self.run.candidates, 1))

    def heading(self, title: str, below: int = 0) -> Html:
        """A heading of the run's section."""
        return element(f"h{self.level + 1 + below}", title, class_="small" if below else "section")

    def anchor(self, candidate: CandidateState) -> str:
        """The name of a candidate's place: its number, since its own name may be anything."""
        return f"{self.prefix}c{self.places[candidate.proposed.candidate]}"

    def verdict(self, candidate: CandidateState) -> Html:
        """The verdict with its sign."""
        verdict = candidate.judged.verdict.value if candidate.judged else "not judged"
        kind = verdict if candidate.judged else "none"
        return element("span", verdict, class_=f"verdict-of {kind}")

    def diff(self, candidate: CandidateState) -> Html | None:
        """The candidate's change."""
        patch = candidate.proposed.patch
        if patch is None:
            return None
        kept, note = self.room.take(self.text(patch), lines=_DIFF_LINES, characters=_DIFF_CHARACTERS)
        label = f"Change of {one_line(candidate.proposed.name, 100)}"
        return join([diff_html(kept, label=label) if kept else None, note])

    def output(self, title: str, text: str) -> Html | None:
        """What something printed, folded away."""
        if not text.strip():
            return None
        kept, note = self.room.take(text, lines=_OUTPUT_LINES, characters=_OUTPUT_CHARACTERS)
        shown = element("pre", kept, class_="plain", tabindex="0", role="region", aria_label=title)
        return element("details", element("summary", title), shown, note, class_="more")
