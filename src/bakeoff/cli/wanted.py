"""The options that `optimize` and `compare` share, from flags to values."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from bakeoff.cli.output import MANY
from bakeoff.git import Repository
from bakeoff.jobs.contest import Wanted
from bakeoff.measure import Objective
from bakeoff.workers import Sandbox, project_python
from bakeoff.workspaces import SlotKind

if TYPE_CHECKING:
    from bakeoff.config import Options

__all__ = ["MANY", "Judging", "Place", "place", "wanted"]

_Switch = Parameter(negative="", show_default=False)


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class Judging:
    """Options of commands that judge and time candidates."""

    repo: Path | None = None
    """The repository. Default: the one around the current folder."""

    tests: Annotated[tuple[str, ...], MANY] = ()
    """Test files or folders. Default: what the project's own pytest configuration says."""

    check: str | None = None
    """A command that judges instead of pytest: exit status 0 is correct."""

    junit: str | None = None
    """Where the command that judges leaves a JUnit report, in the repository: then each test in it is compared."""

    bench: str | None = None
    """What is timed instead of recorded calls: a bench_*.py file, or a command."""

    edit_scope: Annotated[tuple[str, ...], MANY] = ()
    """What candidates may edit, as patterns of paths; never tests."""

    parallel_candidates: int | None = None
    """How many candidates are judged at once. Default: the number of cores."""

    budget: str | None = None
    """How long it may take once the baseline is known, like 120s or 5m."""

    timing: str | None = None
    """How long a candidate is timed at the most, like 3s. Longer tells smaller differences."""

    min_speedup: str | None = None
    """How much faster a winner has to be, like 5%."""

    objective: Objective | None = None
    """What is to become less: time or memory."""

    python: Path | None = None
    """The project's interpreter. Default: the repository's .venv, else the active one, else Bakeoff's own."""

    sandbox: Sandbox | None = None
    """auto: as much as there is; require: at least tier 2; off: limits only."""

    allow_untested: Annotated[bool | None, _Switch] = None
    """Go on where no test calls the target, with generated inputs alone."""

    inputs: int | None = None
    """How many inputs are grown from recorded ones, to be tried on each candidate."""

    rtol: float | None = None
    """How far floats may be apart and still count as equal, as a part of their size. Default: not at all."""

    any_dict_order: Annotated[bool | None, _Switch] = None
    """The order of a dict's items does not count."""

    strict: Annotated[bool | None, _Switch] = None
    """Inputs that the code was never meant for, on which it fails, have to fail in the same way."""

    slots: SlotKind | None = None
    """Force a kind of slot."""

    report: Path | None = None
    """Write an HTML report to this file."""

    def flags(self) -> dict[str, object]:
        """What was given of it, for the configuration."""
        names = set(self.__dataclass_fields__) - {"repo", "report"}
        given = {name: getattr(self, name) for name in names}
        return {name: value for name, value in given.items() if value not in (None, ())}


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a command works: the repository, and the folder that paths on the command line start from."""

    repository: Repository
    start: Path


async def place(repo: Path | None) -> Place:
    """The repository that was named, or the one around the current folder."""
    repository = await Repository.find(repo or Path.cwd())
    here = Path.cwd()
    return Place(repository=repository, start=here if here.is_relative_to(repository.root) else repository.root)


def wanted(options: Options, where: Place, usual: Wanted) -> Wanted:
    """The values of all that was said; `usual` is what the command does where nothing was."""
    return replace(
        usual,
        arguments=tuple(sys.argv[2:]),
        tests=options.tests,
        check=None if options.check is None else tuple(options.check),
        junit=options.junit,
        bench=None if options.bench is None else tuple(options.bench),
        edit_scope=options.edit_scope,
        objective=options.objective,
        python=options.python or project_python(where.repository.root, os.environ),
        sandbox=options.sandbox,
        allow_untested=options.allow_untested,
        inputs=usual.inputs if options.inputs is None else options.inputs,
        rtol=options.rtol,
        any_dict_order=options.any_dict_order,
        strict=options.strict,
        slots=options.slots,
        slots_directory=options.slots_directory,
        candidates=usual.candidates if options.candidates is None else options.candidates,
        parallel=usual.parallel if options.parallel_candidates is None else options.parallel_candidates,
        seconds=usual.seconds if options.budget is None else float(options.budget),
        timing=usual.timing if options.timing is None else float(options.timing),
        min_speedup=usual.min_speedup if options.min_speedup is None else float(options.min_speedup),
        target_speedup=options.target_speedup,
    )
