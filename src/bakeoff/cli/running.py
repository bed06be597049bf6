"""A job while it runs: what is seen of it, and how it is stopped.

On a terminal a live board, elsewhere a line for what matters; both are folds of the events that the job records. The
first Ctrl-C stops the job cleanly, with everything that it has recorded; the second one at once.
"""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, Protocol, TypeVar

import anyio
from rich.live import Live

from bakeoff.cli.output import talk
from bakeoff.cli.waiting import interruptible
from bakeoff.errors import BakeoffError
from bakeoff.report.board import Board

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from contextlib import AbstractContextManager

    from bakeoff.cli.output import Shared
    from bakeoff.events import Recorded

__all__ = ["Brake", "Ran", "Watch", "run_job"]

_REFRESHES = 4
T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Brake:
    """What Ctrl-C does before a job is cancelled, and for how many seconds what is under way may go on then."""

    pull: Callable[[], None]
    seconds: float


class Watch(Protocol):
    """Is told of events. Of those that are no news, as an earlier try of the run recorded them, no line is printed."""

    def __call__(self, recorded: Recorded, /, *, is_news: bool = True) -> None: ...


@dataclass(slots=True)
class Ran:
    """What came of a job: the runs that it has recorded, in their order, whether it was interrupted, and what went
    wrong."""

    runs: list[str] = field(default_factory=list)
    is_interrupted: bool = False
    error: BakeoffError | None = None


def run_job(job: Callable[[Watch], Awaitable[T]], shared: Shared, *, brake: Brake | None = None) -> Ran:
    """Run a job, which is handed a function to tell events to."""
    ran, board = Ran(), Board(clock=partial(datetime.now, UTC))
    is_live = talk.is_terminal and not shared.no_progress and not shared.quiet

    def told(recorded: Recorded, /, *, is_news: bool = True) -> None:
        if recorded.run not in ran.runs and not board.is_part(recorded):
            ran.runs.append(recorded.run)
        board.add(recorded)
        line = board.line(recorded) if is_news and not is_live else None
        if line is not None:
            shared.say(line)

    seen: AbstractContextManager[object] = nullcontext()
    if is_live:
        seen = Live(board, console=talk, refresh_per_second=_REFRESHES, transient=True)
    with seen:
        try:
            anyio.run(_stoppable, lambda: job(told), ran, brake)
        except BakeoffError as error:
            ran.error = error
    return ran


async def _stoppable(job: Callable[[], Awaitable[object]], ran: Ran, brake: Brake | None) -> None:
    """The job, until it ends or the user has had enough of it."""

    def told() -> None:
        ran.is_interrupted = True
        under_way = "" if brake is None else f", and what is under way may end within {brake.seconds:g} s"
        talk.print(f"stopping: what was found is kept{under_way} (Ctrl-C again stops at once)", markup=False)
        if brake is not None:
            brake.pull()

    def at_once() -> None:
        talk.show_cursor()

    await interruptible(job, told, at_once, grace=0.0 if brake is None else brake.seconds)
