"""Any command that edits files, run in a slot of its own, several at once; what it changed there is the candidate.

    brief ──▶ prompt file ──▶ command, in a slot, jailed ──▶ what is different there ──▶ Proposal

Nothing is asked of the command but that it ends. It may write in its slot and nowhere else, has no network and sees
none of our secrets, except for what `AgentOptions` names.
"""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from bakeoff.errors import ChangeError, UsageError
from bakeoff.fanout import fan_out
from bakeoff.sources.proposals import Proposal
from bakeoff.workers import CallLimits, CommandCall, Ending

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from bakeoff.candidates import Change
    from bakeoff.sources.proposals import Brief
    from bakeoff.workers import CallOutcome, ExecutorBackend

__all__ = ["AgentOptions", "AgentSource", "prompt"]

_PROMPT = "{prompt}"
_VARIABLE = "BAKEOFF_PROMPT_FILE"
_HOT = 0.05
_MOST_OUTPUT = 200_000


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentOptions:
    """A command line; `{prompt}` in it is the path of a file that says what is wanted, which `BAKEOFF_PROMPT_FILE` is,
    too. It is run `attempts` times, `parallel` at once, each for at most `seconds`.

    `network` lets it talk to whoever it likes; `variables` names those of our environment that it may see, `folders`
    what it may write to beside its slot: its settings, its cache.
    """

    argv: tuple[str, ...]
    attempts: int = 1
    parallel: int = 1
    seconds: float = 600.0
    network: bool = False
    variables: tuple[str, ...] = ()
    folders: tuple[Path, ...] = ()

    def __post_init__(self) -> None:
        if not self.argv:
            raise UsageError("the agent's command is empty", hint="give one: --agent 'mytool --prompt-file {prompt}'")
        if self.attempts < 1 or self.parallel < 1 or not self.seconds > 0:
            raise UsageError("an agent needs at least one attempt, and some time", hint="see --agent-attempts")


class AgentSource:
    """Asks a command for candidates, in the first round. `variables` are the values of those that it may see."""

    name = "agent"

    def __init__(self, backend: ExecutorBackend, options: AgentOptions, *, variables: dict[str, str]) -> None:
        self._backend = backend
        self._options = options
        self._variables = variables

    async def propose(self, brief: Brief) -> AsyncGenerator[Proposal, None]:
        if any(tried.candidate.source == self.name for tried in brief.tried):
            return
        done = {one.name for one in brief.earlier}
        numbers = [n for n in range(1, self._options.attempts + 1) if _name(n) not in done][: brief.most]
        with tempfile.TemporaryDirectory(prefix="bakeoff-prompt-") as folder:
            file = Path(folder, "prompt.md")
            file.write_text(prompt(brief), encoding="utf-8")  # noqa: ASYNC240 (a page)
            attempt = partial(self._attempt, brief, file)
            async with fan_out(numbers, attempt, limit=self._options.parallel, fail_fast=True) as outcomes:
                async for outcome in outcomes:
                    if outcome.error is not None:
                        raise outcome.error
                    if outcome.value is not None:
                        yield outcome.value

    async def _attempt(self, brief: Brief, file: Path, number: int) -> Proposal:
        name = _name(number)
        # First of all the leave to work: one who held a slot and waited for it could keep those who time from theirs.
        async with brief.working(), brief.pool.slot() as slot:
            call = CommandCall(
                argv=tuple(part.replace(_PROMPT, str(file)) for part in self._options.argv),
                directory=slot.directory,
                enter=slot.enter,
                environment={**self._variables, _VARIABLE: str(file)},
                readable=(file.parent,),
                writable=self._options.folders,
                network=self._options.network,
                limits=CallLimits(processes=None),
                timeout=self._options.seconds,
            )
            outcome = await self._backend.execute(call)
            log = _log(outcome)
            try:
                change = await slot.change()
            except ChangeError as error:
                return Proposal(name=name, change=None, problem=error.message, log=log)
        return Proposal(name=name, change=change or None, problem=_problem(outcome, change), log=log)


def _name(number: int) -> str:
    return f"agent-{number}"


def _problem(outcome: CallOutcome, change: Change) -> str:
    """Why nothing came of it. One that failed after it had changed something has made a candidate all the same."""
    if change:
        return ""
    if outcome.ending is Ending.OK:
        return "the command changed nothing"
    return f"the command changed nothing: {outcome.describe().splitlines()[0]}"


def _log(outcome: CallOutcome) -> str:
    parts = [f"{outcome.describe().splitlines()[0]} ({outcome.seconds or 0.0:.1f} s)"]
    for name, text in (("stdout", str(outcome.stdout)), ("stderr", str(outcome.stderr))):
        if text.strip():
            parts.append(f"--- {name}\n{text[-_MOST_OUTPUT:]}")
    return "\n".join(parts)


def prompt(brief: Brief) -> str:
    """What is wanted, in words."""
    target = brief.target
    lines = ["# Make this faster", ""]
    if target is not None:
        lines += [
            f"The function `{target.name}` in `{target.path}` is slow. Edit the files of this repository so that it is",
            "faster and does exactly the same: results, exceptions and their messages, what it does to its arguments,",
            "what it prints, and whether it is lazy.",
        ]
    else:
        lines += ["Edit the files of this repository so that it is faster and behaves exactly the same."]
    lines += [
        "",
        f"You may edit: {', '.join(brief.scope.globs)}. Do not touch tests.",
        "Your change is judged by the tests, by recorded calls, and by hundreds of other inputs; then it is timed.",
    ]
    hot = _hot(brief)
    if hot:
        lines += ["", "## Where the time goes", "", *hot]
    return "\n".join(lines) + "\n"


def _hot(brief: Brief) -> list[str]:
    if brief.profile is None:
        return []
    return [
        f"- {function.path}:{line.number} ({line.share:.0%} of `{function.name}`): `{line.text.strip()}`"
        for function in brief.profile.functions
        for line in function.lines
        if line.share >= _HOT
    ]
