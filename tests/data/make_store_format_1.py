"""Made tests/data/store-format-1.sqlite, with the code of its day: every event of the first vocabulary, once or more.

Never run it again for that file: an old log is worth something because it is old. A new format, or a new version
of an event, gets a new file beside it.
"""

from __future__ import annotations

import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import anyio

from bakeoff.events import (
    CandidateJudged,
    CandidateMeasured,
    CandidateProposed,
    Decision,
    PoolOpened,
    RunEnded,
    RunStarted,
    Speedup,
    State,
    Unknown,
    Verdict,
    Warned,
)
from bakeoff.store import Store


async def make(path: Path) -> None:
    seconds = iter(range(1000))
    clock = lambda: datetime(2026, 1, 2, 3, 4, 5, 678901, tzinfo=UTC) + timedelta(seconds=next(seconds))  # noqa: E731
    async with Store(path, clock=clock, entropy=bytes).record() as log:
        for event in (
            RunStarted(command="optimize", arguments=("a.py::f",), version="0.1.0", target="a.py::f", base="f" * 40),
            PoolOpened(kind="worktree", asked=4, size=3),
            Warned(message="one slot could not be created: größer"),
            CandidateProposed(
                candidate="one", name="hoist", source="rules", parents=("root",), patch=log.keep("--- a\n+++ b\n" * 9)
            ),
            CandidateProposed(candidate="two", name="guess", source="models"),
            CandidateProposed(candidate="three", name="again", source="models"),
            CandidateJudged(candidate="one", verdict=Verdict.VERIFIED),
            CandidateJudged(
                candidate="two",
                verdict=Verdict.WRONG,
                reason="f(3) differs",
                counterexample="f(3)",
                log=log.keep("AssertionError: \udcff"),
            ),
            CandidateJudged(candidate="three", verdict=Verdict.DUPLICATE, duplicate_of="one"),
            CandidateMeasured(
                candidate="one", decision=Decision.FASTER, speedup=Speedup(estimate=1.5, low=1.25, high=1.75)
            ),
            Unknown(name="candidate-praised.7", body=b'{"candidate":"one","words":"well done"}'),
            RunEnded(state=State.DONE, winner="one"),
        ):
            await log.append(event)


if __name__ == "__main__":
    anyio.run(make, Path(sys.argv[1]))
