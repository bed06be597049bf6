"""The command line: one file per command, each parsed, handed to a job, and rendered. No logic.

Commands are named here by import path and loaded when they run, so that `--help` stays light. Data goes to
stdout, talk to stderr. Exit status: the families of `bakeoff.errors`, 0 for a job that was done, 130 for one that
was interrupted.
"""

from __future__ import annotations

import os
import sys
import traceback
from typing import TYPE_CHECKING

from cyclopts import App, CycloptsError

from bakeoff import __doc__ as motto
from bakeoff import __version__
from bakeoff.errors import BakeoffError, OutputFailed, UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["application", "run"]

_COMMANDS = {
    "demo": "Optimize a small repository that is made for it.",
    "optimize": "Improve a target: many candidates in, one proven winner out.",
    "compare": "Judge and time candidates that are there already.",
    "sweep": "Improve a code base: what takes the time is found, improved in parallel, and brought together.",
    "apply": "Write the winner of a run to the working tree, or commit it on a new branch.",
    "diff": "Show the patch of a run's winner, or of another of its candidates.",
    "sample": "Ask a language model until an answer is valid.",
    "plan": "Split a code base into subplans: few files each, few imports between them.",
    "report": "Write an HTML report of runs.",
    "doctor": "Tell what this machine offers.",
    "runs": "List the runs in the store, newest first.",
    "show": "Show what a run did.",
    "clean": "Remove what dead runs left behind.",
}
# Those of `bakeoff matrix`, each in its file below cli/matrix/.
_OF_MATRICES: dict[str, str] = {
    "check": "Tell what is wrong with a matrix, and what it will take.",
    "run": "Run the cells of a matrix that are missing.",
    "show": "Show what the cells of a matrix came to, by any two of its axes.",
    "compare": "Compare two runs of a matrix, or points of an axis, task by task.",
    "rescore": "Score the answers of a matrix anew, without asking for any of them again.",
    "export": "Write the cells of a matrix as CSV, JSON lines or Parquet.",
}
BROKEN_PIPE = 128 + 13
# What a lone hyphen stands for; the parser would take it for an option.
STDIN = "/dev/stdin"


def application() -> App:
    """The whole command line, its commands not yet loaded."""
    app = App(name="bakeoff", help=motto, version=f"bakeoff {__version__}", suppress_keyboard_interrupt=False)
    for name, summary in _COMMANDS.items():
        app.command(f"bakeoff.cli.{name}:{name}", name=name, help=summary)
    matrix = App(name="matrix", help="Experiments: many cells, a cap for each provider, nothing lost.")
    for name, summary in _OF_MATRICES.items():
        matrix.command(f"bakeoff.cli.matrix.{name}:{name}", name=name, help=summary)
    app.command(matrix)
    config = App(name="config", help="Show the settings in force.")
    config.command("bakeoff.cli.config:show", name="show", help="Print each setting and where it came from.")
    app.command(config)
    return app


def run(arguments: Sequence[str]) -> int:
    """Run one command and return its exit status; nothing but a defect of ours, or --debug, shows a traceback."""
    given = [STDIN if argument == "-" else argument for argument in arguments]
    try:
        status = application()(given, exit_on_error=False, print_error=False, result_action="return_value")
    except CycloptsError as error:
        return _tell(UsageError(str(error), hint="bakeoff --help lists commands and options"))
    except BakeoffError as error:
        if "--debug" in arguments:
            traceback.print_exc()
        return _tell(error)
    except BrokenPipeError:
        _give_up_stdout()
        return BROKEN_PIPE
    return status if isinstance(status, int) else 0


def _tell(error: BakeoffError) -> int:
    from bakeoff.cli.output import tell_error  # noqa: PLC0415 (rich is only needed to say something)

    tell_error(error)
    if isinstance(error, OutputFailed):
        _give_up_stdout()
    return error.exit_code


def _give_up_stdout() -> None:
    """Whoever read our output has seen enough, or has no room for it: nothing may be flushed there when Python ends."""
    if sys.stdout is not None:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
