"""What a source is told, and what it answers."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from bakeoff.events import Descent, Spent

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable, Mapping
    from contextlib import AbstractAsyncContextManager

    from bakeoff.candidates import Change
    from bakeoff.candidates.tried import Tried
    from bakeoff.events import Profile
    from bakeoff.sources.scope import Scope
    from bakeoff.store import Log
    from bakeoff.targets import Target
    from bakeoff.workspaces import WorktreePool

__all__ = ["Brief", "Proposal", "Source"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Brief:
    """What is wanted, and what is known by now.

    `pool` gives the base (`pool.read`) and slots to work in; `target` is None where candidates are judged by commands.
    At most `most` more candidates are looked at. `profile` says where the baseline's time goes, if it could be found
    out, `profiles` the same of some candidates, by their ids. `reaching` are the ids of the tests that call the target,
    `examples` some of the recorded calls, each in a line. `tried` are the candidates so far, from all sources, in the
    order in which they were judged; `earlier` is what was recorded of this source before the run was cut short, told in
    the first round: it is looked at again by itself, and what is proposed again as it was then is no other. What calls
    of language models have taken until then is `spent`, and they are recorded in `log`.

    While somebody is timed nothing else may use the CPU: what takes more than a moment of it is done in a block of
    `working()`, in which nothing is proposed.
    """

    pool: WorktreePool
    target: Target | None
    scope: Scope
    most: int
    profile: Profile | None = None
    profiles: Mapping[str, Profile] = field(default_factory=dict)
    reaching: tuple[str, ...] = ()
    examples: tuple[str, ...] = ()
    tried: tuple[Tried, ...] = ()
    earlier: tuple[Proposal, ...] = ()
    spent: Spent = field(default_factory=Spent)
    log: Log | None = None
    working: Callable[[], AbstractAsyncContextManager[None]] = nullcontext


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """One idea. Where nothing came of it, `change` is None and `problem` says why: that is recorded like any candidate.

    `name` is what people call it by; `note` says in a line what it does; `parents` are the ids of the candidates it was
    made from, nearest first; `log` is what is kept of how it was made, `calls` are the calls of language models behind
    it. A repair takes the place of its first parent, and does not count as one more candidate.
    """

    name: str
    change: Change | None
    problem: str = ""
    note: str = ""
    parents: tuple[str, ...] = ()
    log: str = ""
    descent: Descent = Descent.FRESH
    calls: tuple[str, ...] = ()


class Source(Protocol):
    """Proposes candidates. The package `bakeoff.sources` finds those of others by entry point.

    `propose` is called once for each round, never twice at the same time; what it gives is judged while it goes on, and
    the next round comes when all of it is settled. A source that has nothing more to say gives nothing: it is asked
    again when others have found something, and when nobody has, the search is over. It is an async generator that may
    be cancelled at any await, or closed, and has to leave nothing behind then. What it raises ends the run; an idea
    that came to nothing is a `Proposal` with a problem.
    """

    @property
    def name(self) -> str: ...

    def propose(self, brief: Brief) -> AsyncGenerator[Proposal, None]: ...
