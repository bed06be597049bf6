"""Candidates with what came of them, without anybody having judged or timed them, and a base without a repository."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bakeoff.candidates import Candidate, Change, File
from bakeoff.candidates.tried import Tried
from bakeoff.events import (
    CandidateJudged,
    CandidateMeasured,
    Decision,
    Descent,
    Difference,
    Speedup,
    TestFailure,
    TestOutcome,
    Verdict,
)
from bakeoff.sources import Brief, Scope
from bakeoff.targets import Target

TEXT = "def slugify(text):\n    return text.lower().replace(' ', '-')\n"
TARGET = Target(path="pkg/text.py", name="slugify")
DIFFERENT = Difference(
    origin="generated",
    call="slugify('ß')",
    snippet="from pkg.text import slugify\nslugify('ß')",
    where="result",
    expected="'ß'",
    actual="'ss'",
    baseline="returns 'ß'",
    candidate="returns 'ss'",
)
FAILED = TestFailure(
    id="tests/test_text.py::test_it", expected=TestOutcome.PASSED, actual=TestOutcome.FAILED, text="assert 1 == 2"
)


class Base:
    """The files of a base, as a pool has them."""

    def __init__(self, files: Mapping[str, str | bytes]) -> None:
        self._files = {path: text if isinstance(text, bytes) else text.encode() for path, text in files.items()}

    @property
    def files(self) -> frozenset[str]:
        return frozenset(self._files)

    def read(self, path: str) -> File | None:
        return File(content=self._files[path]) if path in self._files else None


def brief(files: Mapping[str, str | bytes] | None = None, **values: Any) -> Brief:
    files = {"pkg/text.py": TEXT} if files is None else files
    return Brief(**({"pool": Base(files), "target": TARGET, "scope": Scope(), "most": 8} | values))


def tried(
    name: str,
    verdict: Verdict = Verdict.VERIFIED,
    *,
    speedup: float | None = None,
    parents: tuple[str, ...] = (),
    descent: Descent = Descent.FRESH,
    source: str = "models",
    decision: Decision | None = None,
    text: str | None = None,
    log: str = "An answer.",
    **judged: Any,
) -> Tried:
    """A candidate whose id is its name; with a speedup it was timed."""
    files = {"pkg/text.py": text.encode()} if text is not None else {}
    change = Change.of(files, base=Base({"pkg/text.py": TEXT}).read)
    measured = None
    if speedup is not None:
        measured = CandidateMeasured(
            candidate=name,
            decision=decision or (Decision.FASTER if speedup > 1 else Decision.SLOWER),
            speedup=Speedup(estimate=speedup, low=speedup * 0.95, high=speedup * 1.05),
        )
    candidate = Candidate(id=name, name=name, source=source, change=change, parents=parents, descent=descent, log=log)
    return Tried(
        candidate=candidate, judged=CandidateJudged(candidate=name, verdict=verdict, **judged), measured=measured
    )


def wrong(name: str, **values: Any) -> Tried:
    """One that failed, with all that there is to learn from it."""
    known = {"reason": str(DIFFERENT), "counterexample": DIFFERENT.call, "differences": (DIFFERENT,)}
    return tried(name, Verdict.WRONG, **(known | values))
