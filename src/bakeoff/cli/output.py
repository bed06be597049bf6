"""What every command shares: the options of all of them, and the two ways out.

stdout is for data: one JSON document with `--json`, a table or plain text without. stderr is for talk. Colour and
width follow the terminal, `NO_COLOR` and `TERM`, as rich does; where there is no terminal the lines are plain.
"""

from __future__ import annotations

import logging
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter
from rich.console import Console
from rich.logging import RichHandler
from rich.text import Text

from bakeoff.config import Configuration, load
from bakeoff.errors import OutputFailed
from bakeoff.report.documents import as_json

if TYPE_CHECKING:
    from rich.console import RenderableType

    from bakeoff.errors import BakeoffError

__all__ = ["MANY", "Shared", "Switch", "talk", "tell_error"]

talk = Console(stderr=True, highlight=False)
_NO_LIMIT = 10_000
_Switch = Parameter(negative="", show_default=False)
# A flag that is there or not.
Switch = Annotated[bool, _Switch]
# What may be given several times.
MANY = Parameter(negative="", show_default=False)


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class Shared:
    """Options that every command takes."""

    json: Annotated[bool, _Switch] = False
    """One JSON document on stdout, and nothing else there."""

    store: str | None = None
    """The store's file. Default: bakeoff/store.sqlite in the repository's git directory."""

    quiet: Annotated[bool, Parameter(name=["--quiet", "-q"], negative="", show_default=False)] = False
    """Only say what went wrong."""

    verbose: Annotated[bool, Parameter(name=["--verbose", "-v"], negative="", show_default=False)] = False
    """Say what is being done."""

    no_progress: Annotated[bool, _Switch] = False
    """Plain lines instead of a live board."""

    debug: Annotated[bool, _Switch] = False
    """Show tracebacks, and everything that is logged."""

    def begin(self, **flags: object) -> Configuration:
        """Set up logging and read the configuration; `flags` are the command's own settings, None if not given."""
        level = logging.DEBUG if self.debug else logging.INFO if self.verbose else logging.WARNING
        handler = RichHandler(console=talk, show_time=False, show_path=self.debug, show_level=not self.quiet)
        if not self.debug:
            handler.addFilter(_without_traceback)
        logging.basicConfig(level=logging.ERROR if self.quiet else level, handlers=[handler], format="%(message)s")
        return load(Path.cwd(), environment=os.environ, flags={"store": self.store, **flags})

    def show(self, document: object, rendered: RenderableType, *, exact: bytes | None = None) -> None:
        """Put the result on stdout: the document as JSON where asked for, its rendering otherwise; off a terminal,
        `exact` as it is where it is given, for what programs read."""
        if sys.stdout is None:
            raise OutputFailed("stdout is closed")
        try:
            if sys.stdout.isatty() and not self.json:
                Console(highlight=False).print(rendered)
            else:
                self._write(as_json(document) if self.json else _plain(rendered) if exact is None else exact)
            sys.stdout.flush()
        except BrokenPipeError:
            raise
        except OSError as error:
            raise OutputFailed(error.strerror or str(error)) from error

    @staticmethod
    def _write(data: str | bytes) -> None:
        if isinstance(data, str):
            sys.stdout.write(data)
        else:
            sys.stdout.buffer.write(data)

    def say(self, message: str) -> None:
        """Tell the user something that is not data."""
        if not self.quiet:
            talk.print(message, markup=False, soft_wrap=not talk.is_terminal)


def _without_traceback(record: logging.LogRecord) -> bool:
    """What is logged is told in a line; `--debug` shows where it came from."""
    record.exc_info = None
    return True


def _plain(rendered: RenderableType) -> str:
    """Lines as they are, however long: whoever reads them has no window to fit them into."""
    console = Console(highlight=False, no_color=True, width=_NO_LIMIT)
    with console.capture() as capture:
        console.print(rendered)
    # What pads a table goes; a line of one blank is an empty line of a diff.
    return "".join(f"{line if line == ' ' else line.rstrip()}\n" for line in capture.get().splitlines())


def tell_error(error: BakeoffError) -> None:
    """`error: …`, where, a blank line, `hint: …`."""
    text = Text.assemble(("error: ", "bold red"), error.message)
    if error.where:
        text.append(f"\n  {error.where}", "dim")
    if error.hint:
        text.append("\n\nhint: ", "bold").append(error.hint)
    talk.print(text, soft_wrap=True)
