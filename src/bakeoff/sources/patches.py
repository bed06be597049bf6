"""Candidates that somebody has made already: patches, and what git knows by a name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bakeoff.candidates import Change
from bakeoff.errors import ChangeError
from bakeoff.sources.proposals import Proposal

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Sequence

    from bakeoff.sources.proposals import Brief
    from bakeoff.sources.scope import Scope

__all__ = ["Given", "PatchesSource"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """A diff, or the commit that has what is meant, with the name that its candidate goes by."""

    name: str
    diff: bytes = b""
    ref: str | None = None
    note: str = ""


class PatchesSource:
    """Proposes what it was given, once.

    With `leaves_tests`, what they do to tests is left out, and said: branches that people work on come with tests of
    their own, and candidates are judged by the baseline's.
    """

    name = "patches"

    def __init__(self, given: Sequence[Given], *, leaves_tests: bool = False) -> None:
        self._given = tuple(given)
        self._leaves_tests = leaves_tests

    async def propose(self, brief: Brief) -> AsyncGenerator[Proposal, None]:
        """All of them in the first round. One that does not apply is a proposal with a problem."""
        if any(tried.candidate.source == self.name for tried in brief.tried):
            return
        for one in self._given:
            try:
                change, warnings = await _change(one, brief)
            except ChangeError as error:
                where = f" ({error.where})" if error.where else ""
                yield Proposal(name=one.name, change=None, problem=f"{error.message}{where}")
                continue
            note = "; ".join(filter(None, [one.note, *warnings]))
            if self._leaves_tests:
                change, left = _without_tests(change, brief.scope)
                note = "; ".join(filter(None, [note, f"left out: {', '.join(left)}" if left else ""]))
            yield Proposal(name=one.name, change=change, note=note)


async def _change(one: Given, brief: Brief) -> tuple[Change, tuple[str, ...]]:
    if one.ref is None:
        return Change.from_diff(one.diff, base=brief.pool.read), ()
    async with brief.working():
        reference = await brief.pool.change_of(one.ref)
    return reference.change, reference.warnings


def _without_tests(change: Change, scope: Scope) -> tuple[Change, list[str]]:
    left = [path for path in change.paths if scope.is_test(path)]
    return Change(edits=tuple(edit for edit in change.edits if edit.path not in left)), left
