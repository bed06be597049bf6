"""Taking a candidate over: from the store into the user's working tree, or onto a branch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bakeoff.candidates import Change
from bakeoff.errors import UsageError
from bakeoff.events import Run, Verdict
from bakeoff.jobs.contest import candidate_of, files_before
from bakeoff.report.commits import message
from bakeoff.report.standings import winner
from bakeoff.store import bytes_of
from bakeoff.workspaces import Commit, apply, branch, branch_of

if TYPE_CHECKING:
    from bakeoff.candidates import Candidate, Reader
    from bakeoff.events import CandidateState, MergeStep
    from bakeoff.git import Repository
    from bakeoff.store import Store
    from bakeoff.workspaces import Applied, Branched

__all__ = ["Chosen", "branch_of_sweep", "choose"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """A recorded candidate, with the files it edits as they were."""

    run: Run
    state: CandidateState
    candidate: Candidate
    base: Reader

    @property
    def is_merged(self) -> bool:
        """Whether it is what the winners of a sweep came to."""
        merged = self.run.sweep.merged
        return merged is not None and merged.candidate == self.candidate.id

    async def apply(self, repository: Repository) -> Applied:
        """Write it to the working tree, all of it or nothing."""
        self._check()
        return await apply(repository, self.candidate.change, base=self.base)

    async def branch(self, repository: Repository, name: str, message: str) -> Branched:
        """Commit it on a new branch."""
        self._check()
        return await branch(repository, name, self.candidate.change, base=self.base, message=message)

    def _check(self) -> None:
        """Only what keeps the behaviour is taken over."""
        judged = self.state.judged
        if judged is None or judged.verdict is not Verdict.VERIFIED:
            verdict = judged.verdict.value if judged is not None else "not judged"
            hint = f"see bakeoff show {self.run.id}; its patch is printed by bakeoff diff {self.run.id} {self._name}"
            raise UsageError(f"the candidate {self._name!r} is {verdict}: it is not applied", hint=hint)

    @property
    def _name(self) -> str:
        return self.candidate.name


async def branch_of_sweep(store: Store, run: Run, repository: Repository, name: str) -> Branched:
    """Commit what the winners of a sweep came to on a new branch, a commit for each of them."""
    merged = run.sweep.merged
    if merged is None or merged.candidate is None:
        raise UsageError(f"run {run.id} has no winners", hint=f"see bakeoff show {run.id}")
    read = files_before(store, run.candidates[merged.candidate])
    commits = []
    for step in merged.steps:
        change = Change.from_diff(bytes_of(store.text(step.patch)), base=read)
        commits.append(Commit(change=change, base=read, message=_message(store, run, step)))
        read = _over(read, change)
    return await branch_of(repository, name, commits)


def _message(store: Store, sweep: Run, step: MergeStep) -> str:
    run = Run.of(store.events(step.run))
    state = winner(run)
    assert state is not None
    return message(run, state, sweep=sweep)


def _over(read: Reader, change: Change) -> Reader:
    """The files of a base with a change."""
    after = {edit.path: edit.after for edit in change.edits}
    return lambda path: after[path] if path in after else read(path)


def choose(store: Store, run: str, name: str | None = None) -> Chosen:
    """The winner of a run, or the candidate of this name in it; the first letters of the run's id are enough."""
    found = Run.of(store.events(store.resolve(run)))
    wanted = name or (found.end.winner if found.end is not None else None)
    names = [state.proposed.name for state in found.candidates.values()]
    if wanted is None:
        hint = f"name a candidate: {', '.join(names[:5])}" if names else "it had no candidates"
        raise UsageError(f"run {found.id} has no winner", hint=hint)
    state = next((one for one in found.candidates.values() if one.proposed.name == wanted), None)
    if state is None:
        hint = f"it has {', '.join(names[:10])}" if names else "it had no candidates"
        raise UsageError(f"run {found.id} has no candidate {wanted!r}", hint=hint)
    base = files_before(store, state)
    return Chosen(run=found, state=state, candidate=candidate_of(store, state, base), base=base)
