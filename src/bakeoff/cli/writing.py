"""Reports on disk, for commands that write some; it loads no engine."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bakeoff.errors import OutputFailed, UsageError
from bakeoff.report.pages import pages

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from bakeoff.cli.output import Shared
    from bakeoff.events import Run
    from bakeoff.store import Store

__all__ = ["write_report"]


def write_report(path: Path, runs: Sequence[Run], store: Store, shared: Shared) -> None:
    """One file for all of these runs."""
    if not runs:
        raise UsageError("there is no run to report", hint="bakeoff runs lists them")

    try:
        path.write_text(pages(runs, text=store.text), encoding="utf-8")
    except OSError as error:
        raise OutputFailed(f"{path}: {error.strerror}") from error
    shared.say(f"report: {path}")
